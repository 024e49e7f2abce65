// Made from the library's records by book/_ext/constants.py: change nothing here.
export const CASCADING = {"sampling": [1.5, 0], "laplace": 24, "gaussian": [6, 1.38629436111989], "composition": 4, "lemma": 9.80249879515529, "hybrid": 3, "semi": 4, "published": 0.01, "least": 8, "growth": {"keep": 1.2, "forget": 2, "counter": 1}};
export const SEMIBANDITS = {"sampling": [1.5, 0], "cap": 1, "printed": 32, "square": 12, "linear": 3, "tree": {"scale": 2, "square": 4, "linear": 12}};
export const CONVEX = {"schedule": [[0, 160], [1, 20], [2, 20]], "anchors": {"distance": [[0.7, 0], [-0.35, 0.6], [-0.35, -0.6]], "quadratic": [[0.7, 0], [0.8, 0.3], [0.2, -0.3]]}};
export const HEAVY_TAILED = {"means": {"1": [0.9, 0.7, 0.5, 0.3, 0.1], "2": [0.9, 0.55, 0.3, 0.15, 0.1], "3": [0.9, 0.85, 0.7, 0.45, 0.1]}, "elimination": {"free": {"c": 12, "inside": 4}, "central": {"c": 24, "inside": 4}, "local": {"c": 24, "inside": 8}}, "ucb": {"free": 4, "tree": 18}, "tail": [4, 0.693147180559945]};

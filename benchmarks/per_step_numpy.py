"""The cascade round with vectorised NumPy calls: index, argsort, click, update."""

from __future__ import annotations

import math

import numpy as np


def play(means: np.ndarray, size: int, scale: float, rounds: int, seed: int) -> float:
    """Return the pseudo-regret of Algorithm 2 of Wang et al. (2021), Laplace noise of `scale`, none at 0.

    `means` has more than `size` entries.
    """
    rng = np.random.default_rng(seed)
    total = (rng.random(len(means)) < means).astype(float)
    count = np.ones(len(means))
    best = 1.0 - np.prod(1.0 - np.sort(means)[-size:])
    regret = 0.0
    for t in range(1, rounds + 1):
        log_t = math.log(t)
        a = math.sqrt(1.5 * log_t) + scale * math.sqrt(24.0 * log_t)
        index = total / count + a / np.sqrt(count)
        ranked = np.argsort(-index)
        highest = index[ranked[: size + 1]]
        if (highest[1:] == highest[:-1]).any():
            ranked = np.lexsort((rng.random(len(means)), -index))
        shown = ranked[:size]
        clicks = rng.random(size) < means[shown]
        observed = int(clicks.argmax()) + 1 if clicks.any() else size
        seen = shown[:observed]
        count[seen] += 1.0
        total[seen] += clicks[:observed]
        if scale:
            total[seen] += rng.laplace(0.0, scale, observed)
        regret += best - (1.0 - np.prod(1.0 - means[shown]))
    return float(regret)

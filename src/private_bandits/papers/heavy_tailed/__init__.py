"""Tao et al. (2022), *Optimal Rates of (Locally) Differentially Private Heavy-tailed Multi-Armed Bandits*."""

from private_bandits.papers.heavy_tailed import bounds
from private_bandits.papers.heavy_tailed.algorithm_1 import dp_robust_ucb
from private_bandits.papers.heavy_tailed.algorithm_3 import dp_robust_se
from private_bandits.papers.heavy_tailed.bubeck_robust_ucb import robust_ucb
from private_bandits.papers.heavy_tailed.doubling_episodes import adap_robust_ucb
from private_bandits.papers.heavy_tailed.instances import pareto_arms, setting
from private_bandits.papers.heavy_tailed.local_se import ldp_robust_se
from private_bandits.papers.heavy_tailed.private_quantiles import quantile_se
from private_bandits.papers.heavy_tailed.se_without_privacy import robust_se
from private_bandits.policy import Policy

__all__ = [
    "adap_robust_ucb",
    "algorithms",
    "bounds",
    "dp_robust_se",
    "dp_robust_ucb",
    "ldp_robust_se",
    "pareto_arms",
    "quantile_se",
    "robust_se",
    "robust_ucb",
    "setting",
]


def algorithms(epsilon: float, *, delta: float) -> list[tuple[str, Policy]]:
    """Every algorithm of the chapter at small sizes: the module of its constructor, and its policy.

    Parameters
    ----------
    epsilon : float
        Privacy of the private ones, > 0.
    delta : float
        As for the other chapters; all of these are private with delta = 0.

    Returns
    -------
    list of (str, Policy)
        The slides' in their order with what they build on, then ours.

    Raises
    ------
    ValueError
        If `epsilon` is out of range.
    """
    v, u, beta, horizon = 0.5, 1.0, 0.1, 1000
    return [
        ("bubeck_robust_ucb", robust_ucb(v=v, u=u, horizon=horizon)),
        ("bubeck_robust_ucb", robust_ucb(v=v, u=u)),
        ("algorithm_1", dp_robust_ucb(epsilon, v=v, u=u, horizon=horizon)),
        ("algorithm_3", dp_robust_se(epsilon, v=v, u=u, beta=beta)),
        ("local_se", ldp_robust_se(epsilon, v=v, u=u, beta=beta)),
        ("local_se", ldp_robust_se(epsilon, v=v, u=u, beta=beta, variant="slide_rate")),
        ("se_without_privacy", robust_se(v=v, u=u, beta=beta)),
        ("private_quantiles", quantile_se(epsilon, beta=beta)),
        ("doubling_episodes", adap_robust_ucb(epsilon, v=v, u=u, horizon=horizon)),
    ]

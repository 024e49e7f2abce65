"""Tao et al. (2022), *Optimal Rates of (Locally) Differentially Private Heavy-tailed Multi-Armed Bandits*."""

from private_bandits._moved import forward
from private_bandits.papers.heavy_tailed.elimination import dp_robust_se, ldp_robust_se, robust_se
from private_bandits.papers.heavy_tailed.index_boxes import dp_robust_ucb, robust_ucb
from private_bandits.papers.heavy_tailed.instances import pareto_arms, setting
from private_bandits.papers.heavy_tailed.open_problems import adap_robust_ucb
from private_bandits.papers.heavy_tailed.unknown_moments import quantile_se

__all__ = [
    "adap_robust_ucb",
    "dp_robust_se",
    "dp_robust_ucb",
    "ldp_robust_se",
    "pareto_arms",
    "quantile_se",
    "robust_se",
    "robust_ucb",
    "setting",
]

forward(__name__)

"""Zheng et al. (2020), *Locally Differentially Private (Contextual) Bandits Learning*: boxes, accounting, bounds."""

from private_bandits._moved import forward
from private_bandits.papers.contextual.accounting import published_setting
from private_bandits.papers.contextual.best_arm import lil_ucb
from private_bandits.papers.contextual.bounds import horizon_needed, linucb_upper, theorem_8, theorem_10
from private_bandits.papers.contextual.bounds_online import corollary_4, theorem_3, theorem_6
from private_bandits.papers.contextual.linear import gloc, ldp_glm, ldp_linucb, linucb
from private_bandits.papers.contextual.reduction import one_point, two_point, wrap

__all__ = [
    "corollary_4",
    "gloc",
    "horizon_needed",
    "ldp_glm",
    "ldp_linucb",
    "lil_ucb",
    "linucb",
    "linucb_upper",
    "one_point",
    "published_setting",
    "theorem_10",
    "theorem_3",
    "theorem_6",
    "theorem_8",
    "two_point",
    "wrap",
]

forward(__name__)

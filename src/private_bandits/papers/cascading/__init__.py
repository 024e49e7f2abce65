"""Wang et al. (2021), *Cascading Bandit under Differential Privacy*: boxes, instances, bounds, experiments, claims."""

from private_bandits._moved import forward
from private_bandits.papers.cascading.boxes import (
    cascade_ucb1,
    cucb_gaussian,
    repaired_central,
    repaired_local,
    ucb_composition,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
    uniform,
)
from private_bandits.papers.cascading.instances import b_lb, b_lb_semi

__all__ = [
    "b_lb",
    "b_lb_semi",
    "cascade_ucb1",
    "cucb_gaussian",
    "repaired_central",
    "repaired_local",
    "ucb_composition",
    "ucb_gaussian",
    "ucb_hybrid",
    "ucb_laplace",
    "uniform",
]

forward(__name__)

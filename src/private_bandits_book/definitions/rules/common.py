"""What the rules share: the rulebook, the grid on which exact statements are decided, and words."""

import math

import numpy as np

from private_bandits_book.ledger import Rulebook

GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
N_ARMS, HORIZON = 3, 100_000_000
SAME = 1e-9  # relative error of two exact numbers
FAR = 4**40  # rounds after which what epsilon adds to minimax regret under DP is outgrown
TINY = 1e-9  # an epsilon as good as 0

rules = Rulebook()


def near(values: object, target: float, tolerance: float = SAME) -> bool:
    """Whether all values are within a relative distance of a number."""
    return bool(np.all(np.abs(np.asarray(values, float) - target) <= tolerance * abs(target)))


def loss_of(value: float) -> str:
    """Return a privacy loss in words."""
    return "infinity" if math.isinf(value) else f"{value:.3g}"

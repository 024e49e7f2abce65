"""What the rooms of the ledger share: the measurements, the grid on which exact statements are decided, and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from private_bandits_book.definitions.experiments import Experiments
from private_bandits_book.studies import Run

CHAPTER = "private-bandits reproduce definitions"
LONG = "private-bandits reproduce definitions --long"
GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
N_ARMS, HORIZON = 3, 100_000_000
SAME = 1e-9  # relative error of two exact numbers
SLACK = 0.2  # what a fitted exponent may miss by


@dataclass
class Evidence:
    """What the chapter computed and measured."""

    setting: Experiments
    losses: pd.DataFrame
    mechanisms: pd.DataFrame
    tightness: pd.DataFrame
    divergences: pd.DataFrame
    looseness: pd.DataFrame
    inference: pd.DataFrame
    sweep: Sequence[Run]
    hardest: Sequence[Run]
    long: pd.DataFrame


def long_curves(long: pd.DataFrame, name: str, epsilon: float) -> np.ndarray:
    """Regret in the longer study, shape (replications, checkpoints); empty where it was not played."""
    part = long[(long["policy"] == name) & (long["epsilon"] == epsilon)]
    return part.pivot(index="replication", columns="t", values="regret").to_numpy(float)


def near(values: object, target: float, tolerance: float = SAME) -> bool:
    """Whether all values are within a relative distance of a number."""
    return bool(np.all(np.abs(np.asarray(values, float) - target) <= tolerance * abs(target)))


def loss_of(value: float) -> str:
    """Return a privacy loss in words."""
    return "infinity" if math.isinf(value) else f"{value:.3g}"

"""Tsallis-INF of Zimmert and Seldin (2019), behind Algorithm 1: mirror descent on square roots, for arms."""

import math
from itertools import count
from typing import Any

import numpy as np
from scipy.optimize import brentq

from private_bandits.papers.contextual.shared_convex import Learner, Tuning
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator


def tsallis(problem: ConvexLoss, horizon: int, feedback: float) -> Tuning:
    """The constants: step 2 / sqrt(t), regret L (4 sqrt(K T) + 1).

    Parameters
    ----------
    problem : ConvexLoss
        With K arms.
    horizon : int
        T >= 2.
    feedback : float
        L > 0, the width of the interval that what it is told is clipped to.

    Returns
    -------
    Tuning
    """
    return Tuning(2.0, feedback * (4.0 * math.sqrt(problem.dim * horizon) + 1.0), 0.5)


def distribution(losses: Any, eta: float) -> Any:
    """The minimiser of <L, w> - (4/eta) sum of sqrt(w_i) over distributions, by a root of the normalisation.

    Parameters
    ----------
    losses : float64 array, shape (arms,)
        L.
    eta : float
        > 0.

    Returns
    -------
    float64 array, shape (arms,)
    """
    low = np.min(losses)
    x = brentq(
        lambda x: np.sum(4 / (eta * (losses - low + x)) ** 2) - 1,
        2 / eta * (1 - 1e-12),
        2 * math.sqrt(len(losses)) / eta * (1 + 1e-12),
        xtol=1e-300,
        rtol=1e-15,
    )
    w = 4 / (eta * (losses - low + x)) ** 2
    return w / np.sum(w)


def reference(problem: ConvexLoss, choice: Generator, *, reach: float) -> Learner:
    """Play the algorithm line by line; losses are clipped to [-reach, 1 + reach] and scaled to [0, 1].

    Parameters
    ----------
    problem : ConvexLoss
        With K arms.
    choice : Generator
        A uniform number a round, for the arm.
    reach : float
        >= 0.

    Yields
    ------
    list of int
        The arm to play; its noisy loss is sent back.
    """
    total = np.zeros(problem.dim)
    for t in count(1):
        weights = distribution(total, 2 / math.sqrt(t))
        arm = int(np.searchsorted(np.cumsum(weights)[:-1], choice.random(), side="right"))
        value = yield [arm]
        total[arm] += (min(max(value, -reach), 1 + reach) + reach) / (1 + 2 * reach) / weights[arm]

"""EXP3, Bubeck and Cesa-Bianchi (2012), Figure 3.1, behind Algorithm 1: exponential weights, for arms."""

import math
from itertools import count

import numpy as np

from private_bandits.papers.contextual.convex_skeleton import Learner, Tuning
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator


def exp3(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    """The constants of Theorem 3.1: step sqrt(ln K / (K t)), regret 2 L sqrt(T K ln K).

    Parameters
    ----------
    problem : ConvexLoss
        With K arms.
    rounds : int
        T >= 2.
    feedback : float
        L > 0, the width of the interval that what it is told is clipped to.

    Returns
    -------
    Tuning
    """
    arms = problem.dimension
    regret = 2.0 * feedback * math.sqrt(rounds * arms * math.log(arms))
    return Tuning(math.sqrt(math.log(arms) / arms), regret, 0.5)


def reference(problem: ConvexLoss, choice: Generator, reach: float) -> Learner:
    """Play Figure 3.1 line by line; losses are clipped to [-reach, 1 + reach] and scaled to [0, 1].

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
    k = problem.dimension
    total = np.zeros(k)
    for t in count(1):
        weights = np.exp(-math.sqrt(math.log(k) / (k * t)) * (total - np.min(total)))
        weights = weights / np.sum(weights)
        arm = int(np.searchsorted(np.cumsum(weights)[:-1], choice.random(), side="right"))
        value = yield [arm]
        total[arm] += (min(max(value, -reach), 1 + reach) + reach) / (1 + 2 * reach) / weights[arm]

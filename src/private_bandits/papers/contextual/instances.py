"""The losses on which Algorithms 1 and 2 are played, and what the centre would lose there.

The adversary shifts: its losses come in blocks, and four fifths of them pull to one side. The best fixed point lies
away from the centre, where every learner starts, and inside the set. A distance has its kink there, so that exploring
costs as much as the theory allows for; a smooth loss has the curvature there that its learners are made for.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, ConvexLoss

CYCLE = 200
"""Rounds after which the adversary begins again."""
N_ARMS, GAP = 4, 0.5
SWITCHES = 10_000
_SCHEDULE = [0] * (CYCLE * 8 // 10) + [1] * (CYCLE // 10) + [2] * (CYCLE // 10)
_SHARES = [0.8, 0.1, 0.1]
_APART = [[0.7, 0.0], [-0.35, 0.6], [-0.35, -0.6]]  # the pull of the last two is below that of the first: a kink
_NEAR = [[0.7, 0.0], [0.8, 0.3], [0.2, -0.3]]
_CORNER = [[0.7, 0.1], [0.5, 0.4], [0.3, 0.1]]
_SPREAD = 0.1
_GROWTH = 1.6  # of the switching adversary's phases


@cache
def convex(kind: str, mode: str = "schedule") -> ConvexLoss:
    """Losses on the unit disc; the kinked kinds have their kink at the best point.

    Parameters
    ----------
    kind : {"distance", "kinked", "smooth", "quadratic"}
    mode : {"schedule", "drawn", "stochastic"}
        In blocks, drawn anew in every round, or their mean with noise.

    Returns
    -------
    ConvexLoss

    Raises
    ------
    ValueError
        If an argument is not one of those listed.

    Examples
    --------
    >>> convex("smooth").best_point()[0].round(3).tolist()
    [0.574, 0.004]
    """
    anchors = _APART if kind in ("distance", "kinked") else _NEAR
    return ConvexLoss.ball(anchors, kind=kind, **_order(mode))


@cache
def on_simplex(kind: str, mode: str = "schedule") -> ConvexLoss:
    """Losses over distributions of three things.

    Parameters
    ----------
    kind : {"distance", "kinked", "smooth", "quadratic"}
    mode : {"schedule", "drawn", "stochastic"}
        As for `convex`.

    Returns
    -------
    ConvexLoss

    Raises
    ------
    ValueError
        If an argument is not one of those listed.

    Examples
    --------
    >>> print(on_simplex("quadratic", "drawn"))
    ConvexLoss.simplex(dimension=2, kind=quadratic, mode=drawn)
    """
    return ConvexLoss.simplex(_CORNER, kind=kind, **_order(mode))


@cache
def on_line() -> ConvexLoss:
    """The mean of two distances on [-1, 1], with noise: stochastic convex losses of one dimension.

    Returns
    -------
    ConvexLoss

    Examples
    --------
    >>> on_line().best_point()[0].tolist()
    [0.6]
    """
    return ConvexLoss.ball([[0.6], [-0.2]], kind="distance", mode="stochastic", weights=[0.8, 0.2], spread=_SPREAD)


def stochastic_arms(gap: float = GAP) -> Arms:
    """Bernoulli arms, the first of which is better than all others by the gap.

    Parameters
    ----------
    gap : float
        In [0, 1].

    Returns
    -------
    Arms

    Raises
    ------
    ValueError
        If the gap is out of range.

    Examples
    --------
    >>> stochastic_arms(0.4).means.tolist()
    [0.7, 0.3, 0.3, 0.3]
    """
    return Arms.bernoulli(np.append(0.5 + gap / 2.0, np.full(N_ARMS - 1, 0.5 - gap / 2.0)))


def switching_arms(gap: float = GAP) -> ConvexLoss:
    """Arms whose losses all jump up and down by 1 - gap, in phases of growing length, while their gap stays.

    After the experiments of Zimmert and Seldin with Tsallis-INF; here the phases begin again after `SWITCHES` rounds.

    Parameters
    ----------
    gap : float
        In [0, 1].

    Returns
    -------
    ConvexLoss

    Raises
    ------
    ValueError
        If the gap is out of range.

    Examples
    --------
    >>> switching_arms(0.25).anchors.tolist()
    [[0.0, 0.25, 0.25, 0.25], [0.75, 1.0, 1.0, 1.0]]
    """
    low, high = np.full(N_ARMS, gap), np.full(N_ARMS, 1.0)
    low[0], high[0] = 0.0, 1.0 - gap
    order: list[int] = []
    length, phase = 1.0, 0
    while len(order) < SWITCHES:
        order += [phase] * round(length)
        length, phase = length * _GROWTH, 1 - phase
    return ConvexLoss.arms([low, high], schedule=order[:SWITCHES])


class Ucb:
    """UCB1 for losses in [0, 1], ties to the lowest arm: without noise it is deterministic, and can be foreseen."""

    name = "UCB, lowest arm first"
    paper, algorithm, variant, mechanism = "auer2002", "Figure 1", "losses", "none"
    privacy = Guarantee.none()

    def start(self, problem: Any, choice: Any, noise: Any) -> _UcbLearner:
        """Return a fresh learner; it draws nothing.

        Parameters
        ----------
        problem : ConvexLoss
            Of arms.
        choice, noise : Generator
            Not read.

        Returns
        -------
        object with `ask` and `tell`
        """
        return _UcbLearner(problem.dimension)


class _UcbLearner:
    def __init__(self, n_arms: int) -> None:
        self.pulls, self.sums = [0] * n_arms, [0.0] * n_arms
        self.round, self.arm = 0, -1

    def ask(self) -> list[int]:
        self.round += 1
        if self.round <= len(self.pulls):
            self.arm = self.round - 1
        else:
            level = 2.0 * math.log(self.round)
            indices = [s / n - math.sqrt(level / n) for s, n in zip(self.sums, self.pulls, strict=True)]
            self.arm = indices.index(min(indices))
        return [self.arm]

    def tell(self, values: list[float]) -> None:
        self.pulls[self.arm] += 1
        self.sums[self.arm] += values[0]


def fooling_arms(horizon: int) -> tuple[ConvexLoss, np.ndarray]:
    """A fixed sequence of losses on which `Ucb` never finds the best arm, and the arms that it plays.

    The first arm loses 1 in the rounds in which `Ucb` looks at it, and 0 in all others; the other arms always lose the
    gap. What `Ucb` does is known beforehand, so the adversary is oblivious.

    Parameters
    ----------
    horizon : int
        Length of the sequence, >= 1.

    Returns
    -------
    problem : ConvexLoss
    plays : int64 array, shape (horizon,)

    Examples
    --------
    >>> problem, plays = fooling_arms(8)
    >>> plays.tolist(), problem.schedule.tolist()
    ([0, 1, 2, 3, 1, 2, 3, 0], [1, 0, 0, 0, 0, 0, 0, 1])
    """
    table = np.array([np.full(N_ARMS, GAP), np.full(N_ARMS, GAP)])
    table[:, 0] = 0.0, 1.0
    learner = _UcbLearner(N_ARMS)
    order, plays = [], np.zeros(horizon, np.int64)
    for t in range(horizon):
        (plays[t],) = learner.ask()
        order.append(int(plays[t] == 0))
        learner.tell([float(table[order[-1], plays[t]])])
    return ConvexLoss.arms(table, schedule=order), plays


def centre_regret(problem: ConvexLoss, t: Any) -> np.ndarray:
    """Expected regret of the point where learners start, or of uniformly random arms, after t rounds.

    No uniformly random point of a ball or a simplex does better, as the losses are convex and the point is the mean.

    Parameters
    ----------
    problem : ConvexLoss
    t : array_like of int
        Rounds, >= 1. With drawn losses the best point is that for their shares.

    Returns
    -------
    float64 array
        One number for each of t.
    """
    if problem.domain == "ball":
        start = np.zeros(problem.dimension)
    else:
        start = np.full(problem.dimension, 1.0 / (problem.dimension + 1.0))
    each = [
        float(np.mean(row)) if problem.domain == "arms" else problem.value(which, start)
        for which, row in enumerate(problem.anchors)
    ]
    regret = []
    for rounds in np.atleast_1d(t):
        counts = problem.weights * rounds
        if problem.mode == "schedule":
            laps, rest = divmod(int(rounds), len(problem.schedule))
            counts = laps * np.bincount(problem.schedule, minlength=len(each)).astype(float)
            counts += np.bincount(problem.schedule[:rest], minlength=len(each))
        regret.append(float(counts @ each) - problem.best_point(counts)[1])
    return np.array(regret)


def _order(mode: str) -> dict[str, Any]:
    if mode == "schedule":
        return {"schedule": _SCHEDULE}
    return {"mode": mode, "weights": _SHARES, "spread": _SPREAD if mode == "stochastic" else 0.0}

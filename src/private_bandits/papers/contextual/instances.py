"""The losses on which Algorithms 1 and 2 are played, what the centre would lose there, and the sets of actions.

The adversary shifts: its losses come in blocks, and four fifths of them pull to one side. The best fixed point lies
away from the centre, where every learner starts, and inside the set. A distance has its kink there, so that exploring
costs as much as the theory allows for; a smooth loss has the curvature there that its learners are made for.

Fresh sets of actions explore by themselves; a bonus that is alike in all directions then costs nothing. Where the same
orthogonal actions come in every round, only the bonus explores.
"""

import math
from functools import cache

import numpy as np
from scipy.special import expit

from private_bandits import checks
from private_bandits.problems import ConvexLoss, LinearContext

__all__ = [
    "convex",
    "on_line",
    "one_set",
    "or_nothing",
    "skewed",
    "switching_arms",
    "unit_vectors",
]

CYCLE = 200
"""Rounds after which the adversary begins again."""
N_ARMS, GAP = 4, 0.5
N_ACTIONS = 5
"""Actions of a round of fresh unit vectors."""
SWITCHES = 10_000
_MOST = 1000  # dimensions of an instance
_SCHEDULE = [0] * (CYCLE * 8 // 10) + [1] * (CYCLE // 10) + [2] * (CYCLE // 10)
_APART = [[0.7, 0.0], [-0.35, 0.6], [-0.35, -0.6]]  # the pull of the last two is below that of the first: a kink
_NEAR = [[0.7, 0.0], [0.8, 0.3], [0.2, -0.3]]
_GROWTH = 1.6  # of the switching adversary's phases


def convex(kind: str) -> ConvexLoss:
    """Losses on the unit disc; the kinked kinds have their kink at the best point.

    Parameters
    ----------
    kind : {"distance", "kinked", "smooth", "quadratic"}

    Returns
    -------
    ConvexLoss

    Raises
    ------
    ValueError
        If the kind is not one of those listed.

    Examples
    --------
    >>> convex("smooth").best_point()[0].round(3).tolist()
    [0.574, 0.004]
    """
    return _convex(checks.choice("kind", kind, ("distance", "kinked", "smooth", "quadratic")))


@cache
def _convex(kind: str) -> ConvexLoss:
    anchors = _APART if kind in ("distance", "kinked") else _NEAR
    return ConvexLoss.ball(anchors, kind=kind, schedule=_SCHEDULE)


@cache
def on_line() -> ConvexLoss:
    """Two distances on [-1, 1]: one for four users of five, the other for the fifth; their mean, with noise.

    Returns
    -------
    ConvexLoss

    Examples
    --------
    >>> on_line().best_point()[0].tolist()
    [0.6]
    """
    return ConvexLoss.ball([[0.6], [-0.2]], kind="distance", mode="stochastic", weights=[0.8, 0.2], spread=0.1)


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
    apart = checks.real("gap", gap, at_least=0, at_most=1)
    low, high = np.full(N_ARMS, apart), np.full(N_ARMS, 1.0)
    low[0], high[0] = 0.0, 1.0 - apart
    order: list[int] = []
    length, phase = 1.0, 0
    while len(order) < SWITCHES:
        order += [phase] * round(length)
        length, phase = length * _GROWTH, 1 - phase
    return ConvexLoss.arms([low, high], schedule=np.array(order[:SWITCHES]))


def unit_vectors(dim: int, link: str = "linear") -> LinearContext:
    """Fresh unit vectors in every round, `N_ACTIONS` of them; theta has norm 1 and all entries alike.

    Parameters
    ----------
    dim : int
        d, 1 to 1000.
    link : {"linear", "logistic"}

    Returns
    -------
    LinearContext

    Raises
    ------
    ValueError
        If the dimension is out of range, or the link not one of those listed.

    Examples
    --------
    >>> print(unit_vectors(4))
    LinearContext(unit vectors, dim=4, n_actions=5, linear)
    """
    size = checks.integer("dim", dim, at_least=1, at_most=_MOST)
    return LinearContext.sphere(np.full(size, 1.0 / math.sqrt(size)), N_ACTIONS, link)


def one_set(dim: int, *, link: str = "linear", gap: float = GAP, offset: float = 0.0) -> LinearContext:
    """The same orthogonal actions in every round, theta = (offset + gap, offset, ..., offset).

    Parameters
    ----------
    dim : int
        d, 1 to 1000, also the number of actions.
    link : {"linear", "logistic"}
    gap, offset : float
        The gap >= 0, the offset in [-1, 1], as is their sum.

    Returns
    -------
    LinearContext

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> one_set(3, gap=0.5, offset=0.25).means.tolist()
    [[0.75, 0.25, 0.25]]
    """
    size = checks.integer("dim", dim, at_least=1, at_most=_MOST)
    linear = checks.choice("link", link, ("linear", "logistic")) == "linear"
    low, apart = checks.real("offset", offset, at_least=-1, at_most=1), checks.real("gap", gap, at_least=0)
    if low + apart > 1.0:
        raise ValueError(f"gap must be <= 1 - offset, got {apart:g} and {low:g}")
    values = np.full((1, size), low)
    values[0, 0] += apart
    return LinearContext.table(np.eye(size)[None], values if linear else expit(values), link)


def or_nothing(gap: float = GAP) -> LinearContext:
    """One dimension: the action 1, whose mean is minus the gap, or 0, which costs nothing and tells nothing.

    Parameters
    ----------
    gap : float
        In [0, 1].

    Returns
    -------
    LinearContext

    Raises
    ------
    ValueError
        If the gap is out of range.

    Examples
    --------
    >>> or_nothing(0.5).means.tolist()
    [[-0.5, 0.0]]
    """
    return LinearContext.table([[[1.0], [0.0]]], [[-checks.real("gap", gap, at_least=0, at_most=1), 0.0]])


def skewed(gap: float = GAP) -> LinearContext:
    """Two dimensions, ten sets: nine times (1, 0) or nothing, which is the better; once (cos, sin) = (0.98, 0.2) or it.

    The mean of the rare action is a tenth of the gap, that of the frequent one minus half as much: the second entry of
    theta, 7.5 times as large, shows in a tenth of the rounds, and there by a fifth.

    Parameters
    ----------
    gap : float
        In [0, 1].

    Returns
    -------
    LinearContext

    Raises
    ------
    ValueError
        If the gap is out of range.

    Examples
    --------
    >>> skewed(1.0).means[[0, -1]].round(3).tolist()
    [[-0.05, 0.0], [0.1, 0.0]]
    """
    apart = checks.real("gap", gap, at_least=0, at_most=1)
    rare = [math.sqrt(0.96), 0.2]
    sets = [[[1.0, 0.0], [0.0, 0.0]]] * 9 + [[rare, [0.0, 0.0]]]
    return LinearContext.table(sets, [[-0.05 * apart, 0.0]] * 9 + [[0.1 * apart, 0.0]])

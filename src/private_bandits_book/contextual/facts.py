"""Small exact computations behind claims, bounds and tables of the chapter that no run is needed for."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from private_bandits.kernels import barrier, linear
from private_bandits.papers.contextual import instances, one_point
from private_bandits.policy import Policy
from private_bandits.privacy import channel_loss, exact_loss
from private_bandits.problems import Arms, ConvexLoss
from private_bandits.problems.losses import BALL, SIMPLEX
from private_bandits_book.policies import Greedy, LocallyPrivate

ROUNDS = 5  # of the streaming learner whose histories are enumerated
NEAREST = 1e-6  # distance from the boundary to which the barrier is followed
_LONGEST = 300.0  # powers of ten that `horizon_needed` looks through


def streaming_loss(epsilon: float) -> float:
    """Exact loss, as a streaming algorithm, of a greedy learner of two arms that sees randomised responses.

    Theorem 1: what a learner computes from epsilon-locally private reports is epsilon-private. Every table of rewards,
    its neighbours and all actions of `ROUNDS` rounds are gone through.
    """
    return float(exact_loss(LocallyPrivate(Greedy(2), epsilon), ROUNDS))


def stochastic_arms(gap: float = instances.GAP) -> Arms:
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
    return Arms.bernoulli(np.append(0.5 + gap / 2.0, np.full(instances.N_ARMS - 1, 0.5 - gap / 2.0)))


def reports_loss(epsilon: float) -> float:
    """Exact loss of all reports of that stream when one user changes: everything that is made of them pays no more."""
    return float(channel_loss(LocallyPrivate(Greedy(2), epsilon).channel))


def ellipsoid_norms(domain: str) -> pd.DataFrame:
    """Spectral norms of what an ellipsoidal estimator multiplies by, on the way to the boundary of "ball" or "simplex".

    Returns
    -------
    DataFrame
        A row per point: `distance` from the boundary; `inverse`, norm of the inverse Hessian of the barrier; `root`, of
        the Hessian's square root. With A the inverse of that root, d f(x + A u) A^-1 u estimates a gradient.
    """
    code, middle, edge = (BALL, 0.0, [1.0, 0.0]) if domain == "ball" else (SIMPLEX, 1.0 / 3.0, [0.0, 0.0])
    centre, border = np.full(2, middle), np.array(edge)
    slope, hessian = np.zeros(2), np.zeros((2, 2))
    rows = []
    for exponent in np.linspace(0.0, math.log10(NEAREST), 13):
        distance = 10.0**exponent
        barrier.barrier(code, 1.0, border + distance * (centre - border), slope, hessian)
        eigenvalues = np.linalg.eigvalsh(hessian)
        rows.append({"distance": distance, "inverse": 1.0 / eigenvalues[0], "root": math.sqrt(eigenvalues[-1])})
    return pd.DataFrame(rows)


def virtual_gap(slope: bool) -> float:
    """|E regret - E regret on the noisy losses| of a small learner against a fixed point, by enumeration.

    Losses |x - a| on -1, 0, 1, noise of -1 or 1: added to what is told, or, with `slope`, <n, x> of two points about 0.
    Where the learner goes depends on everything it was told. The critical observation of Sections 3.1 and 3.2.
    """
    anchors, fixed = (0.6, -0.3, 0.9, -0.8), 1.0
    gap = 0.0
    for noise in itertools.product((-1.0, 1.0), repeat=len(anchors)):
        given, plain, noisy = 0.0, 0.0, 0.0
        for anchor, z in zip(anchors, noise, strict=True):
            x = float(np.sign(given)) if not slope else float(np.clip(given, -1.0, 1.0))
            points = (x,) if not slope else (min(x + 0.5, 1.0), max(x - 0.5, -1.0))
            values = [abs(point - anchor) for point in points]
            added = [z * point for point in (*points, fixed)] if slope else [z] * (len(points) + 1)
            plain += sum(values) / len(values) - abs(fixed - anchor)
            noisy += sum(v + a for v, a in zip(values, added, strict=False)) / len(values)
            noisy -= abs(fixed - anchor) + added[-1]
            given += values[0] + z if not slope else values[0] - values[-1] + z * (points[0] - points[-1])
        gap += (plain - noisy) / 2 ** len(anchors)
    return abs(gap)


def logistic_gap() -> float:
    """Largest |-a b + m(a) - ln(1 + exp(-a (2 b - 1)))| over a in [-1, 1], b in {0, 1}, m(a) = ln(1 + e^a)."""
    a = np.linspace(-1.0, 1.0, 201)
    losses = [(-a * b + np.log1p(np.exp(a)), np.log1p(np.exp(-a * (2 * b - 1)))) for b in (0.0, 1.0)]
    return max(float(np.max(np.abs(one - other))) for one, other in losses)


# --- the constants of Algorithms 5 and 3


def horizon_needed(dim: int, make: Callable[[int], Policy], level: float = 0.1) -> float:
    """The T from which the bonus of a unit vector at the end of a run stays below `level`; infinity beyond 10^300.

    The T rounds have explored every direction alike, V_T = (T/d) I: no design makes every direction's bonus smaller.
    The noise on V_T is left out.

    Parameters
    ----------
    dim : int
        d.
    make : callable
        Algorithm 5 or 3 by T, as it is calibrated for it.
    level : float
        > 0.
    """

    def excess(exponent: float) -> float:
        horizon = 10.0**exponent
        made: Any = make(math.ceil(horizon)).record
        record = made._replace(horizon=0)  # T may be past what an int64 holds, and the radius does not read it
        spread = horizon / dim + record.ridge + 2.0 * record.shift * math.sqrt(horizon)
        return float(linear.radius(record, horizon, 0.0)) / math.sqrt(spread) / level - 1.0

    # the bonus rises from 0 at T = 1 where it holds ln T, and falls once: its last crossing is sought from above
    high = _LONGEST
    if excess(high) > 0.0:
        return math.inf
    for step in (16.0, 1.0):
        while high >= step and excess(high - step) <= 0.0:
            high -= step
    return 1.0 if high <= 0.0 else 10.0 ** float(brentq(excess, high - 1.0, high, xtol=1e-12))


def cap_ends(problem: ConvexLoss, learner: str, epsilon: float, delta: float) -> float:
    """The T from which a learner explores less far than the set allows, behind the analytic noise."""

    def below(exponent: float) -> float:
        rounds = round(10.0**exponent)
        made: Any = one_point(problem, rounds, epsilon, delta, learner, method="analytic").record
        return 1.0 if made.radius >= 0.5 else -1.0

    low, high = 0.0, 18.0
    while high - low > 1e-3:
        middle = (low + high) / 2.0
        low, high = (middle, high) if below(middle) > 0.0 else (low, middle)
    return 10.0**high


# --- what play without learning gives


def centre_regret(problem: ConvexLoss, t: Any) -> np.ndarray:
    """Expected regret of the point where learners start, or of uniformly random arms, after t rounds.

    No uniformly random point of a ball or a simplex does better, as the losses are convex and the point is the mean.
    With drawn losses the best point is that for their shares.
    """
    start = np.full(problem.dimension, 0.0 if problem.domain == "ball" else 1.0 / (problem.dimension + 1.0))
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

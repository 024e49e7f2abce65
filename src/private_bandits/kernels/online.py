"""Online learners with bandit feedback, behind noise on what a user sends: Algorithms 1 and 2 of Zheng et al. (2020).

In each round the learner asks for a point (or two), the user suffers the loss there and sends

    one point    f(x) + Z
    two points   f(x_1) - f(x_2) + <n, x_1 - x_2>   (Gaussian), or + Z (Laplace)

and the feedback is h = (clip(message, low, high) - offset) / unit. At scale 0 nothing is drawn and the learner acts
as it does without privacy. With d the dimension, u uniform on the unit sphere and s_t = step t^-power, the learners are

    SPHERE     plays y + radius u;  g = (d / radius) h u;  y <- project(y - s_t g)
    TWO_POINT  plays y +- radius u;  g = (d / (2 radius)) h u;  y <- project(y - s_t g)
    BARRIER    plays x + radius A u with A A^T = (R''(x) + step curvature t I)^-1;  g = (d / radius) h A^-T u;
               x <- argmin sum of (<g_s, x> + curvature |x - x_s|^2 / 2) + R(x) / step
    TSALLIS    w_i = 4 / (s_t (L_i - x))^2;  L_arm += h / w_arm
    QUARTERS   asks at the quarters of an interval and cuts it: `kernels.quarters`

where the projection is onto the set shrunk by the factor 1 - shrink, and R the barrier of `kernels.barrier`.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels.parts import barrier, line_search, weights
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.cholesky import eliminate, solve_upper
from private_bandits.kernels.protocol import FAMILY, PIECE, check_horizon, lower_bound
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import losses
from private_bandits.problems.convex import ConvexLoss
from private_bandits.problems.optimum import best_points

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

SPHERE, TWO_POINT, BARRIER, TSALLIS, QUARTERS = range(5)
EXACT, LAPLACE, GAUSSIAN = range(3)
TALLIES = 2**20  # numbers in hand when the best fixed points of several checkpoints are found


class Record(NamedTuple):
    """The constants of a learner and of the noise before it."""

    learner: int
    step: float  # for QUARTERS gamma_0, by which the losses of two points differ at most
    power: float = 0.0
    radius: float = 1.0  # of exploration: rho, or the share of the Dikin ellipsoid
    shrink: float = 0.0  # xi
    curvature: float = 0.0  # mu that BARRIER counts on
    variance: float = 0.0  # what QUARTERS counts on: messages are sub-gamma with this variance and tail, an average
    tail: float = 0.0
    confidence: float = 0.0  # ... leaves its interval with probability 2 exp(-confidence)
    noise: int = EXACT
    scale: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    offset: float = 0.0
    unit: float = 1.0
    limit: float = math.inf  # largest B (largest G, for TWO_POINT) that noise and steps are made for
    n_arms: int = 0  # dimension or number of arms; 0 fits any
    horizon: int = 0  # longest run; 0 fits any


class State(NamedTuple):
    """What the loop carries from round to round."""

    centre: np.ndarray  # float64 (dim,), y or x
    linear: np.ndarray  # BARRIER: sum of g_s - curvature x_s; arms: L
    counts: np.ndarray  # float64 (n_losses,), how often each loss came
    ends: np.ndarray  # float64 (2,), QUARTERS: the working interval
    sums: np.ndarray  # float64 (3,)
    clock: np.ndarray  # int64 (3,)
    suffered: np.ndarray  # float64 (1,)
    direction: np.ndarray  # float64 (dim,): scratch, as is what follows
    slope: np.ndarray  # (dim,)
    weights: np.ndarray  # (dim,)
    matrix: np.ndarray  # (dimension, dimension)
    points: np.ndarray  # of a round, a row each; an arm is named by its number
    seen: np.ndarray  # the loss at each


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems on another set, of another dimension, longer runs, and wilder losses."""
    check_horizon(name, horizon, record.horizon)
    arms, pair = record.learner == TSALLIS, record.learner == TWO_POINT
    wanted = "ConvexLoss.arms" if arms else "a ConvexLoss on the ball"
    if not isinstance(problem, ConvexLoss) or (problem.domain == "arms") != arms:
        raise ValueError(f"problem: {name} needs {wanted}, got {problem}")
    if record.n_arms not in (0, problem.dim):
        raise ValueError(f"{name} was made for dimension {record.n_arms}, the problem has {problem.dim}")
    if record.learner == QUARTERS and problem.mode != "stochastic":
        raise ValueError(f"problem: {name} needs mode='stochastic', got {problem}")
    if pair and problem.spread > 0.0:
        raise ValueError(f"spread must be 0 for {name}, both values of one function, got {problem.spread:g}")
    actual, symbol = (problem.lipschitz, "G") if pair else (problem.bound, "B")
    if actual > record.limit * (1.0 + 1e-12):
        raise ValueError(f"{name} was calibrated for {symbol} <= {record.limit:g}, the problem has {actual:g}")
    room = record.shrink * problem.radius
    if record.learner in (SPHERE, TWO_POINT) and record.radius > room * (1.0 + 1e-12):
        raise ValueError(f"the radius of {name} must be <= {room:g} to stay inside {problem}, got {record.radius:g}")
    _loop(arms, record.learner == BARRIER)  # made once, before several workers ask for it
    return {}


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one message pays: a loss, in [-B, B] or of arms in [0, B], or a difference of two losses."""
    gaussian = record.noise == GAUSSIAN
    moved = record.limit * (1.0 if record.learner == TSALLIS else 2.0)
    moved *= 2.0 * record.radius if record.learner == TWO_POINT and not gaussian else 1.0
    return added(record.scale, moved, delta, gaussian=gaussian), True


def blank(problem: Any, record: Record, rounds: int) -> np.ndarray:
    """Return an empty trace of some rounds: the played points, one after the other, and the feedback.

    Parameters
    ----------
    problem : ConvexLoss
    record : Record
    rounds : int
        >= 0.

    Returns
    -------
    float64 array, shape (rounds, numbers that name a point + 1)
        Of TWO_POINT, which plays two of them, (rounds, 2 numbers + 1).
    """
    return np.zeros((rounds, (1 + (record.learner == TWO_POINT)) * problem.point_size + 1))


def start(problem: losses.ConvexRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_losses, dimension = problem.anchors.shape
    n_points = 2 if policy.learner == TWO_POINT else 1
    first = line_search.queries(0.5 * policy.step, policy.variance, policy.tail, policy.confidence)
    return State(
        centre=np.zeros(dimension),
        linear=np.zeros(dimension),
        counts=np.zeros(n_losses),
        ends=np.array([-problem.radius, problem.radius]),
        sums=np.zeros(3),
        clock=np.array([1, first, 0]),
        suffered=np.zeros(1),
        direction=np.zeros(dimension),
        slope=np.zeros(dimension),
        weights=np.zeros(dimension),
        matrix=np.zeros((dimension, dimension)),
        points=np.zeros((n_points, 1 if policy.learner == TSALLIS else dimension)),
        seen=np.zeros(n_points),
    )


def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise) -> None:
    """Play the rounds first..last; the trace shows the played points, one after the other, and the feedback."""
    loop = _loop(policy.learner == TSALLIS, policy.learner == BARRIER)
    at, end = np.searchsorted(checkpoints, [first, last + 1])
    most = 0 if problem.mode == losses.STOCHASTIC else min(max(TALLIES // problem.anchors.size, 1), end - at)
    tallies = np.zeros((most, len(state.counts)))  # how often each loss came, by checkpoint
    while first <= last:
        until, kept = last, min(most, end - at)
        if at + kept < end and kept > 0:
            until = checkpoints[at + kept - 1]
        loop(problem, policy, state, first, until, checkpoints, regret, tallies, trace, env, choice, noise)
        if kept > 0:
            regret[at : at + kept] -= best_points(problem, tallies[:kept])[1]
        first, at = until + 1, at + kept


@functools.cache
def _loop(arms: bool, follows: bool) -> Any:
    """The loop of TSALLIS, of BARRIER, or of the others: one for all takes twice as long to compile."""

    @compiled
    def rounds(problem, policy, state, first, last, checkpoints, regret, tallies, trace, env, choice, noise):
        size, best = problem.radius, problem.best
        learner, step, power, radius, shrink = policy.learner, policy.step, policy.power, policy.radius, policy.shrink
        curvature, kind, scale = policy.curvature, policy.noise, policy.scale
        low, high, offset, unit = policy.low, policy.high, policy.offset, policy.unit
        variance, tail, confidence = policy.variance, policy.tail, policy.confidence
        y, linear, counts, ends, sums, clock, suffered, u, slope, w, matrix, points, seen = state
        d, mark, tallied = len(y), lower_bound(checkpoints, first), 0
        for t in range(first, last + 1):
            rate = step * t**-power
            # ask
            if arms:
                weights.tsallis(linear, rate, w)
                points[0, 0] = weights.draw(w, choice)
            elif follows:
                on_sphere(choice, u)
                _explore(size, y, step * curvature * t, matrix, slope, u)
                for i in range(d):
                    points[0, i] = y[i] + radius * slope[i]
            elif learner == QUARTERS:
                points[0, 0] = line_search.quarter(ends, clock)
            else:
                on_sphere(choice, u)
                for i in range(d):
                    points[0, i] = y[i] + radius * u[i]
                    if learner == TWO_POINT:
                        points[1, i] = y[i] - radius * u[i]
            # the user
            which, value = losses.observe_loss(problem, t, points, env, seen)
            message = seen[0]
            if learner == TWO_POINT:
                message -= seen[1]
            if kind == LAPLACE:
                message += mechanisms.laplace(noise, scale)
            elif learner == TWO_POINT:
                for i in range(d):
                    message += mechanisms.gaussian(noise, scale) * (points[0, i] - points[1, i])
            else:
                message += mechanisms.gaussian(noise, scale)
            feedback = (min(max(message, low), high) - offset) / unit
            # the update
            if arms:
                arm = int(points[0, 0])
                linear[arm] += feedback / w[arm]
            elif follows:
                for i in range(d):
                    total = 0.0
                    for k in range(i + 1):
                        total += matrix[k, i] * u[k]
                    linear[i] += d / radius * feedback * total - curvature * y[i]
                barrier.ftrl_step(size, step, linear, curvature * t, y, slope, matrix)
            elif learner == QUARTERS:
                line_search.update(ends, sums, clock, feedback, step, variance, tail, confidence)
            else:
                reach = 2.0 * radius if learner == TWO_POINT else radius
                move = rate * (d / reach * feedback)
                for i in range(d):
                    y[i] -= move * u[i]
                losses.project(size, shrink, y)
            if which >= 0:
                counts[which] += 1.0
            suffered[0] += value - best
            if len(trace) > 0:
                for place in range(points.size):
                    trace[t - 1, place] = points[place // points.shape[1], place % points.shape[1]]
                trace[t - 1, points.size] = feedback
            if mark < len(checkpoints) and checkpoints[mark] == t:
                regret[mark] = suffered[0]
                if problem.mode != losses.STOCHASTIC:
                    for each in range(len(counts)):
                        tallies[tallied, each] = counts[each]
                    tallied += 1
                mark += 1

    return rounds


@compiled
def on_sphere(choice, u):
    """Draw a uniformly random unit vector, from one normal number per coordinate.

    Parameters
    ----------
    choice : numpy.random.Generator
    u : float64 array, shape (dim,), written
    """
    norm = 0.0
    while norm == 0.0:
        for i in range(len(u)):
            u[i] = choice.standard_normal()
            norm += u[i] * u[i]
    root = math.sqrt(norm)
    for i in range(len(u)):
        u[i] /= root


@compiled(inline="always")
def _explore(radius, x, pull, factor, direction, u):
    """Write the factor of R''(x) + pull I, of `kernels.cholesky`, and A u with A its inverse into the direction."""
    barrier.barrier(radius, x, direction, factor)
    for i in range(len(x)):
        factor[i, i] += pull
    eliminate(factor, 0.0)
    for i in range(len(u)):
        direction[i] = u[i]
    solve_upper(factor, direction)

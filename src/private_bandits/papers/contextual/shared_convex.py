"""What the learners behind Algorithms 1 and 2 of Zheng et al. (2020) share: what a tuning is, and plain Python.

A learner's `reference` is a generator, as its paper prints it. It yields what it wants to play, is sent what comes back
of it, already noisy, and clips and scales that itself where the paper's black box needs it; it asks for random numbers
in the order of the kernel. Where the kernels have solvers of their own, scipy's stand here.
"""

import math
from collections.abc import Generator as Play
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from private_bandits import checks
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.problems.convex import SHAPES, ConvexLoss
from private_bandits.reference_tools import Generator

Learner = Play[Any, float, None]  # yields a point, or two, and is sent the noisy loss, or difference of losses


class Tuning(NamedTuple):
    """The constants of a learner and the expected regret that they give: but for that, fields of an `online.Record`."""

    step: float  # s_t = step t^-power
    regret: float
    power: float = 0.0
    radius: float = 0.0  # of exploration
    shrink: float = 0.0  # how much smaller the set is that the centre stays in
    curvature: float = 0.0  # that a barrier method counts on
    variance: float = 0.0  # these three of the messages that the stochastic learner averages
    tail: float = 0.0
    confidence: float = 0.0
    low: float = -math.inf  # what it is told is clipped to these two,
    high: float = math.inf
    offset: float = 0.0  # less this, and over the unit
    unit: float = 1.0


def check_convex(problem: object) -> None:
    """Raise a ValueError unless the problem is a ConvexLoss.

    Parameters
    ----------
    problem : object

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if not isinstance(problem, ConvexLoss):
        raise ValueError(f"problem must be a ConvexLoss (of arms: ConvexLoss.arms), got {checks.brief(problem)}")


def checked_rounds(horizon: int) -> int:
    """Return T, but at least 2: the tunings divide by ln T.

    Parameters
    ----------
    horizon : int
        >= 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the horizon is out of range.
    """
    return max(checks.integer("horizon", horizon, at_least=1), 2)


# --- for the references


def noise_on(sensitivity: float, epsilon: float, delta: float, noise: str, calibration: str) -> float:
    """Section 2 of the paper: sigma, or the Laplace scale, for numbers that are `sensitivity` apart at most.

    The analytic sigma is that of `mechanisms.gaussian_sigma`, which the tests hold against another library's.

    Parameters
    ----------
    sensitivity : float
        > 0.
    epsilon : float
        > 0; infinity means no noise.
    delta : float
        In (0, 1); 0 with Laplace noise.
    noise : {"gaussian", "laplace"}
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    float
        >= 0.
    """
    if math.isinf(epsilon):
        return 0.0
    if noise == "laplace":
        return sensitivity / epsilon
    if calibration == "analytic":
        return gaussian_sigma(epsilon, delta=delta, sensitivity=sensitivity)
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def loss(problem: ConvexLoss, which: int, x: Any) -> float:
    """f_which(x) of a ConvexLoss.

    Parameters
    ----------
    problem : ConvexLoss
    which : int
        Row of its anchors, >= 0.
    x : float64 array, shape (dim,), or [arm]

    Returns
    -------
    float
    """
    z = problem.anchors[which]
    if problem.domain == "arms":
        return float(z[int(x[0])])
    if problem.kind == "linear":
        return float(np.dot(z, x))
    return SHAPES[problem.kind](float(np.linalg.norm(x - z)))


def suffer(problem: ConvexLoss, t: int, points: Any, env: Generator) -> list[float]:
    """The values of a user's loss at the points.

    Parameters
    ----------
    problem : ConvexLoss
    t : int
        Round, >= 1.
    points : sequence
        One or two of the set.
    env : Generator
        One number a point for stochastic losses, none for a schedule.

    Returns
    -------
    list of float
        In units of loss, as many as points.
    """
    if problem.mode == "schedule":
        return [loss(problem, problem.schedule[(t - 1) % len(problem.schedule)], x) for x in points]
    seen = []
    for x in points:
        mean = sum(p * loss(problem, which, x) for which, p in enumerate(problem.weights))
        if problem.domain == "arms":
            seen.append(1.0 if env.random() < mean else 0.0)
        else:
            seen.append(mean + (problem.spread * (2 * env.random() - 1) if problem.spread else 0.0))
    return seen


def project(problem: ConvexLoss, x: Any, shrink: float = 0.0) -> Any:
    """Nearest point of the ball, shrunk.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    x : float64 array, shape (dim,)
    shrink : float
        The ball is smaller by this share, in [0, 1).

    Returns
    -------
    float64 array, shape (dim,)
    """
    return x * min(1.0, (1 - shrink) * problem.radius / np.linalg.norm(x)) if np.any(x) else x


def direction(dim: int, choice: Generator) -> Any:
    """A point of the unit sphere, uniformly.

    Parameters
    ----------
    dim : int
        >= 1.
    choice : Generator
        `dim` standard normal numbers.

    Returns
    -------
    float64 array, shape (dim,)
    """
    u = choice.standard_normal(dim)
    return u / np.linalg.norm(u)


def hessian(problem: ConvexLoss, x: Any) -> Any:
    """Second derivatives of the ball's barrier, -ln(1 - |x|^2/R^2).

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    x : float64 array, shape (dim,)
        Inside the set.

    Returns
    -------
    float64 array, shape (dimension, dimension)
    """
    room = problem.radius**2 - x @ x
    return 2 / room * np.eye(len(x)) + 4 * np.outer(x, x) / room**2


def leader(problem: ConvexLoss, eta: float, linear: Any, mu: float, centres: Any, x: Any) -> Any:
    """argmin of <linear, x> + mu/2 sum of |x - centre|^2 + barrier(x) / eta.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    eta : float
        > 0.
    linear : float64 array, shape (dim,)
        Sum of the estimated gradients.
    mu : float
        >= 0.
    centres : list of float64 arrays, shape (dim,)
        The points so far.
    x : float64 array, shape (dim,)
        Where the search starts.

    Returns
    -------
    float64 array, shape (dim,)
    """
    t, total = len(centres), np.sum(centres, axis=0)

    def barrier(x: Any) -> float:
        inside = 1 - x @ x / problem.radius**2
        return -math.log(inside) if inside > 0 else math.inf

    def value(x: Any) -> Any:
        return eta * (linear @ x + mu / 2 * (t * x @ x - 2 * total @ x)) + barrier(x)

    x = minimize(value, x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14}).x
    for _ in range(3):  # the search is good to 1e-8; Newton's method does the rest
        slope = 2 * x / (problem.radius**2 - x @ x) + eta * (linear + mu * (t * x - total))
        x = x - np.linalg.solve(hessian(problem, x) + eta * mu * t * np.eye(len(x)), slope)
    return x

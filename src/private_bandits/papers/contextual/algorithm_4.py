"""Algorithm 4 of Zheng et al. (2020), in their appendix: gradient descent on two points of Agarwal, Dekel and Xiao.

Agarwal, Dekel and Xiao (2010) play y + rho u and y - rho u, u uniform on the sphere, and take d/(2 rho) times the
difference of the losses times u for a gradient. Algorithm 2 makes the difference private.
"""

import math
from collections.abc import Callable
from itertools import count

import numpy as np

from private_bandits import checks
from private_bandits.papers.contextual.accounting import noise_variance
from private_bandits.papers.contextual.shared_convex import (
    Learner,
    Tuning,
    checked_rounds,
    direction,
    project,
)
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator


def two_point_tuning(problem: ConvexLoss, horizon: int, scale: float, noise: str, step: str) -> Tuning:
    """Return the steps of Algorithm 4 with their regret bound; see `bounds.theorem_6`.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball, with spread 0.
    horizon : int
        T >= 1.
    scale : float
        Standard deviation of the vector n (Gaussian), or the Laplace scale divided by 2 rho, >= 0.
    noise : {"gaussian", "laplace"}
    step : {"printed", "tuned", "strong"}
        As for `two_point`.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem is of another kind.
    """
    checks.choice("step", step, ("printed", "tuned", "strong"))
    if problem.domain == "arms":
        raise ValueError(f"problem: two points need a ConvexLoss on the ball, got {problem}")
    if problem.spread > 0.0:
        raise ValueError(f"spread must be 0 for two points, both values of one function, got {problem.spread:g}")
    rounds, outer, inner = checked_rounds(horizon), problem.outer_radius, problem.inner_radius
    radius = min(math.log(rounds) / rounds, inner / 2.0)
    near = problem.lipschitz * radius * rounds * (3.0 + outer / inner)
    squared = problem.dim**2 * (problem.lipschitz**2 + noise_variance(scale, noise))
    if step == "strong":
        if (mu := problem.strong_convexity) == 0.0:
            raise ValueError(f"problem: step='strong' needs strongly convex losses, got {problem}")
        regret = squared * (1.0 + math.log(rounds)) / (2.0 * mu) + near
        return Tuning(1.0 / mu, regret, 1.0, radius, radius / inner)
    eta = 1.0 / math.sqrt(rounds) if step == "printed" else outer / math.sqrt(squared * rounds)
    regret = outer**2 / (2.0 * eta) + eta * rounds * squared / 2.0 + near
    return Tuning(eta, regret, 0.0, radius, radius / inner)


def reference(
    problem: ConvexLoss, choice: Generator, *, horizon: int, scale: float, noise: str, step: str = "printed"
) -> Learner:
    """Play Algorithm 4 line by line; the tuned step knows the noise.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    choice : Generator
        Directions: normal numbers, one a coordinate.
    horizon : int
        T >= 2, from which the steps are set.
    scale : float
        Of a component of the noise n, >= 0: its standard deviation or Laplace scale.
    noise : {"gaussian", "laplace"}
    step : {"printed", "tuned", "strong"}
        As for `algorithm_2.two_point`.

    Yields
    ------
    tuple of float64 arrays, shape (dim,)
        Both points; the noisy difference of the losses there is sent back.

    Raises
    ------
    KeyError
        If there is no such step.
    """
    d, big, small = problem.dim, problem.outer_radius, problem.inner_radius
    variance = scale**2 if noise == "gaussian" else 2 * scale**2
    tuned = big / (d * math.sqrt((problem.lipschitz**2 + variance) * horizon))
    eta: dict[str, Callable[[int], float]] = {
        "printed": lambda t: 1 / math.sqrt(horizon),
        "tuned": lambda t: tuned,
        "strong": lambda t: 1 / (problem.strong_convexity * t),
    }
    rho = min(math.log(horizon) / horizon, small / 2)
    y = np.zeros(d)
    for t in count(1):
        u = direction(d, choice)
        difference = yield y + rho * u, y - rho * u
        y = project(problem, y - eta[step](t) * d / (2 * rho) * difference * u, rho / small)

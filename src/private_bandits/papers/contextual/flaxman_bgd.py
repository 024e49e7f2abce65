"""Gradient descent without a gradient, BGD of Flaxman, Kalai and McMahan (2005), behind Algorithm 1.

It plays y + rho u, u uniform on the sphere, and takes d/rho times the loss times u for a gradient. For strongly convex
losses it has the steps 1/(mu t) of Agarwal, Dekel and Xiao (2010).
"""

import math
from itertools import count

import numpy as np

from private_bandits.papers.contextual.shared_convex import Learner, Tuning, direction, project
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator


def bgd(problem: ConvexLoss, horizon: int, feedback: float) -> Tuning:
    """The constants of BGD: regret R d L sqrt(T) / rho + G (3 + R/r) rho T, of order T^(3/4).

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    horizon : int
        T >= 2.
    feedback : float
        L > 0, the root mean square of what it is told.

    Returns
    -------
    Tuning
        rho = sqrt(R d L / (G (3 + R/r))) T^(-1/4), at most r/2, and eta = R rho / (d L sqrt T).
    """
    d, outer, inner = problem.dim, problem.outer_radius, problem.inner_radius
    near = problem.lipschitz * (3.0 + outer / inner)
    radius = min(math.sqrt(outer * d * feedback / near) * horizon**-0.25, inner / 2.0)
    step = outer * radius / (d * feedback * math.sqrt(horizon))
    regret = outer * d * feedback * math.sqrt(horizon) / radius + near * radius * horizon
    return Tuning(step, regret, radius=radius, shrink=radius / inner)


def strong_bgd(problem: ConvexLoss, horizon: int, feedback: float) -> Tuning:
    """The constants for strongly convex losses: regret d^2 L^2 (1 + ln T) / (2 mu rho^2) + G (3 + R/r) rho T.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball, with strongly convex losses.
    horizon : int
        T >= 2.
    feedback : float
        L > 0, the root mean square of what it is told.

    Returns
    -------
    Tuning
        rho = (d^2 L^2 (1 + ln T) / (mu G (3 + R/r) T))^(1/3), at most r/2, and eta_t = 1/(mu t).
    """
    d, outer, inner, mu = problem.dim, problem.outer_radius, problem.inner_radius, problem.strong_convexity
    near, noisy = problem.lipschitz * (3.0 + outer / inner), (d * feedback) ** 2 * (1.0 + math.log(horizon)) / mu
    radius = min((noisy / (near * horizon)) ** (1.0 / 3.0), inner / 2.0)
    regret = noisy / (2.0 * radius**2) + near * radius * horizon
    return Tuning(1.0 / mu, regret, 1.0, radius, radius / inner)


def reference(
    problem: ConvexLoss, choice: Generator, *, horizon: int, feedback: float, strong: bool = False
) -> Learner:
    """Play BGD line by line.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    choice : Generator
        Directions: normal numbers, one a coordinate.
    horizon : int
        T >= 2, from which the steps are set.
    feedback : float
        L > 0, the root mean square of what it is told.
    strong : bool
        Whether it has the steps for strongly convex losses.

    Yields
    ------
    float64 array, shape (dim,)
        The point to play; the noisy loss there is sent back.
    """
    d, big, small, mu = problem.dim, problem.outer_radius, problem.inner_radius, problem.strong_convexity
    slope = problem.lipschitz * (3 + big / small)
    if strong:
        rho = min((d**2 * feedback**2 * (1 + math.log(horizon)) / (mu * slope * horizon)) ** (1 / 3), small / 2)
    else:
        rho = min(math.sqrt(big * d * feedback / slope) / horizon ** (1 / 4), small / 2)
    y = np.zeros(d)
    for t in count(1):
        u = direction(d, choice)
        value = yield y + rho * u
        eta = 1 / (mu * t) if strong else big * rho / (d * feedback * math.sqrt(horizon))
        y = project(problem, y - eta * d / rho * value * u, rho / small)

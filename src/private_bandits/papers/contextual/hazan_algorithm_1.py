"""Hazan and Levy (2014), Algorithm 1, behind Algorithm 1: on a barrier, for strongly convex and smooth losses.

As `saha_algorithm_1`, with an exploration that shrinks: A A^T is the inverse of the barrier's Hessian + eta mu t I, and
the radius 1. The losses are strongly convex and smooth even half the diameter off the set, where mu is taken.
"""

import math
from typing import Any

import numpy as np

from private_bandits.papers.contextual.saha_algorithm_1 import BARRIER_PARAMETER
from private_bandits.papers.contextual.shared_convex import Learner, Tuning, direction, hessian, leader
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator


def hazan_levy(problem: ConvexLoss, horizon: int, feedback: float) -> Tuning:
    """The constants: regret (nu ln T + (beta/mu)(1 + ln T)) / eta + 2 eta d^2 L^2 T + G R, of order sqrt(T).

    Parameters
    ----------
    problem : ConvexLoss
        On the ball, with strongly convex and smooth losses.
    horizon : int
        T >= 2.
    feedback : float
        L > 0, the largest absolute value of what it is told.

    Returns
    -------
    Tuning
        eta, the smaller of sqrt((nu ln T + (beta/mu)(1 + ln T)) / (2 T)) / (d L) and 1 / (4 d L), and mu.
    """
    d, log, mu = problem.dim, math.log(horizon), problem.strong_convexity_within(problem.diameter / 2.0)
    fixed = BARRIER_PARAMETER * log + problem.smoothness / mu * (1.0 + log)
    step = min(math.sqrt(fixed / (2.0 * horizon)), 0.25) / (d * feedback)
    regret = fixed / step + 2.0 * step * (d * feedback) ** 2 * horizon + problem.lipschitz * problem.outer_radius
    return Tuning(step, regret, radius=1.0, curvature=mu)


def reference(problem: ConvexLoss, choice: Generator, *, horizon: int, feedback: float) -> Learner:
    """Play the algorithm line by line; what it is told is clipped to [-L, L].

    Parameters
    ----------
    problem : ConvexLoss
        On the ball.
    choice : Generator
        Directions: normal numbers, one a coordinate.
    horizon : int
        T >= 2, from which the steps are set.
    feedback : float
        L > 0, the largest absolute value of what it is told.

    Yields
    ------
    float64 array, shape (dim,)
        The point to play; the noisy loss there is sent back.
    """
    d, log = problem.dim, math.log(horizon)
    nu, mu = 1, problem.strong_convexity_within(problem.diameter / 2)
    eta = min(math.sqrt((nu * log + problem.smoothness / mu * (1 + log)) / (2 * horizon)), 1 / 4) / (d * feedback)
    x = np.zeros(d)  # the least point of the barrier
    gradients: list[Any] = []
    points: list[Any] = []
    while True:
        points.append(x)
        root = np.linalg.cholesky(hessian(problem, x) + eta * mu * len(points) * np.eye(d))  # A_t^-1
        u = direction(d, choice)
        value = yield x + np.linalg.inv(root).T @ u
        gradients.append(d * min(max(value, -feedback), feedback) * root @ u)
        x = leader(problem, eta, np.sum(gradients, axis=0), mu, points, x)

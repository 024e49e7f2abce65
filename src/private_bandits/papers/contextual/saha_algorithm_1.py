"""Saha and Tewari (2011), Algorithm 1, behind Algorithm 1: follow the leader on a barrier, for smooth losses.

It plays x + delta A u with A A^T the inverse of the barrier's Hessian at x, u uniform on the sphere, and takes d/delta
times the loss times A^-1 u for a gradient. Losses are convex and smooth even off the set, as all kinds are that are
smooth on it; the bound is by the lemma of Abernethy, Hazan and Rakhlin (2008).
"""

import math
from typing import Any

import numpy as np

from private_bandits.papers.contextual.shared_convex import Learner, Tuning, direction, hessian, leader
from private_bandits.problems import ConvexLoss
from private_bandits.reference_tools import Generator

BARRIER_PARAMETER = 1.0
"""nu, for which the ball's barrier is nu-self-concordant."""


def saha_tewari(problem: ConvexLoss, horizon: int, feedback: float) -> Tuning:
    """The constants: regret nu ln T / eta + 2 eta d^2 L^2 T / delta^2 + beta (diameter/2)^2 delta^2 T + G R.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball, with smooth losses.
    horizon : int
        T >= 2.
    feedback : float
        L > 0, the largest absolute value of what it is told.

    Returns
    -------
    Tuning
        delta = (d L sqrt(2 nu T ln T) / (beta (diameter/2)^2 T))^(1/3), at most 1/2, and eta the smaller of
        delta sqrt(nu ln T / (2 T)) / (d L) and delta / (4 d L).
    """
    d, log, nu = problem.dim, math.log(horizon), BARRIER_PARAMETER
    bent = problem.smoothness * (problem.diameter / 2.0) ** 2 * horizon
    noisy = 2.0 * d * feedback * math.sqrt(2.0 * nu * horizon * log)
    radius = min((noisy / (2.0 * bent)) ** (1.0 / 3.0) if bent else math.inf, 0.5)
    step = min(radius * math.sqrt(nu * log / (2.0 * horizon)), radius / 4.0) / (d * feedback)
    regret = nu * log / step + 2.0 * step * (d * feedback / radius) ** 2 * horizon + bent * radius**2
    return Tuning(step, regret + problem.lipschitz * problem.outer_radius, radius=radius)


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
    d, t, log = problem.dim, horizon, math.log(horizon)
    nu, bend = 1, problem.smoothness * problem.diameter**2 / 4
    delta = min((d * feedback * math.sqrt(2 * nu * t * log) / (bend * t)) ** (1 / 3), 1 / 2)
    eta = min(delta * math.sqrt(nu * log / (2 * t)), delta / 4) / (d * feedback)
    x = np.zeros(d)  # the least point of the barrier
    gradients: list[Any] = []
    while True:
        root = np.linalg.cholesky(hessian(problem, x))  # A_t^-1
        u = direction(d, choice)
        value = yield x + delta * np.linalg.inv(root).T @ u
        gradients.append(d / delta * min(max(value, -feedback), feedback) * root @ u)
        x = leader(problem, eta, np.sum(gradients, axis=0), 0.0, [x], x)

"""Convex losses and the sets they live on, as compiled code sees them.

A loss is a function of the distance r of the point x from an anchor z:

    QUADRATIC r^2 / 2,   SMOOTH sqrt(1 + r^2) - 1,   DISTANCE r,   KINKED r + r^2 / 2,

or LINEAR, <z, x>. The sets are the BALL of radius R about 0, and ARMS, the unit vectors, where a loss is a table of one
number per arm.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits.compilation import compiled

BALL, ARMS = range(2)
QUADRATIC, SMOOTH, DISTANCE, KINKED, LINEAR = range(5)
# which loss comes in a round: a fixed sequence, played again and again; or their mean, observed with noise of mean 0
SCHEDULE, STOCHASTIC = range(2)


class ConvexRecord(NamedTuple):
    """A convex problem as compiled code sees it."""

    domain: int
    radius: float  # of the ball
    loss: int
    anchors: np.ndarray  # float64 (n_losses, dim)
    mode: int
    schedule: np.ndarray  # int64 (length,), of losses
    weights: np.ndarray  # float64 (n_losses,), probabilities of the losses
    spread: float  # stochastic feedback is uniform within +- spread of the mean loss
    best: float  # smallest mean loss of a fixed point, for stochastic losses


@compiled(borrows=True)
def loss_at(problem, which, x):
    """A loss at a point.

    Parameters
    ----------
    problem : ConvexRecord
    which : int
        Number of the loss.
    x : float64 array, shape (dim,), or (1,) with the number of an arm

    Returns
    -------
    float
    """
    loss, anchors = problem.loss, problem.anchors
    if problem.domain == ARMS:
        return anchors[which, int(x[0])]
    total = 0.0
    if loss == LINEAR:
        for i in range(len(x)):
            total += anchors[which, i] * x[i]
        return total
    for i in range(len(x)):
        total += (x[i] - anchors[which, i]) ** 2
    if loss == QUADRATIC:
        return 0.5 * total
    if loss == SMOOTH:
        return total / (math.sqrt(1.0 + total) + 1.0)
    if loss == DISTANCE:
        return math.sqrt(total)
    return math.sqrt(total) + 0.5 * total


@compiled(borrows=True)
def mean_loss(problem, weights, x):
    """Sum of the losses at a point, each times its weight.

    Parameters
    ----------
    problem : ConvexRecord
    weights : float64 array, shape (n_losses,)
    x : float64 array, shape (dim,), or (1,) with the number of an arm

    Returns
    -------
    float
    """
    total = 0.0
    for which in range(len(weights)):
        if weights[which] != 0.0:
            total += weights[which] * loss_at(problem, which, x)
    return total


@compiled(borrows=True)
def project(radius, shrink, x):
    """Move a point to the nearest point of the ball shrunk by the factor 1 - shrink.

    Parameters
    ----------
    radius : float
        Of the ball, > 0.
    shrink : float
        In [0, 1).
    x : float64 array, shape (dim,), written
    """
    square = 0.0
    for i in range(len(x)):
        square += x[i] * x[i]
    norm = math.sqrt(square)
    if norm > (1.0 - shrink) * radius:
        for i in range(len(x)):
            x[i] *= (1.0 - shrink) * radius / norm


@compiled
def observe_loss(problem, t, points, env, seen):
    """Draw the feedback of a round.

    With stochastic losses one uniform number of the environment stream for each point's noise (none at spread 0), and
    for arms one for the 0 or 1 that is observed.

    Parameters
    ----------
    problem : ConvexRecord
    t : int
        The round, >= 1.
    points : float64 array, shape (n_points, dimension), or (1, 1) with the number of an arm
    env : numpy.random.Generator
    seen : float64 array, shape (n_points,), written
        The loss observed at each point.

    Returns
    -------
    which : int
        Number of the loss, -1 for stochastic losses.
    suffered : float
        Mean of the losses at the points, without noise.
    """
    mode, schedule, weights, spread = problem.mode, problem.schedule, problem.weights, problem.spread
    which = -1
    if mode == SCHEDULE:
        which = schedule[(t - 1) % len(schedule)]
    suffered = 0.0
    for row in range(len(points)):
        if which >= 0:
            value = loss_at(problem, which, points[row])
            seen[row] = value
        else:
            value = mean_loss(problem, weights, points[row])
            seen[row] = value
            if problem.domain == ARMS:
                seen[row] = 1.0 if env.random() < value else 0.0
            elif spread > 0.0:
                seen[row] = value + spread * (2.0 * env.random() - 1.0)
        suffered += value
    return which, suffered / len(points)

"""Convex losses and the sets they live on, as compiled code sees them, with the best fixed point of a sum of them.

A loss is a function of the distance r of the point x from an anchor z, times `factor`:

    QUADRATIC r^2 / 2,   SMOOTH sqrt(1 + r^2) - 1,   DISTANCE r,   KINKED r + r^2 / 2,

or LINEAR, <z, x>. The sets are the BALL of radius R about 0, the SIMPLEX {x >= 0, sum of x <= 1} (the probability
simplex of d + 1 coordinates with its last one left out, so that it has an interior), and ARMS, the unit vectors, where
a loss is a table of one number per arm.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits._compiled import compiled

BALL, SIMPLEX, ARMS = range(3)
QUADRATIC, SMOOTH, DISTANCE, KINKED, LINEAR = range(5)
# which loss comes in a round: a fixed sequence, played again and again; one drawn by the environment; or their mean,
# observed with noise of mean 0
SCHEDULE, DRAWN, STOCHASTIC = range(3)
ITERATIONS = 5000  # of the solver, at most


class ConvexRecord(NamedTuple):
    """A convex problem as compiled code sees it."""

    domain: int
    radius: float  # of the ball
    loss: int
    factor: float
    anchors: np.ndarray  # float64 (n_losses, dimension)
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
    x : float64 array, shape (dimension,), or (1,) with the number of an arm

    Returns
    -------
    float
    """
    loss, factor, anchors = problem.loss, problem.factor, problem.anchors
    if problem.domain == ARMS:
        return anchors[which, int(x[0])]
    total = 0.0
    if loss == LINEAR:
        for i in range(len(x)):
            total += anchors[which, i] * x[i]
        return factor * total
    for i in range(len(x)):
        total += (x[i] - anchors[which, i]) ** 2
    if loss == QUADRATIC:
        return factor * 0.5 * total
    if loss == SMOOTH:
        return factor * (total / (math.sqrt(1.0 + total) + 1.0))
    if loss == DISTANCE:
        return factor * math.sqrt(total)
    return factor * (math.sqrt(total) + 0.5 * total)


@compiled(borrows=True)
def mean_loss(problem, weights, x):
    """Sum of the losses at a point, each times its weight.

    Parameters
    ----------
    problem : ConvexRecord
    weights : float64 array, shape (n_losses,)
    x : float64 array, shape (dimension,), or (1,) with the number of an arm

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
def inner_radius(domain, radius, dimension):
    """Radius r of the largest ball about the centre of the set that lies inside it.

    Parameters
    ----------
    domain : {BALL, SIMPLEX}
    radius : float
        Of the ball, > 0.
    dimension : int
        >= 1.

    Returns
    -------
    float
    """
    return radius if domain == BALL else 1.0 / (dimension + math.sqrt(dimension))


@compiled(borrows=True)
def project(domain, radius, shrink, x, heap):
    """Move a point to the nearest point of the set shrunk by the factor 1 - shrink about its centre.

    The centre of the ball is 0, that of the simplex (r, ..., r) with r its inner radius.

    Parameters
    ----------
    domain : {BALL, SIMPLEX}
    radius : float
        Of the ball, > 0.
    shrink : float
        In [0, 1).
    x : float64 array, shape (dimension,), written
    heap : float64 array, shape (dimension,), scratch
    """
    d = len(x)
    if domain == BALL:
        norm = math.sqrt(_squares(x))
        if norm > (1.0 - shrink) * radius:
            for i in range(d):
                x[i] *= (1.0 - shrink) * radius / norm
        return
    centre = inner_radius(domain, radius, d)
    for i in range(d):
        x[i] = (x[i] - shrink * centre) / (1.0 - shrink)
    total = 0.0
    for i in range(d):
        total += max(x[i], 0.0)
    level = 0.0
    if total > 1.0:  # the nearest point sums to 1: max(x - level, 0), its level found from the largest entry down
        for i in range(d):
            heap[i] = x[i]
        for i in range(d // 2 - 1, -1, -1):
            _sift(heap, i, d)
        above = 0.0
        for count in range(1, d + 1):
            above += heap[0]
            heap[0] = heap[d - count]
            _sift(heap, np.int64(0), d - count)  # of a literal it would be compiled once more
            if count == d or (above - 1.0) / count >= heap[0]:
                level = (above - 1.0) / count
                break
    for i in range(d):
        x[i] = (1.0 - shrink) * max(x[i] - level, 0.0) + shrink * centre


@compiled(borrows=True)
def _sift(heap, place, size):
    """Let an entry sink until none below it is larger; the first `size` entries are the heap."""
    entry = heap[place]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and heap[below + 1] > heap[below]:
            below += 1
        if heap[below] <= entry:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = entry


def best_fixed(problem: ConvexRecord, weights: np.ndarray, x: np.ndarray) -> tuple[float, float]:
    """Write the point of smallest weighted sum of losses, or the arm, as `best_point` and `best_arm` do.

    Parameters
    ----------
    problem : ConvexRecord
    weights : float64 array, shape (n_losses,)
        >= 0, not all 0.
    x : float64 array, shape (dimension,), or (1,) for the number of an arm, written

    Returns
    -------
    value, gap : float
        The sum at x, and by how much it may be too large.
    """
    if problem.domain == ARMS:
        value, gap = best_arm(problem, weights, x)
    else:
        value, gap = best_point(problem, weights, x, np.zeros((3, len(x))))
    return value, gap


@compiled(borrows=True)
def best_arm(problem, weights, x):
    """Write the arm of smallest weighted sum of losses.

    Parameters
    ----------
    problem : ConvexRecord
        Of arms.
    weights : float64 array, shape (n_losses,)
        >= 0, not all 0.
    x : float64 array, shape (1,), written

    Returns
    -------
    value, gap : float
        The sum of that arm, and 0.
    """
    anchors, least = problem.anchors, np.inf
    for arm in range(anchors.shape[1]):
        total = 0.0
        for which in range(len(weights)):
            total += weights[which] * anchors[which, arm]
        if total < least:
            least, x[0] = total, arm
    return least, 0.0


@compiled(borrows=True)
def best_point(problem, weights, x, work):
    """Write the point of smallest weighted sum of losses.

    Linear losses and quadratic ones have a closed form. For the others each loss is bounded above by a
    quadratic that touches it at x, and the sum of those is minimised, again and again (Weiszfeld's method, projected);
    the gap of Frank and Wolfe certifies the result. An anchor, where the loss has a kink, is tried first.

    Parameters
    ----------
    problem : ConvexRecord
    weights : float64 array, shape (n_losses,)
        >= 0, not all 0.
    x : float64 array, shape (dimension,), written
    work : float64 array, shape (3, dimension), scratch

    Returns
    -------
    value, gap : float
        The sum at x, and by how much it may be too large.
    """
    domain, radius, loss, anchors = problem.domain, problem.radius, problem.loss, problem.anchors
    slope, lowest, heap = work[0], work[1], work[2]
    slope[:] = 0.0
    for which in range(len(weights)):
        for i in range(len(slope)):
            slope[i] += weights[which] * anchors[which, i]
    if loss == LINEAR:
        _lowest(domain, radius, slope, x)
        return mean_loss(problem, weights, x), 0.0
    total = 0.0
    for weight in weights:
        total += weight
    for i in range(len(x)):
        x[i] = slope[i] / total
    project(domain, radius, 0.0, x, heap)
    if loss == QUADRATIC:
        return mean_loss(problem, weights, x), 0.0
    if loss == DISTANCE or loss == KINKED:
        for which in range(len(weights)):
            if weights[which] > 0.0 and _rests(problem, weights, which, lowest, slope, heap):
                for i in range(len(x)):
                    x[i] = anchors[which, i]
                return mean_loss(problem, weights, x), 0.0
    gap = np.inf
    for _ in range(ITERATIONS):
        pull = _gradient(problem, weights, x, slope, 1e-9)
        if pull > 0.0:  # on an anchor that is not the answer: one step along the slope leaves it
            norm = math.sqrt(_squares(slope))
            for i in range(len(x)):
                x[i] -= 1e-4 * slope[i] / norm
            project(domain, radius, 0.0, x, heap)
            _gradient(problem, weights, x, slope, 0.0)
        _lowest(domain, radius, slope, lowest)
        gap = 0.0
        for i in range(len(x)):
            gap += slope[i] * (x[i] - lowest[i])
        if gap <= 1e-10 * total:
            break
        _step(problem, weights, x, slope)
        project(domain, radius, 0.0, x, heap)
    return mean_loss(problem, weights, x), problem.factor * gap


@compiled(borrows=True)
def _squares(x):
    """|x|^2; NumPy's own sums of arrays take ten times as long to compile."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


@compiled(borrows=True)
def _distance(anchors, which, x):
    total = 0.0
    for i in range(len(x)):
        total += (x[i] - anchors[which, i]) ** 2
    return math.sqrt(total)


@compiled(borrows=True)
def _least(x):
    """The first of the smallest entries."""
    least = 0
    for i in range(len(x)):
        if x[i] < x[least]:
            least = i
    return least


@compiled(borrows=True)
def _pull(loss, r):
    """Derivative of a radial loss over r, for factor 1; the kink's 1/r is left finite."""
    if loss == SMOOTH:
        return 1.0 / math.sqrt(1.0 + r * r)
    return 1.0 / max(r, 1e-12) + (1.0 if loss == KINKED else 0.0)


@compiled(borrows=True)
def _gradient(problem, weights, x, slope, near):
    """Write the gradient at x, for factor 1, of all losses whose kink is further than `near`.

    Returns the weight of the kinks left out.
    """
    loss, anchors = problem.loss, problem.anchors
    slope[:] = 0.0
    left = 0.0
    for which in range(len(weights)):
        if weights[which] == 0.0:
            continue
        r = _distance(anchors, which, x)
        if loss != SMOOTH and r <= near:
            left += weights[which]
            continue
        pull = weights[which] * _pull(loss, r)
        for i in range(len(x)):
            slope[i] += pull * (x[i] - anchors[which, i])
    return left


@compiled(inline="always")
def _rests(problem, weights, which, x, slope, heap):
    """Whether an anchor inside the set is the best point: its kink holds against the slope of the others."""
    anchors = problem.anchors
    for i in range(len(x)):
        x[i] = anchors[which, i]
    project(problem.domain, problem.radius, 0.0, x, heap)
    for i in range(len(x)):
        if abs(x[i] - anchors[which, i]) > 1e-12:
            return False
    kink = _gradient(problem, weights, x, slope, 1e-12)
    return math.sqrt(_squares(slope)) <= kink


@compiled(inline="always")
def _step(problem, weights, x, slope):
    """Replace x by the minimiser of the quadratics that touch the losses at x; `slope` is scratch."""
    loss, anchors = problem.loss, problem.anchors
    slope[:] = 0.0
    mass = 0.0
    for which in range(len(weights)):
        if weights[which] > 0.0:
            pull = weights[which] * _pull(loss, _distance(anchors, which, x))
            for i in range(len(x)):
                slope[i] += pull * anchors[which, i]
            mass += pull
    for i in range(len(x)):
        x[i] = slope[i] / mass


@compiled(borrows=True)
def _lowest(domain, radius, slope, x):
    """Write the point of the set where <slope, x> is smallest."""
    x[:] = 0.0
    if domain == BALL:
        norm = math.sqrt(_squares(slope))
        if norm > 0.0:
            for i in range(len(x)):
                x[i] = -radius / norm * slope[i]
        return
    corner = _least(slope)
    if slope[corner] < 0.0:
        x[corner] = 1.0


@compiled
def observe_loss(problem, t, points, env, seen):
    """Draw the feedback of a round.

    One uniform number of the environment stream for a drawn loss; with stochastic losses one for each point's noise
    (none at spread 0), and for arms one for the 0 or 1 that is observed.

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
    elif mode == DRAWN:
        u, which = env.random(), 0
        while u >= weights[which] and which < len(weights) - 1:
            u -= weights[which]
            which += 1
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

"""The best fixed point for a sum of convex losses.

Linear losses and quadratic ones have a closed form. For the others each loss is bounded above by a quadratic that
touches it at x, and the sum of those is minimised, again and again (Weiszfeld's method, projected); the gap of Frank
and Wolfe certifies the result. An anchor, where the loss has a kink, is tried first.
"""

import numpy as np

from private_bandits.problems import losses
from private_bandits.problems.losses import ConvexRecord

ITERATIONS = 5000  # of Weiszfeld's method, at most
_ON = 1e-12  # how far from an anchor a point stands on its kink


def best_points(problem: ConvexRecord, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points of smallest weighted sums of losses, or the arms.

    Parameters
    ----------
    problem : ConvexRecord
    weights : float64 array, shape (n_sums, n_losses)
        A row for each sum, >= 0, not all 0.

    Returns
    -------
    points : float64 array, shape (n_sums, dimension), or (n_sums, 1) with the number of an arm
    values, gaps : float64 arrays, shape (n_sums,)
        The sums at the points, and by how much they may be too large.
    """
    pulled = (weights[:, :, None] * problem.anchors).sum(axis=1)
    gaps = np.zeros(len(weights))
    if problem.domain == losses.ARMS:
        points = np.argmin(pulled, axis=1)[:, None].astype(float)
    elif problem.loss == losses.LINEAR:
        points = _lowest(problem, pulled)
    else:
        points = _projected(problem, pulled / weights.sum(axis=1, keepdims=True))
        if problem.loss != losses.QUADRATIC:
            gaps = _reweighted(problem, weights, points)
    values = [losses.mean_loss(problem, row, point) for row, point in zip(weights, points, strict=True)]
    return points, np.array(values), gaps


def _reweighted(problem: ConvexRecord, weights: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Move the points to the best ones, and return the gaps."""
    anchors, gaps = problem.anchors, np.full(len(weights), np.inf)
    if problem.loss != losses.SMOOTH:
        resting = _resting(problem, weights)
        found = resting.any(axis=1)
        points[found], gaps[found] = anchors[np.argmax(resting[found], axis=1)], 0.0
    enough = 1e-10 * weights.sum(axis=1)
    for _ in range(ITERATIONS):
        todo = np.flatnonzero(gaps > enough)
        if not todo.size:
            break
        apart, pulls = _pulls(problem, points[todo])
        pulls *= weights[todo]
        slope = (pulls[:, :, None] * apart).sum(axis=1)
        gaps[todo] = (slope * (points[todo] - _lowest(problem, slope))).sum(axis=1)
        moved = (pulls[:, :, None] * anchors).sum(axis=1) / pulls.sum(axis=1, keepdims=True)
        still = gaps[todo] > enough[todo]
        points[todo[still]] = _projected(problem, moved[still])
    return gaps


def _resting(problem: ConvexRecord, weights: np.ndarray) -> np.ndarray:
    """Which anchors inside the set are best points, a row a sum: a kink holds against the slope of the others."""
    anchors = problem.anchors
    inside = np.abs(_projected(problem, anchors.copy()) - anchors).max(axis=1) <= _ON
    resting = (weights > 0.0) & inside
    for which, anchor in enumerate(anchors):
        apart, pulls = _pulls(problem, anchor[None])
        slope, kink = (weights * pulls) @ apart[0], weights @ (pulls[0] == 0.0)
        resting[:, which] &= np.linalg.norm(slope, axis=1) <= kink
    return resting


def _pulls(problem: ConvexRecord, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points from each anchor, and the losses' derivatives over their distances; none from where one stands."""
    apart = points[:, None, :] - problem.anchors
    square = (apart**2).sum(axis=2)
    if problem.loss == losses.SMOOTH:
        return apart, 1.0 / np.sqrt(1.0 + square)
    far = np.sqrt(square)
    pulls = 1.0 / np.maximum(far, _ON) + (problem.loss == losses.KINKED)
    return apart, np.where(far > _ON, pulls, 0.0)


def _projected(problem: ConvexRecord, points: np.ndarray) -> np.ndarray:
    for point in points:
        losses.project(problem.radius, 0.0, point)
    return points


def _lowest(problem: ConvexRecord, slopes: np.ndarray) -> np.ndarray:
    """The points of the set where <slope, x> is smallest."""
    return -problem.radius / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-300) * slopes

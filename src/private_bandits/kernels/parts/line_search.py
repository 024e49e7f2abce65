"""The one-dimensional stochastic convex bandit of Agarwal, Foster, Hsu, Kakade and Rakhlin (2011), Algorithm 1.

An epoch has a working interval [l, r] and asks at its quarters x_l < x_c < x_r. In round i of an epoch each of the
three is asked for `queries` times, one after the other, so that the averages hold to within gamma_i = width / 2^i. With
LB and UB, the averages less and plus gamma_i, the interval is cut at the larger of x_l and x_r and a new epoch begins
as soon as

    max(LB(x_l), LB(x_r)) >= min(UB(x_l), UB(x_r)) + gamma_i     (Case 1)
    max(LB(x_l), LB(x_r)) >= UB(x_c) + gamma_i                   (Case 2);

otherwise round i + 1 follows (Case 3). A round starts its averages anew.
"""

import math

import numpy as np

from private_bandits.compilation import compiled

_MOST = 2.0**60  # three times as many fit into an int64


@compiled(borrows=True)
def queries(gamma, variance, tail, confidence):
    """How often to ask so that the average errs by more than gamma with probability at most 2 exp(-confidence).

    The error of one answer is sub-gamma: ln E exp(s Z) <= s^2 variance / (2 (1 - tail |s|)). The average of n errs by
    at most sqrt(2 variance confidence / n) + tail confidence / n on either side, and n is the least that makes this at
    most gamma. Exact answers are asked for once.

    Parameters
    ----------
    gamma : float
        > 0.
    variance, tail, confidence : float
        >= 0.

    Returns
    -------
    int
        In [1, 2^60].
    """
    root = math.sqrt(2.0 * variance) + math.sqrt(2.0 * variance + 4.0 * tail * gamma)
    if root == 0.0:
        return 1
    return int(min(max(np.ceil(confidence * (0.5 * root / gamma) ** 2), 1.0), _MOST))


@compiled(borrows=True)
def quarter(ends, clock):
    """The point to ask for.

    Parameters
    ----------
    ends : float64 array, shape (2,)
        The working interval.
    clock : int64 array, shape (3,)
        The round, the queries of a point in it, and those made of all three.

    Returns
    -------
    float
    """
    return ends[0] + 0.25 * (clock[2] // clock[1] + 1) * (ends[1] - ends[0])


@compiled(borrows=True)
def update(ends, sums, clock, feedback, width, variance, tail, confidence):
    """Take the answer and, with the last one of a round, cut the interval or go on to the next round.

    Parameters
    ----------
    ends, clock
        As in `quarter`, written.
    sums : float64 array, shape (3,), written
        Of the answers at each point in the round.
    feedback : float
        The answer.
    width : float
        By which the losses of two points differ at most, > 0.
    variance, tail, confidence
        As in `queries`.
    """
    sums[clock[2] // clock[1]] += feedback
    clock[2] += 1
    if clock[2] < 3 * clock[1]:
        return
    gamma = width * 0.5 ** clock[0]
    left, middle, right = sums[0] / clock[1], sums[1] / clock[1], sums[2] / clock[1]
    clock[0] += 1
    if max(left, right) - gamma >= min(left, right, middle) + gamma + gamma:
        cut = 0.25 * (ends[1] - ends[0])
        if left >= right:
            ends[0] += cut
        else:
            ends[1] -= cut
        clock[0] = 1
    sums[:] = 0.0
    clock[1], clock[2] = queries(width * 0.5 ** clock[0], variance, tail, confidence), 0

"""What the numbers of a policy's record pay: composition, parallel composition, and the depth of trees."""

import math
from typing import Any

import scipy

from private_bandits import checks
from private_bandits.kernels import (
    elimination,
    episodes,
    index,
    linear,
    online,
    padded,
    phased,
    quantile,
    releases,
    replay,
    robust,
    stretches,
    superarm,
    weighted,
)
from private_bandits.mechanisms.calibration import gaussian_epsilon


def account(record: Any, delta: float = 0.0) -> tuple[float, bool]:
    """Return what one user pays by the scale, flip, terms and depth of a policy's record, whatever it says itself.

    Parameters
    ----------
    record : Record of a kernel
    delta : float
        In [0, 1).

    Returns
    -------
    float
        Epsilon at this delta, infinite where nothing is proved.
    bool
        Whether it covers what one user sends (local), not only what a box releases.

    Raises
    ------
    TypeError
        If it is a record of no kernel.
    ValueError
        If delta is out of range.

    Examples
    --------
    >>> from private_bandits.baselines import dp_se
    >>> account(dp_se(0.5, n_arms=5, horizon=1000).record)
    (0.5, False)
    """
    if not hasattr(record, "_asdict"):
        raise TypeError(f"record must be that of a kernel, got {checks.brief(record)}")
    checks.real("delta", delta, at_least=0, below=1)
    r: Any = record
    numbers = r._asdict()
    flip, gaussian, local = numbers.get("flip", 0.0), False, True
    moved = 1.0  # of a reward, where noise is added
    match record:
        case quantile.Record() | replay.Record():  # one release of each reward
            return r.epsilon, False
        case releases.Record():
            local = False
        case robust.Record():  # a reward lies in [-B, B], in each level of a tree
            local, moved = False, 2.0 * r.horizon.bit_length()
        case elimination.Record():
            local = r.noise == elimination.ON_REWARDS
        case episodes.Record():
            local = flip > 0
            if r.kept == 0:  # the mean of the last episode, and noise for all pulls
                moved = (1.0 + r.growth) / r.growth if r.growth > 0 else math.inf
        case padded.Record():  # a click at the first of K positions against one at the last
            gaussian, moved = r.gaussian, {0: math.inf, 1: 1.0}.get(r.list_size, r.list_size + 1.0)
        case index.Record():
            gaussian, local = r.noise == index.GAUSSIAN, r.noise not in (index.TREE, index.HYBRID)
            known = r.semi_bandit or r.list_size == 1  # else the number of reports is the reply
            moved = 1.0 if r.reports == index.FIRST else float(r.list_size) if known and r.list_size else math.inf
            if r.reports == index.NOTHING and not r.observe_first:
                return 0.0, True
            if r.observe_first or r.noise in (index.EXACT, index.HYBRID):
                return math.inf, local
            if r.noise == index.HYPERCUBE:
                return _response(1.0 - r.scale), True
            if r.noise == index.RESPONSE:
                return moved * _response(flip), True
            flip, moved = 0.0, moved * (r.horizon.bit_length() if r.noise == index.TREE else 1.0)
        case online.Record():
            gaussian = r.noise == online.GAUSSIAN
            moved = r.limit * (1.0 if r.learner == online.TSALLIS else 2.0)
            moved *= 2.0 * r.radius if r.learner == online.TWO_POINT and not gaussian else 1.0
        case linear.Record():
            return _vector(r, delta), True
        case stretches.Record():  # nothing is proved where a user's action is sent in clear, or shows the own context
            shown = r.reward_sigma > 0 or r.levels > 0
            return (math.inf if shown else _vector(r.constants, delta, r.laplace)), r.levels == 0
        case phased.Record():  # the action is sent in clear
            return math.inf, True
        case weighted.Record():  # one message a user
            reach = 2.0 * math.hypot(1.0, r.largest_reward)
            weighing = _added(True, r.sigma, 2.0**0.5, delta) if r.batches else 0.0
            return max(weighing, _added(True, r.regression_sigma, reach, delta)), True
        case superarm.Record():
            local = not r.forget
        case _:
            raise TypeError(f"record must be one of a kernel, got {checks.brief(record)}")
    if gaussian and isinstance(r, index.Record | padded.Record):
        moved = math.sqrt(moved)
    return (_response(flip) if flip else _added(gaussian, numbers.get("scale", 0.0), moved, delta)), local


def _response(flip: float) -> float:
    return abs(math.log((1.0 - flip) / flip)) if 0 < flip < 1 else math.inf


def _added(gaussian: bool, scale: float, moved: float, delta: float) -> float:
    if not scale > 0 or math.isinf(moved) or (gaussian and delta == 0):
        return math.inf
    return gaussian_epsilon(scale, delta, moved) if gaussian else moved / scale


def _vector(r: Any, delta: float, laplace: bool = False) -> float:
    """One vector of noise; the logistic link, whose error is at most 2 g(1), or g(1) for 0 and 1, of deviation 1/2."""
    if laplace:  # in L1 an action's products move by d + 1
        return _added(False, r.sigma, r.dim + 1.0 + 2.0 * r.largest_reward * math.sqrt(r.dim), delta)
    if r.learner == linear.REWARDS:
        squares, half = 2.0, r.largest_reward
    else:
        reach = float(scipy.special.expit(1.0)) * (1.0 if r.deviation <= 0.5 else 2.0)
        squares, half = 3.0, reach * r.sigma / r.gradient_sigma if r.gradient_sigma > 0 else math.inf
    return _added(True, r.sigma, (half**2 + squares) / squares**0.5 if half**2 <= squares else 2.0 * half, delta)

"""Families of super arms as compiled code sees them: the sets, what a set is worth, which arms share a draw."""

from typing import NamedTuple

import numpy as np

from private_bandits.compilation import compiled

# what a set is worth: sum of w value over its arms, sum over targets of 1 - prod(1 - value), or max value
LINEAR, COVERAGE, LARGEST = range(3)
# who finds the set: the largest indices, or a scan of all sets
TOP, SCAN = range(2)
ROUNDING = 1e-12
"""Differences of rewards up to this, or this part of them, are rounding."""


class Family(NamedTuple):
    """A decision set with its reward, its oracle and its shared draws."""

    oracle: int
    sets: np.ndarray  # int64 (n_sets, list_size), a row's arms first, then -1
    sizes: np.ndarray  # int64 (n_sets,)
    reward: int
    weights: np.ndarray  # float64 (n_arms,)
    targets: np.ndarray  # int64 (n_arms,), what an arm covers
    groups: np.ndarray  # int64 (n_arms,): arms of one number share a draw, -1 has its own; empty: none is shared


def frozen(values: object, dtype: type, ndim: int = 1) -> np.ndarray:
    """A read-only C-contiguous copy: one type for numba, whatever it was made from.

    Parameters
    ----------
    values : array_like
    dtype : type
    ndim : int
        Dimensions that an empty array gets, >= 1.

    Returns
    -------
    array
    """
    array: np.ndarray = np.array(values, dtype, order="C")
    if array.size == 0:
        array = array.reshape((0,) * ndim)
    array.setflags(write=False)
    return array


_NO_INTEGERS, _NO_TABLE, _NO_NUMBERS = frozen([], np.int64), frozen([], np.int64, 2), frozen([], np.float64)
ANY_LIST = Family(TOP, _NO_TABLE, _NO_INTEGERS, LINEAR, _NO_NUMBERS, _NO_INTEGERS, _NO_INTEGERS)
"""Every list of `list_size` items; its reward is the list problem's own."""


@compiled(inline="always")
def set_value(reward, weights, targets, values, arms, length, missed):
    """What a set of arms is worth if each arm's mean were its entry of `values`.

    Parameters
    ----------
    reward : {LINEAR, COVERAGE, LARGEST}
    weights : float64 array, shape (n_arms,)
    targets : int64 array, shape (n_arms,)
        These three as in `Family`.
    values : float64 array, shape (n_arms,)
        Coverage takes those outside [0, 1] as the nearest end: it is monotone only there.
    arms : int64 array
    length : int
        The set is the first `length` arms.
    missed : float64 array, an entry of 1 per target, scratch

    Returns
    -------
    float
    """
    total = 0.0
    if reward == LINEAR:
        for position in range(length):
            arm = arms[position]
            if weights[arm] > 0.0:  # an arm without weight may have an infinite index
                total += weights[arm] * values[arm]
        return total
    if reward == LARGEST:
        total = -np.inf
        for position in range(length):
            total = max(total, values[arms[position]])
        return total
    for position in range(length):
        missed[targets[arms[position]]] = 1.0
    for position in range(length):
        arm = arms[position]
        missed[targets[arm]] *= 1.0 - min(max(values[arm], 0.0), 1.0)
    for position in range(length):
        target = targets[arms[position]]
        total += 1.0 - missed[target]
        missed[target] = 1.0  # counted
    return total


@compiled(inline="always")
def observe_set(means, groups, order, length, env, weights):
    """Draw the outcomes of a played super arm.

    One number of the environment stream per arm on its own, and one per group, at the group's first arm: in a group of
    equal means all outcomes are equal.

    Parameters
    ----------
    means : float64 array, shape (n_arms,)
    groups : int64 array
        Of the `Family`.
    order : int64 array
    length : int
        The super arm is the first `length` entries of `order`.
    env : numpy.random.Generator
    weights : float64 array, shape (list_size,), written

    Returns
    -------
    int
        How many outcomes were observed: all of them.
    """
    for position in range(length):
        weights[position] = -1.0
        if len(groups) > 0 and groups[order[position]] >= 0:
            for earlier in range(position - 1, -1, -1):
                if groups[order[earlier]] == groups[order[position]]:
                    weights[position] = weights[earlier]
                    break
        if weights[position] < 0.0:
            weights[position] = env.random()
    for position in range(length):
        weights[position] = 1.0 if weights[position] < means[order[position]] else 0.0
    return length


@compiled(borrows=True)
def regret_of_set(means, family, benchmark, order, length, missed):
    """Benchmark less the expected reward of a super arm, rounding removed.

    Parameters
    ----------
    means : float64 array, shape (n_arms,)
    family : Family
    benchmark : float
        What the regret is counted from: the best super arm's expected reward.
    order, length
        As in `observe_set`.
    missed : float64 array, an entry of 1 per target, scratch

    Returns
    -------
    float
    """
    reward, weights, targets = family.reward, family.weights, family.targets
    lost = benchmark - set_value(reward, weights, targets, means, order, length, missed)
    return lost if abs(lost) > ROUNDING * max(1.0, abs(benchmark)) else 0.0

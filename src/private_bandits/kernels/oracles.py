"""The super arm of the largest value, found by a scan of all sets or by greedy, with random ties and failures."""

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.selection import top_item
from private_bandits.problems.families import SCAN, set_value


@compiled(borrows=True)
def answer(family, indices, failed, choice, order, worth, missed, marked):
    """Write the oracle's super arm for the indices.

    Parameters
    ----------
    family : Family
        Of a scan or greedy.
    indices : float64 array, shape (n_items,)
    failed : bool
        Return a uniformly random super arm. With family.beta < 1 one number of the choice stream may decide so, too.
    choice : numpy.random.Generator
        Failures, and ties: uniformly random among the sets, or among the blocks at each step of greedy, of exactly
        equal value; read only when a tie matters.
    order : int64 array, shape (list_size,), written
        -1 beyond the size of the super arm.
    worth : float64 array, an entry per block or else per set, scratch
    missed : float64 array, an entry of 1 per target, scratch
    marked : float64 array, an entry per block, scratch

    Returns
    -------
    int
        Size of the super arm.
    """
    if not failed and family.beta < 1.0:
        failed = choice.random() >= family.beta
    if family.oracle == SCAN:
        row = _scan(family, indices, failed, choice, worth, missed)
        length = family.sizes[row]
        for position in range(len(order)):
            order[position] = family.sets[row, position]
        return length
    return _greedy(family, indices, failed, choice, order, worth, missed, marked)


@compiled(inline="always")
def _scan(family, indices, failed, choice, worth, missed):
    sets, sizes, reward, weights = family.sets, family.sizes, family.reward, family.weights
    offset, targets = family.offset, family.targets
    if failed:
        return int(choice.random() * len(sets)) if len(sets) > 1 else 0
    for row in range(len(sets)):
        worth[row] = set_value(reward, weights, offset, targets, indices, sets[row], sizes[row], missed)
    return _largest(worth, choice)


@compiled(borrows=True)
def largest_sum(sets, sizes, weights, offset, indices, last, choice, worth, parts):
    """Find the super arm of the largest sum of w_i times (index - offset), as `answer` does.

    Parameters
    ----------
    sets, sizes, weights, offset
        Of the family.
    indices : float64 array, shape (n_items,)
    last : int
        The super arm that is probably it, so that few are found larger.
    choice : numpy.random.Generator
    worth : float64 array, an entry per super arm, written
        The sums.
    parts : float64 array, shape (n_items,), scratch

    Returns
    -------
    int
    """
    for arm in range(len(indices)):
        parts[arm] = weights[arm] * (indices[arm] - offset) if weights[arm] > 0.0 else 0.0
    best, chosen, tied = _sum(parts, sets, sizes, last), last, False
    for row in range(len(sets)):
        worth[row] = _sum(parts, sets, sizes, row)
        if worth[row] >= best and row != last:
            tied = worth[row] == best
            best, chosen = worth[row], row
    return _largest(worth, choice) if tied else chosen


@compiled(inline="always")
def _sum(parts, sets, sizes, row):
    total = 0.0
    for position in range(sizes[row]):
        total += parts[sets[row, position]]
    return total


@compiled(borrows=True)
def _largest(worth, choice):
    return top_item(worth, choice)  # called from several places, and compiled once


@compiled(inline="always")
def _greedy(family, indices, failed, choice, order, worth, missed, marked):
    """Take `picks` blocks one by one, each the one that adds most to the coverage."""
    blocks, targets = family.blocks, family.targets
    missed[:] = 1.0
    marked[:] = 0.0
    length = 0
    for _ in range(family.picks):
        for block in range(len(blocks)):
            worth[block] = -np.inf if marked[block] > 0.0 else 0.0
            if marked[block] > 0.0 or failed:
                continue
            for slot in range(blocks.shape[1]):
                arm = blocks[block, slot]
                if arm >= 0:
                    worth[block] += missed[targets[arm]] * min(max(indices[arm], 0.0), 1.0)
        chosen = _largest(worth, choice)
        marked[chosen] = 1.0
        for slot in range(blocks.shape[1]):
            arm = blocks[chosen, slot]
            if arm >= 0:
                missed[targets[arm]] *= 1.0 - min(max(indices[arm], 0.0), 1.0)
                order[length] = arm
                length += 1
    for position in range(length, len(order)):
        order[position] = -1
    return length

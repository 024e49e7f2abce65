"""The item, or the list, of the largest indices, with ties broken uniformly at random."""

import numpy as np

from private_bandits.compilation import compiled


@compiled(inline="always")
def top_item(index, choice):
    """Return the item of the largest index, one of several at random: `top_list` for a list of one.

    Parameters
    ----------
    index : float64 array, shape (n_arms,)
    choice : numpy.random.Generator
        Of it one number where several are the largest.

    Returns
    -------
    int
    """
    best, tied = -np.inf, 0
    for item in range(len(index)):
        if index[item] > best:
            best, tied = index[item], 1
        elif index[item] == best:
            tied += 1
    left = int(choice.random() * tied) if tied > 1 else 0
    for item in range(len(index)):
        if index[item] == best:
            if left == 0:
                return item
            left -= 1
    return 0


@compiled(borrows=True)
def top_list(index, ordered, choice, order, values):
    """Write the items of the largest indices, largest first, ties broken at random.

    A tie matters if it decides who is in the list or, when `ordered`, who stands where. Only then is the choice
    stream read: a partial Fisher-Yates shuffle of the tied items, taken in the order of their numbers.

    Parameters
    ----------
    index : float64 array, shape (n_arms,)
    ordered : bool
        Whether the order inside the list matters.
    choice : numpy.random.Generator
    order : int64 array, shape (list_size,), written
        Distinct items: most rounds play the list of the round before, which is tried first.
    values : float64 array, shape (list_size,), written
        The indices of the list.
    """
    if not _still_largest(index, order, values) and _largest(index, ordered, order, values):
        _break_ties(index, ordered, choice, order, values)


@compiled(borrows=True)
def _still_largest(index, order, values):
    """Sort a list anew, and say whether it is that of the largest indices, none of them equal to another.

    A fifth of the work of `_largest`.
    """
    size = len(order)
    tied = False
    for slot in range(size):
        item, place = order[slot], slot
        value = index[item]
        while place > 0 and value > values[place - 1]:
            values[place] = values[place - 1]
            order[place] = order[place - 1]
            place -= 1
        tied |= place > 0 and value == values[place - 1]
        values[place] = value
        order[place] = item
    least, reaching = values[size - 1], 0
    for item in range(len(index)):
        reaching += index[item] >= least
    return reaching == size and not tied


@compiled(borrows=True)
def _largest(index, ordered, order, values):
    """Write the items of the largest indices, equal ones by their numbers; return whether a tie matters."""
    size = len(order)
    threshold = -np.inf
    runner_up = -np.inf
    for item in range(len(index)):
        value = index[item]
        if item >= size:
            if value <= threshold:
                runner_up = max(runner_up, value)
                continue
            runner_up = max(runner_up, threshold)
        slot = min(item, size - 1)
        while slot > 0 and value > values[slot - 1]:
            values[slot] = values[slot - 1]
            order[slot] = order[slot - 1]
            slot -= 1
        values[slot] = value
        order[slot] = item
        threshold = values[size - 1]
    tied = len(index) > size and runner_up == threshold
    if ordered:
        for slot in range(1, size):
            tied |= values[slot] == values[slot - 1]
    return tied


@compiled
def _break_ties(index, ordered, choice, order, values):
    """Shuffle the items of a list that are tied, as `top_list` says; `values` are their indices."""
    size = len(order)
    group = np.empty(len(index), np.int64)
    start = 0
    while start < size:
        value = values[start]
        members = 0
        for item in range(len(index)):
            if index[item] == value:
                group[members] = item
                members += 1
        slots = min(members, size - start)
        if members > 1 and (ordered or members > slots):
            for slot in range(slots):
                left = members - slot
                if left > 1:
                    other = slot + int(choice.random() * left)
                    group[slot], group[other] = group[other], group[slot]
                order[start + slot] = group[slot]
        start += slots


@compiled(inline="always")
def least_first(pulls, order, length):
    """Swap the item with the fewest pulls among the first `length` of a list, the first of them if several, to its top.

    Parameters
    ----------
    pulls : int64 array, shape (n_arms,)
    order : int64 array, written
    length : int
        >= 1.

    Returns
    -------
    int
        The place that it had.
    """
    least = 0
    for position in range(1, length):
        if pulls[order[position]] < pulls[order[least]]:
            least = position
    order[0], order[least] = order[least], order[0]
    return least

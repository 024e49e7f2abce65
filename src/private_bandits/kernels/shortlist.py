"""Selection among many arms that looks at few of them: the same lists from the same draws.

An arm that is not played keeps its mean and its pulls, so that from round s to round t its index grows by
(a(t) - a(s)) / sqrt(n) and (b(t) - b(s)) w(n), w(n) / n or the like. After a round that looked at every arm the arms of
the largest indices are kept, with the largest index, 1/sqrt(n) and w(n) of the others. As long as the list's last index
is above what these three allow, the list is among those arms.

Of arms that have the same pulls and the same mean, as before their first report, too many may share an index to be
kept. Such a crowd is a uniform draw, for which counting its members block by block is enough; whoever is reported
leaves it for the arms that are kept.
"""

import math

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.leap import SLACK
from private_bandits.kernels.selection import largest

MANY = 256
"""Arms from which on a shortlist is made."""
BLOCK = 256
FOUND, TIED = 1, 2
REST = 8
"""Numbers that are kept of the others."""
_INDEX, _ROOT, _WEIGHT, _NOW, _PULLS, _MEAN, _CROWD_ROOT, _CROWD_WEIGHT = range(REST)


def length(n_items: int, list_size: int) -> int:
    """Return how many arms a shortlist has at most; 0 where looking at all is as good.

    Parameters
    ----------
    n_items, list_size : int
        L and K.

    Returns
    -------
    int
    """
    most = math.isqrt(2 * n_items * list_size) + 2 * list_size  # and a list of those who leave the crowd
    return n_items // 4 if n_items >= MANY and 4 * most <= n_items else 0


@compiled(borrows=True)
def best(state):
    """Keep the arms of the largest indices, in the order of their numbers, and what is true of all others.

    Parameters
    ----------
    state : State, its shortlist written

    Returns
    -------
    (int, int)
        How many are kept, and how many the crowd below them has; 0, 0 if both are too few for a list.
    """
    indices, root, weight, near, rest = state.indices, state.root, state.weight, state.near, state.rest
    size = len(state.order)
    heap = near[: kept(len(indices), size)]
    for item in range(len(heap)):
        heap[item] = indices[item]
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sift(heap, place)
    for item in range(len(heap), len(indices)):
        if indices[item] > heap[0]:
            heap[0] = indices[item]
            _sift(heap, 0)
    cut, reaching, first, listed = heap[0], 0, -1, 0
    for item in range(len(indices)):
        reaching += indices[item] >= cut
        if first < 0 and indices[item] == cut:
            first = item
    whole = reaching <= min(2 * len(heap), len(near))  # arms of equal indices are kept together
    members = 0 if whole else gather(state, state.pulls[first], state.mean[first])
    rest[_INDEX], rest[_ROOT], rest[_WEIGHT] = -np.inf, 0.0, 0.0
    for item in range(len(indices)):
        if indices[item] > cut or whole and indices[item] == cut:
            state.short[listed] = item
            listed += 1
        elif whole or state.pulls[item] != state.pulls[first] or state.mean[item] != state.mean[first]:
            rest[_INDEX] = max(rest[_INDEX], indices[item])
            rest[_ROOT], rest[_WEIGHT] = max(rest[_ROOT], root[item]), max(rest[_WEIGHT], weight[item])
    return (listed, members) if max(listed, members) > size else (0, 0)


@compiled(inline="always")
def kept(n_items, list_size):
    """About as many arms as cost least.

    Parameters
    ----------
    n_items, list_size : int

    Returns
    -------
    int
    """
    return int(math.sqrt(2.0 * n_items * list_size)) + list_size


@compiled(inline="always")
def _sift(heap, place):
    """Let an entry of a heap, whose least is on top, sink to its place."""
    value = heap[place]
    while 2 * place + 1 < len(heap):
        child = 2 * place + 1
        if child + 1 < len(heap) and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


@compiled(borrows=True)
def gather(state, pulls, mean):
    """Count a crowd, block by block.

    Parameters
    ----------
    state : State, its crowd written
    pulls : int
        Of each member, as is the next.
    mean : float

    Returns
    -------
    int
        In all.
    """
    state.left[:] = 0
    state.rest[_PULLS], state.rest[_MEAN] = pulls, mean
    for item in range(len(state.pulls)):
        if state.pulls[item] == pulls and state.mean[item] == mean:
            state.left[item // BLOCK] += 1
            state.rest[_CROWD_ROOT], state.rest[_CROWD_WEIGHT] = state.root[item], state.weight[item]
    return state.left.sum()


@compiled(inline="always")
def leave(state, item, listed):
    """Note that an arm is reported that may be of the crowd; its mean is still the old one.

    Parameters
    ----------
    state : State, its shortlist and crowd written
    item : int
    listed : int
        How many arms are kept.

    Returns
    -------
    (int, int)
        How many are kept and how many leave the crowd now.
    """
    pulls = state.pulls[item] - 1
    if pulls != state.rest[_PULLS] or state.mean[item] != state.rest[_MEAN]:
        return listed, 0
    state.left[item // BLOCK] -= 1
    if pulls == 0:  # nothing is kept, as no other arm has an infinite index
        return listed, 1
    place = listed
    while place > 0 and state.short[place - 1] > item:
        state.short[place] = state.short[place - 1]
        place -= 1
    state.short[place] = item
    return listed + 1, 1


@compiled(borrows=True)
def look(state, listed, members, a, a_rise, b, b_rise, ordered):
    """Write places in the shortlist of the largest indices into the list, if no arm but the crowd's has such an index.

    Parameters
    ----------
    state : State, its list and shortlist written
    listed, members : int
        How many arms are kept, and how many the crowd has.
    a, b : float
        a(t), b(t).
    a_rise, b_rise : float
        What they have grown by since.
    ordered : bool
        As in `selection.largest`.

    Returns
    -------
    (int, int)
        0, `FOUND`, or `TIED` where a tie among those kept is still to be broken; and how many of them lead the list.
    """
    near, rest, size, above, level = state.near[:listed], state.rest, len(state.order), 0, -np.inf
    if members > 0:
        level = rest[_MEAN] + a * rest[_CROWD_ROOT] + b * rest[_CROWD_WEIGHT]
    for place in range(listed):
        item = state.short[place]
        near[place] = state.mean[item] + a * state.root[item] + b * state.weight[item]
        if near[place] == level:
            return 0, 0
        above += near[place] > level
    top = min(above, size)
    if top < size and members <= size:
        return 0, 0
    values = state.floats[0]
    tied = top > 0 and largest(near, ordered, state.order[:top], values[:top])
    rest[_NOW] = rest[_INDEX] + a_rise * rest[_ROOT] + b_rise * rest[_WEIGHT]
    least = level if top < size else values[size - 1]
    if least < np.inf and not least > rest[_NOW] + SLACK * (1.0 + abs(rest[_NOW]) + abs(least) + a + b):
        return 0, 0
    rest[_NOW] = max(rest[_NOW], level)
    return TIED if tied else FOUND, top


@compiled(borrows=True)
def fill(state, top, members, choice):
    """Put the arms into the list that `look` found, and below them some of the crowd, as `break_ties` draws them.

    Parameters
    ----------
    state : State, its list written
    top : int
        How many of those kept lead the list.
    members : int
        How many the crowd has.
    choice : numpy.random.Generator
    """
    order, swapped = state.order, state.swapped
    for slot in range(top):
        order[slot] = state.short[order[slot]]
    for slot in range(len(order) - top):
        other = slot + int(choice.random() * (members - slot))
        order[top + slot] = _at(state, other, slot)
        swapped[0, slot], swapped[1, slot] = other, _at(state, slot, slot)


@compiled(borrows=True)
def below(state, listed, members, least):
    """Bound what indices below the list's can do, as `leap.below` finds it.

    Parameters
    ----------
    state : State
        As `look` left it.
    listed, members, least
        As in `look` and `leap.below`.

    Returns
    -------
    (float, float)
    """
    others, steepest = state.rest[_NOW], state.rest[_ROOT]
    if members > 0:
        steepest = max(steepest, state.rest[_CROWD_ROOT])
    for place in range(listed):
        if state.near[place] < least:
            others = max(others, state.near[place])
            steepest = max(steepest, state.root[state.short[place]])
    return others, steepest


@compiled(inline="always")
def _at(state, place, swaps):
    """The arm at a place of the partly shuffled crowd."""
    item = -1
    for swap in range(swaps):
        if state.swapped[0, swap] == place:
            item = state.swapped[1, swap]
    if item < 0:
        block, pulls, mean = 0, state.rest[_PULLS], state.rest[_MEAN]
        while place >= state.left[block]:
            place -= state.left[block]
            block += 1
        item = block * BLOCK - 1
        while place >= 0:
            item += 1
            place -= state.pulls[item] == pulls and state.mean[item] == mean
    return item

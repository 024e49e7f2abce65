"""Selection among many arms that looks at few of them: the same lists from the same draws.

An arm that is not played keeps its mean and its pulls, so that from round s to round t its index grows by
(a(t) - a(s)) / sqrt(n) and (b(t) - b(s)) w(n), w(n) / n or the like. After a round that looked at every arm the arms of
the largest indices are kept, with the largest index, 1/sqrt(n) and w(n) of the others. As long as the list's last index
is above what these three allow, the list is among those arms. While more arms are left without a report than a list has
places, it is a uniform draw from them, for which counting them block by block is enough.
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
    kept = math.isqrt(2 * n_items * list_size) + list_size
    return n_items // 4 if n_items >= MANY and 4 * kept <= n_items else 0


@compiled(borrows=True)
def best(state):
    """Keep the arms of the largest indices, in the order of their numbers, and what is true of all others.

    Parameters
    ----------
    state : State, its shortlist written

    Returns
    -------
    int
        How many are kept.
    """
    indices, root, weight, near, rest = state.indices, state.root, state.weight, state.near, state.rest
    heap = near[: _kept(len(indices), len(state.order))]
    for item in range(len(heap)):
        heap[item] = indices[item]
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sift(heap, place)
    for item in range(len(heap), len(indices)):
        if indices[item] > heap[0]:
            heap[0] = indices[item]
            _sift(heap, 0)
    cut, reaching, kept = heap[0], 0, 0
    for item in range(len(indices)):
        reaching += indices[item] >= cut
    whole = reaching <= len(near)  # arms of equal indices are kept together
    rest[0], rest[1], rest[2] = -np.inf if whole else cut, 0.0, 0.0
    for item in range(len(indices)):
        if indices[item] > cut or whole and indices[item] == cut:
            state.short[kept] = item
            kept += 1
        else:
            rest[0] = max(rest[0], indices[item])
            rest[1], rest[2] = max(rest[1], root[item]), max(rest[2], weight[item])
    return kept


@compiled(inline="always")
def _kept(n_items, list_size):
    """About as many arms as cost least."""
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
def look(state, listed, a, a_rise, b, b_rise, ordered):
    """Write places in the shortlist of the largest indices into the list, if no other arm has such an index.

    Parameters
    ----------
    state : State, its list and shortlist written
    listed : int
        What `best` kept, more than a list has places.
    a, b : float
        a(t), b(t).
    a_rise, b_rise : float
        What they have grown by since.
    ordered : bool
        As in `selection.largest`.

    Returns
    -------
    int
        0, `FOUND`, or `TIED` where a tie is still to be broken.
    """
    short, near, rest, values = state.short, state.near[:listed], state.rest, state.floats[0]
    for place in range(listed):
        item = short[place]
        near[place] = state.mean[item] + a * state.root[item] + b * state.weight[item]
    tied, least = largest(near, ordered, state.order, values), values[len(state.order) - 1]
    rest[3] = rest[0] + a_rise * rest[1] + b_rise * rest[2]
    if not least > rest[3] + SLACK * (1.0 + abs(rest[3]) + abs(least) + a + b):
        return 0
    return TIED if tied else FOUND


@compiled(borrows=True)
def below(state, listed, least):
    """Bound what indices below the list's can do, as `leap.below` finds it.

    Parameters
    ----------
    state : State
        As `look` left it.
    listed, least
        As in `look` and `leap.below`.

    Returns
    -------
    (float, float)
    """
    others, steepest = state.rest[3], state.rest[1]
    for place in range(listed):
        if state.near[place] < least:
            others = max(others, state.near[place])
            steepest = max(steepest, state.root[state.short[place]])
    return others, steepest


@compiled(borrows=True)
def count(pulls, left):
    """Count the arms without a report, block by block.

    Parameters
    ----------
    pulls : int64 array, an entry per arm
    left : int64 array, an entry per block of `BLOCK` arms, written

    Returns
    -------
    int
        In all.
    """
    left[:] = 0
    for item in range(len(pulls)):
        left[item // BLOCK] += pulls[item] == 0
    return left.sum()


@compiled(borrows=True)
def draw(pulls, left, members, choice, order, swapped):
    """Draw a list from the arms without a report, as `selection.break_ties` does from arms of equal indices.

    Parameters
    ----------
    pulls, left
        As in `count`.
    members : int
        How many such arms there are, more than a list has places.
    choice : numpy.random.Generator
    order : int64 array, shape (list_size,), written
    swapped : int64 array, shape (2, list_size), scratch
    """
    for slot in range(len(order)):
        other = slot + int(choice.random() * (members - slot))
        order[slot] = _at(pulls, left, other, swapped, slot)
        swapped[0, slot], swapped[1, slot] = other, _at(pulls, left, slot, swapped, slot)


@compiled(inline="always")
def _at(pulls, left, place, swapped, swaps):
    """The arm at a place of the partly shuffled arms without a report."""
    item = -1
    for swap in range(swaps):
        if swapped[0, swap] == place:
            item = swapped[1, swap]
    if item < 0:
        block = 0
        while place >= left[block]:
            place -= left[block]
            block += 1
        item = block * BLOCK - 1
        while place >= 0:
            item += 1
            place -= pulls[item] == 0
    return item

"""Rounds in which the list cannot change: draw, compare and count, without an index.

Between every two neighbours of the list, and between its last item and the others, lies a level. As long as the index
of each item stays between its two levels, the plain loop finds the same order, and reads no choice stream. With n
reports of sum S an index is (S / n - f) / q + a(s) / sqrt(n), q = 1 - 2 f, f the flip. In the `rounds` after round t

    a(t) <= a(s) <= a(t) + rounds a'(t), because a is concave, and, n_0 at the start,
    sqrt(n_0) + (n - n_0) / (sqrt(n_0 + rounds) + sqrt(n_0)) <= sqrt(n) <= sqrt(n_0) + (n - n_0) / (2 sqrt(n_0)),

because a root lies above its chord and below its tangent. So an index keeps to its levels if S lies between two lines
in n, which are looked at after a report. An item that is not shown is below its level even with a(t) + rounds a'(t).
Levels keep a distance of `SLACK` times all that is added, hundreds of times what rounding does to an index or to a
line.

Of super arms with weighted sums, the one of the largest sum stays so while what its arms lose after the start of a leap
is less than what it leads by after the most that a rival can gain. Arms that both have count for neither, so what one
arm wins makes up for no other. With d the sum less the lower line of the index at the start, an arm loses at most
-d / (q n_0).
"""

import math

import numpy as np

from private_bandits._compiled import compiled

SHORT = 8
"""Rounds of a leap that saves nothing."""
SLACK = 1e-12
WIDTH = 7
"""Numbers that a leap keeps of an item."""
RIVALS = 0.25
"""The part of a super arm's lead that is kept for what rivals gain as time passes; chances move its arms faster."""
# its reports and their sum, two lines in n, and the regret of the list that it leads
COUNT, SUM, _LOW, _LOW_0, _HIGH, _HIGH_0, LOST = range(WIDTH)
_COST = _HIGH  # of an arm of a super arm, which has no upper line: what it costs to be below the lower one


@compiled(borrows=True)
def below(indices, root, least):
    """Find what indices below the list's can do.

    Parameters
    ----------
    indices, root : float64 arrays, an entry per arm
    least : float
        The list's last index.

    Returns
    -------
    (float, float)
        The largest index below it and the largest root of an arm that has such an index; -inf and 0 if there is none.
    """
    others, steepest = -np.inf, 0.0
    for item in range(len(indices)):
        if indices[item] < least:
            others = max(others, indices[item])
            steepest = max(steepest, root[item])
    return others, steepest


@compiled(borrows=True)
def levels(terms, cap, values, order, pulls, total, slots, others, steepest, clock, flip, floor, step, most):
    """Draw the lines between which the sums of a list's items may move.

    Parameters
    ----------
    terms, cap
        Of the record.
    values, order, pulls, total, slots : arrays, the last one written
        Of the state, whose tuple would cost more than the function; the list is that of the largest indices, none of
        them equal to another, and `values` are these.
    others, steepest : float
        No arm that is not shown has a larger index, or root.
    clock : int
        The time of the indices.
    flip : float
        Of the record; 0 for reports that are not answers.
    floor : float
        Where indices may not fall below.
    step : float
        What a few reports move a sum by, >= 0.
    most : int
        Rounds that there are to play.

    Returns
    -------
    int
        For how many rounds the lines are good; 0 if there are none, or a sum is within a step of its line.
    """
    size, least = len(order), values[len(order) - 1]
    a, rise = _bonus(terms, clock)
    slack = SLACK * (1.0 / (1.0 - 2.0 * flip) + a + abs(values[0]) + abs(least))
    level, lasting = -np.inf, np.inf
    if others > -np.inf:
        level = 0.5 * (least + others)
        lasting = (level - others - slack) / (rise * steepest)
    if not (min(lasting, most) >= SHORT and values[0] < np.inf):
        return 0
    rounds = int(min(lasting, most))
    above = cap
    for slot in range(size):
        below = max(0.5 * (values[slot] + values[slot + 1]) if slot < size - 1 else level, floor)
        _draw(order, pulls, total, slots, slot, below + slack, above - slack, a, a + rise * rounds, rounds, flip)
        if not min(room(slots, slot)) > step:
            return 0
        above = below
    return rounds


@compiled(borrows=True)
def leads(
    weights, terms, worth, indices, root, order, pulls, total, slots, row, length, clock, flip, floor, step, most
):
    """Draw the lines below which a report of a super arm's arms costs some of its lead.

    Parameters
    ----------
    weights : float64 array, an entry per arm
    terms, order, pulls, total, slots, clock, flip, floor, step, most
        As in `levels`.
    worth, indices, root : float64 arrays
        Of the state.
    row : int
        The super arm whose `worth` is largest.
    length : int
        Its size.

    Returns
    -------
    (int, float)
        For how many rounds the lines are good, as from `levels`, and what may be `spent` in them.
    """
    rival, heaviest, steepest, fewest = -np.inf, 0.0, 0.0, np.inf
    for other in range(len(worth)):
        if other != row:
            rival = max(rival, worth[other])
    for arm in range(len(weights)):
        steepest = max(steepest, weights[arm] * root[arm])
    for slot in range(length):
        heaviest += weights[order[slot]]
        fewest = min(fewest, pulls[order[slot]])
    a, rise = _bonus(terms, clock)
    slack = SLACK * (1.0 / (1.0 - 2.0 * flip) + a) * (1.0 + heaviest) * len(slots)
    lead = worth[row] - rival - slack - SLACK * abs(worth[row])
    gain = rise * steepest * len(slots)
    lasting = RIVALS * lead / gain
    if not (min(lasting, most) >= SHORT and fewest > 0.0 and worth[row] < np.inf):
        return 0, 0.0
    rounds = int(min(lasting, most))
    spare, move = lead - gain * rounds, 0.0
    for slot in range(length):
        arm = order[slot]
        weight = weights[arm]
        if floor > -np.inf:
            weight = weight if weight > 0.0 else 1.0
            spare = min(spare, weight * (indices[arm] - floor) - slack)
        _draw(order, pulls, total, slots, slot, indices[arm], np.inf, a, a, rounds, flip)
        slots[slot, _COST] = weight / ((1.0 - 2.0 * flip) * pulls[arm])
        move = max(move, slots[slot, _COST] * step)
    return rounds if spare > move else 0, spare


@compiled(inline="always")
def spent(slots, length):
    """What the arms of a super arm have lost of its lead.

    Parameters
    ----------
    slots : float64 array, shape (list_size, WIDTH)
    length : int
        Size of the super arm.

    Returns
    -------
    float
    """
    total = 0.0
    for slot in range(length):
        total += slots[slot, _COST] * max(-room(slots, slot)[0], 0.0)
    return total


@compiled(inline="always")
def _bonus(terms, clock):
    """a(t) and its derivative."""
    log_t, a, rise = math.log(clock), 0.0, 0.0
    for term in range(len(terms)):
        part = math.sqrt(terms[term, 0] * log_t + terms[term, 1])
        a += part
        rise += terms[term, 0] / (2.0 * clock * part)
    return a, rise


@compiled(inline="always")
def _draw(order, pulls, total, slots, slot, below, above, low, high, rounds, flip):
    """Fill in a slot: its index stays between two levels if a(t) stays between `low` and `high`."""
    item, scale = order[slot], 1.0 - 2.0 * flip
    n = pulls[item]
    start = math.sqrt(n)
    chord, tangent = 1.0 / (math.sqrt(n + rounds) + start), 0.5 / start
    slots[slot, COUNT], slots[slot, SUM] = n, total[item]
    slots[slot, _LOW] = scale * (below - low * chord) + flip
    slots[slot, _LOW_0] = -scale * low * (start - n * chord)
    slots[slot, _HIGH] = scale * (above - high * tangent) + flip
    slots[slot, _HIGH_0] = -scale * high * (start - n * tangent)


@compiled(inline="always")
def room(slots, slot):
    """How far a sum is above its lower line, and below its upper one.

    Parameters
    ----------
    slots : float64 array, shape (list_size, WIDTH)
    slot : int

    Returns
    -------
    (float, float)
    """
    n, total = slots[slot, COUNT], slots[slot, SUM]
    return total - slots[slot, _LOW] * n - slots[slot, _LOW_0], slots[slot, _HIGH] * n + slots[slot, _HIGH_0] - total


@compiled(inline="always")
def falls(slots, slot, zeros, ones):
    """What `room` loses at most while such reports come, in whatever order.

    Parameters
    ----------
    slots, slot
        As in `room`.
    zeros, ones : float
        How many reports of 0 and of 1, >= 0.

    Returns
    -------
    (float, float)
    """
    low, high = slots[slot, _LOW], slots[slot, _HIGH]
    return max(low, 0.0) * zeros + max(low - 1.0, 0.0) * ones, max(-high, 0.0) * zeros + max(1.0 - high, 0.0) * ones

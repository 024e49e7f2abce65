"""Rounds in which the list cannot change: draw, compare and count, without an index.

Between every two neighbours of the list, and between its last item and the others, lies a level. As long as the index
of each item stays between its two levels, the plain loop finds the same order, and reads no choice stream. With n
reports of sum S an index is (S / n - f) / q + a(s) / sqrt(n), q = 1 - 2 f, f the flip. In the `rounds` after round t

    a(t) <= a(s) <= a(t) + rounds a'(t), because a is concave, and, n_0 at the start,
    sqrt(n_0) + (n - n_0) / (sqrt(n_0 + rounds) + sqrt(n_0)) <= sqrt(n) <= sqrt(n_0) + (n - n_0) / (2 sqrt(n_0)),

because a root lies above its chord and below its tangent. So an index keeps to its levels if S lies between two lines
in n, which are looked at after a report; where a report is 0 or 1, many rounds are safe at once. An item that is not
shown is below its level even with a(t) + rounds a'(t). Levels keep a distance of `SLACK` times all that is added,
hundreds of times what rounding does to an index or to a line.
"""

import math

import numpy as np

from private_bandits._compiled import compiled

SHORT = 8
"""Rounds of a leap that saves nothing."""
LONG = 32
"""Safe rounds from which on no line is looked at."""
SLACK = 1e-12
WIDTH = 8
"""Numbers that a leap keeps of an item."""
# its mean, its reports and their sum, two lines in n, and the regret of the list that it leads
CHANCE, COUNT, SUM, _LOW, _LOW_0, _HIGH, _HIGH_0, LOST = range(WIDTH)


@compiled(borrows=True)
def levels(terms, clock, flip, cap, step, most, indices, values, order, pulls, total, root, slots):
    """Draw the lines between which the sums of a list's items may move.

    Parameters
    ----------
    terms : float64 array, shape (n_terms, 2)
    clock : int
        The time of the indices.
    flip, cap : float
        Of the record; no flip for reports that are not answers.
    step : float
        What a few reports move a sum by, >= 0.
    most : int
        Rounds that there are to play.
    indices, values, order
        As `still_largest` found them, none of the list equal to another.
    pulls, total, root : array, an entry per item
    slots : float64 array, shape (list_size, WIDTH), written

    Returns
    -------
    int
        For how many rounds the lines are good; 0 if there are none, or a sum is within a step of its line.
    """
    size, scale = len(order), 1.0 - 2.0 * flip
    log_t, a, rise = math.log(clock), 0.0, 0.0
    for term in range(len(terms)):
        part = math.sqrt(terms[term, 0] * log_t + terms[term, 1])
        a += part
        rise += terms[term, 0] / (2.0 * clock * part)
    least, others, steepest = values[size - 1], -np.inf, 0.0
    slack = SLACK * (1.0 / scale + a + abs(values[0]) + abs(least))
    for item in range(len(indices)):
        if indices[item] < least:
            others = max(others, indices[item])
            steepest = max(steepest, root[item])
    level, lasting = -np.inf, np.inf
    if others > -np.inf:
        level = 0.5 * (least + others)
        lasting = (level - others - slack) / (rise * steepest)
    if not (min(lasting, most) >= SHORT and values[0] < np.inf):
        return 0
    rounds = int(min(lasting, most))
    above, high = cap, a + rise * rounds
    for slot in range(size):
        n = pulls[order[slot]]
        start = math.sqrt(n)
        chord, tangent = 1.0 / (math.sqrt(n + rounds) + start), 0.5 / start
        below = 0.5 * (values[slot] + values[slot + 1]) if slot < size - 1 else level
        slots[slot, COUNT], slots[slot, SUM] = n, total[order[slot]]
        slots[slot, _LOW] = scale * (below + slack - a * chord) + flip
        slots[slot, _LOW_0] = -scale * a * (start - n * chord)
        slots[slot, _HIGH] = scale * (above - slack - high * tangent) + flip
        slots[slot, _HIGH_0] = -scale * high * (start - n * tangent)
        if not min(room(slots, slot)) > step:
            return 0
        above = below
    return rounds


@compiled(borrows=True)
def safe(slots, most):
    """Find for how many rounds no item crosses a line, whatever its reports of 0 or 1.

    Parameters
    ----------
    slots : float64 array, shape (list_size, WIDTH)
    most : int
        Rounds that there are to play.

    Returns
    -------
    int
    """
    rounds = float(most)
    for slot in range(len(slots)):
        low, high = room(slots, slot)
        rounds = min(rounds, low / max(slots[slot, _LOW], 1e-300), high / max(1.0 - slots[slot, _HIGH], 1e-300))
    return int(rounds)


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

"""The rounds of a leap over any list drawn at once: how often each item is reported, and how many of its reports are 1.

While the list is fixed its rounds are independent, so counts and sums are binomial: the user of a cascade reaches an
item in those rounds in which none above it was clicked. For a number of rounds that the past alone decides they are
drawn, and stand if no order of these reports brings a sum across a line of `leap`. Else the rounds are played with
these reports in random order, as they would have come, up to the one in which a sum crosses; what is left of them tells
nothing of later rounds.

`Generator.binomial` is not used: its last test of a number has two wrong signs before NumPy 2.5.
"""

import math

from private_bandits._compiled import compiled
from private_bandits.kernels.leap import COUNT, SUM, falls, room
from private_bandits.problems.lists import pseudo_regret

WORTH = 32
"""Rounds that are drawn at once in the time that they take one by one."""
_FEW = 10.0  # successes expected: below, they are found one by one
_TINY = 1e-9


@compiled
def binomial(rng, n, p):
    """Draw a binomial number.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
        Trials, 0 <= n < 2^31.
    p : float
        Chance of a success, in [0, 1].

    Returns
    -------
    int

    Notes
    -----
    Up to 10 expected successes, or failures if these are fewer, by the geometric times between them; beyond by
    transformed rejection (Hörmann 1993, algorithm BTRS). Both are exact but for the rounding of logarithms: with a
    million trials a probability is off by less than one part in a million.
    """
    chance = min(p, 1.0 - p)
    if n * chance < _FEW:
        successes = _by_gaps(rng, n, chance) if n * chance > 0.0 else 0
    else:
        successes = _by_rejection(rng, n, chance)
    return successes if p <= 0.5 else n - successes


@compiled
def _by_gaps(rng, n, p):
    successes, trial, log_miss = -1, 0.0, math.log1p(-p)
    while trial <= n:
        successes += 1
        trial += 1.0 + math.floor(math.log(1.0 - rng.random()) / log_miss)
    return successes


@compiled
def _by_rejection(rng, n, p):
    odds, spread = p / (1.0 - p), math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a, c = -0.0873 + 0.0248 * b + 0.01 * p, n * p + 0.5
    alpha, quick, mode = (2.83 + 5.1 / b) * spread, 0.92 - 4.2 / b, math.floor((n + 1) * p)
    while True:
        u, v = rng.random() - 0.5, rng.random()
        far = 0.5 - abs(u)
        found = math.floor((2.0 * a / far + b) * u + c) if far > 0.0 else -1.0
        if far >= 0.07 and v <= quick:
            return int(found)
        if 0.0 <= found <= n:
            top = math.lgamma(mode + 1.0) + math.lgamma(n - mode + 1.0) + (found - mode) * math.log(odds)
            top -= math.lgamma(found + 1.0) + math.lgamma(n - found + 1.0)
            if math.log(v * alpha / (a / (far * far) + b)) <= top:
                return int(found)


@compiled(inline="always")
def draw(one, problem, state, flip, t, most, env):
    """Draw the sums of rounds from t on, as long as that is quicker than the rounds.

    Parameters
    ----------
    one : bool
        Whether only the item with the fewest reports is reported.
    problem : ListRecord
    state : State, its slots, which hold the lines, and its regret written
    flip : float
        Of a report.
    t, most : int
        The first round, and how many the lines are good for.
    env : numpy.random.Generator

    Returns
    -------
    int
        The first round that is not drawn.
    """
    means, slots, order, cascade = problem.means, state.slots, state.order, problem.cascade and not one
    left, ones, size = state.swapped[0], state.swapped[1], len(order)
    lost = pseudo_regret(means, problem.cascade, problem.best, order)
    end, begun, inside = t + most, t, True
    while inside:
        rounds = _promising(one, cascade, means, state, size, flip, end - t)
        if rounds < WORTH:
            break
        reached, inside, level = rounds, True, 0
        if one:
            for slot in range(size):
                level += int(slots[slot, COUNT])
            level = (rounds + level) // size
        for slot in range(size):
            seen = level - int(slots[slot, COUNT]) if one else reached
            left[slot], ones[slot] = seen, binomial(env, seen, flip + (1.0 - 2.0 * flip) * means[order[slot]])
            reached -= ones[slot] if cascade else 0
            low, high = room(slots, slot)
            down, up = falls(slots, slot, seen - ones[slot], ones[slot])
            inside &= down < low and up < high
        if inside:
            for slot in range(size):
                slots[slot, COUNT] += left[slot]
                slots[slot, SUM] += ones[slot]
            t += rounds
        else:
            t = _in_order(one, cascade, state, size, t, t + rounds, env)
    state.regret[0] += (t - begun) * lost
    return t


@compiled(inline="always")
def _promising(one, cascade, means, state, size, flip, most):
    """A number of rounds over which the sums will probably be certain."""
    slots, rounds, reach, reports, top = state.slots, float(most), 1.0 / size if one else 1.0, 0.0, 0.0
    for slot in range(size):
        chance = flip + (1.0 - 2.0 * flip) * means[state.order[slot]]
        low, high = room(slots, slot)
        down, up = falls(slots, slot, reach * (1.0 - chance), reach * chance)
        rounds = min(rounds, _cautious(low) / max(down, _TINY), _cautious(high) / max(up, _TINY))
        if cascade:
            reach *= 1.0 - chance
        reports, top = reports + slots[slot, COUNT], max(top, slots[slot, COUNT])
    if one:  # as many as bring all to the same number of reports
        level = (rounds + reports) // size
        rounds = size * level - reports if top <= level else 0.0
    return int(rounds)


@compiled(inline="always")
def _cautious(distance):
    """A standard deviation less, or more: a report changes it by 1 at most."""
    return max(distance - math.sqrt(max(distance, 0.0)), 0.0)


@compiled(inline="always")
def _in_order(one, cascade, state, size, t, end, env):
    """Play rounds whose sums are drawn, in random order, until a sum crosses a line."""
    slots, left, ones, inside = state.slots, state.swapped[0], state.swapped[1], True
    while inside and t < end:
        slot, stopped = 0, False
        if one:
            for other in range(1, size):
                slot = other if slots[other, COUNT] < slots[slot, COUNT] else slot
        while slot < size and not stopped:
            clicked = env.random() * left[slot] < ones[slot]
            left[slot] -= 1
            slots[slot, COUNT] += 1.0
            if clicked:
                ones[slot] -= 1
                slots[slot, SUM] += 1.0
            inside &= min(room(slots, slot)) > 0.0
            stopped = one or clicked and cascade
            slot += 1
        t += 1
    return t

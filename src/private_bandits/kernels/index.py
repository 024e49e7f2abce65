"""The index algorithms: a mean and a bonus per arm, the list of the largest indices, one noisy report per observation.

The index of an arm with n reports in round t is

    mean + a(t) / sqrt(n) + b(t, n) / n,    a(t) = sum of sqrt(alpha ln t + beta).

A policy is its constants, held in a `Record`; one compiled loop plays them all. In a semi-bandit the list is the
super arm that the problem's oracle finds for the indices; `ask` is the half of a round before an oracle that is not
compiled. Where rounds are certain to show the same list, they are played without indices: `leap`.
"""

import functools
import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits._compiled import compiled
from private_bandits.kernels import binomials, protocol, shortlist
from private_bandits.kernels.leap import COUNT, LOST, SHORT, SUM, WIDTH, below, leads, levels, room, spent
from private_bandits.kernels.oracles import answer, largest_sum
from private_bandits.kernels.protocol import PIECE, blank, lower_bound, record_round, write_round
from private_bandits.kernels.selection import break_ties, largest, least_first, still_largest
from private_bandits.kernels.stream import limit, number, put, readable, step, taken
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import Arms, SemiBandit
from private_bandits.problems.families import CALL, LINEAR, SCAN, TOP, observe_set, regret_of_set
from private_bandits.problems.lists import ListProblem, ListRecord, observe, pseudo_regret

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]

# how a report is made private
EXACT, LAPLACE, GAUSSIAN, RESPONSE, HYBRID, TREE, HYPERCUBE = range(7)
# b(t, n): nothing, c ln(t), c ln(t) ln(n)^1.5, or c
NO_BONUS, FLAT_BONUS, PULLS_BONUS, FIXED_BONUS = range(4)
# which observations are reported: all, only that of the first item, none, or all. For FIRST and REORDERED the item with
# the fewest reports (of several, the first in the list) is put first, so in a semi-bandit, where the order means
# nothing, FIRST is LEAST.
ALL, FIRST, NOTHING, REORDERED = range(4)
LEAST = FIRST
# rounds times arms: for so long a run, or for short ones of a hundred times as many in all, a loop is loaded or, in two
# seconds, compiled; before that, policies share two, one for lists and one for super arms
LONG = 1_000_000


class Record(NamedTuple):
    """The constants of an index policy."""

    terms: np.ndarray  # float64 (n_terms, 2): the pairs (alpha, beta) of a(t)
    noise: int = EXACT
    scale: float = (
        0.0  # Laplace scale (of a tree node), Gaussian sigma, 1/epsilon of a hybrid counter, hypercube's truth
    )
    flip: float = 0.0  # probability that a bit which is sent is the false one
    bonus: int = NO_BONUS
    bonus_scale: float = 0.0
    reports: int = ALL
    observe_first: bool = True  # w_0: one free observation of every arm, in clear
    cap: float = math.inf  # indices are clipped here; an arm without a report then has the index `cap`
    fallback: bool = False  # a uniformly random super arm is played where an index is below 0
    forced: float = 0.0  # an arm with n <= forced ln(t + 1) has an infinite index
    clock: int = 0  # rounds counted before the first
    semi_bandit: bool = False  # made for semi-bandits: in a cascade the number of reports would be the reply
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem
    n_items: int = 0
    horizon: int = 0
    binomials: bool = False  # a leap draws sums of rounds: the same law by other numbers


class State(NamedTuple):
    """What the loop carries from round to round, a row or an entry per arm."""

    pulls: np.ndarray
    total: np.ndarray
    mean: np.ndarray  # infinite before the first report, and with it the index
    root: np.ndarray  # 1/sqrt(count)
    weight: np.ndarray  # what multiplies the round's part of b(t, n)
    counters: np.ndarray
    released_at: np.ndarray  # round of the arm's last release from its tree
    indices: np.ndarray
    order: np.ndarray  # the super arm, then -1
    size: np.ndarray  # of the super arm that `order` is given
    missed: np.ndarray  # an entry of 1 per target of the family
    regret: np.ndarray
    floats: np.ndarray  # this and the rest are scratch, so that the loop makes no array; (2, list_size)
    played: np.ndarray  # the last list
    slots: np.ndarray  # of a leap, as is the next
    limits: np.ndarray
    worth: np.ndarray  # (2, blocks or sets)
    parts: np.ndarray  # what each arm adds to a sum
    short: np.ndarray  # arms of a shortlist, as are the next
    near: np.ndarray  # their indices
    rest: np.ndarray  # what is known of the others
    left: np.ndarray  # arms of a crowd, block by block
    swapped: np.ndarray  # (2, list_size)


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what a record was not made for: other sizes, a longer run, unbounded rewards.

    Parameters
    ----------
    name : str
        Of the policy, for the message.
    problem : Arms, Cascade or SemiBandit
        A record for semi-bandits plays no Cascade.
    record : Record
    horizon : int
        Rounds of the run, >= 1.

    Returns
    -------
    dict
        Nothing to say beside the results.

    Raises
    ------
    ValueError
        If the record was made for another problem or a shorter run.
    """
    protocol.check_horizon(name, horizon, record.horizon)
    if record.semi_bandit:
        protocol.check_kind(name, problem, (SemiBandit, Arms), "a SemiBandit")
    protocol.check_kind(name, problem, ListProblem, "a list problem")
    protocol.check_size(name, "list_size", record.list_size, problem.list_size)
    protocol.check_size(name, "n_items", record.n_items, problem.n_items)
    loop = _loop_of(problem.record(), record)
    _loop_for(problem.record(), record, True, 0)  # made once, before several workers ask for them
    if record.binomials and not _sums(problem.record(), record, loop):
        where = f"{name} on {checks.shown(problem)}"
        raise ValueError(f"binomial_leaps must be False for {where}: its leaps have no binomial sums")
    return protocol.check_rewards(name, problem)


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round.

    Parameters
    ----------
    problem : ListRecord
    policy : Record

    Returns
    -------
    State
    """
    n_items, size = len(problem.means), problem.list_size
    rows = n_items if policy.noise in (HYBRID, TREE) else 0
    family = problem.family
    return State(
        pulls=np.zeros(n_items, np.int64),
        total=np.zeros(n_items),
        mean=np.full(n_items, np.inf),
        root=np.zeros(n_items),
        weight=np.zeros(n_items),
        counters=np.zeros((rows, mechanisms.COUNTER_ROW)),
        released_at=np.zeros(n_items, np.int64),
        indices=np.full(n_items, np.inf),
        order=np.zeros(size, np.int64),
        size=np.full(1, size),
        missed=np.ones(max(family.targets, default=0) + 1),
        regret=np.zeros(1),
        floats=np.zeros((2, size)),
        played=np.zeros(size, np.int64),
        slots=np.zeros((size, WIDTH)),
        limits=np.zeros(size, np.int64),
        worth=np.zeros((2, len(family.blocks) or len(family.sets))),
        parts=np.zeros(n_items),
        short=np.zeros(shortlist.length(n_items, size), np.int64),
        near=np.zeros(shortlist.length(n_items, size)),
        rest=np.zeros(shortlist.REST),
        left=np.zeros(-(-n_items // shortlist.BLOCK), np.int64),
        swapped=np.zeros((2, size), np.int64),
    )


def advance(
    problem: ListRecord,
    policy: Record,
    state: State,
    first: int,
    last: int,
    checkpoints: np.ndarray,
    regret: np.ndarray,
    trace: np.ndarray,
    env: np.random.Generator,
    choice: np.random.Generator,
    noise: np.random.Generator,
) -> None:
    """Play the rounds first..last.

    Parameters
    ----------
    problem : ListRecord
    policy : Record
    state : State, written
        As round first - 1 left it.
    first, last : int
        Rounds to play, counted from 1; a run may be played in any pieces.
    checkpoints : int64 array, increasing
    regret : float64 array, as long as `checkpoints`, written
        The pseudo-regret at those checkpoints that are among the rounds.
    trace : int64 array, shape (horizon, list_size + 1) or (0, list_size + 1), written
        Where it has rows: the list of each round and the number of observed positions.
    env, choice, noise : numpy.random.Generator
        The three streams of the replication.
    """
    if first == 1 and policy.observe_first and problem.family.oracle != CALL:
        _observe_first(problem, policy, state, env)
    loop = _loop_for(problem, policy, readable(env, choice, noise), last - first + 1)
    loop(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise)


def _loop_for(problem: ListRecord, policy: Record, leaps: bool, rounds: int) -> Any:
    """The loop that plays so many more rounds: the policy's own, or one that others share."""
    own, top = _loop_of(problem, policy, leaps), TOP if problem.family.oracle == TOP else None
    work = rounds * len(problem.means)
    _work[own] += work
    shared = not own.signatures and not policy.binomials and work < LONG and _work[own] < 100 * LONG
    return _loop(None, None, top, None, False) if shared else own


_work: Counter[Any] = Counter()


def _loop_of(problem: ListRecord, policy: Record, leaps: bool = True, looks: bool = True) -> Any:
    """The compiled loop. It leaps, unless told not to, where every index is a mean of reports and a radius.

    Of many arms it looks at few, unless told not to.
    """
    family = problem.family
    sums = family.oracle == SCAN and family.reward == LINEAR and family.beta == 1.0
    finds = family.oracle if family.oracle == TOP or sums else None
    leaps &= finds == TOP or sums and len(family.groups) == 0
    leaps &= policy.bonus == NO_BONUS and policy.noise in (EXACT, LAPLACE, GAUSSIAN, RESPONSE)
    leaps &= policy.forced == 0.0 and policy.reports in (ALL, FIRST)
    leaps &= policy.noise != RESPONSE or not policy.observe_first  # what is observed in clear is no answer
    many = looks and finds == TOP and shortlist.length(len(problem.means), problem.list_size) > 0
    many &= policy.cap == math.inf and not policy.fallback and policy.forced == 0.0
    # a choice that takes little of a round is left to the loop: fewer loops are compiled
    if leaps:
        sends = policy.reports if finds == TOP and (problem.cascade or problem.list_size == 1) else None
        return _loop(policy.noise, policy.bonus, finds, sends, True, many, policy.binomials)
    if finds == TOP:
        return _loop(policy.noise, policy.bonus, TOP, None, False, many)
    return _loop(None, None, finds, None, False)


def _sums(problem: ListRecord, policy: Record, loop: Any) -> bool:
    """Whether a loop leaps over any list, and the next report is 0 or 1 with a chance that does not change."""
    if loop is _loop_of(problem, policy, False) or problem.family.oracle != TOP:
        return False
    return policy.noise == EXACT or policy.noise == RESPONSE and (policy.reports == FIRST or not problem.cascade)


@functools.cache
def _loop(
    noisy: int | None,
    extra: int | None,
    finds: int | None,
    sends: int | None,
    leaps: bool,
    many: bool = False,
    at_once: bool = False,
) -> Any:
    """The loop of the policies that make these choices: constants to the compiler, which leaves out the others.

    One that is None is read from the policy, or from the family.
    """
    any_list, sums = finds == TOP, finds == SCAN

    @compiled(borrows=True)
    def rounds(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
        # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
        scale, flip, bonus_scale, clock = policy.scale, policy.flip, policy.bonus_scale, policy.clock
        cap, fallback, forced = policy.cap, policy.fallback, policy.forced
        in_clear = 1 if policy.observe_first else 0
        mechanism = policy.noise if noisy is None else noisy
        bonus = policy.bonus if extra is None else extra
        reports = policy.reports if sends is None else sends
        pulls, total, mean, root = state.pulls, state.total, state.mean, state.root
        weight, counters, released_at = state.weight, state.counters, state.released_at
        indices, order, missed = state.indices, state.order, state.missed
        means, cascade, best, terms = problem.means, problem.cascade, problem.best, policy.terms
        family, oracle, size, lost = problem.family, problem.family.oracle, len(state.order), 0.0
        adjusted = cap < math.inf or fallback or forced > 0.0
        values, feedback, played = state.floats[0], state.floats[1], state.played
        worth, marked, slots, limits = state.worth[0], state.worth[1], state.slots, state.limits
        sets, sizes, weights, offset = family.sets, family.sizes, family.weights, family.offset
        played[:] = -2
        mark, total_regret, length = lower_bound(checkpoints, first), state.regret, state.size[0]
        # of a literal 0 the functions that are given it would be compiled once more
        row: Any = np.int64(0)
        listed: Any = np.int64(0)
        pause, due, t = 0, first, first - 1
        members = shortlist.gather(state, listed, math.inf) if many else listed
        longest, born, rested, again, a_then, b_then = 0, first, 0, first, 0.0, 0.0
        lie, step = flip if mechanism == RESPONSE else 0.0, 4.0 * scale
        floor = 0.0 if fallback and mechanism != EXACT else -np.inf  # without noise, no index is below 0
        while t < last:
            t += 1
            kept, failed, found = False, False, 0
            if many and max(listed, members) > 0:
                a, b = _parts(terms, bonus, bonus_scale, t + clock)
                found, top = shortlist.look(state, listed, members, a, a - a_then, b, b - b_then, cascade)
                kept = found == shortlist.FOUND and top == size
                if found == shortlist.TIED:
                    break_ties(state.near[:listed], cascade, choice, order[:top], values[:top])
                if found:
                    shortlist.fill(state, top, members, choice)
                else:
                    rested = 0 if t - born >= SHORT else min(2 * rested + 1, 63)
                    listed, members, again = 0, 0, t + rested
            if not found:
                _indices(terms, bonus, bonus_scale, t + clock, mean, root, weight, indices)
                failed = adjusted and _adjust(indices, pulls, cap, fallback, forced, t + clock)
            if found:
                pass
            elif any_list:
                if failed:  # any list: the largest of equal indices
                    indices[:] = 0.0
                kept = not failed and still_largest(indices, order, values)
                if not kept and largest(indices, cascade, order, values):
                    break_ties(indices, cascade, choice, order, values)
                if many and t >= again:
                    listed, members = shortlist.best(state)
                    longest = min(listed + shortlist.kept(len(means), size), len(state.short) - size)
                    a_then, b_then = _parts(terms, bonus, bonus_scale, t + clock)
                    born = t
                    if max(listed, members) == 0:
                        rested = min(2 * rested + 1, 63)
                        again = t + rested
            elif sums:
                before = row
                if failed:  # any super arm
                    row = int(choice.random() * len(sets)) if len(sets) > 1 else 0
                else:
                    row = largest_sum(sets, sizes, weights, offset, indices, row, choice, worth, state.parts)
                length = sizes[row]
                for position in range(size):
                    order[position] = sets[row, position]
                kept = row == before and not failed
            elif oracle != CALL:
                length = answer(family, indices, failed, choice, order, worth, missed, marked)
            if leaps and kept and t >= due:
                spare = 0.0
                begun, end = t, min(last, checkpoints[mark] - 1) if mark < len(checkpoints) else last
                when, moved = (t + clock, lie, floor, step, end - t + 1), (order, pulls, total, slots)
                if any_list:
                    if many and found:
                        others, steepest = shortlist.below(state, listed, members, values[size - 1])
                    else:
                        others, steepest = below(indices, root, values[size - 1])
                    most = levels(terms, cap, values, *moved, others, steepest, *when)
                else:
                    most, spare = leads(weights, terms, worth, indices, root, *moved, row, length, *when)
                if most > 0:
                    one = reports == FIRST
                    if at_once:
                        t = binomials.draw(one, problem, state, lie, t, most, env)
                        most = min(begun + most - t, binomials.WORTH)
                    learnt = (mean, root, order, pulls, total, slots, limits, missed, total_regret)
                    game = (means, cascade, family, best, length)
                    t = _leap(mechanism, one, any_list, game, learnt, scale, lie, t, most, spare, trace, env, noise)
                pause = 0 if t >= begun + SHORT else min(2 * pause + 1, 63)
                due = t + pause
                if t > begun:
                    t -= 1
                    played[0] = -2
                    continue
            if reports == FIRST or reports == REORDERED:
                least_first(pulls, order, length)
            if any_list:
                observed = observe(means, cascade, order, env, feedback)
            else:
                observed = observe_set(means, family.groups, order, length, env, feedback)
            sent = 1 if reports == FIRST else 0 if reports == NOTHING else observed
            if mechanism == HYPERCUBE:
                mechanisms.hypercube(noise, feedback, observed, scale)
            for position in range(sent):
                item = order[position]
                pulls[item] += 1
                n = pulls[item]
                if many and members > 0:
                    listed, left = shortlist.leave(state, item, listed)
                    members -= left
                total[item] += _reported(mechanism, feedback[position], noise, scale, flip)
                released = 0.0
                if mechanism == HYBRID:
                    released = mechanisms.hybrid_noise(noise, n - in_clear, scale, counters[item])
                if mechanism == TREE:
                    released = mechanisms.tree_noise_at(noise, t, released_at[item], scale, counters[item])
                    released_at[item] = t
                mean[item] = (total[item] + released) / n
                if mechanism == RESPONSE or mechanism == HYPERCUBE:
                    mean[item] = (mean[item] - flip) / (1.0 - 2.0 * flip)
                root[item] = 1.0 / math.sqrt(n)
                if bonus != NO_BONUS:
                    weight[item] = _weight(bonus, n)
            if many and members > 0 and listed > longest:  # those who left the crowd have made it long
                listed, members, again = 0, 0, t + 1
            same = True
            for position in range(size):
                same &= order[position] == played[position]
                played[position] = order[position]
            if not same:  # the regret of a list is found once
                if any_list:
                    lost = pseudo_regret(means, cascade, best, order)
                else:
                    lost = regret_of_set(means, family, best, order, length, missed)
            total_regret[0] += lost
            mark = record_round(t, order, observed, total_regret[0], mark, checkpoints, regret, trace)

    return rounds


@compiled(inline="always")
def _leap(mechanism, one, any_list, game, learnt, scale, flip, t, most, spare, trace, env, noise):
    """Play rounds from t on, at most so many, until a sum crosses a line; return the first that is not played."""
    means, cascade, family, best, size = game
    mean, root, order, pulls, total, slots, limits, missed, regret = learnt
    inside, lead, last, writes, total_regret = True, 0, t + most - 1, len(trace) > 0, regret[0]
    stream = taken(env)
    for slot in range(size):
        limits[slot] = limit(means[order[slot]])
        if one or slot == 0:
            order[0], order[slot] = order[slot], order[0]
            if any_list:
                slots[slot, LOST] = pseudo_regret(means, cascade, best, order)
            else:
                slots[slot, LOST] = regret_of_set(means, family, best, order, size, missed)
            order[0], order[slot] = order[slot], order[0]
    while inside and t <= last:
        if one:
            lead = 0
            for slot in range(1, size):
                lead = slot if slots[slot, COUNT] < slots[lead, COUNT] else lead
        position, stopped = 0, False
        while position < size and not stopped:
            slot = position
            if one:
                slot = lead if position == 0 else 0 if position == lead else position
            stream = step(stream)
            clicked = number(stream) < limits[slot]
            if position == 0 or not one:
                slots[slot, COUNT] += 1.0
                slots[slot, SUM] += _reported(mechanism, 1.0 if clicked else 0.0, noise, scale, flip)
                if any_list:
                    inside &= min(room(slots, slot)) > 0.0
            stopped = clicked and cascade
            position += 1
        if not any_list:
            inside = spent(slots, size) < spare
        total_regret += slots[lead, LOST]
        if writes:
            order[0], order[lead] = order[lead], order[0]
            write_round(trace, t, order, position)
            order[0], order[lead] = order[lead], order[0]
        t += 1
    put(env, stream)
    for slot in range(size):
        item, n = order[slot], int(slots[slot, COUNT])
        pulls[item], total[item], root[item] = n, slots[slot, SUM], 1.0 / math.sqrt(n)
        mean[item] = (slots[slot, SUM] / n - flip) / (1.0 - 2.0 * flip)
    order[0], order[lead] = order[lead], order[0]
    regret[0] = total_regret
    return t


@compiled(inline="always")
def _reported(mechanism, value, noise, scale, flip):
    if mechanism == LAPLACE:
        return value + mechanisms.laplace(noise, scale)
    if mechanism == GAUSSIAN:
        return value + mechanisms.gaussian(noise, scale)
    if mechanism == RESPONSE:
        return float(mechanisms.respond(noise, int(value), 2, flip))
    return value


def ask(problem: ListRecord, policy: Record, state: State, t: int, env: np.random.Generator) -> bool:
    """Write the indices of a round into the state, for an oracle that is not compiled.

    Its super arm goes into `state.order` and `state.size`, and `advance` plays it.

    Parameters
    ----------
    problem : ListRecord
    policy : Record
    state : State, written
    t : int
        The round, >= 1; before round 1 the free observations are drawn.
    env : numpy.random.Generator

    Returns
    -------
    bool
        Whether a random super arm is to be played instead.
    """
    if t == 1 and policy.observe_first:
        _observe_first(problem, policy, state, env)
    return bool(_ask(policy, state, t))


@compiled(borrows=True)
def _ask(policy, state, t):
    mean, root, weight, indices = state.mean, state.root, state.weight, state.indices
    _indices(policy.terms, policy.bonus, policy.bonus_scale, t + policy.clock, mean, root, weight, indices)
    return _adjust(indices, state.pulls, policy.cap, policy.fallback, policy.forced, t + policy.clock)


def _observe_first(problem: ListRecord, policy: Record, state: State, env: np.random.Generator) -> None:
    """Draw a report of every arm, in clear."""
    state.total[:] = env.random(len(problem.means)) < problem.means
    state.pulls[:], state.mean[:], state.root[:] = 1, state.total, 1.0
    state.weight[:] = _weight.py_func(policy.bonus, 1)


@compiled(borrows=True)
def _adjust(indices, pulls, cap, fallback, forced, clock):
    """Clip the indices, lift those of arms that must be played; return whether the oracle may not be asked."""
    below = False
    for item in range(len(indices)):
        indices[item] = indices[item] if indices[item] < cap else cap
    if fallback:
        for item in range(len(indices)):
            below |= indices[item] < 0.0
    if forced > 0.0:
        least = forced * math.log(clock + 1.0)
        for item in range(len(indices)):
            if pulls[item] <= least:
                indices[item] = np.inf
    return below


@compiled(inline="always")
def _parts(terms, bonus, bonus_scale, clock):
    """a(t) and the part of b(t, n) that does not depend on n."""
    log_t = math.log(clock)
    a = 0.0
    for term in range(len(terms)):
        a += math.sqrt(terms[term, 0] * log_t + terms[term, 1])
    if bonus == NO_BONUS:
        return a, 0.0
    return a, bonus_scale if bonus == FIXED_BONUS else bonus_scale * log_t


@compiled(inline="always")
def _indices(terms, bonus, bonus_scale, clock, mean, root, weight, indices):
    a, b = _parts(terms, bonus, bonus_scale, clock)
    if bonus == NO_BONUS:
        for item in range(len(indices)):
            indices[item] = mean[item] + a * root[item]
    else:
        for item in range(len(indices)):
            indices[item] = mean[item] + a * root[item] + b * weight[item]


@compiled(inline="always")
def _weight(bonus, n):
    """What an arm with n reports contributes to b(t, n) / n."""
    if bonus == FLAT_BONUS or bonus == FIXED_BONUS:
        return 1.0 / n
    if bonus == PULLS_BONUS:
        log_n = math.log(n)
        return log_n * math.sqrt(log_n) / n
    return 0.0

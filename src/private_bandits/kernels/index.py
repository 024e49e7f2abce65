"""The index algorithms: a mean and a bonus per arm, the list of the largest indices, one noisy report per observation.

The index of an arm with n reports in round t is

    mean + a(t) / sqrt(n) + b(t, n) / n,    a(t) = sum of sqrt(alpha ln t + beta),

where t counts `clock` rounds before the first. A policy is its constants, held in a `Record`; one compiled loop,
`_rounds`, plays them all. In a semi-bandit the list is the super arm that the problem's oracle finds for the indices.
Some policies keep their list for most rounds: `leap` plays those with the same random numbers, and finds indices only
when the list may change.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen, protocol
from private_bandits.kernels.parts import leap
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.parts.oracles import answer
from private_bandits.kernels.parts.selection import least_first, top_list
from private_bandits.kernels.protocol import FAMILY, PIECE, blank, lower_bound, record_round
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import Arms, SemiBandit
from private_bandits.problems.families import TOP, observe_set, regret_of_set
from private_bandits.problems.lists import ListProblem, ListRecord, observe, pseudo_regret

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

# how a report is made private
EXACT, LAPLACE, GAUSSIAN, RESPONSE, HYBRID, TREE, HYPERCUBE = range(7)
# b(t, n): nothing, c ln(t), c ln(t) ln(n)^1.5, or c
NO_BONUS, FLAT_BONUS, PULLS_BONUS, FIXED_BONUS = range(4)
# which observations are reported: all; that of the first item; none; all again. For FIRST and REORDERED the item with
# the fewest reports (of several, the first in the list) is put first. In a semi-bandit, where the order means nothing,
# FIRST goes by the name of LEAST.
ALL, FIRST, NOTHING, REORDERED = range(4)
LEAST = FIRST


class Record(NamedTuple):
    """The constants of an index policy."""

    terms: np.ndarray  # float64 (n_terms, 2): the pairs (alpha, beta) of a(t)
    noise: int = EXACT
    scale: float = 0.0  # Laplace scale, of a tree that of a node; sigma; of HYBRID 1/epsilon; of HYPERCUBE P(agree)
    flip: float = 0.0  # probability that a bit is sent flipped
    bonus: int = NO_BONUS
    bonus_scale: float = 0.0
    reports: int = ALL
    observe_first: bool = True  # w_0: one free observation of every arm, in clear
    cap: float = math.inf  # indices are clipped here; an arm without a report then has the index `cap`
    fallback: bool = False  # a uniformly random super arm is played where any arm's index is below 0
    forced: float = 0.0  # an arm with n <= forced ln(t + ahead) has an infinite index
    ahead: int = 1
    clock: int = 0  # rounds counted before the first
    semi_bandit: bool = False  # made for semi-bandits: in a cascade the number of reports would tell the click
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem
    n_arms: int = 0
    horizon: int = 0


class State(NamedTuple):
    """What the loop carries from round to round, a row or an entry per arm."""

    pulls: np.ndarray  # reports
    total: np.ndarray  # their sum
    mean: np.ndarray  # infinite before the first report, and with it the index
    root: np.ndarray  # 1 / sqrt(pulls)
    weight: np.ndarray  # what multiplies the round's part of b(t, n)
    counters: np.ndarray
    released_at: np.ndarray  # round of the arm's last release from its tree
    order: np.ndarray  # the last list; a super arm, then -1
    regret: np.ndarray
    # the rest is scratch, so that the loops make no array
    indices: np.ndarray
    values: np.ndarray  # indices of the list
    feedback: np.ndarray
    worth: np.ndarray  # an entry per set
    missed: np.ndarray  # of a coverage, the chance that each target is missed; 1 between calls
    levels: np.ndarray  # (3, list_size), of `leap`


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
        Empty.

    Raises
    ------
    ValueError
        If the record was made for another problem or a shorter run.
    """
    protocol.check_horizon(name, horizon, record.horizon)
    if record.semi_bandit:
        protocol.check_kind(name, problem, (SemiBandit, Arms), "a SemiBandit")
    protocol.check_kind(name, problem, ListProblem, "Arms, a Cascade or a SemiBandit")
    protocol.check_size(name, "list_size", record.list_size, problem.list_size)
    protocol.check_size(name, "n_arms", record.n_arms, problem.n_arms)
    return protocol.check_rewards(name, problem)


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a round's reports pay, or the levels of a tree that a report is in."""
    noise, local = record.noise, record.noise not in (TREE, HYBRID)
    if record.reports == NOTHING and not record.observe_first:
        return 0.0, True
    if record.observe_first or noise in (EXACT, HYBRID):
        return math.inf, local
    if noise == HYPERCUBE:
        return answered(1.0 - record.scale), True
    known = record.semi_bandit or record.list_size == 1  # else the number of reports is the reply
    several = float(record.list_size) if known and record.list_size else math.inf
    moved = 1.0 if record.reports == FIRST else several
    if noise == RESPONSE:
        return moved * answered(record.flip), True
    if noise == GAUSSIAN:
        return added(record.scale, math.sqrt(moved), delta, gaussian=True), local
    return added(record.scale, moved * (record.horizon.bit_length() if noise == TREE else 1.0), delta), local


def seen(record: Record) -> Seen:
    """Return what an observer sees: the reports, and what is free before the first round."""
    before = ("total",) if record.observe_first else ()
    reached = record.noise in (LAPLACE, GAUSSIAN, RESPONSE)
    return Seen(state=("pulls", "mean"), messages=("pulls", "total"), before=before, reached=reached)


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms, size, family = len(problem.means), problem.list_size, problem.family
    return State(
        pulls=np.zeros(n_arms, np.int64),
        total=np.zeros(n_arms),
        mean=np.full(n_arms, np.inf),
        root=np.zeros(n_arms),
        weight=np.zeros(n_arms),
        counters=np.zeros((n_arms if policy.noise in (HYBRID, TREE) else 0, mechanisms.COUNTER_ROW)),
        released_at=np.zeros(n_arms, np.int64),
        order=np.arange(size),
        regret=np.zeros(1),
        indices=np.full(n_arms, np.inf),
        values=np.zeros(size),
        feedback=np.zeros(size),
        worth=np.zeros(len(family.sets)),
        missed=np.ones(max(family.targets, default=0) + 1),
        levels=np.zeros((3, size)),
    )


def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise) -> None:
    """Play the rounds first..last; the parameters are those of every kernel, see `kernels`."""
    if first == 1 and policy.observe_first:
        _observe_first(problem, policy, state, env)
    game = (problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise)
    if _leaps(problem, policy):
        leap.rounds(policy.reports == FIRST, *game)
    else:
        _rounds(*game)


def _leaps(problem: ListRecord, policy: Record) -> bool:
    """Whether every index is a mean of reports of 0 and 1 and a radius, and any list may be played."""
    by_radius = policy.bonus == NO_BONUS and policy.cap == math.inf and not policy.fallback and policy.forced == 0.0
    # an observation in clear is no answer, and must not be read as one
    of_bits = policy.noise == EXACT or (policy.noise == RESPONSE and not policy.observe_first)
    return by_radius and of_bits and policy.reports in (ALL, FIRST) and problem.family.oracle == TOP


def _observe_first(problem: ListRecord, policy: Record, state: State, env: np.random.Generator) -> None:
    """Draw a report of every arm, in clear: w_0."""
    state.total[:] = env.random(len(problem.means)) < problem.means
    state.pulls[:], state.mean[:], state.root[:] = 1, state.total, 1.0
    state.weight[:] = _weight.py_func(policy.bonus, 1)


@compiled(borrows=True)
def _rounds(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    means, cascade, best, family = problem.means, problem.cascade, problem.best, problem.family
    terms, bonus, bonus_scale, clock = policy.terms, policy.bonus, policy.bonus_scale, policy.clock
    cap, fallback, reports, forced, ahead = policy.cap, policy.fallback, policy.reports, policy.forced, policy.ahead
    mechanism, scale, flip, n_clear = policy.noise, policy.scale, policy.flip, 1 if policy.observe_first else 0
    pulls, total, mean, root, weight = state.pulls, state.total, state.mean, state.root, state.weight
    counters, released_at, order = state.counters, state.released_at, state.order
    indices, values, feedback, missed = state.indices, state.values, state.feedback, state.missed
    worth, top_oracle = state.worth, family.oracle == TOP
    adjusted = cap < math.inf or fallback or forced > 0.0
    length, total_regret, mark = len(order), state.regret[0], lower_bound(checkpoints, first)
    for t in range(first, last + 1):
        # the list of the largest indices, or the super arm that the oracle finds for them
        _find_indices(terms, bonus, bonus_scale, t + clock, mean, root, weight, indices)
        failed = adjusted and _adjust(indices, pulls, cap, fallback, forced, ahead, t + clock)
        if top_oracle:
            if failed:  # among equal indices ties are broken at random
                indices[:] = 0.0
            top_list(indices, cascade, choice, order, values)
        else:
            length = answer(family, indices, failed, choice, order, worth, missed)
        if reports == FIRST or reports == REORDERED:
            least_first(pulls, order, length)
        # what the user answers, and what the list gives up
        if top_oracle:
            observed = observe(means, cascade, order, env, feedback)
            total_regret += pseudo_regret(means, cascade, best, order)
        else:
            observed = observe_set(means, family.groups, order, length, env, feedback)
            total_regret += regret_of_set(means, family, best, order, length, missed)
        # what is reported of it
        if mechanism == HYPERCUBE:
            mechanisms.hypercube(noise, feedback, observed, scale)
        n_reported = observed
        if reports == FIRST:
            n_reported = 1
        elif reports == NOTHING:
            n_reported = 0
        for position in range(n_reported):
            item = order[position]
            pulls[item] += 1
            n = pulls[item]
            total[item] += _report(mechanism, feedback[position], noise, scale, flip)
            counter_noise = 0.0
            if mechanism == HYBRID:  # a counter of the arm's reports
                counter_noise = mechanisms.hybrid_noise(noise, n - n_clear, scale, counters[item])
            if mechanism == TREE:  # a counter of rounds, read when the arm reports
                counter_noise = mechanisms.tree_noise_at(noise, t, released_at[item], scale, counters[item])
                released_at[item] = t
            mean[item] = (total[item] + counter_noise) / n
            if mechanism == RESPONSE or mechanism == HYPERCUBE:
                mean[item] = (mean[item] - flip) / (1.0 - 2.0 * flip)
            root[item] = 1.0 / math.sqrt(n)
            weight[item] = _weight(bonus, n)
        mark = record_round(t, order, observed, total_regret, mark, checkpoints, regret, trace)
    state.regret[0] = total_regret


@compiled(inline="always")
def _find_indices(terms, bonus, bonus_scale, clock, mean, root, weight, indices):
    log_t, a = math.log(clock), 0.0
    for term in range(len(terms)):
        a += math.sqrt(terms[term, 0] * log_t + terms[term, 1])
    b = bonus_scale if bonus == FIXED_BONUS else bonus_scale * log_t
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


@compiled(borrows=True)
def _adjust(indices, pulls, cap, fallback, forced, ahead, clock):
    """Clip the indices, lift those of arms to be explored; return whether a random list is to be played instead."""
    below = False
    for item in range(len(indices)):
        indices[item] = indices[item] if indices[item] < cap else cap
    if fallback:
        for item in range(len(indices)):
            below |= indices[item] < 0.0
    if forced > 0.0:
        least = forced * math.log(clock + ahead)
        for item in range(len(indices)):
            if pulls[item] <= least:
                indices[item] = np.inf
    return below


@compiled(inline="always")
def _report(mechanism, value, noise, scale, flip):
    if mechanism == LAPLACE:
        return value + mechanisms.laplace(noise, scale)
    if mechanism == GAUSSIAN:
        return value + mechanisms.gaussian(noise, scale)
    if mechanism == RESPONSE:
        return float(mechanisms.respond(noise, int(value), 2, flip))
    return value

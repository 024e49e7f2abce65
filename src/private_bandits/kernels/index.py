"""The index boxes: a mean and a bonus per arm, the list of the largest indices, one noisy report per observation.

The index of an arm with n reports in round t is

    mean + a(t) / sqrt(n) + b(t, n) / n,    a(t) = sum of sqrt(alpha ln t + beta).

A box is its constants, held in an `IndexRecord`; one compiled loop plays them all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from private_bandits import mechanisms
from private_bandits.kernels.selection import top_list
from private_bandits.problems import ListRecord, observe, pseudo_regret

# how a report is made private
EXACT, LAPLACE, GAUSSIAN, RESPONSE, HYBRID = range(5)
# b(t, n): nothing, c ln(t), c ln(t) ln(n)^1.5, or c times the tail bound of the hybrid counter's own noise
NO_BONUS, FLAT_BONUS, PULLS_BONUS, SPREAD_BONUS = range(4)
# which observations are reported: all, only that of the first item, or none
ALL, FIRST, NOTHING = range(3)


class IndexRecord(NamedTuple):
    """The constants of an index box."""

    terms: np.ndarray  # float64 (n_terms, 2): the pairs (alpha, beta) of a(t)
    noise: int = EXACT
    scale: float = 0.0  # Laplace scale, Gaussian sigma, or 1/epsilon of a hybrid counter
    other: float = 0.0  # probability that a randomised response is the false one
    bonus: int = NO_BONUS
    bonus_scale: float = 0.0
    reports: int = ALL
    observe_first: bool = True  # w_0: one free observation of every arm, in clear
    clock: int = 0  # rounds that the box has counted before the first
    semi_bandit: bool = False  # made for semi-bandits: in a cascade the number of reports would be the reply
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem
    n_items: int = 0
    horizon: int = 0


class IndexState(NamedTuple):
    """What the loop carries from round to round, a row or an entry per arm."""

    pulls: np.ndarray
    total: np.ndarray
    mean: np.ndarray  # infinite before the first report, and with it the index
    root: np.ndarray  # 1/sqrt(count)
    weight: np.ndarray  # what multiplies the round's part of b(t, n)
    peak: np.ndarray
    counters: np.ndarray
    indices: np.ndarray
    order: np.ndarray
    values: np.ndarray
    feedback: np.ndarray
    regret: np.ndarray


def start(problem: ListRecord, policy: IndexRecord) -> IndexState:
    """Return the state before the first round."""
    n_items, size = len(problem.means), problem.list_size
    rows = n_items if policy.noise == HYBRID else 0
    return IndexState(
        pulls=np.zeros(n_items, np.int64),
        total=np.zeros(n_items),
        mean=np.full(n_items, np.inf),
        root=np.zeros(n_items),
        weight=np.zeros(n_items),
        peak=np.zeros(n_items),
        counters=np.zeros((rows, mechanisms.COUNTER_ROW)),
        indices=np.full(n_items, np.inf),
        order=np.zeros(size, np.int64),
        values=np.zeros(size),
        feedback=np.zeros(size),
        regret=np.zeros(1),
    )


@njit(nogil=True, cache=True, error_model="numpy")
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last and write the pseudo-regret at the checkpoints among them.

    Parameters
    ----------
    first, last : int
        Rounds to play, counted from 1; a run may be played in any pieces.
    checkpoints : int64 array, increasing
    regret : float64 array, as long as `checkpoints`, written
    trace : int64 array, shape (horizon, list_size + 1) or (0, 0)
        Written, where it has rows: the list of each round and the number of observed positions.
    env, choice, noise : numpy.random.Generator
        The three streams of the replication.
    """
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    mechanism, scale, other = policy.noise, policy.scale, policy.other
    bonus, bonus_scale, reports, clock = policy.bonus, policy.bonus_scale, policy.reports, policy.clock
    in_clear = 1 if policy.observe_first else 0
    pulls, total, mean, root = state.pulls, state.total, state.mean, state.root
    weight, peak, counters = state.weight, state.peak, state.counters
    indices, order, values, feedback = state.indices, state.order, state.values, state.feedback
    means, cascade, best, terms = problem.means, problem.cascade, problem.best, policy.terms
    if first == 1 and in_clear:
        for item in range(len(pulls)):
            total[item] = 1.0 if env.random() < means[item] else 0.0
            pulls[item] = 1
            mean[item] = total[item]
            root[item] = 1.0
            weight[item], peak[item] = _weights(bonus, 1)
    mark = np.searchsorted(checkpoints, first)
    total_regret = state.regret[0]
    for t in range(first, last + 1):
        _indices(terms, bonus, bonus_scale, t + clock, mean, root, weight, peak, indices)
        top_list(indices, cascade, choice, order, values)
        if reports == FIRST:
            _least_reported_first(pulls, order)
        observed = observe(means, cascade, order, env, feedback)
        reported = observed
        if reports == FIRST:
            reported = 1
        elif reports == NOTHING:
            reported = 0
        for position in range(reported):
            item = order[position]
            pulls[item] += 1
            n = pulls[item]
            total[item] += _report(mechanism, scale, other, feedback[position], noise)
            released = 0.0
            if mechanism == HYBRID:
                released = mechanisms.hybrid_noise(noise, n - in_clear, scale, counters[item])
            mean[item] = (total[item] + released) / n
            if mechanism == RESPONSE:
                mean[item] = (mean[item] - other) / (1.0 - 2.0 * other)
            root[item] = 1.0 / math.sqrt(n)
            if bonus != NO_BONUS:
                weight[item], peak[item] = _weights(bonus, n)
        total_regret += pseudo_regret(means, cascade, best, order)
        if len(trace) > 0:
            trace[t - 1, :-1] = order
            trace[t - 1, -1] = observed
        if mark < len(checkpoints) and checkpoints[mark] == t:
            regret[mark] = total_regret
            mark += 1
    state.regret[0] = total_regret


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _indices(terms, bonus, bonus_scale, clock, mean, root, weight, peak, indices):
    log_t = math.log(clock)
    a = 0.0
    for term in range(len(terms)):
        a += math.sqrt(terms[term, 0] * log_t + terms[term, 1])
    if bonus == SPREAD_BONUS:
        log_tail = math.log(2.0) + 3.0 * log_t  # failure probability t^-3
        for item in range(len(indices)):
            bound = mechanisms.laplace_sum_bound(weight[item], peak[item], log_tail)
            indices[item] = mean[item] + a * root[item] + bonus_scale * bound
    elif bonus == NO_BONUS:
        for item in range(len(indices)):
            indices[item] = mean[item] + a * root[item]
    else:
        b = bonus_scale * log_t
        for item in range(len(indices)):
            indices[item] = mean[item] + a * root[item] + b * weight[item]


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _least_reported_first(pulls, order):
    least = 0
    for position in range(1, len(order)):
        if pulls[order[position]] < pulls[order[least]]:
            least = position
    order[0], order[least] = order[least], order[0]


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _report(mechanism, scale, other, value, noise):
    """What an observation adds to the running sum."""
    if mechanism == LAPLACE:
        return value + mechanisms.laplace(noise, scale)
    if mechanism == GAUSSIAN:
        return value + mechanisms.gaussian(noise, scale)
    if mechanism == RESPONSE:
        return float(mechanisms.respond(noise, int(value), 2, other))
    return value


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _weights(bonus, n):
    """What an arm with n reports contributes to b(t, n) / n."""
    if bonus == FLAT_BONUS:
        return 1.0 / n, 0.0
    if bonus == PULLS_BONUS:
        log_n = math.log(n)
        return log_n * math.sqrt(log_n) / n, 0.0
    if bonus == SPREAD_BONUS:
        spread, largest = mechanisms.hybrid_spread(n)
        return spread / n, largest / n
    return 0.0, 0.0

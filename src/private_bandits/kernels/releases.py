"""A cascade that asks about one item and releases its clicks as noisy sums.

The least reported item of the list is shown first, and only its click is used. An item's clicks are summed in blocks of
public length; as a block ends its sum gets Laplace noise once, and enters the estimate. With n clicks and m noises of
scale b in an estimate, the index is

    mean + (3 ln t + n rate^2 / 8 - m ln(1 - rate^2 b^2)) / (rate n),    +infinity before the first release,

whatever the rate; it is the best one for the end of the epoch [2^k, 2^(k+1)) that t is in.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.selection import least_first, top_list
from private_bandits.kernels.protocol import FAMILY, PIECE, blank, lower_bound, record_round
from private_bandits.kernels.protocol import check_cascade as check
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import ListRecord, observe, pseudo_regret

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

# what an estimate holds: all blocks, the last one, or a hybrid counter's noisy sum of blocks of one click
KEEP, FORGET, COUNTER = range(3)


class Record(NamedTuple):
    """The constants of a cascade that asks about one item."""

    design: int
    scale: float  # Laplace scale of a block's sum, or 1/epsilon of a counter; > 0
    least: int = 1  # length of the first block
    growth: float = 1.0  # an item's reports after a block over those before it, at least
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem


class State(NamedTuple):
    """What the loop carries from round to round, an entry or a row per item."""

    reports: np.ndarray
    length: np.ndarray  # of the block
    left: np.ndarray  # reports that it waits for
    counted: np.ndarray  # reports in the estimate
    noises: np.ndarray  # blocks in it
    clicks: np.ndarray  # of the block
    total: np.ndarray  # of the estimate
    mean: np.ndarray
    radius: np.ndarray  # of the index at t = 1, and what multiplies ln t
    slope: np.ndarray
    indices: np.ndarray
    counters: np.ndarray
    order: np.ndarray
    tail: np.ndarray  # 3 ln t at the end of the epoch
    regret: np.ndarray
    floats: np.ndarray  # scratch, (2, list_size)


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
    n_arms, size = len(problem.means), problem.list_size
    first = block(0, policy.least, policy.growth)
    return State(
        reports=np.zeros(n_arms, np.int64),
        length=np.full(n_arms, first),
        left=np.full(n_arms, first),
        counted=np.zeros(n_arms, np.int64),
        noises=np.zeros(n_arms, np.int64),
        clicks=np.zeros(n_arms),
        total=np.zeros(n_arms),
        mean=np.full(n_arms, np.inf),
        radius=np.zeros(n_arms),
        slope=np.zeros(n_arms),
        indices=np.full(n_arms, np.inf),
        counters=np.zeros((n_arms if policy.design == COUNTER else 0, mechanisms.COUNTER_ROW)),
        order=np.arange(size),
        tail=np.zeros(1),
        regret=np.zeros(1),
        floats=np.zeros((2, size)),
    )


@compiled
def block(reports: int, least: int, growth: float) -> int:
    """Length of an item's next block: max(least, ceil((growth - 1) reports)).

    Parameters
    ----------
    reports : int
        Of the item so far, >= 0.
    least : int
        >= 1.
    growth : float
        >= 1.

    Returns
    -------
    int
    """
    return max(least, math.ceil((growth - 1.0) * reports))


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one noisy sum of each click pays."""
    return added(record.scale, 1.0, delta), False


def seen(record: Record) -> Seen:
    """Return what an observer sees: the estimates, and of how many clicks they are."""
    return Seen(state=("counted", "mean"))


@compiled(borrows=True)
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
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
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    design, scale, least, growth = policy.design, policy.scale, policy.least, policy.growth
    means, cascade, best, size = problem.means, problem.cascade, problem.best, problem.list_size
    reports, length, left, counted, noises = state.reports, state.length, state.left, state.counted, state.noises
    clicks, total, mean, radius, slope = state.clicks, state.total, state.mean, state.radius, state.slope
    total_regret = state.regret
    indices, counters, order, tail = state.indices, state.counters, state.order, state.tail
    values, feedback = state.floats[0], state.floats[1]
    mark = lower_bound(checkpoints, first)
    for t in range(first, last + 1):
        if t & (t - 1) == 0:
            tail[0] = 3.0 * math.log(2.0 * t)
            for item in range(len(indices)):
                if counted[item] > 0:
                    radius[item], slope[item] = _line(design, scale, tail[0], counted[item], noises[item])
        log_t = math.log(t)
        for item in range(len(indices)):
            indices[item] = mean[item] + radius[item] + slope[item] * log_t
        top_list(indices, cascade, choice, order, values)
        least_first(reports, order, size)
        observed = observe(means, cascade, order, env, feedback)
        item = order[0]
        reports[item] += 1
        clicks[item] += feedback[0]
        left[item] -= 1
        if left[item] == 0:
            if design == FORGET:
                total[item], counted[item], noises[item] = 0.0, 0, 0
            total[item] += clicks[item]
            counted[item] += length[item]
            noises[item] += 1
            clicks[item] = released = 0.0
            if design == COUNTER:
                released = mechanisms.hybrid_noise(noise, counted[item], scale, counters[item])
            else:
                total[item] += mechanisms.laplace(noise, scale)
            mean[item] = (total[item] + released) / counted[item]
            radius[item], slope[item] = _line(design, scale, tail[0], counted[item], noises[item])
            length[item] = left[item] = block(reports[item], least, growth)
        total_regret[0] += pseudo_regret(means, cascade, best, order)
        mark = record_round(t, order, observed, total_regret[0], mark, checkpoints, regret, trace)


@compiled
def _line(design, scale, log_tail, n, m):
    """The radius of an estimate with n reports and m noises at t = 1, and its slope in ln t."""
    few, many, large = m, 0, 0.0
    if design == COUNTER:
        few, many, large = mechanisms.hybrid_noises(n)
        scale *= 2.0
    large *= 0.5 * scale
    rate = mechanisms.chernoff_rate(log_tail, n, few, scale, many, large)
    return mechanisms.chernoff_exponent(rate, n, few, scale, many, large) / (rate * n), 3.0 / (rate * n)

"""Successive elimination by epochs: equal shares of pulls, fresh rewards, noisy means, and the worst arms leave.

Epoch e = 1, 2, ... has the gap 2^-e in view. Each of the |S| surviving arms is pulled

    R = ceil(1 + max over terms of pulls * L / 2^(-e power)),    L = ln(inside |S| e^2 / beta)

times, and an arm leaves S if its noisy mean of the epoch lies more than sum over terms of width * (L / R)^exponent
below the largest. Rewards above truncation (R / L)^truncation_power, with the L of the first term, count as 0. A policy
is its constants, held in a `Record`; one compiled loop plays them all.

The arms of S are pulled in turn, in the order of their numbers. An epoch's rewards are drawn as one sum per arm when
the epoch ends, so a run costs a few microseconds per arm and epoch however long it is. An epoch that the horizon cuts
short decides nothing and draws nothing. The last arm is played to the end.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.protocol import (
    WHOLE_RUN,
    blank,
    check_horizon,
    check_kind,
    check_rewards,
    check_size,
    lower_bound,
)
from private_bandits.kernels.sums import laplace_sum, reward_sum
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import Arms
from private_bandits.problems.lists import ListRecord

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]

PIECE = WHOLE_RUN

# how an epoch's mean is made private: not at all, by one draw on the mean, or by one on each reward
NO_NOISE, ON_MEAN, ON_REWARDS = range(3)


class Record(NamedTuple):
    """The constants of an elimination policy."""

    terms: np.ndarray  # float64 (n_terms, 5): rows (pulls, inside, power, width, exponent)
    beta: float
    noise: int = NO_NOISE
    scale: float = 0.0  # Laplace scale per unit of the range of a reward; divided by R on a mean
    truncation: float = 0.0  # 0: rewards are in [0, 1]; otherwise truncated at c, they are taken to lie in [-c, c]
    truncation_power: float = 0.0
    v: float = 0.0  # the (1 + v)-th moment that the policy takes to be finite, and its bound u; 0: none
    u: float = 0.0
    n_items: int = 0  # what the policy was calibrated for; 0 fits any problem
    horizon: int = 0


class State(NamedTuple):
    """What the loop carries from epoch to epoch."""

    pulls: np.ndarray  # int64, an entry per arm: pulls in finished epochs
    alive: np.ndarray  # int64: the surviving arms, in the order of their numbers; what follows them is stale
    means: np.ndarray  # float64: the noisy means of the last finished epoch, in the order of the arms alive in it
    clock: np.ndarray  # int64: how many arms survive, finished epochs, rounds of the finished epochs


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems without arms, of another number of arms, longer runs, and rewards without the moment.

    Parameters
    ----------
    name : str
        Of the policy, for the message.
    problem : Arms
    record : Record
    horizon : int
        Rounds of the run, >= 1.

    Returns
    -------
    dict
        Where rewards have no bound v, u and the true moment, to stand side by side in the results.

    Raises
    ------
    ValueError
        If the record was made for another problem or a shorter run.
    """
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, Arms, "Arms")
    check_size(name, "n_items", record.n_items, problem.n_items)
    return check_rewards(name, problem, record.v, record.u)


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
    n_arms = len(problem.means)
    return State(
        pulls=np.zeros(n_arms, np.int64),
        alive=np.arange(n_arms),
        means=np.zeros(n_arms),
        clock=np.array([n_arms, 0, 0]),
    )


@compiled
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
    trace : int64 array, shape (horizon, 2) or (0, 2), written
        Where it has rows: the arm of each round, and 1.
    env, choice, noise : numpy.random.Generator
        The three streams of the replication.
    """
    arms, shape = problem.means, problem.shape
    terms, beta, mechanism, scale = policy.terms, policy.beta, policy.noise, policy.scale
    truncation, truncation_power = policy.truncation, policy.truncation_power
    pulls, alive, means, clock = state.pulls, state.alive, state.means, state.clock
    mark = lower_bound(checkpoints, first)
    while True:
        size, epoch, begun = clock[0], clock[1] + 1, clock[2]
        share, width = _epoch(terms, beta, size, epoch)
        end = begun + min(size * share, last - begun + 1)  # of one that is cut short: sums to 2^63 would overflow
        mark = record_turns(problem, pulls, alive, size, begun, first, min(end, last), mark, checkpoints, regret, trace)
        if end > last:
            return
        threshold, reach = np.inf, 1.0
        if truncation > 0.0:
            threshold = truncation * (share / _log(terms[0, 1], size, epoch, beta)) ** truncation_power
            reach = 2.0 * threshold
        for place in range(size):
            arm = alive[place]
            pulls[arm] += share
            total = reward_sum(env, share, arms[arm], shape, threshold)
            if mechanism == ON_REWARDS:
                total += laplace_sum(noise, share, scale * reach)
            means[place] = total / share
            if mechanism == ON_MEAN:
                means[place] += mechanisms.laplace(noise, scale * reach / share)
        clock[0], clock[1], clock[2] = _remove(means, alive, size, width), epoch, end


@compiled(inline="always")
def _epoch(terms, beta, size, epoch):
    """The pulls of each of `size` arms, and how far below the largest a mean may lie."""
    if size == 1:
        return WHOLE_RUN, 0.0
    need = 0.0
    for term in range(len(terms)):
        log = _log(terms[term, 1], size, epoch, beta)
        need = max(need, terms[term, 0] * log * 2.0 ** (epoch * terms[term, 2]))
    share = WHOLE_RUN // size
    if need < share:
        share = int(math.ceil(need + 1.0))
    width = 0.0
    for term in range(len(terms)):
        log = _log(terms[term, 1], size, epoch, beta)
        width += terms[term, 3] * (log / share) ** terms[term, 4]
    return share, width


@compiled(inline="always")
def _log(inside, size, epoch, beta):
    return math.log(inside * size * float(epoch) ** 2 / beta)


@compiled(inline="always")
def _remove(means, alive, size, width):
    """Keep the arms within `width` of the largest mean and return how many they are."""
    largest, left = means[0], 0
    for place in range(1, size):
        largest = max(largest, means[place])
    for place in range(size):
        if largest - means[place] <= width:
            alive[left] = alive[place]
            left += 1
    return left


@compiled(inline="always")
def record_turns(problem, pulls, alive, size, begun, first, until, mark, checkpoints, regret, trace):
    """Fill in the regret at checkpoints and the trace for the rounds of an epoch in which arms are played in turns.

    Parameters
    ----------
    problem : ListRecord
    pulls : int64 array, shape (n_arms,)
        Of each arm before the epoch.
    alive : int64 array
        Its first `size` entries are the arms of the epoch, in the order of their numbers.
    size : int
        >= 1.
    begun : int
        Rounds before the epoch.
    first, until : int
        The call at hand plays the rounds from `first` on, and the epoch's to `until`.
    mark : int
        Number of the next checkpoint.
    checkpoints, regret, trace
        As in `advance`.

    Returns
    -------
    int
        Number of the next checkpoint.
    """
    while mark < len(checkpoints) and checkpoints[mark] <= until:
        played = checkpoints[mark] - begun
        regret[mark] = regret_in_turns(problem.means, problem.best, pulls, alive, size, played)
        mark += 1
    if len(trace) > 0:
        for t in range(max(first, begun + 1), until + 1):
            trace[t - 1, 0] = alive[(t - begun - 1) % size]
            trace[t - 1, 1] = 1
    return mark


@compiled(borrows=True)
def regret_in_turns(arms, best, pulls, alive, size, played):
    """Pseudo-regret after some rounds of an epoch.

    From the pulls of each arm, added in the order of their numbers: every step of the sum grows with the pulls, so the
    regret never falls, not even in its last digit, and does not depend on where the run is cut.

    Parameters
    ----------
    arms : float64 array, shape (n_arms,)
        Means.
    best : float
        The largest of them.
    pulls, alive, size
        As in `record_turns`.
    played : int
        Rounds of the epoch, >= 0.

    Returns
    -------
    float
    """
    full, rest = played // size, played % size
    total, place = 0.0, 0
    for arm in range(len(arms)):
        n = pulls[arm]
        if place < size and alive[place] == arm:
            n += full
            if place < rest:
                n += 1
            place += 1
        total += n * max(best - arms[arm], 0.0)
    return total

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

from private_bandits.compilation import compiled
from private_bandits.kernels import Epochs, Seen
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.sums import laplace_sum, reward_sum
from private_bandits.kernels.protocol import WHOLE_RUN, blank, check_arms, check_size, lower_bound
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import ListRecord

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

PIECE = WHOLE_RUN
FAMILY = "elimination"

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
    n_arms: int = 0  # what the policy was calibrated for; 0 fits any problem
    horizon: int = 0


class State(NamedTuple):
    """What the loop carries from epoch to epoch."""

    pulls: np.ndarray  # int64, an entry per arm: pulls in finished epochs
    alive: np.ndarray  # int64: the surviving arms, in the order of their numbers; what follows them is stale
    means: np.ndarray  # float64: the noisy means of the last finished epoch, in the order of the arms alive in it
    widths: np.ndarray  # float64: how far from them the means may lie
    clock: np.ndarray  # int64: how many arms survive, finished epochs, rounds of the finished epochs


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what `check_arms` refuses, and another number of arms."""
    facts = check_arms(name, problem, record, horizon)
    check_size(name, "n_arms", record.n_arms, problem.n_arms)
    return facts


def start(problem: ListRecord, policy: Any) -> State:
    """Return the state before the first round."""
    n_arms = len(problem.means)
    return State(
        pulls=np.zeros(n_arms, np.int64),
        alive=np.arange(n_arms),
        means=np.zeros(n_arms),
        widths=np.zeros(n_arms),
        clock=np.array([n_arms, 0, 0]),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what noise on each reward pays, or on the mean of an epoch that a reward is in."""
    return added(record.scale, 1.0, delta), record.noise == ON_REWARDS


def seen(record: Record) -> Seen:
    """Return what an observer sees: the noisy means of the epochs."""
    noiseless, truncated = record._replace(scale=0.0), record.truncation > 0
    epochs = Epochs(lambda state: (state.clock[2], state.alive[: state.clock[0]]), noiseless, truncated)
    return Seen(state=("pulls", "means"), unbounded=record.v > 0, epochs=epochs)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    pulls, alive, means, widths, clock = state
    while True:
        size, epoch, begun = clock[0], clock[1] + 1, clock[2]
        share, width = _epoch(policy.terms, policy.beta, size, epoch)
        end = begun + min(size * share, last - begun + 1)  # of one that is cut short: sums to 2^63 would overflow
        record_turns(problem, pulls, alive, size, begun, min(end, last), checkpoints, regret, trace)
        if end > last:
            return
        threshold, reach = np.inf, 1.0
        if policy.truncation > 0.0:
            log = _log(policy.terms[0, 1], size, epoch, policy.beta)
            threshold = policy.truncation * (share / log) ** policy.truncation_power
            reach = 2.0 * threshold
        for place in range(size):
            arm = alive[place]
            pulls[arm] += share
            total = reward_sum(env, share, problem.means[arm], problem.shape, threshold)
            if policy.noise == ON_REWARDS:
                total += laplace_sum(noise, share, policy.scale * reach)
            means[place], widths[place] = total / share, 0.5 * width
            if policy.noise == ON_MEAN:
                means[place] += mechanisms.laplace(noise, policy.scale * reach / share)
        clock[0], clock[1], clock[2] = remove(means, widths, alive, size), epoch, end


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
def remove(means, widths, alive, size):
    """Remove the arms whose interval lies below that of another.

    Parameters
    ----------
    means, widths : float64 arrays
        The intervals, in the order of the arms alive.
    alive : int64 array, written
        Its first `size` entries are the arms alive.
    size : int
        >= 1.

    Returns
    -------
    int
        How many arms are left.
    """
    bar, left = -np.inf, 0
    for place in range(size):
        bar = max(bar, means[place] - widths[place])
    for place in range(size):
        if means[place] + widths[place] >= bar:
            alive[left] = alive[place]
            left += 1
    return left


@compiled(inline="always")
def record_turns(problem, pulls, alive, size, begun, until, checkpoints, regret, trace):
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
    begun, until : int
        The rounds are begun + 1, ..., until.
    checkpoints, regret, trace
        As in `advance`.
    """
    mark = lower_bound(checkpoints, begun + 1)
    while mark < len(checkpoints) and checkpoints[mark] <= until:
        regret[mark] = _regret(problem.means, problem.best, pulls, alive, size, checkpoints[mark] - begun)
        mark += 1
    if len(trace) > 0:
        for t in range(begun, until):
            trace[t, 0], trace[t, 1] = alive[(t - begun) % size], 1


@compiled(borrows=True)
def _regret(arms, best, pulls, alive, size, played):
    """Pseudo-regret after some rounds of an epoch.

    From the pulls of each arm, added in the order of their numbers: every step of the sum grows with the pulls, so the
    regret never falls, not even in its last digit, and does not depend on where the run is cut.
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

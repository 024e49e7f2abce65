"""Index policies on noisy batches: an arm's rewards are released as sums, and replayed to the policy one by one.

An arm is pulled `first` times, later `growth` times what it has had, and at least `first` times. The sum of such a
batch is released once, see `released`, and counts as some observations. The policy inside runs on these observations,
in random order, and when it asks for an arm that has none left, the next batch begins. It plays the arm of the largest

    s / n + sum of sqrt((alpha ln t + beta) / n), or q in [0, 1] with n kl(s / n, q) <= level ln t + slow ln ln t,

an arm without observations first, where n and s are the arm's observations and their sum, and t the observations of
all arms and 1. Where it is `sampled`, the index is a draw from Beta(1 + s, 1 + n - s), from the first round on.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen
from private_bandits.kernels.episodes import upper_index
from private_bandits.kernels.parts.selection import top_item
from private_bandits.kernels.protocol import FAMILY, PIECE, blank, lower_bound, record_round
from private_bandits.kernels.protocol import check_arms as check
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import ListRecord, observe

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]


class Record(NamedTuple):
    """The constants of an index policy and of the batches."""

    terms: np.ndarray  # float64 (n_terms, 3): rows (alpha, beta, 1/2)
    level: float = 0.0  # 0: the index is of terms
    slow: float = 0.0
    sampled: bool = False
    epsilon: float = math.inf
    first: int = 1
    growth: float = 0.0
    cost: float = 0.0
    horizon: int = 0  # longest run; 0 fits any
    v: float = 0.0  # rewards are in [0, 1], see `check_arms`
    u: float = 0.0


class State(NamedTuple):
    """What the loop carries from round to round, an entry per arm."""

    pulls: np.ndarray  # int64: rewards in finished batches
    counts: np.ndarray  # int64: observations that the policy has had
    sums: np.ndarray  # int64: those that were 1
    left: np.ndarray  # int64: observations in store
    ones: np.ndarray  # int64: those of them that are 1
    order: np.ndarray  # int64 (1,): the arm of the running batch
    clock: np.ndarray  # int64: the batch's pulls to come, its length, the sum of its rewards
    regret: np.ndarray
    indices: np.ndarray  # scratch, an entry per arm
    feedback: np.ndarray  # scratch


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms = len(problem.means)
    per_arm, order, clock = np.zeros((5, n_arms), np.int64), np.zeros(1, np.int64), np.zeros(3, np.int64)
    return State._make([*per_arm, order, clock, np.zeros(1), np.zeros(n_arms), np.zeros(1)])


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one release of each reward pays."""
    return record.epsilon, False


def seen(record: Record) -> Seen:
    """Return what an observer sees: the observations that the policy had, and those in store."""
    return Seen(state=("counts", "sums", "left", "ones"), unbounded=record.v > 0)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    means, best, least, growth = problem.means, problem.best, policy.first, policy.growth
    pulls, counts, sums, left, ones, order, clock, lost, indices, feedback = state
    total, mark = lost[0], lower_bound(checkpoints, first)
    for t in range(first, last + 1):
        if clock[0] == 0:
            if clock[1] > 0:
                pulls[order[0]] += clock[1]
                left[order[0]], ones[order[0]] = released(policy.epsilon, policy.cost, clock[1], clock[2], noise)
            order[0] = _replayed(policy, order[0], counts, sums, left, ones, indices, choice, noise)
            clock[0] = max(least, int(min(growth * pulls[order[0]], 1e18)))
            clock[1], clock[2] = clock[0], 0
        observe(means, False, order, env, feedback)
        clock[0] -= 1
        clock[2] += int(feedback[0])
        total += max(best - means[order[0]], 0.0)
        mark = record_round(t, order, 1, total, mark, checkpoints, regret, trace)
    lost[0] = total


@compiled
def released(epsilon, cost, size, total, noise):
    """Release the sum of a batch of n rewards: noise is added, and the result is clipped to [0, n].

    Parameters
    ----------
    epsilon : float
    cost : float
        Pulls that the noise costs: the release counts as n^2 / (n + cost) observations, rounded down, at least 1.
    size : int
        n >= 1.
    total : int
        The sum.
    noise : numpy.random.Generator

    Returns
    -------
    int, int
        The observations, and their sum: their mean is that of the release, up to the sum's random rounding.
    """
    noisy = float(min(max(total + mechanisms.geometric(noise, epsilon), 0), size))
    if cost == 0.0:
        return size, int(noisy)
    worth = max(1, int(float(size) * size / (size + cost)))
    return worth, min(int(worth * noisy / size + noise.random()), worth)


@compiled
def observed(arm, left, ones, noise):
    """Take an observation of an arm from its store, in random order.

    Parameters
    ----------
    arm : int
    left, ones : array or list, written
        By arm the observations in store, and how many of them are 1.
    noise : numpy.random.Generator

    Returns
    -------
    bool
        Whether it is 1.
    """
    one = ones[arm] == left[arm]
    if 0 < ones[arm] < left[arm]:
        one = noise.random() * left[arm] < ones[arm]
    left[arm] -= 1
    ones[arm] -= one
    return one


@compiled
def _replayed(policy, arm, counts, sums, left, ones, indices, choice, noise):
    """Give the policy the observations that it asks for, first of `arm`; return the arm of which there are no more."""
    t = 1 + counts.sum()
    if t == 1 and left[arm] == 0:
        arm = _asked(policy, t, counts, sums, indices, choice)
    while left[arm] > 0:
        counts[arm] += 1
        sums[arm] += observed(arm, left, ones, noise)
        t += 1
        arm = _asked(policy, t, counts, sums, indices, choice)
    return arm


@compiled
def _asked(policy, t, counts, sums, indices, choice):
    """The arm that the policy plays in round t of its own."""
    for arm in range(len(counts)):
        n, s = counts[arm], sums[arm]
        if policy.sampled:
            x = choice.standard_gamma(1.0 + s)
            indices[arm] = x / (x + choice.standard_gamma(1.0 + n - s))
        elif n > 0:
            indices[arm] = upper_index(policy.terms, policy.level, policy.slow, 0.0, t, n, s / n)
        else:
            indices[arm] = np.inf
    return top_item(indices, choice)

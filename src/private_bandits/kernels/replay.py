"""Index policies on noisy batches: an arm's rewards are released as sums, and replayed to the policy one by one.

An arm is pulled `first` times, later `growth` times what it has had, and at least `first` times. The sum of such a
batch of n rewards is released once, with two-sided geometric noise, P(Z = z) proportional to exp(-epsilon |z|), and
clipped to [0, n]. The release counts as k observations, n^2 / (n + loss) rounded down and at least 1: their mean is
that of the release, the rounding of their sum is random, and so is their order. The policy inside runs on these
observations, and when it asks for an arm that has none left, the next batch begins. It plays the arm of the largest

    s / n + sum of sqrt(alpha ln t + beta) / sqrt(n),                               an arm without observations first;
    q in [0, 1] with n kl(s / n, q) <= level ln t + slow ln ln t,                   each arm once before;
    draw from Beta(1 + s, 1 + n - s),                                               from the first round on,

where n and s are the arm's observations and their sum, and t the observations of all arms and 1.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.episodes import kl_upper
from private_bandits.kernels.protocol import PIECE, blank, lower_bound, record_round
from private_bandits.kernels.protocol import check_arms as check
from private_bandits.kernels.selection import top_item
from private_bandits.problems.lists import ListRecord, observe

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]

RADIUS, DIVERGENCE, POSTERIOR = range(3)


class Record(NamedTuple):
    """The constants of an index policy and of the batches."""

    terms: np.ndarray  # float64 (n_terms, 2): the pairs (alpha, beta) of RADIUS
    rule: int = RADIUS
    level: float = 1.0
    slow: float = 0.0
    epsilon: float = math.inf
    first: int = 1
    growth: float = 0.0
    loss: float = 0.0
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
    indices: np.ndarray  # scratch, as is what follows
    feedback: np.ndarray


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms = len(problem.means)
    return State(
        pulls=np.zeros(n_arms, np.int64),
        counts=np.zeros(n_arms, np.int64),
        sums=np.zeros(n_arms, np.int64),
        left=np.zeros(n_arms, np.int64),
        ones=np.zeros(n_arms, np.int64),
        order=np.zeros(1, np.int64),
        clock=np.zeros(3, np.int64),
        regret=np.zeros(1),
        indices=np.zeros(n_arms),
        feedback=np.zeros(1),
    )


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
                left[order[0]], ones[order[0]] = _released(policy.epsilon, policy.loss, clock[1], clock[2], noise)
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
def _released(epsilon, loss, size, total, noise):
    """The observations that a batch of rewards counts as, and their sum."""
    noisy = float(total)
    if epsilon < np.inf:
        noisy += _geometric(epsilon, noise) - _geometric(epsilon, noise)
    noisy = min(max(noisy, 0.0), float(size))
    if loss == 0.0:
        return size, int(noisy)
    worth = max(1, int(float(size) * size / (size + loss)))
    return worth, min(int(worth * noisy / size + noise.random()), worth)


@compiled
def _geometric(epsilon, noise):
    """P(X >= x) = exp(-epsilon x) for whole x >= 0, as far as numbers go."""
    return math.floor(min(-math.log(1.0 - noise.random()) / epsilon, 1e18))


@compiled
def _replayed(policy, arm, counts, sums, left, ones, indices, choice, noise):
    """Give the policy the observations that it asks for, first of `arm`; return the arm of which there are no more."""
    t = 1
    for other in range(len(counts)):
        t += counts[other]
    if t == 1 and left[arm] == 0:
        arm = _asked(policy.rule, policy.terms, policy.level, policy.slow, t, arm, counts, sums, indices, choice)
    while left[arm] > 0:
        one = ones[arm] == left[arm]
        if 0 < ones[arm] < left[arm]:
            one = noise.random() * left[arm] < ones[arm]
        left[arm] -= 1
        counts[arm] += 1
        t += 1
        if one:
            ones[arm] -= 1
            sums[arm] += 1
        arm = _asked(policy.rule, policy.terms, policy.level, policy.slow, t, arm, counts, sums, indices, choice)
    return arm


@compiled
def _asked(rule, terms, level, slow, t, before, counts, sums, indices, choice):
    """The arm that the policy plays in round t of its own, after an arm that may well be it again."""
    if rule == DIVERGENCE:
        return _largest_divergence(level, slow, t, before, counts, sums, indices, choice)
    log_t, a = math.log(t), 0.0
    for term in range(len(terms)):
        a += math.sqrt(terms[term, 0] * log_t + terms[term, 1])
    for arm in range(len(counts)):
        n, s = counts[arm], sums[arm]
        if rule == POSTERIOR:
            x = choice.standard_gamma(1.0 + s)
            indices[arm] = x / (x + choice.standard_gamma(1.0 + n - s))
        else:
            indices[arm] = s / n + a * (1.0 / math.sqrt(n)) if n > 0 else np.inf
    return top_item(indices, choice)


@compiled
def _largest_divergence(level, slow, t, before, counts, sums, indices, choice):
    """The arm of the largest `kl_upper`, which is found of arms only that reach the largest so far."""
    if t <= len(counts):
        return t - 1
    most = level * math.log(t) + slow * math.log(max(math.log(t), 1.0))
    bar = indices[before] = kl_upper(sums[before] / counts[before], most / counts[before])
    for arm in range(len(counts)):
        p, budget = sums[arm] / counts[arm], most / counts[arm]
        if arm != before:
            indices[arm] = -np.inf
            if bar <= p or (bar < 1.0 and _divergence(p, bar) <= budget * (1.0 + 1e-9)):
                indices[arm] = kl_upper(p, budget)
                bar = max(bar, indices[arm])
    return top_item(indices, choice)


@compiled(inline="always")
def _divergence(p, q):
    """Of Bernoulli means, 0 <= p < q < 1."""
    ones = p * math.log(p / q) if p > 0.0 else 0.0
    return ones + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))

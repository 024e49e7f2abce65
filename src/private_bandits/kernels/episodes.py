"""Index boxes in episodes: an arm's pulls double, and its index sees its last episode only, through one noisy mean.

Each arm is pulled once, in the order of their numbers. Then, again and again, the arm of the largest index is pulled as
often as it has been pulled so far. With N pulls, the index at the start of an episode in round t is

    value = mean of the last episode + Lap(scale / N) + sum over terms of ((alpha ln t + beta) / N)^power

or, where `level` > 0, the largest q in [0, 1] with kl(clip(value), q) <= level ln(t) / N. In an episode of n pulls
rewards above B = (cut n)^cut_power count as 0, and the noise is 2B times larger. A box is its constants, held in an
`Record`; one compiled loop plays them all.

The rewards of an episode are drawn as one sum when it ends, so a run costs one index computation per episode. An
episode that the horizon cuts short draws nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import mechanisms
from private_bandits._compiled import compiled
from private_bandits.kernels.protocol import WHOLE_RUN, blank, check_horizon, check_kind, check_rewards
from private_bandits.kernels.rewards import reward_sum
from private_bandits.kernels.selection import top_list
from private_bandits.problems import Arms, ListRecord

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]

PIECE = WHOLE_RUN

_FOREVER = 1 << 62


class Record(NamedTuple):
    """The constants of an episode box."""

    terms: np.ndarray  # float64 (n_terms, 3): rows (alpha, beta, power)
    level: float = 0.0
    scale: float = 0.0  # Laplace scale per unit of the range of a reward, times N
    cut: float = 0.0  # 0: rewards are in [0, 1]; otherwise truncated at B, they are taken to lie in [-B, B]
    cut_power: float = 0.0
    v: float = 0.0  # the (1 + v)-th moment that the box takes to be finite, and its bound u; 0: none
    u: float = 0.0
    horizon: int = 0  # longest run; 0 fits any


class State(NamedTuple):
    """What the loop carries from episode to episode."""

    pulls: np.ndarray  # int64, an entry per arm: pulls in finished episodes
    means: np.ndarray  # float64: the noisy mean of the arm's last finished episode
    indices: np.ndarray
    order: np.ndarray
    values: np.ndarray
    clock: np.ndarray  # int64: the arm of the running episode, rounds before it, pulls in it


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what a record was not made for; arguments and result are those of `index.check`."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, Arms, "Arms")
    return check_rewards(name, problem, record.v, record.u)


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms = len(problem.means)
    return State(
        pulls=np.zeros(n_arms, np.int64),
        means=np.zeros(n_arms),
        indices=np.zeros(n_arms),
        order=np.zeros(1, np.int64),
        values=np.zeros(1),
        clock=np.array([0, 0, 1]),
    )


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last; the arguments are those of `index.advance`."""
    arms, best, shape = problem.means, problem.best, problem.shape
    terms, level, scale = policy.terms, policy.level, policy.scale
    cut, cut_power = policy.cut, policy.cut_power
    pulls, means, clock = state.pulls, state.means, state.clock
    indices, order, values = state.indices, state.order, state.values
    mark = np.searchsorted(checkpoints, first)
    while True:
        arm, begun, length = clock[0], clock[1], clock[2]
        end = begun + length
        until = min(end, last)
        while mark < len(checkpoints) and checkpoints[mark] <= until:
            regret[mark] = _regret(arms, best, pulls, arm, checkpoints[mark] - begun)
            mark += 1
        if len(trace) > 0:
            for t in range(max(first, begun + 1), until + 1):
                trace[t - 1, 0] = arm
                trace[t - 1, 1] = 1
        if end > last:
            return
        pulls[arm] += length
        threshold, reach = np.inf, 1.0
        if cut > 0.0:
            threshold = (cut * length) ** cut_power
            reach = 2.0 * threshold
        means[arm] = reward_sum(env, length, arms[arm], shape, threshold) / length
        means[arm] += mechanisms.laplace(noise, scale * reach / pulls[arm])
        clock[0], clock[1], clock[2] = end, end, 1
        if end >= len(arms):
            for item in range(len(arms)):
                indices[item] = _index(terms, level, end + 1, pulls[item], means[item])
            top_list(indices, False, choice, order, values)
            clock[0], clock[2] = order[0], min(pulls[order[0]], _FOREVER)


@compiled
def _index(terms, level, t, n, mean):
    value, log_t = mean, math.log(t)
    for term in range(len(terms)):
        value += ((terms[term, 0] * log_t + terms[term, 1]) / n) ** terms[term, 2]
    if level > 0.0:
        return kl_upper(min(max(value, 0.0), 1.0), level * log_t / n)
    return value


@compiled
def kl_upper(mean, budget):
    """Return the largest float64 q in [mean, 1] with kl(mean, q) <= budget, for Bernoulli means.

    By bisection until the bracket is two neighbouring numbers; 1 only at mean = 1, where the divergence is 0.
    """
    if mean >= 1.0:
        return 1.0
    low, high = mean, 1.0
    while True:
        q = 0.5 * (low + high)
        if q <= low or q >= high:
            return low
        divergence = (1.0 - mean) * math.log((1.0 - mean) / (1.0 - q))
        if mean > 0.0:
            divergence += mean * math.log(mean / q)
        if divergence <= budget:
            low = q
        else:
            high = q


@compiled
def _regret(arms, best, pulls, playing, played):
    """Pseudo-regret after `played` rounds of an episode, from the pulls of each arm: it never falls."""
    total = 0.0
    for arm in range(len(arms)):
        n = pulls[arm]
        if arm == playing:
            n += played
        total += n * max(best - arms[arm], 0.0)
    return total


EpisodeRecord = Record

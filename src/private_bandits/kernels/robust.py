"""Index boxes for heavy-tailed rewards: truncated means, and a radius that falls as a power of the pulls.

With w = v / (1 + v), the index of an arm pulled n times is, in round t,

    (sum of its truncated rewards + noise) / n + factor ((alpha ln t + beta) / n)^w.

The k-th reward of an arm, observed in round t, counts as 0 unless it is at most

    B = (cut k / (cut_alpha ln t + cut_beta))^(1 / (1 + v)),

so thresholds are fixed at observation and grow with the pulls. The noise is that of a binary tree per arm whose node
over the items i..j has the scale `scale` B_j, by the largest threshold in the node: where item k lies in [-B_k, B_k]
and in at most `levels` nodes, scale = 2 levels / epsilon makes the tree epsilon-private. Each arm is pulled once, in
the order of their numbers, before the indices are asked. A box is its constants, held in a `Record`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import mechanisms
from private_bandits._compiled import compiled
from private_bandits.kernels.protocol import PIECE, blank, check_horizon, check_kind, check_rewards
from private_bandits.kernels.selection import top_list
from private_bandits.kernels.sums import pareto_reward
from private_bandits.problems import Arms, ListRecord

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]


class Record(NamedTuple):
    """The constants of a robust index box."""

    v: float  # the (1 + v)-th moment that the box takes to be finite, and its bound u
    u: float
    factor: float
    alpha: float
    beta: float
    cut: float
    cut_alpha: float
    cut_beta: float
    scale: float = 0.0  # Laplace scale of a tree node, in units of its largest threshold
    horizon: int = 0  # what the box was calibrated for; 0 fits any run


class State(NamedTuple):
    """What the loop carries from round to round, a row or an entry per arm."""

    pulls: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    root: np.ndarray  # 1 / pulls^w
    trees: np.ndarray
    indices: np.ndarray
    order: np.ndarray
    values: np.ndarray


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
        total=np.zeros(n_arms),
        mean=np.zeros(n_arms),
        root=np.zeros(n_arms),
        trees=np.zeros((n_arms, mechanisms.COUNTER_ROW)),
        indices=np.zeros(n_arms),
        order=np.zeros(1, np.int64),
        values=np.zeros(1),
    )


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last; the arguments are those of `index.advance`."""
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    factor, alpha, beta, scale = policy.factor, policy.alpha, policy.beta, policy.scale
    cut, cut_alpha, cut_beta = policy.cut, policy.cut_alpha, policy.cut_beta
    power, inverse = policy.v / (1.0 + policy.v), 1.0 / (1.0 + policy.v)
    means, best, shape = problem.means, problem.best, problem.shape
    pulls, total, mean, root, trees = state.pulls, state.total, state.mean, state.root, state.trees
    indices, order, values = state.indices, state.order, state.values
    n_arms = len(pulls)
    mark = np.searchsorted(checkpoints, first)
    for t in range(first, last + 1):
        log_t = math.log(t)
        if t <= n_arms:
            order[0] = t - 1
        else:
            radius = factor * (alpha * log_t + beta) ** power
            for arm in range(n_arms):
                indices[arm] = mean[arm] + radius * root[arm]
            top_list(indices, False, choice, order, values)
        arm = order[0]
        if shape > 0.0:
            reward = pareto_reward(env, means[arm], shape)
        else:
            reward = 1.0 if env.random() < means[arm] else 0.0
        pulls[arm] += 1
        n = pulls[arm]
        threshold = (cut * n / (cut_alpha * log_t + cut_beta)) ** inverse
        if abs(reward) <= threshold:
            total[arm] += reward
        mean[arm] = (total[arm] + mechanisms.tree_noise(noise, n, scale * threshold, trees[arm])) / n
        root[arm] = 1.0 / n**power
        if len(trace) > 0:
            trace[t - 1, 0] = arm
            trace[t - 1, 1] = 1
        if mark < len(checkpoints) and checkpoints[mark] == t:
            regret[mark] = _regret(means, best, pulls)
            mark += 1


@compiled
def _regret(means, best, pulls):
    """Pseudo-regret from the pulls of each arm: it never falls, not even in its last digit."""
    total = 0.0
    for arm in range(len(means)):
        total += pulls[arm] * max(best - means[arm], 0.0)
    return total


RobustRecord = Record

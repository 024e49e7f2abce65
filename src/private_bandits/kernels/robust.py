"""Index policies for heavy-tailed rewards: truncated means, and a radius that falls as a power of the pulls.

With w = v / (1 + v), the index of an arm pulled n times is, in round t,

    (sum of its truncated rewards + noise) / n + factor ((alpha ln t + beta) / n)^w.

The k-th reward of an arm, observed in round t, counts as 0 unless it is at most

    B = (truncation k / (truncation_alpha ln t + truncation_beta))^(1 / (1 + v)),

so thresholds are fixed at observation and grow with the pulls. The noise is that of a binary tree per arm whose node
over the items i..j has the scale `scale` B_j, by the largest threshold in the node: where item k lies in [-B_k, B_k]
and in at most `levels` nodes, scale = 2 levels / epsilon makes the tree epsilon-private. Each arm is pulled once, in
the order of their numbers, before the indices are asked. A policy is its constants, held in a `Record`.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.selection import top_item
from private_bandits.kernels.parts.sums import pareto_reward
from private_bandits.kernels.protocol import PIECE, blank, lower_bound
from private_bandits.kernels.protocol import check_arms as check
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import ListRecord

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

FAMILY = "tree"  # without privacy, too


class Record(NamedTuple):
    """The constants of a robust index policy."""

    v: float  # the (1 + v)-th moment that the policy takes to be finite, and its bound u
    u: float
    factor: float
    alpha: float
    beta: float
    truncation: float
    truncation_alpha: float
    truncation_beta: float
    scale: float = 0.0  # Laplace scale of a tree node, in units of its largest threshold
    horizon: int = 0  # what the policy was calibrated for; 0 fits any run


class State(NamedTuple):
    """What the loop carries from round to round, a row or an entry per arm."""

    pulls: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    root: np.ndarray  # 1 / pulls^w
    trees: np.ndarray
    indices: np.ndarray  # scratch


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
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what the levels of a tree pay, in each of which a reward lies in [-B, B]."""
    return added(record.scale, 2.0 * record.horizon.bit_length(), delta), False


def seen(record: Record) -> Seen:
    """Return what an observer sees: the noisy means, and of how many rewards they are."""
    return Seen(state=("pulls", "mean"), unbounded=record.v > 0)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    power, inverse = policy.v / (1.0 + policy.v), 1.0 / (1.0 + policy.v)
    means, best, shape = problem.means, problem.best, problem.shape
    pulls, total, mean, root, trees, indices = state
    n_arms = len(pulls)
    mark = lower_bound(checkpoints, first)
    for t in range(first, last + 1):
        log_t = math.log(t)
        if t <= n_arms:
            arm = t - 1
        else:
            radius = policy.factor * (policy.alpha * log_t + policy.beta) ** power
            # without a branch: which arm is the largest cannot be predicted, and a wrong guess costs a round's fifth
            largest, equal, arm = -np.inf, 0, 0
            for each in range(n_arms):
                index = mean[each] + radius * root[each]
                indices[each] = index
                equal = 0 if index > largest else equal + (index == largest)
                arm = each if index > largest else arm
                largest = max(index, largest)
            if equal > 0:
                arm = top_item(indices, choice)
        if shape > 0.0:
            reward = pareto_reward(env, means[arm], shape)
        else:
            reward = 1.0 if env.random() < means[arm] else 0.0
        pulls[arm] += 1
        n = pulls[arm]
        threshold = (policy.truncation * n / (policy.truncation_alpha * log_t + policy.truncation_beta)) ** inverse
        if abs(reward) <= threshold:
            total[arm] += reward
        mean[arm] = (total[arm] + mechanisms.tree_noise(noise, n, policy.scale * threshold, trees[arm])) / n
        root[arm] = 1.0 / n**power
        if len(trace) > 0:
            trace[t - 1, 0], trace[t - 1, 1] = arm, 1
        if mark < len(checkpoints) and checkpoints[mark] == t:
            regret[mark] = 0.0
            for each in range(n_arms):
                regret[mark] += pulls[each] * max(best - means[each], 0.0)
            mark += 1

"""Elimination by locally private regression whose weights are learnt, in epochs of doubling length, the first random.

In an epoch every user plays a random one of the actions that are left for the own set. The server holds a symmetric
matrix U, at first I, and the users of an epoch speak in turns, each of them once:

* `batches` batches of users send U^(1/2) x x' U^(1/2) / |U x|, a matrix of Frobenius norm at most 1, with Gaussian
  noise on its upper triangle. With F the mean of a batch and W = U^(-1/2) F U^(-1/2), its eigenvalues below 0 put at 0,
  the next U solves U W U + l U = I, where l is the largest size of the noise on F;
* three quarters of the epoch's users send w x' and y w, w = U x / |U x|, with Gaussian noise on every entry. With G and
  g the means of n users' messages and M = (G + r/sqrt n I)^-1, the estimate is M g, and no action's mean is farther
  from that by it than 2 |M' x| r / sqrt n.

After an epoch those actions stay of each set whose interval reaches that of the best. All counts and sums of an epoch
are drawn at once, rewards that are uniform about their mean as a normal number where there are more than `DIRECT`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.kernels import linear, stretches
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.problems.contexts import ContextRecord

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

PIECE = WHOLE_RUN
_SHARE = 4  # of the users of an epoch one in so many helps to find the weights


class Record(NamedTuple):
    """The constants of a policy."""

    dim: int
    first: int  # users of the first epoch, at least, and fewer than twice as many
    batches: int  # 0: U stays I
    sigma: float  # of the messages on weights
    size: float  # of the noise on a batch's sum, over the root of its users
    regression_sigma: float
    radius: float  # r
    largest_reward: float = np.inf
    horizon: int = 0


class State:
    """What the loop carries from phase to phase.

    Parameters
    ----------
    problem : ContextRecord
    policy : Record
    """

    def __init__(self, problem: ContextRecord, policy: Record) -> None:
        self.weights = np.eye(policy.dim)
        self.alive = np.ones(problem.means.shape, bool)
        self.counts = np.zeros(problem.means.shape, np.int64)
        self.epoch, self.phase = 0, policy.batches  # the epoch before the first has ended
        self.size = 0.0
        self.begun, self.end, self.regret, self.rate = 0, 0, 0.0, 0.0


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what `stretches` refuses."""
    constants = linear.Record(record.dim, largest_reward=record.largest_reward, horizon=record.horizon)
    return stretches.check(name, problem, stretches.Record(constants), horizon)


def start(problem: ContextRecord, policy: Record) -> State:
    """Return the state before the first round."""
    return State(problem, policy)


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one message pays, as each user sends one: on weights or for the regression."""
    reach = 2.0 * math.hypot(1.0, record.largest_reward)
    weighing = added(record.sigma, 2.0**0.5, delta, gaussian=True) if record.batches else 0.0
    return max(weighing, added(record.regression_sigma, reach, delta, gaussian=True)), True


def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise) -> None:
    """Play the rounds first..last; in a phase the regret is interpolated, and users come by their sets and actions."""
    while True:
        among = (checkpoints >= first) & (checkpoints > state.begun) & (checkpoints <= min(state.end, last))
        regret[among] = state.regret + state.rate * (checkpoints[among] - state.begun)
        if len(trace):
            actions = np.repeat(np.tile(np.arange(problem.n_actions), len(problem.sets)), state.counts.ravel())
            rows = slice(max(first - 1, state.begun), min(state.end, last))
            trace[rows, 0], trace[rows, 1] = actions[rows.start - state.begun : rows.stop - state.begun], 1
        if state.end >= last:
            return
        _phase(problem, policy, state, env, choice, noise)


def _phase(problem: Any, policy: Record, state: State, env: Any, choice: Any, noise: Any) -> None:
    """Draw the sums of a phase, and change the weights or, at the end of an epoch, the actions that are left."""
    state.regret += state.rate * (state.end - state.begun)
    state.phase += 1
    if state.phase > policy.batches:
        state.epoch, state.phase = state.epoch + 1, 0
        state.size = 2.0 * state.size if state.size else policy.first * 2.0 ** choice.random()
    users = int(state.size)
    part = users // (_SHARE * max(policy.batches, 1))
    last = state.phase == policy.batches
    rounds = users - policy.batches * part if last else part
    state.begun, state.end = state.end, state.end + rounds

    shown = env.multinomial(rounds, np.full(len(problem.sets), 1.0 / len(problem.sets)))
    counts = np.array([choice.multinomial(n, own / own.sum()) for n, own in zip(shown, state.alive, strict=True)])
    state.counts = counts
    state.rate = float(np.sum(counts * (problem.means.max(axis=1, keepdims=True) - problem.means))) / rounds

    x = np.swapaxes(problem.sets, 1, 2).reshape(-1, policy.dim)
    played, root = counts.ravel().astype(float), math.sqrt(rounds)
    turned = x @ state.weights
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    w = np.divide(turned, lengths, out=np.zeros_like(turned), where=lengths > 0.0)
    if not last:
        upper = np.triu(noise.normal(0.0, policy.sigma * root, (policy.dim, policy.dim)))
        values, vectors = np.linalg.eigh(state.weights)
        half, back = (vectors @ np.diag(values**power) @ vectors.T for power in (0.5, -0.5))
        total = half @ (x.T @ (played[:, None] * w)) @ back  # U^(1/2) x x' U^(1/2) / |U x|
        seen = back @ ((total + total.T) / 2.0 + upper + np.triu(upper, 1).T) @ back / rounds
        values, vectors = np.linalg.eigh(seen)
        least = policy.size / root
        roots = 2.0 / (least + np.sqrt(least**2 + 4.0 * np.maximum(values, 0.0)))
        state.weights = vectors @ np.diag(roots) @ vectors.T
        return
    rewards = [
        stretches.rewards(n, mean, problem.binary, problem.spread, env)
        for n, mean in zip(counts.flat, problem.means.flat, strict=True)
    ]
    sent = noise.normal(0.0, policy.regression_sigma * root, (policy.dim, policy.dim + 1))
    matrix = ((played[:, None] * w).T @ x + sent[:, 1:]) / rounds
    inverse = np.linalg.inv(matrix + policy.radius / root * np.eye(policy.dim))
    middle = x @ (inverse @ ((np.array(rewards) @ w + sent[:, 0]) / rounds))
    width = 2.0 * policy.radius / root * np.linalg.norm(x @ inverse, axis=1)
    low, high = ((middle + side * width).reshape(state.alive.shape) for side in (-1.0, 1.0))
    state.alive &= high >= np.where(state.alive, low, -np.inf).max(axis=1, keepdims=True)

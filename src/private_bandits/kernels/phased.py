"""Elimination in phases of doubling length on one known set of actions, whose users send a noisy reward each.

A phase plays a design on the actions that are left, each action as often as the design says and one after the other.
Least squares on the phase's noisy rewards estimate the parameter, and an action stays if its interval reaches that of
the best. The last action is played to the end. Rewards and noise are drawn as sums, see `sums` and `stretches`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.kernels import linear, stretches
from private_bandits.kernels.parts.sums import laplace_sum
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.problems.contexts import ContextRecord

__all__ = [
    "FAMILY",
    "PIECE",
    "Record",
    "account",
    "advance",
    "blank",
    "check",
    "design",
    "seen",
    "start",
    "widths",
]

PIECE = WHOLE_RUN
_NEAR = 2.0  # times the least that any design can do


class Record(NamedTuple):
    """The constants of a policy."""

    dim: int
    first: int  # rounds of the first phase, at least, and about twice as many at most
    scale: float  # of the Laplace noise on a reward
    tail: float  # L, from the probability with which an interval may fail
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
        self.alive = np.ones(problem.n_actions, bool)
        self.counts = np.zeros(problem.n_actions, np.int64)
        self.size, self.begun, self.regret = 0.0, 0, 0.0


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what `stretches` refuses, and several sets."""
    constants = linear.Record(record.dim, largest_reward=record.largest_reward, horizon=record.horizon)
    found = stretches.check(name, problem, stretches.Record(constants), horizon)
    if len(problem.sets) != 1:
        raise ValueError(f"problem of {name} must have one set of actions, got {len(problem.sets)}")
    return found


def start(problem: ContextRecord, policy: Record) -> State:
    """Return the state before the first round."""
    return State(problem, policy)


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return that nothing is proved: the action is sent in clear."""
    return math.inf, True


def design(actions: np.ndarray) -> np.ndarray:
    """Return shares of actions at which no x' V^-1 x exceeds twice the rank, V the mean of x x'.

    Parameters
    ----------
    actions : float64 array, shape (n_actions, dim)

    Returns
    -------
    float64 array, shape (n_actions,)
        By multiplicative steps from equal shares of the actions that are not zero; equal shares if all are.
    """
    shown = (np.abs(actions).max(axis=1) > 0.0).astype(float)
    shares = shown / shown.sum() if shown.any() else np.full(len(actions), 1.0 / len(actions))
    rank = np.linalg.matrix_rank(actions)
    while True:
        inverse = np.linalg.pinv(actions.T @ (shares[:, None] * actions))
        size = np.einsum("ai,ij,aj->a", actions, inverse, actions)
        if size.max() <= _NEAR * rank:
            return shares
        shares = shares * size / rank


def widths(actions: np.ndarray, inverse: np.ndarray, scale: float, tail: float) -> np.ndarray:
    """Return how far the estimated mean of each action may be off.

    Parameters
    ----------
    actions : float64 array, shape (n_actions, dim)
    inverse : float64 array, shape (dim, dim)
        V^-1 of the phase's plays.
    scale, tail : float
        Of the record.

    Returns
    -------
    float64 array, shape (n_actions,)
        By Bernstein's inequality for |x|_{V^-1} and variance proxies 1 + 2 b^2, largest weight max_s |x' V^-1 x_s|.
    """
    across = np.abs(actions @ inverse @ actions.T)
    return np.sqrt(np.diag(across) * 2.0 * (1.0 + 2.0 * scale**2) * tail) + scale * tail * across.max(axis=1)


def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise) -> None:
    """Play the rounds first..last."""
    gaps = problem.means[0].max() - problem.means[0]
    while True:
        ends = state.begun + np.append(0, np.cumsum(state.counts))
        lost = state.regret + np.append(0.0, np.cumsum(state.counts * gaps))
        among = (checkpoints >= first) & (checkpoints > state.begun) & (checkpoints <= min(ends[-1], last))
        regret[among] = np.interp(checkpoints[among], ends, lost)
        if len(trace):
            rows = np.arange(max(first - 1, state.begun), min(ends[-1], last))
            trace[rows, 0], trace[rows, 1] = np.searchsorted(ends, rows, side="right") - 1, 1
        if ends[-1] >= last:
            return
        state.begun, state.regret = int(ends[-1]), float(lost[-1])
        _phase(problem, policy, state, env, choice, noise)


def _phase(problem: Any, policy: Record, state: State, env: Any, choice: Any, noise: Any) -> None:
    """Draw the sums of a phase, and drop the actions that it shows to be worse."""
    left = np.flatnonzero(state.alive)
    state.counts[:] = 0
    if len(left) == 1:
        state.counts[left] = WHOLE_RUN // 2
        return
    x = problem.sets[0].T[left]
    state.size = 2.0 * state.size if state.size else policy.first * 2.0 ** choice.random()  # so that no grid shows
    state.counts[left] = counts = np.ceil(state.size * design(x)).astype(np.int64)
    sums = [
        stretches.rewards(n, mean, problem.binary, problem.spread, env) + laplace_sum(noise, n, policy.scale)
        for n, mean in zip(counts.tolist(), problem.means[0][left].tolist(), strict=True)
    ]
    inverse = np.linalg.pinv((counts[:, None] * x).T @ x)
    middle, width = x @ inverse @ x.T @ np.array(sums), widths(x, inverse, policy.scale, policy.tail)
    state.alive[left] = middle + width >= np.max(middle - width)

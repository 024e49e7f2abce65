"""Learners written in Python, asked for what to play and given the feedback.

They play the problems that the kernels play, on the same streams, some hundred times slower.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from private_bandits import checks
from private_bandits.kernels import protocol
from private_bandits.kernels.sums import pareto_reward
from private_bandits.problems import ConvexLoss, LinearContext
from private_bandits.problems.families import TOP, observe_set, regret_of_set
from private_bandits.problems.lists import observe, pseudo_regret
from private_bandits.problems.losses import STOCHASTIC, observe_loss
from private_bandits.problems.optimum import best_points


class Learner(Protocol):
    """A policy written in Python, asked for a list, or for a point, and given the feedback.

    What `simulate` is handed has a `name` and `start(problem, choice, noise)`, which returns a fresh learner.
    """

    def ask(self) -> Sequence[Any]:
        """Return what to play.

        Returns
        -------
        sequence
            The items, in order; of a ConvexLoss the point (an arm as [arm]).
        """

    def tell(self, feedback: Sequence[float]) -> Any:
        """Take the feedback.

        What it returns, a number or several, is what the round's user sends; `audit` looks at it where asked for
        messages, and at what a method `state()` returns where asked for the state.

        Parameters
        ----------
        feedback : sequence of float
            The weights of the observed positions, from the top of the list; or the loss at the point.
        """


def check(name: str, problem: Any) -> None:
    """Refuse a problem that learners cannot play: they are not shown contexts.

    Parameters
    ----------
    name : str
        Of the learner.
    problem : Arms, Cascade, ConvexLoss, LinearContext or SemiBandit

    Raises
    ------
    ValueError
        For a LinearContext.
    """
    if isinstance(problem, LinearContext):
        raise ValueError(f"{name} cannot read contexts, got {problem}")


def blank(problem: Any, rounds: int) -> np.ndarray:
    """Return an empty trace of some rounds, of the kind that the problem's kernels have.

    Parameters
    ----------
    problem : Arms, Cascade, ConvexLoss or SemiBandit
    rounds : int
        >= 0.

    Returns
    -------
    array
        See `kernels.protocol.blank` and `kernels.online.blank`.
    """
    if isinstance(problem, ConvexLoss):
        return np.zeros((rounds, problem.point_size + 1))
    return protocol.blank(problem, None, rounds)


def play(
    problem: Any, policy: Any, horizon: int, checkpoints: np.ndarray, streams: Any, trace: np.ndarray
) -> np.ndarray:
    """Play a learner from the first round to the horizon.

    Parameters
    ----------
    problem : Arms, Cascade, ConvexLoss or SemiBandit
    policy : object with `start(problem, choice, noise)`
    horizon : int
        Rounds of the run, >= 1.
    checkpoints : int64 array, increasing
    streams : Streams
        Of the replication.
    trace : array, shape (horizon, width) or (0, width), written
        What `blank` returns.

    Returns
    -------
    float64 array, as long as `checkpoints`
        The pseudo-regret there.

    Raises
    ------
    ValueError
        If the learner asks for what cannot be played.
    """
    learner = policy.start(problem, streams.choice, streams.noise)
    game = (_Points if isinstance(problem, ConvexLoss) else _Lists)(problem)
    regret, total, at = np.zeros(len(checkpoints)), 0.0, {int(t): place for place, t in enumerate(checkpoints)}
    for t in range(1, horizon + 1):
        feedback, lost, row = game.round(t, learner.ask(), streams.env)
        learner.tell(feedback)
        total += lost
        if len(trace):
            trace[t - 1] = row
        if t in at:
            regret[at[t]] = total - game.best_fixed()
    return regret


class _Lists:
    """Rounds of a list problem."""

    def __init__(self, problem: Any) -> None:
        self.problem, self.record = problem, problem.record()
        self.weights, self.missed = np.zeros(problem.list_size), np.ones(problem.n_items)

    def round(self, t: int, answer: Any, env: np.random.Generator) -> tuple[list[float], float, list[Any]]:
        """Return the feedback, the expected loss and the row of the trace."""
        record, weights = self.record, self.weights
        order = np.array(answer)
        if order.dtype.kind not in "iu" or order.ndim != 1 or not self.problem.allows(order.tolist()):
            raise ValueError(f"ask() must return {self.problem.legal} of {self.problem}, got {checks.brief(answer)}")
        order, size = order.astype(np.int64), len(order)
        if record.shape > 0.0:
            observed, weights[0] = 1, pareto_reward(env, record.means[order[0]], record.shape)
        elif record.family.oracle == TOP:
            observed = observe(record.means, record.cascade, order, env, weights)
        else:
            observed = observe_set(record.means, record.family.groups, order, size, env, weights)
        if record.family.oracle == TOP:
            lost = pseudo_regret(record.means, record.cascade, record.best, order)
        else:
            lost = regret_of_set(record.means, record.family, record.best, order, size, self.missed)
        return weights[:observed].tolist(), lost, [*order, *[-1] * (len(weights) - size), observed]

    def best_fixed(self) -> float:
        """What the best fixed list would have lost: nothing."""
        return 0.0


class _Points:
    """Rounds of a ConvexLoss."""

    def __init__(self, problem: ConvexLoss) -> None:
        self.problem, self.record = problem, problem.record()
        self.seen, self.counts = np.zeros(1), np.zeros(len(self.record.anchors))

    def round(self, t: int, answer: Any, env: np.random.Generator) -> tuple[list[float], float, list[Any]]:
        """Return the feedback, the loss beyond that of the best point of the mean, and the row of the trace."""
        point = np.array(answer, np.float64)
        if not self.problem.allows(point):
            raise ValueError(f"ask() must return a point of {self.problem}, got {checks.brief(answer)}")
        which, value = observe_loss(self.record, t, point[None], env, self.seen)
        if which >= 0:
            self.counts[which] += 1.0
        return self.seen.tolist(), value - self.record.best, [*point, self.seen[0]]

    def best_fixed(self) -> float:
        """What the best fixed point lost so far, for losses that are not stochastic."""
        if self.record.mode == STOCHASTIC:
            return 0.0
        return float(best_points(self.record, self.counts[None])[1][0])

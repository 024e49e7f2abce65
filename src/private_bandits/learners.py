"""Policies written in Python, asked for what to play and given the feedback.

They play the problems that the kernels play, from the same random numbers, and problems that are written in Python.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from functools import lru_cache, partial
from itertools import chain
from numbers import Real
from typing import Any, Protocol

import numpy as np

from private_bandits import checks
from private_bandits.kernels import protocol
from private_bandits.kernels.parts.sums import pareto_scale
from private_bandits.problems import ConvexLoss, LinearContext, Problem
from private_bandits.problems.contexts import draw_rounds
from private_bandits.problems.families import TOP, observe_set, regret_of_set
from private_bandits.problems.lists import ListProblem, observe, pseudo_regret
from private_bandits.problems.losses import STOCHASTIC, observe_loss
from private_bandits.problems.optimum import best_points
from private_bandits.streams import Streams, apart, held_by, own_copy, streams

__all__ = [
    "Learner",
]

_BLOCK = 1024  # uniform numbers, drawn at a time
_ROUNDS = 256  # contexts, drawn at a time
_ANSWERS = 4096  # known at a time
_ROUNDING = 1e-9  # by which a gap may be below 0
_REHEARSED = 200  # rounds that are played twice before the first run
Round = tuple[Sequence[float], float]  # the feedback and the expected loss


class Learner(Protocol):
    """A policy written in Python, asked for a list, or for a point, and given the feedback.

    What `simulate` is handed has a `name` and `start(problem, choice, noise)`, which returns a fresh learner.
    """

    def ask(self) -> Sequence[Any]:
        """Return what to play.

        For a LinearContext it is called with the vectors of the round, a float64 array of shape (n_actions, dim).

        Returns
        -------
        sequence
            The items, in order; of a ConvexLoss the point; an arm or an action as [number].
        """

    def tell(self, feedback: Sequence[float]) -> Any:
        """Take the feedback.

        Parameters
        ----------
        feedback : sequence of float
            The weights of the observed positions, from the top of the list; or the loss at the point; or the reward.

        Returns
        -------
        Any
            What the round's user sends, a number or several; `audit` reads it where asked for messages, and what a
            method `state()` returns where asked for the state. None where nobody asks.
        """


def check(policy: Any, problem: Any, horizon: int) -> None:
    """Refuse what is no problem, and what does not follow from its streams: the first rounds of a run are played twice.

    No look into a policy finds all that one run could leave to the next, or draw from elsewhere.

    Parameters
    ----------
    policy : object with `name` and `start(problem, choice, noise)`
    problem : Arms, Cascade, ConvexLoss, LinearContext, Problem or SemiBandit
    horizon : int
        Rounds of a run, >= 1.

    Raises
    ------
    ValueError
        If the problem is anything else, it or the policy cannot be copied, or a run of them cannot be played; if the
        second one is another, or the first one has changed what copies share; if two runs have a stream in common.
    """
    words = "Arms, a Cascade, a ConvexLoss, a LinearContext, a SemiBandit or a Problem of your own"
    protocol.check_kind(policy.name, problem, (ListProblem, ConvexLoss, LinearContext, Problem), words)
    with apart(policy, problem):  # from the start on, in which a run may draw, too
        played = [_begun(problem, policy, streams(0, run)) for run in (0, 0, 1)]
        learner, _, other = (each for _, each in played)
        with apart(type(learner)):
            before = held_by(learner) & held_by(other)
            once, again, _ = (_rehearsed(*each, min(horizon, _REHEARSED)) for each in played)
        if before or held_by(learner) & held_by(other):  # which may be made in the first round that needs it
            raise ValueError(f"{policy.name} must draw from the streams of its run, got one that all runs have")
    for t, (first, second) in enumerate(zip(once, again, strict=True), 1):
        if first != second:
            got = f"{checks.brief(first)} and then {checks.brief(second)} in round {t}: draw from choice and noise only"
            raise ValueError(f"a run of {policy.name} must follow from its streams, got {got}")


def blank(problem: Any, rounds: int) -> np.ndarray:
    """Return an empty trace of some rounds, of the kind that the problem's kernels have.

    Parameters
    ----------
    problem : Arms, Cascade, ConvexLoss, LinearContext, Problem or SemiBandit
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
    problem : Arms, Cascade, ConvexLoss, LinearContext, Problem or SemiBandit
    policy : object with `start(problem, choice, noise)`
        A copy is started, so that nothing that a replication leaves in it reaches another.
    horizon : int
        Rounds of the run, >= 1.
    checkpoints : int64 array, increasing, the last one the horizon
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
        If the learner asks for what cannot be played, or the policy has a random stream of its own.
    """
    game, learner = _begun(problem, policy, streams)

    def write(t: int, answer: Any, feedback: Any, lost: float) -> None:
        trace[t - 1] = game.row(answer, feedback)

    with apart(policy, problem, type(learner)) if horizon > _REHEARSED else nullcontext():
        return _rounds(game, learner, checkpoints, write if len(trace) else None)


def _begun(problem: Any, policy: Any, source: Streams) -> tuple["_Game", Any]:
    """The game of a run and its learner, each with copies of its own."""
    learner = own_copy(policy).start(own_copy(problem), source.choice, source.noise)
    if not (hasattr(learner, "ask") and hasattr(learner, "tell")):
        got = checks.brief(learner)
        raise ValueError(f"start() of {policy.name} must return what has ask() and tell(), got {got}")
    game = _game(problem)(problem, source.env)
    game.bounded_for = policy.name if getattr(policy, "problems", ()) else ""
    return game, learner


def _rehearsed(game: "_Game", learner: Any, rounds: int) -> list[tuple[Any, ...]]:
    """What is asked, told and lost in the first rounds."""
    seen: list[tuple[Any, ...]] = []
    _rounds(game, learner, np.array([rounds]), lambda t, answer, told, lost: seen.append((*answer, *told, lost)))
    return seen


def _rounds(
    game: "_Game", learner: Any, checkpoints: np.ndarray, write: Callable[[int, Any, Any, float], None] | None
) -> np.ndarray:
    shown, play_round = game.shown, game.round
    regret, total, begun = np.zeros(len(checkpoints)), 0.0, 0
    for place, mark in enumerate(checkpoints.tolist()):
        t = begun
        try:
            for t in range(begun + 1, mark + 1):
                answer = learner.ask(shown()) if shown else learner.ask()
                if type(answer) is not list:
                    answer = _ordered(answer)
                feedback, lost = play_round(answer, t)
                if write:
                    write(t, answer, feedback, lost)
                learner.tell(feedback)
                total += lost
        except BaseException as error:
            error.add_note(f"in round {t}")
            raise
        regret[place], begun = total - game.best_fixed(), mark
    return regret


def _ordered(answer: Any) -> Any:
    """An answer that may be read again; what has no order is none."""
    if isinstance(answer, Mapping | Set):
        raise ValueError(f"ask() must return what has an order, got {checks.brief(answer)}")
    return [*answer] if isinstance(answer, Iterator) else answer


class _Game:
    """The rounds of a problem."""

    shown: Callable[[], Any] | None = None
    """What returns that which a learner is shown before it answers."""
    bounded_for = ""
    """Who counts on rewards in [0, 1]."""

    def __init__(self, problem: Any, env: np.random.Generator) -> None:
        self.problem, self.env = problem, env

    def round(self, answer: Any, t: int) -> Round:
        """Play an answer."""
        raise NotImplementedError

    def row(self, answer: Any, feedback: Any) -> list[Any]:
        """Return the row of the trace."""
        return [*answer, *[-1] * (self.problem.list_size - len(answer)), len(feedback)]

    def best_fixed(self) -> float:
        """Return what the best fixed answer would have lost, where the regret counts from it."""
        return 0.0

    def refused(self, what: str, answer: Any) -> ValueError:
        """Return the error of an answer that cannot be played."""
        return ValueError(f"ask() must return {what} of {self.problem}, got {checks.brief(answer)}")


class _Numbers:
    """A generator whose uniform numbers are drawn in blocks: the same ones, in a tenth of the time."""

    def __init__(self, env: np.random.Generator) -> None:
        self.random = chain.from_iterable(iter(lambda: env.random(_BLOCK).tolist(), None)).__next__


class _Lists(_Game):
    """Rounds of a list problem. A list is checked, and its loss found, when it is played first."""

    def __init__(self, problem: Any, env: np.random.Generator) -> None:
        super().__init__(problem, env)
        self.known = lru_cache(_ANSWERS, typed=True)(self._known)
        self.start()

    def start(self) -> None:
        """Prepare what the lists share."""
        self.record, self.numbers = self.problem.record(), _Numbers(self.env)
        self.means, self.missed = self.record.means.tolist(), np.ones(self.problem.n_arms)

    def round(self, answer: Any, t: int) -> Round:
        """Play a list."""
        try:
            played = self.known(*answer)
        except TypeError as error:  # no sequence, or one of sequences
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:  # raised in the problem
                raise
            raise self.refused(self.problem.legal, answer) from None
        return played(t)

    def _known(self, *answer: Any) -> Callable[[int], Round]:
        if not checks.flag("allows()", self.problem.allows([*answer])):
            raise self.refused(self.problem.legal, [*answer])
        return self.play_of([int(item) for item in answer])

    def play_of(self, order: list[int]) -> Callable[[int], Round]:
        """Return what plays a list: the kernels' own sources, as calls of what is compiled would take longer."""
        record, means, size, numbers = self.record, self.means, len(order), self.numbers
        if record.family.oracle == TOP:
            lost = pseudo_regret.py_func(means, record.cascade, record.best, order)
            draw = partial(observe.py_func, means, record.cascade, order, numbers)
        else:
            lost = regret_of_set(record.means, record.family, record.best, np.array(order), size, self.missed)
            draw = partial(observe_set.py_func, means, record.family.groups, order, size, numbers)

        def several(t: int) -> Round:
            weights = [0.0] * size
            return weights[: draw(weights)], lost

        number, mean = numbers.random, means[order[0]]
        if record.shape > 0.0:
            scale, power = pareto_scale(mean, record.shape), -1.0 / record.shape
            return lambda t: ([scale * (1.0 - number()) ** power], lost)
        return several if size > 1 else lambda t: ([1.0 if number() < mean else 0.0], lost)


class _Own(_Lists):
    """Rounds of a problem written in Python."""

    def start(self) -> None:
        """Copy the problem, which may change."""
        self.problem = own_copy(self.problem)

    def play_of(self, order: list[int]) -> Callable[[int], Round]:
        """Return what plays a list."""
        problem, env = self.problem, self.env  # whose methods may change

        def play(t: int) -> Round:
            lost, feedback = problem.gap([*order], t), problem.draw([*order], t, env)
            if not (isinstance(lost, Real) and lost >= -_ROUNDING and _floats((lost,))):  # type: ignore[operator]
                got = f"{checks.brief(lost)} for {order} in round {t}"
                raise ValueError(f"gap() must return a number >= 0, got {got}")
            if (told := _floats(feedback)) is None:  # a list of its own, as the problem may fill its one anew
                got = f"{checks.brief(feedback)} for {order} in round {t}"
                raise ValueError(f"draw() must return a sequence of finite numbers, got {got}")
            if self.bounded_for and not all(0.0 <= one <= 1.0 for one in told):
                got = f"{checks.brief(told)} for {order} in round {t}"
                raise ValueError(f"draw() must return rewards in [0, 1] for {self.bounded_for}, got {got}")
            return told, float(lost)

        return play


class _Points(_Game):
    """Rounds of a ConvexLoss."""

    def __init__(self, problem: ConvexLoss, env: np.random.Generator) -> None:
        super().__init__(problem, env)
        self.record, self.numbers = problem.record(), _Numbers(env)
        self.counts = np.zeros(len(self.record.anchors))

    def round(self, answer: Any, t: int) -> Round:
        """Play a point; the loss is that beyond the best point of the mean."""
        point = np.array(answer, np.float64)
        if not self.problem.allows(point):
            raise self.refused("a point", answer)
        seen = [0.0]
        which, value = observe_loss.py_func(self.record, t, point[None], self.numbers, seen)
        if which >= 0:
            self.counts[which] += 1.0
        return seen, value - self.record.best

    def row(self, answer: Any, feedback: Any) -> list[Any]:
        """Return the point and the feedback."""
        return [*answer, *feedback]

    def best_fixed(self) -> float:
        """Return what the best fixed point lost so far, for losses that are not stochastic."""
        if self.record.mode == STOCHASTIC:
            return 0.0
        return float(best_points(self.record, self.counts[None])[1][0])


class _Contexts(_Game):
    """Rounds of a LinearContext, drawn many at a time: what is drawn does not depend on what is played."""

    def __init__(self, problem: LinearContext, env: np.random.Generator) -> None:
        super().__init__(problem, env)
        self.record, self.place = problem.record(), _ROUNDS
        self.actions = np.zeros((_ROUNDS, problem.dim, problem.n_actions))
        self.means, self.numbers = np.zeros((_ROUNDS, problem.n_actions)), np.zeros(_ROUNDS)

    def shown(self) -> np.ndarray:
        """Draw the vectors of the next round."""
        self.place += 1
        if self.place >= _ROUNDS:
            draw_rounds(self.record, self.env, self.actions, self.means, self.numbers)
            self.place = 0
        return self.actions[self.place].T.copy()

    def round(self, answer: Any, t: int) -> Round:
        """Play an action."""
        means, number = self.means[self.place].tolist(), float(self.numbers[self.place])
        try:
            (action,) = answer
            action = checks.integer("action", action, at_least=0, at_most=len(means) - 1)
        except (TypeError, ValueError):
            raise self.refused("[action]", answer) from None
        mean = means[action]
        reward = float(number < mean) if self.record.binary else mean + self.record.spread * (2.0 * number - 1.0)
        return [reward], max(means) - mean


_NO_LIST = (Iterator, Mapping, Set, str, bytes)  # read once, without order, or no numbers


def _floats(numbers: Any) -> list[float] | None:
    """Finite numbers, read once, as floats: a learner's sum of NumPy's has their few bits. None of anything else."""
    try:
        told = [math.nan] if isinstance(numbers, _NO_LIST) else [*numbers]
        return [*map(float, told)] if all(map(math.isfinite, told)) else None
    except (TypeError, OverflowError, ValueError):  # the last of decimal's sNaN
        return None


def _game(problem: Any) -> type[_Game]:
    kinds: dict[type, type[_Game]] = {ConvexLoss: _Points, LinearContext: _Contexts, Problem: _Own}
    return next((game for kind, game in kinds.items() if isinstance(problem, kind)), _Lists)

"""Every history of a finite bandit policy and its exact probability: the tensors behind the losses."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from private_bandits import checks
from private_bandits.channels import logs

History = tuple[tuple[int, Hashable], ...]

HISTORIES = 100_000
"""The most histories that are visited."""


@runtime_checkable
class FinitePolicy(Protocol):
    """A bandit policy over finitely many arms and rewards: subclasses have `probabilities`, and what differs.

    `probabilities(history)` returns the distribution of the next arm, shape (arms,), given the pairs (arm, signal) of
    the rounds so far, arms counted from 0. Under bandit feedback the signal is the reward of the pulled arm. The
    probabilities are those given everything before, so randomness kept from round to round, hidden private responses
    and all, is integrated out.

    Attributes
    ----------
    rewards : sequence of float
        The values that a reward takes, (0, 1) by default.
    signal : callable or None
        `signal(outcome, arm)` is what the learner sees when a round's outcome is the tuple of all arms' rewards
        (partial monitoring, hashable); None for `outcome[arm]`.
    """

    rewards: Sequence[float] = (0, 1)
    signal: Any = None

    @property
    def channel(self) -> Any:
        """The randomiser between each reward and the learner (local privacy), shape (rewards, responses), or None."""
        return None

    def probabilities(self, history: History, /) -> Any:
        """Return the distribution of the next arm.

        Parameters
        ----------
        history : tuple of (int, hashable)
            Arm and signal of each round so far.

        Returns
        -------
        array_like, shape (arms,)
        """


@dataclass(frozen=True)
class Game:
    """A policy with its arms, rewards and feedback.

    Attributes
    ----------
    policy : FinitePolicy
        What is enumerated.
    n_arms : int
        Arms, >= 1.
    rewards : tuple of float
        Different values that a reward takes.
    entries : tuple of (int, hashable)
        The pairs (arm, signal) that one round can add to a history.
    """

    policy: FinitePolicy
    n_arms: int
    rewards: tuple[float, ...]
    entries: tuple[tuple[int, Hashable], ...]

    @property
    def arms(self) -> np.ndarray:
        """Arm of each entry, shape (entries,)."""
        return np.array([arm for arm, _ in self.entries])

    def outcomes(self) -> list[tuple[float, ...]]:
        """Return every outcome of one round.

        Returns
        -------
        list of tuple of float
            A reward for each arm, in the order of `itertools.product(rewards, repeat=n_arms)`.
        """
        return list(product(self.rewards, repeat=self.n_arms))

    def entry_of(self) -> np.ndarray:
        """Return the entry that each outcome adds under each arm.

        Returns
        -------
        int array, shape (outcomes, arms)
            Places in `entries`.
        """
        place = {entry: i for i, entry in enumerate(self.entries)}
        see = self.policy.signal or _own_reward
        return np.array([[place[arm, see(x, arm)] for arm in range(self.n_arms)] for x in self.outcomes()])


def describe(policy: FinitePolicy) -> Game:
    """Collect what the losses need of a policy.

    Parameters
    ----------
    policy : FinitePolicy
        The policy.

    Returns
    -------
    Game

    Raises
    ------
    ValueError
        If it is no `FinitePolicy`, its rewards are not different numbers, or a round has too many outcomes.
    """
    if not isinstance(policy, FinitePolicy):
        wrong = checks.brief(policy)
        raise ValueError(f"policy must be a FinitePolicy, with a method probabilities(history), got {wrong}")
    values, see, count = _values(policy.rewards), policy.signal, len(policy.probabilities(()))
    if see is None:
        entries = [(arm, reward) for arm in range(count) for reward in values]
    elif not _few(len(values), count + 1):
        raise ValueError(f"policy must have fewer arms: a round has more than {HISTORIES} outcomes, got {count} arms")
    else:
        seen = {(arm, see(x, arm)): None for arm in range(count) for x in product(values, repeat=count)}
        entries = list(seen)
    return Game(policy, count, values, tuple(entries))


def neighbours(game: Game, definition: str) -> list[list[int]]:
    """Return the sets of entries among which one round may change while its arm stays.

    Under "outcomes" all rewards of the round may change, so every signal of an arm is a neighbour of every other.
    Under "rewards" only the obtained reward changes; the rewards of the arms not pulled are held.

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.
    definition : {"outcomes", "rewards"}
        What may change.

    Returns
    -------
    list of list of int
        Places in the game's entries.
    """
    if definition == "outcomes" or game.policy.signal is None:
        return [[i for i, (arm, _) in enumerate(game.entries) if arm == a] for a in range(game.n_arms)]
    entry_of = game.entry_of().reshape((len(game.rewards),) * game.n_arms + (game.n_arms,))
    groups = {
        tuple(sorted(set(line)))
        for arm in range(game.n_arms)
        for line in np.moveaxis(entry_of[..., arm], arm, -1).reshape(-1, len(game.rewards)).tolist()
    }
    return [list(group) for group in sorted(groups)]


def conditional_laws(game: Game, horizon: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, round by round, ln P(arms so far | signals so far) and ln P(next arm | both).

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.
    horizon : int
        T >= 1.

    Yields
    ------
    reached : array, shape (entries,) * (t - 1)
        -inf where the arms are impossible under the signals.
    laws : array, shape (entries,) * (t - 1) + (arms,)
        Of the arm of round t; nan where `reached` is -inf.

    Raises
    ------
    ValueError
        If there are more histories than the game allows, or the policy's law of an arm is no distribution.
    """
    size = len(game.entries)
    if not _few(size, horizon):
        raise ValueError(f"horizon must be smaller: more than {HISTORIES} histories would be visited")
    reached = np.zeros(())
    for t in range(horizon):
        laws = np.full((*(size,) * t, game.n_arms), np.nan)
        for index in zip(*np.nonzero(np.isfinite(reached)), strict=True) if t else [()]:
            laws[index] = _distribution(game, tuple(game.entries[i] for i in index))
        laws = logs(laws)
        yield reached, laws
        reached = np.where(np.isneginf(reached)[..., None], -np.inf, reached[..., None] + laws)[..., game.arms]


def joint_law(game: Game, horizon: int) -> np.ndarray:
    """Return the law of all arms given the signals; the last signal is never used.

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.
    horizon : int
        T >= 1.

    Returns
    -------
    array, shape (entries,) * (T - 1) + (arms,)
        ln P(a_1, ..., a_T | signals).
    """
    *_, (reached, laws) = conditional_laws(game, horizon)
    return np.where(np.isneginf(reached)[..., None], -np.inf, reached[..., None] + laws)


def _few(size: int, horizon: int) -> bool:
    """Say whether 1 + size + ... + size^(horizon - 1) histories are few enough, without working it out."""
    total, power = 0, 1
    for _ in range(min(horizon, HISTORIES + 1)):
        total, power = total + power, power * size
        if total > HISTORIES:
            return False
    return True


def _own_reward(outcome: tuple[float, ...], arm: int) -> Hashable:
    return outcome[arm]


def _values(rewards: Sequence[float]) -> tuple[float, ...]:
    values = checks.vector("rewards", rewards)
    if len(set(values.tolist())) < len(values):
        raise ValueError(f"rewards must be different, got {checks.brief(rewards)}")
    return tuple(rewards)


def _distribution(game: Game, history: History) -> np.ndarray:
    law = np.asarray(game.policy.probabilities(history), dtype=float)
    if law.shape != (game.n_arms,) or not (law >= 0).all() or abs(law.sum() - 1) > 1e-9:
        raise ValueError(
            f"policy.probabilities({checks.brief(history)}) must be a law of {game.n_arms} arms, got {law}"
        )
    return law

"""The exact privacy loss of a finite bandit policy under each of five definitions, by enumeration."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.channels import channel_loss
from private_bandits.privacy import enumeration
from private_bandits.privacy.environments import channel_rows, environment_loss

DEFINITIONS = ("outcomes", "rewards", "instantaneous", "local", "environment")


class Witness(NamedTuple):
    """The largest loss of a policy, and where it is paid.

    `arms` are a_1, ..., a_t; the learner saw `signals` in the rounds before the last of them, or `neighbour`.
    """

    loss: float
    arms: tuple[int, ...]
    signals: tuple[Hashable, ...]
    neighbour: tuple[Hashable, ...]


def exact_loss(
    policy: enumeration.FinitePolicy,
    horizon: int,
    *,
    definition: str = "outcomes",
    environments: Sequence[Any] | None = None,
    output: str = "history",
    distance: Callable[[np.ndarray, np.ndarray], float] | None = None,
) -> float:
    """Exact privacy loss of a finite bandit policy: the smallest epsilon for which the definition holds.

    The five definitions are those of Basu, Dimitrakakis and Tossou (2019).

    - "outcomes" (Definition 2): P(a_1, ..., a_T | x) against the same for a table x' of all arms' rewards that differs
      in one round, in any of its entries.
    - "rewards" (before Lemma 1): the same, but x' differs in one obtained reward only. What else the learner may see is
      held, which matters under partial monitoring alone.
    - "instantaneous" (Definition 3): P(a_t | a_1, ..., a_{t-1}, rewards) for every t <= T, rewards differing in one
      round, over arms that are possible under both.
    - "local" (Definition 4): the responses that the learner gets, for rewards that differ in one round. A policy
      without a `channel` gets the rewards themselves.
    - "environment" (Definition 5): ln P(output | nu) / P(output | nu') over the distance of nu and nu'.

    Parameters
    ----------
    policy : FinitePolicy
        It has `probabilities(history)`; see `FinitePolicy` for what else is used.
    horizon : int
        T, >= 1. The first arm depends on no reward, and the last reward on no later arm.
    definition : {"outcomes", "rewards", "instantaneous", "local", "environment"}
    environments : sequence of array_like, optional
        Only for "environment", at least two, all different: the probability of each reward for each arm, shape (arms,
        rewards), or the arms' means, shape (arms,), where the rewards are 0 and 1.
    output : {"history", "actions"}
        Only for "environment". "history": arms and generated rewards of all arms, as printed, the rewards
        behind the policy's `channel` where it has one. "actions": the arms alone.
    distance : callable, optional
        Only for "environment": the metric between two environments of shape (arms, rewards); by default the largest
        total variation over the arms, for Bernoulli rewards the largest difference of means.

    Returns
    -------
    float
        >= 0, infinite where an output is possible on one of two neighbours only. A probability that underflows
        counts as impossible.

    Raises
    ------
    ValueError
        If an argument is out of range, the policy does not return distributions, or the enumeration is too large;
        the message says how many histories it needs.
    """
    checks.choice("definition", definition, DEFINITIONS)
    length = checks.integer("horizon", horizon, at_least=1)
    game = enumeration.describe(policy)
    if definition == "environment":
        return environment_loss(game, length, environments, output, distance)
    if environments is not None or distance is not None:
        raise ValueError(f"environments and distance must be for definition 'environment', got {definition!r}")
    if definition == "local":
        return _local_loss(game)
    return worst_case(policy, length, definition=definition).loss


def worst_case(policy: enumeration.FinitePolicy, horizon: int, *, definition: str = "outcomes") -> Witness:
    """Return the exact loss with the arms and the two neighbouring inputs at which it is paid.

    Parameters
    ----------
    policy, horizon
        As in `exact_loss`.
    definition : {"outcomes", "rewards", "instantaneous"}

    Returns
    -------
    Witness

    Raises
    ------
    ValueError
        As `exact_loss` does.
    """
    checks.choice("definition", definition, DEFINITIONS[:3])
    length = checks.integer("horizon", horizon, at_least=1)
    game = enumeration.describe(policy)
    groups = enumeration.neighbours(game, definition)
    if definition != "instantaneous":
        return _worst(game, groups, enumeration.joint_law(game, length))
    # Arms impossible on one of two inputs were told apart in an earlier round: there the loss is infinite already.
    rounds = (
        _worst(game, groups, np.where(np.isnan(laws), -np.inf, laws))
        for _, laws in enumeration.conditional_laws(game, length)
    )
    return max(rounds, key=lambda witness: witness.loss)


def _worst(game: enumeration.Game, groups: list[list[int]], logs: np.ndarray) -> Witness:
    """Return the largest difference of two logarithms over entries that differ in one round."""
    rounds = range(logs.ndim - 1)
    best, where, changed = -1.0, (0,) * logs.ndim, -1  # these stand where there is no round that can change
    for t in rounds:
        gaps = _gaps(_merge(logs, t, groups, np.max), _merge(logs, t, groups, np.min))
        index = np.unravel_index(np.argmax(gaps), gaps.shape)
        if gaps[index] > best:
            best, where, changed = float(gaps[index]), tuple(map(int, index)), t
    cells = np.ix_(*(groups[k] if t == changed else [k] for t, k in enumerate(where)))
    part = logs[cells]
    ends = [np.unravel_index(end, part.shape) for end in (np.argmax(part), np.argmin(part))]
    seen = [[game.entries[int(np.ravel(cells[t])[end[t]])] for t in rounds] for end in ends]
    arms = (*(arm for arm, _ in seen[0]), where[-1])
    signals, neighbour = (tuple(signal for _, signal in row) for row in seen)
    return Witness(max(best, 0.0), arms, signals, neighbour)


def _merge(tensor: np.ndarray, t: int, groups: list[list[int]], extreme: Callable[..., np.ndarray]) -> np.ndarray:
    """Replace the entries of one round by the extreme of each group."""
    return np.stack([extreme(tensor.take(group, axis=t), axis=t) for group in groups], axis=t)


def _gaps(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        gaps = high - low
    return np.where(np.isneginf(high), 0.0, gaps)


def _local_loss(game: enumeration.Game) -> float:
    if game.policy.channel is None:
        return math.inf if any(len(group) > 1 for group in enumeration.neighbours(game, "rewards")) else 0.0
    return channel_loss(channel_rows(game))

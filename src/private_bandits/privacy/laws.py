"""Probabilities of whole action sequences of a finite policy: for every table of outcomes, and in an environment."""

import math
from itertools import product
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.privacy.enumeration import FinitePolicy, Game, describe, joint_law

_CELLS = 4_000_000


def table_laws(policy: FinitePolicy, horizon: int) -> np.ndarray:
    """Return P(a_1, ..., a_T | x_1, ..., x_T) for every table of outcomes, literally.

    Parameters
    ----------
    policy : FinitePolicy
    horizon : int
        T, from 1 to 32.

    Returns
    -------
    array, shape (outcomes,) * (T - 1) + (arms,) * T
        An outcome is a reward for each arm, in the order of `itertools.product(rewards, repeat=n_arms)`. The last row
        of a table is never used and has no axis.

    Raises
    ------
    ValueError
        As `exact_loss` does, and if the array would need more than 4 million cells.
    """
    rounds = checks.integer("horizon", horizon, at_least=1, at_most=32) - 1  # an array has 64 dimensions at most
    game = describe(policy)
    shape = (len(game.rewards) ** game.n_arms,) * rounds + (game.n_arms,) * horizon
    if math.prod(shape) > _CELLS:
        raise ValueError(f"horizon must be smaller: the tables would need more than {_CELLS} cells")
    joint, entry_of = joint_law(game, horizon), game.entry_of()
    index: list[np.ndarray] = []
    for t in range(rounds):
        place = [1] * len(shape)
        place[t], place[rounds + t] = entry_of.shape
        index.append(entry_of.reshape(place))
    return np.exp(joint[(*index, np.arange(game.n_arms))])


def environment_law(policy: FinitePolicy, horizon: int, environment: Any) -> np.ndarray:
    """Return P(a_1, ..., a_T) when the rewards are drawn from an environment.

    Parameters
    ----------
    policy : FinitePolicy
    horizon : int
        T, >= 1.
    environment : array_like
        Probability of each reward for each arm, shape (arms, rewards), or the means of Bernoulli arms, shape (arms,).
        Arms and rounds are independent.

    Returns
    -------
    array, shape (arms,) * T

    Raises
    ------
    ValueError
        As `exact_loss` does.
    """
    game = describe(policy)
    return actions_law(game, checks.integer("horizon", horizon, at_least=1), reward_laws(game, environment))


def reward_laws(game: Game, environment: Any, name: str = "environment") -> np.ndarray:
    """Return the probability of each reward for each arm; means stand for Bernoulli arms.

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.
    environment : array_like, shape (arms, rewards) or (arms,)
        As for `environment_law`.
    name : str
        What an error calls it.

    Returns
    -------
    array, shape (arms, rewards)

    Raises
    ------
    ValueError
        If it is not a distribution for each arm.
    """
    table = checks.array(name, environment)
    if table.shape == (game.n_arms,) and set(game.rewards) == {0, 1}:
        table = np.stack([table if reward else 1 - table for reward in game.rewards], axis=1)
    shape = (game.n_arms, len(game.rewards))
    if table.shape != shape or (table < 0).any() or np.abs(table.sum(axis=1) - 1).max() > 1e-12:
        wanted = f"{name} must have shape {shape}, a distribution for each arm, or hold the means of Bernoulli arms"
        raise ValueError(f"{wanted}, got {checks.brief(environment)}")
    return table


def actions_law(game: Game, horizon: int, table: np.ndarray) -> np.ndarray:
    """Return the law of the arms for rewards of a given law.

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.
    horizon : int
        T >= 1.
    table : array, shape (arms, rewards)
        Probability of each reward for each arm.

    Returns
    -------
    array, shape (arms,) * T
        P(a_1, ..., a_T).
    """
    weights = _signal_weights(game, table)
    spread = np.where(game.arms[:, None] == np.arange(game.n_arms), weights[:, None], 0.0)
    law = np.exp(joint_law(game, horizon))
    for _ in range(horizon - 1):
        # The signals of the earliest round left are summed; its arm becomes the last axis.
        law = np.tensordot(law, spread, axes=(0, 0))
    return np.moveaxis(law, 0, -1)


def _signal_weights(game: Game, table: np.ndarray) -> np.ndarray:
    """Return the probability of each entry's signal once its arm is pulled."""
    if game.policy.signal is None:
        return table.reshape(-1)
    cells = np.array(list(product(range(len(game.rewards)), repeat=game.n_arms)))
    chances = table[np.arange(game.n_arms), cells].prod(axis=1)
    weights = np.zeros(len(game.entries))
    np.add.at(weights, game.entry_of(), chances[:, None])
    return weights

"""Environment privacy (Definition 5 of Basu, Dimitrakakis and Tossou 2019): what the output says about the means."""

import math
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.channels import logs
from private_bandits.privacy.enumeration import Game
from private_bandits.privacy.laws import actions_law, reward_laws

Distance = Callable[[np.ndarray, np.ndarray], float]


def environment_loss(
    game: Game, horizon: int, environments: Sequence[Any] | None, output: str, distance: Distance | None
) -> float:
    """Return the largest ln P(output | nu) / P(output | nu') over the distance of the two; see `exact_loss`.

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.
    horizon : int
        T >= 1.
    environments : sequence of array_like
        At least two, each as for `environment_law`.
    output : {"history", "actions"}
        What is released: arms and signals, or the arms.
    distance : callable, optional
        Of two environments as arrays of shape (arms, rewards); default `total_variation`.

    Returns
    -------
    float
        Per unit of the distance, >= 0; may be infinite.

    Raises
    ------
    ValueError
        If there are fewer than two environments, or two of them have no distance.
    """
    checks.choice("output", output, ("history", "actions"))
    if environments is None or not checks.listed(environments) or len(environments) < 2:
        raise ValueError(f"environments must hold at least two environments, got {checks.brief(environments)}")
    tables = [reward_laws(game, one, f"environments[{k}]") for k, one in enumerate(environments)]
    metric = total_variation if distance is None else distance
    outputs = [_output_logs(game, horizon, table, output) for table in tables]
    worst = 0.0
    for i, j in permutations(range(len(tables)), 2):
        apart = checks.real("the distance of two environments", metric(tables[i], tables[j]), above=0)
        worst = max(worst, _largest(outputs[i], outputs[j]) / apart)
    # A history repeats the same T times, and its arms have the same probability under both.
    return worst * horizon if output == "history" else worst


def total_variation(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest total variation distance over the arms.

    Parameters
    ----------
    one, other : array, shape (arms, rewards)
        Probability of each reward for each arm.

    Returns
    -------
    float
        In [0, 1].
    """
    return float(np.abs(one - other).sum(axis=1).max() / 2)


def channel_rows(game: Game) -> np.ndarray:
    """Return the channel between each reward and the learner, the identity where the policy has none.

    Parameters
    ----------
    game : Game
        The policy with its arms, rewards and feedback.

    Returns
    -------
    array, shape (rewards, responses)

    Raises
    ------
    ValueError
        If the channel has not a row for each reward.
    """
    own = game.policy.channel
    channel = np.asarray(np.eye(len(game.rewards)) if own is None else own, dtype=float)
    if channel.ndim != 2 or len(channel) != len(game.rewards):
        raise ValueError(f"channel must have a row for each of {len(game.rewards)} rewards, got shape {channel.shape}")
    return channel


def _output_logs(game: Game, horizon: int, table: np.ndarray, output: str) -> np.ndarray:
    """Return ln P of each reward of each arm in one round, or of each sequence of arms."""
    law = table @ channel_rows(game) if output == "history" else actions_law(game, horizon, table).reshape(1, -1)
    return logs(law)


def _largest(one: np.ndarray, other: np.ndarray) -> float:
    """Return the sum over rows (independent parts of the output) of the largest difference where `one` is possible."""
    gaps = np.full(one.shape, -math.inf)
    np.subtract(one, other, out=gaps, where=np.isfinite(one))
    return float(gaps.max(axis=1).sum())

"""Exact (epsilon, delta) losses of finite laws and policies: the smallest epsilon at a given delta."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import scipy

from private_bandits.privacy import enumeration
from private_bandits.privacy.laws import table_laws
from private_bandits.privacy.loss import worst_case

SLACK = 1e-12
"""Sums of probabilities may be off by this much before a loss counts as infinite."""


def law_loss(first: np.ndarray, second: np.ndarray, delta: float) -> float:
    """Return the smallest epsilon >= 0 with P(S | first) <= exp(epsilon) P(S | second) + delta for every event S.

    Parameters
    ----------
    first, second : float array, shape (outcomes,)
        Probabilities.
    delta : float
        In [0, 1).

    Returns
    -------
    float
        Infinite where outcomes that the second excludes have more than delta on the first. In closed form, between
        two ratios of the laws: the worst event holds the outcomes of the largest.
    """
    possible = first > 0
    p, q = first[possible], second[possible]
    with np.errstate(divide="ignore"):
        order = np.argsort(-(np.log(p) - np.log(q)), kind="stable")
    above, below = np.cumsum(p[order]) - delta, np.cumsum(q[order])
    if (above[below == 0] > SLACK).any():
        return math.inf
    kept = below > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(np.maximum(above[kept], 0)) - np.log(below[kept])
    return max(0.0, float(np.max(found, initial=-math.inf)))


def channel_epsilon(channel: np.ndarray, delta: float) -> tuple[float, tuple[int, int]]:
    """Return the loss of a finite randomiser at delta, and the two inputs where it is paid.

    Parameters
    ----------
    channel : float array, shape (inputs, outputs)
        Row-stochastic.
    delta : float
        In [0, 1).

    Returns
    -------
    float, (int, int)
    """
    pairs = list(permutations(range(len(channel)), 2))
    losses = [law_loss(channel[i], channel[j], delta) for i, j in pairs]
    if not losses:
        return 0.0, (0, 0)
    place = int(np.argmax(losses))
    return losses[place], pairs[place]


def table_epsilon(policy: Any, horizon: int, delta: float) -> tuple[float, Any]:
    """Return the loss of a finite policy over tables that differ in one user's row, and the two tables.

    Parameters
    ----------
    policy, horizon
        As for `table_laws`.
    delta : float
        In [0, 1).

    Returns
    -------
    float, (tuple, tuple)
        Of the outcomes of the rounds before the last.

    Raises
    ------
    ValueError
        As `table_laws` does.
    """
    laws = table_laws(policy, horizon)
    game = enumeration.describe(policy)
    rounds, outcomes = horizon - 1, game.outcomes()
    flat = laws.reshape(*laws.shape[:rounds], -1)
    worst, where = 0.0, ((), ())
    for table in np.ndindex(flat.shape[:rounds]):
        for t in range(rounds):
            for other in range(len(outcomes)):
                neighbour = (*table[:t], other, *table[t + 1 :])
                loss = law_loss(flat[table], flat[neighbour], delta) if neighbour != table else 0.0
                if loss > worst:
                    worst = loss
                    where = tuple(tuple(outcomes[x] for x in rows) for rows in (table, neighbour))  # type: ignore
    return worst, where


def adaptive_epsilon(policy: Any, horizon: int, delta: float) -> float:
    """Return the loss of a finite policy where rewards, and which one user changes, may depend on the arms so far.

    Parameters
    ----------
    policy, horizon, delta
        As for `table_epsilon`.

    Returns
    -------
    float
        At least that over tables; the same at delta = 0 under bandit feedback. By recursion from the last round: after
        each arm the adversary takes the best reward, or the worst change if it has made none.

    Raises
    ------
    ValueError
        As `exact_loss` does.
    """
    if delta == 0.0:
        return worst_case(policy, horizon).loss
    game = enumeration.describe(policy)
    law, groups = np.exp(enumeration.joint_law(game, horizon)), enumeration.neighbours(game, "outcomes")

    def best(values: np.ndarray) -> np.ndarray:
        return np.stack([values[..., group].max(axis=-1) for group in groups], axis=-1)

    def over(epsilon: float) -> float:
        """The most of P - exp(epsilon) Q beyond delta; `left` is what is to come while nothing is changed."""
        left = np.zeros((len(game.entries),) * (horizon - 1))
        for t in range(horizon - 2, -1, -1):
            p, q = np.expand_dims(law, t + 1), np.expand_dims(law, t)
            total = (np.maximum(p - math.exp(epsilon) * q, 0.0) if epsilon < math.inf else p * (q == 0)).sum(axis=-1)
            for _ in range(t + 1, horizon - 1):
                total = best(total).sum(axis=-1)
            changed = [total[..., group, :][..., group].max(axis=(-2, -1)) for group in groups]
            left = np.maximum(best(left), np.stack(changed, axis=-1)).sum(axis=-1)
        return float(np.max(left)) - delta - SLACK

    if over(0.0) <= 0:
        return 0.0
    most = float(-np.log(np.min(law, where=law > 0, initial=1.0))) + 1.0
    return math.inf if over(math.inf) > 0 else float(scipy.optimize.bisect(over, 0.0, most, xtol=1e-13))

"""Exact (epsilon, delta) losses of finite laws and policies: the smallest epsilon at a given delta."""

import math
from itertools import permutations, product
from typing import Any

import numpy as np

from private_bandits.privacy import enumeration
from private_bandits.privacy.laws import table_laws

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


def channel_epsilon(channel: np.ndarray, delta: float) -> tuple[float, Any]:
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
        The two are () for a single input.
    """
    return _largest(channel, list(permutations(range(len(channel)), 2)), delta)


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
    rounds, outcomes = horizon - 1, enumeration.describe(policy).outcomes()
    flat = laws.reshape(*laws.shape[:rounds], -1)
    tables, changes = np.ndindex(flat.shape[:rounds]), list(product(range(rounds), range(len(outcomes))))
    pairs = [(one, (*one[:t], other, *one[t + 1 :])) for one in tables for t, other in changes]
    loss, where = _largest(flat, pairs, delta)
    return loss, tuple(tuple(outcomes[x] for x in rows) for rows in where)


def _largest(laws: np.ndarray, pairs: list[Any], delta: float) -> tuple[float, Any]:
    """The largest loss of a law against another one, and the places of the two; none of no pair."""
    if not pairs:
        return 0.0, ()
    losses = [law_loss(laws[i], laws[j], delta) for i, j in pairs]
    place = int(np.argmax(losses))
    return losses[place], pairs[place]

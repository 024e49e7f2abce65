"""Exact (epsilon, delta) losses of finite laws and policies: the smallest epsilon at a given delta."""

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import scipy

from private_bandits.privacy import enumeration
from private_bandits.privacy.laws import table_laws
from private_bandits.privacy.loss import worst_case


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
    if (above[below == 0] > 0).any():
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


def table_epsilon(policy: Any, horizon: int, delta: float, **facts: Any) -> tuple[float, Any]:
    """Return the loss of a finite policy over tables that differ in one user's row, and the two tables.

    Parameters
    ----------
    policy, horizon
        As for `table_laws`.
    delta : float
        In [0, 1).
    **facts
        `n_arms` and `rewards`, as for `table_laws`.

    Returns
    -------
    float, (tuple, tuple)
        Of the outcomes of the rounds before the last.

    Raises
    ------
    ValueError
        As `table_laws` does.
    """
    laws = table_laws(policy, horizon, **facts)
    game = enumeration.describe(policy, facts.get("n_arms"), facts.get("rewards"))
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


def adaptive_epsilon(policy: Any, horizon: int, delta: float, **facts: Any) -> float:
    """Return the loss of a finite policy where rewards, and what one user changes, may depend on the arms so far.

    Parameters
    ----------
    policy, horizon, delta, **facts
        As for `table_epsilon`.

    Returns
    -------
    float
        At least that over tables; the same at delta = 0 under bandit feedback. By recursion from the last round: the
        adversary takes the best reward after each arm, and the worst change in one round.

    Raises
    ------
    ValueError
        As `exact_loss` does.
    """
    if delta == 0.0:
        return worst_case(policy, horizon, **facts).loss
    game = enumeration.describe(policy, facts.get("n_arms"), facts.get("rewards"))
    law, groups = np.exp(enumeration.joint_law(game, horizon)), enumeration.neighbours(game, "outcomes")

    def mass(changed: int, excess: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
        first = np.expand_dims(law, changed + 1)
        second = np.expand_dims(law, changed)
        total = excess(first, second).sum(axis=-1)
        for t in range(horizon - 2, -1, -1):
            if t == changed:
                total = sum(total[..., g, :][..., g].max(axis=(-2, -1)) for g in map(np.array, groups))
            else:
                total = sum(total[..., g].max(axis=-1) for g in map(np.array, groups))
        return float(total)

    worst = 0.0
    for changed in range(horizon - 1):
        if mass(changed, lambda p, q: np.where(q > 0, 0.0, p)) > delta:
            return math.inf

        def over(epsilon: float, changed: int = changed) -> float:
            return mass(changed, lambda p, q: np.maximum(p - math.exp(epsilon) * q, 0.0)) - delta

        if over(worst) > 0:
            high = worst + 1.0
            while over(high) > 0:
                high += high
            worst = float(scipy.optimize.bisect(over, worst, high, xtol=1e-13))
    return worst

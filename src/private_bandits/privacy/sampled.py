"""The privacy loss of a policy that can only be run: Monte Carlo, with an interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from private_bandits import checks

Play = Callable[[np.ndarray, np.random.Generator], Sequence[int]]


class SampledLoss(NamedTuple):
    """An estimated loss and its interval; `high` is infinite unless every sequence was seen on both sides."""

    estimate: float
    low: float
    high: float


def sampled_loss(
    play: Play, outcomes: Any, neighbour: Any, *, replications: int, seed: int, level: float = 0.95
) -> SampledLoss:
    """Estimate max over action sequences of |ln P(a | x) / P(a | x')| for two tables of outcomes.

    The one way in where noise is continuous and kept from round to round. An interval of one pair of tables: its low
    end is a proof, at the given level, that the policy pays at least as much; its high end says nothing of other pairs.

    Parameters
    ----------
    play : callable
        `play(outcomes, rng)` plays all rounds on a table of outcomes and returns the arms, one a round.
    outcomes, neighbour : array_like of float, shape (rounds, arms)
        The two tables.
    replications : int
        Runs on each table, >= 1.
    seed : int
        >= 0.
    level : float in (0, 1)
        Coverage, over all sequences of arms at once (Clopper-Pearson intervals, Bonferroni).

    Returns
    -------
    SampledLoss
        The estimate takes sequences seen on both sides only.

    Raises
    ------
    ValueError
        If the tables are not finite and of one shape, or a parameter is out of range.
    """
    tables = [_table("outcomes", outcomes), _table("neighbour", neighbour)]
    if tables[0].shape != tables[1].shape:
        raise ValueError(f"neighbour must have shape {tables[0].shape}, got {tables[1].shape}")
    runs = checks.integer("replications", replications, at_least=1)
    miss = 1 - checks.real("level", level, above=0, below=1)
    rounds, n_arms = tables[0].shape
    generators = np.random.default_rng(checks.integer("seed", seed, at_least=0)).spawn(2)
    counts = [
        Counter(tuple(int(arm) for arm in play(table, rng)) for _ in range(runs))
        for table, rng in zip(tables, generators, strict=True)
    ]
    # Two intervals for each sequence, seen or not.
    part = 1 - miss / (2 * n_arms**rounds)
    estimate, low, high = 0.0, 0.0, 0.0
    for arms in counts[0].keys() | counts[1].keys():
        (n, n_low, n_high), (m, m_low, m_high) = (
            (c[arms] / runs, *binomial_interval(c[arms], runs, part)) for c in counts
        )
        if n and m:
            estimate = max(estimate, abs(math.log(n / m)))
        low = max(low, _log_ratio(n_low, m_high), _log_ratio(m_low, n_high))
        high = max(high, _log_ratio(n_high, m_low), _log_ratio(m_high, n_low))
    if len(counts[0].keys() | counts[1].keys()) < n_arms**rounds:
        high = math.inf
    return SampledLoss(estimate, low, high)


def binomial_interval(successes: int, runs: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval of a success probability.

    Parameters
    ----------
    successes : int
        0 <= successes <= runs.
    runs : int
        >= 1.
    level : float in (0, 1)
        Coverage, at least.

    Returns
    -------
    float, float
        Its ends.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    n = checks.integer("runs", runs, at_least=1)
    k = checks.integer("successes", successes, at_least=0, at_most=n)
    tail = (1 - checks.real("level", level, above=0, below=1)) / 2
    low = float(scipy.stats.beta.ppf(tail, k, n - k + 1)) if k > 0 else 0.0
    high = float(scipy.stats.beta.ppf(1 - tail, k + 1, n - k)) if k < n else 1.0
    return low, high


def _table(name: str, value: Any) -> np.ndarray:
    table = np.asarray(value)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "iuf" or not np.isfinite(table).all():
        raise ValueError(f"{name} must be a finite array of shape (rounds, arms), got {value!r}")
    return table


def _log_ratio(above: float, below: float) -> float:
    if above == 0:
        return -math.inf
    return math.log(above / below) if below > 0 else math.inf

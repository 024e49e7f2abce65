"""What runs certify about a privacy loss: exact binomial statements, never a point estimate."""

import math
from typing import Any

import numpy as np
import scipy

from private_bandits import checks


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
    low = float(scipy.special.betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(scipy.special.betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return low, high


def certified_loss(hits: Any, runs: int, others: Any, other_runs: int, delta: float, alpha: float) -> Any:
    """Return the loss that an event certifies: P(event | a) > exp(loss) P(event | b) + delta.

    Parameters
    ----------
    hits, others : int array
        How often the event happened on a, and on b.
    runs, other_runs : int
        Runs on each, >= 1.
    delta : float
        In [0, 1).
    alpha : float
        In (0, 1): the statement is false with at most this probability, half of it at either probability.

    Returns
    -------
    float array
        ln((low end on a - delta) / high end on b), Clopper-Pearson; minus infinity where the first end is below delta.
    """
    k, j = np.asarray(hits), np.asarray(others)
    low = np.where(k > 0, scipy.special.betaincinv(np.maximum(k, 1), runs - k + 1, alpha / 2), 0.0)
    high = np.where(j < other_runs, scipy.special.betainccinv(j + 1, np.maximum(other_runs - j, 1), alpha / 2), 1.0)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0.0)) - np.log(high)


def p_value(hits: int, runs: int, others: int, other_runs: int, delta: float, promised: float) -> float:
    """Return the smallest alpha at which an event refutes a promise.

    Parameters
    ----------
    hits, runs, others, other_runs, delta
        As for `certified_loss`.
    promised : float
        >= 0.

    Returns
    -------
    float
        In [0, 1]; 1 where it refutes it at none, and not below 1e-98.
    """

    def beyond(log_alpha: float) -> float:
        return float(certified_loss(hits, runs, others, other_runs, delta, math.exp(log_alpha))) - promised

    least = -225.0  # smaller ones are as good
    if not beyond(-1e-9) > 0:
        return 1.0
    if beyond(least) > 0:
        return math.exp(least)
    return float(np.exp(scipy.optimize.bisect(lambda x: max(beyond(x), -1e9), least, -1e-9, xtol=1e-6)))


def holm(p_values: Any, level: float = 0.05) -> np.ndarray:
    """Say which of several rows are refuted together (Holm 1979).

    Parameters
    ----------
    p_values : array_like of float, shape (rows,)
        In [0, 1], of any dependence.
    level : float
        In (0, 1): with at most this probability a row is refuted that is right.

    Returns
    -------
    bool array, shape (rows,)

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> holm([0.001, 0.04, 0.02]).tolist()
    [True, True, True]
    >>> holm([0.001, 0.04, 0.03]).tolist()
    [True, False, False]
    """
    found = checks.vector("p_values", p_values, at_least=0, at_most=1)
    alpha = checks.real("level", level, above=0, below=1)
    order = np.argsort(found, kind="stable")
    passed = np.cumprod(found[order] <= alpha / np.arange(len(found), 0, -1)).astype(bool)
    refuted = np.zeros(len(found), bool)
    refuted[order] = passed
    return refuted

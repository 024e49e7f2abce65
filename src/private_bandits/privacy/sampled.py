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
        In [0, 1]; 1 where it refutes it at none.
    """

    def beyond(log_alpha: float) -> float:
        return float(certified_loss(hits, runs, others, other_runs, delta, math.exp(log_alpha))) - promised

    least = -600.0  # no float is far below its exponential
    if not beyond(-1e-9) > 0:
        return 1.0
    if beyond(least) > 0:
        return math.exp(least)
    while least < -1.0 and math.isinf(beyond(least / 2)):
        least /= 2
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


def one_run_loss(correct: int, guesses: int, users: int, delta: float = 0.0, confidence: float = 0.95) -> float:
    """Return the loss that the guesses about many users of one run certify (Steinke, Nasr and Jagielski 2023).

    Each user had one of two data by a fair coin; some were guessed, the others left out. Under (epsilon, delta)-privacy
    the number of right guesses is dominated by Binomial(guesses, 1 / (1 + exp(-epsilon))), but for delta.

    Parameters
    ----------
    correct : int
        Right guesses, 0 <= correct <= guesses.
    guesses : int
        >= 1, chosen before the coins are seen, or by what was released alone.
    users : int
        >= guesses.
    delta : float
        In [0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    float
        The largest epsilon that is refuted, >= 0.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Theorem 5.2 there: P(W >= v) <= f(v) + 2 m delta max over i of (f(v - i) - f(v)) / i with f the Binomial's tail.

    Examples
    --------
    >>> round(one_run_loss(900, 1000, 1000), 2)
    2.02
    """
    m = checks.integer("users", users, at_least=1, at_most=10**8)
    r = checks.integer("guesses", guesses, at_least=1, at_most=m)
    v = checks.integer("correct", correct, at_least=0, at_most=r)
    failure = checks.real("delta", delta, at_least=0, below=1)
    alpha = 1 - checks.real("confidence", confidence, above=0, below=1)

    def chance(epsilon: float) -> float:
        right = float(scipy.special.expit(epsilon))
        tail = _tail(v, r, right)
        if failure == 0.0:
            return tail
        back = np.arange(1, v + 1)
        steps = (scipy.special.bdtrc(v - back - 1.0, r, right) - tail) / back if v else np.zeros(1)
        return tail + 2 * m * failure * max(float(np.max(steps)), 0.0)

    if chance(0.0) >= alpha:
        return 0.0
    high = 1.0
    while chance(high) < alpha and high < 700.0:
        high *= 2
    return float(scipy.optimize.bisect(lambda epsilon: chance(epsilon) - alpha, 0.0, high, xtol=1e-9))


def ceiling(runs: int, delta: float = 0.0, confidence: float = 0.95) -> float:
    """Return the largest loss that so many tested runs on each of two neighbours could certify.

    Parameters
    ----------
    runs : int
        >= 1.
    delta : float
        In [0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    float
        About ln(runs / 3.69) at 95 % and delta = 0; at least 0.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(ceiling(5000), 2)
    7.21
    """
    n = checks.integer("runs", runs, at_least=1)
    failure = checks.real("delta", delta, at_least=0, below=1)
    alpha = 1 - checks.real("confidence", confidence, above=0, below=1)
    return max(0.0, float(certified_loss(n, n, 0, n, failure, alpha)))


def _tail(successes: int, runs: int, probability: float) -> float:
    return float(scipy.special.bdtrc(successes - 1.0, runs, probability)) if successes else 1.0

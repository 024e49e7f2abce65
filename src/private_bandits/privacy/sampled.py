"""What runs certify about a privacy loss: exact binomial statements, never a point estimate."""

import math
from typing import Any

import numpy as np
import scipy

from private_bandits import checks


def binomial_interval(successes: int, runs: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval of a success probability.

    Parameters
    ----------
    successes : int
        0 <= successes <= runs.
    runs : int
        >= 1.
    confidence : float in (0, 1)
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
    tail = (1 - checks.real("confidence", confidence, above=0, below=1)) / 2
    low = float(scipy.special.betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(scipy.special.betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return low, high


def certified_loss(*, hits: Any, others: Any, runs: int, delta: float = 0.0, alpha: float) -> Any:
    """Return the loss that an event certifies: P(event | a) > exp(loss) P(event | b) + delta.

    Parameters
    ----------
    hits, others : int array
        How often the event happened on a, and on b.
    runs : int
        On each, >= 1.
    delta : float
        In [0, 1).
    alpha : float
        In [1e-12, 1): the statement is false with at most this probability, half of it at either probability.

    Returns
    -------
    float array
        ln((low end on a - delta) / high end on b), Clopper-Pearson; minus infinity where the first end is below delta.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    runs = checks.integer("runs", runs, at_least=1)
    _risks(delta, alpha)
    k, j = checks.counts("hits", hits, at_most=runs), checks.counts("others", others, at_most=runs)
    low = np.where(k > 0, scipy.special.betaincinv(np.maximum(k, 1), runs - k + 1, alpha / 2), 0.0)
    high = np.where(j < runs, scipy.special.betainccinv(j + 1, np.maximum(runs - j, 1), alpha / 2), 1.0)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0.0)) - np.log(high)


@checks.quietly()
def lower_end(*, hits: int, others: int, runs: int, delta: float = 0.0, alpha: float) -> float:
    """Return the largest loss that an event refutes, P(event | a) <= exp(loss) P(event | b) + delta.

    Parameters
    ----------
    hits, others : int
        How often the event happened on a, and on b.
    runs : int
        On each, 1 to 10^8.
    delta : float
        In [0, 1).
    alpha : float
        In [1e-12, 1): the answer is above the loss with at most this probability.

    Returns
    -------
    float
        >= 0.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    A joint test of both counts, as sharp as two intervals (`certified_loss`) of 1.6 times the runs or more: a loss is
    refuted if `hits - exp(loss) others` is improbably large for every P(event | b) in a Clopper-Pearson interval, which
    costs a twentieth of alpha (Berger and Boos 1994). It is largest at that interval's upper end, or where P(event | a)
    is 1; 17 points from the lower end on are tried.

    As counts are whole numbers, the chance that is tested is a saw in the loss. What is returned is a root of it, and
    a loss below may not be refuted: of 200 to 2000 runs in 3 of 100 random cases, most of them without an event on b,
    by 0.12 or more in the worst.

    Examples
    --------
    >>> seen = {"hits": 750, "others": 276, "runs": 1500, "alpha": 0.05}
    >>> round(lower_end(**seen), 2), round(float(certified_loss(**seen)), 2)
    (0.9, 0.84)
    """
    _risks(delta, alpha)
    checks.integer("runs", runs, at_least=1, at_most=10**8)
    checks.integer("hits", hits, at_least=0, at_most=runs)
    checks.integer("others", others, at_least=0, at_most=runs)
    spent, outside = alpha / 20, alpha * 1e-7
    low, high = binomial_interval(others, runs, confidence=1 - spent)
    law = scipy.stats.binom
    seen = np.arange(law.ppf(outside, runs, low), law.isf(outside, runs, high) + 1)

    def kept(loss: float) -> float:
        ratio = math.exp(loss)
        q = np.linspace(low, max(low, min(high, (1 - delta) / ratio)), 17)[:, None]
        least = np.clip(np.ceil(hits + ratio * (seen - others) - 1e-9), 0, runs + 1)
        tails = law.pmf(seen, runs, q) * law.sf(least - 1, runs, np.minimum(ratio * q + delta, 1))
        return float(tails.sum(axis=1).max()) + 2 * outside - (alpha - spent)

    return 0.0 if kept(0.0) > 0 else float(scipy.optimize.brentq(kept, 0.0, math.log(runs) + 2, xtol=1e-6))


def _risks(delta: float, alpha: float) -> None:
    checks.real("delta", delta, at_least=0, below=1)
    checks.real("alpha", alpha, at_least=1e-12, below=1)

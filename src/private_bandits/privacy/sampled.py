"""The interval of a probability that is only sampled."""

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

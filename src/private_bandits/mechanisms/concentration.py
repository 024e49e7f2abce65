"""How far a sum of reports in [0, 1] and of Laplace noises strays from its mean: Chernoff's bound, at its best rate."""

import math

from private_bandits.compilation import compiled


@compiled
def chernoff_exponent(
    rate: float, samples: float, few: float, small: float, many: float = 0.0, large: float = 0.0
) -> float:
    """Bound on ln E exp(rate (S - E S)), S the sum: rate^2/8 a report (Hoeffding), -ln(1 - rate^2 b^2) a noise.

    Parameters
    ----------
    rate : float
        > 0, below 1/small and 1/large.
    samples : float
        Independent reports in [0, 1] in the sum, >= 0.
    few, many : float
        Independent Laplace noises in it, >= 0.
    small, large : float
        Their scales b, >= 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(chernoff_exponent(1.0, 8.0, 0.0, 0.0), 9)
    1.0
    """
    private = few * math.log1p(-((rate * small) ** 2)) + many * math.log1p(-((rate * large) ** 2))
    return 0.125 * samples * rate**2 - private


@compiled
def chernoff_rate(
    log_tail: float, samples: float, few: float, small: float, many: float = 0.0, large: float = 0.0
) -> float:
    """The rate at which (log_tail + exponent) / rate is least: what S - E S exceeds with probability e^-log_tail.

    The bound holds at every rate that is fixed in advance, so nothing hangs on how well this one is found.

    Parameters
    ----------
    log_tail : float
        > 0.
    samples, few, small, many, large : float
        As for `chernoff_exponent`; at least one scale or `samples` is > 0.

    Returns
    -------
    float
        By bisection, to 1e-7 of its range.

    Examples
    --------
    >>> rate = chernoff_rate(3.0, 0.0, 1.0, 1.0)
    >>> round((3.0 + chernoff_exponent(rate, 0.0, 1.0, 1.0)) / rate, 3)  # the exact tail's is 3 - ln 2 = 2.307
    5.019
    """
    low, high = 0.0, 1.0 / max(small, large, math.sqrt(0.125 * samples / log_tail))  # the last is best without noise
    for _ in range(24):
        rate = 0.5 * (low + high)
        private = few * small**2 / (1.0 - (rate * small) ** 2) + many * large**2 / (1.0 - (rate * large) ** 2)
        slope = 0.25 * samples * rate + 2.0 * rate * private
        if rate * slope - chernoff_exponent(rate, samples, few, small, many, large) < log_tail:
            low = rate
        else:
            high = rate
    return low

"""Exact tails of sums of noise."""

import numpy as np
import scipy


def laplace_sum_tail(n: int, x: float | np.ndarray) -> np.ndarray:
    """P(Y > x) for Y the sum of n independent Laplace(1) variables, exactly.

    Y is the difference of two Gamma(n) variables. Where it is positive it is a mixture of Gamma(n - i) with negative
    binomial weights, i = 0, ..., n - 1; every term is positive, so no digits cancel.

    Parameters
    ----------
    n : int
        >= 1.
    x : float or array
        >= 0.

    Returns
    -------
    float64 array, of the shape of x

    Examples
    --------
    >>> round(float(laplace_sum_tail(1, 2.0)), 6), round(float(laplace_sum_tail(3, 2.0)), 6)
    (0.067668, 0.186086)
    """
    i = np.arange(n)
    return np.asarray(scipy.special.gammaincc(n - i, np.asarray(x)[..., None]) @ scipy.stats.nbinom.pmf(i, n, 0.5))

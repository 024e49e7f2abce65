"""Exact tails of sums of noise."""

from __future__ import annotations

import numpy as np
import scipy


def laplace_sum_tail(n: int, x: float | np.ndarray) -> np.ndarray:
    """P(Y > x) for Y the sum of n independent Laplace(1) variables and x >= 0, exactly.

    Y is the difference of two Gamma(n) variables. Where it is positive it is a mixture of Gamma(n - i) with negative
    binomial weights, i = 0, ..., n - 1; every term is positive, so no digits cancel.
    """
    i = np.arange(n)
    return np.asarray(scipy.special.gammaincc(n - i, np.asarray(x)[..., None]) @ scipy.stats.nbinom.pmf(i, n, 0.5))

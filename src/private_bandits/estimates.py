"""Intervals for means, differences, ratios and growth exponents measured on independent replications.

Every estimate treats one replication as one observation, so the points of a curve may depend on each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from private_bandits import checks


class Interval(NamedTuple):
    """A mean, the ends of its confidence interval and its standard error: floats, or arrays of one shape."""

    mean: Any
    low: Any
    high: Any
    se: Any


class Fit(NamedTuple):
    """The slope and intercept of a straight line in logarithms, with the slope's confidence interval."""

    slope: float
    low: float
    high: float
    intercept: float


class Growth(NamedTuple):
    """Two descriptions of one curve: a in R = c (ln t)^a, and b in R = c t^b."""

    log: Fit
    power: Fit


def half_width(se: Any, replications: Any, level: float = 0.95) -> Any:
    """Return half the width of a Student-t interval of a mean.

    Parameters
    ----------
    se : float or array, >= 0
        Standard error of the mean.
    replications : int or array of int, >= 2
        Observations behind the mean.
    level : float in (0, 1)
        Coverage.

    Returns
    -------
    float or array
        `se` times the t quantile with `replications - 1` degrees of freedom.
    """
    level = checks.real("level", level, above=0, below=1)
    if np.any(np.asarray(replications) < 2):
        raise ValueError(f"replications must be >= 2, got {replications!r}")
    return se * stats.t.ppf((1 + level) / 2, np.asarray(replications) - 1)


def mean_interval(samples: Any, axis: int = 0, level: float = 0.95) -> Interval:
    """Return the mean over replications with its Student-t interval.

    Parameters
    ----------
    samples : array
        Measurements, finite, at least two along `axis`.
    axis : int
        The axis of replications.
    level : float in (0, 1)
        Coverage, point by point.

    Returns
    -------
    Interval
        Shaped as `samples` without `axis`; floats for one-dimensional samples.

    Raises
    ------
    ValueError
        If `samples` is not a finite array with at least two replications, or `level` is not in (0, 1).
    """
    rows = np.moveaxis(_array("samples", samples), checks.integer("axis", axis), 0)
    n = _replications("samples", rows)
    mean = rows.mean(axis=0)
    se = rows.std(axis=0, ddof=1) / np.sqrt(n)
    half = half_width(se, n, level)
    return Interval(*(_plain(x) for x in (mean, mean - half, mean + half, se)))


def difference_interval(a: Any, b: Any, level: float = 0.95) -> Interval:
    """Return mean(a) - mean(b) with Welch's interval.

    Parameters
    ----------
    a, b : arrays, shapes (n,) and (m,), n, m >= 2
        Independent samples; the variances may differ. Samples that depend positively (two policies in the
        same environments) make the interval wider than it needs to be.
    level : float in (0, 1)
        Coverage.

    Returns
    -------
    Interval
        `mean` is the difference.
    """
    mean_a, var_a, n_a = _moments("a", a)
    mean_b, var_b, n_b = _moments("b", b)
    se, quantile = _welch(var_a, n_a, var_b, n_b, level)
    difference = mean_a - mean_b
    return Interval(difference, difference - quantile * se, difference + quantile * se, se)


def ratio_interval(a: Any, b: Any, level: float = 0.95) -> Interval:
    """Return mean(a) / mean(b) with an interval symmetric on the logarithmic scale.

    The logarithm of each mean has standard error se / mean to first order; Welch's formula combines the two.
    So the interval of b / a is the reciprocal of that of a / b, and neither crosses zero.

    Parameters
    ----------
    a, b : arrays, shapes (n,) and (m,), n, m >= 2
        Independent samples with positive means.
    level : float in (0, 1)
        Coverage.

    Returns
    -------
    Interval
        `mean` is the ratio, `se` its standard error to first order.

    Raises
    ------
    ValueError
        If a mean is not positive.
    """
    mean_a, var_a, n_a = _moments("a", a)
    mean_b, var_b, n_b = _moments("b", b)
    for name, mean in (("a", mean_a), ("b", mean_b)):
        if mean <= 0:
            raise ValueError(f"the mean of {name} must be > 0, got {mean:g}")
    se, quantile = _welch(var_a / mean_a**2, n_a, var_b / mean_b**2, n_b, level)
    ratio = mean_a / mean_b
    factor = float(np.exp(quantile * se))
    return Interval(ratio, ratio / factor, ratio * factor, ratio * se)


def fit_exponent(x: Any, samples: Any, level: float = 0.95) -> Fit:
    """Fit mean(samples) = c x^slope by least squares in logarithms.

    The interval is the delete-one-replication jackknife with a Student-t quantile: a replication is left out
    at all points at once, so it holds also when one replication supplies dependent points (a curve).

    Parameters
    ----------
    x : array, shape (points,), > 0
        At least two different values.
    samples : array, shape (replications, points)
        At least two replications; every mean over all but one of them must be > 0.
    level : float in (0, 1)
        Coverage.

    Returns
    -------
    Fit
        `intercept` is ln c.

    Raises
    ------
    ValueError
        If a logarithm does not exist, the shapes disagree, or `x` has a single value.
    """
    level = checks.real("level", level, above=0, below=1)
    points = _array("x", x)
    rows = _array("samples", samples)
    n = _replications("samples", rows)
    if points.ndim != 1 or rows.ndim != 2 or rows.shape[1] != points.size:
        raise ValueError(
            f"samples must have shape (replications, points) with x of shape (points,), "
            f"got {rows.shape} and {points.shape}"
        )
    if np.any(points <= 0):
        raise ValueError(f"x must be > 0, got {points.min():g}")
    log_x = np.log(points)
    centred = log_x - log_x.mean()
    if not np.any(centred):
        raise ValueError(f"x must have at least two different values, got only {points[0]:g}")
    mean = rows.mean(axis=0)
    left_out = (rows.sum(axis=0) - rows) / (n - 1)
    if left_out.min() <= 0:
        raise ValueError(f"means over all replications but one must be > 0, got {left_out.min():g}")
    weights = centred / (centred @ centred)
    slope = float(weights @ np.log(mean))
    jackknife = np.log(left_out) @ weights
    se = np.sqrt((n - 1) / n * np.sum((jackknife - jackknife.mean()) ** 2))
    half = float(half_width(se, n, level))
    return Fit(slope, slope - half, slope + half, float(np.log(mean).mean() - slope * log_x.mean()))


def fit_growth(t: Any, curves: Any, start: float, stop: float, level: float = 0.95) -> Growth:
    """Fit the growth of regret curves on the window start <= t <= stop.

    `log` is the exponent a of R(t) = c (ln t)^a: 1 for logarithmic regret, 2 for its square. `power` is the
    local exponent b of R(t) = c t^b, near 1 where the policy does not learn yet; there a is about b ln t and
    says nothing. A constant added to R biases both at small t, so the window belongs at large t.

    Parameters
    ----------
    t : array, shape (points,), > 0
        Rounds of the checkpoints.
    curves : array, shape (replications, points)
        Cumulative regret.
    start, stop : float, 1 < start < stop
        The window, ends included; at least two checkpoints must lie in it.
    level : float in (0, 1)
        Coverage of both exponents' intervals.

    Returns
    -------
    Growth
        `log` and `power`, both by `fit_exponent`.
    """
    start = checks.real("start", start, above=1)
    stop = checks.real("stop", stop, above=start)
    rounds = _array("t", t)
    rows = _array("curves", curves)
    if rounds.ndim != 1 or rows.ndim != 2 or rows.shape[1] != rounds.size:
        raise ValueError(
            f"curves must have shape (replications, points) with t of shape (points,), "
            f"got {rows.shape} and {rounds.shape}"
        )
    window = (rounds >= start) & (rounds <= stop)
    if window.sum() < 2:
        raise ValueError(f"at least two checkpoints must lie in [{start:g}, {stop:g}], got {window.sum()}")
    inside, regret = rounds[window], rows[:, window]
    return Growth(fit_exponent(np.log(inside), regret, level), fit_exponent(inside, regret, level))


def _array(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be an array of numbers, got dtype {array.dtype}")
    if array.size == 0 or array.ndim == 0:
        raise ValueError(f"{name} must be a non-empty array, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array.astype(np.float64)


def _replications(name: str, rows: np.ndarray) -> int:
    n = len(rows)
    if n < 2:
        raise ValueError(f"{name} must hold at least 2 replications, got {n}")
    return n


def _moments(name: str, value: Any) -> tuple[float, float, int]:
    sample = _array(name, value)
    if sample.ndim != 1:
        raise ValueError(f"{name} must have shape (replications,), got {sample.shape}")
    n = _replications(name, sample)
    return float(sample.mean()), float(sample.var(ddof=1)), n


def _welch(var_a: float, n_a: int, var_b: float, n_b: int, level: float) -> tuple[float, float]:
    """Return the standard error of a difference of means and its t quantile (Welch-Satterthwaite)."""
    level = checks.real("level", level, above=0, below=1)
    part_a, part_b = var_a / n_a, var_b / n_b
    total = part_a + part_b
    if total == 0:
        return 0.0, 0.0
    freedom = total**2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
    return float(np.sqrt(total)), float(stats.t.ppf((1 + level) / 2, freedom))


def _plain(x: Any) -> Any:
    return float(x) if np.ndim(x) == 0 else x

"""Intervals for means, differences, ratios and growth exponents measured on independent replications.

Every estimate treats one replication as one observation, so the points of a curve may depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

from private_bandits import checks

__all__ = [
    "Interval",
    "difference_interval",
    "exponent_difference",
    "fit_exponent",
    "fit_growth",
    "half_width",
    "mean_interval",
    "ratio_interval",
]


class Interval(NamedTuple):
    """A measured number, the ends of its 95 % interval and its standard error: floats, or arrays of one shape.

    NaN stands for what was not measured: `Interval()` is unknown, and `se` is NaN where only the ends are known. `runs`
    is the number of independent runs behind it, the least of several samples; infinite for what is computed.
    """

    measured: Any = math.nan
    low: Any = math.nan
    high: Any = math.nan
    se: Any = math.nan
    runs: float = math.inf

    @classmethod
    def exact(cls, value: float) -> Interval:
        """Return a number that is computed, not estimated.

        Parameters
        ----------
        value : float
            The number.

        Returns
        -------
        Interval
            Of no width.
        """
        return cls(value, value, value, 0.0)

    def through(self, function: Callable[[Any], Any]) -> Interval:
        """Return what an increasing function makes of the number and its ends, on as many runs.

        Parameters
        ----------
        function : callable
            Of one number.

        Returns
        -------
        Interval
            Without a standard error.
        """
        measured, low, high = (function(end) for end in self[:3])
        return Interval(measured, low, high, runs=self.runs)

    def columns(self) -> dict[str, Any]:
        """Return the number and its ends as a table names them.

        Returns
        -------
        dict
            `measured`, `low` and `high`.
        """
        return {"measured": self.measured, "low": self.low, "high": self.high}


def half_width(se: Any, replications: Any, *, confidence: float = 0.95) -> Any:
    """Return half the width of a Student-t interval of a mean.

    Parameters
    ----------
    se : float or array, >= 0
        Standard error of the mean.
    replications : int or array of int, >= 2
        Observations behind the mean.
    confidence : float in (0, 1)
        Coverage.

    Returns
    -------
    float or array
        `se` times the t quantile with `replications - 1` degrees of freedom.

    Raises
    ------
    ValueError
        If an error is below 0, there are fewer than two replications, shapes do not fit, or `confidence` is not in
        (0, 1).
    """
    confidence = checks.real("confidence", confidence, above=0, below=1)
    for name, value, least in (("se", se, 0.0), ("replications", replications, 2.0)):
        numbers = np.asarray(value, None if np.asarray(value).dtype.kind not in "iuf" else np.float64)
        if numbers.dtype.kind not in "iuf" or not ((numbers >= least) & np.isfinite(numbers)).all():
            raise ValueError(f"{name} must be finite and >= {least:g}, got {checks.brief(value)}")
    shapes = np.shape(se), np.shape(replications)
    try:
        np.broadcast_shapes(*shapes)
    except (ValueError, RuntimeError):  # the second for too many dimensions
        raise ValueError(f"se and replications must fit, got shapes {checks.brief(shapes)}") from None
    return np.asarray(se) * scipy.special.stdtrit(np.asarray(replications) - 1.0, (1 + confidence) / 2)


def mean_interval(samples: Any, axis: int = 0, *, confidence: float = 0.95) -> Interval:
    """Return the mean over replications with its Student-t interval.

    Parameters
    ----------
    samples : array
        Measurements, finite, at least two along `axis`.
    axis : int
        The axis of replications.
    confidence : float in (0, 1)
        Coverage, point by point.

    Returns
    -------
    Interval
        Shaped as `samples` without `axis`; floats for one-dimensional samples.

    Raises
    ------
    ValueError
        If `samples` is not a finite array with at least two replications, or `confidence` is not in (0, 1).
    """
    array = checks.array("samples", samples)
    rows = np.moveaxis(array, checks.integer("axis", axis, at_least=-array.ndim, at_most=array.ndim - 1), 0)
    n = _replications("samples", rows)
    mean = rows.mean(axis=0)
    se = rows.std(axis=0, ddof=1) / np.sqrt(n)
    half = half_width(se, n, confidence=confidence)
    return Interval(_plain(mean), _plain(mean - half), _plain(mean + half), _plain(se), n)


def difference_interval(a: Any, b: Any, *, confidence: float = 0.95) -> Interval:
    """Return mean(a) - mean(b) with Welch's interval.

    Parameters
    ----------
    a, b : arrays, shapes (n,) and (m,), n, m >= 2
        Independent samples; the variances may differ. Samples that depend positively (two policies in the
        same environments) make the interval wider than it needs to be.
    confidence : float in (0, 1)
        Coverage.

    Returns
    -------
    Interval
        `measured` is the difference.

    Raises
    ------
    ValueError
        If a sample is not one of at least two finite numbers, or `confidence` is not in (0, 1).
    """
    mean_a, var_a, n_a = _moments("a", a)
    mean_b, var_b, n_b = _moments("b", b)
    se, quantile = _welch(var_a, n_a, var_b, n_b, confidence)
    difference = mean_a - mean_b
    return Interval(difference, difference - quantile * se, difference + quantile * se, se, min(n_a, n_b))


def ratio_interval(a: Any, b: Any, *, confidence: float = 0.95) -> Interval:
    """Return mean(a) / mean(b) with an interval symmetric on the logarithmic scale.

    The logarithm of each mean has standard error se / mean to first order; Welch's formula combines the two.
    So the interval of b / a is the reciprocal of that of a / b, and neither crosses zero.

    Parameters
    ----------
    a, b : arrays, shapes (n,) and (m,), n, m >= 2
        Independent samples with positive means.
    confidence : float in (0, 1)
        Coverage.

    Returns
    -------
    Interval
        `measured` is the ratio, `se` its standard error to first order.

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
    se, quantile = _welch(var_a / mean_a**2, n_a, var_b / mean_b**2, n_b, confidence)
    ratio = mean_a / mean_b
    factor = float(np.exp(quantile * se))
    return Interval(ratio, ratio / factor, ratio * factor, ratio * se, min(n_a, n_b))


def fit_exponent(x: Any, samples: Any, *, confidence: float = 0.95) -> Interval:
    """Fit mean(samples) = c x^a by least squares in logarithms.

    The interval is the delete-one-replication jackknife with a Student-t quantile: a replication is left out
    at all points at once, so it holds also when one replication supplies dependent points (a curve).

    Parameters
    ----------
    x : array, shape (points,), > 0
        At least two different values.
    samples : array, shape (replications, points)
        At least two replications; every mean over all but one of them must be > 0.
    confidence : float in (0, 1)
        Coverage.

    Returns
    -------
    Interval
        Of the exponent.

    Raises
    ------
    ValueError
        If a logarithm does not exist, the shapes disagree, or `x` has a single value.
    """
    slope, left_out = _slopes(x, samples)
    return _jackknife(slope, left_out, confidence)


def exponent_difference(x: Any, a: Any, b: Any, *, confidence: float = 0.95) -> Interval:
    """Return the exponent of mean(a) in x minus that of mean(b), fitted as by `fit_exponent`, on paired replications.

    A replication is left out of both at once, so what its seed does to both cancels.

    Parameters
    ----------
    x : array, shape (points,), > 0
        At least two different values.
    a, b : arrays, shape (replications, points)
        Row by row from the same seeds; every mean over all but one replication must be > 0.
    confidence : float in (0, 1)
        Coverage of the jackknife interval.

    Returns
    -------
    Interval
        Of the difference.

    Raises
    ------
    ValueError
        If a logarithm does not exist, the shapes disagree, or `x` has a single value.
    """
    (slope_a, left_out_a), (slope_b, left_out_b) = (_slopes(x, samples) for samples in (a, b))
    if left_out_a.shape != left_out_b.shape:
        raise ValueError(f"a and b must have as many replications, got {left_out_a.size} and {left_out_b.size}")
    return _jackknife(slope_a - slope_b, left_out_a - left_out_b, confidence)


def fit_growth(t: Any, curves: Any, start: float, stop: float, *, confidence: float = 0.95) -> Interval:
    """Fit the exponent a of R(t) = c (ln t)^a + d on the window start <= t <= stop.

    The constant d, what was lost before the regime began, would bias a fit of R itself, so the regret per unit of
    ln t is fitted: it goes as (ln t)^(a - 1), and is level for logarithmic regret. While a policy plays uniformly it
    is proportional to t, and the exponent is about ln t.

    Parameters
    ----------
    t : array, shape (points,), > 0
        Rounds of the checkpoints, increasing.
    curves : array, shape (replications, points)
        Cumulative regret.
    start, stop : float, 1 < start < stop
        The window, ends included; it is cut at checkpoints into pieces of about a quarter of a decade, at least two.
    confidence : float in (0, 1)
        Coverage of the jackknife interval.

    Returns
    -------
    Interval
        Of a.

    Raises
    ------
    ValueError
        If the window holds fewer than two pieces, or no regret is paid in one of them.
    """
    start = checks.real("start", start, above=1)
    stop = checks.real("stop", stop, above=start)
    rounds, rows = _curves("t", t, "curves", curves)
    inside = np.flatnonzero((rounds >= start) & (rounds <= stop))
    if inside.size < 3:
        raise ValueError(f"at least three checkpoints must lie in [{start:g}, {stop:g}], got {inside.size}")
    pieces = max(2, round(4 * math.log10(rounds[inside[-1]] / rounds[inside[0]])))
    cuts = np.unique(inside[np.round(np.linspace(0, inside.size - 1, pieces + 1)).astype(int)])
    log_t = np.log(rounds[cuts])
    rate = np.diff(rows[:, cuts], axis=1) / np.diff(log_t)
    fit = fit_exponent((log_t[1:] + log_t[:-1]) / 2, rate, confidence=confidence)
    return Interval(fit.measured + 1, fit.low + 1, fit.high + 1, fit.se, fit.runs)


def _slopes(x: Any, samples: Any) -> tuple[float, np.ndarray]:
    """Return the exponent of the means in x, and those with each replication left out."""
    points, rows = _curves("x", x, "samples", samples)
    n = _replications("samples", rows)
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
    return float(weights @ np.log(mean)), np.log(left_out) @ weights


def _jackknife(value: float, left_out: np.ndarray, confidence: float) -> Interval:
    n = len(left_out)
    se = float(np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2)))
    half = float(half_width(se, n, confidence=confidence))
    return Interval(value, value - half, value + half, se, n)


def _curves(name: str, x: Any, sampled: str, samples: Any) -> tuple[np.ndarray, np.ndarray]:
    points, rows = checks.array(name, x), checks.array(sampled, samples)
    if points.ndim != 1 or rows.ndim != 2 or rows.shape[1] != points.size:
        shapes = f"(replications, points) with {name} of shape (points,), got {rows.shape} and {points.shape}"
        raise ValueError(f"{sampled} must have shape {shapes}")
    return points, rows


def _replications(name: str, rows: np.ndarray) -> int:
    n = len(rows)
    if n < 2:
        raise ValueError(f"{name} must hold at least 2 replications, got {n}")
    return n


def _moments(name: str, value: Any) -> tuple[float, float, int]:
    sample = checks.array(name, value, ndim=1)
    n = _replications(name, sample)
    return float(sample.mean()), float(sample.var(ddof=1)), n


def _welch(var_a: float, n_a: int, var_b: float, n_b: int, confidence: float) -> tuple[float, float]:
    """Return the standard error of a difference of means and its t quantile (Welch-Satterthwaite)."""
    confidence = checks.real("confidence", confidence, above=0, below=1)
    part_a, part_b = var_a / n_a, var_b / n_b
    total = part_a + part_b
    if total == 0:
        return 0.0, 0.0
    freedom = total**2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
    return float(np.sqrt(total)), float(scipy.special.stdtrit(freedom, (1 + confidence) / 2))


def _plain(x: Any) -> Any:
    return float(x) if np.ndim(x) == 0 else x

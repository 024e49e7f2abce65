"""The longer study of the chapter on contexts: regret at the worst gap, and how its power is read from the rows.

A regret bound holds for every problem, so its power is that of the worst gap at each T. `private-bandits reproduce
contextual --long` plays a grid of gaps about it, in steps of a factor 2^(1/8); the rows are committed by replication.
The gap is chosen on one half of the runs and measured on the other. Between two gaps of the grid regret may be higher:
wrong actions grow no more often as the gap grows, so it is at most a step higher, and the interval of a power holds
every curve in between.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.policy import Policy
from private_bandits_book.studies import LongRun, LongStudy

SEED, RUNS, OFTEN = 202007, 20, 60
DELTA, LARGE = 1e-37, 1e-3
"""At most 1/T^2 at every T of the study, and the same at each, so that it bends no exponent; and one for the trap."""
FINE, COARSE = 2 ** (1 / 8), 2 ** (1 / 4)
DESIGNS: dict[str, Callable[[float, float, int, int], Policy]] = {  # by epsilon, delta, d and T
    "printed": lambda e, delta, d, t: paper.by_stretches(paper.ldp_linucb(e, delta=delta, dim=d, horizon=t)),
    "derived": lambda e, delta, d, t: paper.by_stretches(
        paper.ldp_linucb(e, delta=delta, dim=d, horizon=t, variant="derived", calibration="analytic")
    ),
    "weighted": lambda e, delta, d, t: paper.weighted_regression(e, delta=delta, dim=d, horizon=t),
    "rewards": lambda e, _, d, t: paper.private_rewards(e, dim=d, n_actions=max(d, 2), horizon=t),
    "alone": lambda e, delta, d, _: paper.by_stretches(paper.linucb_private_rewards(e, delta=delta, dim=d)),
    "trap": lambda _, delta, d, __: paper.by_stretches(paper.all_or_nothing(delta=delta, dim=d)),
}
"""Algorithm 5 with the constants of the public codes and with ours, weighted regression, private rewards, LinUCB with
noise on the reward alone, and all or nothing, whose epsilon is 0."""
_FAR = (17.0, 17.5, 18.0, 18.5)
_DECADES = (8, 9, 10, 11, 12, 13, 14)
_LATE = (13, 14, 15, 16, 17, 18)
# about the worst gaps at these log10 T, by design, sets, d and delta
_MIDDLES: dict[tuple[str, str, int, float], tuple[Sequence[float], Sequence[float]]] = {
    ("printed", "one set", 2, DELTA): (_FAR, (0.853, 0.665, 0.521, 0.407)),
    ("derived", "one set", 1, DELTA): (_DECADES, (0.569, 0.323, 0.188, 0.11, 0.0637, 0.036, 0.0197)),
    ("derived", "one set", 2, DELTA): (_DECADES, (0.46, 0.351, 0.25, 0.146, 0.0837, 0.0479, 0.0272)),
    ("derived", "one set", 3, DELTA): (_DECADES, (0.541, 0.423, 0.28, 0.178, 0.101, 0.0584, 0.0334)),
    ("weighted", "one set", 1, DELTA): (_DECADES, (0.27, 0.0931, 0.0291, 0.00898, 0.00296, 0.000946, 0.000305)),
    ("weighted", "one set", 2, DELTA): (_DECADES, (0.623, 0.201, 0.0647, 0.0199, 0.00632, 0.00199, 0.000652)),
    ("weighted", "one set", 3, DELTA): (_DECADES, (0.97, 0.332, 0.102, 0.0316, 0.0102, 0.00321, 0.00103)),
    ("rewards", "one set", 1, 0.0): (_DECADES, (0.004, 0.00126, 0.0004, 0.000126, 4e-5, 1.26e-5, 4e-6)),
    ("rewards", "one set", 2, 0.0): (_DECADES, (0.0113, 0.00358, 0.00113, 0.000358, 0.000113, 3.58e-5, 1.13e-5)),
    ("rewards", "one set", 3, 0.0): (_DECADES, (0.016, 0.00506, 0.0016, 0.000506, 0.00016, 5.06e-5, 1.6e-5)),
    ("derived", "ten sets", 2, DELTA): (_LATE, (0.758, 0.428, 0.242, 0.138, 0.0782, 0.0444)),
    ("weighted", "ten sets", 2, DELTA): (_LATE, (0.0434, 0.0135, 0.00434, 0.00135, 0.000434, 0.000135)),
    ("derived", "one set", 2, LARGE): (_DECADES, (0.296, 0.19, 0.114, 0.0663, 0.0381, 0.0218, 0.0124)),
    ("weighted", "one set", 2, LARGE): (_DECADES, (0.129, 0.0416, 0.0134, 0.00413, 0.00131, 0.000412, 0.000135)),
    ("trap", "one set", 2, LARGE): (_DECADES, (0.025, 0.01, 0.003, 0.0011, 0.00036, 0.000115, 3.7e-5)),
    ("alone", "one set", 1, DELTA): (_DECADES, (0.029, 0.00917, 0.0029, 0.000917, 0.00029, 9.17e-05, 2.9e-05)),
    ("alone", "one set", 2, DELTA): (_DECADES, (0.05, 0.0158, 0.005, 0.00158, 0.0005, 0.000158, 5e-05)),
    ("alone", "one set", 3, DELTA): (_DECADES, (0.072, 0.0228, 0.0072, 0.00228, 0.00072, 0.000228, 7.2e-05)),
}
_EPSILONS = (0.25, 0.35, 0.5, 0.71)
_PRICES: dict[str, tuple[float, Sequence[float]]] = {  # delta, and about the worst gaps at 10^12 rounds
    "weighted": (DELTA, (0.0248, 0.0178, 0.0126, 0.00884)),
    "rewards": (0.0, (0.000453, 0.000323, 0.000226, 0.000159)),
}


def _runs(design: str, sets: str, dim: int, delta: float, epsilon: float, horizon: int, middle: float) -> list[LongRun]:
    """A run for each gap about the middle, up to 1, the largest there is."""
    policy, made = DESIGNS[design](epsilon, delta, dim, horizon), []
    step, most = (COARSE, 8) if (design, sets) == ("weighted", "ten sets") else (FINE, 6)  # its peak is broad
    step = COARSE if design in ("alone", "trap") else step
    for gap in sorted({min(float(f"{middle * step**k:.3g}"), 1.0) for k in range(-most, most + 1)}):
        problem = instances.one_set(dim, gap=gap) if dim > 1 else instances.or_nothing(gap)
        problem = instances.skewed(gap) if sets == "ten sets" else problem
        labels = {"design": design, "sets": sets, "dim": dim, "delta": delta, "horizon": horizon, "gap": gap}
        runs = OFTEN if (design, dim, epsilon) == ("rewards", 2, 1.0) else RUNS  # runs of this one differ most
        made.append(LongRun(labels, problem, policy, horizon, SEED, runs, ()))
    return made


def worst_runs() -> list[LongRun]:
    """Gaps about the worst one, for each design, set and horizon at epsilon 1, and for two designs at smaller ones."""
    made = []
    for design, (delta, middles) in _PRICES.items():
        for epsilon, middle in zip(_EPSILONS, middles, strict=True):
            made += _runs(design, "one set", 2, delta, epsilon, 10**12, middle)
    for (design, sets, dim, delta), (logs, middles) in _MIDDLES.items():
        for log, middle in zip(logs, middles, strict=True):
            made += _runs(design, sets, dim, delta, 1.0, round(10**log), middle)
    return made


STUDIES = {"worst": LongStudy(worst_runs, ["design", "sets", "dim", "epsilon", "delta", "horizon", "gap"])}


class Peak(NamedTuple):
    """Regret at the gaps of a grid, at one T or epsilon: shape (gaps, runs), the gaps in order."""

    x: float
    gaps: np.ndarray
    regrets: np.ndarray

    @property
    def place(self) -> int:
        """The gap with the largest mean on every other run."""
        return int(np.argmax(self.regrets[:, ::2].mean(axis=1)))

    @property
    def regret(self) -> np.ndarray:
        """Regret at that gap on the other runs."""
        return np.asarray(self.regrets[self.place, 1::2])


def peaks(rows: pd.DataFrame, along: str = "horizon", **facts: Any) -> list[Peak]:
    """Return what was run at each value of a column, the gaps in order.

    Parameters
    ----------
    rows : DataFrame
        Of the study "worst".
    along : {"horizon", "epsilon"}
    **facts
        Values of other columns: `design="derived", sets="one set", dim=2`.

    Raises
    ------
    LookupError
        If no row has these facts.
    """
    part = rows[(rows[list(facts)] == list(facts.values())).all(axis=1)]
    if part.empty:
        raise LookupError(f"{facts} must name runs of the study, got none")
    found = []
    for value, own in part.groupby(along):
        table = own.pivot(index="gap", columns="replication", values="regret").sort_index()
        found.append(Peak(float(str(value)), table.index.to_numpy(float), table.to_numpy()))
    return found


def exponent(points: Sequence[Peak], inverse: bool = False) -> Interval:
    """Return the power of x in regret at the worst gap, with the errors of the runs, the choice and the grid.

    Parameters
    ----------
    points : sequence of Peak
        At least 3.
    inverse : bool
        Whether the power is that of 1/x.
    """
    x = np.log([point.x for point in points]) * (-1.0 if inverse else 1.0)
    weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    rng, half = np.random.default_rng(0), points[0].regrets.shape[1] // 2
    drawn = np.concatenate([np.tile(np.arange(half), (1, 2, 1)), rng.integers(0, half, (400, 2, half))])
    slopes = np.array([_heights(point, drawn[:, 0], drawn[:, 1]) for point in points]).T @ weights
    low, high = np.quantile(slopes[1:], (0.025, 0.975))
    between = np.array([_between(point) for point in points])  # below and above the interpolated peak
    down = weights @ np.where(weights > 0, between[:, 0], between[:, 1])
    up = weights @ np.where(weights > 0, between[:, 1], between[:, 0])
    measured = float(slopes[0])
    ends = min(measured, float(low)) + float(down), max(measured, float(high)) + float(up)
    return Interval(measured, *ends, runs=half)


def _heights(point: Peak, choosing: np.ndarray, measuring: np.ndarray) -> np.ndarray:
    """The logarithms of peaks, of a parabola through the chosen gap and its neighbours, at most a step above it.

    A row of runs that choose, and of those that measure, is a peak.
    """
    places = point.regrets[:, ::2][:, choosing].mean(axis=2).argmax(axis=0)
    means = np.log(point.regrets[:, 1::2][:, measuring].mean(axis=2))
    heights = means[places, np.arange(len(places))]
    for place in {*places.tolist()} - {0, len(means) - 1}:
        x, mine = np.log(point.gaps[place - 1 : place + 2]), places == place
        a, b, _ = np.polyfit(x - x[1], means[place - 1 : place + 2, mine], 2)
        rise = np.divide(-(b**2), 4.0 * a, out=np.zeros_like(a), where=a < 0)
        heights[mine] += np.clip(rise, 0.0, x[2] - x[1])
    return heights


def _between(point: Peak) -> tuple[float, float]:
    """How far the true peak may lie below and above the interpolated one: from the grid's to a step above it."""
    runs = np.arange(point.regrets.shape[1] // 2)[None]
    grid, step = math.log(point.regret.mean()), float(np.log(point.gaps[1:] / point.gaps[:-1]).max())
    peak = float(_heights(point, runs, runs)[0])
    return grid - peak, grid + step - peak


def apart(one: Interval, other: Interval) -> Interval:
    """Return the difference of two exponents, every error added.

    Parameters
    ----------
    one, other : Interval
    """
    ends = one.low - other.high, one.high - other.low
    return Interval(one.measured - other.measured, *ends, runs=min(one.runs, other.runs))


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the worst gap of each design, set and horizon, on the runs that did not choose it.

    Parameters
    ----------
    rows : DataFrame
        Of the study "worst".
    """
    by, kept = ["design", "sets", "dim", "epsilon", "delta", "horizon"], []
    for _, part in rows.groupby(by, sort=False):
        (point,) = peaks(part)
        chosen = part[(part["gap"] == point.gaps[point.place]) & (part["replication"] % 2 == 1)]
        kept.append(
            chosen.assign(
                worst_gap=point.gaps[point.place], problem=f"{part['sets'].iloc[0]}, d = {part['dim'].iloc[0]}"
            )
        )
    return pd.concat(kept, ignore_index=True)

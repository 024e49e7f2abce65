"""How the regret of Algorithms 1 and 2 grows with T and with 1/epsilon: the longer study behind the rows of Table 1.

A point counts where the run of `convex_runs` has learnt: its regret is below half of what standing still loses (of
uniformly random arms). An exponent needs four points. For ln T it is that of the regret along a curve, from where the
run has learnt.

*Adversarial arms, worst gap.* A bound for adversarial losses holds for every gap, so the fit goes through the largest
regrets at each T or epsilon. A point counts where the worst gap is inside the range that was searched, and the largest
gap has been learnt: uniformly random arms lose most at the largest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from private_bandits.estimates import Interval, fit_exponent, fit_growth, mean_interval
from private_bandits.papers.contextual.instances import N_ARMS
from private_bandits.papers.contextual.tunings import tuning
from private_bandits_book import studies
from private_bandits_book.contextual.convex_runs import (
    ADVERSARIAL,
    DELTA,
    LAPLACE,
    SETTLED,
    STOCHASTIC,
    long_runs,
    search,
)
from private_bandits_book.contextual.convex_study import TWO_POINTS, derived_bound
from private_bandits_book.contextual.summary import EPSILON, LOG_T, Exponent, T
from private_bandits_book.studies import LongRun

__all__ = [
    "DELTA",
    "bounds_checked",
    "described",
    "exponents",
    "long_runs",
    "long_study",
    "of_bounds",
    "play_long",
    "two_point_finals",
    "worst",
]

FILE = "long-convex.csv"
_LEAST = 4
_KEYS = ["row", "policy", "reading", "quantity"]
_POINT = [*_KEYS, "epsilon", "horizon"]


def long_study(progress: bool = False) -> pd.DataFrame:
    """Play the longer study; a row per replication and horizon, or checkpoint of a curve."""
    frames = [play_long(run) for run in tqdm(long_runs(), desc="convex", disable=not progress)]
    return pd.concat([*frames, search()], ignore_index=True)


def play_long(
    run: LongRun, *, replications: int | None = None, horizon: int | None = None, n_jobs: int = -1
) -> pd.DataFrame:
    """Play one run of the longer study; see `studies.play_long`."""
    return studies.play_long(run, replications=replications, horizon=horizon, n_jobs=n_jobs)


def exponents(frame: pd.DataFrame) -> list[Exponent]:
    """Fit every exponent of the longer study.

    Parameters
    ----------
    frame : DataFrame
        What `long_study` returns.
    """
    found = []
    for (row, box, reading, quantity), part in frame.groupby(_KEYS, sort=False):
        fitted = _growth(part) if quantity == LOG_T else _power(part, str(quantity))
        found.append(Exponent(str(row), str(box), str(reading), str(quantity), *fitted))
    return found


def of_bounds(frame: pd.DataFrame) -> list[Exponent]:
    """Fit the derived bounds as `exponents` fits the regret, at the same points: a claimed power with its logarithms.

    Returns
    -------
    list of Exponent
        One for each of `exponents`. Exact numbers, without an interval; None where there is no fit, or no bound.
    """
    runs = {tuple(run.labels[name] for name in _POINT): run for run in long_runs()}
    found = []
    for one, (_, part) in zip(exponents(frame), frame.groupby(_KEYS, sort=False), strict=True):
        fit = None
        points = part[_POINT].drop_duplicates().to_numpy().tolist()
        if one.fit is not None and all(tuple(point) in runs and _bound(runs[tuple(point)]) for point in points):
            fit = _bound_growth(part, runs) if one.quantity == LOG_T else _bound_power(part, one.quantity, runs)
        found.append(one._replace(fit=fit))
    return found


def worst(frame: pd.DataFrame) -> pd.DataFrame:
    """The point of every fit on adversarial arms: the gap with the largest mean regret.

    Returns
    -------
    DataFrame
        Columns `row, policy, reading, quantity, epsilon, horizon, gap, still, regret, counts`: `regret` is a mean,
        `still` that of uniformly random arms at this gap, and `counts` says whether the point enters the fit.
    """
    finals = frame[(frame["row"] == ADVERSARIAL) & (frame["t"] == frame["horizon"])]
    rows = []
    for key, part in finals.groupby(_POINT, sort=False):
        means = part.groupby("still")["regret"].mean().sort_index()
        place, last = int(np.argmax(means)), len(means) - 1
        told, still = dict(zip(_POINT, key, strict=True)), float(means.index[place])
        rows.append(
            told
            | {
                "gap": still / told["horizon"] * N_ARMS / (N_ARMS - 1),
                "still": still,
                "regret": float(means.iloc[place]),
                "counts": 0 < place < last and bool(means.iloc[last] < SETTLED * means.index[last]),
            }
        )
    return pd.DataFrame(rows, columns=[*_POINT, "gap", "still", "regret", "counts"])


def described(frame: pd.DataFrame) -> pd.DataFrame:
    """What each fit was run with.

    Returns
    -------
    DataFrame
        A row for each of `exponents`: `row, box, reading, quantity`; `noise` ("none", "classical" for the printed
        Gaussian, "laplace"), the range of what was fitted, `epsilon_low, epsilon_high, horizon_low, horizon_high`, in
        the case of ln t that of the rounds; `points` and `replications`. Where nothing was fitted, of what was run.
    """
    rows = []
    for one, (_, part) in zip(exponents(frame), frame.groupby(_KEYS, sort=False), strict=True):
        epsilons, horizons = part["epsilon"], part["t" if one.quantity == LOG_T else "horizon"]
        if one.fit is not None and one.quantity == LOG_T:
            horizons = _learnt(part).columns
        elif one.fit is not None:
            fitted = _table(part, one.quantity).columns
            epsilons, horizons = (epsilons, fitted) if one.quantity == T else (fitted, horizons)
        noise = "none" if math.isinf(epsilons.min()) else LAPLACE if one.reading == LAPLACE else "classical"
        told: dict[str, Any] = {"row": one.row, "box": one.box, "reading": one.reading}
        told |= {"quantity": one.quantity, "noise": noise}
        told |= {"epsilon_low": float(epsilons.min()), "epsilon_high": float(epsilons.max())}
        told |= {"horizon_low": int(horizons.min()), "horizon_high": int(horizons.max())}
        rows.append(told | {"points": one.points, "replications": part["replication"].nunique()})
    return pd.DataFrame(rows)


def two_point_finals(frame: pd.DataFrame) -> pd.DataFrame:
    """The longer study's regret of Algorithm 2 for convex losses, against epsilon.

    Returns
    -------
    DataFrame
        A row per step ("printed" or "tuned", the `reading`) and epsilon: `policy, reading, epsilon, t, regret,
        regret_se, replications, still`. Above half of `still`, what standing still loses, a point is not fitted.
    """
    row, _ = TWO_POINTS
    part = frame[(frame["row"] == row) & (frame["quantity"] == EPSILON) & (frame["t"] == frame["horizon"])]
    grouped = part.groupby(["policy", "reading", "epsilon", "t"], sort=False)
    table = grouped.agg(
        regret=("regret", "mean"),
        regret_se=("regret", "sem"),
        replications=("regret", "size"),
        still=("still", "first"),
    )
    return table.reset_index()


def bounds_checked(frame: pd.DataFrame) -> pd.DataFrame:
    """Measured regret at each horizon of the longer study beside the derived Corollary 4 or Theorem 6.

    Returns
    -------
    DataFrame
        A row per run: `row, box, reading, quantity, epsilon, horizon, bound, uniform, still, measured, low, high`.
        `still` is the regret of the point where learners start, `quantity` what the run is a point of a fit for.
    """
    rows = []
    finals = frame[frame["t"] == frame["horizon"]].set_index(_POINT).sort_index()
    for run in long_runs():
        told = run.labels
        key = tuple(told[name] for name in finals.index.names)
        if run.problem.domain == "arms" or key not in finals.index:
            continue
        found = mean_interval(finals.loc[[key], "regret"].to_numpy())
        rows.append(
            {
                "row": told["row"],
                "box": told["policy"],
                "reading": told["reading"],
                "quantity": told["quantity"],
                "epsilon": told["epsilon"],
                "horizon": run.horizon,
                "bound": _bound(run),
                "uniform": run.problem.uniform_regret() * run.horizon,
                "still": told["still"],
                "measured": found.measured,
                "low": found.low,
                "high": found.high,
            }
        )
    return pd.DataFrame(rows)


def _power(part: pd.DataFrame, quantity: str) -> tuple[Interval | None, int]:
    table = _table(part, quantity)
    if len(table.columns) < _LEAST:
        return None, len(table.columns)
    fit = fit_exponent(_abscissa(table, quantity), table.to_numpy())
    return fit, len(table.columns)


def _table(part: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The regrets of a fit: a row per replication, a column per horizon or epsilon that counts."""
    kept, share = part[part["t"] == part["horizon"]], SETTLED
    if (kept["row"] == ADVERSARIAL).all():
        points = worst(kept)
        kept, share = kept.merge(points.loc[points["counts"], [*_POINT, "still"]]), math.inf
    column = "horizon" if quantity == T else "epsilon"
    table = kept.pivot(index="replication", columns=column, values="regret").sort_index(axis=1)
    still = kept.groupby(column)["still"].first().sort_index()
    others = (table.sum() - table) / (len(table) - 1)  # the means that the fit needs above 0
    return table.loc[:, (table.mean() < share * still) & (others.min() > 0.0)]


def _abscissa(table: pd.DataFrame, quantity: str) -> np.ndarray:
    values = table.columns.to_numpy(float)
    return values if quantity == T else 1.0 / values


def _growth(part: pd.DataFrame) -> tuple[Interval | None, int]:
    """The power of ln t, from where the run has learnt."""
    table = _learnt(part)
    if len(table.columns) <= _LEAST:
        return None, max(len(table.columns) - 1, 0)
    t = table.columns.to_numpy(float)
    try:
        fit = fit_growth(t, table.to_numpy(), t[0], t[-1])
    except ValueError:  # no regret was paid in some part of the window
        return None, 0
    return fit, len(t) - 1


def _learnt(part: pd.DataFrame) -> pd.DataFrame:
    """The curves of a run, a row per replication, at the rounds from which the run has learnt."""
    table = part.pivot(index="replication", columns="t", values="regret").sort_index(axis=1)
    rate = float(part["still"].iloc[0]) / float(part["horizon"].iloc[0])
    learnt = table.mean().to_numpy() < SETTLED * rate * table.columns.to_numpy(float)
    return table.loc[:, np.logical_or.accumulate(learnt)]


def _bound_power(part: pd.DataFrame, quantity: str, runs: dict[tuple[Any, ...], LongRun]) -> Interval:
    table = _table(part, quantity)
    column = "horizon" if quantity == T else "epsilon"
    levels = {run.labels[column]: _bound(run) for run in _of(part, runs)}
    bounds = np.array([levels[value] for value in table.columns], float)
    slope = float(np.polyfit(np.log(_abscissa(table, quantity)), np.log(bounds), 1)[0])
    return Interval.exact(slope)


def _bound_growth(part: pd.DataFrame, runs: dict[tuple[Any, ...], LongRun]) -> Interval:
    (run,) = _of(part, runs)
    t = _learnt(part).columns.to_numpy(int)
    bounds = np.array([_bound(run, int(rounds)) for rounds in t], float)
    slope = fit_growth(t, np.tile(bounds, (2, 1)), t[0], t[-1]).measured
    return Interval.exact(slope)


def _of(part: pd.DataFrame, runs: dict[tuple[Any, ...], LongRun]) -> list[LongRun]:
    return [runs[tuple(point)] for point in part[_POINT].drop_duplicates().to_numpy().tolist()]


def _bound(run: LongRun, horizon: int | None = None) -> float | None:
    """The derived bound of a run, or of one like it for another T; None for stochastic arms."""
    rounds = run.horizon if horizon is None else horizon
    if run.labels["row"] == STOCHASTIC:
        return None
    if run.labels["row"] == ADVERSARIAL:  # the clipping as in `corollary_4`, which has the noise for 2B
        record = run.policy.record
        return tuning(run.policy.method, run.problem, rounds, record.unit).regret + 2.0 * record.scale / rounds
    return derived_bound(run.problem, run.policy, rounds)

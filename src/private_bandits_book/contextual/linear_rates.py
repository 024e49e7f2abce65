"""How the regret of Algorithms 3 and 5 grows with T and 1/epsilon: rows 7 and 8 of Table 1, at horizons of their own.

*One set, worst gap.* A regret bound holds for every problem, so its exponent is that of the worst one at each T. We
play one set of orthogonal actions with theta = gap times the first of them, look for the gap with the largest regret
in steps of a factor sqrt 2, and fit through these maxima. A point counts where the worst gap is inside the range that
was searched and the largest gap has been learnt: its regret is below half of uniform play's. The worst gap shrinks as
T^(-1/4) once T is far above the shift c_T. With the whole bonus and epsilon = 1 that takes 10^8 rounds, so the fits for
the whole bonus are at epsilon = 64, and one at epsilon = 1 shows what comes before.

*Unit vectors.* Fresh random action sets explore by themselves. One problem, and a point counts where its regret is
below half of uniform play's. Its exponents say nothing about the theorems', which are for the worst problem.

Bonus, shift and steps of a box are set from T, so each T is a run of its own. Readings named "printed" or "classical
noise" have the printed formula for sigma, proportional to 1/epsilon, and so do all fits over epsilon; the others have
the analytic noise, which is not proportional to 1/epsilon above epsilon of about 1. An exponent needs four points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, fit_exponent
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.bounds import linucb_upper, theorem_8, theorem_10
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.policy import Policy
from private_bandits_book.contextual.linear_study import one_set, unit_vectors
from private_bandits_book.contextual.summary import EPSILON, Exponent, T
from private_bandits_book.studies import LongRun, play_long

__all__ = ["described", "exponents", "fitted", "long_runs", "of_bounds", "play_long", "worst"]

LONG_SEED = 202007
DELTA = 1e-3
ONE_SET, UNIT_VECTORS = "one set", "unit vectors"
SMALL, SMALLEST = 0.1, 0.05  # the printed beta_t of Algorithm 5 has a factor d ln T besides
SETTLED = 0.5
LEARNT_EPSILON = 64.0  # where the whole bonus has learnt the worst gaps
_LEAST = 4
_STEPS = (2, 1, 0, -1, -2)  # gaps are looked for at these powers of sqrt 2 around the expected worst one
_BASE = 1_000_000  # where the expected worst gap is stated
_RUNS, _MANY = 5, 10
_KEYS = ["problem", "policy", "reading", "quantity", "dim"]

Maker = Callable[[float, int, int], Policy]  # epsilon, dim, horizon


class Sweep(NamedTuple):
    """The runs behind one exponent."""

    link: str
    reading: str
    make: Maker
    dim: int
    quantity: str
    horizons: tuple[int, ...]
    epsilons: tuple[float, ...] = (math.inf,)
    gap: float = math.nan  # expected worst gap at T = 10^6 and epsilon = 1; nan: unit vectors
    power: float = -0.25  # of T, in the expected worst gap
    replications: int = _RUNS


def _linucb(variant: str, noise: str, factor: float) -> Maker:
    return lambda epsilon, dim, horizon: ldp_linucb(epsilon, DELTA, dim, horizon, variant, noise, factor)


def _glm(variant: str, noise: str, factor: float) -> Maker:
    return lambda epsilon, dim, horizon: ldp_glm(
        epsilon, DELTA, dim, horizon, variant, noise, factor, responses="binary"
    )


def _gloc(learner: str) -> Maker:
    return lambda epsilon, dim, horizon: gloc(dim, horizon, learner)


def _plain(epsilon: float, dim: int, horizon: int) -> Policy:
    return linucb(dim)


_DECADES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
_LATER = (30_000, 100_000, 300_000, 1_000_000, 3_000_000)  # with the whole bonus, little is learnt before
_LAST = (125_000, 250_000, 500_000, 1_000_000)
_BEYOND = (250_000, 500_000, 1_000_000, 2_000_000)
_HALF = (500_000,)  # of the fits over epsilon
_EPSILONS, _LARGE = (1.0, 2.0, 4.0, 8.0, 16.0), (16.0, 32.0, 64.0, 128.0, 256.0)
_LARGER = (32.0, 64.0, 128.0, 256.0, 512.0)


def sweeps() -> list[Sweep]:
    """Every sweep of the study, its readings named after what was changed of the printed box."""
    small, smallest = f"beta times {SMALL:g}", f"beta times {SMALLEST:g}"
    derived, repaired = _linucb("derived", "analytic", 1.0), _glm("repaired", "analytic", 1.0)
    derived_small, repaired_small = _linucb("derived", "analytic", SMALL), _glm("repaired", "analytic", SMALL)
    derived_classical, printed = _linucb("derived", "classical", 1.0), _linucb("printed", "classical", SMALLEST)
    repaired_classical, printed_glm = _glm("repaired", "classical", SMALL), _glm("printed", "classical", SMALL)
    newton, gradient = _gloc("newton"), _gloc("gradient")
    one_set_sweeps = [
        Sweep("linear", "no privacy", _plain, 2, T, _DECADES, gap=0.0063, power=-0.5, replications=_MANY),
        Sweep("linear", "derived", derived, 2, T, _LATER[1:], (LEARNT_EPSILON,), 0.24),
        Sweep("linear", "derived", derived, 3, T, _LAST, (LEARNT_EPSILON,), 0.3),
        Sweep("linear", "derived", derived, 5, T, _LAST, (LEARNT_EPSILON,), 0.4),
        Sweep("linear", "derived, epsilon 1", derived, 2, T, _LATER, (1.0,), 0.28),
        Sweep("linear", f"derived, {small}", derived_small, 2, T, _LATER[:4], (1.0,), 0.055, -0.4, _MANY),
        Sweep("linear", f"printed, {smallest}", printed, 2, T, _BEYOND, (LEARNT_EPSILON,), 0.35),
        Sweep("linear", "derived, classical noise", derived_classical, 2, EPSILON, _HALF, _LARGE, 1.74),
        Sweep("linear", f"printed, {smallest}", printed, 2, EPSILON, _HALF, _LARGER, 3.2),
        Sweep("logistic", "no privacy, Newton steps", newton, 2, T, _DECADES, gap=0.05, power=-0.5),
        Sweep("logistic", "no privacy, gradient steps", gradient, 2, T, _DECADES, gap=0.19),
        Sweep("logistic", "no privacy, gradient steps", gradient, 3, T, _LAST, gap=0.2),
        Sweep("logistic", "repaired", repaired, 2, T, _BEYOND, (LEARNT_EPSILON,), 0.45),
        Sweep("logistic", f"repaired, {small}", repaired_small, 2, T, _LATER, (1.0,), 0.14),
        Sweep("logistic", f"repaired, {small}", repaired_small, 3, T, _LAST, (1.0,), 0.14),
        Sweep("logistic", f"printed, {small}", printed_glm, 2, T, _LATER, (8.0,), 0.18),
        Sweep(
            "logistic",
            f"repaired, classical noise, {small}",
            repaired_classical,
            2,
            EPSILON,
            _HALF,
            _EPSILONS,
            gap=0.35,
            replications=_MANY,
        ),
        Sweep(
            "logistic",
            f"printed, {small}",
            printed_glm,
            2,
            EPSILON,
            _HALF,
            (2.0, 4.0, 8.0, 16.0, 32.0),
            gap=0.6,
            replications=_MANY,
        ),
    ]
    unit_vector_sweeps = _unit_vector_sweeps(derived, derived_classical, repaired, newton, gradient)
    return [*one_set_sweeps, *unit_vector_sweeps, *_scaled_sweeps(derived_small, repaired_small)]


def _unit_vector_sweeps(
    derived: Maker, derived_classical: Maker, repaired: Maker, newton: Maker, gradient: Maker
) -> list[Sweep]:
    found = []
    for dim in (2, 5):
        found += [
            Sweep("linear", "no privacy", _plain, dim, T, _DECADES, replications=_MANY),
            Sweep("logistic", "no privacy, Newton steps", newton, dim, T, _DECADES),
            Sweep("logistic", "no privacy, gradient steps", gradient, dim, T, _DECADES),
            Sweep("logistic", "repaired", repaired, dim, T, _DECADES, (8.0,)),
        ]
    found += [Sweep("linear", "derived", derived, dim, T, _DECADES, (8.0,)) for dim in (2, 3, 4, 5)]
    found.append(Sweep("linear", "derived, classical noise", derived_classical, 2, EPSILON, _HALF, _EPSILONS))
    return found


def _scaled_sweeps(derived: Maker, repaired: Maker) -> list[Sweep]:
    """The rest of d = 2 to 5 with a tenth of the bonus."""
    reading, gaps = (
        f"derived, beta times {SMALL:g}, epsilon {LEARNT_EPSILON:g}",
        {2: 0.02, 3: 0.024, 4: 0.028, 5: 0.028},
    )
    linear = [
        Sweep("linear", reading, derived, dim, T, _LAST, (LEARNT_EPSILON,), gap, -0.35, _MANY)
        for dim, gap in gaps.items()
    ]
    reading, gaps = f"repaired, beta times {SMALL:g}", {4: 0.2, 5: 0.28}
    return linear + [Sweep("logistic", reading, repaired, dim, T, _LAST, (1.0,), gap) for dim, gap in gaps.items()]


def long_runs() -> list[LongRun]:
    """Every run of the study."""
    return [run for sweep in sweeps() for run in _runs(sweep)]


def _runs(sweep: Sweep) -> Iterator[LongRun]:
    for horizon in sweep.horizons:
        for epsilon in sweep.epsilons:
            policy = sweep.make(epsilon, sweep.dim, horizon)
            for gap in _gaps(sweep, epsilon, horizon):
                if math.isnan(gap):
                    problem = unit_vectors(sweep.dim, sweep.link)
                else:
                    problem = one_set(sweep.dim, sweep.link, gap)
                labels = {
                    "problem": UNIT_VECTORS if math.isnan(gap) else ONE_SET,
                    "policy": policy.name,
                    "reading": sweep.reading,
                    "quantity": sweep.quantity,
                    "dim": sweep.dim,
                    "epsilon": epsilon,
                    "horizon": horizon,
                    "gap": gap,
                    "uniform": problem.uniform_regret() * horizon,
                }
                yield LongRun(labels, problem, policy, horizon, LONG_SEED, sweep.replications, ())


def _gaps(sweep: Sweep, epsilon: float, horizon: int) -> list[float]:
    if math.isnan(sweep.gap):
        return [math.nan]
    middle = sweep.gap * (horizon / _BASE) ** sweep.power
    if sweep.quantity == EPSILON:
        middle /= math.sqrt(epsilon)
    return [gap for gap in (middle * 2.0 ** (k / 2) for k in _STEPS) if gap <= 1.0]


def worst(frame: pd.DataFrame) -> pd.DataFrame:
    """The point of every fit: the gap with the largest mean regret, where gaps were searched.

    Returns
    -------
    DataFrame
        Columns `problem, policy, reading, quantity, dim, epsilon, horizon, gap`, means `regret` and `uniform`, and
        `counts`: whether the point enters the fit.
    """
    rows = []
    for key, part in frame.groupby([*_KEYS, "epsilon", "horizon"], sort=False):
        means = part.groupby("gap", dropna=False)[["regret", "uniform"]].mean().sort_index()
        place = int(np.argmax(means["regret"]))
        largest = means.iloc[-1]
        inside = len(means) == 1 or 0 < place < len(means) - 1
        learnt = bool(largest["regret"] < SETTLED * largest["uniform"])
        found = means.iloc[place]
        told = dict(zip([*_KEYS, "epsilon", "horizon"], key, strict=True))
        rows.append(
            told
            | {
                "gap": float(means.index[place]),
                "regret": float(found["regret"]),
                "uniform": float(found["uniform"]),
                "counts": inside and learnt,
            }
        )
    return pd.DataFrame(rows)


def fitted(frame: pd.DataFrame) -> pd.DataFrame:
    """Every exponent that the study allows to fit.

    Returns
    -------
    DataFrame
        Columns `problem, policy, reading, quantity, dim`, then `measured, low, high` (nan where fewer than four points
        count), `points`, `replications`, the largest `horizon`, and `of_bound`: the exponent that the same fit finds in
        the bound of the box at these points, its logarithms included; nan where there is none, or too few points.
    """
    points, rows = worst(frame), []
    for key, part in points.groupby(_KEYS, sort=False):
        told = dict(zip(_KEYS, key, strict=True))
        kept = part[part["counts"]]
        samples = [_regrets(frame, point) for point in kept.to_dict("records")]
        fit, of_bound = Interval(), math.nan
        if len(kept) >= _LEAST:
            x = (kept["horizon"] if told["quantity"] == T else 1.0 / kept["epsilon"]).to_numpy(float)
            slope = fit_exponent(x, np.column_stack(samples))
            fit = slope
            bound = np.log([_bound(point) for point in kept.to_dict("records")])
            of_bound = float(np.polyfit(np.log(x), bound, 1)[0])
        runs = len(samples[0]) if samples else 0
        rows.append(
            told
            | fit.columns()
            | {"points": len(kept), "replications": runs, "horizon": int(part["horizon"].max()), "of_bound": of_bound}
        )
    return pd.DataFrame(rows)


def exponents(frame: pd.DataFrame) -> list[Exponent]:
    """The exponents of rows 7 and 8 of Table 1: the worst gap on one set of two actions."""
    return _judged(frame, ("measured", "low", "high"))


def of_bounds(frame: pd.DataFrame) -> list[Exponent]:
    """The derived bounds, fitted as the regret is by `exponents`, at the same points; see `convex_rates.of_bounds`."""
    return _judged(frame, ("of_bound",) * 3)


def described(frame: pd.DataFrame) -> pd.DataFrame:
    """What each fit was run with.

    Returns
    -------
    DataFrame
        The columns of `convex_rates.described`, with `problem` and `dim`: a row for each of `fitted`. Noise is "none",
        "classical" or "analytic". The ranges are those of the points in a fit or, where there is none, of all runs.
    """
    points, runs, rows = worst(frame), frame.groupby(_KEYS, sort=False)["replication"].nunique(), []
    for key, part in points.groupby(_KEYS, sort=False):
        told = dict(zip(_KEYS, key, strict=True))
        kept = part[part["counts"]]
        shown = kept if len(kept) >= _LEAST else part
        epsilons, horizons = shown["epsilon"], shown["horizon"]
        rows.append(
            {
                "row": _row(told["policy"]),
                "box": told["policy"],
                **{name: told[name] for name in ("reading", "quantity", "problem", "dim")},
                "noise": "none" if math.isinf(epsilons.min()) else _noise(told["reading"]),
                "epsilon_low": float(epsilons.min()),
                "epsilon_high": float(epsilons.max()),
                "horizon_low": int(horizons.min()),
                "horizon_high": int(horizons.max()),
                "points": len(kept),
                "replications": int(runs[key]),
            }
        )
    return pd.DataFrame(rows)


def _judged(frame: pd.DataFrame, columns: tuple[str, str, str]) -> list[Exponent]:
    found = []
    for row in fitted(frame).to_dict("records"):
        if row["problem"] == ONE_SET and row["dim"] == 2:
            fit = Interval(*(row[name] for name in columns))
            told = None if math.isnan(fit.measured) else fit
            found.append(
                Exponent(_row(row["policy"]), row["policy"], row["reading"], row["quantity"], told, row["points"])
            )
    return found


def _row(policy: str) -> str:
    return "linear" if "LinUCB" in policy else "generalised linear"


def _noise(reading: str) -> str:
    """How a private reading finds sigma."""
    return "classical" if reading.startswith("printed") or "classical" in reading else "analytic"


def _bound(point: dict[Hashable, Any]) -> float:
    """What is proven of a box with its whole bonus; a factor of beta hardly changes how it grows."""
    dim, horizon, epsilon, reading = point["dim"], point["horizon"], point["epsilon"], point["reading"]
    if point["problem"] != ONE_SET or "Newton" in reading:
        return math.nan
    if point["policy"] == "LinUCB":
        return linucb_upper(dim, horizon)
    variant, noise = "printed" if reading.startswith("printed") else "derived", _noise(reading)
    if point["policy"] == "LDP-LinUCB":
        return theorem_8(dim, horizon, epsilon, DELTA, variant, noise)
    return theorem_10(dim, horizon, epsilon, DELTA, variant, noise, responses="binary")


def _regrets(frame: pd.DataFrame, point: dict[Hashable, Any]) -> np.ndarray:
    chosen = np.ones(len(frame), bool)
    for column in [*_KEYS, "epsilon", "horizon", "gap"]:
        value = point[column]
        if isinstance(value, float) and math.isnan(value):
            chosen &= frame[column].isna().to_numpy()
        else:
            chosen &= (frame[column] == value).to_numpy()
    return frame[chosen].sort_values("replication")["regret"].to_numpy()

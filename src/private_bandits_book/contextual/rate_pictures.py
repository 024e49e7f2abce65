"""Figures of the longer studies: regret against T and against epsilon, with the claimed slope beside the fitted one."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from private_bandits.estimates import Interval
from private_bandits_book import figures
from private_bandits_book.contextual import linear_rates, tables
from private_bandits_book.contextual.claims import FRACTIONS, LOGISTIC, OURS, measured
from private_bandits_book.contextual.convex_study import ONE_POINT
from private_bandits_book.contextual.evidence import Evidence
from private_bandits_book.contextual.pictures import fits
from private_bandits_book.contextual.summary import EPSILON, ROWS, T
from private_bandits_book.figures import Picture, Slope, rounded
from private_bandits_book.figures import power as power_of


def rates(frame: pd.DataFrame, evidence: Evidence, key: str) -> Picture:
    """Regret against T, a run for every horizon, with the claimed slope beside the fitted one: a row of Table 1."""
    row = ROWS[key]
    part = frame[(frame["row"] == key) & (frame["quantity"] == T) & (frame["t"] == frame["horizon"])]
    drawn = _points(
        part,
        {
            "no privacy": "no privacy",
            "printed": "private",
            "tuned": "private, tuned step",
            "laplace": "private, Laplace",
        },
    )
    seen = measured(evidence, key, T)
    fit = None if seen is None else Interval(seen.measured, seen.low, seen.high, math.nan)
    along = next((label for label in ("private", "private, Laplace") if label in set(drawn["label"])), None)
    slope = Slope(row.power, f"T^{FRACTIONS[round(row.power, 3)]}, claimed", fit, along)
    fig = figures.regret_curves(drawn, start=float(drawn["t"].min()), yscale="log", slope=slope, xlabel="horizon T")
    private = drawn[drawn["trust"] == "local"].drop_duplicates("label")
    at = ", ".join(f"{row.label} at ε = {row.epsilon:g}" for row in private.itertuples())
    caption = (
        f"{row.problem.capitalize()} losses, {row.box}: regret at the horizon, steps and noise set for each T; {at}. "
        f"{figures.caption_runs(drawn)} Fitted powers of T: {fits(evidence.exponents, [key], T)}; "
        f"claimed "
        f"{row.power:.3g}."
    )
    alt = f"Regret against T on logarithmic axes. Fitted powers: {fits(evidence.exponents, [key], T)}."
    return Picture(fig, drawn.drop(columns=["label", "family"]), caption, alt)


def epsilons(frame: pd.DataFrame, evidence: Evidence) -> Picture:
    """Regret against epsilon for the one-point rows, with the claimed slope -1."""
    own = frame["row"].isin(list(ONE_POINT)) & (frame["quantity"] == EPSILON)
    part = frame[own & (frame["t"] == frame["horizon"])]
    grouped = part.groupby(["row", "epsilon"], sort=False)["regret"]
    drawn = grouped.agg(["mean", "sem", "size"]).reset_index()
    drawn = drawn.rename(columns={"mean": "regret", "sem": "regret_se", "size": "replications"})
    drawn = drawn.assign(policy="Algorithm 1", label="Algorithm 1", family="gaussian", trust="local", t=part["t"].max())
    claimed = drawn.copy()
    anchor = drawn.sort_values("epsilon").groupby("row")[["epsilon", "regret"]].last()
    claimed["regret"] = [
        anchor.loc[r, "regret"] * anchor.loc[r, "epsilon"] / e
        for r, e in zip(drawn["row"], drawn["epsilon"], strict=True)
    ]
    claimed = claimed.assign(
        policy="1/ε, as printed", label="1/ε, as printed", family="none", trust="none", regret_se=0.0
    )
    fig = figures.small_multiples(
        pd.concat([drawn, claimed], ignore_index=True), by="row", x="epsilon", xscale="log", yscale="log"
    )
    fitted = fits(evidence.exponents, ONE_POINT, EPSILON)
    derived = ", ".join(f"{key} {tables.DERIVED_EPSILON[key]:.3g}" for key in ONE_POINT)
    caption = (
        "One-point learners against ε at one horizon, steps tuned to the noise, which is the printed one (smooth "
        "losses: Laplace's); the "
        "line of slope −1 passes "
        f"through the last point. {figures.caption_runs(drawn)} Fitted powers of 1/ε: {fitted}; the derived bounds "
        f"have, for "
        f"small ε and large T, {derived}."
    )
    return Picture(fig, drawn.drop(columns=["label", "family"]), caption, f"Fitted powers of 1/ε: {fitted}; claimed 1.")


def steps(frame: pd.DataFrame, evidence: Evidence) -> Picture:
    """Algorithm 2 against epsilon at the longer study's horizon: the printed step and the tuned one, with their "
    "slopes."""
    drawn = frame.assign(
        policy=frame["reading"] + " step",
        label=frame["reading"] + " step",
        family=frame["reading"].map({"printed": "gaussian", "tuned": "laplace"}),
        trust="local",
    )
    lines = []
    for reading, power, label in (("printed", 2.0, "1/ε²"), ("tuned", 1.0, "1/ε")):
        own = drawn[drawn["reading"] == reading].sort_values("epsilon")
        end = own.iloc[-1]
        claimed = end["regret"] * (end["epsilon"] / own["epsilon"]) ** power
        lines.append(own.assign(policy=label, label=label, family="none", trust="none", regret=claimed, regret_se=0.0))
    fig = figures.sweep_curves(pd.concat([drawn, *lines], ignore_index=True), "epsilon", xscale="log", yscale="log")
    fitted = fits(
        [one for one in evidence.exponents if one.row == "two points, convex"], ["two points, convex"], EPSILON
    )
    caption = (
        f"Algorithm 2 on convex losses at T = {power_of(int(frame['t'].max()))}, printed noise, with the claimed "
        f"slopes through the "
        f"last points. {figures.caption_runs(frame)} Standing still loses {rounded(float(frame['still'].max()))}; "
        f"points above half "
        f"of it are not fitted. Fitted powers of 1/ε: {fitted}."
    )
    return Picture(fig, frame, caption, f"Fitted powers of 1/ε: {fitted}.")


def worst_gaps(frame: pd.DataFrame, evidence: Evidence, key: str) -> Picture:
    """Regret of Algorithm 5 or 3 at the worst gap against T, with the claimed slope."""
    logistic = key == LOGISTIC
    points = linear_rates.worst(frame)
    spread = frame.groupby(["policy", "reading", "quantity", "dim", "epsilon", "horizon", "gap"])["regret"].agg(
        ["sem", "size"]
    )
    part = points[
        (points["problem"] == "one set")
        & (points["dim"] == 2)
        & (points["quantity"] == T)
        & points["counts"]
        & (points["policy"].str.contains("GLOC") == logistic)
    ]
    part = part.join(spread, on=["policy", "reading", "quantity", "dim", "epsilon", "horizon", "gap"])
    drawn = pd.DataFrame(
        {
            "policy": part["policy"],
            "label": [_reading(r, e) for r, e in zip(part["reading"], part["epsilon"], strict=True)],
            "family": ["none" if math.isinf(e) else "gaussian" for e in part["epsilon"]],
            "trust": ["none" if math.isinf(e) else "local" for e in part["epsilon"]],
            "epsilon": part["epsilon"],
            "t": part["horizon"],
            "gap": part["gap"],
            "regret": part["regret"],
            "regret_se": part["sem"],
            "replications": part["size"],
        }
    )
    drawn["policy"] = drawn["label"]
    ours = next((label for label in drawn["label"] if str(label).startswith(OURS[key])), None)
    seen = evidence.exponent(key, T, OURS[key])
    fit = None if seen is None else Interval(seen.measured, seen.low, seen.high, math.nan)
    slope = Slope(ROWS[key].power, "T^(3/4), claimed", fit, ours) if ours else None
    fig = figures.regret_curves(drawn, start=float(drawn["t"].min()), yscale="log", slope=slope, xlabel="horizon T")
    fitted = fits(evidence.exponents, [key], T)
    caption = (
        f"{ROWS[key].box} on one set of two actions: regret at the gap that is worst for each T. Means of "
        f"{_span(drawn['replications'])} runs. Fitted powers of T: {fitted}; claimed {ROWS[key].power:g} with privacy, "
        f"{ROWS[key].non_private_power:g} without."
    )
    return Picture(
        fig, drawn.drop(columns=["label", "family"]), caption, f"Fitted powers of T at the worst gap: {fitted}."
    )


def _points(part: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    grouped = part.groupby(["reading", "epsilon", "horizon"], sort=False)["regret"]
    drawn = grouped.agg(["mean", "sem", "size"]).reset_index()
    drawn = drawn.rename(columns={"mean": "regret", "sem": "regret_se", "size": "replications", "horizon": "t"})
    drawn["label"] = drawn["reading"].map(names)
    drawn["policy"] = drawn["label"]
    drawn["family"] = (
        drawn["reading"].map({"no privacy": "none", "laplace": "laplace", "tuned": "tree"}).fillna("gaussian")
    )
    drawn["trust"] = ["none" if math.isinf(e) else "local" for e in drawn["epsilon"]]
    return drawn[drawn["regret"] > 0]


def _span(values: pd.Series) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def _reading(reading: str, epsilon: float) -> str:
    words = reading.removesuffix(f", epsilon {epsilon:g}")
    return words if math.isinf(epsilon) else f"{words}, ε = {epsilon:g}"

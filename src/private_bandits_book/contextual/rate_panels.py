"""Figures of the longer studies: regret against T and against epsilon, with the claimed slope beside the fitted one."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from private_bandits_book import figures
from private_bandits_book.contextual import rates, sweeps
from private_bandits_book.contextual.study import Study
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, OURS, ROWS, TWO_POINTS, slug
from private_bandits_book.contextual.words import LOOKS, fitted, plain, slope
from private_bandits_book.exhibits import Exhibits, Made, drawn
from private_bandits_book.figures import Slope, rounded
from private_bandits_book.figures import power as ten
from private_bandits_book.studies import looked, means
from private_bandits_book.sweep import EPSILON, HORIZON, Sweep

panels = Exhibits()


@panels("figure-rate", each=lambda study: [(f"figure-rate-{slug(key)}", key) for key in (*ONE_POINT, TWO_POINTS[0])])
def rate(study: Study, label: str, key: str) -> Made:
    """Regret against T, a run for every horizon, with the claimed slope beside the fitted one: a row of Table 1."""
    row = ROWS[key]
    frame = means(_finals(study, (key,), HORIZON), ["policy", "reading", "family", "trust", "epsilon", "t"])
    frame["label"] = frame["reading"].replace(LOOKS["rate"])
    frame = frame[frame["regret"] > 0]
    along = next((LOOKS["rate"][made] for made in ("printed", "laplace") if made in set(frame["reading"])), None)
    claimed = Slope(row.power, f"{plain(row.order)}, claimed", study.part(key, "horizon"), along)
    fig = figures.regret_curves(frame, start=float(frame["t"].min()), yscale="log", slope=claimed, xlabel="horizon T")
    private = frame[frame["trust"] == "local"].drop_duplicates("label")
    at = ", ".join(f"{row.label} at ε = {row.epsilon:g}" for row in private.itertuples())
    facts = {"at": at, "problem": row.problem.capitalize(), "algorithm": row.algorithm, "claimed": row.power}
    return drawn(fig, frame, powers=fitted(study.fits, [key], HORIZON), **facts)


@panels("figure-epsilon")
def epsilons(study: Study) -> Made:
    """Regret against epsilon for the one-point rows, with the claimed slope -1."""
    part = _finals(study, ONE_POINT, EPSILON)
    frame = means(part, ["row", "policy", "family", "trust", "epsilon"]).assign(t=part["t"].max())
    frame["label"] = frame["family"].map(LOOKS["one-point"])
    lines = [slope(own, 1.0, "1/ε, as printed") for _, own in frame.groupby("row", sort=False)]
    curves = pd.concat([frame, *lines], ignore_index=True)
    fig = figures.small_multiples(curves, by="row", x="epsilon", xscale="log", yscale="log")
    derived = ", ".join(f"{key} {ROWS[key].derived:.3g}" for key in ONE_POINT)
    return drawn(fig, frame, powers=fitted(study.fits, ONE_POINT, EPSILON), derived=derived)


@panels("figure-two-points-long")
def steps(study: Study) -> Made:
    """Algorithm 2 against epsilon at the longer study's horizon: the printed step and the tuned one."""
    row = TWO_POINTS[0]
    part = _finals(study, (row,), EPSILON)
    frame = means(part, ["policy", "reading", "family", "trust", "epsilon", "t"])
    still = float(part["still"].max())
    curves = frame.assign(label=frame["reading"] + " step")
    lines = [
        slope(curves[curves["reading"] == variant], power, label)
        for variant, power, label in (("printed", 2.0, "1/ε²"), ("tuned", 1.0, "1/ε"))
    ]
    fig = figures.regret_curves(pd.concat([curves, *lines], ignore_index=True), "epsilon", xscale="log", yscale="log")
    said = {"T": ten(int(frame["t"].max())), "still": rounded(still), "powers": fitted(study.fits, [row], EPSILON)}
    return drawn(fig, frame.assign(still=still), **said)


@panels("figure-worst-gaps", each=lambda study: [(f"figure-rate-{slug(key)}", key) for key in (LINEAR, LOGISTIC)])
def worst_gaps(study: Study, label: str, key: str) -> Made:
    """Regret of Algorithm 5 or 3 at the worst gap against T, with the claimed slope."""
    wanted = (key, sweeps.ONE_SET, 2, HORIZON)
    own = [
        sweep
        for row, sweep in sweeps.context_sweeps()
        if (row, sweep.labels["problem"], sweep.labels["dim"], sweep.quantity) == wanted
    ]
    points = [(point, sweep) for sweep in own for point in rates.points(sweep, study.linear) if point.counts]
    frame, row = pd.DataFrame([_point(*point) for point in points]), ROWS[key]
    ours = next((_point(*point)["label"] for point in points if point[0].labels["reading"] == OURS[key]), None)
    claimed = Slope(row.power, f"{plain(row.order)}, claimed", study.exponent(key, HORIZON, OURS[key]), ours)
    fig = figures.regret_curves(
        frame, start=float(frame["t"].min()), yscale="log", slope=claimed if ours else None, xlabel="horizon T"
    )
    low, high = int(frame["replications"].min()), int(frame["replications"].max())
    facts = {"row": row, "replications": str(low) if low == high else f"{low} to {high}"}
    return drawn(fig, frame, powers=fitted(study.fits, [key], HORIZON), **facts)


def _point(point: rates.Point, sweep: Sweep) -> dict[str, Any]:
    labels, regrets, policy = point.labels, point.regrets, sweep.run(point.value)[0].policy
    epsilon = labels["epsilon"]
    return {
        "policy": policy.name,
        "reading": sweep.design,
        "label": sweep.design if math.isinf(epsilon) else f"{sweep.design}, ε = {epsilon:g}",
        "family": policy.family,
        "trust": policy.privacy.trust,
        "epsilon": epsilon,
        "t": int(labels["horizon"]),
        "gap": labels["gap"],
        "regret": regrets.mean(),
        "regret_se": regrets.std(ddof=1) / math.sqrt(len(regrets)),
        "replications": len(regrets),
    }


def _finals(study: Study, rows: Sequence[str], quantity: str) -> pd.DataFrame:
    """The last regrets of some rows of the study without contexts, with the looks of what was played."""
    frame = study.convex
    own = frame["row"].isin(rows) & (frame["quantity"] == quantity) & (frame["t"] == frame["horizon"])
    return looked(frame[own], sweeps.long_runs("convex"), ["row", "reading", "quantity", "epsilon"])

"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits.papers.heavy_tailed.instances import SETTINGS
from private_bandits_book import figures
from private_bandits_book.figures import Picture, power
from private_bandits_book.heavy_tailed import coverage, panels, rates, tables
from private_bandits_book.heavy_tailed.claims import Evidence
from private_bandits_book.heavy_tailed.experiments import (
    CHECK_EPSILON,
    CHECK_MEANS,
    CHECK_SHAPE,
    FLUID,
    LOCAL_SETTING,
    PRINTED,
    RUNS,
    SHEFFET,
    SLIDE_RATE,
    SMALLER,
    Experiments,
    Panel,
    last,
    tidy,
)
from private_bandits_book.heavy_tailed.words import final_of, percent, portion, ratios, short
from private_bandits_book.studies import find

_START = 1000


def central(evidence: Evidence, number: int, v: float, epsilon: float) -> Picture:
    """One of the panels "DP Model Setting 1 (a)" to "3 (d)"."""
    panel, setting = evidence.central[number, v, epsilon], evidence.setting
    frame = tidy(panel)
    titles = {
        PRINTED: f"printed constants\nSE: {_bound(evidence, 'DP Robust SE', 24.0, v, epsilon)}",
        SMALLER: f"c = {setting.small_c:g}, radius {setting.small_radius:g}\n"
        f"SE: {_bound(evidence, 'DP Robust SE', setting.small_c, v, epsilon)}",
    }
    frame["facet"] = frame["reading"].map(lambda reading: titles.get(reading, ""))
    uniform = final_of(panel, "uniform")
    ends = {
        (name, reading): float(last(panel, name, reading).final.mean())
        for name in ("DP Robust SE", "DP Robust UCB")
        for reading in (PRINTED, SMALLER)
    }
    crossing = panels.overtaken(panel)
    crossed = (
        "With the printed constants DP Robust SE is below DP Robust UCB throughout."
        if math.isnan(crossing)
        else f"With the printed constants DP Robust SE is below DP Robust UCB from T = {short(crossing)} on."
        if crossing < setting.horizon
        else "With the printed constants DP Robust SE is not below DP Robust UCB at the end."
    )
    caption = (
        f"DP Model Setting {number}, v = {v:g}, ε = {epsilon:g}: means {_means(number)}. {_runs(frame)} "
        f"{_law(setting, v)} {_fluid_words(frame)} {crossed}"
    )
    alt = (
        f"At T = {power(setting.horizon)} uniform play has lost {short(uniform)}. With the printed constants DP "
        "Robust "
        f"SE ends at {short(ends['DP Robust SE', PRINTED])} and DP Robust UCB{_in_fluid(panel)} at "
        f"{short(ends['DP Robust UCB', PRINTED])}; with the smaller ones at {short(ends['DP Robust SE', SMALLER])} "
        "and "
        f"{short(ends['DP Robust UCB', SMALLER])}."
    )
    fig = figures.small_multiples(_joined(frame), by="facet", start=_START, yscale="log")
    return Picture(fig, _data(frame), caption, alt)


def local(evidence: Evidence, v: float) -> Picture:
    """One of the panels "LDP Model (a)" and "(b)"."""
    panel, setting = evidence.local[v], evidence.setting
    frame = tidy(panel)
    epsilons = sorted({c.epsilon for c in panel if math.isfinite(c.epsilon)})
    titles = {}
    for reading, name, c, words in (
        (PRINTED, "LDP Robust SE", 24.0, "square root, c = 24"),
        (SMALLER, "LDP Robust SE", setting.small_local_c, f"square root, c = {setting.small_local_c:g}"),
        (SLIDE_RATE, "LDP Robust SE, slide rate", 24.0, "rate of (4), (5), c = 24"),
    ):
        titles[reading] = f"{words}\nbound {_verdict(evidence.local_confidence, name, c, v, epsilons)}"
    frame["facet"] = frame["reading"].map(lambda reading: titles.get(reading, ""))
    frame["label"] = [
        f"ε = {row.epsilon:g}"
        if math.isfinite(row.epsilon)
        else {"uniform": "uniform play"}.get(row.policy, row.policy)
        for row in frame.itertuples()
    ]
    uniform = final_of(panel, "uniform")
    ends = []
    for reading, words in (
        (PRINTED, "with c = 24"),
        (SMALLER, f"with c = {setting.small_local_c:g}"),
        (SLIDE_RATE, "at the slides' rate"),
    ):
        finals = [float(c.final.mean()) / uniform for c in panel if c.reading == reading]
        ends.append(f"{_span_share(finals)} {words}")
    caption = (
        f"LDP Model, v = {v:g}: setting {LOCAL_SETTING}, means {_means(LOCAL_SETTING)}. The slides show no box and "
        "name no "
        f"ε; both scalings are ours. {_astray(panel)}{_runs(frame)} {_law(setting, v)}"
    )
    alt = (
        f"At T = {power(setting.horizon)} LDP Robust SE has lost, as a share of uniform play, "
        + ", ".join(ends)
        + f", over ε from {epsilons[0]:g} to {epsilons[-1]:g}."
    )
    return Picture(figures.small_multiples(frame, by="facet", start=_START, yscale="log"), _data(frame), caption, alt)


def _astray(panel: Panel) -> str:
    """What became of the runs at the slides' rate, where they have decided anything."""
    uniform = final_of(panel, "uniform")
    shares = [c.final / uniform for c in panel if c.reading == SLIDE_RATE]
    if not shares or any(np.all(np.abs(share - 1.0) < 1e-6) for share in shares):
        return ""
    lost = [share > panels.LEARNT for share in shares]
    same = (
        " The same runs at every ε, as all share their draws." if len({tuple(x) for x in lost}) == 1 < len(lost) else ""
    )
    return (
        f"At the slides' rate {percent(float(np.mean(lost)))} of the runs lose more than half of what uniform play "
        f"does: they have removed good arms by chance.{same} "
    )


def scaling(evidence: Evidence) -> Picture:
    """Error over bound against R, for the two scalings."""
    frame = evidence.scaling
    drawn = pd.DataFrame(
        {
            "policy": frame["variant"].map({"repaired": "square root", "slide_rate": "rate of (4), (5)"}),
            "family": frame["variant"].map({"repaired": "elimination", "slide_rate": "laplace"}),
            "trust": "local",
            "epsilon": frame["epsilon"],
            "facet": [f"v = {v:g}" for v in frame["v"]],
            "t": frame["pulls"],
            "pulls": frame["pulls"],
            "regret": frame["mean"],
            "regret_se": frame["se"],
            "replications": frame["draws"],
        }
    )
    fits = [
        f"{evidence.scaling_exponents[v, 'slide_rate'].measured:.3f} and "
        f"{abs(round(evidence.scaling_exponents[v, 'repaired'].measured, 3)):.3f} at v = {v:g}"
        for v in evidence.vs
    ]
    largest = frame[frame["pulls"] == frame["pulls"].max()].groupby("variant")["mean"]
    caption = (
        f"Mean of |error| / err of a local epoch mean against the pulls R of the epoch, Pareto mean "
        f"{coverage.SCALING_MEAN:g}, ε = 1, L = {coverage.SCALING_LOG:g}; {coverage.DRAWS} draws a point, bands are "
        "95 % "
        f"intervals. Fitted exponents in R, slides' rate and square root: {'; '.join(fits)}."
    )
    moves = {}
    for variant in coverage.SCALINGS:
        fitted = [evidence.scaling_exponents[v, variant].measured for v in evidence.vs]
        moves[variant] = "stays level" if max(map(abs, fitted)) < 0.05 else f"moves as R to the {max(fitted):.2f}"
    alt = (
        f"With the square root the error {moves['repaired']}, {largest.max()['repaired']:.2g} times err at most at the "
        f"largest R; at the rate of the slides' bounds it {moves['slide_rate']}, to at least "
        f"{short(largest.min()['slide_rate'])} times err."
    )
    fig = figures.small_multiples(
        drawn, by="facet", x="pulls", xscale="log", yscale="log", xlabel="pulls R of an epoch", ylabel="|error| / err"
    )
    return Picture(fig, frame, caption, alt)


def fluid(evidence: Evidence) -> Picture:
    """The fluid approximation of DP Robust UCB beside its runs."""
    setting = evidence.setting
    frames = [
        tidy(panel).assign(v=v, facet=f"v = {v:g}, {arms}", loss=float(panel[0].final[0]) / float(panel[0].t[-1]))
        for studies, arms in ((evidence.fluid, "setting 1"), (evidence.learnt, "two arms"))
        for v, panel in studies.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    radius = {PRINTED: "radius 18", SMALLER: f"radius {setting.small_radius:g}"}
    drawn = frame[frame["policy"] != "uniform"].copy()
    uniform = drawn["loss"] * drawn["t"]
    drawn["regret"], drawn["regret_se"] = drawn["regret"] / uniform, drawn["regret_se"] / uniform
    drawn["policy"] = drawn["label"] = [
        f"{radius.get(row.reading, row.reading)}, {row.kind}" for row in drawn.itertuples()
    ]
    drawn.loc[drawn["kind"] == FLUID, "family"] = "response"
    drawn = drawn.sort_values("kind", kind="stable")  # the runs lie on top
    errors, biases = [], []
    for v, panel in evidence.fluid.items():
        far, missed = ([percent(f(panel, r)) for r in radius] for f in (panels.fluid_error, panels.missed))
        errors.append(
            f"{far[0]} and {far[1]} of the regret, {missed[0]} and {missed[1]} of what is learnt, at v = {v:g}"
        )
        bias = panels.fluid_bias(evidence.learnt[v])
        biases.append(f"{_bias(bias)} at v = {v:g}")
    caption = (
        f"DP Robust UCB at ε = {CHECK_EPSILON:g}, run to T = {power(min(setting.exact_horizon, setting.horizon))} and "
        f"in the fluid approximation. {_runs(frame)} Setting 1, radius 18 and {setting.small_radius:g}: the two differ "
        f"by {'; '.join(errors)}. Two arms of means {CHECK_MEANS[0]:g} and {CHECK_MEANS[1]:g}, shape {CHECK_SHAPE:g}, "
        f"radius {setting.small_radius / 2:g}, where the runs have learnt: the approximation is off by "
        f"{'; '.join(biases)}."
    )
    shares = []
    for v, panel in evidence.fluid.items():
        curve = last(panel, "DP Robust UCB", PRINTED)
        share = float(curve.final.mean()) / float(find(panel, "uniform").regret[0][panel[0].t == curve.t[-1]][0])
        shares.append(f"{portion(share)} of uniform play's at v = {v:g}")
    alt = (
        f"Lines of the approximation beside the runs; where these have learnt it is off by {'; '.join(biases)}. In it, "
        f"with the printed radius, the regret at T = {power(setting.horizon)} is {'; '.join(shares)}."
    )
    fig = figures.small_multiples(drawn, by="facet", start=100, ylabel="regret over uniform play")
    return Picture(fig, _data(frame).drop(columns="loss"), caption, alt)


def _bias(bias: Interval | None) -> str:
    if bias is None:
        return "not measured (nothing learnt)"
    return f"{100 * bias.measured:+.0f} % [{100 * bias.low:+.0f}, {100 * bias.high:+.0f}]"


def by_gap(evidence: Evidence, v: float) -> Picture:
    """Regret against the gap on the instance of the lower bounds, with the bounds that matter."""
    horizon = max(evidence.setting.horizon, 2)
    rows = []
    families = {rates.DP: "elimination", rates.LDP: "composition", rates.EPISODES: "laplace"}
    for box, family in families.items():
        for point in evidence.points.get((box, v), []):
            spread = float(point.regret.std(ddof=1)) / math.sqrt(len(point.regret))
            trust = "local" if box == rates.LDP else "central"
            rows.append(
                _gap_row(box, family, trust, point.gap, float(point.regret.mean()), spread, len(point.regret), horizon)
            )
    gaps = sorted({row["gap"] for row in rows}) or [0.1, 0.5]
    bounding: dict[str, tuple[str, Callable[[float], float]]] = {
        "uniform play": ("uniform", lambda g: g * horizon * (rates.N_ARMS - 1) / rates.N_ARMS),
        "lower bound, LDP": (
            "composition",
            lambda g: bounds.ldp_lower(rates.N_ARMS, g, 1.0, v, horizon, variant="corrected"),
        ),
        "lower bound, DP": (
            "elimination",
            lambda g: bounds.dp_lower(rates.N_ARMS, g, 1.0, v, horizon, variant="corrected"),
        ),
        "order of (4)": ("gaussian", lambda g: (rates.N_ARMS - 1) * math.log(horizon) * g ** (-1.0 / v)),
    }
    for name, (family, value) in bounding.items():
        below = [g for g in gaps if value(g) < g * horizon]  # a run loses at most its gap a round
        rows += [_gap_row(name, family, "none", g, value(g), 0.0, 1, horizon) for g in below]
    frame = pd.DataFrame(rows)
    frame["v"] = v
    runs = frame[frame["kind"] == RUNS]
    fitted = [
        f"{box} {fit.measured:.2f}" for box in families if (fit := evidence.exponent(box, rates.GAP, v)) is not None
    ]
    caption = (
        f"Regret at T = {power(horizon)} against the gap, on the instance of the lower bounds (one arm pays, four "
        "never "
        f"do; u = 1), v = {v:g}, ε = 1, c = 24 for the eliminations, β = 1/T. "
        f"{figures.caption_runs(runs) if len(runs) else 'Nothing settles; the bounds are shown at two gaps.'} "
        "Bounds (thin) are computed, (4) with constant 1, the lower ones corrected; at this ε the central one is the "
        "bound without privacy. Fitted exponents of 1/gap: "
        f"{', '.join(fitted) or 'none'}; the slides have {1 / v:.3g} "
        f"for all, the corrected local one is {1 + 2 / v:.3g}."
    )
    seen = [point.gap for point in evidence.points.get((rates.LDP, v), [])]
    smallest = min(seen, default=gaps[0])
    lower = bounds.ldp_lower(rates.N_ARMS, smallest, 1.0, v, horizon, variant="corrected")
    printed = (rates.N_ARMS - 1) * math.log(horizon) * smallest ** (-1.0 / v)
    relation = "above" if lower > printed else "below"
    alt = (
        f"{_steepest(evidence, v)} At gap {smallest:.2g} the corrected local lower "
        f"bound, {short(lower)}, lies {relation} the order that the slides claim as an upper bound, {short(printed)}."
    )
    fig = figures.sweep_curves(frame, "gap", xscale="log", yscale="log", xlabel="gap")
    return Picture(fig, frame, caption, alt)


def _steepest(evidence: Evidence, v: float) -> str:
    fits = {box: evidence.exponent(box, rates.GAP, v) for box in (rates.DP, rates.LDP, rates.EPISODES)}
    known = {box: fit.measured for box, fit in fits.items() if fit is not None}
    if len(known) < 2:
        return "Too few gaps settle to compare the boxes."
    box = max(known, key=lambda name: known[name])
    return f"Regret moves fastest with the gap for {box}, as its power -{known[box]:.2f}."


def _gap_row(
    policy: str, family: str, trust: str, gap: float, regret: float, spread: float, replications: int, horizon: int
) -> dict[str, Any]:
    return {
        "policy": policy,
        "kind": "bound" if trust == "none" else RUNS,
        "family": family,
        "trust": trust,
        "epsilon": 1.0,
        "gap": gap,
        "t": horizon,
        "regret": regret if regret > 0 else math.nan,
        "regret_se": spread,
        "replications": replications,
    }


def unknown(evidence: Evidence) -> Picture:
    """First open problem."""
    labels = {"uniform": "uniform play"}
    frame = _by_v(evidence.unknown)
    frame["label"] = [labels.get(row.policy, row.reading) for row in frame.itertuples()]
    drawn = frame.assign(policy=frame["label"])
    costs = tables.unknown(evidence.unknown)
    own = costs[costs["policy"] == "Quantile SE"].set_index("v")
    caption = (
        f"First open problem, explored by us: setting 1 at ε = {CHECK_EPSILON:g} without u and v (Quantile SE, "
        "thresholds "
        f"from private quantiles), and DP Robust SE with both, with both and c = {evidence.setting.small_c:g}, and "
        "with a "
        f"u that is 100 times too large. {_runs(frame)} {_law(evidence.setting)}"
    )
    alt = (
        f"Without u and v the regret at the horizon is {ratios(own['over_small'])} times that of DP Robust SE with "
        f"both and c = {evidence.setting.small_c:g}, and {ratios(own['over_known'])} times that with c = 24."
    )
    return Picture(figures.small_multiples(drawn, by="facet", start=_START, yscale="log"), _data(frame), caption, alt)


def episodes(evidence: Evidence) -> Picture:
    """Second open problem."""
    frame = _by_v(evidence.episodes)
    ends = []
    for v, panel in evidence.episodes.items():
        shown = {n: float(last(panel, n, r).final.mean()) for n, r in _EPISODE_ROWS}
        ends.append(
            f"at v = {v:g} {short(shown['DP Robust UCB, episodes'])} with episodes, {short(shown['DP Robust SE'])} "
            f"for DP Robust SE, {short(shown['DP Robust UCB'])} for DP Robust UCB{_in_fluid(panel)}"
        )
    caption = (
        f"Second open problem, explored by us: an index box with truncation in doubling episodes, beside the slides' "
        f"boxes with their printed constants, setting 1 at ε = {CHECK_EPSILON:g}. {_runs(frame)} "
        f"{_law(evidence.setting)} "
        f"{_fluid_words(frame)}"
    )
    alt = f"Regret at T = {power(evidence.setting.horizon)}: " + "; ".join(ends) + "."
    fig = figures.small_multiples(_joined(frame), by="facet", start=_START, yscale="log")
    return Picture(fig, _data(frame), caption, alt)


_EPISODE_ROWS = (("DP Robust UCB, episodes", "ours"), ("DP Robust SE", PRINTED), ("DP Robust UCB", PRINTED))


def bounded(evidence: Evidence) -> Picture:
    """Bounded rewards, for context."""
    frame = tidy(evidence.bounded)
    names = {
        "uniform": "uniform play",
        "DP Robust SE": "DP Robust SE, v = 1",
        "DP Robust UCB, episodes": "doubling episodes, v = 1",
    }
    frame["label"] = frame["policy"].map(lambda name: names.get(name, name))
    ends = frame[frame["t"] == frame["t"].max()].sort_values("regret")
    caption = (
        f"Context, rewards in [0, 1]: Bernoulli arms with the means of Sajed and Sheffet (2019), "
        f"{', '.join(f'{mean:g}' for mean in SHEFFET)}, at ε = {CHECK_EPSILON:g}, "
        f"β = {short(evidence.setting.beta)}. "
        f"{_runs(frame)}"
    )
    alt = f"Regret at T = {power(evidence.setting.horizon)}, from least to most: " + ", ".join(
        f"{row.label} {short(row.regret)}" for row in ends.itertuples()
    )
    return Picture(figures.regret_curves(frame, start=10, yscale="log"), _data(frame), caption, alt + ".")


def _in_fluid(panel: Panel) -> str:
    return " (fluid)" if last(panel, "DP Robust UCB", PRINTED).kind == FLUID else ""


def _joined(frame: pd.DataFrame) -> pd.DataFrame:
    """One line for the runs of a box and their continuation in the fluid approximation, labelled so."""
    joined = frame.copy()
    fluid = joined["kind"] == FLUID
    joined["policy"] = joined["policy"].str.removesuffix(", fluid")
    joined["label"] = joined["policy"].map(lambda name: _NAMES.get(name, name))
    start = {row.policy: row.t for row in joined[~fluid].sort_values("t").itertuples()}
    approximated = joined["policy"].isin(set(joined.loc[fluid, "policy"]))
    joined.loc[approximated, "label"] = [
        f"{row.label} (fluid from {power(int(start[row.policy]))})" for row in joined[approximated].itertuples()
    ]
    ends = joined["policy"].map(start)
    return joined[~fluid | (joined["t"] > ends)]


_NAMES = {"uniform": "uniform play", "DP Robust UCB, episodes": "doubling episodes (ours)"}


def _by_v(panels: Mapping[float, Panel]) -> pd.DataFrame:
    return pd.concat([tidy(p).assign(v=v, facet=f"v = {v:g}") for v, p in panels.items()], ignore_index=True)


def _data(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("facet", "label", "family") if c in frame])


def _bound(evidence: Evidence, name: str, constant: float, v: float, epsilon: float) -> str:
    return f"bound {_verdict(evidence.confidence, name, constant, v, [epsilon])}"


def _verdict(frame: pd.DataFrame, name: str, constant: float, v: float, epsilons: list[float]) -> str:
    """What is known of the confidence bound at all of these epsilons: the least favourable answer."""
    rows = frame[(frame["policy"] == name) & (frame["value"] == constant) & (frame["v"] == v)]
    seen = set(rows[rows["epsilon"].isin(epsilons)]["bound"])
    for one, words in (
        ("fails", "fails"),
        ("not measured", "not measured"),
        ("not proven, holds in all draws", "held when drawn"),
    ):
        if one in seen:
            return words
    return "proven"


def _runs(frame: pd.DataFrame) -> str:
    return figures.caption_runs(frame[frame["kind"] == RUNS]) + " Uniform play is exact."


def _fluid_words(frame: pd.DataFrame) -> str:
    played = frame[(frame["kind"] == RUNS) & frame["policy"].isin(["DP Robust UCB"])]["t"].max()
    if not (frame["kind"] == FLUID).any():
        return ""
    return f"Index boxes are run to {power(int(played))} rounds and approximated (fluid) from there."


def _law(setting: Experiments, v: float | None = None) -> str:
    shape = f"{1 + v + setting.spare_shape:g}" if v is not None else f"1 + v + {setting.spare_shape:g}"
    u = (
        "u is the true moment"
        if setting.u_over_moment == 1.0
        else f"u is {setting.u_over_moment:g} times the true moment"
    )
    inverse = " = 1/T" if math.isclose(setting.beta * setting.horizon, 1.0) else ""
    return f"Ours: Pareto shape {shape}, {u}, β = {short(setting.beta)}{inverse}."


def _means(number: int) -> str:
    return ", ".join(f"{mean:g}" for mean in SETTINGS[number])


def _span_share(values: list[float]) -> str:
    low, high = min(values), max(values)
    return portion(high) if np.isclose(low, high, rtol=0.01) else f"{portion(low)} to {portion(high)}"

"""The figures of the chapter: what each draws and says, in captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits.papers.heavy_tailed.instances import SETTINGS
from private_bandits_book import figures
from private_bandits_book.exhibits import Exhibits
from private_bandits_book.figures import Picture, power
from private_bandits_book.heavy_tailed import comparisons, coverage, rates, tables
from private_bandits_book.heavy_tailed.coverage import LOCAL_SETTING
from private_bandits_book.heavy_tailed.study import (
    CHECK_EPSILON,
    CHECK_MEANS,
    CHECK_SHAPE,
    FLUID,
    PRINTED,
    RUNS,
    SHEFFET,
    SLIDE_RATE,
    SMALLER,
    Study,
    last,
    tidy,
)
from private_bandits_book.heavy_tailed.words import percent, portion, ratios, short
from private_bandits_book.studies import Runs
from private_bandits_book.sweep import GAP

panels = Exhibits()
_START = 1000
_NAMES = {"uniform": "uniform play", "DP Robust UCB, episodes": "doubling episodes (ours)"}


@panels(
    "figure-dp-setting",
    each=lambda study: [
        (f"figure-dp-setting-{number}-v{float(v)!r}-epsilon{float(epsilon)!r}", (number, v, epsilon))
        for number, v, epsilon in study.grid
    ],
)
def central(study: Study, label: str, key: tuple[int, float, float]) -> Picture:
    """One of the panels "DP Model Setting 1 (a)" to "3 (d)"."""
    (number, v, epsilon), panel = key, study.central[key]
    frame = tidy(panel)
    titles = {
        PRINTED: f"printed constants\nSE: {_bound(study.confidence, 'DP Robust SE', 24.0, v, [epsilon])}",
        SMALLER: f"c = {study.small_c:g}, radius {study.small_radius:g}\n"
        f"SE: {_bound(study.confidence, 'DP Robust SE', study.small_c, v, [epsilon])}",
    }
    frame["facet"] = frame["reading"].map(lambda reading: titles.get(reading, ""))
    crossing = comparisons.overtaken(panel)
    if math.isnan(crossing):
        crossed = "below DP Robust UCB throughout"
    elif crossing < study.horizon:
        crossed = f"below DP Robust UCB from T = {short(crossing)} on"
    else:
        crossed = "not below DP Robust UCB at the end"
    caption = (
        f"DP Model Setting {number}, v = {v:g}, ε = {epsilon:g}: means {_means(number)}. {_runs(frame)} "
        f"{_law(study, v)} {_fluid_words(frame)} With the printed constants DP Robust SE is {crossed}."
    )
    ends = [_end(panel, name, reading) for reading in (PRINTED, SMALLER) for name in ("DP Robust SE", "DP Robust UCB")]
    alt = (
        f"At T = {power(study.horizon)} uniform play has lost {short(panel.final('uniform'))}. With the printed "
        f"constants DP Robust SE ends at {ends[0]} and DP Robust UCB{_in_fluid(panel)} at {ends[1]}; with the smaller "
        f"ones at {ends[2]} and {ends[3]}."
    )
    fig = figures.small_multiples(_joined(frame), by="facet", start=_START, yscale="log")
    return Picture(fig, _data(frame), caption, alt)


@panels("figure-ldp-v", each=lambda study: _by_v("figure-ldp", study))
def local(study: Study, label: str, v: float) -> Picture:
    """One of the panels "LDP Model (a)" and "(b)"."""
    panel, uniform, small = study.local[v], study.local[v].final("uniform"), f"c = {study.small_local_c:g}"
    frame = tidy(panel)
    epsilons = sorted({run.epsilon for run in panel if math.isfinite(run.epsilon)})
    titles, ends = {}, []
    for reading, name, c, title, words in (
        (PRINTED, "LDP Robust SE", 24.0, "square root, c = 24", "with c = 24"),
        (SMALLER, "LDP Robust SE", study.small_local_c, f"square root, {small}", f"with {small}"),
        (SLIDE_RATE, "LDP Robust SE, slide rate", 24.0, "rate of (4), (5), c = 24", "at the slides' rate"),
    ):
        titles[reading] = f"{title}\n{_bound(study.local_confidence, name, c, v, epsilons)}"
        finals = [float(run.final.mean()) / uniform for run in panel.select(reading=reading)]
        ends.append(f"{_span_share(finals)} {words}")
    frame["facet"] = frame["reading"].map(lambda reading: titles.get(reading, ""))
    frame["label"] = [
        f"ε = {row.epsilon:g}" if math.isfinite(row.epsilon) else _NAMES.get(row.policy, row.policy)
        for row in frame.itertuples()
    ]
    caption = (
        f"LDP Model, v = {v:g}: setting {LOCAL_SETTING}, means {_means(LOCAL_SETTING)}. The slides show no box and "
        f"name no ε; both scalings are ours. {_astray(panel)}{_runs(frame)} {_law(study, v)}"
    )
    alt = (
        f"At T = {power(study.horizon)} LDP Robust SE has lost, as a share of uniform play, {', '.join(ends)}, over ε "
        f"from {epsilons[0]:g} to {epsilons[-1]:g}."
    )
    return Picture(figures.small_multiples(frame, by="facet", start=_START, yscale="log"), _data(frame), caption, alt)


def _astray(panel: Runs) -> str:
    """What became of the runs at the slides' rate, where they have decided anything."""
    shares = [run.final / panel.final("uniform") for run in panel.select(reading=SLIDE_RATE)]
    if not shares or any(np.all(np.abs(share - 1.0) < 1e-6) for share in shares):
        return ""
    lost = [share > comparisons.LEARNT for share in shares]
    alike = len({tuple(x) for x in lost}) == 1 < len(lost)
    same = " The same runs at every ε, as all share their draws." if alike else ""
    return (
        f"At the slides' rate {percent(float(np.mean(lost)))} of the runs lose more than half of what uniform play "
        f"does: they have removed good arms by chance.{same} "
    )


@panels("figure-ldp-scaling")
def scaling(study: Study) -> Picture:
    """Error over bound against R, for the two scalings."""
    frame, fits = study.scaling, study.scaling_exponents
    drawn = frame.assign(
        policy=frame["variant"].map({"repaired": "square root", "slide_rate": "rate of (4), (5)"}),
        family=frame["variant"].map({"repaired": "elimination", "slide_rate": "laplace"}),
        trust="local",
        facet=[f"v = {v:g}" for v in frame["v"]],
        t=frame["pulls"],
    )
    drawn = drawn.rename(columns={"mean": "regret", "se": "regret_se", "draws": "replications"})
    fitted = [
        f"{fits[v, 'slide_rate'].measured:.3f} and {abs(round(fits[v, 'repaired'].measured, 3)):.3f} at v = {v:g}"
        for v in study.vs
    ]
    largest = frame[frame["pulls"] == frame["pulls"].max()].groupby("variant")["mean"]
    caption = (
        f"Mean of |error| / err of a local epoch mean against the pulls R of the epoch, Pareto mean "
        f"{coverage.SCALING_MEAN:g}, ε = 1, L = {coverage.SCALING_LOG:g}; {coverage.DRAWS} draws a point, bands are "
        f"95 % intervals. Fitted exponents in R, slides' rate and square root: {'; '.join(fitted)}."
    )
    moves = {}
    for variant in coverage.SCALINGS:
        slopes = [fits[v, variant].measured for v in study.vs]
        moves[variant] = "stays level" if max(map(abs, slopes)) < 0.05 else f"moves as R to the {max(slopes):.2f}"
    alt = (
        f"With the square root the error {moves['repaired']}, {largest.max()['repaired']:.2g} times err at most at the "
        f"largest R; at the rate of the slides' bounds it {moves['slide_rate']}, to at least "
        f"{short(largest.min()['slide_rate'])} times err."
    )
    fig = figures.small_multiples(
        drawn, by="facet", x="pulls", xscale="log", yscale="log", xlabel="pulls R of an epoch", ylabel="|error| / err"
    )
    return Picture(fig, frame, caption, alt)


@panels("figure-fluid")
def fluid(study: Study) -> Picture:
    """The fluid approximation of DP Robust UCB beside its runs."""
    frames = [
        tidy(panel).assign(v=v, facet=f"v = {v:g}, {arms}", loss=float(panel[0].final[0]) / float(panel[0].t[-1]))
        for checks, arms in ((study.fluid, "setting 1"), (study.learnt, "two arms"))
        for v, panel in checks.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    radius = {PRINTED: "radius 18", SMALLER: f"radius {study.small_radius:g}"}
    drawn = frame[frame["policy"] != "uniform"].copy()
    uniform = drawn["loss"] * drawn["t"]
    drawn["regret"], drawn["regret_se"] = drawn["regret"] / uniform, drawn["regret_se"] / uniform
    drawn["policy"] = drawn["label"] = [
        f"{radius.get(row.reading, row.reading)}, {row.kind}" for row in drawn.itertuples()
    ]
    drawn.loc[drawn["kind"] == FLUID, "family"] = "response"
    drawn = drawn.sort_values("kind", kind="stable")  # the runs lie on top
    errors, biases, shares = [], [], []
    for v, panel in study.fluid.items():
        far, missed = (
            " and ".join(percent(of(panel, reading)) for reading in radius)
            for of in (comparisons.fluid_error, comparisons.missed)
        )
        errors.append(f"{far} of the regret, {missed} of what is learnt, at v = {v:g}")
        biases.append(f"{_bias(comparisons.fluid_bias(study.learnt[v]))} at v = {v:g}")
        run, even = last(panel, "DP Robust UCB", PRINTED), panel.find("uniform")
        share = float(run.final.mean()) / float(even.curves[0][even.t == run.t[-1]][0])
        shares.append(f"{portion(share)} of uniform play's at v = {v:g}")
    caption = (
        f"DP Robust UCB at ε = {CHECK_EPSILON:g}, run to T = {power(min(study.exact_horizon, study.horizon))} and "
        f"in the fluid approximation. {_runs(frame)} Setting 1, radius 18 and {study.small_radius:g}: the two differ "
        f"by {'; '.join(errors)}. Two arms of means {CHECK_MEANS[0]:g} and {CHECK_MEANS[1]:g}, shape {CHECK_SHAPE:g}, "
        f"radius {study.small_radius / 2:g}, where the runs have learnt: the approximation is off by "
        f"{'; '.join(biases)}."
    )
    alt = (
        f"Lines of the approximation beside the runs; where these have learnt it is off by {'; '.join(biases)}. In it, "
        f"with the printed radius, the regret at T = {power(study.horizon)} is {'; '.join(shares)}."
    )
    fig = figures.small_multiples(drawn, by="facet", start=100, ylabel="regret over uniform play")
    return Picture(fig, _data(frame).drop(columns="loss"), caption, alt)


def _bias(bias: Interval | None) -> str:
    if bias is None:
        return "not measured (nothing learnt)"
    return f"{100 * bias.measured:+.0f} % [{100 * bias.low:+.0f}, {100 * bias.high:+.0f}]"


_GAP_LOOKS = (
    (rates.DP, "elimination", "central"),
    (rates.LDP, "composition", "local"),
    (rates.EPISODES, "laplace", "central"),
)
_GAP_COLUMNS = ["policy", "kind", "family", "trust", "gap", "regret", "regret_se", "replications"]


@panels("figure-gap-v", each=lambda study: _by_v("figure-gap", study))
def by_gap(study: Study, label: str, v: float) -> Picture:
    """Regret against the gap on the instance of the lower bounds, with the bounds that matter."""
    horizon, arms = study.length, rates.N_ARMS
    runs = [(*look, point) for look in _GAP_LOOKS for point in study.points[look[0], v]]
    gaps = sorted({point.gap for *_, point in runs}) or [0.1, 0.5]

    def lower(gap: float, of: Callable[..., float] = bounds.ldp_lower) -> float:
        return of(arms, gap, 1.0, v, horizon, variant="corrected")

    def printed(gap: float) -> float:
        return (arms - 1) * math.log(horizon) * gap ** (-1.0 / v)

    lines: tuple[tuple[str, str, Callable[[float], float]], ...] = (
        ("uniform play", "uniform", lambda gap: gap * horizon * (arms - 1) / arms),
        ("lower bound, LDP", "composition", lower),
        ("lower bound, DP", "elimination", lambda gap: lower(gap, bounds.dp_lower)),
        ("order of (4)", "gaussian", printed),
    )
    for name, family, value in lines:  # a run loses at most its gap a round
        below = [rates.Point(gap, np.array([value(gap)])) for gap in gaps if value(gap) < gap * horizon]
        runs += [(name, family, "none", point) for point in below]
    frame = pd.DataFrame([_gap_row(*run) for run in runs], columns=_GAP_COLUMNS).assign(epsilon=1.0, t=horizon, v=v)
    frame = frame[
        ["policy", "kind", "family", "trust", "epsilon", "gap", "t", "regret", "regret_se", "replications", "v"]
    ]
    played = frame[frame["kind"] == RUNS]
    fits = {name: fit.measured for name, *_ in _GAP_LOOKS if (fit := study.rate(name, GAP, v).fit) is not None}
    fitted = ", ".join(f"{name} {slope:.2f}" for name, slope in fits.items())
    caption = (
        f"Regret at T = {power(horizon)} against the gap, on the instance of the lower bounds (one arm pays, four "
        f"never do; u = 1), v = {v:g}, ε = 1, c = 24 for the eliminations, β = 1/T. "
        f"{figures.caption_runs(played) if len(played) else 'Nothing settles; the bounds are shown at two gaps.'} "
        "Bounds (thin) are computed, (4) with constant 1, the lower ones corrected; at this ε the central one is the "
        f"bound without privacy. Fitted exponents of 1/gap: {fitted or 'none'}; the slides have {1 / v:.3g} "
        f"for all, the corrected local one is {1 + 2 / v:.3g}."
    )
    smallest = min((point.gap for name, *_, point in runs if name == rates.LDP), default=gaps[0])
    relation = "above" if lower(smallest) > printed(smallest) else "below"
    alt = (
        f"{_steepest(fits)} At gap {smallest:.2g} the corrected local lower bound, {short(lower(smallest))}, lies "
        f"{relation} the order that the slides claim as an upper bound, {short(printed(smallest))}."
    )
    fig = figures.sweep_curves(frame, "gap", xscale="log", yscale="log", xlabel="gap")
    return Picture(fig, frame, caption, alt)


def _steepest(fits: Mapping[str, float]) -> str:
    if len(fits) < 2:
        return "Too few gaps settle to compare the boxes."
    name = max(fits, key=lambda name: fits[name])
    return f"Regret moves fastest with the gap for {name}, as its power -{fits[name]:.2f}."


def _gap_row(name: str, family: str, trust: str, point: rates.Point) -> tuple[object, ...]:
    regret, runs = float(point.regret.mean()), len(point.regret)
    spread = float(point.regret.std(ddof=1)) / math.sqrt(runs) if runs > 1 else 0.0
    kind = "bound" if trust == "none" else RUNS
    return name, kind, family, trust, point.gap, regret if regret > 0 else math.nan, spread, runs


@panels("figure-unknown-moments")
def unknown(study: Study) -> Picture:
    """First open problem."""
    frame = _facets(study.unknown)
    frame["label"] = [_NAMES.get(row.policy, row.reading) for row in frame.itertuples()]
    costs = tables.costs(study)
    own = costs[costs["policy"] == "Quantile SE"].set_index("v")
    caption = (
        f"First open problem, explored by us: setting 1 at ε = {CHECK_EPSILON:g} without u and v (Quantile SE, "
        f"thresholds from private quantiles), and DP Robust SE with both, with both and c = {study.small_c:g}, and "
        f"with a u that is 100 times too large. {_runs(frame)} {_law(study)}"
    )
    alt = (
        f"Without u and v the regret at the horizon is {ratios(own['over_small'])} times that of DP Robust SE with "
        f"both and c = {study.small_c:g}, and {ratios(own['over_known'])} times that with c = 24."
    )
    drawn = frame.assign(policy=frame["label"])
    return Picture(figures.small_multiples(drawn, by="facet", start=_START, yscale="log"), _data(frame), caption, alt)


@panels("figure-episodes")
def episodes(study: Study) -> Picture:
    """Second open problem."""
    frame = _facets(study.episodes)
    ends = [
        f"at v = {v:g} {_end(panel, 'DP Robust UCB, episodes', 'ours')} with episodes, "
        f"{_end(panel, 'DP Robust SE', PRINTED)} for DP Robust SE, "
        f"{_end(panel, 'DP Robust UCB', PRINTED)} for DP Robust UCB{_in_fluid(panel)}"
        for v, panel in study.episodes.items()
    ]
    caption = (
        f"Second open problem, explored by us: an index box with truncation in doubling episodes, beside the slides' "
        f"boxes with their printed constants, setting 1 at ε = {CHECK_EPSILON:g}. {_runs(frame)} {_law(study)} "
        f"{_fluid_words(frame)}"
    )
    alt = f"Regret at T = {power(study.horizon)}: {'; '.join(ends)}."
    fig = figures.small_multiples(_joined(frame), by="facet", start=_START, yscale="log")
    return Picture(fig, _data(frame), caption, alt)


@panels("figure-bounded")
def bounded(study: Study) -> Picture:
    """Bounded rewards, for context."""
    frame = tidy(study.bounded)
    names = {
        "uniform": "uniform play",
        "DP Robust SE": "DP Robust SE, v = 1",
        "DP Robust UCB, episodes": "doubling episodes, v = 1",
    }
    frame["label"] = frame["policy"].map(lambda name: names.get(name, name))
    ends = frame[frame["t"] == frame["t"].max()].sort_values("regret")
    caption = (
        f"Context, rewards in [0, 1]: Bernoulli arms with the means of Sajed and Sheffet (2019), "
        f"{', '.join(f'{mean:g}' for mean in SHEFFET)}, at ε = {CHECK_EPSILON:g}, β = {short(study.beta)}. "
        f"{_runs(frame)}"
    )
    shown = ", ".join(f"{row.label} {short(row.regret)}" for row in ends.itertuples())
    alt = f"Regret at T = {power(study.horizon)}, from least to most: {shown}."
    return Picture(figures.regret_curves(frame, start=10, yscale="log"), _data(frame), caption, alt)


def _by_v(label: str, study: Study) -> Iterator[tuple[str, float]]:
    return ((f"{label}-v{float(v)!r}", v) for v in study.vs)


def _end(panel: Runs, name: str, reading: str) -> str:
    """The regret of a policy where its curve ends."""
    return short(float(last(panel, name, reading).final.mean()))


def _in_fluid(panel: Runs) -> str:
    return " (fluid)" if last(panel, "DP Robust UCB", PRINTED).swept["kind"] == FLUID else ""


def _joined(frame: pd.DataFrame) -> pd.DataFrame:
    """One line for the runs of an index algorithm and their continuation in the fluid approximation, labelled so."""
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


def _facets(panels: Mapping[float, Runs]) -> pd.DataFrame:
    return pd.concat([tidy(p).assign(v=v, facet=f"v = {v:g}") for v, p in panels.items()], ignore_index=True)


def _data(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("facet", "label", "family") if c in frame])


def _bound(frame: pd.DataFrame, name: str, constant: float, v: float, epsilons: Sequence[float]) -> str:
    """What is known of the confidence bound at all of these epsilons: the least favourable answer."""
    rows = frame[(frame["policy"] == name) & (frame["value"] == constant) & (frame["v"] == v)]
    seen = set(rows[rows["epsilon"].isin(epsilons)]["bound"])
    worst = [one for one in ("fails", "not measured", "not proven, holds in all draws") if one in seen]
    words = worst[0] if worst else "proven"
    return f"bound {'held when drawn' if words.startswith('not proven') else words}"


def _runs(frame: pd.DataFrame) -> str:
    return figures.caption_runs(frame[frame["kind"] == RUNS]) + " Uniform play is exact."


def _fluid_words(frame: pd.DataFrame) -> str:
    if not (frame["kind"] == FLUID).any():
        return ""
    played = frame[(frame["kind"] == RUNS) & (frame["policy"] == "DP Robust UCB")]["t"].max()
    return f"Index boxes are run to {power(int(played))} rounds and approximated (fluid) from there."


def _law(study: Study, v: float | None = None) -> str:
    shape = f"{1 + v + study.spare_shape:g}" if v is not None else f"1 + v + {study.spare_shape:g}"
    times = "" if study.u_over_moment == 1.0 else f"{study.u_over_moment:g} times "
    inverse = " = 1/T" if math.isclose(study.beta * study.horizon, 1.0) else ""
    return f"Ours: Pareto shape {shape}, u is {times}the true moment, β = {short(study.beta)}{inverse}."


def _means(number: int) -> str:
    return ", ".join(f"{mean:g}" for mean in SETTINGS[number])


def _span_share(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return portion(high) if np.isclose(low, high, rtol=0.01) else f"{portion(low)} to {portion(high)}"

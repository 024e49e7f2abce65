"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_bandits import figures
from private_bandits.claims import VERDICTS
from private_bandits.papers.heavy_tailed import bounds, coverage, rates, tables
from private_bandits.papers.heavy_tailed.claims import Evidence, fluid_error
from private_bandits.papers.heavy_tailed.experiments import (
    CHECK_EPSILON,
    FLUID,
    LOCAL_SETTING,
    PRINTED,
    RUNS,
    SHEFFET,
    SLIDE_RATE,
    SMALLER,
    Experiments,
    Panel,
    find,
    last,
    tidy,
)
from private_bandits.papers.heavy_tailed.instances import SETTINGS

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_START = 1000


class Picture(NamedTuple):
    """A figure, its data, and what is said of it."""

    fig: Figure
    data: pd.DataFrame
    caption: str
    alt: str


def in_short(evidence: Evidence, ledger: pd.DataFrame) -> str:
    """The chapter's findings in a few sentences of MyST, from its own numbers."""
    setting, v = evidence.setting, evidence.vs[0]
    panel = next(iter(evidence.central.values()))
    number, first_v, epsilon = next(iter(evidence.central))
    uniform = _final(panel, "uniform")
    mine, other = (float(last(panel, n, PRINTED).final.mean()) for n in ("DP Robust SE", "DP Robust UCB"))
    needs = tables.needs(setting, evidence.vs)
    first = needs[(needs["policy"] == "DP Robust SE") & (needs["constant"] == 24.0)].set_index("v")["first_epoch"]
    local = needs[(needs["policy"] == "LDP Robust SE") & (needs["constant"] == 24.0)].set_index("v")["rounds"]
    slide, square = (evidence.scaling_exponents[v, variant].measured for variant in ("slide_rate", "repaired"))
    gap = evidence.exponent(rates.LDP, rates.GAP, v)
    grown = evidence.exponent(rates.LDP, rates.WORST, v)
    quantile = tables.unknown(evidence.unknown).query("policy == 'Quantile SE'").set_index("v")["over_known"]
    episodes = evidence.episodes[v]
    ours = float(find(episodes, "DP Robust UCB, episodes", "ours").final.mean())
    theirs = float(find(episodes, "DP Robust SE", PRINTED).final.mean())
    counts = ledger["verdict"].value_counts()
    verdicts = ", ".join(f"{counts[one]} {one}" for one in VERDICTS if one in counts)
    rate = "could not be measured at these parameters"
    if gap is not None and grown is not None:
        rate = (
            f"goes as $\\Delta^{{-{gap.measured:.2f}}}$ and, at the worst gap, as $T^{{{grown.measured:.2f}}}$ "
            f"at $v={v:g}$, where the slides have $\\Delta^{{-{1 / v:.3g}}}$ and $T^{{{1 / (1 + v):.2f}}}$"
        )
    found = ledger.set_index("claim")["verdict"]
    return "\n".join(
        [
            f"- **The constants are enormous.** The first epoch of DP Robust SE takes {_list(first)} pulls of every "
            "arm at "
            f"$\\epsilon=1$. Epochs are drawn as sums here, so the printed constants run to $T=$ "
            f"{_power(setting.horizon)}.",
            f"- **DP Robust SE against DP Robust UCB**, setting {number}, $v={first_v:g}$, $\\epsilon={epsilon:g}$: "
            "at the "
            f"horizon the first has lost {_share(mine / uniform)} of what uniform play loses, the second "
            f"{_share(other / uniform)}.",
            "- **The central theorems:** "
            f"{_both(found, 'theorem-dp-upper-dependent', 'theorem-dp-upper-independent')}; the "
            "printed powers of $u$ are too small for rewards that are rescaled, and $u^{1/v}$ and $u^{1/(1+v)}$ are "
            "right. "
            f"The lower bound: {found['theorem-dp-lower']}.",
            "- **The local upper bounds:** "
            f"{_both(found, 'theorem-ldp-upper-dependent', 'theorem-ldp-upper-independent')}. "
            f"A mean of $R$ local reports has noise of order $1/\\sqrt R$, the bounds need $1/R$: at their scaling the "
            f"error over its bound grows as $R^{{{slide:.2f}}}$, at the square root as "
            f"$R^{{{abs(round(square, 2)):.2f}}}$. The regret of the repaired box {rate}. With $c=24$ it takes "
            f"{_list(local)} rounds to tell all arms of setting {LOCAL_SETTING} apart.",
            f"- **Open problems, explored by us.** Without $u$ and $v$, private quantiles lose {_ratios(quantile)} "
            "times what "
            f"DP Robust SE loses with both and the printed constants. An index box with doubling episodes loses "
            f"{_short(ours)} at $v={v:g}$, DP Robust SE {_short(theirs)}.",
            f"- **Of {len(ledger)} claims** {verdicts}. The ledger at the end says why.",
        ]
    )


def _both(found: pd.Series, one: str, other: str) -> str:
    if found[one] == found[other]:
        return f"{found[one]}, both parts"
    return f"the instance-dependent one {found[one]}, the instance-independent one {found[other]}"


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
    uniform = _final(panel, "uniform")
    ends = {
        (name, reading): float(last(panel, name, reading).final.mean())
        for name in ("DP Robust SE", "DP Robust UCB")
        for reading in (PRINTED, SMALLER)
    }
    caption = (
        f"DP Model Setting {number}, v = {v:g}, ε = {epsilon:g}: means {_means(number)}. {_runs(frame)} "
        f"{_law(setting, v)} {_fluid_words(frame)}"
    )
    alt = (
        f"At T = {_power(setting.horizon)} uniform play has lost {_short(uniform)}. With the printed constants DP "
        "Robust "
        f"SE ends at {_short(ends['DP Robust SE', PRINTED])} and DP Robust UCB at "
        f"{_short(ends['DP Robust UCB', PRINTED])}; with the smaller ones at {_short(ends['DP Robust SE', SMALLER])} "
        "and "
        f"{_short(ends['DP Robust UCB', SMALLER])}."
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
    uniform = _final(panel, "uniform")
    ends = []
    for reading, words in (
        (PRINTED, "with c = 24"),
        (SMALLER, "with the smaller c"),
        (SLIDE_RATE, "at the slides' rate"),
    ):
        finals = [float(c.final.mean()) / uniform for c in panel if c.reading == reading]
        ends.append(f"{_span_share(finals)} {words}")
    caption = (
        f"LDP Model, v = {v:g}: setting {LOCAL_SETTING}, means {_means(LOCAL_SETTING)}. The slides show no box and "
        "name no "
        f"ε; both scalings are ours. {_runs(frame)} {_law(setting, v)}"
    )
    alt = (
        f"At T = {_power(setting.horizon)}, of what uniform play has lost, LDP Robust SE has lost "
        + ", ".join(ends)
        + f", over ε from {epsilons[0]:g} to {epsilons[-1]:g}."
    )
    return Picture(figures.small_multiples(frame, by="facet", start=_START, yscale="log"), _data(frame), caption, alt)


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
    low, high = largest.max()["repaired"], largest.min()["slide_rate"]
    alt = (
        f"With the square root the error stays level, {low:.2g} times err at most at the largest R; at the rate of the "
        f"slides' bounds it grows as a straight line to at least {_short(high)} times err."
    )
    fig = figures.small_multiples(
        drawn, by="facet", x="pulls", xscale="log", yscale="log", xlabel="pulls R of an epoch", ylabel="|error| / err"
    )
    return Picture(fig, frame, caption, alt)


def fluid(evidence: Evidence) -> Picture:
    """The fluid approximation of DP Robust UCB beside its runs."""
    frames = []
    for v, panel in evidence.fluid.items():
        frames.append(tidy(panel).assign(v=v, facet=f"v = {v:g}"))
    frame = pd.concat(frames, ignore_index=True)
    setting = evidence.setting
    radius = {PRINTED: "18", SMALLER: f"{setting.small_radius:g}"}
    drawn = frame[frame["policy"] != "uniform"].copy()
    uniform = setting.problem(1, evidence.vs[0]).uniform_regret() * drawn["t"]
    drawn["regret"], drawn["regret_se"] = drawn["regret"] / uniform, drawn["regret_se"] / uniform
    drawn["policy"] = drawn["label"] = [f"radius {radius[row.reading]}, {row.kind}" for row in drawn.itertuples()]
    drawn.loc[drawn["kind"] == FLUID, "family"] = "response"
    drawn = drawn.sort_values("kind", kind="stable")  # the runs lie on top
    errors = [
        f"{_percent(fluid_error(panel))} and {_percent(fluid_error(panel, SMALLER))} at v = {v:g}"
        for v, panel in evidence.fluid.items()
    ]
    caption = (
        f"DP Robust UCB on setting 1 at ε = {CHECK_EPSILON:g}, run to T = "
        f"{_power(min(setting.exact_horizon, setting.horizon))} and in the fluid approximation. {_runs(frame)} From "
        "round "
        f"{_START} on the two differ by at most (radius 18 and {radius[SMALLER]}): {'; '.join(errors)}."
    )
    shares = []
    for v, panel in evidence.fluid.items():
        curve = last(panel, "DP Robust UCB", PRINTED)
        share = float(curve.final.mean()) / float(find(panel, "uniform").regret[0][panel[0].t == curve.t[-1]][0])
        shares.append(f"{_share(share)} at v = {v:g}")
    alt = (
        f"The approximation continues the runs. With the printed radius the regret at T = "
        f"{_power(setting.horizon)} is, of uniform play's, {'; '.join(shares)}."
    )
    fig = figures.small_multiples(drawn, by="facet", start=100, ylabel="regret over uniform play")
    return Picture(fig, _data(frame), caption, alt)


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
        f"Regret at T = {_power(horizon)} against the gap, on the instance of the lower bounds (one arm pays, four "
        "never "
        f"do; u = 1), v = {v:g}, ε = 1, c = 24, β = 1/T. "
        f"{figures.caption_runs(runs) if len(runs) else 'Nothing settles.'} "
        "Bounds (thin) are computed, (4) with constant 1, the lower ones corrected. Fitted exponents of 1/gap: "
        f"{', '.join(fitted) or 'none'}; the slides have {1 / v:.3g} "
        f"for all, the corrected local one is {1 + 2 / v:.3g}."
    )
    seen = [point.gap for point in evidence.points.get((rates.LDP, v), [])]
    smallest = min(seen, default=gaps[0])
    lower = bounds.ldp_lower(rates.N_ARMS, smallest, 1.0, v, horizon, variant="corrected")
    printed = (rates.N_ARMS - 1) * math.log(horizon) * smallest ** (-1.0 / v)
    relation = "above" if lower > printed else "below"
    alt = (
        f"Regret rises as the gap shrinks, steepest for the local box. At gap {smallest:.2g} the corrected local lower "
        f"bound, {_short(lower)}, lies {relation} the order that the slides claim as an upper bound, {_short(printed)}."
    )
    fig = figures.sweep_curves(frame, "gap", xscale="log", yscale="log", xlabel="gap")
    return Picture(fig, frame, caption, alt)


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
    own = costs[costs["policy"] == "Quantile SE"].set_index("v")["over_known"]
    caption = (
        f"First open problem, explored by us: setting 1 at ε = {CHECK_EPSILON:g} without u and v (Quantile SE, "
        "thresholds "
        f"from private quantiles), and DP Robust SE with both, with both and c = {evidence.setting.small_c:g}, and "
        "with a "
        f"u that is 100 times too large. {_runs(frame)} {_law(evidence.setting)}"
    )
    alt = f"Without u and v the regret at the horizon is {_ratios(own)} times that of DP Robust SE with both."
    return Picture(figures.small_multiples(drawn, by="facet", start=_START, yscale="log"), _data(frame), caption, alt)


def episodes(evidence: Evidence) -> Picture:
    """Second open problem."""
    frame = _by_v(evidence.episodes)
    ends = []
    for v, panel in evidence.episodes.items():
        shown = {n: float(last(panel, n, r).final.mean()) for n, r in _EPISODE_ROWS}
        ends.append(
            f"at v = {v:g} {_short(shown['DP Robust UCB, episodes'])} with episodes, {_short(shown['DP Robust SE'])} "
            "for DP "
            f"Robust SE, {_short(shown['DP Robust UCB'])} for DP Robust UCB"
        )
    caption = (
        f"Second open problem, explored by us: an index box with truncation in doubling episodes, beside the slides' "
        f"boxes with their printed constants, setting 1 at ε = {CHECK_EPSILON:g}. {_runs(frame)} "
        f"{_law(evidence.setting)} "
        f"{_fluid_words(frame)}"
    )
    alt = f"Regret at T = {_power(evidence.setting.horizon)}: " + "; ".join(ends) + "."
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
        f"β = {_short(evidence.setting.beta)}. "
        f"{_runs(frame)}"
    )
    alt = f"Regret at T = {_power(evidence.setting.horizon)}, from least to most: " + ", ".join(
        f"{row.label} {_short(row.regret)}" for row in ends.itertuples()
    )
    return Picture(figures.regret_curves(frame, start=10, yscale="log"), _data(frame), caption, alt + ".")


def _joined(frame: pd.DataFrame) -> pd.DataFrame:
    """One line for the runs of a box and their continuation in the fluid approximation, labelled so."""
    joined = frame.copy()
    fluid = joined["kind"] == FLUID
    joined["policy"] = joined["policy"].str.removesuffix(", fluid")
    joined["label"] = joined["policy"].map(lambda name: _NAMES.get(name, name))
    start = {row.policy: row.t for row in joined[~fluid].sort_values("t").itertuples()}
    approximated = joined["policy"].isin(set(joined.loc[fluid, "policy"]))
    joined.loc[approximated, "label"] = [
        f"{row.label} (fluid from {_power(int(start[row.policy]))})" for row in joined[approximated].itertuples()
    ]
    ends = joined["policy"].map(start)
    return joined[~fluid | (joined["t"] > ends)]


_NAMES = {"uniform": "uniform play", "DP Robust UCB, episodes": "doubling episodes (ours)"}


def _by_v(panels: Mapping[float, Panel]) -> pd.DataFrame:
    return pd.concat([tidy(p).assign(v=v, facet=f"v = {v:g}") for v, p in panels.items()], ignore_index=True)


def _data(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("facet", "label", "family") if c in frame])


def _final(panel: Panel, name: str, reading: str = "") -> float:
    return float(find(panel, name, reading).final.mean())


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
    return f"Index boxes are run to {_power(int(played))} rounds and approximated (fluid) from there."


def _law(setting: Experiments, v: float | None = None) -> str:
    shape = f"{1 + v + setting.spare_shape:g}" if v is not None else f"1 + v + {setting.spare_shape:g}"
    u = (
        "u is the true moment"
        if setting.u_over_moment == 1.0
        else f"u is {setting.u_over_moment:g} times the true moment"
    )
    return f"Ours: Pareto shape {shape}, {u}, β = {_short(setting.beta)}."


def _means(number: int) -> str:
    return ", ".join(f"{mean:g}" for mean in SETTINGS[number])


def _list(values: pd.Series) -> str:
    return " and ".join(f"{_short(value)} ($v={v:g}$)" for v, value in values.items())


def _ratios(values: pd.Series) -> str:
    return " and ".join(f"{_share(value)} (v = {v:g})" for v, value in values.items())


def _span_share(values: list[float]) -> str:
    low, high = min(values), max(values)
    return _share(high) if np.isclose(low, high, rtol=0.01) else f"{_share(low)} to {_share(high)}"


def _share(value: float) -> str:
    return f"{value:.2g}" if 1e-3 <= value < 100 else _short(value)


def _percent(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{100 * value:.2g} %"


def _short(value: float) -> str:
    """A number as readers write it, from 10⁻¹² to 10²⁵."""
    if math.isnan(value):
        return "not measured"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if mantissa == "1.0" else f"{mantissa}·{power}"


def _power(horizon: int) -> str:
    exponent = math.log10(horizon)
    whole = round(exponent)
    return f"10{str(whole).translate(_SUPERSCRIPTS)}" if horizon == 10**whole and horizon >= 1000 else f"{horizon:,}"

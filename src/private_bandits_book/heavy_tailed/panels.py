"""What each figure of the chapter draws and says, and its findings in words: all of it follows the numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_bandits.estimates import Interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits.papers.heavy_tailed.instances import SETTINGS
from private_bandits_book import figures
from private_bandits_book.exhibits import Exhibits, Made, drawn, sentence
from private_bandits_book.figures import power, short
from private_bandits_book.heavy_tailed import comparisons, coverage, rates, tables
from private_bandits_book.heavy_tailed.study import EVEN, FLUID, PRINTED, RUNS, SLIDE_RATE, SMALLER, Study, last, tidy
from private_bandits_book.studies import Runs, share
from private_bandits_book.sweep import GAP, LEARNT
from private_bandits_book.verdicts import AFTER_REPAIR

panels = Exhibits()
_SE, _UCB, _EPISODES = rates.DP, rates.UCB, rates.EPISODES
_NAMES = rates.NAMES | {EVEN: "uniform play", _EPISODES: "doubling episodes (ours)"}
_AT_ONE = {EVEN: "uniform play", _SE: f"{rates.NAMES[_SE]}, v = 1", _EPISODES: "doubling episodes, v = 1"}
_multiples = partial(figures.small_multiples, by="facet", start=1000, yscale="log")


# --- findings


@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings in a few sentences, from its own numbers and verdicts."""
    v, ruled = study.vs[0], study.ledger.set_index("claim")["verdict"]
    needs = tables.needs(study)
    printed = needs[needs["constant"] == 24.0].set_index(["key", "v"])
    key, panel = next(iter(study.central.items()))
    mine, other = (last(panel, name, PRINTED) for name in (_SE, _UCB))
    costs, episodes = tables.quantile(study), study.episodes[v].find(_EPISODES, "ours").final
    parts = [f"theorem-dp-upper-{part}" for part in ("dependent", "independent")]
    return {
        "first_epochs": " and ".join(f"{short(printed.loc[(_SE, v), 'first_epoch'])} ($v={v:g}$)" for v in study.vs),
        "setting": coverage.LOCAL_SETTING,
        "spent": "; ".join(_spent(study, v, printed.loc[(rates.LDP, v)]) for v in study.vs),
        "T": power(study.horizon),
        "panel": key,
        "se": portion(float(mine.final.mean()) / panel.final(EVEN)),
        "ucb": portion(float(other.final.mean()) / panel.final(EVEN))
        + (", in the fluid approximation, whose error there is unknown" if other.swept["kind"] == FLUID else ""),
        "ruled": ruled,
        "central": _both(ruled, "theorem-dp-upper"),
        "powers": sentence(study, "powers") if all(ruled[part] == AFTER_REPAIR for part in parts) else "",
        "local": _both(ruled, "theorem-ldp-upper"),
        "slide_rate": study.scaling_exponents[v, "slide_rate"].measured,
        "square_root": abs(round(study.scaling_exponents[v, "repaired"].measured, 2)),
        "rate": _local_rate(study, v),
        "quantiles": _ratios(costs["over_small"]),
        "v": v,
        "episodes": short(episodes.mean()),
        "dear": share(episodes > 1.5 * episodes.mean()),
        "elimination": short(study.episodes[v].final(_SE, PRINTED)),
    }


def _spent(study: Study, v: float, row: pd.Series) -> str:
    facts = {"v": v, "allowed": short(row["allowed"]), "seen": short(row["seen"])}
    return sentence(study, "spent in runs" if row["seen"] > 0 else "spent", **facts)


def _both(ruled: pd.Series, theorem: str) -> str:
    one, other = (ruled[f"{theorem}-{part}"] for part in ("dependent", "independent"))
    if one == other:
        return f"{one}, both parts"
    return f"the instance-dependent one {one}, the instance-independent one {other}"


def _local_rate(study: Study, v: float) -> str:
    gap, grown = (study.rate(rates.LDP, quantity, v).fit for quantity in (GAP, rates.WORST))
    if gap is None or grown is None:
        return "could not be measured at these parameters"
    return sentence(study, "rate", v=v, gap=gap.measured, grown=grown.measured, slides=(1 / v, 1 / (1 + v)))


# --- the slides' panels


@panels(
    "figure-dp-setting",
    each=lambda study: [
        (f"figure-dp-setting-{number}-v{float(v)!r}-epsilon{float(epsilon)!r}", (number, v, epsilon))
        for number, v, epsilon in study.grid
    ],
)
def central(study: Study, label: str, key: tuple[int, float, float]) -> Made:
    """One of the panels "DP Model Setting 1 (a)" to "3 (d)"."""
    (number, v, epsilon), panel = key, study.central[key]
    frame = tidy(panel)
    proven = {c: _bound(study.confidence, _SE, c, v, [epsilon]) for c in (24.0, study.small_c)}
    titles = {
        PRINTED: f"printed constants\nSE: {proven[24.0]}",
        SMALLER: f"c = {study.small_c:g}, radius {study.small_radius:g}\nSE: {proven[study.small_c]}",
    }
    frame["facet"] = frame["reading"].map(titles).fillna("")
    crossing = comparisons.overtaken(panel)
    if math.isnan(crossing):
        crossed = "below DP Robust UCB throughout"
    elif crossing < study.horizon:
        crossed = f"below DP Robust UCB from T = {short(crossing)} on"
    else:
        crossed = "not below DP Robust UCB at the end"
    facts = {"number": number, "v": v, "epsilon": epsilon, "means": _listed(SETTINGS[number]), "crossed": crossed}
    facts |= {"uniform": short(panel.final(EVEN)), "in_fluid": _in_fluid(panel)}
    facts |= {key: [_end(panel, name, r) for r in titles] for key, name in (("se", _SE), ("ucb", _UCB))}
    return _drawn(study, _multiples(_joined(frame)), frame, **facts)


def _by_v(label: str) -> Callable[[Study], list[tuple[str, float]]]:
    return lambda study: [(f"{label}{float(v)!r}", v) for v in study.vs]


@panels("figure-ldp-v", each=_by_v("figure-ldp-v"))
def local(study: Study, label: str, v: float) -> Made:
    """One of the panels "LDP Model (a)" and "(b)"."""
    panel, small = study.local[v], study.small_local_c
    frame = tidy(panel)
    epsilons = sorted({run.epsilon for run in panel if math.isfinite(run.epsilon)})
    titles, shares = {}, {}
    for variant, name, c, title in (
        (PRINTED, rates.LDP, 24.0, "square root, c = 24"),
        (SMALLER, rates.LDP, small, f"square root, c = {small:g}"),
        (SLIDE_RATE, rates.SLIDE_LDP, 24.0, "rate of (4), (5), c = 24"),
    ):
        titles[variant] = f"{title}\n{_bound(study.local_confidence, name, c, v, epsilons)}"
        ends = [float(run.final.mean()) / panel.final(EVEN) for run in panel.select(variant=variant)]
        alike = np.isclose(min(ends), max(ends), rtol=0.01)
        shares[variant] = portion(max(ends)) if alike else f"{portion(min(ends))} to {portion(max(ends))}"
    frame["facet"] = frame["reading"].map(titles).fillna("")
    frame["label"] = [
        f"ε = {row.epsilon:g}" if math.isfinite(row.epsilon) else _NAMES[row.key] for row in frame.itertuples()
    ]
    facts = {"v": v, "setting": coverage.LOCAL_SETTING, "shares": shares, "astray": _astray(study, panel)}
    facts |= {"means": _listed(SETTINGS[coverage.LOCAL_SETTING]), "epsilons": (epsilons[0], epsilons[-1])}
    return _drawn(study, _multiples(frame), frame, **facts)


def _astray(study: Study, panel: Runs) -> str:
    """What became of the runs at the slides' rate, where they have decided anything."""
    shares = [run.final / panel.final(EVEN) for run in panel.select(variant=SLIDE_RATE)]
    if not shares or any(np.all(np.abs(share - 1.0) < 1e-6) for share in shares):
        return ""
    lost = [share > LEARNT for share in shares]
    alike = len({tuple(x) for x in lost}) == 1 < len(lost)
    return sentence(study, "astray alike" if alike else "astray", part=_percent(float(np.mean(lost))))


# --- the studies that the slides lack


@panels("figure-ldp-scaling")
def scaling(study: Study) -> Made:
    """Error over bound against R, for the two scalings."""
    frame, fits, box = study.scaling, study.scaling_exponents, rates.MAKERS[rates.LDP](1.0, 1.0, 1.0, 2)
    plotted = frame.assign(
        policy=frame["variant"].map({"repaired": "square root", "slide_rate": "rate of (4), (5)"}),
        family=box.family,
        trust=box.privacy.trust,
        facet=[f"v = {v:g}" for v in frame["v"]],
        t=frame["pulls"],
    )
    plotted = plotted.rename(columns={"mean": "regret", "se": "regret_se", "draws": "replications"})
    fitted = [
        f"{fits[v, 'slide_rate'].measured:.3f} and {abs(round(fits[v, 'repaired'].measured, 3)):.3f} at v = {v:g}"
        for v in study.vs
    ]
    largest = frame[frame["pulls"] == frame["pulls"].max()].groupby("variant")["mean"]
    moves = {}
    for variant in coverage.SCALINGS:
        slopes = [fits[v, variant].measured for v in study.vs]
        moves[variant] = "stays level" if max(map(abs, slopes)) < 0.05 else f"moves as R to the {max(slopes):.2f}"
    facts = {"mean": coverage.SCALING_MEAN, "log": coverage.SCALING_LOG, "draws": coverage.DRAWS, "moves": moves}
    facts |= {"fitted": "; ".join(fitted), "largest": largest.max(), "least": short(largest.min()["slide_rate"])}
    fig = _multiples(plotted, x="pulls", xscale="log", xlabel="pulls R of an epoch", ylabel="|error| / err")
    return drawn(fig, frame, **facts)


@panels("figure-fluid")
def fluid(study: Study) -> Made:
    """The fluid approximation of DP Robust UCB beside its runs."""
    frames = [
        tidy(panel).assign(v=v, facet=f"v = {v:g}, {arms}", loss=float(panel[0].final[0]) / float(panel[0].t[-1]))
        for checks, arms in ((study.fluid, "setting 1"), (study.learnt, "two arms"))
        for v, panel in checks.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    radius = {PRINTED: "radius 18", SMALLER: f"radius {study.small_radius:g}"}
    plotted = frame[frame["key"] != EVEN].copy()
    uniform = plotted["loss"] * plotted["t"]
    plotted["regret"], plotted["regret_se"] = plotted["regret"] / uniform, plotted["regret_se"] / uniform
    plotted["label"] = [f"{radius.get(row.reading, row.reading)}, {row.kind}" for row in plotted.itertuples()]
    plotted = plotted.sort_values("kind", kind="stable")  # the runs lie on top
    errors, biases, shares = [], [], []
    for v, panel in study.fluid.items():
        found = zip(*(comparisons.fluid_errors(panel, variant) for variant in radius), strict=True)
        far, missed = (" and ".join(map(_percent, part)) for part in found)
        errors.append(f"{far} of the regret, {missed} of what is learnt, at v = {v:g}")
        biases.append(f"{_biases(comparisons.fluid_bias(study.learnt[v]))} (v = {v:g})")
        run, even = last(panel, _UCB, PRINTED), panel.find(EVEN)
        share = float(run.final.mean()) / float(even.curves[0][even.t == run.t[-1]][0])
        shares.append(f"{portion(share)} of uniform play's at v = {v:g}")
    facts: dict[str, Any] = {"errors": "; ".join(errors), "biases": "; ".join(biases), "shares": "; ".join(shares)}
    facts |= {"exact": power(min(study.exact_horizon, study.horizon)), "half": study.small_radius / 2}
    fig = figures.small_multiples(plotted, by="facet", start=100, ylabel="regret over uniform play")
    return _drawn(study, fig, frame, **facts)


def _biases(biases: Mapping[int, Interval]) -> str:
    parts = [
        f"{100 * b.measured:+.0f} % [{100 * b.low:+.0f}, {100 * b.high:+.0f}] at T = {power(t)}"
        for t, b in biases.items()
    ]
    return ", ".join(parts) or "an unmeasured factor (nothing learnt)"


_GAP_COLUMNS = "policy kind family trust epsilon gap t regret regret_se replications v".split()


@panels("figure-gap-v", each=_by_v("figure-gap-v"))
def by_gap(study: Study, label: str, v: float) -> Made:
    """Regret against the gap on the instance of the lower bounds, with the bounds that matter."""
    horizon, arms = study.length, rates.N_ARMS
    made = {name: make(1.0, v, 1.0, horizon) for name, make in rates.MAKERS.items()}
    runs = [
        (policy.name, RUNS, policy.family, policy.privacy.trust, 1.0, gap, horizon, *_mean(regret), v)
        for name, policy in made.items()
        for gap, regret in study.points[name, v].items()
    ]
    gaps = sorted({gap for name in made for gap in study.points[name, v]}) or [0.1, 0.5]

    def lower(gap: float, of: Callable[..., float] = bounds.ldp_lower) -> float:
        return of(arms, gap, 1.0, v, horizon, variant="corrected")

    def printed(gap: float) -> float:
        return (arms - 1) * math.log(horizon) * gap ** (-1.0 / v)

    lines: tuple[tuple[str, str, Callable[[float], float]], ...] = (
        ("uniform play", "uniform", lambda gap: gap * horizon * (arms - 1) / arms),
        ("lower bound, LDP", "none", lower),
        ("lower bound, DP", "none", lambda gap: lower(gap, bounds.dp_lower)),
        ("order of (4)", "none", printed),
    )
    for name, family, value in lines:  # a run loses at most its gap a round
        drawable = {gap: value(gap) for gap in gaps if value(gap) < gap * horizon}
        runs += [(name, "bound", family, "none", 1.0, gap, horizon, most, 0.0, 1, v) for gap, most in drawable.items()]
    frame = pd.DataFrame(runs, columns=_GAP_COLUMNS)
    played = frame[frame["kind"] == RUNS]
    fits = {name: fit.measured for name in made if (fit := study.rate(name, GAP, v).fit) is not None}
    steepest = sentence(study, "too few gaps")
    if len(fits) > 1:
        name = max(fits, key=lambda name: fits[name])
        steepest = sentence(study, "steepest", name=rates.NAMES[name], power=fits[name])
    smallest = min(study.points[rates.LDP, v], default=gaps[0])
    facts = {"T": power(horizon), "v": v, "slides": 1 / v, "corrected": 1 + 2 / v, "steepest": steepest}
    facts |= {"runs": figures.caption_runs(played) if len(played) else sentence(study, "nothing"), "gap": smallest}
    facts |= {"fitted": ", ".join(f"{rates.NAMES[name]} {slope:.2f}" for name, slope in fits.items()) or "none"}
    facts |= {"lower": short(lower(smallest)), "printed": short(printed(smallest))}
    facts |= {"relation": "above" if lower(smallest) > printed(smallest) else "below"}
    return drawn(figures.regret_curves(frame, "gap", xscale="log", yscale="log", xlabel="gap"), frame, **facts)


def _mean(regret: np.ndarray) -> tuple[float, float, int]:
    """Mean, where there is one to draw on a logarithmic axis, its standard error, and of how many runs."""
    mean, runs = float(regret.mean()), len(regret)
    spread = float(regret.std(ddof=1)) / math.sqrt(runs) if runs > 1 else 0.0
    return mean if mean > 0 else math.nan, spread, runs


@panels("figure-unknown-moments")
def unknown(study: Study) -> Made:
    """First open problem."""
    frame = _facets(study.unknown)
    frame["label"] = [_NAMES[row.key] if row.key == EVEN else row.reading for row in frame.itertuples()]
    own = tables.quantile(study)
    over = {name: _ratios(own[name]) for name in ("over_small", "over_known")}
    return _drawn(study, _multiples(frame), frame, **over)


@panels("figure-episodes")
def episodes(study: Study) -> Made:
    """Second open problem."""
    frame = _facets(study.episodes)
    ends = [
        f"at v = {v:g} {_end(panel, _EPISODES, 'ours')} with episodes, {_end(panel, _SE, PRINTED)} for {_NAMES[_SE]}, "
        f"{_end(panel, _UCB, PRINTED)} for {_NAMES[_UCB]}{_in_fluid(panel)}"
        for v, panel in study.episodes.items()
    ]
    return _drawn(study, _multiples(_joined(frame)), frame, ends="; ".join(ends))


@panels("figure-bounded")
def bounded(study: Study) -> Made:
    """Bounded rewards, for context."""
    frame = tidy(study.bounded)
    frame["label"] = [_AT_ONE.get(row.key, row.policy) for row in frame.itertuples()]
    ends = frame[frame["t"] == frame["t"].max()].sort_values("regret")
    facts = {"means": _listed(study.bounded_means), "beta": short(study.beta)}
    facts |= {"ranking": ", ".join(f"{row.label} {short(row.regret)}" for row in ends.itertuples())}
    return _drawn(study, figures.regret_curves(frame, start=10, yscale="log"), frame, **facts)


# --- frames, words, numbers


def _drawn(study: Study, fig: Figure, frame: pd.DataFrame, **facts: Any) -> Made:
    """A figure with its data, and what most captions of the chapter may say."""
    data = frame.drop(columns="loss", errors="ignore")
    shared = {"T": power(study.horizon), "law": _law(study, facts.get("v"))}
    shared |= {"runs": figures.caption_runs(frame[frame["kind"] == RUNS]), "fluid": ""}
    if (frame["kind"] == FLUID).any():
        played = frame[(frame["kind"] == RUNS) & (frame["key"] == _UCB)]["t"].max()
        shared["fluid"] = sentence(study, "fluid", played=power(int(played)))
    return drawn(fig, data, **shared | facts)


def _joined(frame: pd.DataFrame) -> pd.DataFrame:
    """One line for the runs of an index algorithm and their continuation in the fluid approximation, labelled so."""
    fluid = frame["kind"] == FLUID
    joined = frame.assign(key=frame["key"].replace({rates.INDEX: _UCB, rates.PLAIN_INDEX: rates.PLAIN_UCB}))
    ends = joined["key"].map(joined[~fluid].groupby("key")["t"].max())
    continued = set(joined.loc[fluid, "key"])
    joined["label"] = [
        _NAMES[name] + (f" (fluid from {power(int(end))})" if name in continued else "")
        for name, end in zip(joined["key"], ends, strict=True)
    ]
    return joined[~fluid | (joined["t"] > ends)]


def _facets(panels: Mapping[float, Runs]) -> pd.DataFrame:
    return pd.concat([tidy(p).assign(v=v, facet=f"v = {v:g}") for v, p in panels.items()], ignore_index=True)


def _end(panel: Runs, name: str, variant: str) -> str:
    """The regret of a policy where its curve ends."""
    return short(float(last(panel, name, variant).final.mean()))


def _in_fluid(panel: Runs) -> str:
    return " (fluid)" if last(panel, _UCB, PRINTED).swept["kind"] == FLUID else ""


_KNOWN = {"fails": "fails", "not measured": "not measured", "not proven, holds in all draws": "held when drawn"}


def _bound(frame: pd.DataFrame, name: str, constant: float, v: float, epsilons: Sequence[float]) -> str:
    """What is known of the confidence bound at all of these epsilons: the least favourable answer."""
    rows = frame[(frame["key"] == name) & (frame["value"] == constant) & (frame["v"] == v)]
    seen = set(rows[rows["epsilon"].isin(epsilons)]["bound"])
    return f"bound {next((words for bound, words in _KNOWN.items() if bound in seen), 'proven')}"


def _law(study: Study, v: float | None) -> str:
    shape = f"{1 + v + study.spare_shape:g}" if v is not None else f"1 + v + {study.spare_shape:g}"
    times = "" if study.u_over_moment == 1.0 else f"{study.u_over_moment:g} times "
    inverse = " = 1/T" if math.isclose(study.beta * study.horizon, 1.0) else ""
    return sentence(study, "law", shape=shape, times=times, beta=f"{short(study.beta)}{inverse}")


def _listed(means: Sequence[float]) -> str:
    return ", ".join(f"{mean:g}" for mean in means)


def _ratios(values: pd.Series) -> str:
    return " and ".join(f"{portion(value)} (v = {v:g})" for v, value in values.items())


def _percent(value: float) -> str:
    return "an unmeasured part" if math.isnan(value) else f"{abs(100 * value):.2g} %"


def portion(value: float) -> str:
    """A share or a factor to two digits."""
    return f"{value:.2g}" if 1e-3 <= value < 100 else short(value)

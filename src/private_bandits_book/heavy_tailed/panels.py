"""What each figure of the chapter draws and says, and its findings in words: all of it follows the numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_bandits.papers.heavy_tailed import bounds
from private_bandits.papers.heavy_tailed.instances import SETTINGS
from private_bandits_book import figures, studies
from private_bandits_book.exhibits import Exhibits, Made, drawn, names, sentence
from private_bandits_book.figures import power, short
from private_bandits_book.heavy_tailed import comparisons, coverage, orders, rates, tables
from private_bandits_book.heavy_tailed.study import (
    BRACKETED,
    EVEN,
    PRICED,
    PRICES,
    PRINTED,
    RUNS,
    SLIDE_RATE,
    SMALLER,
    Study,
    between,
    tidy,
)
from private_bandits_book.studies import Runs, share
from private_bandits_book.sweep import GAP, LEARNT, learnt
from private_bandits_book.verdicts import AFTER_REPAIR, NOT_REPRODUCED

panels = Exhibits()
_SE, _UCB, _EPISODES = rates.DP, rates.UCB, rates.EPISODES
_NAMES = rates.NAMES | {EVEN: "uniform play", _EPISODES: "doubling episodes (ours)"}
_AT_ONE = {EVEN: "uniform play", _SE: f"{rates.NAMES[_SE]}, v = 1", _EPISODES: "doubling episodes, v = 1"}
_PRICED_FROM = 0.01  # share of uniform play below which the horizon does not cap a price
_multiples = partial(figures.small_multiples, by="facet", start=1000, yscale="log")


# --- findings


@panels("short")
@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings in a few sentences, from its own numbers and verdicts."""
    v, ruled = study.vs[0], study.ledger.set_index("claim")["verdict"]
    needs = tables.needs(study)
    printed = needs[needs["constant"] == 24.0].set_index(["key", "v"])
    key, panel = next(iter(study.central.items()))
    mine, other = (panel.find(name, PRINTED) for name in (_SE, _UCB))
    costs, episodes = tables.quantile(study), study.episodes[v].find(_EPISODES, "ours").final
    parts, failed = ([f"theorem-{m}-upper-{part}" for part in ("dependent", "independent")] for m in ("dp", "ldp"))
    return {
        "setting": coverage.LOCAL_SETTING,
        "spent": "; ".join(_spent(study, v, printed.loc[(rates.LDP, v)]) for v in study.vs),
        "T": power(study.horizon),
        "panel": key,
        "se": portion(float(mine.final.mean()) / panel.final(EVEN)),
        "ucb": portion(float(other.final.mean()) / other.uniform),
        "judged": tables.judged(study),
        "ruled": ruled,
        "central": _both(ruled, "theorem-dp-upper"),
        "powers": sentence(study, "powers") if all(ruled[part] == AFTER_REPAIR for part in parts) else "",
        "local": _both(ruled, "theorem-ldp-upper"),
        "outgrown": sentence(study, "outgrown") if {ruled[part] for part in failed} == {NOT_REPRODUCED} else "",
        "price": {name: portion(tables.price(study, study.vs[-1], name)) for name in names(study, "prices")},
        "lost": [_often(lost) for lost in study.unseen.values()],
        "quantiles": _ratios(costs["over_small"]),
        "v": v,
        "last": study.vs[-1],
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


def _often(lost: np.ndarray) -> str:
    return f"{int(lost.sum())} of {len(lost)} runs"


# --- the slides' panels


@panels("figure-dp-settings")
def central(study: Study) -> Made:
    """The panels "DP Model Setting 1 (a)" to "3 (d)": a row for each v and epsilon, a column for each setting."""
    algorithms = {_SE: rates.NAMES[_SE], _UCB: rates.NAMES[_UCB]}
    constants = {
        (_SE, PRINTED): "c = 24",
        (_SE, SMALLER): f"c = {study.small_c:g}",
        (_UCB, PRINTED): "radius 18",
        (_UCB, SMALLER): f"radius {study.small_radius:g}",
    }
    frames, crossings, widths = [], [], []
    letters = {pair: chr(ord("a") + place) for place, pair in enumerate(product(study.vs, study.epsilons))}
    for number, v, epsilon in sorted(study.grid, key=lambda key: (letters[key[1:]], key[0])):
        panel = study.central[number, v, epsilon]
        chosen = Runs(run for run in panel if studies.key(run.policy) in algorithms)
        frame = tidy(chosen).assign(
            setting=number, v=v, facet=f"{number}({letters[v, epsilon]}) v = {v:g}, ε = {epsilon:g}"
        )
        frame["share"] = frame["t"] * float(panel[0].problem.uniform_regret())
        frames.append(frame)
        crossings.append(comparisons.overtaken(panel))
        for run in chosen.select(_UCB):
            low, high = between(run)
            widths.append(float(np.mean(high - low) / np.mean(high + low)))
    frame = pd.concat(frames, ignore_index=True)
    shown = frame.assign(regret=frame["regret"] / frame["share"], regret_se=frame["regret_se"] / frame["share"])
    shown["label"] = [f"{algorithms[row.key]}, {constants[row.key, row.reading]}" for row in shown.itertuples()]
    # printed and smaller constants of one algorithm are two lines of one colour
    fig = figures.small_multiples(shown.assign(epsilon=1.0), by="facet", start=1000, ylabel="regret over uniform play")
    late = [crossing for crossing in crossings if not math.isnan(crossing)]
    facts = {"crossed": short(max(late)) if late else "the beginning", "width": _percent(max(widths))}
    return _drawn(study, fig, frame.drop(columns="share"), **facts)


@panels("figure-price")
def price(study: Study) -> Made:
    """Regret over that of the same algorithm with the same constant and no privacy, against epsilon."""
    frames = []
    for v, panel in study.price.items():
        plain = {run.variant: float(run.final.mean()) for run in panel.select(epsilon=math.inf)}
        private = Runs(run for run in panel if math.isfinite(run.epsilon))
        frame = private.finals().assign(v=v, facet=f"v = {v:g}")
        frame["without"] = frame["reading"].map(plain)
        frame["learnt"] = [learnt(run.final.mean(), run.uniform, _PRICED_FROM) for run in private]
        frames.append(frame)
    frame = pd.concat(frames, ignore_index=True)
    frame["price"] = frame["regret"] / frame["without"].where(frame["without"] > 0)
    told = frame["learnt"] & frame["price"].notna()
    shown = frame[told] if told.any() else frame.assign(price=frame["regret"], without=1.0)
    shown = shown.assign(
        label=shown["reading"].map(names(study, "prices")), regret_se=shown["regret_se"] / shown["without"]
    )
    facts = {"smallest": f"{min(PRICES):g}", "least": portion(float(frame["price"].min()))}
    facts |= {"cheapest": _prices(shown, 1.0), "dearest": _prices(shown, min(PRICES))}
    axes: dict[str, Any] = {
        "x": "epsilon",
        "xscale": "log",
        "yscale": "log",
        "ylabel": "regret over that without privacy",
    }
    fig = figures.small_multiples(shown.assign(regret=shown["price"]), by="facet", **axes)
    return _drawn(study, fig, frame.drop(columns="facet"), **facts)


def _prices(frame: pd.DataFrame, epsilon: float) -> str:
    rows = frame[(frame["epsilon"] == epsilon) & (frame["v"] == frame["v"].max())]
    return ", ".join(f"{row.label} {portion(row.price)}" for row in rows.itertuples()) or "nothing that has learnt"


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
        family=studies.family(box),
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


_GAP_COLUMNS = "policy kind family trust epsilon gap t regret regret_se replications v facet".split()


@panels("figure-gap-v", each=_by_v("figure-gap-v"))
def by_gap(study: Study, label: str, v: float) -> Made:
    """Regret against the gap on the instance of the lower bounds, with the bounds that matter, by trust model."""
    horizon, arms, rows = study.length, rates.N_ARMS, []
    centre, local = f"trusted centre, ε = {PRICED:g}", "local, ε = 1"
    gaps = sorted({gap for name in rates.MAKERS for gap in study.points_by_trust[name, v]}) or [0.1, 0.5]
    for name, make in rates.MAKERS.items():
        facet, epsilon = (local, 1.0) if name == rates.LDP else (centre, PRICED)
        policy = make(epsilon, v, 1.0, horizon)
        rows += [
            (
                policy.name,
                RUNS,
                studies.family(policy),
                policy.privacy.trust,
                epsilon,
                gap,
                horizon,
                *_mean(regret),
                v,
                facet,
            )
            for gap, regret in study.points_by_trust[name, v].items()
        ]

    def lower(of: Callable[..., float], epsilon: float) -> Callable[[float], float]:
        return lambda gap: of(arms, gap, epsilon, v, horizon, variant="corrected")

    def printed(gap: float) -> float:
        return (arms - 1) * math.log(horizon) * gap ** (-1.0 / v)

    lines: tuple[tuple[str, str, str, float, Callable[[float], float]], ...] = (
        ("uniform play", "uniform", "", 1.0, lambda gap: gap * horizon * (arms - 1) / arms),
        ("lower bound, DP", "none", centre, PRICED, lower(bounds.dp_lower, PRICED)),
        ("no privacy, lower bound", "none", centre, math.inf, lambda gap: orders.plain_lower(arms, gap, v, horizon)),
        ("lower bound, LDP", "none", local, 1.0, lower(bounds.ldp_lower, 1.0)),
        ("order of (4)", "none", local, 1.0, printed),
    )
    for name, family, facet, epsilon, value in lines:  # a run loses at most its gap a round
        drawable = {gap: value(gap) for gap in gaps if value(gap) < gap * horizon}
        shown = name, "bound", family, "none", epsilon
        rows += [(*shown, gap, horizon, most, 0.0, 1, v, facet) for gap, most in drawable.items()]
    frame = pd.DataFrame(rows, columns=_GAP_COLUMNS)
    played = frame[frame["kind"] == RUNS]
    fits = {name: fit.measured for name in rates.MAKERS if (fit := study.rate(name, GAP, v).fit) is not None}
    steepest = sentence(study, "too few gaps")
    if len(fits) > 1:
        name = max(fits, key=lambda name: fits[name])
        steepest = sentence(study, "steepest", name=rates.NAMES[name], power=fits[name])
    smallest = min(study.points[rates.LDP, v], default=gaps[0])
    least = lower(bounds.ldp_lower, 1.0)(smallest)
    facts = {"T": power(horizon), "v": v, "slides": 1 / v, "corrected": 1 + 2 / v, "steepest": steepest}
    facts |= {"runs": figures.caption_runs(played) if len(played) else sentence(study, "nothing"), "gap": smallest}
    facts |= {"fitted": ", ".join(f"{rates.NAMES[name]} {slope:.2f}" for name, slope in fits.items()) or "none"}
    facts |= {"lower": short(least), "printed": short(printed(smallest)), "priced": PRICED}
    facts |= {"relation": "above" if least > printed(smallest) else "below"}
    drawn_in = frame["facet"] if frame["facet"].any() else centre
    fig = _multiples(frame.assign(facet=drawn_in), x="gap", xscale="log", xlabel="gap")
    return drawn(fig, frame.drop(columns="facet"), **facts)


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
    ended = [
        f"at v = {v:g} {_end(panel, _EPISODES, 'ours')} with episodes, {_end(panel, _SE, PRINTED)} for {_NAMES[_SE]}, "
        f"{_end(panel, _UCB, PRINTED)} for {_NAMES[_UCB]}"
        for v, panel in study.episodes.items()
    ]
    frame["label"] = frame["key"].map(_NAMES)
    return _drawn(study, _multiples(frame), frame, ends="; ".join(ended))


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
    shared["runs"] = figures.caption_runs(frame[frame["kind"].isin((RUNS, BRACKETED))])
    return drawn(fig, data, **shared | facts)


def _facets(panels: Mapping[float, Runs]) -> pd.DataFrame:
    return pd.concat([tidy(p).assign(v=v, facet=f"v = {v:g}") for v, p in panels.items()], ignore_index=True)


def _end(panel: Runs, name: str, variant: str) -> str:
    """The regret of a policy where its curve ends."""
    return short(panel.final(name, variant))


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
    return portion(value) if math.isnan(value) else f"{abs(100 * value):.2g} %"


def portion(value: float) -> str:
    """A share or a factor to two digits."""
    if math.isnan(value):
        return "an unmeasured part"
    return f"{value:.2g}" if 1e-3 <= value < 100 else short(value)

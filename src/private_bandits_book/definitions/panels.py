"""The figures of the chapter: what each draws, and the numbers in its texts, which are in `texts.toml`."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from private_bandits.papers.definitions import replacements
from private_bandits_book import figures
from private_bandits_book.definitions import graphs, implications, lemmas
from private_bandits_book.definitions.entries import usable
from private_bandits_book.definitions.study import (
    CORRUPT_HORIZON,
    LEFT,
    LONG,
    PRICE,
    PRICE_HORIZON,
    Study,
    corrupt_runs,
    factors,
    instance,
)
from private_bandits_book.exhibits import Exhibits, Made, drawn
from private_bandits_book.figures import power
from private_bandits_book.figures.captions import scientific
from private_bandits_book.figures.lines import computed, line
from private_bandits_book.package_data import tables
from private_bandits_book.studies import looked, means

panels = Exhibits()

_LOOKS = tables("definitions", "texts")["looks"]
_EXACT = {"t": 1, "regret_se": 0.0, "replications": 1}
_FLOOR = 1e-6  # regret over T below which a bound is not drawn
_GREY, _INK = "#555555", "#1a1a1a"


@panels("figure-1")
def models(study: Study) -> Made:
    """Figure 1."""
    return drawn(graphs.draw(), graphs.table(), described=" ".join(map(_described, graphs.models())))


@panels("figure-implications")
def implied(study: Study) -> Made:
    """What implies what among the definitions."""
    frame = implications.table()
    ways = "; ".join(f"{row.says} ({row.cost})" for row in frame.itertuples())
    return drawn(implications.draw(), frame, ways=ways)


@panels("figure-inference")
def inference(study: Study) -> Made:
    """The advertising example: the success rate of the best guess under each definition."""
    frame, games = study.inference, tables("definitions", "games")["games"]
    curves = frame.assign(regret=frame["success"], **_EXACT)
    for column, told in (("facet", "panel"), ("label", "label"), ("family", "family"), ("trust", "trust")):
        curves[column] = [game.get(told) for game in games] * len(study.epsilons)
    curves = curves.dropna(subset="label")
    ylabel = "success rate of the best guess"
    fig = figures.small_multiples(curves, by="facet", x="epsilon", xscale="log", ylabel=ylabel)
    for axes in fig.axes[:4]:
        axes.set_ylim(0.45, 1.05)
    grid = np.geomspace(frame["epsilon"].min() / 1.001, frame["epsilon"].max() * 1.001, 80)
    for axes in fig.axes[:4]:
        scale = 0.6 if axes is fig.axes[3] else 1.0
        _reference(axes, grid, 1 / (1 + np.exp(-scale * grid)), "")
    inside = frame["success"].between(frame["low"], frame["high"]).sum()
    beyond = frame[~frame["kept"]].drop_duplicates(["guess", "policy"])
    names = "; ".join(f"{row.guess} ({row.policy.replace('epsilon', 'ε')})" for row in beyond.itertuples())
    one = nearest(frame["epsilon"].unique(), 1.0)
    rates = ", ".join(
        f"{row.success:.2f} for {row.guess} from {row.observer} ({row.policy})"
        for row in frame[frame["epsilon"] == one].itertuples()
    )
    return drawn(fig, frame, inside=inside, cases=len(frame), beyond=names or "nobody", one=one, rates=rates)


@panels("figure-composition")
def composition(study: Study) -> Made:
    """How the exact loss of two private policies grows with the horizon."""
    frame = lemmas.growth(study.exact_epsilon, [2, 3, 4, 5, 6])
    rounds, messages = (
        frame[frame["key"] == name].pivot(index="horizon", columns="definition", values="loss")
        for name in (lemmas.RESPONSE, lemmas.PRIVATE)
    )
    own = ["outcomes", "instantaneous"]
    shown = rounds[own].join(messages.drop(columns=own)) / study.exact_epsilon
    curves = computed(shown.reset_index(names="visits"), "visits", _LOOKS["composition"], study.exact_epsilon)
    fig = figures.regret_curves(curves, "visits", xlabel="rounds T", ylabel="exact loss over ε")
    return drawn(fig, frame, paid=shown["outcomes"].iloc[-1], horizon=shown.index[-1])


@panels("figure-lemma-4")
def looseness(study: Study) -> Made:
    """Lemma 4: the printed bound over what the channel keeps, and what the steps of the proof cost."""
    frame = study.looseness
    p, q = float(frame["p"].iloc[0]), float(frame["q"].iloc[0])
    response = frame[(frame["p"] == p) & (frame["q"] == q)]
    curves = computed(response, "epsilon", _LOOKS["lemma-4"])
    ylabel = "bound over exact divergence"
    fig = figures.regret_curves(curves, "epsilon", xscale="log", yscale="log", ylabel=ylabel)
    smallest, largest = response["epsilon"].min(), response["epsilon"].max()
    first, last = (_times(response.set_index("epsilon").loc[e, "looseness"]) for e in (smallest, largest))
    return drawn(fig, frame, p=p, q=q, first=first, last=last, smallest=smallest, largest=largest)


@panels("figure-readings")
def variants(study: Study) -> Made:
    """Every variant of the minimax column of Table 1 against epsilon, in units of T."""
    frame = study.variants
    chosen = frame[(frame["regret"] == "minimax") & frame["reading"].isin(list(_LOOKS["readings"]))]
    above = impossible(chosen)
    order = chosen["reading"].map({name: place for place, name in enumerate(_LOOKS["readings"])})
    best = chosen.assign(order=order).groupby(["definition", "order", "reading", "epsilon"], sort=False)["value"].max()
    chosen = best.reset_index()
    share = chosen["value"] / study.horizon
    curves = chosen.assign(policy="", regret=share, family="none", trust="none", **_EXACT)
    curves["label"] = chosen["reading"].map(_LOOKS["readings"])
    curves["facet"] = chosen["definition"].map(_LOOKS["definitions"])
    curves = curves[(share > _FLOOR) & (share < 1 / _FLOOR)]
    ylabel = "lower bound over T"
    fig = figures.small_multiples(curves, by="facet", x="epsilon", xscale="log", yscale="log", ylabel=ylabel)
    for axes in fig.axes:
        _reference(axes, axes.get_xlim(), [1.0, 1.0], "T")
    return drawn(fig, frame, T=power(study.horizon), above=above, floor=_FLOOR)


def impossible(frame: pd.DataFrame) -> str:
    """Say which entries exceed T, and at which epsilons."""
    parts = [
        f"{_LOOKS['definitions'][name]}, {locus}, at ε = {', '.join(f'{e:g}' for e in part['epsilon'])}"
        for (name, locus), part in frame[frame["impossible"]].groupby(["definition", "locus"], sort=False)
    ]
    return f"Above T, which no regret exceeds: {'; '.join(parts)}." if parts else "No lower bound exceeds T."


@panels("figure-upper-lower")
def upper_lower(study: Study) -> Made:
    """Regret of the private algorithms against the usable lower bounds, on the chapter's instance."""
    return _meeting(study.on_instance, "instance", study.n_arms, study.gap)


@panels("figure-hardest")
def hardest(study: Study) -> Made:
    """The same on the hardest instance, against the minimax bounds."""
    tried = [run.swept["gap"] for run in study.hardest]
    return _meeting(study.on_hardest, "hardest", study.n_arms, study.gap, easy=min(tried), hard=max(tried))


@panels("figure-upper-lower-long")
def longer(study: Study) -> Made:
    """The same on the instance of the longer study, and how far its runs have come."""
    share = (study.on_long["regret"] / study.on_long["uniform"]).max()
    return _meeting(study.on_long, "instance", LONG.n_arms, LONG.gap, long=LONG, share=share)


@panels("figure-price")
def price(study: Study) -> Made:
    """The price of privacy as a factor on the largest regret over the gaps, against t, in a longer study."""
    rows = study.long_study("price")
    frame = factors(rows)
    curves = frame.assign(regret=frame["factor"], regret_se=frame["factor_se"], label=frame["policy"])
    t = sorted({*frame["t"]})
    limit = 1 / math.tanh(PRICE / 2)
    ylabel, bounds = "regret over that without privacy", [("1/tanh(ε/2)", t, [limit] * len(t))]
    fig = figures.regret_curves(curves, yscale="log", ylabel=ylabel, bounds=bounds, start=t[0])
    last = frame[frame["t"] == frame["t"].max()].set_index("policy")
    ends = ", ".join(f"{row.factor:.2f} ± {2 * row.factor_se:.2g} for {name}" for name, row in last.iterrows())
    runs = rows.groupby("policy", sort=False)["replication"].nunique()
    often = ", ".join(f"{count} of {name}" for name, count in runs.items())
    facts = {"epsilon": PRICE, "ends": ends, "often": often, "T": power(PRICE_HORIZON), "limit": limit, "left": LEFT}
    return drawn(fig, frame, n_arms=LONG.n_arms, **facts)


@panels("figure-corrupt")
def corrupt(study: Study) -> Made:
    """Whether the algorithms for corrupt bandits are off by (1 + e^-epsilon)^2."""
    rows = looked(study.long_study("corrupt"), corrupt_runs(), ["policy", "epsilon"])
    played = means(rows[rows["t"] == CORRUPT_HORIZON], ["key", "policy", "family", "trust", "epsilon", "t"])
    unit = [replacements.local_lower(LONG.means, CORRUPT_HORIZON, e) for e in played["epsilon"]]
    measured = played.assign(regret=played["regret"] / unit, regret_se=played["regret_se"] / unit)
    epsilon = played["epsilon"].to_numpy()
    frame = pd.DataFrame({"epsilon": epsilon, "claimed": (1 + np.exp(-epsilon)) ** 2, "over_lower": 1.0})
    curves = pd.concat([measured, computed(frame, "epsilon", _LOOKS["corrupt"])], ignore_index=True)
    ylabel = "factor above the exact bound"
    fig = figures.regret_curves(curves, "epsilon", xscale="log", ylabel=ylabel)
    facts = {"T": power(CORRUPT_HORIZON), "runs": int(played["replications"].min()), "claimed": frame["claimed"].max()}
    return drawn(fig, measured, most=measured["regret"].max(), **facts)


def nearest(values: Sequence[float], target: float) -> float:
    """Return the value nearest to the target on a logarithmic scale."""
    return float(min(values, key=lambda value: abs(math.log(value / target))))


def _described(model: graphs.Model) -> str:
    parts = [dict.fromkeys(_LOOKS["variables"][name[0]] for name in part) for part in (model.seen, model.protected)]
    seen, protected = map(" and ".join, parts)
    return f"{model.letter}, {model.title}: the observer sees {seen}; protected: {protected or 'nothing'}."


def _times(value: float) -> str:
    return f"{value:,.3g}" if value < 1e4 else scientific(value)


def _meeting(frame: pd.DataFrame, question: str, n_arms: int, gap: float, **facts: Any) -> Made:
    """Regret against the usable lower bounds, over epsilon, a panel each for local and for central privacy."""
    horizon, means = int(frame["t"].iloc[0]), instance(n_arms, gap).means
    ylabel = "regret" if question == "instance" else "largest regret over the gaps"
    curves = _lines(frame)
    fig = figures.small_multiples(curves, by="facet", x="epsilon", xscale="log", yscale="log", ylabel=ylabel)
    finite = frame[np.isfinite(frame["epsilon"])]
    grid = np.geomspace(finite["epsilon"].min(), finite["epsilon"].max(), 60)
    for axes, trust in zip(fig.axes, ("local", "central"), strict=True):
        at = pd.DataFrame([usable(question, trust, means, horizon, float(e)) for e in grid])
        for name, values in _telling(at, frame["uniform"].max()).items():
            _reference(axes, grid, values, str(name))
            if name == "lower bound":
                _make_room(axes, values.min())
    said = finite.dropna(subset=["ratio"])
    best = said.loc[said.groupby("trust")["ratio"].idxmin()] if len(said) else said
    nearest_ones = "; ".join(
        f"under {row.trust} privacy {row.policy} at epsilon {row.epsilon:g}, {row.ratio:.3g} times it"
        for row in best.itertuples()
    )
    nothing = "No bound applies at this horizon."
    closest = f"Closest to the lower bound: {nearest_ones}." if nearest_ones else nothing
    return drawn(fig, frame, T=power(horizon), best=0.5 + gap / 2, closest=closest, **facts)


def _lines(frame: pd.DataFrame) -> pd.DataFrame:
    """The algorithms and uniform play."""
    curves = pd.concat([frame[frame["trust"] == trust] for trust in ("local", "central", "none")], ignore_index=True)
    curves["facet"] = curves["trust"].map({"local": "local privacy", "central": "central privacy", "none": ""})
    curves = curves[np.isfinite(curves["epsilon"]) | (curves["trust"] == "none")]
    plain = {
        "epsilon": [math.inf],
        "t": frame["t"].iloc[0],
        "regret": frame["uniform"].max(),
        "facet": "",
        "replications": 1,
    }
    return pd.concat([curves, line("uniform play", "uniform", plain)])


def _telling(bounds: pd.DataFrame, most: float) -> pd.DataFrame:
    """The bounds to draw, a column each, below uniform play: the best of them, and the others that are seen below it.

    The printed local ones are a fixed part of the corrected ones, which stand for both.
    """
    best = bounds.max(axis=1)
    others = bounds.drop(columns=["Theorem 1", "Theorem 4", "no privacy"], errors="ignore")
    others = others.where((others >= best.min()) & others.lt(0.999 * best, axis=0))
    shown = others.loc[:, others.nunique() > 1].assign(**{"lower bound": best})
    return shown.where(shown <= most)


def _reference(axes: Axes, x: Any, y: Any, text: str) -> None:
    """Draw a bound as a thin dash-dot line with its name beside it."""
    at, values = np.asarray(x, float), np.asarray(y, float)
    at, values = at[np.isfinite(values)], values[np.isfinite(values)]
    if not at.size:
        return
    middle = at.size // 2
    best = text == "lower bound"
    colour = _INK if best else _GREY
    with figures.style():
        axes.plot(at, values, color=colour, lw=2.0 if best else 1.1, linestyle=":" if best else "-.", zorder=2.5)
        if values[-1] >= values[0]:
            place, offset, side, edge = 0, (3, 3), "left", "baseline"
        elif values[-1] == values[middle]:
            place, offset, side, edge = middle, (-40, -11), "left", "baseline"
        else:
            far = axes.transAxes.inverted().transform(axes.transData.transform((at[-1], values[-1])))[0]
            place, edge = -1, "top"
            offset, side = ((4, -2), "left") if far < 0.3 else ((-7, -2), "right")
        spot, unit = (at[place], values[place]), "offset points"
        words = text.replace(", ", ",\n")
        axes.annotate(words, spot, offset, textcoords=unit, ha=side, va=edge, fontsize=9.5, color=colour, zorder=6)


def _make_room(axes: Axes, least: float) -> None:
    """Lower the bottom of a logarithmic axis below a line, by a fifth more for names under it."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        low = min(low, least) if least > 0 else low
        axes.set_ylim(bottom=low * (low / high) ** 0.2)

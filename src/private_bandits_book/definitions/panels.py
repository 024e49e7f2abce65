"""The figures of the chapter: what each draws, and captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator

from private_bandits.papers.definitions import replacements
from private_bandits_book import figures
from private_bandits_book.definitions import discussion, graphs, lemmas
from private_bandits_book.definitions import inference as example
from private_bandits_book.definitions.entries import usable
from private_bandits_book.definitions.study import FAMILIES, LOCAL, LONG, TRUST, Study, factors, instance
from private_bandits_book.exhibits import Exhibits
from private_bandits_book.figures import Picture, power, scientific
from private_bandits_book.figures.drawing import blank
from private_bandits_book.sweep import by_replication, fit_log

panels = Exhibits()

_DEFINITIONS = {"DP": "differential privacy", "instantaneous DP": "instantaneous DP", "local DP": "local privacy"}
_READINGS = {
    "table": ("Table 1", "composition"),
    "theorem": ("theorem", "gaussian"),
    "proof": ("line of its proof", "laplace"),
    "replacement": ("what can be used", "none"),
}
_HUES = {
    "outcomes": "tree",
    "rewards": "none",
    "instantaneous": "gaussian",
    "local": "response",
    "environment": "composition",
}
"""In figures of exact losses a hue is a definition."""
_FLOOR = 1e-6  # regret over T below which a bound is not drawn
_GREY = "#555555"


@panels("figure-1")
def models(study: Study) -> Picture:
    """Figure 1."""
    caption = (
        "Figure 1: the four graphical models, two rounds of each. An arrow says that one variable is used to make the "
        "other. Shaded: what the observer sees. Dashed box: what the definition keeps from the observer. Bold: "
        "the arrows on which the noise must sit."
    )
    alt = "Four graphs of two rounds. " + " ".join(_described(model) for model in graphs.models())
    return Picture(graphs.draw(), graphs.table(), caption, alt)


@panels("figure-inference")
def inference(study: Study) -> Picture:
    """The advertising example: the success rate of the best guess under each definition."""
    frame, games = study.inference, example.games(1.0, study.exact_horizon)
    drawn = _exact(frame["epsilon"], frame["success"], family=frame["definition"].map(_HUES).to_numpy())
    drawn["facet"], drawn["label"] = ([game[at] for game in games] * len(study.epsilons) for at in (4, 5))
    drawn["policy"] = drawn["label"]
    drawn["trust"] = ["local" if d in ("local", "environment") else "central" for d in frame["definition"]]
    fig = figures.small_multiples(drawn, by="facet", x="epsilon", xscale="log", ylabel="success rate of the best guess")
    _unit_axis(fig)
    grid = np.geomspace(frame["epsilon"].min() / 1.001, frame["epsilon"].max() * 1.001, 80)
    for axes in fig.axes[:4]:
        scale = 0.6 if axes is fig.axes[3] else 1.0
        _reference(axes, grid, 1 / (1 + np.exp(-scale * grid)), "")
    inside = int(((frame["success"] >= frame["low"]) & (frame["success"] <= frame["high"])).sum())
    beyond = frame[~frame["kept"]].drop_duplicates(["guess", "policy"])
    names = "; ".join(f"{row.guess} ({row.policy.replace('epsilon', 'ε')})" for row in beyond.itertuples())
    caption = (
        f"Web advertising, {study.exact_horizon} visits, two advertisements: the exact success rate of the best guess "
        "of one unknown bit against what ε is read to allow (dash-dot, e^ε/(1 + e^ε); for preferences, ε times their "
        f"distance). Played {frame['replications'].iloc[0]:,} times each, the 95 % interval holds the exact rate in "
        f"{inside} of {len(frame)} cases. The rates above the line are those of {names or 'nobody'}."
    )
    one = nearest(frame["epsilon"].unique(), 1.0)
    alt = f"At epsilon {one:g} the best guess is right with probability " + ", ".join(
        f"{row.success:.2f} for {row.guess} from {row.observer} ({row.policy})"
        for row in frame[frame["epsilon"] == one].itertuples()
    )
    return Picture(fig, frame, caption, alt + ".")


@panels("figure-composition")
def composition(study: Study) -> Picture:
    """How the exact loss of two private policies grows with the horizon."""
    frame = lemmas.growth(study.exact_epsilon, [2, 3, 4, 5, 6])
    rounds, messages = lemmas.RESPONSE, lemmas.PRIVATE
    shown = {
        (rounds, "outcomes"): ("ε a round:\nall arms (Definition 2)", "tree", "central"),
        (rounds, "instantaneous"): ("ε a round:\nnext arm (Definition 3)", "gaussian", "central"),
        (messages, "local"): ("ε a message:\none reward (Definition 4)", "response", "local"),
        (messages, "local, every response of a person"): ("ε a message:\nall rewards of one person", "none", "local"),
    }
    parts = {key: frame[(frame["policy"] == key[0]) & (frame["definition"] == key[1])] for key in shown}
    lines = [(part["epsilon"], part["loss"] / part["epsilon"], *shown[key]) for key, part in parts.items()]
    drawn = _curves(lines).assign(visits=np.concatenate([part["horizon"] for part in parts.values()]))
    fig = figures.sweep_curves(drawn, "visits", xlabel="rounds T", ylabel="exact loss over ε")
    last = parts[rounds, "outcomes"].iloc[-1]
    caption = (
        f"The exact privacy loss over the number of rounds at ε = {study.exact_epsilon:g}, by enumeration: a policy "
        "that answers each round by ε-randomised response on the best arm so far, and one that sees only ε-randomised "
        "responses."
    )
    alt = (
        "The next arm alone pays epsilon at every horizon; all arms together pay "
        f"{last['loss'] / study.exact_epsilon:.3g} epsilon at T = {last['horizon']}; private messages pay epsilon for "
        "one reward, T epsilon for all of a person."
    )
    return Picture(fig, frame, caption, alt)


@panels("figure-lemma-4")
def looseness(study: Study) -> Picture:
    """Lemma 4: the printed bound over what the channel keeps, and what the steps of the proof cost."""
    frame = study.looseness
    p, q = float(frame["p"].iloc[0]), float(frame["q"].iloc[0])
    pair = frame[(frame["p"] == p) & (frame["q"] == q)]
    response, laplace = (pair[pair["channel"] == name] for name in ("randomised response", "binned Laplace"))
    x, ylabel = response["epsilon"], "bound over exact divergence"
    lines = [
        (laplace["epsilon"], laplace["looseness"], "printed bound, Laplace", "laplace", "local"),
        (x, response["looseness"], "printed bound, response", "response", "local"),
        (x, response["duchi_loss"], "of which: factor of Duchi et al.", "gaussian", "none"),
        (x, response["pinsker_loss"], "of which: Pinsker", "none", "none"),
    ]
    fig = figures.sweep_curves(_curves(lines), "epsilon", xscale="log", yscale="log", ylabel=ylabel)
    ends = response.sort_values("epsilon").iloc[[0, -1]]
    caption = (
        f"Lemma 4 for one pull and Bernoulli rewards of means {p:g} and {q:g}: the printed bound on the divergence "
        "over its exact value. Pinsker's inequality in the wrong norm is a factor of 4 of it at every ε."
    )
    alt = (
        f"The printed bound is {_times(ends['looseness'].iloc[0])} times the divergence that randomised response keeps "
        f"at epsilon {ends['epsilon'].iloc[0]:g} and {_times(ends['looseness'].iloc[1])} times at "
        f"{ends['epsilon'].iloc[1]:g}."
    )
    return Picture(fig, frame, caption, alt)


@panels("figure-readings")
def readings(study: Study) -> Picture:
    """Every reading of the minimax column of Table 1 against epsilon, in units of T."""
    frame = study.readings
    chosen = frame[(frame["regret"] == "minimax") & frame["reading"].isin(list(_READINGS))]
    told = impossible(chosen)
    order = chosen["reading"].map({name: place for place, name in enumerate(_READINGS)})
    best = chosen.assign(order=order).groupby(["definition", "order", "reading", "epsilon"], sort=False)["value"].max()
    chosen = best.reset_index()
    share = chosen["value"] / study.horizon
    drawn = _exact(chosen["epsilon"], share.where((share > _FLOOR) & (share < 1 / _FLOOR)), trust="none")
    drawn["label"], drawn["family"] = zip(*chosen["reading"].map(_READINGS), strict=True)
    drawn["facet"] = chosen["definition"].map(_DEFINITIONS).to_numpy()
    drawn = drawn[drawn["regret"].notna()]
    ylabel = "lower bound over T"
    fig = figures.small_multiples(drawn, by="facet", x="epsilon", xscale="log", yscale="log", ylabel=ylabel)
    for axes in fig.axes:
        _reference(axes, axes.get_xlim(), [1.0, 1.0], "T")
    caption = (
        f"The minimax column of Table 1 at K = {study.n_arms}, T = {power(study.horizon)}, in units of T: what the "
        "table, the theorem and its proof say (the line before the last for differential privacy, the last for "
        f"instantaneous DP), and the bound that can be used. {told} Values below {_FLOOR:g} are not drawn."
    )
    return Picture(fig, frame, caption, f"Three panels, one per definition. {told}")


def impossible(frame: pd.DataFrame) -> str:
    """Say which entries exceed T, and at which epsilons."""
    parts = [
        f"{_DEFINITIONS[name]}, {locus}, at ε = {', '.join(f'{e:g}' for e in part['epsilon'])}"
        for (name, locus), part in frame[frame["impossible"]].groupby(["definition", "locus"], sort=False)
    ]
    return f"Above T, which no regret exceeds: {'; '.join(parts)}." if parts else "No lower bound exceeds T."


@panels("figure-upper-lower")
def upper_lower(study: Study) -> Picture:
    """Regret of the private algorithms against the usable lower bounds, on the chapter's instance."""
    return _meeting(study.on_instance, "instance", study.n_arms, study.gap)


@panels("figure-hardest")
def hardest(study: Study) -> Picture:
    """The same on the hardest instance, against the minimax bounds."""
    tried = [run.swept["gap"] for run in study.hardest]
    where = f"on the hardest of gaps from {min(tried):g} to {max(tried):g}, K = {study.n_arms}"
    return _meeting(study.on_hardest, "hardest", study.n_arms, study.gap, where)


@panels("figure-upper-lower-long")
def longer(study: Study) -> Picture:
    """The same on the instance of the longer study, and how far its runs have come."""
    frame = study.on_long
    picture = _meeting(frame, "instance", LONG.n_arms, LONG.gap)
    share = (frame["regret"] / frame["uniform"]).max()
    said = f"Every run loses at most {share:.2g} of what uniform play does. {settling(study.long)}"
    return picture._replace(caption=f"{picture.caption} {said}")


def settling(long: pd.DataFrame) -> str:
    """Say whether the regret of the local algorithms has come down to ln T at the study's smallest epsilon."""
    epsilon = float(long["epsilon"].min())
    parts = {str(name): part for name, part in long[long["epsilon"] == epsilon].groupby("policy")}
    fits = {name: fit_log(*by_replication(parts[name], "t")) for name in LOCAL if name in parts}
    found = {name: fit for name, fit in fits.items() if fit is not None}
    if not found:
        return f"At ε = {epsilon:g} the local ones have no growth to fit."
    said = ", ".join(f"{fit.measured:.2g} [{fit.low:.2g}, {fit.high:.2g}] for {name}" for name, fit in found.items())
    powers = f"At ε = {epsilon:g} regret goes as a power of ln t over the last two decades: {said};"
    faster = [name for name, fit in found.items() if fit.low > 1]
    if faster:
        return f"{powers} so that of {' and '.join(faster)} still grows faster than ln T."
    if all(fit.high <= 1 for fit in found.values()):
        return f"{powers} so it has come down to ln T."
    return f"{powers} so these runs do not tell whether it still grows faster than ln T."


@panels("figure-price")
def price(study: Study) -> Picture:
    """The price of privacy as a factor on the largest regret over the gaps, against t, at the epsilon nearest 0.2."""
    epsilon, n_arms = nearest(study.epsilons, 0.2), study.n_arms
    frame = factors(study.hardest, epsilon)
    # from (K-1)/sinh(epsilon/2)^2 on the local bound has lost all but a factor of the one without privacy
    settled = (n_arms - 1) * (1 / math.tanh(epsilon / 2) ** 2 - 1)
    caption = (
        f"The price of privacy as a factor: the largest regret over the gaps at ε = {epsilon:g} over that at ε = ∞, "
        f"K = {n_arms}, means of {study.replications} runs. A factor that stays is multiplicative; one that "
        "falls to 1 comes from a term added to the regret. Dash-dot: the factor of the local lower bound, which is "
        f"1/tanh(ε/2) from t = {power(max(1, math.ceil(settled)))} on."
    )
    if frame.empty:
        nothing = f"No regret without privacy to compare with at T = {power(study.horizon)}."
        return Picture(_note(nothing), frame, f"{caption} {nothing}", nothing)
    drawn = frame.assign(regret=frame["factor"], regret_se=0.0)
    drawn["family"], drawn["trust"] = frame["policy"].map(FAMILIES), frame["policy"].map(TRUST)
    t, bound = sorted({*frame["t"]}), replacements.response_minimax
    limit = [bound(n_arms, mark, epsilon) / bound(n_arms, mark, math.inf) for mark in t]
    ylabel, bounds = "regret over that without privacy", [("1/tanh(ε/2)", t, limit)]
    fig = figures.regret_curves(drawn, yscale="log", ylabel=ylabel, bounds=bounds)
    last = frame[frame["t"] == frame["t"].max()].set_index("policy")["factor"]
    alt = "At the horizon the factor is " + ", ".join(f"{value:.3g} for {name}" for name, value in last.items())
    return Picture(fig, frame, caption, alt + ".")


@panels("figure-corrupt")
def corrupt(study: Study) -> Picture:
    """Whether the algorithms for corrupt bandits are off by (1 + e^-epsilon)^2."""
    frame = discussion.corrupt_bandits(study.means, study.epsilons)
    x, ylabel = frame["epsilon"], "factor above a lower bound"
    lines = [
        (x, frame["over_printed"], "rate over Theorem\u00a04 as printed", "gaussian", "none"),
        (x, frame["claimed"], "claimed:\n(1\u00a0+\u00a0exp(-ε))²", "none", "none"),
        (x, frame["over_lower"], "rate over the exact bound", "response", "none"),
    ]
    fig = figures.sweep_curves(_curves(lines), "epsilon", xscale="log", yscale="log", ylabel=ylabel)
    ends = frame.sort_values("epsilon").iloc[[0, -1]]
    caption = (
        "The rate of the algorithms for corrupt bandits over lower bounds. Over the bound of Theorem 4 it "
        f"goes from {_times(ends['over_printed'].iloc[0])} to {_times(ends['over_printed'].iloc[1])}, which is the "
        f"slack of the theorem; over the exact bound it is {ends['over_lower'].max():.4g} at every ε, by theorem."
    )
    return Picture(fig, frame, caption, caption)


def nearest(values: Sequence[float], target: float) -> float:
    """Return the value nearest to the target on a logarithmic scale."""
    return float(min(values, key=lambda value: abs(math.log(value / target))))


def _described(model: graphs.Model) -> str:
    words = {"x": "outcomes", "r": "rewards", "z": "messages", "a": "actions", "n": "the environment"}
    parts = [dict.fromkeys(words[name[0]] for name in part) for part in (model.seen, model.protected)]
    seen, protected = map(" and ".join, parts)
    return f"{model.letter}, {model.title}: the observer sees {seen}; protected: {protected or 'nothing'}."


def _times(value: float) -> str:
    return f"{value:,.3g}" if value < 1e4 else scientific(value)


def _exact(epsilon: pd.Series, y: pd.Series, **columns: Any) -> pd.DataFrame:
    """Exact numbers in the columns that the plots want."""
    frame = pd.DataFrame({"policy": "", "epsilon": epsilon, "t": 1, "regret": y, "regret_se": 0.0, "replications": 1})
    return frame.assign(**columns).reset_index(drop=True)


def _curves(lines: Sequence[tuple[pd.Series, pd.Series, str, str, str]]) -> pd.DataFrame:
    """Exact curves: their epsilons, their values, and the label, family and trust of each."""
    parts = [_exact(x, y, label=label, family=family, trust=trust) for x, y, label, family, trust in lines]
    return pd.concat(parts, ignore_index=True)


def _meeting(frame: pd.DataFrame, question: str, n_arms: int, gap: float, where: str = "") -> Picture:
    """Regret against the usable lower bounds, over epsilon, a panel each for local and for central privacy."""
    horizon, means = int(frame["t"].iloc[0]), instance(n_arms, gap).means
    ylabel = "regret" if question == "instance" else "largest regret over the gaps"
    fig = figures.small_multiples(_lines(frame), by="facet", x="epsilon", xscale="log", yscale="log", ylabel=ylabel)
    finite = frame[np.isfinite(frame["epsilon"])]
    grid = np.geomspace(finite["epsilon"].min(), finite["epsilon"].max(), 60)
    for axes, trust in zip(fig.axes, ("local", "central"), strict=True):
        at = pd.DataFrame([usable(question, trust, means, horizon, float(e)) for e in grid])
        for name, values in _telling(at, gap * horizon if question == "instance" else horizon).items():
            _reference(axes, grid, values, str(name).removesuffix(", corrected"))
        _make_room(axes)
    where = where or f"on {n_arms} Bernoulli arms, one of mean {0.5 + gap / 2:g}, the others {gap:g} below"
    kind = "problem-dependent bounds times ln T" if question == "instance" else "minimax bounds"
    caption = (
        f"Upper meets lower at T = {power(horizon)}, {where}. Lower bound: the best usable {kind}; dash-dot: another, "
        f"Theorems 1 and 4 as corrected. {figures.caption_runs(frame)}"
    )
    said = finite.dropna(subset=["ratio"])
    best = said.loc[said.groupby("trust")["ratio"].idxmin()] if len(said) else said
    alt = "Closest to the lower bound: " + "; ".join(
        f"under {row.trust} privacy {row.policy} at epsilon {row.epsilon:g}, {row.ratio:.3g} times it"
        for row in best.itertuples()
    )
    return Picture(fig, frame, caption, alt + "." if len(best) else "No bound applies at this horizon.")


def _lines(frame: pd.DataFrame) -> pd.DataFrame:
    """The algorithms, the best usable bound and uniform play."""
    drawn = pd.concat([frame[frame["trust"] == trust] for trust in ("local", "central", "none")], ignore_index=True)
    drawn["family"] = drawn["policy"].map(FAMILIES)
    drawn["facet"] = drawn["trust"].map({"local": "local privacy", "central": "central privacy", "none": ""})
    drawn = drawn[np.isfinite(drawn["epsilon"]) | (drawn["trust"] == "none")]
    most = frame["uniform"].max()
    lower = drawn[np.isfinite(drawn["epsilon"]) & drawn["bound"].between(1e-9, most)]
    lower = lower.drop_duplicates(["trust", "epsilon"]).assign(regret=lower["bound"], policy="lower bound")
    plain = {"policy": "uniform play", "epsilon": math.inf, "t": frame["t"].iloc[0], "regret": most, "facet": ""}
    plain |= {"regret_se": 0.0, "family": "uniform", "trust": "none", "replications": 1}
    return pd.concat([drawn, lower.assign(regret_se=0.0, family="none", trust="none"), pd.DataFrame([plain])])


def _telling(bounds: pd.DataFrame, most: float) -> pd.DataFrame:
    """The bounds, a column each, that are seen and are neither the best nor the level of no privacy.

    The printed local ones are a fixed part of the corrected ones, which stand for both.
    """
    best = bounds.max(axis=1)
    seen = bounds.drop(columns=["Theorem 1", "Theorem 4"], errors="ignore")
    seen = seen.where((seen >= best.min()) & (seen <= most))
    apart = seen.sub(best, axis=0).abs().gt(1e-3 * best, axis=0).any()
    return seen.loc[:, apart & (seen.round(9).nunique() > 1)]


def _reference(axes: Axes, x: Any, y: Any, text: str) -> None:
    """Draw a bound as a thin dash-dot line with its name beside it."""
    at, values = np.asarray(x, float), np.asarray(y, float)
    at, values = at[np.isfinite(values)], values[np.isfinite(values)]
    if not at.size:
        return
    middle = at.size // 2
    with figures.style():
        axes.plot(at, values, color=_GREY, lw=1.1, linestyle="-.", zorder=2.5)
        if values[-1] >= values[0]:
            place, offset, side = 0, (3, 3), "left"
        elif values[-1] == values[middle]:
            place, offset, side = middle, (-40, -11), "left"
        else:
            place, offset, side = -1, (-8, 1), "right"
        spot, unit = (at[place], values[place]), "offset points"
        axes.annotate(text, spot, offset, textcoords=unit, ha=side, fontsize=9.5, color=_GREY, zorder=6)


def _make_room(axes: Axes) -> None:
    """Lower the bottom of a logarithmic axis by an eighth, for names under the lowest line."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        axes.set_ylim(bottom=low * (low / high) ** 0.125)


def _note(text: str) -> Figure:
    """A figure that says why there is nothing to see."""
    with figures.style():
        fig = blank()
        fig.text(0.5, 0.5, text, ha="center", va="center")
    return fig


def _unit_axis(fig: Figure) -> None:
    """Show success rates from a coin's 1/2 to certainty."""
    for axes in fig.axes:
        labelled = any(label.get_text() for label in axes.get_yticklabels())
        axes.set_ylim(0.48, 1.02)
        ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
        axes.yaxis.set_major_locator(FixedLocator(ticks))
        axes.yaxis.set_major_formatter(FixedFormatter([f"{v:g}" if labelled else "" for v in ticks]))

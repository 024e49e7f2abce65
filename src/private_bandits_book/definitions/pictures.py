"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator

from private_bandits.estimates import fit_growth
from private_bandits.papers.definitions import replacements
from private_bandits_book import figures
from private_bandits_book.definitions import graphs, tables
from private_bandits_book.definitions.experiments import FAMILIES, LOCAL, LONG_N_ARMS, TRUST, Experiments, factors
from private_bandits_book.figures import Picture, power, scientific
from private_bandits_book.figures.drawing import blank
from private_bandits_book.studies import Run

_DEFINITIONS = {"DP": "differential privacy", "instantaneous DP": "instantaneous DP", "local DP": "local privacy"}
_READINGS = {
    "table": ("Table 1", "composition", "none"),
    "theorem": ("theorem", "gaussian", "none"),
    "proof": ("line of its proof", "laplace", "none"),
    "replacement": ("what can be used", "none", "none"),
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


def models() -> Picture:
    """Figure 1."""
    caption = (
        "Figure 1: the four graphical models, two rounds of each. An arrow says that one variable is used to make the "
        "other. Shaded: what the observer sees. Dashed box: what the definition keeps from the observer. Bold: "
        "the arrows on which the noise must sit."
    )
    alt = "Four graphs of two rounds. " + " ".join(_described(model) for model in graphs.models())
    return Picture(graphs.draw(), graphs.table(), caption, alt)


def inference(frame: pd.DataFrame, horizon: int) -> Picture:
    """The advertising example: the success rate of the best guess under each definition."""
    drawn = _plain(frame["epsilon"], frame["success"])
    drawn["facet"], drawn["label"] = zip(*map(_game, frame.itertuples()), strict=True)
    drawn["policy"] = drawn["label"]
    drawn["family"] = frame["definition"].map(_HUES).to_numpy()
    drawn["trust"] = ["local" if d in ("local", "environment") else "central" for d in frame["definition"]]
    fig = figures.small_multiples(drawn, by="facet", x="epsilon", xscale="log", ylabel="success rate of the best guess")
    _unit_axis(fig)
    grid = np.geomspace(frame["epsilon"].min() / 1.001, frame["epsilon"].max() * 1.001, 80)
    for axes in fig.axes[:4]:
        scale = 0.6 if axes is fig.axes[3] else 1.0
        _reference(axes, grid, 1 / (1 + np.exp(-scale * grid)), "")
    broken = frame[~frame["kept"]]
    inside = int(((frame["success"] >= frame["low"]) & (frame["success"] <= frame["high"])).sum())
    caption = (
        f"Web advertising, {horizon} visits, two advertisements: the exact success rate of the best guess of one "
        "unknown bit against what ε is read to allow (dash-dot, e^ε/(1 + e^ε); for preferences, ε times their "
        "distance). "
        f"Played {frame['replications'].iloc[0]:,} times each, the 95 % interval holds the exact rate in {inside} of "
        f"{len(frame)} cases. The rates above the line are those of {_names(broken)}."
    )
    one = nearest(frame["epsilon"].unique(), 1.0)
    at = frame[frame["epsilon"] == one]
    alt = f"At epsilon {one:g} the best guess is right with probability " + ", ".join(
        f"{row.success:.2f} for {row.guess} from {row.observer} ({row.policy})" for row in at.itertuples()
    )
    return Picture(fig, frame, caption, alt + ".")


def growth(frame: pd.DataFrame) -> Picture:
    """How the exact loss of two private policies grows with the horizon."""
    response = frame["policy"].str.startswith("randomised")
    names = {
        (True, "outcomes"): ("ε a round:\nall arms (Definition 2)", "tree", "central"),
        (True, "instantaneous"): ("ε a round:\nnext arm (Definition 3)", "gaussian", "central"),
        (False, "local"): ("ε a message:\none reward (Definition 4)", "response", "local"),
        (False, "local, every response of a person"): ("ε a message:\nall rewards of one person", "none", "local"),
    }
    rows = []
    for mark, part in frame.groupby([response, "definition"], sort=False):
        if mark in names and np.isfinite(part["loss"]).all():
            label, family, trust = names[mark]
            plain = _plain(part["epsilon"], part["loss"] / part["epsilon"])
            rows.append(plain.assign(visits=part["horizon"].to_numpy(), label=label, family=family, trust=trust))
    drawn = pd.concat(rows, ignore_index=True)
    fig = figures.sweep_curves(drawn, "visits", xlabel="rounds T", ylabel="exact loss over ε")
    last = frame[frame["horizon"] == frame["horizon"].max()]
    dp = last[last["policy"].str.startswith("randomised") & (last["definition"] == "outcomes")]["loss"].iloc[0]
    epsilon = float(frame["epsilon"].iloc[0])
    caption = (
        f"The exact privacy loss over the number of rounds at ε = {epsilon:g}, by enumeration: a policy that answers "
        "each round by ε-randomised response on the best arm so far, and one that sees only ε-randomised responses."
    )
    alt = (
        f"The next arm alone pays epsilon at every horizon; all arms together pay {dp / epsilon:.3g} epsilon at T = "
        f"{int(last['horizon'].iloc[0])}; private messages pay epsilon for one reward, T epsilon for all of a person."
    )
    return Picture(fig, frame, caption, alt)


def looseness(frame: pd.DataFrame) -> Picture:
    """Lemma 4: the printed bound over what the channel keeps, and what the steps of the proof cost."""
    p, q = float(frame["p"].iloc[0]), float(frame["q"].iloc[0])
    pair = frame[(frame["p"] == p) & (frame["q"] == q)]
    response, laplace = (pair[pair["channel"] == name] for name in ("randomised response", "binned Laplace"))
    lines = [
        (laplace, "looseness", "printed bound, Laplace", "laplace", "local"),
        (response, "looseness", "printed bound, response", "response", "local"),
        (response, "duchi_loss", "of which: factor of Duchi et al.", "gaussian", "none"),
        (response, "pinsker_loss", "of which: Pinsker", "none", "none"),
    ]
    drawn = pd.concat(
        [
            _plain(part["epsilon"], part[column]).assign(label=label, family=family, trust=trust)
            for part, column, label, family, trust in lines
        ],
        ignore_index=True,
    )
    fig = figures.sweep_curves(drawn, "epsilon", xscale="log", yscale="log", ylabel="bound over exact divergence")
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


def readings(frame: pd.DataFrame) -> Picture:
    """Every reading of the minimax column of Table 1 against epsilon, in units of T."""
    chosen = frame[(frame["regret"] == "minimax") & frame["reading"].isin(list(_READINGS))]
    told = impossible(chosen)
    order = chosen["reading"].map({name: place for place, name in enumerate(_READINGS)})
    best = chosen.assign(order=order).groupby(["definition", "order", "reading", "epsilon"], sort=False)["value"].max()
    chosen = best.reset_index()
    horizon, n_arms = int(frame["horizon"].iloc[0]), int(frame["n_arms"].iloc[0])
    share = chosen["value"] / horizon
    drawn = _plain(chosen["epsilon"], share.where((share > _FLOOR) & (share < 1 / _FLOOR)))
    drawn["label"], drawn["family"], drawn["trust"] = zip(*(_READINGS[r] for r in chosen["reading"]), strict=True)
    drawn["facet"] = chosen["definition"].map(_DEFINITIONS).to_numpy()
    drawn = drawn[drawn["regret"].notna()]
    fig = figures.small_multiples(
        drawn, by="facet", x="epsilon", xscale="log", yscale="log", ylabel="lower bound over T"
    )
    for axes in fig.axes:
        _reference(axes, axes.get_xlim(), [1.0, 1.0], "T")
    caption = (
        f"The minimax column of Table 1 at K = {n_arms}, T = {power(horizon)}, in units of T: what the table, the "
        "theorem and its proof say (the line before the last for differential privacy, the last for instantaneous DP), "
        f"and the bound that can be used. {told} Values below {_FLOOR:g} are not drawn."
    )
    return Picture(fig, frame, caption, f"Three panels, one per definition. {told}")


def impossible(frame: pd.DataFrame) -> str:
    """Say which entries exceed T, and at which epsilons."""
    above = frame[frame["impossible"]]
    if above.empty:
        return "No lower bound exceeds T."
    parts = []
    for (name, locus), part in above.groupby(["definition", "locus"], sort=False):
        at = ", ".join(f"{e:g}" for e in part["epsilon"])
        parts.append(f"{_DEFINITIONS[name]}, {locus}, at ε = {at}")
    return f"Above T, which no regret exceeds: {'; '.join(parts)}."


def upper_lower(frame: pd.DataFrame, n_arms: int, question: str, tried: Sequence[float] = ()) -> Picture:
    """Regret of the private algorithms against the usable lower bounds, over epsilon.

    `tried` are the gaps among which the hardest instance was looked for; only "hardest" needs them.
    """
    horizon, gap = int(frame["t"].iloc[0]), float(frame["gap"].iloc[0])
    drawn = _drawn(frame)
    ylabel = "regret" if question == "instance" else "largest regret over the gaps"
    fig = figures.small_multiples(drawn, by="facet", x="epsilon", xscale="log", yscale="log", ylabel=ylabel)
    finite = frame[np.isfinite(frame["epsilon"])]
    grid = np.geomspace(finite["epsilon"].min(), finite["epsilon"].max(), 60)
    for axes, trust in zip(fig.axes, ("local", "central"), strict=True):
        for name, values in _bounds(trust, n_arms, gap, horizon, grid, question).items():
            _reference(axes, grid, values, name.removesuffix(", corrected"))
        _make_room(axes)
    where = (
        f"on {n_arms} Bernoulli arms, one of mean {0.5 + gap / 2:g}, the others {gap:g} below"
        if question == "instance"
        else f"on the hardest of gaps from {min(tried):g} to {max(tried):g}, K = {n_arms}"
    )
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


def longer(frame: pd.DataFrame, study: pd.DataFrame) -> Picture:
    """`upper_lower` on the longer study, and how far its runs have come.

    Parameters
    ----------
    frame, study : DataFrame
        `tables.long_upper_lower`, and the longer study that it was made of.
    """
    picture = upper_lower(frame, LONG_N_ARMS, "instance")
    worst = frame.loc[(frame["regret"] / frame["uniform"]).idxmax()]
    share = f"Every run loses at most {worst['regret'] / worst['uniform']:.2g} of what uniform play does."
    return picture._replace(caption=f"{picture.caption} {share} {_settling(study)}")


def _settling(study: pd.DataFrame) -> str:
    """Whether the regret of the local algorithms has come down to ln T at the smallest epsilon of a longer study."""
    epsilon, faster, slower, said = float(study["epsilon"].min()), [], [], []
    for name in LOCAL:
        part = study[(study["policy"] == name) & (study["epsilon"] == epsilon)]
        curves = part.pivot(index="replication", columns="t", values="regret")
        t = curves.columns.to_numpy(float)
        try:
            fit = fit_growth(t, curves.to_numpy(float), t[-1] / 100, t[-1])
        except (ValueError, IndexError):
            continue
        said.append(f"{fit.measured:.2g} [{fit.low:.2g}, {fit.high:.2g}] for {name}")
        faster += [name] if fit.low > 1 else []
        slower += [name] if fit.high <= 1 else []
    if not said:
        return f"At ε = {epsilon:g} the local ones have no growth to fit."
    powers = f"At ε = {epsilon:g} regret goes as a power of ln t over the last two decades: {', '.join(said)};"
    if faster:
        return f"{powers} so that of {' and '.join(faster)} still grows faster than ln T."
    if len(slower) == len(said):
        return f"{powers} so it has come down to ln T."
    return f"{powers} so these runs do not tell whether it still grows faster than ln T."


def price(runs: Sequence[Run], setting: Experiments) -> Picture:
    """The price of privacy as a factor on the largest regret over the gaps, against t, at the epsilon nearest 0.2."""
    epsilon = nearest(setting.epsilons, 0.2)
    frame = factors(runs, epsilon)
    caption = (
        f"The price of privacy as a factor: the largest regret over the gaps at ε = {epsilon:g} over that at ε = ∞, "
        f"K = {setting.n_arms}, means of {setting.replications} runs. A factor that stays is multiplicative; one that "
        "falls to 1 comes from a term added to the regret. Dash-dot: the factor of the local lower bound, which is "
        f"1/tanh(ε/2) from t = {power(max(1, math.ceil(_settled(setting.n_arms, epsilon))))} on."
    )
    if frame.empty:
        nothing = f"No regret without privacy to compare with at T = {power(setting.horizon)}."
        return Picture(_note(nothing), frame, f"{caption} {nothing}", nothing)
    drawn = frame.assign(regret=frame["factor"], regret_se=0.0)
    drawn["family"], drawn["trust"] = frame["policy"].map(FAMILIES), frame["policy"].map(TRUST)
    t = sorted({*frame["t"]})
    bound = replacements.response_minimax
    limit = [bound(setting.n_arms, mark, epsilon) / bound(setting.n_arms, mark, math.inf) for mark in t]
    fig = figures.regret_curves(
        drawn, yscale="log", ylabel="regret over that without privacy", bounds=[("1/tanh(ε/2)", t, limit)]
    )
    last = frame[frame["t"] == frame["t"].max()].set_index("policy")["factor"]
    alt = "At the horizon the factor is " + ", ".join(f"{value:.3g} for {name}" for name, value in last.items())
    return Picture(fig, frame, caption, alt + ".")


def _settled(n_arms: int, epsilon: float) -> float:
    """(K-1)/sinh(epsilon/2)^2, from where on the local bound has lost all but a factor of the one without privacy."""
    return (n_arms - 1) * (1 / math.tanh(epsilon / 2) ** 2 - 1)


def corrupt(frame: pd.DataFrame) -> Picture:
    """Whether the algorithms for corrupt bandits are off by (1 + e^-epsilon)^2."""
    lines = [
        ("over_printed", "rate over Theorem 4 as printed", "gaussian"),
        ("claimed", "claimed:\n(1 + exp(-ε))²", "none"),
        ("over_lower", "rate over the exact bound", "response"),
    ]
    drawn = pd.concat(
        [_plain(frame["epsilon"], frame[c]).assign(label=label, family=f, trust="none") for c, label, f in lines],
        ignore_index=True,
    )
    fig = figures.sweep_curves(drawn, "epsilon", xscale="log", yscale="log", ylabel="factor above a lower bound")
    ends = frame.sort_values("epsilon").iloc[[0, -1]]
    caption = (
        "The rate of the algorithms for corrupt bandits over lower bounds. Over the bound of Theorem 4 it "
        f"goes from {_times(ends['over_printed'].iloc[0])} to {_times(ends['over_printed'].iloc[1])}, which is the "
        f"slack of the theorem; over the exact bound it is {ends['over_lower'].max():.4g} at every ε, by theorem."
    )
    return Picture(fig, frame, caption, caption)


def _described(model: graphs.Model) -> str:
    words = {"x": "outcomes", "r": "rewards", "z": "messages", "a": "actions", "n": "the environment"}
    seen = " and ".join(dict.fromkeys(words[name[0]] for name in model.seen))
    kept = " and ".join(dict.fromkeys(words[name[0]] for name in model.protected)) or "nothing"
    return f"{model.letter}, {model.title}: the observer sees {seen}; protected: {kept}."


def _game(row: Any) -> tuple[str, str]:
    """The panel and the label of a game."""
    if row.definition == "rewards":
        return "private on rewards only", row.guess.replace("the answer to ", "")
    if row.definition == "environment":
        return "preferences of a person", "from " + row.observer
    if row.guess != "the answers of one visit":
        return "one answer, or all", f"{row.guess.replace(' of one person', '')}, from {row.observer}"
    short = row.policy.replace("randomised response, epsilon", "response, ε").replace("epsilon", "ε")
    return "a visit, from every ad", short.replace("argmax with Laplace noise", "Laplace").replace("argmax of ", "")


def _names(broken: pd.DataFrame) -> str:
    if broken.empty:
        return "nobody"
    pairs = broken.drop_duplicates(["guess", "policy"])
    return "; ".join(f"{row.guess} ({row.policy.replace('epsilon', 'ε')})" for row in pairs.itertuples())


def _plain(x: pd.Series, y: pd.Series) -> pd.DataFrame:
    """Exact numbers in the columns that the plots want."""
    return pd.DataFrame(
        {"policy": "", "epsilon": x.to_numpy(), "t": 1, "regret": y.to_numpy(), "regret_se": 0.0, "replications": 1}
    )


def _drawn(frame: pd.DataFrame) -> pd.DataFrame:
    drawn = pd.concat([frame[frame["trust"] == trust] for trust in ("local", "central", "none")], ignore_index=True)
    drawn["family"] = drawn["policy"].map(FAMILIES)
    drawn["facet"] = drawn["trust"].map({"local": "local privacy", "central": "central privacy", "none": ""})
    drawn = drawn[np.isfinite(drawn["epsilon"]) | (drawn["policy"] == "UCB")]
    plain = {"policy": "uniform play", "epsilon": math.inf, "t": frame["t"].iloc[0], "regret_se": 0.0}
    plain |= {"family": "uniform", "trust": "none", "facet": "", "regret": frame["uniform"].max()}
    lower = drawn[np.isfinite(drawn["epsilon"]) & drawn["bound"].between(1e-9, frame["uniform"].max())]
    lower = lower.drop_duplicates(["trust", "epsilon"])
    lower = lower.assign(policy="lower bound", regret=lower["bound"], regret_se=0.0, family="none", trust="none")
    return pd.concat([drawn, lower, pd.DataFrame([plain | {"replications": 1}])], ignore_index=True)


def _bounds(
    trust: str, n_arms: int, gap: float, horizon: int, grid: np.ndarray, question: str
) -> dict[str, list[float]]:
    of: Callable[[float], dict[str, float]] = (
        (lambda e: tables.lower_bounds(trust, n_arms, gap, horizon, e))
        if question == "instance"
        else (lambda e: tables.minimax_bounds(trust, n_arms, horizon, e))
    )
    found = [of(float(e)) for e in grid]
    best = [max(v for v in one.values() if not math.isnan(v)) for one in found]
    most = gap * horizon if question == "instance" else float(horizon)
    floor = min(best)
    # The printed local bounds are a fixed part of the corrected ones, which stand for both.
    names = [name for name in found[0] if name not in ("Theorem 1", "Theorem 4")]
    shown = {name: [one[name] if floor <= one[name] <= most else math.nan for one in found] for name in names}
    return {name: values for name, values in shown.items() if _tells(values, best)}


def _tells(values: Sequence[float], best: Sequence[float]) -> bool:
    """Say whether a bound is seen and is neither the best nor the level of no privacy."""
    seen = [(v, b) for v, b in zip(values, best, strict=True) if not math.isnan(v)]
    return any(abs(v - b) > 1e-3 * b for v, b in seen) and len({round(v, 9) for v, _ in seen}) > 1


def _reference(axes: Axes, x: Any, y: Any, text: str) -> None:
    """Draw a bound as a thin dash-dot line with its name beside it."""
    at, values = np.asarray(x, float), np.asarray(y, float)
    seen = np.flatnonzero(np.isfinite(values))
    if not seen.size:
        return
    with figures.style():
        axes.plot(at[seen], values[seen], color=_GREY, lw=1.1, linestyle="-.", zorder=2.5)
        shown = at[seen], values[seen]
        if shown[1][-1] >= shown[1][0]:
            place, offset, side = 0, (3, 3), "left"
        elif shown[1][-1] == shown[1][seen.size // 2]:
            place, offset, side = seen.size // 2, (-40, -11), "left"
        else:
            place, offset, side = -1, (-8, 1), "right"
        spot = shown[0][place], shown[1][place]
        axes.annotate(text, spot, offset, textcoords="offset points", ha=side, fontsize=9.5, color=_GREY, zorder=6)


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


def nearest(values: Sequence[float], target: float) -> float:
    """Return the value nearest to the target on a logarithmic scale."""
    return float(min(values, key=lambda value: abs(math.log(value / target))))


def _times(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    if value < 1e4:
        return f"{value:,.3g}"
    return scientific(value)

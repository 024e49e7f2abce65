"""What the chapter draws that is no regret: the paper's graphical models, what follows from what, and exact numbers."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from private_bandits_book import figures
from private_bandits_book.chapters.definitions import studies
from private_bandits_book.figures.drawing import blank
from private_bandits_book.figures.look import HUES, NARROW, WIDTH, style
from private_bandits_book.package_data import tables
from private_bandits_book.plots import Picture, Region, curves, panels

_INK, _SAID = "#1a1a1a", ("level", "by", "claim")
Pair = tuple[float, float]
Box = tuple[np.ndarray, np.ndarray]


def exact(finding: str, rows: pd.DataFrame, x: str = "epsilon", panel: str | None = None, **look: Any) -> Picture:
    """Draw computed numbers, a line for each name.

    Parameters
    ----------
    finding : str
        What is seen, in a sentence: the alternative text begins with it.
    rows : DataFrame
        With columns `line`, `value`, `hue`, `trust`, x and, where lines stand for one, `epsilon`.
    x : str
        The column that is swept.
    panel : str, optional
        The column that names the panel of a row.
    **look
        As for `figures.small_multiples`, or for `figures.regret_curves` without panels.
    """
    shown = rows.assign(policy=rows["line"], label=rows["line"], regret=rows["value"], regret_se=0.0, replications=1)
    shown = shown if x == "t" else shown.assign(t=1)
    shown = shown if "epsilon" in shown else shown.assign(epsilon=1.0)
    draw, said = figures.regret_curves if panel is None else partial(figures.small_multiples, by=panel), []
    for name, part in [("", shown)] if panel is None else shown.groupby(panel, sort=False):
        values = part.groupby("line", sort=False)["value"]
        ways = (f"{line} {ends.iloc[0]:.3g} to {ends.iloc[-1]:.3g}" for line, ends in values)
        said.append(f"{name}: {', '.join(ways)}" if name else ", ".join(ways))
    alt = f"{finding} Along {x}: {'; '.join(said)}.".replace("\n", " ")
    return Picture(draw(shown, x=x, **look), rows, alt, narrow=draw(shown, x=x, narrow=True, **look))


def guessed(guesses: pd.DataFrame) -> Picture:
    """Draw `lemmas.guesses`: what each definition covers, and what not, with the most that epsilon allows."""
    panels = {
        ("outcomes", "the answers of one visit"): ("one visit, all ads", True, "all ads private"),
        ("instantaneous", "the answers of one visit"): ("one visit, all ads", False, "each ad private"),
        ("local", "one answer"): ("one answer or all", True, "one answer"),
        ("local", "all answers of one person"): ("one answer or all", False, "all answers"),
        ("environment", "the preferences of a person"): ("what kind of person", True, "tastes"),
    }
    rows, spoken = [], dict[str | tuple[str, str], str]()
    private = guesses["observer"] == "private answers"
    for row in guesses[private | guesses["definition"].isin(["outcomes", "instantaneous"])].itertuples():
        panel, covered, what = panels[row.definition, row.guess]
        line = ("covered", "repaired") if covered else ("not covered", "printed")
        rows.append((panel, *line, row.epsilon, row.success))
        spoken[panel, line[0]] = f"{what}: {line[0]}" + " only if noise grows with visits" * (what == "tastes")
        if covered:
            rows.append((panel, "allowed", "none", row.epsilon, row.bound))
            spoken[panel, "allowed"] = "what ϵ allows"
    frame = pd.DataFrame(rows, columns=["facet", "line", "hue", "epsilon", "value"]).assign(trust="none")
    for panel, part in frame.groupby("facet", sort=False):
        values = part.pivot(index="epsilon", columns="line", values="value")
        if np.allclose(values["covered"], values["allowed"], rtol=0, atol=1e-9):  # one line, which stands for both
            frame = frame.drop(part.index[part["line"] == "allowed"])
            spoken[panel, "covered"] += ", exactly what ϵ allows"
    finding = "The best guess of what a definition covers stays within what ϵ allows; that of another secret does not."
    picture = exact(finding, frame, panel="facet", xscale="log", ylabel="success of the best guess", spoken=spoken)
    for axes in [*picture.fig.axes, *(picture.narrow.axes if picture.narrow else ())]:
        axes.set(ylim=(0.45, 1.03), yticks=[0.5, 0.75, 1.0])
    return picture._replace(data=guesses)


def readings(rows: pd.DataFrame, horizon: int) -> Picture:
    """Draw lower bounds over T, with columns `definition`, `line`, `epsilon`, `value`, six powers of ten around 1."""
    proved = rows[(rows["definition"] == "instantaneous DP") & (rows["line"] == "proved here")]
    theorem = rows[(rows["definition"] == "local DP") & (rows["line"] == "theorem")]
    vacuous = theorem["value"].max() < proved["value"].min()  # which holds without privacy
    looks = {"Table 1": "rival", "theorem": "stated", "paper's proof": "printed", "proved here": "repaired"}
    heads = {
        "DP": "DP: Theorem 3 fails at small ϵ",
        "instantaneous DP": "instantaneous DP: Theorem 2 fails",
        "local DP": f"local DP: Theorem 1 holds{', vacuous' * bool(vacuous)}",
    }
    shown = rows.assign(value=rows["value"] / horizon, hue=rows["line"].map(looks), trust="none")
    shown = shown[shown["value"].between(1e-6, 1e6)]
    shown = shown.assign(definition=shown["definition"].replace(heads))
    words = dict[str | tuple[str, str], str]({line: line for line in looks})
    words["Table 1"] = "Table 1: slope only"
    words[heads["instantaneous DP"], "Table 1"] = "Theorem 2: unbounded as ϵ falls"
    words[heads["instantaneous DP"], "paper's proof"] = "paper's proof: slip of sign"
    shaded = [Region("", None, 1.0, "above", heads[panel]) for panel in ("DP", "instantaneous DP")]
    shaded += [Region("no regret can be here", None, 1.0, "above", heads["local DP"])]
    finding = "For DP the theorem rises above T at small ϵ, "
    finding += "and the paper's proof stays below what holds without privacy."
    drawn = exact(
        finding, shown, panel="definition", xscale="log", yscale="log", ylabel="lower bound over T",
        spoken=words, said=shaded,
    )  # fmt: skip
    return drawn._replace(data=rows)


def ratios(toy: pd.DataFrame) -> Picture:
    """Draw the regrets of `lemmas.toy` over that without privacy."""
    rows, shown = toy.rename(columns={"horizon": "t"}), []
    for trust in ("local", "central"):
        for epsilon, part in rows.groupby("epsilon", sort=False):
            part = part.assign(value=part[trust] / part["free"], trust=trust)
            shown.append(part.assign(hue=trust, line=f"{trust}, ε = {epsilon:g}"))
    lines = pd.concat(shown)
    words, known = dict[str | tuple[str, str], str](), {"local": "exact", "central": "at\u00a0most"}
    for (trust, line), part in lines.groupby(["trust", "line"], sort=False):
        words[line] = f"{line}: {known[trust]}\u00a0{part['value'].iloc[-1]:.3g}"
    finding = "As T grows the ratio falls to 1 under central privacy, and not under local privacy."
    ylabel = "minimax regret over that without privacy"
    return exact(finding, lines, "t", yscale="log", ylabel=ylabel, xlabel="horizon T", spoken=words)


def price(factors: pd.DataFrame, epsilon: float) -> Picture:
    """Draw `studies.factors` at this epsilon, a line for each trust model, with its last factor and the limit."""
    last = factors.sort_values("t").groupby("trust")["regret"].last()
    limit = 1 / math.tanh(epsilon / 2)
    return curves(
        factors, label=lambda row: str(row.trust), yscale="log", start=1000, ylabel="regret over that without noise",
        spoken={str(trust): f"{trust}: {one:.1f}" for trust, one in last.items()},
        bounds=[("1/tanh(ϵ/2)", factors["t"].unique(), limit)],
    )  # fmt: skip


def above_bounds(rows: pd.DataFrame, ylabel: str = "regret") -> Picture:
    """Draw regret against epsilon in a panel for each trust model, shaded below the bound of `studies.with_bounds`.

    At the end of the nearest line stands how many times the bound of its panel it is, from the least to the most.
    """
    nearest, heads, shaded = {"central": studies.DP_KLUCB, "local": studies.LDP_UCB}, dict[str, str](), list[Region]()
    spoken = dict[str | tuple[str, str], str]({studies.UCB: f"{studies.UCB}, no privacy"})
    for trust, name in nearest.items():
        part = rows[rows["trust"] == trust]
        is_bound = part["policy"].str.startswith("lower bound")
        lower = part[is_bound].set_index("epsilon")["regret"]
        own = part[part["policy"] == name].groupby("epsilon")["regret"].mean()
        heads[trust] = f"{trust} privacy{_ways(name, own, lower)}"
        shaded.append(Region("", lower.index, lower.to_numpy(), panel=heads[trust]))
        spoken[part.loc[is_bound, "policy"].iloc[0]] = "lower bound"
        times = own / lower
        ends = dict.fromkeys(f"{end:.0f}" for end in (times.min(), times.max()))
        spoken[name] = f"{name}: {' to '.join(ends)} times the bound"
    return panels(
        rows, "epsilon", by=lambda row: heads[row.trust], headed=False, xscale="log", yscale="log",
        ylabel=ylabel, spoken=spoken, said=shaded, hue=lambda row: "none" if row.family == "none" else row.trust,
    )  # fmt: skip


def _ways(name: str, regret: pd.Series, bound: pd.Series) -> str:
    """How a policy's regret moves as epsilon falls, and whether the bound does, too; nothing of one epsilon."""
    if len(regret) < 2:
        return ""
    ways = [_way(regret), _way(bound)]
    return f": {name} {ways[0]}, {'like the bound' if ways[0] == ways[1] else f'the bound {ways[1]}'}"


def _way(regret: pd.Series) -> str:
    """Hardly, if less than with the inverse of epsilon to the power 1/4."""
    ends = regret.sort_index().iloc[[0, -1]]
    times, smaller = ends.iloc[0] / ends.iloc[-1], ends.index[-1] / ends.index[0]
    return "rises as ϵ falls" if times > smaller**0.25 else "hardly rises"


# --- Figure 1

OUTCOMES, REWARDS, MESSAGES, ACTIONS = ("x0", "x1"), ("r0", "r1"), ("z0", "z1"), ("a0", "a1")
ENVIRONMENT, POLICY = "nu", "pi"
_RADIUS, _SEEN = 0.37, "#c9c9c9"
_WORDS = {"x": "outcomes", "r": "rewards", "z": "messages", "a": "actions", "n": "the environment"}


class Model(NamedTuple):
    """One panel of Figure 1: the graph, what the observer sees, what is protected, and where the noise must sit."""

    title: str
    graph: nx.DiGraph
    seen: tuple[str, ...]
    protected: tuple[str, ...]
    noisy: tuple[tuple[str, str], ...]


def bandit(*, local: bool = False, partial_monitoring: bool = False) -> nx.DiGraph:
    """Return two rounds of a bandit as a directed graph.

    Parameters
    ----------
    local : bool
        The learner sees a message z made from the reward instead of the reward r.
    partial_monitoring : bool
        The learner sees the whole outcome x, although only one entry of it is paid out.

    Returns
    -------
    networkx.DiGraph
        Nodes `nu`, `pi`, and x, r, a (and z) with the suffix 0 for round t-1 and 1 for round t.
    """
    report = MESSAGES[0] if local else REWARDS[0]
    arrows = [(ENVIRONMENT, x) for x in OUTCOMES] + [(POLICY, a) for a in ACTIONS]
    arrows += [*zip(OUTCOMES, REWARDS, strict=True), *zip(ACTIONS, REWARDS, strict=True)]
    arrows += [(ACTIONS[0], ACTIONS[1]), (report, ACTIONS[1])]
    arrows += list(zip(REWARDS, MESSAGES, strict=True)) if local else []
    arrows += [(OUTCOMES[0], ACTIONS[1])] if partial_monitoring else []
    return nx.DiGraph(arrows)


def separated(graph: nx.DiGraph, hidden: Iterable[str], given: Iterable[str]) -> bool:
    """Say whether, given the policy, the first action and `given`, the next action tells nothing more of `hidden`."""
    return bool(nx.is_d_separator(graph, {ACTIONS[1]}, set(hidden), {POLICY, ACTIONS[0], *given}))


def figure_1() -> Picture:
    """Draw the paper's Figure 1: seen variables shaded, protected ones in a dashed frame, noisy arrows bold.

    What is seen follows the definitions: a history of Definition 5 has the rewards of all arms, which are the outcomes.
    """
    plain, drawn = bandit(), tuple((ENVIRONMENT, x) for x in OUTCOMES)
    models = (
        Model("(a) no privacy", plain, (*REWARDS, *ACTIONS), (), ()),
        Model("(b) local privacy", bandit(local=True), (*MESSAGES, *ACTIONS), REWARDS, (("r0", "z0"), ("r1", "z1"))),
        Model("(c) differential privacy", plain, ACTIONS, OUTCOMES, (("r0", "a1"),)),
        Model("(d) environment privacy", plain, (*OUTCOMES, *REWARDS, *ACTIONS), (ENVIRONMENT,), drawn),
    )
    rows = [
        (one.title, *ends, ends in one.noisy, ends[0] in one.protected) for one in models for ends in one.graph.edges
    ]
    said = [
        f"{one.title}: seen are {_listed(_WORDS[name[0]] for name in one.seen)}; "
        f"protected: {_listed(_WORDS[name[0]] for name in one.protected) or 'nothing'}"
        for one in models
    ]
    data = pd.DataFrame(rows, columns=["model", "source", "target", "noisy", "source_protected"])
    alt = f"Four graphs of two rounds. {'; '.join(said)}."
    return Picture(_graphs(models, 4, WIDTH, 10.0), data, alt, narrow=_graphs(models, 2, NARROW, 11.0))


def _graphs(models: Sequence[Model], columns: int, width: float, letters: float) -> Figure:
    """Draw the panels, and below them what their signs mean."""
    rows = len(models) // columns
    panels, key = 8.0 / 4.6 * width * rows / columns, 5.8 * letters / 72
    with style():
        figure = blank()
        tall = panels + key
        figure.set_size_inches(width, tall)
        for place, one in enumerate(models):
            row, column = divmod(place, columns)
            box = (column / columns, (key + panels * (1 - (row + 1) / rows)) / tall, 1 / columns, panels / rows / tall)
            _panel(figure.add_axes(box, label=one.title), one, letters)
        _key(figure.add_axes((0, 0, 1, key / tall), label="key"), 72 * width, 72 * key, letters)
    return figure


def _key(axes: Axes, wide: float, tall: float, letters: float) -> None:
    """Draw each sign beside what it means, in points, and the letters' names below."""
    axes.set(xlim=(0, wide), ylim=(0, tall))
    axes.set_axis_off()
    y, apart = tall - 1.1 * letters, (wide - 16) / 3
    seen, protected, noise = (8 + apart * place for place in range(3))
    axes.add_patch(Circle((seen + 10, y), 0.75 * letters, lw=1.0, facecolor=_SEEN, edgecolor=_INK))
    axes.add_patch(_framed((protected + 2, y - 0.7 * letters), (24, 1.4 * letters), 4))
    axes.add_patch(_arrow((noise, y), (noise + 26, y), True))
    for x, words in ((seen + 24, "seen"), (protected + 32, "protected"), (noise + 32, "noise is here")):
        axes.text(x, y, words, ha="left", va="center", fontsize=letters)
    names = r"$\nu$ environment, $x$ outcomes, $r$ rewards,", r"$z$ messages, $a$ actions, $\pi$ policy"
    for row, words in enumerate(names):
        axes.text(8, y - (2.3 + 1.6 * row) * letters, words, ha="left", va="center", fontsize=letters)


def _arrow(start: Pair, end: Pair, noisy: bool, gap: float = 0.0, bend: float = 0.0) -> FancyArrowPatch:
    arrow = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=8, zorder=3, shrinkA=gap, shrinkB=gap)
    arrow.set(color=HUES["local"] if noisy else "#555555", lw=2.2 if noisy else 1.0)
    arrow.set_connectionstyle("arc3", rad=bend)
    return arrow


def _framed(low: Pair, size: Pair, rounding: float) -> FancyBboxPatch:
    frame = FancyBboxPatch(low, *size, boxstyle=f"round,pad=0,rounding_size={rounding}", fill=False, lw=1.2)
    frame.set(edgecolor=_INK, linestyle=(0, (4, 2)))
    return frame


def _listed(names: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(names))


def _panel(axes: Axes, model: Model, letters: float) -> None:
    axes.set(xlim=(-1.1, 3.5), ylim=(-1.75, 6.25), aspect="equal")
    axes.set_axis_off()
    axes.text(1.2, 6.1, model.title, ha="center", va="top", fontsize=letters)
    seen = [*dict.fromkeys(_WORDS[name[0]] for name in model.seen)]
    words = textwrap.fill(f"seen: {', '.join(seen)}{' only' if len(seen) == 1 else ''}", 24)
    axes.text(1.2, 5.65, words, ha="center", va="top", fontsize=letters)
    for place, which in ((0.0, "$t-1$"), (2.4, "$t$")):
        axes.text(place, 3.92, which, ha="center", va="center", fontsize=letters)
    rows = {"x": 3.2, "r": 2.2, "z": 0.8, "a": -0.1}
    places = {ENVIRONMENT: (1.2, 4.2), POLICY: (1.2, -1.1)}
    places |= {f"{letter}{slot}": (2.4 * slot, y) for letter, y in rows.items() for slot in (0, 1)}
    greek = {ENVIRONMENT: r"$\nu$", POLICY: r"$\pi$"}
    for name in model.graph.nodes:
        look = {"facecolor": _SEEN if name in model.seen else "white", "edgecolor": _INK}
        axes.add_patch(Circle(places[name], _RADIUS, lw=1.0, **look))
        word = greek.get(name, f"${name[0]}$")
        axes.text(*places[name], word, ha="center", va="center", fontsize=letters, zorder=5)
    gap = _RADIUS * axes.get_window_extent().width / 4.6 + 1.5
    for source, target in model.graph.edges:
        # the arrow from an action to its reward goes around the message between them
        bend = (-0.5 if source == "a0" else 0.5) if source in ACTIONS and target in REWARDS else 0.0
        noisy = (source, target) in model.noisy
        axes.add_patch(_arrow(places[source], places[target], noisy, gap, bend))
    if model.protected:
        x, y = zip(*(places[name] for name in model.protected), strict=True)
        low, size = (min(x) - 0.47, min(y) - 0.47), (max(x) - min(x) + 0.94, max(y) - min(y) + 0.94)
        axes.add_patch(_framed(low, size, 0.2))


# --- what follows from what


def implications() -> Picture:
    """Draw the definitions and the arrows between them, of `map.toml`."""
    known = tables("definitions", "map")
    names = {key: node["words"].replace("\n", " ") for key, node in known["nodes"].items()}
    rows = []
    for arrow in known["arrow"]:
        start, end = arrow["ends"]
        follows = "no" if arrow.get("broken", False) else "yes"
        rows.append((names[start], follows, names[end], *[arrow[key] for key in _SAID]))
    data = pd.DataFrame(rows, columns=["from", "follows", "to", *_SAID])
    ways = (f"{a} {'gives' if yes == 'yes' else 'does not give'} {b} ({level})" for a, yes, b, level, *_ in rows)
    wide = _map(known, "place", (504.0, 226.0), (62.0, 64.0), (190.0, 128.0), 10.0)
    narrow = _map(known, "narrow", (331.2, 330.0), (70.0, 78.0), (192.0, 112.0), 11.2)
    return Picture(wide, data, f"{'; '.join(ways)}.", narrow=narrow)


def _map(known: Any, place: str, size: Pair, corner: Pair, apart: Pair, letters: float) -> Figure:
    """Draw the map on a plate of this size in points, its nodes so far apart, from a corner on."""
    with style():
        figure = blank()
        figure.set_size_inches(size[0] / 72, size[1] / 72)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, size[0]), ylim=(0, size[1]))
        axes.set_axis_off()
        frame = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": _INK}
        boxes = {}
        for key, node in known["nodes"].items():
            at = np.add(corner, np.multiply(apart, node[place]))
            words = axes.text(
                at[0], at[1], node["words"], ha="center", va="center", fontsize=letters, bbox=frame, zorder=4
            )
            extent = words.get_window_extent()
            half = np.array([extent.width, extent.height]) * 36 / figure.dpi + 0.5 * letters
            boxes[key] = at, half
        for arrow in known["arrow"]:
            start, end = (boxes[one] for one in arrow["ends"])
            _drawn(axes, start, end, arrow["level"], arrow.get("broken", False), letters)
        said = "solid: follows, at this level\nbroken: does not, by a counterexample"
        axes.text(8, 26, said, ha="left", va="center", fontsize=letters)
    return figure


def _drawn(axes: Axes, start: Box, end: Box, level: str, broken: bool, letters: float) -> None:
    """Draw an arrow from box to box, and its level beside it."""
    (place, half), (other, there) = start, end
    along = (other - place) / np.linalg.norm(other - place)
    aside = 7 * np.array([-along[1], along[0]])  # an arrow keeps to its left, so that two ways stand apart
    flat, slanted = abs(along[0]) > 0.9, 0.1 < abs(along[0]) < 0.9
    first = place + aside + _way_out(half, aside, along) * along
    last = other + aside - _way_out(there, aside, -along) * along
    colour, line = (HUES["central"], (0, (4, 3))) if broken else (HUES["none"], "-")
    arrow = FancyArrowPatch(tuple(first), tuple(last), arrowstyle="-|>", mutation_scale=11, shrinkA=0, shrinkB=0)
    arrow.set(color=colour, linestyle=line, lw=1.3)
    axes.add_patch(arrow)
    part, apart = (0.7, 1.3) if slanted else (0.5, 1.3) if flat else (0.4, 0.7)
    x, y = first + part * (last - first) + apart * aside
    side = "center" if flat else "right" if aside[0] < 0 else "left"
    axes.text(x, y, level, ha=side, va="center", fontsize=letters, color=colour, zorder=5)


def _way_out(half: np.ndarray, start: np.ndarray, along: np.ndarray) -> float:
    """Return how far it is from a point of a box of these half sides to its outside."""
    return 4 + float(np.min((half - start * np.sign(along)) / np.maximum(np.abs(along), 1e-9)))

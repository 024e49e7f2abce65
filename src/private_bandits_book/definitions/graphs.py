"""Figure 1 of Basu et al. (2019): the four graphical models, as graphs that can be asked and drawn.

An arrow says "is used to make". Two consecutive rounds are enough: what holds for them holds for all, as the
arrows repeat. What a graph implies about who learns what is d-separation, which `separated` computes.
"""

from collections.abc import Iterable
from typing import NamedTuple

import networkx as nx
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from private_bandits_book.figures.drawing import blank
from private_bandits_book.figures.look import FAMILY_COLOURS, WIDTH, style

OUTCOMES, REWARDS, MESSAGES, ACTIONS = ("x0", "x1"), ("r0", "r1"), ("z0", "z1"), ("a0", "a1")
ENVIRONMENT, POLICY = "nu", "pi"
_PLACES = {ENVIRONMENT: (1.2, 4.0), POLICY: (1.2, -1.0)} | {
    f"{letter}{slot}": (2.4 * slot, row)
    for letter, row in (("x", 3.0), ("r", 2.0), ("z", 1.0), ("a", 0.0))
    for slot in (0, 1)
}
_WORDS = {ENVIRONMENT: r"$\nu$", POLICY: r"$\pi$"} | {
    f"{letter}{slot}": rf"$\mathbf{{x}}_{{{when}}}$" if letter == "x" else rf"${letter}_{{{when}}}$"
    for letter in "xrza"
    for slot, when in enumerate(("t-1", "t"))
}
_RADIUS, _MARGIN = 0.37, 0.1
_NOISE_COLOUR, _SEEN, _INK = FAMILY_COLOURS["gaussian"], "#c9c9c9", "#1a1a1a"


class Model(NamedTuple):
    """One panel of Figure 1.

    `seen` are the variables that the observer sees (shaded), `protected` those that the definition keeps from the
    observer (the dashed box), `noisy` the arrows through which the protected ones leave only under noise.
    """

    letter: str
    title: str
    graph: nx.DiGraph
    seen: tuple[str, ...]
    protected: tuple[str, ...]
    noisy: tuple[tuple[str, str], ...]


def models() -> tuple[Model, Model, Model, Model]:
    """Return the four panels: no privacy, local (Definition 4), DP (Definition 2), environment (Definition 5)."""
    plain, local, drawn = bandit(), bandit(local=True), tuple((ENVIRONMENT, x) for x in OUTCOMES)
    return (
        Model("a", "no privacy", plain, (*REWARDS, *ACTIONS), (), ()),
        Model("b", "local privacy", local, (*MESSAGES, *ACTIONS), REWARDS, (("r0", "z0"), ("r1", "z1"))),
        Model("c", "differential privacy", plain, ACTIONS, OUTCOMES, (("r0", "a1"),)),
        Model("d", "environment privacy", plain, (*REWARDS, *ACTIONS), (ENVIRONMENT,), drawn),
    )


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
    arrows += list(zip(OUTCOMES, REWARDS, strict=True)) + list(zip(ACTIONS, REWARDS, strict=True))
    arrows += [(ACTIONS[0], ACTIONS[1]), (report, ACTIONS[1])]
    if local:
        arrows += list(zip(REWARDS, MESSAGES, strict=True))
    if partial_monitoring:
        arrows.append((OUTCOMES[0], ACTIONS[1]))
    return nx.DiGraph(arrows)


def separated(graph: nx.DiGraph, hidden: Iterable[str], given: Iterable[str]) -> bool:
    """Say whether, given the policy, the first action and `given`, the next action tells nothing more of `hidden`."""
    return bool(nx.is_d_separator(graph, {ACTIONS[1]}, set(hidden), {POLICY, ACTIONS[0], *given}))


def table() -> pd.DataFrame:
    """Return the four graphs as data: a row per arrow, with what its panel says of the arrow and its ends."""
    rows = []
    for letter, title, graph, seen, protected, noisy in models():
        for ends in graph.edges:
            rows.append((letter, title, *ends, ends in noisy, *(end in seen for end in ends), ends[0] in protected))
    names = ["panel", "model", "source", "target", "noisy", "source_seen", "target_seen", "source_protected"]
    return pd.DataFrame(rows, columns=names)


def draw() -> Figure:
    """Draw the four graphs, two by two: observed variables shaded, protected ones in a dashed box."""
    with style():
        figure = blank()
        figure.set_size_inches(WIDTH, 2 * (72 * WIDTH / 2 * 6.5 / 5.0) / 72)
        for place, model in enumerate(models()):
            row, column = divmod(place, 2)
            axes = figure.add_axes((column / 2, (1 - row) / 2, 0.5, 0.5), label=model.letter)
            _panel(axes, model)
    return figure


def _panel(axes: Axes, model: Model) -> None:
    axes.set(xlim=(-1.3, 3.7), ylim=(-1.5, 5.0), aspect="equal")
    axes.set_axis_off()
    axes.text(-1.2, 4.75, f"({model.letter}) {model.title}", ha="left", va="center", fontsize=13)
    for name in model.graph.nodes:
        seen = name in model.seen
        axes.add_patch(Circle(_PLACES[name], _RADIUS, facecolor=_SEEN if seen else "white", edgecolor=_INK, lw=1.2))
        axes.text(*_PLACES[name], _WORDS[name], ha="center", va="center", fontsize=14, zorder=5)
    for arrow in model.graph.edges:
        _arrow(axes, *arrow, noisy=arrow in model.noisy)
    if model.protected:
        _box(axes, model.protected)


def _arrow(axes: Axes, source: str, target: str, *, noisy: bool) -> None:
    (x0, y0), (x1, y1) = _PLACES[source], _PLACES[target]
    # The arrow from an action to its reward goes around the message that stands between them.
    outwards = -0.5 if x0 == 0 else 0.5
    bend = outwards if source in ACTIONS and target in REWARDS else 0.0
    width, length = axes.get_window_extent().width, axes.get_xlim()[1] - axes.get_xlim()[0]
    gap = _RADIUS * width / length + 1.5
    colour = _NOISE_COLOUR if noisy else "#555555"
    axes.add_patch(
        FancyArrowPatch(
            (x0, y0), (x1, y1), arrowstyle="-|>", mutation_scale=11, shrinkA=gap, shrinkB=gap, color=colour,
            connectionstyle=f"arc3,rad={bend}", linewidth=2.2 if noisy else 1.1, zorder=3,
        )
    )  # fmt: skip


def _box(axes: Axes, names: Iterable[str]) -> None:
    places = [_PLACES[name] for name in names]
    pad = _RADIUS + _MARGIN
    left, bottom = min(x for x, _ in places) - pad, min(y for _, y in places) - pad
    right, top = max(x for x, _ in places) + pad, max(y for _, y in places) + pad
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom), right - left, top - bottom, boxstyle="round,pad=0,rounding_size=0.2", fill=False,
            edgecolor=_INK, linestyle=(0, (4, 2)), lw=1.3,
        )
    )  # fmt: skip

"""One look for every plot of the book.

Colour says the mechanism's family, shade the epsilon within a family, line style the trust model; lines
are labelled at their ends. Frames are tidy: `policy, epsilon, t, regret, regret_se, replications`, and
where known

- `label`, the text at the line's end; else the policy, with its epsilon where it has several;
- `family`, a key of `FAMILY_COLOURS`; else the one that the policy's name contains, or none without privacy;
- `trust`, a key of `TRUST_LINES`; else central for a finite epsilon, none for an infinite one.

Nothing here touches pyplot or leaves a matplotlib setting changed.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, NullLocator
from scipy.optimize import isotonic_regression

from private_bandits import checks
from private_bandits.estimates import Fit, half_width

WIDTH, HEIGHT = 7.0, 3.8
"""Inches of a single panel; it grows taller where its labels need the room."""

FAMILY_COLOURS = {
    "none": "#000000",
    "uniform": "#767676",
    "laplace": "#0072B2",
    "gaussian": "#D55E00",
    "composition": "#CC79A7",
    "tree": "#009E73",
    "response": "#E69F00",
    "elimination": "#56B4E9",
}
"""One hue of Okabe and Ito per mechanism family, through the whole book; grey is uniform play."""

TRUST_LINES: dict[str, dict[str, Any]] = {
    "none": {"linestyle": "-", "linewidth": 1.4},
    "central": {"linestyle": "-", "linewidth": 2.0},
    "local": {"linestyle": (0, (4.0, 1.3)), "linewidth": 2.0},
}
"""Line style of the trust model: thin, solid, dashed."""

_REQUIRED = ("policy", "epsilon", "t", "regret", "regret_se", "replications")
_REFERENCE_COLOUR, _CLAIM_COLOUR = "#666666", "#1a1a1a"
_MOST_DIRECT_LABELS = 6
_LABEL_CHARACTERS = 18
# Points above an axis for the regret label and a panel's name, below it for tick labels and the x label.
_HEAD, _NAME, _FOOT, _PAD = 26.0, 20.0, 42.0, 8.0
_RC: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 11.5,
    "axes.labelsize": 11.5,
    "axes.titlesize": 11.5,
    "xtick.labelsize": 11.0,
    "ytick.labelsize": 11.0,
    "text.color": "#1a1a1a",
    "axes.labelcolor": "#333333",
    "axes.edgecolor": "#8c8c8c",
    "axes.linewidth": 0.8,
    "axes.facecolor": "white",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.unicode_minus": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "xtick.color": "#8c8c8c",
    "ytick.color": "#8c8c8c",
    "xtick.labelcolor": "#333333",
    "ytick.labelcolor": "#333333",
    "xtick.major.size": 4.0,
    "ytick.major.size": 0.0,
    "figure.facecolor": "white",
    "lines.solid_capstyle": "round",
    "lines.dash_capstyle": "butt",
    "path.simplify": True,
    "text.hinting": "none",
    "svg.fonttype": "path",
    "svg.hashsalt": "private-bandits",
}


class Slope(NamedTuple):
    """A claimed rate to draw beside a measured curve.

    `exponent` is a in c t^a, or in c (ln t)^a with `logarithmic`. The line touches the curve labelled `along`
    (by default the first that is neither uniform play nor without privacy) one decade before its end. `fit`
    is the measured exponent to print; without it the last decade of the drawn means is fitted.
    """

    exponent: float
    label: str
    fit: Fit | None = None
    along: str | None = None
    logarithmic: bool = False


@dataclass(frozen=True)
class _Line:
    label: str
    family: str
    trust: str
    colour: str
    x: np.ndarray
    mean: np.ndarray
    half: np.ndarray


@dataclass(frozen=True)
class _Window:
    x: tuple[float, float]
    y: tuple[float, float]
    xscale: str
    yscale: str
    marks: tuple[float, ...]


class _End(NamedTuple):
    """A label for the right margin and the point that it names."""

    text: str
    colour: str
    x: float
    y: float


@contextmanager
def style() -> Iterator[None]:
    """Apply the book's settings, and none of the reader's, inside a `with` block."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def svg(figure: Figure) -> str:
    """Return the figure as SVG: the same bytes for the same figure, letters as paths, nothing external."""
    buffer = io.StringIO()
    with style():
        figure.savefig(
            buffer,
            format="svg",
            facecolor="white",
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    text = re.sub(r"<!DOCTYPE.*?>\n", "", buffer.getvalue(), flags=re.DOTALL)
    text = re.sub(r'(?<= d=")[^"]*', lambda path: _shorten(path.group()), text)
    return re.sub(r"\n\s+", "\n", text)


def caption_runs(frame: pd.DataFrame) -> str:
    """Return the sentence on runs and bands that every caption carries, from the frame's `replications`."""
    _check_columns(frame, ("replications",))
    fewest, most = int(frame["replications"].min()), int(frame["replications"].max())
    if most == 1:
        return "A single run."
    runs = f"Mean of {fewest} runs" if fewest == most else f"Means of {fewest} to {most} runs"
    return f"{runs}; bands are 95 % confidence intervals of the mean."


def regret_curves(
    frame: pd.DataFrame,
    *,
    start: float = 100,
    yscale: str = "linear",
    top: float | None = None,
    bounds: Sequence[tuple[str, Any, Any]] = (),
    slope: Slope | tuple[float, str] | None = None,
    xlabel: str = "round t",
    ylabel: str = "regret",
) -> Figure:
    """Plot mean regret with its 95 % band against t, on a logarithmic t axis.

    Parameters
    ----------
    frame : DataFrame
        Curves, one row per line and checkpoint, as the module's head says.
    start : float, > 0
        First round shown; lowered to a tenth of the horizon where that is smaller.
    yscale : {"linear", "log"}
        Scale of the regret axis. O(log T) is straight on "linear", O(T^a) on "log".
    top : float, optional
        Upper end of the regret axis. By default it holds every line, except that on a linear axis uniform
        play may leave where it would flatten the others. A line that leaves keeps its label, with its value.
    bounds : sequence of (label, t, values)
        Theorems' bounds, thin grey dash-dot; they do not stretch the axis.
    slope : Slope or (exponent, label), optional
        Claimed rate, dashed, with the fitted exponent beside it.
    xlabel, ylabel : str
        Axis labels, lower case, with the unit.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown family, trust model or scale.
    """
    tidy = _tidy(frame, "t")
    limits = _x_limits(tidy, "t", "log", start)
    lines = _lines(tidy, "t", limits)
    window = _window(lines, limits, "log", yscale, top)
    with style():
        figure = _blank()
        axes = _draw(figure, lines, window)
        ends = [_End(line.label, line.colour, line.x[-1], line.mean[-1]) for line in lines]
        ends += [end for bound in bounds for end in _draw_bound(axes, window, *bound)]
        ends += _draw_slope(axes, lines, Slope(*slope)) if slope is not None else []
        _lay_out(figure, axes, window, lines, ends, xlabel, ylabel)
    return figure


def sweep_curves(
    frame: pd.DataFrame,
    x: str = "epsilon",
    *,
    xscale: str = "linear",
    yscale: str = "linear",
    top: float | None = None,
    xlabel: str | None = None,
    ylabel: str = "regret",
) -> Figure:
    """Plot mean regret at the horizon with its 95 % band against a swept column.

    A policy whose `x` is infinite (no privacy, uniform play) is a level line across the panel.

    Parameters
    ----------
    frame : DataFrame
        One row per policy and value of the swept column (see the module's head).
    x : str
        The swept column.
    xscale, yscale : {"linear", "log"}
        Scales of the two axes.
    top : float, optional
        Upper end of the regret axis, by default as in `regret_curves`.
    xlabel, ylabel : str
        Axis labels; `xlabel` defaults to the column's name, ε for epsilon.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown family, trust model or scale.
    """
    tidy = _tidy(frame, x)
    limits = _x_limits(tidy, x, xscale)
    lines = _lines(tidy, x, limits)
    window = _window(lines, limits, xscale, yscale, top)
    with style():
        figure = _blank()
        axes = _draw(figure, lines, window)
        ends = [_End(line.label, line.colour, line.x[-1], line.mean[-1]) for line in lines]
        _lay_out(figure, axes, window, lines, ends, xlabel or _x_name(x), ylabel)
    return figure


def small_multiples(
    frame: pd.DataFrame,
    *,
    by: str = "reading",
    x: str = "t",
    start: float = 100,
    xscale: str | None = None,
    yscale: str = "linear",
    top: float | None = None,
    xlabel: str | None = None,
    ylabel: str = "regret",
) -> Figure:
    """Plot one panel per value of `by`, side by side on one regret axis, with one legend.

    Parameters
    ----------
    frame : DataFrame
        As for `regret_curves` (`x="t"`) or `sweep_curves`. Rows without a value in `by` (a baseline) are
        drawn in every panel.
    by : str
        The column whose values name the panels, in their order of appearance.
    x : str
        "t", or the swept column.
    start : float, > 0
        First round shown if `x` is "t".
    xscale : {"linear", "log"}, optional
        "log" for t and "linear" otherwise unless given.
    yscale, top, xlabel, ylabel
        As for the single panels.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown family, trust model or scale.
    """
    _check_columns(frame, (by,))
    tidy = _tidy(frame, x)
    everywhere = tidy[by].isna() | (tidy[by] == "")
    names = list(dict.fromkeys(tidy.loc[~everywhere, by]))
    if not names:
        raise ValueError(f"column {by} must name at least one panel, got none")
    scale = xscale or ("log" if x == "t" else "linear")
    limits = _x_limits(tidy, x, scale, start if x == "t" else None)
    facets = [_lines(tidy[everywhere | (tidy[by] == name)], x, limits) for name in names]
    everything = [line for lines in facets for line in lines]
    window = _window(everything, limits, scale, yscale, top)
    with style():
        figure = _blank()
        for name, lines in zip(names, facets, strict=True):
            _draw(figure, lines, window).set_title(str(name), loc="left", pad=7)
        _lay_out_panels(figure, window, everything, xlabel or _x_name(x), ylabel)
    return figure


def _tidy(frame: pd.DataFrame, x: str) -> pd.DataFrame:
    """Return the frame, checked, with `label`, `family`, `trust` and `colour` filled in."""
    _check_columns(frame, (*_REQUIRED, x))
    tidy = frame.reset_index(drop=True)
    for column in ("label", "family", "trust"):
        given = tidy[column] if column in tidy else pd.Series(np.nan, index=tidy.index, dtype=object)
        tidy[column] = given.astype(object).where(given.notna(), None)
    finite = np.isfinite(tidy["epsilon"].astype(float))
    several = tidy[finite].groupby("policy")["epsilon"].nunique()
    for row in tidy.index[tidy["label"].isna()]:
        policy, epsilon = str(tidy.at[row, "policy"]), float(tidy.at[row, "epsilon"])
        tells = x != "epsilon" and math.isfinite(epsilon) and several[policy] > 1
        tidy.at[row, "label"] = f"{policy}, ε = {epsilon:g}" if tells else policy
    for row in tidy.index[tidy["family"].isna()]:
        policy = str(tidy.at[row, "policy"]).lower()
        named = [family for family in FAMILY_COLOURS if family in policy]
        if finite[row] and not named:
            raise ValueError(f"family must be given for the private policy {policy!r}, got none")
        tidy.at[row, "family"] = named[0] if named else "none"
    for row in tidy.index[tidy["trust"].isna()]:
        tidy.at[row, "trust"] = "central" if finite[row] else "none"
    for family in tidy["family"].unique():
        checks.choice("family", family, tuple(FAMILY_COLOURS))
    for trust in tidy["trust"].unique():
        checks.choice("trust", trust, tuple(TRUST_LINES))
    tidy["colour"] = _colours(tidy, x)
    return tidy


def _colours(tidy: pd.DataFrame, x: str) -> pd.Series:
    """Return each row's hue by family, from dark (smallest epsilon) to light where a family has several."""
    keys = ["policy"] if x == "epsilon" else ["epsilon", "policy"]
    colours = pd.Series("", index=tidy.index)
    for family, rows in tidy.groupby("family"):
        ranks = rows.groupby(keys, sort=True).ngroup()
        shades = np.linspace(-0.3, 0.4, ranks.max() + 1) if ranks.max() else np.zeros(1)
        colours[rows.index] = [_mix(FAMILY_COLOURS[str(family)], shades[rank]) for rank in ranks]
    return colours


def _lines(tidy: pd.DataFrame, x: str, limits: tuple[float, float]) -> list[_Line]:
    """Return one line per label in order of appearance, cut to the limits of the x axis."""
    low, high = limits
    lines = []
    for label, rows in tidy.groupby("label", sort=False):
        if rows[x].duplicated().any():
            raise ValueError(f"rows must be unique per label and {x}, got duplicates for {label!r}")
        rows = rows.sort_values(x)
        at = rows[x].to_numpy(float)
        mean, half = rows["regret"].to_numpy(float), _half_widths(rows)
        if not np.isfinite(at).any():
            at, mean, half = np.array([low, high]), mean.repeat(2), half.repeat(2)
        # The last checkpoint before the window stays, so that a line begins at the axis.
        before = at[at < low]
        keep = np.isfinite(at) & np.isfinite(mean) & ((at >= low) | (at == before.max(initial=-np.inf)))
        if keep.any():
            first = rows.iloc[0]
            marks = first["family"], first["trust"], first["colour"]
            lines.append(_Line(str(label), *marks, at[keep], mean[keep], half[keep]))
    if not lines:
        raise ValueError("frame must hold at least one finite regret, got none")
    return lines


def _x_limits(
    tidy: pd.DataFrame, x: str, xscale: str, start: float | None = None
) -> tuple[float, float]:
    """Return the ends of the x axis: the finite values, from `start` or a tenth of the last if given."""
    at = tidy[x].to_numpy(float)
    at = at[np.isfinite(at)]
    if not at.size:
        return 0.0, 1.0
    low, high = float(at.min()), float(at.max())
    if start is not None:
        low = max(low, min(checks.real("start", start, above=0), high / 10))
    elif xscale == "linear" and 0 < low < high / 10:
        low = 0.0
    return low, high


def _half_widths(rows: pd.DataFrame) -> np.ndarray:
    """Return half the 95 % band, 0 where a single run has none."""
    runs = rows["replications"].to_numpy(int)
    half = half_width(rows["regret_se"].to_numpy(float), np.maximum(runs, 2))
    return np.where((runs >= 2) & np.isfinite(half), half, 0.0)


def _window(
    lines: Sequence[_Line], x: tuple[float, float], xscale: str, yscale: str, top: float | None
) -> _Window:
    """Return the axes' limits, and their scales: linear where a logarithm has nothing to show."""
    for name, scale in (("xscale", xscale), ("yscale", yscale)):
        checks.choice(name, scale, ("linear", "log"))
    mean = np.concatenate([line.mean for line in lines])
    highs = {line.family != "uniform": 0.0 for line in lines}
    for line in lines:
        learns = line.family != "uniform"
        highs[learns] = max(highs[learns], float((line.mean + line.half).max()))
    high = max(highs.values())
    if yscale == "log" and (mean > 0).any():
        y = (float(mean[mean > 0].min()) / 1.3, high * 1.2)
    else:
        yscale = "linear"
        floor = min(0.0, float(mean.min()))
        if highs.get(True, 0.0) > 0 and high > 2.5 * highs[True]:
            high = 1.25 * highs[True]
        y = (floor, high * 1.04 if high > floor else floor + 1)
    if top is not None:
        y = (y[0], checks.real("top", top, above=y[0]))
    left, right = x
    if xscale == "log" and left <= 0:
        xscale = "linear"
    if left == right:
        left, right = (left / 2, right * 2) if left > 0 else (left - 1, right + 1)
    at = sorted({float(v) for line in lines for v in line.x if _dotted(line)})
    apart = np.diff(np.log(at) if xscale == "log" else at)
    width = math.log(right / left) if xscale == "log" else right - left
    marks = tuple(at) if 2 <= len(at) <= 8 and apart.min() > width / 15 else ()
    return _Window((left, right), y, xscale, yscale, marks)


def _dotted(line: _Line) -> bool:
    """Say whether a line has so few points that each gets a dot."""
    return len(line.x) == 1 or 3 <= len(line.x) <= 12


def _blank() -> Figure:
    """Return an empty figure whose pixels are points."""
    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=72)
    FigureCanvasAgg(figure)
    return figure


def _draw(figure: Figure, lines: Sequence[_Line], window: _Window) -> Axes:
    """Add axes with bands and lines, uniform play lowest, and fixed limits, scales and ticks."""
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8), label=f"panel {len(figure.axes)}")
    axes.set_xscale(window.xscale)
    axes.set_yscale(window.yscale)
    axes.set_xlim(*window.x)
    axes.set_ylim(*window.y)
    for order, line in enumerate(sorted(lines, key=lambda line: line.family != "uniform")):
        marker = "o" if _dotted(line) else ""
        look = dict(TRUST_LINES[line.trust])
        if isinstance(look["linestyle"], tuple):
            # Dashes start half a period apart, so that lines that coincide show through each other.
            look["linestyle"] = (2.65 * order, look["linestyle"][1])
        inside = (
            window.x[0] <= line.x.min()
            and window.y[0] <= line.mean.min()
            and line.mean.max() <= window.y[1]
        )
        low, high = line.mean - line.half, line.mean + line.half
        axes.fill_between(
            line.x, low, high, color=line.colour, alpha=0.2, linewidth=0, zorder=2 + order / 100
        )
        axes.plot(
            line.x,
            line.mean,
            color=line.colour,
            label=line.label,
            marker=marker,
            markersize=4.5,
            clip_on=not (marker and inside),
            zorder=3 + order / 100,
            **look,
        )
    return axes


def _draw_bound(axes: Axes, window: _Window, label: str, t: Any, values: Any) -> list[_End]:
    rounds = np.asarray(t, float)
    bound = np.broadcast_to(np.asarray(values, float), rounds.shape)
    keep = np.isfinite(bound) & (rounds >= window.x[0]) & (rounds <= window.x[1])
    if not keep.any():
        return []
    axes.plot(rounds[keep], bound[keep], color=_REFERENCE_COLOUR, lw=1.1, linestyle="-.", zorder=2.5)
    return [_End(label, _REFERENCE_COLOUR, rounds[keep][-1], bound[keep][-1])]


def _draw_slope(axes: Axes, lines: Sequence[_Line], slope: Slope) -> list[_End]:
    """Draw the claimed rate over the last decade of a curve, labelled with that decade's fit."""
    if slope.along is not None:
        checks.choice("slope.along", slope.along, [line.label for line in lines])
    wanted = [line for line in lines if line.label == slope.along]
    learning = [line for line in lines if line.family not in ("none", "uniform")]
    line = (wanted or learning or list(lines))[0]
    decade = (line.x >= line.x[-1] / 10) & (line.mean > 0) & (line.x > 1)
    if decade.sum() < 2:
        return []
    mean = line.mean[decade]
    clock = np.log(line.x[decade]) if slope.logarithmic else line.x[decade]
    claimed = mean[0] * (clock / clock[0]) ** slope.exponent
    axes.plot(line.x[decade], claimed, color=_CLAIM_COLOUR, lw=1.3, linestyle=(0, (2.5, 1.5)), zorder=5)
    if slope.fit is None:
        fitted = f"{np.polyfit(np.log(clock), np.log(mean), 1)[0]:.2f}"
    else:
        fitted = f"{slope.fit.slope:.2f}\n[{slope.fit.low:.2f}, {slope.fit.high:.2f}]"
    return [_End(f"{slope.label}\nfitted {fitted}", _CLAIM_COLOUR, line.x[-1], claimed[-1])]


def _lay_out(
    figure: Figure,
    axes: Axes,
    window: _Window,
    lines: Sequence[_Line],
    ends: list[_End],
    xlabel: str,
    ylabel: str,
) -> None:
    """Place one panel, its labels in the right margin; beyond six lines these go into a legend below."""
    foot = _FOOT
    if len(lines) > _MOST_DIRECT_LABELS:
        ends = ends[len(lines) :]
        foot += _legend(figure, lines)
    # Labels of lines beyond the top share one height there and keep the lines' order.
    ends = sorted(ends, key=lambda end: end.y)
    left = _set_ticks([axes], window, columns=1)
    texts = [_margin_text(axes, end) for end in ends]
    sizes = [_size(text) for text in texts]
    gap = 14.0
    width = 72 * WIDTH - left - (gap + _PAD + max(w for w, _ in sizes) if sizes else 2 * _PAD)
    height = max(72 * HEIGHT - _FOOT - _HEAD, sum(h + 2 for _, h in sizes) - 22)
    figure.set_size_inches(WIDTH, (foot + height + _HEAD) / 72)
    _place(figure, axes, left, foot, width, height)
    _name_axes(figure, [axes], foot, xlabel, ylabel)
    points = [axes.transData.transform((end.x, np.clip(end.y, *axes.get_ylim()))) for end in ends]
    points = [point - (left, foot) for point in points]
    middles = _spread([y for _, y in points], [h + 2 for _, h in sizes], -14, height + 8)
    for text, end, (x, y), middle in zip(texts, ends, points, middles, strict=True):
        text.set_position((1 + gap / width, middle / height))
        inside = _inside(axes, end)
        if inside and (abs(middle - y) > 3 or width - x > 3):
            leader = Line2D([(x + 2) / width, 1 + (gap - 3) / width], [y / height, middle / height])
            leader.set(transform=axes.transAxes, clip_on=False, color=end.colour, linewidth=0.7, zorder=1)
            axes.add_line(leader)


def _lay_out_panels(
    figure: Figure, window: _Window, lines: Sequence[_Line], xlabel: str, ylabel: str
) -> None:
    """Place the panels up to three in a row (four as two by two) over one legend."""
    panels = figure.axes
    columns = 2 if len(panels) == 4 else min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    foot = _FOOT + _legend(figure, lines)
    left = _set_ticks(panels, window, columns)
    height = 165.0
    between = max(18.0, *(_size(text)[0] + 6 for text in panels[0].get_xticklabels()))
    width = (72 * WIDTH - left - 2 * _PAD - between * (columns - 1)) / columns
    step = height + _NAME + 24
    figure.set_size_inches(WIDTH, (foot + (rows - 1) * step + height + _NAME + _HEAD) / 72)
    for i, axes in enumerate(panels):
        row, column = divmod(i, columns)
        x, y = left + column * (width + between), foot + (rows - 1 - row) * step
        _place(figure, axes, x, y, width, height)
    _name_axes(figure, panels, foot, xlabel, ylabel)


def _set_ticks(panels: Sequence[Axes], window: _Window, columns: int) -> float:
    """Fix every panel's ticks, regret labels in the first column only, and return the left margin."""
    x: Sequence[float] = window.marks if len(window.marks) <= (8 if columns == 1 else 4) else ()
    x = x or _ticks(window.x, window.xscale, 7 if columns == 1 else 4)
    y = _ticks(window.y, window.yscale, 6)
    for i, axes in enumerate(panels):
        axes.set_xticks(x, [_number(v, window.xscale) for v in x])
        axes.set_yticks(y, [_number(v, window.yscale) if i % columns == 0 else "" for v in y])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_locator(NullLocator())
    return max((_size(text)[0] for text in panels[0].get_yticklabels()), default=0.0) + _PAD + 6


def _legend(figure: Figure, lines: Sequence[_Line]) -> float:
    """Add one legend of all labels at the figure's foot and return its height."""
    handles = {
        line.label: Line2D([], [], color=line.colour, label=line.label, **TRUST_LINES[line.trust])
        for line in lines
    }
    for columns in range(min(4, len(handles)), 0, -1):
        legend = figure.legend(
            handles=list(handles.values()),
            labelcolor=[_readable(str(handle.get_color())) for handle in handles.values()],
            loc="lower center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=columns,
            frameon=False,
            handlelength=2.4,
            columnspacing=1.6,
            borderaxespad=0.3,
        )
        box = legend.get_window_extent()
        if box.width <= 72 * WIDTH - 2 * _PAD or columns == 1:
            break
        legend.remove()
    return float(box.height)


def _place(figure: Figure, axes: Axes, left: float, bottom: float, width: float, height: float) -> None:
    """Set the axes' box, all in points."""
    across, up = 72 * figure.get_size_inches()
    axes.set_position((left / across, bottom / up, width / across, height / up))


def _name_axes(figure: Figure, panels: Sequence[Axes], foot: float, xlabel: str, ylabel: str) -> None:
    """Write the regret label level above the axis and the x label centred below the panels."""
    width, height = 72 * figure.get_size_inches()
    boxes = [axes.get_position() for axes in panels]
    centre = (min(box.x0 for box in boxes) + max(box.x1 for box in boxes)) / 2
    figure.text(_PAD / width, 1 - 5 / height, ylabel, va="top", color="#333333")
    figure.text(centre, (foot - _FOOT + 5) / height, xlabel, ha="center", va="bottom", color="#333333")


def _margin_text(axes: Axes, end: _End) -> Text:
    """Add the label of a line's end, with its value where it ends outside the axis."""
    words = "\n".join(_wrap(part) for part in end.text.split("\n"))
    if not _inside(axes, end):
        arrow = "↑" if end.y > axes.get_ylim()[1] else "↓"
        words += f"\n{arrow} {_number(float(f'{end.y:.3g}'), 'linear')}"
    return axes.text(
        1, 0, words, transform=axes.transAxes, color=_readable(end.colour), va="center", linespacing=1.05
    )


def _inside(axes: Axes, end: _End) -> bool:
    low, high = axes.get_ylim()
    return bool(low <= end.y <= high)


def _wrap(text: str) -> str:
    """Break a long label into lines, never around an equals sign."""
    return textwrap.fill(text.replace(" = ", "\u00a0=\u00a0"), _LABEL_CHARACTERS, break_long_words=False)


def _spread(wanted: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Return middles of labels that do not overlap, in [low, high], nearest (least squares) to the wanted."""
    if not wanted:
        return []
    order = np.argsort(np.asarray(wanted), kind="stable")
    tall = np.asarray(heights)[order]
    stacked = np.concatenate([[0.0], np.cumsum((tall[1:] + tall[:-1]) / 2)])
    free = isotonic_regression(np.asarray(wanted)[order] - stacked).x
    floor, ceiling = low + tall[0] / 2, high - tall[-1] / 2 - stacked[-1]
    middles = np.empty(len(order))
    middles[order] = np.clip(free, floor, max(floor, ceiling)) + stacked
    return [float(y) for y in middles]


def _size(text: Text) -> tuple[float, float]:
    box = text.get_window_extent()
    return float(box.width), float(box.height)


def _ticks(limits: tuple[float, float], scale: str, most: int) -> list[float]:
    """Return round numbers within the limits, at most about `most`."""
    low, high = limits
    if scale == "linear":
        ticks = MaxNLocator(nbins=most - 1, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return [float(v) for v in ticks if low - 1e-9 * (high - low) <= v <= high + 1e-9 * (high - low)]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = [10.0**k for k in powers if low * (1 - 1e-9) <= 10.0**k <= high * (1 + 1e-9)]
    if len(decades) >= 3:
        return decades[:: math.ceil(len(decades) / most)]
    return [
        m * 10.0**k
        for k in powers
        for m in ((1, 2, 5) if most > 4 or len(decades) < 2 else (1, 3))
        if low * (1 - 1e-9) <= m * 10.0**k <= high * (1 + 1e-9)
    ]


def _number(value: float, scale: str) -> str:
    """Return a number as readers write it: 0.5, 2,500, 10⁵, 2.5×10⁶."""
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-12)
    if 1e-3 <= abs(value) < 1e6 and (scale == "linear" or value / 10**power != 1 or abs(power) < 2):
        return (f"{value:,.0f}" if value == round(value) else f"{value:g}").replace("-", "−")
    raised = "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    factor = float(f"{value / 10**power:.3g}")
    return raised if factor == 1 else f"{factor:g}×{raised}".replace("-", "−")


def _x_name(x: str) -> str:
    return {"epsilon": "ε", "delta": "δ", "t": "round t"}.get(x, x.replace("_", " "))


def _mix(colour: str, shade: float) -> str:
    """Return the colour mixed with black (shade < 0) or white (shade > 0)."""
    target = 0.0 if shade < 0 else 1.0
    red, green, blue = (part + abs(shade) * (target - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


def _readable(colour: str) -> str:
    """Return the colour, darkened until text in it has contrast 4.5 to 1 on white (WCAG 2.1)."""
    while 1.05 / (_luminance(colour) + 0.05) < 4.5:
        colour = _mix(colour, -0.04)
    return colour


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _shorten(path: str) -> str:
    """Return an SVG path without the points, digits and letters that no screen shows."""
    steps = re.findall(r"([A-Za-z])([^A-Za-z]*)", path)
    if re.fullmatch(r"ML{20,}z?", "".join(letter for letter, _ in steps)):
        corners = [step for step in steps if step[0] != "z"]
        closing = steps[len(corners) :]
        kept = _outline(np.array([[float(v) for v in numbers.split()] for _, numbers in corners]), 0.05)
        steps = [corners[i] for i in kept] + closing
    words, last = [], ""
    for letter, numbers in steps:
        rounded = " ".join(f"{float(v):.2f}".rstrip("0").rstrip(".") for v in numbers.split())
        words.append(rounded if letter == last else f"{letter}{rounded}")
        last = letter
    return " ".join(words)


def _outline(points: np.ndarray, tolerance: float) -> list[int]:
    """Return the points that a polyline needs to stay within `tolerance` of all (Douglas and Peucker)."""
    kept, open_spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        along, inner = points[last] - points[first], points[first + 1 : last] - points[first]
        length = float(np.hypot(*along))
        if length > 0:
            distance = np.abs(inner[:, 0] * along[1] - inner[:, 1] * along[0]) / length
        else:
            distance = np.hypot(inner[:, 0], inner[:, 1])
        if distance.max() > tolerance:
            middle = first + 1 + int(distance.argmax())
            kept.add(middle)
            open_spans += [(first, middle), (middle, last)]
    return sorted(kept)


def _check_columns(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise ValueError("frame must be a DataFrame with at least one row")
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"frame must have the columns {', '.join(columns)}, missing {', '.join(missing)}")

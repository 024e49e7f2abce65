"""Lines, bands, bounds and claimed slopes on a pair of axes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from private_bandits import checks
from private_bandits.estimates import Interval
from private_bandits_book.figures.lines import MOST_DOTS, Line, Window, dotted, known, marker
from private_bandits_book.figures.look import (
    CLAIM_COLOUR,
    HEIGHT,
    MARKERS,
    PLAIN,
    REFERENCE_COLOUR,
    SHADED,
    TRUST_LINES,
    WIDTH,
)
from private_bandits_book.judging.rates import exact_slope
from private_bandits_book.numbers import short


class End(NamedTuple):
    """A label for the right margin and the point that it names."""

    text: str
    colour: str
    x: float
    y: float
    label: str = ""  # of the line


class Note(NamedTuple):
    """Words at a place of a figure, where what they say is seen: a slope, a factor.

    Parameters
    ----------
    words : str
        What follows ^ is raised: "K^0.3".
    x : float
        On the axis.
    y : float or str
        On the axis, or the label of the line on which the place lies.
    panel : str
        The panel's name, empty for all.
    """

    words: str
    x: float
    y: float | str
    panel: str = ""


class Crossing(NamedTuple):
    """Words where two lines cross, with a ring; nothing where they do not.

    Parameters
    ----------
    one, other : str
        Labels of the lines.
    words : str
        `{}` in them is where it is: "local wins above ϵ = {}".
    panel : str
        The panel's name, empty for all.
    """

    one: str
    other: str
    words: str
    panel: str = ""


class Region(NamedTuple):
    """A shaded region where nothing can be, with what it is called: "no regret can be here".

    Parameters
    ----------
    words : str
    x, y : number or sequence of numbers
        The line at which it begins; one number of y is a level.
    side : {"below", "above"}
        Of the line.
    panel : str
        The panel's name, empty for all.
    """

    words: str
    x: Any
    y: Any
    side: str = "below"
    panel: str = ""


Said = Note | Crossing | Region

_SKIPPED = {"local": (0, (4.0, 4.0))}
"""How a line passes what it was not measured at: thin, dotted, or in sparse dashes."""


class Slope(NamedTuple):
    """A claimed rate to draw beside a measured curve.

    `exponent` is a in c t^a. The line touches the curve labelled `along`
    (by default the first in colour) one decade before its end. `fit`
    is the measured exponent to print; without it the last decade of the drawn means is fitted.
    """

    exponent: float
    label: str
    fit: Interval | None = None
    along: str | None = None


def blank() -> Figure:
    """Return an empty figure whose pixels are points."""
    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=72)
    FigureCanvasAgg(figure)
    return figure


def draw_lines(figure: Figure, lines: Sequence[Line], window: Window) -> Axes:
    """Add axes with bands and lines, uniform play lowest, and fixed limits, scales and ticks."""
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8), label=f"panel {len(figure.axes)}")
    axes.set_xscale(window.xscale)
    axes.set_yscale(window.yscale)
    axes.set_xlim(*window.x)
    axes.set_ylim(*window.y)
    for order, line in enumerate(sorted(lines, key=lambda line: (line.hue != "uniform", line.hue != "rival"))):
        look = dict(TRUST_LINES[line.trust])
        rival = line.hue == "rival"
        look["linewidth"] *= 0.6 if rival else 1.0
        step = 1 if len(line.x) <= MOST_DOTS else len(line.x) // 6
        if isinstance(look["linestyle"], tuple):
            # Dashes start half a period apart, so that lines that coincide show through each other.
            look["linestyle"] = (2.65 * order, look["linestyle"][1])
        inside = window.x[0] <= line.x.min() and window.y[0] <= line.mean.min() and line.mean.max() <= window.y[1]
        if not rival:  # whose bands would hide the lines that the text speaks of
            low = np.maximum(line.low, window.y[0]) if window.yscale == "log" else line.low
            axes.fill_between(line.x, low, line.high, color=line.colour, alpha=0.2, linewidth=0, zorder=2 + order / 100)
        for k in line.skips:  # nothing was measured there, though others were
            ends = slice(k, k + 2)
            thin: dict[str, Any] = {"lw": 1.0, "ls": _SKIPPED.get(line.trust, (0, (1.0, 2.2)))}
            axes.plot(line.x[ends], line.mean[ends], color=line.colour, label="_", zorder=2.9, **thin)
        axes.plot(
            _broken(line, line.x),
            _broken(line, line.mean),
            color=line.colour,
            label=line.label,
            marker=marker(line),
            markersize=2.6 if rival else 4.5,
            markevery=(line.mark * step // len(MARKERS), step),
            clip_on=not (dotted(line) and inside),
            zorder=3 + order / 100,
            **look,
        )
    return axes


def _broken(line: Line, values: np.ndarray) -> np.ndarray:
    """Values along a line, with a break where it skips what others have."""
    return np.insert(values, [k + 1 for k in line.skips], np.nan) if line.skips else values


def draw_bound(axes: Axes, window: Window, label: str, t: Any, values: Any) -> list[End]:
    rounds = np.asarray(t, float)
    bound = np.broadcast_to(np.asarray(values, float), rounds.shape)
    keep = np.isfinite(bound) & (rounds >= window.x[0]) & (rounds <= window.x[1])
    if not keep.any():
        return []
    axes.plot(rounds[keep], bound[keep], color=REFERENCE_COLOUR, lw=1.1, linestyle="-.", zorder=2.5)
    return [End(label, REFERENCE_COLOUR, rounds[keep][-1], bound[keep][-1])]


def draw_regions(axes: Axes, window: Window, regions: Sequence[Region]) -> None:
    """Shade regions; what they are called is written when all has its place."""
    for region in regions:
        checks.choice("side", region.side, ("below", "above"))
        x, y = at_level(region, window)
        end = window.y[0] if region.side == "below" else window.y[1]
        where = y > window.y[0] if region.side == "below" else y < window.y[1]
        axes.fill_between(x, y, end, where=where, color=SHADED, linewidth=0, zorder=0.5)


def at_level(region: Region, window: Window) -> tuple[np.ndarray, np.ndarray]:
    """Return the line at which a region begins, across the panel where it is a level."""
    x = np.asarray(window.x if np.ndim(region.y) == 0 else region.x, float)
    return x, np.broadcast_to(np.asarray(region.y, float), x.shape)


def place_of(said: Note | Crossing, lines: Sequence[Line], window: Window) -> tuple[float, float, str] | None:
    """Return where words are about, and the words; None where there is no such place in this panel."""
    drawn = {line.label: line for line in lines}
    if isinstance(said, Note) and not isinstance(said.y, str):
        return said.x, float(said.y), said.words
    names = [said.y] if isinstance(said, Note) else [said.one, said.other]
    if not all(known("a line of said", str(name), [*drawn]) for name in names):
        return None
    one, other = drawn[str(names[0])], drawn[str(names[-1])]
    if isinstance(said, Note):
        return said.x, float(_over(one, np.array([said.x]), window)[0]), said.words
    ends = max(one.x.min(), other.x.min(), window.x[0]), min(one.x.max(), other.x.max(), window.x[1])
    if not ends[0] < ends[1]:
        return None
    grid = np.geomspace(*ends, 2001) if window.xscale == "log" else np.linspace(*ends, 2001)
    apart = np.sign(_over(one, grid, window) - _over(other, grid, window))
    turns = np.flatnonzero(apart[1:] * apart[:-1] < 0)
    if not len(turns):
        return None
    x = float(grid[turns[-1]])
    return x, float(_over(one, grid, window)[turns[-1]]), said.words.replace("{}", short(float(f"{x:.2g}")))


def _over(line: Line, x: np.ndarray, window: Window) -> np.ndarray:
    """The line as it is drawn, straight between its points on the axes' scales."""
    to = np.log if window.xscale == "log" else np.asarray
    if window.yscale == "log":
        return np.exp(np.interp(to(x), to(line.x), np.log(np.maximum(line.mean, window.y[0]))))
    return np.interp(to(x), to(line.x), line.mean)


def draw_slope(axes: Axes, lines: Sequence[Line], slope: Slope) -> list[End]:
    """Draw the claimed rate over the last decade of a curve, labelled with that decade's fit."""
    if slope.along is not None:
        checks.choice("slope.along", slope.along, [line.label for line in lines])
    wanted = [line for line in lines if line.label == slope.along]
    learning = [line for line in lines if line.hue not in PLAIN]
    line = (wanted or learning or list(lines))[0]
    decade = (line.x >= line.x[-1] / 10) & (line.mean > 0) & (line.x > 1)
    if decade.sum() < 2:
        return []
    mean = line.mean[decade]
    t = line.x[decade]
    claimed = mean[0] * (t / t[0]) ** slope.exponent
    axes.plot(t, claimed, color=CLAIM_COLOUR, lw=1.3, linestyle=(0, (2.5, 1.5)), zorder=5)
    if slope.fit is None:
        fitted = f"{exact_slope(t, mean).measured:.2f}"
    else:
        fitted = f"{slope.fit.measured:.2f}\n[{slope.fit.low:.2f}, {slope.fit.high:.2f}]"
    return [End(f"{slope.label}\nfitted {fitted}", CLAIM_COLOUR, line.x[-1], claimed[-1])]

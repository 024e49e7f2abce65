"""Lines, bands, bounds and claimed slopes on a pair of axes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from private_bandits import checks
from private_bandits.estimates import Interval
from private_bandits_book.figures.lines import Line, Window, dotted, marker
from private_bandits_book.figures.look import CLAIM_COLOUR, HEIGHT, MARKERS, REFERENCE_COLOUR, TRUST_LINES, WIDTH
from private_bandits_book.judging.rates import exact_slope


class End(NamedTuple):
    """A label for the right margin and the point that it names."""

    text: str
    colour: str
    x: float
    y: float


class Slope(NamedTuple):
    """A claimed rate to draw beside a measured curve.

    `exponent` is a in c t^a. The line touches the curve labelled `along`
    (by default the first that is neither uniform play nor without privacy) one decade before its end. `fit`
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
    for order, line in enumerate(sorted(lines, key=lambda line: line.family != "uniform")):
        look = dict(TRUST_LINES[line.trust])
        step = 1 if len(line.x) <= 12 else len(line.x) // 6
        if isinstance(look["linestyle"], tuple):
            # Dashes start half a period apart, so that lines that coincide show through each other.
            look["linestyle"] = (2.65 * order, look["linestyle"][1])
        inside = window.x[0] <= line.x.min() and window.y[0] <= line.mean.min() and line.mean.max() <= window.y[1]
        low, high = line.mean - line.half, line.mean + line.half
        axes.fill_between(line.x, low, high, color=line.colour, alpha=0.2, linewidth=0, zorder=2 + order / 100)
        axes.plot(
            line.x,
            line.mean,
            color=line.colour,
            label=line.label,
            marker=marker(line),
            markersize=4.5,
            markevery=(line.mark * step // len(MARKERS), step),
            clip_on=not (dotted(line) and inside),
            zorder=3 + order / 100,
            **look,
        )
    return axes


def draw_bound(axes: Axes, window: Window, label: str, t: Any, values: Any) -> list[End]:
    rounds = np.asarray(t, float)
    bound = np.broadcast_to(np.asarray(values, float), rounds.shape)
    keep = np.isfinite(bound) & (rounds >= window.x[0]) & (rounds <= window.x[1])
    if not keep.any():
        return []
    axes.plot(rounds[keep], bound[keep], color=REFERENCE_COLOUR, lw=1.1, linestyle="-.", zorder=2.5)
    return [End(label, REFERENCE_COLOUR, rounds[keep][-1], bound[keep][-1])]


def draw_slope(axes: Axes, lines: Sequence[Line], slope: Slope) -> list[End]:
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
    t = line.x[decade]
    claimed = mean[0] * (t / t[0]) ** slope.exponent
    axes.plot(t, claimed, color=CLAIM_COLOUR, lw=1.3, linestyle=(0, (2.5, 1.5)), zorder=5)
    if slope.fit is None:
        fitted = f"{exact_slope(t, mean).measured:.2f}"
    else:
        fitted = f"{slope.fit.measured:.2f}\n[{slope.fit.low:.2f}, {slope.fit.high:.2f}]"
    return [End(f"{slope.label}\nfitted {fitted}", CLAIM_COLOUR, line.x[-1], claimed[-1])]

"""One look for every plot of the book.

A hue says whom one trusts where a figure compares that, and else which text a line follows; shade is epsilon within a
hue, markers tell lines of one hue and epsilon apart, line style says the trust model. What protects is said in words:
lines have their names at their ends. Those that a text does not speak of are thin and grey. Frames are tidy: `policy,
epsilon, t, regret, regret_se, replications`, and where known

- `label`, the name of the line; else the policy, with its epsilon where it has several;
- `hue`, a key of `look.HUES`; else none and uniform play by the column `family`, and the trust model;
- `band_low`, `band_high`, the edges of the band; else it is that of the mean, from `regret_se`;
- `trust`, a key of `TRUST_LINES`; else central for a finite epsilon, none for an infinite one.

Nothing here touches pyplot or leaves a matplotlib setting changed.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from private_bandits import checks
from private_bandits_book.figures.dots import regret_dots
from private_bandits_book.figures.drawing import (
    Crossing,
    End,
    Note,
    Region,
    Said,
    Slope,
    blank,
    draw_bound,
    draw_lines,
    draw_regions,
    draw_slope,
)
from private_bandits_book.figures.layout import Panel, lay_out, lay_out_panels
from private_bandits_book.figures.legible import unclear
from private_bandits_book.figures.lines import (
    Line,
    Spoken,
    Window,
    check_columns,
    known,
    lines_of,
    tidied,
    window_of,
    x_limits,
)
from private_bandits_book.figures.look import style, x_name
from private_bandits_book.figures.vector import png, svg

__all__ = [
    "Crossing",
    "Note",
    "Region",
    "caption_runs",
    "png",
    "regret_curves",
    "regret_dots",
    "small_multiples",
    "style",
    "svg",
    "unclear",
]


def regret_curves(
    frame: pd.DataFrame,
    x: str = "t",
    *,
    start: float = 100,
    xscale: str | None = None,
    yscale: str = "linear",
    bounds: Sequence[tuple[str, Any, Any]] = (),
    slope: Slope | None = None,
    spoken: Spoken | None = None,
    said: Sequence[Said] = (),
    xlabel: str | None = None,
    ylabel: str = "regret",
    names: str = "end",
    narrow: bool = False,
) -> Figure:
    """Plot mean regret with its 95 % band against t, or that at the horizon against a swept column.

    A policy whose `x` is infinite (no privacy, uniform play) is a level line across the panel.

    Parameters
    ----------
    frame : DataFrame
        One row per line and checkpoint, or value of the swept column, as the module's head says.
    x : str
        "t", or the swept column.
    start : float, > 0
        First round shown if `x` is "t"; lowered to a tenth of the horizon where that is smaller.
    xscale : {"linear", "log"}, optional
        "log" for t and "linear" otherwise unless given.
    yscale : {"linear", "log"}
        Scale of the regret axis. O(log T) is straight on "linear", O(T^a) on "log". Every line is held, except that on
        a linear axis uniform play may leave where it would flatten the others. A line that leaves keeps its label, with
        its value.
    bounds : sequence of (label, x, values)
        Theorems' bounds, thin grey dash-dot; they do not stretch the axis.
    slope : Slope, optional
        Claimed rate, dashed, with the fitted exponent beside it.
    spoken : mapping, optional
        What is written at the ends of the lines that a text speaks of, by label; all others are thin and grey, with
        their names at their ends. Default: all lines are spoken of, by their names.
    said : sequence of Note, Crossing and Region
        Words at places, and shaded regions.
    xlabel, ylabel : str
        Axis labels, lower case, with the unit; `xlabel` defaults to the column's name, ϵ for epsilon.
    names : {"end", "start"}
        Whether lines have their names at the right or, where only their starts are apart, at the left.
    narrow : bool
        Whether it is for a phone.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown hue, trust model, scale or place of names.
    """
    checks.choice("names", names, ("end", "start"))
    tidy = tidied(frame, x, spoken)
    scale, limits = _across(tidy, x, xscale, start)
    lines = lines_of(tidy, x, limits, spoken)
    window = window_of(lines, limits, scale, yscale)
    with style():
        figure = blank()
        panel = _panel(figure, lines, window, said, names == "start")
        ends = [end for bound in bounds for end in draw_bound(panel.axes, window, *bound)]
        ends += draw_slope(panel.axes, lines, slope) if slope is not None else []
        lay_out(figure, panel._replace(ends=[*panel.ends, *ends]), xlabel or x_name(x), ylabel, narrow)
    return figure


def small_multiples(
    frame: pd.DataFrame,
    *,
    by: str = "reading",
    x: str = "t",
    start: float = 100,
    xscale: str | None = None,
    yscale: str = "linear",
    spoken: Spoken | None = None,
    said: Sequence[Said] = (),
    xlabel: str | None = None,
    ylabel: str = "regret",
    same: bool = True,
    narrow: bool = False,
) -> Figure:
    """Plot one panel per value of `by`, side by side on one regret axis.

    Parameters
    ----------
    frame : DataFrame
        As for `regret_curves`. Rows without a value in `by` (a baseline) are
        drawn in every panel.
    by : str
        The column whose values name the panels, in their order of appearance.
    x, start, xscale, yscale, xlabel, ylabel, narrow
        As for `regret_curves`.
    spoken, said
        As for `regret_curves`; a pair of a panel and a label says what stands at the line there, and a panel has the
        name of its first line.
    same : bool
        Whether the panels share the regret axis; else each has its own.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown hue, trust model or scale.
    """
    check_columns(frame, (by,))
    tidy = tidied(frame, x, spoken)
    everywhere = tidy[by].isna() | (tidy[by] == "")
    names = {name: str(name).split("\n")[0] for name in tidy.loc[~everywhere, by]}
    if not names:
        raise ValueError(f"column {by} must name at least one panel, got none")
    said = [one for one in said if known("a panel of said", one.panel, ["", *names.values()])]
    scale, limits = _across(tidy, x, xscale, start)
    facets = [lines_of(tidy[everywhere | (tidy[by] == name)], x, limits, spoken, names[name]) for name in names]
    everything = [line for lines in facets for line in lines]
    windows = [window_of(everything if same else lines, limits, scale, yscale) for lines in facets]
    with style():
        figure, panels = blank(), []
        for (name, head), lines, window in zip(names.items(), facets, windows, strict=True):
            panels.append(_panel(figure, lines, window, [one for one in said if one.panel in ("", head)]))
            panels[-1].axes.set_title(str(name), loc="left")
        lay_out_panels(figure, panels, xlabel or x_name(x), ylabel, narrow)
    return figure


def _panel(figure: Figure, lines: Sequence[Line], window: Window, said: Sequence[Said], start: bool = False) -> Panel:
    """Axes with lines and regions, and the ends of the lines that have names, or their starts."""
    axes = draw_lines(figure, lines, window)
    draw_regions(axes, window, [one for one in said if isinstance(one, Region)])
    at = 0 if start else -1
    ends = [End(line.words, line.colour, line.x[at], line.mean[at], line.label) for line in lines]
    return Panel(axes, window, lines, ends, said, start)


def _across(tidy: pd.DataFrame, x: str, xscale: str | None, start: float) -> tuple[str, tuple[float, float]]:
    """The scale of the x axis and its ends."""
    scale = xscale or ("log" if x == "t" else "linear")
    return scale, x_limits(tidy, x, scale, start if x == "t" else None)


def caption_runs(frame: pd.DataFrame) -> str:
    """Return the sentence on runs and bands that every caption carries, from the frame's `replications`."""
    check_columns(frame, ("replications",))
    fewest, most = int(frame["replications"].min()), int(frame["replications"].max())
    if most == 1:
        return "A single run."
    runs = f"Mean of {fewest} runs" if fewest == most else f"Means of {fewest} to {most} runs"
    return f"{runs}; bands are 95\u202f% confidence intervals of the mean."

"""One look for every plot of the book.

Colour says the mechanism's family, shade the epsilon within a family, markers tell lines of one family and epsilon
apart, line style says the trust model; lines are labelled at their ends. Frames are tidy: `policy, epsilon, t, regret,
regret_se, replications`, and where known

- `label`, the text at the line's end; else the policy, with its epsilon where it has several;
- `family`, a key of `FAMILY_COLOURS`, which a finite epsilon needs; else none;
- `trust`, a key of `TRUST_LINES`; else central for a finite epsilon, none for an infinite one.

Nothing here touches pyplot or leaves a matplotlib setting changed.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from private_bandits_book.figures.captions import power, rounded, short
from private_bandits_book.figures.dots import regret_dots
from private_bandits_book.figures.drawing import End, Slope, blank, draw_bound, draw_lines, draw_slope
from private_bandits_book.figures.layout import lay_out, lay_out_panels
from private_bandits_book.figures.legible import unclear
from private_bandits_book.figures.lines import check_columns, lines_of, tidied, window_of, x_limits
from private_bandits_book.figures.look import style, x_name
from private_bandits_book.figures.vector import png, svg

__all__ = [
    "caption_runs",
    "png",
    "power",
    "regret_curves",
    "regret_dots",
    "rounded",
    "short",
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
    xlabel: str | None = None,
    ylabel: str = "regret",
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
    xlabel, ylabel : str
        Axis labels, lower case, with the unit; `xlabel` defaults to the column's name, ε for epsilon.
    narrow : bool
        Whether it is for a phone: panels are stacked, and labels stand below.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown family, trust model or scale.
    """
    tidy = tidied(frame, x)
    scale, limits = _across(tidy, x, xscale, start)
    lines = lines_of(tidy, x, limits)
    window = window_of(lines, limits, scale, yscale)
    with style():
        figure = blank()
        axes = draw_lines(figure, lines, window)
        ends = [End(line.label, line.colour, line.x[-1], line.mean[-1]) for line in lines]
        ends += [end for bound in bounds for end in draw_bound(axes, window, *bound)]
        ends += draw_slope(axes, lines, slope) if slope is not None else []
        lay_out(figure, axes, window, lines, ends, xlabel or x_name(x), ylabel, narrow)
    return figure


def small_multiples(
    frame: pd.DataFrame,
    *,
    by: str = "reading",
    x: str = "t",
    start: float = 100,
    xscale: str | None = None,
    yscale: str = "linear",
    xlabel: str | None = None,
    ylabel: str = "regret",
    same: bool = True,
    narrow: bool = False,
) -> Figure:
    """Plot one panel per value of `by`, side by side on one regret axis, with one legend.

    Parameters
    ----------
    frame : DataFrame
        As for `regret_curves`. Rows without a value in `by` (a baseline) are
        drawn in every panel.
    by : str
        The column whose values name the panels, in their order of appearance.
    x, start, xscale, yscale, xlabel, ylabel, narrow
        As for `regret_curves`.
    same : bool
        Whether the panels share the regret axis; else each has its own.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, or an unknown family, trust model or scale.
    """
    check_columns(frame, (by,))
    tidy = tidied(frame, x)
    everywhere = tidy[by].isna() | (tidy[by] == "")
    names = list(dict.fromkeys(tidy.loc[~everywhere, by]))
    if not names:
        raise ValueError(f"column {by} must name at least one panel, got none")
    scale, limits = _across(tidy, x, xscale, start)
    facets = [lines_of(tidy[everywhere | (tidy[by] == name)], x, limits) for name in names]
    everything = [line for lines in facets for line in lines]
    windows = [window_of(everything if same else lines, limits, scale, yscale) for lines in facets]
    with style():
        figure = blank()
        for name, lines, window in zip(names, facets, windows, strict=True):
            draw_lines(figure, lines, window).set_title(str(name), loc="left", pad=7)
        lay_out_panels(figure, windows, everything, xlabel or x_name(x), ylabel, narrow)
    return figure


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
    return f"{runs}; bands are 95 % confidence intervals of the mean."

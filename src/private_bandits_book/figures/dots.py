"""Runs one by one: a dot a run, a row a line."""

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_bandits import checks
from private_bandits_book.figures.drawing import blank
from private_bandits_book.figures.layout import lay_out_rows
from private_bandits_book.figures.lines import check_columns, tidied
from private_bandits_book.figures.look import style
from private_bandits_book.numbers import short

_BINS, _STEP, _MOST = (
    120,
    0.09,
    0.36,
)  # places across the panel; between dots in one place, and from the middle, of a row


def regret_dots(
    frame: pd.DataFrame, *, xscale: str = "linear", xlabel: str = "regret at the end, a dot a run", narrow: bool = False
) -> Figure:
    """Plot the regret of each run, a row per line, and their mean, with how many runs are below it.

    Parameters
    ----------
    frame : DataFrame
        One row per run, with `policy`, `epsilon`, `t`, `regret`, and where known `label`, `hue`, `trust`.
    xscale : {"linear", "log"}
        Of the regret; linear where a run has none.
    xlabel : str
        Lower case, with the unit.
    narrow : bool
        Whether it is for a phone.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For an empty frame, a missing column, no finite regret, or an unknown scale.
    """
    checks.choice("xscale", xscale, ("linear", "log"))
    check_columns(frame, ("regret",))
    runs = frame[np.isfinite(frame["regret"].astype(float))]
    if runs.empty:
        raise ValueError("frame must hold at least one finite regret, got none")
    tidy = tidied(runs.assign(regret_se=0.0, replications=1), "t")
    low, high = float(tidy["regret"].min()), float(tidy["regret"].max())
    scale = xscale if low > 0 else "linear"
    limits = (low / 1.15, high * 1.15) if scale == "log" else (min(0.0, 1.04 * low), max(1.04 * high, 1e-300))
    with style():
        figure = blank()
        axes = figure.add_axes((0.1, 0.1, 0.8, 0.8), label="panel 0")
        axes.set_xscale(scale)
        axes.set_xlim(*limits)
        names, colours = [], []
        for row, (label, part) in enumerate(tidy.groupby("label", sort=False)):
            regret, colour = np.sort(part["regret"].to_numpy(float)), str(part["colour"].iloc[0])
            axes.scatter(
                regret, row + _beside(regret, limits, scale), s=13, color=colour, alpha=0.75, linewidth=0, zorder=3
            )
            axes.vlines(regret.mean(), row - 0.42, row + 0.42, color=colour, linewidth=2.2, zorder=4)
            below = (regret < regret.mean()).sum()
            names.append(f"{label}\nbar: mean {short(regret.mean(), 2)},\nabove {below} of {len(regret)}")
            colours.append(colour)
        lay_out_rows(figure, axes, (limits, scale), names, colours, xlabel, narrow)
    return figure


def _beside(regret: np.ndarray, limits: tuple[float, float], scale: str) -> np.ndarray:
    """How far from the middle of its row each sorted dot lies, so that those in one place are all seen."""
    at, (low, high) = (np.log(regret), map(math.log, limits)) if scale == "log" else (regret, limits)
    places = np.floor(_BINS * (at - low) / (high - low)).astype(int)
    beside = np.zeros(len(regret))
    for place in np.unique(places):
        here = np.flatnonzero(places == place)
        step = min(_STEP, 2 * _MOST / max(len(here) - 1, 1))
        beside[here] = step * (np.arange(len(here)) - (len(here) - 1) / 2)
    return beside

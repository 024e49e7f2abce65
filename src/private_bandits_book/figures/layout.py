"""Where things stand: panels, ticks, labels at line ends, legends. All lengths are points."""

import math
import re
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, NullLocator
from scipy.optimize import isotonic_regression

from private_bandits_book.figures.drawing import End
from private_bandits_book.figures.lines import Line, Window, marker
from private_bandits_book.figures.look import (
    HEIGHT,
    NARROW,
    TRUST_LINES,
    WIDTH,
    readable_colour,
    readable_number,
    wrapped,
)

_MOST_DIRECT_LABELS = 6
_EARLY = 0.8  # of the panel's width

# Points above an axis for the regret label and a panel's name, below it for tick labels and the x label.
_HEAD, _NAME, _FOOT, _PAD = 26.0, 20.0, 42.0, 8.0


def lay_out(
    figure: Figure,
    axes: Axes,
    window: Window,
    lines: Sequence[Line],
    ends: list[End],
    xlabel: str,
    ylabel: str,
    narrow: bool = False,
) -> None:
    """Place one panel, its labels in the right margin; beyond six lines, or if narrow, these go into a legend.

    The one line that ends long before the margin has its label in the panel, below its end.
    """
    foot, across = _FOOT, 72 * (NARROW if narrow else WIDTH)
    if len(lines) > (1 if narrow else _MOST_DIRECT_LABELS):
        ends = ends[len(lines) :]
        foot += _legend(figure, lines, across)
    # Labels of lines beyond the top share one height there and keep the lines' order.
    ends = sorted(ends, key=lambda end: end.y)
    left = _set_ticks([axes], [window], columns=1, most=4 if narrow else 7)
    early = [end for end in ends if _in_panel(axes, end)[0] < _EARLY]
    early = early if len(early) == 1 else []  # labels of several could meet there
    ends = [end for end in ends if end not in early]
    texts = [_margin_text(axes, end) for end in ends]
    sizes = [_size(text) for text in texts]
    gap = 14.0
    width = across - left - (gap + _PAD + max(w for w, _ in sizes) if sizes else 2 * _PAD)
    height = max(72 * HEIGHT - _FOOT - _HEAD, sum(h + 2 for _, h in sizes) - 22)
    figure.set_size_inches(across / 72, (foot + height + _HEAD) / 72)
    _place(figure, axes, left, foot, width, height)
    _name_axes(figure, [axes], foot, xlabel, ylabel)
    for end in early:
        x, y = _in_panel(axes, end)
        _margin_text(axes, end).set(position=(x + 2 / width, y - 7 / height), verticalalignment="top")
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


def lay_out_panels(
    figure: Figure, windows: Sequence[Window], lines: Sequence[Line], xlabel: str, ylabel: str, narrow: bool = False
) -> None:
    """Place the panels, each with its window, over one legend: three in a row (four as two by two), or stacked."""
    panels, across = figure.axes, 72 * (NARROW if narrow else WIDTH)
    columns = 1 if narrow else 2 if len(panels) == 4 else min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    foot = _FOOT + _legend(figure, lines, across)
    left = _set_ticks(panels, windows, columns, most=4)
    height = 165.0 if rows < 4 or narrow else 110.0
    between = max(18.0, *(_size(text)[0] + 6 for text in panels[0].get_xticklabels()))
    if _differ(windows):
        between = max(between, left)
    width = (across - left - 2 * _PAD - between * (columns - 1)) / columns
    name = _NAME + 15 * max(axes.get_title(loc="left").count("\n") for axes in panels)
    step = height + name + 24
    figure.set_size_inches(across / 72, (foot + (rows - 1) * step + height + name + _HEAD) / 72)
    for i, axes in enumerate(panels):
        row, column = divmod(i, columns)
        x, y = left + column * (width + between), foot + (rows - 1 - row) * step
        _place(figure, axes, x, y, width, height)
    _name_axes(figure, panels, foot, xlabel, ylabel)


def lay_out_rows(
    figure: Figure,
    axes: Axes,
    across: tuple[tuple[float, float], str],
    names: Sequence[str],
    colours: Sequence[str],
    xlabel: str,
    narrow: bool = False,
) -> None:
    """Place a panel of rows, the first one on top, each named at its left; `across` is the x axis' ends and scale."""
    limits, scale = across
    width, ticks = 72 * (NARROW if narrow else WIDTH), _ticks(limits, scale, 4 if narrow else 7)
    axes.set_xticks(ticks, [readable_number(v, scale) for v in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(names)), [wrapped(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    for text, colour in zip(axes.get_yticklabels(), colours, strict=True):
        text.set_color(readable_colour(colour))
    sizes = [_size(text) for text in axes.get_yticklabels()]
    left = max(wide for wide, _ in sizes) + _PAD + 6
    height = len(names) * max(44.0, *(tall + 8 for _, tall in sizes))
    figure.set_size_inches(width / 72, (_FOOT + height + _PAD) / 72)
    _place(figure, axes, left, _FOOT, width - left - 2 * _PAD, height)
    _name_axes(figure, [axes], _FOOT, xlabel, "")


def _set_ticks(panels: Sequence[Axes], windows: Sequence[Window], columns: int, most: int) -> float:
    """Fix every panel's ticks, shared regret labels in the first column only, and return the left margin."""
    own = _differ(windows)
    for i, (axes, window) in enumerate(zip(panels, windows, strict=True)):
        x: Sequence[float] = window.marks if len(window.marks) <= (8 if most == 7 else 4) else ()
        x = x or _ticks(window.x, window.xscale, most)
        y = _ticks(window.y, window.yscale, 6)
        axes.set_xticks(x, [readable_number(v, window.xscale) for v in x])
        axes.set_yticks(y, [readable_number(v, window.yscale) if own or i % columns == 0 else "" for v in y])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_locator(NullLocator())
    labels = [text for axes in panels for text in axes.get_yticklabels()]
    return max((_size(text)[0] for text in labels), default=0.0) + _PAD + 6


def _differ(windows: Sequence[Window]) -> bool:
    """Say whether panels have regret axes of their own."""
    return len({window.y for window in windows}) > 1


def _legend(figure: Figure, lines: Sequence[Line], across: float) -> float:
    """Add one legend of all labels at the figure's foot and return its height."""
    handles = {
        line.label: Line2D(
            [], [], color=line.colour, label=line.label, marker=marker(line), markersize=4.5, **TRUST_LINES[line.trust]
        )
        for line in lines
    }
    for columns in range(min(4, len(handles)), 0, -1):
        legend = figure.legend(
            handles=list(handles.values()),
            labelcolor=[readable_colour(str(handle.get_color())) for handle in handles.values()],
            loc="lower center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=columns,
            frameon=False,
            handlelength=2.4,
            columnspacing=1.6,
            borderaxespad=0.3,
        )
        box = legend.get_window_extent()
        if box.width <= across - 2 * _PAD or columns == 1:
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


def _margin_text(axes: Axes, end: End) -> Text:
    """Add the label of a line's end, with its value where it ends outside the axis."""
    words = "\n".join(wrapped(part) for part in end.text.split("\n"))
    if not _inside(axes, end):
        arrow = "↑" if end.y > axes.get_ylim()[1] else "↓"
        words += f"\n{arrow} {readable_number(float(f'{end.y:.3g}'), 'linear')}"
    low = any(not re.search("[A-Z0-9bdfhklt]", line) for line in words.split("\n")[1:])  # matplotlib draws it higher
    spacing = 1.3 if low else 1.05
    return axes.text(
        1, 0, words, transform=axes.transAxes, color=readable_colour(end.colour), va="center", linespacing=spacing
    )


def _in_panel(axes: Axes, end: End) -> tuple[float, float]:
    """The end's place, as parts of the panel's width and height."""
    place = axes.transData.transform((end.x, np.clip(end.y, *axes.get_ylim())))
    x, y = axes.transAxes.inverted().transform(place)
    return float(x), float(y)


def _inside(axes: Axes, end: End) -> bool:
    low, high = axes.get_ylim()
    return bool(low <= end.y <= high)


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

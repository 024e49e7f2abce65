"""Where things stand: panels, ticks, labels at line ends, words at places, legends. All lengths are points."""

import itertools
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, NullLocator
from matplotlib.transforms import Bbox
from scipy.optimize import isotonic_regression

from private_bandits_book import numbers
from private_bandits_book.figures.drawing import End, Note, Region, Said, at_level, place_of
from private_bandits_book.figures.lines import Line, Window, marker
from private_bandits_book.figures.look import (
    CLAIM_COLOUR,
    HEIGHT,
    NARROW,
    SCREEN,
    TRUST_LINES,
    WIDTH,
    readable_colour,
    wrapped,
)

MOST_LINES = 8
"""Lines of a panel that have their names at their ends; of more nobody tells which is which."""
_EARLY = 0.8  # of the panel's width
_GAP = 14.0  # from a panel to the labels beside it
_BESIDE = 14.0  # from words to what they speak of, without a leader

# Points above an axis for the regret label and a panel's name, below it for tick labels and the x label.
_HEAD, _NAME, _FOOT, _PAD = 26.0, 20.0, 42.0, 8.0


class Panel(NamedTuple):
    """Axes with what is drawn on them, and what is still to be written: labels of ends, words at places."""

    axes: Axes
    window: Window
    lines: Sequence[Line]
    ends: Sequence[End]
    said: Sequence[Said]
    start: bool = False  # whether names stand where lines start, at the left, and the numbers at the right


class _Grid(NamedTuple):
    """How panels stand: in so many columns, each so wide and tall, the labels beside it so wide, then so much blank."""

    columns: int
    width: float
    height: float
    beside: float
    between: float


def lay_out(figure: Figure, panel: Panel, xlabel: str, ylabel: str, narrow: bool = False) -> None:
    """Place one panel, its labels in the right margin; beyond eight lines these go into a legend."""
    axes, foot, across = panel.axes, _FOOT, 72 * (NARROW if narrow else WIDTH)
    if len(panel.lines) > MOST_LINES:
        panel = panel._replace(ends=panel.ends[len(panel.lines) :])
        foot += _legend(figure, panel.lines, across)
    left = _set_y_ticks([axes], [panel.window], columns=1)
    beside = _labels(panel, 14 if narrow else 18)
    sizes = [_size(text) for _, text in beside]
    right = _GAP + _PAD + max(w for w, _ in sizes) if sizes else 2 * _PAD
    if panel.start:
        axes.yaxis.tick_right()
        axes.tick_params(axis="y", pad=8)
        left, right = right, left + 6
    width = across - left - right
    height = max(72 * HEIGHT - _FOOT - _HEAD, sum(h + 2 for _, h in sizes) - 22)
    figure.set_size_inches(across / 72, (foot + height + _HEAD) / 72)
    _place(figure, axes, left, foot, width, height)
    _set_x_ticks(axes, panel.window, width)
    _name_axes(figure, [axes], foot, xlabel, ylabel, panel.start)
    _write(panel, beside, width, height)


def lay_out_panels(figure: Figure, panels: Sequence[Panel], xlabel: str, ylabel: str, narrow: bool = False) -> None:
    """Place the panels, each with its labels at its right where these fit, else over one legend.

    There are up to three in a row, on a phone one or, where one screen holds no more, two.
    """
    windows, every = [one.window for one in panels], [one.axes for one in panels]
    across = 72 * (NARROW if narrow else WIDTH)
    titles = [axes.get_title(loc="left") for axes in every]
    columns, chosen = _columns(len(panels), narrow), None
    if all(len(one.lines) <= MOST_LINES for one in panels):
        for count in columns:
            chosen = _beside(figure, panels, titles, across, count, narrow, last=count == columns[-1])
            if chosen is not None:
                break
    foot, labels = _FOOT, chosen[1] if chosen else [[] for _ in panels]
    if chosen is None:
        count = columns[-1] if narrow and len(panels) > 3 else columns[0]
        panels = [one._replace(ends=one.ends[len(one.lines) :]) for one in panels]
        foot += _legend(figure, [line for one in panels for line in one.lines], across)
    grid = chosen[0] if chosen else _over_legend(panels, titles, across, count, foot, narrow)
    left = _set_y_ticks(every, windows, grid.columns)
    name, rows = _named(every, titles, grid), math.ceil(len(panels) / grid.columns)
    step = grid.height + name + 24
    figure.set_size_inches(across / 72, (foot + (rows - 1) * step + grid.height + name + _HEAD) / 72)
    for i, panel in enumerate(panels):
        row, column = divmod(i, grid.columns)
        x = left + column * (grid.width + grid.beside + grid.between)
        _place(figure, panel.axes, x, foot + (rows - 1 - row) * step, grid.width, grid.height)
        _set_x_ticks(panel.axes, panel.window, grid.width)
    _name_axes(figure, every, foot, xlabel, ylabel)
    for panel, beside in zip(panels, labels, strict=True):
        _write(panel, beside, grid.width, grid.height)


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
    axes.set_xticks(ticks, numbers.ticks(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(names)), ["\n".join(map(wrapped, name.split("\n"))) for name in names])
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


# --- the grid of panels


def _columns(panels: int, narrow: bool) -> list[int]:
    """Numbers of columns to try, the best one first."""
    if narrow:
        return [1, 2] if panels > 1 else [1]
    return [2] if panels in (2, 4) else [min(panels, 3), 2]


def _beside(
    figure: Figure, panels: Sequence[Panel], titles: Sequence[str], across: float, count: int, narrow: bool, last: bool
) -> tuple[_Grid, list[list[tuple[End, Text]]]] | None:
    """The grid with labels at the right of each panel, and the labels; None where they leave too little room."""
    windows, every = [one.window for one in panels], [one.axes for one in panels]
    left, between = _set_y_ticks(every, windows, count), _between(every, windows, count)
    characters = 18 if count == 1 and not narrow else 14 if count < 3 else 12
    labels = [_labels(panel, characters) for panel in panels]
    sizes = [[_size(text) for _, text in one] for one in labels]
    beside = _GAP + max((wide for one in sizes for wide, _ in one), default=0.0)
    width = (across - left - _PAD - count * beside - (count - 1) * between) / count
    rows, need = math.ceil(len(panels) / count), max(sum(tall + 2 for _, tall in one) for one in sizes) - 16
    grid = _Grid(count, width, 165.0, beside, between)
    tall = max(need, 165.0 if rows < 4 else 110.0)
    if narrow:
        free = SCREEN * across - _FOOT - _HEAD - rows * _name(titles, grid) - (rows - 1) * 24
        tall = max(need, min(165.0, free / rows))
        if tall > free / rows or tall < 95.0:
            width = -1.0
    if width >= (100.0 if not narrow else 60.0):
        return grid._replace(height=tall), labels
    for one in labels:
        for _, text in one:
            text.remove()
    return None


def _over_legend(
    panels: Sequence[Panel], titles: Sequence[str], across: float, count: int, foot: float, narrow: bool
) -> _Grid:
    """The grid of panels over a legend."""
    windows, every = [one.window for one in panels], [one.axes for one in panels]
    _set_x_ticks(every[0], windows[0], across / count - 60)
    wide = max(_size(text)[0] for text in every[0].get_xticklabels())
    left, between = _set_y_ticks(every, windows, count), max(18.0, wide + 6, _between(every, windows, count))
    width, rows = (across - left - 2 * _PAD - between * (count - 1)) / count, math.ceil(len(panels) / count)
    grid = _Grid(count, width, 165.0 if rows < 4 else 110.0, 0.0, between)
    if narrow:
        free = SCREEN * across - foot - _HEAD - rows * _name(titles, grid) - (rows - 1) * 24
        grid = grid._replace(height=max(80.0, min(165.0, free / rows)))
    return grid


def _between(every: Sequence[Axes], windows: Sequence[Window], columns: int) -> float:
    """Points from the labels of a panel to the next panel: those of the numbers that stand there."""
    own = _set_y_ticks(every, windows, columns) if _differ(windows) else 0.0
    return max(14.0, own)


def _title(title: str, wide: float) -> str:
    """A panel's name in lines that are not wider than its column."""
    return "\n".join(wrapped(line, max(8, int(wide / 6.3))) for line in title.split("\n"))


def _name(titles: Sequence[str], grid: _Grid) -> float:
    return _NAME + 15 * max(_title(title, grid.width + grid.beside).count("\n") for title in titles)


def _named(every: Sequence[Axes], titles: Sequence[str], grid: _Grid) -> float:
    """Write the panels' names, and return the height of the tallest."""
    for axes, title in zip(every, titles, strict=True):
        axes.set_title(_title(title, grid.width + grid.beside), loc="left", pad=7)
    return _name(titles, grid)


def _differ(windows: Sequence[Window]) -> bool:
    """Say whether panels have regret axes of their own."""
    return len({window.y for window in windows}) > 1


def _set_y_ticks(panels: Sequence[Axes], windows: Sequence[Window], columns: int) -> float:
    """Fix every panel's regret ticks, shared labels in the first column only, and return the left margin."""
    own = _differ(windows)
    for i, (axes, window) in enumerate(zip(panels, windows, strict=True)):
        y = _ticks(window.y, window.yscale, 6)
        axes.set_yticks(y, numbers.ticks(y) if own or i % columns == 0 else [""] * len(y))
        axes.yaxis.set_minor_locator(NullLocator())
    labels = [text for axes in panels for text in axes.get_yticklabels()]
    return max((_size(text)[0] for text in labels), default=0.0) + _PAD + 6


def _set_x_ticks(axes: Axes, window: Window, width: float) -> None:
    """Fix the ticks of a panel that has its place: the swept values, or as many round numbers as fit."""
    axes.xaxis.set_minor_locator(NullLocator())
    tried = [window.marks] if window.marks else []
    for x in [*tried, *(_ticks(window.x, window.xscale, most) for most in (7, 6, 5, 4, 3, 2))]:
        axes.set_xticks(x, numbers.ticks(x))
        boxes = [text.get_window_extent() for text in axes.get_xticklabels()]
        if all(a.x1 + 5 < b.x0 for a, b in zip(boxes, boxes[1:], strict=False)):
            return


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
            labels=[numbers.typeset(label) for label in handles],
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


def _name_axes(
    figure: Figure, panels: Sequence[Axes], foot: float, xlabel: str, ylabel: str, start: bool = False
) -> None:
    """Write the regret label level above the numbers of the axis, and the x label centred below the panels."""
    width, height = 72 * figure.get_size_inches()
    boxes = [axes.get_position() for axes in panels]
    centre = (min(box.x0 for box in boxes) + max(box.x1 for box in boxes)) / 2
    above, below = numbers.typeset(ylabel), numbers.typeset(xlabel)
    x, side = (1 - _PAD / width, "right") if start else (_PAD / width, "left")
    figure.text(x, 1 - 5 / height, above, va="top", ha=side, color="#333333")
    figure.text(centre, (foot - _FOOT + 5) / height, below, ha="center", va="bottom", color="#333333")


# --- labels at line ends


def _labels(panel: Panel, characters: int) -> list[tuple[End, Text]]:
    """Add the labels of a panel's ends, the lowest end first, still without a place.

    Those of lines beyond the top share one height there and keep the lines' order.
    """
    ends = sorted(panel.ends, key=lambda end: end.y)
    return [(end, _margin_text(panel.axes, end, characters)) for end in ends]


def _write(panel: Panel, labels: Sequence[tuple[End, Text]], width: float, height: float) -> None:
    """Give the labels of a panel that has its place theirs, with leaders; then write what is said at places.

    The one line that ends long before the margin has its label in the panel, below its end.
    """
    axes = panel.axes
    early = [one for one in labels if _in_panel(axes, one[0])[0] < _EARLY]
    early = early if len(early) == 1 and not panel.start else []  # labels of several could meet there
    for end, text in early:
        x, y = _in_panel(axes, end)
        text.set(position=(x + 2 / width, y - 7 / height), verticalalignment="top")
    rest = [one for one in labels if one not in early]
    points = [np.multiply(_in_panel(axes, end), (width, height)) for end, _ in rest]
    above = 2 if axes.get_title(loc="left") else 8  # what stands above the panel keeps its room
    middles = _spread([y for _, y in points], [_size(text)[1] + 2 for _, text in rest], -14, height + above)
    edge, out, side = (0.0, -1, "right") if panel.start else (width, 1, "left")
    for (end, text), (x, y), middle in zip(rest, points, middles, strict=True):
        text.set(position=((edge + out * _GAP) / width, middle / height), horizontalalignment=side)
        if _inside(axes, end) and (abs(middle - y) > 3 or abs(edge - x) > 3):
            ends = np.array([x + 2 * out, edge + out * (_GAP - 3)]) / width
            leader = Line2D(ends, [y / height, middle / height])
            leader.set(transform=axes.transAxes, clip_on=False, color=end.colour, linewidth=0.7, zorder=1)
            axes.add_line(leader)
    _say(panel)


def _margin_text(axes: Axes, end: End, characters: int) -> Text:
    """Add the label of a line's end, with its value where it ends outside the axis."""
    words = "\n".join(wrapped(part, characters) for part in end.text.split("\n"))
    if not _inside(axes, end):
        arrow = "↑" if end.y > axes.get_ylim()[1] else "↓"
        words += f"\n{arrow} {numbers.short(float(f'{end.y:.3g}'))}"
    low = any(not re.search("[A-Z0-9bdfhklt]", line) for line in words.split("\n")[1:])  # matplotlib draws it higher
    text = axes.text(1, 0, words, transform=axes.transAxes, color=readable_colour(end.colour), va="center")
    text.set(linespacing=1.3 if low else 1.15 if "$" in words else 1.05, label=end.label)
    return text


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


# --- words in a panel


def _say(panel: Panel) -> None:
    """Write what is said at places of a panel, and what its regions are called, where it covers least."""
    axes, taken = panel.axes, list[Bbox]()
    taken += [text.get_window_extent() for text in axes.texts]
    drawn = _drawn(axes)
    for said in sorted(panel.said, key=lambda one: isinstance(one, Region)):
        if isinstance(said, Region):
            words, wanted, allowed = said.words, _everywhere(axes), _region(axes, said, panel.window)
        elif (place := place_of(said, panel.lines, panel.window)) is not None:
            x, y, words = place
            if not isinstance(said, Note):
                ring = axes.plot(
                    [x], [y], marker="o", markersize=9, markerfacecolor="none", color=CLAIM_COLOUR, zorder=6
                )
                ring[0].set(linestyle="", clip_on=False)
            wanted, allowed = _around(axes.transData.transform((x, y))), None
        else:
            continue
        text = axes.text(0, 0, words, transform=None, color=CLAIM_COLOUR, ha="center", va="center")
        text.set(zorder=7, linespacing=1.3 if "^" in words else 1.1)
        settled = []
        for characters in (24, 14):  # in few lines, or where that covers less in more
            text.set_text(wrapped(words, characters))
            settled.append((*_settle(axes, text, wanted, drawn, taken, allowed), text.get_text()))
        _, middle, best = min(settled, key=lambda one: one[0])
        text.set(text=best, position=axes.transAxes.inverted().transform(middle), transform=axes.transAxes)
        taken.append(text.get_window_extent())
        if not isinstance(said, Region):
            _lead(axes, taken[-1], axes.transData.transform((x, y)))


def _lead(axes: Axes, words: Bbox, place: np.ndarray) -> None:
    """Draw a leader from words to the place that they speak of, where that is not beside them."""
    near = np.clip(place, (words.x0 - 2, words.y0 - 2), (words.x1 + 2, words.y1 + 2))
    if np.hypot(*(place - near)) > _BESIDE:
        ends = axes.transAxes.inverted().transform([near, place])
        leader = Line2D(*ends.T, transform=axes.transAxes, clip_on=False, color=CLAIM_COLOUR, linewidth=0.7, zorder=6)
        axes.add_line(leader)


def _settle(
    axes: Axes, text: Text, wanted: np.ndarray, drawn: np.ndarray, taken: Sequence[Bbox], allowed: Path | None
) -> tuple[float, np.ndarray]:
    """Return how much words cover in the best of the wanted places, the nearest ones first, and that place."""
    wide, tall = _size(text)
    room, best, least = axes.get_window_extent(), wanted[0], math.inf
    right = max([room.x1, *(one.x1 for one in taken)])  # words may stand among the labels
    for far, at in enumerate(wanted):
        middle = at[:2] + at[2:] * (wide / 2, tall / 2)
        box = Bbox.from_bounds(middle[0] - wide / 2 - 2, middle[1] - tall / 2 - 1, wide + 4, tall + 2)
        covered = ((drawn > (box.x0, box.y0)) & (drawn < (box.x1, box.y1))).all(axis=1).sum()
        meets = sum(box.overlaps(one) for one in taken)
        outside = max(0.0, room.x0 - box.x0, box.x1 - right, room.y0 - box.y0, box.y1 - room.y1)
        beyond = allowed is not None and not allowed.contains_points([*box.corners()], radius=1.0).all()
        cost = covered + 1000 * meets + 100 * outside + 1e5 * beyond + 0.05 * far
        if cost < least:
            least, best = cost, middle
    return least, best


def _around(point: np.ndarray) -> np.ndarray:
    """Places around a point, the nearest first: where, and which side of the words is nearest to it."""
    places = []
    for far in (7, 14, 22, 32, 44, 60):
        for x, y in ((1, -1), (-1, 1), (1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)):
            places.append((point[0] + far * x, point[1] + far * y, x, y))
    for far in (80, 100, 120, 140, 160):  # above or below a crowd, with a leader
        for x, y in itertools.product((-20, 20, -60, 60), (1, -1)):
            places.append((point[0] + x, point[1] + far * y, np.sign(x), y))
    return np.array(places, float)


def _everywhere(axes: Axes) -> np.ndarray:
    """Places all over a panel, the middle first."""
    box = axes.get_window_extent()
    x, y = np.meshgrid(np.linspace(0, 1, 25), np.linspace(0, 1, 25))
    order = np.argsort(np.hypot(x - 0.5, y - 0.5).ravel(), kind="stable")
    places = np.column_stack([box.x0 + box.width * x.ravel(), box.y0 + box.height * y.ravel()])[order]
    return np.hstack([places, np.zeros_like(places)])


def _region(axes: Axes, region: Region, window: Window) -> Path:
    """The outline of a region, in pixels."""
    x, y = at_level(region, window)
    end = window.y[0] if region.side == "below" else window.y[1]
    corners = [*zip(x, np.clip(y, *window.y), strict=True), (x[-1], end), (x[0], end)]
    return Path(axes.transData.transform(corners), closed=False)


def _drawn(axes: Axes) -> np.ndarray:
    """Points every few pixels along all that is drawn in a panel."""
    points = [np.empty((0, 2))]
    for line in axes.lines:
        x, y = (np.asarray(each, float) for each in line.get_data())
        ends = line.get_transform().transform(np.column_stack([x, y]))
        ends = ends[np.isfinite(ends).all(axis=1)]
        for one, other in zip(ends, ends[1:], strict=False):
            count = min(400, 2 + int(np.hypot(*(other - one)) / 3))
            points.append(one + np.linspace(0, 1, count)[:, None] * (other - one))
        points.append(ends)
    return np.concatenate(points)


def _size(text: Text) -> tuple[float, float]:
    box = text.get_window_extent()
    return float(box.width), float(box.height)


def _ticks(limits: tuple[float, float], scale: str, most: int) -> list[float]:
    """Return round numbers within the limits, at most about `most`."""
    low, high = limits
    if scale == "linear":
        ticks = MaxNLocator(nbins=max(most - 1, 1), steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return [float(v) for v in ticks if low - 1e-9 * (high - low) <= v <= high + 1e-9 * (high - low)]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = [10.0**k for k in powers if low * (1 - 1e-9) <= 10.0**k <= high * (1 + 1e-9)]
    if len(decades) >= 3 or (len(decades) == 2 and most < 4):
        return decades[:: math.ceil(len(decades) / most)]
    return [
        m * 10.0**k
        for k in powers
        for m in ((1, 2, 5) if most > 4 or (len(decades) < 2 and most > 3) else (1, 3) if most > 2 else (1,))
        if low * (1 - 1e-9) <= m * 10.0**k <= high * (1 + 1e-9)
    ]

"""What no committed figure may have: words that overlap or are cut, lines that look alike."""

from collections import Counter
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from private_bandits_book.figures.look import style


def unclear(figure: Figure) -> list[str]:
    """Return what a reader of a figure could not tell apart or read.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    list of str
        Texts that overlap, texts that the edge cuts, and lines of one colour, dash and marker; empty for a clear one.
    """
    with style():  # letters have other sizes outside
        figure.canvas.draw()
        return [*_texts(figure), *(said for axes in figure.axes for said in _alike(axes))]


def _texts(figure: Figure) -> list[str]:
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown]
    found = []
    for (one, a), (two, b) in combinations(boxes, 2):
        if a.x1 > b.x0 and b.x1 > a.x0 and a.y1 > b.y0 + 0.5 and b.y1 > a.y0 + 0.5:
            found.append(f"{one!r} overlaps {two!r}")
    edge = figure.bbox
    cut = (text for text, box in boxes if box.x0 < 0 or box.y0 < 0 or box.x1 > edge.x1 or box.y1 > edge.y1)
    return found + [f"{text!r} is cut" for text in cut]


def _alike(axes: Axes) -> list[str]:
    lines = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
    looks = Counter((str(line.get_color()), str(line.get_marker()), line.is_dashed()) for line in lines)
    return [f"{count} lines in {colour} with marker {mark}" for (colour, mark, _), count in looks.items() if count > 1]

"""What no committed figure may have: words that overlap or are cut, lines that look alike, or too many of them."""

from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from private_bandits_book.figures.layout import MOST_LINES
from private_bandits_book.figures.look import HUES, SCREEN, distance, style

APART = 15.0
"""Delta E of two lines that nothing but their colours tells apart."""


def unclear(figure: Figure) -> list[str]:
    """Return what a reader of a figure could not tell apart or read.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    list of str
        Texts that overlap, texts that the edge cuts, more than eight lines in a panel, lines whose colours are near and
        whose dash and marker are the same, and a height of more than a phone's screen; empty for a clear one. A grey
        rival is told by its name, which stands at its end.
    """
    with style():  # letters have other sizes outside
        figure.canvas.draw()
        wide, tall = figure.get_size_inches()
        high = [f"{tall / wide:.2f} times as high as wide"] if tall > (SCREEN + 0.01) * wide else []
        return [*_texts(figure), *high, *(said for axes in figure.axes for said in _lines(axes))]


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


def _lines(axes: Axes) -> list[str]:
    """What is wrong with the lines of a panel."""
    lines = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
    many = [f"{len(lines)} lines in a panel, at most {MOST_LINES} can be told apart"] if len(lines) > MOST_LINES else []
    return many + [said for one, other in combinations(lines, 2) for said in _alike(axes, one, other)]


def _alike(axes: Axes, one: Line2D, other: Line2D) -> list[str]:
    colours = to_hex(one.get_color()), to_hex(other.get_color())
    named = {text.get_label() for text in axes.texts}
    if all(HUES["rival"] == colour for colour in colours) and {one.get_label(), other.get_label()} <= named:
        return []
    marks = [(str(line.get_marker()), line.is_dashed()) for line in (one, other)]
    apart = distance(*colours)
    if marks[0] != marks[1] or apart >= APART:
        return []
    return [f"{one.get_label()!r} and {other.get_label()!r} have one mark, and colours {apart:.1f} apart"]

"""Colours, line styles, numbers and words: what every plot of the book looks like."""

import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex, to_rgb

from private_bandits_book.numbers import typeset

WIDTH, HEIGHT, NARROW = 7.6, 3.8, 4.4
"""Inches of a single panel, which grows taller where its labels need the room, and the width of what a phone shows."""
SCREEN = 1.95
"""The most height of what a phone shows, as a multiple of its width: one screen."""

HUES = {
    "none": "#000000",
    "uniform": "#636363",
    "rival": "#767676",
    "central": "#0262a7",
    "local": "#b15700",
    "printed": "#d76698",
    "stated": "#ba8e15",
    "repaired": "#2d8f5e",
}
"""What a hue says, through the whole book: whom one trusts where a figure compares that, else the text of a line.

Black is no privacy, grey is uniform play and what the text does not speak of. The hues are those of Okabe and Ito,
moved until each has contrast 3 to 1 on either plate and every two are told apart, with or without red, green or blue
cones.
"""
PLAIN = ("none", "uniform", "rival")
"""Hues of lines that no shade tells apart."""

TRUST_LINES: dict[str, dict[str, Any]] = {
    "none": {"linestyle": "-", "linewidth": 1.4},
    "central": {"linestyle": "-", "linewidth": 2.0},
    "local": {"linestyle": (0, (4.0, 1.3)), "linewidth": 2.0},
    "leaking": {"linestyle": (0, (1.0, 1.6)), "linewidth": 1.6},
}
"""Line style of the trust model: thin, solid, dashed; dotted where what is released has no finite epsilon."""

MARKERS = "os^DvPX"
"""Of lines of one hue at one epsilon, in order."""
FIRST_MARKS = {"stated": 1, "repaired": 2}
"""Where hues begin that no dash tells from pink in print, or without green cones."""

REFERENCE_COLOUR, CLAIM_COLOUR, SHADED = "#666666", "#1a1a1a", "#e6e6e6"

_RC = mpl.rc_params_from_file(Path(__file__).with_name("look.mplstyle"), use_default_template=False)


@contextmanager
def style() -> Iterator[None]:
    """Apply the book's settings, and none of the reader's, inside a `with` block."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def mixed(colour: str, shade: float) -> str:
    """Return the colour mixed with black (shade < 0) or white (shade > 0)."""
    target = 0.0 if shade < 0 else 1.0
    red, green, blue = (part + abs(shade) * (target - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


def palest(colour: str) -> float:
    """Return the shade, at most a quarter, up to which the colour has contrast 3 to 1 on white."""
    return next(shade for shade in (0.25, 0.2, 0.15, 0.1, 0.05, 0.0) if _on_white(mixed(colour, shade)) >= 3)


def readable_colour(colour: str) -> str:
    """Return the colour, darkened until text in it has contrast 4.5 to 1 on white (WCAG 2.1)."""
    while _on_white(colour) < 4.5:
        colour = mixed(colour, -0.04)
    return colour


def in_the_dark(colour: str) -> str:
    """Return the colour that stands for this one on a dark plate: hue and chroma as they are, the lightness mirrored.

    Distances between colours stay, and white gives the plate. The space is Oklab (Ottosson, 2020).
    """
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])
    lightness, *hue = _OKLAB @ np.cbrt(_CONES @ _linear(colour))
    mirrored = np.clip(1.21 - lightness, 0.207, 0.93)
    linear = np.clip(np.linalg.solve(_CONES, np.linalg.solve(_OKLAB, [mirrored, *hue]) ** 3), 0, 1)
    red, green, blue = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return to_hex((red, green, blue))


_CONES = np.array(
    [[0.41222147, 0.53633254, 0.05144599], [0.2119035, 0.68069955, 0.10739696], [0.08830246, 0.28171884, 0.6299787]]
)
_OKLAB = np.array(
    [[0.21045426, 0.79361779, -0.00407205], [1.9779985, -2.42859221, 0.45059371], [0.0259040, 0.78277177, -0.80867577]]
)


def _on_white(colour: str) -> float:
    return 1.05 / (_luminance(colour) + 0.05)


def _luminance(colour: str) -> float:
    return float(_XYZ[1] @ _linear(colour))


def _linear(colour: str) -> np.ndarray:
    return np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])


def distance(one: str, other: str) -> float:
    """Return how far two colours are apart: Delta E of 1976, where 2 is just noticeable."""
    return float(np.linalg.norm(_lab(one) - _lab(other)))


def _lab(colour: str) -> np.ndarray:
    parts = _XYZ @ _linear(colour)
    roots = np.where(parts > (6 / 29) ** 3, np.cbrt(parts), parts / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])])


_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_XYZ /= _XYZ.sum(axis=1, keepdims=True)  # white is 1, 1, 1


def wrapped(text: str, characters: int = 18) -> str:
    """Break a long label into lines, never around an equals sign, with what follows ^ raised."""
    whole, raised = re.sub(r" (=|<|>|≤|≥) ", "\u00a0\\1\u00a0", typeset(text)), r"\^[-−]?[\d.]*\d"
    exponents = iter(re.findall(raised, whole))
    short = re.sub(raised, lambda found: "^" * (1 + len(found[0]) // 2), whole)  # as wide as an exponent is
    filled = textwrap.fill(short, characters, break_long_words=False, break_on_hyphens=False)
    return re.sub(r"\^+", lambda _: f"$^{{{next(exponents)[1:]}}}$", filled)


def x_name(x: str) -> str:
    """Return what an axis says of a column that is swept."""
    return {"epsilon": "ϵ", "delta": "δ", "t": "round t"}.get(x, x.replace("_", " "))

"""Colours, line styles, numbers and words: what every plot of the book looks like."""

import math
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_hex, to_rgb

WIDTH, HEIGHT = 7.0, 3.8
"""Inches of a single panel; it grows taller where its labels need the room."""

FAMILY_COLOURS = {
    "none": "#000000",
    "uniform": "#767676",
    "laplace": "#0072B2",
    "gaussian": "#D55E00",
    "composition": "#CC79A7",
    "tree": "#009E73",
    "response": "#E69F00",
    "elimination": "#56B4E9",
}
"""One hue of Okabe and Ito per mechanism family, through the whole book; grey is uniform play."""

TRUST_LINES: dict[str, dict[str, Any]] = {
    "none": {"linestyle": "-", "linewidth": 1.4},
    "central": {"linestyle": "-", "linewidth": 2.0},
    "local": {"linestyle": (0, (4.0, 1.3)), "linewidth": 2.0},
    "leaking": {"linestyle": (0, (1.0, 1.6)), "linewidth": 1.6},
}
"""Line style of the trust model: thin, solid, dashed; dotted where what is released has no finite epsilon."""

MARKERS = "os^DvPX"
"""Of lines of one family at one epsilon, in order."""

REFERENCE_COLOUR, CLAIM_COLOUR = "#666666", "#1a1a1a"

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


def readable_colour(colour: str) -> str:
    """Return the colour, darkened until text in it has contrast 4.5 to 1 on white (WCAG 2.1)."""
    while 1.05 / (_luminance(colour) + 0.05) < 4.5:
        colour = mixed(colour, -0.04)
    return colour


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def wrapped(text: str) -> str:
    """Break a long label into lines, never around an equals sign."""
    return textwrap.fill(text.replace(" = ", "\u00a0=\u00a0"), _LABEL_CHARACTERS, break_long_words=False)


def power_of_ten(exponent: int) -> str:
    """Return 10 with its exponent raised: 10⁵."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def readable_number(value: float, scale: str) -> str:
    """Return a number as readers write it: 0.5, 2,500, 10⁵, 2.5×10⁶."""
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-12)
    if 1e-3 <= abs(value) < 1e6 and (scale == "linear" or value / 10**power != 1 or abs(power) < 2):
        return (f"{value:,.0f}" if value == round(value) else f"{value:g}").replace("-", "−")
    raised = power_of_ten(power)
    factor = float(f"{value / 10**power:.3g}")
    return raised if factor == 1 else f"{factor:g}×{raised}".replace("-", "−")


def x_name(x: str) -> str:
    return {"epsilon": "ε", "delta": "δ", "t": "round t"}.get(x, x.replace("_", " "))


_LABEL_CHARACTERS = 18
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

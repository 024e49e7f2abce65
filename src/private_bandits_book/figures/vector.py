"""Figures as small, reproducible SVG."""

import io
import re

import numpy as np
from matplotlib.figure import Figure

from private_bandits_book.figures.look import in_the_dark, style

_FONTS = "'DejaVu Sans', Verdana, sans-serif"  # Verdana has the widths of DejaVu Sans, others are narrower


def svg(figure: Figure) -> str:
    """Return the figure as SVG: the same bytes for the same figure, letters as text, light or dark as its reader is."""
    buffer = io.StringIO()
    with style():
        figure.savefig(
            buffer,
            format="svg",
            facecolor="white",
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    text = re.sub(r"<!DOCTYPE.*?>\n", "", buffer.getvalue(), flags=re.DOTALL)
    text = re.sub(r'(?<= d=")[^"]*', lambda path: _shorten(path.group()), text)
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text.replace("font-family: 'DejaVu Sans'; ", ""))
    text = re.sub(r'(?<= )(x|y)="([^"]*)"', lambda place: f'{place[1]}="{_short(place[2])}"', text)
    text = text.replace("</style>", f"text{{font-family:{_FONTS}}}{_dark(text)}</style>", 1)
    return re.sub(r"\n\s+", "\n", text)


def png(figure: Figure) -> bytes:
    """Return the figure as PNG, for viewers that show no SVG."""
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format="png", dpi=96, metadata={"Software": None}, pil_kwargs={"optimize": True})
    return buffer.getvalue()


def _dark(text: str) -> str:
    """Return the rule that gives a dark plate to a reader who prefers one; what has no colour of its own is black."""
    rules = [f"svg{{fill:{in_the_dark('black')}}}"]
    for colour in sorted(set(re.findall(r"(?:fill|stroke): #[0-9a-f]{6}", text))):
        name, light = colour.split(": ")
        rules.append(f'[style*="{colour}"]{{{name}:{in_the_dark(light)}!important}}')
    return "@media (prefers-color-scheme:dark){" + "".join(rules) + "}"


def _shorten(path: str) -> str:
    """Return an SVG path without the points, digits and letters that no screen shows."""
    steps = re.findall(r"([A-Za-z])([^A-Za-z]*)", path)
    if re.fullmatch(r"ML{20,}z?", "".join(letter for letter, _ in steps)):
        corners = [step for step in steps if step[0] != "z"]
        closing = steps[len(corners) :]
        kept = _outline(np.array([[float(v) for v in numbers.split()] for _, numbers in corners]), 0.05)
        steps = [corners[i] for i in kept] + closing
    words, last = [], ""
    for letter, numbers in steps:
        rounded = " ".join(map(_short, numbers.split()))
        words.append(rounded if letter == last != "M" else f"{letter}{rounded}")
        last = letter
    return " ".join(words)


def _short(number: str) -> str:
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def _outline(points: np.ndarray, tolerance: float) -> list[int]:
    """Return the points that a polyline needs to stay within `tolerance` of all (Douglas and Peucker)."""
    kept, open_spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        along, inner = points[last] - points[first], points[first + 1 : last] - points[first]
        length = float(np.hypot(*along))
        if length > 0:
            distance = np.abs(inner[:, 0] * along[1] - inner[:, 1] * along[0]) / length
        else:
            distance = np.hypot(inner[:, 0], inner[:, 1])
        if distance.max() > tolerance:
            middle = first + 1 + int(distance.argmax())
            kept.add(middle)
            open_spans += [(first, middle), (middle, last)]
    return sorted(kept)

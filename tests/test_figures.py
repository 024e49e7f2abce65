"""Every plot has the book's look: colours, styles, bands, labels that never collide, and the same bytes."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from scipy import stats

from private_bandits.estimates import Interval
from private_bandits_book import figures
from private_bandits_book.figures import look, vector
from private_bandits_book.figures.drawing import Slope

T = np.unique(np.geomspace(1, 1e5, 200).astype(int))


def curve(policy, end, *, epsilon=math.inf, shape=np.log1p, t=T, **columns):
    regret = end * shape(t) / shape(t[-1])
    return pd.DataFrame(
        {
            "policy": policy,
            "epsilon": epsilon,
            "t": t,
            "regret": regret,
            "regret_se": 0.02 * regret + 0.5,
            "replications": 20,
        }
        | columns
    )


NONE = curve("cascade_ucb1", 1300, label="no privacy", hue="none", trust="none")
UNIFORM = curve("uniform", 30500, label="uniform play", hue="uniform", trust="none", shape=np.abs)
LOCAL = {"trust": "local", "epsilon": 0.2}
LAPLACE = curve("ucb_laplace", 3420, label="Laplace", hue="local", **LOCAL)
GAUSSIAN = curve("ucb_gaussian", 3400, label="Gaussian", hue="local", **LOCAL)
RESPONSE = curve("repaired", 26000, label="randomised response, ε = 0.2", hue="repaired", **LOCAL)
TREES = [
    curve("ucb_hybrid", 1500 + 800 / e, label=f"tree, ε = {e}", hue="central", trust="central", epsilon=e)
    for e in (0.1, 0.2, 0.5, 1, 2)
]
PANEL = pd.concat([NONE, LAPLACE, GAUSSIAN, UNIFORM])
VARIANTS = pd.concat(
    [NONE, UNIFORM]
    + [part.assign(reading="published") for part in (LAPLACE, GAUSSIAN)]
    + [part.assign(reading="stated", regret=8 * part["regret"]) for part in (LAPLACE, GAUSSIAN)]
    + [RESPONSE.assign(reading="repaired")]
)
STRETCHED = VARIANTS.assign(regret=VARIANTS["regret"].where(VARIANTS["reading"] != "stated", VARIANTS["regret"] * 1e6))
BOUNDS = [("Theorem 4", T, 20000 * np.log(T + 1)), ("lower bound", T, 100 * np.log(T + 1))]
SLOPE = Slope(1, "claimed t", Interval(1.02, 0.97, 1.07, 3.0))
FIGURES = {
    "log": lambda: figures.regret_curves(PANEL, yscale="log", bounds=BOUNDS, slope=SLOPE),
    "everything": lambda: figures.regret_curves(
        pd.concat([NONE, UNIFORM, LAPLACE, GAUSSIAN, RESPONSE]), bounds=BOUNDS, slope=SLOPE
    ),
    "legend": lambda: figures.regret_curves(pd.concat([NONE, UNIFORM, *TREES]), bounds=BOUNDS),
    "readings": lambda: figures.small_multiples(VARIANTS),
    "narrow": lambda: figures.regret_curves(PANEL, yscale="log", bounds=BOUNDS, narrow=True),
    "narrow panels": lambda: figures.small_multiples(STRETCHED, yscale="log", narrow=True),
    "one round": lambda: figures.regret_curves(PANEL[PANEL["t"] == 1], slope=SLOPE, bounds=BOUNDS),
    "no regret": lambda: figures.regret_curves(PANEL.assign(regret=0.0, regret_se=0.0), yscale="log"),
}


def shown_texts(figure):
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


def contrast(one, other):
    low, high = sorted(look._luminance(colour) + 0.05 for colour in (one, other))
    return high / low


def band(figure, index, panel=0):
    """Return x and the two edges of a band, as drawn."""
    corners = figure.axes[panel].collections[index].get_paths()[0].vertices
    at = np.unique(corners[:, 0])
    edges = [corners[corners[:, 0] == x, 1] for x in at]
    return at, np.array([e.min() for e in edges]), np.array([e.max() for e in edges])


def test_what_is_unclear_is_found():
    figure = FIGURES["readings"]()
    one, other, *_ = figure.axes[0].lines
    other.update({"color": one.get_color(), "marker": one.get_marker(), "linestyle": one.get_linestyle()})
    figure.axes[1].set_xticks([1.0, 1.01], ["1", "1.01"])
    figure.axes[2].set_title("beyond the right edge of the page" * 4, loc="left")
    found = figures.unclear(figure)
    assert f"{one.get_label()!r} and {other.get_label()!r} have one mark, and colours 0.0 apart" in found
    assert "'1' overlaps '1.01'" in found
    assert any(said.endswith("is cut") for said in found)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_can_be_read_and_is_small_self_contained_and_the_same_twice(name):
    figure = FIGURES[name]()
    assert figures.unclear(figure) == []
    for text in shown_texts(figure):
        assert text.get_fontsize() >= 10
        colour = to_hex(text.get_color())
        assert contrast(colour, "white") >= 4.5
        assert contrast(look.in_the_dark(colour), look.in_the_dark("white")) >= 4.5
    svg = figures.svg(figure)
    assert svg == figures.svg(figure) and len(svg) < 60_000
    assert "<image" not in svg and "<text" in svg and "DOCTYPE" not in svg and "metadata" not in svg
    assert set(re.findall(r"https?://[^\"'> ]*", svg)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"NaN|\binf\b", svg)
    style, drawn = re.fullmatch(r".*<style[^>]*>(.*)</style>(.*)", svg, flags=re.DOTALL).groups()
    for kind, colour in set(re.findall(r"(fill|stroke): (#\w+)", drawn)):
        assert f'[style*="{kind}: {colour}"]{{{kind}:{look.in_the_dark(colour)}!important}}' in style


PHONE = 358.0  # pixels that a figure has on a phone 390 wide, as a test of the pages measures
SCREEN = 700.0  # pixels that a page has below the bars of a browser on a phone 844 high
LETTERS = re.compile(r"font(?:-size)?: (?:[a-z]+ )*([\d.]+)px")


def points(drawing, name):
    return float(re.search(rf'<svg[^>]* {name}="([\d.]+)pt"', drawing)[1])


def least_letters(drawing):
    """In pixels on a phone, of an SVG."""
    pieces = re.split("</text>|<text", drawing)  # of which those of a formula have exponents, too
    largest = [max(map(float, sizes)) for piece in pieces if (sizes := LETTERS.findall(piece))]
    return min(largest) * PHONE / points(drawing, "width")


def pixels_high(drawing):
    """On a phone, of an SVG."""
    return points(drawing, "height") * PHONE / points(drawing, "width")


def test_every_committed_figure_has_a_narrow_one_of_one_screen_with_letters_of_twelve_pixels():
    folder = Path(__file__).parents[1] / "book" / "figures"
    drawings = {path: path.read_text(encoding="utf-8") for path in folder.glob("*/*.svg")}
    narrow = {path for path in drawings if path.name.endswith(".narrow.svg")}
    assert {path.with_suffix(".narrow.svg") for path in set(drawings) - narrow} == narrow
    assert {str(path) for path in narrow if least_letters(drawings[path]) < 12.0} == set()
    assert {str(path) for path in narrow if pixels_high(drawings[path]) > SCREEN} == set()


def test_the_readers_settings_neither_change_nor_show():
    before, plain = dict(mpl.rcParams), figures.svg(FIGURES["legend"]())
    with pytest.raises(ZeroDivisionError), figures.style():
        raise ZeroDivisionError
    assert dict(mpl.rcParams) == before
    reader = {"legend.fontsize": 30, "lines.linewidth": 9, "axes.spines.bottom": False, "svg.hashsalt": "x"}
    with mpl.rc_context(reader):
        assert figures.svg(FIGURES["legend"]()) == plain


# What is left of linear red, green and blue without one kind of cones (Machado, Oliveira and Fernandes, 2009).
SEEN = {
    "all": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def oklab(colour, cones):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return look._OKLAB @ np.cbrt(look._CONES @ np.clip(np.asarray(cones) @ linear, 0, 1))


@pytest.mark.parametrize("plate", ["light", "dark"])
def test_everyone_tells_the_hues_apart_on_either_plate(plate):
    hues = [colour for hue, colour in look.HUES.items() if hue != "rival"]  # whose lines have their names at their ends
    drawn = [look.in_the_dark(one) if plate == "dark" else one for one in hues]
    paper = look.in_the_dark("white") if plate == "dark" else "white"
    assert min(contrast(one, paper) for one in drawn) >= 3
    for cones in SEEN.values():
        places = [oklab(one, cones) for one in drawn]
        # 0.02 is just noticeable; the hues of Okabe and Ito with a grey leave 0.058
        assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(places, 2)) > 0.075


def test_all_that_is_committed_is_seen_on_either_plate():
    folder = Path(__file__).parents[1] / "book" / "figures"
    drawings = {path: path.read_text(encoding="utf-8") for path in folder.glob("*/*.svg")}
    plate, faint = look.in_the_dark("white"), {"#ffffff", "#e6e6e6", "#c9c9c9"}  # the plate, a grid, an area
    for path, drawing in drawings.items():
        assert vector._dark(drawing.split("</style>", 1)[1]) in drawing, path
        words = set(re.findall(r"<text[^>]*fill: (#\w+)", drawing))
        drawn = set(re.findall(r"(?:fill|stroke): (#\w{6})", drawing)) - faint
        assert min(contrast(look.in_the_dark(one), plate) for one in drawn) >= 3, path
        assert min(contrast(one, "white") for one in drawn) >= 3, path
        assert all(contrast(look.in_the_dark(one), plate) >= 4.5 for one in words), path


def test_pages_and_figures_have_the_same_colours():
    css = (Path(__file__).parents[1] / "book" / "_static" / "book.css").read_text(encoding="utf-8")
    tokens = {name: both.split(", ") for name, both in re.findall(r"--book-([a-z-]+): light-dark\(([^)]*)\)", css)}
    shared = {"plate": "white", "undecided": look.HUES["uniform"], "link": look.HUES["central"]}
    for name, colour in shared.items():
        assert [to_hex(one) for one in tokens[name]] == [to_hex(colour), look.in_the_dark(colour)], name
    assert all(contrast(*pair) >= 4.5 for pair in zip(tokens["quiet"], tokens["plate"], strict=True))


def test_a_band_is_the_t_interval_of_the_mean():
    frame = pd.concat([LAPLACE.assign(replications=5), GAUSSIAN.assign(replications=50)])
    figure = figures.regret_curves(frame, start=1)
    for index, (part, runs) in enumerate([(LAPLACE, 5), (GAUSSIAN, 50)]):
        _, low, high = band(figure, index)
        half = stats.t.ppf(0.975, runs - 1) * part["regret_se"].to_numpy()
        np.testing.assert_allclose((high - low) / 2, half, rtol=1e-9)
        np.testing.assert_allclose((high + low) / 2, part["regret"].to_numpy(), rtol=1e-9)
    _, low, high = band(figures.regret_curves(LAPLACE.assign(replications=1, regret_se=math.nan)), 0)
    np.testing.assert_array_equal(low, high)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.regret_curves(PANEL.assign(hue="magic")), "hue must be one of .* got 'magic'"),
        (lambda: figures.regret_curves(PANEL.drop(columns="regret_se")), "missing regret_se"),
        (lambda: figures.regret_curves(pd.concat([PANEL, NONE])), "unique per label and t.*'no privacy'"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""The findings of the semi-bandits chapter stand before their evidence; their numbers are those of its data."""

from __future__ import annotations

import json
import re

import pytest

from private_bandits_book.chapter import Chapter
from private_bandits_book.chapters.book import find_book
from private_bandits_book.semibandits import long

BOOK = find_book()
CELLS = json.loads(BOOK.path("semibandits").read_text(encoding="utf-8"))["cells"]
TEXT = next(" ".join("".join(one["source"]).split()) for one in CELLS if "## What we found" in "".join(one["source"]))
CHAPTER = Chapter("semibandits", {name: one.default for name, one in BOOK.parameters("semibandits").items()})
POWERS = long.powers(CHAPTER.long("powers"))
GROWTH = long.growth(long.added(CHAPTER.long("blocks")))


def radius() -> float:
    """The power of K of the super-arm radius on K-paths."""
    rows = POWERS[
        (POWERS["algorithm"] == "super-arm radius") & (POWERS["instances"] == "K-path") & (POWERS["best"] == 1)
    ]
    return rows["power"].item().measured


def of(algorithm: str) -> list[float]:
    """The powers of K that privacy adds to an algorithm: the least, and the upper end of the largest."""
    found = GROWTH[GROWTH["algorithm"].str.contains(algorithm)]["power"]
    return [min(one.measured for one in found), max(one.high for one in found)]


SAID = {
    r"We prove it, and measure the power (\d\.\d+)": (radius(), 0.005),
    r"grows with a power of \$K\$ below (\d\.\d+)": (of("blocks")[1], 0.01),
    r"own algorithm has the power (\d\.\d+)": (of("Algorithm 3")[0], 0.005),
}


@pytest.mark.parametrize(("words", "measured"), SAID.items(), ids=range(len(SAID)))
def test_a_number_of_the_findings_is_that_of_the_data(words, measured):
    (said,) = re.findall(words, TEXT)
    assert float(said) == pytest.approx(measured[0], abs=measured[1])


def test_the_blocks_stay_below_what_is_said():
    (said,) = re.findall(list(SAID)[1], TEXT)
    assert of("blocks")[1] < float(said)


def test_no_other_number_stands_in_the_findings():
    rest = TEXT
    for words in SAID:
        rest = re.sub(words, "", rest)
    assert re.findall(r"\d+(?:\.\d+)?", re.sub(r"Theorem \d|K\^2|tends to 0", "", rest)) == []

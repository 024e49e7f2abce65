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
NEAR = r"a power of \$K\$ near (\d\.\d)"


def test_the_power_of_the_findings_is_that_of_the_data():
    (said,) = re.findall(NEAR, TEXT)
    growth = long.growth(long.added(CHAPTER.long("blocks")))
    powers = [one.measured for one in growth[growth["algorithm"].str.contains("blocks")]["power"]]
    assert sum(powers) / len(powers) == pytest.approx(float(said), abs=0.05) and max(powers) < float(said) + 0.05


def test_no_other_number_stands_in_the_findings():
    assert re.findall(r"\d+(?:\.\d+)?", re.sub(rf"{NEAR}|K\^2|tends to 0", "", TEXT)) == []

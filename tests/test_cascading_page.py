"""The findings of the cascading chapter stand before their evidence; their numbers are those of its data."""

from __future__ import annotations

import json
import math
import re

import pandas as pd
import pytest

from private_bandits_book.chapters.book import find_book

BOOK = find_book()
CELLS = json.loads(BOOK.path("cascading").read_text(encoding="utf-8"))["cells"]
TEXT = next(" ".join("".join(one["source"]).split()) for one in CELLS if "## What we found" in "".join(one["source"]))


def regret(file: str, policy: str, epsilon: float, **facts: str) -> float:
    """Mean regret at the last round, of one row of committed data."""
    rows = pd.read_csv(BOOK.data("cascading") / f"{file}.csv")
    rows = rows[(rows["t"] == 100_000) & (rows["policy"] == policy) & (rows["epsilon"] == epsilon)]
    for name, value in facts.items():
        rows = rows[rows[name] == value]
    (found,) = rows["regret"]
    return float(found)


UNIFORM = regret("figure-private", "uniform", math.inf)
BIT, BLOCKS = "Response, first item", "Blocks, kept"
SAID = {
    r"the bit has (\S+) % of the regret of uniformly random lists": 100 * regret("figure-private", BIT, 0.2) / UNIFORM,
    r"its theorem needs, has (\S+) %": 100 * regret("figure-1a", "Laplace", 0.2, variant="stated") / UNIFORM,
    r"at \$\\epsilon=1\$ a regret of ([\d,]*\d)": regret("figure-private", BLOCKS, 1.0),
    r"answered without noise it has ([\d,]*\d)": regret("figure-private", BIT, math.inf),
    r"without privacy that the paper builds on, has ([\d,]*\d)": regret("figure-private", "CascadeUCB1", math.inf),
}


@pytest.mark.parametrize(("words", "measured"), SAID.items(), ids=range(len(SAID)))
def test_a_number_of_the_findings_is_that_of_the_data(words, measured):
    (said,) = re.findall(words, TEXT)
    assert said == f"{measured:,.0f}"


def test_no_other_number_stands_in_the_findings():
    rest = TEXT
    for words in SAID:
        rest = re.sub(words, "", rest)
    assert re.findall(r"\d+(?:\.\d+)?", re.sub(r"Algorithm \d|CascadeUCB1|T=100\{,\}000", "", rest)) == ["0.2"]

"""The findings of the definitions chapter stand before their evidence; their numbers are those of its data."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from private_bandits_book.chapters.book import find_book

BOOK = find_book()
CELLS = json.loads(BOOK.path("definitions").read_text(encoding="utf-8"))["cells"]
TEXT = next(" ".join("".join(one["source"]).split()) for one in CELLS if "## What we found" in "".join(one["source"]))
TEXT = TEXT[TEXT.index("## What we found") :]


def guess(name: str) -> float:
    rows = pd.read_csv(BOOK.data("definitions") / "figure-inference.csv")
    (found,) = rows[(rows["epsilon"] == 1.0) & (rows["guess"] == name)]["success"]
    return float(found)


def price(policy: str) -> float:
    rows = pd.read_csv(BOOK.data("definitions") / "figure-price.csv")
    (found,) = rows[(rows["t"] == 10**7) & (rows["policy"] == policy)]["regret"]
    return float(found)


SAID = {
    r"one private answer is guessed with probability ([\d.]*\d)": f"{guess('one answer'):.2f}",
    r"with new noise each time, it is guessed with probability ([\d.]*\d)": f"{guess('all answers of one person'):.2f}",
    r"a local algorithm has ([\d.]*\d) times the regret of itself without": f"{price('LDP-UCB-B'):.1f}",
    r"noise, and a central one ([\d.]*\d) times": f"{price('DP-KLUCB'):.1f}",
}


@pytest.mark.parametrize(("words", "measured"), SAID.items(), ids=range(len(SAID)))
def test_a_number_of_the_findings_is_that_of_the_data(words, measured):
    (said,) = re.findall(words, TEXT)
    assert said == measured


def test_no_other_number_stands_in_the_findings():
    rest = TEXT
    for words in SAID:
        rest = re.sub(words, "", rest)
    assert re.findall(r"\d+(?:\.\d+)?", rest) == ["1", "1", "2", "1", "10", "7", "0.2"]

"""What the two chapters on Zheng et al. (2020) found stands before its evidence; its numbers are those of the data."""

from __future__ import annotations

import json
import math
import re

import pandas as pd
import pytest

from private_bandits.papers.contextual import ldp_linucb
from private_bandits_book.chapters.book import find_book
from private_bandits_book.contextual import lemmas
from private_bandits_book.convex import long

BOOK = find_book()


def findings(chapter: str) -> str:
    cells = json.loads(BOOK.path(chapter).read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    (text,) = (source for source in sources if "## What we found" in source)
    return " ".join(text.partition("## What we found")[2].split())


def measured(chapter: str, claim: str) -> float:
    rows = pd.read_csv(BOOK.data(chapter) / "claims.csv").set_index("claim")
    return float(rows.loc[claim, "measured"])


def printed_step() -> float:
    rows = pd.read_csv(BOOK.data("convex") / "long-steps.csv")
    return long.of_epsilon(rows, "two points, convex", "printed").fit.measured


def power(policy: str) -> float:
    rows = pd.read_csv(BOOK.data("contextual") / "table-powers.csv")
    (said,) = rows.loc[rows["policy"] == policy, "one set, d = 2"]
    return float(said.split()[0])


def smooth(learner: str) -> float:
    return long.fit(pd.read_csv(BOOK.data("convex") / "long-powers.csv"), "convex, smooth", learner, 16.0).fit.measured


SAID = [
    ("convex", r"In our runs it grows like \$\\epsilon\^\{-(\S+)\}\$", printed_step),
    ("convex", r"knows the noise like \$\\epsilon\^\{-(\S+)\}\$", lambda: measured("convex", "two-points-optimal")),
    ("convex", r"gradient descent has \$T\^\{(\S+)\}\$", lambda: smooth("sphere")),
    ("convex", r"made for them has regret of order \$T\^\{(\S+)\}\$", lambda: smooth("saha_tewari")),
    ("contextual", r"which we build below, has \$T\^\{(\S+)\}\$", lambda: power("weighted regression")),
    ("contextual", r"our constants, has regret of order \$T\^\{(\S+)\}\$", lambda: power("Algorithm 5, ours")),
    ("contextual", r"has \$T\^\{(\S+)\}\$ at the same privacy, and so has", lambda: power("private rewards")),
]


@pytest.mark.parametrize(("chapter", "words", "number"), SAID, ids=range(len(SAID)))
def test_a_number_of_the_findings_is_that_of_the_data(chapter, words, number):
    (said,) = re.findall(words, findings(chapter))
    assert said == f"{number():.2f}"


def test_the_bonus_is_small_only_after_as_many_rounds_as_are_said():
    (exponent,) = re.findall(r"only after \$10\^\{(\d+)\}\$ rounds", findings("contextual"))
    needed = lemmas.horizon_needed(2, lambda t: ldp_linucb(1.0, 1e-3, 2, t))
    assert int(exponent) == math.floor(math.log10(needed))


@pytest.mark.parametrize("chapter", ["convex", "contextual"])
def test_no_other_number_stands_in_the_findings(chapter):
    text = findings(chapter)
    known = {said for name, words, _ in SAID if name == chapter for said in re.findall(words, text)}
    rest = re.sub(r"Algorithms? \d( and \d)?|T\^\{3/4\}|Table 1|\$1/\\epsilon\^2\$|10\^\{20\}", "", text)
    assert set(re.findall(r"\d+(?:\.\d+)?", rest)) <= known | {"1", "16"}  # of epsilon

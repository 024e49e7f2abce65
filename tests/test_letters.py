"""The letters to authors: numbers that are of this book are those of its data and bounds."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from replay import folder
from said import pattern, theorem_9
from scipy.stats import norm

from private_bandits.papers.definitions import bounds as definitions
from private_bandits.papers.heavy_tailed import bounds as tails
from private_bandits_book.chapters.convex import studies as convex
from private_bandits_book.studies import stored

LETTERS = Path(__file__).parents[1] / "letters"


def ledger(chapter):
    with (folder(chapter) / "claims.csv").open(encoding="utf-8", newline="") as file:
        return {row["claim"]: row for row in csv.DictReader(file)}


def numbered(chapter, verdict):
    """The theorems of a chapter by their numbers, of which one claim has this verdict."""
    rows = [row["locus"] for row in ledger(chapter).values() if row["verdict"] == verdict]
    return {number for row in rows for number in re.findall(r"^Theorem \d+$|\((?:4|5)\)$", row)}


def share(policy, file, **wanted):
    """Regret at epsilon = 0.2 and T = 100,000, in percent of that of uniform play."""
    rows = pd.read_csv(folder("cascading") / f"{file}.csv").query("t == 100000")
    for name, one in {"policy": policy, "epsilon": 0.2, **wanted}.items():
        rows = rows[rows[name] == one]
    all_ = pd.read_csv(folder("cascading") / "figure-private.csv").query("t == 100000 and policy == 'uniform'")
    return f"{100 * rows['regret'].item() / all_['regret'].item():.0f}"


def divergence(p, q):
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def first_report():
    (power,) = re.findall(r"from T = 10\^(\d+)\.\d on", ledger("semibandits")["theorem-4"]["reason"])
    return power


def guesses():
    rows = pd.read_csv(folder("definitions") / "figure-inference.csv").query("epsilon == 1.0")
    success = rows.set_index("guess")["success"]
    return f"{success['one answer']:.2f}", f"{success['all answers of one person']:.2f}"


def theorem_3():
    bound = definitions.theorem_3(n_arms=2, epsilon=0.1, horizon=10**5, c=1.0)
    assert bound > 10**5
    return f"{bound / math.sqrt(10**5):.0f}", f"{bound:,.0f}"[:-3] + "000"


def gradient():
    """The noise of Algorithm 3, that of its gradient, and the least delta at epsilon = 1 of gradients 2 apart."""
    sigma = 6 * math.sqrt(2 * math.log(3.75 / 0.001))
    apart = 2 / (0.1 * sigma)
    delta = norm.cdf(apart / 2 - 1 / apart) - math.e * norm.cdf(-apart / 2 - 1 / apart)
    return f"{sigma:.1f}", f"{0.1 * sigma:.2f}", f"{delta:.3f}"


def steps():
    rows = stored("convex", "steps", folder("convex"))
    fits = [convex.of_epsilon(rows, "two points, convex", step).fit for step in ("printed", "tuned")]
    return tuple(f"{fit.measured:.2f}" for fit in fits)


def zero_rewards():
    kept = tails.local_loss(epsilon=1.0)
    return f"{kept:.2f}", f"{kept:.2f}", f"{kept:.2f}", f"{0.1 / (kept * 0.1**4):.0f}", f"{1 / 0.1:.0f}"


# By letter: sentences, and what stands in their groups, one after another; `{}` is a number.
SAID = {
    "basu2019": [
        ("the bound is {n} sqrt(T): at T = 100,000 it is {n},", theorem_3),
        ("which is {n}: the best guess {any} which is {n}.", guesses),
    ],
    "chen2020": [
        ("regret beyond 10^{n} rounds", first_report),
        ("our bound is {n} and the theorem asks for {n}.", lambda: theorem_9(size=8192, first=32)),
    ],
    "tao2022": [
        (
            "or {n} Delta^4. {any} ln T/({n} Delta^4) {any} ln T/({n} Delta^3). "
            "{any} the two are {n} ln T and, up to that constant, {n} ln T",
            zero_rewards,
        ),
    ],
    "wang2021": [
        ("the numbers alone have a privacy loss of {n}.", lambda: f"{2 / (0.01 * 4 / 0.2):.0f}"),
        (
            "the first is {n} and the second {n}.",
            lambda: (f"{1 / 0.005:.0f}", f"{0.005 / divergence(0.005, 0.01):.1f}"),
        ),
        (
            "it has {n} % of the regret of uniformly random lists, Algorithm 2 with the noise of Theorem 3 {n} %.",
            lambda: (
                share("Response, first item", "figure-private"),
                share("Laplace", "figure-1a", variant="stated"),
            ),
        ),
    ],
    "zheng2020": [
        ("is {n}, and C sigma is {n}. {any} e Phi({any}), which is {n},", gradient),
        ("grows like epsilon^-{n} at {any} it grows like epsilon^-{n},", steps),
        ("At epsilon = 64 {any} is {n}.", lambda: f"{64**2 / (4 * math.log(1.25 / 0.001)):.0f}"),
    ],
}


@pytest.mark.parametrize(("letter", "words", "number"), [(name, *one) for name, ones in SAID.items() for one in ones])
def test_a_number_of_a_letter_is_that_of_the_data(letter, words, number):
    text = " ".join((LETTERS / f"{letter}.md").read_text(encoding="utf-8").split())
    assert re.findall(pattern(words), text) == [number()]


FAILED = {
    "basu2019": ({"definitions"}, {"Theorem 2", "Theorem 3"}),
    "chen2020": ({"semibandits"}, {"Theorem 9"}),
    "zheng2020": ({"convex", "contextual"}, set()),
    "wang2021": ({"cascading"}, {"Theorem 1", "Theorem 3", "Theorem 5", "Theorem 8"}),
    "tao2022": ({"heavy_tailed"}, {"(4)", "(5)"}),
}
REPAIRED = {"chen2020": {"Theorem 2", "Theorem 4"}, "zheng2020": {"Theorem 9"}}
REPAIRED |= {"wang2021": {"Theorem 2", "Theorem 4", "Theorem 8", "Theorem 9", "Theorem 12"}}


@pytest.mark.parametrize("letter", FAILED)
def test_a_letter_names_each_theorem_that_fails_or_is_repaired(letter):
    chapters, failed = FAILED[letter]
    assert set().union(*(numbered(chapter, "not reproduced") for chapter in chapters)) == failed
    repaired = set().union(*(numbered(chapter, "reproduced after repair") for chapter in chapters))
    assert repaired == REPAIRED.get(letter, set())
    told = (LETTERS / f"{letter}.md").read_text(encoding="utf-8")
    for words in re.findall(r"Theorems (.*?)[.:;(]", told):
        told += "".join(f" Theorem {number}." for number in re.findall(r"\d+", words))
    assert all(name in told for name in failed | repaired)

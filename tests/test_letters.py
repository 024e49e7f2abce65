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
from private_bandits_book.judging.verdicts import NUMBERED, verdicts_in_words
from private_bandits_book.studies import stored

LETTERS = Path(__file__).parents[1] / "letters"


def ledger(chapter):
    with (folder(chapter) / "claims.csv").open(encoding="utf-8", newline="") as file:
        return {row["claim"]: row for row in csv.DictReader(file)}


def counted(chapter):
    return verdicts_in_words(row["verdict"] for row in ledger(chapter).values() if row["kind"] in NUMBERED)


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
    bound = definitions.theorem_3(n_arms=2, epsilon=0.1, horizon=10**7)
    assert bound > 10**7
    return f"{bound / math.sqrt(10**7):,.0f}"[:-2] + "00"


def gradient():
    """The noise of Algorithm 3, that of its gradient, and the least delta at epsilon = 1 of gradients 2 apart."""
    sigma = 6 * math.sqrt(2 * math.log(3.75 / 0.001))
    apart = 2 / (0.1 * sigma)
    delta = norm.cdf(apart / 2 - 1 / apart) - math.e * norm.cdf(-apart / 2 - 1 / apart)
    return f"{sigma:.1f}", f"{0.1 * sigma:.2f}", f"{delta:.3f}"


def steps():
    fit = convex.of_epsilon(stored("convex", "steps", folder("convex")), "two points, convex", "printed")
    return f"{fit.fit.measured:.2f}", f"{float(ledger('convex')['two-points-optimal']['measured']):.2f}"


def classical():
    (loss,) = re.findall(r"epsilon = 64 the privacy loss is (\d+)", ledger("convex")["gaussian-mechanism"]["reason"])
    return loss


def zero_rewards():
    kept = tails.local_loss(epsilon=1.0)
    return f"{kept:.2f}", f"{kept:.2f}", f"{kept:.2f}", f"{0.1 / (kept * 0.1**4):.0f}", f"{1 / 0.1:.0f}"


# By letter: sentences, and what stands in their groups, one after another; `{}` is a number.
SAID = {
    "basu2019": [
        ("figures we count {w};", lambda: counted("definitions")),
        ("the bound is about {n} sqrt(T)", theorem_3),
        ("which is {n}: the best guess of the individual's bit is right with probability {n}.", guesses),
    ],
    "chen2020": [
        ("figures we count {w}.", lambda: counted("semibandits")),
        ("regret beyond 10^{n} rounds", first_report),
        ("the left side is {n} and the right side {n}.", theorem_9),
    ],
    "tao2022": [
        ("figures we count {w};", lambda: counted("heavy_tailed")),
        (
            "here {n} Delta^4. {any} ln T/({n} Delta^4) {any} ln T/({n} Delta^3). "
            "{any} the two are {n} ln T and {n} ln T",
            zero_rewards,
        ),
    ],
    "wang2021": [
        ("figures we count {w}.", lambda: counted("cascading")),
        ("the numbers alone have a privacy loss of {n}.", lambda: f"{2 / (0.01 * 4 / 0.2):.0f}"),
        (
            "the first is {n} and the second {n}.",
            lambda: (f"{1 / 0.005:.0f}", f"{0.005 / divergence(0.005, 0.01):.1f}"),
        ),
        (
            "100,000 it has {n} % of the regret of uniformly random lists; Algorithm 2, with the noise of Theorem 3, "
            "has {n} %.",
            lambda: (
                share("Response, first item", "figure-private"),
                share("Laplace", "figure-1a", variant="stated"),
            ),
        ),
    ],
    "zheng2020": [
        ("we count, without contexts, {w}, and", lambda: counted("convex")),
        ("and with contexts {w}.", lambda: counted("contextual")),
        ("is {n}, and C sigma is {n}. The least delta at epsilon = 1 of this Gaussian pair is {n},", gradient),
        ("grows like epsilon^-{n} at {any} it grows like epsilon^-{n},", steps),
        ("At epsilon = 64 the exact privacy loss is {n}.", classical),
    ],
}


@pytest.mark.parametrize(("letter", "words", "number"), [(name, *one) for name, ones in SAID.items() for one in ones])
def test_a_number_of_a_letter_is_that_of_the_data(letter, words, number):
    text = " ".join((LETTERS / f"{letter}.md").read_text(encoding="utf-8").split())
    assert re.findall(pattern(words), text) == [number()]


def test_a_letter_for_each_paper_and_it_says_what_a_letter_must():
    letters = {path.stem: path.read_text(encoding="utf-8") for path in LETTERS.glob("*.md")}
    index = letters.pop("README")
    assert set(letters) == set(SAID) == set(re.findall(r"\((\w+)\.md\)", index))
    assert "They have not been sent." in index
    heads = "judged, and from which text", "was reproduced", "fails", "may have read too narrowly", "How to answer"
    for name, text in letters.items():
        bold = " ".join(re.findall(r"\*\*(.+?)\*\*", text))
        places = [bold.find(head) for head in heads]
        assert places == sorted(places) and places[0] >= 0, name
        assert "[address]" in text and "://" not in text and len(text.split()) <= 750, name

"""The findings of a chapter stand before their evidence; each number in them is one of the committed data."""

from __future__ import annotations

import math
import re

import pandas as pd
import pytest
from replay import committed, folder, prose

from private_bandits.papers.heavy_tailed import algorithm_3, setting
from private_bandits_book.book import find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.chapters.cascading import pictures, studies
from private_bandits_book.chapters.convex import studies as convex
from private_bandits_book.chapters.heavy_tailed import lemmas as tails
from private_bandits_book.chapters.heavy_tailed.studies import PANEL
from private_bandits_book.chapters.semibandits import studies as sets
from private_bandits_book.numbers import interval
from private_bandits_book.studies import stored


def findings(chapter):
    (text,) = (text for text in prose(chapter) if "## What we found" in text)
    return text.partition("## What we found")[2]


def value(chapter, file, column="regret", **wanted):
    """A number of the one row of committed data that has these values."""
    rows = pd.read_csv(folder(chapter) / f"{file}.csv")
    for name, one in wanted.items():
        rows = rows[rows[name] == one]
    (found,) = rows[column]
    return found


def cascading(policy, epsilon, file="figure-private", **wanted):
    return value("cascading", file, t=100_000, policy=policy, epsilon=epsilon, **wanted)


def uniform_share(regret):
    return f"{100 * regret / cascading('uniform', math.inf):,.0f}"


def guess(name):
    return f"{value('definitions', 'figure-inference', 'success', epsilon=1.0, guess=name):.2f}"


def factor(policy):
    return f"{value('definitions', 'figure-price', t=10**7, policy=policy):.1f}"


def price(policy, c):
    """Regret at v = 0.9 over that without privacy."""
    wanted = {"policy": policy, "c": c, "epsilon": 1.0, "v": 0.9}
    free = value("heavy_tailed", "figure-price", "without", **wanted)
    return value("heavy_tailed", "figure-price", **wanted) / free


def thousands(number):
    return f"{round(number, -3):,.0f}"


def fitted(label, learner, *subject):
    rows = stored("convex", label, folder("convex"))
    fit = convex.of_epsilon if label == "steps" else convex.fit
    return f"{fit(rows, learner, *subject).fit.measured:.2f}"


def power(policy):
    return value("contextual", "table-powers", "one set, d = 2", policy=policy).split()[0]


def ends():
    parameters = {name: one.default for name, one in find_book().parameters("semibandits").items()}
    growth = sets.growth(sets.added(Chapter("semibandits", parameters).long("blocks")))
    exponents = [one.measured for one in growth[growth["algorithm"].str.contains("blocks")]["exponent"]]
    return f"{min(exponents):.1f} and {max(exponents):.1f}"


BIT = "Response, first item"
SAID = {
    "cascading": {
        r"this bit leads to (\S+) % of the regret of uniformly": lambda: uniform_share(cascading(BIT, 0.2)),
        r"its theorem states, has (\S+) %": lambda: uniform_share(
            cascading("Laplace", 0.2, "figure-1a", variant="stated")
        ),
        r"At \$\\epsilon=1\$ its regret is ([\d,]*\d)": lambda: f"{cascading('Blocks, kept', 1.0):,.0f}",
        r"answered without noise it leads to ([\d,]*\d)": lambda: f"{cascading(BIT, math.inf):,.0f}",
        r"on which the paper builds has ([\d,]*\d)": lambda: f"{cascading('CascadeUCB1', math.inf):,.0f}",
    },
    "contextual": {
        r"which we build below, has \$T\^\{(\S+)\}\$": lambda: power("weighted regression"),
        r"our constants regret of order \$T\^\{(\S+)\}\$": lambda: power("Algorithm 5, our constants"),
    },
    "convex": {
        r"runs its regret grows like \$\\epsilon\^\{-(\S+)\}\$": lambda: fitted(
            "steps", "two points, convex", "printed"
        ),
        r"knows the noise like \$\\epsilon\^\{-(\S+)\}\$": lambda: fitted("steps", "two points, convex", "tuned"),
        r"gradient descent has \$T\^\{(\S+)\}\$": lambda: fitted("powers", "convex, smooth", "sphere", 16.0),
        r"for them has regret of order \$T\^\{(\S+)\}\$": lambda: fitted(
            "powers", "convex, smooth", "saha_tewari", 16.0
        ),
    },
    "definitions": {
        r"one private answer is guessed with probability ([\d.]*\d)": lambda: guess("one answer"),
        r"each time, it is guessed with probability ([\d.]*\d)": lambda: guess("all answers of one person"),
        r"a local algorithm has ([\d.]*\d) times the regret": lambda: factor("LDP-UCB-B"),
        r"noise, and a central one ([\d.]*\d) times": lambda: factor("DP-KLUCB"),
    },
    "heavy_tailed": {
        r"centrally private and has about (\w+) times": lambda: {3: "three"}[round(price("DP Robust SE", "least c"))],
        r"the talk shows none, has (\S+) times as much": lambda: thousands(price("LDP Robust SE", "least c")),
        r"of the talk's central one, (\S+) times": lambda: thousands(
            price("LDP Robust SE", f"c = {algorithm_3.PRINTED_C:g}")
        ),
    },
    "semibandits": {r"an exponent of \$K\$ between (\d\.\d and \d\.\d)": ends},
}
# What else has digits: names, exponents of T and K, what is given, and what is claimed.
OTHER = {
    "cascading": (r"100,000 visitors", ["0.2"]),
    "contextual": (r"Algorithm 5|T\^\{3/4\}|\(\d{4}\)", ["1"]),
    "convex": (r"Table 1|\$1/\\epsilon\^2\$", ["1"]),
    "definitions": ("", ["1", "1", "2", "1", "10", "7", "0.2"]),
    "heavy_tailed": (r"\$[^$]*\$|\(\d{4}\)|\]\([^)]*\)", []),
    "semibandits": (r"K\^2|tends to 0", []),
}


@pytest.mark.parametrize("chapter", SAID)
def test_the_numbers_of_the_findings_are_those_of_the_data_and_there_are_no_others(chapter):
    text = findings(chapter)
    for words, number in SAID[chapter].items():
        assert re.findall(words, text) == [number()], words
    for words in (*SAID[chapter], OTHER[chapter][0]):
        text = re.sub(words, "", text)
    assert sorted(set(re.findall(r"\d+(?:\.\d+)?", text))) == sorted(set(OTHER[chapter][1]))


def test_the_twelve_panels_at_two_horizons_under_two_laws_are_below():
    order = committed("heavy_tailed", "order")
    late = order[order["horizon"] >= 10**12]  # as the cell has it
    assert sorted(late["horizon"].unique()) == [10**12, 10**15]
    means = late.groupby([*PANEL, "policy"])[["low", "high"]].mean().reset_index()
    mine, other = (means[means["policy"] == name].reset_index() for name in ("DP Robust SE", "DP Robust UCB"))
    assert len(mine) == 48 and (mine["high"] < other["low"]).all()


def test_the_least_constants_of_heavy_tails_are_those_that_are_proved():
    u = setting(1, 0.9).moment(0.9)
    rows = pd.read_csv(folder("heavy_tailed") / "figure-price.csv").query("c == 'least c'")
    for policy, trust in (("DP Robust SE", "central"), ("LDP Robust SE", "local")):
        for row in rows[rows["policy"] == policy].itertuples():
            (c,) = re.findall(r"c = (\S+)", row.variant)
            assert float(c) == pytest.approx(tails.least_c(trust, row.epsilon, 0.9, u), rel=1e-5)
    words = " ".join(prose("heavy_tailed"))
    least = [tails.least_c(trust, 1.0, 0.9, 8.0) for trust in ("none", "central", "local")]
    assert [round(c) for c in least] == [11, 19, 20]
    assert "at $\\epsilon=1$ the least $c$ that is proved is 19. Without noise" in words
    assert "and the least $c$ is 11. Under local privacy the least $c$ is 20." in words


def test_the_exponents_on_the_page_of_proofs_for_cascades_are_those_of_the_data():
    text = (find_book().pages / "cascading_proofs.md").read_text(encoding="utf-8")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    rows = {first: rest for first, *rest in lines}
    chapter = Chapter("cascading", {name: one.default for name, one in find_book().parameters("cascading").items()})
    for (algorithm, quantity), found in studies.fits(chapter.long("growth")).items():
        if quantity != studies.LOG:
            name = studies.name_of(algorithm)
            place = (studies.EPSILON, studies.SIZE, studies.DELTA).index(quantity)
            assert rows[pictures.NAMES.get(name, name)][place] == interval(found.fit)
    for p, runs in chapter.long("kappa").groupby("p"):
        (one, kappa), (blocks, _) = (studies.kappa_fit(runs, trust) for trust in ("local", "central"))
        assert rows[f"{p:g}"] == [interval(one), interval(blocks), f"{kappa:.2f}"]

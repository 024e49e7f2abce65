"""The findings of the heavy-tailed chapter stand before their evidence; their numbers are those of its data.

The price of privacy, the constants that it is stated at and the caption of its figure come from one place.
"""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from private_bandits.papers.heavy_tailed import algorithm_3, setting
from private_bandits_book.chapters.book import find_book
from private_bandits_book.heavy_tailed import lemmas, rules
from private_bandits_book.heavy_tailed.long import PANEL

BOOK = find_book()
CELLS = json.loads(BOOK.path("heavy_tailed").read_text(encoding="utf-8"))["cells"]
TEXT = next(" ".join("".join(one["source"]).split()) for one in CELLS if "## What we found" in "".join(one["source"]))
TEXT = TEXT[TEXT.index("## What we found") :]
PRICE = pd.read_csv(BOOK.data("heavy_tailed") / "figure-price.csv")
TALK = f"c = {algorithm_3.PRINTED_C:g}"


def price(policy: str, c: str, epsilon: float = 1.0) -> float:
    """Regret over that without privacy, at v = 0.9, of one row of committed data."""
    rows = PRICE[(PRICE["policy"] == policy) & (PRICE["c"] == c) & (PRICE["epsilon"] == epsilon)]
    (found,) = rows["regret"] / rows["without"]
    assert (rows["v"] == 0.9).all()
    return float(found)


SAID = {
    r"centrally private and has about (\w+) times": "three" if 2.5 < price("DP Robust SE", "least c") < 3.5 else "",
    r"locally private and has (\S+) times as much": f"{round(price('LDP Robust SE', 'least c'), -3):,.0f}",
    r"with the schedule of the talk (\S+) times": f"{round(price('LDP Robust SE', TALK), -3):,.0f}",
}


@pytest.mark.parametrize(("words", "measured"), SAID.items(), ids=range(len(SAID)))
def test_a_number_of_the_findings_is_that_of_the_data(words, measured):
    (said,) = re.findall(words, TEXT)
    assert said == measured


def test_no_other_number_stands_in_the_findings():
    rest = TEXT
    for words in SAID:
        rest = re.sub(words, "", rest)
    rest = re.sub(r"\$[^$]*\$|\(\d{4}\)|\]\([^)]*\)", "", rest)
    assert re.findall(r"\d+(?:\.\d+)?", rest) == []


def test_the_twelve_panels_at_two_horizons_under_two_laws_are_below():
    order = pd.read_csv(BOOK.data("heavy_tailed") / "long-order.csv")
    late = order[order["horizon"] >= rules._JUDGED_FROM]
    assert sorted(late["horizon"].unique()) == [10**12, 10**15]
    means = late.groupby([*PANEL, "policy"])[["low", "high"]].mean().reset_index()
    mine, other = (means[means["policy"] == name].reset_index() for name in ("DP Robust SE", "DP Robust UCB"))
    assert len(mine) == 48 and (mine["high"] < other["low"]).all()


@pytest.mark.parametrize(("policy", "trust"), [("DP Robust SE", "central"), ("LDP Robust SE", "local")])
def test_the_least_constants_of_the_figure_are_those_that_are_proved(policy, trust):
    u = setting(1, 0.9).moment(0.9)
    for row in PRICE[(PRICE["policy"] == policy) & (PRICE["c"] == "least c")].itertuples():
        (c,) = re.findall(r"c = (\S+)", row.variant)
        assert float(c) == pytest.approx(lemmas.least_c(trust, row.epsilon, 0.9, u), rel=1e-5)


def test_the_constants_that_the_page_names_are_the_least_that_are_proved():
    words = " ".join(" ".join("".join(cell["source"]).split()) for cell in CELLS if cell["cell_type"] == "markdown")
    least = [lemmas.least_c(trust, 1.0, 0.9, 8.0) for trust in ("none", "central", "local")]
    assert [round(c) for c in least] == [11, 19, 20]
    assert "at $\\epsilon=1$ the least $c$ that is proved is 19. Without noise" in words
    assert "and the least $c$ is 11. Under local privacy it is 20." in words
    assert "19 under central and 20 under local privacy" in words

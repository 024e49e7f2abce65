"""Claims are data, rules are code, and a row comes out of both and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

import pandas as pd
import pytest

from private_bandits.estimates import Interval
from private_bandits_book.book import find_book
from private_bandits_book.judging import at_most
from private_bandits_book.judging.claims import COLUMNS, claims_of, read_claims
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.judging.rulings import LONGEST_REASON
from private_bandits_book.judging.verdicts import (
    BOOK,
    EVIDENCE,
    MEASURED,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    VERDICTS,
    described,
    maker,
    totals,
)
from private_bandits_book.package_data import tables

TOML = """
[[claim]]
claim = "contribution"
kind = "contribution"
locus = "Abstract"
statement = "Both hold."
rests_on = ["theorem-2", "theorem-1"]

[[claim]]
claim = "theorem-1"
kind = "theorem"
locus = "Theorem 1"
statement = "Regret grows as T^a for a in {0, 1}."
long = true

[[claim]]
claim = "theorem-2"
kind = "theorem"
locus = "Theorem 2"
statement = "And so on."
rests_on = ["theorem-1"]
refuted_by = "More regret in any of 9 settings."
closest = "0.93 at T = 100, of 40 random instances."

[[claim]]
claim = "table-1"
kind = "table"
locus = "Table 1"
statement = "All of it."
rests_on = ["theorem-1"]

[[claim]]
claim = "figure-9"
kind = "figure"
locus = "Figure 9"
statement = "It looks so."
not_testable = "the data are not public"
"""
RATE = partial(at_most, claimed=0.5, wrong=1.0, quantity="T")
GOOD, BAD = RATE(Interval(0.5, 0.4, 0.6)), RATE(Interval(2.0, 1.9, 2.1))


def judged(**rulings):
    claims = {claim.claim: claim for claim in read_claims(TOML)}
    found = {"theorem-1": GOOD, "theorem-2": BAD} | {name.replace("_", "-"): one for name, one in rulings.items()}
    return ledger(claims, found, "private-bandits reproduce tiny")


def test_a_ledger_has_the_contracts_columns_and_a_row_a_claim_in_order(tmp_path):
    table = judged()
    assert tuple(table.columns) == COLUMNS
    rows = table.set_index("claim")
    assert list(rows.index) == ["contribution", "theorem-1", "theorem-2", "table-1", "figure-9"]
    assert rows["verdict"].tolist() == [NOT_REPRODUCED, REPRODUCED, NOT_REPRODUCED, REPRODUCED, NOT_TESTABLE]
    assert rows.loc["contribution", "reason"] == "not reproduced: theorem-2; 1 other is better"
    assert rows.loc["theorem-1", ["measured", "low", "high"]].tolist() == [0.5, 0.4, 0.6]
    assert rows.loc["figure-9", "reason"] == "the data are not public"
    assert rows.loc["theorem-1", "command"] == "private-bandits reproduce tiny --long"
    assert rows.loc["table-1", "command"] == "private-bandits reproduce tiny"
    assert rows["evidence"].tolist() == ["inherited", "measured", "measured", "inherited", "derived"]
    assert rows["excludes"].tolist() == ["", "1", "", "", ""]
    assert rows["rests_on"].tolist() == ["theorem-2;theorem-1", "", "theorem-1", "theorem-1", ""]
    own = ("own-bit", "contribution", NOT_REPRODUCED, "exact"), ("kveton", "anchor", REPRODUCED, "measured")
    rows = [*zip(table["claim"], table["kind"], table["verdict"], table["evidence"], strict=True), *own]
    assert totals(*zip(*rows, strict=True)) == (
        "4 numbered theorems, tables and figures: 2 reproduced, 1 not reproduced, 1 not testable. "
        "7 rows: 5 of the papers, 1 of this book, 1 of other works; by evidence 1 exact, 3 measured, 1 derived, "
        "2 inherited. "
        "Not reproduced: 1 of the papers by themselves, 1 by what they rest on; 1 of the others."
    )
    table.to_csv(tmp_path / "claims.csv", index=False, float_format="%.10g")
    read = pd.read_csv(tmp_path / "claims.csv", dtype={"excludes": str}).fillna({c: "" for c in COLUMNS[-5:]})
    pd.testing.assert_frame_equal(read, table)


def test_what_is_not_measured_is_undecided_and_so_is_what_rests_on_it():
    table = judged(theorem_1=RATE(None), theorem_2=GOOD).set_index("claim")
    assert table["verdict"].tolist() == [UNDECIDED] * 4 + [NOT_TESTABLE]
    assert table.loc["theorem-1", ["measured", "low", "high"]].isna().all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"theorem-2"\nkind', '"theorem-1"\nkind', "claims must be unique, got theorem-1 more than once"),
        ('rests_on = ["theorem-1"]', 'rests_on = ["theorem-7"]', "rests_on must name claims .* got theorem-7"),
        ('kind = "figure"', 'kind = "figure"\nevidence = "seen"', "evidence must be"),
        ('kind = "figure"', 'kin = "figure"', "must have claim, kind, locus, statement, got none of kind$"),
        ('kind = "figure"', 'kind = "Figure"', "^[a-z0-9-]+: kind must be one of .*, got 'Figure'"),
        ('refuted_by = "More', 'quantity = "More', "refuted_by and closest must be given together, got '0.93"),
    ],
)
def test_malformed_claims_are_refused_by_name(old, new, message):
    assert old in TOML
    with pytest.raises(ValueError, match=message):
        read_claims(TOML.replace(old, new))


CHAPTERS = [chapter for chapter in find_book().chapters() if described(chapter)[1]]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_committed_row_says_what_it_rests_on_and_what_it_excludes(chapter):
    rows = pd.read_csv(find_book().data(chapter) / "claims.csv", keep_default_na=False)
    assert tuple(rows.columns) == COLUMNS and rows["verdict"].isin(VERDICTS).all() and rows["claim"].is_unique
    decided = rows[rows["verdict"].isin([REPRODUCED, "reproduced after repair", NOT_REPRODUCED])]
    assert rows["evidence"].isin(EVIDENCE).all()
    assert (rows.loc[rows["evidence"] == "inherited", "rests_on"] != "").all()
    measured = decided[(decided["evidence"] == "measured") & (decided["verdict"] == REPRODUCED)]
    assert (measured["excludes"] != "").all(), measured.loc[measured["excludes"] == "", "claim"].tolist()
    assert rows["reason"].str.len().between(1, LONGEST_REASON).all()
    assert not rows["reason"].str.contains(r"\bnan\b").any()
    assert not rows["reason"].str.endswith("…").any(), rows.loc[rows["reason"].str.endswith("…"), "claim"].tolist()
    named = {claim.claim for claim in claims_of(chapter) if claim.quantity}
    assert set(rows.loc[rows["measured"] != "", "claim"]) <= named


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_comparison_of_ours_says_what_would_refute_it_and_how_near_a_search_came(chapter):
    """What the book claims by runs it has searched for the opposite of, and says where that was nearest."""
    rows = pd.read_csv(find_book().data(chapter) / "claims.csv", keep_default_na=False)
    told = {claim.claim: (claim.refuted_by, claim.closest) for claim in claims_of(chapter)}
    stale = f"run private-bandits reproduce {chapter}"
    assert {row.claim: (row.refuted_by, row.closest) for row in rows.itertuples()} == told, stale
    ours = rows[rows["claim"].str.startswith("own-") & (rows["evidence"] == MEASURED)]
    assert set(ours.loc[ours["closest"] == "", "claim"]) == set(), (
        "claims.toml must say refuted_by and closest of these"
    )
    found = rows.loc[rows["closest"] != "", ["refuted_by", "closest"]]
    assert found["closest"].str.contains(r"\d").all() and not found.stack().duplicated().any()


def numbers(declared):
    """A count, or the numbers themselves where several kinds are counted together."""
    return range(1, declared + 1) if isinstance(declared, int) else declared


PAPERS = ["definitions", "semibandits", "convex", "contextual", "cascading", "heavy_tailed"]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_this_book_claims_is_told_apart_from_what_a_paper_claims(chapter):
    for claim in claims_of(chapter):
        own = maker(claim.claim, claim.kind) == BOOK
        assert own == (claim.locus.startswith("This book") or chapter not in PAPERS), claim.claim
        assert claim.kind == "contribution" or not own, claim.claim


@pytest.mark.parametrize("chapter", PAPERS)
def test_all_that_a_paper_numbers_has_a_row_and_nothing_else_a_number(chapter):
    """`claims.toml` declares how many theorems and the like the paper has, counted in its text."""
    counts = tables(chapter, "claims")["numbered"]
    kinds = "Definition|Lemma|Theorem|Corollary|Fact|Remark|Figure|Table"
    places = {place for claim in claims_of(chapter) for place in re.findall(rf"\b({kinds})s? (\d+)", claim.locus)}
    foreign = {("Table", "1")} if chapter == "cascading" else set()  # of Kveton et al. (2015)
    assert places - foreign == {(kind, str(number)) for kind, ns in counts.items() for number in numbers(ns)}


@pytest.mark.parametrize("chapter", PAPERS)
def test_each_claim_that_a_paper_numbers_has_exactly_one_row(chapter):
    """`claims.toml` declares the numbers, and which of them hold several claims; a reading of ours says so."""
    declared = tables(chapter, "claims")
    stated = {kind: numbers(ns) for kind, ns in declared["numbered"].items() if kind not in ("Figure", "Table")}
    claimed = {f"{kind} {number}": 1 for kind, ns in stated.items() for number in ns}
    claimed |= {f"({number})": 1 for number in declared.get("equations", ())} | declared.get("several", {})
    bare = r"^(?:Definition|Lemma|Theorem|Corollary|Fact|Remark) \d+(?= \(\d+ in the appendix\)$|$)|(?<=, )\(\d\)$"
    loci = [claim.locus for claim in claims_of(chapter)]
    assert Counter(found[0] for locus in loci if (found := re.search(bare, locus))) == claimed

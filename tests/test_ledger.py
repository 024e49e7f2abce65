"""Claims are data, rules are code, and a row comes out of both and nothing else."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from importlib import import_module
from types import SimpleNamespace

import pandas as pd
import pytest

from private_bandits.estimates import Interval
from private_bandits.papers.cascading import uniform
from private_bandits_book.chapters.book import find_book
from private_bandits_book.ledger import COLUMNS, Claim, Row, Rulebook, claims_of, judged, read_claims
from private_bandits_book.package_data import tables
from private_bandits_book.rules import LONGEST_REASON, Rate, all_of
from private_bandits_book.verdicts import (
    EVIDENCE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    described,
    totals,
    verdicts_in_words,
)

TOML = """
[[claim]]
claim = "contribution"
kind = "contribution"
locus = "Abstract"
statement = "Both hold, within {slack}."
rests_on = ["theorem-2", "theorem-1"]

[[claim]]
claim = "theorem-1"
kind = "theorem"
locus = "Theorem 1"
statement = "Regret grows as T^a for a in {0, 1}."
long = true
power = 0.5

[[claim]]
claim = "theorem-2"
kind = "theorem"
locus = "Theorem 2"
statement = "And so on, to T = {rounds}."
rests_on = ["theorem-1"]

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
PLAYED = uniform()
STUDY = SimpleNamespace(horizon=1000, slope=Interval(0.5, 0.4, 0.6), other=Interval(2.0, 1.9, 2.1))


def rulebook() -> Rulebook:
    words = {"slack": "0.2", "rounds": lambda study: f"{study.horizon:g}", "unsaid": lambda study: study.long}
    rules = Rulebook(**words)  # what no statement says is not looked up: it may take long
    rules("theorem-1")(lambda study, claim: Rate(claim.facts["power"], {"T": 1.0})(study.slope).of(PLAYED))
    rules("theorem-2")(lambda study, claim: Rate(1.0, {"T^2": 2.0})(study.other).of(PLAYED))
    rules.combining("table-1")(lambda study, claim, parts: all_of(*parts.values()))
    return rules


def test_a_ledger_has_the_contracts_columns_and_a_row_a_claim_in_order(tmp_path):
    table = judged(read_claims(TOML), rulebook(), STUDY, "private-bandits reproduce tiny")
    assert tuple(table.columns) == COLUMNS
    assert COLUMNS == (
        "claim", "kind", "locus", "statement", "measured", "low", "high", "verdict", "reason", "command",
        "evidence", "excludes", "rests_on",
    )  # fmt: skip
    rows = table.set_index("claim")
    assert list(rows.index) == ["contribution", "theorem-1", "theorem-2", "table-1", "figure-9"]
    verdicts = [NOT_REPRODUCED, REPRODUCED, NOT_REPRODUCED, REPRODUCED, NOT_TESTABLE]
    assert rows["verdict"].tolist() == verdicts
    assert rows.loc["contribution", "statement"] == "Both hold, within 0.2."
    assert rows.loc["contribution", "reason"] == "not reproduced: theorem-2; 1 other is better"
    assert rows.loc["theorem-1", "statement"] == "Regret grows as T^a for a in {0, 1}."
    assert rows.loc["theorem-1", ["measured", "low", "high"]].tolist() == [0.5, 0.4, 0.6]
    assert rows.loc["theorem-2", "statement"] == "And so on, to T = 1000."
    assert rows.loc["theorem-2", "measured"] == 2.0 and "is excluded" in rows.loc["theorem-2", "reason"]
    assert rows.loc["figure-9", "reason"] == "the data are not public"
    assert rows.loc["theorem-1", "command"] == "private-bandits reproduce tiny --long"
    assert rows.loc["table-1", "command"] == "private-bandits reproduce tiny"
    assert rows["evidence"].tolist() == ["inherited", "measured", "measured", "inherited", "derived"]
    assert rows["excludes"].tolist() == ["", "T", "", "", ""]
    assert rows["rests_on"].tolist() == ["theorem-2;theorem-1", "", "theorem-1", "theorem-1", ""]
    assert verdicts_in_words(table["verdict"]) == "2 reproduced, 2 not reproduced, 1 not testable"
    assert totals(table["kind"], table["verdict"], table["evidence"]) == (
        "4 numbered theorems, tables and figures: 2 reproduced, 1 not reproduced, 1 not testable. "
        "5 rows by evidence: 2 measured, 1 derived, 2 inherited. 2 rows fail: 1 by themselves, 1 by what they rest on."
    )
    table.to_csv(tmp_path / "claims.csv", index=False, float_format="%.10g")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "claims.csv").fillna({c: "" for c in COLUMNS[-3:]}), table)


def test_what_is_not_measured_is_undecided_and_so_is_what_rests_on_it():
    study = SimpleNamespace(horizon=1000, slope=None, other=Interval(0.5, 0.4, 0.6))
    table = judged(read_claims(TOML), rulebook(), study, "x").set_index("claim")
    assert table["verdict"].tolist() == [UNDECIDED] * 4 + [NOT_TESTABLE]
    assert table.loc["theorem-1", ["measured", "low", "high"]].isna().all()


def test_a_verdict_cannot_be_typed():
    with pytest.raises(TypeError, match="never typed"):
        Row(*["x"] * 4, 1.0, 1.0, 1.0, REPRODUCED, "because", *["x"] * 4)
    rules = rulebook()
    rules.alone["theorem-2"] = lambda study, claim: REPRODUCED
    with pytest.raises(ValueError, match="rulings must come from rules"):
        judged(read_claims(TOML), rules, STUDY, "x")
    rules.combined["table-1"] = lambda study, claim, parts: REPRODUCED
    del rules.alone["theorem-2"]
    with pytest.raises(ValueError, match="rule of table-1 must return a Ruling, got 'reproduced'"):
        judged(read_claims(TOML), rules, STUDY, "x")


def test_a_measured_row_names_what_was_played():
    rules = rulebook()
    rules.alone["theorem-1"] = lambda study, claim: Rate(0.5, {"T": 1.0})(study.slope)
    with pytest.raises(ValueError, match="rule of theorem-1 must name the algorithms that it measured"):
        judged(read_claims(TOML), rules, STUDY, "x")
    for silent in (Interval(), Interval.exact(0.5)):  # not measured, and computed
        study = SimpleNamespace(horizon=1000, slope=silent, other=STUDY.other)
        assert len(judged(read_claims(TOML), rules, study, "x")) == 5


def test_every_claim_needs_a_rule_a_ground_or_a_reason_and_has_one_rule():
    claims = [Claim("theorem-1", "theorem", "Theorem 1", "It holds.")]
    with pytest.raises(ValueError, match="claim theorem-1 must have a rule"):
        judged(claims, Rulebook(), STUDY, "x")
    with pytest.raises(ValueError, match="must have one rule, got a second"):
        rulebook().combining("theorem-1")(all_of)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"theorem-2"\nkind', '"theorem-1"\nkind', "claims must be unique, got theorem-1 more than once"),
        ('rests_on = ["theorem-1"]', 'rests_on = ["theorem-7"]', "rests_on must name claims .* got theorem-7"),
        ('"figure-9"', '"Figure 9"', "claim must be lower-case words"),
        ('kind = "figure"', 'kind = "guess"', "kind must be one of 'definition'"),
        ('kind = "figure"', 'kind = "figure"\nevidence = "seen"', "evidence must be"),
        ('"Figure 9"', '" "', "locus must be one non-empty line"),
        ('"It looks so."', '"two\\nlines"', "statement must be one non-empty line"),
    ],
)
def test_malformed_claims_are_refused_by_name(old, new, message):
    assert old in TOML
    with pytest.raises(ValueError, match=message):
        read_claims(TOML.replace(old, new))


CHAPTERS = [chapter for chapter in find_book().chapters() if described(chapter)[1]]
OLD = [chapter for chapter in CHAPTERS if hasattr(import_module(f"private_bandits_book.{chapter}.rules"), "rules")]


@pytest.mark.parametrize("chapter", OLD)
def test_claims_and_rules_name_the_same_claims(chapter):
    claims, rules = claims_of(chapter), import_module(f"private_bandits_book.{chapter}.rules").rules
    ruled = set(rules.alone) | set(rules.combined)
    assert {c.rule or c.claim for c in claims if not c.rests_on and not c.not_testable} <= ruled
    assert ruled <= {c.rule or c.claim for c in claims if not c.not_testable}
    assert all(f"{{{word}}}" in " ".join(c.statement for c in claims) for word in rules.words)
    committed = pd.read_csv(find_book().data(chapter) / "claims.csv")
    assert [c.claim for c in claims] == committed["claim"].tolist()
    with pytest.raises(dataclasses.FrozenInstanceError):
        claims[0].claim = "another"


def test_a_claim_says_its_own_words_for_computed_numbers():
    claim = Claim(
        "lemma-1", "lemma", "Lemma 1", "It holds.", facts={"reason": "at most {x:.2g}", "repaired": "now {x}"}
    )
    good, bad = claim.holds(True, 3.0, x=0.12345), claim.holds(False, said="repaired", x=2)
    assert (good.verdict, good.reason, good.measurement.measured) == (REPRODUCED, "at most 0.12", 3.0)
    assert (bad.verdict, bad.reason) == (NOT_REPRODUCED, "now 2")
    assert claim.holds(None, x=None).verdict == UNDECIDED
    with pytest.raises(KeyError):
        claim.holds(True, said="nothing")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_committed_row_says_what_it_rests_on_and_what_it_excludes(chapter):
    rows = pd.read_csv(find_book().data(chapter) / "claims.csv", keep_default_na=False)
    decided = rows[rows["verdict"].isin([REPRODUCED, "reproduced after repair", NOT_REPRODUCED])]
    assert rows["evidence"].isin(EVIDENCE).all()
    assert (rows.loc[rows["evidence"] == "inherited", "rests_on"] != "").all()
    measured = decided[(decided["evidence"] == "measured") & (decided["verdict"] == REPRODUCED)]
    assert (measured["excludes"] != "").all(), measured.loc[measured["excludes"] == "", "claim"].tolist()
    assert rows["reason"].str.len().between(1, LONGEST_REASON).all()
    assert not rows["reason"].str.endswith("…").any(), rows.loc[rows["reason"].str.endswith("…"), "claim"].tolist()
    named = {claim.claim for claim in claims_of(chapter) if claim.quantity}
    assert set(rows.loc[rows["measured"] != "", "claim"]) <= named


def numbers(declared):
    """A count, or the numbers themselves where several kinds are counted together."""
    return range(1, declared + 1) if isinstance(declared, int) else declared


PAPERS = ["definitions", "semibandits", "convex", "contextual", "cascading", "heavy_tailed"]


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

"""What the claims of all chapters share: each has its rule, and any computed number may come out otherwise."""

from __future__ import annotations

import inspect
import math
import re

import pandas as pd
import pytest
from claims import between, rules_of

from private_bandits.papers.definitions import bounds, factor, replacements
from private_bandits_book.book import find_book
from private_bandits_book.chapters.cascading import lemmas as cascading
from private_bandits_book.chapters.convex import lemmas as convex
from private_bandits_book.chapters.definitions import lemmas as definitions
from private_bandits_book.chapters.definitions import pictures
from private_bandits_book.chapters.semibandits import lemmas as semibandits
from private_bandits_book.judging.claims import claims_of
from private_bandits_book.judging.verdicts import AFTER_REPAIR, EXACT, NOT_REPRODUCED, REPRODUCED, UNDECIDED

CHAPTERS = ["audit", "cascading", "contextual", "convex", "definitions", "heavy_tailed", "replay", "semibandits"]


def judged(chapter):
    """The claims whose verdicts the cells of a committed notebook show."""
    text = find_book().path(chapter).read_text(encoding="utf-8")
    return set(re.findall(rf'<details id=\\"{chapter}-claim-([a-z0-9-]+)\\"', text))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_claim_is_judged_and_no_rule_is_left_over(chapter):
    """By a rule without evidence, by a ruling or the evidence of a rule in a cell, or by what it rests on."""
    claims, rules, cells = claims_of(chapter), rules_of(chapter), judged(chapter)
    alone = {claim for claim, rule in rules.items() if not inspect.signature(rule).parameters}
    needed = {claim.claim for claim in claims if not claim.rests_on and not claim.not_testable}
    assert needed - alone - cells == set(), "neither a rule without evidence nor a cell"
    assert set(rules) - {claim.claim for claim in claims if not claim.not_testable} == set(), "a rule without a claim"
    assert set(rules) - alone - cells == set(), "a rule that no cell gives its evidence"


COMPOSED, CONCENTRATED = definitions.composition(1.0, (2, 3, 4)), definitions.concentrated(1.0)
LARGER_RHO = COMPOSED.assign(rho=COMPOSED["rho_allowed"] * 1.01)
# A claim, a number that is computed for it, another value of that number, and the verdict then.
OTHERWISE = {
    "cascading": [
        ("lemma-1", cascading, "hybrid_coverage", (between(0.002, 0.0099), 0.0, between(0.9, 1.0)), REPRODUCED),
        ("lemma-1", cascading, "hybrid_coverage", (between(0.0101, 0.02), 0.0, between(0.002, 0.0099)), AFTER_REPAIR),
        ("lemma-1", cascading, "hybrid_coverage", (between(0.0101, 0.02), 0.0, between(0.0099, 0.02)), UNDECIDED),
        ("lemma-1", cascading, "hybrid_coverage", (between(0.0101, 0.02), 0.0, between(0.0101, 0.02)), NOT_REPRODUCED),
        ("lemma-3", cascading, "classical_gaussian_excess", (1.0, 1.0, math.inf), REPRODUCED),
        ("lemma-4", cascading, "decomposition_slack", (0.0, 0.1), REPRODUCED),
        ("lemma-4", cascading, "decomposition_slack", (0.1, -1e-9), NOT_REPRODUCED),
        ("lemma-5", cascading, "laplace_tail_ratio", 1.001, NOT_REPRODUCED),
        ("lemma-6", cascading, "gaussian_tail_ratio", 1.001, NOT_REPRODUCED),
        ("theorem-7", cascading, "theorem_7_excess", 1.001, NOT_REPRODUCED),
        ("theorem-2", cascading, "hybrid_exponents", (1.49, (9.0, 9.0, 9.0)), REPRODUCED),
        ("theorem-2", cascading, "hybrid_exponents", (1.51, (1.49, 1.49, 1.24)), AFTER_REPAIR),
        ("theorem-2", cascading, "hybrid_exponents", (1.51, (1.51, 1.0, 1.0)), NOT_REPRODUCED),
        ("theorem-2", cascading, "hybrid_exponents", (1.51, (1.0, 1.51, 1.0)), NOT_REPRODUCED),
        ("universality", cascading, "hybrid_exponents", (1.51, (1.0, 1.0, 1.26)), NOT_REPRODUCED),
        ("theorem-4", cascading, "hidden_item_power", 1.0, REPRODUCED),
        ("theorem-4", cascading, "exponents", cascading.Exponents(1.0, 2.26, 2.0, 0.0), NOT_REPRODUCED),
        ("theorem-4", cascading, "exponents", cascading.Exponents(1.24, 1.0, 2.24, 0.0), AFTER_REPAIR),
        ("theorem-8-regret", cascading, "exponents", cascading.Exponents(1.0, 1.26, 2.0, 1.0), NOT_REPRODUCED),
        ("theorem-6", cascading, "exponents", cascading.Exponents(1.26, 1.0, 2.0, 1.0), NOT_REPRODUCED),
        ("theorem-10", cascading, "exponents", cascading.Exponents(1.0, 1.0, 2.0, 1.26), NOT_REPRODUCED),
        ("theorem-11", cascading, "theorem_11_over_proved", 1.001, NOT_REPRODUCED),
        ("theorem-11-remark", cascading, "theorem_11_at_one_over_k", (0.02, -1.0), UNDECIDED),
        ("theorem-12", cascading, "theorem_12_over_proved", (0.24, 9.0), REPRODUCED),
        ("theorem-12", cascading, "theorem_12_over_proved", (0.26, 2.01), NOT_REPRODUCED),
        ("matching-ldp", cascading, "exponents", cascading.Exponents(0.24, 0.24, 0.24, 1.0), REPRODUCED),
        ("k-squared", cascading, "reply_exponents", (0.76, 1.0), REPRODUCED),
        ("k-squared", cascading, "reply_exponents", (0.0, 0.74), NOT_REPRODUCED),
    ],
    "semibandits": [
        ("fact-1", semibandits, "fact_1", 1.001, NOT_REPRODUCED),
        ("lemma-1", semibandits, "lemma_1_loss", (1.0, 1.0, 1.0), REPRODUCED),
        ("lemma-1", semibandits, "lemma_1_loss", (1.1, 1.1, 1.1), NOT_REPRODUCED),
        ("lemma-2", semibandits, "lemma_2_failures", 2.9, REPRODUCED),
        ("lemma-2", semibandits, "lemma_2_failures", 3.1, UNDECIDED),
        ("theorem-2", semibandits, "exponents", semibandits.Exponents(2.24, 2.24, 1.24, 1.24), AFTER_REPAIR),
        ("theorem-2", semibandits, "exponents", semibandits.Exponents(2.26, 2.0, 1.0, 1.0), NOT_REPRODUCED),
        ("theorem-4", semibandits, "exponents", semibandits.Exponents(0.26, 2.0, 1.0, 1.0), NOT_REPRODUCED),
        ("theorem-4", semibandits, "exponents", semibandits.Exponents(0.0, 2.0, 1.0, 1.26), NOT_REPRODUCED),
        ("theorem-4", semibandits, "first_report_horizon", math.inf, REPRODUCED),
        ("private-term-dominated", semibandits, "exponent_of", -0.24, NOT_REPRODUCED),
        ("theorem-5", semibandits, "local_lower_ratio", 0.9, REPRODUCED),
        ("theorem-6", semibandits, "local_lower_ratio", 1.1, UNDECIDED),
        ("theorem-8", semibandits, "exponents", semibandits.Exponents(1.0, 1.26, 1.0, 1.0), NOT_REPRODUCED),
        ("theorem-8", semibandits, "exponents", semibandits.Exponents(1.0, 1.0, 1.0, 3.24), REPRODUCED),
        ("theorem-8", semibandits, "tree_miss", 1.1, NOT_REPRODUCED),
        ("theorem-8", semibandits, "lemma_2_failures", 3.1, UNDECIDED),
        ("theorem-9", semibandits, "private_exponents", (1.0, 0.74), NOT_REPRODUCED),
        ("theorem-9", semibandits, "private_exponents", (1.0, 0.76), REPRODUCED),
        ("theorem-9-sketch", semibandits, "public_exponents", (2.0, 1.76), REPRODUCED),
        ("own-central-rate", semibandits, "rates_apart", 101.0, NOT_REPRODUCED),
        ("own-central-rate", semibandits, "exponents", semibandits.Exponents(0.26, 1.0, 1.0, 1.0), NOT_REPRODUCED),
        ("contribution-b-1", semibandits, "tilde_exponents", (1.5, 1.26), REPRODUCED),
        ("central-lower", semibandits, "product_exponents", (2.0, 1.76), REPRODUCED),
        ("central-lower", semibandits, "sum_over_proved", 101.0, UNDECIDED),
        ("central-upper", semibandits, "exponents", semibandits.Exponents(0.0, 1.26, 0.0, 9.0), NOT_REPRODUCED),
        ("central-upper", semibandits, "exponents", semibandits.Exponents(0.0, 1.0, 0.0, 9.0), REPRODUCED),
        ("conjecture", semibandits, "exponents", semibandits.Exponents(1.74, 2.0, 1.0, 1.0), NOT_REPRODUCED),
        ("conjecture", semibandits, "exponents", semibandits.Exponents(1.76, 2.0, 1.0, 1.0), REPRODUCED),
    ],
    "convex": [("theorem-1", convex, "streaming_excess", 1.01, NOT_REPRODUCED)],
    "definitions": [
        ("lemma-4", definitions, "lemma_4", pd.DataFrame({"looseness": [0.99, 2.0]}), NOT_REPRODUCED),
        ("lemma-4", definitions, "lemma_4", pd.DataFrame({"looseness": [1.0, 2.0]}), REPRODUCED),
        ("lemma-5", definitions, "lemma_5", (-1e-3, 0.5), NOT_REPRODUCED),
        ("lemma-6", definitions, "lemma_6", (0.0, 0.0, 0.0), NOT_REPRODUCED),
        ("lemma-7", definitions, "lemma_7", 1e-9, NOT_REPRODUCED),
        ("lemma-7", definitions, "lemma_7", 0.0, REPRODUCED),
        ("lemma-7-families", definitions, "slopes", {"Beta": 1.0}, REPRODUCED),
        ("figure-1", pictures, "separated", True, NOT_REPRODUCED),
        ("theorem-1", bounds, "theorem_1", 1e9, NOT_REPRODUCED),
        (
            "theorem-2",
            factor,
            "central_upper",
            lambda epsilon, **game: bounds.theorem_2(epsilon=2 * epsilon, variant="table", **game),
            REPRODUCED,
        ),
        ("theorem-3", bounds, "theorem_3", 10.0**8, REPRODUCED),
        ("theorem-3", bounds, "theorem_3", 1.001 * 10**8, NOT_REPRODUCED),
        ("theorem-3-proof", replacements, "minimax", 300.0, NOT_REPRODUCED),
        ("theorem-4", replacements, "local_lower", 1e-12, NOT_REPRODUCED),
        ("discussion-multiplicative-local", factor, "central_upper", 1e50, NOT_REPRODUCED),
        ("discussion-multiplicative-local", replacements, "local_minimax", 1e50, NOT_REPRODUCED),
        ("discussion-multiplicative-central", factor, "theorem_a", 1.06, UNDECIDED),
        ("discussion-multiplicative-central", factor, "theorem_a", 1.04, NOT_REPRODUCED),
        ("discussion-limit", replacements, "central_minimax", 1.6e7, NOT_REPRODUCED),
        ("discussion-limit", replacements, "central_minimax", 1.7e7, REPRODUCED),
        ("section-5-3", replacements, "contraction", 1e9, NOT_REPRODUCED),
        ("discussion-corrupt", definitions, "corrupt_over_lower", 1.88, REPRODUCED),
        ("discussion-corrupt", definitions, "corrupt_over_lower", 1.86, NOT_REPRODUCED),
        ("contribution-weaker", factor, "central_upper", 1e50, NOT_REPRODUCED),
        ("own-composition", definitions, "composition", LARGER_RHO, NOT_REPRODUCED),
        *(
            ("own-concentrated", definitions, "concentrated", CONCENTRATED._replace(**{name: value}), NOT_REPRODUCED)
            for name, value in {
                "pure": 0.51,
                "exact": 9.0,
                "kept": 0.11,
                "far": 4.9,
                "rare_rho": 3.0,
                "rare": 1.1e-6,
            }.items()
        ),
        ("own-views", definitions, "views", {4: (0.5, 1.0), 5: (0.251, 1.0)}.get, NOT_REPRODUCED),
        ("own-views", definitions, "views", {4: (0.5, 1.0), 5: (0.25, 0.999)}.get, NOT_REPRODUCED),
        ("own-contraction", definitions, "contraction", 1.0001, NOT_REPRODUCED),
        ("own-threshold", definitions, "threshold", (0.9, 0.5), NOT_REPRODUCED),
        ("own-threshold", definitions, "threshold", (1.1, 1.1), NOT_REPRODUCED),
        (
            "own-per-log",
            replacements,
            "central_lower",
            lambda epsilon, **game: replacements.lai_robbins(**game),
            NOT_REPRODUCED,
        ),
    ],
}


@pytest.mark.parametrize("chapter", OTHERWISE)
def test_what_is_computed_may_come_out_otherwise(chapter, monkeypatch):
    rules = rules_of(chapter)
    for claim, room, name, value, verdict in OTHERWISE[chapter]:
        with monkeypatch.context() as changed:
            changed.setattr(room, name, value if callable(value) else lambda *_, found=value, **__: found)
            assert rules[claim]().verdict == verdict, (claim, name, value)


PROMISES = {
    "cascading": ["theorem-3", "theorem-5", "theorem-8-privacy", "own-local-privacy", "own-central-privacy"],
    "contextual": ["theorem-7"],
    "convex": ["theorem-2", "theorem-5"],
    "heavy_tailed": ["privacy-dp-robust-se", "privacy-dp-robust-ucb", "privacy-ldp-robust-se"],
    "semibandits": ["theorem-1", "theorem-3", "theorem-7", "least-pulled-privacy", "own-blocks-privacy"],
}


@pytest.mark.parametrize("chapter", PROMISES)
@pytest.mark.parametrize(("loss", "verdict"), [(0.5, REPRODUCED), (0.501, NOT_REPRODUCED), (math.inf, NOT_REPRODUCED)])
def test_a_loss_is_held_against_the_promise(chapter, loss, verdict):
    for claim in PROMISES[chapter]:
        given = [0.5, loss] if chapter == "semibandits" else loss
        delta = [1e-3] if chapter in ("contextual", "convex") else []
        found = rules_of(chapter)[claim](given, 0.5, *delta)
        assert (found.verdict, found.evidence) == (verdict, EXACT), claim

"""Fact 1, the lemmas, and that the algorithms are private: Theorems 1, 3 and 7."""

from __future__ import annotations

import math
from typing import Any

from private_bandits.papers.semibandits import instances
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, Privacy, after_repair
from private_bandits_book.semibandits import lemmas
from private_bandits_book.semibandits.claims.evidence import Evidence, missing

_LONGEST_TREE = 1 << 17  # rounds to which the nodes of a tree are counted one by one


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    _lemmas(book, evidence)
    _privacy(book, evidence)


def _lemmas(book: Book, evidence: Evidence) -> None:
    problems: dict[str, Any] = {
        "K-path": instances.k_path(12, 4, 0.4),
        "one valuable": instances.one_valuable(8, 4, 0.2),
        "coverage": instances.coverage(5, 3, 2, 0.5, 0.2),
    }
    seen = {name: lemmas.fact_1(problem) for name, problem in problems.items()}
    largest = max(max(pair) for pair in seen.values())
    book.judge(
        "fact-1",
        "lemma",
        "Fact 1",
        "B_inf-smooth rewards are B_1-smooth with B_1 = B_inf; B_1-smooth ones are B_inf-smooth with B_inf = K B_1.",
        Holds()(
            largest <= 1.0 + 1e-9,
            f"on random means of {len(seen)} families a reward moves by at most {largest:.4g} times what is allowed",
            largest,
        ),
    )
    horizon, arms = evidence.horizon, evidence.n_arms
    length = min(horizon, _LONGEST_TREE)
    tree = lemmas.lemma_1_loss(length) if horizon >= 2 else None
    book.judge(
        "lemma-1",
        "lemma",
        "Lemma 1",
        "A tree with noise Lap(||X||_1 log T / epsilon) on each node is epsilon-private.",
        missing()
        if tree is None
        else after_repair(
            Holds()(
                tree.base_2 <= 1.0,
                f"an item lies in floor(log2 T) + 1 nodes: at T = {length} with log2 T the releases pay "
                f"{tree.base_2:.4g} epsilon, with ln T {tree.natural:.4g} epsilon",
                tree.base_2,
            ),
            Holds()(
                tree.levels <= 1.0 + 1e-12,
                f"with floor(log2 T) + 1 in place of log T they pay {tree.levels:.4g} epsilon",
                tree.levels,
            ),
        ),
    )
    rounds = lemmas.lemma_2_failures(arms, horizon) if horizon >= 2 else math.nan
    book.judge(
        "lemma-2",
        "lemma",
        "Lemma 2",
        "Outside the event F_t Algorithm 3 loses at most three times the largest gaps in all.",
        Holds()(
            True if rounds <= 3.0 else None,
            f"in expectation at most {rounds:.3g} rounds lie outside F_t, which has ln T where the index has ln(mT)",
            rounds,
        ),
    )


def _privacy(book: Book, evidence: Evidence) -> None:
    epsilon, size = evidence.epsilon, min(evidence.size, 8)
    horizon = min(evidence.horizon, _LONGEST_TREE)
    for number, statement, paid in (
        (1, "Algorithm 1 is epsilon-LDP.", lemmas.theorem_1_loss(epsilon, size)),
        (3, "Algorithm 2 is epsilon-LDP.", lemmas.theorem_3_loss(epsilon, size)),
        (
            7,
            f"Algorithm 3 is epsilon-DP (computed at T = {horizon}).",
            lemmas.theorem_7_loss(epsilon, size, horizon) if horizon > 1 else None,
        ),
    ):
        book.judge(f"theorem-{number}", "privacy", f"Theorem {number}", statement, Privacy(epsilon)(paid))

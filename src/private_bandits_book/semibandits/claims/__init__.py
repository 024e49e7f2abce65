"""Every claim of Chen et al. (2020), with what was measured and the rule that judges it.

The paper has one table and no experiment, so its claims are rates. A fitted exponent comes with its policy, the family
of instances, and what was held while the quantity moved; one that was not measured leaves its claim undecided. An upper
bound is also asked for its proof's first step, that the index covers its own noise, which is computed.
"""

import pandas as pd

from private_bandits_book.ledger import Book, Row, ledger
from private_bandits_book.semibandits.claims import aside, central, evidence, local, privacy, table
from private_bandits_book.semibandits.claims.evidence import (
    EXPONENT_COLUMNS,
    FINAL_COLUMNS,
    TABLE_1,
    Evidence,
    exponent,
)

__all__ = ["EXPONENT_COLUMNS", "FINAL_COLUMNS", "TABLE_1", "Evidence", "exponent", "judge"]

_PLACES = {"lemma": 0, "privacy": 1, "theorem": 1, "table": 2, "discussion": 3, "contribution": 4}


def judge(measured: Evidence) -> pd.DataFrame:
    """Return the ledger of the chapter: Fact 1, Lemmas 1-2, Theorems 1-9, Table 1, what is said aside, the abstract."""
    book = Book(evidence.CHAPTER)
    for room in (privacy, local, central, aside, table):
        room.judge(book, measured)
    return ledger(sorted(book.rows, key=_place))


def _place(row: Row) -> tuple[int, int]:
    """Where a row stands in the ledger: by kind, theorems by their number, otherwise as judged."""
    place = _PLACES[row.kind]
    return place, int(row.claim.removeprefix("theorem-")) if place == 1 else 0

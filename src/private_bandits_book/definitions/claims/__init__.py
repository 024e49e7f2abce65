"""Every claim of Basu et al. (2019), with what was computed or measured and the rule that judges it.

Statements about definitions, lemmas and bounds are decided by exact numbers on the grid `GRID` of epsilons, whatever
the chapter's parameters are; what needs a simulation follows them.
"""

import pandas as pd

from private_bandits_book.definitions.claims import conclusions, protection, theorems
from private_bandits_book.definitions.claims.evidence import CHAPTER, GRID, LONG, Evidence
from private_bandits_book.ledger import Book, ledger

__all__ = ["CHAPTER", "GRID", "LONG", "Evidence", "judge"]


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the ledger: definitions, lemmas, theorems, tables, Figure 1, and what the paper concludes from them."""
    book = Book(CHAPTER)
    protection.judge(book, evidence)
    theorems.judge(book, evidence)
    conclusions.judge(book, evidence)
    return ledger(book.rows)

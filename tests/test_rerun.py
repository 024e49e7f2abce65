"""The page of a rerun says that it is one, and what came out otherwise than in the book."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from private_bandits_book.book import Book
from private_bandits_book.judging.claims import COLUMNS
from private_bandits_book.pages.rerun import against_the_book

TINY = Path(__file__).parent / "fixtures" / "tiny"


def claims(path, **verdicts):
    """Write a ledger of claims with these verdicts and numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, (verdict, measured) in verdicts.items():
        row = dict.fromkeys(COLUMNS, "x") | {"claim": name, "locus": f"Theorem {name}", "verdict": verdict}
        rows.append(row | dict.fromkeys(("measured", "low", "high"), measured))
    pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(path, index=False)


@pytest.fixture
def book(tmp_path):
    book = Book(Path(shutil.copytree(TINY, tmp_path / "tiny")))
    claims(book.data("tiny") / "claims.csv", a=("reproduced", 1.0), b=("undecided", None), c=("reproduced", 3.0))
    return book


def test_a_rerun_says_its_command_its_parameters_and_what_moved(book, tmp_path):
    own = {name: one.default for name, one in book.parameters("tiny").items()}
    claims(tmp_path / "claims.csv", a=("undecided", 2.0), b=("undecided", None), c=("reproduced", 3.5))
    said = against_the_book(book, "tiny", own | {"horizon": 7, "epsilons": [0.5, 1.0]}, tmp_path)
    assert "private-bandits run tiny -p horizon=7 -p 'epsilons=[0.5, 1.0]'" in said
    assert f"| horizon | {own['horizon']} | 7 |" in said and r"| \[0.5, 1.0\] |" in said
    assert f"The other {len(own) - 2} parameters are the book's." in said
    assert "1 of 3 verdicts and 2 of the numbers behind them differ." in said
    assert '| <a href="#tiny-claim-a">Theorem a</a>: x | reproduced, 1 | undecided, 2 |' in said and not re.search(
        "Theorem [bc]", said
    )

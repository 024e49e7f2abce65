"""The command that prints a replication report says what the ledger says, and writes over nothing but a report."""

from __future__ import annotations

import pandas as pd
import pytest

from private_bandits_book.book import Book
from private_bandits_book.cli import main
from private_bandits_book.judging.claims import COLUMNS
from private_bandits_book.pages.report import report


@pytest.fixture
def judged(tiny: Book) -> Book:
    """The tiny book with three claims, one of which rests on another."""
    tiny.data("tiny").mkdir(parents=True)
    shared = {"measured": "", "low": "", "high": "", "command": "private-bandits reproduce tiny", "reason": "|a| is b"}
    rows = [
        {"claim": "one", "kind": "theorem", "locus": "Theorem 1", "verdict": "not reproduced", "evidence": "measured"},
        {"claim": "two", "kind": "theorem", "locus": "Theorem 2", "verdict": "not reproduced", "evidence": "inherited"},
        {"claim": "own-three", "kind": "contribution", "verdict": "reproduced", "evidence": "exact"},
    ]
    rows[0]["measured"] = "12.5"
    rows[2] |= {"locus": "This book", "command": "private-bandits reproduce tiny --long"}
    table = pd.DataFrame([shared | {"statement": f"$x$ holds, {row['claim']}."} | row for row in rows])
    table.reindex(columns=list(COLUMNS)).to_csv(tiny.data("tiny") / "claims.csv", index=False)
    return tiny


def test_a_report_replaces_an_earlier_one_and_nothing_else(judged, tmp_path, capsys):
    target = tmp_path / "new" / "folder"
    words = ["report", "tiny", "-o", str(target)]
    path = target / "report-tiny.md"
    for _ in range(2):
        assert main(words, book=judged) == 0
        assert capsys.readouterr().out == f"{path}\n"
        assert path.read_text(encoding="utf-8") == report(judged, "tiny")
    assert [*target.iterdir()] == [path]
    path.write_text("my notes", encoding="utf-8")
    assert main(words, book=judged) == 2
    assert capsys.readouterr().err == f"private-bandits: {path} must be absent or an earlier report\n"
    assert path.read_text(encoding="utf-8") == "my notes"

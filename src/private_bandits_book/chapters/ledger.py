"""The claims of all chapters, as committed."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence

from private_bandits_book.chapters.book import Book

_COLUMNS = ("chapter", "claim", "verdict", "measured")


def ledger_text(book: Book, chapters: Sequence[str]) -> str:
    """Return the committed claims of the given chapters (all if none), aligned, and a count by verdict."""
    rows = [_COLUMNS]
    for chapter in list(chapters) or book.chapters():
        book.path(chapter)
        path = book.data(chapter) / "claims.csv"
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                claims = csv.DictReader(file)
                rows += [(chapter, claim["claim"], claim["verdict"], claim["measured"]) for claim in claims]
    counts = Counter(row[2] for row in rows[1:])
    total = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return "\n".join([*aligned(rows), "", f"{len(rows) - 1} claims" + (f": {total}" if total else "")])


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows of a table as lines whose columns stand below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]

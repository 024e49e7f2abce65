"""The claims of all chapters, as committed."""

import csv
import json
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

from private_bandits_book.book import Book
from private_bandits_book.judging.verdicts import described, totals
from private_bandits_book.parameters import UsageError


def ledger_text(
    book: Book, chapters: Sequence[str], *, verdict: str = "", evidence: str = "", claim: str = "", form: str = "text"
) -> str:
    """Return the committed claims of some chapters.

    Parameters
    ----------
    book : Book
    chapters : sequence of str
        Empty for all.
    verdict, evidence, claim : str
        Only the rows with this verdict, this kind of evidence, this identifier; "" for any.
    form : {"text", "csv", "json"}
        Two lines a claim and the totals, or every column of `claims.csv` behind the chapter's name.

    Raises
    ------
    UsageError
        If there is no such chapter, or no claim of that identifier.
    """
    rows = [row for chapter in list(chapters) or book.chapters() for row in committed(book, chapter)]
    columns = list(rows[0]) if rows else ["chapter"]
    if claim and not any(row["claim"] == claim for row in rows):
        raise UsageError(f"--claim must be an identifier that `private-bandits claims` prints, got {claim!r}")
    wanted = {name: value for name, value in (("verdict", verdict), ("evidence", evidence), ("claim", claim)) if value}
    rows = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    if form == "json":
        return json.dumps(rows, indent=1, ensure_ascii=False)
    if form == "csv":
        text = StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().rstrip("\n")
    counted = ([row[name] for row in rows] for name in ("claim", "kind", "verdict", "evidence"))
    return "\n".join([*_lines(rows), totals(*counted)])


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows of a table as lines whose columns stand below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def committed(book: Book, chapter: str) -> list[dict[str, str]]:
    """Return the committed rows of a chapter's ledger, its name as a column; none where it has no ledger."""
    book.path(chapter)
    path = book.data(chapter) / "claims.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [{"chapter": chapter, **row} for row in csv.DictReader(file)]


def _lines(rows: Sequence[dict[str, str]]) -> Iterator[str]:
    chapter, known = "", dict[str, dict[str, Any]]()
    for row in rows:
        if row["chapter"] != chapter:
            chapter = row["chapter"]
            _, known = described(chapter)
        yield f"{chapter} {row['claim']}  {row['locus']}: {row['statement']}"
        ends = f" [{float(row['low']):.4g}, {float(row['high']):.4g}]" if row["low"] != row["high"] else ""
        what = known.get(row["claim"], {}).get("quantity", "")
        number = f"{what} {float(row['measured']):.4g}{ends}; ".lstrip() if row["measured"] else ""
        ground = f" ({row['evidence']})" if row["evidence"] else ""
        yield f"    {row['verdict']}{ground}: {number}{row['reason']}"

"""The ledger as pages show it: a line a claim, of one chapter or of all."""

from collections.abc import Container, Mapping
from typing import Any

import pandas as pd
from IPython.display import Markdown

from private_bandits_book.book import Book, find_book
from private_bandits_book.judging.verdicts import PAPER, described, maker, totals
from private_bandits_book.package_data import tables
from private_bandits_book.pages import markdown, render
from private_bandits_book.pages.render import Display

_COPIED = ("claim", "locus", "statement", "verdict", "evidence", "reason", "excludes", "rests_on", "command")
_SEARCHED = ("refuted_by", "closest")  # of few rows


def ledger(book: Book, rows: Mapping[str, pd.DataFrame]) -> Display:
    """Show ledgers, by chapter."""
    lines = []
    for name, frame in rows.items():
        paper, known = described(name)
        for row in frame.to_dict("records"):
            told = known.get(row["claim"], {})
            whose = maker(row["claim"], row["kind"])
            facts = {"chapter": name, "paper": whose if whose != PAPER else paper or book.title(name)}
            facts["shown"] = told.get("shown", "")
            facts["number"] = _number(row, told)
            facts |= {key: "" if pd.isna(row[key]) else row[key] for key in _COPIED}
            lines.append(facts | {key: row[key] for key in _SEARCHED if not pd.isna(row[key])})
    every = pd.concat(list(rows.values()))
    counts = totals(every["claim"], every["kind"], every["verdict"], every["evidence"].fillna(""))
    return render.claims(lines, f"The claims and their verdicts. {counts}")


def headlines(chapter: str, rows: pd.DataFrame, judged: Container[str]) -> Markdown:
    """Show what was claimed and measured, and the verdict, of the claims that a chapter's `claims.toml` puts first.

    Each leads to the cell where it is judged, or else to its line on the page of all claims.
    """
    known, lines = described(chapter)[1], []
    for name in tables(chapter, "claims").get("headlines", [*known]):
        (row,) = rows[rows["claim"] == name].to_dict("records")
        address = f"#{chapter}-claim-{name}" if name in judged else f"claims.ipynb#{chapter}-{name}"
        where = f"[{markdown.plain(row['locus'])}]({address})"
        number = markdown.plain(_number(row, known[name])) or "—"
        lines.append((where, row["statement"], number, f"**{row['verdict']}**, {row['evidence']}"))
    return Markdown(markdown.pipes(("Where", "Claimed", "Measured", "Verdict"), lines))


def whole_ledger(book: Book | None = None) -> Display:
    """Show the committed claims of all chapters, each with an address of its own."""
    book = book or find_book()
    committed = {name: book.data(name) / "claims.csv" for name in book.chapters()}
    return ledger(book, {name: pd.read_csv(path) for name, path in committed.items() if path.is_file()})


def _number(row: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    """Return what was measured of a claim, after what it is."""
    value = _interval(row["measured"], row["low"], row["high"])
    return f"{told.get('quantity', '')} {value}".strip() if value else ""


def _interval(measured: float, low: float, high: float) -> str:
    """Return a value with its interval, as far as there is one; an exact number has none."""
    value, *ends = (markdown.text(one, ",.0f" if 1e4 <= abs(one) < 1e9 else None) for one in (measured, low, high))
    return f"{value} [{ends[0]}, {ends[1]}]" if all(ends) and low < high else value

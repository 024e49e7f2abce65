"""What the page of a rerun says first: that it is one, what was asked, and what came out otherwise than in the book."""

import csv
import re
import shlex
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from private_bandits_book.book import Book
from private_bandits_book.judging.verdicts import described
from private_bandits_book.package_data import tables
from private_bandits_book.pages.markdown import pipes, plain, text

_LISTED = 40


def against_the_book(book: Book, chapter: str, values: Mapping[str, Any], data: Path) -> str:
    """Return the beginning of the page of a rerun, as Markdown.

    Parameters
    ----------
    book : Book
    chapter : str
    values : mapping
        The parameters of the rerun, all of them.
    data : Path
        Its folder of CSV files.
    """
    own = {name: one.default for name, one in book.parameters(chapter).items()}
    other = {name: value for name, value in values.items() if value != own[name]}
    asked = "".join(f" -p {shlex.quote(f'{name}={value}')}" for name, value in other.items())
    rows = [(plain(name), plain(repr(own[name])), plain(repr(value))) for name, value in other.items()]
    fence = max(["``", *re.findall("`+", asked)], key=len) + "`"
    kept = f"The other {len(own) - len(other)}" if other else "All"
    parts = [
        f"This page was made by version {version('private-bandits')} with",
        f"{fence}sh\nprivate-bandits run {chapter}{asked}\n{fence}",
        *([pipes(("Parameter", "The book", "Here"), rows)] if rows else []),
        f"{kept} parameters are the book's. Figures and verdicts are this run's; sentences speak of the book's.",
        *_verdicts(chapter, book.data(chapter) / "claims.csv", data / "claims.csv"),
        *_back(book, chapter),
    ]
    return ":::::{admonition} A rerun of this chapter\n:class: rerun\n\n" + "\n\n".join(parts) + "\n:::::"


def _back(book: Book, chapter: str) -> list[str]:
    """Return a link to the chapter in the book, where it was built."""
    page = book.root / "_build" / "html" / "book" / f"{chapter}.html"
    # In HTML, as Markdown makes no links to files.
    return [f'<a href="{page.as_uri()}">The chapter in the book</a>'] if page.is_file() else []


def _verdicts(chapter: str, committed: Path, fresh: Path) -> list[str]:
    """Return what is said of the verdicts, if the chapter has any: those that differ, and the first numbers that do."""
    if not committed.is_file() or not fresh.is_file():
        return []
    before, after = (_rows(path) for path in (committed, fresh))
    both = [(before[name], after[name]) for name in after if name in before]
    moved = sum(old["verdict"] != new["verdict"] for old, new in both)
    numbers = sum(old["measured"] != new["measured"] for old, new in both)
    said = f"**Against the book**, {moved} of {len(both)} verdicts and {numbers} of the numbers behind them differ."
    first = tables(chapter, "claims").get("headlines", ()) if described(chapter)[1] else ()
    shown = [
        (
            f'<a href="#{chapter}-claim-{new["claim"]}">{plain(new["locus"])}</a>: {_cell(new["statement"])}',
            _said(old),
            _said(new),
        )
        for old, new in both
        if old["verdict"] != new["verdict"] or (new["claim"] in first and _said(old) != _said(new))
    ][:_LISTED]
    return [said, *([pipes(("Claim", "The book", "Here"), shown)] if shown else [])]


def _cell(markdown: str) -> str:
    return " ".join(markdown.split()).replace("|", "\\|")


def _rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["claim"]: row for row in csv.DictReader(file)}


def _said(row: Mapping[str, str]) -> str:
    return plain(f"{row['verdict']}, {text(float(row['measured']))}" if row["measured"] else row["verdict"])

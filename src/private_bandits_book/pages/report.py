"""A replication report: what the committed ledger of a chapter says, as a page or two of Markdown that stand alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from private_bandits_book.book import Book
from private_bandits_book.judging.verdicts import (
    AFTER_REPAIR,
    INHERITED,
    NOT_REPRODUCED,
    described,
    source_of,
    verdicts_by_maker,
)
from private_bandits_book.pages.claims_text import committed
from private_bandits_book.pages.markdown import pipes, plain, text
from private_bandits_book.parameters import UsageError, longer_studies
from private_bandits_book.versions import python, versions

BEGINS = "# Replication report"
_RUN = ("horizon", "replications", "seed", "epsilons")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://)[^)]*\)")
_GROUNDS = (
    "*Exact* is computed or enumerated, *measured* by runs, *derived* by our algebra, *inherited* from other claims. "
    "*Reproduced after repair* fails as printed and holds after one small change."
)


def report(book: Book, chapter: str) -> str:
    """Return the replication report of a chapter: what was rerun, verdicts, effort, deviations, versions, commands.

    Parameters
    ----------
    book : Book
    chapter : str
        One that judges claims.

    Raises
    ------
    UsageError
        If there is no such chapter, or it judges nothing.
    """
    rows = committed(book, chapter)
    if not rows:
        raise UsageError(f"chapter must be one with claims, got {chapter!r}")
    paper, _ = described(chapter)
    differs, told = book.section(chapter, "What differs from")
    parts = {
        "What was rerun": _rerun(book, chapter),
        "Verdicts": _verdicts(rows, source_of(chapter)),
        "What fails": _failing(rows),
        "Effort": _effort(book, chapter),
        differs: _LINK.sub(r"\1", told),  # its links lead from the chapter's place
        "Versions": _versions(),
    }
    head = f"{BEGINS}: {book.title(chapter)}"
    whose = [f"On {plain(paper)}."] if paper else []
    sections = [f"## {name}\n\n{said}" for name, said in parts.items() if said]
    return "\n\n".join([head, *whose, *sections]) + "\n"


def _rerun(book: Book, chapter: str) -> str:
    known = book.parameters(chapter)
    chosen = ", ".join(f"`{name}={known[name].default!r}`" for name in _RUN if name in known)
    studies = ", ".join(f"`{label}`" for label in longer_studies(chapter))
    longer = f" Its longer studies, whose runs are committed: {studies}." if studies else ""
    return (
        f"The chapter `{chapter}` with {chosen}; `private-bandits params {chapter}` lists all parameters.{longer} "
        f"`private-bandits claims {chapter}` prints each claim in words, with the reason of its verdict."
    )


def _verdicts(rows: Sequence[Mapping[str, str]], source: str) -> str:
    columns = ([row[name] for row in rows] for name in ("claim", "kind", "verdict"))
    counted = verdicts_by_maker(*columns, source=source)
    parts = [f"{counted}. {_GROUNDS}"]
    ordered = sorted(rows, key=lambda row: row["command"])  # stable: within a command as in the ledger
    for command, made in groupby(ordered, key=lambda row: row["command"]):
        lines = [
            (plain(row["locus"]), f"`{row['claim']}`", row["verdict"], row["evidence"], _number(row)) for row in made
        ]
        heads = ("Where", "Claim", "Verdict", "Evidence", "Measured")
        parts += [f"By `{command}`:", pipes(heads, lines, (":---", ":---", ":---", ":---", "---:"))]
    return "\n\n".join(parts)


def _number(row: Mapping[str, str]) -> str:
    return text(float(row["measured"])) if row["measured"] else ""


def _failing(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the claims that fail by themselves, in words; what only rests on them stands in the table."""
    return "\n".join(_told(rows))


def _told(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    for verdict in (NOT_REPRODUCED, AFTER_REPAIR):
        for row in rows:
            if row["verdict"] == verdict and row["evidence"] != INHERITED:
                statement = " ".join(row["statement"].split())
                yield f"- **{plain(row['locus'])}**, {verdict}. {statement} *Here:* {plain(row['reason'])}."


def _effort(book: Book, chapter: str) -> str:
    work = {row["work"]: row for row in book.costs()}
    names = [chapter, *(f"{chapter}/{label}" for label in longer_studies(chapter))]
    timed = [work[name] for name in names if name in work]
    lines = [(f"`{row['work']}`", row["seconds"], row["cpu"], row["memory"]) for row in timed]
    table = pipes(("Work", "Seconds", "CPU seconds", "MB"), lines, (":---", "---:", "---:", "---:"))
    rest = len(names) - len(timed)
    untimed = f"{rest} of {len(names)} were not timed." if rest else ""
    return "\n\n".join(part for part in (table if lines else "", untimed) if part)


def _versions() -> str:
    installed = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"This report was made with Python {python()}, {installed}. A run writes its own into `provenance.json`."

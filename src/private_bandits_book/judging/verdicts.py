"""The words of verdicts and evidence, and what is counted of them: all that a command needs that only reads claims."""

import importlib.util
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from private_bandits_book.package_data import parsed

REPRODUCED = "reproduced"
AFTER_REPAIR = "reproduced after repair"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided"
NOT_TESTABLE = "not testable"
VERDICTS = (REPRODUCED, AFTER_REPAIR, NOT_REPRODUCED, UNDECIDED, NOT_TESTABLE)
SIGNS = dict(zip(VERDICTS, "✓↻✗?–", strict=True))

EXACT = "exact"  # computed or enumerated: refutes a universal claim, confirms what was enumerated
MEASURED = "measured"  # by runs, which could have come out otherwise
DERIVED = "derived"  # our algebra agrees or not; nothing was run
INHERITED = "inherited"  # from other rows
EVIDENCE = (EXACT, MEASURED, DERIVED, INHERITED)
"""The kinds of evidence, the strongest first: mixed evidence is of the weakest kind."""
PAPER, BOOK, OTHERS = "the paper", "this book", "other works"
"""Whose statement a row is."""
_OF = {PAPER: "the papers", BOOK: BOOK, OTHERS: OTHERS}
ANCHOR = "anchor"  # a row on another work
NUMBERED = ("theorem", "corollary", "privacy", "figure", "table")
"""The kinds that the first total counts: what a paper numbers and claims, inherited rows included."""


def verdicts_in_words(verdicts: Iterable[str]) -> str:
    """Return the counts of verdicts as captions and sentences write them: those that are not 0, in their order."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def maker(claim: str, kind: str) -> str:
    """Return whose statement a row is: of the paper, of this book, or of another work that the chapter checks."""
    return BOOK if claim.startswith("own-") else OTHERS if kind == ANCHOR else PAPER


def verdicts_by_maker(claims: Iterable[str], kinds: Iterable[str], verdicts: Iterable[str], *, source: str) -> str:
    """Return the counts of a chapter's verdicts in a sentence, by whose claims they are: first those of its source."""
    found: dict[str, list[str]] = {}
    for claim, kind, verdict in zip(claims, kinds, verdicts, strict=True):
        found.setdefault(maker(claim, kind), []).append(verdict)
    parts = [
        f"of the {len(found[whose])} claims of {said} {verdicts_in_words(found[whose])}"
        if len(found[whose]) > 1
        else f"the one claim of {said} is {found[whose][0]}"
        for whose, said in ((PAPER, source), (BOOK, BOOK), (OTHERS, OTHERS))
        if whose in found
    ]
    return "; ".join(parts).capitalize()


def totals(claims: Iterable[str], kinds: Iterable[str], verdicts: Iterable[str], evidence: Iterable[str]) -> str:
    """Return a ledger's totals: what papers number, then all rows by maker and evidence, and what fails.

    Parameters
    ----------
    claims, kinds, verdicts, evidence : iterable of str
        The columns of the ledger.
    """
    rows = list(zip(claims, kinds, verdicts, evidence, strict=True))
    numbered = [verdict for _, kind, verdict, _ in rows if kind in NUMBERED]
    makers = Counter(maker(claim, kind) for claim, kind, *_ in rows)
    grounds = Counter(ground for *_, ground in rows)
    failed = [row for row in rows if row[2] == NOT_REPRODUCED]
    theirs = Counter(ground == INHERITED for claim, kind, _, ground in failed if maker(claim, kind) == PAPER)
    others = len(failed) - theirs.total()
    by_maker = ", ".join(f"{makers[whose]} of {_OF[whose]}" for whose in _OF if makers[whose])
    by_evidence = ", ".join(f"{grounds[ground]} {ground}" for ground in EVIDENCE if grounds[ground])
    things = "numbered theorem, table or figure" if len(numbered) == 1 else "numbered theorems, tables and figures"
    rows_ = "row" if len(rows) == 1 else "rows"
    return (
        f"{len(numbered)} {things}: {verdicts_in_words(numbered) or 'none'}. "
        f"{len(rows)} {rows_}: {by_maker or 'none'}; by evidence {by_evidence or 'none'}. "
        f"Not reproduced: {theirs[False]} of the papers by themselves, {theirs[True]} by what they rest on; "
        f"{others} of the others."
    )


def described(chapter: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return whose paper a chapter is on, and the entries of its `claims.toml` by claim; no such file has neither."""
    path = _file(chapter)
    return _told(path) if path else ("", {})


def source_of(chapter: str) -> str:
    """Return what the claims of a chapter's paper are taken from: the paper, unless its `claims.toml` says less."""
    path = _file(chapter)
    return str(parsed(path, tomllib.loads).get("source", PAPER)) if path else PAPER


def _file(chapter: str) -> Path | None:
    found = importlib.util.find_spec(f"private_bandits_book.chapters.{chapter}")
    path = Path(str(found.origin)).parent / "claims.toml" if found else None
    return path if path and path.is_file() else None


@cache
def _told(path: Path) -> tuple[str, dict[str, dict[str, Any]]]:
    return parsed(path, _by_claim)


def _by_claim(text: str) -> tuple[str, dict[str, dict[str, Any]]]:
    told = tomllib.loads(text)
    for place, entry in enumerate(told["claim"], 1):
        if "claim" not in entry:
            raise ValueError(f"claim {place} must have an identifier, `claim`, got none")
    return told.get("paper", ""), {entry["claim"]: entry for entry in told["claim"]}

"""The words of verdicts and evidence, and what is counted of them: all that a command needs that only reads claims."""

import importlib.util
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from private_bandits_book.package_data import tables

REPRODUCED = "reproduced"
AFTER_REPAIR = "reproduced after repair"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided"
NOT_TESTABLE = "not testable"
VERDICTS = (REPRODUCED, AFTER_REPAIR, NOT_REPRODUCED, UNDECIDED, NOT_TESTABLE)

EXACT = "exact"  # computed or enumerated: refutes a universal claim, confirms what was enumerated
MEASURED = "measured"  # by runs, which could have come out otherwise
DERIVED = "derived"  # our algebra agrees or not; nothing was run
INHERITED = "inherited"  # from other rows
EVIDENCE = (EXACT, MEASURED, DERIVED, INHERITED)
"""The kinds of evidence, the strongest first: mixed evidence is of the weakest kind."""
NUMBERED = ("theorem", "corollary", "privacy", "figure", "table")
"""The kinds that the first total counts: what a paper numbers and claims, inherited rows included."""


def verdicts_in_words(verdicts: Iterable[str]) -> str:
    """Return the counts of verdicts as captions and sentences write them: those that are not 0, in their order."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def totals(kinds: Iterable[str], verdicts: Iterable[str], evidence: Iterable[str]) -> str:
    """Return a ledger's totals: what the paper numbers, then all rows by evidence, root failures apart.

    Parameters
    ----------
    kinds, verdicts, evidence : iterable of str
        The columns of the ledger.
    """
    rows = list(zip(kinds, verdicts, evidence, strict=True))
    numbered = [verdict for kind, verdict, _ in rows if kind in NUMBERED]
    grounds = Counter(ground for *_, ground in rows)
    failed = Counter(ground == INHERITED for _, verdict, ground in rows if verdict == NOT_REPRODUCED)
    fail = "row fails" if failed.total() == 1 else "rows fail"
    things = "numbered theorem, table or figure" if len(numbered) == 1 else "numbered theorems, tables and figures"
    return (
        f"{len(numbered)} {things}: {verdicts_in_words(numbered) or 'none'}. "
        f"{len(rows)} rows by evidence: {', '.join(f'{grounds[e]} {e}' for e in EVIDENCE if grounds[e]) or 'none'}. "
        f"{failed.total()} {fail}: {failed[False]} by themselves, {failed[True]} by what they rest on."
    )


def described(chapter: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return whose paper a chapter is on, and the entries of its `claims.toml` by claim; no such file has neither."""
    found = importlib.util.find_spec(f"private_bandits_book.chapters.{chapter}")
    if found is None or not (Path(str(found.origin)).parent / "claims.toml").is_file():
        return "", {}
    told = tables(chapter, "claims")
    return told.get("paper", ""), {entry["claim"]: entry for entry in told["claim"]}

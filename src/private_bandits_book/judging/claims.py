"""The claims of a paper as data, and the columns of the ledger.

A chapter's room holds `claims.toml`, a table `[[claim]]` a row of the ledger, in its order, and `rules.py`, a function
a claim.
"""

import re
import tomllib
from dataclasses import dataclass, fields
from importlib import resources

from private_bandits import checks
from private_bandits_book.judging.verdicts import ANCHOR, EVIDENCE, EXACT, NUMBERED
from private_bandits_book.package_data import parsed

COLUMNS = (
    *("claim", "kind", "locus", "statement", "measured", "low", "high", "verdict", "reason", "command"),
    *("evidence", "excludes", "rests_on", "refuted_by", "closest"),
)
KINDS = ("definition", "lemma", *NUMBERED, "discussion", "contribution", ANCHOR)


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, as `claims.toml` has it.

    Attributes
    ----------
    claim : str
        Identifier, unique in its ledger: lower-case words joined by hyphens ("theorem-4-regret").
    kind : str
        One of `KINDS`.
    locus : str
        Where the paper says it ("Theorem 4", "Figure 1(a)").
    statement : str
        What it says, in a sentence of ours, mathematics between dollars.
    long : bool
        Whether `reproduce --long` makes what decides it.
    rests_on : tuple of str
        Claims of the same ledger that it rests on: all of them, besides a rule of its own if it has one.
    not_testable : str
        Why no run of this book can test it; such a claim has no rule.
    evidence : str
        The kind of evidence that its computed statements are; one of `EVIDENCE`.
    quantity : str
        What the number in its row is, with its unit.
    shown : str
        The label of the figure or table of the chapter that shows it.
    refuted_by : str
        What would refute it, in a sentence; of the book's own claims.
    closest : str
        How near a search for that came: a number, the instance or setting where it was, and the size of the search.
    """

    claim: str
    kind: str
    locus: str
    statement: str
    long: bool = False
    rests_on: tuple[str, ...] = ()
    not_testable: str = ""
    evidence: str = EXACT
    quantity: str = ""
    shown: str = ""
    refuted_by: str = ""
    closest: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.claim, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.claim):
            raise ValueError(f"claim must be lower-case words joined by hyphens, got {self.claim!r}")
        checks.choice("kind", self.kind, KINDS)
        checks.choice("evidence", self.evidence, EVIDENCE)
        for name in ("locus", "statement"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip() or "\n" in text:
                raise ValueError(f"{name} must be one non-empty line, got {text!r}")
        for name in ("refuted_by", "closest"):
            text = getattr(self, name)
            if not isinstance(text, str) or "\n" in text:
                raise ValueError(f"{name} must be one line, got {text!r}")
        if bool(self.refuted_by) != bool(self.closest):
            raise ValueError(f"refuted_by and closest must be given together, got {self.refuted_by or self.closest!r}")


def read_claims(text: str) -> list[Claim]:
    """Return the claims of a `claims.toml`, in order.

    Raises
    ------
    ValueError
        If two claims share an identifier, one is malformed, or one rests on what is no claim.
    """
    known = [field.name for field in fields(Claim)]
    claims = []
    for place, entry in enumerate(tomllib.loads(text)["claim"], 1):
        which = entry.get("claim", f"claim {place}")
        missing, more = [name for name in known[:4] if name not in entry], sorted({*entry} - {*known})
        if missing:
            raise ValueError(f"{which} must have {', '.join(known[:4])}, got none of {', '.join(missing)}")
        if more:
            raise ValueError(f"{which} may have {', '.join(known)}, got {', '.join(more)}")
        try:
            claims.append(Claim(**entry | {"rests_on": tuple(entry.get("rests_on", ()))}))
        except ValueError as error:
            raise ValueError(f"{which}: {error}") from None
    names = [claim.claim for claim in claims]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"claims must be unique, got {', '.join(twice)} more than once")
    unknown = sorted({part for claim in claims for part in claim.rests_on} - set(names))
    if unknown:
        raise ValueError(f"rests_on must name claims of the same ledger, got {', '.join(unknown)}")
    return claims


def claims_of(chapter: str) -> list[Claim]:
    """Return the claims of a chapter's paper, in the order of its ledger; none where it makes none."""
    path = resources.files("private_bandits_book.chapters").joinpath(chapter, "claims.toml")
    if not path.is_file():
        return []
    return parsed(path, read_claims)

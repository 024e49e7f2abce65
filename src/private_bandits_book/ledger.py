"""The claims of a paper as data, and the ledger that a chapter's rules make of them.

A chapter's room holds `claims.toml`, a table `[[claim]]` a row of the ledger, in its order, and `rules.py`, whose
`rules` is a `Rulebook`: a function a claim. A `Row` is made here only, out of a `Ruling` that came out of a rule:
verdicts are computed, never typed.
"""

import importlib
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field, fields
from importlib import resources
from typing import Any, TypeVar

import pandas as pd

from private_bandits import checks
from private_bandits_book.rules import Holds, NotTestable, Ruling, all_of, on_other_seeds, rests_on
from private_bandits_book.verdicts import EVIDENCE, EXACT, MEASURED, NUMBERED

KINDS = ("definition", "lemma", *NUMBERED, "discussion", "contribution", "anchor")
_JUDGED = object()


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
        What it says, in a sentence of ours, mathematics between dollars; `{name}` is one of the rulebook's words.
    long : bool
        Whether `reproduce --long` makes what decides it.
    rule : str
        The rule that judges it, where that is not named after the claim: one that several claims share.
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
    facts : mapping
        Any other entry of the table, for the rule to read: claimed powers, and reasons that `holds` fills in.
    """

    claim: str
    kind: str
    locus: str
    statement: str
    long: bool = False
    rule: str = ""
    rests_on: tuple[str, ...] = ()
    not_testable: str = ""
    evidence: str = EXACT
    quantity: str = ""
    shown: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.claim, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.claim):
            raise ValueError(f"claim must be lower-case words joined by hyphens, got {self.claim!r}")
        checks.choice("kind", self.kind, KINDS)
        checks.choice("evidence", self.evidence, EVIDENCE)
        for name in ("locus", "statement"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip() or "\n" in text:
                raise ValueError(f"{name} must be one non-empty line, got {text!r}")

    def holds(self, holds: bool | None, value: Any = None, said: str = "reason", **facts: Any) -> Ruling:
        """Rule on a computed statement, with the claim's own words for the numbers.

        Parameters
        ----------
        holds : bool or None
            Whether the statement held in every case; None where it could not be computed.
        value : measurement
            The number that goes into the ledger, if one says it all.
        said : str
            The entry of the table with the words, a template of `str.format`.
        **facts
            What the template names.
        """
        words = None if holds is None else self.facts[said].format(**facts)
        return Holds(self.evidence)(holds, words or "", value)


@dataclass(frozen=True)
class Row:
    """One line of the ledger, in the order of its columns."""

    claim: str
    kind: str
    locus: str
    statement: str
    measured: float
    low: float
    high: float
    verdict: str
    reason: str
    command: str
    evidence: str
    excludes: str
    rests_on: str
    source: InitVar[object] = None

    def __post_init__(self, source: object) -> None:
        if source is not _JUDGED:
            raise TypeError("a row is made by judge only: verdicts are computed, never typed")


COLUMNS = tuple(field.name for field in fields(Row))
Rule = Callable[..., Ruling]
_Rule = TypeVar("_Rule", bound=Rule)


class Rulebook:
    """The rules of a chapter, and the words that its statements leave open: text, or functions of the study.

    A rule is named after its claim, or as the claims that share it state. `@rules("theorem-4")` registers a function of
    the study and the claim; `@rules.combining("table-1")` one that is given the rulings that the claim rests on as
    well, by claim.
    """

    def __init__(self, **words: str | Callable[[Any], str]) -> None:
        self.words = words
        self.alone: dict[str, Rule] = {}
        self.combined: dict[str, Rule] = {}

    def __call__(self, *claims: str) -> Callable[[_Rule], _Rule]:
        """Register a rule for these claims."""
        return self._register(self.alone, claims)

    def combining(self, *claims: str) -> Callable[[_Rule], _Rule]:
        """Register a rule that builds on the rulings of other claims."""
        return self._register(self.combined, claims)

    def _register(self, rules: dict[str, Rule], claims: Iterable[str]) -> Callable[[_Rule], _Rule]:
        def register(rule: _Rule) -> _Rule:
            for claim in claims:
                if claim in self.alone or claim in self.combined:
                    raise ValueError(f"claim {claim} must have one rule, got a second")
                rules[claim] = rule
            return rule

        return register


def read_claims(text: str) -> list[Claim]:
    """Return the claims of a `claims.toml`, in order.

    Raises
    ------
    ValueError
        If two claims share an identifier, one is malformed, or one rests on what is no claim.
    """
    known = {each.name for each in fields(Claim)} - {"facts"}
    claims = []
    for entry in tomllib.loads(text)["claim"]:
        stated = {key: value for key, value in entry.items() if key in known}
        stated["rests_on"] = tuple(stated.get("rests_on", ()))
        claims.append(Claim(**stated, facts={key: value for key, value in entry.items() if key not in known}))
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
    path = resources.files("private_bandits_book").joinpath(chapter, "claims.toml")
    return read_claims(path.read_text("utf-8")) if path.is_file() else []


def judge(chapter: str, study: Any, disagree: Mapping[str, tuple[int, int]] | None = None) -> pd.DataFrame:
    """Return the ledger of a chapter: a row a claim, with exactly the columns `COLUMNS`.

    Parameters
    ----------
    chapter : str
        The chapter's room; its `rules.rules` judges.
    study : Study
        What was measured, for the rules to read.
    disagree : mapping, optional
        By claim, how many of the other seeds give another verdict, and of how many.
    """
    rules: Rulebook = importlib.import_module(f"private_bandits_book.{chapter}.rules").rules
    return judged(claims_of(chapter), rules, study, f"private-bandits reproduce {chapter}", disagree)


def judged(
    claims: Iterable[Claim],
    rules: Rulebook,
    study: Any,
    command: str,
    disagree: Mapping[str, tuple[int, int]] | None = None,
) -> pd.DataFrame:
    """Return the ledger of claims by their rules; the command line that repeats them gains `--long` where it must."""
    by_name = {claim.claim: claim for claim in claims}
    rulings: dict[str, Ruling] = {}

    def ruling(name: str) -> Ruling:
        if name not in rulings:
            claim = by_name[name]
            found = _ruling(claim, rules, study, {part: ruling(part) for part in claim.rests_on})
            rulings[name] = on_other_seeds(found, *(disagree or {}).get(name, (0, 0)))
        return rulings[name]

    rows = []
    for claim in by_name.values():
        found = ruling(claim.claim)
        statement = claim.statement
        for name, word in rules.words.items():
            if f"{{{name}}}" in statement:
                statement = statement.replace(f"{{{name}}}", word if isinstance(word, str) else word(study))
        made_by = f"{command} --long" if claim.long else command
        numbers = found.measurement[:3]
        said = claim.claim, claim.kind, claim.locus, statement
        ground = found.evidence, "; ".join(found.excludes), ";".join(claim.rests_on)
        rows.append(Row(*said, *numbers, found.verdict, found.reason, made_by, *ground, source=_JUDGED))
    return pd.DataFrame([[getattr(row, c) for c in COLUMNS] for row in rows], columns=list(COLUMNS))


def _ruling(claim: Claim, rules: Rulebook, study: Any, parts: dict[str, Ruling]) -> Ruling:
    name = claim.rule or claim.claim
    parts = {part: ruling.inherited(part) for part, ruling in parts.items()}
    if claim.not_testable:
        return NotTestable(claim.not_testable)()
    if name in rules.combined:
        found = rules.combined[name](study, claim, parts)
    elif name in rules.alone:
        found = rules.alone[name](study, claim)
        found = all_of(found, *parts.values()) if parts else found
    elif parts:
        return rests_on(parts)
    else:
        raise ValueError(f"claim {claim.claim} must have a rule, rest on others or say why it is not testable")
    if not isinstance(found, Ruling):
        raise ValueError(f"the rule of {name} must return a Ruling, got {found!r}")
    if found.evidence == MEASURED and not found.about and not math.isnan(found.measurement.measured):
        raise ValueError(f"the rule of {name} must name the algorithms that it measured (Ruling.of), got none")
    return found

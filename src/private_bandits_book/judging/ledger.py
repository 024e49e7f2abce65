"""The ledger of a chapter: a row a claim, from the rulings that its cells made."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from private_bandits_book.judging.claims import COLUMNS, Claim
from private_bandits_book.judging.rulings import NotTestable, Ruling, all_of, on_other_seeds, rests_on


def ledger(
    claims: Mapping[str, Claim],
    rulings: Mapping[str, Ruling],
    command: str,
    disagree: Mapping[str, tuple[int, int]] | None = None,
) -> pd.DataFrame:
    """Return the ledger of claims: theirs by what was ruled, those that rest on others by their rows.

    Parameters
    ----------
    claims : mapping
        By identifier, in the order of the ledger.
    rulings : mapping
        By claim.
    command : str
        The command line that repeats them; it gains `--long` where a longer study decides.
    disagree : mapping, optional
        By claim, how many of the other seeds give another verdict, and of how many.

    Returns
    -------
    DataFrame
        With exactly the columns `COLUMNS`.

    Examples
    --------
    >>> from private_bandits_book.judging.rulings import Holds
    >>> claims = {"lemma-1": Claim("lemma-1", "lemma", "Lemma 1", "It holds.")}
    >>> ledger(claims, {"lemma-1": Holds()(True, "in all 4 cases")}, "private-bandits reproduce x")["verdict"].item()
    'reproduced'
    """
    known: dict[str, Ruling] = {}

    def ruled(name: str) -> Ruling:
        if name not in known:
            claim = claims[name]
            parts = {part: ruled(part).inherited(part) for part in claim.rests_on}
            if claim.not_testable:
                found = NotTestable(claim.not_testable)()
            elif name not in rulings:
                found = rests_on(parts)
            else:
                found = all_of(rulings[name], *parts.values()) if parts else rulings[name]
            known[name] = on_other_seeds(found, *(disagree or {}).get(name, (0, 0)))
        return known[name]

    rows = []
    for name, claim in claims.items():
        found = ruled(name)
        said = name, claim.kind, claim.locus, claim.statement, *found.measurement[:3], found.verdict, found.reason
        made_by = f"{command} --long" if claim.long else command
        ground = found.evidence, "; ".join(found.excludes), ";".join(claim.rests_on)
        searched = claim.refuted_by, claim.closest
        rows.append((*said, made_by, *ground, *searched))
    return pd.DataFrame(rows, columns=list(COLUMNS))

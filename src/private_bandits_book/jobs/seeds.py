"""Verdicts on other seeds: `seeds.csv` of a chapter, made by `reproduce --seeds`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from private_bandits_book.book import Book
from private_bandits_book.jobs.atomic import scratch

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ["measured", "low", "high"]
ALONE_VARIABLE = "PRIVATE_BANDITS_SEED_ALONE"  # set where a chapter's verdicts are to come from its own seed alone


def ledger_at(book: Book, chapter: str, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a chapter's ledger at some parameters, as its own seed alone decides it."""
    import pandas as pd

    from private_bandits_book.jobs.execute import execute

    other = {
        name: parameters[name] for name, one in book.parameters(chapter).items() if parameters[name] != one.default
    }
    os.environ[ALONE_VARIABLE] = "1"
    try:
        with scratch() as folder:
            execute(book.path(chapter), other, output=folder)
            return pd.read_csv(folder / "data" / "claims.csv")
    finally:
        del os.environ[ALONE_VARIABLE]


def played(book: Book, chapter: str, number: int) -> pd.DataFrame:
    """Judge a chapter on its own seed and on others.

    Parameters
    ----------
    book : Book
    chapter : str
    number : int
        Other seeds, >= 1: the next ones after the chapter's own.

    Returns
    -------
    DataFrame
        A row per claim and seed, the chapter's own first: `claim, reseeded, seed, verdict`; a claim is reseeded if the
        seed moves its number, so that those decided by exact statements or by committed longer studies are not.
    """
    import pandas as pd

    parameters = {name: parameter.default for name, parameter in book.parameters(chapter).items()}
    own = int(parameters["seed"])
    tables = {seed: ledger_at(book, chapter, parameters | {"seed": seed}) for seed in range(own, own + number + 1)}
    first = tables[own]
    moved = pd.Series(False, index=first.index)
    for table in tables.values():
        same = (table[NUMBERS] == first[NUMBERS]) | (table[NUMBERS].isna() & first[NUMBERS].isna())
        moved |= ~same.all(axis=1) | (table["verdict"] != first["verdict"])
    rows = [
        {"claim": claim, "reseeded": bool(moved[place]), "seed": seed, "verdict": table["verdict"][place]}
        for place, claim in enumerate(first["claim"])
        for seed, table in tables.items()
    ]
    return pd.DataFrame(rows)


def disagreeing(seeds: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Return, for each claim that was reseeded, how many of the other seeds have another verdict, and of how many."""
    found = {}
    for claim, part in seeds[seeds["reseeded"]].groupby("claim", sort=False):
        own, *others = part["verdict"]
        found[str(claim)] = sum(verdict != own for verdict in others), len(others)
    return found

"""Audits as rows of the table, those of the chapter and those of the longer study."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed

from private_bandits.privacy.audit import Audit
from private_bandits_book.chapters.audit.cases import Case
from private_bandits_book.studies import in_processes

BREAKS, KEEPS, CONSISTENT, SUSPECT = "breaks its promise", "keeps its promise", "consistent", "suspect"
COLUMNS = (
    *("algorithm", "paper", "variant", "trust", "view", "promised"),
    *("paid_low", "paid_high", "delta", "method", "verdict"),
)
_FOUND = ("neighbours", "event", "hits", "others", "tested", "seed")


def audited(cases: Sequence[Case], runs: int, seed: int, n_jobs: int, slow: bool = False) -> pd.DataFrame:
    """Audit the cases that are slow, or those that are not.

    Parameters
    ----------
    cases : sequence of Case
    runs, seed : int
        Of each; the seeds count from the first one.
    n_jobs : int
        Workers; they change no number.
    slow : bool

    Returns
    -------
    DataFrame
        A row per case, indexed by its place: `COLUMNS`, `known`, `neighbours`, `event`, and how often it happened.
    """
    work = {place: case for place, case in enumerate(cases) if case.slow == slow}
    rows = in_processes((delayed(_row)(case, runs, seed + place) for place, case in work.items()), n_jobs)
    return pd.DataFrame(rows, index=[*work], columns=[*COLUMNS, "known", *_FOUND])


def _row(case: Case, runs: int, seed: int) -> tuple[Any, ...]:
    found = case.audited(runs, seed)
    low, high, method = ends(case, found)
    seen = ("", "all outcomes", 0, 0, 0)
    if found.event is not None:
        seen = (in_words(found.witness), str(found.event), found.event.hits, found.event.others, found.event.runs)
    facts = case[:5], (found.promised, low, high, found.delta, method, found.verdict)
    return *facts[0], *facts[1], case.known, *seen, seed


def ends(case: Case, found: Audit) -> tuple[float, float, str]:
    """Return both ends of a row and its method: one number where the loss is known and the runs do not refute it.

    A loss that is known from a record holds for the code as far as runs agree: an infinite one needs an accusation.
    """
    agrees = found.high_by == "accounting" or (found.verdict == BREAKS and case.exact == np.inf)
    if case.exact is not None and agrees:
        return case.exact, case.exact, f"closed form, {found.method}"
    both = found.high_by == "accounting" and found.method == "sampled"
    return found.epsilon_low, found.epsilon_high, "sampled, accounting" if both else found.method


def counts(rows: pd.DataFrame) -> pd.Series:
    """Return how many rows with a promise have each verdict."""
    return rows.loc[rows["verdict"] != "no promise", "verdict"].value_counts()


def breaches(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose promise is broken, with the two data, the event, and how often it happened."""
    broken = rows[(rows["verdict"] == BREAKS) & (rows["tested"] > 0)]
    times = [f"{one.hits:,} and {one.others:,} of {one.tested:,}" for one in broken.itertuples()]
    return broken[["algorithm", "paper", "variant", "view", "neighbours", "event"]].assign(times=times)


def in_words(witness: Any) -> str:
    """Say in what two neighbours differ."""
    if not isinstance(witness, tuple | list) or len(witness) != 2 or isinstance(witness[0], int):
        return str(witness)
    one, other = witness
    if isinstance(one, list) and not isinstance(one[0], float):
        return "other contexts or rewards of the first user"
    first, second = np.atleast_1d(np.asarray(one, dtype=float)), np.atleast_1d(np.asarray(other, dtype=float))
    if first.ndim == 1:
        return f"{_numbers(first)} against {_numbers(second)}"
    user = int(np.flatnonzero((first != second).any(axis=1))[0])
    rest = np.delete(first, user, axis=0)
    others = f"; all others {_numbers(rest[0])}" if len(rest) and (rest == rest[0]).all() else ""
    return f"user {user + 1}: {_numbers(first[user])} against {_numbers(second[user])}{others}"


def _numbers(row: np.ndarray) -> str:
    if len(row) > 1 and (row == row[0]).all():
        return f"{row[0]:g} everywhere"
    if len(row) > 1 and (row[1:] == 0).all():
        return f"{row[0]:g} first, then 0"
    if len(row) > 2 and (row[:-1] == 0).all():
        return f"0, and {row[-1]:g} last"
    return ", ".join(f"{x:g}" for x in row)

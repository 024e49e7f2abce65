"""Committed rows of longer studies, and the runs that made them played again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from private_bandits_book.chapters.seeds import csv_text
from private_bandits_book.studies import LongRun, play_long

BOOK = Path(__file__).parents[1] / "book" / "data"


def folder(chapter: str) -> Path:
    """The folder of a chapter's committed data."""
    return BOOK / chapter


def committed(chapter: str, label: str) -> pd.DataFrame:
    """The rows of a longer study, regret as the text that stands in the file."""
    return pd.read_csv(folder(chapter) / f"long-{label}.csv", dtype={"regret": str})


def rows_of(frame: pd.DataFrame, run: LongRun) -> pd.DataFrame:
    """The rows of one run, by its labels."""
    chosen = np.ones(len(frame), bool)
    for name, value in run.labels.items():
        if isinstance(value, float):
            chosen &= np.isclose(frame[name].to_numpy(float), value, rtol=1e-9, equal_nan=True)
        else:
            chosen &= (frame[name] == value).to_numpy()
    return frame[chosen]


def replayed(frame: pd.DataFrame, runs: Sequence[LongRun], *, rounds: int = 30_000, whole: bool = False) -> None:
    """Assert that the second replication of every run (the first, to its end, if `whole`) has the committed digits.

    Played in part, the runs must be all that the file holds, and nothing else.
    """
    parts = [rows_of(frame, run) for run in runs]
    if not whole:
        assert sum(map(len, parts)) == len(frame) and all(len(part) for part in parts)
    for run, part in zip(runs, parts, strict=True):
        replication = 0 if whole else 1
        horizon = run.horizon if whole else min(run.horizon, rounds)
        again = play_long(run._replace(replications=replication + 1, horizon=horizon), n_jobs=1)
        again = again[(again["replication"] == replication) & again["t"].isin(part["t"])]
        stored = part[(part["replication"] == replication) & (part["t"] <= horizon)]
        stored = stored[stored["t"].isin(again["t"])]
        assert len(stored) > 0, run.labels
        assert csv_text(again[["regret"]]).split()[1:] == stored["regret"].tolist(), run.labels

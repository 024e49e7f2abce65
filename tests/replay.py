"""What is committed: the text of a chapter, and rows of longer studies, whose runs are played again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from private_bandits_book.chapters.seeds import csv_text
from private_bandits_book.studies import LongRun, play_long

BOOK = Path(__file__).parents[1] / "book" / "data"


def folder(chapter: str) -> Path:
    """The folder of a chapter's committed data."""
    return BOOK / chapter


def prose(chapter: str) -> list[str]:
    """The text cells of a chapter, each in one line."""
    cells = json.loads((BOOK.parent / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [" ".join("".join(cell["source"]).split()) for cell in cells if cell["cell_type"] == "markdown"]


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


def complete(frame: pd.DataFrame, runs: Sequence[LongRun]) -> None:
    """Assert that the rows are those of all replications of the runs, and of nothing else."""
    names = list(runs[0].labels)
    made = frame.drop_duplicates([*names, "replication"])[names]
    found = Counter(_digits(row) for row in made.itertuples(index=False))
    assert found == {_digits(run.labels[name] for name in names): run.replications for run in runs}


def _digits(labels: Iterable[object]) -> tuple[str, ...]:
    return tuple(value if isinstance(value, str) else f"{value:.9g}" for value in labels)


def replayed(frame: pd.DataFrame, runs: Sequence[LongRun], rounds: int | None) -> None:
    """Assert that some rounds of the second replication of each run, or all of its first, have the committed digits."""
    for run in runs:
        replication = 0 if rounds is None else 1
        horizon = min(run.horizon, rounds or run.horizon)
        again = play_long(run._replace(replications=replication + 1, horizon=horizon), n_jobs=1)
        part = rows_of(frame, run)
        stored = part[(part["replication"] == replication) & part["t"].isin(again["t"])]
        again = again[(again["replication"] == replication) & again["t"].isin(stored["t"])]
        assert len(stored) > 0, run.labels
        assert csv_text(again[["regret"]]).split()[1:] == stored["regret"].tolist(), run.labels

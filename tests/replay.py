"""What is committed: the text of a chapter, and rows of longer studies, whose runs are played again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from private_bandits_book.runs import csv_text, facts
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


def complete(chapter: str, label: str, columns: Sequence[str], runs: Sequence[LongRun]) -> None:
    """Assert that the file has all replications of the runs, and says of each what its policy states today."""
    text = pd.read_csv(folder(chapter) / f"long-{label}.csv", dtype=str, keep_default_na=False)
    columns = ["run", *columns]
    stated = {*facts(runs[0].policy, runs[0].problem)}  # by every policy itself
    assert not any({*run.labels} & stated for run in runs)
    known = pd.DataFrame([{"run": number, **run.known()} for number, run in enumerate(runs)])
    assert [*text.columns[: len(columns)]] == columns
    assert csv_text(text[columns].drop_duplicates()) == csv_text(known[columns])
    counts = (
        text["replications"] if "replications" in text else text.groupby("run", sort=False)["replication"].nunique()
    )
    assert counts.astype(int).tolist() == [run.replications for run in runs]


def replayed(frame: pd.DataFrame, runs: Mapping[int, LongRun], rounds: int | None) -> None:
    """Assert that some rounds of the second replication of each run, or all of its first, have the committed digits.

    The runs are given by their numbers.
    """
    for number, run in runs.items():
        replication = 0 if rounds is None else 1
        horizon = min(run.horizon, rounds or run.horizon)
        again = play_long(run._replace(replications=replication + 1, horizon=horizon), n_jobs=1)
        part = frame[(frame["run"] == number) & (frame["replication"] == replication)]
        stored = part[part["t"].isin(again["t"])]
        again = again[(again["replication"] == replication) & again["t"].isin(stored["t"])]
        assert len(stored) > 0, number
        assert csv_text(again[["regret"]]).split()[1:] == stored["regret"].tolist(), number

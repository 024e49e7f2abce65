"""What the chapters' longer studies share: lists of runs that are played and kept one by one."""

import importlib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from joblib import Parallel
from tqdm import tqdm

from private_bandits.simulation import simulate
from private_bandits_book.jobs.cache import at, memoize
from private_bandits_book.parameters import UsageError
from private_bandits_book.runs import facts, identity


class LongRun(NamedTuple):
    """A run of a longer study: enough to play it again."""

    labels: Mapping[str, Any]  # the study's own, of what is no fact of the policy
    problem: Any
    policy: Any
    horizon: int
    seed: int
    replications: int
    checkpoints: Sequence[int] | None = None  # None for 16 a decade; the horizon is always one
    start: int = 1  # earlier checkpoints are not kept

    def known(self) -> dict[str, Any]:
        """Return the facts of the policy on the problem, the seed, and the labels."""
        return facts(self.policy, self.problem) | {"seed": self.seed} | dict(self.labels)


def play_long(run: LongRun, n_jobs: int = -1) -> pd.DataFrame:
    """Play a run of a longer study and return it tidy.

    Parameters
    ----------
    run : LongRun
    n_jobs : int
        As for `simulate`.

    Returns
    -------
    DataFrame
        A row per replication and checkpoint: `replication, t, regret`.
    """
    data = simulate(
        run.problem,
        run.policy,
        horizon=run.horizon,
        replications=run.replications,
        seed=run.seed,
        checkpoints=None if run.checkpoints is None else sorted({t for t in run.checkpoints if t < run.horizon}),
        n_jobs=n_jobs,
        progress=False,
    )
    frame = data.regret.to_dataframe().reset_index()
    frame = frame[frame["t"] >= min(run.start, run.horizon)]
    return frame[["replication", "t", "regret"]]


class LongStudy(NamedTuple):
    """A longer study: its runs, and what of each stands in its rows."""

    runs: Callable[[], Sequence[LongRun]]
    columns: Sequence[str]  # facts and labels that are stored beside the run's number, for who reads the file alone
    play: Callable[[LongRun], pd.DataFrame] = play_long


def long_study(label: str, study: LongStudy) -> Callable[..., pd.DataFrame]:
    """Return the function that plays a longer study; its `progress` says whether to show a bar.

    Its rows have `run`, the number of a run in the list, from 0; the columns of the study; and what `play` returns.
    """

    def played(progress: bool = False) -> pd.DataFrame:
        frames, bar = [], tqdm(study.runs(), desc=label, disable=not progress)
        for number, run in enumerate(bar):
            bar.set_postfix_str(run.policy.name)
            what = identity(run.problem, run.policy) or (run.problem, run.policy)
            arguments = study.play, what, run._replace(problem=None, policy=None)
            with at(f"run {number + 1} of {bar.total}, {run.policy.name}"):
                measured = memoize(arguments, partial(study.play, run))
            known = run.known()
            columns = {"run": number} | {name: known[name] for name in study.columns}
            frames.append(measured.assign(**columns)[[*columns, *measured.columns]])
        return pd.concat(frames, ignore_index=True)

    return played


def stored(chapter: str, label: str, folder: Path) -> pd.DataFrame:
    """Return the rows of a longer study as they are stored, with all that is known of their runs.

    Parameters
    ----------
    chapter, label : str
        The study's chapter, and its name in the chapter's `studies.py`.
    folder : Path
        Of the chapter's data.

    Returns
    -------
    DataFrame
        As `Chapter.play` returns, with `run`, the number of a run in the study's list, and the labels of the study.
        Facts and labels are those of the list, not read from text. What is no list of runs is returned as stored.

    Raises
    ------
    ValueError
        If there is no such study, or the list has other runs than are stored.
    """
    studies = vars(importlib.import_module(f"private_bandits_book.chapters.{chapter}.studies")).get("STUDIES", {})
    made = sorted(path.stem.removeprefix("long-") for path in folder.glob("long-*.csv"))
    if label not in made:
        missing = f"private-bandits reproduce {chapter} --long makes what is missing"
        raise UsageError(f"a longer study of {chapter} must be one of {', '.join(made)}, got {label!r}: {missing}")
    rows = pd.read_csv(folder / f"long-{label}.csv")
    if label not in studies:
        return rows
    known = pd.DataFrame([run.known() for run in studies[label].runs()])
    if {*rows["run"]} != {*known.index}:
        got = f"{rows['run'].nunique()} with numbers to {rows['run'].max()}"
        remedy = f"private-bandits reproduce {chapter} --long"
        raise ValueError(f"long-{label}.csv must have the {len(known)} runs of its study, got {got}: {remedy}")
    found = rows.drop(columns=known.columns, errors="ignore").join(known, on="run")
    return found[[*rows.columns, *known.columns.difference(rows.columns, sort=False)]]


def in_processes(work: Iterable[Any], n_jobs: int) -> list[Any]:
    """Return what `joblib.delayed` calls return that hold the interpreter, by so many processes.

    Parameters
    ----------
    work : iterable of delayed calls
    n_jobs : int
        Workers, -1 for all cores.

    Returns
    -------
    list
        In the order of the calls, the same for any number of workers.
    """
    with warnings.catch_warnings():
        # of joblib: a worker that grew by 300 MB, as many compiled loops make it, is replaced, and nothing is lost
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        return list(Parallel(n_jobs)(work))


def means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the mean regret of a longer study's rows, its standard error and of how many replications they are."""
    regret = rows.groupby(by, sort=False)["regret"]
    return regret.agg(regret="mean", regret_se="sem", replications="size").reset_index()

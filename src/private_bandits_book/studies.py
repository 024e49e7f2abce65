"""What the chapters' longer studies share: lists of runs that are played and kept one by one."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel
from tqdm import tqdm

from private_bandits.estimates import Interval
from private_bandits.policy import Policy, playable
from private_bandits.privacy import binomial_interval
from private_bandits.simulation import AnyProblem, simulate
from private_bandits_book.cache import at, memoize


def family(policy: Any) -> str:
    """Return the algorithms that a policy is shown with, by one colour: mostly its mechanism, without privacy too."""
    known = playable(policy)
    if known.family or known.calibration == "composition":
        return known.family or known.calibration
    return "response" if known.mechanism == "exponential" else known.mechanism


def identity(problem: AnyProblem, policy: Any) -> Hashable:
    """Return a key that two pairs of a problem and a policy share if they give the same numbers under one label."""
    if not isinstance(policy, Policy):
        return _content(problem), policy if isinstance(policy, Hashable) else Itself(policy)
    named = policy.name, policy.algorithm, policy.variant, policy.privacy
    return _content(problem), *named, type(policy.record), _content(policy.record)


class Itself:
    """A key for a thing that is only known to be itself."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


class LongRun(NamedTuple):
    """A run of a longer study: enough to play it again."""

    labels: Mapping[str, Any]  # what tells it from the others: the first columns of its rows
    problem: Any
    policy: Any
    horizon: int
    seed: int
    replications: int
    checkpoints: Sequence[int] | None = None  # None for 16 a decade; the horizon is always one
    start: int = 1  # earlier checkpoints are not kept


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
        A row per replication and checkpoint: the labels, and `replication, t, regret`.
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
    return frame.assign(**run.labels)[[*run.labels, "replication", "t", "regret"]]


def long_study(
    label: str, runs: Callable[[], Sequence[LongRun]], play: Callable[[LongRun], pd.DataFrame] = play_long
) -> Callable[..., pd.DataFrame]:
    """Return the function that plays a longer study; its `progress` says whether to show a bar."""

    def played(progress: bool = False) -> pd.DataFrame:
        frames, bar = [], tqdm(runs(), desc=label, disable=not progress)
        for number, run in enumerate(bar, 1):
            bar.set_postfix_str(run.policy.name)
            arguments = play, identity(run.problem, run.policy), run._replace(problem=None, policy=None)
            with at(f"run {number} of {bar.total}, {run.policy.name}"):
                frames.append(memoize(arguments, partial(play, run)))
        return pd.concat(frames, ignore_index=True)

    return played


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


def share(found: np.ndarray) -> Interval:
    """Return how often something was found in independent runs, with its exact interval."""
    return Interval(float(np.mean(found)), *binomial_interval(int(np.sum(found)), len(found)))


def means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the mean regret of a longer study's rows, its standard error and of how many replications they are."""
    regret = rows.groupby(by, sort=False)["regret"]
    return regret.agg(regret="mean", regret_se="sem", replications="size").reset_index()


def _content(value: Any) -> Hashable:
    """What a problem or a record is made of, compared by value."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(map(_content, value))
    if is_dataclass(value):
        return type(value), *(_content(getattr(value, each.name)) for each in fields(value))
    return value

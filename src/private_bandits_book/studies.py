"""What the chapters' experiments share: runs that are played once, panels of them, and what is tabulated of a panel.

A chapter's experiments are a `Player` with methods that return panels. Its longer studies are lists of `LongRun`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from tqdm import tqdm

from private_bandits.simulate import AnyProblem, simulate


class Run(NamedTuple):
    """One policy on one problem: its regret by replication, and what it was run as."""

    policy: Any  # a simulate.Policy, or a learner's maker with a name and a privacy
    reading: str  # "" for a baseline, which belongs to every reading
    problem: Any
    swept: Mapping[str, Any]
    data: xr.Dataset

    @property
    def name(self) -> str:
        """The policy's name."""
        return str(self.policy.name)

    @property
    def epsilon(self) -> float:
        """Nominal epsilon."""
        return float(self.policy.privacy.epsilon)

    @property
    def curves(self) -> np.ndarray:
        """Pseudo-regret, shape (replications, checkpoints)."""
        return np.asarray(self.data.regret.values)

    @property
    def final(self) -> np.ndarray:
        """Pseudo-regret at the horizon, shape (replications,)."""
        return self.curves[:, -1]

    @property
    def uniform(self) -> float:
        """Expected regret of uniformly random play at the horizon."""
        return float(self.problem.uniform_regret()) * float(self.data.t[-1])


Panel = list[Run]


@dataclass
class Player:
    """Plays policies at common settings; equal runs are played once."""

    horizon: int
    replications: int
    seed: int
    n_jobs: int
    _played: dict[Hashable, xr.Dataset] = field(default_factory=dict, init=False, repr=False, compare=False)

    def run(
        self,
        problem: AnyProblem,
        policy: Any,
        reading: str = "",
        swept: Mapping[str, Any] | None = None,
        horizon: int | None = None,
        n_jobs: int | None = None,
    ) -> Run:
        """Play a policy on a problem, or return what it did when it was played before.

        Parameters
        ----------
        problem, policy
            As for `simulate`.
        reading : str
            What the run stands for in its panel; "" for a baseline.
        swept : mapping, optional
            What moves in the panel: names of columns and the run's values.
        horizon, n_jobs : int, optional
            Instead of the player's.
        """
        rounds = self.horizon if horizon is None else horizon
        key = (identity(problem, policy), rounds)
        if key not in self._played:
            self._played[key] = simulate(
                problem,
                policy,
                horizon=rounds,
                replications=self.replications,
                seed=self.seed,
                n_jobs=self.n_jobs if n_jobs is None else n_jobs,
            )
        return Run(policy, reading, problem, swept or {}, self._played[key])


def identity(problem: AnyProblem, policy: Any) -> Hashable:
    """Return a key that two pairs of a problem and a policy share if they give the same numbers under one label."""
    record = getattr(policy, "record", None)
    if record is None:  # a learner in Python is only known to be itself
        return _content(problem), policy
    return (
        _content(problem),
        policy.name,
        policy.algorithm,
        policy.variant,
        policy.privacy,
        type(record),
        _content(record),
    )


class Labelled(Protocol):
    """What `find` looks at."""

    @property
    def name(self) -> str: ...
    @property
    def reading(self) -> str: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def swept(self) -> Mapping[str, Any]: ...


Found = TypeVar("Found", bound=Labelled)


def find(panel: Iterable[Found], name: str, reading: str = "", epsilon: float | None = None, **swept: Any) -> Found:
    """Return the one run of a panel with this policy name, reading, epsilon and swept values.

    Raises
    ------
    LookupError
        If there is none, or more than one.
    """
    found = [
        run
        for run in panel
        if run.name == name
        and run.reading == reading
        and epsilon in (None, run.epsilon)
        and all(key in run.swept and run.swept[key] == value for key, value in swept.items())
    ]
    if len(found) != 1:
        raise LookupError(f"{len(found)} runs of {name!r} ({reading or 'baseline'}, {epsilon}, {swept})")
    return found[0]


def curves(
    panel: Iterable[Run], family_of: Callable[[str], str], extra: Callable[[Run], Mapping[str, Any]] | None = None
) -> pd.DataFrame:
    """Return the mean curves of a panel, tidy, a row per run and checkpoint.

    Parameters
    ----------
    panel : iterable of Run
        Not empty.
    family_of : callable
        The mechanism family of a policy's name, for its colour.
    extra : callable, optional
        More columns of a run.

    Returns
    -------
    DataFrame
        Columns `policy, reading, family, trust, epsilon`, what is swept, the extra ones, and `t, regret, regret_se,
        replications`.
    """
    return pd.concat([_rows(run, slice(None), family_of, extra) for run in panel], ignore_index=True)


def finals(
    panel: Iterable[Run], family_of: Callable[[str], str], extra: Callable[[Run], Mapping[str, Any]] | None = None
) -> pd.DataFrame:
    """Return the mean regret at the horizon, tidy, a row per run; the arguments and columns are those of `curves`."""
    return pd.concat([_rows(run, slice(-1, None), family_of, extra) for run in panel], ignore_index=True)


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


def play_long(
    run: LongRun, *, replications: int | None = None, horizon: int | None = None, n_jobs: int = -1
) -> pd.DataFrame:
    """Play a run of a longer study, or its beginning, and return it tidy.

    Parameters
    ----------
    run : LongRun
    replications, horizon : int, optional
        Instead of the run's.
    n_jobs : int
        As for `simulate`.

    Returns
    -------
    DataFrame
        A row per replication and checkpoint: the labels, and `replication, t, regret`.
    """
    rounds = run.horizon if horizon is None else horizon
    data = simulate(
        run.problem,
        run.policy,
        horizon=rounds,
        replications=run.replications if replications is None else replications,
        seed=run.seed,
        checkpoints=None if run.checkpoints is None else sorted({t for t in run.checkpoints if t < rounds}),
        n_jobs=n_jobs,
        progress=False,
    )
    frame = data.regret.to_dataframe().reset_index()
    frame = frame[frame["t"] >= min(run.start, rounds)]
    return frame.assign(**run.labels)[[*run.labels, "replication", "t", "regret"]]


def long_study(label: str, runs: Callable[[], Sequence[LongRun]]) -> Callable[..., pd.DataFrame]:
    """Return the function that plays a longer study; its `progress` says whether to show a bar."""

    def play(progress: bool = False) -> pd.DataFrame:
        frames = [play_long(run) for run in tqdm(runs(), desc=label, disable=not progress)]
        return pd.concat(frames, ignore_index=True)

    return play


def _rows(
    run: Run, part: slice, family_of: Callable[[str], str], extra: Callable[[Run], Mapping[str, Any]] | None
) -> pd.DataFrame:
    regret = run.curves[:, part]
    replications = len(regret)
    return pd.DataFrame(
        {
            "policy": run.name,
            "reading": run.reading,
            "family": family_of(run.name),
            "trust": run.policy.privacy.trust,
            "epsilon": run.epsilon,
            **run.swept,
            **(extra(run) if extra else {}),
            "t": run.data.t.values[part],
            "regret": regret.mean(axis=0),
            "regret_se": regret.std(axis=0, ddof=1) / math.sqrt(replications),
            "replications": replications,
        }
    )


def _content(value: Any) -> Hashable:
    """What a problem or a record is made of, compared by value."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(map(_content, value))
    if hasattr(value, "__dataclass_fields__"):
        return type(value), *(_content(getattr(value, each.name)) for each in fields(value))
    return value

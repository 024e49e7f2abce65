"""What the chapters' studies share: runs that are played once, sets of them, and what is tabulated of a set.

A chapter's `Study` holds its parameters and, as cached properties, everything that it measures: exhibits and rules read
it, and nothing is played before one of them asks. Its longer studies are lists of `LongRun`.
"""

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property, partial
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from joblib import Parallel
from tqdm import tqdm

from private_bandits.estimates import Interval
from private_bandits.kernels import elimination, robust
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, binomial_interval
from private_bandits.simulate import AnyProblem, simulate
from private_bandits_book.cache import at, memoize
from private_bandits_book.ledger import judge
from private_bandits_book.verdicts import NUMBERED, verdicts_in_words

_Found = TypeVar("_Found")
OFTEN = 10  # runs behind a number in the findings, for each of the chapter's replications


def key(policy: Any) -> str:
    """Return what a policy is found by, whatever it is called: paper, place in it and what that leaves open."""
    return "; ".join(filter(None, (policy.paper, policy.algorithm, policy.method))) or str(policy.mechanism)


def family(policy: Any) -> str:
    """Return the algorithms that a policy is shown with, by one colour: mostly its mechanism, without privacy too."""
    if isinstance(policy, Policy):
        if policy.kernel is elimination:
            return "elimination"
        if policy.kernel is robust:
            return "tree"
        if policy.noise == "composition":
            return "composition"
    return "response" if policy.mechanism == "exponential" else str(policy.mechanism)


class Run(NamedTuple):
    """One policy on one problem: its regret by replication, and what it was run as."""

    policy: Any  # a simulate.Policy, or a learner's maker with a name and a privacy
    variant: str  # "" for a baseline, which belongs to every variant
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
    def t(self) -> np.ndarray:
        """Rounds of the checkpoints."""
        return np.asarray(self.data.t.values)

    @property
    def curves(self) -> np.ndarray:
        """Pseudo-regret, shape (replications, checkpoints); one row where it is computed rather than played."""
        return np.asarray(self.data.regret.values)

    @property
    def final(self) -> np.ndarray:
        """Pseudo-regret at the horizon, shape (replications,)."""
        return self.curves[:, -1]

    @property
    def uniform(self) -> float:
        """Expected regret of uniformly random play at the horizon."""
        return float(self.problem.uniform_regret()) * float(self.data.t[-1])

    @property
    def family(self) -> str:
        """The policy's family, for the colour."""
        return family(self.policy)


class UniformPlay:
    """Uniformly random play, in the place of a policy: its regret is known and need not be played."""

    name, mechanism, privacy = "uniform", "uniform", Guarantee.none()
    paper = algorithm = method = ""


class Runs(list[Run]):
    """The runs of a panel."""

    def select(self, policy: str | None = None, variant: str | None = None, **wanted: Any) -> Self:
        """Return the runs with this key of a policy, variant, epsilon and swept values, in order.

        Parameters
        ----------
        policy, variant : str, optional
            Any, if not given; "" is the variant of a baseline.
        **wanted
            `epsilon`, or values of what is swept.
        """
        return type(self)(run for run in self if _matches(run, policy, variant, wanted))

    def find(self, policy: str, variant: str = "", epsilon: float | None = None, **swept: Any) -> Run:
        """Return the one run with this key of a policy, variant, epsilon and swept values.

        Raises
        ------
        LookupError
            If there is none, or more than one.
        """
        wanted = swept if epsilon is None else swept | {"epsilon": epsilon}
        found = self.select(policy, variant, **wanted)
        return only(found, f"runs of {policy!r} ({variant or 'baseline'}, {epsilon}, {swept})")

    def final(self, policy: str, variant: str = "", epsilon: float | None = None, **swept: Any) -> float:
        """Return the mean regret at the horizon of the one run that `find` finds."""
        return float(self.find(policy, variant, epsilon, **swept).final.mean())

    def curves(self, *, paid: bool = False) -> pd.DataFrame:
        """Return the mean curves, tidy, a row per run and checkpoint.

        Parameters
        ----------
        paid : bool
            Add what each policy pays: `value_epsilon` and `effective_epsilon`.

        Returns
        -------
        DataFrame
            Columns `key, policy, reading, family, trust, epsilon`, what is swept, what is paid, and `t, regret,
            regret_se, replications`.
        """
        return pd.concat([_rows(run, slice(None), paid) for run in self], ignore_index=True)

    def finals(self, *, paid: bool = False) -> pd.DataFrame:
        """Return the mean regret at the horizon, tidy, a row per run; arguments and columns are those of `curves`."""
        return pd.concat([_rows(run, slice(-1, None), paid) for run in self], ignore_index=True)


@dataclass
class Runner:
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
        variant: str = "",
        swept: Mapping[str, Any] | None = None,
        horizon: int | None = None,
        n_jobs: int | None = None,
        replications: int | None = None,
    ) -> Run:
        """Play a policy on a problem, or return what it did when it was played before.

        Parameters
        ----------
        problem, policy
            As for `simulate`.
        variant : str
            What the run stands for in its panel; "" for a baseline.
        swept : mapping, optional
            What moves in the panel: names of columns and the run's values.
        horizon, n_jobs, replications : int, optional
            Instead of the player's.
        """
        rounds = self.horizon if horizon is None else horizon
        runs = self.replications if replications is None else replications
        played = (identity(problem, policy), rounds, runs)
        if played not in self._played:
            with at(f"{policy.name}, {runs} runs of {rounds:,} rounds"):
                self._played[played] = simulated(
                    problem,
                    policy,
                    horizon=rounds,
                    replications=runs,
                    seed=self.seed,
                    n_jobs=self.n_jobs if n_jobs is None else n_jobs,
                )
        return Run(policy, variant, problem, swept or {}, self._played[played])


def _no_long_study(label: str) -> pd.DataFrame:
    raise LookupError(f"no longer study {label!r} was given")


@dataclass
class Study(Runner):
    """What a chapter measures: its parameters by name, and cached properties that play or read.

    A chapter's study names the parameters of its notebook that it needs as fields, and the chapter in `chapter`.

    Parameters
    ----------
    long_study : callable
        Returns the committed rows of a longer study by its label.
    disagree : mapping
        By claim, how many of the other seeds give another verdict, and of how many.
    """

    chapter: ClassVar[str]
    epsilons: list[float]
    long_study: Callable[[str], pd.DataFrame] = field(default=_no_long_study, kw_only=True, repr=False, compare=False)
    disagree: Mapping[str, tuple[int, int]] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    @classmethod
    def at(
        cls,
        parameters: Mapping[str, Any],
        long_study: Callable[[str], pd.DataFrame],
        disagree: Mapping[str, tuple[int, int]] | None = None,
    ) -> Self:
        """Return the study at a chapter's parameters."""
        named = {each.name for each in fields(cls) if each.init} - {"long_study", "disagree"}
        own = {name: parameters[name] for name in named}
        return cls(**own, long_study=cache(long_study), disagree=disagree or {})

    @property
    def headline_replications(self) -> int:
        """How many runs a number in the findings is a mean of."""
        return OFTEN * self.replications

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """The claims of the paper, judged by what this study measures."""
        return judge(self.chapter, self, self.disagree)

    @property
    def verdicts(self) -> str:
        """How many claims there are, and how they were judged, in words."""
        numbered = self.ledger[self.ledger["kind"].isin(NUMBERED)]["verdict"]
        return f"**Of {len(numbered)} numbered theorems, tables and figures** {verdicts_in_words(numbered)}"


def simulated(problem: AnyProblem, policy: Any, *, n_jobs: int = 1, **how: Any) -> xr.Dataset:
    """Return what `simulate` returns, if it was kept without playing; arguments are the same."""
    ours = type(policy).__module__.split(".")[0] in ("private_bandits", "private_bandits_book")
    play = partial(simulate, problem, policy, n_jobs=n_jobs, **how)
    return memoize((identity(problem, policy), how), play) if ours else play()  # nobody watches the sources of others


def identity(problem: AnyProblem, policy: Any) -> Hashable:
    """Return a key that two pairs of a problem and a policy share if they give the same numbers under one label."""
    if not isinstance(policy, Policy):
        return _content(problem), policy if isinstance(policy, Hashable) else Itself(policy)
    named = policy.name, policy.algorithm, policy.version, policy.privacy
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


def only(found: Sequence[_Found], what: str) -> _Found:
    """Return the only one of what was found.

    Parameters
    ----------
    found : sequence
    what : str
        What was looked for, in the plural.

    Raises
    ------
    LookupError
        If there is none, or more than one.
    """
    if len(found) != 1:
        raise LookupError(f"{len(found)} {what}")
    return found[0]


def share(found: np.ndarray) -> Interval:
    """Return how often something was found in independent runs, with its exact interval."""
    return Interval(float(np.mean(found)), *binomial_interval(int(np.sum(found)), len(found)))


def looked(rows: pd.DataFrame, runs: Sequence[LongRun], by: list[str]) -> pd.DataFrame:
    """Return rows of a longer study with key, family and trust of the policy that these labels of theirs belong to."""
    looks = [(*map(run.labels.get, by), key(run.policy), family(run.policy), run.policy.privacy.trust) for run in runs]
    columns = [*by, "key", "family", "trust"]
    return rows.merge(pd.DataFrame(looks, columns=columns).drop_duplicates(), how="left", on=by, validate="m:1")


def played(rows: pd.DataFrame, runs: Sequence[LongRun], policy: str) -> pd.DataFrame:
    """Return the rows of a longer study that come from runs of a policy, by its key."""
    return rows[rows["policy"].isin({run.labels["policy"] for run in runs if key(run.policy) == policy})]


def means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the mean regret of a longer study's rows, its standard error and of how many replications they are."""
    regret = rows.groupby(by, sort=False)["regret"]
    return regret.agg(regret="mean", regret_se="sem", replications="size").reset_index()


def _matches(run: Run, policy: str | None, variant: str | None, wanted: Mapping[str, Any]) -> bool:
    given = {**run.swept, "epsilon": run.epsilon}
    known = policy in (None, key(run.policy)) and variant in (None, run.variant)
    return known and all(name in given and given[name] == value for name, value in wanted.items())


def _rows(run: Run, part: slice, paid: bool) -> pd.DataFrame:
    regret = run.curves[:, part]
    replications = len(regret)
    spread = regret.std(axis=0, ddof=1) / math.sqrt(replications) if replications > 1 else 0.0
    privacy = run.policy.privacy
    pays = {"value_epsilon": privacy.value_epsilon, "effective_epsilon": privacy.effective_epsilon}
    return pd.DataFrame(
        {
            "key": key(run.policy),
            "policy": run.name,
            "reading": run.variant,
            "family": run.family,
            "trust": privacy.trust,
            "epsilon": run.epsilon,
            **run.swept,
            **(pays if paid else {}),
            "t": run.t[part],
            "regret": regret.mean(axis=0),
            "regret_se": spread,
            "replications": replications,
        }
    )


def _content(value: Any) -> Hashable:
    """What a problem or a record is made of, compared by value."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(map(_content, value))
    if is_dataclass(value):
        return type(value), *(_content(getattr(value, each.name)) for each in fields(value))
    return value

"""What the benchmark runs: tuning on the calibration instances, and every policy on the test instances.

A row holds the mean of a policy's runs on an instance, its error, and how many runs have failed.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.policy import Player
from private_bandits.privacy import private_kl
from private_bandits.problems.lists import ListProblem
from private_bandits_book.chapters.comparison.entrants import ENTRANTS, FREE, Setting, guarantee, made, without_contexts
from private_bandits_book.chapters.comparison.families import instances, searched
from private_bandits_book.studies import LongRun, LongStudy, play_long

__all__ = ["FREED", "STUDIES", "failing", "play", "play_halves", "run_of"]

SEED, TUNING_SEED, SEARCH_SEED, FRESH_SEED = 2029, 2030, 2033, 2041
EARLIER = {"contexts": 2036, "tails": 2036}  # seeds of fresh instances where nobody has entered since
EPSILONS, FEW = (0.1, 0.3, 1.0, 3.0, 10.0), (0.1, 1.0, 10.0)  # FEW for policies in Python


class Size(NamedTuple):
    """How long and how often policies for a kind of problem run."""

    horizon: int  # at every epsilon
    horizons: tuple[int, ...]  # at epsilon 1, too; policies in Python only up to `horizon`, but for those of `FRESH`
    runs: int
    slow_runs: int  # of policies in Python
    tuning_horizon: int
    tuning_runs: int


_LISTS = Size(10**5, (10**3, 10**4, 10**6), 20, 3, 10**4, 8)
_LONG = Size(10**12, (10**6, 10**9, 10**15), 40, 0, 10**12, 40)
SIZES = {
    "arms": Size(10**5, (10**3, 10**4, 10**6), 10, 10, 20_000, 30),
    "lists": _LISTS,
    "sets": _LISTS,
    "contexts": _LONG,
    "pairs": _LONG,
    "tails": _LONG,
}
FREED = ", without noise"
_DEAR = 3  # runs where a run takes a second
_DEAR_FREE = ("Thompson", "Thompson, least first")  # of lists and sets: a million rounds of these take 12 s
_OFTENER = {"arms": 100, "lists": 20, "sets": 20}  # of these, at epsilon 1: few runs miss rare failures, and flatter
_OFTEN = {
    "arms": ("Expected improvement", "Expected improvement, shared prior", "DP-KLUCB, batch by batch", "DP-KLUCB")
    + ("DP-IMED", "Thompson, replayed", "Expected improvement, one bit", "KL-UCB on bits, level by pulls"),
    **dict.fromkeys(
        ["lists", "sets"],
        ("DP-KLUCB, batch by batch", "DP-KLUCB, one item", "Thompson, batches of lists")
        + ("Expected improvement, one bit", "Expected improvement, one explorer", "KL-UCB on bits, level by pulls"),
    ),
}
_TUNED_OFTENER = {("sets", "KL-UCB on bits, level by pulls"): 40}  # where eight runs chose by accident
_TOLD_APART = 20.0  # times ln T, of information about an arm that T pulls of it give


def failing(problem: Any, horizon: int, epsilon: float) -> float:
    """Return the regret in the second half of a run from which on it has failed.

    It is half of what the second best choice has there: the best list without the worst of its items, which is
    replaced by the best of those that T rounds tell from it, at this epsilon. On contexts it is half of what uniform
    play has.

    Parameters
    ----------
    problem : Arms, Cascade, SemiBandit or LinearContext
    horizon : int
        T >= 2.
    epsilon : float
        > 0; infinity without privacy.

    Returns
    -------
    float
        Infinite where nothing can be told apart.
    """
    if not isinstance(problem, ListProblem):
        return problem.uniform_regret() * horizon / 4
    order = np.argsort(-problem.means, kind="stable")
    kept, least = order[: problem.list_size - 1], float(problem.means[order[problem.list_size - 1]])
    for item in order[problem.list_size :]:
        mean = float(problem.means[item])
        bounded = least <= 1.0 and mean < least and not hasattr(problem, "shape")
        if bounded and horizon * private_kl(mean, least, epsilon=epsilon) < _TOLD_APART * math.log(horizon):
            continue
        if mean < least:
            gap = problem.best - problem.reward(np.append(kept, item))
            return float(gap) * horizon / 4
    return math.inf


def play(run: LongRun, n_jobs: int = -1) -> pd.DataFrame:
    """Play a run of the benchmark, and return its row.

    Parameters
    ----------
    run : LongRun
    n_jobs : int
        As for `simulate`.

    Returns
    -------
    DataFrame
        `regret, regret_se, failed, replications`, and `first`, the regret of the first replication as it was played, by
        which a row can be checked in one run.
    """
    half = max(1, run.horizon // 2)
    frame = play_long(run._replace(checkpoints=(half,)), n_jobs)
    regret = frame[frame["t"] == run.horizon]["regret"].to_numpy()
    late = regret - frame[frame["t"] == half]["regret"].to_numpy() if half < run.horizon else 0.0 * regret
    failed = int((late >= failing(run.problem, run.horizon, run.labels["pays"])).sum())
    first, regret = regret[0], run.labels.get("scale", 1.0) * regret
    error = float(regret.std(ddof=1) / math.sqrt(len(regret))) if len(regret) > 1 else math.nan
    row = {"regret": regret.mean(), "regret_se": error, "failed": failed, "replications": len(regret)}
    return pd.DataFrame([{**row, "first": first}])


def run_of(kind: str, name: str, instance: str, setting: Setting, epsilon: float, runs: int, **labels: Any) -> LongRun:
    """Return a run of the benchmark.

    Parameters
    ----------
    kind, name : str
        Of `ENTRANTS`, then perhaps with `FREED` behind the name, or of `FREE`.
    instance : str
        Its name.
    setting : Setting
    epsilon : float
        What the policy pays, > 0; infinity without privacy.
    runs : int
        Replications.
    **labels
        `numbers`, in place of the tuned ones, `seed`, and what is stored beside.

    Returns
    -------
    LongRun
    """
    numbers, seed = labels.pop("numbers", None), labels.pop("seed", SEED)
    free = name in FREE[kind] and math.isinf(epsilon)
    policy = FREE[kind][name](setting) if free else made(kind, name.removesuffix(FREED), setting, epsilon, numbers)
    told = {"entrant": name, "instance": instance, "pays": epsilon, "horizon": setting.horizon}
    told |= {"guarantee": guarantee(policy), **labels}
    problem, entrant = setting.problem, ENTRANTS[kind].get(name.removesuffix(FREED))
    if entrant is not None and entrant.range and not free:
        problem, told = without_contexts(problem, entrant.range), told | {"scale": 2 * entrant.range}
    return LongRun(told, problem, policy, setting.horizon, seed, runs)


def tuning_runs(kind: str) -> Iterator[LongRun]:
    """Every setting of every policy that is tuned, on the calibration instances, at epsilon 0.1 and 1."""
    size = SIZES[kind]
    for name, entrant in ENTRANTS[kind].items():
        if entrant.proved or len(entrant.grid) == 1:
            continue
        for (instance, problem), epsilon in product(instances(kind, "calibration").items(), (0.1, 1.0)):
            setting = Setting(problem, size.tuning_horizon)
            for place, numbers in enumerate(entrant.grid):
                runs = _TUNED_OFTENER.get((kind, name), size.tuning_runs)
                run = run_of(kind, name, instance, setting, epsilon, runs, numbers=numbers, place=place)
                yield run._replace(seed=TUNING_SEED)


def test_runs(kind: str) -> Iterator[LongRun]:
    """Every policy on the test instances, by epsilon and by horizon; first those without privacy or without noise."""
    size = SIZES[kind]
    for (instance, problem), horizon in product(instances(kind).items(), (size.horizon, *size.horizons)):
        setting = Setting(problem, horizon)
        for name, make in FREE[kind].items():
            runs = _runs(size, horizon, isinstance(make(setting), Player))
            if runs or name not in _DEAR_FREE:
                yield run_of(kind, name, instance, setting, math.inf, max(2, runs))
        for name, entrant in ENTRANTS[kind].items():
            if size is _LONG and not entrant.proved:
                yield run_of(kind, name + FREED, instance, setting, math.inf, size.runs)
    for (name, entrant), (instance, problem) in product(ENTRANTS[kind].items(), instances(kind).items()):
        for epsilon in FEW if entrant.slow else EPSILONS:
            runs = _DEAR if entrant.dear else size.slow_runs if entrant.slow else size.runs
            if epsilon == 1.0 and name in _OFTEN.get(kind, ()):
                runs = max(runs, _OFTENER[kind])
            yield run_of(kind, name, instance, Setting(problem, size.horizon), epsilon, runs)
        for horizon in size.horizons:
            if runs := _runs(size, horizon, entrant.slow, name in FRESH[kind]):
                runs = min(runs, _DEAR) if entrant.dear else runs
                yield run_of(kind, name, instance, Setting(problem, horizon), 1.0, runs)


def _runs(size: Size, horizon: int, slow: bool, near: bool = False) -> int:
    """How many runs there are of a horizon: fewer of long ones, unless time does not matter."""
    if horizon <= size.horizon or size.horizon > 10**6:
        return size.slow_runs if slow else size.runs
    return size.runs // 4 if near or not slow else 0


FRESH = {
    "arms": ("Expected improvement", "Expected improvement, shared prior", "DP-KLUCB, batch by batch", "DP-KLUCB")
    + ("Thompson, replayed", "Expected improvement, one bit", "KL-UCB on bits, level by pulls"),
    "lists": ("DP-KLUCB, batch by batch", "DP-KLUCB, one item", "Expected improvement, one bit")
    + ("Expected improvement, one explorer", "one bit", "KL-UCB on bits, level by pulls"),
    "sets": ("DP-KLUCB, batch by batch", "DP-KLUCB, one item", "Expected improvement, one bit")
    + ("Expected improvement, one explorer", "KL-UCB on bits, level by pulls", "Thompson, one bit"),
    "contexts": ("residual epochs", "greedy epochs", "LinUCB", "random lines", "Algorithm 5"),
    "pairs": ("clipped rewards, level by squares", "clipped rewards", "threshold ladder", "LinUCB")
    + ("clipped rewards, level by squares, local", "clipped rewards, local", "threshold ladder, local"),
    "tails": ("threshold ladder", "exceedance counts", "threshold ladder, local", "exceedance bits"),
}
_FRESH_RUNS = {"arms": 20, "lists": 6, "sets": 6}  # half as many of those without privacy, on which prices rest


def fresh_runs(kind: str) -> Iterator[LongRun]:
    """The recommended policies and those next to them at epsilon 1, on instances that were drawn when all had entered.

    Instances that were published are no fresh ones.
    """
    size, runs = SIZES[kind], _FRESH_RUNS.get(kind, 100)
    freed = FRESH[kind] if size is _LONG else ()
    seed, bases = EARLIER.get(kind, FRESH_SEED), runs // 2 if kind in _FRESH_RUNS else runs
    for instance, problem in instances(kind, seed=seed).items():
        if instance.startswith("published"):
            continue
        setting = Setting(problem, size.horizon)
        for name in (*FREE[kind], *(name + FREED for name in freed)):
            yield run_of(kind, name, instance, setting, math.inf, bases, seed=seed)
        for name in FRESH[kind]:
            many = _DEAR if ENTRANTS[kind][name].dear else runs
            yield run_of(kind, name, instance, setting, 1.0, many, seed=seed)


class Search(NamedTuple):
    """How many instances are tried for the worst one, how long and how often, and for whom."""

    horizon: int
    instances: int
    runs: int
    policies: tuple[str, ...]


_OF_BATCHES = ("DP-KLUCB, batch by batch", "DP-KLUCB, one item")
_IMPROVED = ("Expected improvement, one bit", "KL-UCB on bits, level by pulls")
_SQUARES = ("clipped rewards, level by squares", "clipped rewards, level by squares, local")
SEARCHES = {
    "arms": Search(
        10**5,
        50,
        10,
        ("Expected improvement", "Expected improvement, shared prior", "DP-KLUCB, batch by batch", *_IMPROVED),
    ),
    "lists": Search(10**4, 40, 10, (*_OF_BATCHES, *_IMPROVED, "Expected improvement, one explorer", "one bit")),
    "sets": Search(
        10**4, 40, 10, (*_OF_BATCHES, *_IMPROVED, "Expected improvement, one explorer", "Thompson, one bit")
    ),
    "contexts": Search(10**12, 200, 12, ("residual epochs", "greedy epochs", "random lines", "Algorithm 5")),
    "pairs": Search(10**12, 200, 12, (*_SQUARES, "clipped rewards", "LinUCB", "clipped rewards, local")),
    "tails": Search(10**12, 200, 12, ("threshold ladder", "exceedance counts", "threshold ladder, local")),
}


def search_runs(kind: str) -> Iterator[LongRun]:
    """The recommended policies and the runners-up on many instances at epsilon 1, and those without privacy."""
    size = SEARCHES[kind]
    freed = size.policies if SIZES[kind] is _LONG else ()
    for instance, problem in searched(kind, size.instances).items():
        setting = Setting(problem, size.horizon)
        for name in (*FREE[kind], *(name + FREED for name in freed)):
            yield run_of(kind, name, instance, setting, math.inf, size.runs, seed=SEARCH_SEED)
        for name in size.policies:
            yield run_of(kind, name, instance, setting, 1.0, size.runs, seed=SEARCH_SEED)


def play_halves(run: LongRun, n_jobs: int = -1) -> pd.DataFrame:
    """Play a run of a search, and return its row.

    Parameters
    ----------
    run : LongRun
    n_jobs : int
        As for `simulate`.

    Returns
    -------
    DataFrame
        `chosen`, the regret of every other replication, by which the worst instance is chosen; `regret`, that of the
        rest; `replications`, and `first`, as of `play`.
    """
    regret = play_long(run._replace(checkpoints=()), n_jobs)["regret"].to_numpy()
    scale = run.labels.get("scale", 1.0)
    row = {"chosen": scale * regret[::2].mean(), "regret": scale * regret[1::2].mean()}
    return pd.DataFrame([{**row, "replications": len(regret), "first": regret[0]}])


_COLUMNS = ["entrant", "instance", "pays", "horizon", "guarantee"]


def _listed(runs: Any, kind: str) -> list[LongRun]:
    return [*runs(kind)]


STUDIES: Mapping[str, LongStudy] = {
    **{f"tuning-{kind}": LongStudy(partial(_listed, tuning_runs, kind), [*_COLUMNS, "place"], play) for kind in FREE},
    **{f"test-{kind}": LongStudy(partial(_listed, test_runs, kind), _COLUMNS, play) for kind in FREE},
    **{f"fresh-{kind}": LongStudy(partial(_listed, fresh_runs, kind), _COLUMNS, play) for kind in FREE},
    **{f"worst-{kind}": LongStudy(partial(_listed, search_runs, kind), _COLUMNS, play_halves) for kind in SEARCHES},
}

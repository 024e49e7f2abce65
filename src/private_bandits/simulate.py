"""Play a policy on a problem: seeds, replications, workers, progress, results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol

import joblib
import numpy as np
import xarray as xr
from tqdm import tqdm

from private_bandits import checks
from private_bandits.kernels import index, ratio
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, SemiBandit, observe, pseudo_regret

Problem = Arms | Cascade | SemiBandit
_KERNELS = {index.IndexRecord: index, ratio.RatioRecord: ratio}
_PIECE = 1 << 20  # rounds between two chances to interrupt a run
_PER_DECADE = 16


@dataclass(frozen=True, eq=False)
class Policy:
    """A box with its constants filled in.

    Attributes
    ----------
    name : str
        Short name for tables and figures.
    paper, box, variant : str
        Citation key, the box and its lines, and which reading of it this is.
    privacy : Guarantee
        What is promised and what is paid.
    record : NamedTuple
        The numbers and arrays that compiled code reads.
    """

    name: str
    paper: str
    box: str
    variant: str
    privacy: Guarantee
    record: NamedTuple


class Learner(Protocol):
    """A policy written in Python, asked for a list and told what was seen."""

    def ask(self) -> Sequence[int]:
        """Return the items to play, in order."""

    def tell(self, weights: Sequence[float]) -> None:
        """Take the weights of the observed positions, from the top of the list."""


class Streams(NamedTuple):
    """The three random streams of a replication."""

    env: np.random.Generator
    choice: np.random.Generator
    noise: np.random.Generator


def streams(seed: int, replication: int) -> Streams:
    """Return the streams of one replication; they do not depend on how many are played."""
    root = np.random.SeedSequence(seed, spawn_key=(replication,))
    return Streams(*(np.random.Generator(np.random.PCG64(child)) for child in root.spawn(3)))


def log_checkpoints(horizon: int) -> np.ndarray:
    """Return rounds spaced evenly in log t, 16 a decade, the horizon included.

    The grid is the same for every horizon, so a longer run passes through the checkpoints of a shorter one.
    """
    decades = int(np.ceil(np.log10(max(horizon, 2))))
    grid = np.unique(np.round(10 ** (np.arange(decades * _PER_DECADE + 1) / _PER_DECADE)).astype(np.int64))
    return np.append(grid[grid < horizon], horizon)


def simulate(
    problem: Problem,
    policy: Any,
    *,
    horizon: int,
    replications: int,
    seed: int,
    checkpoints: Sequence[int] | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> xr.Dataset:
    """Play independent replications of a policy and return the pseudo-regret.

    Parameters
    ----------
    problem : Arms, Cascade or SemiBandit
    policy : Policy, or an object with `name` and `start(problem, choice, noise)`
        `start` returns a fresh `Learner` for each replication; `choice` and `noise` are its random streams.
    horizon : int
        Rounds of a run, >= 1.
    replications : int
        Independent runs, >= 1.
    seed : int
        Non-negative; `SeedSequence(seed)` spawns a child per replication, and each child an environment, a choice
        and a noise stream.
    checkpoints : sequence of int, optional
        Increasing rounds at which the regret is kept; the horizon is added. Default: 16 a decade.
    n_jobs : int
        Workers (joblib; threads, as compiled loops release the GIL); -1 for all cores. Any number gives the same bits.
        Inside `joblib.parallel_config(backend="dask")` the replications go to a cluster.
    progress : bool, optional
        Show a bar. Default: only on a terminal.

    Returns
    -------
    xarray.Dataset
        `regret (replication, t)`, the sum of expected gaps, and attributes that say what was run.

    Raises
    ------
    ValueError
        If an argument is out of range, or the policy was calibrated for another problem.
    """
    checks.integer("horizon", horizon, at_least=1)
    checks.integer("replications", replications, at_least=1)
    checks.integer("seed", seed, at_least=0)
    if checks.integer("n_jobs", n_jobs, at_least=-1) == 0:
        raise ValueError("n_jobs must be >= 1, or -1 for all cores, got 0")
    marks = log_checkpoints(horizon) if checkpoints is None else _marks(checkpoints, horizon)
    check_fit(problem, policy, horizon)
    runs = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        joblib.delayed(_replicate)(problem, policy, horizon, marks, seed, r) for r in range(replications)
    )
    hidden = not sys.stderr.isatty() if progress is None else not progress
    regret = np.stack(list(tqdm(runs, total=replications, desc=policy.name, disable=hidden, leave=False)))
    return xr.Dataset(
        {"regret": (("replication", "t"), regret, {"long_name": "pseudo-regret"})},
        coords={"replication": np.arange(replications), "t": marks},
        attrs=_attributes(problem, policy, seed),
    )


def trace(problem: Problem, policy: Any, *, horizon: int, seed: int, replication: int = 0) -> np.ndarray:
    """Return what one replication shows: the list of every round, then the number of observed positions.

    Returns
    -------
    int64 array, shape (horizon, list_size + 1)
    """
    check_fit(problem, policy, horizon)
    shown = np.zeros((horizon, problem.list_size + 1), np.int64)
    marks = np.array([horizon])
    _play(problem, policy, horizon, marks, streams(seed, replication), shown)
    return shown


def check_fit(problem: Problem, policy: Any, horizon: int) -> None:
    """Raise a ValueError if the policy was made for another problem or a shorter horizon."""
    record = getattr(policy, "record", None)
    if isinstance(record, ratio.RatioRecord) and not isinstance(problem, Cascade):
        raise ValueError(f"{policy.name} needs a Cascade, got {problem}")
    if getattr(record, "semi_bandit", False) and not isinstance(problem, SemiBandit):
        raise ValueError(f"{policy.name} needs a SemiBandit, got {problem}")
    for name, actual in (("list_size", problem.list_size), ("n_items", problem.n_items)):
        wanted = getattr(record, name, 0)
        if wanted not in (0, actual):
            raise ValueError(f"{policy.name} was calibrated for {name}={wanted}, the problem has {actual}")
    longest = getattr(record, "horizon", 0)
    if longest and horizon > longest:
        raise ValueError(f"horizon must be <= {longest}, for which {policy.name} was calibrated, got {horizon}")


def _replicate(
    problem: Problem, policy: Any, horizon: int, marks: np.ndarray, seed: int, replication: int
) -> np.ndarray:
    return _play(problem, policy, horizon, marks, streams(seed, replication), np.zeros((0, 0), np.int64))


def _play(
    problem: Problem, policy: Any, horizon: int, marks: np.ndarray, source: Streams, shown: np.ndarray
) -> np.ndarray:
    if not isinstance(policy, Policy):
        return _play_learner(problem, policy.start(problem, source.choice, source.noise), horizon, marks, source, shown)
    kernel = _KERNELS[type(policy.record)]
    record = problem.record()
    state = kernel.start(record, policy.record)
    regret = np.zeros(len(marks))
    for first in range(1, horizon + 1, _PIECE):
        last = min(first + _PIECE - 1, horizon)
        kernel.advance(record, policy.record, state, first, last, marks, regret, shown, *source)
    return regret


def _play_learner(
    problem: Problem, learner: Learner, horizon: int, marks: np.ndarray, source: Streams, shown: np.ndarray
) -> np.ndarray:
    record = problem.record()
    weights = np.zeros(problem.list_size)
    total, at = 0.0, {int(mark): i for i, mark in enumerate(marks)}
    regret = np.zeros(len(marks))
    for t in range(1, horizon + 1):
        order = _list(learner.ask(), problem)
        observed = observe(record.means, record.cascade, order, source.env, weights)
        learner.tell(weights[:observed].tolist())
        total += pseudo_regret(record.means, record.cascade, record.best, order)
        if len(shown):
            shown[t - 1] = [*order, observed]
        if t in at:
            regret[at[t]] = total
    return regret


def _list(items: Sequence[int], problem: Problem) -> np.ndarray:
    order = np.array(items)
    legal = order.dtype.kind in "iu" and order.shape == (problem.list_size,) and len(set(order.tolist())) == len(order)
    if not legal or order.min() < 0 or order.max() >= problem.n_items:
        raise ValueError(f"ask() must return {problem.list_size} distinct items of {problem}, got {items!r}")
    return order.astype(np.int64)


def _marks(checkpoints: Sequence[int], horizon: int) -> np.ndarray:
    marks = [checks.integer("checkpoints", t, at_least=1, at_most=horizon) for t in checkpoints]
    if any(b <= a for a, b in zip(marks, marks[1:], strict=False)):
        raise ValueError(f"checkpoints must increase, got {list(checkpoints)!r}")
    return np.array(marks if marks and marks[-1] == horizon else [*marks, horizon], np.int64)


def _attributes(problem: Problem, policy: Any, seed: int) -> dict[str, str | int]:
    packages = ("private-bandits", "numpy", "numba")
    return {
        "problem": str(problem),
        "policy": policy.name,
        "privacy": str(getattr(policy, "privacy", "not stated")),
        "paper": getattr(policy, "paper", ""),
        "box": getattr(policy, "box", ""),
        "variant": getattr(policy, "variant", ""),
        "seed": seed,
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
    }

"""Play a policy on a problem: seeds, replications, workers, progress, results."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol

import joblib
import numpy as np
import xarray as xr
from tqdm import tqdm

from private_bandits import checks
from private_bandits.kernels import elimination, episodes, index, linear, online, quantile, ratio, robust
from private_bandits.kernels.sums import pareto_reward
from private_bandits.policy import Policy
from private_bandits.problems import (
    Arms,
    Cascade,
    ConvexLoss,
    LinearContext,
    OracleBandit,
    SemiBandit,
    observe,
    pseudo_regret,
)
from private_bandits.problems.families import TOP, observe_set, regret_of_set

Problem = Arms | Cascade | SemiBandit
AnyProblem = Problem | ConvexLoss | LinearContext
_KERNELS = {
    elimination.ElimRecord: elimination,
    episodes.EpisodeRecord: episodes,
    index.IndexRecord: index,
    linear.LinearRecord: linear,
    online.OnlineRecord: online,
    quantile.QuantileRecord: quantile,
    ratio.RatioRecord: ratio,
    robust.RobustRecord: robust,
}
_ARMS_ONLY = elimination.ElimRecord | episodes.EpisodeRecord | quantile.QuantileRecord | robust.RobustRecord
_PIECE = 1 << 20  # rounds between two chances to interrupt a run, for a kernel that plays them one by one
_PER_DECADE = 16


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
    problem: AnyProblem,
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
    problem : Arms, Cascade, ConvexLoss, LinearContext or SemiBandit
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


def trace(problem: AnyProblem, policy: Any, *, horizon: int, seed: int, replication: int = 0) -> np.ndarray:
    """Return what one replication shows: the list of every round, then the number of observed positions.

    For a ConvexLoss it is the played point (or two, one after the other), then what the learner was told.

    Returns
    -------
    int64 array, shape (horizon, list_size + 1), or float64 array, shape (horizon, numbers of a point + 1)
    """
    check_fit(problem, policy, horizon)
    shown = _blank(problem, policy, horizon)
    marks = np.array([horizon])
    _play(problem, policy, horizon, marks, streams(seed, replication), shown)
    return shown


def check_fit(problem: AnyProblem, policy: Any, horizon: int) -> None:
    """Raise a ValueError if the policy was made for another problem or a shorter horizon."""
    record = getattr(policy, "record", None)
    longest = getattr(record, "horizon", 0)
    if longest and horizon > longest:
        raise ValueError(f"horizon must be <= {longest}, for which {policy.name} was calibrated, got {horizon}")
    if isinstance(record, online.OnlineRecord) or isinstance(problem, ConvexLoss):
        return online.check_problem(policy.name, problem, record)
    if isinstance(record, linear.LinearRecord) or isinstance(problem, LinearContext):
        return linear.check_problem(policy.name, problem, record)
    if isinstance(record, ratio.RatioRecord) and not isinstance(problem, Cascade):
        raise ValueError(f"{policy.name} needs a Cascade, got {problem}")
    if isinstance(record, _ARMS_ONLY) and not isinstance(problem, Arms):
        raise ValueError(f"{policy.name} needs Arms, got {problem}")
    if isinstance(problem, OracleBandit) and record is not None and not isinstance(record, index.IndexRecord):
        raise ValueError(f"{policy.name} cannot ask a Python oracle, got {problem}")
    if getattr(record, "semi_bandit", False) and not isinstance(problem, SemiBandit | Arms):
        raise ValueError(f"{policy.name} needs a SemiBandit, got {problem}")
    for name, actual in (("list_size", problem.list_size), ("n_items", problem.n_items)):
        wanted = getattr(record, name, 0)
        if wanted not in (0, actual):
            raise ValueError(f"{policy.name} was calibrated for {name}={wanted}, the problem has {actual}")
    if record is not None and hasattr(problem, "moment"):
        v = getattr(record, "v", 0.0)
        if v == 0.0 and not getattr(record, "heavy", False):
            raise ValueError(f"rewards must be in [0, 1] for {policy.name}, got {problem}")
        if v > 0.0 and math.isinf(problem.moment(v)):
            raise ValueError(f"the moment of order {1.0 + v:g} must be finite for {policy.name}, got {problem}")


def _blank(problem: AnyProblem, policy: Any, rounds: int) -> np.ndarray:
    if isinstance(problem, ConvexLoss):
        return online.blank(problem, policy, rounds)
    return np.zeros((rounds, problem.list_size + 1), np.int64)


def _replicate(
    problem: AnyProblem, policy: Any, horizon: int, marks: np.ndarray, seed: int, replication: int
) -> np.ndarray:
    return _play(problem, policy, horizon, marks, streams(seed, replication), _blank(problem, policy, 0))


def _play(
    problem: AnyProblem, policy: Any, horizon: int, marks: np.ndarray, source: Streams, shown: np.ndarray
) -> np.ndarray:
    if not isinstance(policy, Policy):
        learner = policy.start(problem, source.choice, source.noise)
        if isinstance(problem, ConvexLoss):
            return online.play_learner(problem, learner, horizon, marks, source, shown)
        assert not isinstance(problem, LinearContext)  # refused by check_fit
        return _play_learner(problem, learner, horizon, marks, source, shown)
    if isinstance(problem, OracleBandit):
        return _play_oracle(problem, policy.record, horizon, marks, source, shown)
    kernel = _KERNELS[type(policy.record)]
    record = problem.record()
    state = kernel.start(record, policy.record)
    regret = np.zeros(len(marks))
    piece = getattr(kernel, "PIECE", _PIECE)
    for first in range(1, horizon + 1, piece):
        last = min(first + piece - 1, horizon)
        kernel.advance(record, policy.record, state, first, last, marks, regret, shown, *source)
    return regret


def _play_oracle(
    problem: OracleBandit, policy: Any, horizon: int, marks: np.ndarray, source: Streams, shown: np.ndarray
) -> np.ndarray:
    """Play an index box round by round, its super arms found by the problem's Python function."""
    record = problem.record()
    state = index.start(record, policy)
    regret = np.zeros(len(marks))
    for t in range(1, horizon + 1):
        failed = index.ask(record, policy, state, t, source.env)
        arms = problem.answer(state.indices, source.choice, failed)
        state.order[:] = -1
        state.order[: len(arms)] = arms
        state.size[0] = len(arms)
        index.advance(record, policy, state, t, t, marks, regret, shown, *source)
    return regret


def _play_learner(
    problem: Problem, learner: Learner, horizon: int, marks: np.ndarray, source: Streams, shown: np.ndarray
) -> np.ndarray:
    record = problem.record()
    weights, missed = np.zeros(problem.list_size), np.ones(problem.n_items)
    any_list = record.family.oracle == TOP
    total, at = 0.0, {int(mark): i for i, mark in enumerate(marks)}
    regret = np.zeros(len(marks))
    for t in range(1, horizon + 1):
        order = _list(learner.ask(), problem)
        size = len(order)
        if record.shape > 0.0:
            observed, weights[0] = 1, pareto_reward(source.env, record.means[order[0]], record.shape)
            total += pseudo_regret(record.means, record.cascade, record.best, order)
        elif any_list:
            observed = observe(record.means, record.cascade, order, source.env, weights)
            total += pseudo_regret(record.means, record.cascade, record.best, order)
        else:
            observed = observe_set(record.means, record.family, order, size, source.env, weights)
            total += regret_of_set(record.means, record.family, record.best, order, size, missed)
        learner.tell(weights[:observed].tolist())
        if len(shown):
            shown[t - 1] = [*order, *[-1] * (problem.list_size - size), observed]
        if t in at:
            regret[at[t]] = total
    return regret


def _list(items: Sequence[int], problem: Problem) -> np.ndarray:
    order = np.array(items)
    if order.dtype.kind not in "iu" or order.ndim != 1 or not problem.allows(order.tolist()):
        raise ValueError(f"ask() must return {problem.legal} of {problem}, got {items!r}")
    return order.astype(np.int64)


def _marks(checkpoints: Sequence[int], horizon: int) -> np.ndarray:
    marks = [checks.integer("checkpoints", t, at_least=1, at_most=horizon) for t in checkpoints]
    if any(b <= a for a, b in zip(marks, marks[1:], strict=False)):
        raise ValueError(f"checkpoints must increase, got {list(checkpoints)!r}")
    return np.array(marks if marks and marks[-1] == horizon else [*marks, horizon], np.int64)


def _attributes(problem: AnyProblem, policy: Any, seed: int) -> dict[str, str | int | float]:
    packages = ("private-bandits", "numpy", "numba")
    attributes: dict[str, str | int | float] = {
        "problem": str(problem),
        "policy": policy.name,
        "privacy": str(getattr(policy, "privacy", "not stated")),
        "paper": getattr(policy, "paper", ""),
        "algorithm": getattr(policy, "algorithm", ""),
        "variant": getattr(policy, "variant", ""),
        "seed": seed,
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
    }
    v = getattr(getattr(policy, "record", None), "v", 0.0)
    if v > 0.0 and hasattr(problem, "moment"):
        # a u below the true moment is allowed, and the two stand side by side
        attributes |= {"v": float(v), "u": float(policy.record.u), "moment": problem.moment(v)}
    return attributes

"""Play a policy on a problem: seeds, replications, workers, progress, results."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from private_bandits import checks
from private_bandits.guarantee import Guarantee
from private_bandits.parameters import parameters
from private_bandits.policy import Playable, playable
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem, SemiBandit
from private_bandits.streams import streams

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["log_checkpoints", "simulate", "trace"]

AnyProblem = Arms | Cascade | ConvexLoss | LinearContext | Problem | SemiBandit
_GRID = np.unique(np.round(10 ** (np.arange(299) / 16)).astype(np.int64))  # to 10^(298/16), the last below 2^62
_FEW, _FEW_IN_PYTHON = 50_000, 200_000  # rounds in all: below, threads or processes cost more than they bring


def log_checkpoints(horizon: int) -> np.ndarray:
    """Return rounds spaced evenly in log t, 16 a decade, the horizon included.

    The grid is the same for every horizon, so a longer run passes through the checkpoints of a shorter one.

    Parameters
    ----------
    horizon : int
        1 to 2^62.

    Returns
    -------
    int64 array, increasing

    Raises
    ------
    ValueError
        If the horizon is no such number.

    Examples
    --------
    >>> log_checkpoints(12)
    array([ 1,  2,  3,  4,  5,  6,  7,  9, 10, 12])
    """
    last = _whole("horizon", horizon)
    return np.append(_GRID[_GRID < last], last)


def simulate(
    problem: AnyProblem,
    policy: Any,
    *,
    horizon: int,
    replications: int | range,
    seed: int,
    checkpoints: Sequence[int] | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> xr.Dataset:
    """Play independent replications of a policy and return the pseudo-regret.

    Parameters
    ----------
    problem : Arms, Cascade, ConvexLoss, LinearContext, SemiBandit, or a Problem of your own
    policy : Policy, or an object with `name` and `start(problem, choice, noise)`
        `start` returns a fresh `learners.Learner` for each replication, which starts a copy; `choice` and `noise` are
        its random streams. Before the first run its first 200 rounds are played twice: it is refused if they differ, or
        if something draws or keeps what is not a run's own. What it states of itself, as a `policy.Player` does, stands
        in the result. A Problem of your own is for these.
    horizon : int
        Rounds of a run, 1 to 2^62.
    replications : int or range
        Independent runs, >= 1. `range(100, 200)` plays these of a larger study, whose streams do not depend on the
        count, and `xarray.concat(parts, "replication", combine_attrs="identical")` joins the parts to the whole.
    seed : int
        >= 0; `SeedSequence(seed)` spawns a child per replication, and each child an environment, a choice and a noise
        stream.
    checkpoints : sequence of int, optional
        Increasing rounds at which the regret is kept; the horizon is added. Default: 16 a decade.
    n_jobs : int
        Workers (joblib; threads for compiled policies, which release the GIL, and processes for those in Python),
        >= 1; -1 for all cores. Any number gives the same bits, and short runs have one. `joblib.parallel_config`
        chooses another backend: inside `joblib.parallel_config(backend="dask")` the replications go to all slots of a
        cluster, whatever `n_jobs`; a cluster of one slot leaves them to this process.
    progress : bool, optional
        Show a bar. Default: only on a terminal.

    Returns
    -------
    xarray.Dataset
        `regret (replication, t)`, the sum of expected gaps, and attributes that say what was run: strings and numbers,
        and a seed of 2^63 or more in decimal digits; `unprotected` where the policy's delta is too large for so many
        users, see `Guarantee.unprotected`. `to_netcdf(path)` and `xarray.open_dataset` keep and return it.

    Raises
    ------
    ValueError
        If an argument is out of range, the policy is none, was calibrated for another problem, or is no function of its
        streams.

    Examples
    --------
    >>> from private_bandits.papers.cascading import b_lb, ucb_laplace
    >>> problem, policy = b_lb(n_arms=8, list_size=3, p=0.4, gap=0.3), ucb_laplace(epsilon=1.0, list_size=3)
    >>> result = simulate(problem, policy, horizon=1000, replications=4, seed=1, checkpoints=[100])
    >>> result.regret.shape, result.t.values.tolist(), result.attrs["policy"]
    ((4, 2), [100, 1000], 'Laplace')
    """
    horizon, numbers = _whole("horizon", horizon), _numbers(replications)
    seed = checks.integer("seed", seed, at_least=0)
    if checks.integer("n_jobs", n_jobs, at_least=-1) == 0:
        raise ValueError("n_jobs must be >= 1, or -1 for all cores, got 0")
    bar = None if progress is None else checks.flag("progress", progress)
    rounds = log_checkpoints(horizon) if checkpoints is None else _checked(checkpoints, horizon)
    played = playable(policy)
    facts = played.check(problem, horizon)
    attributes = _attributes(problem, played, horizon, seed) | facts  # refused before the first round, if at all
    # imported where they are used, after the arguments are checked: they take longer than the library
    import joblib
    import xarray as xr
    from tqdm import tqdm

    few = len(numbers) * played.cost(horizon) <= {"threads": _FEW, "processes": _FEW_IN_PYTHON}[played.workers]
    stop: list[bool] = []  # not empty: the threads leave off
    most = min(joblib.cpu_count() if n_jobs == -1 else n_jobs, len(numbers))  # a worker without a run costs as much
    workers = functools.partial(joblib.Parallel, n_jobs=1 if few else most, prefer=played.workers)
    try:
        play = workers(return_as="generator")
    except ValueError:  # the backend that the caller chose returns all runs at once, as "multiprocessing" does
        play = workers()
    each = (joblib.delayed(_replicate)(problem, played, horizon, rounds, stop, seed, r) for r in numbers)
    hidden = not sys.stderr.isatty() if bar is None else not bar
    try:
        curves = tqdm(play(each), total=len(numbers), desc=played.name, disable=hidden, leave=False)
        regret = np.fromiter(curves, np.dtype((float, len(rounds))), len(numbers))
    finally:
        stop.append(True)
    return xr.Dataset(
        {"regret": (("replication", "t"), regret, {"long_name": "pseudo-regret"})},
        coords={"replication": np.array(numbers), "t": rounds},
        attrs=attributes,
    )


def trace(problem: AnyProblem, policy: Any, *, horizon: int, seed: int, replication: int = 0) -> np.ndarray:
    """Return what is seen of one replication, round by round.

    Parameters
    ----------
    problem : Arms, Cascade, ConvexLoss, LinearContext, Problem or SemiBandit
    policy : Policy, or an object as in `simulate`
    horizon : int
        Rounds of the run, >= 1.
    seed, replication : int
        >= 0; the run is the one of `simulate` with that seed and number.

    Returns
    -------
    int64 array, shape (horizon, list_size + 1)
        The list of every round, -1 beyond the size of a super arm, then the number of observed positions. For a
        ConvexLoss a float64 array, shape (horizon, numbers of a point + 1): the played point, or two, one after the
        other, then the feedback.

    Raises
    ------
    ValueError
        If the policy is none, or was calibrated for another problem.
    """
    horizon = _whole("horizon", horizon)
    checks.integer("seed", seed, at_least=0)
    checks.integer("replication", replication, at_least=0)
    played = playable(policy)
    played.check(problem, horizon)
    rows = played.blank(problem, horizon)
    played.play(problem, horizon, np.array([horizon]), streams(seed, replication), rows)
    return rows


def _replicate(
    problem: AnyProblem,
    policy: Playable,
    horizon: int,
    rounds: np.ndarray,
    stop: list[bool],
    seed: int,
    replication: int,
) -> np.ndarray:
    return policy.play(problem, horizon, rounds, streams(seed, replication), policy.blank(problem, 0), stop)


def _whole(name: str, value: Any) -> int:
    """A number of rounds or runs, which may be written as 1e5."""
    whole = isinstance(value, float) and value.is_integer()
    return checks.integer(name, int(value) if whole else value, at_least=1, at_most=checks.ROUNDS)


def _numbers(replications: Any) -> range:
    """The numbers of the runs."""
    if not isinstance(replications, range):
        return range(_whole("replications", replications))
    if not replications or replications[0] < 0 or replications.step < 1:
        raise ValueError(f"replications must be a number, or an increasing range from 0 on, got {replications}")
    checks.integer("replications", replications[-1], at_most=checks.ROUNDS)
    return replications


def _checked(checkpoints: Sequence[int], horizon: int) -> np.ndarray:
    if not isinstance(checkpoints, Sequence) and not (isinstance(checkpoints, np.ndarray) and checkpoints.ndim):
        raise ValueError(f"checkpoints must be a sequence of rounds, got {checks.brief(checkpoints)}")
    rounds = [checks.integer("checkpoints", t, at_least=1, at_most=horizon) for t in checkpoints]
    if any(b <= a for a, b in zip(rounds, rounds[1:], strict=False)):
        raise ValueError(f"checkpoints must increase, got {checks.brief(list(checkpoints))}")
    return np.array(rounds if rounds and rounds[-1] == horizon else [*rounds, horizon], np.int64)


def _attributes(problem: AnyProblem, policy: Playable, horizon: int, seed: int) -> dict[str, str | int | float]:
    told: dict[str, str | int | float] = {
        "problem": str(problem),
        "problem_parameters": parameters(problem),
        "policy": policy.name,
        "policy_parameters": parameters(policy.constants),
        "privacy": policy.privacy if isinstance(policy.privacy, str) else parameters(policy.privacy),
        "paper": policy.paper,
        "algorithm": policy.algorithm,
        "variant": policy.variant,
        "mechanism": policy.mechanism,
        "calibration": policy.calibration,
        "method": policy.method,
        "family": policy.family,
        "horizon": horizon,
        "seed": seed if seed < 2**63 else str(seed),
        "versions": versions(),
    }
    for name in told.keys() - {"horizon", "seed"}:
        checks.text(name, told[name])
    if isinstance(policy.privacy, Guarantee) and (line := policy.privacy.unprotected(horizon)):
        told["unprotected"] = line
    return told


@functools.cache
def versions() -> str:
    """Return the versions that bits depend on, in words.

    Returns
    -------
    str
    """
    return ", ".join(f"{name} {version(name)}" for name in ("private-bandits", "numpy", "numba"))

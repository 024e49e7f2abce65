"""Play a policy on a problem: seeds, replications, workers, progress, results."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from private_bandits import checks, loaded
from private_bandits.guarantee import Guarantee
from private_bandits.parameters import parameters
from private_bandits.policy import Playable, playable
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem, SemiBandit
from private_bandits.streams import streams

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["log_checkpoints", "simulate", "trace"]

_COMMON = ("problem", "problem_parameters", "horizon", "seed", "versions")
"""What several policies of one call have in common, of what is said of a run."""
_FACTS = ("paper", "algorithm", "variant", "mechanism", "calibration", "method", "family")
_COUNTED = 10**7  # rounds of a run whose pulls are counted
AnyProblem = Arms | Cascade | ConvexLoss | LinearContext | Problem | SemiBandit
_GRID = np.unique(np.round(10 ** (np.arange(299) / 16)).astype(np.int64))  # to 10^(298/16), the last below 2^62
_AGAIN = 20  # the part of the time in which the first run is played again
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
    pulls: bool = False,
) -> xr.Dataset:
    """Play independent replications of a policy, or of several, and return the pseudo-regret.

    Parameters
    ----------
    problem : Arms, Cascade, ConvexLoss, LinearContext, SemiBandit, or a Problem of your own
    policy : Policy, or an object with `name` and `start(problem, choice, noise)`
        `start` returns a fresh `learners.Learner` for each replication, which starts a copy; `choice` and `noise` are
        its random streams. Before the first run its first 200 rounds are played twice: it is refused if they differ, or
        if something draws or keeps what is not a run's own. After the last run the first one is played again, as far as
        a twentieth of the time reaches (whole, if each worker has 20 runs), and must have the same regret. No check
        finds what is the same in every run, as the numbers of a `default_rng(3)` that `ask` makes and drops: to the
        runs it is a constant; nor what changes no regret that is compared. What it states of itself, as a
        `policy.Player` does, stands in the result. A Problem of your own is for these. A list of policies with names of
        their own, or a mapping of them by name, plays one after the other, each with the bits that it has alone.
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
    pulls : bool
        Whether to count how often each arm, or each action, was played. The rounds of a run are kept for it while it is
        played: 8 bytes for each item of a list and 8 more, in each worker, so the horizon is at most 10^7.

    Returns
    -------
    xarray.Dataset
        `regret (replication, t)`, the sum of expected gaps, and attributes that say what was run: strings and numbers,
        and a seed of 2^63 or more in decimal digits; `unprotected` where the policy's delta is too large for so many
        users, see `Guarantee.unprotected`. `to_netcdf(path)` and `xarray.load_dataset` keep and return it.
        With `pulls` also `pulls (replication, t, arm)`, of the rounds up to t. Of several policies all begins with the
        dimension `policy`, and what differs among them stands in coordinates instead of attributes.

    Raises
    ------
    ValueError
        If an argument is out of range, the policy is none, was calibrated for another problem, or is no function of its
        streams; if two policies have one name, or pulls are counted where there are no arms.

    Examples
    --------
    >>> from private_bandits.papers.cascading import b_lb, ucb_laplace
    >>> problem, policy = b_lb(n_arms=8, list_size=3, p=0.4, gap=0.3), ucb_laplace(epsilon=1.0, list_size=3)
    >>> result = simulate(problem, policy, horizon=1000, replications=4, seed=1, checkpoints=[100])
    >>> result.regret.shape, result.t.values.tolist(), result.attrs["policy"]
    ((4, 2), [100, 1000], 'Laplace')
    >>> exact = ucb_laplace(epsilon=float("inf"), list_size=3)
    >>> how = {"horizon": 1000, "replications": 4, "seed": 1, "checkpoints": [100], "pulls": True}
    >>> both = simulate(problem, {"noisy": policy, "exact": exact}, **how)
    >>> bool((both.regret.sel(policy="noisy") == result.regret).all()), dict(both.pulls.sizes)
    (True, {'policy': 2, 'replication': 4, 't': 2, 'arm': 8})
    """
    horizon, numbers = _whole("horizon", horizon), _numbers(replications)
    seed = checks.integer("seed", seed, at_least=0)
    if checks.integer("n_jobs", n_jobs, at_least=-1) == 0:
        raise ValueError("n_jobs must be >= 1, or -1 for all cores, got 0")
    bar = None if progress is None else checks.flag("progress", progress)
    rounds = log_checkpoints(horizon) if checkpoints is None else _checked(checkpoints, horizon)
    n_arms = _countable(problem, horizon) if checks.flag("pulls", pulls) else 0
    several = isinstance(policy, Mapping | list | tuple) and not hasattr(policy, "start")
    players = _named(policy) if several else {"": playable(policy)}
    told: list[dict[str, Any]] = []  # refused before the first round, if at all
    for played in players.values():
        facts = played.check(problem, horizon)
        told.append(_attributes(problem, played, horizon, seed) | facts)
    import xarray as xr  # imported after the arguments are checked, as it takes longer than the library

    hidden = not sys.stderr.isatty() if bar is None else not bar
    play = functools.partial(_replicate, problem, seed=seed, n_arms=n_arms)
    runs = [_runs(play, played, numbers, rounds, n_arms, n_jobs, hidden) for played in players.values()]
    found = [np.stack(parts) if several else parts[0] for parts in zip(*runs, strict=True)]
    dims: tuple[str, ...] = ("replication", "t", "arm")
    coords: dict[str, Any] = {"replication": np.array(numbers), "t": rounds}
    common = told[0]
    if several:
        names = {name: None for each in told for name in each if name not in _COMMON}
        coords |= {name: ("policy", np.array([each.get(name, np.nan) for each in told])) for name in names}
        coords |= {"policy": np.array([*players])}
        dims, common = ("policy", *dims), {name: told[0][name] for name in _COMMON}
    data: dict[str, Any] = {"regret": (dims[:-1], found[0], {"long_name": "pseudo-regret"})}
    if n_arms:
        data["pulls"], coords["arm"] = (dims, found[1], {"long_name": "rounds that played the arm"}), np.arange(n_arms)
    return xr.Dataset(data, coords=coords, attrs=common)


def _named(policies: Mapping[Any, Any] | Sequence[Any]) -> dict[str, Playable]:
    """Several policies by their names."""
    if not policies:
        raise ValueError(f"policy must be one, or several by name, got {policies}")
    if isinstance(policies, Mapping):
        return {checks.text("name of a policy", name): playable(each) for name, each in policies.items()}
    players: dict[str, Playable] = {}
    for played in map(playable, policies):
        if played.name in players:
            raise ValueError(f"policies must have different names, or be a mapping by name, got {played.name!r} twice")
        players[played.name] = played
    return players


def _countable(problem: Any, horizon: int) -> int:
    """How many arms there are to count the pulls of."""
    if not hasattr(problem, "n_arms") or isinstance(problem, ConvexLoss):
        raise ValueError(f"pulls must be False for what has no arms, got {checks.brief(problem)}")
    checks.integer("horizon where pulls are counted", horizon, at_most=_COUNTED)
    return checks.integer("n_arms where pulls are counted", problem.n_arms, at_least=1, at_most=_COUNTED)


def _runs(
    play: Any, played: Playable, numbers: range, rounds: np.ndarray, n_arms: int, n_jobs: int, hidden: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Regret and pulls of all replications; after the last one in Python the first is played again, and compared."""
    import joblib  # imported where it is used, as above
    from tqdm import tqdm

    few = len(numbers) * played.cost(int(rounds[-1])) <= {"threads": _FEW, "processes": _FEW_IN_PYTHON}[played.workers]
    stop: list[bool] = []  # not empty: the threads leave off
    most = min(joblib.cpu_count() if n_jobs == -1 else n_jobs, len(numbers))  # a worker without a run costs as much
    most = 1 if few else most
    code = () if few or played.workers == "threads" else loaded.code(*play.args, played.constants)
    edits = loaded.edits(code)  # workers of other arguments are made anew
    workers = functools.partial(joblib.Parallel, n_jobs=most, prefer=played.workers, initargs=(edits,) * bool(edits))
    try:
        run = workers(return_as="generator")
    except ValueError:  # the backend that the caller chose returns all runs at once, as "multiprocessing" does
        run = workers()
    reached = rounds[-1] / _AGAIN * -(-len(numbers) // most)
    again = rounds[rounds <= reached] if played.workers == "processes" else ()
    jobs = [(r, rounds) for r in numbers] + [(numbers[0], again)] * bool(len(again))
    each = (joblib.delayed(play)(played, rounds=kept, replication=r, stop=stop, code=code) for r, kept in jobs)
    regret, pulls = np.empty((len(numbers), len(rounds))), np.empty((len(numbers), len(rounds), n_arms), np.int64)
    try:
        shown = tqdm(run(each), total=len(jobs), desc=played.name, disable=hidden, leave=False)
        for place, (curve, counts) in enumerate(shown):
            if place < len(numbers):
                regret[place], pulls[place] = curve, counts
            elif (differ := (curve != regret[0, : len(curve)]) | (counts != pulls[0, : len(curve)]).any(axis=1)).any():
                t = int(differ.argmax())
                got = f"a regret of {regret[0, t]:g} and then {curve[t]:g} in round {rounds[t]}"
                cure = "draw from choice and noise only, and keep what is learnt in what start() returns"
                raise ValueError(f"a run of {played.name} must follow from its streams, got {got}: {cure}")
    finally:
        stop.append(True)
    return regret, pulls


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
    horizon, source, played = _whole("horizon", horizon), streams(seed, replication), playable(policy)
    played.check(problem, horizon)
    rows = played.blank(problem, horizon)
    played.play(problem, horizon, np.array([horizon]), source, rows)
    return rows


def _replicate(
    problem: AnyProblem,
    policy: Playable,
    *,
    rounds: np.ndarray,
    seed: int,
    n_arms: int,
    replication: int,
    stop: list[bool],
    code: loaded.Code,
) -> tuple[np.ndarray, np.ndarray]:
    """The regret of a run, and how often each arm was played, until each of some rounds."""
    loaded.refuse_other(code)
    horizon = int(rounds[-1])
    rows = policy.blank(problem, horizon if n_arms else 0)
    regret = policy.play(problem, horizon, rounds, streams(seed, replication), rows, stop)
    pulls, begun = np.zeros((len(rounds), n_arms), np.int64), 0
    if not n_arms:
        return regret, pulls
    for place, mark in enumerate(rounds):
        played = rows[begun:mark, :-1]
        pulls[place], begun = np.bincount(played[played >= 0], minlength=n_arms), mark
    return regret, pulls.cumsum(axis=0)


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
        **{fact: getattr(policy, fact) for fact in _FACTS},
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

"""Calls of everything public with arguments that nobody meant: what the signatures ask for, and what to hand over."""

from __future__ import annotations

import datetime
import importlib
import inspect
import json
import math
import os
import pkgutil
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import networkx as nx
import numpy as np
import xarray as xr
from hypothesis import HealthCheck

import private_bandits
from private_bandits import estimates, simulate
from private_bandits.papers import cascading, heavy_tailed
from private_bandits.policy import Policy
from private_bandits.privacy import FinitePolicy
from private_bandits.problems import Arms, ConvexLoss, LinearContext, SemiBandit
from private_bandits.simulate import check_fit

SECONDS = 5.0  # of CPU: a public call may take so long, on a busy machine, too


FUZZ = "PRIVATE_BANDITS_CASES" in os.environ  # other cases each time, with `tests/fuzz.py`
CASES = int(os.environ.get("PRIVATE_BANDITS_CASES", "2000"))
SETTINGS = {"derandomize": not FUZZ, "deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
COUNTED: Counter[str] = Counter()  # calls by how they end


class TooLong(BaseException):
    """A call took more than `SECONDS`."""


class Fair(FinitePolicy):
    """A finite policy of two arms."""

    n_arms = 2
    rewards = (0.0, 1.0)
    channel = None

    def probabilities(self, history: Any) -> list[float]:
        return [0.5, 0.5]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


LOSS = ConvexLoss.arms([[0.0, 1.0], [1.0, 0.0]])
BALL = ConvexLoss.ball([[0.3, 0.0]])
CONTEXT = LinearContext.sphere([0.6, 0.8], 3)
LOGISTIC = LinearContext.sphere([0.6, 0.8], 3, link="logistic")
CASCADE = cascading.b_lb(8, 2, 0.4, 0.3)
ARMS = Arms.bernoulli([0.5, 0.4, 0.3])
SETS = SemiBandit.from_sets([0.5, 0.4, 0.3, 0.2], [[0, 1], [2, 3]])
PARETO = heavy_tailed.setting(1, 0.5)
GRAPH = nx.complete_graph(4)

MASKED = np.ma.masked_array([0.5, 0.2], [0, 1])

# a value of each parameter, by its name
VALUES: dict[str, Any] = {
    "epsilon": 1.0, "delta": 1e-3, "horizon": 100, "n_arms": 4, "n_items": 8, "list_size": 2, "size": 2, "dim": 2,
    "p": 0.4, "gap": 0.1, "v": 0.5, "u": 1.0, "beta": 0.1, "sensitivity": 1.0, "sigma": 1.0, "n": 6, "n_values": 3,
    "values": [0, 1], "rng": rng, "rate": 0.1, "samples": 10.0, "few": 1.0, "small": 1.0, "log_tail": 3.0,
    "level": 0.9, "problem": LOSS, "replications": 2, "seed": 1, "means": [0.5, 0.4, 0.3, 0.2], "failure": 0.1,
    "regret": 10.0, "bound": 1.0, "shape": 2.0, "number": 1, "n_nodes": 3, "n_targets": 2, "graph": GRAPH,
    "source": 0, "target": 3, "costs": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "successes": 3, "runs": 10,
    "channel": [[0.5, 0.5], [0.2, 0.8]], "messages": [[0.0], [1.0]], "environment": [[0.5, 0.5], [0.2, 0.8]],
    "policy": Fair, "table": [[0.0, 1.0], [1.0, 0.0]], "anchors": [[0.3, 0.1], [0.2, 0.2]], "theta": [0.6, 0.8],
    "n_actions": 3, "sets": [[0, 1], [2, 3]], "arms": ARMS, "probabilities": [[0.5, 0.4], [0.3, 0.2]],
    "items": [0, 1], "which": 0, "point": [0.5, 0.5], "distance": 0.1, "low": 0.0, "x": [1.0, 2.0, 4.0, 8.0],
    "p_values": [0.01, 0.2],
    "noise": "laplace", "scale": 2.0, "first": 0.0, "second": 1.0,
    "t": [10, 100, 1000, 10_000], "se": 1.0, "runs_": 10,
}  # fmt: skip
# where a function wants another
OTHERS: dict[str, dict[str, Any]] = {
    "simulate": {"problem": CASCADE, "policy": cascading.ucb_laplace(1.0, 2)},
    "papers.contextual.one_point": {"problem": BALL, "delta": 1e-3},
    "papers.contextual.two_point": {"problem": BALL, "delta": 1e-3},
    "papers.contextual.theorem_6": {"problem": BALL, "delta": 1e-3},
    "papers.contextual.corollary_4": {"problem": BALL, "delta": 1e-3, "learner": "sphere"},
    "estimates.mean_interval": {"samples": [1.0, 2.0, 4.0]},
    "estimates.difference_interval": {"a": [1.0, 2.0, 4.0], "b": [2.0, 2.5, 3.0]},
    "estimates.ratio_interval": {"a": [1.0, 2.0, 4.0], "b": [2.0, 2.5, 3.0]},
    "estimates.fit_exponent": {"samples": [[1.0, 2.0, 4.0, 8.1], [1.1, 2.1, 4.2, 8.0]]},
    "estimates.fit_growth": {"curves": [[1.0, 2.0, 4.0, 8.1], [1.1, 2.1, 4.2, 8.0]], "start": 2.0, "stop": 1e5},
    "ConvexLoss.allows": {"point": np.array([1.0])},
    "Ball.allows": {"point": np.array([0.5, 0.5])},
    "LinearContext.table": {"sets": [[[1.0, 0.0], [0.0, 1.0]]], "means": [[0.5, 0.2]]},
    "privacy.exact_loss": {"horizon": 3},
    "privacy.worst_case": {"horizon": 3},
    "privacy.audit": {"target": [[0.5, 0.5], [0.2, 0.8]], "runs": 1000, "horizon": 3},
    "privacy.table_laws": {"horizon": 2},
    "privacy.environment_law": {"horizon": 2},
    "papers.semibandits.maximum_spanning_tree": {"means": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]},
}
SKIPPED = {"FinitePolicy", "History", "SetBandit"}


# as many as are asked for, where to write them, and what runs the caller's own code
FREE = {
    *(("simulate", name) for name in ("horizon", "replications")),
}
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 0.0, -0.0, -1.0, 0.5, 1.5, 1e3, 1e-6, 1e6, math.nan, math.inf, -math.inf, 1 + 2j,
    np.float64("nan"),
    np.int64(-3), np.float32(0.1), np.bool_(True), "", "nonsense", "1", "\N{SNOWMAN}" * 5, "x" * 1000, b"bytes",
    (), [], {}, set(), [[]], [0.0], [1.0], [0.5, 0.5], [1, 1], [0, 0], [-1, 2], [0.5, None], ["a", "b"],
    [math.nan, 0.5], [math.inf, 1.0], [[0.5], [0.5, 0.2]], list(range(300)),
    np.zeros(0), np.zeros((2, 0)), np.zeros((2, 2, 2)), np.ones(5), np.array(["a"]), np.array([1, None], object),
    np.full((3, 3), np.nan), MASKED, np.array(1.0), object(), int, len, math, [[[]]], datetime.date(2026, 1, 1),
    range(3), iter([1, 2]), slice(2), Ellipsis, NotImplemented, LOSS, CASCADE, ARMS, CONTEXT, Fair(),
    cascading.cascade_ucb1(), cascading.cascade_ucb1, np.random.default_rng(0), GRAPH,
)  # fmt: skip


def public() -> dict[str, Callable[..., Any]]:
    """Every public callable by its path: those of `__all__`, and the class methods and methods of problems."""
    found: dict[str, Callable[..., Any]] = {"simulate": simulate}
    for module in pkgutil.walk_packages(private_bandits.__path__, "private_bandits."):
        room = module.name.removeprefix("private_bandits.")
        if room.startswith("kernels") or room.rpartition(".")[2].startswith("_"):
            continue
        loaded = importlib.import_module(module.name)
        for name in getattr(loaded, "__all__", ()):
            thing = getattr(loaded, name)
            if callable(thing) and name not in SKIPPED and thing not in found.values():
                found[f"{room}.{name}"] = thing
    for name in ("mean_interval", "difference_interval", "ratio_interval", "half_width", "fit_exponent", "fit_growth"):
        found[f"estimates.{name}"] = getattr(estimates, name)
    for kind, one in (*((type(one).__name__, one) for one in (CASCADE, ARMS, SETS, LOSS, CONTEXT)), ("Ball", BALL)):
        for name, method in inspect.getmembers(one, callable):
            if not name.startswith("_") and name != "record" and method not in found.values():
                found[f"{kind}.{name}"] = method
    return found


def meant(path: str, function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments that a function takes."""
    given = {}
    for parameter in inspect.signature(function).parameters.values():
        own = (
            VALUES[parameter.name]
            if parameter.default is parameter.empty and parameter.name in VALUES
            else parameter.default
        )
        value = OTHERS.get(path, {}).get(parameter.name, own)
        given[parameter.name] = value() if value is rng or value is Fair else value
    return given


def words(function: Callable[..., Any]) -> list[tuple[str, str]]:
    """What each choice of a function may be, by its docstring."""
    listed = re.findall(r"^(\w+) : \{(.*)\}", inspect.getdoc(function) or "", re.MULTILINE)
    return [(name, word) for name, given in listed for word in re.findall(r'"([^"]*)"', given)]


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `TooLong` in the block when its time is up."""

    def ring(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def tell(what: str) -> None:
    """Write how many calls were refused and answered, if the environment names a file for it."""
    if path := os.environ.get("PRIVATE_BANDITS_FIGURES"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"what": what, **COUNTED}) + "\n")
    COUNTED.clear()


def numbers(answer: Any, depth: int = 0) -> Iterator[np.ndarray]:
    """All numbers of an answer."""
    if isinstance(answer, xr.Dataset):
        yield from (variable.values for variable in answer.variables.values())
    elif isinstance(answer, float | np.ndarray) and not (
        isinstance(answer, np.ndarray) and answer.dtype.kind not in "fc"
    ):
        yield np.asarray(answer)
    elif isinstance(answer, tuple | list | dict) and depth < 4:
        for entry in answer.values() if isinstance(answer, dict) else answer:
            yield from numbers(entry, depth + 1)


def played(policy: Policy) -> None:
    """Play a policy for 20 rounds on the problems that it fits, and look at what it loses."""
    for problem in (CASCADE, SETS, ARMS, PARETO, CONTEXT, LOGISTIC, LOSS, BALL):
        try:
            check_fit(problem, policy, 20)
        except ValueError:
            continue
        lost = simulate(problem, policy, horizon=20, replications=2, seed=1).regret.values
        falls = problem is not LOSS and (np.diff(lost, axis=1) < -1e-9).any()  # whose best arm changes with the round
        assert np.isfinite(lost).all() and not falls, f"{policy.name} loses {lost}"
        return


def fault(path: str, function: Callable[..., Any], given: dict[str, Any]) -> str | None:
    """What is wrong with how a call ends; None if it answers numbers or says in a line what it wants."""
    try:
        with limited():
            answer = function(**given)
        if isinstance(answer, Policy):
            answer = played(answer)
    except (ValueError, TypeError) as error:
        said = str(error)
        if len(said) > 200:
            return f"{len(said)} characters: {said[:150]}"
        names = [name for name in given if name in said]
        COUNTED["refused"] += 1
        return None if names else f"names no argument: {type(error).__name__}: {said}"
    except TooLong:
        return "takes too long"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    COUNTED["answered"] += 1
    silent = "`nan`" in (function.__doc__ or "")  # where a theorem says nothing
    if not silent and any(np.isnan(array).any() for array in numbers(answer)):
        return f"answers {answer!r}"[:150]
    return None

"""Calls of everything public, and parameters of chapters, with values that nobody meant, and how they may end.

`test_hostile.py` plays a few dozen, and `make fuzz` 50,000.
"""

from __future__ import annotations

import datetime
import inspect
import math
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import listed
import numpy as np
import xarray as xr

from private_bandits import baselines, simulate
from private_bandits.papers import cascading, contextual, heavy_tailed
from private_bandits.policy import Policy
from private_bandits.privacy import FinitePolicy
from private_bandits.problems import Arms, ConvexLoss, LinearContext, SemiBandit
from private_bandits_book.book import find_book
from private_bandits_book.parameters import UsageError, validate

SECONDS = 5.0  # of CPU: a public call may take so long, on a busy machine, too


class TooLong(BaseException):
    """A call took more than its seconds."""


class Fair(FinitePolicy):
    """A finite policy of two arms."""

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
TOP = SemiBandit.top_k([0.5, 0.4, 0.3, 0.2], 2)
PARETO = heavy_tailed.setting(1, 0.5)

MASKED = np.ma.masked_array([0.5, 0.2], [0, 1])

# a value of each parameter, by its name
VALUES: dict[str, Any] = {
    "epsilon": 1.0, "delta": 1e-3, "horizon": 100, "n_arms": 8, "list_size": 2, "n_chosen": 2, "dim": 2,
    "p": 0.4, "gap": 0.1, "v": 0.5, "u": 1.0, "beta": 0.1, "sensitivity": 1.0, "sigma": 1.0, "n_values": 3,
    "values": [0, 1], "rng": rng, "replications": 2, "seed": 1, "means": [0.5, 0.4, 0.3, 0.2], "regret": 10.0,
    "bound": 1.0, "shape": 2.0, "number": 1, "n_nodes": 3, "n_targets": 2, "successes": 3, "runs": 10,
    "channel": [[0.5, 0.5], [0.2, 0.8]], "messages": [[0.0], [1.0]], "environment": [[0.5, 0.5], [0.2, 0.8]],
    "policy": Fair, "table": [[0.0, 1.0], [1.0, 0.0]], "anchors": [[0.3, 0.1], [0.2, 0.2]], "theta": [0.6, 0.8],
    "n_actions": 3, "sets": [[0, 1], [2, 3]], "probabilities": [[0.5, 0.4], [0.3, 0.2]], "items": [0, 1],
    "distance": 0.1, "x": [1.0, 2.0, 4.0, 8.0], "noise": "laplace", "scale": 2.0, "second": 1.0,
    "t": [10, 100, 1000, 10_000], "se": 1.0, "q": 0.6, "flip": 0.2, "kind": "smooth", "replication": 0,
    "learner": Fair(), "slack": 0.1, "chance": float, "epoch": 2, "log": 3.0, "excess": 2.0, "hits": 5, "others": 2,
    "alpha": 0.05,
}  # fmt: skip
UPPER = ("theorem_2", "theorem_4", "theorem_6", "theorem_8", "repaired_first_upper", "repaired_blocks_upper")
CHARGED = ("theorem_2", "theorem_4", "theorem_8", "theorem_8_terms", "super_arm_radius_upper", "b_inf_dp_upper")
# where a function wants another
OTHERS: dict[str, dict[str, Any]] = {
    "simulation.simulate": {"problem": CASCADE, "policy": cascading.ucb_laplace(1.0, list_size=2)},
    "policy_checks.check_policy": {"problem": CASCADE, "policy": cascading.ucb_laplace(1.0, list_size=2)},
    "simulation.trace": {"problem": CASCADE, "policy": cascading.ucb_laplace(1.0, list_size=2)},
    "papers.contextual.ldp_linucb": {"delta": 1e-3},
    **{f"papers.cascading.bounds.{name}": {"problem": CASCADE} for name in UPPER},
    "papers.cascading.bounds.theorem_10": {"problem": TOP},
    **{f"papers.semibandits.bounds.{name}": {"problem": SETS} for name in (*CHARGED, "cucb_blocks_upper")},
    "papers.contextual.one_point": {"problem": BALL, "delta": 1e-3},
    "papers.contextual.two_point": {"problem": BALL, "delta": 1e-3},
    "papers.contextual.bounds.theorem_6": {"problem": BALL, "delta": 1e-3},
    "papers.contextual.bounds.corollary_4": {"problem": BALL, "delta": 1e-3, "learner": "sphere"},
    "estimates.exponent_difference": dict.fromkeys("ab", [[1.0, 2.0, 4.0, 8.1], [1.1, 2.1, 4.2, 8.0]]),
    "estimates.mean_interval": {"samples": [1.0, 2.0, 4.0]},
    "estimates.difference_interval": {"a": [1.0, 2.0, 4.0], "b": [2.0, 2.5, 3.0]},
    "estimates.ratio_interval": {"a": [1.0, 2.0, 4.0], "b": [2.0, 2.5, 3.0]},
    "estimates.fit_exponent": {"samples": [[1.0, 2.0, 4.0, 8.1], [1.1, 2.1, 4.2, 8.0]]},
    "estimates.fit_growth": {"curves": [[1.0, 2.0, 4.0, 8.1], [1.1, 2.1, 4.2, 8.0]], "start": 2.0, "stop": 1e5},
    "ConvexLoss.allows": {"point": np.array([1.0])},
    "Ball.allows": {"point": np.array([0.5, 0.5])},
    "LinearContext.table": {"sets": [[[1.0, 0.0], [0.0, 1.0]]], "means": [[0.5, 0.2]]},
    "privacy.account": {"policy": baselines.dp_se(0.5, n_arms=3, horizon=100)},
    "privacy.exact_loss": {"horizon": 3},
    "privacy.worst_case": {"horizon": 3},
    "privacy.audit": {"target": [[0.5, 0.5], [0.2, 0.8]], "runs": 1000},
    "privacy.concentrated_epsilon": {"rho": 0.5},
    "privacy.Guarantee": {
        **dict.fromkeys(("value_epsilon", "effective_epsilon"), 0.5),
        **dict.fromkeys(("value_delta", "effective_delta"), 1e-3), "trust": "local", "reason": "one noisy mean",
    },
    "baselines.replay": {"policy": baselines.ucb()},
    "papers.definitions.on_responses": {"policy": baselines.ucb()},
    **dict.fromkeys(
        ("papers.definitions.eliminate_and_replay", "papers.definitions.to_the_middle"),
        {"policy": baselines.ucb(), "mixing": 0.1, "batch": 10, "epochs": 2},
    ),
    "papers.contextual.by_stretches": {"policy": contextual.linucb(dim=2)},
    "papers.definitions.replacements.asoodeh_zhang": {"gaps": [0.1, 0.2], "divergences": [0.1, 0.3]},
    "papers.definitions.factor.theorem_a_excess": {"mixing": 0.1, "batch": 10, "epochs": 2},
    "papers.semibandits.separated": {"kind": "top-K", "others": 3},
    "problems.ConvexLoss": {"domain": "ball", "kind": "quadratic", "anchors": [[0.3, 0.0]]},
    "privacy.table_laws": {"horizon": 2},
    "privacy.environment_law": {"horizon": 2},
}  # fmt: skip
# made by class methods, by readers or by constructors, and what is only answered
SKIPPED = {"FinitePolicy", "Learner", "LinearContext", "Player", "Policy", "Problem", "SetBandit"}
SKIPPED |= {"Audit", "Epoch", "Interval", "Streams", "Terms"}
FREE = {("simulation.simulate", "horizon"), ("simulation.simulate", "replications")}  # as many as are asked for


HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 0.0, -0.0, -1.0, 0.5, 1.5, 1e3, 1e-6, 1e6, math.nan, math.inf, -math.inf, 1 + 2j,
    np.float64("nan"),
    np.int64(-3), np.float32(0.1), np.bool_(True), "", "nonsense", "1", "\N{SNOWMAN}" * 5, "x" * 1000, b"bytes",
    (), [], {}, set(), [[]], [0.0], [1.0], [0.5, 0.5], [1, 1], [0, 0], [-1, 2], [0.5, None], ["a", "b"],
    [math.nan, 0.5], [math.inf, 1.0], [[0.5], [0.5, 0.2]], list(range(300)),
    np.zeros(0), np.zeros((2, 0)), np.zeros((2, 2, 2)), np.ones(5), np.array(["a"]), np.array([1, None], object),
    np.full((3, 3), np.nan), MASKED, np.array(1.0), object(), int, len, math, [[[]]], datetime.date(2026, 1, 1),

    10**400, -(10**400), [10**400, 0.5], 1e300, 1e-300, 5e-324, 1e-12,
    range(3), iter([1, 2]), slice(2), Ellipsis, NotImplemented, LOSS, CASCADE, ARMS, CONTEXT, Fair(),
    cascading.cascade_ucb1(), cascading.cascade_ucb1, np.random.default_rng(0), SETS, TOP,
)  # fmt: skip


def public() -> dict[str, Callable[..., Any]]:
    """Every public function and class that somebody calls, and the class methods and methods of problems."""
    found = {path: thing for path, thing in listed.things().items() if path.rpartition(".")[2] not in SKIPPED}
    for kind, one in (*((type(one).__name__, one) for one in (CASCADE, ARMS, SETS, LOSS, CONTEXT)), ("Ball", BALL)):
        for name, method in inspect.getmembers(one, callable):
            if not name.startswith("_") and name != "record" and method not in found.values():
                found[f"{kind}.{name}"] = method
    return found


def meant(path: str, function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments that a function takes."""
    given = {}
    for name, parameter in inspect.signature(function).parameters.items():
        own = parameter.default
        if own is parameter.empty:
            own = VALUES.get(name, own)
        value = OTHERS.get(path, {}).get(name, own)
        given[name] = value() if value is rng or value is Fair else value
    return given


def words(function: Callable[..., Any]) -> list[tuple[str, str]]:
    """What each choice of a function may be, by its docstring."""
    listed = re.findall(r"^(\w+) : \{(.*)\}", inspect.getdoc(function) or "", re.MULTILINE)
    return [(name, word) for name, given in listed for word in re.findall(r'"([^"]*)"', given)]


def call_cases(calls: Mapping[str, Callable[..., Any]], seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Draw functions, and one or two of their arguments, without end; a choice is now and then another word."""
    drawn, paths = np.random.default_rng(seed), list(calls)
    while True:
        path = str(drawn.choice(paths))
        names = [name for name in meant(path, calls[path]) if (path, name) not in FREE]
        changed = {}
        if (others := words(calls[path])) and drawn.random() < 0.5:
            changed = dict([others[drawn.integers(len(others))]])
        for _ in range(drawn.integers(1, 3)):
            if names:
                changed[str(drawn.choice(names))] = HOSTILE[drawn.integers(len(HOSTILE))]
        yield path, changed


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


def numbers(answer: Any, depth: int = 0) -> Iterator[np.ndarray]:
    """All numbers of an answer."""
    if isinstance(answer, xr.Dataset):
        yield from (variable.values for variable in answer.variables.values())
    elif isinstance(answer, float) or (isinstance(answer, np.ndarray) and answer.dtype.kind in "fc"):
        yield np.asarray(answer)
    elif isinstance(answer, tuple | list | dict) and depth < 4:
        for entry in answer.values() if isinstance(answer, dict) else answer:
            yield from numbers(entry, depth + 1)


def played(policy: Policy) -> None:
    """Play a policy for 20 rounds on a problem that it fits, and look at what it loses."""
    for problem in (CASCADE, SETS, ARMS, PARETO, CONTEXT, LOGISTIC, LOSS, BALL):
        try:
            policy.check(problem, 20)
        except ValueError:
            continue
        lost = simulate(problem, policy, horizon=20, replications=2, seed=1).regret.values
        falls = problem is not LOSS and (np.diff(lost, axis=1) < -1e-9).any()  # whose best arm changes with the round
        assert np.isfinite(lost).all() and not falls, f"{policy.name} loses {lost}"
        return


def outcome(call: Callable[[], Any], names: Mapping[str, Any], refusals: tuple[type[Exception], ...]) -> Any:
    """What a call answers, or "refused" if it says in a line which argument it cannot take; all else is a fault."""
    try:
        with limited():
            return call()
    except refusals as error:
        said = str(error)
        assert len(said) <= 200 and "\n" not in said, f"{len(said)} characters: {said[:150]}"
        assert any(name in said for name in names), f"names no argument: {type(error).__name__}: {said}"
        return "refused"
    except TooLong:
        raise AssertionError("takes too long") from None


def called(path: str, function: Callable[..., Any], changed: Mapping[str, Any], plays: bool = False) -> str:
    """Whether a public function refuses what it is given, or answers numbers."""
    given = meant(path, function) | dict(changed)
    answer = outcome(lambda: function(**given), given, (ValueError, TypeError))
    if isinstance(answer, str) and answer == "refused":
        return answer
    if plays and isinstance(answer, Policy):
        played(answer)
    silent = "`nan`" in (function.__doc__ or "")  # where a theorem says nothing
    assert silent or not any(np.isnan(array).any() for array in numbers(answer)), f"answers {answer!r}"[:150]
    return "answered"


def finite(value: Any) -> bool:
    return all(map(finite, value)) if isinstance(value, list) else not isinstance(value, float) or math.isfinite(value)


def parameters() -> dict[str, list[str]]:
    """The chapters that have parameters, with their names."""
    book = find_book()
    known = {chapter: list(book.parameters(chapter)) for chapter in book.chapters()}
    return {chapter: names for chapter, names in known.items() if names}


def parameter_cases(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Draw chapters, and one or two of their parameters, without end."""
    drawn, known = np.random.default_rng(seed), parameters()
    while True:
        chapter = str(drawn.choice(list(known)))
        names = drawn.choice(known[chapter], drawn.integers(1, 3))
        yield chapter, {str(name): HOSTILE[drawn.integers(len(HOSTILE))] for name in names}


def validated(chapter: str, changed: Mapping[str, Any]) -> str:
    """Whether a chapter refuses parameters, or takes them as finite values."""
    known = find_book().parameters(chapter)
    answer = outcome(lambda: validate(chapter, known, dict(changed)), known, (UsageError,))
    if answer == "refused":
        return "refused"
    assert all(map(finite, answer.values())), f"takes {changed}"[:200]
    return "answered"

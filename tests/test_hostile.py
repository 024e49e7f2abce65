"""Whatever is handed to a public function, it answers numbers or says in a line which argument it cannot take."""

from __future__ import annotations

import contextlib
import inspect
import math

import hostile
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

CALLS = hostile.public()
NAMES = [
    (path, name)
    for path, function in CALLS.items()
    for name in hostile.meant(path, function)
    if (path, name) not in hostile.FREE
]
WORDS = {path: hostile.words(function) for path, function in CALLS.items()}
ANY = st.integers(0, len(hostile.HOSTILE) - 1)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compiling is not on the clock, and not to be interrupted."""
    for path, function in CALLS.items():
        with contextlib.suppress(Exception):
            answer = function(**hostile.meant(path, function))
            if isinstance(answer, hostile.Policy):
                hostile.played(answer)
    hostile.COUNTED.clear()
    yield
    hostile.tell("public functions")


@pytest.mark.parametrize("path", CALLS)
def test_what_is_meant_is_answered(path):
    assert hostile.fault(path, CALLS[path], hostile.meant(path, CALLS[path])) is None


@pytest.mark.filterwarnings("error")
@settings(max_examples=hostile.CASES, **hostile.SETTINGS)
@given(st.sampled_from(NAMES), st.lists(ANY, min_size=1, max_size=2), st.integers(0, 9), st.integers(0, 19))
def test_what_nobody_meant_is_refused_by_name_or_answered(where, values, other, turn):
    path, name = where
    meant = hostile.meant(path, CALLS[path])
    names = [name, next(n for n in [*meant][other % len(meant) :] + [*meant] if (path, n) in NAMES)]
    changed = dict(zip(names, (hostile.HOSTILE[value] for value in values), strict=False))
    changed = dict(WORDS[path][turn % max(1, len(WORDS[path])) :][:1]) | changed
    wrong = hostile.fault(path, CALLS[path], meant | changed)
    shown = ", ".join(f"{name}={repr(value)[:60]}" for name, value in changed.items())
    assert wrong is None, f"{path}({shown}) {wrong}"


CORPUS = [
    ("Cascade.reward", {"items": [0, 0]}, "items"),
    ("privacy.audit", {"target": hostile.Fair(), "horizon": 3, "view": np.array([1, None], object)}, "view"),
    ("simulate", {"checkpoints": np.array(1.0)}, "checkpoints"),
    ("papers.semibandits.separated", {"shape": "K-path", "others": 1}, "others"),
    ("estimates.half_width", {"se": -1.0, "replications": 5}, "se"),
    ("estimates.mean_interval", {"samples": hostile.MASKED}, "samples"),
    ("problems.LinearContext", {"link": "nonsense"}, "link"),
    ("problems.LinearContext", {"link": "linear", "theta": "x"}, "theta"),
    ("problems.ConvexLoss", {"domain": "nonsense"}, "domain"),
    ("privacy.exact_loss", {"environments": 1}, "environments"),
    ("privacy.exact_loss", {"definition": "environment", "environments": 1}, "environments"),
    ("estimates.half_width", {"se": np.zeros((2, 2)), "replications": [3, 4, 5]}, "replications"),
    ("papers.contextual.ldp_linucb", {"noise": "laplace", "delta": hostile.CONTEXT}, "delta"),
    ("privacy.audit", {"neighbours": 1}, "neighbours"),
    ("ConvexLoss.arms", {"schedule": 5}, "schedule"),
    ("simulate", {"policy": None}, "policy"),
    ("simulate", {"policy": hostile.cascading.cascade_ucb1}, "policy"),
    ("simulate", {"problem": None}, "problem"),
    ("simulate", {"checkpoints": 5}, "checkpoints"),
]


@pytest.mark.parametrize(("path", "changed", "named"), CORPUS, ids=[f"{path}-{named}" for path, _, named in CORPUS])
def test_what_once_broke(path, changed, named):
    full = hostile.meant(path, CALLS[path]) | changed
    with hostile.limited(1.0), pytest.raises((ValueError, TypeError), match=named) as caught:
        CALLS[path](**full)
    assert len(str(caught.value)) <= 200


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("papers.heavy_tailed.robust_ucb", {"u": 1e15, "v": np.float32(0.1)}),
        ("papers.heavy_tailed.robust_se", {"u": 1e15, "v": np.float32(0.1)}),
        ("papers.heavy_tailed.ldp_robust_se", {"c": 1e15, "epsilon": np.float32(0.1)}),
    ],
)
def test_a_number_of_few_digits_is_no_overflow(path, changed):
    CALLS[path](**hostile.meant(path, CALLS[path]) | changed)


def test_a_bound_without_privacy_is_no_overflow():
    bound = CALLS["papers.contextual.local_lower"]
    assert bound(100, 1e-9) == pytest.approx(100 / 8) and bound(100, 2.0**31) == bound(100, math.inf) == 0.0


def test_no_array_is_taken_for_a_word():
    for path, function in CALLS.items():
        meant, own = hostile.meant(path, function), inspect.signature(function).parameters
        words = [name for name in meant if isinstance(own[name].default, str)]
        changes = [{name: value} for name in words for value in (np.array(["a", "b"]), ["a"], np.zeros(3))]
        for changed in changes:
            assert hostile.fault(path, function, meant | changed) is None, (path, changed)


def test_raw_kernels_are_not_exported():
    for path, function in CALLS.items():
        assert not hasattr(function, "py_func"), f"{path} is compiled: it checks nothing"


def test_rounds_may_be_written_as_a_float():
    meant = hostile.meant("simulate", CALLS["simulate"])
    assert CALLS["simulate"](**meant | {"horizon": 1e2}).equals(CALLS["simulate"](**meant | {"horizon": 100}))


@pytest.mark.parametrize("horizon", [2**53 + 1, 2**62])
def test_long_horizons_are_answered_or_refused_by_name(horizon):
    for path, function in CALLS.items():
        meant = hostile.meant(path, function)
        if "horizon" in meant and path != "simulate":
            assert hostile.fault(path, function, meant | {"horizon": horizon}) is None, path

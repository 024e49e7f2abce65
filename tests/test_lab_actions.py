"""On the same recorded draws the laboratory's kernels play the library's actions, and lose what it loses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from lab import ask
from lab_policies import CHAPTERS

from private_bandits import simulate
from private_bandits.kernels import elimination
from private_bandits.kernels.parts import sums
from private_bandits.mechanisms import _raw
from private_bandits.problems import ConvexLoss
from private_bandits.simulation import trace
from private_bandits.streams import streams

CASES = {"cascading": 2, "semibandits": 2, "convex": 2, "heavy_tailed": 8}


class Recorder:
    """A generator that keeps what was drawn, kind by kind."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.drawn: dict[str, list[float]] = {"random": [], "standard_normal": [], "binomial": [], "standard_gamma": []}

    def __getattr__(self, kind: str) -> Any:
        def draw(*given: float) -> float:
            value = getattr(self._rng, kind)(*given)
            self.drawn[kind].append(float(value))
            return value

        return draw


@contextmanager
def _in_python() -> Iterator[None]:
    """The functions that draw, not compiled, as compiled ones take no recorder."""
    with pytest.MonkeyPatch.context() as patch:
        names = ("pareto_reward", "truncated_pareto_sum", "reward_sum", "laplace_sum")
        for module, name in [(sums, name) for name in names] + [(_raw, "laplace")]:
            patch.setattr(module, name, getattr(module, name).py_func)
        for name in names[2:]:
            patch.setattr(elimination, name, getattr(sums, name))
        yield


def _drawn(policy: Any, problem: Any, horizon: int, seed: int) -> list[dict[str, list[float]]]:
    """The tapes of a run: the streams of a kernel that draws one number after another, or what an elimination drew."""
    source = streams(seed, 0)
    if isinstance(policy.record, elimination.Record):
        recorders = [Recorder(stream) for stream in source]
        with _in_python():
            given, end = problem.record(), np.array([horizon])
            state = elimination.start(given, policy.record)
            rows = elimination.blank(given, policy.record, 0)
            elimination.advance.py_func(given, policy.record, state, 1, horizon, end, np.zeros(1), rows, *recorders)
        return [recorder.drawn for recorder in recorders]
    directions = "standard_normal" if isinstance(problem, ConvexLoss) else "random"
    kinds = ["random", directions, "standard_normal" if policy.mechanism == "gaussian" else "random"]
    draws = horizon * 2 * (1 + getattr(problem, "list_size", 1)) + 100  # more than any takes
    return [{kind: getattr(stream, kind)(draws).tolist()} for kind, stream in zip(kinds, source, strict=True)]


def _narrow(policy: Any) -> Any:
    """An elimination in which one arm is left after a short epoch."""
    terms = policy.record.terms.copy()
    terms[:, [0, 3]] = 1.0, 0.0
    return replace(policy, record=policy.record._replace(terms=terms))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_same_draws_same_actions(chapter: str) -> None:
    declared, runs, asked = CHAPTERS[chapter], [], []
    for name, make in declared.policies.items():
        rng = np.random.default_rng([ord(letter) for letter in chapter + name])
        drawn = (declared.values(rng) for _ in iter(int, 1))
        for values in islice((values for values in drawn if declared.fits(name, values)), CASES[chapter]):
            policy, horizon, seed = make(values), values["horizon"], len(runs)
            problem = declared.problem(values, policy)
            changed = {}
            if isinstance(policy.record, elimination.Record) and len(runs) % 2:  # then the least noise decides
                policy, changed = _narrow(policy), {"width": 0, "pulls": 1}
            runs.append((problem, policy, horizon, seed))
            asked.append(("traced", chapter, name, values, _drawn(policy, problem, horizon, seed), changed))
    offered, *answers = ask(("offered", chapter, declared.values(np.random.default_rng(0))), *asked)
    assert {one["id"] for one in offered} == set(declared.policies)
    for (problem, policy, horizon, seed), answer in zip(runs, answers, strict=True):
        if answer["trace"] is not None:
            played = trace(problem, policy, horizon=horizon, seed=seed)
            if played.dtype.kind == "i":
                assert answer["trace"] == played.tolist()
            np.testing.assert_allclose(answer["trace"], played, rtol=1e-9, atol=1e-9)  # points of the disc
        kept = simulate(problem, policy, horizon=horizon, replications=1, seed=seed)
        assert answer["checkpoints"] == kept.t.values.tolist()
        np.testing.assert_allclose(answer["regret"], kept.regret.values[0], rtol=1e-9, atol=1e-9)


def test_sums_of_many() -> None:
    rng = np.random.default_rng(3)
    questions: list[tuple[Any, ...]] = []
    expected = []
    with _in_python():
        for case in range(20):
            n, shape, mean = int(10 ** rng.uniform(3, 15)), rng.uniform(1.2, 3.0), rng.uniform(0.1, 2.0)
            threshold = mean * 10 ** rng.uniform(-0.3, np.log10(n))
            recorder = Recorder(np.random.default_rng(case))
            expected.append(sums.truncated_pareto_sum(recorder, n, mean, shape, threshold))
            questions.append(("summed", "paretoSum", recorder.drawn, n, mean, shape, threshold))
            recorder = Recorder(np.random.default_rng(case))
            expected.append(sums.laplace_sum(recorder, n, threshold))
            questions.append(("summed", "laplaceSum", recorder.drawn, n, threshold))
    np.testing.assert_allclose(ask(*questions), expected, rtol=1e-9)

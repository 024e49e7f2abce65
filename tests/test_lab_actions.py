"""On the same recorded draws the laboratory's kernels play the library's actions, and lose what it loses."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from lab import ask
from lab_policies import CHAPTERS

from private_bandits import simulate
from private_bandits.simulate import streams, trace

CASES = 3
OFFERED = [(chapter, name) for chapter, declared in CHAPTERS.items() for name in declared.policies]


def _tapes(seed: int, draws: int, normal: bool) -> list[list[float]]:
    env, choice, noise = streams(seed, 0)
    uniforms = [[], noise.standard_normal(draws)] if normal else [noise.random(draws), []]
    return [list(map(float, tape)) for tape in (env.random(draws), choice.random(draws), *uniforms)]


@pytest.mark.parametrize(("chapter", "name"), OFFERED, ids=lambda word: str(word))
def test_same_draws_same_actions(chapter: str, name: str) -> None:
    declared = CHAPTERS[chapter]
    rng = np.random.default_rng([ord(letter) for letter in chapter + name])
    drawn = (declared.values(rng) for _ in iter(int, 1))
    cases = list(islice((values for values in drawn if declared.fits(name, values)), CASES))
    questions: list[tuple[Any, ...]] = []
    for seed, values in enumerate(cases):
        policy = declared.policies[name](values)
        draws = values["horizon"] * 2 * (1 + declared.problem(values, policy).list_size) + 100
        tapes = _tapes(seed, draws, policy.mechanism == "gaussian")
        questions.append(("traced", chapter, name, values, *tapes))
    for seed, (values, answer) in enumerate(zip(cases, ask(*questions), strict=True)):
        policy = declared.policies[name](values)
        problem, horizon = declared.problem(values, policy), values["horizon"]
        assert answer["trace"] == trace(problem, policy, horizon=horizon, seed=seed).tolist()
        kept = simulate(problem, policy, horizon=horizon, replications=1, seed=seed)
        assert answer["checkpoints"] == kept.t.values.tolist()
        np.testing.assert_allclose(answer["regret"], kept.regret.values[0], rtol=1e-9, atol=1e-9)


def test_every_algorithm_that_is_offered_is_compared() -> None:
    for chapter, declared in CHAPTERS.items():
        values = declared.values(np.random.default_rng(0))
        assert {one["id"] for one in ask(("offered", chapter, values))[0]} == set(declared.policies)

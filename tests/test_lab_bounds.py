"""The bounds that the laboratory draws are the library's, and none where it decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest
from lab import ask
from lab_policies import CHAPTERS, Values

from private_bandits.papers.cascading import bounds as cascading
from private_bandits.papers.contextual import bounds as contextual
from private_bandits.papers.heavy_tailed import bounds as heavy_tailed
from private_bandits.papers.semibandits import bounds as semibandits

CASES = 12
Bounds = dict[str, Callable[[int], float]]
"""A bound at a horizon; an upper one under the algorithm that it is of, a lower one under its label."""


def _cascading(values: Values, problem: Any) -> Bounds:
    epsilon, delta = values["epsilon"], values["delta"]
    instance = {name: values[name] for name in ("n_arms", "list_size", "p", "gap")}
    return {
        "laplace-stated": lambda t: cascading.theorem_4(
            problem=problem, horizon=t, epsilon=epsilon, variant="corrected"
        ),
        "gaussian-stated": lambda t: cascading.theorem_6(problem=problem, horizon=t, epsilon=epsilon, delta=delta),
        "composition-stated": lambda t: cascading.theorem_8(problem=problem, horizon=t, epsilon=epsilon, delta=delta),
        "first": lambda t: cascading.repaired_first_upper(problem=problem, horizon=t, epsilon=epsilon),
        "blocks-keep": lambda t: cascading.repaired_blocks_upper(problem=problem, horizon=t, epsilon=epsilon),
        "blocks-forget": lambda t: cascading.repaired_blocks_upper(
            problem=problem, horizon=t, epsilon=epsilon, design="forget"
        ),
        "Theorem 12, lower bound, central": lambda t: cascading.theorem_12(
            **instance, epsilon=epsilon, horizon=t, variant="corrected"
        ),
    }


def _semibandits(values: Values, problem: Any) -> Bounds:
    epsilon, horizon = values["epsilon"], values["horizon"]
    if values["family"] == "windows":
        return {}
    if values["family"] == "K-path":
        instance = {name: values[name] for name in ("n_arms", "list_size", "gap", "epsilon")}
        return {
            "Theorem 6, lower bound, local": lambda t: semibandits.theorem_6(**instance, horizon=t, variant="corrected")
        }
    return {
        "ldp1-repaired": lambda _: semibandits.theorem_2(
            problem=problem, horizon=horizon, epsilon=epsilon, variant="corrected"
        ),
        "ldp2-repaired": lambda _: semibandits.theorem_4(
            problem=problem, horizon=horizon, epsilon=epsilon, variant="corrected"
        ),
        "dp-repaired": lambda _: semibandits.theorem_8(
            problem=problem, horizon=horizon, epsilon=epsilon, variant="corrected"
        ),
    }


def _heavy_tailed(values: Values, problem: Any) -> Bounds:
    epsilon, v, beta, horizon = (values[name] for name in ("epsilon", "v", "beta", "horizon"))
    given = {"means": problem.means, "v": v, "u": problem.moment(v), "variant": "corrected"}
    found: Bounds = {"robust-ucb": lambda _: heavy_tailed.robust_ucb_upper(horizon=horizon, **given)}
    if epsilon <= 1:
        private = {"epsilon": epsilon, **given}
        found |= {
            "dp-ucb": lambda _: heavy_tailed.dp_robust_ucb_upper(horizon=horizon, **private),
            "dp-se": lambda t: heavy_tailed.dp_upper(horizon=t, beta=beta, **private),
            "ldp-se": lambda t: heavy_tailed.ldp_upper(horizon=t, beta=beta, **private),
        }
    return found


def _contextual(values: Values, problem: Any) -> Bounds:
    def upper(noise: str, step: str) -> Callable[[int], float]:
        policy = CHAPTERS["convex"].policies[f"{noise}-{step}"](values)
        calibration = noise if noise in ("classical", "analytic") else "classical"
        delta = 0.0 if noise == "laplace" else values["delta"]
        kind = "laplace" if noise == "laplace" else "gaussian"
        return lambda t: contextual.theorem_6(
            problem=problem,
            horizon=t,
            epsilon=policy.privacy.epsilon,
            delta=delta,
            step=step,
            noise=kind,
            calibration=calibration,
        )

    steps = ("printed", "tuned", "strong") if values["kind"] == "quadratic" else ("printed", "tuned")
    return {
        f"{noise}-{step}": upper(noise, step)
        for noise in ("none", "classical", "analytic", "laplace")
        for step in steps
    }


EXPECTED = {
    "cascading": _cascading, "semibandits": _semibandits, "heavy_tailed": _heavy_tailed, "convex": _contextual,
}  # fmt: skip


@pytest.mark.parametrize("chapter", EXPECTED)
def test_bounds(chapter: str) -> None:
    declared, cases, asked = CHAPTERS[chapter], [], []
    rng = np.random.default_rng([ord(letter) for letter in chapter])
    said = {"upper": 0, "lower": 0}
    for _ in range(CASES):
        values = declared.values(rng)
        values["horizon"] = horizon = int(10 ** rng.uniform(1, 14))
        rounds = [horizon] * 3 if chapter == "convex" else [2, max(3, horizon // 10), horizon]
        cases.append((values, rounds))
        asked += [("bounds", chapter, values, rounds), *(("uniform", chapter, values, t) for t in rounds)]
    answers = iter(ask(*asked))
    for values, rounds in cases:
        problem = declared.problem(values, declared.policies[next(iter(declared.policies))](values))
        expected = EXPECTED[chapter](values, problem)
        drawn, *uniform = islice(answers, 4)
        assert {one["of"] or one["label"] for one in drawn} == set(expected)
        np.testing.assert_allclose(
            uniform, [t * problem.uniform_regret() for t in rounds], rtol=3e-3 if chapter == "convex" else 1e-9
        )
        for bound in drawn:
            for t, at, none in zip(rounds, bound["at"], uniform, strict=True):
                value = expected[bound["of"] or bound["label"]](t)
                if not (value < none if bound["kind"] == "upper" else value > 0):
                    assert at is None
                else:
                    assert at == pytest.approx(value, rel=1e-9)
                    said[bound["kind"]] += 1
    assert said["upper"] > 5

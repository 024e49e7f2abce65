"""The explorer's bounds are those of the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from lab import ask

from private_bandits.papers.cascading import b_lb, b_lb_semi
from private_bandits.papers.cascading import bounds as cascading
from private_bandits.papers.contextual import bounds as contextual
from private_bandits.papers.definitions import bounds as definitions
from private_bandits.papers.definitions import replacements
from private_bandits.papers.heavy_tailed import bounds as heavy
from private_bandits.papers.semibandits import bounds as semibandits
from private_bandits.problems import ConvexLoss

INSTANCES = [
    {"K": 4, "m": 20, "gap": 0.15, "T": 100_000, "delta": 1e-3, "v": 0.5},
    {"K": 2, "m": 5, "gap": 0.3, "T": 1000, "delta": 1e-6, "v": 0.9},
    {"K": 7, "m": 40, "gap": 0.02, "T": 10**9, "delta": 0.01, "v": 0.3},
]
EPSILONS = [0.05, 0.5, 1.0, 3.0]


def _library(instance: dict[str, Any], epsilon: float) -> dict[str, float]:
    size, items, gap, rounds, delta, v = (instance[key] for key in ("K", "m", "gap", "T", "delta", "v"))
    cascade, semi = b_lb(items, size, 0.5, gap), b_lb_semi(items, size, 0.5, gap)
    bernoulli, tailed = [0.5] + [0.5 - gap] * (size - 1), [1.0] + [1.0 - gap] * (size - 1)
    ball = ConvexLoss.ball(np.full((1, size), 0.1), kind="distance")
    found = {
        "cascading": cascade.uniform_regret(),
        "cascading/theorem_4": cascading.theorem_4(problem=cascade, horizon=rounds, epsilon=epsilon),
        "cascading/theorem_4-corrected": cascading.theorem_4(
            problem=cascade, horizon=rounds, epsilon=epsilon, variant="corrected"
        ),
        "cascading/theorem_6": cascading.theorem_6(problem=cascade, horizon=rounds, epsilon=epsilon, delta=delta),
        "cascading/theorem_8": cascading.theorem_8(problem=cascade, horizon=rounds, epsilon=epsilon, delta=delta),
        "cascading/theorem_2": cascading.theorem_2(problem=cascade, horizon=rounds, epsilon=epsilon),
        "cascading/first": cascading.repaired_first_upper(problem=cascade, horizon=rounds, epsilon=epsilon),
        "cascading/theorem_11": cascading.theorem_11(
            n_arms=items, list_size=size, p=0.5, gap=gap, horizon=rounds, epsilon=epsilon
        ),
        "cascading/theorem_12": cascading.theorem_12(
            n_arms=items, list_size=size, p=0.5, gap=gap, horizon=rounds, epsilon=epsilon, variant="corrected"
        ),
        "semibandits": semi.uniform_regret(),
        "semibandits/theorem_2": semibandits.theorem_2(
            problem=semi, horizon=rounds, epsilon=epsilon, variant="corrected"
        ),
        "semibandits/theorem_2-printed": semibandits.theorem_2(problem=semi, horizon=rounds, epsilon=epsilon),
        "semibandits/theorem_4": semibandits.theorem_4(
            problem=semi, horizon=rounds, epsilon=epsilon, variant="corrected"
        ),
        "semibandits/theorem_4-printed": semibandits.theorem_4(problem=semi, horizon=rounds, epsilon=epsilon),
        "semibandits/theorem_8": semibandits.theorem_8(
            problem=semi, horizon=rounds, epsilon=epsilon, variant="corrected"
        ),
        "semibandits/theorem_5": semibandits.theorem_5(
            n_arms=items, gap=gap, epsilon=epsilon, horizon=rounds, b_inf=float(size), variant="corrected"
        ),
        "semibandits/b_inf_dp": semibandits.b_inf_dp_lower(
            n_arms=items, gap=gap, epsilon=epsilon, horizon=rounds, b_inf=float(size), variant="corrected"
        ),
        "definitions": (1 - 1 / size) * gap,
        "definitions/local": definitions.theorem_4(means=bernoulli, horizon=rounds, epsilon=epsilon, variant="derived"),
        "definitions/theorem_4": definitions.theorem_4(means=bernoulli, horizon=rounds, epsilon=epsilon),
        "definitions/central": replacements.central_lower(means=bernoulli, horizon=rounds, epsilon=epsilon),
        "definitions/azize_basu": replacements.azize_basu(means=bernoulli, horizon=rounds, epsilon=epsilon),
        "definitions/local_minimax": replacements.local_minimax(n_arms=size, horizon=rounds, epsilon=epsilon),
        "definitions/central_minimax": replacements.central_minimax(n_arms=size, horizon=rounds, epsilon=epsilon),
        "contextual": 2.0,
        "contextual/theorem_6": contextual.theorem_6(problem=ball, horizon=rounds, epsilon=epsilon, delta=delta),
        "contextual/theorem_6-tuned": contextual.theorem_6(
            problem=ball, horizon=rounds, epsilon=epsilon, delta=delta, step="tuned"
        ),
        "contextual/theorem_8": contextual.theorem_8(
            dim=size, horizon=rounds, epsilon=epsilon, delta=delta, variant="rate"
        ),
        "contextual/local_lower": contextual.local_lower(horizon=rounds, epsilon=epsilon),
        "heavy_tailed": (1 - 1 / size) * gap,
    }
    if epsilon <= 1:
        law = {"means": tailed, "v": v, "u": 1.0, "epsilon": epsilon, "horizon": rounds}
        hard = {"n_arms": size, "gap": gap, "v": v, "epsilon": epsilon, "horizon": rounds}
        found |= {
            "heavy_tailed/dp": heavy.dp_upper(**law, variant="corrected"),
            "heavy_tailed/dp-printed": heavy.dp_upper(**law),
            "heavy_tailed/ldp": heavy.ldp_upper(**law, variant="corrected"),
            "heavy_tailed/ldp-printed": heavy.ldp_upper(**law),
            "heavy_tailed/dp_lower": heavy.dp_lower(**hard, variant="corrected"),
            "heavy_tailed/ldp_lower": heavy.ldp_lower(**hard, variant="corrected"),
        }
    return found


def _without_privacy(instance: dict[str, Any]) -> dict[str, float]:
    """What is left at epsilon = infinity, or the bound without privacy that the statement has beside it."""
    free = {f"{name}/rest": value for name, value in _library(instance, math.inf).items() if "/" in name}
    size, gap, rounds, v = (instance[key] for key in ("K", "gap", "T", "v"))
    bernoulli, tailed = [0.5] + [0.5 - gap] * (size - 1), [1.0] + [1.0 - gap] * (size - 1)
    free["contextual/local_lower/rest"] = 0.0  # a price of privacy alone
    free["definitions/theorem_4/rest"] = replacements.lai_robbins(means=bernoulli, horizon=rounds)
    free["cascading/theorem_11/rest"] = cascading.kveton_lower(
        n_arms=instance["m"], list_size=size, p=0.5, gap=gap, horizon=rounds
    )
    for name in ("dp", "ldp", "dp-printed", "ldp-printed"):
        variant = "printed" if name.endswith("printed") else "corrected"
        free[f"heavy_tailed/{name}/rest"] = heavy.robust_ucb_upper(
            means=tailed, v=v, u=1.0, horizon=rounds, variant=variant
        )
    return free


def test_the_explorers_bounds_are_those_of_the_library() -> None:
    asked = [(instance, epsilon) for instance in INSTANCES for epsilon in EPSILONS]
    for (instance, epsilon), shown in zip(asked, ask(*(("theorems", *one) for one in asked)), strict=True):
        wanted = _library(instance, epsilon) | _without_privacy(instance)
        apart = {key: (shown[key], value) for key, value in wanted.items() if not _same(shown[key], value)}
        assert apart == {}, (instance, epsilon)
        # above epsilon = 1 these have no statement
        assert {key.removesuffix("/rest") for key in set(shown) - set(wanted)} <= HEAVY, "a bound without a check"


def test_the_private_term_overtakes_where_it_is_half_of_the_bound() -> None:
    named = [("contextual", "theorem_6-tuned"), ("semibandits", "theorem_4"), ("cascading", "first")]
    for epsilon, whole, rest in ask(*(("overtakes", *one, INSTANCES[0]) for one in named)):
        assert 1e-6 < epsilon < 1e6 and math.isclose(whole - rest, rest, rel_tol=1e-6)


HEAVY = {f"heavy_tailed/{name}" for name in ("dp", "dp-printed", "ldp", "ldp-printed", "dp_lower", "ldp_lower")}


def _same(shown: float | None, value: float) -> bool:
    return shown is not None and math.isclose(shown, value, rel_tol=1e-9, abs_tol=1e-12)

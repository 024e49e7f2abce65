"""What the laboratory offers, as the library makes it: problems, policies and random parameters, a chapter each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.papers.cascading.uniform_play import uniform
from private_bandits.papers.contextual.instances import convex

Values = dict[str, Any]


class Chapter(NamedTuple):
    """What a chapter of the laboratory is in the library."""

    policies: dict[str, Callable[[Values], Any]]
    problem: Callable[[Values, Any], Any]
    values: Callable[[np.random.Generator], Values]
    fits: Callable[[str, Values], bool] = lambda name, values: True


def _cascading(rng: np.random.Generator) -> Values:
    size = int(rng.integers(1, 6))
    p = rng.uniform(0.05, 0.95)
    return {
        "epsilon": math.exp(rng.uniform(-1.5, 2.5)),
        "delta": 10.0 ** rng.uniform(-8, -1),
        "n_arms": size + int(rng.integers(1, 12)),
        "list_size": size,
        "p": p,
        "gap": rng.uniform(0.02, 0.98) * p,
        "horizon": int(rng.integers(1, 1500)),
    }


def _of(make: Callable[..., Any], *names: str, **options: Any) -> Callable[[Values], Any]:
    return lambda values: make(**{name: values[name] for name in names}, **options)


CASCADING: dict[str, Callable[[Values], Any]] = {
    "cascade-ucb1": _of(cascading.cascade_ucb1),
    "cascade-ucb1-least-first": _of(cascading.cascade_ucb1, least_first=True),
    "first": _of(cascading.repaired_local, "epsilon", "list_size"),
    "padded-laplace": _of(cascading.repaired_padded, "epsilon", "list_size"),
    "padded-gaussian": _of(cascading.repaired_padded, "epsilon", "list_size", "delta"),
    "padded-displays": _of(cascading.repaired_padded, "epsilon", "list_size", over="displays"),
    "cucb": _of(cascading.cucb_gaussian, "delta", "n_arms", "list_size", epsilon=math.inf),
    "cucb-gaussian-repaired": _of(
        cascading.cucb_gaussian, "epsilon", "delta", "n_arms", "list_size", variant="repaired"
    ),
    "uniform": _of(uniform),
}
for _design in ("keep", "forget", "counter"):
    CASCADING[f"blocks-{_design}"] = _of(
        cascading.repaired_central, "epsilon", "n_arms", "list_size", "horizon", design=_design
    )
for _noise, _factor in (("stated", 1.0), ("published", 0.01)):
    _factored = {"noise_multiplier": _factor}
    CASCADING |= {
        f"laplace-{_noise}": _of(cascading.ucb_laplace, "epsilon", "list_size", **_factored),
        f"gaussian-{_noise}": _of(cascading.ucb_gaussian, "epsilon", "delta", "list_size", **_factored),
        f"composition-{_noise}": _of(cascading.ucb_composition, "epsilon", "delta", "list_size", **_factored),
        f"hybrid-{_noise}": _of(cascading.ucb_hybrid, "epsilon", "n_arms", "horizon", **_factored),
        f"hybrid-proof-{_noise}": _of(
            cascading.ucb_hybrid, "epsilon", "n_arms", "horizon", variant="proof", **_factored
        ),
        f"cucb-gaussian-{_noise}": _of(cascading.cucb_gaussian, "epsilon", "delta", "n_arms", "list_size", **_factored),
    }


def _cascading_problem(values: Values, policy: Any) -> Any:
    make = cascading.b_lb_semi if getattr(policy.record, "semi_bandit", False) else cascading.b_lb
    return make(values["n_arms"], values["list_size"], values["p"], values["gap"])


def _semibandits(rng: np.random.Generator) -> Values:
    family, size = str(rng.choice(["top-K", "windows", "K-path"])), int(rng.integers(1, 5))
    others = size * int(rng.integers(1, 4)) if family == "K-path" else int(rng.integers(1, 9))
    return {
        "family": family,
        "epsilon": math.exp(rng.uniform(-1, 4)),
        "n_arms": size + others,
        "list_size": size,
        "gap": rng.uniform(0.01, 0.34) * (size if family == "K-path" else 1),
        "horizon": int(rng.integers(2, 3000)),
    }


SEMIBANDITS: dict[str, Callable[[Values], Any]] = {
    "cucb": _of(semibandits.cucb),
    "cucb-least": _of(semibandits.cucb, update="least"),
    "hypercube": _of(semibandits.cucb_hypercube, "epsilon", "list_size", "horizon"),
    "radius": _of(semibandits.super_arm_radius, "epsilon", "horizon"),
}
for _variant in semibandits.VARIANTS:
    _given = {"variant": _variant}
    SEMIBANDITS |= {
        f"ldp1-{_variant}": _of(semibandits.cucb_ldp1, "epsilon", "list_size", "horizon", **_given),
        f"ldp2-{_variant}": _of(semibandits.cucb_ldp2, "epsilon", "horizon", **_given),
        f"dp-{_variant}": _of(semibandits.cucb_dp, "epsilon", "list_size", "n_arms", "horizon", **_given),
        f"dp-least-{_variant}": _of(
            semibandits.cucb_dp_least_pulled, "epsilon", "list_size", "n_arms", "horizon", **_given
        ),
    }


def _semibandits_problem(values: Values, _policy: Any) -> Any:
    family, arms, size, gap = (values[name] for name in ("family", "n_arms", "list_size", "gap"))
    if family == "windows":
        return semibandits.separated("windows", others=arms - size, list_size=size, distance=gap)
    return {"top-K": semibandits.top_k, "K-path": semibandits.k_path}[family](arms, size, gap)


def _listed(name: str, values: Values) -> bool:
    return name != "radius" or values["family"] != "top-K"


def _heavy_tailed(rng: np.random.Generator) -> Values:
    v = rng.uniform(0.3, 1.0)
    return {
        "setting": int(rng.integers(1, 4)),
        "epsilon": math.exp(rng.uniform(-2, 1)),
        "v": v,
        "beta": 10.0 ** rng.uniform(-15, -1),
        "spare_shape": rng.uniform(0.01, 1.0),
        "horizon": int(10 ** rng.uniform(*((2, 3.5) if rng.random() < 0.5 else (4, 15)))),
    }


def _heavy_tailed_problem(values: Values, _policy: Any = None) -> Any:
    return heavy_tailed.setting(values["setting"], values["v"], 1.0 + values["v"] + values["spare_shape"])


def _told(make: Callable[..., Any], *names: str, **options: Any) -> Callable[[Values], Any]:
    """A policy that is told the true moment."""
    return lambda values: make(
        u=_heavy_tailed_problem(values).moment(values["v"]), **{name: values[name] for name in names}, **options
    )


HEAVY_TAILED = {
    "robust-se": _told(heavy_tailed.robust_se, "v", "beta"),
    "dp-se": _told(heavy_tailed.dp_robust_se, "epsilon", "v", "beta"),
    "dp-se-small": _told(heavy_tailed.dp_robust_se, "epsilon", "v", "beta", c=4.0),
    "ldp-se": _told(heavy_tailed.ldp_robust_se, "epsilon", "v", "beta"),
    "ldp-se-small": _told(heavy_tailed.ldp_robust_se, "epsilon", "v", "beta", c=8.0),
    "ldp-se-slides": _told(heavy_tailed.ldp_robust_se, "epsilon", "v", "beta", variant="slide_rate"),
    "robust-ucb": _told(heavy_tailed.robust_ucb, "v", "horizon"),
    "dp-ucb": _told(heavy_tailed.dp_robust_ucb, "epsilon", "v", "horizon"),
    "dp-ucb-small": _told(heavy_tailed.dp_robust_ucb, "epsilon", "v", "horizon", c=1.0),
}


def _short(name: str, values: Values) -> bool:
    return not name.endswith("ucb") and not name.endswith("ucb-small") or values["horizon"] < 4000


def _contextual(rng: np.random.Generator) -> Values:
    return {
        "kind": str(rng.choice(["distance", "quadratic"])),
        "epsilon": math.exp(rng.uniform(-1, 4)),
        "delta": 10.0 ** rng.uniform(-8, -1),
        "horizon": int(rng.integers(2, 1500)),
    }


def _convex(values: Values, _policy: Any = None) -> Any:
    return convex(values["kind"])


def _two_point(noise: str, step: str) -> Callable[[Values], Any]:
    def make(values: Values) -> Any:
        given = {"epsilon": values["epsilon"], "delta": values["delta"], "calibration": noise}
        if noise == "none":
            given = {"epsilon": math.inf, "delta": values["delta"]}
        if noise == "laplace":
            given = {"epsilon": values["epsilon"], "noise": "laplace"}
        return contextual.two_point(problem=_convex(values), horizon=values["horizon"], step=step, **given)

    return make


CONTEXTUAL = {
    f"{noise}-{step}": _two_point(noise, step)
    for noise in ("none", "classical", "analytic", "laplace")
    for step in ("printed", "tuned", "strong")
}


def _steep(name: str, values: Values) -> bool:
    return not name.endswith("strong") or values["kind"] == "quadratic"


CHAPTERS = {
    "cascading": Chapter(CASCADING, _cascading_problem, _cascading),
    "semibandits": Chapter(SEMIBANDITS, _semibandits_problem, _semibandits, _listed),
    "convex": Chapter(CONTEXTUAL, _convex, _contextual, _steep),
    "heavy_tailed": Chapter(HEAVY_TAILED, _heavy_tailed_problem, _heavy_tailed, _short),
}

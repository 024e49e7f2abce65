"""What the laboratory offers, as the library makes it: problems, policies and random parameters, a chapter each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from private_bandits.papers import cascading
from private_bandits.papers.cascading.uniform_play import uniform

Values = dict[str, Any]


class Chapter(NamedTuple):
    """What a chapter of the laboratory is in the library."""

    policies: dict[str, Callable[[Values], Any]]
    problem: Callable[[Values, Any], Any]
    values: Callable[[np.random.Generator], Values]


def _cascading(rng: np.random.Generator) -> Values:
    size = int(rng.integers(1, 6))
    p = rng.uniform(0.05, 0.95)
    return {
        "epsilon": math.exp(rng.uniform(-1.5, 2.5)),
        "delta": 10.0 ** rng.uniform(-8, -1),
        "n_items": size + int(rng.integers(1, 12)),
        "list_size": size,
        "p": p,
        "gap": rng.uniform(0.02, 0.98) * p,
        "horizon": int(rng.integers(1, 3000)),
    }


def _of(make: Callable[..., Any], *names: str, **options: Any) -> Callable[[Values], Any]:
    return lambda values: make(*(values[name] for name in names), **options)


CASCADING: dict[str, Callable[[Values], Any]] = {
    "cascade-ucb1": _of(cascading.cascade_ucb1),
    "cascade-ucb1-least-first": _of(cascading.cascade_ucb1, least_first=True),
    "first": _of(cascading.repaired_local, "epsilon", "list_size"),
    "reply": _of(cascading.repaired_local, "epsilon", "list_size", design="reply"),
    "padded-laplace": _of(cascading.repaired_padded, "epsilon", "list_size"),
    "padded-gaussian": _of(cascading.repaired_padded, "epsilon", "list_size", "delta"),
    "padded-displays": _of(cascading.repaired_padded, "epsilon", "list_size", over="displays"),
    "cucb": lambda v: cascading.cucb_gaussian(math.inf, v["delta"], v["n_items"], v["list_size"]),
    "cucb-gaussian-repaired": _of(
        cascading.cucb_gaussian, "epsilon", "delta", "n_items", "list_size", variant="repaired"
    ),
    "uniform": _of(uniform),
}
for _design in ("keep", "forget", "counter"):
    CASCADING[f"blocks-{_design}"] = _of(
        cascading.repaired_central, "epsilon", "n_items", "list_size", "horizon", design=_design
    )
for _noise, _factor in (("stated", 1.0), ("published", 0.01)):
    _factored = {"noise_multiplier": _factor}
    CASCADING |= {
        f"laplace-{_noise}": _of(cascading.ucb_laplace, "epsilon", "list_size", **_factored),
        f"gaussian-{_noise}": _of(cascading.ucb_gaussian, "epsilon", "delta", "list_size", **_factored),
        f"composition-{_noise}": _of(cascading.ucb_composition, "epsilon", "delta", "list_size", **_factored),
        f"hybrid-{_noise}": _of(cascading.ucb_hybrid, "epsilon", "n_items", "horizon", **_factored),
        f"hybrid-proof-{_noise}": _of(
            cascading.ucb_hybrid, "epsilon", "n_items", "horizon", variant="proof", **_factored
        ),
        f"cucb-gaussian-{_noise}": _of(
            cascading.cucb_gaussian, "epsilon", "delta", "n_items", "list_size", **_factored
        ),
    }


def _cascading_problem(values: Values, policy: Any) -> Any:
    make = cascading.b_lb_semi if getattr(policy.record, "semi_bandit", False) else cascading.b_lb
    return make(values["n_items"], values["list_size"], values["p"], values["gap"])


CHAPTERS = {"cascading": Chapter(CASCADING, _cascading_problem, _cascading)}

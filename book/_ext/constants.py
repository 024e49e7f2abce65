"""The constants of the laboratory and the explorer, read off the library's records, as a module of theirs.

It is committed, as tests run the modules without a build; `python book/_ext/constants.py` writes it anew.
"""

from __future__ import annotations

import json
import math
from itertools import groupby
from pathlib import Path
from typing import Any

from private_bandits.mechanisms import lemma_1_constant
from private_bandits.papers import cascading, heavy_tailed, semibandits
from private_bandits.papers.contextual.instances import convex

HORIZON, DELTA, V = 1024, 0.5, 1.0  # at which records are read; epsilon, sizes and moments are 1


def module() -> str:
    """Return the module."""
    made = {
        "CASCADING": _cascading(),
        "SEMIBANDITS": _semibandits(),
        "CONVEX": _convex(),
        "HEAVY_TAILED": _heavy_tailed(),
    }
    lines = [f"export const {name} = {json.dumps(_plain(values))};\n" for name, values in made.items()]
    return "".join(["// Made from the library's records by book/_ext/constants.py: change nothing here.\n", *lines])


def _cascading() -> dict[str, Any]:
    laplace = cascading.ucb_laplace(1.0, list_size=1).record
    gaussian = cascading.ucb_gaussian(1.0, delta=DELTA, list_size=1).record
    hybrid = cascading.ucb_hybrid(1.0, n_arms=1, horizon=HORIZON, variant="proof").record
    semi = cascading.cucb_gaussian(1.0, delta=DELTA, n_arms=1, list_size=1).record
    scales = {
        one.variant: one.record.scale for name, one in cascading.algorithms(1.0, delta=1e-3) if name == "algorithm_2"
    }
    designs = ("keep", "forget", "counter")
    blocks = {
        design: cascading.repaired_central(1.0, n_arms=1, list_size=1, horizon=HORIZON, design=design).record
        for design in designs
    }
    return {
        "sampling": laplace.terms[0],
        "laplace": laplace.terms[1][0] / laplace.scale**2,
        "gaussian": gaussian.terms[1] / gaussian.scale**2,
        "composition": cascading.ucb_composition(1.0, delta=DELTA, list_size=1).record.scale ** 2
        / math.log(math.e + 1.0 / DELTA),
        "lemma": lemma_1_constant(),
        "hybrid": hybrid.bonus_scale / hybrid.scale / lemma_1_constant(),
        "semi": semi.terms[1][0] / semi.scale**2,
        "published": scales["published"] / scales["stated"],
        "least": blocks["keep"].least,
        "growth": {design: record.growth for design, record in blocks.items()},
    }


def _semibandits() -> dict[str, Any]:
    variants = semibandits.VARIANTS
    printed, repaired = (semibandits.cucb_ldp1(1.0, list_size=1, variant=variant).record for variant in variants)
    tree = semibandits.cucb_dp(1.0, list_size=1, n_arms=1, horizon=HORIZON).record
    log = math.log(HORIZON)
    sampling = semibandits.cucb().record.terms[0]
    return {
        "sampling": sampling,
        "cap": tree.cap,
        "printed": printed.terms[0][0],
        "square": repaired.terms[0][0] - sampling[0],
        "linear": repaired.bonus_scale,
        "tree": {
            "scale": tree.scale / math.log2(HORIZON),
            "square": tree.terms[0][1] / log,
            "linear": tree.bonus_scale / log**3,
        },
    }


def _convex() -> dict[str, Any]:
    problems = {kind: convex(kind) for kind in ("distance", "quadratic")}
    anchors = {kind: problem.anchors for kind, problem in problems.items()}
    schedule = [(which, len([*run])) for which, run in groupby(problems["distance"].schedule)]
    return {"schedule": schedule, "anchors": anchors}


def _heavy_tailed() -> dict[str, Any]:
    free, central = (
        heavy_tailed.robust_se(v=V, u=1.0, beta=DELTA).record,
        heavy_tailed.dp_robust_se(1.0, v=V, u=1.0, beta=DELTA).record,
    )
    local = heavy_tailed.ldp_robust_se(1.0, v=V, u=1.0, beta=DELTA).record
    ucb, tree = (
        heavy_tailed.robust_ucb(v=V, u=1.0, horizon=HORIZON).record,
        heavy_tailed.dp_robust_ucb(1.0, v=V, u=1.0, horizon=HORIZON).record,
    )
    slack = (math.log(HORIZON) ** (1.5 + 1.0 / V)) ** (V / (1.0 + V))
    return {
        "means": {number: heavy_tailed.setting(number, V).means for number in (1, 2, 3)},
        "elimination": {
            name: {"c": 2.0 * record.terms[0][3], "inside": record.terms[0][1]}
            for name, record in {"free": free, "central": central, "local": local}.items()
        },
        "ucb": {"free": ucb.factor, "tree": tree.factor / slack},
        "tail": [tree.alpha, tree.beta],
    }


def _plain(value: Any) -> Any:
    """Return what JSON writes; a number without what rounding left of it."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    value = float(f"{value:.15g}")
    return int(value) if value.is_integer() else value


if __name__ == "__main__":
    (Path(__file__).parents[1] / "_lab" / "constants.js").write_text(module(), encoding="utf-8")

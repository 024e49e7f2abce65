"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from private_bandits.estimates import mean_interval
from private_bandits.kernels import index
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers import cascading as boxes
from private_bandits.papers.cascading import bounds
from private_bandits.papers.cascading.instances import b_lb, b_lb_semi, length_channel, one_hot_replies, round_leaves
from private_bandits.papers.cascading.repair_first import first_channel
from private_bandits.papers.cascading.repair_reply import reply_channel
from private_bandits.policy import Policy
from private_bandits.privacy import channel_loss, sensitivity
from private_bandits_book.cascading.experiments import LEARNING_HORIZON, PUBLISHED, Experiments, finals
from private_bandits_book.studies import Panel, Run

_NOISE = {index.EXACT: "none", index.LAPLACE: "Laplace", index.GAUSSIAN: "Gaussian"} | {
    index.RESPONSE: "randomised response",
    index.HYBRID: "hybrid counter",
}
_REPORTS = {index.ALL: "all observed", index.FIRST: "the first item", index.NOTHING: "nothing"}


def policies(setting: Experiments, epsilon: float) -> list[Policy]:
    """Return every algorithm of the chapter at one epsilon, in the order of the page."""
    size, n_items, horizon, delta = setting.list_size, setting.n_items, setting.horizon, setting.delta
    return [
        boxes.cascade_ucb1(),
        *(boxes.ucb_hybrid(epsilon, n_items, horizon, variant=variant) for variant in ("printed", "proof")),
        boxes.ucb_laplace(epsilon, size),
        boxes.ucb_gaussian(epsilon, delta, size),
        boxes.ucb_composition(epsilon, delta, size),
        boxes.cucb_gaussian(epsilon, delta, n_items, size),
        boxes.cucb_gaussian(epsilon, delta, n_items, size, variant="repaired"),
        boxes.repaired_local(epsilon, size),
        boxes.repaired_central(epsilon, n_items, size, horizon),
    ]


def records(setting: Experiments, epsilon: float) -> pd.DataFrame:
    """Return the constants that the index kernel reads, a row per box."""
    rows = []
    for policy in policies(setting, epsilon):
        record = policy.record
        assert isinstance(record, index.Record)
        rows.append(
            {
                "box": policy.algorithm,
                "policy": policy.name,
                "a": " + ".join(_term(alpha, beta) for alpha, beta in record.terms),
                "b": _bonus(record),
                "noise": _NOISE[record.noise],
                "scale": _scale(record),
                "reports": _REPORTS[record.reports],
                "w_0": "in clear" if record.observe_first else "none",
            }
        )
    return pd.DataFrame(rows)


def paid(setting: Experiments, epsilons: list[float]) -> pd.DataFrame:
    """Return what every algorithm and reading pays: a row each, with its values' loss at each nominal epsilon."""
    rows = []
    for versions in zip(*(_readings(setting, epsilon) for epsilon in epsilons), strict=True):
        privacy = versions[0].privacy
        kept = all(v.privacy.effective_epsilon <= e * (1 + 1e-9) for v, e in zip(versions, epsilons, strict=True))
        rows.append(
            {"policy": versions[0].name, "reading": versions[0].variant, "trust": privacy.trust}
            | {f"values_at_{e:g}": v.privacy.value_epsilon for v, e in zip(versions, epsilons, strict=True)}
            | {"everything": "ε" if kept else "∞", "reason": privacy.reason}
        )
    return pd.DataFrame(rows)


def repairs(sizes: list[int], epsilon: float) -> pd.DataFrame:
    """Return what the proofs of the repairs need, by enumeration over all replies, a row per list size."""
    return pd.DataFrame(
        {
            "list_size": size,
            "length_loss": channel_loss(length_channel(size)),
            "first_loss": channel_loss(first_channel(response_probabilities(epsilon, 2)[1], size)),
            "reply_loss": channel_loss(reply_channel(response_probabilities(epsilon, size + 1)[1], size)),
            "one_hot": sensitivity(one_hot_replies(size), order=1),
            "round_leaves": sensitivity(round_leaves(size), order=1),
        }
        for size in sizes
    )


def designs(panel: Panel) -> pd.DataFrame:
    """Return the local repairs side by side, a row per list size and epsilon."""
    frame = finals(panel)
    table = frame.pivot(index=["list_size", "epsilon"], columns="reading", values="regret").reset_index()
    names = ["first", "reply", "one_hot"]
    return table[["list_size", "epsilon", *names]].assign(best=table[names].idxmin(axis=1)).rename_axis(columns=None)


def upper_bounds(setting: Experiments, epsilon: float) -> pd.DataFrame:
    """Return every theorem's bound in all its variants at two horizons, beside uniform play."""
    cascade = b_lb(setting.n_items, setting.list_size, setting.p, setting.gap)
    semi = b_lb_semi(setting.n_items, setting.list_size, setting.p, setting.gap)
    line = (setting.n_items, setting.list_size, setting.p, setting.gap)
    delta = setting.delta
    functions: dict[tuple[str, str], Callable[[int], float]] = {
        ("Theorem 2", "printed, ξ = 0.5"): lambda t: bounds.theorem_2(cascade, t, epsilon),
        ("Theorem 2", "proof, ξ = 0.5"): lambda t: bounds.theorem_2(cascade, t, epsilon, variant="proof"),
        ("Theorem 2", "corrected"): lambda t: bounds.theorem_2(cascade, t, epsilon, variant="corrected"),
        ("Theorem 4", "printed"): lambda t: bounds.theorem_4(cascade, t, epsilon),
        ("Theorem 4", "corrected"): lambda t: bounds.theorem_4(cascade, t, epsilon, "corrected"),
        ("Theorem 6", "printed"): lambda t: bounds.theorem_6(cascade, t, epsilon, delta),
        ("Theorem 6", "corrected"): lambda t: bounds.theorem_6(cascade, t, epsilon, delta, "corrected"),
        ("Theorem 8", "derived"): lambda t: bounds.theorem_8(cascade, t, epsilon, delta),
        ("Theorem 10", "printed"): lambda t: bounds.theorem_10(semi, t, epsilon, delta),
        ("Theorem 10", "proof"): lambda t: bounds.theorem_10(semi, t, epsilon, delta, "proof"),
        ("Theorem 10", "corrected"): lambda t: bounds.theorem_10(semi, t, epsilon, delta, "corrected"),
        ("Theorem 11", "printed"): lambda t: bounds.theorem_11(*line, t, epsilon),
        ("Theorem 11", "corrected"): lambda t: bounds.theorem_11(*line, t, epsilon, "corrected"),
        ("Theorem 12", "printed"): lambda t: bounds.theorem_12(*line, t, epsilon),
        ("Theorem 12", "corrected"): lambda t: bounds.theorem_12(*line, t, epsilon, "corrected"),
    }
    rows = []
    for (theorem, variant), bound in functions.items():
        problem = semi if theorem == "Theorem 10" else cascade
        kind = "lower" if theorem in ("Theorem 11", "Theorem 12") else "upper"
        row: dict[str, str | float] = {"theorem": theorem, "variant": variant, "kind": kind, "epsilon": epsilon}
        for name, t in (("at_horizon", setting.horizon), ("at_long", LEARNING_HORIZON)):
            row[name] = bound(t)
            row[f"{name}_over_uniform"] = bound(t) / (problem.uniform_regret() * t)
        rows.append(row)
    return pd.DataFrame(rows)


def exponents(values: tuple[float, ...] = (0.5, 0.2, 0.1, 0.05)) -> pd.DataFrame:
    """Return what Theorem 2 needs for its xi: the smallest B = 6 c_1 L ln T / (epsilon gap), as a power of 10."""
    return pd.DataFrame({"xi": values, "log10_b": [bounds.smallest_base(xi) / math.log(10) for xi in values]})


def anchor(run: Run) -> pd.DataFrame:
    """Return our CascadeUCB1 beside the published one."""
    found = mean_interval(run.final)
    return pd.DataFrame(
        [
            {"source": "Kveton et al. (2015), 20 runs, T = 100000", "regret": 986.8, "regret_se": 10.8},
            {
                "source": f"here, {len(run.final)} runs, T = {int(run.data.t[-1])}",
                "regret": found.measured,
                "regret_se": found.se,
            },
        ]
    )


def _readings(setting: Experiments, epsilon: float) -> list[Policy]:
    size, n_items, horizon, delta = setting.list_size, setting.n_items, setting.horizon, setting.delta
    rows = []
    for factor in (PUBLISHED, 1.0):
        rows += [
            boxes.ucb_laplace(epsilon, size, factor),
            boxes.ucb_gaussian(epsilon, delta, size, factor),
            boxes.ucb_composition(epsilon, delta, size, factor),
            boxes.ucb_hybrid(epsilon, n_items, horizon, factor),
            boxes.cucb_gaussian(epsilon, delta, n_items, size, factor),
        ]
    return [
        *rows,
        boxes.cucb_gaussian(epsilon, delta, n_items, size, variant="repaired"),
        boxes.repaired_local(epsilon, size),
        boxes.repaired_central(epsilon, n_items, size, horizon),
    ]


def _term(alpha: float, beta: float) -> str:
    inside = f"{alpha:.4g} ln t" + (f" + {beta:.4g}" if beta else "")
    return f"√({inside})"


def _bonus(record: index.Record) -> str:
    scale = f"{record.bonus_scale:.4g}"
    return {
        index.NO_BONUS: "0",
        index.FLAT_BONUS: f"{scale} ln t",
        index.PULLS_BONUS: f"{scale} ln t · ln^1.5 n",
        index.SPREAD_BONUS: f"{scale} × tail bound of the counter",
    }[record.bonus]


def _scale(record: index.Record) -> str:
    if record.noise == index.RESPONSE:
        return f"false with probability {record.other:.4g}"
    return "" if record.noise == index.EXACT else f"{record.scale:.4g}"

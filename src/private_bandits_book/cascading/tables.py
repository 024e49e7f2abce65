"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from private_bandits.estimates import mean_interval
from private_bandits.kernels import index
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.cascading import (
    b_lb_semi,
    bounds,
    cascade_ucb1,
    cucb_gaussian,
    repaired_central,
    repaired_local,
    ucb_composition,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
)
from private_bandits.papers.cascading.instances import length_channel, one_hot_replies, round_leaves
from private_bandits.papers.cascading.repair_first import first_channel
from private_bandits.papers.cascading.repair_reply import reply_channel
from private_bandits.policy import Policy
from private_bandits.privacy import channel_loss, sensitivity
from private_bandits_book.cascading.rules import growth_fits
from private_bandits_book.cascading.study import LEARNING_HORIZON, PUBLISHED, Study, learning_times
from private_bandits_book.exhibits import Exhibits, Table

tables = Exhibits()

_NOISE = {index.EXACT: "none", index.LAPLACE: "Laplace", index.GAUSSIAN: "Gaussian"} | {
    index.RESPONSE: "randomised response",
    index.HYBRID: "hybrid counter",
}
_REPORTS = {index.ALL: "all observed", index.FIRST: "the first item", index.NOTHING: "nothing"}
_KVETON = {"source": "Kveton et al. (2015), 20 runs, T = 100000", "regret": 986.8, "regret_se": 10.8}


@tables("table-anchor")
def anchor(study: Study) -> Table:
    """Our CascadeUCB1 beside the published one."""
    run = study.anchor
    found = mean_interval(run.final)
    here = f"here, {len(run.final)} runs, T = {int(run.data.t[-1])}"
    return Table(
        pd.DataFrame([_KVETON, {"source": here, "regret": found.measured, "regret_se": found.se}]),
        "CascadeUCB1 on $B_{LB}(16, 4, 0.2, 0.15)$, published and here.",
        {"source": "Run", "regret": "Regret", "regret_se": "Standard error"},
        {"regret": ".1f", "regret_se": ".1f"},
    )


@tables("table-boxes")
def records(study: Study) -> Table:
    """The constants that the index kernel reads, a row per algorithm."""
    rows = []
    for policy in policies(study, study.epsilon):
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
    heads = {"policy": "Policy", "box": "Box", "a": "$a(t)$", "b": "$b(t, n)$", "noise": "Noise", "scale": "Scale"}
    return Table(
        pd.DataFrame(rows),
        f"The boxes as the kernel reads them, at $\\epsilon = {study.epsilon:g}$, stated noise.",
        heads | {"reports": "A user reports", "w_0": "$w_0$"},
    )


@tables("table-privacy")
def paid(study: Study) -> Table:
    """What every algorithm and variant pays."""
    columns = {f"values_at_{e:g}": f"$\\epsilon={e:g}$" for e in study.epsilons}
    return Table(
        paid_by(study, study.epsilons),
        "What the noise on the values alone pays over feasible replies at each nominal $\\epsilon$, and what "
        "everything pays.",
        {"policy": "Policy", "reading": "Reading", **columns, "everything": "Everything", "reason": "Why"},
        dict.fromkeys(columns, ".4g"),
    )


@tables("table-repairs")
def repairs(study: Study) -> Table:
    """What the proofs of the repairs need, by enumeration over all replies, a row per list size."""
    epsilon = study.epsilon
    frame = pd.DataFrame(
        {
            "list_size": size,
            "length_loss": channel_loss(length_channel(size)),
            "first_loss": channel_loss(first_channel(response_probabilities(epsilon, 2)[1], size)),
            "reply_loss": channel_loss(reply_channel(response_probabilities(epsilon, size + 1)[1], size)),
            "one_hot": sensitivity(one_hot_replies(size), order=1),
            "round_leaves": sensitivity(round_leaves(size), order=1),
        }
        for size in study.list_sizes
    )
    heads = {"list_size": "$K$", "length_loss": "Number of reports (printed)", "first_loss": "First item"}
    heads |= {"reply_loss": "Whole reply", "one_hot": "Sensitivity of a click vector"}
    return Table(
        frame,
        f"Exact privacy loss of the messages at $\\epsilon = {epsilon:g}$, and $L_1$ sensitivities, by enumeration.",
        heads | {"round_leaves": "Sensitivity of a round's leaves"},
        dict.fromkeys(heads, "g") | {"first_loss": ".10g", "reply_loss": ".10g", "round_leaves": "g"},
    )


@tables("table-local-designs")
def designs(study: Study) -> Table:
    """The local repairs side by side, a row per list size and epsilon."""
    frame = study.local_designs.finals()
    table = frame.pivot(index=["list_size", "epsilon"], columns="reading", values="regret").reset_index()
    names = {"first": "First item", "reply": "Whole reply, randomised", "one_hot": "Whole reply, Laplace"}
    ordered = table[["list_size", "epsilon", *names]].assign(best=table[[*names]].idxmin(axis=1))
    return Table(
        ordered.rename_axis(columns=None),
        "Regret of the local repairs, and the best of them.",
        {"list_size": "$K$", "epsilon": "$\\epsilon$", **names, "best": "Best"},
        {"list_size": "g", "epsilon": "g"} | dict.fromkeys(names, ",.0f"),
    )


@tables("table-learning")
def learning(study: Study) -> Table:
    """When each policy of the longer study starts to learn."""
    return Table(
        learning_times(study.learning),
        "The first round after which a policy loses, for good, less than half of what uniform play loses per "
        "round; and its regret at $T = 10^8$.",
        {
            "policy": "Policy",
            "epsilon": "Nominal $\\epsilon$",
            "effective_epsilon": "Everything pays",
            "learns_from": "Learns from round",
            "regret": "Regret",
            "over_uniform": "Over uniform play",
        },
        {"epsilon": "g", "effective_epsilon": "g", "learns_from": ",.0f", "regret": ",.0f", "over_uniform": ".3g"},
    )


@tables("table-growth")
def growth(study: Study) -> Table:
    """The measured exponents beside the claimed ones."""
    rows = pd.DataFrame([fit.row() for fit in growth_fits(study.growth)])
    heads = {"policy": "Policy", "quantity": "In", "claimed": "Claimed", "measured": "Measured"}
    return Table(
        rows[["policy", "quantity", "claimed", "measured", "low", "high"]],
        "Measured exponents with 95 % intervals, 5 runs, beside the claimed ones; the repaired algorithm has no claim.",
        heads | {"low": "Low", "high": "High"},
        {"claimed": "g", "measured": ".2f", "low": ".2f", "high": ".2f"},
    )


@tables("table-bounds")
def theorems(study: Study) -> Table:
    """Every theorem's bound in all its variants at two horizons, beside uniform play."""
    epsilon, delta, cascade = study.epsilons[-1], study.delta, study.problem()
    instance = (study.n_items, study.list_size, study.p, study.gap)
    semi = b_lb_semi(*instance)
    private = (epsilon, delta)
    listed: list[tuple[int, str, Callable[[int], float]]] = [
        (2, "printed, ξ = 0.5", lambda t: bounds.theorem_2(cascade, t, epsilon)),
        (2, "proof, ξ = 0.5", lambda t: bounds.theorem_2(cascade, t, epsilon, variant="proof")),
        (2, "corrected", lambda t: bounds.theorem_2(cascade, t, epsilon, variant="corrected")),
        (4, "printed", lambda t: bounds.theorem_4(cascade, t, epsilon)),
        (4, "corrected", lambda t: bounds.theorem_4(cascade, t, epsilon, "corrected")),
        (6, "printed", lambda t: bounds.theorem_6(cascade, t, *private)),
        (6, "corrected", lambda t: bounds.theorem_6(cascade, t, *private, "corrected")),
        (8, "derived", lambda t: bounds.theorem_8(cascade, t, *private)),
        (10, "printed", lambda t: bounds.theorem_10(semi, t, *private)),
        (10, "proof", lambda t: bounds.theorem_10(semi, t, *private, "proof")),
        (10, "corrected", lambda t: bounds.theorem_10(semi, t, *private, "corrected")),
        (11, "printed", lambda t: bounds.theorem_11(*instance, t, epsilon)),
        (11, "corrected", lambda t: bounds.theorem_11(*instance, t, epsilon, "corrected")),
        (12, "printed", lambda t: bounds.theorem_12(*instance, t, epsilon)),
        (12, "corrected", lambda t: bounds.theorem_12(*instance, t, epsilon, "corrected")),
    ]
    rows = []
    for number, variant, bound in listed:
        uniform = (semi if number == 10 else cascade).uniform_regret()
        row: dict[str, str | float] = {"theorem": f"Theorem {number}", "variant": variant}
        row |= {"kind": "lower" if number > 10 else "upper", "epsilon": epsilon}
        for name, t in (("at_horizon", study.horizon), ("at_long", LEARNING_HORIZON)):
            row |= {name: bound(t), f"{name}_over_uniform": bound(t) / (uniform * t)}
        rows.append(row)
    numbers = {
        "at_horizon": "At the horizon",
        "at_horizon_over_uniform": "Over uniform play",
        "at_long": "At $10^8$",
        "at_long_over_uniform": "Over uniform play there",
    }
    return Table(
        pd.DataFrame(rows),
        f"Every bound at $\\epsilon = {epsilon:g}$, at the horizon of the figures and at $T = 10^8$. An upper bound "
        "above uniform play is vacuous.",
        {"theorem": "Bound", "variant": "Variant", "kind": "Kind", **numbers},
        dict.fromkeys(numbers, ".3g"),
    )


@tables("table-xi")
def exponents(study: Study) -> Table:
    """What Theorem 2 needs for its xi: the smallest B = 6 c_1 L ln T / (epsilon gap), as a power of 10."""
    values = (0.5, 0.2, 0.1, 0.05)
    return Table(
        pd.DataFrame({"xi": values, "log10_b": [bounds.smallest_base(xi) / math.log(10) for xi in values]}),
        "What an exponent $1+\\xi$ costs: the smallest $B = 6c_1L\\ln T/(\\epsilon\\Delta)$ from which $B^{1+\\xi}$ "
        "covers the bonus of the proof.",
        {"xi": "$\\xi$", "log10_b": "$\\log_{10} B$"},
        {"xi": "g", "log10_b": ".1f"},
    )


def policies(study: Study, epsilon: float) -> list[Policy]:
    """Return every algorithm of the chapter at one epsilon, in the order of the page."""
    size, n_items, horizon, delta = study.list_size, study.n_items, study.horizon, study.delta
    return [
        cascade_ucb1(),
        *(ucb_hybrid(epsilon, n_items, horizon, variant=variant) for variant in ("printed", "proof")),
        ucb_laplace(epsilon, size),
        ucb_gaussian(epsilon, delta, size),
        ucb_composition(epsilon, delta, size),
        cucb_gaussian(epsilon, delta, n_items, size),
        *_repaired(study, epsilon),
    ]


def paid_by(study: Study, epsilons: list[float]) -> pd.DataFrame:
    """Return what every algorithm and variant pays: a row each, with its values' loss at each nominal epsilon."""
    rows = []
    for versions in zip(*(_versions(study, epsilon) for epsilon in epsilons), strict=True):
        privacy = versions[0].privacy
        kept = all(v.privacy.effective_epsilon <= e * (1 + 1e-9) for v, e in zip(versions, epsilons, strict=True))
        rows.append(
            {"policy": versions[0].name, "reading": versions[0].variant, "trust": privacy.trust}
            | {f"values_at_{e:g}": v.privacy.value_epsilon for v, e in zip(versions, epsilons, strict=True)}
            | {"everything": "ε" if kept else "∞", "reason": privacy.reason}
        )
    return pd.DataFrame(rows)


def _versions(study: Study, epsilon: float) -> list[Policy]:
    size, n_items, horizon, delta = study.list_size, study.n_items, study.horizon, study.delta
    rows = []
    for factor in (PUBLISHED, 1.0):
        rows += [
            ucb_laplace(epsilon, size, factor),
            ucb_gaussian(epsilon, delta, size, factor),
            ucb_composition(epsilon, delta, size, factor),
            ucb_hybrid(epsilon, n_items, horizon, factor),
            cucb_gaussian(epsilon, delta, n_items, size, factor),
        ]
    return rows + _repaired(study, epsilon)


def _repaired(study: Study, epsilon: float) -> list[Policy]:
    size, n_items = study.list_size, study.n_items
    return [
        cucb_gaussian(epsilon, study.delta, n_items, size, variant="repaired"),
        repaired_local(epsilon, size),
        repaired_central(epsilon, n_items, size, study.horizon),
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
        return f"false with probability {record.flip:.4g}"
    return "" if record.noise == index.EXACT else f"{record.scale:.4g}"

"""The tables of the chapter."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from scipy.optimize import brentq

from private_bandits.estimates import mean_interval
from private_bandits.kernels import index
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers import cascading as paper
from private_bandits.papers.cascading import bounds
from private_bandits.papers.cascading.instances import length_channel, one_hot_replies, padded_replies, reply_channel
from private_bandits.papers.cascading.repair_first import first_channel
from private_bandits.policy import Policy
from private_bandits.privacy import channel_loss, sensitivity
from private_bandits_book.cascading.rules import growth_fits
from private_bandits_book.cascading.study import (
    LEARNING_HORIZON,
    PUBLISHED,
    Study,
    learning_times,
    local_designs,
    local_policies,
)
from private_bandits_book.exhibits import Exhibits, Made, pivot, tabled

tables = Exhibits()

_NOISE = {index.EXACT: "none", index.LAPLACE: "Laplace", index.GAUSSIAN: "Gaussian"} | {
    index.RESPONSE: "randomised response",
    index.HYBRID: "hybrid counter",
}
_REPORTS = {index.ALL: "all observed", index.FIRST: "the first item", index.NOTHING: "nothing"}
_PAPERS = {"kveton2015": "Kveton et al., "}
_XI = 0.5
_KVETON = {"source": "Kveton et al. (2015), 20 runs, T = 100000", "regret": 986.8, "regret_se": 10.8}


@tables("table-anchor")
def anchor(study: Study) -> pd.DataFrame:
    """Our CascadeUCB1 beside the published one."""
    run = study.anchor
    found = mean_interval(run.final)
    here = f"here, {len(run.final)} runs, T = {int(run.data.t[-1])}"
    return pd.DataFrame([_KVETON, {"source": here, "regret": found.measured, "regret_se": found.se}])


@tables("table-boxes")
def records(study: Study) -> pd.DataFrame:
    """The constants that the index kernel reads, a row per algorithm."""
    rows = []
    for policy in policies(study, study.epsilon):
        record = policy.record
        if not isinstance(record, index.Record):  # blocks have a loop of their own
            continue
        rows.append(
            {
                "box": _PAPERS.get(policy.paper, "") + policy.algorithm,
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


@tables("table-repairs")
def repairs(study: Study) -> pd.DataFrame:
    """What the proofs of the repairs need, by enumeration over all replies, a row per list size."""
    epsilon = study.epsilon
    return pd.DataFrame(
        {
            "list_size": size,
            "length_loss": channel_loss(length_channel(size)),
            "first_loss": channel_loss(first_channel(response_probabilities(epsilon, 2)[1], size)),
            "reply_loss": channel_loss(reply_channel(response_probabilities(epsilon, size + 1)[1], size)),
            "one_hot": sensitivity(one_hot_replies(size), order=1),
            **{f"padded_l{order}": sensitivity(padded_replies(size), order=order) for order in (1, 2)},
        }
        for size in study.list_sizes
    )


@tables("table-local-designs")
def designs(study: Study) -> pd.DataFrame:
    """The local repairs side by side, a row per list size and epsilon."""
    frame = study.local_designs.finals()
    table = frame.pivot(index=["list_size", "epsilon"], columns="reading", values="regret").reset_index()
    names = list(local_designs(1.0, study.delta, 1))
    return table[["list_size", "epsilon", *names]].assign(best=table[names].idxmin(axis=1)).rename_axis(columns=None)


@tables("table-control")
def control(study: Study) -> pd.DataFrame:
    """Clicks per examination and per display, without noise."""
    table = pivot((dict(run.swept), run.variant, run.final.mean()) for run in study.control)
    return table.assign(ratio=table["displays"] / table["examinations"])


@tables("table-ablation")
def steps(study: Study) -> pd.DataFrame:
    """What each change of Algorithm 2 takes off its regret, a row per change and a column per epsilon."""
    return pivot(({"step": run.variant}, f"regret_at_{run.epsilon:g}", run.final.mean()) for run in study.ablation)


@tables("table-learning")
def learning(study: Study) -> pd.DataFrame:
    """When each policy of the longer study starts to learn."""
    return learning_times(study.learning).sort_values("epsilon", kind="stable", ignore_index=True)


@tables("table-growth")
def growth(study: Study) -> pd.DataFrame:
    """The measured exponents beside the claimed ones."""
    rows = pd.DataFrame([fit.row() for fit in growth_fits(study.growth)])
    return rows[["policy", "quantity", "claimed", "measured", "low", "high"]]


@tables("table-bounds")
def theorems(study: Study) -> Made:
    """Every theorem's bound at two horizons, beside uniform play; variants that agree to three digits share a row."""
    epsilon, cascade = study.epsilons[-1], study.problem()
    instance = (study.n_items, study.list_size, study.p, study.gap)
    semi = paper.b_lb_semi(*instance)
    alone, private = (epsilon,), (epsilon, study.delta)
    listed: list[tuple[int, str, Callable[..., float], tuple[Any, ...], tuple[float, ...]]] = [
        (2, "printed proof corrected", bounds.theorem_2, (cascade,), (*alone, _XI)),
        (4, "printed corrected", bounds.theorem_4, (cascade,), alone),
        (6, "printed corrected", bounds.theorem_6, (cascade,), private),
        (8, "", bounds.theorem_8, (cascade,), private),
        (10, "printed proof corrected", bounds.theorem_10, (semi,), private),
        (0, "", bounds.repaired_first_upper, (cascade,), alone),
        (0, "keep forget", bounds.repaired_blocks_upper, (cascade,), alone),
        (11, "printed corrected", bounds.theorem_11, instance, alone),
        (12, "printed corrected", bounds.theorem_12, instance, alone),
    ]
    rows: list[dict[str, Any]] = []
    for number, variants, bound, first, last in listed:
        uniform = (semi if number == 10 else cascade).uniform_regret()
        for variant in variants.split() or ["derived"]:
            chosen = () if variant == "derived" else (variant,)
            xi = f", ξ = {_XI:g}" if number == 2 and variant != "corrected" else ""
            name = f"Theorem {number}" if number else "Blocks" if variants else "One bit, first item"
            row: dict[str, Any] = {"theorem": name, "variant": variant + xi}
            row |= {"kind": "lower" if number > 10 else "upper", "epsilon": epsilon}
            for name, t in (("at_horizon", study.horizon), ("at_long", LEARNING_HORIZON)):
                value = bound(*first, t, *last, *chosen)
                row |= {name: value, f"{name}_over_uniform": value / (uniform * t)}
            alike = rows and rows[-1]["theorem"] == row["theorem"] and _digits(rows[-1]) == _digits(row)
            if alike:
                rows[-1]["variant"] = f"{rows[-1]['variant']}, {row['variant']}"
            else:
                rows.append(row)
    return tabled(pd.DataFrame(rows), epsilon=epsilon)


def _digits(row: dict[str, Any]) -> list[str]:
    return [f"{row[name]:.3g}" for name in ("at_horizon", "at_long")]


@tables("table-xi")
def exponents(study: Study) -> pd.DataFrame:
    """What Theorem 2 needs for its xi: the smallest B = 6 c_1 L ln T / (epsilon gap), as a power of 10."""
    values = (0.5, 0.2, 0.1, 0.05)
    return pd.DataFrame({"xi": values, "log10_b": [smallest_base(xi) / math.log(10) for xi in values]})


def smallest_base(xi: float) -> float:
    """Natural logarithm of the B from which B^xi >= ((1 + xi) ln B)^1.5 holds for good.

    The proof of Theorem 2 needs it to replace B ln^1.5 B by B^(1 + xi); "arbitrarily small xi" is bought with this.
    From xi = 1.5/(e - 1.5), about 1.23, it holds for every B > 1, and the logarithm is 0.

    Parameters
    ----------
    xi : float
        > 0.

    Returns
    -------
    float
        ln B >= 0.
    """
    if xi >= 1.5 / (math.e - 1.5):
        return 0.0

    def margin(log_b: float) -> float:
        return xi * log_b - 1.5 * math.log((1.0 + xi) * log_b)

    return float(brentq(margin, 1.5 / xi, 1e6 / xi))


def policies(study: Study, epsilon: float) -> list[Policy]:
    """Return every algorithm of the chapter at one epsilon, in the order of the page."""
    size, n_items, horizon, delta = study.list_size, study.n_items, study.horizon, study.delta
    return [
        paper.cascade_ucb1(),
        *(paper.ucb_hybrid(epsilon, n_items, horizon, variant=variant) for variant in ("printed", "proof")),
        *local_policies(epsilon, delta, size),
        paper.cucb_gaussian(epsilon, delta, n_items, size),
        *_repaired(study, epsilon),
    ]


@tables("table-privacy")
def paid(study: Study, epsilons: Sequence[float] = ()) -> pd.DataFrame:
    """What every algorithm and variant pays: a row each, with its values' loss at each nominal epsilon."""
    rows, epsilons = [], epsilons or study.epsilons
    for versions in zip(*(_versions(study, epsilon) for epsilon in epsilons), strict=True):
        privacy = versions[0].privacy
        certified = all(v.privacy.effective_epsilon <= e * (1 + 1e-9) for v, e in zip(versions, epsilons, strict=True))
        rows.append(
            {"policy": versions[0].name, "reading": list(filter(None, versions[0].variant))[-1], "trust": privacy.trust}
            | {f"values_at_{e:g}": v.privacy.value_epsilon for v, e in zip(versions, epsilons, strict=True)}
            | {"everything": "ε" if certified else "∞", "reason": privacy.reason}
        )
    return pd.DataFrame(rows)


def _versions(study: Study, epsilon: float) -> list[Policy]:
    size, n_items, horizon, delta = study.list_size, study.n_items, study.horizon, study.delta
    rows = []
    for factor in (PUBLISHED, 1.0):
        rows += [
            *local_policies(epsilon, delta, size, factor),
            paper.ucb_hybrid(epsilon, n_items, horizon, factor),
            paper.cucb_gaussian(epsilon, delta, n_items, size, factor),
        ]
    return rows + _repaired(study, epsilon)


def _repaired(study: Study, epsilon: float) -> list[Policy]:
    size, n_items = study.list_size, study.n_items
    return [
        paper.cucb_gaussian(epsilon, study.delta, n_items, size, variant="repaired"),
        paper.repaired_local(epsilon, size),
        paper.repaired_central(epsilon, n_items, size, study.horizon),
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
    }[record.bonus]


def _scale(record: index.Record) -> str:
    if record.noise == index.RESPONSE:
        return f"false with probability {record.flip:.4g}"
    return "" if record.noise == index.EXACT else f"{record.scale:.4g}"

"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from private_bandits.estimates import mean_interval
from private_bandits.kernels import index
from private_bandits.papers.semibandits import VARIANTS, bounds, cucb_ldp1, cucb_ldp2
from private_bandits.policy import Policy
from private_bandits_book.exhibits import Exhibits, Table
from private_bandits_book.ledger import Claim, claims_of
from private_bandits_book.semibandits.study import LDP1, LDP2, Study, fits
from private_bandits_book.sweep import EPSILON, GAP, LOG, SIZE

tables = Exhibits()

_REPORTS = {index.ALL: "all K outcomes", index.LEAST: "the least pulled arm"}
_NOISE = {index.EXACT: "none", index.LAPLACE: "Laplace, a report", index.TREE: "Laplace, a node"}
_SMALL = 1e-3  # an epsilon at which the bonus for sampling counts for nothing
_POWERS = {SIZE: "k", EPSILON: "epsilon", GAP: "gap", LOG: "ln_t"}
_INSTANCES = {
    "B_inf": "B∞ = 1",
    "top-K": "top-K",
    "top-K, close": "top-K, means close",
    "K-path": "K-path",
    "path as arm": "K-path, a path as one arm",
}
_HELD = {"item gap": "distance of the means", "gap": "Δ"}
_PLACE = {name: place for place, name in enumerate([*_INSTANCES, *_HELD])}


@tables("table-boxes")
def records(study: Study) -> Table:
    """The constants that the index kernel reads, a row per algorithm and variant."""
    rows = []
    for policy in study.policies(study.epsilon):
        record = policy.record
        assert isinstance(record, index.Record)
        bonus = {index.NO_BONUS: "0", index.FLAT_BONUS: f"{record.bonus_scale:.4g} ln t"}
        rows.append(
            {
                "box": policy.algorithm,
                "policy": policy.name,
                "variant": policy.variant,
                "a": " + ".join(_term(alpha, beta) for alpha, beta in record.terms) or "0",
                "b": bonus.get(record.bonus, f"{record.bonus_scale:.4g}"),
                "noise": _NOISE[record.noise],
                "scale": record.scale,
                "reports": _REPORTS[record.reports],
            }
        )
    heads = {"policy": "Policy", "variant": "Reading", "box": "Box", "a": "$a$", "b": "$b$", "noise": "Noise"}
    return Table(
        pd.DataFrame(rows),
        f"The boxes as the kernel reads them, at $\\epsilon = {study.epsilon:g}$ and $T = {study.horizon}$. "
        f"{bonuses_in_words()}",
        heads | {"scale": "Scale", "reports": "What is reported"},
    )


@tables("table-privacy")
def paid(study: Study) -> Table:
    """What every algorithm and variant pays at each nominal epsilon."""
    columns = {f"paid_at_{e:g}": f"$\\epsilon={e:g}$" for e in study.epsilons}
    rows = []
    for versions in zip(*(study.policies(epsilon)[1:] for epsilon in study.epsilons), strict=True):
        first = versions[0]
        row: dict[str, Any] = {"policy": first.name, "variant": first.variant, "trust": first.privacy.trust}
        row |= {name: one.privacy.effective_epsilon for name, one in zip(columns, versions, strict=True)}
        rows.append(row | {"reason": first.privacy.reason})
    return Table(
        pd.DataFrame(rows),
        "What everything released pays at each nominal $\\epsilon$.",
        {"policy": "Policy", "variant": "Reading", "trust": "Trust", **columns, "reason": "What is protected"},
        dict.fromkeys(columns, ".4g"),
    )


@tables("table-k-exponent")
def k_exponents(study: Study) -> Table:
    """The fitted powers of K of the local algorithms, a row per instance, what is held, policy and variant."""
    exponents = study.exponents
    chosen = exponents[(exponents["quantity"] == SIZE) & exponents["policy"].isin([LDP1, LDP2])]
    same = chosen["family"].isin(["B_inf", "top-K"]) & (chosen["held"] == "gap")
    # the same run times K: nothing is measured
    identity = (chosen["family"] == "path as arm") & (chosen["held"] == "item gap")
    rows = [
        {
            "instance": _INSTANCES[row["family"]],
            "holding": "both" if row["family"] in ("B_inf", "top-K", "top-K, close") else _HELD[row["held"]],
            "box": f"{row['policy']}, {row['variant']}",
            "exponent": _interval(row),
        }
        | row
        for row in chosen[~same & ~identity].to_dict("records")
    ]
    return Table(
        pd.DataFrame(rows).sort_values(["family", "held"], key=lambda column: column.map(_PLACE), kind="stable"),
        "Powers of $K$ in regret over $m-K$, with 95 % intervals, and what is held as $K$ grows.",
        {"instance": "Instance", "holding": "Held", "box": "Policy", "exponent": "Power of $K$"},
    )


@tables("table-1")
def table_1(study: Study) -> Table:
    """Table 1 with the measured powers: a row per cell and algorithm; its texts show the claimed one in brackets."""
    claims = {claim.claim: claim for claim in claims_of(study.chapter)}
    cells = [claim for claim in claims.values() if claim.kind == "table"]
    # CUCB-LDP1 stands beside CUCB-LDP2 with the powers of its own theorem
    beside = {"table-1-b-inf-ldp": [claims["theorem-2"]]}
    frame = pd.DataFrame(
        _row(study, cell, judged, variant)
        for cell in cells
        for judged in [cell, *beside.get(cell.claim, [])]
        for variant in judged.facts.get("variants", VARIANTS)
    )
    longest = frame["longest"].astype(int)
    return Table(
        frame,
        "Table 1 of the paper: for each cell its formula, and the measured powers with 95 % intervals; in round "
        f"brackets the claimed one. Runs of up to $T = {longest.min():,}$ to {longest.max():,}.",
        {"cell": "Cell of Table 1", "box": "Policy", "k": "$K$", "epsilon": "$1/\\epsilon$", "gap": "$1/\\Delta$"}
        | {"ln_t": "$\\ln T$"},
    )


@tables("table-bounds")
def upper_bounds(study: Study) -> Table:
    """The bounds with all their constants: what they say at the horizon, and from which T they say anything."""
    uniform = study.problem.uniform_regret()
    frame = pd.DataFrame(
        {
            "bound": name,
            "variant": constants,
            "epsilon": epsilon,
            "at_horizon": bound(study.horizon),
            "over_uniform": bound(study.horizon) / (uniform * study.horizon),
            "informative_from": bounds.informative_from(bound, uniform),
        }
        for epsilon in dict.fromkeys([study.epsilon, study.epsilons[-1]])
        for (name, constants), bound in _bounds(study, epsilon).items()
    )
    heads = {"epsilon": "$\\epsilon$", "bound": "Bound", "variant": "Constants", "at_horizon": "At the horizon"}
    return Table(
        frame,
        f"Bounds with all constants on the top-K instance: at $T = {study.horizon}$, and the power of 2 from which "
        "they are below uniform play.",
        heads | {"over_uniform": "Over uniform play", "informative_from": "Informative from $T$"},
        {"epsilon": "g", "at_horizon": ".3g", "over_uniform": ".3g", "informative_from": ".3g"},
    )


@tables("table-plugged")
def plugged(study: Study) -> Table:
    """CUCB's regret with the compiled and the Python oracle, a row per graph."""
    rows = []
    for name in dict.fromkeys(run.swept["problem"] for run in study.plugged):
        compiled, python = (study.plugged.find("CUCB", problem=name, oracle=o) for o in ("scan", "networkx"))
        rows.append(
            {
                "problem": name,
                "super_arms": len(compiled.problem.sets),
                "t": int(compiled.data.t[-1]),
                "compiled": compiled.final.mean(),
                "networkx": python.final.mean(),
                "equal": bool(np.array_equal(compiled.curves, python.curves)),
                "replications": len(compiled.final),
            }
        )
    heads = {"problem": "Problem", "super_arms": "Super arms", "t": "Rounds", "compiled": "Compiled"}
    return Table(
        pd.DataFrame(rows),
        "Regret of CUCB with the compiled oracle and with networkx as the oracle.",
        heads | {"networkx": "networkx", "equal": "Same curves"},
        {"compiled": ".1f", "networkx": ".1f", "super_arms": "g", "t": "g"},
    )


@tables("table-oracles")
def approximations(study: Study) -> Table:
    """The regret under each oracle, against the best super arm and against alpha beta times it."""
    rows = []
    for run in study.oracles:
        problem, rounds = run.problem, float(run.data.t[-1])
        found = mean_interval(run.final)
        rows.append(
            {
                "oracle": run.swept["oracle"],
                "alpha": problem.alpha,
                "beta": problem.beta,
                "policy": run.name,
                "reading": run.reading,
                "epsilon": run.epsilon,
                "regret": found.measured + (problem.best - problem.benchmark) * rounds,
                "approximation_regret": found.measured,
                "low": found.low,
                "high": found.high,
                "t": int(rounds),
                "replications": len(run.final),
            }
        )
    heads = {"oracle": "Oracle", "alpha": "$\\alpha$", "beta": "$\\beta$", "policy": "Policy"}
    return Table(
        pd.DataFrame(rows),
        f"Maximum coverage at $T = {study.horizon}$, $\\epsilon = {study.epsilons[-1]:g}$, repaired algorithms: regret "
        "against the best pair, and against $\\alpha\\beta$ times it.",
        heads | {"regret": "Against the best", "approximation_regret": "Approximation regret"},
        {"alpha": ".3f", "beta": "g", "regret": ",.0f", "approximation_regret": ",.0f"},
    )


def bonuses_in_words() -> str:
    """Say from where on the printed sqrt bonuses of the local algorithms are below the repaired ones."""
    size, epsilon = crossings()
    first = "no $K$" if math.isnan(size) else f"$K={size:g}$"
    second = "no $\\epsilon$" if math.isnan(epsilon) else f"$\\epsilon={epsilon:.3g}$"
    return (
        f"The printed $a$ of CUCB-LDP1 is below the repaired one from {first} on at small $\\epsilon$, that of "
        f"CUCB-LDP2 from {second} on."
    )


def crossings() -> tuple[float, float]:
    """From where on the printed sqrt bonuses of the local algorithms are below the repaired ones, as they stand.

    Returns
    -------
    size : float
        The K of CUCB-LDP1 at small epsilon; nan if there is none up to 100.
    epsilon : float
        That of CUCB-LDP2; nan if it is below at small epsilon, or nowhere.
    """
    below = [k for k in range(1, 101) if _excess([cucb_ldp1(_SMALL, k, variant) for variant in VARIANTS]) < 0]
    size = float(below[0]) if below and below == list(range(below[0], 101)) else math.nan

    def excess(log_epsilon: float) -> float:
        return _excess([cucb_ldp2(math.exp(log_epsilon), variant) for variant in VARIANTS])

    ends = math.log(_SMALL), -math.log(_SMALL)
    if not excess(ends[0]) > 0 > excess(ends[1]):
        return size, math.nan
    return size, math.exp(brentq(excess, *ends))


def _excess(variants: Sequence[Policy]) -> float:
    """The factor of sqrt(ln t / n) as printed less the repaired one, over their sum."""
    records = [policy.record for policy in variants if isinstance(policy.record, index.Record)]
    printed, repaired = (sum(math.sqrt(alpha) for alpha, _ in record.terms) for record in records)
    return (printed - repaired) / (printed + repaired)


def _bounds(study: Study, epsilon: float) -> dict[tuple[str, str], Callable[[int], float]]:
    def of(bound: Callable[..., float], variant: str) -> Callable[[int], float]:
        return lambda t: bound(study.problem, t, epsilon, variant)

    return {
        ("Theorem 2", "256, as the printed radius gives"): of(bounds.theorem_2, "box"),
        ("Theorem 2", "corrected"): of(bounds.theorem_2, "corrected"),
        ("Theorem 4", "256, as the printed radius gives"): of(bounds.theorem_4, "box"),
        ("Theorem 4", "corrected"): of(bounds.theorem_4, "corrected"),
        ("Theorem 8", "last line of its proof"): of(bounds.theorem_8, "proof"),
        ("Theorem 8", "corrected"): of(bounds.theorem_8, "corrected"),
        ("Section 3.2, DP", "corrected"): of(bounds.b_inf_dp_upper, "corrected"),
    }


def _row(study: Study, cell: Claim, judged: Claim, variant: str) -> dict[str, Any]:
    """A row of Table 1: an algorithm in one variant beside the powers that it is claimed to have."""
    facts, source = cell.facts, (judged.facts["policy"], variant, judged.facts["family"])
    row: dict[str, Any] = {"problem": facts["problem"], "model": facts["model"], "formula": facts["formula"]}
    row |= {"cell": f"{facts['problem']}, {facts['model']}: {facts['formula']}", "box": f"{source[0]}, {variant}"}
    row |= dict(zip(("policy", "variant", "family"), source, strict=True))
    longest = 0
    for quantity, name in _POWERS.items():
        claimed = float(judged.facts["powers"].get(quantity, math.nan))
        rows = fits(study.exponents, *source, quantity, "gap").to_dict("records")
        found = rows[0] if rows else dict.fromkeys(("measured", "low", "high"), math.nan)
        longest = max(longest, int(found.get("horizon", 0)))
        row[name] = (_interval(found) + ("" if math.isnan(claimed) else f" ({claimed:g})")) if rows else ""
        row |= {f"{name}_claimed": claimed, f"{name}_measured": float(found["measured"])}
        row |= {f"{name}_low": float(found["low"]), f"{name}_high": float(found["high"])}
    return row | {"longest": longest}


def _interval(found: dict[str, Any]) -> str:
    return f"{found['measured']:.2f} [{found['low']:.2f}, {found['high']:.2f}]".replace("-0.00", "0.00")


def _term(alpha: float, beta: float) -> str:
    parts = [f"{alpha:.4g} ln t" if alpha else "", f"{beta:.4g}" if beta else ""]
    return f"√({' + '.join(part for part in parts if part)})"

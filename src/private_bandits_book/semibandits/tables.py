"""The tables of the chapter."""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from private_bandits.estimates import Interval, mean_interval
from private_bandits.kernels import index
from private_bandits.papers.semibandits import VARIANTS, bounds, cucb_ldp1, cucb_ldp2
from private_bandits.policy import Policy
from private_bandits_book.exhibits import Exhibits, Made, names, tabled
from private_bandits_book.figures.captions import interval
from private_bandits_book.ledger import Claim, claims_of
from private_bandits_book.semibandits.study import Source, Study, fits
from private_bandits_book.semibandits.sweeps import BAD, NAMES
from private_bandits_book.sweep import EPSILON, GAP, LOG, SIZE

tables = Exhibits()

_REPORTS = {index.ALL: "all K outcomes", index.LEAST: "the least pulled arm"}
_NOISE = {index.EXACT: "none", index.LAPLACE: "Laplace, a report", index.TREE: "Laplace, a node"}
_SMALL = 1e-3  # an epsilon at which the bonus for sampling counts for nothing
_POWERS = {SIZE: "k", EPSILON: "epsilon", GAP: "gap", LOG: "ln_t"}
_BOUNDS: list[tuple[str, Callable[..., float], str]] = [
    ("Theorem 2", bounds.theorem_2, "algorithm corrected"),
    ("Theorem 4", bounds.theorem_4, "algorithm corrected"),
    ("Theorem 8", bounds.theorem_8, "proof corrected"),
    ("Section 3.2, DP", bounds.b_inf_dp_upper, "corrected"),
]


@tables("table-boxes")
def records(study: Study) -> Made:
    """The constants that the index kernel reads, a row per algorithm and variant."""
    rows = []
    for policy in study.policies(study.epsilon):
        record: Any = policy.record
        bonus = {index.NO_BONUS: "0", index.FLAT_BONUS: f"{record.bonus_scale:.4g} ln t"}
        rows.append(
            {
                "box": policy.algorithm,
                "policy": policy.name,
                "variant": policy.version,
                "a": " + ".join(_term(alpha, beta) for alpha, beta in record.terms) or "0",
                "b": bonus.get(record.bonus, f"{record.bonus_scale:.4g}"),
                "noise": _NOISE[record.noise],
                "scale": record.scale,
                "reports": _REPORTS[record.reports],
            }
        )
    size, epsilon = crossings()
    return tabled(
        pd.DataFrame(rows),
        size="no $K$" if math.isnan(size) else f"$K={size:g}$",
        epsilon="no $\\epsilon$" if math.isnan(epsilon) else f"$\\epsilon={epsilon:.3g}$",
    )


@tables("table-privacy")
def paid(study: Study) -> pd.DataFrame:
    """What every algorithm and variant pays at each nominal epsilon."""
    rows = []
    for versions in zip(*(study.policies(epsilon)[1:] for epsilon in study.epsilons), strict=True):
        first = versions[0]
        row: dict[str, Any] = {"policy": first.name, "variant": first.version, "trust": first.privacy.trust}
        row |= {f"paid_at_{one.privacy.epsilon:g}": one.privacy.effective_epsilon for one in versions}
        rows.append(row | {"reason": first.privacy.reason})
    return pd.DataFrame(rows)


@tables("table-k-exponent")
def k_exponents(study: Study) -> pd.DataFrame:
    """The fitted powers of K under local privacy, a row per instance, algorithm and variant."""
    rows, instances, lines = [], names(study, "instances"), names(study, "lines")
    for fit in study.exponents:
        policy, variant, family = (fit.labels[name] for name in ("key", "variant", "family"))
        if fit.quantity == SIZE and policy in lines and family in instances:
            row = {"instance": instances[family], "box": f"{NAMES[policy]}, {variant}", "exponent": interval(fit.fit)}
            row |= {"sizes": ", ".join(f"{size:g}" for size in fit.values), "order": list(lines).index(policy)}
            rows.append(row | fit.row() | {"place": list(instances).index(family), "replications": fit.replications})
    frame = pd.DataFrame(rows).sort_values(["place", "order"], kind="stable")
    return frame.drop(columns=["place", "order"])


@tables("table-1")
def table_1(study: Study) -> Made:
    """Table 1 with the measured powers: a row per cell and algorithm; its texts show the claimed one in brackets."""
    claims = {claim.claim: claim for claim in claims_of(study.chapter)}
    cells = [claim for claim in claims.values() if "formula" in claim.facts]
    # CUCB-LDP1 stands beside CUCB-LDP2 with the powers of its own theorem
    beside = {"table-1-b-inf-ldp": [claims["theorem-2"]]}
    frame = pd.DataFrame(
        _row(study, cell, judged, variant)
        for cell in cells
        for judged in [cell, *beside.get(cell.claim, [])]
        for variant in judged.facts.get("variants", VARIANTS)
    )
    longest = frame["longest"].astype(int)
    instances = names(study, "instances")
    bad = [fit for fit in study.exponents if fit.quantity == BAD]
    plain = [fit for fit in study.exponents if fit.quantity == LOG and not fit.labels["noisy"]]
    said = {
        "bad": "; ".join(f"{instances[fit.labels['family']]} {interval(fit.fit)}" for fit in bad),
        "plain": "; ".join(f"{fit.labels['variant']} {interval(fit.fit)}" for fit in plain),
    }
    return tabled(frame, shortest=longest.min(), longest=longest.max(), **said)


@tables("table-bounds")
def upper_bounds(study: Study) -> pd.DataFrame:
    """The bounds with all their constants: what they say at the horizon, and from which T they say anything."""
    uniform, constants = study.problem.uniform_regret(), names(study, "constants")
    listed = [(name, bound, variant) for name, bound, variants in _BOUNDS for variant in variants.split()]
    rows = []
    for epsilon, (name, bound, variant) in itertools.product(dict.fromkeys([study.epsilon, study.last]), listed):
        at = partial(bound, study.problem, epsilon=epsilon, variant=variant)
        rows.append(
            {
                "bound": name,
                "variant": constants[variant],
                "epsilon": epsilon,
                "at_horizon": at(study.horizon),
                "over_uniform": at(study.horizon) / (uniform * study.horizon),
                "informative_from": informative_from(at, uniform),
            }
        )
    return pd.DataFrame(rows)


@tables("table-oracles")
def approximations(study: Study) -> pd.DataFrame:
    """The regret under each oracle, against the best super arm and against alpha beta times it."""
    problems, frame = [run.problem for run in study.oracles], study.oracles.finals()
    found = pd.DataFrame([mean_interval(run.final).columns() for run in study.oracles])
    lost = np.array([problem.best - problem.benchmark for problem in problems]) * frame["t"]
    frame = frame.assign(alpha=[each.alpha for each in problems], beta=[each.beta for each in problems])
    frame = frame.assign(regret=found["measured"] + lost, approximation_regret=found["measured"])
    frame = frame.assign(low=found["low"], high=found["high"])
    ours = ["oracle", "alpha", "beta", "policy", "reading", "epsilon"]
    return frame[[*ours, "regret", "approximation_regret", "low", "high", "t", "replications"]]


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


def _row(study: Study, cell: Claim, judged: Claim, variant: str) -> dict[str, Any]:
    """A row of Table 1: an algorithm in one variant beside the powers that it is claimed to have."""
    facts, source = cell.facts, Source(judged.facts["key"], variant, judged.facts["family"])
    row: dict[str, Any] = {"problem": facts["problem"], "model": facts["model"], "formula": facts["formula"]}
    row |= {"cell": f"{facts['problem']}, {facts['model']}: {facts['formula']}"}
    row |= {"box": f"{NAMES[source.key]}, {variant}", "policy": NAMES[source.key], **source._asdict()}
    longest = 0
    for quantity, name in _POWERS.items():
        claimed = float(judged.facts["powers"].get(quantity, math.nan))
        fitted = fits(study.exponents, source, quantity)
        found = fitted[0].fit if fitted else None
        longest = max([longest, *(fit.labels["horizon"] for fit in fitted)])
        row |= {name: interval(found, claimed), f"{name}_claimed": claimed}
        row |= {f"{name}_{end}": number for end, number in (found or Interval()).columns().items()}
    return row | {"longest": longest}


def _term(alpha: float, beta: float) -> str:
    parts = [f"{alpha:.4g} ln t" if alpha else "", f"{beta:.4g}" if beta else ""]
    return f"√({' + '.join(part for part in parts if part)})"


def informative_from(bound: Callable[[int], float], uniform: float) -> int:
    """Smallest power of 2 from which an upper bound stays below uniform play: `bound(T) < uniform T`.

    Parameters
    ----------
    bound : callable
        Of the horizon; over T it must fall in the end.
    uniform : float
        Regret of uniform play per round, > 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there is none below 2^200.
    """
    exponent = 200
    while exponent > 0 and bound(1 << (exponent - 1)) < uniform * (1 << (exponent - 1)):
        exponent -= 1
    if exponent == 200:
        raise ValueError("bound must fall below uniform play before 2^199 rounds")
    return 1 << exponent

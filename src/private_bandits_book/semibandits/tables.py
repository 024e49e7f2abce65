"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from private_bandits.estimates import mean_interval, ratio_interval
from private_bandits.kernels import index
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds, instances
from private_bandits.policy import Policy
from private_bandits.problems import SemiBandit
from private_bandits_book.semibandits.claims.evidence import QUANTITIES, TABLE_1, Cell
from private_bandits_book.semibandits.experiments import MAP_ARMS, MAP_SIZE, Experiments
from private_bandits_book.studies import Panel, Run

_REPORTS = {index.ALL: "all K outcomes", index.LEAST: "the least pulled arm"}
_NOISE = {index.EXACT: "none", index.LAPLACE: "Laplace, a report", index.TREE: "Laplace, a node"}
_SMALL = 1e-3  # an epsilon at which the bonus for sampling counts for nothing
_LEARNT = 0.5  # share of uniform play's regret from which we say that a box has learnt nothing yet


_LDP1, _LDP2, _DP = "CUCB-LDP1", "CUCB-LDP2", "CUCB-DP"
_LEAST = "CUCB-DP, least pulled"
_BOTH = ("printed", "repaired")
_PROBLEMS = {"B_inf": "B∞", "B_1": "B₁"}
_MODELS = {"LDP": "ε-LDP", "DP": "ε-DP", "none": "none"}
_FORMULAS = {
    ("B_inf", "LDP"): "Θ(m B∞² ln T / (ε²Δ))",
    ("B_inf", "DP"): "Θ̃(m B∞² ln T / (εΔ))",
    ("B_inf", "none"): "Θ(m B∞² ln T / Δ)",
    ("B_1", "LDP"): "O(m K² B₁² ln T / (ε²Δ))",
    ("B_1", "DP"): "Θ̃(m K B₁² ln T / (εΔ))",
    ("B_1", "none"): "Θ(m K B₁² ln T / Δ)",
}


def table_1(exponents: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 with the measured powers: a row per cell and box; its texts show the claimed one in brackets.

    Parameters
    ----------
    exponents : DataFrame
        Of `studies.exponents`. K is at a fixed Delta.
    """
    rows = []
    for cell in TABLE_1:
        problem, model = _PROBLEMS[cell.problem], _MODELS[cell.privacy]
        formula, family = _FORMULAS[cell.problem, cell.privacy], cell.source.family
        for policy, variant in _boxes(cell):
            row: dict[str, str | float] = {"problem": problem, "model": model, "formula": formula}
            row |= {"cell": f"{problem}, {model}: {formula}", "box": f"{policy}, {variant}"}
            row |= {"policy": policy, "variant": variant, "family": family}
            longest = 0
            for quantity in QUANTITIES:
                claimed = cell.rates.get(quantity, math.nan)
                found = _exponent(exponents, policy, variant, family, quantity)
                longest = max(longest, 0 if found is None else int(found["horizon"]))
                promised = 2.0 if (policy, quantity) == (_LDP1, "K") else claimed  # Theorem 2's, not the cell's
                row |= _numbers(quantity, promised, found)
            rows.append(row | {"longest": longest})
    return pd.DataFrame(rows)


def _boxes(cell: Cell) -> list[tuple[str, str]]:
    """The boxes and readings that stand for a cell: what is measured for its claim, and CUCB-LDP1 beside CUCB-LDP2."""
    names = [cell.source.policy] + [_LDP1] * ((cell.problem, cell.privacy) == ("B_inf", "LDP"))
    return [(name, reading) for name in names for reading in (_BOTH if cell.privacy != "none" else _BOTH[:1])]


def k_exponents(exponents: pd.DataFrame) -> pd.DataFrame:
    """Return the fitted powers of K of the local algorithms, a row per instance, what is held, policy and reading."""
    chosen = exponents[(exponents["quantity"] == "K") & exponents["policy"].isin([_LDP1, _LDP2])]
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
    return pd.DataFrame(rows).sort_values(["family", "held"], key=lambda column: column.map(_PLACE), kind="stable")


_INSTANCES = {
    "B_inf": "B∞ = 1",
    "top-K": "top-K",
    "top-K, close": "top-K, means close",
    "K-path": "K-path",
    "path as arm": "K-path, a path as one arm",
}
_HELD = {"item gap": "distance of the means", "gap": "Δ"}
_PLACE = {name: place for place, name in enumerate([*_INSTANCES, *_HELD])}


def records(setting: Experiments, epsilon: float) -> pd.DataFrame:
    """Return the constants that the index kernel reads, a row per box and reading."""
    rows = []
    for policy in policies(setting, epsilon):
        record = policy.record
        assert isinstance(record, index.Record)
        rows.append(
            {
                "box": policy.algorithm,
                "policy": policy.name,
                "variant": policy.variant,
                "a": " + ".join(_term(alpha, beta) for alpha, beta in record.terms) or "0",
                "b": {index.NO_BONUS: "0", index.FLAT_BONUS: f"{record.bonus_scale:.4g} ln t"}.get(
                    record.bonus, f"{record.bonus_scale:.4g}"
                ),
                "noise": _NOISE[record.noise],
                "scale": record.scale,
                "reports": _REPORTS[record.reports],
            }
        )
    return pd.DataFrame(rows)


def crossings() -> tuple[float, float]:
    """From where on the printed sqrt bonuses of the local boxes are below the repaired ones, as the boxes have them.

    Returns
    -------
    size : float
        The K of CUCB-LDP1 at small epsilon; nan if there is none up to 100.
    epsilon : float
        That of CUCB-LDP2; nan if it is below at small epsilon, or nowhere.
    """
    below = [k for k in range(1, 101) if _excess([paper.cucb_ldp1(_SMALL, k, r) for r in paper.VARIANTS]) < 0]
    size = float(below[0]) if below and below == list(range(below[0], 101)) else math.nan

    def excess(log_epsilon: float) -> float:
        return _excess([paper.cucb_ldp2(math.exp(log_epsilon), reading) for reading in paper.VARIANTS])

    ends = math.log(_SMALL), -math.log(_SMALL)
    if not excess(ends[0]) > 0 > excess(ends[1]):
        return size, math.nan
    return size, math.exp(brentq(excess, *ends))


def _excess(readings: Sequence[Policy]) -> float:
    """The factor of sqrt(ln t / n) of the printed box less that of the repaired one, over their sum."""
    records = [policy.record for policy in readings if isinstance(policy.record, index.Record)]
    printed, repaired = (sum(math.sqrt(alpha) for alpha, _ in record.terms) for record in records)
    return (printed - repaired) / (printed + repaired)


def policies(setting: Experiments, epsilon: float) -> list[Policy]:
    """Return every algorithm of the chapter at one epsilon, in the order of the page."""
    size, n_arms, horizon = setting.size, setting.n_arms, setting.horizon
    return [paper.cucb()] + [
        box
        for reading in _BOTH
        for box in (
            paper.cucb_ldp1(epsilon, size, reading, horizon),
            paper.cucb_ldp2(epsilon, reading, horizon),
            paper.cucb_dp(epsilon, size, n_arms, horizon, reading),
            paper.cucb_dp_least_pulled(epsilon, size, n_arms, horizon, reading),
        )
    ]


def paid(setting: Experiments, epsilons: Sequence[float]) -> pd.DataFrame:
    """Return what every algorithm and reading pays at each nominal epsilon."""
    rows = []
    for versions in zip(*(policies(setting, epsilon)[1:] for epsilon in epsilons), strict=True):
        first = versions[0]
        rows.append(
            {"policy": first.name, "variant": first.variant, "trust": first.privacy.trust}
            | {f"paid_at_{e:g}": v.privacy.effective_epsilon for v, e in zip(versions, epsilons, strict=True)}
            | {"reason": first.privacy.reason}
        )
    return pd.DataFrame(rows)


def upper_bounds(setting: Experiments, epsilons: Sequence[float]) -> pd.DataFrame:
    """Return the bounds with all their constants: what they say at the horizon, and from which T they say anything."""
    problem = instances.top_k(setting.n_arms, setting.size, setting.gap)
    uniform = problem.uniform_regret()
    return pd.DataFrame(
        {
            "bound": name,
            "variant": variant,
            "epsilon": epsilon,
            "at_horizon": bound(setting.horizon),
            "over_uniform": bound(setting.horizon) / (uniform * setting.horizon),
            "informative_from": bounds.informative_from(bound, uniform),
        }
        for epsilon in epsilons
        for (name, variant), bound in _bounds(problem, epsilon).items()
    )


def _bounds(problem: SemiBandit, epsilon: float) -> dict[tuple[str, str], Callable[[int], float]]:
    return {
        ("Theorem 2", "256, as the printed radius gives"): lambda t: bounds.theorem_2(problem, t, epsilon, "box"),
        ("Theorem 2", "corrected"): lambda t: bounds.theorem_2(problem, t, epsilon, "corrected"),
        ("Theorem 4", "256, as the printed radius gives"): lambda t: bounds.theorem_4(problem, t, epsilon, "box"),
        ("Theorem 4", "corrected"): lambda t: bounds.theorem_4(problem, t, epsilon, "corrected"),
        ("Theorem 8", "last line of its proof"): lambda t: bounds.theorem_8(problem, t, epsilon, "proof"),
        ("Theorem 8", "corrected"): lambda t: bounds.theorem_8(problem, t, epsilon, "corrected"),
        ("Section 3.2, DP", "corrected"): lambda t: bounds.b_inf_dp_upper(problem, t, epsilon, "corrected"),
    }


def map_rows(panel: Panel) -> pd.DataFrame:
    """Return the chapter's own map in the form of the longer study."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "policy": run.policy.name,
                    "variant": run.policy.variant,
                    "epsilon": run.policy.privacy.epsilon,
                    "gap": run.swept["gap"],
                    "horizon": int(run.data.t[-1]),
                    "t": int(run.data.t[-1]),
                    "replication": np.arange(len(run.final)),
                    "regret": run.final,
                }
            )
            for run in panel
        ],
        ignore_index=True,
    )


def dominance(frame: pd.DataFrame) -> pd.DataFrame:
    """Return which term of Theorem 8 the regret of CUCB-DP comes from, by epsilon and gap.

    Parameters
    ----------
    frame : DataFrame
        Of `map_rows` or of the longer study "map".

    Returns
    -------
    DataFrame
        A row per horizon, reading, epsilon and gap. `share` is the part of the regret that the same box would not lose
        without privacy, with its interval; `term` is the dominating one, "not learnt" where the box loses more than
        half of what uniform play does, "unclear" where the interval holds one half. `over_local` is the regret over
        that of CUCB-LDP2, `bound_share` the share of the private term in the last line of Theorem 8's proof.
    """
    last = frame[frame["t"] == frame["horizon"]]
    runs = {
        key: part["regret"].to_numpy() for key, part in last.groupby(["horizon", "policy", "variant", "gap", "epsilon"])
    }
    rows = []
    for (horizon, policy, variant, gap, epsilon), regret in runs.items():
        if policy == _DP and math.isfinite(epsilon):
            sampling = runs[horizon, policy, variant, gap, math.inf]
            local = runs[horizon, _LDP2, "repaired", gap, epsilon]
            problem = instances.top_k(MAP_ARMS, MAP_SIZE, gap)
            rows.append(
                {"policy": policy, "variant": variant, "epsilon": epsilon, "gap": gap, "t": horizon}
                | _parts(regret, sampling, problem.uniform_regret() * horizon)
                | {"over_local": float(regret.mean() / local.mean()) if local.mean() > 0 else math.nan}
                | {"bound_share": _bound_share(problem, int(horizon), epsilon), "replications": len(regret)}
            )
    return pd.DataFrame(rows).sort_values(["t", "variant", "gap", "epsilon"], ignore_index=True)


def approximations(panel: Panel) -> pd.DataFrame:
    """Return the regret under each oracle, against the best super arm and against alpha beta times it."""
    rows = []
    for run in panel:
        problem, rounds = run.problem, float(run.data.t[-1])
        shift = (problem.best - problem.benchmark) * rounds
        found = mean_interval(run.final)
        rows.append(
            {
                "oracle": run.swept["oracle"],
                "alpha": getattr(problem, "alpha", 1.0),
                "beta": getattr(problem, "beta", 1.0),
                "policy": run.policy.name,
                "reading": run.reading,
                "epsilon": run.policy.privacy.epsilon,
                "regret": found.measured + shift,
                "approximation_regret": found.measured,
                "low": found.low,
                "high": found.high,
                "t": int(rounds),
                "replications": len(run.final),
            }
        )
    return pd.DataFrame(rows)


def plugged(panel: Panel) -> pd.DataFrame:
    """Return CUCB's regret with the compiled and the Python oracle, a row per graph."""
    rows = []
    for name in dict.fromkeys(run.swept["problem"] for run in panel):
        compiled, python = (_only(panel, name, oracle) for oracle in ("scan", "networkx"))
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
    return pd.DataFrame(rows)


def finals_of(panels: Sequence[Panel]) -> pd.DataFrame:
    """Return the regrets of the chapter's own runs on top-K, in the form of `studies.final_regrets`."""
    rows = []
    for run in (run for panel in panels for run in panel):
        found = mean_interval(run.final)
        rows.append(
            {"policy": run.policy.name, "variant": run.policy.variant, "family": "top-K", "held": "gap"}
            | {"n_arms": run.problem.n_items, "size": run.problem.list_size}
            | {"gap": float(run.problem.gaps.max()), "epsilon": run.policy.privacy.epsilon}
            | {"horizon": int(run.data.t[-1]), "measured": found.measured, "low": found.low, "high": found.high}
        )
    return pd.DataFrame(rows)


def _parts(regret: np.ndarray, sampling: np.ndarray, uniform: float) -> dict[str, float | str]:
    mean = mean_interval(regret)
    told: dict[str, float | str] = {"regret": mean.measured, "regret_se": mean.se, "sampling": float(sampling.mean())}
    told["over_uniform"] = mean.measured / uniform
    if min(mean.measured, sampling.mean()) <= 0:
        return told | {"share": math.nan, "low": math.nan, "high": math.nan, "term": "unclear"}
    ratio = ratio_interval(sampling, regret)
    share, low, high = 1.0 - ratio.measured, 1.0 - ratio.high, 1.0 - ratio.low
    if mean.measured > _LEARNT * uniform:
        term = "not learnt"
    elif low > 0.5:
        term = "private"
    else:
        term = "sampling" if high < 0.5 else "unclear"
    return told | {"share": share, "low": low, "high": high, "term": term}


def _bound_share(problem: SemiBandit, horizon: int, epsilon: float) -> float:
    terms = bounds.theorem_8_terms(problem, horizon, epsilon, "proof")
    total = terms.sampling + terms.private
    return terms.private / total if total > 0 else math.nan


def _only(panel: Panel, problem: str, oracle: str) -> Run:
    (run,) = (run for run in panel if run.swept == {"problem": problem, "oracle": oracle})
    return run


def _exponent(
    exponents: pd.DataFrame, policy: str, variant: str, family: str, quantity: str
) -> dict[str, float] | None:
    chosen = exponents[
        (exponents["policy"] == policy)
        & (exponents["variant"] == variant)
        & (exponents["family"] == family)
        & (exponents["quantity"] == quantity)
        & (exponents["held"] == "gap")
    ]
    return None if chosen.empty else dict(chosen.iloc[0])


def _numbers(quantity: str, claimed: float, found: dict[str, float] | None) -> dict[str, str | float]:
    """A column with the text and columns with the numbers of one quantity."""
    name = {"K": "k", "1/epsilon": "epsilon", "1/gap": "gap", "ln T": "ln_t"}[quantity]
    measured, low, high = (math.nan if found is None else float(found[key]) for key in ("measured", "low", "high"))
    text = "" if found is None else _interval(found)
    if text and not math.isnan(claimed):
        text += f" ({claimed:g})"
    told: dict[str, str | float] = {name: text, f"{name}_claimed": claimed, f"{name}_measured": measured}
    return told | {f"{name}_low": low, f"{name}_high": high}


def _interval(found: dict[str, float]) -> str:
    return f"{found['measured']:.2f} [{found['low']:.2f}, {found['high']:.2f}]".replace("-0.00", "0.00")


def _term(alpha: float, beta: float) -> str:
    parts = [f"{alpha:.4g} ln t" if alpha else "", f"{beta:.4g}" if beta else ""]
    return f"√({' + '.join(part for part in parts if part)})"

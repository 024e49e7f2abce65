"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.heavy_tailed import (
    adap_robust_ucb,
    bounds,
    dp_robust_se,
    dp_robust_ucb,
    ldp_robust_se,
    quantile_se,
    robust_se,
    robust_ucb,
)
from private_bandits_book.heavy_tailed import orders, panels, rates
from private_bandits_book.heavy_tailed.claims import Evidence
from private_bandits_book.heavy_tailed.experiments import LOCAL_SETTING, PRINTED, SMALLER, Experiments, Panel, last
from private_bandits_book.heavy_tailed.summary import Rate, Row, summary
from private_bandits_book.studies import find

COUNTER_LIMIT = 2.0**63


def policies(setting: Experiments, v: float, epsilon: float) -> pd.DataFrame:
    """Return every algorithm of the chapter, what it needs to know, and what it pays."""
    u, beta, horizon = setting.moment(1, v), setting.beta, max(setting.horizon, 2)
    rows = []
    for policy, source, known in (
        (robust_ucb(v, u, setting.horizon), "Bubeck et al. (2013)", "v, u, T"),
        (robust_se(v, u, beta), "ours", "v, u, T (beta)"),
        (dp_robust_ucb(epsilon, v, u, horizon), "slides, Algorithm 1; the tree's noise is ours", "v, u, T"),
        (dp_robust_se(epsilon, v, u, beta), "slides, Algorithm 3", "v, u, T (beta)"),
        (ldp_robust_se(epsilon, v, u, beta), "ours, the slides show no box", "v, u, T (beta)"),
        (ldp_robust_se(epsilon, v, u, beta, variant="slide_rate"), "ours, from bounds (4) and (5)", "v, u, T (beta)"),
        (quantile_se(epsilon, beta), "ours, first open problem", "T (beta), and that its width fits the tail"),
        (adap_robust_ucb(epsilon, v, u, horizon), "ours, second open problem", "v, u, T"),
    ):
        paid = policy.privacy
        rows.append(
            {
                "policy": policy.name,
                "source": source,
                "knows": known,
                "trust": paid.trust,
                "pays": paid.effective_epsilon,
                "reason": paid.reason,
            }
        )
    return pd.DataFrame(rows)


def needs(setting: Experiments, vs: Sequence[float], settled: Mapping[tuple[str, float, float], float]) -> pd.DataFrame:
    """Return how long the boxes take on setting 3 at epsilon = 1: the first epoch, and until the best arm is alone.

    `allowed` counts the rounds up to which a box's own bound allows it to go on: an arm stays to the first epoch with D
    below its gap. For DP Robust UCB they are pulls of one arm until its bonus is below the smallest gap. `seen` is the
    round from which the chapter's runs lose nothing more: means err less than they are allowed to, and an arm that is
    told at D/2 below its gap leaves an epoch earlier.

    Parameters
    ----------
    setting : Experiments
    vs : sequence of float
    settled : mapping
        `seen`, by box, constant and v; nan or absent where the runs do not show it.
    """
    rows = []
    for v in vs:
        problem, u = setting.problem(LOCAL_SETTING, v), setting.moment(LOCAL_SETTING, v)
        gap = float(np.min(problem.gaps[problem.gaps > 0]))
        for name, c, inside in (
            ("DP Robust SE", 24.0, 4.0),
            ("DP Robust SE", setting.small_c, 4.0),
            ("LDP Robust SE", 24.0, 8.0),
            ("LDP Robust SE", setting.small_local_c, 8.0),
        ):
            plan = bounds.dp_epoch if name == "DP Robust SE" else bounds.ldp_epoch
            first, rounds, epoch = math.nan, 0.0, 0
            while epoch == 0 or 2.0**-epoch >= gap:
                epoch += 1
                alive = 1 + int(np.sum((problem.gaps > 0) & (problem.gaps <= 2.0 ** (1 - epoch))))
                log = math.log(inside * alive * epoch**2 / setting.beta)
                pulls = plan(epoch, log, 1.0, v, u, c).pulls
                first, rounds = (pulls if epoch == 1 else first), rounds + alive * pulls
            rows.append(_need(name, c, v, first, rounds, settled.get((name, c, v), math.nan)))
        for radius in (18.0, setting.small_radius):
            log_t = math.log(max(setting.horizon, 2))
            tail = (math.log(2.0) + 4.0 * log_t) * log_t ** (1.5 + 1.0 / v)
            pulls = (radius * u ** (1.0 / (1.0 + v)) / gap) ** ((1.0 + v) / v) * tail
            rows.append(_need("DP Robust UCB", radius, v, math.nan, pulls, math.nan))
    return pd.DataFrame(rows)


def _need(policy: str, constant: float, v: float, first: float, allowed: float, seen: float) -> dict[str, object]:
    fits = "yes" if allowed < COUNTER_LIMIT else "no"
    row = {"policy": policy, "constant": constant, "v": v, "first_epoch": first, "allowed": allowed, "seen": seen}
    return {**row, "counter": fits}


def settled(evidence: Evidence) -> dict[tuple[str, float, float], float]:
    """Return the rounds from which the eliminations lose nothing more on setting 3, at epsilon = 1, where seen."""
    setting, found = evidence.setting, {}
    for v in evidence.vs:
        for name, panel, small in (
            ("DP Robust SE", evidence.central.get((LOCAL_SETTING, v, 1.0), []), setting.small_c),
            ("LDP Robust SE", evidence.local.get(v, []), setting.small_local_c),
        ):
            for curve in panel:
                constant = {PRINTED: 24.0, SMALLER: small}.get(curve.reading)
                if curve.name == name and curve.epsilon == 1.0 and constant is not None:
                    found[name, constant, v] = panels.settled(curve)
    return found


def ends(panels: Mapping[tuple[int, float, float], Panel]) -> pd.DataFrame:
    """Return the regret at the horizon of every central panel, over that of uniform play."""
    rows = []
    for (number, v, epsilon), panel in panels.items():
        uniform = float(find(panel, "uniform").final.mean())
        row: dict[str, object] = {"setting": number, "v": v, "epsilon": epsilon, "uniform": uniform}
        for column, name, reading in (
            ("dp_robust_ucb", "DP Robust UCB", PRINTED),
            ("dp_robust_se", "DP Robust SE", PRINTED),
            ("dp_robust_ucb_smaller", "DP Robust UCB", SMALLER),
            ("dp_robust_se_smaller", "DP Robust SE", SMALLER),
            ("robust_ucb", "Robust UCB", ""),
            ("robust_se", "Robust SE", ""),
        ):
            curve = last(panel, name, reading)
            row[column] = float(curve.final.mean()) / uniform if curve.t[-1] == panel[0].t[-1] else math.nan
        rows.append(row)
    return pd.DataFrame(rows)


def table_summary(evidence: Evidence) -> pd.DataFrame:
    """Return the slides' summary table: every cell at every v, printed, corrected and measured.

    Exponents are those of 1/gap, 1/epsilon and T (for an instance-dependent bound: of ln T), measured for the upper
    bounds. Cells for bounded rewards do not depend on v and stand once, with v = nan.
    """
    rows = []
    for number, v in enumerate(evidence.vs):
        for row in summary(v):
            bounded = row.rewards == "bounded"
            if not bounded or number == 0:
                rows.append(_cell(evidence, row, math.nan if bounded else v))
    frame = pd.DataFrame(rows)
    return frame.sort_values(["rewards", "kind", "model", "v"], ascending=[False, True, True, True], kind="stable")


def _cell(evidence: Evidence, row: Row, v: float) -> dict[str, object]:
    cell: dict[str, object] = {"rewards": row.rewards, "kind": row.kind, "model": row.model, "side": row.side, "v": v}
    local, bounded = row.model == "LDP", row.rewards == "bounded"
    if bounded:
        box = rates.BOUNDED_LOCAL if local else rates.BOUNDED
    else:
        box = rates.LDP if local else rates.DP
    dependent = row.kind == "instance-dependent"
    for name, rate in (("printed", row.printed), ("corrected", row.corrected)):
        cell |= {
            f"{name}_formula": rate.formula if rate else "",
            f"{name}_gap": rate.gap if rate and dependent else math.nan,
            f"{name}_epsilon": rate.epsilon if rate else math.nan,
            f"{name}_horizon": _horizon_power(rate, dependent) if rate else math.nan,
        }
    upper = row.side == "upper"  # no run shows what every algorithm must lose
    quantities = {
        "gap": rates.GAP if dependent and upper else None,
        "epsilon": rates.EPSILON if dependent and upper else None,
        "horizon": (rates.LOG if dependent else rates.WORST) if upper else None,
    }
    for name, quantity in quantities.items():
        seen = None if quantity is None else evidence.exponent(box, quantity, v)
        shown = seen or Interval()
        cell |= {
            f"measured_{name}": shown.measured,
            f"low_{name}": shown.low,
            f"high_{name}": shown.high,
            name: _shown(shown),
        }
    return cell | {"box": box if upper else ""}


def _horizon_power(rate: Rate, dependent: bool) -> float:
    return 1.0 if dependent else rate.horizon


def _shown(seen: Interval) -> str:
    """A value with its interval, where two digits tell the ends apart."""
    if math.isnan(seen.measured):
        return ""
    ends_of = f" [{seen.low:.2f}, {seen.high:.2f}]" if f"{seen.low:.2f}" != f"{seen.high:.2f}" else ""
    return f"{seen.measured:.2f}{ends_of}"


def formulas(evidence: Evidence) -> str:
    """Return the summary table's formulas, printed and corrected, as a Markdown table."""
    lines = ["| Rewards | Bound | Model | Side | Slides | Corrected |", "| :--- | :--- | :--- | :--- | :--- | :--- |"]
    for row in summary(evidence.vs[0]):
        symbol = "O" if row.side == "upper" else r"\Omega"
        printed = f"${symbol}\\left({row.printed.formula}\\right)$" if row.printed else "none"
        same = row.printed is not None and row.printed.formula == row.corrected.formula
        corrected = "the same" if same else f"${symbol}\\left({row.corrected.formula}\\right)$"
        if row.side == "lower" and row.printed is not None and not same:
            corrected += " (the printed one holds and is loose)"
        cells = (row.rewards, row.kind, row.model, row.side, printed, corrected)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def exponents(evidence: Evidence) -> pd.DataFrame:
    """Return every measured exponent beside the printed and the corrected one."""
    frame = rates.table(evidence.exponents)
    frame["printed"] = [_claimed(r.policy, r.quantity, r.v, printed=True) for r in frame.itertuples()]
    frame["corrected"] = [_claimed(r.policy, r.quantity, r.v, printed=False) for r in frame.itertuples()]
    frame["shown"] = [_shown(Interval(r.measured, r.low, r.high)) for r in frame.itertuples()]
    columns = ["policy", "v", "quantity", "printed", "corrected", "measured", "low", "high", "points", "shown"]
    return frame[columns]


def _claimed(box: str, quantity: str, v: float, *, printed: bool) -> float:
    """The exponent that the slides state, or the corrected one; nan where they state none."""
    if box in (rates.BOUNDED, rates.BOUNDED_LOCAL):
        local = box == rates.BOUNDED_LOCAL
        powers = {rates.GAP: 1.0, rates.SMALL_GAP: 0.0, rates.EPSILON: 2.0 if local else 1.0, rates.WORST: 0.5}
        return powers[quantity]
    if box == rates.EPISODES and printed:
        return math.nan
    local = box == rates.LDP
    wrong = printed or not local
    exponent = {
        rates.GAP: 1.0 / v if wrong else 1.0 + 2.0 / v,
        rates.EPSILON: 2.0 if local else 1.0,
        rates.LOG: 2.5 + 1.0 / v if box == rates.INDEX else 1.0,
        rates.WORST: 1.0 / (1.0 + v) if wrong else (2.0 + v) / (2.0 + 2.0 * v),
        rates.MOMENT: 1.0 / (1.0 + v) if printed else 1.0 / v,
        rates.WORST_MOMENT: v / (1.0 + v) ** 2 if printed else 1.0 / (1.0 + v),
    }
    return exponent[quantity]


def unknown(panels: Mapping[float, Panel]) -> pd.DataFrame:
    """Return the regret at the horizon without u and v, and over that of DP Robust SE with both, at two constants."""
    rows = []
    for v, panel in panels.items():
        known, small = (
            float(find(panel, "DP Robust SE", reading).final.mean())
            for reading in ("u and v known", "known, smaller constants")
        )
        for curve in panel:
            if curve.policy is not None:
                regret = float(curve.final.mean())
                rows.append(
                    {
                        "v": v,
                        "policy": curve.name,
                        "reading": curve.reading,
                        "pays": curve.policy.privacy.effective_epsilon,
                        "regret": regret,
                        "over_known": regret / known if known > 0 else math.nan,
                        "over_small": regret / small if small > 0 else math.nan,
                    }
                )
    return pd.DataFrame(rows)


LOWER_GAP, LOWER_EPSILON = 0.05, 0.02
"""Of the lower bounds: inside their ranges, and where privacy costs more than the laws' own divergence."""


def theorems(setting: Experiments, v: float) -> pd.DataFrame:
    """Return every theorem's bound at the horizon, printed and corrected.

    Upper bounds are for setting 1 at epsilon = 1; `over_uniform` is a bound over the regret of uniform play there, and
    above 1 it is vacuous. Lower bounds are for five arms, u = 1, one gap of 0.05 and epsilon = 0.02, `over_uniform`
    over uniform play on that instance; the bound without privacy stands beside them.
    """
    problem, u, horizon = setting.problem(1, v), setting.moment(1, v), max(setting.horizon, 2)
    means, arms, beta = problem.means, problem.n_items, setting.beta
    gap, epsilon = LOWER_GAP, LOWER_EPSILON
    upper: dict[str, dict[str, float]] = {
        "Robust UCB, Bubeck et al.": {
            variant: bounds.robust_ucb_upper(means, v, u, horizon, variant) for variant in ("printed", "corrected")
        },
        "DP Robust UCB, (2)": {
            variant: bounds.dp_robust_ucb_upper(means, 1.0, v, u, horizon, variant)
            for variant in ("printed", "corrected")
        },
        "DP Robust SE, dependent": {
            variant: bounds.dp_upper(means, 1.0, v, u, horizon, beta, variant=variant)
            for variant in ("printed", "rate", "corrected")
        },
        "DP Robust SE, independent": {
            variant: bounds.dp_upper_independent(arms, 1.0, v, u, horizon, variant)
            for variant in ("printed", "corrected")
        },
        "LDP Robust SE, (4)": {
            variant: bounds.ldp_upper(means, 1.0, v, u, horizon, beta, variant=variant)
            for variant in ("printed", "rate", "corrected")
        },
        "LDP Robust SE, (5)": {
            variant: bounds.ldp_upper_independent(arms, 1.0, v, u, horizon, variant)
            for variant in ("printed", "corrected")
        },
    }
    both = ("printed", "corrected")
    lower: dict[str, dict[str, float]] = {
        "without privacy, dependent": {"corrected": orders.plain_lower(arms, gap, v, horizon)},
        "DP, dependent, (3)": {k: bounds.dp_lower(arms, gap, epsilon, v, horizon, variant=k) for k in both},
        "DP, independent": {"corrected": bounds.dp_lower_independent(arms, epsilon, v, horizon)},
        "LDP, dependent": {k: bounds.ldp_lower(arms, gap, epsilon, v, horizon, variant=k) for k in both},
        "LDP, independent": {k: bounds.ldp_lower_independent(arms, epsilon, v, horizon, variant=k) for k in both},
    }
    uniform = {"upper": problem.uniform_regret() * horizon, "lower": gap * (arms - 1) / arms * horizon}
    return pd.DataFrame(
        {"bound": name, "side": side, "variant": variant, "v": v, "value": value, "over_uniform": value / uniform[side]}
        for side, named in (("upper", upper), ("lower", lower))
        for name, variants in named.items()
        for variant, value in variants.items()
    )

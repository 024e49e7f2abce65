"""The tables of the chapter."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book import rooms, studies
from private_bandits_book.exhibits import Exhibits, Made, names, tabled
from private_bandits_book.heavy_tailed import comparisons, orders, rates
from private_bandits_book.heavy_tailed.coverage import LOCAL_SETTING
from private_bandits_book.heavy_tailed.study import EVEN, PRINTED, SMALLER, UNIFORM, Study, last
from private_bandits_book.studies import Runs
from private_bandits_book.sweep import EPSILON, GAP, LOG

tables = Exhibits(measured={"table-confidence": "confidence", "table-local-confidence": "local_confidence"})
COUNTER_LIMIT = 2.0**63
LOWER_GAP, LOWER_EPSILON = 0.05, 0.02
"""Of the lower bounds: inside their ranges, and where privacy costs more than the laws' own divergence."""
_ENDS = {  # policy and variant of each column
    "dp_robust_ucb": (rates.UCB, PRINTED),
    "dp_robust_se": (rates.DP, PRINTED),
    "dp_robust_ucb_smaller": (rates.UCB, SMALLER),
    "dp_robust_se_smaller": (rates.DP, SMALLER),
    "robust_ucb": (rates.PLAIN_UCB, ""),
    "robust_se": (rates.PLAIN_SE, ""),
}


@tables("table-boxes")
def policies(study: Study) -> pd.DataFrame:
    """Every algorithm of the chapter, what it needs to know, and what it pays."""
    made = study.policies(study.vs[0], study.epsilons[0])
    paid = {name: (p.privacy.trust, p.privacy.effective_epsilon, p.privacy.reason) for name, p in made.items()}
    sources = names(study, "sources")
    rows = [(name, *sources[name], *pays) for name, pays in paid.items()]
    return rates.named(pd.DataFrame(rows, columns=["key", "source", "knows", "trust", "pays", "reason"]))


@tables("table-needs")
def needs(study: Study) -> pd.DataFrame:
    """Return how long the algorithms take on setting 3 at epsilon = 1: a first epoch, and until the best arm is alone.

    `allowed` counts the rounds up to which an algorithm's own bound allows it to go on: an arm stays to the first epoch
    with D below its gap. For DP Robust UCB they are pulls of one arm until its bonus is below the smallest gap. `seen`
    is the round from which the chapter's runs lose nothing more: means err less than they are allowed to, and an arm
    that is told at D/2 below its gap leaves an epoch earlier.
    """
    rows = []
    for v in study.vs:
        problem, u = study.problem(LOCAL_SETTING, v), study.moment(LOCAL_SETTING, v)
        gap = float(np.min(problem.gaps[problem.gaps > 0]))
        central, local = study.central.get((LOCAL_SETTING, v, 1.0), Runs()), study.local[v]
        for name, panel, c, variant, plan, inside in (
            (rates.DP, central, 24.0, PRINTED, bounds.dp_epoch, 4.0),
            (rates.DP, central, study.small_c, SMALLER, bounds.dp_epoch, 4.0),
            (rates.LDP, local, 24.0, PRINTED, bounds.ldp_epoch, 8.0),
            (rates.LDP, local, study.small_local_c, SMALLER, bounds.ldp_epoch, 8.0),
        ):
            first, rounds, epoch = math.nan, 0.0, 0
            while epoch == 0 or 2.0**-epoch >= gap:
                epoch += 1
                alive = 1 + int(np.sum((problem.gaps > 0) & (problem.gaps <= 2.0 ** (1 - epoch))))
                log = math.log(inside * alive * epoch**2 / study.beta)
                pulls = plan(epoch, log, 1.0, v, u, c).pulls
                first, rounds = (pulls if epoch == 1 else first), rounds + alive * pulls
            runs = panel.select(name, variant, epsilon=1.0)
            rows.append((name, c, v, first, rounds, comparisons.settled(runs[0]) if runs else math.nan))
        for radius in (18.0, study.small_radius):
            log_t = math.log(study.length)
            tail = (math.log(2.0) + 4.0 * log_t) * log_t ** (1.5 + 1.0 / v)
            pulls = (radius * u ** (1.0 / (1.0 + v)) / gap) ** ((1.0 + v) / v) * tail
            rows.append((rates.UCB, radius, v, math.nan, pulls, math.nan))
    frame = pd.DataFrame(rows, columns=["key", "constant", "v", "first_epoch", "allowed", "seen"])
    return rates.named(frame).assign(counter=np.where(frame["allowed"] < COUNTER_LIMIT, "yes", "no"))


@tables("table-ends")
def ends(study: Study) -> pd.DataFrame:
    """The regret at the horizon of every central panel, over that of uniform play."""
    rows = []
    for (number, v, epsilon), panel in study.central.items():
        uniform = panel.final(EVEN)
        row = {"setting": number, "v": v, "epsilon": epsilon, "uniform": uniform}
        for column, of in _ENDS.items():
            run = last(panel, *of)
            row[column] = float(run.final.mean()) / uniform if run.t[-1] == panel[0].t[-1] else math.nan
        rows.append(row)
    return pd.DataFrame(rows)


def summary(v: float) -> pd.DataFrame:
    """Return the slides' summary table at one v, printed and corrected: a row a cell of `summary.toml`.

    Cells for bounded rewards do not depend on v and have v = nan; so is a power that is not stated.
    """
    powers = {"1/v": 1.0 / v, "1+2/v": 1.0 + 2.0 / v, "v/(1+v)": v / (1.0 + v), "2v/(1+v)": 2.0 * (v / (1.0 + v))}
    powers |= {"1/(1+v)": 1.0 / (1.0 + v), "(2+v)/(2+2v)": (2.0 + v) / (2.0 + 2.0 * v)}
    rows = []
    for cell in rooms.tables("heavy_tailed", "summary")["cell"]:
        row = {name: cell[name] for name in ("rewards", "kind", "model", "side")}
        row["v"] = math.nan if cell["rewards"] == "bounded" else v
        printed = cell.get("printed", {})
        for source, rate in (("printed", printed), ("corrected", cell.get("corrected", printed))):
            row[f"{source}_formula"] = rate.get("formula", "")
            for of in ("gap", "epsilon", "horizon"):
                power = rate.get(of, math.nan)
                row[f"{source}_{of}"] = powers.get(power, power)
        rows.append(row)
    return pd.DataFrame(rows)


@tables("table-summary")
def table_summary(study: Study) -> pd.DataFrame:
    """The slides' summary table at every v, measured: those for bounded rewards stand once."""
    claimed = pd.concat([summary(v) for v in study.vs], ignore_index=True).drop_duplicates(ignore_index=True)
    frame = claimed.join(pd.DataFrame([_measured(study, cell) for cell in claimed.itertuples()]))
    order = {"rewards": False, "kind": True, "model": True, "v": True}
    return frame.sort_values(list(order), ascending=list(order.values()), kind="stable")


def _measured(study: Study, cell: Any) -> dict[str, Any]:
    """The exponents of a cell's algorithm: of upper bounds, as no run shows what every algorithm must lose."""
    dependent, upper = cell.kind == "instance-dependent", cell.side == "upper"
    names = (rates.BOUNDED, rates.BOUNDED_LOCAL) if cell.rewards == "bounded" else (rates.DP, rates.LDP)
    name = names[cell.model == "LDP"]
    found: dict[str, Any] = {}
    for of, quantity in (("gap", GAP), ("epsilon", EPSILON), ("horizon", LOG if dependent else rates.WORST)):
        asked = upper and (dependent or of == "horizon")
        seen = (study.rate(name, quantity, cell.v).fit if asked else None) or Interval()
        found |= {f"{part}_{of}": number for part, number in seen.columns().items()} | {of: _interval(*seen[:3])}
    return found | {"box": rates.NAMES[name] if upper else ""}


def _interval(measured: float, low: float, high: float) -> str:
    """A value with its interval, where two digits tell the ends apart."""
    if math.isnan(measured):
        return ""
    return f"{measured:.2f}" + (f" [{low:.2f}, {high:.2f}]" if f"{low:.2f}" != f"{high:.2f}" else "")


@tables("formulas")
def formulas(study: Study) -> str:
    """The summary table's formulas, printed and corrected, as a Markdown table."""
    lines = ["| Rewards | Bound | Model | Side | Slides | Corrected |", "| :--- | :--- | :--- | :--- | :--- | :--- |"]
    for row in summary(study.vs[0]).itertuples():
        symbol = "O" if row.side == "upper" else r"\Omega"
        printed, corrected = (f"${symbol}\\left({f}\\right)$" for f in (row.printed_formula, row.corrected_formula))
        if row.printed_formula == row.corrected_formula:
            corrected = "the same"
        elif not row.printed_formula:
            printed = "none"
        elif row.side == "lower":
            corrected += " (the printed one holds and is loose)"
        lines.append("| " + " | ".join((row.rewards, row.kind, row.model, row.side, printed, corrected)) + " |")
    return "\n".join(lines)


@tables("table-exponents")
def exponents(study: Study) -> pd.DataFrame:
    """Every measured exponent beside the printed and the corrected one, and the corrected law's in the same fit."""
    frame = pd.DataFrame([one.row() for one in study.exponents])
    for place, column in enumerate(("printed", "corrected"), start=4):
        found = [rates.claimed(r.key, r.quantity, r.v, printed=column == "printed") for r in frame.itertuples()]
        frame.insert(place, column, found)
    forms = [rates.form(r.key, r.quantity, r.corrected) for r in frame.itertuples()]
    return frame.assign(
        shown=[_interval(r.measured, r.low, r.high) for r in frame.itertuples()],
        predicted=[one.exponent(form) for one, form in zip(study.exponents, forms, strict=True)],
        evidence=[rates.evidence(one) for one in study.exponents],
    )


@tables("table-unknown-moments")
def unknown(study: Study) -> pd.DataFrame:
    """The regret at the horizon without u and v, and over that of DP Robust SE with both, at two constants."""
    rows = []
    for v, panel in study.unknown.items():
        known, small = (panel.final(rates.DP, r) for r in ("u and v known", "known, smaller constants"))
        for run in panel:
            if run.policy is not UNIFORM:
                pays, regret = run.policy.privacy.effective_epsilon, float(run.final.mean())
                over = [regret / base if base > 0 else math.nan for base in (known, small)]
                rows.append((v, studies.key(run.policy), run.name, run.variant, pays, regret, *over))
    return pd.DataFrame(rows, columns=["v", "key", "policy", "reading", "pays", "regret", "over_known", "over_small"])


def quantile(study: Study) -> pd.DataFrame:
    """Return the rows of the algorithm without u and v, by v."""
    frame = unknown(study)
    return frame[frame["key"] == rates.QUANTILE].set_index("v")


@tables("table-bounds")
def theorems(study: Study) -> Made:
    """Every theorem's bound at the horizon, printed and corrected.

    Upper bounds are for setting 1 at epsilon = 1; `over_uniform` is a bound over the regret of uniform play there, and
    above 1 it is vacuous. Lower bounds are for five arms, u = 1, one gap of 0.05 and epsilon = 0.02, `over_uniform`
    over uniform play on that instance; the bound without privacy stands beside them.
    """
    frame = pd.concat([_theorems(study, v) for v in study.vs], ignore_index=True)
    return tabled(frame, gap=LOWER_GAP, epsilon=LOWER_EPSILON)


def _theorems(study: Study, v: float) -> pd.DataFrame:
    problem, u, horizon = study.problem(1, v), study.moment(1, v), study.length
    means, arms, beta = problem.means, problem.n_items, study.beta
    both, three = ("printed", "corrected"), ("printed", "rate", "corrected")
    corrected = ("corrected",)
    law, private = (v, u, horizon), (1.0, v, u, horizon)
    hard, free = (arms, LOWER_GAP, LOWER_EPSILON, v, horizon), (arms, LOWER_EPSILON, v, horizon)
    listed: tuple[tuple[str, str, tuple[str, ...], Callable[[str], float]], ...] = (
        ("Robust UCB, Bubeck et al.", "upper", both, lambda k: bounds.robust_ucb_upper(means, *law, k)),
        ("DP Robust UCB, (2)", "upper", both, lambda k: bounds.dp_robust_ucb_upper(means, *private, k)),
        ("DP Robust SE, dependent", "upper", three, lambda k: bounds.dp_upper(means, *private, beta, variant=k)),
        ("DP Robust SE, independent", "upper", both, lambda k: bounds.dp_upper_independent(arms, *private, k)),
        ("LDP Robust SE, (4)", "upper", three, lambda k: bounds.ldp_upper(means, *private, beta, variant=k)),
        ("LDP Robust SE, (5)", "upper", both, lambda k: bounds.ldp_upper_independent(arms, *private, k)),
        ("without privacy, dependent", "lower", corrected, lambda k: orders.plain_lower(arms, LOWER_GAP, v, horizon)),
        ("DP, dependent, (3)", "lower", both, lambda k: bounds.dp_lower(*hard, variant=k)),
        ("DP, independent", "lower", corrected, lambda k: bounds.dp_lower_independent(*free)),
        ("LDP, dependent", "lower", both, lambda k: bounds.ldp_lower(*hard, variant=k)),
        ("LDP, independent", "lower", both, lambda k: bounds.ldp_lower_independent(*free, variant=k)),
    )
    uniform = {"upper": problem.uniform_regret() * horizon, "lower": LOWER_GAP * (arms - 1) / arms * horizon}
    rows = [(name, side, k, v, value(k)) for name, side, variants, value in listed for k in variants]
    frame = pd.DataFrame(rows, columns=["bound", "side", "variant", "v", "value"])
    return frame.assign(over_uniform=frame["value"] / frame["side"].map(uniform))

"""The tables of the chapter."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.exhibits import Exhibits, Table
from private_bandits_book.heavy_tailed import comparisons, orders, rates
from private_bandits_book.heavy_tailed.coverage import LOCAL_SETTING
from private_bandits_book.heavy_tailed.study import PRINTED, SMALLER, UNIFORM, Study, last
from private_bandits_book.heavy_tailed.summary import Row, summary
from private_bandits_book.studies import Runs
from private_bandits_book.sweep import EPSILON, GAP, LOG

tables = Exhibits()
_HEADINGS = {
    "constant": "$c$, or radius",
    "v": "$v$",
    "epsilon": "$\\epsilon$",
    "first_epoch": "First epoch",
    "allowed": "Rounds, by its bound",
    "seen": "Rounds, in runs",
    "counter": "Fits a 64-bit counter",
    "largest": "Largest error",
    "over_uniform": "Over uniform play",
    "over_known": "Over DP Robust SE, $c=24$",
    "over_small": "Over the smaller $c$",
}
_FORMATS = dict.fromkeys("setting v epsilon constant pays".split(), "g") | dict.fromkeys(
    "first_epoch allowed seen largest over_known over_small".split(), ".2g"
)
_FORMATS |= {"regret": ".3g", "over_uniform": ".3g", "printed": ".2f", "corrected": ".2f"}
COUNTER_LIMIT = 2.0**63
LOWER_GAP, LOWER_EPSILON = 0.05, 0.02
"""Of the lower bounds: inside their ranges, and where privacy costs more than the laws' own divergence."""


def _table(
    frame: pd.DataFrame, caption: str, columns: str, formats: Mapping[str, str] | None = None, **headings: str
) -> Table:
    """A table of these columns under their usual headings, or others, each number in its usual format, or another."""
    shown = columns.split()
    named = {column: headings.get(column, _HEADINGS.get(column, column.capitalize())) for column in shown}
    usual = {column: _FORMATS[column] for column in shown if column in _FORMATS}
    return Table(frame, caption, named, usual | dict(formats or {}))


_SOURCES = {  # of each algorithm: where it is from, and what it must know
    "Robust UCB": ("Bubeck et al. (2013)", "v, u, T"),
    "Robust SE": ("ours", "v, u, T (beta)"),
    "DP Robust UCB": ("slides, Algorithm 1; the tree's noise is ours", "v, u, T"),
    "DP Robust SE": ("slides, Algorithm 3", "v, u, T (beta)"),
    "LDP Robust SE": ("ours, the slides show no box", "v, u, T (beta)"),
    "LDP Robust SE, slide rate": ("ours, from bounds (4) and (5)", "v, u, T (beta)"),
    "Quantile SE": ("ours, first open problem", "T (beta), and that its width fits the tail"),
    "DP Robust UCB, episodes": ("ours, second open problem", "v, u, T"),
}


@tables("table-boxes")
def policies(study: Study) -> Table:
    """Every algorithm of the chapter, what it needs to know, and what it pays."""
    epsilon, rows = study.epsilons[0], []
    for name, policy in study.policies(study.vs[0], epsilon).items():
        (source, knows), paid = _SOURCES[name], policy.privacy
        rows.append((name, source, knows, paid.trust, paid.effective_epsilon, paid.reason))
    pays = f"at $\\epsilon = {epsilon:g}$"
    caption = f"The algorithms, what they must know, and what everything they release pays {pays}."
    columns = "policy source knows trust pays reason"
    return _table(pd.DataFrame(rows, columns=columns.split()), caption, columns, knows="Must know", reason="Why")


@tables("table-needs")
def _needs(study: Study) -> Table:
    return _table(
        needs(study),
        "What the algorithms need at $\\epsilon = 1$ on setting 3: pulls of each arm in the first epoch; rounds until "
        "the two best arms are told apart, by the algorithm's own bound (for DP Robust UCB: pulls of one arm until its "
        "bonus is below the smallest gap); and the round from which our runs lose nothing more, empty where they do "
        "not show it.",
        "policy constant v first_epoch allowed seen counter",
    )


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
        for name, panel, c, reading, plan, inside in (
            ("DP Robust SE", central, 24.0, PRINTED, bounds.dp_epoch, 4.0),
            ("DP Robust SE", central, study.small_c, SMALLER, bounds.dp_epoch, 4.0),
            ("LDP Robust SE", local, 24.0, PRINTED, bounds.ldp_epoch, 8.0),
            ("LDP Robust SE", local, study.small_local_c, SMALLER, bounds.ldp_epoch, 8.0),
        ):
            first, rounds, epoch = math.nan, 0.0, 0
            while epoch == 0 or 2.0**-epoch >= gap:
                epoch += 1
                alive = 1 + int(np.sum((problem.gaps > 0) & (problem.gaps <= 2.0 ** (1 - epoch))))
                log = math.log(inside * alive * epoch**2 / study.beta)
                pulls = plan(epoch, log, 1.0, v, u, c).pulls
                first, rounds = (pulls if epoch == 1 else first), rounds + alive * pulls
            runs = panel.select(name, reading, epsilon=1.0)
            rows.append((name, c, v, first, rounds, comparisons.settled(runs[0]) if runs else math.nan))
        for radius in (18.0, study.small_radius):
            log_t = math.log(study.length)
            tail = (math.log(2.0) + 4.0 * log_t) * log_t ** (1.5 + 1.0 / v)
            pulls = (radius * u ** (1.0 / (1.0 + v)) / gap) ** ((1.0 + v) / v) * tail
            rows.append(("DP Robust UCB", radius, v, math.nan, pulls, math.nan))
    frame = pd.DataFrame(rows, columns=["policy", "constant", "v", "first_epoch", "allowed", "seen"])
    return frame.assign(counter=np.where(frame["allowed"] < COUNTER_LIMIT, "yes", "no"))


@tables("table-confidence")
def confidence(study: Study) -> Table:
    """What is left of the central bounds at either constant."""
    return _confidence(
        study.confidence,
        "$c$, or radius",
        "Errors of the central algorithms' means over what their rule allows. Draws are epoch means; for DP Robust UCB "
        "they are paths, each with the largest error at 10, 100, ... pulls.",
    )


@tables("table-local-confidence")
def local_confidence(study: Study) -> Table:
    """What is left of the local bounds."""
    return _confidence(
        study.local_confidence,
        "$c$",
        "Errors of the local means over what the rule allows, with random numbers of their own in every row.",
    )


def _confidence(frame: pd.DataFrame, constant: str, caption: str) -> Table:
    columns = "policy value v epsilon largest beyond draws bound"
    return _table(frame, caption, columns, {"value": "g"}, value=constant, bound="The bound")


_ENDS = {  # policy, reading and heading of each column
    "dp_robust_ucb": ("DP Robust UCB", PRINTED, "DP Robust UCB"),
    "dp_robust_se": ("DP Robust SE", PRINTED, "DP Robust SE"),
    "dp_robust_ucb_smaller": ("DP Robust UCB", SMALLER, "UCB, smaller"),
    "dp_robust_se_smaller": ("DP Robust SE", SMALLER, "SE, smaller"),
    "robust_ucb": ("Robust UCB", "", "Robust UCB"),
    "robust_se": ("Robust SE", "", "Robust SE"),
}


@tables("table-ends")
def ends(study: Study) -> Table:
    """The regret at the horizon of every central panel, over that of uniform play."""
    rows = []
    for (number, v, epsilon), panel in study.central.items():
        uniform = panel.final("uniform")
        row = {"setting": number, "v": v, "epsilon": epsilon, "uniform": uniform}
        for column, (name, reading, _) in _ENDS.items():
            run = last(panel, name, reading)
            row[column] = float(run.final.mean()) / uniform if run.t[-1] == panel[0].t[-1] else math.nan
        rows.append(row)
    return _table(
        pd.DataFrame(rows),
        "Regret at the horizon over that of uniform play. Beyond the exact horizon the columns of UCB are the fluid "
        "approximation, whose error at small radii is shown below. Empty where neither reaches the horizon.",
        " ".join(["setting v epsilon", *_ENDS]),
        dict.fromkeys(_ENDS, ".2g"),
        **{column: heading for column, (_, _, heading) in _ENDS.items()},
    )


@tables("table-summary")
def table_summary(study: Study) -> Table:
    """The slides' summary table: every cell at every v, printed, corrected and measured.

    Exponents are those of 1/gap, 1/epsilon and T (for an instance-dependent bound: of ln T), measured for the upper
    bounds. Cells for bounded rewards do not depend on v and stand once, with v = nan.
    """
    rows = []
    for number, v in enumerate(study.vs):
        for row in summary(v):
            bounded = row.rewards == "bounded"
            if not bounded or number == 0:
                rows.append(_cell(study, row, math.nan if bounded else v))
    frame = pd.DataFrame(rows)
    frame = frame.sort_values(["rewards", "kind", "model", "v"], ascending=[False, True, True, True], kind="stable")
    headings = {"kind": "Bound"}
    for name, letter in (("gap", "\\Delta"), ("epsilon", "\\epsilon"), ("horizon", "T")):
        headings |= {f"printed_{name}": f"${letter}$, slides", f"corrected_{name}": "corrected", name: "measured"}
    return _table(
        frame,
        "The summary table measured: powers of $1/\\Delta$, $1/\\epsilon$ and $T$ (instance-dependent rows: of "
        "$\\ln T$). Lower rows have no measurement, as no run shows what every algorithm must lose; for LDP and heavy "
        "tails the algorithm is ours. For bounded rewards DP-SE and LDP-UCB-B are measured.",
        " ".join(["rewards kind model side v", *(name for name in headings if name != "kind")]),
        {name: ".2f" for name in headings if "_" in name},
        **headings,
    )


def _cell(study: Study, row: Row, v: float) -> dict[str, object]:
    cell: dict[str, object] = {"rewards": row.rewards, "kind": row.kind, "model": row.model, "side": row.side, "v": v}
    dependent, upper = row.kind == "instance-dependent", row.side == "upper"
    names = (rates.BOUNDED, rates.BOUNDED_LOCAL) if row.rewards == "bounded" else (rates.DP, rates.LDP)
    measured = names[row.model == "LDP"]
    for name, rate in (("printed", row.printed), ("corrected", row.corrected)):
        cell |= {
            f"{name}_formula": rate.formula if rate else "",
            f"{name}_gap": rate.gap if rate and dependent else math.nan,
            f"{name}_epsilon": rate.epsilon if rate else math.nan,
            f"{name}_horizon": (1.0 if dependent else rate.horizon) if rate else math.nan,
        }
    in_gap = dependent and upper  # no run shows what every algorithm must lose
    for name, quantity, asked in (
        ("gap", GAP, in_gap),
        ("epsilon", EPSILON, in_gap),
        ("horizon", LOG if dependent else rates.WORST, upper),
    ):
        seen = (study.rate(measured, quantity, v).fit if asked else None) or Interval()
        columns = {f"measured_{name}": seen.measured, f"low_{name}": seen.low, f"high_{name}": seen.high}
        cell |= {**columns, name: _shown(seen.measured, seen.low, seen.high)}
    return cell | {"box": measured if upper else ""}


def _shown(measured: float, low: float, high: float) -> str:
    """A value with its interval, where two digits tell the ends apart."""
    if math.isnan(measured):
        return ""
    return f"{measured:.2f}" + (f" [{low:.2f}, {high:.2f}]" if f"{low:.2f}" != f"{high:.2f}" else "")


@tables("formulas")
def formulas(study: Study) -> str:
    """The summary table's formulas, printed and corrected, as a Markdown table."""
    lines = ["| Rewards | Bound | Model | Side | Slides | Corrected |", "| :--- | :--- | :--- | :--- | :--- | :--- |"]
    for row in summary(study.vs[0]):
        symbol = "O" if row.side == "upper" else r"\Omega"
        printed = f"${symbol}\\left({row.printed.formula}\\right)$" if row.printed else "none"
        same = row.printed is not None and row.printed.formula == row.corrected.formula
        corrected = "the same" if same else f"${symbol}\\left({row.corrected.formula}\\right)$"
        if row.side == "lower" and row.printed is not None and not same:
            corrected += " (the printed one holds and is loose)"
        cells = (row.rewards, row.kind, row.model, row.side, printed, corrected)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


@tables("table-exponents")
def exponents(study: Study) -> Table:
    """Every measured exponent beside the printed and the corrected one."""
    frame = rates.table(study.exponents)
    for place, column in enumerate(("printed", "corrected"), start=3):
        found = [rates.claimed(r.policy, r.quantity, r.v, printed=column == "printed") for r in frame.itertuples()]
        frame.insert(place, column, found)
    frame["shown"] = [_shown(r.measured, r.low, r.high) for r in frame.itertuples()]
    return _table(
        frame,
        "Exponents: printed, corrected, and measured with 95 % intervals where they can be seen. Empty: not stated, or "
        "fewer than four points have settled.",
        "policy v quantity printed corrected shown points",
        quantity="In",
        shown="Measured",
    )


@tables("table-unknown-moments")
def unknown(study: Study) -> Table:
    """What not knowing u and v costs."""
    return _table(
        costs(study),
        "Without $u$ and $v$ on setting 1 at $\\epsilon = 1$. The constants differ in what they promise: $c=24$ is "
        "proven for every law of moment $u$, the smaller $c$ and the quantiles' width are not.",
        "v policy reading pays regret over_known over_small",
    )


def costs(study: Study) -> pd.DataFrame:
    """Return the regret at the horizon without u and v, and over that of DP Robust SE with both, at two constants."""
    rows = []
    for v, panel in study.unknown.items():
        known, small = (panel.final("DP Robust SE", r) for r in ("u and v known", "known, smaller constants"))
        for run in panel:
            if run.policy is not UNIFORM:
                pays, regret = run.policy.privacy.effective_epsilon, float(run.final.mean())
                over = [regret / base if base > 0 else math.nan for base in (known, small)]
                rows.append((v, run.name, run.reading, pays, regret, *over))
    return pd.DataFrame(rows, columns=["v", "policy", "reading", "pays", "regret", "over_known", "over_small"])


@tables("table-bounds")
def theorems(study: Study) -> Table:
    """Every theorem's bound at the horizon, printed and corrected.

    Upper bounds are for setting 1 at epsilon = 1; `over_uniform` is a bound over the regret of uniform play there, and
    above 1 it is vacuous. Lower bounds are for five arms, u = 1, one gap of 0.05 and epsilon = 0.02, `over_uniform`
    over uniform play on that instance; the bound without privacy stands beside them.
    """
    return _table(
        pd.concat([_theorems(study, v) for v in study.vs], ignore_index=True),
        "Every bound at the horizon. Upper bounds: setting 1, $\\epsilon=1$; above uniform play they are vacuous. "
        f"Lower bounds: five arms, gap {LOWER_GAP:g}, $u=1$, $\\epsilon={LOWER_EPSILON:g}$, where privacy costs more "
        "than telling the arms apart does anyway.",
        "bound side variant v value over_uniform",
        {"value": ".3g"},
    )


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

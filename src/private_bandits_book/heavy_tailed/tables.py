"""The tables of the chapter."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import mean_interval
from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book import package_data, studies
from private_bandits_book.exhibits import Exhibits, Made, names, tabled
from private_bandits_book.heavy_tailed import comparisons, orders, rare, rates
from private_bandits_book.heavy_tailed.coverage import LOCAL_SETTING
from private_bandits_book.heavy_tailed.study import LONG, PRICED, PRINTED, SMALLER, UNIFORM, Study, between
from private_bandits_book.rules import beyond_rounding
from private_bandits_book.studies import Runs

tables = Exhibits(measured={"table-confidence": "confidence", "table-local-confidence": "local_confidence"})
COUNTER_LIMIT = 2.0**63
_SOURCES = ("printed", "corrected")
LOWER_GAP = 0.05  # of the lower bounds, inside their ranges
_ENDS = {  # policy and variant of each column
    "dp_robust_ucb": (rates.UCB, PRINTED),
    "dp_robust_se": (rates.DP, PRINTED),
    "dp_robust_ucb_smaller": (rates.UCB, SMALLER),
    "dp_robust_se_smaller": (rates.DP, SMALLER),
    "robust_ucb": (rates.PLAIN_UCB, PRINTED),
    "robust_se": (rates.PLAIN_SE, PRINTED),
    "robust_ucb_smaller": (rates.PLAIN_UCB, SMALLER),
    "robust_se_smaller": (rates.PLAIN_SE, SMALLER),
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
        row = {"setting": number, "v": v, "epsilon": epsilon, "uniform": panel[0].uniform}
        runs = {column: panel.find(*of) for column, of in _ENDS.items()}
        rows.append(row | {column: float(run.final.mean()) / run.uniform for column, run in runs.items()})
    return pd.DataFrame(rows)


@tables("table-horizons")
def horizons(study: Study) -> pd.DataFrame:
    """In how many of the DP panels DP Robust SE ends below DP Robust UCB, by shape and horizon."""
    rows = []
    for (spare, horizon), panels in study.judged.items():
        row: dict[str, Any] = {"spare": spare, "horizon": horizon, "panels": len(panels)}
        row |= comparisons.orders_of(panels.values())
        for column, name in (("dp_robust_se", rates.DP), ("dp_robust_ucb", rates.UCB)):
            runs = [panel.find(name, PRINTED) for panel in panels.values()]
            shares = [float(run.final.mean()) / run.uniform for run in runs]
            row[column] = f"{min(shares):.2g} to {max(shares):.2g}"
        rows.append(row)
    return pd.DataFrame(rows)


def judged(study: Study) -> str:
    """Say in how many cases of panel, shape and horizon there is an order to see, and which it is."""
    frame = horizons(study)
    total, seen, below, before = (int(frame[column].sum()) for column in ("panels", "learnt", "below", "before"))
    cases = f"in {seen} of {total} cases of panel, shape and horizon one of the two has learnt"
    return f"{cases}, and DP Robust SE is below in {below} of these; in {before} of the others it is above"


def price(study: Study, v: float, variant: str) -> float:
    """Return the regret of an algorithm at epsilon = 1 over that of its version without privacy, or nan."""
    private, plain = (study.price[v].select(variant=variant, epsilon=epsilon) for epsilon in (1.0, math.inf))
    lost, base = (float(run.final.mean()) for run in (private[0], plain[0]))
    return lost / base if base > 0.0 else math.nan


@tables("table-bracket")
def bracket(study: Study) -> pd.DataFrame:
    """DP Robust UCB played round by round, and its regret between two ends on other draws of the same law."""
    rows = []
    for v, cases in study.checked.items():
        for arms, radius, run, far in cases:
            low, high = between(far)
            row: dict[str, Any] = {"v": v, "arms": arms, "radius": radius, "t": int(far.t[-1])}
            seen = mean_interval(run.final / run.uniform)
            row |= seen.columns()
            row |= {"least": mean_interval(low / far.uniform).low, "most": mean_interval(high / far.uniform).high}
            row["width"] = float(np.mean(high - low) / np.mean(high + low))
            row["played"] = _interval(*seen[:3])
            row["meets"] = "yes" if seen.low <= row["most"] and seen.high >= row["least"] else "no"
            rows.append(row)
    return pd.DataFrame(rows)


@tables("table-unseen")
def unseen(study: Study) -> pd.DataFrame:
    """Quantile SE where rare rewards make the mean, and on Pareto arms, by the length of its first epoch."""
    rows = []
    for (first, rate), lost in study.unseen.items():
        often, variant = studies.share(lost), "u and v unknown" if first < rare.LONG else LONG
        row: dict[str, Any] = {"first": first, "rate": rate, "pays": 0.8 / rate, "runs": len(lost), **often.columns()}
        row |= {f"pareto_v{v:g}": panel.final(rates.QUANTILE, variant) for v, panel in study.unknown.items()}
        row["lost"] = f"{int(lost.sum())} of {len(lost)} [{often.low:.2f}, {often.high:.2f}]"
        row["pareto"] = " and ".join(f"{row[f'pareto_v{v:g}']:.3g}" for v in study.vs)
        rows.append(row)
    return pd.DataFrame(rows)


def _interval(measured: float, low: float, high: float) -> str:
    """A value with its interval, where two digits tell the ends apart."""
    if math.isnan(measured):
        return ""
    return f"{measured:.2f}" + (f" [{low:.2f}, {high:.2f}]" if f"{low:.2f}" != f"{high:.2f}" else "")


@tables("formulas", each=lambda study: [("formulas", True), ("formulas-same", False)])
def formulas(study: Study, label: str, corrected: bool) -> str:
    """The rows of the slides' summary table that are corrected, or the others, as a Markdown table."""
    lines = ["| Row | Slides | Corrected |", "| :--- | :--- | :--- |"]
    cells = package_data.tables("heavy_tailed", "summary")["cell"]
    for cell in sorted(cells, key=lambda cell: "printed" not in cell):
        if ("corrected" in cell) == corrected:
            symbol, printed, other = "O" if cell["side"] == "upper" else r"\Omega", *map(cell.get, _SOURCES)
            both = [f"${symbol}\\left({formula}\\right)$" if formula else "" for formula in (printed, other)]
            loose = ", holds and is loose" if printed and other and cell["side"] == "lower" else ""
            row = f"{cell['rewards']}, {cell['model']}, {cell['kind']}, {cell['side']}{loose}"
            lines.append(f"| {row} | {both[0] or 'none'} | {both[1] or 'the same'} |")
    return "\n".join(lines)


@tables("table-exponents")
def exponents(study: Study) -> pd.DataFrame:
    """Every measured exponent beside the printed and the corrected one, and the corrected law's in the same fit."""
    frame = pd.DataFrame([one.row() for one in study.exponents])
    fitted = ["measured", "low", "high"]
    frame[fitted] = frame[fitted].map(beyond_rounding)
    for place, column in enumerate(("printed", "corrected"), start=4):
        found = [rates.claimed(r.key, r.quantity, r.v, printed=column == "printed") for r in frame.itertuples()]
        frame.insert(place, column, found)
    forms = [rates.form(r.quantity, r.corrected) for r in frame.itertuples()]
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
    return frame[(frame["key"] == rates.QUANTILE) & (frame["reading"] == "u and v unknown")].set_index("v")


@tables("table-bounds")
def theorems(study: Study) -> Made:
    """Every theorem's bound at the horizon, printed and corrected.

    Upper bounds are for setting 1 at epsilon = 1; `over_uniform` is a bound over the regret of uniform play there, and
    above 1 it is vacuous. Lower bounds are for five arms, u = 1, one gap of 0.05 and epsilon = 0.02, `over_uniform`
    over uniform play on that instance; the bound without privacy stands beside them.
    """
    frame = pd.concat([_theorems(study, v) for v in study.vs], ignore_index=True)
    return tabled(frame, gap=LOWER_GAP, epsilon=PRICED)


def _theorems(study: Study, v: float) -> pd.DataFrame:
    problem, u, horizon = study.problem(1, v), study.moment(1, v), study.length
    means, arms, beta = problem.means, problem.n_items, study.beta
    both, three = ("printed", "corrected"), ("printed", "rate", "corrected")
    corrected = ("corrected",)
    law, private = (v, u, horizon), (1.0, v, u, horizon)
    hard, free = (arms, LOWER_GAP, PRICED, v, horizon), (arms, PRICED, v, horizon)
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

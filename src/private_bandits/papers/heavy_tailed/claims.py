"""Every claim of Tao et al. (2022), with what was measured and the rule that judges it.

Rates are judged at every v of the chapter, on the instance of the lower bounds (`rates`). An upper bound of order
O(...) asks for exponents at most as large, a lower bound for exponents at least as large, "optimal" for both. What the
slides state as an order has no constant; where a bound with constants is asked for, it is ours (`corrected`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.claims import (
    UNDECIDED,
    Claim,
    ExactRate,
    Holds,
    Less,
    LowerBound,
    LowerRate,
    Measurement,
    Near,
    Privacy,
    Row,
    Ruling,
    UpperBound,
    UpperRate,
    after_repair,
    all_of,
    ledger,
    rests_on,
)
from private_bandits.estimates import difference_interval, mean_interval
from private_bandits.papers.heavy_tailed import bounds, rates
from private_bandits.papers.heavy_tailed.elimination import dp_robust_se, ldp_robust_se
from private_bandits.papers.heavy_tailed.experiments import (
    PRINTED,
    RUNS,
    SETTINGS,
    SLIDE_RATE,
    SMALLER,
    Curve,
    Experiments,
    Panel,
    find,
    last,
)
from private_bandits.papers.heavy_tailed.index_boxes import dp_robust_ucb
from private_bandits.papers.heavy_tailed.rates import Exponent, Point

COMMAND = "private-bandits reproduce heavy_tailed"
PAPER_VS, PAPER_EPSILONS = (0.5, 0.9), (0.5, 1.0)
LEARNT = 0.5  # share of uniform play's regret below which a policy has learnt something
SLACK = 0.1  # what a fitted exponent in 1/gap, 1/epsilon, T or u may miss by at finite horizons
LOG_SLACK = 0.25  # the same in ln T: the boxes' logarithm is ln(4 K e^2 T), whose constant lowers the slope
LOCAL_SLACK = 0.25  # and for LDP-UCB-B, which is played round by round and sees few gaps
_SCALING_SLACK = 0.02


@dataclass
class Evidence:
    """What the chapter measured, and the parameters it did so at."""

    central: dict[tuple[int, float, float], Panel]  # by setting, v, epsilon: the 12 panels
    local: dict[float, Panel]  # by v: the 2 panels
    fluid: dict[float, Panel]  # by v
    unknown: dict[float, Panel]
    episodes: dict[float, Panel]
    bounded: Panel
    exponents: list[Exponent]
    points: dict[tuple[str, float], list[Point]]  # by box and v
    scaling: pd.DataFrame
    scaling_exponents: dict[tuple[float, str], Measurement]
    confidence: pd.DataFrame
    local_confidence: pd.DataFrame
    vs: list[float]
    setting: Experiments

    def exponent(self, box: str, quantity: str, v: float = math.nan) -> Measurement | None:
        """One measured exponent, or None."""
        for one in self.exponents:
            if (one.box, one.quantity) == (box, quantity) and (one.v == v or math.isnan(v)):
                return one.fit
        return None


class _Book:
    """Rows in the order they are judged, and the rulings that later rows build on."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.rulings: dict[str, Ruling] = {}

    def judge(self, name: str, kind: str, locus: str, statement: str, ruling: Ruling) -> None:
        self.rulings[name] = ruling
        self.rows.append(Claim(name, kind, locus, statement, lambda: ruling, COMMAND).judge())


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the ledger: privacy, theorems, the table's rows, the panels, the contributions."""
    book = _Book()
    _privacy(book, evidence)
    _robust_ucb(book, evidence)
    _central_theorems(book, evidence)
    _local_theorems(book, evidence)
    _table(book, evidence)
    _central_panels(book, evidence)
    _local_panels(book, evidence)
    _contributions(book, evidence)
    return ledger(book.rows)


def fluid_error(panel: Panel, reading: str = PRINTED) -> float:
    """Largest relative distance of the fluid approximation from the runs, over the rounds that both have; nan if none.

    From round 1000, before which a few pulls are a large share.
    """
    runs = [c for c in panel if c.name == "DP Robust UCB" and c.reading == reading and c.kind == RUNS]
    fluid = [c for c in panel if c.name == "DP Robust UCB, fluid" and c.reading == reading]
    if not runs or not fluid:
        return math.nan
    t, here, there = np.intersect1d(runs[0].t, fluid[0].t, return_indices=True)
    mean, approximated = runs[0].regret.mean(axis=0)[here], fluid[0].regret[0][there]
    late = (t >= 1000) & (mean > 0)
    return float(np.max(np.abs(approximated[late] / mean[late] - 1.0))) if late.any() else math.nan


# --- privacy


def _privacy(book: _Book, evidence: Evidence) -> None:
    setting, v = evidence.setting, evidence.vs[0]
    u, epsilon = setting.moment(1, v), 1.0
    for name, locus, statement, policy in (
        (
            "privacy-dp-robust-ucb",
            "Algorithm 1",
            "DP Robust UCB is epsilon-DP; with the tree noise that we fill in, as the slides leave it open.",
            dp_robust_ucb(epsilon, v, u, max(setting.horizon, 2)),
        ),
        (
            "privacy-dp-robust-se",
            "Algorithm 3",
            "DP Robust SE is epsilon-DP.",
            dp_robust_se(epsilon, v, u, setting.beta),
        ),
        (
            "privacy-ldp-robust-se",
            "LDP Robust SE",
            "LDP Robust SE is epsilon-LDP; in our box, as the slides show none.",
            ldp_robust_se(epsilon, v, u, setting.beta),
        ),
    ):
        paid = policy.privacy
        book.judge(
            name, "privacy", locus, statement, Privacy(epsilon)(paid.effective_epsilon, paid.effective_delta or 0.0)
        )


# --- DP Robust UCB, in the fluid approximation


def _robust_ucb(book: _Book, evidence: Evidence) -> None:
    shown = evidence.confidence
    covered = shown[(shown["policy"] == "DP Robust UCB") & (shown["value"] == 18.0) & (shown["epsilon"] <= 1.0)]
    radius = Holds()(
        bool(covered["proven"].all()) if len(covered) else None,
        f"the radius covers bias, sampling and tree noise, by their bounds, in {int(covered['proven'].sum())} of "
        f"{len(covered)} cases",
    )
    parts, plain, factor = [radius], [], []
    for v in evidence.vs:
        private_log, plain_log = (evidence.exponent(box, rates.LOG, v) for box in (rates.INDEX, rates.PLAIN_INDEX))
        parts += [
            UpperRate(1.0 / v, tolerance=SLACK)(evidence.exponent(rates.INDEX, rates.GAP, v)),
            UpperRate(1.0, tolerance=SLACK)(evidence.exponent(rates.INDEX, rates.EPSILON, v)),
            UpperRate(2.5 + 1.0 / v, tolerance=SLACK)(private_log),
        ]
        plain += [
            UpperRate(1.0 / v, tolerance=SLACK)(evidence.exponent(rates.PLAIN_INDEX, rates.GAP, v)),
            UpperRate(1.0, tolerance=SLACK)(plain_log),
        ]
        excess = None if private_log is None or plain_log is None else private_log.measured - plain_log.measured
        factor.append(Near(1.5 + 1.0 / v, tolerance=SLACK)(excess))
    fluid = " Exponents of the fluid approximation: the runs reach no horizon at which the box has learnt."
    book.judge(
        "theorem-dp-robust-ucb",
        "theorem",
        "Upper bound of DP Robust UCB, (2)",
        "DP Robust UCB has regret of order ln^(2.5+1/v)(T)/epsilon sum (u/gap)^(1/v)." + fluid,
        all_of(*parts),
    )
    book.judge(
        "discussion-non-private-rate",
        "discussion",
        "After (2)",
        "The non-private rate is ln T sum (u/gap)^(1/v), by robust UCB." + fluid,
        all_of(*plain),
    )
    book.judge(
        "discussion-additional-factor",
        "discussion",
        "After (2)",
        "DP Robust UCB pays an additional factor of ln^(1.5+1/v)(T)/epsilon." + fluid,
        all_of(
            *factor,
            *(Near(1.0, tolerance=SLACK)(evidence.exponent(rates.INDEX, rates.EPSILON, v)) for v in evidence.vs),
        ),
    )


# --- the theorems on elimination


def _rates(
    evidence: Evidence, box: str, claimed: Mapping[str, float], rule: Callable[..., Any], v: float
) -> list[Ruling]:
    return [
        rule(rate, tolerance=LOG_SLACK if quantity == rates.LOG else SLACK)(evidence.exponent(box, quantity, v))
        for quantity, rate in claimed.items()
    ]


def _dependent(v: float, epsilon_power: float) -> dict[str, float]:
    return {rates.GAP: 1.0 / v, rates.EPSILON: epsilon_power, rates.LOG: 1.0}


def _central_theorems(book: _Book, evidence: Evidence) -> None:
    dependent, independent, lower = [], [], []
    for v in evidence.vs:
        dependent += [
            *_rates(evidence, rates.DP, _dependent(v, 1.0), UpperRate, v),
            _moment(evidence, rates.MOMENT, v, printed=1.0 / (1.0 + v), corrected=1.0 / v),
            _upper_bound(evidence, v),
        ]
        independent += [
            UpperRate(1.0 / (1.0 + v), tolerance=SLACK)(evidence.exponent(rates.DP, rates.WORST, v)),
            _moment(evidence, rates.WORST_MOMENT, v, printed=v / (1.0 + v) ** 2, corrected=1.0 / (1.0 + v)),
        ]
        lower += [
            *_rates(evidence, rates.DP, _dependent(v, 1.0), LowerRate, v),
            _lower_bound(evidence, v, rates.EPISODES, bounds.dp_lower),
        ]
    book.judge(
        "theorem-dp-upper-dependent",
        "theorem",
        "DP upper bound, first part",
        "DP Robust SE has regret of order u^(1/(1+v)) ln T/epsilon sum gap^(-1/v); repaired: with u^(1/v).",
        all_of(*dependent),
    )
    book.judge(
        "theorem-dp-upper-independent",
        "theorem",
        "DP upper bound, second part",
        "Its regret is at most of order u^(v/(1+v)^2) (K ln T/epsilon)^(v/(1+v)) T^(1/(1+v)); repaired: u^(1/(1+v)).",
        all_of(*independent),
    )
    book.judge(
        "theorem-dp-lower",
        "theorem",
        "DP instance-dependent lower bound, (3)",
        "Every epsilon-DP algorithm has regret at least of order ln T/epsilon sum gap^(-1/v) on some instance.",
        all_of(*lower),
    )


def _moment(evidence: Evidence, quantity: str, v: float, *, printed: float, corrected: float) -> Ruling:
    """The power of u, as printed and as the epochs have it."""
    seen = evidence.exponent(rates.DP, quantity, v)
    return after_repair(*(UpperRate(power, tolerance=SLACK)(seen) for power in (printed, corrected)))


def _local_theorems(book: _Book, evidence: Evidence) -> None:
    upper, worst, lower, lower_worst = [], [], [], []
    for v in evidence.vs:
        slide = evidence.scaling_exponents.get((v, "slide_rate"))
        kept = UpperRate(0.0, tolerance=_SCALING_SLACK)(slide)
        crossing = _crossing(v)
        upper += [
            *_rates(evidence, rates.LDP, _dependent(v, 2.0), UpperRate, v),
            kept,
            Holds()(
                math.isnan(crossing),
                f"at v = {v:g} the corrected lower bound passes the printed order below gap {crossing:.3g}",
            ),
        ]
        measured = evidence.exponent(rates.LDP, rates.WORST, v)
        worst += [UpperRate(1.0 / (1.0 + v), tolerance=SLACK)(measured), kept]
        lower += [
            *_rates(evidence, rates.LDP, _dependent(v, 2.0), LowerRate, v),
            _lower_bound(evidence, v, rates.LDP, bounds.ldp_lower),
        ]
        lower_worst.append(LowerRate(1.0 / (1.0 + v), tolerance=SLACK)(measured))
    for name, locus, statement, parts in (
        (
            "theorem-ldp-upper-dependent",
            "LDP upper bound, (4)",
            "LDP Robust SE has regret of order u^(2/v) ln T/epsilon^2 sum gap^(-1/v).",
            upper,
        ),
        (
            "theorem-ldp-upper-independent",
            "LDP upper bound, (5)",
            "Its regret is at most of order u^(2/(1+v)) (K ln T/epsilon^2)^(v/(1+v)) T^(1/(1+v)).",
            worst,
        ),
        (
            "theorem-ldp-lower-dependent",
            "LDP instance-dependent lower bound",
            "Every epsilon-LDP algorithm has regret at least of order ln T/epsilon^2 sum gap^(-1/v) on some instance.",
            lower,
        ),
        (
            "theorem-ldp-lower-independent",
            "LDP instance-independent lower bound",
            "Every epsilon-LDP algorithm has regret at least of order (K/epsilon^2)^(v/(1+v)) T^(1/(1+v)) on some.",
            lower_worst,
        ),
    ):
        book.judge(name, "theorem", locus, statement, all_of(*parts))


def _crossing(v: float) -> float:
    """Gap below which the corrected LDP lower bound is above the printed upper order with constant 1, u = 1."""
    gap, horizon = 1.0, 10**6
    while gap > 1e-12:
        lower = bounds.ldp_lower(rates.N_ARMS, gap, 1.0, v, horizon, variant="corrected")
        printed = (rates.N_ARMS - 1) * math.log(horizon) * gap ** (-1.0 / v)
        if lower > printed:
            return gap
        gap *= 0.99
    return math.nan


def _upper_bound(evidence: Evidence, v: float) -> Ruling:
    """The corrected bound of DP Robust SE, with its constants, at the smallest settled gap where it is not vacuous."""
    horizon = max(evidence.setting.horizon, 2)
    for point in reversed(evidence.points.get((rates.DP, v), [])):
        mass = point.gap ** ((1.0 + v) / v)
        means, unit = [mass, *[0.0] * (rates.N_ARMS - 1)], mass ** (-1.0 / (1.0 + v))
        bound = unit * bounds.dp_upper(means, 1.0, v, mass, horizon, 1.0 / horizon, variant="corrected")
        uniform = point.gap * (rates.N_ARMS - 1) / rates.N_ARMS * horizon
        if bound < uniform:
            return UpperBound(bound, uniform=uniform)(mean_interval(point.regret))
    return UpperBound(None, uniform=None)(None)


def _lower_bound(evidence: Evidence, v: float, box: str, bound: Callable[..., float]) -> Ruling:
    """The corrected lower bound on its own instance, against a box of ours, at the smallest gap that settles."""
    points = evidence.points.get((box, v), [])
    if not points:
        return LowerBound(None)(None)
    point, horizon = points[-1], max(evidence.setting.horizon, 2)
    least = bound(rates.N_ARMS, point.gap, 1.0, v, horizon, variant="corrected")
    return LowerBound(least)(mean_interval(point.regret))


# --- the table


def _table(book: _Book, evidence: Evidence) -> None:
    heavy, light = "Heavy-tailed", "Bounded"
    rules: dict[str, Callable[..., Any]] = {"upper": UpperRate, "lower": LowerRate}
    for model, box, power in (("DP", rates.DP, 1.0), ("LDP", rates.LDP, 2.0)):
        for side, rule in rules.items():
            parts = [r for v in evidence.vs for r in _rates(evidence, box, _dependent(v, power), rule, v)]
            _cell(book, heavy, "dependent", model, side, f"ln T/epsilon^{power:g} sum gap^(-1/v)", all_of(*parts))
    for side, rule in rules.items():
        parts = [rule(1.0, tolerance=SLACK)(evidence.exponent(rates.BOUNDED, q)) for q in (rates.GAP, rates.EPSILON)]
        _cell(book, light, "dependent", "DP", side, "K ln T/epsilon + sum ln T/gap, by DP-SE", all_of(*parts))
        parts = [
            rule(rate, tolerance=LOCAL_SLACK)(evidence.exponent(rates.BOUNDED_LOCAL, quantity))
            for quantity, rate in ((rates.GAP, 1.0), (rates.EPSILON, 2.0))
        ]
        _cell(book, light, "dependent", "LDP", side, "1/epsilon^2 sum ln T/gap, by LDP-UCB-B", all_of(*parts))
    for model, box in (("DP", rates.DP), ("LDP", rates.LDP)):
        for side, rule in rules.items():
            if (model, side) == ("DP", "lower"):
                continue  # the table has a dash
            parts = [
                rule(1.0 / (1.0 + v), tolerance=SLACK)(evidence.exponent(box, rates.WORST, v)) for v in evidence.vs
            ]
            _cell(book, heavy, "independent", model, side, "T^(1/(1+v)) in T", all_of(*parts))
    for model, box, slack in (("DP", rates.BOUNDED, SLACK), ("LDP", rates.BOUNDED_LOCAL, LOCAL_SLACK)):
        for side, rule in rules.items():
            ruling = rule(0.5, tolerance=slack)(evidence.exponent(box, rates.WORST))
            _cell(book, light, "independent", model, side, f"T^(1/2) in T, by {box}", ruling)


def _cell(book: _Book, rewards: str, kind: str, model: str, side: str, order: str, ruling: Ruling) -> None:
    book.judge(
        f"table-{rewards.lower().replace('-', '')}-{kind}-{model.lower()}-{side}",
        "table",
        f"Summary table, {rewards.lower()}, {model}",
        f"{rewards} rewards, instance-{kind}, {model}: the {side} bound is of order {order}.",
        ruling,
    )


# --- the panels


def _central_panels(book: _Book, evidence: Evidence) -> None:
    letters = {(v, e): letter for letter, (v, e) in zip("abcd", _grid(), strict=True)}
    for number in SETTINGS:
        for (v, epsilon), letter in letters.items():
            panel = evidence.central.get((number, v, epsilon))
            book.judge(
                f"figure-dp-setting-{number}{letter}",
                "figure",
                f"DP Model Setting {number}({letter})",
                f"At v = {v:g} and epsilon = {epsilon:g} DP Robust SE ends below DP Robust UCB.",
                Less("", "")(None) if panel is None else _below(panel, fluid_error(evidence.fluid[v])),
            )


def _grid() -> list[tuple[float, float]]:
    return [(v, epsilon) for v in PAPER_VS for epsilon in PAPER_EPSILONS]


def _below(panel: Panel, error: float) -> Ruling:
    """Whether SE ends below UCB; undecided where neither has learnt. A fluid value is as wide as its error."""
    rule = Less("DP Robust SE", "DP Robust UCB")
    uniform, mine = find(panel, "uniform").final.mean(), find(panel, "DP Robust SE", PRINTED)
    other = last(panel, "DP Robust UCB", PRINTED)
    if min(mine.final.mean(), other.final.mean()) > LEARNT * uniform:
        return rule(None)
    if other.kind == RUNS:
        return rule(difference_interval(mine.final, other.final))
    if math.isnan(error):
        return rule(None)
    seen, value = mean_interval(mine.final), float(other.final[0])
    margin = error * value
    return rule(Measurement(seen.mean - value, seen.low - value - margin, seen.high - value + margin))


def _local_panels(book: _Book, evidence: Evidence) -> None:
    for letter, v in zip("ab", PAPER_VS, strict=True):
        panel = evidence.local.get(v)
        ruling = Less("", "")(None)
        if panel is not None:
            printed, repaired = (
                all_of(_learns(panel, reading), _kept(evidence, v, name, reading))
                for reading, name in ((SLIDE_RATE, "LDP Robust SE, slide rate"), (SMALLER, "LDP Robust SE"))
            )
            shown = _learns(panel, SMALLER)  # a panel in which nothing has been decided shows nothing
            ruling = shown if shown.verdict == UNDECIDED else after_repair(printed, repaired)
        book.judge(
            f"figure-ldp-{letter}",
            "figure",
            f"LDP Model({letter})",
            f"At v = {v:g} LDP Robust SE learns, its means within their bound, and the sooner the larger epsilon. "
            "Printed: the rate of (4) and (5); repaired: the square-root scaling, with a smaller c.",
            ruling,
        )


def _learns(panel: Panel, reading: str) -> Ruling:
    """Every epsilon ends below half of uniform play, and a larger one below a smaller one."""
    uniform = float(find(panel, "uniform").final.mean())
    curves = sorted((c for c in panel if c.reading == reading), key=lambda curve: curve.epsilon)
    parts = []
    for curve in curves:
        seen = mean_interval(curve.final / uniform)
        excess = Measurement(seen.mean - LEARNT, seen.low - LEARNT, seen.high - LEARNT)
        # a run that has not finished an epoch has decided nothing
        undecided = bool(np.all(np.abs(curve.final / uniform - 1.0) < 1e-6))
        parts.append(
            Less(f"regret over uniform play at epsilon {curve.epsilon:g}", f"{LEARNT:g}")(None if undecided else excess)
        )
    parts += [_falls(a, b) for a, b in zip(curves, curves[1:], strict=False)]
    return all_of(*parts)


def _kept(evidence: Evidence, v: float, name: str, reading: str) -> Ruling:
    """Whether the drawn epoch means stay within what the rule allows."""
    frame = evidence.local_confidence
    constant = 24.0 if reading == SLIDE_RATE else evidence.setting.small_local_c
    rows = frame[(frame["policy"] == name) & (frame["v"] == v) & (frame["value"] == constant) & (frame["draws"] > 0)]
    beyond, draws = int(rows["beyond"].sum()), int(rows["draws"].sum())
    return Holds()(beyond == 0 if draws else None, f"{beyond} of {draws} epoch means lie beyond what the rule allows")


def _falls(small: Curve, large: Curve) -> Ruling:
    rule = Less(f"regret at epsilon {large.epsilon:g}", f"at {small.epsilon:g}")
    return rule(difference_interval(large.final, small.final))


# --- what the slides list as contributions


def _contributions(book: _Book, evidence: Evidence) -> None:
    exact = [r for v in evidence.vs for r in _rates(evidence, rates.DP, _dependent(v, 1.0), ExactRate, v)]
    local = [r for v in evidence.vs for r in _rates(evidence, rates.LDP, _dependent(v, 2.0), ExactRate, v)]
    near = [
        ExactRate(1.0 / (1.0 + v), tolerance=SLACK)(evidence.exponent(rates.LDP, rates.WORST, v)) for v in evidence.vs
    ]
    r = book.rulings
    for name, statement, parts in _LISTED:
        rulings = {part: r[part] for part in parts}
        extra = {"contribution-dp-optimal": exact, "contribution-ldp-optimal": local, "contribution-ldp-near": near}
        if name in extra:
            rulings["both rates at once"] = all_of(*extra[name])
        book.judge(name, "contribution", "Summary of contributions", statement, rests_on(rulings))


_LISTED: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("contribution-dp-ucb", "DP Robust UCB has an instance-dependent upper bound.", ("theorem-dp-robust-ucb",)),
    (
        "contribution-dp-optimal",
        "DP Robust SE is optimal: its instance-dependent upper and lower bounds agree.",
        ("theorem-dp-upper-dependent", "theorem-dp-lower"),
    ),
    (
        "contribution-dp-independent",
        "DP Robust SE has an instance-independent upper bound.",
        ("theorem-dp-upper-independent",),
    ),
    (
        "contribution-ldp-optimal",
        "LDP Robust SE is optimal: its instance-dependent upper and lower bounds agree.",
        ("theorem-ldp-upper-dependent", "theorem-ldp-lower-dependent"),
    ),
    (
        "contribution-ldp-near",
        "LDP Robust SE is near-optimal: its instance-independent bounds agree up to logarithms.",
        ("theorem-ldp-upper-independent", "theorem-ldp-lower-independent"),
    ),
)

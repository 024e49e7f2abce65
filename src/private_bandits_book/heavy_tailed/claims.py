"""Every claim of Tao et al. (2022), with what was measured or derived and the rule that judges it.

What is claimed of every algorithm, a lower bound, is decided by the bounds that are derived here (`orders`): that an
algorithm of ours loses much says nothing of others. So is an upper bound on LDP Robust SE, whose box the slides do not
show: a lower bound on every local algorithm can refute it, a box of ours cannot. Upper bounds on the boxes of the
slides are asked of both, of the bound that the box's constants give and of its runs, on the instance of the lower
bounds (`rates`). Panels are judged by `panels`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from private_bandits.estimates import Interval, mean_interval
from private_bandits.papers.heavy_tailed import bounds, dp_robust_se, dp_robust_ucb, ldp_robust_se
from private_bandits_book.heavy_tailed import orders, panels, rates
from private_bandits_book.heavy_tailed.experiments import SETTINGS, Experiments, Panel
from private_bandits_book.heavy_tailed.rates import Exponent, Point
from private_bandits_book.ledger import Book, ledger
from private_bandits_book.rules import (
    NOT_REPRODUCED,
    REPRODUCED,
    Holds,
    Privacy,
    Ruling,
    UpperRate,
    after_repair,
    all_of,
)

COMMAND = "private-bandits reproduce heavy_tailed"
SLACK = 0.1  # what a fitted exponent in 1/gap, 1/epsilon, T or u may miss by at finite horizons
LOG_SLACK = 0.02  # the same in ln T, beside the slope that the box's own logarithm has over the same horizons


@dataclass
class Evidence:
    """What the chapter measured, and the parameters it did so at."""

    central: dict[tuple[int, float, float], Panel]  # by setting, v, epsilon: the 12 panels
    local: dict[float, Panel]  # by v: the 2 panels
    fluid: dict[float, Panel]  # by v
    learnt: dict[float, Panel]  # by v: where the fluid approximation is checked on a box that has learnt
    unknown: dict[float, Panel]
    episodes: dict[float, Panel]
    bounded: Panel
    exponents: list[Exponent]
    points: dict[tuple[str, float], list[Point]]  # by box and v
    scaling: pd.DataFrame
    scaling_exponents: dict[tuple[float, str], Interval]
    confidence: pd.DataFrame
    local_confidence: pd.DataFrame
    vs: list[float]
    setting: Experiments

    def exponent(self, box: str, quantity: str, v: float = math.nan) -> Interval | None:
        """One measured exponent, or None."""
        found = self._exponent(box, quantity, v)
        return None if found is None else found.fit

    def points_of(self, box: str, quantity: str, v: float = math.nan) -> int:
        """How many points that exponent is fitted to."""
        found = self._exponent(box, quantity, v)
        return 0 if found is None else found.points

    def _exponent(self, box: str, quantity: str, v: float) -> Exponent | None:
        same = [one for one in self.exponents if (one.box, one.quantity) == (box, quantity)]
        return next((one for one in same if one.v == v or math.isnan(v)), None)


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the ledger: privacy, theorems, the table's rows, the panels, the contributions."""
    book = Book(COMMAND)
    _privacy(book, evidence)
    _robust_ucb(book, evidence)
    _central_theorems(book, evidence)
    _local_theorems(book, evidence)
    _heavy_table(book, evidence)
    _bounded_table(book, evidence)
    _panels(book, evidence)
    for name, statement, parts in _CONTRIBUTIONS:
        book.rest(name, "contribution", "Summary of contributions", statement, parts)
    return ledger(book.rows)


def _privacy(book: Book, evidence: Evidence) -> None:
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
        paid = policy.privacy  # computed from the noise of the record
        ruling = Privacy(epsilon)(paid.effective_epsilon, paid.effective_delta or 0.0)
        book.judge(name, "privacy", locus, statement, ruling)


def _robust_ucb(book: Book, evidence: Evidence) -> None:
    shown = evidence.confidence
    covered = shown[(shown["policy"] == "DP Robust UCB") & (shown["value"] == 18.0) & (shown["epsilon"] <= 1.0)]
    radius = Holds()(
        bool(covered["proven"].all()) if len(covered) else None,
        f"the radius covers bias, sampling and tree noise in {int(covered['proven'].sum())} of {len(covered)} cases",
    )
    book.judge(
        "theorem-dp-robust-ucb",
        "theorem",
        "Upper bound of DP Robust UCB, (2)",
        "DP Robust UCB has regret of order ln^(2.5+1/v)(T)/epsilon sum (u/gap)^(1/v).",
        all_of(radius, *(orders.index_upper(v) for v in evidence.vs)),
    )
    book.judge(
        "discussion-non-private-rate",
        "discussion",
        "After (2)",
        "The optimal non-private rate is ln T sum (u/gap)^(1/v), by robust UCB.",
        all_of(*(orders.plain_optimal(v) for v in evidence.vs)),
    )
    book.judge(
        "discussion-additional-factor",
        "discussion",
        "After (2)",
        "The bound of DP Robust UCB has an additional factor of ln^(1.5+1/v)(T)/epsilon.",
        all_of(*(orders.extra_factor(v) for v in evidence.vs)),
    )


def _central_theorems(book: Book, evidence: Evidence) -> None:
    vs = evidence.vs
    book.judge(
        "theorem-dp-upper-dependent",
        "theorem",
        "DP upper bound, first part",
        "DP Robust SE has regret of order u^(1/(1+v)) ln T/epsilon sum gap^(-1/v); repaired: with u^(1/v).",
        _repaired(
            [orders.central_moment(v) for v in vs],
            [
                part
                for v in vs
                for part in (
                    orders.central_upper(v),
                    _measured(evidence, rates.DP, {**_dependent(v, 1.0), rates.MOMENT: 1.0 / v}, v),
                    _below_its_bound(evidence, v),
                )
            ],
        ),
    )
    book.judge(
        "theorem-dp-upper-independent",
        "theorem",
        "DP upper bound, second part",
        "Its regret is at most of order u^(v/(1+v)^2) (K ln T/epsilon)^(v/(1+v)) T^(1/(1+v)); repaired: u^(1/(1+v)).",
        _repaired(
            [orders.central_moment_independent(v) for v in vs],
            [
                part
                for v in vs
                for part in (
                    orders.central_upper_independent(v),
                    _measured(
                        evidence, rates.DP, {rates.WORST: 1.0 / (1.0 + v), rates.WORST_MOMENT: 1.0 / (1.0 + v)}, v
                    ),
                )
            ],
        ),
    )
    book.judge(
        "theorem-dp-lower",
        "theorem",
        "DP instance-dependent lower bound, (3)",
        "On some instance with u <= 1, means <= 1/6 and gaps < 1/12, every epsilon-DP algorithm of regret at most "
        "T^(3/4) has regret at least of order ln T/epsilon sum gap^(-1/v).",
        all_of(*(orders.central_lower(v) for v in vs)),
    )


def _repaired(printed: list[Ruling], repaired: list[Ruling]) -> Ruling:
    """A theorem whose print differs from its repair in the power of u alone: as printed it also asks for the rest."""
    power, rest = all_of(*printed), all_of(*repaired)
    return after_repair(power, rest) if power.verdict == NOT_REPRODUCED else all_of(power, rest)


def _local_theorems(book: Book, evidence: Evidence) -> None:
    vs = evidence.vs
    book.judge(
        "theorem-ldp-upper-dependent",
        "theorem",
        "LDP upper bound, (4)",
        "LDP Robust SE has regret of order u^(2/v) ln T/epsilon^2 sum gap^(-1/v).",
        _of_any_box(
            [part for v in vs for part in (orders.local_upper(v), orders.rescaled(v))],
            [_measured(evidence, rates.LDP, _dependent(v, 2.0), v) for v in vs],
        ),
    )
    book.judge(
        "theorem-ldp-upper-independent",
        "theorem",
        "LDP upper bound, (5)",
        "Its regret is at most of order u^(2/(1+v)) (K ln T/epsilon^2)^(v/(1+v)) T^(1/(1+v)).",
        _of_any_box(
            [part for v in vs for part in (orders.local_upper_independent(v), orders.rescaled_independent(v))],
            [_measured(evidence, rates.LDP, {rates.WORST: 1.0 / (1.0 + v)}, v) for v in vs],
        ),
    )
    book.judge(
        "theorem-ldp-lower-dependent",
        "theorem",
        "LDP instance-dependent lower bound",
        "On some instance with u <= 1 and gaps < 1/5, every epsilon-LDP algorithm of regret o(T^a) for every a > 0 has "
        "regret at least of order ln T/epsilon^2 sum gap^(-1/v).",
        all_of(*(orders.local_lower(v) for v in vs)),
    )
    book.judge(
        "theorem-ldp-lower-independent",
        "theorem",
        "LDP instance-independent lower bound",
        "On some instance with u = 1, for large T, every epsilon-LDP algorithm has regret at least of order "
        "(K/epsilon^2)^(v/(1+v)) T^(1/(1+v)).",
        all_of(*(orders.local_lower_independent(v) for v in vs)),
    )


def _of_any_box(refuting: list[Ruling], ours: list[Ruling]) -> Ruling:
    """An upper bound on an algorithm that is not shown: refuted for all of them, shown by a box of ours, or open."""
    general, box = all_of(*refuting), all_of(*ours)
    if general.verdict == NOT_REPRODUCED:
        return general
    return all_of(general, box if box.verdict == REPRODUCED else Holds()(None))


# --- the table


def _heavy_table(book: Book, evidence: Evidence) -> None:
    vs, heavy = evidence.vs, "Heavy-tailed"
    upper = [
        part for v in vs for part in (orders.central_upper(v), _measured(evidence, rates.DP, _dependent(v, 1.0), v))
    ]
    order = "ln T/epsilon sum gap^(-1/v)"
    _cell(book, heavy, "dependent", "DP", "upper", order, all_of(*upper))
    _cell(book, heavy, "dependent", "DP", "lower", order, all_of(*(orders.central_lower(v) for v in vs)))
    order = "ln T/epsilon^2 sum gap^(-1/v)"
    ours = [_measured(evidence, rates.LDP, _dependent(v, 2.0), v) for v in vs]
    ruling = _of_any_box([orders.local_upper(v) for v in vs], ours)
    _cell(book, heavy, "dependent", "LDP", "upper", order, ruling)
    _cell(book, heavy, "dependent", "LDP", "lower", order, all_of(*(orders.local_lower(v) for v in vs)))
    upper = [
        part
        for v in vs
        for part in (
            orders.central_upper_independent(v),
            _measured(evidence, rates.DP, {rates.WORST: 1.0 / (1.0 + v)}, v),
        )
    ]
    _cell(book, heavy, "independent", "DP", "upper", "(K ln T/epsilon)^(v/(1+v)) T^(1/(1+v))", all_of(*upper))
    ours = [_measured(evidence, rates.LDP, {rates.WORST: 1.0 / (1.0 + v)}, v) for v in vs]
    ruling = _of_any_box([orders.local_upper_independent(v) for v in vs], ours)
    _cell(book, heavy, "independent", "LDP", "upper", "(K ln T/epsilon^2)^(v/(1+v)) T^(1/(1+v))", ruling)
    ruling = all_of(*(orders.local_lower_independent(v) for v in vs))
    _cell(book, heavy, "independent", "LDP", "lower", "(K/epsilon^2)^(v/(1+v)) T^(1/(1+v)), T large", ruling)


def _bounded_table(book: Book, evidence: Evidence) -> None:
    light, order = "Bounded", "K ln T/epsilon + sum ln T/gap"
    found = _measured(evidence, rates.BOUNDED, {rates.GAP: 1.0, rates.SMALL_GAP: 0.0, rates.EPSILON: 1.0})
    _cell(book, light, "dependent", "DP", "upper", f"{order}, by DP-SE", found)
    _cell(book, light, "dependent", "DP", "lower", order, orders.bounded_lower(local=False))
    order = "1/epsilon^2 sum ln T/gap"
    found = _measured(evidence, rates.BOUNDED_LOCAL, {rates.GAP: 1.0, rates.EPSILON: 2.0})
    _cell(book, light, "dependent", "LDP", "upper", f"{order}, by LDP-UCB-B", found)
    _cell(book, light, "dependent", "LDP", "lower", order, orders.bounded_lower(local=True))
    order = "T^(1/2) in T"
    for model, box in (("DP", rates.BOUNDED), ("LDP", rates.BOUNDED_LOCAL)):
        found = _measured(evidence, box, {rates.WORST: 0.5})
        _cell(book, light, "independent", model, "upper", f"{order}, by {box}", found)
    order = "sqrt(K T) + K ln T/epsilon, T large"
    _cell(book, light, "independent", "DP", "lower", order, orders.bounded_lower_independent(local=False))
    order = "sqrt(K T)/epsilon"
    _cell(book, light, "independent", "LDP", "lower", order, orders.bounded_lower_independent(local=True))


def _cell(book: Book, rewards: str, kind: str, model: str, side: str, order: str, ruling: Ruling) -> None:
    says = "the upper bound is of order" if side == "upper" else "no algorithm has regret below the order"
    book.judge(
        f"table-{rewards.lower().replace('-', '')}-{kind}-{model.lower()}-{side}",
        "table",
        f"Summary table, {rewards.lower()}, {model}",
        f"{rewards} rewards, instance-{kind}, {model}: {says} {order}.",
        ruling,
    )


# --- what runs say of an order


def _dependent(v: float, epsilon_power: float) -> dict[str, float]:
    return {rates.GAP: 1.0 / v, rates.EPSILON: epsilon_power, rates.LOG: 1.0}


def _measured(evidence: Evidence, box: str, claimed: Mapping[str, float], v: float = math.nan) -> Ruling:
    """Whether a box's exponents are at most those claimed, each allowed what a fit misses by."""
    parts, words = [], []
    for quantity, rate in claimed.items():
        seen, slack, least = evidence.exponent(box, quantity, v), SLACK, rate
        if quantity == rates.LOG:
            least = rate * rates.log_slope(evidence.setting.horizon, evidence.points_of(box, quantity, v))
            slack = LOG_SLACK
        parts.append(UpperRate(least, tolerance=slack)(seen))
        words.append(f"({quantity}) {math.nan if seen is None else seen.measured:.3g} for {least:.3g}")
    found = all_of(*parts)
    holds = {REPRODUCED: True, NOT_REPRODUCED: False}.get(found.verdict)
    where = box if math.isnan(v) else f"v={v:g}"
    return Holds()(holds, f"{where}: exponents {', '.join(words)}", found.measurement)


def _below_its_bound(evidence: Evidence, v: float) -> Ruling:
    """Runs of DP Robust SE against its bound with constants, at the smallest settled gap where it is not vacuous."""
    horizon = max(evidence.setting.horizon, 2)
    for point in reversed(evidence.points.get((rates.DP, v), [])):
        mass = point.gap ** ((1.0 + v) / v)
        means, unit = [mass, *[0.0] * (rates.N_ARMS - 1)], mass ** (-1.0 / (1.0 + v))
        bound = unit * bounds.dp_upper(means, 1.0, v, mass, horizon, 1.0 / horizon, variant="corrected")
        if bound < point.gap * (rates.N_ARMS - 1) / rates.N_ARMS * horizon:
            seen = mean_interval(point.regret)
            return Holds()(seen.low <= bound, f"v={v:g}: regret {seen.measured:.2g}, bound {bound:.2g}")
    return Holds()(None)


# --- panels and contributions


def _panels(book: Book, evidence: Evidence) -> None:
    rounds = f"{evidence.setting.horizon:.3g}".replace("e+", "e")
    error = panels.fluid_margin(evidence.learnt)
    for number in SETTINGS:
        for letter, (v, epsilon) in zip("abcd", panels.GRID, strict=True):
            panel = evidence.central.get((number, v, epsilon))
            book.judge(
                f"figure-dp-setting-{number}{letter}",
                "figure",
                f"DP Model Setting {number}({letter})",
                f"At v = {v:g}, epsilon = {epsilon:g} and T = {rounds} DP Robust SE is below DP Robust UCB; the order "
                "of their upper bounds, as the slides' panels have no numbers.",
                Holds()(None) if panel is None else panels.below(panel, error),
            )
    for letter, v in zip("ab", panels.VS, strict=True):
        panel = evidence.local.get(v)
        book.judge(
            f"figure-ldp-{letter}",
            "figure",
            f"LDP Model({letter})",
            f"At v = {v:g} LDP Robust SE learns within T = {rounds}, its means within their bound, and the sooner the "
            "larger epsilon; in our box, the square root with c = 24.",
            Holds()(None) if panel is None else panels.learns(panel, evidence.local_confidence, v),
        )


_CONTRIBUTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
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

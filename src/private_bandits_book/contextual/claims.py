"""Every claim of Zheng et al. (2020), with what was measured and the rule that judges it.

Table 1 states orders, so most claims are rates: an upper bound of order O(...) asks for exponents at most as large. A
fitted exponent speaks of the instances and the reading it was fitted on; one that was not measured leaves its claim
undecided. Bounds with constants are ours, derived, and decide something only below uniform play.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.contextual import bounds
from private_bandits_book.contextual import exact_claims, facts, linear_rates
from private_bandits_book.contextual.evidence import Evidence
from private_bandits_book.contextual.summary import EPSILON, LOG_T, ROWS, Row, T
from private_bandits_book.ledger import Book, ledger
from private_bandits_book.rules import (
    Holds,
    Less,
    NotTestable,
    Ruling,
    UpperBound,
    UpperRate,
    after_repair,
    all_of,
    rests_on,
)

COMMAND = "private-bandits reproduce contextual"
LONG = "private-bandits reproduce contextual --long"
SLACK = {T: 0.1, LOG_T: 0.35, EPSILON: 0.15}  # what a fitted exponent may miss by at finite horizons
PLAIN, PRINTED, LAPLACE, TUNED = "no privacy", "printed", "laplace", "tuned"
ROOT = ((T, 0.5), (EPSILON, 1.0))  # the powers of sqrt T/epsilon
ONE_POINT = tuple(key for key, row in ROWS.items() if row.kind == "context-free")
TWO_POINTS = tuple(key for key, row in ROWS.items() if row.kind == "two points")
LINEAR, LOGISTIC = (key for key, row in ROWS.items() if row.kind == "contextual")
OURS = {LINEAR: "derived", LOGISTIC: "repaired"}
"""Readings of Algorithms 5 and 3 with constants of ours, which keep what the theorems promise."""
TIGHT = "printed, tight"  # with noise for the exact sensitivity of losses in [0, 1]
FRACTIONS = {0.75: "(3/4)", 0.667: "(2/3)", 0.5: "(1/2)"}
SMALL = (0.1, 0.5, 1.0)  # where T^(3/4)/epsilon covers T^(3/4)/sqrt epsilon
TSALLIS, LINE = "Tsallis-INF", "stochastic convex"
SOURCES = OURS | {ONE_POINT[1]: LAPLACE, LINE: LAPLACE}
"""The reading that stands for a row, where it is not the printed one."""
ALPHA = 0.1  # with which the boxes' ellipsoids may fail
_PLAIN = {LOGISTIC: "no privacy, Newton steps"}
_KINDS = ("definition", "privacy", "theorem", "corollary", "table", "discussion", "contribution", "anchor")


def judge(evidence: Evidence) -> pd.DataFrame:
    """Return the ledger: definitions, privacy, theorems, Table 1, what is said aside, contributions, the code."""
    book = Book(COMMAND)
    epsilons, delta = evidence.epsilons, evidence.delta
    exact_claims.judge_definitions(book, epsilons, delta)
    exact_claims.judge_privacy(book, epsilons, delta, evidence.dim, evidence.horizon)
    exact_claims.judge_mechanisms(book)
    exact_claims.judge_elsewhere(book, epsilons, delta)
    _table(book, evidence)
    _one_point(book, evidence)
    _two_points(book, evidence)
    _arms(book, evidence)
    _contextual(book, evidence)
    exact_claims.judge_two_privacies(book, evidence.joint)
    _contributions(book)
    return ledger(sorted(book.rows, key=lambda row: _KINDS.index(row.kind)))


def slug(key: str) -> str:
    """A row of Table 1 as part of a claim's name."""
    return key.replace(", ", "-").replace(" ", "-")


def measured(evidence: Evidence, key: str, quantity: str) -> Interval | None:
    """The exponent that stands for a row of Table 1."""
    return evidence.exponent(key, quantity, SOURCES.get(key, PRINTED))


def measured_plain(evidence: Evidence, key: str) -> Interval | None:
    """The same of the learner without privacy, in T or ln T."""
    return evidence.exponent(key, ROWS[key].quantity, _PLAIN.get(key, PLAIN))


def rate(evidence: Evidence, key: str, quantity: str, power: float, reading: str = "", box: str = "") -> Ruling:
    """Whether a measured exponent keeps the claimed power, with the logarithms of the derived bound at the same points.

    What the bound has above the claimed power at finite horizons are its logarithms, which the orders leave out.
    """
    run = reading or SOURCES.get(key, PRINTED)
    of_bound = evidence.of_bound(key, quantity, run, box)
    logs = 0.0 if math.isnan(of_bound) else max(round(of_bound - power, 4), 0.0)
    return UpperRate(power, tolerance=SLACK[quantity], logs=logs)(evidence.exponent(key, quantity, run, box))


def _bound(evidence: Evidence, key: str, reading: str) -> list[Ruling]:
    """Measured regret against the derived bound, where it comes nearest to one that is below uniform play."""
    frame = evidence.finals
    rows = frame[(frame["row"] == key) & (frame["reading"] == reading) & (frame["bound"] < frame["uniform"])]
    if rows.empty:
        return []
    row = rows.loc[(rows["low"] / rows["bound"]).idxmax()]
    return [UpperBound(row["bound"], uniform=row["uniform"])(Interval(row["measured"], row["low"], row["high"]))]


# --- Table 1


def _table(book: Book, evidence: Evidence) -> None:
    for key, row in ROWS.items():
        for part, quantity, power in (("horizon", row.quantity, row.power), ("epsilon", EPSILON, row.epsilon)):
            book.judge(
                f"table-1-{slug(key)}-{part}",
                "table",
                f"Table 1, {row.problem}, {row.box}",
                f"{_who(row)}: private regret grows at most like {_power(quantity, power)}, up to logarithms"
                f"{_how(key, quantity)}.",
                rate(evidence, key, quantity, power),
                LONG,
            )
        book.judge(
            f"table-1-{slug(key)}-non-private",
            "table",
            f"Table 1, {row.problem}, non-private",
            f"{_who(row)}: without privacy regret grows at most like {_power(row.quantity, row.non_private_power)}, "
            "up to logarithms.",
            rate(evidence, key, row.quantity, row.non_private_power, _PLAIN.get(key, PLAIN)),
            LONG,
        )


def _who(row: Row) -> str:
    words = {"context-free": "losses, one point", "two points": "losses, two points", "contextual": "contextual bandit"}
    return f"{row.problem.capitalize()} {words[row.kind]}"


def _how(key: str, quantity: str) -> str:
    """With which constants of ours, and at which epsilon, a contextual row is measured."""
    if key not in OURS:
        return "; behind Laplace noise" if key in SOURCES else ""
    link = "linear" if key == LINEAR else "logistic"
    (sweep, *_) = [
        one
        for one in linear_rates.sweeps()
        if (one.link, one.quantity, one.dim) == (link, quantity, 2) and one.reading.split(", ")[0] == OURS[key]
    ]
    epsilons = " to ".join(f"{epsilon:g}" for epsilon in dict.fromkeys((min(sweep.epsilons), max(sweep.epsilons))))
    return f"; {sweep.reading}, at nominal epsilon = {epsilons}"


def _power(quantity: str, power: float) -> str:
    name = f"({quantity})" if " " in quantity else quantity
    return quantity if power == 1.0 else f"{name}^{FRACTIONS.get(round(power, 3), f'{power:g}')}"


def _row(book: Book, evidence: Evidence, key: str) -> Ruling:
    """A row of Table 1 as one ruling: both exponents, and the derived bound."""
    parts = [book.rulings[f"table-1-{slug(key)}-{part}"] for part in ("horizon", "epsilon")]
    return all_of(*parts, *_bound(evidence, key, SOURCES.get(key, PRINTED)))


# --- Algorithms 1 and 2


def _one_point(book: Book, evidence: Evidence) -> None:
    book.judge(
        "theorem-3",
        "theorem",
        "Theorem 3",
        "Algorithm 1 has at most order B ln(T/delta)/epsilon times its learner's regret (our reading, half of it is "
        "legible); for the four learners of Table 1, smooth losses behind Laplace noise.",
        rests_on({key: _row(book, evidence, key) for key in ONE_POINT}),
        LONG,
    )
    for name, key, order in (
        ("smooth", ONE_POINT[1], "T^(2/3)/epsilon for convex smooth losses, by the method of Saha and Tewari"),
        ("strong", ONE_POINT[3], "sqrt T/epsilon for strongly convex smooth losses, by the method of Hazan and Levy"),
    ):
        book.judge(
            f"corollary-4-{name}",
            "corollary",
            "Corollary 4",
            f"Algorithm 1 has regret {order}.",
            _row(book, evidence, key),
            LONG,
        )
    book.judge(
        "corollary-4-stochastic",
        "corollary",
        "Corollary 4",
        "In one dimension and behind Laplace noise: Algorithm 1 has regret sqrt T/epsilon for stochastic convex "
        "losses, "
        "by a method of Agarwal et al. (2011). The paper's is theirs for any dimension.",
        all_of(
            *(rate(evidence, LINE, quantity, power) for quantity, power in ROOT),
            *_bound(evidence, LINE, LAPLACE),
        ),
        LONG,
    )
    book.judge(
        "laplace-regret",
        "discussion",
        "Section 1, contributions",
        "With Laplace noise the powers of T stay; for smooth losses, strongly convex smooth ones, and stochastic ones "
        "on a line.",
        rests_on(
            {
                key: rate(evidence, key, T, power, LAPLACE)
                for key, power in ((ONE_POINT[1], 2.0 / 3.0), (ONE_POINT[3], 0.5), (LINE, 0.5))
            }
        ),
        LONG,
    )


def _two_points(book: Book, evidence: Evidence) -> None:
    for name, key, words in (
        ("convex", TWO_POINTS[0], "sqrt T/epsilon^2 for convex losses"),
        ("strong", TWO_POINTS[1], "ln T/epsilon^2 for strongly convex losses"),
    ):
        book.judge(
            f"theorem-6-{name}",
            "theorem",
            "Theorem 6",
            f"Algorithm 2 has regret of order {words}.",
            _row(book, evidence, key),
            LONG,
        )
    printed, tuned = (
        all_of(
            *(
                UpperRate(power, tolerance=SLACK[quantity])(evidence.exponent(TWO_POINTS[0], quantity, reading))
                for quantity, power in ROOT
            )
        )
        for reading in (PRINTED, TUNED)
    )
    book.judge(
        "two-points-optimal",
        "discussion",
        "Contribution (2)",
        "The guarantee of Algorithm 2 is nearly optimal; for convex losses read as sqrt T/epsilon, the order of the "
        "lower bound of Duchi et al. (2013); repaired: a step that knows the noise.",
        after_repair(printed, tuned),
        LONG,
    )
    book.judge(
        "two-points-differ",
        "discussion",
        "Section 3.2",
        "Two points lower the power of T for convex losses under LDP, as they do without privacy.",
        all_of(
            *(
                Less(f"power of T, {words}, with two points", "with one")(
                    _difference(
                        evidence.exponent(TWO_POINTS[0], T, reading), evidence.exponent(ONE_POINT[0], T, reading)
                    )
                )
                for reading, words in ((PRINTED, "private"), (PLAIN, "without privacy"))
            )
        ),
        LONG,
    )


def _difference(one: Interval | None, other: Interval | None) -> Interval | None:
    """One minus the other, its interval from the ends of theirs."""
    if one is None or other is None:
        return None
    return Interval(one.measured - other.measured, one.low - other.high, one.high - other.low)


# --- arms


def _arms(book: Book, evidence: Evidence) -> None:
    powers = (
        ("arms, adversarial", T, 0.5),
        ("arms, adversarial", EPSILON, 1.0),
        ("arms, stochastic", LOG_T, 2.0),
        ("arms, stochastic", EPSILON, 2.0),
    )
    book.judge(
        "mab-both-worlds",
        "corollary",
        "Section 1, Appendix B.1",
        "Algorithm 1 with Tsallis-INF is near optimal in adversarial and stochastic MAB at once; read as sqrt "
        "T/epsilon "
        "and (ln T)^2/epsilon^2, logarithms above what no LDP algorithm beats.",
        all_of(*(rate(evidence, key, q, power, TIGHT, TSALLIS) for key, q, power in powers)),
        LONG,
    )
    frame = evidence.best_arm
    book.judge(
        "best-arm",
        "corollary",
        "Section 1, Appendix B.2",
        "Algorithm 1 finds the best arm: with lil'UCB it stops, and is wrong no more often than asked.",
        _found(frame[np.isfinite(frame["epsilon"])]) if len(frame) else Holds()(None),
    )


def _found(frame: pd.DataFrame) -> Ruling:
    """At the epsilon and gap with the highest upper end; runs that were given up leave it open."""
    if frame.empty or (frame["stopped"] < frame["replications"]).any():
        return Holds()(None)
    row = frame.loc[frame["wrong_high"].idxmax()]
    undecided = row["wrong_low"] <= row["failure"] < row["wrong_high"]
    return Holds()(
        None if undecided else bool(row["wrong_high"] <= row["failure"]),
        f"the worst, at epsilon = {row['epsilon']:g}, gap = {row['gap']:g}: {row['wrong']:g} of "
        f"{row['replications']:g} runs are wrong, with 95 % confidence at most {row['wrong_high']:.2g}; "
        f"{row['failure']:g} allowed",
        row["wrong"] / row["replications"],
    )


# --- Algorithms 3 and 5


def _contextual(book: Book, evidence: Evidence) -> None:
    share = min(
        facts.radius_share(evidence.dim, 10**power, epsilon, evidence.delta, ALPHA)
        for epsilon in SMALL
        for power in range(1, 21)
    )
    covers = Holds()(
        share >= 1.0,
        f"the printed beta_t is at least {share:.2g} times what the ellipsoids need, for epsilon = {SMALL[0]:g} to "
        f"{SMALL[-1]:g} and T = 10 to 10^20",
        share,
    )
    for number, algorithm, statement, parts, bound in (
        (
            8,
            5,
            "by the proof with the printed constants: its ellipsoids hold, and the bound that follows has these powers",
            [covers],
            bounds.theorem_8,
        ),
        (
            10,
            3,
            "by the proof with the printed shift and the step 1/sqrt T, radius and logistic link ours: the powers of "
            "its "
            "bound",
            [],
            bounds.theorem_10,
        ),
    ):
        powers = facts.bound_powers(bound, PRINTED, evidence.delta)
        book.judge(
            f"theorem-{number}",
            "theorem",
            f"Theorem {number}",
            f"Algorithm {algorithm} has regret of order T^(3/4)/epsilon up to logarithms, epsilon <= 1, with "
            f"probability "
            f"1 - alpha; {statement}.",
            all_of(
                *parts,
                *(
                    UpperRate(most, tolerance=SLACK[quantity])(power)
                    for (quantity, most), power in zip(((T, 0.75), (EPSILON, 1.0)), powers, strict=True)
                ),
            ),
        )
    book.judge(
        "limit-without-noise",
        "discussion",
        "Algorithm 5",
        "At epsilon = inf Algorithm 5 is its learner without privacy and is not stuck (ours, the text does not say); "
        "repaired: beta_t keeps the reward's noise.",
        after_repair(*(_locks_in(evidence.locked, reading) for reading in (PRINTED, OURS[LINEAR]))),
    )
    seen = measured(evidence, LINEAR, T)
    here = "" if seen is None else f"; T^{seen.measured:.2f} [{seen.low:.2f}, {seen.high:.2f}] is measured here"
    book.judge(
        "conjecture",
        "discussion",
        "Abstract, Sections 1, 4.2 and 5",
        "T^(3/4) is nearly the best that contextual bandits allow under LDP (conjecture).",
        NotTestable(
            "it speaks of every algorithm, and a run of one decides nothing; by their abstracts Li et al. (2024) and "
            f"Chen et al. (2025) reach order sqrt T{here}"
        )(),
    )


def _locks_in(frame: pd.DataFrame, reading: str) -> Ruling:
    """Whether more than alpha of the runs without noise are on a wrong action from the start to the horizon."""
    rows = frame[(frame["policy"] == "LDP-LinUCB") & (frame["reading"] == reading)]
    plain = frame[frame["policy"] == "LinUCB"]
    if rows.empty or plain.empty or float(plain["high"].iloc[0]) > ALPHA:  # too few rounds or runs to tell
        return Holds()(None)
    row = rows.iloc[0]
    holds = True if row["high"] <= ALPHA else (False if row["low"] > ALPHA else None)
    return Holds()(
        holds,
        f"at epsilon = inf {row['locked']:.2g} [{row['low']:.2g}, {row['high']:.2g}] of the runs lock in on a wrong "
        f"action, "
        f"alpha = {ALPHA:g} may",
        row["locked"],
    )


# --- contributions


def _contributions(book: Book) -> None:
    plain = rests_on({key: book.rulings[f"table-1-{slug(key)}-non-private"] for key in ONE_POINT})
    for name, locus, statement, parts in (
        (
            "contribution-reduction",
            "Contribution (1)",
            "One reduction gives LDP algorithms for convex losses, MAB and best-arm identification that match the best "
            "without privacy.",
            (
                "theorem-2",
                "theorem-3",
                "corollary-4-stochastic",
                "mab-both-worlds",
                "best-arm",
                "without privacy",
            ),
        ),
        (
            "contribution-two-points",
            "Contribution (2)",
            "An LDP algorithm for two-point feedback with nearly optimal guarantees.",
            ("theorem-5", "theorem-6-convex", "theorem-6-strong", "two-points-optimal"),
        ),
        (
            "contribution-contextual",
            "Contribution (3)",
            "LDP algorithms for contextual linear and generalised linear bandits with regret T^(3/4)/epsilon.",
            ("theorem-7", "theorem-8", "theorem-9", "theorem-10"),
        ),
        (
            "contribution-difference",
            "Abstract, contribution (3)",
            "The results show a fundamental difference between LDP and DP in contextual bandits.",
            ("dp-lower-bound", "ldp-escapes"),
        ),
        (
            "contribution-laplace",
            "Section 1",
            "All results extend to epsilon-LDP with Laplace noise.",
            ("laplace-privacy", "laplace-regret", "laplace-contextual"),
        ),
        (
            "contribution-improves",
            "Abstract, Section 3.1",
            "Under the stronger LDP smooth losses cost less than earlier results had under DP.",
            ("theorem-1", "theorem-2", "corollary-4-smooth", "corollary-4-strong"),
        ),
    ):
        resting = {part: book.rulings[part] for part in parts if part in book.rulings}
        if "without privacy" in parts:
            resting |= {"without privacy": plain}
        book.judge(name, "contribution", locus, statement, rests_on(resting), LONG)

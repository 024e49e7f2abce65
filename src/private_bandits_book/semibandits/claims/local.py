"""Regret under local privacy: Theorems 2 and 4, the lower bounds of Theorems 5 and 6."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from private_bandits.papers.semibandits import bounds, instances
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, Ruling, after_repair, all_of
from private_bandits_book.semibandits import lemmas
from private_bandits_book.semibandits.claims.evidence import (
    LDP1,
    LDP1_BOX,
    LDP2,
    LDP2_BOX,
    LONG,
    Evidence,
    below,
    missing,
    rates_of,
    upper_rates,
)

_FAR_GAP, _FAR_LOG = 0.1, 100.0  # gap and ln T at which a first report is weighed against the claimed rate
_LARGE_SIZE, _LARGE_EPSILON = 20, 10.0  # where the printed radii are tightest
_EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0)


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    _local_regret(book, evidence)
    _local_lower(book)


def coverage(evidence: Evidence, algorithm: int, variant: str) -> Ruling:
    """Whether an index is as seldom too low as the proof needs, at the chapter's parameters and where it is hardest.

    The rounds are an upper bound, so that too many of them leave the question open.
    """
    if evidence.horizon < 2:
        return missing()
    hardest = (evidence.epsilon, _LARGE_SIZE) if algorithm == 1 else (_LARGE_EPSILON, evidence.size)
    rulings = []
    for epsilon, size in dict.fromkeys([(evidence.epsilon, evidence.size), hardest]):
        miss = lemmas.local_miss(epsilon, size, evidence.horizon, algorithm, variant)
        where = f"epsilon = {epsilon:g}" + (f", K = {size}" if algorithm == 1 else "")
        rulings.append(
            Holds()(
                True if miss.rounds <= math.log(evidence.horizon) else None,
                f"at {where} the {variant} index is too low with probability {miss.largest:.3g} after {miss.reports} "
                f"reports and {miss.late:.3g} after many, in at most {miss.rounds:.3g} rounds of {evidence.horizon}",
                miss.rounds,
            )
        )
    return all_of(*rulings)


def first_report(variant: str) -> Ruling:
    """Whether a first report may keep the best arm away for more than order ln T, at K = 1, where both boxes are one.

    The rate of the theorem is taken with the constant 256 of its radius; the excess grows with T, so none would do.
    """
    lost = bounds.first_report_lower(_FAR_GAP, 1.0, _FAR_LOG, variant)
    claimed = math.log(256.0 * _FAR_LOG / _FAR_GAP)
    return Holds()(
        lost <= claimed,
        f"at K = 1, epsilon = 1, gap = {_FAR_GAP:g}, ln T = {_FAR_LOG:g} a first report costs the {variant} box regret "
        f"e^{lost:.3g} at least by itself, 256 ln T / (epsilon^2 gap) is e^{claimed:.3g}",
        lost - claimed,
    )


def _large_epsilon(bound: Callable[..., float], evidence: Evidence) -> Ruling:
    """Whether an upper bound stays above what no consistent algorithm beats asymptotically, at a large epsilon."""
    problem = instances.rescaled(max(evidence.n_arms, 2), 0.1)
    horizon, epsilon = 10**6, 100.0
    stated, least = (
        bound(problem, horizon, epsilon, "box"),
        bounds.theorem_5(problem.n_items, 0.1, math.inf, horizon, variant="corrected"),
    )
    repaired = bound(problem, horizon, epsilon, "corrected")
    return after_repair(
        Holds()(
            stated >= least,
            f"with the constant 256 of the printed radius the bound is {stated:.3g} at epsilon = 100, K = 1, below the "
            f"{least:.3g} that no consistent algorithm beats asymptotically without privacy: a term without epsilon is "
            "missing",
        ),
        Holds()(repaired >= least, f"with the sampling term it is {repaired:.3g}"),
    )


def _local_regret(book: Book, evidence: Evidence) -> None:
    for number, algorithm, box, repaired, k, bound in (
        (2, 1, LDP1_BOX, LDP1, 2.0, bounds.theorem_2),
        (4, 2, LDP2_BOX, LDP2, 0.0, bounds.theorem_4),
    ):
        printed, mended = (
            all_of(
                first_report(source.variant),
                coverage(evidence, algorithm, source.variant),
                *upper_rates(evidence, source, rates_of(k, 2, 1)),
                *below(evidence, source, bound, constants),
            )
            for source, constants in ((box, "box"), (repaired, "corrected"))
        )
        power = "K^2 B_inf^2" if number == 2 else "B_inf^2"
        book.judge(
            f"theorem-{number}",
            "theorem",
            f"Theorem {number}",
            f"Algorithm {algorithm} has regret of order the sum of {power} ln T / (epsilon^2 gap).",
            all_of(
                after_repair(printed, mended),
                _large_epsilon(bound, evidence),
            ),
            LONG,
        )


def _theorem_5(size: int, gap: float, epsilon: float, variant: str) -> float:
    return bounds.theorem_5(8, gap, epsilon, 1000, b_inf=float(size), variant=variant)


def _theorem_6(size: int, gap: float, epsilon: float, variant: str) -> float:
    return bounds.theorem_6(8, size, gap, epsilon, 1000, variant=variant)


def _local_lower(book: Book) -> None:
    """Against what is known of the instances: no report on a bit keeps more divergence than randomised response."""
    five = "Regret under epsilon-LDP is at least B_inf^2 (m-1) ln T / (64 (e^eps - 1)^2 gap), B_inf-smooth."
    six = "Regret under epsilon-LDP is at least B_1^2 (m-K) K ln T / (64 (e^eps - 1)^2 gap), B_1-smooth."
    for name, statement, bound, size in (("theorem-5", five, _theorem_5, 1), ("theorem-6", six, _theorem_6, 4)):
        ratio = max(
            bound(size, size * x, eps, "printed") / bound(size, size * x, eps, "corrected")
            for x in np.linspace(0.01, 0.34, 12)
            for eps in _EPSILONS
        )
        ruling = Holds()(
            ratio <= 1.0,
            f"it is at most {ratio:.3g} times the asymptotic lower bound of its own instance, with the largest "
            f"divergence that a private report on a bit keeps, over gaps of 0.01 to 0.34 of its range and epsilon "
            f"from {_EPSILONS[0]:g} to {_EPSILONS[-1]:g}",
            ratio,
        )
        book.judge(name, "theorem", name.replace("theorem-", "Theorem "), statement, ruling)

"""Regret under central privacy: Theorems 8 and 9."""

from __future__ import annotations

import math

from private_bandits.papers.semibandits import bounds, instances
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, NotTestable, Ruling, after_repair, all_of
from private_bandits_book.semibandits import lemmas
from private_bandits_book.semibandits.claims.evidence import (
    CUCB_PATH,
    DP_PATH,
    DP_PATH_BOX,
    LONG,
    SAMPLING_BOX,
    Evidence,
    Source,
    below,
    missing,
    upper_rates,
)
from private_bandits_book.semibandits.studies import CENTRAL_BASES, CENTRAL_HORIZONS, DISTANCE


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    horizon = evidence.horizon

    def tested(source: Source, sampling: Source, constants: str) -> Ruling:
        covers = missing()
        if horizon >= 2:
            miss = lemmas.tree_miss(horizon, source.variant)
            covers = Holds()(
                miss <= 1.0, f"a {source.variant} release leaves its bonus with {miss:.3g} times the probability 1/T^2"
            )
        return all_of(
            covers,
            *upper_rates(evidence, source, {"K": 1.0, "1/epsilon": 1.0, "1/gap": 1.0, "ln T": log_slope(source)}),
            *upper_rates(evidence, sampling, {"K": 1.0, "1/gap": 1.0, "ln T": 2.0}),
            *below(evidence, source, bounds.theorem_8, constants),
        )

    book.judge(
        "theorem-8",
        "theorem",
        "Theorem 8",
        "Algorithm 3 has regret of order m K B_1^2 ln^2 T / gap + m K B_1 ln^3 T ln(...) / epsilon, the first term at "
        "epsilon = inf too.",
        after_repair(tested(DP_PATH_BOX, SAMPLING_BOX, "proof"), tested(DP_PATH, CUCB_PATH, "corrected")),
        LONG,
    )
    book.judge(
        "theorem-9",
        "theorem",
        "Theorem 9",
        "Regret under epsilon-DP is at least of order B_1^2 m K ln T / gap + B_1 m K ln T / epsilon.",
        NotTestable(
            "it speaks of the worst instance: that of its sketch does not give the factor K on 1/epsilon "
            "(theorem-9-sketch), and whether another one does is open"
        )(),
    )
    public = lemmas.public_arms_exponents()
    book.judge(
        "theorem-9-sketch",
        "discussion",
        "Theorem 9, sketch",
        "On the public-arm instance a bad super arm is played at least of order K B_1 ln T / (epsilon gap) times.",
        Holds()(
            public.reached >= public.claimed - 0.1,
            f"at m = 3 K, small epsilon and T = 10^40 it claims regret of exponent {public.claimed:.3g} in K; an "
            f"elimination that releases the average of the public arms reaches {public.reached:.3g}",
            public.reached,
        ),
    )


def log_slope(source: Source) -> float:
    """The power of ln T that the private term of Theorem 8 has over the fitted horizons, with its double logarithm."""
    first, last = min(CENTRAL_HORIZONS), max(CENTRAL_HORIZONS)
    problem, epsilon = instances.k_path(6, 2, 2 * DISTANCE), CENTRAL_BASES[source.variant]
    small, large = (bounds.theorem_8_terms(problem, horizon, epsilon).private for horizon in (first, last))
    return math.log(large / small) / math.log(math.log(last) / math.log(first))

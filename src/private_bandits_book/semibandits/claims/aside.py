"""What the text says aside."""

from __future__ import annotations

from private_bandits.papers.semibandits import bounds, instances
from private_bandits_book.ledger import Book
from private_bandits_book.rules import Holds, LowerRate, NotTestable, UpperRate, after_repair, all_of, rests_on
from private_bandits_book.semibandits import lemmas
from private_bandits_book.semibandits.claims.evidence import (
    DP_LEAST,
    DP_LEAST_BOX,
    LDP1,
    LDP2,
    LDP2_ARMS,
    LDP2_ARMS_BOX,
    LDP2_PATH,
    LDP2_PATH_BOX,
    LONG,
    PATH_AS_ARM,
    SLACK,
    Evidence,
    exact_rates,
    exponent,
    rates_of,
    upper_rates,
)
from private_bandits_book.semibandits.claims.local import first_report

_SHARES = (0.025, 0.2)  # gaps at which the terms of Theorem 8 are compared


def judge(book: Book, evidence: Evidence) -> None:
    """Add the rows of this room."""
    epsilon = evidence.epsilon
    book.judge(
        "least-pulled-removes-k",
        "discussion",
        "Section 3.2",
        "Sending only the least pulled arm removes the factor K^2 for B_inf-smooth rewards (repaired boxes).",
        all_of(
            LowerRate(2.0, tolerance=SLACK["K"])(exponent(evidence, LDP1, "K")),
            UpperRate(0.0, tolerance=SLACK["K"])(exponent(evidence, LDP2, "K")),
        ),
        LONG,
    )
    same = lemmas.same_at_one(epsilon)
    book.judge(
        "bandit-same-algorithm",
        "discussion",
        "Section 3.2, bandits",
        "For bandits, K = 1, Algorithms 1 and 2 are the same.",
        Holds()(
            same, f"{'equal' if same else 'different'} actions from equal streams, 300 rounds, 3 runs, both variants"
        ),
    )
    book.judge(
        "bandit-rate",
        "discussion",
        "Section 3.2, bandits",
        "For bandits their regret is of order the sum of ln T / (gap epsilon^2).",
        after_repair(
            *(
                all_of(
                    first_report(source.variant),
                    *upper_rates(evidence, source, {"1/epsilon": 2.0, "1/gap": 1.0, "ln T": 1.0}),
                )
                for source in (LDP2_ARMS_BOX, LDP2_ARMS)
            )
        ),
        LONG,
    )
    r = book.rulings
    book.judge(
        "bandit-optimal",
        "discussion",
        "Section 3.2, bandits",
        "That is optimal, given the lower bounds under LDP.",
        rests_on({"bandit-rate": r["bandit-rate"], "theorem-5": r["theorem-5"]}),
        LONG,
    )
    book.judge(
        "central-upper",
        "discussion",
        "Section 3.2, DP",
        "A tree on the least pulled arm has regret of order m B_inf^2 ln T / (epsilon gap), up to logarithms.",
        after_repair(
            *(all_of(*upper_rates(evidence, source, rates_of(0, 1, 1, None))) for source in (DP_LEAST_BOX, DP_LEAST))
        ),
        LONG,
    )
    _central_lower(book)
    book.judge(
        "private-term-dominated",
        "discussion",
        "Section 4.2",
        "At a constant epsilon the private term of Theorem 8 is nearly dominated by the other.",
        NotTestable(
            "how nearly is not said: as printed the private term is gap ln T ln(...) / (epsilon B_1) times the other, "
            + " and ".join(f"{_private_share(evidence, gap):.3g} at gap = {gap:g}" for gap in _SHARES)
            + f" for epsilon = 1, K = {evidence.size}, T = {max(evidence.horizon, 2)}, and grows with ln T"
        )(),
    )
    book.judge(
        "algorithm-2-on-b1",
        "discussion",
        "Section 5",
        "The regret of Algorithm 2 over m - K grows like K^2 on B_1-smooth rewards, and no less.",
        after_repair(*(all_of(*exact_rates(evidence, source, {"K": 2.0})) for source in (LDP2_PATH_BOX, LDP2_PATH))),
        LONG,
    )
    path = exponent(evidence, PATH_AS_ARM, "K")
    book.judge(
        "conjecture",
        "discussion",
        "Section 5",
        "No algorithm under epsilon-LDP does better: the lower bound of Theorem 6 is loose by K (conjecture).",
        NotTestable(
            "it speaks of every algorithm; it needs another instance than the K-paths of Theorem 6, where a user may "
            "send the average of the path alone, of sensitivity 1"
            + ("" if path is None else f": exponent {path.measured:.3g} [{path.low:.3g}, {path.high:.3g}] in K")
        )(),
    )


def _private_share(evidence: Evidence, gap: float) -> float:
    """The printed private term of Theorem 8 over its sampling term, at epsilon = 1."""
    problem = instances.top_k(evidence.n_arms, evidence.size, gap)
    terms = bounds.theorem_8_terms(problem, max(evidence.horizon, 2), 1.0)
    return terms.private / terms.sampling


def _central_lower(book: Book) -> None:
    """The multiplicative lower bound of Section 3.3 and Table 1, against an upper bound."""
    both = lemmas.multiplicative_exponents()
    book.judge(
        "central-lower",
        "discussion",
        "Section 3.3, DP",
        "Regret under epsilon-DP is at least of order m B_inf^2 ln T / (epsilon gap), B_inf-smooth.",
        Holds()(
            both.reached >= both.claimed - 0.1,
            f"at K = 1, epsilon = gap = x and T = 10^40 it claims exponent {both.claimed:.3g} in 1/x; DP-SE's upper "
            f"bound has {both.reached:.3g}; the caption of Table 1 calls the product a simplification, natural in "
            "common parameter regimes",
            both.reached,
        ),
    )
    book.judge(
        "central-lower-additive",
        "discussion",
        "Table 1, caption",
        "Writing Theorem 9's sum of terms as a product is natural in common parameter regimes.",
        NotTestable(
            "which regimes are common is not said: the product over the sum is 1 / (epsilon + gap) at B_1 = 1, so they "
            "are equal up to constants where their sum is neither small nor large, and the product is the larger one "
            "without limit where both are small"
        )(),
    )

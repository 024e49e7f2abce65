"""The rules that judge the claims of Chen et al. (2020); the claims themselves are in `claims.toml`.

The paper has one table and no experiment, so its claims are rates. A fitted exponent comes with its policy, the family
of instances, and what was held while the quantity moved; one that was not measured leaves its claim undecided. An upper
bound is also asked for its proof's first step, that the index covers its own noise, which is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from private_bandits.estimates import Interval
from private_bandits.papers.semibandits import VARIANTS, bounds, instances
from private_bandits.problems import SemiBandit
from private_bandits_book.ledger import Claim, Rulebook
from private_bandits_book.rules import (
    ExactRate,
    Holds,
    LowerRate,
    NotTestable,
    Privacy,
    Ruling,
    UpperBound,
    UpperRate,
    after_repair,
    all_of,
)
from private_bandits_book.semibandits import lemmas
from private_bandits_book.semibandits.study import LDP1, LDP2, Source, Study
from private_bandits_book.semibandits.sweeps import CENTRAL_BASES, CENTRAL_HORIZONS, DISTANCE, PER_ARM
from private_bandits_book.sweep import EPSILON, GAP, LOG, SIZE

SLACK = {SIZE: 0.2, EPSILON: 0.15, GAP: 0.15, LOG: 0.35}  # what a fitted exponent may miss by
_LONGEST_TREE = 1 << 17  # rounds to which the nodes of a tree are counted one by one
_FAR_GAP, _FAR_LOG = 0.1, 100.0  # gap and ln T at which a first report is weighed against the claimed rate
_LARGE_SIZE, _LARGE_EPSILON = 20, 10.0  # where the printed radii are tightest
_BEYOND, _BEYOND_HORIZON = 100.0, 10**6  # an epsilon at which the noise counts for nothing, and the rounds there
_EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0)
_SHARES = (0.025, 0.2)  # gaps at which the terms of Theorem 8 are compared
_SHORT = 0.1  # by what a reached exponent must fall short of the claimed one
_FAMILIES: dict[str, Callable[[int, int, float], SemiBandit]] = {
    "top-K": instances.top_k,
    "K-path": instances.k_path,
    "B_inf": instances.one_valuable,
    "arms": lambda n_arms, size, gap: instances.rescaled(n_arms, gap),
}

rules = Rulebook(tree_horizon=lambda study: str(min(study.horizon, _LONGEST_TREE)))


def sources(claim: Claim) -> tuple[Source, Source]:
    """Return what stands for a claim as printed and repaired; what needs no repair is printed only."""
    variants = claim.facts.get("variants", VARIANTS)
    printed, repaired = (Source(claim.facts["policy"], v, claim.facts["family"]) for v in (variants[0], variants[-1]))
    return printed, repaired


def upper_rates(study: Study, source: Source, powers: Mapping[str, float]) -> list[Ruling]:
    """Judge claimed powers as upper ones.

    In K, of the regret per arm of the theorem's sum if that was fitted, else of the regret over n_arms - size.
    """
    found = []
    for quantity, power in powers.items():
        seen = study.fit(source, PER_ARM) if quantity == SIZE else Interval()
        if math.isnan(seen.measured):
            seen = study.fit(source, quantity)
        found.append(UpperRate(power, tolerance=SLACK[quantity])(seen))
    return found


def exact_rates(study: Study, source: Source, powers: Mapping[str, float]) -> list[Ruling]:
    """Judge claimed powers as exact ones."""
    return [ExactRate(power, tolerance=SLACK[q])(study.fit(source, q)) for q, power in powers.items()]


def below(study: Study, source: Source, bound: Callable[..., float], constants: str) -> list[Ruling]:
    """Judge the measured regret against an upper bound with all its constants, wherever the bound is not vacuous."""
    found = []
    for row in study.finals.itertuples():
        if (row.policy, row.variant, row.family) == source:
            problem = _FAMILIES[row.family](int(row.n_arms), int(row.size), float(row.gap))
            most, uniform = bound(problem, row.horizon, row.epsilon, constants), problem.uniform_regret() * row.horizon
            if most < uniform:
                regret = Interval(float(row.measured), float(row.low), float(row.high))
                found.append(UpperBound(most, uniform=uniform)(regret))
    return found


# --- Fact 1, the lemmas, and that the algorithms are private


@rules("fact-1")
def _fact_1(study: Study, claim: Claim) -> Ruling:
    problems: list[Any] = [
        instances.k_path(12, 4, 0.4),
        instances.one_valuable(8, 4, 0.2),
        instances.coverage(5, 3, 2, 0.5, 0.2),
    ]
    largest = max(max(lemmas.fact_1(problem)) for problem in problems)
    return Holds()(
        largest <= 1.0 + 1e-9,
        f"on random means of {len(problems)} families a reward moves by at most {largest:.4g} times what is allowed",
        largest,
    )


@rules("lemma-1")
def _lemma_1(study: Study, claim: Claim) -> Ruling:
    if study.horizon < 2:
        return _missing()
    length = min(study.horizon, _LONGEST_TREE)
    tree = lemmas.lemma_1_loss(length)
    return after_repair(
        Holds()(
            tree.base_2 <= 1.0,
            f"an item lies in floor(log2 T) + 1 nodes: at T = {length} with log2 T the releases pay "
            f"{tree.base_2:.4g} epsilon, with ln T {tree.natural:.4g} epsilon",
            tree.base_2,
        ),
        Holds()(
            tree.levels <= 1.0 + 1e-12,
            f"with floor(log2 T) + 1 in place of log T they pay {tree.levels:.4g} epsilon",
            tree.levels,
        ),
    )


@rules("lemma-2")
def _lemma_2(study: Study, claim: Claim) -> Ruling:
    rounds = lemmas.lemma_2_failures(study.n_arms, study.horizon) if study.horizon >= 2 else math.nan
    return Holds()(
        True if rounds <= 3.0 else None,
        f"in expectation at most {rounds:.3g} rounds lie outside F_t, which has ln T where the index has ln(mT)",
        rounds,
    )


@rules("theorem-1", "theorem-3", "theorem-7")
def _privacy(study: Study, claim: Claim) -> Ruling:
    epsilon, size, horizon = study.epsilon, min(study.size, 8), min(study.horizon, _LONGEST_TREE)
    if claim.claim == "theorem-7":
        paid = lemmas.theorem_7_loss(epsilon, size, horizon) if horizon > 1 else None
    else:
        loss = lemmas.theorem_1_loss if claim.claim == "theorem-1" else lemmas.theorem_3_loss
        paid = loss(epsilon, size)
    return Privacy(epsilon)(paid)


# --- regret under local privacy


@rules("theorem-2", "theorem-4")
def _local_upper(study: Study, claim: Claim) -> Ruling:
    algorithm, bound = (1, bounds.theorem_2) if claim.claim == "theorem-2" else (2, bounds.theorem_4)
    printed, repaired = (
        all_of(
            first_report(source.variant),
            index_covers(study, algorithm, source.variant),
            *upper_rates(study, source, claim.facts["powers"]),
            *below(study, source, bound, constants),
        )
        for source, constants in zip(sources(claim), ("algorithm", "corrected"), strict=True)
    )
    return all_of(after_repair(printed, repaired), _beyond(bound, study))


def first_report(variant: str) -> Ruling:
    """Whether a first report may keep the best arm away for more than order ln T, at K = 1, where both are one.

    The rate of the theorem is taken with the constant 256 of its radius; the excess grows with T, so none would do.
    """
    lost = lemmas.first_report_lower(_FAR_GAP, 1.0, _FAR_LOG, variant)
    claimed = math.log(256.0 * _FAR_LOG / _FAR_GAP)
    return Holds()(
        lost <= claimed,
        f"at K = 1, epsilon = 1, gap = {_FAR_GAP:g}, ln T = {_FAR_LOG:g} a first report costs the {variant} box regret "
        f"e^{lost:.3g} at least by itself, 256 ln T / (epsilon^2 gap) is e^{claimed:.3g}",
        lost - claimed,
    )


def index_covers(study: Study, algorithm: int, variant: str) -> Ruling:
    """Whether an index is as seldom too low as the proof needs, at the chapter's parameters and where it is hardest.

    The rounds are an upper bound, so that too many of them leave the question open.
    """
    if study.horizon < 2:
        return _missing()
    hardest = (study.epsilon, _LARGE_SIZE) if algorithm == 1 else (_LARGE_EPSILON, study.size)
    found = []
    for epsilon, size in dict.fromkeys([(study.epsilon, study.size), hardest]):
        miss = lemmas.local_miss(epsilon, size, study.horizon, algorithm, variant)
        where = f"epsilon = {epsilon:g}" + (f", K = {size}" if algorithm == 1 else "")
        found.append(
            Holds()(
                True if miss.rounds <= math.log(study.horizon) else None,
                f"at {where} the {variant} index is too low with probability {miss.largest:.3g} after {miss.reports} "
                f"reports and {miss.late:.3g} after many, in at most {miss.rounds:.3g} rounds of {study.horizon}",
                miss.rounds,
            )
        )
    return all_of(*found)


def _beyond(bound: Callable[..., float], study: Study) -> Ruling:
    """Whether an upper bound stays above what no consistent algorithm beats asymptotically, at a large epsilon."""
    problem = instances.rescaled(max(study.n_arms, 2), 0.1)
    stated, repaired = (bound(problem, _BEYOND_HORIZON, _BEYOND, variant) for variant in ("algorithm", "corrected"))
    least = bounds.theorem_5(problem.n_items, 0.1, math.inf, _BEYOND_HORIZON, variant="corrected")
    return after_repair(
        Holds()(
            stated >= least,
            f"with the constant 256 of the printed radius the bound is {stated:.3g} at epsilon = {_BEYOND:g}, K = 1, "
            f"below the {least:.3g} that no consistent algorithm beats asymptotically without privacy: a term without "
            "epsilon is missing",
        ),
        Holds()(repaired >= least, f"with the sampling term it is {repaired:.3g}"),
    )


@rules("theorem-5", "theorem-6")
def _local_lower(study: Study, claim: Claim) -> Ruling:
    """Against what is known of the instances: no report on a bit keeps more divergence than randomised response."""

    def bound(distance: float, epsilon: float, variant: str) -> float:
        if claim.claim == "theorem-5":
            return bounds.theorem_5(8, distance, epsilon, 1000, variant=variant)
        return bounds.theorem_6(8, 4, 4 * distance, epsilon, 1000, variant=variant)

    ratio = max(
        bound(distance, epsilon, "printed") / bound(distance, epsilon, "corrected")
        for distance in np.linspace(0.01, 0.34, 12)
        for epsilon in _EPSILONS
    )
    return Holds()(
        ratio <= 1.0,
        f"it is at most {ratio:.3g} times the asymptotic lower bound of its own instance, with the largest "
        "divergence that a private report on a bit keeps, over gaps of 0.01 to 0.34 of its range and epsilon from "
        f"{_EPSILONS[0]:g} to {_EPSILONS[-1]:g}",
        ratio,
    )


@rules("least-pulled-removes-k")
def _least_pulled(study: Study, claim: Claim) -> Ruling:
    slack, (everything, least) = SLACK[SIZE], (Source(policy, "repaired", "B_inf") for policy in (LDP1, LDP2))
    return all_of(
        LowerRate(2.0, tolerance=slack)(study.fit(everything, SIZE)),
        UpperRate(0.0, tolerance=slack)(study.fit(least, SIZE)),
    )


@rules("bandit-same-algorithm")
def _same(study: Study, claim: Claim) -> Ruling:
    same = lemmas.same_at_one(study.epsilon)
    said = f"{'equal' if same else 'different'} actions from equal streams, 300 rounds, 3 runs, both variants"
    return Holds()(same, said)


@rules("bandit-rate")
def _bandit_rate(study: Study, claim: Claim) -> Ruling:
    printed, repaired = (
        all_of(first_report(source.variant), *upper_rates(study, source, claim.facts["powers"]))
        for source in sources(claim)
    )
    return after_repair(printed, repaired)


@rules("algorithm-2-on-b1")
def _on_b1(study: Study, claim: Claim) -> Ruling:
    return after_repair(*(all_of(*exact_rates(study, source, claim.facts["powers"])) for source in sources(claim)))


@rules("conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    path = study.fit(Source(LDP2, "repaired", "path as arm"), SIZE)
    seen = "" if math.isnan(path.measured) else f": exponent {path.measured:.3g} [{path.low:.3g}, {path.high:.3g}] in K"
    return NotTestable(
        "it speaks of every algorithm; it needs another instance than the K-paths of Theorem 6, where a user may "
        f"send the average of the path alone, of sensitivity 1{seen}"
    )()


# --- regret under central privacy


@rules("theorem-8")
def _theorem_8(study: Study, claim: Claim) -> Ruling:
    printed, repaired = sources(claim)
    # the first term alone: as printed Algorithm 3 without noise, which was not run; repaired that is CUCB
    plain = Source("CUCB-DP, epsilon = inf", "printed", "K-path"), Source("CUCB", "printed", "K-path")
    return after_repair(
        _central_upper(study, claim, printed, plain[0], "proof"),
        _central_upper(study, claim, repaired, plain[1], "corrected"),
    )


def _central_upper(study: Study, claim: Claim, source: Source, plain: Source, constants: str) -> Ruling:
    covers = _missing()
    if study.horizon >= 2:
        miss = lemmas.tree_miss(study.horizon, source.variant)
        covers = Holds()(
            miss <= 1.0, f"a {source.variant} release leaves its bonus with {miss:.3g} times the probability 1/T^2"
        )
    return all_of(
        covers,
        *upper_rates(study, source, {**claim.facts["powers"], LOG: log_slope(source.variant)}),
        *upper_rates(study, plain, claim.facts["sampling_powers"]),
        *below(study, source, bounds.theorem_8, constants),
    )


def log_slope(variant: str) -> float:
    """The power of ln T that the private term of Theorem 8 has over the fitted horizons, with its double logarithm."""
    first, last = min(CENTRAL_HORIZONS), max(CENTRAL_HORIZONS)
    problem = instances.k_path(6, 2, 2 * DISTANCE)
    small, large = (bounds.theorem_8_terms(problem, t, CENTRAL_BASES[variant]).private for t in (first, last))
    return math.log(large / small) / math.log(math.log(last) / math.log(first))


@rules("central-upper")
def _least_pulled_upper(study: Study, claim: Claim) -> Ruling:
    return after_repair(*(all_of(*upper_rates(study, source, claim.facts["powers"])) for source in sources(claim)))


@rules("theorem-9-sketch")
def _sketch(study: Study, claim: Claim) -> Ruling:
    public = lemmas.public_arms_exponents()
    return Holds()(
        public.reached >= public.claimed - _SHORT,
        f"at m = 3 K, small epsilon and T = 10^40 it claims regret of exponent {public.claimed:.3g} in K; an "
        f"elimination that releases the average of the public arms reaches {public.reached:.3g}",
        public.reached,
    )


@rules("central-lower")
def _central_lower(study: Study, claim: Claim) -> Ruling:
    """The multiplicative lower bound of Section 3.3 and Table 1, against an upper bound."""
    both = lemmas.multiplicative_exponents()
    return Holds()(
        both.reached >= both.claimed - _SHORT,
        f"at K = 1, epsilon = gap = x and T = 10^40 it claims exponent {both.claimed:.3g} in 1/x; DP-SE's upper "
        f"bound has {both.reached:.3g}; the caption of Table 1 calls the product a simplification, natural in "
        "common parameter regimes",
        both.reached,
    )


@rules("private-term-dominated")
def _dominated(study: Study, claim: Claim) -> Ruling:
    horizon, shares = max(study.horizon, 2), []
    for gap in _SHARES:
        terms = bounds.theorem_8_terms(instances.top_k(study.n_arms, study.size, gap), horizon, 1.0)
        shares.append(f"{terms.private / terms.sampling:.3g} at gap = {gap:g}")
    return NotTestable(
        "how nearly is not said: as printed the private term is gap ln T ln(...) / (epsilon B_1) times the other, "
        f"{' and '.join(shares)} for epsilon = 1, K = {study.size}, T = {horizon}, and grows with ln T"
    )()


# --- Table 1


@rules(*(f"table-1-{family}-{model}" for family in ("b-inf", "b-1") for model in ("ldp", "dp", "none")))
def _cell(study: Study, claim: Claim) -> Ruling:
    """What an algorithm loses bounds a cell from above; a lower bound that was judged bounds it from below."""
    powers = claim.facts["powers"]
    one_sided = bool(claim.rests_on) or claim.facts.get("upper_only", False)
    above = {quantity: power for quantity, power in powers.items() if one_sided or power == 0}
    both = {quantity: power for quantity, power in powers.items() if quantity not in above}
    return after_repair(*(all_of(*upper_rates(study, s, above), *exact_rates(study, s, both)) for s in sources(claim)))


def _missing() -> Ruling:
    """Return what is ruled where nothing was measured."""
    return Holds()(None)

"""The rules that judge the claims of Chen et al. (2020); the claims themselves are in `claims.toml`.

The paper has one table and no experiment, so its claims are rates. An O(.) is judged from above only, a Theta of
Table 1 from both sides where no theorem stands for a side. The wrong alternatives follow one rule, whatever was
measured: the next power of the same quantity, which for the central algorithms is that of the local ones in K and
1/epsilon; for a Theta the power below too. In K, regret, claim and alternative are per arm of the theorem's sum. An
upper bound is also asked for its proof's first step, that the index covers its own noise, which is computed.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

from private_bandits.estimates import Interval
from private_bandits.papers.semibandits import VARIANTS, bounds, instances
from private_bandits.policy import Policy
from private_bandits_book.ledger import Claim, Rulebook, claims_of
from private_bandits_book.rules import (
    NOT_LEARNT,
    Holds,
    Less,
    Near,
    Privacy,
    Ruling,
    UpperBound,
    after_repair,
    all_of,
    by_runs,
    rests_on,
)
from private_bandits_book.semibandits import lemmas, sweeps
from private_bandits_book.semibandits.study import Source, Study
from private_bandits_book.semibandits.sweeps import DP, LDP1, LDP2, LEAST, MAKERS, PER_ARM, RADIUS
from private_bandits_book.sweep import LOG, SIZE, exact_slope, power
from private_bandits_book.verdicts import AFTER_REPAIR, DERIVED, EXACT, MEASURED

_LONGEST_TREE = 1 << 17  # rounds to which the nodes of a tree are counted one by one
_FAR_GAP = 0.1  # gap at which a first report is weighed against the claimed rate
_USUAL = 10**9  # rounds that a run may have
_LARGE_SIZE, _LARGE_EPSILON = 20, 10.0  # where the printed radii are tightest
_BEYOND, _BEYOND_HORIZON = 100.0, 10**6  # an epsilon at which the noise counts for nothing, and the rounds there
_EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0)
_CONSTANT = 1.0  # the epsilon that is regarded as a constant
_HALF_A_POWER = 0.5  # by what a proved exponent is nearer to the next power than to the claimed one
_ADDITIVE = 24.0  # what the proof of the additive lower bound loses at most, see `lemmas.additive_over_proved`

rules = Rulebook(tree_horizon=lambda study: str(min(study.horizon, _LONGEST_TREE)))


def sources(claim: Claim) -> tuple[Source, Source]:
    """Return what stands for a claim as printed and repaired; what needs no repair is printed only."""
    variants = claim.facts.get("variants", VARIANTS)
    printed, repaired = (Source(claim.facts["key"], v, claim.facts["family"]) for v in (variants[0], variants[-1]))
    return printed, repaired


def rates(study: Study, source: Source, claim: Claim, of: str = "") -> list[Ruling]:
    """Judge the claimed powers of a source from above, against the next powers.

    Where the claimed power is that of the algorithm's own radii, ln T or no K at all, claim and alternative are bent as
    the radii bend them at these horizons, dummies included, which are in the theorem's sum. `of` leads the name of the
    powers in the claim.
    """
    found = []
    for quantity, claimed in claim.facts[f"{of}powers"].items():
        if (quantity, claimed) in ((SIZE, 0), (LOG, 1)):
            law = partial(sweeps.predicted_form, sweeps.sweep_of(*source[:3], quantity))
            found.append(study.fit(source, quantity).ruling(law(0.0), law(1.0)))
        else:
            fit = study.fit(source, PER_ARM if quantity == SIZE else quantity)
            found.append(fit.ruling(power(quantity, claimed), power(quantity, claimed + 1)))
    return found


def algorithm(source: Source) -> Policy:
    """Return what a source's regret is measured on, at any numbers."""
    return MAKERS[source.key](1.0, 1, 1, 2, source.variant)


def repaired_if_needed(claim: Claim, judge: Callable[[Source], Ruling]) -> Ruling:
    """Return the ruling on a claim's algorithm as printed, or as repaired if that one does what the print does not."""
    return after_repair(*(judge(source).of(algorithm(source)) for source in sources(claim)))


def below(study: Study, source: Source, bound: Callable[..., float], constants: str) -> list[Ruling]:
    """Judge the measured regret against an upper bound with all its constants, wherever the bound is not vacuous."""
    found = []
    for row in study.finals.itertuples():
        if (row.key, row.variant, row.family) == source[:3] and math.isinf(row.epsilon) != source.noisy:
            problem = sweeps.instance(row.family, int(row.n_arms), int(row.size), float(row.gap))
            most, uniform = bound(problem, row.horizon, row.epsilon, constants), problem.uniform_regret() * row.horizon
            if most < uniform:
                regret = Interval(float(row.measured), float(row.low), float(row.high))
                found.append(UpperBound(most, uniform=uniform)(regret))
    return found


# --- Fact 1, the lemmas, and that the algorithms are private


@rules("fact-1")
def _fact_1(study: Study, claim: Claim) -> Ruling:
    families: list[Any] = [instances.k_path(12, 4, 0.4), instances.one_valuable(8, 4, 0.2)]
    families.append(instances.coverage(5, 3, 2, 0.5, 0.2))
    largest = max(max(lemmas.fact_1(problem)) for problem in families)
    return claim.holds(largest <= 1.0 + 1e-9, largest, families=len(families), largest=largest)


@rules("lemma-1")
def _lemma_1(study: Study, claim: Claim) -> Ruling:
    if study.horizon < 2:
        return claim.holds(None)
    length = min(study.horizon, _LONGEST_TREE)
    tree = lemmas.lemma_1_loss(length)
    printed = claim.holds(tree.base_2 <= 1.0, tree.base_2, length=length, tree=tree)
    return after_repair(printed, claim.holds(tree.levels <= 1.0 + 1e-12, tree.levels, "repaired", tree=tree))


@rules("lemma-2")
def _lemma_2(study: Study, claim: Claim) -> Ruling:
    if study.horizon < 2:
        return claim.holds(None)
    rounds = lemmas.lemma_2_failures(study.n_arms, study.horizon)
    return _at_most(3.0, rounds, claim.facts["reason"].format(rounds=rounds, study=study), claim.evidence)


@rules("theorem-1", "theorem-3", "theorem-7", "least-pulled-privacy")
def _privacy(study: Study, claim: Claim) -> Ruling:
    """Both variants: whoever rests on the privacy and on the regret of an algorithm rests on one of them."""
    epsilon, size, horizon = study.epsilon, min(study.size, 8), min(study.horizon, _LONGEST_TREE)
    if horizon < 2 and claim.facts["key"] in (DP, LEAST):
        return claim.holds(None)
    made = [MAKERS[claim.facts["key"]](epsilon, size, size, horizon, variant) for variant in VARIANTS]
    return all_of(*(Privacy(epsilon)(lemmas.loss(policy, size, horizon)).of(policy) for policy in made))


# --- regret under local privacy


@rules("theorem-2", "theorem-4")
def _local_upper(study: Study, claim: Claim) -> Ruling:
    number, bound = (1, bounds.theorem_2) if claim.claim == "theorem-2" else (2, bounds.theorem_4)

    def judge(source: Source) -> Ruling:
        constants = "algorithm" if source.variant == "printed" else "corrected"
        return all_of(
            *rates(study, source, claim),
            first_report(source.variant),
            index_covers(study, number, source.variant),
            *below(study, source, bound, constants),
        )

    beyond = (_beyond(claim, bound, study, constants) for constants in ("algorithm", "corrected"))
    return all_of(repaired_if_needed(claim, judge), after_repair(*beyond))


def first_report(variant: str) -> Ruling:
    """Whether a first report may keep the best arm away for more than order ln T, at K = 1, where both are one.

    The rate of the theorem is taken with the constant 256 of its radius; the excess grows with T, so none would do. It
    refutes the rate beyond a horizon that no run reaches.
    """
    at, log_t = lemmas.first_report_horizon(_FAR_GAP, 1.0, variant), math.log(_USUAL)
    where = f"256 ln T / (epsilon^2 gap) at K = epsilon = 1, gap = {_FAR_GAP:g}"
    if math.isinf(at):
        return Holds(DERIVED)(True, f"what a first report provably costs the {variant} algorithm stays below {where}")
    share = math.exp(lemmas.first_report_lower(_FAR_GAP, 1.0, log_t, variant)) * _FAR_GAP / (256.0 * log_t)
    said = f"from T = 10^{at:.3g} on a first report costs more than {where}, at T = {_USUAL:.0e} {share:.1e} of it"
    return Holds(DERIVED)(False, said, at)


def index_covers(study: Study, number: int, variant: str) -> Ruling:
    """Whether an index is as seldom too low as the proof needs, at the chapter's parameters and where it is hardest.

    The rounds are an upper bound, so that too many of them leave the question open.
    """
    if study.horizon < 2:
        return Holds()(None)
    hardest = (study.epsilon, _LARGE_SIZE) if number == 1 else (_LARGE_EPSILON, study.size)
    found = []
    for epsilon, size in dict.fromkeys([(study.epsilon, study.size), hardest]):
        miss = lemmas.local_miss(epsilon, size, study.horizon, number, variant)
        where = f"epsilon = {epsilon:g}" + (f", K = {size}" if number == 1 else "")
        said = f"at {where} the {variant} index is too low in at most {miss.rounds:.3g} rounds of {study.horizon}"
        found.append(_at_most(math.log(study.horizon), miss.rounds, said))
    return all_of(*found)


def _beyond(claim: Claim, bound: Callable[..., float], study: Study, constants: str) -> Ruling:
    """Whether an upper bound stays above what no consistent algorithm beats asymptotically, at a large epsilon."""
    problem = instances.rescaled(max(study.n_arms, 2), 0.1)
    stated = bound(problem, _BEYOND_HORIZON, _BEYOND, constants)
    least = bounds.theorem_5(problem.n_items, 0.1, math.inf, _BEYOND_HORIZON, variant="corrected")
    return Holds(DERIVED)(stated >= least, claim.facts["beyond"].format(stated=stated, least=least), stated)


@rules("theorem-5", "theorem-6", "theorem-5-small", "theorem-6-small")
def _local_lower(study: Study, claim: Claim) -> Ruling:
    """Against what is proved of the instances: no report on a bit keeps more divergence than randomised response.

    A bound above a proved one is not thereby refuted.
    """

    small = claim.facts.get("small", False)

    def bound(distance: float, epsilon: float, variant: str) -> float:
        if claim.facts["number"] == 5:
            return bounds.theorem_5(8, distance, epsilon, 1000, variant=variant)
        return bounds.theorem_6(8, 4, 4 * distance, epsilon, 1000, variant=variant)

    epsilons = [epsilon for epsilon in _EPSILONS if epsilon <= 0.5 or not small]
    ratio = max(
        bound(distance, epsilon, "small" if small else "printed") / bound(distance, epsilon, "corrected")
        for distance in np.linspace(0.01, 0.34, 12)
        for epsilon in epsilons
    )
    ends = epsilons[0], epsilons[-1]
    return _at_most(1.0, ratio, claim.facts["reason"].format(ratio=ratio, ends=ends), claim.evidence)


@rules("least-pulled-removes-k")
def _least_pulled(study: Study, claim: Claim) -> Ruling:
    """Both variants, where one arm matters and where all do: less than if all are sent, and no power of K is left."""
    found = []
    for family, variant in itertools.product(claim.facts["families"], VARIANTS):
        one, two = (Source(policy, variant, family) for policy in (LDP1, LDP2))
        less = Less(f"{variant}, {family}, exponent in K of CUCB-LDP2", "that of CUCB-LDP1")
        law = partial(sweeps.predicted_form, sweeps.sweep_of(*two[:3], SIZE))
        more = study.removed(one, two)
        fewer = Interval(-more.fit[0], -more.fit[2], -more.fit[1]) if more.fit else Interval()
        runs = [] if more.regrets is None else [more.regrets]
        found.append(by_runs(less, lambda *_: fewer, *runs).of(algorithm(one), algorithm(two)))  # noqa: B023
        found.append(study.fit(two, SIZE).ruling(law(0.0), law(1.0)).of(algorithm(two)))
    return all_of(*found)


@rules("removed-power")
def _removed(study: Study, claim: Claim) -> Ruling:
    """The power of K of an algorithm less that of CUCB-LDP2: what the radii give, and no power of K more or less."""
    found = []
    for family in claim.facts["families"]:
        sent, least = (Source(policy, "repaired", family) for policy in (claim.facts["key"], LDP2))
        forms = [sweeps.removed_form(sent.key, least.key, family, more) for more in (0.0, -1.0, 1.0)]
        ruling = study.removed(sent, least).ruling(*forms, exact=True)
        found.append(ruling.of(algorithm(sent), algorithm(least)))
    return all_of(*found)


@rules("predicted")
def _predicted(study: Study, claim: Claim) -> Ruling:
    """Exponents against those that the radii give, to within a tolerance or else against the powers on both sides."""
    found = []
    for key, variant, family, quantity in claim.facts["sweeps"]:
        source, sweep = Source(key, variant, family), sweeps.sweep_of(key, variant, family, quantity)
        forms = [sweeps.predicted_form(sweep, more) for more in (0.0, -1.0, 1.0)]
        fit = study.fit(source, quantity)
        if "tolerance" in claim.facts and fit.fit is not None:
            near = Near(fit.exponent(forms[0]), tolerance=claim.facts["tolerance"])
            found.append(near(fit.fit).of(algorithm(source)))
        else:
            found.append(fit.ruling(*forms, exact=True).of(algorithm(source)))
    return all_of(*found)


@rules("measured-powers")
def _measured_powers(study: Study, claim: Claim) -> Ruling:
    """One quantity of the cells of Table 1, by runs alone, as printed and repaired."""
    cells = {each.claim: each for each in claims_of("semibandits")}
    found = []
    for name in claim.facts["cells"]:
        for source in dict.fromkeys(sources(cells[name])):
            only_one = {"powers": {claim.facts["of"]: cells[name].facts["powers"][claim.facts["of"]]}}
            asked = replace(cells[name], facts={**cells[name].facts, **only_one})
            found += [ruling.of(algorithm(source)) for ruling in rates(study, source, asked)]
    return all_of(*found)


@rules("bandit-same-algorithm")
def _same(study: Study, claim: Claim) -> Ruling:
    same = lemmas.same_at_one(study.epsilon)
    return claim.holds(same, said="reason" if same else "different")


@rules("bandit-rate", "table-1-b-1-ldp")
def _local_rate(study: Study, claim: Claim) -> Ruling:
    """A rate under local privacy at every K, K = 1 included."""
    return repaired_if_needed(claim, lambda source: all_of(*rates(study, source, claim), first_report(source.variant)))


@rules(
    "central-upper",
    "rate",
    "algorithm-2-on-b1",
    "table-1-b-1-dp",
    "contribution-no-price",
)
def _rate(study: Study, claim: Claim) -> Ruling:
    return repaired_if_needed(claim, lambda source: all_of(*rates(study, source, claim)))


@rules("conjecture")
def _conjecture(study: Study, claim: Claim) -> Ruling:
    """Against a proved upper bound of an algorithm for every B_1-smooth reward."""
    found = lemmas.conjecture_exponents()
    return claim.holds(found.reached > found.claimed - _HALF_A_POWER, found.reached, found=found)


@rules("own-super-arm-radius")
def _super_arm(study: Study, claim: Claim) -> Ruling:
    (source, _) = sources(claim)
    bound = lambda problem, horizon, epsilon, _: bounds.super_arm_radius_upper(problem, horizon, epsilon)  # noqa: E731
    return all_of(*rates(study, source, claim), *below(study, source, bound, "")).of(algorithm(source))


@rules("own-lower-ratio")
def _lower_ratio(study: Study, claim: Claim) -> Ruling:
    two, radius = (Source(key, "repaired", "K-path at 1/2") for key in (LDP2, RADIUS))
    fit = study.over_bound(two).fit or Interval()
    rises = Less("no growth in K", "the exponent of CUCB-LDP2 over Theorem 6")(Interval(-fit[0], -fit[2], -fit[1]))
    flat = study.over_bound(radius).ruling(power(SIZE, 0), power(SIZE, 1))
    return all_of(rises.of(algorithm(two)), flat.of(algorithm(radius)))


@rules("coverage-constant")
def _coverage(study: Study, claim: Claim) -> Ruling:
    """How far a coverage moves for a largest move of a mean, on instances of growing K."""
    sizes, moved = lemmas.coverage_moves()
    power_of_k = exact_slope(sizes, moved).measured
    return claim.holds(power_of_k < _HALF_A_POWER, power_of_k, sizes=sizes, moved=moved, power=power_of_k)


@rules("dp-se-regret")
def _dp_se(study: Study, claim: Claim) -> Ruling:
    """The product of the introduction, as an upper bound on what DP-SE provably loses at most."""
    found = lemmas.multiplicative_exponents()
    return claim.holds(found.reached <= found.claimed, found.reached, found=found)


# --- regret under central privacy


@rules("theorem-8")
def _theorem_8(study: Study, claim: Claim) -> Ruling:
    def judge(source: Source) -> Ruling:
        miss = lemmas.tree_miss(study.horizon, source.variant) if study.horizon >= 2 else None
        covers = claim.holds(None if miss is None else miss <= 1.0, miss, variant=source.variant, miss=miss)

        # the first term alone: Algorithm 3 at epsilon = infinity
        plain = rates(study, source._replace(noisy=False), claim, of="sampling_")
        return all_of(
            *rates(study, source, claim),
            covers,
            *plain,
            *below(study, source, bounds.theorem_8, "proof" if source.variant == "printed" else "corrected"),
        )

    return repaired_if_needed(claim, judge)


@rules("theorem-9-sketch")
def _sketch(study: Study, claim: Claim) -> Ruling:
    found = lemmas.public_arms_exponents()
    return claim.holds(found.reached > found.claimed - _HALF_A_POWER, found.reached, found=found)


@rules("central-lower")
def _central_lower(study: Study, claim: Claim) -> Ruling:
    """The product of Section 3.3 and Table 1, against an upper bound; the sum of Table 1's caption is proved."""
    found, ratio = lemmas.multiplicative_exponents(), lemmas.additive_over_proved()
    product = claim.holds(found.reached > found.claimed - _HALF_A_POWER, found.reached, found=found)
    return after_repair(
        product, _at_most(_ADDITIVE, ratio, claim.facts["repaired"].format(ratio=ratio), claim.evidence)
    )


@rules.combining("table-1-b-inf-dp")
def _optimal(study: Study, claim: Claim, parts: dict[str, Ruling]) -> Ruling:
    """A rate is optimal if it is both bounds: the product above and the sum below are two rates; the sum is both."""
    if parts["central-lower"].verdict != AFTER_REPAIR:
        return rests_on(parts)
    reached = lemmas.sum_exponent()
    said = claim.facts["repaired"].format(reached=reached)
    summed = Holds(DERIVED)(reached < 1.0 + _HALF_A_POWER, said, reached)
    return all_of(after_repair(Holds(DERIVED)(False, claim.facts["reason"]), summed), parts["central-upper"])


@rules("private-term-dominated")
def _dominated(study: Study, claim: Claim) -> Ruling:
    """The terms of the bound as printed, on instances whose Delta is the gap."""

    def over(gap: float) -> float:
        terms = bounds.theorem_8_terms(instances.top_k(4, 2, gap), _BEYOND_HORIZON, _CONSTANT)
        return terms.private / terms.sampling

    distances = np.array([0.2, 0.1, 0.05, 0.025])
    slope = exact_slope(1.0 / distances, np.array([over(gap) for gap in distances])).measured
    below = brentq(lambda gap: over(gap) - 1.0, 1e-6, distances[-1])
    facts = {"epsilon": _CONSTANT, "slope": slope, "horizon": _BEYOND_HORIZON, "below": below}
    return claim.holds(slope <= -_HALF_A_POWER, slope, **facts)


@rules("own-private-share")
def _private_share(study: Study, claim: Claim) -> Ruling:
    """The private share of the regret, wherever Algorithm 3 has learnt, the smallest first."""

    def judge(variant: str) -> Ruling:
        cells = study.dominance[(study.dominance["epsilon"] == _CONSTANT) & (study.dominance["variant"] == variant)]
        learnt = cells[cells["term"] != "not learnt"].sort_values("share", kind="stable")
        if learnt.empty:
            return Holds(MEASURED)(None, NOT_LEARNT)
        found = []
        for cell in learnt.itertuples():
            share = f"the private share of regret, {variant}, at gap = {cell.gap:g}, T = {cell.t:.0e},"
            under = Interval(0.5 - float(cell.share), 0.5 - float(cell.high), 0.5 - float(cell.low))
            found.append(Less("one half", share)(under))
        return all_of(*found).of(algorithm(Source(DP, variant, "top-K at 1/2")))

    return all_of(*map(judge, VARIANTS))


def _at_most(most: float, value: float, said: str, evidence: str = EXACT) -> Ruling:
    """Rule on what is known to be at most `value`: more than is allowed leaves the question open."""
    held, words = (True, said) if value <= most else (None, f"{said}, which decides nothing")
    return Holds(evidence)(held, words, value)

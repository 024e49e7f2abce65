"""The rules that judge the claims of Chen et al. (2020), a function for each: of what was measured or computed.

The paper has one table and no experiment, so its claims are rates. Where the book proves a rate, or its failure, for
the algorithm as printed, the bound that it proves is computed and its exponents are compared with the claimed. What
runs measure is judged by equivalence: the nearest wrong exponent is the next one of the same quantity.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd
from scipy.optimize import brentq

from private_bandits.estimates import Interval
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits_book.chapters.semibandits import lemmas
from private_bandits_book.chapters.semibandits.studies import BLOCKS
from private_bandits_book.judging import (
    Holds,
    Less,
    Privacy,
    Ruling,
    about,
    after_repair,
    all_of,
    at_most,
    exactly,
    negative,
)
from private_bandits_book.judging.rates import EPSILON, GAP, LOG, SIZE
from private_bandits_book.judging.rulings import NotShown
from private_bandits_book.judging.verdicts import DERIVED, EXACT

_Bound = Callable[..., float]
_PROVED, _EXACT = Holds(DERIVED), Holds(EXACT)
_NEAR = 0.25  # a quarter of the distance to the next exponent: how far a computed exponent may be off
_T, _ARMS = 10**5, 1000  # the rounds of the chapter, and more arms than it has
_CONSTANT, _FAR_GAP = 1.0, 0.1  # an epsilon and a gap
_APART = 100.0  # by what factor two bounds of one order may differ
_LDP2, _DP = "Algorithm 2, lines 4-7", "Algorithm 3, lines 4-7"


# --- Fact 1 and the lemmas


def fact_1() -> Ruling:
    """Both inequalities on random pairs of means."""
    problems: list[Any] = [
        paper.k_path(12, 4, 0.4),
        paper.separated("one matters", others=4, list_size=4, distance=0.2, best=0.5),
    ]
    largest = max(map(lemmas.fact_1, [*problems, paper.coverage(n_nodes=5, n_targets=3, n_chosen=2, p=0.5, gap=0.2)]))
    said = "on 600 random pairs of means of each of 3 families a reward moves by at most"
    return _PROVED(largest <= 1.0 + 1e-9, f"{said} {largest:.3g} times what is allowed", largest)


def lemma_1() -> Ruling:
    """The nodes of a leaf, counted."""
    binary, natural, levels = lemmas.lemma_1_loss(_T)
    said = (
        f"at T = {_T} with log2 T the releases have a loss of {binary:.4g} epsilon, with ln T of {natural:.4g} epsilon"
    )
    again = f"with floor(log2 T) + 1, the nodes of an item, {levels:.4g} epsilon"
    return after_repair(_EXACT(binary <= 1.0, said, binary), _EXACT(levels <= 1.0 + 1e-12, again, levels))


def lemma_2() -> Ruling:
    """By Hoeffding's inequality and the exact tail of the noise."""
    rounds = lemmas.lemma_2_failures(_ARMS, _T)
    return _at_most(3.0, rounds, f"at most {rounds:.2g} rounds are expected outside F_t at m = {_ARMS}, T = {_T}")


# --- privacy


def theorem_1(losses: Iterable[float], epsilon: float) -> Ruling:
    """The losses of an algorithm, by accounting, as printed and repaired."""
    return all_of(*map(Privacy(epsilon), losses))


theorem_3 = theorem_7 = least_pulled_privacy = own_blocks_privacy = theorem_1


# --- regret under local privacy


def theorem_2() -> Ruling:
    """What a first report costs the printed algorithm, and what is proved of the repaired one."""
    return _local(bounds.theorem_2, 2.0)


def theorem_4() -> Ruling:
    """As for Theorem 2."""
    return _local(bounds.theorem_4, 0.0)


def _local(bound: Callable[..., float], size: float) -> Ruling:
    at = lemmas.first_report_horizon(_FAR_GAP, 1.0)
    said = f"a first report costs more than 256 ln T/(epsilon^2 gap) from T = 10^{at:.3g} on (K = epsilon = 1)"
    corrected = partial(bound, variant="corrected")
    return after_repair(_PROVED(math.isinf(at), said, at), _order(corrected, "one matters", (size, 2.0, 1.0, 1.0)))


def theorem_5() -> Ruling:
    """Against what is proved of the same instance: no report on a bit keeps more than randomised response."""
    ratio = lemmas.local_lower_ratio()
    said = f"at most {ratio:.3g} times what is proved for its instance; its form for epsilon up to 1/2 is smaller still"
    return _at_most(1.0, ratio, said)


theorem_6 = theorem_5


def least_pulled_removes_k(exponents: pd.DataFrame, removed: Iterable[Interval]) -> Ruling:
    """The exponents of K of CUCB-LDP2, and those of CUCB-LDP1 over it, for rewards with B_inf = 1."""
    none = at_most(_pick(exponents, SIZE, algorithm=_LDP2), 0.0, wrong=1.0, quantity=SIZE)
    fewer = [Less("nothing", "the exponent of K that it removes")(negative(more)) for more in removed]
    return about(all_of(none, *fewer), exponents)


def conjecture() -> Ruling:
    """Against the proved bound of an algorithm for every B_1-smooth reward."""
    found = lemmas.exponents(bounds.super_arm_radius_upper, "K-path").size
    said = f"2 is the conjectured exponent of K per arm; the super-arm radius provably has at most {found:.3g}"
    return _PROVED(found > 2.0 - _NEAR, f"{said}, for every B_1-smooth reward", found)


def own_super_arm_radius(loss: float, epsilon: float, exponents: pd.DataFrame) -> Ruling:
    """The loss of a bit, what is proved, and what runs show."""
    proved = _order(bounds.super_arm_radius_upper, "K-path", (1.0, 2.0, 1.0, 1.0))
    (exponent,) = _pick(exponents, SIZE, algorithm="super-arm radius", instances="K-path")
    return about(all_of(proved, at_most(exponent, 1.0, wrong=2.0, quantity=SIZE), Privacy(epsilon)(loss)), exponents)


def own_lower_ratio(rising: Interval, level: Interval) -> Ruling:
    """The exponents of K of CUCB-LDP2 and of the super-arm radius over our sharper Theorem 6."""
    return all_of(
        Less("no growth", "the exponent of K of CUCB-LDP2 over the bound")(negative(rising)),
        exactly(level, 0.0, below=-1.0, above=1.0, quantity=SIZE),
    )


# --- regret under central privacy


def theorem_8() -> Ruling:
    """The last line of the paper's own proof, whose steps hold: Lemma 2, and a bonus that covers the noise."""
    miss = lemmas.tree_miss(_T)
    covers = _PROVED(miss <= 1.0, f"a release leaves its bonus with {miss:.2g} times the probability 1/T^2", miss)
    proof = partial(bounds.theorem_8, variant="proof")
    return all_of(_order(proof, "K-path", (1.0, 1.0, 1.0, 3.0)), covers, lemma_2())


def central_upper() -> Ruling:
    """What is proved of the repaired algorithm."""
    return _order(partial(bounds.b_inf_dp_upper, variant="corrected"), "one matters", (0.0, 1.0, 1.0, math.inf))


def central_lower() -> Ruling:
    """The product of Section 3.3, against an upper bound; the sum of Table 1's caption is proved."""
    (claimed, reached), ratio = lemmas.product_exponents(), lemmas.sum_over_proved()
    said = f"at K = 1, epsilon = gap = x the exponent of 1/x is claimed to be {claimed:.3g}, blocks have {reached:.3g}"
    again = f"the sum m ln T (1/gap + 1/epsilon) is at most {ratio:.3g} times a proved bound"
    return after_repair(_PROVED(reached > claimed - _NEAR, said, reached), _at_most(_APART, ratio, again))


def theorem_9() -> Ruling:
    """The print against an upper bound that is proved for every B_1-smooth reward."""
    claimed, reached = lemmas.private_exponents()
    said = f"its private term has the exponent {claimed:.3g} of K per arm; for blocks we prove {reached:.2g} on every"
    said += " instance with equal gaps, so no constant does for all K"
    return _PROVED(reached > claimed - _NEAR, said, reached)


def theorem_9_sketch() -> Ruling:
    """The regret that the sketch gives on its own instance against an upper bound there."""
    claimed, reached = lemmas.public_exponents()
    said = f"at m = 3K and small epsilon its regret has the exponent {claimed:.3g} of K; that of blocks has at most"
    return _PROVED(reached > claimed - _NEAR, f"{said} {reached:.3g} there", reached)


def contribution_b_1() -> Ruling:
    """The product without its caption, where epsilon alone is small, and K is larger than any power of ln T."""
    claimed, reached = lemmas.tilde_exponents()
    said = f"at gap = B_1 = 1, epsilon = K^-1/2, K any power of ln T, it has the exponent {claimed:.3g} of K per arm"
    return _PROVED(reached > claimed - _NEAR, f"{said}; blocks provably have {reached:.3g}", reached)


def own_central_rate() -> Ruling:
    """The two proved sides of the central rate."""
    apart = lemmas.rates_apart()
    upper = _order(lambda **at: sum(bounds.cucb_blocks_upper(**at)), "K-path", (0.0, 1.0, 1.0, 1.0))
    said = f"the upper bound is at most {apart:.3g} times the lower one, over K up to 512, gaps and epsilon"
    return all_of(_PROVED(apart <= _APART, said, apart), upper)


def own_blocks_k(exponents: pd.DataFrame) -> Ruling:
    """The exponent of K in what privacy adds per arm: for blocks what their noise gives, for CUCB-DP 1."""
    found = []
    for one in exponents.itertuples():
        if one.algorithm == BLOCKS:  # the nearest wrong exponent is that of Theorem 9
            found.append(at_most(one.exponent, one.expected, wrong=1.0, quantity=SIZE))
        elif one.algorithm == _DP:
            found.append(exactly(one.exponent, 1.0, below=0.0, above=2.0, quantity=SIZE))
    return about(all_of(*found), exponents)


def private_term_dominated() -> Ruling:
    """The terms of the bound as printed, on instances whose Delta is the gap."""

    def over(gap: float) -> float:
        terms = bounds.theorem_8_terms(problem=paper.top_k(4, 2, gap), horizon=10**6, epsilon=_CONSTANT)
        return terms.private / terms.sampling

    gaps = [0.2, 0.1, 0.05, 0.025]
    slope = lemmas.exponent_of([1.0 / gap for gap in gaps], [over(gap) for gap in gaps])
    below = brentq(lambda gap: over(gap) - 1.0, 1e-6, gaps[-1])
    said = f"at epsilon = {_CONSTANT:g} the private term over the other has the exponent {slope:.3g} of 1/gap: it"
    return _PROVED(
        slope < -_NEAR, f"{said} vanishes with the gap; at T = 10^6 it is smaller below a gap of {below:.2g}", slope
    )


# --- what these share


def _order(bound: _Bound, kind: str, claimed: tuple[float, float, float, float]) -> Ruling:
    """Judge the exponents of what is proved, at most the claimed ones of K per arm, 1/epsilon, 1/gap and ln T."""
    found = lemmas.exponents(bound, kind)
    names = ("K per arm", EPSILON, GAP, LOG)
    rounded = (abs(round(each, 2)) for each in found)
    said = "proved exponents: " + ", ".join(f"{a:g} of {b}" for a, b in zip(rounded, names, strict=True))
    holds = all(each < most + _NEAR for each, most in zip(found, claimed, strict=True))
    return _PROVED(holds, said, abs(round(found.size, 6)))


def _pick(exponents: pd.DataFrame, quantity: str, **facts: str) -> list[Interval]:
    """Return the measured exponents of one quantity with these facts, at best means of 1; at least one."""
    rows = exponents[(exponents["quantity"] == quantity) & (exponents["best"] == 1.0)]
    for name, value in facts.items():
        rows = rows[rows[name] == value]
    if rows.empty:
        named = ", ".join(f"{name} {value}" for name, value in facts.items())
        raise NotShown(f"exponents of {quantity}, {named}")
    return list(rows["exponent"])


def _at_most(most: float, value: float, said: str) -> Ruling:
    """Rule on what is known to be at most `value`: more than is allowed leaves the question open."""
    return _PROVED(True if value <= most else None, said if value <= most else f"{said}, which decides nothing", value)

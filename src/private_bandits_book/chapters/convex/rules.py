"""The rules that judge what Zheng et al. (2020) claim of convex losses, a function for each claim.

Table 1 states orders. Where the book proves one, or reduces it by Theorem 3 to a bound that the learner's authors
prove, the bound is computed at horizons far beyond any run, and its exponents are compared with the claimed ones. What
nothing here proves is judged by runs, in the notebook's cells; the next larger of T^(1/2), T^(2/3) and T^(3/4) is the
nearest wrong one, fixed before the runs.
"""

import math

from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits_book.chapters.convex import lemmas
from private_bandits_book.judging import Holds, Privacy, Ruling, after_repair, all_of
from private_bandits_book.judging.verdicts import DERIVED, EXACT

_PROVED, _EXACT = Holds(DERIVED), Holds(EXACT)
_NEAR_T, _NEAR = 1 / 48, 0.25  # a quarter of the distance to the next power, of T and of 1/epsilon or ln T
_GRID = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_STREAMS = (0.1, 1.0, 10.0)


# --- privacy


def gaussian_mechanism() -> Ruling:
    """The exact privacy of the classical sigma on a grid, and of the analytic one."""
    ratio, epsilon, loss = lemmas.classical_excess(_GRID)
    sigma = gaussian_sigma(epsilon, delta=lemmas.DELTA, sensitivity=1.0)
    analytic = gaussian_epsilon(sigma, delta=lemmas.DELTA, sensitivity=1.0) / epsilon
    said, again = f"at epsilon = {epsilon:g} the privacy loss is {loss:.4g}", f"it is {analytic:.6g} times epsilon"
    return after_repair(
        _EXACT(ratio <= 1.0, said, ratio), _EXACT(analytic <= 1 + 1e-9, f"with the analytic sigma {again}", analytic)
    )


def theorem_1() -> Ruling:
    """Enumerated: all reports of a stream, and all actions of a learner."""
    worst = lemmas.streaming_excess(_STREAMS)
    said = f"all reports and all actions of an enumerated learner: at most {worst:.6g} times epsilon"
    return _EXACT(worst <= 1 + 1e-9, said, worst)


def theorem_2(loss: float, epsilon: float, delta: float) -> Ruling:
    """The exact loss of one noisy number, at the largest epsilon for which the classical formula is proved."""
    return Privacy(epsilon, delta)(loss)


theorem_5 = theorem_2


# --- orders that are proved


def theorem_3() -> Ruling:
    """What is proved, over what is printed."""
    ratio = lemmas.reduction_over_printed()
    said = f"we prove the order with the constant {ratio:.3g}: at most so many times B ln(T/delta)/epsilon times the "
    said += "learner's regret, epsilon <= 1"
    return _PROVED(math.isfinite(ratio) and ratio < 100.0, said, ratio)


def _order(found: lemmas.Exponents, t: float, noise: float | None, by: str) -> Ruling:
    """Whether proved exponents of T and 1/epsilon are at most those claimed."""
    holds = found.horizon < t + _NEAR_T and (noise is None or found.noise < noise + _NEAR)
    priced = "" if noise is None else f" and {found.noise:.2f} of 1/epsilon, claimed {noise:g}"
    return _PROVED(holds, f"{by} the exponents are {found.horizon:.3f} of T, claimed {t:.3g},{priced or ' no noise'}")


_OURS, _CITED = "by our proof", "by Theorem 3 and the learner's own theorem"


def corollary_4_smooth() -> Ruling:
    """Theorem 3 with the bound of Saha and Tewari."""
    return _order(lemmas.one_point("smooth", "saha_tewari"), 2 / 3, 1.0, _CITED)


def corollary_4_strong() -> Ruling:
    """Theorem 3 with the bound of Hazan and Levy."""
    return _order(lemmas.one_point("quadratic", "hazan_levy"), 0.5, 1.0, _CITED)


def corollary_4_stochastic() -> Ruling:
    """Theorem 3 with the bound of Agarwal et al. (2011), computed in one dimension."""
    return _order(lemmas.one_point("line", "stochastic"), 0.5, 1.0, _CITED)


def table_1_convex() -> Ruling:
    """Gradient descent from one point."""
    return _order(lemmas.one_point("distance", "sphere"), 0.75, 1.0, _OURS)


def table_1_convex_non_private() -> Ruling:
    """The same without noise."""
    return _order(lemmas.one_point("distance", "sphere", free=True), 0.75, None, _OURS)


def table_1_strongly_convex() -> Ruling:
    """Gradient descent with steps 1/(mu t)."""
    return _order(lemmas.one_point("kinked", "sphere_strong"), 2 / 3, 1.0, _OURS)


def table_1_strongly_convex_non_private() -> Ruling:
    """The same without noise."""
    return _order(lemmas.one_point("kinked", "sphere_strong", free=True), 2 / 3, None, _OURS)


def theorem_6_convex() -> Ruling:
    """Two points with the printed step."""
    return _order(lemmas.two_points("distance", "printed"), 0.5, 2.0, _OURS)


def table_1_two_points_convex_non_private() -> Ruling:
    """The same without noise."""
    return _order(lemmas.two_points("distance", "printed", free=True), 0.5, None, _OURS)


def own_two_points() -> Ruling:
    """Two points with a step that knows the noise."""
    return _order(lemmas.two_points("distance", "tuned"), 0.5, 1.0, _OURS)


def theorem_6_strong() -> Ruling:
    """Two points on strongly convex losses, in ln T."""
    found = lemmas.two_points("quadratic", "strong")
    said = f"by our proof the exponents are {found.log:.3f} of ln T and {found.noise:.2f} of 1/epsilon, claimed 1 and 2"
    return _PROVED(found.log < 1 + _NEAR and found.noise < 2 + _NEAR, said)


def table_1_two_points_strongly_convex_non_private() -> Ruling:
    """The same without noise."""
    found = lemmas.two_points("quadratic", "strong", free=True)
    return _PROVED(found.log < 1 + _NEAR, f"by our proof the exponent is {found.log:.3f} of ln T, claimed 1")


def mab_both_worlds() -> Ruling:
    """Tsallis-INF with Algorithm 1, in both worlds."""
    found = lemmas.stochastic_arms()
    said = f"stochastic: {found.log:.3f} of ln T, claimed 2, and {found.noise:.2f} of 1/epsilon, claimed 2"
    return all_of(
        _order(lemmas.one_point("arms", "tsallis"), 0.5, 1.0, f"adversarial, {_CITED}"),
        _PROVED(found.log < 2 + _NEAR and found.noise < 2 + _NEAR, said),
    )


def laplace_context_free() -> Ruling:
    """The orders of Theorem 6 and Corollary 4 with Laplace noise."""
    return all_of(
        _order(lemmas.one_point("smooth", "saha_tewari", noise="laplace"), 2 / 3, 1.0, f"smooth, {_CITED}"),
        _order(lemmas.one_point("quadratic", "hazan_levy", noise="laplace"), 0.5, 1.0, f"strong and smooth, {_CITED}"),
        _order(lemmas.two_points("distance", "printed", noise="laplace"), 0.5, 2.0, f"two points, {_OURS}"),
    )


# --- why the noise is where it is


def counterexample(linear: float, none: float, added: float, epsilon: float) -> Ruling:
    """Noise <n, x> in a finite copy: on linear losses, on others at x = 0, and noise on the loss there."""
    said = f"noise <n, x> has a loss of {linear:.3g} on linear losses and {none:.3g} at x = 0 on others; noise on the "
    holds = linear <= epsilon < none and added <= epsilon
    return _EXACT(holds, f"{said}loss has {added:.3g}, epsilon = {epsilon:g}", none)


def same_noise(same: float, apart: float, epsilon: float) -> Ruling:
    """Two values with one draw, and with one each."""
    said = f"at epsilon = {epsilon:g} the loss is {same:.3g} with one draw for both values, {apart:.3g} with one each"
    return _EXACT(math.isinf(same) and apart <= 2 * epsilon * (1 + 1e-9), said, apart)

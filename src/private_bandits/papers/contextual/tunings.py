"""The tuning of each learner behind Algorithms 1 and 2 of Zheng et al. (2020), with the regret that it gives.

Each tuning holds its steps and the bound that is proved for just these steps, so the two cannot drift apart. The
constants are derived by us: the paper states orders, and its appendix is not at hand. Throughout, d is the dimension, R
and r the radii of the balls about the centre that hold the set and lie in it, G the Lipschitz constant, mu and beta
strong convexity and smoothness, and L bounds what a learner is told (in mean square, for gradient descent). Bounds are
on expected regret and may exceed what any play can lose.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from private_bandits import checks
from private_bandits.papers.contextual.accounting import noise_reach, noise_variance
from private_bandits.problems import ConvexLoss

LEARNERS = ("sphere", "sphere_strong", "saha_tewari", "hazan_levy", "stochastic", "exp3", "tsallis")


class Tuning(NamedTuple):
    """The constants of a learner and the expected regret that they give."""

    step: float
    power: float
    radius: float
    shrink: float
    curvature: float
    regret: float


class QuartersTuning(NamedTuple):
    """The constants of `kernels.quarters` and the expected regret that they give."""

    step: float  # the width, by which the losses of two points differ at most
    variance: float
    tail: float
    confidence: float
    regret: float


def check_convex(problem: object) -> None:
    """Raise a ValueError unless the problem is a ConvexLoss.

    Parameters
    ----------
    problem : object

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if not isinstance(problem, ConvexLoss):
        raise ValueError(f"problem must be a ConvexLoss (arms: ConvexLoss.from_arms), got {problem}")


def tuning(learner: str, problem: ConvexLoss, horizon: int, size: float) -> Tuning:
    """Return the steps of a learner for messages of a given size, with their regret bound.

    Parameters
    ----------
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "exp3", "tsallis"}
        * `sphere`: Flaxman, Kalai and McMahan (2005): R d L sqrt(T) / rho + G (3 + R/r) rho T, of order T^(3/4).
        * `sphere_strong`: the same with steps 1/(mu t), Agarwal, Dekel and Xiao (2010):
          d^2 L^2 (1 + ln T) / (2 mu rho^2) + G (3 + R/r) rho T, of order T^(2/3).
        * `saha_tewari`: Saha and Tewari (2011), Algorithm 1, losses that are convex and smooth even off the set, as all
          kinds are that are smooth on it; with the lemma of Abernethy, Hazan and Rakhlin (2008): nu ln T / eta + 2 eta
          d^2 L^2 T / radius^2 + beta (diameter/2)^2 radius^2 T + G R, of order T^(2/3).
        * `hazan_levy`: Hazan and Levy (2014), Algorithm 1, losses that are strongly convex and smooth even half the
          diameter off the set, where mu is taken:
          (nu ln T + (beta/mu)(1 + ln T)) / eta + 2 eta d^2 L^2 T + G R, of order sqrt(T).
        * `exp3`: Bubeck and Cesa-Bianchi (2012), Theorem 3.1, step sqrt(ln K / (K t)): 2 L sqrt(T K ln K).
        * `tsallis`: Zimmert and Seldin (2019), step 2 / sqrt(t): L (4 sqrt(K T) + 1), K arms.
    problem : ConvexLoss
        Of a kind and domain that the learner is for.
    horizon : int
        T >= 1.
    size : float
        L, > 0; for arms the width of the interval that feedback is clipped to.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        If an argument is out of range, or the learner is for other losses.

    Notes
    -----
    With noise L grows as 1/epsilon, and the regret as L^(1/2) (`sphere`), L^(2/3) (`sphere_strong`, `saha_tewari`) or
    L: slower than the 1/epsilon of the paper, as the radius is tuned to the noise. Where the set caps the radius, at
    few rounds, it grows as L, L^2, L and L.
    """
    checks.choice("learner", learner, tuple(_TUNINGS))
    feedback = checks.real("size", size, above=0)
    check_convex(problem)
    if (problem.domain == "arms") != (learner in ("exp3", "tsallis")):
        raise ValueError(f"learner {learner!r} does not fit {problem}")
    if learner in ("sphere_strong", "hazan_levy") and problem.strong_convexity == 0.0:
        raise ValueError(f"learner {learner!r} needs strongly convex losses, got {problem}")
    if learner in ("saha_tewari", "hazan_levy") and math.isinf(problem.smoothness):
        raise ValueError(f"learner {learner!r} needs smooth losses, got {problem}")
    return _TUNINGS[learner](problem, _rounds(horizon), feedback)


def stochastic_tuning(problem: ConvexLoss, horizon: int, scale: float, noise: str) -> QuartersTuning:
    """Return the constants of the stochastic convex learner in one dimension, with their regret bound.

    Agarwal, Foster, Hsu, Kakade and Rakhlin (2011), Algorithm 1, for a mean loss whose values differ by at most width =
    G (length of the interval), so that gamma_i = width / 2^i; theirs is 1. They ask s^2 ln T / gamma_i^2 times, up to a
    constant, for answers that are sub-Gaussian with s. Here an average errs by more than gamma_i with probability 1/T,
    which takes 2 variance ln(2T) / gamma_i^2 queries with Gaussian noise and some more for the longer tail of the
    Laplace law: a message less its mean is sub-gamma with variance spread^2 / 3 + V, V the noise's variance, and tail b
    for Laplace noise of scale b.

    Parameters
    ----------
    problem : ConvexLoss
        Of dimension 1, stochastic.
    horizon : int
        T >= 1.
    scale : float
        Standard deviation or Laplace scale of the noise on a message, >= 0.
    noise : {"gaussian", "laplace"}

    Returns
    -------
    QuartersTuning

    Raises
    ------
    ValueError
        If an argument is out of range, and in higher dimension: their ellipsoid method for it is left out.

    Notes
    -----
    The bound, derived. Where the averages hold, a round after which none of the intervals are apart has asked at points
    that are at most 10 gamma_i above the best: by convexity the best point is at most twice 5 gamma_i below. So a query
    in round i costs at most 20 gamma_i, and in epoch k at most width (3/4)^(k-1). An epoch ends only on losses that
    differ by gamma_i, so at most N end, and by the Cauchy-Schwarz inequality over them

        R_T <= 20 sqrt(30 variance (N + 1) T ln(2T)) + 91 width + 120 tail ln(2T) (N + 1)(I + 1) + 3 (N + 1) I width,

    the second term for rounding up, the third for the tail and the last for averages that do not hold; I bounds the
    full rounds of an epoch, N = 1 + log_{4/3}(width / 2g) and I = log_2(width / g) with g = sqrt(6 variance ln(2T)/T).
    """
    check_convex(problem)
    if problem.domain == "arms" or problem.mode != "stochastic":
        raise ValueError(f"learner 'stochastic' needs an interval and mode='stochastic', got {problem}")
    if problem.dimension != 1:
        raise ValueError(f"dimension must be 1 for learner 'stochastic', got {problem.dimension}")
    rounds, width = _rounds(horizon), problem.lipschitz * problem.diameter
    variance, tail = problem.spread**2 / 3.0 + noise_variance(scale, noise), scale if noise == "laplace" else 0.0
    confidence = math.log(2.0 * rounds)
    regret = 91.0 * width
    if variance > 0.0:
        least = math.sqrt(6.0 * variance * confidence / rounds)
        full = math.floor(math.log2(width / least)) if width >= least else 0
        ended = math.floor(1.0 + math.log(width / (2.0 * least), 4.0 / 3.0)) if width >= 2.0 * least else 0
        regret += 20.0 * math.sqrt(30.0 * variance * (ended + 1) * rounds * confidence)
        regret += (ended + 1) * (120.0 * tail * confidence * (full + 1) + 3.0 * full * width)
    return QuartersTuning(width, variance, tail, confidence, regret)


def feedback_bound(learner: str, bound: float, scale: float, noise: str, horizon: int) -> float:
    """L of `tuning`: the root mean square of a noisy loss for the sphere, else the largest one after clipping.

    For arms, whose losses lie in [0, 1], it is the width 1 + 2 reach.

    Parameters
    ----------
    learner : str
        One of `LEARNERS` but "stochastic".
    bound : float
        B > 0.
    scale : float
        Standard deviation or Laplace scale of the noise on a loss, >= 0.
    noise : {"gaussian", "laplace"}
    horizon : int
        T >= 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the horizon is out of range.
    """
    if learner in ("sphere", "sphere_strong"):
        return math.sqrt(bound**2 + noise_variance(scale, noise))
    reach = noise_reach(scale, noise, horizon)
    return 1.0 + 2.0 * reach if learner in ("exp3", "tsallis") else bound + reach


def two_point_tuning(problem: ConvexLoss, horizon: int, scale: float, noise: str, step: str) -> Tuning:
    """Return the steps of Algorithm 2 with their regret bound; see `bounds.theorem_6`.

    Parameters
    ----------
    problem : ConvexLoss
        On the ball or the simplex, with spread 0.
    horizon : int
        T >= 1.
    scale : float
        Standard deviation of the vector n (Gaussian), or the Laplace scale divided by 2 rho, >= 0.
    noise : {"gaussian", "laplace"}
    step : {"printed", "tuned", "strong"}
        As for `two_point`.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem is of another kind.
    """
    checks.choice("step", step, ("printed", "tuned", "strong"))
    if problem.domain == "arms":
        raise ValueError(f"two points need a ConvexLoss on the ball or the simplex, got {problem}")
    if problem.spread > 0.0:
        raise ValueError(f"spread must be 0 for two points, both values of one function, got {problem.spread:g}")
    rounds, d, outer, inner = _rounds(horizon), problem.dimension, problem.outer_radius, problem.inner_radius
    radius = min(math.log(rounds) / rounds, inner / 2.0)
    near = problem.lipschitz * radius * rounds * (3.0 + outer / inner)
    squared = d**2 * (problem.lipschitz**2 + noise_variance(scale, noise))
    if step == "strong":
        if (mu := problem.strong_convexity) == 0.0:
            raise ValueError(f"step='strong' needs strongly convex losses, got {problem}")
        regret = squared * (1.0 + math.log(rounds)) / (2.0 * mu) + near
        return Tuning(1.0 / mu, 1.0, radius, radius / inner, 0.0, regret)
    eta = 1.0 / math.sqrt(rounds) if step == "printed" else outer / math.sqrt(squared * rounds)
    regret = outer**2 / (2.0 * eta) + eta * rounds * squared / 2.0 + near
    return Tuning(eta, 0.0, radius, radius / inner, 0.0, regret)


def _sphere(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    d, outer, inner = problem.dimension, problem.outer_radius, problem.inner_radius
    near = problem.lipschitz * (3.0 + outer / inner)
    radius = min(math.sqrt(outer * d * feedback / near) * rounds**-0.25, inner / 2.0)
    step = outer * radius / (d * feedback * math.sqrt(rounds))
    regret = outer * d * feedback * math.sqrt(rounds) / radius + near * radius * rounds
    return Tuning(step, 0.0, radius, radius / inner, 0.0, regret)


def _sphere_strong(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    d, outer, inner, mu = problem.dimension, problem.outer_radius, problem.inner_radius, problem.strong_convexity
    near, noisy = problem.lipschitz * (3.0 + outer / inner), (d * feedback) ** 2 * (1.0 + math.log(rounds)) / mu
    radius = min((noisy / (near * rounds)) ** (1.0 / 3.0), inner / 2.0)
    regret = noisy / (2.0 * radius**2) + near * radius * rounds
    return Tuning(1.0 / mu, 1.0, radius, radius / inner, 0.0, regret)


def _saha_tewari(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    d, log = problem.dimension, math.log(rounds)
    bent = problem.smoothness * (problem.diameter / 2.0) ** 2 * rounds
    noisy = 2.0 * d * feedback * math.sqrt(2.0 * _nu(problem) * rounds * log)
    radius = min((noisy / (2.0 * bent)) ** (1.0 / 3.0) if bent else math.inf, 0.5)
    step = min(radius * math.sqrt(_nu(problem) * log / (2.0 * rounds)), radius / 4.0) / (d * feedback)
    regret = _nu(problem) * log / step + 2.0 * step * (d * feedback / radius) ** 2 * rounds + bent * radius**2
    return Tuning(step, 0.0, radius, 0.0, 0.0, regret + problem.lipschitz * problem.outer_radius)


def _hazan_levy(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    d, log, mu = problem.dimension, math.log(rounds), problem.strong_convexity_within(problem.diameter / 2.0)
    fixed = _nu(problem) * log + problem.smoothness / mu * (1.0 + log)
    step = min(math.sqrt(fixed / (2.0 * rounds)), 0.25) / (d * feedback)
    regret = fixed / step + 2.0 * step * (d * feedback) ** 2 * rounds
    return Tuning(step, 0.0, 1.0, 0.0, mu, regret + problem.lipschitz * problem.outer_radius)


def _exp3(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    arms = problem.dimension
    step = math.sqrt(math.log(arms) / arms)
    return Tuning(step, 0.5, 0.0, 0.0, 0.0, 2.0 * feedback * math.sqrt(rounds * arms * math.log(arms)))


def _tsallis(problem: ConvexLoss, rounds: int, feedback: float) -> Tuning:
    return Tuning(2.0, 0.5, 0.0, 0.0, 0.0, feedback * (4.0 * math.sqrt(problem.dimension * rounds) + 1.0))


_TUNINGS = {
    "sphere": _sphere,
    "sphere_strong": _sphere_strong,
    "saha_tewari": _saha_tewari,
    "hazan_levy": _hazan_levy,
    "exp3": _exp3,
    "tsallis": _tsallis,
}


def _nu(problem: ConvexLoss) -> float:
    """Parameter of the set's self-concordant barrier."""
    return 1.0 if problem.domain == "ball" else problem.dimension + 1.0


def _rounds(horizon: int) -> int:
    """T, but at least 2: the tunings divide by ln T."""
    return max(checks.integer("horizon", horizon, at_least=1), 2)

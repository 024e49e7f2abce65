"""Theorems 3 and 6 and Corollary 4 of Zheng et al. (2020), and the tuning of each learner with the regret it gives.

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
from private_bandits.mechanisms import gaussian_sigma, laplace_scale
from private_bandits.problems import ConvexLoss

LEARNERS = ("sphere", "sphere_strong", "saha_tewari", "hazan_levy", "exp3", "tsallis")
STEPS = ("printed", "tuned", "strong")


class Tuning(NamedTuple):
    """The constants of a learner and the expected regret that they give."""

    step: float
    power: float
    radius: float
    shrink: float
    curvature: float
    regret: float


def noise_scale(sensitivity: float, epsilon: float, delta: float | None, noise: str, method: str) -> float:
    """Laplace scale or Gaussian standard deviation for one number of a given sensitivity; 0 at epsilon = infinity."""
    checks.choice("noise", noise, ("gaussian", "laplace"))
    if math.isinf(checks.epsilon(epsilon)):
        return 0.0
    if noise == "laplace":
        if delta is not None:
            raise ValueError(f"delta must be None with noise='laplace', got {delta!r}")
        return laplace_scale(epsilon, sensitivity)
    return gaussian_sigma(epsilon, checks.delta(delta), sensitivity, method=method)


def noise_variance(scale: float, noise: str) -> float:
    """Variance of one draw."""
    return scale**2 if noise == "gaussian" else 2.0 * scale**2


def noise_reach(scale: float, noise: str, horizon: int) -> float:
    """The size that one draw exceeds with probability 1/T^2: sigma sqrt(2 ln(2 T^2)), or b ln(T^2)."""
    rounds = _rounds(horizon)
    factor = math.sqrt(2.0 * math.log(2.0 * rounds**2)) if noise == "gaussian" else 2.0 * math.log(rounds)
    return scale * factor


def tuning(learner: str, problem: ConvexLoss, horizon: int, size: float) -> Tuning:
    """Return the steps of a learner for messages of a given size, with their regret bound.

    Parameters
    ----------
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "exp3", "tsallis"}
        * `sphere`: Flaxman, Kalai and McMahan (2005): R d L sqrt(T) / rho + G (3 + R/r) rho T, of order T^(3/4).
        * `sphere_strong`: the same with steps 1/(mu t), Agarwal, Dekel and Xiao (2010):
          d^2 L^2 (1 + ln T) / (2 mu rho^2) + G (3 + R/r) rho T, of order T^(2/3).
        * `saha_tewari`: Saha and Tewari (2011), Algorithm 1, smooth losses: nu ln T / eta + 2 eta d^2 L^2 T / radius^2
          + beta (diameter/2)^2 radius^2 T + G R, of order T^(2/3).
        * `hazan_levy`: Hazan and Levy (2014), Algorithm 1, strongly convex and smooth losses:
          (nu ln T + (beta/mu)(1 + ln T)) / eta + 2 eta d^2 L^2 T + G R, of order sqrt(T).
        * `exp3`: step sqrt(ln K / (K t)): 2 L sqrt(T K ln K).
        * `tsallis`: Zimmert and Seldin (2019), step 2 / sqrt(t): L (4 sqrt(K T) + 1), K arms.
    problem : ConvexLoss
    horizon : int
        T >= 1.
    size : float
        L, > 0; for arms the width of the interval of told losses.
    """
    checks.choice("learner", learner, LEARNERS)
    told = checks.real("size", size, above=0)
    if (problem.domain == "arms") != (learner in ("exp3", "tsallis")):
        raise ValueError(f"learner {learner!r} does not fit {problem}")
    if learner in ("sphere_strong", "hazan_levy") and problem.strong_convexity == 0.0:
        raise ValueError(f"learner {learner!r} needs strongly convex losses, got {problem}")
    if learner in ("saha_tewari", "hazan_levy") and math.isinf(problem.smoothness):
        raise ValueError(f"learner {learner!r} needs smooth losses, got {problem}")
    return _TUNINGS[learner](problem, _rounds(horizon), told)


def theorem_3(
    regret: float, bound: float, horizon: int, epsilon: float, delta: float, variant: str = "printed"
) -> float:
    """Theorem 3: the regret of Algorithm 1 from the regret of its learner for losses of unit range.

    `printed` is B ln(T/delta) / epsilon times the regret, its O taken as 1: an order. `derived` is ours:
    2 (B + sigma sqrt(2 ln(2 T^2))) times the regret, plus 2 sigma / T for what the clipping moves, with the Gaussian
    sigma of the box. It holds for any learner of losses in [0, 1], which are made by clipping the noisy loss.

    Parameters
    ----------
    regret : float
        Regret of the learner for losses in [0, 1], >= 0.
    bound : float
        B > 0: |f| <= B.
    horizon, epsilon, delta
        T >= 1, > 0, in (0, 1).
    variant : {"printed", "derived"}
    """
    checks.choice("variant", variant, ("printed", "derived"))
    unit = checks.real("regret", regret, at_least=0)
    size, rounds = checks.real("bound", bound, above=0), checks.integer("horizon", horizon, at_least=1)
    if variant == "printed":
        return size * math.log(rounds / checks.delta(delta)) / checks.epsilon(epsilon) * unit
    sigma = noise_scale(2.0 * size, epsilon, delta, "gaussian", "classical")
    return 2.0 * (size + noise_reach(sigma, "gaussian", rounds)) * unit + 2.0 * sigma / rounds


def told_size(learner: str, bound: float, scale: float, noise: str, horizon: int) -> float:
    """L of `tuning`: the root mean square of a noisy loss for the sphere, else the largest one after clipping.

    For arms, whose losses lie in [0, 1], it is the width 1 + 2 reach.
    """
    if learner in ("sphere", "sphere_strong"):
        return math.sqrt(bound**2 + noise_variance(scale, noise))
    reach = noise_reach(scale, noise, horizon)
    return 1.0 + 2.0 * reach if learner in ("exp3", "tsallis") else bound + reach


def corollary_4(
    problem: ConvexLoss,
    horizon: int,
    epsilon: float,
    delta: float | None = None,
    learner: str = "sphere",
    noise: str = "gaussian",
    method: str = "classical",
) -> float:
    """Corollary 4 with constants, derived: the regret of Algorithm 1 with a learner of `tuning`.

    The paper states T^(2/3)/epsilon with `saha_tewari` and sqrt(T)/epsilon with `hazan_levy`. Its third learner, for
    stochastic convex losses, is not here. Parameters are those of `reduction.one_point`.
    """
    scale = noise_scale(2.0 * problem.bound, epsilon, delta, noise, method)
    size = told_size(learner, problem.bound, scale, noise, horizon)
    moved = 0.0 if learner.startswith("sphere") else 2.0 * scale / _rounds(horizon)
    return tuning(learner, problem, horizon, size).regret + moved


def two_point_tuning(problem: ConvexLoss, horizon: int, scale: float, noise: str, step: str) -> Tuning:
    """Return the steps of Algorithm 2 with their regret bound; see `theorem_6` and `reduction.two_point`.

    `scale` is the standard deviation of the vector n (Gaussian), or the Laplace scale divided by 2 rho.
    """
    checks.choice("step", step, STEPS)
    if problem.domain == "arms":
        raise ValueError(f"two points need a ConvexLoss on the ball or the simplex, got {problem}")
    rounds, d, outer, inner = _rounds(horizon), problem.dimension, problem.outer_radius, problem.inner_radius
    radius = min(math.log(rounds) / rounds, inner / 2.0)
    near = problem.lipschitz * radius * rounds * (3.0 + outer / inner)
    squared = d**2 * (problem.lipschitz**2 + noise_variance(scale, noise))
    if step == "strong":
        mu = _strong(problem)
        return Tuning(
            1.0 / mu, 1.0, radius, radius / inner, 0.0, squared * (1.0 + math.log(rounds)) / (2.0 * mu) + near
        )
    eta = 1.0 / math.sqrt(rounds) if step == "printed" else outer / math.sqrt(squared * rounds)
    regret = outer**2 / (2.0 * eta) + eta * rounds * squared / 2.0 + near
    return Tuning(eta, 0.0, radius, radius / inner, 0.0, regret)


def theorem_6(
    problem: ConvexLoss,
    horizon: int,
    epsilon: float,
    delta: float | None = None,
    step: str = "printed",
    noise: str = "gaussian",
    method: str = "classical",
) -> float:
    """Theorem 6 with constants, derived: the regret of Algorithm 2.

    With V the variance of n along u, E|g|^2 <= d^2 (G^2 + V), and with rho = ln T / T the regret is at most

        printed   (R^2 + d^2 (G^2 + V)) sqrt(T) / 2     + G ln T (3 + R/r),     of order 1/epsilon^2
        tuned     R d sqrt((G^2 + V) T)                 + G ln T (3 + R/r),     of order 1/epsilon
        strong    d^2 (G^2 + V) (1 + ln T) / (2 mu)     + G ln T (3 + R/r),     of order 1/epsilon^2

    with eta = 1/sqrt(T), R / (d sqrt((G^2 + V) T)) and 1/(mu t). Parameters are those of `reduction.two_point`.
    """
    scale = noise_scale(2.0 * problem.lipschitz, epsilon, delta, noise, method)
    return two_point_tuning(problem, horizon, scale, noise, step).regret


def _sphere(problem: ConvexLoss, rounds: int, told: float) -> Tuning:
    d, outer, inner = problem.dimension, problem.outer_radius, problem.inner_radius
    near = problem.lipschitz * (3.0 + outer / inner)
    radius = min(math.sqrt(outer * d * told / near) * rounds**-0.25, inner / 2.0)
    step = outer * radius / (d * told * math.sqrt(rounds))
    regret = outer * d * told * math.sqrt(rounds) / radius + near * radius * rounds
    return Tuning(step, 0.0, radius, radius / inner, 0.0, regret)


def _sphere_strong(problem: ConvexLoss, rounds: int, told: float) -> Tuning:
    d, outer, inner, mu = problem.dimension, problem.outer_radius, problem.inner_radius, problem.strong_convexity
    near, noisy = problem.lipschitz * (3.0 + outer / inner), (d * told) ** 2 * (1.0 + math.log(rounds)) / mu
    radius = min((noisy / (near * rounds)) ** (1.0 / 3.0), inner / 2.0)
    regret = noisy / (2.0 * radius**2) + near * radius * rounds
    return Tuning(1.0 / mu, 1.0, radius, radius / inner, 0.0, regret)


def _saha_tewari(problem: ConvexLoss, rounds: int, told: float) -> Tuning:
    d, log = problem.dimension, math.log(rounds)
    bent = problem.smoothness * (problem.diameter / 2.0) ** 2 * rounds
    noisy = 2.0 * d * told * math.sqrt(2.0 * _nu(problem) * rounds * log)
    radius = min((noisy / (2.0 * bent)) ** (1.0 / 3.0) if bent else math.inf, 0.5)
    step = min(radius * math.sqrt(_nu(problem) * log / (2.0 * rounds)), radius / 4.0) / (d * told)
    regret = _nu(problem) * log / step + 2.0 * step * (d * told / radius) ** 2 * rounds + bent * radius**2
    return Tuning(step, 0.0, radius, 0.0, 0.0, regret + problem.lipschitz * problem.outer_radius)


def _hazan_levy(problem: ConvexLoss, rounds: int, told: float) -> Tuning:
    d, log, mu = problem.dimension, math.log(rounds), problem.strong_convexity
    fixed = _nu(problem) * log + problem.smoothness / mu * (1.0 + log)
    step = min(math.sqrt(fixed / (2.0 * rounds)), 0.25) / (d * told)
    regret = fixed / step + 2.0 * step * (d * told) ** 2 * rounds
    return Tuning(step, 0.0, 1.0, 0.0, mu, regret + problem.lipschitz * problem.outer_radius)


def _exp3(problem: ConvexLoss, rounds: int, told: float) -> Tuning:
    arms = problem.dimension
    step = math.sqrt(math.log(arms) / arms)
    return Tuning(step, 0.5, 0.0, 0.0, 0.0, 2.0 * told * math.sqrt(rounds * arms * math.log(arms)))


def _tsallis(problem: ConvexLoss, rounds: int, told: float) -> Tuning:
    return Tuning(2.0, 0.5, 0.0, 0.0, 0.0, told * (4.0 * math.sqrt(problem.dimension * rounds) + 1.0))


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


def _strong(problem: ConvexLoss) -> float:
    if problem.strong_convexity == 0.0:
        raise ValueError(f"step='strong' needs strongly convex losses, got {problem}")
    return problem.strong_convexity


def _rounds(horizon: int) -> int:
    """T, but at least 2: the tunings divide by ln T."""
    return max(checks.integer("horizon", horizon, at_least=1), 2)

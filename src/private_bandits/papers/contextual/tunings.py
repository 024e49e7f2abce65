"""The tuning of each learner behind Algorithm 1 of Zheng et al. (2020), with the regret that it gives.

Each learner has a file, and each tuning holds its steps and the bound that is proved for just these steps, so the two
cannot drift apart. The constants are derived by us: the paper states orders, and its appendix is not at hand.
Throughout, d is the dimension, R and r the radii of the balls about the centre that hold the set and lie in it, G the
Lipschitz constant, mu and beta strong convexity and smoothness, and L bounds what a learner is told (in mean square,
for gradient descent). Bounds are on expected regret and may exceed what any play can lose.
"""

import math

from private_bandits import checks
from private_bandits.papers.contextual.accounting import noise_reach, noise_variance
from private_bandits.papers.contextual.agarwal_algorithm_1 import stochastic_tuning
from private_bandits.papers.contextual.flaxman_bgd import bgd, strong_bgd
from private_bandits.papers.contextual.hazan_algorithm_1 import hazan_levy
from private_bandits.papers.contextual.saha_algorithm_1 import saha_tewari
from private_bandits.papers.contextual.shared_convex import Tuning, check_convex, checked_rounds
from private_bandits.papers.contextual.zimmert_tsallis_inf import tsallis
from private_bandits.problems import ConvexLoss

_TUNINGS = {
    "sphere": bgd,
    "sphere_strong": strong_bgd,
    "saha_tewari": saha_tewari,
    "hazan_levy": hazan_levy,
    "tsallis": tsallis,
}
LEARNERS = {**_TUNINGS, "stochastic": stochastic_tuning}


def behind_noise(learner: str, problem: ConvexLoss, horizon: int, scale: float, noise: str) -> Tuning:
    """Return the steps of a learner that is told noisy losses, what it clips them to, and the regret that this gives.

    For gradient descent L is the root mean square of a noisy loss, otherwise the largest one after clipping, or the
    width for arms. Clipping may cost the barrier methods 2 B, as in `bounds.theorem_3`, and the two for arms, whose
    losses are linear, 2 scale / T: it bounds 2 T times the mean of what exceeds the reach.

    Parameters
    ----------
    learner : str
        One of `LEARNERS`.
    problem : ConvexLoss
    horizon : int
        T >= 1.
    scale : float
        Standard deviation or Laplace scale of the noise on a loss, >= 0.
    noise : {"gaussian", "laplace"}

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        If an argument is out of range, or the learner is for other losses.
    """
    if checks.choice("learner", learner, tuple(LEARNERS)) == "stochastic":
        return stochastic_tuning(problem, horizon, scale, noise)
    if learner in ("sphere", "sphere_strong"):
        return tuning(learner, problem, horizon, math.sqrt(problem.bound**2 + noise_variance(scale, noise)))
    reach = noise_reach(scale, noise, horizon)
    if learner == "tsallis":
        width = 1.0 + 2.0 * reach
        found = tuning(learner, problem, horizon, width)
        regret = found.regret + 2.0 * scale / max(horizon, 2)
        return found._replace(regret=regret, low=-reach, high=1.0 + reach, offset=-reach, unit=width)
    size = problem.bound + reach
    found = tuning(learner, problem, horizon, size)
    return found._replace(regret=found.regret + (2.0 * problem.bound if scale else 0.0), low=-size, high=size)


def tuning(learner: str, problem: ConvexLoss, horizon: int, size: float) -> Tuning:
    """Return the steps of a learner for messages of a given size, with their regret bound.

    Parameters
    ----------
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "tsallis"}
        `flaxman_bgd`, which also has the strongly convex steps, `saha_algorithm_1`, `hazan_algorithm_1`
        and `zimmert_tsallis_inf`.
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
    if (problem.domain == "arms") != (learner == "tsallis"):
        raise ValueError(f"problem: learner {learner!r} does not fit {problem}")
    if learner in ("sphere_strong", "hazan_levy") and problem.strong_convexity == 0.0:
        raise ValueError(f"problem: learner {learner!r} needs strongly convex losses, got {problem}")
    if learner in ("saha_tewari", "hazan_levy") and math.isinf(problem.smoothness):
        raise ValueError(f"problem: learner {learner!r} needs smooth losses, got {problem}")
    return _TUNINGS[learner](problem, checked_rounds(horizon), feedback)

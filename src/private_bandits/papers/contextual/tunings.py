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
from private_bandits.papers.contextual.bubeck_figure_3_1 import exp3
from private_bandits.papers.contextual.convex_skeleton import Tuning, check_convex, checked_rounds
from private_bandits.papers.contextual.flaxman_bgd import bgd, strong_bgd
from private_bandits.papers.contextual.hazan_algorithm_1 import hazan_levy
from private_bandits.papers.contextual.saha_algorithm_1 import saha_tewari
from private_bandits.papers.contextual.zimmert_tsallis_inf import tsallis
from private_bandits.problems import ConvexLoss

_TUNINGS = {
    "sphere": bgd,
    "sphere_strong": strong_bgd,
    "saha_tewari": saha_tewari,
    "hazan_levy": hazan_levy,
    "exp3": exp3,
    "tsallis": tsallis,
}
LEARNERS = {**_TUNINGS, "stochastic": stochastic_tuning}


def tuning(learner: str, problem: ConvexLoss, horizon: int, size: float) -> Tuning:
    """Return the steps of a learner for messages of a given size, with their regret bound.

    Parameters
    ----------
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "exp3", "tsallis"}
        `flaxman_bgd`, which also has the strongly convex steps, `saha_algorithm_1`, `hazan_algorithm_1`,
        `bubeck_figure_3_1` and `zimmert_tsallis_inf`.
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
        raise ValueError(f"problem: learner {learner!r} does not fit {problem}")
    if learner in ("sphere_strong", "hazan_levy") and problem.strong_convexity == 0.0:
        raise ValueError(f"problem: learner {learner!r} needs strongly convex losses, got {problem}")
    if learner in ("saha_tewari", "hazan_levy") and math.isinf(problem.smoothness):
        raise ValueError(f"problem: learner {learner!r} needs smooth losses, got {problem}")
    return _TUNINGS[learner](problem, checked_rounds(horizon), feedback)


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

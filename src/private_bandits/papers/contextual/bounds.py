"""Theorems 3, 6, 8 and 10 and Corollary 4 of Zheng et al. (2020).

Theorems 3 and 6 and Corollary 4 come with the constants of `tunings`, on expected regret. Theorems 8 and 10, for the
contextual algorithms, are stated with constants that the text leaves out; what is certain is the order T^(3/4) /
epsilon. Their variants:

* `printed`: what the algorithm's own constants give by the argument below, if its ellipsoids hold. For Algorithm 5 they
  need not: the printed beta_t forgets the reward's noise.
* `derived`: the same argument with the derived radius (Algorithm 5) or the repaired variant (Algorithm 3).
* `rate`: the printed order with constant 1. It bounds nothing by itself.

The argument: where the ellipsoids hold, a round costs at most min(2, 2 beta |x|_{A^-1}) times the largest slope of the
link; the elliptical potential lemma with the least regulariser rho that stands from round 2 on gives

    R_T <= first + 2 slope max(beta_T, 1) sqrt(2 T d ln(1 + T / (d rho))),

first = 2 slope for the first action, which is random. Uniform play costs at most 2 slope a round, so a bound above
2 slope T is vacuous.
"""

import math

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.papers._arithmetic import log_ratio, over, times
from private_bandits.papers.contextual import tunings
from private_bandits.papers.contextual.accounting import noise_reach, number_scale
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_4 import two_point_tuning
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.shared_convex import check_convex
from private_bandits.problems import ConvexLoss

__all__ = [
    "all_or_nothing",
    "corollary_4",
    "local_lower",
    "theorem_10",
    "theorem_3",
    "theorem_6",
    "theorem_8",
]

_SLOPE = 0.25  # largest slope of the logistic link
_FAR = 10**150  # the tunings square the horizon
_LEAST = 1e-100  # of epsilon: the square of more noise is no float, and neither is the bound
_VARIANTS = ("printed", "derived", "rate")


@checks.formula()
def theorem_3(
    *, regret: float, bound: float, epsilon: float, delta: float, horizon: int, variant: str = "printed"
) -> float:
    """Theorem 3: the regret of Algorithm 1 from the regret of its learner for losses of unit range.

    `printed` is B ln(T/delta) / epsilon times the regret, its O taken as 1: an order. `derived` is ours: 2 (B + s)
    times the regret, plus 2 B, with s = sigma sqrt(2 ln(2 T^2)) and the algorithm's Gaussian sigma. It holds for any
    learner of losses in [0, 1], convex or not, against losses fixed beforehand: with probability at least 1 - 1/T no
    draw exceeds s in T rounds, and then the draws are independent and symmetric, and (f + Z + B + s) / (2 (B + s)),
    with values in [0, 1], is told unclipped. Otherwise at most 2 B T is lost. Its Lipschitz constant, smoothness and
    strong convexity are those of f over 2 (B + s), which a bound that names them must be read with.

    Parameters
    ----------
    regret : float
        Regret of the learner for losses in [0, 1], >= 0.
    bound : float
        B > 0: |f| <= B.
    epsilon : float
        Of a user, > 0.
    delta : float
        In (0, 1).
    horizon : int
        T >= 1.
    variant : {"printed", "derived"}

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    checks.choice("variant", variant, ("printed", "derived"))
    unit = checks.real("regret", regret, at_least=0)
    size, rounds = checks.real("bound", bound, above=0), checks.integer("horizon", horizon, at_least=1)
    if variant == "printed":
        return over(times(size, log_ratio(rounds, checks.delta(delta)), unit), checks.epsilon(epsilon))
    if 2.0 * size / checks.epsilon(epsilon) > 1e300:
        return math.inf
    sigma = number_scale(2.0 * size, epsilon, delta, "gaussian", "classical")
    return times(2.0, size + noise_reach(sigma, "gaussian", rounds), unit) + (2.0 * size if sigma else 0.0)


@checks.formula()
def corollary_4(
    *, problem: ConvexLoss, learner: str, epsilon: float, delta: float = 0.0, horizon: int, noise: str = "gaussian"
) -> float:
    """Corollary 4 with constants, derived: the regret of Algorithm 1 with a learner of `tunings`.

    The paper states T^(2/3)/epsilon with `saha_tewari`, sqrt(T)/epsilon with `hazan_levy` and sqrt(T)/epsilon for
    stochastic losses, here with `stochastic` in one dimension; see `tunings.tuning` for the powers of 1/epsilon, and
    `tunings.behind_noise` for what the clipping may cost.

    Parameters
    ----------
    problem : ConvexLoss
    learner : str
        One of `tunings.LEARNERS`.
    epsilon : float
        Of a user, > 0; infinity means no privacy.
    delta : float, optional
        In (0, 1); 0 with Laplace noise.
    horizon : int
        T, 1 to 10^150.
    noise : {"gaussian", "laplace"}
        Gaussian by the classical sigma.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range, or the learner is for other losses.
    """
    check_convex(problem)
    checks.integer("horizon", horizon, at_least=1, at_most=_FAR)
    scale = number_scale(2.0 * problem.bound, _squared(epsilon), delta, noise, "classical")
    regret = tunings.behind_noise(learner, problem, horizon, scale, noise).regret
    return regret if epsilon >= _LEAST else math.inf


@checks.formula()
def theorem_6(
    *,
    problem: ConvexLoss,
    epsilon: float,
    delta: float = 0.0,
    horizon: int,
    step: str = "printed",
    noise: str = "gaussian",
    calibration: str = "classical",
) -> float:
    """Theorem 6 with constants, derived: the regret of Algorithm 2.

    With V the variance of n along u, E|g|^2 <= d^2 (G^2 + V), and with rho = ln T / T the regret is at most

        printed   (R^2 + d^2 (G^2 + V)) sqrt(T) / 2     + G ln T (3 + R/r),     of order 1/epsilon^2
        tuned     R d sqrt((G^2 + V) T)                 + G ln T (3 + R/r),     of order 1/epsilon
        strong    d^2 (G^2 + V) (1 + ln T) / (2 mu)     + G ln T (3 + R/r),     of order 1/epsilon^2

    with eta = 1/sqrt(T), R / (d sqrt((G^2 + V) T)) and 1/(mu t).

    Parameters
    ----------
    problem : ConvexLoss
        On the ball, with spread 0.
    epsilon : float
        Of a user, > 0; infinity means no privacy.
    delta : float, optional
        In (0, 1); 0 with Laplace noise.
    horizon : int
        T, 1 to 10^150.
    step : {"printed", "tuned", "strong"}
    noise : {"gaussian", "laplace"}
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range, or the step is for other losses.
    """
    check_convex(problem)
    checks.integer("horizon", horizon, at_least=1, at_most=_FAR)
    scale = number_scale(2.0 * problem.lipschitz, _squared(epsilon), delta, noise, calibration)
    regret = two_point_tuning(problem, horizon, scale, noise, step).regret
    return regret if epsilon >= _LEAST else math.inf


@checks.formula()
def theorem_8(
    *, dim: int, epsilon: float, delta: float, horizon: int, variant: str = "printed", calibration: str = "classical"
) -> float:
    """Theorem 8: regret of Algorithm 5 with probability at least 0.9.

    Leading term: d^(7/4) T^(3/4) / sqrt(epsilon), up to logarithms, from the printed beta_t; T^(3/4) / epsilon covers
    it for epsilon <= 1. At epsilon = infinity `derived` is the bound of LinUCB (Abbasi-Yadkori et al. 2011,
    Theorem 3).

    Parameters
    ----------
    dim, horizon : int
        d and T, >= 1.
    epsilon : float
        Of a user, > 0; infinity means no privacy.
    delta : float
        In (0, 1).
    variant : {"printed", "derived", "rate"}
    calibration : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if checks.choice("variant", variant, _VARIANTS) == "rate":
        return _order(horizon, epsilon)
    checks.choice("calibration", calibration, ("classical", "analytic"))
    rounds = checks.integer("horizon", horizon, at_least=1, at_most=checks.ROUNDS)  # the radius is compiled
    policy = ldp_linucb(
        _squared(epsilon), delta=delta, dim=dim, horizon=rounds, variant=variant, calibration=calibration
    )
    return _upper(policy.record, rounds, 1.0) if epsilon >= _LEAST else math.inf


@checks.formula()
def theorem_10(
    *, dim: int, epsilon: float, delta: float, horizon: int, variant: str = "printed", responses: str = "bounded"
) -> float:
    """Theorem 10: regret of Algorithm 3, logistic link, with probability at least 0.9.

    The printed step 1/sqrt T leaves beta_T of order T^(1/4) / epsilon, the tuned one of `derived` T^(1/4) /
    sqrt(epsilon).

    Parameters
    ----------
    dim, horizon : int
        d and T, >= 1.
    epsilon : float
        Of a user, > 0; infinity means no privacy.
    delta : float
        In (0, 1).
    variant : {"printed", "derived", "rate"}
    responses : {"bounded", "binary"}
        What a reward may be, as for `ldp_glm`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if checks.choice("variant", variant, _VARIANTS) == "rate":
        return _order(horizon, epsilon)
    chosen = "repaired" if variant == "derived" else variant
    rounds = checks.integer("horizon", horizon, at_least=1, at_most=checks.ROUNDS)  # the radius is compiled
    policy = ldp_glm(_squared(epsilon), delta=delta, dim=dim, horizon=rounds, variant=chosen, responses=responses)
    return _upper(policy.record, rounds, _SLOPE) if epsilon >= _LEAST else math.inf


@checks.formula()
def local_lower(*, epsilon: float, horizon: int, delta: float = 0.0) -> float:
    """No algorithm whose users are (epsilon, delta)-locally private keeps its regret below this on every problem.

    With s = (e^epsilon - 1)^2 + 2.2 delta and t = min(1 / sqrt(2 T s), 1/2) it is t T exp(-s t^2 T) / (8 (1 + t)),
    which but for few rounds is sqrt(T / s) / (8 sqrt(2 e) (1 + t)). One of two problems has it, with one set {x, 0},
    |x| = 1, and rewards of x that are +-(1 - gap), of mean +-gap, gap = t / (1 + t). Contexts may be public.

    Parameters
    ----------
    epsilon : float
        > 0.
    horizon : int
        T >= 1.
    delta : float
        In [0, 1).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    rounds, private = checks.integer("horizon", horizon, at_least=1), checks.epsilon(epsilon)
    clear = checks.real("delta", delta, at_least=0, below=1)
    if private > 350.0:  # the square of e^epsilon is beyond what a float holds
        return 0.0
    told = math.expm1(private) ** 2 + 2.2 * clear
    moved = 0.5 if rounds * told < 2.0 else 1.0 / math.sqrt(2.0 * rounds * told)
    return moved * rounds / (8.0 * (1.0 + moved)) * math.exp(-told * moved**2 * rounds)


@checks.formula()
def all_or_nothing(*, delta: float, dim: int, horizon: int) -> float:
    """Expected regret of `all_or_nothing` where its ellipsoids hold, for contexts chosen in any way; ours.

    2 / delta + 2 beta sqrt(2 d T ln(1 + delta T / d) / delta), beta = 1 + sqrt(2 ln 10 + d ln(1 + T / d)): who sends is
    decided by a coin that the action does not know, so all rounds together have 1 / delta times the potential of those
    of which something arrives.

    Parameters
    ----------
    delta : float
        In (0, 1).
    dim, horizon : int
        d and T, >= 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    size, rounds = checks.integer("dim", dim, at_least=1), checks.integer("horizon", horizon, at_least=1)
    chance = checks.delta(delta)
    radius = 1.0 + math.sqrt(2.0 * math.log(10.0) + size * math.log1p(rounds / size))
    return over(
        2.0 * (1.0 + radius * math.sqrt(2.0 * size * rounds * chance * math.log1p(chance * rounds / size))), chance
    )


def _order(horizon: int, epsilon: float) -> float:
    return float(checks.integer("horizon", horizon, at_least=1) ** 0.75 / checks.epsilon(epsilon))


def _squared(epsilon: float) -> float:
    return max(checks.epsilon(epsilon), _LEAST)


def _upper(record: object, horizon: int, slope: float) -> float:
    assert isinstance(record, linear.Record)
    least = record.ridge + record.shift
    if least == 0.0:
        return math.inf
    radius = max(float(linear.radius(record, horizon, 0.0)), 1.0)
    potential = 2.0 * record.dim * math.log1p(horizon / (record.dim * least))
    return 2.0 * slope * (1.0 + radius * math.sqrt(horizon * potential))

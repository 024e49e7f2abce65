"""Theorems 8 and 10 of Zheng et al. (2020), for the contextual boxes.

The paper states both with constants that its text leaves out; what is certain is the order T^(3/4) / epsilon. Variants:

* `order`: the printed order with constant 1. It has the rates but bounds nothing by itself.
* `printed`: what the box's own constants give by the argument below, if its ellipsoids hold. For Algorithm 5 they need
  not: the printed beta_t forgets the reward's noise.
* `derived`: the same argument with the derived radius (Algorithm 5) or the repaired box (Algorithm 3).

The argument: where the ellipsoids hold, a round costs at most min(2, 2 beta |x|_{A^-1}) times the largest slope of the
link; the elliptical potential lemma with the least regulariser rho that stands from round 2 on gives

    R_T <= first + 2 slope max(beta_T, 1) sqrt(2 T d ln(1 + T / (d rho))),

first = 2 slope for the first action, which is random. Uniform play costs at most 2 slope a round, so a bound above
2 slope T is vacuous.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.papers.contextual.accounting import published_setting
from private_bandits.papers.contextual.linear import ldp_glm, ldp_linucb, linucb

__all__ = ["bonus", "horizon_needed", "linucb_upper", "published_setting", "theorem_10", "theorem_8"]

_SLOPE = 0.25  # largest slope of the logistic link
_VARIANTS = ("order", "printed", "derived")
_LONGEST = 300.0  # powers of ten that `horizon_needed` looks through


def linucb_upper(dim: int, horizon: int, alpha: float = 0.1, ridge: float = 1.0) -> float:
    """LinUCB without privacy (Abbasi-Yadkori et al. 2011, Theorem 3), by the argument of this module."""
    return _upper(linucb(dim, alpha, ridge).record, checks.integer("horizon", horizon, at_least=1), 1.0)


def theorem_8(
    dim: int,
    horizon: int,
    epsilon: float,
    delta: float,
    variant: str = "derived",
    noise: str = "classical",
    alpha: float = 0.1,
) -> float:
    """Theorem 8: regret of Algorithm 5 with probability at least 1 - alpha.

    Leading term: d^(7/4) T^(3/4) / sqrt(epsilon), up to logarithms, from the printed beta_t; T^(3/4) / epsilon covers
    it for epsilon <= 1. At epsilon = infinity `derived` is `linucb_upper`.

    Parameters
    ----------
    dim, horizon, epsilon, delta, noise, alpha
        As for `ldp_linucb`.
    variant : {"order", "printed", "derived"}
    """
    if checks.choice("variant", variant, _VARIANTS) == "order":
        return _order(horizon, epsilon)
    policy = ldp_linucb(epsilon, delta, dim, horizon, variant=variant, noise=noise, alpha=alpha)
    return _upper(policy.record, horizon, 1.0)


def theorem_10(
    dim: int,
    horizon: int,
    epsilon: float,
    delta: float,
    variant: str = "derived",
    noise: str = "classical",
    alpha: float = 0.1,
    responses: str = "bounded",
) -> float:
    """Theorem 10: regret of Algorithm 3, logistic link, with probability at least 1 - alpha.

    The printed step 1/sqrt T leaves beta_T of order T^(1/4) / epsilon, the tuned one of `derived` T^(1/4) /
    sqrt(epsilon).

    Parameters
    ----------
    dim, horizon, epsilon, delta, noise, alpha, responses
        As for `ldp_glm`.
    variant : {"order", "printed", "derived"}
    """
    if checks.choice("variant", variant, _VARIANTS) == "order":
        return _order(horizon, epsilon)
    box = "repaired" if variant == "derived" else variant
    policy = ldp_glm(epsilon, delta, dim, horizon, variant=box, noise=noise, alpha=alpha, responses=responses)
    return _upper(policy.record, horizon, _SLOPE)


def bonus(record: linear.LinearRecord, horizon: float) -> float:
    """Bonus of a unit vector after T rounds that explored every direction alike, V_T = (T/d) I.

    No design makes every direction's bonus smaller. The noise on V_T is left out.
    """
    spread = horizon / record.dim + record.ridge + 2.0 * record.shift * math.sqrt(horizon)
    return float(linear.radius(record, horizon, 0.0)) / math.sqrt(spread)


def horizon_needed(
    dim: int,
    epsilon: float,
    delta: float,
    level: float = 0.1,
    box: str = "linucb",
    variant: str = "printed",
    noise: str = "classical",
    bonus_factor: float = 1.0,
    alpha: float = 0.1,
) -> float:
    """The T from which the bonus at the end of a run, by `bonus`, stays below `level`; infinity beyond 10^300.

    Parameters
    ----------
    dim, epsilon, delta, noise, bonus_factor, alpha
        As for `ldp_linucb` and `ldp_glm`; each T has the box that is calibrated for it.
    level : float
        > 0.
    box : {"linucb", "glm"}
    variant : str
        Of the box.
    """
    checks.real("level", level, above=0)
    make = ldp_linucb if checks.choice("box", box, ("linucb", "glm")) == "linucb" else ldp_glm

    def excess(exponent: float) -> float:
        horizon = 10.0**exponent
        made = make(
            epsilon,
            delta,
            dim,
            math.ceil(horizon),
            variant=variant,
            noise=noise,
            bonus_factor=bonus_factor,
            alpha=alpha,
        )
        assert isinstance(made.record, linear.LinearRecord)
        # T may be past what an int64 holds, and the radius does not read it
        return bonus(made.record._replace(horizon=0), horizon) / level - 1.0

    # the bonus rises from 0 at T = 1 where it holds ln T, so the last crossing is sought from above
    high = _LONGEST
    if excess(high) > 0.0:
        return math.inf
    while high > 0.0 and excess(high - 1.0) <= 0.0:
        high -= 1.0
    return 1.0 if high <= 0.0 else 10.0 ** float(brentq(excess, high - 1.0, high, xtol=1e-12))


def _order(horizon: int, epsilon: float) -> float:
    return float(checks.integer("horizon", horizon, at_least=1) ** 0.75 / checks.epsilon(epsilon))


def _upper(record: object, horizon: int, slope: float) -> float:
    assert isinstance(record, linear.LinearRecord)
    least = record.ridge + record.shift
    if least == 0.0:
        return math.inf
    radius = max(float(linear.radius(record, horizon, 0.0)), 1.0)
    potential = 2.0 * record.dim * math.log(1.0 + horizon / (record.dim * least))
    return 2.0 * slope * (1.0 + radius * math.sqrt(horizon * potential))

"""What proofs say of the contextual algorithms, by computation: each number in under a second."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from private_bandits.kernels import linear, stretches
from private_bandits.papers.contextual import gloc, ldp_glm, ldp_linucb, linucb
from private_bandits.papers.contextual.ellipsoids import derived_shift, vector_norm
from private_bandits.policy import Policy

DELTA = 1e-3
_FAR = (10**75, 10**150)  # horizons at which logarithms hardly bend a power
_NOISY = (1e-6, 1e-3)  # epsilons at which the noise is all that counts
_LONGEST = 300.0  # exponents of ten that `horizon_needed` looks through


class Exponents(NamedTuple):
    """With which exponents a bound grows."""

    horizon: float  # T
    noise: float  # 1/epsilon


def exponents(make: Callable[[float, int], Policy], slope: float = 1.0) -> Exponents:
    """Return the exponents in the bound of Theorems 8 and 10, where T is large and epsilon small.

    Parameters
    ----------
    make : callable
        A policy by epsilon and T.
    slope : float
        The largest of the link.
    """

    def bound(epsilon: float, horizon: int) -> float:
        made: Any = make(epsilon, horizon).record
        record = made.constants if isinstance(made, stretches.Record) else made
        record = record._replace(horizon=0)  # T may be past what an int64 holds
        t, least = float(horizon), record.ridge + record.shift
        potential = 2.0 * record.dim * math.log(1.0 + t / (record.dim * least))
        newton = potential if record.learner == linear.NEWTON else 0.0  # squares of errors up to 1
        radius = max(float(linear.radius(record, t, newton / (2.0 * max(record.curvature, 1e-300)))), 1.0)
        return 2.0 * slope * (1.0 + radius * math.sqrt(t * potential))

    ends, noisy = [bound(1.0, t) for t in _FAR], [bound(epsilon, _FAR[1]) for epsilon in _NOISY]
    of_t = math.log(ends[1] / ends[0]) / math.log(_FAR[1] / _FAR[0])
    return Exponents(of_t, math.log(noisy[0] / noisy[1]) / math.log(_NOISY[1] / _NOISY[0]))


def algorithm_5(variant: str = "printed", noise: str = "gaussian", dim: int = 2) -> Exponents:
    """Return the exponents for Algorithm 5; arguments as for `ldp_linucb`."""
    delta = 0.0 if noise == "laplace" else DELTA
    return exponents(lambda e, t: ldp_linucb(e, delta=delta, dim=dim, horizon=t, variant=variant, noise=noise))


def algorithm_3(variant: str = "printed") -> Exponents:
    """Return the exponents for Algorithm 3; arguments as for `ldp_glm`."""
    return exponents(lambda e, t: ldp_glm(e, delta=DELTA, dim=2, horizon=t, variant=variant), slope=0.25)


def free(link: str) -> float:
    """Return the exponent of T without privacy, of LinUCB ("linear") or of GLOC with Newton steps."""
    if link == "linear":
        return exponents(lambda _, __: linucb(dim=2)).horizon
    return exponents(lambda _, t: gloc(dim=2, horizon=t), slope=0.25).horizon


def printed_over_needed() -> float:
    """The least printed beta_t over the radius that is proved for the printed shift, at epsilon up to 1.

    Over d, T, alpha, delta, epsilon and t. Where it is 1 at least, the printed ellipsoids hold with probability
    1 - alpha. The printed shift must bound the noise on V_t, too; the least of that ratio counts as well.
    """
    least = math.inf
    for dim, log, alpha, delta, epsilon in product(
        (1, 2, 5, 20), (1, 2, 4, 8, 16), (0.3, 0.1, 1e-3), (0.1, 1e-6), (0.1, 1.0)
    ):
        horizon = 10**log
        record: Any = ldp_linucb(epsilon, delta=delta, dim=dim, horizon=horizon, beta=alpha).record
        each, sigma = alpha / 3.0, record.sigma
        least = min(least, record.shift / derived_shift(sigma, dim, horizon, each))
        for t in np.unique(np.geomspace(1, horizon, 9).round()):
            upsilon = record.shift * math.sqrt(t)
            fit = math.sqrt(2.0 * math.log(1.0 / each) + dim * math.log(1.0 + t / (dim * record.shift)))
            moments = vector_norm(sigma, dim, horizon, each) * math.sqrt(t / upsilon)
            needed = fit + math.sqrt(3.0 * upsilon) + moments
            least = min(least, float(linear.radius(record, t, 0.0)) / needed)
    return least


def horizon_needed(dim: int, make: Callable[..., Policy], level: float = 0.1) -> float:
    """The T from which the bonus of a unit vector at the end of a run stays below `level`; infinity beyond 10^300.

    The T rounds have explored every direction alike, V_T = (T/d) I: no design makes every direction's bonus smaller.
    The noise on V_T is left out.

    Parameters
    ----------
    dim : int
        d.
    make : callable
        Algorithm 5 or 3 by its `horizon` T, as it is calibrated for it.
    level : float
        > 0.
    """

    def excess(exponent: float) -> float:
        horizon = 10.0**exponent
        made: Any = make(horizon=math.ceil(horizon)).record
        record = made._replace(horizon=0)  # T may be past what an int64 holds, and the radius does not read it
        spread = horizon / dim + record.ridge + 2.0 * record.shift * math.sqrt(horizon)
        return float(linear.radius(record, horizon, 0.0)) / math.sqrt(spread) / level - 1.0

    # the bonus rises from 0 at T = 1 where it holds ln T, and falls once: its last crossing is sought from above
    high = _LONGEST
    if excess(high) > 0.0:
        return math.inf
    for step in (16.0, 1.0):
        while high >= step and excess(high - step) <= 0.0:
            high -= step
    return 1.0 if high <= 0.0 else 10.0 ** float(brentq(excess, high - 1.0, high, xtol=1e-12))

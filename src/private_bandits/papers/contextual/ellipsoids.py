"""The confidence ellipsoids of the contextual algorithms of Zheng et al. (2020): their shift and their radius.

The reward's noise lies in [-1, 1], actions and parameter in the unit ball. `beta` is the probability with which the
ellipsoids may fail, shared equally by the events of a radius. Derived radii are ours:

    beta_t = fit_t + sqrt(ridge + 3 Upsilon_t) + sigma (sqrt d + sqrt(2 ln(k T/beta))) sqrt(t / (ridge + Upsilon_t)),

where Upsilon_t bounds the spectral norm of the noise on V_t, the middle term is what the shift costs and the last one
the noise on u_t, and k counts the events. Nothing but the messages leaves a user: the action is chosen by the user's
own device.
"""

import math

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.papers.contextual.accounting import SLOPE, error_reach

DEVIATION = {"bounded": 1.0, "binary": 0.5}
"""R of a reward that is R-sub-Gaussian: by Hoeffding's lemma, from its range."""


def checked(
    dim: int, horizon: int, beta: float = 0.1, bonus_factor: float = 1.0, ridge: float = 1.0
) -> tuple[int, int, float, float, float]:
    """Return the five, or raise a ValueError.

    Parameters
    ----------
    dim, horizon : int
        >= 1.
    beta : float
        In (0, 1).
    bonus_factor, ridge : float
        > 0.

    Returns
    -------
    tuple

    Raises
    ------
    ValueError
        If one is out of range.
    """
    size = checks.integer("dim", dim, at_least=1)
    length = checks.integer("horizon", horizon, at_least=1)
    failure, factor = checks.delta(beta, "beta"), checks.real("bonus_factor", bonus_factor, above=0)
    return size, length, failure, factor, checks.real("ridge", ridge, above=0)


def variant_name(variant: str, factor: float) -> str:
    """Return words for a policy's variant with what beta was multiplied by.

    Parameters
    ----------
    variant : str
    factor : float
        > 0; 1 is not told.

    Returns
    -------
    str
    """
    return variant if factor == 1.0 else f"{variant}, beta times {factor:g}"


def printed_shift(sigma: float, dim: int, horizon: int, beta: float) -> float:
    """Upsilon_t / sqrt t as printed, sigma (4 sqrt d + 2 ln(2 T/beta)).

    Parameters
    ----------
    sigma : float
        >= 0.
    dim, horizon : int
        d and T, >= 1.
    beta : float
        In (0, 1).

    Returns
    -------
    float
    """
    return sigma * (4.0 * math.sqrt(dim) + 2.0 * math.log(2.0 * horizon / beta))


def derived_shift(sigma: float, dim: int, horizon: int, beta: float) -> float:
    """Spectral norm of symmetric noise: 2 sqrt d in expectation, sqrt(2)-Lipschitz, two sides, every round.

    Parameters
    ----------
    sigma, dim, horizon, beta
        As for `printed_shift`.

    Returns
    -------
    float
    """
    return 2.0 * sigma * (math.sqrt(dim) + math.sqrt(math.log(2.0 * horizon / beta)))


def vector_norm(sigma: float, dim: int, horizon: int, beta: float) -> float:
    """Norm of Gaussian noise on a vector that T draws exceed with probability beta.

    Parameters
    ----------
    sigma, dim, horizon, beta
        As for `printed_shift`.

    Returns
    -------
    float
    """
    return sigma * (math.sqrt(dim) + math.sqrt(2.0 * math.log(horizon / beta)))


def gradient_record(
    dim: int,
    horizon: int,
    beta: float,
    factor: float,
    ridge: float,
    responses: str,
    sigma: float,
    gradient_sigma: float,
    *,
    tuned: bool,
) -> linear.Record:
    """GLOC with noisy gradient steps.

    Parameters
    ----------
    dim, horizon : int
        d and T, >= 1.
    beta : float
        In (0, 1).
    factor : float
        Multiplies beta_t, > 0.
    ridge : float
        >= 0.
    responses : {"bounded", "binary"}
        What a reward may be.
    sigma, gradient_sigma : float
        Of the noise on matrix and vector, and on the gradient, >= 0.
    tuned : bool
        Whether steps and shift are ours.

    Returns
    -------
    Record

    Raises
    ------
    ValueError
        If the responses are not one of those listed.

    Notes
    -----
    Steps zeta from 0 against g_s + r_s, |g_s| <= reach, in the unit ball: the regret of the estimates is at most
    1 / (2 zeta) + zeta/2 sum |g_s + r_s|^2 - sum <r_s, estimate_s - theta>, the last a Gaussian martingale of steps at
    most 2 sigma_r.
    """
    reach = error_reach(responses)
    events = 5 if sigma else 1
    shift = derived_shift if tuned else printed_shift
    log = math.log(events * horizon / beta)
    step = 1.0 / math.sqrt(horizon)
    if tuned:
        step /= reach + gradient_sigma * math.sqrt(dim)
    longest = reach + gradient_sigma * (math.sqrt(dim) + math.sqrt(2.0 * log))
    return linear.Record(
        dim=dim,
        learner=linear.GRADIENT,
        sigma=sigma,
        gradient_sigma=gradient_sigma,
        step=step,
        ridge=ridge,
        shift=shift(sigma, dim, horizon, beta / events if tuned else beta),
        factor=factor,
        fit=linear.REGRET,
        level=beta / events,
        deviation=DEVIATION[responses],
        curvature=SLOPE,
        cost=0.5 / step,
        cost_linear=0.5 * step * longest**2,
        cost_root=2.0 * gradient_sigma * math.sqrt(2.0 * log),
        tail=vector_norm(sigma, dim, horizon, beta / events),
        binary=True,
        horizon=horizon,
    )

"""The contextual boxes of Zheng et al. (2020), Algorithms 3 and 5, and the non-private learners beside them.

The reward's noise lies in [-1, 1], actions and parameter in the unit ball. `alpha` is the probability with which the
confidence ellipsoids may fail, shared equally by the events of a radius. Derived radii are ours:

    beta_t = fit_t + sqrt(ridge + 3 Upsilon_t) + sigma (sqrt d + sqrt(2 ln(k T/alpha))) sqrt(t / (ridge + Upsilon_t)),

where Upsilon_t bounds the spectral norm of the noise on V_t, the middle term is what the shift costs and the last one
the noise on u_t, and k counts the events. Nothing but the messages leaves a user: the action is chosen by the user's
own device.
"""

from __future__ import annotations

import math

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.contextual.accounting import (
    SLOPE,
    Message,
    error_reach,
    glm_messages,
    joint_sensitivity,
    linucb_messages,
    noise_scale,
)
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

PAPER = "zheng2020"


def linucb(dim: int, alpha: float = 0.1, ridge: float = 1.0, bonus_factor: float = 1.0) -> Policy:
    """LinUCB without privacy: beta_t = sqrt(ridge) + sqrt(2 ln(1/alpha) + d ln(1 + t / (d ridge))).

    Parameters
    ----------
    dim : int
        d, length of an action vector, >= 1.
    alpha : float
        Failure probability of the confidence ellipsoids, in (0, 1).
    ridge : float
        > 0.
    bonus_factor : float
        Multiplies beta_t, > 0; 1 is the theorem's.

    Notes
    -----
    Abbasi-Yadkori, Pal and Szepesvari (2011), Theorem 2, the determinant bounded by the trace.
    """
    record = linear.LinearRecord(
        dim=checks.integer("dim", dim, at_least=1),
        ridge=checks.real("ridge", ridge, above=0),
        factor=checks.real("bonus_factor", bonus_factor, above=0),
        fit=linear.DETERMINANT,
        level=2.0 * math.log(1.0 / checks.real("alpha", alpha, above=0, below=1)),
    )
    return Policy("LinUCB", "abbasi2011", "OFUL", _reading("stated", bonus_factor), _NO_PRIVACY, record)


def ldp_linucb(
    epsilon: float,
    delta: float,
    dim: int,
    horizon: int,
    variant: str = "printed",
    noise: str = "classical",
    bonus_factor: float = 1.0,
    alpha: float = 0.1,
    ridge: float = 1.0,
    largest_reward: float = 2.0,
) -> Policy:
    """Algorithm 5, LDP-LinUCB: a user sends x x' + B and y x + xi, two messages with one sigma.

    sigma = 6 sqrt(2 ln(2.5/delta)) / epsilon, Upsilon_t = sigma sqrt(t) (4 sqrt d + 2 ln(2 T/alpha)).

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0.
    delta : float
        In (0, 1).
    dim : int
        d >= 1.
    horizon : int
        T >= 1.
    variant : {"printed", "derived"}
        * `printed`: c_t = 2 Upsilon_t and beta_t = 2 sigma sqrt(d ln T) + (sqrt(3 Upsilon_t) + sigma sqrt(d t /
          Upsilon_t)) d ln T. Both go to 0 with sigma, and the reward's own noise is forgotten: no ridge, no bonus.
        * `derived`: ours; the radius of this module with fit_t of LinUCB, c_t = ridge + 2 Upsilon_t, and Upsilon_t =
          2 sigma sqrt(t) (sqrt d + sqrt(ln(6 T/alpha))). At epsilon = infinity it is `linucb`.
    noise : {"classical", "analytic"}
        Sigma by the split that the paper makes, or the smallest for both messages together.
    bonus_factor : float
        Multiplies beta_t, > 0.
    alpha : float
        In (0, 1).
    ridge : float
        > 0; for `derived`.
    largest_reward : float
        Rewards lie in [-largest_reward, largest_reward]: 2 in the paper's model. The 6 is 2 + 2 largest_reward.

    Notes
    -----
    The box is in an appendix; this is its recovery from two public implementations. They agree on sigma, Upsilon, c and
    beta, while V starts at I in one of them, here at 0. The classical sigma is proven while no message has a share of
    epsilon above 1, here for epsilon <= 3/2; the guarantee holds what it really pays. The noise on V_t may leave V_t +
    c_t I indefinite with probability at most alpha in a whole run; the action is then uniformly random.
    """
    size, length, failure = _checked(dim, horizon, alpha)
    checks.choice("variant", variant, ("printed", "derived"))
    factor = checks.real("bonus_factor", bonus_factor, above=0)
    least = checks.real("ridge", ridge, above=0)
    messages = linucb_messages(largest_reward)
    sigma = noise_scale(messages, epsilon, delta, noise)
    if variant == "printed":
        log_t, root = math.log(length), math.sqrt(size)
        record = linear.LinearRecord(
            dim=size,
            sigma=sigma,
            shift=_printed_shift(sigma, size, length, failure),
            factor=factor,
            level=2.0 * sigma * math.sqrt(size * log_t),
            stretch=size * log_t,
            tail=sigma * root,
            largest_reward=float(largest_reward),
            horizon=length,
        )
    else:
        events = 3 if sigma else 1
        record = linear.LinearRecord(
            dim=size,
            sigma=sigma,
            ridge=least,
            shift=_derived_shift(sigma, size, length, failure / events),
            factor=factor,
            fit=linear.DETERMINANT,
            level=2.0 * math.log(1.0 / (failure / events)),
            tail=_tail(sigma, size, length, failure / events),
            largest_reward=float(largest_reward),
            horizon=length,
        )
    privacy = _guarantee(messages, epsilon, delta, sigma)
    return Policy("LDP-LinUCB", PAPER, "Algorithm 5", _reading(f"{variant}, {noise}", factor), privacy, record)


def gloc(
    dim: int,
    horizon: int,
    learner: str = "newton",
    alpha: float = 0.1,
    ridge: float = 1.0,
    bonus_factor: float = 1.0,
    responses: str = "binary",
) -> Policy:
    """GLOC without privacy, logistic link: a ridge regression on <x, estimate> of an online learner's estimates.

    Parameters
    ----------
    dim : int
        d >= 1.
    horizon : int
        T >= 1.
    learner : {"newton", "gradient"}
        * `newton`: online Newton steps, the choice of Jun et al. (2017); their regret grows with ln t.
        * `gradient`: steps of 1 / (reach sqrt T), the choice of Zheng et al.; their regret grows with sqrt T, and so
          does beta_t^2: without any noise the analysis has T^(3/4) already.
    alpha : float
        In (0, 1).
    ridge : float
        Of the regression and of the Newton steps, > 0.
    bonus_factor : float
        Multiplies beta_t, > 0.
    responses : {"bounded", "binary"}
        What the radius assumes of rewards: the mean plus noise in [-1, 1], or 0 and 1.

    Notes
    -----
    Jun, Bhargava, Nowak and Willett (2017), Theorem 1 and the online Newton step. The radius here is sqrt(ridge) +
    fit_t, not sqrt(ridge + fit_t^2), and it drops their data-dependent reduction, as Algorithm 3 must.
    """
    size, length, failure = _checked(dim, horizon, alpha)
    checks.choice("learner", learner, ("newton", "gradient"))
    factor = checks.real("bonus_factor", bonus_factor, above=0)
    least = checks.real("ridge", ridge, above=0)
    if learner == "gradient":
        record = _gradient_record(size, length, failure, factor, least, responses, 0.0, 0.0, tuned=True)
    else:
        record = linear.LinearRecord(
            dim=size,
            learner=linear.NEWTON,
            ridge=least,
            factor=factor,
            fit=linear.REGRET,
            level=failure,
            deviation=_DEVIATION[checks.choice("responses", responses, tuple(_DEVIATION))],
            curvature=SLOPE,
            cost=2.0 * SLOPE * least,
            binary=True,
            horizon=length,
        )
    return Policy("GLOC", "jun2017", f"GLOC, {learner} steps", _reading("stated", factor), _NO_PRIVACY, record)


def ldp_glm(
    epsilon: float,
    delta: float,
    dim: int,
    horizon: int,
    variant: str = "printed",
    noise: str = "classical",
    bonus_factor: float = 1.0,
    alpha: float = 0.1,
    ridge: float = 1.0,
    responses: str = "bounded",
) -> Policy:
    """Algorithm 3, LDP generalised linear bandit with the logistic link: three messages a user.

    x x' + B, <x, estimate> x + xi and the gradient of the logistic loss plus r; sigma = 6 sqrt(2 ln(3.75/delta)) /
    epsilon, and C sigma for r. The estimate takes noisy gradient steps of length zeta in the unit ball, from 0.

    Parameters
    ----------
    epsilon, delta, dim, horizon, noise, bonus_factor, alpha
        As for `ldp_linucb`.
    variant : {"printed", "repaired"}
        * `printed`: noise C sigma on the gradient, zeta = 1/sqrt T, c_t = 2 Upsilon_t, no ridge. C = g(1), the least
          that the text allows.
        * `repaired`: ours; noise on the gradient for the whole reach of its error, zeta = 1 / (sqrt T (reach + noise
          sqrt d)), c_t = ridge + 2 Upsilon_t, Upsilon_t as in the derived `ldp_linucb`. At epsilon = infinity it is
          `gloc` with gradient steps.
    ridge : float
        > 0; for `repaired`.
    responses : {"bounded", "binary"}
        What a reward may be: the paper's model, the mean plus noise in [-1, 1], for which the printed noise on the
        gradient is too small, by a factor of at most 2; or 0 and 1 only, for which it is enough.

    Notes
    -----
    The text gives beta_t^2 only as an order, with one power of sigma, so both variants use the radius of this module,
    with fit_t from the regret of the noisy gradient steps through Theorem 1 of Jun et al. (2017). With zeta = 1/sqrt T
    its beta_t^2 has two powers of sigma; one follows with the repaired zeta. The classical sigma is proven for epsilon
    <= 3, as above; what the guarantee says that all messages together pay is an upper bound. The second message is the
    first one times the estimate, which the server knows: it moves by 1, not by 2.
    """
    size, length, failure = _checked(dim, horizon, alpha)
    factor = checks.real("bonus_factor", bonus_factor, above=0)
    least = checks.real("ridge", ridge, above=0)
    messages = glm_messages(responses, variant)
    sigma = noise_scale(messages, epsilon, delta, noise)
    repaired = variant == "repaired"
    gradient = sigma * messages[-1].relative_noise
    record = _gradient_record(
        size, length, failure, factor, least if repaired else 0.0, responses, sigma, gradient, tuned=repaired
    )
    privacy = _guarantee(messages, epsilon, delta, sigma)
    reading = _reading(f"{variant}, {noise}, {responses} rewards", factor)
    return Policy("LDP-GLOC", PAPER, "Algorithm 3", reading, privacy, record)


def _gradient_record(
    dim: int,
    horizon: int,
    alpha: float,
    factor: float,
    ridge: float,
    responses: str,
    sigma: float,
    gradient_sigma: float,
    *,
    tuned: bool,
) -> linear.LinearRecord:
    """GLOC with noisy gradient steps.

    Steps zeta from 0 against g_s + r_s, |g_s| <= reach, in the unit ball: the regret of the estimates is at most
    1 / (2 zeta) + zeta/2 sum |g_s + r_s|^2 - sum <r_s, estimate_s - theta>, the last a Gaussian martingale of steps at
    most 2 sigma_r.
    """
    reach = error_reach(responses)
    events = 5 if sigma else 1
    shift = _derived_shift if tuned else _printed_shift
    log = math.log(events * horizon / alpha)
    step = 1.0 / math.sqrt(horizon)
    if tuned:
        step /= reach + gradient_sigma * math.sqrt(dim)
    longest = reach + gradient_sigma * (math.sqrt(dim) + math.sqrt(2.0 * log))
    return linear.LinearRecord(
        dim=dim,
        learner=linear.GRADIENT,
        sigma=sigma,
        gradient_sigma=gradient_sigma,
        step=step,
        ridge=ridge,
        shift=shift(sigma, dim, horizon, alpha / events if tuned else alpha),
        factor=factor,
        fit=linear.REGRET,
        level=alpha / events,
        deviation=_DEVIATION[responses],
        curvature=SLOPE,
        cost=0.5 / step,
        cost_linear=0.5 * step * longest**2,
        cost_root=2.0 * gradient_sigma * math.sqrt(2.0 * log),
        tail=_tail(sigma, dim, horizon, alpha / events),
        binary=True,
        horizon=horizon,
    )


_DEVIATION = {"bounded": 1.0, "binary": 0.5}  # by Hoeffding's lemma, from the range of the reward
_NO_PRIVACY = Guarantee.none()


def _guarantee(messages: tuple[Message, ...], epsilon: float, delta: float, sigma: float) -> Guarantee:
    if sigma == 0.0:
        return _NO_PRIVACY
    joint = joint_sensitivity(messages)
    reason = f"{len(messages)} messages a user, one Gaussian vector of sensitivity {joint:.4g} in units of sigma"
    return Guarantee.certified(epsilon, gaussian_epsilon(sigma, delta, joint), "local", reason, delta)


def _checked(dim: int, horizon: int, alpha: float) -> tuple[int, int, float]:
    size = checks.integer("dim", dim, at_least=1)
    return size, checks.integer("horizon", horizon, at_least=1), checks.real("alpha", alpha, above=0, below=1)


def _reading(variant: str, factor: float) -> str:
    return variant if factor == 1.0 else f"{variant}, beta times {factor:g}"


def _printed_shift(sigma: float, dim: int, horizon: int, alpha: float) -> float:
    return sigma * (4.0 * math.sqrt(dim) + 2.0 * math.log(2.0 * horizon / alpha))


def _derived_shift(sigma: float, dim: int, horizon: int, alpha: float) -> float:
    """Spectral norm of symmetric noise: 2 sqrt d in expectation, sqrt(2)-Lipschitz, two sides, every round."""
    return 2.0 * sigma * (math.sqrt(dim) + math.sqrt(math.log(2.0 * horizon / alpha)))


def _tail(sigma: float, dim: int, horizon: int, alpha: float) -> float:
    return sigma * (math.sqrt(dim) + math.sqrt(2.0 * math.log(horizon / alpha)))

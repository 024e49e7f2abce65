"""Algorithm 3 of Zheng et al. (2020), Generalized Linear Bandits with LDP, with the logistic link.

The online-to-confidence-set conversion of `online_to_confidence` with noisy gradient steps; three messages a user.
"""

import math
from typing import Any

import numpy as np

from private_bandits.mechanisms import gaussian_sigma
from private_bandits.papers.contextual import shared
from private_bandits.papers.contextual.accounting import PAPER, glm_messages, noise_facts, noise_scale, vector_privacy
from private_bandits.papers.contextual.ellipsoids import checked, gradient_record, variant_name
from private_bandits.policy import Policy, words


def ldp_glm(
    epsilon: float,
    *,
    delta: float,
    dim: int,
    horizon: int,
    variant: str = "printed",
    calibration: str = "classical",
    bonus_factor: float = 1.0,
    beta: float = 0.1,
    ridge: float = 1.0,
    responses: str = "bounded",
) -> Policy:
    """Algorithm 3, LDP generalised linear bandit with the logistic link: three messages a user.

    x x' + B, <x, estimate> x + xi and the gradient of the logistic loss plus r; sigma = 6 sqrt(2 ln(3.75/delta)) /
    epsilon, and C sigma for r. The estimate takes noisy gradient steps of length zeta in the unit ball, from 0.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity means no privacy.
    delta : float
        In (0, 1).
    dim : int
        d >= 1.
    horizon : int
        T >= 1.
    variant : {"printed", "repaired"}
        * `printed`: noise C sigma on the gradient, zeta = 1/sqrt T, c_t = 2 Upsilon_t, no ridge. C = g(1), the least
          that the text allows.
        * `repaired`: ours; noise on the gradient for the whole reach of its error, zeta = 1 / (sqrt T (reach + noise
          sqrt d)), c_t = ridge + 2 Upsilon_t, Upsilon_t as in the derived `ldp_linucb`. At epsilon = infinity it is
          `gloc` with gradient steps.
    calibration : {"classical", "analytic"}
        Sigma by the split that the paper makes, or the smallest for all messages together.
    bonus_factor : float
        Multiplies beta_t, > 0.
    beta : float
        In (0, 1): with which the ellipsoids may fail, the paper's alpha.
    ridge : float
        > 0; for `repaired`.
    responses : {"bounded", "binary"}
        What a reward may be: the paper's model, the mean plus noise in [-1, 1], for which the printed noise on the
        gradient is too small, by a factor of at most 2; or 0 and 1 only, for which it is enough.

    Returns
    -------
    Policy
        Its `method` is the responses.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The text gives beta_t^2 only as an order, with one power of sigma, so both variants use the radius of this module,
    with fit_t from the regret of the noisy gradient steps through Theorem 1 of Jun et al. (2017). With zeta = 1/sqrt T
    its beta_t^2 has two powers of sigma; one follows with the repaired zeta. The classical sigma is proven for epsilon
    <= 3, as above; what the guarantee says that all messages together pay is an upper bound. The second message is the
    first one times the estimate, which the server knows: it moves by 1, not by 2.

    Examples
    --------
    >>> policy = ldp_glm(epsilon=1.0, delta=1e-3, dim=2, horizon=1000, responses="binary")
    >>> policy.variant, round(policy.record.sigma, 2), round(policy.record.gradient_sigma, 2)
    ('printed, classical, binary rewards', 24.34, 17.8)
    """
    size, length, failure, factor, least = checked(dim, horizon, beta, bonus_factor, ridge)
    messages = glm_messages(responses, variant)
    sigma = noise_scale(messages, epsilon, delta, calibration)
    repaired = variant == "repaired"
    gradient = sigma * messages[-1].relative_noise
    least = least if repaired else 0.0
    record = gradient_record(size, length, failure, factor, least, responses, sigma, gradient, tuned=repaired)
    privacy = vector_privacy(messages, epsilon, delta, sigma)
    version = words(variant, variant_name(f"{calibration}, {responses} rewards", factor))
    mechanism, found = noise_facts(sigma, "gaussian", calibration)
    return Policy(
        name="LDP-GLOC",
        paper=PAPER,
        algorithm="Algorithm 3",
        variant=version,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        calibration=found,
        method=responses,
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    delta: float,
    dim: int,
    horizon: int,
    variant: str = "printed",
    calibration: str = "classical",
    bonus_factor: float = 1.0,
    beta: float = 0.1,
    ridge: float = 1.0,
    responses: str = "bounded",
) -> list[list[int]]:
    """Play Algorithm 3 line by line, its radius by the proof, of which the text has the order only.

    The analytic sigma is that of `mechanisms.gaussian_sigma`, which the tests hold against another library's.

    Parameters
    ----------
    problem : LinearContext
        Its action sets and rewards.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    delta : float
        In (0, 1).
    dim : int
        d, of the problem.
    horizon : int
        T >= 1, for which the constants are made.
    variant : {"printed", "repaired"}
        Whose noise on the gradient, steps and shift.
    calibration : {"classical", "analytic"}
        How sigma is found.
    bonus_factor : float
        Multiplies beta_t, > 0.
    beta : float
        In (0, 1): with which the ellipsoids may fail.
    ridge : float
        > 0; for `repaired`.
    responses : {"bounded", "binary"}
        What a reward may be.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    d, top, repaired = dim, shared.sigmoid(1.0), variant == "repaired"
    sigma = 6.0 * math.sqrt(2.0 * math.log(3.75 / delta)) / epsilon  # line 2
    if calibration == "analytic":  # x x' moves by sqrt 2, the others by 1 and 2, at one c at most by 4/sqrt 3 together
        sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=4.0 / math.sqrt(3.0))
    kappa, reach, r = top * (1.0 - top), *((2.0 * top, 1.0) if responses == "bounded" else (top, 0.5))
    gradient_sigma = (reach if repaired else top) * sigma
    zeta = 1.0 / math.sqrt(horizon) / (reach + gradient_sigma * math.sqrt(d) if repaired else 1.0)
    events = 5 if sigma else 1
    log = math.log(horizon * events / beta)
    longest = reach + gradient_sigma * (math.sqrt(d) + math.sqrt(2.0 * log))

    def fit(t: int) -> float:
        cost = 1.0 / (2.0 * zeta) + zeta / 2.0 * t * longest**2 + 2.0 * gradient_sigma * math.sqrt(2.0 * t * log)
        return shared.regret_fit(cost, kappa, r, beta / events)

    least = ridge if repaired else 0.0
    c, radius = shared.derived(sigma, d, horizon, beta, least, events, fit, not repaired)  # line 3
    v, u, theta, v_bar, estimate = np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros((d, d)), np.zeros(d)
    rows = []
    for t in range(1, rounds + 1):  # line 4
        vectors, means = shared.action_set(problem, streams.env)  # lines 5 and 6
        k = shared.optimistic(v_bar, theta, bonus_factor * radius(t - 1), vectors, streams.choice)  # line 7
        x, y = vectors[k], shared.reward(problem, means[k], streams.env)  # line 8
        z = x @ estimate
        v = v + np.outer(x, x) + shared.symmetric(streams.noise, d, sigma)  # lines 9 to 11
        u = u + z * x + shared.gaussians(streams.noise, d, sigma)
        gradient = (shared.sigmoid(z) - y) * x + shared.gaussians(streams.noise, d, gradient_sigma)
        v_bar = v + c(t) * np.eye(d)
        theta = shared.solved(v_bar, u)
        estimate = estimate - zeta * gradient
        estimate = estimate / max(np.linalg.norm(estimate), 1.0)
        rows.append([k, 1])
    return rows

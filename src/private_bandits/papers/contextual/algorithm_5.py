"""Algorithm 5 of Zheng et al. (2020), in their Appendix D: LinUCB whose users send noisy matrices and vectors."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import linear, stretches
from private_bandits.mechanisms import gaussian_sigma, laplace_scale
from private_bandits.papers.contextual import ellipsoids, shared
from private_bandits.papers.contextual.accounting import (
    LARGEST_REWARD,
    PAPER,
    linucb_messages,
    noise_facts,
    noise_scale,
    vector_privacy,
)
from private_bandits.policy import Policy, words
from private_bandits.privacy import Guarantee


def ldp_linucb(
    epsilon: float,
    *,
    delta: float = 0.0,
    dim: int,
    horizon: int,
    variant: str = "printed",
    noise: str = "gaussian",
    calibration: str = "classical",
    bonus_factor: float = 1.0,
    beta: float = 0.1,
    ridge: float = 1.0,
    largest_reward: float = LARGEST_REWARD,
) -> Policy:
    """Algorithm 5, LDP-LinUCB: a user sends x x' + B and y x + xi, two messages with one sigma.

    sigma = 6 sqrt(2 ln(2.5/delta)) / epsilon, Upsilon_t = sigma sqrt(t) (4 sqrt d + 2 ln(2 T/beta)).

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0.
    delta : float
        In (0, 1); 0 with Laplace noise.
    dim : int
        d >= 1.
    horizon : int
        T >= 1.
    variant : {"printed", "derived"}
        * `printed`: c_t = 2 Upsilon_t and beta_t = 2 sigma sqrt(d ln T) + (sqrt(3 Upsilon_t) + sigma sqrt(d t /
          Upsilon_t)) d ln T. Both go to 0 with sigma, and the reward's own noise is forgotten: no ridge, no bonus.
        * `derived`: ours; the radius of this module with fit_t of LinUCB, c_t = ridge + 2 Upsilon_t, and Upsilon_t =
          2 sigma sqrt(t) (sqrt d + sqrt(ln(6 T/beta))). At epsilon = infinity it is `linucb`.
    noise : {"gaussian", "laplace"}
        Laplace noise, for `derived`, is of scale b = (d + 1 + 2 largest_reward sqrt d) / epsilon, with radii of ours
        for all rounds t >= l = ln(6 d (d + 1) T/beta): Upsilon_t = 3 d b sqrt(l t), and 3 b sqrt(d l t) for the
        vector's noise.
    calibration : {"classical", "analytic"}
        Sigma by the split that the paper makes, or the smallest for both messages together; not read with Laplace
        noise.
    bonus_factor : float
        Multiplies beta_t, > 0.
    beta : float
        In (0, 1): with which the ellipsoids may fail, the paper's alpha.
    ridge : float
        > 0; for `derived`.
    largest_reward : float
        Rewards lie in [-largest_reward, largest_reward]: 2 in the paper's model. The 6 is 2 + 2 largest_reward.

    Returns
    -------
    Policy
        With Laplace noise one that is played by `kernels.stretches`.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Printed in an appendix; this is its recovery from two public implementations. They agree on sigma, Upsilon, c and
    beta, while V starts at I in one of them, here at 0. The classical sigma is proven while no message has a share of
    epsilon above 1, here for epsilon <= 3/2; the guarantee holds what it really pays. The noise on V_t may leave V_t +
    c_t I indefinite with probability at most beta in a whole run; the action is then uniformly random.

    Examples
    --------
    >>> policy = ldp_linucb(epsilon=1.0, delta=1e-3, dim=2, horizon=1000, variant="derived", calibration="analytic")
    >>> policy.variant, round(policy.record.sigma, 2), round(policy.privacy.effective_epsilon, 6)
    ('derived, analytic', 10.3, 1.0)
    """
    size, length, failure, factor, least = ellipsoids.checked(dim, horizon, beta, bonus_factor, ridge)
    checks.choice("variant", variant, ("printed", "derived"))
    messages = linucb_messages(largest_reward)
    laplace = checks.choice("noise", noise, ("gaussian", "laplace")) == "laplace"
    checks.choice("calibration", calibration, ("classical", "analytic"))
    if laplace and (variant != "derived" or checks.real("delta", delta, at_least=0, below=1) > 0.0):
        got = f"{variant!r}, {checks.brief(delta)}"
        raise ValueError(f"noise 'laplace' must come with variant 'derived' and delta 0, got {got}")
    far = size + 1.0 + messages[1].exact * math.sqrt(size)  # the upper triangle of x x' has L1 norm (d + 1)/2 at most
    sigma = (
        laplace_scale(epsilon, sensitivity=far)
        if laplace
        else noise_scale(messages, epsilon, checks.delta(delta), calibration)
    )
    record = linear.Record(dim=size, sigma=sigma, factor=factor, largest_reward=float(largest_reward), horizon=length)
    if variant == "printed":
        log_t = math.log(length)
        record = record._replace(
            shift=ellipsoids.printed_shift(sigma, size, length, failure),
            level=2.0 * sigma * math.sqrt(size * log_t),
            stretch=size * log_t,
            tail=sigma * math.sqrt(size),
        )
    else:
        each = failure / (3 if sigma else 1)
        record = record._replace(
            ridge=least,
            shift=ellipsoids.derived_shift(sigma, size, length, each),
            fit=linear.DETERMINANT,
            level=2.0 * math.log(1.0 / each),
            tail=ellipsoids.vector_norm(sigma, size, length, each),
        )
    version = words(variant, ellipsoids.variant_name("laplace" if laplace else calibration, factor))
    mechanism, found = noise_facts(sigma, noise, calibration)
    if laplace:
        root = 3.0 * sigma * math.sqrt(math.log(6.0 * size * (size + 1) * length / failure))
        record = record._replace(shift=size * root, tail=math.sqrt(size) * root)
        reason = f"all entries of two messages, which move by {far:.4g} at most in L1"
        privacy = Guarantee.certified(epsilon, far / sigma if sigma else math.inf, "local", reason)
    else:
        privacy = vector_privacy(messages, epsilon, checks.delta(delta), sigma)
    return Policy(
        name="LDP-LinUCB",
        paper=PAPER,
        algorithm="Algorithm 5",
        variant=version,
        chosen=variant,
        privacy=privacy,
        record=stretches.Record(record, laplace=True) if laplace else record,
        mechanism=mechanism,
        calibration=found,
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    dim: int,
    horizon: int,
    variant: str = "printed",
    noise: str = "gaussian",
    calibration: str = "classical",
    bonus_factor: float = 1.0,
    beta: float = 0.1,
    ridge: float = 1.0,
    largest_reward: float = LARGEST_REWARD,
) -> list[list[int]]:
    """With the constants of the public codes, or with the derived ones.

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
        In (0, 1); 0 with Laplace noise.
    dim : int
        d, of the problem.
    horizon : int
        T >= 1, for which the constants are made.
    variant : {"printed", "derived"}
        The constants of the public codes, or the derived ones.
    noise : {"gaussian", "laplace"}
        Laplace noise for `derived`, on one set of actions or several given ones.
    calibration : {"classical", "analytic"}
        How sigma is found.
    bonus_factor : float
        Multiplies beta_t, > 0.
    beta : float
        In (0, 1): with which the ellipsoids may fail.
    ridge : float
        > 0.
    largest_reward : float
        Rewards lie in [-largest_reward, largest_reward].

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    d, r, log_t = dim, largest_reward, math.log(horizon)
    if noise == "laplace":
        sigma = (d + 1.0 + 2.0 * r * math.sqrt(d)) / epsilon
    elif calibration == "analytic":  # unit vectors of product c move x x' and y x by the root of this, at most
        moved = 2.0 * (1.0 - min(r**2 / 2.0, 1.0) ** 2) + 2.0 * r**2 * (1.0 + min(r**2 / 2.0, 1.0))
        sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=math.sqrt(moved))
    else:
        sigma = (2.0 + 2.0 * r) * math.sqrt(2.0 * math.log(2.5 / delta)) / epsilon
    events = 3 if sigma else 1

    def upsilon(t: int) -> float:
        return sigma * math.sqrt(t) * (4.0 * math.sqrt(d) + 2.0 * math.log(2.0 * horizon / beta))

    def printed(t: int) -> float:
        if t == 0 or sigma == 0.0:
            return 0.0
        bracket = math.sqrt(3.0 * upsilon(t)) + sigma * math.sqrt(d * t / upsilon(t))
        return 2.0 * sigma * math.sqrt(d * log_t) + bracket * d * log_t

    def self_normalised(t: int) -> float:
        least = ridge + 2.0 * sigma * (math.sqrt(d) + math.sqrt(math.log(2.0 * horizon * events / beta)))
        return math.sqrt(2.0 * math.log(events / beta) + d * math.log(1.0 + t / d / least))

    if noise == "laplace":
        return _laplace(problem, rounds, streams, sigma, horizon, beta, ridge, bonus_factor)
    constants: Any = (lambda t: 2.0 * upsilon(t)), printed
    if variant == "derived":
        constants = shared.derived(sigma, d, horizon, beta, ridge, events, self_normalised)
    c, radius = constants
    v, u, theta, v_bar = np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros((d, d))
    rows = []
    for t in range(1, rounds + 1):
        vectors, means = shared.action_set(problem, streams.env)
        k = shared.optimistic(v_bar, theta, bonus_factor * radius(t - 1), vectors, streams.choice)
        x, y = vectors[k], shared.reward(problem, means[k], streams.env)
        v = v + np.outer(x, x) + shared.symmetric(streams.noise, d, sigma)
        u = u + y * x + shared.gaussians(streams.noise, d, sigma)
        v_bar = v + c(t) * np.eye(d)
        theta = shared.solved(v_bar, u)
        rows.append([k, 1])
    return rows


def _laplace(
    problem: Any, rounds: int, streams: Any, b: float, horizon: int, beta: float, ridge: float, factor: float
) -> list[list[int]]:
    """The derived algorithm with Laplace noise, on given sets of actions."""
    d, events = problem.dim, 3 if b else 1
    level = math.log(6.0 * d * (d + 1) * horizon / beta)

    def upsilon(t: int) -> float:
        return 3.0 * d * b * math.sqrt(level * t)

    def radius(t: int) -> float:
        fit = math.sqrt(2.0 * math.log(events / beta) + d * math.log(1.0 + t / d / (ridge + upsilon(1))))
        shifted = math.sqrt(ridge + 3.0 * upsilon(t)) + 3.0 * b * math.sqrt(d * level * t / (ridge + upsilon(t)))
        return factor * (fit + shifted)

    noise = shared.messages(d, lambda n, size: streams.noise.laplace(0.0, b, (size, n)).sum(axis=1))
    return shared.stretched(problem, rounds, streams, lambda t: ridge + 2.0 * upsilon(t), radius, noise)

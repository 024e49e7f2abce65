"""Small exact computations behind claims of Zheng et al. (2020) that no run is needed for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.kernels import barrier, linear
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import accounting
from private_bandits.papers.contextual.accounting import (
    Message,
    glm_messages,
    joint_sensitivity,
    linucb_messages,
    noise_scale,
)
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.privacy import channel_loss, exact_loss
from private_bandits.privacy.policies import Greedy, LocallyPrivate
from private_bandits.problems.losses import BALL, SIMPLEX

ROUNDS = 5  # of the streaming learner whose histories are enumerated
SMALL_LINK = 0.1
NEAREST = 1e-6  # distance from the boundary to which the barrier is followed


def streaming_loss(epsilon: float) -> float:
    """Exact loss, as a streaming algorithm, of a greedy learner of two arms that sees randomised responses.

    Theorem 1: what a learner computes from epsilon-locally private reports is epsilon-private. Every table of rewards,
    its neighbours and all actions of `ROUNDS` rounds are gone through.
    """
    return float(exact_loss(LocallyPrivate(Greedy(2), epsilon), ROUNDS))


def reports_loss(epsilon: float) -> float:
    """Exact loss of all reports of that stream when one user changes: everything that is made of them pays no more."""
    return float(channel_loss(LocallyPrivate(Greedy(2), epsilon).channel))


def classical_formula(epsilons: Sequence[float], delta: float) -> pd.DataFrame:
    """What the Gaussian mechanism pays by the classical formula and by the analytic one, exactly.

    Returns
    -------
    DataFrame
        A row per epsilon: `epsilon, delta, classical, analytic`.
    """
    rows = []
    for epsilon in epsilons:
        paid = {
            method: gaussian_epsilon(gaussian_sigma(epsilon, delta, 1.0, method=method), delta, 1.0)
            for method in ("classical", "analytic")
        }
        rows.append({"epsilon": float(epsilon), "delta": float(delta)} | paid)
    return pd.DataFrame(rows)


def two_values_loss(epsilon: float, same: bool, modulus: int = 7) -> float:
    """Exact loss of two loss values in {0, 1} sent as residues, each with noise that is private at epsilon by itself.

    Parameters
    ----------
    epsilon : float
        > 0.
    same : bool
        Whether both carry the same draw, whose difference then shows that of the values.
    modulus : int
        >= 3.
    """
    size = checks.integer("modulus", modulus, at_least=3)
    distance = np.minimum(np.arange(size), size - np.arange(size))
    weights = np.exp(-checks.epsilon(epsilon) * distance)
    weights /= np.sum(weights)
    channel = np.zeros((4, size * size))
    for user in range(4):
        first, second = divmod(user, 2)
        for n, weight in enumerate(weights):
            for m, other in enumerate(weights):
                if not same or m == n:
                    place = (first + n) % size * size + (second + m) % size
                    channel[user, place] += weight if same else weight * other
    return float(channel_loss(channel))


def ellipsoid_norms(domain: str = "ball", dim: int = 2) -> pd.DataFrame:
    """Spectral norms of what an ellipsoidal estimator multiplies by, on the way to the boundary of the set.

    Returns
    -------
    DataFrame
        A row per point: `distance` from the boundary; `inverse`, norm of the inverse Hessian of the barrier; `root`, of
        the Hessian's square root. With A the inverse of that root, d f(x + A u) A^-1 u estimates a gradient.
    """
    code = BALL if checks.choice("domain", domain, ("ball", "simplex")) == "ball" else SIMPLEX
    middle = np.zeros(dim) if domain == "ball" else np.full(dim, 1.0 / (dim + 1.0))
    edge = np.zeros(dim)
    if domain == "ball":
        edge[0] = 1.0
    slope, hessian = np.zeros(dim), np.zeros((dim, dim))
    rows = []
    for exponent in np.linspace(0.0, math.log10(NEAREST), 13):
        distance = 10.0**exponent
        barrier.barrier(code, 1.0, edge + distance * (middle - edge), slope, hessian)
        eigenvalues = np.linalg.eigvalsh(hessian)
        rows.append({"distance": distance, "inverse": 1.0 / eigenvalues[0], "root": math.sqrt(eigenvalues[-1])})
    return pd.DataFrame(rows)


def unbounded_reward(epsilon: float, delta: float, reaches: Sequence[float]) -> pd.DataFrame:
    """What Algorithm 5's noise, made for |y| <= 2, pays when rewards reach further, as with sub-Gaussian noise.

    Returns
    -------
    DataFrame
        A row per reach: `reach, epsilon_paid`.
    """
    sigma = noise_scale(linucb_messages(), epsilon, delta)
    return pd.DataFrame(
        {
            "reach": list(map(float, reaches)),
            "epsilon_paid": [
                gaussian_epsilon(sigma, delta, joint_sensitivity(linucb_messages(reach))) for reach in reaches
            ],
        }
    )


class SmallLink(NamedTuple):
    """What the gradient of a link with small values pays, at the least as printed, and at most as repaired."""

    printed: float
    repaired: float


def small_link(epsilon: float, delta: float) -> SmallLink:
    """What Algorithm 3 pays for the link g(a) = C a with C = `SMALL_LINK`, which keeps every assumption of the paper.

    Two users with the same action and reward noise 1 and -1 send gradients that are 2 apart, and the printed noise has
    C sigma: that message alone, exactly. Repaired, the gradient has (2 C + 1) sigma for its reach, and sigma is the
    analytic one for all three messages together, whose sensitivity is bounded from above.
    """
    reach = 2.0 * SMALL_LINK + 1.0
    messages = (*glm_messages()[:2], Message("gradient", 2.0 * reach, 2.0 * reach, reach))
    enough = noise_scale(messages, epsilon, delta, "analytic")
    return SmallLink(
        accounting.small_link(epsilon, delta, SMALL_LINK), gaussian_epsilon(enough, delta, joint_sensitivity(messages))
    )


def radius_share(dim: int, horizon: int, epsilon: float, delta: float, alpha: float = 0.1) -> float:
    """The printed beta_t of Algorithm 5 over the radius that its ellipsoids need, the least over t = 1, 10, ... <= T.

    With the printed shift c_t = 2 U_t and noise on V_t of norm at most N_t (probability alpha/3), A_t = V_t + c_t I has
    (2 U_t - N_t) I <= A_t - sum of x x' <= (2 U_t + N_t) I. So the estimate lies within

        sqrt(d ln(1 + t / (d U_1)) + 2 ln(3/alpha))         the reward's noise
        + sqrt(2 U_t + N_t)                                 the shift
        + sigma (sqrt d + sqrt(2 ln(3 T/alpha))) sqrt(t / (2 U_t - N_t))    the noise on u_t

    of the parameter, each of the three with probability 1 - alpha/3. The printed beta_t has no term for the reward's
    noise by itself; its factor d ln T covers it where sigma is not small.
    """
    made = ldp_linucb(epsilon, delta, dim, horizon, alpha=alpha).record
    assert isinstance(made, linear.Record)
    record, sigma = made._replace(horizon=0), made.sigma  # T may be past what an int64 holds, and is not read
    vector = sigma * (math.sqrt(dim) + math.sqrt(2.0 * math.log(3.0 * horizon / alpha)))
    shares = []
    for power in range(math.floor(math.log10(horizon) + 1e-9) + 1):
        t = 10.0**power
        shift = made.shift * math.sqrt(t)
        norm = 2.0 * sigma * math.sqrt(t) * (math.sqrt(dim) + math.sqrt(math.log(6.0 * horizon / alpha)))
        reward = math.sqrt(dim * math.log(1.0 + t / (dim * made.shift)) + 2.0 * math.log(3.0 / alpha))
        needed = reward + math.sqrt(2.0 * shift + norm) + vector * math.sqrt(t / (2.0 * shift - norm))
        shares.append(float(linear.radius(record, t, 0.0)) / needed)
    return min(shares)


def bound_powers(bound: Callable[..., float], variant: str, delta: float) -> tuple[float, float]:
    """Powers of T (10^15 to 10^17) and of 1/epsilon (0.1 to 0.01, T = 10^15) of Theorem 8 or 10, d = 2."""
    in_t = math.log10(bound(2, 10**17, 1.0, delta, variant) / bound(2, 10**15, 1.0, delta, variant)) / 2.0
    return in_t, math.log10(bound(2, 10**15, 0.01, delta, variant) / bound(2, 10**15, 0.1, delta, variant))


def virtual_gap(slope: bool) -> float:
    """|E regret - E regret on the noisy losses| of a small learner against a fixed point, by enumeration.

    Losses |x - a| on -1, 0, 1, noise of -1 or 1: added to what is told, or, with `slope`, <n, x> of two points about 0.
    Where the learner goes depends on everything it was told. The critical observation of Sections 3.1 and 3.2.
    """
    anchors, fixed = (0.6, -0.3, 0.9, -0.8), 1.0
    gap = 0.0
    for noise in itertools.product((-1.0, 1.0), repeat=len(anchors)):
        told, plain, noisy = 0.0, 0.0, 0.0
        for anchor, z in zip(anchors, noise, strict=True):
            x = float(np.sign(told)) if not slope else float(np.clip(told, -1.0, 1.0))
            points = (x,) if not slope else (min(x + 0.5, 1.0), max(x - 0.5, -1.0))
            values = [abs(point - anchor) for point in points]
            added = [z * point for point in (*points, fixed)] if slope else [z] * (len(points) + 1)
            plain += sum(values) / len(values) - abs(fixed - anchor)
            noisy += sum(v + a for v, a in zip(values, added, strict=False)) / len(values)
            noisy -= abs(fixed - anchor) + added[-1]
            told += values[0] + z if not slope else values[0] - values[-1] + z * (points[0] - points[-1])
        gap += (plain - noisy) / 2 ** len(anchors)
    return abs(gap)


def logistic_gap(points: int = 201) -> float:
    """Largest |-a b + m(a) - ln(1 + exp(-a (2 b - 1)))| over a in [-1, 1], b in {0, 1}, m(a) = ln(1 + e^a)."""
    a = np.linspace(-1.0, 1.0, checks.integer("points", points, at_least=2))
    return max(
        float(np.max(np.abs(-a * b + np.log1p(np.exp(a)) - np.log1p(np.exp(-a * (2 * b - 1)))))) for b in (0.0, 1.0)
    )

"""Algorithms 1 and 2 of Zheng et al. (2020): any learner, with noise on the one number that a user sends.

The promise is on the message of a user, whatever was played before: its loss f is any function with |f| <= B
(Algorithm 1) or any G-Lipschitz one (Algorithm 2). `method="classical"` is the printed sigma, `sensitivity
sqrt(2 ln(1.25/delta)) / epsilon`, proven for epsilon < 1 only; "analytic" keeps the promise for every epsilon with the
least noise. Laplace noise, which the paper mentions, gives pure epsilon. The guarantee holds what is paid exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import online
from private_bandits.mechanisms import gaussian, gaussian_epsilon, laplace
from private_bandits.papers.contextual.bounds_online import (
    LEARNERS,
    noise_reach,
    noise_scale,
    told_size,
    tuning,
    two_point_tuning,
)
from private_bandits.privacy import Guarantee
from private_bandits.problems import ConvexLoss
from private_bandits.simulate import Policy

PAPER = "zheng2020"
_CODES = {
    "sphere": online.SPHERE,
    "sphere_strong": online.SPHERE,
    "saha_tewari": online.BARRIER,
    "hazan_levy": online.BARRIER,
    "exp3": online.EXP3,
    "tsallis": online.TSALLIS,
}
_NAMES = {
    "sphere": "Gradient descent, one point",
    "sphere_strong": "Gradient descent, one point, strongly convex",
    "saha_tewari": "Saha and Tewari",
    "hazan_levy": "Hazan and Levy",
    "exp3": "EXP3",
    "tsallis": "Tsallis-INF",
}
_NOISES = {"gaussian": online.GAUSSIAN, "laplace": online.LAPLACE}


def one_point(
    problem: ConvexLoss,
    horizon: int,
    epsilon: float,
    delta: float | None = None,
    learner: str = "sphere",
    noise: str = "gaussian",
    method: str = "classical",
    variant: str = "printed",
) -> Policy:
    """Algorithm 1: the learner is told f(x) + Z, Z of variance sigma^2 = (2B)^2 2 ln(1.25/delta) / epsilon^2.

    Parameters
    ----------
    problem : ConvexLoss
        Whose bounds the noise and the steps are made for; other problems with no larger B may be played too.
    horizon : int
        T, from which the steps are set, >= 1.
    epsilon : float
        > 0; infinity gives the learner itself.
    delta : float, optional
        In (0, 1); None with Laplace noise.
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "exp3", "tsallis"}
        See `bounds_online.tuning`; the last two are for `ConvexLoss.arms`.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found.
    variant : {"printed", "tight"}
        `printed`: sensitivity 2B. `tight`, for arms only: their losses lie in [0, 1], so it is 1.

    Notes
    -----
    The paper leaves the learner a black box for bounded losses, while the noise is not bounded. The steps are tuned for
    B^2 plus the noise's variance in gradient descent, which needs no more. The barrier methods and the two for arms are
    told the noisy loss clipped to [-B - s, B + s], for arms to [-s, 1 + s] and then scaled to [0, 1]; a draw exceeds s
    with probability 1/T^2. At epsilon = infinity s is 0 and nothing is changed.
    """
    checks.choice("learner", learner, LEARNERS)
    checks.choice("variant", variant, ("printed", "tight"))
    width = 1.0 if problem.domain == "arms" else 2.0 * problem.bound
    if variant == "tight" and problem.domain != "arms":
        raise ValueError(f"variant 'tight' needs ConvexLoss.arms, got {problem}")
    sensitivity = width if variant == "tight" else 2.0 * problem.bound
    scale = noise_scale(sensitivity, epsilon, delta, noise, method)
    reach = noise_reach(scale, noise, horizon)
    size = told_size(learner, problem.bound, scale, noise, horizon)
    steps = tuning(learner, problem, horizon, size)
    record = online.OnlineRecord(
        learner=_CODES[learner],
        step=steps.step,
        power=steps.power,
        radius=steps.radius,
        shrink=steps.shrink,
        curvature=steps.curvature,
        noise=_NOISES[noise] if scale else online.EXACT,
        scale=scale,
        limit=problem.bound,
        n_items=problem.dimension,
        horizon=horizon,
    )
    if learner in ("exp3", "tsallis"):
        record = record._replace(low=-reach, high=1.0 + reach, offset=-reach, unit=1.0 + 2.0 * reach)
    elif learner in ("saha_tewari", "hazan_levy"):
        record = record._replace(low=-size, high=size)
    privacy = message_privacy(scale, width, epsilon, delta, noise, "one noisy loss is all that is sent")
    return Policy(_NAMES[learner], PAPER, "Algorithm 1", f"{variant}, {noise}, {method}", privacy, record)


def two_point(
    problem: ConvexLoss,
    horizon: int,
    epsilon: float,
    delta: float | None = None,
    step: str = "printed",
    noise: str = "gaussian",
    method: str = "classical",
) -> Policy:
    """Algorithm 2: the learner is told f(x_1) - f(x_2) + <n, x_1 - x_2>, n of variance sigma^2.

    sigma = 2G sqrt(2 ln(1.25/delta)) / epsilon. The learner is that of Agarwal, Dekel and Xiao
    (2010), with rho = ln T / T, at most half the inner radius.

    Parameters
    ----------
    problem, horizon, epsilon, delta, method
        As for `one_point`.
    step : {"printed", "tuned", "strong"}
        eta = 1/sqrt(T) as in the box, which costs 1/epsilon^2; R / (d sqrt((G^2 + V) T)) with V the variance of n,
        ours, which costs 1/epsilon; or 1/(mu t) for strongly convex losses.
    noise : {"gaussian", "laplace"}
        For Laplace, one number of scale 4 G rho / epsilon is added instead of <n, x_1 - x_2>.

    Notes
    -----
    |x_1 - x_2| = 2 rho, so two users' differences are at most 4 G rho apart and the noise on them has the standard
    deviation 2 rho sigma: the calibration is right. What is bounded is the mean regret of the two points.
    """
    scale = noise_scale(2.0 * problem.lipschitz, epsilon, delta, noise, method)
    steps = two_point_tuning(problem, horizon, scale, noise, step)
    record = online.OnlineRecord(
        learner=online.TWO_POINT,
        step=steps.step,
        power=steps.power,
        radius=steps.radius,
        shrink=steps.shrink,
        noise=_NOISES[noise] if scale else online.EXACT,
        scale=scale * (2.0 * steps.radius if noise == "laplace" else 1.0),
        limit=problem.lipschitz,
        n_items=problem.dimension,
        horizon=horizon,
    )
    reason = "one noisy difference of losses is all that is sent"
    privacy = message_privacy(scale, 2.0 * problem.lipschitz, epsilon, delta, noise, reason)
    return Policy("Gradient descent, two points", PAPER, "Algorithm 2", f"{step}, {noise}, {method}", privacy, record)


def message_privacy(
    scale: float, sensitivity: float, epsilon: float, delta: float | None, noise: str, reason: str
) -> Guarantee:
    """The guarantee of one number with noise: the nominal one, and what the noise exactly pays at the nominal delta.

    Parameters
    ----------
    scale : float
        Laplace scale or Gaussian standard deviation, >= 0.
    sensitivity : float
        How far two users' exact numbers are apart at most, > 0.
    epsilon, delta, noise
        As for `one_point`.
    reason : str
    """
    if scale == 0.0:
        return Guarantee(
            epsilon=math.inf,
            delta=0.0,
            value_epsilon=math.inf,
            value_delta=0.0,
            effective_epsilon=math.inf,
            effective_delta=0.0,
            trust="none",
            reason="no noise",
        )
    if noise == "laplace":
        paid, failure = sensitivity / scale, 0.0
    else:
        failure = checks.delta(delta)
        paid = gaussian_epsilon(scale, failure, sensitivity)
    return Guarantee(
        epsilon=float(epsilon),
        delta=failure,
        value_epsilon=paid,
        value_delta=failure,
        effective_epsilon=paid,
        effective_delta=failure,
        trust="local",
        reason=reason,
    )


class NoisyLearner:
    """A learner with noise on every loss it is told: Algorithm 1 around anything with `ask` and `tell`."""

    def __init__(self, learner: Any, scale: float, noise: str, rng: np.random.Generator) -> None:
        self.learner, self.scale, self.rng = learner, scale, rng
        self._draw = laplace if checks.choice("noise", noise, ("gaussian", "laplace")) == "laplace" else gaussian

    def ask(self) -> Sequence[Any]:
        """Return what the learner wants to play."""
        asked: Sequence[Any] = self.learner.ask()
        return asked

    def tell(self, values: Sequence[float]) -> None:
        """Pass the values on, each with its own draw of noise."""
        self.learner.tell([value + self._draw(self.rng, self.scale) for value in values])


@dataclass(frozen=True)
class Reduction:
    """Algorithm 1 around a Python learner; `simulate` plays it. Build it with `wrap`."""

    base: Any
    scale: float
    noise: str
    privacy: Guarantee

    @property
    def name(self) -> str:
        """Name of the learner, with the noise."""
        return f"{self.base.name}, {self.noise} noise"

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> NoisyLearner:
        """Return a fresh learner behind noise."""
        return NoisyLearner(self.base.start(problem, choice, noise), self.scale, self.noise, noise)


def wrap(
    base: Any,
    bound: float,
    epsilon: float,
    delta: float | None = None,
    noise: str = "gaussian",
    method: str = "classical",
) -> Reduction:
    """Wrap any Python learner by Algorithm 1.

    Parameters
    ----------
    base : object with `name` and `start(problem, choice, noise)`
        As `simulate` takes them; `start` returns an object with `ask` and `tell`.
    bound : float
        B > 0, the largest absolute loss (or reward) of a user. A user sends one number.
    epsilon, delta, noise, method
        As for `one_point`.
    """
    width = 2.0 * checks.real("bound", bound, above=0)
    scale = noise_scale(width, epsilon, delta, noise, method)
    privacy = message_privacy(scale, width, epsilon, delta, noise, "one noisy value is all that is sent")
    return Reduction(base, scale, noise, privacy)

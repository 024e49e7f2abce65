"""Algorithms 1 and 2 of Zheng et al. (2020): any learner, with noise on the one number that a user sends.

The promise is on the message of a user, whatever was played before: its loss f is any function with |f| <= B
(Algorithm 1) or any G-Lipschitz one (Algorithm 2). `method="classical"` is the printed sigma, `sensitivity
sqrt(2 ln(1.25/delta)) / epsilon`, proven for epsilon < 1 only; "analytic" keeps the promise for every epsilon with the
least noise. Laplace noise, which the paper mentions, gives pure epsilon. The guarantee holds what is paid exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import online
from private_bandits.mechanisms import gaussian, gaussian_epsilon, laplace
from private_bandits.papers.contextual.bounds_online import (
    LEARNERS,
    check_convex,
    noise_reach,
    noise_scale,
    stochastic_tuning,
    told_size,
    tuning,
    two_point_tuning,
)
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import ConvexLoss

PAPER = "zheng2020"
_CODES = {
    "sphere": online.SPHERE,
    "sphere_strong": online.SPHERE,
    "saha_tewari": online.BARRIER,
    "hazan_levy": online.BARRIER,
    "stochastic": online.QUARTERS,
    "exp3": online.EXP3,
    "tsallis": online.TSALLIS,
}
_NAMES = {
    "sphere": "Gradient descent, one point",
    "sphere_strong": "Gradient descent, one point, strongly convex",
    "saha_tewari": "Saha and Tewari",
    "hazan_levy": "Hazan and Levy",
    "stochastic": "Agarwal et al., one dimension",
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
    learner : {"sphere", "sphere_strong", "saha_tewari", "hazan_levy", "stochastic", "exp3", "tsallis"}
        See `bounds_online.tuning`, and `stochastic_tuning` for stochastic losses on an interval (higher dimension is
        left out); the last two are for `ConvexLoss.arms`.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found.
    variant : {"printed", "tight"}
        `printed`: sensitivity 2B. `tight`, for arms only: their losses lie in [0, 1], so it is 1.

    Notes
    -----
    The paper leaves the learner a black box for bounded losses, while the noise is not bounded. The steps are tuned for
    B^2 plus the noise's variance in gradient descent, which needs no more, and the intervals of the stochastic learner
    are as wide as the noise asks. The barrier methods and the two for arms are told the noisy loss clipped to [-B - s,
    B + s], for arms to [-s, 1 + s] and then scaled to [0, 1]; a draw exceeds s with probability 1/T^2. At epsilon =
    infinity s is 0 and nothing is changed.
    """
    checks.choice("learner", learner, LEARNERS)
    checks.choice("variant", variant, ("printed", "tight"))
    check_convex(problem)
    width = 1.0 if problem.domain == "arms" else 2.0 * problem.bound
    if variant == "tight" and problem.domain != "arms":
        raise ValueError(f"variant 'tight' needs ConvexLoss.arms, got {problem}")
    sensitivity = width if variant == "tight" else 2.0 * problem.bound
    scale = noise_scale(sensitivity, epsilon, delta, noise, method)
    record = online.OnlineRecord(
        learner=_CODES[learner],
        noise=_NOISES[noise] if scale else online.EXACT,
        scale=scale,
        limit=problem.bound,
        n_items=problem.dimension,
        horizon=horizon,
        **_constants(learner, problem, horizon, scale, noise),
    )
    privacy = message_privacy(scale, width, epsilon, delta, noise, "one noisy loss is all that is sent")
    return Policy(_NAMES[learner], PAPER, "Algorithm 1", f"{variant}, {noise}, {method}", privacy, record)


def _constants(learner: str, problem: ConvexLoss, horizon: int, scale: float, noise: str) -> dict[str, float]:
    """What a learner of Algorithm 1 counts on, as fields of its record."""
    if learner == "stochastic":
        found = stochastic_tuning(problem, horizon, scale, noise)
        return {
            "step": found.width,
            "variance": found.variance,
            "tail": found.tail,
            "confidence": found.confidence,
        }
    size = told_size(learner, problem.bound, scale, noise, horizon)
    steps = tuning(learner, problem, horizon, size)._asdict()
    del steps["regret"]
    reach = noise_reach(scale, noise, horizon)
    if learner in ("exp3", "tsallis"):
        return steps | {"low": -reach, "high": 1.0 + reach, "offset": -reach, "unit": 1.0 + 2.0 * reach}
    return steps | ({"low": -size, "high": size} if learner in ("saha_tewari", "hazan_levy") else {})


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
    Both values are of one function, without noise of their own: `spread` must be 0. |x_1 - x_2| = 2 rho, so two users'
    differences are at most 4 G rho apart and the noise on them has the standard deviation 2 rho sigma: the calibration
    is right. What is bounded is the mean regret of the two points.
    """
    check_convex(problem)
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
        return Guarantee.none()
    if noise == "laplace":
        return Guarantee.certified(epsilon, sensitivity / scale, "local", reason)
    failure = checks.delta(delta)
    return Guarantee.certified(epsilon, gaussian_epsilon(scale, failure, sensitivity), "local", reason, failure)


class NoisyLearner:
    """A learner with noise on the loss it is told: Algorithm 1 around anything with `ask` and `tell`."""

    def __init__(self, learner: Any, reduction: Reduction, rng: np.random.Generator) -> None:
        self.learner, self.reduction, self.rng = learner, reduction, rng

    def ask(self) -> Sequence[Any]:
        """Return what the learner wants to play."""
        asked: Sequence[Any] = self.learner.ask()
        return asked

    def tell(self, values: Sequence[float]) -> None:
        """Pass the value on with noise; raise a ValueError where the noise would not keep the promise."""
        self._check(values, 1)
        draw = laplace if self.reduction.noise == "laplace" else gaussian
        self._pass_on(values[0], 1.0, draw(self.rng, self.reduction.scale))

    def _check(self, values: Sequence[float], number: int) -> None:
        if len(values) != number:
            raise ValueError(f"{self.reduction.name} has noise for {number} values a round, got {len(values)}")

    def _pass_on(self, value: float, size: float, noise: float) -> None:
        limit = self.reduction.bound * size
        if not abs(value) <= limit * (1.0 + 1e-9) + 1e-12:
            raise ValueError(f"{self.reduction.name} has noise for values of at most {limit:g}, got {value:g}")
        self.learner.tell([value + noise])


class NoisyPair(NoisyLearner):
    """A learner that is told the noisy difference of two losses: Algorithm 2 around anything with `ask` and `tell`."""

    def ask(self) -> Sequence[Any]:
        """Return the two points that the learner wants to play."""
        asked = super().ask()
        self._apart = np.subtract(*np.array(asked, np.float64))
        return asked

    def tell(self, values: Sequence[float]) -> None:
        """Pass on f(x_1) - f(x_2) + <n, x_1 - x_2>, or with one Laplace number of a scale in proportion to the gap."""
        self._check(values, 2)
        scale, gap = self.reduction.scale, float(np.linalg.norm(self._apart))
        if self.reduction.noise == "laplace":
            noise = laplace(self.rng, scale * gap)
        else:
            noise = sum(gaussian(self.rng, scale) * step for step in self._apart)
        self._pass_on(values[0] - values[1], gap, noise)


@dataclass(frozen=True)
class Reduction:
    """Algorithm 1 or 2 around a Python learner; `simulate` plays it. Build it with `wrap`."""

    base: Any
    bound: float
    scale: float
    noise: str
    privacy: Guarantee
    points: int = 1

    @property
    def name(self) -> str:
        """Name of the learner, with the noise."""
        return f"{self.base.name}, {self.noise} noise"

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> NoisyLearner:
        """Return a fresh learner behind noise."""
        if self.points == 2 and getattr(problem, "spread", 0.0) > 0.0:
            raise ValueError(f"spread must be 0 for {self.name}, both values of one function, got {problem.spread:g}")
        kind = NoisyLearner if self.points == 1 else NoisyPair
        return kind(self.base.start(problem, choice, noise), self, noise)


def wrap(
    base: Any,
    bound: float,
    epsilon: float,
    delta: float | None = None,
    noise: str = "gaussian",
    method: str = "classical",
    points: int = 1,
) -> Reduction:
    """Wrap any Python learner by Algorithm 1, or one of two points a round by Algorithm 2.

    Parameters
    ----------
    base : object with `name` and `start(problem, choice, noise)`
        As `simulate` takes them; `start` returns an object with `ask` and `tell`.
    bound : float
        B > 0, the largest absolute loss (or reward) of a user; for two points G > 0, the Lipschitz constant of the
        losses. A larger value, or more values than one a user, end the run with a ValueError.
    epsilon, delta, noise, method
        As for `one_point`.
    points : {1, 2}
        With 2, `ask` returns two points and `tell` takes a list of one number, the noisy difference of the losses. The
        noise is in proportion to the distance of the points, so any two may be asked for.
    """
    width = 2.0 * checks.real("bound", bound, above=0)
    number = checks.integer("points", points, at_least=1, at_most=2)
    scale = noise_scale(width, epsilon, delta, noise, method)
    sent = "one noisy value" if number == 1 else "one noisy difference"
    privacy = message_privacy(scale, width, epsilon, delta, noise, f"{sent} is all that is sent")
    return Reduction(base, width / 2.0, scale, noise, privacy, number)

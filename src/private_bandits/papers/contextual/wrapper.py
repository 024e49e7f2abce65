"""Algorithms 1 and 2 of Zheng et al. (2020) around any learner that is written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms.noise import gaussian, laplace
from private_bandits.papers.contextual.accounting import PAPER, message_privacy, number_scale
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import ConvexLoss


class _NoisyLearner:
    """A learner with noise on the loss it is told: Algorithm 1 around anything with `ask` and `tell`."""

    def __init__(self, learner: Any, reduction: Reduction, rng: np.random.Generator) -> None:
        self.learner, self.reduction, self.rng = learner, reduction, rng

    def ask(self) -> Sequence[Any]:
        """Return what the learner wants to play."""
        return self.learner.ask()

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


class _NoisyPair(_NoisyLearner):
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
class Reduction(Player):
    """Algorithm 1 or 2 around a Python learner; `simulate` plays it. Build it with `wrap`.

    Parameters
    ----------
    base : object with `name` and `start(problem, choice, noise)`
        The learner.
    bound : float
        B, or G for two points, > 0.
    scale : float
        Standard deviation or Laplace scale of the noise, >= 0; for two points at distance 1.
    noise : {"gaussian", "laplace"}
    privacy : Guarantee
    points : {1, 2}
    """

    base: Any
    bound: float
    scale: float
    noise: str
    privacy: Guarantee
    points: int = 1

    paper = PAPER

    @property
    def name(self) -> str:
        """Name of the learner, with the noise."""
        return f"{self.base.name}, {self.noise} noise"

    @property
    def mechanism(self) -> str:
        """What protects."""
        return self.noise if self.scale else "none"

    @property
    def method(self) -> str:
        """The learner."""
        return str(self.base.name)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> _NoisyLearner:
        """Return a fresh learner behind noise.

        Parameters
        ----------
        problem : object
            As `simulate` has it.
        choice, noise : Generator
            The learner's stream, and the noise's.

        Returns
        -------
        object with `ask` and `tell`

        Raises
        ------
        ValueError
            If two points are asked for where the problem adds noise of its own.
        """
        if self.points == 2 and isinstance(problem, ConvexLoss) and problem.spread > 0.0:
            raise ValueError(f"spread must be 0 for {self.name}, both values of one function, got {problem.spread:g}")
        kind = _NoisyLearner if self.points == 1 else _NoisyPair
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
    epsilon : float
        > 0; infinity gives the learner itself.
    delta : float, optional
        In (0, 1); None with Laplace noise.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found.
    points : {1, 2}
        With 2, `ask` returns two points and `tell` takes a list of one number, the noisy difference of the losses. The
        noise is in proportion to the distance of the points, so any two may be asked for.

    Returns
    -------
    Reduction
        For `simulate`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    TypeError
        If the base is no learner.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> mine = SimpleNamespace(name="my learner", start=lambda problem, choice, noise: ...)
    >>> wrapped = wrap(mine, bound=1.0, epsilon=2.0, noise="laplace")
    >>> wrapped.name, wrapped.scale
    ('my learner, laplace noise', 1.0)
    """
    try:
        learns = base.name is not None and callable(base.start)
    except AttributeError:
        learns = False
    if isinstance(base, type) or not learns:
        raise TypeError(f"base must have a name and start(...), got {checks.shown(base)}")
    width = 2.0 * checks.real("bound", bound, above=0)
    number = checks.integer("points", points, at_least=1, at_most=2)
    scale = number_scale(width, epsilon, delta, noise, method)
    sent = "one noisy value" if number == 1 else "one noisy difference"
    privacy = message_privacy(scale, width, epsilon, delta, noise, f"{sent} is all that is sent")
    return Reduction(base, width / 2.0, scale, noise, privacy, number)

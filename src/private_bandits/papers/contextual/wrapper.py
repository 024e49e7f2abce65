"""Algorithm 1 of Zheng et al. (2020) around any learner that is written in Python."""

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


class _NoisyLearner:
    """A learner with noise on the loss it is told: Algorithm 1 around anything with `ask` and `tell`."""

    def __init__(self, learner: Any, reduction: Reduction, rng: np.random.Generator) -> None:
        self.learner, self.reduction, self.rng = learner, reduction, rng

    def ask(self) -> Sequence[Any]:
        """Return what the learner wants to play."""
        return self.learner.ask()

    def tell(self, values: Sequence[float]) -> None:
        """Pass the value on with noise; raise a ValueError where the noise would not keep the promise."""
        name, limit = self.reduction.name, self.reduction.bound
        if len(values) != 1:
            raise ValueError(f"{name} has noise for 1 value a round, got {len(values)}")
        if not abs(values[0]) <= limit * (1.0 + 1e-9) + 1e-12:
            raise ValueError(f"{name} has noise for values of at most {limit:g}, got {values[0]:g}")
        draw = laplace if self.reduction.noise == "laplace" else gaussian
        self.learner.tell([values[0] + draw(self.rng, self.reduction.scale)])


@dataclass(frozen=True)
class Reduction(Player):
    """Algorithm 1 around a Python learner; `simulate` plays it. Build it with `wrap`.

    Parameters
    ----------
    base : object with `name` and `start(problem, choice, noise)`
        The learner.
    bound : float
        B > 0.
    scale : float
        Standard deviation or Laplace scale of the noise, >= 0.
    noise : {"gaussian", "laplace"}
    privacy : Guarantee
    """

    base: Any
    bound: float
    scale: float
    noise: str
    privacy: Guarantee

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
        """
        return _NoisyLearner(self.base.start(problem, choice, noise), self, noise)


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
        B > 0, the largest absolute loss (or reward) of a user. A larger value, or more values than one a user, end the
        run with a ValueError.
    epsilon : float
        > 0; infinity gives the learner itself.
    delta : float, optional
        In (0, 1); None with Laplace noise.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found.

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
        raise TypeError(f"base must have a name and start(...), got {checks.brief(base)}")
    width = 2.0 * checks.real("bound", bound, above=0)
    scale = number_scale(width, epsilon, delta, noise, method)
    privacy = message_privacy(scale, width, epsilon, delta, noise, "one noisy value is all that is sent")
    return Reduction(base, width / 2.0, scale, noise, privacy)

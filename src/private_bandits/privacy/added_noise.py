"""What is paid for numbers that are sent with independent noise, in closed form."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms.calibration import gaussian_epsilon


@dataclass(frozen=True)
class AddedNoise:
    """A number, or a vector of numbers, sent with independent noise on each: a mechanism whose loss is known.

    Parameters
    ----------
    noise : {"laplace", "gaussian"}
    scale : float
        Laplace scale or standard deviation, > 0.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> AddedNoise("laplace", 2.0).loss(0.0, 1.0)
    0.5
    """

    noise: str
    scale: float

    def __post_init__(self) -> None:
        checks.choice("noise", self.noise, ("laplace", "gaussian"))
        checks.real("scale", self.scale, above=0)

    def __call__(self, data: Any, rng: np.random.Generator) -> np.ndarray:
        """Send one number, or one vector."""
        draw = rng.laplace if self.noise == "laplace" else rng.normal
        return np.asarray(draw(np.asarray(data, dtype=float), self.scale))

    def loss(self, first: Any, second: Any, delta: float = 0.0) -> float | None:
        """Return what is paid for two data.

        Parameters
        ----------
        first, second : float or array_like of float
            Of one shape.
        delta : float
            In [0, 1).

        Returns
        -------
        float or None
            None where it has no closed form: several numbers with Laplace noise, at delta > 0.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        one, other = (checks.vector(name, np.ravel(x)) for name, x in (("first", first), ("second", second)))
        if one.shape != other.shape:
            raise ValueError(f"second must have the shape of first, {one.shape}, got {other.shape}")
        failure = checks.real("delta", delta, at_least=0, below=1)
        ratios = [float(distance) / self.scale for distance in np.abs(one - other) if distance > 0]
        if not ratios:
            return 0.0
        if self.noise == "gaussian":
            return gaussian_epsilon(1.0, delta=failure, sensitivity=math.hypot(*ratios)) if failure else math.inf
        if failure == 0.0:
            return math.fsum(ratios)
        if len(ratios) == 1:  # P(loss = r) = 1/2, and 1 - exp((epsilon - r)/2) of it in all
            return max(0.0, ratios[0] + 2 * math.log1p(-failure))
        return None

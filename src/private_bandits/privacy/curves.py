"""What scalar noise pays, alone and together: closed forms, and privacy-loss distributions with certified rounding."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from private_bandits import checks
from private_bandits.mechanisms import gaussian_epsilon

CELLS = 1 << 14
_TAIL = 9.0  # standard deviations: beyond, a Gaussian loss has 1e-19


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
    (0.5, 0.5)
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

    def loss(self, first: Any, second: Any, delta: float = 0.0) -> tuple[float, float]:
        """Return what is paid for two data.

        Parameters
        ----------
        first, second : float or array_like of float
            Of one shape.
        delta : float
            In [0, 1).

        Returns
        -------
        float, float
            The exact loss lies between them.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        one, other = (checks.vector(name, np.ravel(x)) for name, x in (("first", first), ("second", second)))
        if one.shape != other.shape:
            raise ValueError(f"second must have the shape of first, {one.shape}, got {other.shape}")
        return composed([(self.noise, self.scale, float(d)) for d in np.abs(one - other)], delta)


def composed(parts: Sequence[tuple[str, float, float]], delta: float = 0.0) -> tuple[float, float]:
    """Return what independent noisy numbers pay together.

    Parameters
    ----------
    parts : sequence of (noise, scale, distance)
        "laplace" or "gaussian", its scale > 0, and by how much the neighbours differ there, >= 0.
    delta : float
        In [0, 1).

    Returns
    -------
    float, float
        The smallest epsilon of (epsilon, delta)-privacy lies between them; infinite at delta = 0 with Gaussian noise.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    At delta = 0 it is the sum of distance/scale. Gaussian parts are one (Pythagoras). Else the laws of the losses are
    rounded down to a grid and convolved; both ends follow, as no part's loss was moved by more than a cell (Koskela et
    al. 2020 and later work round likewise). One part alone has a closed form.

    Examples
    --------
    >>> composed([("laplace", 10.0, 1.0)] * 3)
    (0.30000000000000004, 0.30000000000000004)
    """
    failure = checks.real("delta", delta, at_least=0, below=1)
    if not isinstance(parts, Sequence) or not all(isinstance(part, Sequence) and len(part) == 3 for part in parts):
        raise ValueError(f"parts must be a sequence of (noise, scale, distance), got {checks.shown(parts)}")
    ratios: dict[str, list[float]] = {"laplace": [], "gaussian": []}
    for noise, scale, distance in parts:
        ratio = checks.real("parts", distance, at_least=0) / checks.real("parts", scale, above=0)
        ratios[checks.choice("parts", noise, tuple(ratios))].append(ratio)
    laplace, mu = [ratio for ratio in ratios["laplace"] if ratio > 0], math.hypot(*ratios["gaussian"])
    if failure == 0.0 or not (laplace or mu):
        return (math.inf,) * 2 if mu else (math.fsum(laplace),) * 2
    if not laplace:
        return (gaussian_epsilon(1.0, failure, mu),) * 2
    if len(laplace) == 1 and not mu:  # P(loss = r) = 1/2, and 1 - exp((epsilon - r)/2) of it in all
        return (max(0.0, laplace[0] + 2 * math.log1p(-failure)),) * 2
    return _convolved(laplace, mu, failure)


def _convolved(laplace: list[float], mu: float, delta: float) -> tuple[float, float]:
    reach = math.fsum(laplace) + (mu**2 / 2 + _TAIL * mu if mu else 0.0)
    cell, lost = 2 * reach / CELLS, 0.0
    law, lowest = np.ones(1), 0
    for part in [*laplace, *([-mu] if mu else [])]:
        most = part if part > 0 else mu**2 / 2 + _TAIL * mu
        end = math.floor(most / cell)
        start = -math.ceil((most if part > 0 else _TAIL * mu - mu**2 / 2) / cell) - 1
        at_least = _survival(part, cell * np.arange(start, end + 1))
        mass = np.append(at_least[:-1] - at_least[1:], at_least[-1])
        lost += 1 - float(at_least[0]) + (0.0 if part > 0 else float(scipy.special.ndtr(-_TAIL)))
        law, lowest = np.convolve(law, mass), lowest + start
    losses, steps = cell * (lowest + np.arange(len(law))), len(laplace) + (mu > 0)
    slack = 1e-12 + lost  # of the sums, and what lies beyond a Gaussian's ends

    def solved(shift: float, target: float) -> float:
        def excess(epsilon: float) -> float:
            over = losses + shift - epsilon
            return float(law[over > 0] @ -np.expm1(-over[over > 0])) - target

        if excess(0.0) <= 0:
            return 0.0
        return float(scipy.optimize.brentq(excess, 0.0, reach + (steps + 2) * cell, xtol=1e-12))

    return solved(0.0, delta + slack), solved(steps * cell, delta - slack) if delta > slack else math.inf


def _survival(part: float, losses: np.ndarray) -> np.ndarray:
    """P(loss >= each) of one part: Laplace noise at this ratio, or Gaussian noise at minus it."""
    if part < 0:
        return np.asarray(scipy.special.ndtr((part * part / 2 - losses) / -part))
    inside = 1 - 0.5 * np.exp((np.minimum(losses, part) - part) / 2)
    return np.where(losses <= -part, 1.0, np.where(losses <= part * (1 + 1e-15), inside, 0.0))

"""Pareto arms, their moments, and the three settings of the experiments."""

from dataclasses import dataclass

import numpy as np

from private_bandits import checks
from private_bandits.problems import Arms
from private_bandits.problems.lists import ListRecord

SETTINGS = {1: (0.9, 0.7, 0.5, 0.3, 0.1), 2: (0.9, 0.55, 0.3, 0.15, 0.1), 3: (0.9, 0.85, 0.7, 0.45, 0.1)}
"""Means of the five arms, as on the slides."""
SPARE_MOMENTS = 0.05
"""Ours: how far the shape of a setting's Pareto laws lies above 1 + v."""


@dataclass(frozen=True, eq=False, repr=False)
class ParetoArms(Arms):
    """K-armed bandit with Pareto rewards, P(X > x) = (s / x)^shape for x >= s. Build it with `pareto_arms`.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        E[X], each >= 0.
    list_size : int
        1: one arm is played.
    shape : float
        Of every arm, > 1.

    Raises
    ------
    ValueError
        If a mean is negative, `list_size` is not 1 or the shape is not above 1.
    """

    shape: float

    def __post_init__(self) -> None:
        means = checks.vector("means", self.means, at_least=0)
        means.setflags(write=False)
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "shape", checks.real("shape", self.shape, above=1))
        checks.integer("list_size", self.list_size, at_least=1, at_most=1)

    def moments(self, v: float) -> np.ndarray:
        """E|X|^(1+v) of each arm, exactly.

        Parameters
        ----------
        v : float
            Order of the moment less 1, in (0, 1].

        Returns
        -------
        float array, shape (n_arms,)
            shape s^(1+v) / (shape - 1 - v) with the scale s = mean (shape - 1) / shape; infinite where the shape is at
            most 1 + v, and 0 for an arm of mean 0.

        Raises
        ------
        ValueError
            If v is out of range.
        """
        power = 1.0 + order(v)
        if self.shape <= power:
            return np.where(self.means > 0.0, np.inf, 0.0)
        scales = self.means * (self.shape - 1.0) / self.shape
        return np.asarray(self.shape * scales**power / (self.shape - power))

    def moment(self, v: float) -> float:
        """Largest E|X|^(1+v) of the arms: the least u that the theorems allow.

        Parameters
        ----------
        v : float
            Order of the moment less 1, in (0, 1].

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If v is out of range.
        """
        return float(np.max(self.moments(v)))

    def record(self) -> ListRecord:
        """The problem as numbers and arrays, for the kernels."""
        return super().record()._replace(shape=self.shape)

    def __str__(self) -> str:
        return f"pareto_arms(n_arms={self.n_arms}, shape={self.shape:g})"


def pareto_arms(means: np.ndarray, shape: float) -> ParetoArms:
    """Arms with Pareto rewards of one shape.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        E[X], each >= 0; an arm of mean 0 always pays 0.
    shape : float
        Of every arm, > 1. The moment of order 1 + v is finite for v < shape - 1 only.

    Returns
    -------
    ParetoArms

    Raises
    ------
    ValueError
        If a mean is negative or the shape is not above 1.

    Examples
    --------
    >>> problem = pareto_arms([0.75, 0.25], shape=2.0)
    >>> round(problem.moment(0.5), 6)  # 2 s^1.5 / 0.5 at s = 3/8
    0.918559
    """
    return ParetoArms(means, 1, shape)


def setting(number: int, v: float, shape: float | None = None) -> ParetoArms:
    """Setting 1, 2 or 3 of the experiments.

    Parameters
    ----------
    number : {1, 2, 3}
        As on the slides.
    v : float
        Order of the moment less 1, in (0, 1]; the slides show 0.5 and 0.9.
    shape : float, optional
        Of the Pareto laws, > 1 + v; default 1.05 + v. The slides name no parameters of the law, so this choice is ours:
        the moment of order 1 + v is finite, and hardly any higher one.

    Returns
    -------
    ParetoArms
        Five arms with the means of `SETTINGS`.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> print(setting(1, v=0.9))
    pareto_arms(n_arms=5, shape=1.95)
    """
    checks.integer("number", number, at_least=1, at_most=3)
    least = 1.0 + order(v)
    chosen = least + SPARE_MOMENTS if shape is None else checks.real("shape", shape, above=least)
    return pareto_arms(np.array(SETTINGS[number]), chosen)


def order(v: float) -> float:
    """Return the order of a moment less 1.

    Parameters
    ----------
    v : float
        In (0, 1].

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If v is out of range.
    """
    checks.real("v", v, above=0, at_most=1)
    return checks.epsilon(v, "v", infinite=False)  # what plays has 1/v in an exponent


def moment_bound(u: float) -> float:
    """Return a bound on a moment.

    Parameters
    ----------
    u : float
        > 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If u is out of range.
    """
    return checks.real("u", u, above=0)

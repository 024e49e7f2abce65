"""Lists of a fixed size: their means, the feedback of a round, the best list and the gaps."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.problems.families import ANY_LIST, Family, frozen
from private_bandits.shown import Shown


class ListRecord(NamedTuple):
    """A list problem as compiled code sees it."""

    means: np.ndarray  # float64 (n_arms,)
    list_size: int
    cascade: bool  # the user stops at the first click; otherwise every position is observed
    best: float  # what the regret is measured against: the expected reward of the best list
    shape: float = 0.0  # of Pareto rewards; 0 for Bernoulli ones
    family: Family = ANY_LIST  # which lists may be played and what they are worth


@dataclass(frozen=True, eq=False, repr=False)
class ListProblem(Shown):
    """Any `list_size` of the items may be played; the reward is the sum of their weights, and all are observed.

    Attributes
    ----------
    means : float64 array, shape (n_arms,)
        Means in [0, 1] of the items' independent Bernoulli weights.
    list_size : int
        Number of items played each round, 1 <= list_size <= n_arms.

    Raises
    ------
    ValueError
        If an argument is out of range or of another shape.
    """

    means: np.ndarray
    list_size: int

    def __post_init__(self) -> None:
        means = checks.vector("means", self.means, at_least=0, at_most=1)
        object.__setattr__(self, "means", frozen(means, np.float64))
        checks.integer("list_size", self.list_size, at_least=1, at_most=self.n_arms)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickle by construction: a plain copy of an array forgets that it is read-only, a type of its own to numba."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @property
    def n_arms(self) -> int:
        """Number of base items."""
        return len(self.means)

    @property
    def gaps(self) -> np.ndarray:
        """Distance of each mean below the `list_size`-th largest, 0 for items of the best list."""
        threshold = np.sort(self.means)[-self.list_size]
        return np.asarray(np.maximum(threshold - self.means, 0.0))

    @cached_property  # every run asks for it
    def best(self) -> float:
        """Expected reward of the best list."""
        return self.reward(np.argsort(-self.means, kind="stable")[: self.list_size])

    @property
    def legal(self) -> str:
        """What `allows` accepts, in words."""
        if self.list_size == 1:
            return f"[arm], arm an integer from 0 to {self.n_arms - 1},"
        return f"{self.list_size} distinct items"

    def allows(self, items: list[int]) -> bool:
        """Whether a list of items may be played.

        Parameters
        ----------
        items : list of int

        Returns
        -------
        bool
        """
        return self._distinct(items) and len(items) == self.list_size

    def reward(self, items: np.ndarray) -> float:
        """Expected reward of a list of items.

        Parameters
        ----------
        items : int array or list of int
            Distinct, each in 0..n_arms - 1.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If they are not such items.
        """
        return float(np.sum(self.means[self._checked(items)]))

    def _distinct(self, items: Any) -> bool:
        """Whether these are distinct items of the problem."""
        try:
            return len(self._checked(items)) > 0
        except ValueError:
            return False

    def _checked(self, items: Any) -> list[int]:
        numbers = checks.integers("items", items, at_least=0, at_most=self.n_arms - 1)
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"items must be distinct, got {checks.brief(items)}")
        return numbers

    def uniform_regret(self) -> float:
        """Expected regret of one round of uniformly random lists.

        Returns
        -------
        float
        """
        return self.best - self.list_size * float(np.mean(self.means))

    def record(self) -> ListRecord:
        """The problem as numbers and arrays, for the kernels.

        Returns
        -------
        ListRecord
        """
        return ListRecord(self.means, self.list_size, False, self.best)

    def facts(self) -> dict[str, str]:
        """Return what a table of the problem says."""
        means = np.array2string(self.means, precision=4, threshold=20)
        shown = {"problem": str(self), "means": means, "best expected reward": f"{self.best:.4g}"}
        return shown | {"regret of uniform play per round": f"{self.uniform_regret():.4g}"}


@dataclass(frozen=True, eq=False, repr=False)
class Cascade(ListProblem):
    """Cascading bandit: the user reads the list from the top and clicks the first attractive item.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        Probability in [0, 1] that an item attracts; items are independent Bernoulli.
    list_size : int
        Length K of the recommended list, 1 <= list_size <= n_arms.

    Raises
    ------
    ValueError
        If an argument is out of range or of another shape.

    Notes
    -----
    Source: Kveton et al. (2015), Section 2; Wang et al. (2021), Section 3.1. The reward of a list is the
    probability of a click, 1 - prod(1 - w), and does not depend on its order; the feedback does.

    Examples
    --------
    >>> problem = Cascade([0.5, 0.4, 0.2], list_size=2)
    >>> print(problem, round(problem.best, 3), problem.gaps.round(3), round(problem.uniform_regret(), 3))
    Cascade(n_arms=3, list_size=2) 0.7 [0.  0.  0.2] 0.093
    """

    def reward(self, items: np.ndarray) -> float:
        """Probability that a list of items gets a click."""
        return float(1.0 - np.prod(1.0 - self.means[self._checked(items)]))

    def uniform_regret(self) -> float:
        """Expected regret of one round of uniformly random lists (exact: a symmetric polynomial)."""
        sums = np.zeros(self.list_size + 1)
        sums[0] = 1.0
        for miss in 1.0 - self.means:
            sums[1:] += miss * sums[:-1]
        return self.best - (1.0 - sums[-1] / math.comb(self.n_arms, self.list_size))

    def record(self) -> ListRecord:
        """The problem as numbers and arrays, for the kernels."""
        return super().record()._replace(cascade=True)

    def __str__(self) -> str:
        return f"Cascade(n_arms={self.n_arms}, list_size={self.list_size})"


@dataclass(frozen=True, eq=False, repr=False)
class Arms(ListProblem):
    """K-armed bandit with Bernoulli rewards: a list of one. Build it with `bernoulli`.

    Attributes
    ----------
    means : float64 array, shape (n_arms,)
    list_size : int
        Always 1.

    Examples
    --------
    >>> problem = Arms.bernoulli([0.5, 0.7])
    >>> print(problem, problem.best, problem.gaps.round(3), round(problem.uniform_regret(), 3))
    Arms.bernoulli(n_arms=2) 0.7 [0.2 0. ] 0.1
    """

    @classmethod
    def bernoulli(cls, means: np.ndarray) -> Arms:
        """Arms that pay 0 or 1.

        Parameters
        ----------
        means : array_like of float, shape (n_arms,)
            Probabilities of a 1, in [0, 1].

        Returns
        -------
        Arms

        Examples
        --------
        >>> Arms.bernoulli([0.5, 0.7]).n_arms
        2
        """
        return cls(means, 1)

    def __str__(self) -> str:
        return f"Arms.bernoulli(n_arms={self.n_arms})"


@compiled
def observe(means, cascade, order, env, weights):
    """Draw the feedback of a round.

    One uniform number of the environment stream per observed position, from the top of the list.

    Parameters
    ----------
    means : float64 array, shape (n_arms,)
    cascade : bool
        Whether the user stops at the first 1.
    order : int64 array, shape (list_size,)
        The list.
    env : numpy.random.Generator
    weights : float64 array, shape (list_size,), written
        0 or 1 for each observed position.

    Returns
    -------
    int
        How many positions were observed.
    """
    observed, stopped = 0, False
    while observed < len(order) and not stopped:  # one exit: with two, references are counted in every round
        clicked = env.random() < means[order[observed]]
        weights[observed] = 1.0 if clicked else 0.0
        stopped = clicked and cascade
        observed += 1
    return observed


@compiled(borrows=True)
def pseudo_regret(means, cascade, best, order):
    """Expected reward that a list gives up in one round.

    Parameters
    ----------
    means : float64 array, shape (n_arms,)
    cascade : bool
        Whether the reward is the chance of a click, not the sum of the means.
    best : float
        Expected reward of the best list.
    order : int64 array, shape (list_size,)
        The list.

    Returns
    -------
    float
        >= 0.
    """
    if cascade:
        miss = 1.0
        for position in range(len(order)):
            miss *= 1.0 - means[order[position]]
        return max(best - (1.0 - miss), 0.0)
    total = 0.0
    for position in range(len(order)):
        total += means[order[position]]
    return max(best - total, 0.0)

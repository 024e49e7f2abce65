"""Combinatorial semi-bandits: every arm of the played super arm is observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.problems import families
from private_bandits.problems.decision_sets import arm_weights, node_pairs, super_arms
from private_bandits.problems.families import ROUNDING, Family, frozen, set_value
from private_bandits.problems.lists import ListProblem, ListRecord

_REWARDS = ("linear", "max", "coverage", "largest")
_CODES = {"linear": families.LINEAR, "largest": families.LARGEST}  # of the others' products: coverage


@dataclass(frozen=True, eq=False, repr=False)
class SemiBandit(ListProblem):
    """Combinatorial semi-bandit: every item of the played list is observed.

    Build it with `top_k`, `from_sets` or `coverage`.

    Attributes
    ----------
    means : float64 array, shape (n_arms,)
    list_size : int
        K, the largest size of a super arm.
    """

    @classmethod
    def top_k(cls, means: np.ndarray, list_size: int) -> SemiBandit:
        """Any `list_size` items may be played; the reward is the sum of their weights: B_1 = 1, B_inf = size.

        Parameters
        ----------
        means : array_like of float, shape (n_arms,)
            Means in [0, 1] of independent Bernoulli weights.
        list_size : int
            Number of items played each round, 1 <= list_size <= n_arms.

        Returns
        -------
        SemiBandit

        Examples
        --------
        >>> problem = SemiBandit.top_k([0.5, 0.4, 0.2], list_size=2)
        >>> print(problem, round(problem.best, 3), problem.smallest_gaps.round(3))
        SemiBandit.top_k(n_arms=3, list_size=2) 0.9 [0.2 0.3 0.2]
        """
        return SemiBandit(means, list_size)

    @staticmethod
    def from_sets(
        means: Any,
        sets: Sequence[Sequence[int]],
        *,
        reward: str = "linear",
        weights: Any = None,
        targets: Sequence[int] | None = None,
        groups: Sequence[int] | None = None,
    ) -> SetBandit:
        """Any of the listed super arms may be played; the oracle scans them all.

        Parameters
        ----------
        means : array_like of float, shape (n_arms,)
            Means in [0, 1] of Bernoulli outcomes.
        sets : sequence of sequences of int
            The decision set: non-empty super arms of distinct arms in 0..n_arms - 1, no two equal. K is the largest
            size; the user's outcomes are drawn in the order given.
        reward : {"linear", "max", "coverage", "largest"}
            * `linear`: r(S) = sum over S of w_i mu_i, so B_1 is the largest weight and B_inf the largest sum of
              weights of a super arm. Without weights: B_1 = 1, B_inf = K.
            * `max`: r(S) = 1 - prod over S of (1 - mu_i), the chance that any arm pays: B_1 = 1, B_inf = K.
            * `coverage`: r(S) = sum over targets j of 1 - prod over arms i of S that aim at j of (1 - mu_i), the
              expected number of covered targets: B_1 = 1, B_inf = K.
            * `largest`: r(S) = max over S of mu_i, the chance that any arm pays where all arms of a super arm share a
              draw, as they must here: B_1 = B_inf = 1.
        weights : float or array_like of float, optional
            w_i >= 0 of a linear reward; one number is for all arms (the rescaled bandit of Theorem 5). Weight 0 makes
            an arm a dummy: with one arm of weight 1 in every super arm, B_inf = B_1 = 1.
        targets : sequence of int, shape (n_arms,)
            What each arm aims at, for `coverage` only; numbers >= 0.
        groups : sequence of int, optional, shape (n_arms,)
            Arms of equal number >= 0 share one draw u of a round (the outcome is 1 if u < mu_i); -1 has its own.

        Returns
        -------
        SetBandit

        Raises
        ------
        ValueError
            For anything out of range, and for groups where `max` or `coverage` count on independent arms.

        Notes
        -----
        Chen et al. (2020), Section 2.1. The B_p are the smallest constants of Assumption 2 (for `max` and `coverage`
        reached at mu near 0, when a super arm of K arms exists).

        Examples
        --------
        >>> problem = SemiBandit.from_sets([0.5, 0.4, 0.2], [[0, 1], [1, 2]], reward="max")
        >>> print(problem, problem.rewards.round(3), problem.gaps.round(3))
        SemiBandit.from_sets(n_arms=3, list_size=2, n_sets=2, reward=max) [0.7  0.52] [0.   0.   0.18]
        """
        rows = super_arms(sets)
        size, known = max(map(len, rows)), checks.vector("means", means)
        if size > len(known):
            raise ValueError(f"means must have an entry per arm, at least {size}, got {len(known)}")
        return SetBandit(means, size, reward, weights, targets, groups, sets=rows)

    @staticmethod
    def coverage(probabilities: Any, n_chosen: int) -> SetBandit:
        """Probabilistic maximum coverage: `n_chosen` nodes are chosen, each reaches each target with its probability.

        Parameters
        ----------
        probabilities : array_like of float, shape (n_nodes, n_targets)
            In [0, 1]. The base arms are the pairs (node, target), row by row; a super arm holds all pairs of its nodes.
        n_chosen : int
            Number of nodes, 1 <= n_chosen <= n_nodes, so K = n_chosen * n_targets.

        Returns
        -------
        SetBandit

        Raises
        ------
        ValueError
            If an argument is out of range or of another shape.

        Notes
        -----
        Chen, Wang and Yuan (2013), Section 4. B_1 = 1 and B_inf = K.

        Examples
        --------
        >>> problem = SemiBandit.coverage([[0.5, 0.1], [0.2, 0.6], [0.4, 0.4]], n_chosen=2)
        >>> print(problem, round(problem.best, 3))
        SemiBandit.from_sets(n_arms=6, list_size=4, n_sets=3, reward=coverage) 1.28
        """
        table, sets = node_pairs(probabilities, n_chosen)
        targets = list(range(table.shape[1])) * len(table)
        return SetBandit(table.ravel(), len(sets[0]), "coverage", targets=targets, sets=sets)

    @property
    def b_1(self) -> float:
        """Smallest constant of B_1-bounded smoothness."""
        return 1.0

    @property
    def b_inf(self) -> float:
        """Smallest constant of B_inf-bounded smoothness."""
        return float(self.list_size)

    @property
    def smallest_gaps(self) -> np.ndarray:
        """Delta_min^i of Chen et al. (2020), eq. (1), opt less the best bad super arm with i; 0 if none is."""
        return self._bad_gaps[0].copy()

    @property
    def largest_gaps(self) -> np.ndarray:
        """Delta_max^i of Chen et al. (2020), eq. (2), opt less the worst bad super arm with i; 0 if none is."""
        return self._bad_gaps[1].copy()

    @cached_property
    def _bad_gaps(self) -> tuple[np.ndarray, np.ndarray]:
        smallest, largest = np.zeros(self.n_arms), np.zeros(self.n_arms)
        ranked = np.argsort(-self.means, kind="stable")
        for arm in range(self.n_arms):
            others = self.means[ranked[ranked != arm]]
            inside, outside = others[: self.list_size - 1], others[self.list_size - 1 :]
            lost = self.best - (self.means[arm] + inside.sum())
            if lost <= ROUNDING:  # the best list with this arm is optimal: the cheapest exchange that loses anything
                exchanges = np.subtract.outer(inside, outside)
                lost = min(exchanges[exchanges > ROUNDING], default=0.0)
            worst = others[len(others) - self.list_size + 1 :]
            smallest[arm], largest[arm] = lost, self.best - (self.means[arm] + worst.sum())
        return smallest, np.where(largest > ROUNDING, largest, 0.0)

    def __str__(self) -> str:
        return f"SemiBandit.top_k(n_arms={self.n_arms}, list_size={self.list_size})"


@dataclass(frozen=True, eq=False, repr=False)
class SetBandit(SemiBandit):
    """A semi-bandit whose super arms are listed: `SemiBandit.from_sets` and `SemiBandit.coverage`.

    Attributes
    ----------
    means : float64 array, shape (n_arms,)
    list_size : int
        K, the largest size of a super arm.
    reward_name : {"linear", "max", "coverage", "largest"}
    weights, targets, groups
        As in `SemiBandit.from_sets`.
    sets : tuple of tuples of int
        The super arms.

    Raises
    ------
    ValueError
        If an argument is out of range or of another shape.
    """

    reward_name: str = "linear"
    weights: Any = None
    targets: Any = None
    groups: Any = None
    sets: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for number, arms in enumerate(self.sets):
            for arm in arms:
                checks.integer(f"sets[{number}]", arm, at_least=0, at_most=self.n_arms - 1)
        checks.choice("reward", self.reward_name, _REWARDS)
        self._set("weights", self._checked_weights())
        self._set("targets", self._checked_targets())
        if self.groups is not None:
            self._set("groups", frozen(self._integers("groups", self.groups, -1), np.int64))
        if self.reward_name == "largest":
            draws = [{-1} if self.groups is None else {self.groups[arm] for arm in arms} for arms in self.sets]
            if any(len(shared) > 1 or -1 in shared for shared in draws):
                raise ValueError("groups must join all arms of a super arm where the reward is the largest mean")
        elif self.reward_name != "linear" and self.groups is not None:
            raise ValueError(f"groups need reward='linear' or 'largest', got reward={checks.brief(self.reward_name)}")

    @property
    def b_1(self) -> float:
        """Largest weight in a super arm, for a linear reward; 1 for the others."""
        if self.reward_name != "linear":
            return 1.0
        return max(float(self.weights[arm]) for arms in self.sets for arm in arms)

    def reward(self, items: Any) -> float:
        """Expected reward of a super arm."""
        return self._worth(self._checked(items), self.means)

    def value(self, items: Any, means: np.ndarray) -> float:
        """What a super arm would be worth with other means.

        Parameters
        ----------
        items : sequence of int
            The super arm.
        means : float array, shape (n_arms,)

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the items are no distinct arms, or the means of another number.
        """
        arms, values = self._checked(items), checks.vector("means", means)
        if len(values) != self.n_arms:
            raise ValueError(f"means must have one entry per arm, {self.n_arms}, got {len(values)}")
        return self._worth(arms, values)

    def _worth(self, arms: list[int], values: np.ndarray) -> float:
        family, rest = self._family, (values, np.array(arms, np.int64), len(arms), np.ones(self.n_arms))
        return float(set_value(family.reward, family.weights, family.targets, *rest))

    def record(self) -> ListRecord:
        """The problem as numbers and arrays, for the kernels."""
        return super().record()._replace(family=self._family)

    @cached_property
    def rewards(self) -> np.ndarray:
        """Expected reward of every super arm, shape (n_sets,)."""
        return np.array([self.reward(arms) for arms in self.sets])

    @property
    def best(self) -> float:
        """Expected reward of the best super arm."""
        return float(np.max(self.rewards))

    @property
    def b_inf(self) -> float:
        """Largest sum of weights of a super arm for a linear reward; 1 for the largest mean, K for the others."""
        if self.reward_name != "linear":
            return 1.0 if self.reward_name == "largest" else float(self.list_size)
        return max(float(np.sum(self.weights[list(arms)])) for arms in self.sets)

    @property
    def gaps(self) -> np.ndarray:
        """Distance of the best super arm with each arm below the best of all; infinite for an arm in none."""
        gaps = np.full(self.n_arms, math.inf)
        for arms, reward in zip(self.sets, self.rewards, strict=True):
            gaps[list(arms)] = np.minimum(gaps[list(arms)], max(self.best - reward, 0.0))
        return gaps

    def uniform_regret(self) -> float:
        """Expected regret of one round of uniformly random super arms."""
        return self.best - float(np.mean(self.rewards))

    @property
    def legal(self) -> str:
        """What `allows` accepts, in words."""
        return "a super arm"

    def allows(self, items: list[int]) -> bool:
        """Whether the items are a super arm, in any order."""
        return self._distinct(items) and frozenset(items) in self._members

    def __str__(self) -> str:
        kind = "" if self.reward_name == "linear" else f", reward={self.reward_name}"
        return f"SemiBandit.from_sets(n_arms={self.n_arms}, list_size={self.list_size}, n_sets={len(self.sets)}{kind})"

    @cached_property
    def _bad_gaps(self) -> tuple[np.ndarray, np.ndarray]:
        smallest, largest = np.full(self.n_arms, math.inf), np.zeros(self.n_arms)
        for arms, reward in zip(self.sets, self.rewards, strict=True):
            lost = self.best - reward
            if lost > ROUNDING:
                smallest[list(arms)] = np.minimum(smallest[list(arms)], lost)
                largest[list(arms)] = np.maximum(largest[list(arms)], lost)
        return np.where(np.isinf(smallest), 0.0, smallest), largest

    @cached_property
    def _members(self) -> frozenset[frozenset[int]]:
        return frozenset(frozenset(arms) for arms in self.sets)

    @cached_property
    def _family(self) -> Family:
        linear = self.reward_name == "linear"
        table = np.full((len(self.sets), self.list_size), -1)
        for row, arms in enumerate(self.sets):
            table[row, : len(arms)] = arms
        return Family(
            oracle=families.SCAN,
            sets=frozen(table, np.int64, 2),
            sizes=frozen([len(arms) for arms in self.sets], np.int64),
            reward=_CODES.get(self.reward_name, families.COVERAGE),
            weights=self.weights if linear else frozen(np.ones(self.n_arms), np.float64),
            targets=frozen(np.zeros(self.n_arms) if self.targets is None else self.targets, np.int64),
            groups=frozen([] if self.groups is None else self.groups, np.int64),
        )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # the dataclass is frozen

    def _checked_weights(self) -> np.ndarray | None:
        if self.reward_name == "linear":
            return arm_weights(self.weights, self.n_arms)
        if self.weights is not None:
            raise ValueError(f"weights need reward='linear', got reward={checks.brief(self.reward_name)}")
        return None

    def _checked_targets(self) -> np.ndarray | None:
        if self.reward_name == "coverage":
            return frozen(np.unique(self._integers("targets", self.targets, 0), return_inverse=True)[1], np.int64)
        if self.targets is not None:
            raise ValueError(f"targets need reward='coverage', got reward={checks.brief(self.reward_name)}")
        return None

    def _integers(self, name: str, value: Any, at_least: int) -> list[int]:
        return checks.integers(name, value, at_least=at_least, at_most=checks.ROUNDS, number=self.n_arms)

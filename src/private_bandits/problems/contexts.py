"""Contexts: each round shows a set of action vectors, and the mean reward of an action depends on its vector."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.problems.families import frozen
from private_bandits.shown import Shown

LINKS = ("linear", "logistic")
_SLACK = 1e-12  # by which the norm of a normalised vector may exceed 1
_NODES = 200
_quadrature = cache(np.polynomial.legendre.leggauss)  # the eigenvalues of a large matrix


class ContextRecord(NamedTuple):
    """A contextual problem as compiled code sees it."""

    theta: np.ndarray  # float64 (dim,); empty when the means stand in a table
    logistic: bool
    binary: bool  # rewards are 0 or 1; otherwise the mean plus uniform noise
    spread: float  # of the uniform noise, on each side
    n_actions: int
    dim: int
    sets: np.ndarray  # float64 (n_sets, dim, n_actions): one is shown, uniformly drawn; empty: fresh unit vectors
    means: np.ndarray  # float64 (n_sets, n_actions)


@dataclass(frozen=True, eq=False, repr=False)
class LinearContext(Shown):
    """Contextual bandit: a set of `n_actions` vectors a round, of norm at most 1. Build it with `sphere` or `table`.

    Attributes
    ----------
    theta : float64 array, shape (dim,)
        The parameter; empty for a table, whose means need not come from one.
    link : {"linear", "logistic"}
        Mean reward <x, theta>, with uniform noise on [-noise, noise]; or 1 / (1 + exp(-<x, theta>)), paid as 0 or 1.
    noise : float
        Half-width of the uniform noise, in [0, 1]; not used by "logistic".
    n_actions : int
        Vectors that a round shows, >= 1.
    sets : float64 array, shape (n_sets, n_actions, dim)
    means : float64 array, shape (n_sets, n_actions)

    Raises
    ------
    ValueError
        If it is built otherwise.

    Notes
    -----
    Zheng et al. (2020), Section 4: action sets and parameter lie in the unit ball, the reward's noise in [-1, 1]. One
    draw of a round's set, then one uniform number for the reward, from the environment stream.
    """

    theta: np.ndarray
    link: str
    noise: float
    n_actions: int
    sets: np.ndarray
    means: np.ndarray

    def __post_init__(self) -> None:
        checks.choice("link", self.link, LINKS)
        if not all(isinstance(one, np.ndarray) for one in (self.theta, self.sets, self.means)):
            raise ValueError(f"theta, sets and means must be of `sphere` or `table`, got {checks.brief(self.theta)}")

    @classmethod
    def sphere(cls, theta: Any, n_actions: int, link: str = "linear", noise: float = 1.0) -> LinearContext:
        """Fresh action sets: each round, `n_actions` independent vectors, uniform on the unit sphere.

        Parameters
        ----------
        theta : array_like of float, shape (dim,)
            Norm at most 1.
        n_actions : int
            >= 1.
        link : {"linear", "logistic"}
            See `LinearContext`.
        noise : float
            In [0, 1].

        Returns
        -------
        LinearContext

        Raises
        ------
        ValueError
            If an argument is out of range or of another shape.

        Examples
        --------
        >>> problem = LinearContext.sphere([0.6, 0.0], n_actions=5, noise=0.1)
        >>> print(problem, problem.reward_range, round(problem.uniform_regret(), 3))
        LinearContext(unit vectors, dim=2, n_actions=5, linear) (-0.7, 0.7) 0.477
        """
        vector = frozen(checks.vector("theta", theta), np.float64)
        norm = float(np.linalg.norm(vector))
        if norm > 1.0 + _SLACK:
            raise ValueError(f"theta must have norm <= 1, got norm {norm:g}")
        actions = checks.integer("n_actions", n_actions, at_least=1)
        width = checks.real("noise", noise, at_least=0, at_most=1)
        return cls(vector, link, width, actions, frozen([], np.float64, 3), frozen([], np.float64, 2))

    @classmethod
    def table(cls, sets: Any, means: Any, link: str = "linear", noise: float = 1.0) -> LinearContext:
        """Given action sets: each round shows one of them, uniformly drawn with replacement.

        Parameters
        ----------
        sets : array_like of float, shape (n_sets, n_actions, dim)
            Vectors of norm at most 1.
        means : array_like of float, shape (n_sets, n_actions)
            Mean rewards: in [-1, 1] for "linear", in [0, 1] for "logistic", where they are probabilities of a 1.
        link : {"linear", "logistic"}
            How a reward is drawn from its mean.
        noise : float
            In [0, 1].

        Returns
        -------
        LinearContext

        Raises
        ------
        ValueError
            If an argument is out of range or of another shape.

        Examples
        --------
        >>> problem = LinearContext.table([[[1.0, 0.0], [0.0, 1.0]]], [[0.2, 0.8]], link="logistic")
        >>> print(problem, round(problem.uniform_regret(), 3))
        LinearContext(1 sets, dim=2, n_actions=2, logistic) 0.3
        """
        checks.choice("link", link, LINKS)
        width = checks.real("noise", noise, at_least=0, at_most=1)
        actions = frozen(checks.array("sets", sets, ndim=3), np.float64, 3)
        rewards = frozen(checks.array("means", means, ndim=2), np.float64, 2)
        if rewards.shape != actions.shape[:2]:
            raise ValueError(f"means must have shape {actions.shape[:2]}, one per action, got {rewards.shape}")
        longest = float(np.max(np.linalg.norm(actions, axis=2)))
        if longest > 1.0 + _SLACK:
            raise ValueError(f"sets must hold vectors of norm <= 1, got norm {longest:g}")
        low = 0.0 if link == "logistic" else -1.0
        if np.min(rewards) < low or np.max(rewards) > 1.0:
            raise ValueError(f"means must be >= {low:g} and <= 1, got {np.min(rewards):g} to {np.max(rewards):g}")
        return cls(frozen([], np.float64), link, width, actions.shape[1], actions, rewards)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by construction: a plain copy of an array forgets that it is read-only, a type of its own to numba."""
        if len(self.sets):
            return LinearContext.table, (self.sets, self.means, self.link, self.noise)
        return LinearContext.sphere, (self.theta, self.n_actions, self.link, self.noise)

    @property
    def dim(self) -> int:
        """Length of an action vector."""
        return int(self.sets.shape[2]) if len(self.sets) else len(self.theta)

    @property
    def n_arms(self) -> int:
        """Number of actions a round, as list problems call it."""
        return self.n_actions

    @property
    def list_size(self) -> int:
        """One action is played a round."""
        return 1

    @property
    def binary(self) -> bool:
        """Whether rewards are 0 or 1."""
        return self.link == "logistic"

    @property
    def reward_range(self) -> tuple[float, float]:
        """Smallest and largest reward that can occur."""
        if self.binary:
            return 0.0, 1.0
        reach = float(np.linalg.norm(self.theta))
        low, high = (float(np.min(self.means)), float(np.max(self.means))) if len(self.sets) else (-reach, reach)
        return low - self.noise, high + self.noise

    def uniform_regret(self) -> float:
        """Expected regret of one round of uniformly random actions.

        Returns
        -------
        float
            Exact for a table and in one dimension. For other unit vectors by Gauss-Legendre quadrature:
            <x, theta>/|theta| has the law of 2B - 1 with B from Beta((dim - 1)/2, (dim - 1)/2).
        """
        if len(self.sets):
            return float(np.mean(np.max(self.means, axis=1) - np.mean(self.means, axis=1)))
        if self.dim == 1:  # of -1 and 1, the better one is missing with probability 2^-n
            low, high = self._mean_at(np.array([0.0, 1.0]))
            return float(high - low) * (0.5 - 0.5**self.n_actions)
        nodes, weights = _quadrature(_NODES)
        level, weights = (nodes + 1.0) / 2.0, weights / 2.0
        best = weights @ self._mean_at(level ** (1.0 / self.n_actions))
        return max(float(best - weights @ self._mean_at(level)), 0.0)

    def _mean_at(self, level: np.ndarray) -> np.ndarray:
        """Quantiles of the mean reward of a uniform unit vector."""
        half = (self.dim - 1) / 2.0
        cosine = np.where(level > 0.5, 1.0, -1.0)
        if self.dim > 1:
            cosine = 2.0 * scipy.special.betaincinv(half, half, level) - 1.0
        value = float(np.linalg.norm(self.theta)) * cosine
        return np.asarray(scipy.special.expit(value) if self.binary else value)

    def record(self) -> ContextRecord:
        """The problem as numbers and arrays, for the kernels.

        Returns
        -------
        ContextRecord
        """
        columns = frozen(np.swapaxes(self.sets, 1, 2), np.float64, 3)
        from_theta = self.binary and not len(self.sets)
        return ContextRecord(
            self.theta, from_theta, self.binary, self.noise, self.n_actions, self.dim, columns, self.means
        )

    def facts(self) -> dict[str, str]:
        """Return what a table of the problem says."""
        return {"problem": str(self), "regret of uniform play per round": f"{self.uniform_regret():.4g}"}

    def __str__(self) -> str:
        shown = f"{len(self.sets)} sets" if len(self.sets) else "unit vectors"
        return f"LinearContext({shown}, dim={self.dim}, n_actions={self.n_actions}, {self.link})"


@compiled
def draw_actions(problem, env, actions, means):
    """Draw a round's vectors.

    Parameters
    ----------
    problem : ContextRecord
    env : numpy.random.Generator
        One uniform number for a given set, a normal one per coordinate for fresh vectors.
    actions : float64 array, shape (dim, n_actions), written
        The vectors, as columns.
    means : float64 array, shape (n_actions,), written
        Their mean rewards.
    """
    dim, n_actions = problem.dim, problem.n_actions
    if len(problem.sets) > 0:
        shown = min(int(env.random() * len(problem.sets)), len(problem.sets) - 1)
        for action in range(n_actions):
            means[action] = problem.means[shown, action]
            for i in range(dim):
                actions[i, action] = problem.sets[shown, i, action]
        return
    theta = problem.theta
    for action in range(n_actions):
        square = 0.0
        for i in range(dim):
            entry = env.standard_normal()
            actions[i, action] = entry
            square += entry * entry
        norm = math.sqrt(square)
        product = 0.0
        for i in range(dim):
            actions[i, action] /= norm
            product += actions[i, action] * theta[i]
        means[action] = 1.0 / (1.0 + math.exp(-product)) if problem.logistic else product


@compiled(inline="always")
def draw_reward(mean, binary, spread, env):
    """Draw one reward, from one uniform number.

    Parameters
    ----------
    mean : float
        In [0, 1] where the reward is binary, else any.
    binary : bool
        Whether it is 0 or 1.
    spread : float
        Otherwise it is uniform within that of the mean, >= 0.
    env : numpy.random.Generator

    Returns
    -------
    float
    """
    u = env.random()
    if binary:
        return 1.0 if u < mean else 0.0
    return mean + spread * (2.0 * u - 1.0)


@compiled
def draw_rounds(problem, env, actions, means, numbers):
    """Draw some rounds at once, for a learner written in Python.

    Parameters
    ----------
    problem : ContextRecord
    env : numpy.random.Generator
        Read as by `draw_actions` and `draw_reward`, in turn.
    actions : float64 array, shape (n_rounds, dim, n_actions), written
    means : float64 array, shape (n_rounds, n_actions), written
    numbers : float64 array, shape (n_rounds,), written
        The uniform number of each round's reward.
    """
    for row in range(len(numbers)):
        draw_actions(problem, env, actions[row], means[row])
        numbers[row] = env.random()

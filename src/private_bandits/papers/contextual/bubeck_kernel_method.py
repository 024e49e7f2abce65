"""The kernel method of Bubeck, Eldan and Lee (2017) in one dimension: exponential weights on smoothed losses.

On a grid of the interval the learner holds weights p with mean near the point m. The kernel spreads the mass of each
point y evenly over the points from y to m. The point played, i, is drawn from the spread weights q, and

    value / q_i  times the share of y's mass that the kernel puts on i

estimates the loss of y after spreading, which for convex losses is what counts. It is not above value / q_i / (|i - m|
+ 1), so the variance of the estimates costs 2 (1 + ln n) on a grid of n points, whatever the weights.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.policy import Player
from private_bandits.problems import ConvexLoss


class KernelMethod(Player):
    """The learner, for `wrap` or `simulate`; a `ConvexLoss` of one dimension.

    Parameters
    ----------
    horizon : int
        T >= 1, from which the grid, of ceil(sqrt T) + 1 points, and the step are set.
    size : float
        L > 0: what it is told is clipped to [-L, L].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from private_bandits import simulate
    >>> from private_bandits.papers.contextual.instances import on_line
    >>> result = simulate(on_line(), KernelMethod(2000, 1.3), horizon=2000, replications=2, seed=0)
    >>> bool((result.regret[:, -1] < 0.5 * 2000 * on_line().uniform_regret()).all())
    True
    """

    name, paper, algorithm, version = "Kernel method", "bubeck2017", "Section 2", "one dimension"
    method, mechanism, privacy = "one dimension", "none", "none of its own"

    def __init__(self, horizon: int, size: float) -> None:
        rounds = checks.integer("horizon", horizon, at_least=1)
        self.size, self.points_of_grid = checks.real("size", size, above=0), math.isqrt(rounds - 1) + 2
        log = math.log(self.points_of_grid)
        self.step = math.sqrt(log / (rounds * (1.0 + log))) / self.size

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "_Weights":
        """Return a fresh learner.

        Parameters
        ----------
        problem : ConvexLoss
        choice, noise : Generator
            A uniform number a round from the first; the second is not used.

        Returns
        -------
        object with `ask` and `tell`

        Raises
        ------
        ValueError
            If the problem has more than one dimension.
        """
        if not isinstance(problem, ConvexLoss) or problem.domain != "ball" or problem.dimension != 1:
            raise ValueError(f"problem must be a ConvexLoss on an interval, got {checks.brief(problem)}")
        return _Weights(self, np.linspace(-problem.radius, problem.radius, self.points_of_grid), choice)


class _Weights:
    """The grid with its losses so far; `shares` are those of every point's mass on the point played."""

    def __init__(self, method: KernelMethod, grid: np.ndarray, choice: np.random.Generator) -> None:
        self.method, self.grid, self.choice = method, grid, choice
        self.losses, self.shares = np.zeros(len(grid)), np.zeros(len(grid))
        self.chance = 1.0

    def ask(self) -> Sequence[Any]:
        """Draw a point from the spread weights."""
        weights = np.exp(-self.method.step * (self.losses - self.losses.min()))
        weights /= weights.sum()
        places = np.arange(len(weights))
        middle = int(round(float(places @ weights)))
        each = weights / (np.abs(places - middle) + 1.0)
        spread = np.concatenate([np.cumsum(each[:middle]), [each.sum()], np.cumsum(each[:middle:-1])[::-1]])
        played = min(int(np.searchsorted(np.cumsum(spread), self.choice.random(), side="right")), len(spread) - 1)
        beyond = places <= played if played < middle else places >= played if played > middle else places >= 0
        self.chance, self.shares = float(spread[played]), beyond / (np.abs(places - middle) + 1.0)
        return [float(self.grid[played])]

    def tell(self, values: Sequence[float]) -> None:
        """Add the estimated losses."""
        value = min(max(float(values[0]), -self.method.size), self.method.size)
        self.losses += value / self.chance * self.shares

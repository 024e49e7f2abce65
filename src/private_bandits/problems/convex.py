"""Bandit convex optimisation: losses on the ball, and the adversarial K-armed bandit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from private_bandits import checks
from private_bandits.problems import losses
from private_bandits.problems.families import frozen
from private_bandits.problems.optimum import best_points
from private_bandits.shown import Shown

DOMAINS = ("ball", "arms")
KINDS = ("quadratic", "smooth", "distance", "kinked", "linear")
MODES = ("schedule", "stochastic")
# the loss, which for a linear one is the largest, and the steepest slope at a distance r from the anchor
SHAPES: dict[str, Callable[[float], float]] = {
    "quadratic": lambda r: r**2 / 2.0,
    "smooth": lambda r: math.sqrt(1.0 + r**2) - 1.0,
    "distance": lambda r: r,
    "kinked": lambda r: r + r**2 / 2.0,
    "linear": lambda r: r,
}
_STEEPEST: dict[str, Callable[[float], float]] = {
    "quadratic": lambda r: r,
    "smooth": lambda r: r / math.sqrt(1.0 + r**2),
    "distance": lambda r: 1.0,
    "kinked": lambda r: 1.0 + r,
}


@dataclass(frozen=True, eq=False, repr=False)
class ConvexLoss(Shown):
    """A sequence of convex losses, each observed where it is played. Build it with `ball` or `arms`.

    Attributes
    ----------
    domain : {"ball", "arms"}
    anchors : float64 array, shape (n_losses, dim)
        Of arms, the table of losses.
    kind, radius, schedule, weights, spread
        As in `ball`.
    mode : {"schedule", "stochastic"}
        With "schedule" the losses come in a fixed order, again and again: an oblivious adversary. The regret at round
        t is that against the best fixed point for the losses so far (it may fall, and may be negative). With
        "stochastic" the loss is the mean of all losses by their weights, observed with noise, and the regret is the
        pseudo-regret against the best point of that mean.

    Raises
    ------
    ValueError
        If an argument is out of range or of another shape.
    """

    domain: str
    anchors: np.ndarray
    kind: str
    radius: float = 1.0
    mode: str = "schedule"
    schedule: Any = None
    weights: Any = None
    spread: float = 0.0

    @classmethod
    def ball(
        cls,
        anchors: Any,
        *,
        kind: str = "quadratic",
        radius: float = 1.0,
        mode: str = "schedule",
        schedule: Sequence[int] | np.ndarray | None = None,
        weights: Any = None,
        spread: float = 0.0,
    ) -> ConvexLoss:
        """Losses on the ball of a radius about 0.

        Parameters
        ----------
        anchors : array_like of float, shape (n_losses, dim)
            z of each loss, any finite point.
        kind : {"quadratic", "smooth", "distance", "kinked", "linear"}
            With r = |x - z|: r^2 / 2 (strongly convex and smooth), sqrt(1 + r^2) - 1 (smooth), r (neither),
            r + r^2 / 2 (strongly convex), or <z, x>.
        radius : float
            > 0.
        mode : {"schedule", "stochastic"}
            See `ConvexLoss`.
        schedule : sequence of int, optional
            Numbers of the losses in the order in which they come; default all in turn. For "schedule" only.
        weights : array_like of float, shape (n_losses,), optional
            Probabilities, or shares of the mean; default equal. Not for "schedule".
        spread : float
            >= 0; for "stochastic" only: the noise on a loss is uniform on [-spread, spread].

        Returns
        -------
        ConvexLoss

        Examples
        --------
        >>> problem = ConvexLoss.ball([[0.5, 0.0], [0.0, 0.5]])
        >>> print(problem, problem.bound, problem.best_point()[0])
        ConvexLoss.ball(dim=2, kind=quadratic, mode=schedule) 1.125 [0.25 0.25]
        """
        return cls("ball", anchors, kind, radius, mode, schedule, weights, spread)

    @classmethod
    def arms(
        cls,
        table: Any,
        *,
        mode: str = "schedule",
        schedule: Sequence[int] | np.ndarray | None = None,
        weights: Any = None,
    ) -> ConvexLoss:
        """K arms with losses in [0, 1].

        Parameters
        ----------
        table : array_like of float, shape (n_losses, n_arms)
            A row is the loss of every arm in one round. With mode "stochastic" the observed loss is 0 or 1, and the
            mean of the rows by their weights gives the probability of a 1.
        mode : {"schedule", "stochastic"}
            See `ConvexLoss`.
        schedule : sequence of int, optional
            Numbers of the losses in the order in which they come; default all in turn. For "schedule" only.
        weights : array_like of float, shape (n_losses,), optional
            Probabilities, or shares of the mean; default equal. Not for "schedule".

        Returns
        -------
        ConvexLoss

        Examples
        --------
        >>> problem = ConvexLoss.arms([[0.0, 1.0], [0.5, 0.0]])
        >>> print(problem, problem.uniform_regret())
        ConvexLoss.arms(n_arms=2, mode=schedule) 0.125
        """
        return cls("arms", _rows("table", table, "arms"), "linear", 1.0, mode, schedule, weights, 0.0)

    def __post_init__(self) -> None:
        checks.choice("domain", self.domain, DOMAINS)
        checks.choice("kind", self.kind, KINDS)
        checks.choice("mode", self.mode, MODES)
        self._set("radius", checks.real("radius", self.radius, above=0))
        self._set("spread", checks.real("spread", self.spread, at_least=0))
        self._set("anchors", _rows("anchors", self.anchors, self.domain))
        self._set("weights", self._checked_weights())
        self._set("schedule", self._checked_schedule())
        if self.spread > 0.0 and self.mode != "stochastic":
            raise ValueError(f"spread must be 0 unless mode='stochastic', got {self.spread}")

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickle by construction: a plain copy of an array forgets that it is read-only, a type of its own to numba."""
        derived = "weights" if self.mode == "schedule" else "schedule"
        return type(self), tuple(None if each.name == derived else getattr(self, each.name) for each in fields(self))

    @property
    def dim(self) -> int:
        """Number of coordinates of a point, or of arms."""
        return int(self.anchors.shape[1])

    @property
    def point_size(self) -> int:
        """Numbers that name a point, the dimension, and 1 for an arm."""
        return 1 if self.domain == "arms" else self.dim

    @property
    def inner_radius(self) -> float:
        """Radius r of the largest ball about the centre of the set that lies inside it."""
        return self.radius

    @property
    def outer_radius(self) -> float:
        """Largest distance of a point of the set from its centre."""
        return self.radius

    @property
    def diameter(self) -> float:
        """Largest distance between two points of the set."""
        return 2.0 * self.radius

    @property
    def bound(self) -> float:
        """B, which no observed loss exceeds in absolute value."""
        if self.domain == "arms":
            return 1.0
        return SHAPES[self.kind](self._reach()) + self.spread

    @property
    def lipschitz(self) -> float:
        """G, than which times the distance no loss changes faster."""
        if self.kind == "linear":
            return float(np.max(np.linalg.norm(self.anchors, axis=1)))
        return _STEEPEST[self.kind](self._reach())

    @property
    def strong_convexity(self) -> float:
        """mu, with which every loss is strongly convex on the set (0 for distances and linear losses)."""
        return self.strong_convexity_within(0.0)

    def strong_convexity_within(self, distance: float) -> float:
        """mu on all points that are not far from the set.

        Parameters
        ----------
        distance : float
            >= 0, how far from it they may be.

        Returns
        -------
        float
            Of distances and linear losses, 0.

        Raises
        ------
        ValueError
            If `distance` is below 0.
        """
        distance = checks.real("distance", distance, at_least=0)
        if self.kind == "smooth":
            return float((1.0 + (self._reach() + distance) ** 2) ** -1.5)
        return 1.0 if self.kind in ("quadratic", "kinked") else 0.0

    @property
    def smoothness(self) -> float:
        """beta, with which every loss is smooth; infinite for those with a kink."""
        return {"quadratic": 1.0, "smooth": 1.0, "linear": 0.0}.get(self.kind, math.inf)

    def best_point(self, counts: Any = None) -> tuple[np.ndarray, float, float]:
        """The best fixed point for a sum of the losses.

        Parameters
        ----------
        counts : array_like of float, shape (n_losses,), optional
            How often each loss came, >= 0, not all 0; default the weights.

        Returns
        -------
        point : float64 array, shape (dim,), or (1,) with the number of the arm
        value : float
            Sum of the losses at the point.
        gap : float
            By how much the value may exceed the smallest one: 0 for a closed form, else Frank and Wolfe's gap.

        Raises
        ------
        ValueError
            If the counts are out of range or of another shape.
        """
        times = self.weights if counts is None else checks.vector("counts", counts, at_least=0)
        if len(times) != len(self.anchors) or np.sum(times) == 0:
            raise ValueError(f"counts must be {len(self.anchors)} numbers, not all 0, got {checks.brief(counts)}")
        points, values, gaps = best_points(self._numbers(0.0), np.array([times], np.float64))
        return points[0], float(values[0]), float(gaps[0])

    def uniform_regret(self) -> float:
        """Expected regret of one round of uniformly random points, each loss as often as it comes in the long run.

        Returns
        -------
        float
            Exact for arms; otherwise from 2^14 points of a Sobol sequence, to about 1e-3 of the losses' range.
        """
        return self._uniform_regret

    @cached_property
    def _uniform_regret(self) -> float:
        shares = self.weights
        if self.mode == "schedule":
            shares = np.bincount(self.schedule, minlength=len(self.anchors)) / len(self.schedule)
        best = self.best_point(shares)[1]
        if self.domain == "arms":
            return float(np.mean(shares @ self.anchors)) - best
        record, weights = self._numbers(0.0), np.array(shares, np.float64)
        return float(np.mean([losses.mean_loss(record, weights, point) for point in self._spread_out(14)])) - best

    def _spread_out(self, log2_number: int) -> np.ndarray:
        """Points of a Sobol sequence, moved to be uniform on the set."""
        cells = scipy.stats.qmc.Sobol(self.dim + 1, seed=0).random_base2(log2_number)
        directions = scipy.special.ndtri(cells[:, :-1])
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        return np.asarray(self.radius * cells[:, -1:] ** (1.0 / self.dim) * directions)

    def allows(self, point: np.ndarray) -> bool:
        """Whether a point may be played, up to rounding.

        Parameters
        ----------
        point : float64 array

        Returns
        -------
        bool
        """
        try:
            numbers = np.asarray(point)
        except ValueError:  # rows of different lengths
            return False
        if numbers.shape != (self.point_size,) or numbers.dtype.kind not in "iuf":
            return False
        if not np.all(np.isfinite(point)):
            return False
        if self.domain == "arms":
            return bool(point[0] == int(point[0]) and 0 <= point[0] < self.dim)
        return bool(np.linalg.norm(point) <= self.radius * (1.0 + 1e-9))

    def record(self) -> losses.ConvexRecord:
        """The problem as numbers and arrays, for the kernels.

        Returns
        -------
        ConvexRecord
        """
        return self._record

    @cached_property
    def _record(self) -> losses.ConvexRecord:
        return self._numbers(self.best_point()[1] if self.mode == "stochastic" else 0.0)

    def _numbers(self, best: float) -> losses.ConvexRecord:
        return losses.ConvexRecord(
            domain=DOMAINS.index(self.domain),
            radius=self.radius,
            loss=KINDS.index(self.kind),
            anchors=self.anchors,
            mode=MODES.index(self.mode),
            schedule=self.schedule,
            weights=self.weights,
            spread=self.spread,
            best=best,
        )

    def _reach(self) -> float:
        """Largest distance of a point of the ball from an anchor; for linear losses largest |<z, x>|."""
        farthest = float(np.max(np.linalg.norm(self.anchors, axis=1)))
        return farthest * self.radius if self.kind == "linear" else farthest + self.radius

    def _checked_weights(self) -> np.ndarray:
        number = len(self.anchors)
        if self.weights is None:
            return frozen(np.full(number, 1.0 / number), np.float64)
        if self.mode == "schedule":
            raise ValueError(f"weights must be left out with mode='schedule', got {checks.brief(self.weights)}")
        weights = checks.vector("weights", self.weights, at_least=0, at_most=1)
        if len(weights) != number or abs(np.sum(weights) - 1.0) > 1e-9:
            raise ValueError(f"weights must be {number} numbers that sum to 1, got {checks.brief(self.weights)}")
        return frozen(weights, np.float64)

    def _checked_schedule(self) -> np.ndarray:
        number = len(self.anchors)
        if self.schedule is None:
            return frozen(np.arange(number), np.int64)
        if self.mode != "schedule":
            raise ValueError(f"schedule must be left out with mode={self.mode!r}, got {checks.brief(self.schedule)}")
        return frozen(checks.integers("schedule", self.schedule, at_least=0, at_most=number - 1), np.int64)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # the dataclass is frozen

    def facts(self) -> dict[str, str]:
        """Return what a table of the problem says."""
        return {"problem": str(self), "regret of uniform play per round": f"{self.uniform_regret():.4g}"}

    def __str__(self) -> str:
        if self.domain == "arms":
            return f"ConvexLoss.arms(n_arms={self.dim}, mode={self.mode})"
        return f"ConvexLoss.{self.domain}(dim={self.dim}, kind={self.kind}, mode={self.mode})"


def _rows(name: str, entries: Any, domain: str) -> np.ndarray:
    """Check the anchors of losses, or the losses of arms."""
    listed = entries.tolist() if isinstance(entries, np.ndarray) else entries
    if isinstance(listed, str) or not isinstance(listed, Sequence) or len(listed) == 0:
        raise ValueError(f"{name} must be a list of lists of numbers, got {checks.brief(entries)}")
    low, high = (0.0, 1.0) if domain == "arms" else (None, None)
    rows = [checks.vector(f"{name}[{i}]", row, at_least=low, at_most=high) for i, row in enumerate(listed)]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{name} must have rows of one length, got {checks.brief(entries)}")
    return frozen(rows, np.float64, 2)

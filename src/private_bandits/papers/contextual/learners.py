"""The learners that Algorithms 1 and 2 are played around, in plain Python, as their papers print them, and their user.

They ask and are told; `tell` returns what they make of a message, clipped where the paper's black box needs it. Random
numbers are asked for in the order of the kernels, and scipy's solvers stand where the kernels have their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize

from private_bandits.plain import Generator as Stream

_SHAPES: dict[str, Callable[[float], float]] = {
    "quadratic": lambda r: r**2 / 2,
    "smooth": lambda r: math.sqrt(1 + r**2) - 1,
    "distance": lambda r: r,
    "kinked": lambda r: r + r**2 / 2,
}


def loss(problem: Any, which: int, x: Any) -> float:
    """f_which(x) of a ConvexLoss."""
    z = problem.anchors[which]
    if problem.domain == "arms":
        return float(z[int(x[0])])
    if problem.kind == "linear":
        return float(problem.factor * np.dot(z, x))
    return float(problem.factor * _SHAPES[problem.kind](float(np.linalg.norm(x - z))))


class User:
    """Who suffers the losses: the environment of a run."""

    def __init__(self, problem: Any, env: Stream) -> None:
        self.problem, self.env, self.t = problem, env, 0

    def suffer(self, points: Any) -> list[float]:
        """The values of this round's loss at the points."""
        problem = self.problem
        self.t += 1
        if problem.mode == "schedule":
            which = problem.schedule[(self.t - 1) % len(problem.schedule)]
            return [loss(problem, which, x) for x in points]
        if problem.mode == "drawn":
            which = int(np.searchsorted(np.cumsum(problem.weights)[:-1], self.env.random(), side="right"))
            return [loss(problem, which, x) for x in points]
        seen = []
        for x in points:
            mean = sum(p * loss(problem, which, x) for which, p in enumerate(problem.weights))
            if problem.domain == "arms":
                seen.append(1.0 if self.env.random() < mean else 0.0)
            else:
                seen.append(mean + (problem.spread * (2 * self.env.random() - 1) if problem.spread else 0.0))
        return seen


def project(problem: Any, x: Any) -> Any:
    """Nearest point of the set; on the simplex by a search for the level."""
    if problem.domain == "ball":
        return x * min(1.0, problem.radius / np.linalg.norm(x)) if np.any(x) else x
    if np.sum(np.maximum(x, 0)) <= 1:
        return np.maximum(x, 0)
    level = brentq(lambda c: np.sum(np.maximum(x - c, 0)) - 1, np.min(x) - 1, np.max(x), xtol=1e-15, rtol=1e-15)
    return np.maximum(x - level, 0)


def middle(problem: Any) -> Any:
    """Centre of the largest ball inside the set."""
    d = problem.dimension
    return np.zeros(d) if problem.domain == "ball" else np.full(d, 1 / (d + math.sqrt(d)))


class Descent:
    """Gradient descent on sphere estimates: one point (Flaxman et al.) or two (Agarwal, Dekel and Xiao)."""

    def __init__(self, problem: Any, choice: Stream, rho: float, xi: float, eta: Any, points: int) -> None:
        self.problem, self.choice, self.rho, self.xi, self.eta, self.points = problem, choice, rho, xi, eta, points
        self.y, self.t = middle(problem), 0

    def ask(self) -> Any:
        """A point near y, or two on opposite sides of it."""
        self.t += 1
        u = self.choice.standard_normal(len(self.y))
        self.u = u / np.linalg.norm(u)
        x = self.y + self.rho * self.u
        return x if self.points == 1 else (x, self.y - self.rho * self.u)

    def tell(self, values: Any) -> float:
        """Step against the estimated gradient, back into the shrunk set."""
        g = len(self.y) / (self.points * self.rho) * values[0] * self.u
        moved, c = self.y - self.eta(self.t) * g, middle(self.problem)
        self.y = c + (1 - self.xi) * (project(self.problem, c + (moved - c) / (1 - self.xi)) - c)
        return float(values[0])


class Barrier:
    """Saha and Tewari (2011), mu = 0, and Hazan and Levy (2014), radius = 1: follow the leader on a barrier."""

    def __init__(self, problem: Any, choice: Stream, eta: float, radius: float, mu: float, clip: float) -> None:
        self.problem, self.choice, self.eta, self.radius, self.mu, self.clip = problem, choice, eta, radius, mu, clip
        d = problem.dimension
        self.x = np.zeros(d) if problem.domain == "ball" else np.full(d, 1 / (d + 1))
        self.gradients: list[Any] = []
        self.centres: list[Any] = []

    def hessian(self, x: Any) -> Any:
        """Of the barrier."""
        if self.problem.domain == "ball":
            room = self.problem.radius**2 - x @ x
            return 2 / room * np.eye(len(x)) + 4 * np.outer(x, x) / room**2
        return np.diag(1 / x**2) + 1 / (1 - np.sum(x)) ** 2

    def barrier(self, x: Any) -> float:
        """Infinite outside the set."""
        if self.problem.domain == "ball":
            inside = 1 - x @ x / self.problem.radius**2
            return -math.log(inside) if inside > 0 else math.inf
        rest = 1 - np.sum(x)
        return float(-np.sum(np.log(x)) - math.log(rest)) if rest > 0 and np.min(x) > 0 else math.inf

    def ask(self) -> Any:
        """A point on the ellipsoid of the barrier about x."""
        u = self.choice.standard_normal(len(self.x))
        u /= np.linalg.norm(u)
        t = len(self.gradients) + 1
        root = np.linalg.cholesky(self.hessian(self.x) + self.eta * self.mu * t * np.eye(len(u)))
        self.ahead = root @ u
        return self.x + self.radius * np.linalg.inv(root).T @ u

    def tell(self, values: Any) -> float:
        """Go to the leader of all estimated losses and the barrier."""
        value = float(min(max(values[0], -self.clip), self.clip))
        self.gradients.append(len(self.x) / self.radius * value * self.ahead)
        self.centres.append(self.x)
        linear, centres, t = np.sum(self.gradients, axis=0), np.sum(self.centres, axis=0), len(self.centres)

        def leader(x: Any) -> Any:
            return self.eta * (linear @ x + self.mu / 2 * (t * x @ x - 2 * centres @ x)) + self.barrier(x)

        x = minimize(leader, self.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14}).x
        for _ in range(3):  # the search is good to 1e-8; Newton's method does the rest
            if self.problem.domain == "ball":
                slope = 2 * x / (self.problem.radius**2 - x @ x)
            else:
                slope = 1 / (1 - np.sum(x)) - 1 / x
            slope = slope + self.eta * (linear + self.mu * (t * x - centres))
            x = x - np.linalg.solve(self.hessian(x) + self.eta * self.mu * t * np.eye(len(x)), slope)
        self.x = x
        return value


class Quarters:
    """Agarwal, Foster, Hsu, Kakade and Rakhlin (2011), Algorithm 1, with its confidence intervals as numbers."""

    def __init__(self, low: float, high: float, width: float, variance: float, tail: float, failure: float) -> None:
        self.l, self.r, self.width, self.variance, self.tail, self.log = low, high, width, variance, tail, failure
        self.epochs = [(low, high)]
        self.cases: list[int] = []
        self.round = self.rounds()
        self.point = next(self.round)

    def samples(self, gamma: float) -> int:
        """The least n for which sqrt(2 v log / n) + b log / n <= gamma."""
        low, high = 0, 1
        while math.sqrt(2 * self.variance * self.log / high) + self.tail * self.log / high > gamma:
            low, high = high, 2 * high
        while high - low > 1:
            n = (low + high) // 2
            wide = math.sqrt(2 * self.variance * self.log / n) + self.tail * self.log / n > gamma
            low, high = (n, high) if wide else (low, n)
        return high

    def rounds(self) -> Generator[Any, float, None]:
        """All points to ask for, one after the other; each is sent its message."""
        while True:  # an epoch
            x_l, x_c, x_r = (self.l + (self.r - self.l) * share for share in (1 / 4, 1 / 2, 3 / 4))
            i = 1
            while True:
                gamma = self.width * 2.0**-i
                n, lb, ub = self.samples(gamma), {}, {}
                for x in (x_l, x_c, x_r):
                    total = 0.0
                    for _ in range(n):
                        total += yield x
                    lb[x], ub[x] = total / n - gamma, total / n + gamma
                if max(lb[x_l], lb[x_r]) >= min(ub[x_l], ub[x_r]) + gamma:
                    self.cases.append(1)
                elif max(lb[x_l], lb[x_r]) >= ub[x_c] + gamma:
                    self.cases.append(2)
                else:
                    self.cases.append(3)
                    i += 1
                    continue
                if lb[x_l] >= lb[x_r]:
                    self.l = x_l
                else:
                    self.r = x_r
                self.epochs.append((self.l, self.r))
                break

    def ask(self) -> Any:
        """The next point."""
        return np.array([self.point])

    def tell(self, values: Any) -> float:
        """Go on with the message."""
        self.point = self.round.send(values[0])
        return float(values[0])


class Weighted:
    """EXP3 and Tsallis-INF on noisy losses clipped to [low, high] and scaled to [0, 1]; `rule` gives the weights."""

    def __init__(self, n_arms: int, choice: Stream, low: float, high: float, rule: Any) -> None:
        self.choice, self.low, self.high, self.rule = choice, low, high, rule
        self.losses, self.t = np.zeros(n_arms), 0

    def ask(self) -> list[int]:
        """An arm by its weight."""
        self.t += 1
        self.w = self.rule(self.losses, self.t)
        self.arm = int(np.searchsorted(np.cumsum(self.w)[:-1], self.choice.random(), side="right"))
        return [self.arm]

    def tell(self, values: Any) -> float:
        """Add the loss over the arm's weight."""
        feedback = float((min(max(values[0], self.low), self.high) - self.low) / (self.high - self.low))
        self.losses[self.arm] += feedback / self.w[self.arm]
        return feedback


def exp3(losses: Any, t: int) -> Any:
    """Bubeck and Cesa-Bianchi (2012), Figure 3.1."""
    k = len(losses)
    w = np.exp(-math.sqrt(math.log(k) / (k * t)) * (losses - np.min(losses)))
    return w / np.sum(w)


def tsallis(losses: Any, t: int, eta: float | None = None) -> Any:
    """The minimiser of <L, w> - (4/eta) sum of sqrt(w_i) over distributions, by a root of the normalisation."""
    eta = 2 / math.sqrt(t) if eta is None else eta
    low = np.min(losses)
    x = brentq(
        lambda x: np.sum(4 / (eta * (losses - low + x)) ** 2) - 1,
        2 / eta * (1 - 1e-12),
        2 * math.sqrt(len(losses)) / eta * (1 + 1e-12),
        xtol=1e-300,
        rtol=1e-15,
    )
    w = 4 / (eta * (losses - low + x)) ** 2
    return w / np.sum(w)

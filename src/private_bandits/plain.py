"""The plain-Python pieces that the algorithms' references share: they draw only through the generators they are given.

A reference reads three streams in the order of its paper's box: environment (a uniform number for each observed
reward), choice (ties and random play), noise. Running means are kept as sums, so that equal data give equal means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Problem = Any  # a problem: means, n_items, list_size and the like
Streams = Any  # three generators: env, choice, noise
Rows = list[list[int]]  # what `simulate.trace` returns: each round's list, then the number of observed positions
Generator = Any  # what a stream is asked for: random(), laplace(loc, scale), normal(loc, scale), standard_normal(shape)


def largest(values: Sequence[float], size: int, choice: Generator, ordered: bool = True) -> list[int]:
    """Return the places of the `size` largest values; equal ones in uniformly random order where that matters."""
    chosen: list[int] = []
    while len(chosen) < size:
        best = max(v for e, v in enumerate(values) if e not in chosen)
        group = [e for e, v in enumerate(values) if v == best]
        slots = min(len(group), size - len(chosen))
        if len(group) > 1 and (ordered or len(group) > slots):
            for i in range(slots):
                if len(group) - i > 1:
                    j = i + int(choice.random() * (len(group) - i))
                    group[i], group[j] = group[j], group[i]
        chosen += group[:slots]
    return chosen


def click(means: Any, shown: Sequence[int], env: Generator) -> float:
    """Return the position, from 1, of the first item that attracts, or infinity."""
    for k, e in enumerate(shown, start=1):
        if env.random() < means[e]:
            return k
    return math.inf


def least_reported_first(shown: list[int], reports: Sequence[int]) -> list[int]:
    """Swap the least reported item of a list, the first of them if several, to the front."""
    position = min(range(len(shown)), key=lambda k: (reports[shown[k]], k))
    shown[0], shown[position] = shown[position], shown[0]
    return shown


def respond(truth: int, n_values: int, lie: float, noise: Generator) -> int:
    """Randomised response from one uniform number: the truth, or any value with probability `lie` each."""
    u = noise.random()
    return truth if u >= n_values * lie else int(u / lie)


def pareto(env: Generator, mean: float, shape: float) -> float:
    """Draw from P(X > x) = (s / x)^shape with s = mean (shape - 1) / shape, from one uniform number."""
    return float(mean * (shape - 1) / shape * (1 - env.random()) ** (-1 / shape))


def laplace_sum_bound(scales: Sequence[float], log_tail: float) -> float:
    """Chan, Shi and Song (2011), Corollary 2.9: a sum of Laplace variables exceeds it with probability e^-log_tail."""
    spread = max(math.sqrt(sum(b * b for b in scales)), max(scales, default=0.0) * math.sqrt(log_tail))
    return math.sqrt(8 * log_tail) * spread


class Binary:
    """Chan, Shi and Song (2011), Algorithm 2: a tree of `levels` partial sums with noise of scale levels/epsilon each.

    `record` keeps every noisy sum that was formed as (exact value, Laplace scale). With a Fraction for epsilon the
    scales are exact; with None for the generator nothing is drawn.
    """

    def __init__(self, epsilon: Any, levels: int, rng: Generator | None) -> None:
        self.scale = levels / epsilon
        self.rng = rng
        self.t = 0
        self.alpha: list[Any] = [0] * levels
        self.noisy: list[Any] = [0] * levels
        self.record: list[tuple[Any, Any]] = []
        self.scales: list[Any] = []

    def add(self, x: Any) -> Any:
        """Insert x and return the noisy sum of all so far."""
        self.t += 1
        bits = [j for j in range(len(self.alpha)) if self.t >> j & 1]
        i = bits[0]
        self.alpha[i] = sum(self.alpha[:i]) + x
        for j in range(i):
            self.alpha[j] = self.noisy[j] = 0
        self.noisy[i] = self.alpha[i] + laplace(self.rng, self.scale)
        self.record.append((self.alpha[i], self.scale))
        self.scales = [self.scale for _ in bits]
        return sum(self.noisy[j] for j in bits)


class Logarithmic:
    """Chan, Shi and Song (2011), Algorithm 3: one noise at each power of two, all of which stay in the sum."""

    def __init__(self, epsilon: Any, rng: Generator | None) -> None:
        self.scale = 1 / epsilon
        self.rng = rng
        self.t = 0
        self.beta: Any = 0
        self.since: Any = 0
        self.record: list[tuple[Any, Any]] = []

    def add(self, x: Any) -> Any:
        """Insert x; return the noisy sum at a power of two and None between."""
        self.t += 1
        self.beta += x
        self.since += x
        if self.t & (self.t - 1):
            return None
        self.beta += laplace(self.rng, self.scale)
        self.record.append((self.since, self.scale))
        self.since = 0
        return self.beta


class Hybrid:
    """Chan, Shi and Song (2011), Algorithm 4: half of epsilon for Algorithm 3, half for Algorithm 2."""

    def __init__(self, epsilon: Any, rng: Generator | None) -> None:
        self.epsilon = epsilon
        self.rng = rng
        self.logarithmic = Logarithmic(epsilon / 2, rng)
        self.record: list[tuple[Any, Any]] = []
        self.scales: list[Any] = []
        self.base: Any = 0

    def add(self, x: Any) -> Any:
        """Insert x and return the noisy sum of all so far."""
        release = self.logarithmic.add(x)
        level = int(math.log2(self.logarithmic.t))
        self.scales = [self.logarithmic.scale] * (level + 1)
        if release is not None:
            self.record.append(self.logarithmic.record[-1])
            self.base = release
            self.binary = Binary(self.epsilon / 2, level, self.rng)
            return release
        release = self.base + self.binary.add(x)
        self.record.append(self.binary.record[-1])
        self.scales += self.binary.scales
        return release


def laplace(rng: Generator | None, scale: Any) -> Any:
    """Draw Laplace noise; a scale of 0, or no generator, draws nothing."""
    return 0 if rng is None or scale == 0 else rng.laplace(0.0, float(scale))

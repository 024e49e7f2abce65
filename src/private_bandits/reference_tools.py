"""The plain-Python pieces that the algorithms' references share: they draw only through the generators they are given.

A reference reads three streams in the order of its paper's algorithm: environment (a uniform number for each observed
reward), choice (ties and random play), noise. Running means are kept as sums, so that equal data give equal means.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

Problem = Any  # a problem: means, n_arms, list_size and the like
Streams = Any  # three generators: env, choice, noise
Rows = list[list[int]]  # what `simulation.trace` returns: each round's list, then the number of observed positions
Index = Callable[[float, int, int], float]  # of an arm: from the sum of its rewards, its pulls, and the round from 1 on
Sent = Callable[[int], float]  # what the learner is told of a reward, 0 or 1
Generator = Any  # what a stream is asked for: random(), laplace(loc, scale), normal(loc, scale), standard_normal(shape)


def largest(values: Sequence[float], size: int, choice: Generator, ordered: bool = True) -> list[int]:
    """Return the places of the largest values; equal ones in uniformly random order where that matters.

    Parameters
    ----------
    values : sequence of float
        The values.
    size : int
        How many places, <= len(values).
    choice : Generator
        Draws only where a tie matters.
    ordered : bool
        Whether the order of the places matters, or only which they are.

    Returns
    -------
    list of int
        From the largest value on.
    """
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


def by_index(problem: Problem, rounds: int, streams: Streams, index: Index, sent: Sent = int) -> Rows:
    """Play the arm of the largest index in every round.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    index : Index
    sent : Sent
        By default the reward.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    pulls = [0 for arm in range(problem.n_arms)]
    total = [0.0 for arm in pulls]
    rows: Rows = []
    for t in range(1, rounds + 1):
        indices = [index(s, n, t) for s, n in zip(total, pulls, strict=True)]
        arm = largest(indices, 1, streams.choice)[0]
        pulls[arm] += 1
        total[arm] += sent(1 if streams.env.random() < problem.means[arm] else 0)
        rows.append([arm, 1])
    return rows


def click(means: Any, recommended: Sequence[int], env: Generator) -> float:
    """Return the position of the first item that attracts.

    Parameters
    ----------
    means : sequence of float
        Probability that each item attracts.
    recommended : sequence of int
        The list.
    env : Generator
        A uniform number for each item down to the click.

    Returns
    -------
    int or infinity
        Counted from 1; infinity without a click.
    """
    for k, e in enumerate(recommended, start=1):
        if env.random() < means[e]:
            return k
    return math.inf


def least_reported_first(recommended: list[int], reports: Sequence[int]) -> list[int]:
    """Swap the least reported item of a list, the first of them if several, to the front.

    Parameters
    ----------
    recommended : list of int
        The list, changed in place.
    reports : sequence of int
        Reports of each item.

    Returns
    -------
    list of int
        The list.
    """
    position = min(range(len(recommended)), key=lambda k: (reports[recommended[k]], k))
    recommended[0], recommended[position] = recommended[position], recommended[0]
    return recommended


def respond(truth: int, n_values: int, lie: float, noise: Generator) -> int:
    """Randomised response from one uniform number: the truth, or any value with probability `lie` each.

    Parameters
    ----------
    truth : int
        In 0, ..., n_values - 1.
    n_values : int
        >= 2.
    lie : float
        In [0, 1/n_values].
    noise : Generator
        One uniform number.

    Returns
    -------
    int
    """
    u = noise.random()
    return truth if u >= n_values * lie else int(u / lie)


def pareto(env: Generator, mean: float, shape: float) -> float:
    """Draw from P(X > x) = (s / x)^shape with s = mean (shape - 1) / shape, from one uniform number.

    Parameters
    ----------
    env : Generator
        One uniform number.
    mean : float
        > 0.
    shape : float
        > 1.

    Returns
    -------
    float
        At least s.
    """
    return float(mean * (shape - 1) / shape * (1 - env.random()) ** (-1 / shape))


class Binary:
    """Chan, Shi and Song (2011), Algorithm 2: a tree of partial sums with noise of scale levels/epsilon each.

    `record` keeps every noisy sum that was formed as (exact value, Laplace scale).

    Parameters
    ----------
    epsilon : float or Fraction
        > 0; with a Fraction the scales are exact.
    levels : int
        Enough for 2^levels - 1 numbers.
    rng : Generator or None
        None draws nothing.
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
        """Insert a number.

        Parameters
        ----------
        x : float
            The number.

        Returns
        -------
        float
            The noisy sum of all so far.
        """
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


class Hybrid:
    """Chan, Shi and Song (2011), Algorithm 4: half of epsilon for Algorithm 3, half for Algorithm 2.

    Algorithm 3 draws one noise at each power of two, and all of them stay in the sum; `record` as for `Binary`.

    Parameters
    ----------
    epsilon : float or Fraction
        > 0.
    rng : Generator or None
        None draws nothing.
    """

    def __init__(self, epsilon: Any, rng: Generator | None) -> None:
        self.half = epsilon / 2
        self.rng = rng
        self.t = 0
        self.beta: Any = 0  # the sum with the noise of Algorithm 3
        self.since: Any = 0  # the last power of two
        self.record: list[tuple[Any, Any]] = []
        self.scales: list[Any] = []

    def add(self, x: Any) -> Any:
        """Insert a number.

        Parameters
        ----------
        x : float
            The number.

        Returns
        -------
        float
            The noisy sum of all so far.
        """
        self.t += 1
        self.beta += x
        self.since += x
        level = self.t.bit_length() - 1
        self.scales = [1 / self.half] * (level + 1)
        if self.t == 1 << level:
            self.beta += laplace(self.rng, 1 / self.half)
            self.record.append((self.since, 1 / self.half))
            self.since, self.base = 0, self.beta
            self.binary = Binary(self.half, level, self.rng)
            return self.beta
        release = self.base + self.binary.add(x)
        self.record.append(self.binary.record[-1])
        self.scales += self.binary.scales
        return release


def laplace(rng: Generator | None, scale: Any) -> Any:
    """Draw Laplace noise; a scale of 0, or no generator, draws nothing.

    Parameters
    ----------
    rng : Generator or None
        Where the noise comes from.
    scale : float
        >= 0.

    Returns
    -------
    float
    """
    return 0 if rng is None or scale == 0 else rng.laplace(0.0, float(scale))

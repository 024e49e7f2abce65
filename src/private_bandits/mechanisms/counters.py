"""Continual counters: private running sums by the binary and hybrid mechanisms of Chan, Shi and Song (2011).

A counter releases its running sum after each item. The sum is a sum of dyadic nodes, each with its own
Laplace noise. Only sums of noise are ever released, so the compiled functions keep one number per set bit of
the item number n: position d of a row holds the noise of the d highest nodes in use. Item n opens one node,
which replaces the trailing ones of n - 1, so its place is d = popcount(n) and its sum is row[d - 1] plus one
fresh draw.
"""

from __future__ import annotations

import math

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.mechanisms.calibration import laplace_scale
from private_bandits.mechanisms.concentration import chernoff_exponent, chernoff_rate
from private_bandits.mechanisms.noise import generator, laplace

COUNTER_ROW = 64
"""Length of the float64 row, zero at the start, that one counter keeps."""


@compiled
def _popcount(n):
    """The number of bits set, for which processors have an instruction; the compiler knows it by this loop."""
    found = 0
    while n != 0:
        n &= n - 1
        found += 1
    return found


@compiled(inline="always")
def tree_noise(rng: np.random.Generator, n: int, node_scale: float, row: np.ndarray) -> float:
    """Noise of the binary mechanism's release after item n.

    Compiled; one Laplace draw, none at scale 0. Binary mechanism of Chan, Shi and Song (2011), Algorithm 2.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the noise.
    n : int
        Number of the item, >= 1; a row's items come in the order 1, 2, 3, ...
    node_scale : float
        Laplace scale of a node: levels * sensitivity / epsilon, with levels = horizon.bit_length().
    row : numpy.ndarray of float64, shape (COUNTER_ROW,)
        State, zeros before item 1; changed in place.

    Returns
    -------
    float
        The sum of the noise of popcount(n) nodes.

    Examples
    --------
    >>> row, rng = np.zeros(COUNTER_ROW), np.random.default_rng(0)
    >>> [round(tree_noise(rng, n, 1.0, row), 3) for n in (1, 2, 3)]
    [0.32, -0.617, -3.119]
    """
    if node_scale == 0.0:
        return 0.0
    place = _popcount(n)
    noise: float = row[place - 1] + laplace(rng, node_scale)
    row[place] = noise
    return noise


@compiled(inline="always")
def tree_noise_at(rng, n, last, node_scale, row):
    """Noise of the binary mechanism's release after item n, the release before it having come after item `last`.

    The nodes that both sums share keep their noise; each node that is new in the sum is drawn, the largest first. A
    node that was skipped is never released, so the releases have the joint law of those of `tree_noise` at
    the same items; at n = last + 1 they are its very draws. The draws are at most one per item.

    Parameters
    ----------
    rng : numpy.random.Generator
    n, last : int
        Items, 0 <= last < n; last = 0 before the first release.
    node_scale : float
        Laplace scale of a node; nothing is drawn at 0.
    row : float64 array, shape (COUNTER_ROW,)
        State, zeros before the first release: position d holds the noise of the d largest nodes in use.

    Returns
    -------
    float
        The sum of the noise of popcount(n) nodes.

    Examples
    --------
    >>> row, rng = np.zeros(COUNTER_ROW), np.random.default_rng(0)
    >>> [round(tree_noise_at(rng, n, last, 1.0, row), 3) for last, n in ((0, 2), (2, 3))]
    [0.32, -0.297]
    """
    if node_scale == 0.0:
        return 0.0
    bit = 0
    while (n ^ last) >> (bit + 1):
        bit += 1
    place = _popcount(n >> (bit + 1))  # of the largest nodes, which both sums have
    while bit >= 0:
        if (n >> bit) & 1:
            row[place + 1] = row[place] + laplace(rng, node_scale)
            place += 1
        bit -= 1
    return row[place]


@compiled(inline="always")
def hybrid_noise(rng: np.random.Generator, n: int, scale: float, row: np.ndarray) -> float:
    """Noise of the hybrid mechanism's release after item n.

    Compiled; one Laplace draw, none at scale 0. Hybrid mechanism of Chan, Shi and Song (2011), Algorithm 4,
    with half of epsilon for the logarithmic and half for the binary mechanisms: at n = 2**k one draw of scale
    2 * scale is added to those of all smaller powers; the 2**k - 1 items that follow run a fresh binary
    mechanism of k levels, with node scale 2 * k * scale.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the noise.
    n : int
        Number of the item, >= 1; a row's items come in the order 1, 2, 3, ...
    scale : float
        sensitivity / epsilon.
    row : numpy.ndarray of float64, shape (COUNTER_ROW,)
        State, zeros before item 1; changed in place.

    Returns
    -------
    float
        The noise of the logarithmic part plus that of the open nodes.

    Examples
    --------
    >>> row, rng = np.zeros(COUNTER_ROW), np.random.default_rng(0)
    >>> [round(hybrid_noise(rng, n, 1.0, row), 3) for n in (1, 2, 3)]
    [0.64, -0.594, -5.597]
    """
    if scale == 0.0:
        return 0.0
    place = _popcount(n)
    # The highest bit of n stands for the logarithmic part, kept at place 1. Place 0 counts powers of two.
    # One call of laplace for both parts: with two, the compiler keeps them out of line, at twice the time.
    if place == 1:
        row[0] += 1.0
        above = 1
        node_scale = 2.0 * scale
    else:
        above = place - 1
        node_scale = 2.0 * (row[0] - 1.0) * scale
    noise: float = row[above] + laplace(rng, node_scale)
    row[place] = noise
    return noise


@compiled
def hybrid_noises(n: int) -> tuple[int, int, float]:
    """Which Laplace noises `hybrid_noise` holds after an item, for scale 1 (epsilon 1, sensitivity 1).

    Parameters
    ----------
    n : int
        Number of the item, >= 1.

    Returns
    -------
    few, many, large : int, int, float
        `few` noises of scale 2, of the logarithmic part, and `many` of scale `large`, of the open nodes.

    Examples
    --------
    >>> hybrid_noises(1), hybrid_noises(13)
    ((1, 0, 0.0), (4, 2, 6.0))
    """
    k = 0
    while n >> (k + 1):
        k += 1
    nodes = _popcount(n) - 1
    return k + 1, nodes, 2.0 * k if nodes > 0 else 0.0


def lemma_1_constant() -> float:
    """Constant c_1 of |noise| <= c_1 ln(n)**1.5 ln(1/gamma) / epsilon for the hybrid mechanism.

    Returns
    -------
    float
        2 sqrt(8) / ln(2)**1.5, about 9.80, for natural logarithms.

    Notes
    -----
    Wang et al. (2021), Lemma 1, quote Chan, Shi and Song (2011) without the constant. With k = floor(log2 n)
    a release carries at most k node noises of scale 2k/epsilon, so v, the root of the sum of the squared scales, is at
    most 2 k**1.5 / epsilon. Where ln(2/gamma) >= 1, the sum stays within sqrt(8) v ln(2/gamma) (their Corollary 2.9),
    at most sqrt(8) * 2 k**1.5 ln(2/gamma) / epsilon; then k <= ln(n) / ln(2). Dropped as of lower order: the
    logarithmic part's k + 1 noises of scale 2/epsilon, and the 2 in ln(2/gamma). So the printed form fails at small n
    (at n = 1 it is 0, and the noise is not): `HybridCounter.error_bound` is the form that always holds.

    Examples
    --------
    >>> round(lemma_1_constant(), 3)
    9.802
    """
    return 2 * math.sqrt(8 / math.log(2) ** 3)


class _Counter:
    """A running sum released after each item; subclasses say which noise."""

    def __init__(self, epsilon: float, sensitivity: float, rng: np.random.Generator) -> None:
        self.scale = laplace_scale(epsilon, sensitivity=sensitivity)
        self.epsilon = float(epsilon)
        self.sensitivity = float(sensitivity)
        self.n = 0
        self._rng = generator(rng)
        self._row = np.zeros(COUNTER_ROW)
        self._sum = 0.0

    def add(self, x: float) -> float:
        """Add an item and release the private running sum.

        Parameters
        ----------
        x : float
            The item, in [0, sensitivity].

        Returns
        -------
        float
            The sum of the items so far plus the noise.

        Raises
        ------
        ValueError
            If x is out of range or the stream is longer than the horizon.
        """
        x = checks.real("x", x, at_least=0, at_most=self.sensitivity)
        n = self._item(self.n + 1)
        self._sum += x
        self.n = n
        return self._sum + self._noise(n)

    def variance(self, n: int) -> float:
        """Exact variance of the release after item n.

        Raises
        ------
        ValueError
            If n is not an item of the stream.
        """
        few, small, many, large = self._noises(self._item(n))
        return 2 * self.scale**2 * (few * small**2 + many * large**2)

    def error_bound(self, n: int, *, beta: float) -> float:
        """Bound on the error of the release after item n that holds with probability >= 1 - beta.

        Parameters
        ----------
        n : int
            Number of the item, >= 1.
        beta : float
            Probability of failure, in (0, 1).

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        Chernoff's, at its best rate, with the noises that are in the release: `tails.chernoff_rate`.
        """
        log_tail, noises = math.log(2 / checks.delta(beta, "beta")), self._noises(self._item(n))
        rate = chernoff_rate(log_tail, 0, *noises)
        return self.scale * (log_tail + chernoff_exponent(rate, 0, *noises)) / rate

    def _item(self, n: int) -> int:
        return checks.integer("n", n, at_least=1)

    def _noise(self, n: int) -> float:
        raise NotImplementedError

    def _noises(self, n: int) -> tuple[int, float, int, float]:
        """How many noises of which scale, twice, are in a release, in units of `scale`."""
        raise NotImplementedError


class TreeCounter(_Counter):
    """Binary mechanism: an epsilon-private running sum for a known horizon.

    Parameters
    ----------
    epsilon : float
        Privacy parameter of the whole stream of releases, > 0; infinity means no noise.
    horizon : int
        Largest number of items, >= 1.
    sensitivity : float
        Items lie in [0, sensitivity]; neighbouring streams differ in one item.
    rng : numpy.random.Generator
        Source of the noise; one draw per item.

    Attributes
    ----------
    levels : int
        horizon.bit_length(), the largest number of nodes that hold one item.
    n : int
        Items so far.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Chan, Shi and Song (2011), Algorithm 2, with Laplace(levels * sensitivity / epsilon) in each node. An item
    lies in at most floor(log2 horizon) + 1 nodes, so we use that count; the paper writes log2 horizon.

    Examples
    --------
    >>> counter = TreeCounter(math.inf, horizon=3, rng=np.random.default_rng(0))
    >>> [counter.add(x) for x in (1.0, 0.0, 0.5)], round(counter.error_bound(3, beta=0.05), 9)
    ([1.0, 1.0, 1.5], 0.0)
    """

    def __init__(self, epsilon: float, *, horizon: int, rng: np.random.Generator, sensitivity: float = 1.0) -> None:
        super().__init__(epsilon, sensitivity, rng)
        self.horizon = checks.integer("horizon", horizon, at_least=1)
        self.levels = self.horizon.bit_length()
        self.node_scale = self.levels * self.scale

    def _item(self, n: int) -> int:
        return checks.integer("n", n, at_least=1, at_most=self.horizon)

    def _noise(self, n: int) -> float:
        return tree_noise(self._rng, n, self.node_scale, self._row)

    def _noises(self, n: int) -> tuple[int, float, int, float]:
        return n.bit_count(), self.levels, 0, 0.0


class HybridCounter(_Counter):
    """Hybrid mechanism: an epsilon-private running sum without a known horizon.

    Parameters
    ----------
    epsilon : float
        Privacy parameter of the whole stream of releases, > 0; infinity means no noise.
    sensitivity : float
        Items lie in [0, sensitivity]; neighbouring streams differ in one item.
    rng : numpy.random.Generator
        Source of the noise; one draw per item.

    Attributes
    ----------
    n : int
        Items so far.

    Notes
    -----
    Chan, Shi and Song (2011), Algorithm 4. Each item meets one noise of the logarithmic mechanism (scale
    2 sensitivity / epsilon), or that and at most k nodes (scale 2 k sensitivity / epsilon) of its block.

    Examples
    --------
    >>> counter = HybridCounter(1.0, rng=np.random.default_rng(0))
    >>> [round(counter.add(x), 3) for x in (1.0, 0.0, 0.5)], round(counter.error_bound(3, beta=0.05), 3)
    ([1.64, 0.406, -4.097], 16.311)
    """

    def __init__(self, epsilon: float, *, rng: np.random.Generator, sensitivity: float = 1.0) -> None:
        super().__init__(epsilon, sensitivity, rng)

    def _noise(self, n: int) -> float:
        return hybrid_noise(self._rng, n, self.scale, self._row)

    def _noises(self, n: int) -> tuple[int, float, int, float]:
        few, many, large = hybrid_noises(n)
        return few, 2.0, many, large

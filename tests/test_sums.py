"""Sums in constant time: against brute force and exact moments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit
from scipy import integrate, stats

from private_bandits.kernels.parts import sums

MEAN = 0.5
# v and the shape 1.05 + v
CASES = [(0.3, 1.35), (0.5, 1.55), (0.9, 1.95)]
# n, brute-force sums, sampled sums: all drawn one by one, just above `DIRECT`, and far above
SIZES = [(10**3, 4000, 4000), (10**4, 4000, 8000), (10**5, 800, 8000)]


def threshold_of(n, v):
    """The B of an epoch of n pulls at u = epsilon = 1 and a logarithm of 17."""
    return (n / 17.0) ** (1.0 / (1.0 + v))


@njit
def brute_force(rng, n, draws, mean, shape, threshold):
    """Sums of n rewards, each from an exponential variable: not the sampler's own way to draw one."""
    scale = mean * (shape - 1.0) / shape
    found = np.zeros(draws)
    for draw in range(draws):
        for _ in range(n):
            reward = scale * math.exp(rng.standard_exponential() / shape)
            if reward <= threshold:
                found[draw] += reward
    return found


@njit
def sampled(rng, n, draws, mean, shape, threshold):
    return np.array([sums.truncated_pareto_sum(rng, n, mean, shape, threshold) for _ in range(draws)])


def moments(n, shape, threshold):
    """Mean and variance of the sum by quadrature of the density."""
    scale = MEAN * (shape - 1) / shape
    first, second = (
        integrate.quad(lambda y, k=k: shape * math.exp((k - shape) * y), 0.0, math.log(threshold / scale))[0] * scale**k
        for k in (1, 2)
    )
    return n * first, n * (second - first**2)


@pytest.mark.parametrize(("n", "slow", "fast"), SIZES)
@pytest.mark.parametrize(("v", "shape"), CASES)
def test_the_sum_is_distributed_as_brute_force(v, shape, n, slow, fast):
    threshold = threshold_of(n, v)
    reference = brute_force(np.random.default_rng(1), n, slow, MEAN, shape, threshold)
    found = sampled(np.random.default_rng(2), n, fast, MEAN, shape, threshold)
    assert stats.ks_2samp(reference, found).pvalue > 1e-3
    # tails: beyond each quantile of the fast sample lies its share of the slow one
    for share in (0.5, 0.2, 0.1, 0.05):
        for beyond in (reference > np.quantile(found, 1 - share), reference < np.quantile(found, share)):
            assert abs(beyond.sum() - slow * share) < 4.0 * math.sqrt(slow * share * (1 + slow / fast))


@pytest.mark.parametrize("n", [10**4, 10**6, 10**15])
@pytest.mark.parametrize(("v", "shape"), CASES)
def test_mean_and_variance_are_exact(v, shape, n):
    draws = 8000
    mean, variance = moments(n, shape, threshold_of(n, v))
    found = sampled(np.random.default_rng(3), n, draws, MEAN, shape, threshold_of(n, v))
    assert abs(found.mean() - mean) < 4.0 * math.sqrt(variance / draws)
    # the fourth moment of the sample gives the error of its variance
    spread = math.sqrt(np.var((found - mean) ** 2) / draws)
    assert abs(found.var() - variance) < 4.0 * spread
    assert spread < 0.05 * variance


def test_short_sums_are_drawn_one_by_one():
    for n in (0, 1, 7, sums.DIRECT):
        one, other = np.random.default_rng(6), np.random.default_rng(6)
        total = 0.0
        for _ in range(n):
            reward = 0.5 * 0.5 / 1.5 * (1.0 - other.random()) ** (-1.0 / 1.5)
            total += reward if reward <= 3.0 else 0.0
        assert sums.truncated_pareto_sum(one, n, 0.5, 1.5, 3.0) == pytest.approx(total, rel=1e-12)
        assert one.random() == other.random()


@pytest.mark.parametrize("threshold", [0.2, 0.6, 5.0])
def test_a_low_threshold_leaves_only_a_body(threshold):
    """Where most rewards are truncated, their number is drawn and none of them."""
    n, shape = 10**6, 1.5
    mean, variance = moments(n, shape, threshold)
    found = sampled(np.random.default_rng(8), n, 20_000, MEAN, shape, threshold)
    assert stats.kstest((found - mean) / math.sqrt(variance), "norm").pvalue > 1e-3


@pytest.mark.parametrize("shape", [1.05, 1.5, 2.0, 2.0 + 1e-9, 3.0])
@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0, 3.0])
def test_truncated_moments_by_quadrature(shape, power):
    scale = MEAN * (shape - 1) / shape
    for threshold in (1.01 * scale, 2.0, 1e4):
        value, _ = integrate.quad(
            lambda y: shape * math.exp((power - shape) * y), 0.0, math.log(threshold / scale), epsabs=0.0
        )
        assert sums.truncated_moment(MEAN, shape, threshold, power) == pytest.approx(value * scale**power, rel=1e-9)
    assert sums.truncated_moment(MEAN, shape, math.inf, 1.0) == pytest.approx(MEAN)
    assert sums.truncated_moment(MEAN, shape, 0.9 * scale, power) == 0.0
    if power >= shape:
        assert sums.truncated_moment(MEAN, shape, math.inf, power) == math.inf


@pytest.mark.parametrize("n", [50, sums.DIRECT, sums.DIRECT + 1, 10**7, 10**15])
def test_laplace_sums(n):
    scale, draws = 3.0, 1000 if n <= sums.DIRECT else 20_000
    rng = np.random.default_rng(9)
    found = np.array([sums.laplace_sum(rng, n, scale) for _ in range(draws)]) / (scale * math.sqrt(2.0 * n))
    assert abs(found.mean()) < 4.0 / math.sqrt(draws)
    assert abs(found.var() - 1.0) < 5.0 * math.sqrt(2.0 / draws)
    if n > sums.DIRECT:
        assert stats.kstest(found, "norm").pvalue > 1e-3


def test_short_laplace_sums_are_the_draws():
    one, other = np.random.default_rng(10), np.random.default_rng(10)
    expected = sum(other.laplace(0.0, 2.0) for _ in range(30))
    assert sums.laplace_sum(one, 30, 2.0) == pytest.approx(expected, rel=1e-12)

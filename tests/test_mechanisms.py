"""Mechanisms: calibration against dp-accounting, samplers against NumPy, counters against the boxes."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from chernoff import chernoff
from dp_accounting import get_epsilon_gaussian, get_sigma_gaussian
from numba import njit

from private_bandits import checks
from private_bandits.mechanisms import (
    HybridCounter,
    TreeCounter,
    gaussian_epsilon,
    gaussian_sigma,
    laplace_scale,
    randomized_response,
    response_probabilities,
)
from private_bandits.mechanisms._raw import (
    COUNTER_ROW,
    gaussian,
    hybrid_noise,
    laplace,
    respond,
    tree_noise,
)
from private_bandits.reference_tools import Binary, Hybrid

LAST = 2**12


@njit
def sample(rng, scale, size, normal):
    draws = np.empty(size)
    for i in range(size):
        draws[i] = gaussian(rng, scale) if normal else laplace(rng, scale)
    return draws


# Calibration


def test_laplace_scale():
    assert laplace_scale(0.5, sensitivity=4) == 8.0
    assert laplace_scale(math.inf, sensitivity=4) == 0.0


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [
        (1, 1e-5, 3.730632),
        (10, 1e-3, 0.406060),
        # by findroot on Balle and Wang's Theorem 8, to 130 digits
        (1e-12, 1e-50, 12567213709096.957),
        (0.01, 1e-300, 3672.7201034055684),
    ],
)
def test_analytic_sigma_is_the_published_number(epsilon, delta, sigma):
    with checks.formula():
        assert gaussian_sigma(epsilon, delta=delta, sensitivity=1.0) == pytest.approx(sigma, abs=5e-7, rel=1e-10)


def test_classical_sigma_is_the_printed_formula():
    sigma = gaussian_sigma(0.5, delta=1e-3, sensitivity=2.0, calibration="classical")
    assert sigma == pytest.approx(4 * math.sqrt(2 * math.log(1250)))
    # a hundredth of it, as in the cascading experiments
    assert gaussian_epsilon(0.01 * 2.5 * sigma, delta=1e-3, sensitivity=math.sqrt(2)) == pytest.approx(
        17.8592, rel=1e-5
    )


@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.9])
def test_gaussian_agrees_with_dp_accounting(delta):
    for epsilon in np.logspace(-6, 11, 9):
        sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=1.0)
        with np.errstate(all="ignore"):
            assert sigma == pytest.approx(get_sigma_gaussian(epsilon, delta, tol=1e-10 * sigma), rel=1e-7)
            assert gaussian_epsilon(sigma, delta=delta, sensitivity=1.0) == pytest.approx(
                get_epsilon_gaussian(sigma, delta, tol=1e-10 * epsilon), rel=1e-7
            )
        assert gaussian_epsilon(3 * sigma, delta=delta, sensitivity=3.0) == pytest.approx(epsilon, rel=1e-7)


def test_gaussian_limits():
    one = {"delta": 1e-3, "sensitivity": 1.0}
    for method in ("analytic", "classical"):
        assert gaussian_sigma(math.inf, **one, calibration=method) == 0.0
    assert gaussian_epsilon(0.0, **one) == gaussian_epsilon(1e-320, **one) == math.inf
    # Total variation of two unit Gaussians at distance mu is erf(mu / sqrt(8)): 0.0398776 at mu = 0.1.
    assert gaussian_epsilon(10.0, delta=0.03988, sensitivity=1.0) == 0.0
    assert 0.0 < gaussian_epsilon(10.0, delta=0.03987, sensitivity=1.0) < 1e-3


# Samplers


@pytest.mark.parametrize("normal", [False, True])
def test_samplers_follow_numpys_stream(normal):
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    draws = sample(ours, 1.7, 10_000, normal)
    expected = (theirs.normal if normal else theirs.laplace)(0.0, 1.7, 10_000)
    np.testing.assert_allclose(draws, expected, rtol=1e-12)
    assert ours.bit_generator.state == theirs.bit_generator.state


def test_zero_scales_draw_nothing():
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    row = np.zeros(COUNTER_ROW)
    assert laplace(rng, 0.0) == gaussian(rng, 0.0) == 0.0
    assert hybrid_noise(rng, 1, 0.0, row) == tree_noise(rng, 1, 0.0, row) == 0.0
    assert respond(rng, 3, 5, 0.0) == 3
    assert rng.bit_generator.state == before


# Randomised response


@pytest.mark.parametrize(("epsilon", "n_values"), [(1e-3, 2), (1.0, 5), (300.0, 17)])
def test_response_probabilities_pay_exactly_epsilon(epsilon, n_values):
    keep, other = response_probabilities(epsilon, n_values=n_values)
    assert keep + (n_values - 1) * other == pytest.approx(1.0, abs=1e-15)
    assert math.log(keep) - math.log(other) == pytest.approx(epsilon, abs=1e-10)
    assert response_probabilities(math.inf, n_values=n_values) == (1.0, 0.0)


class Grid:
    """Stands in for a generator: returns one given uniform."""

    def __init__(self, u):
        self.u = u

    def random(self):
        return self.u


def test_respond_by_enumeration(epsilon=1.0):
    """The share of uniforms that lead to each answer is the answer's probability."""
    n_values, cells = 5, 20_000
    keep, other = response_probabilities(epsilon, n_values=n_values)
    for value in range(n_values):
        answers = [respond.py_func(Grid((i + 0.5) / cells), value, n_values, other) for i in range(cells)]
        expected = np.full(n_values, other)
        expected[value] = keep
        share = np.bincount(answers, minlength=n_values) / cells
        np.testing.assert_allclose(share, expected, atol=3 / cells)
        assert respond.py_func(Grid(0.0), value, n_values, other) == 0
        edge = math.nextafter(n_values * other, 0.0)
        assert respond.py_func(Grid(edge), value, n_values, other) == n_values - 1


def test_randomized_response_answers_arrays_as_one_by_one():
    rng, same = np.random.default_rng(7), np.random.default_rng(7)
    answers = randomized_response([[0, 1], [2, 2]], epsilon=0.5, n_values=3, rng=rng)
    assert answers.shape == (2, 2) and answers.dtype == np.int64
    one_by_one = [randomized_response(v, epsilon=0.5, n_values=3, rng=same) for v in (0, 1, 2, 2)]
    assert answers.ravel().tolist() == one_by_one
    assert randomized_response([0, 1, 2], epsilon=math.inf, n_values=3, rng=rng).tolist() == [0, 1, 2]
    assert rng.bit_generator.state == same.bit_generator.state


# Counters


@pytest.mark.parametrize("horizon", [1, 2, 7, 8, 65])
def test_tree_counter_is_the_box(horizon):
    epsilon, sensitivity = 0.7, 2.0
    items = np.random.default_rng(1).uniform(0, sensitivity, horizon)
    counter = TreeCounter(epsilon, horizon=horizon, rng=np.random.default_rng(2), sensitivity=sensitivity)
    box = Binary(epsilon / sensitivity, math.floor(math.log2(horizon)) + 1, np.random.default_rng(2))
    for n, x in enumerate(items, start=1):
        assert counter.add(x) == pytest.approx(box.add(x), abs=1e-9)
        assert counter.variance(n) == pytest.approx(sum(2 * b**2 for b in box.scales), rel=1e-12)
        assert counter.error_bound(n, beta=0.05) == pytest.approx(chernoff(math.log(2 / 0.05), 0, box.scales), rel=1e-9)
    with pytest.raises(ValueError, match=f"^n must be >= 1 and <= {horizon}, got {horizon + 1}$"):
        counter.add(0.0)


def test_hybrid_counter_is_the_box_at_every_item():
    epsilon, sensitivity = 0.7, 2.0
    items = np.random.default_rng(1).uniform(0, sensitivity, LAST)
    counter = HybridCounter(epsilon, rng=np.random.default_rng(2), sensitivity=sensitivity)
    box = Hybrid(epsilon / sensitivity, np.random.default_rng(2))
    for n, x in enumerate(items, start=1):
        assert counter.add(x) == pytest.approx(box.add(x), abs=1e-9)
        assert counter.variance(n) == pytest.approx(sum(2 * b**2 for b in box.scales), rel=1e-12)
        if n < 66 or n.bit_count() > 11:
            assert counter.error_bound(n, beta=0.05) == pytest.approx(
                chernoff(math.log(2 / 0.05), 0, box.scales), rel=1e-9
            )


@pytest.mark.parametrize("horizon", [1, 4, 7, 8])
@pytest.mark.parametrize("name", ["tree", "hybrid"])
def test_brute_force_loss_of_neighbouring_streams(name, horizon):
    """Sum over all noisy nodes of |difference| / scale: at most epsilon, and just epsilon at some 2**k."""
    epsilon = Fraction(1)

    def nodes(stream):
        box = Hybrid(epsilon, None) if name == "hybrid" else Binary(epsilon, horizon.bit_length(), None)
        for x in stream:
            box.add(x)
        return box.record

    records = {stream: nodes(stream) for stream in itertools.product((0, 1), repeat=horizon)}
    largest = max(
        sum(abs(a - b) / scale for (a, scale), (b, _) in zip(records[s], records[flip(s, i)], strict=True))
        for s in records
        for i in range(horizon)
    )
    assert largest <= epsilon
    if horizon in (1, 2, 4, 8) and (name == "tree" or horizon >= 4):
        assert largest == epsilon


def flip(stream, i):
    return (*stream[:i], 1 - stream[i], *stream[i + 1 :])

"""Algorithms 1 and 2: calibration, accounting, the messages, and bounds by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import laplace, norm

from private_bandits.mechanisms import gaussian_epsilon
from private_bandits.papers.contextual import bounds, shared_convex, tunings
from private_bandits.papers.contextual.accounting import noise_reach
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import two_point
from private_bandits.problems import ConvexLoss
from private_bandits.simulation import trace
from private_bandits_book.chapters.convex import lemmas

ANCHORS = [[0.5, -0.2], [-0.7, 0.6], [0.2, 0.9]]
TABLE = [[0.2, 0.5, 0.8, 0.9], [0.4, 0.3, 0.5, 0.1]]
FIT = {"sphere": "distance", "sphere_strong": "kinked", "saha_tewari": "smooth", "hazan_levy": "quadratic"}
close = pytest.approx


def ball(kind, **options):
    return ConvexLoss.ball(ANCHORS, kind=kind, **options)


# --- calibration and accounting


@pytest.mark.parametrize("learner", FIT)
def test_the_printed_noise_of_algorithm_1(learner):
    problem = ball(FIT[learner])
    policy = one_point(0.8, problem=problem, delta=1e-4, horizon=100, learner=learner)
    assert policy.record.scale == close(2 * problem.bound * math.sqrt(2 * math.log(1.25e4)) / 0.8)
    assert policy.record.limit == problem.bound
    assert one_point(0.8, problem=problem, horizon=100, learner=learner, noise="laplace").record.scale == close(
        2 * problem.bound / 0.8
    )


def test_the_printed_noise_of_algorithm_2():
    problem = ball("kinked")
    policy = two_point(0.8, problem=problem, delta=1e-4, horizon=100)
    assert policy.record.scale == close(2 * problem.lipschitz * math.sqrt(2 * math.log(1.25e4)) / 0.8)
    assert policy.record.radius == close(math.log(100) / 100)
    assert policy.record.step == close(0.1)
    pure = two_point(0.8, problem=problem, horizon=100, noise="laplace").record
    assert pure.scale == close(4 * problem.lipschitz * pure.radius / 0.8)


@pytest.mark.parametrize("learner", ["sphere", "hazan_levy"])
@pytest.mark.parametrize(("noise", "delta"), [("gaussian", 1e-3), ("laplace", 0.0)])
def test_the_noise_that_is_sent_has_the_scale_of_the_record(learner, noise, delta):
    """The message less the loss, its mean square within 5 %; hardly any message is so large that it is clipped."""
    problem = ball(FIT[learner], schedule=[1])
    policy = one_point(1.0, problem=problem, delta=delta, horizon=20_000, learner=learner, noise=noise)
    shown = trace(problem, policy, horizon=20_000, seed=4)
    noise_sent = shown[:, -1] - [shared_convex.loss(problem, 1, x) for x in shown[:, :-1]]
    variance = policy.record.scale**2 * (1 if noise == "gaussian" else 2)
    assert np.mean(noise_sent**2) == close(variance, rel=0.05)


@pytest.mark.parametrize(("noise", "delta"), [("gaussian", 1e-3), ("laplace", 0.0)])
def test_two_users_differences_are_hidden(noise, delta):
    """The noise on f(x_1) - f(x_2) against the 4 G rho that two users may be apart, where half of it would not do."""
    problem = ball("distance", schedule=[1])
    policy = two_point(1.0, problem=problem, delta=delta, horizon=20_000, noise=noise)
    shown, rho = trace(problem, policy, horizon=20_000, seed=4), policy.record.radius
    np.testing.assert_allclose(np.linalg.norm(shown[:, :2] - shown[:, 2:4], axis=1), 2 * rho, rtol=1e-6)
    exact = [shared_convex.loss(problem, 1, x[:2]) - shared_convex.loss(problem, 1, x[2:4]) for x in shown]
    size = math.sqrt(np.mean((shown[:, -1] - exact) ** 2))
    apart = 4 * problem.lipschitz * rho
    if noise == "laplace":
        assert apart / (size / math.sqrt(2)) == close(1.0, rel=0.05)
    else:
        assert gaussian_epsilon(size, delta=1e-3, sensitivity=apart) == close(
            policy.privacy.effective_epsilon, rel=0.05
        )
        assert gaussian_epsilon(size / 2, delta=5 * 1e-3, sensitivity=apart) > 1.0


def test_arms_pay_for_losses_in_the_unit_interval():
    """The printed noise is for |f| <= 1, losses two apart; those of arms are at most one apart."""
    problem = ConvexLoss.arms(TABLE)
    printed = one_point(0.8, problem=problem, horizon=100, learner="tsallis", noise="laplace")
    derived = one_point(0.8, problem=problem, horizon=100, learner="tsallis", noise="laplace", variant="derived")
    assert printed.record.scale == 2 * derived.record.scale == close(2 / 0.8)
    assert [p.privacy.effective_epsilon for p in (printed, derived)] == [close(0.4), close(0.8)]


def test_a_message_outside_the_interval_is_clipped():
    """The published interval is so wide that hardly any message leaves it; this one is narrow."""
    problem = ConvexLoss.arms(TABLE)
    policy = one_point(0.5, problem=problem, delta=1e-3, horizon=500, learner="tsallis")
    narrow = replace(policy, record=policy.record._replace(low=-1.0, high=3.0, offset=-1.0, unit=4.0))
    told = trace(problem, narrow, horizon=500, seed=1)[:, 1]
    assert (np.min(told), np.max(told)) == (0.0, 1.0)
    assert 0.3 < np.mean(told == 0.0) < 0.7


@pytest.mark.parametrize(
    ("make", "problem", "given", "word"),
    [
        (two_point, ball("distance", mode="stochastic", spread=0.1), {}, "spread must be 0"),
        (one_point, ball("distance"), {"noise": "laplace"}, "delta"),
        (one_point, ball("distance"), {"learner": "sphere_strong"}, "strongly convex"),
        (one_point, ConvexLoss.arms(TABLE), {}, "does not fit"),
        (one_point, ConvexLoss.arms(TABLE), {"learner": "stochastic"}, "interval"),
    ],
)
def test_bad_arguments_are_refused(make, problem, given, word):
    with pytest.raises(ValueError, match=word):
        make(1.0, problem=problem, delta=1e-3, horizon=100, **given)


# --- bounds


def test_the_bound_of_the_stochastic_learner_by_hand():
    """G = 1 on [-1, 1], T = 10^8: the width is 2."""
    problem = ConvexLoss.ball([[0.5], [0.1], [0.3]], kind="distance", mode="stochastic", spread=0.5)
    t = 10**8
    log = math.log(2 * t)
    for epsilon, noise, delta, added in ((math.inf, "gaussian", 0.0, 0.0), (5.0, "laplace", 0.0, 0.8)):
        scale = added * problem.bound / 2
        variance, tail = 0.25 / 3 + 2 * scale**2, scale
        least = math.sqrt(6 * variance * log / t)
        full, ended = int(math.log2(2 / least)), int(1 + math.log(1 / least) / math.log(4 / 3))
        expected = 20 * math.sqrt(30 * variance * (ended + 1) * t * log) + 182
        expected += (ended + 1) * (120 * tail * log * (full + 1) + 6 * full)
        assert bounds.corollary_4(
            problem=problem, horizon=t, epsilon=epsilon, delta=delta, learner="stochastic", noise=noise
        ) == close(expected)


def test_theorem_6_by_hand():
    """R = r = 1, d = 2, G = 1: at epsilon = infinity the bound of Agarwal, Dekel and Xiao."""
    told, t = {"problem": ball("distance"), "horizon": 10_000}, 10_000
    near, sigma_2 = 4 * math.log(t), 8 * math.log(1250) / 0.25
    assert bounds.theorem_6(**told, epsilon=math.inf) == close(100 * (1 + 4) / 2 + near)
    assert bounds.theorem_6(**told, epsilon=math.inf, step="tuned") == close(200 + near)
    assert bounds.theorem_6(**told, epsilon=0.5, delta=1e-3) == close(50 * (1 + 4 * (1 + sigma_2)) + near)
    assert bounds.theorem_6(**told, epsilon=0.5, noise="laplace") == close(50 * (1 + 4 * (1 + 2 * 16)) + near)
    strong = ball("kinked")
    squared = 4 * strong.lipschitz**2
    expected = squared * (1 + math.log(t)) / 2 + strong.lipschitz * near
    assert bounds.theorem_6(problem=strong, horizon=t, epsilon=math.inf, step="strong") == close(expected)


def test_theorem_3_by_hand():
    told = {"regret": 10.0, "bound": 2.0, "horizon": 100, "delta": 1e-2}
    assert bounds.theorem_3(**told, epsilon=0.5) == close(2 * math.log(1e4) / 0.5 * 10)
    reach = 4 * math.sqrt(2 * math.log(125)) / 0.5 * math.sqrt(2 * math.log(20_000))
    assert bounds.theorem_3(**told, epsilon=0.5, variant="derived") == close(2 * (2 + reach) * 10 + 4)
    assert bounds.theorem_3(**told, epsilon=math.inf, variant="derived") == close(40)


def test_corollary_4_pays_arms_for_what_is_clipped():
    """2 T times the mean of what exceeds the reach, which for Laplace noise of scale b is b / T."""
    problem, horizon = ConvexLoss.arms(TABLE), 1000
    told = {"problem": problem, "horizon": horizon, "epsilon": 1.0, "learner": "tsallis", "noise": "laplace"}
    record = one_point(**told).record
    added = bounds.corollary_4(**told, delta=0.0) - tunings.tuning("tsallis", problem, horizon, record.unit).regret
    over = laplace.expect(lambda z: z - record.high + 1.0, lb=record.high - 1.0, ub=np.inf, scale=record.scale)
    assert 2 * horizon * over == close(record.scale / horizon, rel=1e-3)
    assert 2 * horizon * over < added == close(2 * record.scale / horizon, abs=1e-9)


def test_the_curvature_that_hazan_and_levy_count_on_holds_off_the_set():
    """Half the diameter away: the second derivative there, across all directions, is no smaller."""
    problem = ball("smooth")
    counted = one_point(math.inf, problem=problem, horizon=1000, learner="hazan_levy").record.curvature
    assert (
        counted == problem.strong_convexity_within(1.0) < problem.strong_convexity == problem.strong_convexity_within(0)
    )
    far = max(np.linalg.norm(anchor) for anchor in ANCHORS) + 2.0
    assert counted == close((1 + far**2) ** -1.5)  # along the line to the anchor


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_the_reach_is_exceeded_once_in_the_square_of_the_horizon(noise):
    """For Laplace noise exactly so often; the Gaussian tail is a little lighter than its bound."""
    law = norm if noise == "gaussian" else laplace
    for horizon in (10, 1000):
        tail = 2 * law.sf(noise_reach(3.0, noise, horizon), scale=3.0)
        assert (0.05 if noise == "gaussian" else 0.999999) / horizon**2 < tail <= 1.000001 / horizon**2


# --- the counterexample


def test_the_finite_copy_loses_everything_at_zero():
    linear, bent = [[0, 1, 2], [0, 3, 6]], [[0, 1, 2], [3, 1, 2]]
    assert lemmas.finite_loss(1.0, 0, linear) == 0.0
    assert 0 < lemmas.finite_loss(1.0, 1, linear) <= 1.0
    assert lemmas.finite_loss(1.0, 2, linear) == close(lemmas.finite_loss(1.0, 1, linear))
    assert math.isinf(lemmas.finite_loss(1.0, 0, bent))
    assert lemmas.finite_loss(1.0, 0, bent, additive=True) == close(1.0)
    assert lemmas.finite_loss(1.0, 1, linear, additive=True) <= 1.0

"""The bounds of Tao et al. (2022): values by hand, scaling, rates, which contradict which, and what the radii cover."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

from private_bandits import baselines, simulate
from private_bandits.kernels.sums import truncated_moment
from private_bandits.papers.heavy_tailed import adap_robust_ucb, bounds
from private_bandits.problems import Arms
from private_bandits_book.heavy_tailed import lemmas

MEANS = [0.75, 0.5, 0.25, 0.75]  # gaps 1/4 and 1/2
HORIZON = 1000
LOG = math.log(HORIZON)
close = pytest.approx
UPPER = {"dp": bounds.dp_upper, "ldp": bounds.ldp_upper}


# --- values by hand


@pytest.mark.parametrize(("v", "epsilon"), [(1.0, 1.0), (1.0, 0.2), (0.5, 1.0)])
def test_doubling_episodes_keep_their_bound_where_it_is_not_vacuous(v, epsilon):
    """Bernoulli arms, whose moments are their means, where the bound is a hundredth of uniform play and less."""
    problem, horizon = Arms.bernoulli(np.array([0.9, 0.1])), 10**9
    gap, width = 0.8, 3 + math.sqrt(2) + 1 / 3
    pulls = 4 * (2 * width) ** ((1 + v) / v) * math.log(horizon) / epsilon * (0.9 / gap) ** (1 / v)
    bound = lemmas.episodes_upper(gap, epsilon, v, 0.9, horizon)
    assert bound == close(pulls + 3 * 30 * gap)
    assert bound < 0.01 * problem.uniform_regret() * horizon
    policy = adap_robust_ucb(epsilon, v, 0.9, horizon)
    regret = simulate(problem, policy, horizon=horizon, replications=20, seed=5).regret.values[:, -1]
    assert bound / 1000 < regret.mean() and regret.max() <= bound


def test_the_steps_of_the_proof_for_doubling_episodes():
    """An episode's mean errs by more than w err less often than with 3/T, to both sides."""
    horizon, rng = 300, np.random.default_rng(8)
    for v, epsilon, number in ((1.0, 1.0, 64), (0.5, 1.0, 64), (0.5, 0.3, 256)):
        mass = 0.3  # a law on 0 and x with moment 1
        x = mass ** (-1 / (1 + v))
        bound = (number * epsilon / math.log(horizon)) ** (1 / (1 + v))
        err = (math.log(horizon) / (number * epsilon)) ** (v / (1 + v))
        kept = x if x <= bound else 0.0
        means = rng.binomial(number, mass, 200_000) * kept / number
        means += rng.laplace(0.0, 2 * bound / (epsilon * number), 200_000)
        failed = np.abs(means - mass * x) > (3 + math.sqrt(2) + 1 / 3) * err
        assert failed.mean() <= 2 * 1.5 / horizon


def test_robust_ucb_by_hand():
    # v = 1/2: (u/gap)^2 = 64 and 16 at u = 2
    assert bounds.robust_ucb_upper(MEANS, 0.5, 2.0, HORIZON) == close(LOG * 80 + 0.75)
    assert bounds.robust_ucb_upper(MEANS, 0.5, 2.0, HORIZON, "corrected") == close(2 * 8**3 * LOG * 80 + 2.25)


def test_dp_robust_ucb_by_hand():
    assert bounds.dp_robust_ucb_upper(MEANS, 0.5, 0.5, 2.0, HORIZON) == close(LOG**4.5 / 0.5 * 80 + 0.75)
    corrected = 36**3 * math.log(2 * HORIZON**4) * LOG**3.5 / 0.5 * 80 + 6 * 0.75
    assert bounds.dp_robust_ucb_upper(MEANS, 0.5, 0.5, 2.0, HORIZON, "corrected") == close(corrected)
    assert bounds.dp_robust_ucb_upper(MEANS, 0.5, 0.5, 2.0, HORIZON, "corrected", c=9) == close(
        (corrected - 4.5) / 8 + 4.5
    )


def test_printed_upper_bounds_by_hand():
    # sum of gap^-2 = 20
    assert bounds.dp_upper(MEANS, 0.5, 0.5, 8.0, HORIZON) == close(4 * LOG / 0.5 * 20 + 0.5)
    assert bounds.dp_upper(MEANS, 0.5, 0.5, 8.0, HORIZON, variant="rate") == close(64 * LOG / 0.5 * 20 + 0.5)
    assert bounds.ldp_upper(MEANS, 0.5, 0.5, 2.0, HORIZON) == close(16 * LOG / 0.25 * 20 + 0.5)
    # sum of gap^-5 = 1024 + 32
    assert bounds.ldp_upper(MEANS, 0.5, 0.5, 2.0, HORIZON, variant="rate") == close(16 * LOG / 0.25 * 1056 + 0.5)
    # v = 1: exponents 1/2; u^(1/4) = 2, u^(2/2) = 16
    assert bounds.dp_upper_independent(4, 0.25, 1.0, 16.0, HORIZON) == close(2 * math.sqrt(16 * LOG * HORIZON))
    assert bounds.ldp_upper_independent(4, 0.5, 1.0, 16.0, HORIZON) == close(16 * math.sqrt(16 * LOG * HORIZON))


def test_epochs_by_hand():
    # v = 1, u = 4, D = 1/2, c = 24: 4 * 48^2 * 10 / 0.5 + 1
    epoch = bounds.dp_epoch(1, 10.0, 0.5, 1.0, 4.0)
    assert epoch.pulls == 4 * 48**2 * 20 + 1
    assert epoch.threshold == close(math.sqrt(4 * epoch.pulls * 0.5 / 10))
    assert epoch.error == close(0.5 / 24, rel=1e-4)
    epoch = bounds.ldp_epoch(1, 10.0, 0.5, 1.0, 4.0)
    assert epoch.pulls == 16 * 48**4 * 40 + 1
    assert epoch.threshold == close(math.sqrt(4 * math.sqrt(epoch.pulls) * 0.5 / math.sqrt(10)))
    assert epoch.error == close(0.5 / 24, rel=1e-4)


def test_corrected_upper_bounds_count_the_pulls():
    # gap 1/4 leaves after the epoch of 1/8, gap 1/2 after that of 1/4; L grows with the epoch
    for name, inside, epoch_of in (("dp", 4, bounds.dp_epoch), ("ldp", 8, bounds.ldp_epoch)):
        pulls = [epoch_of(e, math.log(inside * 4 * e**2 / 0.01), 0.5, 0.9, 2.0).pulls for e in (1, 2, 3)]
        expected = 0.25 * sum(pulls) + 0.5 * sum(pulls[:2]) + 2 * 0.01 * HORIZON * 0.5
        found = UPPER[name](MEANS, 0.5, 0.9, 2.0, HORIZON, beta=0.01, variant="corrected")
        assert found == close(expected, rel=1e-12)
        default = UPPER[name](MEANS, 0.5, 0.9, 2.0, HORIZON, variant="corrected")
        assert default == close(UPPER[name](MEANS, 0.5, 0.9, 2.0, HORIZON, 1 / HORIZON, "corrected"), rel=1e-12)


@pytest.mark.parametrize("v", [0.5, 1.0])
def test_corrected_instance_independent_bounds_by_hand(v):
    """Gaps up to 2^-m cost T 2^-m; each of the 3 other arms at most 2^(1-m) a pull of the first m epochs."""
    for bound, inside, epoch_of in (
        (bounds.dp_upper_independent, 4, bounds.dp_epoch),
        (bounds.ldp_upper_independent, 8, bounds.ldp_epoch),
    ):
        horizon, played, costs = 10**13, 0.0, [10.0**13]
        for m in range(1, 60):
            played += epoch_of(m, math.log(inside * 4 * m**2 * horizon), 0.5, v, 0.1).pulls
            costs.append(horizon * 2.0**-m + 3 * 2.0 ** (1 - m) * played)
        assert costs.index(min(costs)) > 1  # not the trivial bound
        assert bound(4, 0.5, v, 0.1, horizon, "corrected") == close(min(costs) + 2, rel=1e-12)


def test_lower_bounds_by_hand():
    # v = 1: p = gap^2 / u = 1/100; 3 bad arms
    assert bounds.dp_lower(4, 0.1, 0.5, 1.0, HORIZON) == close(3 * LOG / 0.5 / 0.1)
    p = 0.01
    assert bounds.dp_lower(4, 0.1, 0.1, 1.0, HORIZON, variant="corrected") == close(3 * 0.1 * LOG / (0.6 * p))
    assert bounds.dp_lower(4, 0.1, 1.0, 1.0, HORIZON, variant="corrected") == close(3 * 0.1 * LOG / -math.log(1 - p))
    assert bounds.ldp_lower(4, 0.1, 0.5, 1.0, HORIZON) == close(3 * LOG / 0.25 / 0.1)
    weight = math.log(1.5)  # e^eps = 1.5: C = 2.25 * 0.25
    assert bounds.local_loss(weight) == close(2.25 * 0.25)
    assert bounds.local_loss(1.0) == close(4 * (math.e - 1) ** 2)
    found = bounds.ldp_lower(4, 0.1, weight, 1.0, HORIZON, variant="corrected")
    assert found == close(3 * 0.1 * LOG / (0.5625 * p**2))
    found = bounds.ldp_lower(4, 0.1, weight, 1.0, HORIZON, u=0.5, variant="corrected")
    assert found == close(3 * 0.1 * LOG / (0.5625 * (2 * p) ** 2))
    assert bounds.ldp_lower(4, 0.1, weight, 1.0, HORIZON, u=0.01, variant="corrected") == 0.0
    # v = 1/2: p = (gap^1.5 / u)^2 = gap^3
    found = bounds.ldp_lower(2, 0.1, weight, 0.5, HORIZON, variant="corrected")
    assert found == close(0.1 * LOG / (0.5625 * 1e-6))


def test_instance_independent_lower_bounds_by_hand():
    assert bounds.ldp_lower_independent(4, 0.5, 1.0, 10**4) == close(math.sqrt(16) * 100)
    weight = math.log(1.5)
    share = 0.25 * 3 / (0.5625 * 1e6)
    found = bounds.ldp_lower_independent(4, weight, 1.0, 10**6, variant="corrected")
    assert found == close(1e6 / 16 * (share / math.e) ** 0.25)
    assert bounds.ldp_lower_independent(4, weight, 1.0, 10**6, 16.0, "corrected") == close(4 * found)
    assert bounds.ldp_lower_independent(4, weight, 1.0, 1, variant="corrected") == 0.0
    share = 0.5 * 3 / (6 * 0.5 * 1e6)
    assert bounds.dp_lower_independent(4, 0.5, 1.0, 10**6) == close(1e6 / 16 * math.sqrt(share / math.e))


def test_the_two_hypotheses_are_optimised_over_the_gap():
    """By brute force over the gap: T g/8 exp(-loss T p^j / (K-1)), with p the mass that lifts an arm to 2 g."""
    v, u, arms, horizon, epsilon = 0.5, 2.0, 5, 10**7, 0.5
    gaps = np.logspace(-5, -0.5, 4001)
    mass = ((2 * gaps) ** (1 + v) / u) ** (1 / v)
    for loss, exponent, found in (
        (6 * epsilon, 1, bounds.dp_lower_independent(arms, epsilon, v, horizon, u)),
        (bounds.local_loss(epsilon), 2, bounds.ldp_lower_independent(arms, epsilon, v, horizon, u, "corrected")),
    ):
        best = np.max(horizon * gaps / 8 * np.exp(-loss * horizon / (arms - 1) * mass**exponent) * (mass <= 1))
        assert found == close(best, rel=1e-4)


def test_bounded_lower_bounds_by_hand():
    # gap 1/10: divergence of means 1/2 and 0.6 is -ln(0.96)/2
    central = [lemmas.bounded_lower(4, 0.1, e, HORIZON, local=False, variant="corrected") for e in (1.0, 0.01)]
    assert central == close([3 * 0.1 * LOG / (-0.5 * math.log(0.96)), 3 * 0.1 * LOG / (6 * 0.01 * 0.1)])
    weight = math.log(1.5)
    found = lemmas.bounded_lower(4, 0.1, weight, HORIZON, local=True, variant="corrected")
    assert found == close(3 * 0.1 * LOG / (0.5625 * 0.01))
    assert lemmas.bounded_lower(4, 0.1, 0.5, HORIZON, local=False) == close(4 * LOG / 0.5 + 3 * LOG / 0.1)
    assert lemmas.bounded_lower(4, 0.1, 0.5, HORIZON, local=True) == close(3 * LOG / (0.25 * 0.1))
    assert lemmas.bounded_lower_independent(4, 0.5, 10**4, local=False) == close(200 + 8 * math.log(10**4))
    assert lemmas.bounded_lower_independent(4, 0.5, 10**4, local=True) == close(400)
    assert lemmas.bounded_lower_independent(5, 0.5, 3, local=False, variant="corrected") == 0.0


@pytest.mark.parametrize("local", [False, True])
def test_bounded_hypotheses_are_optimised_over_the_gap(local):
    """By brute force over the gap g: T g/8 exp(-loss T (2g)^2 / (K-1)), with the divergence of means 2g apart."""
    arms, horizon, epsilon = 5, 10**6, 0.3
    gaps = np.logspace(-5, -1.1, 4001)
    divergence = -0.5 * np.log1p(-4 * (2 * gaps) ** 2)
    assert np.all(divergence <= 4 * (2 * gaps) ** 2)
    loss = bounds.local_loss(epsilon) * (2 * gaps) ** 2 if local else 4 * (2 * gaps) ** 2
    best = np.max(horizon * gaps / 8 * np.exp(-loss * horizon / (arms - 1)))
    found = lemmas.bounded_lower_independent(arms, epsilon, horizon, local=local, variant="corrected")
    assert found == close(best, rel=1e-4)


# --- rates


def slope(function, low, high):
    return math.log(function(high) / function(low)) / math.log(high / low)


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
def test_rates_in_the_gap(v):
    def upper(name, variant):
        # the largest gap of two arms is their only one; halving it is one epoch more
        return lambda gap: UPPER[name]([0.5 + gap, 0.5], 0.5, v, 1.0, 10**6, variant=variant)

    cases = [
        (upper("dp", "printed"), 1 / v),
        (upper("dp", "rate"), 1 / v),
        (upper("dp", "corrected"), 1 / v),
        (upper("ldp", "printed"), 1 / v),
        (upper("ldp", "rate"), 1 + 2 / v),
        (upper("ldp", "corrected"), 1 + 2 / v),
        (lambda gap: bounds.dp_lower(5, gap, 0.05, v, 10**6), 1 / v),
        (lambda gap: bounds.dp_lower(5, gap, 0.05, v, 10**6, variant="corrected"), 1 / v),
        (lambda gap: bounds.ldp_lower(5, gap, 0.5, v, 10**6), 1 / v),
        (lambda gap: bounds.ldp_lower(5, gap, 0.5, v, 10**6, variant="corrected"), 1 + 2 / v),
    ]
    for bound, power in cases:
        # the epochs' logarithms and the additive terms are small beside this range
        assert slope(bound, 2.0**-14, 2.0**-6) == close(-power, abs=0.12 if power < 2.5 else 0.05 * power)


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
def test_rates_in_the_horizon_and_in_epsilon(v):
    central, local = 1 / (1 + v), (2 + v) / (2 + 2 * v)
    cases = [
        (lambda t, e: bounds.dp_upper_independent(5, e, v, 1.0, t), central, v / (1 + v)),
        (lambda t, e: bounds.dp_upper_independent(5, e, v, 1.0, t, "corrected"), central, v / (1 + v)),
        (lambda t, e: bounds.dp_lower_independent(5, e, v, t), central, v / (1 + v)),
        (lambda t, e: bounds.ldp_upper_independent(5, e, v, 1.0, t), central, 2 * v / (1 + v)),
        (lambda t, e: bounds.ldp_upper_independent(5, e, v, 1.0, t, "corrected"), local, v / (1 + v)),
        (lambda t, e: bounds.ldp_lower_independent(5, e, v, t), central, 2 * v / (1 + v)),
        (lambda t, e: bounds.ldp_lower_independent(5, e, v, t, variant="corrected"), local, v / (1 + v)),
    ]
    for bound, in_horizon, in_epsilon in cases:
        # logarithms of T stay: over 60 decades they are worth little
        assert slope(lambda t, f=bound: f(t, 0.5), 10**30, 10**90) == close(in_horizon, abs=0.02)
        assert slope(lambda e, f=bound: f(10**90, e), 1e-10, 1e-2) == close(-in_epsilon, abs=0.04)


@pytest.mark.parametrize("factor", [0.5, 3.0])
@pytest.mark.parametrize("v", [0.5, 0.9])
def test_bounds_scale_with_the_rewards(v, factor):
    """Rewards times s have gaps and regret times s and moments times s^(1+v); the printed powers of u do not fit."""
    scaled = factor * np.array(MEANS), factor ** (1 + v)

    def ratio(bound):
        return bound(*scaled) / bound(np.array(MEANS), 1.0)

    assert ratio(lambda m, u: bounds.robust_ucb_upper(m, v, u, HORIZON)) == close(factor)
    assert ratio(lambda m, u: bounds.dp_robust_ucb_upper(m, 0.5, v, u, HORIZON)) == close(factor)
    assert ratio(lambda m, u: bounds.dp_upper(m, 0.5, v, u, HORIZON, variant="rate")) == close(factor)
    assert ratio(lambda m, u: bounds.ldp_upper(m, 0.5, v, u, HORIZON, variant="rate")) == close(factor, rel=1e-3)
    assert ratio(lambda m, u: bounds.dp_upper(m, 0.5, v, u, HORIZON)) != close(factor, rel=0.1)
    assert ratio(lambda m, u: bounds.ldp_upper(m, 0.5, v, u, HORIZON)) != close(factor, rel=0.1)
    for bound in (bounds.dp_upper_independent, bounds.ldp_upper_independent):
        printed = bound(4, 0.5, v, factor ** (1 + v), 10**9) / bound(4, 0.5, v, 1.0, 10**9)
        # u^(2/(1+v)) scales as s^2, u^(v/(1+v)^2) as s^(v/(1+v))
        assert printed == close(factor**2 if bound is bounds.ldp_upper_independent else factor ** (v / (1 + v)))
    for lower in (
        lambda u: bounds.dp_lower_independent(4, 0.5, v, 10**9, u),
        lambda u: bounds.ldp_lower_independent(4, 0.5, v, 10**9, u, "corrected"),
    ):
        assert lower(factor ** (1 + v)) / lower(1.0) == close(factor)


# --- which contradict which


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
def test_corrected_lower_bounds_stay_below_corrected_upper_ones(v):
    for epsilon in (0.1, 1.0):
        for horizon in (10**3, 10**9, 10**15, 10**40):
            lower = bounds.dp_lower_independent(5, epsilon, v, horizon)
            assert 0.0 < lower <= bounds.dp_upper_independent(5, epsilon, v, 1.0, horizon, "corrected")
            lower = bounds.ldp_lower_independent(5, epsilon, v, horizon, variant="corrected")
            assert lower <= bounds.ldp_upper_independent(5, epsilon, v, 1.0, horizon, "corrected")
        for gap in (0.1, 0.01):
            means = [gap, 0.0, 0.0, 0.0, 0.0]
            for name, lower in (("dp", bounds.dp_lower), ("ldp", bounds.ldp_lower)):
                upper = UPPER[name](means, epsilon, v, 1.0, 10**12, variant="corrected")
                assert 0.0 < lower(5, gap, epsilon, v, 10**12, variant="corrected") <= upper


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
def test_no_constant_saves_the_printed_ldp_upper_bounds(v):
    """Corrected lower over printed upper: it grows without end as the gap falls, and as the horizon grows."""

    def by_gap(gap):
        return bounds.ldp_lower(5, gap, 0.5, v, 10**9, variant="corrected") / bounds.ldp_upper(
            [gap, 0, 0, 0, 0], 0.5, v, 1.0, 10**9
        )

    def by_horizon(horizon):
        lower = bounds.ldp_lower_independent(5, 0.5, v, horizon, variant="corrected")
        return lower / bounds.ldp_upper_independent(5, 0.5, v, 1.0, horizon)

    assert by_gap(1e-8) > 1e6 * by_gap(1e-2)
    assert slope(by_horizon, 10**30, 10**90) == close(v / (2 + 2 * v), abs=0.02)
    # the central ones do not contradict each other
    ratio = bounds.dp_lower_independent(5, 0.5, v, 10**90) / bounds.dp_upper_independent(5, 0.5, v, 1.0, 10**90)
    assert ratio < 1.0


# --- what the radii cover


def test_confidence_of_the_epochs_by_hand():
    assert lemmas.dp_confidence(0.5) == close(4 + 0.5 / 3)
    assert lemmas.dp_confidence(1.0) < 19 / 4 < 6
    assert lemmas.ldp_confidence(0.5, 0.1) == close(5.2 + math.sqrt(0.1) + 0.05 / 3)
    assert lemmas.ldp_confidence(1.0, 40.0**-0.5) <= 6.0 < lemmas.ldp_confidence(1.0, 30.0**-0.5)


def test_the_least_constants_satisfy_the_rule():
    """A mean must be within (c/4) err, whose bound is lower in the first epoch at c than at 20."""
    assert lemmas.least_c("none") == close(4 * (1 + math.sqrt(2) + 1 / 3))
    assert lemmas.least_c("central", 0.5) == close(4 * (4 + 0.5 / 3))
    for epsilon in (0.02, 1.0):
        for v, u in ((0.5, 5.0), (0.9, 8.0), (1.0, 1.0)):
            c, log = lemmas.least_c("local", epsilon, v, u), 40.0
            pulls = [bounds.ldp_epoch(epoch, log, epsilon, v, u, c).pulls for epoch in (1, 2)]
            off = [lemmas.ldp_confidence(epsilon, math.sqrt(log / number)) for number in pulls]
            assert max(off) == off[0] <= c / 4 < 1.02 * off[0]
            assert 20.0 < c < 24.0


def test_the_share_of_the_radius_is_the_largest_on_its_grid():
    parts = [lemmas.dp_robust_ucb_error(7, 1.0, v, 3.0, t) for v in (0.05, 0.5, 1.0) for t in (200, 10**6, 10**300)]
    shares = [(one.bias + one.sampling + one.noise) / one.radius for one in parts]
    assert max(shares) <= lemmas.radius_share() * (1 + 1e-9) < 0.84


def test_the_confidence_bounds_hold_in_simulation():
    """Errors of noisy truncated means over err, for Pareto rewards of moment u."""
    rng = np.random.default_rng(1)
    v, u, log, epsilon = 0.5, 1.0, math.log(100), 1.0
    shape = 1.0 + v + 0.05
    scale = (u * (shape - 1 - v) / shape) ** (1 / (1 + v))
    mean = scale * shape / (shape - 1)
    n, runs = 2000, 2000
    rewards = scale * (1 - rng.random((runs, n))) ** (-1 / shape)
    central = (u * n * epsilon / log) ** (1 / (1 + v))
    err = u ** (1 / (1 + v)) * (log / (n * epsilon)) ** (v / (1 + v))
    noisy = np.where(rewards <= central, rewards, 0.0).mean(1) + rng.laplace(0, 2 * central / (n * epsilon), runs)
    errors = np.abs(noisy - mean) / err
    # a failure has probability 3 e^-L = 3 %; truncation alone puts the mean off by a good part of err
    assert np.mean(errors > lemmas.dp_confidence(epsilon)) < 0.03
    assert 0.2 < np.median(errors) < 1.0
    local = (u * math.sqrt(n / log) * epsilon) ** (1 / (1 + v))
    err = u ** (1 / (1 + v)) * (math.sqrt(log / n) / epsilon) ** (v / (1 + v))
    noise = rng.laplace(0, 2 * local / epsilon, (runs, n)).mean(1)
    errors = np.abs(np.where(rewards <= local, rewards, 0.0).mean(1) + noise - mean) / err
    assert np.mean(errors > lemmas.ldp_confidence(epsilon, math.sqrt(log / n))) < 0.04
    assert np.mean(errors > 0.5 * lemmas.ldp_confidence(epsilon, math.sqrt(log / n))) > 0.01


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
def test_the_radius_of_dp_robust_ucb_covers_its_errors(v, epsilon):
    for horizon in (10**3, 10**6, 10**12):
        for pulls in (1, 100, 10**6):
            parts = lemmas.dp_robust_ucb_error(pulls, epsilon, v, 2.0, horizon)
            assert parts.bias + parts.sampling + parts.noise < parts.radius
            # the noise is the larger part of what is covered: a radius of a fifth would not do
            reduced = lemmas.dp_robust_ucb_error(pulls, epsilon, v, 2.0, horizon, c=0.5)
            assert reduced.noise == parts.noise
            assert reduced.noise > reduced.radius


def test_the_radius_covers_from_the_first_index_on():
    """At epsilon = 1 and t = 3, against the tails of 1/t^4 and the thresholds of T, in units of the bias of one cut."""

    def share(v, horizon):
        log, tail, levels = math.log(horizon), math.log(2 * 3**4), horizon.bit_length()
        sampling = math.sqrt(2 * tail / log**1.5) + tail / (3 * log**1.5)
        noise = math.sqrt(8 * tail) * max(math.sqrt(levels), math.sqrt(tail)) * 2 * levels / log**1.5
        return (1 + v + sampling + noise) / (18 * tail ** (v / (1 + v)) * log ** (1 / (1 + v)))

    def last(v, horizon):
        parts = lemmas.dp_robust_ucb_error(1, 1.0, v, 1.0, horizon)
        return (parts.bias + parts.sampling + parts.noise) / parts.radius

    for part in (share, last):
        assert all(part(v, t) < 1 for v in np.linspace(0.01, 1, 34) for t in (200, 255, 256, 10**4, 10**15, 10**300))
    assert max(share(0.01, 50), last(0.01, 50)) > 1


def test_the_pulls_of_the_epochs_double_where_the_worst_gap_is_bounded():
    """`_balanced` charges every larger gap 2^(1-m) a pull of the first m epochs: 2^-m times these must grow with m."""

    def costs(plan, inside, v, u):
        pulls = [plan(m, math.log(inside * 2 * m**2 * 100), 1.0, v, u).pulls for m in range(1, 25)]
        return np.cumsum(pulls) * 0.5 ** np.arange(24)

    for plan, inside in ((bounds.dp_epoch, 4), (bounds.ldp_epoch, 8)):
        for v in (0.1, 0.5, 1.0):
            assert np.all(np.diff(costs(plan, inside, v, 1.0)) > 0)
        assert not np.all(np.diff(costs(plan, inside, 0.1, 1e-3)) > 0)  # why the page asks for u that are not tiny


def test_errors_of_dp_robust_ucb_by_hand():
    # v = 1, u = 4, n = 9, T = e^4 to the nearest integer: take the logarithm as it is
    log = math.log(55)
    threshold = math.sqrt(0.5 * 4 * 9 / log**1.5)
    tail = math.log(2 * 55**4)
    parts = lemmas.dp_robust_ucb_error(9, 0.5, 1.0, 4.0, 55)
    assert parts.bias == close(2 * 4 / threshold)
    assert parts.sampling == close(math.sqrt(2 * 4 * tail / 9) + threshold * tail / 27)
    node = 2 * threshold * 6 / 0.5
    assert parts.noise == close(math.sqrt(8 * tail) * node * max(math.sqrt(6), math.sqrt(tail)) / 9)
    assert parts.radius == close(18 * 2 * math.sqrt(tail * log**2.5 / 4.5))


# --- rewards in [0, 1], and slopes


@pytest.mark.parametrize(("n_arms", "epsilon", "horizon"), [(2, 1.0, 10**3), (5, 1e-2, 10**6), (50, 1e-4, 10**12)])
def test_the_private_bound_is_the_one_that_its_proof_gives(n_arms, epsilon, horizon):
    """B >= c ln(T / (32 B)): at the bound itself the right side is at least as large, and at 1.5 times it, less."""
    bound, scale = lemmas.private_lower(n_arms, epsilon, horizon), (n_arms - 1) / (12 * epsilon)
    assert 0.0 < bound <= scale * math.log(horizon / (32 * bound))
    assert 1.5 * bound > scale * math.log(horizon / (32 * 1.5 * bound))
    assert bound < horizon / 8  # below what the first arm alone has where another is raised
    assert lemmas.private_lower(n_arms, epsilon, int(32 * scale)) == 0.0


@pytest.mark.parametrize("gap", [0.9, 0.5, 0.3, 1e-3])
def test_the_bound_on_dp_se_is_the_sum_of_its_epochs(gap):
    for epsilon in (1.0, 1e-4):
        pulls = 0.0
        for epoch in range(1, max(1, math.ceil(-math.log2(gap))) + 1):
            log = math.log(8.0 * 5 * epoch**2 * 1e9)
            private = 8.0 * (log - math.log(2.0)) * 2.0**epoch / epsilon
            pulls += math.ceil(max(32.0 * log * 4.0**epoch, private)) + 1.0
        other = (4 * pulls + 1.0) * gap
        assert other - 4 * 10 * gap <= lemmas.dp_se_upper(5, gap, epsilon, 10**9) <= other + 4 * 10 * gap


def test_the_worst_gap_of_dp_se_is_between_its_two_terms():
    for horizon in (10**12, 10**18):
        upper = lemmas.dp_se_upper_independent(5, 0.1, horizon)
        one = max(min(gap * horizon, lemmas.dp_se_upper(5, gap, 0.1, horizon)) for gap in np.geomspace(1e-9, 0.9, 400))
        assert one <= upper <= 8 * one


@pytest.mark.parametrize("epsilon", [1.0, 0.05])
def test_the_index_algorithms_for_bounded_rewards_have_at_most_what_is_proved(epsilon):
    """AdaP-UCB and UCB on randomised responses, on two arms where the bound is not vacuous."""
    gap, horizon = 0.8, 10**6
    problem, how = Arms.bernoulli(np.array([0.9, 0.1])), {"replications": 10, "seed": 3, "checkpoints": [10**6]}
    upper = lemmas.adap_ucb_upper(2, gap, epsilon, horizon)
    assert upper == close(max(32 * 3.1 * math.log(2 * horizon) / gap, 16 * 3.1 * math.log(horizon) / epsilon) + 5.6)
    regret = simulate(problem, baselines.adap_ucb(epsilon), horizon=horizon, **how).regret.values[:, -1]
    assert upper / 100 < regret.mean() and regret.max() <= upper < gap * horizon / 2
    short = 10**5
    upper = lemmas.ldp_ucb_upper(2, gap, 1.0, short)
    assert upper == close(8 * math.log(short) / (math.tanh(0.5) ** 2 * gap) + (1 + math.pi**2 / 3) * gap)
    how["checkpoints"] = [short]
    regret = simulate(problem, baselines.ldp_ucb_response(1.0), horizon=short, **how).regret.values[:, -1]
    assert upper / 10 < regret.mean() <= upper < gap * short / 2


def test_the_failures_of_adap_ucb_add_up_to_less_than_its_bound_allows():
    t = np.arange(3, 10**6)
    assert 2 * np.sum((np.log2(t) + 1) * t**-2.1) + 2 * (math.log2(10**6) + 20) * 10**-6.6 / 1.1 < 6
    assert 2**-3.1 + 0.5 <= 1


def test_the_worst_gap_of_ldp_ucb_balances_its_two_terms():
    arms, epsilon, horizon = 5, 0.5, 10**9
    gaps = np.geomspace(1e-6, 1, 4001)
    rest = (1 + math.pi**2 / 3) * (arms - 1)
    of_larger = (arms - 1) * 8 * math.log(horizon) / (math.tanh(epsilon / 2) ** 2 * gaps)
    least = np.min(gaps * horizon + of_larger) + rest
    assert lemmas.ldp_ucb_upper_independent(arms, epsilon, horizon) == close(least, rel=1e-5)
    worst = max(min(gap * horizon, lemmas.ldp_ucb_upper(arms, gap, epsilon, horizon)) for gap in gaps)
    assert worst <= least


def test_slopes_are_taken_far_out_on_every_axis():
    # x^2 / y, with a term that matters at small x only
    found = lemmas.slopes(lambda x, y: (x + x**2) / y, (1.0, 1e6, 1e12), (1.0, 0.1))
    assert max(found) == close(2.0, abs=1e-5)
    # y falls by its axis: its slope is in 1/y
    assert min(found) == close(1.0)
    assert lemmas.slopes(lambda x, y: 1.0 / x, (1.0, 1e3), (2.0,)) == close([-1.0])


def test_the_bound_without_privacy_is_that_of_the_divergence():
    # v = 1, gap 1/10: p = 1/100
    assert lemmas.plain_lower(3, 0.1, 1.0, HORIZON) == close(0.2 * LOG / -math.log(0.99))
    assert lemmas.plain_lower(3, 0.1, 1.0, HORIZON) >= bounds.dp_lower(3, 0.1, 1.0, 1.0, HORIZON, variant="corrected")


# --- quantiles


@pytest.mark.parametrize("shape", [1.35, 1.55, 1.95])
def test_the_width_for_a_regular_tail_covers_quantiles_means(shape):
    """Its two conditions are equalities in the limit for Pareto laws, and its parts add up by hand."""
    excess, second, scale = shape / (shape - 1), shape / (2 - shape), 0.3
    for threshold in (0.31, 1.0, 50.0):
        tail = (scale / threshold) ** shape
        beyond = excess * scale - truncated_moment(scale * excess, shape, threshold, 1.0)
        assert beyond == close(excess * threshold * tail)
        assert truncated_moment(scale * excess, shape, threshold, 2.0) <= second * threshold**2 * tail
    assert bounds.quantile_width(excess, second) == close(14 * excess + math.sqrt(28 * second) + 7 / 3)
    # of g, the rewards beyond the threshold: what counts, choice and the tail of a binomial law allow
    assert 14 - math.sqrt(28) > 2 + 7 / 3 + 4
    with pytest.raises(ValueError, match="excess must be"):
        bounds.quantile_width(0.5, 1.0)


# --- bad input

BAD = [
    ({"v": 0.0}, "v must be"),
    ({"v": 1.5}, "v must be"),
    ({"u": 0.0}, "u must be"),
    ({"u": -1.0}, "u must be"),
    ({"epsilon": 0.0}, "epsilon must be"),
    ({"epsilon": 1.5}, "epsilon must be"),
    ({"horizon": 0}, "horizon must be"),
    ({"horizon": 10.0}, "horizon must be"),
    ({"variant": "misprinted"}, "variant must be one of"),
]
ALL = {
    bounds.robust_ucb_upper: {"means": MEANS},
    bounds.dp_robust_ucb_upper: {"means": MEANS, "epsilon": 0.5},
    bounds.dp_upper: {"means": MEANS, "epsilon": 0.5},
    bounds.ldp_upper: {"means": MEANS, "epsilon": 0.5},
    bounds.dp_upper_independent: {"n_arms": 4, "epsilon": 0.5},
    bounds.ldp_upper_independent: {"n_arms": 4, "epsilon": 0.5},
    bounds.dp_lower: {"n_arms": 4, "gap": 0.1, "epsilon": 0.5},
    bounds.ldp_lower: {"n_arms": 4, "gap": 0.1, "epsilon": 0.5},
    bounds.ldp_lower_independent: {"n_arms": 4, "epsilon": 0.5},
}


@pytest.mark.parametrize("bound", ALL)
@pytest.mark.parametrize(("bad", "message"), BAD)
def test_bad_input_is_refused(bound, bad, message):
    arguments = {**ALL[bound], "v": 0.5, "u": 1.0, "horizon": HORIZON}
    assert bound(**arguments) > 0.0
    if set(bad) & ({"epsilon", "variant"} - {*inspect.signature(bound).parameters}):
        return
    with pytest.raises(ValueError, match=f"^{message}"):
        bound(**arguments | bad)


def test_beta_and_the_rest_are_checked():
    for beta in (0.0, 1.0, -0.1, math.nan):
        with pytest.raises(ValueError, match="^beta must be"):
            bounds.dp_upper(MEANS, 0.5, 0.5, 1.0, HORIZON, beta=beta, variant="corrected")
    with pytest.raises(ValueError, match="^n_arms must be"):
        bounds.dp_lower(1, 0.1, 0.5, 0.5, HORIZON)
    with pytest.raises(ValueError, match="^gap must be"):
        bounds.ldp_lower(2, 0.0, 0.5, 0.5, HORIZON)
    with pytest.raises(ValueError, match="^means"):
        bounds.dp_upper([], 0.5, 0.5, 1.0, HORIZON)


def test_equal_arms_cost_nothing_but_failures():
    for bound in (bounds.dp_upper, bounds.ldp_upper):
        for variant in ("printed", "rate", "corrected"):
            assert bound([0.5, 0.5], 0.5, 0.5, 1.0, HORIZON, variant=variant) == 0.0

"""The bounds of Tao et al. (2022): values by hand and by search, and what the radii cover."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from private_bandits import baselines, simulate
from private_bandits.kernels.parts.sums import truncated_moment
from private_bandits.papers.heavy_tailed import adap_robust_ucb, bounds
from private_bandits.problems import Arms
from private_bandits_book.chapters.heavy_tailed import lemmas

MEANS = [0.75, 0.5, 0.25, 0.75]  # gaps 1/4 and 1/2
HORIZON = 1000
LOG = math.log(HORIZON)
close = pytest.approx
UPPER = {"dp": bounds.dp_upper, "ldp": bounds.ldp_upper}


# --- values by hand


@pytest.mark.parametrize(("v", "epsilon"), [(1.0, 0.2), (0.5, 1.0)])
def test_doubling_episodes_keep_their_bound_where_it_is_not_vacuous(v, epsilon):
    """Bernoulli arms, whose moments are their means, where the bound is a hundredth of uniform play and less."""
    problem, horizon = Arms.bernoulli(np.array([0.9, 0.1])), 10**9
    gap, width = 0.8, 3 + math.sqrt(2) + 1 / 3
    pulls = 4 * (2 * width) ** ((1 + v) / v) * math.log(horizon) / epsilon * (0.9 / gap) ** (1 / v)
    bound = lemmas.episodes_upper(gap, epsilon, v, 0.9, horizon)
    assert bound == close(pulls + 3 * 30 * gap)
    assert bound < 0.01 * problem.uniform_regret() * horizon
    policy = adap_robust_ucb(epsilon, v=v, u=0.9, horizon=horizon)
    regret = simulate(problem, policy, horizon=horizon, replications=20, seed=5).regret.values[:, -1]
    assert bound / 1000 < regret.mean() and regret.max() <= bound


def test_upper_bounds_by_hand():
    """The sum of 1/gap^2 is 20; at v = 1/2 and u = 2 that of (u/gap)^2 is 80, and that of gap^-5 is 1024 + 32."""
    game = {"means": MEANS, "v": 0.5, "u": 2.0, "horizon": HORIZON}
    private, corrected = game | {"epsilon": 0.5}, {"variant": "corrected"}
    assert bounds.robust_ucb_upper(**game) == close(LOG * 80 + 0.75)
    assert bounds.robust_ucb_upper(**game, **corrected) == close(2 * 8**3 * LOG * 80 + 2.25)
    assert bounds.dp_robust_ucb_upper(**private) == close(LOG**4.5 / 0.5 * 80 + 0.75)
    pulls = 36**3 * math.log(2 * HORIZON**4) * LOG**3.5 / 0.5 * 80
    for c, scale in ((18.0, 1.0), (9.0, 0.125)):
        assert bounds.dp_robust_ucb_upper(**private, **corrected, c=c) == close(scale * pulls + 6 * 0.75)
    assert bounds.dp_robust_ucb_upper(**private | {"horizon": 1}, **corrected) == close(6 * 0.75)
    large = private | {"u": 8.0}
    assert bounds.dp_upper(**large) == close(4 * LOG / 0.5 * 20 + 0.5)
    assert bounds.dp_upper(**large, variant="rate") == close(64 * LOG / 0.5 * 20 + 0.5)
    assert bounds.ldp_upper(**private) == close(16 * LOG / 0.25 * 20 + 0.5)
    assert bounds.ldp_upper(**private, variant="rate") == close(16 * LOG / 0.25 * 1056 + 0.5)
    # v = 1: exponents 1/2; u^(1/4) = 2, u^(2/2) = 16
    four = {"n_arms": 4, "v": 1.0, "u": 16.0, "horizon": HORIZON}
    assert bounds.dp_upper_independent(**four, epsilon=0.25) == close(2 * math.sqrt(16 * LOG * HORIZON))
    assert bounds.ldp_upper_independent(**four, epsilon=0.5) == close(16 * math.sqrt(16 * LOG * HORIZON))


def test_corrected_upper_bounds_count_the_pulls():
    # gap 1/4 leaves after the epoch of 1/8, gap 1/2 after that of 1/4; L grows with the epoch
    for name, inside, epoch_of in (("dp", 4, bounds.dp_epoch), ("ldp", 8, bounds.ldp_epoch)):
        law = {"v": 0.9, "u": 2.0, "epsilon": 0.5}
        pulls = [epoch_of(epoch=e, log=math.log(inside * 4 * e**2 / 0.01), **law).pulls for e in (1, 2, 3)]
        game = {"means": MEANS, "horizon": HORIZON, "variant": "corrected"} | law
        expected = 0.25 * sum(pulls) + 0.5 * sum(pulls[:2]) + 2 * 0.01 * HORIZON * 0.5
        found = UPPER[name](beta=0.01, **game)
        assert found == close(expected, rel=1e-12)
        default = UPPER[name](**game)
        assert default == close(UPPER[name](beta=1 / HORIZON, **game), rel=1e-12)


def test_corrected_instance_independent_bounds_by_hand(v=0.5):
    """Gaps up to 2^-m cost T 2^-m; each of the 3 other arms at most 2^(1-m) a pull of the first m epochs."""
    for bound, inside, epoch_of in (
        (bounds.dp_upper_independent, 4, bounds.dp_epoch),
        (bounds.ldp_upper_independent, 8, bounds.ldp_epoch),
    ):
        horizon, played, costs = 10**13, 0.0, [10.0**13]
        for m in range(1, 60):
            log = math.log(inside * 4 * m**2 * horizon)
            played += epoch_of(epoch=m, log=log, v=v, u=0.1, epsilon=0.5).pulls
            costs.append(horizon * 2.0**-m + 3 * 2.0 ** (1 - m) * played)
        assert costs.index(min(costs)) > 1  # not the trivial bound
        found = bound(n_arms=4, v=v, u=0.1, epsilon=0.5, horizon=horizon, variant="corrected")
        assert found == close(min(costs) + 2, rel=1e-12)


def test_lower_bounds_by_hand():
    # v = 1: p = gap^2 / u = 1/100; 3 bad arms
    game, p, corrected = {"n_arms": 4, "gap": 0.1, "v": 1.0, "horizon": HORIZON}, 0.01, {"variant": "corrected"}
    assert bounds.dp_lower(**game, epsilon=0.5) == close(3 * LOG / 0.5 / 0.1)
    exact = -math.log(1 - p * (1 - math.exp(-0.1)))
    assert bounds.dp_lower(**game, epsilon=0.1, **corrected) == close(3 * 0.1 * LOG / exact)
    assert bounds.ldp_lower(**game, epsilon=0.5) == close(3 * LOG / 0.25 / 0.1)
    weight = math.log(1.5)  # e^eps = 1.5: C = 0.25
    assert bounds.local_loss(epsilon=weight) == close(0.25)
    assert bounds.local_loss(epsilon=1.0) == close((math.e - 1) ** 2)
    for u, mass in ((1.0, p), (0.5, 2 * p)):
        found = bounds.ldp_lower(**game, epsilon=weight, u=u, **corrected)
        assert found == close(3 * 0.1 * LOG / (0.25 * mass**2))
    assert bounds.ldp_lower(**game, epsilon=weight, u=0.01, **corrected) == 0.0
    # v = 1/2: p = (gap^1.5 / u)^2 = gap^3
    found = bounds.ldp_lower(**game | {"n_arms": 2, "v": 0.5}, epsilon=weight, **corrected)
    assert found == close(0.1 * LOG / (0.25 * 1e-6))


def test_the_two_hypotheses_are_optimised_over_the_gap():
    """By brute force over the gap: T g/8 exp(-loss T p^j / (K-1)), with p the mass that lifts an arm to 2 g."""
    central, local = bounds.dp_lower_independent, partial(bounds.ldp_lower_independent, variant="corrected")
    share = 0.5 * 3 / (0.5 * 1e6)
    assert central(n_arms=4, epsilon=0.5, v=1.0, horizon=10**6) == close(1e6 / 16 * math.sqrt(share / math.e))
    assert bounds.ldp_lower_independent(n_arms=4, epsilon=0.5, v=1.0, horizon=10**4) == close(math.sqrt(16) * 100)
    assert local(n_arms=4, epsilon=math.log(1.5), v=1.0, horizon=1) == 0.0
    game = {"n_arms": 5, "epsilon": 0.5, "v": 0.5, "u": 2.0, "horizon": 10**7}
    gaps = np.logspace(-5, -0.5, 4001)
    mass = ((2 * gaps) ** 1.5 / 2.0) ** 2
    for bound, loss, exponent in ((central, 0.5, 1), (local, bounds.local_loss(epsilon=0.5), 2)):
        best = np.max(1e7 * gaps / 8 * np.exp(-loss * 1e7 / 4 * mass**exponent) * (mass <= 1))
        assert bound(**game) == close(best, rel=1e-4)


def test_lower_bounds_of_bounded_rewards_by_hand():
    # gap 1/10: divergence of means 1/2 and 0.6 is -ln(0.96)/2
    central = [lemmas.bounded_lower(4, 0.1, e, HORIZON, local=False, variant="corrected") for e in (1.0, 0.01)]
    assert central == close([3 * 0.1 * LOG / (-0.5 * math.log(0.96)), 3 * 0.1 * LOG / (0.01 * 0.1)])
    found = lemmas.bounded_lower(4, 0.1, math.log(1.5), HORIZON, local=True, variant="corrected")
    assert found == close(3 * 0.1 * LOG / (0.25 * 0.01))
    assert lemmas.bounded_lower(4, 0.1, 0.5, HORIZON, local=False) == close(4 * LOG / 0.5 + 3 * LOG / 0.1)
    assert lemmas.bounded_lower(4, 0.1, 0.5, HORIZON, local=True) == close(3 * LOG / (0.25 * 0.1))
    assert lemmas.bounded_lower_independent(4, 0.5, 10**4, local=False) == close(200 + 8 * math.log(10**4))
    assert lemmas.bounded_lower_independent(4, 0.5, 10**4, local=True) == close(400)
    # without privacy, v = 1: p = 1/100
    assert lemmas.plain_lower(3, 0.1, 1.0, HORIZON) == close(0.2 * LOG / -math.log(0.99))


@pytest.mark.parametrize("local", [False, True])
def test_bounded_hypotheses_are_optimised_over_the_gap(local):
    """By brute force over the gap g: T g/8 exp(-loss T (2g)^2 / (K-1)), with the divergence of means 2g apart."""
    arms, horizon, epsilon = 5, 10**8, 0.3
    gaps = np.logspace(-5, -1.1, 4001)
    divergence = -0.5 * np.log1p(-4 * (2 * gaps) ** 2)
    assert np.all(divergence <= 4 * (2 * gaps) ** 2)
    loss = bounds.local_loss(epsilon=epsilon) * (2 * gaps) ** 2 if local else 4 * (2 * gaps) ** 2
    best = np.max(horizon * gaps / 8 * np.exp(-loss * horizon / (arms - 1)))
    found = lemmas.bounded_lower_independent(arms, epsilon, horizon, local=local, variant="corrected")
    assert found == close(best, rel=1e-4)


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
            pulls = [bounds.ldp_epoch(epoch=epoch, log=log, epsilon=epsilon, v=v, u=u, c=c).pulls for epoch in (1, 2)]
            off = [lemmas.ldp_confidence(epsilon, math.sqrt(log / number)) for number in pulls]
            assert max(off) == off[0] <= c / 4 < 1.02 * off[0]
            assert 20.0 < c < 24.0


def test_no_share_of_the_radius_is_above_the_proved_one():
    """Nearest where v is small and T a power of two, at which the tree has one level more."""
    horizons = (200, 255, 256, 257, 511, 512, 10**6, 10**300)
    parts = [lemmas.dp_robust_ucb_error(7, 1.0, v, 3.0, t) for v in (0.025, 0.5, 1.0) for t in horizons]
    shares = [(one.bias + one.sampling + one.noise) / one.radius for one in parts]
    assert 0.89 < max(shares) < lemmas.radius_share() < 0.96


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


@pytest.mark.parametrize(("n_arms", "epsilon", "horizon"), [(2, 1.0, 10**3), (50, 1e-4, 10**12)])
def test_the_private_bound_is_the_one_that_its_proof_gives(n_arms, epsilon, horizon):
    """B >= c ln(T / (32 B)): at the bound itself the right side is at least as large, and at 1.5 times it, less."""
    bound, scale = lemmas.private_lower(n_arms, epsilon, horizon), (n_arms - 1) / (2 * epsilon)
    assert 0.0 < bound <= scale * math.log(horizon / (32 * bound))
    assert 1.5 * bound > scale * math.log(horizon / (32 * 1.5 * bound))
    assert bound < horizon / 8  # below what the first arm alone has where another is raised
    assert lemmas.private_lower(n_arms, epsilon, int(32 * scale)) == 0.0


@pytest.mark.parametrize("gap", [0.9, 0.3, 1e-3])
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


def test_the_worst_gap_of_ldp_ucb_balances_its_two_terms():
    arms, epsilon, horizon = 5, 0.5, 10**9
    gaps = np.geomspace(1e-6, 1, 4001)
    rest = (1 + math.pi**2 / 3) * (arms - 1)
    of_larger = (arms - 1) * 8 * math.log(horizon) / (math.tanh(epsilon / 2) ** 2 * gaps)
    least = np.min(gaps * horizon + of_larger) + rest
    assert lemmas.ldp_ucb_upper_independent(arms, epsilon, horizon) == close(least, rel=1e-5)
    worst = max(min(gap * horizon, lemmas.ldp_ucb_upper(arms, gap, epsilon, horizon)) for gap in gaps)
    assert worst <= least


# --- quantiles


@pytest.mark.parametrize("shape", [1.35, 1.95])
def test_the_width_for_a_regular_tail_covers_quantiles_means(shape):
    """Its two conditions are equalities in the limit for Pareto laws, and its parts add up by hand."""
    excess, second, scale = shape / (shape - 1), shape / (2 - shape), 0.3
    for threshold in (0.31, 1.0, 50.0):
        tail = (scale / threshold) ** shape
        beyond = excess * scale - truncated_moment(scale * excess, shape, threshold, 1.0)
        assert beyond == close(excess * threshold * tail)
        assert truncated_moment(scale * excess, shape, threshold, 2.0) <= second * threshold**2 * tail
    assert bounds.quantile_width(excess=excess, second=second) == close(14 * excess + math.sqrt(28 * second) + 7 / 3)
    # of g, the rewards beyond the threshold: what counts, choice and the tail of a binomial law allow
    assert 14 - math.sqrt(28) > 2 + 7 / 3 + 4

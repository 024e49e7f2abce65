"""The robust index algorithms: kernel against reference, limits, privacy of the trees."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from private_bandits import mechanisms, simulate
from private_bandits.baselines import ucb
from private_bandits.kernels import robust
from private_bandits.papers.heavy_tailed import algorithm_1, bubeck_robust_ucb, dp_robust_ucb, robust_ucb
from private_bandits.papers.heavy_tailed.instances import SETTINGS, ParetoArms, pareto_arms, setting
from private_bandits.problems import Arms, SemiBandit
from private_bandits.reference_tools import Binary
from private_bandits.simulate import streams, trace

HORIZON = 600
MEANS = [0.9, 0.7, 0.5, 0.3, 0.1]


def played(problem, policy, horizon, seed, replication=0):
    return trace(problem, policy, horizon=horizon, seed=seed, replication=replication)[:, 0].tolist()


# --- the algorithms


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(("epsilon", "c"), [(0.5, 18.0), (1.0, 0.3), (20.0, 0.05)])
def test_dp_robust_ucb_plays_its_reference(epsilon, c, v):
    problem = pareto_arms(MEANS, 1.1 + v)
    for replication in range(2):
        policy, source = dp_robust_ucb(epsilon, v, 2.0, 1000, c=c), streams(5, replication)
        shown = trace(problem, policy, horizon=HORIZON, seed=5, replication=replication)
        assert shown.tolist() == algorithm_1.reference(problem, HORIZON, source, epsilon, v, 2.0, 1000, c)


@pytest.mark.parametrize("v", [0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("u", [0.01, 2.0])
def test_robust_ucb_plays_its_reference(u, v):
    problem = pareto_arms(MEANS, 1.1 + v)
    for length in (1000, None):
        shown = trace(problem, robust_ucb(v, u, length), horizon=HORIZON, seed=5)
        assert shown.tolist() == bubeck_robust_ucb.reference(problem, HORIZON, streams(5, 0), v, u, length)
    wider = robust_ucb(v, u, 1000, c=18.0)
    assert wider.record.factor == 4.5 * robust_ucb(v, u, 1000).record.factor and "times 4.5" in wider.version


def test_equal_arms_are_told_apart_by_the_choice_stream_only():
    """Arms that always pay 0 tie whenever their pulls are equal; without noise nothing else is random."""
    problem = pareto_arms([0.0, 0.0, 0.0], 1.5)
    one, other = (played(problem, robust_ucb(0.5, 1.0, 1000), 300, seed) for seed in (1, 2))
    assert one[:3] == other[:3] == [0, 1, 2]
    assert one != other
    for start in range(3, 300, 3):
        assert sorted(one[start : start + 3]) == [0, 1, 2]


def test_a_run_in_pieces_is_the_same_run():
    problem, policy = pareto_arms(MEANS, 1.6), dp_robust_ucb(1.0, 0.5, 2.0, 500, c=0.3)
    regrets = []
    for pieces in ([(1, 500)], [(1, 3), (4, 4), (5, 317), (318, 500)]):
        record, shown, marks = problem.record(), np.zeros((0, 0), np.int64), np.array([1, 4, 100, 500])
        state, regret, source = robust.start(record, policy.record), np.zeros(4), streams(3, 0)
        for first, last in pieces:
            robust.advance(record, policy.record, state, first, last, marks, regret, shown, *source)
        regrets.append(regret.tolist())
    assert regrets[0] == regrets[1]


def test_regret_is_the_sum_of_the_gaps_played():
    problem, policy = pareto_arms(MEANS, 1.6), robust_ucb(0.5, 0.1)
    arms = played(problem, policy, 400, 9)
    result = simulate(problem, policy, horizon=400, replications=1, seed=9, checkpoints=[7, 100])
    expected = [np.sum(problem.gaps[arms[:t]]) for t in (7, 100, 400)]
    np.testing.assert_allclose(result.regret.values[0], expected, rtol=1e-12)
    assert expected[-1] > 0.0


def test_without_privacy_it_is_robust_ucb_and_draws_no_noise():
    problem = pareto_arms(MEANS, 1.6)
    policy = dp_robust_ucb(math.inf, 0.5, 2.0, 500)
    assert policy.record == robust_ucb(0.5, 2.0, 500).record
    assert policy.privacy.label() == "no privacy"
    record, source = problem.record(), streams(3, 0)
    before = source.noise.bit_generator.state
    robust.advance(
        record,
        policy.record,
        robust.start(record, policy.record),
        1,
        500,
        np.array([500]),
        np.zeros(1),
        np.zeros((0, 0), np.int64),
        *source,
    )
    assert source.noise.bit_generator.state == before


def test_robust_ucb_learns_and_the_printed_dp_box_does_not_yet():
    """At T = 10^5 the bonus of DP Robust UCB is far above 1: nearly uniform play."""
    problem = setting(1, 0.9)
    u, horizon = problem.moment(0.9), 10**5
    uniform = problem.uniform_regret() * horizon
    learns = simulate(problem, robust_ucb(0.9, u, horizon), horizon=horizon, replications=3, seed=1).regret[:, -1]
    private = simulate(problem, dp_robust_ucb(1.0, 0.9, u, horizon), horizon=horizon, replications=3, seed=1)
    assert float(learns.max()) < 0.4 * uniform
    assert float(private.regret[:, -1].min()) > 0.97 * uniform


def test_bernoulli_rewards_are_played_too():
    problem = Arms.bernoulli([0.9, 0.1])
    result = simulate(problem, robust_ucb(1.0, 1.0, 20_000), horizon=20_000, replications=3, seed=1)
    assert 0.0 < float(result.regret[:, -1].max()) < 0.5 * problem.uniform_regret() * 20_000


# --- privacy


@pytest.mark.parametrize("horizon", [2, 100, 127, 128])
def test_what_the_trees_pay_is_exactly_epsilon(horizon):
    """The loss of one reward: its change over the scale, added over the nodes that hold it."""
    epsilon, v, u = 0.7, 0.5, 2.0
    policy = dp_robust_ucb(epsilon, v, u, horizon)
    tree = Binary(epsilon, horizon.bit_length(), None)
    thresholds = [(epsilon * u * k / math.log(horizon) ** 1.5) ** (1 / (1 + v)) for k in range(1, horizon + 1)]
    for threshold in thresholds:
        tree.scale = 2 * threshold * horizon.bit_length() / epsilon  # as the reference has it
        tree.add(0.0)
    # the node that is formed with leaf k ends there, as many leaves long as the lowest bit of k
    nodes = {(k - (k & -k) + 1, k): scale for k, (_, scale) in enumerate(tree.record, start=1)}
    paid = [
        sum(2 * threshold / scale for (first, last), scale in nodes.items() if first <= k <= last)
        for k, threshold in enumerate(thresholds, start=1)
    ]
    assert max(paid) <= epsilon * (1 + 1e-12)
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon)
    # the kernel's node scale, at its first leaf
    assert policy.record.scale * thresholds[0] == pytest.approx(nodes[1, 1])
    # as calibrated: if thresholds did not grow, a reward of the first leaf would pay all of it
    assert sum(first <= 1 <= last for first, last in nodes) == horizon.bit_length()


def test_the_noise_of_a_mean_has_the_scale_of_its_nodes():
    """One arm that always pays 0: its mean is noise alone, of the nodes of the set bits of n."""
    epsilon, v, n = 1.0, 0.5, 22  # nodes 1-16, 17-20, 21-22
    problem, policy = pareto_arms([0.0], 2.0), dp_robust_ucb(epsilon, v, 2.0, 1000)
    record, shown = problem.record(), np.zeros((0, 0), np.int64)
    sums = []
    for replication in range(4000):
        state = robust.start(record, policy.record)
        robust.advance(record, policy.record, state, 1, n, np.array([n]), np.zeros(1), shown, *streams(2, replication))
        sums.append(state.mean[0] * n)
    levels = 10  # 1000 rounds
    scales = [2 * (2 * k / math.log(1000) ** 1.5) ** (1 / 1.5) * levels for k in (16, 20, 22)]
    assert np.var(sums) == pytest.approx(2 * sum(scale**2 for scale in scales), rel=0.15)
    assert policy.record.scale == levels * mechanisms.laplace_scale(epsilon, 2.0)


# --- what is refused, what is recorded


@pytest.mark.parametrize("bad", [0.0, -0.5, 1.5, math.nan, math.inf, True, "half"])
def test_v_outside_its_range_is_refused(bad):
    for make in (lambda: robust_ucb(bad, 1.0), lambda: dp_robust_ucb(1.0, bad, 1.0, 10), lambda: setting(1, bad)):
        with pytest.raises(ValueError, match=r"^v must be"):
            make()


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, None])
def test_u_must_be_positive(bad):
    for make in (lambda: robust_ucb(0.5, bad), lambda: dp_robust_ucb(1.0, 0.5, bad, 10)):
        with pytest.raises(ValueError, match=r"^u must be"):
            make()


def test_the_other_arguments_are_checked():
    for bad in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match=r"^epsilon must be"):
            dp_robust_ucb(bad, 0.5, 1.0, 10)
        with pytest.raises(ValueError, match=r"^c must be"):
            dp_robust_ucb(1.0, 0.5, 1.0, 10, c=bad)
    for bad in (1, 2.5, True):
        with pytest.raises(ValueError, match=r"^horizon must be"):
            dp_robust_ucb(1.0, 0.5, 1.0, bad)
    with pytest.raises(ValueError, match=r"^shape must be > 1"):
        pareto_arms(MEANS, 1.0)
    with pytest.raises(ValueError, match=r"^means\[1\] must be >= 0"):
        pareto_arms([0.5, -0.1], 1.5)
    with pytest.raises(ValueError, match=r"^number must be >= 1 and <= 3"):
        setting(4, 0.5)
    with pytest.raises(ValueError, match=r"^shape must be > 1.5"):
        setting(1, 0.5, 1.5)
    with pytest.raises(ValueError, match="horizon must be <= 100"):
        simulate(pareto_arms(MEANS, 1.6), dp_robust_ucb(1.0, 0.5, 1.0, 100), horizon=101, replications=1, seed=0)
    with pytest.raises(ValueError, match="needs Arms"):
        simulate(SemiBandit.top_k(MEANS, 1), robust_ucb(0.5, 1.0), horizon=10, replications=1, seed=0)


@pytest.mark.parametrize("v", [0.5, 0.9])
def test_an_infinite_moment_is_refused_and_a_small_u_is_recorded(v):
    for policy in (robust_ucb(v, 1e-3), dp_robust_ucb(1.0, v, 1e-3, 50)):
        with pytest.raises(ValueError, match=rf"moment of order {1 + v:g} must be finite"):
            simulate(pareto_arms(MEANS, 1.0 + v), policy, horizon=50, replications=1, seed=0)
        problem = pareto_arms(MEANS, 1.01 + v)
        result = simulate(problem, policy, horizon=50, replications=1, seed=0)
        assert result.attrs["u"] == 1e-3 < result.attrs["moment"] == problem.moment(v)
        assert result.attrs["v"] == v
    with pytest.raises(ValueError, match=r"rewards must be in \[0, 1\] for UCB"):
        simulate(pareto_arms(MEANS, 3.0), ucb(), horizon=50, replications=1, seed=0)


def test_a_learner_sees_pareto_rewards():
    class Watches:
        name = "watches"

        def __init__(self):
            self.seen = []

        def __deepcopy__(self, memo):
            return self

        def start(self, problem, choice, noise):
            return self

        def ask(self):
            return [1]

        def tell(self, weights):
            self.seen += weights

    learner = Watches()
    simulate(pareto_arms([0.5, 2.0], 3.0), learner, horizon=2000, replications=1, seed=0)
    assert min(learner.seen) >= 2.0 * 2.0 / 3.0
    assert np.mean(learner.seen) == pytest.approx(2.0, rel=0.1)


# --- instances


def test_moments_by_hand():
    problem = pareto_arms([1.0, 0.5, 0.0], 3.0)
    # scale 2/3; E X^2 = 3 (4/9) / (3 - 2)
    np.testing.assert_allclose(problem.moments(1.0), [4 / 3, 1 / 3, 0.0])
    assert problem.moment(1.0) == pytest.approx(4 / 3)
    assert pareto_arms([1.0, 0.0], 1.9).moments(0.9).tolist() == [math.inf, 0.0]
    assert problem.best == 1.0
    np.testing.assert_allclose(problem.gaps, [0.0, 0.5, 1.0])
    assert pareto_arms([3.0, 1.0], 2.0).uniform_regret() == 1.0


def test_the_settings_of_the_slides():
    assert SETTINGS[2] == (0.9, 0.55, 0.3, 0.15, 0.1)
    for number, means in SETTINGS.items():
        problem = setting(number, 0.5)
        assert problem.means.tolist() == list(means)
        assert problem.record().shape == problem.shape == pytest.approx(1.55)
    assert setting(1, 0.5).moment(0.5) == pytest.approx(5.5946, abs=1e-4)
    assert setting(1, 0.5, 4.0).shape == 4.0


def test_pareto_arms_survive_a_pickle():
    problem = pickle.loads(pickle.dumps(setting(3, 0.9)))
    assert isinstance(problem, ParetoArms)
    assert problem.shape == pytest.approx(1.95)
    assert not problem.means.flags.writeable

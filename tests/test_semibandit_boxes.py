"""The boxes of Chen et al. (2020): against their transcriptions, limits, constants, what is paid, instances."""

from __future__ import annotations

import itertools
import math

import naive_semibandits as naive
import numpy as np
import pytest

from private_bandits.kernels import index
from private_bandits.papers.semibandits import boxes, instances
from private_bandits.papers.semibandits.boxes import cucb, cucb_dp, cucb_dp_least_pulled, cucb_ldp1, cucb_ldp2
from private_bandits.simulate import simulate, streams, trace

T = 400
LOG = math.log(T)
EPSILONS = (1.0, 20.0, 400.0, 4000.0)  # at the larger ones the indices of every box leave the cap


def settings():
    """Each instance with the decision set, reward and shared draws written out again."""
    means = [0.5] * 3 + [0.2] * 3
    yield "top-K", instances.top_k(6, 3, 0.3), naive.top_k(means, 3)
    means = [0.5] * 2 + [0.3] * 4
    paths = [[0, 1], [2, 3], [4, 5]]
    yield (
        "K-path",
        instances.k_path(6, 2, 0.8, b_1=2.0),
        naive.listed(means, paths, naive.linear([2.0] * 6), [0, 0, 1, 1, 2, 2]),
    )
    means = [0.5] * 3 + [0.4] * 5
    sets = [[0, 1, 2], [3, 4, 5], [3, 4, 6], [3, 4, 7]]
    yield (
        "public",
        instances.public_arms(8, 3, 0.3),
        naive.listed(means, sets, naive.linear([1.0] * 8), [-1, -1, -1, 0, 0, -1, -1, -1]),
    )
    means = [0.5, 0.4, 0.4, 0.4, 0.5, 0.5]
    sets = [[i, 4, 5] for i in range(4)]
    yield (
        "one valuable",
        instances.one_valuable(6, 3, 0.1),
        naive.listed(means, sets, naive.linear([1.0] * 4 + [0.0] * 2)),
    )


SETTINGS = {name: (problem, plain) for name, problem, plain in settings()}


def transcribed(size, n_arms, epsilon):
    """Each box beside a run of its transcription, with the printed or derived constants written out here."""
    levels = 9  # floor(log2 400) + 1
    local, single = size / epsilon, 1 / epsilon

    def radius(log, b, n):
        return math.sqrt(1.5 * log / n + 12 * b * b * log / n) + 3 * b * log / n

    def tree_bonus(k):
        wide = 2 * math.sqrt(levels * 2 * LOG) + 2 * LOG
        return lambda t, n: math.sqrt(1.5 * math.log(t) / n) + k * levels / epsilon * wide / n

    def printed_tree(k):
        return lambda t, n: math.sqrt(4 * math.log(n_arms * T) / n) + 12 * k * LOG**3 / (n * epsilon)

    def plain(t, n):  # in the kernel's order of operations: without noise a rounding decides a tie
        return math.sqrt(1.5 * math.log(t)) * (1 / math.sqrt(n))

    one, two, three = naive.algorithm_1, naive.algorithm_2, naive.algorithm_3
    return {
        "cucb": (cucb(), one, math.inf, plain),
        "cucb least": (cucb("least"), two, math.inf, plain),
        "ldp1": (
            cucb_ldp1(epsilon, size, "printed", T),
            one,
            epsilon,
            lambda t, n: 4 * math.sqrt(2 * size * LOG / (epsilon**2 * n)),
        ),
        "ldp1 anytime": (
            cucb_ldp1(epsilon, size),
            one,
            epsilon,
            lambda t, n: 4 * math.sqrt(2 * size * math.log(t) / (epsilon**2 * n)),
        ),
        "ldp1 repaired": (
            cucb_ldp1(epsilon, size, "repaired"),
            one,
            epsilon,
            lambda t, n: radius(math.log(t), local, n),
        ),
        "ldp1 repaired, ln T": (
            cucb_ldp1(epsilon, size, variant="repaired", horizon=T),
            one,
            epsilon,
            lambda t, n: radius(LOG, local, n),
        ),
        "ldp2": (cucb_ldp2(epsilon, horizon=T), two, epsilon, lambda t, n: 4 * math.sqrt(2 * LOG / (epsilon**2 * n))),
        "ldp2 repaired": (
            cucb_ldp2(epsilon, variant="repaired"),
            two,
            epsilon,
            lambda t, n: radius(math.log(t), single, n),
        ),
        "dp": (cucb_dp(epsilon, size, n_arms, T), three, 2 * size * math.log2(T) / epsilon, printed_tree(size)),
        "dp repaired": (
            cucb_dp(epsilon, size, n_arms, T, "repaired"),
            three,
            size * levels / epsilon,
            tree_bonus(size),
        ),
        "dp least": (
            cucb_dp_least_pulled(epsilon, size, n_arms, T),
            three,
            2 * math.log2(T) / epsilon,
            printed_tree(1),
            True,
        ),
        "dp least repaired": (
            cucb_dp_least_pulled(epsilon, size, n_arms, T, variant="repaired"),
            three,
            levels / epsilon,
            tree_bonus(1),
            True,
        ),
    }


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", SETTINGS)
def test_boxes_play_their_transcriptions(name, epsilon):
    problem, plain = SETTINGS[name]
    for label, case in transcribed(problem.list_size, problem.n_items, epsilon).items():
        policy, transcription, *arguments = case
        shown = trace(problem, policy, horizon=T, seed=11)
        np.testing.assert_array_equal(shown, transcription(plain, T, streams(11, 0), *arguments), err_msg=label)


def test_the_transcriptions_tell_a_factor_of_two():
    """What the test above rests on: half or twice any constant of a box plays other super arms in some case."""
    cases = [
        (problem, label, policy)
        for epsilon in EPSILONS
        for problem, _ in SETTINGS.values()
        for label, (policy, *_) in transcribed(problem.list_size, problem.n_items, epsilon).items()
    ]
    for wanted in transcribed(3, 6, 1.0):
        for constant, factor in itertools.product(("terms", "scale", "bonus_scale"), (0.5, 2.0)):
            told = unmoved = 0
            for problem, label, policy in cases:
                value = getattr(policy.record, constant)
                if label == wanted and np.any(value):
                    other = replace_record(policy, policy.record._replace(**{constant: value * factor}))
                    shown, changed = (trace(problem, p, horizon=T, seed=11) for p in (policy, other))
                    told += not np.array_equal(shown, changed)
                    unmoved += 1
            # the noise of this box is a hundredth of its bonus, so its scale is asserted below
            assert told or not unmoved or (wanted, constant) == ("dp least", "scale"), (wanted, constant, factor)


def test_a_negative_index_makes_any_super_arm_be_played():
    """At K = 20 the printed bonus leaves indices below 0; the repaired one of the same run does not."""
    problem, plain = instances.top_k(22, 20, 0.3), naive.top_k([0.5] * 20 + [0.2] * 2, 20)
    for variant, falls in (("printed", True), ("repaired", False)):
        policy = cucb_ldp1(5.0, 20, variant)
        shown = trace(problem, policy, horizon=T, seed=3)
        stubborn = trace(problem, replace_record(policy, policy.record._replace(fallback=False)), horizon=T, seed=3)
        assert np.array_equal(shown, stubborn) is not falls
    printed = trace(problem, cucb_ldp1(5.0, 20), horizon=T, seed=3)
    arguments = (5.0, lambda t, n: 4 * math.sqrt(2 * 20 * math.log(t) / (25 * n)))
    np.testing.assert_array_equal(printed, naive.algorithm_1(plain, T, streams(3, 0), *arguments))


def test_constants_of_the_trees():
    for box, reach in ((cucb_dp, 3), (cucb_dp_least_pulled, 1)):
        printed, repaired = (box(0.5, 3, 6, 1000, variant).record for variant in boxes.VARIANTS)
        assert printed.scale == pytest.approx(2 * reach * math.log2(1000) / 0.5)
        assert printed.bonus_scale == pytest.approx(12 * reach * math.log(1000) ** 3 / 0.5)
        np.testing.assert_allclose(printed.terms, [[0.0, 4 * math.log(6000)]])
        assert repaired.scale == pytest.approx(reach * 10 / 0.5)
        wide = 2 * math.sqrt(20 * math.log(1000)) + 2 * math.log(1000)
        assert repaired.bonus_scale == pytest.approx(repaired.scale * wide)
        np.testing.assert_array_equal(repaired.terms, [[1.5, 0.0]])


def replace_record(policy, record):
    return type(policy)(policy.name, policy.paper, policy.algorithm, policy.variant, policy.privacy, record)


# --- limits


def test_contract_signatures():
    problem = instances.top_k(8, 4, 0.3)
    for policy in (
        cucb(),
        cucb_ldp1(1.0, 4),
        cucb_ldp1(1.0, 4, "repaired"),
        cucb_ldp1(1.0, 4, variant="printed"),
        cucb_ldp2(1.0),
        cucb_ldp2(1.0, "repaired"),
        cucb_ldp2(1.0, variant="printed"),
        cucb_dp(1.0, 4, 8, 50),
        cucb_dp(1.0, 4, 8, 50, variant="repaired"),
        cucb_dp_least_pulled(1.0, 4, 8, 50),
    ):
        regret = simulate(problem, policy, horizon=50, replications=2, seed=0).regret
        assert np.all(np.isfinite(regret))
        assert policy.paper in ("chen2013", "chen2020")
    assert simulate(problem, cucb_dp(1.0, 4, 8, 1), horizon=1, replications=1, seed=0).regret.shape == (1, 1)


@pytest.mark.parametrize("name", SETTINGS)
def test_without_privacy_every_repair_is_cucb_with_its_update(name):
    problem, _ = SETTINGS[name]
    size, arms = problem.list_size, problem.n_items

    def plays(policy):
        return trace(problem, policy, horizon=2000, seed=2)

    everything, least = plays(cucb()), plays(cucb("least"))
    np.testing.assert_array_equal(plays(cucb_ldp1(math.inf, size, "repaired")), everything)
    np.testing.assert_array_equal(plays(cucb_dp(math.inf, size, arms, 2000, "repaired")), everything)
    np.testing.assert_array_equal(plays(cucb_ldp2(math.inf, "repaired")), least)
    np.testing.assert_array_equal(plays(cucb_dp_least_pulled(math.inf, size, arms, 2000, "repaired")), least)
    assert not np.array_equal(everything, least)


def test_without_privacy_the_printed_local_boxes_keep_no_bonus():
    for policy in (cucb_ldp1(math.inf, 3), cucb_ldp2(math.inf), cucb_ldp2(math.inf, horizon=10)):
        assert policy.record.terms.shape == (0, 2)
        assert policy.record.bonus == index.NO_BONUS
        assert policy.privacy.trust == "none"


@pytest.mark.parametrize("variant", boxes.VARIANTS)
@pytest.mark.parametrize("horizon", [None, 3000])
def test_one_arm_makes_the_local_boxes_one(variant, horizon):
    problem = instances.rescaled(6, 0.3)
    shown = [
        trace(problem, policy, horizon=3000, seed=4)
        for policy in (cucb_ldp1(2.0, 1, variant, horizon), cucb_ldp2(2.0, variant, horizon))
    ]
    np.testing.assert_array_equal(*shown)
    central = [
        trace(problem, box(200.0, 1, 6, 3000, variant), horizon=3000, seed=4) for box in (cucb_dp, cucb_dp_least_pulled)
    ]
    np.testing.assert_array_equal(*central)


def test_the_bonus_has_k_where_the_noise_has_k_squared():
    """The ratio of printed bonus and deviation of the noise falls as 1/sqrt(K); that of the repaired one does not."""
    for size in (4, 16):
        printed, repaired = (cucb_ldp1(0.01, size, v).record for v in boxes.VARIANTS)
        single = cucb_ldp1(0.01, 1).record
        assert printed.scale == size / 0.01
        assert printed.terms[0, 0] == pytest.approx(single.terms[0, 0] * size)
        assert repaired.terms[0, 0] == pytest.approx(1.5 + 12 * (size / 0.01) ** 2)


# --- privacy


def corners(size):
    return np.array(list(itertools.product((0.0, 1.0), repeat=size)))


@pytest.mark.parametrize("epsilon", [0.3, 5.0])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_local_boxes_pay_exactly_epsilon(epsilon, size):
    """The log ratio of two densities of Laplace reports is largest where no noise crosses the outcomes."""
    for variant in boxes.VARIANTS:
        for policy, sent in (
            (cucb_ldp1(epsilon, size, variant), corners(size)),
            (cucb_ldp2(epsilon, variant), corners(1)),
        ):
            scale = policy.record.scale
            reports = 50 + corners(sent.shape[1])
            losses = [np.sum(np.abs(y - a) - np.abs(y - b)) / scale for y in reports for a in sent for b in sent]
            assert policy.privacy.effective_epsilon == pytest.approx(max(losses), rel=1e-12)
            assert policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-12)
            assert policy.privacy.trust == "local"


@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("horizon", [2, 7, 8, 37])
@pytest.mark.parametrize("variant", boxes.VARIANTS)
def test_central_boxes_by_brute_force(least, horizon, variant):
    """Fix the super arms, change one user's outcomes in every way: the nodes that see it pay what is stated."""
    n_arms, size, epsilon = 4, 2, 0.7
    box = cucb_dp_least_pulled if least else cucb_dp
    policy = box(epsilon, size, n_arms, horizon, variant)
    rng = np.random.default_rng(horizon)
    played = [rng.permutation(n_arms)[:size] for _ in range(horizon)]
    reported, pulls = [], np.zeros(n_arms)
    for arms in played:
        reported.append([min(arms, key=lambda i: pulls[i])] if least else list(arms))
        pulls[reported[-1]] += 1
    worst = 0.0
    for changed in range(horizon):
        for before, after in itertools.product(corners(size), repeat=2):
            leaves = np.zeros((2, n_arms, horizon))
            for side, outcome in enumerate((before, after)):
                for arm, value in zip(played[changed], outcome, strict=True):
                    if arm in reported[changed]:
                        leaves[side, arm, changed] = value
            moved = sum(
                np.abs(leaves[0, :, n - (n & -n) : n].sum(axis=1) - leaves[1, :, n - (n & -n) : n].sum(axis=1)).sum()
                for n in range(1, horizon + 1)
            )
            worst = max(worst, moved / policy.record.scale)
    assert policy.privacy.effective_epsilon == pytest.approx(worst, rel=1e-12)
    assert worst == pytest.approx(epsilon) if variant == "repaired" else worst <= epsilon
    assert policy.privacy.trust == "central"


def test_printed_tree_pays_about_half():
    assert cucb_dp(1.0, 4, 20, 2).privacy.effective_epsilon == pytest.approx(1.0)
    assert cucb_dp(1.0, 4, 20, 1023).privacy.effective_epsilon == pytest.approx(5 / math.log2(1023))
    assert cucb_dp(1.0, 4, 20, 10**6).privacy.effective_epsilon == pytest.approx(20 / 2 / math.log2(10**6))
    assert cucb_dp(1.0, 4, 20, 1).privacy.effective_epsilon == math.inf  # log 1 = 0: no noise


# --- radii


def test_radii_by_hand():
    assert boxes.report_radius(0.0, 6, 3.0) == pytest.approx(math.sqrt(3.0 / 12))  # Hoeffding
    assert boxes.report_radius(2.0, 4, 3.0) == pytest.approx(math.sqrt(16.5 * 3 / 4) + 6 / 4)
    assert boxes.node_radius(4, 9.0) == pytest.approx(2 * 6 + 9)
    record = cucb_ldp1(0.5, 3, "repaired", 1000).record
    for n in (1, 10, 500):
        bonus = math.sqrt(record.terms[0, 1] / n) + record.bonus_scale / n
        assert bonus == pytest.approx(boxes.report_radius(6.0, n, 3 * math.log(1000)))


def test_repaired_radius_is_a_tail_bound_by_sampling():
    """With exp(-L) = 5 % a mean must leave its radius in at most 5 % of runs, and in more than 0.05 %."""
    rng = np.random.default_rng(0)
    for scale, n in ((0.5, 3), (3.0, 1), (3.0, 40), (0.01, 40)):
        reports = (rng.random((40_000, n)) < 0.5) + rng.laplace(0.0, scale, (40_000, n))
        below = np.mean(reports.mean(axis=1) < 0.5 - boxes.report_radius(scale, n, math.log(20)))
        assert 0.0005 < below < 0.05
    for levels in (1, 5, 17):
        sums = rng.laplace(0.0, 1.0, (40_000, levels)).sum(axis=1)
        assert 0.0005 < np.mean(sums > boxes.node_radius(levels, math.log(20))) < 0.05


# --- instances


def test_instances_have_their_gaps():
    path = instances.k_path(12, 4, 0.6, b_1=2.0)
    assert path.best == pytest.approx(4.0)
    np.testing.assert_allclose(np.sort(path.rewards), [3.4, 3.4, 4.0])
    assert (path.b_1, path.b_inf) == (2.0, 8.0)
    public = instances.public_arms(12, 4, 0.6, b_1=2.0)
    assert len(public.sets) == 12 - 2 * 4 + 2
    np.testing.assert_allclose(np.sort(public.rewards), [3.4] * 5 + [4.0])
    assert (public.b_1, public.b_inf) == (2.0, 8.0)
    bandit = instances.rescaled(5, 0.6, b_inf=3.0)
    np.testing.assert_allclose(bandit.rewards, [1.5, 0.9, 0.9, 0.9, 0.9])
    assert (bandit.b_1, bandit.b_inf) == (3.0, 3.0)
    one = instances.one_valuable(9, 4, 0.2)
    np.testing.assert_allclose(one.rewards, [0.5, 0.3, 0.3, 0.3, 0.3, 0.3])
    assert (one.b_1, one.b_inf, one.list_size) == (1.0, 1.0, 4)
    top = instances.top_k(9, 4, 0.2)
    assert (top.b_1, top.b_inf, top.list_size) == (1.0, 4.0, 4)
    for problem in (path, public, bandit, one, top):
        gaps = problem.smallest_gaps
        np.testing.assert_allclose(gaps[gaps > 0], 0.2 if problem in (one, top) else 0.6)
    covered = instances.coverage(5, 3, 2, 0.5, 0.2)
    assert covered.list_size == 6
    assert covered.best == pytest.approx(3 * (1 - 0.5**2))
    assert instances.coverage(5, 3, 2, 0.5, 0.2, "greedy", 0.5).benchmark == pytest.approx(
        (1 - 1 / math.e) * 0.5 * covered.best
    )


def test_shared_draws():
    """Arms of a path, and public arms, are one bit; the arms of the best super arm of `public_arms` are not."""
    for problem, alike, apart in (
        (instances.k_path(6, 3, 0.3), [[0, 1, 2], [3, 4, 5]], []),
        (instances.public_arms(9, 3, 0.3), [[3, 4]], [0, 1, 2, 5, 6]),
    ):
        groups = problem.groups
        for arms in alike:
            assert len({int(groups[i]) for i in arms}) == 1
            assert groups[arms[0]] >= 0
        assert all(groups[i] == -1 for i in apart)


# --- refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cucb("most"), "update must be one of"),
        (lambda: cucb_ldp1(-1.0, 4), "epsilon must be > 0, got -1.0"),
        (lambda: cucb_ldp1(1.0, 0), "size must be >= 1, got 0"),
        (lambda: cucb_ldp1(1.0, 4, "guess"), "variant must be one of 'printed', 'repaired'"),
        (lambda: cucb_ldp1(1.0, 4, horizon=0), "horizon must be >= 1"),
        (lambda: cucb_ldp2(0.0), "epsilon must be > 0"),
        (lambda: cucb_ldp2(True), "epsilon must be a number"),
        (lambda: cucb_dp(1.0, 5, 4, 10), "n_arms must be >= 5, got 4"),
        (lambda: cucb_dp(1.0, 4, 8, 0), "horizon must be >= 1"),
        (lambda: cucb_dp_least_pulled(1.0, 4, 8, 10, "x"), "variant must be one of"),
        (
            lambda: simulate(instances.top_k(6, 3, 0.1), cucb_ldp1(1.0, 2), horizon=5, replications=1, seed=0),
            "list_size=2",
        ),
        (lambda: trace(instances.top_k(6, 3, 0.1), cucb_dp(1.0, 3, 6, 4), horizon=5, seed=0), "horizon must be <="),
        (lambda: boxes.report_radius(1.0, 0, 1.0), "n must be >= 1"),
        (lambda: boxes.node_radius(0, 1.0), "levels must be >= 1"),
        (lambda: instances.top_k(4, 4, 0.1), "size must be >= 1 and <= 3, got 4"),
        (lambda: instances.top_k(8, 4, 0.6), "gap must be > 0 and <= 0.5, got 0.6"),
        (lambda: instances.k_path(10, 4, 0.1), "n_arms must be a multiple of size=4, got 10"),
        (lambda: instances.k_path(8, 4, 1.4), "gap must be < 0.35 b_1 size = 1.4, got 1.4"),
        (lambda: instances.public_arms(7, 4, 0.1), "n_arms must be >= 8, got 7"),
        (lambda: instances.rescaled(1, 0.1), "n_arms must be >= 2"),
        (lambda: instances.rescaled(3, 0.1, b_inf=0.0), "b_inf must be > 0"),
        (lambda: instances.one_valuable(4, 4, 0.1), "size must be"),
        (lambda: instances.coverage(3, 2, 3, 0.5, 0.1), "size must be"),
        (lambda: instances.coverage(3, 2, 2, 0.5, 0.6), "gap must be"),
        (lambda: instances.coverage(3, 2, 2, 0.5, 0.1, beta=0.0), "beta must be"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""The boxes of Wang et al. (2021): kernels against references, limits, and what is really paid."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits import mechanisms
from private_bandits.kernels import index, ratio
from private_bandits.papers.cascading import (
    algorithm_1,
    algorithm_2,
    algorithm_3,
    algorithm_4,
    b_lb,
    b_lb_semi,
    cascade_ucb1,
    cucb_gaussian,
    instances,
    kveton_algorithm_1,
    repair_first,
    repair_reply,
    repair_rounds,
    repaired_central,
    repaired_local,
    theorem_8,
    ucb_composition,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
    uniform,
    uniform_play,
)
from private_bandits.plain import click, largest, least_reported_first
from private_bandits.privacy import channel_loss, sensitivity
from private_bandits.problems import Cascade, SemiBandit
from private_bandits.simulate import simulate, streams, trace
from private_bandits_book.cascading.tables import length_channel

HORIZON = 400
MEANS = [0.3, 0.3, 0.2, 0.1, 0.1, 0.1, 0.05]
C_1 = mechanisms.lemma_1_constant()

CASES = {
    "ucb1": (lambda k: cascade_ucb1(), kveton_algorithm_1, {}),
    "laplace": (lambda k: ucb_laplace(0.5, k), algorithm_2, {"epsilon": 0.5}),
    "laplace published": (lambda k: ucb_laplace(0.5, k, 0.01), algorithm_2, {"epsilon": 0.5, "multiplier": 0.01}),
    "gaussian": (lambda k: ucb_gaussian(0.5, 1e-3, k), algorithm_3, {"epsilon": 0.5, "delta": 1e-3}),
    "gaussian published": (
        lambda k: ucb_gaussian(0.5, 1e-3, k, 0.01),
        algorithm_3,
        {"epsilon": 0.5, "delta": 1e-3, "multiplier": 0.01},
    ),
    "composition": (lambda k: ucb_composition(0.5, 1e-3, k), theorem_8, {"epsilon": 0.5, "delta": 1e-3}),
    "hybrid printed": (
        lambda k: ucb_hybrid(1.0, len(MEANS), HORIZON, 0.01),
        algorithm_1,
        {"epsilon": 1.0, "c_1": C_1, "multiplier": 0.01},
    ),
    "hybrid proof": (
        lambda k: ucb_hybrid(1.0, len(MEANS), HORIZON, 0.01, "proof"),
        algorithm_1,
        {"epsilon": 1.0, "c_1": C_1, "multiplier": 0.01, "variant": "proof"},
    ),
    "uniform": (lambda k: uniform(), uniform_play, {}),
    "first": (lambda k: repaired_local(1.0, k), repair_first, {"epsilon": 1.0}),
    "reply": (lambda k: repaired_local(1.0, k, "reply"), repair_reply, {"epsilon": 1.0}),
    "one_hot": (lambda k: repaired_local(1.0, k, "one_hot"), repair_reply, {"epsilon": 1.0, "design": "one_hot"}),
    "central first": (
        lambda k: repaired_central(1.0, len(MEANS), k, 1000),
        repair_first,
        {"epsilon": 1.0, "trust": "central"},
    ),
    "central rounds": (
        lambda k: repaired_central(1.0, len(MEANS), k, 1000, "rounds"),
        repair_rounds,
        {"epsilon": 1.0, "capacity": 1000},
    ),
}


@pytest.mark.parametrize("size", [1, 3, len(MEANS)])
@pytest.mark.parametrize("case", CASES)
def test_kernel_plays_the_reference(case, size):
    make, box, arguments = CASES[case]
    problem = Cascade(MEANS, size)
    for replication in range(3):
        shown = trace(problem, make(size), horizon=HORIZON, seed=7, replication=replication)
        expected = box.reference(problem, HORIZON, streams(7, replication), **arguments)
        np.testing.assert_array_equal(shown, expected)


@pytest.mark.parametrize(
    ("epsilon", "multiplier", "variant"),
    [
        (0.5, 1.0, "printed"),
        (0.5, 0.01, "printed"),
        (math.inf, 1.0, "printed"),
        (0.5, 1.0, "repaired"),
        (0.5, 0.1, "repaired"),
        (5.0, 1.0, "repaired"),
    ],
)
def test_cucb_plays_the_reference(epsilon, multiplier, variant):
    problem = SemiBandit.top_k(MEANS, 3)
    policy = cucb_gaussian(epsilon, 1e-3, len(MEANS), 3, multiplier, variant)
    for replication in range(3):
        shown = trace(problem, policy, horizon=HORIZON, seed=3, replication=replication)
        expected = algorithm_4.reference(problem, HORIZON, streams(3, replication), epsilon, 1e-3, multiplier, variant)
        np.testing.assert_array_equal(shown, expected)


@pytest.mark.parametrize("epsilon", [0.5, 5.0])
def test_repaired_cucb_pays_exactly_epsilon(epsilon):
    policy = cucb_gaussian(epsilon, 1e-3, len(MEANS), 3, variant="repaired")
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-6)
    assert policy.privacy.effective_delta == 1e-3


@pytest.mark.parametrize(
    "policy",
    [
        ucb_laplace(math.inf, 4),
        ucb_gaussian(math.inf, 1e-3, 4),
        ucb_composition(math.inf, 1e-3, 4),
        ucb_hybrid(math.inf, 20, 5000),
        ucb_hybrid(math.inf, 20, 5000, variant="proof"),
    ],
    ids=lambda policy: policy.name,
)
def test_without_privacy_every_box_is_cascade_ucb1(policy):
    problem = b_lb(20, 4, 0.2, 0.15)
    assert policy.privacy.trust == "none"
    np.testing.assert_array_equal(
        trace(problem, policy, horizon=5000, seed=1), trace(problem, cascade_ucb1(), horizon=5000, seed=1)
    )


def test_without_privacy_the_repairs_use_exact_data_and_the_same_radius():
    problem = b_lb(8, 2, 0.2, 0.15)

    def plays(policy, plain):
        shown = trace(problem, policy, horizon=HORIZON, seed=5)
        np.testing.assert_array_equal(shown, plain(problem.means, 2, HORIZON, streams(5, 0)))

    plays(repaired_local(math.inf, 2), _first_item_ucb1)
    plays(repaired_central(math.inf, 8, 2, HORIZON), _first_item_ucb1)
    plays(repaired_central(math.inf, 8, 2, HORIZON, "rounds"), _ucb1_without_w_0)


def _first_item_ucb1(means, size, horizon, source):
    """Plain UCB1 on the click of the first item, the least reported of the list."""
    clicks, reports, rounds = [0] * len(means), [0] * len(means), []
    for t in range(1, horizon + 1):
        upper = [
            c / n + math.sqrt(1.5 * math.log(t) / n) if n else math.inf for c, n in zip(clicks, reports, strict=True)
        ]
        shown = least_reported_first(largest(upper, size, source.choice), reports)
        c_t = click(means, shown, source.env)
        reports[shown[0]] += 1
        clicks[shown[0]] += c_t == 1
        rounds.append([*shown, int(min(c_t, size))])
    return rounds


def _ucb1_without_w_0(means, size, horizon, source):
    """CascadeUCB1 that starts from nothing."""
    clicks, seen, rounds = [0] * len(means), [0] * len(means), []
    for t in range(1, horizon + 1):
        upper = [
            (c + math.sqrt(1.5 * n * math.log(t))) / n if n else math.inf for c, n in zip(clicks, seen, strict=True)
        ]
        shown = largest(upper, size, source.choice)
        c_t = click(means, shown, source.env)
        for k, e in enumerate(shown, start=1):
            if k <= c_t:
                seen[e] += 1
                clicks[e] += k == c_t
        rounds.append([*shown, int(min(c_t, size))])
    return rounds


def test_reproduces_kveton_2015_table_1():
    result = simulate(b_lb(16, 4, 0.2, 0.15), cascade_ucb1(), horizon=100_000, replications=40, seed=2015, n_jobs=2)
    final = result.regret.sel(t=100_000)
    assert abs(float(final.mean()) - 986.8) < 0.03 * 986.8


def test_uniform_play_has_its_exact_regret():
    for problem in (b_lb(20, 4, 0.2, 0.15), b_lb_semi(20, 4, 0.2, 0.15), Cascade([0.9, 0.5, 0.3, 0.0], 3)):
        final = simulate(problem, uniform(), horizon=20_000, replications=20, seed=1).regret[:, -1] / 20_000
        error = float(final.std()) / math.sqrt(20)
        assert abs(float(final.mean()) - problem.uniform_regret()) < 4 * error
        assert error < 0.02 * problem.uniform_regret()


@pytest.mark.parametrize("case", CASES)
def test_pseudo_regret_never_falls(case):
    problem = Cascade(MEANS, 3)
    regret = simulate(problem, CASES[case][0](3), horizon=300, replications=2, seed=1, checkpoints=range(1, 301)).regret
    assert np.all(np.diff(regret, axis=1) >= 0)
    assert np.all(np.diff(regret, axis=1) <= problem.best)


def test_one_signature_per_loop():
    problem, loops = b_lb(8, 2, 0.2, 0.15), set()
    semi, central = b_lb_semi(8, 2, 0.2, 0.15), repaired_central(1.0, 8, 2, 50, "rounds")
    made = [make(2) for make, _, _ in CASES.values() if "hybrid" not in str(make)]
    fitting = [(problem, policy) for policy in made if policy.record.n_items in (0, 8)]
    for played, policy in [*fitting, (semi, cucb_gaussian(1.0, 1e-3, 8, 2)), (problem, central)]:
        simulate(played, policy, horizon=50, replications=2, seed=0)
        if isinstance(policy.record, index.Record):
            loops.add(index._loop_of(played.record(), policy.record))
    assert len(loops) > 2
    assert all(len(loop.signatures) == 1 for loop in [*loops, ratio.advance])


# --- privacy


def test_published_laplace_at_nominal_0_2_pays_10():
    paid = ucb_laplace(0.2, 4, 0.01).privacy
    assert paid.value_epsilon == pytest.approx(10.0)
    assert paid.effective_epsilon == math.inf
    assert ucb_laplace(0.2, 4).privacy.value_epsilon == pytest.approx(0.1)
    assert ucb_laplace(0.2, 1).privacy.value_epsilon == pytest.approx(0.2)


def test_published_gaussian_pays_the_exact_loss():
    assert ucb_gaussian(0.2, 1e-3, 4, 0.01).privacy.value_epsilon == pytest.approx(17.9, abs=0.05)
    assert ucb_gaussian(2.0, 1e-3, 4, 0.01).privacy.value_epsilon == pytest.approx(816, abs=0.5)
    assert cucb_gaussian(0.2, 1e-3, 20, 4, 0.01).privacy.value_epsilon == pytest.approx(29.6, abs=0.05)


def test_the_number_of_reports_gives_the_reply_away():
    assert channel_loss(length_channel(4)) == math.inf


@pytest.mark.parametrize("size", [1, 2, 4, 9])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_finite_repairs_pay_exactly_epsilon(size, epsilon):
    first = repaired_local(epsilon, size)
    reply = repaired_local(epsilon, size, "reply")
    assert channel_loss(repair_first.first_channel(first.record.flip, size)) == pytest.approx(epsilon, abs=1e-10)
    assert channel_loss(repair_reply.reply_channel(reply.record.flip, size)) == pytest.approx(epsilon, abs=1e-10)
    for policy in (first, reply, repaired_local(epsilon, size, "one_hot")):
        assert policy.privacy.effective_epsilon == pytest.approx(epsilon, abs=1e-10)
        assert policy.privacy.effective_delta == 0.0


@pytest.mark.parametrize("size", [1, 2, 5])
def test_channels_are_what_the_kernel_sends(size):
    """The sampler that the kernel calls has the frequencies of the enumerated channel."""
    rng = np.random.default_rng(0)
    other = repaired_local(0.7, size, "reply").record.flip
    channel = repair_reply.reply_channel(other, size)
    for reply in range(size + 1):
        answers = [mechanisms.respond(rng, reply, size + 1, other) for _ in range(20_000)]
        frequency = np.bincount(answers, minlength=size + 1) / 20_000
        assert np.all(np.abs(frequency - channel[reply]) < 4.5 * np.sqrt(channel[reply] / 20_000))


def test_joint_sensitivity_of_a_round():
    assert [sensitivity(instances.round_leaves(k), order=1) for k in (1, 2, 3, 4, 8)] == [1, 3, 4, 5, 9]
    assert [sensitivity(instances.one_hot_replies(k), order=1) for k in (1, 2, 8)] == [1, 2, 2]


@pytest.mark.parametrize("design", ["first", "rounds"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_central_repair_by_brute_force(design, size):
    """Fix the lists; change one reply; the noisy nodes that see it must absorb no more than epsilon."""
    n_items, rounds, epsilon = 4, 6, 0.8
    policy = repaired_central(epsilon, n_items, size, rounds, design)
    rng = np.random.default_rng(size)
    lists = [rng.permutation(n_items)[:size] for _ in range(rounds)]
    replies = rng.integers(0, size + 1, rounds)
    worst = 0.0
    for changed in range(rounds):
        for reply in range(size + 1):
            other = replies.copy()
            other[changed] = reply
            nodes, neighbours = (_released_nodes(policy, lists, r, n_items, design) for r in (replies, other))
            assert nodes.keys() == neighbours.keys()
            worst = max(worst, sum(abs(nodes[k][0] - neighbours[k][0]) / nodes[k][1] for k in nodes))
    assert worst <= epsilon * (1 + 1e-12)
    assert worst >= 0.4 * epsilon  # the budget is not wasted by a factor that would hide an error


def _released_nodes(policy, lists, replies, n_items, design):
    """Every partial sum that gets its own noise, with its Laplace scale: (tree, block) -> (sum, scale)."""
    streams_of = {}
    size = len(lists[0])
    for shown, reply in zip(lists, replies, strict=True):
        if design == "first":
            streams_of.setdefault(int(shown[0]), []).append(float(reply == 0))
            continue
        for item in range(n_items):
            position = list(shown).index(item) if item in shown else None
            seen = position is not None and position <= reply
            streams_of.setdefault(("click", item), []).append(float(position is not None and position == reply))
            streams_of.setdefault(("seen", item), []).append(float(seen))
    assert size == len(lists[0])
    nodes = {}
    for name, stream in streams_of.items():
        for n in range(1, len(stream) + 1):
            if design == "rounds":
                length, scale, start = n & -n, policy.record.scale, 0
            else:
                top = 1 << (n.bit_length() - 1)
                start = top
                length = (n - top) & -(n - top)
                scale = 2 * (n.bit_length() - 1) * policy.record.scale
                if n == top:
                    start, length, scale = 0, n - n // 2, 2 * policy.record.scale
            nodes[name, n, start] = (sum(stream[n - length : n]), scale)
    return nodes


def test_w_0_alone_tells_neighbours_apart():
    """Algorithm 1 is deterministic until a counter is read, so w_0 decides the first list."""
    for w_0, first in (([1.0, 0.0], 0), ([0.0, 1.0], 1)):
        problem = Cascade(w_0, 1)
        assert trace(problem, ucb_hybrid(0.1, 2, 10), horizon=1, seed=0)[0, 0] == first


# --- refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ucb_laplace(0.0, 4), "epsilon must be > 0"),
        (lambda: ucb_laplace(-1.0, 4), "epsilon must be > 0, got -1.0"),
        (lambda: ucb_laplace(math.nan, 4), "epsilon must be"),
        (lambda: ucb_laplace(1.0, 0), "list_size must be >= 1"),
        (lambda: ucb_laplace(1.0, 4, 0.0), "noise_multiplier must be > 0"),
        (lambda: ucb_gaussian(1.0, 0.0, 4), "delta must be"),
        (lambda: ucb_composition(1.0, 1.0, 4), "delta must be"),
        (lambda: ucb_hybrid(1.0, 20, 0), "horizon must be >= 1"),
        (lambda: ucb_hybrid(1.0, 20, 10, variant="guess"), "variant must be one of"),
        (lambda: repaired_local(1.0, 4, "none"), "design must be one of"),
        (lambda: repaired_central(1.0, 3, 4, 10), "n_items must be >= 4"),
        (lambda: b_lb(4, 4, 0.2, 0.1), "list_size must be"),
        (lambda: b_lb(8, 4, 0.2, 0.2), "gap must be"),
        (lambda: Cascade([0.5, 1.5], 1), r"means\[1\] must be"),
        (lambda: Cascade([], 1), "means must not be empty"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_policy_made_for_another_problem_is_refused():
    problem = b_lb(20, 4, 0.2, 0.15)
    with pytest.raises(ValueError, match="calibrated for list_size=2"):
        simulate(problem, ucb_laplace(1.0, 2), horizon=10, replications=1, seed=0)
    with pytest.raises(ValueError, match="calibrated for n_items=8"):
        simulate(problem, ucb_hybrid(1.0, 8, 10), horizon=10, replications=1, seed=0)
    with pytest.raises(ValueError, match="CUCB Gaussian needs a SemiBandit"):
        simulate(problem, cucb_gaussian(1.0, 1e-3, 20, 4), horizon=10, replications=1, seed=0)
    with pytest.raises(ValueError, match="horizon must be <= 5"):
        simulate(problem, repaired_central(1.0, 20, 4, 5, "rounds"), horizon=10, replications=1, seed=0)

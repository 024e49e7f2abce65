"""The boxes of Wang et al. (2021): limits, and what is really paid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from chernoff import chernoff

from private_bandits.kernels import releases
from private_bandits.mechanisms import _raw, counters
from private_bandits.papers.cascading import (
    b_lb,
    cascade_ucb1,
    cucb_gaussian,
    instances,
    repair_first,
    repaired_central,
    repaired_local,
    repaired_padded,
    ucb_gaussian,
    ucb_laplace,
)
from private_bandits.privacy import channel_loss
from private_bandits.problems import Cascade
from private_bandits.simulation import simulate, trace
from private_bandits.streams import streams

DESIGNS = ("keep", "forget", "counter")


def test_reproduces_kveton_2015_table_1():
    result = simulate(b_lb(16, 4, 0.2, 0.15), cascade_ucb1(), horizon=100_000, replications=40, seed=2015, n_jobs=2)
    final = result.regret.sel(t=100_000)
    assert abs(float(final.mean()) - 986.8) < 0.03 * 986.8


# --- privacy


def test_published_laplace_at_nominal_0_2_pays_10():
    paid = ucb_laplace(0.2, list_size=4, noise_multiplier=0.01).privacy
    assert paid.value_epsilon == pytest.approx(10.0)
    assert paid.effective_epsilon == math.inf
    assert ucb_laplace(0.2, list_size=4).privacy.value_epsilon == pytest.approx(0.1)
    assert ucb_laplace(0.2, list_size=1).privacy.value_epsilon == pytest.approx(0.2)


def test_published_gaussian_pays_the_exact_loss():
    for epsilon, paid in ((0.2, 17.9), (2.0, 816)):
        published = ucb_gaussian(epsilon, delta=1e-3, list_size=4, noise_multiplier=0.01).privacy
        assert published.value_epsilon == pytest.approx(paid, rel=3e-3)
    published = cucb_gaussian(0.2, delta=1e-3, n_arms=20, list_size=4, noise_multiplier=0.01).privacy
    assert published.value_epsilon == pytest.approx(29.6, abs=0.05)


def test_the_number_of_reports_gives_the_reply_away():
    assert channel_loss(instances.length_channel(4)) == math.inf
    assert channel_loss(instances.length_channel(1)) == 0.0
    for means in [*np.eye(3), np.zeros(3)]:
        *shown, observed = trace(Cascade(means, 3), ucb_laplace(1.0, list_size=3), horizon=1, seed=0)[0].tolist()
        reply = means[shown].tolist().index(1.0) if means.any() else 3
        assert instances.length_channel(3)[reply].tolist() == np.eye(3)[observed - 1].tolist()


@pytest.mark.parametrize("size", [1, 2, 4, 9])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_finite_repairs_pay_exactly_epsilon(size, epsilon):
    first = repaired_local(epsilon, list_size=size)
    assert channel_loss(repair_first.first_channel(first.record.flip, size)) == pytest.approx(epsilon, abs=1e-10)
    padded = [repaired_padded(epsilon, list_size=size), repaired_padded(epsilon, list_size=size, over="displays")]
    sizes = {"n_arms": size, "list_size": size, "horizon": 1}
    for policy in (first, *padded, *(repaired_central(epsilon, **sizes, design=design) for design in DESIGNS)):
        assert policy.privacy.effective_epsilon == pytest.approx(epsilon, abs=1e-10)
        assert policy.privacy.effective_delta == 0.0
    gaussian = cucb_gaussian(epsilon, delta=1e-3, n_arms=9, list_size=size, variant="repaired").privacy
    assert gaussian.effective_epsilon == pytest.approx(epsilon, rel=1e-6) and gaussian.effective_delta == 1e-3


ROUNDS = 100


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("design", DESIGNS)
def test_noise_that_moves_with_a_reply_hides_it_at_a_price_of_epsilon(design, size, monkeypatch):
    """Change a reply, and move the noise of every sum that its click is in: all lists stay, and all block lengths."""
    epsilon, rng = 2.0, np.random.default_rng(size)
    policy, problem = (
        repaired_central(epsilon, n_arms=4, list_size=size, horizon=ROUNDS, design=design),
        Cascade([0.5] * 4, size),
    )
    replies, prices = rng.integers(0, size + 1, ROUNDS).tolist(), []
    lists, draws = _answered(policy, problem, replies, {}, monkeypatch)
    firsts = [shown[0] for shown in lists]
    for changed in range(ROUNDS):
        mine = [t for t in range(ROUNDS) if firsts[t] == firsts[changed]]
        if design == "counter":
            rank = mine.index(changed) + 1
            holding = [t for n, t in enumerate(mine, start=1) if _node_starts(n) < rank <= n]
        else:
            holding = [t for t in mine if t >= changed and t in draws][:1]
        for reply in {0, int(rng.integers(1, size + 1))} - {replies[changed]}:
            moved = float((replies[changed] == 0) - (reply == 0))
            other = replies[:changed] + [reply] + replies[changed + 1 :]
            assert (lists, draws) == _answered(policy, problem, other, dict.fromkeys(holding, moved), monkeypatch)
            prices.append(sum(abs(moved) / draws[t] for t in holding))
    if design == "counter":
        assert 0.4 * epsilon < max(prices) < epsilon * (1 + 1e-12)
    else:
        assert max(prices) == epsilon and set(draws.values()) == {1 / epsilon} and len(draws) > 10
    assert lists != _answered(policy, problem, [0] * ROUNDS, {}, monkeypatch)[0]


def _answered(policy, problem, replies, moved, monkeypatch):
    """The lists of the kernel, in Python, told these replies; the scale of the noise that each round draws, if any."""
    lists, draws, source = [], {}, streams(8, 0)

    def observe(means, cascade, order, env, feedback):
        lists.append(order.tolist())
        feedback[:] = np.arange(len(order)) == replies[len(lists) - 1]
        return min(replies[len(lists) - 1] + 1, len(order))

    def laplace(noise, scale):
        draws[len(lists) - 1] = scale
        return round(noise.laplace(0.0, scale) * 2**20) / 2**20 + moved.get(len(lists) - 1, 0.0)  # sums are exact

    monkeypatch.setattr(releases, "observe", observe)
    for module in (_raw, counters):
        monkeypatch.setattr(module, "laplace", laplace)
    monkeypatch.setattr(_raw, "hybrid_noise", counters.hybrid_noise.py_func)
    _play(
        releases.advance.py_func, problem, policy, releases.start(problem.record(), policy.record), (1, ROUNDS), source
    )
    return lists, draws


def _play(advance, problem, policy, state, rounds, source):
    """The rounds first..last, of which nothing is kept but the state."""
    nothing, shown = np.zeros(0), np.zeros((0, problem.list_size + 1), np.int64)
    advance(problem.record(), policy.record, state, *rounds, nothing.astype(np.int64), nothing, shown, *source)


def _node_starts(n):
    """The item before the first of the node that a hybrid counter closes with item n."""
    inner = n - (1 << (n.bit_length() - 1))
    return n - (inner & -inner) if inner else n // 2


@pytest.mark.parametrize(
    ("design", "lengths", "scales"),
    [
        ("keep", [16, 16, 16, 16, 16, 16], [2.0] * 6),  # the next is 20 long
        ("forget", [32], [2.0]),  # after 16 and 16; the next is 64 long
        ("counter", [1] * 100, [4.0] * 7 + [24.0] * 2),
    ],
)
def test_the_radius_is_that_of_the_noises_in_an_estimate(design, lengths, scales):
    """One item, so that all is known of its estimate: 100 rounds of many runs, at epsilon 1/2."""
    problem, policy = Cascade([0.5], 1), repaired_central(0.5, n_arms=1, list_size=1, horizon=1, design=design)
    n, means = sum(lengths), []
    for r in range(1000):
        state, source = releases.start(problem.record(), policy.record), streams(3, r)
        for rounds in ((1, 37), (38, 100)):
            _play(releases.advance, problem, policy, state, rounds, source)
        means.append(state.mean[0])
    assert (state.counted[0], state.noises[0], state.reports[0]) == (n, len(lengths), 100)
    radius = state.radius[0] + state.slope[0] * math.log(128)
    assert radius * n == pytest.approx(chernoff(3 * math.log(128), n, scales), rel=1e-9)
    expected = (n / 4 + 2 * sum(b**2 for b in scales)) / n**2
    assert np.var(means) == pytest.approx(expected, rel=0.15)
    assert abs(np.mean(means) - 0.5) < 4 * math.sqrt(expected / 1000)

"""Privacy: exact losses of finite randomisers against closed forms, subsets and dp-accounting; guarantees."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

from private_bandits.mechanisms import gaussian_epsilon, response_probabilities
from private_bandits.privacy import (
    Guarantee,
    channel_loss,
    concentrated_epsilon,
    concentrated_rho,
    deltas,
    sensitivity,
)


def response_channel(epsilon, n_values):
    keep, other = response_probabilities(epsilon, n_values=n_values)
    return np.where(np.eye(n_values, dtype=bool), keep, other)


def random_channel(seed, inputs=3, outputs=6):
    channel = np.random.default_rng(seed).dirichlet(np.ones(outputs), inputs)
    channel[0, :2] = 0.0
    channel[1, 1:3] = 0.0
    return channel / channel.sum(axis=1, keepdims=True)


def subset_delta(channel, epsilon):
    """Largest P(S) - exp(epsilon) Q(S) over all ordered pairs of inputs and all sets S of outputs."""
    outputs = channel.shape[1]
    worst = 0.0
    for p, q in itertools.permutations(channel, 2):
        for subset in itertools.product([False, True], repeat=outputs):
            inside = np.array(subset)
            worst = max(worst, p[inside].sum() - math.exp(epsilon) * q[inside].sum())
    return worst


def test_channels_at_their_ends():
    assert channel_loss(np.eye(3)) == math.inf
    assert channel_loss([[0.25, 0.75, 0.0]] * 3) == channel_loss([[1.0]]) == 0.0
    for order in (1, -1):
        assert channel_loss([[0.9, 0.1], [1.0, 0.0]][::order]) == math.inf
        assert channel_loss([[0.5, 0.5], [0.9, 0.1]][::order]) == pytest.approx(math.log(5))
    assert channel_loss([[1.0, 5e-324], [0.5, 0.5]]) == pytest.approx(math.log(0.5) - math.log(5e-324))


@pytest.mark.parametrize("seed", range(2))
def test_the_loss_is_that_of_the_worst_subset(seed):
    """Just below the loss some set of outputs is too likely, at the loss none is."""
    channel = random_channel(seed)[1:] + 1e-3
    channel /= channel.sum(axis=1, keepdims=True)
    loss = channel_loss(channel)
    assert subset_delta(channel, loss + 1e-9) == 0.0 < subset_delta(channel, loss - 1e-6)


def test_randomised_response_agrees_with_dp_accounting(epsilon=3.0):
    n_values = 5
    noise = n_values * response_probabilities(epsilon, n_values=n_values)[1]
    oracle = privacy_loss_distribution.from_randomized_response(noise, n_values, value_discretization_interval=1e-6)
    channel = response_channel(epsilon, n_values)
    assert oracle.get_epsilon_for_delta(0.0) == pytest.approx(channel_loss(channel), abs=1e-5)
    for share in (0.0, 0.5):
        delta = subset_delta(channel, share * epsilon)
        assert delta == pytest.approx(oracle.get_delta_for_epsilon(share * epsilon), rel=1e-5)
        assert delta == pytest.approx((1 - math.exp((share - 1) * epsilon)) * channel[0, 0], rel=1e-12)


def test_sensitivity_of_one_hot_replies():
    replies = np.vstack([np.eye(4), np.zeros(4)])
    assert (sensitivity(replies), sensitivity(replies, order=2)) == (2.0, pytest.approx(math.sqrt(2)))
    assert sensitivity([[0.0], [1.0], [-1.0]]) == 2.0


def guarantee(**changes):
    fields = {
        "epsilon": 0.2,
        "delta": 0.0,
        "value_epsilon": 0.2,
        "value_delta": 0.0,
        "effective_epsilon": 0.2,
        "effective_delta": 0.0,
        "trust": "local",
        "reason": "each reply passes randomised response once",
    }
    return Guarantee(**(fields | changes))


def test_what_is_paid_for_values_and_beside_them():
    kept = {"delta": 1e-3, "value_epsilon": 0.15, "trust": "central"}
    certified = Guarantee.certified(0.2, 0.15, "central", "one mean", delta=1e-3)
    assert certified == guarantee(
        **kept, value_delta=1e-3, effective_epsilon=0.15, effective_delta=1e-3, reason="one mean"
    )
    clear, answer, given = np.eye(3), [[0.75, 0.25], [0.25, 0.75]], (0.2, 1e-3, 0.15, 1e-4)
    leaks = Guarantee.releasing(*given, [answer, clear], "central", "counts")
    assert leaks == guarantee(**kept, value_delta=1e-4, effective_epsilon=math.inf, reason="counts")
    for channel, more in ((answer, channel_loss(answer)), (np.ones((3, 1)), 0.0)):
        once = Guarantee.releasing(*given, [channel], "central", "an answer")
        assert (once.effective_epsilon, once.effective_delta) == (0.15 + more, 1e-4)


def test_without_noise_nothing_is_promised():
    everything = {"epsilon": math.inf, "value_epsilon": math.inf, "effective_epsilon": math.inf}
    assert Guarantee.none() == guarantee(**everything, trust="none", reason="no noise")
    assert Guarantee.certified(math.inf, 0.3, "local", "each reply", delta=0.1) == Guarantee.none()
    assert Guarantee.releasing(math.inf, 0.1, 0.15, 1e-4, [np.eye(3)], "central", "counts") == Guarantee.none()


# --- zero-concentrated and joint privacy


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-9, 1e-100])
def test_rho_gives_an_epsilon_between_that_of_gaussian_noise_and_the_simple_bound(rho, delta):
    """Gaussian noise of this rho is an instance, and the least over all orders is found by brute force."""
    found, exact = concentrated_epsilon(rho, delta=delta), concentrated_epsilon(rho, delta=delta, gaussian=True)
    assert exact == pytest.approx(gaussian_epsilon(1 / math.sqrt(2 * rho), delta=delta, sensitivity=1.0), rel=1e-12)
    assert exact <= found <= rho + 2 * math.sqrt(rho * math.log(1 / delta))
    order = 1 + np.exp(np.linspace(-12, 20, 200_001))
    bounds = order * rho + np.log1p(-1 / order) - (math.log(delta) + np.log(order)) / (order - 1)
    assert found == pytest.approx(max(0.0, bounds.min()), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_randomised_response_has_the_rho_of_its_epsilon(epsilon):
    truth = 1 / (1 + math.exp(-epsilon))
    channel, rho = [[truth, 1 - truth], [1 - truth, truth]], concentrated_rho(epsilon)
    for order in (1.001, 1.5, 2.0, 10.0, 100.0):
        moments = (truth**order * (1 - truth) ** (1 - order)) + (1 - truth) ** order * truth ** (1 - order)
        assert math.log(moments) / (order - 1) <= rho * order
    for delta in (0.2, 1e-3):
        assert deltas.channel_epsilon(np.array(channel), delta)[0] <= concentrated_epsilon(rho, delta=delta)


def test_the_ends_of_rho():
    assert concentrated_epsilon(0.0, delta=1e-3) == concentrated_rho(0.0) == 0.0
    assert concentrated_epsilon(math.inf, delta=1e-3) == math.inf
    assert Guarantee.concentrated(math.inf, "local", "each reply", delta=1e-3) == Guarantee.none()


def test_a_promise_of_rho_is_one_at_every_delta_and_of_its_own_kind():
    rho = Guarantee.concentrated(0.05, "central", "noisy sums", delta=1e-3, joint=True)
    at = [rho.at(delta) for delta in (0.0, 1e-6, 1e-3)]
    assert at == [None, concentrated_epsilon(0.05, delta=1e-6), rho.epsilon]
    assert rho.facts()["trust"] == "central, joint" and "ρ = 0.05" in str(rho)
    plain, joint = guarantee(delta=1e-3), guarantee(trust="central", joint=True)
    kinds = [
        rho,
        plain,
        guarantee(),
        guarantee(rho=0.02),
        joint,
        Guarantee.none(),
        guarantee(epsilon=math.inf, rho=0.1),
    ]
    told = ["joint concentrated", "approximate", "pure", "pure", "joint pure", "none", "concentrated"]
    assert [each.kind for each in kinds] == told
    assert (plain.at(1e-4), plain.at(1e-3), plain.at(0.1), Guarantee.none().at(0.0)) == (None, 0.2, 0.2, math.inf)

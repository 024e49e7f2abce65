"""Private actions against private messages, with contexts: a linear programme, and a learner by enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from private_bandits.privacy import channel_loss
from private_bandits_book.chapters.contextual import joint_privacy


@pytest.mark.parametrize(("epsilon", "rounds"), [(0.2, 1), (1.0, 2), (3.0, 2)])
def test_no_private_policy_beats_the_bound_and_one_attains_it(epsilon, rounds):
    least = joint_privacy.least_regret(epsilon, rounds, 0.3)
    assert least == pytest.approx(joint_privacy.dp_regret(epsilon, rounds, 0.3), rel=1e-7)
    channel = joint_privacy.answers(joint_privacy.dp_regret(epsilon, 1, 1.0))
    np.testing.assert_allclose(channel.sum(axis=1), 1.0)
    assert joint_privacy.dp_regret(epsilon, 10, 0.3) == pytest.approx(10 * 0.3 * np.mean(1 - np.diag(channel)))
    assert channel_loss(channel) == pytest.approx(epsilon)


def test_the_programme_knows_nothing_of_the_formula(monkeypatch):
    monkeypatch.setattr(joint_privacy, "dp_regret", None)
    # one round, by hand: wrong with chance e, and 1 - e <= E e
    assert joint_privacy.least_regret(math.log(3.0), 1, 1.0) == pytest.approx(0.25)
    for epsilon in (20.0, 1000.0, math.inf):
        assert joint_privacy.least_regret(epsilon, 2, 1.0) == pytest.approx(0.0, abs=1e-6)


def test_without_privacy_the_bound_is_zero_and_at_none_left_it_is_random_play():
    assert joint_privacy.dp_regret(math.inf, 10, 0.3) == 0.0
    assert joint_privacy.dp_regret(1e-9, 10, 0.3) == pytest.approx(10 * 0.3 / 2)


def test_the_learner_of_private_messages_by_enumeration():
    epsilon, rounds = 0.7, 7
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    wrong = np.zeros(rounds)
    for bits in product((0, 1), repeat=rounds - 1):  # 1: names the rule that holds
        for t in range(rounds):
            lead = 2 * sum(bits[:t]) - t
            weight = math.prod(truth if b else 1 - truth for b in bits)
            wrong[t] += weight * (0.5 if lead == 0 else float(lead < 0))
    np.testing.assert_allclose(joint_privacy.wrong_guesses(epsilon, rounds), wrong, rtol=1e-12)
    first, last = joint_privacy.compare([epsilon], [1, rounds], 0.4).to_dict("records")
    assert last["ldp_regret"] == pytest.approx(0.4 * wrong.sum())
    assert last["dp_regret"] == pytest.approx(0.4 * rounds / (1 + math.exp(epsilon)))
    assert last["uniform"] == pytest.approx(0.2 * rounds)
    assert last["message_loss"] == pytest.approx(epsilon, rel=1e-12)
    assert joint_privacy.compare([1000.0], [3], 0.4)["message_loss"].tolist() == [1000.0]  # e^-1000 is 0 here
    assert last["action_loss"] == pytest.approx(math.log((1 - wrong[-1]) / wrong[-1]))
    assert last["joint_loss"] == math.inf and first["joint_loss"] == 0.0

"""Thompson sampling that one number of a user is enough for: what is sent under local privacy, and what it pays."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import scipy

from private_bandits.papers.cascading import b_lb
from private_bandits.privacy import audit
from private_bandits.problems import Arms, SemiBandit
from private_bandits.simulation import trace
from private_bandits.streams import streams
from private_bandits_book.rivals.single_observation import OneBit, OneItem

ARMS = Arms.bernoulli([0.9, 0.5, 0.4])
LISTS = b_lb(6, 3, 0.4, 0.3)
SETS = SemiBandit.from_sets([0.5] * 2 + [0.2] * 3, [*combinations(range(5), 2)])


@pytest.mark.parametrize("problem", [ARMS, LISTS, SETS], ids=["arms", "lists", "sets"])
def test_without_noise_nothing_is_drawn(problem):
    rows = trace(problem, OneBit(math.inf), horizon=800, seed=4)
    np.testing.assert_array_equal(rows, trace(problem, OneItem(), horizon=800, seed=4))
    noise = streams(4, 0).noise
    learner = OneBit(math.inf).start(problem, streams(4, 0).choice, noise)
    learner.ask()
    assert learner.tell([1.0]) == 1 and noise.random() == streams(4, 0).noise.random()


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("true", [0, 1])
def test_a_bit_is_true_as_often_as_randomised_response_says(epsilon, true):
    """In 10,000 bits half or twice the epsilon is off by ten standard errors at least."""
    learner = OneBit(epsilon).start(ARMS, *streams(7, true)[1:])
    learner.ask()
    kept = sum(learner.tell([float(true)]) == true for _ in range(10_000))
    chance = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert scipy.stats.binomtest(kept, 10_000, chance).pvalue > 1e-4
    for wrong in (epsilon / 2, 2 * epsilon):
        assert scipy.stats.binomtest(kept, 10_000, 1 / (1 + math.exp(-wrong))).pvalue < 1e-20


@pytest.mark.parametrize("problem", [ARMS, LISTS, SETS], ids=["arms", "lists", "sets"])
def test_what_a_user_sends_pays_what_is_promised(problem):
    promised = OneBit(1.0).privacy
    assert promised.trust == "local" and promised.effective_epsilon == pytest.approx(1.0)
    found = audit(OneBit(1.0), problem=problem, horizon=2, runs=6000)
    assert found.verdict != "breaks its promise" and 0.7 < found.epsilon_low <= 1.0
    assert audit(OneBit(2.0), problem=problem, horizon=2, runs=6000, promised=1.0).verdict == "breaks its promise"

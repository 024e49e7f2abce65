"""Replay is epsilon-private: every run of small cases, audits, and faults that both find."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from test_replay import PLAIN

from private_bandits.baselines import kl_ucb, replay
from private_bandits.baselines.replayed import Replayed, Replaying
from private_bandits.privacy import audit
from private_bandits.privacy.accounts import account
from private_bandits.problems import Arms
from private_bandits_book.chapters.replay.lemmas import (
    Batches,
    actions,
    largest_index,
    ratio,
    released,
    worst_ratio,
    worth,
)

HALF, TWO = Fraction(1, 2), Arms.bernoulli([0.5, 0.5])


@pytest.mark.parametrize(
    ("horizon", "batches", "loss"),
    [
        (4, Batches(Fraction(1, 5), 1, 0), 5),
        (5, Batches(HALF, 2, 1, Fraction(2)), Fraction(3, 2)),
        (4, Batches(Fraction(9, 10), 1, 2, Fraction(3)), Fraction(19, 18)),
    ],
)
def test_every_run_on_all_neighbours_of_a_small_case(horizon, batches, loss):
    assert worst_ratio(horizon, batches) == loss <= 1 / batches.q


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_release_is_private(n):
    laws = [released(n, total, HALF) for total in range(n + 1)]
    assert {sum(law) for law in laws} == {1}
    for one, other in itertools.pairwise(laws):
        assert max(max(a / b, b / a) for a, b in zip(one, other, strict=True)) == 2


@pytest.mark.parametrize(
    ("horizon", "fault", "table", "user", "least"),
    [
        (6, {"again": True}, "11 11 10 01 00", 3, Fraction(5608, 2469)),
        (7, {"early": True}, "10 00 00 11 00 01", 2, 2),
        (5, {"reading": True}, "11 11 11 11", 1, math.inf),
    ],
)
def test_the_enumeration_finds_what_is_planted(horizon, fault, table, user, least):
    """A batch released twice; a store filled before the batch is full, and again; sizes that read the sum."""
    rows = [(int(a), int(b)) for a, b in table.split()]
    worst = 1
    for row in itertools.product((0, 1), repeat=2):
        other = [*rows[:user], row, *rows[user + 1 :]]
        for pair in ((rows, other), (other, rows)):
            assert ratio(*pair, Batches(HALF)) <= 2
            worst = max(worst, ratio(*pair, Batches(HALF, **fault)))
    assert worst > 2 and worst >= least


def test_the_enumeration_is_of_the_learner_that_is_played():
    """The same policy in Python, replayed: how often each sequence of arms comes."""

    class Index:
        name = "(s + 1) / n"

        def start(self, problem, choice, noise):
            return Rational(choice)

    class Rational:
        def __init__(self, choice):
            self.choice, self.counts, self.sums = choice, [0, 0], [0, 0]

        def ask(self):
            arms = largest_index(self.counts, self.sums)
            self.arm = arms[int(self.choice.random() * len(arms))]
            return [self.arm]

        def tell(self, feedback):
            self.counts[self.arm] += 1
            self.sums[self.arm] += int(feedback[0])

    table = [(0, 1), (1, 1), (1, 0), (1, 1), (0, 1), (0, 0)]
    law = actions(table, Batches(HALF, 2, 1, Fraction(3)))
    assert sum(law.values()) == 1 and worth(2, Fraction(3)) == 1
    policy, counted = replay(Index(), math.log(2), horizon=7, first=2, cost=3.0), dict.fromkeys(law, 0)
    choice, noise = np.random.default_rng(1).spawn(2)
    for _ in range(8_000):
        learner, played = policy.start(TWO, choice, noise), ()
        for t in range(7):
            arm = learner.ask()[0]
            learner.tell([table[t][arm] if t < 6 else 0])
            played += (arm,)
        counted[played] += 1
    for played, chance in law.items():
        assert counted[played] / 8_000 == pytest.approx(float(chance), abs=0.028)


class Twice(Replaying):
    """Releases each batch twice."""

    def _release(self):
        super()._release()
        one = self.left[self.order[0]], self.ones[self.order[0]]
        super()._release()
        self.left[self.order[0]] += one[0]
        self.ones[self.order[0]] += one[1]


class Faulty(Replayed):
    def start(self, problem, choice, noise):
        return Twice(self, problem.n_arms, self.policy.start(problem, choice, noise), noise)


def test_the_audit_finds_a_fault():
    right = replay(PLAIN["UCB"][1], 0.7, horizon=8, first=1, growth=1.0, cost=0.0)
    policy = Faulty(**vars(right))
    found = audit(policy, problem=TWO, horizon=6, runs=12_000, seed=1)
    assert (found.promised, found.verdict) == (0.7, "breaks its promise"), str(found)


def test_the_audit_finds_nothing_where_there_is_no_fault(runs=2_000, epsilon=2.0):
    policy = replay(kl_ucb(), epsilon, horizon=12, first=1)
    assert account(policy) == (epsilon, False)
    found = audit(policy, problem=TWO, horizon=8, runs=runs, seed=1)
    assert found.epsilon_low <= epsilon == found.epsilon_high
    assert found.verdict == "keeps its promise"
    assert policy.privacy.effective_epsilon == epsilon and policy.privacy.trust == "central"
    learner = audit(replay(PLAIN["UCB"][1], epsilon, horizon=8), problem=TWO, horizon=8, runs=runs, seed=1)
    assert learner.verdict == "consistent"

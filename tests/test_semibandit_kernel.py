"""The kernel on semi-bandits: fallback, trees."""

from __future__ import annotations

import math

import numpy as np
from semibandit_settings import KINDS, MEANS

from private_bandits.kernels import index
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.mechanisms.counters import tree_noise_at
from private_bandits.papers.semibandits.shared import index_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import SemiBandit
from private_bandits.simulation import trace

# --- fallback


def test_fallback_plays_every_super_arm_equally_often():
    record = index_record([], bonus=index.FIXED_BONUS, bonus_scale=-1e6)  # below 0 from the first report on
    always = Policy(name="box", privacy=Guarantee.certified(1.0, 1.0, "local", "a test"), record=record)
    rounds = 6000
    for problem in (KINDS["mixed sizes"], SemiBandit.top_k(MEANS, 2), KINDS["coverage"]):
        shown = trace(problem, always, horizon=rounds, seed=2)
        played = [tuple(sorted(row[row >= 0])) for row in shown[:, :-1]]
        counts = np.unique(np.array([hash(arms) for arms in played]), return_counts=True)[1]
        n_sets = len(problem.sets) if hasattr(problem, "sets") else math.comb(6, 2)
        assert len(counts) == n_sets
        share = rounds / n_sets
        assert np.all(np.abs(counts - share) < 4.5 * math.sqrt(share))


# --- trees over rounds


def test_reading_a_tree_at_some_rounds_gives_the_joint_law_of_reading_it_at_all():
    rounds, runs, scale = [1, 6, 7, 12, 13], 20_000, 1.0
    rng, releases = np.random.default_rng(3), np.zeros((runs, len(rounds)))
    for run in range(runs):
        row, last = np.zeros(mechanisms.COUNTER_ROW), 0
        for at, t in enumerate(rounds):
            releases[run, at] = tree_noise_at(rng, t, last, scale, row)
            last = t
    nodes = [dyadic(t) for t in rounds]
    expected = [[2.0 * len(one & other) for other in nodes] for one in nodes]
    np.testing.assert_allclose(np.cov(releases.T), expected, atol=0.35)


def dyadic(t):
    """The nodes (start, length) that make up 1..t."""
    found, start = set(), 0
    for level in reversed(range(t.bit_length())):
        if t >> level & 1:
            found.add((start, 1 << level))
            start += 1 << level
    return found


def test_reading_a_tree_every_round_is_the_counter_of_mechanisms():
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    row, other = np.zeros(mechanisms.COUNTER_ROW), np.zeros(mechanisms.COUNTER_ROW)
    for n in range(1, 200):
        assert tree_noise_at(ours, n, n - 1, 1.5, row) == mechanisms.tree_noise(theirs, n, 1.5, other)
    assert ours.bit_generator.state == theirs.bit_generator.state

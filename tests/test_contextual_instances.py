"""The losses and the sets of actions on which the algorithms of Zheng et al. (2020) are run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from private_bandits.papers.contextual import instances


@pytest.mark.parametrize("kind", ["distance", "kinked", "smooth", "quadratic"])
def test_the_best_point_lies_inside_and_away_from_the_centre(kind):
    problem = instances.convex(kind)
    shares = np.bincount(problem.schedule) / len(problem.schedule)
    assert shares.tolist() == [0.8, 0.1, 0.1]
    point, value, gap = problem.best_point(shares)
    assert 0.4 < np.linalg.norm(point) < 0.9 and gap < 1e-8
    if kind in ("distance", "kinked"):  # the kink of the first loss
        assert point.tolist() == problem.anchors[0].tolist()
    # the losses disagree: each has the value 0 at its own anchor
    assert value > 0.01


def test_the_line_has_its_best_point_at_a_kink_inside():
    point, _, _ = instances.on_line().best_point()
    assert point.tolist() == [0.6]


def test_the_switching_adversary_keeps_the_gap_and_lengthens_its_phases():
    problem = instances.switching_arms(0.3)
    assert np.all(problem.anchors[:, 1:] - problem.anchors[:, :1] == pytest.approx(0.3))
    assert problem.anchors[1, 0] - problem.anchors[0, 0] == pytest.approx(0.7)
    lengths = np.diff(np.flatnonzero(np.diff(problem.schedule)))
    assert np.all(lengths[3:] / lengths[2:-1] == pytest.approx(1.6, rel=0.2))
    assert 0.3 < np.mean(problem.schedule) < 0.7


def test_the_sets_of_actions():
    problem = instances.one_set(3, gap=0.4, offset=0.2)
    np.testing.assert_allclose(problem.means, [[0.6, 0.2, 0.2]])
    np.testing.assert_array_equal(problem.sets, np.eye(3)[None])
    assert problem.uniform_regret() == pytest.approx(0.4 * 2 / 3)
    odds = instances.one_set(2, link="logistic", gap=0.4)
    np.testing.assert_allclose(odds.means, [[1 / (1 + math.exp(-0.4)), 0.5]])
    assert odds.binary and np.linalg.norm(instances.unit_vectors(5).theta) == pytest.approx(1.0)

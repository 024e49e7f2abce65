"""A weak rerun condemns nothing: what fewer than five runs say, or what they say at less than 99.9 per cent."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from private_bandits.estimates import Interval, difference_interval, mean_interval
from private_bandits_book.judging import Less, Near, at_most, exactly
from private_bandits_book.judging.rulings import LEAST_RUNS, condemning
from private_bandits_book.judging.verdicts import NOT_REPRODUCED, UNDECIDED

RULES = {  # and the largest number that they do not condemn
    "less": (Less("one", "other"), 0.0),
    "near": (Near(-1.0, tolerance=0.5), -0.5),
    "at most": (lambda seen: at_most(seen, -1.0, wrong=0.0), -0.25),
    "exactly": (lambda seen: exactly(seen, -1.0, below=-2.0, above=0.0), -0.25),
}


@pytest.mark.parametrize(("rule", "most"), RULES.values(), ids=[*RULES])
def test_runs_condemn_at_99_9_per_cent_and_from_five_on(rule, most):
    rng, often = np.random.default_rng(1), Counter[int]()
    for runs in (2, 3, 4, 5, 20):
        clear = Interval(1.0, 0.99, 1.01, runs=runs)
        assert rule(clear).verdict == (NOT_REPRODUCED if runs >= LEAST_RUNS else UNDECIDED), runs
        nothing = (rule(mean_interval(rng.normal(most, 1.0, runs))).verdict for _ in range(1000))
        often[runs] = sum(verdict == NOT_REPRODUCED for verdict in nothing)
    assert not any(often[runs] for runs in (2, 3, 4)) and max(often.values()) <= 5
    assert rule(Interval.exact(1.0)).verdict == NOT_REPRODUCED  # nothing was run


def test_what_is_above_at_95_per_cent_only_is_undecided_and_says_so():
    found = Less("one", "other")(Interval(1.0, 0.1, 1.9, runs=20))
    assert found.verdict == UNDECIDED and found.reason.endswith("above 0, but not at 99.9 %, as it must to condemn")
    wide = condemning(Interval(1.0, 0.0, 2.0, runs=5))
    assert (wide.low, wide.high) == pytest.approx((1 - 8.610302 / 2.776445, 1 + 8.610302 / 2.776445), rel=1e-6)


def test_more_runs_never_take_a_condemnation_back():
    seen = {runs: condemning(Interval(1.0, 0.5, 1.5, runs=runs)).low for runs in (2, 3, 5, 10, 100, 10_000, math.inf)}
    assert list(seen.values()) == sorted(seen.values())


def test_what_is_measured_knows_its_runs():
    a, b = np.arange(4.0) + 1, np.arange(7.0) + 2
    assert mean_interval(a).runs == 4 and difference_interval(a, b).runs == 4
    assert mean_interval(b).through(math.log).runs == 7 and Interval.exact(1.0).runs == math.inf

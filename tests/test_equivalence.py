"""Rates judged by equivalence: with more runs each law comes to its verdict, and wrong ones stay rare."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from private_bandits.estimates import Interval, fit_exponent
from private_bandits_book.judging import at_most, exactly
from private_bandits_book.judging.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED

AT_MOST, EXACTLY = partial(at_most, claimed=1.0, wrong=2.0), partial(exactly, claimed=1.0, below=0.0, above=2.0)
X, SPREAD, SEEDS = np.array([1.0, 2.0, 4.0]), 0.5, 200
RUNS = (5, 20, 80, 320)
# the power of a law, and its verdict by either claim: the claimed power, half the margin beside it, and a wrong one
LAWS = {
    1.0: (REPRODUCED, REPRODUCED),
    1.125: (REPRODUCED, REPRODUCED),
    0.875: (REPRODUCED, REPRODUCED),
    2.0: (NOT_REPRODUCED, NOT_REPRODUCED),
    0.0: (REPRODUCED, NOT_REPRODUCED),
}


@cache
def measured(law: float, runs: int) -> list[Interval]:
    """What so many runs measure of a law, for each seed."""
    found = []
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, runs])
        found.append(fit_exponent(X, X**law * np.exp(SPREAD * rng.standard_normal((runs, len(X))))))
    return found


def shares(rule: Callable, law: float, verdict: str) -> list[float]:
    """How often a law has a verdict, by the number of runs."""
    return [float(np.mean([rule(one).verdict == verdict for one in measured(law, runs)])) for runs in RUNS]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("rule", "place"), [(AT_MOST, 0), (EXACTLY, 1)], ids=["at most", "exactly"])
def test_right_verdicts_rise_with_the_runs_and_wrong_ones_are_rare(rule, place, law):
    right = LAWS[law][place]
    found = shares(rule, law, right)
    assert all(later >= before - 0.03 for before, later in zip(found, found[1:], strict=False)), found
    assert found[-1] > 0.95
    wrong = NOT_REPRODUCED if right == REPRODUCED else REPRODUCED
    assert max(shares(rule, law, wrong)) < 0.05


@pytest.mark.parametrize(("rule", "law"), [(AT_MOST, 1.5), (EXACTLY, 1.5), (EXACTLY, 0.5)])
def test_between_the_zones_the_limit_is_undecided(rule, law):
    found = shares(rule, law, UNDECIDED)
    assert found[-1] == 1.0, found


@pytest.mark.parametrize(
    ("low", "high", "at_most", "exactly"),
    [
        (0.76, 1.24, REPRODUCED, REPRODUCED),
        (0.74, 1.24, REPRODUCED, UNDECIDED),
        (0.9, 1.26, UNDECIDED, UNDECIDED),
        (1.76, 2.5, NOT_REPRODUCED, NOT_REPRODUCED),
        (1.74, 2.5, UNDECIDED, UNDECIDED),
        (-1.0, 0.24, REPRODUCED, NOT_REPRODUCED),
        (-1.0, 2.5, UNDECIDED, UNDECIDED),
    ],
)
def test_the_margin_is_a_quarter_of_the_distance(low, high, at_most, exactly):
    seen = Interval((low + high) / 2, low, high)
    assert (AT_MOST(seen).verdict, EXACTLY(seen).verdict) == (at_most, exactly)


def test_nothing_measured_is_undecided_and_powers_out_of_order_are_refused():
    assert AT_MOST(None).verdict == AT_MOST(math.nan).verdict == EXACTLY(None).verdict == UNDECIDED
    assert at_most(1.0, math.nan, wrong=2.0).verdict == UNDECIDED  # at horizons too short to tell what is claimed
    for wrong in (
        lambda: at_most(1.0, 1.0, wrong=0.5),
        lambda: exactly(1.0, 1.0, below=1.0, above=2.0),
        lambda: exactly(1.0, 1.0, below=math.nan, above=2.0),
    ):
        with pytest.raises(ValueError, match="wrong exponents must lie around"):
            wrong()


def test_each_of_several_powers_is_judged_and_none_is_not_shown():
    good, open_, bad = Interval(1.0, 0.9, 1.1), Interval(1.5, 1.4, 1.6), Interval(2.0, 1.9, 2.1)
    for rule in (AT_MOST, EXACTLY):
        assert [rule(found).verdict for found in ([good], [good, open_], [good, bad, open_], [good, None])] == [
            REPRODUCED, UNDECIDED, NOT_REPRODUCED, UNDECIDED,
        ]  # fmt: skip
        assert rule([bad, good]).measurement == bad and rule([good, good]).measurement == good
        assert rule([]).missing and not rule([None]).missing

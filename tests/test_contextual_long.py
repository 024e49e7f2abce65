"""The longer study of worst gaps: its committed rows, and powers that are read off grids of gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from replay import committed, folder, replayed

from private_bandits_book.contextual import check_parameters, long, long_studies


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(folder("contextual") / "long-worst.csv")


def test_the_study_is_the_one_that_is_committed(rows):
    assert list(long_studies()) == list(long.STUDIES) == ["worst"]
    by = ["design", "sets", "dim", "epsilon", "horizon", "gap"]
    wanted = [tuple(run.labels.values()) for run in long.worst_runs() for _ in range(run.replications)]
    assert list(rows[by].itertuples(index=False, name=None)) == wanted and (rows["t"] == rows["horizon"]).all()


def test_runs_of_each_design_are_replayed_to_their_end():
    runs = long.worst_runs()
    replayed(committed("contextual", "worst"), [runs[place] for place in range(3, len(runs), 97)], whole=True)


def grid(law, horizons, ratio, at, runs=20, spread=0.02, seed=0):
    """Peaks of a law of T and the gap, on gaps in steps of a ratio about `at` of T, with lognormal runs."""
    rng, found = np.random.default_rng(seed), []
    for t in horizons:
        gaps = at(t) * ratio ** np.arange(-4.0, 5.0)
        regrets = np.array([law(t, gap) for gap in gaps])[:, None] * rng.lognormal(0, spread, (len(gaps), runs))
        found.append(long.Peak(t, gaps, regrets))
    return found


def smooth(power):
    """Wrong actions fall smoothly as the gap grows; the worst gap goes as T^(power - 1)."""
    return lambda t, gap: gap * t / (1.0 + (gap * t ** (1.0 - power)) ** 3)


def cliff(power):
    """Nothing is learnt below a gap, and everything above it."""
    return lambda t, gap: gap * t if gap < 0.7 * t ** (power - 1.0) else 1e-3 * gap * t


@pytest.mark.parametrize("law", [smooth, cliff])
@pytest.mark.parametrize("power", [0.5, 0.75])
@pytest.mark.parametrize("typed", [-0.2, -0.25, -0.5])
@pytest.mark.parametrize("ratio", [2 ** (1 / 8), 2 ** (1 / 4), 2**0.5])
def test_a_known_power_lies_in_its_interval_on_a_coarse_grid(law, power, typed, ratio):
    """Whatever power the grid's own middle has, as long as the peak is on it."""
    horizons = 10.0 ** np.arange(8, 15)

    def at(t):
        middle = 0.7 * t ** (power - 1.0)
        return middle * np.clip((t / 1e11) ** (typed - (power - 1.0)), 0.8, 1.25)

    for seed in range(3):
        found = long.exponent(grid(law(power), horizons, ratio, at, seed=seed))
        assert found.low <= power <= found.high, found
        assert found.high - found.low < 0.25 * np.log(ratio) + 0.05


def test_a_grid_that_says_nothing_has_an_interval_that_says_so():
    """Peaks at one place of every grid have the grid's own power; the interval is as wide as a step lets it be."""
    horizons = 10.0 ** np.arange(8, 15)
    found = long.exponent(grid(cliff(0.75), horizons, 2**0.5, lambda t: 0.6 * t**-0.25, spread=1e-9))
    weights = np.abs(np.arange(7) - 3) / np.sum((np.arange(7) - 3) ** 2) / np.log(10)
    assert found.high - found.low == pytest.approx(weights.sum() * 0.5 * np.log(2), rel=0.01)


def test_the_gap_is_chosen_on_one_half_of_the_runs_and_measured_on_the_other():
    regrets = np.array([[9.0, 1.0] * 5, [1.0, 9.0] * 5, [2.0, 2.0] * 5])
    point = long.Peak(1.0, np.array([1.0, 2.0, 3.0]), regrets)
    assert point.place == 0 and point.regret.tolist() == [1.0] * 5


def test_powers_of_the_inverse_and_differences():
    points = grid(lambda e, gap: gap / e / (1 + (gap / e) ** 3), [0.25, 0.5, 1.0], 1.09, lambda e: 0.8 * e, spread=1e-6)
    flat = long.exponent(points, inverse=True)
    assert flat.low < 0.0 < flat.high
    one, other = long.Interval(0.5, 0.48, 0.53), long.Interval(0.76, 0.75, 0.77)
    assert long.apart(one, other)[:3] == pytest.approx((-0.26, -0.29, -0.22))


def test_the_measured_powers(rows):
    def power(design, sets, dim):
        return long.exponent(long.peaks(rows, epsilon=1.0, design=design, sets=sets, dim=dim))

    for dim in (1, 2, 3):
        five, weighted, hidden = (power(design, "one set", dim) for design in ("derived", "weighted", "rewards"))
        assert five.low < 0.765 < five.high + 0.01 and five.low > 0.74
        assert max(weighted.high, hidden.high) < 0.54 and long.apart(weighted, five).high < -0.2
    skewed = power("derived", "ten sets", 2)
    assert skewed.low < 0.7545 < skewed.high  # and not the grid's own 0.75, to nine digits
    with pytest.raises(LookupError, match="must name runs"):
        long.peaks(rows, design="nothing")


def test_what_is_shown_is_the_measured_half_at_the_worst_gap(rows):
    part = rows[(rows["design"] == "derived") & (rows["sets"] == "one set") & (rows["dim"] == 2)]
    shown = long.shown(part[part["horizon"] == 10**10])
    assert len(shown) == 10 and set(shown["replication"] % 2) == {1} and shown["gap"].nunique() == 1
    (point,) = long.peaks(part, horizon=10**10)
    assert shown["regret"].tolist() == point.regret.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [({"horizon": 10**8}, "horizon"), ({"epsilons": [1.0] * 5}, "at most 4"), ({"dim": 1}, "dim")],
)
def test_parameters_must_be_in_range(change, message):
    good = {"horizon": 1000, "epsilons": [1.0], "dim": 2}
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})

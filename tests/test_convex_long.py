"""The longer studies of the chapter on convex losses: their committed rows, and what is read from them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from replay import committed, folder, replayed

from private_bandits_book.convex import check_parameters, long, long_studies
from private_bandits_book.judging import Power
from private_bandits_book.sweep import EPSILON, HORIZON, LOG, RateFit
from private_bandits_book.verdicts import REPRODUCED


def rows(label: str) -> pd.DataFrame:
    return pd.read_csv(folder("convex") / f"long-{label}.csv")


def test_the_studies_are_those_that_are_committed():
    assert list(long_studies()) == list(long.STUDIES) == ["powers", "steps"]
    for label, runs in long.STUDIES.items():
        frame, made = rows(label), runs()
        wanted = [tuple(run.labels.values()) for run in made for _ in range(run.replications)]
        last = frame[frame["t"] == frame["horizon"]]
        assert list(last[["row", "learner", "epsilon", "horizon"]].itertuples(index=False, name=None)) == wanted


@pytest.mark.parametrize("label", long.STUDIES)
def test_a_study_is_replayed_at_its_first_checkpoint(label):
    replayed(committed("convex", label), long.STUDIES[label](), rounds=long.EARLY)


def test_some_runs_are_replayed_to_their_end():
    runs = [run for run in long.powers_runs() if run.horizon == 100_000]
    assert len(runs) == 7
    replayed(committed("convex", "powers"), runs, whole=True)


def test_every_power_is_measured_where_regret_is_below_half_of_standing_still():
    frame = rows("powers")
    found = long.fits(frame)
    assert len(found) == 17 and all(fit.fit is not None for fit in found.values())
    assert {fit.quantity for fit in found.values()} == {HORIZON, LOG}
    assert found["convex", "sphere", math.inf].fit.measured == pytest.approx(0.76, abs=0.02)
    for run in (*long.powers_runs(), *long.steps_runs()):
        label = "powers" if any(run.labels == one.labels for one in long.powers_runs()) else "steps"
        part = rows(label) if label == "steps" else frame
        own = part[(part[list(run.labels)] == list(run.labels.values())).all(axis=1) & (part["t"] == run.horizon)]
        assert own["regret"].mean() < 0.5 * run.problem.uniform_regret() * run.horizon, run.labels


@pytest.mark.parametrize("epsilon", [math.inf, 4.0])
@pytest.mark.parametrize("runs", [20, 80])
def test_two_points_and_their_twin_without_privacy_have_one_verdict_at_20_and_at_80_runs(epsilon, runs):
    """Equivalence: the local slopes 0.510 and 0.502 are told from 1/2 by the runs, and not from an order of sqrt T."""
    fit = long.fit(rows("powers").query("replication < @runs"), "two points, convex", "printed", epsilon)
    assert fit.replications == runs
    assert Power(0.5, above=2 / 3, quantity="T").judge(fit.fit).verdict == REPRODUCED


def test_the_price_of_two_points_is_that_of_the_step():
    frame = rows("steps")
    printed, tuned = (long.of_epsilon(frame, "two points, convex", step) for step in ("printed", "tuned"))
    assert printed.quantity == EPSILON and printed.fit.measured == pytest.approx(1.96, abs=0.01)
    assert tuned.fit.measured == pytest.approx(1.0, abs=0.02)


def test_a_claimed_power_with_its_logarithm_is_larger_in_the_same_fit():
    fit = RateFit.over(HORIZON, ((t, np.array([t**0.6, 1.1 * t**0.6])) for t in (1e4, 1e5, 1e6, 1e7)))
    found, claimed, wrong = long.claimed(fit, 0.5, 0.5, 2 / 3)
    assert found.measured == pytest.approx(0.6) and wrong == pytest.approx(2 / 3)
    assert claimed == pytest.approx(0.5 + 0.5 / math.log(10**5.5), abs=1e-3)


@pytest.mark.parametrize(
    ("change", "message"), [({"horizon": 10**8}, "horizon"), ({"epsilons": [1.0] * 5}, "at most 4")]
)
def test_parameters_must_be_in_range(change, message):
    good = {"horizon": 1000, "epsilons": [1.0]}
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})

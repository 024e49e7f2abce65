"""The longer study of the heavy-tailed chapter, its runs between two ends, and what parameters the chapter takes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import rare
from replay import committed, rows_of

from private_bandits.papers import heavy_tailed as paper
from private_bandits_book.chapters.seeds import csv_text
from private_bandits_book.heavy_tailed import check_parameters, far, long, long_studies

GOOD = {
    "horizon": 10**15, "vs": [0.5, 0.9], "epsilons": [1.0], "local_epsilons": [0.5], "price_epsilons": [0.1, 1.0],
    "beta": 1e-15, "spare_shape": 0.05,
}  # fmt: skip


def test_the_study_holds_every_panel_at_every_horizon():
    assert list(long_studies()) == list(long.STUDIES) == ["order"]
    runs, frame = long.order_runs(), committed("heavy_tailed", "order")
    assert len(runs) == 2 * 5 * 12 * 2 and len(frame) == long.RUNS * len(runs)
    assert all(len(rows_of(frame, run)) == long.RUNS for run in runs)


def test_one_replication_is_replayed():
    """Every elimination, and the index algorithm in a panel of each law and horizon, which costs a tenth of a second"""
    runs, frame = long.order_runs(), committed("heavy_tailed", "order")
    kept = [run for run in runs if run.policy.algorithm == "Algorithm 3"]
    kept += [run for run in runs if run.policy.algorithm == "Algorithm 1" and run.labels["setting"] == 1][::4]
    for run in kept:
        again = long.play(run._replace(replications=2), n_jobs=1)
        stored = rows_of(frame, run).iloc[1]
        assert csv_text(again[["regret"]]).split()[2] == stored["regret"], run.labels
        assert np.isclose(again["low"].iloc[1], stored["low"]) and np.isclose(again["high"].iloc[1], stored["high"])


def test_a_run_lies_between_its_ends_and_the_chapter_gets_the_middle():
    problem, horizon = paper.setting(1, 0.9), 10**9
    policy = paper.dp_robust_ucb(1.0, 0.9, problem.moment(0.9), horizon)
    found = far.ends(problem, policy, np.array([10**8, horizon]), 3, 5, 1)
    assert len(found) == 6 and (found["low"] < found["high"]).all()
    assert found["regret"].to_numpy() == pytest.approx((found["low"] + found["high"]) / 2)
    known = {"horizon": horizon, "replications": 3, "seed": 5, "n_jobs": 1}
    chapter = SimpleNamespace(parameters=known)
    runs = far.play(chapter, problem, [policy], [10**8, horizon], v=0.9)
    assert runs["regret"].tolist() == found["regret"].tolist()
    assert runs["algorithm"].unique() == ["Algorithm 1"] and (runs["v"] == 0.9).all()
    assert far.play(chapter, problem, [policy], replications=2)["t"].min() == 100


def test_rare_rewards_are_lost_by_a_short_first_epoch_and_found_by_a_long_one():
    assert all(rare.loses_the_best(8.0, rare.RARE, 1e-15, 3, run) for run in range(5))
    for rate, lost in ((rare.RARE, False), (rare.RARE / 2, True)):
        assert rare.loses_the_best(rare.LONG, rate, 1e-15, 3, 0) == lost
    source = rare.streams(1, 0).env
    assert rare._rewards(source, 0, 10**6, rare.RARE).mean() == pytest.approx(rare.MEANS[0], rel=0.15)
    assert rare._rewards(source, 1, 10**5, rare.RARE).mean() == pytest.approx(rare.MEANS[1], rel=0.01)
    counts = rare._exceedances(np.array([0.25, 0.26, 1.0, 3.0]))
    powers = 2.0 ** np.arange(-64, 65)
    assert counts.tolist() == [int(np.sum(np.array([0.25, 0.26, 1.0, 3.0]) > power)) for power in powers]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 99}, "horizon must be >= 100"),
        ({"horizon": 10**16}, "horizon must be"),
        ({"vs": [0.1, 0.5, 0.9]}, "vs must have at most 2 values"),
        ({"vs": [1.5]}, "vs must be"),
        ({"epsilons": [0.1, 0.2, 0.3, 0.4, 0.5]}, "epsilons must have at most 4 values"),
        ({"price_epsilons": [2.0]}, "price_epsilons must be"),
        ({"beta": 1.0}, "beta must be"),
        ({"spare_shape": 0.0}, "spare_shape must be"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    check_parameters(**GOOD)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**GOOD, **change})

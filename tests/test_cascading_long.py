"""The longer studies of the chapter on cascading bandits: their committed rows, and what is read from them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from replay import committed, folder, replayed

from private_bandits.papers.cascading import bounds
from private_bandits_book.cascading import check_parameters, long, long_studies
from private_bandits_book.sweep import DELTA, EPSILON, LOG, SIZE

GOOD = {
    "n_items": 20, "list_size": 4, "p": 0.2, "gap": 0.15, "item_counts": [8], "list_sizes": [4], "epsilons": [0.2],
    "central_epsilons": [1.0], "cucb_epsilons": [2.0], "sweep_epsilons": [0.1, 1.0],
}  # fmt: skip


def rows(label: str) -> pd.DataFrame:
    return pd.read_csv(folder("cascading") / f"long-{label}.csv")


def test_the_studies_are_those_that_are_committed():
    assert list(long_studies()) == list(long.STUDIES) == ["learning", "growth", "order", "kappa"]


@pytest.mark.parametrize("label", ["learning", "growth"])
def test_a_study_is_replayed_at_its_first_checkpoints(label):
    replayed(committed("cascading", label), long.STUDIES[label](), rounds=30_000)


def test_the_order_is_replayed_to_its_end():
    runs, frame = long.order_runs(), committed("cascading", "order")
    assert len(frame) == 400 * len(runs) == 400 * 18
    replayed(frame, runs, rounds=long.ORDER_HORIZON)


def test_kappa_is_replayed_at_its_first_checkpoint_and_once_to_its_end():
    runs, frame = long.kappa_runs(), committed("cascading", "kappa")
    replayed(frame, runs, rounds=long.KAPPA_AT[0])
    replayed(frame, [run for run in runs if (run.labels["p"], run.labels["list_size"]) == (0.2, 2)], whole=True)


def test_every_exponent_is_measured():
    found = long.fits(rows("growth"))
    assert len(found) == 17 and all(fit.fit is not None and fit.replications == 5 for fit in found.values())
    assert {quantity for _, quantity in found} == {LOG, SIZE, EPSILON, DELTA}
    bit = found["repaired_local", SIZE]
    assert bit.values == [2, 4, 8] and bit.fit.low < -0.9 < bit.fit.high
    for algorithm in ("ucb_laplace", "ucb_gaussian", "repaired_local", "cucb_gaussian"):
        assert 1.5 < found[algorithm, EPSILON].fit.measured < 2.0


def test_learning_begins_where_regret_per_round_falls_below_half_of_uniform_play():
    table = long.learning_times(rows("learning"))
    assert len(table) == 20 and (table["replications"] == 5).all()
    named = table.set_index(["policy", "epsilon"])
    assert math.isnan(named.loc[("Hybrid, log of horizon", 0.2), "learns_from"])
    assert named.loc[("Laplace", 0.2), "learns_from"] > 100 * named.loc[("Response, first item", 0.2), "learns_from"]
    assert (named["over_uniform"] < 1).all()


def test_the_fit_of_kappa_finds_the_power_that_is_there():
    """Rows made by hand: the last two decades add what is proved, times a power of K."""
    frame, runs = [], np.arange(4)
    for p in (0.1, 0.5):
        for size in (2, 4, 8):
            late = bounds.theorem_12(size + 8, size, p, 0.95 * p, 100, 1.0, "corrected") * size**0.3 * (1 + 0.1 * runs)
            labels = {"trust": "central", "p": p, "n_items": size + 8, "list_size": size, "replication": runs}
            for t, regret in ((10**5, 7.0 + 0 * late), (10**6, 8.0), (10**7, 7.0 + late)):
                frame.append(pd.DataFrame(labels | {"t": t, "regret": regret}))
    found, of_kappa = long.kappa_fit(pd.concat(frame), "central")
    assert found[:3] == pytest.approx((0.3, 0.3, 0.3))
    powers = [
        np.polyfit(np.log([2, 4, 8]), np.log([(1 - (1 - p) ** k) / p for k in (2, 4, 8)]), 1)[0] for p in (0.1, 0.5)
    ]
    assert of_kappa == pytest.approx(np.mean(powers))


@pytest.mark.parametrize("trust", ["local", "central"])
def test_regret_over_what_is_proved_hardly_grows_with_k(trust):
    kappa = rows("kappa")
    found, of_kappa = long.kappa_fit(kappa, trust)
    assert found.high < of_kappa / 2
    ratios = long.over_lower(kappa)
    assert len(ratios) == len(kappa) / 3 and (ratios["regret"] > 1).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"list_size": 20}, "list_size must be <= 19"),
        ({"gap": 0.2}, "gap must be"),
        ({"list_sizes": [20]}, "list_sizes must be <= 19|list_sizes must be >= 1"),
        ({"item_counts": [4]}, "item_counts must be >= 5"),
        ({"epsilons": [0.1, 0.2, 0.3, 0.4, 0.5]}, "epsilons must have at most 4 values"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    check_parameters(**GOOD)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**GOOD, **change})

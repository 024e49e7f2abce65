"""The longer studies of the chapter on semi-bandits: their committed rows, and what is read from them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from replay import committed, replayed

from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits_book.chapter import Chapter
from private_bandits_book.chapters.book import find_book
from private_bandits_book.semibandits import check_parameters, long, long_studies
from private_bandits_book.sweep import EPSILON, GAP, LOG, SIZE

BOOK = find_book()
GOOD = {name: one.default for name, one in BOOK.parameters("semibandits").items()}


@pytest.fixture(scope="module")
def chapter():
    return Chapter("semibandits", GOOD)


@pytest.fixture(scope="module")
def powers(chapter):
    return long.powers(chapter.long("powers"))


def test_the_studies_are_those_that_are_committed():
    assert list(long_studies()) == list(long.STUDIES) == ["powers", "blocks"]


@pytest.mark.parametrize("label", ["powers", "blocks"])
def test_a_study_is_replayed_at_its_first_checkpoints(label):
    replayed(committed("semibandits", label), long.STUDIES[label]())


def test_blocks_are_replayed_to_their_end():
    """They leap, so that whole runs take no time."""
    quick = [run for run in long.blocks_runs() if run.policy.algorithm == long.BLOCKS and run.labels["size"] == 4]
    assert len(quick) == 7
    replayed(committed("semibandits", "blocks"), quick, whole=True)


def test_every_power_is_measured(powers):
    assert {*powers["quantity"]} == {SIZE, EPSILON, GAP, LOG}
    assert len(powers) == 61 and all(len(one) >= 3 for one in powers["values"])
    assert not powers.duplicated(["quantity", "instances", "best", *long.SUBJECT]).any()


def test_runs_have_learnt_where_a_power_is_fitted(chapter):
    ends = long.at_the_end(chapter.long("powers"))
    share = ends["regret"] * (ends["n_arms"] - ends["size"]) / (ends["uniform"] * ends["horizon"])
    by = ["quantity", "instances", "best", *long.SUBJECT, "epsilon", "size", "gap", "horizon"]
    assert share.groupby([ends[name] for name in by]).mean().max() < 0.5


def test_what_is_removed_is_measured_beside_what_the_radii_give(powers):
    found = long.removals(powers)
    assert len(found) == 10 and (np.abs(found["law"] - [one.measured for one in found["removed"]]) < 0.2).all()
    one, all_arms = (found[found["instances"] == name].iloc[0] for name in ("one matters", "top-K"))
    assert one["removed"].measured > 1.6 and 0.8 < all_arms["removed"].measured < 1.0


def test_reports_until_a_radius_is_small_by_hand():
    policy = paper.cucb_ldp2(1.0, "printed", 1000)
    assert long.reports(policy, 0.5, 1000) == pytest.approx(32 * math.log(1000) / 0.25)
    repaired, n = paper.cucb_ldp2(1.0, "repaired", 1000), 500.0
    radius = math.sqrt(13.5 * math.log(1000) / n) + 3 * math.log(1000) / n
    assert long.reports(repaired, radius, 1000) == pytest.approx(n)


def test_local_runs_stand_at_one_place_whatever_their_horizon(chapter):
    rows = long.local_by_size(chapter.long("powers"))
    assert {*rows["trust"]} == {"local"} and {*rows["t"]} == {1} and {*rows["variant"]} == {"repaired"}
    assert {*rows["instances"]} == {"one matters", "max-path", "top-K", "K-path"}


def test_regret_over_the_lower_bounds_is_above_1_and_the_two_powers_are_its(chapter):
    ratios = long.over_lower(chapter.long("powers"))
    assert (ratios.groupby(["instances", "size"])["regret"].mean() > 1).all()
    one = ratios[(ratios["instances"] == "one matters") & (ratios["size"] == 2)]
    whole = chapter.long("powers").loc[one.index, "regret"]
    assert one["regret"].to_numpy() == pytest.approx(
        whole.to_numpy() / bounds.theorem_5(5, 0.34, 1.0, 4 * 10**7, variant="corrected")
    )
    rising, level = long.ratio_powers(ratios)
    assert rising.low > 0.8 and level.high < 0.2


def made(power, law_of="super-arm blocks"):
    """Rows of two algorithms, to which privacy adds a power of K per bad arm."""
    rows = []
    for size in (1, 4, 16):
        for epsilon, more in ((0.5, 3.0 * size**power), (math.inf, 0.0)):
            labels = dict.fromkeys(long.SUBJECT, "") | {"algorithm": law_of, "epsilon": epsilon, "size": size}
            labels |= {"n_arms": 5 * size, "horizon": 100, "t": 100}
            rows += [labels | {"replication": r, "regret": 4 * size * (7.0 + 0.1 * r + more)} for r in range(3)]
    return pd.DataFrame(rows)


def test_the_power_that_privacy_adds_is_found():
    private = long.added(made(0.5))
    assert private["regret"].tolist() == pytest.approx([3.0] * 3 + [6.0] * 3 + [12.0] * 3)
    (one,) = long.growth(private).itertuples()
    assert one.power[:3] == pytest.approx((0.5, 0.5, 0.5)) and one.horizon == 100
    assert one.law == pytest.approx(
        np.polyfit(np.log([1, 4, 16]), np.log([long.noise_level(k, 100) for k in (1, 4, 16)]), 1)[0]
    )
    assert math.isnan(long.growth(long.added(made(0.5, "Algorithm 3")))["law"].item())


def test_the_line_of_theorem_9_begins_at_the_blocks_and_grows_with_k():
    line = long.theorem_9_growth(long.added(made(0.5)))
    assert line.groupby("size")["regret"].mean().to_dict() == pytest.approx({k: 3.0 * k for k in long.BLOCKS_SIZES})


def test_noise_level_by_hand():
    level = math.log(1000) + math.log(10)
    assert long.noise_level(16, 1000) == pytest.approx(level + 8 * math.sqrt(level))


def test_privacy_adds_far_less_than_theorem_9_says(chapter):
    growth = long.growth(long.added(chapter.long("blocks")))
    blocks = growth[growth["algorithm"] == long.BLOCKS]
    assert len(growth) == 10 and len(blocks) == 5 and max(one.high for one in blocks["power"]) < 0.33
    printed = growth[growth["algorithm"].str.startswith("Algorithm 3")]
    assert min(one.low for one in printed["power"]) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_arms": 17}, "n_arms must be .*<= 16"),
        ({"size": 12}, "size must be .*<= 11"),
        ({"gap": 0.6}, "gap must be"),
        ({"epsilons": [0.1, 0.2, 0.3, 0.4]}, "epsilons must have at most 3 values"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    check_parameters(**GOOD)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**GOOD, **change})

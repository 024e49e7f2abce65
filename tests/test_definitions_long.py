"""The chapter on Basu et al. (2019): its longer studies, their committed rows, its pictures and its parameters."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from replay import committed, folder, replayed

from private_bandits.papers import definitions
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import check_parameters, lemmas, long, long_studies, pictures
from private_bandits_book.ledger import claims_of
from private_bandits_book.package_data import tables
from private_bandits_book.plots import facts


def test_the_studies_are_those_that_are_committed():
    assert list(long_studies()) == list(long.STUDIES) == ["upper-lower", "price"]
    kept = {path.stem for path in Path(folder("definitions")).glob("long-*.csv")}
    assert kept == {f"long-{label}" for label in long.STUDIES}


@pytest.mark.parametrize("label", long.STUDIES)
def test_every_run_is_committed_and_nothing_else(label):
    runs, frame = long.STUDIES[label](), pd.read_csv(folder("definitions") / f"long-{label}.csv")
    counted = frame.groupby(list(runs[0].labels), sort=False)["replication"].nunique()
    assert counted.to_dict() == {tuple(run.labels.values()): run.replications for run in runs}
    assert frame["t"].max() == runs[0].horizon and min(counted) >= 5


def test_one_instance_is_replayed_at_its_first_checkpoints():
    replayed(committed("definitions", "upper-lower"), long.one_instance_runs(), rounds=30_000)


def test_three_runs_on_one_instance_are_replayed_to_their_end():
    chosen = [(long.LDP_UCB, 1.0), (long.DP_SE, 0.05), (long.DP_KLUCB, 0.2)]
    replayed(committed("definitions", "upper-lower"), [long.long_run(*one) for one in chosen], whole=True)


def test_the_price_is_replayed():
    replayed(committed("definitions", "price"), long.price_runs(), rounds=30_000)


def runs(*rows, gap=0.5, t=100, uniform=0.3):
    """Rows of runs: (name, epsilon, regrets)."""
    frames = []
    for name, epsilon, regrets in rows:
        known = facts(long.made(name, epsilon, 3, t), long.instance(3, gap)) | {"gap": gap, "uniform": uniform}
        frames.append(pd.DataFrame({**known, "replication": range(len(regrets)), "t": t, "regret": regrets}))
    return pd.concat(frames, ignore_index=True)


def test_the_price_is_a_ratio_of_the_largest_regrets():
    name = long.DP_KLUCB
    easy = runs((name, 0.2, [10.0, 12.0]), (name, math.inf, [4.0, 6.0]), gap=0.8)
    hard = runs((name, 0.2, [20.0, 22.0]), (name, math.inf, [7.0, 7.0]), gap=0.1)
    (row,) = long.factors(pd.concat([easy, hard])).itertuples()
    assert row.regret == pytest.approx(21 / 7) and row.gap == 0.1 and row.regret_private == 21.0
    assert row.regret_se == pytest.approx(3 * 1 / 21)
    assert long.factors(pd.concat([easy, hard.assign(uniform=0.22)])).empty  # 21 is over 0.9 of uniform play's 22


def test_the_hardest_gap_is_that_with_the_most_regret():
    both = pd.concat([runs((long.UCB, math.inf, [3.0, 5.0]), gap=0.2), runs((long.UCB, math.inf, [1.0, 9.0]), gap=0.1)])
    found = long.hardest(both)
    assert found["gap"].unique() == [0.1] and found["problem"].unique() == ["the hardest of 2 gaps"] and len(found) == 2


def test_bounds_stand_beside_runs():
    rows = runs((long.DP_KLUCB, 0.2, [5.0, 6.0]), (long.LDP_UCB, 1.0, [7.0, 8.0]), t=10**6)
    found = long.with_bounds(rows, 3).set_index(["policy", "epsilon"])["regret"]
    assert found["lower bound, local", 0.2] == replacements.local_minimax(3, 10**6, 0.2)
    assert found["lower bound, central", 1.0] == replacements.central_minimax(3, 10**6, 1.0)
    means = long.instance(3, 0.5).means
    found = long.with_bounds(rows, means).set_index(["policy", "epsilon"])["regret"]
    assert found["lower bound, local", 0.2] == replacements.local_lower(means, 10**6, 0.2)
    assert found["lower bound, central", 0.2] == replacements.central_lower(means, 10**6, 0.2)


# --- pictures


@pytest.mark.parametrize(
    ("graph", "hidden", "given", "expected"),
    [
        (pictures.bandit(), pictures.REWARDS[:1], [], False),
        (pictures.bandit(local=True), [pictures.REWARDS[0], pictures.ENVIRONMENT], pictures.MESSAGES[:1], True),
        (pictures.bandit(), [pictures.OUTCOMES[0], pictures.ENVIRONMENT], pictures.REWARDS[:1], True),
        (pictures.bandit(partial_monitoring=True), pictures.OUTCOMES[:1], pictures.REWARDS[:1], False),
    ],
)
def test_separation_says_who_learns_what(graph, hidden, given, expected):
    assert pictures.separated(graph, hidden, given) is expected


def test_figure_1_draws_four_models():
    picture = pictures.figure_1()
    assert picture.data["model"].nunique() == len(picture.fig.axes) == 4
    assert picture.data.groupby("model", sort=False)["noisy"].sum().tolist() == [0, 2, 1, 2]
    assert "(c) differential privacy: seen are actions; protected: outcomes" in picture.alt


def test_every_arrow_of_the_map_has_a_claim_and_every_claim_of_ours_on_privacy_an_arrow():
    picture, arrows = pictures.implications(), tables("definitions", "map")["arrow"]
    assert len(picture.data) == len(arrows) == len({tuple(arrow["ends"]) for arrow in arrows}) == 16
    known = {claim.claim for claim in claims_of("definitions")}
    shown = set(picture.data["claim"])
    assert shown <= known
    assert {"own-composition", "own-concentrated", "own-views", "own-environment", "lemma-1", "lemma-2"} <= shown
    assert picture.data["follows"].tolist() == ["no" if arrow.get("broken") else "yes" for arrow in arrows]


def test_computed_lines_say_where_they_lead():
    rows = pd.DataFrame({"line": "a", "family": "none", "trust": "none", "epsilon": [0.1, 1.0], "value": [1.0, 2.0]})
    picture = pictures.exact(rows, xscale="log")
    assert picture.alt == "Along epsilon. a 1 to 2." and picture.data is rows
    parted = pictures.exact(rows.assign(where="left"), panel="where")
    assert parted.alt == "Along epsilon. left: a 1 to 2."


def test_the_guesses_are_drawn_with_what_epsilon_allows():
    guesses = lemmas.guesses([0.1, 1.0], 3)
    picture = pictures.guessed(guesses)
    assert len(picture.fig.axes) == 3 and picture.data is guesses
    assert "one answer or all: covered by the definition 0.525 to 0.731, most that ε allows 0.525" in picture.alt


# --- parameters


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_arms": 1}, "n_arms must be >= 2"),
        ({"n_arms": 101}, "n_arms must be"),
        ({"exact_horizon": 1}, "exact_horizon must be >= 2"),
        ({"exact_horizon": 6}, "exact_horizon must be"),
        ({"exact_epsilon": 0.0}, "exact_epsilon must be > 0"),
        ({"exact_epsilon": 21.0}, "exact_epsilon must be"),
        ({"guesses": 0}, "guesses must be >= 1"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    good = {"n_arms": 3, "exact_horizon": 4, "exact_epsilon": 1.0, "guesses": 100}
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})


def test_the_library_room_exports_its_bounds():
    assert definitions.theorem_3(2, 10**6, 0.05) == bounds.theorem_3(2, 10**6, 0.05)
    assert all(hasattr(definitions, name) for name in definitions.__all__)
    assert np.isfinite(definitions.local_minimax(3, 100, 1.0))

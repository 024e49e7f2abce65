"""What two runs have in common, and the runs of longer studies."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from private_bandits import baselines
from private_bandits.problems import Arms, SemiBandit
from private_bandits.simulation import log_checkpoints, simulate
from private_bandits_book import studies
from private_bandits_book.runs import csv_text
from private_bandits_book.studies import LongRun

MEANS = [0.7, 0.4, 0.2]
OTHERS = {
    "means": (Arms.bernoulli([0.7, 0.4, 0.3]), baselines.dp_se(1.0, n_arms=3, horizon=300)),
    "epsilon": (Arms.bernoulli(MEANS), baselines.dp_se(2.0, n_arms=3, horizon=300)),
    "a constant that no name tells": (Arms.bernoulli(MEANS), baselines.dp_se(1.0, n_arms=3, horizon=300, beta=0.1)),
    "policy": (Arms.bernoulli(MEANS), baselines.adap_ucb(1.0)),
    "problem of the same means": (SemiBandit.top_k(np.array(MEANS), 1), baselines.dp_se(1.0, n_arms=3, horizon=300)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_different_runs_are_told_apart_and_equal_ones_are_not(other):
    one, same = (studies.identity(Arms.bernoulli(MEANS), baselines.dp_se(1.0, n_arms=3, horizon=300)) for _ in range(2))
    assert one == same != studies.identity(*OTHERS[other]) and hash(one) == hash(same)


def test_what_a_problem_has_computed_of_itself_is_no_content():
    """Else what was run before is run again, or not taken from a longer study, once something was looked at."""
    pairs, policy = SemiBandit.from_sets([0.5, 0.4, 0.3], [[0, 1], [1, 2]]), baselines.ucb()
    before = studies.identity(pairs, policy)
    assert pairs.uniform_regret() > 0 and studies.identity(pairs, policy) == before


# --- longer studies

LONG = LongRun({"gap": 0.3}, Arms.bernoulli(MEANS), baselines.ucb(), 1000, seed=5, replications=3)


def test_a_longer_run_is_tidy_and_can_be_replayed():
    frame = studies.play_long(LONG, n_jobs=1)
    assert list(frame.columns) == ["replication", "t", "regret"] and len(frame) == 3 * len(log_checkpoints(1000))
    expected = simulate(LONG.problem, LONG.policy, horizon=1000, replications=3, seed=5)
    assert frame["regret"].tolist() == expected.regret.values.ravel().tolist()
    assert frame["t"].tolist() == log_checkpoints(1000).tolist() * 3
    first = studies.play_long(LONG._replace(replications=1, horizon=100), n_jobs=1)
    whole = frame[(frame["replication"] == 0) & (frame["t"] <= 100)]
    pd.testing.assert_frame_equal(first, whole.reset_index(drop=True))


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"checkpoints": (10, 100)}, [10, 100, 1000]),
        ({"checkpoints": (100, 10, 10), "horizon": 100}, [10, 100]),
        ({"checkpoints": (), "horizon": 7}, [7]),
        ({"start": 600}, [t for t in log_checkpoints(1000) if t >= 600]),
        ({"start": 600, "checkpoints": (10, 800), "horizon": 700}, [700]),
        ({"start": 600, "horizon": 50}, [50]),
    ],
)
def test_only_the_checkpoints_of_a_longer_run_are_kept(changes, kept):
    frame = studies.play_long(LONG._replace(**changes), n_jobs=1)
    assert frame["t"].tolist() == kept * 3


def test_a_longer_study_is_all_its_runs(capsys):
    runs = [LONG._replace(labels={"gap": gap}, horizon=20) for gap in (0.1, 0.2)]
    study = studies.LongStudy(lambda: runs, ["policy", "epsilon", "gap"])
    frame = studies.long_study("gaps", study)()
    assert capsys.readouterr().err == ""
    assert list(frame.columns) == ["run", "policy", "epsilon", "gap", "replication", "t", "regret"]
    assert frame.groupby(["run", "policy", "epsilon", "gap"])["replication"].nunique().to_dict() == {
        (0, "UCB", math.inf, 0.1): 3,
        (1, "UCB", math.inf, 0.2): 3,
    }
    assert frame.index.is_unique
    studies.long_study("gaps", study)(progress=True)
    assert "gaps" in capsys.readouterr().err


def test_a_stored_study_has_what_its_policies_state_and_nothing_is_read_back_from_text(tmp_path, monkeypatch):
    runs = [LONG._replace(labels={"gap": 1 / k}, policy=baselines.adap_ucb(k / 7), horizon=20) for k in (3, 9)]
    study = studies.LongStudy(lambda: runs, ["policy", "epsilon", "gap"])
    room = SimpleNamespace(STUDIES={"gaps": study})
    monkeypatch.setitem(sys.modules, "private_bandits_book.chapters.mine.studies", room)
    path, played = tmp_path / "long-gaps.csv", studies.long_study("gaps", study)()
    path.write_text(csv_text(played))
    rows = studies.stored("mine", "gaps", tmp_path)
    assert list(rows)[:7] == list(played) and {"algorithm", "trust", "problem", "uniform"} < {*rows}
    known = ["run", "policy", "epsilon", "gap"]
    pd.testing.assert_frame_equal(rows[known], played[known], check_exact=True)
    said = "must have the 2 runs of its study, got {}: private-bandits reproduce mine --long"
    for kept, got in (([0], "1 with numbers to 0"), ([1], "1 with numbers to 1")):
        path.write_text(csv_text(played[played["run"].isin(kept)]))
        with pytest.raises(ValueError, match=said.format(got)):
            studies.stored("mine", "gaps", tmp_path)
    del room.STUDIES["gaps"]
    assert list(studies.stored("mine", "gaps", tmp_path)) == list(played)

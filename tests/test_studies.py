"""Runs that are played once, panels and their tables, and the runs of longer studies."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from synthetic import KEYS

from private_bandits import baselines
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, SemiBandit
from private_bandits.simulate import log_checkpoints, simulate
from private_bandits_book import studies
from private_bandits_book.studies import LongRun, Run, Runner, Runs

MEANS = [0.7, 0.4, 0.2]


@pytest.fixture
def player() -> Runner:
    return Runner(horizon=300, replications=4, seed=7, n_jobs=1)


def known(regret: list[list[float]], policy=None, variant: str = "", **swept: float) -> Run:
    """A run with this regret, on three arms, in rounds 1, 2, ..."""
    marks = np.arange(1, len(regret[0]) + 1)
    data = xr.Dataset({"regret": (("replication", "t"), np.array(regret))}, coords={"t": marks})
    return Run(policy or baselines.ucb(), variant, Arms.bernoulli(MEANS), swept, data)


def test_a_run_is_what_simulate_returns(player):
    problem, policy = Arms.bernoulli(MEANS), baselines.adap_ucb(1.0)
    run = player.run(problem, policy, "printed", {"gap": 0.3})
    expected = simulate(problem, policy, horizon=300, replications=4, seed=7)
    assert np.array_equal(run.curves, expected.regret.values)
    assert np.array_equal(run.final, expected.regret.values[:, -1])
    assert run.curves.shape == (4, len(log_checkpoints(300)))
    assert (run.policy, run.variant, run.problem, run.swept) == (policy, "printed", problem, {"gap": 0.3})
    assert (run.name, run.epsilon) == ("AdaP-UCB", 1.0)
    assert run.uniform == pytest.approx((0.7 - 1.3 / 3) * 300)
    assert player.run(problem, policy).swept == {}


def test_equal_runs_are_played_once(player, monkeypatch):
    played = []
    monkeypatch.setattr(studies, "simulate", lambda *a, **k: played.append(k) or simulate(*a, **k))
    first = player.run(Arms.bernoulli(MEANS), baselines.dp_se(1.0, 3, 300), "printed")
    again = player.run(Arms.bernoulli(MEANS), baselines.dp_se(1.0, 3, 300), "other", {"gap": 0.3})
    assert len(played) == 1 and again.data is first.data and again.variant == "other"
    player.run(Arms.bernoulli(MEANS), baselines.dp_se(1.0, 3, 300), horizon=300, n_jobs=2)
    assert len(played) == 1
    assert Runner(300, 4, 7, 1) == player


OTHERS = {
    "means": (Arms.bernoulli([0.7, 0.4, 0.3]), baselines.dp_se(1.0, 3, 300), {}),
    "epsilon": (Arms.bernoulli(MEANS), baselines.dp_se(2.0, 3, 300), {}),
    "a constant that no name tells": (Arms.bernoulli(MEANS), baselines.dp_se(1.0, 3, 300, beta=0.1), {}),
    "policy": (Arms.bernoulli(MEANS), baselines.adap_ucb(1.0), {}),
    "problem of the same means": (SemiBandit.top_k(np.array(MEANS), 1), baselines.ucb(), {}),
    "horizon": (Arms.bernoulli(MEANS), baselines.dp_se(1.0, 3, 300), {"horizon": 200}),
}


@pytest.mark.parametrize("other", OTHERS)
def test_different_runs_are_both_played(player, other):
    problem, policy, options = OTHERS[other]
    player.run(Arms.bernoulli(MEANS), baselines.dp_se(1.0, 3, 300))
    player.run(Arms.bernoulli(MEANS), baselines.ucb())
    run = player.run(problem, policy, **options)
    assert len(player._played) == 3
    assert run.data.t[-1] == options.get("horizon", 300)


def test_the_settings_are_the_players(player, monkeypatch):
    seen = {}
    monkeypatch.setattr(studies, "simulate", lambda *a, **k: seen.update(k) or simulate(*a, **k))
    player.run(Arms.bernoulli(MEANS), baselines.ucb())
    assert seen == {"horizon": 300, "replications": 4, "seed": 7, "n_jobs": 1}
    player.run(Arms.bernoulli(MEANS), baselines.ucb(), horizon=50, n_jobs=2)
    assert seen == {"horizon": 50, "replications": 4, "seed": 7, "n_jobs": 2}


def test_every_kind_of_problem_is_compared_by_value():
    sets = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    pairs = [
        (Cascade([0.5, 0.2, 0.1], 2), Cascade([0.5, 0.2, 0.1], 2), Cascade([0.5, 0.2, 0.1], 1)),
        (
            SemiBandit.from_sets(MEANS, [[0, 1], [2]]),
            SemiBandit.from_sets(MEANS, [[0, 1], [2]]),
            SemiBandit.from_sets(MEANS, [[0, 2], [1]]),
        ),
        (
            ConvexLoss.ball([[0.1, 0.2]], radius=0.5),
            ConvexLoss.ball([[0.1, 0.2]], radius=0.5),
            ConvexLoss.ball([[0.1, 0.2]]),
        ),
        (
            LinearContext.table(sets, [[0.1, 0.2]]),
            LinearContext.table(sets, [[0.1, 0.2]]),
            LinearContext.table(sets, [[0.2, 0.1]]),
        ),
    ]
    for one, same, other in pairs:
        key, again, apart = (studies.identity(problem, baselines.ucb()) for problem in (one, same, other))
        assert key == again != apart and hash(key) == hash(again)


class Stubborn:
    """A learner in Python that plays arm 0."""

    name = "stubborn"

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return [0]

    def tell(self, weights):
        pass


def test_a_learner_in_python_is_played_once_as_itself(player):
    stubborn, other = Stubborn(), Stubborn()
    problem = Arms.bernoulli(MEANS)
    assert player.run(problem, stubborn).data is player.run(problem, stubborn).data
    assert player.run(problem, other).data is not player.run(problem, stubborn).data


PANEL = Runs(
    [
        known([[1.0], [2.0]]),
        *(
            known([[1.0], [2.0]], baselines.adap_ucb(epsilon), variant, gap=gap)
            for epsilon in (0.5, 1.0)
            for variant in ("printed", "repaired")
            for gap in (0.1, 0.2)
        ),
    ]
)


def test_find_returns_the_one_run():
    assert PANEL.find(KEYS["UCB"]) is PANEL[0]
    run = PANEL.find(KEYS["AdaP-UCB"], "repaired", 0.5, gap=0.2)
    assert (run.variant, run.epsilon, run.swept) == ("repaired", 0.5, {"gap": 0.2})
    assert PANEL.final(KEYS["UCB"]) == 1.5


def test_select_keeps_the_order():
    assert PANEL.select() == PANEL and PANEL.select(variant="") == PANEL[:1]
    assert PANEL.select(KEYS["AdaP-UCB"], epsilon=0.5, gap=0.2) == [PANEL[2], PANEL[4]]
    assert PANEL.select(gap=0.3) == PANEL.select(KEYS["UCB"], gap=0.1) == []


@pytest.mark.parametrize(
    ("wanted", "swept", "number"),
    [
        (("LDP-UCB-L",), {}, 0),
        (("UCB", "printed"), {}, 0),
        (("UCB", "", 1.0), {}, 0),
        (("UCB",), {"gap": 0.1}, 0),
        (("UCB",), {"gap": None}, 0),
        (("AdaP-UCB", "printed", 1.0), {}, 2),
        (("AdaP-UCB", "printed"), {"gap": 0.1}, 2),
        (("AdaP-UCB", "printed", 1.0), {"gap": 0.3}, 0),
    ],
)
def test_find_refuses_none_and_more_than_one(wanted, swept, number):
    with pytest.raises(LookupError, match=f"{number} runs of"):
        PANEL.find(KEYS[wanted[0]], *wanted[1:], **swept)


def test_tables_of_a_panel_are_tidy():
    panel = Runs(
        [
            known([[1.0, 2.0], [1.0, 6.0], [1.0, 4.0]], size=3),
            known([[0.0, 8.0], [2.0, 8.0], [4.0, 8.0]], baselines.ldp_ucb_laplace(0.5), "printed", size=2),
        ]
    )
    frame = panel.curves(paid=True)
    columns = ["key", "policy", "reading", "family", "trust", "epsilon", "size", "value_epsilon", "effective_epsilon"]
    assert list(frame.columns) == [*columns, "t", "regret", "regret_se", "replications"]
    assert frame[["policy", "reading", "family", "trust", "size", "t"]].to_numpy().tolist() == [
        ["UCB", "", "none", "none", 3, 1],
        ["UCB", "", "none", "none", 3, 2],
        ["LDP-UCB-L", "printed", "laplace", "local", 2, 1],
        ["LDP-UCB-L", "printed", "laplace", "local", 2, 2],
    ]
    assert frame["epsilon"].tolist() == [math.inf, math.inf, 0.5, 0.5]
    for paid in ("value_epsilon", "effective_epsilon"):
        assert frame[paid].tolist() == [getattr(run.policy.privacy, paid) for run in panel for _ in range(2)]
    assert frame["regret"].tolist() == [1.0, 4.0, 2.0, 8.0]
    # the standard deviation of 2, 4, 6 is 2, over the root of three runs
    assert frame["regret_se"].tolist() == pytest.approx([0.0, 2 / math.sqrt(3), 2 / math.sqrt(3), 0.0])
    assert set(frame["replications"]) == {3}
    pd.testing.assert_frame_equal(panel.finals(paid=True), frame[frame["t"] == 2].reset_index(drop=True))
    unpaid = frame.drop(columns=["value_epsilon", "effective_epsilon"])
    pd.testing.assert_frame_equal(panel.curves(), unpaid)
    pd.testing.assert_frame_equal(panel.finals(), unpaid[unpaid["t"] == 2].reset_index(drop=True))


# --- longer studies

LONG = LongRun({"policy": "UCB", "gap": 0.3}, Arms.bernoulli(MEANS), baselines.ucb(), 1000, seed=5, replications=3)


def test_a_computed_curve_has_one_row_and_no_spread(player):
    run = player.run(Arms.bernoulli(MEANS), baselines.ucb(), "printed")
    exact = run._replace(data=run.data.isel(replication=[0]))
    frame = studies.Runs([exact]).curves()
    assert frame["t"].tolist() == run.t.tolist() and frame["regret"].tolist() == run.curves[0].tolist()
    assert set(frame["regret_se"]) == {0.0} and set(frame["replications"]) == {1}


def test_a_longer_run_is_tidy_and_can_be_replayed():
    frame = studies.play_long(LONG, n_jobs=1)
    assert list(frame.columns) == ["policy", "gap", "replication", "t", "regret"]
    assert len(frame) == 3 * len(log_checkpoints(1000)) and set(frame["gap"]) == {0.3}
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
    frame = studies.long_study("gaps", lambda: runs)()
    assert capsys.readouterr().err == ""
    assert frame.groupby("gap")["replication"].nunique().to_dict() == {0.1: 3, 0.2: 3}
    assert frame.index.is_unique
    studies.long_study("gaps", lambda: runs)(progress=True)
    assert "gaps" in capsys.readouterr().err


def test_a_worker_that_grows_is_replaced_in_silence():
    """Compiled loops of many policies make it grow; joblib then warns, and a cell that writes to stderr fails."""
    code = """
import builtins, time
import numpy as np
from joblib import delayed
from private_bandits_book.studies import in_processes

def grow(megabytes):
    builtins.kept = [*getattr(builtins, "kept", []), np.ones(megabytes << 17)]
    time.sleep(0.6)
    return megabytes

print(in_processes([delayed(grow)(m) for m in (1, 1, 400, 400, 1, 1, 1, 1)], 2))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("[1, 1, 400, 400, 1, 1, 1, 1]\n", "")

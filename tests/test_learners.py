"""Policies and problems written in Python: the kernels' numbers, runs that share nothing, parts of a study."""

from __future__ import annotations

import importlib
import math
import sys
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import xarray as xr
from joblib.externals.loky import get_reusable_executor
from test_replay import PLAIN

from private_bandits import baselines, simulate
from private_bandits.papers.cascading import cascade_ucb1
from private_bandits.papers.contextual import ldp_linucb, one_point
from private_bandits.papers.semibandits import cucb
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem, SemiBandit
from private_bandits.simulation import trace

_, UCB1 = PLAIN["UCB"]

# --- the same numbers as the kernels


TOLD: list = []  # in all runs, the one that is rehearsed among them
SHOWN: list = []


class Replayed:
    """Plays what a compiled policy played, and lets all see what it is shown."""

    name = "replayed"

    def __init__(self, rows):
        self.rows, self.place, self.told = rows, 0, []

    def start(self, problem, choice, noise):
        return self

    def ask(self, *shown):
        SHOWN.extend(shown)
        self.place += 1
        row = self.rows[self.place - 1, :-1].tolist()
        return [item for item in row if item != -1]

    def tell(self, feedback):
        self.told.append(list(feedback))
        TOLD.append(list(feedback))


SPHERE = LinearContext.sphere([0.6, 0.3], n_actions=4, noise=0.2)
LISTS = Cascade([0.3] * 5 + [0.6] * 3, 3)
SETS = SemiBandit.from_sets([0.2, 0.3, 0.8], [[0, 1], [2]], groups=[1, 1, -1])
CLICKS = LinearContext.table([[[1.0, 0.0], [0.0, 1.0]]] * 3, [[0.2, 0.8]] * 3, link="logistic")
BALL = ConvexLoss.ball([[0.3, 0.1], [-0.4, 0.2]], kind="smooth")
NOISY = ConvexLoss.ball([[0.3, 0.1], [-0.4, 0.2]], kind="smooth", mode="stochastic", spread=0.1)
CASCADE_UCB1 = cascade_ucb1()
UNSEEN = replace(CASCADE_UCB1, record=CASCADE_UCB1.record._replace(observe_first=False))
PAIRS = [
    (Arms.bernoulli([0.2, 0.5, 0.9]), baselines.ucb()),
    (LISTS, UNSEEN),
    (SemiBandit.top_k([0.3] * 5 + [0.6] * 3, 3), cucb()),
    (SETS, cucb()),
    (BALL, one_point(math.inf, problem=BALL, delta=1e-3, horizon=400)),
    (NOISY, one_point(math.inf, problem=NOISY, delta=1e-3, horizon=400)),
    (SPHERE, ldp_linucb(1.0, delta=1e-3, dim=2, horizon=400)),
    (CLICKS, ldp_linucb(1.0, delta=1e-3, dim=2, horizon=400)),
]


@pytest.mark.parametrize(("problem", "policy"), PAIRS, ids=[str(problem) for problem, _ in PAIRS])
def test_the_same_answers_have_the_same_regret_bit_for_bit(problem, policy):
    rows = trace(problem, policy, horizon=400, seed=5)
    again = Replayed(rows)
    found = simulate(problem, again, horizon=400, replications=1, seed=5, checkpoints=range(1, 400))
    wanted = simulate(problem, policy, horizon=400, replications=1, seed=5, checkpoints=range(1, 400))
    np.testing.assert_array_equal(found.regret, wanted.regret)
    np.testing.assert_array_equal(trace(problem, Replayed(rows), horizon=400, seed=5), rows)
    assert len({tuple(one) for one in TOLD[-400:]}) > 1


def test_a_learner_is_shown_the_vectors_whose_gaps_it_pays():
    rows = np.tile([2, 1], (400, 1))
    learner = Replayed(rows)
    regret = simulate(SPHERE, learner, horizon=400, replications=1, seed=5, checkpoints=range(1, 400)).regret[0]
    # of which 20 rounds are played again
    means = np.array(SHOWN[-420:-20]) @ SPHERE.theta
    np.testing.assert_allclose(np.diff(regret, prepend=0), means.max(axis=1) - means[:, 2], atol=1e-12)
    errors = np.array(TOLD[-420:-20])[:, 0] - means[:, 2]
    assert np.abs(errors).max() <= 0.2 and np.std(errors) == pytest.approx(0.2 / math.sqrt(3), rel=0.1)


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        *((LISTS, items) for items in ([0, 1], [0, 1, 1], [0, 1, 8], [-1, 0, 1], [[0, 1, 2]], 0, [0.5, 1.5, 2.5])),
        *((SPHERE, action) for action in ([4], [0, 1], None)),
        *((BALL, point) for point in ([0.9, 0.9], [[0.1, 0.2]] * 2)),
        (SETS, [0, 2]),
        *((Arms.bernoulli([0.5, 0.4]), arm) for arm in (0, [0.0], [2], [0, 1])),
    ],
)
def test_an_answer_that_is_none_is_refused(problem, answer):
    class Wrong(Replayed):
        def ask(self, *shown):
            return answer

    allowed = r"3 distinct items|\[arm\], arm an integer from 0 to 1,|\[action\]|a point|a super arm"
    with pytest.raises(ValueError, match=rf"ask\(\) must return ({allowed}) of"):
        simulate(problem, Wrong(None), horizon=2, replications=1, seed=0)


def test_ucb1_in_python_is_the_compiled_one_also_in_processes(monkeypatch):
    monkeypatch.setattr(importlib.import_module("private_bandits.simulation"), "_FEW_IN_PYTHON", 0)
    arms = Arms.bernoulli([0.5, 0.4, 0.55])
    mine = simulate(arms, UCB1, horizon=700, replications=3, seed=4, n_jobs=2)
    np.testing.assert_array_equal(
        mine.regret, simulate(arms, baselines.ucb(), horizon=700, replications=3, seed=4).regret
    )


# --- runs share nothing


def test_a_run_finds_nothing_that_another_left():
    policy = Replayed(np.tile([0, 1], (5, 1)))
    simulate(Arms.bernoulli([0.5, 0.4]), policy, horizon=5, replications=4, seed=0)  # the rows of a second are missing
    assert policy.place == 0 and policy.told == []


FILES = {
    "mine.py": """
import helper

class Mine:
    name, arm = "mine", 0
    def start(self, problem, choice, noise): return self
    def ask(self): return [helper.further(self.arm)]
    def tell(self, feedback): pass
""",
    "helper.py": "STEP = 0\n\ndef further(arm): return arm + STEP\n",
}


@pytest.mark.parametrize(
    ("file", "old", "new", "reloaded"),
    [("mine", "self.arm)", "1)", True), ("helper", "arm + STEP", "arm + 1", False)],
)
def test_workers_play_the_code_of_the_session_or_refuse(file, old, new, reloaded, tmp_path, monkeypatch):
    """As after an edit in a live notebook: with %autoreload the session has the new code, and without it the old."""
    monkeypatch.setattr(importlib.import_module("private_bandits.simulation"), "_FEW_IN_PYTHON", 0)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # of workers: a binary of the same second would be taken for new
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    modules = {name: importlib.import_module(name) for name in ("helper", "mine")}
    get_reusable_executor().shutdown()  # which would not find them
    policy, how = modules["mine"].Mine(), {"horizon": 9, "replications": 2, "seed": 0}
    assert simulate(Arms.bernoulli([1.0, 0.0]), policy, n_jobs=2, **how).regret.max() == 0.0
    (tmp_path / f"{file}.py").write_text(FILES[f"{file}.py"].replace(old, new))
    if reloaded:
        importlib.reload(modules[file])
        policy.__class__ = modules["mine"].Mine
        assert simulate(Arms.bernoulli([1.0, 0.0]), policy, n_jobs=2, **how).regret[:, -1].values.tolist() == [9.0, 9.0]
    else:
        get_reusable_executor().shutdown()
        with pytest.raises(
            ValueError, match=f"{file} must be in a worker what it is in the session, got a file edited"
        ):
            simulate(Arms.bernoulli([1.0, 0.0]), policy, n_jobs=2, **how)
    for name in modules:
        del sys.modules[name]
    get_reusable_executor().shutdown()


def test_workers_play_no_library_that_was_edited_since(monkeypatch):
    monkeypatch.setattr(importlib.import_module("private_bandits.simulation"), "_FEW_IN_PYTHON", 0)
    monkeypatch.setattr("private_bandits.compilation._IMPORTED", {})
    with pytest.raises(ValueError, match="private_bandits must be what was imported, got files edited since"):
        simulate(Arms.bernoulli([0.5, 0.4]), UCB1, horizon=9, replications=2, seed=0, n_jobs=2)


# --- problems written in Python


@dataclass
class PositionBased(Problem):
    """Position k is looked at with chance looks[k]."""

    means: list
    looks: list
    drawn: list = field(default_factory=list)

    def __post_init__(self):
        self.n_arms, self.list_size = len(self.means), len(self.looks)

    def draw(self, items, t, rng):
        self.drawn.append(t)  # a run's copy may change
        chances = [look * self.means[item] for look, item in zip(self.looks, items, strict=True)]
        return [float(u < chance) for u, chance in zip(rng.random(len(items)), chances, strict=True)]

    def gap(self, items, t):
        best = sorted(self.means, reverse=True)[: self.list_size]
        return sum(look * (top - self.means[item]) for look, top, item in zip(self.looks, best, items, strict=True))


def test_a_list_of_ones_own_problem_is_checked_and_traced():
    problem = PositionBased([0.9, 0.5, 0.1], [1.0, 0.5])
    learner = Replayed(np.tile([2, 0, 1], (3000, 1)))
    regret = simulate(problem, learner, horizon=3000, replications=1, seed=1, checkpoints=[1]).regret[0]
    np.testing.assert_allclose(regret, [1.15 - 0.55, 3000 * (1.15 - 0.55)])
    np.testing.assert_allclose(np.mean(TOLD[-3000:], axis=0), [0.1, 0.45], atol=0.03)
    assert problem.drawn == []
    np.testing.assert_array_equal(
        trace(problem, Replayed(np.tile([2, 0, 1], (2, 1))), horizon=2, seed=1), [[2, 0, 2]] * 2
    )
    with pytest.raises(ValueError, match=r"ask\(\) must return 2 distinct items of PositionBased"):
        simulate(problem, Replayed(np.array([[0, 3, 0]])), horizon=1, replications=1, seed=1)


# --- parts of a study, and what results say


@pytest.mark.parametrize("policy", [baselines.ucb(), UCB1], ids=["compiled", "in Python"])
def test_parts_of_a_study_join_to_the_whole(policy):
    arms = Arms.bernoulli([0.5, 0.4])
    parts = [simulate(arms, policy, horizon=90, replications=part, seed=3) for part in (range(4), range(4, 7))]
    whole = simulate(arms, policy, horizon=90, replications=7, seed=3)
    xr.testing.assert_identical(xr.concat(parts, "replication", combine_attrs="identical"), whole)
    other = simulate(arms, policy, horizon=90, replications=range(7, 9), seed=4)
    with pytest.raises(ValueError):
        xr.concat([whole, other], "replication", combine_attrs="identical")
    odd = simulate(arms, policy, horizon=90, replications=range(1, 7, 2), seed=3)
    xr.testing.assert_identical(odd, whole.sel(replication=[1, 3, 5]))

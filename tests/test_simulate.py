"""Simulation: the same bits however it is cut, learners beside kernels, results, refusals."""

from __future__ import annotations

import _thread
import gc
import importlib
import io
import json
import math
import pickle
import signal
import sys
import threading
import time
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from private_bandits import simulate
from private_bandits.baselines import dp_se
from private_bandits.kernels import index, padded, protocol, releases
from private_bandits.papers import contextual
from private_bandits.papers.cascading import (
    b_lb,
    b_lb_semi,
    cascade_ucb1,
    cucb_gaussian,
    repaired_central,
    repaired_local,
    repaired_padded,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
    uniform,
)
from private_bandits.papers.heavy_tailed import adap_robust_ucb, dp_robust_se, pareto_arms, quantile_se, robust_ucb
from private_bandits.papers.semibandits import super_arm_radius
from private_bandits.parameters import parameters
from private_bandits.problems import Arms, Cascade, ConvexLoss, SemiBandit
from private_bandits.reference_tools import largest
from private_bandits.simulate import log_checkpoints, streams, trace

# the package exports the function under the module's name
module = importlib.import_module("private_bandits.simulate")

PROBLEM = b_lb(8, 3, 0.4, 0.3)
SEMI = b_lb_semi(8, 3, 0.4, 0.3)
HORIZON = 2_500
POLICIES = {
    "ucb1": cascade_ucb1(),
    "ucb1, least first": cascade_ucb1(least_first=True),
    "uniform": uniform(),
    "laplace": ucb_laplace(1.0, 3),
    "laplace published": ucb_laplace(1.0, 3, 0.01),
    "gaussian": ucb_gaussian(1.0, 1e-3, 3),
    "hybrid": ucb_hybrid(1.0, 8, HORIZON, 0.01),
    "hybrid proof": ucb_hybrid(1.0, 8, HORIZON, 0.01, variant="proof"),
    "first": repaired_local(1.0, 3),
    "padded": repaired_padded(1.0, 3),
    "padded gaussian": repaired_padded(1.0, 3, 1e-3, "displays"),
    "keep": repaired_central(5.0, 8, 3, HORIZON),
    "forget": repaired_central(1.0, 8, 3, HORIZON, "forget"),
    "counter": repaired_central(1.0, 8, 3, HORIZON, "counter"),
}
every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)


def play(policy, problem=PROBLEM, **changes):
    arguments = {"horizon": HORIZON, "replications": 3, "seed": 11, **changes}
    return simulate(problem, policy, **arguments)


class Fixed:
    """A learner that asks for the same thing each round and remembers what it was told."""

    name = "fixed"

    def __init__(self, items):
        self._items, self.told = items, []

    def __deepcopy__(self, memo):
        return self  # each run plays it, to be looked into

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return self._items

    def tell(self, weights):
        self.told.append(weights)


class InPython:
    """A policy written in Python; `learner(problem, choice, noise)` makes a fresh one."""

    def __init__(self, learner):
        self.name, self.start = learner.__name__, learner


class Uniform:
    """Uniformly random lists, by the kernels' protocol."""

    def __init__(self, problem, choice, noise):
        self._problem, self._choice = problem, choice

    def ask(self):
        ordered = isinstance(self._problem, Cascade)  # the order of a semi-bandit's list is free
        return largest([0.0] * self._problem.n_items, self._problem.list_size, self._choice, ordered)

    def tell(self, weights):
        pass


class PublishedLaplace:
    """Algorithm 2 with the published noise, without w_0."""

    scale = 0.01 * 3 / 1.0

    def __init__(self, problem, choice, noise):
        self._problem, self._choice, self._noise = problem, choice, noise
        self._total, self._pulls, self._t = [0.0] * problem.n_items, [0] * problem.n_items, 0

    def ask(self):
        self._t += 1
        a = math.sqrt(1.5 * math.log(self._t)) + math.sqrt(24.0 * self.scale**2 * math.log(self._t))
        index = [
            total / n + a / math.sqrt(n) if n else math.inf for total, n in zip(self._total, self._pulls, strict=True)
        ]
        self._shown = largest(index, self._problem.list_size, self._choice)
        return self._shown

    def tell(self, weights):
        for item, weight in zip(self._shown, weights, strict=False):
            self._pulls[item] += 1
            self._total[item] += weight + self._noise.laplace(0.0, self.scale)


# --- the same bits


@every_policy
def test_any_number_of_workers_gives_the_same_bits(policy):
    alone = play(policy, replications=5)
    for n_jobs in (2, 4, -1):
        xr.testing.assert_identical(play(policy, replications=5, n_jobs=n_jobs), alone)


@pytest.mark.parametrize(
    ("policy", "horizon", "replications", "workers"),
    [
        (cascade_ucb1(), 10_000, 5, 1),
        (cascade_ucb1(), 10_001, 5, 2),
        (dp_se(1.0, 2, 10**15), 10**15, 100, 1),  # by epochs, however long
        (dp_se(1.0, 2, 10**15), 10**15, 101, 2),
    ],
)
def test_short_runs_have_one_worker(policy, horizon, replications, workers, monkeypatch):
    def parallel(n_jobs, **options):
        assert n_jobs == workers
        return lambda runs: [np.zeros(2) for _ in runs]

    problem = Arms.bernoulli([0.6, 0.4]) if horizon > 10**6 else PROBLEM

    monkeypatch.setattr(module, "_FEW", 50_000)
    monkeypatch.setattr("joblib.Parallel", parallel)
    given = {"horizon": horizon, "replications": replications, "checkpoints": [1], "n_jobs": 2}
    assert len(play(policy, problem, **given).replication) == replications


@every_policy
def test_a_replication_can_be_sent_to_another_process(policy):
    """What the workers of a cluster are handed."""
    problem, sent = pickle.loads(pickle.dumps((PROBLEM, policy)))
    assert not problem.means.flags.writeable  # a writable array is another type: the kernels would compile again
    xr.testing.assert_identical(play(sent, problem), play(policy))


@pytest.mark.parametrize("piece", [1, 7, 1000, HORIZON - 1])
@every_policy
def test_any_pieces_give_the_same_bits(policy, piece, monkeypatch):
    whole, shown = play(policy), trace(PROBLEM, policy, horizon=HORIZON, seed=11, replication=1)
    for kernel in (index, padded, releases):
        monkeypatch.setattr(kernel, "PIECE", piece)
    xr.testing.assert_identical(play(policy), whole)
    np.testing.assert_array_equal(trace(PROBLEM, policy, horizon=HORIZON, seed=11, replication=1), shown)


def test_pieces_of_a_semi_bandit_give_the_same_bits(monkeypatch):
    policy = cucb_gaussian(1.0, 1e-3, 8, 3)
    whole = play(policy, SEMI)
    monkeypatch.setattr(index, "PIECE", 7)
    xr.testing.assert_identical(play(policy, SEMI), whole)


@every_policy
def test_a_longer_run_passes_through_a_shorter_one(policy):
    longer, shorter = play(policy), play(policy, horizon=777)
    shared = np.intersect1d(longer.t, shorter.t)
    assert len(shared) > 35
    xr.testing.assert_identical(longer.regret.sel(t=shared), shorter.regret.sel(t=shared))
    last = play(policy, checkpoints=[777]).regret.sel(t=777)
    np.testing.assert_array_equal(last, shorter.regret.sel(t=777))


@every_policy
def test_checkpoints_do_not_change_the_run(policy):
    every = play(policy, checkpoints=range(1, HORIZON + 1)).regret
    default = play(policy).regret
    np.testing.assert_array_equal(every.sel(t=default.t), default)


@every_policy
def test_a_replication_does_not_depend_on_how_many_are_played(policy):
    few, many = play(policy, replications=2), play(policy, replications=6)
    xr.testing.assert_identical(many.isel(replication=slice(2)), few)


@every_policy
def test_a_second_run_is_equal_and_other_seeds_and_replications_differ(policy):
    first = play(policy)
    xr.testing.assert_identical(play(policy), first)
    finals = np.concatenate([first.regret[:, -1], play(policy, seed=12).regret[:, -1]])
    assert len(set(finals)) == 6


def test_streams_are_named_by_seed_and_replication_and_independent():
    firsts = [stream.random() for seed in (0, 1) for r in (0, 1) for stream in streams(seed, r)]
    assert len(set(firsts)) == 12
    child = np.random.SeedSequence(5).spawn(4)[3]
    for stream, sequence in zip(streams(5, 3), child.spawn(3), strict=True):
        assert stream.bit_generator.state == np.random.PCG64(sequence).state


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (ucb_laplace(math.inf, 3), PROBLEM),
        (ucb_gaussian(math.inf, 1e-3, 3), PROBLEM),
        (ucb_hybrid(math.inf, 8, HORIZON), PROBLEM),
        (repaired_local(math.inf, 3), PROBLEM),
        (repaired_padded(math.inf, 3), PROBLEM),
        (repaired_padded(math.inf, 3, 1e-3), PROBLEM),
        (repaired_central(math.inf, 8, 3, HORIZON), PROBLEM),
        (cucb_gaussian(math.inf, 1e-3, 8, 3), SEMI),
    ],
    ids=lambda value: getattr(value, "box", ""),
)
def test_a_zero_scale_draws_nothing(policy, problem, monkeypatch):
    seen, played = [], module._play
    monkeypatch.setattr(module, "_play", lambda *given: seen.append(given[4]) or played(*given))
    play(policy, problem, replications=1)
    source, untouched = seen[0], streams(11, 0)
    assert source.noise.bit_generator.state == untouched.noise.bit_generator.state
    assert source.env.bit_generator.state != untouched.env.bit_generator.state


# --- semi-bandits with a decision set

FAMILY = {
    "sets": SemiBandit.from_sets([0.5, 0.4, 0.3, 0.6], [[0, 1, 2], [3], [1, 3]], groups=[0, 0, 1, -1]),
    "coverage": SemiBandit.coverage([[0.5, 0.1], [0.2, 0.6], [0.4, 0.4]], 2),
}
ON_SETS = replace(
    ucb_laplace(1.0, 3),
    record=ucb_laplace(1.0, 3).record._replace(
        list_size=0,
        noise=index.TREE,
        scale=0.5,
        bonus=index.FIXED_BONUS,
        bonus_scale=2.0,
        cap=1.0,
        fallback=True,
        forced=0.5,
        reports=index.LEAST,
        observe_first=False,
    ),
)


@pytest.mark.parametrize("problem", FAMILY.values(), ids=str)
def test_pieces_workers_and_processes_give_the_same_bits_on_a_decision_set(problem, monkeypatch):
    arguments = {"horizon": 600}
    whole = play(ON_SETS, problem, **arguments)
    for n_jobs in (2, -1):
        xr.testing.assert_identical(play(ON_SETS, problem, n_jobs=n_jobs, **arguments), whole)
    sent = pickle.loads(pickle.dumps((problem, ON_SETS)))
    xr.testing.assert_identical(play(sent[1], sent[0], **arguments), whole)
    monkeypatch.setattr(index, "PIECE", 7)
    xr.testing.assert_identical(play(ON_SETS, problem, **arguments), whole)


def test_a_learner_plays_super_arms_of_several_sizes():
    problem = FAMILY["sets"]
    learner = Fixed([3, 1])
    regret = play(learner, problem, horizon=50, replications=1, checkpoints=[]).regret[0]
    np.testing.assert_allclose(regret, [50 * (1.2 - 1.0)])
    assert {len(weights) for weights in learner.told} == {2}
    np.testing.assert_array_equal(trace(problem, learner, horizon=2, seed=0), [[3, 1, -1, 2]] * 2)
    with pytest.raises(ValueError, match=r"ask\(\) must return a super arm of SemiBandit.from_sets.*got \[0, 3\]"):
        play(Fixed([0, 3]), problem)


def test_shared_draws_reach_a_learner():
    learner = Fixed([0, 1, 2])
    play(learner, SemiBandit.from_sets([0.5] * 3, [[0, 1, 2]], groups=[4, 4, 4]), replications=1)
    assert {tuple(weights) for weights in learner.told} == {(0.0, 0.0, 0.0), (1.0, 1.0, 1.0)}


def test_a_semi_bandit_box_plays_one_arm_but_no_cascade():
    box = cucb_gaussian(math.inf, 1e-3, 2, 1)
    play(box, Arms.bernoulli([0.5, 0.6]), horizon=5)
    with pytest.raises(ValueError, match="CUCB needs a SemiBandit, got Cascade"):
        play(box, Cascade([0.5, 0.6], 1), horizon=5)


# --- checkpoints

GRID = {*log_checkpoints(2**62).tolist()}


@pytest.mark.parametrize(
    "horizon", [1, 2, 3, 9, 10, 11, 99, 100, 1000, 20_000, 10**8, 10**8 + 1, 2**53 + 1, 10**17 + 1, 2 * 10**18, 2**62]
)
def test_log_checkpoints_increase_to_the_horizon_on_one_grid(horizon):
    marks = log_checkpoints(horizon)
    assert marks.dtype == np.int64
    assert marks[0] == 1 and marks[-1] == horizon
    assert np.all(np.diff(marks) > 0)
    assert {*marks[:-1].tolist()} <= GRID
    if horizon >= 1000:
        late = marks[marks >= 100]
        assert 16 * math.log10(horizon / 100) <= len(late) <= 16 * math.log10(horizon / 100) + 2
        assert np.all(late[1:] / late[:-1] < 10 ** (1 / 16) * 1.01)


def test_the_grid_holds_every_power_of_ten():
    assert {10**power for power in range(19)} <= GRID


@pytest.mark.parametrize("horizon", [10.5, -5, 0, True, math.nan, "10", 2**62 + 1])
def test_log_checkpoints_of_no_horizon_are_refused(horizon):
    with pytest.raises(ValueError, match="^horizon must be .*, got "):
        log_checkpoints(horizon)


def test_a_run_of_one_round():
    result = play(POLICIES["ucb1"], horizon=1, replications=1)
    assert result.regret.shape == (1, 1)
    assert result.t.values.tolist() == [1]
    shown = trace(PROBLEM, POLICIES["ucb1"], horizon=1, seed=11)[0, :-1]
    assert float(result.regret[0, 0]) == pytest.approx(PROBLEM.best - PROBLEM.reward(shown), abs=1e-12)


def test_given_checkpoints_are_kept_and_the_horizon_added():
    assert play(uniform(), checkpoints=[5, 10, 700]).t.values.tolist() == [5, 10, 700, HORIZON]
    assert play(uniform(), checkpoints=[5, HORIZON]).t.values.tolist() == [5, HORIZON]
    assert play(uniform(), checkpoints=np.array([5])).t.values.tolist() == [5, HORIZON]
    assert play(uniform(), checkpoints=[]).t.values.tolist() == [HORIZON]


@pytest.mark.parametrize("policy", ["ucb1", "padded"])
def test_regret_is_the_sum_of_the_gaps_of_the_lists_played(policy):
    shown = trace(PROBLEM, POLICIES[policy], horizon=300, seed=11, replication=2)[:, :-1]
    expected = np.cumsum([PROBLEM.best - PROBLEM.reward(items) for items in shown])
    result = play(POLICIES[policy], horizon=300, checkpoints=range(1, 301))
    np.testing.assert_allclose(result.regret[2], expected, atol=1e-9)
    assert expected[-1] > 1


# --- learners written in Python

PAIRS = [
    (Uniform, uniform(), PROBLEM),
    (Uniform, uniform(), SEMI),
    (
        PublishedLaplace,
        replace(ucb_laplace(1.0, 3, 0.01), record=ucb_laplace(1.0, 3, 0.01).record._replace(observe_first=False)),
        PROBLEM,
    ),
]


@pytest.mark.parametrize(("learner", "policy", "problem"), PAIRS)
def test_a_learner_plays_the_kernel_bit_for_bit(learner, policy, problem):
    policy_in_python = InPython(learner)
    result = play(policy_in_python, problem)
    np.testing.assert_array_equal(result.regret, play(policy, problem).regret)
    np.testing.assert_array_equal(
        trace(problem, policy_in_python, horizon=300, seed=3), trace(problem, policy, horizon=300, seed=3)
    )
    xr.testing.assert_identical(play(policy_in_python, problem, n_jobs=3), result)
    assert result.attrs["policy"] == learner.__name__
    assert result.attrs["privacy"] == "not stated"


@pytest.mark.parametrize("problem", [PROBLEM, SEMI], ids=str)
@pytest.mark.parametrize("items", [[0, 1, 2], (2, 0, 1), np.array([7, 0, 5])])
def test_a_fixed_list_has_a_known_regret_and_is_told_what_was_observed(problem, items):
    learner = Fixed(items)
    regret = play(learner, problem, horizon=400, replications=1, checkpoints=[100]).regret[0]
    each = problem.best - problem.reward(np.array(items))
    np.testing.assert_allclose(regret, [100 * each, 400 * each], atol=1e-9)
    told, learner.told = learner.told, []
    shown = trace(problem, learner, horizon=400, seed=11)
    np.testing.assert_array_equal(shown[:, :-1], np.tile(items, (400, 1)))
    assert [len(weights) for weights in told] == shown[:, -1].tolist()
    assert learner.told == told
    assert {weight for weights in told for weight in weights} == {0.0, 1.0}
    for weights in told:
        if problem is PROBLEM:
            assert sum(weights) == (1 if len(weights) < 3 else weights[-1]) and 1.0 not in weights[:-1]
        else:
            assert len(weights) == 3


@pytest.mark.parametrize(
    "items",
    [[0, 1], [0, 1, 2, 3], [], [0, 1, 1], [0, 1, 8], [-1, 0, 1], [[0, 1, 2]], 0, [0.5, 1.5, 2.5], [0, 1, None], "012"],
    ids=str,
)
def test_illegal_lists_are_refused(items):
    with pytest.raises(ValueError, match=r"ask\(\) must return 3 distinct items of Cascade\(n_items=8, list_size=3\)"):
        play(Fixed(items), replications=1)


# --- results


@pytest.mark.parametrize("policy", [*POLICIES.values(), InPython(Uniform)], ids=lambda policy: policy.name)
def test_results_say_what_was_run_in_strings_and_numbers(policy):
    result = play(policy, horizon=20)
    assert result.regret.dims == ("replication", "t")
    assert result.regret.dtype == np.float64
    assert result.replication.values.tolist() == [0, 1, 2]
    attributes = [*result.attrs.values(), *result.regret.attrs.values()]
    assert all(isinstance(value, (str, int, float)) for value in attributes)
    assert {"problem", "policy", "privacy", "seed", "versions"} <= result.attrs.keys()
    assert result.attrs["problem"] == "Cascade(n_items=8, list_size=3)"
    assert result.attrs["policy"] == policy.name
    assert result.attrs["seed"] == 11
    for name in ("private-bandits", "numpy", "numba"):
        assert f"{name} {version(name)}" in result.attrs["versions"]
    xr.testing.assert_identical(xr.Dataset.from_dict(result.to_dict()), result)
    through_text = xr.Dataset.from_dict(json.loads(json.dumps(result.to_dict())))
    xr.testing.assert_identical(through_text, result)


def test_the_attributes_name_the_paper_the_algorithm_and_the_privacy():
    policy = ucb_laplace(1.0, 3, 0.01)
    attributes = play(policy, horizon=2).attrs
    named = [attributes[name] for name in ("paper", "algorithm", "variant")]
    assert named == ["wang2021", "Algorithm 2", "published"]
    assert attributes["privacy"] == parameters(policy.privacy)


ARMS = Arms.bernoulli([0.6, 0.4])


@pytest.mark.parametrize("horizon", [1, 2**31 + 5, 2**53 + 1, 2 * 10**18, 2**62])
@pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**63, 10**30, np.int64(7), np.uint64(2**63 + 1)], ids=repr)
def test_a_file_gives_back_the_result_and_json_its_attributes(horizon, seed, tmp_path):
    result = simulate(ARMS, dp_se(1.0, 2, 2**62), horizon=horizon, replications=2, seed=seed)
    result.to_netcdf(tmp_path / "result.nc")
    with xr.open_dataset(tmp_path / "result.nc") as again:
        xr.testing.assert_identical(again.load(), result)
        assert again.t.dtype == result.t.dtype == np.int64 and again.t.values.tolist() == result.t.values.tolist()
    attributes = json.loads(json.dumps(result.attrs))
    assert attributes == result.attrs and int(attributes["seed"]) == seed
    assert isinstance(attributes["seed"], str) == (seed >= 2**63)


@pytest.mark.parametrize("policy", [robust_ucb(0.5, 1.0), InPython(Uniform)], ids=lambda policy: policy.name)
def test_a_file_gives_back_facts_of_the_fit_and_empty_ones(policy, tmp_path):
    result = simulate(pareto_arms([0.9, 0.5], 2.0), policy, horizon=50, replications=2, seed=1)
    assert ("moment" in result.attrs) == (policy.name == "Robust UCB") != (result.attrs["paper"] == "")
    result.to_netcdf(tmp_path / "result.nc")
    with xr.open_dataset(tmp_path / "result.nc") as again:
        xr.testing.assert_identical(again.load(), result)


# --- progress and interruption


class Terminal(io.StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "progress", "shows"),
    [
        (io.StringIO, None, False),
        (io.StringIO, False, False),
        (io.StringIO, True, True),
        (Terminal, None, True),
        (Terminal, False, False),
    ],
)
def test_a_bar_is_shown_only_on_a_terminal_or_when_asked_for(stream, progress, shows, monkeypatch, capsys):
    error = stream()
    monkeypatch.setattr(sys, "stderr", error)
    play(cascade_ucb1(), horizon=10, progress=progress)
    assert ("CascadeUCB1" in error.getvalue()) == shows
    assert bool(error.getvalue()) == shows
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interruption_comes_through(n_jobs, monkeypatch):
    played = []

    def interrupted(problem, policy, horizon, marks, stop, seed, replication):
        played.append(replication)
        if replication == 1:
            raise KeyboardInterrupt
        time.sleep(0.05)  # a busy machine must not let the other worker finish before the news is out
        return np.zeros(len(marks))

    monkeypatch.setattr(module, "_replicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        play(cascade_ucb1(), replications=100, n_jobs=n_jobs)
    assert len(played) < 100


def test_what_is_interrupted_goes_on_in_no_thread():
    kernel, pieces = cascade_ucb1().kernel, []
    slow = SimpleNamespace(**vars(kernel) | {"PIECE": 1, "advance": lambda *run: (pieces.append(1), time.sleep(0.02))})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    threading.Timer(0.3, _thread.interrupt_main).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            play(replace(cascade_ucb1(), kernel=slow), horizon=1000, replications=8, n_jobs=2)
    finally:
        signal.signal(signal.SIGINT, before)
    time.sleep(0.1)
    seen = len(pieces)
    time.sleep(0.2)
    assert len(pieces) == seen < 100


@pytest.mark.parametrize("policy", ["laplace", "keep", "hybrid"])
def test_no_replication_leaves_its_generators_behind(policy):
    def generators():
        gc.collect()
        return sum(type(found) is np.random.PCG64 for found in gc.get_objects())  # a dead proxy has no class to ask for

    play(POLICIES[policy], n_jobs=2)
    before = generators()
    play(POLICIES[policy], replications=40, n_jobs=2)
    assert generators() - before < 20  # of 120


def test_traces_leave_no_generators_behind():
    def generators():
        gc.collect()
        return sum(type(found) is np.random.PCG64 for found in gc.get_objects())

    trace(PROBLEM, POLICIES["laplace"], horizon=3, seed=1)
    before = generators()
    for replication in range(40):
        trace(PROBLEM, POLICIES["laplace"], horizon=3, seed=1, replication=replication)
    assert generators() - before < 20  # of 120


LINES = contextual.instances.one_set(2)
PARETO = pareto_arms([0.9, 0.5], 2.0)
TABLE = ConvexLoss.arms([[0.1, 0.5], [0.6, 0.4]])
SETS = SemiBandit.from_sets([0.5, 0.5, 0.2], [[0, 1], [1, 2]])
GAMES = {
    "elimination": (PARETO, dp_robust_se(1.0, 0.5, 1.0, 1e-3)),
    "episodes": (PARETO, adap_robust_ucb(1.0, 0.5, 1.0, 1000)),
    "linear": (LINES, contextual.ldp_linucb(1.0, 1e-3, 2, 100)),
    "online": (TABLE, contextual.one_point(TABLE, 1000, 1.0, 1e-3, "exp3")),
    "padded": (b_lb(20, 4, 0.2, 0.15), repaired_padded(1.0, 4)),
    "quantile": (PARETO, quantile_se(1.0, 1e-3)),
    "robust": (Arms.bernoulli([0.9, 0.5]), robust_ucb(1.0, 1.0)),
    "stretches": (LINES, contextual.by_stretches(contextual.ldp_linucb(1.0, 1e-3, 2, 100))),
    "superarm": (SETS, super_arm_radius(1.0, 1000)),
}


@pytest.mark.parametrize(("problem", "policy"), GAMES.values(), ids=GAMES)
def test_compiled_loops_give_the_generators_back(problem, policy):
    kernel, record, source = policy.kernel, problem.record(), streams(1, 0)
    before = [sys.getrefcount(each) for each in source]
    state, blank = kernel.start(record, policy.record), kernel.blank(problem, policy.record, 0)
    for _ in range(3):
        kernel.advance(record, policy.record, state, 1, 5, np.array([5]), np.zeros(1), blank, *source)
    assert [sys.getrefcount(each) for each in source] == before


def test_an_interruption_waits_for_a_piece_only(monkeypatch):
    """Compiled code answers no signal: a run is cut into pieces, and between two of them it can stop."""
    calls, advance = [], index.advance

    def interrupted(problem, policy, state, first, last, *rest):
        calls.append((first, last))
        if len(calls) == 3:
            raise KeyboardInterrupt
        advance(problem, policy, state, first, last, *rest)

    monkeypatch.setattr(index, "advance", interrupted)
    monkeypatch.setattr(index, "PIECE", 100)
    with pytest.raises(KeyboardInterrupt):
        play(cascade_ucb1(), replications=1)
    assert calls == [(1, 100), (101, 200), (201, 300)]


def test_a_piece_takes_seconds_at_most():
    assert 1 <= protocol.PIECE <= 2**22


# --- refusals


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 0}, "horizon must be >= 1, got 0"),
        ({"horizon": 2**62 + 1}, "horizon must be >= 1 and <= 4611686018427387904, got 4611686018427387905"),
        ({"horizon": -5}, "horizon must be >= 1, got -5"),
        ({"horizon": 10.5}, "horizon must be an integer >= 1, got 10.5"),
        ({"horizon": True}, "horizon must be an integer >= 1, got True"),
        ({"horizon": "10"}, "horizon must be an integer >= 1, got '10'"),
        ({"horizon": math.nan}, "horizon must be an integer"),
        ({"replications": 0}, "replications must be >= 1, got 0"),
        ({"replications": 1.5}, "replications must be an integer >= 1, got 1.5"),
        ({"replications": True}, "replications must be an integer"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
        ({"seed": 1.0}, "seed must be an integer >= 0, got 1.0"),
        ({"seed": False}, "seed must be an integer"),
        ({"seed": None}, "seed must be an integer"),
        ({"n_jobs": 0}, "n_jobs must be >= 1, or -1 for all cores, got 0"),
        ({"n_jobs": -2}, "n_jobs must be >= -1, got -2"),
        ({"n_jobs": 2.0}, "n_jobs must be an integer"),
        ({"n_jobs": True}, "n_jobs must be an integer"),
        ({"checkpoints": [0, 5]}, "checkpoints must be >= 1 and <= 50, got 0"),
        ({"checkpoints": [5, 51]}, "checkpoints must be >= 1 and <= 50, got 51"),
        ({"checkpoints": [5, 5]}, r"checkpoints must increase, got \[5, 5\]"),
        ({"checkpoints": [7, 5]}, r"checkpoints must increase, got \[7, 5\]"),
        ({"checkpoints": [1.0]}, "checkpoints must be an integer"),
        ({"checkpoints": [True]}, "checkpoints must be an integer"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        play(cascade_ucb1(), **{"horizon": 50, **changes})


@pytest.mark.parametrize(
    ("problem", "policy", "message"),
    [
        (b_lb(8, 2, 0.4, 0.3), ucb_laplace(1.0, 3), "Laplace was calibrated for list_size=3, the problem has 2"),
        (b_lb(9, 3, 0.4, 0.3), ucb_hybrid(1.0, 8, 50), "was calibrated for n_items=8, the problem has 9"),
        (SEMI, repaired_padded(1.0, 3), "Laplace, padded needs a Cascade"),
        (SEMI, repaired_central(1.0, 8, 3, 50), "Blocks, kept needs a Cascade"),
        (PROBLEM, repaired_central(1.0, 8, 2, 50), "Blocks, kept was calibrated for list_size=2, the problem has 3"),
        (PROBLEM, ucb_hybrid(1.0, 8, 49), "horizon must be <= 49, for which Hybrid, log of horizon was calibrated"),
    ],
)
def test_a_policy_made_for_another_problem_is_refused(problem, policy, message):
    with pytest.raises(ValueError, match=message):
        play(policy, problem, horizon=50)
    with pytest.raises(ValueError, match=message):
        trace(problem, policy, horizon=50, seed=0)


@pytest.mark.parametrize(
    ("problem", "policy", "message"),
    [
        (ConvexLoss.ball([[0.5]]), cascade_ucb1(), r"CascadeUCB1 needs a list problem, got ConvexLoss.ball"),
        (PROBLEM, robust_ucb(0.9, 1.0), r"Robust UCB needs Arms, got Cascade"),
        ("no problem", Fixed([0]), "fixed needs Arms, a Cascade, .* or a Problem of your own, got 'no problem'"),
    ],
)
def test_a_policy_for_problems_of_another_kind_is_refused(problem, policy, message):
    with pytest.raises(ValueError, match=message):
        play(policy, problem, horizon=5)


def test_a_policy_whose_noise_fits_any_horizon_is_not_refused():
    play(ucb_hybrid(1.0, 8, 49, variant="proof"), horizon=50)
    play(ucb_hybrid(1.0, 8, 50), horizon=50)

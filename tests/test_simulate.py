"""Simulation: the same bits however it is cut, over every kernel; learners, results, interruption, refusals."""

from __future__ import annotations

import _thread
import gc
import hashlib
import json
import math
import pickle
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest
import xarray as xr

from private_bandits import simulate
from private_bandits.baselines import adap_klucb, dp_klucb, dp_se, replay, thompson
from private_bandits.kernels import index, releases, weighted
from private_bandits.kernels.protocol import WHOLE_RUN
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.privacy import audit
from private_bandits.problems import Arms, ConvexLoss, LinearContext, SemiBandit
from private_bandits.simulation import log_checkpoints, trace
from private_bandits.streams import streams
from private_bandits_book.pages.algorithms import listed

HORIZON = 2_500
PROBLEM, SEMI = cascading.b_lb(8, 3, 0.4, 0.3), cascading.b_lb_semi(8, 3, 0.4, 0.3)
ARMS, PARETO = Arms.bernoulli([0.9, 0.2, 0.85, 0.5]), heavy_tailed.pareto_arms([0.9, 0.5], 2.0)
SETS = SemiBandit.from_sets([0.5, 0.4, 0.3, 0.6], [[0, 1, 2], [3], [1, 3]], groups=[0, 0, 1, -1])
PAIRS = SemiBandit.from_sets([0.5, 0.5, 0.2], [[0, 1], [1, 2]])
COVERAGE = SemiBandit.coverage([[0.5, 0.1], [0.2, 0.6], [0.4, 0.4]], 2)
SPHERE, LINES = LinearContext.sphere([0.6, 0.3], n_actions=4), contextual.instances.one_set(2)
SEVERAL = LinearContext.table([[[1.0, 0.0], [0.0, 0.8]], [[0.6, 0.6], [0.0, 0.0]]], [[0.5, -0.32], [0.06, 0.0]])
BALL = ConvexLoss.ball([[0.3, 0.1], [-0.4, 0.2]], kind="smooth")
TABLE = ConvexLoss.arms([[0.1, 0.5], [0.6, 0.4]])
ON_SETS = replace(
    cascading.ucb_laplace(1.0, list_size=3),
    record=cascading.ucb_laplace(1.0, list_size=3).record._replace(
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
DERIVED = contextual.ldp_linucb(5.0, delta=1e-3, dim=2, horizon=HORIZON, variant="derived")
REWARDS = contextual.linucb_private_rewards(5.0, delta=1e-3, dim=2)
GAMES = {
    "ucb1": (PROBLEM, cascading.cascade_ucb1()),
    "uniform": (PROBLEM, cascading.uniform()),
    "laplace": (PROBLEM, cascading.ucb_laplace(1.0, list_size=3)),
    "gaussian": (PROBLEM, cascading.ucb_gaussian(1.0, delta=1e-3, list_size=3)),
    "hybrid": (PROBLEM, cascading.ucb_hybrid(1.0, n_arms=8, horizon=HORIZON, noise_multiplier=0.01, variant="proof")),
    "first": (PROBLEM, cascading.repaired_local(1.0, list_size=3)),
    "padded": (PROBLEM, cascading.repaired_padded(1.0, list_size=3, delta=1e-3, over="displays")),
    "keep": (PROBLEM, cascading.repaired_central(5.0, n_arms=8, list_size=3, horizon=HORIZON)),
    "forget": (PROBLEM, cascading.repaired_central(1.0, n_arms=8, list_size=3, horizon=HORIZON, design="forget")),
    "counter": (PROBLEM, cascading.repaired_central(1.0, n_arms=8, list_size=3, horizon=HORIZON, design="counter")),
    "semi-bandit": (SEMI, cascading.cucb_gaussian(1.0, delta=1e-3, n_arms=8, list_size=3)),
    "sets": (SETS, ON_SETS),
    "coverage": (COVERAGE, ON_SETS),
    "radius": (PAIRS, semibandits.super_arm_radius(1.0, horizon=HORIZON)),
    "blocks": (SETS, semibandits.cucb_blocks(1.0, list_size=3, n_arms=4, horizon=HORIZON)),
    "restarted blocks": (SETS, semibandits.cucb_blocks(1.0, list_size=3, n_arms=4, horizon=None)),
    "elimination": (ARMS, dp_se(1.0, n_arms=4, horizon=HORIZON, beta=0.5)),
    "robust elimination": (PARETO, heavy_tailed.dp_robust_se(1.0, v=0.9, u=1.0, beta=0.5, c=3.0)),
    "local elimination": (PARETO, heavy_tailed.ldp_robust_se(3.0, v=0.9, u=0.6, beta=0.9, c=2.0)),
    "episodes": (ARMS, adap_klucb(0.5)),
    "phases that add up": (ARMS, dp_klucb(0.5)),
    "robust episodes": (PARETO, heavy_tailed.adap_robust_ucb(1.0, v=0.5, u=1.0, horizon=HORIZON)),
    "quantile": (PARETO, heavy_tailed.quantile_se(1.0, beta=0.1, width=2.0)),
    "robust": (PARETO, heavy_tailed.dp_robust_ucb(1.0, v=0.5, u=2.0, horizon=HORIZON, c=0.3)),
    "replay": (ARMS, replay(thompson(), 0.5, horizon=HORIZON)),
    "linear": (SPHERE, contextual.ldp_linucb(5.0, delta=1e-3, dim=2, horizon=HORIZON)),
    "stretches": (LINES, contextual.by_stretches(DERIVED, growth=0.3)),
    "several sets": (SEVERAL, contextual.by_stretches(REWARDS, growth=0.3)),
    "joint": (LINES, contextual.joint_linucb(5.0, delta=1e-3, dim=2, horizon=HORIZON, growth=0.3)),
    "phases": (LINES, contextual.private_rewards(400.0, dim=2, n_actions=2, horizon=HORIZON)),
    "weighted": (LINES, contextual.weighted_regression(1.0, delta=1e-3, dim=2, horizon=HORIZON)),
    "online": (BALL, contextual.one_point(2.0, problem=BALL, delta=1e-3, horizon=HORIZON, learner="saha_tewari")),
    "online, two points": (BALL, contextual.two_point(1.0, problem=BALL, delta=1e-3, horizon=HORIZON)),
    "online, arms": (TABLE, contextual.one_point(1.0, problem=TABLE, delta=1e-3, horizon=HORIZON, learner="tsallis")),
}
every_game = pytest.mark.parametrize(("problem", "policy"), GAMES.values(), ids=GAMES)


def play(policy, problem=PROBLEM, **changes):
    arguments = {"horizon": HORIZON, "replications": 3, "seed": 11, **changes}
    return simulate(problem, policy, **arguments)


class Fixed:
    """A learner that asks for the same thing each round."""

    name = "fixed"

    def __init__(self, items):
        self._items = items

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return self._items

    def tell(self, weights):
        pass


# --- the same bits


@every_game
def test_workers_processes_and_more_replications_give_the_same_bits(problem, policy):
    alone = play(policy, problem, replications=5)
    for n_jobs in (2, -1):
        xr.testing.assert_identical(play(policy, problem, replications=5, n_jobs=n_jobs), alone)
    sent = pickle.loads(pickle.dumps((policy, problem)))
    # a writable array is another type: the kernels would compile again
    assert numba.typeof(sent[1].record()) == numba.typeof(problem.record())
    xr.testing.assert_identical(play(*sent), alone.isel(replication=slice(3)))


@pytest.mark.check
@pytest.mark.bits
def test_every_version_of_python_and_numba_gives_the_committed_bits(tmp_path):
    """Where numbers are to move, the table that the failure names takes the place of the committed one."""
    made = tmp_path / "bits.csv"
    bits = {name: play(policy, problem)["regret"].to_numpy().tobytes() for name, (problem, policy) in GAMES.items()}
    rng = np.random.default_rng(11)
    bits["Laplace noise"] = np.array([mechanisms.laplace(rng, 1.0) for _ in range(1000)]).tobytes()
    rows = [f'"{name}",{hashlib.sha256(regret).hexdigest()}\n' for name, regret in bits.items()]
    made.write_text("".join(rows), encoding="utf-8")
    committed = Path(__file__).parent / "fixtures" / "bits.csv"
    assert rows == committed.read_text(encoding="utf-8").splitlines(keepends=True), made


@pytest.mark.parametrize("piece", [7, 1000])
@every_game
def test_any_pieces_give_the_same_bits(problem, policy, piece, monkeypatch):
    run = {"horizon": HORIZON, "seed": 11, "replication": 1}
    whole, shown = play(policy, problem), trace(problem, policy, **run)
    monkeypatch.setattr(policy.kernel, "PIECE", piece)
    xr.testing.assert_identical(play(policy, problem), whole)
    np.testing.assert_array_equal(trace(problem, policy, **run), shown)


def gaps(problem, rows):
    """What each round of a trace gives up."""
    if isinstance(problem, LinearContext):
        return problem.means[0].max() - problem.means[0, rows[:, 0]]
    if isinstance(problem, Arms):
        return problem.gaps[rows[:, 0]]
    return np.array([problem.best - problem.reward(row[row >= 0]) for row in rows[:, :-1]])


@every_game
def test_a_longer_run_passes_through_a_shorter_one_and_checkpoints_are_the_sums_of_the_gaps(problem, policy):
    default, shorter = play(policy, problem).regret, play(policy, problem, horizon=777).regret
    every = play(policy, problem, checkpoints=range(1, HORIZON + 1)).regret
    np.testing.assert_array_equal(every.sel(t=default.t), default)
    np.testing.assert_array_equal(every.sel(t=shorter.t), shorter)
    mean = policy.kernel is weighted  # counts the mean gap of random actions
    if not (isinstance(problem, ConvexLoss) or problem in (SPHERE, SEVERAL) or mean):
        lost = gaps(problem, trace(problem, policy, horizon=HORIZON, seed=11, replication=2))
        np.testing.assert_allclose(every[2], np.cumsum(lost), rtol=1e-11, atol=1e-9)
        assert np.all(np.diff(every, axis=1) >= 0) and every[2, -1] > 1


@every_game
def test_a_second_run_is_equal_and_other_seeds_and_replications_differ(problem, policy):
    first = play(policy, problem)
    xr.testing.assert_identical(play(policy, problem), first)
    shown = [trace(problem, policy, horizon=HORIZON, seed=s, replication=r) for s in (11, 12) for r in range(3)]
    by_epochs = policy.kernel.PIECE == WHOLE_RUN  # which may play the same arms in every run
    assert by_epochs or len({rows.tobytes() for rows in shown}) > 2


def test_streams_are_named_by_seed_and_replication_and_independent():
    firsts = [stream.random() for seed in (0, 1) for r in (0, 1) for stream in streams(seed, r)]
    assert len(set(firsts)) == 12
    child = np.random.SeedSequence(5).spawn(4)[3]
    for stream, sequence in zip(streams(5, 3), child.spawn(3), strict=True):
        assert stream.bit_generator.state == np.random.PCG64(sequence).state


def test_all_records_of_a_kernel_have_one_type():
    """Another type would be compiled anew, for seconds, in the middle of a study."""
    types = {}
    for _, policy in [*listed(0.5), *listed(math.inf)]:
        types.setdefault(policy.kernel.__name__, set()).add(numba.typeof(policy.record))
    assert len(types) > 10 and {len(found) for found in types.values()} == {1}


# --- checkpoints

GRID = {*log_checkpoints(2**62).tolist()}


@pytest.mark.parametrize("horizon", [1, 11, 1000, 10**8 + 1, 2**53 + 1, 2**62])
def test_log_checkpoints_increase_to_the_horizon_on_one_grid(horizon):
    marks = log_checkpoints(horizon)
    assert marks.dtype == np.int64
    assert marks[0] == 1 and marks[-1] == horizon
    assert np.all(np.diff(marks) > 0)
    assert {*marks[:-1].tolist()} <= GRID and {10**power for power in range(19) if 10**power <= horizon} <= {*marks}
    if horizon >= 1000:
        late = marks[marks >= 100]
        assert 16 * math.log10(horizon / 100) <= len(late) <= 16 * math.log10(horizon / 100) + 2
        assert np.all(late[1:] / late[:-1] < 10 ** (1 / 16) * 1.01)


# --- results


def test_a_result_and_an_audit_say_whom_delta_leaves_without_protection():
    """From a tenth of a user on; a pure guarantee never."""
    line = "delta = 0.001 would allow 0.4 of 400 users to be revealed whole"
    gaussian = cascading.ucb_gaussian(1.0, delta=1e-3, list_size=3)
    assert play(gaussian, horizon=400).attrs["unprotected"] == gaussian.privacy.unprotected(400) == line
    for policy, horizon in ((gaussian, 99), (cascading.ucb_laplace(1.0, list_size=3), 400)):
        assert "unprotected" not in play(policy, horizon=horizon).attrs
    found = audit(gaussian, problem=PROBLEM, horizon=400, delta=1e-3, runs=0)
    assert found.unprotected == line and str(found).endswith(line)
    assert audit(gaussian, problem=PROBLEM, horizon=9, delta=1e-3, runs=0).unprotected == ""


@pytest.mark.parametrize("horizon", [1, 2**53 + 1, 2**62])
@pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**63, 10**30, np.uint64(2**63 + 1)], ids=repr)
def test_a_file_gives_back_the_result_and_json_its_attributes(horizon, seed, tmp_path):
    """Facts of the fit, as a moment, and empty ones included."""
    result = simulate(PARETO, heavy_tailed.quantile_se(1.0, beta=0.1), horizon=horizon, replications=2, seed=seed)
    policies = heavy_tailed.robust_ucb(v=0.5, u=1.0), Fixed([0])
    short = [simulate(PARETO, each, horizon=9, replications=2, seed=1) for each in policies]
    assert ["moment" in each.attrs for each in short] == [True, False] == [each.attrs["paper"] != "" for each in short]
    for each in (*short, result):
        each.to_netcdf(tmp_path / "result.nc")
        with xr.open_dataset(tmp_path / "result.nc") as again:
            xr.testing.assert_identical(again.load(), each)
    with xr.open_dataset(tmp_path / "result.nc") as again:
        assert again.t.dtype == result.t.dtype == np.int64 and again.t.values.tolist() == result.t.values.tolist()
    attributes = json.loads(json.dumps(result.attrs))
    assert attributes == result.attrs and int(attributes["seed"]) == seed
    assert isinstance(attributes["seed"], str) == (seed >= 2**63)


# --- several policies, and pulls


def test_several_policies_have_the_bits_that_each_has_alone(tmp_path):
    given = {
        "UCB1": cascading.cascade_ucb1(),
        "local": cascading.repaired_local(1.0, list_size=3),
        "mine": Fixed([0, 1, 2]),
    }
    result = play(given, horizon=300, n_jobs=2, pulls=True)
    assert result.regret.dims == ("policy", "replication", "t") and [*result.policy.values] == [*given]
    assert result.pulls.dims == ("policy", "replication", "t", "arm")
    for name, policy in given.items():
        alone = play(policy, horizon=300, pulls=True)
        mine = result.sel(policy=name)
        for kind in ("regret", "pulls"):
            np.testing.assert_array_equal(mine[kind], alone[kind])
        told = result.attrs | {key: mine[key].item() for key in mine.coords if mine[key].ndim == 0}
        assert told == alone.attrs | {"policy": name}
    by_name = play([*given.values()], horizon=300)
    assert [*by_name.policy.values] == [policy.name for policy in given.values()]
    np.testing.assert_array_equal(by_name.regret, result.regret)
    result.to_netcdf(tmp_path / "result.nc")
    with xr.open_dataset(tmp_path / "result.nc") as again:
        xr.testing.assert_identical(again.load(), result)
    assert json.loads(json.dumps(result.attrs)) == result.attrs
    xr.testing.assert_identical(xr.Dataset.from_dict(json.loads(json.dumps(result.to_dict()))), result)


@every_game
def test_pulls_are_those_of_the_trace_and_regret_keeps_its_bits(problem, policy):
    if isinstance(problem, ConvexLoss):
        with pytest.raises(ValueError, match="pulls must be False for what has no arms, got ConvexLoss"):
            play(policy, problem, pulls=True)
        return
    result = play(policy, problem, pulls=True, checkpoints=[1, 700])
    np.testing.assert_array_equal(result.regret, play(policy, problem, checkpoints=[1, 700]).regret)
    rows = trace(problem, policy, horizon=HORIZON, seed=11, replication=2)[:, :-1]
    for t, counts in zip((1, 700, HORIZON), result.pulls.values[2], strict=True):
        assert counts.tolist() == [(rows[:t] == arm).sum() for arm in range(problem.n_arms)]


# --- progress and interruption


def test_what_is_interrupted_goes_on_in_no_thread(monkeypatch):
    """Compiled code answers no signal: a run is cut into pieces, and between two of them it can stop."""
    pieces = []

    def advance(problem, policy, state, first, last, *rest):
        pieces.append(last - first + 1)
        time.sleep(0.02)

    monkeypatch.setattr(index, "PIECE", 1)
    monkeypatch.setattr(index, "advance", advance)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    threading.Timer(0.3, _thread.interrupt_main).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            play(cascading.cascade_ucb1(), horizon=1000, replications=8, n_jobs=2)
    finally:
        signal.signal(signal.SIGINT, before)
    time.sleep(0.1)
    seen = len(pieces)
    time.sleep(0.2)
    assert len(pieces) == seen < 100 and set(pieces) == {1}


@pytest.mark.parametrize("name", ["hybrid"])
def test_neither_replications_nor_traces_leave_their_generators_behind(name):
    def generators():
        gc.collect()
        return sum(type(found) is np.random.PCG64 for found in gc.get_objects())  # a dead proxy has no class to ask for

    problem, policy = GAMES[name]
    play(policy, problem, n_jobs=2)
    trace(problem, policy, horizon=3, seed=1)
    before = generators()
    play(policy, problem, replications=40, n_jobs=2)
    for replication in range(40):
        trace(problem, policy, horizon=3, seed=1, replication=replication)
    assert generators() - before < 20  # of 240


LENT = {name: game for name, game in GAMES.items() if game[1].kernel not in (index, releases)}  # these two borrow


@pytest.mark.parametrize(("problem", "policy"), LENT.values(), ids=LENT)
def test_compiled_loops_give_the_generators_back(problem, policy):
    kernel, record, source = policy.kernel, problem.record(), streams(1, 0)
    before = [sys.getrefcount(each) for each in source]
    state, blank = kernel.start(record, policy.record), kernel.blank(problem, policy.record, 0)
    for _ in range(3):
        kernel.advance(record, policy.record, state, 1, 5, np.array([5]), np.zeros(1), blank, *source)
    assert [sys.getrefcount(each) for each in source] == before


# --- refusals


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 2**62 + 1}, "horizon must be >= 1 and <= 4611686018427387904, got 4611686018427387905"),
        ({"horizon": 10.5}, "horizon must be an integer >= 1, got 10.5"),
        ({"replications": 0}, "replications must be >= 1, got 0"),
        ({"replications": range(-1, 3)}, "replications must be a number, or an increasing range from 0 on, got range"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
        ({"n_jobs": 0}, "n_jobs must be >= 1, or -1 for all cores, got 0"),
        ({"n_jobs": -2}, "n_jobs must be >= -1, got -2"),
        ({"checkpoints": [5, 51]}, "checkpoints must be >= 1 and <= 50, got 51"),
        ({"checkpoints": [5, 5]}, r"checkpoints must increase, got \[5, 5\]"),
        ({"checkpoints": 5}, "checkpoints must be a sequence of rounds, got 5"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        play(cascading.cascade_ucb1(), **{"horizon": 50, **changes})


FOR_50 = {"epsilon": 1.0, "delta": 1e-3, "horizon": 50}
ON_BALL, LINE = contextual.one_point(**FOR_50, problem=BALL), ConvexLoss.ball([[0.1]], mode="stochastic", spread=0.1)
KINKED, HEAVY = ConvexLoss.ball([[0.3, 0.1]], kind="kinked"), heavy_tailed.pareto_arms([0.9], 1.5)


@pytest.mark.parametrize(
    ("problem", "policy", "message"),
    [
        (PROBLEM, cascading.ucb_laplace(1.0, list_size=2), "Laplace was calibrated for list_size=2, the problem has 3"),
        (SEMI, cascading.repaired_padded(1.0, list_size=3), "Laplace, padded needs a Cascade"),
        (ARMS, dp_se(1.0, n_arms=4, horizon=49), "horizon must be <= 49, for which DP-SE was"),
        (PARETO, dp_se(1.0, n_arms=2, horizon=50), r"rewards must be in \[0, 1\] for DP-SE"),
        (HEAVY, heavy_tailed.robust_ucb(v=0.5, u=1.0), "moment of order 1.5 must be finite"),
        (PROBLEM, semibandits.cucb(), "CUCB needs a SemiBandit, got Cascade"),
        (SEMI, semibandits.super_arm_radius(1.0, horizon=50), "listed super arms"),
        (PROBLEM, contextual.linucb(dim=2), "needs a LinearContext"),
        (SPHERE, contextual.gloc(dim=2, horizon=50), "rewards must be 0 or 1"),
        (SPHERE, contextual.private_rewards(1.0, dim=2, n_actions=4, horizon=50), "must have given sets"),
        (ConvexLoss.ball([[0.1, 0.1, 0.1]], kind="smooth"), ON_BALL, "dimension"),
        (ConvexLoss.ball([[-0.9, 0.2]], kind="smooth"), ON_BALL, "B <="),
        (KINKED, contextual.two_point(**FOR_50, problem=BALL), "G <="),
        (BALL, contextual.one_point(**FOR_50, problem=TABLE, learner="tsallis"), "ConvexLoss.arms"),
        (ConvexLoss.ball([[0.1]]), contextual.one_point(**FOR_50, problem=LINE, learner="stochastic"), "mode='stoch"),
        (BALL, cascading.cascade_ucb1(), "CascadeUCB1 needs Arms, a Cascade or a SemiBandit, got ConvexLoss.ball"),
        ("no problem", Fixed([0]), "fixed needs Arms, a Cascade, .* or a Problem of your own, got 'no problem'"),
    ],
)
def test_a_policy_made_for_another_problem_is_refused(problem, policy, message):
    with pytest.raises(ValueError, match=message):
        play(policy, problem, horizon=50)
    with pytest.raises(ValueError, match=message):
        trace(problem, policy, horizon=50, seed=0)

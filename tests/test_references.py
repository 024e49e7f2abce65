"""Every constructor of the library against its reference, action for action: one table of cases.

A case is a constructor, the file that has its reference, and arguments by name, which both are given: nothing is typed
twice. What a room exports and returns a policy has a case, and so has every policy of its list of algorithms.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from semibandit_settings import INSTANCES, KINDS, OURS

from private_bandits import baselines
from private_bandits.baselines import kl_ucb, thompson, ucb
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.papers.contextual import instances
from private_bandits.papers.heavy_tailed import pareto_arms
from private_bandits.policy import Policy
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, SemiBandit
from private_bandits.simulation import trace
from private_bandits.streams import streams

ROOMS = (baselines, cascading, contextual, heavy_tailed, semibandits)
INF = math.inf


class Case(NamedTuple):
    """A constructor and its reference on a problem."""

    room: Any
    name: str  # of the constructor
    file: str
    problem: Any
    rounds: int
    given: dict[str, Any]  # what both are given
    also: dict[str, Any] = {}  # what the reference alone is, where its file has two constructors
    tolerance: float = 0.0  # of points; 0 for actions, which are the same
    replications: int = 1

    def __str__(self) -> str:
        given = {key: getattr(value, "name", value) for key, value in self.given.items() if key != "problem"}
        told = ", ".join(f"{key}={value}" for key, value in given.items())
        return f"{self.name}({told}) on {self.problem}"[:150]


CASES: list[Case] = []


def add(room, name, file, problems, rounds, *given, **options):
    """Note the cases of a constructor: every list of arguments on every problem."""
    CASES.extend(Case(room, name, file, one, rounds, dict(each), **options) for one in problems for each in given)


# --- baselines

ARMS = [Arms.bernoulli([0.5, 0.9, 0.1, 0.9, 0.45])]
SHORT, LONG, LONGEST = 1500, 20_000, 300_000
add(baselines, "ucb", "auer_figure_1", ARMS, SHORT, {}, {"alpha": 0.5}, {"alpha": 3.0, "horizon": 2000})
add(baselines, "kl_ucb", "garivier_kl_ucb", ARMS, SHORT, {}, {"c": 3.0})
add(baselines, "thompson", "agrawal_algorithm_1", ARMS, SHORT, {})
for privacy in (0.1, 2.0, INF):
    add(baselines, "ldp_ucb_laplace", "ren_laplace", ARMS, SHORT, {"epsilon": privacy})
    add(baselines, "ldp_ucb_response", "ren_response", ARMS, SHORT, {"epsilon": privacy})
    add(baselines, "kl_ucb_cf", "gajane_kl_ucb_cf", ARMS, SHORT, {"epsilon": privacy})
for privacy, beta in ((0.1, 0.9), (1.0, None), (20.0, 0.5), (INF, 0.5)):
    add(
        baselines, "dp_se", "sajed_algorithm_2", ARMS, LONGEST,
        {"epsilon": privacy, "n_arms": 5, "horizon": LONGEST} | ({"beta": beta} if beta else {}),
    )  # fmt: skip
for privacy, alpha in ((0.2, None), (1.0, 3.1), (3.0, 0.2), (INF, 1.0)):
    width = {"epsilon": privacy} | ({"alpha": alpha} if alpha else {})
    add(baselines, "adap_ucb", "azize_algorithm_1", ARMS, LONG, width)
    add(baselines, "adap_klucb", "azize_algorithm_1", ARMS, LONG, width, also={"kl": True})
    tuned = {"epsilon": privacy, "first": 7, "level": 0.8}
    add(baselines, "dp_klucb", "azize_dp_klucb", ARMS, LONG, {"epsilon": privacy}, tuned)
for inside in (ucb(), ucb(alpha=0.5), ucb(alpha=3.0, horizon=2000), kl_ucb(), kl_ucb(c=3.0), thompson()):
    rules = [
        {"epsilon": 1.0, "growth": 0.3},
        {"epsilon": 3.0, "first": 1, "growth": 2.0, "cost": 0.0},
    ]
    add(baselines, "replay", "replayed", ARMS, 2000, *({"policy": inside, "horizon": 2000, **rule} for rule in rules))

# --- cascades

ITEMS = [0.3, 0.3, 0.2, 0.1, 0.1, 0.1, 0.05]
for size in (1, 3, 7):
    lists, k, sizes = [Cascade(ITEMS, size)], {"list_size": size}, {"n_arms": 7, "list_size": size, "horizon": 1200}
    add(cascading, "cascade_ucb1", "kveton_algorithm_1", lists, 400, {}, {"least_first": True})
    add(cascading, "uniform", "uniform_play", lists, 400, {})
    for privacy in (0.5, INF):
        for factor in ({}, {"noise_multiplier": 0.01}):
            told = {"epsilon": privacy, **k, **factor}
            add(cascading, "ucb_laplace", "algorithm_2", lists, 400, told)
            add(cascading, "ucb_gaussian", "algorithm_3", lists, 400, told | {"delta": 1e-3})
            add(cascading, "ucb_composition", "theorem_8", lists, 400, told | {"delta": 1e-3})
        trees = {"epsilon": privacy, "n_arms": 7, "horizon": 500}
        add(
            cascading, "ucb_hybrid", "algorithm_1", lists, 400,
            *({**trees, "variant": v, "noise_multiplier": 0.01} for v in ("printed", "proof")),
            {**trees, "noise_multiplier": 0.1, "c_1": 0.5},
            trees,
        )  # fmt: skip
    for privacy, delta in ((0.5, 0.0), (9.0, 0.0), (9.0, 1e-3), (INF, 0.0)):
        told = {"epsilon": privacy, "delta": delta, **k}
        add(cascading, "forced_laplace", "repair_forced", lists, 400, told)
    for privacy in (1.0, INF):
        add(cascading, "repaired_local", "repair_first", lists, 400, {"epsilon": privacy, **k})
    add(
        cascading, "repaired_padded", "repair_padded", lists, 400,
        *({"epsilon": privacy, **k} for privacy in (4.0, INF)),
        {"epsilon": 9.0, "delta": 0.1, **k},
        *({"epsilon": privacy, **k, "over": "displays"} for privacy in (4.0, INF)),
    )  # fmt: skip
    for privacy in (0.25, 1.0, 9.0, 1e-9, INF):
        add(
            cascading, "repaired_central", "repair_blocks", lists, 1200,
            *({"epsilon": privacy, **sizes, "design": design} for design in ("keep", "forget", "counter")),
        )  # fmt: skip
WHOLE = [SemiBandit.top_k(ITEMS, 3)]
for privacy, factor, variant in (
    (0.5, 1.0, "printed"), (0.5, 0.01, "printed"), (INF, 1.0, "printed"),
    (0.5, 1.0, "repaired"), (0.5, 0.1, "repaired"), (5.0, 1.0, "repaired"),
):  # fmt: skip
    told = {"epsilon": privacy, "delta": 1e-3, "n_arms": 7, "list_size": 3}
    add(cascading, "cucb_gaussian", "algorithm_4", WHOLE, 400, told | {"noise_multiplier": factor, "variant": variant})

# --- semi-bandits

T = 400
for settings, privacies in ((INSTANCES, (1.0, 20.0, 400.0, 4000.0)), (KINDS, (20.0, 400.0))):
    for bandit in settings.values():
        sizes = {"n_arms": bandit.n_arms, "list_size": bandit.list_size, "horizon": T}
        add(semibandits, "cucb", "combinatorial_ucb", [bandit], T, {}, {"update": "least"})
        for privacy in privacies:
            for variant in semibandits.VARIANTS:
                told = {"epsilon": privacy, "variant": variant}
                add(
                    semibandits, "cucb_ldp1", "algorithm_1", [bandit], T,
                    {**told, "list_size": bandit.list_size}, {**told, "list_size": bandit.list_size, "horizon": T},
                )  # fmt: skip
                add(semibandits, "cucb_ldp2", "algorithm_2", [bandit], T, told, {**told, "horizon": T})
                add(semibandits, "cucb_dp", "algorithm_3", [bandit], T, told | sizes)
                add(semibandits, "cucb_dp_least_pulled", "section_3_2", [bandit], T, told | sizes)
for bandit in OURS.values():
    sizes = {"n_arms": bandit.n_arms, "list_size": bandit.list_size, "horizon": 1500}
    add(
        semibandits, "cucb_blocks", "repair_blocks", [bandit], 1500,
        *({"epsilon": privacy, **sizes} for privacy in (1.0, 10.0, INF)),
        {"epsilon": 10.0, **sizes, "horizon": None},
    )  # fmt: skip
    for privacy in (1.0, 4.0, INF):
        told = {"epsilon": privacy, "horizon": 300}
        anew = told | {"horizon": None}
        add(semibandits, "super_arm_radius", "repair_radius", [bandit], 300, told, anew)
        told = told | {"list_size": bandit.list_size}
        add(semibandits, "cucb_hypercube", "repair_hypercube", [bandit], 300, told)
# --- heavy tails

for v in (0.3, 0.5, 0.9, 1.0):
    five = [pareto_arms([0.9, 0.7, 0.5, 0.3, 0.1], 1.1 + v)]
    add(
        heavy_tailed, "robust_ucb", "bubeck_robust_ucb", five, 600,
        *({"v": v, "u": u, "horizon": horizon} for u in (0.01, 2.0) for horizon in (1000, None)),
        {"v": v, "u": 2.0, "c": 0.5},
    )  # fmt: skip
    add(
        heavy_tailed, "dp_robust_ucb", "algorithm_1", five, 600,
        *({"epsilon": e, "v": v, "u": 2.0, "horizon": 1000, "c": c} for e in (0.1, 1.0) for c in (18.0, 0.5)),
        {"epsilon": INF, "v": v, "u": 2.0, "horizon": 1000},
    )  # fmt: skip
THREE = [pareto_arms([0.5, 0.9, 0.2], 2.2)]
for epsilon, v, u, beta, c in (
    (0.8, 0.9, 0.7, 0.5, 3.0), (1.0, 0.5, 0.5, 0.9, 3), (0.3, 1, 2, 0.1, 2), (1.0, 1.0, 0.5, 0.5, 24.0),
    (INF, 0.9, 0.7, 0.5, 2.0),
):  # fmt: skip
    told = {"epsilon": epsilon, "v": v, "u": u, "beta": beta, "c": c}
    add(heavy_tailed, "dp_robust_se", "algorithm_3", THREE, 20_000, told)
add(
    heavy_tailed, "robust_se", "se_without_privacy", THREE, 20_000,
    *({"v": 0.9, "u": 0.7, "beta": 0.5, "c": c} for c in (4, 2.0, 1.5)),
    {"v": 0.9, "u": 0.1, "beta": 0.5, "c": 2.0},
)  # fmt: skip
add(
    heavy_tailed, "ldp_robust_se", "local_se", THREE, 20_000,
    {"epsilon": 3.0, "v": 1.0, "u": 0.6, "beta": 0.9, "c": 2.0},
    {"epsilon": 0.7, "v": 0.9, "u": 0.6, "beta": 0.9, "c": 3.0, "variant": "slide_rate"},
    {"epsilon": INF, "v": 0.9, "u": 0.6, "beta": 0.9, "c": 3.0},
)  # fmt: skip
add(
    heavy_tailed, "quantile_se", "private_quantiles", [pareto_arms([0.9, 0.5, 0.1], 2.5)], 20_000,
    *({"epsilon": epsilon, "beta": 0.1, "width": width} for epsilon in (0.1, 0.5, 3.0, INF) for width in (0.3, 2.0)),
    {"epsilon": 3.0, "beta": 0.1, "width": 2.0, "first": 3.0},
)  # fmt: skip
add(
    heavy_tailed, "adap_robust_ucb", "doubling_episodes", THREE, 12_000,
    *(
        {"epsilon": epsilon, "v": v, "u": u, "horizon": 12_000}
        for epsilon, v, u in ((0.3, 0.9, 0.5), (6.0, 1.0, 0.02), (INF, 0.9, 0.05))
    ),
    {"epsilon": 0.3, "v": 0.9, "u": 0.5, "horizon": 20_000, "width": 1.0},
)  # fmt: skip

# --- contexts

THETAS = {1: [0.7], 2: [0.6, -0.7], 4: [0.5, -0.3, 0.5, 0.4]}
SETS = np.array([[[1.0, 0.0], [0.0, 0.8]], [[0.6, 0.6], [0.0, 0.0]], [[-0.5, 0.5], [0.3, 0.0]]])
SEVERAL = LinearContext.table(SETS, SETS @ np.array([0.5, -0.4]))
TABLES = [SEVERAL, instances.one_set(2), instances.one_set(2, link="logistic")]
for dim, theta in THETAS.items():
    vectors, odds = [LinearContext.sphere(theta, 3)], [LinearContext.sphere(theta, 3, "logistic")]
    sizes = {"delta": 1e-3, "dim": dim, "horizon": 250}
    add(contextual, "linucb", "oful", vectors, 250, {"dim": dim})
    add(contextual, "all_or_nothing", "delta_trap", vectors, 250, {"delta": 0.2, "dim": dim})
    add(
        contextual, "gloc", "online_to_confidence", odds, 250,
        *(
            {"dim": dim, "horizon": 300, "learner": learner, "responses": responses}
            for learner in ("newton", "gradient")
            for responses in ("binary", "bounded")
        ),
    )  # fmt: skip
    for privacy in (0.5, 50.0, INF):
        add(
            contextual, "ldp_linucb", "algorithm_5", vectors, 250,
            {"epsilon": privacy, **sizes},
            *(
                {"epsilon": privacy, **sizes, "variant": "derived", "calibration": calibration}
                | {"bonus_factor": 0.2, "beta": 0.2, "ridge": 0.5, "largest_reward": largest}
                for calibration in ("classical", "analytic")
                for largest in (2.0, 3.0)
            ),
        )  # fmt: skip
for privacy in (1.0, 100.0, INF):
    add(
        contextual, "ldp_glm", "algorithm_3", [LinearContext.sphere(THETAS[2], 3, "logistic")], 250,
        *(
            {"epsilon": privacy, "delta": 1e-3, "dim": 2, "horizon": 250, "variant": variant}
            | {"calibration": calibration, "bonus_factor": 0.1, "responses": responses}
            for variant in ("printed", "repaired")
            for calibration in ("classical", "analytic")
            for responses in ("bounded", "binary")
        ),
    )  # fmt: skip
    add(
        contextual, "ldp_linucb", "algorithm_5", TABLES, 400,
        {"epsilon": privacy, "dim": 2, "horizon": 400, "variant": "derived", "noise": "laplace", "bonus_factor": 0.01},
    )  # fmt: skip
    add(
        contextual, "linucb_private_rewards", "abbasi_private_rewards", TABLES, 400,
        {"epsilon": privacy, "delta": 1e-3, "dim": 2},
    )  # fmt: skip
stretchable = (
    contextual.linucb(dim=2),
    contextual.all_or_nothing(delta=0.1, dim=2),
    contextual.ldp_linucb(40.0, delta=1e-3, dim=2, horizon=900, variant="derived", bonus_factor=0.05),
)
add(
    contextual, "by_stretches", "stretched", TABLES, 900,
    *({"policy": policy, "growth": growth} for policy in stretchable for growth in (0.0, 0.05, 0.8)),
)  # fmt: skip
add(
    contextual, "joint_linucb", "shariff_joint", TABLES, 3000,
    *(
        {"epsilon": epsilon, "delta": 0.1, "dim": 2, "horizon": 3000, "growth": growth}
        for epsilon in (1.0, 1000.0)
        for growth in (0.02, 0.5)
    ),
)  # fmt: skip
# many actions in small steps, so that the noise decides when some leave
ANGLES = np.linspace(0.0, 3.0, 60)
GRADED = np.array([np.column_stack([np.cos(ANGLES), 0.1 * np.sin(ANGLES)])])
STEPS = LinearContext.table(GRADED, GRADED @ np.array([0.9, 0.1]))
add(
    contextual, "weighted_regression", "chen_weighted_regression",
    [*TABLES, STEPS], 10_000,
    *(
        {"epsilon": epsilon, "delta": 0.1, "dim": 2, "horizon": 20_000, "batches": batches}
        for epsilon in (20.0, INF)
        for batches in (0, 2)
    ),
)  # fmt: skip
TRIPLE = LinearContext.table([[[1.0, 0.0], [0.6, 0.6], [0.0, 0.9]]], [[0.9, 0.5, -0.4]])
for known in (instances.one_set(2), instances.one_set(3, gap=0.9), instances.or_nothing(0.9), TRIPLE, STEPS):
    add(
        contextual, "private_rewards", "hanna_local", [known], 900,
        *(
            {"epsilon": epsilon, "n_actions": known.n_actions, "dim": known.dim, "horizon": 900}
            for epsilon in (5.0, 20.0, 400.0)
        ),
    )  # fmt: skip

# --- convex losses

ANCHORS = [[0.5, -0.2, 0.4], [-0.7, 0.6, 0.3], [0.2, 0.9, -0.6], [0.1, 0.1, 0.2]]
TABLE = [[0.2, 0.5, 0.8, 0.9], [0.4, 0.3, 0.5, 0.1], [0.0, 1.0, 0.3, 0.3]]
FIT = {"sphere": "distance", "sphere_strong": "kinked", "saha_tewari": "smooth", "hazan_levy": "quadratic"}
HIDDEN = (
    {"epsilon": INF},
    {"epsilon": 2.0, "delta": 1e-3},
    {"epsilon": 2.0, "delta": 1e-3, "calibration": "analytic"},
    {"epsilon": 2.0, "noise": "laplace"},
)
for learner in (*FIT, "tsallis"):
    rounds = 25 if learner in ("saha_tewari", "hazan_levy") else 200
    for mode in ("schedule", "stochastic"):
        spread = 0.3 if mode == "stochastic" else 0.0
        losses = (
            ConvexLoss.arms(TABLE, mode=mode)
            if learner == "tsallis"
            else ConvexLoss.ball(ANCHORS, kind=FIT[learner], mode=mode, spread=spread)
        )
        told = {"problem": losses, "horizon": rounds, "learner": learner}
        add(
            contextual, "one_point", "algorithm_1", [losses], rounds,
            *(told | hidden for hidden in HIDDEN),
            *([told | HIDDEN[1] | {"variant": "derived"}] if learner == "tsallis" else []),
            tolerance=1e-6,
        )  # fmt: skip
    if learner in FIT:  # at T = 10^6 no step and no radius is capped, as all are in short runs
        told = {"problem": losses, "horizon": 10**6, "learner": learner}
        add(
            contextual, "one_point", "algorithm_1", [losses], 20, told | {"epsilon": 1000.0, "delta": 1e-3},
            tolerance=1e-6,
        )  # fmt: skip
for anchors in ((0.62, 0.9, 0.4), (0.2, -0.9, 0.1)):
    line = ConvexLoss.ball([[z] for z in anchors], kind="distance", mode="stochastic", spread=0.1)
    told = {"problem": line, "horizon": 8000, "learner": "stochastic"}
    add(
        contextual, "one_point", "algorithm_1", [line], 8000,
        *(told | hidden | ({"epsilon": 60.0} if hidden["epsilon"] < INF else {}) for hidden in HIDDEN),
        tolerance=1e-12,
    )  # fmt: skip
for step in contextual.algorithm_2.STEPS:
    losses = ConvexLoss.ball(ANCHORS, kind="kinked")
    told = {"problem": losses, "horizon": 300, "step": step}
    add(
        contextual, "two_point", "algorithm_2", [losses], 300, *(told | hidden | {} for hidden in HIDDEN),
        tolerance=1e-6,
    )  # fmt: skip


def made(case):
    """The policy of a case, and its reference with what both are given."""
    policy = getattr(case.room, case.name)(**case.given)
    given = {name: value for name, value in case.given.items() if name != "problem"} | case.also
    return policy, getattr(case.room, case.file).reference, given


NAMES = [*dict.fromkeys(case.name for case in CASES)]


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_plays_its_reference(name):
    """The references take the constructors' arguments by the same names, and play the compiled loops' very actions."""
    for case in (case for case in CASES if case.name == name):
        policy, reference, given = made(case)
        for replication in range(case.replications):
            shown = trace(case.problem, policy, horizon=case.rounds, seed=7, replication=replication)
            found = np.array(reference(case.problem, case.rounds, streams(7, replication), **given))
            if case.tolerance:  # points; the last column is what is sent, which some loops clip and scale
                near = {"rtol": case.tolerance, "atol": case.tolerance / 100}
                np.testing.assert_allclose(shown[:, :-1], found[:, :-1], **near, err_msg=str(case))
            else:
                np.testing.assert_array_equal(shown, found, err_msg=str(case))


# nothing depends on these in any case: read with another learner only, or too small to decide; what DP-SE and the
# epochs of weighted regression draw is measured in their own tests
SILENT = {
    "uniform": {"terms"},
    "dp_se": {"scale"},
    "robust_se": {"truncation_power"},
    "weighted_regression": {"sigma"},
}
UNREAD = {"horizon", "list_size", "n_arms", "dim", "largest_reward", "v", "u", "curvature"}  # of a check, or of GLOC


def numbers(record):
    """The constants of a record that are finite and not 0, by their path."""
    for name, value in record._asdict().items():
        if hasattr(value, "_asdict"):
            yield from (((name, *path), one) for path, one in numbers(value))
        elif isinstance(value, tuple):  # of runs, each of which is a policy of its own
            continue
        elif name not in UNREAD and np.asarray(value).dtype == float and np.all(np.isfinite(value)) and np.any(value):
            yield (name,), value


def changed(record, path, value):
    """The record with another number at a path."""
    inner = value if len(path) == 1 else changed(getattr(record, path[0]), path[1:], value)
    return record._replace(**{path[0]: inner})


@pytest.mark.parametrize("name", NAMES)
def test_the_cases_tell_a_factor_of_two(name):
    """What the test above rests on: half or twice any constant of a constructor plays other actions in some case."""
    open_, told = set(), set()
    for case in (case for case in CASES if case.name == name):
        policy, shown = made(case)[0], None
        for path, value in numbers(policy.record):
            open_.add(path[-1])
            if path[-1] in told:
                continue
            run = {"horizon": case.rounds, "seed": 7}
            shown = trace(case.problem, policy, **run) if shown is None else shown
            for factor in (0.5, 2.0):
                other = replace(policy, record=changed(policy.record, path, value * factor))
                try:
                    same = np.array_equal(shown, trace(case.problem, other, **run))
                except ValueError:  # the kernel refuses it
                    same = False
                if not same:
                    told.add(path[-1])
                    break
    assert open_ - told == SILENT.get(name, set())


def constructors(room):
    """What the room exports that returns a policy."""
    exported = ((name, getattr(room, name)) for name in room.__all__ if inspect.isfunction(getattr(room, name)))
    return {name for name, make in exported if inspect.signature(make).return_annotation in (Policy, "Policy")}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_every_constructor_has_a_case(room):
    named = constructors(room) | ({"replay"} if room is baselines else set())  # which returns players, too
    assert named == {case.name for case in CASES if case.room is room}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_every_policy_of_the_list_has_cases_with_its_reference(room):
    """By kernel, mechanism, variant and the like: all but the numbers of the record."""

    def kind(file, policy):
        return file, policy.kernel, policy.algorithm, policy.mechanism, policy.method, policy.variant[:1]

    played = {kind(case.file, made(case)[0]) for case in CASES if case.room is room}
    for file, policy in room.algorithms(1.0, delta=1e-3):
        assert callable(getattr(room, file).reference)
        assert kind(file, policy) in played, (file, policy.name, policy.variant)

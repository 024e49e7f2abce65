"""The runs of the contextual chapter at small parameters, its longer studies and what is fitted to them."""

from __future__ import annotations

import json
import math
import re
from functools import cache, partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from replay import committed, folder, replayed, rows_of
from synthetic import KEYS

from private_bandits.estimates import difference_interval
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.papers.contextual import (
    bounds,
    instances,
    ldp_glm,
    ldp_linucb,
    linucb,
)
from private_bandits.papers.contextual.tunings import tuning
from private_bandits.privacy import channel_loss
from private_bandits.simulate import log_checkpoints, simulate
from private_bandits_book import plans
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.contextual import (
    check_parameters,
    digits,
    facts,
    fooling,
    joint,
    long_studies,
    messages,
    rates,
    rules,
    study,
    sweeps,
)
from private_bandits_book.contextual.exhibits import exhibits
from private_bandits_book.contextual.fooling import Ucb
from private_bandits_book.contextual.study import Study
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, ROWS, TWO_POINTS
from private_bandits_book.ledger import claims_of
from private_bandits_book.studies import LongRun, key
from private_bandits_book.sweep import EPSILON, HORIZON, LOG, Sweep
from private_bandits_book.verdicts import VERDICTS

DELTA = 1e-3
PARAMETERS = {
    "horizon": 20_000, "replications": 4, "seed": 7, "n_jobs": 1, "epsilons": [2.0, 8.0], "delta": DELTA, "dims": [2],
    "digit_epsilons": [1.0, 1000.0], "bonus_factor": 0.1,
}  # fmt: skip


@cache
def listed(label):
    """The runs of a longer study, but the search for the best arm."""
    return [run for run in sweeps.long_runs(label) if run.labels.get("row") != sweeps.BEST_ARM]


def at(**changes):
    stored = folder("contextual")
    return Study(**PARAMETERS | changes, long_study=lambda label: pd.read_csv(stored / f"long-{label}.csv"))


@pytest.fixture(scope="module")
def setting():
    return at()


@pytest.fixture(scope="module")
def short():
    return at(horizon=3000, replications=20, epsilons=[1.0, 8.0], dims=[2, 4])


# --- the losses


@pytest.mark.parametrize("kind", ["distance", "kinked", "smooth", "quadratic"])
def test_the_best_point_lies_inside_and_away_from_the_centre(kind):
    problem = instances.convex(kind)
    shares = np.bincount(problem.schedule) / len(problem.schedule)
    assert shares.tolist() == [0.8, 0.1, 0.1]
    point, value, gap = problem.best_point(shares)
    assert 0.4 < np.linalg.norm(point) < 0.9 and gap < 1e-8
    if kind in ("distance", "kinked"):  # the kink of the first loss
        assert point.tolist() == problem.anchors[0].tolist()
    # the losses disagree: each has the value 0 at its own anchor
    assert value > 0.01


def test_the_line_has_its_best_point_at_a_kink_inside():
    point, _, _ = instances.on_line().best_point()
    assert point.tolist() == [0.6]


class Fixed:
    """Always the same point."""

    name = "fixed"

    def __init__(self, point):
        self.point = point

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return self.point

    def tell(self, values):
        pass


@pytest.mark.parametrize("kind", ["distance", "kinked", "smooth", "quadratic"])
def test_centre_regret_loses_what_it_says(kind):
    problem = instances.convex(kind)
    t = [1, 57, 200, 345, 800]
    found = simulate(problem, Fixed([0.0, 0.0]), horizon=800, replications=1, seed=0, checkpoints=t)
    np.testing.assert_allclose(facts.centre_regret(problem, t), found.regret.values[0], rtol=1e-9)
    assert facts.centre_regret(problem, 800)[0] < problem.uniform_regret() * 800


def test_centre_regret_in_the_other_environments():
    simplex = instances.on_simplex("quadratic")
    found = simulate(simplex, Fixed([1 / 3, 1 / 3]), horizon=400, replications=1, seed=0)
    assert facts.centre_regret(simplex, 400)[0] == pytest.approx(found.regret.values[0, -1], rel=1e-9)
    line = instances.on_line()
    found = simulate(line, Fixed([0.0]), horizon=400, replications=1, seed=0)
    assert facts.centre_regret(line, 400)[0] == pytest.approx(found.regret.values[0, -1], rel=1e-9)
    arms = instances.switching_arms(0.3)
    found = [
        simulate(arms, Fixed([arm]), horizon=321, replications=1, seed=0).regret.values[0, -1]
        for arm in range(instances.N_ARMS)
    ]
    assert facts.centre_regret(arms, 321)[0] == pytest.approx(np.mean(found), rel=1e-9)


def test_the_switching_adversary_keeps_the_gap_and_lengthens_its_phases():
    problem = instances.switching_arms(0.3)
    assert np.all(problem.anchors[:, 1:] - problem.anchors[:, :1] == pytest.approx(0.3))
    assert problem.anchors[1, 0] - problem.anchors[0, 0] == pytest.approx(0.7)
    lengths = np.diff(np.flatnonzero(np.diff(problem.schedule)))
    assert np.all(lengths[3:] / lengths[2:-1] == pytest.approx(1.6, rel=0.2))
    assert 0.3 < np.mean(problem.schedule) < 0.7


def test_the_sets_of_actions():
    problem = instances.one_set(3, gap=0.4, offset=0.2)
    np.testing.assert_allclose(problem.means, [[0.6, 0.2, 0.2]])
    np.testing.assert_array_equal(problem.sets, np.eye(3)[None])
    assert problem.uniform_regret() == pytest.approx(0.4 * 2 / 3)
    odds = instances.one_set(2, "logistic", gap=0.4)
    np.testing.assert_allclose(odds.means, [[1 / (1 + math.exp(-0.4)), 0.5]])
    assert odds.binary and np.linalg.norm(instances.unit_vectors(5).theta) == pytest.approx(1.0)


def test_the_fooling_losses_fool_ucb_and_are_fixed_beforehand():
    problem, plays = fooling.fooling_arms(3000)
    # the first arm loses just where UCB looks at it
    assert np.array_equal(problem.schedule == 1, plays == 0)
    assert np.sum(plays == 0) < 120
    runs = at(horizon=3000, replications=2, epsilons=[8.0]).arms
    foreseen = runs.find(key(Ucb()), environment="fooling")
    played = simulate(problem, fooling.Ucb(), horizon=3000, replications=2, seed=5)
    np.testing.assert_allclose(foreseen.curves, played.regret.values, atol=1e-9)
    assert played.regret.values[0, -1] > 0.48 * 3000
    assert runs.final(KEYS["Tsallis-INF"], environment="fooling", learner="tsallis") < 60


# --- the runs


def test_runs_have_the_noise_and_the_losses_that_they_name(setting):
    panel = setting.one_point
    assert {row for row, told in ROWS.items() if not told.losses} == {LINEAR, LOGISTIC}
    for row in ONE_POINT:
        kind, learners = ROWS[row].losses, ROWS[row].learners
        for learner in learners:
            plain, *private = panel.select(row=row, learner=learner)
            assert plain.problem.kind == kind and math.isinf(plain.epsilon) and plain.policy.method == learner
            for run in private:
                scale = gaussian_sigma(run.epsilon, DELTA, 2 * run.problem.bound, method="analytic")
                assert run.variant == "analytic" and run.policy.record.scale == pytest.approx(scale, rel=1e-12)
    played = len(setting._played)
    noises = setting.noises
    assert len(noises) == 7
    assert len(setting._played) == played + 4  # the learner and its analytic noise were there
    for run in noises:
        assert run.policy.noise == {"": "", "printed": "classical"}.get(run.variant, run.variant)
        assert run.variant != "laplace" or run.policy.privacy.value_epsilon == pytest.approx(run.epsilon)
    for run in setting.arms.select(KEYS["Tsallis-INF"]):
        width = {"": 0.0, "printed": 2.0, "tight": 1.0}[run.variant]
        scale = width and gaussian_sigma(run.epsilon, DELTA, width, method="analytic")
        assert run.policy.record.scale == pytest.approx(scale, rel=1e-12)


def test_the_learners_learn_without_privacy_and_the_special_ones_win(setting):
    final = {}
    for run in setting.one_point:
        assert run.final.min() > 0
        still = float(facts.centre_regret(run.problem, 20_000)[0])
        if math.isinf(run.epsilon):
            final[run.swept["row"], run.swept["learner"]] = run.final.mean() / still
        elif run.epsilon == 8.0:
            same = next(r for r in setting.one_point if r.swept == run.swept and math.isinf(r.epsilon))
            assert run.final.mean() > 1.2 * same.final.mean()
    assert max(final.values()) < 0.4
    assert final["strongly convex", "sphere_strong"] < 0.8 * final["strongly convex", "sphere"]
    assert final["convex, smooth", "saha_tewari"] < final["convex, smooth", "sphere"]


def test_other_environments_change_little_and_the_line_is_easier(setting):
    runs = setting.environments
    shifting = setting.one_point.final(KEYS["Gradient descent, one point"], row="convex")
    for name in ("drawn", "stochastic"):
        assert runs.final(KEYS["Gradient descent, one point"], environment=name) == pytest.approx(shifting, rel=0.25)
    for run in runs:
        words = run.swept["environment"].split(", ")
        assert run.problem.domain == ("simplex" if "simplex" in words else "ball")
        assert (run.problem.mode == "stochastic") == ("stochastic" in words)
        assert words[-1] not in ("smooth", "quadratic", "distance") or run.problem.kind == words[-1]
    names = ("Agarwal et al., one dimension", "Gradient descent, one point")
    own, other = (runs.final(KEYS[name], environment="line, stochastic") for name in names)
    assert own < 0.7 * other


def test_the_printed_step_costs_more_than_the_tuned_one(setting):
    runs = setting.two_points
    final = {(run.swept["row"], run.variant, run.epsilon): run.final.mean() for run in runs}
    assert {run.epsilon for run in runs} == {math.inf, *study.SWEEP}
    for row in TWO_POINTS:
        assert {variant for key, variant, _ in final if key == row} == set(ROWS[row].learners)
        assert final[row, "printed", 1.0] > 3.5 * final[row, "tuned", 1.0]
    record = runs.find(None, "tuned", 1.0, row=TWO_POINTS[0]).policy.record
    assert record.scale == pytest.approx(2 * record.limit * math.sqrt(2 * math.log(1250)), rel=1e-12)


def test_arms_are_learnt_in_every_environment(setting):
    runs = setting.arms
    for environment in ("fooling", "switching", "stochastic"):
        for name in ("Tsallis-INF", "EXP3"):
            variants = (("", math.inf), ("tight", 8.0), ("printed", 8.0))
            free, tight, printed = (runs.final(KEYS[name], r, e, environment=environment) for r, e in variants)
            assert free < 150 < 800 < tight < 0.6 * printed < 0.6 * 7500
    assert runs.final(key(Ucb()), environment="fooling") > 9900
    assert runs.final(KEYS["UCB"], environment="stochastic") < 200
    local = runs.final(KEYS["LDP-UCB-L"], "laplace", 8.0, environment="stochastic")
    assert local < 0.4 * runs.final(KEYS["Tsallis-INF"], "tight", 8.0, environment="stochastic")


def test_the_search_costs_the_variance_of_the_noise_and_of_the_gap(monkeypatch):
    frame = at(replications=2, epsilons=[1.0, 8.0]).best_arm.set_index(["epsilon", "gap"])
    assert frame["replications"].unique().tolist() == [10] and frame["stopped"].unique().tolist() == [10]
    assert frame["wrong"].sum() == 0 and frame["wrong_high"].iloc[0] == pytest.approx(1 - 0.025 ** (1 / 10))
    for epsilon in (1.0, 8.0):
        sigma = gaussian_sigma(epsilon, 1e-3, 2.0, method="analytic")
        ratio = frame.loc[(epsilon, 0.8), "pulls"] / frame.loc[(math.inf, 0.8), "pulls"]
        assert ratio == pytest.approx((0.25 + sigma**2) / 0.25, rel=0.15)
    for epsilon in (math.inf, 1.0, 8.0):
        assert frame.loc[(epsilon, 0.4), "pulls"] / frame.loc[(epsilon, 0.8), "pulls"] == pytest.approx(4.0, rel=0.2)
    monkeypatch.setattr(study, "PULLS", 2000)
    given_up = at(replications=2, epsilons=[1.0]).best_arm.set_index(["epsilon", "gap"])
    assert given_up.loc[(1.0, 0.8), "stopped"] == 0 and given_up.loc[(1.0, 0.8), "pulls"] == 2000
    assert given_up.loc[(math.inf, 0.8), "stopped"] == 10


def test_the_ellipsoidal_estimate_outgrows_the_loss(setting):
    frame = setting.estimates
    assert frame["t"].tolist() == log_checkpoints(20_000).tolist()
    assert set(frame["loss"]) == {1.0} and frame["sphere"].nunique() == 1
    assert frame["ellipsoid"].iloc[-10:].min() > 10 * frame["ellipsoid"].iloc[0]
    assert frame["ellipsoid"].iloc[-1] > frame["sphere"].iloc[-1] > 30
    # at the centre the barrier's Hessian is 2 I, and a linear loss is explored on half the ellipsoid: 2 / 0.5 sqrt 2
    assert frame["ellipsoid"].iloc[0] == pytest.approx(4 * math.sqrt(2.0), rel=1e-3)
    frame = messages.nearer_zero(1.0, DELTA, [1.0, 0.0])
    assert frame["constant"].iloc[-1] == math.inf
    np.testing.assert_allclose(frame["algorithm_1"], 1.0, rtol=1e-6)


def test_the_constants_are_those_that_their_readings_name():
    found = {r: p.record for r, p in study.private_policies(3, 2.0, DELTA, 500, LINEAR).items()}
    assert found == {
        "printed": ldp_linucb(2.0, DELTA, 3, 500).record,
        "printed, small bonus": ldp_linucb(2.0, DELTA, 3, 500, bonus_factor=0.1).record,
        "derived, classical noise": ldp_linucb(2.0, DELTA, 3, 500, "derived").record,
        "derived": ldp_linucb(2.0, DELTA, 3, 500, "derived", "analytic").record,
        "derived, small bonus": ldp_linucb(2.0, DELTA, 3, 500, "derived", "analytic", 0.1).record,
    }
    found = {r: p.record for r, p in study.private_policies(3, 2.0, DELTA, 500, LOGISTIC, 0.3).items()}
    binary = {"responses": "binary"}
    assert found == {
        "printed": ldp_glm(2.0, DELTA, 3, 500, **binary).record,
        "printed, small bonus": ldp_glm(2.0, DELTA, 3, 500, bonus_factor=0.3, **binary).record,
        "repaired, classical noise": ldp_glm(2.0, DELTA, 3, 500, "repaired", **binary).record,
        "repaired": ldp_glm(2.0, DELTA, 3, 500, "repaired", "analytic", **binary).record,
        "repaired, small bonus": ldp_glm(2.0, DELTA, 3, 500, "repaired", "analytic", 0.3, **binary).record,
    }


def test_random_actions_explore_and_one_set_does_not(short):
    """The finding of the page: the whole bonus at epsilon = 8 costs little on unit vectors and much on one set."""
    shares = {
        (kind, run.variant): float(run.final.mean()) / run.uniform
        for kind in ("unit vectors", "one set")
        for run in short._every({"unit vectors": instances.unit_vectors, "one set": instances.one_set}[kind](2), 8.0)
    }
    assert shares["unit vectors", ""] < 0.01 and shares["one set", ""] < 0.06
    assert shares["unit vectors", "derived"] < 0.15 < 0.5 < shares["one set", "derived"]
    assert shares["one set", "printed"] > 0.9 > 0.5 > shares["unit vectors", "printed"]


def test_only_the_derived_limits_act_as_their_learner(short):
    frame = short.limits
    assert len(frame) == 16 and set(frame["rounds"]) == {2000}
    ours = frame["reading"] != "printed"
    assert (frame[ours]["same"] == 1.0).all()
    assert (frame[~ours]["same"] < 0.995).all()
    assert (frame[~ours & (frame["problem"] == "one set")]["same"] < 0.97).all()


def test_the_printed_limit_locks_in_on_a_wrong_action():
    one = at(horizon=15_000, replications=14, seed=5)
    plain, derived, printed = one.greedy
    assert len(plain.final) == 42  # three times as often
    np.testing.assert_array_equal(plain.curves, derived.curves)
    frame = one.stuck.set_index("reading")
    assert frame.loc["", "locked"] == 0.0
    assert frame.loc["printed", "low"] > 0.2 > frame.loc["", "high"]
    assert difference_interval(printed.final, plain.final).low > 0
    # who is locked in pays the gap in every round
    most = study.STUCK_GAP * 15_000
    assert np.mean(printed.final > 0.9 * most) == frame.loc["printed", "locked"]
    assert printed.final.max() == pytest.approx(most, rel=0.01)


def test_a_small_bonus_locks_in_where_the_shift_hides_the_better_action():
    one = at(horizon=5000, replications=14, seed=5, epsilons=[8.0])
    frame = one.locked.iloc[3:].set_index(["policy", "reading"])
    assert one.locked.iloc[:3].equals(one.stuck)
    assert frame.loc[("LDP-LinUCB", "derived, small bonus"), "low"] > frame.loc[("LDP-LinUCB", "derived"), "high"]
    assert frame.loc[("LinUCB", "small bonus"), "low"] > frame.loc[("LinUCB", ""), "high"]
    # the small bonus is stated, not tuned: LinUCB has the same one
    assert one.shifted(8.0).find(KEYS["LinUCB"], "small bonus").policy.record == linucb(2, bonus_factor=0.1).record


def test_the_published_setting_hides_nothing(short):
    runs = short.published
    assert [run.variant for run in runs] == ["", *study.PUBLISHED]
    plain, one = runs.find(KEYS["LinUCB"]), runs.find(KEYS["LDP-LinUCB"], "epsilon 1")
    for variant, epsilon in {"derived": 2.209e10, "derived, analytic noise": 8e5}.items():
        hidden = runs.find(KEYS["LDP-LinUCB"], variant)
        assert hidden.policy.privacy.epsilon == 8e5 and hidden.policy.privacy.delta == 0.1
        assert hidden.policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-3)
        gap = difference_interval(hidden.final, plain.final)
        assert gap.low < 0.05 * plain.final.mean() and gap.high > -0.05 * plain.final.mean()
        assert one.final.mean() > 5 * hidden.final.mean()
    printed, expected = runs.find(KEYS["LDP-LinUCB"], "printed").policy, ldp_linucb(8e5, 0.1, 20, 3000)
    assert (printed.record, printed.privacy) == (expected.record, expected.privacy)
    assert one.policy.privacy.effective_epsilon == pytest.approx(1.0)


def test_the_horizons_that_are_needed():
    frame = at(epsilons=[1.0, 8.0], dims=[2, 5]).needed.set_index(["policy", "reading", "dim", "epsilon"])
    needed = frame["horizon_needed"]
    assert len(needed) == 40 and np.isfinite(needed).all()
    assert needed["LDP-LinUCB", "printed", 2, 1.0] == facts.horizon_needed(2, partial(ldp_linucb, 1.0, DELTA, 2), 0.1)
    assert 1e20 < needed["LDP-LinUCB", "printed", 2, 1.0] < 3e20
    assert 1e10 < needed["LDP-LinUCB", "derived", 2, 1.0] < 5e10
    ours = partial(ldp_linucb, 1.0, DELTA, 2, variant="derived", noise="analytic", bonus_factor=0.1)
    assert needed["LDP-LinUCB", "derived, small bonus", 2, 1.0] == facts.horizon_needed(2, ours)
    glm = partial(ldp_glm, 8.0, DELTA, 5, variant="repaired", noise="analytic")
    assert needed["LDP-GLOC", "repaired", 5, 8.0] == facts.horizon_needed(5, glm)


@pytest.mark.parametrize("changes", [{"horizon": 1, "epsilons": [1000.0]}, {"horizon": 2, "epsilons": [0.01, 10.0]}])
def test_every_exhibit_and_every_row_can_be_made_at_the_smallest_parameters(changes, monkeypatch):
    monkeypatch.setattr(study, "PULLS", 2000)
    tiny = at(replications=2, n_jobs=1, digit_epsilons=[1.0], **changes)
    for label, make in exhibits.makers(tiny).items():
        made = make()
        said = made if isinstance(made, str) else made.caption + getattr(made, "alt", "")
        assert said and not re.search(r"\bnan\b|[{}]", said.replace("{,}", "")), label
    ledger = tiny.ledger
    assert {f"Theorem {n}" for n in (1, 2, 3, 5, 6, 7, 8, 9, 10)} <= set(ledger["locus"])
    assert set(ledger.set_index("claim")["verdict"][["limit-without-noise", "ldp-escapes"]]) == {"undecided"}


# --- digits


def test_the_digits_are_unit_vectors_in_blocks():
    problem, data = digits.problem(), digits.load()
    assert (len(data.public), len(data.images)) == (500, 1297)
    assert problem.sets.shape == (1297, 10, 40) and problem.binary
    np.testing.assert_allclose(np.linalg.norm(problem.sets, axis=2), 1.0)
    blocks = problem.sets.reshape(1297, 10, 10, 4)
    for action in range(10):
        np.testing.assert_array_equal(blocks[:, action, action], blocks[:, 0, 0])
    assert np.count_nonzero(blocks.any(axis=3)) == 1297 * 10
    np.testing.assert_array_equal(np.argmax(problem.means, axis=1), data.labels)
    np.testing.assert_array_equal(problem.means.sum(axis=1), 1.0)
    assert problem.uniform_regret() == pytest.approx(0.9)
    again = digits.problem()
    np.testing.assert_array_equal(problem.sets, again.sets)


def test_the_projection_sees_the_public_images_only(monkeypatch):
    data = digits.load()
    onto = digits.projection(data.public)
    np.testing.assert_allclose(onto.directions @ onto.directions.T, np.eye(4), atol=1e-12)
    many = digits.projection(data.public, 20).directions
    assert (np.max(many, axis=1) == np.max(np.abs(many), axis=1)).all()
    covariance = np.cov(data.public.T)
    values = np.sort(np.linalg.eigvalsh(covariance))[::-1][:4]
    np.testing.assert_allclose([row @ covariance @ row for row in onto.directions], values)
    before = digits.problem()
    changed = data._replace(images=np.concatenate([data.images[:1], data.images[:0:-1]]), labels=data.labels * 0)
    monkeypatch.setattr(digits, "load", lambda: changed)
    after = digits.problem()
    np.testing.assert_array_equal(after.sets[0], before.sets[0])  # the same user, among others
    assert not np.array_equal(after.sets[1], before.sets[1])


def test_how_well_a_linear_rule_can_do():
    assert digits.best_linear() == pytest.approx(0.705, abs=0.002)


def test_digits_need_a_large_epsilon():
    one = at(horizon=3000, seed=3)
    right = study.accuracy(one.digits).set_index(["policy", "reading", "epsilon"])
    private = right.xs("derived, small bonus", level="reading")["right"]
    assert right.loc[("LinUCB", "small bonus", math.inf), "right"] > 0.6
    assert abs(private["LDP-LinUCB", 1.0] - 0.1) < 0.06
    assert private["LDP-LinUCB", 1.0] < private["LDP-LinUCB", 1000.0] < 0.5
    assert (right["later"] <= 1.0).all() and right.loc[("LinUCB", "small bonus", math.inf), "later"] > 0.65
    run = one.digits.find(KEYS["LDP-LinUCB"], "derived, small bonus", 1.0)
    expected = ldp_linucb(1.0, DELTA, 40, 3000, "derived", "analytic", 0.1, largest_reward=1.0)
    assert (run.policy.record, run.policy.privacy) == (expected.record, expected.privacy)
    half = at(horizon=20, replications=2, digit_epsilons=[1.0], bonus_factor=0.5).digits
    assert [run.policy.record.factor for run in half] == [1.0, 0.5, 0.5]
    plain = one.digits.final(KEYS["LinUCB"], "small bonus")
    assert right.loc[("LinUCB", "small bonus", math.inf), "right"] == pytest.approx(1 - plain / 3000)


# --- private actions


@pytest.mark.parametrize(("epsilon", "rounds"), [(0.2, 1), (1.0, 2), (3.0, 2)])
def test_no_private_policy_beats_the_bound_and_one_attains_it(epsilon, rounds):
    least = joint.least_regret(epsilon, rounds, 0.3)
    assert least == pytest.approx(joint.dp_regret(epsilon, rounds, 0.3), rel=1e-7)
    channel = joint.answers(joint.dp_regret(epsilon, 1, 1.0))
    np.testing.assert_allclose(channel.sum(axis=1), 1.0)
    assert joint.dp_regret(epsilon, 10, 0.3) == pytest.approx(10 * 0.3 * np.mean(1 - np.diag(channel)))
    assert channel_loss(channel) == pytest.approx(epsilon)


def test_the_programme_knows_nothing_of_the_formula(monkeypatch):
    monkeypatch.setattr(joint, "dp_regret", None)
    # one round, by hand: wrong with chance e, and 1 - e <= E e
    assert joint.least_regret(math.log(3.0), 1, 1.0) == pytest.approx(0.25)
    for epsilon in (20.0, 1000.0, math.inf):
        assert joint.least_regret(epsilon, 2, 1.0) == pytest.approx(0.0, abs=1e-6)


def test_later_actions_may_not_be_guessed_from_later_contexts():
    """Without the equations for it, an action could be drawn with its own context's successor in mind."""
    place = plans.nodes(2, late=0)
    rows, totals = plans.flow(place)
    peeking, honest = np.zeros(20), np.zeros(20)
    for first in (0, 1):
        honest[place[(first,), (first,)]] = 1.0
        peeking[[place[(action,), (first,)] for action in (0, 1)]] = 0.5
    for seen in product((0, 1), repeat=2):
        peeking[place[(seen[1], 0), seen]] = 1.0
        honest[place[(seen[0], seen[0]), seen]] = 1.0
    np.testing.assert_allclose(rows @ honest, totals)
    assert np.max(np.abs(rows @ peeking - totals)) == 0.5


def test_without_privacy_the_bound_is_zero_and_at_none_left_it_is_random_play():
    assert joint.dp_regret(math.inf, 10, 0.3) == 0.0
    assert joint.dp_regret(1e-9, 10, 0.3) == pytest.approx(10 * 0.3 / 2)


def test_the_learner_of_private_messages_by_enumeration():
    epsilon, rounds = 0.7, 7
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    wrong = np.zeros(rounds)
    for bits in product((0, 1), repeat=rounds - 1):  # 1: names the rule that holds
        for t in range(rounds):
            lead = 2 * sum(bits[:t]) - t
            weight = math.prod(truth if b else 1 - truth for b in bits)
            wrong[t] += weight * (0.5 if lead == 0 else float(lead < 0))
    np.testing.assert_allclose(joint.wrong_guesses(epsilon, rounds), wrong, rtol=1e-12)
    first, last = joint.compare([epsilon], [1, rounds], 0.4).to_dict("records")
    assert last["ldp_regret"] == pytest.approx(0.4 * wrong.sum())
    assert last["message_loss"] == pytest.approx(epsilon, rel=1e-12)
    assert joint.compare([1000.0], [3], 0.4)["message_loss"].tolist() == [1000.0]  # e^-1000 is 0 here
    assert last["action_loss"] == pytest.approx(math.log((1 - wrong[-1]) / wrong[-1]))
    assert last["joint_loss"] == math.inf and first["joint_loss"] == 0.0


def test_private_messages_learn_where_private_actions_cannot():
    frame = joint.compare([0.5, 1.0], [10, 100, 2000], 0.5).set_index(["epsilon", "t"])
    for epsilon in (0.5, 1.0):
        part = frame.loc[epsilon]
        np.testing.assert_allclose(part["dp_regret"], 0.5 * part.index / (1 + math.exp(epsilon)))
        assert part.loc[2000, "ldp_regret"] < 0.1 * part.loc[2000, "dp_regret"]
        assert part.loc[2000, "ldp_regret"] < 1.01 * part.loc[100, "ldp_regret"] + 2.0  # bounded
        assert part["action_loss"].is_monotonic_increasing and part.loc[2000, "action_loss"] > 20 * epsilon
        np.testing.assert_allclose(part["message_loss"], epsilon, rtol=1e-12)
        assert (part["uniform"] == 0.25 * part.index).all()
        assert part.loc[100, "ldp_regret"] == pytest.approx(0.5 * joint.wrong_guesses(epsilon, 100).sum())


# --- the longer studies


def test_the_longer_studies_are_replayed():
    """Every run without contexts to an early round, one replication of each row to its end; with contexts likewise."""
    frame = committed("contextual", "convex")
    played = frame[frame["row"] != sweeps.BEST_ARM]
    replayed(played, listed("convex"), rounds=sweeps.EARLY)
    for row in dict.fromkeys(run.labels["row"] for run in listed("convex")):
        private = [run for run in listed("convex") if run.labels["row"] == row and math.isfinite(run.labels["epsilon"])]
        replayed(played, [min(private, key=lambda run: run.horizon)], whole=True)
    search = frame[frame["row"] == sweeps.BEST_ARM]
    *_, last = (run for run in sweeps.long_runs("convex") if run.labels["row"] == sweeps.BEST_ARM)
    assert len(search) == len(sweeps.EPSILONS) * last.replications
    again = csv_text(sweeps.play_search(last._replace(replications=2))[["regret"]]).split()[1:]
    assert rows_of(search, last)["regret"].tolist()[:2] == again
    frame = committed("contextual", "linear")
    parts = [rows_of(frame, run) for run in listed("linear")]
    assert [len(part) for part in parts] == [run.replications for run in listed("linear")]
    assert sum(map(len, parts)) == len(frame)
    replayed(frame, [sweep.runs()[0] for _, sweep in sweeps.context_sweeps()[::3]], whole=True)


def test_the_files_hold_the_runs_in_their_order():
    for label in ("convex", "linear"):
        runs = listed(label)
        frame = committed("contextual", label)
        assert [*runs[0].labels, "replication", "t", "regret"] == [*frame.columns]
        keys = [name for name in runs[0].labels if name not in ("still", "gap", "uniform")]
        order = [*dict.fromkeys(frame[keys].itertuples(index=False, name=None))]
        wanted = [*dict.fromkeys(tuple(run.labels[name] for name in keys) for run in runs)]
        assert [key for key in order if key[0] != sweeps.BEST_ARM] == wanted
        assert all(run.replications >= 5 for run in runs)
        assert (folder("contextual") / f"long-{label}.csv").stat().st_size < 1_000_000


def test_the_longer_studies_are_those_that_can_be_played(monkeypatch):
    first = {label: listed(label)[:1] for label in ("convex", "linear")}
    assert set(long_studies()) == set(first)
    monkeypatch.setattr(sweeps, "long_runs", first.get)
    monkeypatch.setattr(sweeps, "play_long", lambda run: pd.DataFrame([run.labels]))
    for label, play in long_studies().items():
        assert play()["policy"].tolist() == [first[label][0].policy.name]


def test_every_noise_of_the_studies_keeps_its_promise():
    for run in listed("convex"):
        privacy = run.policy.privacy
        assert privacy.value_epsilon <= privacy.epsilon * (1 + 1e-9)
        if math.isfinite(privacy.epsilon) and privacy.delta:
            width = 1.0 if run.labels["reading"].startswith("printed, tight") else 2 * run.policy.record.limit
            classical = width * math.sqrt(2 * math.log(1250)) / privacy.epsilon
            assert run.policy.record.scale == pytest.approx(classical, rel=1e-12)
    smooth = [run for run in listed("convex") if run.labels["row"] == "convex, smooth"]
    assert max(run.policy.record.radius for run in smooth) < 0.48  # else the tuning would not move with T or epsilon


def test_a_row_of_table_1_is_swept_on_its_losses_with_its_own_learner():
    of_rows = [(run, ROWS[run.labels["row"]]) for run in listed("convex") if run.labels["row"] in ROWS]
    assert {told.key for _, told in of_rows} == {*ONE_POINT, *TWO_POINTS}
    for run, told in of_rows:
        step = run.labels["reading"] if run.labels["reading"] == "tuned" else told.learners[0]
        own = told.learners[-1] if told.quantity == LOG else step
        assert run.problem.kind == told.losses and run.policy.method == own


def test_both_worlds_are_played_with_one_noise():
    private = [
        run
        for run in listed("convex")
        if run.labels["row"].startswith("arms") and run.policy.name == "Tsallis-INF" and run.labels["epsilon"] == 4.0
        if (run.labels["reading"], run.labels["quantity"]) != ("printed", EPSILON)
    ]
    judged = [("adversarial", HORIZON), ("adversarial", EPSILON), ("stochastic", LOG), ("stochastic", EPSILON)]
    assert {(run.labels["row"][6:], run.labels["quantity"]) for run in private} == set(judged)
    assert {run.labels["reading"] for run in private} == {"printed, tight"}
    assert len({(run.policy.record.scale, run.policy.privacy) for run in private}) == 1
    adversarial = [run for run in listed("convex") if run.labels["row"] == "arms, adversarial"]
    frame = pd.DataFrame([run.labels for run in adversarial])
    for _, part in frame.groupby(["policy", "reading", "quantity", "epsilon", "horizon"]):
        assert np.sort(part["still"] / part["still"].min()) == pytest.approx([1, 2, 4, 8], rel=1e-5)
    for run in adversarial:
        gap = float(run.problem.anchors[0, 1] - run.problem.anchors[0, 0])
        assert gap < 1.0 and run.labels["still"] == pytest.approx(0.75 * gap * run.horizon, rel=1e-5)


def test_the_runs_with_contexts_are_those_that_their_labels_say():
    frame = pd.DataFrame([run.labels for run in listed("linear")])
    assert not frame.duplicated().any()
    searched = frame[frame["problem"] == "one set"]
    gaps = searched.groupby(["policy", "reading", "quantity", "dim", "epsilon", "horizon"])["gap"]
    assert (gaps.count() >= 4).all()
    steps = gaps.apply(lambda one: np.diff(np.log(np.sort(one))).round(6).tolist())
    assert {step for one in steps for step in one} == {round(math.log(2) / 2, 6)}
    for run in listed("linear"):
        told, policy = run.labels, run.policy
        assert told["uniform"] == pytest.approx(run.problem.uniform_regret() * run.horizon)
        assert (told["problem"] == "one set") == bool(len(run.problem.sets))
        assert told["epsilon"] == policy.privacy.epsilon and policy.record.horizon in (0, run.horizon)
        assert policy.record.factor == float((re.findall(r"beta times ([0-9.]+)", told["reading"]) or [1.0])[0])
        if math.isfinite(told["epsilon"]):
            classical = told["reading"].startswith("printed") or "classical" in told["reading"]
            assert policy.noise == ("classical" if classical else "analytic")
            assert policy.variant.startswith(told["reading"].split(",")[0])


# --- what is fitted


def swept(quantity, values, row="convex", bound=None):
    """A sweep that nothing plays, of the study without contexts."""
    labels = {"row": row, "policy": "a policy", "reading": "printed"}
    return row, Sweep(labels, quantity, values, lambda value: [], bound)


def told(sweep, regret, still=1e9, gaps=(1.0,), replications=5, spread=0.01):
    """Its rows: `regret(x, gap)` at each value, in time for ln T."""
    _, (labels, quantity, values, *_) = sweep
    times = values if quantity == LOG else [None]
    found = []
    for value in values[-1:] if quantity == LOG else values:
        horizon, epsilon = (10**7, value) if quantity == EPSILON else (value, 4.0)
        for gap in gaps:
            for replication in range(replications):
                factor = 1 + spread * (replication - (replications - 1) / 2)
                for t in times:
                    x = value if t is None else t
                    seen = {"epsilon": epsilon, "horizon": horizon, "still": still * gap, "replication": replication}
                    found.append({**labels, "quantity": quantity, **seen, "t": t or horizon})
                    found[-1]["regret"] = regret(x, gap) * factor
    early = [one | {"t": 2000, "regret": 1e12} for one in found[: replications * (quantity != LOG)]]
    return pd.DataFrame(early + found)


def fitted(sweep, frame, most=math.inf):
    row, one = sweep
    if one.quantity == LOG:  # one run, whose curve is followed
        one = one._replace(values=one.values[-1:])
    (found,) = rates.fits([(row, one)], frame, most)
    return found


T_VALUES = [10**4, 10**5, 10**6, 10**7]
LATE = [round(10 ** (6 + k / 4)) for k in range(5)]


@pytest.mark.parametrize(
    ("quantity", "values", "regret", "power", "points"),
    [
        (HORIZON, T_VALUES, lambda t, _: 3 * t**0.75, 0.75, 4),
        (EPSILON, [0.5, 1.0, 2.0, 4.0, 8.0], lambda e, _: 100 * e**-1.5, 1.5, 5),
        (LOG, LATE, lambda t, _: 5e4 + 300 * math.log(t) ** 2, 2.0, 4),
        (LOG, LATE, lambda t, _: 5e4 + 300 * math.log(t), 1.0, 4),
    ],
)
def test_a_known_exponent_is_found(quantity, values, regret, power, points):
    sweep = swept(quantity, values, bound=lambda value: regret(value, 1.0))
    frame = told(sweep, regret)
    found = fitted(sweep, frame)
    assert (found.labels["row"], found.quantity, found.points, found.replications) == ("convex", quantity, points, 5)
    assert found.fit.measured == pytest.approx(power, abs=0.02) and found.fit.low <= power + 0.02
    bound = found.of_bound
    assert bound.measured == pytest.approx(found.fit.measured, abs=1e-9) and bound.low == bound.high
    assert fitted(swept(quantity, values), frame).of_bound is None


def test_what_has_not_learnt_is_not_fitted():
    sweep = swept(HORIZON, [*T_VALUES, 10**8])
    frame = told(sweep, lambda t, _: t**0.5)
    for still, points in ((199.0, 4), (201.0, 5)):  # the first mean is 100
        found = fitted(sweep, frame.assign(still=np.where(frame["horizon"] == 10**4, still, 1e9)))
        assert found.points == points and found.fit.measured == pytest.approx(0.5)
    found = fitted(sweep, frame.assign(still=np.where(frame["horizon"] <= 10**5, 1.0, 1e9)))
    assert (found.fit, found.points) == (None, 3)
    found = fitted(sweep, told(sweep, lambda t, _: t**0.5 - 2000))
    assert (found.fit, found.points) == (None, 2)
    late = swept(LOG, LATE)
    for regret, still, points in (
        (lambda t, _: 5e4 + math.log(t), 9e4, 0),
        (lambda t, _: 5e4 + math.log(t), 1.001e5 * 10**0.75, 3),  # from the second on
        (lambda t, _: 5e4 - math.log(t), 1e9, 0),
    ):
        found = fitted(late, told(late, regret, still=still))
        assert (found.fit, found.points) == (None, points)
    found = fitted(swept(LOG, LATE[:4]), told(swept(LOG, LATE[:4]), lambda t, _: math.log(t)))
    assert (found.fit, found.points) == (None, 3)


def hard(regrets, moved=()):
    """Regrets of the gaps 1, 2, 4 and 8 at T = 10^4, all times sqrt T; uniform play loses 1000 times the gap."""
    sweep = swept(HORIZON, T_VALUES, "arms, adversarial")
    by_gap = dict(zip((1.0, 2.0, 4.0, 8.0), regrets, strict=True))
    frame = told(sweep, lambda t, gap: by_gap[gap] * math.sqrt(t / 1e4) * dict(moved).get((t, gap), 1.0), 1.0, by_gap)
    return sweep, frame.assign(still=frame["still"] * 1000 * np.sqrt(frame["horizon"] / 1e4))


def test_the_fit_goes_through_the_worst_gap_inside_the_range():
    sweep, frame = hard([900.0, 1500.0, 1200.0, 700.0])
    assert [point.labels["still"] / math.sqrt(point.value) for point in rates.points(sweep[1], frame)] == [20.0] * 4
    found = fitted(sweep, frame)
    assert found.points == 4 and found.fit.measured == pytest.approx(0.5)  # 0.75 of uniform play, and still it counts
    found = fitted(*hard([900.0, 1500.0, 1200.0, 700.0], {(10**7, 4.0): 1.5}))  # 1800: the worst gap moves
    assert found.fit.measured == pytest.approx(0.5 + 0.3 * math.log(1.2) / math.log(10))
    for regrets, points in (
        ([900.0, 1500.0, 3000.0, 6000.0], 0),  # as uniform play does
        ([900.0, 1500.0, 3000.0, 3900.0], 0),  # the largest gap has been learnt, and is the worst
        ([900.0, 800.0, 700.0, 600.0], 0),  # the smallest gap is the worst
        ([900.0, 4500.0, 4400.0, 4010.0], 0),  # the largest has not been learnt
        ([900.0, 4500.0, 4400.0, 3990.0], 4),
    ):
        found = fitted(*hard(regrets))
        assert found.points == points and (found.fit is None) == (points == 0)


def test_a_gap_is_chosen_on_one_half_of_the_runs_and_fitted_on_the_other():
    sweep, frame = hard([900.0, 1500.0, 1490.0, 700.0])
    lucky = (frame["replication"] % 2 == 1) & (
        frame["still"] == frame["still"].groupby(frame["horizon"]).transform("min") * 4
    )
    point = rates.points(sweep[1], frame.assign(regret=frame["regret"] * np.where(lucky, 2.0, 1.0)))[0]
    assert point.labels["still"] == 2000.0 and point.regrets.mean() == pytest.approx(1500.0, rel=0.001)
    assert len(point.regrets) == 2  # of five, three chose
    unlucky = frame.assign(regret=frame["regret"] * np.where(frame["replication"] % 2 == 0, 1.0, 0.5))
    assert rates.points(sweep[1], unlucky)[0].regrets.mean() == pytest.approx(750.0, rel=0.001)
    assert len(rates.points(*only())[0].regrets) == 5  # nothing to choose


def only():
    sweep = swept(HORIZON, T_VALUES)
    return sweep[1], told(sweep, lambda t, _: t**0.5)


def test_epsilons_above_the_claimed_ones_do_not_count():
    values = [0.25, 0.35, 0.5, 0.71, 2.0, 4.0]
    sweep = swept(EPSILON, values)
    frame = told(sweep, lambda e, _: 100 * e ** (-2.0 if e > 1 else -1.0))
    found = fitted(sweep, frame, 1.0)
    assert found.values == values[:4] and found.fit.measured == pytest.approx(1.0)
    assert fitted(sweep, frame).points == 6 and fitted(sweep, frame, 0.5).fit is None
    horizons = swept(HORIZON, T_VALUES)
    assert fitted(horizons, told(horizons, lambda t, _: t**0.5), 1.0).points == 4  # at epsilon = 4


def test_two_powers_are_compared_on_the_seeds_and_horizons_that_they_share():
    pair = [swept(HORIZON, values, row)[1] for values, row in ((T_VALUES, "a"), ([*T_VALUES, 10**8], "b"))]
    frame = pd.concat([told(("", pair[0]), lambda t, _: t**0.5), told(("", pair[1]), lambda t, _: t**0.75, spread=0.1)])
    frame["regret"] *= np.random.default_rng(0).permutation(5)[frame["replication"]] / 10 + 1  # the same for both
    seen = rates.difference(*pair, frame)
    assert seen.measured == pytest.approx(-0.25) and seen.high < -0.24
    short = frame[(frame["row"] == "b") | (frame["horizon"] < 10**7)]
    assert rates.difference(pair[0]._replace(values=T_VALUES[:3]), pair[1], short) is None


def test_a_run_that_a_study_lacks_is_an_error(setting):
    sweep = swept(HORIZON, T_VALUES)
    frame = told(sweep, lambda t, _: t**0.5)
    with pytest.raises(LookupError, match=r"lacks the runs of .* at \[100000\]"):
        fitted(sweep, frame[frame["horizon"] != 10**5])
    # every fit that a rule asks of the committed studies finds its rows
    asked = [told for claim in claims_of("contextual") for told in claim.facts.get("rates", [claim.facts])]
    asked = [told for told in asked if "claimed" in told]
    assert len(asked) > 30
    for told_ in asked:
        assert rules.rate(setting, told_).verdict in VERDICTS
    with pytest.raises(LookupError, match="0 sweeps over T of 'convex', tuned"):
        sweeps.sweep("convex", HORIZON, "tuned")


def test_measured_regret_stands_beside_its_bound():
    run = LongRun({"epsilon": 4.0, "horizon": 10**4}, instances.convex("distance"), None, 10**4, 0, 5)
    sweep = swept(HORIZON, [10**4])[1]._replace(run=lambda value: [run], bound=lambda value: 7.0 * value)
    (row,) = rates.finals([("convex", sweep)], told(("convex", sweep), lambda t, _: t**0.5)).to_dict("records")
    assert (row["row"], row["reading"], row["epsilon"], row["horizon"]) == ("convex", "printed", 4.0, 10**4)
    assert row["bound"] == 7e4 and row["uniform"] == run.problem.uniform_regret() * 1e4
    assert row["measured"] == pytest.approx(100.0) and row["low"] < row["measured"] < row["high"]
    assert rates.finals([("arms, adversarial", sweep), ("best arm", sweep._replace(bound=None))], None).empty


# --- what the committed studies say


def test_the_bounds_of_the_longer_study_hold_and_are_fitted_at_its_points(setting):
    finals = setting.finals
    assert (finals["measured"] < finals["bound"]).all()
    assert set(finals["row"]) == {*ONE_POINT, *TWO_POINTS, sweeps.LINE}
    problem = instances.convex("distance")
    one = finals[(finals["row"] == "convex") & (finals["reading"] == "printed") & (finals["epsilon"] == 4.0)].iloc[0]
    assert one["bound"] == bounds.corollary_4(problem, int(one["horizon"]), 4.0, DELTA)

    def slope(x, levels):
        return pytest.approx(np.polyfit(np.log(x), np.log(levels), 1)[0])

    def of_bound(row, quantity, variant):
        return setting.fit(row, quantity, variant).of_bound.measured

    for fit in setting.fits:
        row, variant = fit.labels["row"], fit.labels["reading"]
        unknown = fit.fit is None or row in ("arms, stochastic", "best arm") or variant == "no privacy, Newton steps"
        assert (fit.of_bound is None) == unknown, (row, variant)
    # two points, printed: the three smallest epsilons are not in the fit, so not in that of the bound
    epsilons = np.array([0.71, 1.0, 1.41, 2.0])
    levels = [bounds.theorem_6(problem, 2_000_000, e, DELTA) for e in epsilons]
    assert of_bound(TWO_POINTS[0], EPSILON, "printed") == slope(1 / epsilons, levels)
    horizons = sorted(
        {r.horizon for r in listed("convex") if r.labels["row"] == "convex" and r.labels["quantity"] == HORIZON}
    )
    levels = [bounds.corollary_4(problem, t, 4.0, DELTA) for t in horizons]
    assert len(horizons) == 6 and of_bound("convex", HORIZON, "printed") == slope(horizons, levels)
    # logarithms of the clipping are in the bound of arms, whose unit is the range of told losses
    arms = [
        r for r in listed("convex") if (r.labels["row"], r.labels["reading"]) == ("arms, adversarial", "printed, tight")
    ]
    units = {r.horizon: r.policy.record.unit for r in arms if r.labels["quantity"] == HORIZON}
    levels = [tuning("tsallis", arms[0].problem, t, unit).regret for t, unit in units.items()]
    found = of_bound("arms, adversarial", HORIZON, "printed, tight")
    assert found == pytest.approx(np.polyfit(np.log([*units]), np.log(levels), 1)[0], abs=1e-4)
    # linear in ln t, whatever its constant
    assert of_bound(TWO_POINTS[1], LOG, "printed") == pytest.approx(1.0, abs=0.02)
    # with contexts the whole bonus grows as its bound, and so does the smallest
    levels = [bounds.theorem_8(2, t, 64.0, DELTA, "derived", "analytic") for t in (100_000, 300_000, 10**6, 3 * 10**6)]
    assert of_bound(LINEAR, HORIZON, "derived") == slope([100_000, 300_000, 10**6, 3 * 10**6], levels)
    for row, variant in ((LINEAR, "derived"), (LINEAR, "printed, beta times 0.05"), (LOGISTIC, "repaired")):
        found = setting.exponent(row, HORIZON, variant).measured
        assert found == pytest.approx(of_bound(row, HORIZON, variant), abs=0.06)
    vectors = [one for one in setting.context_fits if one.labels["problem"] == "unit vectors"]
    assert vectors and all(one.of_bound is None for one in vectors)


def test_the_fits_that_are_judged_are_unique_and_every_row_has_its_own(setting):
    keys = [(one.labels["row"], one.quantity, one.labels["reading"]) for one in setting.fits]
    assert len(set(keys)) == len(keys)
    for row, part in product(ROWS, ("horizon", "epsilon", "non-private")):
        assert setting.part(row, part) is not None, (row, part)


@pytest.mark.parametrize(
    ("row", "variant", "quantity", "value", "within"),
    [
        ("convex", "no privacy", HORIZON, 0.75, 0.04),
        ("convex", "printed", HORIZON, 0.75, 0.05),
        ("convex", "printed", EPSILON, 0.5, 0.1),
        ("convex, smooth", "no privacy", HORIZON, 2 / 3, 0.03),
        ("convex, smooth", "laplace", HORIZON, 2 / 3, 0.05),
        ("convex, smooth", "laplace", EPSILON, 0.53, 0.06),
        ("strongly convex", "no privacy", HORIZON, 2 / 3, 0.04),
        ("strongly convex", "printed", HORIZON, 2 / 3, 0.07),
        ("strongly convex", "printed", EPSILON, 0.62, 0.08),
        ("strongly convex, smooth", "no privacy", HORIZON, 0.54, 0.04),
        ("strongly convex, smooth", "printed", HORIZON, 0.6, 0.05),
        ("strongly convex, smooth", "laplace", HORIZON, 0.61, 0.05),
        ("strongly convex, smooth", "printed", EPSILON, 0.75, 0.06),
        ("two points, convex", "no privacy", HORIZON, 0.5, 0.04),
        ("two points, convex", "printed", HORIZON, 0.5, 0.04),
        ("two points, convex", "tuned", HORIZON, 0.5, 0.04),
        ("two points, convex", "printed", EPSILON, 1.95, 0.06),
        ("two points, convex", "tuned", EPSILON, 1.0, 0.05),
        ("two points, strongly convex", "no privacy", LOG, 1.0, 0.3),
        ("two points, strongly convex", "printed", LOG, 1.0, 0.3),
        ("two points, strongly convex", "printed", EPSILON, 1.8, 0.1),
        ("stochastic convex", "no privacy", HORIZON, 0.55, 0.03),
        ("stochastic convex", "laplace", HORIZON, 0.55, 0.04),
        ("stochastic convex", "laplace", EPSILON, 0.9, 0.06),
        ("arms, adversarial", "no privacy", HORIZON, 0.46, 0.06),
        ("arms, adversarial", "printed, tight", HORIZON, 0.5, 0.05),
        ("arms, adversarial", "printed, tight, EXP3", HORIZON, 0.5, 0.05),
        ("arms, adversarial", "printed, tight", EPSILON, 0.96, 0.06),
        ("arms, stochastic", "no privacy", LOG, 1.0, 0.2),
        ("arms, stochastic", "printed", EPSILON, 1.4, 0.15),
        ("arms, stochastic", "printed, tight", EPSILON, 1.4, 0.15),
        ("best arm", "printed", EPSILON, 2.0, 0.06),
        (LINEAR, "derived", HORIZON, 0.73, 0.07),
        (LINEAR, "no privacy", HORIZON, 0.53, 0.1),
        (LINEAR, "derived, classical noise", EPSILON, 0.5, 0.1),
    ],
)
def test_measured_exponents(row, variant, quantity, value, within, setting):
    assert setting.exponent(row, quantity, variant).measured == pytest.approx(value, abs=within)


def test_the_intervals_decide_between_the_printed_step_and_the_tuned_one(setting):
    printed, tuned = (setting.exponent(TWO_POINTS[0], EPSILON, variant) for variant in ("printed", "tuned"))
    assert tuned.high < 1.1 < 1.8 < printed.low


def test_random_actions_cost_the_variance_of_the_noise_times_a_logarithm(setting):
    """Why the power of 1/epsilon exceeds 1 on unit vectors: regret is a sigma^2 ln(T / (c sigma^2))."""
    (sweep,) = [
        sweep
        for _, sweep in sweeps.context_sweeps()
        if (sweep.labels["problem"], sweep.quantity) == ("unit vectors", EPSILON)
    ]
    points = rates.points(sweep, setting.long_study("linear"))
    variance = 36 * 2 * math.log(2.5 / DELTA) / np.array([point.value for point in points]) ** 2
    units = np.array([point.regrets.mean() for point in points]) / variance
    slope, level = np.polyfit(-np.log(variance), units, 1)
    left = units - level + slope * np.log(variance)
    assert np.max(np.abs(left)) < 0.02 * np.max(units)
    assert slope == pytest.approx(15.3, abs=1.0)
    assert math.log(500_000) - level / slope == pytest.approx(math.log(90), abs=0.7)


def test_the_figures_of_the_studies_draw_the_points_of_their_fits(setting):
    makers = exhibits.makers(setting)
    drawn = makers["figure-two-points-long"]().data
    swept = sweeps.sweep(TWO_POINTS[0], EPSILON, "printed").values
    assert len(drawn) == 2 * len(swept) and (drawn["t"] == 2_000_000).all()
    for variant, part in drawn.groupby("reading"):
        kept = part[part["regret"] < 0.5 * part["still"]]
        slope = np.polyfit(np.log(1 / kept["epsilon"]), np.log(kept["regret"]), 1)[0]
        assert slope == pytest.approx(setting.exponent(TWO_POINTS[0], EPSILON, variant).measured)
    rows = setting.long_study("convex")
    rows = rows[(rows["row"] == TWO_POINTS[0]) & (rows["reading"] == "tuned") & (rows["epsilon"] == 1.41)]
    rows = rows[rows["t"] == 2_000_000]["regret"]
    one = drawn[(drawn["reading"] == "tuned") & (drawn["epsilon"] == 1.41)].iloc[0]
    assert one["regret"] == pytest.approx(rows.mean())
    assert one["regret_se"] == pytest.approx(rows.std() / math.sqrt(10)) and one["replications"] == 10
    gaps = makers["figure-rate-linear"]()
    ours = gaps.data[(gaps.data["reading"] == "derived") & (gaps.data["epsilon"] == 64)]
    slope = np.polyfit(np.log(ours["t"]), np.log(ours["regret"]), 1)[0]
    found = setting.exponent(LINEAR, HORIZON, "derived")
    assert slope == pytest.approx(found.measured)
    assert f"derived {found.measured:.2f} [{found.low:.2f}, {found.high:.2f}]" in gaps.alt
    assert "claimed 0.75 with privacy, 0.5 without." in gaps.caption
    rate = makers["figure-rate-strongly-convex"]()
    found = setting.exponent("strongly convex", HORIZON, "printed")
    assert f"printed {found.measured:.2f} [{found.low:.2f}" in rate.alt and "claimed 0.667." in rate.caption
    assert "private at ε = 4. " in rate.caption


def test_the_page_says_what_the_study_fits_and_what_the_digits_are(setting):
    cells = json.loads((folder("contextual").parents[1] / "contextual.ipynb").read_text(encoding="utf-8"))["cells"]
    page = " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert f"fitted at $\\epsilon={sweeps.LEARNT_EPSILON:g}$" in page
    tenth = [
        one.labels
        for one in setting.context_fits
        if one.fit is not None and re.match(r"(derived|repaired), beta times 0\.1", one.labels["reading"])
    ]
    for row, dims in ((LINEAR, {2, 3, 4, 5}), (LOGISTIC, {4})):
        assert {labels["dim"] for labels in tenth if labels["row"] == row} == dims
    assert "a tenth of the bonus the linear row has fits for every $d$ from 2 to 5" in page
    assert f"The first {digits.PUBLIC} images" in page and f"$d={digits.DIGITS * digits.COMPONENTS}$" in page


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dims", [2, 2], "dims must not repeat"),
        ("dims", [1], "dims must be >= 2"),
        ("dims", [2, 3, 4, 5, 6], "dims must have at most 4"),
        ("epsilons", [1.0] * 5, "epsilons must have at most 4"),
        ("bonus_factor", 2.0, "bonus_factor must be > 0 and <= 1"),
        ("horizon", 10**8, "horizon must be <= 1e+07"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(name, value, message):
    values = {"horizon": 100, "epsilons": [1.0], "digit_epsilons": [1.0], "dims": [2], "bonus_factor": 0.1}
    check_parameters(**values)
    with pytest.raises(ValueError, match=re.escape(message)):
        check_parameters(**(values | {name: value}))

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
    weighted_regression,
)
from private_bandits.privacy import channel_loss
from private_bandits.problems import ConvexLoss
from private_bandits.simulate import log_checkpoints, simulate
from private_bandits_book import plans
from private_bandits_book.contextual import (
    check_parameters,
    digits,
    facts,
    joint,
    long_studies,
    rates,
    rules,
    study,
    sweeps,
)
from private_bandits_book.contextual.exhibits import exhibits
from private_bandits_book.contextual.study import Study
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, ROWS, STRONG, TWO_POINTS
from private_bandits_book.ledger import claims_of
from private_bandits_book.studies import LongRun
from private_bandits_book.sweep import EPSILON, HORIZON, LOG, Sweep
from private_bandits_book.verdicts import VERDICTS

DELTA = 1e-3
PARAMETERS = {
    "horizon": 20_000, "replications": 4, "seed": 7, "n_jobs": 1, "epsilons": [2.0, 8.0], "delta": DELTA, "dims": [2],
    "digit_epsilons": [1.0, 1000.0], "bonus_factor": 0.1,
}  # fmt: skip


@cache
def listed(label):
    """The runs of a longer study."""
    return sweeps.long_runs(label)


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
    corner = [[0.7, 0.1], [0.5, 0.4], [0.3, 0.1]]
    simplex = ConvexLoss.simplex(corner, schedule=instances.convex("quadratic").schedule)
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


def test_arms_are_learnt_in_every_environment(setting):
    runs = setting.arms
    for environment in ("switching", "stochastic"):
        for name in ("Tsallis-INF", "EXP3"):
            variants = (("", math.inf), ("tight", 8.0), ("printed", 8.0))
            free, tight, printed = (runs.final(KEYS[name], r, e, environment=environment) for r, e in variants)
            assert free < 150 < 800 < tight < 0.6 * printed < 0.6 * 7500
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


def test_the_constants_are_those_that_their_readings_name():
    def found(row, factor):
        made = study._made(row, factor)
        return {name: sweeps.ALGORITHMS[row](2.0, DELTA, 3, 500, **how).record for name, how in made.items()}

    assert found(LINEAR, 0.1) == {
        "printed": ldp_linucb(2.0, DELTA, 3, 500).record,
        "printed, small bonus": ldp_linucb(2.0, DELTA, 3, 500, bonus_factor=0.1).record,
        "derived, classical noise": ldp_linucb(2.0, DELTA, 3, 500, "derived").record,
        "derived": ldp_linucb(2.0, DELTA, 3, 500, "derived", "analytic").record,
        "derived, small bonus": ldp_linucb(2.0, DELTA, 3, 500, "derived", "analytic", 0.1).record,
    }
    binary = {"responses": "binary"}
    assert found(LOGISTIC, 0.3) == {
        "printed": ldp_glm(2.0, DELTA, 3, 500, **binary).record,
        "printed, small bonus": ldp_glm(2.0, DELTA, 3, 500, bonus_factor=0.3, **binary).record,
        "repaired, classical noise": ldp_glm(2.0, DELTA, 3, 500, "repaired", **binary).record,
        "repaired": ldp_glm(2.0, DELTA, 3, 500, "repaired", "analytic", **binary).record,
        "repaired, small bonus": ldp_glm(2.0, DELTA, 3, 500, "repaired", "analytic", 0.3, **binary).record,
    }


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
        assert said and not re.search(r"\bnan\b|[{}]", re.sub(r"\$[^$]*\$", "", said)), label
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


@pytest.mark.check
def test_the_longer_studies_are_replayed():
    """Every run without contexts to an early round, one replication of each row to its end; with contexts likewise."""
    frame = committed("contextual", "convex")
    compiled = [run for run in listed("convex") if run.labels["row"] != sweeps.KERNEL]
    replayed(frame[frame["row"] != sweeps.KERNEL], compiled, rounds=sweeps.EARLY)
    for row in dict.fromkeys(run.labels["row"] for run in compiled):
        private = [run for run in compiled if run.labels["row"] == row and math.isfinite(run.labels["epsilon"])]
        replayed(frame, [min(private, key=lambda run: run.horizon)], whole=True)
    replayed(frame, [run for run in listed("convex") if run.labels["row"] == sweeps.KERNEL][:1], whole=True)
    for label, swept_ in (("linear", sweeps.context_sweeps), ("stretches", sweeps.stretch_sweeps)):
        frame = committed("contextual", label)
        parts = [rows_of(frame, run) for run in listed(label)]
        assert [len(part) for part in parts] == [run.replications for run in listed(label)]
        assert sum(map(len, parts)) == len(frame)
        replayed(frame, [sweep.runs()[0] for _, sweep in swept_()], whole=True)


def test_the_files_hold_the_runs_in_their_order():
    for label in sweeps.STUDIES:
        runs = listed(label)
        frame = committed("contextual", label)
        assert [*runs[0].labels, "replication", "t", "regret"] == [*frame.columns]
        keys = [name for name in runs[0].labels if name not in ("still", "gap", "uniform")]
        order = [*dict.fromkeys(frame[keys].itertuples(index=False, name=None))]
        assert order == [*dict.fromkeys(tuple(run.labels[name] for name in keys) for run in runs)]
        assert all(run.replications >= 5 for run in runs)
        assert (folder("contextual") / f"long-{label}.csv").stat().st_size < 2_000_000


def test_the_longer_studies_are_those_that_can_be_played(monkeypatch):
    first = {label: listed(label)[:1] for label in sweeps.STUDIES}
    assert set(long_studies()) == set(first)
    monkeypatch.setattr(sweeps, "long_runs", first.get)
    monkeypatch.setattr(LongRun, "replications", 2, raising=False)
    for label, play in long_studies().items():
        assert play()["policy"].tolist()[0] == first[label][0].policy.name


def test_every_noise_of_the_studies_keeps_its_promise():
    for run in [run for label in sweeps.STUDIES for run in listed(label)]:
        privacy, row = run.policy.privacy, run.labels.get("row")
        assert privacy.value_epsilon <= privacy.epsilon * (1 + 1e-9)
        if row not in (None, sweeps.KERNEL) and math.isfinite(privacy.epsilon) and privacy.delta:
            width = 1.0 if run.labels["reading"].startswith("printed, tight") else 2 * run.policy.record.limit
            method = "analytic" if run.labels["reading"].startswith("analytic") else "classical"
            scale = gaussian_sigma(privacy.epsilon, DELTA, width, method=method)
            assert run.policy.record.scale == pytest.approx(scale, rel=1e-12)
    smooth = [run for run in listed("convex") if run.policy.method == "saha_tewari"]
    assert max(run.policy.record.radius for run in smooth) < 0.48  # else the tuning would not move with T or epsilon


def test_a_row_of_table_1_is_swept_on_its_losses_with_its_own_learner():
    of_rows = [(run, ROWS[run.labels["row"]]) for run in listed("convex") if run.labels["row"] in ROWS]
    assert {told.key for _, told in of_rows} == {*ONE_POINT, *TWO_POINTS}
    for run, told in of_rows:
        step = run.labels["reading"] if run.labels["reading"] == "tuned" else told.learners[0]
        own = told.learners[-1] if told.quantity == LOG else step
        plain = "sphere_strong" if told.key == STRONG else "sphere"
        own = plain if run.labels["reading"].endswith("gradient descent") else own
        assert run.problem.kind == told.losses and run.policy.method == own
    pairs = [claim.facts for claim in claims_of("contextual") if "pairs" in claim.facts]
    for facts_ in pairs:
        for names in facts_["pairs"]:
            one, other = (sweeps.sweep(facts_["row"], HORIZON, name).runs() for name in names)
            assert {run.seed for run in one} == {run.seed for run in other}
            if facts_["row"] != LINEAR:  # the same losses, horizons and noise
                assert [(run.problem, run.horizon) for run in one] == [(run.problem, run.horizon) for run in other]
                assert {run.policy.noise for run in one} == {run.policy.noise for run in other}


def test_both_worlds_are_played_with_one_noise():
    private = [
        run
        for run in listed("convex")
        if run.labels["row"].startswith("arms") and run.policy.name == "Tsallis-INF" and run.labels["epsilon"] == 4.0
    ]
    judged = [("adversarial", HORIZON), ("stochastic", LOG)]
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
    for label in ("linear", "stretches"):
        frame = pd.DataFrame([run.labels for run in listed(label)])
        assert not frame.duplicated().any()
        gaps = frame.groupby(["policy", "reading", "quantity", "dim", "epsilon", "horizon"])["gap"]
        assert (gaps.count() >= 4).all() and frame["gap"].max() == 1.0
        for gap in gaps.apply(lambda one: np.sort(one)):  # steps of sqrt 2, the last may be cut at 1
            assert np.diff(np.log(gap))[:-1] == pytest.approx(math.log(2) / 2)
        for run in listed(label):
            told, policy = run.labels, run.policy
            assert told["uniform"] == pytest.approx(run.problem.uniform_regret() * run.horizon, rel=1e-5)
            assert len(run.problem.sets) == (10 if "skewed" in told["reading"] else 1)
            assert run.problem.dim == told["dim"]
            assert told["epsilon"] == policy.privacy.epsilon and run.replications == 20
    kinds = {"printed": "classical", "laplace": "laplace"}
    for run in listed("stretches"):
        reading, record = run.labels["reading"], run.policy.record
        assert run.policy.noise == kinds.get(reading, "analytic")
        if reading in ("printed", "derived", "laplace"):
            assert record.growth == 0.01 and record.laplace == (reading == "laplace") and not record.levels
            delta, given = (None, "laplace") if reading == "laplace" else (DELTA, kinds.get(reading, "analytic"))
            variant = "printed" if reading == "printed" else "derived"
            made = ldp_linucb(run.labels["epsilon"], delta, run.labels["dim"], run.horizon, variant, given).record
            assert record.constants == getattr(made, "constants", made)


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


def fitted(sweep, frame):
    row, one = sweep
    if one.quantity == LOG:  # one run, whose curve is followed
        one = one._replace(values=one.values[-1:])
    (found,) = rates.fits([(row, one)], frame)
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
    sweep = swept(quantity, values)
    frame = told(sweep, regret)
    found = fitted(sweep, frame)
    assert (found.labels["row"], found.quantity, found.points, found.replications) == ("convex", quantity, points, 5)
    assert found.fit.measured == pytest.approx(power, abs=0.02) and found.fit.low <= power + 0.02


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


# --- what the committed studies say


def test_intervals_hold_the_choice_of_the_gap():
    """Two gaps that are worst by turns: the exponent moves with the choice, and the interval knows."""
    sweep, frame = hard([900.0, 1500.0, 1500.0, 700.0])
    rng = np.random.default_rng(0)
    noisy = frame.assign(regret=frame["regret"] * np.exp(0.3 * rng.standard_normal(len(frame))))
    found = fitted(sweep, noisy)
    x, counted = np.array(found.values), [point for point in rates.points(sweep[1], noisy) if point.counts]
    again = rates._again(lambda means: rates._slopes(x, means), counted)
    assert found.fit.low <= again.low < again.high <= found.fit.high
    calm = fitted(sweep, frame)
    assert calm.fit.high - calm.fit.low < 0.1 * (found.fit.high - found.fit.low)


def test_the_largest_gap_there_is_may_be_the_worst():
    sweep, frame = hard([500.0, 900.0, 1500.0, 3900.0])
    assert fitted(sweep, frame).fit is None  # larger gaps might be worse
    assert fitted(sweep, frame.assign(gap=np.where(frame["regret"] > 3800, 1.0, 0.5))).points == 4


def test_where_curves_cross():
    pair = [swept(HORIZON, T_VALUES, row)[1] for row in "ab"]
    for factor, expected in ((0.3, (10 / 0.3) ** 4), (10.0, 1e4), (1e-3, math.inf)):
        regrets = (lambda t, _: 10 * t**0.5), (lambda t, _, factor=factor: factor * t**0.75)
        frame = pd.concat([told(("", sweep), each) for sweep, each in zip(pair, regrets, strict=True)])
        assert rates.crossing(*pair, frame).measured == pytest.approx(expected)


def test_the_fits_that_are_judged_are_unique_and_every_row_has_its_own(setting):
    keys = [(one.labels["row"], one.quantity, one.labels["reading"], one.labels.get("dim")) for one in setting.fits]
    assert len(set(keys)) == len(keys)
    unrun = {("convex, smooth", "epsilon"), (LOGISTIC, "epsilon")}
    for row, part in product(ROWS, ("horizon", "epsilon", "non-private")):
        assert (setting.part(row, part) is None) == ((row, part) in unrun), (row, part)


@pytest.mark.parametrize(
    ("row", "variant", "quantity", "value", "within"),
    [
        ("convex", "no privacy", HORIZON, 0.75, 0.04),
        ("convex", "printed", HORIZON, 0.75, 0.05),
        ("convex", "printed", EPSILON, 0.45, 0.1),
        ("convex, smooth", "no privacy", HORIZON, 2 / 3, 0.03),
        ("convex, smooth", "no privacy, gradient descent", HORIZON, 0.74, 0.03),
        ("convex, smooth", "analytic", HORIZON, 2 / 3, 0.05),
        ("convex, smooth", "laplace", HORIZON, 2 / 3, 0.05),
        ("strongly convex", "no privacy", HORIZON, 2 / 3, 0.04),
        ("strongly convex", "printed", HORIZON, 2 / 3, 0.07),
        ("strongly convex", "printed", EPSILON, 0.56, 0.08),
        ("strongly convex, smooth", "no privacy", HORIZON, 0.54, 0.04),
        ("strongly convex, smooth", "printed", HORIZON, 0.6, 0.05),
        ("strongly convex, smooth", "laplace", HORIZON, 0.61, 0.05),
        ("strongly convex, smooth", "printed", EPSILON, 0.73, 0.06),
        ("two points, convex", "no privacy", HORIZON, 0.5, 0.04),
        ("two points, convex", "printed", HORIZON, 0.5, 0.04),
        ("two points, convex", "tuned", HORIZON, 0.5, 0.04),
        ("two points, convex", "printed", EPSILON, 1.9, 0.06),
        ("two points, convex", "tuned", EPSILON, 1.0, 0.05),
        ("two points, strongly convex", "no privacy", LOG, 1.0, 0.3),
        ("two points, strongly convex", "printed", LOG, 1.0, 0.3),
        ("two points, strongly convex", "printed", EPSILON, 1.8, 0.1),
        ("stochastic convex", "no privacy", HORIZON, 0.55, 0.03),
        ("stochastic convex", "laplace", HORIZON, 0.55, 0.04),
        ("arms, adversarial", "no privacy", HORIZON, 0.46, 0.06),
        ("arms, adversarial", "printed, tight", HORIZON, 0.5, 0.05),
        ("arms, adversarial", "printed, tight", EPSILON, 1.0, 0.06),
        ("arms, stochastic", "no privacy", LOG, 1.0, 0.2),
        (sweeps.KERNEL, "no privacy", HORIZON, 0.62, 0.06),
        (LINEAR, "printed", HORIZON, 0.786, 0.01),
        (LINEAR, "printed", EPSILON, 0.5, 0.01),
        (LINEAR, "derived", HORIZON, 0.77, 0.01),
        (LINEAR, "laplace", HORIZON, 0.762, 0.01),
        (LINEAR, "joint privacy", HORIZON, 0.507, 0.01),
        (LINEAR, "private rewards", HORIZON, 0.52, 0.02),
        (LINEAR, "weighted regression", HORIZON, 0.5, 0.01),
        (LINEAR, "no privacy", HORIZON, 0.52, 0.08),
        (LOGISTIC, "repaired", HORIZON, 0.78, 0.03),
    ],
)
def test_measured_exponents(row, variant, quantity, value, within, setting):
    assert setting.exponent(row, quantity, variant).measured == pytest.approx(value, abs=within)


def test_the_intervals_decide_between_the_printed_step_and_the_tuned_one(setting):
    printed, tuned = (setting.exponent(TWO_POINTS[0], EPSILON, variant) for variant in ("printed", "tuned"))
    assert tuned.high < 1.1 < 1.8 < printed.low


def test_where_the_learners_cross(setting):
    assert 1e5 < setting.crossing.measured < 1e6
    assert [setting.crossings[dim].measured for dim in (2, 3)] == pytest.approx([1.4e8, 2.2e8], rel=0.15)
    assert setting.crossings[1] == rates.Interval(1e8, 1e8, 1e8)  # the first horizon at which both have learnt


def test_weighted_regression_lies_between_the_lower_bound_and_its_upper_one(setting):
    frame = setting.long_study("stretches")
    for dim in sweeps.DIMS:
        for point in rates.points(sweeps.sweep(LINEAR, HORIZON, "weighted regression", dim), frame):
            mean = point.regrets.mean()
            assert bounds.local_lower(point.value, 1.0) < mean
            radius, first = weighted_regression(1.0, DELTA, dim, point.value).record.radius, 2 * 1024
            assert mean < 2 * first + 45 * max(dim, 2) * dim * radius * math.sqrt(point.value + first)


def test_the_figures_of_the_studies_draw_the_points_of_their_fits(setting):
    makers = exhibits.makers(setting)
    drawn = makers["figure-two-points-long"]().data
    values = sweeps.sweep(TWO_POINTS[0], EPSILON, "printed").values
    assert len(drawn) == 2 * len(values) and (drawn["t"] == 20_000_000).all()
    for variant, part in drawn.groupby("reading"):
        kept = part[part["regret"] < 0.5 * part["still"]]
        slope = np.polyfit(np.log(1 / kept["epsilon"]), np.log(kept["regret"]), 1)[0]
        assert slope == pytest.approx(setting.exponent(TWO_POINTS[0], EPSILON, variant).measured)
    gaps = makers["figure-worst-gaps"]()
    ours = gaps.data[gaps.data["reading"] == "derived"]
    slope = np.polyfit(np.log(ours["t"]), np.log(ours["regret"]), 1)[0]
    found = setting.exponent(LINEAR, HORIZON, "derived")
    assert slope == pytest.approx(found.measured)
    assert f"derived {found.measured:.2f} [{found.low:.2f}, {found.high:.2f}]" in gaps.alt
    both = makers["figure-conjecture"]().data
    skewed = {"derived, skewed", "weighted regression, skewed", "no weights, skewed"}
    assert set(both["reading"]) == {"derived", "weighted regression", "private rewards"} | skewed
    assert set(both["dim"]) == {1, 2, 3}
    for dim, part in both[both["reading"] == "weighted regression"].groupby("dim"):
        slope = np.polyfit(np.log(part["t"].astype(float)), np.log(part["regret"]), 1)[0]
        assert slope == pytest.approx(setting.fit(LINEAR, HORIZON, "weighted regression", dim=dim).fit.measured)
    assert setting.exponent("strongly convex", HORIZON, "printed").measured == pytest.approx(0.72, abs=0.01)
    assert "strongly convex, printed 0.72 [0.69" in makers["figure-rates"]().alt


def test_the_page_says_what_the_digits_are():
    cells = json.loads((folder("contextual").parents[1] / "contextual.ipynb").read_text(encoding="utf-8"))["cells"]
    page = " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert f"The first {digits.PUBLIC} images" in page and f"$d={digits.DIGITS * digits.COMPONENTS}$" in page


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dims", [2, 2], "dims must not repeat"),
        ("dims", [1], "dims must be >= 2"),
        ("dims", [2, 3, 4, 5, 6], "dims must have at most 4"),
        ("epsilons", [1.0] * 5, "epsilons must have at most 4"),
        ("bonus_factor", 2.0, "bonus_factor must be > 0 and <= 1"),
        ("horizon", 10**8, "horizon must be <= 10000000"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(name, value, message):
    values = {"horizon": 100, "epsilons": [1.0], "digit_epsilons": [1.0], "dims": [2], "bonus_factor": 0.1}
    check_parameters(**values)
    with pytest.raises(ValueError, match=re.escape(message)):
        check_parameters(**(values | {name: value}))

"""The contextual experiments, their longer study, the digits, and the price of private actions."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_bandits.estimates import difference_interval
from private_bandits.papers.contextual import bounds, digits
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.oful import linucb
from private_bandits.privacy import channel_delta, channel_loss
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.contextual import joint, linear_rates, linear_study
from private_bandits_book.contextual.linear_study import Experiments
from private_bandits_book.contextual.summary import EPSILON, ROWS, T
from private_bandits_book.studies import Runs, find

DELTA = 1e-3
RUNS = linear_rates.long_runs()
STORED = Path(__file__).parents[1] / "book" / "data" / "contextual" / "long-linear.csv"


@pytest.fixture(scope="module")
def short():
    return Experiments(horizon=3000, replications=20, seed=7, n_jobs=2, delta=DELTA)


# --- readings and panels


def test_the_readings_are_the_boxes_that_their_names_say(short):
    found = {r: p.record for r, p in linear_study.private_policies(3, 2.0, DELTA, 500, "linear").items()}
    expected = {
        "printed": ldp_linucb(2.0, DELTA, 3, 500),
        "printed, small bonus": ldp_linucb(2.0, DELTA, 3, 500, bonus_factor=0.1),
        "derived, classical noise": ldp_linucb(2.0, DELTA, 3, 500, "derived"),
        "derived": ldp_linucb(2.0, DELTA, 3, 500, "derived", "analytic"),
        "derived, small bonus": ldp_linucb(2.0, DELTA, 3, 500, "derived", "analytic", 0.1),
    }
    assert found == {reading: policy.record for reading, policy in expected.items()}
    found = {r: p.record for r, p in linear_study.private_policies(3, 2.0, DELTA, 500, "logistic", 0.3).items()}
    expected = {
        "printed": ldp_glm(2.0, DELTA, 3, 500, responses="binary"),
        "printed, small bonus": ldp_glm(2.0, DELTA, 3, 500, bonus_factor=0.3, responses="binary"),
        "repaired, classical noise": ldp_glm(2.0, DELTA, 3, 500, "repaired", responses="binary"),
        "repaired": ldp_glm(2.0, DELTA, 3, 500, "repaired", "analytic", responses="binary"),
        "repaired, small bonus": ldp_glm(2.0, DELTA, 3, 500, "repaired", "analytic", 0.3, responses="binary"),
    }
    assert found == {reading: policy.record for reading, policy in expected.items()}


def test_the_problems():
    assert np.linalg.norm(linear_study.theta(5)) == pytest.approx(1.0)
    problem = linear_study.one_set(3, gap=0.4, offset=0.2)
    np.testing.assert_allclose(problem.means, [[0.6, 0.2, 0.2]])
    np.testing.assert_array_equal(problem.sets, np.eye(3)[None])
    assert problem.uniform_regret() == pytest.approx(0.4 * 2 / 3)
    odds = linear_study.one_set(2, "logistic", gap=0.4)
    np.testing.assert_allclose(odds.means, [[1 / (1 + math.exp(-0.4)), 0.5]])
    assert odds.binary


def test_random_actions_explore_and_one_set_does_not(short):
    """The finding of the page: the whole bonus at epsilon = 8 costs little on unit vectors and much on one set."""
    shares = {}
    for kind in ("contexts", "fixed"):
        panel = getattr(short, kind)(2, 8.0)
        for name, reading in (("LinUCB", ""), ("LDP-LinUCB", "printed"), ("LDP-LinUCB", "derived")):
            run = find(panel, name, reading, dim=2)
            shares[kind, reading] = float(run.final.mean()) / run.uniform
    assert shares["contexts", ""] < 0.01 and shares["fixed", ""] < 0.06
    assert shares["contexts", "derived"] < 0.15
    assert shares["fixed", "derived"] > 0.5
    assert shares["fixed", "printed"] > 0.9 > 0.5 > shares["contexts", "printed"]


@pytest.mark.parametrize("settings", [{"horizon": 1, "epsilon": 1.0}, {"horizon": 30, "epsilon": 1000.0}])
def test_every_experiment_works_at_the_smallest_settings(settings):
    epsilon = settings["epsilon"]
    small = Experiments(horizon=settings["horizon"], replications=2, seed=1, n_jobs=1, delta=DELTA)
    panels = [
        *(small.contexts(2, epsilon, link) for link in ("linear", "logistic")),
        *(small.fixed(3, epsilon, link) for link in ("linear", "logistic")),
        small.greedy(),
        small.shifted(epsilon),
        small.bonuses(epsilon, [1.0, 0.1]),
        small.digits([epsilon]),
        small.published(),
    ]
    for panel in panels:
        assert np.isfinite(Runs(panel).finals()["regret"]).all()
        assert {run.family for run in panel} <= {"none", "gaussian"}
    frames = [
        small.limits([2]),
        linear_study.lock_in(small.greedy()),
        linear_study.accuracy(small.digits([epsilon])),
        linear_study.bounds_checked(panels[0] + panels[1] + panels[2] + panels[3], DELTA),
        linear_study.horizons([2], [epsilon], DELTA),
        joint.compare([epsilon], [settings["horizon"]], 0.5),
    ]
    for frame in frames:
        assert len(frame) and not frame.drop(columns=["joint_loss", "action_loss"], errors="ignore").isna().any(
            axis=None
        )


# --- epsilon = infinity


def test_only_the_derived_limits_act_as_their_learner(short):
    frame = short.limits([2, 4])
    assert len(frame) == 16 and set(frame["rounds"]) == {2000}
    ours = frame["reading"] != "printed"
    assert (frame[ours]["same"] == 1.0).all()
    assert (frame[~ours]["same"] < 0.995).all()
    assert (frame[~ours & (frame["problem"] == "one set")]["same"] < 0.97).all()


def test_the_printed_limit_locks_in_on_a_wrong_action():
    panel = Experiments(horizon=15_000, replications=40, seed=5, n_jobs=2, delta=DELTA).greedy()
    plain, derived, printed = (
        find(panel, *key) for key in (("LinUCB",), ("LDP-LinUCB", "derived"), ("LDP-LinUCB", "printed"))
    )
    np.testing.assert_array_equal(plain.curves, derived.curves)
    frame = linear_study.lock_in(panel).set_index("reading")
    assert frame.loc["", "locked"] == 0.0
    assert frame.loc["printed", "low"] > 0.2 > frame.loc["", "high"]
    assert difference_interval(printed.final, plain.final).low > 0
    # who is locked in pays the gap in every round
    most = linear_study.STUCK_GAP * 15_000
    assert np.mean(printed.final > 0.9 * most) == frame.loc["printed", "locked"]
    assert printed.final.max() == pytest.approx(most, rel=0.01)


def test_a_small_bonus_locks_in_where_the_shift_hides_the_better_action():
    longer = Experiments(horizon=5000, replications=40, seed=5, n_jobs=2, delta=DELTA)
    frame = linear_study.lock_in(longer.shifted(8.0)).set_index(["policy", "reading"])
    assert frame.loc[("LDP-LinUCB", "derived, small bonus"), "low"] > frame.loc[("LDP-LinUCB", "derived"), "high"]
    assert frame.loc[("LinUCB", "small bonus"), "low"] > frame.loc[("LinUCB", ""), "high"]


def test_the_published_setting_hides_nothing(short):
    panel = short.published()
    assert [run.reading for run in panel] == ["", *linear_study.PUBLISHED]
    plain, one = find(panel, "LinUCB"), find(panel, "LDP-LinUCB", "epsilon 1")
    paid = {"derived": 2.209e10, "derived, analytic noise": 8e5}
    for reading, epsilon in paid.items():
        hidden = find(panel, "LDP-LinUCB", reading)
        assert hidden.policy.privacy.epsilon == 8e5 and hidden.policy.privacy.delta == 0.1
        assert hidden.policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-3)
        gap = difference_interval(hidden.final, plain.final)
        assert gap.low < 0.05 * plain.final.mean() and gap.high > -0.05 * plain.final.mean()
        assert one.final.mean() > 5 * hidden.final.mean()
    printed = find(panel, "LDP-LinUCB", "printed").policy
    expected = ldp_linucb(8e5, 0.1, 20, 3000)
    assert (printed.record, printed.privacy) == (expected.record, expected.privacy)
    assert one.policy.privacy.effective_epsilon == pytest.approx(1.0)


# --- bounds and horizons


def test_bounds_stand_beside_their_runs(short):
    panel = short.contexts(2, 8.0) + short.fixed(2, 8.0, "logistic")
    frame = linear_study.bounds_checked(panel, DELTA)
    keyed = frame.set_index(["box", "reading"])
    assert set(frame["row"]) <= set(ROWS) and len(frame) == 7
    assert keyed.loc[("LinUCB", "no privacy"), "bound"] == bounds.linucb_upper(2, 3000)
    assert keyed.loc[("LDP-LinUCB", "printed"), "bound"] == bounds.theorem_8(2, 3000, 8.0, DELTA, "printed")
    assert keyed.loc[("LDP-LinUCB", "derived"), "bound"] == bounds.theorem_8(2, 3000, 8.0, DELTA, noise="analytic")
    expected = bounds.theorem_10(2, 3000, 8.0, DELTA, responses="binary")
    assert keyed.loc[("LDP-GLOC", "repaired, classical noise"), "bound"] == expected
    assert (frame["high"] < frame["bound"]).all()
    run = find(panel, "LDP-LinUCB", "printed")
    assert keyed.loc[("LDP-LinUCB", "printed"), "measured"] == pytest.approx(run.final.mean())
    assert keyed.loc[("LDP-LinUCB", "printed"), "uniform"] == pytest.approx(run.uniform)


def test_the_horizons_that_are_needed():
    frame = linear_study.horizons([2, 5], [1.0, 8.0], DELTA).set_index(["policy", "reading", "dim", "epsilon"])[
        "horizon_needed"
    ]
    assert len(frame) == 40 and np.isfinite(frame).all()
    assert frame["LDP-LinUCB", "printed", 2, 1.0] == bounds.horizon_needed(2, 1.0, DELTA)
    assert 1e20 < frame["LDP-LinUCB", "printed", 2, 1.0] < 3e20
    assert 1e10 < frame["LDP-LinUCB", "derived", 2, 1.0] < 5e10
    assert frame["LDP-LinUCB", "derived, small bonus", 2, 1.0] == bounds.horizon_needed(
        2, 1.0, DELTA, variant="derived", noise="analytic", bonus_factor=0.1
    )
    assert frame["LDP-GLOC", "repaired", 5, 8.0] == bounds.horizon_needed(
        5, 8.0, DELTA, box="glm", variant="repaired", noise="analytic"
    )


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
    assert digits.best_linear(2) < 0.5 < 0.8 < digits.best_linear(8)


def test_digits_need_a_large_epsilon():
    panel = Experiments(horizon=3000, replications=4, seed=3, n_jobs=2, delta=DELTA).digits([1.0, 1000.0])
    right = linear_study.accuracy(panel).set_index(["policy", "reading", "epsilon"])
    private = right.xs("derived, small bonus", level="reading")["right"]
    assert right.loc[("LinUCB", "small bonus", math.inf), "right"] > 0.6
    assert abs(private["LDP-LinUCB", 1.0] - 0.1) < 0.06
    assert private["LDP-LinUCB", 1.0] < private["LDP-LinUCB", 1000.0] < 0.5
    assert (right["later"] <= 1.0).all() and right.loc[("LinUCB", "small bonus", math.inf), "later"] > 0.65
    run = find(panel, "LDP-LinUCB", "derived, small bonus", 1.0)
    expected = ldp_linucb(1.0, DELTA, 40, 3000, "derived", "analytic", 0.1, largest_reward=1.0)
    assert (run.policy.record, run.policy.privacy) == (expected.record, expected.privacy)
    half = Experiments(horizon=20, replications=2, seed=3, n_jobs=1, delta=DELTA, bonus_factor=0.5).digits([1.0])
    assert [run.policy.record.factor for run in half] == [1.0, 0.5, 0.5]
    run = find(panel, "LinUCB", "small bonus")
    assert right.loc[("LinUCB", "small bonus", math.inf), "right"] == pytest.approx(1 - run.final.mean() / 3000)


# --- private actions


@pytest.mark.parametrize(
    ("epsilon", "delta", "n_arms", "rounds"),
    [(0.2, 0.0, 2, 1), (1.0, 0.0, 2, 2), (1.0, 0.1, 2, 2), (2.0, 0.0, 3, 1), (0.5, 0.2, 3, 1), (3.0, 0.0, 3, 2)],
)
def test_no_private_policy_beats_the_bound_and_one_attains_it(epsilon, delta, n_arms, rounds):
    found = joint.dp_regret(epsilon, 10, 0.3, n_arms, delta)
    least = joint.least_regret(epsilon, rounds, 0.3, n_arms, delta)
    assert least == pytest.approx(joint.dp_regret(epsilon, rounds, 0.3, n_arms, delta).regret, rel=1e-7)
    assert found.regret == pytest.approx(10 * least / rounds, rel=1e-7)
    np.testing.assert_allclose(found.channel.sum(axis=1), 1.0)
    assert found.regret == pytest.approx(10 * 0.3 * np.mean(1 - np.diag(found.channel)))
    assert channel_delta(found.channel, epsilon) == pytest.approx(delta, abs=1e-12)
    if delta == 0.0:
        assert channel_loss(found.channel) == pytest.approx(epsilon)


def test_the_programme_knows_nothing_of_the_formula(monkeypatch):
    monkeypatch.setattr(joint, "dp_regret", None)
    # one round, two arms, by hand: wrong with chance e, and 1 - e <= E e
    assert joint.least_regret(math.log(3.0), 1, 1.0) == pytest.approx(0.25)
    # three arms, the context's own arm is E times as likely: 1 / (E + 2) each for the others
    assert joint.least_regret(math.log(3.0), 1, 1.0, n_arms=3) == pytest.approx(0.4)
    # with delta one half, half of all users need no cover
    assert joint.least_regret(math.log(3.0), 1, 1.0, delta=0.5) == pytest.approx(0.125)
    for epsilon in (20.0, 1000.0, math.inf):
        assert joint.least_regret(epsilon, 2, 1.0) == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ValueError, match=r"n_arms\*\*horizon must be at most 9"):
        joint.least_regret(1.0, 4, 1.0)


def test_later_actions_may_not_be_guessed_from_later_contexts():
    """Without the equations for it, an action could be drawn with its own context's successor in mind."""
    runs = list(product(range(2), repeat=2))
    place = {key: i for i, key in enumerate(product(runs, runs))}
    rows, totals = joint._policies(runs, place)
    peeking, honest = np.zeros(16), np.zeros(16)
    for seen in runs:
        peeking[place[seen, (seen[1], 0)]] = 1.0
        honest[place[seen, (seen[0], seen[0])]] = 1.0
    np.testing.assert_allclose(rows @ honest, totals)
    assert np.max(np.abs(rows @ peeking - totals)) == 1.0


def test_without_privacy_the_bound_is_zero_and_at_none_left_it_is_random_play():
    assert joint.dp_regret(math.inf, 10, 0.3).regret == 0.0
    assert joint.dp_regret(1e-9, 10, 0.3, 4).regret == pytest.approx(10 * 0.3 * 3 / 4)


def test_the_learner_of_private_messages_by_enumeration():
    epsilon, rounds = 0.7, 7
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    wrong = np.zeros(rounds)
    for bits in product((0, 1), repeat=rounds - 1):  # 1: names the rule that holds
        for t in range(rounds):
            lead = 2 * sum(bits[:t]) - t
            weight = math.prod(truth if b else 1 - truth for b in bits)
            wrong[t] += weight * (0.5 if lead == 0 else float(lead < 0))
    sent = joint.messages(epsilon, rounds, 0.4)
    np.testing.assert_allclose(sent.wrong, wrong, rtol=1e-12)
    assert sent.regret == pytest.approx(0.4 * wrong.sum())
    assert sent.message_loss == pytest.approx(channel_loss([[truth, 1 - truth], [1 - truth, truth]]), rel=1e-12)
    assert sent.message_loss == pytest.approx(epsilon, rel=1e-12)
    assert joint.messages(1000.0, 3, 0.4).message_loss == 1000.0  # e^-1000 is 0 here
    assert joint.messages(math.inf, 3, 0.4).message_loss == math.inf
    assert sent.action_loss == pytest.approx(math.log((1 - wrong[-1]) / wrong[-1]))
    assert sent.joint_loss == math.inf and joint.messages(epsilon, 1, 0.4).joint_loss == 0.0


def test_neither_definition_implies_the_other():
    frame = joint.definitions(0.8, 50).set_index("policy")
    assert frame.loc["private messages", "message_loss"] == pytest.approx(0.8, rel=1e-12)
    assert frame.loc["private actions", "action_loss"] == pytest.approx(0.8)
    assert math.isinf(frame.loc["private messages", "action_loss"])
    assert math.isinf(frame.loc["private actions", "message_loss"])


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
        assert part.loc[100, "ldp_regret"] == pytest.approx(joint.messages(epsilon, 100, 0.5).regret)


# --- the longer study


def synthetic(power, quantity=T, constant=3.0, gaps=(0.1, 0.2, 0.4), worst=0.2, runs=5, points=5, box="LDP-LinUCB"):
    rng, rows = np.random.default_rng(1), []
    for k in range(points):
        horizon, epsilon = (10_000 * 2**k, 1.0) if quantity == T else (10_000, 2.0**k)
        x = horizon if quantity == T else 1 / epsilon
        for gap in gaps:
            level = constant * x**power / (1 + abs(math.log(gap / worst)))
            for replication in range(runs):
                rows.append(
                    {
                        "problem": "one set",
                        "policy": box,
                        "reading": "derived",
                        "quantity": quantity,
                        "dim": 2,
                        "epsilon": epsilon,
                        "horizon": horizon,
                        "gap": gap,
                        "uniform": 1e9,
                        "replication": replication,
                        "regret": level * (1 + 0.01 * rng.standard_normal()),
                    }
                )
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("power", "quantity"), [(0.75, T), (0.5, T), (0.5, EPSILON), (1.0, EPSILON)])
def test_a_known_exponent_is_found(power, quantity):
    (found,) = linear_rates.exponents(synthetic(power, quantity))
    assert (found.row, found.box, found.quantity, found.points) == ("linear", "LDP-LinUCB", quantity, 5)
    assert found.fit.low < power < found.fit.high and found.fit.high - found.fit.low < 0.05
    (other,) = linear_rates.exponents(synthetic(power, quantity, box="LDP-GLOC"))
    assert other.row == "generalised linear"


def test_the_bound_of_a_box_is_fitted_at_the_same_points():
    frame = synthetic(0.75)
    x = np.array(sorted(set(frame["horizon"])))
    for reading, variant, noise in (
        ("derived", "derived", "analytic"),
        ("derived, classical noise", "derived", "classical"),
        ("printed, beta times 0.05", "printed", "classical"),
    ):
        row = linear_rates.fitted(frame.assign(reading=reading)).iloc[0]
        levels = [bounds.theorem_8(2, int(t), 1.0, linear_rates.DELTA, variant, noise) for t in x]
        assert row["of_bound"] == pytest.approx(np.polyfit(np.log(x), np.log(levels), 1)[0])
    levels = [
        bounds.theorem_10(2, int(t), 1.0, linear_rates.DELTA, "derived", "analytic", responses="binary") for t in x
    ]
    row = linear_rates.fitted(frame.assign(policy="LDP-GLOC", reading="repaired")).iloc[0]
    assert row["of_bound"] == pytest.approx(np.polyfit(np.log(x), np.log(levels), 1)[0])
    row = linear_rates.fitted(frame.assign(policy="GLOC", reading="no privacy, Newton steps")).iloc[0]
    assert math.isnan(row["of_bound"])


def test_the_bounds_of_table_1_are_those_of_its_fits():
    frame = pd.read_csv(STORED)
    fits, bounded = linear_rates.exponents(frame), linear_rates.of_bounds(frame)
    table = linear_rates.fitted(frame).set_index(["problem", "policy", "reading", "quantity", "dim"])["of_bound"]
    for fit, one in zip(fits, bounded, strict=True):
        assert one[:4] == fit[:4] and one.points == fit.points
        assert (one.fit is None) == (fit.fit is None or fit.reading == "no privacy, Newton steps")
        if one.fit is not None:
            assert one.fit[:3] == (table["one set", fit.box, fit.reading, fit.quantity, 2],) * 3


def test_what_was_run_is_described():
    frame = pd.read_csv(STORED)
    found = linear_rates.described(frame)
    table = linear_rates.fitted(frame)
    for name, other in (("box", "policy"), ("reading",) * 2, ("quantity",) * 2, ("problem",) * 2, ("dim",) * 2):
        assert found[name].tolist() == table[other].tolist()
    assert found["points"].tolist() == table["points"].tolist()
    keyed = found.set_index(["box", "reading", "quantity", "problem", "dim"])
    one = keyed.loc[("LDP-LinUCB", "printed, beta times 0.05", EPSILON, "one set", 2)]
    assert (one["noise"], one["epsilon_low"], one["epsilon_high"]) == ("classical", 64.0, 512.0)  # 32 has not learnt
    assert (one["horizon_low"], one["horizon_high"], one["replications"]) == (500_000, 500_000, 5)
    one = keyed.loc[("LDP-LinUCB", "derived", T, "one set", 2)]
    assert (one["noise"], one["epsilon_low"], one["epsilon_high"]) == ("analytic", 64.0, 64.0)
    assert (one["horizon_low"], one["horizon_high"], one["points"]) == (100_000, 3_000_000, 4)
    one = keyed.loc[("LDP-LinUCB", "derived, beta times 0.1", T, "one set", 2)]
    assert one["points"] == 3 and one["horizon_high"] == 1_000_000  # of all that was run
    one = keyed.loc[("GLOC", "no privacy, Newton steps", T, "unit vectors", 5)]
    assert (one["row"], one["noise"], one["epsilon_low"]) == ("generalised linear", "none", math.inf)
    # the noise is that of the runs
    for run in RUNS:
        told = run.labels
        row = keyed.loc[(told["policy"], told["reading"], told["quantity"], told["problem"], told["dim"])]
        words = run.policy.variant.split(", ")
        assert row["noise"] == ("none" if math.isinf(told["epsilon"]) else words[1])


def test_random_actions_cost_the_variance_of_the_noise_times_a_logarithm():
    """Why the power of 1/epsilon exceeds 1 on unit vectors: regret is a sigma^2 ln(T / (c sigma^2))."""
    points = linear_rates.worst(pd.read_csv(STORED))
    points = points[(points["problem"] == "unit vectors") & (points["quantity"] == EPSILON)]
    variance = 36 * 2 * math.log(2.5 / DELTA) / points["epsilon"] ** 2
    units = (points["regret"] / variance).to_numpy()
    slope, level = np.polyfit(-np.log(variance), units, 1)
    left = units - level + slope * np.log(variance)
    assert np.max(np.abs(left)) < 0.02 * np.max(units)
    assert slope == pytest.approx(15.3, abs=1.0)
    assert math.log(500_000) - level / slope == pytest.approx(math.log(90), abs=0.7)


def test_points_count_only_where_something_was_learnt():
    unlearnt = synthetic(0.75)
    unlearnt["uniform"] = 1.9 * unlearnt.groupby(["horizon", "gap"])["regret"].transform("mean")
    edge = synthetic(0.75, worst=0.4)
    few = synthetic(0.75, points=3)
    for frame, points in ((unlearnt, 0), (edge, 0), (few, 3)):
        (found,) = linear_rates.exponents(frame)
        assert found.fit is None and found.points == points
    points = linear_rates.worst(synthetic(0.75))
    assert (points["gap"] == 0.2).all() and points["counts"].all()


def test_the_runs_of_the_study():
    frame = pd.DataFrame([run.labels for run in RUNS])
    assert not frame.duplicated().any()
    assert all(run.replications >= 5 and run.policy.record.horizon in (0, run.horizon) for run in RUNS)
    searched = frame[frame["problem"] == "one set"]
    counts = searched.groupby(["policy", "reading", "quantity", "dim", "epsilon", "horizon"])["gap"]
    assert (counts.count() >= 4).all()
    steps = counts.apply(lambda gaps: np.diff(np.log(np.sort(gaps))).round(6).tolist())
    assert {step for one in steps for step in one} == {round(math.log(2) / 2, 6)}
    for run in RUNS:
        uniform = run.problem.uniform_regret() * run.horizon
        assert run.labels["uniform"] == pytest.approx(uniform)
        assert (run.labels["problem"] == "one set") == bool(len(run.problem.sets))
        assert run.labels["epsilon"] == run.policy.privacy.epsilon
    factors = {run.policy.record.factor for run in RUNS if "times" in run.labels["reading"]}
    assert factors == {0.1, 0.05}
    assert {run.policy.record.factor for run in RUNS if "times" not in run.labels["reading"]} == {1.0}


@pytest.fixture(scope="module")
def stored():
    return pd.read_csv(STORED, dtype={"regret": str})


def stored_rows(stored, run):
    chosen = np.ones(len(stored), bool)
    for column, value in run.labels.items():
        if isinstance(value, str):
            chosen &= (stored[column] == value).to_numpy()
        else:
            chosen &= np.isclose(stored[column], value, rtol=1e-9, equal_nan=True)
    return stored[chosen]


def test_the_file_holds_every_run_and_nothing_else(stored):
    assert len(stored) == sum(run.replications for run in RUNS)
    for run in RUNS:
        rows = stored_rows(stored, run)
        assert sorted(rows["replication"]) == list(range(run.replications))
        assert (rows["t"] == run.horizon).all()
    assert STORED.stat().st_size < 1_000_000


# the first run of every sweep
FIRST = pd.DataFrame([run.labels for run in RUNS]).drop_duplicates(["problem", "policy", "reading", "quantity", "dim"])


@pytest.mark.parametrize("number", FIRST.index)
def test_runs_of_the_study_are_replayed_bit_for_bit(number, stored):
    run = RUNS[number]
    frame = linear_rates.play_long(run, replications=1, n_jobs=1)
    (written,) = stored_rows(stored, run).query("replication == 0")["regret"]
    assert csv_text(frame[["regret"]]).split()[1:] == [written]


def test_the_exponents_of_the_study():
    frame = pd.read_csv(STORED)
    found = {(e.box, e.reading, e.quantity): e for e in linear_rates.exponents(frame)}
    assert {e.row for e in found.values()} == {"linear", "generalised linear"}
    # the printed order, at the worst gap
    private = found["LDP-LinUCB", "derived", T].fit
    assert 0.65 < private.low < private.high < 0.85
    plain = found["LinUCB", "no privacy", T].fit
    assert 0.4 < plain.low < plain.high < 0.65
    halved = found["LDP-LinUCB", "derived, classical noise", EPSILON].fit
    assert 0.35 < halved.low < halved.high < 0.65
    # what the bounds themselves grow with, logarithms included
    table = linear_rates.fitted(frame).set_index(["problem", "policy", "reading", "quantity", "dim"])
    whole = [("LDP-LinUCB", "derived"), ("LDP-GLOC", "repaired"), ("GLOC", "no privacy, gradient steps")]
    for policy, reading in [*whole, ("LDP-LinUCB", "printed, beta times 0.05")]:
        row = table.loc[("one set", policy, reading, T, 2)]
        assert row["measured"] == pytest.approx(row["of_bound"], abs=0.06)
    assert table.loc["unit vectors"]["of_bound"].isna().all()


def test_the_page_says_what_the_study_fits_and_what_the_digits_are():
    cells = json.loads((STORED.parents[2] / "contextual.ipynb").read_text(encoding="utf-8"))["cells"]
    page = " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert f"fitted at $\\epsilon={linear_rates.LEARNT_EPSILON:g}$" in page
    table = linear_rates.fitted(pd.read_csv(STORED))
    tenth = table[table["reading"].str.contains(r"^(?:derived|repaired), beta times 0\.1") & table["measured"].notna()]
    for policy in ("LDP-LinUCB", "LDP-GLOC"):
        assert set(tenth.loc[tenth["policy"] == policy, "dim"]) == {2, 3, 4, 5}
    assert "a tenth of the bonus there are fits for every $d$ from 2 to 5" in page
    assert f"The first {digits.PUBLIC} images" in page and f"$d={digits.DIGITS * digits.COMPONENTS}$" in page


def test_linucb_needs_no_privacy_to_explore(short):
    """The small bonus is stated, not tuned: LinUCB has the same one."""
    run = find(short.shifted(1.0), "LinUCB", "small bonus")
    assert run.policy.record == linucb(2, bonus_factor=linear_study.SMALL_BONUS).record

"""The context-free experiments of the contextual chapter, their longer study and the exponents fitted to it."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_bandits.estimates import fit_exponent
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.papers.contextual import instances
from private_bandits.papers.contextual.bounds import corollary_4, theorem_6
from private_bandits.papers.contextual.tunings import tuning
from private_bandits.simulate import log_checkpoints, simulate
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.contextual import convex_rates as rates
from private_bandits_book.contextual import convex_runs as runs_of
from private_bandits_book.contextual import convex_study as study
from private_bandits_book.contextual.summary import EPSILON, LOG_T, ROWS, T
from private_bandits_book.studies import find

DATA = Path(__file__).parents[1] / "book" / "data" / "contextual" / rates.FILE
RUNS = rates.long_runs()
LEARNER = {row: learners[0] for row, (_, learners) in study.ONE_POINT.items()}


@pytest.fixture(scope="module")
def setting():
    return study.Experiments(20_000, 4, 7, 2, 1e-3)


@pytest.fixture(scope="module")
def stored():
    return pd.read_csv(DATA, dtype={"regret": str})


@pytest.fixture(scope="module")
def fitted():
    found = rates.exponents(pd.read_csv(DATA))
    keys = [(one.row, one.reading, one.quantity) for one in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def still(run):
    return float(instances.centre_regret(run.problem, run.data.t.values[-1])[0])


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
    np.testing.assert_allclose(instances.centre_regret(problem, t), found.regret.values[0], rtol=1e-9)
    assert instances.centre_regret(problem, 800)[0] < problem.uniform_regret() * 800


def test_centre_regret_in_the_other_environments():
    simplex = instances.on_simplex("quadratic")
    found = simulate(simplex, Fixed([1 / 3, 1 / 3]), horizon=400, replications=1, seed=0)
    assert instances.centre_regret(simplex, 400)[0] == pytest.approx(found.regret.values[0, -1], rel=1e-9)
    line = instances.on_line()
    found = simulate(line, Fixed([0.0]), horizon=400, replications=1, seed=0)
    assert instances.centre_regret(line, 400)[0] == pytest.approx(found.regret.values[0, -1], rel=1e-9)
    arms = instances.switching_arms(0.3)
    found = [
        simulate(arms, Fixed([arm]), horizon=321, replications=1, seed=0).regret.values[0, -1]
        for arm in range(instances.N_ARMS)
    ]
    assert instances.centre_regret(arms, 321)[0] == pytest.approx(np.mean(found), rel=1e-9)


def test_the_switching_adversary_keeps_the_gap_and_lengthens_its_phases():
    problem = instances.switching_arms(0.3)
    assert np.all(problem.anchors[:, 1:] - problem.anchors[:, :1] == pytest.approx(0.3))
    assert problem.anchors[1, 0] - problem.anchors[0, 0] == pytest.approx(0.7)
    lengths = np.diff(np.flatnonzero(np.diff(problem.schedule)))
    assert np.all(lengths[3:] / lengths[2:-1] == pytest.approx(1.6, rel=0.2))
    assert 0.3 < np.mean(problem.schedule) < 0.7


def test_the_fooling_losses_fool_ucb_and_are_fixed_beforehand(setting):
    problem, plays = instances.fooling_arms(3000)
    # the first arm loses just where UCB looks at it
    assert np.array_equal(problem.schedule == 1, plays == 0)
    assert np.sum(plays == 0) < 120
    panel = study.Experiments(3000, 2, 1, 1, 1e-3).arms([8.0])
    foreseen = find(panel, "UCB, lowest arm first", environment="fooling")
    played = simulate(problem, instances.Ucb(), horizon=3000, replications=2, seed=5)
    np.testing.assert_allclose(foreseen.curves, played.regret.values, atol=1e-9)
    assert played.regret.values[0, -1] > 0.48 * 3000
    assert find(panel, "Tsallis-INF", environment="fooling", learner="tsallis").final.mean() < 60


# --- the chapter's experiments


def test_panels_have_the_runs_that_they_name(setting):
    epsilons = [2.0, 8.0]
    panel = setting.one_point(epsilons)
    assert [run.swept["row"] for run in panel[::3]] == [row for row, (_, ls) in study.ONE_POINT.items() for _ in ls]
    assert set(study.ONE_POINT) | set(study.TWO_POINTS) == {r for r, row in ROWS.items() if row.kind != "contextual"}
    for row, (kind, learners) in study.ONE_POINT.items():
        assert learners[0] == ROWS[row].learner
        for learner in learners:
            found = find(panel, find(panel, _name(panel, learner), "", row=row, learner=learner).name, "", row=row)
            assert found.problem.kind == kind and found.epsilon == math.inf
            for epsilon in epsilons:
                private = find(panel, found.name, "analytic", epsilon, row=row)
                scale = gaussian_sigma(epsilon, 1e-3, 2 * private.problem.bound, method="analytic")
                assert private.policy.record.scale == pytest.approx(scale, rel=1e-12)
    played = len(setting._played)
    noises = setting.noises(epsilons)
    assert len(noises) == 7
    assert len(setting._played) == played + 4  # the learner and its analytic noise were there
    for epsilon in epsilons:
        laplace = find(noises, "Hazan and Levy", "laplace", epsilon)
        assert laplace.policy.privacy.delta == 0.0
        assert laplace.policy.privacy.value_epsilon == pytest.approx(epsilon)
        assert laplace.family == "laplace"
        printed, analytic = (find(noises, "Hazan and Levy", reading, epsilon) for reading in ("printed", "analytic"))
        assert analytic.policy.privacy.value_epsilon == pytest.approx(epsilon, rel=1e-6)
        assert printed.policy.record.scale > analytic.policy.record.scale or epsilon == 8.0
        assert printed.family == "gaussian"
    assert {run.family for run in noises} == {"none", "gaussian", "laplace"}
    assert setting.one_point(epsilons)[0].data is panel[0].data


def _name(panel, learner):
    (name,) = {run.name for run in panel if run.swept["learner"] == learner}
    return name


def test_the_learners_learn_without_privacy_and_the_special_ones_win(setting):
    panel = setting.one_point([8.0])
    final = {}
    for run in panel:
        assert run.final.min() > 0
        if math.isinf(run.epsilon):
            final[run.swept["row"], run.swept["learner"]] = run.final.mean() / still(run)
        else:
            same = next(r for r in panel if r.swept == run.swept and math.isinf(r.epsilon))
            assert run.final.mean() > 1.2 * same.final.mean()
    assert max(final.values()) < 0.4
    assert final["strongly convex", "sphere_strong"] < 0.8 * final["strongly convex", "sphere"]
    assert final["convex, smooth", "saha_tewari"] < final["convex, smooth", "sphere"]


def test_other_environments_change_little_and_the_line_is_easier(setting):
    panel = setting.environments([8.0])
    shifting = find(setting.one_point([8.0]), "Gradient descent, one point", "", row="convex").final.mean()
    for name in ("drawn", "stochastic"):
        run = find(panel, "Gradient descent, one point", "", environment=name)
        assert run.final.mean() == pytest.approx(shifting, rel=0.25)
    names = [run.swept["environment"] for run in panel]
    assert list(dict.fromkeys(names)) == [
        "drawn",
        "stochastic",
        "stochastic, smooth",
        "stochastic, quadratic",
        "simplex, distance",
        "simplex, smooth",
        "simplex, quadratic",
        "simplex, stochastic",
        study.LINE,
    ]
    for run in panel:
        words = run.swept["environment"].split(", ")
        assert run.problem.domain == ("simplex" if "simplex" in words else "ball")
        assert (run.problem.mode == "stochastic") == ("stochastic" in words)
        assert words[-1] not in ("smooth", "quadratic", "distance") or run.problem.kind == words[-1]
    own, other = (
        find(panel, name, "", environment=study.LINE)
        for name in ("Agarwal et al., one dimension", "Gradient descent, one point")
    )
    assert own.final.mean() < 0.7 * other.final.mean()
    for run in panel:
        assert run.final.mean() < 0.35 * still(run) or run.epsilon == 8.0


def test_the_printed_step_costs_more_than_the_tuned_one(setting):
    panel = setting.two_points(study.SWEEP)
    assert {run.reading for run in panel} == {"printed", "tuned", "strong"}
    regret = {
        (run.swept["row"], run.reading, run.epsilon): run.final for run in panel if run.epsilon in (2.0, 4.0, 1.0)
    }
    for row in study.TWO_POINTS:
        assert regret[row, "printed", 1.0].mean() > 3.5 * regret[row, "tuned", 1.0].mean()
    slopes = {
        reading: fit_exponent([0.25, 0.5, 1.0], np.stack([regret[row, reading, e] for e in (4.0, 2.0, 1.0)], axis=1))
        for row, reading in (
            ("two points, convex", "printed"),
            ("two points, convex", "tuned"),
            ("two points, strongly convex", "strong"),
        )
    }
    assert slopes["printed"].measured > 1.35
    assert slopes["tuned"].measured == pytest.approx(0.97, abs=0.12)
    assert slopes["strong"].measured == pytest.approx(1.45, abs=0.3)
    record = find(panel, "Gradient descent, two points", "tuned", 1.0, row="two points, convex").policy.record
    assert record.scale == pytest.approx(2 * record.limit * math.sqrt(2 * math.log(1250)), rel=1e-12)


def test_arms_are_learnt_in_every_environment(setting):
    panel = setting.arms([8.0])
    for environment in ("fooling", "switching", "stochastic"):
        for name in ("Tsallis-INF", "EXP3"):
            free, tight, printed = (
                find(panel, name, reading, environment=environment).final.mean() for reading in ("", "tight", "printed")
            )
            assert free < 150 < 800 < tight < 0.6 * printed < 0.6 * 7500
    assert find(panel, "UCB, lowest arm first", environment="fooling").final.mean() > 9900
    assert find(panel, "UCB", environment="stochastic").final.mean() < 200
    local = find(panel, "LDP-UCB-L", "laplace", environment="stochastic")
    assert local.final.mean() < 0.4 * find(panel, "Tsallis-INF", "tight", environment="stochastic").final.mean()
    assert local.problem.uniform_regret() == pytest.approx(
        find(panel, "EXP3", "tight", environment="stochastic").problem.uniform_regret()
    )


def test_the_search_costs_the_variance_of_the_noise_and_of_the_gap(setting):
    frame = dataclasses.replace(setting, replications=2).identify([1.0, 8.0]).set_index(["epsilon", "gap"])
    assert frame["replications"].unique().tolist() == [10] and frame["stopped"].unique().tolist() == [10]
    assert frame["wrong"].sum() == 0
    for epsilon in (1.0, 8.0):
        sigma = gaussian_sigma(epsilon, 1e-3, 2.0, method="analytic")
        ratio = frame.loc[(epsilon, 0.8), "pulls"] / frame.loc[(math.inf, 0.8), "pulls"]
        assert ratio == pytest.approx((0.25 + sigma**2) / 0.25, rel=0.15)
    for epsilon in (math.inf, 1.0, 8.0):
        assert frame.loc[(epsilon, 0.4), "pulls"] / frame.loc[(epsilon, 0.8), "pulls"] == pytest.approx(4.0, rel=0.2)


def test_a_search_that_is_given_up_says_so(monkeypatch):
    monkeypatch.setattr(study, "PULLS", 2000)
    frame = study.Experiments(10, 2, 0, 1, 1e-3).identify([1.0], [0.8]).set_index("epsilon")
    assert frame.loc[1.0, "stopped"] == 0 and frame.loc[1.0, "pulls"] == 2000
    assert frame.loc[math.inf, "stopped"] == 10


def test_intervals_of_an_error_rate():
    assert study.rate_interval(0, 200) == pytest.approx((0.0, 1 - 0.025 ** (1 / 200)))
    assert study.rate_interval(10, 10) == pytest.approx((0.025 ** (1 / 10), 1.0))
    low, high = study.rate_interval(5, 50)
    assert (low, high) == pytest.approx((0.0333, 0.2181), abs=1e-4)


def test_the_ellipsoidal_estimate_outgrows_the_loss(setting):
    frame = setting.estimator_size()
    assert frame["t"].tolist() == log_checkpoints(20_000).tolist()
    assert set(frame["loss"]) == {1.0} and frame["sphere"].nunique() == 1
    assert frame["ellipsoid"].iloc[-10:].min() > 10 * frame["ellipsoid"].iloc[0]
    assert frame["ellipsoid"].iloc[-1] > frame["sphere"].iloc[-1] > 30
    # at the centre the barrier's Hessian is 2 I, and a linear loss is explored on half the ellipsoid: 2 / 0.5 sqrt 2
    assert frame["ellipsoid"].iloc[0] == pytest.approx(4 * math.sqrt(2.0), rel=1e-3)


def test_bounds_stand_beside_what_was_measured(setting):
    panel = setting.one_point([8.0]) + setting.two_points([8.0])
    frame = study.bounds_checked(panel)
    assert len(frame) == len(panel) and np.all(frame["measured"] < frame["bound"])
    for run, row in zip(panel, frame.itertuples(), strict=True):
        assert row.measured == pytest.approx(run.final.mean()) and row.low < row.measured < row.high
        delta = None if math.isinf(run.epsilon) else 1e-3
        if run.swept["row"] in study.TWO_POINTS:
            bound = theorem_6(run.problem, 20_000, run.epsilon, delta, run.reading)
        else:
            bound = corollary_4(run.problem, 20_000, run.epsilon, delta, run.swept["learner"], method="analytic")
        assert row.bound == pytest.approx(bound if delta or "two" in row.row else row.bound)
        assert row.still < row.uniform == pytest.approx(run.uniform)


@pytest.mark.parametrize(("horizon", "epsilons"), [(1, [1.0]), (1, [1000.0]), (2, [0.01, 10.0]), (300, [1000.0])])
def test_small_settings_work(horizon, epsilons):
    tiny = study.Experiments(horizon, 2, 0, 1, 1e-3)
    panel = tiny.one_point(epsilons) + tiny.two_points(epsilons)
    frame = study.bounds_checked(panel)
    assert np.all(np.isfinite(frame[["bound", "still", "measured"]]))
    others = tiny.environments(epsilons) + tiny.noises(epsilons) + tiny.arms(epsilons)
    assert all(np.all(np.isfinite(run.curves)) for run in others)
    assert len(tiny.estimator_size()) == len(log_checkpoints(horizon))


def test_nearer_zero_ends_at_zero(setting):
    frame = setting.nearer_zero(1.0)
    assert len(frame) == 14
    assert frame["constant"].iloc[-1] == math.inf
    np.testing.assert_allclose(frame["algorithm_1"], 1.0, rtol=1e-6)


# --- the longer study


def rows_of(frame, run):
    chosen = np.ones(len(frame), bool)
    for column, value in run.labels.items():
        chosen &= (frame[column] == value).to_numpy()
    return frame[chosen]


def replay(run, horizon):
    frame = rates.play_long(run, replications=1, horizon=horizon, n_jobs=1)
    return dict(zip(frame["t"], csv_text(frame[["regret"]]).split()[1:], strict=True))


def test_the_longer_study_holds_every_run_and_nothing_else(stored):
    parts = [rows_of(stored, run) for run in RUNS]
    for run, part in zip(RUNS, parts, strict=True):
        assert part["replication"].nunique() == run.replications >= 10
        assert sorted(part["t"].unique()) == [*run.checkpoints, *([run.horizon] * (run.horizon not in run.checkpoints))]
    labels = list(RUNS[0].labels)
    order = stored[labels].drop_duplicates().itertuples(index=False, name=None)
    assert [key for key in order if key[0] != runs_of.BEST_ARM] == [tuple(run.labels.values()) for run in RUNS]
    search = stored[stored["row"] == runs_of.BEST_ARM]
    assert len(search) == len(runs_of.EPSILONS) * 2 * runs_of.REPLICATIONS
    assert sum(map(len, parts)) + len(search) == len(stored)
    assert DATA.stat().st_size < 1_000_000


def test_the_beginning_of_every_longer_run_is_replayed(stored):
    for run in RUNS:
        part = rows_of(stored, run)
        part = part[(part["replication"] == 0) & (part["t"] == runs_of.EARLY)]
        assert part["regret"].tolist() == [replay(run, runs_of.EARLY)[runs_of.EARLY]], run.labels


@pytest.mark.parametrize("row", [row for row in ROWS if any(run.labels["row"] == row for run in RUNS)])
def test_one_replication_is_replayed_to_its_end(row, stored):
    private = [run for run in RUNS if run.labels["row"] == row and math.isfinite(run.labels["epsilon"])]
    run = min(private, key=lambda run: run.horizon)
    part = rows_of(stored, run)
    again = replay(run, run.horizon)
    assert part[part["replication"] == 0].set_index("t")["regret"].to_dict() == again


def test_the_search_is_replayed(stored):
    again = runs_of.search(runs_of.EPSILONS[-1:], 2)
    part = stored[(stored["row"] == runs_of.BEST_ARM) & (stored["epsilon"] == runs_of.EPSILONS[-1])]
    assert part["regret"].tolist()[:2] == csv_text(again[["regret"]]).split()[1:]


def test_every_noise_of_the_study_keeps_its_promise():
    for run in RUNS:
        privacy = run.policy.privacy
        assert privacy.value_epsilon <= privacy.epsilon * (1 + 1e-9)
        if math.isfinite(privacy.epsilon) and privacy.delta:
            width = 1.0 if run.labels["reading"].startswith("printed, tight") else 2 * run.policy.record.limit
            classical = width * math.sqrt(2 * math.log(1250)) / privacy.epsilon
            assert run.policy.record.scale == pytest.approx(classical, rel=1e-12)


# --- what is fitted


def made_up(quantity, values, regret, still=1e9, reading="printed", row="convex"):
    rows = []
    for value in values:
        horizon = value if quantity == T else 10**7
        epsilon = value if quantity == EPSILON else 4.0
        told = {"row": row, "policy": "box", "reading": reading, "quantity": quantity, "epsilon": epsilon}
        for replication in range(5):
            for t in [runs_of.EARLY, horizon] if quantity != LOG_T else [runs_of.EARLY, *values]:
                x = value if quantity != LOG_T else t
                noisy = regret(x) * (1 + 0.01 * (replication - 2)) if t != runs_of.EARLY else 1e12
                rows.append(told | {"horizon": horizon, "still": still, "replication": replication, "t": t})
                rows[-1]["regret"] = noisy
        if quantity == LOG_T:
            break
    return pd.DataFrame(rows)


def test_exponents_are_those_of_the_runs():
    (one,) = rates.exponents(made_up(T, [10**4, 10**5, 10**6, 10**7], lambda t: 3 * t**0.75))
    assert (one.row, one.box, one.reading, one.quantity, one.points) == ("convex", "box", "printed", T, 4)
    assert one.fit.measured == pytest.approx(0.75) and one.fit.low <= 0.75 <= one.fit.high
    (one,) = rates.exponents(made_up(EPSILON, [0.5, 1.0, 2.0, 4.0, 8.0], lambda e: 100 * e**-1.5))
    assert one.fit.measured == pytest.approx(1.5) and one.points == 5
    marks = [round(10 ** (6 + k / 4)) for k in range(5)]
    (one,) = rates.exponents(made_up(LOG_T, marks, lambda t: 5e4 + 300 * math.log(t) ** 2))
    assert one.fit.measured == pytest.approx(2.0, abs=0.02) and one.points == 4
    (one,) = rates.exponents(made_up(LOG_T, marks, lambda t: 5e4 + 300 * math.log(t)))
    assert one.fit.measured == pytest.approx(1.0, abs=0.02)


def test_what_has_not_learnt_is_not_fitted():
    values = [10**4, 10**5, 10**6, 10**7, 10**8]
    frame = made_up(T, values, lambda t: t**0.5)
    frame["still"] = np.where(frame["horizon"] == 10**4, 199.0, 1e9)  # 100 there, with a mean of 100
    (one,) = rates.exponents(frame)
    assert one.points == 4 and one.fit.measured == pytest.approx(0.5)
    frame["still"] = np.where(frame["horizon"] == 10**4, 201.0, 1e9)
    assert rates.exponents(frame)[0].points == 5
    frame["still"] = np.where(frame["horizon"] <= 10**5, 1.0, 1e9)
    assert rates.exponents(frame)[0][-2:] == (None, 3)
    marks = [round(10 ** (6 + k / 4)) for k in range(5)]
    (one,) = rates.exponents(made_up(LOG_T, marks, lambda t: 5e4 + math.log(t), still=9e5))
    assert one.fit is None
    (one,) = rates.exponents(made_up(LOG_T, marks, lambda t: 5e4 - math.log(t)))
    assert one.fit is None
    (one,) = rates.exponents(made_up(LOG_T, marks[:4], lambda t: math.log(t)))
    assert one.fit is None
    (one,) = rates.exponents(made_up(T, values, lambda t: t**0.5 - 2000))
    assert one.fit is None and one.points == 2


def test_the_bounds_of_the_longer_study_hold():
    frame = rates.bounds_checked(pd.read_csv(DATA))
    assert np.all(frame["measured"] < frame["bound"])
    assert set(frame["row"]) == {*study.ONE_POINT, *study.TWO_POINTS, runs_of.LINE}
    one = frame[(frame["row"] == "convex") & (frame["reading"] == "printed") & (frame["epsilon"] == 4.0)].iloc[0]
    problem = instances.convex("distance")
    assert one["bound"] == pytest.approx(corollary_4(problem, int(one["horizon"]), 4.0, 1e-3))
    assert one["uniform"] == pytest.approx(problem.uniform_regret() * one["horizon"])


def keyed(found):
    return {(one.row, one.box, one.reading, one.quantity): one for one in found}


def test_the_bounds_are_fitted_at_the_points_of_the_runs():
    frame = pd.read_csv(DATA)
    fits, bounds = keyed(rates.exponents(frame)), keyed(rates.of_bounds(frame))
    assert list(fits) == list(bounds)
    for key, one in bounds.items():
        assert one.points == fits[key].points
        assert (one.fit is None) == (key[0] in ("arms, stochastic", "best arm"))
        assert one.fit is None or one.fit.low == one.fit.measured == one.fit.high

    def slope(x, levels):
        return pytest.approx(np.polyfit(np.log(x), np.log(levels), 1)[0])

    problem, box = instances.convex("distance"), "Gradient descent, two points"
    # two points, printed: the three smallest epsilons are not in the fit, so not in that of the bound
    epsilons = np.array([0.71, 1.0, 1.41, 2.0])
    levels = [theorem_6(problem, 2_000_000, e, 1e-3) for e in epsilons]
    assert bounds["two points, convex", box, "printed", EPSILON].fit.measured == slope(1 / epsilons, levels)
    horizons = sorted({r.horizon for r in RUNS if r.labels["row"] == "convex" and r.labels["quantity"] == T})
    levels = [corollary_4(problem, t, 4.0, 1e-3) for t in horizons]
    one = bounds["convex", "Gradient descent, one point", "printed", T]
    assert len(horizons) == 6 and one.fit.measured == slope(horizons, levels)
    # logarithms of the clipping are in the bound of arms, whose unit is the range of told losses
    arms = [r for r in RUNS if r.labels["row"] == "arms, adversarial" and r.policy.name == "Tsallis-INF"]
    private = {r.horizon: r for r in arms if r.labels["reading"] == "printed, tight" and r.labels["quantity"] == T}
    levels = [tuning("tsallis", r.problem, t, r.policy.record.unit).regret for t, r in private.items()]
    fit = bounds["arms, adversarial", "Tsallis-INF", "printed, tight", T].fit
    assert fit.measured == pytest.approx(np.polyfit(np.log(list(private)), np.log(levels), 1)[0], abs=1e-4)
    assert 0.52 < fit.measured < 0.55
    # linear in ln t, whatever its constant
    assert bounds["two points, strongly convex", box, "printed", LOG_T].fit.measured == pytest.approx(1.0, abs=0.02)


def hard(regrets, still=(1000.0, 2000.0, 4000.0, 8000.0), horizons=(10**4, 10**5, 10**6, 10**7)):
    """Adversarial arms: a regret for each gap, times sqrt T."""
    rows = []
    told = {"row": "arms, adversarial", "policy": "box", "reading": "printed, tight", "quantity": T, "epsilon": 4.0}
    for horizon in horizons:
        root = math.sqrt(horizon / 10**4)
        for level, most in zip(regrets, still, strict=True):
            for replication in range(5):
                seen = {"horizon": horizon, "still": most * root, "replication": replication, "t": horizon}
                rows.append(told | seen | {"regret": level * root * (1 + 0.01 * (replication - 2))})
    return pd.DataFrame(rows)


def test_adversarial_arms_are_fitted_through_the_worst_gap_inside_the_range():
    frame = hard([900.0, 1500.0, 1200.0, 700.0])
    points = rates.worst(frame)
    assert points["counts"].all()
    np.testing.assert_allclose(points["regret"], 1500.0 * np.sqrt(points["horizon"] / 1e4))
    assert points["gap"].tolist() == pytest.approx((0.2 / np.sqrt(points["horizon"] / 1e4) * 4 / 3).tolist())
    (one,) = rates.exponents(frame)
    assert one.points == 4 and one.fit.measured == pytest.approx(0.5)  # 0.75 of uniform play, and still it counts
    # the worst gap moves: the fit follows the largest regrets
    moved = frame.copy()
    later = (moved["horizon"] == 10**7) & (moved["still"] == 4000.0 * math.sqrt(1000))
    moved.loc[later, "regret"] *= 1.5
    (one,) = rates.exponents(moved)
    assert rates.worst(moved)["gap"].iloc[-1] == pytest.approx(0.4 / math.sqrt(1000) * 4 / 3)
    assert one.fit.measured == pytest.approx(0.5 + 0.3 * math.log(1.2) / math.log(10))
    for regrets in (
        [900.0, 1500.0, 3000.0, 6000.0],  # as uniform play does
        [900.0, 1500.0, 3000.0, 3900.0],  # the largest gap has been learnt, and is the worst
        [900.0, 800.0, 700.0, 600.0],  # the smallest gap is the worst
        [900.0, 4500.0, 4400.0, 4300.0],  # the largest has not been learnt
    ):
        (one,) = rates.exponents(hard(regrets))
        assert one.fit is None and one.points == 0
    (one,) = rates.exponents(hard([900.0, 1500.0, 1200.0, 700.0], horizons=(10**4, 10**5, 10**6)))
    assert one.fit is None and one.points == 3


def test_both_worlds_are_played_with_one_noise():
    private = [
        run
        for run in RUNS
        if run.labels["row"].startswith("arms") and run.policy.name == "Tsallis-INF" and run.labels["epsilon"] == 4.0
        if (run.labels["reading"], run.labels["quantity"]) != ("printed", EPSILON)
    ]
    judged = [("adversarial", T), ("adversarial", EPSILON), ("stochastic", LOG_T), ("stochastic", EPSILON)]
    assert {(run.labels["row"][6:], run.labels["quantity"]) for run in private} == set(judged)
    assert {run.labels["reading"] for run in private} == {"printed, tight"}
    assert len({(run.policy.record.scale, run.policy.privacy) for run in private}) == 1
    adversarial = [run for run in RUNS if run.labels["row"] == "arms, adversarial"]
    frame = pd.DataFrame([run.labels for run in adversarial])
    for _, part in frame.groupby(["policy", "reading", "quantity", "epsilon", "horizon"]):
        assert np.sort(part["still"] / part["still"].min()) == pytest.approx([1, 2, 4, 8], rel=1e-5)
    for run in adversarial:
        gap = float(run.problem.anchors[0, 1] - run.problem.anchors[0, 0])
        assert gap < 1.0 and run.labels["still"] == pytest.approx(0.75 * gap * run.horizon, rel=1e-5)


def test_what_was_run_is_described():
    frame = pd.read_csv(DATA)
    found = rates.described(frame).set_index(["row", "box", "reading", "quantity"])
    assert [tuple(key) for key in found.index] == list(keyed(rates.exponents(frame)))
    one = found.loc[("two points, convex", "Gradient descent, two points", "printed", EPSILON)]
    assert (one["noise"], one["epsilon_low"], one["epsilon_high"], one["points"]) == ("classical", 0.71, 2.0, 4)
    assert (one["horizon_low"], one["horizon_high"], one["replications"]) == (2_000_000, 2_000_000, 10)
    one = found.loc[("convex, smooth", "Saha and Tewari", "laplace", T)]
    assert (one["noise"], one["epsilon_low"], one["epsilon_high"], one["points"]) == ("laplace", 16.0, 16.0, 6)
    assert one["horizon_low"] < 200_000 < 5_000_000 < one["horizon_high"]
    one = found.loc[("two points, strongly convex", "Gradient descent, two points", "no privacy", LOG_T)]
    assert (one["noise"], one["horizon_low"], one["horizon_high"]) == ("none", runs_of.EARLY, 1_000_000)
    assert one["replications"] == 100
    one = found.loc[("arms, adversarial", "Tsallis-INF", "printed, tight", T)]
    assert one["replications"] == 20 and one["horizon_high"] > 20 * one["horizon_low"]


def test_the_points_against_epsilon_are_those_of_the_file(fitted):
    frame = rates.two_point_finals(pd.read_csv(DATA))
    assert set(frame["reading"]) == {"printed", "tuned"} and len(frame) == 2 * len(runs_of.TWO_POINT_EPSILONS)
    assert (frame["t"] == 2_000_000).all() and (frame["replications"] == 10).all()
    for reading, part in frame.groupby("reading"):
        kept = part[part["regret"] < 0.5 * part["still"]]
        slope = np.polyfit(np.log(1 / kept["epsilon"]), np.log(kept["regret"]), 1)[0]
        assert slope == pytest.approx(fitted["two points, convex", reading, EPSILON].fit.measured)
    data = pd.read_csv(DATA)
    data = data[(data["row"] == "two points, convex") & (data["reading"] == "tuned") & (data["epsilon"] == 1.41)]
    data = data[data["t"] == 2_000_000]["regret"]
    one = frame[(frame["reading"] == "tuned") & (frame["epsilon"] == 1.41)].iloc[0]
    assert one["regret"] == pytest.approx(data.mean()) and one["regret_se"] == pytest.approx(data.std() / math.sqrt(10))


def test_smooth_losses_are_explored_below_the_cap():
    runs = [run for run in RUNS if run.labels["row"] == "convex, smooth"]
    assert max(run.policy.record.radius for run in runs) < 0.48  # else the tuning would not move with T or epsilon


@pytest.mark.parametrize(
    ("row", "reading", "quantity", "value", "within"),
    [
        ("convex", "no privacy", T, 0.75, 0.04),
        ("convex", "printed", T, 0.75, 0.05),
        ("convex", "printed", EPSILON, 0.5, 0.1),
        ("convex, smooth", "no privacy", T, 2 / 3, 0.03),
        ("convex, smooth", "laplace", T, 2 / 3, 0.05),
        ("convex, smooth", "laplace", EPSILON, 0.53, 0.06),
        ("strongly convex", "no privacy", T, 2 / 3, 0.04),
        ("strongly convex", "printed", T, 2 / 3, 0.07),
        ("strongly convex", "printed", EPSILON, 0.62, 0.08),
        ("strongly convex, smooth", "no privacy", T, 0.54, 0.04),
        ("strongly convex, smooth", "printed", T, 0.6, 0.05),
        ("strongly convex, smooth", "laplace", T, 0.61, 0.05),
        ("strongly convex, smooth", "printed", EPSILON, 0.75, 0.06),
        ("two points, convex", "no privacy", T, 0.5, 0.04),
        ("two points, convex", "printed", T, 0.5, 0.04),
        ("two points, convex", "tuned", T, 0.5, 0.04),
        ("two points, convex", "printed", EPSILON, 1.95, 0.06),
        ("two points, convex", "tuned", EPSILON, 1.0, 0.05),
        ("two points, strongly convex", "no privacy", LOG_T, 1.0, 0.3),
        ("two points, strongly convex", "printed", LOG_T, 1.0, 0.3),
        ("two points, strongly convex", "printed", EPSILON, 1.8, 0.1),
        ("stochastic convex", "no privacy", T, 0.55, 0.03),
        ("stochastic convex", "laplace", T, 0.55, 0.04),
        ("stochastic convex", "laplace", EPSILON, 0.9, 0.06),
        ("arms, adversarial", "no privacy", T, 0.46, 0.06),
        ("arms, adversarial", "printed, tight", T, 0.5, 0.05),
        ("arms, adversarial", "printed, tight, EXP3", T, 0.5, 0.05),
        ("arms, adversarial", "printed, tight", EPSILON, 0.96, 0.06),
        ("arms, stochastic", "no privacy", LOG_T, 1.0, 0.2),
        ("arms, stochastic", "printed", EPSILON, 1.4, 0.15),
        ("arms, stochastic", "printed, tight", EPSILON, 1.4, 0.15),
        ("best arm", "printed", EPSILON, 2.0, 0.06),
    ],
)
def test_measured_exponents(row, reading, quantity, value, within, fitted):
    assert fitted[row, reading, quantity].fit.measured == pytest.approx(value, abs=within)


def test_the_intervals_decide_between_the_printed_step_and_the_tuned_one(fitted):
    printed, tuned = (fitted["two points, convex", reading, EPSILON].fit for reading in ("printed", "tuned"))
    assert tuned.high < 1.1 < 1.8 < printed.low
    assert fitted["two points, convex", "printed", EPSILON].points == 4  # the smallest epsilons are not learnt

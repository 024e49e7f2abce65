"""The experiments, the measured exponents, the coverage, the tables and the pictures of the heavy-tailed chapter."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from private_bandits.papers import heavy_tailed
from private_bandits.papers.heavy_tailed import bounds
from private_bandits_book.heavy_tailed import (
    check_parameters,
    claims,
    coverage,
    experiments,
    headline,
    panels,
    pictures,
    rates,
    tables,
)
from private_bandits_book.heavy_tailed.fluid import fluid_regret
from private_bandits_book.studies import find

CURVES = {"policy", "epsilon", "t", "regret", "regret_se", "replications"}


def make(horizon, *, replications=3, exact=2000, **changes):
    values = {
        "beta": 1e-15, "spare_shape": 0.05, "u_over_moment": 1.0, "small_c": 4.0, "small_local_c": 8.0,
        "small_radius": 1.0,
    }  # fmt: skip
    return experiments.Experiments(horizon, replications, 5, 1, exact, **{**values, **changes})


def gather(setting, *, vs=(0.9,), epsilons=(0.5,), local_epsilons=(0.5, 1.0)):
    growth = rates.Rates(setting.horizon, setting.replications, setting.seed)
    return claims.Evidence(
        central={(n, v, e): setting.central(n, v, e) for n in experiments.SETTINGS for v in vs for e in epsilons},
        local={v: setting.local(v, local_epsilons) for v in vs},
        fluid={v: setting.fluid_check(v) for v in vs},
        learnt={v: setting.learnt(v) for v in vs},
        unknown={v: setting.unknown(v) for v in vs},
        episodes={v: setting.episodes(v) for v in vs},
        bounded=setting.bounded(),
        exponents=[one for v in vs for one in growth.exponents(v)] + growth.bounded(),
        points={(box, v): growth.by_gap(box, v) for v in vs for box in (rates.DP, rates.LDP, rates.EPISODES)},
        scaling=pd.concat([coverage.scaling(setting, v) for v in vs]),
        scaling_exponents={(v, k): coverage.scaling_exponent(setting, v, k) for v in vs for k in coverage.SCALINGS},
        confidence=coverage.confidence(setting, vs, epsilons),
        local_confidence=coverage.local_confidence(setting, vs, local_epsilons),
        vs=list(vs),
        setting=setting,
    )


@pytest.fixture(scope="module")
def long():
    """The chapter at v = 0.9, where the printed constants act."""
    return gather(make(10**15))


@pytest.fixture(scope="module")
def short():
    """The chapter at a size where nothing can be decided by running."""
    return gather(make(200, replications=2, exact=50))


# --- experiments


def test_curves_reach_the_horizon_or_say_that_they_do_not(long):
    panel = long.central[1, 0.9, 0.5]
    for curve in panel:
        run_index_box = curve.name in ("DP Robust UCB", "Robust UCB")
        assert curve.t[-1] == (2000 if run_index_box else 10**15)
        assert curve.kind == ("expected" if curve.name == "uniform" else "fluid" if "fluid" in curve.name else "runs")
        assert len(curve.regret) == (3 if curve.kind == "runs" else 1)
        assert np.all(np.diff(curve.regret, axis=1) >= 0)
    assert experiments.last(panel, "DP Robust UCB", "printed").kind == "fluid"
    assert experiments.last(panel, "DP Robust SE", "printed").kind == "runs"
    uniform = find(panel, "uniform")
    assert uniform.final[0] == pytest.approx(0.4 * 10**15)


def test_readings_differ_in_their_constants_only(long):
    panel = long.central[1, 0.9, 0.5]
    printed, smaller = (find(panel, "DP Robust SE", reading) for reading in ("printed", "smaller"))
    assert printed.policy.variant == "printed" and smaller.policy.variant == "printed, c = 4"
    # pulls go as c^((1+v)/v)
    assert printed.final.mean() / smaller.final.mean() == pytest.approx(6 ** (1.9 / 0.9), rel=0.3)


def test_a_run_is_played_once_and_problems_are_kept_apart():
    setting = make(1000)
    setting.central(1, 0.9, 0.5)
    before = len(setting._played)
    setting.central(1, 0.9, 0.5)
    assert len(setting._played) == before
    # Quantile SE is told neither u nor v, so only the problem tells these runs apart
    setting = make(10**9)
    at_half, at_nine = (find(setting.unknown(v), "Quantile SE", "u and v unknown").final for v in (0.5, 0.9))
    assert np.all(at_half != at_nine)


def test_u_and_shape_are_those_of_the_chapter():
    setting = make(1000, u_over_moment=0.1, spare_shape=0.3)
    panel = setting.central(2, 0.5, 1.0)
    record = find(panel, "DP Robust SE", "printed").policy.record
    assert setting.problem(2, 0.5).shape == pytest.approx(1.8)
    assert record.u == pytest.approx(0.1 * setting.problem(2, 0.5).moment(0.5))


def test_the_fluid_approximation_is_near_the_runs():
    panel = make(10**15, exact=30_000, replications=5).fluid_check(0.9)
    assert panels.fluid_error(panel) < 0.02
    # the distance is a distance: half the radius is seen
    u, problem = make(1).moment(1, 0.9), make(1).problem(1, 0.9)
    wrong = [
        c._replace(regret=0.9 * c.regret) if c.name.endswith("fluid") and c.reading == "printed" else c for c in panel
    ]
    assert panels.fluid_error(wrong) == pytest.approx(0.1, abs=0.02)
    assert math.isnan(panels.fluid_error([c for c in panel if c.kind != "runs"]))
    policy = heavy_tailed.dp_robust_ucb(1.0, 0.9, u, 10**15)
    fluid = next(c for c in panel if c.name.endswith("fluid") and c.reading == "printed")
    assert fluid.regret[0, -1] == pytest.approx(fluid_regret(problem, policy, [1e15])[0], rel=1e-9)


def test_the_fluid_approximation_is_too_high_where_the_box_has_learnt():
    """Of two arms, at half the smaller radius: noise shortens the exploration, which the approximation leaves out."""
    panel = make(10**15, exact=600_000, replications=6).learnt(0.9)
    uniform, run, fluid = panel
    assert uniform.t[-1] == run.t[-1] == fluid.t[-1] == 600_000
    assert uniform.final[0] == pytest.approx(0.4 * 600_000)
    assert run.final.mean() < 0.4 * uniform.final[0]
    bias = panels.fluid_bias(panel)
    assert 0.1 < bias.low < bias.measured < bias.high < 1.0
    # against it the panels' own check says little: hardly anything is learnt there
    assert bias.measured > 10 * panels.fluid_error(make(10**15, exact=30_000, replications=3).fluid_check(0.9))
    unlearnt = make(10**15, exact=2000).learnt(0.9)
    assert panels.fluid_bias(unlearnt) is None
    assert panels.fluid_margin({0.5: unlearnt, 0.9: panel}) == bias.high
    assert math.isnan(panels.fluid_margin({0.5: unlearnt}))


def test_what_the_fluid_approximation_misses_is_a_share_of_what_is_learnt():
    panel = make(10**15, exact=30_000, replications=5).fluid_check(0.9)
    run, fluid = (find(panel, name, "smaller") for name in ("DP Robust UCB", "DP Robust UCB, fluid"))
    t = np.intersect1d(run.t, fluid.t)[-1]
    seen, value = run.regret[:, run.t == t].mean(), fluid.regret[0, fluid.t == t][0]
    expected = (0.4 * t - value) / (0.4 * t - seen) - 1
    assert panels.missed(panel, "smaller") == pytest.approx(expected, rel=1e-6)


def test_find_refuses_what_is_not_one_curve(long):
    with pytest.raises(LookupError, match="0 runs of 'DP Robust SE'"):
        find(long.central[1, 0.9, 0.5], "DP Robust SE", "printed", 0.3)


# --- exponents


@pytest.mark.parametrize("v", [0.5, 0.9, 1.0])
def test_measured_exponents_are_the_corrected_ones(v):
    growth = rates.Rates(10**15, 2, 1)
    found = {(one.box, one.quantity): one.fit for one in growth.exponents(v)}
    expected = {
        (rates.DP, rates.GAP): 1 / v,
        (rates.DP, rates.EPSILON): 1.0,
        (rates.DP, rates.WORST): 1 / (1 + v),
        (rates.DP, rates.MOMENT): 1 / v,
        (rates.DP, rates.WORST_MOMENT): 1 / (1 + v),
        (rates.LDP, rates.GAP): 1 + 2 / v,
        (rates.LDP, rates.EPSILON): 2.0,
        (rates.LDP, rates.WORST): (2 + v) / (2 + 2 * v),
        (rates.EPISODES, rates.GAP): 1 / v,
        (rates.EPISODES, rates.EPSILON): 1.0,
        (rates.INDEX, rates.GAP): 1 / v,
        (rates.INDEX, rates.EPSILON): 1.0,
        (rates.INDEX, rates.LOG): 2.5 + 1 / v,
        (rates.PLAIN_INDEX, rates.LOG): 1.0,
    }
    for key, exponent in expected.items():
        assert found[key].measured == pytest.approx(exponent, abs=claims.SLACK), key
    # the logarithm of the box is ln(4 K T), and its slope is what the fit sees
    predicted = rates.log_slope(10**15, 15)
    assert 0.89 < predicted < 0.9
    assert found[rates.DP, rates.LOG].measured == pytest.approx(predicted, abs=1e-3)
    assert predicted - 0.05 < found[rates.LDP, rates.LOG].measured < 1.0
    assert {key for key in found} >= set(expected)


def test_points_are_in_the_unit_in_which_the_moment_is_1():
    points = rates.Rates(10**15, 2, 1).by_gap(rates.DP, 0.5)
    assert points[0].gap == pytest.approx(0.375 ** (1 / 3))
    assert len(points) > 10
    # a run loses at most its gap in every round, and more than the corrected lower bound
    for point in points:
        assert point.regret.mean() < rates.SETTLED * point.gap * 0.8 * 10**15
        assert point.regret.mean() > bounds.dp_lower(5, point.gap, 1.0, 0.5, 10**15, variant="corrected")


def test_a_small_v_asks_for_horizons_near_the_end_of_the_doubles():
    """At v = 0.05 the fluid exponents are taken at T = 10^231; a warning is an error here."""
    found = {(one.box, one.quantity): one.fit for one in rates.Rates(1000, 2, 1).fluid(0.05)}
    assert found[rates.PLAIN_INDEX, rates.GAP].measured == pytest.approx(20.0, abs=1.0)


def test_nothing_is_measured_where_nothing_settles():
    growth = rates.Rates(1000, 2, 1)
    assert growth.by_gap(rates.LDP, 0.5) == []
    measured = {(one.box, one.quantity): one.fit for one in growth.exponents(0.5) if "fluid" not in one.box}
    assert measured[rates.DP, rates.GAP] is None
    assert measured[rates.LDP, rates.WORST] is None
    # at the largest gap of all a run that has not settled loses most: that is no worst gap
    assert rates.Rates(10**6, 2, 1)._worst(rates.LDP, 0.5, 10**6) is None
    assert rates.Rates(10**15, 2, 1)._worst(rates.LDP, 0.5, 10**15) is not None
    assert np.isnan(rates.table(growth.exponents(0.5))["measured"].iloc[0])


def test_bounded_rewards_have_the_known_exponents():
    found = {(one.box, one.quantity): one.fit for one in rates.Rates(10**12, 4, 1).bounded()}
    assert found[rates.BOUNDED, rates.GAP].measured == pytest.approx(1.0, abs=0.1)
    # at small epsilon the term in epsilon dominates, which has no gap: a product of the two would have 1 here
    assert found[rates.BOUNDED, rates.SMALL_GAP].measured == pytest.approx(0.0, abs=0.1)
    assert found[rates.BOUNDED, rates.EPSILON].measured == pytest.approx(1.0, abs=0.1)
    assert found[rates.BOUNDED, rates.WORST].measured == pytest.approx(0.5, abs=0.1)
    assert found[rates.BOUNDED_LOCAL, rates.GAP].measured == pytest.approx(1.0, abs=0.35)
    assert found[rates.BOUNDED_LOCAL, rates.EPSILON].measured == pytest.approx(2.0, abs=0.35)


# --- coverage


def test_the_error_over_its_bound_grows_as_the_square_root_at_the_slides_rate():
    setting = make(1000)
    for v in (0.5, 0.9):
        assert coverage.scaling_exponent(setting, v, "slide_rate").measured == pytest.approx(0.5, abs=0.01)
        assert coverage.scaling_exponent(setting, v, "repaired").measured == pytest.approx(0.0, abs=0.01)
    frame = coverage.scaling(setting, 0.5)
    repaired = frame[frame["variant"] == "repaired"]
    # the noise alone has standard deviation 2 sqrt(2/L) err, a mean absolute value of sqrt(2/pi) times it
    assert repaired["mean"].iloc[-1] == pytest.approx(2 * math.sqrt(2 / 10) * math.sqrt(2 / math.pi), rel=0.1)
    assert np.all(repaired["q95"] > repaired["median"])


def test_cover_says_what_exceeds_the_rule():
    setting = make(10**15)
    kept = coverage.epoch_cover(setting, 1, 0.9, 0.5, 24.0, draws=40)
    assert kept.draws == 5 * 5 * 40 and kept.beyond == 0 and kept.largest < 0.3
    # the allowance shrinks with c; at c = 0.3 noise of scale 2 err/L leaves (c/4) err often
    assert coverage.epoch_cover(setting, 1, 0.9, 0.5, 0.3, draws=40).beyond > 0
    assert coverage.epoch_cover(setting, 3, 0.9, 0.5, 24.0, "slide_rate", draws=10).beyond > 200
    local = coverage.epoch_cover(setting, 3, 0.9, 0.5, 24.0, "repaired", draws=10)
    # noise of standard deviation 2 sqrt(2/L) err, of which a rule at 6 err sees about 3.5 at most
    sigma = 2 * math.sqrt(2 / math.log(8 * 5 / 1e-15)) / 6
    assert local.beyond == 0 and 2.5 * sigma < local.largest < 5 * sigma


def test_the_radius_covers_until_it_is_too_small():
    setting = make(10**15, exact=10**5)
    printed, tiny = (coverage.radius_cover(setting, 0.9, 1.0, radius, paths=5) for radius in (18.0, 0.01))
    assert printed.beyond == 0 and printed.largest < 0.1
    assert tiny.beyond == tiny.draws == printed.draws == 5
    assert tiny.largest == pytest.approx(1800 * printed.largest, rel=1e-6)


def test_confidence_names_what_is_proven_and_what_fails(long):
    central = long.confidence.set_index(["policy", "value"])["bound"]
    assert central["DP Robust SE", 24.0] == central["DP Robust UCB", 18.0] == "holds: proven"
    assert central["DP Robust SE", 4.0] == "not proven, holds in all draws"
    local = long.local_confidence.set_index(["policy", "value", "epsilon"])["bound"]
    assert local["LDP Robust SE", 24.0, 0.5] == "holds: proven"
    assert local["LDP Robust SE, slide rate", 24.0, 1.0] == "fails"
    beyond = coverage.confidence(make(1000), [0.9], [2.0])
    assert set(beyond["bound"]) == {"not measured"}


def test_no_two_cases_share_their_random_numbers():
    setting = make(10**15)
    frame = coverage.local_confidence(setting, [0.5, 0.9], [0.25, 0.5])
    measured = frame[frame["draws"] > 0]
    # with common numbers these differ in the sixth digit only
    for _, rows in measured.groupby(["policy", "value", "v"]):
        assert abs(rows["largest"].iloc[0] / rows["largest"].iloc[1] - 1) > 1e-3
    frame = coverage.confidence(setting, [0.9], [0.5, 1.0])
    for _, rows in frame.groupby(["policy", "value"]):
        assert abs(rows["largest"].iloc[0] / rows["largest"].iloc[1] - 1) > 1e-3
    assert frame[frame["policy"] == "DP Robust UCB"]["draws"].tolist() == [20] * 4


# --- tables and pictures


def test_tables_hold_what_the_page_says(long):
    needs = tables.needs(long.setting, [0.5, 0.9], tables.settled(long)).set_index(["policy", "constant", "v"])
    assert needs.loc[("LDP Robust SE", 24.0, 0.5), "counter"] == "no"
    assert needs.loc[("LDP Robust SE", 24.0, 0.9), "counter"] == "yes"
    u = long.setting.moment(3, 0.9)
    first = u ** (1 / 0.9) * 24 ** (1.9 / 0.9) * math.log(4 * 5 / 1e-15) * 2 ** (1.9 / 0.9)
    assert needs.loc[("DP Robust SE", 24.0, 0.9), "first_epoch"] == pytest.approx(first, rel=1e-3)
    # epochs to the first D below the gap 0.05, with the arms that are left: 5 at first, then 4, 3, 2 and 2
    epochs = zip((5, 4, 3, 2, 2), range(1, 6), strict=True)
    rounds = sum(
        n * bounds.dp_epoch(e, math.log(4 * n * e**2 / 1e-15), 1.0, 0.9, u ** (0.9 / 0.9)).pulls for n, e in epochs
    )
    assert needs.loc[("DP Robust SE", 24.0, 0.9), "allowed"] == pytest.approx(rounds)
    # the runs are at epsilon 1 for the local box only, and settle well before its bound
    assert np.isnan(needs.loc[("DP Robust SE", 24.0, 0.9), "seen"])
    seen, allowed = needs.loc[("LDP Robust SE", 24.0, 0.9), ["seen", "allowed"]]
    assert 5 < allowed / seen < 100
    ends = tables.ends(long.central)
    assert len(ends) == 3 and ends["dp_robust_se"].max() < 1e-6 < ends["dp_robust_ucb"].min()
    boxes = tables.policies(long.setting, 0.9, 0.5)
    assert boxes["pays"].tolist() == [math.inf, math.inf] + [0.5] * 6


def test_the_summary_has_a_row_for_every_cell(long):
    frame = tables.table_summary(long)
    assert len(frame) == 16
    cell = frame.set_index(["rewards", "kind", "model", "side"])
    local = cell.loc[("heavy-tailed", "instance-dependent", "LDP", "upper")]
    assert local["printed_gap"] == pytest.approx(1 / 0.9) and local["corrected_gap"] == pytest.approx(1 + 2 / 0.9)
    assert local["measured_gap"] == pytest.approx(local["corrected_gap"], abs=0.1)
    assert local["low_gap"] <= local["measured_gap"] <= local["high_gap"]
    assert cell.loc[("heavy-tailed", "instance-independent", "DP", "lower"), "printed_formula"] == ""
    # no run shows what every algorithm must lose
    lower = frame[frame["side"] == "lower"]
    assert lower[["measured_gap", "measured_epsilon", "measured_horizon"]].isna().all(axis=None)
    assert len(tables.table_summary(dataclasses.replace(long, vs=[0.5, 0.9]))) == 8 + 2 * 8
    text = tables.formulas(long)
    assert len(text.splitlines()) == 18 and "none" in text


def test_pictures_follow_the_runs(long, short):
    for evidence in (long, short):
        drawn = [
            pictures.central(evidence, 1, 0.9, 0.5),
            pictures.local(evidence, 0.9),
            pictures.fluid(evidence),
            pictures.by_gap(evidence, 0.9),
            pictures.unknown(evidence),
            pictures.episodes(evidence),
            pictures.bounded(evidence),
        ]
        for picture in drawn:
            assert set(picture.data) >= CURVES
            assert "nan" not in picture.caption + picture.alt
            assert "{" not in picture.caption + picture.alt
        spread = pictures.scaling(evidence)
        assert {"variant", "v", "epsilon", "pulls", "mean", "se", "median", "q95", "draws"} <= set(spread.data)
    panel = pictures.central(long, 1, 0.9, 0.5)
    assert "v = 0.9, ε = 0.5" in panel.caption and "fluid" in panel.caption and "Mean of 3 runs" in panel.caption


def test_in_short_follows_the_ledger(long, short):
    ledger = claims.judge(long)
    text = headline.in_short(long, ledger)
    assert "not reproduced, both parts" in text and "10¹⁵" in text and "in the fluid approximation" in text
    assert "The printed powers of $u$ are wrong" in text
    other = claims.judge(short)
    text = headline.in_short(short, other)
    assert "**The central theorems:** not reproduced, both parts" in text
    assert "could not be measured at these parameters" in text
    assert "The printed powers of $u$" not in text  # the repair was not shown
    assert "nan" not in text


def test_a_crossing_is_the_last_round_above(long):
    panel = long.central[1, 0.9, 0.5]
    crossing = panels.overtaken(panel)
    mine = find(panel, "DP Robust SE", "printed")
    other = next(c for c in panel if c.name == "DP Robust UCB, fluid" and c.reading == "printed")

    def above(t):
        return mine.regret.mean(axis=0)[mine.t == t][0] > other.regret[0][other.t == t][0]

    place = int(np.flatnonzero(other.t == crossing)[0])
    assert above(crossing) and not any(above(t) for t in other.t[place + 1 :])
    assert f"from T = {pictures.short(crossing)} on" in pictures.central(long, 1, 0.9, 0.5).caption
    higher = [c._replace(regret=c.regret * 1e9) if "UCB" in c.name else c for c in panel]
    assert math.isnan(panels.overtaken(higher))


def test_a_run_has_settled_where_it_loses_no_more(long):
    curve = find(long.central[1, 0.9, 0.5], "DP Robust SE", "printed")
    at = panels.settled(curve)
    place = int(np.flatnonzero(curve.t == at)[0])
    assert np.allclose(curve.regret[:, place], curve.final) and np.any(curve.regret[:, place - 1] < curve.final)
    growing = curve._replace(regret=np.tile(curve.t.astype(float), (3, 1)))
    assert math.isnan(panels.settled(growing))


# --- parameters


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vs": [0.0]}, "vs must be"),
        ({"vs": [1.5]}, "vs must be"),
        ({"vs": [0.5, 0.5]}, "vs must not repeat"),
        ({"vs": [0.1, 0.2, 0.3, 0.4, 0.5]}, "vs must have at most 4"),
        ({"epsilons": [0.1, 0.2, 0.3, 0.4, 0.5]}, "epsilons must have at most 4"),
        ({"local_epsilons": [0.1, 0.2, 0.3, 0.4, 0.5]}, "local_epsilons must have at most 4"),
        ({"beta": 0.0}, "beta must be"),
        ({"beta": 1.0}, "beta must be"),
        ({"spare_shape": 0.0}, "spare_shape must be"),
        ({"u_over_moment": -1.0}, "u_over_moment must be"),
        ({"small_c": 0.0}, "small_c must be"),
        ({"small_local_c": 0.0}, "small_local_c must be"),
        ({"small_radius": 0.0}, "small_radius must be"),
        ({"horizon": 10**16}, "horizon must be"),
        ({"exact_horizon": 10**9}, "exact_horizon must be"),
    ],
)
def test_parameters_must_fit(change, message):
    good = {
        "horizon": 10**15, "exact_horizon": 10**6, "vs": [0.5, 0.9], "epsilons": [0.5, 1.0], "local_epsilons": [0.25],
        "beta": 1e-15, "spare_shape": 0.05, "u_over_moment": 1.0, "small_c": 4.0, "small_local_c": 8.0,
        "small_radius": 1.0,
    }  # fmt: skip
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})

"""The study, figures, tables, words and longer studies of the semi-bandits chapter."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from synthetic import long_frame
from test_semibandits_claims import EVERY, NAMED, made

from private_bandits.estimates import Interval
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds, instances
from private_bandits.simulate import simulate
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.semibandits import check_parameters, panels, study, sweeps, tables
from private_bandits_book.semibandits.exhibits import exhibits
from private_bandits_book.semibandits.study import Study
from private_bandits_book.studies import Run, Runs, key, play_long
from private_bandits_book.sweep import Sweep

DATA = Path(__file__).parents[1] / "book" / "data" / "semibandits"
REPLAYED = {"sizes": ("CUCB-LDP1", 4), "exponents": ("CUCB-DP", 2), "map": ("CUCB-DP", 2), "lower": ("DP-SE", 1)}
PARAMETERS = {
    "horizon": 60,
    "replications": 2,
    "seed": 1,
    "n_jobs": 1,
    "epsilons": [0.5, 10.0],
    "n_arms": 5,
    "size": 2,
    "gap": 0.3,
    "sizes": [1, 3],
    "map_epsilons": [1.0, 10.0],
    "map_gaps": [0.2, 0.1],
}


def committed(label):
    return pd.read_csv(DATA / f"long-{label}.csv")


@pytest.fixture(scope="module")
def small():
    """The chapter at a size where nothing can be decided by measurement."""
    return Study(**PARAMETERS, long_study=committed)


def at(**changed):
    return Study(**PARAMETERS | changed)


def shown(study, label):
    """An exhibit as the page shows it."""
    return exhibits.makers(study)[label]()


# --- the longer studies


@pytest.mark.check
@pytest.mark.parametrize("label", sweeps.STUDIES)
def test_a_longer_study_is_what_its_runs_play(label):
    """Every run and nothing else is committed; each begins as replayed, and one ends so."""
    stored = pd.read_csv(DATA / f"long-{label}.csv", dtype={"regret": str})
    runs = sweeps.STUDIES[label]()
    policy, size = REPLAYED[label]
    whole = next(run for run in runs if run.policy.name == policy and run.labels["size"] == size)
    left = len(stored)
    for run in runs:
        part = rows_of(stored, run)
        assert part["replication"].nunique() == run.replications >= 5
        assert part["t"].max() == run.horizon
        left -= len(part)
        first = part[part["replication"] == 0].set_index("t")["regret"]
        rounds = run.horizon if run is whole else 10_000
        again = play_long(run._replace(replications=1, horizon=rounds), n_jobs=1)
        played = dict(zip(again["t"], csv_text(again[["regret"]]).split()[1:], strict=True))
        assert first[first.index <= rounds].to_dict() == {t: played[t] for t in first.index if t <= rounds}
        assert rounds in played
    assert left == 0


def rows_of(frame, run):
    chosen = np.ones(len(frame), bool)
    for column, value in run.labels.items():
        if isinstance(value, str):
            chosen &= (frame[column] == value).to_numpy()
        else:
            same = np.isclose(frame[column], value, rtol=1e-9) if math.isfinite(value) else np.isinf(frame[column])
            chosen &= np.asarray(same)
    return frame[chosen]


def made_up(quantity, column, values, power, policy="CUCB-LDP2", family="K-path"):
    """Five replications of a study whose regret is exactly a power of what moves."""
    rows = []
    for value in values:
        row = {"epsilon": 1.0, "n_arms": 10, "size": 2, "gap": 0.1, "horizon": 1000} | {column: value}
        x = {"1/epsilon": 1 / row["epsilon"], "1/gap": 1 / row["gap"], "ln T": math.log(row["horizon"])}
        loss = x.get(quantity, row["size"]) ** power * ((row["n_arms"] - row["size"]) if quantity == "K" else 1.0)
        labels = {"quantity": quantity, "family": family, "policy": policy, "variant": "printed"}
        for replication in range(5):
            for t, regret in ((10, 1e9), (row["horizon"], loss)):
                rows.append(labels | row | {"replication": replication, "t": t, "regret": regret})
    return rows


def of_made_up(quantity, column, values, power, **changed):
    """The exponents of a sweep over made-up rows."""
    frame = pd.DataFrame(made_up(quantity, column, values, power, **changed))
    labels = {name: frame[name].iloc[0] for name in ("quantity", "family", "policy", "variant")}
    return sweeps.fits_of(Sweep(labels, quantity, values, lambda value: [], design=NAMED[labels["policy"]]), frame)


@pytest.mark.parametrize(
    ("quantity", "column", "values", "power"),
    [
        ("1/epsilon", "epsilon", (0.25, 0.5, 1.0), 2.0),
        ("1/gap", "gap", (0.1, 0.2, 0.3), 1.5),
        ("ln T", "horizon", (100, 1000, 10000), 3.0),
        ("K", "size", (1, 2, 4), 1.25),
    ],
)
def test_exponents_are_those_of_the_runs(quantity, column, values, power):
    fits = of_made_up(quantity, column, values, power)
    assert [fit.quantity for fit in fits] == [quantity, "K, per arm"][: 1 + (quantity == "K")]
    for fit in fits:  # regret over the arms in bad super arms: on K-paths n_arms - K
        assert fit.fit.measured == pytest.approx(power)
        assert (fit.points, fit.replications, fit.values) == (3, 5, list(values))
        told = {
            "key": NAMED["CUCB-LDP2"],
            "policy": "CUCB-LDP2",
            "variant": "printed",
            "family": "K-path",
            "noisy": True,
        }
        assert fit.labels == told | {"horizon": max(values) if column == "horizon" else 1000}
    short = of_made_up(quantity, column, values[:2], power)
    assert {fit.fit for fit in short} == {None}  # two points do not count


def test_dummies_are_in_bad_super_arms():
    sizes = np.array([1.0, 2.0, 4.0])
    fits = of_made_up("K", "size", (1, 2, 4), 0.5, family="one matters")
    assert [fit.quantity for fit in fits] == ["K", "K, per arm"]
    slope = np.polyfit(np.log(sizes), np.log(sizes**0.5 * (10 - sizes) / 9.0), 1)[0]
    assert [fit.fit.measured for fit in fits] == pytest.approx([0.5, slope])


def test_every_sweep_has_its_exponents_and_dp_se_at_the_smallest_epsilon_and_the_largest_gap():
    def regret(run, t):
        epsilon = min(run.labels["epsilon"], 100.0)
        return 1e-4 * epsilon**-1.5 * run.labels["gap"] ** (-0.25 / epsilon**0.1) * (t / run.horizon)

    frames = [long_frame(sweeps.STUDIES[label](), regret, points=2) for label in ("sizes", "exponents", "lower")]
    fits = sweeps.exponents(*frames)
    keys = [(*fit.labels.values(), fit.quantity) for fit in fits]
    assert len(set(keys)) == len(fits) and all(fit.fit is not None for fit in fits)  # no exponent twice
    found = {fit.quantity: fit.fit.measured for fit in fits if fit.labels["policy"] == "DP-SE"}
    assert found["1/gap"] == pytest.approx(0.25 / min(sweeps.LOWER_EPSILONS) ** 0.1)
    epsilons = np.array(sweeps.LOWER_EPSILONS)
    law = epsilons**-1.5 * max(sweeps.LOWER_GAPS) ** (-0.25 / epsilons**0.1)
    assert found["1/epsilon"] == pytest.approx(-np.polyfit(np.log(epsilons), np.log(law), 1)[0])
    with pytest.raises(LookupError, match="lacks the runs of .*'CUCB-LDP1'.* at .8."):
        sweeps.exponents(frames[0][frames[0]["size"] != 8], *frames[1:])


def test_a_power_is_removed_from_one_algorithm_by_the_other(small):
    for family, power in (("one matters", 2), ("max-path", 1), ("K-path", 1)):
        one, two = (study.Source(policy, "repaired", family) for policy in (sweeps.LDP1, sweeps.LDP2))
        found, fits = small.removed(one, two).fit, [small.fit(each, "K").fit for each in (one, two)]
        assert found.low < found.measured < found.high and abs(found.measured - power) < 0.5
        if family != "K-path":  # where the K of the two are not all the same
            assert found.measured == pytest.approx(fits[0].measured - fits[1].measured)


def test_over_a_bound_the_power_is_that_of_regret_less_that_of_the_bound(small):
    source = study.Source(sweeps.LDP2, "repaired", "K-path at 1/2")
    sizes = np.array([1, 2, 4])
    lower = [bounds.theorem_6(3 * k, k, 0.34, 1.0, 40_000_000, variant="corrected") / (2 * k) for k in sizes]
    slope = np.polyfit(np.log(sizes), np.log(lower), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.03)
    assert small.over_bound(source).fit.measured == pytest.approx(small.fit(source, "K").fit.measured - slope)


@pytest.mark.parametrize(
    ("policy", "family", "size", "reports"),
    [
        (paper.cucb_ldp1(1.0, 4, "repaired", 10**6), "one matters", 4, 128),
        (paper.cucb_ldp2(1.0, "repaired", 10**6), "one matters", 1, 128),
        (paper.cucb_ldp2(1.0, "repaired", 10**6), "top-K", 4, 4 * 128),
        (paper.cucb_ldp1(1.0, 4, "repaired", 10**6), "top-K", 4, 128),
    ],
)
def test_a_prediction_plays_bad_super_arms_until_their_radii_are_small(policy, family, size, reports):
    at_ = sweeps.setting(family, size, 0.9, 128)
    found = sweeps.predicted(sweeps._long("K", at_, policy, 10**6)) / (0.9 * reports)
    (term,) = policy.record.terms
    assert math.sqrt(term[1] / found) + policy.record.bonus_scale / found == pytest.approx(0.9)


def test_a_dummy_reports_as_often_as_the_arm_that_stays_longest():
    lost = [
        sweeps.predicted(
            sweeps._long(
                "K", sweeps.setting("one matters", size, 0.9, 128), paper.cucb_ldp2(1.0, "repaired", 10**6), 10**6
            )
        )
        for size in (1, 9)
    ]
    assert 1.2 < (lost[1] / lost[0] - 1) * 128 / 8 < 1.8


def test_regret_is_what_the_radii_give(small):
    """On every sweep that can be predicted, seldom by more than a few per cent."""
    ratios = []
    for label in ("sizes", "exponents"):
        frame = sweeps.final_regrets(committed(label))
        for run in (run for block in sweeps.blocks(label) for sweep in block for run in sweep.runs()):
            labels = {
                name: run.labels[name] for name in ("policy", "variant", "family", "n_arms", "size", "gap", "horizon")
            }
            told = labels["family"] in ("one matters", "max-path", "top-K", "K-path", "arms")
            if told and key(run.policy) != sweeps.RADIUS:
                rows = rows_of(frame, run._replace(labels=labels | {"epsilon": run.labels["epsilon"]}))
                ratios.append(float(rows["measured"].iloc[0]) / sweeps.predicted(run))
    assert len(ratios) > 150 and np.quantile(ratios, [0.05, 0.95]) == pytest.approx([1.0, 1.0], abs=0.1)
    assert np.mean(np.abs(np.log(ratios)) < 0.05) > 0.8


def test_of_a_path_the_largest_error_counts_or_the_smallest():
    policy, lost = paper.cucb_ldp2(1.0, "repaired", 10**6), {}
    for family, gap in (("max-path", 0.5), ("K-path", 4.0)):
        for size in (1, 8):  # means half apart
            at_ = sweeps.setting(family, size, gap * size / 8 if family == "K-path" else gap, 16)
            lost[family, size] = sweeps.predicted(sweeps._long("K", at_, policy, 10**6))
    assert 1.2 < lost["max-path", 8] / lost["max-path", 1] < 2
    assert 0.4 < lost["K-path", 8] / lost["K-path", 1] / 8 < 0.9


def test_every_fitted_run_has_learnt():
    """What loses half of what uniform play does says nothing of a power."""
    for label in ("sizes", "exponents", "lower"):
        stored = committed(label)
        for run in sweeps.STUDIES[label]():
            part = rows_of(stored, run)
            lost = part.loc[part["t"] == run.horizon, "regret"].mean()
            assert lost < 0.5 * run.problem.uniform_regret() * run.horizon


def test_every_fit_that_a_rule_asks_of_the_longer_studies_is_there(small):
    """A row that is missing is an error; the verdicts that longer studies alone decide are the committed ones."""
    ledger, stored = small.ledger.set_index("claim"), pd.read_csv(DATA / "claims.csv").set_index("claim")
    long = [claim for claim in stored.index if "--long" in stored.loc[claim, "command"]]
    assert len(long) > 10
    assert ledger.loc[long, "verdict"].tolist() == stored.loc[long, "verdict"].tolist()
    numbers = (frame.loc[long, ["measured", "low", "high"]].to_numpy(float) for frame in (ledger, stored))
    np.testing.assert_allclose(*numbers, rtol=1e-8)
    assert not ledger["reason"].str.contains("not run here|cannot be measured").any()


@pytest.mark.parametrize("family", [*instances.SHAPES, *sweeps.INSIDE, *sweeps.AS_ARMS])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_an_instance_has_the_arms_the_distance_and_the_gap_that_it_says(family, size):
    few = sweeps.AS_ARMS.get(family, family) in sweeps.FEW
    found = sweeps.setting(family, size, 0.2, 0 if few else 8)
    problem, gaps = found.problem, found.problem.smallest_gaps
    assert problem.means.max() == (0.5 if "1/2" in family else 1.0)
    assert gaps[gaps > 0].min() == pytest.approx(found.gap) == pytest.approx(0.2)
    if family not in sweeps.AS_ARMS:
        worse = problem.means[problem.means < problem.means.max()]
        low = worse.max() if family == "one matters" and size > 1 else worse.min()
        distance = 0.2 / size if "K-path" in family else 0.2
        assert problem.means.max() - low == pytest.approx(distance)
    assert problem.list_size == (1 if "arms" in family else size)
    assert found.size == (1 if family.startswith("arms") else size)
    assert found.n_arms - found.size == (2 * size if few and "K-path" in family else 4 if few else 8)
    if family in ("one matters", "max-path", "B_inf at 1/2"):
        assert problem.b_inf == 1.0


@pytest.mark.parametrize("family", sweeps.AS_ARMS)
def test_a_super_arm_as_one_arm_loses_what_it_does(family):
    whole, single = (sweeps.setting(name, 4, 0.2, 8).problem for name in (sweeps.AS_ARMS[family], family))
    assert whole.rewards == pytest.approx(single.rewards)


def test_final_regrets_are_means_at_the_horizon(small):
    lower = committed("lower")
    frame = sweeps.final_regrets(lower)
    assert len(frame) == len(sweeps.lower_runs())
    row = frame.iloc[0]
    part = lower[(lower["epsilon"] == row["epsilon"]) & (lower["gap"] == row["gap"]) & (lower["t"] == row["horizon"])]
    assert row["measured"] == pytest.approx(part["regret"].mean())
    own = sweeps.final_regrets(study.own_rows(small.learning[0.5]))
    assert own["gap"].tolist() == pytest.approx([0.3] * 10)
    assert own["measured"].tolist() == pytest.approx([run.final.mean() for run in small.learning[0.5]])


# --- the map


def map_frame(printed, plain, local):
    rows = []
    for policy, epsilon, regrets in (
        ("CUCB-DP", 1.0, printed),
        ("CUCB-DP", math.inf, plain),
        ("CUCB-LDP2", 1.0, local),
    ):
        variant = "repaired" if policy == "CUCB-LDP2" else "printed"
        for replication, regret in enumerate(regrets):
            row = {"policy": policy, "variant": variant, "epsilon": epsilon, "gap": 0.2, "horizon": 1000, "t": 1000}
            rows.append(row | {"replication": replication, "regret": regret})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("printed", "plain", "term"),
    [
        ([50.0, 51.0, 52.0], [10.0, 10.1, 9.9], "private"),
        ([50.0, 51.0, 52.0], [40.0, 41.0, 39.0], "sampling"),
        ([50.0, 51.0, 52.0], [25.0, 26.0, 25.5], "unclear"),
        ([50.0, 51.0, 52.0], [24.8, 25.8, 25.3], "unclear"),  # more than half, but not for certain
        ([99.0, 100.0, 100.9], [10.0, 10.1, 9.9], "private"),
        ([99.0, 100.0, 101.1], [10.0, 10.1, 9.9], "not learnt"),
        ([49.99, 50.0, 50.01], [24.89, 24.9, 24.91], "private"),
        ([49.99, 50.0, 50.01], [25.09, 25.1, 25.11], "sampling"),
        ([50.0, 50.0, 50.0], [24.9, 24.9, 24.9], "unclear"),  # three runs that are alike are of a law of few values
    ],
)
def test_the_dominating_term_is_that_of_the_regret(printed, plain, term):
    """Two of four arms are worse, by 0.2 each: uniform play loses 200, and half of that is not to have learnt."""
    (row,) = study.dominance(map_frame(printed, plain, [80.0, 100.0, 120.0])).to_dict("records")
    assert row["term"] == term
    assert row["share"] == pytest.approx(1 - np.mean(plain) / np.mean(printed))
    assert row["over_local"] == pytest.approx(np.mean(printed) / 100)
    assert row["over_uniform"] == pytest.approx(np.mean(printed) / 200)
    assert 0 < row["bound_share"] < 1


def test_a_share_is_open_where_a_run_is_stuck():
    """One run of twenty loses half as much again: that hardly moves the share, three stuck ones could."""
    plain = [*np.linspace(1.0, 1.01, 19), 1.0]
    for last, term in ((1.005, "private"), (1.5, "unclear")):
        printed, local = [60.0 * x for x in plain], [80.0 * x for x in plain]
        (row,) = study.dominance(map_frame(printed, [10.0 * x for x in [*plain[:-1], last]], local)).to_dict("records")
        assert row["term"] == term and (row["low"] < 0.5) is (term == "unclear") and row["share"] > 0.82


def cells():
    """A map of three cells in each variant, all different."""
    frame = pd.DataFrame(
        [
            {"variant": "printed", "term": "private", "epsilon": 1.0, "over_local": 3.0, "replications": 20},
            {"variant": "printed", "term": "not learnt", "epsilon": 3.0, "over_local": 12.4, "replications": 5},
            {"variant": "printed", "term": "private", "epsilon": 10.0, "over_local": math.nan, "replications": 5},
            {"variant": "repaired", "term": "private", "epsilon": 1.0, "over_local": 2.0, "replications": 20},
            {"variant": "repaired", "term": "private", "epsilon": 3.0, "over_local": 0.5, "replications": 20},
            {"variant": "repaired", "term": "sampling", "epsilon": 10.0, "over_local": 4.0, "replications": 20},
        ]
    )
    return frame.assign(t=1000, gap=0.1)


def test_the_map_is_drawn_and_told_in_its_own_numbers():
    told = at()
    vars(told)["dominance"] = cells()
    picture = shown(told, "figure-central-local")
    assert [text.get_text() for axes in picture.fig.axes for text in axes.texts] == ["3", "12", "", "2", "0.5", "4"]
    assert "Means of 5 to 20 runs" in picture.caption
    assert picture.alt == (
        "Cells by term. printed: private in 2, unclear in 0, sampling in 0, not learnt in 1; repaired: private in 2, "
        "unclear in 0, sampling in 1, not learnt in 0. The centre gains in 1 of 6 cells."
    )
    text = shown(told, "findings-map")
    assert "sampling dominates in 1 of 3 cells" in text and "between $\\epsilon=3$ and $10$ at $\\Delta=0.1$" in text
    assert "in 1 of 6 cells, repaired: at $\\epsilon$ from 3 to 3" in text and "0.5 to 0.5 of the local" in text
    vars(told)["dominance"] = cells().assign(term="private", over_local=2.0)
    none = shown(told, "findings-map")
    assert "in 0 of 3 cells." in none and none.endswith("in 0 of 6 cells.")


def test_a_panel_of_the_map_has_a_cell_for_every_epsilon_and_gap(small):
    frame = study.dominance(study.own_rows(small.map))
    assert len(frame) == 2 * 2 * 2
    told = at()
    vars(told)["dominance"] = frame
    assert [len(axes.patches) for axes in shown(told, "figure-central-local").fig.axes] == [4, 4]


# --- what is played


def test_every_policy_of_the_page_is_played_once(small):
    names = {(run.name, run.variant) for run in small.learning[0.5]}
    private = {"CUCB-LDP1", "CUCB-LDP2", "CUCB-DP", "CUCB-DP, least pulled"}
    plain = {("CUCB", ""), ("CUCB, least pulled", "")}
    assert names == {(name, variant) for name in private for variant in paper.VARIANTS} | plain
    assert [policy.name for policy in small.policies(0.5)[1:]] == [run.name for run in small.learning[0.5][2:]]
    before = len(small._played)
    assert small._learning(0.5)[3].data is small.learning[0.5][3].data
    assert len(small._played) == before


def test_oracles_are_measured_against_the_best_and_against_their_benchmark(small):
    frame = shown(small, "table-oracles").frame
    shift = frame["regret"] - frame["approximation_regret"]
    assert (frame["regret"] >= -1e-9).all()
    assert shift.to_numpy() == pytest.approx((1 - frame["alpha"] * frame["beta"]).to_numpy() * 3.6 * 60)
    assert set(frame["oracle"]) == {"exact", "greedy", "failing"}
    assert frame.loc[frame["oracle"] == "greedy", "alpha"].iloc[0] == pytest.approx(1 - math.exp(-1))


def test_greedy_is_not_exact_on_the_coverage_instance():
    problems = study.coverages()
    assert problems["exact"].best == pytest.approx(3.6)
    run = simulate(problems["greedy"], paper.cucb(), horizon=3000, replications=3, seed=0)
    exact = simulate(problems["exact"], paper.cucb(), horizon=3000, replications=3, seed=0)
    lost = run.regret[:, -1] + (problems["greedy"].best - problems["greedy"].benchmark) * 3000
    assert float(lost.mean()) > 5 * float(exact.regret[:, -1].mean())


# --- what is said, on runs and fits that are all different


def fake(policy, variant, value, on, **swept):
    data = xr.Dataset({"regret": (("replication", "t"), [[1.0, value - 0.5], [1.0, value + 0.5]])}, {"t": [30, 60]})
    return Run(policy, variant, on, swept, data)


def told_apart(told):
    """The algorithms of the page at epsilon 0.5, each with a regret of its own."""
    values = [11.0, 40.0, 30.0, 20.0, 10.0, 15.0, 25.0, 35.0, 45.0]
    swept = {"n_arms": 5, "size": 2}
    runs = [fake(paper.cucb("least"), "", 12.0, told.problem, **swept)]
    for policy, value in zip(told.policies(0.5), values, strict=True):
        variant = "" if policy.name == "CUCB" else policy.version
        runs.append(fake(policy, variant, value, told.problem, **swept))
    return {0.5: Runs(runs)}


def test_the_learning_curves_are_told_in_their_own_numbers():
    told = at()
    vars(told)["learning"] = told_apart(told)
    told.epsilons = [0.5]
    picture = shown(told, "figure-regret")
    assert picture.caption.endswith("and loses 22 by the horizon.") and "means 0.5 and 0.2, T = 60." in picture.caption
    assert picture.alt == (
        "Regret at the horizon. printed, epsilon 0.5: DP, least pulled 10, CUCB 11, CUCB, least pulled 12, DP 20, "
        "LDP2 30, LDP1 40; repaired, epsilon 0.5: CUCB 11, CUCB, least pulled 12, LDP1 15, LDP2 25, DP 35, "
        "DP, least pulled 45."
    )
    assert set(picture.data["family"]) == {"none", "laplace", "tree", "uniform"}


def test_the_sizes_and_the_graphs_are_told_in_their_own_numbers():
    told, runs = at(), Runs()
    for step, size in enumerate((1, 3)):
        problem = instances.separated("windows", 3, size, 0.3)
        swept = {"size": size, "n_arms": size + 3, "instances": "windows"}
        for k, policy in enumerate(
            (paper.super_arm_radius(10.0, 60), *sweeps.local_policies(10.0, size, 60, "repaired"))
        ):
            runs.append(fake(policy, "", 100.0 + 10 * k + step, problem, **swept))
    vars(told)["by_size"] = runs
    assert shown(told, "figure-sizes").alt == (
        "From K = 1 to K = 3: super-arm radius from 100 to 101; LDP1 from 110 to 111; LDP2 from 120 to 121."
    )
    assert "with 3 bad arms, 0.3 below" in shown(told, "figure-sizes").caption
    runs = Runs()
    for step, (name, problem) in enumerate(study.graph_problems().items()):
        swept = {"problem": name, "n_arms": problem.n_items, "size": problem.list_size}
        for place, policy in enumerate((paper.cucb(), paper.cucb_ldp2(10.0, "repaired", 60))):
            runs.append(fake(policy, "repaired" if place else "", 20.0 + step - 5 * place, problem, **swept))
    vars(told)["graphs"] = runs
    lost = [run.uniform for run in runs[::2]]
    assert shown(told, "figure-graphs").alt == (
        f"Regret at the horizon. shortest path: LDP2 15, CUCB 20, uniform play {lost[0]:.0f}; spanning tree: LDP2 16, "
        f"CUCB 21, uniform play {lost[1]:.0f}."
    )


@pytest.fixture(scope="module")
def fitted(small):
    """A study in which every exponent is another number, and the longer studies are the committed ones."""
    keys = [key for key in EVERY if key[2] != "arms at 1/2"]
    numbers = {key: (0.01 * (place + 1) - 0.3, 0.01 * (place + 1) + 0.3) for place, key in enumerate(keys)}
    numbers |= {("DP-SE", "printed", "arms at 1/2", True, "1/gap"): (0.56, 0.76)}
    told = made(numbers, epsilons=[0.5, 10.0])
    told.long_study = small.long_study
    return told


def power(told, policy, variant, family, quantity="K"):
    return f"{told.fit(study.Source(NAMED[policy], variant, family), quantity).fit.measured:.2f}"


def test_the_powers_of_k_stand_at_their_lines(fitted):
    for label, titles in (
        ("figure-removed", {"one matters": "one arm matters", "max-path": "largest of a path"}),
        ("figure-radius", {"K-path": "K-path, Δ held", "windows": "overlapping windows"}),
        ("figure-lower-bounds", {"B_inf at 1/2": "Theorem 5, one arm matters", "K-path at 1/2": "Theorem 6, K-path"}),
    ):
        picture = shown(fitted, label)
        drawn = {text.get_text() for axes in picture.fig.axes for text in axes.texts}
        for family, title in titles.items():
            least = power(fitted, "CUCB-LDP2", "repaired", family)
            (said,) = [part for part in picture.alt.split("; ") if title in part]
            assert f"least pulled sent, Laplace {least}" in said and least in drawn
    rows = shown(fitted, "table-k-exponent").frame
    assert len(rows) > 20 and rows["instance"].notna().all()


def test_the_findings_are_told_in_their_own_numbers(fitted):
    vars(fitted)["learning"] = told_apart(at())
    vars(fitted)["dominance"] = cells()
    vars(fitted)["removed"] = lambda sent, least: fitted.fit(sent, "K")._replace(
        fit=Interval.exact(len(sent.family) + 100 * (sent.key == sweeps.LDP1) + 1000 * (sent.variant == "printed"))
    )
    verdicts = ("reproduced", "undecided", "not reproduced")
    for verdict in verdicts:
        asked = ("least-pulled-removes-k", "conjecture", "central-lower")
        rows = [(claim, "theorem", verdict) for claim in asked]
        rows += [("theorem-9", "theorem", "not testable"), ("private-term-dominated", "discussion", "not testable")]
        rows.append(("own-private-share", "contribution", "undecided"))
        vars(fitted)["ledger"] = pd.DataFrame(rows, columns=["claim", "kind", "verdict"])
        lines = shown(fitted, "findings").splitlines()
        assert f"printed and repaired: {verdict}." in lines[0] and f"rewards: {verdict}.**" in lines[1]
        assert f"the caption is ({verdict}).**" in lines[3]
        assert lines[-1].startswith(f"- **Of 4 numbered theorems, tables and figures** 3 {verdict}, 1 not testable.")
    removed, conjecture, coverage, product, private, _, top = lines[:7]
    assert "it removes $K^{111.00}$ and leaves" in removed and "$K^{108.00}$ (largest of a path)" in removed
    assert "$K^{8.00}$, $K^{5.00}$ and $K^{6.00}$" in removed and "$K^{1111.00}$, $K^{1108.00}$ and" in removed
    assert "$B_\\infty=K$" in coverage
    two, radius = (power(fitted, policy, "repaired", "K-path") for policy in ("CUCB-LDP2", "Super-arm radius"))
    assert f"measure $K^{{{radius}}}$ where the paper's algorithm has $K^{{{two}}}$." in shown(fitted, "short")
    assert f"measured $K^{{{radius}}}$ on K-paths, CUCB-LDP2 $K^{{{two}}}$" in conjecture
    assert "CUCB-LDP2 is 6.14, 12.2, 21.6 times" in conjecture
    assert "measured power of $1/\\Delta$ is 0.66 over" in product
    assert "most of the regret in 2 of 2 cells**" in private
    assert "this term is nearly dominated (not testable)" in private
    assert "printed and repaired (undecided)." in private
    assert "repaired CUCB-LDP1 loses 15, CUCB-LDP2 25, uniform play 22." in top


def test_an_algorithm_that_pays_more_than_it_promises_is_not_called_private(small):
    told = at()
    vars(told)["learning"] = small.learning
    assert "Every algorithm keeps its promise" in panels._promises(told)
    for paid, words in ((0.5, "Every algorithm keeps"), (0.501, "8 of 8 algorithms pay more")):
        broken = []
        for run in small.learning[0.5]:
            privacy = dataclasses.replace(run.policy.privacy, effective_epsilon=paid, value_epsilon=paid)
            broken.append(run._replace(policy=dataclasses.replace(run.policy, privacy=privacy)))
        vars(told)["learning"] = {0.5: Runs(broken)}
        assert words in panels._promises(told)


def test_the_printed_bonus_is_weighed_against_the_printed_noise():
    levels, log_t = 17, math.log(100_000)
    fits = 2 * math.log2(100_000) * (2 * math.sqrt(2 * levels * log_t) + 2 * log_t)
    assert 12 * log_t**3 / fits == pytest.approx(8.8, abs=0.05)
    text = panels._excess(at(horizon=100_000, n_arms=12, size=3))
    assert "is 8.8 times one that fits the printed noise, and 17 times the repaired" in text
    assert panels._excess(at(horizon=1)) == ""


def test_the_lower_bound_is_told_in_its_own_numbers():
    """Regret of exactly twice the sum of the terms, at two epsilons and two gaps."""
    rows = []
    for epsilon, gap in ((0.01, 0.1), (0.01, 0.2), (1.0, 0.1), (1.0, 0.2)):
        regret = 2 * 5 * math.log(1000) * (1 / epsilon + 1 / gap)
        row = {"policy": "DP-SE", "variant": "printed", "family": "arms", "held": "gap", "n_arms": 5, "size": 1}
        row |= {"gap": gap, "epsilon": epsilon, "horizon": 1000, "t": 1000}
        rows += [row | {"replication": r, "regret": regret * (1 + 0.1 * (r - 0.5))} for r in (0, 1)]
    told = at()
    told.long_study = {"lower": pd.DataFrame(rows)}.get
    picture = shown(told, "figure-dp-lower-bound")
    assert "regret falls to 0.22, further" in picture.caption and "between 2 and 2." in picture.caption
    assert "least, 0.22, at epsilon 0.01 and gap 0.1" in picture.alt and "within a factor of 1." in picture.alt
    assert picture.data["regret_se"].tolist() == pytest.approx((0.05 * picture.data["regret"]).tolist())


# --- tables


def test_tables_say_what_the_algorithms_are(small):
    frame = shown(small, "table-boxes").frame.set_index(["policy", "variant"])
    assert len(frame) == 9
    assert frame.loc[("CUCB-LDP1", "printed"), "scale"] == pytest.approx(2 / 0.5)
    assert frame.loc[("CUCB-LDP2", "repaired"), "scale"] == pytest.approx(1 / 0.5)
    assert frame.loc[("CUCB-LDP1", "printed"), "reports"] == "all K outcomes"
    assert frame.loc[("CUCB-LDP2", "printed"), "reports"] == "the least pulled arm"
    paid = shown(small, "table-privacy").frame
    assert (paid["paid_at_0.5"] <= 0.5 + 1e-9).all() and (paid["paid_at_10"] <= 10 + 1e-9).all()
    assert paid[paid["trust"] == "local"]["paid_at_0.5"].tolist() == pytest.approx([0.5] * 4)
    trees = paid[(paid["trust"] == "central") & (paid["variant"] == "printed")]
    assert trees["paid_at_0.5"].tolist() == pytest.approx([0.5 * 6 / (2 * math.log2(60))] * 2)
    frame = shown(small, "table-bounds").frame
    assert len(frame) == 14 and (frame["informative_from"] > 60).all()


def test_the_printed_bonuses_are_compared_by_the_algorithms(monkeypatch):
    size, epsilon = tables.crossings()
    assert size == 3 and epsilon == pytest.approx(math.sqrt(20 / 1.5), rel=1e-6)
    words = "from $K=3$ on at small $\\epsilon$, that of CUCB-LDP2 from $\\epsilon=3.65$ on"
    assert words in shown(at(), "table-boxes").caption
    first, second = paper.cucb_ldp1, paper.cucb_ldp2

    def scaled(epsilon, variant):
        return epsilon if variant == "printed" else 2 * epsilon

    monkeypatch.setattr(tables, "cucb_ldp1", lambda e, k, variant: first(scaled(e, variant), k, variant))
    monkeypatch.setattr(tables, "cucb_ldp2", lambda e, variant: second(scaled(e, variant), variant))
    # half the noise in the repaired ones: 32 K < 3 K^2 from K = 11 on, 29 < 1.5 epsilon^2 from 4.4 on
    assert (
        "from $K=11$ on" in shown(at(), "table-boxes").caption
        and "from $\\epsilon=4.4$ on" in shown(at(), "table-boxes").caption
    )
    monkeypatch.setattr(tables, "cucb_ldp1", lambda e, k, variant: first(e, 1, variant))
    monkeypatch.setattr(tables, "cucb_ldp2", lambda e, variant: second(e, "printed"))
    assert (
        "from no $K$ on" in shown(at(), "table-boxes").caption
        and "from no $\\epsilon$ on" in shown(at(), "table-boxes").caption
    )


def test_table_1_has_a_row_for_every_cell_and_its_algorithms(fitted):
    table = shown(fitted, "table-1")
    frame = table.frame
    assert frame["cell"].nunique() == 6
    assert frame["box"].tolist() == [
        *(f"CUCB-{name}, {variant}" for name in ("LDP2", "LDP1") for variant in paper.VARIANTS),
        *(f"CUCB-DP, least pulled, {variant}" for variant in paper.VARIANTS),
        "CUCB, printed",
        *(f"CUCB-{name}, {variant}" for name in ("LDP2", "DP") for variant in paper.VARIANTS),
        "CUCB, printed",
    ]
    row = frame[(frame["box"] == "CUCB-LDP2, repaired") & (frame["family"] == "K-path")].iloc[0]
    for quantity, name, claimed in (
        ("K", "k", 2),
        ("1/epsilon", "epsilon", 2),
        ("1/gap", "gap", 1),
        ("ln T", "ln_t", 1),
    ):
        value = power(fitted, "CUCB-LDP2", "repaired", "K-path", quantity)
        assert row[name] == f"{value} [{float(value) - 0.3:.2f}, {float(value) + 0.3:.2f}] ({claimed})"
    # CUCB-LDP1 stands beside the cell with the power of its own theorem
    assert frame[frame["policy"] == "CUCB-LDP1"]["k_claimed"].tolist() == [2, 2]
    assert frame[(frame["policy"] == "CUCB-LDP2") & (frame["family"] == "one matters")]["k_claimed"].tolist() == [0, 0]
    assert "Runs of up to $T = 1,000$ to 1,000" in table.caption


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 12}, "size must be >= 1 and <= 11"),
        ({"n_arms": 1}, "n_arms must be >= 2"),
        ({"gap": 0.6}, "gap must be > 0 and <= 0.5"),
        ({"map_gaps": [0.7]}, "map_gaps must be > 0 and <= 0.5"),
        ({"map_gaps": [0.1, 0.1]}, "map_gaps must not repeat"),
        ({"map_gaps": [0.01 * k for k in range(1, 8)]}, "map_gaps must have at most 6"),
        ({"map_epsilons": list(range(1, 10))}, "map_epsilons must have at most 8"),
        ({"epsilons": [1.0, 2.0, 3.0, 4.0]}, "epsilons must have at most 3"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    good = {"n_arms": 12, "size": 3, "gap": 0.3, "map_epsilons": [1.0], "map_gaps": [0.1]}
    good["epsilons"] = [0.5]
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})

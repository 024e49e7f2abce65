"""The experiments, tables, pictures and longer studies of the semi-bandits chapter."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import instances
from private_bandits.simulate import simulate
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.semibandits import check_parameters, claims, experiments, pictures, studies, tables
from private_bandits_book.studies import play_long

DATA = Path(__file__).parents[1] / "book" / "data" / "semibandits"
RUNS = {label: make() for label, make in studies.STUDIES.items()}
EVERY = [(label, number) for label, runs in RUNS.items() for number in range(len(runs))]
REPLAYED = {"sizes": ("CUCB-LDP1", 4), "exponents": ("CUCB-DP", 2), "map": ("CUCB-DP", 2), "lower": ("DP-SE", 1)}


@pytest.fixture(scope="module")
def stored():
    return {label: pd.read_csv(DATA / f"long-{label}.csv", dtype={"regret": str}) for label in RUNS}


@pytest.fixture(scope="module")
def long():
    return {label: pd.read_csv(DATA / f"long-{label}.csv") for label in RUNS}


@pytest.fixture(scope="module")
def exponents(long):
    return studies.exponents(long["sizes"], long["exponents"], long["lower"])


def rows_of(frame, run):
    told = pd.DataFrame([run.labels])
    written = pd.read_csv(DATA / "long-map.csv", nrows=0).columns  # the columns of every study
    chosen = np.ones(len(frame), bool)
    for column in told:
        assert column in written
        value = told[column].iloc[0]
        if isinstance(value, str):
            chosen &= (frame[column] == value).to_numpy()
        else:
            same = np.isclose(frame[column], value, rtol=1e-9) if math.isfinite(value) else np.isinf(frame[column])
            chosen &= np.asarray(same)
    return frame[chosen]


def replay(run, horizon):
    """Play the first replication of a longer run again, in the form in which it is stored."""
    frame = play_long(run, replications=1, horizon=horizon, n_jobs=1)
    return dict(zip(frame["t"], csv_text(frame[["regret"]]).split()[1:], strict=True))


@pytest.mark.parametrize("label", RUNS)
def test_a_longer_study_holds_every_run_and_nothing_else(label, stored):
    parts = [rows_of(stored[label], run) for run in RUNS[label]]
    for run, part in zip(RUNS[label], parts, strict=True):
        assert part["replication"].nunique() == run.replications >= 5
        assert part["t"].max() == run.horizon
    assert sum(map(len, parts)) == len(stored[label])


@pytest.mark.parametrize(("label", "number"), EVERY)
def test_the_beginning_of_every_longer_run_is_replayed(label, number, stored):
    run = RUNS[label][number]
    part = rows_of(stored[label], run)
    part = part[(part["replication"] == 0) & (part["t"] == 10_000)]
    assert part["regret"].tolist() == [replay(run, 10_000)[10_000]]


@pytest.mark.parametrize("label", RUNS)
def test_one_replication_is_replayed_to_its_end(label, stored):
    policy, size = REPLAYED[label]
    run = next(r for r in RUNS[label] if r.policy.name == policy and r.labels["size"] == size)
    part = rows_of(stored[label], run)
    part = part[part["replication"] == 0]
    again = replay(run, run.horizon)
    assert part["regret"].tolist() == [again[t] for t in part["t"]]
    assert run.horizon in again


# --- what is fitted


def made_up(quantity, column, values, power, policy="CUCB-LDP2", held="gap", family="K-path"):
    """Five replications of a study whose regret is exactly a power of what moves."""
    rows = []
    for value in values:
        row = {"epsilon": 1.0, "n_arms": 10, "size": 2, "gap": 0.1, "horizon": 1000} | {column: value}
        x = {"1/epsilon": 1 / row["epsilon"], "1/gap": 1 / row["gap"], "ln T": math.log(row["horizon"])}
        loss = x.get(quantity, row["size"]) ** power * ((row["n_arms"] - row["size"]) if quantity == "K" else 1.0)
        told = {"quantity": quantity, "held": held, "family": family, "policy": policy, "variant": "printed"}
        for replication in range(5):
            for t, regret in ((10, 1e9), (row["horizon"], loss)):
                rows.append(told | row | {"replication": replication, "t": t, "regret": regret})
    return rows


def test_exponents_are_those_of_the_runs():
    frame = pd.DataFrame(
        made_up("1/epsilon", "epsilon", (0.25, 0.5, 1.0), 2.0)
        + made_up("1/gap", "gap", (0.1, 0.2, 0.3), 1.5)
        + made_up("ln T", "horizon", (100, 1000, 10000), 3.0)
        + made_up("K", "size", (1, 2, 4), 1.25)
        + made_up("K", "size", (1, 2, 4), 0.5, policy="CUCB-LDP1", held="item gap", family="B_inf")
    )
    lower = pd.DataFrame(made_up("1/gap", "gap", (0.1, 0.2), 0.25, policy="DP-SE", family="arms"))
    lower = pd.concat([lower, lower.assign(epsilon=0.5, regret=lower["regret"] * 2.0)], ignore_index=True)
    found = studies.exponents(frame, frame.iloc[:0], lower).set_index(["policy", "family", "held", "quantity"])[
        "measured"
    ]
    assert found["CUCB-LDP2", "K-path", "gap", "1/epsilon"] == pytest.approx(2.0)
    assert found["CUCB-LDP2", "K-path", "gap", "1/gap"] == pytest.approx(1.5)
    assert found["CUCB-LDP2", "K-path", "gap", "ln T"] == pytest.approx(3.0)
    assert found["CUCB-LDP2", "K-path", "gap", "K"] == pytest.approx(1.25)
    assert found["CUCB-LDP1", "B_inf", "item gap", "K"] == pytest.approx(0.5)
    assert found["CUCB-LDP1", "B_inf", "gap", "K"] == pytest.approx(0.5)  # the gap is that of the means there
    # regret over the arms in bad super arms: on K-paths n_arms - K, on B_inf one dummy more for each more in K
    assert found["CUCB-LDP2", "K-path", "gap", "K, per arm"] == pytest.approx(1.25)
    sizes = np.array([1.0, 2.0, 4.0])
    slope = np.polyfit(np.log(sizes), np.log(sizes**0.5 * (10 - sizes) / 9.0), 1)[0]
    assert found["CUCB-LDP1", "B_inf", "gap", "K, per arm"] == pytest.approx(slope)
    assert found["DP-SE", "arms", "gap", "1/gap"] == pytest.approx(0.25)
    assert found["DP-SE", "arms", "gap", "1/epsilon"] == pytest.approx(1.0)


@pytest.mark.parametrize("family", ["B_inf", "top-K", "K-path", "path as arm", "arms"])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_an_instance_has_the_arms_the_distance_and_the_gap_that_it_says(family, size):
    problem, n_arms, gap = studies.instance(family, size, 0.1)
    means = sorted(set(np.round(problem.means, 12)))
    assert means == pytest.approx([0.4, 0.5])
    assert problem.smallest_gaps[problem.smallest_gaps > 0].min() == pytest.approx(gap)
    single = 1 if family in ("path as arm", "arms") else size
    assert problem.list_size == single
    others = {"B_inf": 4, "top-K": 4, "arms": 4}.get(family, 2 * size)
    assert n_arms - (1 if family == "arms" else size) == others


def test_the_study_says_what_the_chapter_says(exponents):
    """The chapter's findings, in numbers that a wrong power of K would break."""
    powers = exponents[exponents["quantity"] == "K"].set_index(["policy", "variant", "family", "held"])["measured"]
    assert powers["CUCB-LDP1", "repaired", "B_inf", "gap"] > 1.6
    assert 0.7 < powers["CUCB-LDP1", "printed", "B_inf", "gap"] < 1.2
    assert abs(powers["CUCB-LDP2", "repaired", "B_inf", "gap"]) < 0.2
    assert powers["CUCB-LDP2", "repaired", "K-path", "gap"] > 1.6
    assert 0.7 < powers["CUCB-LDP2", "repaired", "K-path", "item gap"] < 1.2
    assert powers["CUCB-LDP2", "repaired", "path as arm", "gap"] < 1.1
    assert powers["CUCB-LDP2", "repaired", "path as arm", "item gap"] == pytest.approx(0.0, abs=1e-9)
    gaps = exponents[exponents["quantity"] == "1/gap"].set_index(["policy", "variant", "family"])["measured"]
    assert gaps["DP-SE", "printed", "arms"] < 0.5
    assert gaps["CUCB-DP", "printed", "K-path"] < 0.5 < gaps["CUCB-LDP2", "repaired", "K-path"]


def map_frame(printed, plain, local):
    rows = []
    for policy, epsilon, regrets in (
        ("CUCB-DP", 1.0, printed),
        ("CUCB-DP", math.inf, plain),
        ("CUCB-LDP2", 1.0, local),
    ):
        variant = "repaired" if policy == "CUCB-LDP2" else "printed"
        for replication, regret in enumerate(regrets):
            told = {"policy": policy, "variant": variant, "epsilon": epsilon, "gap": 0.2, "horizon": 1000, "t": 1000}
            rows.append(told | {"replication": replication, "regret": regret})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("printed", "plain", "term"),
    [
        ([50.0, 51.0, 52.0], [10.0, 10.1, 9.9], "private"),
        ([50.0, 51.0, 52.0], [40.0, 41.0, 39.0], "sampling"),
        ([50.0, 51.0, 52.0], [25.0, 26.0, 25.5], "unclear"),
        ([150.0, 151.0, 152.0], [10.0, 10.1, 9.9], "not learnt"),
    ],
)
def test_the_dominating_term_is_that_of_the_regret(printed, plain, term):
    (row,) = tables.dominance(map_frame(printed, plain, [100.0, 100.0, 100.0])).to_dict("records")
    assert row["term"] == term
    assert row["share"] == pytest.approx(1 - np.mean(plain) / np.mean(printed))
    assert row["over_local"] == pytest.approx(np.mean(printed) / 100)
    assert row["over_uniform"] == pytest.approx(np.mean(printed) / 200)  # two of four arms are worse, by 0.2 each
    assert 0 < row["bound_share"] < 1


# --- the chapter at a size where nothing can be decided by measurement


@pytest.fixture(scope="module")
def small():
    return experiments.Experiments(60, 2, 1, 1, 5, 2, 0.3)


@pytest.fixture(scope="module")
def panels(small):
    return {
        "learning": {epsilon: small.learning(epsilon) for epsilon in (0.5, 10.0)},
        "sizes": small.sizes([1, 3], 10.0),
        "map": small.map([1.0, 10.0], [0.2, 0.1]),
        "graphs": small.graphs(10.0),
        "oracles": small.oracles(10.0),
        "plugged": small.plugged(40),
    }


def test_pictures_follow_the_runs(small, panels, long, exponents):
    dominance = tables.dominance(pd.concat([tables.map_rows(panels["map"]), long["map"]], ignore_index=True))
    drawn = {
        "learning": pictures.learning(panels["learning"][0.5], 0.5, small),
        "sizes": pictures.sizes(panels["sizes"], 10.0, small),
        "graphs": pictures.graphs(panels["graphs"], 10.0, small),
        "k": pictures.k_exponent(long["sizes"], exponents),
        "map": pictures.central_local(dominance),
        "lower": pictures.dp_lower_bound(long["lower"]),
    }
    for picture in drawn.values():
        assert {"policy", "epsilon", "t", "regret", "regret_se", "replications"} <= set(picture.data)
        assert "runs" in picture.caption and "nan" not in picture.caption + picture.alt
    assert "ε = 0.5" in drawn["learning"].caption and "T = 60" in drawn["learning"].caption
    assert {60, 1_000_000, 10_000_000} <= set(drawn["map"].data["t"])
    assert len(drawn["map"].fig.axes) == 6
    assert {"exponent", "exponent_low", "exponent_high", "per_arm"} <= set(drawn["k"].data)
    assert len(drawn["k"].fig.axes) == 4
    powers = {text.get_text() for axes in drawn["k"].fig.axes for text in axes.texts}
    assert "K-path, Δ held, printed: 10⁷" in drawn["k"].caption and "repaired: 4·10⁷" in drawn["k"].caption
    found = exponents[(exponents["quantity"] == "K") & (exponents["policy"] == "CUCB-LDP1")]["measured"]
    assert {f"{value:.2f}" for value in found} <= powers
    lower = drawn["lower"].data
    raw = long["lower"]
    last = raw[(raw["t"] == raw["horizon"]) & (raw["epsilon"] == 0.001) & (raw["gap"] == 0.01125)]["regret"]
    row = lower[(lower["epsilon"] == 0.001) & (lower["gap"] == 0.01125)].iloc[0]
    assert row["regret_se"] == pytest.approx(last.std() / math.sqrt(len(last)))


def test_a_panel_of_the_map_has_a_cell_for_every_epsilon_and_gap(panels):
    dominance = tables.dominance(tables.map_rows(panels["map"]))
    assert len(dominance) == 2 * 2 * 2
    figure = pictures.central_local(dominance).fig
    assert [len(axes.patches) for axes in figure.axes] == [4, 4]


def test_every_policy_of_the_page_is_played(panels):
    names = {(run.policy.name, run.reading) for run in panels["learning"][0.5]}
    boxes_ = {"CUCB-LDP1", "CUCB-LDP2", "CUCB-DP", "CUCB-DP, least pulled"}
    assert names == {(name, reading) for name in boxes_ for reading in paper.VARIANTS} | {
        ("CUCB", ""),
        ("CUCB, least pulled", ""),
    }


def test_equal_runs_are_played_once(small, panels):
    before = len(small._played)
    small.learning(0.5)
    assert len(small._played) == before


def test_oracles_are_measured_against_the_best_and_against_their_benchmark(panels):
    frame = tables.approximations(panels["oracles"])
    shift = frame["regret"] - frame["approximation_regret"]
    assert (frame["regret"] >= -1e-9).all()
    assert shift.to_numpy() == pytest.approx((1 - frame["alpha"] * frame["beta"]).to_numpy() * 3.6 * 60)
    assert set(frame["oracle"]) == {"exact", "greedy", "failing"}
    assert frame.loc[frame["oracle"] == "greedy", "alpha"].iloc[0] == pytest.approx(1 - math.exp(-1))


def test_greedy_is_not_exact_on_the_coverage_instance():
    problems = experiments.coverages()
    assert problems["exact"].best == pytest.approx(3.6)
    run = simulate(problems["greedy"], paper.cucb(), horizon=3000, replications=3, seed=0)
    exact = simulate(problems["exact"], paper.cucb(), horizon=3000, replications=3, seed=0)
    lost = run.regret[:, -1] + (problems["greedy"].best - problems["greedy"].benchmark) * 3000
    assert float(lost.mean()) > 5 * float(exact.regret[:, -1].mean())


def test_python_oracles_play_as_the_compiled_ones(panels):
    frame = tables.plugged(panels["plugged"])
    assert frame["equal"].all()
    assert set(frame["t"]) == {40}
    assert frame["super_arms"].tolist() == [6, 16]


def test_tables_say_what_the_boxes_are(small):
    frame = tables.records(small, 0.5).set_index(["policy", "variant"])
    assert len(frame) == 9
    assert frame.loc[("CUCB-LDP1", "printed"), "scale"] == pytest.approx(2 / 0.5)
    assert frame.loc[("CUCB-LDP2", "repaired"), "scale"] == pytest.approx(1 / 0.5)
    assert frame.loc[("CUCB-LDP1", "printed"), "reports"] != frame.loc[("CUCB-LDP2", "printed"), "reports"]
    paid = tables.paid(small, [0.5, 2.0])
    assert (paid["paid_at_0.5"] <= 0.5 + 1e-9).all() and (paid["paid_at_2"] <= 2 + 1e-9).all()
    local = paid[paid["trust"] == "local"]
    assert local["paid_at_0.5"].tolist() == pytest.approx([0.5] * 4)
    bounds = tables.upper_bounds(small, [0.5, 10.0])
    assert len(bounds) == 14 and (bounds["informative_from"] > 60).all()


def test_the_printed_bonuses_are_compared_by_the_boxes(monkeypatch):
    size, epsilon = tables.crossings()
    assert size == 3 and epsilon == pytest.approx(math.sqrt(20 / 1.5), rel=1e-6)
    assert (
        "from $K=3$ on at small $\\epsilon$, that of CUCB-LDP2 from $\\epsilon=3.65$ on" in pictures.bonuses_in_words()
    )
    first, second = paper.cucb_ldp1, paper.cucb_ldp2

    def at(epsilon, reading):
        return epsilon if reading == "printed" else 2 * epsilon

    monkeypatch.setattr(paper, "cucb_ldp1", lambda e, k, reading: first(at(e, reading), k, reading))
    monkeypatch.setattr(paper, "cucb_ldp2", lambda e, reading: second(at(e, reading), reading))
    # half the noise in the repaired boxes: 32 K < 3 K^2 from K = 11 on, 29 < 1.5 epsilon^2 from 4.4 on
    assert "from $K=11$ on" in pictures.bonuses_in_words() and "from $\\epsilon=4.4$ on" in pictures.bonuses_in_words()
    monkeypatch.setattr(paper, "cucb_ldp1", lambda e, k, reading: first(e, 1, reading))
    monkeypatch.setattr(paper, "cucb_ldp2", lambda e, reading: second(e, "printed"))
    assert "from no $K$ on" in pictures.bonuses_in_words() and "from no $\\epsilon$ on" in pictures.bonuses_in_words()


def test_table_1_has_a_row_for_every_cell_and_its_boxes(exponents):
    frame = tables.table_1(exponents)
    assert frame["cell"].nunique() == 6
    assert len(frame) == 12
    assert frame.loc[frame["model"] == "none", "epsilon"].eq("").all()
    private = frame[frame["model"] != "none"]
    assert private[["k_measured", "epsilon_measured", "gap_measured"]].notna().all(axis=None)
    row = frame[
        (frame["policy"] == "CUCB-LDP2") & (frame["variant"] == "repaired") & (frame["family"] == "K-path")
    ].iloc[0]
    assert row["k"] == f"{row['k_measured']:.2f} [{row['k_low']:.2f}, {row['k_high']:.2f}] (2)"
    # CUCB-LDP1 stands beside the cell with the power of its own theorem
    assert frame[frame["policy"] == "CUCB-LDP1"]["k_claimed"].tolist() == [2, 2]
    assert frame[(frame["policy"] == "CUCB-LDP2") & (frame["family"] == "B_inf")]["k_claimed"].tolist() == [0, 0]


def test_the_ledger_is_whole_and_in_short_follows_it(small, panels, long, exponents):
    evidence = claims.Evidence(
        exponents=exponents,
        finals=pd.concat([studies.final_regrets(long["sizes"]), tables.finals_of(list(panels["learning"].values()))]),
        epsilon=0.5,
        horizon=small.horizon,
        n_arms=small.n_arms,
        size=small.size,
        gap=small.gap,
    )
    ledger = claims.judge(evidence)
    dominance = tables.dominance(pd.concat([tables.map_rows(panels["map"]), long["map"]], ignore_index=True))
    text = pictures.in_short(small, panels["learning"], exponents, dominance, ledger)
    assert f"Of {len(ledger)} claims" in text and "nan" not in text
    assert "Every algorithm keeps its promise" in text
    for claim, question in (
        ("least-pulled-removes-k", "Does the least pulled arm remove"),
        ("algorithm-2-on-b1", "Does $K^2$ stay"),
        ("central-lower", "Is the lower bound under central privacy a product"),
    ):
        for verdict in ("reproduced", "undecided", "not reproduced"):
            told = ledger.assign(verdict=ledger["verdict"].where(ledger["claim"] != claim, verdict))
            lines = pictures.in_short(small, panels["learning"], exponents, dominance, told).splitlines()
            (line,) = (one for one in lines if question in one)
            assert f"Verdict: {verdict}.**" in line


def test_the_printed_bonus_is_weighed_against_the_printed_noise():
    setting = experiments.Experiments(100_000, 2, 0, 1, 12, 3, 0.3)
    levels, log_t = 17, math.log(100_000)
    fits = 2 * math.log2(100_000) * (2 * math.sqrt(2 * levels * log_t) + 2 * log_t)
    assert 12 * log_t**3 / fits == pytest.approx(8.8, abs=0.05)
    assert "is 8.8 times one that fits the printed noise, and 17 times the repaired" in pictures._excess(setting, 0.5)
    assert pictures._excess(experiments.Experiments(1, 2, 0, 1, 12, 3, 0.3), 0.5) == ""


def test_the_map_is_told_in_its_own_numbers():
    cells = [("private", 1.0, 2.0), ("private", 3.0, 0.5), ("sampling", 10.0, 4.0)]
    rows = [
        {"variant": reading, "t": 1000, "gap": 0.1, "epsilon": epsilon, "term": term, "over_local": ratio}
        for reading in ("printed", "repaired")
        for term, epsilon, ratio in cells
    ]
    frame = pd.DataFrame(rows)
    frame.loc[frame["variant"] == "printed", "over_local"] = 3.0
    text = pictures.map_in_words(frame)
    assert "sampling dominates in 1 of 3 cells" in text and "between $\\epsilon=3$ and $10$ at $\\Delta=0.1$" in text
    assert "in 1 of 6 cells, repaired: at $\\epsilon$ from 3 to 3" in text and "0.5 to 0.5 of the local" in text
    none = pictures.map_in_words(frame.assign(term="private", over_local=2.0))
    assert "in 0 of 3 cells." in none and none.endswith("in 0 of 6 cells.")


def test_the_power_of_k_of_one_run_times_k_is_not_shown(exponents):
    shown = tables.k_exponents(exponents)
    assert shown[shown["family"] == "path as arm"]["held"].tolist() == ["gap"]


def test_a_box_that_pays_more_than_it_promises_is_not_called_private(panels):
    broken = []
    for run in panels["learning"][0.5]:
        privacy = dataclasses.replace(run.policy.privacy, effective_epsilon=0.6, value_epsilon=0.6)
        broken.append(run._replace(policy=dataclasses.replace(run.policy, privacy=privacy)))
    assert "8 of 8 algorithms pay more" in pictures._kept({0.5: broken})


def test_final_regrets_are_means_at_the_horizon(long):
    frame = studies.final_regrets(long["lower"])
    assert len(frame) == len(RUNS["lower"])
    row = frame.iloc[0]
    raw = long["lower"]
    part = raw[(raw["epsilon"] == row["epsilon"]) & (raw["gap"] == row["gap"]) & (raw["t"] == row["horizon"])]
    assert row["measured"] == pytest.approx(part["regret"].mean())
    own = tables.finals_of([[run] for run in []] or [experiments.Experiments(50, 2, 0, 1, 5, 2, 0.3).learning(1.0)])
    assert own["gap"].tolist() == pytest.approx([0.3] * 10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 12}, "size must be >= 1 and <= 11"),
        ({"n_arms": 1}, "n_arms must be >= 2"),
        ({"gap": 0.6}, "gap must be > 0 and <= 0.5"),
        ({"map_gaps": [0.7]}, "map_gaps must be > 0 and <= 0.5"),
        ({"map_gaps": [0.1, 0.1]}, "map_gaps must not repeat"),
        ({"epsilons": [1, 2, 3, 4]}, "epsilons must have at most 3"),
        ({"map_epsilons": list(range(1, 10))}, "map_epsilons must have at most 8"),
        ({"oracle_rounds": 0}, "oracle_rounds must be >= 1"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    good = {
        "n_arms": 12, "size": 3, "gap": 0.3, "epsilons": [1.0], "map_epsilons": [1.0], "map_gaps": [0.1],
        "oracle_rounds": 10,
    }  # fmt: skip
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})


def test_instances_of_the_studies_are_the_papers():
    """The K-path and its reading as a bandit lose the same for the same choice of a path."""
    path, _, gap = studies.instance("K-path", 4, 0.1)
    single, _, same = studies.instance("path as arm", 4, 0.1)
    assert gap == same == pytest.approx(0.4)
    assert path.uniform_regret() == pytest.approx(single.uniform_regret())
    assert instances.REACH > studies.DISTANCE >= studies.FIXED_GAP

"""The experiments, graphs, tables and pictures of the definitions chapter."""

from __future__ import annotations

import math
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from private_bandits.mechanisms import response_probabilities
from private_bandits.papers import definitions
from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book import figures
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.definitions import (
    check_parameters,
    discussion,
    experiments,
    graphs,
    inference,
    lemmas,
    long_studies,
    pictures,
    tables,
)
from private_bandits_book.definitions import divergences as reports
from private_bandits_book.studies import LongRun, find, play_long

DATA = Path(__file__).parents[1] / "book" / "data" / "definitions"
EPSILONS = [0.1, 1.0, 10.0]


@pytest.fixture(scope="module")
def setting():
    return experiments.Experiments(3000, 4, 5, 1, 3, 0.5, EPSILONS)


@pytest.fixture(scope="module")
def runs(setting):
    return setting.hardest()


# --- Figure 1


def test_the_graphs_are_those_of_the_text():
    a, b, c, d = graphs.models()
    assert [model.letter for model in (a, b, c, d)] == list("abcd")
    for model in (a, b, c, d):
        assert nx.is_directed_acyclic_graph(model.graph)
        assert {*model.seen, *model.protected, *(end for arrow in model.noisy for end in arrow)} <= set(model.graph)
        assert set(model.noisy) <= set(model.graph.edges)
        assert {"nu", "pi", "x0", "x1", "r0", "r1", "a0", "a1"} <= set(model.graph)
    assert a.protected == () and b.protected == ("r0", "r1") and c.protected == ("x0", "x1") and d.protected == ("nu",)
    assert {"z0", "z1"} <= set(b.graph) and ("r0", "a1") not in b.graph.edges
    assert "z0" not in c.graph and set(c.seen) == {"a0", "a1"}


@pytest.mark.parametrize(
    ("graph", "hidden", "given", "expected"),
    [
        (graphs.bandit(), ["r0"], [], False),
        (graphs.bandit(), ["x0", "nu"], ["r0"], True),
        (graphs.bandit(local=True), ["r0"], ["z0"], True),
        (graphs.bandit(local=True), ["r0"], [], False),
        (graphs.bandit(partial_monitoring=True), ["x0"], ["r0"], False),
        (graphs.bandit(), ["nu"], ["x0"], True),
        (graphs.bandit(), ["nu"], [], False),
    ],
)
def test_separation_says_who_learns_what(graph, hidden, given, expected):
    assert graphs.separated(graph, hidden, given) is expected


def test_figure_1_draws_every_variable_and_arrow():
    fig = graphs.draw()
    assert len(fig.axes) == 4
    for axes, model in zip(fig.axes, graphs.models(), strict=True):
        kinds = [type(patch).__name__ for patch in axes.patches]
        assert kinds.count("Circle") == len(model.graph)
        assert kinds.count("FancyArrowPatch") == len(model.graph.edges)
        assert kinds.count("FancyBboxPatch") == (1 if model.protected else 0)
        shaded = [p for p in axes.patches if type(p).__name__ == "Circle" and p.get_facecolor()[:3] != (1, 1, 1)]
        assert len(shaded) == len(model.seen)
    text = figures.svg(fig)
    assert "<svg" in text and "<image" not in text and "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    frame = graphs.table()
    assert set(frame["panel"]) == set("abcd") and not frame.duplicated().any()
    assert frame["noisy"].sum() == sum(len(model.noisy) for model in graphs.models())


# --- exact tables


def test_single_draws_pay_what_they_should():
    for epsilon in (0.3, 2.0):
        loss = tables.mechanisms(epsilon).set_index("mechanism")["loss"]
        for k in (2, 3, 5):
            assert loss[f"{k}-ary randomised response"] == pytest.approx(epsilon, abs=1e-10)
            assert loss[f"exponential mechanism, {k} values"] == pytest.approx(epsilon / 2, abs=1e-10)
            assert math.isinf(loss[f"argmax of {k} values"])


def test_environment_privacy_does_not_depend_on_the_policy():
    frame = tables.losses(0.7, 3).set_index("policy")["environment"]
    seeing = frame.drop("argmax of private responses")
    # Both arms' outcomes of three rounds, each with log-odds ln 4 between the two kinds of person.
    assert seeing.to_numpy() == pytest.approx(3 * 2 * math.log(4), rel=1e-9)
    keep, other = response_probabilities(0.7, 2)
    low, high = other + (keep - other) * 0.2, other + (keep - other) * 0.8
    assert frame["argmax of private responses"] == pytest.approx(3 * 2 * math.log(high / low), rel=1e-9)


def test_both_halves_of_lemma_2_are_nearly_reached():
    frame = tables.tightness(1.0, [2, 3, 4], [0.1, 0.001])
    assert (frame["ratio"] <= 1 + 1e-9).all()
    best = frame.groupby("claim")["ratio"].max()
    assert best["ε-DP gives 2ε instantaneous"] > 0.999
    assert best["ε instantaneous gives (T-1)ε DP"] == pytest.approx(1.0, rel=1e-9)
    assert best["ε instantaneous gives Tε DP"] == pytest.approx(0.75, rel=1e-9)


def test_lemmas_3_to_7_hold_on_every_history():
    frame = tables.divergences(0.5, 3)
    assert len(frame) == 5
    assert frame["reward_term"].to_numpy() == pytest.approx(frame["divergence"].to_numpy(), rel=1e-9)
    assert frame["lemma_4_best"].to_numpy() == pytest.approx(frame["lemma_4_divergence"].to_numpy(), rel=1e-9)
    assert (frame["lemma_4_printed"] > 4 * frame["lemma_4_divergence"]).all()
    assert (frame["lemma_5_extra"] > 0).all() and (frame["lemma_5_likeliest"] > frame["lemma_5_claimed"]).all()
    assert (frame["lemma_6_text"] > frame["divergence"]).all()
    assert (frame["lemma_7_ratio"] <= frame["lemma_7_bound"] + 1e-9).all()
    assert (frame["actions"] < frame["actions_bound"]).all()
    step, knowing = tables.false_step(), tables.knowing()
    assert step.integral > step.claimed
    assert knowing.policy_term > 0.01
    assert knowing.divergence == pytest.approx(knowing.policy_term + knowing.reward_term, rel=1e-9)


def test_table_1_and_its_disagreements():
    frame = tables.table_1(2, 10**6, [0.05, 1.0], 0.5).set_index(["definition", "epsilon"])
    assert frame.loc[("local DP", 1.0), "minimax"] == pytest.approx(1000 / (2 * (math.e - 1)))
    assert frame.loc[("instantaneous DP", 1.0), "minimax"] == pytest.approx(1000 / math.sqrt(2 * (math.e**2 - 1)))
    assert frame.loc[("DP", 1.0), "minimax"] == pytest.approx(1000 * math.sqrt(math.log(2) / (2 * math.e**6)))
    assert frame["problem_dependent"].isna().sum() == 4
    long = tables.disagreements(2, 10**6, [0.05, 0.1], 0.5)
    theorem = long[(long["definition"] == "DP") & (long["reading"] == "theorem")].set_index("epsilon")
    proof = long[(long["definition"] == "DP") & (long["reading"] == "proof")].set_index("epsilon")
    assert theorem.loc[0.05, "value"] > 1e14 and theorem.loc[0.05, "impossible"]
    assert theorem.loc[0.1, "value"] == pytest.approx(8.6e6, rel=0.01)
    assert proof["value"].round(1).tolist() == [23.4, 27.8]
    wide = tables.spread(long)
    assert list(wide.columns[4:]) == ["at_0.05", "at_0.1"] and len(wide) * 2 == len(long)
    assert wide["at_0.1"].tolist() == pytest.approx(long[long["epsilon"] == 0.1]["value"].tolist(), nan_ok=True)


def test_table_2_names_the_results_that_prove_the_entries(monkeypatch):
    frame = tables.table_2(3, 10**8, [0.1, 1.0, 5.0], 0.5).set_index("result")
    assert set(frame.index) == {*(f"Theorem {n}" for n in range(1, 5)), *(f"Corollary {n}" for n in (1, 2, 3))}
    assert not frame.loc["Theorem 3", "agrees"] and not frame.loc["Corollary 3", "agrees"]
    assert frame.drop(["Theorem 3", "Corollary 3"])["agrees"].all()
    assert frame.loc["Theorem 1", "low"] == pytest.approx(4 * math.exp(4))
    # the problem-dependent entry is computed apart from the theorem
    assert frame.loc["Theorem 4", "low"] == pytest.approx(1.0)
    printed = bounds.theorem_4
    monkeypatch.setattr(bounds, "theorem_4", lambda *game: printed(*game) * game[2])
    assert not tables.table_2(3, 10**8, [0.1, 1.0, 5.0], 0.5).set_index("result").loc["Theorem 4", "agrees"]


# --- simulations


def test_every_algorithm_plays_at_every_epsilon_and_gap(setting, runs):
    gaps = {*experiments.GAPS, 0.5}
    assert len(runs) == len(gaps) * (1 + 5 * (len(EPSILONS) + 1))
    assert {run.swept["gap"] for run in setting.sweep()} == {0.5}
    before = len(setting._played)
    setting.sweep()
    assert len(setting._played) == before == len(runs)
    assert all((run.final >= 0).all() for run in runs)
    assert {experiments.TRUST[run.name] for run in runs} == {"local", "central", "none"}


def test_without_privacy_the_local_algorithms_are_ucb(runs):
    plain = find(runs, "UCB", gap=0.2).curves
    for name in experiments.LOCAL:
        assert np.array_equal(find(runs, name, epsilon=math.inf, gap=0.2).curves, plain)


def test_upper_over_lower_is_regret_over_the_best_bound(setting, runs):
    means = experiments.instance(3, 0.5).means
    frame = tables.upper_lower(setting.sweep(), setting, "instance").set_index(["policy", "epsilon"])
    row = frame.loc[("AdaP-UCB", 1.0)]
    best = replacements.central_lower(means, 3000, 1.0)
    regret = find(runs, "AdaP-UCB", epsilon=1.0, gap=0.5).final.mean()
    assert row["bound"] == pytest.approx(best) and row["ratio"] == pytest.approx(regret / best)
    spread = frame.loc[("LDP-UCB-B", 1.0)]
    assert spread["ratio_low"] < spread["ratio"] < spread["ratio_high"]
    local = frame.loc[("LDP-UCB-B", 0.1)]
    assert local["bound"] > local["uniform"] and math.isnan(local["ratio"])
    hardest = tables.upper_lower(runs, setting, "hardest").set_index(["policy", "epsilon"])
    everywhere = [r.final.mean() for r in runs if (r.name, r.epsilon) == ("DP-SE", 1.0)]
    assert hardest.loc[("DP-SE", 1.0), "regret"] == pytest.approx(max(everywhere))
    assert hardest.loc[("LDP-UCB-L", 0.1), "bound"] == pytest.approx(replacements.local_minimax(3, 3000, 0.1))
    assert (hardest["ratio_high"] > 1).all()
    ratios = tables.ratios(("instance", frame.reset_index()), ("hardest", hardest.reset_index()))
    assert list(ratios.columns) == ["question", "policy", "trust", "at_0.1", "at_1", "at_10"]
    assert len(ratios) == 10


def test_the_price_is_a_ratio_of_envelopes(runs):
    frame = experiments.factors(runs, 1.0).set_index(["policy", "t"])
    t = runs[0].data.t.values
    above = max(r.curves.mean(axis=0)[-1] for r in runs if (r.name, r.epsilon) == ("AdaP-UCB", 1.0))
    below = max(r.curves.mean(axis=0)[-1] for r in runs if (r.name, r.epsilon) == ("AdaP-UCB", math.inf))
    assert frame.loc[("AdaP-UCB", t[-1]), "factor"] == pytest.approx(above / below)


# --- pictures


def test_pictures_follow_the_numbers(setting, runs):
    spread = tables.disagreements(3, 3000, EPSILONS, 0.5)
    means = experiments.instance(3, 0.5).means
    instance = tables.upper_lower(setting.sweep(), setting, "instance")
    drawn = {
        "figure-1": pictures.models(),
        "inference": pictures.inference(inference.inference(EPSILONS, 3, 500, 1), 3),
        "composition": pictures.growth(lemmas.growth(1.0, [2, 3, 4])),
        "lemma-4": pictures.looseness(reports.lemma_4_table(EPSILONS)),
        "readings": pictures.readings(spread),
        "instance": pictures.upper_lower(instance, 3, "instance"),
        "hardest": pictures.upper_lower(tables.upper_lower(runs, setting, "hardest"), 3, "hardest", [0.2, 0.7, 0.1]),
        "price": pictures.price(runs, setting),
        "corrupt": pictures.corrupt(discussion.corrupt_bandits(means, EPSILONS)),
    }
    for picture in drawn.values():
        assert figures.svg(picture.fig).startswith("<?xml")
        assert picture.alt and "nan" not in picture.caption + picture.alt
    for name in ("instance", "hardest"):
        assert {"policy", "epsilon", "t", "regret", "regret_se", "replications"} <= set(drawn[name].data)
        assert "Mean of 4 runs" in drawn[name].caption
    assert "on the hardest of gaps from 0.1 to 0.7, K = 3" in drawn["hardest"].caption
    assert "Theorem 3, Corollary 3, at ε = 0.1;" in drawn["readings"].caption
    assert "at ε = 0.1" in drawn["price"].caption


def made_up_study(power: float, spread: float = 0.0) -> pd.DataFrame:
    """A longer study of five replications whose local regrets are powers of ln t, the first the largest."""
    t = np.geomspace(1e4, 1e8, 33)
    rows = [
        {"policy": name, "epsilon": epsilon, "replication": r, "t": mark}
        | {"regret": scale * np.log(mark) ** power * (1 + spread * (r - 2) * (place % 3))}
        for name, scale in (("LDP-UCB-L", 2e4), ("LDP-UCB-B", 1e4), ("AdaP-UCB", 1e3))
        for epsilon in (0.05, 1.0)
        for r in range(5)
        for place, mark in enumerate(t)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("study", "said"),
    [
        (made_up_study(2.0), "2 [2, 2] for LDP-UCB-L, 2 [2, 2] for LDP-UCB-B; so that of LDP-UCB-L and LDP"),
        (made_up_study(0.5), "0.5 [0.5, 0.5] for LDP-UCB-B; so it has come down to ln T."),
        (made_up_study(1.0, 0.01), "so these runs do not tell whether it still grows faster than ln T."),
    ],
)
def test_the_longer_study_says_how_far_its_runs_came(study, said):
    frame = tables.long_upper_lower(study, experiments.LONG_N_ARMS, experiments.LONG_GAP)
    caption = pictures.longer(frame, study).caption
    assert said in caption and "At ε = 0.05 regret goes as" in caption
    most = study["regret"][(study["policy"] == "LDP-UCB-L") & (study["t"] == study["t"].max())].max()
    share = most / experiments.uniform_regret(experiments.LONG_N_ARMS, experiments.LONG_GAP, int(study["t"].max()))
    if "do not tell" not in said:
        assert f"at most {share:.2g} of what uniform play does" in caption
    assert "come down" not in caption or "faster" not in caption


def test_impossible_names_what_exceeds_the_horizon():
    frame = tables.disagreements(2, 10**6, [0.05, 1.0], 0.5)
    told = pictures.impossible(frame[frame["regret"] == "minimax"])
    assert "Theorem 3" in told and "ε = 0.05" in told
    assert pictures.impossible(frame[frame["reading"] == "table"]) == "No lower bound exceeds T."


@pytest.mark.parametrize(("horizon", "epsilons"), [(1, [1.0]), (2, [10.0]), (60, [0.05])])
def test_nothing_fails_where_nothing_can_be_seen(horizon, epsilons):
    setting = experiments.Experiments(horizon, 2, 1, 1, 2, 0.3, epsilons)
    runs = setting.hardest()
    for question, some in (("instance", setting.sweep()), ("hardest", runs)):
        picture = pictures.upper_lower(tables.upper_lower(some, setting, question), 2, question, [setting.gap])
        assert figures.svg(picture.fig)
    assert figures.svg(pictures.price(runs, setting).fig)
    assert figures.svg(pictures.readings(tables.disagreements(2, horizon, epsilons, 0.3)).fig)
    assert len(tables.table_2(2, horizon, epsilons, 0.3)) == 7


# --- the longer study


def stored() -> pd.DataFrame:
    return pd.read_csv(DATA / "long-upper-lower.csv", dtype={"regret": str})


def part_of(frame: pd.DataFrame, run: LongRun) -> pd.DataFrame:
    return frame[(frame["policy"] == run.labels["policy"]) & (frame["epsilon"] == run.labels["epsilon"])]


def texts(frame: pd.DataFrame) -> list[str]:
    return csv_text(frame[["regret"]]).split()[1:]


def test_the_longer_study_holds_every_run_and_nothing_else():
    frame = stored()
    parts = [part_of(frame, run) for run in experiments.long_runs()]
    assert all(part["replication"].nunique() == experiments.LONG_REPLICATIONS >= 5 for part in parts)
    assert all(part["t"].max() == experiments.LONG_HORIZON for part in parts)
    assert sum(map(len, parts)) == len(frame)
    assert list(long_studies()) == ["upper-lower"]


@pytest.mark.parametrize("run", experiments.long_runs(), ids=lambda run: "{policy}-{epsilon:g}".format(**run.labels))
def test_the_beginning_of_every_longer_run_is_replayed(run):
    part = part_of(stored(), run)
    part = part[(part["replication"] == 1) & (part["t"] <= 30_000)]
    again = play_long(run, replications=2, horizon=50_000, n_jobs=1)
    again = again[(again["replication"] == 1) & (again["t"] <= 30_000)]
    assert len(part) > 10
    assert part["regret"].tolist() == texts(again)


@pytest.mark.parametrize(("name", "epsilon"), [("LDP-UCB-B", 1.0), ("DP-SE", 0.05), ("AdaP-UCB", 0.2)])
def test_one_replication_is_replayed_to_its_end(name, epsilon):
    run = experiments.long_run(name, epsilon)
    part = part_of(stored(), run)
    part = part[part["replication"] == 0]
    again = play_long(run, replications=1, n_jobs=1)
    assert part["t"].max() == experiments.LONG_HORIZON
    assert part["regret"].tolist() == texts(again)


# --- parameters


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_arms": 1}, "n_arms must be >= 2"),
        ({"n_arms": 101}, "n_arms must be"),
        ({"exact_horizon": 1}, "exact_horizon must be >= 2"),
        ({"exact_horizon": 6}, "exact_horizon must be"),
        ({"exact_epsilon": 0.0}, "exact_epsilon must be > 0"),
        ({"exact_epsilon": 21.0}, "exact_epsilon must be"),
        ({"guesses": 0}, "guesses must be >= 1"),
    ],
)
def test_parameters_must_fit_each_other(change, message):
    good = {"n_arms": 3, "exact_horizon": 4, "exact_epsilon": 1.0, "guesses": 100}
    check_parameters(**good)
    with pytest.raises(ValueError, match=message):
        check_parameters(**{**good, **change})


def test_the_room_exports_its_bounds():
    assert definitions.theorem_3(2, 10**6, 0.05) == bounds.theorem_3(2, 10**6, 0.05)
    assert all(hasattr(definitions, name) for name in definitions.__all__)

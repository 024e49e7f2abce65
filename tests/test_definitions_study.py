"""The study, graphs, tables and pictures of the definitions chapter."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from synthetic import KEYS

from private_bandits.mechanisms import response_probabilities
from private_bandits.papers import definitions
from private_bandits.papers.definitions import bounds, replacements
from private_bandits.privacy import exact_loss
from private_bandits_book import figures
from private_bandits_book.chapters.page import csv_text
from private_bandits_book.definitions import (
    check_parameters,
    entries,
    graphs,
    histories,
    implications,
    lemmas,
    long_studies,
    panels,
)
from private_bandits_book.definitions.exhibits import exhibits
from private_bandits_book.definitions.study import (
    CENTRAL,
    GAPS,
    LOCAL,
    LONG,
    NAMES,
    PRICE,
    PRICE_HORIZON,
    TRUST,
    Study,
    corrupt_runs,
    factors,
    long_run,
    long_runs,
    price_runs,
    uniform_regret,
)
from private_bandits_book.exhibits import Table
from private_bandits_book.figures.captions import Picture
from private_bandits_book.ledger import claims_of
from private_bandits_book.studies import LongRun, key, play_long

DATA = Path(__file__).parents[1] / "book" / "data" / "definitions"
EPSILONS = [0.1, 1.0, 10.0]


def at(horizon: int, epsilons: list[float], **parameters) -> Study:
    """The chapter at small parameters, with the committed longer study."""
    usual = {"n_arms": 3, "gap": 0.5, "exact_epsilon": 1.0, "exact_horizon": 3, "guesses": 500}
    return Study(
        horizon, 4, 5, 1, epsilons, long_study=lambda label: pd.read_csv(DATA / f"long-{label}.csv"),
        **usual | parameters,
    )  # fmt: skip


@pytest.fixture(scope="module")
def study() -> Study:
    return at(3000, EPSILONS)


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
        frame = lemmas.mechanisms(epsilon)
        assert frame["kind"].tolist() == ["response", "exponential", "argmax"] * 3
        loss = frame.set_index("mechanism")["loss"]
        for k in (2, 3, 5):
            assert loss[f"{k}-ary randomised response"] == pytest.approx(epsilon, abs=1e-10)
            assert loss[f"exponential mechanism, {k} values"] == pytest.approx(epsilon / 2, abs=1e-10)
            assert math.isinf(loss[f"argmax of {k} values"])


def test_environment_privacy_does_not_depend_on_the_policy():
    frame = lemmas.losses(0.7, 3).set_index("policy")["environment"]
    seeing = frame.drop("argmax of private responses")
    # Both arms' outcomes of three rounds, each with log-odds ln 4 between the two kinds of person.
    assert seeing.to_numpy() == pytest.approx(3 * 2 * math.log(4), rel=1e-9)
    keep, flip = response_probabilities(0.7, 2)
    low, high = flip + (keep - flip) * 0.2, flip + (keep - flip) * 0.8
    assert frame["argmax of private responses"] == pytest.approx(3 * 2 * math.log(high / low), rel=1e-9)


def test_both_halves_of_lemma_2_are_nearly_reached():
    frame = lemmas.tightness(1.0, [2, 3, 4], [0.1, 0.001])
    assert (frame["ratio"] <= 1 + 1e-9).all()
    best = frame.groupby(["half", "claim"])["ratio"].max()
    assert best["forward", "ε-DP gives 2ε instantaneous"] > 0.999
    assert best["sharper", "ε instantaneous gives (T-1)ε DP"] == pytest.approx(1.0, rel=1e-9)
    assert best["backward", "ε instantaneous gives Tε DP"] == pytest.approx(0.75, rel=1e-9)


def test_lemmas_3_to_7_hold_on_every_history():
    frame = histories.divergences(0.5, 3)
    assert len(frame) == 5
    assert frame["reward_term"].to_numpy() == pytest.approx(frame["divergence"].to_numpy(), rel=1e-9)
    assert frame["lemma_4_best"].to_numpy() == pytest.approx(frame["lemma_4_divergence"].to_numpy(), rel=1e-9)
    assert (frame["lemma_4_printed"] > 4 * frame["lemma_4_divergence"]).all()
    assert (frame["lemma_5_extra"] > 0).all() and (frame["lemma_5_likeliest"] > frame["lemma_5_claimed"]).all()
    assert (frame["lemma_6_text"] > frame["divergence"]).all()
    assert (frame["lemma_7_ratio"] <= frame["lemma_7_bound"] + 1e-9).all()
    assert (frame["actions"] < frame["actions_bound"]).all()
    step, knowing = histories.false_step(), histories.knowing()
    assert step.integral > step.claimed
    assert knowing.policy_term > 0.01
    assert knowing.divergence == pytest.approx(knowing.policy_term + knowing.reward_term, rel=1e-9)


def test_table_1_and_its_disagreements():
    small = at(10**6, [0.05, 0.1], n_arms=2)
    frame = entries.table_1(small.means, 10**6, [0.05, 1.0]).set_index(["definition", "epsilon"])
    assert frame.loc[("local DP", 1.0), "minimax"] == pytest.approx(1000 / (2 * (math.e - 1)))
    assert frame.loc[("instantaneous DP", 1.0), "minimax"] == pytest.approx(1000 / math.sqrt(2 * (math.e**2 - 1)))
    assert frame.loc[("DP", 1.0), "minimax"] == pytest.approx(1000 * math.sqrt(math.log(2) / (2 * math.e**6)))
    assert frame["problem_dependent"].isna().sum() == 4
    long = small.variants
    theorem, proof = (
        long[(long["definition"] == "DP") & (long["reading"] == variant)].set_index("epsilon")
        for variant in ("theorem", "proof")
    )
    assert theorem.loc[0.05, "value"] > 1e14 and theorem.loc[0.05, "impossible"]
    assert theorem.loc[0.1, "value"] == pytest.approx(8.6e6, rel=0.01)
    assert proof["value"].round(1).tolist() == [23.4, 27.8]
    shown = exhibits.makers(small)["table-disagreements"]()
    assert list(shown.frame.columns[4:]) == ["at_0.05", "at_0.1"] and len(shown.frame) * 2 == len(long)
    for epsilon in (0.05, 0.1):
        values = long[long["epsilon"] == epsilon]["value"].tolist()
        assert shown.frame[f"at_{epsilon:g}"].tolist() == pytest.approx(values, nan_ok=True)
    assert shown.columns["at_0.05"] == "$\\epsilon=0.05$" and "at_0.1" not in shown.columns


def test_table_2_names_the_results_that_prove_the_entries(monkeypatch):
    game = LONG.means, 10**8, [0.1, 1.0, 5.0]
    frame = entries.table_2(*game).set_index("result")
    assert set(frame.index) == {*(f"Theorem {n}" for n in range(1, 5)), *(f"Corollary {n}" for n in (1, 2, 3))}
    assert not frame.loc["Theorem 3", "agrees"] and not frame.loc["Corollary 3", "agrees"]
    assert frame.drop(["Theorem 3", "Corollary 3"])["agrees"].all()
    assert frame.loc["Theorem 1", "low"] == pytest.approx(4 * math.exp(4))
    # the problem-dependent entry is computed apart from the theorem
    assert frame.loc["Theorem 4", "low"] == pytest.approx(1.0)
    printed = bounds.theorem_4
    for slack, agrees in ((5e-10, True), (2e-9, False)):
        monkeypatch.setattr(bounds, "theorem_4", lambda *game: printed(*game) * (1 + slack * (game[2] == 1.0)))  # noqa: B023
        assert entries.table_2(*game).set_index("result").loc["Theorem 4", "agrees"] == agrees


@pytest.mark.parametrize("trust", ["local", "central"])
@pytest.mark.parametrize("question", ["instance", "hardest"])
def test_usable_bounds_keep_their_order(question, trust):
    """Below the bound without privacy nothing is usable, and no other one lies above the best."""
    for epsilon in (0.05, 1.0):
        found = entries.usable(question, trust, LONG.means, 10**8, epsilon)
        first, *others = found.values()
        assert first >= max(others) * (1 - 1e-12)
        assert list(found)[-1] == "no privacy"
        plain = replacements.minimax(3, 10**8) if question == "hardest" else replacements.lai_robbins(LONG.means, 10**8)
        assert found["no privacy"] == plain


# --- simulations


def test_every_algorithm_plays_once_at_every_epsilon_and_gap(study):
    runs, gaps = study.hardest, {*GAPS, 0.5}
    assert len(runs) == len(gaps) * (1 + 4 * (len(EPSILONS) + 1))
    assert {run.swept["gap"] for run in study._on(study.gap)} == {0.5}
    assert len(study._played) == len(runs)
    assert all((run.final >= 0).all() for run in runs)
    assert {TRUST[key(run.policy)] for run in runs} == {"local", "central", "none"}
    assert [*LOCAL, *CENTRAL, KEYS["UCB"]] == list(TRUST)


def test_without_privacy_the_local_algorithms_are_ucb(study):
    plain = study.hardest.find(KEYS["UCB"], gap=0.2).curves
    for name in LOCAL:
        assert np.array_equal(study.hardest.find(name, epsilon=math.inf, gap=0.2).curves, plain)


def test_upper_over_lower_is_regret_over_the_best_bound(study):
    frame = study.on_instance.set_index(["policy", "epsilon"])
    row = frame.loc[("DP-KLUCB", 1.0)]
    best = replacements.central_lower(study.means, 3000, 1.0)
    regret = study.hardest.final(KEYS["DP-KLUCB"], epsilon=1.0, gap=0.5)
    assert row["bound"] == pytest.approx(best) and row["ratio"] == pytest.approx(regret / best)
    spread = frame.loc[("LDP-UCB-B", 1.0)]
    assert spread["ratio_low"] < spread["ratio"] < spread["ratio_high"]
    local = frame.loc[("LDP-UCB-B", 0.1)]
    assert local["bound"] > local["uniform"] and math.isnan(local["ratio"])
    hardest = study.on_hardest.set_index(["policy", "epsilon"])
    everywhere = [run.final.mean() for run in study.hardest.select(KEYS["DP-SE"], epsilon=1.0)]
    assert hardest.loc[("DP-SE", 1.0), "regret"] == pytest.approx(max(everywhere))
    assert hardest.loc[("LDP-UCB-B", 0.1), "bound"] == pytest.approx(replacements.local_minimax(3, 3000, 0.1))
    assert (hardest["ratio_high"] > 1).all()
    long = study.on_long.set_index(["policy", "epsilon"])
    best = replacements.local_lower(LONG.means, LONG.horizon, 1.0)
    assert long.loc[("LDP-UCB-B", 1.0), "bound"] == pytest.approx(best)
    ratios = exhibits.makers(study)["table-upper-lower"]()
    assert list(ratios.frame.columns[:6]) == ["question", "policy", "trust", "at_0.1", "at_1", "at_10"]
    assert list(ratios.columns) == ["question", "policy", "at_0.1"]  # every third epsilon
    cell = ratios.frame.set_index(["question", "policy"])["at_1"]
    for question, part in (("instance", frame), ("hardest", hardest), ("longer study", long)):
        for name in (*LOCAL, *CENTRAL):
            assert cell[question, NAMES[name]] == part.loc[(NAMES[name], 1.0), "ratio"]


def test_the_price_is_a_ratio_of_envelopes():
    """The largest mean over the gaps, with and without privacy, where both have left uniform play."""
    rows = pd.read_csv(DATA / "long-price.csv")
    frame = factors(rows).set_index(["policy", "t"])
    mean = rows.groupby(["policy", "epsilon", "gap", "t"])["regret"].mean()
    for name in ("LDP-UCB-B", "DP-KLUCB"):
        above, below = (mean[name, epsilon].xs(PRICE_HORIZON, level="t").max() for epsilon in (PRICE, math.inf))
        found = frame.loc[(name, PRICE_HORIZON)]
        assert found["factor"] == pytest.approx(above / below)
        assert 0 < found["factor_se"] < 0.1 * found["factor"]
    for share, shown in ((0.89, True), (0.91, False)):
        lost = rows.assign(regret=share * uniform_regret(3, rows["gap"], rows["t"]))
        assert factors(lost).empty is not shown
    assert frame["factor"]["LDP-UCB-B"].iloc[-1] > 8 > 1.2 > frame["factor"]["DP-KLUCB"].iloc[-1]


# --- what is shown


def test_every_exhibit_is_made_and_says_what_it_shows(study):
    made = {label: make() for label, make in exhibits.makers(study).items()}
    for picture in (one for one in made.values() if isinstance(one, Picture)):
        assert figures.svg(picture.fig).startswith("<?xml")
        assert picture.alt and "nan" not in picture.caption + picture.alt
    for table in (one for one in made.values() if isinstance(one, Table)):
        assert set(table.columns) <= set(table.frame) and set(table.formats or ()) <= set(table.columns)
    for label in ("figure-upper-lower", "figure-hardest"):
        assert {"policy", "epsilon", "t", "regret", "regret_se", "replications"} <= set(made[label].data)
        assert "Mean of 4 runs" in made[label].caption
    assert "on the hardest of gaps from 0.01 to 0.8, K = 3" in made["figure-hardest"].caption
    assert "Theorem 3, Corollary 3, at ε = 0.1;" in made["figure-readings"].caption
    assert "at ε = 0.2" in made["figure-price"].caption
    most = (study.on_long["regret"] / study.on_long["uniform"]).max()
    assert f"at most {most:.2g} of what uniform play does." in made["figure-upper-lower-long"].caption


def test_alt_texts_name_the_nearest_algorithm(study):
    frame = study.on_instance.assign(ratio=np.arange(9.0, 9.0 + len(study.on_instance)))
    frame.loc[(frame["policy"] == "AdaP-KLUCB") & (frame["epsilon"] == 10.0), "ratio"] = 1.25
    other = at(3000, EPSILONS)
    other.__dict__["on_instance"] = frame
    alt = exhibits.makers(other)["figure-upper-lower"]().alt
    assert "under central privacy AdaP-KLUCB at epsilon 10, 1.25 times it" in alt
    assert "under local privacy LDP-UCB-B at epsilon 0.1, 10 times it" in alt


def test_the_best_bound_is_drawn_below_uniform_play_and_others_under_their_own_names():
    at = pd.DataFrame(
        {
            "response": [9.0, 3.0, 2.0],
            "Theorem 4, corrected": [4.0, 2.5, 0.1],
            "Theorem 4": [1.0, 0.6, 0.0],
            "no privacy": [2.0] * 3,
        }
    )
    shown = panels._telling(at, 8.0)
    assert list(shown.columns) == ["Theorem 4, corrected", "lower bound"]
    assert shown["lower bound"].tolist() == pytest.approx([math.nan, 3.0, 2.0], nan_ok=True)
    assert shown["Theorem 4, corrected"].tolist() == pytest.approx([4.0, 2.5, math.nan], nan_ok=True)


# --- what implies what


def test_the_picture_has_an_arrow_a_row_and_every_row_is_in_the_ledger(study):
    frame, fig = implications.table(), implications.draw()
    (axes,) = fig.axes
    arrows = [patch for patch in axes.patches if type(patch).__name__ == "FancyArrowPatch"]
    assert len(arrows) == len(frame) == 14
    broken = [patch.get_linestyle() != "-" for patch in arrows]
    assert broken == frame["says"].str.contains("does not give").tolist()
    assert sum(broken) == 5
    assert set(frame["row"]) <= {claim.claim for claim in claims_of("definitions")}
    words = {text.get_text() for text in axes.texts}
    assert {f"{row.arrow}: {row.cost}" for row in frame.itertuples()} <= words


@pytest.mark.parametrize("horizon", [4, 5, 6])
def test_views_miss_what_tables_see(horizon):
    """By a walk through all lists and tables, apart from the library's laws."""
    policy = implications.Password(horizon)

    def law(rewards):
        found = {}
        for arms in itertools.product((0, 1), repeat=horizon):
            history = tuple((arm, float(rewards(t, arm))) for t, arm in enumerate(arms))
            found[arms] = math.prod(policy.probabilities(history[:t])[arms[t]] for t in range(horizon))
        return found

    def apart(one, other):
        return sum(max(one[arms] - other[arms], 0.0) for arms in one)

    lists = {list_: law(lambda t, a, r=(*list_, 0): r[t]) for list_ in itertools.product((0, 1), repeat=horizon - 1)}  # noqa: B008
    near = [pair for pair in itertools.permutations(lists, 2) if sum(x != y for x, y in zip(*pair, strict=True)) == 1]
    most = max(apart(lists[one], lists[other]) for one, other in near)
    table = apart(*(law(lambda t, a, s=s: s if t == 0 else a) for s in (1, 0)))
    assert (most, table) == pytest.approx((2.0 ** (3 - horizon), 1.0))
    assert implications.views(horizon) == pytest.approx((most, table))


def test_renyi_divergences_by_hand():
    p, q = np.array([0.7, 0.3]), np.array([0.4, 0.6])
    assert implications.renyi(p, q, 2.0) == pytest.approx(math.log(0.49 / 0.4 + 0.09 / 0.6))
    assert implications.renyi(p, q, 1 + 1e-9) == pytest.approx(0.7 * math.log(7 / 4) + 0.3 * math.log(0.5), rel=1e-5)
    assert implications.renyi(p, np.array([1.0, 0.0]), 2.0) == math.inf
    for epsilon in (0.1, 1.0, 4.0):
        rho = implications.concentration(implications.responding(epsilon))
        assert rho == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=1e-5) and rho <= epsilon**2 / 2
    for level in (0.5, 3.0, 20.0):
        policy = implications.threshold(0.2, level)
        assert implications.concentration(policy) <= 0.2
        one, other = (norm.sf((level - x) * math.sqrt(0.4)) for x in (1, 0))
        loss = max(math.log(one / other), math.log((1 - other) / (1 - one)))
        assert exact_loss(policy, 2) == pytest.approx(loss)


def test_impossible_names_what_exceeds_the_horizon(monkeypatch):
    frame = at(10**6, [0.05, 1.0], n_arms=2).variants
    told = panels.impossible(frame[frame["regret"] == "minimax"])
    assert "Theorem 3" in told and "ε = 0.05" in told
    assert panels.impossible(frame[frame["reading"] == "table"]) == "No lower bound exceeds T."
    for share, above in ((0.999, False), (1.001, True)):
        monkeypatch.setattr(bounds, "theorem_3", lambda arms, horizon, *how: share * horizon)  # noqa: B023
        one = entries.variants(LONG.means, 10**6, 1.0).set_index(["definition", "reading", "locus"])
        assert one.loc[("DP", "theorem", "Theorem 3, Corollary 3"), "impossible"] == above
        assert not one[one["regret"] == "problem-dependent"]["impossible"].any()


@pytest.mark.parametrize(("horizon", "epsilons"), [(1, [1.0]), (2, [10.0]), (60, [0.05])])
def test_nothing_fails_where_nothing_can_be_seen(horizon, epsilons):
    tiny = at(horizon, epsilons, n_arms=2, gap=0.3, exact_epsilon=0.2, exact_horizon=2, guesses=10)
    made = exhibits.makers(tiny)
    assert all(make() is not None for make in made.values())
    verdicts = tiny.ledger.set_index("claim")["verdict"]
    committed = pd.read_csv(DATA / "claims.csv").set_index("claim")["verdict"]
    assert verdicts.to_dict() == committed.to_dict()


# --- the longer study


def stored() -> pd.DataFrame:
    return pd.read_csv(DATA / "long-upper-lower.csv", dtype={"regret": str})


def part_of(frame: pd.DataFrame, run: LongRun) -> pd.DataFrame:
    return frame[(frame["policy"] == run.labels["policy"]) & (frame["epsilon"] == run.labels["epsilon"])]


def test_the_longer_study_holds_every_run_and_nothing_else():
    frame, runs = stored(), long_runs()
    parts = [part_of(frame, run) for run in runs]
    assert [part["replication"].nunique() for part in parts] == [run.replications for run in runs]
    assert min(run.replications for run in runs) >= 5
    assert all(part["t"].max() == LONG.horizon for part in parts)
    assert sum(map(len, parts)) == len(frame)
    assert list(long_studies()) == ["upper-lower", "price", "corrupt"]
    for label, made in (("price", price_runs()), ("corrupt", corrupt_runs())):
        kept = pd.read_csv(DATA / f"long-{label}.csv")
        counted = kept.groupby(list(made[0].labels), sort=False)["replication"].nunique()
        assert counted.to_dict() == {tuple(run.labels.values()): run.replications for run in made}
        assert kept["t"].max() == made[0].horizon


def test_the_longer_study_is_replayed():
    """The beginning of every run, and one replication of three to its end."""
    frame = stored()
    again = {"replications": 2, "horizon": 50_000}
    asked = [(run, 1, 30_000, again) for run in long_runs()]
    whole = [("LDP-UCB-B", 1.0), ("DP-SE", 0.05), ("DP-KLUCB", 0.2)]
    asked += [(long_run(KEYS[name], epsilon), 0, LONG.horizon, {"replications": 1}) for name, epsilon in whole]
    for run, replication, last, how in asked:
        parts = (part_of(frame, run), play_long(run._replace(**how), n_jobs=1))
        kept, played = (part[(part["replication"] == replication) & (part["t"] <= last)] for part in parts)
        assert len(kept) > 10
        assert kept["regret"].tolist() == csv_text(played[["regret"]]).split()[1:], run.labels


@pytest.mark.parametrize(
    ("label", "run"),
    [("price", run) for run in price_runs() if run.labels["gap"] in (0.8, 0.02)]
    + [("corrupt", run) for run in corrupt_runs() if run.labels["epsilon"] == 1.0],
)
def test_the_other_longer_studies_are_replayed(label, run):
    """One replication of each to a point on its way, that of DP-KLUCB to the end."""
    frame = pd.read_csv(DATA / f"long-{label}.csv", dtype={"regret": str})
    frame = frame[np.logical_and.reduce([frame[name] == value for name, value in run.labels.items()])]
    last = run.horizon if run.labels["policy"] != "LDP-UCB-B" else 100_000
    marks = [mark for mark in run.checkpoints if mark <= last]
    kept = frame[(frame["replication"] == 1) & frame["t"].isin(marks)]["regret"].tolist()
    played = play_long(run._replace(replications=2, horizon=marks[-1], checkpoints=marks), n_jobs=1)
    assert kept == csv_text(played[played["replication"] == 1][["regret"]]).split()[1:]


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

"""The benchmark: equal privacy, instances, tuning, rankings, what the page recommends, and runs played again."""

from __future__ import annotations

import json
import math
import re
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from replay import complete

from private_bandits import baselines
from private_bandits.papers import cascading, semibandits
from private_bandits.privacy import Guarantee, concentrated_rho
from private_bandits.problems import Arms, Cascade
from private_bandits_book.book import find_book
from private_bandits_book.chapters.comparison import entrants, families, paying, ranking, studies, tuning
from private_bandits_book.chapters.comparison.entrants import ENTRANTS, TUNED, Setting
from private_bandits_book.studies import play_long

BOOK = find_book()
DATA = BOOK.data("comparison")
TREE = partial(semibandits.cucb_dp, list_size=3, n_arms=6, horizon=1000, variant="printed")
LEAKING = partial(cascading.ucb_laplace, list_size=4, noise_multiplier=0.01)
KINDS = [*ENTRANTS]


def of_rho(nominal):
    """A policy that promises as much zero-concentrated privacy as one that is nominally private without delta."""
    privacy = Guarantee.concentrated(concentrated_rho(nominal), "central", "sums", delta=1e-3, gaussian=True)
    return SimpleNamespace(name="of rho", start=print, privacy=privacy)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("make", [baselines.adap_ucb, TREE, of_rho], ids=["as promised", "pays less", "rho"])
def test_a_policy_pays_the_target(make, epsilon):
    policy = paying.paying(make, epsilon)
    assert policy.privacy.effective_epsilon == pytest.approx(epsilon, rel=1e-9, abs=0)
    assert (policy.privacy.epsilon > 1.5 * epsilon) == (make is TREE)
    assert paying.certified(policy)


def test_one_that_leaks_has_it_as_its_promise():
    policy = paying.paying(LEAKING, 0.3)
    assert policy.privacy.epsilon == 0.3 and math.isinf(policy.privacy.effective_epsilon)
    assert not paying.certified(policy) and paying.certified(baselines.adap_ucb(1.0))


@pytest.mark.parametrize("kind", KINDS)
def test_every_entrant_pays_what_it_is_asked_to_and_has_at_most_two_numbers(kind):
    problem = next(iter(families.instances(kind).values()))
    setting = Setting(problem, studies.SIZES[kind].horizon)
    for name, entrant in ENTRANTS[kind].items():
        policy = entrants.made(kind, name, setting, 1.0)
        if "pure" in entrants.guarantee(policy):
            assert policy.privacy.effective_epsilon == pytest.approx(1.0, rel=0.01), name
        assert policy.privacy.effective_epsilon <= 1.01 and policy.privacy.effective_delta <= setting.delta, name
        assert len(entrant.grid) in (1, 16) and {len(each) for each in entrant.grid} <= {0, 1, 2}, name
        assert bool(entrant.proved) or len(entrant.grid) == 16 or kind in ("lists", "sets"), name


@pytest.mark.parametrize("kind", KINDS)
def test_calibration_and_test_instances_are_different_and_drawn_by_their_seeds(kind):
    drawn = {role: families.instances(kind, role) for role in families.SEEDS}
    words = {role: {told(one) for one in each.values()} for role, each in drawn.items()}
    assert words["calibration"].isdisjoint(words["test"])
    assert [told(one) for one in families.instances(kind, seed=2028).values()] == [*map(told, drawn["test"].values())]
    assert words["test"].isdisjoint({told(one) for one in families.searched(kind, 20).values()})
    untuned = [name for name, family in families.FAMILIES[kind].items() if not family.calibration]
    assert len(untuned) >= 2 or kind in ("contexts", "pairs", "tails")


def told(problem):
    return repr([np.asarray(getattr(problem, name, 0.0)).tolist() for name in ("means", "vectors", "sets", "rewards")])


@pytest.mark.parametrize("kind", KINDS)
def test_the_tuned_numbers_are_those_of_the_stored_study(kind):
    rows = pd.read_csv(DATA / f"long-tuning-{kind}.csv")
    assert tuning.chosen(rows, kind) == TUNED[kind]
    assert rows.groupby("entrant")["place"].nunique().eq(16).all()


def test_a_setting_that_fails_often_is_not_chosen():
    grid = ENTRANTS["arms"]["DP-KLUCB"].grid
    rows = [
        {"entrant": "DP-KLUCB", "instance": instance, "pays": 1.0, "place": place, "regret": regret, "failed": failed}
        for instance in "ab"
        for place, regret, failed in ((0, 1.0, 3), (1, 2.0, 1), (2, 3.0, 1))
    ]
    frame = pd.DataFrame(rows).assign(replications=100)
    assert tuning.chosen(frame, "arms") == {"DP-KLUCB": grid[0]}
    assert tuning.chosen(frame.assign(failed=2 * frame["failed"]), "arms") == {"DP-KLUCB": grid[1]}


def test_a_run_has_failed_from_half_of_the_second_best_on():
    arms = Arms.bernoulli([0.5, 0.9, 0.8])
    assert studies.failing(arms, 10**5, math.inf) == pytest.approx(0.1 * 10**5 / 4)
    close = Arms.bernoulli([0.5, 0.9, 0.899999])  # which nobody tells apart in 1000 rounds
    assert studies.failing(close, 1000, 1.0) == pytest.approx(0.4 * 1000 / 4)
    assert studies.failing(Cascade([0.9, 0.5, 0.1], 2), 1000, math.inf) == pytest.approx((0.95 - 0.91) * 1000 / 4)
    assert math.isinf(studies.failing(Arms.bernoulli([0.5, 0.5]), 1000, math.inf))


def rows_of(finals, guarantee="central, pure"):
    """Rows of a study: regrets by policy on each instance; "free" is without privacy."""
    found = []
    for name, regrets in finals.items():
        for number, regret in enumerate(regrets):
            row = {"entrant": name, "instance": f"i {number}", "pays": math.inf if name == "free" else 1.0}
            row |= {"horizon": 100, "guarantee": guarantee, "regret": regret, "regret_se": 0.01 * regret}
            found.append(row | {"failed": 0, "replications": 10})
    return pd.DataFrame(found)


def test_a_ranking_rests_on_differences_on_the_same_instances():
    hard = np.random.default_rng(3).lognormal(0.0, 1.0, 20)
    finals = {"free": np.ones(20), "DP-KLUCB": 2.0 * hard, "DP-IMED": 2.001 * hard, "AdaP-UCB": 2.2 * hard}
    rows = ranking.priced(rows_of(finals), "arms")
    found = ranking.ranked(rows, "central, pure", False, 1.0, 100).set_index("policy")
    assert found["rank"].to_dict() == {"DP-KLUCB": 1, "DP-IMED": 1, "AdaP-UCB": 3}
    assert found.loc["AdaP-UCB", "price"] == pytest.approx(1.1 * found.loc["DP-KLUCB", "price"])
    assert found.loc["AdaP-UCB", "worst"] == pytest.approx(2.2 * hard.max())
    assert ranking.best(found.reset_index()) == ["DP-KLUCB", "DP-IMED"] and (found["won"] == 0).all()
    ahead = ranking.priced(rows_of(finals | {"DP-KLUCB": 1.5 * hard}), "arms")
    won = ranking.ranked(ahead, "central, pure", False, 1.0, 100).set_index("policy")["won"]
    assert won.to_dict() == {"DP-KLUCB": 20, "DP-IMED": 0, "AdaP-UCB": 0}


def test_the_interval_of_a_price_holds_the_spread_over_instances():
    spread = np.exp(np.linspace(-1.0, 1.0, 9))
    (row,) = ranking.ranked(
        ranking.priced(rows_of({"free": np.ones(9), "DP-KLUCB": spread}), "arms"), "central, pure", False, 1.0, 100
    ).itertuples()
    half = math.log(row.high)
    assert row.price == pytest.approx(1.0) and half == pytest.approx(
        2.306 * np.linspace(-1, 1, 9).std(ddof=1) / 3, rel=1e-3
    )


@pytest.mark.parametrize(
    ("stated", "asked", "gives"),
    [
        ("local, pure", "central, pure", True),
        ("central, pure", "local, pure", False),
        ("local, approximate", "central, pure", False),
        ("local, approximate", "central, joint, approximate", True),
        ("central, joint, pure", "central, pure", False),
        ("central, pure", "central, joint, approximate", True),
        ("unknown", "central, pure", False),
        ("unknown", "unknown", True),
    ],
)
def test_which_guarantee_gives_which(stated, asked, gives):
    assert ranking.implies(stated, asked) == gives


def test_classes_and_guarantees_are_ranked_apart_and_an_answer_takes_what_gives_more():
    one = np.ones(5)
    central = rows_of({"free": one, "DP-KLUCB": 3 * one, "AdaP-UCB, as proved": 2 * one})
    local = rows_of({"Thompson, one bit": 2 * one, "LDP-UCB-B": 5 * one}, "local, pure")
    rows = ranking.priced(pd.concat([central, local]), "arms")
    assert ranking.groups(rows) == [(name, each) for name in ("central, pure", "local, pure") for each in (False, True)]
    told = ranking.answer(rows, 1.0, 100)
    assert told["take"].tolist() == ["Thompson, one bit"]  # in both classes, and the same without a curator
    assert told["proved"].tolist() == ["AdaP-UCB, as proved or Thompson, one bit: 2 [1.98, 2.02]"]
    fewer = ranking.answer(rows[rows["entrant"] != "Thompson, one bit"], 1.0, 100)
    assert fewer["take"].tolist() == ["AdaP-UCB, as proved", "LDP-UCB-B"]


def test_the_worst_is_chosen_by_one_half_of_the_runs_and_measured_by_the_other():
    rows = [
        {"entrant": name, "instance": instance, "pays": pays, "chosen": chosen, "regret": regret}
        for name, pays, instance, chosen, regret in (
            ("free", math.inf, "a", 1.0, 2.0),
            ("free", math.inf, "b", 1.0, 1.0),
            ("mine", 1.0, "a", 9.0, 6.0),
            ("mine", 1.0, "b", 8.0, 8.0),
        )
    ]
    prices = {"epsilon": [1.0, 1.0, 10.0], "log": np.log([4.0, 7.0, 8.0])}
    tested = pd.DataFrame({"entrant": "mine", "horizon": 9, **prices})
    (found,) = ranking.worst(pd.DataFrame(rows), tested, 9).itertuples()
    assert (found.policy, found.instance, found.price, round(found.tested, 9)) == ("mine", "a", 3.0, 7.0)


@pytest.mark.parametrize(
    ("kind", "name", "found", "said"),
    [
        ("arms", "one bit", "arms", "name must be "),
        ("lists", "one bit", "arms", "one bit plays lists, and not arms$"),
        ("arms", "DP-KLUCB", "tails", "DP-KLUCB plays arms, and not heavy tails$"),
        ("pairs", "LinUCB", "contexts", "LinUCB plays one set of actions for all, and not linear contexts$"),
    ],
)
def test_the_line_to_type_refuses_what_is_of_another_kind(kind, name, found, said):
    setting = entrants.Setting(next(iter(families.instances(found).values())), 100)
    with pytest.raises(ValueError, match=f"^{said}"):
        entrants.made(kind, name, setting, 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_instances_are_of_their_kind(kind):
    for role in families.SEEDS:
        assert {entrants.kinds(problem)[0] for problem in families.instances(kind, role).values()} == {kind}
    assert entrants.kinds(families.instances("pairs")["pair 1"]) == ["pairs", "contexts"]
    assert entrants.kinds(None) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_price_is_below_1(kind):
    """Else a better policy without privacy is in the book, and the denominator is wrong."""
    assert (pd.read_csv(DATA / f"table-{kind}.csv")["high"] >= 1.0).all()


def test_the_page_recommends_what_the_rankings_say():
    """The bold names of the first table are those that the computed one has, in its order."""
    cells = json.loads(BOOK.path("comparison").read_text(encoding="utf-8"))["cells"]
    (text,) = ("".join(c["source"]) for c in cells if "| Problem |" in "".join(c["source"]))
    answers = pd.read_csv(DATA / "table-answer.csv").fillna("")
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert len(lines) == len(answers)
    for line, row in zip(lines, answers.itertuples(), strict=True):
        cell = line.split("|")[3]
        wanted = row.take.replace(", as proved", "")
        assert re.findall(r"\*\*\[([^]]+)\]", cell) == wanted.split(" or "), line


@pytest.mark.parametrize("kind", ["arms", "lists", "sets"])
def test_all_that_is_recommended_plays_a_million_rounds(kind):
    rows = pd.read_csv(DATA / f"long-test-{kind}.csv")
    taken = ranking.answer(ranking.priced(rows, kind), 1.0, studies.SIZES[kind].horizon)["take"]
    played = rows[(rows["horizon"] == 10**6) & (rows["pays"] == 1.0)].groupby("entrant")["instance"].nunique()
    assert (played[" or ".join(taken).split(" or ")] == rows["instance"].nunique()).all()


@pytest.mark.parametrize("label", studies.STUDIES)
def test_a_study_is_that_which_is_committed_and_a_run_of_each_policy_is_played_again(label):
    """Of a run its first replication."""
    known, study = pd.read_csv(DATA / f"long-{label}.csv"), studies.STUDIES[label]
    runs = study.runs()
    complete("comparison", label, study.columns, runs)
    quick = known.sort_values("horizon", kind="stable").groupby("entrant", sort=False).head(1)
    assert len(quick) == known["entrant"].nunique()
    for row in quick.itertuples():
        run = runs[row.run]._replace(replications=1, checkpoints=(max(1, row.horizon // 2),) * (label[0] != "w"))
        again = play_long(run, 1)
        assert again[again["t"] == row.horizon]["regret"].item() == pytest.approx(row.first, rel=1e-9), row.entrant

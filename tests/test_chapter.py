"""What a notebook is given: checked parameters, runs as a frame, figures and tables with their files, verdicts."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from IPython.core.events import EventManager, available_events

from private_bandits import simulate
from private_bandits.baselines import adap_ucb, dp_se, ucb
from private_bandits.estimates import Interval
from private_bandits.papers.cascading import b_lb, cascade_ucb1, cucb_gaussian, ucb_laplace
from private_bandits.problems import Arms
from private_bandits_book import chapter as room
from private_bandits_book import figures, plots
from private_bandits_book.book import find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.judging import at_most, less
from private_bandits_book.judging.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED
from private_bandits_book.parameters import UsageError

BOOK = find_book()
OWN = {name: parameter.default for name, parameter in BOOK.parameters("cascading").items()}
SMALL = OWN | {"horizon": 300, "replications": 3, "n_jobs": 1}
SHOP, LAPLACE = b_lb(20, 4, 0.2, 0.15), ucb_laplace(1.0, list_size=4)


@pytest.fixture
def small(tmp_path, shown) -> Chapter:
    return Chapter("cascading", SMALL | {"output_dir": str(tmp_path)})


# The first cell


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (SMALL | {"In": ["", "# Parameters\nhorizn = 300\n"]}, r"horizn is not a parameter \(did you mean horizon\?\)"),
        (SMALL | {"epsilons": "[0.2,1]"}, r"epsilons must be a list, got the text '\[0.2,1\]': papermill takes -y"),
        (SMALL | {"horizon": 0}, "horizon must be >= 1, got 0"),
        ({"horizon": 300}, "replications must be given"),
    ],
)
def test_what_is_not_allowed_is_refused_in_a_line(given, said):
    with pytest.raises(UsageError, match=said) as error:
        Chapter("cascading", given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "cells",
    [
        ["mine = 3", "# Parameters\nhorizon = 300\nepsilons = [float('inf')]\n"],
        ["# Parameters\nhorizn = 300\n", "# Parameters\nhorizon = 300\n"],  # corrected
        ["# Parameters\nhorizon = 20 00\n"],
        ["# Parameters\nhorizn = 300\n", "%time horizn", "note = 1", "horizon: int = 300  # corrected\nnote = 2"],
        ["x = " + "1+" * 9999 + "1"],  # which no Python reads
    ],
)
def test_cells_of_the_readers_own_are_no_parameters(cells):
    Chapter("cascading", SMALL | {"In": ["", *cells]})


def test_a_parameter_is_what_the_notebook_s_name_holds_now(small):
    names = SMALL | {"horizon": 3e2}
    chapter = Chapter("cascading", names)
    assert (names["horizon"], type(names["horizon"])) == (300, int)
    assert not chapter.own
    names |= OWN | {"n_jobs": 1, "output_dir": "x"}
    assert chapter.own and str(chapter.output) == "x"
    names |= {"horizon": 200.0, "seed": 5, "replications": 4}
    runs = chapter.play(SHOP, [LAPLACE], checkpoints=[])
    assert np.array_equal(runs["regret"], simulate(SHOP, LAPLACE, horizon=200, replications=4, seed=5).regret[:, -1])
    names["horizon"] = -1
    with pytest.raises(UsageError, match="horizon must be >= 1, got -1"):
        chapter.play(SHOP, [LAPLACE])


def test_after_each_cell_its_parameters_are_checked_and_written_back(monkeypatch, capsys):
    events, names = EventManager(None, available_events), dict(SMALL)
    monkeypatch.setattr(room, "get_ipython", lambda: SimpleNamespace(events=events))
    names["chapter"] = Chapter("cascading", names)
    names["horizon"] = 5e3
    events.trigger("post_run_cell", None)
    assert (names["horizon"], type(names["horizon"])) == (5000, int)
    names["epsilons"] = 1
    events.trigger("post_run_cell", None)
    assert capsys.readouterr().err == "UsageError: epsilons must be a non-empty list, as [1], got 1\n"
    names["chapter"] = "made anew elsewhere"
    events.trigger("post_run_cell", None)
    assert capsys.readouterr() == ("", "") and events.callbacks["post_run_cell"] == []


# Runs


def test_runs_are_those_of_simulate_with_the_facts_of_the_policy(small):
    runs = small.play(SHOP, [cascade_ucb1(), LAPLACE], list_size=4)
    one = runs[runs["policy"] == "Laplace"]
    regret = simulate(SHOP, LAPLACE, horizon=300, replications=3, seed=2021).regret
    assert np.array_equal(one.pivot(index="replication", columns="t", values="regret"), regret)
    first = one.iloc[0]
    assert (first["algorithm"], first["variant"], first["trust"]) == ("Algorithm 2", "stated", "local")
    assert (first["epsilon"], first["effective_epsilon"], first["list_size"]) == (1.0, math.inf, 4)
    assert first["problem"] == "lists of 4 out of 20 items, 4 of mean 0.2 and 16 of mean 0.05"
    assert first["uniform"] == SHOP.uniform_regret()


def test_what_was_run_is_not_run_again_unless_it_differs(small, monkeypatch):
    count: list[str] = []
    monkeypatch.setattr(room, "simulate", lambda *a, **k: count.append(a[1].name) or simulate(*a, **k))
    first = small.play(SHOP, [LAPLACE])
    pd.testing.assert_frame_equal(small.play(SHOP, [ucb_laplace(1.0, list_size=4)]), first)
    assert count == ["Laplace"]
    small.play(SHOP, [ucb_laplace(2.0, list_size=4)])
    small.play(b_lb(20, 4, 0.2, 0.1), [LAPLACE])
    small.play(SHOP, [LAPLACE], replications=4)
    small.play(SHOP, [LAPLACE], horizon=200)
    assert len(small.play(SHOP, [LAPLACE], checkpoints=[])) == 3
    assert len(count) == 6
    with pytest.raises(ValueError, match="horizon must be >= 1, got 0"):
        small.play(SHOP, [LAPLACE], horizon=0)


class Greedy:
    """A policy of a reader's own, with state that is changed after it was played."""

    name = "greedy"
    first = [0]

    def __init__(self):
        self.then = [0]

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return [*self.first, *self.then][-1:]

    def tell(self, feedback):
        pass


@pytest.mark.parametrize("held", ["first", "then"])
def test_what_a_reader_has_changed_is_run_again(small, held):
    arms, policy = Arms.bernoulli([1.0, 0.0]), Greedy()
    policy.then = [] if held == "first" else policy.then
    assert small.play(arms, [policy])["regret"].max() == 0.0
    getattr(policy, held)[:] = [1]
    try:
        assert small.play(arms, [policy])["regret"].max() == 300.0
    finally:
        Greedy.first[:] = [0]


def test_a_class_of_a_reader_s_own_is_not_known_by_its_record(small):
    plain = cascade_ucb1()

    class Worst(type(plain)):
        def play(self, problem, horizon, checkpoints, *more):
            return np.full(len(checkpoints), 123.0)

    small.play(SHOP, [plain])
    worst = Worst(**{each.name: getattr(plain, each.name) for each in fields(plain)})
    assert set(small.play(SHOP, [worst])["regret"]) == {123.0}


def test_a_policy_that_does_not_fit_is_refused_in_a_line(small):
    for problem, policy, said in (
        (SHOP, cucb_gaussian(1.0, delta=0.1, n_arms=20, list_size=4), "needs a SemiBandit"),
        (SHOP, ucb_laplace(1.0, list_size=3), "was calibrated for list_size=3"),
        (SHOP, object(), "policy must be a Policy"),
    ):
        with pytest.raises(UsageError, match=said):
            small.play(problem, [cascade_ucb1(), policy])
    with pytest.raises(UsageError, match="labels must be other than the columns of all runs, got policy, regret$"):
        small.play(SHOP, [LAPLACE], policy="mine", regret=0.0, panel="a")
    for policies in (LAPLACE, []):
        with pytest.raises(UsageError, match="policies must be a list of at least one"):
            small.play(SHOP, policies)


def test_a_longer_study_has_the_facts_of_its_policies(small):
    rows = small.long("growth")
    assert len(rows) == len(pd.read_csv(BOOK.data("cascading") / "long-growth.csv"))
    assert rows[["paper", "trust", "problem", "uniform"]].notna().all().all()
    with pytest.raises(UsageError, match="cascading must be one of bit, growth, kappa, learning, order, got 'none'"):
        small.play(SHOP, [LAPLACE], stored="none")


# Figures and tables


# Verdicts


def test_who_judges_a_claim_again_replaces_its_ruling(small, shown):
    for loss, verdict in ((math.inf, NOT_REPRODUCED), (0.1, REPRODUCED)):
        small.judge("theorem-3", loss, 0.2)
        assert small._rulings["theorem-3"].verdict == verdict
        assert verdict in shown[-1].html and "cascading-claim-theorem-3" in shown[-1].html


@pytest.mark.parametrize(
    ("claim", "evidence", "said"),
    [
        ("theorem-55", [0.1], r"did you mean theorem-5\?\), got 'theorem-55'"),
        ("theorem-3", [], "theorem-3 must be judged on loss, epsilon, delta"),
        ("theorem-3", [0.1, 0.2, 0.3, 0.4], "theorem-3 must be judged on loss, epsilon, delta"),
        ("figure-1e", [3], "figure-1e must be judged on runs, as the book does, got 3"),
        ("figure-1e", [pd.DataFrame({"a": [1]})], "figure-1e must be judged on runs"),
        ("figure-1a", [3], r"figure-1a must be judged by a ruling, as less\(...\) makes it, got 3"),
    ],
)
def test_evidence_of_another_shape_is_refused_in_a_line(small, claim, evidence, said):
    with pytest.raises(UsageError, match=said):
        small.judge(claim, *evidence)


def test_what_is_not_shown_is_undecided_and_an_error_where_a_notebook_is_to_be_committed(small, shown, monkeypatch):
    runs = small.play(SHOP, [cascade_ucb1()])
    compared = less(runs, {"policy": "CascadeUCB1"}, {"policy": "Laplace"})
    small.judge("figure-1f", compared)
    assert small._rulings["figure-1f"].verdict == UNDECIDED
    assert shown[-1].html.endswith("its runs are not shown at these parameters: policy Laplace</p></details>")
    small.judge("figure-1e", runs)
    assert small._rulings["figure-1e"].verdict == UNDECIDED
    small.ledger()
    monkeypatch.setenv(room.STRICT_VARIABLE, "1")
    with pytest.raises(ValueError, match="figure-1f: its runs are not shown at these parameters: policy Laplace"):
        small.judge("figure-1f", compared)
    with pytest.raises(ValueError, match=r"claim [a-z0-9-]+ was never judged"):
        small.ledger()


def test_an_interval_that_knows_no_runs_judges_nothing_that_is_to_be_committed(small, shown, monkeypatch):
    for strict, runs in (("", math.inf), ("1", 5), ("1", math.inf)):
        monkeypatch.setenv(room.STRICT_VARIABLE, strict)
        found = at_most(Interval(0.5, 0.4, 0.6, runs=runs), 1.0, wrong=2.0)
        with pytest.raises(ValueError, match="must say how many") if strict and runs > 5 else nullcontext():
            small.judge("figure-1e", found)


def test_labels_that_touch_are_an_error_where_a_notebook_is_to_be_committed_only(small, shown, monkeypatch):
    picture = plots.curves(small.play(SHOP, [cascade_ucb1()]))
    monkeypatch.setattr(figures, "unclear", lambda figure: ["two labels touch"])
    small.figure("figure-1a", picture, "A sentence.")
    monkeypatch.setenv(room.STRICT_VARIABLE, "1")
    with pytest.raises(ValueError, match="figure-1a: two labels touch"):
        small.figure("figure-1a", picture, "A sentence.")


# Work of one's own, without a chapter's name

ARMS = Arms.bernoulli([0.5, 0.4, 0.3])
HOW = {"horizon": 200, "replications": 3, "seed": 1}


@pytest.fixture(scope="module")
def results():
    """What `simulate` returns of a policy without privacy, and of a private one at two epsilons."""
    return [simulate(ARMS, policy, **HOW) for policy in (ucb(), adap_ucb(1.0), adap_ucb(0.2))]


def drawn(picture: plots.Picture) -> list[str]:
    assert not figures.unclear(picture.fig) and not figures.unclear(picture.narrow)
    return list(dict.fromkeys(picture.data["label"]))


@pytest.mark.parametrize("plot", [plots.curves, plots.dots])
def test_a_result_becomes_a_figure_in_one_line(plot, results, tmp_path):
    assert drawn(plot(results)) == ["UCB", "AdaP-UCB, ε = 1", "AdaP-UCB, ε = 0.2"]
    assert drawn(plot({"mine": results[0], "theirs": results[1]})) == ["mine", "theirs"]
    results[1].to_netcdf(tmp_path / "one.nc")
    with xr.open_dataset(tmp_path / "one.nc") as again:
        pd.testing.assert_frame_equal(plot(again).data, plot(results[1]).data)


def test_a_result_says_of_its_policy_what_play_says(results):
    for policy in (ucb(), adap_ucb(1.0), dp_se(1.0, n_arms=3, horizon=200), Greedy()):
        runs, told = Chapter(given=dict(HOW)).play(ARMS, [policy]), plots.frame(simulate(ARMS, policy, **HOW))
        named = ["problem", "uniform", "content"]
        assert [*told.drop(columns=named)] and {*told} == {*runs}
        pd.testing.assert_frame_equal(told.drop(columns=named), runs[[*told]].drop(columns=named))
    both = plots.panels([results[1], results[2]], by="epsilon")
    assert list(dict.fromkeys(both.data["panel"])) == ["1.0\neverything 1", "0.2\neverything 0.2"]


def test_several_at_once_are_drawn_as_one_by_one(results):
    given = {"a": ucb(), "b": adap_ucb(1.0), "c": adap_ucb(0.2)}
    several = simulate(ARMS, given, **HOW, pulls=True)
    pd.testing.assert_frame_equal(plots.frame(several), plots.frame(dict(zip(given, results, strict=True))))
    assert drawn(plots.curves(several)) == [*given]
    pd.testing.assert_frame_equal(plots.frame(several.sel(policy="b")), plots.frame({"b": results[1]}))


@pytest.mark.parametrize("plot", [plots.curves, plots.dots, plots.panels, plots.frame, plots.join, plots.uniform_play])
@pytest.mark.parametrize(
    "runs",
    [None, [], {"mine": None}, xr.Dataset(), pd.DataFrame(), ucb()],
    ids=lambda runs: str(runs)[:9].strip(),
)
def test_a_plot_refuses_anything_else_in_a_line(plot, runs):
    if plot is plots.join and isinstance(runs, pd.DataFrame):
        return
    with pytest.raises(ValueError, match="must be .*, got ") as error:
        plot(runs)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [None, {"horizon": 300.0, "seed": 5}])
def test_a_chapter_without_a_name_serves_work_of_one_s_own(given, shown, tmp_path):
    study = Chapter() if given is None else Chapter(given=given)
    assert given is None or (given["horizon"], type(given["horizon"]), {*given}) == (300, int, {"horizon", "seed"})
    assert study.parameters["horizon"] == (300 if given else 10_000) and not study.own
    runs = study.play(ARMS, [ucb()], horizon=200, replications=3)
    seed = given["seed"] if given else 1
    assert np.array_equal(runs.query("t == 200")["regret"], simulate(ARMS, ucb(), **HOW | {"seed": seed}).regret[:, -1])
    study.figure("figure-mine", plots.curves(runs), "Mine.")
    study.table("table-mine", runs.head(2), "Mine.")
    assert [str(one) for one in shown] == ["<figure figure-mine>", "<table table-mine>"] and study.output is None
    assert not [*tmp_path.iterdir()]
    for refused in (lambda: study.judge("theorem-1"), study.ledger, lambda: study.long("x"), lambda: study.book):
        with pytest.raises(UsageError, match="a chapter must have a name to judge claims"):
            refused()
    writing = Chapter(None, {**HOW, "output_dir": str(tmp_path)})
    writing.figure("figure-mine", plots.dots(runs), "Mine.")
    assert len(pd.read_csv(tmp_path / "data" / "figure-mine.csv")) == 3
    assert (tmp_path / "figures" / "figure-mine.svg").is_file()

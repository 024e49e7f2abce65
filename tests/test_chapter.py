"""What a notebook is given: checked parameters, runs as a frame, figures and tables with their files, verdicts."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from private_bandits import simulate
from private_bandits.papers.cascading import b_lb, cascade_ucb1, ucb_laplace, uniform
from private_bandits_book import chapter as room
from private_bandits_book import plots
from private_bandits_book.chapter import Chapter
from private_bandits_book.chapters.book import find_book
from private_bandits_book.chapters.parameters import UsageError
from private_bandits_book.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED

BOOK = find_book()
OWN = {name: parameter.default for name, parameter in BOOK.parameters("cascading").items()}
SMALL = OWN | {"horizon": 300, "replications": 3, "n_jobs": 1}
SHOP, LAPLACE = b_lb(20, 4, 0.2, 0.15), ucb_laplace(1.0, list_size=4)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list:
    """What is displayed, in order."""
    things: list = []
    monkeypatch.setattr(room, "display", lambda *some: things.extend(some))
    return things


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


def test_cells_of_the_readers_own_are_no_parameters():
    Chapter("cascading", SMALL | {"In": ["", "mine = 3", "# Parameters\nhorizon = 300\nepsilons = [float('inf')]\n"]})


def test_papermill_with_a_misspelt_name_ends_at_the_first_cell(tmp_path):
    words = ["papermill", str(BOOK.path("cascading")), str(tmp_path / "x.ipynb"), "-p", "horizn", "300"]
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=BOOK.pages, timeout=120)
    assert done.returncode == 1
    assert "horizn is not a parameter (did you mean horizon?)" in done.stderr
    cells = json.loads((tmp_path / "x.ipynb").read_text())["cells"]
    assert sum(cell.get("execution_count") is not None for cell in cells) <= 4


def test_the_parameters_of_the_book_are_its_own_whatever_computes_them():
    assert Chapter("cascading", OWN | {"n_jobs": 2, "output_dir": "x"}).own
    assert not Chapter("cascading", SMALL).own


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


def test_a_longer_study_has_the_facts_of_its_policies(small):
    rows = small.long("growth")
    assert len(rows) == len(pd.read_csv(BOOK.data("cascading") / "long-growth.csv"))
    assert rows[["paper", "trust", "problem", "uniform"]].notna().all().all()


# Figures and tables


def test_a_figure_has_its_numbers_and_pictures_for_every_viewer(small, shown, tmp_path):
    runs = small.play(SHOP, [cascade_ucb1(), uniform(), LAPLACE])
    part = runs[runs["policy"] == "Laplace"]
    small.figure("figure-1a", plots.panels(runs), "A sentence.")
    rows = pd.read_csv(tmp_path / "data" / "figure-1a.csv")
    known = rows[(rows["policy"] == "Laplace") & (rows["t"] == 300)].iloc[0]
    last = part[part["t"] == 300]["regret"]
    assert known["regret"] == pytest.approx(last.mean(), rel=1e-9)
    assert known["regret_se"] == pytest.approx(last.std(ddof=1) / math.sqrt(3), rel=1e-9)
    assert known["replications"] == 3
    assert (tmp_path / "figures" / "figure-1a.svg").read_text().startswith("<?xml")
    bundle = shown[-1]._repr_mimebundle_()
    assert {"image/png", "text/html", "text/markdown", "text/plain"} == set(bundle)
    where = "lists of 4 out of 20 items, 4 of mean 0.2 and 16 of mean 0.05"
    caption = f"A sentence. T = 300 on {where}. Mean of 3 runs;"
    assert caption in bundle["text/markdown"]
    assert "uniform play 92" in bundle["text/markdown"]  # the alternative text


def test_panels_that_the_paper_labels_have_a_file_each(small, shown, tmp_path):
    runs = small.play(SHOP, [cascade_ucb1(), LAPLACE])
    parts = {"figure-1b": runs[runs["policy"] == "Laplace"], "figure-1c": runs}
    small.figure("figure-1b-c", plots.panels(runs), "A sentence.", parts)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["figure-1b.csv", "figure-1c.csv"]
    assert set(pd.read_csv(tmp_path / "data" / "figure-1b.csv")["policy"]) == {"Laplace"}
    assert "figure-1b.csv" in shown[-1].markdown and "figure-1c.csv" in shown[-1].markdown


def test_each_panel_has_its_own_baseline_where_problems_differ_and_all_panels_one_where_not(small):
    both = [
        small.play(b_lb(20, size, 0.2, 0.15), [cascade_ucb1(), ucb_laplace(1.0, list_size=size)], k=size)
        for size in (2, 4)
    ]
    drawn = plots.panels(plots.join(*both), by="k").data
    assert set(drawn[drawn["policy"] == "CascadeUCB1"]["panel"].str.partition("\n")[0]) == {"2", "4"}
    drawn = plots.panels(plots.join(both[1], both[1]), by="k").data  # joined twice, drawn once
    assert set(drawn[drawn["policy"] == "CascadeUCB1"]["panel"]) == {""}
    assert set(drawn["replications"]) == {3}


# Verdicts


def test_a_claim_is_judged_in_one_cell(small, shown):
    for _ in range(2):  # a cell may be run again
        small.judge("theorem-3", math.inf, 0.2)
    assert small._rulings["theorem-3"].verdict == NOT_REPRODUCED
    assert NOT_REPRODUCED in shown[-1].html and "cascading-claim-theorem-3" in shown[-1].html
    with pytest.raises(ValueError, match="claim must be judged in one cell, got 'theorem-3'"):
        small.judge("theorem-3", 0.1, 0.2)
    with pytest.raises(ValueError, match=r"did you mean theorem-5\?"):
        small.judge("theorem-55", 0.1)


def test_what_a_rerun_lacks_is_undecided_and_what_the_book_lacks_is_an_error(small, shown):
    runs = small.play(SHOP, [cascade_ucb1()])
    small.judge("figure-1e", runs)
    assert small._rulings["figure-1e"].verdict == UNDECIDED
    own = Chapter("cascading", OWN)
    with pytest.raises(LookupError):
        own.judge("figure-1e", runs)
    with pytest.raises(ValueError, match=r"claim [a-z0-9-]+ was never judged"):
        own.ledger()


def test_the_ledger_has_a_row_for_every_claim(small, shown, tmp_path):
    small.judge("theorem-3", 0.2, 0.2)
    small.ledger()
    rows = pd.read_csv(tmp_path / "data" / "claims.csv").set_index("claim")
    assert list(rows.index) == list(small._claims)
    assert rows.loc["theorem-3", "verdict"] == REPRODUCED
    assert rows.loc["figure-1a", "reason"] == "its runs are not shown at these parameters"
    assert rows.loc["lemma-5", "verdict"] == REPRODUCED  # it needs no evidence
    assert "by construction" not in set(rows["evidence"])

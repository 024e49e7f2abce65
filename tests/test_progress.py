"""What a command says on stderr while it works; stdout keeps its contract."""

from __future__ import annotations

import itertools
import json
import re
import sys
import time

import pandas as pd
import pytest

from private_bandits import baselines
from private_bandits.problems import Arms
from private_bandits_book import chapter, studies
from private_bandits_book.book import Book, find_book
from private_bandits_book.cli import main
from private_bandits_book.jobs import progress
from private_bandits_book.jobs.run import run
from private_bandits_book.parameters import validate

BOOK = find_book()
TRIAL = progress._pace


@pytest.fixture(autouse=True)
def _machine_of_the_seconds(monkeypatch):
    monkeypatch.setattr(progress, "_pace", lambda: 1.0)
    monkeypatch.setattr(progress.os, "cpu_count", lambda: 2)


def said(capsys: pytest.CaptureFixture[str], chapter: str, times: int = 1, **given: int) -> str:
    values = validate(chapter, BOOK.parameters(chapter), given)
    progress.announce(BOOK, f"run {chapter}", {chapter: values}, times)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"private-bandits: run {chapter}, about ") and err.count("\n") == 1
    return err


def seconds(line: str) -> float:
    return float(line.partition("about ")[2].partition(" s")[0].partition(" to ")[0])


def cost(chapter: str) -> tuple[float, float]:
    """The seconds of a chapter that follow no parameter, and the others."""
    (known,) = (float(row["seconds"]) for row in BOOK.costs() if row["work"] == chapter)
    return min(known, progress._FIXED), max(0.0, known - progress._FIXED)


@pytest.mark.parametrize("chapter", [name for name in BOOK.chapters() if name in {row["work"] for row in BOOK.costs()}])
def test_the_estimate_of_a_chapter_follows_its_parameters(chapter, capsys):
    own = BOOK.parameters(chapter)
    fixed, runs = cost(chapter)
    assert seconds(said(capsys, chapter)) == fixed + runs
    last = "runs" if "runs" in own else "replications"
    assert seconds(said(capsys, chapter, **{last: 2 * own[last].default})) == fixed + 2 * runs
    assert seconds(said(capsys, chapter, times=6)) == fixed + 6 * runs
    fewer = said(capsys, chapter, **{last: own[last].default // 10})
    assert seconds(fewer) < fixed + 0.11 * runs + 1
    assert runs < 1 or f" to {fixed + runs:.0f} s on this machine" in fewer


def test_the_estimate_follows_a_trial_of_the_machine_and_above_a_minute_says_how_to_make_it_smaller(
    capsys, monkeypatch
):
    long, short = said(capsys, "cascading", replications=60), said(capsys, "cascading", horizon=2000)
    assert seconds(long) > 60 > seconds(short)
    assert "fewer rounds or replications" in long and "fewer" not in short
    fixed, runs = cost("cascading")
    assert seconds(said(capsys, "cascading", n_jobs=1)) == fixed + 2 * runs
    monkeypatch.setattr(progress, "_pace", lambda: 3.0)
    assert seconds(said(capsys, "cascading")) == 3 * (fixed + runs)
    monkeypatch.setattr(progress.os, "cpu_count", lambda: 1)
    assert seconds(said(capsys, "cascading")) == 3 * (fixed + 2 * runs)


def test_the_trial_is_short_and_says_how_slow_the_machine_is(monkeypatch):
    since = time.perf_counter()
    assert 0.05 < TRIAL() < 50.0
    assert time.perf_counter() - since < 5.0
    monkeypatch.setattr(progress.time, "perf_counter", itertools.count(step=2.0).__next__)
    assert TRIAL() == pytest.approx(2.0 / progress._TRIAL)


def test_a_long_work_says_where_it_is_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.01)
    with progress.progress("one") as places:
        time.sleep(0.1)
        places.append("one, two")
        time.sleep(0.1)
    err = capsys.readouterr().err
    assert (
        "private-bandits: one, 0 s so far\n" in err and err.splitlines()[-1] == "private-bandits: one, two, 0 s so far"
    )
    time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_a_bar_and_no_lines(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.progress("one"):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_a_run_says_what_it_does_and_where_it_is_and_stdout_is_the_path(tiny: Book, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.05)
    monkeypatch.setattr(f"{run.__module__}._build_page", lambda *told: None)
    assert main(["run", "tiny", "-p", "horizon=7", "-o", str(tmp_path / "out")], book=tiny) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'out' / 'tiny'}.html\n"
    first, *between, last = err.splitlines()
    assert first == "private-bandits: run tiny with horizon=7, replications=3, seed=7"
    assert last == "private-bandits: building the page of tiny, some seconds"
    assert any(line.startswith("private-bandits: tiny, cell `from pathlib import Path`, ") for line in between), between


def test_a_line_names_the_run_that_is_played_and_only_while_it_is(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.02)
    real = chapter.simulate
    monkeypatch.setattr(chapter, "simulate", lambda *told, **how: time.sleep(0.3) or real(*told, **how))
    own = {name: one.default for name, one in BOOK.parameters("cascading").items()}
    page = chapter.Chapter("cascading", own | {"horizon": 2_000, "replications": 3})
    with progress.progress("figure-1"):
        page.play(Arms.bernoulli([0.7, 0.4]), [baselines.ucb()])
        played = capsys.readouterr().err
        time.sleep(0.3)
    assert "private-bandits: figure-1, UCB, 3 runs of 2,000 rounds, " in played
    assert re.fullmatch(r"private-bandits: figure-1, \d s so far", capsys.readouterr().err.splitlines()[-1])


def test_a_line_names_the_run_of_a_longer_study_and_a_terminal_shows_a_bar(capsys, monkeypatch):
    def play(run):
        time.sleep(0.3)
        return pd.DataFrame({"t": [run.horizon]})

    monkeypatch.setattr(progress, "_EVERY", 0.02)
    policies = (baselines.ucb(), baselines.adap_ucb(1.0))
    runs = [studies.LongRun({}, Arms.bernoulli([0.7, 0.4]), policy, 9, 1, 2) for policy in policies]
    study = studies.long_study("gaps", studies.LongStudy(lambda: runs, [], play))
    with progress.progress("longer study gaps"):
        assert study()["t"].tolist() == [9, 9]
    told = capsys.readouterr().err
    assert "private-bandits: longer study gaps, run 1 of 2, UCB, " in told
    assert "private-bandits: longer study gaps, run 2 of 2, AdaP-UCB, " in told
    study(progress=True)
    bar = capsys.readouterr().err
    assert "gaps: " in bar and "2/2" in bar and "AdaP-UCB" in bar


def test_a_kernel_tells_where_it_is(tiny: Book, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.05)
    monkeypatch.setattr(f"{run.__module__}._build_page", lambda *told: None)
    path = tiny.pages / "tiny.ipynb"
    notebook = json.loads(path.read_text())
    source = """import time
from private_bandits_book.jobs.cache import at
with at("a long run"):
    time.sleep(0.5)"""
    new = {"cell_type": "code", "execution_count": None, "id": "c9", "metadata": {}, "outputs": [], "source": source}
    notebook["cells"] = [*notebook["cells"][:3], new]
    path.write_text(json.dumps(notebook))
    assert main(["run", "tiny", "-o", str(tmp_path / "out")], book=tiny) == 0
    assert "private-bandits: tiny, cell `import time`, a long run, " in capsys.readouterr().err

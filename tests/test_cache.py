"""Results that are kept on disk: an interrupted work goes on where it was, and no edit is answered by an old result."""

from __future__ import annotations

import json
import os
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import joblib
import pandas as pd
import pytest

from private_bandits import baselines
from private_bandits.problems import Arms
from private_bandits_book import studies
from private_bandits_book.book import Book
from private_bandits_book.cli import main
from private_bandits_book.jobs import cache
from private_bandits_book.jobs import reproduce as reproducing
from private_bandits_book.jobs.cache import CACHE_VARIABLE, caching, memoize
from private_bandits_book.jobs.run import run
from private_bandits_book.studies import LongRun, LongStudy, long_study

PROBLEM = Arms.bernoulli([0.7, 0.4])


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where things are kept in these tests, in CI too."""
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The policies that are played, in order."""
    names: list[str] = []
    real = studies.simulate
    monkeypatch.setattr(studies, "simulate", lambda *a, **k: names.append(a[1].name) or real(*a, **k))
    return names


def runs(*policies, **changes) -> pd.DataFrame:
    made = [LongRun({}, PROBLEM, policy, 50, 1, 3)._replace(**changes) for policy in policies]
    return long_study("one", LongStudy(lambda: made, ["policy"]))()


def test_what_was_played_is_not_played_again_and_has_the_same_bits(played):
    said: list[str] = []
    first = runs(baselines.ucb())
    with caching("run", said.append):
        pd.testing.assert_frame_equal(runs(baselines.ucb()), first, check_exact=True)
        assert said == []
    with caching("run", said.append):
        both = runs(baselines.ucb(), baselines.adap_ucb(1.0))
    pd.testing.assert_frame_equal(both[: len(first)], first, check_exact=True)
    assert played == ["UCB", "UCB", "AdaP-UCB"]
    assert len(said) == 1 and said[0].startswith("1 results of an earlier run were kept and used, in ")
    with caching("run", said.append):
        for changes in ({"seed": 2}, {"horizon": 51}, {"replications": 4}, {"problem": Arms.bernoulli([0.7, 0.5])}):
            runs(baselines.ucb(), **changes)
        runs(baselines.adap_ucb(2.0))
    assert len(played) == 8 and len(said) == 1


def test_nothing_is_kept_outside_nor_in_ci_nor_where_it_is_not_wanted(played, root, monkeypatch):
    def twice(work: str = "run") -> int:
        before = len(played)
        for _ in range(2):
            with caching(work, pytest.fail):
                runs(baselines.ucb())
        return len(played) - before

    runs(baselines.ucb())
    assert twice("") == 2
    monkeypatch.setenv("CI", "true")
    assert twice() == 2
    monkeypatch.delenv("CI")
    monkeypatch.setenv(CACHE_VARIABLE, "")
    assert twice() == 2 and not root.exists() and os.environ[CACHE_VARIABLE] == ""


def test_an_edit_of_any_source_finds_nothing_and_deletes_what_nobody_used_for_a_week(root, tmp_path, monkeypatch):
    sources = [tmp_path / "private_bandits" / "papers" / "bounds.py", tmp_path / "private_bandits_book" / "claims.toml"]
    for path in sources:
        path.parent.mkdir(parents=True)
        path.touch()
    monkeypatch.setattr(cache, "_SOURCES", tmp_path)
    old, other = root / "cache-0123456789abcdef", root / "sources-0123456789abcdef"
    for folder in (old, other):
        folder.mkdir(parents=True)
        os.utime(folder, (0, time.time() - 8 * 24 * 3600))

    def made() -> int:
        with caching("run", lambda line: None):
            return memoize("one", lambda: len(calls.append(1) or calls))

    calls: list[int] = []
    assert (made(), made()) == (1, 1)
    for number, path in enumerate(sources, 2):
        path.write_text("# edited")
        assert (made(), made()) == (number, number)
    monkeypatch.setattr(cache, "version", lambda name: "0.0")
    assert made() == 4
    assert not old.exists() and other.exists() and len([*root.iterdir()]) == 5


def test_a_cell_is_whole_or_not_there(monkeypatch):
    def interrupted(*paths):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt), caching("run", pytest.fail):
        folder = Path(os.environ[CACHE_VARIABLE])
        patched.setattr(os, "replace", interrupted)
        memoize("one", lambda: 1)
    assert [*folder.iterdir()] == []
    with caching("run", pytest.fail):
        assert memoize("one", lambda: 2) == 2
        next(folder.iterdir()).write_bytes(b"")  # a disk that lost it
        assert memoize("one", lambda: 3) == 3 == memoize("one", lambda: 4)


def test_what_has_no_name_is_made_each_time():
    with caching("run", pytest.fail):
        assert [memoize(lambda: 1, partial(int, number)) for number in (1, 2)] == [1, 2]


def test_a_folder_that_cannot_be_written_keeps_nothing(root, monkeypatch):
    root.write_text("a file")
    for number in (1, 2):
        with caching("run", pytest.fail):
            assert memoize("one", lambda number=number: number) == number


def test_cells_that_were_used_longest_ago_make_room(monkeypatch):
    with caching("run", lambda line: None):
        folder = Path(os.environ[CACHE_VARIABLE])
        for number in range(4):
            memoize(number, lambda: bytes(1000))
            os.utime(folder / joblib.hash(number), ns=(number, number))
        memoize(0, lambda: b"")  # is used
        monkeypatch.setattr(cache, "_MOST", 2500)
    assert {path.name for path in folder.iterdir()} == {joblib.hash(0), joblib.hash(3)}


def long_runs() -> list[LongRun]:
    policies = [baselines.ucb(), baselines.adap_ucb(1.0), baselines.adap_ucb(2.0)]
    return [LongRun({}, PROBLEM, policy, 40, 1, 3) for policy in policies]


@pytest.fixture
def book(tiny: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """A book whose chapter has one longer study, and is executed in no time."""
    room = SimpleNamespace(long_studies=lambda: {"one": long_study("one", LongStudy(long_runs, []))})
    monkeypatch.setattr(reproducing, "paper", lambda chapter: room)
    monkeypatch.setattr(reproducing, "_made", lambda book, chapter: {})
    return tiny


def test_a_longer_study_goes_on_where_it_was_interrupted_and_is_played_anew_when_it_was_done(
    book, played, capsys, monkeypatch
):
    words, real = ["reproduce", "tiny", "--long"], studies.simulate

    def interrupted(problem, policy, **how):
        if len(played) == 2:
            raise KeyboardInterrupt
        return real(problem, policy, **how)

    with monkeypatch.context() as patched:
        patched.setattr(studies, "simulate", interrupted)
        assert main(words, book=book) == 130
    assert len(played) == 2
    assert main([*words, "--check"], book=book) == 1 and len(played) == 5
    assert main(words, book=book) == 0 and len(played) == 6
    assert "private-bandits: 2 results of an earlier long-tiny-one were kept and used" in capsys.readouterr().err
    alone = pd.concat([studies.play_long(run, n_jobs=1).assign(run=k) for k, run in enumerate(long_runs())])
    alone = alone[["run", "replication", "t", "regret"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.read_csv(book.data("tiny") / "long-one.csv"), alone, check_exact=False)
    assert main(words, book=book) == 0 and len(played) == 12


def test_neither_a_run_nor_reproduce_uses_what_an_earlier_one_made(tiny, root, tmp_path, monkeypatch):
    path = tiny.pages / "tiny.ipynb"
    notebook = json.loads(path.read_text())
    source = """import os
import pandas as pd
from private_bandits_book.jobs.cache import memoize
chapter.table("process", pd.DataFrame({"process": [memoize("process", os.getpid)]}), "One.")"""
    new = {"cell_type": "code", "execution_count": None, "id": "c9", "metadata": {}, "outputs": [], "source": source}
    notebook["cells"] = [*notebook["cells"][:3], new]
    path.write_text(json.dumps(notebook))
    monkeypatch.setattr(f"{run.__module__}._build_page", lambda *told: None)
    folder, made = tmp_path / "out", []
    for _ in range(2):
        assert main(["run", "tiny", "-o", str(folder)], book=tiny) == 0
        made.append((folder / "data" / "process.csv").read_text())
    assert main(["reproduce"], book=tiny) == 0
    assert len({*made, (tiny.data("tiny") / "process.csv").read_text()}) == 3


def test_what_a_killed_process_had_half_written_is_swept(root):
    with caching("run", pytest.fail):
        half = Path(os.environ[CACHE_VARIABLE]) / ".0123-1"
        half.write_bytes(b"half")
    assert half.parent.is_dir() and not half.exists()

"""Results that are kept on disk: an interrupted work goes on where it was, and no edit is answered by an old result."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NoReturn

import pandas as pd
import pytest

from private_bandits import baselines
from private_bandits.problems import Arms
from private_bandits_book import studies
from private_bandits_book.book import Book
from private_bandits_book.cli import main
from private_bandits_book.jobs import cache
from private_bandits_book.jobs import reproduce as reproducing
from private_bandits_book.jobs.cache import caching, memoize
from private_bandits_book.studies import LongRun, LongStudy, long_study

PROBLEM = Arms.bernoulli([0.7, 0.4])


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where things are kept in these tests."""
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


def interrupted(said: list[str]) -> ExitStack:
    """A work that is interrupted at the end of the block, so that its results stay."""
    stack = ExitStack()
    stack.enter_context(suppress(KeyboardInterrupt))
    stack.enter_context(caching("run", said.append))
    stack.push(lambda *given: stop())
    return stack


def stop() -> NoReturn:
    raise KeyboardInterrupt


def test_what_was_played_is_not_played_again_and_has_the_same_bits(played, root):
    said: list[str] = []
    first = runs(baselines.ucb())
    with interrupted(said):
        pd.testing.assert_frame_equal(runs(baselines.ucb()), first, check_exact=True)
        assert said == []
    with interrupted(said):
        both = runs(baselines.ucb(), baselines.adap_ucb(1.0))
    pd.testing.assert_frame_equal(both[: len(first)], first, check_exact=True)
    assert played == ["UCB", "UCB", "AdaP-UCB"]
    assert len(said) == 1 and said[0].startswith("1 results of an earlier run were kept and used, in ")
    with caching("run", said.append):
        for changes in ({"seed": 2}, {"horizon": 51}, {"replications": 4}, {"problem": Arms.bernoulli([0.7, 0.5])}):
            runs(baselines.ucb(), **changes)
        runs(baselines.adap_ucb(2.0))
    assert len(played) == 8 and len(said) == 1
    assert not [*root.glob("*/run")]  # it was done
    runs(baselines.ucb()), runs(baselines.ucb())  # outside
    assert len(played) == 10 and not [*root.glob("*/*")]


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
        with interrupted([]):
            found = memoize("one", lambda: len(calls.append(1) or calls))
        return found

    def begun() -> None:
        """Another process."""
        monkeypatch.setattr(cache, "_IMPORTED", cache._sources())

    calls: list[int] = []
    begun()
    assert (made(), made()) == (1, 1)
    for number, path in enumerate(sources, 1):
        path.write_text("# edited")
        assert (made(), made()) == (2 * number, 2 * number + 1)  # of the sources before, and kept for neither
        begun()
        calls.pop()
        assert (made(), made()) == (2 * number + 1, 2 * number + 1)
    monkeypatch.setattr(cache, "version", lambda name: "0.0")
    begun()
    assert made() == 6
    assert not old.exists() and other.exists() and len([*root.iterdir()]) == 5


def test_a_result_is_whole_or_not_there(monkeypatch, root):
    with monkeypatch.context() as patched, interrupted([]):
        patched.setattr(os, "replace", lambda *paths: stop())
        memoize("one", lambda: 1)
    assert not [path for path in root.rglob("*") if path.is_file()]
    with caching("run", lambda line: None):
        assert memoize("one", lambda: 2) == 2
        next(root.glob("*/run/*")).write_bytes(b"")  # a disk that lost it
        assert memoize("one", lambda: 3) == 3 == memoize("one", lambda: 4)
        next(root.glob("*/run/*")).write_bytes(b"\x80s")  # or wrote another one's over it
        assert memoize("one", lambda: 5) == 5


def long_runs() -> list[LongRun]:
    policies = [baselines.ucb(), baselines.adap_ucb(1.0), baselines.adap_ucb(2.0)]
    return [LongRun({}, PROBLEM, policy, 40, 1, 3) for policy in policies]


@pytest.fixture
def book(tiny: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """A book whose chapter has one longer study, and is executed in no time."""
    monkeypatch.setattr(
        reproducing, "longer_studies", lambda chapter: {"one": long_study("one", LongStudy(long_runs, []))}
    )
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

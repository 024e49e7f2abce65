"""What the README tells a reader to type works as it stands."""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from private_bandits_book import cli
from private_bandits_book.book import Book, find_book
from private_bandits_book.parameters import validate

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)


def _commands(program: str) -> list[list[str]]:
    lines = [shlex.split(line, comments=True) for block in _blocks("sh") for line in block.splitlines()]
    return [words for words in lines if words[0] == program]


def _call(*words: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_listing_claims_and_a_report_run(tmp_path: Path) -> None:
    assert "cascading" in _call("-m", "private_bandits_book", "list", cwd=tmp_path)
    (words,) = (words for words in _commands("private-bandits") if words[1] == "claims")
    assert "theorem" in _call("-m", *_module(words), cwd=tmp_path).lower()
    (words,) = (words for words in _commands("private-bandits") if words[1] == "report")
    assert _call("-m", *_module(words), cwd=tmp_path).startswith("# Replication report: Cascading bandits\n")


def test_what_is_run_and_reproduced_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By stand-ins: the gate executes all chapters, and test_whole has the page of a run built."""
    book, taken = find_book(), list[object]()

    def run(_: Book, chapter: str, given: dict[str, object], folder: Path) -> None:
        taken.append(validate(chapter, book.parameters(chapter), given)["horizon"])

    def reproduce(_: Book, chapters: list[str], **how: object) -> bool:
        taken.append(chapters)
        return False

    monkeypatch.setattr("private_bandits_book.jobs.run.run", run)
    monkeypatch.setattr("private_bandits_book.jobs.reproduce.reproduce", reproduce)
    monkeypatch.chdir(tmp_path)
    for words in _commands("private-bandits"):
        if words[1] in ("run", "reproduce"):
            assert cli.main(words[1:]) == 0
    assert taken == [2000, ["cascading"]]
    (words,) = _commands("papermill")
    assert (ROOT / words[1]).is_file()
    assert {name for flag, name in pairwise(words) if flag == "-p"} <= {*book.parameters(Path(words[1]).stem)}


def test_the_library_example_runs(tmp_path: Path) -> None:
    (code,) = _blocks("python")
    shown = _call("-W", "error", "-c", code, cwd=tmp_path).splitlines()
    assert len(shown) == 2
    assert all(re.search(r": regret \d+, private with epsilon (inf|1\.0)$", line) for line in shown)


def _module(words: list[str]) -> list[str]:
    return ["private_bandits_book", *words[1:]]


def test_the_seconds_of_each_chapter_are_those_measured() -> None:
    with (ROOT / "book" / "data" / "costs.csv").open(encoding="utf-8") as file:
        seconds = {row["work"]: row["seconds"] for row in csv.DictReader(file)}
    lines = re.findall(r"^\| (\[.*) \| ([^|]*) \|$", README, flags=re.MULTILINE)
    assert len(lines) == 9
    for named, told in lines:
        chapters = re.findall(r"book/(\w+)\.ipynb", named)
        assert re.findall(r"(\d+) s", told) == [seconds[chapter] for chapter in chapters]

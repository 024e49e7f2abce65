"""What the README tells a reader to type works as it stands."""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from private_bandits_book import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PANELS = [path.stem for path in (ROOT / "book" / "figures" / "definitions").iterdir() if ".narrow." not in path.name]


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)


def _commands(program: str) -> list[list[str]]:
    lines = [shlex.split(line, comments=True) for block in _blocks("sh") for line in block.splitlines()]
    return [words for words in lines if words[0] == program]


def _call(*words: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_every_command_is_of_a_known_kind() -> None:
    programs = [line.split()[0] for block in _blocks("sh") for line in block.splitlines()]
    assert set(programs) == {"make", "private-bandits", "papermill"}
    assert len(_blocks("bat")) == len(_blocks("python")) == 1


def test_the_two_commands_are_targets() -> None:
    assert [words[1] for words in _commands("make")] == ["book", "test"]
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make here")
    # Inside `make test`, the outer make must not hand its jobs and flags on.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    for words in _commands("make"):
        done = subprocess.run([make, "-n", *words[1:]], cwd=ROOT, env=kept, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_the_lines_without_make_do_what_make_does() -> None:
    (block,) = _blocks("bat")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--require-hashes -r requirements.lock" in block and "LOCK := requirements.lock\n" in makefile
    for flags in ("--require-hashes -r ", "--no-deps --no-build-isolation"):
        assert flags in block and flags in makefile
    (build,) = re.findall(r"jupyter-book (build .*)", block)
    assert f"jupyter-book {build}\n" in makefile
    for name in re.findall(r"-r (\S+)", block):
        assert (ROOT / name).is_file()


def test_files_that_it_names_exist() -> None:
    named = re.findall(r"`((?:book|src)/[\w./]+|[\w.-]+\.(?:cff|yml|lock)|LICENSE[\w-]*)`", README)
    assert len(named) >= 5
    for name in named:
        assert (ROOT / name).exists(), name


def test_listing_claims_and_a_report_run(tmp_path: Path) -> None:
    assert "cascading" in _call("-m", "private_bandits_book", "list", cwd=tmp_path)
    (words,) = (words for words in _commands("private-bandits") if words[1] == "claims")
    assert "theorem" in _call("-m", *_module(words), cwd=tmp_path).lower()
    (words,) = (words for words in _commands("private-bandits") if words[1] == "report")
    assert _call("-m", *_module(words), cwd=tmp_path).startswith("# Replication report: Cascading bandits\n")


def test_notebook_rerun_gives_what_it_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVATE_BANDITS_REPOSITORY", "https://github.com/owner/name")
    (words,) = (words for words in _commands("private-bandits") if words[1] == "run")
    _call("-m", *_module(words), cwd=tmp_path)
    folder = tmp_path / "runs" / "definitions"
    for name in ("definitions.ipynb", "definitions.html", "provenance.json", "data/claims.csv"):
        assert (folder / name).is_file(), name
    page = (folder / "definitions.html").read_text(encoding="utf-8")
    assert "github.com" not in page, "the repository has no such page to edit"
    assert len(PANELS) > 5
    for panel in PANELS:
        assert (folder / "data" / f"{panel}.csv").is_file(), panel
        assert (folder / "figures" / f"{panel}.svg").is_file(), panel


def test_notebook_by_plain_papermill_works_too(tmp_path: Path) -> None:
    """Its cells up to the first figure, as the command before has run all of them with the same values."""
    (words,) = _commands("papermill")
    (source,) = (word for word in words if word.startswith("book/"))
    notebook = nbformat.read(ROOT / source, as_version=4)
    first = next(place for place, cell in enumerate(notebook.cells) if "chapter.figure(" in cell.source)
    del notebook.cells[first + 1 :]
    (tmp_path / "book").mkdir()
    nbformat.write(notebook, tmp_path / source)
    _call("-m", *words, cwd=tmp_path)
    made = nbformat.read(tmp_path / "mine.ipynb", as_version=4)
    assert any("image/png" in output.get("data", {}) for output in made.cells[-1].outputs)


def test_reproduce_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    (words,) = (words for words in _commands("private-bandits") if words[1] == "reproduce")
    asked: list[tuple[list[str], bool]] = []

    def stand_in(book: object, chapters: list[str], *, long: bool, seeds: int, check: bool) -> bool:
        asked.append((chapters, check))
        return False

    monkeypatch.setattr("private_bandits_book.jobs.reproduce.reproduce", stand_in)
    assert cli.main(words[1:]) == 0
    assert asked == [(["cascading"], True)]


def test_the_library_example_runs(tmp_path: Path) -> None:
    (code,) = _blocks("python")
    shown = _call("-W", "error", "-c", code, cwd=tmp_path).splitlines()
    assert len(shown) == 2
    assert all(re.search(r": regret \d+, private with epsilon (inf|1\.0)$", line) for line in shown)


def test_the_command_is_installed_under_its_name() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.search(r'^private-bandits = "(.+):(.+)"$', project, flags=re.MULTILINE)
    assert declared is not None
    main: Callable[..., int] = cli.main
    assert (main.__module__, main.__name__) == declared.groups()


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

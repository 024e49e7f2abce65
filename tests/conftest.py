"""How the suite is run, and a tiny book: one chapter that runs in a second and can be told to fail."""

from __future__ import annotations

import importlib
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import NOT_RUN, chromium, lacking
from bs4 import BeautifulSoup
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from private_bandits_book import chapter
from private_bandits_book.book import Book
from private_bandits_book.jobs.reproduce import reproduce

ROOT = Path(__file__).parents[1]
TINY = Path(__file__).parent / "fixtures" / "tiny"
_FILES: set[Path] = set()  # of this worker


def _alone(nodeid: str) -> bool:
    return "::test_notebook_" in nodeid


def _together(nodeid: str) -> str:
    """What one worker runs: a notebook, all that is asked of the one build of the pages, or the tests of a file."""
    file = nodeid.partition("::")[0]
    return nodeid if _alone(nodeid) else re.sub(r"test_(site\w*|lab_pages)\b", "test_book", file)


def _turn(nodeid: str) -> int:
    long = {"test_book": 0, "test_whole": 2}
    return 1 if _alone(nodeid) else long.get(Path(_together(nodeid)).stem, 3)


def pytest_itemcollected(item: pytest.Item) -> None:
    if _alone(item.nodeid):
        item.add_marker("notebook")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", metavar="SEED", help="the files, and the tests of each, in an order of this seed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no worker waits for it at the end."""
    if seed := config.getoption("shuffle"):
        chance = random.Random(seed)
        files = dict.fromkeys(item.path for item in items)
        place = {path: chance.random() for path in files}
        items.sort(key=lambda item: (place[item.path], chance.random()))
    items.sort(key=lambda item: _turn(item.nodeid))


def pytest_report_header(config: pytest.Config) -> str:
    """Say before anything runs that no browser is there, and stop where CI runs, which skips nothing."""
    words = "" if "not book" in config.option.markexpr else lacking()
    if words and os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.exit(words, returncode=1)
    return words


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """After the gate say how fast the machine is, as targets are for one of a known speed; tests of pages in a line."""
    for one in terminalreporter.stats.get("skipped", []):
        if NOT_RUN in one.longrepr[2]:
            one.longrepr = "tests/browser.py", 0, one.longrepr[2]
    if config.option.markexpr:
        done = subprocess.run([sys.executable, ROOT / "benchmarks" / "yardstick.py"], capture_output=True, text=True)
        terminalreporter.write_line(done.stdout.strip())


class _ByFile(LoadScopeScheduling):
    """The tests of a file stay in one worker, with what they compile and share; a notebook stands for itself."""

    def _split_scope(self, nodeid: str) -> str:
        return _together(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _ByFile(config, log)


@pytest.fixture(autouse=True)
def _one_worker_a_file(request: pytest.FixtureRequest) -> None:
    """Where a file's tests run in two workers, both compile the same loops, and nothing else says so."""
    path = request.path
    if "PYTEST_XDIST_WORKER" in os.environ and path not in _FILES and not _alone(request.node.nodeid):
        _FILES.add(path)
        shared = request.getfixturevalue("tmp_path_factory").getbasetemp().parent
        (shared / f"{path.name}.worker").touch(exist_ok=False)


@pytest.fixture(autouse=True)
def _threads_for_short_runs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("private_bandits.simulation"), "_FEW", 0)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages; no second worker builds them."""
    output = tmp_path_factory.mktemp("book")
    if "PYTEST_XDIST_WORKER" in os.environ:
        (output.parents[1] / "site.worker").touch(exist_ok=False)
    done = build(ROOT, output, "--all")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return output / "_build" / "html"


@pytest.fixture(scope="session")
def soups(site: Path) -> dict[Path, BeautifulSoup]:
    """The built pages, read once; a test changes none."""
    found = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts]
    return {path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in found}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


def build(root: Path, output: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Build the book as `make book` does."""
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(root), *words]
    command += ["--path-output", str(output), "-W", "-n", "--keep-going"]
    own = {**os.environ, "PYTHONPATH": str(root / "src")}  # a copy is built by its own package
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=own)


@pytest.fixture
def tiny(tmp_path: Path) -> Book:
    """The tiny book before any chapter was executed."""
    return Book(Path(shutil.copytree(TINY, tmp_path / "tiny")))


@pytest.fixture(scope="session")
def _executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(shutil.copytree(TINY, tmp_path_factory.mktemp("executed") / "tiny"))
    reproduce(Book(root), [], report=lambda line: None)
    return root


@pytest.fixture
def published(_executed: Path, tmp_path: Path) -> Book:
    """The tiny book with its chapter executed and its data and figures published."""
    return Book(Path(shutil.copytree(_executed, tmp_path / "published")))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a chapter displays, in order."""
    things: list[Any] = []
    monkeypatch.setattr(chapter, "display", lambda *some: things.extend(some))
    return things

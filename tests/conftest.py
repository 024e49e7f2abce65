"""How the suite is run, and a tiny book: one chapter that runs in a second and can be told to fail."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest

from private_bandits_book.chapters.book import Book
from private_bandits_book.chapters.reproduce import reproduce

TINY = Path(__file__).parent / "fixtures" / "tiny"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The notebooks come first, each for itself, as they take longest; the tests of another file stay together."""
    items.sort(key=lambda item: item.get_closest_marker("notebook") is None)
    for item in items:
        alone = item.get_closest_marker("notebook") is not None
        item.add_marker(pytest.mark.xdist_group(item.name if alone else item.path.name))


@pytest.fixture(autouse=True)
def _threads_for_short_runs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("private_bandits.simulate"), "_FEW", 0)


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

"""A tiny book: one chapter that runs in a second and can be told to fail."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from private_bandits_book.chapters.book import Book
from private_bandits_book.chapters.reproduce import reproduce

TINY = Path(__file__).parent / "fixtures" / "tiny"


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

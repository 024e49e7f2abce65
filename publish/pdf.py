"""Print the built book into one PDF, and check that nothing of it is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from browser import print_pdf
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"


def documents(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the pages of a table of contents in reading order."""
    yield entry.get("root") or entry["file"]
    for inner in entry.get("chapters", entry.get("sections", [])):
        yield from documents(inner)


def article(site: Path, name: str, others: set[Path]) -> Tag:
    """Return what a page says, its anchors named after it, its links leading to articles, elsewhere or nowhere."""
    page = site / f"{name}.html"
    found = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("article.bd-article")
    assert found is not None, page
    return found

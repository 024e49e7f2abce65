"""What is public stands in one list: the fuzz calls it, and the reference pages name nothing else."""

from __future__ import annotations

import re
import typing
from pathlib import Path
from typing import Any

import hostile
import listed
import pytest
from bs4 import BeautifulSoup

BOOK = Path(__file__).parents[1] / "book"
PAGES = sorted((BOOK / "api").glob("*.md"))


def rooms(page: Path) -> list[str]:
    """The modules that a reference page shows."""
    return re.findall(r"^\.\. automodule:: (\S+)\n   :members:$", page.read_text(), re.MULTILINE)


def shown() -> dict[str, Any]:
    """All modules of either package that list what is public, by their full names."""
    library = {f"private_bandits.{room}": module for room, module in listed.modules().items() if room}
    return library | {f"private_bandits_book.{room}": module for room, module in listed.companion().items()}


def test_the_fuzz_calls_all_that_is_listed():
    calls = {id(function) for function in hostile.public().values()}
    missed = {path.rpartition(".")[2] for path, thing in listed.things().items() if id(thing) not in calls}
    assert missed == hostile.SKIPPED
    assert len(listed.things()) > 180 and "papers.heavy_tailed.bounds.dp_lower" in listed.things()


def test_every_listed_module_has_a_place_on_one_page():
    named = [room for page in PAGES for room in rooms(page)]
    assert sorted({*named}) == sorted(shown()) and len(named) == len({*named})


@pytest.mark.book
def test_the_reference_pages_show_exactly_what_is_listed(site):
    found = set()
    for page in PAGES:
        soup = BeautifulSoup((site / "book" / "api" / f"{page.stem}.html").read_text(encoding="utf-8"), "html.parser")
        entries = soup.select("dl.function > dt[id], dl.class > dt[id], dl.exception > dt[id]")
        found |= {str(entry["id"]) for entry in entries if len(entry.find_parents("dl")) == 1}
    wanted = {
        f"{room}.{name}"
        for room, module in shown().items()
        for name in module.__all__
        if callable(thing := getattr(module, name)) and typing.get_origin(thing) is None
    }
    assert found == wanted

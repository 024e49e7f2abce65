"""What is public stands in one list: the fuzz calls it, and the reference pages name nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import hostile
import listed

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

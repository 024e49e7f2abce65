"""What is public stands in one list: the fuzz calls it, and the reference pages and the notebooks name nothing else."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import hostile
import listed
import pytest
from bs4 import BeautifulSoup

BOOK = Path(__file__).parents[1] / "book"
PAGES = sorted((BOOK / "api").glob("*.md"))
# of which a notebook shows the source
SHOWN = {"kernels.replay", "baselines.replayed"}


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


def test_the_bounds_of_every_paper_come_with_it():
    """In a process of its own, where nobody has imported them before."""
    code = """
from private_bandits.papers import cascading, contextual, definitions, heavy_tailed, semibandits
for paper in (cascading, contextual, definitions, heavy_tailed, semibandits):
    assert "bounds" in paper.__all__ and paper.bounds.__all__, paper
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def used(notebook: Path) -> set[str]:
    """What a notebook takes from the library, by where it finds it."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    trees = [ast.parse("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
    names, found = {}, set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "private_bandits":
            for one in node.names:
                names[one.asname or one.name] = f"{node.module}.{one.name}".removeprefix("private_bandits.")
    found |= set(names.values())
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            found.add(f"{names[node.value.id]}.{node.attr}")
    return found


@pytest.mark.parametrize("notebook", sorted(BOOK.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_use_what_is_listed(notebook):
    public = [*listed.things().values()]
    for path in used(notebook):
        home, _, name = path.rpartition(".")
        try:
            thing = getattr(importlib.import_module(f"private_bandits.{home}".rstrip(".")), name)
        except ModuleNotFoundError:  # a class method of what is named itself
            continue
        if callable(thing) and home not in SHOWN:
            assert any(thing is one for one in public), path


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

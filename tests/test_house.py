"""The rooms of the house: who imports whom; what is found by a name; and that no test is lost."""

from __future__ import annotations

import ast
import csv
import functools
import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
FILES = sorted(SRC.rglob("*.py"))
LIBRARY, COMPANION = "private_bandits", "private_bandits_book"
PAPERS = sorted(path.parent.name for path in (SRC / LIBRARY / "papers").glob("*/__init__.py"))
# What a library that is imported in a study has no use for.
PUBLISHING = ["matplotlib", "papermill", "nbformat", "nbclient", "nbval", "jupyter", "jupyter_book", "IPython"]
# From the lowest room to the highest: a room imports those before it only.
LOW, HIGH = (
    "folders shown compilation checks parameters loaded streams reference_tools estimates channels mechanisms problems",
    "kernels guarantee learners policy privacy simulation policy_checks",
)
ORDER = [*LOW.split(), *HIGH.split(), "baselines", "papers"]


def dotted(path):
    """The name of the module in a file."""
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


CHAPTERS = sorted(path.parent.name for path in (SRC / COMPANION / "chapters").glob("*/__init__.py"))
SHARED = sorted({name.split(".")[1] for name in map(dotted, FILES) if name.startswith(f"{COMPANION}.")} - {"chapters"})
FLOORS = [[f"{LIBRARY}.{room}"] for room in ORDER]
FLOORS += [[f"{COMPANION}.{room}" for room in rooms] for rooms in (SHARED, ["chapters"])]


def imports(source):
    """The dotted names that a source imports, wherever in it: in functions and under TYPE_CHECKING, too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import: {ast.unparse(node)}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def known_imports():
    """What each module of the house imports."""
    return {dotted(path): set(imports(path.read_text(encoding="utf-8"))) for path in FILES}


def within(name, *packages):
    """Whether a dotted name is one of some packages or lies in it."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def into(imports, importing, imported):
    """The imports of some packages by others, as (module, name)."""
    return {
        (m, name) for m, names in imports.items() if within(m, *importing) for name in names if within(name, *imported)
    }


def upwards(imports):
    """The imports of a higher floor by a lower one, as (module, name)."""
    found = set()
    for number, floor in enumerate(FLOORS):
        found |= into(imports, floor, [room for upper in FLOORS[number + 1 :] for room in upper])
    return found


def across(imports):
    """The imports of a paper's room by another paper's, as (module, name)."""
    rooms = {paper: (f"{LIBRARY}.papers.{paper}", f"{COMPANION}.chapters.{paper}") for paper in PAPERS}
    pairs = itertools.permutations(PAPERS, 2)
    return set().union(*(into(imports, rooms[one], rooms[other]) for one, other in pairs))


def test_imports_run_one_way():
    """Chapters, what they share, papers, simulate and privacy, kernels, problems and mechanisms, checks."""
    known = known_imports()
    assert {"cascading", "contextual", "definitions", "heavy_tailed", "semibandits"} <= set(PAPERS) <= set(CHAPTERS)
    assert f"{COMPANION}.jobs.commands.call" in known[f"{COMPANION}.cli"]  # in a function
    assert f"{COMPANION}.book.Book" in known[f"{COMPANION}.cli"]  # under TYPE_CHECKING
    assert {name.split(".")[1] for name in known if name.startswith(f"{LIBRARY}.")} == set(ORDER)
    assert not upwards(known)
    assert not across(known)
    assert not into(known, [LIBRARY], [COMPANION, *PUBLISHING])


def test_the_library_names_no_companion():
    """Neither in code, for an import by name, nor in data."""
    texts = [path for path in (SRC / LIBRARY).rglob("*") if path.suffix in (".py", ".toml")]
    assert not {path.name for path in texts if COMPANION in path.read_text(encoding="utf-8")}


FORMULA = re.compile(r"[=+@\t\r]|-(?![\d.]+($|[ ;e\d]))")
MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    rf"\d{{1,4}}[-/:]\d{{1,2}}([-/:]\d{{1,4}})?|\d{{1,2}}[- ]?{MONTH}([- ]?\d+)?|{MONTH}[- ]?\d+", re.IGNORECASE
)


def misread(cell):
    """Whether a spreadsheet takes a cell for something else than it says."""
    return bool(FORMULA.match(cell) or DATE.fullmatch(cell))


@pytest.mark.parametrize("cell", ["=1", "=6", "+1 (tied)", "@x", "-inf", "-T", "1/2", "1-2", "3:1", "jun2017", "2 May"])
def test_a_cell_that_a_spreadsheet_misreads_is_found(cell):
    assert misread(cell)


def test_a_spreadsheet_reads_every_committed_cell_as_it_stands():
    found = {}
    for path in sorted((ROOT / "book" / "data").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found |= {cell: path.name for row in csv.reader(file) for cell in row if misread(cell)}
    assert found == {}

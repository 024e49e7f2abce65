"""The rooms of the house: who imports whom; what is found by a name; and that no test is lost."""

from __future__ import annotations

import ast
import csv
import functools
import itertools
import re
from graphlib import CycleError, TopologicalSorter
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


def packages(module):
    """The packages that a module lies in."""
    parts = module.split(".")
    return {".".join(parts[:number]) for number in range(1, len(parts))}


def circle(imports):
    """Modules of which each imports the next and the last is the first, or none; packages run before their modules."""
    graph = {}
    for module, names in imports.items():
        modules = {name if name in imports else name.rpartition(".")[0] for name in names} & imports.keys()
        entered = {package for name in modules for package in packages(name)} - packages(module)
        graph[module] = (modules | entered & imports.keys()) - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


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


def test_imports_run_one_way_and_in_no_circle():
    """Chapters, what they share, papers, simulate and privacy, kernels, problems and mechanisms, checks."""
    known = known_imports()
    assert {"cascading", "contextual", "definitions", "heavy_tailed", "semibandits"} <= set(PAPERS) <= set(CHAPTERS)
    assert f"{COMPANION}.jobs.commands.call" in known[f"{COMPANION}.cli"]  # in a function
    assert f"{COMPANION}.book.Book" in known[f"{COMPANION}.cli"]  # under TYPE_CHECKING
    assert {name.split(".")[1] for name in known if name.startswith(f"{LIBRARY}.")} == set(ORDER)
    assert not circle(known)
    assert not upwards(known)
    assert not across(known)
    assert not into(known, [LIBRARY], [COMPANION, *PUBLISHING])


def test_the_library_names_no_companion():
    """Neither in code, for an import by name, nor in data."""
    texts = [path for path in (SRC / LIBRARY).rglob("*") if path.suffix in (".py", ".toml")]
    assert not {path.name for path in texts if COMPANION in path.read_text(encoding="utf-8")}


def with_an_import(module, name):
    """What is imported, and by one module another one, in a function."""
    planted = f"def play():\n    from {name} import it\n"
    return known_imports() | {module: known_imports()[module] | set(imports(planted))}


@pytest.mark.parametrize(
    ("module", "name", "found"),
    [
        ("private_bandits.kernels.protocol", "private_bandits.kernels.index", circle),
        # which imports its modules
        ("private_bandits.papers.cascading.instances", "private_bandits.papers.cascading", circle),
        ("private_bandits.checks", "private_bandits.streams", upwards),
        ("private_bandits.simulation", "private_bandits_book.studies", upwards),
        ("private_bandits_book.studies", "private_bandits_book.chapters.cascading", upwards),
        ("private_bandits.papers.cascading", "private_bandits.papers.semibandits", across),
        ("private_bandits_book.chapters.cascading", "private_bandits_book.chapters.semibandits", across),
    ],
)
def test_an_import_that_may_not_be_is_found(module, name, found):
    planted = found(with_an_import(module, name))
    assert {module, name} <= set(planted) if found is circle else planted == {(module, f"{name}.it")}


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


@pytest.mark.parametrize("cell", ["1 (tied)", "-0.5", "-1e-05", "-0.44 [-1.90, 1.02]", "1e+06", "wang2021", "−1", ""])
def test_other_cells_are_no_formula_and_no_date(cell):
    assert not misread(cell)


def test_a_spreadsheet_reads_every_committed_cell_as_it_stands():
    found = {}
    for path in sorted((ROOT / "book" / "data").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found |= {cell: path.name for row in csv.reader(file) for cell in row if misread(cell)}
    assert found == {}

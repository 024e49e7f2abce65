"""The rooms of the house: who imports whom, and no crumbs of strings."""

from __future__ import annotations

import ast
import functools
import io
import itertools
import token
import tokenize
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
FILES = sorted(SRC.rglob("*.py"))
LIBRARY, COMPANION = "private_bandits", "private_bandits_book"
PAPERS = sorted(path.parent.name for path in (SRC / LIBRARY / "papers").glob("*/__init__.py"))
# What a library that is imported in a study has no use for.
PUBLISHING = {
    "matplotlib",
    "papermill",
    "nbformat",
    "nbclient",
    "nbval",
    "jupyter",
    "jupyter_book",
    "jupyter_client",
    "IPython",
}
FRAGMENT = 28


def dotted(path):
    """The name of the module in a file."""
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


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


def graph(imports):
    """What runs before a module: the modules that it imports, and the packages that these lie in and it does not."""
    found = {}
    for module, names in imports.items():
        modules = {name if name in imports else name.rpartition(".")[0] for name in names} & imports.keys()
        entered = {package for name in modules for package in packages(name)} - packages(module)
        found[module] = (modules | entered & imports.keys()) - {module}
    return found


def circle(imports):
    """Modules of which each imports the next and the last is the first, or none."""
    try:
        TopologicalSorter(graph(imports)).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def into(imports, importing, imported):
    """The imports of some packages by others, as (module, name)."""
    return {
        (m, name) for m, names in imports.items() if within(m, *importing) for name in names if within(name, *imported)
    }


# From the lowest room to the highest: a room imports those before it only.
LOW, HIGH = (
    "_folders shown _compiled checks streams reference_tools estimates mechanisms problems",
    "kernels parameters privacy policy learners simulate",
)
ORDER = [*LOW.split(), *HIGH.split(), "baselines", "papers"]
CHAPTERS = sorted({path.parent.name for name in ("rules", "rivals") for path in (SRC / COMPANION).glob(f"*/{name}.py")})
SHARED = sorted({name.split(".")[1] for name in map(dotted, FILES) if name.startswith(f"{COMPANION}.")} - {*CHAPTERS})
FLOORS = [[f"{LIBRARY}.{room}"] for room in ORDER]
FLOORS += [[f"{COMPANION}.{room}" for room in rooms] for rooms in (SHARED, CHAPTERS)]


def upwards(imports):
    """The imports of a higher floor by a lower one, as (module, name)."""
    found = set()
    for number, floor in enumerate(FLOORS):
        found |= into(imports, floor, [room for upper in FLOORS[number + 1 :] for room in upper])
    return found


def across(imports):
    """The imports of a paper's room by another paper's, as (module, name)."""
    rooms = {paper: (f"{LIBRARY}.papers.{paper}", f"{COMPANION}.{paper}") for paper in PAPERS}
    pairs = itertools.permutations(PAPERS, 2)
    return set().union(*(into(imports, rooms[one], rooms[other]) for one, other in pairs))


def test_the_imports_are_read():
    assert {"cascading", "contextual", "definitions", "heavy_tailed", "semibandits"} <= set(PAPERS) <= set(CHAPTERS)
    assert {"audit", "comparison"} <= set(CHAPTERS)
    assert f"{COMPANION}.commands.call" in known_imports()[f"{COMPANION}.cli"]  # in a function
    assert f"{COMPANION}.chapters.book.Book" in known_imports()[f"{COMPANION}.cli"]  # under TYPE_CHECKING
    assert len(known_imports()) > 150
    rooms = {name.split(".")[1] for name in known_imports() if within(name, LIBRARY) and name != LIBRARY}
    assert rooms == set(ORDER)


def test_no_modules_import_each_other_in_a_circle():
    assert not circle(known_imports())


def test_the_library_imports_neither_the_companion_nor_what_makes_pages():
    assert not into(known_imports(), [LIBRARY], [COMPANION, *PUBLISHING])


def test_the_library_names_no_companion():
    """Neither in code, for an import by name, nor in data."""
    texts = [path for path in (SRC / LIBRARY).rglob("*") if path.suffix in (".py", ".toml")]
    naming = {path.name for path in texts if COMPANION in path.read_text(encoding="utf-8")}
    assert not naming


def test_imports_run_one_way_between_the_floors():
    """Chapters, what they share, papers, simulate and privacy, kernels, problems and mechanisms, checks."""
    assert not upwards(known_imports())


def test_no_paper_imports_another():
    assert not across(known_imports())


PLANTED = "def play():\n    from {} import it\n"


def with_an_import(module, name):
    """What is imported, and by one module another one, in a function."""
    return known_imports() | {module: known_imports()[module] | set(imports(PLANTED.format(name)))}


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("kernels.protocol", "kernels.index"),
        ("problems.lists", "simulate"),
        ("papers.cascading.instances", "papers.cascading"),  # which imports its modules
    ],
)
def test_a_circle_is_found(module, name):
    module, name = f"{LIBRARY}.{module}", f"{LIBRARY}.{name}"
    assert {module, name} <= set(circle(with_an_import(module, name)))


def test_an_import_of_the_companion_is_found():
    module, name = f"{LIBRARY}.simulate", f"{COMPANION}.studies"
    imports = with_an_import(module, name)
    assert into(imports, [LIBRARY], [COMPANION]) == upwards(imports) == {(module, f"{name}.it")}


def test_an_import_under_type_checking_is_found():
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a.b\n    from c import d, e\n"
    assert set(imports(source)) == {"typing.TYPE_CHECKING", "a.b", "c.d", "c.e"}


@pytest.mark.parametrize("floor", range(len(FLOORS) - 1))
def test_an_import_of_a_higher_floor_is_found(floor):
    module, up = FLOORS[floor][0], FLOORS[floor + 1][0]
    assert upwards(with_an_import(module, up)) == {(module, f"{up}.it")}
    assert not upwards(with_an_import(up, module))


@pytest.mark.parametrize("package", [f"{LIBRARY}.papers", COMPANION])
def test_an_import_of_another_paper_is_found(package):
    module, name = f"{package}.cascading", f"{package}.semibandits"
    assert across(with_an_import(module, name)) == {(module, f"{name}.it")}


def literals(text):
    """The string literals of a source as (start, end) positions, and None for every other token between them."""
    opening, closing = (getattr(token, f"FSTRING_{kind}", None) for kind in ("START", "END"))
    begun = []  # f-strings that are open: a single token before Python 3.12, a run of tokens since
    for part in tokenize.generate_tokens(io.StringIO(text).readline):
        if part.type in (tokenize.COMMENT, tokenize.NL):
            continue
        if part.type == opening:
            begun.append(part.start)
        elif part.type == closing:
            start = begun.pop()
            if not begun:
                yield start, part.end
        elif not begun:
            yield (part.start, part.end) if part.type == token.STRING else None


def fragments(text):
    """The string literals that another one follows directly, as (line, what stands between the quotes)."""
    lines, found = text.splitlines(keepends=True), list(literals(text))
    for one, following in zip(found, found[1:], strict=False):
        if one and following:
            (top, left), (bottom, right) = one
            whole = "".join(lines[top - 1 : bottom])
            content = whole[left : len(whole) - len(lines[bottom - 1]) + right]
            yield top, content.lstrip("rRbBfFuU").strip("\"'")


def test_fragments_are_found():
    source = """x = (
    "of "  # a crumb
    f"a {y['z'] if 0 else f'{y}'} b"
    "end"
)
y = "short"
"""
    assert list(fragments(source)) == [(2, "of "), (3, "a {y['z'] if 0 else f'{y}'} b")]


def test_no_string_is_broken_into_crumbs():
    crumbs = [
        f"{dotted(path)}:{line}: {content!r}"
        for path in FILES
        for line, content in fragments(path.read_text(encoding="utf-8"))
        if len(content) < FRAGMENT
    ]
    assert not crumbs, "\n".join(crumbs)


PARTS = {"contains", "removesuffix", "removeprefix", "startswith", "endswith", "partition", "rpartition"}
CALLED = {"policy", "policies", "name", "label", "mechanism", "learner", "claim"}
# What reads files, arguments and declared labels, and knows no policy.
READERS = tuple(f"{COMPANION}.{room}" for room in ("chapters", "chapter", "plots", "cli", "commands"))


def told_from_names(text):
    """What a source takes out of a text or looks for in what something is called, as (line, what)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARTS:
            yield node.lineno, node.func.attr
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            where = node.comparators[0]
            while isinstance(where, ast.Call):
                where = where.func.value if isinstance(where.func, ast.Attribute) else where.args[0]
            called = where.attr if isinstance(where, ast.Attribute) else getattr(where, "id", "")
            if called in CALLED:
                yield node.lineno, f"in {called}"


SHOWN = {"policy", "name", "label"}
LOOKED_UP = {"find", "final", "select"}
JOINS = [f"{COMPANION}.figures.drawing: compared"]  # a slope's line
RIVALS = f"{COMPANION}.comparison.rivals"  # which a ranking calls by their names


def shown_text(node):
    """Whether an expression is what something is called: `frame["policy"]`, `run.name`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value in SHOWN
    return isinstance(node, ast.Attribute) and node.attr in SHOWN


def looked_up(text):
    """What a source finds by what it is called, as (line, how)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            if any(map(shown_text, (node.left, *node.comparators))):
                yield node.lineno, "compared"
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Attribute) and shown_text(node.slice):
            yield node.lineno, "key"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            how, first = node.func.attr, node.args[0] if node.args else None
            if how in LOOKED_UP and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, how
            elif how in ("isin", "map", "replace") and isinstance(node.func.value, ast.Subscript):
                if shown_text(node.func.value):
                    yield node.lineno, how
            elif how == "get" and first is not None and shown_text(first):
                yield node.lineno, how


def test_lookups_by_name_are_found():
    source = """a = frame[frame["policy"] == "Laplace"]
b = runs.find("Laplace", "published")
c = SHORT[run.name] + SHORT.get(run.name, run.name)
d = frame["policy"].isin([MINE]) | frame["label"].map(HUES) | (frame["key"] == MINE)
e = name == run.name or run.policy != other.policy
f = runs.find(LAPLACE, "published") if frame["variant"] == "printed" else text.replace("a", "b")
"""
    found = [(1, "compared"), (2, "find"), (3, "get"), (3, "key"), (4, "isin"), (4, "map"), (5, "compared")]
    assert sorted(looked_up(source)) == [*found, (5, "compared")]


def test_the_companion_finds_nothing_by_what_it_is_called():
    found = [
        f"{module}: {how}"
        for path in FILES
        if within(module := dotted(path), COMPANION) and not any(within(module, room) for room in [*READERS, RIVALS])
        for _, how in looked_up(path.read_text(encoding="utf-8"))
    ]
    assert sorted(found) == JOINS


def painted(text):
    """Where a source gives rows a family that is neither a policy's own nor no mechanism's."""
    for node in ast.walk(ast.parse(text)):
        pairs = []
        if isinstance(node, ast.Call):
            pairs = [(one.arg, one.value) for one in node.keywords]
        elif isinstance(node, ast.Dict):
            pairs = [(getattr(name, "value", None), value) for name, value in zip(node.keys, node.values, strict=True)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            pairs = [(getattr(node.targets[0].slice, "value", None), node.value)]
        for name, value in pairs:
            own = isinstance(value, ast.Attribute | ast.Name | ast.Call) and "family" in ast.unparse(value)
            if name == "family" and not own and ast.unparse(value) not in ("'none'", "'uniform'", "'instances'"):
                yield node.lineno


def test_painted_lines_are_found():
    source = """a = frame.assign(family="laplace", trust="local")
frame["family"] = frame["learner"].map(hues)
b = {"policy": run.name, "family": run.family} | {"family": "none"}
frame["family"] = np.where(plain, "none", "gaussian")
"""
    assert sorted(painted(source)) == [1, 2, 4]


def test_colour_comes_from_the_policy_that_ran():
    instances = {f"{COMPANION}.semibandits.long"}  # a line that nothing ran
    instances |= {f"{COMPANION}.plots"}  # where every frame of runs gets it
    instances |= {f"{COMPANION}.definitions.pictures"}  # bounds, which nothing ran
    found = [
        f"{module}:{line}"
        for path in FILES
        if within(module := dotted(path), COMPANION) and module not in instances
        for line in painted(path.read_text(encoding="utf-8"))
    ]
    assert not found, found


def test_parts_of_names_are_found():
    source = """a = [f for f in COLOURS if f in policy]
b = frame[frame["mechanism"].str.contains("response")]
c = run.name.removesuffix(", fluid")
d = "SE" in str(run.name).lower() or other.name == "SE" or name in LOCAL
"""
    found = [(1, "in policy"), (2, "contains"), (3, "removesuffix"), (4, "in name")]
    assert sorted(told_from_names(source)) == found


def test_the_companion_reads_nothing_out_of_a_name():
    found = [
        f"{module}:{line}: {what}"
        for path in FILES
        if within(module := dotted(path), COMPANION) and not any(within(module, room) for room in [*READERS, RIVALS])
        for line, what in told_from_names(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_the_whole_suite_is_collected(request):
    """Of the gate, or of all: tests that are lost without a word would be missed."""
    part = request.config.option.keyword or request.config.option.markexpr not in ("", "not check")
    if part or list(request.config.args) != request.config.getini("testpaths"):
        pytest.skip("a part of the suite was asked for")
    assert len(request.session.items) >= 5_500


def test_no_attribute_is_probed():
    """Defaults are declared; a name that is fixed is written as an attribute."""
    found = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                fixed = node.func.id == "getattr" and isinstance(node.args[1], ast.Constant)
                if fixed or node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) > 2):
                    found.append(f"{dotted(path)}:{node.lineno}")
    assert not found

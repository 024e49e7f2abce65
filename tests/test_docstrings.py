"""Whatever is listed, or needs no underscore, says what it takes, returns and raises, and its examples run."""

from __future__ import annotations

import ast
import doctest
import enum
import importlib
import inspect
import pkgutil
import textwrap
from pathlib import Path

import listed
import pytest

import private_bandits


@pytest.fixture(scope="module")
def modules():
    """The modules of the library whose names have no underscore."""
    found = pkgutil.walk_packages(private_bandits.__path__, "private_bandits.")
    return [importlib.import_module(one.name) for one in found if "._" not in one.name]


def plain(thing):
    """The Python function of a compiled or cached one."""
    return inspect.unwrap(getattr(thing, "py_func", thing))


@pytest.fixture(scope="module")
def public(modules):
    """Every function, class and method of these modules by its name, once: all that is listed is among them."""
    found = {}
    for module in modules:
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(plain(thing), "__module__", None) != module.__name__:
                continue
            if not callable(thing):
                continue
            found[f"{module.__name__}.{name}"] = plain(thing)
            if inspect.isclass(thing):
                for method, member in vars(thing).items():
                    function = plain(getattr(member, "__func__", member))
                    inherited = any(method in vars(base) for base in thing.__mro__[1:])
                    if inspect.isfunction(function) and not method.startswith("_") and not inherited:
                        found[f"{module.__name__}.{name}.{method}"] = function
    assert len(found) > 300 and "private_bandits.problems.semibandits.SemiBandit.top_k" in found
    seen = {id(thing) for thing in found.values()}
    missed = [
        path for path, thing in listed.things().items() if id(plain(thing)) not in seen and inspect.isroutine(thing)
    ]
    assert not missed, missed
    return found


@pytest.fixture(scope="module")
def companion():
    """What the companion lists for a reader's own work, and the methods of its classes, by their names."""
    found = {}
    for room, module in listed.companion().items():
        for name in module.__all__:
            thing = getattr(module, name)
            found[f"{room}.{name}"] = thing
            for method, member in vars(thing).items() if inspect.isclass(thing) else ():
                function = plain(getattr(member, "__func__", member))
                if inspect.isfunction(function) and not method.startswith("_"):
                    found[f"{room}.{name}.{method}"] = function
    assert len(found) > 50 and "chapter.Chapter.play" in found
    return found


def sections(thing):
    """The sections of a docstring, by title, as lists of lines."""
    lines, found, title = inspect.cleandoc(thing.__doc__ or "").split("\n"), {}, ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"} and len(below) == len(line):
            title = line
        elif title and not set(line) == {"-"}:
            found.setdefault(title, []).append(line)
    return found


def documented(thing):
    """The names that the Parameters of a function, or the Attributes of a class, explain; grouped names count."""
    found = sections(thing)
    entries = [line for title in ("Parameters", "Attributes") for line in found.get(title, ()) if line[:1].strip()]
    return {name.strip(" *") for entry in entries for name in entry.split(" : ")[0].split(",")}


def arguments(thing):
    """The names of the arguments, but for those of a protocol or of a tuple, whose fields stand with their comments."""
    if inspect.isclass(thing) and (
        issubclass(thing, (tuple, enum.Enum, BaseException)) or getattr(thing, "_is_protocol", False)
    ):
        return set()
    names = [name for name in inspect.signature(thing).parameters if not name.startswith("_")]
    return set(names) - {"self", "cls"}


def refuses(thing):
    """Whether a function raises, or checks an argument, by itself."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError):  # written by a decorator
        return False
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    checked = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any("NotImplementedError" not in ast.unparse(node) for node in raised) or any(
        ast.unparse(node.func).startswith("checks.") for node in checked
    )


def returned(thing):
    """The name of the type that is said to be returned."""
    said = thing.__annotations__.get("return", "None")
    return said if isinstance(said, str) else getattr(said, "__name__", str(said))


def missing(name, thing):
    """What a docstring lacks."""
    if not (thing.__doc__ or "").strip():
        return "a docstring"
    if thing.__module__.startswith("private_bandits.kernels.") and thing.__name__ in HELD:
        return ""
    found = sections(thing)
    if undocumented := arguments(thing) - documented(thing):
        return ", ".join(sorted(undocumented))
    if inspect.isclass(thing):
        return ""
    if gone := documented(thing) - arguments(thing):
        return f"an argument for {', '.join(sorted(gone))}"
    if returned(thing) not in ("None", "NoReturn", "Never") and not {"Returns", "Yields"} & set(found):
        return "Returns"
    return "Raises" if refuses(thing) and "Raises" not in found else ""


# what every kernel holds; `kernels` says once what they take and return
HELD = ("account", "advance", "blank", "check", "seen", "start")


def test_what_is_taken_returned_and_raised_is_documented(public, companion):
    things = {**public, **companion}.items()
    faults = [f"{name} lacks {fault}" for name, thing in things if (fault := missing(name, thing))]
    assert not faults, "\n".join(faults)


def test_examples_run(modules, companion):
    runner, said = doctest.DocTestRunner(verbose=False), []
    homes = sorted({thing.__module__ for thing in companion.values()})
    for module in [*modules, *map(importlib.import_module, homes)]:
        if ">>>" in Path(module.__file__).read_text(encoding="utf-8"):
            for example in doctest.DocTestFinder().find(module):
                runner.run(example, out=said.append)
    assert runner.tries > 150
    assert not runner.failures, "".join(said)

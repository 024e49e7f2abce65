"""Whatever is listed says what it takes and returns, and its examples run."""

from __future__ import annotations

import doctest
import enum
import importlib
import inspect
import pkgutil
from pathlib import Path

import listed
import pytest

import private_bandits
from private_bandits_book import rivals


@pytest.fixture(scope="module")
def modules():
    """The modules of the library whose names have no underscore."""
    found = pkgutil.walk_packages(private_bandits.__path__, "private_bandits.")
    return [importlib.import_module(one.name) for one in found if "._" not in one.name]


def plain(thing):
    """The Python function of a compiled or cached one."""
    return inspect.unwrap(getattr(thing, "py_func", thing))


@pytest.fixture(scope="module")
def things():
    """All that is listed, of the library and for a reader's own work, and the methods of classes, by their names."""
    found = dict(listed.things())
    for room, module in listed.companion().items():
        found |= {f"{room}.{name}": getattr(module, name) for name in module.__all__}
    for path, thing in list(found.items()):
        for method, member in vars(thing).items() if inspect.isclass(thing) else ():
            function = plain(getattr(member, "__func__", member))
            inherited = any(method in vars(base) for base in thing.__mro__[1:])
            if inspect.isfunction(function) and not method.startswith("_") and not inherited:
                found[f"{path}.{method}"] = function
    assert len(found) > 300 and "chapter.Chapter.play" in found
    return {path: plain(thing) for path, thing in found.items()}


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


def returned(thing):
    """The name of the type that is said to be returned."""
    said = thing.__annotations__.get("return", "None")
    return said if isinstance(said, str) else getattr(said, "__name__", str(said))


def missing(thing):
    """What a docstring lacks."""
    if not (thing.__doc__ or "").strip():
        return "a docstring"
    found = sections(thing)
    if undocumented := arguments(thing) - documented(thing):
        return ", ".join(sorted(undocumented))
    if inspect.isclass(thing):
        return ""
    if gone := documented(thing) - arguments(thing):
        return f"an argument for {', '.join(sorted(gone))}"
    silent = returned(thing) in ("None", "NoReturn", "Never") or {"Returns", "Yields"} & set(found)
    return "" if silent else "Returns"


def test_what_is_taken_and_returned_is_documented(things):
    faults = [f"{path} lacks {fault}" for path, thing in things.items() if (fault := missing(thing))]
    assert not faults, "\n".join(faults)


def test_examples_run(modules, things):
    runner, said = doctest.DocTestRunner(verbose=False), []
    homes = {thing.__module__ for thing in things.values() if "private_bandits_book" in thing.__module__}
    homes |= {f"{rivals.__name__}.{one.name}" for one in pkgutil.iter_modules(rivals.__path__)}
    for module in [*modules, *map(importlib.import_module, sorted(homes))]:
        if ">>>" in Path(module.__file__).read_text(encoding="utf-8"):
            for example in doctest.DocTestFinder().find(module):
                runner.run(example, out=said.append)
    assert runner.tries > 150
    assert not runner.failures, "".join(said)

"""What is public, once for all: what a module of the library lists in its `__all__`.

The fuzz calls it, its docstrings are complete, and the reference pages show it. Kernels list what a policy's loop needs
and are called by no reader. Of the companion the rooms of `COMPANION` are for readers; what they take is runs, which
the fuzz does not make.
"""

from __future__ import annotations

import importlib
import pkgutil
import typing
from types import ModuleType
from typing import Any

import private_bandits


def modules() -> dict[str, ModuleType]:
    """The public modules by their names in the package; the package itself, which only repeats, comes last."""
    found = {}
    for one in pkgutil.walk_packages(private_bandits.__path__, "private_bandits."):
        name = one.name.removeprefix("private_bandits.")
        if not name.startswith("kernels") and not name.rpartition(".")[2].startswith("_"):
            module = importlib.import_module(one.name)
            if hasattr(module, "__all__"):
                found[name] = module
    return {**found, "": private_bandits}


COMPANION = (
    "plots",
    "chapter",
    "judging",
    "judging.rates",
    "chapters.comparison.ranking",
    "chapters.comparison.comparing",
)


def companion() -> dict[str, ModuleType]:
    """The modules of the companion that a reader of one's own work uses, by their names in it."""
    return {name: importlib.import_module(f"private_bandits_book.{name}") for name in COMPANION}


def things() -> dict[str, Any]:
    """Every public function and class by the first path that lists it; constants, types and modules are not called."""
    found: dict[str, Any] = {}
    for room, module in modules().items():
        for name in sorted(module.__all__, key=lambda name: name != getattr(getattr(module, name), "__name__", name)):
            thing = getattr(module, name)
            if callable(thing) and typing.get_origin(thing) is None and not any(thing is one for one in found.values()):
                found[f"{room}.{name}".removeprefix(".")] = thing
    return found

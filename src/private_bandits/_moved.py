"""Names of version 0.1 that are elsewhere now: for this version they are still found, with a `DeprecationWarning`.

`moved.toml` says where. A module that is still there calls `forward`; those that are not are made by a `Finder`.
"""

import functools
import pkgutil
import sys
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

GONE = "is gone; no saved run needs it, as its notebook's Chapter shows the exhibits of today by their labels"


@functools.cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("moved.toml").read_text(encoding="utf-8"))


@functools.cache
def places(module: str) -> Mapping[str, str]:
    """Where each former name of a module is now, "" where it is nowhere; empty for a module that has lost none."""
    found = {}
    for place, names in _table().get(module, {}).items():
        for name in names.split():
            before, _, after = name.partition("=")
            found[before] = "" if place == "gone" else f"{place}.{after or before}"
    return found


def forward(module: str) -> None:
    """Let a module find its former names where they are now.

    The module's `__getattr__` is set from here, where a type checker does not see it, or any name would pass.
    """

    def find(name: str) -> Any:
        if name.startswith("__") or name not in places(module):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place = places(module)[name]
        if not place:
            raise AttributeError(f"{module}.{name} {GONE}")
        warnings.warn(f"{module}.{name} is {place} now", DeprecationWarning, stacklevel=2)
        return pkgutil.resolve_name(place)

    vars(sys.modules[module])["__getattr__"] = find


class Finder:
    """The last of `sys.meta_path`: makes the former modules, so that what imports them finds their names."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Answer for a former module of the library, and for no other."""
        known = name.startswith("private_bandits.") and places(name)
        return ModuleSpec(name, cls, is_package=True) if known else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leave it to the import system."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Warn, and let the module find its names."""
        name = module.__name__
        homes = sorted({place.rpartition(".")[0] for place in places(name).values() if place})
        now = f"is no module any more: see {', '.join(homes)}" if homes else GONE
        warnings.warn(f"{name} {now}", DeprecationWarning, stacklevel=2)
        forward(name)

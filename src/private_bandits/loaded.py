"""Which code a session has loaded: other processes that play its runs must have loaded the same."""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any

from private_bandits.compilation import edited
from private_bandits.parameters import globals_of, is_known

_WITHIN = ("py_func", "fget", "func", "__func__", "__wrapped__")  # where what is decorated keeps its function
_PLAIN = (bool, int, float, str)
_seen: dict[str, str] = {}
_edited: list[str] = []
Code = tuple[tuple[str, str], ...]


def code(*things: Any) -> Code:
    """Return what the functions do in the caller's modules that some things come from, and in those named there.

    Parameters
    ----------
    things : object

    Returns
    -------
    tuple
        A module and a hash each; first how Python reads code, as `python -O` reads it otherwise.

    Raises
    ------
    ValueError
        If the library was edited since it was imported: workers would import another one.
    """
    if edited():
        raise ValueError("private_bandits must be what was imported, got files edited since: restart the session")
    left, found = [kind.__module__ for thing in things for kind in type(thing).__mro__], dict[str, str]()
    while left:
        name = left.pop()
        if name in found or name not in sys.modules or is_known(name):
            continue
        module = sys.modules[name]
        as_it_stands = type(getattr(module, "__loader__", None)) is SourceFileLoader  # pytest's changes the asserts
        # __main__ goes to other processes as it is
        found[name] = _digest(module) if as_it_stands and name != "__main__" else ""
        for value in vars(module).values():
            if isinstance(value, ModuleType):
                left.append(value.__name__)
            elif isinstance(value, type | FunctionType):
                left.append(value.__module__)
    return ("", str(sys.flags.optimize)), *sorted(found.items())


def edits(told: Code) -> int:
    """Return how often a module was found to be another than before in this session: older workers have the old one.

    Parameters
    ----------
    told : tuple
        Of `code`.

    Returns
    -------
    int
    """
    for name, digest in told:
        if _seen.setdefault(name, digest) != digest:
            _seen[name] = digest
            _edited.append(name)
    return len(_edited)


@cache
def refuse_other(told: Code) -> None:
    """Refuse to play in a process that has loaded other code than the session, as from a file that was edited since.

    Parameters
    ----------
    told : tuple
        Of `code`, in the session.

    Raises
    ------
    ValueError
        If it has.
    """
    for name, digest in told if ("", str(sys.flags.optimize)) in told else ():
        if digest and name in sys.modules and _digest(sys.modules[name]) != digest:
            cure = "restart the session, or play with n_jobs=1"
            raise ValueError(f"{name} must be in a worker what it is in the session, got a file edited since: {cure}")


def _digest(module: ModuleType) -> str:
    mine = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    texts = {text for holder in (module, *mine) for text in _texts(holder, module.__name__)}
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


def _texts(holder: Any, module: str) -> Iterator[str]:
    """What the functions do that a module or a class holds; the plain values that they name, and those of a class."""
    for name, value in vars(holder).items():
        for function in (value, *(getattr(value, place, None) for place in _WITHIN)):
            if isinstance(function, FunctionType) and function.__module__ == module:
                named = {name: one for name, one in globals_of(function).items() if isinstance(one, _PLAIN)}
                yield repr((function.__qualname__, _code(function.__code__), sorted(named.items())))
        if isinstance(holder, type) and not name.startswith("__") and isinstance(value, _PLAIN):
            yield f"{holder.__qualname__}.{name} {value!r}"


def _code(code: CodeType) -> tuple[Any, ...]:
    held = (_code(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.co_code, code.co_names, [sorted(map(repr, one)) if isinstance(one, frozenset) else one for one in held]

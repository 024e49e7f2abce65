"""What a problem or a policy was made with, as a text that files and JSON keep."""

import copyreg
import dis
import gc
import hashlib
import json
import pickle
import random
import sys
import weakref
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache, partial
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

_LONGEST = 1000  # characters of a part
_BITS = 10_000  # of an integer in decimal digits: Python writes no more than 4,300 of them
STREAMS = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random)
# NumPy's own, which a law of SciPy holds, and leaves alone where it is given another one
COMMON: Any = np.random.random.__self__  # type: ignore[attr-defined]
_KNOWN = {*sys.stdlib_module_names, "numpy", "private_bandits"}  # packages whose classes hold constants only


def parameters(thing: Any) -> str:
    """Return what an object holds as JSON: its attributes, and those of the caller's classes that are no methods.

    A part of more than 1,000 characters is told by its SHA-256. One that JSON does not know is told by its type and,
    under no name, by what `pickle` makes it of; what a `cached_property` keeps is left out.

    Parameters
    ----------
    thing : object
        A dataclass, a NamedTuple, or anything with attributes.

    Returns
    -------
    str
        The same in every process.

    Raises
    ------
    ValueError
        If it holds a random stream, or a method or a function names one: what it draws must be the run's, or all runs
        would have the same numbers.

    Examples
    --------
    >>> from private_bandits.problems import Cascade
    >>> parameters(Cascade([0.5, 0.25], list_size=1))
    '{"type": "private_bandits.problems.lists.Cascade", "means": [0.5, 0.25], "list_size": 1}'
    """
    told = _Told(getattr(thing, "__name__", type(thing).__name__))
    try:
        return told.members(told.parts(thing))
    except RuntimeError as error:  # too deep, or of a part that refuses to be taken apart
        raise ValueError(f"{told.name} must hold what can be told in a text, got {error}") from None


class _Told:
    """The texts of what an object holds. Each part is told once, so circles end, and nets do not grow."""

    def __init__(self, name: str) -> None:
        self.name, self.known = name, dict[int, tuple[Any, str]]()  # by id; the parts are kept, so no two have the same

    def value(self, thing: Any) -> str:
        """Return the text of a part; "..." where it stands within itself."""
        thing = "numpy.random" if thing is COMMON else dict(thing) if isinstance(thing, MappingProxyType) else thing
        if type(thing) in (str, int, float, bool, bytes, type(None)):
            if isinstance(thing, bytes) or (isinstance(thing, int) and thing.bit_length() > _BITS):
                thing = hex(thing) if isinstance(thing, int) else repr(thing)
            return _short(json.dumps(thing))
        if id(thing) not in self.known:
            self.known[id(thing)] = thing, '"..."'
            self.known[id(thing)] = thing, _short(self.inside(thing))
        return self.known[id(thing)][1]

    def inside(self, thing: Any) -> str:
        """Return the text of a part that has parts."""
        if type(thing) is np.ndarray or isinstance(thing, np.generic):
            items, kind = thing.tolist(), thing.dtype
            small = thing.size <= _LONGEST and kind.char not in "gGmMV"
            if kind.hasobject or (small and np.array(items).dtype == kind):
                return self.value(items)
            if small:
                return self.members({"type": kind.str, "": items})
        if type(thing) in (list, tuple):
            return f"[{', '.join(map(self.value, thing))}]"
        if type(thing) is dict and all(isinstance(key, str) for key in thing):
            return self.members(thing)
        if type(thing) in (set, frozenset):
            return self.members({"type": _name(type(thing)), "": sorted(thing, key=self.value)})
        parts = self.parts(getattr(thing, "py_func", thing))
        named = isinstance(thing, type | FunctionType) and len(parts) == 1
        return self.value(parts["type"]) if named else self.members(parts)

    def members(self, parts: Mapping[str, Any]) -> str:
        """Return the text of parts that have names."""
        return f"{{{', '.join(f'{json.dumps(str(name))}: {self.value(part)}' for name, part in parts.items())}}}"

    def parts(self, thing: Any) -> dict[str, Any]:
        """Return what a function, a class or another object is made of."""
        if isinstance(thing, (*STREAMS, np.random.SeedSequence)):
            raise ValueError(f"{self.name} must draw from the streams that it is given, got one of its own")
        if isinstance(thing, FunctionType):
            named = thing.__module__ != "__main__" and "<" not in thing.__qualname__  # and found by it
            code = [] if named else [_code(thing.__code__)]
            return {"type": _name(thing)} | ({"": code + _held(thing)} if code or _held(thing) else {})
        if isinstance(thing, type):
            return {"type": _name(thing)} | _members(thing)
        return {"type": _name(type(thing))} | _members(type(thing)) | _state(thing)


def _state(thing: Any) -> dict[str, Any]:
    """What an object is made of, beside its class: what its copies are made of, in other processes, too."""
    if isinstance(thing, tuple) and hasattr(thing, "_asdict"):
        return dict(thing._asdict())
    kind = type(thing)
    reduce: Any = copyreg.dispatch_table.get(kind, lambda one: one.__reduce_ex__(4))
    try:
        made = reduce(thing)
    except (TypeError, pickle.PicklingError):  # cannot be copied either, unless it says itself how
        if isinstance(thing, memoryview | weakref.ReferenceType):
            return {"": [thing.format, thing.tobytes()] if isinstance(thing, memoryview) else [thing()]}
        made = getattr(thing, "__name__", None)
    if not isinstance(made, tuple):
        held = {} if isinstance(thing, ModuleType) else getattr(thing, "__dict__", {})
        called = [each for each in gc.get_referents(thing) if isinstance(each, FunctionType)]  # of a ufunc
        return held | ({"": [f"{getattr(thing, '__module__', '')}.{made}", *called]} if made else {})
    if str(getattr(kind.__reduce__, "__module__", "")).startswith("private_bandits."):  # by name, not by place
        made = (kind, (), vars(thing))
    args = made[1][1:] if made[1] and made[1][0] is kind else made[1]  # the type is told
    if isinstance(thing, set | frozenset):
        args = ({*thing},)  # whose order is told as that of plain sets
    state, *items = [[*part] if isinstance(part, Iterator) else part for part in (*made[2:], None)]
    named = isinstance(state, dict) and all(isinstance(name, str) for name in state)
    held = dict(state) if named else {}
    held = {name: value for name, value in held.items() if not isinstance(getattr(kind, name, 0), cached_property)}
    rest = [args, None if named else state, *items]
    return held | ({"": rest} if args or any(part is not None for part in rest[1:]) else {})


def _members(kind: type) -> dict[str, Any]:
    """What the caller's classes hold, and of their methods and properties those that hold something."""
    above = (*type.mro(type(kind))[::-1], *kind.__mro__[::-1])
    mine = [each for each in above if not is_known(each.__module__)]
    found = [(name, value) for each in mine for name, value in vars(each).items() if name != "_abc_impl"]
    found = [(name, value) for name, value in found if not name[:2] == "__" == name[-2:]]  # Python's, and what makes it
    bound = [(name, value) for name, value in found if hasattr(value, "__get__")]
    # a partial function has that from Python 3.13 on, and is no method before 3.14
    methods = {name: _held(value) for name, value in bound if not isinstance(value, partial)}
    return {name: methods.get(name, value) for name, value in found if methods.get(name, True)}


def _held(function: Any) -> list[Any]:
    """What a function encloses, its defaults and attributes, and streams that it names; what a descriptor holds."""
    inner = getattr(function, "fget", None) or getattr(function, "__func__", function)  # of a property, a static method
    bound = [function.__self__] if hasattr(function, "__self__") else []
    if not isinstance(inner, FunctionType):
        made = [inner] if inner is not function else getattr(inner, "__dict__", {}).values()
        return bound + [each for each in made if not isinstance(each, str | None)]
    function = inner
    enclosed, defaults = gc.get_referents(*(function.__closure__ or ())), function.__defaults__ or ()
    told = [each for each in (function.__kwdefaults__, vars(function)) if each]
    return [*bound, *enclosed, *defaults, *_named(function, set()), *told]


def _named(function: FunctionType, known: set[FunctionType]) -> list[Any]:
    """The constants and streams that a function, or one of the caller's that it calls, finds by their names."""
    if function in known or is_known(function.__module__):
        return []
    known.add(function)
    named = [*globals_of(function).values()]
    found = [each for each in named if isinstance(each, int | float | str | tuple | np.ndarray)]
    objects = [each for each in named if not isinstance(each, type | ModuleType | FunctionType)]
    inside = gc.get_referents(*objects, *(getattr(each, "__dict__", None) for each in objects))
    found += [each for each in [*objects, *inside] if isinstance(getattr(each, "__self__", each), STREAMS)]
    return found + [one for each in named if isinstance(each, FunctionType) for one in _named(each, known)]


def globals_of(function: FunctionType) -> dict[str, Any]:
    """Return what a function, and those within it, find by their names in its module.

    Parameters
    ----------
    function : function

    Returns
    -------
    dict
        By name.
    """
    return {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}


def is_known(module: Any) -> bool:
    """Return whether a module is none of the caller's, which hold more than constants.

    Parameters
    ----------
    module : str
        Its name, as functions have it.

    Returns
    -------
    bool
    """
    package = str(module).partition(".")[0]
    file = getattr(sys.modules.get(package), "__file__", None) or ""
    return package in _KNOWN or "site-packages" in file


@lru_cache(1024)
def _names(code: CodeType) -> list[str]:
    inside = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return inside + [step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"]


def _code(code: CodeType) -> tuple[Any, ...]:
    """What a function does, wherever it stands."""
    consts = [_code(each) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.co_code, code.co_names, consts


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f'"sha256 {hashlib.sha256(text.encode()).hexdigest()}"'

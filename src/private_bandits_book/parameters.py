"""Chapter parameters: read the declared ones, refuse everything else.

A chapter declares its parameters in one cell tagged `parameters`, a typed literal a line:

    horizon: int = 100_000  # rounds of a run, >= 1
    epsilons: list[float] = [0.2, 0.5, 1, 2]  # privacy parameters, > 0

The command line and the chapter itself check what they are given by this one module.
"""

import ast
import difflib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from private_bandits import checks

_BITS = sys.float_info.max_exp
Check = Callable[[str, Any], Any]


class UsageError(ValueError):
    """A command or parameter that is not allowed; the message is one line, in a notebook, too."""

    def _render_traceback_(self) -> list[str]:
        return [f"UsageError: {self}"]


class Parameter(NamedTuple):
    """A declared parameter: the name of its type, its default, and what it is."""

    kind: str
    default: Any
    says: str = ""


def is_chapter(notebook: Mapping[str, Any]) -> bool:
    """Return whether a notebook has a cell tagged `parameters`."""
    return bool(_parameter_cells(notebook))


def declared(notebook: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return the parameters of a chapter, in order.

    Raises
    ------
    ValueError
        If there is not exactly one parameters cell, or it holds anything but typed literals.
    """
    cells = _parameter_cells(notebook)
    if len(cells) != 1:
        raise ValueError(f"a chapter must have one parameters cell, got {len(cells)}")
    parameters, lines = {}, cells[0]["source"].splitlines()
    for line in ast.parse(cells[0]["source"]).body:
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name) or line.value is None:
            raise ValueError(f"a parameters cell must hold typed literals only, got {ast.unparse(line)!r}")
        kind = ast.unparse(line.annotation)
        if kind not in _KINDS:
            raise ValueError(f"the type of {line.target.id} must be one of {', '.join(_KINDS)}, got {kind!r}")
        says = lines[(line.end_lineno or line.lineno) - 1].partition("#")[2].strip()
        parameters[line.target.id] = Parameter(kind, ast.literal_eval(line.value), says)
    return parameters


def validate(chapter: str, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter of a chapter: the given ones, checked, and the defaults.

    Names mean the same in every chapter: the whole name, or else its last word, picks the range
    (`central_epsilons` is checked as `epsilons`); a name without a range is checked against its declared
    type. Integral floats count as integers. A chapter whose parameters bind each other defines
    `check_parameters(**values)` in `private_bandits_book.chapters.<chapter>`; its ValueError becomes ours.

    Raises
    ------
    UsageError
        One line that names the parameter, what is allowed and what was given.
    """
    for name, value in given.items():
        _refuse_beyond(name, value)
        if name not in parameters:
            close = difflib.get_close_matches(name, parameters, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            known = ", ".join(parameters)
            raise UsageError(f"{name:.60} is not a parameter of {chapter}{hint}: {known}, got {checks.brief(value)}")
    try:
        values = {
            name: _check(name, parameter.kind)(name, given.get(name, parameter.default))
            for name, parameter in parameters.items()
        }
        room = paper(chapter)
        if hasattr(room, "check_parameters"):
            room.check_parameters(**values)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return values


def literal(text: str) -> Any:
    """Return the Python literal that a text is, or the text itself if it is none."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def few(values: Mapping[str, Any], most: int, *names: str) -> None:
    """Raise a ValueError if one of these parameters has more values than may be, or one of them twice."""
    for name in names:
        if len(values[name]) > most:
            raise ValueError(f"{name} must have at most {most} values, got {checks.brief(values[name])}")
        _distinct(name, values[name])


def paper(chapter: str) -> Any:
    """Return the module of the paper that a chapter is about, or None."""
    name = f"private_bandits_book.chapters.{chapter}"
    return importlib.import_module(name) if chapter and importlib.util.find_spec(name) else None


def longer_studies(chapter: str) -> dict[str, Callable[..., Any]]:
    """Return the longer studies of a chapter by their labels, none where its room names none."""
    studies: dict[str, Callable[..., Any]] = getattr(paper(chapter), "long_studies", dict)()
    return studies


def _parameter_cells(notebook: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [cell for cell in notebook["cells"] if "parameters" in cell["metadata"].get("tags", [])]


def _check(name: str, kind: str) -> Check:
    return _RANGES.get(name) or _RANGES.get(name.rpartition("_")[2]) or _KINDS[kind]


def _refuse_beyond(name: str, value: Any) -> None:
    """Refuse an integer beyond every float, which no check can compare and perhaps no message show."""
    value = _listed(value)
    for entry in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(entry, int) and entry.bit_length() > _BITS:
            raise UsageError(f"{name:.60} must be below 2**{_BITS}, got an integer of {entry.bit_length()} bits")


def _listed(value: Any) -> Any:
    """A range, an array or a Series as the list that it is."""
    return value.tolist() if hasattr(value, "tolist") else [*value] if isinstance(value, range) else value


def _integer(name: str, value: Any, **limits: int) -> int:
    integral = isinstance(value, float) and value.is_integer()
    return checks.integer(name, int(value) if integral else value, **limits)


def _workers(name: str, value: Any) -> int:
    number = _integer(name, value, at_least=-1, at_most=checks.ROUNDS)
    if number == 0:
        raise ValueError(f"{name} must be -1 (all cores) or >= 1, got {checks.brief(value)}")
    return number


def _instance(name: str, value: Any, *, of: type, words: str) -> Any:
    if not isinstance(value, of):
        raise ValueError(f"{name} must be {words}, got {checks.brief(value)}")
    return value


def _private(name: str, value: Any) -> float:
    return checks.epsilon(value, name, infinite=False)


def _entries(name: str, value: Any, *, check: Check) -> list[Any]:
    value = _listed(value)
    if not isinstance(value, (list, tuple)) or not value:
        shown = f", as [{value}]," if isinstance(value, int | float) and not isinstance(value, bool) else ""
        raise ValueError(f"{name} must be a non-empty list{shown or ','} got {checks.brief(value)}")
    return [check(f"{name}[{place}]", entry) for place, entry in enumerate(value)]


def _distinct(name: str, value: Any, *, check: Check = lambda name, entry: entry) -> list[Any]:
    entries = _entries(name, value, check=check)
    if len(set(entries)) < len(entries):
        raise ValueError(f"{name} must not repeat a value, got {checks.brief(value)}")
    return entries


_count = partial(_integer, at_least=1, at_most=checks.ROUNDS)
_text = partial(_instance, of=str, words="a string")
_open_unit = partial(checks.real, above=0, below=1)

_RANGES: dict[str, Check] = {
    "horizon": _count,
    "replications": partial(_integer, at_least=2, at_most=checks.ROUNDS),
    "seed": partial(_integer, at_least=0),
    "n_jobs": _workers,
    "n_arms": _count,
    "list_size": _count,
    "list_sizes": partial(_distinct, check=_count),
    "epsilon": _private,
    "epsilons": partial(_distinct, check=_private),
    "delta": _open_unit,
    "gap": _open_unit,
    "gaps": partial(_entries, check=_open_unit),
    "p": _open_unit,
}

_KINDS: dict[str, Check] = {
    "int": _integer,
    "float": checks.real,
    "bool": partial(_instance, of=bool, words="True or False"),
    "str": _text,
    "list[int]": partial(_entries, check=_integer),
    "list[float]": partial(_entries, check=checks.real),
    "list[str]": partial(_entries, check=_text),
}

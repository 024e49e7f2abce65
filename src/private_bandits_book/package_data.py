"""Files of the book that are read as data, among them the tables of a chapter's room in TOML."""

import tomllib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from private_bandits_book.parameters import UsageError

_Read = TypeVar("_Read")


def parsed(path: Any, parse: Callable[[str], _Read]) -> _Read:
    """Return what a file of the book holds.

    Parameters
    ----------
    path : Path or Traversable
    parse : callable
        Takes its text.

    Raises
    ------
    UsageError
        If it cannot be read, as after a merge with conflicts, in one line.
    """
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} must be readable, got {type(error).__name__}: {error}") from None


@cache
def tables(chapter: str, name: str) -> dict[str, Any]:
    """Return what `name`.toml of a chapter's room holds, read once; it is shared and not to be changed."""
    path = resources.files(f"private_bandits_book.chapters.{chapter}").joinpath(f"{name}.toml")
    return parsed(path, tomllib.loads)

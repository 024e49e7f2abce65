"""What the page of a chapter shows: figures, tables and words, each declared once, by its label.

The label is the paper's own (`figure-1a`) or a speaking name. The page's cell, the files under `figures/` and `data/`,
the ledger's row and the tests' fixtures all go by it. A row of alike panels is one declaration: a panel for each value
of a parameter, lettered as in the paper, or for each pair of a label and a value that a function of the study yields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

import pandas as pd

from private_bandits_book.figures import Picture


class Table(NamedTuple):
    """A table with what is said of it: the columns to show and their headings, and the formats of their numbers."""

    frame: pd.DataFrame
    caption: str
    columns: Mapping[str, str] | None = None
    formats: Mapping[str, str] | None = None


Exhibit: TypeAlias = Picture | Table | pd.DataFrame | str
Maker: TypeAlias = Callable[..., Exhibit]
_Maker = TypeVar("_Maker", bound=Maker)


class _Declared(NamedTuple):
    make: Maker
    label: str
    each: str | Callable[[Any], Iterable[tuple[str, Any]]]
    letters: str


class Exhibits:
    """The exhibits of a chapter, in the order in which they are declared.

    A maker is a function of the study, for one of a row of panels also of its label and its value. What it returns is
    shown by its kind: a `Picture`, a `Table`, a frame (a file to download) or MyST.
    """

    def __init__(self, *others: Exhibits) -> None:
        self._declared: list[_Declared] = [one for other in others for one in other._declared]

    def __call__(
        self, label: str, each: str | Callable[[Any], Iterable[tuple[str, Any]]] = "", letters: str = ""
    ) -> Callable[[_Maker], _Maker]:
        """Declare an exhibit.

        Parameters
        ----------
        label : str
            Its label, or what the labels of its panels begin with.
        each : str or callable
            A parameter with a value for each panel, or a function from the study to pairs of a label and a value.
        letters : str
            With a parameter: what its panels' labels end with, and so how many values it may have.
        """

        def declare(make: _Maker) -> _Maker:
            self._declared.append(_Declared(make, label, each, letters))
            return make

        return declare

    def most(self) -> dict[str, int]:
        """Return how many values each parameter may have that has a panel a value."""
        lettered = [one for one in self._declared if isinstance(one.each, str) and one.each]
        return {str(one.each): len(one.letters) for one in lettered}

    def makers(self, study: Any) -> dict[str, Callable[[], Exhibit]]:
        """Return what makes each exhibit of a study, by label."""
        found: dict[str, Callable[[], Exhibit]] = {}
        for one in self._declared:
            for label, arguments in _panels(one, study):
                if label in found:
                    raise ValueError(f"label must be declared once, got {label!r} twice")
                found[label] = _bound(one.make, (study, *arguments))
        return found


def title(label: str) -> str:
    """Return a label as captions write it: `figure-1a` is Figure 1(a)."""
    kind, _, place = label.partition("-")
    return kind.capitalize() + " " + re.sub(r"^([0-9]+)([a-z])$", r"\1(\2)", place)


def _panels(one: _Declared, study: Any) -> Iterable[tuple[str, tuple[Any, ...]]]:
    if not one.each:
        return [(one.label, ())]
    if isinstance(one.each, str):
        values = zip(one.letters, getattr(study, one.each), strict=False)
        return [(f"{one.label}{letter}", (f"{one.label}{letter}", value)) for letter, value in values]
    return [(label, (label, value)) for label, value in one.each(study)]


def _bound(make: Maker, arguments: tuple[Any, ...]) -> Callable[[], Exhibit]:
    return lambda: make(*arguments)

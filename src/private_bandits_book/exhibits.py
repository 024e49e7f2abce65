"""What the page of a chapter shows: figures, tables and words, each declared once, by its label.

The label is the paper's own (`figure-1a`) or a speaking name. The page's cell, the files under `figures/` and `data/`,
the ledger's row and the tests' fixtures all go by it. A row of alike panels is one declaration: a panel for each value
of a parameter, lettered as in the paper, or for each pair of a label and a value that a function of the study yields.

What is said of an exhibit stands in the room's `texts.toml`, under the label that it is declared by, letters included:
`caption` and `alt` of a figure; `caption`, `columns` (with headings) and `formats` of a table; `text` of words. These
are templates of `str.format`: `{study.horizon}` is a parameter, `{title}` the label as captions write it, `{runs}` the
sentence on runs and bands, and any other name a fact that the maker passes. In `columns`, `each` stands for a column a
value of a parameter: `each = {of = "epsilons", column = "at_{value:g}", heading = "...", format = ".4g"}`.
`like` names another label whose texts are an exhibit's as well. Under `[sentences]` stand those that are said in some
cases only, or in several places; a maker asks for them by `sentence`. Under `[names]` stand tables of what is shown for
a key, for `names`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from operator import attrgetter
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

import pandas as pd
from matplotlib.figure import Figure

from private_bandits_book.figures import caption_runs
from private_bandits_book.figures.captions import Picture
from private_bandits_book.package_data import tables


class Table(NamedTuple):
    """A table with what is said of it: the columns to show and their headings, and the formats of their numbers."""

    frame: pd.DataFrame
    caption: str
    columns: Mapping[str, str] | None = None
    formats: Mapping[str, str] | None = None
    filtered: bool = False  # whether the page has a form that chooses rows


class Made(NamedTuple):
    """What a maker returns: data, the figure if it is one, and the facts that its texts need."""

    data: pd.DataFrame
    fig: Figure | None
    facts: Mapping[str, Any]


def drawn(fig: Figure, data: pd.DataFrame, **facts: Any) -> Made:
    """Return a figure with its data, but for keys, labels and facets, and the facts of its texts."""
    return Made(data.drop(columns=["key", "label", "facet"], errors="ignore"), fig, facts)


def tabled(frame: pd.DataFrame, **facts: Any) -> Made:
    """Return a table with the facts of its texts; a frame alone is a table without any, or a file without texts."""
    return Made(frame.drop(columns="key", errors="ignore"), None, facts)


def pivot(cells: Iterable[tuple[dict[str, Any], str, Any]]) -> pd.DataFrame:
    """Return a table from its cells, as they come: what the row begins with, the column and the value."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for labels, column, value in cells:
        rows.setdefault(tuple(labels.values()), dict(labels))[column] = value
    return pd.DataFrame(list(rows.values()))


def sentence(study: Any, name: str, /, **facts: Any) -> str:
    """Return a sentence of a chapter, filled in with facts."""
    return str(_texts(study.chapter)["sentences"][name].format(study=study, **facts))


def names(study: Any, of: str) -> dict[str, Any]:
    """Return how a chapter calls what has keys elsewhere: a table of its `[names]`."""
    return dict(_texts(study.chapter)["names"][of])


Exhibit: TypeAlias = Picture | Table | pd.DataFrame | str
Maker: TypeAlias = Callable[..., Exhibit | Made | Mapping[str, Any]]
_Maker = TypeVar("_Maker", bound=Maker)


class _Declared(NamedTuple):
    make: Maker
    label: str
    each: str | Callable[[Any], Iterable[tuple[str, Any]]]
    letters: str


class Exhibits:
    """The exhibits of a chapter, in the order in which they are declared.

    A maker is a function of the study, for one of a row of panels also of its label and its value. It returns what
    `drawn` or `tabled` do, a frame, or the facts of words.

    Parameters
    ----------
    *others : Exhibits
        Whose exhibits are also of these.
    measured : mapping, optional
        Tables of what was measured, as it is: properties of the study by label.
    """

    def __init__(self, *others: Self, measured: Mapping[str, str] | None = None) -> None:
        self._declared: list[_Declared] = [one for other in others for one in other._declared]
        for label, name in (measured or {}).items():
            self(label)(attrgetter(name))

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
                found[label] = partial(_made, one, study, label, arguments)
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


def _made(one: _Declared, study: Any, label: str, arguments: tuple[Any, ...]) -> Exhibit:
    made = one.make(study, *arguments)
    if isinstance(made, (Picture, Table, str)):
        return made
    if isinstance(made, pd.DataFrame):
        made = tabled(made)
    texts = _texts(study.chapter).get(one.label + one.letters)
    if texts is None:
        assert isinstance(made, Made)
        return made.data
    if not isinstance(made, Made):
        return str(texts["text"].format(study=study, **made))
    facts = {"study": study, "title": title(label), **made.facts}
    if made.fig is not None:
        facts = {"runs": caption_runs(made.data) if "replications" in made.data and len(made.data) else "", **facts}
        return Picture(made.fig, made.data, texts["caption"].format(**facts), texts["alt"].format(**facts))
    columns, formats = _columns(texts, study)
    return Table(made.data, texts["caption"].format(**facts), columns, formats)


def _columns(texts: Mapping[str, Any], study: Any) -> tuple[dict[str, str] | None, dict[str, str]]:
    """The headings and formats of a table, a column for each value of a parameter where it asks for that."""
    columns, formats = {}, dict(texts.get("formats", {}))
    for column, heading in texts.get("columns", {}).items():
        if column != "each":
            columns[column] = heading
            continue
        for value in getattr(study, heading["of"]):
            name = heading["column"].format(value=value)
            columns[name] = heading["heading"].format(value=value)
            if "format" in heading:
                formats[name] = heading["format"]
    return columns or None, formats


@cache
def _texts(chapter: str) -> dict[str, Any]:
    found = tables(chapter, "texts")
    return {label: found[texts["like"]] if "like" in texts else texts for label, texts in found.items()}

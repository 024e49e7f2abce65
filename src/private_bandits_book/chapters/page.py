"""The object that a chapter makes after its parameters: their checked values, and where results go."""

import ast
import importlib
import inspect
import os
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display
from matplotlib.figure import Figure

from private_bandits_book import figures
from private_bandits_book.chapters import render, seeds
from private_bandits_book.chapters.book import Book, find_book
from private_bandits_book.chapters.claims import headlines, ledger
from private_bandits_book.chapters.cluster import OUTPUT_VARIABLE, join
from private_bandits_book.chapters.parameters import UsageError, validate
from private_bandits_book.chapters.render import Display
from private_bandits_book.chapters.seeds import csv_text
from private_bandits_book.chapters.study import long_study, study_at
from private_bandits_book.chapters.summaries import settings
from private_bandits_book.exhibits import Exhibit, Table
from private_bandits_book.figures.captions import Picture
from private_bandits_book.ledger import COLUMNS


class Chapter:
    """A running chapter.

    Parameters
    ----------
    name : str
        The chapter's notebook, without suffix.
    given : mapping, optional
        Names and values among which every parameter of the chapter is found: a page passes `globals()`.
    book : Book, optional
        Default: the one that comes with the package.
    **parameters
        The parameters by name, instead of `given`. Their checked values become attributes.

    Attributes
    ----------
    output : Path or None
        Folder for `data/*.csv` and `figures/*.svg`: the parameter `output_dir`, or else the environment
        variable `PRIVATE_BANDITS_OUTPUT`; None if both are empty, and then nothing is written.

    Raises
    ------
    UsageError
        If a parameter is missing, unknown or not allowed.
    """

    def __init__(
        self, name: str, given: Mapping[str, Any] | None = None, *, book: Book | None = None, **parameters: Any
    ) -> None:
        self.name = name
        self.book = book if book is not None else find_book()
        known = self.book.parameters(name)
        if given is not None:
            parameters = {key: given[key] for key in known if key in given}
        missing = [key for key in known if key not in parameters]
        if missing:
            raise UsageError(f"{missing[0]} must be given, as {name} declares it, got {', '.join(parameters)}")
        self.parameters = validate(name, known, parameters)
        folder = self.parameters["output_dir"] or os.environ.get(OUTPUT_VARIABLE, "")
        self.output = Path(folder) if folder else None
        join()

    def __getattr__(self, name: str) -> Any:
        parameters = self.__dict__.get("parameters", {})
        if name not in parameters:
            raise AttributeError(f"{name} is neither a parameter nor a method of a chapter")
        return parameters[name]

    @cached_property
    def study(self) -> Any:
        """What the chapter measures at these parameters; nothing is played before it is asked for."""
        disagree = None if self._seeds is None else seeds.disagreeing(self._seeds)
        return study_at(self.book, self.name, self.parameters, disagree)

    @cached_property
    def _seeds(self) -> pd.DataFrame | None:
        """The verdicts on other seeds, which are committed for the chapter's own parameters."""
        path = self.book.data(self.name) / "seeds.csv"
        committed = {name: parameter.default for name, parameter in self.book.parameters(self.name).items()}
        free = {"output_dir", "n_jobs"}
        same = all(self.parameters[name] == value for name, value in committed.items() if name not in free)
        return pd.read_csv(path) if same and path.is_file() else None

    @cached_property
    def _makers(self) -> dict[str, Callable[[], Exhibit]]:
        room = importlib.import_module(f"private_bandits_book.{self.name}.exhibits")
        return room.exhibits.makers(self.study)

    def show(self, label: str) -> Display | Markdown:
        """Show an exhibit of the chapter by its label, and write its files."""
        if label not in self._makers:
            raise ValueError(f"label must be one of {', '.join(self._makers)}, got {label!r}")
        made = self._makers[label]()
        if isinstance(made, str):
            return Markdown(made)
        if isinstance(made, Picture):
            return self.figure(made.fig, label, caption=made.caption, alt=made.alt, data=made.data)
        return self.table(made, label) if isinstance(made, Table) else self.data(made, label)

    def panels(self, *labels: str) -> None:
        """Display, one after the other, the exhibits whose labels begin with these; there may be none."""
        for label in self.labels(*labels):
            display(self.show(label))

    def labels(self, *beginnings: str) -> list[str]:
        """Return the labels of the chapter's exhibits that begin so, in the order in which they are declared."""
        return [label for label in self._makers if label.startswith(beginnings)]

    def figure(self, fig: Figure, label: str, *, caption: str, alt: str, data: pd.DataFrame) -> Display:
        """Show a figure, write `figures/<label>.svg` and `data/<label>.csv`, and close the figure.

        Parameters
        ----------
        fig : matplotlib Figure
        label : str
            The paper's own label, `figure-1a`, or a speaking name; pages refer to it as `<chapter>-<label>`.
        caption : str
            MyST, not empty.
        alt : str
            What the figure shows, in a plain sentence.
        data : pandas.DataFrame
            What is drawn, tidy.
        """
        svg = figures.svg(fig)
        plt.close(fig)
        cell = render.figure(self.name, _label(label), svg=svg, caption=caption, alt=alt)
        self._write(f"figures/{label}.svg", svg)
        self._write_csv(data, label)
        return cell

    def table(self, made: Table, label: str) -> Display:
        """Show a table and write `data/<label>.csv`, which has every column.

        Parameters
        ----------
        made : Table
        label : str
            The paper's own label, `table-1`, or a speaking name.
        """
        cell = render.table(self.name, _label(label), made)
        self._write_csv(made.frame, label)
        return cell

    def data(self, frame: pd.DataFrame, label: str) -> Display:
        """Write `data/<label>.csv` and show a link to it."""
        self._write_csv(frame, _label(label))
        return render.file(self.name, label)

    def headlines(self) -> Markdown:
        """Show the chapter's first claims: what was claimed and measured, and the verdict."""
        return headlines(self.name, self.study.ledger)

    def settings(self) -> Markdown:
        """Show the parameters: their values and what they are."""
        return Markdown(settings(self.book.parameters(self.name), self.parameters))

    def ledger(self, rows: pd.DataFrame | None = None) -> Display:
        """Show the verdicts of the chapter and write `data/claims.csv`.

        Parameters
        ----------
        rows : pandas.DataFrame, optional
            What `ledger.judge` returns. Default: the ledger of the study.
        """
        rows = self.study.ledger if rows is None else rows
        if tuple(rows.columns) != COLUMNS:
            raise ValueError(f"the ledger must have columns {', '.join(COLUMNS)}, got {[*rows.columns]}")
        self._write_csv(rows, "claims")
        elsewhere = "" if self._seeds is None else seeds.in_words(self._seeds)
        return ledger(self.book, {self.name: rows}, elsewhere, self.name)

    def reference(self, *modules: str) -> Display:
        """Show, to be unfolded, the plain-Python references that follow the boxes of algorithms.

        Parameters
        ----------
        *modules : str
            Rooms of the library: "papers.cascading.algorithm_2".
        """
        return render.codes([_reference(name) for name in modules])

    def long_study(self, label: str) -> pd.DataFrame:
        """Return what `reproduce --long` committed as `data/<chapter>/long-<label>.csv`."""
        return long_study(self.book, self.name, label)

    def _write_csv(self, frame: pd.DataFrame, label: str) -> None:
        self._write(f"data/{label}.csv", csv_text(frame))

    def _write(self, path: str, text: str) -> None:
        if self.output is not None:
            target = self.output / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())


def _reference(name: str) -> tuple[str, str, str]:
    """Return the first sentence of a module, its file, and the code of its reference without docstring."""
    module = importlib.import_module(f"private_bandits.{name}")
    lines = inspect.getsource(module.reference).splitlines()
    (function,) = ast.parse("\n".join(lines)).body
    assert isinstance(function, ast.FunctionDef)
    said, *rest = function.body
    title = (module.__doc__ or name).splitlines()[0]
    code = lines[: said.lineno - 1] + lines[rest[0].lineno - 1 :]
    return title, f"{name.replace('.', '/')}.py", "\n".join(code)


def _label(label: str) -> str:
    if not re.fullmatch(r"(?!long-)[a-z0-9]+([-.][a-z0-9]+)*", label):
        raise ValueError(f"label must be lower-case words joined by '-' or '.', not after 'long-', got {label!r}")
    return label

"""What a chapter's notebook is given: it runs policies, shows figures and tables, and judges claims.

What is run, drawn and said stands in the notebook.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

from private_bandits.simulation import simulate
from private_bandits_book import figures
from private_bandits_book.cache import at
from private_bandits_book.chapters import render, seeds
from private_bandits_book.chapters.book import Book, find_book
from private_bandits_book.chapters.claims import headlines
from private_bandits_book.chapters.cluster import OUTPUT_VARIABLE, join
from private_bandits_book.chapters.parameters import Parameter, UsageError, validate
from private_bandits_book.chapters.render import Display, Table
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.ledger import claims_of
from private_bandits_book.plots import Picture, facts, means
from private_bandits_book.rules import Holds, Ruling
from private_bandits_book.studies import identity
from private_bandits_book.verdicts import NUMBERED, verdicts_in_words

_NEEDED = ("horizon", "replications", "seed", "n_jobs", "output_dir")
_DRAWN_ONLY = ["paper", "algorithm", "mechanism", "method", "family", "uniform", "problem", "label", "panel"]


class Chapter:
    """A running chapter: its checked parameters, what was run before, and the verdicts so far.

    Parameters
    ----------
    name : str
        The chapter's notebook, without suffix.
    given : mapping
        The notebook's `globals()`: every parameter is among them, under its name.
    book : Book, optional
        Default: the one that comes with the package.

    Attributes
    ----------
    parameters : dict
        The checked values.
    own : bool
        Whether they are the book's, number of workers and folder apart.
    output : Path or None
        Where files go: the parameter `output_dir`, or else the environment variable `PRIVATE_BANDITS_OUTPUT`.

    Raises
    ------
    UsageError
        If a parameter is missing, misspelt or not allowed, in one line.
    """

    def __init__(self, name: str, given: Mapping[str, Any], book: Book | None = None) -> None:
        self.name, self.book = name, book if book is not None else find_book()
        known = self.book.parameters(name)
        for needed in _NEEDED:
            if needed not in known:
                raise UsageError(f"{needed} must stand in the parameters cell of {name}, got {', '.join(known)}")
        _refuse_misspelt(known, given.get("In", ()))
        asked = {key: given[key] for key in known if key in given}
        for key, value in asked.items():
            if known[key].kind.startswith("list") and isinstance(value, str):
                raise UsageError(f"{key} must be a list, got the text {value!r}: papermill takes -y '{key}: {value}'")
        missing = [key for key in known if key not in asked]
        if missing:
            got = ", ".join(asked) or "none of them"
            raise UsageError(f"{missing[0]} must be given: assign {name}'s parameters ({', '.join(known)}), got {got}")
        self.parameters = validate(name, known, asked)
        free = ("n_jobs", "output_dir")
        self.own = all(self.parameters[key] == one.default for key, one in known.items() if key not in free)
        folder = self.parameters["output_dir"] or os.environ.get(OUTPUT_VARIABLE, "")
        self.output = Path(folder) if folder else None
        self._claims = {claim.claim: claim for claim in claims_of(name)}
        self._rulings: dict[str, Ruling] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._played: dict[Any, pd.DataFrame] = {}
        join()

    def play(
        self,
        problem: Any,
        policies: Iterable[Any],
        *,
        horizon: int | None = None,
        replications: int | None = None,
        checkpoints: Iterable[int] | None = None,
        **labels: Any,
    ) -> pd.DataFrame:
        """Run policies on a problem at the chapter's horizon, replications and seed.

        What was run before in the notebook is not run again.

        Parameters
        ----------
        problem, policies
            As for `simulate`.
        horizon, replications : int, optional
            Where they differ from the chapter's.
        checkpoints : iterable of int, optional
            As for `simulate`: `[]` keeps the horizon only.
        **labels
            More columns, with a value each.

        Returns
        -------
        DataFrame
            A row per policy, replication and checkpoint: `policy`, its facts (`algorithm`, `variant`, `trust`,
            `epsilon`, `effective_epsilon`, ...), `problem`, `uniform` (regret per round of uniform play), the labels,
            and `replication`, `t`, `regret`.

        Examples
        --------
        >>> from private_bandits.papers.cascading import b_lb, cascade_ucb1  # doctest: +SKIP
        >>> runs = chapter.play(b_lb(20, 4, 0.2, 0.15), [cascade_ucb1()])  # doctest: +SKIP
        """
        how = {"horizon": horizon or self.parameters["horizon"], "seed": self.parameters["seed"]}
        how["replications"] = replications or self.parameters["replications"]
        rounds = None if checkpoints is None else tuple(checkpoints)
        frames = []
        for policy in policies:
            key = identity(problem, policy), *how.values(), rounds
            if key not in self._played:
                with at(f"{policy.name}, {how['replications']} runs of {how['horizon']:,} rounds"):
                    data = simulate(
                        problem, policy, **how, checkpoints=rounds, n_jobs=self.parameters["n_jobs"], progress=False
                    )
                self._played[key] = data.regret.to_dataframe().reset_index()
            frames.append(self._played[key].assign(**facts(policy, problem), **labels))
        return pd.concat(frames, ignore_index=True)

    def figure(
        self, label: str, picture: Picture, caption: str, parts: Mapping[str, pd.DataFrame] | None = None
    ) -> None:
        """Show a picture, and write `figures/<label>.svg` and the means that it shows, `data/<label>.csv`.

        `figures/<label>.narrow.svg` is for a phone.

        Parameters
        ----------
        label : str
            The paper's own label, `figure-1a`, or a speaking name.
        picture : Picture
            What a function of `plots` returns.
        caption : str
            A sentence; instance, horizon and runs are added.
        parts : mapping, optional
            The runs of panels that the paper labels one by one, for a CSV each instead of one for all.
        """
        shown = [one for one in (picture.fig, picture.narrow) if one is not None]
        if self.own and (faults := [said for one in shown for said in figures.unclear(one)]):
            raise ValueError(f"{label}: {'; '.join(faults)}")
        svg, png = figures.svg(picture.fig), figures.png(picture.fig)
        plt.close(picture.fig)
        self._write(f"figures/{label}.svg", svg)
        if picture.narrow is not None:
            self._write(f"figures/{label}.narrow.svg", figures.svg(picture.narrow))
            plt.close(picture.narrow)
        data = parts or {label: picture.data}
        for name, runs in data.items():
            self._write_csv(means(runs).drop(columns=_DRAWN_ONLY, errors="ignore"), name)
        caption = f"{caption} {picture.facts}".strip()
        said = partial(render.figure, caption=caption, alt=picture.alt, files=[*data])
        display(said(self.name, label, svg=svg, png=png))

    def table(
        self,
        label: str,
        frame: pd.DataFrame,
        caption: str,
        columns: Mapping[str, str] | None = None,
        formats: Mapping[str, str] | None = None,
        filtered: bool = False,
    ) -> None:
        """Show a table, and write all its columns to `data/<label>.csv`.

        Parameters
        ----------
        label : str
            As for `figure`.
        frame : DataFrame
        caption : str
            A sentence.
        columns : mapping, optional
            The columns to show, with their headings. Default: all, by their names in words.
        formats : mapping, optional
            Formats of numbers, by column.
        filtered : bool
            Whether a form on the page chooses rows.
        """
        columns = columns or {name: _heading(str(name)) for name in frame.columns}
        shown = Table(frame, caption, columns, formats, filtered)
        self._write_csv(frame, label)
        display(render.table(self.name, label, shown))

    def judge(self, claim: str, *evidence: Any) -> None:
        """Judge a claim on evidence, by the function of the chapter's `rules` that is named after it.

        Parameters
        ----------
        claim : str
            Its identifier in the chapter's `claims.toml`.
        *evidence
            What the rule takes: frames of runs, intervals, numbers.

        Raises
        ------
        ValueError
            If there is no such claim, or another cell has judged it.
        """
        caller = sys._getframe(1)
        place = caller.f_code.co_filename, caller.f_lineno
        if claim not in self._claims:
            close = difflib.get_close_matches(claim, self._claims, n=1)
            raise ValueError(f"claim must be one in {self.name}/claims.toml{_meant(close)}, got {claim!r}")
        if self._places.setdefault(claim, place) != place:
            raise ValueError(f"claim must be judged in one cell, got {claim!r} in another")
        found = self._rulings[claim] = self._judged(claim, *evidence)
        one = self._claims[claim]
        said = one.locus, one.statement, found.verdict, found.evidence, found.reason
        display(render.verdict(self.name, claim, *said))

    def say(self, prose: str) -> None:
        """Show prose that quotes numbers of the run.

        Parameters
        ----------
        prose : str
            Markdown, in whole sentences that stay true at other parameters.
        """
        display(Markdown(inspect.cleandoc(prose)))

    def long(self, label: str) -> pd.DataFrame:
        """Return the runs of a longer study, which `private-bandits reproduce --long` makes.

        Parameters
        ----------
        label : str
            Its name in the chapter's `long.py`.

        Returns
        -------
        DataFrame
            As `play` returns, with the labels of the study; as it is committed, where it is no list of runs.
        """
        studies = vars(importlib.import_module(f"private_bandits_book.{self.name}.long")).get("STUDIES", {})
        rows = pd.read_csv(self.book.data(self.name) / f"long-{label}.csv")
        if label not in studies:
            return rows
        runs = studies[label]()
        by = pd.read_csv(StringIO(seeds.csv_text(pd.DataFrame([run.labels for run in runs]))))  # rounded as theirs are
        known = pd.DataFrame([facts(run.policy, run.problem) for run in runs])
        known = by.join(known[known.columns.difference(by.columns, sort=False)]).drop_duplicates([*by])
        return rows.merge(known, how="left", on=[*by], validate="m:1")

    def reference(self, *modules: str, folded: bool = False) -> Markdown | Display:
        """Show the plain-Python references that follow algorithms of the paper line by line.

        Parameters
        ----------
        *modules : str
            Files of the library: "papers.cascading.algorithm_2".
        folded : bool
            Whether each unfolds when it is asked for.
        """
        parts = [_reference(name) for name in modules]
        if folded:
            return render.codes(parts)
        return Markdown("\n\n".join(f"{title} `{file}`\n\n```python\n{code}\n```" for title, file, code in parts))

    def ledger(self) -> None:
        """Judge what needs no evidence, show the chapter's first claims, and write `data/claims.csv`.

        Raises
        ------
        ValueError
            If at the chapter's own parameters a claim was never judged.
        """
        rules, rulings = self._rules(), dict(self._rulings)
        for name, claim in self._claims.items():
            rule = vars(rules).get(name.replace("-", "_"))
            if name not in rulings and rule is not None and not inspect.signature(rule).parameters:
                rulings[name] = self._judged(name)
            elif name not in rulings and not claim.rests_on and not claim.not_testable:
                if self.own:
                    raise ValueError(f"claim {name} was never judged")
                rulings[name] = Holds()(None, "its runs are not shown at these parameters")
        rows = ledger(self._claims, rulings, f"private-bandits reproduce {self.name}", self._disagreeing())
        self._write_csv(rows, "claims")
        counts = verdicts_in_words(rows["verdict"])
        numbered = rows[rows["kind"].isin(NUMBERED)]["verdict"]
        said = (
            f"**Of {len(numbered)} theorems, tables and figures** {verdicts_in_words(numbered)}. "
            if len(numbered)
            else ""
        )
        said += f"Of all {len(rows)} claims {counts}: [the claims of all papers](claims.ipynb) say why."
        display(Markdown(said), headlines(self.name, rows))
        files = ["claims", *(["seeds"] if (self.book.data(self.name) / "seeds.csv").is_file() else [])]
        links = (f"[{file}.csv](data/{self.name}/{file}.csv)" for file in files)
        display(Markdown(f"All rows, and the verdicts on other seeds: {', '.join(links)}."))

    def _judged(self, claim: str, *evidence: Any) -> Ruling:
        rule: Callable[..., Ruling] = getattr(self._rules(), claim.replace("-", "_"))
        try:
            return rule(*evidence)
        except LookupError:
            if self.own:
                raise
            return Holds()(None, "its runs are not shown at these parameters")

    def _rules(self) -> Any:
        return importlib.import_module(f"private_bandits_book.{self.name}.rules")

    def _disagreeing(self) -> Mapping[str, tuple[int, int]]:
        """By claim, how many of the other seeds give another verdict, and of how many."""
        path = self.book.data(self.name) / "seeds.csv"
        known = self.own and path.is_file() and not os.environ.get(seeds.ALONE_VARIABLE)
        return seeds.disagreeing(pd.read_csv(path)) if known else {}

    def _write_csv(self, frame: pd.DataFrame, label: str) -> None:
        self._write(f"data/{label}.csv", seeds.csv_text(frame))

    def _write(self, path: str, text: str) -> None:
        if self.output is not None:
            target = self.output / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())


def _refuse_misspelt(known: Mapping[str, Parameter], cells: Iterable[str]) -> None:
    """Refuse a name that papermill's own cell assigns and that is no parameter: papermill only warns."""
    for cell in cells:
        if cell.startswith("# Parameters\n"):
            names = [node.id for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Name)]
            for name in names:
                if name not in {*known, "inf", "nan", "float", "int", "str", "list", "bool"}:
                    close = difflib.get_close_matches(name, known, n=1)
                    raise UsageError(f"{name} is not a parameter{_meant(close)}: {', '.join(known)}")


def _heading(name: str) -> str:
    words = name.replace("_", " ").replace("epsilon", "ε").replace("delta", "δ")
    known = {"value ε": "ε of the numbers", "effective ε": "ε of everything"}
    return known.get(words, words[:1].upper() + words[1:] if words[:1] not in "εδ" else words)


def _meant(close: list[str]) -> str:
    return f" (did you mean {close[0]}?)" if close else ""


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

"""What a chapter's notebook is given: it runs policies, shows figures and tables, and judges claims.

What is run, drawn and said stands in the notebook.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util
import inspect
import math
import os
import re
import symtable
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython import get_ipython
from IPython.display import Markdown, display

from private_bandits.checks import brief
from private_bandits.estimates import Interval
from private_bandits.policy import playable
from private_bandits.simulation import simulate
from private_bandits_book import figures
from private_bandits_book.book import Book, find_book
from private_bandits_book.jobs import seeds
from private_bandits_book.jobs.cache import at
from private_bandits_book.jobs.cluster import OUTPUT_VARIABLE, STRICT_VARIABLE, join
from private_bandits_book.judging.claims import claims_of
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.judging.rulings import NotShown, Ruling, not_shown
from private_bandits_book.judging.verdicts import MEASURED, NUMBERED, source_of, verdicts_by_maker, verdicts_in_words
from private_bandits_book.pages import render
from private_bandits_book.pages.claims import headlines
from private_bandits_book.pages.render import Display, Table
from private_bandits_book.parameters import Parameter, UsageError, validate
from private_bandits_book.plots import Picture
from private_bandits_book.runs import csv_text, facts, identity, means
from private_bandits_book.studies import stored

__all__ = ["Chapter", "UsageError"]

_NEEDED = ("horizon", "replications", "seed", "n_jobs", "output_dir")
_FREE = ("n_jobs", "output_dir")  # parameters that change no number
_UNNAMED = {
    "horizon": Parameter("int", 10_000),
    "replications": Parameter("int", 20),
    "seed": Parameter("int", 1),
    "n_jobs": Parameter("int", 1),
    "output_dir": Parameter("str", ""),
}
"""What a script or a notebook of one's own may give, and what is taken where it does not."""
_STUDY = "study"  # what begins addresses in a notebook whose chapter has no name
_DRAWN_ONLY = "paper algorithm mechanism method family hue uniform problem label panel content seed run".split()


class Chapter:
    """A running chapter: its parameters, what was run before, and the verdicts so far.

    Any cell may be edited and run again: parameters are what the notebook's names hold now, a figure drawn or a claim
    judged again replaces what was there.

    Without a name it serves a script or a notebook of one's own: `play`, `figure` and `table` work as in a chapter,
    files are written if there is an `output_dir`, and no claim is judged.

    Parameters
    ----------
    name : str, optional
        The chapter's notebook, without suffix.
    given : mapping, written
        The notebook's `globals()`: every parameter is among them, under its name. What was checked is written back, so
        that `1e4` becomes the integer 10000 there, too. Without a name of the chapter it may have `horizon` (else
        10,000), `replications` (20), `seed` (1), `n_jobs` (1) and `output_dir` (none).
    book : Book, optional
        Default: the one that comes with the package.

    Raises
    ------
    UsageError
        If a parameter is missing, misspelt or not allowed, in one line.

    Examples
    --------
    >>> from private_bandits import baselines
    >>> from private_bandits.problems import Arms
    >>> study = Chapter(given={"horizon": 100, "replications": 3})
    >>> runs = study.play(Arms.bernoulli([0.5, 0.4]), [baselines.ucb(), baselines.adap_ucb(1.0)])
    >>> study.figure("figure-mine", plots.curves(runs), "Both.")  # doctest: +SKIP
    """

    def __init__(
        self, name: str | None = None, given: MutableMapping[str, Any] | None = None, book: Book | None = None
    ) -> None:
        if not isinstance(name, str | None):
            raise UsageError(f"a chapter must have a name or none, as in Chapter(given=globals()), got {brief(name)}")
        self.name, self._given = name or "", {} if given is None else given
        self._book = book
        self._known = self._declared() if self.name else _UNNAMED
        for needed in _NEEDED:
            if needed not in self._known:
                raise UsageError(f"{needed} must stand in the parameters cell of {name}, got {', '.join(self._known)}")
        if self.name:
            _refuse_misspelt(self._known, self._given.get("In", ()))
        self._claims = {claim.claim: claim for claim in claims_of(self.name)} if self.name else {}
        self._rulings: dict[str, Ruling] = {}
        self._played: dict[Any, pd.DataFrame] = {}
        self._write_back()
        if (shell := get_ipython()) is not None:
            shell.events.register("post_run_cell", self._check_names)
        join()

    @property
    def book(self) -> Book:
        """The book that the chapter is of.

        Raises
        ------
        UsageError
            If it has no name.
        """
        self._refuse_unnamed()
        return self._book or find_book()

    @property
    def parameters(self) -> dict[str, Any]:
        """The values that the notebook's names hold now, checked; a chapter without a name has some for the others.

        Raises
        ------
        UsageError
            If one is missing or not allowed.
        """
        known = self._known
        asked = {key: self._given[key] for key in known if key in self._given}
        for key, value in asked.items():
            if known[key].kind.startswith("list") and isinstance(value, str):
                raise UsageError(f"{key} must be a list, got the text {value!r}: papermill takes -y '{key}: {value}'")
        missing = [key for key in known if key not in asked]
        if missing and self.name:
            got = ", ".join(asked) or "none of them"
            wanted = f"assign the parameters of {self.name} ({', '.join(known)})"
            raise UsageError(f"{missing[0]} must be given: {wanted}, got {got}")
        return validate(self.name, known, asked)

    @property
    def own(self) -> bool:
        """Whether the parameters are now the book's, number of workers and folder apart."""
        values = self.parameters
        return bool(self.name) and all(
            values[key] == one.default for key, one in self._known.items() if key not in _FREE
        )

    @property
    def output(self) -> Path | None:
        """Where files go, which is the parameter `output_dir`, or else what `PRIVATE_BANDITS_OUTPUT` says."""
        folder = self.parameters["output_dir"] or os.environ.get(OUTPUT_VARIABLE, "")
        return Path(folder) if folder else None

    def play(
        self,
        problem: Any,
        policies: Iterable[Any],
        *,
        horizon: int | None = None,
        replications: int | None = None,
        checkpoints: Iterable[int] | None = None,
        stored: str = "",
        **labels: Any,
    ) -> pd.DataFrame:
        """Run policies on a problem at the horizon, replications and seed that the notebook's names hold now.

        What was run before in the notebook is not run again, but for policies and problems of a reader's own.

        Parameters
        ----------
        problem, policies
            As for `simulate`.
        horizon, replications : int, optional
            Where they differ from the chapter's.
        checkpoints : iterable of int, optional
            As for `simulate`: `[]` keeps the horizon only.
        stored : str
            A longer study of the chapter. Its runs are taken where it has the same policy on the same problem with the
            same seed and horizon, which is all that is kept then.
        **labels
            More columns, with a value each.

        Returns
        -------
        DataFrame
            A row per policy, replication and checkpoint: `policy`, its facts (`algorithm`, `variant`, `trust`,
            `epsilon`, `effective_epsilon`, ...), `problem`, `uniform` (regret per round of uniform play), the labels,
            and `replication`, `t`, `regret`.

        Raises
        ------
        UsageError
            If a parameter is not allowed, or a policy does not fit the problem or the horizon, in one line.

        Examples
        --------
        >>> from private_bandits.papers.cascading import b_lb, cascade_ucb1  # doctest: +SKIP
        >>> runs = chapter.play(b_lb(20, 4, 0.2, 0.15), [cascade_ucb1()])  # doctest: +SKIP
        """
        if not isinstance(policies, Iterable) or not (policies := list(policies)):
            raise UsageError(f"policies must be a list of at least one, got {brief(policies)}")
        now = self.parameters
        how = {"horizon": now["horizon"] if horizon is None else horizon, "seed": now["seed"]}
        how["replications"] = now["replications"] if replications is None else replications
        rounds = tuple(checkpoints) if isinstance(checkpoints, Iterable) else checkpoints
        for policy in policies:
            _refuse_unfit(problem, policy, how["horizon"])
        if taken := labels.keys() & {*facts(policies[0], problem), "replication", "t", "regret"}:
            raise UsageError(f"labels must be other than the columns of all runs, got {', '.join(sorted(taken))}")
        frames = []
        for policy in policies:
            same = identity(problem, policy)
            key = same, *how.values(), rounds, stored
            if stored and (kept := self._stored(stored, same, **how)) is not None:
                self._played[key] = kept
            elif not same or key not in self._played:
                with at(f"{policy.name}, {how['replications']} runs of {how['horizon']:,} rounds"):
                    data = simulate(problem, policy, **how, checkpoints=rounds, n_jobs=now["n_jobs"], progress=False)
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
            A sentence; instance, horizon and runs are added. With a label of the paper's own it begins with what the
            paper calls it, "Figure 1(a): ...", which becomes "The paper's Figure 1(a)".
        parts : mapping, optional
            The runs of panels that the paper labels one by one, for a CSV each instead of one for all.

        Raises
        ------
        ValueError
            In a notebook that is made to be committed, if words overlap or lines look alike.
        """
        drawn = [each for each in (picture.fig, picture.narrow) if each is not None]
        if _strict() and (faults := [fault for each in drawn for fault in figures.unclear(each)]):
            raise ValueError(f"{label}: {'; '.join(faults)}")
        svg, png = figures.svg(picture.fig), figures.png(picture.fig)
        plt.close(picture.fig)
        self._write(f"figures/{label}.svg", svg)
        if picture.narrow is not None:
            self._write(f"figures/{label}.narrow.svg", figures.svg(picture.narrow))
            plt.close(picture.narrow)
        data = {label: picture.data} if not parts else {name: means(runs) for name, runs in parts.items()}
        for name, rows in data.items():
            self._write_csv(rows.drop(columns=_DRAWN_ONLY, errors="ignore"), name)
        caption = _of_the_paper(label, f"{caption} {picture.facts}".strip())
        said = partial(render.figure, caption=caption, alt=picture.alt, files=[*data])
        display(said(self.name or _STUDY, label, svg=svg, png=png))

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
        columns = columns or _heads(frame)
        shown = Table(frame, _of_the_paper(label, caption), columns, formats, filtered)
        self._write_csv(frame, label)
        display(render.table(self.name or _STUDY, label, shown))

    def frame(
        self,
        rows: pd.DataFrame | Mapping[str, Any],
        columns: Mapping[str, str] | None = None,
        formats: Mapping[str, str] | None = None,
    ) -> Display:
        """Return a small result as a table without number, caption and file: the last value of its cell.

        Parameters
        ----------
        rows : DataFrame or mapping
            An index with a name is the first column. A mapping has the columns, or a value for each name.
        columns, formats : mapping, optional
            As for `table`.

        Returns
        -------
        Display

        Examples
        --------
        >>> print(Chapter().frame({"policy": ["blocks", "one bit"], "regret": [1299.2, 998.0]}))
        Policy   Regret
        blocks    1,299
        one bit     998
        """
        made = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(_columns(rows))
        named = [name for name in made.index.names if name is not None]
        made = made.reset_index() if named else made
        return render.frame(Table(made, "", columns or _heads(made), formats))

    def judge(self, claim: str, *evidence: Any) -> None:
        """Judge a claim; who judges it again replaces what was found.

        Parameters
        ----------
        claim : str
            Its identifier in the chapter's `claims.toml`.
        *evidence
            A ruling, as `less(...)` makes it; or what the function of the chapter's `rules` that is named after the
            claim takes: frames of runs, intervals, numbers.

        Raises
        ------
        UsageError
            If there is no such claim, or its rule takes other evidence, in one line. A chapter without a name has none:
            what a comparison answers, `less(...)` for instance, can be looked at.
        """
        self._refuse_unnamed()
        if claim not in self._claims:
            close = difflib.get_close_matches(claim, self._claims, n=1)
            raise UsageError(f"claim must be one in the claims.toml of {self.name}{_meant(close)}, got {claim!r}")
        ruled = evidence[0] if len(evidence) == 1 and isinstance(evidence[0], Ruling) else self._ruled(claim, *evidence)
        if _strict() and ruled.missing:
            raise ValueError(f"{claim}: {ruled.reason}")
        seen = ruled.measurement
        if _strict() and ruled.evidence == MEASURED and seen.low < seen.high and math.isinf(seen.runs):
            raise ValueError(f"{claim}: an interval of runs must say how many they are, or few of them would condemn")
        self._rulings[claim] = ruled
        row = self._claims[claim]
        found = {"evidence": ruled.evidence, "reason": ruled.reason}
        searched = {"refuted_by": row.refuted_by, "closest": row.closest}
        display(render.verdict(self.name, claim, row.locus, row.statement, ruled.verdict, **found, **searched))

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
            Its name in the chapter's `studies.py`.

        Returns
        -------
        DataFrame
            As `play` returns, with `run`, the number of a run in the study's list, and the labels of the study; as it
            is committed, where it is no list of runs.

        Raises
        ------
        ValueError
            If the list has other runs than are committed.
        """
        return stored(self.name, label, self.book.data(self.name))

    def reference(self, *modules: str, folded: bool = False) -> Markdown | Display:
        """Show the plain-Python references that follow algorithms of the paper line by line.

        Parameters
        ----------
        *modules : str
            Files of the library: "papers.cascading.algorithm_2".
        folded : bool
            Whether each unfolds when it is asked for.

        Returns
        -------
        Markdown or Display
        """
        parts = [_reference(name) for name in modules]
        if folded:
            return render.codes(parts)
        return Markdown("\n\n".join(f"{title} `{file}`\n\n```python\n{code}\n```" for title, file, code in parts))

    def ledger(self) -> None:
        """Judge what needs no evidence, show the chapter's first claims, and write `data/claims.csv`.

        A claim that no cell has judged is undecided, and an error where a notebook is made to be committed.

        Raises
        ------
        UsageError
            If the chapter has no name, and so no claims.
        """
        self._refuse_unnamed()
        rulings = dict(self._rulings)
        for name, claim in self._claims.items():
            rule = self._rule(name)
            if name not in rulings and rule is not None and not inspect.signature(rule).parameters:
                rulings[name] = self._ruled(name)
            elif name not in rulings and not claim.rests_on and not claim.not_testable:
                if _strict():
                    raise ValueError(f"claim {name} was never judged")
                rulings[name] = not_shown()
        rows = ledger(self._claims, rulings, f"private-bandits reproduce {self.name}", self._disagreeing())
        self._write_csv(rows, "claims")
        counts = verdicts_by_maker(rows["claim"], rows["kind"], rows["verdict"], source=source_of(self.name))
        numbered = rows[rows["kind"].isin(NUMBERED)]["verdict"]
        said = (
            f"**Of {len(numbered)} theorems, tables and figures** {verdicts_in_words(numbered)}. "
            if len(numbered) > 1
            else f"**The one theorem, table or figure** is {numbered.iloc[0]}. "
            if len(numbered)
            else ""
        )
        said += f"{counts}: [the claims of all papers](claims.ipynb) say why."
        display(Markdown(said), headlines(self.name, rows, self._rulings))
        files = ["claims", *(["seeds"] if (self.book.data(self.name) / "seeds.csv").is_file() else [])]
        links = (f"[{file}.csv](data/{self.name}/{file}.csv)" for file in files)
        display(Markdown(f"All rows, and the verdicts on other seeds: {', '.join(links)}."))

    def _stored(self, label: str, content: str, *, horizon: int, seed: int, replications: int) -> pd.DataFrame | None:
        """The runs of a longer study at the horizon, None where it has not these."""
        rows = self.long(label)
        same = (rows["content"] == content) & (rows["seed"] == seed) & (rows["t"] == horizon)
        found = rows[same & (rows["replication"] < replications)] if content else rows[:0]
        return found[["replication", "t", "regret"]] if len(found) == replications else None

    def _check_names(self, _: object) -> None:
        """After each cell: what it gave a parameter is checked, and written back as here."""
        if not any(value is self for value in self._given.values()):  # made anew
            get_ipython().events.unregister("post_run_cell", self._check_names)
            return
        try:
            self._write_back()
        except UsageError as error:
            print(f"UsageError: {error}", file=sys.stderr)

    def _declared(self) -> dict[str, Parameter]:
        try:
            return self.book.parameters(self.name)
        except UsageError as error:
            raise UsageError(f"{error}; a study of your own has no name, as in Chapter(given=globals())") from None

    def _refuse_unnamed(self) -> None:
        if not self.name:
            raise UsageError("a chapter must have a name to judge claims and to read longer studies, got none")

    def _write_back(self) -> None:
        """Give the notebook's names the values that were checked."""
        self._given.update({name: value for name, value in self.parameters.items() if name in self._given})

    def _ruled(self, claim: str, *evidence: Any) -> Ruling:
        """What the claim's rule finds; undecided where its evidence is not shown."""
        rule = self._rule(claim)
        if rule is None:
            raise UsageError(f"{claim} must be judged by a ruling, as less(...) makes it, got {_given(evidence)}")
        try:
            return rule(*evidence)
        except NotShown as error:
            return not_shown(str(error))
        except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:  # of another number or shape
            wanted = ", ".join(inspect.signature(rule).parameters) or "nothing"
            said = f"{claim} must be judged on {wanted}, as the book does, got {_given(evidence)}"
            raise UsageError(f"{said}: {type(error).__name__}, {error}") from error

    def _rule(self, claim: str) -> Callable[..., Ruling] | None:
        """The function of the chapter's `rules` that is named after a claim, if there is one."""
        name = f"private_bandits_book.chapters.{self.name}.rules"
        rules = vars(importlib.import_module(name)) if importlib.util.find_spec(name) else {}
        return rules.get(claim.replace("-", "_"))

    def _disagreeing(self) -> Mapping[str, tuple[int, int]]:
        """By claim, how many of the other seeds give another verdict, and of how many."""
        path = self.book.data(self.name) / "seeds.csv"
        known = self.own and path.is_file() and not os.environ.get(seeds.ALONE_VARIABLE)
        return seeds.disagreeing(pd.read_csv(path)) if known else {}

    def _write_csv(self, frame: pd.DataFrame, label: str) -> None:
        self._write(f"data/{label}.csv", csv_text(frame))

    def _write(self, path: str, text: str) -> None:
        if self.output is not None:
            target = self.output / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())


def _strict() -> bool:
    return bool(os.environ.get(STRICT_VARIABLE))


def _refuse_misspelt(known: Mapping[str, Parameter], cells: Iterable[str]) -> None:
    """Refuse a name that papermill's own cell assigns and that is no parameter: papermill only warns.

    Its cell holds assignments only. The last cell with its head counts, and none after which a cell without it has
    assigned a parameter, as a reader may have corrected one.
    """
    assigned: list[str] = []
    for cell in cells:
        try:
            lines, symbols = ast.parse(cell).body, symtable.symtable(cell, "cell", "exec").get_symbols()
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # it has not run, or holds a magic
            lines, symbols = [], []
        values = [getattr(line, "value", None) for line in lines if isinstance(line, ast.Expr)]
        assignments = sum(isinstance(line, ast.Assign | ast.AnnAssign) for line in lines)
        plain = assignments + sum(isinstance(value, ast.NamedExpr) for value in values) == len(lines)
        inner = _only_in_comprehensions(lines)  # which the table of Python 3.12 and later has as the cell's own
        names = [one.get_name() for one in symbols if one.is_assigned() and one.get_name() not in inner]
        headed = cell.lstrip().partition("\n")[0].rstrip() == "# Parameters"
        if headed or known.keys() & names:
            assigned = names if headed and plain else []
    for name in assigned:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            raise UsageError(f"{name} is not a parameter{_meant(close)}: {', '.join(known)}")


def _only_in_comprehensions(lines: Iterable[ast.stmt]) -> set[str]:
    nodes = [node for line in lines for node in ast.walk(line)]
    targets = [name for node in nodes if isinstance(node, ast.comprehension) for name in ast.walk(node.target)]
    inside, stored = (
        Counter(one.id for one in names if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        for names in (targets, nodes)
    )
    return {name for name in inside if inside[name] == stored[name]}


def _refuse_unfit(problem: Any, policy: Any, horizon: int) -> None:
    try:
        playable(policy).check(problem, horizon)
    except ValueError as error:
        raise UsageError(str(error)) from None


_HEADS = {"value_epsilon": "ϵ of the numbers", "effective_epsilon": "ϵ of everything", "t": "Round", "n_arms": "Arms"}


_OWN = re.compile(r"(?:figure|table)-[0-9]")


def _of_the_paper(label: str, caption: str) -> str:
    """A caption, which tells a figure that the paper numbers from one that the book numbers."""
    theirs = _OWN.match(label) and re.match(r"(Figure|Table) [0-9]", caption)
    return f"The paper's {caption}" if theirs else caption


def _heads(frame: pd.DataFrame) -> dict[str, str]:
    """The heads of a frame's columns, where their author names none."""
    return {name: _HEADS.get(str(name), str(name).replace("delta", "δ")) for name in frame.columns}


def _columns(rows: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a frame; of a value for each name there is one row."""
    whole = any(isinstance(value, Iterable) and not isinstance(value, str | Interval) for value in rows.values())
    return {name: value if whole else [value] for name, value in rows.items()}


def _given(evidence: Iterable[Any]) -> str:
    return ", ".join(map(brief, evidence)) or "nothing"


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

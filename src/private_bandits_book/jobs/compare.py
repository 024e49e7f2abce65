"""Compare a policy from a file with the benchmark, into a folder of its own."""

import importlib
import re
import runpy
import sysconfig
import traceback
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from private_bandits import checks
from private_bandits_book.book import Book
from private_bandits_book.jobs.output import output, seal
from private_bandits_book.jobs.progress import progress
from private_bandits_book.pages.claims_text import aligned
from private_bandits_book.pages.render import html_table
from private_bandits_book.parameters import UsageError

_CARRIED = "<dynamic-code>"  # by cloudpickle to a worker: what it calls the file of a class, from 3.1.3 on
_OTHERS = ("<", sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), str(Path(__file__).parents[2]))  # files


def compare(
    book: Book, target: str, kind: str, directory: Path | None, *, epsilon: float, quick: bool, proved: str
) -> tuple[str, Path, int]:
    """Compare the class of a file with the benchmark, and fill a folder, whole or not at all.

    Parameters
    ----------
    book : Book
        Has the rows of all others.
    target : str
        FILE.py:CLASS.
    kind, epsilon, quick, proved
        As for `comparing.compare`.
    directory : Path, optional
        As for `output`; it gets `rows.csv`, `ranking.csv`, a page and `provenance.json`. Default: runs/compare-CLASS.

    Returns
    -------
    str, Path, int
        The ranking in words, the page, and the exit code: 1 where the audit refutes what the policy states.

    Raises
    ------
    UsageError
        If a word, the file or the policy is not allowed; nothing was written.
    RuntimeError
        If the policy cannot be played to the end; nothing was written.
    """
    name, make = _loaded(target)
    comparing = importlib.import_module("private_bandits_book.chapters.comparison.comparing")
    directory = directory or Path("runs", f"compare-{name}")
    with output(directory) as fresh, progress(f"compare {name}"):
        try:
            checks.choice("--problem", kind, comparing.FAMILIES)
            rows = pd.read_csv(book.data("comparison") / f"long-test-{kind}.csv")
            found = comparing.compare(make, kind, epsilon=epsilon, quick=quick, proved=proved, rows=rows)
        except ValueError as error:
            raise UsageError(str(error)) from error
        except RuntimeError as error:
            raise RuntimeError(str(error).replace(_CARRIED, target.rpartition(":")[0])) from error
        found.rows.to_csv(fresh / "rows.csv", index=False)
        found.ranking.to_csv(fresh / "ranking.csv", index=False)
        (fresh / f"{name}.html").write_text(_page(name, found), encoding="utf-8")
        seal(fresh, {"made_by": "private-bandits compare", "policy": target, "said": found.said})
    text = "\n".join([found.said, "", *aligned(found.table()), "", found.audited])
    return text, directory / f"{name}.html", int((found.rows["guarantee"] == "refuted").any())


def _loaded(target: str) -> tuple[str, Any]:
    """A name of a file, and what it stands for there."""
    file, _, name = target.rpartition(":")
    if not file or not name.isidentifier():
        raise UsageError(f"policy must be FILE.py:CLASS, got {checks.brief(target)}")
    try:
        found = runpy.run_path(file)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{file} must import, got {in_a_line(error)}") from error
    if name not in found:
        raise UsageError(f"{file} must have {name}, got no such name")
    return name, found[name]


def in_a_line(error: BaseException) -> str:
    """Return what a policy has raised, here or in a worker, with the last line of its own that it came through.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        With the round at its end, where there was one.
    """
    told = "".join(traceback.format_exception(error))
    lines = re.findall(r'File "(.+?)", line (\d+)', told)
    mine = (_CARRIED, *(file for file, _ in lines if not file.startswith(_OTHERS) or "rivals" in Path(file).parts))
    own = [place for place in lines if place[0] in mine]
    said = [f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", *(f"{a}, line {b}" for a, b in own[-1:])]
    return ", ".join([*said, *re.findall(r"^in (round \d+)$", told, re.MULTILINE)[-1:]])


def _page(name: str, found: Any) -> str:
    heads, *rows = found.table()
    table = html_table(heads, rows, found.said, [place not in (1, 5) for place in range(len(heads))])
    style = "body{font:1rem sans-serif;margin:2em}td,th{padding:.2em .8em}"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(name)}</title><style>{style}</style>'
    return f"{head}<h1>{escape(name)} in the benchmark</h1>{table}<p>{escape(found.audited)}</p></html>\n"

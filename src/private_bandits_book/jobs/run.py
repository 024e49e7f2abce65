"""Rerun a chapter with new parameters into a folder of its own."""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

from private_bandits import checks
from private_bandits_book.book import Book
from private_bandits_book.jobs.atomic import scratch
from private_bandits_book.jobs.environment import neutral
from private_bandits_book.jobs.execute import ChapterFailed, Execution, execute, notebook_text
from private_bandits_book.jobs.output import output, seal
from private_bandits_book.jobs.progress import announce, log
from private_bandits_book.pages.rerun import against_the_book
from private_bandits_book.parameters import UsageError, validate
from private_bandits_book.versions import python, versions

_MARK = "private-bandits run"
_RAISED = re.compile(r"^(?:\w+\.)*[A-Z]\w*[a-z]: .+", flags=re.MULTILINE)  # an exception's line, whatever its name


def run(book: Book, chapter: str, given: Mapping[str, Any], directory: Path) -> None:
    """Execute a chapter with the given parameters and fill `directory`, whole or not at all.

    Parameters
    ----------
    book : Book
    chapter : str
    given : mapping
        Parameters that differ from the chapter's own.
    directory : Path
        Absent, empty, or byte for byte what an earlier run made; it gets the notebook, its page with assets,
        `data/*.csv`, `figures/*.svg` and `provenance.json`, which has the hashes of all.

    Raises
    ------
    UsageError
        If a parameter or the directory is not allowed; nothing was written.
    ChapterFailed
        If the chapter fails; the directory is as it was.
    """
    path = book.path(chapter)
    values = validate(chapter, book.parameters(chapter), given)
    if values["output_dir"]:
        raise UsageError(f"output_dir must be empty, as -o is the folder, got {checks.brief(values['output_dir'])}")
    chosen = ", ".join(f"{name}={values[name]}" for name in ("horizon", "replications", "seed"))
    with output(directory) as fresh:
        announce(book, f"run {chapter} with {chosen}", {chapter: values})
        for folder in ("data", "figures"):
            (fresh / folder).mkdir()
        result = execute(path, {name: values[name] for name in given}, output=fresh)
        (fresh / f"{chapter}.ipynb").write_bytes(notebook_text(result.notebook).encode())
        log(f"building the page of {chapter}, some seconds")
        _build_page(book, chapter, fresh, against_the_book(book, chapter, values, fresh / "data"))
        seal(fresh, _provenance(chapter, values, result))


def _build_page(book: Book, chapter: str, fresh: Path, said: str) -> None:
    """Build the executed notebook in `fresh`, `said` below its title, as a page of the book, and copy it there."""
    with scratch() as site:
        (site / "book").mkdir()
        shutil.copy(book.root / "_config.yml", site)
        toc = f"format: jb-book\nroot: {chapter}\n"
        proofs = book.pages / f"{chapter}_proofs.md"
        if proofs.is_file():
            shutil.copy(proofs, site)
            toc += f"chapters:\n  - file: {proofs.stem}\n"
        (site / "_toc.yml").write_text(toc, encoding="utf-8")
        for source in book.pages.iterdir():
            if source.name.startswith("_") and source.is_dir():
                shutil.copytree(source, site / "book" / source.name)
            elif source.suffix == ".bib":
                shutil.copy(source, site / "book")
        notebook = nbformat.read(fresh / f"{chapter}.ipynb", as_version=4)
        for cell in notebook.cells:  # the page says its parameters in one place
            if "injected-parameters" in cell.metadata.get("tags", []):
                cell.metadata["tags"].append("remove-input")
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(said, id="said"))  # and none drawn at random
        nbformat.write(notebook, site / f"{chapter}.ipynb")
        shutil.copytree(fresh / "figures", site / "figures" / chapter)
        shutil.copytree(fresh / "data", site / "data" / chapter)
        for study in [*book.data(chapter).glob("long-*.csv"), *book.data(chapter).glob("seeds.csv")]:
            shutil.copy(study, site / "data" / chapter)
        script = "import gc; gc.disable(); from jupyter_book.cli.main import main; main()"  # a fifth of its time
        words = [sys.executable, "-P", "-c", script, "build", str(site)]
        # Its page is nobody's to edit: the book's repository has another.
        env = neutral(PYTHONIOENCODING="utf-8", PRIVATE_BANDITS_REPOSITORY="")
        done = subprocess.run(words, capture_output=True, env=env, encoding="utf-8", errors="replace")
        html = site / "_build" / "html"
        if done.returncode or not (html / f"{chapter}.html").is_file():
            told = done.stdout + done.stderr
            *_, error = told[-4000:], *_RAISED.findall(told)
            raise ChapterFailed(f"{chapter}: the page could not be built: {error}")
        shutil.copytree(html, fresh, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))


def _provenance(chapter: str, values: dict[str, Any], result: Execution) -> dict[str, Any]:
    pairs = zip(result.notebook.cells, result.seconds, strict=True)
    cells = {cell["id"]: round(spent, 3) for cell, spent in pairs if cell.cell_type == "code"}
    said = {"made_by": _MARK, "chapter": chapter, "parameters": values, "seed": values["seed"]}
    where = {"versions": versions(), "python": python()}
    seconds = {"total": round(sum(result.seconds), 3), "cells": cells}
    return said | where | {"platform": platform.platform(), "seconds": seconds}

"""Rerun a chapter with new parameters into a folder of its own."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from private_bandits_book.chapters.book import Book
from private_bandits_book.chapters.execute import ChapterFailed, Execution, execute, notebook_text
from private_bandits_book.chapters.parameters import UsageError, validate
from private_bandits_book.chapters.progress import announce, say
from private_bandits_book.kept import keeping

_MARK = "private-bandits run"
_PACKAGES = "private-bandits numpy scipy numba pandas xarray joblib matplotlib papermill ipykernel jupyter-book".split()


def run(book: Book, chapter: str, given: Mapping[str, Any], directory: Path) -> None:
    """Execute a chapter with the given parameters and fill `directory`, whole or not at all.

    Parameters
    ----------
    book : Book
    chapter : str
    given : mapping
        Parameters that differ from the chapter's own.
    directory : Path
        Absent, empty, or what an earlier run made; it gets the notebook, its page with assets, `data/*.csv`,
        `figures/*.svg` and `provenance.json`.

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
        raise UsageError(f"output_dir must be empty here, as -o names the folder, got {values['output_dir']!r}")
    directory = directory.resolve()
    _check_directory(directory)
    chosen = ", ".join(f"{name}={values[name]}" for name in ("horizon", "replications", "seed"))
    with _replacing(directory) as fresh:
        announce(book, f"run {chapter} with {chosen}", {chapter: values})
        for folder in ("data", "figures"):
            (fresh / folder).mkdir()
        with keeping("run", say):
            result = execute(path, {name: values[name] for name in given}, output=fresh)
        (fresh / f"{chapter}.ipynb").write_bytes(notebook_text(result.notebook).encode())
        say(f"building the page of {chapter}, some seconds")
        _build_page(book, chapter, fresh)
        text = json.dumps(_provenance(chapter, values, result, _contents(fresh)), indent=1, ensure_ascii=False)
        (fresh / "provenance.json").write_bytes(f"{text}\n".encode())


def _check_directory(directory: Path) -> None:
    """Refuse to replace anything but an earlier run."""
    allowed = "the output folder must be absent, empty or an earlier run's"
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{allowed}, got the file {directory}")
    if Path.cwd().resolve().is_relative_to(directory) and directory.exists():
        raise UsageError(f"the output folder must not be or hold the current folder, got {directory}")
    if not directory.exists() or not any(directory.iterdir()):
        return
    try:
        earlier = json.loads((directory / "provenance.json").read_text(encoding="utf-8"))
        known = set(earlier["contents"]) if earlier["made_by"] == _MARK else set()
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{allowed}, got {directory}") from None
    strange = sorted(set(_contents(directory)) - known - {"provenance.json"})
    if strange:
        raise UsageError(f"{allowed}, got {directory} with {strange[0]} in it")


def _contents(directory: Path) -> list[str]:
    """Return the files of a run, without those in folders of Sphinx (`_static`) and hidden ones."""
    paths = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    return sorted(p.as_posix() for p in paths if p.parts[0][0] != "_" and not any(q[0] == "." for q in p.parts))


@contextmanager
def _replacing(directory: Path) -> Iterator[Path]:
    """Yield a new folder that takes the place of `directory` if the block succeeds and is removed if not."""
    absent = [folder for folder in directory.parents if not folder.exists()]
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise UsageError(f"the output folder must be writable, got {directory}: {error.strerror}") from None
    fresh, old = beside / "new", beside / "old"
    try:
        fresh.mkdir()
        yield fresh
        if directory.exists():
            directory.rename(old)
        fresh.rename(directory)
    except BaseException:
        if old.exists() and not directory.exists():
            old.rename(directory)
        shutil.rmtree(beside, ignore_errors=True)
        for folder in absent:
            with suppress(OSError):
                folder.rmdir()
        raise
    shutil.rmtree(beside, ignore_errors=True)


def _build_page(book: Book, chapter: str, fresh: Path) -> None:
    """Build the executed notebook in `fresh` as a page of the book, and copy it there with its assets."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        (site / "book").mkdir()
        shutil.copy(book.root / "_config.yml", site)
        (site / "_toc.yml").write_text(f"format: jb-book\nroot: {chapter}\n", encoding="utf-8")
        for source in book.pages.iterdir():
            if source.name.startswith("_") and source.is_dir():
                shutil.copytree(source, site / "book" / source.name)
            elif source.suffix == ".bib":
                shutil.copy(source, site / "book")
        shutil.copy(fresh / f"{chapter}.ipynb", site)
        shutil.copytree(fresh / "figures", site / "figures" / chapter)
        shutil.copytree(fresh / "data", site / "data" / chapter)
        for study in [*book.data(chapter).glob("long-*.csv"), *book.data(chapter).glob("seeds.csv")]:
            shutil.copy(study, site / "data" / chapter)
        done = subprocess.run(
            [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(site)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8",
            errors="replace",
        )
        html = site / "_build" / "html"
        if done.returncode or not (html / f"{chapter}.html").is_file():
            raise ChapterFailed(f"{chapter}: the page could not be built:\n{done.stdout[-4000:]}")
        shutil.copytree(html, fresh, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))


def _provenance(chapter: str, values: dict[str, Any], result: Execution, contents: list[str]) -> dict[str, Any]:
    cells = zip(result.notebook.cells, result.seconds, strict=True)
    return {
        "made_by": _MARK,
        "chapter": chapter,
        "parameters": values,
        "seed": values["seed"],
        "versions": {name: version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "seconds": {
            "total": round(sum(result.seconds), 3),
            "cells": {cell["id"]: round(spent, 3) for cell, spent in cells if cell.cell_type == "code"},
        },
        "contents": contents,
    }

"""The folder that a command fills, whole or not at all: it replaces only what a command has written, unchanged."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from private_bandits_book.jobs.atomic import replacing
from private_bandits_book.parameters import UsageError

ALLOWED = "the output folder must be absent, empty or byte for byte an earlier run's"
_MARK = "private-bandits "  # how it begins who made a folder


@contextmanager
def output(directory: Path) -> Iterator[Path]:
    """Yield a folder that takes the place of the output folder if the block succeeds.

    Parameters
    ----------
    directory : Path
        Absent, empty, or byte for byte what `seal` closed.

    Raises
    ------
    UsageError
        If it is anything else, holds the current folder or cannot be written; nothing was written.
    """
    directory = directory.resolve()
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{ALLOWED}, got the file {directory}")
    if Path.cwd().resolve().is_relative_to(directory) and directory.exists():
        raise UsageError(f"the output folder must not be or hold the current folder, got {directory}")
    absent = [folder for folder in directory.parents if not folder.exists()]
    try:
        with ExitStack() as stack:
            try:
                directory.parent.mkdir(parents=True, exist_ok=True)
                fresh = stack.enter_context(replacing(directory, partial(_check_unchanged, shown=directory)))
            except OSError as error:
                raise UsageError(f"the output folder must be writable, got {directory}: {error.strerror}") from None
            yield fresh
    finally:
        for folder in absent:
            with suppress(OSError):  # it is not empty: the output is there
                folder.rmdir()


def seal(folder: Path, said: Mapping[str, Any]) -> None:
    """Write `provenance.json`: what is said, and the hashes of all files.

    Parameters
    ----------
    folder : Path
    said : mapping
        Its `made_by` is the command, "private-bandits run" for instance.
    """
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    contents = {path.relative_to(folder).as_posix(): _digest(path) for path in files}
    text = json.dumps({**said, "contents": contents}, indent=1, ensure_ascii=False)
    (folder / "provenance.json").write_text(f"{text}\n", encoding="utf-8")


def _check_unchanged(folder: Path, shown: Path) -> None:
    """Refuse a folder with anything in it that is not byte for byte what a run wrote."""
    paths = sorted(folder.rglob("*"))
    known = _known(folder / "provenance.json") if paths else {}
    if paths and not known:
        raise UsageError(f"{ALLOWED}, got {shown}")
    for path in paths:
        name = path.relative_to(folder).as_posix()
        as_it_was = path.is_dir() or name == "provenance.json" or (path.is_file() and _digest(path) == known.get(name))
        if path.is_symlink() or not as_it_was:
            raise UsageError(f"{ALLOWED}, got {shown} with {name} in it, added or changed since")


def _known(path: Path) -> dict[str, str]:
    """Return the hashes of the files of an earlier run, none if it is none."""
    try:
        earlier = json.loads(path.read_bytes() if path.is_file() else "")
        return dict(earlier["contents"]) if earlier["made_by"].startswith(_MARK) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

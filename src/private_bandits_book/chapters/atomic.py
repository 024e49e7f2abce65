"""Folders and files that change whole or not at all, whichever process is killed when."""

import glob
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

_DECIDED = ".private-bandits-publishing"  # in it lie files that are published, though some not yet at their place


@contextmanager
def scratch(prefix: str = "private-bandits", parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder of this process, deleted afterwards; those of processes that were killed are deleted first.

    Parameters
    ----------
    prefix : str
        How the names of such folders begin.
    parent : Path, optional
        Default: the folder for temporary files.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    sweep(prefix, parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-{os.getpid()}-", dir=parent))
    try:
        yield folder
    finally:
        _clear(folder)


def sweep(prefix: str, parent: Path) -> None:
    """Delete the scratch folders of processes that are no more."""
    for stale in abandoned(prefix, parent):
        _clear(stale)


def abandoned(prefix: str, parent: Path) -> Iterator[Path]:
    """Yield the scratch folders of processes that are no more."""
    for folder in parent.glob(f"{glob.escape(prefix)}-*-*"):
        owner = folder.name.removeprefix(f"{prefix}-").partition("-")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            yield folder


def _clear(folder: Path) -> None:
    """Delete a scratch folder, unless what it was to replace is still in it."""
    if not _holds_earlier(folder):
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:  # of what was interrupted
            shutil.rmtree(folder, ignore_errors=True)


def _holds_earlier(folder: Path) -> bool:
    return (folder / "old").exists() and (folder / "new").exists()


@contextmanager
def replacing(directory: Path, unchanged: Callable[[Path], None]) -> Iterator[Path]:
    """Yield a new folder that takes the place of a directory if the block succeeds, and is deleted if not.

    A directory that a killed process was about to replace is put back first.

    Parameters
    ----------
    directory : Path
        There or not.
    unchanged : callable
        Raises if what is there may not be deleted; asked at once, and again when nobody finds it any more.
    """
    prefix = f".{directory.name}.private-bandits"
    for left in abandoned(prefix, directory.parent):
        _put_back(left, directory)
    unchanged(directory)
    with scratch(prefix, directory.parent) as beside:
        (beside / "new").mkdir()
        try:
            yield beside / "new"
            if directory.exists():
                directory.rename(beside / "old")
                unchanged(beside / "old")
            (beside / "new").rename(directory)
        finally:
            _put_back(beside, directory)


def _put_back(beside: Path, directory: Path) -> None:
    if _holds_earlier(beside):
        while directory.exists():
            directory = directory.with_name(f"{directory.name}-earlier")
        (beside / "old").rename(directory)


def publish(root: Path, files: Mapping[Path, bytes | None]) -> None:
    """Write files below a folder, and delete those without content: all or none.

    They are written beside first. One rename then decides that they are published, and what is killed after it is
    finished by the next `settle`.
    """
    with scratch(".private-bandits", root) as fresh:
        plan = {path.relative_to(root).as_posix(): content is not None for path, content in files.items()}
        for place, content in enumerate(files.values()):
            if content is not None:
                (fresh / f"{place}").write_bytes(content)
        (fresh / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        fresh.rename(root / _DECIDED)
        try:
            settle(root)
        finally:  # of what was interrupted
            settle(root)


def settle(root: Path) -> None:
    """Bring what was published to its place, if that was cut short."""
    sweep(".private-bandits", root)
    decided = root / _DECIDED
    with suppress(FileNotFoundError):
        plan = json.loads((decided / "plan.json").read_text(encoding="utf-8"))
        for place, (name, written) in enumerate(plan.items()):
            fresh, path = decided / f"{place}", root / name
            if fresh.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                os.replace(fresh, path)
            elif not written:
                path.unlink(missing_ok=True)
        (decided / "plan.json").unlink()
    with suppress(FileNotFoundError):
        decided.rmdir()

"""Folders and files that change whole or not at all.

Nothing is locked and nothing is swept: a command deletes what it made itself, and no other's. Of one that is killed by
force a hidden folder stays.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def scratch(prefix: str = "private-bandits-", parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder that is deleted afterwards.

    Parameters
    ----------
    prefix : str
        How its name begins.
    parent : Path, optional
        Default: the folder for temporary files.
    """
    folder = (parent or Path(tempfile.gettempdir())) / f"{prefix}{secrets.token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:  # of what was interrupted
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing(directory: Path, unchanged: Callable[[Path], None]) -> Iterator[Path]:
    """Yield a new folder that takes the place of a directory if the block succeeds, and is deleted if not.

    Between two renames what was there before is `<directory>-earlier`, and stays there, whole, if the process is killed
    then. Of two processes that replace one directory the later one replaces what the earlier one made.

    Parameters
    ----------
    directory : Path
        There or not.
    unchanged : callable
        Raises if what is there may not be deleted; asked at once, and again when nobody finds it any more.

    Raises
    ------
    FileExistsError
        If `<directory>-earlier` is there: what an earlier process left is the reader's to keep or to delete.
    """
    earlier = directory.with_name(f"{directory.name}-earlier")
    if earlier.exists():
        raise FileExistsError(None, f"{earlier} is there, which a run that was killed has left")
    unchanged(directory)
    with scratch(f".{directory.name}-", directory.parent) as beside:
        (beside / "new").mkdir()
        yield beside / "new"

        def settle() -> None:
            if not (beside / "new").exists():  # it is at its place
                with suppress(FileNotFoundError):
                    earlier.rename(beside / "old")
            elif earlier.exists() and not directory.exists():
                earlier.rename(directory)

        try:
            if directory.exists():
                directory.rename(earlier)
                unchanged(earlier)
            (beside / "new").rename(directory)
        finally:
            try:
                settle()
            finally:  # of what was interrupted
                settle()


def write(root: Path, files: Mapping[Path, bytes | None]) -> None:
    """Write files below a folder, and delete those without content, once all of them are on the disk.

    Each is there whole, the old one or the new one, whenever the process is killed; if it is told to end, all are new.
    """
    with scratch(".private-bandits-", root) as fresh:
        made = {path: fresh / f"{place}" for place, path in enumerate(files)}
        for path, content in files.items():
            if content is not None:
                made[path].write_bytes(content)

        def place() -> None:
            for path, content in files.items():
                if content is None:
                    path.unlink(missing_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):  # it is at its place
                    os.replace(made[path], path)

        try:
            place()
        finally:  # of what was interrupted
            place()

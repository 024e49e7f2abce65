"""Folders and files that change whole or not at all, whichever process is killed when."""

import errno
import glob
import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    _NO_LINK = 0
else:
    import fcntl

    _NO_LINK = os.O_NOFOLLOW

_DECIDED = ".private-bandits-publishing"  # in it lie files that are published, though some not yet at their place


class Held(OSError):
    """Another process writes there, on this machine or on one that shares the folder."""


@contextmanager
def scratch(prefix: str = "private-bandits", parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder of this process, deleted afterwards; those of processes that were killed are deleted first.

    A process holds a lock beside its folder, which the system releases when the process dies.

    Parameters
    ----------
    prefix : str
        How the names of such folders begin.
    parent : Path, optional
        Default: the folder for temporary files.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    sweep(prefix, parent)
    with ExitStack() as held:
        while True:
            folder = parent / f"{prefix}-{secrets.token_hex(8)}"
            with suppress(Held):  # a sweep that looks whether the new lock is an old one
                held.enter_context(_held(folder))
                break
        try:
            folder.mkdir()
            yield folder
        finally:
            _clear(folder)


def sweep(prefix: str, parent: Path) -> None:
    """Delete the scratch folders of processes that are no more."""
    for lock in parent.glob(f"{glob.escape(prefix)}-{16 * '[0-9a-f]'}.lock"):
        folder = lock.with_suffix("")
        with suppress(OSError), _held(folder):  # it may be held, or another user's
            _clear(folder)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, or raise `Held`."""
    lock = folder.with_name(f"{folder.name}.lock")
    try:
        file = _take(lock)
    except KeyboardInterrupt:  # perhaps when it was made and not yet held
        with suppress(OSError):
            _release(_take(lock), lock)
        raise
    try:
        yield
    finally:
        _release(file, lock)


def is_replaced(directory: Path) -> bool:
    """Say whether another process is about to replace a directory."""
    beside = _beside(directory)
    if beside.with_name(f"{beside.name}.lock").exists():
        try:
            with _held(beside):
                pass
        except Held:
            return True
    return False


def _beside(directory: Path) -> Path:
    return directory.parent / f".{directory.name}.private-bandits"


def _take(lock: Path) -> IO[bytes]:
    while True:
        file = open(lock, "ab", opener=_opened)
        try:
            _lock(file.fileno())
        except (BlockingIOError, PermissionError):
            file.close()
            raise Held(errno.EBUSY, "another process writes there") from None
        except OSError:  # the file system has no locks
            file.close()
            raise
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                return file
        file.close()  # whoever held it has deleted it meanwhile


def _opened(path: str, flags: int) -> int:
    """Open a lock file and no link: in a folder that others write to, a link may lead to any file."""
    return os.open(path, flags | _NO_LINK, 0o600)


def _release(file: IO[bytes], lock: Path) -> None:
    if sys.platform == "win32":  # where nobody deletes what is open
        file.close()
    try:
        with suppress(PermissionError):
            lock.unlink(missing_ok=True)
    finally:  # of what was interrupted
        with suppress(PermissionError):
            lock.unlink(missing_ok=True)
        file.close()


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _clear(folder: Path) -> None:
    """Delete a scratch folder."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:  # of what was interrupted
        shutil.rmtree(folder, ignore_errors=True)


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

    Raises
    ------
    Held
        Another process is about to replace it.
    """
    beside = _beside(directory)
    with _held(beside):
        _put_back(beside, directory)
        try:
            _clear(beside)
            unchanged(directory)
            (beside / "new").mkdir(parents=True)
            yield beside / "new"
            if directory.exists():
                directory.rename(beside / "old")
                unchanged(beside / "old")
            (beside / "new").rename(directory)
        finally:
            _put_back(beside, directory)
            _clear(beside)


def _put_back(beside: Path, directory: Path) -> None:
    if (beside / "old").exists() and (beside / "new").exists():
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

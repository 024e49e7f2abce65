"""What a long work leaves on disk: results, so that it goes on where it was interrupted, and word of where it is.

A cell is what one call made, in a file named after its arguments, in a folder named after all sources and versions that
could have entered it: after a change of either nothing is found, and a folder that nobody used for a week is deleted.
Nothing is kept but inside `caching`, and in kernels that are started there.
"""

import hashlib
import os
import pickle
import platform
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from private_bandits.folders import in_use

_Made = TypeVar("_Made")
CACHE_VARIABLE = "PRIVATE_BANDITS_CACHE"
PLACE_VARIABLE = "PRIVATE_BANDITS_PLACE"
_SOURCES = Path(__file__).parents[2]
_VERSIONS = "private-bandits numpy numba scipy pandas xarray".split()
_MOST = 2**28  # bytes of cells that stay when a work has ended


def memoize(arguments: Any, make: Callable[[], _Made]) -> _Made:
    """Return what was kept for these arguments, or else what is made now, and keep it.

    Parameters
    ----------
    arguments : Any
        All that the result depends on, sources and versions apart; what cannot be pickled is made each time.
    make : callable
    """
    folder = os.environ.get(CACHE_VARIABLE, "")
    if not folder:
        return make()
    import joblib

    try:
        path = Path(folder, joblib.hash(arguments))
    except (pickle.PicklingError, AttributeError, TypeError):
        return make()
    with suppress(OSError, EOFError, pickle.UnpicklingError):
        found: _Made = pickle.loads(path.read_bytes())
        os.utime(path)
        return found
    made = make()
    with suppress(OSError):  # what cannot be kept is made again
        replace(path, pickle.dumps(made))
    return made


def replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, by one rename."""
    beside = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def caching(work: str, log: Callable[[str], None], *, until_done: bool = False) -> Iterator[None]:
    """Keep what cells make inside, and say at the end how much of it was there before.

    Nothing is kept where the environment variable `CI` is set, or `PRIVATE_BANDITS_CACHE` is set to nothing.

    Parameters
    ----------
    work : str
        Which work this is: it finds its own cells only. "" keeps nothing.
    say : callable
        Takes a line.
    until_done : bool
        Whether a block that succeeds deletes its cells.
    """
    before = os.environ.get(CACHE_VARIABLE)
    folder = _today() / work if work and before != "" and not os.environ.get("CI") else None
    os.environ[CACHE_VARIABLE] = "" if folder is None else str(folder)
    known, most = {} if folder is None else _ages(folder), _MOST
    try:
        yield
        most = 0 if until_done else _MOST
    finally:
        os.environ.pop(CACHE_VARIABLE)
        if before is not None:
            os.environ[CACHE_VARIABLE] = before
        if folder is not None:
            ages = _ages(folder)
            used = sum(ages.get(path, then) > then for path, then in known.items())
            if used:
                log(f"{used} results of an earlier {work} were kept and used, in {folder}")
            with suppress(OSError):
                for half in folder.glob(".*"):  # of a process that was killed as it wrote
                    half.unlink(missing_ok=True)
                _prune(ages, most)


@contextmanager
def at(place: str) -> Iterator[None]:
    """Tell that the block is played, in the file that the environment names, if somebody reads it."""
    told = os.environ.get(PLACE_VARIABLE)
    if told:
        Path(told).write_text(place, encoding="utf-8")
    yield
    if told:
        Path(told).unlink(missing_ok=True)


def _today() -> Path:
    """Return the folder of today's sources and versions."""
    versions = [platform.platform(), platform.python_version(), *map(version, _VERSIONS)]
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(_SOURCES.glob("private_bandits*/**/*")):
        if path.suffix in (".py", ".toml"):
            digest.update(path.read_bytes())
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or _SOURCES / "private_bandits_book" / "__pycache__")
    return in_use(root / f"cache-{digest.hexdigest()[:16]}")


def _ages(folder: Path) -> dict[Path, int]:
    """Return when each cell of a folder, which is made, was last used."""
    ages = {}
    with suppress(OSError):  # another command may delete them meanwhile
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("[!.]*"):
            ages[path] = path.stat().st_mtime_ns
    return ages


def _prune(ages: dict[Path, int], most: int) -> None:
    """Delete the cells that were used longest ago until the others have at most so many bytes."""
    total = 0
    for path in sorted(ages, key=lambda path: -ages[path]):
        total += path.stat().st_size
        if total > most:
            path.unlink(missing_ok=True)

"""What a long work leaves on disk: results, so that it goes on where it was interrupted, and word of where it is.

A result is what one call made, in a file named after its arguments, in a folder named after all sources and versions
that could have entered it: after a change of either nothing is found, and a folder that nobody used for a week is
deleted. Nothing is kept but inside `caching`.
"""

import hashlib
import os
import pickle
import platform
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from private_bandits.folders import BROKEN, in_use
from private_bandits_book.jobs.atomic import write

_Made = TypeVar("_Made")
PLACE_VARIABLE = "PRIVATE_BANDITS_PLACE"
_SOURCES = Path(__file__).parents[2]
_VERSIONS = "private-bandits numpy numba scipy pandas xarray".split()


@dataclass
class _Work:
    folder: Path
    used: int = 0  # results of an earlier one


_works: list[_Work] = []


def memoize(arguments: Any, make: Callable[[], _Made]) -> _Made:
    """Return what was kept for these arguments, or else what is made now, and keep it.

    Parameters
    ----------
    arguments : Any
        All that the result depends on, sources and versions apart; what cannot be pickled is made each time.
    make : callable
    """
    if not _works or _sources() != _IMPORTED:  # what this process has imported may be of other sources
        return make()
    import joblib

    work = _works[-1]
    try:
        path = work.folder / joblib.hash(arguments)
    except (pickle.PicklingError, AttributeError, TypeError):
        return make()
    with suppress(*BROKEN):
        found: _Made = pickle.loads(path.read_bytes())
        work.used += 1
        return found
    made = make()
    with suppress(OSError):  # what cannot be kept is made again
        write(work.folder, {path: pickle.dumps(made)})
    return made


@contextmanager
def caching(name: str, log: Callable[[str], None]) -> Iterator[None]:
    """Keep what is made inside until the block succeeds, and say at the end how much of it was there before.

    Parameters
    ----------
    name : str
        Which work this is: it finds its own results only.
    log : callable
        Takes a line.
    """
    work = _Work(_today() / name)
    with suppress(OSError):  # where nothing can be kept all is made
        work.folder.mkdir(parents=True, exist_ok=True)
    _works.append(work)
    try:
        yield
        shutil.rmtree(work.folder, ignore_errors=True)
    finally:
        _works.remove(work)
        if work.used:
            log(f"{work.used} results of an earlier {name} were kept and used, in {work.folder}")


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
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or _SOURCES / "private_bandits_book" / "__pycache__")
    return in_use(root / f"cache-{_sources()}")


def _sources() -> str:
    """Return a name for today's sources and versions."""
    versions = [platform.platform(), platform.python_version(), *map(version, _VERSIONS)]
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(_SOURCES.glob("private_bandits*/**/*")):
        if path.suffix in (".py", ".toml"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_IMPORTED = _sources()

"""How loops are compiled, and where the binaries are kept, so that an edit is never answered by an old one."""

import functools
import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit

from private_bandits.folders import BROKEN, in_use

_PACKAGE = Path(__file__).parent


def compiled(function: Callable[..., Any] | None = None, *, inline: str = "never", borrows: bool = False) -> Any:
    """Compile a function at its first call: without the interpreter's lock, divisions as in NumPy, binaries kept.

    numba checks a function's own file before it reuses a binary, but not the files of the functions it calls: with
    the usual cache, halving the noise in `mechanisms` leaves the kernels as they were. So the cache is a folder named
    after NumPy's version and the sources of all compiled code: the files of the library that name this module, and all
    of `kernels` and `mechanisms`, whose constants are compiled in. The environment variable `NUMBA_CACHE_DIR` chooses
    the folder's root, by default the package's `__pycache__`. Where it cannot be written, the user's cache folder has
    one of that name; without either, or where a disk is full, binaries are not kept. With `NUMBA_DISABLE_JIT` nothing
    is compiled.

    Parameters
    ----------
    function : callable, optional
        What to compile; without it, a decorator is returned.
    inline : {"never", "always"}
        "always" writes the function out at every call, which saves the call of a short one.
    borrows : bool
        Whether the arrays that it is given are not counted again, which costs more than a short function: for one that
        makes no array and returns none; numba refuses to compile any other. A generator that Python hands to it is
        kept for ever, so what draws and is called from Python counts, or is given the same generators again. This is
        numba's option `_nrt=False`, which no page of numba names. It makes index loops 1.1 to 1.44 times as fast, with
        the same bits. Who updates numba looks whether it is still
        taken, and whether `test_compiled_loops_give_the_generators_back` holds.

    Returns
    -------
    callable
    """
    if function is None:
        return functools.partial(compiled, inline=inline, borrows=borrows)
    if config.DISABLE_JIT:  # plain Python, with the divisions of what is compiled
        plain: Any = np.errstate(all="ignore")(function)
        plain.py_func = plain
        return plain
    # no C code calls the function, and the entrance for it would be compiled too
    common = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    return _kept(function, inline=inline, _nrt=not borrows, **common)


def _kept(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with binaries in the first folder of today's sources that numba can write, or without."""
    before = config.CACHE_DIR
    cache = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache")  # "~" is left where nobody is at home
    mine = os.path.join(os.sep, cache, "private-bandits")
    try:
        for root in (os.environ.get("NUMBA_CACHE_DIR") or str(_PACKAGE / "__pycache__"), mine):
            folder = config.CACHE_DIR = _cache_folder(root)
            with suppress(RuntimeError):  # nowhere
                made = njit(function, cache=True, **options)
                if made.stats.cache_path.startswith(folder):  # and not where an edit would find it
                    for name in ("load_overload", "save_overload"):
                        setattr(made._cache, name, _if_possible(getattr(made._cache, name)))
                    return made
    finally:
        config.CACHE_DIR = before
    return njit(function, **options)


def _if_possible(work: Callable[..., Any]) -> Callable[..., Any]:
    """Do without a binary that is another user's or broken, has no room, or is of sources edited meanwhile."""

    def tried(*arguments: Any) -> Any:
        with suppress(*BROKEN):
            if not edited():  # or what this process has imported may be of other sources
                return work(*arguments)

    return tried


def _stamps() -> dict[Path, tuple[int, int]]:
    """When each file was written: an edit that was taken back is seen, too."""
    return {path: (path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in _PACKAGE.rglob("*.py")}


_IMPORTED = _stamps()


def edited() -> bool:
    """Return whether a file of the library was written since this process has imported it.

    Returns
    -------
    bool
    """
    return _stamps() != _IMPORTED


@functools.cache
def sources() -> str:
    """Return a name for today's sources.

    Returns
    -------
    str
        The same for the same text of all that is compiled, and the same NumPy.
    """
    digest = hashlib.sha256(np.__version__.encode())  # numba draws as that NumPy does
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"compilation" in source or path.relative_to(_PACKAGE).parts[0] in ("kernels", "mechanisms"):
            digest.update(source)
    return f"sources-{digest.hexdigest()[:16]}"


@functools.cache
def _cache_folder(root: str) -> str:
    """Return the folder of today's sources."""
    return str(in_use(Path(root, sources())))

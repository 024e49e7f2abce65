"""How loops are compiled, and where the binaries are kept, so that an edit is never answered by an old one."""

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit

from private_bandits._folders import in_use

_PACKAGE = Path(__file__).parent


def compiled(function: Callable[..., Any] | None = None, *, inline: str = "never", borrows: bool = False) -> Any:
    """Compile a function at its first call: without the interpreter's lock, divisions as in NumPy, binaries kept.

    numba checks a function's own file before it reuses a binary, but not the files of the functions it calls: with
    the usual cache, halving the noise in `mechanisms` leaves the kernels as they were. So the cache is a folder named
    after the sources of all compiled code: the files of the library that name this module, and all of `kernels` and
    `mechanisms`, whose constants are compiled in. The environment variable `NUMBA_CACHE_DIR` chooses the folder's
    root, by default the package's `__pycache__`; numba looks elsewhere when it cannot be written.

    Parameters
    ----------
    function : callable, optional
        What to compile; without it, a decorator is returned.
    inline : {"never", "always"}
        "always" writes the function out at every call, which saves the call of a short one.
    borrows : bool
        Whether the arrays that it is given are not counted again, which costs more than a short function: for one that
        makes no array and returns none; numba refuses to compile any other. A generator that Python hands to it is
        kept for ever, so what draws and is called from Python counts, or is given the same generators again.

    Returns
    -------
    callable
    """
    if function is None:
        return functools.partial(compiled, inline=inline, borrows=borrows)
    before, config.CACHE_DIR = config.CACHE_DIR, _cache_folder()
    try:
        # no C code calls the function, and the entrance for it would be compiled too
        common = {"nogil": True, "cache": True, "error_model": "numpy", "no_cfunc_wrapper": True}
        return njit(function, inline=inline, _nrt=not borrows, **common)
    finally:
        config.CACHE_DIR = before


@functools.cache
def _cache_folder() -> str:
    """Return the folder of today's sources."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"_compiled" in source or path.relative_to(_PACKAGE).parts[0] in ("kernels", "mechanisms"):
            digest.update(source)
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or _PACKAGE / "__pycache__")
    return str(in_use(root / f"sources-{digest.hexdigest()[:16]}"))

"""Where compiled code is kept, so that an edit is never answered by an old binary."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from numba import config


@contextmanager
def fresh_cache() -> Iterator[None]:
    """Give the functions compiled inside the block a cache folder named after the sources of compiled code.

    numba checks a function's own file before it reuses a binary, but not the files of the functions it calls: with
    the usual cache, halving the noise in `mechanisms` leaves the kernels as they were. The sources are the files that
    import numba, and all of `kernels` and `mechanisms`, whose constants are compiled in. A folder that the user has
    chosen (`NUMBA_CACHE_DIR`) stays the root; numba looks elsewhere when the folder cannot be written.
    """
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        source = path.read_bytes()
        if b"numba" in source or path.relative_to(package).parts[0] in ("kernels", "mechanisms"):
            digest.update(source)
    root, before = os.environ.get("NUMBA_CACHE_DIR") or package / "__pycache__", config.CACHE_DIR
    config.CACHE_DIR = str(Path(root) / f"sources-{digest.hexdigest()[:16]}")
    try:
        yield
    finally:
        config.CACHE_DIR = before

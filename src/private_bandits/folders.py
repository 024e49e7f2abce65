"""Folders of what can be made again: compiled code, results of an interrupted work."""

import os
import pickle
import shutil
import time
from contextlib import suppress
from pathlib import Path

BROKEN = (
    OSError,
    EOFError,
    pickle.UnpicklingError,
    ValueError,
    OverflowError,
    MemoryError,
    ImportError,
    AttributeError,
)
"""What it raises to read a pickle that cannot be opened, was cut or written over, or names what is not there."""
_WEEK = 7 * 24 * 3600.0


def in_use(folder: Path) -> Path:
    """Return a folder named after a hash; those of its kind beside it that nobody has asked for in a week are deleted.

    A process of other sources or of another environment may be using one that is younger.

    Parameters
    ----------
    folder : Path
        Its name ends with a hyphen and the hash.

    Returns
    -------
    Path
    """
    kind = folder.name.rpartition("-")[0]
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.glob(f"{kind}-{16 * '[0-9a-f]'}"):
            if time.time() - other.stat().st_mtime > _WEEK:
                shutil.rmtree(other, ignore_errors=True)
    return folder

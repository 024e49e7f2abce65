"""The command line: whatever ends a command is told in a line and by an exit code.

Signals are heard before anything is imported that takes time.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from private_bandits_book.book import Book

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
_PATIENCE = 5.0  # seconds in which what is under way is put away, and more signals are not heard


def main(words: Sequence[str] | None = None, *, book: Book | None = None) -> int:
    """Run a command and return its exit code: 0, 1 (failed), 2 (not allowed), or 128 and the number of a signal.

    Parameters
    ----------
    words : sequence of str, optional
        Default: the arguments of the process.
    book : Book, optional
        Default: the one that comes with the package.
    """
    _open_streams()
    for name in ("MPLBACKEND", "JOBLIB_START_METHOD"):  # of a screen, and of workers that no command has
        os.environ.pop(name, None)
    heard: list[float] = []

    def stop(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not heard or now - heard[-1] > _PATIENCE:
            heard.append(now)
            raise KeyboardInterrupt(number)

    before = {each: signal.getsignal(each) for each in _SIGNALS}
    for each, handler in before.items():
        if handler is not signal.SIG_IGN:  # as in a job in the background
            signal.signal(each, stop)
    try:
        from private_bandits_book.jobs.commands import call

        code = call(words, book)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt as error:
        number = error.args[0] if error.args and error.args[0] in _SIGNALS else signal.SIGINT  # a policy may raise one
        with suppress(OSError):  # the terminal may be gone
            by_key = signal.Signals(number).name in ("SIGINT", "SIGBREAK")
            print(f"private-bandits: {'interrupted' if by_key else 'terminated'}", file=sys.stderr)
        return 128 + number
    except (OSError, MemoryError, ImportError, RuntimeError) as error:  # as of numba, where it can keep no binary
        _forget_output()
        if isinstance(error, BrokenPipeError):  # whoever read has seen enough
            return 0
        many = isinstance(error, shutil.Error) and isinstance(error.args[0], list)
        said = error.args[0][0][-1] if many else str(error)  # of all files the first
        line = said.strip().rpartition("\n")[2]  # NumPy's has many
        if isinstance(error, ModuleNotFoundError):
            line += ": the book needs more than the library, its extra [book]; README says where to take it from"
        print(f"private-bandits: {line or type(error).__name__}", file=sys.stderr)
        return 1
    finally:
        for each, handler in before.items():
            signal.signal(each, signal.SIG_IGN if words is None else handler)  # without words the process ends here


def _open_streams() -> None:
    """Give a closed stream's number to no other file, and let it swallow what is said; let stdout take every letter.

    A file or a pipe gets UTF-8, whatever the machine's code page, as a table in it would lose letters; a terminal shows
    a letter that it lacks as its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="backslashreplace")
        else:  # surrogates are the bytes of a folder's name that no encoding reads
            wide = sys.stdout.encoding.lower().startswith("utf")
            sys.stdout.reconfigure(encoding=sys.stdout.encoding if wide else "utf-8", errors="surrogateescape")


def _forget_output() -> None:
    """Let the interpreter not flush, at its end, into what cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

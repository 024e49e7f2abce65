"""What a command says on stderr while it works: what it will do, how long that takes, and now and then where it is."""

import math
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from private_bandits_book.book import Book
from private_bandits_book.jobs.atomic import scratch
from private_bandits_book.jobs.cache import PLACE_VARIABLE

_LONG, _EVERY = 60.0, 20.0  # seconds: above which a command is long, and between two lines
_TRIAL = 0.0095  # seconds of the trial on the machine of costs.csv
_FIXED = 8.0  # seconds of a chapter, at most, that follow no parameter: imports, and the page of a run
_GROWS = ("horizon", "replications", "runs")  # parameters that the other seconds grow with


def log(line: str) -> None:
    """Say a line on stderr at once."""
    with suppress(OSError):  # nobody listens any more
        print(f"private-bandits: {line}", file=sys.stderr, flush=True)


def announce(book: Book, what: str, chapters: Mapping[str, Mapping[str, Any]], times: int = 1) -> None:
    """Say what will run, and about how long that takes.

    The estimate follows from `costs.csv` and a short trial of this machine: one of the chapter would import and compile
    first, longer than short chapters run. How much of a chapter follows no parameter is not known. So with fewer rounds
    or runs than the book's it has two ends, of which the higher is what the book's own take.

    Parameters
    ----------
    book : Book
    what : str
        The command.
    chapters : mapping
        The parameters of each chapter that it executes.
    times : int
        How often it plays each, >= 1.
    """
    known, pace = {row["work"]: float(row["seconds"]) for row in book.costs()}, _pace()
    seconds = fixed = most = 0.0
    for chapter, values in chapters.items():
        if chapter in known:
            own, least = book.parameters(chapter), min(known[chapter], _FIXED)
            alone = 1 in (values["n_jobs"], os.cpu_count())
            grown = times * math.prod(values[name] / own[name].default for name in _GROWS if name in own)
            others = pace * (known[chapter] - least) * (2 if alone else 1)
            fixed += pace * least
            seconds += others * grown
            most += pace * least + others * max(1.0, grown)
    low, high = f"{fixed + seconds:.0f}", f"{most:.0f}"
    ends = low if low == high else f"{low} to {high}"
    about = f", about {ends} s on this machine, and more the first time" if fixed else ""
    smaller = f"; fewer rounds or replications (-p) shorten a `run`, down to {fixed:.0f} s"
    log(f"{what}{about}{smaller if fixed + seconds > _LONG else ''}")


def _pace() -> float:
    """How many times as long as on the machine of the committed seconds a work takes on this one, by a short trial."""
    took = []
    for _ in range(5):
        since = time.perf_counter()
        sorted(str(n * n) for n in range(100_000))
        took.append(time.perf_counter() - since)
    return statistics.median(took) / _TRIAL


@contextmanager
def progress(title: str) -> Iterator[list[str]]:
    """Say now and then how long a work has run, where no terminal shows a bar; yields a list whose end is its place."""
    places, since, ended = [title], time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(_EVERY):
            played = ""
            with suppress(OSError):
                played = f", {file.read_text(encoding='utf-8')}"
            log(f"{places[-1]}{played}, {time.monotonic() - since:.0f} s so far")

    with scratch() as folder:
        file = folder / "place"
        os.environ[PLACE_VARIABLE] = str(file)
        if not sys.stderr.isatty():
            threading.Thread(target=tell, daemon=True).start()
        try:
            yield places
        finally:
            ended.set()
            os.environ.pop(PLACE_VARIABLE, None)  # an execution inside may have ended its own

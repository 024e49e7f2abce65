"""Re-execute the committed chapters in place, and say which numbers moved."""

import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

from private_bandits_book.book import Book
from private_bandits_book.jobs import seeds as other_seeds
from private_bandits_book.jobs.atomic import scratch, write
from private_bandits_book.jobs.cache import caching
from private_bandits_book.jobs.execute import execute, notebook_text
from private_bandits_book.jobs.progress import announce, log, progress
from private_bandits_book.judging.verdicts import described
from private_bandits_book.parameters import UsageError, longer_studies

_APART = ("long-", "seeds.csv")  # files of a chapter that its notebook does not make
_LISTED = 20  # moved numbers of a file that are listed one by one

Report = Callable[[str], None]


def reproduce(
    book: Book,
    chapters: Sequence[str],
    *,
    long: bool = False,
    seeds: int = 0,
    check: bool = False,
    report: Report = print,
) -> bool:
    """Re-execute chapters at their own parameters and publish notebook, data and figures in canonical form.

    Nothing of any chapter is published if one fails; what shows the claims of all is executed after them. Longer
    studies take hours, so each is published when it is done, before the chapters that read them run.

    Parameters
    ----------
    book : Book
    chapters : sequence of str
        Empty for all.
    long : bool
        Run the longer studies first.
    seeds : int
        Judge each chapter on as many other seeds first, for its `seeds.csv`; 0 leaves that as it is.
    check : bool
        Write nothing.
    report : callable
        Takes one line at a time: what moved.

    Returns
    -------
    bool
        Whether anything differs from what is committed, but for metadata of notebooks.

    Raises
    ------
    UsageError
        If the book is not a clone, or has no such chapter.
    ChapterFailed
        If a chapter fails.
    """
    if not book.is_clone:
        raise UsageError("reproduce must run in a clone of the repository, got the packaged book")
    chapters = list(chapters) or book.chapters()
    own = {chapter: {name: one.default for name, one in book.parameters(chapter).items()} for chapter in chapters}
    announce(book, f"reproduce {'--long ' * long}{', '.join(chapters)}", own, times=seeds + 2 if seeds else 1)
    changed = False
    if long:
        for chapter in chapters:
            for path, fresh in _long_studies(book, chapter, check):
                changed |= _publish(book, {path: fresh}, check=check, report=report)
    for chapter in chapters if seeds else []:
        if described(chapter)[1]:
            from private_bandits_book.runs import csv_text

            path = book.data(chapter) / "seeds.csv"
            with progress(f"{chapter} on {seeds} other seeds"):
                fresh = csv_text(other_seeds.played(book, chapter, seeds)).encode()
            changed |= _publish(book, {path: fresh}, check=check, report=report)
    files: dict[Path, bytes | None] = {}
    for chapter in chapters:
        files |= _made(book, chapter)
    changed |= _publish(book, files, check=check, report=report)
    whole = chapters == book.chapters()
    for summary in book.summaries() if whole or not check else []:  # they show what is committed
        page = book.pages / f"{summary}.ipynb"
        fresh = notebook_text(execute(page, {}).notebook).encode()
        changed |= _publish(book, {page: fresh}, check=check, report=report)
    if not changed:
        report("no number moved")
    return changed


def moved(old: str, new: str) -> Iterator[str]:
    """Yield what differs between two CSV texts, one line a number: its row, column, old and new value."""
    before, after = (list(csv.reader(StringIO(text))) for text in (old, new))
    if not before or not after or before[0] != after[0] or len(before) != len(after):
        was, now = ([len(table[0]) if table else 0, max(len(table) - 1, 0)] for table in (before, after))
        yield f"{was[1]} rows of {was[0]} columns -> {now[1]} rows of {now[0]} columns"
        return
    head, *rows = before
    steady = [j for j in range(len(head)) if all(a[j] == b[j] for a, b in zip(rows, after[1:], strict=True))]
    key = _shortest_key(steady, rows)
    for place, (a, b) in enumerate(zip(rows, after[1:], strict=True)):
        row = ", ".join(f"{head[j]}={a[j]}" for j in key) or f"row {place + 1}"
        yield from (f"{row}: {head[j]} {a[j]} -> {b[j]}" for j in range(len(head)) if a[j] != b[j])


def _shortest_key(columns: Sequence[int], rows: Sequence[Sequence[str]]) -> Sequence[int]:
    """Return the fewest leading columns that tell all rows apart, none if no choice does."""
    for width in range(1, len(columns) + 1):
        if len({tuple(row[j] for j in columns[:width]) for row in rows}) == len(rows):
            return columns[:width]
    return ()


def _long_studies(book: Book, chapter: str, check: bool) -> Iterator[tuple[Path, bytes]]:
    from private_bandits_book.runs import csv_text

    for label, study in longer_studies(chapter).items():
        # what an interrupted one has played is not played again; a check, and one that was done, plays everything
        kept = nullcontext() if check else caching(f"long-{chapter}-{label}", log)
        with progress(f"{chapter}, longer study {label}"), kept:
            frame = study(progress=sys.stderr.isatty())
        yield book.data(chapter) / f"long-{label}.csv", csv_text(frame).encode()


def _made(book: Book, chapter: str) -> dict[Path, bytes | None]:
    """Execute a chapter; return the files that it owns in the repository, None for those no longer made."""
    owned = [path for path in book.data(chapter).glob("*.csv") if not path.name.startswith(_APART)]
    files: dict[Path, bytes | None] = dict.fromkeys([*owned, *book.figures(chapter).glob("*.svg")])
    path = book.path(chapter)
    with scratch() as folder:
        notebook = execute(path, {}, output=folder, strict=True).notebook
        for target, pattern in ((book.data(chapter), "data/*.csv"), (book.figures(chapter), "figures/*.svg")):
            files |= {target / made.name: made.read_bytes() for made in folder.glob(pattern)}
    return files | {path: notebook_text(notebook).encode()}


def _publish(book: Book, files: dict[Path, bytes | None], *, check: bool, report: Report) -> bool:
    """Write the files that differ from what is on disk, all or none, and say how; return whether any did."""
    stored = {path: path.read_bytes() if path.is_file() else None for path in files}
    changed = {path: fresh for path, fresh in sorted(files.items()) if fresh != stored[path]}
    if changed and not check:
        write(book.root, changed)
    for path, fresh in changed.items():
        for line in _differences(path, stored[path], fresh):
            report(f"{path.relative_to(book.root).as_posix()}: {line}")
    return any(not _in_metadata(path, stored[path], fresh) for path, fresh in changed.items())


def _in_metadata(path: Path, stored: bytes | None, fresh: bytes | None) -> bool:
    """Whether a notebook differs only in what Jupyter writes as it opens and saves one: ids, metadata, form."""
    if path.suffix != ".ipynb" or stored is None or fresh is None:
        return False
    try:
        before, after = (_without_metadata(json.loads(text)) for text in (stored, fresh))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return before == after


def _without_metadata(notebook: dict[str, Any]) -> list[Any]:
    """What the cells of a notebook say and show, and their tags."""
    kept = []
    for cell in notebook["cells"]:
        outputs = [
            {key: _joined(part) for key, part in one.items() if key != "metadata"} for one in cell.get("outputs", [])
        ]
        tags = cell["metadata"].get("tags", [])
        kept.append((cell["cell_type"], "".join(cell["source"]), tags, cell.get("execution_count"), outputs))
    return kept


def _joined(part: Any) -> Any:
    """Text as one string, whether it stands in lines or not."""
    if isinstance(part, dict):
        return {key: _joined(value) for key, value in part.items()}
    return "".join(part) if isinstance(part, list) and all(isinstance(line, str) for line in part) else part


def _differences(path: Path, stored: bytes | None, fresh: bytes | None) -> Iterator[str]:
    if stored is None or fresh is None:
        yield "new" if stored is None else "no longer made"
    elif path.suffix == ".csv":
        lines = list(moved(stored.decode(), fresh.decode())) or ["same numbers, other bytes"]
        yield from lines[:_LISTED]
        if len(lines) > _LISTED:
            yield f"and {len(lines) - _LISTED} more"
    elif _in_metadata(path, stored, fresh):
        yield "metadata only, as Jupyter writes them when it opens and saves a notebook"
    else:
        yield "changed"

"""Stop `run` and `reproduce` at their n-th write, for every n or some, start again, and look at what is there.

A process is killed, told to end, or finds the disk full. What plays and what builds pages is left out, so that a run
takes milliseconds.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat

from private_bandits_book.book import Book
from private_bandits_book.cli import main
from private_bandits_book.jobs import reproduce as reproducing
from private_bandits_book.jobs import run as running
from private_bandits_book.jobs.execute import ChapterFailed

DELETING = {"os.remove", "os.rmdir"}
WRITING = {"os.rename", "os.mkdir", *DELETING}
CODES = {"kill": {-signal.SIGKILL}, "end": {143}, "full": {0, 1, 2}}
Tree = dict[str, "bytes | None"]


def tree(folder: Path) -> Tree:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")
    }


def forked(work: Callable[[], int]) -> int:
    """The exit code of a piece of work in a process of its own; a signal that killed it is negative."""
    child = os.fork()
    if not child:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def stopped_at(number: int, how: str, within: Path, work: Callable[[], int]) -> int:
    left = [number]

    def watch(event: str, given: tuple[object, ...]) -> None:
        opens = event == "open" and isinstance(given[1], str) and set(given[1]) & set("wax+")
        inside = str(within) in str(given[0]) or (event in DELETING and given[1] != -1)  # relative to an open folder
        if not (event in WRITING or opens) or not inside:
            return
        left[0] -= 1
        if left[0] == 0 and how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif left[0] == 0 and how == "end":
            signal.raise_signal(signal.SIGTERM)
        elif left[0] <= 0 and how == "full" and event not in DELETING:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(given[0]))

    sys.addaudithook(watch)
    code = work()
    return code if left[0] <= 0 else 77


def play(text: str, fails: bool = False) -> Callable[..., SimpleNamespace]:
    def execute(path: Path, parameters: dict[str, object], *, output: Path) -> SimpleNamespace:
        if fails:
            raise ChapterFailed("tiny: it does not run")
        for place in range(2):
            (output / "data" / f"figure-{place}.csv").write_text(text)
        return SimpleNamespace(notebook=nbformat.read(path, as_version=4), seconds=[0.0] * 6)

    return execute


def run(root: Path, text: str, fails: bool = False) -> int:
    running.execute, running._build_page = play(text, fails), lambda *given: None  # type: ignore[assignment]
    running._provenance = lambda *given: {"made_by": running._MARK}  # type: ignore[assignment]
    return main(["run", "tiny", "-o", str(root / "out")], book=Book(root / "tiny"))


def reproduce(root: Path, text: str, fails: bool = False) -> int:
    made = {root / "tiny" / "book" / "data" / name: text.encode() for name in ("a.csv", "b.csv", "c.svg")}
    gone = dict.fromkeys([root / "tiny" / "book" / "data" / ("old" if text == "new" else "new")])
    kept = {root / "tiny" / "book" / "data" / text: b""}
    reproducing._made = lambda book, chapter: {**made, **gone, **kept}  # type: ignore[assignment]
    words = ["reproduce", "--check"] if fails else ["reproduce"]
    return main(words, book=Book(root / "tiny"))


def whole(root: Path, temporary: Path, known: list[Tree], forced: bool = False) -> None:
    """What was there before or what was made is there, whole, and nothing else.

    Who is killed by force, or cannot even rename, leaves hidden folders, and perhaps an earlier run under another name;
    of the book's own files each is the old or the new one.
    """
    found, more = tree(root), tree(temporary)
    if forced:
        found = {name: content for name, content in found.items() if not re.search(r"(^|/)\.", name)}
        other = {name for name in found if name.startswith("out-earlier")}
        if "out" not in found:
            found |= {name.replace("out-earlier", "out"): found[name] for name in other}
        found = {name: content for name, content in found.items() if name not in other}
        mixed = {name: content for name, content in found.items() if any(one.get(name, 0) == content for one in known)}
        runs = [{name: content for name, content in one.items() if name.startswith("out")} for one in (found, *known)]
        assert runs[0] in runs[1:] and found == mixed, sorted(set(found) ^ set(known[0])) or "files are mixed"
        return
    assert found in known, sorted(set(found) ^ set(known[0])) or "the files are neither the old ones nor the new ones"
    assert not more, f"left behind: {sorted(more)}"


def stopped_everywhere(folder: Path, command: Callable[..., int], how: str, step: int) -> int:
    """How many writes a command has, of which it may be stopped at any."""
    temporary, olden, newer = folder / "temporary", folder / "olden", folder / "newer"
    temporary.mkdir(parents=True)
    tempfile.tempdir = str(temporary)
    for place in (olden, newer):
        shutil.copytree(Path(__file__).parent / "fixtures" / "tiny", place / "tiny")
    assert forked(lambda: command(olden, "old")) == 0 and forked(lambda: command(newer, "old")) == 0
    assert forked(lambda: command(newer, "new")) == 0
    known = [tree(olden), tree(newer)]
    assert known[0] != known[1]
    for number in range(1, 1000, step):
        root = folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(olden, root)
        code = forked(lambda: stopped_at(number, how, folder, lambda: command(root, "new")))  # noqa: B023
        if code == 77:
            return number - 1
        assert code in CODES[how], f"write {number}: exit code {code}"
        whole(root, temporary, known, how != "end")
        forked(lambda: command(root, "new", fails=True))  # noqa: B023
        whole(root, temporary, known, how != "end")
        if (root / "out-earlier").exists():  # as the next run says
            shutil.rmtree(root / "out-earlier")
        assert forked(lambda: command(root, "new")) == 0  # noqa: B023
        whole(root, temporary, known[1:], how != "end")
    raise AssertionError("no end of writes")


if __name__ == "__main__":
    told, place, every = os.dup(1), Path(sys.argv[1]), int(sys.argv[2])
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    for each in (run, reproduce):
        for manner in CODES if every == 1 else ["kill", "end"]:
            try:
                found: object = stopped_everywhere(place / f"{each.__name__}-{manner}", each, manner, every)
            except AssertionError as error:
                found = error
            os.write(told, f"{each.__name__} {manner} {found}\n".encode())

"""Measure what each chapter and each longer study takes: minutes, CPU and memory, for the page on running it again.

    python benchmarks/costs.py [CHAPTER | CHAPTER/STUDY]...

Everything by default. Each work has a process of its own, with its loops compiled before; the memory is that of its
largest process. Rows of works that are not named stay in `book/data/costs.csv`.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time

from private_bandits_book.book import find_book
from private_bandits_book.parameters import longer_studies

COSTS = find_book().pages / "data" / "costs.csv"
HEADS = ("work", "seconds", "cpu", "memory")
CHAPTER = "import private_bandits_book.cli as c; raise SystemExit(c.main(['reproduce', '--check', '{}']))"
STUDY = "import private_bandits_book.parameters as p; p.longer_studies('{}')['{}'](progress=False)"


def works() -> dict[str, str]:
    """Return the code that does each work."""
    found = {}
    for chapter in find_book().chapters():
        found[chapter] = CHAPTER.format(chapter)
        for study in longer_studies(chapter):
            found[f"{chapter}/{study}"] = STUDY.format(chapter, study)
    return found


def measured(code: str) -> tuple[int, int, int]:
    """Run a work in a process of its own; return its seconds, its CPU seconds, and the megabytes of its largest one."""
    since = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", code])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{code!r} failed")
    return round(time.monotonic() - since), round(used.ru_utime + used.ru_stime), round(used.ru_maxrss / 1024)


if __name__ == "__main__":
    known = works()
    wanted = [name for name in known if not sys.argv[1:] or {name, name.partition("/")[0]} & {*sys.argv[1:]}]
    rows = {}
    if COSTS.is_file():
        with COSTS.open(newline="", encoding="utf-8") as file:
            rows = {row["work"]: row for row in csv.DictReader(file) if row["work"] in known}
    for name in wanted:
        rows[name] = dict(zip(HEADS, (name, *measured(known[name])), strict=True))
        print(*rows[name].values(), flush=True)
        with COSTS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, HEADS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[one] for one in known if one in rows)

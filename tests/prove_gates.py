"""Plant faults one at a time in scratch clones, and see that for each a test goes red that is green without it.

`make prove-gates` runs it. It goes on where it was interrupted, even if only other tests have changed since, and writes
the table to `book/data/gates.csv`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

ROOT = Path(__file__).parents[1]
WORK = ROOT / "_build" / "gates"
KEPT, TABLE = WORK / "results.json", ROOT / "book" / "data" / "gates.csv"
WORKERS = min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
LONGEST = 900  # seconds of a gate
APART = {"tests/faults.toml", "book/data/gates.csv", "book/status.ipynb"}
LENT = {"tests/test_replay.py", "tests/test_simulate.py"}  # of which others import
COMPILED = re.compile(r"^src/private_bandits/(kernels|mechanisms)/|compilation")


def faults() -> list[dict[str, str]]:
    """What is planted: a fault's name, its file, the old and the new text, and the tests that are to go red."""
    planted: list[dict[str, str]] = tomllib.loads((ROOT / "tests" / "faults.toml").read_text(encoding="utf-8"))["fault"]
    return planted


def planted(fault: dict[str, str], text: str) -> str:
    """The text of a file with a fault in it; the old text stands in it once."""
    if text.count(fault["old"]) != 1:
        raise ValueError(f"{fault['what']}: {text.count(fault['old'])} times in {fault['file']}: {fault['old']!r}")
    return text.replace(fault["old"], fault["new"])


def read_by(tests: str, tree: str) -> list[str]:
    """The lines of `git ls-tree` that a gate may read: without other tests, the faults, and what is written of them."""
    named = {*shlex.split(tests), *LENT}
    paths = {line.partition("\t")[2]: line for line in tree.splitlines()}
    own = [path for path in paths if path in named or not path.startswith("tests/test_")]
    return [paths[path] for path in own if path not in APART]


def gate(tests: str, clone: Path, cache: Path) -> tuple[int, str]:
    """The exit code of some tests in a clone, and which of them failed."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *shlex.split(tests)]
    env = os.environ | {"PYTHONPATH": str(clone / "src"), "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(words, cwd=clone, env=env, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:  # on a busy machine: the others are proven, and this one when it is run again
        return -1, ""
    *_, red = ["", *re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)]  # a notebook has told its own
    return done.returncode, red.partition("[")[0]


def prove(fault: dict[str, str], kept: dict[str, Any], tree: str, clone: Path) -> dict[str, Any]:
    """Plant a fault and run its gate, which is green without it; what is known already is not run again."""
    read = [*sys.version_info[:2], *read_by(fault["gate"], tree)]
    green, red = (hashlib.sha256(f"{read} {text}".encode()).hexdigest() for text in (fault["gate"], json.dumps(fault)))
    if green not in kept:
        code, _ = gate(fault["gate"], clone, clone / "numba")
        kept.update({green: code} if code == 0 else {})
    if red not in kept:
        path, since = clone / fault["file"], time.monotonic()
        before, times = path.read_text(encoding="utf-8"), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        # binaries are kept in folders named after the sources of compiled code, of which only the newest stays
        cache = clone / ("numba-planted" if COMPILED.search(f"{fault['file']}\n{before}") else "numba")
        try:
            path.write_text(planted(fault, before), encoding="utf-8")
            code, test = gate(fault["gate"], clone, cache)
        finally:
            path.write_text(before, encoding="utf-8")
            os.utime(path, ns=times)
            shutil.rmtree(clone / "numba-planted", ignore_errors=True)
        found = {"red": test, "code": code, "seconds": round(time.monotonic() - since)}
        kept.update({red: found} if code in (0, 1) else {})
    else:
        found = kept[red]
    return {"fault": fault["what"], "file": fault["file"], "proven": green in kept and found["code"] == 1, **found}


def main(*words: str) -> int:
    """Prove all gates, or those whose fault or file has one of the words in it; the exit code is 0 if all are red."""
    WORK.mkdir(parents=True, exist_ok=True)
    tree = subprocess.run(["git", "ls-tree", "-r", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    clones: SimpleQueue[Path] = SimpleQueue()
    for clone in (WORK / f"clone-{number}" for number in range(WORKERS)):
        shutil.rmtree(clone, ignore_errors=True)
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        clones.put(clone)
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    wanted = [fault for fault in faults() if not words or any(word in fault["what"] + fault["file"] for word in words)]

    def proven(fault: dict[str, str]) -> dict[str, Any]:
        clone = clones.get()
        try:
            return prove(fault, kept, tree, clone)
        finally:
            clones.put(clone)

    rows = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for row in pool.map(proven, wanted):
            rows.append(row)
            KEPT.write_text(json.dumps(dict(kept), indent=1), encoding="utf-8")
            verdict = f"red: {row['red']}" if row["proven"] else f"NOT PROVEN, exit code {row['code']}"
            print(f"{len(rows)}/{len(wanted)} {row['fault']}: {verdict} ({row['seconds']} s)", flush=True)
    if not words:
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["fault", "file", "gate", "proven"])
            table.writerows([row["fault"], row["file"], row["red"], row["proven"]] for row in rows)
    print(f"{sum(row['proven'] for row in rows)} of {len(rows)} faults turn a gate red")
    return int(not all(row["proven"] for row in rows))


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""Call everything public, and validate every parameter, with 50,000 lists of arguments that nobody meant.

`make fuzz` runs it: compiled code checks the bounds of its arrays, the cases differ from run to run, and the figures go
to `book/data/fuzz.csv`. What it finds is added to `CORPUS` in `test_hostile.py`, which every test run plays.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK, TABLE = ROOT / "_build" / "fuzz", ROOT / "book" / "data" / "fuzz.csv"
FILES = ("tests/test_hostile.py", "tests/test_hostile_parameters.py")


def main(cases: str = "50000") -> int:
    """Fuzz; the exit code is 0 if every call was answered with numbers or refused in a line."""
    WORK.mkdir(parents=True, exist_ok=True)
    figures, seed = WORK / "figures.jsonl", int(time.time())
    figures.unlink(missing_ok=True)
    # binaries that check bounds are not told from others by numba, so they have a folder of their own
    env = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(WORK / "numba"), "PRIVATE_BANDITS_FIGURES": str(figures)}
    words = [sys.executable, "-m", "pytest", "-q", "-n0", "-k", "nobody_meant", f"--hypothesis-seed={seed}", *FILES]
    code = subprocess.run(words, cwd=ROOT, env=os.environ | env | {"PRIVATE_BANDITS_CASES": cases}).returncode
    rows = [json.loads(line) for line in figures.read_text(encoding="utf-8").splitlines()]
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["what", "cases", "refused", "answered", "seed", "found"])
        for row in rows:
            counts = [row.get(name, 0) for name in ("refused", "answered")]
            table.writerow([row["what"], sum(counts), *counts, seed, "nothing" if code == 0 else "see the log"])
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Call everything public, and validate every parameter, with 50,000 lists of arguments that nobody meant.

`make fuzz` runs it: compiled code checks the bounds of its arrays, the cases differ from run to run, and the figures go
to `book/data/fuzz.csv`. What it finds is added to `CORPUS` in `test_hostile.py`, which every test run plays.
"""

from __future__ import annotations

import csv
import os
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "book" / "data" / "fuzz.csv"
WORKERS = 2


def asked(seed: int, number: int) -> dict[str, tuple[int, Counter[str]]]:
    """Of how many functions, and parameters, how many cases (of these a quarter as many) ended in which way."""
    import hostile

    warnings.simplefilter("error")
    calls = hostile.public()
    for path, function in calls.items():  # compiling is not on the clock
        with hostile.limited(600.0):
            answer = function(**hostile.meant(path, function))
            if isinstance(answer, hostile.Policy):
                hostile.played(answer)
    kinds = {
        "public functions": (
            len(calls),
            hostile.call_cases(calls, seed),
            lambda path: partial(hostile.called, path, calls[path]),
        ),
        "chapter parameters": (
            sum(map(len, hostile.parameters().values())),
            hostile.parameter_cases(seed),
            lambda chapter: partial(hostile.validated, chapter),
        ),
    }
    ended: dict[str, tuple[int, Counter[str]]] = {}
    for (what, (different, drawn, ask)), size in zip(kinds.items(), (number, number // 4), strict=True):
        ways: Counter[str] = Counter()
        ended[what] = different, ways
        for name, changed in islice(drawn, size):
            try:
                ways[ask(name)(changed, **({"plays": True} if name in calls else {}))] += 1
            except Exception as error:
                ways["fault"] += 1
                print(f"{name}({str(changed)[:200]}): {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
    return ended


def main(cases: str = "50000") -> int:
    """Fuzz; the exit code is 0 if every call was answered with numbers or refused in a line."""
    # binaries that check bounds are not told from others by numba, so they have a folder of their own
    os.environ |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(ROOT / "_build" / "fuzz" / "numba")}
    seed, ended = int(time.time()), dict[str, tuple[int, Counter[str]]]()
    with ProcessPoolExecutor(WORKERS) as pool:
        for part in pool.map(asked, range(seed, seed + WORKERS), [int(cases) // WORKERS] * WORKERS):
            for what, (different, found) in part.items():
                ended[what] = different, ended.get(what, (0, Counter[str]()))[1] + found
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["what", "different", "cases", "refused", "answered", "seed", "found"])
        for what, (different, found) in ended.items():
            said = "see the log" if found["fault"] else "nothing"
            table.writerow([what, different, found.total(), found["refused"], found["answered"], seed, said])
    return int(any(found["fault"] for _, found in ended.values()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

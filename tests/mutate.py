"""Change the code at random places, one at a time, and see that for each a test goes red.

`make mutate` runs it: cosmic-ray changes a scratch clone. `mutants.toml` says where and how often, and why a change
that no test sees may stay. It goes on where it was interrupted, and writes `book/data/mutants.csv` and `survivors.csv`.
"""

from __future__ import annotations

import ast
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WORK, DATA = ROOT / "_build" / "mutants", ROOT / "book" / "data"
CLONE, KEPT = WORK / "clone", WORK / "results.json"
PLAN = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))
LEAST = 0.85  # of the changes of each room
LONGEST = 120  # seconds of a room's tests
# no other program: None, bools and short texts are equal where they are the same, and an uncompiled loop is the loop
SAME = ("_Is_Eq", "_Eq_Is", "_IsNot_NotEq", "_NotEq_IsNot", "RemoveDecorator")

Place = tuple[str, tuple[int, int], tuple[int, int]]


def annotations(path: Path) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a file has annotations, which no run reads."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in ("annotation", "returns"):
            if isinstance(found := getattr(node, name, None), ast.expr):
                yield (found.lineno, found.col_offset), (found.end_lineno or 0, found.end_col_offset or 0)


def mutations(path: Path) -> dict[Place, list[Any]]:
    """What cosmic-ray can change in a file, by place."""
    from cosmic_ray.commands import init
    from cosmic_ray.work_db import use_db

    unread, found = list(annotations(path)), dict[Place, list[Any]]()
    with use_db(WORK / f"{path.parent.name}-{path.stem}.sqlite") as database:
        init([path], database, {})
        for item in database.work_items:
            (one,) = item.mutations
            if not one.operator_name.endswith(SAME) and not any(low <= one.start_pos <= high for low, high in unread):
                found.setdefault((str(path), one.start_pos, one.end_pos), []).append(one)
    return found


def chosen(room: dict[str, Any]) -> tuple[int, list[Any]]:
    """How many places a room has, and a change at some of them, at random."""
    found: dict[Place, list[Any]] = {}
    for name in room["files"]:
        found |= mutations(CLONE / "src" / name)
    draw = random.Random(PLAN["seed"])
    places = sorted(draw.sample(sorted(found), min(room["places"], len(found))))
    return len(found), [draw.choice(sorted(found[place], key=repr)) for place in places]


def outcome(mutation: Any, words: str) -> dict[str, Any]:
    """What a change was, and whether a test went red."""
    from cosmic_ray.mutating import mutate_and_test

    since = time.monotonic()
    result = mutate_and_test([mutation], words, LONGEST)
    if result.test_outcome is None or result.test_outcome.value == "incompetent":
        raise RuntimeError(f"{mutation}: {result.worker_outcome}: {result.output}")
    lines = [line for line in (result.diff or "").splitlines() if line[:2] not in ("--", "++", "@@")]
    before, after = (" ".join(line[1:].strip() for line in lines if line[:1] == sign) for sign in "-+")
    seconds = round(time.monotonic() - since, 1)
    killed = result.test_outcome.value == "killed"
    return {"before": before, "after": after, "killed": killed, "seconds": seconds}


def clone() -> str:
    """Clone what is committed, unless that was done, and return its name."""
    words = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    shutil.rmtree(CLONE, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(CLONE)], check=True)
    return commit


def write(name: str, head: list[str], rows: list[list[Any]]) -> None:
    with (DATA / name).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([head, *rows])


def main(*rooms: str) -> int:
    """Mutate all rooms, or those named; the exit code is 0 if each has its score and every survivor a reason."""
    WORK.mkdir(parents=True, exist_ok=True)
    commit = clone()
    os.chdir(CLONE)
    os.environ |= {"PYTHONPATH": str(CLONE / "src"), "NUMBA_CACHE_DIR": str(WORK / "numba"), "PRIVATE_BANDITS_KEPT": ""}
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    known = {(each["file"], each["after"]): each["reason"] for each in PLAN.get("survivor", [])}
    counts: dict[str, Counter[str]] = {}
    survivors = []
    for room in PLAN["room"]:
        if rooms and room["name"] not in rooms:
            continue
        os.environ["NUMBA_DISABLE_JIT"] = str(int(room.get("plain", False)))
        words = f"{sys.executable} -m pytest -x -q -n0 -p no:cacheprovider {room['tests']}"
        subprocess.run(words, shell=True, check=True, stdout=subprocess.DEVNULL)  # green before
        total, changes = chosen(room)
        count = counts.setdefault(room["name"], Counter())
        count["places"] += total
        for number, mutation in enumerate(changes, 1):
            file = Path(mutation.module_path).relative_to(CLONE).as_posix()
            key = f"{commit} {file} {mutation.operator_name} {mutation.occurrence} {room['tests']}"
            if key not in kept:
                kept[key] = outcome(mutation, words)
                KEPT.write_text(json.dumps(kept, indent=1), encoding="utf-8")
            found = kept[key]
            count["tried"] += 1
            count["killed"] += found["killed"]
            if not found["killed"]:
                survivors.append([file, found["before"], found["after"], known.get((file, found["after"]), "")])
                print(f"{file}: survives: {found['before']}  ->  {found['after']}", flush=True)
            print(f"{room['name']} {number}/{len(changes)} ({found['seconds']} s)", flush=True)
    scores = {name: count["killed"] / count["tried"] for name, count in counts.items()}
    if not rooms:
        rows = [[name, *(count[key] for key in ("places", "tried", "killed"))] for name, count in counts.items()]
        write("mutants.csv", ["room", "places", "tried", "killed"], rows)
        write("survivors.csv", ["file", "before", "after", "reason"], survivors)
    print(", ".join(f"{name} {score:.0%}" for name, score in scores.items()))
    return int(min(scores.values()) < LEAST or not all(survivor[-1] for survivor in survivors))


if __name__ == "__main__":
    sys.path.append(str(WORK / "tool"))  # last: what the lock has comes first
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

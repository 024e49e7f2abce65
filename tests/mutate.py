"""Change the code at random places, one at a time, and see that for each a test goes red.

`make mutate` runs it: cosmic-ray changes a scratch clone. `mutants.toml` says where and how often, and why a change
that no test sees may stay. It goes on where it was interrupted, and writes `book/data/mutants.csv` and `survivors.csv`.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import os
import random
import shlex
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
COUNTS = ("places", "tried", "killed")
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
    result = mutate_and_test([mutation], words, timeout=3600)
    if result.test_outcome is None or result.test_outcome.value == "incompetent":
        raise RuntimeError(f"{mutation}: {result.worker_outcome}: {result.output}")
    lines = [line for line in (result.diff or "").splitlines() if line[:2] not in ("--", "++", "@@")]
    before, after = (" ".join(line[1:].strip() for line in lines if line[:1] == sign) for sign in "-+")
    seconds = round(time.monotonic() - since, 1)
    killed = result.test_outcome.value == "killed"
    return {"before": before, "after": after, "killed": killed, "seconds": seconds}


def named(mutation: Any, tests: str) -> str:
    """The name of a change, of the file that it changes and of its tests as they are."""
    texts = [mutation.module_path, *(CLONE / word.partition("::")[0] for word in tests.split() if ".py" in word)]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in texts)).hexdigest()[:16]
    return f"{mutation.module_path.name} {digest} {mutation.operator_name} {mutation.occurrence}"


def write(name: str, head: list[str], rows: list[list[Any]]) -> None:
    with (DATA / name).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([head, *rows])


def tried(room: dict[str, Any], kept: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    """How many places a room has, and what came of the changes at some of them; what is known is not run again."""
    tests = f"{sys.executable} -m pytest -x -q -n0 -p no:cacheprovider {' '.join(room['tests'].split())}"
    limit = room.get("seconds", 30)  # of CPU
    words = f"sh -c {shlex.quote(f'ulimit -t {limit}; exec {tests}')}"
    places, changes = chosen(room)
    if any(named(mutation, room["tests"]) not in kept for mutation in changes):
        subprocess.run(shlex.split(words), check=True, stdout=subprocess.DEVNULL)  # green before
    rows = []
    for mutation in changes:
        name = named(mutation, room["tests"])
        if name not in kept:
            kept[name] = outcome(mutation, words)
            KEPT.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        rows.append(kept[name] | {"file": mutation.module_path.relative_to(CLONE).as_posix()})
        said = "seen" if kept[name]["killed"] else f"SURVIVES: {kept[name]['before']}  ->  {kept[name]['after']}"
        print(f"{room['name']} {len(rows)}/{len(changes)} {mutation.module_path.name}: {said}", flush=True)
    return places, rows


def main(*rooms: str) -> int:
    """Mutate all rooms, or those named; the exit code is 0 if each has its score and every survivor a reason."""
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(CLONE, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(CLONE)], check=True)
    os.chdir(CLONE)
    os.environ |= {
        "PYTHONPATH": str(CLONE / "src"),
        "NUMBA_CACHE_DIR": str(WORK / "numba"),
        "PRIVATE_BANDITS_CACHE": "",
    }
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    reasons = {(each["file"], each["after"]): each["reason"] for each in PLAN.get("survivor", [])}
    counts: dict[str, Counter[str]] = {}
    survivors = []
    for room in PLAN["room"]:
        if not rooms or room["name"] in rooms:
            places, rows = tried(room, kept)
            left = [row for row in rows if not row["killed"]]
            counts.setdefault(room["name"], Counter()).update(
                {"places": places, "tried": len(rows), "killed": len(rows) - len(left)}
            )
            survivors += [
                [row["file"], row["before"], row["after"], reasons.get((row["file"], row["after"]), "")] for row in left
            ]
    if not rooms:
        write("mutants.csv", ["room", *COUNTS], [[name, *map(count.get, COUNTS)] for name, count in counts.items()])
        write("survivors.csv", ["file", "before", "after", "reason"], survivors)
    scores = {name: count["killed"] / count["tried"] for name, count in counts.items()}
    print(", ".join(f"{name} {score:.0%}" for name, score in scores.items()))
    return int(min(scores.values()) < LEAST or not all(reason for *_, reason in survivors))


if __name__ == "__main__":
    sys.path.append(str(WORK / "tool"))  # last: what the lock has comes first
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

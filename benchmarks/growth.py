"""How rates and memory change as rounds, arms, list sizes, replications and workers grow. Kept in `growth.json`.

A point is the median of `TURNS` games on processor time; the last two curves are whole calls of `simulate` on the wall
clock, each in a process of its own, whose largest memory is kept.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from ours import ours

from private_bandits.papers.cascading import b_lb, cascade_ucb1, repaired_local, ucb_hybrid, ucb_laplace
from private_bandits.policy import Policy

RESULTS = Path(__file__).with_name("growth.json")
TURNS, EPSILON, L, K = 3, 1.0, 20, 4
T = 100_000
CALL = """
import re, sys, time
from pathlib import Path
from private_bandits import simulate
from private_bandits.papers.cascading import b_lb, ucb_laplace
horizon, replications, workers = map(int, sys.argv[1:4])
work = b_lb(20, 4, 0.2, 0.15), ucb_laplace(1.0, list_size=4)
simulate(*work, horizon=100, replications=2, seed=0)
began = time.perf_counter()
simulate(*work, horizon=horizon, replications=replications, seed=1, n_jobs=workers, checkpoints=[])
status = Path("/proc/self/status").read_text()  # getrusage begins with the memory of the process that started this one
print(time.perf_counter() - began, int(re.search("VmHWM:[^0-9]*([0-9]+)", status)[1]) / 1024)
"""
POLICIES: dict[str, Callable[[int, int, int], Policy]] = {  # arms, list size, rounds
    "no noise": lambda arms, size, rounds: cascade_ucb1(),
    "Laplace": lambda arms, size, rounds: ucb_laplace(EPSILON, list_size=size),
    "randomised response": lambda arms, size, rounds: repaired_local(EPSILON, list_size=size),
    "hybrid": lambda arms, size, rounds: ucb_hybrid(EPSILON, n_arms=arms, horizon=rounds),
}


def points() -> Iterator[tuple[str, int, int, int, int]]:
    """Yield what is swept and its value, and the rounds, arms and list size of the games."""
    for rounds in (10**4, 10**5, 10**6, 10**7, 10**8):
        yield "rounds", rounds, rounds, L, K
    for arms in (10, 100, 1_000, 10_000, 100_000):
        yield "arms", arms, max(10_000, min(10 * T, 10**8 // arms)), arms, K
    for size in (1, 2, 4, 8, 16, 32):
        yield "list size", size, T, 64, size


def timed() -> list[dict[str, Any]]:
    """Nanoseconds a round, for every point and policy."""
    rows = []
    for swept, value, rounds, arms, size in points():
        problem = b_lb(arms, size, 0.2, 0.15)
        for name, make in POLICIES.items():
            play = ours(problem, make(arms, size, rounds))
            play(100, 0)
            turns = 1 if rounds > 10**7 else TURNS
            seconds = [play(rounds, turn)[0] for turn in range(1, turns + 1)]
            rows.append({"swept": swept, "value": value, "policy": name, "rounds": rounds})
            rows[-1] |= {"ns_a_round": 1e9 * statistics.median(seconds) / rounds, "turns": turns}
        print(
            f"{swept} {value:,}: " + ", ".join(f"{row['policy']} {row['ns_a_round']:.0f}" for row in rows[-4:]),
            flush=True,
        )
    return rows


def called() -> list[dict[str, Any]]:
    """Seconds and largest memory of calls of `simulate`."""
    rows = []
    runs = [("replications", count, 1_000, count, 1) for count in (1, 10, 100, 1_000, 10_000, 100_000)]
    runs += [("rounds", rounds, rounds, 1, 1) for rounds in (10**4, 10**6, 10**8)]
    runs += [("workers", workers, T, 64, workers) for workers in (1, 2, 4)]
    for swept, value, *arguments in runs:
        done = subprocess.run(
            [sys.executable, "-c", CALL, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        seconds, megabytes = map(float, done.stdout.split())
        rows.append({"swept": swept, "value": value, "seconds": seconds, "megabytes": megabytes})
        rows[-1]["rounds_a_second"] = arguments[0] * arguments[1] / seconds
        print(f"{swept} {value:,}: {seconds:.2f} s, {megabytes:.0f} MB", flush=True)
    return rows


def main() -> None:
    """Print and keep the curves."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    table = {"date": date.today().isoformat(), "machine": machine, "games": timed(), "calls": called()}
    RESULTS.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Measure what a round of each policy of the benchmark takes, for its rankings.

    python benchmarks/entrants.py

On the first test instance of each kind of problem, at epsilon 1 and the horizon of the rankings: the least CPU time of
three runs, its loops compiled before. Writes `book/data/rounds.csv`.
"""

from __future__ import annotations

import time

import pandas as pd

from private_bandits import simulate
from private_bandits_book.book import find_book
from private_bandits_book.chapters.comparison.entrants import ENTRANTS, Setting, made, without_contexts
from private_bandits_book.chapters.comparison.families import instances
from private_bandits_book.chapters.comparison.studies import SIZES


def microseconds(kind: str, name: str) -> float:
    """Return the microseconds that a round of a policy takes."""
    problem = next(iter(instances(kind).values()))
    horizon = min(SIZES[kind].horizon, 10**6)
    policy = made(kind, name, Setting(problem, horizon), 1.0)
    largest = ENTRANTS[kind][name].range
    problem = without_contexts(problem, largest) if largest else problem
    how = {"replications": 1, "seed": 1, "n_jobs": 1, "progress": False, "checkpoints": []}
    simulate(problem, policy, horizon=100, **how)
    spent = []
    for _ in range(3):
        since = time.process_time()
        simulate(problem, policy, horizon=horizon, **how)
        spent.append(time.process_time() - since)
    return 1e6 * min(spent) / horizon


if __name__ == "__main__":
    rows = []
    for kind, known in ENTRANTS.items():
        for name in known:
            rows.append({"kind": kind, "entrant": name, "microseconds": microseconds(kind, name)})
            print(*rows[-1].values(), flush=True)
    target = find_book().pages / "data" / "rounds.csv"
    pd.DataFrame(rows).to_csv(target, index=False, float_format="%.2g", lineterminator="\n")

"""Race the kernels against C, a plain Python loop and per-step NumPy, and say which targets are met.

Two that race take turns, run by run, on processor time, so a busy machine slows both; a ratio is the median over the
turns. Compilation and start-up are outside the clock. Whoever does the same work also plays shorter games, and mean
regrets that differ by more than 5 standard errors end the benchmark with an error. The epochs of elimination and
per-step NumPy on the contextual box follow, timed by `epochs` and `linear`, and `cold` compiles each kernel by itself.
The tables go to `results.json`, too.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cold
import epochs
import linear
import numpy as np
import per_step_numpy
import plain
from in_c import NoCompiler, Program
from ours import Play, ours

from private_bandits import simulate
from private_bandits.papers.cascading import (
    b_lb,
    cascade_ucb1,
    repaired_local,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
)
from private_bandits.papers.semibandits import cucb, cucb_dp
from private_bandits.policy import Policy
from private_bandits.problems import SemiBandit

L, K = 20, 4
LISTS = b_lb(L, K, 0.2, 0.15)
TOP = SemiBandit.top_k(LISTS.means, K)
ENUMERATED = SemiBandit.from_sets(LISTS.means, np.arange(L).reshape(-1, K).tolist())
EPSILON, DELTA = 0.5, 1e-3
ROUNDS, GAME, GAMES = 100_000, 5_000, 200
SECONDS, LEAST_TURNS = 8.0, 3  # of a race
NAMES = ("exact", "laplace", "gaussian", "response", "hybrid", "tree")  # as the program in C calls them
RESULTS = Path(__file__).with_name("results.json")


@dataclass(frozen=True)
class Race:
    """Ours against another, and the ratio of the seconds that is the target."""

    work: str
    ours: Play
    against: str
    other: Play | None  # None: there is no compiler
    rounds: int = ROUNDS
    at_most: float = math.inf
    same_work: bool = True


def in_c(program: Program | None, policy: Policy) -> Play | None:
    """Play a list policy by the program in C."""
    record = policy.record
    pairs = [*record.terms.ravel().tolist(), 0.0, 0.0][:4]
    words = (NAMES[record.noise], *pairs, record.flip or record.scale, record.bonus_scale)
    return program and (lambda rounds, seed: program.play(rounds, seed, *words))


def timed(game: Callable[[int, int], float]) -> Play:
    """Time a whole game from outside."""

    def play(rounds: int, seed: int) -> tuple[float, float]:
        began = time.thread_time()
        regret = game(rounds, seed)
        return time.thread_time() - began, regret

    return play


def races(lists: Program | None, contexts: Program | None) -> list[Race]:
    """All races: the one table of targets."""
    exact, local = cascade_ucb1(), repaired_local(EPSILON, list_size=K)
    laplace, gaussian = ucb_laplace(EPSILON, list_size=K), ucb_gaussian(EPSILON, delta=DELTA, list_size=K)
    hybrid, tree = (
        ucb_hybrid(EPSILON, n_arms=L, horizon=ROUNDS),
        cucb_dp(50.0, list_size=K, n_arms=L, horizon=ROUNDS, variant="repaired"),
    )
    box = linear.RECORD
    linucb = (box.sigma, box.ridge, box.shift, box.level, box.tail)
    means, scale = LISTS.means.tolist(), laplace.record.scale
    dim = len(linear.PROBLEM.theta)

    def kernel_in_c(work: str, policy: Policy, at_most: float, rounds: int = ROUNDS, problem: Any = LISTS) -> Race:
        return Race(work, ours(problem, policy), "C", in_c(lists, policy), rounds, at_most)

    return [
        kernel_in_c("no noise", exact, 1.6),
        kernel_in_c("Laplace, stated", laplace, 1.6),
        kernel_in_c("randomised response", local, 1.6),
        kernel_in_c("Gaussian, stated", gaussian, 1.8),
        kernel_in_c("hybrid, printed", hybrid, 1.6),
        kernel_in_c("tree, repaired", tree, 1.6, problem=TOP),
        Race(
            "enumerated super arms", ours(ENUMERATED, cucb()), "top-K", ours(TOP, cucb()), at_most=1.6, same_work=False
        ),
        Race(
            f"LDP-LinUCB, d = {dim}",
            lambda rounds, seed: linear.ours(seed),
            "C",
            contexts and (lambda rounds, seed: contexts.play(linear.ROUNDS, seed, *linucb)),
            linear.ROUNDS,
            1.5,
        ),
        kernel_in_c("no noise", exact, 1.0, 10**7),
        kernel_in_c("randomised response", local, 1.0, 10**7),
        kernel_in_c("Laplace, stated", laplace, 1.6, 10**7),
        kernel_in_c("no noise", exact, 0.8, 10**8),
        kernel_in_c("randomised response", local, 0.8, 10**8),
        Race("no noise", ours(LISTS, exact), "plain Python", timed(lambda n, s: plain.play(means, K, 0.0, n, s)), GAME),
        Race(
            "Laplace, stated",
            ours(LISTS, laplace),
            "plain Python",
            timed(lambda n, s: plain.play(means, K, scale, n, s)),
            GAME,
        ),
        Race(
            "Laplace, stated",
            ours(LISTS, laplace),
            "per-step NumPy",
            timed(lambda n, s: per_step_numpy.play(LISTS.means, K, scale, n, s)),
            GAME,
        ),
    ]


def run(race: Race, other: Play) -> dict[str, Any]:
    """Take turns until the time is up; a row of the table."""
    began, turns = time.perf_counter(), []
    for player in (race.ours, other):
        player(min(race.rounds, ROUNDS), 0)
    while len(turns) < LEAST_TURNS or time.perf_counter() - began < SECONDS:
        turns.append([play(race.rounds, len(turns) + 1)[0] for play in (race.ours, other)])
    ratios = [mine / its for mine, its in turns]
    medians = [statistics.median(column) for column in zip(*turns, strict=True)]
    row = {
        "work": race.work,
        "against": race.against,
        "rounds": race.rounds,
        "ns_a_round": medians[0] / race.rounds * 1e9,
        "its_ns_a_round": medians[1] / race.rounds * 1e9,
        "ratio": statistics.median(ratios),
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
        "at_most": race.at_most if race.at_most < math.inf else None,
        "met": statistics.median(ratios) <= race.at_most if race.at_most < math.inf else None,
        "turns": len(turns),
    }
    if race.same_work:
        rounds = min(race.rounds, GAME)
        regrets = np.array([[play(rounds, seed)[1] for play in (race.ours, other)] for seed in range(1, GAMES + 1)])
        (mean, its), errors = regrets.mean(axis=0), regrets.std(axis=0, ddof=1) / math.sqrt(GAMES)
        row |= {"regret": mean, "its_regret": its, "regret_error": float(np.hypot(*errors))}
        if abs(mean - its) > 5.0 * row["regret_error"]:
            raise RuntimeError(f"{race.work}: regrets {mean:.1f} and, {race.against}, {its:.1f}: not the same work")
    return row


def line(row: dict[str, Any]) -> str:
    """A row in words."""
    target = "" if row["at_most"] is None else f"<= {row['at_most']:.2f}: {'met' if row['met'] else 'missed'}"
    same = f"{row['regret']:.1f}, {row['its_regret']:.1f} +/- {row['regret_error']:.1f}" if "regret" in row else ""
    times = f"{row['ns_a_round']:10.1f} {row['its_ns_a_round']:10.1f}  {row['ratio']:.3f}"
    span = f"[{row['ratio_low']:.3f}, {row['ratio_high']:.3f}]"
    return f"{row['work']:22} {row['against']:15} {row['rounds']:>9.0e} {times} {span:17} {target:16} {same}".rstrip()


def threads() -> str:
    """Time `simulate` with one and with two workers, in turns."""
    fastest = {1: math.inf, 2: math.inf}
    for _ in range(5):
        for workers in fastest:
            began = time.perf_counter()
            simulate(LISTS, ucb_laplace(EPSILON, list_size=K), horizon=200_000, replications=8, seed=0, n_jobs=workers)
            fastest[workers] = min(fastest[workers], time.perf_counter() - began)
    return (
        f"simulate, 8 x 200,000 rounds of Laplace, stated: {fastest[1]:.3f} s with 1 worker, {fastest[2]:.3f} s with "
        f"2, speed-up {fastest[1] / fastest[2]:.2f}"
    )


def main() -> None:
    """Print where, who and how fast."""
    packages = {name: version(name) for name in ("private-bandits", "numpy", "numba")}
    machine = {"python": platform.python_version(), **packages, "machine": platform.machine(), "cores": os.cpu_count()}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        lists = contexts = None
        try:
            lists, contexts = (Program(name, Path(folder)) for name in ("cascade", "linucb"))
            machine["compiler"] = lists.compiler
        except NoCompiler as reason:
            print(f"C is left out: {reason}")
        print(", ".join(f"{name} {value}" for name, value in machine.items()))
        print(f"\n{LISTS}, epsilon = {EPSILON}; medians over the turns")
        print(
            f"{'work':22} {'against':15} {'rounds':>9} {'ns/round':>10} {'its':>10}  ratio [range]  target  regrets\n"
        )
        for race in races(lists, contexts):
            if race.other:
                rows.append(run(race, race.other))
                print(line(rows[-1]), flush=True)
    print("\nCPU seconds in the compiler, each kernel by itself, with an empty cache\n")
    compiled = cold.rows()
    missed = [f"{row['work']} at {row['rounds']:.0e}" for row in rows if row["met"] is False]
    missed += [f"compiling {row['kernel']}" for row in compiled if row["met"] is False]
    print(f"\ntargets met: {sum(row['met'] is True for row in rows + compiled)}; missed: {', '.join(missed) or 'none'}")
    RESULTS.write_text(
        json.dumps({"machine": machine, "races": rows, "compiled": compiled}, indent=1) + "\n", encoding="utf-8"
    )
    print(f"\n{threads()}\n\n{epochs.report()}\n", flush=True)
    print(linear.report())


if __name__ == "__main__":
    main()

"""Time the kernels against C, a plain Python loop and per-step NumPy, in one run.

L = 20 items, lists of K = 4, B_LB(20, 4, 0.2, 0.15). The contestants take turns, many short runs each, and the fastest
run of each counts: on a busy machine the ratios of one table hold, the nanoseconds only roughly. Compilation and
start-up are outside the clock. The regret of a shorter game is printed so that a reader sees the same work being
done; contestants of the same work that differ by more than 5 standard errors end the benchmark with an error. The
epochs of elimination and the contextual box follow, timed by `epochs` and `linear`.
"""

from __future__ import annotations

import math
import os
import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import epochs
import linear
import numpy as np
import per_step_numpy
import plain
from in_c import CascadeInC, NoCompiler

from private_bandits import simulate
from private_bandits.kernels import index, ratio
from private_bandits.papers.cascading import (
    b_lb,
    cascade_ucb1,
    repaired_central,
    repaired_local,
    ucb_gaussian,
    ucb_hybrid,
    ucb_laplace,
)
from private_bandits.policy import Policy
from private_bandits.simulate import streams

L, K = 20, 4
PROBLEM = b_lb(L, K, 0.2, 0.15)
EPSILON, DELTA = 0.5, 1e-3
ROUNDS = 100_000  # of a timed run; the slow contestants are timed on the game whose regret is compared
GAME = 5_000
SECONDS = 30.0  # for all timed runs together
LEAST_PASSES = 20
OURS, C, PLAIN, NUMPY = "ours", "C", "plain Python", "per-step NumPy"
STATED = "Laplace, stated"
AT_MOST = {"C": 2.0, "Laplace": 4.0}  # targets: Laplace against C on the same work, hybrid against the Laplace round


@dataclass
class Contestant:
    """One way to do one work: `play(rounds, seed)` returns seconds and pseudo-regret."""

    work: str
    by: str
    play: Callable[[int, int], tuple[float, float]]
    rounds: int = ROUNDS
    best: float = math.inf  # seconds a round
    regrets: list[float] = field(default_factory=list)

    def take_turn(self, seed: int) -> None:
        """Play one timed run and, with the seed of the pass, one game whose regret is kept."""
        seconds, regret = self.play(self.rounds, seed)
        self.best = min(self.best, seconds / self.rounds)
        self.regrets.append(regret if self.rounds == GAME else self.play(GAME, seed)[1])

    @property
    def nanoseconds(self) -> float:
        """The fastest round."""
        return self.best * 1e9

    @property
    def regret(self) -> tuple[float, float]:
        """Mean and standard error after GAME rounds."""
        return float(np.mean(self.regrets)), float(np.std(self.regrets, ddof=1)) / math.sqrt(len(self.regrets))


def ours(policy: Policy) -> Callable[[int, int], tuple[float, float]]:
    """Play a policy by the call of `simulate`: the record's kernel, from the first round to the last."""
    kernel = index if isinstance(policy.record, index.Record) else ratio

    def play(rounds: int, seed: int) -> tuple[float, float]:
        problem, marks, regret = PROBLEM.record(), np.array([rounds]), np.zeros(1)
        state, shown, source = kernel.start(problem, policy.record), np.zeros((0, 0), np.int64), streams(seed, 0)
        began = time.perf_counter()
        kernel.advance(problem, policy.record, state, 1, rounds, marks, regret, shown, *source)
        return time.perf_counter() - began, float(regret[0])

    return play


def slow(game: Callable[[int, int], float]) -> Callable[[int, int], tuple[float, float]]:
    """Time a whole game from outside."""

    def play(rounds: int, seed: int) -> tuple[float, float]:
        began = time.perf_counter()
        regret = game(rounds, seed)
        return time.perf_counter() - began, regret

    return play


def contestants(in_c: CascadeInC | None) -> list[Contestant]:
    """Everyone, the same work together, ours first."""
    laplace = {
        "CascadeUCB1": cascade_ucb1(),
        STATED: ucb_laplace(EPSILON, K),
        "Laplace, published": ucb_laplace(EPSILON, K, 0.01),
    }
    hybrid = ucb_hybrid(EPSILON, L, ROUNDS)
    rest = {
        "Hybrid, proof": ucb_hybrid(EPSILON, L, ROUNDS, variant="proof"),
        "Gaussian, stated": ucb_gaussian(EPSILON, DELTA, K),
        "repaired local, first": repaired_local(EPSILON, K),
        "repaired local, reply": repaired_local(EPSILON, K, "reply"),
        "repaired local, one_hot": repaired_local(EPSILON, K, "one_hot"),
        "repaired central, first": repaired_central(EPSILON, L, K, ROUNDS),
        "repaired central, rounds": repaired_central(EPSILON, L, K, ROUNDS, "rounds"),
    }
    everyone = []
    means = PROBLEM.means.tolist()
    for work, policy in laplace.items():
        scale = policy.record.scale
        everyone.append(Contestant(work, OURS, ours(policy)))
        if in_c:
            everyone.append(Contestant(work, C, lambda n, seed, b=scale: in_c.play(n, seed, "laplace", b)))
        in_python = slow(lambda n, seed, b=scale: plain.play(means, K, b, n, seed))
        in_numpy = slow(lambda n, seed, b=scale: per_step_numpy.play(PROBLEM.means, K, b, n, seed))
        everyone += [Contestant(work, PLAIN, in_python, GAME), Contestant(work, NUMPY, in_numpy, GAME)]
    everyone.append(Contestant("Hybrid, printed", OURS, ours(hybrid)))
    if in_c:
        noise = (hybrid.record.scale, hybrid.record.bonus_scale)
        everyone.append(Contestant("Hybrid, printed", C, lambda n, seed: in_c.play(n, seed, "hybrid", *noise)))
    return everyone + [Contestant(work, OURS, ours(policy)) for work, policy in rest.items()]


def take_turns(everyone: list[Contestant]) -> int:
    """Play passes over everyone until the time is up and return their number."""
    for contestant in everyone:
        contestant.play(GAME, 0)
    began, passes = time.perf_counter(), 0
    while passes < LEAST_PASSES or time.perf_counter() - began < SECONDS:
        passes += 1
        for contestant in everyone:
            contestant.take_turn(passes)
    return passes


def check_same_work(everyone: list[Contestant]) -> None:
    """Raise a RuntimeError if two contestants of one work have different regrets."""
    for reference in (one for one in everyone if one.by == OURS):
        for other in (one for one in everyone if one.work == reference.work):
            (mean, error), (other_mean, other_error) = reference.regret, other.regret
            if abs(mean - other_mean) > 5.0 * math.hypot(error, other_error):
                raise RuntimeError(
                    f"{reference.work}: {other.by} has regret {other_mean:.1f} +/- {other_error:.1f}, "
                    f"ours {mean:.1f} +/- {error:.1f}; they do not do the same work"
                )


def rows(everyone: list[Contestant]) -> list[list[str]]:
    """The table, its head first."""
    table = [["work", "by", "ns/round", "rounds/s", "to C", "to Laplace", f"regret, t = {GAME}", "target"]]
    laplace = next(one for one in everyone if (one.work, one.by) == (STATED, OURS))
    for one in everyone:
        in_c = [other.best for other in everyone if (other.work, other.by) == (one.work, C)]
        to_c, to_laplace = one.best / in_c[0] if in_c else math.nan, one.best / laplace.best
        target = ""
        if one.by == OURS and one.work.startswith("Laplace"):
            target = judged(to_c, AT_MOST["C"], "C")
        elif one.by == OURS and one.work.startswith("Hybrid"):
            target = judged(to_laplace, AT_MOST["Laplace"], "Laplace")
        mean, error = one.regret
        table.append(
            [
                one.work,
                one.by,
                f"{one.nanoseconds:.1f}",
                f"{1.0 / one.best:,.0f}",
                f"{to_c:.2f}" if in_c else "-",
                f"{to_laplace:.2f}",
                f"{mean:.1f} +/- {error:.1f}",
                target,
            ]
        )
    return table


def judged(measured: float, at_most: float, against: str) -> str:
    """Whether a ratio is within its target."""
    verdict = "not measured" if math.isnan(measured) else "met" if measured <= at_most else "missed"
    return f"<= {at_most:g} x {against}: {verdict}"


def rendered(table: list[list[str]]) -> str:
    """Columns aligned, words left and numbers right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [
            cell.ljust(width) if place in (0, 1, 7) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def threads() -> str:
    """Time `simulate` with one and with two workers, in turns."""
    fastest = {1: math.inf, 2: math.inf}
    for _ in range(5):
        for workers in fastest:
            began = time.perf_counter()
            simulate(PROBLEM, ucb_laplace(EPSILON, K), horizon=200_000, replications=8, seed=0, n_jobs=workers)
            fastest[workers] = min(fastest[workers], time.perf_counter() - began)
    return (
        f"simulate, 8 x 200,000 rounds of {STATED}: {fastest[1]:.3f} s with 1 worker, {fastest[2]:.3f} s with 2, "
        f"speed-up {fastest[1] / fastest[2]:.2f}"
    )


def main() -> None:
    """Print where, who and how fast."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("private-bandits", "numpy", "numba"))
    print(f"Python {platform.python_version()}, {packages}; {platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        in_c = None
        try:
            in_c = CascadeInC(Path(folder))
            print(in_c.compiler)
        except NoCompiler as reason:
            print(f"C is left out: {reason}")
        everyone = contestants(in_c)
        passes = take_turns(everyone)
    print(f"\n{PROBLEM}, epsilon = {EPSILON}; fastest of {passes} runs of {ROUNDS:,} rounds")
    print(f"({GAME:,} for {PLAIN} and {NUMPY}), in turns\n")
    print(rendered(rows(everyone)), flush=True)
    check_same_work(everyone)
    print(f"\n{threads()}")
    print(f"\n{epochs.report()}", flush=True)
    print(f"\n{linear.report()}")


if __name__ == "__main__":
    main()

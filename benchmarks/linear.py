"""Time LDP-LinUCB, d = 20 with 20 actions, against per-step NumPy, in one run.

Both do the same work: fresh unit vectors, one Cholesky factorisation a round, the bonus of every action, a reward, and
the noise of the two messages. NumPy's linear algebra has one thread, which is fastest for matrices of this size. They
take turns, many short runs each, and the fastest run of each counts. Mean regrets that differ by more than 5 standard
errors end the benchmark with an error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular
from threadpoolctl import threadpool_limits

from private_bandits.kernels import linear
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.problems import LinearContext
from private_bandits.streams import streams

DIM = N_ACTIONS = 20
ROUNDS, PASSES = 2_000, 12
AT_LEAST = 8.0
EPSILON, DELTA = 1e4, 1e-3  # so little noise that there is something to learn within a run
PROBLEM = LinearContext.sphere(np.full(DIM, 1.0 / math.sqrt(DIM)), N_ACTIONS)
RECORD = ldp_linucb(EPSILON, delta=DELTA, dim=DIM, horizon=ROUNDS, variant="derived").record


def ours(seed: int) -> tuple[float, float]:
    """Seconds and pseudo-regret of one run of the kernel."""
    problem, source = PROBLEM.record(), streams(seed, 0)
    state, regret, shown = linear.start(problem, RECORD), np.zeros(1), np.zeros((0, 0), np.int64)
    began = time.thread_time()
    linear.advance(problem, RECORD, state, 1, ROUNDS, np.array([ROUNDS]), regret, shown, *source)
    return time.thread_time() - began, float(regret[0])


def per_step_numpy(seed: int) -> tuple[float, float]:
    """Seconds and pseudo-regret of the same box, a round of NumPy and LAPACK calls at a time."""
    rng, theta_star, eye = np.random.default_rng(seed), PROBLEM.theta, np.eye(DIM)
    rows, columns = np.triu_indices(DIM)
    gram, moment, noise = np.zeros((DIM, DIM)), np.zeros(DIM), np.zeros((DIM, DIM))
    theta, root, beta, total = np.zeros(DIM), eye, 0.0, 0.0
    sigma, failure = RECORD.sigma, math.exp(-RECORD.level / 2.0)
    began = time.thread_time()
    for t in range(1, ROUNDS + 1):
        actions = rng.standard_normal((N_ACTIONS, DIM))
        actions /= np.linalg.norm(actions, axis=1, keepdims=True)
        bonus = np.linalg.norm(solve_triangular(root, actions.T, lower=True, check_finite=False), axis=0)
        k = int(np.argmax(actions @ theta + beta * bonus)) if t > 1 else int(rng.integers(N_ACTIONS))
        means = actions @ theta_star
        total += float(np.max(means) - means[k])
        x, reward = actions[k], means[k] + rng.uniform(-1.0, 1.0)
        noise[rows, columns] = sigma * rng.standard_normal(len(rows))
        noise[columns, rows] = noise[rows, columns]
        gram += np.outer(x, x) + noise
        moment += reward * x + sigma * rng.standard_normal(DIM)
        upsilon = RECORD.shift * math.sqrt(t)
        root = np.linalg.cholesky(gram + (RECORD.ridge + 2.0 * upsilon) * eye)
        half = solve_triangular(root, moment, lower=True, check_finite=False)
        theta = solve_triangular(root, half, lower=True, trans=1, check_finite=False)
        least = RECORD.ridge + RECORD.shift
        beta = math.sqrt(2.0 * math.log(1.0 / failure) + DIM * math.log(1.0 + t / DIM / least))
        beta += math.sqrt(RECORD.ridge + 3.0 * upsilon) + RECORD.tail * math.sqrt(t / (RECORD.ridge + upsilon))
    return time.thread_time() - began, total


def report() -> str:
    """A line for each contestant, and their ratio against the target."""
    contestants: dict[str, Callable[[int], tuple[float, float]]] = {"ours": ours, "per-step NumPy": per_step_numpy}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    regrets: dict[str, list[float]] = {name: [] for name in contestants}
    with threadpool_limits(1):
        for play in contestants.values():
            play(0)
        for seed in range(1, PASSES + 1):
            for name, play in contestants.items():
                took, regret = play(seed)
                seconds[name].append(took)
                regrets[name].append(regret)
    lines = [f"LDP-LinUCB, {PROBLEM}; fastest of {PASSES} runs of {ROUNDS:,} rounds, in turns"]
    for name in contestants:
        mean, error = np.mean(regrets[name]), np.std(regrets[name], ddof=1) / math.sqrt(PASSES)
        fastest = min(seconds[name]) / ROUNDS
        lines.append(f"{name:>14}  {fastest * 1e6:8.2f} us/round  regret at t = {ROUNDS}: {mean:.1f} +/- {error:.1f}")
    spread = math.sqrt(sum(np.var(values, ddof=1) / PASSES for values in regrets.values()))
    apart = abs(np.mean(regrets["ours"]) - np.mean(regrets["per-step NumPy"]))
    if apart > 5.0 * spread:
        raise RuntimeError(f"mean regrets differ by {apart:.1f}, standard error {spread:.1f}: not the same work")
    ratio = min(seconds["per-step NumPy"]) / min(seconds["ours"])
    lines.append(f"per-step NumPy to ours {ratio:.1f}, >= {AT_LEAST:g}: {'met' if ratio >= AT_LEAST else 'missed'}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())

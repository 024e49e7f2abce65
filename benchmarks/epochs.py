"""Time the elimination boxes against the length of their epochs: microseconds per arm and epoch, R from 10^7 to 10^15.

A whole run of the kernel is timed, to the end of its first epoch, so everything that an epoch does is in it: the sums
of rewards and of noise, and the decision who leaves. The length is set through c; lengths take turns, and the fastest
run of each counts, so that a busy machine slows all alike. Time must not grow with the length by more than AT_MOST. In
the local box it falls: its thresholds grow more slowly, and below the cut of the sampler nothing is drawn one by one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from private_bandits.kernels import elimination
from private_bandits.papers.heavy_tailed import dp_robust_se, ldp_robust_se, setting
from private_bandits.policy import Policy
from private_bandits.streams import streams

LENGTHS = tuple(10**power for power in range(7, 16))  # pulls of each arm in the epoch
TURNS = 100
AT_MOST = 2.0  # target: the slowest length against the shortest
BETA = 1e-15
_NO_TRACE = np.zeros((0, 0), np.int64)


def first_epoch(make: Callable[[float, float], Policy], v: float, length: int) -> tuple[Callable[[], None], int]:
    """Return a call that plays the first epoch of about `length` pulls an arm, and the number of its arms."""
    problem = setting(1, v)
    moment = problem.moment(v)

    def plan(c: float) -> tuple[Policy, int]:
        policy = make(c, moment)
        share, _ = elimination._epoch(policy.record.terms, BETA, problem.n_arms, 1)
        return policy, share

    low, high = 1e-6, 1e6  # of c; the length of an epoch grows with it
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if plan(middle)[1] < length else (low, middle)
    policy, share = plan(high)
    arms, end = problem.record(), share * problem.n_arms
    marks, regret, source = np.array([end]), np.zeros(1), streams(1, 0)

    def play() -> None:
        state = elimination.start(arms, policy.record)
        elimination.advance(arms, policy.record, state, 1, end, marks, regret, _NO_TRACE, *source)

    return play, problem.n_arms


def rows() -> dict[str, list[float]]:
    """Seconds per arm and epoch, by box and v, for each length."""
    found = {}
    for v in (0.5, 0.9):
        boxes: dict[str, Callable[[float, float], Policy]] = {
            "DP Robust SE": lambda c, u, v=v: dp_robust_se(1.0, v=v, u=u, beta=BETA, c=c),  # type: ignore[misc]
            "LDP Robust SE": lambda c, u, v=v: ldp_robust_se(1.0, v=v, u=u, beta=BETA, c=c),  # type: ignore[misc]
        }
        for name, make in boxes.items():
            calls = [first_epoch(make, v, length) for length in LENGTHS]
            best = [math.inf] * len(calls)
            for _ in range(TURNS):
                for place, (play, arms) in enumerate(calls):
                    began = time.perf_counter()
                    play()
                    best[place] = min(best[place], (time.perf_counter() - began) / arms)
            found[f"{name}, v = {v:g}"] = best
    return found


def report() -> str:
    """A line per box: microseconds for each length, and whether they stay within the target."""
    lines = [
        "microseconds per arm and epoch of elimination, pulls of an arm in the epoch "
        + ", ".join(f"10^{round(math.log10(n))}" for n in LENGTHS)
    ]
    for name, seconds in rows().items():
        growth = max(seconds) / seconds[0]
        verdict = "met" if growth <= AT_MOST else "missed"
        times = "  ".join(f"{1e6 * second:.1f}" for second in seconds)
        lines.append(f"{name}: {times}; slowest to 10^7 {growth:.2f}, <= {AT_MOST:g}: {verdict}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())

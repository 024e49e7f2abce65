"""Our loops, timed as the others are: without compilation and start-up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from private_bandits.policy import Policy
from private_bandits.streams import streams

Play = Callable[[int, int], tuple[float, float]]  # rounds, seed -> seconds, pseudo-regret


def ours(problem: Any, policy: Policy) -> Play:
    """Play a policy by the calls of `simulate`."""
    kernel, numbers = policy.kernel, problem.record()

    def play(rounds: int, seed: int) -> tuple[float, float]:
        marks, regret, source = np.array([rounds]), np.zeros(1), streams(seed, 0)
        state, shown = kernel.start(numbers, policy.record), kernel.blank(problem, policy.record, 0)
        began = time.thread_time()
        for first in range(1, rounds + 1, kernel.PIECE):
            last = min(first + kernel.PIECE - 1, rounds)
            kernel.advance(numbers, policy.record, state, first, last, marks, regret, shown, *source)
        return time.thread_time() - began, float(regret[0])

    return play

"""Losses that are made to fool UCB, which without noise does what is known beforehand."""

import math
from typing import Any

import numpy as np

from private_bandits.papers.contextual.instances import GAP, N_ARMS
from private_bandits.privacy import Guarantee
from private_bandits.problems import ConvexLoss


class _UcbLearner:
    def __init__(self, n_arms: int) -> None:
        self.pulls, self.sums = [0] * n_arms, [0.0] * n_arms
        self.round, self.arm = 0, -1

    def ask(self) -> list[int]:
        self.round += 1
        if self.round <= len(self.pulls):
            self.arm = self.round - 1
        else:
            level = 2.0 * math.log(self.round)
            indices = [s / n - math.sqrt(level / n) for s, n in zip(self.sums, self.pulls, strict=True)]
            self.arm = indices.index(min(indices))
        return [self.arm]

    def tell(self, values: list[float]) -> None:
        self.pulls[self.arm] += 1
        self.sums[self.arm] += values[0]


class Ucb:
    """UCB1 for losses in [0, 1], ties to the lowest arm: it is deterministic, and can be foreseen."""

    name = "UCB"
    paper, algorithm, variant, method, family = "auer2002", "Figure 1", "losses", "lowest arm first", "none"
    privacy = Guarantee.none()

    def start(self, problem: Any, choice: Any, noise: Any) -> _UcbLearner:
        """Return a fresh learner; it draws nothing."""
        return _UcbLearner(problem.dimension)


def fooling_arms(horizon: int) -> tuple[ConvexLoss, np.ndarray]:
    """Return a fixed sequence of losses on which `Ucb` never finds the best arm, and the arms that it plays.

    The first arm loses 1 in the rounds in which `Ucb` looks at it, and 0 in all others; the other arms always lose the
    gap. What `Ucb` does is known beforehand, so the adversary is oblivious.
    """
    table = np.full((2, N_ARMS), GAP)
    table[:, 0] = 0.0, 1.0
    learner = _UcbLearner(N_ARMS)
    order, plays = [], np.zeros(horizon, np.int64)
    for t in range(horizon):
        (plays[t],) = learner.ask()
        order.append(int(plays[t] == 0))
        learner.tell([float(table[order[-1], plays[t]])])
    return ConvexLoss.arms(table, schedule=np.array(order)), plays

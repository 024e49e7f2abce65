"""A policy for lists and super arms that one number of a user is enough for, so that replay can go around it."""

from typing import Any

import numpy as np

from private_bandits.policy import Player


class OneItem(Player):
    """Thompson sampling of lists that observes one item of each, that with the fewest observations, which is first."""

    name = "Thompson, one item"

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "OneItem":
        """Return the learner."""
        self.choice, self.size = choice, problem.list_size
        self.ones, self.zeros = np.ones(problem.n_items), np.ones(problem.n_items)
        return self

    def ask(self) -> list[int]:
        """Return the items of the largest draws."""
        order = np.argsort(-self.choice.beta(self.ones, self.zeros))[: self.size]
        least = int(np.argmin((self.ones + self.zeros)[order]))
        order[[0, least]] = order[[least, 0]]
        self.first = int(order[0])
        return [int(item) for item in order]

    def tell(self, feedback: Any) -> None:
        """Take the observation of the first item."""
        (self.ones if feedback[0] else self.zeros)[self.first] += 1

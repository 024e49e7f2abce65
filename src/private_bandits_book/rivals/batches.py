"""What rivals share that pull one arm for a batch of rounds, and then look at the sum of its rewards."""

from typing import Any

import numpy as np

from private_bandits.policy import Player
from private_bandits.problems import Arms, Problem


class InBatches(Player):
    """A policy that plays an arm for `length` rounds and decides again when `left` of them is 0.

    A subclass says in `prepare` what it keeps, and in `look` what follows from `total`, the sum of the batch of `arm`.
    Each of them ends with `pull`. Between two looks a round costs two additions.
    """

    problems = (Arms, Problem)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "InBatches":
        """Return the learner, which begins with arm 0."""
        self.choice, self.noise, self.n_arms, self.t = choice, noise, problem.n_arms, 0
        self.prepare()
        return self

    def prepare(self) -> None:
        """Begin the first batch."""
        raise NotImplementedError

    def look(self) -> None:
        """Begin the next batch."""
        raise NotImplementedError

    def pull(self, arm: int, rounds: int) -> None:
        """Play an arm for some rounds, >= 1."""
        self.arm, self.answer, self.length, self.left, self.total = arm, [arm], rounds, rounds, 0.0

    def ask(self) -> list[int]:
        """Return the arm."""
        return self.answer

    def tell(self, feedback: Any) -> None:
        """Take a reward."""
        self.total += feedback[0]
        self.left -= 1
        if not self.left:
            self.t += self.length
            self.look()

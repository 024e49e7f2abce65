"""All or nothing, ours: what a user sends is everything without noise with probability delta, and else nothing."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit

_BLOCK = 256  # rounds whose draws are made at a time


class AllOrNothing(Player):
    """Thompson sampling on the feedback that users send in clear, each with probability delta; others send nothing.

    Each item draws from Beta(1 + ones, 1 + zeros) of what was sent of it, and the items of the largest draws are
    played: one of arms, `list_size` of lists and sets. It is no algorithm to use. It runs beside every policy that
    has a delta, and shows what that delta allows: `papers.contextual.all_or_nothing` is the same for contexts.

    Parameters
    ----------
    delta : float
        In (0, 1).

    Notes
    -----
    Locally (0, delta)-private: two users send the same nothing with probability 1 - delta. At a smaller delta no
    epsilon is enough. Dwork and Roth (2014, Section 2.3) say for this reason that delta must be far below one over the
    number of users. Draws of the coming 256 rounds are made at once, and dropped when somebody sends.

    Examples
    --------
    >>> policy = AllOrNothing(delta=1e-3)
    >>> policy.privacy.epsilon, policy.privacy.delta
    (0.0, 0.001)
    """

    name, algorithm, mechanism, variant, method = "All or nothing", "", "response", "", "all or nothing"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(self, *, delta: float) -> None:
        self.delta = checks.delta(delta)
        why = "with probability delta everything is sent as it is"
        self.privacy = Guarantee.certified(0.0, 0.0, "local", why, self.delta)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "AllOrNothing":
        """Return the learner."""
        self.choice, self.noise, self.size = choice, noise, problem.list_size
        self.ones, self.zeros = np.ones(problem.n_arms), np.ones(problem.n_arms)
        self.silent, self.coming = self._silent(), self._coming()
        return self

    def ask(self) -> list[int]:
        """Return the items of the largest draws."""
        self.order = next(self.coming)
        return self.order

    def tell(self, feedback: Any) -> Any:
        """Take what the user sends, and return it: the feedback, or -1 for nothing."""
        if self.silent:
            self.silent -= 1
            return -1.0
        for item, weight in zip(self.order, feedback, strict=False):
            (self.ones if weight else self.zeros)[item] += 1
        self.silent, self.coming = self._silent(), self._coming()
        return [*feedback]

    def _silent(self) -> int:
        """How many users send nothing before the next one who does."""
        return math.floor(min(math.log(1.0 - self.noise.random()) / math.log1p(-self.delta), 1e18))

    def _coming(self) -> Iterator[list[int]]:
        """What is played in the coming rounds, as long as nobody sends."""
        while True:
            draws = self.choice.beta(self.ones, self.zeros, (_BLOCK, len(self.ones)))
            yield from np.argsort(-draws, axis=1)[:, : self.size].tolist()

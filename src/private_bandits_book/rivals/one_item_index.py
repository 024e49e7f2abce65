"""DP-KLUCB on lists and super arms: the index of Azize et al. (2025) on the observations of one item of each."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels.episodes import upper_index
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit

_NO_BONUS = np.empty((0, 3))


class OneItemIndex(Player):
    """Batches of the list of the largest indices, of which the least observed item, shown first, is summed.

    Of this book; an attacker of it brought the idea. The observations of the first item over a batch of n rounds are
    summed and released once with Lap(1/epsilon); all sums of an item are added up, as those of DP-KLUCB (Azize et al.,
    2025) are. With m their total over its N observations, clipped to [0, 1], an item's index at the start of a batch in
    round t is the largest q with N d_epsilon(m, q) <= level ln t; d_epsilon is `private_kl`, and what was never
    observed comes first. A batch has as many rounds as `growth` times N of its first item, and `first` at least. A user
    is in one sum, which moves by 1 at most. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    first : int
        Rounds of the shortest batch, >= 1, to be tuned.
    level : float
        > 0, to be tuned.
    growth : float
        >= 0.

    Examples
    --------
    >>> OneItemIndex(0.5).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "DP-KLUCB, one item", "laplace", "", "DP-KLUCB on one item of a list"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(self, epsilon: float, *, first: int = 1, level: float = 1.0, growth: float = 0.5) -> None:
        self.epsilon, self.shortest = checks.epsilon(epsilon), checks.integer("first", first, at_least=1)
        self.level, self.growth = checks.real("level", level, above=0), checks.real("growth", growth, at_least=0)
        self.variant = f"first {first}, level {level:g}"
        why = "one observation of a user enters one noisy sum, and all else follows from those"
        self.privacy = Guarantee.certified(self.epsilon, self.epsilon, "central", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "OneItemIndex":
        """Return the learner."""
        self.choice, self.noise, self.size = choice, noise, problem.list_size
        self.counts, self.sums = [0] * problem.n_arms, [0.0] * problem.n_arms
        self.rounds = self.left = 0
        return self

    def ask(self) -> list[int]:
        """Return the list of the batch, a new one where none runs."""
        if not self.left:
            ties = self.choice.random(len(self.counts))
            indices = np.array([self._index(*each) for each in zip(self.sums, self.counts, strict=True)])
            order = np.lexsort((ties, -indices))
            self.order = [int(item) for item in order[: self.size]]
            self.order.sort(key=self.counts.__getitem__)
            self.left = self.length = max(self.shortest, int(self.growth * self.counts[self.order[0]]))
            self.total = 0.0
        return self.order

    def tell(self, feedback: Any) -> None:
        """Add the observation of the first item, and release the batch with its last one."""
        self.total += feedback[0]
        self.left -= 1
        if not self.left:
            self.rounds += self.length
            self.counts[self.order[0]] += self.length
            self.sums[self.order[0]] += self.total + self.noise.laplace(0.0, 1.0 / self.epsilon)

    def _index(self, total: float, count: int) -> float:
        """The largest mean that the noisy sums allow."""
        if not count:
            return math.inf
        return float(upper_index(_NO_BONUS, self.level, 0.0, self.epsilon, self.rounds + 1, count, total / count))

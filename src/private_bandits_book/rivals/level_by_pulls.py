"""An index whose level falls with the observations of an item, on one private bit of each user."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels.episodes import kl_upper
from private_bandits.mechanisms import response_probabilities
from private_bandits.mechanisms.noise import respond
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit
from private_bandits_book.rivals.single_observation import one_of_two

__all__ = ["LevelByPulls"]


class LevelByPulls(Player):
    """KL-UCB on randomised bits, with the level ln+(T/(K N)) of MOSS (Audibert and Bubeck, 2009).

    Of this book; two attackers of it brought the idea. The items of the largest indices are played, the least observed
    first, until its N observations have grown by a twentieth. Each user sends one bit on the first item by randomised
    response. With m the mean of an item's bits and K the number of all items, its index is the largest q with
    N kl(m, q) <= level ln+(T/(K N)), and at most the mean of the bits where all are true, e^epsilon/(1 + e^epsilon). No
    bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    level : float
        > 0, to be tuned.

    Examples
    --------
    >>> LevelByPulls(0.5, horizon=100).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "KL-UCB on bits, level by pulls", "response", "", "level by pulls"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(self, epsilon: float, *, horizon: int, level: float = 1.0) -> None:
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.level, self.variant = checks.real("level", level, above=0), f"level {level:g}"
        truth, self.flip = response_probabilities(epsilon, n_values=2)
        paid = channel_loss([[truth, self.flip], [self.flip, truth]])
        self.privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on the one bit of a user")

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "LevelByPulls":
        """Return the learner."""
        self.choice, self.noise, self.size = choice, noise, problem.list_size
        self.counts, self.sums = [0] * problem.n_arms, [0.0] * problem.n_arms
        self.left = 0
        return self

    def ask(self) -> list[int]:
        """Return the arm or the items of the phase, new ones where none runs."""
        if not self.left:
            ties = self.choice.random(len(self.counts))
            indices = np.array([self._index(*each) for each in zip(self.sums, self.counts, strict=True)])
            order = np.lexsort((ties, -indices))[: self.size].tolist()
            self.order = sorted(order, key=self.counts.__getitem__)
            self.left = self.length = max(1, int(0.05 * self.counts[self.order[0]]))
            self.total = 0.0
        return self.order

    def tell(self, feedback: Any) -> None:
        """Add the bit of the first item, and end the phase with its last one."""
        self.total += respond.py_func(self.noise, one_of_two(feedback[0], self.noise), 2, self.flip)
        self.left -= 1
        if not self.left:
            item = self.order[0]
            self.counts[item] += self.length
            self.sums[item] += self.total

    def _index(self, total: float, count: int) -> float:
        """The largest mean that the sums allow."""
        if not count:
            return math.inf
        most = self.level * math.log(max(self.horizon / (len(self.counts) * count), 1.0)) / count
        return min(float(kl_upper(total / count, most)), 1.0 - self.flip)

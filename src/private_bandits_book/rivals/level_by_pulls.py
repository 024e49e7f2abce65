"""An index whose level falls with the observations of an item, on one number or one private bit of each user."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels.episodes import upper_index
from private_bandits.mechanisms import response_probabilities
from private_bandits.mechanisms.noise import respond
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit
from private_bandits_book.rivals.single_observation import one_of_two

__all__ = ["LevelByPulls"]

_NO_BONUS = np.empty((0, 3))


class LevelByPulls(Player):
    """DP-KLUCB, or KL-UCB on randomised bits, with the level ln+(T/(K N)) of MOSS (Audibert and Bubeck, 2009).

    Of this book; two attackers of it brought the idea. The items of the largest indices are played, the least observed
    first, whose N observations grow by `growth` times themselves, and by `first` at least. Centrally the observations
    of such a phase are summed and released once with Lap(1/epsilon); all sums of an item are added up, and with m their
    total over N, clipped to [0, 1], the index is the largest q with N d_epsilon(m, q) <= level ln+(T/(K N)), with K the
    number of all items: as in `dp_klucb`, but for the level. A user is in one sum, which moves by 1 at most. Locally
    each user sends one bit by randomised response, m is the mean of the bits, d_epsilon is kl, and q is at most the
    mean of the bits where all are true, e^epsilon/(1 + e^epsilon). No bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    first : int
        Rounds of the shortest phase, >= 1, to be tuned.
    level : float
        > 0, to be tuned.
    local : bool
        Whether users send randomised bits; phases then cost no noise, and grow by a twentieth instead of doubling.

    Examples
    --------
    >>> LevelByPulls(0.5, horizon=100, local=True).privacy.label()
    'ε=0.5'
    """

    paper, algorithm = "", "a level that falls with the pulls of an arm"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(
        self, epsilon: float, *, horizon: int, first: int = 1, level: float = 1.0, local: bool = False
    ) -> None:
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.first, self.level = checks.integer("first", first, at_least=1), checks.real("level", level, above=0)
        self.local = checks.flag("local", local)
        self.variant = f"first {first}, level {level:g}"
        if local:
            self.name, self.mechanism, self.growth = "KL-UCB on bits, level by pulls", "response", 0.05
            truth, self.flip = response_probabilities(epsilon, n_values=2)
            paid = channel_loss([[truth, self.flip], [self.flip, truth]])
            why = "randomised response on the one bit of a user"
            self.privacy = Guarantee.certified(epsilon, paid, "local", why)
        else:
            self.name, self.mechanism, self.growth, self.flip = "DP-KLUCB, level by pulls", "laplace", 1.0, 0.0
            why = "a reward enters one noisy sum, and all else follows from those"
            self.privacy = Guarantee.certified(self.epsilon, self.epsilon, "central", why)

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
            self.left = self.length = max(self.first, int(self.growth * self.counts[self.order[0]]))
            self.total = 0.0
        return self.order

    def tell(self, feedback: Any) -> None:
        """Add what was observed of the first item, or its bit, and release the phase with its last one."""
        self.total += (
            respond.py_func(self.noise, one_of_two(feedback[0], self.noise), 2, self.flip)
            if self.local
            else feedback[0]
        )
        self.left -= 1
        if not self.left:
            item = self.order[0]
            self.counts[item] += self.length
            self.sums[item] += self.total + (0.0 if self.local else self.noise.laplace(0.0, 1.0 / self.epsilon))

    def _index(self, total: float, count: int) -> float:
        """The largest mean that the sums allow."""
        if not count:
            return math.inf
        left = max(self.horizon / (len(self.counts) * count), 1.0)
        kept = 0.0 if self.local else self.epsilon
        return min(float(upper_index(_NO_BONUS, self.level, 0.0, kept, left, count, total / count)), 1.0 - self.flip)

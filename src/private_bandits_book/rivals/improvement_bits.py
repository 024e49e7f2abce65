"""Expected improvement on one randomised bit of each user: arms, lists and super arms without a curator."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.mechanisms import response_probabilities
from private_bandits.mechanisms.noise import respond
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit
from private_bandits_book.rivals.expected_improvement import index, sum_tails
from private_bandits_book.rivals.single_observation import one_of_two

__all__ = ["ImprovementBits", "OneExplorer", "below"]

_MEANS = np.sin(np.pi * (np.arange(240) + 0.5) / 480) ** 2  # of equal weight under Jeffreys' prior Beta(1/2, 1/2)


class ImprovementBits(Player):
    """The index of `ExpectedImprovement` on bits that users send by randomised response.

    Of this book. The items of the largest indices are played for a phase, the least observed first, and each user sends
    one bit on the first item. The posterior of an item's mean q, from Jeffreys' prior, is that of its bits, which are 1
    with probability f + (1 - 2 f) q where f = 1/(1 + e^epsilon); so it lies in [0, 1] whatever the bits say. A phase is
    a tenth as long as what was observed of its first item, and at least `first` ((e^epsilon + 1)/(e^epsilon - 1))^2;
    the b of the index is half of these observations, or that least. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    first : float
        > 0, to be tuned.
    cost : float
        > 0, to be tuned.

    Notes
    -----
    It is locally epsilon-private: a user sends one bit by randomised response, and what is played follows from bits.

    Examples
    --------
    >>> ImprovementBits(0.5, horizon=100).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "Expected improvement, one bit", "response", "", "expected improvement on bits"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(self, epsilon: float, *, horizon: int, first: float = 1.0, cost: float = 1.5) -> None:
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.first, self.cost = checks.real("first", first, above=0), checks.real("cost", cost, above=0)
        self.variant = f"first {first:g}, cost {cost:g}"
        truth, self.flip = response_probabilities(epsilon, n_values=2)
        self.shortest = max(1, math.ceil(min(self.first / (truth - self.flip) ** 2, self.horizon)))
        ones = self.flip + (truth - self.flip) * _MEANS
        self.chances = np.log(np.array([ones, 1.0 - ones]))
        paid = channel_loss([[truth, self.flip], [self.flip, truth]])
        self.privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on the one bit of a user")

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "ImprovementBits":
        """Return the learner."""
        self.choice, self.noise, self.size = choice, noise, problem.list_size
        self.counts, self.sums = [0] * problem.n_arms, [0.0] * problem.n_arms
        self.tails = np.zeros((problem.n_arms, 2, len(_MEANS)))
        self.left = self.t = 0
        return self

    def ask(self) -> list[int]:
        """Return the arm or the items of the phase, new ones where none runs."""
        if not self.left:
            indices = np.array([self._index(item) for item in range(len(self.counts))])
            order = np.lexsort((self.choice.random(len(indices)), -indices))[: self.size].tolist()
            self.order = sorted(order, key=self.counts.__getitem__)
            self.left = self.length = max(self.shortest, int(0.1 * self.counts[self.order[0]]))
            self.total = 0.0
        return self.order

    def tell(self, feedback: Any) -> int:
        """Add the bit of the first item, which is what the user sends, and end the phase with its last one."""
        bit = int(respond.py_func(self.noise, one_of_two(feedback[0], self.noise), 2, self.flip))
        self.total += bit
        self.left -= 1
        if not self.left:
            item = self.order[0]
            self.t += self.length
            self.counts[item] += self.length
            self.sums[item] += self.total
            logs = self.sums[item] * self.chances[0] + (self.counts[item] - self.sums[item]) * self.chances[1]
            sum_tails(logs, _MEANS, self.tails[item])
        return bit

    def _index(self, item: int) -> float:
        """The largest reward that would be given up for observing the item."""
        if not self.counts[item]:
            return math.inf
        price = self.cost * max(float(self.shortest), 0.5 * self.counts[item])
        return float(index(self.tails[item], _MEANS, float(max(self.horizon - self.t, 1)), price))


class OneExplorer(ImprovementBits):
    """`ImprovementBits` on lists and super arms that shows the best items by their means, and one at most to learn of.

    Of this book, after an attacker's policy. M are the items of the K largest posterior means. If an item of the K
    largest indices is not in M, the least observed such takes the place of the last of M, and users send the bit on it.
    Otherwise M is shown, and the bit costs nothing: it is on the item of M of the largest E[(v - q)+] / N, with v the
    largest posterior mean outside M and N the observations of the item, or the least length of a phase.

    Parameters
    ----------
    epsilon, horizon, first, cost
        As of `ImprovementBits`.

    Notes
    -----
    It is as private as `ImprovementBits`.

    Examples
    --------
    >>> OneExplorer(0.5, horizon=100).privacy.label()
    'ε=0.5'
    """

    name, algorithm = "Expected improvement, one explorer", "expected improvement of one item at a time"

    def ask(self) -> list[int]:
        """Return the items of the phase, new ones where none runs; the first is the one that users tell about."""
        if not self.left:
            indices = np.array([self._index(item) for item in range(len(self.counts))])
            means = np.where(np.array(self.counts) > 0, self.tails[:, 1, 0], -1.0)
            ties = self.choice.random(len(means))
            best = np.lexsort((ties, -means)).tolist()
            wanted = np.lexsort((ties, -indices))[: self.size].tolist()
            shown, outside = best[: self.size], best[self.size :]
            if new := [item for item in wanted if item in outside]:
                told = min(new, key=self.counts.__getitem__)
                shown = shown[:-1]
            else:
                v = float(means[outside[0]]) if outside else 1.0
                told = max(shown, key=lambda item: below(self.tails[item], _MEANS, v) / self._observed(item))
            self.order = [told, *(item for item in shown if item != told)]
            self.left = self.length = max(self.shortest, int(0.1 * self.counts[told]))
            self.total = 0.0
        return self.order

    def _observed(self, item: int) -> int:
        return max(self.shortest, self.counts[item])


@compiled
def below(tails: np.ndarray, means: np.ndarray, v: float) -> float:
    """Return E[(v - q)+] of a posterior.

    Parameters
    ----------
    tails, means : ndarray
        Of `sum_tails`.
    v : float
        In [0, 1].

    Returns
    -------
    float
    """
    place = np.searchsorted(means, v)
    above = tails[1, place] - v * tails[0, place] if place < len(means) else 0.0
    return float(above - (tails[1, 0] - v))


# benchmark: ImprovementBits --problem arms

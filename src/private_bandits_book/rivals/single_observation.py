"""Policies for lists and super arms that one number of a user is enough for: exact, for replay, or a random bit."""

from typing import Any

import numpy as np

from private_bandits.mechanisms import response_probabilities
from private_bandits.mechanisms.noise import respond
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit


class OneItem(Player):
    """Thompson sampling of lists that observes one item of each, that with the fewest observations, which is first."""

    name = "Thompson, one item"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "OneItem":
        """Return the learner."""
        self.choice, self.size = choice, problem.list_size
        self.ones, self.zeros = np.ones(problem.n_arms), np.ones(problem.n_arms)
        return self

    def ask(self) -> list[int]:
        """Return the items of the largest draws."""
        order = np.argsort(-self.choice.beta(self.ones, self.zeros))[: self.size].tolist()
        least = int(np.argmin((self.ones + self.zeros)[order]))
        order[0], order[least] = order[least], order[0]
        self.first = order[0]
        return order

    def tell(self, feedback: Any) -> Any:
        """Take the observation of the first item."""
        self.ones[self.first] += feedback[0]
        self.zeros[self.first] += 1 - feedback[0]


class OneBit(OneItem):
    """`OneItem` on randomised bits: a user reports the 0 or 1 of the first item by randomised response.

    A reward between 0 and 1 is first rounded to one of them at random, with itself as its mean. It is locally
    epsilon-private: a user sends this one bit, which is true with probability e^epsilon / (1 + e^epsilon)
    and false with 1 / (1 + e^epsilon), whatever was sent before, and all lists follow from such bits. The bits are not
    corrected: the mean of an item's bits increases with that of the item, so the best items stay the best. On arms this
    is TS-CF of Gajane et al. (2018), who bound its regret; for lists and super arms we have no bound.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity gives `OneItem`.
    """

    name, mechanism, variant = "Thompson, one bit", "response", ""

    def __init__(self, epsilon: float) -> None:
        truth, self.flip = response_probabilities(epsilon, n_values=2)
        paid = channel_loss([[truth, self.flip], [self.flip, truth]])
        self.privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on the one bit of a user")

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "OneBit":
        """Return the learner."""
        super().start(problem, choice, noise)
        self.noise = noise
        return self

    def tell(self, feedback: Any) -> int:
        """Take the bit that the user sends, and return it."""
        bit = int(respond.py_func(self.noise, one_of_two(feedback[0], self.noise), 2, self.flip))
        super().tell([bit])
        return bit


def one_of_two(reward: float, noise: np.random.Generator) -> int:
    """Round a reward to 0 or 1 at random, with itself as the mean.

    Parameters
    ----------
    reward : float
        In [0, 1]; 0 and 1 draw no random number.
    noise : numpy.random.Generator

    Returns
    -------
    int

    Examples
    --------
    >>> one_of_two(1.0, np.random.default_rng(1))
    1
    """
    return int(reward) if reward in (0, 1) else int(noise.random() < reward)

"""Thompson sampling on whole replies of users who randomise them: the click of a list, or all bits of a super arm."""

from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.channels import channel_loss
from private_bandits.kernels import protocol
from private_bandits.mechanisms import response_probabilities
from private_bandits.mechanisms.noise import respond
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, SemiBandit
from private_bandits_book.rivals.all_observations import AllObserved
from private_bandits_book.rivals.single_observation import one_of_two


class WholeReply(AllObserved):
    """`AllObserved` on lists whose users report the place of their click, or none, by (K+1)-ary randomised response.

    Of this book, without a bound. The reply r of K + 1 is true with probability p = e^epsilon q, each other one is sent
    with q = 1 / (K + e^epsilon), so it is locally epsilon-private. With z_k = (1{r = k} - q) / (p - q), z_k estimates
    the click at place k and 1 - z_1 - ... - z_{k-1} that the place was seen, both without bias. For each item the
    clicks S and views N are summed, and its posterior is Beta(1 + max(S, 0)/v, 1 + max(N - S, 0)/v),

        v = 1 + noisiness q (1 - q) (K + 1) / (2 (p - q)^2),

    as the noise makes a view worth less. The item of the least v-corrected count goes first. An uncorrected posterior
    takes later places for better ones.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity gives `AllObserved(least_first=True)`.
    list_size : int
        K >= 1.
    noisiness : float
        >= 0, to be tuned; 1 is about the variance of a report over that of one of 0 and 1.

    Examples
    --------
    >>> WholeReply(2.0, list_size=4).privacy.label()
    'ε=2'
    """

    name, mechanism, paper, algorithm = "Thompson, whole reply", "response", "", "(K+1)-ary response"
    problems = (Cascade,)

    def __init__(self, epsilon: float, *, list_size: int, noisiness: float = 1.0) -> None:
        super().__init__(least_first=True)
        self.list_size = checks.integer("list_size", list_size, at_least=1)
        self.noisiness = checks.real("noisiness", noisiness, at_least=0)
        self.name, self.variant, self.algorithm = WholeReply.name, f"noisiness {noisiness:g}", WholeReply.algorithm
        self.truth, self.flip = response_probabilities(epsilon, n_values=self.list_size + 1)
        channel = np.full((self.list_size + 1,) * 2, self.flip) + (self.truth - self.flip) * np.eye(self.list_size + 1)
        why = "randomised response on the place of a user's click, or none"
        self.privacy = Guarantee.certified(epsilon, channel_loss(channel), "local", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "WholeReply":
        """Return the learner."""
        protocol.check_size(self.name, "list_size", self.list_size, problem.list_size)
        super().start(problem, choice, noise)
        self.gain = self.truth - self.flip
        self.worth_of = 1 + self.noisiness * self.flip * (1 - self.flip) * (self.size + 1) / 2 / self.gain**2
        self.clicks, self.views = [0.0] * problem.n_arms, [0.0] * problem.n_arms
        return self

    def tell(self, feedback: Any) -> int:
        """Take the place that the user sends, and return it."""
        place = len(feedback) - 1 if feedback[-1] else self.size
        sent, seen, ones, zeros = self.sent(place, self.size + 1), 1.0, self.ones, self.zeros
        for k, item in enumerate(self.order):
            click = ((sent == k) - self.flip) / self.gain
            self.views[item] += seen
            self.clicks[item] += click
            seen -= click
            ones[item] = 1.0 + max(self.clicks[item], 0.0) / self.worth_of
            zeros[item] = 1.0 + max(self.views[item] - self.clicks[item], 0.0) / self.worth_of
        return sent

    def sent(self, value: int, n_values: int) -> int:
        """Return a value after randomised response."""
        return int(respond.py_func(self.noise, value, n_values, self.flip))


class AllBits(AllObserved):
    """`AllObserved` on super arms whose users report all K outcomes, each by randomised response at epsilon / K.

    Of this book, without a bound. A bit is true with probability e^(epsilon/K) / (1 + e^(epsilon/K)), and K of them
    together are locally epsilon-private. They are not corrected, as the mean of an item's bits is its own mean, shrunk
    towards 1/2 alike for all: the order of sets of K items stays. Where a set is smaller, less is paid; so that sizes
    and weights compare, the draws theta are moved back to (theta - q) / (1 - 2 q), q being the chance of a lie.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity gives `AllObserved`.
    list_size : int
        K >= 1, the largest size of a super arm.

    Examples
    --------
    >>> AllBits(3.0, list_size=3).privacy.label()
    'ε=3'
    """

    name, mechanism, paper, algorithm = "Thompson, all bits", "response", "", "each bit at epsilon / K"
    problems = (Arms, SemiBandit)

    def __init__(self, epsilon: float, *, list_size: int) -> None:
        super().__init__()
        self.list_size = checks.integer("list_size", list_size, at_least=1)
        truth, self.flip = response_probabilities(checks.epsilon(epsilon) / self.list_size, n_values=2)
        paid = self.list_size * channel_loss([[truth, self.flip], [self.flip, truth]])
        why = f"randomised response on each of {self.list_size} bits of a user"
        self.privacy = Guarantee.certified(epsilon, paid, "local", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "AllBits":
        """Return the learner."""
        protocol.check_size(self.name, "list_size", self.list_size, problem.list_size)
        super().start(problem, choice, noise)
        if self.sets:
            self.shift = self.flip  # the mean of an answer whose bit is 0
        return self

    def tell(self, feedback: Any) -> list[int]:
        """Take the bits that the user sends, and return them."""
        bits = [int(respond.py_func(self.noise, one_of_two(value, self.noise), 2, self.flip)) for value in feedback]
        super().tell(bits)
        return bits

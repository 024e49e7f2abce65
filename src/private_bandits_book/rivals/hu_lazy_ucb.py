"""Hu, Huang, Mehta and Hegde (2021), Anytime-Lazy-UCB: observations that double, an index with a term for the noise."""

import math

from private_bandits import checks
from private_bandits.mechanisms import laplace_scale
from private_bandits.mechanisms.noise import laplace
from private_bandits.privacy import Guarantee
from private_bandits_book.rivals.batches import InBatches


class LazyUCB(InBatches):
    """Anytime-Lazy-UCB of Hu et al. (2021): in each round the arm of the largest index is pulled.

    Every arm is pulled once. When an arm, whose index rests on n observations, has 2n fresh ones, its index rests on
    those, and on nothing older. With m their mean plus Lap(1/epsilon) / n, the index in round t is

        m + sqrt(width ln(t) / n) + extra ln(t) / (epsilon n).

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise. Each reward enters one noisy sum.
    width, extra : float, optional
        Factors of ln t, of Hoeffding's term and of that of the noise, > 0.

    Notes
    -----
    We have not seen the pseudo-code. Batches, forgetting and noise are as the abstract and Hu and Hegde (2022) tell
    them; 3 ln(t) / (epsilon n) is what these add in line 7 of Lazy-DP-TS, and sqrt(3 ln(t) / n) the deviation in their
    proofs, there with the base-2 logarithm. With 3 and 3 a noisy mean lies below the true one by more than what is
    added with probability at most t^-6 + t^-3 / 2. An index rests on a quarter to a half of an arm's pulls.

    We differ in no action, but look only when an arm's batch is full or another index has grown past its own: that is
    of the fewer observations, so the difference grows in ln t, and the round is the root of a square.

    Examples
    --------
    >>> LazyUCB(0.5).privacy.label()
    'ε=0.5'
    """

    name, paper, algorithm, mechanism, variant = "Anytime-Lazy-UCB", "hu2021", "Anytime-Lazy-UCB", "laplace", "derived"

    def __init__(self, epsilon: float, *, width: float = 3.0, extra: float = 3.0) -> None:
        self.scale = laplace_scale(epsilon, sensitivity=1.0)
        self.width, self.extra = checks.real("width", width, above=0), checks.real("extra", extra, above=0)
        if (width, extra) != (3.0, 3.0):
            self.variant = f"width {width:g}, extra {extra:g}"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", "each reward enters one noisy sum")

    def prepare(self) -> None:
        """Pull each arm once."""
        self.used, self.fresh = [0] * self.n_arms, [0] * self.n_arms
        self.sums, self.means, self.near, self.far = ([0.0] * self.n_arms for _ in range(4))
        self.pull(0, 1)

    def look(self) -> None:
        """Release the sum of a full batch, and pull the arm of the largest index for as long as it has that."""
        arm = self.arm
        self.fresh[arm] += self.length
        self.sums[arm] += self.total
        if self.fresh[arm] == max(1, 2 * self.used[arm]):
            n = self.used[arm] = self.fresh[arm]
            self.means[arm] = (self.sums[arm] + laplace.py_func(self.noise, self.scale)) / n
            self.near[arm], self.far[arm] = math.sqrt(self.width / n), self.extra * self.scale / n
            self.fresh[arm], self.sums[arm] = 0, 0.0
        if self.t < self.n_arms:
            return self.pull(self.t, 1)
        root, arms = math.sqrt(math.log(self.t + 1)), range(self.n_arms)
        index = [self.means[a] + root * (self.near[a] + root * self.far[a]) for a in arms]
        best = max(arms, key=index.__getitem__)
        until = min((self._passes(other, best) for other in arms), default=math.inf)
        rounds = 2 * self.used[best] - self.fresh[best]
        if until < self.t + 1 + rounds:
            rounds = max(1, math.ceil(until - self.t - 1))
        self.pull(best, rounds)

    def _passes(self, other: int, best: int) -> float:
        """The time at which the index of an arm reaches that of another, which is the larger one now."""
        near, far = self.near[other] - self.near[best], self.far[other] - self.far[best]
        if near <= 0.0:
            return math.inf
        behind = self.means[best] - self.means[other]
        root = 2.0 * behind / (near + math.sqrt(near * near + 4.0 * far * behind)) if behind > 0.0 else 0.0
        return math.exp(min(root * root, 50.0))

"""Thompson sampling of lists and super arms in batches, whose sums of all places are released: central privacy."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms.noise import geometric
from private_bandits.privacy import Guarantee
from private_bandits.problems import Cascade
from private_bandits_book.rivals.all_observations import AllObserved


class ListBatches(AllObserved):
    """`AllObserved` that plays each list for a batch of n rounds, and then releases the sum of every place once.

    Of this book, without a bound. Each of the K sums of a batch gets two-sided geometric noise, P(Z = z) proportional
    to exp(-e |z|). A list has one click at most, so one user moves two of its sums by 1: e = epsilon / 2; the views of
    a place are n less the released clicks above it, which costs nothing. In a super arm all K sums may move, so
    e = epsilon / K. A user is in one batch, so all that is released is epsilon-private. A sum is clipped to [0, views],
    and counts as views^2 / (views + c) observations with c = cost ln(T) / e^2, of their mean. A batch has as many
    rounds as its least observed item, which goes first, has had, and at least sqrt(c). Where noise misleads it, a long
    batch holds to a worse list: few runs have most of the regret, on super arms above all.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity gives batches without noise.
    horizon : int
        T >= 1.
    growth : float
        Rounds of a batch over those that its least observed item has had, > 0, to be tuned.
    cost : float
        >= 0, to be tuned.

    Examples
    --------
    >>> ListBatches(0.5, horizon=1000).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "Thompson, batches of lists", "laplace", "", "a sum of every place"

    def __init__(self, epsilon: float, *, horizon: int, growth: float = 1.0, cost: float = 1.0) -> None:
        super().__init__(least_first=True)
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.growth, self.cost = checks.real("growth", growth, above=0), checks.real("cost", cost, at_least=0)
        self.name, self.algorithm = ListBatches.name, ListBatches.algorithm
        self.variant = f"growth {growth:g}, cost {cost:g}"
        why = "each reply enters the noisy sums of one batch, and all else follows from those"
        self.privacy = Guarantee.certified(self.epsilon, self.epsilon, "central", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "ListBatches":
        """Return the learner."""
        super().start(problem, choice, noise)
        self.cascade = isinstance(problem, Cascade)
        self.each = self.epsilon / min(2 if self.cascade else self.size, self.size)  # of one place
        self.price = min(self.cost * math.log(self.horizon) / self.each**2, 1e300)
        self.shortest = math.ceil(min(math.sqrt(self.price), self.horizon)) or 1
        self.rounds, self.left = [0.0] * problem.n_arms, 0
        return self

    def ask(self) -> list[int]:
        """Return the list of the batch, a new one where none runs."""
        if self.left == 0:
            super().ask()
            self.left = self.length = max(self.shortest, int(self.growth * self.rounds[self.order[0]]))
            self.sums = [0.0] * len(self.order)
        return self.order

    def observations(self, order: list[int]) -> list[float]:
        """Return how many rounds showed each of the items, as far as is released."""
        return [self.rounds[item] for item in order]

    def tell(self, feedback: Any) -> None:
        """Add a reply, and release the batch with its last one."""
        for place, value in enumerate(feedback):
            self.sums[place] += value
        self.left -= 1
        if self.left == 0:
            self._release()

    def _release(self) -> None:
        views = float(self.length)
        for item, exact in zip(self.order, self.sums, strict=True):
            noisy = min(max(exact + geometric.py_func(self.noise, self.each), 0.0), views)
            worth = views / (views + self.price) if views else 0.0
            self.ones[item] += worth * noisy
            self.zeros[item] += worth * (views - noisy)
            self.rounds[item] += views
            views -= noisy if self.cascade else 0.0

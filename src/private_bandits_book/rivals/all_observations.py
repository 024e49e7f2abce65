"""Thompson sampling of lists and super arms on all that is observed, without privacy: the base of their prices."""

from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.policy import Mechanism, Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, SemiBandit
from private_bandits.problems.semibandits import SetBandit


class AllObserved(Player):
    """Thompson sampling with a Beta posterior of every item, moved by each observation of it.

    On lists it is TS for cascading bandits with Beta posteriors (Zhong, Chueng and Tan 2021); on super arms
    combinatorial Thompson sampling (Wang and Chen 2018). A round draws theta_i from Beta(1 + ones_i, 1 + zeros_i) and
    plays the K largest draws, or the listed super arm of the largest sum; each observed item adds its 0 or 1. Both
    papers bound the regret without constants to choose. Ours is `least_first`: the item with the fewest observations,
    of several the one of the largest draw, changes places with the first, which changes no reward. It is not private.

    Parameters
    ----------
    least_first : bool
        Whether the least observed item goes first. It matters on lists only.

    Examples
    --------
    >>> AllObserved(least_first=True).name
    'Thompson, all observed, least first'
    """

    name, variant, paper, algorithm = "Thompson, all observed", "", "zhong2021", "Thompson sampling, Beta posteriors"
    mechanism: Mechanism = "none"
    privacy: Guarantee | str = Guarantee.none()
    problems: tuple[type, ...] = (Arms, Cascade, SemiBandit)

    def __init__(self, *, least_first: bool = False) -> None:
        self.least_first = checks.flag("least_first", least_first)
        if self.least_first:
            self.name, self.variant, self.algorithm = f"{self.name}, least first", "least first", ""

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "AllObserved":
        """Return the learner."""
        self.beta, self.noise, self.size = choice.beta, noise, problem.list_size
        self.ones, self.zeros = np.ones(problem.n_arms), np.ones(problem.n_arms)
        self.sets: list[list[int]] = []
        if isinstance(problem, SetBandit):
            if problem.reward_name != "linear":
                raise ValueError(f"reward of {self.name} must be linear, got {problem}")
            self.sets, self.shift = [*map(list, problem.sets)], 0.0
            self.worth = np.zeros((len(self.sets), problem.n_arms))
            for row, arms in enumerate(self.sets):
                self.worth[row, arms] = problem.weights[arms]
        return self

    def ask(self) -> list[int]:
        """Return the items of the largest draws, or the super arm of the largest sum of them."""
        draws = self.beta(self.ones, self.zeros)
        if self.sets:
            order = [*self.sets[int(np.argmax(self.worth @ (draws - self.shift)))]]
        else:
            order = (-draws).argsort()[: self.size].tolist()
        if self.least_first:
            seen = self.observations(order)
            least = seen.index(min(seen))
            order[0], order[least] = order[least], order[0]
        self.order = order
        return order

    def observations(self, order: list[int]) -> list[float]:
        """Return how often each of the items was observed."""
        return (self.ones + self.zeros)[order].tolist()

    def tell(self, feedback: Any) -> Any:
        """Count each observation."""
        for item, value in zip(self.order, feedback, strict=False):
            (self.ones if value else self.zeros)[item] += 1.0

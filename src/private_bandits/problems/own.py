"""Problems written in Python, for policies written in Python."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from private_bandits.shown import Shown


class Problem(Shown, ABC):
    """A list of items is played in each round: a subclass says what is observed, and how much less a list earns.

    Each run plays a copy, so `draw` may change the problem, but not what its class holds: such a run is refused.

    Attributes
    ----------
    n_arms : int
        Items to choose from, >= 1.
    list_size : int
        Items of a list; 1 for arms.

    Examples
    --------
    >>> class Gaussian(Problem):
    ...     means, n_arms = [0.0, 0.5], 2
    ...
    ...     def draw(self, items, t, rng):
    ...         return [rng.normal(self.means[items[0]])]
    ...
    ...     def gap(self, items, t):
    ...         return max(self.means) - self.means[items[0]]
    >>> print(Gaussian(), Gaussian().allows([1]), Gaussian().allows([2]))
    Gaussian(n_arms=2, list_size=1) True False
    """

    n_arms: int
    list_size: int = 1

    @abstractmethod
    def draw(self, items: Sequence[int], t: int, rng: np.random.Generator) -> Sequence[float]:
        """Return what is observed when a list is played.

        Parameters
        ----------
        items : sequence of int
            The list, from its top; `allows` has accepted it.
        t : int
            The round, >= 1.
        rng : numpy.random.Generator
            The environment's stream of the run.

        Returns
        -------
        sequence of float
            What the policy observes: a finite number for each observed position.
        """

    @abstractmethod
    def gap(self, items: Sequence[int], t: int) -> float:
        """Return what a list earns less, in expectation, than the best list of that round.

        Parameters
        ----------
        items : sequence of int
            As for `draw`, which is called after `gap`.
        t : int
            The round, >= 1.

        Returns
        -------
        float
            >= 0; the regret is the sum over rounds.
        """

    def allows(self, items: Sequence[int]) -> bool:
        """Whether a list may be played; asked once for each list.

        Parameters
        ----------
        items : sequence
            What the policy asked for.

        Returns
        -------
        bool
            By default whether these are `list_size` distinct items.
        """
        return len(set(items)) == len(items) == self.list_size and all(item in range(self.n_arms) for item in items)

    @property
    def legal(self) -> str:
        """What `allows` accepts, in words."""
        if self.list_size == 1:
            return f"[arm], arm an integer from 0 to {self.n_arms - 1},"
        return f"{self.list_size} distinct items"

    def facts(self) -> dict[str, str]:
        """Return what a table of the problem says."""
        return {"problem": str(self)}

    def __str__(self) -> str:
        return f"{type(self).__name__}(n_arms={self.n_arms}, list_size={self.list_size})"

"""DP-KLUCB on lists and super arms from the observations of all items, whose sums have one noise together."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels.episodes import upper_index
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit

__all__ = ["AllPlacesIndex", "body", "deviation"]

_NO_BONUS = np.empty((0, 3))


class AllPlacesIndex(Player):
    """Batches of one list or super arm, at whose end the sums of all its places are released together.

    Of this book; an attacker of it brought the idea. What one user changes in the sums of a batch lies in a convex
    body: for super arms the cube [-1, 1]^K, for lists, which have one click at most, the hull of the differences of 0,
    e_1, ..., e_K. The noise is that of the K-norm mechanism (Hardt and Talwar, 2010): a uniform point of the body times
    a radius from Gamma(K + 1, 1/epsilon), so that its density is proportional to e^(-epsilon |z|), where |z| is the
    factor by which the body must grow to reach z. A user changes |z| by 1 at most, a user is in one batch, and all else
    follows from releases. In a list the later places were
    observed as often as the released clicks before them say.

    All sums of an item are added up. With m their total over its N observations, clipped to [0, 1], an item's index at
    the start of a batch in round t is the largest q with N d_e(m, q) <= level ln t, where Lap(1/e) would have the
    variance of its noise, and d_e is `private_kl`. The K largest are shown, the least observed first. A batch has as
    many rounds as `growth` times N of its first item, and `first` at least. No bound is proved.

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
    >>> AllPlacesIndex(0.5).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "DP-KLUCB, all places", "exponential", "", "DP-KLUCB on all places of a list"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(self, epsilon: float, *, first: int = 1, level: float = 1.0, growth: float = 0.5) -> None:
        self.epsilon, self.shortest = checks.epsilon(epsilon), checks.integer("first", first, at_least=1)
        self.level, self.growth = checks.real("level", level, above=0), checks.real("growth", growth, at_least=0)
        self.variant = f"first {first}, level {level:g}"
        why = "a user's reply enters the sums of one batch, which have the noise of the K-norm mechanism"
        self.privacy = Guarantee.certified(self.epsilon, self.epsilon, "central", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "AllPlacesIndex":
        """Return the learner."""
        self.choice, self.noise, self.size = choice, noise, problem.list_size
        self.clicks = isinstance(problem, Cascade)
        self.counts, self.sums = np.zeros(problem.n_arms), np.zeros(problem.n_arms)
        self.releases = np.zeros(problem.n_arms, dtype=int)
        self.deviation = deviation(self.size, clicks=self.clicks)
        self.rounds = self.left = 0
        return self

    def ask(self) -> list[int]:
        """Return the list of the batch, a new one where none runs."""
        if not self.left:
            indices = np.array([self._index(item) for item in range(len(self.counts))])
            order = np.lexsort((self.choice.random(len(indices)), -indices))[: self.size]
            self.order = sorted(order.tolist(), key=self.counts.__getitem__)
            self.left = self.length = max(self.shortest, int(self.growth * self.counts[self.order[0]]))
            self.totals = [0.0] * self.size
        return self.order

    def tell(self, feedback: Any) -> None:
        """Add what was observed, and release the batch with its last one."""
        for place, number in enumerate(feedback):
            self.totals[place] += number
        self.left -= 1
        if self.left:
            return
        self.rounds += self.length
        noise = self.noise.gamma(self.size + 1, 1.0 / self.epsilon) * body(self.noise, self.size, clicks=self.clicks)
        released, observed = self.totals + noise, float(self.length)
        for item, total in zip(self.order, released.tolist(), strict=True):
            if observed > 0:
                self.counts[item] += observed
                self.sums[item] += total
                self.releases[item] += 1
            if self.clicks:
                observed -= min(max(total, 0.0), observed)

    def _index(self, item: int) -> float:
        """The largest mean that the noisy sums allow."""
        count = self.counts[item]
        if not count:
            return math.inf
        alike = self.epsilon * math.sqrt(2.0) / self.deviation
        return float(upper_index(_NO_BONUS, self.level, 0.0, alike, self.rounds + 1, count, self.sums[item] / count))


def body(noise: np.random.Generator, size: int, *, clicks: bool) -> np.ndarray:
    """Draw a uniform point of the body of what one user can change.

    Parameters
    ----------
    noise : numpy.random.Generator
    size : int
        Places, >= 1.
    clicks : bool
        Whether a user has one click at most; the body then is where the positive entries add up to 1 at most, and the
        negative ones to -1 at least. Else it is the cube.

    Returns
    -------
    ndarray, shape (size,)
    """
    if not clicks:
        return noise.uniform(-1.0, 1.0, size)
    point = np.empty(size)
    positive = int(noise.choice(size + 1, p=_parts(size)))
    for chosen, sign in zip(np.split(noise.permutation(size), [positive]), (1.0, -1.0), strict=True):
        point[chosen] = sign * noise.dirichlet(np.ones(len(chosen) + 1))[:-1]
    return point


def deviation(size: int, *, clicks: bool) -> float:
    """Return the standard deviation of the noise of one place at epsilon = 1.

    Parameters
    ----------
    size, clicks
        As for `body`.

    Returns
    -------
    float
        The square root of (K + 1)(K + 2) times the mean square of a coordinate of the body.
    """
    square = 1 / 3
    if clicks:
        positive = np.arange(size + 1)
        squares = [2 * part / ((part + 1) * (part + 2)) for part in (positive, size - positive)]
        square = float(_parts(size) @ sum(squares)) / size
    return math.sqrt((size + 1) * (size + 2) * square)


def _parts(size: int) -> np.ndarray:
    """The shares of the body of clicks by its number of positive entries, C(K, p) / (p! (K - p)!) up to a factor."""
    shares = np.array([math.comb(size, p) ** 2 for p in range(size + 1)], dtype=float)
    return shares / shares.sum()

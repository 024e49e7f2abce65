"""DP-KLUCB on arms, lists and super arms that weighs each release by itself, of all places with one noise together."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, Problem, SemiBandit

__all__ = ["BatchByBatch", "body", "deviation"]

_AS_OFTEN = 2.0  # places whose items were observed at most so many times as often as the first are released
_EDGE = 1e-7  # of the means that are searched


class BatchByBatch(Player):
    """Batches of one arm, list or super arm, whose noisy sums are kept apart and weighed one by one.

    Of this book; attackers of it brought the ideas. At the end of a batch the sums of its places are released together.
    What one user changes in them lies in a convex body: for super arms the cube [-1, 1]^K, for lists, which have one
    click at most, the hull of the differences of 0, e_1, ..., e_K. The noise is that of the K-norm mechanism (Hardt and
    Talwar, 2010): a uniform point of the body times a radius from Gamma(K + 1, 1/epsilon), so that its density is
    proportional to e^(-epsilon |z|), where |z| is the factor by which the body must grow to reach z; on arms it is
    Lap(1/epsilon). A user changes |z| by 1 at most, a user is in one batch, and all else follows from releases: what is
    shown, how long, and how many places are summed, which are the first ones, up to an item that was observed more than
    twice as often as the first. In a list the later places were observed as often as the released clicks before them
    say.

    A release z of n observations speaks against a mean q by n d_e(z/n, q), where Lap(1/e) would have the variance of
    its noise and d_e is `private_kl`, which goes on with slope e where noise took z/n out of [0, 1]. `dp_klucb` adds up
    sums, and so their noise; here what they say is added up, by which a long batch outweighs the noise of short ones.
    An item's index is the largest q against which its releases say at most level ln+(T/(L N)) more than against the
    mean that fits them best, with L items and N observations of the item: the level of MOSS (Audibert and Bubeck,
    2009). The K largest are shown, the least observed first. A batch has half as many rounds as its first item has
    observations, and at least `first` times the n at which noise and sampling weigh alike. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    first : float
        > 0, to be tuned.
    level : float
        > 0, to be tuned.

    Examples
    --------
    >>> BatchByBatch(0.5, horizon=1000).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "DP-KLUCB, batch by batch", "exponential", "", "releases weighed one by one"
    problems = (Arms, Cascade, SemiBandit, Problem)

    def __init__(self, epsilon: float, *, horizon: int, first: float = 4.0, level: float = 0.7) -> None:
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.first, self.level = checks.real("first", first, above=0), checks.real("level", level, above=0)
        self.variant = f"first {first:g}, level {level:g}"
        why = "a user's reply enters the sums of one batch, which have the noise of the K-norm mechanism"
        self.privacy = Guarantee.certified(self.epsilon, self.epsilon, "central", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "BatchByBatch":
        """Return the learner."""
        self.choice, self.noise, self.size = choice, noise, problem.list_size
        self.clicks = isinstance(problem, Cascade)
        self.counts, self.indices = np.zeros(problem.n_arms), np.full(problem.n_arms, math.inf)
        self.releases: list[list[tuple[float, float, float]]] = [[] for _ in range(problem.n_arms)]
        alike = [math.sqrt(2.0) / deviation(places, clicks=self.clicks) for places in range(1, self.size + 1)]
        self.kept = [self.epsilon * each for each in alike]
        self.shortest = [self._shortest(each) for each in self.kept]
        self.left = 0
        return self

    def ask(self) -> list[int]:
        """Return the list of the batch, a new one where none runs."""
        if not self.left:
            order = np.lexsort((self.choice.random(len(self.indices)), -self.indices))[: self.size]
            self.order = sorted(order.tolist(), key=self.counts.__getitem__)
            counts = self.counts[self.order]
            self.places = int((counts <= _AS_OFTEN * counts[0]).sum())
            self.left = self.length = max(self.shortest[self.places - 1], int(0.5 * counts[0]))
            self.totals = [0.0] * self.size
        return self.order

    def tell(self, feedback: Any) -> None:
        """Add what was observed, and release the batch with its last one."""
        for place, number in enumerate(feedback):
            self.totals[place] += number
        self.left -= 1
        if not self.left:
            self._release()

    def _release(self) -> None:
        places, observed = self.places, float(self.length)
        radius = self.noise.gamma(places + 1, 1.0 / self.epsilon)
        released = self.totals[:places] + radius * body(self.noise, places, clicks=self.clicks)
        for item, total in zip(self.order, released.tolist(), strict=False):
            if observed > 0:
                self.counts[item] += observed
                self.releases[item].append((total / observed, observed, self.kept[places - 1]))
                left = max(self.horizon / (len(self.counts) * self.counts[item]), 1.0)
                self.indices[item] = highest(np.array(self.releases[item]), self.level * math.log(left))
            if self.clicks:
                observed -= min(max(total, 0.0), observed)

    def _shortest(self, kept: float) -> int:
        """Rounds of a batch with such noise, at least."""
        alike = 0.5 + math.sqrt(0.25 + math.log(self.horizon) / min(kept, 1e6) ** 2)
        return max(1, math.ceil(self.first * min(alike, self.horizon)))


@compiled
def against(releases: np.ndarray, q: float) -> float:
    """Return what releases say against a mean: the sum of n d_e(m, q).

    Parameters
    ----------
    releases : ndarray, shape (n_releases, 3)
        Of each its noisy mean m, the observations n > 0, and e > 0.
    q : float
        In (0, 1).

    Returns
    -------
    float
        >= 0, convex in q.
    """
    said = 0.0
    for k in range(len(releases)):
        mean, many, kept = releases[k]
        shrunk = math.exp(-kept)
        low, high = q * shrunk / (1.0 - q + q * shrunk), q / (q + (1.0 - q) * shrunk)
        exact = min(max(mean, low), high)  # what the mean of the batch is, without noise, where least speaks against q
        each = kept * abs(mean - exact) if mean != exact else 0.0
        if exact > 0.0:
            each += exact * math.log(exact / q)
        if exact < 1.0:
            each += (1.0 - exact) * math.log((1.0 - exact) / (1.0 - q))
        said += many * each
    return said


@compiled
def highest(releases: np.ndarray, most: float) -> float:
    """Return the largest mean against which releases say at most so much more than against the one that fits best.

    Parameters
    ----------
    releases : ndarray
        As for `against`.
    most : float
        >= 0.

    Returns
    -------
    float
        In (0, 1).
    """
    low, high = _EDGE, 1.0 - _EDGE
    for _ in range(40):
        third = (high - low) / 3.0
        if against(releases, low + third) <= against(releases, high - third):
            high -= third
        else:
            low += third
    fits = 0.5 * (low + high)
    low, high, most = fits, 1.0 - _EDGE, most + against(releases, fits)
    if against(releases, high) <= most:
        return high
    for _ in range(30):
        middle = 0.5 * (low + high)
        if against(releases, middle) <= most:
            low = middle
        else:
            high = middle
    return low


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

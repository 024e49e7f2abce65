"""Of this book: Thompson sampling on the batches and releases of replay, but not as replay gives them to it."""

import math

import numpy as np
from scipy.special import log_ndtr

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.kernels.replay import released
from private_bandits.mechanisms.noise import geometric
from private_bandits.privacy import Guarantee
from private_bandits_book.rivals.batches import InBatches

_ENDS = np.sin(np.linspace(0.0, math.pi / 2, 401)) ** 2  # of the cells of a mean, which are narrow near 0 and 1
_MIDDLES = np.sin(np.pi * (np.arange(400) + 0.5) / 800) ** 2


class OneDraw(InBatches):
    """Thompson sampling that plays a whole batch on one draw.

    Arms are pulled in the batches of `replay`. Each sum is released once and counts as so many observations, which the
    policy takes all at once: the next batch is of the arm with the largest draw from Beta(1 + ones, 1 + zeros). Rewards
    are 0 or 1; the sum of others is rounded down.

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise.
    horizon : int
        Longest run T, >= 1, from which batches are set.
    first : int, optional
        Pulls of an arm's first batch, >= 1. Default: as for `replay`, the least that count as one observation.

    Notes
    -----
    Releases decide all, so that Theorem 1 of the page on replay holds.

    Examples
    --------
    >>> OneDraw(0.5, horizon=10_000).privacy.label()
    'ε=0.5'
    """

    name, algorithm, mechanism, variant = "Thompson, one draw a batch", "one draw a batch", "laplace", ""

    def __init__(self, epsilon: float, *, horizon: int, first: int | None = None) -> None:
        self.epsilon = checks.epsilon(epsilon)
        self.horizon = checks.integer("horizon", horizon, at_least=1)
        self.cost = math.log(self.horizon) / self.epsilon**2
        least = math.ceil(0.5 + math.sqrt(0.25 + self.cost) - 1e-9)
        self.first = least if first is None else checks.integer("first", first, at_least=1)
        if first is not None:
            self.variant = f"first {first}"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", "each reward enters one noisy sum")

    def prepare(self) -> None:
        """Begin the first batch."""
        self.pulls = [0] * self.n_arms
        self.ones, self.zeros = np.ones(self.n_arms), np.ones(self.n_arms)
        self.begin()

    def look(self) -> None:
        """Release the sum of the batch, once, and begin the next one."""
        self.pulls[self.arm] += self.length
        self.take()
        self.begin()

    def take(self) -> None:
        """Learn from the released sum."""
        worth, ones = released.py_func(self.epsilon, self.cost, self.length, int(self.total), self.noise)
        self.ones[self.arm] += ones
        self.zeros[self.arm] += worth - ones

    def begin(self) -> None:
        """Begin the next batch."""
        arm = self.wanted()
        self.pull(arm, max(self.first, self.pulls[arm]))

    def wanted(self) -> int:
        """Return the arm of the next batch."""
        return int(np.argmax(self.choice.beta(self.ones, self.zeros)))


class KnownNoise(OneDraw):
    """Replay around Thompson sampling, but for a posterior that knows what is noise.

    The posterior of a mean, from a uniform prior, is that given the releases: the likelihood of a release is that of a
    normal variable with the mean and the variance of a sum of n rewards, plus two-sided exponential noise. As in replay
    a release of n rewards counts as

        k = max(1, floor(n^2 / (n + cost))),  cost = ln(T) / epsilon^2;

    here these are draws: every arm draws from its posterior, and the arm of the largest draw uses up one of its own.
    The next batch is of the first arm that wins and has none left. Rewards are as for `OneDraw`.

    Parameters
    ----------
    epsilon, horizon, first
        As for `OneDraw`.

    Examples
    --------
    >>> KnownNoise(0.5, horizon=10_000).privacy.label()
    'ε=0.5'
    """

    name, algorithm = "Thompson, known noise", "known noise"

    def prepare(self) -> None:
        """Begin the first batch."""
        self.logs = np.tile(np.log(np.diff(_ENDS)), (self.n_arms, 1))
        self.below = np.cumsum(np.exp(self.logs), axis=1)
        self.draws = np.zeros(self.n_arms, np.int64)
        super().prepare()

    def take(self) -> None:
        """Learn from the released sum."""
        noisy = int(self.total) + geometric.py_func(self.noise, self.epsilon)
        self.logs[self.arm] += log_likelihood(noisy, self.length, self.epsilon)
        known = np.cumsum(np.exp(self.logs[self.arm] - self.logs[self.arm].max()))
        self.below[self.arm] = known / known[-1]
        self.draws[self.arm] = max(1, int(self.length**2 / (self.length + self.cost)))

    def wanted(self) -> int:
        """Return the arm of the next batch."""
        return int(_wanted(self.below, _ENDS, self.draws, self.choice))


def log_likelihood(noisy: float, n: int, epsilon: float) -> np.ndarray:
    """Return ln of the density of a release of n rewards at each of the 400 means of the grid, up to a constant.

    Parameters
    ----------
    noisy : float
        The sum and its noise.
    n : int
    epsilon : float
    """
    if math.isinf(epsilon):
        return noisy * np.log(_MIDDLES) + (n - noisy) * np.log(1 - _MIDDLES)
    spread = np.sqrt(n * _MIDDLES * (1 - _MIDDLES))
    off, tilt = noisy - n * _MIDDLES, epsilon * spread
    low, high = (log_ndtr(-sign * off / spread - tilt) + sign * epsilon * off for sign in (-1, 1))
    return np.logaddexp(low, high) + tilt**2 / 2


@compiled
def _wanted(below: np.ndarray, ends: np.ndarray, draws: np.ndarray, choice: np.random.Generator) -> int:
    """The arm that wins and has no draw left; until then every win uses up one."""
    while True:
        best, largest = 0, -1.0
        for arm in range(len(below)):
            cell = min(np.searchsorted(below[arm], choice.random()), len(ends) - 2)
            mean = ends[cell] + (ends[cell + 1] - ends[cell]) * choice.random()
            if mean > largest:
                best, largest = arm, mean
        if draws[best] == 0:
            return best
        draws[best] -= 1

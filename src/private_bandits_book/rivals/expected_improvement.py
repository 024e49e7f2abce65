"""Arms by what they may still gain: expected improvement under posteriors that know the noise of each release."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.mechanisms.noise import geometric
from private_bandits.privacy import Guarantee
from private_bandits_book.rivals.batches import InBatches
from private_bandits_book.rivals.single_observation import one_of_two

__all__ = ["ExpectedImprovement", "add_likelihood", "index", "share", "sum_tails", "weigh"]

_MEANS = np.sin(np.pi * (np.arange(240) + 0.5) / 480) ** 2  # of equal weight under Jeffreys' prior Beta(1/2, 1/2)
_LEAST = 1e-5  # of the largest term of a likelihood; smaller ones are not added
_NO_NOISE = 100.0
_TINY, _LIGHTEST = 1e-300, 1e-9  # of a prior, beside the heaviest
_CENTRES, _SIZES = np.sin(np.pi * (np.arange(12) + 0.5) / 24) ** 2, 2.0 ** np.arange(-1, 9)  # of Beta priors


class ExpectedImprovement(InBatches):
    """Batches of the arm of the largest mean for which the expected improvement in the rounds left pays a batch.

    Of this book; the index is expected improvement (Jones, Schonlau and Welch, 1998) against the cost of a batch, as a
    knowledge gradient has it. The rewards of a batch, rounded to bits at random, are summed and released once, with
    two-sided geometric noise, P(Z = z) proportional to e^(-epsilon |z|). The posterior of an arm's mean, from Jeffreys'
    prior, is that of its releases: the likelihood of a release z of n bits is

        sum over k of Bin(n, q)(k) e^(-epsilon |z - k|),

    exactly, so that noise is weighed as noise in batches of any length. With m the posterior mean, t rounds played and
    b the rounds of the arm's next batch, the index is the largest v >= m with

        (T - t) E[(q - v)+] >= cost b (v - m):

    a reward of v for all rounds left would then be given up for a batch of the arm, if that told its mean. A batch is
    half as long as what was pulled of the arm, and at least `first` times the n at which noise and sampling weigh
    alike. No bound is proved.

    With a shared prior, an idea of an attacker, the prior of an arm is a mixture of 120 Beta distributions, each with
    the weight of the likelihood of what the other arms released: where those are alike and small, so is this one.

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise.
    horizon : int
        T >= 1.
    first : float
        > 0, to be tuned.
    cost : float
        > 0, to be tuned.
    shared : bool
        Whether the prior is learnt from all arms.

    Notes
    -----
    It is epsilon-private: a user's bit is in the sum of one batch and moves it by 1 at most, and arms, lengths and
    which batch a user is in follow from earlier releases.

    Examples
    --------
    >>> ExpectedImprovement(0.5, horizon=1000).privacy.label()
    'ε=0.5'
    """

    name, mechanism, paper, algorithm = "Expected improvement", "laplace", "", "expected improvement for a batch"

    def __init__(
        self, epsilon: float, *, horizon: int, first: float = 1.5, cost: float = 2.0, shared: bool = False
    ) -> None:
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.first, self.cost = checks.real("first", first, above=0), checks.real("cost", cost, above=0)
        self.variant = f"first {first:g}, cost {cost:g}" + ", shared prior" * shared
        self.priors = _priors() if shared else np.ones((0, len(_MEANS)))
        price = math.log(self.horizon) / min(self.epsilon, 1e6) ** 2
        self.shortest = max(1, math.ceil(self.first * min(0.5 + math.sqrt(0.25 + price), self.horizon)))
        why = "a user's bit enters the sum of one batch, which has two-sided geometric noise"
        self.privacy = Guarantee.certified(self.epsilon, self.epsilon, "central", why)

    def prepare(self) -> None:
        """Begin the first batch."""
        self.pulls = np.zeros(self.n_arms)
        self.logs, self.tails = np.zeros((self.n_arms, len(_MEANS))), np.zeros((self.n_arms, 2, len(_MEANS)))
        self.evidence = np.zeros((self.n_arms, len(self.priors)))
        self.begin()

    def tell(self, feedback: list[float]) -> None:
        """Take a reward, as a bit."""
        super().tell([one_of_two(feedback[0], self.noise)])

    def look(self) -> None:
        """Release the sum of the batch, and begin the next one."""
        noisy = int(self.total) + geometric.py_func(self.noise, self.epsilon)
        self.pulls[self.arm] += self.length
        add_likelihood(self.logs[self.arm], _MEANS, noisy, self.length, min(self.epsilon, _NO_NOISE))
        if len(self.priors):
            weigh(self.logs[self.arm], self.priors, self.evidence[self.arm])
            share(self.logs, self.priors, self.evidence, _MEANS, self.tails)
        else:
            sum_tails(self.logs[self.arm], _MEANS, self.tails[self.arm])
        self.begin()

    def begin(self) -> None:
        """Begin the next batch, of an arm that was never pulled if there is one."""
        indices, left = np.full(self.n_arms, math.inf), max(self.horizon - self.t, 1)
        for arm in np.flatnonzero(self.pulls).tolist():
            rounds = max(float(self.shortest), 0.5 * self.pulls[arm])
            indices[arm] = index(self.tails[arm], _MEANS, left, self.cost * rounds)
        arm = int(np.lexsort((self.choice.random(self.n_arms), -indices))[0])
        self.pull(arm, max(self.shortest, int(0.5 * self.pulls[arm])))


@compiled
def add_likelihood(logs: np.ndarray, means: np.ndarray, noisy: int, n: int, epsilon: float) -> None:
    """Add ln of the sum over k of Bin(n, q)(k) e^(-epsilon |noisy - k|) at each mean q, from its largest term on.

    Parameters
    ----------
    logs, means : ndarray
        Of the same length; `logs` is changed.
    noisy, n : int
    epsilon : float
        > 0, finite.
    """
    kept = math.exp(-epsilon)
    for place in range(len(means)):
        q = means[place]
        odds = q / (1.0 - q)
        high, low = n * q / (q + (1.0 - q) * kept), n * q * kept / (q * kept + 1.0 - q)
        largest = min(max(int(min(max(float(noisy), low), high)), 0), n)
        found = math.lgamma(n + 1.0) - math.lgamma(largest + 1.0) - math.lgamma(n - largest + 1.0)
        found += largest * math.log(q) + (n - largest) * math.log(1.0 - q) - epsilon * abs(noisy - largest)
        total = term = 1.0
        for k in range(largest, n):
            term *= (n - k) / (k + 1.0) * odds * (kept if k >= noisy else 1.0 / kept)
            total += term
            if term < _LEAST:
                break
        term = 1.0
        for k in range(largest, 0, -1):
            term *= k / (n - k + 1.0) / odds * (kept if k <= noisy else 1.0 / kept)
            total += term
            if term < _LEAST:
                break
        logs[place] += found + math.log(total)


def _priors() -> np.ndarray:
    """Return the weights of the means under each Beta distribution."""
    centre, size = (each.reshape(-1, 1) for each in np.meshgrid(_CENTRES, _SIZES))
    logs = (centre * size - 0.5) * np.log(_MEANS) + ((1.0 - centre) * size - 0.5) * np.log1p(-_MEANS)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@compiled
def weigh(logs: np.ndarray, priors: np.ndarray, evidence: np.ndarray) -> None:
    """Write ln of the likelihood of an arm's releases under each prior.

    Parameters
    ----------
    logs : ndarray, shape (n_means,)
    priors : ndarray, shape (n_priors, n_means)
    evidence : ndarray, shape (n_priors,)
        Is changed.
    """
    largest = logs.max()
    likelihood = np.exp(logs - largest)
    for row in range(len(priors)):
        total = 0.0
        for place in range(len(logs)):
            total += priors[row, place] * likelihood[place]
        evidence[row] = largest + math.log(max(total, _TINY))


@compiled
def share(logs: np.ndarray, priors: np.ndarray, evidence: np.ndarray, means: np.ndarray, tails: np.ndarray) -> None:
    """Write what `sum_tails` does of all arms, each with the mixture of priors that the other arms suggest.

    Parameters
    ----------
    logs : ndarray, shape (n_arms, n_means)
    priors : ndarray, shape (n_priors, n_means)
    evidence : ndarray, shape (n_arms, n_priors)
        Of `weigh`; 0 for arms without a release.
    means : ndarray, shape (n_means,)
    tails : ndarray, shape (n_arms, 2, n_means)
        Is changed.
    """
    total = np.zeros(len(priors))
    for arm in range(len(logs)):
        total += evidence[arm]
    for arm in range(len(logs)):
        others = total - evidence[arm]
        weights, mixture = np.exp(others - others.max()), np.zeros(len(means))
        for row in range(len(priors)):
            if weights[row] > _LIGHTEST:
                mixture += weights[row] * priors[row]
        sum_tails(logs[arm] + np.log(np.maximum(mixture, _TINY)), means, tails[arm])


@compiled
def sum_tails(logs: np.ndarray, means: np.ndarray, tails: np.ndarray) -> None:
    """Write the posterior's P(q >= means) and E[q 1(q >= means)].

    Parameters
    ----------
    logs, means : ndarray
    tails : ndarray, shape (2, n_means)
        Is changed.
    """
    largest, first, second = logs.max(), 0.0, 0.0
    for place in range(len(means) - 1, -1, -1):
        weight = math.exp(logs[place] - largest)
        first += weight
        second += weight * means[place]
        tails[0, place], tails[1, place] = first, second
    tails /= first


@compiled
def index(tails: np.ndarray, means: np.ndarray, left: float, price: float) -> float:
    """Return the largest v with left E[(q - v)+] >= price (v - m), or the posterior mean m.

    Parameters
    ----------
    tails, means : ndarray
        Of `sum_tails`.
    left, price : float
        > 0.

    Returns
    -------
    float
        Between two means of the grid by a straight line.
    """
    middle, above = tails[1, 0], 0.0
    for place in range(len(means) - 1, -1, -1):
        v = means[place]
        over = left * (tails[1, place] - v * tails[0, place]) - price * (v - middle)
        if over >= 0.0:
            if place + 1 == len(means):
                return v
            return max(middle, v + (means[place + 1] - v) * over / (over - above))
        if v <= middle:
            return middle
        above = over
    return middle


# benchmark: ExpectedImprovement --problem arms

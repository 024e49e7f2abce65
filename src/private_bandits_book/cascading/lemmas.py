"""The lemmas that Wang et al. (2021) build on, checked by computation: numbers for the ledger, each in under a second.

A ratio compares the exact quantity with the one that the lemma promises; the lemma holds where it is at most 1.
"""

import math
from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import binom, laplace, norm

from private_bandits._compiled import compiled
from private_bandits.estimates import Interval
from private_bandits.mechanisms import HybridCounter, gaussian_epsilon, gaussian_sigma, lemma_1_constant
from private_bandits.mechanisms.counters import COUNTER_ROW, hybrid_noise
from private_bandits.papers.cascading.instances import one_hot_replies
from private_bandits.privacy import binomial_interval, sensitivity
from private_bandits.privacy.divergences import local_factor
from private_bandits.problems import Cascade
from private_bandits_book.sweep import exact_slope
from private_bandits_book.tails import laplace_sum_tail


class Coverage(NamedTuple):
    """Largest share of runs, over the items of the stream, in which the hybrid counter's noise leaves its bound."""

    printed: Interval  # bound of Lemma 1
    printed_at: int
    printed_later: float  # the same from the second item on
    counter: Interval  # HybridCounter.error_bound


class Unforced(NamedTuple):
    """How far a tail exceeds what its proof allots, and at how many noisy reports."""

    ratio: float
    reports: int


class Excess(NamedTuple):
    """What the classical Gaussian mechanism pays over its nominal epsilon, and up to where it keeps its promise."""

    ratio: float
    epsilon: float
    keeps_until: float


class Composed(NamedTuple):
    """Exact delta of a composition over the promised one, where it is largest."""

    ratio: float
    k: int
    epsilon: float
    delta: float


class Divergences(NamedTuple):
    """d over gap^2 / (p (1 - p)), where it is largest: as the proof of Theorem 11 writes d, and in the right order."""

    swapped: float
    p: float
    gap: float
    ordered: float


class Contradiction(NamedTuple):
    """Where two neighbouring problems cannot both lose at most a bound: rounds, gap and bound; infinite if nowhere."""

    horizon: float
    gap: float
    bound: float


class Apart(NamedTuple):
    """With which powers one bound grows over another."""

    log_t: float
    noise: float  # 1/epsilon
    size: float  # K, at p = 1/K
    others: float  # L - K


_Bound = Callable[[int, int, float, float, int, float], float]
"""On B_LB: of L, K, p, the gap, T and epsilon."""


def hybrid_coverage(n_max: int = 128, gamma: float = 0.01, runs: int = 4000, seed: int = 0) -> Coverage:
    """Lemma 1: how often the noise of a hybrid counter (epsilon = 1) leaves c_1 ln(n)^1.5 ln(1/gamma).

    The lemma promises a share of at most `gamma` at every n. At n = 1 its bound is 0, and the noise is not.

    Parameters
    ----------
    n_max : int
        Items in the stream, >= 2.
    gamma : float
        In (0, 1).
    runs : int
        Simulated streams, >= 1.
    seed : int
    """
    rng, items = np.random.default_rng(seed), np.arange(1, n_max + 1)
    noise, counter = _releases(rng, runs, n_max), HybridCounter(1.0, rng=rng)
    printed = np.sum(noise > lemma_1_constant() * np.log(items) ** 1.5 * math.log(1.0 / gamma), axis=0)
    own = np.sum(noise > [counter.error_bound(n, gamma) for n in items.tolist()], axis=0)

    def most(failed: np.ndarray) -> Interval:
        return Interval(np.max(failed) / runs, *binomial_interval(int(np.max(failed)), runs))

    return Coverage(
        printed=most(printed),
        printed_at=int(items[np.argmax(printed)]),
        printed_later=float(np.max(printed[1:])) / runs,
        counter=most(own),
    )


def pulls_leak(epsilon: float, n_items: int, horizon: int, c_1: float | None = None) -> float:
    """Theorem 1: the delta that Algorithm 1 as printed cannot go below, at any epsilon, even if w_0 is public.

    Let K >= 2 items have w_0 = 1 and at least K have w_0 = 0. The first list is those K, in some order. If its first
    item is clicked, the second keeps one pull and its index, and the next list holds it for certain. If nothing is
    clicked, the second item has two pulls, hence half the bonus, and the next list drops it unless one Laplace draw of
    scale 2 L/epsilon makes up for that. Returned is the probability that it is dropped, which is 0 after the click.

    Parameters
    ----------
    epsilon : float
        Nominal privacy of Algorithm 1, > 0, finite.
    n_items, horizon : int
        L >= 4 and n >= 2 of the algorithm.
    c_1 : float, optional
        Constant of Lemma 1, > 0; default `mechanisms.lemma_1_constant()`.
    """
    scale, constant = n_items / epsilon, lemma_1_constant() if c_1 is None else c_1
    bonus = 3.0 * constant * scale * math.log(horizon) ** 1.5 * math.log(2.0)
    # (1 + Z)/2 + sqrt(0.75 ln 2) + bonus/2 < sqrt(1.5 ln 2) + bonus
    needed = bonus + (math.sqrt(6.0) - math.sqrt(3.0)) * math.sqrt(math.log(2.0)) - 1.0
    return float(laplace.cdf(needed, scale=2.0 * scale))


def classical_gaussian_excess(epsilons: Sequence[float], delta: float) -> Excess:
    """Lemma 3: the exact epsilon that sigma = sqrt(2 ln(1.25/delta)) / epsilon pays, over epsilon.

    The lemma sets no limit on epsilon; the classical proof (Dwork and Roth 2014, Theorem A.1) asks for epsilon < 1, and
    from `keeps_until` on the promise is false.

    Parameters
    ----------
    epsilons : sequence of float
        Nominal values, > 0, over which the largest ratio is taken.
    delta : float
        In (0, 1).
    """

    def ratio(epsilon: float) -> float:
        sigma = gaussian_sigma(epsilon, delta, 1.0, method="classical")
        return gaussian_epsilon(sigma, delta, 1.0) / epsilon

    paid = [ratio(epsilon) for epsilon in epsilons]
    worst = int(np.argmax(paid))
    low, high = 0.1, 1.0
    while ratio(high) <= 1.0:
        low, high = high, 2.0 * high
    return Excess(paid[worst], epsilons[worst], float(brentq(lambda x: ratio(x) - 1.0, low, high)))


def decomposition_slack(problem: Cascade) -> tuple[float, float]:
    """Lemma 4: the least slack of its two inequalities over every list with a worse item and every matching.

    Returns (min of E[R] - alpha S, min of S - E[R]), where S is the sum of Delta_{e,e*} P(G_{e,e*}) and alpha =
    (1 - largest weight)^(K-1). The lemma holds on the problem if neither is below 0 by more than rounding. On a best
    list both are 0.

    Parameters
    ----------
    problem : Cascade
        With a unique best list and list_size < n_items; every list is enumerated, so at most 7 items or so.
    """
    means = problem.means.tolist()
    best = sorted(range(len(means)), key=lambda e: -means[e])[: problem.list_size]
    alpha = (1.0 - means[best[0]]) ** (problem.list_size - 1)
    lower = upper = math.inf
    for recommended in permutations(range(len(means)), problem.list_size):
        places = [k for k, e in enumerate(recommended) if e not in best]
        if not places:
            continue
        regret = problem.best - problem.reward(np.array(recommended))
        examined = np.cumprod([1.0, *(1.0 - means[e] for e in recommended[:-1])])
        for matched in permutations([e for e in best if e not in recommended]):
            pairs = zip(places, matched, strict=True)
            total = sum((means[optimal] - means[recommended[k]]) * examined[k] for k, optimal in pairs)
            lower = min(lower, regret - alpha * total)
            upper = min(upper, total - regret)
    return float(lower), float(upper)


def laplace_tail_ratio(sizes: Sequence[int] = (1, 2, 3, 5, 10, 20, 50, 100, 200)) -> float:
    """Lemma 5: the largest P(Y > x) / exp(-x^2 / (8 n)) for Y a sum of n Laplace(1) and 0 < x < 2 sqrt(2) n.

    This is v = b sqrt(n); a larger v only weakens the lemma.
    """
    fractions = np.linspace(0.0, 1.0, 65)[1:-1]
    grids = ((n, fractions * math.sqrt(8.0) * n) for n in sizes)
    return max(float(np.max(laplace_sum_tail(n, x) * np.exp(x**2 / (8.0 * n)))) for n, x in grids)


def unforced_tail_ratio(t: int) -> Unforced:
    """Theorem 4: the chance that the noise of an item leaves its radius in round t of Algorithm 2, over t^-3.

    The proof allots t^-3, by Lemma 5, which needs 3 ln t reports; without forced exploration an item may have fewer. An
    item with s noisy reports and w_0 leaves the radius if a sum of s Laplace(1) exceeds sqrt(24 (s + 1) ln t). The
    largest ratio over s is returned, and the s.
    """
    log_t = math.log(t)
    ratios = [
        float(laplace_sum_tail(s, math.sqrt(24.0 * (s + 1) * log_t))) * float(t) ** 3
        for s in range(1, math.ceil(3.0 * log_t) + 1)
    ]
    worst = int(np.argmax(ratios))
    return Unforced(ratios[worst], worst + 1)


def gaussian_tail_ratio() -> float:
    """Lemma 6: the largest P(|X - u| > z s) / (2 exp(-z^2 / 2)) for X normal, mean u, deviation s, 0 < z <= 30."""
    z = np.linspace(0.0, 30.0, 3001)[1:]
    return float(np.exp(norm.logsf(z) + z**2 / 2.0).max())


def composition_delta(epsilon_0: float, k: int, epsilon: float) -> float:
    """Exact delta at `epsilon` of k mechanisms that are (epsilon_0, 0)-private each, in the worst case.

    Kairouz, Oh and Viswanath (2015), Theorem 3.3: the worst case is k randomised responses, whose losses are
    (k - 2 i) epsilon_0, i binomial.

    Parameters
    ----------
    epsilon_0 : float
        Privacy of each mechanism, > 0, finite.
    k : int
        Number of mechanisms, >= 1.
    epsilon : float
        Total, >= 0, finite.
    """
    lies = np.arange(k + 1)
    excess = np.maximum((k - 2 * lies) * epsilon_0 - epsilon, 0.0)
    chances = binom.pmf(lies, k, math.exp(-epsilon_0) / (1.0 + math.exp(-epsilon_0)))
    return float(np.sum(chances * -np.expm1(-excess)))


def theorem_7_excess(
    k_values: Sequence[int], epsilons: Sequence[float], deltas: Sequence[float], *, pure: bool = True
) -> Composed:
    """Theorem 7: the largest exact delta of the composition over the promised one, on a grid.

    Each of k queries is (sqrt(epsilon^2 / (4 k ln(e + epsilon/delta))), d)-private, with d = 0 (`pure`, as in
    Theorem 8) or d = delta/(2k), all that the theorem allows. It holds on the grid if the ratio is at most 1; it is
    stated for epsilon <= 0.9.

    Parameters
    ----------
    k_values : sequence of int
        >= 1.
    epsilons, deltas : sequence of float
        epsilon > 0, delta in (0, 1).
    pure : bool
    """
    worst = Composed(-math.inf, 0, math.nan, math.nan)
    for k, epsilon, delta in product(k_values, epsilons, deltas):
        each = epsilon / math.sqrt(4.0 * k * math.log(math.e + epsilon / delta))
        paid = composition_delta(each, k, epsilon)
        if not pure:
            paid = 1.0 - (1.0 - delta / (2.0 * k)) ** k * (1.0 - paid)
        worst = max(worst, Composed(paid / delta, k, epsilon, delta))
    return worst


def swapped_divergence() -> Divergences:
    """Theorem 11's last step, d(p || p - gap) <= gap^2 / (p (1 - p)), on a grid, and the same for d(p - gap || p)."""
    p, share = np.meshgrid(np.arange(1, 100) / 100.0, np.arange(1, 100) / 100.0, indexing="ij")
    gap = share * p
    promised = gap**2 / (p * (1.0 - p))
    swapped = _kl(p, p - gap) / promised
    worst = np.unravel_index(np.argmax(swapped), swapped.shape)
    ordered = _kl(p - gap, p) / promised
    return Divergences(float(swapped[worst]), float(p[worst]), float(gap[worst]), float(np.max(ordered)))


# --- Theorem 2, and what is said of the bounds


def first_contradiction(bound: Callable[[Cascade, int], float], digits: int = 40) -> Contradiction:
    """Return the first T = 10, 100, ... at which no algorithm keeps a bound on two neighbouring problems.

    Two items, lists of one, means (1/2, 1/2 - gap) and (1/2, 1/2 + gap). Let B bound the regret on both. On the first
    the second item is shown at most B/gap times, so by Bretagnolle and Huber 2 B >= gap T/4 exp(-B d/gap), that is B >=
    gap/d ln(gap T/(8 B)), with d the divergence of the two, or anything above it.

    Parameters
    ----------
    bound : callable
        Of a problem and T.
    digits : int
        How far T goes.
    """
    for horizon in (10**power for power in range(1, digits + 1)):
        for gap in 10.0 ** -np.arange(0.5, 9.0, 0.25):
            problems = [Cascade(np.array([0.5, 0.5 + step]), 1) for step in (-gap, gap)]
            allowed = max(bound(problem, horizon) for problem in problems)
            divergence = (2.0 * gap) ** 2 / (0.25 - gap**2)  # chi-squared, which is above it
            if allowed < gap / divergence * math.log(gap * horizon / (8.0 * allowed)):
                return Contradiction(float(horizon), float(gap), allowed)
    return Contradiction(math.inf, math.nan, math.nan)


def bounds_apart(upper: _Bound, lower: _Bound) -> Apart:
    """Return the powers with which one bound grows over another, on B_LB at p = 1/K and gap = p/2, for small epsilon.

    Parameters
    ----------
    upper, lower : callable
        Of L, K, p, the gap, T and epsilon.
    """

    def ratio(size: int = 4, others: int = 16, horizon: int = 10**8, noise: float = 1e3) -> float:
        at = (size + others, size, 1.0 / size, 0.5 / size, horizon, 1.0 / noise)
        return upper(*at) / lower(*at)

    horizons, noises, sizes = (10**8, 10**12, 10**16), (1e5, 1e6, 1e7), [2**power for power in range(3, 11)]
    return Apart(
        log_t=_power([math.log(t) for t in horizons], [ratio(horizon=t) for t in horizons]),
        noise=_power(noises, [ratio(noise=noise) for noise in noises]),
        size=_power(sizes, [ratio(size=size) for size in sizes]),
        others=_power(sizes, [ratio(others=others) for others in sizes]),
    )


def remark_11(n_items: int, list_size: int, p: float, gap: float, horizon: int, epsilon: float) -> float:
    """(L - K) ln T / (gap epsilon^2), which Theorem 11 is said to be of the order of at p = 1/K.

    Parameters
    ----------
    n_items, list_size : int
        L and K.
    p, gap : float
        Of B_LB.
    horizon : int
    epsilon : float
    """
    return (n_items - list_size) * math.log(horizon) / (gap * epsilon**2)


def local_lower(n_items: int, list_size: int, p: float, gap: float, horizon: int, epsilon: float) -> float:
    """Theorem 11 by total variation: (L - K) (1 - p)^(K-1) ln T / (min(4, e^(2 eps)) (e^eps - 1)^2 gap), ours.

    A report about a cascade is one about the item in question, the others drawn, so Duchi et al. (2013) bound its
    divergence by that factor times gap^2. The print goes on to bound gap^2 by half a divergence, which costs 1/p.

    Parameters
    ----------
    n_items, list_size : int
        L and K.
    p, gap : float
        Of B_LB.
    horizon : int
    epsilon : float
    """
    reach = (n_items - list_size) * (1.0 - p) ** (list_size - 1)
    return reach * math.log(horizon) / (local_factor(epsilon) * gap)


def counter_growth() -> float:
    """The power of ln t in the noise of a hybrid counter of all rounds that is exceeded with probability t^-3.

    By the tail bound of the noises that are in the release, at t = 2^k - 1, where most are.
    """
    counter, items = HybridCounter(1.0, rng=np.random.default_rng(0)), [2**k - 1 for k in range(16, 61, 4)]
    return _power(np.log(items), [counter.error_bound(n, float(n) ** -3) for n in items])


def utility_growth() -> float:
    """The power of ln t in what Lemma 1 grants a hybrid counter of all rounds with probability t^-3."""
    logs = np.arange(10.0, 50.0, 10.0)
    return _power(logs, (lemma_1_constant() * logs**1.5 * 3.0 * logs).tolist())


def earlier_growth(n_items: int = 20, gap: float = 0.15, epsilon: float = 1.0) -> float:
    """The power of ln T, up to T = 10^128, in the regret of Sajed and Sheffet (2019), epsilon-DP and lists of one item.

    Parameters
    ----------
    n_items : int
        L >= 2.
    gap, epsilon : float
    """
    logs = [math.log(10.0**power) for power in (16, 32, 64, 128)]
    return _power(logs, [earlier_upper(n_items, gap, epsilon, log_t) for log_t in logs])


def earlier_upper(n_items: int, gap: float, epsilon: float, log_t: float) -> float:
    """Regret of Sajed and Sheffet (2019, Algorithm 2, beta = 1/T) with one best item, at most, all gaps equal.

    While no confidence bound fails, an item is gone after the first epoch e with 2^-e <= gap; each epoch shows it as
    often as Algorithm 2 says with all items alive.

    Parameters
    ----------
    n_items : int
        L >= 2.
    gap, epsilon : float
        gap in (0, 1).
    log_t : float
        ln T.
    """
    shown = 0.0
    for epoch in range(1, max(1, math.ceil(-math.log2(gap))) + 1):
        log = math.log(4.0 * n_items * epoch**2) + log_t
        shown += max(32.0 * (log + math.log(2.0)) * 4.0**epoch, 8.0 * log * 2.0**epoch / epsilon) + 1.0
    return gap * ((n_items - 1) * shown + 1.0)


def click_growth(sizes: Sequence[int] = (2, 4, 8, 16, 32)) -> float:
    """The power of K in the L1 distance of two replies of a cascade, each a vector of K clicks.

    Parameters
    ----------
    sizes : sequence of int
        Values of K, >= 2.
    """
    return _power(sizes, [sensitivity(one_hot_replies(size)) for size in sizes])


def _power(x: Sequence[float] | np.ndarray, values: Sequence[float]) -> float:
    return round(float(exact_slope(x, values).measured), 9) + 0.0  # no trace of rounding, and no -0


def _kl(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(rel_entr(a, b) + rel_entr(1.0 - a, 1.0 - b))


@compiled
def _releases(rng: np.random.Generator, runs: int, length: int) -> np.ndarray:
    """Absolute noise of every release, a row per run."""
    noise = np.empty((runs, length))
    row = np.empty(COUNTER_ROW)
    for run in range(runs):
        row[:] = 0.0
        for n in range(1, length + 1):
            noise[run, n - 1] = abs(hybrid_noise(rng, n, 1.0, row))
    return noise

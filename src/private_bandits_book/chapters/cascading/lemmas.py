"""The lemmas that Wang et al. (2021) build on, and its bounds, by computation: each number in under a second.

A ratio compares the exact quantity with the one that the lemma promises; the lemma holds where it is at most 1.
"""

import math
from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, laplace, norm

from private_bandits.compilation import compiled
from private_bandits.estimates import Interval
from private_bandits.mechanisms import HybridCounter, gaussian_epsilon, gaussian_sigma, lemma_1_constant
from private_bandits.mechanisms.counters import COUNTER_ROW, hybrid_noise
from private_bandits.papers.cascading import b_lb, bounds, ucb_hybrid
from private_bandits.papers.cascading.instances import one_hot_replies, padded_replies
from private_bandits.privacy import FinitePolicy, binomial_interval, sensitivity
from private_bandits.problems import Cascade
from private_bandits_book.laplace_sums import laplace_sum_tail


def _instance(n_arms: int, list_size: int, p: float, gap: float) -> dict[str, Any]:
    """B_LB, and T, as the bounds take them."""
    return {"n_arms": n_arms, "list_size": list_size, "p": p, "gap": gap, "horizon": 10**8}


_GRID = [
    (_instance(20, 4, p, share * p), epsilon)
    for p, share, epsilon in product((0.05, 0.2, 0.5, 0.9), (0.05, 0.5, 0.95), (0.01, 0.2, 1.0, 5.0))
]
"""Instances; and epsilon."""


class Exponents(NamedTuple):
    """With which exponents a bound, or one over another, grows."""

    log_t: float
    size: float  # K
    noise: float  # 1/epsilon
    error: float  # ln(1/delta)


def hybrid_coverage(
    n_max: int = 128, gamma: float = 0.01, runs: int = 4000, seed: int = 0
) -> tuple[Interval, float, Interval]:
    """Lemma 1: how often the noise of a hybrid counter (epsilon = 1) leaves c_1 ln(n)^1.5 ln(1/gamma).

    The lemma promises a share of at most `gamma` at every n. At n = 1 its bound is 0, and the noise is not. Returned
    are the largest share over n, the largest from n = 2 on, and the largest for `HybridCounter.error_bound`.

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
    own = np.sum(noise > [counter.error_bound(n, beta=gamma) for n in items.tolist()], axis=0)
    most = [Interval(x.max() / runs, *binomial_interval(int(x.max()), runs), runs=runs) for x in (printed, own)]
    return most[0], float(printed[1:].max()) / runs, most[1]


def pulls_hide(epsilon: float, n_arms: int, horizon: int, c_1: float | None = None) -> float | None:
    """Theorem 1: 1 less the delta that Algorithm 1 as printed cannot go below, at any epsilon, even if w_0 is public.

    Let K >= 2 items have w_0 = 1 and at least K have w_0 = 0. The first list is those K, in some order. If its first
    item is clicked, the second keeps one pull and its index, and the next list holds it for certain. If nothing is
    clicked, the second item has two pulls, hence half the bonus, and the next list drops it unless one Laplace draw of
    scale 2 L/epsilon makes up for that. Returned is the probability that it does, which is 1 after the click.

    Parameters
    ----------
    epsilon : float
        Nominal privacy of Algorithm 1, > 0, finite.
    n_arms, horizon : int
        L and n of the algorithm; below L = 4 and n = 2 there is no such list, and None is returned.
    c_1 : float, optional
        Constant of Lemma 1, > 0; default `mechanisms.lemma_1_constant()`.
    """
    if n_arms < 4 or horizon < 2:
        return None
    scale, constant = n_arms / epsilon, lemma_1_constant() if c_1 is None else c_1
    bonus = 3.0 * constant * scale * math.log(horizon) ** 1.5 * math.log(2.0)
    # (1 + Z)/2 + sqrt(0.75 ln 2) + bonus/2 < sqrt(1.5 ln 2) + bonus
    needed = bonus + (math.sqrt(6.0) - math.sqrt(3.0)) * math.sqrt(math.log(2.0)) - 1.0
    return float(laplace.sf(needed, scale=2.0 * scale))


def classical_gaussian_excess(epsilons: Sequence[float], delta: float) -> tuple[float, float, float]:
    """Lemma 3: the exact privacy loss at sigma = sqrt(2 ln(1.25/delta)) / epsilon, over epsilon.

    The lemma sets no limit on epsilon; the classical proof (Dwork and Roth 2014, Theorem A.1) asks for epsilon < 1.
    Returned are the largest ratio, its epsilon, and the epsilon up to which the lemma holds.

    Parameters
    ----------
    epsilons : sequence of float
        Nominal values, > 0, over which the largest ratio is taken.
    delta : float
        In (0, 1).
    """

    def ratio(epsilon: float) -> float:
        sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=1.0, calibration="classical")
        return gaussian_epsilon(sigma, delta=delta, sensitivity=1.0) / epsilon

    paid = [ratio(epsilon) for epsilon in epsilons]
    worst = int(np.argmax(paid))
    low, high = 0.1, 1.0
    while ratio(high) <= 1.0:
        low, high = high, 2.0 * high
    return paid[worst], epsilons[worst], float(brentq(lambda x: ratio(x) - 1.0, low, high))


def decomposition_slack(problem: Cascade) -> tuple[float, float]:
    """Lemma 4: the least slack of its two inequalities over every list with a worse item and every matching.

    Returns (min of E[R] - alpha S, min of S - E[R]), where S is the sum of Delta_{e,e*} P(G_{e,e*}) and alpha =
    (1 - largest weight)^(K-1). The lemma holds on the problem if neither is below 0 by more than rounding. On a best
    list both are 0.

    Parameters
    ----------
    problem : Cascade
        With a unique best list and list_size < n_arms; every list is enumerated, so at most 7 items or so.
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


def theorem_7_excess(k_values: Sequence[int], epsilons: Sequence[float], deltas: Sequence[float]) -> float:
    """Theorem 7: the largest exact delta of the composition over the promised one, on a grid.

    Each of k queries is (sqrt(epsilon^2 / (4 k ln(e + epsilon/delta))), delta/(2k))-private. The theorem holds on the
    grid if the ratio is at most 1; it is stated for epsilon <= 0.9.

    Parameters
    ----------
    k_values : sequence of int
        >= 1.
    epsilons, deltas : sequence of float
        epsilon > 0, delta in (0, 1).
    """
    worst = 0.0
    for k, epsilon, delta in product(k_values, epsilons, deltas):
        each = epsilon / math.sqrt(4.0 * k * math.log(math.e + epsilon / delta))
        failure = 1.0 - (1.0 - delta / (2.0 * k)) ** k * (1.0 - composition_delta(each, k, epsilon))
        worst = max(worst, failure / delta)
    return worst


# --- what is proved of the regret


def exponents(bound: Callable[[int, int, float, float], float]) -> Exponents:
    """Return the exponents with which a bound grows, where epsilon is small and all others are large.

    Parameters
    ----------
    bound : callable
        Of K, T, epsilon and delta; or one bound over another.
    """

    def at(size: int = 4, horizon: int = 10**16, noise: float = 1e6, error: float = 1e-3) -> float:
        return bound(size, horizon, 1.0 / noise, error)

    horizons, sizes = (10**16, 10**32, 10**64), [2**power for power in range(3, 11)]
    noises, errors = (1e5, 1e6, 1e7), (1e-75, 1e-150, 1e-300)
    return Exponents(
        log_t=_power([math.log(t) for t in horizons], [at(horizon=t) for t in horizons]),
        size=_power(sizes, [at(size) for size in sizes]),
        noise=_power(noises, [at(noise=noise) for noise in noises]),
        error=_power([-math.log(error) for error in errors], [at(error=error) for error in errors]),
    )


def hidden_item_power(scale: float, *, gaussian: bool = False) -> float:
    """The exponent of ln T, as T grows, in what Algorithm 2 or 3 loses if a first noise hides a best item.

    A best item whose first noise is so low that its index is below 0 until T is not shown again while K others have
    indices above 0, which has a probability that does not depend on T. So regret is at least of the order of T times
    the probability of such a noise, and a bound in ln T can hold only if this power is at most 1.

    Parameters
    ----------
    scale : float
        Laplace scale of a report, or its Gaussian deviation, > 0.
    gaussian : bool
    """
    logs = np.array([1e4, 2e4, 4e4])
    if gaussian:  # an index is (w + w' + noise)/2 and the radius at two reports
        needed = 2.0 + np.sqrt(3.0 * logs) + 2.0 * scale * np.sqrt(math.log(2.0) + 3.0 * logs)
        tails = norm.logsf(needed / scale)
    else:
        tails = -(2.0 + (math.sqrt(3.0) + math.sqrt(48.0) * scale) * np.sqrt(logs)) / scale - math.log(2.0)
    return float(np.polyfit(np.log(logs), logs + tails, 1)[0])


def hybrid_exponents(list_size: int = 4) -> tuple[float, tuple[float, float, float]]:
    """The exponents in the regret of Algorithm 1 with ln^1.5 of the horizon, and of the pulls, in its bonus.

    With the horizon it is that of ln T: an item is observed about as often as its bonus is larger than the gap, until
    then its index is above those of items that were observed more often. With the pulls it is the bound that we prove,
    in ln T, 1/epsilon and 1/gap.

    Parameters
    ----------
    list_size : int
        K of B_LB(20, K, 0.2, 0.15).
    """
    near, far = (10**75, 10**150, 10**300), (10**1000, 10**10_000, 10**100_000)

    def proved(horizon: int = far[0], noise: float = 1.0, apart: float = 1.0 / 0.15) -> float:
        problem = b_lb(20, list_size, 0.2, 1.0 / apart)
        return bounds.theorem_2(problem=problem, epsilon=1.0 / noise, horizon=horizon, variant="corrected")

    bonuses = [ucb_hybrid(1.0, n_arms=20, horizon=t).record._asdict()["bonus_scale"] * math.log(t) for t in near]
    noises, gaps = (1e5, 1e6, 1e7), (1e6, 1e7, 1e8)
    return _power([*map(math.log, near)], bonuses), (
        _power([*map(math.log, far)], [proved(t) for t in far]),
        _power(noises, [proved(noise=noise) for noise in noises]),
        _power(gaps, [proved(apart=apart) for apart in gaps]),
    )


def theorem_11_over_proved() -> float:
    """Theorem 11 as printed over what is proved, at most, on a grid of B_LB; L and T cancel."""
    return max(
        bounds.theorem_11(**at, epsilon=e) / bounds.theorem_11(**at, epsilon=e, variant="corrected") for at, e in _GRID
    )


def theorem_11_at_one_over_k(sizes: Sequence[int] = (2, 8, 32, 128, 512)) -> tuple[float, float]:
    """The remark after Theorem 11, at p = 1/K: what is proved over (L - K) ln T/(gap epsilon^2), and its power of K.

    Returned are the least ratio at epsilon = 10^-3 over several gaps, and the least exponent of K over these gaps.

    Parameters
    ----------
    sizes : sequence of int
        Values of K, >= 2.
    """
    epsilon, ratios = 1e-3, []
    for share in (0.05, 0.5, 0.95):
        at = [_instance(2 * k, k, 1.0 / k, share / k) for k in sizes]
        proved = [bounds.theorem_11(**one, epsilon=epsilon, variant="derived") for one in at]
        claimed = [k * math.log(one["horizon"]) / (one["gap"] * epsilon**2) for k, one in zip(sizes, at, strict=True)]
        ratios.append([a / b for a, b in zip(proved, claimed, strict=True)])
    return min(map(min, ratios)), min(_power(sizes, each) for each in ratios)


def theorem_12_over_proved() -> tuple[float, float]:
    """The exponent of 1/p in Theorem 12 as printed over what is proved, and the most that its repair is over that.

    The power is that of lists of one item with gap = p/2 at epsilon = 1, where DP-KLUCB of Azize et al. (2025) has no
    more regret than a constant times what is proved. The repair has gap/d(p - gap || p) instead of 1/gap.
    """
    shown = (1e-3, 1e-4, 1e-5, 1e-6)
    rare = [{**_instance(2, 1, p, p / 2.0), "epsilon": 1.0} for p in shown]
    printed = [bounds.theorem_12(**at) / bounds.theorem_12(**at, variant="corrected") for at in rare]
    repaired = [
        (bounds.kveton_lower(**at) + bounds.theorem_12(**at, epsilon=e) - bounds.theorem_12(**at, epsilon=math.inf))
        / bounds.theorem_12(**at, epsilon=e, variant="corrected")
        for at, e in _GRID
    ]
    return _power([1.0 / p for p in shown], printed), max(repaired)


def reply_exponents(sizes: Sequence[int] = (8, 16, 32, 64, 128)) -> tuple[float, float]:
    """The exponents of K in the L1 distance of two replies of a cascade: of the clicks, and with the examinations.

    Parameters
    ----------
    sizes : sequence of int
        Values of K, >= 2.
    """
    clicks, both = ([sensitivity(made(k)) for k in sizes] for made in (one_hot_replies, padded_replies))
    return _power(sizes, clicks), _power(sizes, both)


def _power(x: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray) -> float:
    return round(float(np.polyfit(np.log(x), np.log(values), 1)[0]), 9) + 0.0  # no trace of rounding, and no -0


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


class TwoBlocks(FinitePolicy):
    """Kept blocks at epsilon = 8, where each holds one answer: two items, lists of one, at most three rounds."""

    def probabilities(self, history: Sequence[tuple[int, Any]]) -> list[float]:
        """Return the chances of the next item: one without a sum, or else the larger noisy sum."""
        asked = dict(history)
        if len(asked) < 2:
            return [(item not in asked) / (2 - len(asked)) for item in (0, 1)]
        ahead = 8.0 * (asked[0] - asked[1])  # in units of the noise
        tail = math.exp(-abs(ahead)) * (2.0 + abs(ahead)) / 4.0
        return [1.0 - tail, tail] if ahead >= 0 else [tail, 1.0 - tail]

"""The lemmas, the privacy and the bounds of Chen et al. (2020) by computation: numbers for its rules.

An exponent is that of a bound's values far out, where no constant counts.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits.problems import SetBandit
from private_bandits_book.judging.rates import exact_slope
from private_bandits_book.laplace_sums import laplace_sum_tail

FAR, FARTHER = 10**40, 10**400000
"""Horizons at which the bounds say something; the second has a logarithm that is large against K, too."""


class Exponents(NamedTuple):
    """With which exponents a bound grows."""

    size: float  # K, per arm
    noise: float  # 1/epsilon
    gap: float  # 1/gap
    log_t: float


def node_counts(horizon: int) -> np.ndarray:
    """In how many released nodes of the binary mechanism each of the leaves 1..horizon lies, shape (horizon,).

    Release n is the sum of the nodes at the binary digits of n; n opens one node, which ends there.
    """
    counts = np.zeros(horizon, np.int64)
    for n in range(1, horizon + 1):
        counts[n - (n & -n) : n] += 1
    return counts


def lemma_1_loss(horizon: int) -> tuple[float, float, float]:
    """Lemma 1: the loss of a tree of Lap(||X||_1 log T / epsilon) when a leaf moves by ||X||_1, over epsilon.

    With log2 T, ln T and floor(log2 T) + 1 for log T. A leaf lies in floor(log2 T) + 1 released nodes, which is more
    than log2 T. (A leaf may even move by 2 ||X||_1; it moves by ||X||_1 at most if its entries are in [0, 1].)
    Algorithm 3 has twice the noise and is on the safe side.

    Parameters
    ----------
    horizon : int
        T >= 2.
    """
    nodes = int(np.max(node_counts(horizon)))
    return nodes / math.log2(horizon), nodes / math.log(horizon), nodes / horizon.bit_length()


def tree_miss(horizon: int) -> float:
    """Theorem 8: the chance that a release of Algorithm 3 exceeds what its index allows for noise, over 1/T^2.

    The release is taken to have as many nodes as any.

    Parameters
    ----------
    horizon : int
        T >= 2.
    """
    record: Any = paper.cucb_dp(1.0, list_size=1, n_arms=1, horizon=horizon).record
    return float(laplace_sum_tail(horizon.bit_length(), record.bonus_scale / record.scale)) * float(horizon) ** 2


def lemma_2_failures(n_arms: int, horizon: int) -> float:
    """Lemma 2: a bound on the expected number of rounds outside F_t, each of which may cost Delta_max: at most 3.

    F_t is printed with ln T where Algorithm 3 has ln(mT). Outside F_t some mean is off by 4 sqrt(ln T/n) - 2
    sqrt(ln(mT)/n) upwards or by sqrt(4 ln(mT)/n) downwards, or some release by more than its bonus. Hoeffding's
    inequality and the exact tail of the noise, summed over arms, rounds and numbers of reports; never more than T.

    Parameters
    ----------
    n_arms, horizon : int
        m >= 1, T >= 2.
    """
    log_t, log_mt = math.log(horizon), math.log(n_arms) + math.log(horizon)
    upwards = max(4.0 * math.sqrt(log_t) - 2.0 * math.sqrt(log_mt), 0.0)
    once = math.exp(-2.0 * upwards**2) + math.exp(-8.0 * log_mt) + 2.0 * tree_miss(horizon) / float(horizon) ** 2
    return min(n_arms * float(horizon) ** 2 * once, float(horizon))


def fact_1(problem: SetBandit, draws: int = 600, seed: int = 0) -> float:
    """Fact 1 on random pairs of means: |r - r'| over B_inf times the L1 distance or K B_1 times the largest one.

    Parameters
    ----------
    problem : SetBandit
        Of the constants B_1 and B_inf that it states.
    draws : int
        Pairs of means, half of them close to each other, for every super arm.
    seed : int
    """
    rng, most = np.random.default_rng(seed), 0.0
    for draw in range(draws):
        means, others = rng.random((2, problem.n_arms))
        if draw % 2:
            others = np.clip(means + 0.01 * (others - 0.5), 0.0, 1.0)
        arms = list(problem.sets[draw % len(problem.sets)])
        moved = abs(problem.value(arms, means) - problem.value(arms, others))
        apart = np.abs(means - others)[arms]
        allowed = problem.b_inf * np.sum(apart), problem.list_size * problem.b_1 * np.max(apart)
        most = max(most, moved / float(min(allowed)))
    return most


# --- exponents of bounds


def exponents(bound: Callable[..., float], kind: str) -> Exponents:
    """Return the exponents with which a bound grows on a family of instances, per arm in a bad super arm.

    Parameters
    ----------
    bound : callable
        Of `problem`, `epsilon` and `horizon`; or one bound over another.
    kind : str
        Of `papers.semibandits.separated`, with 64 bad arms of means below 1/2.
    """

    def at(size: int = 4, noise: float = 1e6, gap: float = 0.2, horizon: int = FAR) -> float:
        distance = gap / size if kind == "K-path" else gap
        problem = paper.separated(kind, others=64, list_size=size, distance=distance, best=0.5)
        most = bound(problem=problem, epsilon=1.0 / noise, horizon=horizon)
        return most / int(np.count_nonzero(problem.smallest_gaps))

    horizons, sizes, noises, gaps = (FAR, FAR**2, FAR**4), (4, 8, 16, 32), (1e5, 1e6, 1e7), (0.2, 0.05, 0.0125)
    return Exponents(
        size=exponent_of(sizes, [at(size) for size in sizes]),
        noise=exponent_of(noises, [at(noise=noise) for noise in noises]),
        gap=exponent_of([1.0 / gap for gap in gaps], [at(gap=gap) for gap in gaps]),
        log_t=exponent_of([math.log(t) for t in horizons], [at(horizon=t) for t in horizons]),
    )


def exponent_of(x: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent with which computed values grow."""
    return float(exact_slope(x, values).measured)


def private_exponents(horizon: int = FARTHER) -> tuple[float, float]:
    """Theorem 9: the exponents of K per arm of its private term, and of that of a proved upper bound, on K-paths.

    Between K = 64 and 4096, at an epsilon so small that the private term is all there is, and ln T large against K.
    """
    sizes = (64, 4096)
    claimed = [
        bounds.theorem_9(n_arms=3 * k, list_size=k, gap=0.3 * k, epsilon=1e-9, horizon=horizon) / (3 * k) for k in sizes
    ]
    reached = [
        bounds.cucb_blocks_upper(problem=paper.k_path(3 * k, k, 0.3 * k), horizon=horizon, epsilon=1e-9).private / k
        for k in sizes
    ]
    return exponent_of(sizes, claimed), exponent_of(sizes, reached)


def public_exponents(horizon: int = FARTHER) -> tuple[float, float]:
    """The sketch of Theorem 9: exponents of K, at m = 3K, of the private regret that it claims, and that is proved.

    It claims K B_1 ln T / epsilon for each of the m - 2K + 1 super arms of its instance.
    """
    sizes = (16, 256)
    claimed = [float((k + 1) * k) for k in sizes]
    problems: list[Any] = [paper.public_arms(3 * k, k, 0.3 * k) for k in sizes]
    return exponent_of(sizes, claimed), exponent_of(
        sizes, [bounds.cucb_blocks_upper(problem=one, horizon=horizon, epsilon=1e-9).private for one in problems]
    )


def product_exponents(horizon: int = FAR) -> tuple[float, float]:
    """Section 3.3: the exponents of 1/x, epsilon = Delta = x and K = 1, of the claimed product and a proved bound."""
    points = [2.0**-10, 2.0**-20, 2.0**-30]
    claimed = [bounds.b_inf_dp_lower(n_arms=10, gap=x, epsilon=x, horizon=horizon) for x in points]
    reached = [
        sum(bounds.cucb_blocks_upper(problem=paper.k_path(10, 1, x), horizon=horizon, epsilon=x)) for x in points
    ]
    return -exponent_of(points, claimed), -exponent_of(points, reached)


def tilde_exponents(exponent: float = 8.0) -> tuple[float, float]:
    """Table 1, B_1 under DP: exponents of K, per bad arm and ln T, of the product and of a proved bound.

    At Delta = B_1 = 1, epsilon = K^(-1/2), K = (ln T)^exponent and m = 2 K, two paths: epsilon alone is small, and as
    K is any power of ln T, no power of ln T or ln m makes up for a power of K. T is too large for a float or a list of
    arms, so that `bounds.cucb_blocks_upper` is written out for these paths, as `tilde_upper`.
    """
    logs = (1e3, 1e4, 1e5)
    sizes = [log_t**exponent for log_t in logs]
    reached = [tilde_upper(size, log_t, 1.0 / math.sqrt(size)) / log_t for size, log_t in zip(sizes, logs, strict=True)]
    return exponent_of(sizes, [size * math.sqrt(size) for size in sizes]), exponent_of(sizes, reached)


def tilde_upper(size: float, log_t: float, epsilon: float) -> float:
    """Theorem B per bad arm, on two K-paths whose gap is 1.

    Parameters
    ----------
    size, log_t, epsilon : float
        K, ln T and epsilon, > 0.
    """
    level = log_t + math.log(1.0 + math.floor(log_t / math.log(2.0) + 1e-9))
    noise = level + 2.0 * math.sqrt(size * level)
    return 8.0 * size * level + 16.0 * noise / epsilon + (2.0 * size + 2.0) / size


def sum_over_proved(n_arms: int = 10) -> float:
    """The sum of Table 1's caption, m (1/Delta + 1/epsilon), over the corrected lower bound, at most.

    Over gaps of 0.01 to 0.34 and epsilon from 0.001 to 100, at K = 1.
    """
    return max(
        n_arms * (1.0 / gap + 1.0 / epsilon) * math.log(FAR)
        / bounds.b_inf_dp_lower(n_arms=n_arms, gap=gap, epsilon=epsilon, horizon=FAR, variant="corrected")
        for gap in np.linspace(0.01, 0.34, 34)
        for epsilon in np.geomspace(0.001, 100.0, 51)
    )  # fmt: skip


def rates_apart() -> float:
    """By how much the two sides of the central rate of B_1-smooth rewards differ, at most, over K, gaps and epsilon."""
    cases = itertools.product((1, 8, 64, 512), np.linspace(0.01, 0.34, 12), np.geomspace(1e-3, 1e3, 25))
    sides = [bounds.central_rates(n_arms=4 * k, list_size=k, gap=x * k, epsilon=epsilon) for k, x, epsilon in cases]
    return max(high / low for low, high in sides)


def local_lower_ratio() -> float:
    """Theorems 5 and 6 as printed over the corrected ones, at most; a path has the divergence of one arm."""
    cases = itertools.product(np.linspace(0.01, 0.34, 12), (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0))
    sides = [
        [
            bounds.theorem_6(n_arms=8, list_size=4, gap=4 * x, epsilon=e, horizon=1000, variant=v)
            for v in ("printed", "corrected")
        ]
        for x, e in cases
    ]
    return max(printed / proved for printed, proved in sides)


# --- what a first report may cost the printed local algorithms
def first_report_lower(gap: float, epsilon: float, log_horizon: float) -> float:
    """Logarithm of a lower bound on the regret of Algorithms 1 and 2 at K = 1, on two arms of means 1/2 and 1/2 - gap.

    Not in the paper. Write mu' = 1/2 - gap, w = mu'/2, L = ln T, a for the radius at one report and b = 1/epsilon. The
    first report of the best arm is an outcome 0 and puts its index into [0, w) with probability p = (1/4) e^{-a/b}
    (e^{w/b} - 1). The bonus has ln T and not ln t, so this index never changes, and the arm is never played again while
    the other arm's index exceeds w. A sum of n errors of the other arm has E e^{-s sum} <= e^{n s w} for s = min(1/(b
    sqrt 2), w / (1/8 + 2 b^2)), and the radius at n is at least a/n^(1/2) as printed, so that its index falls below w
    at some n with probability at most q = 2/(s a)^2. Hence regret is at least gap (T - 1) p (1 - q).

    Parameters
    ----------
    gap : float
        Delta, in (0, 1/2).
    epsilon : float
        > 0, finite.
    log_horizon : float
        ln T, so large that a > w.

    Returns
    -------
    float
        -inf where 1 - q is not positive.
    """
    window, length, noise = (0.5 - gap) / 2.0, log_horizon, 1.0 / epsilon
    radius = 4.0 * noise * math.sqrt(2.0 * length)
    slope = min(1.0 / (noise * math.sqrt(2.0)), window / (0.125 + 2.0 * noise**2))
    stays = 1.0 - 2.0 / (slope * radius) ** 2
    if stays <= 0.0 or radius <= window:
        return -math.inf
    chance = math.log(0.25 * math.expm1(window / noise)) - radius / noise
    return math.log(gap) + length + math.log(-math.expm1(-length)) + chance + math.log(stays)


def first_report_horizon(gap: float, epsilon: float) -> float:
    """Decimal logarithm of the T from which `first_report_lower` exceeds the claimed rate; infinite if none does.

    The claimed rate is that of Theorems 2 and 4 at K = 1 with the constant of its radius, 256 ln T / (epsilon^2 Delta).
    As printed the excess grows with T, so that no constant would do.

    Parameters
    ----------
    gap, epsilon : float
        As there.
    """
    most = 1e4

    def excess(log_horizon: float) -> float:
        claimed = math.log(256.0 * log_horizon / (epsilon**2 * gap))
        return max(first_report_lower(gap, epsilon, log_horizon) - claimed, -most)

    if excess(most) <= 0.0:
        return math.inf
    return float(brentq(excess, 1.0, most)) / math.log(10.0)

"""The lemmas and privacy theorems of Chen et al. (2020), checked by computation: numbers for the ledger.

A loss is exact: outcomes are changed in every way, and Laplace noise of scale b on a message that moves by d in L1 pays
d/b. A miss is the exact probability that an index lies below the mean of its arm.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from private_bandits.kernels import index
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds, instances
from private_bandits.policy import Policy
from private_bandits.privacy import sensitivity
from private_bandits.problems import SetBandit
from private_bandits.simulate import trace
from private_bandits_book.sweep import exact_slope
from private_bandits_book.tails import laplace_sum_tail

_FAR = 10**40  # a horizon at which the upper bounds say something at every point that they are compared at
_REPORTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300)


class TreeLoss(NamedTuple):
    """What the releases of a tree pay in units of the nominal epsilon, for three scales of its nodes."""

    base_2: float  # log2(T) / epsilon
    natural: float  # ln(T) / epsilon
    levels: float  # (floor(log2 T) + 1) / epsilon


class Miss(NamedTuple):
    """How an index falls below its arm's mean: in how many rounds at most, and after how many reports most likely."""

    rounds: float
    largest: float
    reports: int
    late: float  # the same chance after the most reports that were computed


class Smooth(NamedTuple):
    """Fact 1 on a reward function: the largest loss over what each half of the fact allows."""

    one_from_infinity: float
    infinity_from_one: float


class Exponents(NamedTuple):
    """A claimed exponent and the one that is reached or proved."""

    claimed: float
    reached: float


def outcomes(size: int) -> np.ndarray:
    """The corners of [0, 1]^size, shape (2^size, size): no two outcomes are farther apart than two of these."""
    return np.array(list(itertools.product((0.0, 1.0), repeat=size)))


def loss(policy: Policy, size: int, horizon: int) -> float:
    """Theorems 1, 3 and 7: what is paid with the policy's own noise, by brute force over outcomes and nodes of a tree.

    Infinite at horizon 1 for the printed Algorithm 3, where log T = 0 leaves no noise.

    Parameters
    ----------
    policy : Policy
        Whose users report all K outcomes, or any one that they are asked for: in person, or to trees that release
        after every round.
    size, horizon : int
        K >= 1 and T >= 1.
    """
    record: Any = policy.record
    messages, nodes = outcomes(size), int(np.max(node_counts(horizon))) if record.noise == index.TREE else 1
    asked = [list(range(size))] if record.reports == index.ALL else [[arm] for arm in range(size)]
    return _over(nodes * max(sensitivity(messages[:, arms], order=1) for arms in asked), record.scale)


def node_counts(horizon: int) -> np.ndarray:
    """In how many released nodes of the binary mechanism each of the leaves 1..horizon lies, shape (horizon,).

    Release n is the sum of the nodes at the binary digits of n; n opens one node, which ends there.
    """
    counts = np.zeros(horizon, np.int64)
    for n in range(1, horizon + 1):
        counts[n - (n & -n) : n] += 1
    return counts


def lemma_1_loss(horizon: int) -> TreeLoss:
    """Lemma 1: what a tree of Lap(||X||_1 log T / epsilon) pays when a leaf moves by ||X||_1, over epsilon.

    A leaf lies in floor(log2 T) + 1 released nodes, which is more than log2 T. (A leaf may even move by 2 ||X||_1; it
    moves by ||X||_1 at most if its entries are in [0, 1].) Algorithm 3 has twice the noise and is on the safe side.

    Parameters
    ----------
    horizon : int
        T >= 2.
    """
    nodes = int(np.max(node_counts(horizon)))
    return TreeLoss(nodes / math.log2(horizon), nodes / math.log(horizon), nodes / horizon.bit_length())


def report_miss(n: int, scale: float, radius: float, mean: float = 0.5) -> float:
    """Probability that the mean of n Bernoulli outcomes with Laplace noise lies more than `radius` below `mean`.

    Parameters
    ----------
    n : int
        Reports, >= 1.
    scale : float
        Of the noise on each report, >= 0.
    radius : float
        >= 0.
    mean : float
        In (0, 1).
    """
    ones = np.arange(n + 1)
    needed = n * radius - n * mean + ones
    if scale == 0.0:
        return float(binom.cdf(np.count_nonzero(needed < -1e-12 * n) - 1, n, mean))
    tails = laplace_sum_tail(n, np.abs(needed) / scale)
    return float(binom.pmf(ones, n, mean) @ np.where(needed >= 0, tails, 1.0 - tails))


def local_miss(epsilon: float, size: int, horizon: int, algorithm: int, variant: str = "printed") -> Miss:
    """Theorems 2 and 4: how often the index of Algorithm 1 or 2 lies below the mean, which is 1/2.

    An arm whose index is too low may stay unplayed, so a miss after n reports can cost all rounds to T. `rounds` is T
    times the sum over n = 1, ..., T of the chance of a miss, exact up to n = 300, between the computed n by the larger
    neighbour, and beyond as at 300, which assumes that the chance has one peak in n. It is an upper bound: few rounds
    suffice for a regret of order ln T by confidence bounds, many decide nothing.

    Parameters
    ----------
    epsilon : float
        > 0.
    size : int
        K >= 1.
    horizon : int
        T >= 1.
    algorithm : {1, 2}
    variant : {"printed", "repaired"}
    """
    first = paper.cucb_ldp1(epsilon, size, variant, horizon)
    record: Any = (first if algorithm == 1 else paper.cucb_ldp2(epsilon, variant, horizon)).record
    reports = [n for n in _REPORTS if n <= horizon]
    misses = [report_miss(n, record.scale, _radius(record, n)) for n in reports]
    total = misses[0] + misses[-1] * (horizon - reports[-1])
    for i in range(1, len(reports)):
        total += (reports[i] - reports[i - 1]) * max(misses[i - 1], misses[i])
    worst = int(np.argmax(misses))
    return Miss(horizon * min(total, 1.0), misses[worst], reports[worst], misses[-1])


def tree_miss(horizon: int, variant: str = "printed") -> float:
    """Theorem 8: the chance that a release of Algorithm 3 exceeds what its index allows for noise, over 1/T^2.

    The release is taken to have as many nodes as any.

    Parameters
    ----------
    horizon : int
        T >= 2.
    variant : {"printed", "repaired"}
    """
    record: Any = paper.cucb_dp(1.0, 1, 1, horizon, variant).record
    allowed = record.bonus_scale / record.scale
    return float(laplace_sum_tail(horizon.bit_length(), allowed)) * float(horizon) ** 2


def lemma_2_failures(n_arms: int, horizon: int) -> float:
    """Lemma 2: a bound on the expected number of rounds outside F_t, which may cost 3 times Delta_max: at most 3.

    F_t is printed with ln T where Algorithm 3 has ln(mT). Outside F_t some mean is off by 4 sqrt(ln T/n) - 2
    sqrt(ln(mT) /n) upwards or by sqrt(4 ln(mT)/n) downwards, or some release by more than its bonus. Hoeffding's
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


def fact_1(problem: SetBandit, draws: int = 600, seed: int = 0) -> Smooth:
    """Fact 1 on random pairs of means: |r - r'| over B_inf times the L1 distance, and over K B_1 times the largest one.

    Parameters
    ----------
    problem : SetBandit
        Of the constants B_1 and B_inf that it states.
    draws : int
        Pairs of means, half of them close to each other, for every super arm.
    seed : int
    """
    rng = np.random.default_rng(seed)
    one = infinity = 0.0
    for draw in range(draws):
        means = rng.random(problem.n_items)
        others = rng.random(problem.n_items)
        if draw % 2:
            others = np.clip(means + 0.01 * (others - 0.5), 0.0, 1.0)
        arms = list(problem.sets[draw % len(problem.sets)])
        lost = abs(problem.value(arms, means) - problem.value(arms, others))
        apart = np.abs(means - others)[arms]
        one = max(one, lost / (problem.b_inf * float(np.sum(apart))))
        infinity = max(infinity, lost / (problem.list_size * problem.b_1 * float(np.max(apart))))
    return Smooth(one, infinity)


def same_at_one(epsilon: float, horizon: int = 300) -> bool:
    """Section 3.2: at K = 1 Algorithms 1 and 2 play the same arms from the same streams, printed and repaired."""
    problem = instances.rescaled(5, 0.2)
    return all(
        np.array_equal(
            trace(problem, paper.cucb_ldp1(epsilon, 1, variant, horizon), horizon=horizon, seed=replication),
            trace(problem, paper.cucb_ldp2(epsilon, variant, horizon), horizon=horizon, seed=replication),
        )
        for variant in paper.VARIANTS
        for replication in range(3)
    )


def public_arms_exponents(horizon: int = _FAR) -> Exponents:
    """Theorem 9: exponent in K at m = 3K of the claimed private term, and of what an algorithm reaches on its instance.

    Between K = 64 and K = 4096, at an epsilon so small that the private term is all there is, and a horizon so long
    that the whole bound of `bounds.public_arms_upper` is below Delta T.
    """
    sizes = (64, 4096)
    claimed = [bounds.theorem_9(3 * k, k, 0.1, 1e-9, horizon) for k in sizes]
    reached = [bounds.public_arms_upper(3 * k, k, 0.1, 1e-9, horizon).private for k in sizes]
    return Exponents(exact_slope(sizes, claimed).measured, exact_slope(sizes, reached).measured)


def multiplicative_exponents(horizon: int = _FAR) -> Exponents:
    """Section 3.3: exponent in 1/x of the claimed lower bound at epsilon = Delta = x, K = 1, and of DP-SE's regret.

    The second by `bounds.dp_se_upper`, between x = 2^-10 and 2^-30, where it is below Delta T. The first has ln T; the
    second has that of 8 m e^2 T, e the epoch, and the same order in T.
    """
    points = (2.0**-10, 2.0**-30)
    found = [[bound(10, x, x, horizon) for x in points] for bound in (bounds.b_inf_dp_lower, bounds.dp_se_upper)]
    return Exponents(*(-exact_slope(points, values).measured for values in found))


def sum_exponent(horizon: int = _FAR) -> float:
    """Section 3.2, DP: exponent in 1/x of the repaired algorithm's proved upper bound at epsilon = Delta = x, K = 1."""
    points = (2.0**-10, 2.0**-30)
    found = [bounds.b_inf_dp_upper(instances.rescaled(10, x), horizon, x, "corrected") for x in points]
    return -exact_slope(points, found).measured


def conjecture_exponents(horizon: int = _FAR) -> Exponents:
    """Section 5: exponent in K per arm of the conjectured lower bound, and of a proved upper bound, on K-paths."""
    sizes = (4, 64)
    upper = [bounds.super_arm_radius_upper(instances.k_path(3 * k, k, 0.3), horizon, 0.5) / (2 * k) for k in sizes]
    return Exponents(2.0, exact_slope(sizes, upper).measured)


def coverage_moves() -> tuple[list[int], list[float]]:
    """Section 2.1: K of coverages of four targets, and how far their rewards move for a largest move of a mean.

    That is |r - r'| over the largest |mu - mu'|, found at means next to 0, where the chances add up.
    """
    problems = [instances.coverage(3 * nodes, 4, nodes, 0.5, 0.2) for nodes in (1, 2, 4)]
    step = 1e-6
    moved = [problem.value(problem.sets[0], np.full(problem.n_items, step)) / step for problem in problems]
    return [problem.list_size for problem in problems], moved


def additive_over_proved(n_arms: int = 10) -> float:
    """The additive lower bound of Table 1's caption at constant 1, m (1/Delta + 1/epsilon), over one that is proved.

    That is `bounds.b_inf_dp_lower`, corrected: (m - 1) times the larger of Delta/d and 1/(6 epsilon), d = d(1/2 - Delta
    || 1/2) at most 2.3 Delta^2 for Delta < 0.35. The larger is at least a twelfth of 1/Delta + 1/epsilon, so that the
    ratio is at most 12 m/(m - 1) at every epsilon and Delta, and the sum is a lower bound with 1/24 in front of it.

    Parameters
    ----------
    n_arms : int
        m >= 2.

    Returns
    -------
    float
        The largest ratio over gaps of 0.01 to 0.34 and epsilon from 0.001 to 100.
    """
    return max(
        n_arms * (1.0 / gap + 1.0 / epsilon) * math.log(_FAR)
        / bounds.b_inf_dp_lower(n_arms, gap, epsilon, _FAR, variant="corrected")
        for gap in np.linspace(0.01, 0.34, 34)
        for epsilon in np.geomspace(0.001, 100.0, 51)
    )  # fmt: skip


def first_report_lower(gap: float, epsilon: float, log_horizon: float, variant: str = "printed") -> float:
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
    variant : {"printed", "repaired"}
        As printed a = 4 b sqrt(2 L), and p falls slower than 1/T. Repaired, with a = sqrt((1.5 + 12 b^2) L) + 3 b L, p
        is below T^-3 and the bound says nothing; 0 stands for q there.

    Returns
    -------
    float
        -inf where 1 - q is not positive.
    """
    window, length, noise = (0.5 - gap) / 2.0, log_horizon, 1.0 / epsilon
    if variant == "printed":
        radius = 4.0 * noise * math.sqrt(2.0 * length)
        slope = min(1.0 / (noise * math.sqrt(2.0)), window / (0.125 + 2.0 * noise**2))
        stays = 1.0 - 2.0 / (slope * radius) ** 2
    else:
        radius, stays = math.sqrt((1.5 + 12.0 * noise**2) * length) + 3.0 * noise * length, 1.0
    if stays <= 0.0 or radius <= window:
        return -math.inf
    chance = math.log(0.25 * math.expm1(window / noise)) - radius / noise
    return math.log(gap) + length + math.log(-math.expm1(-length)) + chance + math.log(stays)


def first_report_horizon(gap: float, epsilon: float, variant: str = "printed") -> float:
    """Decimal logarithm of the T from which `first_report_lower` exceeds the claimed rate; infinite if none does.

    The claimed rate is that of Theorems 2 and 4 at K = 1 with the constant of its radius, 256 ln T / (epsilon^2 Delta).
    As printed the excess grows with T, so that no constant would do.

    Parameters
    ----------
    gap, epsilon : float
        As there.
    variant : {"printed", "repaired"}
    """
    most = 1e4

    def excess(log_horizon: float) -> float:
        claimed = math.log(256.0 * log_horizon / (epsilon**2 * gap))
        return max(first_report_lower(gap, epsilon, log_horizon, variant) - claimed, -most)

    if excess(most) <= 0.0:
        return math.inf
    return float(brentq(excess, 1.0, most)) / math.log(10.0)


def _radius(record: Any, n: int) -> float:
    """The bonus of a local box with ln T at n reports."""
    return float(np.sum(np.sqrt(record.terms[:, 1] / n))) + record.bonus_scale / n


def _over(moved: float, scale: float) -> float:
    return moved / scale if scale else math.inf

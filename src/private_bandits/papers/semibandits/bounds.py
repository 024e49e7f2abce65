"""Every bound of Chen et al. (2020) as a function named after it, in units of regret, lower bounds times ln T.

`variant="printed"` is the statement. The paper states most bounds as O(...) or Omega(...) and keeps the proofs in a
supplement that we do not have; there the constant left open is taken as 1, and the variant `corrected` is a bound with
every constant, derived by us for the repaired algorithms or the lower-bound instances. Logarithms are natural.

The upper bounds rest on one step. While every mean is within its radius rad(n), n the reports of the arm, and the
oracle answers, opt <= r_index(S_t), so that the loss of a bad super arm is at most

    2 B_inf max over S_t of rad(n_i)    and at most    2 B_1 times the sum over S_t of rad(n_i).

With rad(n) = sqrt(A/n) + C/n the first is charged to the least pulled arm of S_t, which both local algorithms update,
at n = 1, ..., N with 2 B_inf rad(N) = Delta_min^i: Theorems 2 and 4. For the second, as in the paper's proof of Theorem
8, the loss is at most the sum over S_t of 4 B_1 rad(n_i) - Delta_min^i / K, and only n with 4 B_1 rad(n) >= Delta_min^i
/ K count. Each arm's first report and the rounds in which a radius fails cost Delta_max, the largest gap.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.papers._arithmetic import over, power, times
from private_bandits.papers.semibandits.instances import check_paths, means_apart
from private_bandits.papers.semibandits.radii import node_radius
from private_bandits.papers.semibandits.repair_blocks import log_level
from private_bandits.papers.semibandits.repair_radius import grid
from private_bandits.privacy.divergences import bernoulli_kl, private_kl
from private_bandits.problems import SemiBandit, SetBandit

__all__ = [
    "Terms",
    "b_inf_dp_lower",
    "b_inf_dp_upper",
    "central_rates",
    "cucb_blocks_upper",
    "super_arm_radius_upper",
    "theorem_2",
    "theorem_4",
    "theorem_5",
    "theorem_6",
    "theorem_8",
    "theorem_8_terms",
    "theorem_9",
    "theorem_9_fails",
]

_MISSES = math.pi**2 / 3.0  # per arm: the rounds in which a radius fails, at most t reports, two sides, t^-3 each


class Terms(NamedTuple):
    """The parts of an upper bound: what sampling costs, what privacy costs, and what does not depend on the gaps."""

    sampling: float
    private: float
    rest: float


@checks.formula()
def theorem_2(*, problem: SemiBandit, epsilon: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 2, Algorithm 1 under LDP, B_inf-smooth.

    Parameters
    ----------
    problem : SemiBandit
        Gives K, B_inf and the gaps.
    epsilon : float
        Privacy of a user, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: the sum of K^2 B_inf^2 ln T / (epsilon^2 Delta_min^i). For the printed radius, if it
          covered, the step of this module gives 256 K: the K^2 of the theorem belongs to another radius.
        * `corrected`: for the repaired algorithm, b = K/epsilon. Leading part: the sum of 8 B_inf^2 (1.5 + 12 b^2) ln T
          / Delta_min^i, that is 12 B_inf^2 ln T / Delta_min^i without privacy.

    Returns
    -------
    float
        At least the regret at T.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.

    Notes
    -----
    As printed the bound goes to 0 as epsilon grows, below the non-private lower bound, and it does not hold for the
    algorithm, whose regret is of order T exp(-4 sqrt(2 ln T)) at least at K = 1: a first report of 0 may put the best
    arm aside for good.
    """
    return _local_upper(problem, horizon, epsilon, variant, whole=True)


@checks.formula()
def theorem_4(*, problem: SemiBandit, epsilon: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 4, Algorithm 2 under LDP, B_inf-smooth; by Fact 1, with B_inf = K B_1, also the bound of Section 4.1.

    Parameters
    ----------
    problem : SemiBandit
        Gives K, B_inf and the gaps.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: the sum of B_inf^2 ln T / (epsilon^2 Delta_min^i); see `theorem_2` on 256.
        * `corrected`: as for `theorem_2`, with b = 1/epsilon.

    Returns
    -------
    float
        At least the regret at T.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.
    """
    return _local_upper(problem, horizon, epsilon, variant, whole=False)


@checks.formula()
def theorem_5(
    *, n_arms: int, gap: float, b_inf: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Theorem 5, the lower bound under LDP, B_inf-smooth, on the rescaled bandit, times ln T.

    Parameters
    ----------
    n_arms : int
        m >= 2.
    gap : float
        Delta, in (0, 0.35 b_inf).
    b_inf : float
        Smoothness, > 0.
    epsilon : float
        Privacy of a user, > 0.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: B_inf^2 (m - 1) / (64 (e^eps - 1)^2 Delta).
        * `corrected`: (m - 1) Delta / d(1/2 - tanh(eps/2) Delta/B_inf || 1/2). Of all private reports on a bit,
          randomised response keeps the most divergence (Kairouz, Oh and Viswanath 2016), and its answers have these
          means. It is larger than the print at every epsilon, and without privacy the bound of Lai and Robbins (1985).

    Returns
    -------
    float
        At most the regret of a consistent algorithm, in the limit of large T.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The theorem cites "Theorem 2" of Basu et al. (2019), which is Theorem 4 in the version that we have.
    """
    arms = checks.integer("n_arms", n_arms, at_least=2)
    return times(_local_lower(arms - 1, gap, b_inf, "b_inf", epsilon, variant), checks.log_horizon(horizon))


@checks.formula()
def theorem_6(
    *, n_arms: int, list_size: int, gap: float, b_1: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Theorem 6, the lower bound under LDP, B_1-smooth, on the K-path instance, times ln T.

    Parameters
    ----------
    n_arms, list_size : int
        m and K; n_arms a multiple of list_size, at least twice it.
    gap : float
        Delta, in (0, 0.35 b_1 list_size).
    b_1 : float
        Smoothness, > 0.
    epsilon : float
        Privacy of a user, > 0.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: B_1^2 (m - K) K / (64 (e^eps - 1)^2 Delta).
        * `corrected`: (m/K - 1) Delta / d(1/2 - tanh(eps/2) Delta/(B_1 K) || 1/2), as in `theorem_5`: the weights of a
          path are one bit. So this instance has no more than one factor K to give: a user who rounds the average of
          the path to a bit, at random, and sends it by randomised response reaches it, whatever the joint law.

    Returns
    -------
    float
        At most the regret of a consistent algorithm, in the limit of large T.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    check_paths(n_arms, list_size)
    others = n_arms // list_size - 1
    smooth = _positive("b_1", b_1) * list_size
    return times(_local_lower(others, gap, smooth, "b_1 list_size", epsilon, variant), checks.log_horizon(horizon))


@checks.formula()
def theorem_8(*, problem: SemiBandit, epsilon: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 8, Algorithm 3 under DP, B_1-smooth: the sum of `theorem_8_terms`.

    Parameters
    ----------
    problem : SemiBandit
        Gives K, B_1 and the gaps.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "proof", "corrected"}
        See `theorem_8_terms`.

    Returns
    -------
    float
        At least the regret at T.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.
    """
    return sum(theorem_8_terms(problem=problem, horizon=horizon, epsilon=epsilon, variant=variant))


@checks.formula()
def theorem_8_terms(*, problem: SemiBandit, epsilon: float, horizon: int, variant: str = "printed") -> Terms:
    """The terms of Theorem 8, to see which one dominates.

    Parameters
    ----------
    problem : SemiBandit
        Gives K, B_1 and the gaps.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "proof", "corrected"}
        * `printed`: the sum of K B_1^2 ln^2 T / Delta_min^i, and m K B_1 ln^3 T ln(B_1 K
          ln T / (Delta_max epsilon)) / epsilon, which is below 0 where the logarithm is.
        * `proof`: the last line of its proof with its constants, split at the root of the sum; and Lemma 2's 3 times
          the sum of Delta_max^i. Its logarithm has Delta_min^i, its first term 256 K B_1^2 ln T / Delta_min^i: ln^2 T
          is not needed, because the root of ln T ln^3 T / (epsilon Delta) is at most half of ln T / Delta + ln^3 T /
          epsilon. (The print's inequality between root and harmonic mean goes the other way.)
        * `corrected`: for the repaired algorithm, by the step of this module: 48 K B_1^2 ln T / Delta_min^i leads, and
          the private term has one factor K less than `problem.b_inf` would give.

    Returns
    -------
    Terms

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.
    """
    checks.choice("variant", variant, ("printed", "proof", "corrected"))
    log_t, epsilon, gaps = checks.log_horizon(horizon), checks.epsilon(epsilon), _gaps(problem)
    size, smooth = problem.list_size, problem.b_1
    if variant == "printed":
        private = 0.0
        if math.isfinite(epsilon) and log_t > 0:
            log = math.log(smooth * size * log_t / _worst(problem)) - math.log(epsilon)
            private = math.copysign(times(problem.n_arms * size * smooth * log_t**3, abs(log)) / epsilon, log)
        return Terms(size * smooth**2 * _over_gaps(problem) * log_t**2, private, 0.0)
    if variant == "proof":
        rest = 3.0 * float(np.sum(problem.largest_gaps))
        sampling = 256.0 * size * smooth**2 * _over_gaps(problem) * log_t
        if math.isinf(epsilon) or log_t == 0.0:
            return Terms(sampling, 0.0, rest)
        both = 256.0 * (smooth * size / gaps) ** 2 * log_t + 96.0 * smooth * size**2 * log_t**3 / gaps / epsilon
        total = 16.0 * smooth * np.sum(np.sqrt(log_t * both))
        logs = 1.0 + np.log(256.0 * (size * smooth / gaps) ** 2 * log_t**4) - math.log(epsilon)
        private = total - sampling + 48.0 * smooth * size * log_t**3 / epsilon * np.sum(logs)
        return Terms(sampling, float(private) if math.isfinite(sampling) else 0.0, rest)
    return _tree_upper(problem, horizon, 4.0 * smooth, gaps / size, _tree_linear(epsilon, size, horizon))


@checks.formula()
def theorem_9(
    *, n_arms: int, list_size: int, gap: float, b_1: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Theorem 9, the lower bound under DP, B_1-smooth, times ln T.

    Parameters
    ----------
    n_arms, list_size : int
        m and K, m >= 2 K; a multiple of K for `corrected`.
    gap : float
        Delta, in (0, 0.35 b_1 list_size).
    b_1 : float
        Smoothness, > 0.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: B_1^2 m K / Delta + B_1 m K / epsilon. (Its sketch loses a square of B_1 once.)
        * `corrected`: what follows on K-paths: (m/K - 1) Delta / d_epsilon(1/2 - Delta/(B_1 K) || 1/2), d_epsilon that
          of `privacy.private_kl`: at least (m/K - 1) Delta / d, and B_1 (m - K) / epsilon, without a factor K.

    Returns
    -------
    float
        At most the regret of a consistent algorithm, in the limit of large T.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    As printed no constant makes it true for every K, see `theorem_9_fails`. With the constant 1/(2 K) it is true for K
    >= 10, and with 1/20 for smaller K, if K divides m: `corrected` is as large. Azize and Basu (2022) have the private
    term at K = 1 with 6 epsilon for epsilon; d_epsilon is that of Azize et al. (2025).
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    scale, epsilon = _positive("b_1", b_1) * checks.integer("list_size", list_size, at_least=1), checks.epsilon(epsilon)
    distance = _apart(gap, scale, "b_1 list_size")
    if variant == "corrected":
        check_paths(n_arms, list_size)
        return times(n_arms // list_size - 1, _central(gap, distance, epsilon), checks.log_horizon(horizon))
    arms = checks.integer("n_arms", n_arms, at_least=2 * list_size)
    return times(arms, b_1 / distance + scale / epsilon, checks.log_horizon(horizon))


@checks.formula()
def cucb_blocks_upper(*, problem: SetBandit, epsilon: float, horizon: int) -> Terms:
    """Regret of `cucb_blocks` on any B_1-smooth reward, under DP, for every T and epsilon; ours.

    With f = ln T + ln(1 + floor(log2 T)), K ln 2 more where the reward is not linear, and g = f + 2 sqrt(K f).

    Parameters
    ----------
    problem : SetBandit
        Gives the super arms, their number N, K, B_1 and the gaps.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.

    Returns
    -------
    Terms
        The sum over the arms in bad super arms of 8 K B_1^2 f (2/Delta_min^i - 1/Delta_max^i); that of 16 B_1 g (1 +
        ln(Delta_max^i / Delta_min^i)) / epsilon, which has no factor K where ln T exceeds K; and (m + N) Delta_max.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.
    """
    checks.kind("problem", problem, SetBandit)
    size, smooth, epsilon = problem.list_size, problem.b_1, checks.epsilon(epsilon)
    checks.log_horizon(horizon)
    level = log_level(int(horizon))
    level += 0.0 if problem.reward_name == "linear" else size * math.log(2.0)
    over_gaps, spans, rest = _layers(problem)
    noise = level + 2.0 * math.sqrt(size * level)
    sampling = times(8.0 * size * smooth**2, level, over_gaps)
    return Terms(sampling, times(16.0 * smooth, noise, spans) / epsilon, rest)


@checks.formula()
def central_rates(*, n_arms: int, list_size: int, gap: float, b_1: float = 1.0, epsilon: float) -> tuple[float, float]:
    """The best regret over ln T under DP, B_1-smooth, all gaps equal, worst super arms: at least and at most; ours.

    Of order m K B_1^2 / Delta + m B_1 / epsilon both: the first is that of `theorem_9`, corrected, on K-paths; the
    second that of `cucb_blocks_upper` as T grows, on every fixed list of super arms. Other lists may have less regret.

    Parameters
    ----------
    n_arms, list_size : int
        m and K; n_arms a multiple of list_size, at least twice it.
    gap : float
        Delta, in (0, 0.35 b_1 list_size).
    b_1 : float
        Smoothness, > 0.
    epsilon : float
        Privacy, > 0; infinity is without privacy.

    Returns
    -------
    float
        (m/K - 1) Delta / d_epsilon(1/2 - Delta/(B_1 K) || 1/2).
    float
        8 m K B_1^2 / Delta + 16 m B_1 / epsilon.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> [round(rate) for rate in central_rates(n_arms=128, list_size=4, gap=1.2, epsilon=0.01)]
    [12452, 208213]
    """
    check_paths(n_arms, list_size)
    distance = _apart(gap, _positive("b_1", b_1) * list_size, "b_1 list_size")
    least = times(n_arms // list_size - 1, _central(gap, distance, checks.epsilon(epsilon)))
    return least, times(n_arms, b_1, 8.0 / distance + 16.0 / epsilon)


@checks.formula()
def theorem_9_fails(*, list_size: int, gap: float, b_1: float = 1.0, epsilon: float, constant: float = 1.0) -> bool:
    """Whether Theorem 9, with this constant for its Omega, asks for more than `cucb_blocks` has as T grows; ours.

    With x = Delta/(B_1 K): whether constant (1/x + K/epsilon) > 8/x + 16/epsilon, on every instance with all gaps Delta
    and any m >= 2 K. So for K > 16/constant there is an epsilon below which it does.

    Parameters
    ----------
    list_size : int
        K >= 1.
    gap : float
        Delta, in (0, 0.35 b_1 list_size).
    b_1 : float
        Smoothness, > 0.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    constant : float
        > 0.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> [theorem_9_fails(list_size=size, gap=0.3 * size, epsilon=1.0, constant=1 / 64) for size in (2048, 4096)]
    [False, True]
    """
    members, epsilon = checks.integer("list_size", list_size, at_least=1), checks.epsilon(epsilon)
    distance = _apart(gap, _positive("b_1", b_1) * members, "b_1 list_size")
    share = _positive("constant", constant)
    # both sides times the smaller of x and epsilon, so that neither overflows
    unit = min(distance, epsilon)
    return (share - 8.0) * (unit / distance) + (share * members - 16.0) * (unit / epsilon) > 0.0


@checks.formula()
def super_arm_radius_upper(*, problem: SetBandit, epsilon: float, horizon: int) -> float:
    """Regret of `super_arm_radius` on any B_1-smooth reward, under LDP; ours.

    With f = ln T + ln G, G the length of its grid (K ln 2 more where the reward is not linear), W the largest sum of
    squared weights of a super arm, at most K B_1^2, and c = 2.2 f W / tanh^2(epsilon/2): at most the sum of c
    (2/Delta_min^i - 1/Delta_max^i) over the arms in bad super arms, and (m + number of super arms) Delta_max. So order
    m K B_1^2 ln T / (epsilon^2 Delta), without the second K of Section 5's conjecture.

    Parameters
    ----------
    problem : SetBandit
        Gives the super arms, the weights and the gaps.
    epsilon : float
        Privacy of a user, > 0; infinity is without privacy.
    horizon : int
        T >= 1.

    Returns
    -------
    float
        At least the regret at T.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.
    """
    linear = checks.kind("problem", problem, SetBandit).reward_name == "linear"
    rounds = checks.integer("horizon", horizon, at_least=1)
    level = math.log(rounds) + math.log(len(grid(rounds))) + (0.0 if linear else problem.list_size * math.log(2.0))
    squares = [sum(problem.weights[arm] ** 2 if linear else 1.0 for arm in arms) for arms in problem.sets]
    over_gaps, _, rest = _layers(problem)
    return over(times(2.2 * max(squares), level, over_gaps), math.tanh(checks.epsilon(epsilon) / 2.0) ** 2) + rest


@checks.formula()
def b_inf_dp_upper(*, problem: SemiBandit, epsilon: float, horizon: int, variant: str = "printed") -> float:
    """The unnumbered upper bound of Section 3.2, CUCB-DP on the least pulled arm, B_inf-smooth.

    Parameters
    ----------
    problem : SemiBandit
        Gives K, B_inf and the gaps.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: m B_inf^2 ln T / (epsilon Delta); the print hides powers of ln T and ln m. It goes
          to 0 as epsilon grows.
        * `corrected`: for the repaired algorithm: 12 B_inf^2 ln T / Delta_min^i leads, and the private term is of order
          B_inf ln^2.5 T ln(N) / epsilon for each arm, not divided by the gap.

    Returns
    -------
    float
        At least the regret at T.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem has no bad super arm.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    log_t, epsilon, gaps = checks.log_horizon(horizon), checks.epsilon(epsilon), _gaps(problem)
    smooth = problem.b_inf
    if variant == "printed":
        return over(problem.n_arms * smooth**2 * log_t, float(np.min(gaps))) / epsilon
    return sum(_tree_upper(problem, horizon, 2.0 * smooth, gaps, _tree_linear(epsilon, 1, horizon)))


@checks.formula()
def b_inf_dp_lower(
    *, n_arms: int, gap: float, b_inf: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """The unnumbered lower bound of Section 3.3 and Table 1, under DP, B_inf-smooth, times ln T.

    Parameters
    ----------
    n_arms : int
        m >= 2.
    gap : float
        Delta, in (0, 0.35 b_inf).
    b_inf : float
        Smoothness, > 0.
    epsilon : float
        Privacy, > 0; infinity is without privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: m B_inf^2 / (epsilon Delta). At K = 1 regret of order m (1/Delta + 1/epsilon) ln T
          is reached (`cucb_blocks_upper`; before it by Sajed and Sheffet 2019), so no constant makes it true.
        * `corrected`: (m - 1) Delta / d_epsilon(1/2 - Delta/B_inf || 1/2), as in `theorem_9`: of order B_inf^2/Delta +
          B_inf/epsilon.

    Returns
    -------
    float
        At most the regret of a consistent algorithm, in the limit of large T.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    arms, epsilon = checks.integer("n_arms", n_arms, at_least=2), checks.epsilon(epsilon)
    distance = _apart(gap, b_inf, "b_inf")
    if variant == "corrected":
        return times(arms - 1, _central(gap, distance, epsilon), checks.log_horizon(horizon))
    return times(arms, b_inf, 1.0 / distance, 1.0 / epsilon, checks.log_horizon(horizon))


def _local_upper(problem: SemiBandit, horizon: int, epsilon: float, variant: str, *, whole: bool) -> float:
    """Theorems 2 and 4, printed or repaired: a user reports all K outcomes of a super arm, or one."""
    checks.choice("variant", variant, ("printed", "corrected"))
    log_t, epsilon, targets = checks.log_horizon(horizon), checks.epsilon(epsilon), _gaps(problem)
    reports = problem.list_size if whole else 1
    if variant == "printed":
        return over(times(reports**2 * problem.b_inf**2, _over_gaps(problem), log_t), power(epsilon, 2))
    scale = reports / epsilon
    gaps = _summed(2.0 * problem.b_inf, targets, times(1.5 + 12.0 * power(scale, 2), log_t), times(3.0 * scale, log_t))
    return gaps + problem.n_arms * (1.0 + _MISSES) * _worst(problem)


def _tree_upper(problem: SemiBandit, horizon: int, factor: float, targets: np.ndarray, linear: float) -> Terms:
    """The bound of a repaired algorithm with trees; what exceeds that without their noise is the private term."""
    square = 1.5 * checks.log_horizon(horizon)
    sampling, whole = (_summed(factor, targets, square, noise) for noise in (0.0, linear))
    private = whole - sampling if math.isfinite(sampling) else 0.0
    return Terms(sampling, private, problem.n_arms * (3.0 + _MISSES) * _worst(problem))


def _summed(factor: float, targets: np.ndarray, square: float, linear: float) -> float:
    """Sum over arms and n = 1, ..., N of factor rad(n), rad(n) = sqrt(square/n) + linear/n, factor rad(N) = target."""
    if math.inf in (square, linear):
        return math.inf
    reach = targets / factor
    root = math.sqrt(square)
    pulls = ((root + np.sqrt(square + 4.0 * linear * reach)) / (2.0 * reach)) ** 2
    counted = pulls[pulls >= 1.0]
    return float(factor * np.sum(2.0 * root * np.sqrt(counted) + linear * (1.0 + np.log(counted))))


def _tree_linear(epsilon: float, reach: int, horizon: int) -> float:
    """The C of the repaired trees, as in `algorithm_3.tree_record`."""
    log_t, levels = checks.log_horizon(horizon), int(horizon).bit_length()
    return times(levels, reach / epsilon, node_radius(levels, 2.0 * log_t))


def _local_lower(others: int, gap: float, scale: float, words: str, epsilon: float, variant: str) -> float:
    checks.choice("variant", variant, ("printed", "corrected"))
    epsilon = checks.epsilon(epsilon)
    distance = _apart(gap, scale, words)
    if variant == "printed":
        odds = math.exp(-epsilon) / -math.expm1(-epsilon)  # 1/(e^eps - 1) without overflow
        return times(others, gap / 64.0, power(odds / distance, 2))
    kept = math.tanh(epsilon / 2.0) * distance
    return over(times(others, gap), bernoulli_kl(0.5 - kept, 0.5, apart=kept))


def _apart(gap: float, scale: float, words: str) -> float:
    """Delta over what the rewards have for a distance 1 of the means, a float above 0."""
    return max(means_apart(gap, scale, words), math.ulp(0.0))


def _central(gap: float, distance: float, epsilon: float) -> float:
    return over(gap, private_kl(0.5 - distance, 0.5, epsilon=epsilon, apart=distance))


def _gaps(problem: SemiBandit) -> np.ndarray:
    """Delta_min^i of the arms that are in a bad super arm."""
    gaps = checks.kind("problem", problem, SemiBandit).smallest_gaps
    found = np.asarray(gaps[gaps > 0])
    if len(found) == 0:
        raise ValueError(f"problem must have a bad super arm, got {problem}")
    return found


def _layers(problem: SetBandit) -> tuple[float, float, float]:
    """Sums over the arms in bad super arms of 2/low - 1/high and 1 + ln(high/low), and what is paid once."""
    low, high = _gaps(problem), problem.largest_gaps[problem.smallest_gaps > 0]
    once = (problem.n_arms + len(problem.sets)) * _worst(problem)
    return float(np.sum(2.0 / low - 1.0 / high)), float(np.sum(1.0 + np.log(high / low))), once


def _over_gaps(problem: SemiBandit) -> float:
    return float(np.sum(1.0 / _gaps(problem)))


def _worst(problem: SemiBandit) -> float:
    return float(np.max(problem.largest_gaps))


def _positive(name: str, value: float) -> float:
    return checks.real(name, value, above=0)

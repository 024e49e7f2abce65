"""Every bound of Wang et al. (2021) as a function named after it, and those of Kveton et al. (2015) beside them.

`variant="printed"` is the statement; the other variants are named where print and proof disagree. A bound is in units
of regret; lower bounds are constants that multiply ln T, times ln T. Logarithms are natural. Upper bounds ask for a
unique best list, as the paper's Assumption 2 does; a ValueError names any argument that is out of range. A bound that
no float holds is infinite.
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import brentq

from private_bandits import checks
from private_bandits.mechanisms import lemma_1_constant
from private_bandits.mechanisms.concentration import chernoff_exponent, chernoff_rate
from private_bandits.papers._arithmetic import log_ratio, over, power, times
from private_bandits.papers.cascading.instances import b_lb
from private_bandits.papers.cascading.repair_blocks import GROWTH, first_block
from private_bandits.privacy.divergences import bernoulli_kl, private_kl, response_kl
from private_bandits.problems import Cascade, SemiBandit, SetBandit

__all__ = [
    "kveton_lower",
    "repaired_blocks_upper",
    "repaired_first_upper",
    "theorem_10",
    "theorem_11",
    "theorem_12",
    "theorem_2",
    "theorem_4",
    "theorem_6",
    "theorem_8",
]

_MOST = 1e300
_TAIL = 2.0 * math.pi**2 / 3.0  # per item: the rounds in which one of two confidence events fails


@checks.formula()
def kveton_lower(*, n_arms: int, list_size: int, p: float, gap: float, horizon: int) -> float:
    """Kveton et al. (2015), Theorem 4, on B_LB: (L - K) gap (1 - p)^(K-1) / d(p - gap || p), times ln T.

    Parameters
    ----------
    n_arms : int
        L >= 2.
    list_size : int
        K, 1 <= list_size < n_arms.
    p : float
        Weight of the attractive items, in (0, 1).
    gap : float
        Distance of the others, in (0, p).
    horizon : int
        T >= 1.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    reach = _reach(n_arms, list_size, p, gap) * gap
    return times(over(reach, bernoulli_kl(p - gap, p, apart=gap)), checks.log_horizon(horizon))


@checks.formula()
def theorem_2(
    *,
    problem: Cascade,
    epsilon: float,
    horizon: int,
    variant: str = "printed",
    xi: float = 0.5,
    c_1: float | None = None,
    c_2: float = 0.0,
) -> float:
    """Theorem 2, Algorithm 1 under DP.

    Parameters
    ----------
    problem : Cascade
        With a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "proof", "corrected"}
        * `printed`: sum of 192/gap (c_1 L ln T / epsilon)^(1 + xi) + 2 pi^2 L/3 + c_2.
        * `proof`: its last line, with K in place of L: sum of 192/gap (c_1 K ln T / epsilon)^(1 + xi) + ...
        * `corrected`: ours, for the algorithm with ln^1.5 of the pulls. The pulls s after which both radii together
          stay below gap/2, found numerically: the noise alone asks for about B ln^1.5 B of them, B = 6 c_1 L ln T /
          (epsilon gap), and no xi. The print's B^(1 + xi) covers that only when B^xi >= ((1 + xi) ln B)^1.5.
    xi : float
        The "arbitrarily small" exponent, > 0; not used by `corrected`.
    c_1 : float, optional
        Constant of Lemma 1, > 0; default `mechanisms.lemma_1_constant()`.
    c_2 : float
        The constant that the paper leaves open, >= 0.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.

    Notes
    -----
    The print drops the sampling term, 12/gap ln T: at epsilon = infinity it does not grow with T, which Kveton's lower
    bound forbids. `corrected` keeps it.
    """
    checks.choice("variant", variant, ("printed", "proof", "corrected"))
    log_t, epsilon = checks.log_horizon(horizon), checks.epsilon(epsilon)
    constant = lemma_1_constant() if c_1 is None else checks.real("c_1", c_1, above=0)
    exponent = 1.0 + checks.real("xi", xi, above=0)
    tail, rest = _TAIL * _cascade(problem).n_arms, checks.real("c_2", c_2, at_least=0)
    if variant == "corrected":
        coefficient = 3.0 * constant * problem.n_arms * log_t / epsilon

        def radius(s: float) -> float:
            return math.sqrt(1.5 * log_t / s) + coefficient * math.log(s) ** 1.5 / s

        return _layered(problem, lambda gap: _pulls_until(radius, gap / 2.0)) + tail
    size = problem.n_arms if variant == "printed" else problem.list_size
    return times(_over_gaps(problem, 192.0), power(constant * size * log_t / epsilon, exponent)) + tail + rest


@checks.formula()
def theorem_4(*, problem: Cascade, epsilon: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 4, Algorithm 2 (Laplace) under LDP.

    Parameters
    ----------
    problem : Cascade
        With a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: sum of 4 (sqrt 1.5 + (K/epsilon) sqrt 24)^2 / gap ln T + 2 pi^2 L/3.
        * `corrected`: solving 2c + 2h >= gap gives 4 (...)^2 ln T / gap^2 pulls, not the proof's 2, hence 8; and 3 ln T
          rounds an item of the forced exploration that the tail lemma needs and the algorithm lacks: it is a bound
          for `forced_laplace`. At epsilon = infinity only 8 agrees with the 12/gap of Kveton.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.

    Notes
    -----
    Without forced exploration no bound in ln T holds. With b = K/epsilon, a best item whose first noise is below
    -(b sqrt 48 + sqrt 3) sqrt(ln T) - 2 keeps a negative index and stays unseen until T, so the regret is at least of
    order T exp(-c sqrt(ln T)), c = sqrt 48 + sqrt(3)/b. That exceeds ln T only for T beyond e^48.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    scale = _cascade(problem).list_size / checks.epsilon(epsilon)
    return _laplace(problem, horizon, scale, corrected=variant == "corrected")


@checks.formula()
def theorem_6(*, problem: Cascade, epsilon: float, delta: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 6, Algorithm 3 (Gaussian) under LDP.

    Parameters
    ----------
    problem : Cascade
        With a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    delta : float
        In (0, 1).
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: sum of 2 (2 sqrt 1.5 + (8/epsilon) sqrt(K ln(1.25/delta)))^2 / gap ln T.
        * `corrected` adds the 2 pi^2 L/3 of its own proof.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    log_t, epsilon = checks.log_horizon(horizon), checks.epsilon(epsilon)
    noise = 8.0 / epsilon * math.sqrt(_cascade(problem).list_size * log_ratio(1.25, checks.delta(delta)))
    tail = _TAIL * problem.n_arms if variant == "corrected" else 0.0
    return times(_over_gaps(problem, 2.0 * power(2.0 * math.sqrt(1.5) + noise, 2)), log_t) + tail


@checks.formula()
def theorem_8(*, problem: Cascade, epsilon: float, delta: float, horizon: int) -> float:
    """Theorem 8, Laplace noise by composition, with the constant that its radius gives.

    The print states only O(K ln(1/delta) ln T / epsilon^2). Derived as the corrected Theorem 4, with the Laplace scale
    b = sqrt(4 K ln(e + epsilon/delta)) / epsilon in the place of K/epsilon; it too is for `forced_laplace`, with delta.

    Parameters
    ----------
    problem : Cascade
        With a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    delta : float
        In (0, 1).
    horizon : int
        T >= 1.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.

    Notes
    -----
    Less noise than Algorithm 2 only if K > 4 ln(e + epsilon/delta): at delta = 10^-3 and epsilon >= 0.2, from K = 22.
    """
    epsilon, delta = checks.epsilon(epsilon), checks.delta(delta)
    size, scale = _cascade(problem).list_size, 0.0
    if math.isfinite(epsilon):
        scale = math.sqrt(4.0 * size * max(1.0, log_ratio(math.e * delta + epsilon, delta))) / epsilon
    return _laplace(problem, horizon, scale, corrected=True)


@checks.formula()
def repaired_first_upper(*, problem: Cascade, epsilon: float, horizon: int) -> float:
    """Upper bound of `repaired_local`, ours: one randomised bit about the least reported item.

    L (kappa (12/Delta_min - 6/Delta_max) ln T / tanh^2(epsilon/2) + 1 + pi^2/6), where kappa = (1 - (1 - p)^K) / p is
    at most min(K, 1/p), p the least mean of the best list, and Delta the gaps between it and the other items.

    Parameters
    ----------
    problem : Cascade
        With a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    horizon : int
        T >= 1.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.

    Notes
    -----
    Where no radius r fails, an item in the place of a best one is worse by at most 2 r(N), N the least count in the
    list, and its round loses at most kappa times that. The count N belongs to the item that is shown first and rises,
    so each item pays for each count once: the sum over n of kappa min(Delta_max, 2 r(n)) while 2 r(n) >= Delta_min. One
    first round and pi^2/6 rounds in which a radius fails on the side that matters are added for each item.
    """
    gaps, log_t = _gaps(problem), checks.log_horizon(horizon)
    private = math.tanh(checks.epsilon(epsilon) / 2.0) ** 2
    if not gaps.size:
        return 0.0
    pulls = over(times(_kappa(problem), 12.0 / gaps.min() - 6.0 / gaps.max(), log_t), private)
    return float(problem.n_arms * (pulls + 1.0 + math.pi**2 / 6.0))


@checks.formula()
def repaired_blocks_upper(*, problem: Cascade, epsilon: float, horizon: int, design: str = "keep") -> float:
    """Upper bound of `repaired_central`, ours: clicks of the least reported item, in noisy sums of blocks.

    L (sum over blocks of length kappa min(Delta_max, 2 r) + pi^2/6), over the blocks that an item begins within T
    reports while the radius r of its estimate, for ln(2 T), is at least Delta_min/2; kappa as for
    `repaired_first_upper`. Of order L kappa (1/Delta_min + (1 + ln(Delta_max/Delta_min))/epsilon) ln T.

    Parameters
    ----------
    problem : Cascade
        With a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    horizon : int
        T >= 1.
    design : {"keep", "forget"}
        Whether an estimate holds all blocks or the last one.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.

    Notes
    -----
    As for `repaired_first_upper`: where no radius fails, a round whose list has the least count N loses at most kappa
    min(Delta_max, 2 r), r the radius after N reports, and N rises. Blocks never get shorter, so the noises in an
    estimate over its reports never get more, and r falls with N.
    """
    keeps = checks.choice("design", design, ("keep", "forget")) == "keep"
    log_t = math.log(checks.integer("horizon", horizon, at_least=1))
    gaps = _gaps(problem)
    if math.isinf(checks.epsilon(epsilon)) or not gaps.size:
        return repaired_first_upper(problem=problem, epsilon=epsilon, horizon=horizon)
    log_tail, reports, n, m, lost = 3.0 * (math.log(2.0) + log_t), 0, 0, 0, 0.0
    while reports < horizon:
        error = float(gaps.max())
        if n and math.isfinite(1.0 / epsilon):
            at = float(n), float(m), 1.0 / epsilon
            rate = chernoff_rate(log_tail, *at)
            error = min(error, over(2.0 * (log_tail + chernoff_exponent(rate, *at)), rate * n))
        if error < gaps.min():
            break
        length = max(first_block(epsilon), math.ceil((GROWTH[design] - 1.0) * reports))  # that of `releases.block`
        lost += min(length, horizon - reports) * error
        reports, n, m = reports + length, (n if keeps else 0) + length, (m if keeps else 0) + 1
    return float(problem.n_arms * (_kappa(problem) * lost + math.pi**2 / 6.0))


@checks.formula()
def theorem_10(*, problem: SemiBandit, epsilon: float, delta: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 10, Algorithm 4 (CUCB) under LDP, for top-K, whose smoothness is f(x) = K x.

    All variants: (128 K ln(1.25/delta) ln T / (min(epsilon^2, 2) f^-1(Delta_min)^2) + rest) m Delta_max.

    Parameters
    ----------
    problem : SemiBandit
        Top-K with a unique best list.
    epsilon : float
        > 0; infinity for no privacy.
    delta : float
        In (0, 1).
    horizon : int
        T >= 1.
    variant : {"printed", "proof", "corrected"}
        * `printed`: rest = pi^2/3 + 1.
        * `proof`: its last line, rest = 2 (pi^2/3 + 1).
        * `corrected`: rest = pi^2/3 + 1 + 2 (1 + ln T). The noise's radius fails with probability 2 t^-2 at each number
          of plays; the proof adds that up over t but not over the numbers of plays, of which there are up to t. The
          rate in T survives.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range, or the best list is not unique.
    """
    checks.choice("variant", variant, ("printed", "proof", "corrected"))
    log_t, epsilon, delta = checks.log_horizon(horizon), checks.epsilon(epsilon), checks.delta(delta)
    size = checks.kind("problem", problem, SemiBandit).list_size
    if isinstance(problem, SetBandit):
        raise ValueError(f"problem must be SemiBandit.top_k, got {problem}")
    ranked = np.sort(problem.means)[::-1]
    if size == problem.n_arms:
        return 0.0
    swap = float(ranked[size - 1] - ranked[size])
    if swap <= 0:
        raise ValueError("means must have a unique best list for theorem_10")
    worst = float(ranked[:size].sum() - ranked[-size:].sum())
    pulls = over(128.0 * size * log_ratio(1.25, delta) * log_t, min(epsilon * epsilon, 2.0) * (swap / size) ** 2)
    rest = math.pi**2 / 3.0 + 1.0
    if variant == "proof":
        rest *= 2.0
    elif variant == "corrected":
        rest += 2.0 * (1.0 + log_t)
    return times(pulls + rest, problem.n_arms, worst)


@checks.formula()
def theorem_11(
    *, n_arms: int, list_size: int, p: float, gap: float, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Theorem 11, the lower bound under LDP on B_LB, times ln T.

    Parameters
    ----------
    n_arms : int
        L >= 2.
    list_size : int
        K, 1 <= list_size < n_arms.
    p : float
        Weight of the attractive items, in (0, 1).
    gap : float
        Distance of the others, in (0, p).
    epsilon : float
        > 0; infinity for no privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected", "derived"}
        * `printed`: (L - K) p (1 - p)^K / (2 min(4, e^(2 eps)) (e^eps - 1)^2 gap).
        * `corrected` keeps the divergence itself, with its arguments in the order that Theorem 4 of Basu et al. (2019)
          has, d(p - gap || p).
        * `derived`, ours: (L - K) (1 - p)^(K-1) gap / d(r(p - gap) || r(p)), of `response_kl`; for the same algorithms
          as the corrected Theorem 12, with messages that are epsilon-LDP.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The proof bounds the swapped divergence by gap^2 / (p (1 - p)), which is false; of d(p - gap || p) that bound is
    true, so the printed value holds, as the weaker of the two. It is a statement about B_LB, not about "any" problem.
    """
    checks.choice("variant", variant, ("printed", "corrected", "derived"))
    reach, epsilon = _reach(n_arms, list_size, p, gap) * gap, checks.epsilon(epsilon)
    log_t = checks.log_horizon(horizon)
    if variant == "derived":
        return times(over(reach, response_kl(p - gap, p, epsilon=epsilon, apart=gap)), log_t)
    divergence = gap**2 / (p * (1.0 - p)) if variant == "printed" else bernoulli_kl(p - gap, p, apart=gap)
    # 1/(e^eps - 1) without overflow, 0 at infinity
    odds = math.exp(-epsilon) / -math.expm1(-epsilon)
    privacy = power(odds, 2) / (2.0 * math.exp(min(2.0 * epsilon, math.log(4.0))))
    return times(over(times(reach, privacy), divergence), log_t)


@checks.formula()
def theorem_12(
    *, n_arms: int, list_size: int, p: float, gap: float, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Theorem 12, the lower bound under DP on B_LB, times ln T.

    Parameters
    ----------
    n_arms : int
        L >= 2.
    list_size : int
        K, 1 <= list_size < n_arms.
    p : float
        Weight of the attractive items, in (0, 1).
    gap : float
        Distance of the others, in (0, p).
    epsilon : float
        > 0; infinity for no privacy.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected"}
        * `printed`: (L - K) (1 - p)^(K-1) (1/gap + 1/epsilon); the print is an order, its constant is taken as 1.
        * `corrected`, ours: (L - K) (1 - p)^(K-1) gap / d_epsilon(p - gap || p), of `private_kl`. As d_epsilon is at
          most min(d, epsilon gap), it is at least the larger of `kveton_lower` and (L - K) (1 - p)^(K-1) / epsilon.

    Returns
    -------
    float
        Pseudo-regret.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    `corrected` is a limit: of an algorithm whose lists are epsilon-DP in the users' replies, and whose regret is o(T^a)
    for every a > 0 on every cascade of Bernoulli items, also where several lists are best, liminf R(T)/ln T is at least
    its factor of ln T; the algorithm may know T. It holds the 1/epsilon of the paper's proof without the 1/200 there.
    At K = 1 DP-KLUCB of Azize et al. (2025) meets it up to a constant as close to 1 as wished. `printed` is at most 1 +
    1/(p (1 - p)) times `corrected`, hence of its order at a fixed p, but no constant makes it hold for every p: at K =
    1 and gap = p/2, DP-KLUCB has regret of order 1 per item and ln T as p goes to 0, and the print is 2/p.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    reach, epsilon = _reach(n_arms, list_size, p, gap), checks.epsilon(epsilon)
    if variant == "printed":
        rate = 1.0 / gap + 1.0 / epsilon
    else:
        rate = over(gap, private_kl(p - gap, p, epsilon=epsilon, apart=gap))
    return times(reach, rate, checks.log_horizon(horizon))


def _kappa(problem: Cascade) -> float:
    """(1 - (1 - p)^K) / p with p the least mean of the best list: what swaps lose, over the largest gap among them."""
    p = float(np.sort(problem.means)[-problem.list_size])
    return -math.expm1(problem.list_size * math.log1p(-p)) / p if p < 1.0 else 1.0


def _cascade(problem: Cascade) -> Cascade:
    return checks.kind("problem", problem, Cascade)


def _reach(n_arms: int, list_size: int, p: float, gap: float) -> float:
    """(L - K) (1 - p)^(K-1) of B_LB: its suboptimal items, and the chance that a position is examined, at least."""
    b_lb(n_arms, list_size, p, gap)  # names what is out of range
    return float((n_arms - list_size) * (1.0 - p) ** (list_size - 1))


def _gaps(problem: Cascade) -> np.ndarray:
    """Delta_{e,e*}, a row per item outside the best list, columns from the best item to the K-th."""
    ranked = np.sort(_cascade(problem).means)[::-1]
    gaps = ranked[None, : problem.list_size] - ranked[problem.list_size :, None]
    if np.any(gaps <= 0):
        raise ValueError("means must have a unique best list for a gap-dependent bound")
    return np.asarray(gaps)


def _over_gaps(problem: Cascade, constant: float) -> float:
    """Sum of constant / Delta_{e,K} over the items outside the best list."""
    return float(np.sum(constant / _gaps(problem)[:, -1]))


def _laplace(problem: Cascade, horizon: int, scale: float, *, corrected: bool) -> float:
    """Theorem 4 at any scale of the Laplace noise."""
    log_t, tail = checks.log_horizon(horizon), _TAIL * problem.n_arms
    if corrected:
        tail += 3.0 * problem.n_arms * log_t
    radius = power(math.sqrt(1.5) + math.sqrt(24.0) * scale, 2)
    return times(_over_gaps(problem, (8.0 if corrected else 4.0) * radius), log_t) + tail


def _layered(problem: Cascade, pulls: Callable[[float], float]) -> float:
    """Kveton's layering: each suboptimal item pays Delta_{e,1} s(Delta_{e,1}) and then the increments of s."""
    total, pulls = 0.0, cache(pulls)  # gaps are often equal
    for row in _gaps(problem):
        spent = 0.0
        for gap in row:
            needed = pulls(float(gap))
            if math.isinf(needed):
                return math.inf
            total += float(gap) * (needed - spent)
            spent = needed
    return total


def _pulls_until(radius: Callable[[float], float], target: float) -> float:
    """The pulls, at least e^1.5, from which the radius of Theorem 2 stays below the target; infinite beyond 1e300."""
    low = math.exp(1.5)  # ln(s)^1.5 / s rises until here and falls from here
    if radius(low) <= target:
        return low
    if radius(_MOST) > target:
        return math.inf
    high = 2.0 * low
    while radius(high) > target:
        high *= 2.0
    return float(brentq(lambda s: radius(s) - target, high / 2.0, high))

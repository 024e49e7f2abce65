"""Every bound of Wang et al. (2021) as a function named after it, and those of Kveton et al. (2015) beside them.

`variant="printed"` is the statement; the other variants are named where print and proof disagree. A bound is in units of
regret; lower bounds are constants that multiply ln T, times ln T. Logarithms are natural.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from private_bandits import checks
from private_bandits.mechanisms import lemma_1_constant
from private_bandits.problems import Cascade, SemiBandit

_TAIL = 2.0 * math.pi**2 / 3.0  # per item: the rounds in which one of two confidence events fails


def kveton_upper(problem: Cascade, horizon: int) -> float:
    """Kveton et al. (2015), Theorem 2: sum of 12/gap ln T, plus pi^2 L/3."""
    return _over_gaps(problem, 12.0) * math.log(horizon) + problem.n_items * math.pi**2 / 3.0


def kveton_lower(n_items: int, list_size: int, p: float, gap: float, horizon: int) -> float:
    """Kveton et al. (2015), Theorem 4, on B_LB: (L - K) gap (1 - p)^(K-1) / d(p - gap || p), times ln T."""
    reach = (n_items - list_size) * gap * (1.0 - p) ** (list_size - 1)
    return reach / bernoulli_kl(p - gap, p) * math.log(horizon)


def theorem_2(
    problem: Cascade,
    horizon: int,
    epsilon: float,
    xi: float = 0.5,
    variant: str = "printed",
    c_1: float | None = None,
    c_2: float = 0.0,
) -> float:
    """Theorem 2, Algorithm 1 under DP.

    Parameters
    ----------
    problem : Cascade
    horizon : int
        T >= 1.
    epsilon : float
        > 0.
    xi : float
        The "arbitrarily small" exponent, > 0; not used by `corrected`.
    variant : {"printed", "proof", "corrected"}
        * `printed`: sum of 192/gap (c_1 L ln T / epsilon)^(1 + xi) + 2 pi^2 L/3 + c_2.
        * `proof`: its last line, with K in place of L: sum of 192/gap (c_1 K ln T / epsilon)^(1 + xi) + ...
        * `corrected`: ours. The pulls s after which both radii together stay below gap/2, found numerically from the
          bonus of the proof (ln^1.5 of the pulls): it grows like B ln^1.5 B with B = 6 c_1 L ln T / (epsilon gap), and
          needs no xi. The print's B^(1 + xi) covers it only when B^xi >= ((1 + xi) ln B)^1.5.
    c_1 : float, optional
        Constant of Lemma 1; default `mechanisms.lemma_1_constant()`.
    c_2 : float
        The constant that the paper leaves open.
    """
    checks.choice("variant", variant, ("printed", "proof", "corrected"))
    log_t, budget = _log(horizon), checks.epsilon(epsilon)
    constant = lemma_1_constant() if c_1 is None else c_1
    tail = _TAIL * problem.n_items
    if variant == "corrected":
        coefficient = 3.0 * constant * problem.n_items * log_t / budget

        def radius(s: float) -> float:
            return math.sqrt(1.5 * log_t / s) + coefficient * math.log(s) ** 1.5 / s

        return _layered(problem, lambda gap: _pulls_until(radius, gap / 2.0)) + tail
    exponent = 1.0 + checks.real("xi", xi, above=0)
    size = problem.n_items if variant == "printed" else problem.list_size
    return _over_gaps(problem, 192.0) * (constant * size * log_t / budget) ** exponent + tail + c_2


def theorem_4(problem: Cascade, horizon: int, epsilon: float, variant: str = "printed") -> float:
    """Theorem 4, Algorithm 2 (Laplace) under LDP.

    `printed`: sum of 4 (sqrt 1.5 + (K/epsilon) sqrt 24)^2 / gap ln T + 2 pi^2 L/3. `corrected`: solving
    2c + 2h >= gap gives 4 (...)^2 ln T / gap^2 pulls, not the proof's 2, hence 8; and 3 ln T rounds an item of the forced
    exploration that the tail lemma needs and the box lacks. At epsilon = infinity only 8 agrees with the 12/gap of Kveton.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    log_t, budget = _log(horizon), checks.epsilon(epsilon)
    radius = (math.sqrt(1.5) + problem.list_size / budget * math.sqrt(24.0)) ** 2
    tail = _TAIL * problem.n_items
    if variant == "printed":
        return _over_gaps(problem, 4.0 * radius) * log_t + tail
    return _over_gaps(problem, 8.0 * radius) * log_t + tail + 3.0 * problem.n_items * log_t


def theorem_6(problem: Cascade, horizon: int, epsilon: float, delta: float, variant: str = "printed") -> float:
    """Theorem 6, Algorithm 3 (Gaussian) under LDP.

    `printed`: sum of 2 (2 sqrt 1.5 + (8/epsilon) sqrt(K ln(1.25/delta)))^2 / gap ln T. `corrected` adds the 2 pi^2 L/3
    of its own proof.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    log_t, budget = _log(horizon), checks.epsilon(epsilon)
    noise = 8.0 / budget * math.sqrt(problem.list_size * math.log(1.25 / checks.delta(delta)))
    tail = _TAIL * problem.n_items if variant == "corrected" else 0.0
    return _over_gaps(problem, 2.0 * (2.0 * math.sqrt(1.5) + noise) ** 2) * log_t + tail


def theorem_8(problem: Cascade, horizon: int, epsilon: float, delta: float) -> float:
    """Theorem 8, Laplace noise by composition, with the constant that its radius gives.

    The print states only O(K ln(1/delta) ln T / epsilon^2). Derived as the corrected Theorem 4, with the Laplace scale
    b = sqrt(4 K ln(e + epsilon/delta)) / epsilon in the place of K/epsilon.
    """
    log_t, budget = _log(horizon), checks.epsilon(epsilon)
    scale = 0.0
    if math.isfinite(budget):
        scale = math.sqrt(4.0 * problem.list_size * math.log(math.e + budget / checks.delta(delta))) / budget
    radius = (math.sqrt(1.5) + math.sqrt(24.0) * scale) ** 2
    return _over_gaps(problem, 8.0 * radius) * log_t + (_TAIL + 3.0 * log_t) * problem.n_items


def theorem_10(
    problem: SemiBandit, horizon: int, epsilon: float, delta: float, variant: str = "printed"
) -> float:
    """Theorem 10, Algorithm 4 (CUCB) under LDP, for top-K, whose smoothness is f(x) = K x.

    `printed`: (128 K ln(1.25/delta) ln T / (min(epsilon^2, 2) f^-1(Delta_min)^2) + pi^2/3 + 1) m Delta_max; `proof`: its
    last line, with 2 (pi^2/3 + 1).
    """
    checks.choice("variant", variant, ("printed", "proof"))
    log_t, budget = _log(horizon), checks.epsilon(epsilon)
    size = problem.list_size
    ranked = np.sort(problem.means)[::-1]
    swap = float(ranked[size - 1] - ranked[size])
    if swap <= 0:
        raise ValueError("means must have a unique best list for theorem_10")
    worst = problem.best - float(ranked[-size:].sum())
    capped = min(budget**2, 2.0)
    pulls = 128.0 * size * math.log(1.25 / checks.delta(delta)) * log_t / (capped * (swap / size) ** 2)
    rest = (math.pi**2 / 3.0 + 1.0) * (1.0 if variant == "printed" else 2.0)
    return (pulls + rest) * problem.n_items * worst


def theorem_11(
    n_items: int, list_size: int, p: float, gap: float, horizon: int, epsilon: float, variant: str = "printed"
) -> float:
    """Theorem 11, the lower bound under LDP on B_LB, times ln T.

    `printed`: (L - K) p (1 - p)^K / (2 min(4, e^(2 eps)) (e^eps - 1)^2 gap). `corrected` keeps the divergence itself, with
    its arguments in the order that Theorem 4 of Basu et al. has: d(p - gap || p); the print bounds the swapped one.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    budget = checks.epsilon(epsilon)
    divergence = gap**2 / (p * (1.0 - p)) if variant == "printed" else bernoulli_kl(p - gap, p)
    privacy = 2.0 * min(4.0, math.exp(min(2.0 * budget, 700.0))) * math.expm1(min(budget, 300.0)) ** 2
    return (n_items - list_size) * gap * (1.0 - p) ** (list_size - 1) / (privacy * divergence) * _log(horizon)


def theorem_12(
    n_items: int, list_size: int, p: float, gap: float, horizon: int, epsilon: float, variant: str = "printed"
) -> float:
    """Theorem 12, the lower bound under DP on B_LB, times ln T.

    The print gives the order 1/gap + 1/epsilon; its proof has (L - K) (1 - p)^(K-1) ln T / (200 epsilon) for the second
    term, and Kveton's bound is the first. `printed` adds them; `corrected` takes the larger: two lower bounds hold one by
    one, and their sum is proved only up to a factor of 2.
    """
    checks.choice("variant", variant, ("printed", "corrected"))
    private = (n_items - list_size) * (1.0 - p) ** (list_size - 1) / (200.0 * checks.epsilon(epsilon)) * _log(horizon)
    plain = kveton_lower(n_items, list_size, p, gap, horizon)
    return plain + private if variant == "printed" else max(plain, private)


def bernoulli_kl(a: float, b: float) -> float:
    """Kullback-Leibler divergence d(a || b) of two Bernoulli distributions, a in [0, 1], b in (0, 1)."""
    checks.real("a", a, at_least=0, at_most=1)
    checks.real("b", b, above=0, below=1)
    return sum(x * math.log(x / y) for x, y in ((a, b), (1.0 - a, 1.0 - b)) if x > 0)


def smallest_base(xi: float) -> float:
    """The B from which B^xi >= ((1 + xi) ln B)^1.5 holds for good, as natural logarithm.

    The proof of Theorem 2 needs it to replace B ln^1.5 B by B^(1 + xi); "arbitrarily small xi" is bought with this.
    """
    checks.real("xi", xi, above=0, at_most=1.5 / math.e)

    def margin(log_b: float) -> float:
        return xi * log_b - 1.5 * math.log((1.0 + xi) * log_b)

    return float(brentq(margin, 1.5 / xi, 1e6 / xi))


def _log(horizon: int) -> float:
    return math.log(checks.integer("horizon", horizon, at_least=1))


def _split(problem: Cascade) -> tuple[np.ndarray, np.ndarray]:
    ranked = np.sort(problem.means)[::-1]
    return ranked[: problem.list_size], ranked[problem.list_size :]


def _over_gaps(problem: Cascade, constant: float) -> float:
    """Sum of constant / Delta_{e,K} over the items outside the best list."""
    best, others = _split(problem)
    gaps = best[-1] - others
    if np.any(gaps <= 0):
        raise ValueError("means must have a unique best list for a gap-dependent bound")
    return float(np.sum(constant / gaps))


def _layered(problem: Cascade, pulls: Callable[[float], float]) -> float:
    """Kveton's layering: each suboptimal item pays Delta_{e,1} s(Delta_{e,1}) and then the increments of s."""
    best, others = _split(problem)
    total = 0.0
    for weight in others:
        spent = 0.0
        for optimal in best:
            needed = pulls(float(optimal - weight))
            total += float(optimal - weight) * max(needed - spent, 0.0)
            spent = max(spent, needed)
    return total


def _pulls_until(radius: Callable[[float], float], target: float) -> float:
    """The number of pulls from which a radius that finally decreases stays below the target."""
    high = 8.0
    while radius(high) > target:
        high *= 2.0
    return float(brentq(lambda s: radius(s) - target, high / 2.0, high)) if high > 8.0 else high

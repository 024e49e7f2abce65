"""Every lower bound of Basu et al. (2019) as a function named after it.

A bound is in units of regret; problem-dependent bounds are constants that multiply ln T, times ln T, and asymptotic.
Logarithms are natural. `nan` means that the statement is silent: the horizon is below its threshold, or a quantity that
its proof picks does not exist. `variant="printed"` is the statement. The other variants:

* `table`: the entry of Table 1, which drops the constants;
* `proof`: what the proof has where it differs from the statement: the constant that its steps give for Theorem 1, the
  last line for Theorem 2, the one before it for Theorem 3, whose last line is the statement;
* `corrected`: the same method without its errors;
* `derived`: the bound of `replacements`, derived there and named after its sources.

All minimax bounds of the paper share one pair of environments. A learner under the first, where arm 1 is better by D,
pulls some other arm T/(K-1) times or less; in the second environment that arm is better than arm 1 by D. With k the
divergence between what the learner sees of one pull, Bretagnolle-Huber gives max regret >= T D/8 exp(-k T/(K-1)). The
paper has T D/4, losing a factor of 2.
"""

import math
from collections.abc import Sequence

import numpy as np

from private_bandits import checks
from private_bandits.papers._arithmetic import exp, over, root
from private_bandits.papers.definitions import replacements
from private_bandits.privacy.divergences import local_factor

__all__ = [
    "THEOREM_1",
    "corollary_1",
    "corollary_2",
    "corollary_3",
    "horizon_1",
    "horizon_3",
    "spurious_term",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "theorem_4",
    "theorem_5",
]

THEOREM_1 = 1.0 / (4.0 * math.exp(4.0))
"""The largest constant c that the proof of Theorem 1 allows."""


@checks.formula()
def theorem_1(*, n_arms: int, epsilon: float, horizon: int, variant: str = "printed", c: float = THEOREM_1) -> float:
    """Theorem 1, minimax under local DP.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite. Below, m = min(4, e^(2 epsilon)) (e^epsilon - 1)^2.
    horizon : int
        T >= 1.
    variant : {"printed", "table", "proof", "derived"}
        * `printed`: c sqrt((K-1) T / m) for T >= g, g = (K-1)/m.
        * `proof`: 1/(8 e^4) for c, half of the largest that the paper allows, and T >= 4 g: the gap of the proof must
          stay below 1/2.
        * `derived`: `replacements.local_minimax`, of order sqrt(K T) / tanh(epsilon/2) and without a threshold.
        * `table`: sqrt((K-1) T / m).
    c : float
        Constant of `printed`, in (0, 1/(4 e^4)].

    Returns
    -------
    float
        `nan` where T is below the threshold.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The proof takes rewards whose means differ by 2 D to have divergence 2 D^2 at most, that is Fisher information 1.
    Rewards in [0, 1] have variance 1/4 at most and information 4 at least, so Corollary 1 does not follow. The total
    variation does it without Pinsker's inequality, which the paper uses in another norm and loses a factor of 4 by:
    Bernoulli rewards have TV = 2 D, hence k <= m (2 D)^2 by Duchi et al. (2013), D = sqrt((K-1)/(8 m T)) <= 1/4 is the
    best gap, and c = e^(-1/2)/(16 sqrt 2) from T = 2 g on. `derived` is larger.
    """
    checks.choice("variant", variant, ("printed", "table", "proof", "derived"))
    others, rounds = replacements.game(n_arms=n_arms, horizon=horizon)
    constants = {
        "printed": checks.real("c", c, above=0, at_most=THEOREM_1),
        "proof": 1.0 / (8.0 * math.exp(4.0)),
        "table": 1.0,
    }
    if variant == "derived":
        return replacements.local_minimax(n_arms=n_arms, horizon=horizon, epsilon=epsilon)
    if variant != "table" and rounds < horizon_1(n_arms=n_arms, epsilon=epsilon, variant=variant):
        return math.nan
    return constants[variant] * _root(others, rounds, local_factor(epsilon))


@checks.formula()
def horizon_1(*, n_arms: int, epsilon: float, variant: str = "printed") -> float:
    """Threshold of Theorem 1 on T.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite.
    variant : {"printed", "proof"}
        g = (K-1)/m as printed, with m as in `theorem_1`; 4 g.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    factor = {"printed": 1.0, "proof": 4.0}
    checks.choice("variant", variant, tuple(factor))
    return over(factor[variant] * replacements.game(n_arms=n_arms)[0], local_factor(epsilon))


@checks.formula()
def theorem_2(*, n_arms: int, epsilon: float, horizon: int, variant: str = "printed", c: float = 1.0) -> float:
    """Theorem 2, minimax under instantaneous DP.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite. Below, u = 2 epsilon (e^(2 epsilon) - 1), delta(a) = 2 a (e^(2 a) - 1) is
        the smallest function that the proof allows, and a = 2 epsilon the smallest level that the statement does.
    horizon : int
        T >= 1.
    variant : {"printed", "table", "proof", "corrected"}
        * `printed`: c(a) sqrt((K-1) T / u); the paper gives no value for c(a).
        * `proof`: its last line, e^(+delta) / (4 sqrt 2) sqrt((K-1) T / (min(2, e^epsilon) (e^(2 epsilon) - 1))). The
          sign of delta is wrong, min(2, e^epsilon) stands where 2 epsilon should, and the gap that the proof picks
          does not exist at small epsilon.
        * `corrected`: `replacements.minimax`. The term u in the divergence is spurious (Lemma 5): a policy does not
          know the environment. Without it the method proves the non-private bound.
        * `table`: sqrt((K-1) T / u).
    c : float
        c(a) of `printed`, > 0.

    Returns
    -------
    float
        `nan` from the proof where u overflows, at epsilon above 350.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    checks.choice("variant", variant, ("printed", "table", "proof", "corrected"))
    others, rounds = replacements.game(n_arms=n_arms, horizon=horizon)
    constant = checks.real("c", c, above=0)
    if variant == "corrected":
        return replacements.minimax(n_arms=n_arms, horizon=horizon)
    extra = spurious_term(epsilon=epsilon)
    if variant in ("printed", "table"):
        return (constant if variant == "printed" else 1.0) * _root(others, rounds, extra)
    if math.isinf(extra):
        return math.nan
    privacy = math.exp(min(epsilon, math.log(2.0))) * math.expm1(2.0 * epsilon)
    return exp(spurious_term(epsilon=2.0 * epsilon)) / math.sqrt(32.0) * _root(others, rounds, privacy)


@checks.formula()
def spurious_term(*, epsilon: float) -> float:
    """The term u that Lemma 5 adds to the divergence; also delta(a) of Theorem 2's proof.

    Parameters
    ----------
    epsilon : float
        > 0 or infinite.

    Returns
    -------
    float
        2 epsilon (e^(2 epsilon) - 1), infinite above 350.

    Raises
    ------
    ValueError
        If epsilon is out of range.
    """
    epsilon = checks.epsilon(epsilon)
    return math.inf if epsilon > 350.0 else 2.0 * epsilon * math.expm1(2.0 * epsilon)


@checks.formula()
def theorem_3(
    *, n_arms: int, epsilon: float, horizon: int, variant: str = "printed", c: float = 0.0, b: float | None = None
) -> float:
    """Theorem 3, minimax under DP.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite; eps below.
    horizon : int
        T >= 1.
    variant : {"printed", "table", "proof", "corrected", "derived"}
        * `printed`: e^(-3 (eps + c))/8 sqrt((K-1) T ln(eps + 1) / (eps^(1 + 1/eps) (eps^2 + 1)^(1/eps))). It exceeds T.
        * `proof`: the line of the proof before it, simplified: e^(-3 (eps + c))/8 sqrt((K-1) T ln(eps^2 + 1) / (eps
          (eps^2 + 1)^(1/eps))). It tends to 0 with eps.
        * `corrected`: half of `proof`, the factor that every minimax proof of the paper loses.
        * `table`: e^(-3 eps) sqrt((K-1) T ln(eps^2 + 1) / (eps^(1 + 1/eps) (eps + B)^(1/eps))). At c = 0 it is 8 times
          `proof` if and only if B = 1/eps.
        * `derived`: `replacements.central_minimax`. Lemma 6 bounds the divergence by something larger than it, so the
          method proves nothing beyond `replacements.minimax`.
    c : float
        L times the largest difference of two rewards, >= 0; 0 is the most favourable.
    b : float, optional
        B of `table`, which the paper does not define, > 0; default 1/epsilon.

    Returns
    -------
    float
        `nan` where T is below the threshold h. Infinity where the printed value overflows.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    checks.choice("variant", variant, ("printed", "table", "proof", "corrected", "derived"))
    others, rounds = replacements.game(n_arms=n_arms, horizon=horizon)
    epsilon, shift = checks.epsilon(epsilon), checks.real("c", c, at_least=0)
    unknown = None if b is None else checks.real("b", b, above=0)
    if variant == "derived":
        return replacements.central_minimax(n_arms=n_arms, horizon=horizon, epsilon=epsilon)
    if math.isinf(epsilon):
        return 0.0
    if variant != "table" and rounds < horizon_3(n_arms=n_arms, epsilon=epsilon, c=shift):
        return math.nan
    inverse, squared = 1.0 / epsilon, math.log1p(epsilon**2) if epsilon < 1e100 else 2.0 * math.log(epsilon)
    log, log_squared = math.log(epsilon), math.log(squared) if epsilon > 1e-100 else 2.0 * math.log(epsilon)
    last = squared if unknown is None else log + math.log(epsilon + unknown)  # of epsilon (epsilon + B)
    # logarithms of what stands under the root: eps^(1/eps) alone underflows below eps = 0.006
    inside = {
        "printed": math.log(math.log1p(epsilon)) - (1.0 + inverse) * log - squared * inverse,
        "table": log_squared - log - last * inverse,
        "proof": log_squared - log - squared * inverse,
    }["proof" if variant == "corrected" else variant]
    constant = {"printed": 1.0 / 8.0, "proof": 1.0 / 8.0, "corrected": 1.0 / 16.0, "table": 1.0}[variant]
    exponent = 3.0 * (epsilon + (0.0 if variant == "table" else shift))
    return constant * exp((math.log(others) + math.log(rounds) + inside) / 2.0 - exponent)


@checks.formula()
def horizon_3(*, n_arms: int, epsilon: float, c: float = 0.0) -> float:
    """Threshold of Theorem 3 on T, h = (K-1) ln(eps^2 + 1) / (eps e^(2 (eps + c))).

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        > 0 or infinite.
    c : float
        As in `theorem_3`, >= 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    epsilon, shift = checks.epsilon(epsilon), checks.real("c", c, at_least=0)
    if math.isinf(epsilon):
        return 0.0
    return (
        replacements.game(n_arms=n_arms)[0]
        * min(epsilon, math.log1p(min(epsilon, 1e100) ** 2) / epsilon)
        * math.exp(-2.0 * (epsilon + shift))
    )


@checks.formula()
def theorem_4(*, means: Sequence[float] | np.ndarray, epsilon: float, horizon: int, variant: str = "printed") -> float:
    """Theorem 4, problem-dependent under local DP, for Bernoulli arms, times ln T.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    epsilon : float
        Privacy parameter, > 0 or infinite. Below, m is that of `theorem_1`.
    horizon : int
        T >= 1.
    variant : {"printed", "corrected", "derived"}
        * `printed`: sum of gap / (2 m d(mean || best)).
        * `corrected`: Pinsker's inequality in the right norm, sum of 2 gap / (m d(mean || best)), four times as much.
        * `derived`: `replacements.local_lower`. Tends to Lai and Robbins as epsilon grows, while the others tend to 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The proof's regrets (mu_i - mu*) are negative as written, and its last step needs p to tend to 0 where it argues
    with 1 - p > 0. Both are slips: the statement holds.
    """
    checks.choice("variant", variant, ("printed", "corrected", "derived"))
    if variant == "derived":
        return replacements.local_lower(means=means, horizon=horizon, epsilon=epsilon)
    factor = {"printed": 0.5, "corrected": 2.0}[variant]
    return over(factor * replacements.lai_robbins(means=means, horizon=horizon), local_factor(epsilon))


# Theorem 5 of the appendix is Theorem 4 of the text. The corollaries are the theorems for Bayesian minimax regret, the
# same number (Fact 1). Corollary 2 has c(epsilon) for c(a); Corollary 3 says instantaneous DP, and means DP.
corollary_1, corollary_2, corollary_3, theorem_5 = theorem_1, theorem_2, theorem_3, theorem_4


def _root(others: int, rounds: int, divergence: float) -> float:
    """sqrt((K-1) T / divergence)."""
    return over(root(others, rounds), math.sqrt(divergence))

"""Every lower bound of Basu et al. (2019) as a function named after it, and the bounds that can be used in its place.

A bound is in units of regret; problem-dependent bounds are constants that multiply ln T, times ln T, and asymptotic.
Logarithms are natural. `nan` means that the statement is silent: the horizon is below its threshold, or a quantity that
its proof picks does not exist. `variant="printed"` is the statement. The other readings:

* `table`: the entry of Table 1, which drops the constants;
* `proof`: the line of the proof that differs from the statement: the last one for Theorem 2, the one before it for
  Theorem 3, whose last line is the statement;
* `strict`: what the steps of the proof give when no factor is lost on the way;
* `corrected`: the same method without its errors, or the bound of another paper where the method proves nothing;
* `sharp`: the bound of `replacements`, derived there and named after its sources.

All minimax bounds share one pair of environments. A learner under the first, where arm 1 is better by D, pulls some
other arm T/(K-1) times or less; in the second environment that arm is better than arm 1 by D. With k the divergence
between what the learner sees of one pull, Bretagnolle-Huber gives max regret >= T D/8 exp(-k T/(K-1)). The paper has
T D/4, losing a factor of 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import lambertw

from private_bandits import checks
from private_bandits.papers.definitions.replacements import (
    azize_basu,
    azize_basu_minimax,
    central_lower,
    central_minimax,
    lai_robbins,
    local_lower,
    local_minimax,
    minimax,
    response_minimax,
)
from private_bandits.privacy.divergences import local_factor

THEOREM_1 = 1.0 / (4.0 * math.exp(4.0))
"""The largest constant c that the proof of Theorem 1 allows."""


def theorem_1(n_arms: int, horizon: int, epsilon: float, variant: str = "printed", c: float = THEOREM_1) -> float:
    """Theorem 1, minimax under local DP.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.
    epsilon : float
        > 0. Below, m = min(4, e^(2 epsilon)) (e^epsilon - 1)^2.
    variant : {"printed", "strict", "corrected", "sharp", "table"}
        * `printed`: c sqrt((K-1) T / m) for T >= g, g = (K-1)/m.
        * `strict`: 1/(8 e^4) for c, half of the largest that the paper allows, and T >= 4 g: the gap of the proof must
          stay below 1/2.
        * `corrected`: e^(-1/2)/(16 sqrt 2) for c and T >= 2 g, for rewards in [0, 1]; see Notes.
        * `sharp`: `replacements.response_minimax`, about sqrt((K-1) T) / (53 tanh(epsilon/2)) and without a threshold.
        * `table`: sqrt((K-1) T / m).
    c : float
        Constant of `printed`, in (0, 1/(4 e^4)].

    Returns
    -------
    float
        `nan` where T is below the threshold.

    Notes
    -----
    The proof takes rewards whose means differ by 2 D to have divergence 2 D^2 at most, that is Fisher information 1.
    Rewards in [0, 1] have variance 1/4 at most and information 4 at least, so Corollary 1 does not follow. The total
    variation does it without Pinsker's inequality, which the paper uses in another norm and loses a factor of 4 by:
    Bernoulli rewards have TV = 2 D, hence k <= m (2 D)^2 by Duchi et al. (2013), and D = sqrt((K-1)/(8 m T)) <= 1/4 is
    the best gap. For Gaussian rewards of unit variance the right norm alone gives twice that, e^(-1/2)/(8 sqrt 2).
    """
    checks.choice("variant", variant, ("printed", "strict", "corrected", "sharp", "table"))
    arms, rounds = _game(n_arms, horizon)
    constant = checks.real("c", c, above=0, at_most=THEOREM_1)
    if variant == "sharp":
        return response_minimax(n_arms, horizon, epsilon)
    constant = {
        "printed": constant,
        "strict": 1.0 / (8.0 * math.exp(4.0)),
        "corrected": math.exp(-0.5) / (16.0 * math.sqrt(2.0)),
        "table": 1.0,
    }[variant]
    if variant != "table" and rounds < horizon_1(n_arms, epsilon, variant):
        return math.nan
    return constant * math.sqrt(arms * rounds / local_factor(epsilon))


def horizon_1(n_arms: int, epsilon: float, variant: str = "printed") -> float:
    """Threshold of Theorem 1 on T: g = (K-1)/m, `strict` 4 g, `corrected` 2 g."""
    factor = {"printed": 1.0, "strict": 4.0, "corrected": 2.0}
    checks.choice("variant", variant, tuple(factor))
    return factor[variant] * _game(n_arms, 1)[0] / local_factor(epsilon)


def theorem_2(
    n_arms: int, horizon: int, epsilon: float, variant: str = "printed", a: float | None = None, c: float = 1.0
) -> float:
    """Theorem 2, minimax under instantaneous DP.

    Parameters
    ----------
    n_arms, horizon, epsilon
        As for `theorem_1`. Below, u = 2 epsilon (e^(2 epsilon) - 1) and delta(a) = 2 a (e^(2 a) - 1), the smallest
        function that the proof allows.
    variant : {"printed", "proof", "solved", "corrected", "table"}
        * `printed`: c(a) sqrt((K-1) T / u); the paper gives no value for c(a).
        * `proof`: its last line, e^(+delta) / (4 sqrt 2) sqrt((K-1) T / (min(2, e^epsilon) (e^(2 epsilon) - 1))).
        * `solved`: what the gap of the proof really gives, 1/8 sqrt((K-1) T C/(2 u)) exp(-u - C/u), with
          C = -u W(-e^(u - delta)/u). Bounded from below by e^(-delta)/(8 sqrt 2) sqrt((K-1) T / u) where C <= 1: the
          printed line has the sign of delta wrong, and min(2, e^epsilon) in the place of 2 epsilon.
        * `corrected`: `minimax`. The term u in the divergence is spurious (Lemma 5): a policy does not know the
          environment. Without it the method proves the non-private bound.
        * `table`: sqrt((K-1) T / u).
    a : float, optional
        The level of the statement, epsilon <= a/2; default 2 epsilon.
    c : float
        c(a) of `printed`, > 0.

    Returns
    -------
    float
        `nan` where T is below the threshold, where the Lambert function has no real value (`range_2`), and from the
        proof where u overflows, at epsilon above 350.
    """
    checks.choice("variant", variant, ("printed", "proof", "solved", "corrected", "table"))
    arms, rounds = _game(n_arms, horizon)
    budget = checks.epsilon(epsilon)
    level = _level(budget, a)
    constant = checks.real("c", c, above=0)
    if variant == "corrected":
        return minimax(n_arms, horizon)
    extra = spurious_term(budget)
    if variant in ("printed", "table"):
        return (constant if variant == "printed" else 1.0) * math.sqrt(arms * rounds / extra)
    if math.isinf(extra):
        return math.nan
    if variant == "proof":
        privacy = math.exp(min(budget, math.log(2.0))) * math.expm1(2.0 * budget)
        return _exp(spurious_term(level)) / math.sqrt(32.0) * math.sqrt(arms * rounds / privacy)
    if not rounds >= horizon_2(n_arms, budget, level, "solved"):
        return math.nan
    chosen = lambert_choice(budget, level)
    return math.sqrt(arms * rounds * chosen / (2.0 * extra)) / 8.0 * math.exp(-extra - chosen / extra)


def spurious_term(epsilon: float) -> float:
    """u = 2 epsilon (e^(2 epsilon) - 1), the term that Lemma 5 adds to the divergence; also delta(a)."""
    budget = checks.epsilon(epsilon)
    return math.inf if budget > 350.0 else 2.0 * budget * math.expm1(2.0 * budget)


def lambert_choice(epsilon: float, a: float | None = None) -> float:
    """C = -u W(-e^(u - delta(a))/u) of Theorem 2's proof, principal branch; `nan` where W has no real value.

    W is real from -1/e on, so C exists only if delta(a) >= 1 + u - ln u: never for delta(a) < 2, which is a < 0.53, and
    for no a as epsilon tends to 0.
    """
    budget = checks.epsilon(epsilon)
    extra, offset = spurious_term(budget), spurious_term(_level(budget, a))
    if math.isinf(extra) or offset < 1.0 + extra - math.log(extra):
        return math.nan
    return float(-extra * lambertw(-math.exp(extra - offset) / extra).real)


def range_2(a: float) -> tuple[float, float]:
    """The epsilons, at most a/2, at which the proof of Theorem 2 has a real gap; (nan, nan) if there is none."""
    offset = spurious_term(checks.real("a", a, above=0, at_most=300))
    if offset < 2.0:
        return math.nan, math.nan
    low, high = (float(-lambertw(-math.exp(1.0 - offset), k).real) for k in (0, -1))
    bottom = _level_of(low) if low > 0 else 0.0
    top = a / 2.0 if spurious_term(a / 2.0) <= high else _level_of(high)
    return (bottom, top) if bottom <= top else (math.nan, math.nan)


def horizon_2(n_arms: int, epsilon: float, a: float | None = None, variant: str = "printed") -> float:
    """Threshold of Theorem 2 on T: h = (K-1) C/u as printed, twice that for a gap of at most 1/2 (`solved`)."""
    checks.choice("variant", variant, ("printed", "solved"))
    chosen = lambert_choice(epsilon, a)
    return (2.0 if variant == "solved" else 1.0) * _game(n_arms, 1)[0] * chosen / spurious_term(epsilon)


def theorem_3(
    n_arms: int,
    horizon: int,
    epsilon: float,
    variant: str = "printed",
    c: float = 0.0,
    b: float | None = None,
) -> float:
    """Theorem 3, minimax under DP.

    Parameters
    ----------
    n_arms, horizon, epsilon
        As for `theorem_1`.
    variant : {"printed", "proof", "strict", "table", "corrected", "sharp"}
        * `printed`: e^(-3 (eps + c))/8 sqrt((K-1) T ln(eps + 1) / (eps^(1 + 1/eps) (eps^2 + 1)^(1/eps))). It exceeds T.
        * `proof`: the line of the proof before it, simplified: e^(-3 (eps + c))/8 sqrt((K-1) T ln(eps^2 + 1) / (eps
          (eps^2 + 1)^(1/eps))). It tends to 0 with eps.
        * `strict`: half of `proof`, the factor that every minimax proof of the paper loses.
        * `table`: e^(-3 eps) sqrt((K-1) T ln(eps^2 + 1) / (eps^(1 + 1/eps) (eps + B)^(1/eps))). At c = 0 it is 8 times
          `proof` if and only if B = 1/eps.
        * `corrected`: `azize_basu_minimax`. Lemma 6 bounds the divergence by something larger than it, so the method
          proves nothing beyond `minimax`.
        * `sharp`: `replacements.central_minimax`.
    c : float
        L times the largest difference of two rewards, >= 0; 0 is the most favourable.
    b : float, optional
        B of `table`, which the paper does not define, > 0; default 1/epsilon.

    Returns
    -------
    float
        `nan` where T is below the threshold h. Infinity where the printed value overflows.
    """
    checks.choice("variant", variant, ("printed", "proof", "strict", "table", "corrected", "sharp"))
    arms, rounds = _game(n_arms, horizon)
    budget, shift = checks.epsilon(epsilon), checks.real("c", c, at_least=0)
    unknown = 1.0 / budget if b is None else checks.real("b", b, above=0)
    if variant == "corrected":
        return azize_basu_minimax(n_arms, horizon, epsilon)
    if variant == "sharp":
        return central_minimax(n_arms, horizon, epsilon)
    if math.isinf(budget):
        return 0.0
    if variant != "table" and rounds < horizon_3(n_arms, budget, shift):
        return math.nan
    inverse, squared = 1.0 / budget, math.log1p(budget**2)
    # logarithms of what stands under the root: eps^(1/eps) alone underflows below eps = 0.006
    root = {
        "printed": math.log(math.log1p(budget)) - (1.0 + inverse) * math.log(budget) - squared * inverse,
        "table": math.log(squared) - (1.0 + inverse) * math.log(budget) - inverse * math.log(budget + unknown),
        "proof": math.log(squared) - math.log(budget) - squared * inverse,
    }["proof" if variant == "strict" else variant]
    constant = {"printed": 1.0 / 8.0, "proof": 1.0 / 8.0, "strict": 1.0 / 16.0, "table": 1.0}[variant]
    exponent = 3.0 * (budget + (0.0 if variant == "table" else shift))
    return constant * _exp((math.log(arms * rounds) + root) / 2.0 - exponent)


def horizon_3(n_arms: int, epsilon: float, c: float = 0.0) -> float:
    """Threshold of Theorem 3 on T: h = (K-1) ln(eps^2 + 1) / (eps e^(2 (eps + c)))."""
    budget, shift = checks.epsilon(epsilon), checks.real("c", c, at_least=0)
    if math.isinf(budget):
        return 0.0
    return _game(n_arms, 1)[0] * math.log1p(budget**2) / budget * math.exp(-2.0 * (budget + shift))


def theorem_4(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float, variant: str = "printed") -> float:
    """Theorem 4, problem-dependent under local DP, for Bernoulli arms, times ln T.

    Parameters
    ----------
    means : sequence of float
        Means of the arms, each in [0, 1].
    horizon, epsilon
        As for `theorem_1`.
    variant : {"printed", "corrected", "sharp"}
        * `printed`: sum of gap / (2 m d(mean || best)).
        * `corrected`: Pinsker's inequality in the right norm, sum of 2 gap / (m d(mean || best)), four times as much.
        * `sharp`: `replacements.local_lower`. Tends to Lai and Robbins as epsilon grows, while the others tend to 0.

    Notes
    -----
    The proof's regrets (mu_i - mu*) are negative as written, and its last step needs p to tend to 0 where it argues
    with 1 - p > 0. Both are slips: the statement holds.
    """
    checks.choice("variant", variant, ("printed", "corrected", "sharp"))
    if variant == "sharp":
        return local_lower(means, horizon, epsilon)
    factor = {"printed": 0.5, "corrected": 2.0}[variant]
    return factor * lai_robbins(means, horizon) / local_factor(epsilon)


def theorem_5(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float, variant: str = "printed") -> float:
    """Theorem 5 of the appendix, which is Theorem 4 of the text under another number."""
    return theorem_4(means, horizon, epsilon, variant)


def corollary_1(n_arms: int, horizon: int, epsilon: float, variant: str = "printed") -> float:
    """Corollary 1, Bayesian minimax under local DP: Theorem 1 for rewards in [0, 1], through Fact 1 (`games`)."""
    return theorem_1(n_arms, horizon, epsilon, variant)


def corollary_2(n_arms: int, horizon: int, epsilon: float, variant: str = "printed") -> float:
    """Corollary 2, Bayesian minimax under instantaneous DP: Theorem 2, with c(epsilon) for c(a)."""
    return theorem_2(n_arms, horizon, epsilon, variant)


def corollary_3(n_arms: int, horizon: int, epsilon: float, variant: str = "printed") -> float:
    """Corollary 3, Bayesian minimax under DP: Theorem 3; it says instantaneous DP and minimax where it means these."""
    return theorem_3(n_arms, horizon, epsilon, variant)


def _level(budget: float, a: float | None) -> float:
    if a is None:
        return 2.0 * budget
    level = checks.epsilon(a, "a")
    if level < 2.0 * budget:
        raise ValueError(f"a must be >= 2 epsilon = {2.0 * budget:g}, got {a!r}")
    return level


def _level_of(extra: float) -> float:
    """The epsilon at which `spurious_term` is `extra`."""
    target = math.log(extra)
    return math.exp(brentq(lambda log: math.log(spurious_term(math.exp(log))) - target, -354.0, 5.85))


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < 709.0 else math.inf


def _game(n_arms: int, horizon: int) -> tuple[int, int]:
    """K - 1 and T."""
    return checks.integer("n_arms", n_arms, at_least=2) - 1, checks.integer("horizon", horizon, at_least=1)


def table_1(
    n_arms: int, horizon: int, epsilon: float, means: Sequence[float] | np.ndarray | None = None
) -> pd.DataFrame:
    """Table 1 with its disagreements: each entry as the table, the theorem and the proof have it, and what replaces it.

    Parameters
    ----------
    n_arms, horizon, epsilon
        As for `theorem_1`.
    means : sequence of float, optional
        Bernoulli arms of the problem-dependent column, K of them; default 0.55 once and 0.45 else.

    Returns
    -------
    pandas.DataFrame
        Columns definition, regret ("minimax" stands for Bayesian minimax too), reading ("table", "theorem", "proof",
        "strict", "replacement"), locus, value, plain (the bound without privacy), vacuous (not above plain),
        impossible (above T; never for problem-dependent bounds, which are asymptotic); value is `nan` where the reading
        says nothing.
    """
    arms = [0.55] + [0.45] * (n_arms - 1) if means is None else means
    game = (n_arms, horizon, epsilon)
    entries = [
        ("DP", "minimax", "table", "Table 1, B = 1/epsilon", theorem_3(*game, "table")),
        ("DP", "minimax", "theorem", "Theorem 3, Corollary 3", theorem_3(*game)),
        ("DP", "minimax", "proof", "proof, the line before the last", theorem_3(*game, "proof")),
        ("DP", "minimax", "strict", "steps of the proof", theorem_3(*game, "strict")),
        ("DP", "minimax", "replacement", "Azize and Basu (2022)", theorem_3(*game, "corrected")),
        ("DP", "minimax", "replacement", "central_minimax", theorem_3(*game, "sharp")),
        ("DP", "problem-dependent", "replacement", "Azize and Basu (2022)", azize_basu(arms, horizon, epsilon)),
        ("DP", "problem-dependent", "replacement", "central_lower", central_lower(arms, horizon, epsilon)),
        ("instantaneous DP", "minimax", "table", "Table 1", theorem_2(*game, "table")),
        ("instantaneous DP", "minimax", "proof", "proof, the last line", theorem_2(*game, "proof")),
        ("instantaneous DP", "minimax", "strict", "steps of the proof", theorem_2(*game, "solved")),
        ("instantaneous DP", "minimax", "replacement", "without privacy", theorem_2(*game, "corrected")),
        ("local DP", "minimax", "table", "Table 1", theorem_1(*game, "table")),
        ("local DP", "minimax", "theorem", "Theorem 1, Corollary 1", theorem_1(*game)),
        ("local DP", "minimax", "strict", "steps of the proof", theorem_1(*game, "strict")),
        ("local DP", "minimax", "replacement", "Theorem 1, corrected", theorem_1(*game, "corrected")),
        ("local DP", "minimax", "replacement", "local_minimax", local_minimax(*game)),
        ("local DP", "problem-dependent", "theorem", "Table 1, Theorem 4", theorem_4(arms, horizon, epsilon)),
        (
            "local DP",
            "problem-dependent",
            "replacement",
            "Theorem 4, corrected",
            theorem_4(arms, horizon, epsilon, "corrected"),
        ),
        ("local DP", "problem-dependent", "replacement", "local_lower", local_lower(arms, horizon, epsilon)),
    ]
    frame = pd.DataFrame(entries, columns=["definition", "regret", "reading", "locus", "value"])
    plain = {"minimax": minimax(n_arms, horizon), "problem-dependent": lai_robbins(arms, horizon)}
    frame["plain"] = frame["regret"].map(plain)
    frame["vacuous"] = ~(frame["value"] > frame["plain"])
    frame["impossible"] = (frame["value"] > horizon) & (frame["regret"] == "minimax")
    return frame

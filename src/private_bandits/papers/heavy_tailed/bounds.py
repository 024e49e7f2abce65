"""The theorems of Tao et al. (2022), as printed on the slides and corrected, and Bubeck et al.'s (2013) beside them.

The slides state orders, not constants. `variant="printed"` is the printed expression with constant 1, which has the
rates but bounds nothing by itself. The other variants are ours and carry their constants:

* `corrected`, upper bounds: from the box. Epoch tau has D = 2^-tau in view, its err is D/c, and an arm leaves if its
  mean lies D/2 below the largest. Where every mean is within D/4 = (c/4) err (`dp_confidence` and `ldp_confidence` say
  when), an arm leaves by the first epoch with D below its gap; its pulls until then are summed as the box counts them,
  with |S| = K. Failures cost at most 2 beta T max gap.
* `corrected`, lower bounds: two-point instances. Against an arm that pays 0, the law with mean g and moment u that is
  nearest in total variation puts p = (g^(1+v) / u)^(1/v) on one point. A locally private view of n pulls tells the two
  apart by at most min(4, e^(2 epsilon)) (e^epsilon - 1)^2 n p^2 (Duchi et al. 2013), a centrally private algorithm by
  at most 6 epsilon n p (Azize and Basu 2022), any algorithm by at most -n ln(1 - p); p^2, not p, is what the slides'
  LDP rates miss.

The rates are not ours. Zhou and Zhang (2024) were first to correct the local ones, Wu et al. (2023) to show a minimax
lower bound for private bandits with heavy tails, and both follow from what a mean costs to estimate: Kamath et al.
(2020) centrally, Duchi et al. (2013) locally. The constants are derived here.

Logarithms are natural. `means` are those of the arms; arguments out of range raise a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms import laplace_sum_bound
from private_bandits.papers.heavy_tailed.instances import moment_bound, order

_FAILURES = 2.0  # times beta: 3 tails of e^-L an arm and epoch, L = ln(4 K tau^2 / beta), sum to pi^2/8 < 2
_PRINTED_OR_CORRECTED = ("printed", "corrected")


# --- upper bounds


def robust_ucb_upper(means: Any, v: float, u: float, horizon: int, variant: str = "printed") -> float:
    """Regret of robust UCB without privacy.

    `printed`: sum of ln T (u/gap)^(1/v) + gap. `corrected`: with the constants of the box, sum of 2 * 8^((1+v)/v)
    (u/gap)^(1/v) ln T + 3 gap for the box with 2 ln T: an arm is played only while twice its radius 4 u^(1/(1+v)) (2
    ln T / n)^(v/(1+v)) reaches its gap, and a radius fails with probability 1/T^2.
    """
    gaps, log_t = _gaps(means), _log(horizon)
    _check_law(v, u)
    checks.choice("variant", variant, _PRINTED_OR_CORRECTED)
    factor, rest = (1.0, 1.0) if variant == "printed" else (2.0 * 8.0 ** ((1.0 + v) / v), 3.0)
    return float(np.sum(factor * log_t * (u / gaps) ** (1.0 / v) + rest * gaps))


def dp_robust_ucb_upper(
    means: Any, epsilon: float, v: float, u: float, horizon: int, variant: str = "printed", c: float = 18.0
) -> float:
    """Equation (2), DP Robust UCB.

    `printed`: sum of ln^(2.5+1/v)(T) / epsilon (u/gap)^(1/v) + gap. `corrected`: sum of (2c)^((1+v)/v) ln(2 T^4)
    ln^(1.5+1/v)(T) / epsilon (u/gap)^(1/v) + 6 gap, as an arm is played only while twice its radius reaches its gap; it
    holds where the radius covers the error, see `dp_robust_ucb_error`.
    """
    gaps, log_t, budget = _gaps(means), _log(horizon), _budget(epsilon)
    _check_law(v, u)
    checks.choice("variant", variant, _PRINTED_OR_CORRECTED)
    if variant == "printed":
        return float(np.sum(log_t ** (2.5 + 1.0 / v) / budget * (u / gaps) ** (1.0 / v) + gaps))
    pulls = (2.0 * checks.real("c", c, above=0)) ** ((1.0 + v) / v) * (math.log(2.0) + 4.0 * log_t)
    return float(np.sum(pulls * log_t ** (1.5 + 1.0 / v) / budget * (u / gaps) ** (1.0 / v) + 6.0 * gaps))


def dp_upper(
    means: Any,
    epsilon: float,
    v: float,
    u: float,
    horizon: int,
    beta: float | None = None,
    c: float = 24.0,
    variant: str = "printed",
) -> float:
    """Instance-dependent bound of DP Robust SE.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
    epsilon : float
        In (0, 1].
    v, u : float
        v in (0, 1], u > 0.
    horizon : int
        T >= 1.
    beta : float, optional
        In (0, 1), default 1/T; `corrected` only.
    c : float
        Constant of the epochs, > 0; `corrected` only, and a bound only where the confidence bound is at most c/4.
    variant : {"printed", "rate", "corrected"}
        * `printed`: u^(1/(1+v)) ln T / epsilon * sum of gap^(-1/v), plus the largest gap.
        * `rate`: the same with u^(1/v), which is what the box's R_tau carries: the print's power of u cannot hold, as
          rewards scaled by a factor s have gap s and moment s^(1+v), and the bound must scale by s.
        * `corrected`: pulls counted epoch by epoch.
    """
    checks.choice("variant", variant, ("printed", "rate", "corrected"))
    gaps, log_t, budget = _gaps(means), _log(horizon), _budget(epsilon)
    _check_law(v, u)
    if variant == "corrected":
        return _by_epochs(means, horizon, beta, c, lambda epoch, log: dp_epoch(epoch, log, budget, v, u, c).pulls)
    power = 1.0 / (1.0 + v) if variant == "printed" else 1.0 / v
    return float(u**power * log_t / budget * np.sum(gaps ** (-1.0 / v)) + np.max(gaps, initial=0.0))


def dp_upper_independent(
    n_arms: int, epsilon: float, v: float, u: float, horizon: int, variant: str = "printed"
) -> float:
    """Instance-independent bound of DP Robust SE.

    `printed`: u^(v/(1+v)^2) (K ln T / epsilon)^(v/(1+v)) T^(1/(1+v)). `corrected`: u^(1/(1+v)), as rewards scale, with
    the constants of the epochs at c = 24 and beta = 1/T, for gaps up to 1: the least over m of T 2^-m for the arms
    with gaps up to 2^-m, plus (K - 1) 2^(1-m) times the pulls of the first m epochs for the others, plus 2.
    """
    arms, log_t, budget = checks.integer("n_arms", n_arms, at_least=2), _log(horizon), _budget(epsilon)
    _check_law(v, u)
    checks.choice("variant", variant, _PRINTED_OR_CORRECTED)
    power = v / (1.0 + v)
    if variant == "printed":
        return float(u ** (power / (1.0 + v)) * (arms * log_t / budget) ** power * horizon ** (1.0 / (1.0 + v)))
    return _balanced(arms, horizon, lambda epoch, log: dp_epoch(epoch, log, budget, v, u).pulls)


def ldp_upper(
    means: Any,
    epsilon: float,
    v: float,
    u: float,
    horizon: int,
    beta: float | None = None,
    c: float = 24.0,
    variant: str = "printed",
) -> float:
    """Equation (4), instance-dependent bound of LDP Robust SE; arguments as for `dp_upper`.

    * `printed`: u^(2/v) ln T / epsilon^2 * sum of gap^(-1/v), plus the largest gap. Below
      `ldp_lower(variant="corrected")` for small gaps, so it does not hold.
    * `rate`: the exponent that the noise asks for, gap^-(1+2/v).
    * `corrected`: the pulls of the repaired box, counted epoch by epoch.
    """
    checks.choice("variant", variant, ("printed", "rate", "corrected"))
    gaps, log_t, budget = _gaps(means), _log(horizon), _budget(epsilon)
    _check_law(v, u)
    if variant == "corrected":
        return _by_epochs(means, horizon, beta, c, lambda epoch, log: ldp_epoch(epoch, log, budget, v, u, c).pulls, 8.0)
    power = 1.0 / v if variant == "printed" else 1.0 + 2.0 / v
    return float(u ** (2.0 / v) * log_t / budget**2 * np.sum(gaps**-power) + np.max(gaps, initial=0.0))


def ldp_upper_independent(
    n_arms: int, epsilon: float, v: float, u: float, horizon: int, variant: str = "printed"
) -> float:
    """Equation (5), instance-independent bound of LDP Robust SE.

    `printed`: u^(2/(1+v)) (K ln T / epsilon^2)^(v/(1+v)) T^(1/(1+v)). Below
    `ldp_lower_independent(variant="corrected")` for long horizons, so it does not hold. `corrected`: of order
    u^(1/(1+v)) (K L / epsilon^2)^(v/(2+2v)) T^((2+v)/(2+2v)), with the constants of the epochs as in
    `dp_upper_independent`.
    """
    arms, log_t, budget = checks.integer("n_arms", n_arms, at_least=2), _log(horizon), _budget(epsilon)
    _check_law(v, u)
    checks.choice("variant", variant, _PRINTED_OR_CORRECTED)
    if variant == "printed":
        scale = u ** (2.0 / (1.0 + v)) * horizon ** (1.0 / (1.0 + v))
        return float(scale * (arms * log_t / budget**2) ** (v / (1.0 + v)))
    return _balanced(arms, horizon, lambda epoch, log: ldp_epoch(epoch, log, budget, v, u).pulls, 8.0)


class Epoch(NamedTuple):
    """One epoch of an elimination box."""

    pulls: float  # R, of each surviving arm
    threshold: float  # B
    error: float  # err; an arm leaves if its mean lies (c/2) err below the largest, 12 err at c = 24


def dp_epoch(epoch: int, log: float, epsilon: float, v: float, u: float, c: float = 24.0) -> Epoch:
    """Lines 6 to 8 and 20 of Algorithm 3, with `log` for ln(4 |S| tau^2 / beta); R is a float, as it may pass 2^63."""
    gap = 2.0**-epoch
    pulls = float(np.ceil(u ** (1.0 / v) * c ** ((1.0 + v) / v) * log / (epsilon * gap ** ((1.0 + v) / v)) + 1.0))
    share = log / (pulls * epsilon)
    return Epoch(pulls, (u / share) ** (1.0 / (1.0 + v)), u ** (1.0 / (1.0 + v)) * share ** (v / (1.0 + v)))


def ldp_epoch(
    epoch: int, log: float, epsilon: float, v: float, u: float, c: float = 24.0, variant: str = "repaired"
) -> Epoch:
    """Epoch of LDP Robust SE, whose box is not on the slides, with `log` for ln(8 |S| tau^2 / beta).

    `repaired`: the square-root scaling, R = u^(2/v) c^(2(1+v)/v) L / (epsilon^2 D^(2(1+v)/v)). `slide_rate`: what the
    slides' bounds (4) and (5) would need, R = u^(2/v) c^((1+v)/v) L / (epsilon^2 D^((1+v)/v)), with err = u^(-1/(1+v))
    D/c where all others have D/c. Neither is a quotation.
    """
    checks.choice("variant", variant, ("repaired", "slide_rate"))
    gap, half = 2.0**-epoch, 2.0 if variant == "repaired" else 1.0
    power = half * (1.0 + v) / v
    pulls = float(np.ceil(u ** (2.0 / v) * (c / gap) ** power * log / epsilon**2)) + 1.0
    share = (log / (pulls * epsilon**2)) ** (1.0 / half)
    return Epoch(pulls, (u / share) ** (1.0 / (1.0 + v)), u ** (1.0 / (1.0 + v)) * share ** (v / (1.0 + v)))


# --- lower bounds


def dp_lower(
    n_arms: int, gap: float, epsilon: float, v: float, horizon: int, u: float = 1.0, variant: str = "printed"
) -> float:
    """Equation (3): instance-dependent lower bound of epsilon-DP algorithms, all n_arms - 1 bad arms with one gap.

    `printed`: ln T / epsilon * sum of gap^(-1/v), for u <= 1, gap in (0, 1/12) and algorithms of regret at most
    T^(3/4). `corrected`: the rate is right; the constant of the two-point instance, whose bad arms always pay 0, for
    algorithms of regret o(T^a) for every a > 0: (K - 1) gap ln T / min(-ln(1 - p), 6 epsilon p), p = (gap^(1+v) /
    u)^(1/v); 0 where p >= 1, as there is no such instance. For algorithms of regret at most T^a it is 1 - a times as
    much, for large T. From epsilon = 1/6 on privacy costs nothing here: it is the bound without privacy.
    """
    return _lower_rate(
        n_arms, gap, v, u, variant, _log(horizon) / _budget(epsilon), lambda p: 6.0 * epsilon * p, horizon
    )


def ldp_lower(
    n_arms: int, gap: float, epsilon: float, v: float, horizon: int, u: float = 1.0, variant: str = "printed"
) -> float:
    """Instance-dependent lower bound of epsilon-LDP algorithms, all n_arms - 1 bad arms with one gap.

    `printed`: ln T / epsilon^2 * sum of gap^(-1/v), gap in (0, 1/5), u <= 1. `corrected`: as in `dp_lower`, with
    min(-ln(1 - p), C p^2), C = min(4, e^(2 epsilon)) (e^epsilon - 1)^2: of order gap^-(1+2/v).
    """
    budget = _budget(epsilon)
    loss = local_loss(budget)
    return _lower_rate(n_arms, gap, v, u, variant, _log(horizon) / budget**2, lambda p: loss * p**2, horizon)


def ldp_lower_independent(
    n_arms: int, epsilon: float, v: float, horizon: int, u: float = 1.0, variant: str = "printed"
) -> float:
    """Instance-independent lower bound of epsilon-LDP algorithms.

    `printed`: (K / epsilon^2)^(v/(1+v)) T^(1/(1+v)), u = 1, T large. `corrected`: (T/16) u^(1/(1+v)) (a (K-1) / (e C
    T))^a with a = v / (2(1+v)) and C as in `ldp_lower`: of order T^((2+v)/(2+2v)), for T with p <= 1 (0 before, where
    the instance does not exist).
    """
    arms, budget = checks.integer("n_arms", n_arms, at_least=2), _budget(epsilon)
    _check_law(v, u)
    checks.choice("variant", variant, _PRINTED_OR_CORRECTED)
    if variant == "printed":
        return float(
            (arms / budget**2) ** (v / (1.0 + v)) * checks.integer("horizon", horizon, at_least=1) ** (1.0 / (1.0 + v))
        )
    return _two_hypotheses(arms, v, u, horizon, local_loss(budget), 2.0)


def dp_lower_independent(n_arms: int, epsilon: float, v: float, horizon: int, u: float = 1.0) -> float:
    """Instance-independent lower bound of epsilon-DP algorithms, which the slides' table leaves open.

    (T/16) u^(1/(1+v)) (a (K-1) / (6 e epsilon T))^a with a = v / (1+v), by the loss 6 epsilon n p of Azize and Basu
    (2022): of order (K/epsilon)^(v/(1+v)) T^(1/(1+v)), the upper bound without its logarithm. Wu et al. (2023) have
    such a bound; the constant is ours.
    """
    arms, budget = checks.integer("n_arms", n_arms, at_least=2), _budget(epsilon)
    _check_law(v, u)
    return _two_hypotheses(arms, v, u, horizon, 6.0 * budget, 1.0)


def local_loss(epsilon: float) -> float:
    """C of "KL <= C (total variation)^2" for an epsilon-LDP view: min(4, e^(2 epsilon)) (e^epsilon - 1)^2."""
    budget = _budget(epsilon)
    return min(4.0, math.exp(2.0 * budget)) * math.expm1(budget) ** 2


# --- what a radius covers


class ErrorParts(NamedTuple):
    """Bounds on the three errors of a mean, in units of reward, and the radius that is to cover their sum."""

    bias: float
    sampling: float
    noise: float
    radius: float


def dp_robust_ucb_error(pulls: int, epsilon: float, v: float, u: float, horizon: int, c: float = 18.0) -> ErrorParts:
    """The errors of a DP Robust UCB mean of `pulls` rewards in round T, each tail with probability 1/T^4.

    Bias: the mean of u B_k^-v is at most (1+v) u B_n^-v. Sampling: Bernstein, with second moment at most u B_n^(1-v)
    and rewards at most B_n. Noise: `mechanisms.laplace_sum_bound` for floor(log2 T) + 1 nodes of the largest scale.
    """
    n, log_t, budget = checks.integer("pulls", pulls, at_least=1), _log(horizon), _budget(epsilon)
    _check_law(v, u)
    tail, power = math.log(2.0) + 4.0 * log_t, v / (1.0 + v)
    threshold = (budget * u * n / log_t**1.5) ** (1.0 / (1.0 + v))
    levels = horizon.bit_length()
    node = 2.0 * threshold * levels / budget
    return ErrorParts(
        bias=(1.0 + v) * u * threshold**-v,
        sampling=math.sqrt(2.0 * u * threshold ** (1.0 - v) * tail / n) + threshold * tail / (3.0 * n),
        noise=laplace_sum_bound(math.sqrt(levels) * node, node, tail) / n,
        radius=c * u ** (1.0 / (1.0 + v)) * (tail * log_t ** (1.5 + 1.0 / v) / (n * budget)) ** power,
    )


def dp_confidence(epsilon: float) -> float:
    """Bound on the error of a noisy epoch mean of DP Robust SE, in units of err, with probability 1 - 3 e^-L.

    1 (bias) + sqrt(2 epsilon) + epsilon/3 (Bernstein) + 2 (Laplace): at most 6 for epsilon <= 1, whatever the
    constant c of the epochs, as err follows R. The rule "12 err" at c = 24 needs 6, and any c needs c/4.
    """
    budget = _budget(epsilon)
    return 3.0 + math.sqrt(2.0 * budget) + budget / 3.0


def ldp_confidence(epsilon: float, pulls: float, log: float, variant: str = "repaired") -> float:
    """Bound on the error of an epoch mean of LDP Robust SE, in units of err, with probability 1 - 4 e^-L.

    With q = sqrt(L/R), `repaired`: 1 (bias) + sqrt(2 epsilon q) + epsilon q/3 (Bernstein) + 4 + 2 q (the mean of R
    Laplace variables, sub-gamma): at most 6 from R = 40 L. `slide_rate`: 1 + sqrt 2 epsilon + epsilon^2/3 + (4 + 2
    q) epsilon / q, which grows as sqrt R.
    """
    checks.choice("variant", variant, ("repaired", "slide_rate"))
    budget = _budget(epsilon)
    q = math.sqrt(checks.real("log", log, above=0) / checks.real("pulls", pulls, above=0))
    if variant == "repaired":
        return 5.0 + 2.0 * q + math.sqrt(2.0 * budget * q) + budget * q / 3.0
    return 1.0 + math.sqrt(2.0) * budget + budget**2 / 3.0 + (4.0 + 2.0 * q) * budget / q


# --- shared parts


def _check_law(v: float, u: float) -> None:
    order(v)
    moment_bound(u)


def _gaps(means: Any) -> np.ndarray:
    values = checks.vector("means", means, at_least=0)
    gaps = np.max(values) - values
    return np.asarray(gaps[gaps > 0.0])


def _log(horizon: int) -> float:
    return math.log(checks.integer("horizon", horizon, at_least=1))


def _budget(epsilon: float) -> float:
    return checks.real("epsilon", epsilon, above=0, at_most=1)


def _by_epochs(
    means: Any, horizon: int, beta: float | None, c: float, pulls: Callable[[int, float], float], inside: float = 4.0
) -> float:
    checks.real("c", c, above=0)
    gaps, arms, rounds = _gaps(means), len(means), checks.integer("horizon", horizon, at_least=2)
    failure = 1.0 / rounds if beta is None else checks.delta(beta, "beta")
    total = _FAILURES * failure * rounds * float(np.max(gaps, initial=0.0))
    for gap in gaps:
        epoch, played = 0, 0.0
        while epoch == 0 or 2.0**-epoch >= gap:
            epoch += 1
            played += pulls(epoch, math.log(inside * arms * epoch**2 / failure))
        total += float(gap) * played
    return total


def _balanced(arms: int, horizon: int, pulls: Callable[[int, float], float], inside: float = 4.0) -> float:
    least, epoch, played = float(horizon), 1, 0.0
    while (arms - 1) * 2.0 ** (1 - epoch) * played < least:
        played += pulls(epoch, math.log(inside * arms * epoch**2 * horizon))
        least = min(least, horizon * 2.0**-epoch + (arms - 1) * 2.0 ** (1 - epoch) * played)
        epoch += 1
    return least + _FAILURES


def _lower_rate(
    n_arms: int,
    gap: float,
    v: float,
    u: float,
    variant: str,
    scale: float,
    loss: Callable[[float], float],
    horizon: int,
) -> float:
    bad = checks.integer("n_arms", n_arms, at_least=2) - 1
    distance = checks.real("gap", gap, above=0)
    _check_law(v, u)
    checks.choice("variant", variant, _PRINTED_OR_CORRECTED)
    if variant == "printed":
        return bad * scale * distance ** (-1.0 / v)
    moved = (distance ** (1.0 + v) / u) ** (1.0 / v)
    if moved >= 1.0:
        return 0.0
    return bad * distance * math.log(horizon) / min(-math.log1p(-moved), loss(moved))


def _two_hypotheses(arms: int, v: float, u: float, horizon: int, loss: float, exponent: float) -> float:
    """Bretagnolle and Huber on the instances of one bad arm raised to twice the best, optimised over the gap."""
    a = v / (exponent * (1.0 + v))
    share = a * (arms - 1) / (loss * checks.integer("horizon", horizon, at_least=1))
    if share > 1.0:  # the mass that is moved is share^(1/exponent)
        return 0.0
    return horizon / 16.0 * u ** (1.0 / (1.0 + v)) * (share / math.e) ** a

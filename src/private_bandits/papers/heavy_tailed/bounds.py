"""The theorems of Tao et al. (2022), as printed on the slides and corrected, and Bubeck et al.'s (2013) beside them.

The slides state orders, not constants. `variant="printed"` is the printed expression with constant 1, which has the
rates but bounds nothing by itself. The other variants are ours and carry their constants:

* `corrected`, upper bounds: from the algorithm. Epoch tau has D = 2^-tau in view, its err is D/c, and an arm leaves if
  its mean lies D/2 below the largest. Where every mean is within D/4 = (c/4) err, as at the slides' c = 24, an arm
  leaves by the first epoch with D below its gap; its pulls until then are summed as the algorithm counts them, with
  |S| = K. Failures cost at most 2 beta T max gap.
* `corrected`, lower bounds: two-point instances. Against an arm that pays 0, the law with mean g and moment u that is
  nearest in total variation puts p = (g^(1+v) / u)^(1/v) on one point. A locally private view of n pulls tells the two
  apart by at most (e^epsilon - 1)^2 n p^2, a centrally private algorithm by at most -n ln(1 - p (1 - e^-epsilon)), any
  algorithm by at most -n ln(1 - p); p^2, not p, is what the slides' LDP rates miss.

The rates are not ours. Zhou and Zhang (2024) were first to correct the local ones, Wu et al. (2023) to show a minimax
lower bound for private bandits with heavy tails, and both follow from what a mean costs to estimate: Kamath et al.
(2020) centrally, Duchi et al. (2013) locally. The constants are derived here.

Logarithms are natural.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.papers._arithmetic import inverse, log_ratio, over, power, powers, times
from private_bandits.papers.heavy_tailed.instances import moment_bound, order

__all__ = [
    "Epoch",
    "dp_epoch",
    "dp_lower",
    "dp_lower_independent",
    "dp_robust_ucb_upper",
    "dp_upper",
    "dp_upper_independent",
    "ldp_epoch",
    "ldp_lower",
    "ldp_lower_independent",
    "ldp_upper",
    "ldp_upper_independent",
    "local_loss",
    "quantile_width",
    "robust_ucb_upper",
]

_LEAST_MASS = 1e-100  # from here on the first term of a series is all that a float holds
_FAILURES = 2.0  # times beta: 3 tails of e^-L an arm and epoch, L = ln(4 K tau^2 / beta), sum to pi^2/8 < 2


# --- upper bounds


@checks.formula()
def robust_ucb_upper(*, means: Any, v: float, u: float, horizon: int, variant: str = "printed") -> float:
    """Regret of robust UCB without privacy, Bubeck et al. (2013), as the slides quote it after (2).

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        Means of the arms, each >= 0.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: sum of ln T (u/gap)^(1/v) + gap.
        * `corrected`: sum of 2 * 8^((1+v)/v) (u/gap)^(1/v) ln T + 3 gap, for the algorithm with 2 ln T: an arm is
          played only while twice its radius 4 u^(1/(1+v)) (2 ln T / n)^(v/(1+v)) reaches its gap, and a radius fails
          with probability 1/T^2.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    gaps, log_t = _gaps(means), checks.log_horizon(horizon)
    _check(v, u, variant)
    turn, printed = inverse(v), variant == "printed"
    factor, base, rest = (1.0, 1.0, 1.0) if printed else (2.0, 8.0, 3.0)
    known = (factor, 1.0), (base, 1.0 + turn), (log_t, 1.0), (u, turn)
    return sum(powers(*known, (gap, -turn)) + rest * gap for gap in gaps)


@checks.formula()
def dp_robust_ucb_upper(
    *, means: Any, v: float, u: float, epsilon: float, horizon: int, variant: str = "printed", c: float = 18.0
) -> float:
    """Equation (2), regret of DP Robust UCB.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        Means of the arms, each >= 0.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: sum of ln^(2.5+1/v)(T) / epsilon (u/gap)^(1/v) + gap.
        * `corrected`: sum of (2c)^((1+v)/v) ln(2 T^4) ln^(1.5+1/v)(T) / epsilon (u/gap)^(1/v) + 6 gap, as an arm is
          played only while twice its radius reaches its gap; it holds where the radius covers the error of a mean, as
          it does at the slides' c = 18 from T = 200 on.
    c : float
        Factor of the radius, > 0; `corrected` only.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    gaps, log_t, epsilon = _gaps(means), checks.log_horizon(horizon), _regime(epsilon)
    _check(v, u, variant)
    turn, twice = inverse(v), 2.0 * checks.real("c", c, above=0)
    known, rest = [(log_t, 2.5 + turn)], 1.0
    if variant == "corrected":
        known, rest = [(twice, 1.0 + turn), (math.log(2.0) + 4.0 * log_t, 1.0), (log_t, 1.5 + turn)], 6.0
    return sum(powers(*known, (epsilon, -1.0), (u, turn), (gap, -turn)) + rest * gap for gap in gaps)


@checks.formula()
def quantile_width(*, excess: float, second: float) -> float:
    """Width at which `quantile_se` holds for laws with a regular tail, in units of B L / (R s): ours.

    For rewards >= 0 with E[X 1{X > B}] <= excess B P(X > B) and E[X^2 1{X <= B}] <= second B^2 P(X > B) at every B with
    P(X > B) < 1, of an order of magnitude that the prior allows: 14 excess + sqrt(28 second) + 7/3. The proof is on
    the page of the chapter's proofs.

    Parameters
    ----------
    excess, second : float
        >= 1 and >= 0; shape / (shape - 1) and shape / (2 - shape) for Pareto laws of a shape in (1, 2).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    tail = checks.real("excess", excess, at_least=1), checks.real("second", second, at_least=0)
    return 14.0 * tail[0] + math.sqrt(28.0 * tail[1]) + 7.0 / 3.0


@checks.formula()
def dp_upper(
    *, means: Any, v: float, u: float, epsilon: float, horizon: int, variant: str = "printed", beta: float | None = None
) -> float:
    """Instance-dependent regret of DP Robust SE, the DP upper bound, first part.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        Means of the arms, each >= 0.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "rate", "corrected"}
        * `printed`: u^(1/(1+v)) ln T / epsilon * sum of gap^(-1/v), plus the largest gap.
        * `rate`: the same with u^(1/v), which is what the algorithm's R_tau carries, for gaps at most 1: the first
          epoch looks for gaps above 1/2 in any unit of reward, so a larger gap costs more than this. The print's power
          of u falls below `dp_lower(variant="corrected")` for large u, so it does not hold.
        * `corrected`: pulls counted epoch by epoch, for any gap.
    beta : float, optional
        Probability in (0, 1) that a bound of an epoch fails, default 1/T; `corrected` only, which needs T >= 2.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    gaps, log_t, epsilon = _gaps(means), checks.log_horizon(horizon), _regime(epsilon)
    _check(v, u, variant, ("printed", "rate", "corrected"))
    failure = None if beta is None else checks.delta(beta, "beta")
    if variant == "corrected":
        return _by_epochs(means, horizon, failure, 4.0, dp_epoch, v=v, u=u, epsilon=epsilon)
    known = (u, 1.0 / (1.0 + v) if variant == "printed" else inverse(v)), (log_t, 1.0), (epsilon, -1.0)
    return sum(powers(*known, (gap, -inverse(v))) for gap in gaps) + max(gaps, default=0.0)


@checks.formula()
def dp_upper_independent(
    *, n_arms: int, v: float, u: float, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Instance-independent regret of DP Robust SE, the DP upper bound, second part.

    Parameters
    ----------
    n_arms : int
        K, >= 2.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: u^(v/(1+v)^2) (K ln T / epsilon)^(v/(1+v)) T^(1/(1+v)).
        * `corrected`: u^(1/(1+v)), with the constants of the epochs at c = 24 and beta = 1/T, for gaps up to 1 and u >=
          1: the least over m of T 2^-m for the arms with gaps up to 2^-m, plus (K - 1) 2^(1-m)
          times the pulls of the first m epochs for the others, plus 2.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    arms, rounds, epsilon = _arms(n_arms), checks.integer("horizon", horizon, at_least=1), _regime(epsilon)
    _check(v, u, variant)
    share = v / (1.0 + v)
    if variant == "printed":
        sampled = (arms, share), (math.log(rounds), share), (epsilon, -share)
        return powers((u, share / (1.0 + v)), *sampled, (rounds, 1.0 / (1.0 + v)))
    return _balanced(arms, rounds, 4.0, dp_epoch, v=v, u=u, epsilon=epsilon)


@checks.formula()
def ldp_upper(
    *, means: Any, v: float, u: float, epsilon: float, horizon: int, variant: str = "printed", beta: float | None = None
) -> float:
    """Equation (4), instance-dependent regret of LDP Robust SE.

    Parameters
    ----------
    means : array_like of float, shape (n_arms,)
        Means of the arms, each >= 0.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "rate", "corrected"}
        * `printed`: u^(2/v) ln T / epsilon^2 * sum of gap^(-1/v), plus the largest gap. Below
          `ldp_lower(variant="corrected")` for small gaps, so it does not hold.
        * `rate`: the exponent that the noise asks for, gap^-(1+2/v), for gaps at most 1.
        * `corrected`: the pulls of the repaired algorithm, counted epoch by epoch.
    beta : float, optional
        Probability in (0, 1) that a bound of an epoch fails, default 1/T; `corrected` only, which needs T >= 2.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    gaps, log_t, epsilon = _gaps(means), checks.log_horizon(horizon), _regime(epsilon)
    _check(v, u, variant, ("printed", "rate", "corrected"))
    failure = None if beta is None else checks.delta(beta, "beta")
    if variant == "corrected":
        return _by_epochs(means, horizon, failure, 8.0, ldp_epoch, v=v, u=u, epsilon=epsilon)
    turn = inverse(v)
    known = (u, 2.0 * turn), (log_t, 1.0), (epsilon, -2.0)
    steep = turn if variant == "printed" else 1.0 + 2.0 * turn
    return sum(powers(*known, (gap, -steep)) for gap in gaps) + max(gaps, default=0.0)


@checks.formula()
def ldp_upper_independent(
    *, n_arms: int, v: float, u: float, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Equation (5), instance-independent regret of LDP Robust SE.

    Parameters
    ----------
    n_arms : int
        K, >= 2.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: u^(2/(1+v)) (K ln T / epsilon^2)^(v/(1+v)) T^(1/(1+v)). Below
          `ldp_lower_independent(variant="corrected")` for long horizons, so it does not hold.
        * `corrected`: of order u^(1/(1+v)) (K L / epsilon^2)^(v/(2+2v)) T^((2+v)/(2+2v)), with the constants of the
          epochs as in `dp_upper_independent`.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    arms, rounds, epsilon = _arms(n_arms), checks.integer("horizon", horizon, at_least=1), _regime(epsilon)
    _check(v, u, variant)
    share = v / (1.0 + v)
    if variant == "printed":
        sampled = (arms, share), (math.log(rounds), share), (epsilon, -2.0 * share)
        return powers((u, 2.0 / (1.0 + v)), (rounds, 1.0 / (1.0 + v)), *sampled)
    return _balanced(arms, rounds, 8.0, ldp_epoch, v=v, u=u, epsilon=epsilon)


class Epoch(NamedTuple):
    """One epoch of an elimination."""

    pulls: float  # R, of each surviving arm
    threshold: float  # B
    error: float  # err; an arm leaves if its mean lies (c/2) err below the largest, 12 err at c = 24


@checks.formula()
def dp_epoch(*, epoch: int, log: float, v: float, u: float, epsilon: float, c: float = 24.0) -> Epoch:
    """Lines 6 to 8 and 20 of Algorithm 3: one epoch of DP Robust SE.

    Parameters
    ----------
    epoch : int
        tau, >= 1; the gap in view is D = 2^-tau.
    log : float
        L = ln(4 |S| tau^2 / beta), > 0.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy, > 0.
    c : float
        Constant of the epochs, > 0.

    Returns
    -------
    Epoch
        Its pulls, threshold and error; the pulls are a float, as they may pass 2^63.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    number, needed, turn = _epoch(epoch, log, v, u, c), checks.epsilon(epsilon), inverse(v)
    pulls = float(
        np.ceil(powers((u, turn), (c, 1.0 + turn), (log, 1.0), (needed, -1.0), (2.0, number * (1.0 + turn))) + 1.0)
    )
    return _planned(pulls, over(log, times(pulls, needed)), v, u)


@checks.formula()
def ldp_epoch(*, epoch: int, log: float, v: float, u: float, epsilon: float, c: float = 24.0) -> Epoch:
    """One epoch of LDP Robust SE, whose algorithm is not on the slides: the square-root scaling, ours.

    R = u^(2/v) c^(2(1+v)/v) L / (epsilon^2 D^(2(1+v)/v)).

    Parameters
    ----------
    epoch : int
        tau, >= 1; the gap in view is D = 2^-tau.
    log : float
        L = ln(8 |S| tau^2 / beta), > 0.
    v, u : float
        v in (0, 1] and u > 0, with E|X|^(1+v) <= u.
    epsilon : float
        Privacy of a user, > 0.
    c : float
        Constant of the epochs, > 0.

    Returns
    -------
    Epoch
        Its pulls, threshold and error; the pulls are a float, as they may pass 2^63.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    number, needed, turn = _epoch(epoch, log, v, u, c), checks.epsilon(epsilon), inverse(v)
    steep = 2.0 * (1.0 + turn)
    pulls = float(np.ceil(powers((u, 2.0 * turn), (c, steep), (2.0, number * steep), (log, 1.0), (needed, -2.0)))) + 1.0
    return _planned(pulls, math.sqrt(over(log, pulls)) / needed, v, u)


# --- lower bounds


@checks.formula()
def dp_lower(
    *, n_arms: int, gap: float, v: float, u: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Equation (3): instance-dependent regret of every epsilon-DP algorithm, all n_arms - 1 bad arms with one gap.

    Parameters
    ----------
    n_arms : int
        K, >= 2.
    gap : float
        Of every bad arm, > 0, in units of reward.
    v : float
        In (0, 1].
    u : float
        Bound on E|X|^(1+v), > 0; `corrected` only.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: ln T / epsilon * sum of gap^(-1/v), for u <= 1, gap in (0, 1/12) and algorithms of regret at
          most T^(3/4).
        * `corrected`: the rate is right; the constant of the two-point instance, whose bad arms always pay 0, for
          algorithms of regret o(T^a) for every a > 0: (K - 1) gap ln T / -ln(1 - p (1 - e^-epsilon)),
          p = (gap^(1+v) / u)^(1/v); 0 where p >= 1, as there is no such instance. For algorithms of regret at most
          T^a it is 1 - a times as much, for large T.

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    seen = -math.expm1(-_regime(epsilon))
    return _lower_rate(n_arms, gap, v, u, horizon, variant, epsilon, seen, 1.0)


@checks.formula()
def ldp_lower(
    *, n_arms: int, gap: float, v: float, u: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Instance-dependent regret of every epsilon-LDP algorithm, all n_arms - 1 bad arms with one gap.

    Parameters
    ----------
    n_arms : int
        K, >= 2.
    gap : float
        Of every bad arm, > 0, in units of reward.
    v : float
        In (0, 1].
    u : float
        Bound on E|X|^(1+v), > 0; `corrected` only.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: ln T / epsilon^2 * sum of gap^(-1/v), gap in (0, 1/5), u <= 1.
        * `corrected`: as in `dp_lower`, over min(-ln(1 - p), C p^2) with the C of `local_loss`: of order
          gap^-(1+2/v).

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return _lower_rate(n_arms, gap, v, u, horizon, variant, _regime(epsilon), local_loss(epsilon=epsilon), 2.0)


@checks.formula()
def ldp_lower_independent(
    *, n_arms: int, v: float, u: float = 1.0, epsilon: float, horizon: int, variant: str = "printed"
) -> float:
    """Instance-independent regret of every epsilon-LDP algorithm.

    Parameters
    ----------
    n_arms : int
        K, >= 2.
    v : float
        In (0, 1].
    u : float
        Bound on E|X|^(1+v), > 0; `corrected` only.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.
    variant : {"printed", "corrected"}
        * `printed`: (K / epsilon^2)^(v/(1+v)) T^(1/(1+v)), u = 1, T large.
        * `corrected`: (T/16) u^(1/(1+v)) (a (K-1) / (e C T))^a with a = v / (2(1+v)) and the C of `local_loss`: of
          order T^((2+v)/(2+2v)), for T with p <= 1 (0 before, where the instance does not exist).

    Returns
    -------
    float
        Regret, in units of reward; an order with constant 1 where `printed`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    arms, rounds, epsilon = _arms(n_arms), checks.integer("horizon", horizon, at_least=1), _regime(epsilon)
    _check(v, u, variant)
    if variant == "printed":
        share = v / (1.0 + v)
        return powers((arms, share), (epsilon, -2.0 * share), (rounds, 1.0 / (1.0 + v)))
    return _two_hypotheses(arms, v, u, rounds, local_loss(epsilon=epsilon), 2.0)


@checks.formula()
def dp_lower_independent(*, n_arms: int, v: float, u: float = 1.0, epsilon: float, horizon: int) -> float:
    """Instance-independent regret of every epsilon-DP algorithm, which the slides' table leaves open.

    (T/16) u^(1/(1+v)) (a (K-1) / (e epsilon T))^a with a = v / (1+v): of order (K/epsilon)^(v/(1+v)) T^(1/(1+v)), the
    upper bound without its logarithm; 0 where T is so small that the instance does not exist.

    Parameters
    ----------
    n_arms : int
        K, >= 2.
    v : float
        In (0, 1].
    u : float
        Bound on E|X|^(1+v), > 0.
    epsilon : float
        Privacy, in (0, 1].
    horizon : int
        T, in rounds, >= 1.

    Returns
    -------
    float
        Regret, in units of reward.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    As -ln(1 - p (1 - e^-epsilon)) <= epsilon p. Wu et al. (2023) have such a bound; the constant is ours.
    """
    arms, epsilon = _arms(n_arms), _regime(epsilon)
    _check(v, u)
    return _two_hypotheses(arms, v, u, horizon, epsilon, 1.0)


@checks.formula()
def local_loss(*, epsilon: float) -> float:
    """C of "KL <= C (total variation)^2" for an epsilon-LDP view.

    Parameters
    ----------
    epsilon : float
        Privacy, in (0, 1].

    Returns
    -------
    float
        (e^epsilon - 1)^2.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return math.expm1(_regime(epsilon)) ** 2


# --- shared parts


def _check(v: float, u: float, variant: str = "printed", allowed: tuple[str, ...] = ("printed", "corrected")) -> None:
    order(v)
    moment_bound(u)
    checks.choice("variant", variant, allowed)


def _arms(n_arms: int) -> int:
    return checks.integer("n_arms", n_arms, at_least=2)


def _gaps(means: Any) -> list[float]:
    values: list[float] = checks.vector("means", means, at_least=0).tolist()
    return [max(values) - value for value in values if value < max(values)]


def _epoch(epoch: int, log: float, v: float, u: float, c: float) -> int:
    """The number of an epoch, its other arguments checked."""
    _check(v, u)
    checks.real("log", log, above=0)
    checks.real("c", c, above=0)
    return checks.integer("epoch", epoch, at_least=1)


def _planned(pulls: float, share: float, v: float, u: float) -> Epoch:
    """An epoch with the threshold of rewards and the error that a share of noise leaves."""
    turn = 1.0 / (1.0 + v)
    return Epoch(pulls, power(over(u, share), turn), times(u**turn, share ** (v * turn)))


def _regime(epsilon: float) -> float:
    return checks.real("epsilon", epsilon, above=0, at_most=1)


def _by_epochs(
    means: Any, horizon: int, beta: float | None, inside: float, plan: Callable[..., Epoch], **law: float
) -> float:
    """Regret counted in epochs, which `plan` makes of their number, L = ln(inside |S| tau^2 / beta) and the law."""
    gaps, arms, rounds = _gaps(means), len(means), checks.integer("horizon", horizon, at_least=2)
    failure = 1.0 / rounds if beta is None else beta
    total = times(_FAILURES, failure, rounds, max(gaps, default=0.0))
    for gap in gaps:
        epoch, played = 0, 0.0
        while epoch == 0 or 2.0**-epoch >= gap:
            epoch += 1
            played += plan(epoch=epoch, log=log_ratio(inside * arms * epoch**2, failure), **law).pulls
            if math.isinf(played):
                return math.inf
        total += gap * played
    return total


def _balanced(arms: int, horizon: int, inside: float, plan: Callable[..., Epoch], **law: float) -> float:
    least, epoch, played = float(horizon), 1, 0.0
    while (arms - 1) * 2.0 ** (1 - epoch) * played < least:
        log = math.log(inside * arms * epoch**2) + math.log(horizon)
        played += plan(epoch=epoch, log=log, **law).pulls
        least = min(least, horizon * 2.0**-epoch + (arms - 1) * 2.0 ** (1 - epoch) * played)
        epoch += 1
    return least + _FAILURES


def _lower_rate(
    n_arms: int,
    gap: float,
    v: float,
    u: float,
    horizon: int,
    variant: str,
    epsilon: float,
    loss: float,
    steep: float,
) -> float:
    """The lower bounds for one gap: over -ln(1 - loss p) if steep is 1, min(-ln(1 - p), loss p^2) if 2, p the mass."""
    _check(v, u, variant)
    distance, turn = checks.real("gap", gap, above=0), inverse(v)
    known = (_arms(n_arms) - 1, 1.0), (checks.log_horizon(horizon), 1.0)
    if variant == "printed":
        return powers(*known, (epsilon, -steep), (distance, -turn))
    moved = powers((distance, 1.0 + turn), (u, -turn))
    if moved >= 1.0:
        return 0.0
    if moved > _LEAST_MASS:
        told = -math.log1p(-loss * moved) if steep == 1.0 else min(-math.log1p(-moved), loss * moved**2)
        return over(times(*(base for base, _ in known), distance), told)
    if loss == 0.0:
        return math.inf
    return powers(*known, (loss, -1.0), (distance, 1.0 - steep * (1.0 + turn)), (u, steep * turn))


def _two_hypotheses(arms: int, v: float, u: float, horizon: int, loss: float, exponent: float) -> float:
    """Bretagnolle and Huber on the instances of one bad arm raised to twice the best, optimised over the gap."""
    rounds, a = checks.integer("horizon", horizon, at_least=1), v / (exponent * (1.0 + v))
    share = over(a * (arms - 1) / rounds, loss)
    # the mass that is moved is share^(1/exponent)
    if loss == 0.0 or share > 1.0:
        return 0.0
    mass = (a / math.e, a), (arms - 1, a), (rounds, -a), (loss, -a)  # share / e to the a
    return powers((rounds, 1.0), (1.0 / 16.0, 1.0), (u, 1.0 / (1.0 + v)), *mass)

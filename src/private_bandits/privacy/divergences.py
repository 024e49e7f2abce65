"""Divergences of rewards and of private reports of them.

Logarithms are natural and divergences in nats.
"""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms import response_probabilities


def bernoulli_kl(p: float, q: float, *, apart: float | None = None) -> float:
    """Kullback-Leibler divergence d(p || q) of two Bernoulli distributions.

    Parameters
    ----------
    p, q : float
        Means, in [0, 1].
    apart : float, optional
        q - p, where it is known to more digits than the means hold.

    Returns
    -------
    float
        In nats; infinity where q excludes what p allows.

    Raises
    ------
    ValueError
        If a mean is out of range.
    """
    checks.real("p", p, at_least=0, at_most=1)
    checks.real("q", q, at_least=0, at_most=1)
    if abs(known := _difference(p, q, apart)) < _CLOSE and apart is not None:
        return _moved(p, 1.0 - p, known)
    return kl_divergence([p, 1.0 - p], [q, 1.0 - q])


@checks.formula()
def response_mean(p: float, epsilon: float) -> float:
    """Mean of the answer of binary randomised response to a Bernoulli reward.

    Parameters
    ----------
    p : float
        Mean of the reward, in [0, 1].
    epsilon : float
        Privacy parameter of the response, > 0; at infinity it tells the truth.

    Returns
    -------
    float
        In [0, 1], as far from 1/2 as p is, times tanh(epsilon/2).

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    keep, flip = response_probabilities(epsilon, n_values=2)
    return flip + (keep - flip) * checks.real("p", p, at_least=0, at_most=1)


@checks.formula()
def response_kl(p: float, q: float, *, epsilon: float, apart: float | None = None) -> float:
    """Divergence that binary randomised response keeps of d(p || q): the most that any epsilon-LDP channel keeps.

    Parameters
    ----------
    p, q : float
        Means of two Bernoulli rewards, in [0, 1].
    epsilon : float
        Privacy parameter, > 0; at infinity the whole of d(p || q) is kept.
    apart : float, optional
        q - p, where it is known to more digits than the means hold.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    A channel Q on two rewards is epsilon-LDP if and only if w_0 = (e^eps Q(y | 0) - Q(y | 1)) / (e^eps - 1) and w_1,
    the same with 0 and 1 exchanged, are nonnegative for every y. Each adds up to 1 over y. So they are a channel, and
    Q is randomised response followed by it; data processing gives the rest. It is a case of Kairouz, Oh and Viswanath
    (2015).
    """
    first, second = response_mean(p, epsilon), response_mean(q, epsilon)
    distance = math.tanh(epsilon / 2.0) * _difference(p, q, apart)
    if abs(distance) < _CLOSE:
        return _moved(first, response_mean(1.0 - p, epsilon), distance)
    return bernoulli_kl(first, second)


@checks.formula()
def private_kl(p: float, q: float, *, epsilon: float, apart: float | None = None) -> float:
    """d_epsilon(p || q) = min over z of epsilon |z - p| + d(z || q): what an epsilon-DP policy can show of d(p || q).

    Parameters
    ----------
    p, q : float
        Means of two Bernoulli rewards, in [0, 1].
    epsilon : float
        > 0; at infinity it is d(p || q).
    apart : float, optional
        q - p, where it is known to more digits than the means hold.

    Returns
    -------
    float
        d(p || q) if the log-odds of p and q differ by at most epsilon, else, for p < q,
        -epsilon p - ln(1 - q + q e^(-epsilon)). At most min(d(p || q), epsilon |p - q|).

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    It replaces Lemma 6, and is the quantity of Azize et al. (2025). For an epsilon-DP policy and environments 1 and 2,
    the actions obey D <= sum over arms of E_1[N_a] d_epsilon(p_a || q_a). Derivation: stack the rewards of arm a, x_n
    for its n-th pull. Couple x_n of mean p with w_n of mean z so that they differ with probability |z - p|. Law A: the
    actions follow x. Law B: w_n has mean q, x_n given w_n is as before, the actions follow w. The actions follow
    environment 1 under A and 2 under B. On the rewards that are used, ln dA/dB is at most epsilon times the number of n
    <= N_a with x_n != w_n, by DP, plus the sum of ln (z/q)(w_n). Whether the n-th pull happens does not depend on (x_n,
    w_n) under A, so that Wald's identity gives E_1[N_a] (epsilon |z - p| + d(z || q)); dropping x and w only loses
    divergence.
    """
    epsilon = checks.epsilon(epsilon)
    first, second = checks.real("p", p, at_least=0, at_most=1), checks.real("q", q, at_least=0, at_most=1)
    signed, lost, rest = _difference(first, second, apart), 1.0 - first, 1.0 - second
    distance = abs(signed)
    if signed < 0.0:
        first, second, lost, rest = lost, rest, first, second
    one, other = second * lost, first * rest
    # whether the log-odds differ by at most epsilon; one - other is the distance
    near = (
        one * math.exp(-min(epsilon, 700.0)) <= other if epsilon >= _CLOSE else distance <= -math.expm1(-epsilon) * one
    )
    if near or epsilon == math.inf:
        return bernoulli_kl(p, q, apart=signed)
    if -second * math.expm1(-epsilon) > 0.9:  # the same formula, without the difference from 1
        return max(0.0, epsilon * lost - float(np.logaddexp(math.log(second), np.log(rest) + epsilon)))
    if epsilon >= _CLOSE:
        return -math.log1p(second * math.expm1(-epsilon)) - (epsilon * first if first > 0 else 0.0)
    spread = second * (1.0 - second)  # of the reward, in the first terms of the series in epsilon
    return epsilon * distance - epsilon**2 * spread * (0.5 - epsilon * (1.0 - 2.0 * second) / 6.0)


def kl_divergence(first: Any, second: Any) -> float:
    """Kullback-Leibler divergence of two finite distributions.

    Parameters
    ----------
    first, second : array_like of float, shape (outcomes,)
        Probabilities; they are not checked.

    Returns
    -------
    float
        In nats; infinity where the second excludes what the first allows.
    """
    p, q = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if np.any(q[p > 0] == 0):
        return math.inf
    seen = p > _TINY
    # p (x - ln(1 + x)) with x = q/p - 1 keeps the digits of close distributions, which p ln(p/q) loses
    excess = (q[seen] - p[seen]) / p[seen]
    return max(0.0, float(np.sum(p[seen] * _bend(excess)) + np.sum(q[~seen])))


@checks.formula()
def local_factor(epsilon: float) -> float:
    """min(4, e^(2 epsilon)) (e^epsilon - 1)^2, the factor of Duchi et al. (2013, Theorem 1).

    The divergence of two epsilon-LDP reports is at most this times the squared total variation of what they report.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0.

    Returns
    -------
    float
        Infinity above 350.

    Raises
    ------
    ValueError
        If epsilon is out of range.
    """
    epsilon = checks.epsilon(epsilon)
    if epsilon > 350.0:
        return math.inf
    return math.exp(min(2.0 * epsilon, math.log(4.0))) * math.expm1(epsilon) ** 2


_TINY = 1e-300  # a chance below it is as good as 0
_CLOSE = 1e-4  # below it the first terms of a series have more digits than a difference


def _difference(p: float, q: float, apart: float | None) -> float:
    return q - p if apart is None else checks.real("apart", apart, at_least=-1, at_most=1)


def _moved(p: float, rest: float, distance: float) -> float:
    """d(p || p + distance) of two Bernoulli distributions, with rest = 1 - p."""
    found = p * float(_bend(distance / p)) if p > _TINY else distance
    return found + (rest * float(_bend(-distance / rest)) if rest > _TINY else -distance)


def _bend(x: Any) -> Any:
    """x - ln(1 + x), to all digits near 0 too."""
    with np.errstate(divide="ignore"):
        series = x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2)))
        return np.where(np.abs(x) < _CLOSE, series, x - np.log1p(x))

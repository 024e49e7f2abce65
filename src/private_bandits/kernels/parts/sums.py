"""Sums of many rewards or of much noise, in a time that does not depend on how many.

An elimination epoch pulls an arm up to 10^15 times between two decisions, and only the sum of the pulls counts. The
sum of n truncated Pareto rewards is split at a cut that leaves about `TAIL` of them above it:

    sum = (the rewards above the cut, a Binomial number M of them, drawn one by one)
        + (the n - M others: one normal draw with their exact mean and variance).

Up to `DIRECT` rewards are drawn one by one, so short sums are exact and equal a transcription's. The sum of n Laplace
draws is the difference of two Gamma(n), which is exact.
"""

import math

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.mechanisms import _raw as mechanisms

DIRECT = 8192  # sums of at most this many are drawn one by one
TAIL = 2048.0  # expected number of rewards above the cut of a longer one


@compiled(inline="always")
def pareto_scale(mean, shape):
    """Return the least value of a Pareto variable: P(X > x) = (scale / x)^shape has mean scale shape / (shape - 1).

    Parameters
    ----------
    mean : float
        >= 0.
    shape : float
        > 1.

    Returns
    -------
    float
    """
    return mean * (shape - 1.0) / shape


@compiled
def pareto_reward(env, mean, shape):
    """Draw one Pareto reward from one uniform number.

    Parameters
    ----------
    env : numpy.random.Generator
    mean : float
        >= 0.
    shape : float
        > 1.

    Returns
    -------
    float
        The inverse of the survival function at 1 - env.random(), so the largest reward is finite.
    """
    return pareto_scale(mean, shape) * (1.0 - env.random()) ** (-1.0 / shape)


@compiled
def truncated_moment(mean, shape, threshold, power):
    """E[X^power 1{X <= threshold}] of a Pareto variable, exactly.

    Parameters
    ----------
    mean : float
        E[X], >= 0.
    shape : float
        > 1.
    threshold : float
        > 0; infinity gives the full moment, infinite itself where power >= shape.
    power : float
        >= 0.

    Returns
    -------
    float

    Notes
    -----
    With s the scale: shape s^power (1 - (s / threshold)^(shape - power)) / (shape - power), and shape s^power
    ln(threshold / s) where power = shape; expm1 keeps the digits in between.
    """
    scale = pareto_scale(mean, shape)
    if scale <= 0.0 or threshold < scale:
        return 0.0
    excess = shape - power
    if math.isinf(threshold):
        return shape * scale**power / excess if excess > 0.0 else np.inf
    log_ratio = math.log(threshold / scale)
    length = log_ratio if excess == 0.0 else -math.expm1(-excess * log_ratio) / excess
    return shape * scale**power * length


@compiled
def truncated_pareto_sum(env, n, mean, shape, threshold):
    """Draw the sum of n rewards x 1{x <= threshold}, x Pareto, in a time that does not depend on n.

    Parameters
    ----------
    env : numpy.random.Generator
    n : int
        Number of rewards, 0 <= n < 2^53.
    mean : float
        E[x], >= 0.
    shape : float
        Of the Pareto law, > 1.
    threshold : float
        > 0; rewards beyond it count as 0. Infinity truncates nothing.

    Returns
    -------
    float
        Drawn one by one in order up to n = `DIRECT`. Beyond, mean and variance are exact and the distribution
        function is off by at most Berry and Esseen's bound, uniformly: below 0.01 for every n and every shape in
        [1.05, 3] where no more than `TAIL` rewards are expected beyond the threshold, and below 0.004 there from
        n = 10^6 at shapes in [1.3, 3].

    Notes
    -----
    Given how many rewards exceed the cut, the others are independent draws below it, and the normal law of their sum
    is the only approximation. With sigma the standard deviation and rho the third absolute central moment of a reward
    below the cut, and m the expected number of them, its error is at most 0.469 rho / (sigma^3 sqrt m) (Shevtsova
    2013). The cut grows as n^(1/shape), and with it the third moment of the body, so the bound settles as n grows, at a
    multiple of 1 / sqrt(TAIL).
    """
    scale = pareto_scale(mean, shape)
    if n <= 0 or scale <= 0.0 or threshold <= scale:
        return 0.0
    total = 0.0
    if n <= DIRECT:
        for _ in range(n):
            reward = pareto_reward(env, mean, shape)
            if reward <= threshold:
                total += reward
        return total
    cut = min(scale * (n / TAIL) ** (1.0 / shape), threshold)
    above = (scale / cut) ** shape
    tail = env.binomial(n, above)
    if cut < threshold:
        for _ in range(tail):
            reward = cut * (1.0 - env.random()) ** (-1.0 / shape)
            if reward <= threshold:
                total += reward
    first = truncated_moment(mean, shape, cut, 1.0) / (1.0 - above)
    second = truncated_moment(mean, shape, cut, 2.0) / (1.0 - above)
    body = float(n - tail)
    return total + body * first + math.sqrt(body * max(second - first * first, 0.0)) * env.standard_normal()


@compiled
def exceedance(mean, shape, threshold):
    """P(X > threshold) of a reward, exactly.

    Parameters
    ----------
    mean : float
        E[X], >= 0.
    shape : float
        Of Pareto rewards, > 1; 0 for Bernoulli ones.
    threshold : float
        > 0.

    Returns
    -------
    float
    """
    if shape > 0.0:
        return min((pareto_scale(mean, shape) / threshold) ** shape, 1.0)
    return mean if threshold < 1.0 else 0.0


@compiled
def reward_sum(env, n, mean, shape, threshold):
    """Draw the sum of n rewards of an arm, those above the threshold counted as 0; its cost does not grow with n.

    Parameters
    ----------
    env : numpy.random.Generator
    n : int
        Number of rewards, >= 0.
    mean : float
        E[x], >= 0.
    shape : float
        Of Pareto rewards, see `truncated_pareto_sum`; 0 for Bernoulli ones: one Binomial(n, mean) draw, the same number
        from the same generator state as `env.binomial(n, mean)`, good up to n = 10^15.
    threshold : float
        > 0; infinity keeps all rewards.

    Returns
    -------
    float
    """
    if shape > 0.0:
        return truncated_pareto_sum(env, n, mean, shape, threshold)
    return float(env.binomial(n, mean)) if threshold >= 1.0 else 0.0


@compiled
def laplace_sum(noise, n, scale):
    """Draw the sum of n independent Laplace variables.

    Parameters
    ----------
    noise : numpy.random.Generator
    n : int
        0 <= n < 2^53.
    scale : float
        Of each variable, >= 0; a zero scale draws nothing.

    Returns
    -------
    float
        Drawn one by one in order up to n = `DIRECT`, beyond as the difference of two Gamma(n), which has the same law.
    """
    if scale == 0.0 or n <= 0:
        return 0.0
    if n > DIRECT:
        return scale * (noise.standard_gamma(float(n)) - noise.standard_gamma(float(n)))
    total = 0.0
    for _ in range(n):
        total += mechanisms.laplace(noise, scale)
    return total

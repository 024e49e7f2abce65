"""The open problems of the slides, explored. Everything here is ours."""

from __future__ import annotations

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels.episodes import EpisodeRecord
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed.elimination import power_or_infinity
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def adap_robust_ucb(epsilon: float, v: float, u: float, horizon: int) -> Policy:
    """An index box of the optimal rate, the slides' second open problem: doubling episodes, forgetting, truncation.

    The episodes of Azize and Basu (2022), Algorithm 1, with a truncated mean. An episode of n pulls counts rewards with
    |x| > B = (u n s / ln T)^(1/(1+v)) as 0, s = min(1, epsilon), and releases its mean with Lap(2 B / (epsilon n)).
    The index is that mean + width * err,

        err = u^(1/(1+v)) (ln T / (n s))^(v/(1+v)),    width = 1 + sqrt(2) + 1/3 + 2 min(1, 1/epsilon).

    Parameters
    ----------
    epsilon : float
        > 0; infinity leaves out the noise and its part of the width.
    v : float
        In (0, 1]; E|X|^(1+v) <= u.
    u : float
        > 0.
    horizon : int
        T, >= 2.

    Notes
    -----
    By Bernstein's inequality and the Laplace tail the index is above the arm's mean but with probability 2/T: the bias
    is at most err, sampling moves the mean by sqrt(2) err + err/3, the noise by 2 err, or 2 err/epsilon. An arm of gap
    D is not chosen again once 2 width err <= D, that is after n of the order (u / D^(1+v))^(1/v) ln T / epsilon pulls,
    and an episode at most doubles them. A mean fails in one of at most log2 T episodes of the arm or of the best one,
    which costs at most 2 D log2 T more; for rewards >= 0 that is of the same order, as D^(1+v) <= u. So the regret is
    O(ln T / epsilon * sum (u/D)^(1/v)), the rate of DP Robust SE.

    For rewards in [0, 1] an index box of the optimal rate that forgets is older: Hu et al. (2021).

    The first pull of an arm is an episode of n = 1, with the noise and the width of n = 1/2.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    scale, power, bound = laplace_scale(epsilon, 2.0), 1.0 + order(v), moment_bound(u)
    length = checks.integer("horizon", horizon, at_least=2)
    log, samples = math.log(length), min(1.0, epsilon)
    width = 1.0 + math.sqrt(2.0) + 1.0 / 3.0 + min(2.0, scale)
    beta = 2.0 * log / samples * power_or_infinity(width * bound ** (1.0 / power), power / v)
    record = EpisodeRecord(
        np.array([(0.0, beta, v / power)]),
        scale=scale,
        cut=bound * samples / log,
        cut_power=1.0 / power,
        horizon=length,
        v=float(v),
        u=bound,
    )
    reason = "each reward enters one noisy mean, and all else follows from those"
    # with N pulls a mean is that of N/2 rewards: one of them moves it by 2 (2B) / N, and `scale` is in units of 2B / N
    privacy = Guarantee.certified(epsilon, 2.0 / record.scale if record.scale > 0.0 else math.inf, "central", reason)
    return Policy("DP Robust UCB, episodes", "", "truncated means in doubling episodes", "ours", privacy, record)

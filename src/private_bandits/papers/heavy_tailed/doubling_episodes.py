"""The second open problem of the slides, an optimal private UCB, explored: doubling episodes. Everything is ours."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import episodes
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed.algorithm_3 import power_or_infinity
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import largest, pareto


def adap_robust_ucb(epsilon: float, *, v: float, u: float, horizon: int, width: float | None = None) -> Policy:
    """An index algorithm of the optimal rate, the slides' second open problem: doubling episodes that forget.

    The episodes of Azize and Basu (2022), Algorithm 1, with a truncated mean. An episode of n pulls counts rewards with
    |x| > B = (u n s / ln T)^(1/(1+v)) as 0, s = min(1, epsilon), and releases its mean with Lap(2 B / (epsilon n)).
    The index is that mean + width * err,

        err = u^(1/(1+v)) (ln T / (n s))^(v/(1+v)),    width = 1 + sqrt(2) + 1/3 + 2 min(1, 1/epsilon).

    Parameters
    ----------
    epsilon : float
        Privacy, > 0; infinity leaves out the noise and its part of the width.
    v : float
        Order of the moment less 1, in (0, 1]: E|X|^(1+v) <= u.
    u : float
        Bound on the moment, > 0, in units of reward to the power 1 + v.
    horizon : int
        T, the longest run in rounds, >= 2.
    width : float, optional
        Of the radius in units of err, > 0; by default the one above.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    By Bernstein's inequality and the Laplace tail the index is above the arm's mean but with probability 2/T: the bias
    is at most err, sampling moves the mean by sqrt(2) err + err/3, the noise by 2 err, or 2 err/epsilon. An arm of gap
    D is not chosen again once 2 width err <= D, that is after n of the order (u / D^(1+v))^(1/v) ln T / epsilon pulls,
    and an episode at most doubles them. A mean fails in one of at most log2 T episodes of the arm or of the best one,
    which costs at most 2 D log2 T more; for rewards >= 0 that is of the same order, as D^(1+v) <= u. So the regret is
    O(ln T / epsilon * sum (u/D)^(1/v)), the rate of DP Robust SE.

    For rewards in [0, 1] an index algorithm of the optimal rate that forgets is older: Hu et al. (2021).

    The first pull of an arm is an episode of n = 1, with the noise and the width of n = 1/2.

    Examples
    --------
    >>> policy = adap_robust_ucb(epsilon=0.5, v=0.9, u=2.0, horizon=10**6)
    >>> policy.variant, policy.privacy.trust, policy.privacy.effective_epsilon
    ('ours', 'central', 0.5)
    """
    epsilon, v, bound = checks.epsilon(epsilon), order(v), moment_bound(u)
    scale, power = laplace_scale(epsilon, sensitivity=2.0), 1.0 + v
    length = checks.integer("horizon", horizon, at_least=2)
    log, samples = math.log(length), min(1.0, epsilon)
    usual = 1.0 + math.sqrt(2.0) + 1.0 / 3.0 + min(2.0, scale)
    chosen = usual if width is None else checks.real("width", width, above=0)
    beta = 2.0 * log / samples * power_or_infinity(chosen * bound ** (1.0 / power), power / v)
    record = episodes.Record(
        np.array([(0.0, beta, v / power)]),
        scale=scale,
        truncation=bound * samples / log,
        truncation_power=1.0 / power,
        horizon=length,
        v=v,
        u=bound,
    )
    reason = "each reward enters one noisy mean, and all else follows from those"
    # with N pulls a mean is that of N/2 rewards: one of them moves it by 2 (2B) / N, and `scale` is in units of 2B / N
    privacy = Guarantee.certified(epsilon, 2.0 / record.scale if record.scale > 0.0 else math.inf, "central", reason)
    version = "ours" if chosen == usual else f"ours, radius times {chosen / usual:g}"
    return Policy(
        name="DP Robust UCB, episodes",
        algorithm="truncated means in doubling episodes",
        variant=version,
        privacy=privacy,
        record=record,
        mechanism="laplace" if scale else "none",
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    v: float,
    u: float,
    horizon: int,
    width: float | None = None,
) -> list[list[int]]:
    """The episodes on Pareto arms; every reward is drawn by itself.

    Parameters
    ----------
    problem : ParetoArms
        Rewards are Pareto.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    v : float
        Order of the moment less 1, in (0, 1].
    u : float
        Bound on the moment, > 0.
    horizon : int
        T >= 2, for which the constants are made.
    width : float, optional
        Of the radius in units of err, > 0; default 1 + sqrt(2) + 1/3 + 2 min(1, 1/epsilon).

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    arms = range(problem.n_arms)
    log, samples = math.log(horizon), min(1, epsilon)
    width = 1 + math.sqrt(2) + 1 / 3 + 2 * min(1, 1 / epsilon) if width is None else width
    pulls = [0 for a in arms]
    estimate = [0.0 for a in arms]
    rows: list[list[int]] = []
    while len(rows) < rounds:
        a, length = len(rows), 1
        if len(rows) >= len(arms):
            err = [u ** (1 / (1 + v)) * (log / (n / 2 * samples)) ** (v / (1 + v)) for n in pulls]
            a = largest([estimate[a] + width * err[a] for a in arms], 1, streams.choice)[0]
            length = pulls[a]
        rows += [[a, 1]] * length
        pulls[a] += length
        threshold = (u * length * samples / log) ** (1 / (1 + v))
        estimate[a] = 0.0
        if threshold >= problem.means[a] * (problem.shape - 1) / problem.shape:  # below the least reward none is drawn
            rewards = [pareto(streams.env, problem.means[a], problem.shape) for _ in range(length)]
            estimate[a] = sum(x if x <= threshold else 0.0 for x in rewards) / length
        if math.isfinite(epsilon):
            estimate[a] += streams.noise.laplace(0.0, 2 * threshold * 2 / (epsilon * pulls[a]))
    return rows[:rounds]

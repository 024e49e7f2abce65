"""Robust UCB of Bubeck, Cesa-Bianchi and Lugosi (2013), with truncated means: what Algorithm 1 makes private."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import robust
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import largest, pareto


def robust_ucb(*, v: float, u: float, horizon: int | None = None, c: float = 4.0) -> Policy:
    """Robust UCB with truncated means, Bubeck et al. (2013), Section 3.1; no privacy.

    Index: mean + c u^(1/(1+v)) (l / n)^(v/(1+v)); the k-th reward of an arm counts as 0 unless |x| <= (u k /
    l)^(1/(1+v)).

    Parameters
    ----------
    v : float
        Order of the moment less 1, in (0, 1]: E|X|^(1+v) <= u.
    u : float
        Bound on the moment, > 0, in units of reward to the power 1 + v.
    horizon : int, optional
        T, the longest run in rounds, >= 1. Given, l = 2 ln T, so that a threshold is fixed when its reward is observed
        and every mean is a running sum. Without it l = ln(4 t^2) of the round of observation, in the radius of the
        current round.
    c : float
        Factor of the radius, > 0; 4 is their lemma's, 18 that of DP Robust UCB.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Bubeck et al. take l = 2 ln t throughout, so every threshold moves in every round and no mean is a running sum.
    Their Lemma 1 holds for l = 2 ln T at each t <= T, with an index that differs from theirs. Without a horizon early
    thresholds are larger than the lemma's; that variant is ours and has no proof.

    Examples
    --------
    >>> robust_ucb(v=0.5, u=1.0, horizon=1000).variant
    'logarithm of the horizon'
    """
    v, u, c = order(v), moment_bound(u), checks.real("c", c, above=0)
    if horizon is None:
        alpha, beta, words = 2.0, 2.0 * math.log(2.0), "logarithm of the round"
    else:
        alpha, beta = 0.0, 2.0 * math.log(max(checks.integer("horizon", horizon, at_least=1), 2))
        words = "logarithm of the horizon"
    record = robust.Record(
        v=v,
        u=u,
        factor=c * u ** (1.0 / (1.0 + v)),
        alpha=alpha,
        beta=beta,
        truncation=u,
        truncation_alpha=alpha,
        truncation_beta=beta,
        horizon=horizon or 0,
    )
    version = words if c == 4.0 else f"{words}, radius times {c / 4.0:g}"
    return Policy(
        name="Robust UCB",
        paper="bubeck2013",
        algorithm="robust UCB, truncated mean",
        variant=version,
        privacy=Guarantee.none(),
        record=record,
    )


def reference(
    problem: Any, rounds: int, streams: Any, *, v: float, u: float, horizon: int | None = None, c: float = 4.0
) -> list[list[int]]:
    """Robust UCB on Pareto arms, with the logarithm of T, or without it that of the round.

    Parameters
    ----------
    problem : ParetoArms
        Rewards are Pareto.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    v : float
        Order of the moment less 1, in (0, 1].
    u : float
        Bound on the moment, > 0.
    horizon : int, optional
        T >= 1 of the logarithm; by default it is that of the round.
    c : float
        Factor of the radius, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    arms = range(problem.n_arms)
    rewards: list[list[float]] = [[] for a in arms]
    rows = []
    for t in range(1, rounds + 1):
        log = math.log(max(horizon, 2) ** 2) if horizon else math.log(4 * t**2)
        if t <= len(arms):
            a = t - 1
        else:
            index = [sum(x) / len(x) + c * u ** (1 / (1 + v)) * (log / len(x)) ** (v / (1 + v)) for x in rewards]
            a = largest(index, 1, streams.choice, ordered=False)[0]
        x = pareto(streams.env, problem.means[a], problem.shape)
        threshold = (u * (len(rewards[a]) + 1) / log) ** (1 / (1 + v))
        rewards[a].append(x if x <= threshold else 0.0)
        rows.append([a, 1])
    return rows

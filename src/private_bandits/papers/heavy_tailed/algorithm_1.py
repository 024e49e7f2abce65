"""Algorithm 1 of Tao et al. (2022), DP Robust UCB: truncated rewards in a private binary tree per arm."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import robust
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed import bubeck_robust_ucb
from private_bandits.papers.heavy_tailed.bubeck_robust_ucb import robust_ucb
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Binary, largest, pareto


def dp_robust_ucb(epsilon: float, *, v: float, u: float, horizon: int, c: float = 18.0) -> Policy:
    """Algorithm 1, DP Robust UCB: an index of truncated means from a tree, of regret (2).

    Index: S / n + c u^(1/(1+v)) (ln(2 t^4) ln^(1.5+1/v) T / (n epsilon))^(v/(1+v)), S the tree's noisy sum; the k-th
    reward of an arm counts as 0 unless |x| <= (epsilon u k / ln^1.5 T)^(1/(1+v)).

    Parameters
    ----------
    epsilon : float
        Privacy, > 0; the theorems ask for epsilon <= 1. Infinity gives `robust_ucb` with the horizon.
    v : float
        Order of the moment less 1, in (0, 1]: E|X|^(1+v) <= u.
    u : float
        Bound on the moment, > 0, in units of reward to the power 1 + v.
    horizon : int
        T, the longest run in rounds, >= 2.
    c : float
        Factor of the radius, > 0; 18 on the slides. A smaller one is a variant of ours.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The slides leave the tree's noise open; ours is a choice that keeps the promise. Leaf k lies in [-B_k, B_k], B_k
    grows, and a leaf is in at most floor(log2 T) + 1 nodes, so a node over the leaves i..j carries Laplace noise of
    scale 2 B_j levels / epsilon. A reward enters one tree once and the trees' lengths are the actions themselves, so
    epsilon is not split among the arms. From T = 200 on the radius covers it at c = 18, with the bias and the sampling
    error.

    Examples
    --------
    >>> policy = dp_robust_ucb(epsilon=0.5, v=0.9, u=2.0, horizon=1000)
    >>> policy.algorithm, policy.privacy.trust, round(policy.privacy.effective_epsilon, 6)
    ('Algorithm 1', 'central', 0.5)
    """
    epsilon, v, u = checks.epsilon(epsilon), order(v), moment_bound(u)
    length = checks.integer("horizon", horizon, at_least=2)
    factor = checks.real("c", c, above=0)
    per_unit = laplace_scale(epsilon, sensitivity=2.0)
    if math.isinf(epsilon):
        return robust_ucb(v=v, u=u, horizon=horizon)
    log = math.log(length)
    if (1.5 + 1.0 / v) * math.log(max(log, 1.0)) > 600.0:
        raise ValueError(f"v must be larger for T = {length:g}, where ln T to the power 1/v is no number, got {v}")
    levels = length.bit_length()
    record = robust.Record(
        v=v,
        u=u,
        factor=factor * (u * (log ** (1.5 + 1.0 / v) / epsilon) ** v) ** (1.0 / (1.0 + v)),
        alpha=4.0,
        beta=math.log(2.0),
        truncation=epsilon * u,
        truncation_alpha=0.0,
        truncation_beta=log**1.5,
        scale=levels * per_unit,
        horizon=length,
    )
    reason = "a tree per arm, nodes scaled by their largest threshold; a reward enters one tree"
    privacy = Guarantee.certified(epsilon, 2.0 * levels / record.scale, "central", reason)
    version = "printed" if factor == 18.0 else f"radius times {factor / 18.0:g}"
    return Policy(
        name="DP Robust UCB",
        paper="tao2022",
        algorithm="Algorithm 1",
        variant=version,
        privacy=privacy,
        record=record,
        mechanism="tree",
    )


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, v: float, u: float, horizon: int, c: float = 18.0
) -> list[list[int]]:
    """Algorithm 1 line by line on Pareto arms.

    Parameters
    ----------
    problem : ParetoArms
        Rewards are Pareto.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity gives `robust_ucb` with the horizon.
    v : float
        Order of the moment less 1, in (0, 1].
    u : float
        Bound on the moment, > 0.
    horizon : int
        T >= 2, for which the constants are made.
    c : float
        Factor of the radius, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    if math.isinf(epsilon):
        return bubeck_robust_ucb.reference(problem, rounds, streams, v=v, u=u, horizon=horizon)
    arms = range(problem.n_arms)
    log_t = math.log(horizon)
    levels = int(math.log2(horizon)) + 1
    trees = [Binary(epsilon, levels, streams.noise) for a in arms]  # line 1
    pulls = [0 for a in arms]  # line 2
    sums = [0.0 for a in arms]
    rows = []
    for t in range(1, rounds + 1):
        if t <= len(arms):  # lines 4 and 5
            a = t - 1
        else:
            bonus = [
                c * u ** (1 / (1 + v)) * (math.log(2 * t**4) * log_t ** (1.5 + 1 / v) / (n * epsilon)) ** (v / (1 + v))
                for n in pulls
            ]
            a = largest([sums[a] / pulls[a] + bonus[a] for a in arms], 1, streams.choice, ordered=False)[0]  # line 12
        x = pareto(streams.env, problem.means[a], problem.shape)
        pulls[a] += 1  # lines 6 and 13
        b_n = (epsilon * u * pulls[a] / log_t**1.5) ** (1 / (1 + v))  # line 3
        x = x if abs(x) <= b_n else 0.0  # lines 7 and 14
        trees[a].scale = 2 * b_n * levels / epsilon  # ours: the slides name no noise
        sums[a] = trees[a].add(x)  # lines 8, 11 and 15
        rows.append([a, 1])
    return rows

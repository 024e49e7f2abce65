"""Divergences of rewards and of private reports, and Lemma 4 of Basu et al. (2019) by computation.

Logarithms are natural and divergences in nats. `tv` is half the L1 distance, the norm of Duchi et al. (2013).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.mechanisms import response_probabilities


def bernoulli_kl(p: float, q: float) -> float:
    """Kullback-Leibler divergence d(p || q) of two Bernoulli distributions; infinity where q excludes what p allows."""
    checks.real("p", p, at_least=0, at_most=1)
    checks.real("q", q, at_least=0, at_most=1)
    return kl_divergence([p, 1.0 - p], [q, 1.0 - q])


def response_mean(p: float, epsilon: float) -> float:
    """Mean of the answer of binary randomised response to a Bernoulli reward of mean p."""
    keep, flip = response_probabilities(epsilon, 2)
    return flip + (keep - flip) * checks.real("p", p, at_least=0, at_most=1)


def response_kl(p: float, q: float, epsilon: float) -> float:
    """Divergence that binary randomised response keeps of d(p || q): the most that any epsilon-LDP channel keeps.

    Notes
    -----
    A channel Q on two rewards is epsilon-LDP if and only if w_0 = (e^eps Q(y | 0) - Q(y | 1)) / (e^eps - 1) and w_1,
    the same with 0 and 1 exchanged, are nonnegative for every y. Each adds up to 1 over y. So they are a channel, and
    Q is randomised response followed by it; data processing gives the rest. It is a case of Kairouz, Oh and Viswanath
    (2015).
    """
    return bernoulli_kl(response_mean(p, epsilon), response_mean(q, epsilon))


def private_kl(p: float, q: float, epsilon: float) -> float:
    """d_epsilon(p || q) = min over z of epsilon |z - p| + d(z || q): what an epsilon-DP policy can show of d(p || q).

    Parameters
    ----------
    p, q : float
        Means of two Bernoulli rewards, in [0, 1].
    epsilon : float
        > 0; at infinity it is d(p || q).

    Returns
    -------
    float
        d(p || q) if the log-odds of p and q differ by at most epsilon, else, for p < q,
        -epsilon p - ln(1 - q + q e^(-epsilon)). At most min(d(p || q), epsilon |p - q|).

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
    budget = checks.epsilon(epsilon)
    first, second = checks.real("p", p, at_least=0, at_most=1), checks.real("q", q, at_least=0, at_most=1)
    if first > second:
        first, second = 1.0 - first, 1.0 - second
    weight = math.exp(-budget)
    if second * (1.0 - first) * weight <= first * (1.0 - second):
        return bernoulli_kl(first, second)
    return -math.log1p(second * math.expm1(-budget)) - (budget * first if first > 0 else 0.0)


def kl_divergence(first: Any, second: Any) -> float:
    """Divergence of two finite distributions of the same length; infinity where the second excludes an outcome."""
    p, q = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    seen = p > 0
    if np.any(q[seen] == 0):
        return math.inf
    # p (x - ln(1 + x)) with x = q/p - 1 keeps the digits of close distributions, which p ln(p/q) loses
    excess = (q[seen] - p[seen]) / p[seen]
    return max(0.0, float(np.sum(p[seen] * (excess - np.log1p(excess))) + np.sum(q[~seen])))


def total_variation(first: Any, second: Any) -> float:
    """Half the L1 distance of two finite distributions of the same length."""
    return 0.5 * float(np.sum(np.abs(np.asarray(first, dtype=float) - np.asarray(second, dtype=float))))


def local_factor(epsilon: float) -> float:
    """min(4, e^(2 epsilon)) (e^epsilon - 1)^2, the factor of Duchi et al. (2013, Theorem 1); infinity from 350 on."""
    budget = checks.epsilon(epsilon)
    if budget > 350.0:
        return math.inf
    return math.exp(min(2.0 * budget, math.log(4.0))) * math.expm1(budget) ** 2


def response_channel(epsilon: float, levels: int = 2) -> np.ndarray:
    """k-ary randomised response as a matrix, shape (levels, levels): row i answers the reward i/(levels - 1)."""
    keep, other = response_probabilities(epsilon, levels)
    channel = np.full((levels, levels), other)
    np.fill_diagonal(channel, keep)
    return channel


def laplace_channel(epsilon: float, levels: int = 2, reach: float = 4.0, bins: int = 64) -> np.ndarray:
    """Laplace noise on rewards in [0, 1], reported in bins, as a matrix of shape (levels, bins + 2).

    Parameters
    ----------
    epsilon : float
        > 0 and finite; the noise has scale 1/epsilon.
    levels : int
        Rewards i/(levels - 1), >= 2 of them.
    reach : float
        The bins cover [-reach/epsilon, 1 + reach/epsilon] evenly, and two more the rest; > 0.
    bins : int
        >= 1. Binning is post-processing, so that the channel is epsilon-LDP and keeps less than the noise itself.
    """
    budget = checks.real("epsilon", epsilon, above=0)
    margin = checks.real("reach", reach, above=0) / budget
    edges = np.linspace(-margin, 1.0 + margin, checks.integer("bins", bins, at_least=1) + 1)
    rewards = np.linspace(0.0, 1.0, checks.integer("levels", levels, at_least=2))
    distance = budget * (edges[None, :] - rewards[:, None])
    tail = 0.5 * np.exp(-np.abs(distance))
    # differences of the smaller of both tails, or a far bin loses its digits and the channel its privacy
    below, above = np.where(distance < 0, tail, 1.0 - tail), np.where(distance < 0, 1.0 - tail, tail)
    inner = np.where(distance[:, 1:] < 0, np.diff(below, axis=1), -np.diff(above, axis=1))
    return np.column_stack([below[:, 0], inner, above[:, -1]])


class Reported(NamedTuple):
    """What a channel keeps of the divergence of two rewards, beside the bounds of Lemma 4."""

    kept: float  # D(g || g'), of the reports
    symmetric: float  # D(g || g') + D(g' || g)
    rewards: float  # D(f || f'), of the rewards
    tv: float  # of the rewards
    best: float  # most that any channel keeps, for two rewards; nan for more
    duchi: float  # min(4, e^2eps) (e^eps - 1)^2 TV^2
    printed: float  # 2 min(4, e^2eps) (e^eps - 1)^2 D(f || f')
    corrected: float  # half of min(4, e^2eps) (e^eps - 1)^2 D(f || f'), Pinsker in the right norm


def lemma_4(channel: Any, first: Any, second: Any, epsilon: float) -> Reported:
    """Lemma 4 for one pull: the exact divergence of the private reports and the chain of bounds that the proof takes.

    Parameters
    ----------
    channel : array_like of float, shape (rewards, reports)
        Row i is the distribution of the report on reward i.
    first, second : array_like of float, shape (rewards,)
        Distributions of the reward in both environments.
    epsilon : float
        Privacy of the channel, > 0 and finite.

    Notes
    -----
    kept <= symmetric <= duchi <= corrected <= printed holds for every epsilon-LDP channel; the printed bound uses
    Pinsker's inequality for the L1 distance, TV^2 <= 2 D, where the norm of `duchi` allows TV^2 <= D/2.
    """
    matrix, p, q = np.asarray(channel, dtype=float), np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if matrix.ndim != 2 or p.shape != q.shape or p.shape != matrix.shape[:1]:
        raise ValueError(f"channel must have a row for each of the {p.size} rewards, got shape {matrix.shape}")
    factor = local_factor(checks.real("epsilon", epsilon, above=0))
    reports, others, distance = p @ matrix, q @ matrix, total_variation(p, q)
    kept, rewards = kl_divergence(reports, others), kl_divergence(p, q)
    return Reported(
        kept=kept,
        symmetric=kept + kl_divergence(others, reports),
        rewards=rewards,
        tv=distance,
        best=response_kl(float(p[1]), float(q[1]), epsilon) if len(p) == 2 else math.nan,
        duchi=factor * distance**2,
        printed=2.0 * factor * rewards,
        corrected=0.5 * factor * rewards,
    )


def channel_search(p: float, q: float, epsilon: float, draws: int = 2000, seed: int = 0) -> float:
    """Largest share of `response_kl` that random epsilon-LDP channels on two rewards keep; at most 1 (`response_kl`).

    Parameters
    ----------
    p, q : float
        Different means in [0, 1].
    epsilon : float
        > 0 and finite.
    draws : int
        Channels, each with 2 to 6 reports whose odds between the rewards are drawn from [-epsilon, epsilon], >= 1.
    seed : int
        Seed of the draws.
    """
    budget, rng = checks.real("epsilon", epsilon, above=0), np.random.default_rng(seed)
    first, second = ([1.0 - checks.real(name, x, at_least=0, at_most=1), x] for name, x in (("p", p), ("q", q)))
    best, most = response_kl(p, q, budget), 0.0
    for _ in range(checks.integer("draws", draws, at_least=1)):
        size = int(rng.integers(2, 7))
        odds = budget * rng.uniform(-1.0, 1.0, size)
        odds[:2] = budget, -budget
        row = rng.dirichlet(np.ones(size))
        # the first two reports, of extreme odds, make up what the second row lacks to sum to 1
        excess = 1.0 - float(row[2:] @ np.exp(odds[2:]))
        mass = 1.0 - float(row[2:].sum())
        row[0] = (excess - mass * math.exp(-budget)) / (2.0 * math.sinh(budget))
        row[1] = mass - row[0]
        if row[0] >= 0.0 and row[1] >= 0.0:
            channel = np.array([row, row * np.exp(odds)])
            most = max(most, kl_divergence(first @ channel, second @ channel) / best)
    return most


def lemma_4_table(
    epsilons: Sequence[float], pairs: Sequence[tuple[float, float]] = ((0.5, 0.55), (0.5, 0.75), (0.1, 0.9))
) -> pd.DataFrame:
    """How loose Lemma 4 is: a row per channel, epsilon and pair of Bernoulli rewards.

    Parameters
    ----------
    epsilons : sequence of float
        Each > 0; infinity is skipped, the bounds are infinite there.
    pairs : sequence of (float, float)
        Means of the reward in both environments.

    Returns
    -------
    pandas.DataFrame
        Columns channel, epsilon, p, q, the fields of `Reported`, and `looseness` = printed / kept, of which
        `channel_loss` = best / kept is the channel's, `duchi_loss` = duchi / best the bound's and
        `pinsker_loss` = printed / duchi Pinsker's; 4 of the last factor is the wrong norm.
    """
    rows = []
    for epsilon in epsilons:
        if math.isinf(checks.epsilon(epsilon)):
            continue
        channels = {"randomised response": response_channel(epsilon), "binned Laplace": laplace_channel(epsilon)}
        for p, q in pairs:
            for name, channel in channels.items():
                found = lemma_4(channel, [1.0 - p, p], [1.0 - q, q], epsilon)
                losses: Mapping[str, float] = {
                    "looseness": _ratio(found.printed, found.kept),
                    "channel_loss": _ratio(found.best, found.kept),
                    "duchi_loss": _ratio(found.duchi, found.best),
                    "pinsker_loss": _ratio(found.printed, found.duchi),
                }
                rows.append({"channel": name, "epsilon": epsilon, "p": p, "q": q, **found._asdict(), **losses})
    names = ["channel", "epsilon", "p", "q", *Reported._fields, "looseness", "channel_loss", "duchi_loss"]
    return pd.DataFrame(rows, columns=[*names, "pinsker_loss"])


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan

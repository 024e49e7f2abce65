"""CUCB-LDP1 with the mechanism of Duchi, Jordan and Wainwright (2018): all K outcomes as one corner of a hypercube."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.semibandits.shared import Plain, index_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss


def cucb_hypercube(epsilon: float, *, list_size: int, horizon: int) -> Policy:
    """CUCB-LDP1 whose users send a corner of the hypercube: K outcomes for a variance of order K, not K^2; ours.

    Of a random corner of {0, 1}^K and its opposite, the user sends the one that agrees with more of the outcomes, with
    probability e^epsilon / (1 + e^epsilon), else the other (`noise.hypercube`). A bit is true with probability
    (1 + g)/2, g = `agreement`, of order tanh(epsilon/2) / sqrt(K), and the index is min(1, mean + sqrt(1.5 ln T / n)
    / g) with the unbiased mean. At K = 1 it is randomised response, as LDP-UCB-B has it.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    list_size : int
        K >= 1; a user of a smaller super arm fills up with zeros.
    horizon : int
        T >= 1 of ln T, and the longest run.

    Returns
    -------
    Policy
        For a SemiBandit of this size.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> cucb_hypercube(0.5, list_size=3, horizon=1000).privacy.label()
    'ε=0.5'
    """
    members = checks.integer("list_size", list_size, at_least=1)
    length = checks.integer("horizon", horizon, at_least=1)
    truth, lie = response_probabilities(checks.epsilon(epsilon), n_values=2)
    sure = agreement(epsilon, members) if lie else 1.0
    record = index_record(
        [(0.0, 1.5 * math.log(length) / sure**2)],
        noise=index.HYPERCUBE if lie else index.EXACT,
        scale=truth,
        flip=(1.0 - sure) / 2.0,
        list_size=members,
        horizon=length,
    )
    reason = "a corner of the hypercube, more or less like the outcomes"
    privacy = Guarantee.certified(epsilon, channel_loss([[truth, lie], [lie, truth]]), "local", reason)
    return Policy(
        name="Hypercube",
        paper="duchi2018",
        variant="repaired",
        privacy=privacy,
        record=record,
        mechanism="response",
        method="hypercube",
    )


def agreement(epsilon: float, list_size: int) -> float:
    """By how much a bit of the hypercube is true more often than false.

    Parameters
    ----------
    epsilon : float
        > 0.
    list_size : int
        K >= 1.

    Returns
    -------
    float
        tanh(epsilon/2) E|R| / K with R a sum of K random signs, at least tanh(epsilon/2) / sqrt(2 K).

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    members = checks.integer("list_size", list_size, at_least=1)
    return math.tanh(checks.epsilon(epsilon) / 2.0) * math.comb(members - 1, (members - 1) // 2) / 2.0 ** (members - 1)


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, list_size: int, horizon: int
) -> list[list[int]]:
    """Play the algorithm line by line, return what `simulation.trace` returns.

    Parameters
    ----------
    problem : SemiBandit
        Whose oracle is not a Python function.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    list_size : int
        K, of the problem.
    horizon : int
        T >= 1, for which the constants are made.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    bandit = Plain(problem)
    base, k = bandit.arms, list_size
    truth = 1 / (1 + math.exp(-epsilon))
    g = agreement(epsilon, k) if math.isfinite(epsilon) else 1
    radius = math.sqrt(1.5 * math.log(horizon)) / g
    pulls = [0 for i in base]
    total = [0 for i in base]
    rows = []
    for _ in range(rounds):
        means = [(total[i] / pulls[i] - (1 - g) / 2) / g if pulls[i] else 1.0 for i in base]
        upper = [min(means[i] + radius / math.sqrt(pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]
        s_t = bandit.super_arm(upper, streams.choice)
        x = bandit.outcomes(s_t, streams.env)
        corner = [int(x[i]) for i in s_t] + [0 for _ in range(k - len(s_t))]
        if math.isfinite(epsilon):
            told, corner = corner, [1 if streams.noise.random() < 0.5 else 0 for _ in corner]
            like = sum(bit == value for bit, value in zip(corner, told, strict=True))
            true = streams.noise.random() < truth
            if (true and 2 * like < k) or (not true and 2 * like > k):
                corner = [1 - bit for bit in corner]
        for i, bit in zip(s_t, corner, strict=False):
            pulls[i] += 1
            total[i] += bit
        rows.append(bandit.row(s_t))
    return rows

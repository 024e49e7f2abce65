"""All or nothing, ours: a user sends everything without noise with probability delta, and nothing otherwise.

This is (0, delta)-private, and LinUCB on what arrives has regret of order d sqrt(T / delta), for contexts chosen in any
way. It is no algorithm to use. It shows what a delta allows that does not fall with the number of users.
"""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.papers.contextual import shared
from private_bandits.papers.contextual.oful import FAILURE, linucb
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def all_or_nothing(*, delta: float, dim: int) -> Policy:
    """LinUCB for the users who send, each with probability delta and then everything as it is; ours.

    Parameters
    ----------
    delta : float
        In (0, 1).
    dim : int
        d, length of an action vector, >= 1.

    Returns
    -------
    Policy
        Locally (0, delta)-private: two users' messages are the same nothing with probability 1 - delta. At no smaller
        delta it has a finite loss.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The ellipsoids are those of `linucb` after n messages in place of t rounds, and the argument of
    Abbasi-Yadkori, Pal and Szepesvari (2011) goes through: `bounds.all_or_nothing`. That delta must be far below one
    over the number of users, for this reason, is said by Dwork and Roth (2014, Section 2.3).

    Examples
    --------
    >>> policy = all_or_nothing(delta=1e-3, dim=2)
    >>> policy.privacy.epsilon, policy.privacy.delta
    (0.0, 0.001)
    """
    plain: Any = linucb(dim=dim).record
    chance = checks.delta(delta)
    return Policy(
        name="All or nothing",
        paper="abbasi2011",
        algorithm="OFUL",
        privacy=Guarantee.certified(0.0, 0.0, "local", "with probability delta everything is sent as it is", chance),
        record=plain._replace(sending=chance),
        mechanism="response",
        method="all or nothing",
    )


def reference(problem: Any, rounds: int, streams: Any, *, delta: float, dim: int) -> list[list[int]]:
    """LinUCB whose rounds are those of the users who send.

    Parameters
    ----------
    problem : LinearContext
        Its action sets and rewards.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`; the noise decides who sends.
    delta : float
        In (0, 1).
    dim : int
        d, of the problem.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    v, u, theta, n = np.zeros((dim, dim)), np.zeros(dim), np.zeros(dim), 0
    rows = []
    for _ in range(rounds):
        radius = 1.0 + math.sqrt(2.0 * math.log(1.0 / FAILURE) + dim * math.log(1.0 + n / dim))
        vectors, means = shared.action_set(problem, streams.env)
        k = shared.optimistic(v, theta, radius, vectors, streams.choice)
        x, y = vectors[k], shared.reward(problem, means[k], streams.env)
        if streams.noise.random() < delta:
            v = v + np.outer(x, x) + (np.eye(dim) if n == 0 else 0.0)
            u, n = u + y * x, n + 1
            theta = np.linalg.solve(v, u)
        rows.append([k, 1])
    return rows

"""OFUL of Abbasi-Yadkori, Pal and Szepesvari (2011), LinUCB: what Algorithm 5 of Zheng et al. (2020) makes private."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.papers.contextual import shared
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

FAILURE = 0.1
"""Probability with which the confidence ellipsoids may fail."""


def linucb(*, dim: int) -> Policy:
    """LinUCB without privacy: beta_t = 1 + sqrt(2 ln(1/beta) + d ln(1 + t / d)), of ridge 1 and with beta = 0.1.

    Parameters
    ----------
    dim : int
        d, length of an action vector, >= 1.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If d is out of range.

    Notes
    -----
    Abbasi-Yadkori, Pal and Szepesvari (2011), Theorem 2, the determinant bounded by the trace.

    Examples
    --------
    >>> from private_bandits import simulate
    >>> from private_bandits.problems import LinearContext
    >>> result = simulate(LinearContext.sphere([0.6, -0.8], 5), linucb(dim=2), horizon=100, replications=2, seed=0)
    >>> round(float(result.regret[:, -1].mean()), 2)
    3.85
    """
    record = linear.Record(
        dim=checks.integer("dim", dim, at_least=1),
        ridge=1.0,
        fit=linear.DETERMINANT,
        level=2.0 * math.log(1.0 / FAILURE),
    )
    return Policy(
        name="LinUCB",
        paper="abbasi2011",
        algorithm="OFUL",
        variant="stated",
        privacy=Guarantee.none(),
        record=record,
    )


def reference(problem: Any, rounds: int, streams: Any, *, dim: int) -> list[list[int]]:
    """Figure 1 of their paper, its argmax over the ellipsoid solved; the first action is uniformly random.

    Parameters
    ----------
    problem : LinearContext
        Its action sets and rewards.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    dim : int
        d, of the problem.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    d, beta = dim, FAILURE
    v, u, theta = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    rows = []
    for t in range(1, rounds + 1):
        radius = 1.0 + math.sqrt(2.0 * math.log(1.0 / beta) + d * math.log(1.0 + (t - 1) / d))
        vectors, means = shared.action_set(problem, streams.env)
        k = shared.optimistic(v, theta, radius, vectors, streams.choice)
        x, y = vectors[k], shared.reward(problem, means[k], streams.env)
        v = v + np.outer(x, x) + (np.eye(d) if t == 1 else 0.0)
        u = u + y * x
        theta = np.linalg.solve(v, u)
        rows.append([k, 1])
    return rows

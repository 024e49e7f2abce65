"""OFUL of Abbasi-Yadkori, Pal and Szepesvari (2011), LinUCB: what Algorithm 5 of Zheng et al. (2020) makes private."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.papers.contextual import skeleton
from private_bandits.papers.contextual.ellipsoids import variant_name
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def linucb(dim: int, alpha: float = 0.1, ridge: float = 1.0, bonus_factor: float = 1.0) -> Policy:
    """LinUCB without privacy: beta_t = sqrt(ridge) + sqrt(2 ln(1/alpha) + d ln(1 + t / (d ridge))).

    Parameters
    ----------
    dim : int
        d, length of an action vector, >= 1.
    alpha : float
        Failure probability of the confidence ellipsoids, in (0, 1).
    ridge : float
        > 0.
    bonus_factor : float
        Multiplies beta_t, > 0; 1 is the theorem's.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Abbasi-Yadkori, Pal and Szepesvari (2011), Theorem 2, the determinant bounded by the trace.

    Examples
    --------
    >>> from private_bandits import simulate
    >>> from private_bandits.problems import LinearContext
    >>> result = simulate(LinearContext.sphere([0.6, -0.8], 5), linucb(2), horizon=100, replications=2, seed=0)
    >>> round(float(result.regret[:, -1].mean()), 2)
    3.85
    """
    record = linear.Record(
        dim=checks.integer("dim", dim, at_least=1),
        ridge=checks.real("ridge", ridge, above=0),
        factor=checks.real("bonus_factor", bonus_factor, above=0),
        fit=linear.DETERMINANT,
        level=2.0 * math.log(1.0 / checks.real("alpha", alpha, above=0, below=1)),
    )
    version = "", variant_name("stated", bonus_factor)
    return Policy("LinUCB", "abbasi2011", "OFUL", version, Guarantee.none(), linear, record)


def reference(problem: Any, horizon: int, streams: Any, alpha: float = 0.1, ridge: float = 1.0) -> list[list[int]]:
    """Figure 1 of their paper, its argmax over the ellipsoid solved; the first action is uniformly random.

    Parameters
    ----------
    problem : LinearContext
        Its action sets and rewards.
    horizon : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `simulate.streams`.
    alpha : float
        In (0, 1): with which the ellipsoids may fail.
    ridge : float
        > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulate.trace` shows it: the action, and 1.
    """
    d = problem.dim
    v, u, theta = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    rows = []
    for t in range(1, horizon + 1):
        beta = math.sqrt(ridge) + math.sqrt(2.0 * math.log(1.0 / alpha) + d * math.log(1.0 + (t - 1) / (d * ridge)))
        vectors, means = skeleton.action_set(problem, streams.env)
        k = skeleton.optimistic(v, theta, beta, vectors, streams.choice)
        x, y = vectors[k], skeleton.reward(problem, means[k], streams.env)
        v = v + np.outer(x, x) + (ridge * np.eye(d) if t == 1 else 0.0)
        u = u + y * x
        theta = np.linalg.solve(v, u)
        rows.append([k, 1])
    return rows

"""GLOC of Jun, Bhargava, Nowak and Willett (2017), an online-to-confidence-set conversion, with the logistic link.

What Algorithm 3 of Zheng et al. (2020) makes private.
"""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import linear
from private_bandits.papers.contextual import algorithm_3, shared
from private_bandits.papers.contextual.accounting import SLOPE
from private_bandits.papers.contextual.ellipsoids import DEVIATION, checked, gradient_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def gloc(*, dim: int, horizon: int, learner: str = "newton", responses: str = "binary") -> Policy:
    """GLOC without privacy, logistic link: a ridge regression on <x, estimate> of an online learner's estimates.

    Parameters
    ----------
    dim : int
        d >= 1.
    horizon : int
        T >= 1.
    learner : {"newton", "gradient"}
        * `newton`: online Newton steps, the choice of Jun et al. (2017); their regret grows with ln t.
        * `gradient`: steps of 1 / (reach sqrt T), the choice of Zheng et al.; their regret grows with sqrt T, and so
          does beta_t^2: without any noise the analysis has T^(3/4) already.
    responses : {"bounded", "binary"}
        What the radius assumes of rewards: the mean plus noise in [-1, 1], or 0 and 1.

    Returns
    -------
    Policy
        Its `method` is the learner.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Jun, Bhargava, Nowak and Willett (2017), Theorem 1 and the online Newton step. The radius here is sqrt(ridge) +
    fit_t, not sqrt(ridge + fit_t^2), and it drops their data-dependent reduction, as Algorithm 3 must.

    Examples
    --------
    >>> gloc(dim=2, horizon=1000).algorithm
    'GLOC, newton steps'
    """
    size, length, failure, factor, least = checked(dim, horizon)
    checks.choice("learner", learner, ("newton", "gradient"))
    if learner == "gradient":
        record = gradient_record(size, length, failure, factor, least, responses, 0.0, 0.0, tuned=True)
    else:
        record = linear.Record(
            dim=size,
            learner=linear.NEWTON,
            ridge=least,
            fit=linear.REGRET,
            level=failure,
            deviation=DEVIATION[checks.choice("responses", responses, tuple(DEVIATION))],
            curvature=SLOPE,
            cost=2.0 * SLOPE * least,
            binary=True,
            horizon=length,
        )
    return Policy(
        name="GLOC",
        paper="jun2017gloc",
        algorithm=f"GLOC, {learner} steps",
        variant="stated",
        privacy=Guarantee.none(),
        record=record,
        method=learner,
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    dim: int,
    horizon: int,
    learner: str = "newton",
    responses: str = "binary",
) -> list[list[int]]:
    """GLOC with online Newton steps; gradient steps are those of Algorithm 3 without noise.

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
    horizon : int
        T >= 1, for which the constants are made.
    learner : {"newton", "gradient"}
        Whose estimates.
    responses : {"bounded", "binary"}
        What the radius assumes of rewards.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    if learner == "gradient":
        sizes: dict[str, Any] = {"dim": dim, "horizon": horizon, "responses": responses}
        return algorithm_3.reference(problem, rounds, streams, epsilon=math.inf, delta=0.5, variant="repaired", **sizes)
    d, top = dim, shared.sigmoid(1.0)
    kappa, r, beta, ridge = top * (1.0 - top), 0.5 if responses == "binary" else 1.0, 0.1, 1.0
    a, u, theta, estimate = np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros(d)
    squares, rows = 0.0, []
    for t in range(1, rounds + 1):
        cost = squares / (2.0 * kappa) + 2.0 * kappa * ridge
        radius = shared.regret_fit(cost, kappa, r, beta) + math.sqrt(ridge)
        vectors, means = shared.action_set(problem, streams.env)
        k = shared.optimistic(a, theta, radius, vectors, streams.choice)
        x, y = vectors[k], shared.reward(problem, means[k], streams.env)
        z = x @ estimate
        g = shared.sigmoid(z) - y
        a = a + np.outer(x, x) + (ridge * np.eye(d) if t == 1 else 0.0)
        u = u + z * x
        theta, inverse = np.linalg.solve(a, u), np.linalg.solve(a, x)
        squares += g * g * (x @ inverse)
        estimate = shared.nearest(a, estimate - g / kappa * inverse)
        rows.append([k, 1])
    return rows

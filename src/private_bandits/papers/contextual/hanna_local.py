"""Private rewards of Hanna, Girgis, Fragouli and Diggavi (2022): phased elimination on one known set of actions.

From their abstract, which is all we have: for stochastic linear bandits under local privacy of the rewards regret is of
order sqrt(T)/epsilon. The action is known to the server, and only the reward is hidden. Ours are the design, the
lengths of the phases and the intervals; `kernels.phased` has the loop.
"""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import phased
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.contextual.accounting import LARGEST_REWARD, noise_facts
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import LinearContext

FIRST = 16
"""Rounds of the first phase, times a random factor between 1 and 2."""
FAILURE = 0.1
"""With which an interval may fail."""


def private_rewards(epsilon: float, *, n_actions: int, dim: int, horizon: int) -> Policy:
    """Return phased elimination whose users send their reward, of [-2, 2], behind Laplace noise of scale 4/epsilon.

    An interval fails with probability 0.1 / (K J) at most, K actions and J = log2(T / 16 + 1) phases.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user's reward, > 0; infinity means no privacy.
    dim, n_actions, horizon : int
        d, K and T, >= 1.

    Returns
    -------
    Policy
        Nothing is promised for the action, which shows the context.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = private_rewards(epsilon=1.0, dim=2, n_actions=2, horizon=10**6)
    >>> policy.record.scale, policy.privacy.label()
    (4.0, 'ε=1')
    """
    size, actions = (checks.integer(n, v, at_least=1) for n, v in (("dim", dim), ("n_actions", n_actions)))
    length, reach = checks.integer("horizon", horizon, at_least=1), 2.0 * LARGEST_REWARD
    scale = 0.0 if math.isinf(checks.epsilon(epsilon)) else laplace_scale(epsilon, sensitivity=reach)
    tail = math.log(2.0 * actions * math.ceil(math.log2(length / FIRST + 1.0)) / FAILURE)
    record = phased.Record(size, FIRST, scale, tail, LARGEST_REWARD, length)
    privacy = Guarantee.none()
    if scale:
        privacy = Guarantee.certified(epsilon, reach / scale, "local", "of the reward alone; the action is sent")
    mechanism, calibration = noise_facts(scale, "laplace", "")
    return Policy(
        name="Private rewards",
        paper="hanna2022",
        algorithm="local model",
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        calibration=calibration,
        method="phases",
    )


def reference(
    problem: LinearContext, rounds: int, streams: Any, *, epsilon: float, n_actions: int, dim: int, horizon: int
) -> list[list[int]]:
    """Phase by phase, user by user; rewards lie in [-2, 2].

    Parameters
    ----------
    problem : LinearContext
        With one set of actions and rewards that are uniform about their mean.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    n_actions : int
        K, of the problem.
    dim : int
        d, of the problem.
    horizon : int
        T >= 1, for which the constants are made.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    actions, means, b = problem.sets[0], problem.means[0], 4.0 / epsilon
    tail = math.log(2 * n_actions * math.ceil(math.log2(horizon / FIRST + 1)) / FAILURE)
    left, size = list(range(n_actions)), FIRST * 2 ** streams.choice.random()
    rows: list[list[int]] = []
    while len(left) > 1 and len(rows) < rounds:
        shares = phased.design(actions[left])
        v, u = np.zeros((dim, dim)), np.zeros(dim)
        for a, share in zip(left, shares, strict=True):
            for _ in range(math.ceil(size * share)):
                y = means[a] + problem.noise * (2 * streams.env.random() - 1)
                sent = y + streams.noise.laplace(0, b)
                v, u = v + np.outer(actions[a], actions[a]), u + sent * actions[a]
                rows.append([a, 1])
        inverse = np.linalg.pinv(v)
        theta, low, high = inverse @ u, {}, {}
        for a in left:
            weights = [abs(actions[a] @ inverse @ actions[s]) for s in left]
            spread = math.sqrt(2 * (1 + 2 * b**2) * (actions[a] @ inverse @ actions[a]) * tail)
            low[a] = actions[a] @ theta - spread - b * tail * max(weights)
            high[a] = actions[a] @ theta + spread + b * tail * max(weights)
        left, size = [a for a in left if high[a] >= max(low.values())], 2 * size
    rows += [[left[0], 1]] * (rounds - len(rows))
    return rows[:rounds]

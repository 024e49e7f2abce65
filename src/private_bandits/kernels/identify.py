"""Best-arm identification: pull the arm of the largest index until one arm has most of the pulls."""

import math
from typing import Any, NamedTuple, NoReturn

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.selection import top_item
from private_bandits.mechanisms import _raw as mechanisms


class Record(NamedTuple):
    """The constants of the index and of the rule that stops.

    Attributes
    ----------
    size, tail : float
        >= 0.
    growth : float
        > e, so that every l is a number.
    failure : float
        In (0, 1).
    share : float
        > 0.
    laplace : bool
        Whether the noise on every reward is Laplace, not Gaussian.
    scale : float
        Scale or standard deviation of the noise, >= 0.
    """

    size: float
    tail: float
    growth: float
    failure: float
    share: float
    laplace: bool
    scale: float


def check(name: str, problem: Any, record: Record, horizon: int) -> NoReturn:
    """Refuse every problem: a search for the best arm has no horizon, and its regret is not counted.

    Parameters
    ----------
    name : str
        Of the policy, for the message.
    problem : object
    record : Record
    horizon : int
        Rounds of the run, >= 1.

    Raises
    ------
    ValueError
        Always.
    """
    raise ValueError(f"{name} searches for the best arm and stops by itself, so it cannot be simulated on {problem}")


@compiled
def until_one_leads(means, record, limit, env, choice, noise, pulls):
    """Pull until an arm has at least 1 + share times the pulls of all others together, or `limit` pulls are made.

    After one pull of every arm, the index of an arm pulled n times is

        mean + size sqrt(l / n) + tail l / n,   l = ln(ln(growth n) / failure).

    Parameters
    ----------
    means : float64 array, shape (n_arms,)
        Of Bernoulli rewards, one uniform number of the environment stream each.
    record : Record
    limit : int
        >= n_arms.
    env, choice, noise : numpy.random.Generator
        The three streams of the replication.
    pulls : int64 array, shape (n_arms,), written

    Returns
    -------
    bool
        Whether the rule stopped it.
    """
    n_arms, scale = len(means), record.scale
    total, index = np.zeros(n_arms), np.zeros(n_arms)
    pulls[:] = 0
    for t in range(limit):
        arm = t if t < n_arms else top_item(index, choice)
        reward = 1.0 if env.random() < means[arm] else 0.0
        total[arm] += reward + (
            mechanisms.laplace(noise, scale) if record.laplace else mechanisms.gaussian(noise, scale)
        )
        pulls[arm] += 1
        n = pulls[arm]
        level = math.log(math.log(record.growth * n) / record.failure) / n
        index[arm] = total[arm] / n + record.size * math.sqrt(level) + record.tail * level
        if t + 1 >= n_arms and n >= 1 + record.share * (t + 1 - n):
            return True
    return False

"""Garivier and Cappe (2011), Algorithm 1: KL-UCB."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import replay
from private_bandits.kernels.episodes import kl_upper
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, by_index


def kl_ucb(*, c: float = 0.0) -> Policy:
    """KL-UCB of Garivier and Cappe (2011), Algorithm 1, no privacy.

    The index of an arm with n rewards of mean m in round t is the largest q with n kl(m, q) <= ln t + c ln ln t;
    ln ln t counts from t = 3 on. Arms without a reward come first, in random order.

    Parameters
    ----------
    c : float
        >= 0; 3 in the paper's theorem, 0 in its experiments.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If c is out of range.

    Examples
    --------
    >>> kl_ucb().privacy.label()
    'no privacy'
    """
    record = replay.Record(np.zeros((0, 3)), level=1.0, slow=checks.real("c", c, at_least=0))
    return Policy(
        name="KL-UCB",
        paper="garivier2011",
        algorithm="Algorithm 1",
        variant="printed",
        privacy=Guarantee.none(),
        record=record,
    )


def reference(problem: Problem, rounds: int, streams: Streams, *, c: float = 0.0) -> Rows:
    """Algorithm 1 of Garivier and Cappe (2011).

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    c : float
        >= 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """

    def upper(total: float, pulls: int, t: int) -> float:
        most = math.log(t) + c * math.log(max(math.log(t), 1.0))
        return kl_upper(total / pulls, most / pulls) if pulls else math.inf

    return by_index(problem, rounds, streams, upper)

"""Agrawal and Goyal (2012), Algorithm 1: Thompson sampling for arms that pay 0 or 1."""

import numpy as np

from private_bandits.kernels import replay
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, by_index


def thompson() -> Policy:
    """Thompson sampling of Agrawal and Goyal (2012), Algorithm 1, no privacy.

    In each round an arm that paid s times in n pulls has a draw from Beta(1 + s, 1 + n - s), and the arm of the largest
    draw is pulled.

    Returns
    -------
    Policy

    Examples
    --------
    >>> thompson().privacy.label()
    'no privacy'
    """
    record = replay.Record(np.zeros((0, 3)), sampled=True)
    return Policy(
        name="Thompson",
        paper="agrawal2012",
        algorithm="Algorithm 1",
        variant="printed",
        privacy=Guarantee.none(),
        record=record,
    )


def reference(problem: Problem, rounds: int, streams: Streams) -> Rows:
    """Algorithm 1 of Agrawal and Goyal (2012).

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    return by_index(problem, rounds, streams, lambda s, n, t: beta(1 + s, 1 + n - s, streams.choice))


def beta(a: float, b: float, choice: np.random.Generator) -> float:
    """Draw from Beta(a, b), as the ratio of two Gamma variables.

    Parameters
    ----------
    a, b : float
        > 0.
    choice : Generator

    Returns
    -------
    float
    """
    x = choice.standard_gamma(a)
    return float(x / (x + choice.standard_gamma(b)))

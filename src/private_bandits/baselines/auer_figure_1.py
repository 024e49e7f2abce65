"""Auer, Cesa-Bianchi and Fischer (2002), Figure 1: UCB1."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Sent, Streams, by_index

RADIUS = (2.0, 0.0)  # the sqrt(2 ln t / n) of UCB1


def ucb(*, horizon: int | None = None, alpha: float = RADIUS[0]) -> Policy:
    """UCB1 of Auer, Cesa-Bianchi and Fischer (2002), Figure 1: mean + sqrt(alpha ln t / n), no privacy.

    Arms without a reward come first, in random order. Their ln counts the rounds already played, ours the running one.

    Parameters
    ----------
    horizon : int, optional
        T >= 1 of ln T in the place of ln t, and the longest run: the policy of the theorem on the regret of `replay`.
    alpha : float
        > 0; 2 in the paper. Regret is of order ln T for every alpha above 1/2.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> ucb().privacy.label()
    'no privacy'
    """
    width = checks.real("alpha", alpha, above=0)
    name, version = ("UCB", "printed") if width == RADIUS[0] else (f"UCB({width:g})", f"alpha = {width:g}")
    term, length = (width, 0.0), 0
    if horizon is not None:
        length = checks.integer("horizon", horizon, at_least=1, at_most=checks.ROUNDS)
        term, version = (0.0, width * math.log(length)), f"alpha = {width:g}, logarithm of the horizon"
    record = index.Record(np.array([term]), observe_first=False, list_size=1, horizon=length)
    return Policy(
        name=name,
        paper="auer2002",
        algorithm="Figure 1",
        variant=version,
        privacy=Guarantee.none(),
        record=record,
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    horizon: int | None = None,
    alpha: float = RADIUS[0],
    sent: Sent = int,
) -> Rows:
    """Play UCB1 of Auer et al. (2002), Figure 1: every arm once, in random order, then the largest index.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    horizon : int, optional
        T >= 1 of ln T; by default ln t takes its place.
    alpha : float
        > 0.
    sent : Sent
        By default the reward.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """

    def upper(total: float, pulls: int, t: int) -> float:
        log = math.log(t if horizon is None else horizon)
        return total / pulls + math.sqrt(alpha * log / pulls) if pulls else math.inf

    return by_index(problem, rounds, streams, upper, sent)

"""Ren et al. (2020), LDP-UCB-L: Laplace noise on each reward."""

import math

import numpy as np

from private_bandits.baselines import auer_figure_1
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, by_index


def ldp_ucb_laplace(epsilon: float) -> Policy:
    """LDP-UCB-L of Ren et al. (2020): Lap(1/epsilon) on each reward.

    mean + sqrt(2 ln t / n) + sqrt(32 ln t / (epsilon^2 n)); arms with n <= 4 ln(t + 1) come first, in random order.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity gives `ucb`.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If epsilon is out of range.

    Notes
    -----
    The constants are those of the authors' code, which is what "printed" means here. It starts every arm with one
    fictitious reward of 0; we start with none.

    Examples
    --------
    >>> ldp_ucb_laplace(0.5).privacy.label()
    'ε=0.5'
    """
    scale = laplace_scale(epsilon, sensitivity=1.0)
    terms = [auer_figure_1.RADIUS, (32.0 * scale**2, 0.0)]
    record = index.Record(
        np.array(terms if scale else terms[:1]),
        noise=index.LAPLACE if scale else index.EXACT,
        scale=scale,
        observe_first=False,
        forced=4.0 if scale else 0.0,
        list_size=1,
    )
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "local", "Laplace noise on each reward")
    return Policy(
        name="LDP-UCB-L",
        paper="ren2020",
        algorithm="LDP-UCB-L",
        variant="printed",
        privacy=privacy,
        record=record,
        mechanism="laplace" if scale else "none",
    )


def reference(problem: Problem, rounds: int, streams: Streams, *, epsilon: float) -> Rows:
    """LDP-UCB-L of Ren et al. (2020): arms with few reports come first, in random order.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity gives UCB1.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    if math.isinf(epsilon):
        return auer_figure_1.reference(problem, rounds, streams)

    def upper(total: float, pulls: int, t: int) -> float:
        width = math.sqrt(2) + math.sqrt(32) / epsilon
        return total / pulls + width * math.sqrt(math.log(t) / pulls) if pulls > 4 * math.log(t + 1) else math.inf

    return by_index(problem, rounds, streams, upper, lambda bit: bit + streams.noise.laplace(0.0, 1 / epsilon))

"""Ren et al. (2020), LDP-UCB-B: each reward by randomised response."""

import math

import numpy as np

from private_bandits.baselines import auer_figure_1
from private_bandits.kernels import index
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.reference_tools import Problem, Rows, Streams, respond


def ldp_ucb_response(epsilon: float) -> Policy:
    """LDP-UCB-B of Ren et al. (2020): each reward is sent by randomised response.

    The bit sent is false with probability p = 1 / (1 + e^epsilon). The index is m + sqrt(2 ln t / n) with m the mean
    of the bits. We hold the unbiased (m - p) / (1 - 2p) and divide the radius by 1 - 2p too: the order is the same.

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

    Examples
    --------
    >>> ldp_ucb_response(0.5).privacy.label()
    'ε=0.5'
    """
    truth, flip = response_probabilities(epsilon, n_values=2)
    record = index.Record(
        np.array([(2.0 / (1.0 - 2.0 * flip) ** 2, 0.0)]),
        noise=index.RESPONSE if flip else index.EXACT,
        flip=flip,
        observe_first=False,
        list_size=1,
    )
    paid = channel_loss([[truth, flip], [flip, truth]])
    privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on each reward")
    return Policy(
        name="LDP-UCB-B",
        paper="ren2020",
        algorithm="LDP-UCB-B",
        variant="printed",
        privacy=privacy,
        record=record,
        mechanism="response" if flip else "none",
    )


def reference(problem: Problem, rounds: int, streams: Streams, *, epsilon: float) -> Rows:
    """Play LDP-UCB-B of Ren et al. (2020), UCB1 on the bits that are sent: its index is that of the bits themselves.

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
    flip = 1 / (1 + math.exp(epsilon))
    return auer_figure_1.reference(problem, rounds, streams, sent=lambda bit: respond(bit, 2, flip, streams.noise))

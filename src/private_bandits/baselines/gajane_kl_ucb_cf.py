"""Gajane et al. (2018), kl-UCB-CF: kl-UCB on rewards that randomised response corrupts."""

import math

import numpy as np

from private_bandits.baselines import azize_dp_klucb
from private_bandits.kernels import episodes
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.reference_tools import Problem, Rows, Streams


def kl_ucb_cf(epsilon: float) -> Policy:
    """kl-UCB-CF of Gajane et al. (2018) with randomised response, the mean-shift of corrupt bandits.

    The index of an arm with N pulls in round t is the largest q with N d(m, q) <= ln t + 3 ln ln t, m the mean of its N
    responses; ln ln t counts from t = 3 on. The paper maps q back to rewards, which leaves the order as it is.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity gives kl-UCB.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If epsilon is out of range.

    Examples
    --------
    >>> kl_ucb_cf(0.5).privacy.label()
    'ε=0.5'
    """
    truth, flip = response_probabilities(epsilon, n_values=2)
    record = episodes.Record(np.zeros((0, 3)), level=1.0, slow=3.0, kept=math.inf, growth=0.0, flip=flip)
    paid, why = channel_loss([[truth, flip], [flip, truth]]), "randomised response on each reward"
    privacy = Guarantee.certified(epsilon, paid, "local", why)
    return Policy(
        name="kl-UCB-CF",
        paper="gajane2018",
        algorithm="kl-UCB-CF",
        variant="printed",
        privacy=privacy,
        record=record,
        mechanism="response",
    )


def reference(problem: Problem, rounds: int, streams: Streams, *, epsilon: float) -> Rows:
    """kl-UCB-CF of Gajane et al. (2018) with randomised response.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity gives kl-UCB.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    flip = response_probabilities(epsilon, n_values=2)[1]
    return azize_dp_klucb.reference(problem, rounds, streams, epsilon=math.inf, growth=0.0, slow=3.0, flip=flip)

"""What the algorithms of Wang et al. (2021) share: a radius, a variant's name, what a user's reports give away."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.papers.cascading.instances import length_channel, one_hot_replies
from private_bandits.privacy import Guarantee, sensitivity

PAPER = "wang2021"
SAMPLING = (1.5, 0.0)  # the sqrt(1.5 ln t / n) of every algorithm


def terms(*pairs: tuple[float, float]) -> np.ndarray:
    """Return the pairs (alpha, beta) of an index, whose a(t) is the sum of their sqrt(alpha ln t + beta).

    Parameters
    ----------
    *pairs : (float, float)

    Returns
    -------
    float64 array, shape (pairs, 2)
    """
    return np.array(pairs)


def checked(size: int, noise_multiplier: float, name: str = "list_size") -> tuple[int, float, str]:
    """Return the size and the factor of the noise, checked, and the words for what the factor makes of it.

    Parameters
    ----------
    size : int
        >= 1.
    noise_multiplier : float
        > 0.
    name : str
        Of the size, for the message.

    Returns
    -------
    tuple of (int, float, str)

    Raises
    ------
    ValueError
        If one is out of range.
    """
    factor = checks.real("noise_multiplier", noise_multiplier, above=0)
    times = {1.0: "stated", 0.01: "published"}.get(factor, f"noise times {factor:g}")
    return checks.integer(name, size, at_least=1), factor, times


def laplace_loss(scale: float, list_size: int) -> float:
    """Return what Laplace noise of this scale on every entry of a padded click vector pays.

    Parameters
    ----------
    scale : float
        >= 0.
    list_size : int
        >= 1.

    Returns
    -------
    float
        Its privacy loss, infinite without noise.
    """
    return sensitivity(one_hot_replies(list_size), order=1) / scale if scale else math.inf


def composition_scale(epsilon: float, delta: float, list_size: int) -> float:
    """Return the Laplace scale of Theorem 8, by advanced composition.

    Parameters
    ----------
    epsilon : float
        > 0 or infinite.
    delta : float
        In (0, 1).
    list_size : int
        K >= 1.

    Returns
    -------
    float
        sqrt(4 K ln(e + epsilon/delta)) / epsilon, and 0 for infinite epsilon.
    """
    return math.sqrt(4.0 * list_size * math.log(math.e + epsilon / delta)) / epsilon if math.isfinite(epsilon) else 0.0


def in_clear(record: index.Record) -> list[np.ndarray]:
    """Return the channels of what is released without noise: an entry of w_0, and how many reports a user makes.

    Parameters
    ----------
    record : index.Record

    Returns
    -------
    list of float64 array
        Each of shape (inputs, outputs).
    """
    channels = []
    if record.observe_first:
        channels.append(np.eye(2))
    if record.list_size and not record.semi_bandit:
        channels.append(length_channel(record.list_size))
    return channels


def local(epsilon: float, delta: float, value_epsilon: float, value_delta: float, record: index.Record) -> Guarantee:
    """Return what Algorithms 2 and 3 promise and pay; a list of one item always makes one report.

    Parameters
    ----------
    epsilon, delta : float
        What is promised.
    value_epsilon, value_delta : float
        What the values of the reports pay.
    record : index.Record

    Returns
    -------
    Guarantee
    """
    free = "the free report is sent without noise"
    reason = f"the number of reports is the click position, and {free}" if record.list_size > 1 else free
    return Guarantee.releasing(epsilon, delta, value_epsilon, value_delta, in_clear(record), "local", reason)

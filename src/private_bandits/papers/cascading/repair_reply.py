"""Our local repairs of Algorithms 2 and 3 that send the whole reply, and a ratio index of what is sent."""

from __future__ import annotations

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import ratio
from private_bandits.mechanisms import laplace_scale, response_probabilities
from private_bandits.papers.cascading._shared import laplace_loss
from private_bandits.papers.cascading.instances import one_hot_replies
from private_bandits.plain import Problem, Rows, Streams, click, laplace_sum_bound, largest, respond
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss, sensitivity


def repaired_reply(epsilon: float, list_size: int) -> Policy:
    """(K+1)-ary randomised response on the reply {1, ..., K, none}, with the ratio index of `kernels.ratio`; ours.

    The radius is sqrt(1.5 n ln t) / (1 - (K + 1) p), n the item's displays and p the probability of each false reply.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0; infinity for truthful replies.
    list_size : int
        K >= 1, for which the response is calibrated.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_reply(0.2, list_size=4).privacy.label()
    'ε=0.2'
    """
    size = checks.integer("list_size", list_size, at_least=1)
    _, lie = response_probabilities(checks.epsilon(epsilon), size + 1)
    record = ratio.Record(ratio.RESPONSE, flip=lie, list_size=size)
    paid = channel_loss(reply_channel(lie, size))
    privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on the whole reply")
    facts = {"mechanism": "response", "method": "reply", "options": "repaired"}
    return Policy("Response, whole reply", "", "repair, reply", "", privacy, record, **facts)


def repaired_one_hot(epsilon: float, list_size: int) -> Policy:
    """The padded click vector with Lap(2/epsilon) on each entry (Lap(1/epsilon) at K = 1), and the ratio index; ours.

    The radius is sqrt(1.5 n ln t) + the tail bound of Chan et al. for the noise, which fails with probability t^-3 for
    each pair of displays and noises.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0; infinity for exact replies.
    list_size : int
        K >= 1, for which the noise is calibrated.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_one_hot(0.2, list_size=4).privacy.label()
    'ε=0.2'
    """
    size = checks.integer("list_size", list_size, at_least=1)
    scale = laplace_scale(epsilon, sensitivity(one_hot_replies(size), order=1))
    record = ratio.Record(ratio.ONE_HOT, scale=scale, list_size=size)
    reason = "Laplace noise on every entry of the padded click vector"
    privacy = Guarantee.certified(epsilon, laplace_loss(scale, size), "local", reason)
    facts = {"mechanism": "laplace", "method": "one_hot", "options": "repaired"}
    return Policy("Laplace, whole reply", "", "repair, one_hot", "", privacy, record, **facts)


def reply_channel(lie: float, list_size: int) -> np.ndarray:
    """Channel from the reply (click at 1, ..., K, none) to the randomised reply.

    Parameters
    ----------
    lie : float
        Probability of each false reply, in [0, 1/list_size].
    list_size : int
        K >= 1.

    Returns
    -------
    float64 array, shape (list_size + 1, list_size + 1)
        A row per reply, a column per randomised reply.
    """
    channel = np.full((list_size + 1, list_size + 1), lie)
    np.fill_diagonal(channel, 1.0 - list_size * lie)
    return channel


def reference(problem: Problem, horizon: int, streams: Streams, epsilon: float, design: str = "reply") -> Rows:
    """The whole reply, by (K+1)-ary randomised response or as the padded click vector with Laplace noise.

    If a false answer has probability `lie` each, the clicks sent have expectation lie + (1 - (K + 1) lie) P(click).

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    horizon : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `simulate.streams`.
    epsilon : float
        > 0.
    design : {"reply", "one_hot"}
        Whether the reply is randomised, or its click vector gets noise.

    Returns
    -------
    list of list of int
        A row a round, as `simulate.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, problem.list_size, range(problem.n_items)
    lie = 1 / (math.exp(epsilon) + size) if design == "reply" else 0.0
    scale = (2 if size > 1 else 1) / epsilon
    width = 1 - (size + 1) * lie
    sent_here = [0.0 for e in items]
    left = [0.0 for e in items]  # displays less what was sent of the positions above
    positions: list[list[int]] = [[] for e in items]  # where the item has been shown
    rows = []
    for t in range(1, horizon + 1):
        upper = [math.inf for e in items]
        for e in items:
            displays, above = len(positions[e]), sum(k - 1 for k in positions[e])
            clicks = (sent_here[e] - displays * lie) / width
            examined = displays - (displays - left[e] - above * lie) / width
            radius = math.sqrt(1.5 * displays * math.log(t)) / width
            if design == "one_hot":
                radius += laplace_sum_bound([scale] * sum(positions[e]), math.log(2 * t**3))
            if displays and examined > 0:
                upper[e] = (clicks + radius) / examined
        recommended = largest(upper, size, streams.choice)
        c_t = click(means, recommended, streams.env)
        if design == "reply":
            answer = 1 + respond(int(min(c_t, size + 1)) - 1, size + 1, lie, streams.noise)
            sent = [1.0 if answer == k else 0.0 for k in range(1, size + 1)]
        else:
            sent = [(1.0 if c_t == k else 0.0) + streams.noise.laplace(0.0, scale) for k in range(1, size + 1)]
        for k in range(1, size + 1):
            e = recommended[k - 1]
            sent_here[e] += sent[k - 1]
            left[e] += 1 - sum(sent[: k - 1])
            positions[e].append(k)
        rows.append([*recommended, int(min(c_t, size))])
    return rows

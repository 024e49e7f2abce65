"""Our repairs by one question: a user says only whether the first item of the list was clicked.

Randomised response makes that local (in the place of Algorithms 2 and 3), hybrid counters central (of Algorithm 1).
"""

from __future__ import annotations

import math

import numpy as np

from private_bandits import checks, plain
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale, response_probabilities
from private_bandits.papers.cascading._shared import SAMPLING, terms
from private_bandits.plain import Problem, Rows, Streams
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss


def repaired_first(epsilon: float, list_size: int) -> Policy:
    """The least reported item of the list is shown first, and its click is sent by randomised response; ours.

    The reward does not depend on the order of a list. Mean and count are those of a plain bandit: with p the
    probability of a false answer, U = (m - p) / (1 - 2p) + sqrt(1.5 ln t / n) / (1 - 2p), m the mean of the answers.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0; infinity for truthful answers.
    list_size : int
        K >= 1.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_first(0.2, list_size=4).privacy.label()
    'ε=0.2'
    """
    size = checks.integer("list_size", list_size, at_least=1)
    _, flip = response_probabilities(checks.epsilon(epsilon), 2)
    record = index.Record(
        terms((1.5 / (1.0 - 2.0 * flip) ** 2, 0.0)),
        noise=index.RESPONSE,
        flip=flip,
        reports=index.FIRST,
        observe_first=False,
        list_size=size,
    )
    paid = channel_loss(first_channel(flip, size))
    privacy = Guarantee.certified(epsilon, paid, "local", "one randomised bit about the first item")
    facts = {"mechanism": "response", "method": "first", "options": "repaired"}
    return Policy("Response, first item", "", "repair, first", "", privacy, record, **facts)


def repaired_first_counter(epsilon: float, list_size: int) -> Policy:
    """The least reported item of the list is shown first, and its click enters a hybrid counter of that item; ours.

    How often an item stood first is a function of the lists, so the counters' lengths are public, and a user enters
    one counter once: epsilon goes to each counter whole. U = mean + sqrt(1.5 ln t / n) + the tail bound of the
    counter's own noise, which fails with probability t^-3.

    Parameters
    ----------
    epsilon : float
        Pure privacy of the sequence of lists when one user's reply changes, > 0; infinity for exact counts.
    list_size : int
        K >= 1.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_first_counter(0.2, list_size=4).privacy.label()
    'ε=0.2'
    """
    size = checks.integer("list_size", list_size, at_least=1)
    scale = laplace_scale(epsilon, 1.0)
    record = index.Record(
        terms(SAMPLING),
        noise=index.HYBRID,
        scale=scale,
        bonus=index.SPREAD_BONUS if scale else index.NO_BONUS,
        bonus_scale=scale,
        reports=index.FIRST,
        observe_first=False,
        list_size=size,
    )
    paid = 1.0 / scale if scale else math.inf
    privacy = Guarantee.certified(epsilon, paid, "central", "one hybrid counter a user, lengths fixed by the lists")
    facts = {"mechanism": "tree", "method": "counter", "options": "repaired"}
    return Policy("Hybrid, first item", "", "repair, first", "", privacy, record, **facts)


def first_channel(flip: float, list_size: int) -> np.ndarray:
    """Channel from the reply (click at 1, ..., K, none) to the randomised bit about the first item.

    Parameters
    ----------
    flip : float
        Probability that the bit is false, in [0, 1].
    list_size : int
        K >= 1.

    Returns
    -------
    float64 array, shape (list_size + 1, 2)
        A row per reply: the probabilities of "not clicked" and of "clicked" if the item was not, reversed if it was.
    """
    row = np.array([flip, 1.0 - flip])
    return np.vstack([row, *[row[::-1]] * list_size])


def reference(problem: Problem, horizon: int, streams: Streams, epsilon: float, trust: str = "local") -> Rows:
    """The click of the first item, the least reported of the list: by randomised response, or to its hybrid counter.

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
    trust : {"local", "central"}
        Whether the click is randomised, or enters a counter.

    Returns
    -------
    list of list of int
        A row a round, as `simulate.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, problem.list_size, range(problem.n_items)
    flip = 1 / (math.exp(epsilon) + 1)
    counters = [plain.Hybrid(epsilon, streams.noise) for e in items]
    reports = [0 for e in items]
    total = [0.0 for e in items]  # of the answers, or what the counter has released
    rows = []
    for t in range(1, horizon + 1):
        upper = [math.inf for e in items]
        for e in items:
            if reports[e]:
                mean, radius = total[e] / reports[e], math.sqrt(1.5 * math.log(t) / reports[e])
                if trust == "local":
                    upper[e] = (mean - flip) / (1 - 2 * flip) + radius / (1 - 2 * flip)
                else:
                    upper[e] = (
                        mean + radius + plain.laplace_sum_bound(counters[e].scales, math.log(2 * t**3)) / reports[e]
                    )
        recommended = plain.least_reported_first(plain.largest(upper, size, streams.choice), reports)
        first, c_t = recommended[0], plain.click(means, recommended, streams.env)
        reports[first] += 1
        if trust == "local":
            total[first] += plain.respond(1 if c_t == 1 else 0, 2, flip, streams.noise)
        else:
            total[first] = counters[first].add(1.0 if c_t == 1 else 0.0)
        rows.append([*recommended, int(min(c_t, size))])
    return rows

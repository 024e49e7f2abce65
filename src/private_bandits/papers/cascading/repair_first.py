"""Our local repair by one question: a user says only, by randomised response, whether the first item was clicked."""

import math

import numpy as np

from private_bandits import checks
from private_bandits import reference_tools as tools
from private_bandits.kernels import index
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.cascading.shared import terms
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.reference_tools import Problem, Rows, Streams


def repaired_local(epsilon: float, *, list_size: int) -> Policy:
    """The least reported item of the list is shown first, and its click is sent by randomised response; ours.

    The reward does not depend on the order of a list. To ask one user about the least pulled arm is CUCB-LDP2 of Chen
    et al. (2020, Algorithm 2), for semi-bandits; a cascade lets us, because its first item is always examined. Mean
    and count are those of a plain bandit: with p the probability of a false answer and m the mean of the answers,
    U = (m - p) / (1 - 2p) + sqrt(1.5 ln t / n) / (1 - 2p).

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

    Notes
    -----
    Not in the paper. No w_0: an item without reports has an infinite index. At each number of reports a radius fails
    with probability about t^-3 a side, by Hoeffding. A regret of order ln T follows, for the item in doubt is asked
    about; it does not for `repair_padded.repaired_padded`.

    Examples
    --------
    >>> policy = repaired_local(0.2, list_size=4)
    >>> policy.name, policy.privacy.label()
    ('Response, first item', 'ε=0.2')
    """
    size = checks.integer("list_size", list_size, at_least=1)
    _, flip = response_probabilities(checks.epsilon(epsilon), n_values=2)
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
    return Policy(
        name="Response, first item",
        algorithm="repair, first",
        variant="repaired",
        privacy=privacy,
        record=record,
        mechanism="response",
        method="first",
    )


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

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    false = checks.real("flip", flip, at_least=0, at_most=1)
    row = np.array([false, 1.0 - false])
    return np.vstack([row, *[row[::-1]] * checks.integer("list_size", list_size, at_least=1, at_most=1_000_000)])


def reference(problem: Problem, rounds: int, streams: Streams, *, epsilon: float, list_size: int) -> Rows:
    """The click of the first item, the least reported of the list, by randomised response.

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity for truthful answers.
    list_size : int
        K, of the problem.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, list_size, range(problem.n_arms)
    flip = 1 / (math.exp(epsilon) + 1)
    reports = [0 for e in items]
    total = [0.0 for e in items]  # of the answers
    rows = []
    for t in range(1, rounds + 1):
        upper = [math.inf for e in items]
        for e in items:
            if reports[e]:
                mean, radius = total[e] / reports[e], math.sqrt(1.5 * math.log(t) / reports[e])
                upper[e] = (mean - flip) / (1 - 2 * flip) + radius / (1 - 2 * flip)
        recommended = tools.least_reported_first(tools.largest(upper, size, streams.choice), reports)
        first, c_t = recommended[0], tools.click(means, recommended, streams.env)
        reports[first] += 1
        total[first] += tools.respond(1 if c_t == 1 else 0, 2, flip, streams.noise)
        rows.append([*recommended, int(min(c_t, size))])
    return rows

"""Our central repair of Algorithm 1 by trees indexed by rounds, for the clicks and the examinations of every item."""

from __future__ import annotations

import math

from private_bandits import checks
from private_bandits.kernels import ratio
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.cascading.instances import round_leaves
from private_bandits.plain import Binary, Problem, Rows, Streams, click, laplace_sum_bound, largest
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, sensitivity


def repaired_rounds(epsilon: float, n_items: int, list_size: int, horizon: int) -> Policy:
    """Two trees an item, for clicks and for examinations, indexed by rounds, and the ratio index; ours.

    An item that is not shown inserts 0. One reply moves the leaves by at most K + 1 in L1 (1 at K = 1).

    Parameters
    ----------
    epsilon : float
        Pure privacy of the sequence of lists when one user's reply changes, > 0; infinity for exact counts.
    n_items : int
        L >= list_size.
    list_size : int
        K >= 1, for which the noise is calibrated.
    horizon : int
        Rounds that the trees are made for, >= 1.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_rounds(0.2, n_items=20, list_size=4, horizon=1000).privacy.label()
    'ε=0.2'
    """
    size = checks.integer("list_size", list_size, at_least=1)
    items = checks.integer("n_items", n_items, at_least=size)
    length = checks.integer("horizon", horizon, at_least=1)
    leaves = sensitivity(round_leaves(size), order=1) * length.bit_length()
    scale = laplace_scale(epsilon, leaves)
    record = ratio.Record(ratio.ROUNDS, scale=scale, list_size=size, n_items=items, horizon=length)
    reason = "trees indexed by rounds, joint sensitivity of clicks and examinations"
    privacy = Guarantee.certified(epsilon, leaves / scale if scale else math.inf, "central", reason)
    facts = {"mechanism": "tree", "method": "rounds", "options": "repaired"}
    return Policy("Trees by rounds", "", "repair, rounds", "", privacy, record, **facts)


def reference(problem: Problem, horizon: int, streams: Streams, epsilon: float, capacity: int) -> Rows:
    """Trees indexed by rounds, made for `capacity` rounds, for the clicks and the examinations of every item.

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
    capacity : int
        Rounds that the trees are made for, >= horizon.

    Returns
    -------
    list of list of int
        A row a round, as `simulate.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, problem.list_size, range(problem.n_items)
    reach = size + 1 if size > 1 else 1
    click_trees = [Binary(epsilon / reach, capacity.bit_length(), streams.noise) for e in items]
    examination_trees = [Binary(epsilon / reach, capacity.bit_length(), streams.noise) for e in items]
    clicks = [0.0 for e in items]
    examined = [0.0 for e in items]
    displayed = [False for e in items]
    rows = []
    for t in range(1, horizon + 1):
        log_t, log_tail = math.log(t), math.log(2 * t**3)
        upper = [math.inf for e in items]
        for e in items:
            if displayed[e] and examined[e] > 0:
                noise = laplace_sum_bound(click_trees[e].scales + examination_trees[e].scales, log_tail)
                upper[e] = (clicks[e] + math.sqrt(1.5 * log_t * (examined[e] + noise)) + noise) / examined[e]
        recommended = largest(upper, size, streams.choice)
        c_t = click(means, recommended, streams.env)
        for e in items:
            position = recommended.index(e) + 1 if e in recommended else math.inf
            clicks[e] = click_trees[e].add(1.0 if c_t == position and position <= size else 0.0)
            seen = position <= size and position <= c_t
            examined[e] = examination_trees[e].add(1.0 if seen else 0.0)
            displayed[e] |= position <= size
        rows.append([*recommended, int(min(c_t, size))])
    return rows

"""The repaired cascades by trust model and design, and why their radii hold."""

from __future__ import annotations

from private_bandits import checks
from private_bandits.papers.cascading.repair_first import repaired_first, repaired_first_counter
from private_bandits.papers.cascading.repair_reply import repaired_one_hot, repaired_reply
from private_bandits.papers.cascading.repair_rounds import repaired_rounds
from private_bandits.policy import Policy

_LOCAL = {"first": repaired_first, "reply": repaired_reply, "one_hot": repaired_one_hot}


def repaired_local(epsilon: float, list_size: int, design: str = "first") -> Policy:
    """Locally private cascades that keep their promise; each user sends one message, whose form is fixed in advance.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0.
    list_size : int
        K >= 1, for which the noise is calibrated.
    design : {"first", "reply", "one_hot"}
        `repair_first.repaired_first`, `repair_reply.repaired_reply` or `repair_reply.repaired_one_hot`.

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
    with probability about t^-3 a side, by Hoeffding (`first`, `reply`) or by the Laplace-sum tail of Chan et al.
    (`one_hot`). Only for `first` does a regret of order ln T follow: the item in doubt is the one that is asked about.

    Examples
    --------
    >>> repaired_local(1.0, list_size=4).name
    'Response, first item'
    """
    return _LOCAL[checks.choice("design", design, tuple(_LOCAL))](epsilon, list_size)


def repaired_central(epsilon: float, n_items: int, list_size: int, horizon: int, design: str = "first") -> Policy:
    """Centrally private cascades that keep their promise.

    Parameters
    ----------
    epsilon : float
        Pure privacy of the sequence of lists when one user's reply changes, > 0.
    n_items : int
        L >= list_size.
    list_size : int
        K >= 1.
    horizon : int
        Longest run that the counters are calibrated for, >= 1.
    design : {"first", "rounds"}
        `repair_first.repaired_first_counter` or `repair_rounds.repaired_rounds`.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Not in the paper. No w_0. The bonus is the tail bound of the counters' own noise, which fails with
    probability t^-3 at each number of reports. Only for `first` does a regret bound follow.

    Examples
    --------
    >>> repaired_central(1.0, n_items=20, list_size=4, horizon=1000).name
    'Hybrid, first item'
    """
    by_rounds = repaired_rounds(epsilon, n_items, list_size, horizon)
    first = checks.choice("design", design, ("first", "rounds")) == "first"
    return repaired_first_counter(epsilon, list_size) if first else by_rounds

"""The instance of the experiments, and what one user can answer."""

import numpy as np

from private_bandits import checks
from private_bandits.problems import Cascade, SemiBandit

_LONGEST = 1000  # of the lists whose channel is a matrix


def b_lb(n_arms: int, list_size: int, p: float, gap: float) -> Cascade:
    """B_LB of Kveton et al. (2015), Section 5.1: `list_size` items of weight p, the others of p - gap.

    Wang et al. (2021) do not state their weights; the proof of their Theorem 11 uses this family.

    Parameters
    ----------
    n_arms : int
        L >= 2.
    list_size : int
        K, 1 <= list_size < n_arms.
    p : float
        Weight of the attractive items, in (0, 1).
    gap : float
        Distance of the others, in (0, p).

    Returns
    -------
    Cascade

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> b_lb(4, list_size=2, p=0.5, gap=0.25).means
    array([0.5 , 0.5 , 0.25, 0.25])
    """
    return Cascade(_weights(n_arms, list_size, p, gap), list_size)


def b_lb_semi(n_arms: int, list_size: int, p: float, gap: float) -> SemiBandit:
    """The weights of `b_lb` as a top-K semi-bandit, for the CUCB panels.

    Parameters
    ----------
    n_arms : int
        L >= 2.
    list_size : int
        K, 1 <= list_size < n_arms.
    p : float
        Mean of the best arms, in (0, 1).
    gap : float
        Distance of the others, in (0, p).

    Returns
    -------
    SemiBandit

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> print(b_lb_semi(3, list_size=1, p=0.5, gap=0.25))
    SemiBandit.top_k(n_arms=3, list_size=1)
    """
    return SemiBandit.top_k(_weights(n_arms, list_size, p, gap), list_size)


def _weights(n_arms: int, list_size: int, p: float, gap: float) -> np.ndarray:
    checks.integer("n_arms", n_arms, at_least=2)
    checks.integer("list_size", list_size, at_least=1, at_most=n_arms - 1)
    checks.real("p", p, above=0, below=1)
    checks.real("gap", gap, above=0, below=p)
    return np.where(np.arange(n_arms) < list_size, p, p - gap)


def one_hot_replies(list_size: int) -> np.ndarray:
    """Every reply of a cascade as a padded click vector.

    Parameters
    ----------
    list_size : int
        K >= 1.

    Returns
    -------
    float64 array, shape (list_size + 1, list_size)
        A row per reply: the click at 1, ..., K, or none.
    """
    return np.vstack([np.eye(list_size), np.zeros(list_size)])


def length_channel(list_size: int) -> np.ndarray:
    """Channel from the reply to the number of positions that were observed: min(C_t, K).

    Parameters
    ----------
    list_size : int
        K, 1 to 1000.

    Returns
    -------
    float64 array, shape (list_size + 1, list_size)
        A row per reply (click at 1, ..., K, none), a column per number of observed positions, from 1.

    Raises
    ------
    ValueError
        If the size is out of range.
    """
    size = checks.integer("list_size", list_size, at_least=1, at_most=_LONGEST)
    return np.vstack([np.eye(size), np.eye(size)[-1]])


def padded_replies(list_size: int) -> np.ndarray:
    """What one cascade reply adds to the clicks and to the examinations of the shown items.

    Parameters
    ----------
    list_size : int
        K >= 1.

    Returns
    -------
    float64 array, shape (list_size + 1, 2 list_size)
        A row per reply: clicks of the positions, then their examinations.
    """
    clicks = one_hot_replies(list_size)
    return np.hstack([clicks, np.vstack([np.tri(list_size), np.ones(list_size)])])

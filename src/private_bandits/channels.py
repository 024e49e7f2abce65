"""Exact privacy losses of finite randomisers, and sensitivities by brute force."""

from typing import Any

import numpy as np

from private_bandits import checks


def channel_loss(channel: Any) -> float:
    """Exact pure privacy loss of a finite randomiser.

    Parameters
    ----------
    channel : array_like of float, shape (inputs, outputs)
        Row i is the distribution of the output on input i; rows sum to 1 within 1e-12.

    Returns
    -------
    float
        The smallest epsilon >= 0 with P(y | i) <= exp(epsilon) P(y | j) for every output y and any inputs i and
        j, as in local privacy; infinity when an output is possible on some inputs only.

    Raises
    ------
    ValueError
        If the channel is not row-stochastic.
    """
    rows = stochastic(channel)
    found = logs(rows[:, rows.max(axis=0) > 0])
    return float((found.max(axis=0) - found.min(axis=0)).max())


def stochastic(channel: Any, name: str = "channel") -> np.ndarray:
    """Check a channel.

    Parameters
    ----------
    channel : array_like of float, shape (inputs, outputs)
        As for `channel_loss`.
    name : str
        Of the argument, for the message.

    Returns
    -------
    float array, shape (inputs, outputs)

    Raises
    ------
    ValueError
        If it is not row-stochastic.
    """
    rows = checks.array(name, channel, ndim=2)
    if (rows < 0).any():
        raise ValueError(f"{name} must have entries >= 0, got {checks.brief(rows.min())}")
    totals = rows.sum(axis=1)
    if np.abs(totals - 1).max() > 1e-12:
        raise ValueError(f"{name} must have rows that sum to 1, got {totals[np.argmax(np.abs(totals - 1))]}")
    return rows


def sensitivity(messages: Any, *, order: int = 1) -> float:
    """Largest distance between two messages, by brute force.

    Parameters
    ----------
    messages : array_like of float, shape (messages, length)
        Every message that is feasible, before noise; any two are neighbours.
    order : {1, 2}
        1 for the L1 norm (Laplace noise), 2 for the L2 norm (Gaussian noise).

    Returns
    -------
    float
        max over i, j of the norm of messages[i] - messages[j].

    Raises
    ------
    ValueError
        If the messages are not a finite, non-empty 2-d array or the order is neither 1 nor 2.
    """
    if checks.integer("order", order) not in (1, 2):
        raise ValueError(f"order must be 1 or 2, got {checks.brief(order)}")
    rows = checks.array("messages", messages, ndim=2)
    return max(float(np.linalg.norm(rows - row, ord=order, axis=1).max()) for row in rows)


def logs(laws: np.ndarray) -> np.ndarray:
    """Take logarithms of probabilities.

    Parameters
    ----------
    laws : float array
        Each >= 0, or NaN.

    Returns
    -------
    float array, shape as laws
        Minus infinity where a probability is 0.
    """
    with np.errstate(divide="ignore"):
        return np.log(laws)

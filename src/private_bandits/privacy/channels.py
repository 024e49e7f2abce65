"""Exact privacy losses of finite randomisers, and sensitivities by brute force."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from private_bandits import checks


def channel_loss(channel: Any, neighbours: Sequence[tuple[int, int]] | None = None) -> float:
    """Exact pure privacy loss of a finite randomiser.

    Parameters
    ----------
    channel : array_like of float, shape (inputs, outputs)
        Row i is the distribution of the output on input i; rows sum to 1 within 1e-12.
    neighbours : sequence of (int, int), optional
        Pairs of neighbouring inputs, each taken in both orders; by default all pairs, as in local privacy.

    Returns
    -------
    float
        The smallest epsilon >= 0 with P(y | i) <= exp(epsilon) P(y | j) for every output y and neighbours i,
        j; infinity when an output is possible on one of two neighbours only.

    Raises
    ------
    ValueError
        If the channel is not row-stochastic or a pair does not name two inputs.
    """
    return max((_pure_loss(p, q) for p, q in _rows(channel, neighbours)), default=0.0)


def channel_delta(channel: Any, epsilon: float, neighbours: Sequence[tuple[int, int]] | None = None) -> float:
    """Exact delta of a finite randomiser at epsilon, a hockey-stick divergence.

    Parameters
    ----------
    channel : array_like of float, shape (inputs, outputs)
        Row i is the distribution of the output on input i; rows sum to 1 within 1e-12.
    epsilon : float
        Privacy parameter, >= 0; infinity is allowed.
    neighbours : sequence of (int, int), optional
        Pairs of neighbouring inputs, each taken in both orders; by default all pairs.

    Returns
    -------
    float
        max over neighbours i, j of sum_y max(0, P(y | i) - exp(epsilon) P(y | j)).

    Raises
    ------
    ValueError
        If the channel is not row-stochastic, epsilon is negative or a pair does not name two inputs.
    """
    epsilon = checks.real("epsilon", epsilon, at_least=0, infinite=True)
    return max((_hockey_stick(p, q, epsilon) for p, q in _rows(channel, neighbours)), default=0.0)


def channel_epsilon(channel: Any, delta: float, neighbours: Sequence[tuple[int, int]] | None = None) -> float:
    """Exact epsilon of a finite randomiser at delta.

    Parameters
    ----------
    channel : array_like of float, shape (inputs, outputs)
        Row i is the distribution of the output on input i; rows sum to 1 within 1e-12.
    delta : float
        Probability with which the loss may exceed epsilon, in [0, 1).
    neighbours : sequence of (int, int), optional
        Pairs of neighbouring inputs, each taken in both orders; by default all pairs.

    Returns
    -------
    float
        The smallest epsilon >= 0 at which `channel_delta` is at most delta; infinity if there is none.

    Raises
    ------
    ValueError
        If the channel is not row-stochastic, delta is out of range or a pair does not name two inputs.

    Notes
    -----
    Solved, not searched: P(S) - exp(epsilon) Q(S) <= delta must hold for every set S of outputs, and is
    tightest on the sets that collect the outputs of largest ratio P/Q.
    """
    delta = checks.real("delta", delta, at_least=0, below=1)
    return max((_loss_at(p, q, delta) for p, q in _rows(channel, neighbours)), default=0.0)


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
        raise ValueError(f"order must be 1 or 2, got {order!r}")
    rows = _matrix("messages", messages)
    return max(float(np.linalg.norm(rows - row, ord=order, axis=1).max()) for row in rows)


def _matrix(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a non-empty 2-d array of finite numbers, got {value!r}")
    return array.astype(float)


def _rows(channel: Any, neighbours: Sequence[tuple[int, int]] | None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of each ordered pair of neighbours."""
    rows = _matrix("channel", channel)
    if (rows < 0).any():
        raise ValueError(f"channel must have entries >= 0, got {rows.min()!r}")
    totals = rows.sum(axis=1)
    if np.abs(totals - 1).max() > 1e-12:
        raise ValueError(f"channel must have rows that sum to 1, got {totals[np.argmax(np.abs(totals - 1))]!r}")
    inputs = len(rows)
    if neighbours is None:
        neighbours = [(i, j) for i in range(inputs) for j in range(i)]
    elif len(neighbours) == 0:
        raise ValueError(f"neighbours must not be empty, got {neighbours!r}")
    for pair in neighbours:
        if len(pair) != 2:
            raise ValueError(f"neighbours must be pairs of inputs, got {pair!r}")
        i, j = (checks.integer("neighbours", k, at_least=0, at_most=inputs - 1) for k in pair)
        yield rows[i], rows[j]
        yield rows[j], rows[i]


def _pure_loss(p: np.ndarray, q: np.ndarray) -> float:
    possible = p > 0
    return max(0.0, float((_log(p[possible]) - _log(q[possible])).max()))


def _hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    if math.isinf(epsilon):
        return float(p[q == 0].sum())
    # Where exp(epsilon) q exceeds 1 it exceeds p, so the exponent can be cut before it overflows.
    return float(np.maximum(p - np.exp(np.minimum(epsilon + _log(q), 1.0)), 0.0).sum())


def _loss_at(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    possible = p > 0
    p, q = p[possible], q[possible]
    order = np.argsort(_log(q) - _log(p), kind="stable")
    excess = np.cumsum(p[order]) - delta
    # What exceeds delta by rounding alone does not exceed it.
    beyond = excess > 1e-14 * delta
    return max(0.0, float((_log(excess[beyond]) - _log(np.cumsum(q[order])[beyond])).max(initial=-np.inf)))


def _log(x: np.ndarray) -> np.ndarray:
    logs: np.ndarray = np.log(x, out=np.full(x.shape, -np.inf), where=x > 0)
    return logs

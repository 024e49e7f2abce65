"""Why Algorithm 1 perturbs the loss and not its gradient: noise <n, x> is no noise at x = 0 (Section 3.1).

Agarwal and Singh (2017) add <n, x> to a linear loss <g, x>, which is to send the loss of g + n: two users differ by
|<g - g', x>| <= |g - g'| |x|, as far as the noise reaches. A loss that is not linear may differ at x = 0, where
nothing is added.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.privacy import channel_loss


def perturbed_epsilon(norm: float, difference: float, sigma: float, delta: float) -> float:
    """Exact epsilon at delta of the message f(x) + <n, x>, n ~ N(0, sigma^2 I).

    Parameters
    ----------
    norm : float
        |x| >= 0.
    difference : float
        |f(x) - f'(x)| >= 0 of the two users.
    sigma : float
        > 0.
    delta : float
        In (0, 1).

    Returns
    -------
    float
        Infinite where the users differ and x = 0.
    """
    spread = checks.real("sigma", sigma, above=0) * checks.real("norm", norm, at_least=0)
    if checks.real("difference", difference, at_least=0) == 0.0:
        return 0.0
    return gaussian_epsilon(spread, delta, difference)


def nearer_zero(epsilon: float, delta: float, norms: np.ndarray | list[float]) -> pd.DataFrame:
    """What the message of a user pays at points x ever nearer to 0, with sigma calibrated for epsilon.

    Two users have the losses <g, x> and <-g, x> with |g| = 1, or 1 and -1 whatever the point: both range over [-1, 1]
    on the unit ball, and sigma is the analytic one for a difference of 2.

    Returns
    -------
    pandas.DataFrame
        Columns `norm, linear, constant, algorithm_1`: the exact epsilon at delta of <n, x> on the linear losses, of
        <n, x> on the constant ones, and of Algorithm 1's noise on either.
    """
    sigma = gaussian_sigma(epsilon, delta, 2.0)
    rows = []
    for norm in norms:
        size = checks.real("norms", norm, at_least=0, at_most=1)
        rows.append(
            {
                "norm": size,
                "linear": perturbed_epsilon(size, 2.0 * size, sigma, delta),
                "constant": perturbed_epsilon(size, 2.0, sigma, delta),
                "algorithm_1": gaussian_epsilon(sigma, delta, 2.0),
            }
        )
    return pd.DataFrame(rows)


def finite_loss(epsilon: float, point: int, losses: list[list[int]], modulus: int = 7, additive: bool = False) -> float:
    """Exact privacy loss of a finite copy of the example, by its channel.

    A user whose losses at the points 0, 1, 2, ... are integers sends f(x) + n x modulo `modulus`, or f(x) + n
    (`additive`, Algorithm 1), where n has probability proportional to exp(-epsilon' |n|) on the residues nearest to 0
    and epsilon' = epsilon / (largest distance of residues).

    Parameters
    ----------
    epsilon : float
        Pure privacy that n gives to any residue, > 0.
    point : int
        x, a column of `losses`.
    losses : list of list of int
        A row for each user: f(0), f(1), ...
    modulus : int
        An odd prime, so that n x takes every residue at x != 0.
    additive : bool

    Returns
    -------
    float
        Infinite where a message tells two users apart for sure.
    """
    size = checks.integer("modulus", modulus, at_least=3)
    if any(size % k == 0 for k in range(2, math.isqrt(size) + 1)) or size == 2:
        raise ValueError(f"modulus must be an odd prime, got {modulus}")
    half = size // 2
    rate = checks.epsilon(epsilon) / half
    weights = np.exp(-rate * np.abs(np.arange(-half, half + 1)))
    factor = 1 if additive else checks.integer("point", point, at_least=0, at_most=min(map(len, losses)) - 1)
    channel = np.zeros((len(losses), size))
    for user, values in enumerate(losses):
        for n, weight in zip(range(-half, half + 1), weights / np.sum(weights), strict=True):
            channel[user, (values[point] + n * factor) % size] += weight
    return float(channel_loss(channel))

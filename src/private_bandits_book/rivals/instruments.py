"""A parameter from residuals times an instrument: what rivals share that play greedily by least squares."""

import math

import numpy as np
from scipy.special import betainc

from private_bandits.compilation import compiled
from private_bandits.kernels.parts.cholesky import dot, factorise, solve

__all__ = ["FRESH", "alike", "clipped", "fresh", "instrument", "learn"]

ALONG = 0.5  # what an instrument keeps of the part of x that lies along theta
SURE = 0.05  # by how much an entry of the guessed slopes is off, for one round
NORM = 0.2  # of a coordinate of theta, its deviation before anything is known
LEAST = 0.1  # of the slopes' mean: smaller ones are not trusted
FRESH = ("told", "slopes", "moved", "tally", "theta")


def fresh(dim: int) -> dict[str, np.ndarray]:
    """Return what `learn` carries from release to release, by the names of `FRESH`.

    They are the sum of residuals times instruments; the slopes of that in theta, as released and as guessed; those
    times the theta of their time; the rounds of which slopes were released, the variance of an entry of theirs, and
    that of the first sum; and theta.
    """
    return dict(
        zip(
            FRESH, (np.zeros(dim), np.zeros((2, dim, dim)), np.zeros((2, dim)), np.zeros(3), np.zeros(dim)), strict=True
        )
    )


def alike(dim: int, n_actions: int) -> np.ndarray:
    """Return the slopes along theta and across it of greedy play among random unit vectors, for one round."""
    if dim == 1:
        return np.ones(2)
    edges = np.linspace(0.0, math.pi, 4001)
    below = 0.5 * betainc(0.5 * (dim - 1), 0.5, np.sin(edges) ** 2)
    chosen = -np.diff((1.0 - np.where(edges > math.pi / 2, 1.0 - below, below)) ** n_actions)
    cosine = np.cos((edges[1:] + edges[:-1]) / 2.0) ** 2
    length = np.sqrt(ALONG**2 * cosine + 1.0 - cosine)
    return np.array([chosen @ (ALONG * cosine / length), chosen @ ((1.0 - cosine) / length) / (dim - 1)])


@compiled
def instrument(x, theta, found):
    """Write D x/|D x|, where D halves what lies along theta, and return |D x|."""
    dim, square, inner = len(x), 0.0, 0.0
    for i in range(dim):
        square += theta[i] * theta[i]
        inner += theta[i] * x[i]
    cut = (1.0 - ALONG) * inner / square if square > 0.0 else 0.0
    for i in range(dim):
        found[i] = x[i] - cut * theta[i]
    length = math.sqrt(dot(found, found))
    for i in range(dim):
        found[i] /= max(length, 1e-300)
    return length


@compiled
def learn(state, rounds, weight, told, variance, about, spread, guess):
    """Add a release and move theta.

    `told` is the sum of residuals times instruments q, each entry with a noise of that variance; `about` that of
    |D x| q q', with a noise of variance `spread`, which is not read while theta is 0; `guess` is that of `alike`.
    """
    dim, theta, tally = len(told), state.theta, state.tally
    square, known = dot(theta, theta), 0.0
    for i in range(dim):
        along = dot(about[i], theta)
        for j in range(dim):
            unit, same = theta[i] * theta[j] / max(square, 1e-300), 1.0 if i == j else 0.0
            likely = rounds * (guess[1] * same + (guess[0] - guess[1]) * unit)
            found = about[i, j] + (1.0 / ALONG - 1.0) * along * theta[j] / max(square, 1e-300)
            if square == 0.0:
                likely = rounds / dim * same
                found = likely
            state.slopes[0, i, j] += weight * found
            state.slopes[1, i, j] += weight * likely
            state.moved[0, i] += weight * found * theta[j]
            state.moved[1, i] += weight * likely * theta[j]
        state.told[i] += weight * told[i]
    tally[2] += weight * weight * variance
    if square > 0.0:
        tally[0] += weight * rounds
        tally[1] += weight * weight * spread
    if tally[0] > 0.0:
        known = SURE**2 / (SURE**2 + tally[1] / tally[0] ** 2)
    slopes, wanted, mean, likely = np.empty((dim, dim)), np.empty(dim), 0.0, 0.0
    for i in range(dim):
        for j in range(dim):
            slopes[i, j] = known * state.slopes[0, i, j] + (1.0 - known) * state.slopes[1, i, j]
        mean += slopes[i, i] / dim
        likely += state.slopes[1, i, i] / dim
    for i in range(dim):
        slopes[i, i] += tally[2] / (NORM**2 * max(mean, 1e-300))
        wanted[i] = known * state.moved[0, i] + (1.0 - known) * state.moved[1, i] + state.told[i]
        wanted[i] -= dot(slopes[i], theta)
    _towards(slopes, wanted, LEAST * likely, theta)


@compiled(inline="always")
def _towards(slopes, wanted, least, theta):
    """Move theta by the least squares of slopes times the step less what is wanted, and into the unit ball."""
    dim = len(theta)
    normal, factor, step = np.zeros((dim, dim)), np.empty((dim, dim)), np.zeros(dim)
    for k in range(dim):
        for i in range(dim):
            step[i] += slopes[k, i] * wanted[k]
            for j in range(dim):
                normal[i, j] += slopes[k, i] * slopes[k, j]
    if not factorise(normal, least * least, factor):
        return
    solve(factor, step)
    for i in range(dim):
        theta[i] += step[i]
    norm = math.sqrt(dot(theta, theta))
    for i in range(dim):
        theta[i] /= max(1.0, norm)


@compiled
def clipped(problem, mean, guess, clip):
    """Return the mean of clip(y - guess, -clip, clip), and that of its square."""
    low, high = mean - guess - problem.spread, mean - guess + problem.spread
    if problem.binary:
        low, high = -guess, 1.0 - guess
    a, b = min(max(low, -clip), clip), min(max(high, -clip), clip)
    if problem.binary:
        return a + mean * (b - a), a * a + mean * (b * b - a * a)
    if not high > low:
        return a, a * a
    below, above, inside = (max(-clip - low, 0.0), max(high - clip, 0.0), b - a)
    middle = inside * (a + b) / 2.0 + clip * (above - below)
    second = inside * (a * a + a * b + b * b) / 3.0 + clip**2 * (above + below)
    return middle / (high - low), second / (high - low)

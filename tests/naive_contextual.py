"""Algorithms 3 and 5 of Zheng et al. (2020) and GLOC, transcribed in plain NumPy: the oracle of the linear kernel.

A transcription reads the three streams in the order of the kernel: environment (the actions one after the other, then
the reward), choice (ties only), noise (the upper triangle of B row by row, then xi, then r). It returns, for each
round, the action and 1, the number of observed positions.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from private_bandits.plain import largest


def sigmoid(a):
    return 1.0 / (1.0 + math.exp(-a))


def unit_vectors(theta, n_actions):
    """The action sets D_t and the mean of <x, theta>: unit vectors, drawn one after the other."""

    def draw(env):
        vectors = env.standard_normal((n_actions, len(theta)))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors, vectors @ np.asarray(theta)

    return draw


def noisy(mean, env, spread=1.0):
    """y = <x, theta> + eta, eta uniform on [-spread, spread]."""
    return mean + spread * (2.0 * env.random() - 1.0)


def bernoulli(mean, env):
    """y = 1 with probability g(<x, theta>), else 0."""
    return 1.0 if env.random() < sigmoid(mean) else 0.0


def symmetric(rng, dim, sigma):
    """B_t(i, j) iid N(0, sigma^2) for i <= j, and B(j, i) = B(i, j)."""
    b = np.zeros((dim, dim))
    if sigma:
        for i in range(dim):
            for j in range(i, dim):
                b[i, j] = b[j, i] = sigma * rng.standard_normal()
    return b


def gaussians(rng, dim, sigma):
    """A vector of independent N(0, sigma^2); nothing is drawn at 0."""
    return sigma * rng.standard_normal(dim) if sigma else np.zeros(dim)


def argmax(v_bar, theta, beta, vectors, choice):
    """argmax <theta, x> + beta |x| in the norm of the inverse of V bar; without an inverse or data, any action."""
    eigenvalues = np.linalg.eigvalsh(v_bar)
    if eigenvalues[0] <= 1e-11 * eigenvalues[-1]:
        return largest([math.inf] * len(vectors), 1, choice)[0]
    norms = [math.sqrt(x @ np.linalg.solve(v_bar, x)) for x in vectors]
    return largest([theta @ x + beta * norm for x, norm in zip(vectors, norms, strict=True)], 1, choice)[0]


def solved(v_bar, u):
    """V bar^-1 u, or zeros where a later action does not depend on it."""
    eigenvalues = np.linalg.eigvalsh(v_bar)
    return np.linalg.solve(v_bar, u) if eigenvalues[0] > 1e-11 * eigenvalues[-1] else np.zeros(len(u))


def algorithm_5(dim, horizon, streams, draw, reward, sigma, c, beta):
    """LDP-LinUCB; c and beta are functions of t."""
    v, u, theta, v_bar = np.zeros((dim, dim)), np.zeros(dim), np.zeros(dim), np.zeros((dim, dim))
    shown = []
    for t in range(1, horizon + 1):
        vectors, means = draw(streams.env)
        k = argmax(v_bar, theta, beta(t - 1), vectors, streams.choice)
        x, y = vectors[k], reward(means[k], streams.env)
        v = v + np.outer(x, x) + symmetric(streams.noise, dim, sigma)
        u = u + y * x + gaussians(streams.noise, dim, sigma)
        v_bar = v + c(t) * np.eye(dim)
        theta = solved(v_bar, u)
        shown.append([k, 1])
    return shown


def algorithm_3(dim, horizon, streams, draw, sigma, gradient_sigma, zeta, c, beta):
    """LDP generalised linear bandit, logistic."""
    v, u, theta, v_bar = np.zeros((dim, dim)), np.zeros(dim), np.zeros(dim), np.zeros((dim, dim))
    estimate = np.zeros(dim)
    shown = []
    for t in range(1, horizon + 1):
        vectors, means = draw(streams.env)
        k = argmax(v_bar, theta, beta(t - 1), vectors, streams.choice)  # line 7
        x, y = vectors[k], bernoulli(means[k], streams.env)  # line 8
        z = x @ estimate
        v = v + np.outer(x, x) + symmetric(streams.noise, dim, sigma)  # line 9
        u = u + z * x + gaussians(streams.noise, dim, sigma)
        gradient = (sigmoid(z) - y) * x + gaussians(streams.noise, dim, gradient_sigma)
        v_bar = v + c(t) * np.eye(dim)  # line 11
        theta = solved(v_bar, u)
        estimate = estimate - zeta * gradient
        estimate = estimate / max(np.linalg.norm(estimate), 1.0)
        shown.append([k, 1])
    return shown


def gloc_newton(dim, horizon, streams, draw, ridge, kappa, beta):
    """GLOC with online Newton steps; beta is a function of t and of sum of g^2 |x|^2 in the norm of A^-1."""
    a, u, theta, estimate = np.zeros((dim, dim)), np.zeros(dim), np.zeros(dim), np.zeros(dim)
    squares, shown = 0.0, []
    for t in range(1, horizon + 1):
        vectors, means = draw(streams.env)
        k = argmax(a, theta, beta(t - 1, squares), vectors, streams.choice)
        x, y = vectors[k], bernoulli(means[k], streams.env)
        z = x @ estimate
        g = sigmoid(z) - y
        a = a + np.outer(x, x) + (ridge * np.eye(dim) if t == 1 else 0.0)
        u = u + z * x
        theta = np.linalg.solve(a, u)
        inverse = np.linalg.solve(a, x)
        squares += g * g * (x @ inverse)
        estimate = nearest(a, estimate - g / kappa * inverse)
        shown.append([k, 1])
    return shown


def nearest(a, point):
    """The point of the unit ball that is nearest in the norm of A, by the eigenvectors of A and bisection."""
    if point @ point <= 1.0:
        return point
    values, vectors = np.linalg.eigh(a)
    coordinates = vectors.T @ point

    def excess(multiplier):
        return np.sum((values * coordinates / (values + multiplier)) ** 2) - 1.0

    multiplier = brentq(excess, 0.0, values[-1] * np.linalg.norm(point), xtol=1e-14, rtol=1e-14)
    return vectors @ (values * coordinates / (values + multiplier))


def printed_5(epsilon, delta, dim, horizon, alpha):
    """Sigma, c_t and beta_t of Algorithm 5, as printed in the public codes."""
    s = 6.0 * math.sqrt(2.0 * math.log(2.5 / delta)) / epsilon

    def upsilon(t):
        return s * math.sqrt(t) * (4.0 * math.sqrt(dim) + 2.0 * math.log(2.0 * horizon / alpha))

    def beta(t):
        if t == 0 or s == 0.0:
            return 0.0
        bracket = math.sqrt(3.0 * upsilon(t)) + s * math.sqrt(dim * t / upsilon(t))
        return 2.0 * s * math.sqrt(dim * math.log(horizon)) + bracket * dim * math.log(horizon)

    return s, lambda t: 2.0 * upsilon(t), beta


def derived(sigma, dim, horizon, alpha, ridge, events, fit, printed_shift=False):
    """c_t and beta_t by the derivation; fit(t, failure) is its first term."""
    failure = alpha / events

    def upsilon(t):
        if printed_shift:
            return sigma * math.sqrt(t) * (4.0 * math.sqrt(dim) + 2.0 * math.log(2.0 * horizon / alpha))
        return 2.0 * sigma * math.sqrt(t) * (math.sqrt(dim) + math.sqrt(math.log(2.0 * horizon / failure)))

    def beta(t):
        low = ridge + upsilon(t)
        moments = sigma * math.sqrt(t) * (math.sqrt(dim) + math.sqrt(2.0 * math.log(horizon / failure)))
        rest = math.sqrt(ridge + 3.0 * upsilon(t)) + moments / math.sqrt(low) if low else 0.0
        return fit(t, failure, ridge + upsilon(1)) + rest

    return lambda t: ridge + 2.0 * upsilon(t), beta


def self_normalised(dim):
    """The first term of LinUCB's radius, for noise in [-1, 1]."""
    return lambda t, failure, least: math.sqrt(2.0 * math.log(1.0 / failure) + dim * math.log(1.0 + t / dim / least))


def gloc_fit(cost, kappa, r, failure):
    """Jun et al. (2017), Theorem 1: the root of alpha_t for online learners of regret `cost`."""
    inside = 1.0 + 2.0 / kappa * cost + 4.0 * r**4 / (kappa**4 * failure**2)
    return math.sqrt(1.0 + 4.0 / kappa * cost + 8.0 * r**2 / kappa**2 * math.log(2.0 / failure * math.sqrt(inside)))


def gradient_cost(dim, horizon, reach, gradient_sigma, zeta):
    """Regret bound of noisy gradient steps after t rounds, from 0 in the unit ball."""

    def cost(t, failure):
        log = math.log(horizon / failure)
        longest = reach + gradient_sigma * (math.sqrt(dim) + math.sqrt(2.0 * log))
        return 1.0 / (2.0 * zeta) + zeta / 2.0 * t * longest**2 + 2.0 * gradient_sigma * math.sqrt(2.0 * t * log)

    return cost

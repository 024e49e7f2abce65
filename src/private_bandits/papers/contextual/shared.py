"""What the references of the contextual algorithms share: a user's action, reward and noise, and the radii of proofs.

A reference reads the three streams in the order of the kernel: environment (the actions one after the other, then the
reward), choice (ties only), noise (the upper triangle of B row by row, then xi, then r). Its rows hold the action and
1, the number of observed positions.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq

from private_bandits.reference_tools import Generator, largest


def sigmoid(a: float) -> float:
    """The logistic link.

    Parameters
    ----------
    a : float

    Returns
    -------
    float
        In (0, 1).
    """
    return 1.0 / (1.0 + math.exp(-a))


def action_set(problem: Any, env: Generator) -> tuple[Any, Any]:
    """D_t, a row per action, and the mean rewards: a set of the table, or unit vectors drawn one after the other.

    Parameters
    ----------
    problem : LinearContext
    env : Generator
        A uniform number for the set of a table, or normal numbers for unit vectors.

    Returns
    -------
    tuple of arrays
        Shapes (actions, dim) and (actions,).
    """
    if len(problem.sets):
        which = int(env.random() * len(problem.sets))
        return problem.sets[which], problem.means[which]
    vectors = env.standard_normal((problem.n_actions, problem.dim))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    means = vectors @ problem.theta
    return vectors, [sigmoid(mean) for mean in means] if problem.binary else means


def reward(problem: Any, mean: float, env: Generator) -> float:
    """1 with the mean's probability, else 0; or the mean plus noise that is uniform on [-noise, noise].

    Parameters
    ----------
    problem : LinearContext
    mean : float
        Of the action's reward.
    env : Generator
        One uniform number.

    Returns
    -------
    float
    """
    if problem.binary:
        return 1.0 if env.random() < mean else 0.0
    return float(mean + problem.noise * (2.0 * env.random() - 1.0))


def symmetric(noise: Generator, dim: int, sigma: float) -> Any:
    """B_t(i, j) iid N(0, sigma^2) for i <= j, and B(j, i) = B(i, j).

    Parameters
    ----------
    noise : Generator
        dim (dim + 1) / 2 normal numbers, or none at 0.
    dim : int
        d >= 1.
    sigma : float
        >= 0.

    Returns
    -------
    float64 array, shape (dim, dim)
    """
    b = np.zeros((dim, dim))
    if sigma:
        for i in range(dim):
            for j in range(i, dim):
                b[i, j] = b[j, i] = sigma * noise.standard_normal()
    return b


def gaussians(noise: Generator, dim: int, sigma: float) -> Any:
    """A vector of independent N(0, sigma^2); nothing is drawn at 0.

    Parameters
    ----------
    noise : Generator
        `dim` normal numbers, or none at 0.
    dim : int
        d >= 1.
    sigma : float
        >= 0.

    Returns
    -------
    float64 array, shape (dim,)
    """
    return sigma * noise.standard_normal(dim) if sigma else np.zeros(dim)


def optimistic(v_bar: Any, theta: Any, beta: float, vectors: Any, choice: Generator) -> int:
    """argmax <theta, x> + beta |x| in the norm of the inverse of V bar; without an inverse or data, any action.

    Parameters
    ----------
    v_bar : float64 array, shape (dim, dim)
        Symmetric.
    theta : float64 array, shape (dim,)
    beta : float
        >= 0.
    vectors : float64 array, shape (actions, dim)
    choice : Generator
        Of ties.

    Returns
    -------
    int
        Row of `vectors`.
    """
    eigenvalues = np.linalg.eigvalsh(v_bar)
    if eigenvalues[0] <= 1e-11 * eigenvalues[-1]:
        return largest([math.inf] * len(vectors), 1, choice)[0]
    norms = [math.sqrt(x @ np.linalg.solve(v_bar, x)) for x in vectors]
    return largest([theta @ x + beta * norm for x, norm in zip(vectors, norms, strict=True)], 1, choice)[0]


def solved(v_bar: Any, u: Any) -> Any:
    """V bar^-1 u, or zeros where a later action does not depend on it.

    Parameters
    ----------
    v_bar : float64 array, shape (dim, dim)
        Symmetric.
    u : float64 array, shape (dim,)

    Returns
    -------
    float64 array, shape (dim,)
    """
    eigenvalues = np.linalg.eigvalsh(v_bar)
    return np.linalg.solve(v_bar, u) if eigenvalues[0] > 1e-11 * eigenvalues[-1] else np.zeros(len(u))


def derived(
    sigma: float,
    dim: int,
    horizon: int,
    beta: float,
    ridge: float,
    events: int,
    fit: Callable[[int], float],
    printed: bool = False,
) -> tuple[Callable[[int], float], Callable[[int], float]]:
    """c_t and beta_t of `ellipsoids`, the shift derived or printed; `fit` takes t.

    Parameters
    ----------
    sigma : float
        >= 0.
    dim : int
        d >= 1.
    horizon : int
        T >= 1.
    beta : float
        In (0, 1).
    ridge : float
        >= 0.
    events : int
        Among which beta is shared, >= 1.
    fit : callable
        Round to the radius of the fit.
    printed : bool
        Whether the shift is the printed one.

    Returns
    -------
    tuple of callable
        Round to c_t, and to beta_t.
    """

    def upsilon(t: int) -> float:
        if printed:
            return sigma * math.sqrt(t) * (4.0 * math.sqrt(dim) + 2.0 * math.log(2.0 * horizon / beta))
        return 2.0 * sigma * math.sqrt(t) * (math.sqrt(dim) + math.sqrt(math.log(2.0 * horizon * events / beta)))

    def radius(t: int) -> float:
        low = ridge + upsilon(t)
        moments = sigma * math.sqrt(t) * (math.sqrt(dim) + math.sqrt(2.0 * math.log(horizon * events / beta)))
        rest = math.sqrt(ridge + 3.0 * upsilon(t)) + moments / math.sqrt(low) if low else 0.0
        return fit(t) + rest

    return lambda t: ridge + 2.0 * upsilon(t), radius


def regret_fit(cost: float, kappa: float, r: float, beta: float) -> float:
    """Jun et al. (2017), Theorem 1: the root of alpha_t for online learners of regret `cost`.

    Parameters
    ----------
    cost : float
        >= 0.
    kappa : float
        Smallest slope of the link, > 0.
    r : float
        Rewards are r-sub-Gaussian, > 0.
    beta : float
        In (0, 1).

    Returns
    -------
    float
        > 0.
    """
    inside = 1.0 + 2.0 / kappa * cost + 4.0 * r**4 / (kappa**4 * beta**2)
    return math.sqrt(1.0 + 4.0 / kappa * cost + 8.0 * r**2 / kappa**2 * math.log(2.0 / beta * math.sqrt(inside)))


def nearest(a: Any, point: Any) -> Any:
    """The point of the unit ball that is nearest in the norm of A, by the eigenvectors of A and bisection.

    Parameters
    ----------
    a : float64 array, shape (dim, dim)
        Positive definite.
    point : float64 array, shape (dim,)

    Returns
    -------
    float64 array, shape (dim,)
        Of norm at most 1.
    """
    if point @ point <= 1.0:
        return point
    values, vectors = np.linalg.eigh(a)
    coordinates = vectors.T @ point

    def excess(multiplier: float) -> Any:
        return np.sum((values * coordinates / (values + multiplier)) ** 2) - 1.0

    multiplier = brentq(excess, 0.0, values[-1] * np.linalg.norm(point), xtol=1e-14, rtol=1e-14)
    return vectors @ (values * coordinates / (values + multiplier))


Noise = Callable[[int], tuple[Any, Any]]  # from the rounds of a stretch that has ended to all the noise on V and on u


def unfolded(entries: Any, dim: int) -> tuple[Any, Any]:
    """The noise on V and on u, from the upper triangle of the one, row by row, and the other.

    Parameters
    ----------
    entries : float64 array, shape (dim (dim + 3) / 2,)
    dim : int
        d >= 1.

    Returns
    -------
    tuple of arrays
        Shapes (dim, dim) and (dim,).
    """
    b = np.zeros((dim, dim))
    b[np.triu_indices(dim)] = entries[:-dim]
    return b + np.triu(b, 1).T, entries[-dim:]


def messages(dim: int, law: Callable[[int, int], Any]) -> Noise:
    """Noise of the users' own, which adds up.

    Parameters
    ----------
    dim : int
        d >= 1.
    law : callable
        From a number of users and a number of entries to the sum of these users' noise on each entry.

    Returns
    -------
    Noise
    """
    total = np.zeros(dim * (dim + 3) // 2)

    def added(n: int) -> tuple[Any, Any]:
        total[:] += law(n, len(total))
        return unfolded(total, dim)

    return added


def stretched(
    problem: Any,
    rounds: int,
    streams: Any,
    c: Callable[[int], float],
    radius: Callable[[int], float],
    noise: Noise,
    growth: float = 0.0,
    reward_sigma: float = 0.0,
    sending: float = 1.0,
    first: int = 1,
) -> list[list[int]]:
    """Play by stretches: users with the same set play the same action until the server solves again.

    Parameters
    ----------
    problem : LinearContext
        With given action sets.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    c, radius : callable
        From the users who have sent to c_t and beta_t.
    noise : Noise
        On V and u.
    growth : float
        Length of a stretch over the rounds so far, or with one set over the plays of its action; 0 for one round.
    reward_sigma : float
        Of Gaussian noise on a reward, >= 0.
    sending : float
        Probability with which a user sends, in (0, 1].
    first : int
        Length of a stretch, at least, up to the random factor; of no meaning without growth.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    env, choice, sets, d = streams.env, streams.choice, problem.sets, problem.dim
    v, u, b, xi = np.zeros((d, d)), np.zeros(d), np.zeros((d, d)), np.zeros(d)
    rows: list[list[int]] = []
    sent = 0
    while len(rows) < rounds:
        t = len(rows)
        v_bar = v + b + c(sent) * np.eye(d) if sent else np.zeros((d, d))
        theta = solved(v_bar, u + xi)
        chosen = [optimistic(v_bar, theta, radius(sent), vectors, choice) for vectors in sets]
        n = 1
        if growth:
            share = growth * (0.5 + choice.random())
            before = rows.count([chosen[0], 1]) if len(sets) == 1 else t
            n = max(1, int(share * max(before, first / growth)))
        left = n
        only = int(env.random() * len(sets)) if n == 1 else None
        for s, k in enumerate(chosen):
            count = int(s == only)
            if n > 1:
                count = left if s == len(sets) - 1 else env.binomial(left, 1.0 / (len(sets) - s))
            left -= count
            if not count:
                continue
            rows += [[k, 1]] * count
            told = count if sending == 1.0 else streams.noise.binomial(count, sending)
            if told:
                y = rewards(problem, problem.means[s][k], told, env)
                y += streams.noise.normal(0.0, reward_sigma * math.sqrt(told)) if reward_sigma else 0.0
                v = v + told * np.outer(sets[s][k], sets[s][k])
                u = u + y * sets[s][k]
                sent += told
        b, xi = noise(n)
    return rows[:rounds]


def rewards(problem: Any, mean: float, count: int, env: Generator) -> float:
    """The sum of an action's rewards: drawn one by one up to 64, beyond by its law, or the normal one.

    Parameters
    ----------
    problem : LinearContext
    mean : float
        Of one.
    count : int
        >= 1.
    env : Generator
        A uniform number for each, or one number for their sum.

    Returns
    -------
    float
    """
    if problem.binary and count > 1:
        return float(env.binomial(count, mean))
    if count <= 64:
        return sum(reward(problem, mean, env) for _ in range(count))
    return float(count * mean + problem.noise * math.sqrt(count / 3.0) * env.standard_normal())

"""Information-weighted regression of Chen, Li, Rakhlin and Simchi-Levi (2025), in an elimination of ours.

From their abstract, which is all we have: that under privacy not the covariance of the vectors counts but its L1
analogue, that regression weighted by it attains the best rates, and that it gives contextual linear bandits regret of
order sqrt(T)/epsilon under local privacy, for contexts drawn independently from an unknown law. Ours are the
messages, the iteration that finds the weights, epochs, elimination and constants; `kernels.weighted` has the loop.
"""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import weighted
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import ellipsoids, shared
from private_bandits.papers.contextual.accounting import LARGEST_REWARD, noise_facts
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

FIRST = 1024
"""Users of the first epoch."""


def weighted_regression(epsilon: float, *, delta: float, dim: int, horizon: int, batches: int = 2) -> Policy:
    """Return the elimination by information-weighted regression; a user sends one message, of weights or of rewards.

    With J epochs, w a unit vector, |x| <= 1, |y| <= b: the message of weights moves by sqrt 2 at most, that of rewards,
    w (x, y)', by 2 sqrt(1 + b^2), and each has the analytic Gaussian noise. Of an epoch's n users

        r = sqrt 2 sigma (sqrt d + sqrt(2 ln(2 J/beta))) + 1 + sqrt(2 ln(2 J/beta))

    is at most the size of sqrt n times the mean of w (y - <x, theta>) and its noise, but with probability beta / J.
    Here beta is 0.1, and rewards lie in [-2, 2], so b = 2.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity means no privacy.
    delta : float
        In (0, 1).
    dim, horizon : int
        d and T, >= 1.
    batches : int
        Of users who find the weights, in every epoch; at 0 all vectors weigh alike, w = x / |x|.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = weighted_regression(epsilon=1.0, delta=1e-3, dim=2, horizon=10**9)
    >>> round(policy.record.regression_sigma, 2), policy.privacy.label()
    (11.51, 'ε=1')
    """
    size, length, failure, _, _ = ellipsoids.checked(dim, horizon)
    reach = 2.0 * math.hypot(1.0, LARGEST_REWARD)
    rounds = checks.integer("batches", batches, at_least=0, at_most=64)
    weights, regression = (gaussian_sigma(epsilon, delta=delta, sensitivity=far) for far in (math.sqrt(2.0), reach))
    epochs = max(math.ceil(math.log2(length / FIRST + 1.0)), 1)
    tail = math.sqrt(2.0 * math.log(2.0 * epochs / failure))
    record = weighted.Record(
        dim=size,
        first=FIRST,
        batches=rounds,
        sigma=weights,
        size=max(ellipsoids.derived_shift(weights, size, epochs, failure), 1.0),
        regression_sigma=regression,
        radius=math.sqrt(2.0) * regression * (math.sqrt(size) + tail) + 1.0 + tail,
        largest_reward=LARGEST_REWARD,
        horizon=length,
    )
    privacy = Guarantee.none()
    if regression:
        paid = max(
            gaussian_epsilon(weights, delta=delta, sensitivity=math.sqrt(2.0)),
            gaussian_epsilon(regression, delta=delta, sensitivity=reach),
        )
        reason = f"one message a user: of weights, or of rewards, which moves by {reach:.4g} at most"
        privacy = Guarantee.certified(epsilon, paid, "local", reason, delta)
    mechanism, calibration = noise_facts(regression, "gaussian", "analytic")
    return Policy(
        name="Weighted regression",
        paper="chen2025",
        algorithm="Information-weighted",
        variant=f"{rounds} batches",
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        calibration=calibration,
    )


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, delta: float, dim: int, horizon: int, batches: int = 2
) -> list[list[int]]:
    """Epoch by epoch, message by message; the noise of a phase and the number of each set's users are drawn at once.

    Parameters
    ----------
    problem : LinearContext
        With given action sets.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    delta : float
        In (0, 1).
    dim : int
        d, of the problem.
    horizon : int
        T >= 1, for which the constants are made.
    batches : int
        Of users who find the weights, in every epoch.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1; in a phase by sets and actions.
    """
    env, choice, noise, sets = streams.env, streams.choice, streams.noise, problem.sets
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=math.sqrt(2.0))
    regression = gaussian_sigma(epsilon, delta=delta, sensitivity=2.0 * math.sqrt(5.0))
    events = max(math.ceil(math.log2(horizon / FIRST + 1.0)), 1) / 0.1
    size = max(2.0 * sigma * (math.sqrt(dim) + math.sqrt(math.log(2.0 * events))), 1.0)
    tail = math.sqrt(2.0 * math.log(2.0 * events))
    r = math.sqrt(2.0) * regression * (math.sqrt(dim) + tail) + 1.0 + tail

    left = [list(range(len(actions))) for actions in sets]
    weights = np.eye(dim)  # U
    rows: list[list[int]] = []

    def phase(n: int) -> list[tuple[Any, int, float]]:
        """The vectors that are played, how often, and the mean of their rewards."""
        played = []
        shown = env.multinomial(n, np.full(len(sets), 1.0 / len(sets)))
        for s, actions in enumerate(sets):
            chances = [1.0 / len(left[s]) if a in left[s] else 0.0 for a in range(len(actions))]
            for a, count in enumerate(choice.multinomial(shown[s], chances).tolist()):
                played.append((actions[a], count, problem.means[s][a]))
                rows.extend([[a, 1]] * count)
        return played

    def power(matrix: Any, exponent: float) -> Any:
        values, vectors = np.linalg.eigh(matrix)
        return vectors @ np.diag(values**exponent) @ vectors.T

    users = FIRST * 2.0 ** choice.random()
    while len(rows) < rounds:
        part = int(users) // (4 * max(batches, 1))
        for _ in range(batches):
            played, half, back = phase(part), power(weights, 0.5), power(weights, -0.5)
            entries = np.triu(noise.normal(0.0, sigma * math.sqrt(part), (dim, dim)))
            total = entries + np.triu(entries, 1).T
            for x, count, _ in played:
                total = total + count * np.outer(half @ x, half @ x) / max(np.linalg.norm(weights @ x), 1e-300)
            # U W U + l U = I has U = 2 / (l + sqrt(l^2 + 4 W)), eigenvalue by eigenvalue
            values, vectors = np.linalg.eigh(back @ total @ back / part)
            least = size / math.sqrt(part)
            solved = [2.0 / (least + math.sqrt(least**2 + 4.0 * max(value, 0.0))) for value in values]
            weights = vectors @ np.diag(solved) @ vectors.T
        n = int(users) - batches * part
        matrix, moment = np.zeros((dim, dim)), np.zeros(dim)
        for x, count, mean in phase(n):
            w = weights @ x / max(np.linalg.norm(weights @ x), 1e-300)
            matrix = matrix + count * np.outer(w, x)
            moment = moment + (shared.rewards(problem, mean, count, env) if count else 0.0) * w
        sent = noise.normal(0.0, regression * math.sqrt(n), (dim, dim + 1))
        inverse = np.linalg.inv((matrix + sent[:, 1:]) / n + r / math.sqrt(n) * np.eye(dim))
        theta = inverse @ (moment + sent[:, 0]) / n
        for s, actions in enumerate(sets):
            width = {a: 2.0 * r / math.sqrt(n) * np.linalg.norm(inverse.T @ actions[a]) for a in left[s]}
            best = max(actions[a] @ theta - width[a] for a in left[s])
            left[s] = [a for a in left[s] if actions[a] @ theta + width[a] >= best]
        users *= 2.0
    return rows[:rounds]

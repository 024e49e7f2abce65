"""LinUCB of Abbasi-Yadkori, Pal and Szepesvari (2011) whose users hide the reward alone; ours."""

import math
from typing import Any

from private_bandits.kernels import stretches
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import shared
from private_bandits.papers.contextual.accounting import LARGEST_REWARD
from private_bandits.papers.contextual.oful import FAILURE, linucb
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def linucb_private_rewards(epsilon: float, *, delta: float, dim: int) -> Policy:
    """LinUCB whose users send their action as it is, and the reward behind the analytic Gaussian noise.

    Parameters
    ----------
    epsilon : float
        Local privacy of the reward, of [-2, 2], > 0.
    delta : float
        In (0, 1).
    dim : int
        d >= 1.

    Returns
    -------
    Policy
        Nothing is promised for the action, which shows the context.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(linucb_private_rewards(epsilon=1.0, delta=1e-3, dim=2).record.reward_sigma, 2)
    10.3
    """
    reach = 2.0 * LARGEST_REWARD
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=reach)
    plain: Any = linucb(dim=dim).record
    constants = plain._replace(deviation=math.hypot(1.0, sigma), largest_reward=LARGEST_REWARD)
    paid, said = gaussian_epsilon(sigma, delta=delta, sensitivity=reach), "of the reward alone; the action is sent"
    privacy = Guarantee.certified(epsilon, paid, "local", said, delta)
    record = stretches.Record(constants, reward_sigma=sigma)
    return Policy(
        name="LinUCB, private rewards",
        paper="abbasi2011",
        algorithm="OFUL",
        privacy=privacy,
        record=record,
        mechanism="gaussian",
        calibration="analytic",
        method="rewards",
    )


def reference(problem: Any, rounds: int, streams: Any, *, epsilon: float, delta: float, dim: int) -> list[list[int]]:
    """Round by round: the action as it is, the reward, of [-2, 2], behind noise; LinUCB for the noisier reward.

    Parameters
    ----------
    problem : LinearContext
        With given action sets.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    dim : int
        d, of the problem.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=4.0)

    def radius(t: int) -> float:
        fit = math.sqrt(2.0 * math.log(1.0 / FAILURE) + dim * math.log(1.0 + t / dim))
        return math.sqrt(1.0 + sigma**2) * fit + 1.0

    nothing = shared.messages(dim, lambda n, size: shared.gaussians(streams.noise, size, 0.0))
    return shared.stretched(problem, rounds, streams, lambda t: 1.0, radius, nothing, reward_sigma=sigma)

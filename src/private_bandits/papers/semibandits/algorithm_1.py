"""Chen et al. (2020), Algorithm 1, CUCB-LDP1: a user sends all K outcomes with noise; Theorems 1 and 2."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.semibandits.shared import PAPER, Plain, local_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import laplace


def cucb_ldp1(epsilon: float, *, list_size: int, horizon: int | None = None, variant: str = "printed") -> Policy:
    """Algorithm 1, CUCB-LDP1: the user sends all K outcomes, each with Lap(K/epsilon); lines 4 to 7.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise and no bonus for it.
    list_size : int
        K >= 1, for which the noise is calibrated.
    variant : {"printed", "repaired"}
        * `printed`: mean + 4 sqrt(2 K ln T / (epsilon^2 n)). The noise needs K^2; at epsilon = infinity no bonus is
          left.
        * `repaired`: the radius of `radii` with b = K/epsilon.
    horizon : int, optional
        T >= 1 of ln T, and the longest run; by default ln t takes its place.

    Returns
    -------
    Policy
        For a SemiBandit of this size.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = cucb_ldp1(0.5, list_size=3)
    >>> policy.record.scale, policy.privacy.effective_epsilon
    (6.0, 0.5)
    """
    members = checks.integer("list_size", list_size, at_least=1)
    scale = laplace_scale(epsilon, sensitivity=members)
    printed = 32.0 * members / checks.epsilon(epsilon) ** 2
    record = local_record(scale, printed, variant, horizon, index.ALL, members)
    paid = members / scale if scale else math.inf
    privacy = Guarantee.certified(epsilon, paid, "local", "Laplace noise on all K outcomes")
    return Policy(
        name="CUCB-LDP1",
        paper=PAPER,
        algorithm="Algorithm 1, lines 4-7",
        variant=variant,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="laplace",
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    list_size: int,
    horizon: int | None = None,
    variant: str = "printed",
) -> list[list[int]]:
    """Play Algorithm 1 line by line, with ln t for ln T without a horizon; return what `simulation.trace` returns.

    Parameters
    ----------
    problem : SemiBandit
        Whose oracle is not a Python function.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    list_size : int
        K, of the problem.
    horizon : int, optional
        T >= 1 of ln T; by default ln t takes its place.
    variant : {"printed", "repaired"}
        Whose constants.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    bandit = Plain(problem)
    base, k = bandit.arms, list_size

    def bonus(log: float, n: int) -> float:
        if variant == "printed":
            return 4 * math.sqrt(2 * k * log / (epsilon**2 * n))
        b = k / epsilon
        return math.sqrt((1.5 + 12 * b**2) * log / n) + 3 * b * log / n

    pulls = [0 for i in base]  # line 2
    total = [0.0 for i in base]
    rows = []
    for t in range(1, rounds + 1):  # line 3
        log = math.log(t if horizon is None else horizon)
        upper = [min(total[i] / pulls[i] + bonus(log, pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]  # line 4
        s_t = bandit.super_arm(upper, streams.choice)  # line 5
        x = bandit.outcomes(s_t, streams.env)  # line 6
        for i in s_t:  # line 7
            pulls[i] += 1
            total[i] += x[i] + laplace(streams.noise, k / epsilon)
        rows.append(bandit.row(s_t))
    return rows

"""Chen et al. (2020), Algorithm 2, CUCB-LDP2: a user sends the outcome of one arm with noise; Theorems 3 and 4."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.semibandits.shared import PAPER, Plain, local_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import laplace, least_reported_first


def cucb_ldp2(epsilon: float, *, horizon: int | None = None, variant: str = "printed") -> Policy:
    """Algorithm 2, CUCB-LDP2: only the least pulled arm of the super arm is sent, with Lap(1/epsilon); lines 4 to 7.

    Which arm that is follows from the super arms played before, which are public, so the report alone is protected.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise and no bonus for it.
    variant : {"printed", "repaired"}
        * `printed`: mean + 4 sqrt(2 ln T / (epsilon^2 n)), without a term for sampling.
        * `repaired`: the radius of `radii` with b = 1/epsilon.
    horizon : int, optional
        T >= 1 of ln T, and the longest run; by default ln t takes its place.

    Returns
    -------
    Policy
        For any SemiBandit.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = cucb_ldp2(0.5, variant="repaired")
    >>> policy.record.scale, policy.record.terms.tolist(), policy.record.bonus_scale
    (2.0, [[49.5, 0.0]], 6.0)
    """
    scale = laplace_scale(epsilon, sensitivity=1.0)
    printed = 32.0 / checks.epsilon(epsilon) ** 2
    record = local_record(scale, printed, variant, horizon, index.LEAST, 0)
    reason = "Laplace noise on the one outcome sent; which one is public"
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "local", reason)
    return Policy(
        name="CUCB-LDP2",
        paper=PAPER,
        algorithm="Algorithm 2, lines 4-7",
        variant=variant,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="laplace",
        method="least pulled",
    )


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, horizon: int | None = None, variant: str = "printed"
) -> list[list[int]]:
    """Play Algorithm 2 line by line, with ln t for ln T without a horizon; return what `simulation.trace` returns.

    I_t is put first; of several least pulled arms it is the first in S_t.

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
    base = bandit.arms

    def bonus(log: float, n: int) -> float:
        if variant == "printed":
            return 4 * math.sqrt(2 * log / (epsilon**2 * n))
        return math.sqrt((1.5 + 12 / epsilon**2) * log / n) + 3 / epsilon * log / n

    pulls = [0 for i in base]  # line 2; grows with the reports of i only
    total = [0.0 for i in base]
    rows = []
    for t in range(1, rounds + 1):  # line 3
        log = math.log(t if horizon is None else horizon)
        upper = [min(total[i] / pulls[i] + bonus(log, pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]  # line 4
        s_t = bandit.super_arm(upper, streams.choice)  # line 5
        s_t = least_reported_first(s_t, pulls)  # line 6
        x = bandit.outcomes(s_t, streams.env)
        i_t = s_t[0]
        pulls[i_t] += 1  # line 7
        total[i_t] += x[i_t] + laplace(streams.noise, 1 / epsilon)
        rows.append(bandit.row(s_t))
    return rows

"""One exact answer per user about the least reported arm, in noisy sums of blocks; one radius for a super arm; ours."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import superarm
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.semibandits.shared import Plain, anew, run_lengths
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import laplace, least_reported_first


def cucb_blocks(epsilon: float, *, n_arms: int, list_size: int, horizon: int | None) -> Policy:
    """Blocks: the least reported arm's exact outcome, summed with Lap(1/epsilon) once per block; ours, central.

    A trusted curator uses one number of each user: the outcome of the arm of the super arm that has the fewest reports.
    An arm's reports form blocks of a, 2 a, 4 a, ... reports, a = `first_block`. When a block ends, its sum is released
    with Lap(1/epsilon), once. With j the largest number such that every arm of a super arm S has ended block j, of
    a_j reports, and means M of that block,

        index = min(r_M(S) + sqrt(f W / (2 a_j)) + (w f + 2 sqrt(f W)) / (a_j epsilon), r(S) at means of 1),

    f = ln T + ln(1 + floor(log2 T)), |S| ln 2 more where r is not linear, W the sum of the squared weights of S and w
    the largest. Without such a j it is r(S) at means of 1. Ties are broken at random. K independent noises add up to
    f + 2 sqrt(K f) at level f, not to K f: so the regret is at most `bounds.cucb_blocks_upper`, whose private part has
    no factor K. A radius for a super arm is that of ESCB (Combes et al. 2015); asking about the least pulled arm is
    CUCB-LDP2; blocks of doubling length that forget the others are known for single arms (Hu et al. 2021, Azize and
    Basu 2022).

    Parameters
    ----------
    epsilon : float
        Privacy of the sequence of super arms when one user's outcomes change, > 0; infinity for exact sums. Someone who
        is the user of c rounds has c times as much.
    list_size, n_arms : int
        K >= 1 and m >= K, for which the blocks and the radius are calibrated.
    horizon : int or None
        T >= 1, for which they are too, and the longest run. None: T need not be known, as the algorithm is made anew
        for runs of 2, 4, 16, 256, ... rounds, each the square of the one before; then the regret is at most four times
        as large in the limit.

    Returns
    -------
    Policy
        For a SemiBandit of listed super arms of this size and number of arms, with an exact oracle. Means of a coverage
        count as the nearest number of [0, 1].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    A user is in one block, whose sum moves by at most 1. Which block that is follows from the super arms, and these
    from the released sums. Long runs are drawn by leaps: the reports between two released sums are one binomial number
    per arm.

    Examples
    --------
    >>> policy = cucb_blocks(0.5, list_size=3, n_arms=12, horizon=1000)
    >>> policy.privacy.label(), policy.record.grid.tolist()
    ('ε=0.5', [13, 39, 91, 195, 403, 819])
    """
    if horizon is None:
        return anew(lambda length: cucb_blocks(epsilon, n_arms=n_arms, list_size=list_size, horizon=length))
    members, length = checks.integer("list_size", list_size, at_least=1), checks.integer("horizon", horizon, at_least=1)
    arms, scale = checks.integer("n_arms", n_arms, at_least=members), laplace_scale(epsilon, sensitivity=1.0)
    level, first = log_level(length), first_block(epsilon, members, length)
    ends = [(2**j - 1) * first for j in range(1, length.bit_length() + 1) if (2**j - 1) * first <= length]
    grid = np.array(ends, np.int64)
    record = superarm.Record(grid, level, 0.0, length, scale, True, superarm.LEAP, members, arms)
    reason = "one noisy sum per user, of one outcome; which one is public"
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "central", reason)
    return Policy(
        name="CUCB, blocks",
        algorithm="super-arm blocks",
        variant="repaired",
        privacy=privacy,
        record=record,
        mechanism="laplace",
        method="least pulled",
    )


def log_level(horizon: int) -> float:
    """The level f of a linear reward: an index is too low with probability e^-f, for each number of blocks.

    Parameters
    ----------
    horizon : int
        T >= 1.

    Returns
    -------
    float
        ln T + ln(1 + floor(log2 T)).
    """
    return math.log(horizon) + math.log(horizon.bit_length())


def first_block(epsilon: float, list_size: int, horizon: int) -> int:
    """Reports in the first block: as many as a radius needs for the size of a reward, so that they cost no factor K.

    Parameters
    ----------
    epsilon : float
        > 0; infinity means 1.
    list_size, horizon : int
        K and T, >= 1.

    Returns
    -------
    int
        (f + 2 sqrt(K f)) / (K epsilon) rounded down, at least 1 and at most T + 1: then no block ends.

    Examples
    --------
    >>> first_block(0.5, 3, 1000)
    13
    """
    level = log_level(horizon)
    return max(1, math.floor(min((level + 2.0 * math.sqrt(list_size * level)) / (list_size * epsilon), horizon + 1.0)))


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, n_arms: int, list_size: int, horizon: int | None
) -> list[list[int]]:
    """Play the algorithm line by line, return what `simulation.trace` returns.

    Parameters
    ----------
    problem : SetBandit
        With an exact oracle.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity for exact sums.
    n_arms : int
        m, of the problem.
    list_size : int
        K, of the problem.
    horizon : int or None
        T >= 1, for which the constants are made; None: anew for each run of `run_lengths`.

    Returns
    -------
    list of list of int
        A row per round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    if horizon is None:
        told: dict[str, Any] = {"epsilon": epsilon, "n_arms": n_arms, "list_size": list_size}
        runs = run_lengths(rounds)
        return [row for length, n in runs for row in reference(problem, n, streams, horizon=length, **told)]
    bandit = Plain(problem)
    f = math.log(horizon) + math.log(1 + math.floor(math.log2(horizon)))
    a_0 = max(1, math.floor((f + 2 * math.sqrt(list_size * f)) / (list_size * epsilon)))
    reports = [0 for i in bandit.arms]
    block: list[list[float]] = [[] for i in bandit.arms]  # the open one, which nothing depends on
    released: list[list[float]] = [[] for i in bandit.arms]  # noisy sums of those that have ended
    rows = []
    for _ in range(rounds):
        index = []
        for s in bandit.sets:
            ceiling = bandit.value(s, [1.0 for i in bandit.arms])
            j = min(len(released[i]) for i in s) - 1  # equal blocks, though some arms may have ended later ones
            if j < 0:
                index.append(ceiling)
                continue
            a_j = 2**j * a_0
            means = [released[i][j] / a_j if i in s else 0.0 for i in bandit.arms]
            w = [1.0 if bandit.weights is None else bandit.weights[i] for i in s]
            level = f + (0.0 if bandit.weights is not None else len(s) * math.log(2))
            spread = level * sum(x**2 for x in w)
            radius = math.sqrt(0.5 * spread / a_j) + 1 / epsilon * (max(w) * level + 2 * math.sqrt(spread)) / a_j
            index.append(min(bandit.value(s, means) + radius, ceiling))
        ties = [list(s) for s, u in zip(bandit.sets, index, strict=True) if u == max(index)]
        s_t = ties[int(streams.choice.random() * len(ties)) if len(ties) > 1 else 0]
        s_t = least_reported_first(s_t, reports)
        i_t = s_t[0]
        block[i_t].append(bandit.outcomes(s_t, streams.env)[i_t])
        reports[i_t] += 1
        if len(block[i_t]) == 2 ** len(released[i_t]) * a_0:
            released[i_t].append(sum(block[i_t]) + laplace(streams.noise, 1 / epsilon))
            block[i_t] = []
        rows.append(bandit.row(s_t))
    return rows

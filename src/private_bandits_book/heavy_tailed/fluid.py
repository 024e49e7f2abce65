"""A fluid approximation of the robust index algorithms, for horizons at which rounds cannot be played; ours.

Rewards are replaced by their truncated means and the noise by 0. What is left is the rule that the arm of the largest
index is pulled, and in the limit every arm that is pulled has the same index: the pulls n_a(t) solve

    m_a(n_a) + r(t) / n_a^w = level for every arm,    sum of n_a = t,

with m_a(n) the exact mean of the first n truncated rewards and r(t) the radius at one pull. It leaves out the
fluctuations, so it is an approximation and not a bound: it is close where the radius dwarfs them, which is what
`coverage.dp_robust_ucb_error` shows of the algorithms' own constants.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from private_bandits.kernels import robust
from private_bandits.papers.heavy_tailed.instances import ParetoArms
from private_bandits.policy import Policy

_HEAD = 1000  # rewards whose lost means are added one by one
_PER_DECADE = 400


def fluid(policy: Policy) -> Policy:
    """Return what stands for the approximation of an algorithm."""
    return replace(policy, name=f"{policy.name}, fluid", method="fluid")


def fluid_pulls(problem: ParetoArms, policy: Policy, times: Sequence[float] | np.ndarray) -> np.ndarray:
    """Pulls of each arm at the given rounds, in the fluid approximation.

    Parameters
    ----------
    problem : ParetoArms
    policy : Policy
        `dp_robust_ucb(...)` or `robust_ucb(..., horizon=...)`, whose thresholds follow the pulls alone.
    times : sequence of float
        Rounds, each >= the number of arms; they may exceed 2^63.

    Returns
    -------
    float array, shape (len(times), n_arms)
    """
    record, rounds = policy.record, np.asarray(times, float)
    assert isinstance(record, robust.Record) and record.truncation_alpha == 0.0
    points = 2 + int(_PER_DECADE * math.log10(np.max(rounds)))
    grid = np.linspace(0.0, math.log(2.0 * np.max(rounds)), points)  # past the last round, so that a sum can exceed it
    tables = [truncated_mean(record, mean, problem.shape, np.exp(grid)) for mean in problem.means]
    return np.array([_share(record, grid, tables, float(t)) for t in rounds])


def fluid_regret(problem: ParetoArms, policy: Policy, times: Sequence[float] | np.ndarray) -> np.ndarray:
    """Pseudo-regret at the given rounds, in the fluid approximation; arguments as for `fluid_pulls`."""
    return np.asarray(fluid_pulls(problem, policy, times) @ problem.gaps)


def truncated_mean(record: robust.Record, mean: float, shape: float, pulls: np.ndarray) -> np.ndarray:
    """Mean of the first `pulls` truncated Pareto rewards of an arm, whose thresholds grow with their number.

    A threshold B keeps 1 - (s/B)^(shape - 1) of a mean, s the scale, and B_k is a power of k. The sum over k is exact
    for the first rewards that can be kept, and Euler and Maclaurin's formula beyond them, good to 10 digits.
    """
    scale = mean * (shape - 1.0) / shape
    if scale == 0.0:
        return np.zeros(len(pulls))
    reach = record.truncation / record.truncation_beta  # B_k = (reach k)^(1/(1+v))
    power = (shape - 1.0) / (1.0 + record.v)
    first = max(math.ceil(scale ** (1.0 + record.v) / reach), 1)
    last = first + _HEAD - 1
    head = np.concatenate([[0.0], np.cumsum(np.arange(first, last + 1.0) ** -power)])
    beyond = np.maximum(pulls, last)
    span = (1.0 - power) * np.log(beyond / last)
    integral = last ** (1.0 - power) * np.log(beyond / last) * _relative(span)
    ends = 0.5 * (beyond**-power - last**-power) - power / 12.0 * (beyond ** (-1.0 - power) - last ** (-1.0 - power))
    within = np.interp(pulls, np.arange(first - 1.0, last + 1.0), head)
    lost = scale ** (shape - 1.0) * reach**-power * (within + integral + ends)
    return mean * np.maximum(pulls - (first - 1.0) - lost, 0.0) / pulls


def _relative(x: np.ndarray) -> np.ndarray:
    """(e^x - 1) / x, 1 at 0."""
    return np.where(x == 0.0, 1.0, np.expm1(x) / np.where(x == 0.0, 1.0, x))


def _share(record: robust.Record, grid: np.ndarray, tables: list[np.ndarray], t: float) -> np.ndarray:
    """Pulls at one level of the index that add up to t, by bisection of the level."""
    power = record.v / (1.0 + record.v)
    radius = record.factor * (record.alpha * math.log(t) + record.beta) ** power * np.exp(-power * grid)
    rising = [-np.minimum.accumulate(table + radius) for table in tables]

    def pulls(level: float) -> np.ndarray:
        return np.exp([np.interp(-level, index, grid) for index in rising])

    low, high = min(-float(index[-1]) for index in rising), max(-float(index[0]) for index in rising)
    for _ in range(100):  # the pulls fall as the level rises
        level, ends = (low + high) / 2.0, (low, high)
        low, high = (level, high) if np.sum(pulls(level)) > t else (low, level)
        if (low, high) == ends:  # neighbouring numbers
            break
    found = pulls(high)
    return found * (t / np.sum(found))

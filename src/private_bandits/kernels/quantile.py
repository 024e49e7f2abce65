"""Successive elimination on truncated means whose thresholds are read off the rewards, privately.

Epoch e = 1, 2, ... pulls each of the |S| surviving arms 2R times,

    R = ceil(first 2^e L / rate),    L = ln(4 |S| e^2 / beta),    rate = min(epsilon, 1).

The first R rewards of an arm choose its threshold B among the powers of two, by the exponential mechanism: the number
of them above B is to be near share L / rate. The other R are truncated at B, and their mean gets Laplace noise of
scale 2B / (R epsilon). An arm leaves S if its mean plus its width B L width / (R rate) lies below another's mean less
that one's width. A policy is its constants, held in a `Record`.

Arms are pulled in turn, in the order of their numbers; rewards are drawn when the epoch ends, as counts and as sums,
so a run costs microseconds per arm and epoch however long it is. An epoch that the horizon cuts short draws nothing.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels.elimination import record_turns, remove, start
from private_bandits.kernels.parts.sums import DIRECT, exceedance, pareto_reward, reward_sum
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_kind
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import Arms

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

PIECE = WHOLE_RUN

LOWEST, THRESHOLDS = -64, 129  # thresholds 2^-64 ... 2^64
_LOG_2 = math.log(2.0)


class Record(NamedTuple):
    """The constants of an elimination policy that reads its thresholds off the rewards."""

    epsilon: float
    beta: float
    first: float
    share: float
    width: float


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems without arms; rewards may be what they like."""
    check_kind(name, problem, Arms, "Arms")
    return {}


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one release of each reward pays."""
    return record.epsilon, False


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    epsilon, rate = policy.epsilon, min(policy.epsilon, 1.0)
    pulls, alive, means, widths, clock = state
    counts = np.zeros(THRESHOLDS, np.int64)
    while True:
        size, epoch, begun = clock[0], clock[1] + 1, clock[2]
        log = math.log(4.0 * size * float(epoch) ** 2 / policy.beta)
        half = _half(policy.first * log / rate, epoch, size)
        end = begun + min(2 * half * size, last - begun + 1)  # as in `elimination`
        record_turns(problem, pulls, alive, size, begun, min(end, last), checkpoints, regret, trace)
        if end > last:
            return
        for place in range(size):
            arm = alive[place]
            pulls[arm] += 2 * half
            exceedances(env, half, problem.means[arm], problem.shape, counts)
            threshold = 2.0 ** (LOWEST + choose(noise, counts, policy.share * log / rate, epsilon))
            means[place] = reward_sum(env, half, problem.means[arm], problem.shape, threshold) / half
            if not math.isinf(epsilon):
                means[place] += mechanisms.laplace(noise, 2.0 * threshold / (half * epsilon))
            widths[place] = policy.width * threshold * log / (half * rate)
        clock[0], clock[1], clock[2] = remove(means, widths, alive, size), epoch, end


@compiled
def exceedances(env, n, mean, shape, counts):
    """Write how many of n fresh rewards lie above each threshold.

    Up to `sums.DIRECT` Pareto rewards are drawn one by one; beyond, each count is a Binomial of the one before it,
    which has the same law.

    Parameters
    ----------
    env : numpy.random.Generator
    n : int
        Number of rewards, >= 0.
    mean : float
        E[x], >= 0.
    shape : float
        Of Pareto rewards, > 1; 0 for Bernoulli ones.
    counts : int64 array, shape (THRESHOLDS,), written
    """
    if shape > 0.0 and n <= DIRECT:
        counts[:] = 0
        for _ in range(n):
            reward = pareto_reward(env, mean, shape)
            fraction, exponent = math.frexp(reward)
            passed = exponent - LOWEST - (1 if fraction == 0.5 else 0)  # places whose threshold it exceeds
            if passed > 0:
                counts[min(passed, len(counts)) - 1] += 1
        for place in range(len(counts) - 2, -1, -1):
            counts[place] += counts[place + 1]
        return
    left, above = n, 1.0
    for place in range(len(counts)):
        share = exceedance(mean, shape, 2.0 ** (LOWEST + place))
        if left > 0 and share < above:
            left = env.binomial(left, share / above)
            above = share
        counts[place] = left


@compiled(inline="always")
def choose(noise, counts, target, epsilon):
    """Return the place of a count near the target, by the exponential mechanism.

    The score of a place is -|count - target|; one reward moves every count by at most 1, so adding Gumbel noise to
    epsilon/2 times the score and taking the largest is epsilon-private, with any prior: here weight 2^-|j| on the
    threshold 2^j, which decides where no count is near the target, as with bounded rewards.

    Parameters
    ----------
    noise : numpy.random.Generator
        One uniform number per place.
    counts : int64 array, shape (THRESHOLDS,)
    target : float
        >= 0.
    epsilon : float
        > 0; infinity takes the best score, the lowest of several, and draws nothing.

    Returns
    -------
    int
    """
    chosen, best = 0, -np.inf
    for place in range(len(counts)):
        score = -abs(counts[place] - target)
        if not math.isinf(epsilon):
            prior = -_LOG_2 * abs(LOWEST + place)
            score = prior + 0.5 * epsilon * score - math.log(-math.log(noise.random()))
        if score > best:
            chosen, best = place, score
    return chosen


@compiled(inline="always")
def _half(unit, epoch, size):
    most = WHOLE_RUN // (2 * size)
    need = unit * 2.0**epoch
    return int(math.ceil(need)) if size > 1 and need < most else most

"""Azize et al. (2025), DP-KLUCB: phases of an arm that double, noisy sums that are kept, an index with d_epsilon."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import episodes
from private_bandits.mechanisms import laplace_scale
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, largest


def dp_klucb(epsilon: float, *, first: int = 1, level: float = 1.0) -> Policy:
    """DP-KLUCB of Azize et al. (2025): nothing is forgotten.

    The first phase of an arm has `first` pulls, and its pulls N double in each later one. The rewards of a phase are
    summed, the sum gets one Lap(1/epsilon), and all noisy sums are added up. With m their total over N, clipped to
    [0, 1], the index at the start of a phase in round t is the largest q with N d_epsilon(m, q) <= level ln t;
    d_epsilon is `private_kl`.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity for no noise and d in the place of d_epsilon.
    first : int
        Pulls of an arm's first phase, >= 1.
    level : float
        What ln t is multiplied by, > 0.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    A version of ours, after what the abstract of the paper says: phases that depend on the arm, Laplace noise, no
    forgetting, d_epsilon. That phases double is ours, and so are `first` and `level`, by which it can be tuned.

    Examples
    --------
    >>> dp_klucb(0.5).privacy.label()
    'ε=0.5'
    """
    scale = laplace_scale(epsilon, sensitivity=1.0)
    begun = checks.integer("first", first, at_least=1, at_most=checks.ROUNDS)
    level = checks.real("level", level, above=0)
    record = episodes.Record(np.zeros((0, 3)), level=level, scale=scale, kept=checks.epsilon(epsilon), first=begun)
    tuned = (begun, level) != (1, 1.0)
    paid, why = 1.0 / scale if scale else math.inf, "each reward enters one noisy sum, and all else follows from those"
    privacy = Guarantee.certified(epsilon, paid, "central", why)
    return Policy(
        name=f"DP-KLUCB({level:g})" if tuned else "DP-KLUCB",
        paper="azize2025",
        algorithm="DP-KLUCB",
        variant="phases double, tuned" if tuned else "phases double",
        privacy=privacy,
        record=record,
        mechanism="laplace",
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    first: int = 1,
    level: float = 1.0,
    growth: float = 1.0,
    slow: float = 0.0,
    flip: float = 0.0,
) -> Rows:
    """DP-KLUCB; the rewards of a phase are one binomial draw.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    first : int
        Pulls of an arm's first phase.
    level : float
        What ln t is multiplied by, > 0.
    growth : float
        Length of a phase over the pulls before it; 0 for one pull.
    slow : float
        What ln max(1, ln t) is multiplied by and added to ln t, >= 0.
    flip : float
        Probability in [0, 1/2) that a reward is sent as the other one.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    arms = range(problem.n_arms)
    pulls, total = [0 for arm in arms], [0.0 for arm in arms]
    played: list[int] = []
    while len(played) < rounds:
        arm, length, t = len(played) // first, first, len(played) + 1  # each arm's first phase
        if arm >= problem.n_arms:
            means = [min(max(0.0, total[a] / pulls[a]), 1.0) for a in arms]
            levels = [level * math.log(t) / pulls[a] + slow * math.log(max(math.log(t), 1.0)) / pulls[a] for a in arms]
            arm = largest([_index(means[a], levels[a], epsilon) for a in arms], 1, streams.choice)[0]
            length = max(1, int(growth * pulls[arm]))
        played += [arm] * length
        pulls[arm] += length
        total[arm] += streams.env.binomial(length, flip + (1 - 2 * flip) * problem.means[arm])
        if math.isfinite(epsilon):
            total[arm] += streams.noise.laplace(0.0, 1 / epsilon)
    return [[arm, 1] for arm in played[:rounds]]


def _index(mean: float, level: float, epsilon: float) -> float:
    """The largest q with d_epsilon(mean, q) <= level; beyond log-odds epsilon apart, by its formula there."""
    q = episodes.kl_upper(mean, level)
    if q * (1 - mean) * math.exp(-epsilon) <= mean * (1 - q):
        return q
    return min(1.0, math.expm1(-level - epsilon * mean) / math.expm1(-epsilon))

"""Azize and Basu (2022), Algorithm 1: AdaP-UCB and AdaP-KLUCB, which differ in the index of an episode."""

import math
from typing import NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.baselines.sajed_algorithm_2 import ONE_MEAN
from private_bandits.kernels import episodes
from private_bandits.mechanisms import laplace_scale
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, largest


def adap_ucb(epsilon: float, *, alpha: float = 3.1) -> Policy:
    """AdaP-UCB of Azize and Basu (2022), Algorithm 1 with the index of Equation (7).

    An arm's pulls N double in each of its episodes. Its index at the start of an episode in round t is

        m + Lap(2/(epsilon N)) + sqrt(alpha ln(2t) / N) + 2 alpha ln t / (epsilon N),

    with m the mean of its last episode, N/2 rewards, and one draw of noise per episode.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity leaves m + sqrt(alpha ln(2t) / N).
    alpha : float
        Width of the bound, > 0; > 3 in the paper's theorems, 3.1 in its experiments.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The first pull of an arm is an episode of N = 1 rewards, not N/2: its noise is twice what it needs.

    Examples
    --------
    >>> adap_ucb(0.5).privacy.label()
    'ε=0.5'
    """
    scale, width = laplace_scale(epsilon, sensitivity=2.0), checks.real("alpha", alpha, above=0)
    terms = np.array([(width, width * math.log(2.0), 0.5), (width * scale, 0.0, 1.0)])
    record = episodes.Record(terms, scale=scale)
    return _episodic("AdaP-UCB", "Algorithm 1, Equation (7)", epsilon, scale, record)


def adap_klucb(epsilon: float, *, alpha: float = 3.1) -> Policy:
    """AdaP-KLUCB of Azize and Basu (2022), Algorithm 1: the episodes of `adap_ucb`, an index for Bernoulli rewards.

    The index is the largest q in [0, 1] with kl(p, q) <= 2 alpha ln t / N, where p is m + Lap(2/(epsilon N)) +
    2 alpha ln t / (epsilon N), clipped to [0, 1].

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity for p = m.
    alpha : float
        Width of the bound, > 0; > 3 in the paper's theorems, 3.1 in its experiments.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> adap_klucb(0.5).privacy.label()
    'ε=0.5'
    """
    scale, width = laplace_scale(epsilon, sensitivity=2.0), checks.real("alpha", alpha, above=0)
    record = episodes.Record(np.array([(width * scale, 0.0, 1.0)]), level=2.0 * width, scale=scale)
    return _episodic("AdaP-KLUCB", "Algorithm 1, index after Equation (7)", epsilon, scale, record)


def _episodic(name: str, place: str, epsilon: float, scale: float, record: NamedTuple) -> Policy:
    """Every episode but the first has N/2 rewards, so a mean has sensitivity 2/N and noise scale / N."""
    privacy = Guarantee.certified(epsilon, 2.0 / scale if scale else math.inf, "central", ONE_MEAN)
    return Policy(
        name=name,
        paper="azize2022",
        algorithm=place,
        variant="printed",
        privacy=privacy,
        record=record,
        mechanism="laplace" if scale else "none",
    )


def reference(
    problem: Problem, rounds: int, streams: Streams, *, epsilon: float, alpha: float = 3.1, kl: bool = False
) -> Rows:
    """Algorithm 1 of Azize and Basu (2022); an episode's rewards are one binomial draw.

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
    alpha : float
        Width of the bound, > 0.
    kl : bool
        Whether the index is that of AdaP-KLUCB.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    arms = range(problem.n_arms)
    pulls = [0 for arm in arms]
    mean = [0.0 for arm in arms]  # of the last episode, noisy
    played: list[int] = []
    while len(played) < rounds:
        arm, length, t = len(played), 1, len(played) + 1  # choose each arm once
        if len(played) >= problem.n_arms:
            upper = [_index(mean[a], t, pulls[a], epsilon, alpha, kl) for a in arms]
            arm = largest(upper, 1, streams.choice)[0]
            length = pulls[arm]  # until its pulls have doubled
        played += [arm] * length
        pulls[arm] += length
        mean[arm] = streams.env.binomial(length, problem.means[arm]) / length
        if math.isfinite(epsilon):
            mean[arm] += streams.noise.laplace(0.0, 2 / (epsilon * pulls[arm]))
    return [[arm, 1] for arm in played[:rounds]]


def _index(mean: float, t: int, n: int, epsilon: float, alpha: float, kl: bool) -> float:
    """Equation (7), or the largest q with d(clipped, q) <= alpha ln(t) / (N/2)."""
    private = alpha * math.log(t) / (epsilon * 0.5 * n)
    if not kl:
        return mean + math.sqrt(alpha * math.log(2 * t) / (2 * 0.5 * n)) + private
    return float(episodes.kl_upper(min(max(0.0, mean + private), 1.0), alpha * math.log(t) / (0.5 * n)))

"""Best-arm identification behind Algorithm 1, Appendix B.2 of Zheng et al. (2020): lil'UCB with what the noise leaves.

The appendix is not at hand; this is the plain reading of the paper's reduction.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.kernels import identify
from private_bandits.papers.contextual import accounting
from private_bandits.papers.contextual.convex_skeleton import noise_on
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms
from private_bandits.streams import streams

_WIDTH = 0.01  # the epsilon of lil'UCB, and its beta and lambda, as in its authors' experiments
_BETA = 1.0
_SHARE = 9.0


class Identification(NamedTuple):
    """What `lil_ucb` found.

    Parameters
    ----------
    arm : int
        The one pulled most.
    pulls : tuple of int
        Of each arm.
    stopped : bool
        Whether the rule stopped it.
    privacy : Guarantee
        Of a user's reward.
    """

    arm: int
    pulls: tuple[int, ...]
    stopped: bool
    privacy: Guarantee


def identifier(
    failure: float, epsilon: float, delta: float | None = None, noise: str = "gaussian", method: str = "classical"
) -> Policy:
    """What `lil_ucb` plays, as a policy: its constants and its guarantee. `simulate` refuses it.

    Parameters
    ----------
    failure, epsilon, delta, noise, method
        As for `lil_ucb`.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> identifier(failure=0.1, epsilon=2.0, noise="laplace").privacy.label()
    'ε=2, pays 1'
    """
    checks.real("failure", failure, above=0, below=1)
    scale = accounting.number_scale(2.0, epsilon, delta, noise, method)
    spread = 1.0 + _WIDTH
    often = (2.0 + _WIDTH) / _WIDTH * math.log(spread) ** -spread
    small = (math.sqrt(1.0 + failure) - 1.0) ** 2 / (4.0 * often)
    variance, heavy = 0.25 + accounting.noise_variance(scale, noise), noise == "laplace"
    size = (1.0 + _BETA) * (1.0 + math.sqrt(_WIDTH)) * math.sqrt(2.0 * variance * spread)
    tail = (1.0 + _BETA) * spread * scale if heavy else 0.0
    record = identify.Record(size, tail, spread, small, _SHARE, heavy, scale)
    privacy = accounting.message_privacy(scale, 1.0, epsilon, delta, noise, "one noisy reward is all that is sent")
    version, facts = ("", f"printed, {noise}, {method}"), accounting.noise_facts(scale, noise, method)
    kernel: Any = identify  # a search has no rounds to play: it has its check, which refuses, and no more
    return Policy("lil'UCB", accounting.PAPER, "Appendix B.2", version, privacy, kernel, record, *facts)


def lil_ucb(
    problem: Arms,
    failure: float,
    epsilon: float,
    delta: float | None = None,
    *,
    seed: int,
    replication: int = 0,
    noise: str = "gaussian",
    method: str = "classical",
    limit: int = 10_000_000,
) -> Identification:
    """Find the best arm from noisy rewards: lil'UCB of Jamieson et al. (2014).

    Each arm is pulled once, then the one with the largest

        mean + (1 + beta) ((1 + sqrt(e)) sqrt(2 s^2 (1 + e) l / n) + b (1 + e) l / n),  l = ln(ln((1 + e) n) / d)

    until one has 1 + lambda times the pulls of all others, e = 0.01, beta = 1, lambda = 9. Rewards in [0, 1] are
    sub-Gaussian with 1/2. With Gaussian noise s^2 = 1/4 + sigma^2 and b = 0, which is their index; with Laplace noise
    of scale b, s^2 = 1/4 + 2 b^2.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    failure : float
        nu in (0, 1): with d = (sqrt(1 + nu) - 1)^2 / (4 c), c = (2 + e)/e (1/ln(1 + e))^(1 + e), the events that the
        proof needs fail with probability at most nu.
    epsilon : float
        Privacy of a user, > 0; infinity is lil'UCB itself.
    delta : float, optional
        In (0, 1); None with Laplace noise.
    seed, replication : int
        As in `simulate`, >= 0.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found, for the sensitivity 2B = 2 of Algorithm 1.
    limit : int
        Stop anyway after so many pulls, at least one an arm.

    Returns
    -------
    Identification

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The proof asks for a larger lambda than the authors' 9 unless d is very small.

    The Laplace term is ours, as a Laplace number is not sub-Gaussian: reward and noise less their mean are sub-gamma,
    ln E exp(x Z) <= x^2 s^2 / (2 (1 - b |x|)). By Ville's inequality, on each of the stretches (1 + e)^k <= n <
    (1 + e)^(k+1) the mean errs by at most sqrt(2 s^2 (1 + e) m / n) + b m / n but with probability exp(-m). At m =
    (1 + e) ln((k + 1) ln(1 + e) / d), at most (1 + e) l, these sum to at most (1 + 1/e)(d / ln(1 + e))^(1 + e), less
    than the c d^(1 + e) that their Lemma 3 has, and the first term is below theirs, as sqrt(1 + e) < 1 + sqrt(e). So
    the deviations that their proof needs hold as often; its count of pulls is not carried over.

    Examples
    --------
    >>> from private_bandits.problems import Arms
    >>> found = lil_ucb(Arms.bernoulli([0.2, 0.9, 0.1]), failure=0.1, epsilon=30.0, delta=0.1, seed=0)
    >>> found.arm, found.stopped
    (1, True)
    """
    if not isinstance(problem, Arms):
        raise ValueError(f"problem must be Arms, got {checks.brief(problem)}")
    most = checks.integer("limit", limit, at_least=problem.n_items, at_most=checks.ROUNDS)
    checks.integer("seed", seed, at_least=0)
    policy = identifier(failure, epsilon, delta, noise, method)
    pulls = np.zeros(problem.n_items, np.int64)
    source = streams(seed, checks.integer("replication", replication, at_least=0))
    stopped = identify.until_one_leads(problem.means, policy.record, most, *source, pulls)
    return Identification(int(np.argmax(pulls)), tuple(pulls.tolist()), bool(stopped), policy.privacy)


def reference(
    problem: Arms,
    failure: float,
    streams: Any,
    epsilon: float,
    delta: float | None = None,
    noise: str = "gaussian",
    method: str = "classical",
) -> list[int]:
    """Play Figure 1 of Jamieson et al. (2014) behind Algorithm 1, and return the pulls of each arm.

    Ties in the index have probability 0 under noise.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    failure : float
        nu in (0, 1): with which it may be wrong.
    streams : Streams
        Environment, choice and noise, as of `simulate.streams`.
    epsilon : float
        > 0.
    delta : float, optional
        In (0, 1); None with Laplace noise.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found.

    Returns
    -------
    list of int
        Pulls of each arm.
    """
    e, beta, lam = 0.01, 1.0, 9.0
    c = (2.0 + e) / e * (1.0 / math.log(1.0 + e)) ** (1.0 + e)
    d = (math.sqrt(1.0 + failure) - 1.0) ** 2 / (4.0 * c)
    scale = noise_on(2.0, epsilon, delta, noise, method)
    draw, variance, tail = streams.noise.normal, scale**2, 0.0
    if noise == "laplace":
        draw, variance, tail = streams.noise.laplace, 2.0 * scale**2, scale
    rewards: list[list[float]] = [[] for _ in problem.means]

    def pull(i: int) -> None:
        rewards[i].append((1.0 if streams.env.random() < problem.means[i] else 0.0) + draw(0.0, scale))

    def bonus(n: int) -> float:
        level = math.log(math.log((1.0 + e) * n) / d) / n
        root = (1.0 + math.sqrt(e)) * math.sqrt(2.0 * (0.25 + variance) * (1.0 + e) * level)
        return (1.0 + beta) * (root + tail * (1.0 + e) * level)

    for i in range(len(rewards)):
        pull(i)
    while all(len(r) < 1.0 + lam * (sum(map(len, rewards)) - len(r)) for r in rewards):
        pull(int(np.argmax([sum(r) / len(r) + bonus(len(r)) for r in rewards])))
    return [len(r) for r in rewards]

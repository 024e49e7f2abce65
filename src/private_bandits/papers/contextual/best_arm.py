"""Best-arm identification behind Algorithm 1: lil'UCB with the sub-Gaussian constant that the noise leaves.

The paper's own treatment is in an appendix that is not at hand; this is the plain reading of its reduction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from private_bandits import checks
from private_bandits.kernels.identify import until_one_leads
from private_bandits.papers.contextual.bounds_online import noise_scale, noise_variance
from private_bandits.papers.contextual.reduction import message_privacy
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms
from private_bandits.simulate import streams

_WIDTH = 0.01  # the epsilon of lil'UCB, and its beta and lambda, as in its authors' experiments
_BETA = 1.0
_SHARE = 9.0


@dataclass(frozen=True)
class Identification:
    """What `lil_ucb` found: the arm pulled most, the pulls of each arm, and whether the rule stopped it."""

    arm: int
    pulls: tuple[int, ...]
    stopped: bool
    privacy: Guarantee


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
    failure : float
        nu in (0, 1): with d = (sqrt(1 + nu) - 1)^2 / (4 c), c = (2 + e)/e (1/ln(1 + e))^(1 + e), the events that the
        proof needs fail with probability at most nu.
    epsilon, delta
        Privacy of a user: > 0, in (0, 1), delta None with Laplace noise; epsilon = infinity is lil'UCB itself.
    seed, replication : int
        As in `simulate`.
    noise : {"gaussian", "laplace"}
    method : {"classical", "analytic"}
        How sigma is found, for the sensitivity 2B = 2 of Algorithm 1.
    limit : int
        Stop anyway after so many pulls, at least one an arm.

    Notes
    -----
    The proof asks for a larger lambda than the authors' 9 unless d is very small.

    The Laplace term is ours, as a Laplace number is not sub-Gaussian: reward and noise less their mean are sub-gamma,
    ln E exp(x Z) <= x^2 s^2 / (2 (1 - b |x|)). By Ville's inequality, on each of the stretches (1 + e)^k <= n <
    (1 + e)^(k+1) the mean errs by at most sqrt(2 s^2 (1 + e) m / n) + b m / n but with probability exp(-m). At m =
    (1 + e) ln((k + 1) ln(1 + e) / d), at most (1 + e) l, these sum to at most (1 + 1/e)(d / ln(1 + e))^(1 + e), less
    than the c d^(1 + e) that their Lemma 3 has, and the first term is below theirs, as sqrt(1 + e) < 1 + sqrt(e). So
    the deviations that their proof needs hold as often; its count of pulls is not carried over.
    """
    checks.real("failure", failure, above=0, below=1)
    most = checks.integer("limit", limit, at_least=problem.n_items)
    checks.integer("seed", seed, at_least=0)
    scale = noise_scale(2.0, epsilon, delta, noise, method)
    spread = 1.0 + _WIDTH
    often = (2.0 + _WIDTH) / _WIDTH * math.log(spread) ** -spread
    small = (math.sqrt(1.0 + failure) - 1.0) ** 2 / (4.0 * often)
    variance, heavy = 0.25 + noise_variance(scale, noise), noise == "laplace"
    size = (1.0 + _BETA) * (1.0 + math.sqrt(_WIDTH)) * math.sqrt(2.0 * variance * spread)
    tail = (1.0 + _BETA) * spread * scale if heavy else 0.0
    pulls = np.zeros(problem.n_items, np.int64)
    source = streams(seed, checks.integer("replication", replication, at_least=0))
    stopped = until_one_leads(problem.means, size, tail, spread, small, _SHARE, heavy, scale, most, *source, pulls)
    privacy = message_privacy(scale, 1.0, epsilon, delta, noise, "one noisy reward is all that is sent")
    return Identification(int(np.argmax(pulls)), tuple(pulls.tolist()), bool(stopped), privacy)

"""The first open problem of the slides, u and v unknown, explored: private quantiles. Everything here is ours."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import quantile
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import pareto

FIRST, SHARE, WIDTH = 8.0, 2.0, 16.0


def quantile_se(epsilon: float, *, beta: float, width: float = WIDTH, first: float = FIRST) -> Policy:
    """Successive elimination that needs neither u nor v: its thresholds are private quantiles of the rewards.

    The slides' threshold B = (u R epsilon / L)^(1/(1+v)) is where Markov's inequality promises that no more than
    L / epsilon of R rewards lie beyond it. The rule "as many beyond it as L / epsilon" names neither u nor v, and the
    slides' err, u^(1/(1+v)) (L / (R epsilon))^(v/(1+v)), is B L / (R epsilon). So half of an epoch's rewards choose B,
    by the exponential mechanism over the powers of two from 2^-64 to 2^64 and with 2 L / s rewards beyond it in view,
    s = min(1, epsilon); the other half are truncated at B, and their mean gets Lap(2 B / (R epsilon)). Epochs double:
    R = ceil(8 * 2^e L / s) in each half, L = ln(4 |S| e^2 / beta). An arm leaves if its mean + w lies below another's
    mean - w, each with its own w = width B L / (R s).

    Parameters
    ----------
    epsilon : float
        Privacy, > 0; infinity means no noise.
    beta : float
        Probability in (0, 1) that some bound fails, where the width holds.
    width : float
        Width of a mean in units of B L / (R s), > 0. No width holds for every law: a quantile does not see how far the
        rewards lie beyond it. For Pareto rewards of shape a and g L / s of them beyond B, the bias is g a / (a - 1),
        sampling adds up to sqrt(2 a g / (2 - a)) and the noise 2, in units of B L / (R s). In our tests 16 covers the
        means at the shapes 1.35, 1.55 and 1.95, and fails more often than not at 1.1. `bounds.quantile_width` is proven
        for laws with a regular tail.
    first : float
        R = ceil(first 2^e L / s), > 0. A longer first epoch sees rarer rewards before it decides.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The price of not knowing: twice the pulls for the same mean at one epsilon, as each reward enters one of the two
    mechanisms; a bias of a few err; and a promise that rests on the tail. In return B follows the law itself where a
    moment bound only allows for the worst: for a Pareto law of shape a the pulls grow as gap^-(a/(a-1)), whatever v is.
    The thresholds' prior makes rewards of the order of 1 easiest, see `kernels.quantile.choose`.

    Examples
    --------
    >>> from private_bandits import simulate
    >>> from private_bandits.papers.heavy_tailed import pareto_arms
    >>> problem = pareto_arms([0.9, 0.5], shape=1.5)
    >>> result = simulate(problem, quantile_se(epsilon=1.0, beta=1e-6), horizon=10**9, replications=2, seed=1)
    >>> bool((result.regret[:, -1] < 1e-3 * problem.uniform_regret() * 10**9).all())
    True
    """
    record = quantile.Record(
        epsilon=checks.epsilon(epsilon),
        beta=checks.real("beta", beta, above=0, below=1),
        first=checks.real("first", first, above=0),
        share=SHARE,
        width=checks.real("width", width, above=0),
    )
    reason = "a reward enters one choice of a threshold or one noisy mean"
    privacy = Guarantee.certified(record.epsilon, record.epsilon, "central", reason)
    version = "ours" if first == FIRST else f"ours, first epoch times {first / FIRST:g}"
    return Policy(
        name="Quantile SE",
        algorithm="u and v unknown",
        variant=version,
        privacy=privacy,
        record=record,
        mechanism="exponential",
    )


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, beta: float, width: float = WIDTH, first: float = FIRST
) -> list[list[int]]:
    """The elimination on Pareto arms; every reward is drawn by itself.

    Parameters
    ----------
    problem : ParetoArms
        Rewards are Pareto.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    beta : float
        In (0, 1): with which some bound may fail.
    width : float
        Of a mean, in units of B L / (R s), > 0.
    first : float
        R = ceil(first 2^e L / s), > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    alive = list(range(problem.n_arms))
    rows: list[list[int]] = []
    epoch, rate = 0, min(epsilon, 1)
    while len(alive) > 1:
        epoch += 1
        log = math.log(4 * len(alive) * epoch**2 / beta)
        half = math.ceil(first * 2**epoch * log / rate)
        rows += [[a, 1] for a in alive] * (2 * half)
        if len(rows) > rounds:
            return rows[:rounds]
        centre, radius = {}, {}
        for a in alive:
            chosen, summed = (
                [pareto(streams.env, problem.means[a], problem.shape) for _ in range(half)] for _ in range(2)
            )
            score = {}
            for j in range(-64, 65):
                score[j] = -abs(sum(x > 2.0**j for x in chosen) - 2 * log / rate)
                if epsilon < math.inf:  # the exponential mechanism, with the prior 2^-|j|
                    gumbel = -math.log(-math.log(streams.noise.random()))
                    score[j] = -math.log(2) * abs(j) + epsilon / 2 * score[j] + gumbel
            threshold = 2.0 ** max(score, key=lambda j: score[j])
            centre[a] = sum(x for x in summed if x <= threshold) / half
            if epsilon < math.inf:
                centre[a] += streams.noise.laplace(0.0, 2 * threshold / (half * epsilon))
            radius[a] = width * threshold * log / (half * rate)
        bar = max(centre[a] - radius[a] for a in alive)
        alive = [a for a in alive if centre[a] + radius[a] >= bar]
    return (rows + [[alive[0], 1]] * rounds)[:rounds]

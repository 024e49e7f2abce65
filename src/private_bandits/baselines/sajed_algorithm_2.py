"""Sajed and Sheffet (2019), Algorithm 2: DP-SE, successive elimination on noisy means."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import elimination
from private_bandits.mechanisms import laplace_scale
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams

ONE_MEAN = "each reward enters one noisy mean, and all else follows from those"


def dp_se(epsilon: float, *, n_arms: int, horizon: int, beta: float | None = None) -> Policy:
    """DP-SE of Sajed and Sheffet (2019), Algorithm 2: successive elimination on noisy means.

    In epoch e, with S the surviving arms, L = ln(8 |S| e^2 / beta) and M = ln(4 |S| e^2 / beta), each is pulled

        R = max(32 L 4^e, 8 M 2^e / epsilon) + 1

    times, its mean gets its own Lap(1/(epsilon R)), and it leaves if it lies more than 2 sqrt(L / (2R)) +
    2 M / (epsilon R) below the largest noisy mean. Every epoch starts from fresh rewards.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity gives successive elimination without noise and its bonus.
    n_arms : int
        Number of arms, >= 1.
    horizon : int
        Longest run, >= 1, from which beta is set.
    beta : float, optional
        Probability in (0, 1) that some confidence bound fails; default 1/horizon (1/2 at horizon 1).

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The constants are read from public implementations that agree, which is what "printed" means here. R is rounded up
    where it first appears, so that the noise, the bounds and the pulls agree.

    Examples
    --------
    >>> dp_se(0.5, n_arms=5, horizon=10**6).privacy.label()
    'ε=0.5'
    """
    scale = laplace_scale(epsilon, sensitivity=1.0)
    arms = checks.integer("n_arms", n_arms, at_least=1)
    length = checks.integer("horizon", horizon, at_least=1)
    failure = 1.0 / max(length, 2) if beta is None else checks.real("beta", beta, above=0, below=1)
    record = elimination.Record(
        np.array([(32.0, 8.0, 2.0, math.sqrt(2.0), 0.5), (8.0 * scale, 4.0, 1.0, 2.0 * scale, 1.0)]),
        beta=failure,
        noise=elimination.ON_MEAN,
        scale=scale,
        n_arms=arms,
        horizon=length,
    )
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "central", ONE_MEAN)
    return Policy(
        name="DP-SE",
        paper="sajed2019",
        algorithm="Algorithm 2",
        variant="printed",
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
    n_arms: int,
    horizon: int,
    beta: float | None = None,
) -> Rows:
    """Algorithm 2 of Sajed and Sheffet (2019); an epoch's rewards are one binomial draw.

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
    n_arms : int
        K, of the problem.
    horizon : int
        T >= 1, from which beta is set.
    beta : float, optional
        In (0, 1): with which some bound may fail; default 1/horizon (1/2 at horizon 1).

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    beta = 1 / max(horizon, 2) if beta is None else beta
    viable = list(range(n_arms))  # S <- {1, ..., K}
    rows: Rows = []
    epoch = 0
    while len(viable) > 1:  # repeat ... until |S| = 1
        epoch += 1
        gap = 2.0**-epoch
        log_8 = math.log(8 * len(viable) * epoch**2 / beta)
        log_4 = math.log(4 * len(viable) * epoch**2 / beta)
        pulls = math.ceil(max(32 * log_8 / gap**2, 8 * log_4 / (epsilon * gap)) + 1)
        rows += [[arm, 1] for arm in viable] * min(pulls, rounds)
        if len(rows) >= rounds:
            return rows[:rounds]
        mean = {arm: streams.env.binomial(pulls, problem.means[arm]) / pulls for arm in viable}
        h = math.sqrt(log_8 / (2 * pulls))
        c = log_4 / (pulls * epsilon)
        if math.isfinite(epsilon):
            for arm in viable:
                mean[arm] += streams.noise.laplace(0.0, 1 / (epsilon * pulls))
        best = max(mean.values())
        viable = [arm for arm in viable if not best - mean[arm] > 2 * h + 2 * c]
    return rows + [[viable[0], 1]] * (rounds - len(rows))  # pull the arm in S in all remaining rounds

"""Algorithm 3 of Tao et al. (2022), DP Robust SE: elimination by epochs, with one noise on each truncated mean.

Epoch e has the gap D = 2^-e in view and is as long as makes its error err = D/c; an arm leaves if its mean lies more
than (c/2) err = D/2 below the largest. So an arm of gap D is out after epoch e if every mean is within (c/4) err of
the truth. The slides have c = 24 and write the rule as 12 err. Another c is a variant of ours: a smaller one makes
shorter epochs with the same D/2, and the bound on the means, at (c/4) err, may fail.

`se_without_privacy` and `local_se` are the same scheme: they share the constants of `elimination`.
"""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import elimination as kernel
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import pareto

PRINTED_C = 24.0
"""The constant of the slides' epoch length."""


def dp_robust_se(epsilon: float, *, v: float, u: float, beta: float, c: float = PRINTED_C) -> Policy:
    """Algorithm 3, DP Robust SE: Lap(2 B / (R epsilon)) on the mean of each arm and epoch.

    In epoch e, with S the surviving arms, D = 2^-e and L = ln(4 |S| e^2 / beta), each arm is pulled R times, and
    rewards with |x| > B count as 0; an arm leaves if its noisy mean lies more than (c/2) err below the largest:

        R = ceil(u^(1/v) (c/D)^((1+v)/v) L / epsilon + 1),    B = (u R epsilon / L)^(1/(1+v)),
        err = u^(1/(1+v)) (L / (R epsilon))^(v/(1+v)).

    Parameters
    ----------
    epsilon : float
        Privacy, > 0. The theorems ask for epsilon <= 1: beyond it err no longer covers the sampling error. Infinity
        gives `robust_se` with this c.
    v : float
        Order of the moment less 1, in (0, 1]: E|X|^(1+v) <= u.
    u : float
        Bound on the moment, > 0, in units of reward to the power 1 + v.
    beta : float
        Probability in (0, 1) that some bound fails.
    c : float
        Constant of the epochs, > 0; 24 on the slides. For epsilon <= 1 the noise adds 2 err to the 2.75 err of
        `robust_se`, so 19 is proven.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The slides pull the last arm "in all remaining rounds"; where several are left at the horizon, the run is cut there.

    Examples
    --------
    >>> from private_bandits import simulate
    >>> from private_bandits.papers.heavy_tailed import setting
    >>> problem = setting(1, v=0.9)
    >>> policy = dp_robust_se(epsilon=1.0, v=0.9, u=problem.moment(0.9), beta=1e-6)
    >>> result = simulate(problem, policy, horizon=10**12, replications=2, seed=1)
    >>> bool((result.regret[:, -1] < 1e-3 * problem.uniform_regret() * 10**12).all())
    True
    """
    epsilon = checks.epsilon(epsilon)
    scale = laplace_scale(epsilon, sensitivity=1.0)
    if math.isinf(epsilon):
        record = elimination(v, u, beta, c, inside=4.0, samples=1.0)
        version = "ours" if c == 12.0 else f"ours, c = {c:g}"
        return Policy(
            name="Robust SE",
            algorithm="truncated means",
            variant=version,
            privacy=Guarantee.none(),
            record=record,
        )
    record = elimination(v, u, beta, c, inside=4.0, samples=epsilon)._replace(noise=kernel.ON_MEAN, scale=scale)
    reason = "Laplace noise on truncated means; each reward enters one mean, and all else follows from those"
    # `scale` is in units of the range 2B / R that one reward has in a mean, whatever B is
    privacy = Guarantee.certified(epsilon, 1.0 / record.scale, "central", reason)
    version = "printed" if c == PRINTED_C else f"printed, c = {c:g}"
    return Policy(
        name="DP Robust SE",
        paper="tao2022",
        algorithm="Algorithm 3",
        variant=version,
        privacy=privacy,
        record=record,
        mechanism="laplace",
    )


def elimination(
    v: float,
    u: float,
    beta: float,
    c: float,
    *,
    inside: float,
    samples: float,
    halved: bool = False,
    u_power: float = 1.0,
) -> kernel.Record:
    """The scheme with x = L / (samples R), or its square root: B = (u / x)^(1/(1+v)), err = B x.

    Parameters
    ----------
    v, u, beta, c : float
        As for `dp_robust_se`.
    inside : float
        L = ln(inside |S| e^2 / beta), > 0.
    samples : float
        What a pull counts for, > 0: epsilon, its square, or 1.
    halved : bool
        Whether x is the square root, as the noise of a mean of R reports asks.
    u_power : float
        Power of u^(1/v) in R with x, halved in R with its root.

    Returns
    -------
    Record

    Raises
    ------
    ValueError
        If `v`, `u`, `beta` or `c` is out of range.
    """
    v, bound = order(v), moment_bound(u)
    power = 1.0 + v
    failure = checks.real("beta", beta, above=0, below=1)
    factor = checks.real("c", c, above=0)
    half = 0.5 if halved else 1.0
    scaled = samples**half
    pulls = power_or_infinity(factor * bound ** (u_power * half / power), power / (v * half)) / samples
    width = 0.5 * factor * bound ** (1.0 / power) * scaled ** (-v / power)
    return kernel.Record(
        np.array([(pulls, inside, power / (v * half), width, half * v / power)]),
        beta=failure,
        truncation=(bound * scaled) ** (1.0 / power),
        truncation_power=half / power,
        v=v,
        u=bound,
    )


def power_or_infinity(base: float, exponent: float) -> float:
    """Return a power, infinite where no float is large enough: such an epoch is never finished.

    Parameters
    ----------
    base, exponent : float
        base >= 0.

    Returns
    -------
    float
    """
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def reference(
    problem: Any, rounds: int, streams: Any, *, epsilon: float, v: float, u: float, beta: float, c: float = PRINTED_C
) -> list[list[int]]:
    """Play Algorithm 3 line by line on Pareto arms; without noise, at epsilon = infinity, with 1 for epsilon.

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
    v : float
        Order of the moment less 1, in (0, 1].
    u : float
        Bound on the moment, > 0.
    beta : float
        In (0, 1): with which some bound may fail.
    c : float
        Constant of the epochs, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    noisy, epsilon = math.isfinite(epsilon), 1.0 if math.isinf(epsilon) else epsilon
    viable = list(range(problem.n_arms))  # line 1
    rows: list[list[int]] = []
    tau, power = 0, (1 + v) / v  # line 2
    while len(viable) > 1:  # lines 3 and 26
        tau += 1  # line 4
        d_tau = 2.0**-tau  # line 6
        log = math.log(4 * len(viable) * tau**2 / beta)
        pulls = math.ceil(u ** (1 / v) * (c**power * log / (epsilon * d_tau**power)) + 1)  # line 7
        threshold = (u * pulls * epsilon / log) ** (1 / (1 + v))  # line 8
        rows += [[a, 1] for a in viable] * min(pulls, rounds)  # lines 9 to 12
        if len(rows) >= rounds:
            return rows[:rounds]
        estimate = {}
        for a in viable:  # an epoch's rewards are drawn when it ends
            rewards = [pareto(streams.env, problem.means[a], problem.shape) for _ in range(pulls)]
            mean = sum(x for x in rewards if abs(x) <= threshold) / pulls  # lines 13 to 17
            noise = streams.noise.laplace(0.0, 2 * threshold / (pulls * epsilon)) if noisy else 0.0
            estimate[a] = mean + noise  # line 18
        largest = max(estimate.values())  # line 19
        error = u ** (1 / (1 + v)) * (log / (pulls * epsilon)) ** (v / (1 + v))  # line 20
        # lines 21 to 25: 12 err at c = 24
        viable = [a for a in viable if not largest - estimate[a] > c / 2 * error]
    return rows + [[viable[0], 1]] * (rounds - len(rows))  # line 27

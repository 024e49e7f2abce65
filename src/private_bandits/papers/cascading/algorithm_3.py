"""Wang et al. (2021), Algorithm 3, Cascading-UCB under LDP with the Gaussian mechanism, in Section 5.2."""

import math

from private_bandits.kernels import index
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.cascading.instances import one_hot_replies
from private_bandits.papers.cascading.shared import PAPER, SAMPLING, checked, local, terms
from private_bandits.policy import Policy
from private_bandits.privacy import sensitivity
from private_bandits.reference_tools import Problem, Rows, Streams, click, largest


def ucb_gaussian(epsilon: float, *, delta: float, list_size: int, noise_multiplier: float = 1.0) -> Policy:
    """Algorithm 3, Cascading-UCB under LDP (Gaussian): sigma = sqrt(2 K ln(1.25/delta)) / epsilon.

    U = mean + sqrt(1.5 ln t / n) + sigma sqrt(2 ln(2 t^3) / n).

    Parameters
    ----------
    epsilon : float
        Nominal privacy of a user, > 0; infinity gives CascadeUCB1.
    delta : float
        Probability with which the loss may exceed epsilon, in (0, 1).
    list_size : int
        K >= 1, for which the noise is calibrated.
    noise_multiplier : float
        Multiplies the noise and its bonus, > 0; 0.01 in the published experiments.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> ucb_gaussian(0.2, delta=1e-3, list_size=4).privacy.label()
    'ε=0.2, values pay 0.0582, everything ∞'
    """
    size, factor, times = checked(list_size, noise_multiplier)
    sigma = factor * gaussian_sigma(epsilon, delta=delta, sensitivity=math.sqrt(size), calibration="classical")
    a = terms(SAMPLING, (6.0 * sigma**2, 2.0 * math.log(2.0) * sigma**2))
    record = index.Record(a, noise=index.GAUSSIAN, scale=sigma, list_size=size)
    value = gaussian_epsilon(sigma, delta=delta, sensitivity=sensitivity(one_hot_replies(size), order=2))
    privacy = local(epsilon, delta, value, delta, record)
    return Policy(
        name="Gaussian",
        paper=PAPER,
        algorithm="Algorithm 3",
        variant=times,
        privacy=privacy,
        record=record,
        mechanism="gaussian",
        calibration="classical",
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    delta: float,
    list_size: int,
    noise_multiplier: float = 1.0,
) -> Rows:
    """Algorithm 3.

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    delta : float
        In (0, 1).
    list_size : int
        K, of the problem.
    noise_multiplier : float
        Of the noise and its bonus, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    sigma = noise_multiplier / epsilon * math.sqrt(2 * list_size * math.log(1.25 / delta))
    means, size, items = problem.means, list_size, range(problem.n_arms)
    total = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # observe w_0; w_1(e) <- w_0(e)
    pulls = [1 for e in items]  # T_0(e) <- 1
    rows = []
    for t in range(1, rounds + 1):
        upper = [
            total[e] / pulls[e]
            + math.sqrt(1.5 * math.log(t) / pulls[e])
            + sigma * math.sqrt(2 * math.log(2 * t**3) / pulls[e])
            for e in items
        ]
        recommended = largest(upper, size, streams.choice)  # the K items with largest private UCBs
        c_t = click(means, recommended, streams.env)  # observe click C_t in {1, ..., K, infinity}
        for k in range(1, int(min(c_t, size)) + 1):
            e = recommended[k - 1]
            pulls[e] += 1
            total[e] += (1.0 if c_t == k else 0.0) + streams.noise.normal(0.0, sigma)
        rows.append([*recommended, int(min(c_t, size))])
    return rows

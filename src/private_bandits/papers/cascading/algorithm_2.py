"""Wang et al. (2021), Algorithm 2, Cascading-UCB under LDP with the Laplace mechanism, in Section 5.1."""

import math

from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.cascading.shared import PAPER, SAMPLING, checked, laplace_loss, local, terms
from private_bandits.policy import Policy
from private_bandits.reference_tools import Problem, Rows, Streams, click, largest


def ucb_laplace(epsilon: float, *, list_size: int, noise_multiplier: float = 1.0) -> Policy:
    """Algorithm 2, Cascading-UCB under LDP (Laplace): Lap(K/epsilon) on each observed position.

    U = mean + sqrt(1.5 ln t / n) + (K/epsilon) sqrt(24 ln t / n).

    Parameters
    ----------
    epsilon : float
        Nominal privacy of a user, > 0; infinity gives CascadeUCB1.
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

    Notes
    -----
    The forced exploration (n >= 3 ln t) that the tail bound of its proof needs is not in the algorithm:
    `forced_laplace` has it.

    Examples
    --------
    >>> ucb_laplace(0.2, list_size=4).privacy.label()
    'ε=0.2, values pay 0.1, everything ∞'
    """
    size, factor, times = checked(list_size, noise_multiplier)
    scale = factor * laplace_scale(epsilon, sensitivity=size)
    a = terms(SAMPLING, (24.0 * scale**2, 0.0))
    record = index.Record(a, noise=index.LAPLACE, scale=scale, list_size=size)
    privacy = local(epsilon, 0.0, laplace_loss(scale, size), 0.0, record)
    return Policy(
        name="Laplace",
        paper=PAPER,
        algorithm="Algorithm 2",
        variant=times,
        privacy=privacy,
        record=record,
        mechanism="laplace",
    )


def reference(
    problem: Problem, rounds: int, streams: Streams, *, epsilon: float, list_size: int, noise_multiplier: float = 1.0
) -> Rows:
    """Algorithm 2.

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
    list_size : int
        K, of the problem.
    noise_multiplier : float
        Of the noise and its bonus, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    scale = noise_multiplier * list_size / epsilon
    means, size, items = problem.means, list_size, range(problem.n_arms)
    total = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # observe w_0; w_1(e) <- w_0(e)
    pulls = [1 for e in items]  # T_0(e) <- 1
    rows = []
    for t in range(1, rounds + 1):
        upper = [
            total[e] / pulls[e]
            + math.sqrt(1.5 * math.log(t) / pulls[e])
            + scale * math.sqrt(24 * math.log(t) / pulls[e])
            for e in items
        ]
        recommended = largest(upper, size, streams.choice)  # the K items with largest private UCBs
        c_t = click(means, recommended, streams.env)  # observe click C_t in {1, ..., K, infinity}
        for k in range(1, int(min(c_t, size)) + 1):
            e = recommended[k - 1]
            pulls[e] += 1
            total[e] += (1.0 if c_t == k else 0.0) + streams.noise.laplace(0.0, scale)
        rows.append([*recommended, int(min(c_t, size))])
    return rows

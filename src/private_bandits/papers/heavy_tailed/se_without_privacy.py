"""Algorithm 3 without its noise: successive elimination on truncated means. Ours, for comparison."""

import math
from typing import Any

from private_bandits.papers.heavy_tailed import algorithm_3
from private_bandits.policy import Policy


def robust_se(*, v: float, u: float, beta: float, c: float = 12.0) -> Policy:
    """Successive elimination on truncated means, without privacy; ours, for comparison.

    The epochs of `dp_robust_se` with R in the place of R epsilon, and no noise.

    Parameters
    ----------
    v : float
        Order of the moment less 1, in (0, 1]: E|X|^(1+v) <= u.
    u : float
        Bound on the moment, > 0, in units of reward to the power 1 + v.
    beta : float
        Probability in (0, 1) that some bound fails.
    c : float
        Constant of the epochs, > 0. By Bernstein's inequality a mean is off by at most 2.75 err with probability
        1 - 2 e^-L: the truncation biases it by at most err, and sampling moves it by sqrt(2) err + err/3. So 12, which
        allows 3 err, is proven.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = robust_se(v=0.5, u=1.0, beta=1e-3)
    >>> policy.name, policy.privacy.label()
    ('Robust SE', 'no privacy')
    """
    return algorithm_3.dp_robust_se(math.inf, v=v, u=u, beta=beta, c=c)


def reference(
    problem: Any, rounds: int, streams: Any, *, v: float, u: float, beta: float, c: float = 12.0
) -> list[list[int]]:
    """Play Algorithm 3 with 1 for epsilon in its lengths, and no noise in line 18.

    Parameters
    ----------
    problem : ParetoArms
        Rewards are Pareto.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
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
    return algorithm_3.reference(problem, rounds, streams, epsilon=math.inf, v=v, u=u, beta=beta, c=c)

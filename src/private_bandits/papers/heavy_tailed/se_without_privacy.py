"""Algorithm 3 without its noise: successive elimination on truncated means. Ours, for comparison."""

from __future__ import annotations

import math
from typing import Any

from private_bandits.papers.heavy_tailed import algorithm_3
from private_bandits.plain import pareto
from private_bandits.policy import Policy


def robust_se(v: float, u: float, beta: float, c: float = 12.0) -> Policy:
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
    return algorithm_3.dp_robust_se(math.inf, v, u, beta, c)


def reference(
    problem: Any, horizon: int, streams: Any, v: float, u: float, beta: float, c: float = 12.0
) -> list[list[int]]:
    """Algorithm 3 line by line on Pareto arms, with 1 for epsilon in its lengths and no noise in line 18."""
    viable = list(range(problem.n_items))  # line 1
    rows: list[list[int]] = []
    tau = 0  # line 2
    while len(viable) > 1:  # lines 3 and 26
        tau += 1  # line 4
        d_tau = 2.0**-tau  # line 6
        log = math.log(4 * len(viable) * tau**2 / beta)
        pulls = math.ceil(u ** (1 / v) * (c ** ((1 + v) / v) * log / d_tau ** ((1 + v) / v)) + 1)  # line 7
        threshold = (u * pulls / log) ** (1 / (1 + v))  # line 8
        for _ in range(pulls):  # lines 9 to 12; the rewards are drawn when the epoch ends
            for a in viable:
                rows.append([a, 1])
                if len(rows) == horizon:
                    return rows
        estimate = {}
        for a in viable:
            rewards = [pareto(streams.env, problem.means[a], problem.shape) for _ in range(pulls)]  # line 13
            estimate[a] = sum(x for x in rewards if abs(x) <= threshold) / pulls  # lines 14 to 17
        largest = max(estimate.values())  # line 19
        error = u ** (1 / (1 + v)) * (log / pulls) ** (v / (1 + v))  # line 20
        viable = [a for a in viable if not largest - estimate[a] > c / 2 * error]  # lines 21 to 25: 6 err at c = 12
    return rows + [[viable[0], 1]] * (horizon - len(rows))  # line 27

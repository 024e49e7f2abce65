"""The sum of n rewards of one arm, drawn as a sum: its cost does not grow with n."""

from __future__ import annotations

from private_bandits._compiled import compiled
from private_bandits.kernels.sums import truncated_pareto_sum


@compiled
def reward_sum(env, n, mean, shape, threshold):
    """Draw the sum of n rewards, those above the threshold counted as 0.

    Compiled. Bernoulli rewards (shape 0) are one Binomial(n, mean) draw, the same number from the same generator state
    as `env.binomial(n, mean)`, good up to n = 10^15. Pareto rewards are `sums.truncated_pareto_sum`.

    Parameters
    ----------
    env : numpy.random.Generator
    n : int
        Number of rewards, >= 0.
    mean : float
    shape : float
        Of Pareto rewards; 0 for Bernoulli ones.
    threshold : float
        Rewards above it are truncated to 0; infinity keeps them all.
    """
    if shape > 0.0:
        return truncated_pareto_sum(env, n, mean, shape, threshold)
    if threshold < 1.0:
        return 0.0
    return float(env.binomial(n, mean))

"""The distribution over arms of Tsallis-INF, from estimated cumulative losses."""

import math

from private_bandits.compilation import compiled

NEWTON_STEPS = 100


@compiled(borrows=True)
def tsallis(losses, step, weights):
    """Write w_i = 4 / (step (L_i - x))^2, with x below every L_i such that they sum to 1.

    The sum rises with x and is convex, and at min L - 2 / step it is at least 1: from there Newton's method falls to x
    without ever passing it. The last digits are removed by dividing by the sum.

    Parameters
    ----------
    losses : float64 array, shape (n_arms,)
        L.
    step : float
        > 0.
    weights : float64 array, shape (n_arms,), written

    Returns
    -------
    float
        x.
    """
    least = math.inf
    for arm in range(len(losses)):
        least = min(least, losses[arm])
    x = least - 2.0 / step
    for _ in range(NEWTON_STEPS):
        total, slope = 0.0, 0.0
        for arm in range(len(losses)):
            root = 2.0 / (step * (losses[arm] - x))
            weights[arm] = root * root
            total += root * root
            slope += root * root * root
        if total - 1.0 <= 1e-13:
            break
        x -= (total - 1.0) / (step * slope)
    total = 0.0
    for arm in range(len(losses)):
        total += weights[arm]
    for arm in range(len(losses)):
        weights[arm] /= total
    return x


@compiled
def draw(weights, choice):
    """Draw an arm from a distribution with one uniform number.

    Parameters
    ----------
    weights : float64 array, shape (n_arms,)
        >= 0, with sum 1 up to rounding.
    choice : numpy.random.Generator

    Returns
    -------
    int
    """
    u = choice.random()
    arm = 0
    while u >= weights[arm] and arm < len(weights) - 1:
        u -= weights[arm]
        arm += 1
    return arm

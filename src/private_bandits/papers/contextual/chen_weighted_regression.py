"""Information-weighted regression of Chen, Li, Rakhlin and Simchi-Levi (2025), in an elimination of ours.

From their abstract, which is all we have: that under privacy not the covariance of the vectors counts but its L1
analogue, that regression weighted by it attains the best rates, and that it gives contextual linear bandits regret of
order sqrt(T)/epsilon under local privacy, for contexts drawn independently from an unknown law. Ours are the
messages, the iteration that finds the weights, epochs, elimination and constants; `kernels.weighted` has the loop.
"""

import math

from private_bandits import checks
from private_bandits.kernels import weighted
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import ellipsoids
from private_bandits.papers.contextual.accounting import LARGEST_REWARD, noise_facts
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

FIRST = 1024
"""Users of the first epoch."""


def weighted_regression(epsilon: float, *, delta: float, dim: int, horizon: int, batches: int = 2) -> Policy:
    """Return the elimination by information-weighted regression; a user sends one message, of weights or of rewards.

    With J epochs, w a unit vector, |x| <= 1, |y| <= b: the message of weights moves by sqrt 2 at most, that of rewards,
    w (x, y)', by 2 sqrt(1 + b^2), and each has the analytic Gaussian noise. Of an epoch's n users

        r = sqrt 2 sigma (sqrt d + sqrt(2 ln(2 J/beta))) + 1 + sqrt(2 ln(2 J/beta))

    is at most the size of sqrt n times the mean of w (y - <x, theta>) and its noise, but with probability beta / J.
    Here beta is 0.1, and rewards lie in [-2, 2], so b = 2.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity means no privacy.
    delta : float
        In (0, 1).
    dim, horizon : int
        d and T, >= 1.
    batches : int
        Of users who find the weights, in every epoch; at 0 all vectors weigh alike, w = x / |x|.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = weighted_regression(epsilon=1.0, delta=1e-3, dim=2, horizon=10**9)
    >>> round(policy.record.regression_sigma, 2), policy.privacy.label()
    (11.51, 'ε=1')
    """
    size, length, failure, _, _ = ellipsoids.checked(dim, horizon)
    reach = 2.0 * math.hypot(1.0, LARGEST_REWARD)
    rounds = checks.integer("batches", batches, at_least=0, at_most=64)
    weights, regression = (gaussian_sigma(epsilon, delta=delta, sensitivity=far) for far in (math.sqrt(2.0), reach))
    epochs = max(math.ceil(math.log2(length / FIRST + 1.0)), 1)
    tail = math.sqrt(2.0 * math.log(2.0 * epochs / failure))
    record = weighted.Record(
        dim=size,
        first=FIRST,
        batches=rounds,
        sigma=weights,
        size=max(ellipsoids.derived_shift(weights, size, epochs, failure), 1.0),
        regression_sigma=regression,
        radius=math.sqrt(2.0) * regression * (math.sqrt(size) + tail) + 1.0 + tail,
        largest_reward=LARGEST_REWARD,
        horizon=length,
    )
    privacy = Guarantee.none()
    if regression:
        paid = max(
            gaussian_epsilon(weights, delta=delta, sensitivity=math.sqrt(2.0)),
            gaussian_epsilon(regression, delta=delta, sensitivity=reach),
        )
        reason = f"one message a user: of weights, or of rewards, which moves by {reach:.4g} at most"
        privacy = Guarantee.certified(epsilon, paid, "local", reason, delta)
    name, version = "Weighted regression", ("", f"{rounds} batches")
    facts = noise_facts(regression, "gaussian", "analytic")
    return Policy(name, "chen2025", "Information-weighted", version, privacy, weighted, record, *facts)

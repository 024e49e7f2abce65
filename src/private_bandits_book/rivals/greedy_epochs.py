"""Least squares in doubling epochs for linear contexts, under joint privacy: greedy, or with a radius."""

import math

from private_bandits import checks
from private_bandits.kernels import linear, stretches
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma, laplace_scale
from private_bandits.papers.contextual.accounting import LARGEST_REWARD, joint_sensitivity, linucb_messages
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def greedy_epochs(
    epsilon: float, *, delta: float = 0.0, dim: int, horizon: int, first: float = 4.0, radius: float = 0.0
) -> Policy:
    """Play by least squares on all past epochs, whose noisy sums a trusted server releases once each.

    Of this book; that greedy play learns from contexts that show every direction is known, and an attacker of this
    book brought it with noise. In epoch e + 1 each user plays the action of the largest

        <theta, x> + radius |x|_{A^-1},    A = b I + sum over epochs of (sum of x x' + noise),  theta = A^-1 u,

    with u the sum over epochs of the sum of y x and noise; at random where A is not positive definite, as in the first
    epoch. Epochs double: an epoch has s n rounds, s random in [1/2, 3/2], after n rounds, or where there is one set of
    actions n plays of that which it will play; and at least s `first` b. A user is in one epoch, so nothing composes.
    Without delta the noise is Laplace's, of scale b = (d + 1 + 4 sqrt d) / epsilon, as the triangle of x x' moves by
    d + 1 in L1, and y x by 4 sqrt d; with one it is Gaussian, b is the analytic deviation, and the two move by 4
    jointly in L2. Rewards are in [-2, 2]. It is jointly private: a user's own action is told to that user alone. With
    one set of orthogonal actions a greedy play may keep a worse one for good; a radius is against that.

    Parameters
    ----------
    epsilon : float
        Of all that other users see, > 0; infinity means no noise, b = 1 then.
    delta : float
        In [0, 1).
    dim, horizon : int
        d and T, >= 1.
    first : float
        Rounds of an epoch over b, at least, > 0, to be tuned.
    radius : float
        >= 0, to be tuned; 0 is greedy.

    Returns
    -------
    Policy
        For given sets of actions (`LinearContext.table`), at any horizon.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = greedy_epochs(1.0, dim=2, horizon=10**9)
    >>> round(policy.record.constants.sigma, 2), policy.privacy.label()
    (8.66, 'ε=1')
    """
    size, failure = checks.integer("dim", dim, at_least=1), checks.real("delta", delta, at_least=0, below=1)
    shortest, wide = checks.real("first", first, above=0), checks.real("radius", radius, at_least=0)
    moved = size + 1.0 + 2.0 * LARGEST_REWARD * math.sqrt(size)
    if failure:
        moved = joint_sensitivity(linucb_messages())
        scale = gaussian_sigma(epsilon, delta=failure, sensitivity=moved)
        paid = gaussian_epsilon(scale, delta=failure, sensitivity=moved)
    else:
        scale = laplace_scale(epsilon, sensitivity=moved)
        paid = moved / scale if scale else math.inf
    constants = linear.Record(
        dim=size,
        sigma=scale,
        ridge=scale or 1.0,
        level=wide,
        stretch=0.0,
        largest_reward=LARGEST_REWARD,
        horizon=checks.integer("horizon", horizon, at_least=1),
    )
    least = max(math.ceil(min(shortest * (scale or 1.0), stretches.LONGEST)), 1)
    record = stretches.Record(constants, growth=1.0, laplace=not failure, once=True, first=least)
    why = "joint: a user is in the noisy sums of one epoch; a user's own action is not among them"
    return Policy(
        name=f"Epochs, radius {wide:g}" if wide else "Greedy epochs",
        algorithm="least squares in doubling epochs",
        variant=f"first {shortest:g}, radius {wide:g}",
        privacy=Guarantee.certified(epsilon, paid, "central", why, failure, joint=True),
        record=record,
        mechanism=("gaussian" if failure else "laplace") if scale else "none",
        calibration="analytic" if failure and scale else "",
    )

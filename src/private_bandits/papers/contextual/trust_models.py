"""LinUCB behind the noise of other trust models, and contextual algorithms whose server solves only now and then.

Beside Algorithm 5 of Zheng et al. (2020), whose users hide action and reward: users who hide the reward alone, and the
trusted server of Shariff and Sheffet (2018), which draws noise for the nodes of a binary tree. Their radii are those of
`ellipsoids`, for what the noise is.
"""

import math
from dataclasses import replace
from typing import Any

from private_bandits import checks
from private_bandits.kernels import linear, stretches
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import ellipsoids
from private_bandits.papers.contextual.accounting import LARGEST_REWARD, joint_sensitivity, linucb_messages
from private_bandits.papers.contextual.oful import linucb
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

GROWTH = 0.01
"""Share of what was played so far for which an estimate stands."""


def by_stretches(policy: Policy, *, growth: float = GROWTH) -> Policy:
    """Return LinUCB or Algorithm 5 with a server that solves only after stretches of rounds, see `kernels.stretches`.

    Parameters
    ----------
    policy : Policy
        Of `linucb`, `ldp_linucb` or this module.
    growth : float
        In [0, 1]; at 0 every round.

    Returns
    -------
    Policy
        The same guarantee: a user sends what that of `policy` does, and when the server solves follows from that.

    Raises
    ------
    ValueError
        If the policy is another, or growth is out of range.

    Examples
    --------
    >>> from private_bandits import simulate
    >>> from private_bandits.papers.contextual.instances import one_set
    >>> policy = by_stretches(linucb(dim=2))
    >>> result = simulate(one_set(2, gap=0.01), policy, horizon=10**12, replications=2, seed=0, checkpoints=[10**6])
    >>> bool((result.regret[:, -1] < 1e4).all())
    True
    """
    share = checks.real("growth", growth, at_least=0, at_most=1)
    record = policy.record if isinstance(policy, Policy) else None
    if isinstance(record, linear.Record) and record.learner == linear.REWARDS:
        record = stretches.Record(record)
    if not isinstance(record, stretches.Record):
        raise ValueError(f"policy must be LinUCB or Algorithm 5, got {checks.brief(policy)}")
    return replace(policy, kernel=stretches, record=record._replace(growth=share))


def linucb_private_rewards(epsilon: float, *, delta: float, dim: int) -> Policy:
    """LinUCB whose users send their action as it is, and the reward behind the analytic Gaussian noise.

    Parameters
    ----------
    epsilon : float
        Local privacy of the reward, of [-2, 2], > 0.
    delta : float
        In (0, 1).
    dim : int
        d >= 1.

    Returns
    -------
    Policy
        Nothing is promised for the action, which shows the context.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(linucb_private_rewards(epsilon=1.0, delta=1e-3, dim=2).record.reward_sigma, 2)
    10.3
    """
    reach = 2.0 * LARGEST_REWARD
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=reach)
    plain: Any = linucb(dim=dim).record
    constants = plain._replace(deviation=math.hypot(1.0, sigma), largest_reward=LARGEST_REWARD)
    paid, said = gaussian_epsilon(sigma, delta=delta, sensitivity=reach), "of the reward alone; the action is sent"
    privacy = Guarantee.certified(epsilon, paid, "local", said, delta)
    record = stretches.Record(constants, reward_sigma=sigma)
    name, paper = "LinUCB, private rewards", "abbasi2011"
    return Policy(name, paper, "OFUL", (), privacy, stretches, record, "gaussian", "analytic", "rewards")


def joint_linucb(epsilon: float, *, delta: float, dim: int, horizon: int, growth: float = GROWTH) -> Policy:
    """LinUCB under joint differential privacy, after Shariff and Sheffet (2018): noise for the nodes of a tree.

    Parameters
    ----------
    epsilon : float
        > 0, of all that a trusted server tells other users.
    delta : float
        In (0, 1).
    dim, horizon : int
        d and T, >= 1.
    growth : float
        The tree stands over stretches of max(1, growth times the rounds before) rounds, in [0, 1].

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Rewards lie in [-2, 2], and the ellipsoids may fail with probability beta = 0.1.

    A user's two messages, of joint sensitivity S, are in one node of each of k levels, so their copies move by S sqrt k
    at most, for which sigma is the analytic one. The rounds so far are at most k nodes: the noise on V has norm at most
    U = 2 sigma sqrt k (sqrt d + sqrt(ln(6 n/beta))) after each of n = 2^k stretches, with c = ridge + 2 U, and the
    radius is that of `ellipsoids` with U in the place of Upsilon_t. Theirs shifts by the tree's own noise and has
    Wishart noise as a second choice; the constants here are ours.

    Examples
    --------
    >>> policy = joint_linucb(epsilon=1.0, delta=1e-3, dim=2, horizon=10**9)
    >>> policy.record.levels, policy.privacy.trust
    (14, 'central')
    """
    size, length, failure, _, least = ellipsoids.checked(dim, horizon)
    share = checks.real("growth", growth, at_least=0, at_most=1)
    levels = min(math.ceil(2 * size * (1 + math.log(length)) / max(share, 1.0 / length)), length).bit_length()
    sensitivity = joint_sensitivity(linucb_messages()) * math.sqrt(levels)
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=sensitivity)
    each = failure / 3.0
    upsilon = ellipsoids.derived_shift(sigma * math.sqrt(levels), size, 2**levels, each)
    vector = ellipsoids.vector_norm(sigma * math.sqrt(levels), size, 2**levels, each)
    rest = math.sqrt(least + 3.0 * upsilon) + vector / math.sqrt(least + upsilon)
    constants = linear.Record(
        dim=size,
        sigma=sigma,
        ridge=least + 2.0 * upsilon,
        fit=linear.DETERMINANT,
        level=2.0 * math.log(1.0 / each) + size * math.log(2.0),  # the ridge is at most twice the least eigenvalue
        stretch=rest / math.sqrt(least + 2.0 * upsilon),
        largest_reward=LARGEST_REWARD,
        horizon=length,
    )
    paid = gaussian_epsilon(sigma, delta=delta, sensitivity=sensitivity)
    reason = f"joint: all estimates, by {levels} levels of a tree; a user's own action is not among them"
    privacy = Guarantee.certified(epsilon, paid, "central", reason, delta)
    record = stretches.Record(constants, growth=share, levels=levels)
    name, paper = "LinUCB, joint privacy", "shariff2018"
    return Policy(name, paper, "Algorithm 1", (), privacy, stretches, record, "tree", "analytic")

"""LinUCB under the joint privacy of Shariff and Sheffet (2018): a trusted server adds noise for the nodes of a tree."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import linear, stretches
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import ellipsoids, shared
from private_bandits.papers.contextual.accounting import LARGEST_REWARD, joint_sensitivity, linucb_messages
from private_bandits.papers.contextual.stretched import GROWTH
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


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
    rho = 0.5 * (sensitivity / sigma) ** 2 if sigma else None
    privacy = Guarantee.certified(epsilon, paid, "central", reason, delta, joint=True, rho=rho)
    record = stretches.Record(constants, growth=share, levels=levels)
    return Policy(
        name="LinUCB, joint privacy",
        paper="shariff2018",
        algorithm="Algorithm 1",
        privacy=privacy,
        record=record,
        mechanism="tree",
        calibration="analytic",
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    delta: float,
    dim: int,
    horizon: int,
    growth: float = GROWTH,
) -> list[list[int]]:
    """Stretch by stretch: the noise of the nodes that make up the stretches so far is added anew.

    Parameters
    ----------
    problem : LinearContext
        With given action sets.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    dim : int
        d, of the problem.
    horizon : int
        T >= 1, for which the constants are made.
    growth : float
        In [0, 1].

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    stretches_at_most = min(math.ceil(2 * dim * (1 + math.log(horizon)) / max(growth, 1 / horizon)), horizon)
    levels = 1 + math.floor(math.log2(stretches_at_most))
    sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=4.0 * math.sqrt(levels))
    wide, events = sigma * math.sqrt(levels), 2**levels * 3 / 0.1
    upsilon = 2.0 * wide * (math.sqrt(dim) + math.sqrt(math.log(2.0 * events)))
    vector = wide * (math.sqrt(dim) + math.sqrt(2.0 * math.log(events)))

    def radius(t: int) -> float:
        fit = 2.0 * math.log(3 / 0.1) + dim * math.log(2.0) + dim * math.log(1.0 + t / (dim * (1.0 + 2.0 * upsilon)))
        return math.sqrt(fit) + math.sqrt(1.0 + 3.0 * upsilon) + vector / math.sqrt(1.0 + upsilon)

    nodes: dict[int, Any] = {}
    ended = []

    def released(n: int) -> tuple[Any, Any]:
        """The stretch that ends completes the node of the lowest bit of its number, in the place of those below."""
        ended.append(n)
        level = (len(ended) & -len(ended)).bit_length() - 1
        for below in range(level):
            nodes.pop(below, None)
        nodes[level] = sigma * streams.noise.standard_normal(dim * (dim + 3) // 2)
        return shared.unfolded(np.sum([nodes[level] for level in sorted(nodes)], axis=0), dim)

    return shared.stretched(problem, rounds, streams, lambda t: 1.0 + 2.0 * upsilon, radius, released, growth)

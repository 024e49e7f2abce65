"""Contextual algorithms whose server solves only now and then; `kernels.stretches` has the loop."""

import math
from dataclasses import replace
from typing import Any

from private_bandits import checks
from private_bandits.kernels import linear, stretches
from private_bandits.papers.contextual import shared
from private_bandits.policy import Policy

GROWTH = 0.01
"""Share of what was played so far for which an estimate stands."""


def by_stretches(policy: Policy, *, growth: float = GROWTH) -> Policy:
    """Return LinUCB or Algorithm 5 with a server that solves only after stretches of rounds, see `kernels.stretches`.

    Parameters
    ----------
    policy : Policy
        Of `linucb`, `all_or_nothing`, `ldp_linucb` or this module.
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
    >>> from private_bandits.papers.contextual import linucb
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
    return replace(policy, record=record._replace(growth=share))


def reference(problem: Any, rounds: int, streams: Any, *, policy: Policy, growth: float = GROWTH) -> list[list[int]]:
    """Stretch by stretch, with the constants of a policy whose users add Gaussian noise of their own, or none.

    Parameters
    ----------
    problem : LinearContext
        With given action sets.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    policy : Policy
        Of `linucb`, `all_or_nothing` or `ldp_linucb`.
    growth : float
        In [0, 1]; at 0 every round.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the action, and 1.
    """
    record: Any = policy.record

    def users(n: int, size: int) -> Any:
        return shared.gaussians(streams.noise, size, record.sigma * math.sqrt(n))

    def shift(t: int) -> float:
        return float(record.ridge + 2.0 * record.shift * math.sqrt(t))

    def radius(t: int) -> float:
        return float(linear.radius(record, t, 0.0))

    noise = shared.messages(problem.dim, users)
    return shared.stretched(problem, rounds, streams, shift, radius, noise, growth, sending=record.sending)

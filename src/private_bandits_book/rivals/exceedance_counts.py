"""Pareto arms by counts: how many of an arm's rewards exceed a threshold is all that is released of them."""

import math
from dataclasses import replace

from private_bandits import checks
from private_bandits.baselines import dp_klucb
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee, channel_loss


def exceedance_counts(
    epsilon: float, *, horizon: int, threshold: float = 1.0, level: float = 1.0, local: bool = False
) -> Policy:
    """DP-KLUCB on whether rewards exceed a threshold.

    Of this book; an attacker of it brought the idea. A reward x counts as 1 if x > threshold and else as 0, and
    `dp_klucb` plays on these: phases that double, Lap(1/epsilon) on the count of each, an index with d_epsilon. As a
    reward enters one count and moves it by 1, whatever its size, no moment need be known or finite.

    Counts order the arms as means do where one law is a stretched or shifted copy of another, so that an arm of a
    larger mean exceeds every threshold more often: Pareto arms of one shape do, P(X > x) = min(1, (s / x)^shape) with
    s = mean (shape - 1) / shape. Arms of different shapes may be in the wrong order, and arms that all exceed the
    threshold, or never do, are not told apart. The regret then is linear in the horizon. So no theorem holds without
    such a condition, and the threshold is a guess of the scale of rewards.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    threshold : float
        In units of a reward, > 0, to be tuned.
    level : float
        What ln t is multiplied by, > 0, to be tuned; 1 is that of the index.
    local : bool
        Whether each user sends that bit by randomised response, and the index is that of KL-UCB on the bits, which
        noise leaves in their order. Default: a curator counts.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> exceedance_counts(1.0, horizon=10**15).privacy.label()
    'ε=1'
    """
    policy = on_bits(epsilon, level=level) if checks.flag("local", local) else dp_klucb(epsilon, level=level)
    record = policy.record._replace(
        exceeds=checks.real("threshold", threshold, above=0),
        horizon=checks.integer("horizon", horizon, at_least=1),
    )
    return replace(
        policy,
        name="Exceedance bits" if local else "Exceedance counts",
        paper="",
        algorithm="DP-KLUCB on exceedances",
        variant=f"threshold {threshold:g}, level {level:g}",
        record=record,
    )


def on_bits(epsilon: float, *, first: int = 1, level: float = 1.0) -> Policy:
    """KL-UCB in doubling phases on bits that users send by randomised response.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity means no noise.
    first : int
        Pulls of the first phase of an arm, >= 1.
    level : float
        As for `exceedance_counts`.

    Returns
    -------
    Policy
        For rewards 0 and 1.
    """
    policy = dp_klucb(math.inf, first=first, level=level)
    truth, flip = response_probabilities(epsilon, n_values=2)
    paid = channel_loss([[truth, flip], [flip, truth]])
    privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on the one bit of a user")
    record = policy.record._replace(flip=flip)
    return replace(
        policy,
        name=f"KL-UCB on bits({level:g})",
        paper="",
        algorithm="doubling phases on randomised bits",
        record=record,
        privacy=privacy,
        mechanism="response" if flip else "none",
    )

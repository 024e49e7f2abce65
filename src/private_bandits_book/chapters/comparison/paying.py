"""At equal privacy: a policy whose epsilon is what it really pays."""

import math
from collections.abc import Callable
from typing import Any

from scipy.optimize import brentq

from private_bandits.policy import playable
from private_bandits.privacy import Guarantee

__all__ = ["certified", "paying"]

_FAR = 1e3  # the factor within which nominal and paid epsilon lie


def certified(policy: Any) -> bool:
    """Return whether everything that a policy releases has a finite epsilon.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`

    Returns
    -------
    bool
    """
    stated = playable(policy).privacy
    paid = stated.effective_epsilon if isinstance(stated, Guarantee) else None
    return paid is not None and math.isfinite(paid)


def paying(make: Callable[[float], Any], epsilon: float) -> Any:
    """Return the policy that pays epsilon for all that it releases, or the most that it can where that is less.

    One that leaks has it as its promise.

    Parameters
    ----------
    make : callable
        Takes the nominal epsilon.
    epsilon : float
        > 0; infinity for no privacy.

    Returns
    -------
    Policy or object with `name` and `start(problem, choice, noise)`
    """
    policy = make(epsilon)
    if math.isinf(epsilon) or not certified(policy) or not policy.privacy.effective_epsilon:
        return policy

    def excess(log_nominal: float) -> float:
        paid = make(math.exp(log_nominal)).privacy.effective_epsilon
        return math.log(max(paid or 0.0, 1e-300) / epsilon)

    at = math.log(epsilon)
    if not math.isclose(math.exp(excess(at)), 1.0, rel_tol=1e-2):
        low, high = at - math.log(_FAR), at + math.log(_FAR)
        if excess(low) < 0 < excess(high):  # some can pay no more than what one user is worth to them
            policy = make(math.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-14)))
    return policy

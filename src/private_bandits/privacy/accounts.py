"""What the numbers of a policy pay: composition, parallel composition, and the depth of trees."""

from typing import Any

from private_bandits import checks
from private_bandits.policy import playable


def account(policy: Any, delta: float = 0.0) -> tuple[float, bool]:
    """Return what one user pays by the scale, flip, terms and depth in a policy's record, whatever it says itself.

    Parameters
    ----------
    policy : Policy, or an object as `simulate` plays
    delta : float
        In [0, 1).

    Returns
    -------
    float
        Epsilon at this delta, infinite where nothing is proved, as of any policy in Python.
    bool
        Whether it covers what one user sends (local), not only what a box releases.

    Raises
    ------
    ValueError
        If it is no policy, or delta is out of range.

    Examples
    --------
    >>> from private_bandits.baselines import dp_se
    >>> account(dp_se(0.5, n_arms=5, horizon=1000))
    (0.5, False)
    """
    return playable(policy).account(checks.real("delta", delta, at_least=0, below=1))

"""What the numbers of a record pay: what the accounts of several kernels share."""

import math

from private_bandits.mechanisms.calibration import gaussian_epsilon


def answered(flip: float) -> float:
    """Return what a bit pays that is sent flipped with some probability.

    Parameters
    ----------
    flip : float
        In [0, 1].

    Returns
    -------
    float
        Infinite at 0 and 1.
    """
    return abs(math.log((1.0 - flip) / flip)) if 0 < flip < 1 else math.inf


def added(scale: float, moved: float, delta: float, *, gaussian: bool = False) -> float:
    """Return what numbers pay that are sent with independent noise.

    Parameters
    ----------
    scale : float
        Laplace scale or standard deviation, >= 0.
    moved : float
        How far a user moves the numbers, > 0, in L1 for Laplace noise and in L2 for Gaussian noise.
    delta : float
        In [0, 1).
    gaussian : bool

    Returns
    -------
    float
        Infinite where nothing is proved.
    """
    if not scale > 0 or math.isinf(moved) or (gaussian and delta == 0):
        return math.inf
    return gaussian_epsilon(scale, delta=delta, sensitivity=moved) if gaussian else moved / scale

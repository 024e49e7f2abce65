"""The radii of the repairs, which are ours and cover their own noise at every number of reports n.

A sum of n reports is sub-gamma with variance factor n (1/4 + 2 b^2) and scale b, for noise Lap(b) on each (Hoeffding's
lemma for the outcome, and -ln(1 - s^2) <= s^2/(1 - s) for the noise), so that the mean leaves, to one side and with
probability at most 1/t^3,

    sqrt((1.5 + 12 b^2) ln t / n) + 3 b ln t / n.

At epsilon = infinity this is the sqrt(1.5 ln t / n) of CUCB.
"""

import math

from private_bandits import checks


def node_radius(levels: int, log_term: float) -> float:
    """What a sum of at most `levels` Laplace(1) leaves, to one side, with probability at most exp(-log_term).

    Parameters
    ----------
    levels : int
        Nodes of a release at most, >= 1.
    log_term : float
        L >= 0. With L = 2 ln T it fails for some arm and some release of a run, to either side, with probability at
        most 2 m / T.

    Returns
    -------
    float
        2 sqrt(levels L) + L, because the sum is sub-gamma with variance factor 2 levels and scale 1.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    nodes = checks.integer("levels", levels, at_least=1)
    tail = checks.real("log_term", log_term, at_least=0)
    return 2.0 * math.sqrt(nodes * tail) + tail

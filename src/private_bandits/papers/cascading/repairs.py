"""The repaired cascades by trust model and design, and why their radii hold."""

from private_bandits import checks
from private_bandits.papers.cascading.repair_blocks import repaired_blocks
from private_bandits.papers.cascading.repair_first import repaired_first
from private_bandits.policy import Policy


def repaired_local(epsilon: float, list_size: int) -> Policy:
    """The locally private cascade that keeps its promise at the best rate: `repair_first.repaired_first`.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0.
    list_size : int
        K >= 1, for which the noise is calibrated.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Not in the paper. No w_0: an item without reports has an infinite index. At each number of reports a radius fails
    with probability about t^-3 a side, by Hoeffding. A regret of order ln T follows, for the item in doubt is asked
    about; it does not for `repair_padded.repaired_padded`.

    Examples
    --------
    >>> repaired_local(1.0, list_size=4).name
    'Response, first item'
    """
    return repaired_first(epsilon, list_size)


def repaired_central(epsilon: float, n_items: int, list_size: int, horizon: int, design: str = "keep") -> Policy:
    """Centrally private cascades that keep their promise: `repair_blocks.repaired_blocks`.

    Parameters
    ----------
    epsilon : float
        Pure privacy of the sequence of lists when one user's reply changes, > 0.
    n_items : int
        L >= list_size.
    list_size : int
        K >= 1.
    horizon : int
        >= 1; no design needs it.
    design : {"keep", "forget", "counter"}
        What an estimate holds.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Not in the paper. No w_0. The regret is bounded by `bounds.repaired_blocks_upper`.

    Examples
    --------
    >>> repaired_central(1.0, n_items=20, list_size=4, horizon=1000).name
    'Blocks, kept'
    """
    size = checks.integer("list_size", list_size, at_least=1)
    checks.integer("n_items", n_items, at_least=size)
    checks.integer("horizon", horizon, at_least=1)
    return repaired_blocks(epsilon, list_size, design)

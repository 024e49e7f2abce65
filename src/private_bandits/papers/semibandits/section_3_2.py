"""Chen et al. (2020), Section 3.2: CUCB-DP for B_inf smoothness, which the paper only mentions."""

from typing import Any

from private_bandits.papers.semibandits import algorithm_3
from private_bandits.papers.semibandits.shared import PAPER
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee


def cucb_dp_least_pulled(
    epsilon: float, *, n_arms: int, list_size: int, horizon: int, variant: str = "printed"
) -> Policy:
    """Section 3.2, CUCB-DP whose tree takes the least pulled arm of the super arm alone.

    The paper prints neither this algorithm nor its noise and radius. We take Algorithm 3 with one outcome in a leaf,
    hence with 1 for K in the noise and in the bonus.

    Parameters
    ----------
    epsilon : float
        Privacy of the sequence of super arms when one user's outcomes change, > 0; infinity means no noise and no bonus
        for it.
    list_size, n_arms, horizon : int
        K >= 1, m >= K and T >= 1, for which the noise and the bonus are calibrated; T is also the longest run.
    variant : {"printed", "repaired"}
        As for `cucb_dp`, with 1 in the place of K: `printed` has the constants that Algorithm 3 prints.

    Returns
    -------
    Policy
        For a SemiBandit of this size and number of arms.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = cucb_dp_least_pulled(0.5, list_size=3, n_arms=12, horizon=1000, variant="repaired")
    >>> policy.record.scale, policy.privacy.reason
    (20.0, 'a tree over rounds, whose leaf is one outcome; which one is public')
    """
    record, paid = algorithm_3.tree_record(epsilon, list_size, n_arms, horizon, variant, least=True)
    reason = "a tree over rounds, whose leaf is one outcome; which one is public"
    privacy = Guarantee.certified(epsilon, paid, "central", reason)
    return Policy(
        name="CUCB-DP, least pulled",
        paper=PAPER,
        algorithm="Section 3.2",
        variant=variant,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="tree",
        method="least pulled",
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    n_arms: int,
    list_size: int,
    horizon: int,
    variant: str = "printed",
) -> list[list[int]]:
    """Play Algorithm 3 with the least pulled arm's outcome in a leaf, and with 1 for K.

    Parameters
    ----------
    problem : SemiBandit
        Whose oracle is not a Python function.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    n_arms : int
        m, of the problem.
    list_size : int
        K, of the problem.
    horizon : int
        T >= 1, for which the constants are made.
    variant : {"printed", "repaired"}
        Whose constants.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    sizes: dict[str, int] = {"n_arms": n_arms, "list_size": list_size, "horizon": horizon}
    return algorithm_3.reference(problem, rounds, streams, epsilon=epsilon, variant=variant, least=True, **sizes)

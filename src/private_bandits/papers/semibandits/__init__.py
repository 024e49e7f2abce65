"""Chen et al. (2020), *(Locally) Differentially Private Combinatorial Semi-Bandits*.

A file an algorithm, after its place in the paper; instances, bounds.
"""

from private_bandits.papers.semibandits import bounds
from private_bandits.papers.semibandits.algorithm_1 import cucb_ldp1
from private_bandits.papers.semibandits.algorithm_2 import cucb_ldp2
from private_bandits.papers.semibandits.algorithm_3 import cucb_dp
from private_bandits.papers.semibandits.combinatorial_ucb import cucb
from private_bandits.papers.semibandits.instances import (
    coverage,
    k_path,
    public_arms,
    separated,
    top_k,
)
from private_bandits.papers.semibandits.repair_blocks import cucb_blocks
from private_bandits.papers.semibandits.repair_hypercube import cucb_hypercube
from private_bandits.papers.semibandits.repair_radius import super_arm_radius
from private_bandits.papers.semibandits.section_3_2 import cucb_dp_least_pulled
from private_bandits.papers.semibandits.shared import VARIANTS
from private_bandits.policy import Policy

__all__ = [
    "VARIANTS",
    "algorithms",
    "bounds",
    "coverage",
    "cucb",
    "cucb_blocks",
    "cucb_dp",
    "cucb_dp_least_pulled",
    "cucb_hypercube",
    "cucb_ldp1",
    "cucb_ldp2",
    "k_path",
    "public_arms",
    "separated",
    "super_arm_radius",
    "top_k",
]


def algorithms(epsilon: float, *, delta: float) -> list[tuple[str, Policy]]:
    """Return every algorithm of the room in every variant, for K = 2 of m = 4 arms and T = 1000, with its module.

    Parameters
    ----------
    epsilon : float
        Privacy of each, > 0.
    delta : float
        Not used: every algorithm of the paper is epsilon-private.

    Returns
    -------
    list of (str, Policy)
        The module's name in this package, and the policy.

    Raises
    ------
    ValueError
        If epsilon is not positive.
    """
    listed = [("combinatorial_ucb", cucb()), ("combinatorial_ucb", cucb(update="least"))]
    for variant in VARIANTS:
        listed += [
            ("algorithm_1", cucb_ldp1(epsilon, list_size=2, variant=variant)),
            ("algorithm_2", cucb_ldp2(epsilon, variant=variant)),
            ("algorithm_3", cucb_dp(epsilon, list_size=2, n_arms=4, horizon=1000, variant=variant)),
            ("section_3_2", cucb_dp_least_pulled(epsilon, list_size=2, n_arms=4, horizon=1000, variant=variant)),
        ]
    ours = {
        "repair_hypercube": cucb_hypercube(epsilon, list_size=2, horizon=1000),
        "repair_radius": super_arm_radius(epsilon, horizon=1000),
    }
    return [*listed, *ours.items(), ("repair_blocks", cucb_blocks(epsilon, list_size=2, n_arms=4, horizon=1000))]

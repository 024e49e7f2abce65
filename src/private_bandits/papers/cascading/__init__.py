"""Wang et al. (2021), *Cascading Bandit under Differential Privacy*: algorithms, repairs, instances, bounds.

`noise_multiplier=1` is the noise that the theorems state; the published experiments multiply the noise by 0.01
(Section 7), and with it the bonus, without which nothing is learnt. The repaired policies are ours.
"""

from typing import Any

from private_bandits.papers.cascading import bounds
from private_bandits.papers.cascading.algorithm_1 import ucb_hybrid
from private_bandits.papers.cascading.algorithm_2 import ucb_laplace
from private_bandits.papers.cascading.algorithm_3 import ucb_gaussian
from private_bandits.papers.cascading.algorithm_4 import cucb_gaussian
from private_bandits.papers.cascading.instances import b_lb, b_lb_semi, length_channel
from private_bandits.papers.cascading.kveton_algorithm_1 import cascade_ucb1
from private_bandits.papers.cascading.repair_blocks import GROWTH, repaired_central
from private_bandits.papers.cascading.repair_first import first_channel, repaired_local
from private_bandits.papers.cascading.repair_forced import forced_laplace
from private_bandits.papers.cascading.repair_padded import repaired_padded
from private_bandits.papers.cascading.theorem_8 import ucb_composition
from private_bandits.papers.cascading.uniform_play import uniform
from private_bandits.policy import Policy

__all__ = [
    "algorithms",
    "b_lb",
    "b_lb_semi",
    "bounds",
    "cascade_ucb1",
    "cucb_gaussian",
    "first_channel",
    "forced_laplace",
    "length_channel",
    "repaired_central",
    "repaired_local",
    "repaired_padded",
    "ucb_composition",
    "ucb_gaussian",
    "ucb_hybrid",
    "ucb_laplace",
    "uniform",
]


def algorithms(epsilon: float, *, delta: float) -> list[tuple[str, Policy]]:
    """Return every algorithm that the chapter plays in every variant, for eight items, lists of three and 1000 rounds.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0.
    delta : float
        Probability with which the loss may exceed epsilon, in (0, 1).

    Returns
    -------
    list of (str, Policy)
        The module of the algorithm's constructor and its reference, and the policy.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    items: dict[str, Any] = {"n_arms": 8, "horizon": 1000}
    lists: dict[str, Any] = {"n_arms": 8, "list_size": 3}
    listed = [("kveton_algorithm_1", cascade_ucb1(least_first=first)) for first in (False, True)]
    listed.append(("uniform_play", uniform()))
    for factor in (1.0, 0.01):
        noisy: dict[str, Any] = {"delta": delta, "list_size": 3, "noise_multiplier": factor}
        listed += [
            ("algorithm_1", ucb_hybrid(epsilon, **items, noise_multiplier=factor)),
            ("algorithm_1", ucb_hybrid(epsilon, **items, noise_multiplier=factor, variant="proof")),
            ("algorithm_2", ucb_laplace(epsilon, list_size=3, noise_multiplier=factor)),
            ("algorithm_3", ucb_gaussian(epsilon, **noisy)),
            ("theorem_8", ucb_composition(epsilon, **noisy)),
            ("algorithm_4", cucb_gaussian(epsilon, n_arms=8, **noisy)),
        ]
    return listed + [
        ("algorithm_4", cucb_gaussian(epsilon, delta=delta, **lists, variant="repaired")),
        ("repair_first", repaired_local(epsilon, list_size=3)),
        ("repair_padded", repaired_padded(epsilon, list_size=3)),
        ("repair_padded", repaired_padded(epsilon, list_size=3, delta=delta)),
        ("repair_padded", repaired_padded(epsilon, list_size=3, over="displays")),
        *(("repair_blocks", repaired_central(epsilon, **lists, horizon=1000, design=design)) for design in GROWTH),
    ]

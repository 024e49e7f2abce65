"""Wang et al. (2021), *Cascading Bandit under Differential Privacy*: algorithms, repairs, instances, bounds.

`noise_multiplier=1` is the stated noise, which the theorems need; the published experiments multiply the noise by 0.01
(Section 7), and with it the bonus, without which nothing is learnt. The repaired policies are ours.
"""

from functools import partial

from private_bandits._moved import forward
from private_bandits.papers.cascading.algorithm_1 import ucb_hybrid
from private_bandits.papers.cascading.algorithm_2 import ucb_laplace
from private_bandits.papers.cascading.algorithm_3 import ucb_gaussian
from private_bandits.papers.cascading.algorithm_4 import cucb_gaussian
from private_bandits.papers.cascading.instances import b_lb, b_lb_semi
from private_bandits.papers.cascading.kveton_algorithm_1 import cascade_ucb1
from private_bandits.papers.cascading.repair_first import repaired_first, repaired_first_counter
from private_bandits.papers.cascading.repair_reply import repaired_one_hot, repaired_reply
from private_bandits.papers.cascading.repair_rounds import repaired_rounds
from private_bandits.papers.cascading.repairs import repaired_central, repaired_local
from private_bandits.papers.cascading.theorem_8 import ucb_composition
from private_bandits.papers.cascading.uniform_play import uniform
from private_bandits.policy import Policy

__all__ = [
    "algorithms",
    "b_lb",
    "b_lb_semi",
    "cascade_ucb1",
    "cucb_gaussian",
    "repaired_central",
    "repaired_local",
    "ucb_composition",
    "ucb_gaussian",
    "ucb_hybrid",
    "ucb_laplace",
    "uniform",
]


def algorithms(epsilon: float = 1.0, delta: float = 1e-3) -> list[tuple[str, Policy]]:
    """Return every algorithm of the chapter in every variant, for eight items, lists of three and 1000 rounds.

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
    n_items, size, horizon = 8, 3, 1000
    made = [partial(cascade_ucb1), partial(uniform)]
    for factor in (1.0, 0.01):
        made += [
            *(partial(ucb_hybrid, epsilon, n_items, horizon, factor, variant) for variant in ("printed", "proof")),
            partial(ucb_laplace, epsilon, size, factor),
            partial(ucb_gaussian, epsilon, delta, size, factor),
            partial(ucb_composition, epsilon, delta, size, factor),
            partial(cucb_gaussian, epsilon, delta, n_items, size, factor),
        ]
    made += [
        partial(cucb_gaussian, epsilon, delta, n_items, size, variant="repaired"),
        partial(repaired_first, epsilon, size),
        partial(repaired_reply, epsilon, size),
        partial(repaired_one_hot, epsilon, size),
        partial(repaired_first_counter, epsilon, size),
        partial(repaired_rounds, epsilon, n_items, size, horizon),
    ]
    return [(make.func.__module__.rpartition(".")[2], make()) for make in made]


forward(__name__)

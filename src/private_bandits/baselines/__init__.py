"""Algorithms of other papers that several chapters play beside their own.

All are for `Arms` with rewards in [0, 1]. The users of the local policies randomise their rewards; the central ones see
the rewards in clear and release noisy means, each reward in one mean only. `replay` makes any of the others private.
"""

from private_bandits.baselines.agrawal_algorithm_1 import thompson
from private_bandits.baselines.auer_figure_1 import ucb
from private_bandits.baselines.azize_algorithm_1 import adap_klucb, adap_ucb
from private_bandits.baselines.azize_dp_klucb import dp_klucb
from private_bandits.baselines.gajane_kl_ucb_cf import kl_ucb_cf
from private_bandits.baselines.garivier_kl_ucb import kl_ucb
from private_bandits.baselines.ren_laplace import ldp_ucb_laplace
from private_bandits.baselines.ren_response import ldp_ucb_response
from private_bandits.baselines.replayed import replay
from private_bandits.baselines.sajed_algorithm_2 import dp_se
from private_bandits.policy import Policy

__all__ = [
    "adap_klucb", "adap_ucb", "algorithms", "dp_klucb", "dp_se", "kl_ucb", "kl_ucb_cf", "ldp_ucb_laplace",
    "ldp_ucb_response", "replay", "thompson", "ucb",
]  # fmt: skip


def algorithms(epsilon: float, *, delta: float) -> list[tuple[str, Policy]]:
    """Return every baseline, for four arms and 1000 rounds, with the module of its constructor and reference.

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0.
    delta : float
        Not used: every baseline is epsilon-private.

    Returns
    -------
    list of (str, Policy)

    Raises
    ------
    ValueError
        If epsilon is out of range.
    """
    plain = [("auer_figure_1", ucb()), ("garivier_kl_ucb", kl_ucb()), ("agrawal_algorithm_1", thompson())]
    private = (replay(policy, epsilon, horizon=1000) for _, policy in plain)
    return [
        *plain,
        ("ren_laplace", ldp_ucb_laplace(epsilon)),
        ("ren_response", ldp_ucb_response(epsilon)),
        ("sajed_algorithm_2", dp_se(epsilon, n_arms=4, horizon=1000)),
        ("azize_algorithm_1", adap_ucb(epsilon)),
        ("azize_algorithm_1", adap_klucb(epsilon)),
        ("azize_dp_klucb", dp_klucb(epsilon)),
        ("gajane_kl_ucb_cf", kl_ucb_cf(epsilon)),
        *(("replayed", policy) for policy in private),
    ]

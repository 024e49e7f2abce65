"""The baselines: kernels against references, and what DP-KLUCB keeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from carried import state_after

from private_bandits.baselines import (
    adap_klucb,
    adap_ucb,
    auer_figure_1,
    azize_algorithm_1,
    azize_dp_klucb,
    dp_klucb,
    dp_se,
    gajane_kl_ucb_cf,
    kl_ucb_cf,
    ldp_ucb_laplace,
    ldp_ucb_response,
    ren_laplace,
    ren_response,
    sajed_algorithm_2,
    ucb,
)
from private_bandits.kernels import episodes
from private_bandits.privacy.divergences import private_kl
from private_bandits.problems import Arms
from private_bandits.simulate import streams, trace

MEANS = [0.5, 0.9, 0.1, 0.9, 0.45]
SHORT, LONG, LONGEST = 1500, 20_000, 300_000
CASES = {  # the horizon, the policy, and the reference with its arguments
    "UCB": (SHORT, ucb(), auer_figure_1),
    "LDP-UCB-L": (SHORT, ldp_ucb_laplace(2.0), ren_laplace, 2.0),
    "LDP-UCB-L 0.1": (SHORT, ldp_ucb_laplace(0.1), ren_laplace, 0.1),
    "LDP-UCB-L inf": (SHORT, ldp_ucb_laplace(math.inf), auer_figure_1),
    "LDP-UCB-B": (SHORT, ldp_ucb_response(1.0), ren_response, 1.0),
    "LDP-UCB-B inf": (SHORT, ldp_ucb_response(math.inf), auer_figure_1),
    "DP-SE 0.1": (LONGEST, dp_se(0.1, n_arms=5, horizon=LONGEST, beta=0.9), sajed_algorithm_2, 0.1, 0.9),
    "DP-SE 1.0": (LONGEST, dp_se(1.0, n_arms=5, horizon=LONGEST), sajed_algorithm_2, 1.0, 1 / LONGEST),
    "DP-SE 20.0": (LONGEST, dp_se(20.0, n_arms=5, horizon=LONGEST, beta=0.5), sajed_algorithm_2, 20.0, 0.5),
    "DP-SE inf": (LONGEST, dp_se(math.inf, n_arms=5, horizon=LONGEST, beta=0.5), sajed_algorithm_2, math.inf, 0.5),
    "kl-UCB-CF 1.0": (SHORT, kl_ucb_cf(1.0), gajane_kl_ucb_cf, 1.0),
    "kl-UCB-CF inf": (SHORT, kl_ucb_cf(math.inf), gajane_kl_ucb_cf, math.inf),
}
for epsilon, alpha in ((0.2, 3.1), (1.0, 3.1), (3.0, 0.2), (math.inf, 1.0)):
    CASES |= {
        f"AdaP-UCB {epsilon}": (LONG, adap_ucb(epsilon, alpha=alpha), azize_algorithm_1, epsilon, alpha),
        f"AdaP-KLUCB {epsilon}": (LONG, adap_klucb(epsilon, alpha=alpha), azize_algorithm_1, epsilon, alpha, True),
        f"DP-KLUCB {epsilon}": (LONG, dp_klucb(epsilon), azize_dp_klucb, epsilon),
    }


@pytest.mark.parametrize("case", CASES)
def test_kernel_plays_the_reference(case):
    horizon, policy, box, *arguments = CASES[case]
    problem = Arms.bernoulli(MEANS)
    for replication in range(3):
        shown = trace(problem, policy, horizon=horizon, seed=7, replication=replication)
        np.testing.assert_array_equal(shown, box.reference(problem, horizon, streams(7, replication), *arguments))


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0])
def test_the_index_of_dp_klucb_spends_ln_t_on_d_epsilon(epsilon):
    for level in (0.001, 0.1, 1.0):
        q = azize_dp_klucb._index(0.2, level, epsilon)
        assert q == 1.0 or private_kl(0.2, q, epsilon) == pytest.approx(level, rel=1e-9)
        assert q == 1.0 or private_kl(0.2, q + 1e-6, epsilon) > level
    state = state_after(episodes, Arms.bernoulli([0.3]), dp_klucb(epsilon).record, 64)
    assert state.pulls[0] == 64 and state.means[0] == state.totals[0] / 64  # phases of 1, 1, 2, .., 32


def test_what_is_kept_is_every_reward_with_one_noise_a_phase():
    arms, record = Arms.bernoulli([1.0]), dp_klucb(0.5).record
    noise = [state_after(episodes, arms, record, 8, seed).totals[0] - 8.0 for seed in range(2000)]
    assert np.var(noise) == pytest.approx(4 * 2 / 0.5**2, rel=0.15)  # phases of 1, 1, 2 and 4 rewards

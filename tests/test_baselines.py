"""The baselines: kernels against references, limits without privacy, and what is paid."""

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
CASES = {
    "UCB": (ucb, auer_figure_1, {}, 1500),
    "LDP-UCB-L": (lambda: ldp_ucb_laplace(2.0), ren_laplace, {"epsilon": 2.0}, 1500),
    "LDP-UCB-L 0.1": (lambda: ldp_ucb_laplace(0.1), ren_laplace, {"epsilon": 0.1}, 1500),
    "LDP-UCB-B": (lambda: ldp_ucb_response(1.0), ren_response, {"epsilon": 1.0}, 1500),
    "LDP-UCB-B inf": (lambda: ldp_ucb_response(math.inf), auer_figure_1, {}, 1500),
    "LDP-UCB-L inf": (lambda: ldp_ucb_laplace(math.inf), auer_figure_1, {}, 1500),
    **{
        f"DP-SE {epsilon} {beta}": (
            lambda epsilon=epsilon, beta=beta: dp_se(epsilon, 5, 300_000, beta),
            sajed_algorithm_2,
            {"epsilon": epsilon, "beta": 1 / 300_000 if beta is None else beta},
            300_000,
        )
        for epsilon, beta in ((0.1, 0.9), (1.0, None), (20.0, 0.5), (math.inf, 0.5))
    },
    **{
        f"AdaP-UCB {epsilon} {alpha}": (
            lambda epsilon=epsilon, alpha=alpha: adap_ucb(epsilon, alpha),
            azize_algorithm_1,
            {"epsilon": epsilon, "alpha": alpha},
            20_000,
        )
        for epsilon, alpha in ((0.2, 3.1), (1.0, 3.1), (3.0, 0.2), (math.inf, 1.0))
    },
    **{
        f"AdaP-KLUCB {epsilon} {alpha}": (
            lambda epsilon=epsilon, alpha=alpha: adap_klucb(epsilon, alpha),
            azize_algorithm_1,
            {"epsilon": epsilon, "alpha": alpha, "kl": True},
            20_000,
        )
        for epsilon, alpha in ((0.2, 3.1), (1.0, 3.1), (3.0, 0.2), (math.inf, 1.0))
    },
    **{
        f"DP-KLUCB {epsilon}": (lambda epsilon=epsilon: dp_klucb(epsilon), azize_dp_klucb, {"epsilon": epsilon}, 20_000)
        for epsilon in (0.2, 1.0, 3.0, math.inf)
    },
    **{
        f"kl-UCB-CF {epsilon}": (
            lambda epsilon=epsilon: kl_ucb_cf(epsilon),
            gajane_kl_ucb_cf,
            {"epsilon": epsilon},
            1500,
        )
        for epsilon in (1.0, math.inf)
    },
}


@pytest.mark.parametrize("case", CASES)
def test_kernel_plays_the_reference(case):
    make, box, arguments, horizon = CASES[case]
    problem = Arms.bernoulli(MEANS)
    for replication in range(3):
        shown = trace(problem, make(), horizon=horizon, seed=7, replication=replication)
        np.testing.assert_array_equal(shown, box.reference(problem, horizon, streams(7, replication), **arguments))


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

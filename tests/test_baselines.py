"""What DP-KLUCB keeps, and what its index spends."""

from __future__ import annotations

import numpy as np
import pytest
from carried import state_after

from private_bandits.baselines import (
    azize_dp_klucb,
    dp_klucb,
)
from private_bandits.kernels import episodes
from private_bandits.privacy.divergences import private_kl
from private_bandits.problems import Arms


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0])
def test_the_index_of_dp_klucb_spends_ln_t_on_d_epsilon(epsilon):
    for level in (0.001, 0.1, 1.0):
        q = azize_dp_klucb._index(0.2, level, epsilon)
        assert q == 1.0 or private_kl(0.2, q, epsilon=epsilon) == pytest.approx(level, rel=1e-9)
        assert q == 1.0 or private_kl(0.2, q + 1e-6, epsilon=epsilon) > level
    state = state_after(episodes, Arms.bernoulli([0.3]), dp_klucb(epsilon).record, 64)
    assert state.pulls[0] == 64 and state.means[0] == state.totals[0] / 64  # phases of 1, 1, 2, .., 32


def test_what_is_kept_is_every_reward_with_one_noise_a_phase():
    arms, record = Arms.bernoulli([1.0]), dp_klucb(0.5).record
    noise = [state_after(episodes, arms, record, 8, seed).totals[0] - 8.0 for seed in range(2000)]
    assert np.var(noise) == pytest.approx(4 * 2 / 0.5**2, rel=0.15)  # phases of 1, 1, 2 and 4 rewards

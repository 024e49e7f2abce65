"""The laws of the numbers that the findings state: pilots on a seed of their own, so many runs that they are the truth.

`python tests/laws.py` plays them anew, in a quarter of an hour.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd

from private_bandits.papers import cascading, heavy_tailed, semibandits
from private_bandits.policy import Policy
from private_bandits.problems import Problem
from private_bandits.simulation import simulate
from private_bandits_book.chapters.definitions.studies import DP_KLUCB, GAP, LDP_UCB, N_ARMS, UCB, instance, made
from private_bandits_book.runs import csv_text

FILE = Path(__file__).parent / "fixtures" / "laws.csv"
RUNS, SEED = 2000, 5
END = 10**15


def laws() -> dict[str, tuple[Problem, Policy, int]]:
    """What is played, by name. Definitions states regrets at 10^8; their laws are of 10^6, for the intervals alone."""
    lists, sets = cascading.b_lb(20, 4, 0.2, 0.15), semibandits.top_k(12, 3, 0.3)
    played: dict[str, tuple[Problem, Policy, int]] = {
        "cascading, Laplace": (lists, cascading.ucb_laplace(0.2, list_size=4), 100_000),
        "cascading, first item": (lists, cascading.repaired_local(0.2, list_size=4), 100_000),
        "semi-bandits, LDP1": (
            sets,
            semibandits.cucb_ldp1(0.5, list_size=3, variant="repaired", horizon=100_000),
            100_000,
        ),
        "semi-bandits, LDP2": (sets, semibandits.cucb_ldp2(0.5, variant="repaired", horizon=100_000), 100_000),
    }
    for name, epsilon in ((UCB, math.inf), (LDP_UCB, 0.1), (DP_KLUCB, 0.1)):
        policy = made(name, epsilon)
        played[f"definitions, {policy.name}"] = instance(N_ARMS, GAP), policy, 1_000_000
    for v in (0.5, 0.9):
        arms = heavy_tailed.setting(1, v, 1.0 + v + 0.05)
        played[f"heavy tails, quantiles, v = {v:g}"] = arms, heavy_tailed.quantile_se(1.0, beta=1e-15), END
    arms = heavy_tailed.setting(1, 0.5, 1.55)
    episodes = heavy_tailed.adap_robust_ucb(1.0, v=0.5, u=arms.moment(0.5), horizon=END)
    played["heavy tails, episodes, v = 0.5"] = arms, episodes, END
    return played


def play(name: str, replications: int = RUNS) -> np.ndarray:
    """Regret at the horizon of so many runs."""
    problem, policy, horizon = laws()[name]
    asked = {"horizon": horizon, "replications": replications, "seed": SEED, "checkpoints": [horizon]}
    return simulate(problem, policy, **asked, progress=False).regret.values[:, -1]


if __name__ == "__main__":
    FILE.write_text(csv_text(pd.DataFrame({name: play(name) for name in laws()})))

"""The longer study of the chapter on Tao et al. (2022): the twelve panels at two laws and five horizons.

`private-bandits reproduce heavy_tailed --long` makes it; the rows are committed by replication.
"""

from itertools import product

import numpy as np
import pandas as pd

from private_bandits.kernels.protocol import WHOLE_RUN
from private_bandits.papers import heavy_tailed as paper
from private_bandits.papers.heavy_tailed.instances import SETTINGS
from private_bandits_book.chapters.heavy_tailed import far_horizons
from private_bandits_book.studies import LongRun, LongStudy, play_long

SEED, RUNS = 2022, 5
SPARES = (1.05, 2.0)  # the shape of a Pareto law, less v: hardly more than the moment that is assumed, and a light one
HORIZONS = (10**6, 10**8, 10**9, 10**12, 10**15)
VS, EPSILONS = (0.5, 0.9), (0.5, 1.0)
PANEL = ["spare", "horizon", "setting", "v", "epsilon"]


def order_runs() -> list[LongRun]:
    """DP Robust SE and DP Robust UCB with the constants of the talk, made for each horizon, with beta = 1/T."""
    made = []
    for spare, horizon, number, v, epsilon in product(SPARES, HORIZONS, SETTINGS, VS, EPSILONS):
        arms = paper.setting(number, v, v + spare)
        u, labels = arms.moment(v), {"spare": spare, "horizon": horizon, "setting": number, "v": v}
        for policy in (
            paper.dp_robust_se(epsilon, v=v, u=u, beta=1.0 / horizon),
            paper.dp_robust_ucb(epsilon, v=v, u=u, horizon=horizon),
        ):
            made.append(LongRun(labels, arms, policy, horizon, SEED, RUNS, checkpoints=()))
    return made


def play(run: LongRun, n_jobs: int = -1) -> pd.DataFrame:
    """Play a run: rows as of `studies.play_long`, with the ends between which a regret lies as `low` and `high`."""
    if run.policy.kernel.PIECE == WHOLE_RUN:  # the epochs of an elimination are played to any horizon
        frame = play_long(run, n_jobs)
        return frame.assign(low=frame["regret"], high=frame["regret"])
    return far_horizons.ends(run.problem, run.policy, np.array([run.horizon]), run.replications, run.seed, n_jobs)


STUDIES = {"order": LongStudy(order_runs, ["policy", *PANEL], play)}

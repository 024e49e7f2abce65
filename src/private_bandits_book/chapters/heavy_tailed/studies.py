"""The longer study of the chapter on Tao et al. (2022): the twelve panels at two laws and five horizons.

`private-bandits reproduce heavy_tailed --long` makes it; the rows are committed by replication.
"""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.kernels.protocol import WHOLE_RUN
from private_bandits.papers import heavy_tailed as paper
from private_bandits.papers.heavy_tailed.instances import SETTINGS
from private_bandits_book.chapters.heavy_tailed import far_horizons
from private_bandits_book.judging.verdicts import REPRODUCED
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


def order_table(order: pd.DataFrame) -> pd.DataFrame:
    """Return the panels' shares of uniform play, least to most, and in how many DP Robust SE has less regret.

    Parameters
    ----------
    order : DataFrame
        Rows of the study.
    """
    rows = []
    for (spare, horizon), part in order.groupby(["spare", "horizon"], sort=False):
        shares = part.assign(share=part["regret"] / (part["uniform"] * part["t"]))
        means = shares.groupby([*PANEL, "algorithm"])["share"].mean().groupby("algorithm")
        spans = {name: f"{low:.2g} to {high:.2g}" for name, (low, high) in means.agg(["min", "max"]).iterrows()}
        panels = [panel for _, panel in part.groupby(PANEL, sort=False)]
        below, above = (
            sum(far_horizons.below(panel, reverse).verdict == REPRODUCED for panel in panels)
            for reverse in (False, True)
        )
        row: dict[str, Any] = {"shape less v": spare, "T": horizon}
        row |= {"DP Robust SE": spans["Algorithm 3"], "DP Robust UCB": spans["Algorithm 1"]}
        rows.append(row | {"below": below, "above": above, "neither": len(panels) - below - above})
    return pd.DataFrame(rows)


STUDIES = {"order": LongStudy(order_runs, ["policy", *PANEL], play)}

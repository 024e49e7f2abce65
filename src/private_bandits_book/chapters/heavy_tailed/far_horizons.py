"""Index algorithms far beyond the rounds that can be run one by one: each run's regret, between two ends.

`kernels.minima` draws a run by blocks of pulls and bounds what it does not draw. The proofs' page says why that holds.
"""

from collections.abc import Iterable
from typing import Any

import joblib
import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, difference_interval
from private_bandits.kernels.parts import far_horizons
from private_bandits.simulation import log_checkpoints
from private_bandits.streams import streams
from private_bandits_book.judging import Less, Ruling, about, by_runs, negative, pick
from private_bandits_book.runs import facts

_FIRST = 100  # round of the first checkpoint


def ends(problem: Any, policy: Any, rounds: Any, replications: int, seed: int, n_jobs: int = -1) -> pd.DataFrame:
    """Return the least and the largest regret that each run can have, and their middle.

    Parameters
    ----------
    problem : ParetoArms
    policy : Policy
        DP Robust UCB, or robust UCB with a horizon.
    rounds : array of int
        Checkpoints, increasing, each more than there are arms.
    replications, seed, n_jobs : int
        As for `simulate`, with its streams.

    Returns
    -------
    DataFrame
        A row per replication and checkpoint: `replication, t, regret, low, high`; `regret` is the middle.
    """

    def one(replication: int) -> pd.DataFrame:
        source = streams(seed, replication)
        low, high = far_horizons.bracket(problem.record(), policy.record, rounds, source.env, source.noise)
        numbers = {"replication": replication, "t": rounds, "regret": (low + high) / 2.0, "low": low, "high": high}
        return pd.DataFrame(numbers)

    work = joblib.Parallel(n_jobs=n_jobs, prefer="threads")
    return pd.concat(work(joblib.delayed(one)(replication) for replication in range(replications)), ignore_index=True)


def play(
    chapter: Any, problem: Any, policies: Iterable[Any], rounds: Any = None, replications: int = 0, **labels: Any
) -> pd.DataFrame:
    """Run index policies as `Chapter.play` does; `regret` is the middle of the two ends.

    Parameters
    ----------
    chapter : Chapter
        Horizon, replications, seed and workers are its own.
    problem : ParetoArms
    policies : iterable of Policy
    rounds : sequence of int, optional
        Checkpoints; by default those of `simulate` from round 100 on.
    replications : int, optional
        Where they differ from the chapter's.
    **labels
        More columns, with a value each.

    Returns
    -------
    DataFrame
        As `Chapter.play` returns.
    """
    known, frames = chapter.parameters, []
    grid = log_checkpoints(known["horizon"])
    at = grid[grid >= _FIRST] if rounds is None else np.array(rounds)
    for policy in policies:
        found = ends(problem, policy, at, replications or known["replications"], known["seed"], known["n_jobs"])
        frames.append(found.drop(columns=["low", "high"]).assign(**facts(policy, problem), **labels))
    return pd.concat(frames, ignore_index=True)


def below(panel: pd.DataFrame, reverse: bool = False) -> Ruling:
    """Judge one panel, whatever the two ends leave open of the regret of DP Robust UCB.

    Parameters
    ----------
    panel : DataFrame
        Rows of the longer study, of both algorithms, with `low` and `high`.
    reverse : bool
        Whether it is DP Robust UCB that must have less.

    Notes
    -----
    A mode of DP Robust SE that no run has drawn has a proved probability of at most 2 beta, here 2/T, for epsilon <= 1.
    """
    mine, other = (pick(panel, algorithm=name) for name in ("Algorithm 3", "Algorithm 1"))
    horizon = int(mine["t"].iloc[0])
    share, least, most = (
        (rows[name] / (rows["uniform"] * rows["t"])).to_numpy(float)
        for rows, name in ((mine, "regret"), (other, "low"), (other, "high"))
    )

    def estimate(least: np.ndarray, most: np.ndarray) -> Interval:
        far, near = difference_interval(share, most), difference_interval(share, least)
        middle, se = (far.measured + near.measured) / 2.0, max(far.se, near.se)
        return Interval(middle, far.low, near.high + 2.0 / horizon, se, min(far.runs, near.runs))

    names = f"at T = {horizon:.0e} SE's fraction of uniform play".replace("e+", "e"), "UCB's"
    rule = Less(*names) if not reverse else lambda seen: Less(*names[::-1])(negative(seen))
    return about(by_runs(rule, estimate, least, most, most=1.0), mine, other)

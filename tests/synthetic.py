"""Studies that play nothing: every run has the regret that a test tells it, so that the judging alone is tested."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
import xarray as xr

from private_bandits_book.algorithms import listed
from private_bandits_book.studies import Run, key

_LISTED = [policy for _, policy in listed()]
KEYS = {policy.name: key(policy) for policy in _LISTED} | {"uniform": "uniform"}
"""What policies are found by, by what tests call them."""
SPREAD = 1e-3
"""Relative spread of the given regrets over replications, small against every threshold."""


def jitter(replications: int = 20, spread: float = SPREAD) -> np.ndarray:
    """Factors of mean 1 over replications."""
    return 1.0 + spread * np.linspace(-1.0, 1.0, replications)


def factors_of(run: object, replications: int) -> np.ndarray:
    """Factors of mean 1 of this run's own, so that no two runs are paired and no fitted exponent is exact."""
    drawn = np.random.default_rng(zlib.crc32(repr(run).encode())).uniform(-SPREAD, SPREAD, replications)
    return 1.0 + drawn - drawn.mean()


def with_regret(study_type, regret, *, replications: int = 20, checkpoints: int = 4):
    """Return a study type whose runs have the regret `regret(problem, policy, variant, swept)` at the horizon.

    Curves are straight lines in t from 0, scaled by `jitter`, whose order differs from policy to policy. There are
    `replications` of them, or as many as the study asks for.
    """
    usual = replications

    class Given(study_type):
        def run(self, problem, policy, variant="", swept=None, horizon=None, n_jobs=None, replications=None):
            rounds = self.horizon if horizon is None else horizon
            t = np.unique(np.geomspace(1, rounds, checkpoints).round().astype(int))
            factors = np.roll(jitter(replications or usual), len(policy.name) + 7 * len(variant))
            final = regret(problem, policy, variant, swept or {})
            data = xr.Dataset(
                {"regret": (("replication", "t"), np.outer(factors, final * t / rounds))}, coords={"t": t}
            )
            return Run(policy, variant, problem, swept or {}, data)

    return Given


def long_frame(runs, regret, replications: int = 5, points: int = 40) -> pd.DataFrame:
    """Return the rows of longer runs whose mean regret at t is `regret(run, t)`.

    Replications also differ a little in how they grow.
    """
    frames = []
    for run in runs:
        t = np.unique(np.geomspace(max(run.start, 1), run.horizon, points).round().astype(int))
        means = np.array([regret(run, float(x)) for x in t])
        for replication, factor in enumerate(factors_of(run.labels, replications)):
            rows = {"replication": replication, "t": t, "regret": factor * t ** (SPREAD * (factor - 1.0)) * means}
            frames.append(pd.DataFrame({**run.labels, **rows}))
    return pd.concat(frames, ignore_index=True)

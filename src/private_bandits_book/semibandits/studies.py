"""The longer studies, run by `private-bandits reproduce semibandits --long`, and the exponents fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import fit_exponent, mean_interval
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import instances
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits.simulate import Problem
from private_bandits_book.semibandits.experiments import MAP_ARMS, MAP_SIZE, local_policies, map_policies
from private_bandits_book.studies import LongRun, long_study

LONG_SEED = 20200
SIZES, SIZES_AT_GAP = (1, 2, 4, 8), (1, 2, 4)
SIZES_HORIZON = 4_000_000
DECIDING_HORIZONS = {
    "printed": 16_000_000,
    "repaired": 40_000_000,
}  # on B_inf, where the least pulled arm should do
AT_GAP_HORIZONS = {"printed": 10_000_000, "repaired": 40_000_000}
DISTANCE, DISTANCES = 0.34, (0.085, 0.17, 0.34)  # of the means
CLOSE = 0.1  # of the means, where CUCB-LDP2 alone plays top-K
FIXED_GAP = 0.34  # Delta, where K grows at a fixed Delta
LOCAL_EPSILONS, LOCAL_HORIZONS = (
    (0.25, 0.5, 1.0),
    {"printed": 4_000_000, "repaired": 16_000_000},
)
CENTRAL_EPSILONS = {"printed": (2.0, 4.0, 8.0, 16.0), "repaired": (0.25, 0.5, 1.0, 2.0)}
CENTRAL_BASES = {
    "printed": 8.0,
    "repaired": 1.0,
}  # the epsilon of the other sweeps; the printed box learns at no less
CENTRAL_HORIZONS = (300_000, 1_500_000, 7_500_000)  # of the power of ln T
SWEEP_HORIZON, CENTRAL_HORIZON, PLAIN_HORIZON = 4_000_000, 3_000_000, 300_000
MAP_GAPS = (0.2, 0.1, 0.05, 0.025)
MAP_EPSILONS = {
    1_000_000: (0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    10_000_000: (0.3, 1.0, 10.0, 100.0),
}  # by horizon
LOWER_EPSILONS, LOWER_GAPS = (
    (0.001, 0.01, 0.1, 1.0),
    (0.18, 0.09, 0.045, 0.0225, 0.01125),
)
LOWER_ARMS, LOWER_HORIZON = 5, 1_000_000_000
FEWEST, MANY, MOST = 5, 15, 20  # replications
_COLUMNS = {"K": "size", "K, per arm": "size", "1/epsilon": "epsilon", "1/gap": "gap", "ln T": "horizon"}


def instance(family: str, size: int, distance: float) -> tuple[Problem, int, float]:
    """Return a problem whose means are `distance` apart, its number of base arms and its Delta.

    Four arms, or two paths, are not in the best super arm. "path as arm" is the K-path instance as a bandit: a path is
    an arm, and a round loses K times the distance of the means.
    """
    if family == "B_inf":
        return instances.one_valuable(size + 4, size, distance), size + 4, distance
    if family in ("top-K", "top-K, close"):
        return instances.top_k(size + 4, size, distance), size + 4, distance
    if family == "arms":
        return instances.rescaled(5, distance), 5, distance
    gap = distance * size
    if family == "K-path":
        return instances.k_path(3 * size, size, gap), 3 * size, gap
    return instances.rescaled(3, gap, b_inf=float(size)), 3 * size, gap


def size_runs() -> list[LongRun]:
    """Regret against K of the local algorithms: does the least-pulled trick remove K^2?"""
    runs = []
    for size in SIZES:
        for reading, horizon in DECIDING_HORIZONS.items():
            runs += _local(
                "K",
                "B_inf",
                size,
                DISTANCE,
                horizon,
                readings=[reading],
                held="item gap",
            )
        for family in ("top-K", "K-path", "path as arm"):
            runs += _local("K", family, size, DISTANCE, SIZES_HORIZON, held="item gap")
        runs += _local("K", "top-K, close", size, CLOSE, SIZES_HORIZON, held="item gap")
    for size in SIZES_AT_GAP:
        for reading, horizon in AT_GAP_HORIZONS.items():
            runs += _local("K", "K-path", size, FIXED_GAP / size, horizon, readings=[reading])
        runs += _local("K", "path as arm", size, FIXED_GAP / size, AT_GAP_HORIZONS["repaired"])
    deciding = {"family": "K-path", "held": "gap", "policy": "CUCB-LDP2", "variant": "repaired"}
    return [run._replace(replications=MANY) if deciding.items() <= run.labels.items() else run for run in runs]


def exponent_runs() -> list[LongRun]:
    """The sweeps behind Table 1, each from the base of its algorithm."""
    runs = []
    for family in ("B_inf", "K-path", "arms"):
        readings = ("repaired",) if family == "arms" else paper.VARIANTS
        for reading in readings:
            for epsilon in LOCAL_EPSILONS:
                horizon = LOCAL_HORIZONS[reading]
                runs += _local("1/epsilon", family, 2, DISTANCE, horizon, epsilon, [reading])
        for distance in DISTANCES:
            runs += _local("1/gap", family, 2, distance, SWEEP_HORIZON, 2.0, readings)
        for horizon in (1_000_000, 4_000_000, 16_000_000):
            runs += _local("ln T", family, 2, DISTANCE, horizon, 2.0, ["repaired"])
    for family in ("B_inf", "K-path"):
        for reading in paper.VARIANTS:
            runs += _central_sweeps(family, reading)
        runs += [_plain("1/gap", family, 2, distance, PLAIN_HORIZON) for distance in DISTANCES]
        runs += [_plain("ln T", family, 2, DISTANCE, horizon) for horizon in (30_000, 300_000, 3_000_000)]
        runs += [_plain("K", family, *setting, PLAIN_HORIZON) for setting in _at_fixed_gap(family)]
    return runs


def map_runs() -> list[LongRun]:
    """Central against local, to horizons that the chapter cannot afford."""
    return [
        _long("map", "gap", "top-K", problem, policy, horizon, MAP_ARMS, MAP_SIZE, gap)
        for horizon, epsilons in MAP_EPSILONS.items()
        for gap in MAP_GAPS
        for problem in [instances.top_k(MAP_ARMS, MAP_SIZE, gap)]
        for policy in map_policies(epsilons, horizon)
    ]


def lower_runs() -> list[LongRun]:
    """DP-SE at K = 1, for the claimed lower bound of Section 3.3."""
    runs = []
    for epsilon in LOWER_EPSILONS:
        for gap in LOWER_GAPS:
            arms = Arms.bernoulli(np.append(0.5, np.full(LOWER_ARMS - 1, 0.5 - gap)))
            policy = baselines.dp_se(epsilon, LOWER_ARMS, LOWER_HORIZON)
            size = (LOWER_ARMS, 1)
            runs.append(_long("1/gap", "gap", "arms", arms, policy, LOWER_HORIZON, *size, gap, replications=MOST))
    return runs


STUDIES: dict[str, Callable[[], list[LongRun]]] = {
    "sizes": size_runs,
    "exponents": exponent_runs,
    "map": map_runs,
    "lower": lower_runs,
}


def long_studies() -> dict[str, Callable[..., pd.DataFrame]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""

    return {label: long_study(label, runs) for label, runs in STUDIES.items()}


def exponents(sizes: pd.DataFrame, sweeps: pd.DataFrame, lower: pd.DataFrame) -> pd.DataFrame:
    """Return a row per exponent that the longer studies allow to fit.

    Parameters
    ----------
    sizes, sweeps, lower : DataFrame
        The longer studies "sizes", "exponents" and "lower".

    Returns
    -------
    DataFrame
        Columns `policy, variant, family, held, quantity, measured, low, high, replications, horizon`. In K, regret is
        divided by n_arms - size; in "K, per arm", for B_inf and K-path, by the arms in bad super arms, over which the
        theorems sum. On B_inf and top-K the gap of a round is that of the means, whichever is held.
    """
    small, large = lower["epsilon"].min(), lower["gap"].max()
    by_gap = lower[lower["epsilon"] == small].assign(quantity="1/gap")
    by_epsilon = lower[lower["gap"] == large].assign(quantity="1/epsilon")
    frame = pd.concat([sizes, sweeps, by_gap, by_epsilon], ignore_index=True)
    frame = frame[frame["t"] == frame["horizon"]]
    rows = []
    keys = ["policy", "variant", "family", "held", "quantity"]
    for key, part in frame.groupby(keys, sort=False):
        row: dict[str, Any] = dict(zip(keys, key, strict=True)) | _fitted(part, str(key[-1]))
        found = [row]
        if row["quantity"] == "K" and row["family"] in ("B_inf", "K-path"):
            found.append(row | {"quantity": "K, per arm"} | _fitted(part, "K, per arm"))
        rows += found
        if row["quantity"] == "K" and row["held"] == "item gap" and row["family"] in ("B_inf", "top-K"):
            rows += [fit | {"held": "gap"} for fit in found]
    return pd.DataFrame(rows).drop_duplicates(keys)


def final_regrets(study: pd.DataFrame) -> pd.DataFrame:
    """Return the mean regret at the horizon of a longer study, a row per run, with its 95 % interval."""
    frame = study[study["t"] == study["horizon"]]
    keys = [
        "policy",
        "variant",
        "family",
        "held",
        "n_arms",
        "size",
        "gap",
        "epsilon",
        "horizon",
    ]
    rows = []
    for key, part in frame.groupby(keys, sort=False):
        found = mean_interval(part["regret"].to_numpy())
        told = dict(zip(keys, key, strict=True))
        rows.append(
            told
            | {
                "measured": found.measured,
                "low": found.low,
                "high": found.high,
                "replications": len(part),
            }
        )
    return pd.DataFrame(rows)


def _fitted(part: pd.DataFrame, quantity: str) -> dict[str, float]:
    column = _COLUMNS[quantity]
    if quantity == "K":
        part = part.assign(regret=part["regret"] / (part["n_arms"] - part["size"]))
    elif quantity == "K, per arm":
        part = part.assign(regret=part["regret"] / _arms_in_bad(part))
    table = part.pivot(index="replication", columns=column, values="regret").sort_index(axis=1)
    values = table.columns.to_numpy(float)
    fit = fit_exponent(
        {"K": values, "K, per arm": values, "ln T": np.log(values)}.get(quantity, 1.0 / values),
        table.to_numpy(),
    )
    told = {"measured": fit.measured, "low": fit.low, "high": fit.high}
    return told | {"replications": len(table), "horizon": int(part["horizon"].max())}


def _arms_in_bad(part: pd.DataFrame) -> pd.Series:
    """Base arms in some bad super arm: on K-paths all but the best path, on B_inf all but the arm of value at K > 1."""
    others = part["n_arms"] - part["size"]
    return others + (part["size"] - 1) * (part["family"] == "B_inf")


def _at_fixed_gap(family: str) -> list[tuple[int, float]]:
    """Return sizes and distances of means at a fixed Delta."""
    if family == "B_inf":
        return [(size, DISTANCE) for size in SIZES]
    return [(size, FIXED_GAP / size) for size in SIZES_AT_GAP]


def _local(
    quantity: str,
    family: str,
    size: int,
    distance: float,
    horizon: int,
    epsilon: float = 1.0,
    readings: Iterable[str] = paper.VARIANTS,
    held: str = "gap",
) -> list[LongRun]:
    """CUCB-LDP1 and CUCB-LDP2; the second alone in the sweeps on K-paths and where there is one outcome to send."""
    problem, n_arms, gap = instance(family, size, distance)
    single = family in ("path as arm", "arms", "top-K, close") or (family == "K-path" and quantity != "K")
    policies: list[Policy] = []
    for reading in ("repaired",) if family == "path as arm" else readings:
        policies += local_policies(epsilon, size, horizon, reading)[single:]
    size = 1 if family == "arms" else size
    return [_long(quantity, held, family, problem, policy, horizon, n_arms, size, gap) for policy in policies]


def _central_sweeps(family: str, reading: str) -> list[LongRun]:
    """CUCB-DP on the K-path, its variant with the least pulled arm on the family with B_inf = 1."""
    base = CENTRAL_BASES[reading]

    def run(quantity: str, size: int, distance: float, horizon: int, epsilon: float) -> LongRun:
        problem, n_arms, gap = instance(family, size, distance)
        box = paper.cucb_dp_least_pulled if family == "B_inf" else paper.cucb_dp
        policy = box(epsilon, size, n_arms, horizon, reading)
        return _long(quantity, "gap", family, problem, policy, horizon, n_arms, size, gap)

    return [
        *(run("1/epsilon", 2, DISTANCE, CENTRAL_HORIZON, epsilon) for epsilon in CENTRAL_EPSILONS[reading]),
        *(run("1/gap", 2, distance, CENTRAL_HORIZON, base) for distance in DISTANCES),
        *(run("ln T", 2, DISTANCE, horizon, base) for horizon in CENTRAL_HORIZONS),
        *(run("K", size, distance, CENTRAL_HORIZON, base) for size, distance in _at_fixed_gap(family)),
    ]


def _plain(quantity: str, family: str, size: int, distance: float, horizon: int) -> LongRun:
    problem, n_arms, gap = instance(family, size, distance)
    return _long(quantity, "gap", family, problem, paper.cucb(), horizon, n_arms, size, gap, replications=MOST)


def _long(
    quantity: str,
    held: str,
    family: str,
    problem: Problem,
    policy: Policy,
    horizon: int,
    n_arms: int,
    size: int,
    gap: float,
    *,
    replications: int = FEWEST,
) -> LongRun:
    """Return a run with its labels.

    Parameters
    ----------
    quantity : str
        What moves: "K", "1/epsilon", "1/gap", "ln T", or "map".
    held : {"gap", "item gap"}
        What stays as K moves: Delta of a round, or the distance of the means.
    n_arms : int
        Base arms of the instance, also where a path is played as one arm.
    """
    labels = {
        "quantity": quantity,
        "held": held,
        "family": family,
        "policy": policy.name,
        "variant": policy.variant,
        "epsilon": policy.privacy.epsilon,
        "n_arms": n_arms,
        "size": size,
        "gap": gap,
        "horizon": horizon,
    }
    return LongRun(labels, problem, policy, horizon, LONG_SEED, replications, checkpoints=(10_000, horizon // 10))

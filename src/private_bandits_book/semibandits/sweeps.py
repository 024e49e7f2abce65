"""The longer studies, run by `private-bandits reproduce semibandits --long`, and the exponents fitted to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import Interval, exponent_difference, mean_interval
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits.simulate import Problem
from private_bandits_book.studies import LongRun, long_study
from private_bandits_book.sweep import (
    EPSILON,
    GAP,
    LOG,
    SIZE,
    Form,
    RateFit,
    abscissa,
    by_replication,
    fit_points,
    power,
)

LONG_SEED = 20200
SIZES, SIZES_AT_GAP = (1, 2, 4, 8), (1, 2, 4)
SIZES_HORIZON = 4_000_000
DECIDING_HORIZONS = {"printed": 16_000_000, "repaired": 40_000_000}  # on B_inf, where the least pulled arm should do
AT_GAP_HORIZONS = {"printed": 10_000_000, "repaired": 40_000_000}
DISTANCE, DISTANCES = 0.34, (0.085, 0.17, 0.34)  # of the means
CLOSE = 0.1  # of the means, where CUCB-LDP2 alone plays top-K
FIXED_GAP = 0.34  # Delta, where K grows at a fixed Delta
LOCAL_EPSILONS, LOCAL_HORIZONS = (0.25, 0.5, 1.0), {"printed": 4_000_000, "repaired": 16_000_000}
CENTRAL_EPSILONS = {"printed": (2.0, 4.0, 8.0, 16.0), "repaired": (0.25, 0.5, 1.0, 2.0)}
CENTRAL_BASES = {"printed": 8.0, "repaired": 1.0}  # the epsilon of the other sweeps; printed it learns at no less
CENTRAL_HORIZONS = (300_000, 1_500_000, 7_500_000)  # of the power of ln T
SWEEP_HORIZON, CENTRAL_HORIZON, PLAIN_HORIZON = 4_000_000, 3_000_000, 300_000
MAP_ARMS, MAP_SIZE, MAP_GAPS = 4, 2, (0.2, 0.1, 0.05, 0.025)
MAP_EPSILONS = {1_000_000: (0.3, 1.0, 3.0, 10.0, 30.0, 100.0), 10_000_000: (0.3, 1.0, 10.0, 100.0)}  # by horizon
LOWER_EPSILONS, LOWER_GAPS = (0.001, 0.01, 0.1, 1.0), (0.18, 0.09, 0.045, 0.0225, 0.01125)
LOWER_ARMS, LOWER_HORIZON = 5, 1_000_000_000
FEWEST, MANY, MOST = 5, 15, 20  # replications
PER_ARM = f"{SIZE}, per arm"
_LEAST_POINTS = 3  # what every sweep of this chapter has at least
_COLUMNS = {SIZE: "size", PER_ARM: "size", EPSILON: "epsilon", GAP: "gap", LOG: "horizon"}
_FITTED = ["policy", "variant", "family", "held", "quantity"]
_FINAL = ["policy", "variant", "family", "held", "n_arms", "size", "gap", "epsilon", "horizon"]


class Setting(NamedTuple):
    """An instance of a family: the problem, its base arms (also where a path is one arm), its K and its Delta."""

    family: str
    problem: Problem
    n_arms: int
    size: int
    gap: float


def setting(family: str, size: int, distance: float) -> Setting:
    """Return the instance of a family whose means are `distance` apart.

    Four arms, or two paths, are not in the best super arm. "path as arm" is the K-path instance as a bandit: a path is
    an arm, and a round loses K times the distance of the means.
    """
    if family == "arms":
        return Setting(family, paper.rescaled(5, distance), 5, 1, distance)
    if family == "B_inf":
        return Setting(family, paper.one_valuable(size + 4, size, distance), size + 4, size, distance)
    if family in ("K-path", "path as arm"):
        lost = distance * size
        one = family == "path as arm"
        paths = paper.rescaled(3, lost, b_inf=float(size)) if one else paper.k_path(3 * size, size, lost)
        return Setting(family, paths, 3 * size, size, lost)
    return Setting(family, paper.top_k(size + 4, size, distance), size + 4, size, distance)


def local_policies(epsilon: float, size: int, horizon: int, variant: str) -> list[Policy]:
    """Return CUCB-LDP1 and CUCB-LDP2 in one variant, with the ln T of the horizon."""
    return [paper.cucb_ldp1(epsilon, size, variant, horizon), paper.cucb_ldp2(epsilon, variant, horizon)]


def map_policies(epsilons: Sequence[float], horizon: int) -> list[Policy]:
    """Return what the map compares: CUCB-DP in both variants, without privacy too, and CUCB-LDP2."""
    central = [
        paper.cucb_dp(epsilon, MAP_SIZE, MAP_ARMS, horizon, variant)
        for variant in paper.VARIANTS
        for epsilon in [*epsilons, np.inf]
    ]
    return central + [paper.cucb_ldp2(epsilon, "repaired", horizon) for epsilon in epsilons]


def size_runs() -> list[LongRun]:
    """Regret against K of the local algorithms: does the least-pulled trick remove K^2?"""
    runs = []
    for size in SIZES:
        for variant, horizon in DECIDING_HORIZONS.items():
            runs += _local(SIZE, setting("B_inf", size, DISTANCE), horizon, [variant], held="item gap")
        for family in ("top-K", "K-path", "path as arm"):
            runs += _local(SIZE, setting(family, size, DISTANCE), SIZES_HORIZON, held="item gap")
        runs += _local(SIZE, setting("top-K, close", size, CLOSE), SIZES_HORIZON, held="item gap")
    for size in SIZES_AT_GAP:
        for variant, horizon in AT_GAP_HORIZONS.items():
            runs += _local(SIZE, setting("K-path", size, FIXED_GAP / size), horizon, [variant])
        runs += _local(SIZE, setting("path as arm", size, FIXED_GAP / size), AT_GAP_HORIZONS["repaired"])
    deciding = {"family": "K-path", "held": "gap", "policy": "CUCB-LDP2", "variant": "repaired"}
    return [run._replace(replications=MANY) if deciding.items() <= run.labels.items() else run for run in runs]


def exponent_runs() -> list[LongRun]:
    """The sweeps behind Table 1, each from the base of its algorithm."""
    runs = []
    for family in ("B_inf", "K-path", "arms"):
        variants = ("repaired",) if family == "arms" else paper.VARIANTS
        usual = setting(family, 2, DISTANCE)
        for variant in variants:
            for epsilon in LOCAL_EPSILONS:
                runs += _local(EPSILON, usual, LOCAL_HORIZONS[variant], [variant], epsilon)
        for distance in DISTANCES:
            runs += _local(GAP, setting(family, 2, distance), SWEEP_HORIZON, variants, 2.0)
        for horizon in (1_000_000, 4_000_000, 16_000_000):
            runs += _local(LOG, usual, horizon, ["repaired"], 2.0)
    for family in ("B_inf", "K-path"):
        usual, by_distance = setting(family, 2, DISTANCE), [setting(family, 2, distance) for distance in DISTANCES]
        if family == "B_inf":
            by_size = [setting(family, size, DISTANCE) for size in SIZES]
        else:
            by_size = [setting(family, size, FIXED_GAP / size) for size in SIZES_AT_GAP]
        for variant in paper.VARIANTS:
            base = CENTRAL_BASES[variant]
            runs += [_central(EPSILON, usual, CENTRAL_HORIZON, e, variant) for e in CENTRAL_EPSILONS[variant]]
            runs += [_central(GAP, at, CENTRAL_HORIZON, base, variant) for at in by_distance]
            runs += [_central(LOG, usual, horizon, base, variant) for horizon in CENTRAL_HORIZONS]
            runs += [_central(SIZE, at, CENTRAL_HORIZON, base, variant) for at in by_size]
        plain = [(GAP, at, PLAIN_HORIZON) for at in by_distance]
        plain += [(LOG, usual, horizon) for horizon in (30_000, 300_000, 3_000_000)]
        plain += [(SIZE, at, PLAIN_HORIZON) for at in by_size]
        runs += [_long(quantity, at, paper.cucb(), horizon, replications=MOST) for quantity, at, horizon in plain]
    return runs


def map_runs() -> list[LongRun]:
    """Central against local, to horizons that the chapter cannot afford."""
    return [
        _long("map", Setting("top-K", paper.top_k(MAP_ARMS, MAP_SIZE, gap), MAP_ARMS, MAP_SIZE, gap), policy, horizon)
        for horizon, epsilons in MAP_EPSILONS.items()
        for gap in MAP_GAPS
        for policy in map_policies(epsilons, horizon)
    ]


def lower_runs() -> list[LongRun]:
    """DP-SE at K = 1, for the claimed lower bound of Section 3.3."""
    runs = []
    for epsilon in LOWER_EPSILONS:
        for gap in LOWER_GAPS:
            arms = Arms.bernoulli(np.append(0.5, np.full(LOWER_ARMS - 1, 0.5 - gap)))
            policy = baselines.dp_se(epsilon, LOWER_ARMS, LOWER_HORIZON)
            at = Setting("arms", arms, LOWER_ARMS, 1, gap)
            runs.append(_long(GAP, at, policy, LOWER_HORIZON, replications=MOST))
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


def _local(
    quantity: str,
    at: Setting,
    horizon: int,
    variants: Iterable[str] = paper.VARIANTS,
    epsilon: float = 1.0,
    held: str = "gap",
) -> list[LongRun]:
    """CUCB-LDP1 and CUCB-LDP2; the second alone in the sweeps on K-paths and where there is one outcome to send."""
    one = at.family in ("path as arm", "arms", "top-K, close") or (at.family == "K-path" and quantity != SIZE)
    played = ("repaired",) if at.family == "path as arm" else variants
    policies = [policy for variant in played for policy in local_policies(epsilon, at.size, horizon, variant)[one:]]
    return [_long(quantity, at, policy, horizon, held) for policy in policies]


def _central(quantity: str, at: Setting, horizon: int, epsilon: float, variant: str) -> LongRun:
    """CUCB-DP on the K-path, its variant with the least pulled arm on the family with B_inf = 1."""
    algorithm = paper.cucb_dp_least_pulled if at.family == "B_inf" else paper.cucb_dp
    return _long(quantity, at, algorithm(epsilon, at.size, at.n_arms, horizon, variant), horizon)


def _long(
    quantity: str, at: Setting, policy: Policy, horizon: int, held: str = "gap", replications: int = FEWEST
) -> LongRun:
    """Return a run with its labels.

    Parameters
    ----------
    quantity : str
        What moves: "K", "1/epsilon", "1/gap", "ln T", or "map".
    held : {"gap", "item gap"}
        What stays as K moves: Delta of a round, or the distance of the means.
    """
    labels = {
        "quantity": quantity,
        "held": held,
        "family": at.family,
        "policy": policy.name,
        "variant": policy.version,
        "epsilon": policy.privacy.epsilon,
        "n_arms": at.n_arms,
        "size": at.size,
        "gap": at.gap,
        "horizon": horizon,
    }
    return LongRun(labels, at.problem, policy, horizon, LONG_SEED, replications, checkpoints=(10_000, horizon // 10))


# --- what is fitted


def exponents(sizes: pd.DataFrame, sweeps: pd.DataFrame, lower: pd.DataFrame) -> list[RateFit]:
    """Return the exponents that the longer studies allow to fit.

    Parameters
    ----------
    sizes, sweeps, lower : DataFrame
        The longer studies "sizes", "exponents" and "lower".

    Returns
    -------
    list of RateFit
        With labels `policy, variant, family, held, horizon`. In K, regret is divided by n_arms - size; in "K, per arm",
        for B_inf and K-path, by the arms in bad super arms, over which the theorems sum. On B_inf and top-K the gap of
        a round is that of the means, whichever is held.
    """
    by_gap = lower[lower["epsilon"] == lower["epsilon"].min()].assign(quantity=GAP)
    by_epsilon = lower[lower["gap"] == lower["gap"].max()].assign(quantity=EPSILON)
    frame = pd.concat([sizes, sweeps, by_gap, by_epsilon], ignore_index=True)
    found: dict[tuple[str, ...], RateFit] = {}
    for (*labels, quantity), part in frame[frame["t"] == frame["horizon"]].groupby(_FITTED, sort=False):
        family, held = labels[2:]
        same = quantity == SIZE and held == "item gap" and family in ("B_inf", "top-K")
        per_arm = quantity == SIZE and family in ("B_inf", "K-path")
        for kept in (held, "gap") if same else (held,):
            for asked in (quantity, PER_ARM) if per_arm else (quantity,):
                key = (*labels[:3], kept, asked)
                if key not in found:
                    found[key] = _fit(part, dict(zip(_FITTED, key[:-1], strict=False)), asked)
    return list(found.values())


def power_removed(sizes: pd.DataFrame, variant: str) -> Interval:
    """Return the power of K of CUCB-LDP2 less that of CUCB-LDP1 on B_inf = 1, replication by replication."""
    deciding = (sizes["family"] == "B_inf") & (sizes["variant"] == variant) & (sizes["t"] == sizes["horizon"])
    values, everything = by_replication(sizes[deciding & (sizes["policy"] == "CUCB-LDP1")], "size")
    _, least = by_replication(sizes[deciding & (sizes["policy"] == "CUCB-LDP2")], "size")
    return exponent_difference(values, least, everything)


def theorem_8_form(quantity: str, exponent: float, variant: str) -> Form:
    """Return a power with the logarithm of Theorem 8's private term, where its sweep on K-paths has it."""
    plain = power(quantity, exponent)

    def at(value: float) -> float:
        size = int(value) if quantity == SIZE else 2
        horizon = int(value) if quantity == LOG else CENTRAL_HORIZON
        epsilon = value if quantity == EPSILON else CENTRAL_BASES[variant]
        problem = paper.k_path(3 * size, size, FIXED_GAP if quantity == SIZE else 2 * DISTANCE)
        terms = bounds.theorem_8_terms(problem, horizon, epsilon)
        return plain.at(value) * terms.private * epsilon / (problem.n_items * size * math.log(horizon) ** 3)

    return Form(f"{plain.name} with ln(...)", at)


def final_regrets(study: pd.DataFrame) -> pd.DataFrame:
    """Return the mean regret at the horizon of a longer study, a row per run, with its 95 % interval."""
    rows = []
    for key, part in study[study["t"] == study["horizon"]].groupby(_FINAL, sort=False):
        found = mean_interval(part["regret"].to_numpy()).columns()
        rows.append({**dict(zip(_FINAL, key, strict=True)), **found, "replications": len(part)})
    return pd.DataFrame(rows)


def _fit(part: pd.DataFrame, labels: dict[str, str], quantity: str) -> RateFit:
    arms = part["n_arms"] - part["size"]
    if quantity == PER_ARM:  # in some bad super arm: on K-paths all but the best path, on B_inf the dummies too
        arms = arms + (part["size"] - 1) * (part["family"] == "B_inf")
    if quantity in (SIZE, PER_ARM):
        part = part.assign(regret=part["regret"] / arms)
    values, regrets = by_replication(part, _COLUMNS[quantity])
    fit = fit_points(abscissa(quantity, values), regrets.T, _LEAST_POINTS)
    told = {**labels, "horizon": int(part["horizon"].max())}
    return RateFit(told, quantity, fit, len(values), len(regrets), values=values.tolist())

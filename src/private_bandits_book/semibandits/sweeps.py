"""The longer studies, run by `private-bandits reproduce semibandits --long`, and the exponents fitted to them.

The sweeps of "sizes" and "exponents" are those of `sweeps.toml`.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import Interval, exponent_difference, mean_interval
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits.policy import Policy
from private_bandits.problems import Arms, SemiBandit
from private_bandits.simulate import Problem
from private_bandits_book.rooms import tables
from private_bandits_book.studies import LongRun, key
from private_bandits_book.sweep import (
    EPSILON,
    GAP,
    LEAST_RUNS,
    LOG,
    PLANNED,
    SIZE,
    Form,
    RateFit,
    Sweep,
    by_replication,
    interleaved,
    power,
)

LONG_SEED = 20200
DISTANCE = 0.34  # of the means
FIXED_GAP = 0.34  # Delta, where K grows at a fixed Delta
CENTRAL_BASES = {"printed": 8.0, "repaired": 1.0}  # epsilon of the sweeps of Algorithm 3
CENTRAL_HORIZON = 3_000_000
MAP_ARMS, MAP_SIZE, MAP_GAPS = 4, 2, (0.2, 0.1, 0.05, 0.025)
MAP_EPSILONS = {1_000_000: (0.3, 1.0, 3.0, 10.0, 30.0, 100.0), 10_000_000: (0.3, 1.0, 10.0, 100.0)}  # by horizon
LOWER_EPSILONS, LOWER_GAPS = (0.001, 0.01, 0.1, 1.0), (0.18, 0.09, 0.045, 0.0225, 0.01125)
LOWER_ARMS, LOWER_HORIZON, LOWER_RUNS = 5, 1_000_000_000, 20
PER_ARM = f"{SIZE}, per arm"
_LABELS = ["policy", "variant", "family", "held"]
_SEVERAL = ("policies", "variants")
_FINAL = ["key", "policy", "variant", "family", "held", "n_arms", "size", "gap", "epsilon", "horizon"]
_MAKERS: tuple[Callable[[float, int, int, int, str], Policy], ...] = (  # of epsilon, K, m, T and a variant
    lambda epsilon, size, _, horizon, variant: paper.cucb_ldp1(epsilon, size, variant, horizon),
    lambda epsilon, _size, _arms, horizon, variant: paper.cucb_ldp2(epsilon, variant, horizon),
    paper.cucb_dp,
    paper.cucb_dp_least_pulled,
    lambda *_: paper.cucb(),
)
_MADE = [make(1.0, 1, 1, 2, "printed") for make in _MAKERS]
MAKERS = {key(policy): make for policy, make in zip(_MADE, _MAKERS, strict=True)}
NAMES = {key(policy): policy.name for policy in (*_MADE, paper.cucb("least"), baselines.dp_se(1.0, 2, 2))}
"""What policies are called, by what they are found by here, in the sweeps and in the claims."""
LDP1, LDP2, DP, LEAST, CUCB, CUCB_LEAST, DP_SE = NAMES
FAMILIES: dict[str, Callable[[int, int, float], SemiBandit | Arms]] = {  # of m, K and Delta
    "top-K": paper.top_k,
    "top-K, close": paper.top_k,
    "B_inf": paper.one_valuable,
    "K-path": paper.k_path,
    "path as arm": lambda _, size, gap: paper.rescaled(3, gap, b_inf=float(size)),
    "arms": lambda n_arms, _, gap: paper.rescaled(n_arms, gap),
}
PATHS = ("K-path", "path as arm")
_DATA = tables("semibandits", "sweeps")


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
    size = 1 if family == "arms" else size
    n_arms, gap = (3 * size, distance * size) if family in PATHS else (size + 4, distance)
    return Setting(family, FAMILIES[family](n_arms, size, gap), n_arms, size, gap)


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


@cache
def blocks(label: str) -> list[list[Sweep]]:
    """Return the sweeps of the longer study "sizes" or "exponents", in groups over the same values."""
    return [_block(**stated) for stated in _DATA[label]]


def _block(quantity: str, values: Sequence[float], sweeps: Sequence[dict[str, Any]], held: str = "gap") -> list[Sweep]:
    return [
        _sweep(quantity, values, held, policy, variant, **{k: v for k, v in stated.items() if k not in _SEVERAL})
        for stated in sweeps
        for variant in stated.get("variants", paper.VARIANTS)
        for policy in stated["policies"]
    ]


def _sweep(
    quantity: str,
    values: Sequence[float],
    held: str,
    policy: str,
    variant: str,
    family: str,
    horizon: int = 0,
    epsilon: float = 1.0,
    distance: float = DISTANCE,
    replications: int = LEAST_RUNS,
) -> Sweep:
    """A sweep; the Delta of a path is K times the distance of the means."""
    path = family in PATHS

    def run(value: float) -> list[LongRun]:
        size = int(value) if quantity == SIZE else 2
        gap = value if quantity == GAP else FIXED_GAP if quantity == SIZE and path and held == "gap" else 0.0
        at = setting(family, size, (gap / size if path else gap) or distance)
        rounds = int(value) if quantity == LOG else horizon
        given = value if quantity == EPSILON else epsilon, at.size, at.n_arms, rounds, variant
        return [_long(quantity, at, MAKERS[policy](*given), rounds, held, replications)]

    labels = {"quantity": quantity, "held": held, "family": family, "policy": NAMES[policy], "variant": variant}
    return Sweep(labels, quantity, values, run, design=policy)


def map_runs() -> list[LongRun]:
    """Central against local, to horizons that the chapter cannot afford."""
    return [
        _long("map", Setting("top-K", paper.top_k(MAP_ARMS, MAP_SIZE, gap), MAP_ARMS, MAP_SIZE, gap), policy, horizon)
        for horizon, epsilons in MAP_EPSILONS.items()
        for gap in MAP_GAPS
        for policy in map_policies(epsilons, horizon)
    ]


def lower_sweep(quantity: str, **fixed: float) -> Sweep:
    """DP-SE at K = 1, for the claimed lower bound of Section 3.3: over the gap at one epsilon, or over epsilon."""

    def run(value: float) -> list[LongRun]:
        told = {"epsilon": value, "gap": value} | fixed
        arms = Arms.bernoulli(np.append(0.5, np.full(LOWER_ARMS - 1, 0.5 - told["gap"])))
        policy = baselines.dp_se(told["epsilon"], LOWER_ARMS, LOWER_HORIZON)
        at = Setting("arms", arms, LOWER_ARMS, 1, told["gap"])
        return [_long(GAP, at, policy, LOWER_HORIZON, replications=LOWER_RUNS)]

    labels = {"held": "gap", "family": "arms", "policy": NAMES[DP_SE], "variant": "printed"}
    values = LOWER_GAPS if quantity == GAP else LOWER_EPSILONS
    return Sweep(labels | fixed, quantity, values, run, design=DP_SE)


def lower_runs() -> list[LongRun]:
    """DP-SE at every epsilon and gap."""
    return interleaved(*([lower_sweep(GAP, epsilon=epsilon)] for epsilon in LOWER_EPSILONS))


STUDIES: dict[str, Callable[[], list[LongRun]]] = {
    "sizes": lambda: interleaved(*blocks("sizes")),
    "exponents": lambda: interleaved(*blocks("exponents")),
    "map": map_runs,
    "lower": lower_runs,
}


def keyed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of the longer studies with the keys of what was played."""
    return rows.assign(key=rows["policy"].map({name: found for found, name in NAMES.items()}))


def _long(
    quantity: str, at: Setting, policy: Policy, horizon: int, held: str = "gap", replications: int = LEAST_RUNS
) -> LongRun:
    """Return a run with its labels.

    Parameters
    ----------
    quantity : str
        What moves: "K", "1/epsilon", "1/gap", "ln T", or "map".
    held : {"gap", "item gap"}
        What stays as K moves: Delta of a round, or the distance of the means.
    """
    labels: dict[str, Any] = {"quantity": quantity, "held": held, "family": at.family, "policy": policy.name}
    labels |= {"variant": policy.version, "epsilon": policy.privacy.epsilon, "n_arms": at.n_arms}
    labels |= {"size": at.size, "gap": at.gap, "horizon": horizon}
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
    declared = (("sizes", sizes), ("exponents", sweeps))
    asked = [(sweep, frame) for label, frame in declared for block in blocks(label) for sweep in block]
    asked += [
        (lower_sweep(GAP, epsilon=min(LOWER_EPSILONS)), lower),
        (lower_sweep(EPSILON, gap=max(LOWER_GAPS)), lower),
    ]
    return [fit for each in asked for fit in fits_of(*each)]


def fits_of(sweep: Sweep, frame: pd.DataFrame) -> list[RateFit]:
    """Return the exponents of one sweep, in K several; `frame` is its longer study, arguments as for `exponents`."""
    rows, quantity = sweep.rows(frame), sweep.quantity
    rows = rows[rows["t"] == rows["horizon"]]
    labels = {"key": sweep.design} | {name: sweep.labels[name] for name in _LABELS}
    labels["horizon"] = int(rows["horizon"].max())
    family, held, found = labels["family"], labels["held"], []
    same = quantity == SIZE and held == "item gap" and family in ("B_inf", "top-K")
    per_arm = quantity == SIZE and family in ("B_inf", "K-path")
    for kept in (held, "gap") if same else (held,):
        for asked in (quantity, PER_ARM) if per_arm else (quantity,):
            arms = rows["n_arms"] - rows["size"]
            if asked == PER_ARM and family == "B_inf":  # all that are in some bad super arm, so the dummies too
                arms = arms + rows["size"] - 1
            part = rows.assign(regret=rows["regret"] / arms) if quantity == SIZE else rows
            values, regrets = by_replication(part, sweep.swept)
            points = zip(values.tolist(), regrets.T, strict=True)
            found.append(RateFit.over(labels | {"held": kept}, asked, points, PLANNED))
    return found


def power_removed(sizes: pd.DataFrame, variant: str) -> Interval:
    """Return the power of K of CUCB-LDP2 less that of CUCB-LDP1 on B_inf = 1, replication by replication."""
    deciding = (sizes["family"] == "B_inf") & (sizes["variant"] == variant) & (sizes["t"] == sizes["horizon"])
    kept = keyed(sizes[deciding])
    (values, everything), (_, least) = (by_replication(kept[kept["key"] == made], "size") for made in (LDP1, LDP2))
    return exponent_difference(values, least, everything)


def theorem_8_form(quantity: str, exponent: float, variant: str) -> Form:
    """Return a power with the logarithm of Theorem 8's private term, where its sweep on K-paths has it."""
    plain = power(quantity, exponent)
    if quantity == GAP:
        return plain

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
    for at, part in keyed(study[study["t"] == study["horizon"]]).groupby(_FINAL, sort=False):
        found = mean_interval(part["regret"].to_numpy()).columns()
        rows.append({**dict(zip(_FINAL, at, strict=True)), **found, "replications": len(part)})
    return pd.DataFrame(rows)

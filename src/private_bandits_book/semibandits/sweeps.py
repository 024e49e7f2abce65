"""The longer studies, run by `private-bandits reproduce semibandits --long`, and the exponents fitted to them.

The sweeps of "sizes" and "exponents" are those of `sweeps.toml`.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtri

from private_bandits import baselines
from private_bandits.estimates import mean_interval
from private_bandits.kernels import index
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits.policy import Policy
from private_bandits.problems import Arms, SemiBandit, SetBandit
from private_bandits.simulate import Problem
from private_bandits_book.package_data import tables
from private_bandits_book.studies import LongRun, key, only
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
    abscissa,
    by_replication,
    interleaved,
    learnt,
    power,
)

LONG_SEED = 20200
GAP_HELD, OTHERS = 0.9, 16  # Delta and the number of bad arms, where a sweep does not say others
MAP_ARMS, MAP_SIZE, MAP_GAPS = 4, 2, (0.2, 0.1, 0.05, 0.025)
MAP_EPSILONS = {1_000_000: (0.3, 1.0, 3.0, 10.0, 30.0, 100.0), 10_000_000: (0.3, 1.0, 10.0, 100.0)}  # by horizon
LOWER_EPSILONS, LOWER_GAPS = (0.001, 0.01, 0.1, 1.0), (0.18, 0.09, 0.045, 0.0225, 0.01125)
LOWER_ARMS, LOWER_HORIZON, LOWER_RUNS = 5, 1_000_000_000, 20
PER_ARM, BAD = f"{SIZE}, per arm", "m"
_LABELS = ["policy", "variant", "family"]
_SEVERAL = ("policies", "variants")
_FINAL = ["key", "policy", "variant", "family", "n_arms", "size", "gap", "epsilon", "horizon"]
_MAKERS: tuple[Callable[[float, int, int, int, str], Policy], ...] = (  # of epsilon, K, m, T and a variant
    lambda epsilon, size, _, horizon, variant: paper.cucb_ldp1(epsilon, size, variant, horizon),
    lambda epsilon, _size, _arms, horizon, variant: paper.cucb_ldp2(epsilon, variant, horizon),
    paper.cucb_dp,
    paper.cucb_dp_least_pulled,
    lambda *_: paper.cucb(),
    lambda epsilon, size, _, horizon, _variant: paper.cucb_hypercube(epsilon, size, horizon),
    lambda epsilon, _size, _arms, horizon, _variant: paper.super_arm_radius(epsilon, horizon),
)
_MADE = [make(1.0, 1, 1, 2, "printed") for make in _MAKERS]
MAKERS = {key(policy): make for policy, make in zip(_MADE, _MAKERS, strict=True)}
NAMES = {key(policy): policy.name for policy in (*_MADE, paper.cucb("least"), baselines.dp_se(1.0, 2, 2))}
"""What policies are called, by what they are found by here, in the sweeps and in the claims."""
LDP1, LDP2, DP, LEAST, CUCB, HYPERCUBE, RADIUS, CUCB_LEAST, DP_SE = NAMES
INSIDE: dict[str, Callable[[int, int, float], SemiBandit]] = {  # of m, K and Delta; means 1/2 and less
    "top-K at 1/2": paper.top_k,
    "B_inf at 1/2": paper.one_valuable,
    "one matters at 1/2": paper.one_valuable,
    "K-path at 1/2": paper.k_path,
    "arms at 1/2": lambda n_arms, _, gap: paper.rescaled(n_arms, gap),
}
AS_ARMS = {"K-path as arms": "K-path", "windows as arms": "windows", "K-path at 1/2 as arms": "K-path at 1/2"}
SINGLE, DUMMIES = ("arms", "arms at 1/2"), ("one matters", "one matters at 1/2", "B_inf at 1/2")
FEW = {"B_inf at 1/2": 4, "K-path at 1/2": 2, "arms at 1/2": 4}  # bad arms, for a path of each of its places
_DATA = tables("semibandits", "sweeps")


class Setting(NamedTuple):
    """An instance of a family: the problem, its base arms (also where a super arm is one arm), its K and its Delta."""

    family: str
    problem: Problem
    n_arms: int
    size: int
    gap: float


@cache
def instance(family: str, n_arms: int, size: int, gap: float) -> SemiBandit:
    """Return the instance of a family with m base arms, K and Delta; best mean 1, or 1/2 where the family says so."""
    if family in AS_ARMS:
        whole = instance(AS_ARMS[family], n_arms, size, gap)
        assert isinstance(whole, SetBandit)
        return paper.as_arms(whole)
    if family in INSIDE:
        return INSIDE[family](n_arms, size, gap)
    return paper.separated(family, n_arms - size, size, gap / size if family == "K-path" else gap)


def setting(family: str, size: int, gap: float, others: int = 0) -> Setting:
    """Return the instance of a family with so many bad arms; by default, its usual number."""
    size, shape = 1 if family in SINGLE else size, AS_ARMS.get(family, family)
    n_arms = size + (others or FEW.get(shape, OTHERS) * (size if shape == "K-path at 1/2" else 1))
    return Setting(family, instance(family, n_arms, size, gap), n_arms, size, gap)


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


def _block(quantity: str, values: Sequence[float], sweeps: Sequence[dict[str, Any]]) -> list[Sweep]:
    return [
        _sweep(quantity, values, policy, variant, **{k: v for k, v in stated.items() if k not in _SEVERAL})
        for stated in sweeps
        for variant in stated.get("variants", paper.VARIANTS)
        for policy in stated["policies"]
    ]


def _sweep(
    quantity: str,
    values: Sequence[float],
    policy: str,
    variant: str,
    family: str,
    horizon: int = 0,
    epsilon: float = 1.0,
    gap: float = GAP_HELD,
    others: int = 0,
    replications: int = LEAST_RUNS,
) -> Sweep:
    """A sweep; what moves, in the place of its usual value."""

    def run(value: float) -> list[LongRun]:
        size = int(value) if quantity == SIZE else 2
        at = setting(family, size, value if quantity == GAP else gap, int(value) if quantity == BAD else others)
        rounds = int(value) if quantity == LOG else horizon
        given = value if quantity == EPSILON else epsilon, at.problem.list_size, at.n_arms, rounds, variant
        return [_long(quantity, at, MAKERS[policy](*given), rounds, replications)]

    labels: dict[str, Any] = {"quantity": quantity, "family": family}
    labels |= {"policy": NAMES[policy], "variant": variant}
    if quantity != EPSILON:
        labels["epsilon"] = MAKERS[policy](epsilon, 1, 1, 2, variant).privacy.epsilon
    return Sweep(labels, quantity, values, run, design=policy, column="n_others" if quantity == BAD else "")


def map_runs() -> list[LongRun]:
    """Central against local, to horizons that the chapter cannot afford."""
    return [
        _long("map", setting("top-K at 1/2", MAP_SIZE, gap, MAP_ARMS - MAP_SIZE), policy, horizon)
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
        at = Setting("arms at 1/2", arms, LOWER_ARMS, 1, told["gap"])
        return [_long(GAP, at, policy, LOWER_HORIZON, replications=LOWER_RUNS)]

    labels = {"family": "arms at 1/2", "policy": NAMES[DP_SE], "variant": "printed"}
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


def _long(quantity: str, at: Setting, policy: Policy, horizon: int, replications: int = LEAST_RUNS) -> LongRun:
    """Return a run with its labels; `quantity` is what moves: "K", "1/epsilon", "1/gap", "ln T", "m", or "map"."""
    labels: dict[str, Any] = {"quantity": quantity, "family": at.family}
    labels |= {"policy": policy.name, "variant": policy.version, "epsilon": policy.privacy.epsilon}
    labels |= {"n_arms": at.n_arms, "size": at.size, "n_others": at.n_arms - at.size}
    labels |= {"gap": at.gap, "horizon": horizon}
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
        With labels `key, policy, variant, family, horizon, noisy`. In K, regret is divided by the number of bad arms;
        in "K, per arm" by that of the arms in bad super arms, over which the theorems sum.
    """
    declared = (("sizes", sizes), ("exponents", sweeps))
    asked = [(sweep, frame) for label, frame in declared for block in blocks(label) for sweep in block]
    asked += [
        (lower_sweep(GAP, epsilon=min(LOWER_EPSILONS)), lower),
        (lower_sweep(EPSILON, gap=max(LOWER_GAPS)), lower),
    ]
    return [fit for each in asked for fit in fits_of(*each)]


def fits_of(sweep: Sweep, frame: pd.DataFrame) -> list[RateFit]:
    """Return the exponents of one sweep, in K two, at the points that have learnt; `frame` is its longer study."""
    rows, quantity = sweep.rows(frame), sweep.quantity
    rows = rows[rows["t"] == rows["horizon"]]
    for run in sweep.runs():
        at = np.logical_and.reduce([rows[name] == run.labels[name] for name in (sweep.swept, "epsilon")])
        if not learnt(rows.loc[at, "regret"].mean(), run.problem.uniform_regret() * run.horizon):
            rows = rows[~at]
    labels = {"key": sweep.design} | {name: sweep.labels[name] for name in _LABELS}
    labels |= {"horizon": int(rows["horizon"].max()), "noisy": _noisy(sweep)}
    bad, found = rows["n_arms"] - rows["size"], []
    # in a bad super arm are also the dummies
    asked = {SIZE: bad, PER_ARM: bad + (rows["size"] - 1) * (labels["family"] in DUMMIES)}
    for name, arms in asked.items() if quantity == SIZE else [(quantity, 1.0)]:
        values, regrets = by_replication(rows.assign(regret=rows["regret"] / arms), sweep.swept)
        found.append(RateFit.over(labels, name, zip(values.tolist(), regrets.T, strict=True), PLANNED))
    return found


def _noisy(sweep: Sweep) -> bool:
    """Whether a sweep is of an algorithm as it is, which CUCB's always are."""
    return sweep.design == CUCB or math.isfinite(sweep.labels.get("epsilon", 1.0))


def sweep_of(design: str, variant: str, family: str, quantity: str) -> Sweep:
    """Return the one sweep of an algorithm, by its key, on a family over a quantity, with noise."""
    stated = {"quantity": quantity, "family": family, "policy": NAMES[design], "variant": variant}
    every = (sweep for label in _DATA for block in blocks(label) for sweep in block)
    found = [sweep for sweep in every if stated.items() <= sweep.labels.items() and _noisy(sweep)]
    return only(found, f"sweeps of {stated}")


def predicted(run: LongRun) -> float:
    """Return what an index algorithm loses by its radii alone: it plays bad super arms until these are small.

    A bad arm leaves when its radius is below the distance of the means plus the radius of a good arm, which is cut off
    where the best mean is 1. Errors count on the average only, with three exceptions. Of a max-path all K arms must be
    seen to be bad, so that the largest of K errors counts; of a sum whose best means are 1 one arm below 1 is enough,
    and the smallest does; and if only the least pulled arm reports, a dummy reports as often as the bad arm that stays
    longest, unless good rounds do that. A round then raises one arm.
    """
    record, problem, family = run.policy.record, run.problem, run.labels["family"]
    log_t, size, others = math.log(run.horizon), problem.list_size, run.labels["n_others"]
    inside = problem.means.max() < 1.0
    root = float(np.sum(np.sqrt(record.terms[:, 0] * log_t + record.terms[:, 1])))
    linear = record.bonus_scale * (log_t if record.bonus == index.FLAT_BONUS else 1.0)
    low = problem.means.min() if "path" in family or family == "top-K" else problem.means[1]
    sent = (1.0 - 2.0 * record.flip) * low + record.flip
    noise = 2.0 * record.scale**2 * (record.noise == index.LAPLACE)
    spread = math.sqrt(sent * (1.0 - sent) + noise) / (1.0 - 2.0 * record.flip)
    released = record.scale * math.sqrt(2.0 * run.horizon.bit_length()) * (record.noise == index.TREE)
    turns = size if record.reports == index.LEAST else 1  # rounds in which all arms of a super arm report
    # of bad super arms, for a report each of their arms; top-K draws K of those that look best
    plays = others // (size if "path" in family else 1) * (turns if "path" in family or family == "top-K" else 1)

    def reports(errors: float) -> float:
        """Until a bad arm's radius is small, if the error is so many standard deviations."""

        def radius(n: float, extra: float = 0.0) -> float:
            return (root + extra * spread) / math.sqrt(n) + (linear + extra * released) / n

        def excess(log_n: float) -> float:
            n = math.exp(log_n)
            good = radius((run.horizon - plays * n) / turns) if inside else 0.0
            return radius(n, errors) - float(problem.means.max() - low) - good

        return math.exp(brentq(excess, -5.0, math.log(run.horizon / (plays if inside else 1.0)) - 1e-9))

    side = {"max-path": 1.0, "K-path": -1.0}.get(family, 0.0) if record.noise else 0.0  # of K errors on shared draws
    lost = plays * reports(side * _largest_of(size))
    if turns > 1 and family == "one matters":
        lost += (size - 1) * reports(_largest_of(others))
    return float(run.labels["gap"] * lost)


def _largest_of(number: int) -> float:
    """The largest of so many standard normal errors on the average (Blom 1958)."""
    return float(ndtri((number - 0.375) / (number + 0.25)))


def predicted_form(sweep: Sweep, more: float = 0.0) -> Form:
    """Return what a sweep loses a bad arm by its radii, as a law; or that with another power on top."""

    def at(value: float) -> float:
        (run,) = sweep.run(value)
        return predicted(run) / run.labels["n_others"] * float(abscissa(sweep.quantity, value)) ** more

    return Form("as the radii give" + (f", times {power(sweep.quantity, more).name}" if more else ""), at)


def removed_form(design: str, least: str, family: str, more: float = 0.0) -> Form:
    """Return what an algorithm loses over what another loses by their radii, repaired; times another power of K."""
    many, few = (predicted_form(sweep_of(each, "repaired", family, SIZE)) for each in (design, least))
    name = f"{many.name}, times {power(SIZE, more).name}" if more else many.name
    return Form(name, lambda size: many.at(size) / few.at(size) * size**more)


def lower_bound(family: str, n_arms: int, size: int, gap: float, epsilon: float, horizon: int) -> float:
    """Return the corrected Theorem 5 or 6 on its own instance."""
    if "path" in family:
        return bounds.theorem_6(n_arms, size, gap, epsilon, horizon, variant="corrected")
    return bounds.theorem_5(n_arms - size + 1, gap, epsilon, horizon, variant="corrected")


def final_regrets(study: pd.DataFrame) -> pd.DataFrame:
    """Return the mean regret at the horizon of a longer study, a row per run, with its 95 % interval."""
    rows = []
    for at, part in keyed(study[study["t"] == study["horizon"]]).groupby(_FINAL, sort=False):
        found = mean_interval(part["regret"].to_numpy()).columns()
        rows.append({**dict(zip(_FINAL, at, strict=True)), **found, "replications": len(part)})
    return pd.DataFrame(rows)

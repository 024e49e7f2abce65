"""The longer studies of the chapter on Chen et al. (2020), and what is read from their rows.

`private-bandits reproduce semibandits --long` makes them; the rows are committed by replication.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from private_bandits.estimates import Interval, exponent_difference, fit_exponent
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import VARIANTS, bounds
from private_bandits.papers.semibandits.repair_blocks import log_level
from private_bandits.policy import Policy
from private_bandits.problems import SemiBandit
from private_bandits_book.judging.rates import EPSILON, GAP, LOG, SIZE, abscissa, by_replication, exact_slope
from private_bandits_book.studies import LongRun, LongStudy

SEED, HELD, REPAIRED = 20200, 0.9, VARIANTS[1:]  # HELD: the gap, or the distance of the means, where it does not move
BLOCKS_HORIZON, FAR_HORIZON, BLOCKS_SIZES = 10**7, 10**15, (1, 4, 16, 64)
BLOCKS_EPSILONS, APART = (0.002, 0.02, 0.1, 1.0), 0.3  # APART: distance of the means
SUBJECT = ["policy", "paper", "algorithm", "variant", "mechanism", "method", "trust"]
COLUMNS = {SIZE: "list_size", EPSILON: "epsilon", GAP: "gap", LOG: "horizon"}


def _made(make: Callable[..., Policy], *names: str) -> Callable[..., Policy]:
    """Return the constructor, given those alone of what a run is made for."""
    return lambda epsilon, **given: make(epsilon, **{name: given[name] for name in names})


MAKERS: dict[str, Callable[..., Policy]] = {  # by epsilon, and n_arms, list_size, horizon and variant by name
    "plain": lambda *_, **__: paper.cucb(),
    "ldp1": _made(paper.cucb_ldp1, "list_size", "horizon", "variant"),
    "ldp2": _made(paper.cucb_ldp2, "horizon", "variant"),
    "dp": paper.cucb_dp,
    "least": paper.cucb_dp_least_pulled,
    "hypercube": _made(paper.cucb_hypercube, "list_size", "horizon"),
    "radius": _made(paper.super_arm_radius, "horizon"),
    "blocks": _made(paper.cucb_blocks, "n_arms", "list_size", "horizon"),
}


class Sweep(NamedTuple):
    """Runs of algorithms on a family of instances, over what moves."""

    quantity: str  # "K", "1/epsilon", "1/gap" or "ln T"
    values: Sequence[Any]
    instances: str
    makers: str
    horizon: int = 10**6
    epsilon: float = 1.0
    runs: int = 5
    variants: Sequence[str] = VARIANTS
    gap: float = HELD
    others: int = 16  # bad arms
    best: float = 1.0  # the best mean

    def made(self) -> list[LongRun]:
        """Return the runs, value by value."""
        named = [(maker, variant) for maker in self.makers.split() for variant in self.variants]
        return [self.run(value, *each) for value in self.values for each in named]

    def each(self, size: int) -> int:
        """Return for how many arms `others` counts once: those of a path at 1/2, whose number of paths stays."""
        return size if self.instances == "K-path" and self.best < 1.0 else 1

    def run(self, value: Any, maker: str, variant: str) -> LongRun:
        """Return the run of one algorithm at a value."""
        at = self._replace(**{COLUMNS[self.quantity]: value}) if self.quantity != SIZE else self
        size = value if self.quantity == SIZE else 2
        distance = at.gap / size if self.instances == "K-path" else at.gap  # of the means
        problem = paper.separated(
            self.instances, others=self.others * self.each(size), list_size=size, distance=distance, best=self.best
        )
        policy = MAKERS[maker](at.epsilon, n_arms=problem.n_arms, list_size=size, horizon=at.horizon, variant=variant)
        return _long(self, problem, policy, at.gap, at.horizon, self.runs)


def _long(sweep: Sweep, problem: SemiBandit, policy: Policy, gap: float, horizon: int, runs: int) -> LongRun:
    labels: dict[str, Any] = {"quantity": sweep.quantity, "instances": sweep.instances, "best": sweep.best}
    labels |= {"n_arms": problem.n_arms, "list_size": problem.list_size, "gap": gap, "horizon": horizon}
    return LongRun(labels, problem, policy, horizon, SEED, runs, checkpoints=(10_000,))


# --- the exponents of K, 1/epsilon, 1/gap and ln T

_ALL, _NOISY, _PRINTED = (1, 2, 4, 8, 16), (0.25, 0.5, 1.0), VARIANTS[:1]
SWEEPS = [
    Sweep(SIZE, _ALL, "one matters", "ldp1", 4 * 10**6, 2.0, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL, "one matters", "ldp1", 7 * 10**5, 2.0, variants=_PRINTED, others=128),
    Sweep(SIZE, _ALL, "one matters", "ldp2", 3 * 10**5, 2.0, others=128),
    Sweep(SIZE, _ALL[1:], "one matters", "hypercube", 5 * 10**5, 2.0, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL, "max-path", "ldp1", 15 * 10**5, runs=10, others=128),
    Sweep(SIZE, _ALL, "max-path", "ldp2", 3 * 10**5, runs=10, others=128),
    Sweep(SIZE, _ALL[1:], "max-path", "hypercube", 3 * 10**5, runs=10, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL, "top-K", "ldp1", variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL, "top-K", "ldp2", 5 * 10**5, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL[1:], "top-K", "hypercube", 5 * 10**5, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL[1:-1], "K-path", "ldp1", 65 * 10**5, 2.0, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL, "K-path", "ldp2", 5 * 10**6, 2.0, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL[:-1], "K-path", "ldp2", 5 * 10**6, 2.0, variants=_PRINTED, others=128),
    Sweep(SIZE, _ALL[1:-1], "K-path", "hypercube", 3 * 10**6, 2.0, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL, "K-path", "radius", 10**6, 2.0, variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL[:-1], "one matters", "ldp2", 4 * 10**7, 1.0, 5, REPAIRED, 0.34, 4, 0.5),
    Sweep(SIZE, _ALL[:-2], "K-path", "ldp2 radius", 4 * 10**7, 1.0, 15, REPAIRED, 0.34, 2, 0.5),
    Sweep(SIZE, _ALL, "one matters", "plain", 3 * 10**5, variants=_PRINTED, others=128),
    Sweep(SIZE, _ALL, "K-path", "plain", variants=_PRINTED, others=128),
    Sweep(SIZE, _ALL[::2], "one matters", "least", 15 * 10**5, 16.0, variants=_PRINTED, others=128),
    Sweep(SIZE, _ALL[::2], "one matters", "least", variants=REPAIRED, others=128),
    Sweep(SIZE, _ALL[:-2], "K-path", "dp", 6 * 10**6, 16.0, variants=_PRINTED, others=128),
    Sweep(SIZE, _ALL[:-1], "K-path", "dp", 3 * 10**6, 2.0, variants=REPAIRED, others=128),
    Sweep(EPSILON, _NOISY, "one matters", "ldp1 ldp2", runs=10),
    Sweep(EPSILON, _NOISY, "K-path", "ldp2", 15 * 10**5, runs=10),
    Sweep(EPSILON, (4.0, 8.0, 16.0, 32.0), "one matters", "least", variants=_PRINTED),
    Sweep(EPSILON, (4.0, 8.0, 16.0, 32.0), "K-path", "dp", variants=_PRINTED),
    Sweep(EPSILON, (0.25, 0.5, 1.0, 2.0), "one matters", "least", variants=REPAIRED),
    Sweep(EPSILON, (0.25, 0.5, 1.0, 2.0), "K-path", "dp", variants=REPAIRED),
    Sweep(GAP, (0.225, 0.45, 0.9), "one matters", "ldp1 ldp2", runs=10),
    Sweep(GAP, (0.225, 0.45, 0.9), "one matters", "plain", 3 * 10**5, runs=20, variants=_PRINTED),
    Sweep(GAP, (0.225, 0.45, 0.9), "one matters", "least", epsilon=8.0, variants=_PRINTED),
    Sweep(GAP, (0.225, 0.45, 0.9), "one matters", "least", variants=REPAIRED),
    Sweep(GAP, (0.45, 0.9, 1.8), "K-path", "ldp2", runs=10),
    Sweep(GAP, (0.45, 0.9, 1.8), "K-path", "plain", 3 * 10**5, runs=20, variants=_PRINTED),
    Sweep(GAP, (0.45, 0.9, 1.8), "K-path", "dp", epsilon=8.0, variants=_PRINTED),
    Sweep(GAP, (0.45, 0.9, 1.8), "K-path", "dp", variants=REPAIRED),
    Sweep(LOG, (10**4, 10**5, 10**6), "one matters", "ldp1 ldp2", epsilon=2.0, runs=20),
    Sweep(LOG, (10**4, 10**5, 10**6), "one matters", "plain", runs=20, variants=_PRINTED),
    Sweep(LOG, (10**4, 10**5, 10**6), "K-path", "ldp2", epsilon=4.0, runs=20),
    Sweep(LOG, (10**4, 10**5, 10**6), "K-path", "plain", runs=20, variants=_PRINTED),
    Sweep(LOG, (10**5, 5 * 10**5, 2 * 10**6), "one matters", "least", epsilon=16.0, variants=_PRINTED),
    Sweep(LOG, (10**5, 5 * 10**5, 2 * 10**6), "one matters", "least", variants=REPAIRED),
    Sweep(LOG, (10**5, 5 * 10**5, 2 * 10**6), "K-path", "dp", epsilon=32.0, variants=_PRINTED),
    Sweep(LOG, (10**5, 5 * 10**5, 2 * 10**6), "K-path", "dp", variants=REPAIRED),
]


def powers_runs() -> list[LongRun]:
    """Every algorithm where its noise dominates, over K, epsilon, the gap and T."""
    return [run for sweep in SWEEPS for run in sweep.made()]


def at_the_end(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at each run's last round, with regret over the number of bad arms.

    Parameters
    ----------
    runs : DataFrame
        Rows of a study.
    """
    ends = runs[runs["t"] == runs["horizon"]]
    return ends.assign(regret=ends["regret"] / (ends["n_arms"] - ends["list_size"]))


def exponents(runs: pd.DataFrame) -> pd.DataFrame:
    """Return every measured exponent, of regret over the number of bad arms: a row per sweep, `exponent` an Interval.

    Parameters
    ----------
    runs : DataFrame
        Rows of the study "powers".
    """
    rows, by = [], ["quantity", "instances", "best", *SUBJECT]
    for at, part in at_the_end(runs).groupby(by, sort=False):
        values, regrets = by_replication(part, COLUMNS[at[0]])
        found = fit_exponent(abscissa(at[0], values), regrets)
        rows.append(dict(zip(by, at, strict=True)) | {"values": values, "regrets": regrets, "exponent": found})
    return pd.DataFrame(rows)


CELLS = [  # of Table 1: family, algorithm, exponents of K, 1/epsilon, 1/gap and ln T; none where logarithms are dropped
    ("one matters", "Algorithm 1, lines 4-7", (2, 2, 1, 1)),
    ("one matters", "Algorithm 2, lines 4-7", (0, 2, 1, 1)),
    ("one matters", "Section 3.2", (0, 1, 1, math.nan)),
    ("one matters", "Algorithm 1", (0, math.nan, 1, 1)),
    ("K-path", "Algorithm 2, lines 4-7", (2, 2, 1, 1)),
    ("K-path", "Algorithm 3, lines 4-7", (1, 1, 1, math.nan)),
    ("K-path", "Algorithm 1", (1, math.nan, 1, 1)),
]


def table_1(found: pd.DataFrame) -> pd.DataFrame:
    """Return the measured exponents of the algorithms behind the cells of Table 1, at best means of 1.

    Parameters
    ----------
    found : DataFrame
        What `exponents` returns.

    Returns
    -------
    DataFrame
        Its rows, with `claimed`, the exponent of the cell, and `above`, by how much the measured one exceeds it.
    """
    claimed = pd.DataFrame(
        [
            {"instances": family, "algorithm": algorithm, "quantity": quantity, "claimed": exponent}
            for family, algorithm, cell in CELLS
            for quantity, exponent in zip((SIZE, EPSILON, GAP, LOG), cell, strict=True)
        ]
    )
    rows = found[found["best"] == 1].merge(claimed.dropna())
    return rows.assign(above=[each.measured for each in rows["exponent"]] - rows["claimed"])


def local_by_size(runs: pd.DataFrame) -> pd.DataFrame:
    """Return regret per bad arm of the local algorithms, as K grows and the best mean is 1, at the last rounds.

    Parameters
    ----------
    runs : DataFrame
        Rows of the study "powers".
    """
    ends = at_the_end(runs[runs["quantity"] == SIZE])
    wanted = (ends["trust"] == "local") & (ends["variant"] == "repaired") & (ends["best"] == 1.0)
    return ends[wanted].assign(t=1)  # one place on the axis of rounds for runs of several horizons


def removed(sent: pd.Series, least: pd.Series) -> Interval:
    """Return the exponent of K in the regret of one algorithm over another's, at the K that both have, run by run.

    Parameters
    ----------
    sent, least : Series
        Rows of `exponents`.
    """
    common = [value for value in sent["values"] if value in least["values"]]
    both = [each["regrets"][:, np.isin(each["values"], common)] for each in (sent, least)]
    return exponent_difference(common, *both)


def removals(found: pd.DataFrame) -> pd.DataFrame:
    """Return what asking about the least pulled arm removes: a row per family and algorithm that sends all outcomes.

    Parameters
    ----------
    found : DataFrame
        What `exponents` returns.

    Returns
    -------
    DataFrame
        `instances, mechanism, variant`; `removed`, an Interval; and `expected`, the exponent that the radii alone give.
    """
    rows = []
    for sweep in SWEEPS:
        for maker, variant in [(one, each) for one in ("ldp1", "hypercube") for each in sweep.variants]:
            if sweep.quantity == SIZE and maker in sweep.makers.split():
                other = next(one for one in SWEEPS if _least(one, sweep, variant))
                sent, least = (_row(found, one, each, variant) for one, each in ((sweep, maker), (other, "ldp2")))
                values = [value for value in sweep.values if value in other.values]
                expected = _slope(sweep, maker, variant, values) - _slope(other, "ldp2", variant, values)
                expected -= float(sweep.instances != "one matters")  # one report per round, where each arm needs one
                at = {"instances": sweep.instances, "mechanism": sent["mechanism"], "variant": variant}
                rows.append(at | {"removed": removed(sent, least), "expected": expected})
    return pd.DataFrame(rows)


def _least(one: Sweep, sweep: Sweep, variant: str) -> bool:
    """Whether a sweep is that of the least pulled arm beside another."""
    same = (one.quantity, one.instances, one.best) == (SIZE, sweep.instances, sweep.best)
    return same and "ldp2" in one.makers.split() and variant in one.variants


def _row(found: pd.DataFrame, sweep: Sweep, maker: str, variant: str) -> pd.Series:
    policy = sweep.run(sweep.values[0], maker, variant).policy
    known = {"quantity": SIZE, "instances": sweep.instances, "best": sweep.best, "variant": variant}
    known |= {"algorithm": policy.algorithm, "mechanism": policy.mechanism}
    (row,) = [row for _, row in found.iterrows() if known.items() <= row.to_dict().items()]
    return row


def _slope(sweep: Sweep, maker: str, variant: str, sizes: Sequence[int]) -> float:
    """The exponent of K in the reports that an arm needs until its radius is below the distance of the means."""
    apart = [sweep.gap / size if sweep.instances == "K-path" else sweep.gap for size in sizes]
    policies = [sweep.run(size, maker, variant).policy for size in sizes]
    needed = [reports(policy, distance, sweep.horizon) for policy, distance in zip(policies, apart, strict=True)]
    return float(exact_slope(sizes, needed).measured)


def reports(policy: Policy, distance: float, horizon: int) -> float:
    """After how many reports an arm's radius, with ln T for ln t, is below a distance.

    Parameters
    ----------
    policy : Policy
        Of the index kernel.
    distance : float
        > 0.
    horizon : int
        T.
    """
    record: Any = policy.record
    log_t = math.log(horizon)
    root = float(np.sum(np.sqrt(record.terms[:, 0] * log_t + record.terms[:, 1])))

    def excess(log_n: float) -> float:
        return root * math.exp(-log_n / 2.0) + record.bonus_scale * math.exp(-log_n) - distance

    return math.exp(brentq(excess, -50.0, 100.0))


def over_lower(runs: pd.DataFrame) -> pd.DataFrame:
    """Return regret over the corrected Theorems 5 and 6 on their own instances, run by run.

    Parameters
    ----------
    runs : DataFrame
        Rows of the study "powers".
    """
    rows = runs[(runs["t"] == runs["horizon"]) & (runs["best"] < 1.0)]
    asked = rows[["instances", "n_arms", "list_size", "gap", "epsilon", "horizon"]].itertuples(index=False, name=None)
    return rows.assign(regret=rows["regret"] / [_lower(*each) for each in asked])


def _lower(name: str, n_arms: int, size: int, gap: float, epsilon: float, horizon: int) -> float:
    if name == "K-path":
        return bounds.theorem_6(
            n_arms=n_arms, list_size=size, gap=gap, epsilon=epsilon, horizon=horizon, variant="corrected"
        )
    return bounds.theorem_5(n_arms=n_arms - size + 1, gap=gap, epsilon=epsilon, horizon=horizon, variant="corrected")


def ratio_exponents(ratios: pd.DataFrame) -> tuple[Interval, Interval]:
    """Return the exponents of K of CUCB-LDP2 and of the super-arm radius over Theorem 6.

    Parameters
    ----------
    ratios : DataFrame
        What `over_lower` returns.
    """
    paths = ratios[ratios["instances"] == "K-path"]
    rising, level = (
        fit_exponent(*by_replication(paths[paths["mechanism"] == mechanism], "list_size"))
        for mechanism in ("laplace", "response")
    )
    return rising, level


# --- what privacy adds under central privacy, as K grows


BLOCKS, _PATHS = "super-arm blocks", Sweep(SIZE, BLOCKS_SIZES, "K-path", "blocks dp radius", best=0.5)


def blocks_runs() -> list[LongRun]:
    """Blocks, CUCB-DP and the super-arm radius on five K-paths, where CUCB-DP and the radius learn; and without noise.

    The blocks are run once more to a far horizon.
    """
    wanted = [("blocks", epsilon, BLOCKS_HORIZON, 64, 40) for epsilon in (*BLOCKS_EPSILONS, math.inf)]
    wanted += [("blocks", epsilon, FAR_HORIZON, 64, 40) for epsilon in (min(BLOCKS_EPSILONS), math.inf)]
    wanted += [("radius", epsilon, BLOCKS_HORIZON, 64, 20) for epsilon in (0.02, 0.1, 1.0, math.inf)]
    wanted += [("dp", epsilon, BLOCKS_HORIZON, most, 5) for epsilon, most in ((0.1, 16), (1.0, 64), (math.inf, 64))]
    return [_paths(size, *each) for each in wanted for size in BLOCKS_SIZES if size <= each[3]]


def _paths(size: int, maker: str, epsilon: float, horizon: int, _: int, runs: int) -> LongRun:
    problem = paper.k_path(5 * size, size, APART * size)
    policy = MAKERS[maker](epsilon, n_arms=problem.n_arms, list_size=size, horizon=horizon, variant="repaired")
    return _long(_PATHS, problem, policy, APART * size, horizon, runs)


def added(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at the last round, with the regret per bad arm that privacy adds, run by run.

    Parameters
    ----------
    runs : DataFrame
        Rows of the study "blocks".
    """
    ends, by = at_the_end(runs), ["algorithm", "list_size", "horizon", "replication"]
    noisy = np.isfinite(ends["epsilon"])
    without = ends[~noisy].set_index(by)["regret"].rename("without")
    private = ends[noisy].join(without, on=by)
    return private.assign(regret=private["regret"] - private["without"]).drop(columns="without")


def theorem_9_growth(private: pd.DataFrame) -> pd.DataFrame:
    """Return a line per epsilon that grows with K as the private term of Theorem 9, from the blocks at K = 1 on.

    Parameters
    ----------
    private : DataFrame
        What `added` returns, at one horizon.
    """
    first = private[(private["list_size"] == 1) & (private["algorithm"] == BLOCKS)]
    start = first.groupby("epsilon")["regret"].transform("mean")
    lines = [first.assign(list_size=size, regret=start * size) for size in BLOCKS_SIZES]
    return pd.concat(lines).assign(policy="growth of Theorem 9", family="none", mechanism="none")


def growth(private: pd.DataFrame) -> pd.DataFrame:
    """Return the exponent of K in the regret per bad arm that privacy adds: a row per algorithm, horizon and epsilon.

    `expected` is that of `noise_level`, of the blocks.

    Parameters
    ----------
    private : DataFrame
        What `added` returns.
    """
    rows, by = [], ["horizon", "epsilon", *SUBJECT]
    for at, part in private.groupby(by, sort=False):
        sizes, regrets = by_replication(part, "list_size")
        found = fit_exponent(sizes, regrets)
        expected = exact_slope(sizes, [noise_level(size, at[0]) for size in sizes]).measured
        row = dict(zip(by, at, strict=True)) | {"sizes": sizes, "exponent": found}
        rows.append(row | {"expected": expected if row["algorithm"] == BLOCKS else math.nan})
    return pd.DataFrame(rows)


def noise_level(size: int, horizon: int) -> float:
    """Return g, to which the bound of the blocks' noise is proportional: f + 2 sqrt(K f), f = ln T + ln of the levels.

    Parameters
    ----------
    size, horizon : int
        K and T, >= 1.
    """
    level = log_level(horizon)
    return level + 2.0 * math.sqrt(size * level)


_STORED = ["quantity", "instances", "best", "policy", "variant", "epsilon", "n_arms", "list_size", "gap", "horizon"]
STUDIES = {"powers": LongStudy(powers_runs, _STORED), "blocks": LongStudy(blocks_runs, _STORED)}

"""What the chapter on Chen et al. (2020) measures: learning curves, graphs, oracles, central against local.

The paper has no experiment. A run's variant is *printed* (the algorithms as they stand) or *repaired* (ours); a
baseline has none. Every run is kept by replication, so that a figure and a verdict come from the same numbers. The
longer studies are in `sweeps`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import networkx as nx
import numpy as np
import pandas as pd

from private_bandits.estimates import exponent_difference, mean_interval, ratio_interval
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import bounds
from private_bandits.policy import Policy
from private_bandits.problems import SemiBandit
from private_bandits_book import studies
from private_bandits_book.rules import with_unseen
from private_bandits_book.semibandits import sweeps
from private_bandits_book.studies import Runs, only
from private_bandits_book.sweep import PLANNED, SIZE, RateFit, learnt

ORACLE_SIZE, ORACLE_BETA = 2, 0.8
COVERED = np.array(
    [[0.9, 0.9, 0.0, 0.0], [0.0, 0.0, 0.9, 0.9], [0.0, 0.95, 0.95, 0.0], [0.5, 0.0, 0.0, 0.5], [0.3, 0.3, 0.3, 0.3]]
)
"""Chances that a node reaches a target; greedy starts with the third node, which the best pair does without."""


class Source(NamedTuple):
    """Which measured regret stands for a claim."""

    key: str
    variant: str
    family: str
    noisy: bool = True  # whether with privacy; CUCB's runs count as such


@dataclass
class Study(studies.Study):
    """The chapter's parameters, every run made at them, and what the longer studies show."""

    chapter = "semibandits"
    n_arms: int
    size: int
    gap: float
    sizes: list[int]
    map_epsilons: list[float]
    map_gaps: list[float]

    @property
    def epsilon(self) -> float:
        """The epsilon at which privacy is promised in the ledger."""
        return self.epsilons[0]

    @property
    def middle(self) -> float:
        """The epsilon of the figure on sizes, where noise and sampling both count."""
        return sorted(self.epsilons)[len(self.epsilons) // 2]

    @property
    def last(self) -> float:
        """The epsilon of the figures that have one."""
        return self.epsilons[-1]

    @cached_property
    def problem(self) -> SemiBandit:
        """Top-K at the chapter's parameters."""
        return paper.top_k(self.n_arms, self.size, self.gap)

    @cached_property
    def learning(self) -> dict[float, Runs]:
        """Every algorithm on the top-K instance, by epsilon."""
        return {epsilon: self._learning(epsilon) for epsilon in self.epsilons}

    @cached_property
    def by_size(self) -> Runs:
        """The local algorithms on windows as K grows, the number of other arms fixed."""
        runs, epsilon = Runs(), self.middle
        for size in self.sizes:
            problem = paper.separated("windows", self.n_arms - self.size, size, self.gap)
            swept = {"size": size, "n_arms": problem.n_items, "instances": "windows"}
            one, least = sweeps.local_policies(epsilon, size, self.horizon, "repaired")
            every = (paper.cucb(), one, least, paper.super_arm_radius(epsilon, self.horizon))
            runs += [self.run(problem, policy, "", swept) for policy in every]
        return runs

    @cached_property
    def map(self) -> Runs:
        """Central against local on a grid of epsilon and gap, with CUCB-DP's sampling part alone (epsilon infinite)."""
        problems = {gap: paper.top_k(sweeps.MAP_ARMS, sweeps.MAP_SIZE, gap) for gap in self.map_gaps}
        policies = sweeps.map_policies(self.map_epsilons, self.horizon)
        return Runs(self.run(problems[g], policy, policy.version, {"gap": g}) for g in problems for policy in policies)

    @cached_property
    def graphs(self) -> Runs:
        """Shortest paths and spanning trees, the repaired algorithms."""
        return self._repaired("problem", graph_problems(), 4)

    @cached_property
    def oracles(self) -> Runs:
        """Maximum coverage with an exact oracle, a greedy one, and one that fails; the local algorithms."""
        return self._repaired("oracle", coverages(), 2)

    @cached_property
    def exponents(self) -> list[RateFit]:
        """Every exponent that the longer studies allow to fit, see `sweeps.exponents`."""
        return sweeps.exponents(self.long_study("sizes"), self.long_study("exponents"), self.long_study("lower"))

    @cached_property
    def finals(self) -> pd.DataFrame:
        """Mean regrets at the horizon with their intervals, for comparison with the bounds."""
        frames = [self.long_study("sizes"), self.long_study("exponents"), *map(own_rows, self.learning.values())]
        return pd.concat(map(sweeps.final_regrets, frames), ignore_index=True)

    @cached_property
    def dominance(self) -> pd.DataFrame:
        """Which term of Theorem 8 the regret comes from, on the chapter's map and the longer ones."""
        return dominance(pd.concat([own_rows(self.map), self.long_study("map")], ignore_index=True))

    def removed(self, sent: Source, least: Source) -> RateFit:
        """Return the exponent in K of one source less that of another, seed by seed, at the K that both have."""
        fits = [self.fit(source, SIZE) for source in (sent, least)]
        common = [value for value in fits[0].values if value in fits[1].values]
        if any(fit.regrets is None for fit in fits):
            return fits[0]._replace(fit=None)
        many, few = (np.asarray(fit.regrets)[:, [list(fit.values).index(at) for at in common]] for fit in fits)
        found = exponent_difference(common, many, few)
        return fits[0]._replace(fit=found, points=len(common), values=common, regrets=np.hstack([many, few]))

    def over_bound(self, source: Source) -> RateFit:
        """Return the exponent in K of the regret over the corrected lower bound."""
        fit, sweep = self.fit(source, SIZE), sweeps.sweep_of(*source[:3], SIZE)
        if fit.regrets is None:
            return fit
        runs = [sweep.run(value)[0].labels for value in fit.values]
        asked = ("family", "n_arms", "size", "gap", "epsilon", "horizon")
        scale = [sweeps.lower_bound(*map(run.get, asked)) / run["n_others"] for run in runs]  # type: ignore[arg-type]
        return RateFit.over(fit.labels, SIZE, zip(fit.values, (fit.regrets / scale).T, strict=True), PLANNED)

    def fit(self, source: Source, quantity: str) -> RateFit:
        """Return one fitted exponent.

        Parameters
        ----------
        source : Source
        quantity : str
            "K", "K, per arm", "1/epsilon", "1/gap", "ln T" or "m".

        Raises
        ------
        LookupError
            If there is none, or two.
        """
        return only(fits(self.exponents, source, quantity), f"exponents in {quantity} of {source}")

    def policies(self, epsilon: float) -> list[Policy]:
        """Return every algorithm of the chapter at one epsilon, in the order of the page."""
        return sum((self._private(self.problem, epsilon, variant) for variant in paper.VARIANTS), [paper.cucb()])

    def _learning(self, epsilon: float) -> Runs:
        swept = {"n_arms": self.n_arms, "size": self.size}
        made = [(policy, "") for policy in (paper.cucb(), paper.cucb("least"))]
        made += [(policy, policy.version) for policy in self.policies(epsilon)[1:]]
        return Runs(self.run(self.problem, *each, swept) for each in made)

    def _repaired(self, name: str, problems: dict[str, SemiBandit], most: int) -> Runs:
        """CUCB and the first of the repaired algorithms on each of several problems."""
        runs = Runs()
        for value, problem in problems.items():
            swept = {name: value, "n_arms": problem.n_items, "size": problem.list_size}
            runs.append(self.run(problem, paper.cucb(), "", swept))
            policies = self._private(problem, self.last, "repaired")[:most]
            runs += [self.run(problem, policy, "repaired", swept) for policy in policies]
        return runs

    def _private(self, problem: SemiBandit, epsilon: float, variant: str) -> list[Policy]:
        given = epsilon, problem.list_size, problem.n_items, self.horizon, variant
        return [sweeps.MAKERS[name](*given) for name in (sweeps.LDP1, sweeps.LDP2, sweeps.DP, sweeps.LEAST)]


def fits(exponents: Iterable[RateFit], source: Source, quantity: str) -> list[RateFit]:
    """Return the fitted exponents of what stands for a claim: one, or none where it was not run."""
    wanted = source._asdict()
    return [fit for fit in exponents if fit.quantity == quantity and wanted.items() <= fit.labels.items()]


def graph_problems() -> dict[str, SemiBandit]:
    """Shortest paths through a grid of nine nodes, and spanning trees of the complete graph on four."""
    grid = nx.grid_2d_graph(3, 3, create_using=nx.DiGraph)
    grid.remove_edges_from([(a, b) for a, b in grid.edges if b < a])
    border = {((0, 0), (0, 1)), ((0, 1), (0, 2)), ((0, 2), (1, 2)), ((1, 2), (2, 2))}
    complete = nx.complete_graph(4)
    costs = [0.2 if edge in border else 0.5 for edge in grid.edges]
    means = [0.8 if v == u + 1 else 0.5 for u, v in complete.edges]
    return {
        "shortest path": paper.online_shortest_path(grid, (0, 0), (2, 2), costs),
        "spanning tree": paper.maximum_spanning_tree(complete, means),
    }


def coverages() -> dict[str, SemiBandit]:
    """Maximum coverage by two of five nodes, with three oracles."""
    return {
        "exact": SemiBandit.coverage(COVERED, ORACLE_SIZE),
        "greedy": SemiBandit.coverage(COVERED, ORACLE_SIZE, oracle="greedy"),
        "failing": SemiBandit.coverage(COVERED, ORACLE_SIZE, beta=ORACLE_BETA),
    }


def own_rows(runs: Runs) -> pd.DataFrame:
    """Return the chapter's own runs on top-K in the form of the longer studies."""
    frames = []
    for run in runs:
        horizon = int(run.data.t[-1])
        row = {"policy": run.name, "variant": run.policy.version, "family": "top-K at 1/2"}
        row |= {"n_arms": run.problem.n_items, "size": run.problem.list_size, "epsilon": run.epsilon}
        row |= {"gap": run.swept.get("gap", float(run.problem.gaps.max())), "horizon": horizon, "t": horizon}
        frames.append(pd.DataFrame(row | {"replication": np.arange(len(run.final)), "regret": run.final}))
    return pd.concat(frames, ignore_index=True)


def dominance(frame: pd.DataFrame) -> pd.DataFrame:
    """Return which term of Theorem 8 the regret of CUCB-DP comes from, by epsilon and gap.

    Parameters
    ----------
    frame : DataFrame
        Of `own_rows` or of the longer study "map".

    Returns
    -------
    DataFrame
        A row per horizon, variant, epsilon and gap. `share` is the part of the regret that the same algorithm would
        not lose without privacy, with its interval; `term` is the dominating one, "not learnt" where it loses more than
        half of what uniform play does, "unclear" where the interval holds one half. `over_local` is the regret over
        that of CUCB-LDP2, `bound_share` the share of the private term in the last line of Theorem 8's proof.
    """
    last = sweeps.keyed(frame[frame["t"] == frame["horizon"]])
    runs = {at: part["regret"].to_numpy() for at, part in last.groupby(["horizon", "key", "variant", "gap", "epsilon"])}
    rows = []
    for (horizon, policy, variant, gap, epsilon), regret in runs.items():
        if policy == sweeps.DP and math.isfinite(epsilon):
            sampling = runs[horizon, policy, variant, gap, math.inf]
            local = runs[horizon, sweeps.LDP2, "repaired", gap, epsilon]
            problem = paper.top_k(sweeps.MAP_ARMS, sweeps.MAP_SIZE, gap)
            terms = bounds.theorem_8_terms(problem, int(horizon), epsilon, "proof")
            both = terms.sampling + terms.private
            rows.append(
                {"policy": sweeps.NAMES[policy], "variant": variant, "epsilon": epsilon, "gap": gap, "t": horizon}
                | _parts(regret, sampling, problem.uniform_regret() * horizon)
                | {"over_local": float(regret.mean() / local.mean()) if local.mean() > 0 else math.nan}
                | {"bound_share": terms.private / both if both > 0 else math.nan, "replications": len(regret)}
            )
    return pd.DataFrame(rows).sort_values(["t", "variant", "gap", "epsilon"], ignore_index=True)


def _parts(regret: np.ndarray, sampling: np.ndarray, uniform: float) -> dict[str, float | str]:
    mean = mean_interval(regret)
    found: dict[str, float | str] = {"regret": mean.measured, "regret_se": mean.se, "sampling": float(sampling.mean())}
    found["over_uniform"] = mean.measured / uniform
    if min(mean.measured, sampling.mean()) <= 0:
        return found | {"share": math.nan, "low": math.nan, "high": math.nan, "term": "unclear"}
    ratio, _ = with_unseen(ratio_interval, sampling, regret, most=uniform)
    share, low, high = 1.0 - ratio.measured, 1.0 - ratio.high, 1.0 - ratio.low
    dominating = "private" if low > 0.5 else "sampling" if high < 0.5 else "unclear"
    term = dominating if learnt(mean.measured, uniform) else "not learnt"
    return found | {"share": share, "low": low, "high": high, "term": term}

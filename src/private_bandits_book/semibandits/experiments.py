"""The experiments that Chen et al. (2020) lack: learning curves, graphs, oracles, central against local.

A reading is *printed* (the boxes as they stand) or *repaired* (ours); a baseline belongs to both. Every run is kept by
replication, so that a figure and a verdict come from the same numbers. The longer studies are in `studies`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import graphs, instances
from private_bandits.policy import Policy
from private_bandits.problems import SemiBandit
from private_bandits_book import studies
from private_bandits_book.studies import Panel, Player, Run

MAP_ARMS, MAP_SIZE = 4, 2
ORACLE_SIZE, ORACLE_BETA = 2, 0.8
COVERED = np.array(
    [[0.9, 0.9, 0.0, 0.0], [0.0, 0.0, 0.9, 0.9], [0.0, 0.95, 0.95, 0.0], [0.5, 0.0, 0.0, 0.5], [0.3, 0.3, 0.3, 0.3]]
)
"""Chances that a node reaches a target; greedy starts with the third node, which the best pair does without."""
_FAMILIES = {"CUCB": "none", "CUCB, least pulled": "none", "CUCB-LDP1": "laplace", "CUCB-LDP2": "laplace"}


@dataclass
class Experiments(Player):
    """The chapter's simulations at its parameters; equal runs are played once."""

    n_arms: int
    size: int
    gap: float

    def learning(self, epsilon: float) -> Panel:
        """Every algorithm on the top-K instance at one epsilon."""
        problem = instances.top_k(self.n_arms, self.size, self.gap)
        panel = [self.run(problem, policy, "") for policy in (paper.cucb(), paper.cucb("least"))]
        return panel + [
            self.run(problem, policy, reading)
            for reading in paper.VARIANTS
            for policy in self._private(problem, epsilon, reading)
        ]

    def sizes(self, sizes: Sequence[int], epsilon: float) -> Panel:
        """The local algorithms on top-K as K grows, the number of other arms fixed."""
        others, panel = self.n_arms - self.size, []
        for size in sizes:
            problem, swept = instances.top_k(size + others, size, self.gap), {"size": size}
            panel.append(self.run(problem, paper.cucb(), "", swept))
            for reading in paper.VARIANTS:
                for policy in local_policies(epsilon, size, self.horizon, reading):
                    panel.append(self.run(problem, policy, reading, swept))
        return panel

    def map(self, epsilons: Sequence[float], gaps: Sequence[float]) -> Panel:
        """Central against local on a grid of epsilon and gap, with CUCB-DP's sampling part alone (epsilon infinite)."""
        return [
            self.run(problem, policy, policy.variant, {"gap": gap})
            for gap in gaps
            for problem in [instances.top_k(MAP_ARMS, MAP_SIZE, gap)]
            for policy in map_policies(epsilons, self.horizon)
        ]

    def graphs(self, epsilon: float) -> Panel:
        """Shortest paths and spanning trees, the repaired algorithms."""
        panel = []
        for name, problem in graph_problems().items():
            swept = {"problem": name}
            panel.append(self.run(problem, paper.cucb(), "", swept))
            for policy in self._private(problem, epsilon, "repaired"):
                panel.append(self.run(problem, policy, "repaired", swept))
        return panel

    def oracles(self, epsilon: float) -> Panel:
        """Maximum coverage with an exact oracle, a greedy one, and one that fails."""
        panel = []
        for name, problem in coverages().items():
            swept = {"oracle": name}
            panel.append(self.run(problem, paper.cucb(), "", swept))
            for policy in self._private(problem, epsilon, "repaired")[:2]:
                panel.append(self.run(problem, policy, "repaired", swept))
        return panel

    def plugged(self, rounds: int) -> Panel:
        """CUCB on the graphs, with the compiled oracle and with that of networkx, for a few rounds."""
        short = min(rounds, self.horizon)
        return [  # Python functions gain nothing from threads
            self.run(problem, paper.cucb(), "", {"problem": name, "oracle": oracle}, short, n_jobs=1)
            for oracle in ("scan", "networkx")
            for name, problem in graph_problems(oracle).items()
        ]

    def _private(self, problem: SemiBandit, epsilon: float, reading: str) -> list[Policy]:
        size, n_arms = problem.list_size, problem.n_items
        return [
            *local_policies(epsilon, size, self.horizon, reading),
            paper.cucb_dp(epsilon, size, n_arms, self.horizon, reading),
            paper.cucb_dp_least_pulled(epsilon, size, n_arms, self.horizon, reading),
        ]


def local_policies(epsilon: float, size: int, horizon: int, reading: str) -> list[Policy]:
    """Return CUCB-LDP1 and CUCB-LDP2 in one reading, with the ln T of the horizon."""
    return [paper.cucb_ldp1(epsilon, size, reading, horizon), paper.cucb_ldp2(epsilon, reading, horizon)]


def map_policies(epsilons: Sequence[float], horizon: int) -> list[Policy]:
    """Return what the map compares: CUCB-DP in both readings, without privacy too, and CUCB-LDP2."""
    central = [
        paper.cucb_dp(epsilon, MAP_SIZE, MAP_ARMS, horizon, reading)
        for reading in paper.VARIANTS
        for epsilon in [*epsilons, math.inf]
    ]
    return central + [paper.cucb_ldp2(epsilon, "repaired", horizon) for epsilon in epsilons]


def graph_problems(oracle: str = "scan") -> dict[str, SemiBandit]:
    """Shortest paths through a grid of nine nodes, and spanning trees of the complete graph on four."""
    grid = nx.grid_2d_graph(3, 3, create_using=nx.DiGraph)
    grid.remove_edges_from([(a, b) for a, b in grid.edges if b < a])
    border = {((0, 0), (0, 1)), ((0, 1), (0, 2)), ((0, 2), (1, 2)), ((1, 2), (2, 2))}
    complete = nx.complete_graph(4)
    costs = [0.2 if edge in border else 0.5 for edge in grid.edges]
    means = [0.8 if v == u + 1 else 0.5 for u, v in complete.edges]
    return {
        "shortest path": graphs.online_shortest_path(grid, (0, 0), (2, 2), costs, oracle=oracle),
        "spanning tree": graphs.maximum_spanning_tree(complete, means, oracle=oracle),
    }


def coverages() -> dict[str, SemiBandit]:
    """Maximum coverage by two of five nodes, with three oracles."""
    return {
        "exact": SemiBandit.coverage(COVERED, ORACLE_SIZE),
        "greedy": SemiBandit.coverage(COVERED, ORACLE_SIZE, oracle="greedy"),
        "failing": SemiBandit.coverage(COVERED, ORACLE_SIZE, beta=ORACLE_BETA),
    }


def curves(panel: Iterable[Run]) -> pd.DataFrame:
    """Return the mean curves of a panel, with the size of its problems; see `studies.curves`."""
    return studies.curves(panel, family_of, _arms)


def finals(panel: Iterable[Run]) -> pd.DataFrame:
    """Return the mean regret at the horizon, a row per run, with the size of its problem; see `studies.finals`."""
    return studies.finals(panel, family_of, _arms)


def family_of(policy: str) -> str:
    """Return the mechanism family of a policy's name, for its colour."""
    return _FAMILIES.get(policy, "tree")


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    checks.integer("n_arms", values["n_arms"], at_least=2)
    checks.integer("size", values["size"], at_least=1, at_most=values["n_arms"] - 1)
    checks.real("gap", values["gap"], above=0, at_most=0.5)
    for gap in values["map_gaps"]:
        checks.real("map_gaps", gap, above=0, at_most=0.5)
    if len(set(values["map_gaps"])) < len(values["map_gaps"]):
        raise ValueError(f"map_gaps must not repeat a value, got {values['map_gaps']!r}")
    for name, most in (("epsilons", 3), ("map_epsilons", 8), ("map_gaps", 6)):
        if len(values[name]) > most:
            raise ValueError(f"{name} must have at most {most} values, got {values[name]!r}")
    checks.integer("oracle_rounds", values["oracle_rounds"], at_least=1)


def _arms(run: Run) -> dict[str, int]:
    return {"n_arms": run.problem.n_items, "size": run.problem.list_size}

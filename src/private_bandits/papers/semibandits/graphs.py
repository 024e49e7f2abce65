"""Semi-bandits on networkx graphs: the base arms are the edges, in the order of `graph.edges`.

Each problem comes in two forms: `oracle="scan"` lists the decision set and plays in the compiled kernel; `"networkx"`
asks networkx every round and needs no list. Where no round falls back to random play, both play the same super arms.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import networkx as nx
import numpy as np

from private_bandits import checks
from private_bandits.problems import OracleBandit, SemiBandit, SetBandit

_MOST_TIED = 1000  # optima that networkx is asked to list
_Oracle = Callable[[np.ndarray, np.random.Generator], Sequence[int]]


def online_shortest_path(
    graph: nx.Graph, source: Hashable, target: Hashable, costs: Any, *, oracle: str = "scan", size: int | None = None
) -> SetBandit | OracleBandit:
    """Choose a path each round; every edge on it costs 0 or 1.

    The arm of an edge has the mean 1 - cost, and r(S) = - sum of the costs over S: linear with offset 1, B_1 = 1,
    B_inf = K, the largest number of edges of a path. Indices are to be capped at 1, so that no cost is negative.

    Parameters
    ----------
    graph : networkx.Graph or networkx.DiGraph
        Not a multigraph.
    source, target : nodes
        Joined by a path, and different.
    costs : array_like of float, shape (n_edges,)
        Expected cost of each edge, in [0, 1].
    oracle : {"scan", "networkx"}
        `networkx` takes a path uniformly at random among the shortest ones, of which it lists at most 1000.
    size : int, optional
        K for `networkx`; default the number of nodes less 1.

    Returns
    -------
    SetBandit or OracleBandit
        By `oracle`.

    Raises
    ------
    ValueError
        If the graph is a multigraph, no path joins the two nodes, or a cost is out of range.

    Notes
    -----
    Chen et al. (2020), Section 2.1, name the problem and play it nowhere.

    Examples
    --------
    >>> triangle = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    >>> problem = online_shortest_path(triangle, 0, 2, [0.25, 0.75, 0.25])
    >>> problem.sets, problem.best
    (((0, 2), (1,)), -0.5)
    """
    arms = _arms(graph)
    checks.choice("oracle", oracle, ("scan", "networkx"))
    joined = source in graph and target in graph and source != target and nx.has_path(graph, source, target)
    if not joined:
        raise ValueError(f"source and target must be two nodes that a path joins, got {checks.shown((source, target))}")
    means = 1.0 - _per_edge("costs", costs, graph)
    if oracle == "scan":
        paths = nx.all_simple_edge_paths(graph, source, target)
        return SemiBandit.from_sets(means, sorted([arms[edge] for edge in path] for path in paths), offset=1.0)
    longest = graph.number_of_nodes() - 1 if size is None else size
    return SemiBandit.from_oracle(means, _shortest(graph, source, target, arms), longest, offset=1.0)


def maximum_spanning_tree(graph: nx.Graph, means: Any, *, oracle: str = "scan") -> SetBandit | OracleBandit:
    """Choose a spanning tree each round; r(S) = sum of the means of its edges, B_1 = 1, B_inf = K = n_nodes - 1.

    Parameters
    ----------
    graph : networkx.Graph
        Connected, undirected, not a multigraph, with at least one edge.
    means : array_like of float, shape (n_edges,)
        Expected weight of each edge, in [0, 1].
    oracle : {"scan", "networkx"}
        `networkx` takes a tree uniformly at random among the largest ones, of which it lists at most 1000. Indices are
        to be capped, as infinite ones cannot be summed.

    Returns
    -------
    SetBandit or OracleBandit
        By `oracle`.

    Raises
    ------
    ValueError
        If the graph has no spanning tree, or a mean is out of range.

    Notes
    -----
    Chen et al. (2020), Section 2.1, name the problem and play it nowhere.

    Examples
    --------
    >>> maximum_spanning_tree(nx.cycle_graph(3), [0.5, 0.75, 0.25]).best
    1.25
    """
    arms = _arms(graph)
    checks.choice("oracle", oracle, ("scan", "networkx"))
    if graph.is_directed() or graph.number_of_edges() == 0 or not nx.is_connected(graph):
        raise ValueError(f"graph must be undirected and connected, with an edge, got {graph}")
    entries = _per_edge("means", means, graph)
    if oracle == "scan":
        trees = (tree.edges for tree in nx.SpanningTreeIterator(graph))
        return SemiBandit.from_sets(entries, sorted(sorted(arms[edge] for edge in tree) for tree in trees))
    return SemiBandit.from_oracle(entries, _heaviest(graph, arms), graph.number_of_nodes() - 1)


def _shortest(graph: nx.Graph, source: Hashable, target: Hashable, arms: dict[Any, int]) -> _Oracle:
    def oracle(values: np.ndarray, choice: np.random.Generator) -> list[int]:
        cost = np.maximum(1.0 - values, 0.0).tolist()
        walks = nx.all_shortest_paths(graph, source, target, weight=lambda u, v, _: cost[arms[u, v]])
        paths = ([arms[edge] for edge in itertools.pairwise(walk)] for walk in walks)
        return _any(itertools.islice(paths, _MOST_TIED), choice)

    return oracle


def _heaviest(graph: nx.Graph, arms: dict[Any, int]) -> _Oracle:
    def total(tree: list[int], values: np.ndarray) -> float:
        return sum(values[arm] for arm in tree)

    def oracle(values: np.ndarray, choice: np.random.Generator) -> list[int]:
        own = nx.Graph()  # of this call alone: replications are threads
        own.add_weighted_edges_from((u, v, values[arms[u, v]]) for u, v in graph.edges)
        best = sorted(arms[u, v] for u, v in nx.maximum_spanning_edges(own, data=False))
        if len(np.unique(values)) == len(values):
            return best
        # networkx lists trees from the largest down; sums in another order may differ in the last bit
        trees = (sorted(arms[edge] for edge in tree.edges) for tree in nx.SpanningTreeIterator(own, minimum=False))
        near = itertools.takewhile(lambda tree: total(tree, values) > total(best, values) - 1e-9, trees)
        tied = list(itertools.islice(near, _MOST_TIED))
        largest = max(total(tree, values) for tree in tied)
        return _any((tree for tree in tied if total(tree, values) == largest), choice)

    return oracle


def _any(optima: Iterable[list[int]], choice: np.random.Generator) -> list[int]:
    """One of the optima, as the compiled scan of the sorted list draws it."""
    listed = sorted(optima)
    return listed[int(choice.random() * len(listed)) if len(listed) > 1 else 0]


def _arms(graph: nx.Graph) -> dict[Any, int]:
    if not isinstance(graph, nx.Graph) or graph.is_multigraph():
        raise ValueError(f"graph must be a networkx Graph or DiGraph, got {checks.shown(graph)}")
    arms = {edge: arm for arm, edge in enumerate(graph.edges)}
    return arms if graph.is_directed() else arms | {(v, u): arm for (u, v), arm in arms.items()}


def _per_edge(name: str, value: Any, graph: nx.Graph) -> np.ndarray:
    entries = checks.vector(name, value, at_least=0, at_most=1)
    if len(entries) != graph.number_of_edges():
        raise ValueError(f"{name} must have one entry per edge, {graph.number_of_edges()}, got {len(entries)}")
    return entries

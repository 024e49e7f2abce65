"""Semi-bandits on networkx graphs: the base arms are the edges, in the order of `graph.edges`.

networkx lists the decision set, which the compiled oracle scans.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from private_bandits import checks
from private_bandits.problems import SemiBandit, SetBandit

if TYPE_CHECKING:  # the extra `graphs`
    import networkx as nx


def online_shortest_path(graph: nx.Graph, source: Hashable, target: Hashable, costs: Any) -> SetBandit:
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

    Returns
    -------
    SetBandit

    Raises
    ------
    ValueError
        If the graph is a multigraph, no path joins the two nodes, or a cost is out of range.

    Notes
    -----
    Chen et al. (2020), Section 2.1, name the problem and play it nowhere.

    Examples
    --------
    >>> import networkx as nx
    >>> triangle = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    >>> problem = online_shortest_path(triangle, 0, 2, [0.25, 0.75, 0.25])
    >>> problem.sets, problem.best
    (((0, 2), (1,)), -0.5)
    """
    import networkx as nx

    arms = _arms(graph)
    joined = source in graph and target in graph and source != target and nx.has_path(graph, source, target)
    if not joined:
        raise ValueError(f"source and target must be two nodes that a path joins, got {checks.brief((source, target))}")
    means = 1.0 - _per_edge("costs", costs, graph)
    paths = nx.all_simple_edge_paths(graph, source, target)
    return SemiBandit.from_sets(means, sorted([arms[edge] for edge in path] for path in paths), offset=1.0)


def maximum_spanning_tree(graph: nx.Graph, means: Any) -> SetBandit:
    """Choose a spanning tree each round; r(S) = sum of the means of its edges, B_1 = 1, B_inf = K = n_nodes - 1.

    Parameters
    ----------
    graph : networkx.Graph
        Connected, undirected, not a multigraph, with at least one edge.
    means : array_like of float, shape (n_edges,)
        Expected weight of each edge, in [0, 1].

    Returns
    -------
    SetBandit

    Raises
    ------
    ValueError
        If the graph has no spanning tree, or a mean is out of range.

    Notes
    -----
    Chen et al. (2020), Section 2.1, name the problem and play it nowhere.

    Examples
    --------
    >>> import networkx as nx
    >>> maximum_spanning_tree(nx.cycle_graph(3), [0.5, 0.75, 0.25]).best
    1.25
    """
    import networkx as nx

    arms = _arms(graph)
    if graph.is_directed() or graph.number_of_edges() == 0 or not nx.is_connected(graph):
        raise ValueError(f"graph must be undirected and connected, with an edge, got {graph}")
    entries = _per_edge("means", means, graph)
    trees = (tree.edges for tree in nx.SpanningTreeIterator(graph))
    return SemiBandit.from_sets(entries, sorted(sorted(arms[edge] for edge in tree) for tree in trees))


def _arms(graph: nx.Graph) -> dict[Any, int]:
    import networkx as nx

    if not isinstance(graph, nx.Graph) or graph.is_multigraph():
        raise ValueError(f"graph must be a networkx Graph or DiGraph, got {checks.brief(graph)}")
    arms = {edge: arm for arm, edge in enumerate(graph.edges)}
    return arms if graph.is_directed() else arms | {(v, u): arm for (u, v), arm in arms.items()}


def _per_edge(name: str, value: Any, graph: nx.Graph) -> np.ndarray:
    entries = checks.vector(name, value, at_least=0, at_most=1)
    if len(entries) != graph.number_of_edges():
        raise ValueError(f"{name} must have one entry per edge, {graph.number_of_edges()}, got {len(entries)}")
    return entries

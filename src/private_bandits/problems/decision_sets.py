"""What a decision set is given as, checked: super arms, weights, the nodes of a coverage."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.problems.families import frozen


def super_arms(sets: Any) -> tuple[tuple[int, ...], ...]:
    """Check a list of super arms.

    Parameters
    ----------
    sets : sequence of sequences of int

    Returns
    -------
    tuple of tuples of int

    Raises
    ------
    ValueError
        If there is none, an empty one, a repeated arm or a repeated super arm.
    """
    if not checks.listed(sets):
        raise ValueError(f"sets must be a non-empty list of super arms, got {checks.brief(sets)}")
    rows: dict[frozenset[int], int] = {}
    found = []
    for number, arms in enumerate(sets):
        if not checks.listed(arms):
            raise ValueError(f"sets[{number}] must be a non-empty list of arms, got {checks.brief(arms)}")
        row = tuple(checks.integer(f"sets[{number}]", arm, at_least=0) for arm in arms)
        if len(set(row)) < len(row):
            raise ValueError(f"sets[{number}] must have distinct arms, got {checks.brief(arms)}")
        if frozenset(row) in rows:
            raise ValueError(f"sets[{number}] must not repeat sets[{rows[frozenset(row)]}], got {checks.brief(arms)}")
        rows[frozenset(row)] = number
        found.append(row)
    return tuple(found)


def arm_weights(weights: Any, n_arms: int) -> np.ndarray:
    """Check the weights of the arms.

    Parameters
    ----------
    weights : float or array_like of float, shape (n_arms,), or None
        >= 0: one for all of them, one each, or None for 1.
    n_arms : int
        Number of arms.

    Returns
    -------
    float64 array, shape (n_arms,)

    Raises
    ------
    ValueError
        If a weight is out of range or the list of another length.
    """
    given = 1.0 if weights is None else weights
    if not isinstance(given, Sequence | np.ndarray):
        given = [checks.real("weights", given, at_least=0)] * n_arms
    entries = checks.vector("weights", given, at_least=0)
    if len(entries) != n_arms:
        raise ValueError(f"weights must have one entry per arm, {n_arms}, got {len(entries)}")
    return frozen(entries, np.float64)


def node_pairs(probabilities: Any, n_chosen: Any) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """The base arms and super arms of a maximum coverage.

    Parameters
    ----------
    probabilities : array_like of float, shape (n_nodes, n_targets)
    n_chosen : int
        Number of nodes that are chosen, 1 <= n_chosen <= n_nodes.

    Returns
    -------
    table : array, shape (n_nodes, n_targets)
    sets : tuple of tuples of int
        The pairs of every choice of nodes.

    Raises
    ------
    ValueError
        If the table is none, or the number out of range.
    """
    table = checks.array("probabilities", probabilities, ndim=2)
    checks.integer("n_chosen", n_chosen, at_least=1, at_most=len(table))
    pairs = np.arange(table.size).reshape(table.shape)
    choices = itertools.combinations(range(len(table)), n_chosen)
    return table, tuple(tuple(pairs[list(nodes)].ravel().tolist()) for nodes in choices)

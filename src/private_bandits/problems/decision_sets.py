"""What a decision set is given as, checked: super arms, weights, targets, groups."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.problems.families import frozen


def super_arms(sets: Any) -> tuple[tuple[int, ...], ...]:
    """Return the super arms, or raise a ValueError: none, an empty one, a repeated arm, a repeated super arm."""
    if isinstance(sets, (str, bytes)) or not isinstance(sets, (Sequence, np.ndarray)) or len(sets) == 0:
        raise ValueError(f"sets must be a non-empty list of super arms, got {sets!r}")
    rows: dict[frozenset[int], int] = {}
    found = []
    for number, arms in enumerate(sets):
        if isinstance(arms, (str, bytes)) or not isinstance(arms, (Sequence, np.ndarray)) or len(arms) == 0:
            raise ValueError(f"sets[{number}] must be a non-empty list of arms, got {arms!r}")
        row = tuple(checks.integer(f"sets[{number}]", arm, at_least=0) for arm in arms)
        if len(set(row)) < len(row):
            raise ValueError(f"sets[{number}] must have distinct arms, got {arms!r}")
        if frozenset(row) in rows:
            raise ValueError(f"sets[{number}] must not repeat sets[{rows[frozenset(row)]}], got {arms!r}")
        rows[frozenset(row)] = number
        found.append(row)
    return tuple(found)


def integers(name: str, value: Any, n_items: int, *, at_least: int) -> list[int]:
    """Return one integer per arm, or raise a ValueError."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != n_items:
        raise ValueError(f"{name} must have one integer per arm, {n_items}, got {value!r}")
    return [checks.integer(f"{name}[{i}]", x, at_least=at_least) for i, x in enumerate(value)]


def arm_weights(weights: Any, n_items: int) -> np.ndarray:
    """Return the weight of every arm, given one for all of them, one each, or None for 1."""
    given = 1.0 if weights is None else weights
    if np.ndim(given) == 0:
        given = [checks.real("weights", given, at_least=0)] * n_items
    entries = checks.vector("weights", given, at_least=0)
    if len(entries) != n_items:
        raise ValueError(f"weights must have one entry per arm, {n_items}, got {len(entries)}")
    return frozen(entries, np.float64)


def check_sharing(together: Iterable[Sequence[int]], groups: np.ndarray, targets: np.ndarray) -> None:
    """Raise a ValueError where arms that may be played together share both a draw and a target.

    A product of misses is the chance of a miss for independent arms only.
    """
    for arms in together:
        shared = [(groups[arm], targets[arm]) for arm in arms if groups[arm] >= 0]
        if len(set(shared)) < len(shared):
            raise ValueError(f"groups must not join arms that aim at one target, got {groups.tolist()}")


def node_pairs(probabilities: Any, size: Any) -> tuple[np.ndarray, np.ndarray, tuple[tuple[int, ...], ...]]:
    """Return the table of coverage, the arms of each node, and the pairs of every choice of `size` nodes."""
    table = np.array(probabilities)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"probabilities must be a table of nodes and targets, got {probabilities!r}")
    checks.integer("size", size, at_least=1, at_most=len(table))
    pairs = np.arange(table.size).reshape(table.shape)
    choices = itertools.combinations(range(len(table)), size)
    return table, pairs, tuple(tuple(pairs[list(nodes)].ravel().tolist()) for nodes in choices)

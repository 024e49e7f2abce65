"""Instances that nobody chose: named generators, with numbers and seeds that were fixed before any run.

A *calibration* set tunes policies and a *test* set judges them. A family without calibration instances shows how a
policy does where nobody has tuned it.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.papers import cascading, contextual, heavy_tailed
from private_bandits.problems import Arms, Cascade, LinearContext, SemiBandit

__all__ = ["FAMILIES", "SEEDS", "Family", "described", "instances", "searched"]

SEEDS = {"calibration": 2027, "test": 2028}
"""Of the two sets."""
_SEARCH_SEED = 2032


class Family(NamedTuple):
    """A generator, and how many of its instances tune and judge.

    Attributes
    ----------
    draw : callable
        Takes a generator of random numbers and the number of the instance in its family, and returns a problem.
    calibration, test : int
    """

    draw: Callable[[np.random.Generator, int], Any]
    calibration: int
    test: int


def instances(kind: str, role: str = "test", seed: int | None = None) -> dict[str, Any]:
    """Return the instances of a kind of problem by name, the number of its family's with the family's name.

    Parameters
    ----------
    kind : {"arms", "lists", "sets", "contexts", "pairs", "tails"}
    role : {"calibration", "test"}
    seed : int, optional
        For other instances of the same families. Default: that of `SEEDS`.

    Returns
    -------
    dict
        Problems of the library.

    Examples
    --------
    >>> [*instances("pairs", "calibration")], instances("pairs", "calibration", seed=7)["pair 1"].n_actions
    (['pair 1', 'pair 2'], 2)
    """
    families = FAMILIES[checks.choice("kind", kind, [*FAMILIES])]
    begun = SEEDS[checks.choice("role", role, [*SEEDS])] if seed is None else checks.integer("seed", seed, at_least=0)
    found = {}
    for place, (name, family) in enumerate(families.items()):
        for number in range(getattr(family, role)):
            rng = np.random.default_rng([begun, [*FAMILIES].index(kind), place, number])
            found[f"{name} {number + 1}"] = family.draw(rng, number)
    return found


def searched(kind: str, many: int) -> dict[str, Any]:
    """Return instances among which the worst one for a policy is searched, from all generators in turn.

    Parameters
    ----------
    kind : str
        As for `instances`.
    many : int
        >= 1.

    Returns
    -------
    dict
        Problems of the library, by name.
    """
    families = {name: family for name, family in FAMILIES[kind].items() if name != "published"}
    found = {}
    for number in range(checks.integer("many", many, at_least=1)):
        name = [*families][number % len(families)]
        rng = np.random.default_rng([_SEARCH_SEED, [*FAMILIES].index(kind), number])
        found[f"{name}, searched {number + 1}"] = families[name].draw(rng, number)
    return found


def described(kind: str, role: str = "test") -> pd.DataFrame:
    """Return a row an instance: its name, and its sizes and means in words.

    Parameters
    ----------
    kind, role : str
        As for `instances`.

    Returns
    -------
    DataFrame
    """
    rows = []
    for name, problem in instances(kind, role).items():
        means = getattr(problem, "means", None)
        told = " ".join(f"{mean:.10g}" for mean in np.ravel(means)) if means is not None else ""
        rows.append({"kind": kind, "role": role, "instance": name, "problem": str(problem), "means": told})
    return pd.DataFrame(rows)


def _means(rng: np.random.Generator, size: int, low: float, high: float) -> list[float]:
    """Uniform means of three digits, the largest first."""
    return sorted(rng.uniform(low, high, size).round(3).tolist(), reverse=True)


def _close(rng: np.random.Generator) -> list[float]:
    best, others = rng.uniform(0.3, 0.7), int(rng.integers(1, 5))
    return [round(best, 3), *(round(best - gap, 3) for gap in np.sort(rng.uniform(0.01, 0.06, others)))]


def _near_0(rng: np.random.Generator, size: int) -> list[float]:
    best = round(rng.uniform(0.02, 0.1), 3)
    return [best, *_means(rng, size - 1, 0.0, 0.8 * best)]


def _near_1(rng: np.random.Generator, size: int) -> list[float]:
    best = round(rng.uniform(0.97, 0.995), 3)
    second = round(best - rng.uniform(0.01, 0.03), 3)
    return [best, second, *_means(rng, size - 2, 0.85, second)]


def _one_good(rng: np.random.Generator, size: int) -> list[float]:
    base = round(rng.uniform(0.2, 0.5), 3)
    return [round(base + rng.uniform(0.1, 0.3), 3), *[base] * (size - 1)]


def _two_levels(rng: np.random.Generator, size: int, good: int) -> list[float]:
    high = round(rng.uniform(0.2, 0.6), 3)
    return [high] * good + [round(high * rng.uniform(0.3, 0.8), 3)] * (size - good)


def _mixed(rng: np.random.Generator, means: list[float]) -> np.ndarray:
    """The means in an order that tells nothing, as some policies begin with the first arm."""
    return rng.permutation(np.array(means))


def _arms(means: Callable[[np.random.Generator], list[float]], calibration: int, test: int) -> Family:
    return Family(lambda rng, number: Arms.bernoulli(_mixed(rng, means(rng))), calibration, test)


_PUBLISHED = [
    [0.75, 0.7, 0.7, 0.7, 0.7],
    [0.75, 0.625, 0.5, 0.375, 0.25],
    [0.75, 0.53125, 0.375, 0.28125, 0.25],
    [0.75, 0.71875, 0.625, 0.46875, 0.25],
]  # C1 to C4 of Sajed and Sheffet (2019), which Azize and Basu (2022) use too
ARMS = {
    "uniform": _arms(lambda rng: _means(rng, int(rng.integers(2, 11)), 0.0, 1.0), 4, 7),
    "many": _arms(lambda rng: _means(rng, int(rng.integers(20, 51)), 0.1, 0.9), 2, 4),
    "close": _arms(_close, 3, 5),
    "near 0": _arms(lambda rng: _near_0(rng, int(rng.integers(3, 9))), 3, 4),
    "published": Family(lambda rng, number: Arms.bernoulli(_mixed(rng, _PUBLISHED[number])), 0, 4),
    "near 1": _arms(lambda rng: _near_1(rng, int(rng.integers(2, 6))), 0, 3),
    "one good": _arms(lambda rng: _one_good(rng, int(rng.integers(10, 31))), 0, 3),
}


def _lists(
    means: Callable[[np.random.Generator, int, int], list[float]], most: int, calibration: int, test: int
) -> Family:
    """Lists of two to five out of at most so many items."""

    def draw(rng: np.random.Generator, number: int) -> Cascade:
        size = int(rng.integers(2, 6))
        return Cascade(_mixed(rng, means(rng, int(rng.integers(2 * size, most + 1)), size)), size)

    return Family(draw, calibration, test)


LISTS = {
    "uniform": _lists(lambda rng, items, size: _means(rng, items, 0.0, 0.5), 20, 2, 3),
    "rare": _lists(lambda rng, items, size: _near_0(rng, items), 20, 2, 3),
    "two levels": _lists(_two_levels, 20, 2, 2),
    "published": Family(lambda rng, number: cascading.b_lb(20, 4, 0.2, 0.15), 0, 1),  # of Wang et al. (2021)
    "near 1": _lists(lambda rng, items, size: _near_1(rng, items), 12, 0, 1),
    "one good": _lists(lambda rng, items, size: _one_good(rng, items), 20, 0, 2),
}


def _sets(means: Callable[[np.random.Generator, int, int], list[float]], calibration: int, test: int) -> Family:
    """All sets of two or three out of five to eight arms."""

    def draw(rng: np.random.Generator, number: int) -> SemiBandit:
        items, size = int(rng.integers(5, 9)), int(rng.integers(2, 4))
        return SemiBandit.from_sets(_mixed(rng, means(rng, items, size)), [*combinations(range(items), size)])

    return Family(draw, calibration, test)


SETS = {
    "uniform": _sets(lambda rng, items, size: _means(rng, items, 0.0, 1.0), 2, 3),
    "near 0": _sets(lambda rng, items, size: _near_0(rng, items), 1, 2),
    "two levels": _sets(_two_levels, 2, 3),
    "near 1": _sets(lambda rng, items, size: _near_1(rng, items), 0, 1),
    "one good": _sets(lambda rng, items, size: _one_good(rng, items), 0, 2),
}


def _drawn(rng: np.random.Generator, number: int) -> LinearContext:
    """Ten sets of three to five unit vectors in two or three dimensions, and a parameter of norm 0.3 to 0.7."""
    dim, actions = int(rng.integers(2, 4)), int(rng.integers(3, 6))
    vectors = rng.normal(size=(10, actions, dim))
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    theta = rng.normal(size=dim)
    return LinearContext.table(vectors, vectors @ (theta / np.linalg.norm(theta) * rng.uniform(0.3, 0.7)))


def _pareto(rng: np.random.Generator, number: int) -> Arms:
    """Two to six arms, whose laws have a moment of order 1.3 to 1.95 and hardly a higher one."""
    order = rng.uniform(0.3, 0.95)
    means = _means(rng, int(rng.integers(2, 7)), 0.1, 0.9)
    return heavy_tailed.pareto_arms(_mixed(rng, means), round(1.0 + order + 0.05, 3))


def _pareto_close(rng: np.random.Generator, number: int) -> Arms:
    """Arms whose means are close together."""
    return heavy_tailed.pareto_arms(_mixed(rng, _close(rng)), round(rng.uniform(1.5, 2.0), 3))


FAMILIES: Mapping[str, Mapping[str, Family]] = {
    "arms": ARMS,
    "lists": LISTS,
    "sets": SETS,
    "contexts": {"drawn": Family(_drawn, 3, 6)},
    "pairs": {
        "pair": Family(lambda rng, number: contextual.instances.one_set(2, gap=float(rng.uniform(0.02, 0.2))), 2, 4)
    },
    "tails": {
        "uniform": Family(_pareto, 3, 4),
        "close": Family(_pareto_close, 0, 2),
        "published": Family(lambda rng, number: heavy_tailed.setting(number + 1, 0.9), 0, 3),
    },
}
"""Generators by kind of problem."""

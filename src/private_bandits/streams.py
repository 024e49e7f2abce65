"""The random streams of a replication, all of them from one seed."""

import copy
import random
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks

__all__ = [
    "Streams",
    "streams",
]


class Streams(NamedTuple):
    """The three random streams of a replication."""

    env: np.random.Generator
    choice: np.random.Generator
    noise: np.random.Generator


def streams(seed: int, replication: int) -> Streams:
    """Return the streams of one replication; they do not depend on how many are played.

    Parameters
    ----------
    seed : int
        >= 0.
    replication : int
        >= 0.

    Returns
    -------
    Streams

    Raises
    ------
    ValueError
        If an argument is no such number.

    Examples
    --------
    >>> streams(7, 0).env.random() == streams(7, 0).env.random() != streams(7, 1).env.random()
    True
    """
    checks.integer("seed", seed, at_least=0)
    checks.integer("replication", replication, at_least=0)
    root = np.random.SeedSequence(seed, spawn_key=(replication,))
    return Streams(*(np.random.Generator(np.random.PCG64(child)) for child in root.spawn(3)))


def own_copy(thing: Any) -> Any:
    """Return a copy of a policy or a problem for one run.

    Parameters
    ----------
    thing : object

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If it holds a random stream: what it draws must be the run's, or all runs would have the same numbers.
    """
    parts: dict[int, Any] = {}
    thing = copy.deepcopy(thing, parts)
    if any(isinstance(part, np.random.Generator | np.random.RandomState | random.Random) for part in parts.values()):
        raise ValueError(f"{type(thing).__name__} must draw from the streams that it is given, got one of its own")
    return thing

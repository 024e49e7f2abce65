"""The random streams of a replication, all of them from one seed."""

from typing import NamedTuple

import numpy as np


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

    Examples
    --------
    >>> streams(7, 0).env.random() == streams(7, 0).env.random() != streams(7, 1).env.random()
    True
    """
    root = np.random.SeedSequence(seed, spawn_key=(replication,))
    return Streams(*(np.random.Generator(np.random.PCG64(child)) for child in root.spawn(3)))

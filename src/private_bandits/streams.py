"""The random streams of a replication, all of them from one seed."""

import copy
import pickle
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.parameters import parameters


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
    TypeError
        If it holds what cannot be copied.
    """
    try:
        return copy.deepcopy(thing)
    except (TypeError, RecursionError) as error:
        raise TypeError(f"{type(thing).__name__} must be copied for each run, got {checks.brief(error)}") from None


@contextmanager
def apart(*things: Any) -> Iterator[None]:
    """Refuse a run inside that changes what others share: copies are played, but not of classes and functions.

    Parameters
    ----------
    things : object
        Whose copies are played, or a class.

    Raises
    ------
    ValueError
        If one of them holds a random stream, or has changed; or if the common streams of NumPy or of Python were used.
    """
    before = [*map(parameters, things), *_common()]
    yield
    if before != [*map(parameters, things), *_common()]:
        names = " and ".join(getattr(thing, "__name__", type(thing).__name__) for thing in things)
        raise ValueError(
            f"{names} must change only what each run copies and draw from its streams, "
            "got a run that changed a class, what a function keeps, or the state of np.random or random"
        )


def _common() -> tuple[Any, ...]:
    """The states of the streams that all share, but for what other threads draw."""
    mine = threading.current_thread() is threading.main_thread()
    return (random.getstate(), pickle.dumps(np.random.get_state())) if mine else ()

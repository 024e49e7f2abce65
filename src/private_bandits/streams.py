"""The random streams of a replication, all of them from one seed."""

import copy
import pickle
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.parameters import COMMON, STREAMS, parameters

__all__ = [
    "Streams",
    "streams",
]

_THREAD = threading.local()


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
    TypeError
        If it holds what cannot be copied.
    """
    try:
        return copy.deepcopy(thing, {id(COMMON): COMMON})
    except (TypeError, RuntimeError, copy.Error) as error:
        raise ValueError(f"{type(thing).__name__} must be copied for each run, got {checks.brief(error)}") from None


def held_by(learner: Any) -> set[bytes]:
    """Return the random streams that a learner holds, as far as it can be copied.

    Parameters
    ----------
    learner : object

    Returns
    -------
    set of bytes
        Their states, and the seeds that NumPy's know, which are the same however much was drawn.
    """
    copies: dict[int, Any] = {id(COMMON): None}
    with suppress(TypeError, RuntimeError, copy.Error):
        copy.deepcopy(learner, copies)
    return {pickle.dumps(each) for each in copies.values() if isinstance(each, (*STREAMS, np.random.SeedSequence))}


@contextmanager
def apart(*things: Any) -> Iterator[None]:
    """Refuse runs inside that change what others share: copies are played, but not of classes and functions.

    Parameters
    ----------
    things : object
        Whose copies are played, or a class.

    Returns
    -------
    context manager

    Raises
    ------
    ValueError
        If one of them holds a random stream, or has changed; or if the common streams of NumPy or of Python were used.
    """
    alone = threading.current_thread() is threading.main_thread()  # what others draw is theirs
    common = (random.getstate(), COMMON.get_state()) if alone else None
    if common:
        random.random(), COMMON.random()  # or one that is sown anew may be as an earlier run has left it
    before = _shared(things, alone)
    yield
    for (what, was), (_, now) in zip(before, _shared(things, alone), strict=True):
        if was != now:
            cure = (
                "draw from choice and noise of start()"
                if what.endswith("random")
                else "keep it in what start() returns"
            )
            raise ValueError(f"a run must leave nothing to the next, got a change of {what}: {cure}")
    if common:
        random.setstate(common[0])
        COMMON.set_state(common[1])


def _shared(things: tuple[Any, ...], alone: bool) -> list[tuple[str, Any]]:
    names = (getattr(thing, "__name__", type(thing).__name__) for thing in things)
    told = [(f"what copies of {name} share", parameters(thing)) for name, thing in zip(names, things, strict=True)]
    return [*told, ("random", random.getstate()), ("np.random", pickle.dumps(COMMON))] if alone else told


@contextmanager
def used_again(source: Streams) -> Iterator[Streams]:
    """Yield streams that will give the numbers of these.

    A compiled loop that borrows what it is given never gives a generator back: few are made, and set anew.

    Parameters
    ----------
    source : Streams

    Yields
    ------
    Streams
        Until the block ends; the same ones again in the thread's next block.
    """
    idle = _THREAD.__dict__.setdefault("idle", [])
    used = idle.pop() if idle else source
    for mine, fresh in zip(used, source, strict=True):
        mine.bit_generator.state = fresh.bit_generator.state
    try:
        yield used
    finally:
        idle.append(used)

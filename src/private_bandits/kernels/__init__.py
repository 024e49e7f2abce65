"""The compiled loops, and the protocol by which `simulate` plays any of them: see `Kernel`."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, cast

import numpy as np


def by_position(added: list[np.ndarray], order: np.ndarray) -> np.ndarray:
    """Read a message of a list: what it added to each item, from the top of the list.

    What is played does not depend on the user, and so neither does who is next to whom.

    Parameters
    ----------
    added : list of array
        What a round added to the fields `Seen.messages`, each with an entry per item.
    order : int array
        The list of the round.

    Returns
    -------
    array
    """
    return np.concatenate([each[order] for each in added])


class Epochs(NamedTuple):
    """Of a loop that uses the rewards of an epoch through their sums: what it takes to give it those of a table.

    Its `State` has `clock`, which is another one in every epoch, and `means`, of the rewards of finished epochs.
    """

    running: Callable[[Any], tuple[int, np.ndarray]]  # of a state: rounds before its epoch, and the arms pulled in turn
    noiseless: Any  # the record without noise
    truncated: bool = False  # whether large rewards count as 0
    flipped: bool = False  # whether rewards of 0 and 1 are sent as the other at times


class Seen(NamedTuple):
    """What an observer sees of the runs of a record, beside the actions: fields of its kernel's `State`."""

    state: tuple[str, ...]  # what the policy reads
    messages: tuple[str, ...] = ()  # what a user's round adds to; none where no single message is to be had
    message: Callable[[list[np.ndarray], np.ndarray], np.ndarray] = by_position  # how it is read, given the list
    before: tuple[str, ...] = ()  # what is sent in clear before the first round
    reached: bool = False  # whether a message is known to pay all of the account
    unbounded: bool = False  # whether rewards may be any number >= 0, not only 0 and 1
    epochs: Epochs | None = None  # of a loop that does not play round by round


class Kernel(Protocol):
    """What a module of this package holds; that of a policy's record plays it."""

    __name__: str
    Record: type[Any]
    """A NamedTuple, the constants of a policy: numbers and arrays of fixed types, all that compiled code reads."""
    PIECE: int
    """How many rounds one call of `advance` may play; between two calls a run can be interrupted."""
    FAMILY: str
    """With which policies its own are shown, where that is not what protects them; else empty."""

    def check(self, name: str, problem: Any, record: Any, horizon: int, /) -> dict[str, float]:
        """Refuse what the record was not made for.

        Parameters
        ----------
        name : str
            Of the policy, for the message.
        problem : problem
        record : Record
        horizon : int
            Rounds of the run, >= 1.

        Returns
        -------
        dict
            What the results should say of the fit.
        """

    def start(self, problem: Any, record: Any, /) -> Any:
        """Return the state before the first round.

        Parameters
        ----------
        problem : NamedTuple
            `record()` of the problem.
        record : Record

        Returns
        -------
        State
        """

    def blank(self, problem: Any, record: Any, rounds: int, /) -> Any:
        """Return an empty trace of some rounds.

        Parameters
        ----------
        problem : problem
        record : Record
        rounds : int
            >= 0.

        Returns
        -------
        array, shape (rounds, width)
        """

    def advance(
        self,
        problem: Any,
        record: Any,
        state: Any,
        first: int,
        last: int,
        checkpoints: Any,
        regret: Any,
        trace: Any,
        env: Any,
        choice: Any,
        noise: Any,
        /,
    ) -> None:
        """Play the rounds first..last: compiled, or a call of what is.

        Parameters
        ----------
        problem : NamedTuple
            `record()` of the problem.
        record : Record
        state : State, written
            As round first - 1 left it; a run may be played in any pieces.
        first, last : int
            From 1.
        checkpoints : int64 array, increasing
        regret : float64 array, as long as `checkpoints`, written
            The pseudo-regret at those checkpoints that are among the rounds.
        trace : array of `blank`, with `horizon` rows or none, written
            Where it has rows: what was shown in each round, then the number of observed positions, or the feedback.
        env, choice, noise : numpy.random.Generator
            The streams of a replication, all that it draws from: what users do, ties and random play, privacy.
        """

    def account(self, record: Any, delta: float, /) -> tuple[float, bool]:
        """Return what one user pays by the scale, flip, terms and depth of a record, whatever its policy says.

        Parameters
        ----------
        record : Record
        delta : float
            In [0, 1).

        Returns
        -------
        float
            Epsilon at this delta, infinite where nothing is proved.
        bool
            Whether it covers what one user sends (local), not only what a box releases.
        """

    def seen(self, record: Any, /) -> Seen | None:
        """Return what an observer sees of its runs, so that `privacy.tables` can feed it rewards that are given.

        Parameters
        ----------
        record : Record

        Returns
        -------
        Seen or None
            None of a loop that takes no tables: an audit then rests on `account`.
        """


def module_of(record: Any) -> Kernel:
    """Return the kernel that plays a record: the module that defines it.

    Parameters
    ----------
    record : Record

    Returns
    -------
    Kernel
    """
    return cast(Kernel, sys.modules[type(record).__module__])

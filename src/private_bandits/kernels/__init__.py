"""The compiled loops, and the protocol by which `simulate` plays any of them: see `Kernel`."""

from typing import Any, Protocol


class Kernel(Protocol):
    """What a module of this package holds; a policy names the one that plays its record."""

    __name__: str
    Record: type[Any]
    """A NamedTuple, the constants of a policy: numbers and arrays of fixed types, all that compiled code reads."""
    PIECE: int
    """How many rounds one call of `advance` may play; between two calls a run can be interrupted."""

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

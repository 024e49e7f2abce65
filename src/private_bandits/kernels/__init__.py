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

    advance: Any
    """`advance(problem.record(), record, state, first, last, checkpoints, regret, trace, env, choice, noise)`.

    It is compiled, plays the rounds first..last, leaves the state behind them, writes the regret at the checkpoints
    among them and, where the trace has rows, what was shown, and draws from nothing but the three streams.
    """

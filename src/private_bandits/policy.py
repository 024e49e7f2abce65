"""What the library calls a policy: an algorithm with its constants filled in, and the facts about it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from private_bandits import checks, learners
from private_bandits.guarantee import Guarantee
from private_bandits.kernels import Kernel, module_of, protocol
from private_bandits.problems.lists import ListProblem
from private_bandits.shown import Shown
from private_bandits.streams import Streams, used_again

__all__ = [
    "Calibration",
    "Mechanism",
    "Player",
    "Policy",
]

# what protects: "response" is randomised response, "tree" continual counters, "uniform" play without any report
Mechanism = Literal["none", "uniform", "laplace", "gaussian", "response", "tree", "exponential"]
# how the noise was found, where there is a choice
Calibration = Literal["", "classical", "analytic", "composition"]
NOT_STATED = "not stated"
"""The privacy of a policy in Python that says nothing of it."""
_EPOCHS = 500  # rounds that cost what all epochs of a run do


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Policy(Shown):
    """An algorithm with its constants filled in, which compiled code plays.

    Attributes
    ----------
    name : str
        Short name for tables and figures; nothing is computed from it.
    paper, algorithm : str
        Citation key, and the algorithm's place in the paper; empty for one of this book.
    variant : str
        Which version of it this is, in words: what its constructor was called with as `variant`, where it takes one,
        then what else a table of algorithms names, as "printed, gaussian, classical" and "c = 4".
    chosen : str
        The part of `variant` that an argument of the constructor chose; empty where it takes none.
    privacy : Guarantee
        What is promised and what is paid.
    record : NamedTuple
        The numbers and arrays that compiled code reads: the `Record` of a module of `kernels`, which plays it.
    mechanism : Mechanism
        What protects, where epsilon is finite; "none" where nothing ever does.
    calibration : Calibration
        How the noise was found where there is a choice; else empty.
    method : str
        What the algorithm leaves open and was chosen: its learner, its steps, what is reported; else empty.

    Raises
    ------
    ValueError
        If the mechanism or the calibration is none of those listed, or the record is none of a kernel.
    """

    name: str
    paper: str = ""
    algorithm: str = ""
    variant: str = ""
    chosen: str = ""
    privacy: Guarantee
    record: NamedTuple
    mechanism: Mechanism = "none"
    calibration: Calibration = ""
    method: str = ""
    workers: ClassVar[Literal["threads", "processes"]] = "threads"

    def __post_init__(self) -> None:
        checks.choice("mechanism", self.mechanism, get_args(Mechanism))
        checks.choice("calibration", self.calibration, get_args(Calibration))
        if not hasattr(self.kernel, "advance"):
            raise ValueError(f"record must be the Record of a kernel, got {checks.brief(self.record)}")

    @property
    def kernel(self) -> Kernel:
        """The module of its record, which plays it."""
        return module_of(self.record)

    @property
    def constants(self) -> NamedTuple:
        """The record, with which it was made."""
        return self.record

    @property
    def family(self) -> str:
        """With which policies it is shown, where that is not what protects it; else empty."""
        return self.kernel.FAMILY

    def check(self, problem: Any, horizon: int) -> dict[str, float]:
        """Refuse a problem or a horizon that it was not made for.

        Parameters
        ----------
        problem : problem of the library
        horizon : int
            Rounds of the run, >= 1.

        Returns
        -------
        dict
            What the results should say of the fit, see `kernels.protocol.check_rewards`.

        Raises
        ------
        ValueError
            If they do not fit.
        """
        return dict(self.kernel.check(self.name, problem, self.record, horizon))

    def blank(self, problem: Any, rounds: int) -> np.ndarray:
        """Return an empty trace of some rounds.

        Parameters
        ----------
        problem : problem
        rounds : int
            >= 0.

        Returns
        -------
        array, shape (rounds, width)
        """
        return np.asarray(self.kernel.blank(problem, self.record, rounds))

    def play(
        self,
        problem: Any,
        horizon: int,
        checkpoints: np.ndarray,
        streams: Streams,
        trace: np.ndarray,
        stop: Sequence[bool] = (),
    ) -> np.ndarray:
        """Play a run, piece by piece.

        Parameters
        ----------
        problem : problem
            As `check` accepted it.
        horizon : int
            Rounds, >= 1.
        checkpoints : int64 array, increasing, the last one the horizon
        streams : Streams
            Of the replication.
        trace : array of `blank`, with `horizon` rows or none, written
        stop : sequence of bool
            Not empty: the run leaves off before its next piece.

        Returns
        -------
        float64 array, as long as `checkpoints`
            The pseudo-regret there.
        """
        kernel, record = self.kernel, problem.record()
        state, regret = kernel.start(record, self.record), np.zeros(len(checkpoints))
        with used_again(streams) as used:
            for first in range(1, horizon + 1, kernel.PIECE):
                if stop:
                    break
                last = min(first + kernel.PIECE - 1, horizon)
                kernel.advance(record, self.record, state, first, last, checkpoints, regret, trace, *used)
        return regret

    def account(self, delta: float) -> tuple[float, bool]:
        """Return what one user pays, as far as it is proved: see `privacy.accounts.account`.

        Parameters
        ----------
        delta : float
            In [0, 1).

        Returns
        -------
        float, bool
            Epsilon, and whether it covers what a user sends.
        """
        return self.kernel.account(self.record, delta)

    def cost(self, horizon: int) -> int:
        """Return what a run costs, in rounds that are played one by one; a loop over epochs has few.

        Parameters
        ----------
        horizon : int
            >= 1.

        Returns
        -------
        int
        """
        return min(horizon, _EPOCHS) if self.kernel.PIECE == protocol.WHOLE_RUN else horizon

    def facts(self) -> dict[str, str]:
        """Return what a table of the policy says."""
        rows = {"policy": self.name, "paper": self.paper, "algorithm": self.algorithm, "variant": self.variant}
        return rows | self.privacy.facts()

    def __str__(self) -> str:
        return f"Policy({', '.join(filter(None, [self.name, self.paper, self.algorithm, self.variant]))})"


class Player:
    """What a policy written in Python says of itself, beside `name` and `start`: a subclass states what differs.

    Attributes
    ----------
    paper, algorithm, variant, chosen, mechanism, calibration, method
        As for `Policy`.
    privacy : Guarantee or str
        As for `Policy`; or "not stated".
    horizon : int
        Longest run that it is made for; 0 for any.
    problems : tuple of types
        Kinds of problems that it plays, with rewards in [0, 1]; empty for any, with any rewards.
    """

    paper: str = ""
    algorithm: str = ""
    variant: str = ""
    chosen: str = ""
    mechanism: Mechanism = "none"
    calibration: Calibration = ""
    method: str = ""
    privacy: Guarantee | str = NOT_STATED
    horizon: int = 0
    problems: tuple[type, ...] = ()


class _InPython(Player):
    """A policy written in Python, as `simulate` and `audit` play it: with the attributes and methods of a `Policy`.

    Parameters
    ----------
    policy : object with `name` and `start(problem, choice, noise)`
        What it states it states by the names of `Player`, which has what is left out.

    Raises
    ------
    ValueError
        If a fact is of a wrong kind.
    """

    workers: ClassVar[Literal["threads", "processes"]] = "processes"

    def __init__(self, policy: Any) -> None:
        self.name, self._policy = policy.name, policy
        told = {fact: getattr(policy, fact, getattr(Player, fact)) for fact in Player.__annotations__}
        for fact in ("paper", "algorithm", "variant", "chosen", "method"):
            if not isinstance(told[fact], str):
                raise ValueError(f"{fact} of {self.name} must be text, got {checks.brief(told[fact])}")
        checks.choice(f"mechanism of {self.name}", told["mechanism"], get_args(Mechanism))
        checks.choice(f"calibration of {self.name}", told["calibration"], get_args(Calibration))
        checks.integer(f"horizon of {self.name}", told["horizon"], at_least=0)
        if not (isinstance(told["problems"], tuple) and all(isinstance(kind, type) for kind in told["problems"])):
            found = checks.brief(told["problems"])
            raise ValueError(f"problems of {self.name} must be a tuple of the kinds that it plays, got {found}")
        if not isinstance(told["privacy"], Guarantee) and told["privacy"] != NOT_STATED:
            found = checks.brief(told["privacy"])
            raise ValueError(f"privacy of {self.name} must be a Guarantee or {NOT_STATED!r}, got {found}")
        vars(self).update(told)

    @property
    def constants(self) -> Any:
        """The policy itself."""
        return self._policy

    @property
    def family(self) -> str:
        """Empty."""
        return ""

    def check(self, problem: Any, horizon: int) -> dict[str, float]:
        """Refuse what is no problem, one of a kind that it does not play, and a longer run."""
        protocol.check_horizon(self.name, horizon, self.horizon)
        if self.problems:
            protocol.check_kind(self.name, problem, self.problems, " or ".join(kind.__name__ for kind in self.problems))
            if isinstance(problem, ListProblem):
                protocol.check_rewards(self.name, problem)
        learners.check(self._policy, problem, horizon)
        return {}

    def blank(self, problem: Any, rounds: int) -> np.ndarray:
        """Return an empty trace, as the problem's kernels have it."""
        return learners.blank(problem, rounds)

    def play(
        self,
        problem: Any,
        horizon: int,
        checkpoints: np.ndarray,
        streams: Streams,
        trace: np.ndarray,
        stop: Sequence[bool] = (),
    ) -> np.ndarray:
        """Play a run of a fresh learner to its end."""
        return learners.play(problem, self._policy, horizon, checkpoints, streams, trace)

    def account(self, delta: float) -> tuple[float, bool]:
        """Return that nothing is proved: what it says of itself is a promise."""
        return math.inf, False

    def cost(self, horizon: int) -> int:
        """Return the rounds."""
        return horizon


Playable = Policy | _InPython
"""What `simulate` and `audit` ask of a policy, compiled or in Python: both have the same methods."""


def playable(policy: Any) -> Playable:
    """Return a policy as `simulate` and `audit` ask for it.

    Parameters
    ----------
    policy : Policy, or an object with `name` and `start(problem, choice, noise)`

    Returns
    -------
    Playable
        A compiled policy is one; what is written in Python is wrapped.

    Raises
    ------
    ValueError
        If it is no policy, or a fact of a `Player` is of a wrong kind.

    Examples
    --------
    >>> from private_bandits.baselines import ucb
    >>> playable(ucb()).workers
    'threads'
    """
    if isinstance(policy, Playable):
        return policy
    start = None if isinstance(policy, type) or not hasattr(policy, "name") else getattr(policy, "start", None)
    if not callable(start):
        raise ValueError(f"policy must be a Policy or have a name and start(...), got {checks.brief(policy)}")
    return _InPython(policy)


def words(*parts: str) -> str:
    """Return a variant in words.

    Parameters
    ----------
    *parts : str
        Those that are empty say nothing.

    Returns
    -------
    str

    Examples
    --------
    >>> words("printed", "", "c = 4")
    'printed, c = 4'
    """
    return ", ".join(filter(None, parts))

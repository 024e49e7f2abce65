"""What the library calls a policy: an algorithm with its constants filled in, and the facts about it."""

import importlib
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from private_bandits import checks
from private_bandits.kernels import Kernel
from private_bandits.privacy.guarantee import Guarantee
from private_bandits.shown import Shown

__all__ = [
    "Mechanism",
    "Noise",
    "Player",
    "Policy",
]

# what protects: "response" is randomised response, "tree" continual counters, "uniform" play without any report
Mechanism = Literal["none", "uniform", "laplace", "gaussian", "response", "tree", "exponential"]
# how the noise was found, where there is a choice
Noise = Literal["", "classical", "analytic", "laplace", "composition"]


@dataclass(frozen=True, eq=False, repr=False)
class Policy(Shown):
    """An algorithm with its constants filled in.

    Attributes
    ----------
    name : str
        Short name for tables and figures; nothing is computed from it.
    paper, algorithm : str
        Citation key, and the algorithm's place in the paper.
    variant : tuple of str
        Which version of it this is: what its constructor was called with as `variant`, "" where it takes none, then in
        words what else a table of algorithms names, as ("printed", "gaussian, classical") and ("", "c = 4").
    privacy : Guarantee
        What is promised and what is paid.
    kernel : Kernel
        The module of `kernels` that plays it.
    record : NamedTuple
        The numbers and arrays that compiled code reads, of the kernel's `Record`.
    mechanism : Mechanism
        What protects, where epsilon is finite; "none" where nothing ever does.
    noise : Noise
        How the noise was found where there is a choice; else empty.
    method : str
        What the algorithm leaves open and was chosen: its learner, its steps, what is reported; else empty.

    Raises
    ------
    ValueError
        If the mechanism or the noise is none of those listed.
    TypeError
        If the record is not one of the kernel.
    """

    name: str
    paper: str
    algorithm: str
    variant: tuple[str, ...]
    privacy: Guarantee
    kernel: Kernel
    record: NamedTuple
    mechanism: Mechanism = "none"
    noise: Noise = ""
    method: str = ""

    def __post_init__(self) -> None:
        checks.choice("mechanism", self.mechanism, get_args(Mechanism))
        checks.choice("noise", self.noise, get_args(Noise))
        if not isinstance(self.record, self.kernel.Record):
            raise TypeError(f"record must be a Record of {self.kernel.__name__}, got {checks.brief(self.record)}")

    @property
    def version(self) -> str:
        """The variant in words."""
        return ", ".join(filter(None, self.variant))

    def facts(self) -> dict[str, str]:
        """Return what a table of the policy says."""
        rows = {"policy": self.name, "paper": self.paper, "algorithm": self.algorithm, "variant": self.version}
        return rows | self.privacy.facts()

    def __str__(self) -> str:
        return f"Policy({', '.join(filter(None, [self.name, self.paper, self.algorithm, self.version]))})"

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the kernel by its name: a module has no other way to another process."""
        return vars(self) | {"kernel": self.kernel.__name__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Import the kernel where the policy is unpickled."""
        vars(self).update(state, kernel=importlib.import_module(state["kernel"]))


class Player:
    """What `simulate` may know of a policy written in Python, beside `name` and `start`: a subclass says what differs.

    Attributes
    ----------
    paper, algorithm, version, privacy
        As for `Policy`.
    horizon : int
        Longest run that it is made for; 0 for any.
    """

    paper: str = ""
    algorithm: str = ""
    version: str = ""
    privacy: Guarantee | str = "not stated"
    horizon: int = 0

    @property
    def mechanism(self) -> str:
        """What protects, as for `Policy`."""
        return "none"

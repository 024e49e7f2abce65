"""What the library calls a policy: an algorithm with its constants filled in, and the facts about it."""

from dataclasses import dataclass
from typing import NamedTuple

from private_bandits.privacy.guarantee import Guarantee


@dataclass(frozen=True, eq=False)
class Policy:
    """An algorithm with its constants filled in.

    Attributes
    ----------
    name : str
        Short name for tables and figures; nothing is computed from it.
    paper, algorithm : str
        Citation key, and the algorithm's place in the paper.
    variant : str
        Which version of it this is, as its constructor was called with; empty where the constructor has one only.
    privacy : Guarantee
        What is promised and what is paid.
    record : NamedTuple
        The numbers and arrays that compiled code reads.
    mechanism : str
        What protects: "laplace", "gaussian", "response" (randomised response), "tree" (continual counters),
        "exponential" or "uniform" (play that nobody's reports enter); "none" wherever nothing does.
    noise : str
        How the noise was found where there is a choice: "classical", "analytic", "laplace", "composition"; else empty,
        as it is wherever nothing protects.
    method : str
        What the algorithm leaves open and was chosen: its learner, its steps, what is reported; else empty.
    family : str
        The algorithms that it is shown with, by one colour; by default the mechanism that it was made with, which a
        policy keeps at epsilon = infinity, where it has none.
    options : str
        In words, what else a table of algorithms names: "gaussian, classical", "published", "c = 4"; else empty.
    """

    name: str
    paper: str
    algorithm: str
    variant: str
    privacy: Guarantee
    record: NamedTuple
    mechanism: str = "none"
    noise: str = ""
    method: str = ""
    family: str = ""
    options: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", self.family or self.mechanism)
        if self.privacy == Guarantee.none():
            object.__setattr__(self, "mechanism", "none")
            object.__setattr__(self, "noise", "")

    @property
    def version(self) -> str:
        """The variant and its options, as a table of algorithms names them."""
        return ", ".join(filter(None, (self.variant, self.options)))


class Player:
    """What `simulate` may know of a policy written in Python, beside `name` and `start`: a subclass says what differs.

    Attributes
    ----------
    paper, algorithm, version, privacy
        As for `Policy`.
    points : {1, 2}
        How many points of a ConvexLoss it plays in a round.
    """

    paper: str = ""
    algorithm: str = ""
    version: str = ""
    privacy: Guarantee | str = "not stated"
    points: int = 1

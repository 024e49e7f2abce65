"""What the library calls a policy: an algorithm with its constants filled in, and the facts about it."""

from __future__ import annotations

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
    paper, algorithm, variant : str
        Citation key, the algorithm's place in the paper, and which version of it this is.
    privacy : Guarantee
        What is promised and what is paid.
    record : NamedTuple
        The numbers and arrays that compiled code reads.
    mechanism : str
        Family of what protects: "none", "uniform" (random play), "laplace", "gaussian", "composition" (Laplace noise by
        advanced composition), "response" (randomised response), "tree" (continual counters) or "elimination".
    noise : str
        How the noise was found where there is a choice: "classical", "analytic", "laplace"; else empty.
    method : str
        What else was chosen, such as the sensitivity that the noise was calibrated for; else empty.
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

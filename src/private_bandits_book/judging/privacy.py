"""Whether an algorithm has the privacy that it states."""

from __future__ import annotations

import math
from dataclasses import dataclass

from private_bandits import checks
from private_bandits_book.judging.rulings import Ruling, measurement, ruling
from private_bandits_book.judging.verdicts import EXACT, NOT_REPRODUCED, REPRODUCED, UNDECIDED


@dataclass(frozen=True)
class Privacy:
    """An algorithm is (`epsilon`, `delta`)-private, by its exact loss, an enumeration, an accounting or an audit.

    Attributes
    ----------
    epsilon : float
        What is stated, > 0.
    delta : float
        In [0, 1).
    evidence : str
        The kind of evidence of the loss that is judged.

    Examples
    --------
    >>> Privacy(1.0)(math.inf).verdict, Privacy(1.0)(0.9).verdict, Privacy(1.0)(None).verdict
    ('not reproduced', 'reproduced', 'undecided')
    """

    epsilon: float
    delta: float = 0.0
    evidence: str = EXACT

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, above=0)
        checks.real("delta", self.delta, at_least=0, below=1)

    def __call__(self, loss: float | None, at_least: bool = False) -> Ruling:
        """Judge the privacy loss of everything that is released, or its lower end; None where it is not certified."""
        seen = measurement(loss)
        if math.isnan(seen.measured):
            return ruling(UNDECIDED, "the privacy loss is not certified at these parameters", seen, self.evidence)
        end = "is at least" if at_least else "is"
        has = "has no bound" if math.isinf(seen.measured) else f"{end} {seen.measured:.4g}"
        at = f" at delta = {self.delta:.3g}" if self.delta else ""
        kept = seen.measured <= self.epsilon * (1 + 1e-9)
        said = f"the privacy loss {has}{at}; stated is epsilon = {self.epsilon:.4g}"
        proved = UNDECIDED if at_least else REPRODUCED
        return ruling(proved if kept else NOT_REPRODUCED, said, seen, self.evidence)

"""Every rule that judges a claim of Basu et al. (2019).

Statements about definitions, lemmas and bounds are decided by exact numbers on the grid `GRID` of epsilons, whatever
the chapter's parameters are; what needs a simulation follows them.
"""

from private_bandits_book.definitions.rules import conclusions, protection, theorems
from private_bandits_book.definitions.rules.common import GRID, rules

__all__ = ["GRID", "conclusions", "protection", "rules", "theorems"]

"""Every rule that judges a claim of Basu et al. (2019).

Statements about definitions, lemmas and bounds are decided by exact numbers on the grid `GRID` of epsilons, whatever
the chapter's parameters are. No run decides one: the bounds are lower ones, on every algorithm, and what some lose
above them proves nothing. One reading is "as printed": the statement in the main text; what is proved or used elsewhere
has a row of its own. Rewards are in [0, 1], as the corollaries say, so that no gap exceeds 1.
"""

from private_bandits_book.definitions.rules import conclusions, protection, theorems
from private_bandits_book.definitions.rules.common import GRID, rules

__all__ = ["GRID", "conclusions", "protection", "rules", "theorems"]

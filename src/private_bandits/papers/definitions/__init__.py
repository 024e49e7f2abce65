"""Basu, Dimitrakakis, Tossou (2019), *Privacy in Multi-armed Bandits: Fundamental Definitions and Lower Bounds*.

`bounds` has what the paper states, with its corollaries and Theorem 5 of its appendix; `replacements` what holds in its
place, and `factor` what privacy multiplies minimax regret by.
"""

from private_bandits.papers.definitions import bounds, factor, replacements

__all__ = ["bounds", "factor", "replacements"]

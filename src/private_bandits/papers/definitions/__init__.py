"""Basu, Dimitrakakis, Tossou (2019), *Privacy in Multi-armed Bandits: Fundamental Definitions and Lower Bounds*.

`bounds` has what the paper states, with its corollaries and Theorem 5 of its appendix; `replacements` what holds in its
place, and `factor` what privacy multiplies minimax regret by. The policies are those of the proofs, written in Python;
`finite_policies` has the small ones whose privacy loss is enumerated, which tell the definitions apart.
"""

from private_bandits.papers.definitions import bounds, factor, finite_policies, replacements
from private_bandits.papers.definitions.theorem_a import eliminate_and_replay, elimination
from private_bandits.papers.definitions.theorem_c import on_responses, to_the_middle

__all__ = [
    "bounds",
    "eliminate_and_replay",
    "elimination",
    "factor",
    "finite_policies",
    "on_responses",
    "replacements",
    "to_the_middle",
]

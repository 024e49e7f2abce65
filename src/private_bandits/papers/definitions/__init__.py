"""Basu, Dimitrakakis, Tossou (2019), *Privacy in Multi-armed Bandits: Fundamental Definitions and Lower Bounds*.

The corollaries of the paper, and Theorem 5 of its appendix, are in `bounds`.
"""

from private_bandits.papers.definitions.bounds import theorem_1, theorem_2, theorem_3, theorem_4
from private_bandits.papers.definitions.factor import central_upper, theorem_a, theorem_a_excess, theorem_c
from private_bandits.papers.definitions.replacements import (
    asoodeh_zhang,
    azize_basu,
    central_lower,
    central_minimax,
    contraction,
    lai_robbins,
    local_lower,
    local_minimax,
    minimax,
    theorem_b,
)

__all__ = [
    "asoodeh_zhang", "azize_basu", "central_lower", "central_minimax", "central_upper",
    "contraction", "lai_robbins", "local_lower", "local_minimax", "minimax", "theorem_1", "theorem_2", "theorem_3",
    "theorem_4", "theorem_a", "theorem_a_excess", "theorem_b", "theorem_c",
]  # fmt: skip

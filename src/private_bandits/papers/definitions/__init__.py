"""Basu, Dimitrakakis, Tossou (2019), *Privacy in Multi-armed Bandits: Fundamental Definitions and Lower Bounds*."""

from private_bandits.papers.definitions.bounds import (
    corollary_1,
    corollary_2,
    corollary_3,
    theorem_1,
    theorem_2,
    theorem_3,
    theorem_4,
    theorem_5,
)
from private_bandits.papers.definitions.replacements import (
    azize_basu,
    azize_basu_minimax,
    central_lower,
    central_minimax,
    lai_robbins,
    local_lower,
    local_minimax,
    minimax,
)

__all__ = [
    "azize_basu",
    "azize_basu_minimax",
    "central_lower",
    "central_minimax",
    "corollary_1",
    "corollary_2",
    "corollary_3",
    "lai_robbins",
    "local_lower",
    "local_minimax",
    "minimax",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "theorem_4",
    "theorem_5",
]

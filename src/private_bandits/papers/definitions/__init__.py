"""Basu, Dimitrakakis, Tossou (2019), *Privacy in Multi-armed Bandits: Fundamental Definitions and Lower Bounds*."""

from typing import Any

from private_bandits import checks
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
from private_bandits.papers.definitions.experiments import long_studies
from private_bandits.papers.definitions.lemmas import lemma_1, lemma_2
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
    "lemma_1",
    "lemma_2",
    "local_lower",
    "local_minimax",
    "long_studies",
    "minimax",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "theorem_4",
    "theorem_5",
]


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    checks.integer("n_arms", values["n_arms"], at_least=2, at_most=100)
    checks.integer("exact_horizon", values["exact_horizon"], at_least=2, at_most=5)
    checks.real("exact_epsilon", values["exact_epsilon"], above=0, at_most=20)
    checks.integer("guesses", values["guesses"], at_least=1, at_most=10_000_000)

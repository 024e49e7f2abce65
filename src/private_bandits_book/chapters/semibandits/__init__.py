"""The chapter on Chen et al. (2020), *(Locally) Differentially Private Combinatorial Semi-Bandits*."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    checks.integer("n_arms", values["n_arms"], at_least=2, at_most=16)
    checks.integer("list_size", values["list_size"], at_least=1, at_most=values["n_arms"] - 1)
    checks.real("gap", values["gap"], above=0, at_most=0.5)
    few(values, 3, "epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.semibandits.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

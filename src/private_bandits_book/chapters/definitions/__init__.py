"""The chapter on Basu, Dimitrakakis, Tossou (2019), *Privacy in Multi-armed Bandits*."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks

__all__ = ["check_parameters", "long_studies"]


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    checks.integer("n_arms", values["n_arms"], at_least=2, at_most=100)
    checks.integer("exact_horizon", values["exact_horizon"], at_least=2, at_most=5)
    checks.real("exact_epsilon", values["exact_epsilon"], above=0, at_most=20)


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.definitions.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

"""The chapter on convex losses, the first half of Zheng et al. (2020)."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few

__all__ = ["check_parameters", "long_studies"]


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_most=10_000_000)
    few(values, 4, "epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.convex.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

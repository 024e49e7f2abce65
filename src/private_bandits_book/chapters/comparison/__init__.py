"""The page that runs all algorithms of the book against each other. It makes no claim of a paper."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few

_LONGEST = 9 * 10**15  # as far as sums of rewards and of noise are drawn exactly enough: below 2^53


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_least=100, at_most=10**8)
    checks.integer("long_horizon", values["long_horizon"], at_least=10**4, at_most=_LONGEST)
    few(values, 8, "epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.comparison.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

"""The page that says which algorithm to take: a benchmark. It makes no claim of a paper."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few

_RANKED = (0.1, 1.0, 10.0)


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_least=100, at_most=10**6)
    if values["epsilon"] not in _RANKED:
        raise ValueError(f"epsilon must be one of {', '.join(map(str, _RANKED))}, got {values['epsilon']:g}")
    few(values, 4, "epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.comparison.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

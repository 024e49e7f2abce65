"""The chapter on Tao et al. (2022), heavy-tailed bandits under differential privacy."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few

__all__ = ["check_parameters", "long_studies"]

_SHORTEST, _LONGEST = 100, 9 * 10**15  # of runs that are bracketed; as far as sums are drawn exactly enough, below 2^53


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_least=_SHORTEST, at_most=_LONGEST)
    few(values, 2, "vs")
    few(values, 4, "epsilons", "local_epsilons")
    few(values, 20, "price_epsilons")
    for epsilon in values["price_epsilons"]:
        checks.real("price_epsilons", epsilon, at_most=1)
    for v in values["vs"]:
        checks.real("vs", v, above=0, at_most=1)
    checks.real("beta", values["beta"], above=0, below=1)
    checks.real("spare_shape", values["spare_shape"], above=0)


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.heavy_tailed.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

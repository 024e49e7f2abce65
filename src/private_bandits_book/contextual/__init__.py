"""The chapter on Zheng et al. (2020), *Locally Differentially Private (Contextual) Bandits Learning*."""

from collections.abc import Callable
from functools import partial
from typing import Any

from private_bandits import checks
from private_bandits_book.chapters.parameters import few


def long_studies() -> dict[str, Callable[..., Any]]:
    """The longer studies behind Table 1, by the name of their file: `long-convex.csv` and the like."""
    from private_bandits_book.contextual import sweeps
    from private_bandits_book.studies import long_study

    return {label: long_study(label, partial(sweeps.long_runs, label)) for label in sweeps.STUDIES}


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_most=10_000_000)
    few(values, 4, "epsilons", "digit_epsilons", "dims")
    for dim in values["dims"]:
        checks.integer("dims", dim, at_least=2, at_most=20)
    checks.real("bonus_factor", values["bonus_factor"], above=0, at_most=1)

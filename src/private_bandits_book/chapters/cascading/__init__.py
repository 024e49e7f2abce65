"""The chapter on Wang et al. (2021), *Cascading Bandit under Differential Privacy*."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few

__all__ = ["check_parameters", "long_studies"]


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    n_arms, size = values["n_arms"], values["list_size"]
    checks.integer("list_size", size, at_most=n_arms - 1)
    checks.real("gap", values["gap"], below=values["p"])
    for other in values["list_sizes"]:
        checks.integer("list_sizes", other, at_least=1, at_most=n_arms - 1)
    for count in values["arm_counts"]:
        checks.integer("arm_counts", count, at_least=size + 1)
    few(values, 4, "epsilons", "central_epsilons", "arm_counts", "list_sizes")
    few(values, 2, "cucb_epsilons")
    few(values, 20, "sweep_epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.cascading.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

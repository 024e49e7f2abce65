"""The chapter on Wang et al. (2021), *Cascading Bandit under Differential Privacy*."""

from collections.abc import Callable
from typing import Any

from private_bandits_book.parameters import few

__all__ = ["check_parameters", "long_studies"]


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    n_arms, size = values["n_arms"], values["list_size"]
    if size >= n_arms:
        raise ValueError(f"list_size must be below n_arms, got list_size={size} and n_arms={n_arms}")
    if values["gap"] >= values["p"]:
        raise ValueError(f"gap must be below p, got gap={values['gap']:g} and p={values['p']:g}")
    if max(values["list_sizes"]) >= n_arms:
        raise ValueError(f"list_sizes must be below n_arms, got list_sizes={values['list_sizes']} and n_arms={n_arms}")
    if min(values["arm_counts"]) <= size:
        raise ValueError(
            f"arm_counts must be above list_size, got arm_counts={values['arm_counts']} and list_size={size}"
        )
    few(values, 4, "epsilons", "central_epsilons", "arm_counts", "list_sizes")
    few(values, 2, "cucb_epsilons")
    few(values, 20, "sweep_epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.cascading.studies import STUDIES
    from private_bandits_book.studies import long_study

    return {label: long_study(label, study) for label, study in STUDIES.items()}

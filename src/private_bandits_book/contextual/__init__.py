"""The chapter on Zheng et al. (2020), *Locally Differentially Private (Contextual) Bandits Learning*."""

from collections.abc import Callable
from functools import partial
from typing import Any

from private_bandits import checks

__all__ = ["check_parameters", "long_studies"]


def long_studies() -> dict[str, Callable[..., Any]]:
    """The longer studies behind Table 1, by the name of their file: `long-convex.csv` and `long-linear.csv`."""
    from private_bandits_book.contextual import sweeps

    return {label: partial(sweeps.play, label) for label in ("convex", "linear")}


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_most=10_000_000)
    for name in ("epsilons", "digit_epsilons", "dims"):
        if len(values[name]) > 4:
            raise ValueError(f"{name} must have at most 4 values, got {values[name]!r}")
    if len(set(values["dims"])) < len(values["dims"]):
        raise ValueError(f"dims must not repeat a value, got {values['dims']!r}")
    for dim in values["dims"]:
        checks.integer("dims", dim, at_least=2, at_most=20)
    checks.real("bonus_factor", values["bonus_factor"], above=0, at_most=1)

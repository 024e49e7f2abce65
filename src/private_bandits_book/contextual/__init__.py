"""The chapter on Zheng et al. (2020), *Locally Differentially Private (Contextual) Bandits Learning*."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from private_bandits import checks

__all__ = ["check_parameters", "long_studies"]


def long_studies() -> dict[str, Callable[..., pd.DataFrame]]:
    """The longer studies behind Table 1, by the name of their file: `long-convex.csv` and `long-linear.csv`."""
    # not above: the digits need scikit-learn, which takes a second to load
    from private_bandits_book.contextual import convex_rates, linear_rates
    from private_bandits_book.studies import long_study

    return {"convex": convex_rates.long_study, "linear": long_study("linear", linear_rates.long_runs)}


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

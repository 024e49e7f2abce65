"""The chapter on Tao et al. (2022), heavy-tailed bandits under differential privacy."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.chapters.parameters import few

_LONGEST = 9 * 10**15  # as far as sums of rewards and of noise are drawn exactly enough: below 2^53


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter are out of range."""
    checks.integer("horizon", values["horizon"], at_most=_LONGEST)
    checks.integer("exact_horizon", values["exact_horizon"], at_most=10**8)
    few(values, 4, "vs", "epsilons", "local_epsilons")
    for v in values["vs"]:
        checks.real("vs", v, above=0, at_most=1)
    checks.real("beta", values["beta"], above=0, below=1)
    for name in ("spare_shape", "u_over_moment", "small_c", "small_local_c", "small_radius"):
        checks.real(name, values[name], above=0)


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name: this chapter has none."""
    return {}

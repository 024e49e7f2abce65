"""The chapter on the auditor: what every algorithm of the book pays, and how good the auditor is."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the chapter do not fit each other."""
    checks.integer("runs", values["runs"], at_least=400, at_most=1_000_000)
    checks.integer("horizon", values["horizon"], at_least=2, at_most=500)
    checks.integer("exact_horizon", values["exact_horizon"], at_least=2, at_most=120)


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.audit.reliability import long_reliability

    return {"reliability": long_reliability}

"""The page on the auditor: what every algorithm of the book really has for privacy, and how good the auditor is."""

from collections.abc import Callable
from typing import Any

from private_bandits import checks
from private_bandits_book.parameters import few

__all__ = ["check_parameters", "long_studies"]


def check_parameters(**values: Any) -> None:
    """Raise a ValueError if the parameters of the page do not fit each other."""
    checks.integer("runs", values["runs"], at_least=400, at_most=1_000_000)
    checks.integer("horizon", values["horizon"], at_least=2, at_most=500)
    few(values, 3, "epsilons")


def long_studies() -> dict[str, Callable[..., Any]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    from private_bandits_book.chapters.audit.studies import reliability, table, views

    return {"table": table, "reliability": reliability, "views": views}

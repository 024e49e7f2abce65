"""Names that left the library for the companion: for this version they are still found, with a `DeprecationWarning`."""

from __future__ import annotations

import pkgutil
import sys
import warnings
from types import SimpleNamespace
from typing import Any

MOVED = {
    "private_bandits.chapters": "Chapter book execute ledger page parameters render reproduce run",
    "private_bandits.figures": "power",
    "private_bandits.papers.contextual.evidence": "Evidence",
    "private_bandits.papers.cascading": "check_parameters long_studies claims experiments pictures tables",
    "private_bandits.papers.contextual": "check_parameters long_studies claims convex_rates convex_study joint "
    "linear_pictures linear_rates linear_study pictures rate_pictures tables",
    "private_bandits.papers.definitions": "check_parameters long_studies lemma_1 lemma_2 claims discussion "
    "divergences experiments inference lemmas pictures summary tables",
    "private_bandits.papers.heavy_tailed": "check_parameters claims coverage experiments headline pictures "
    "rates tables",
    "private_bandits.papers.semibandits": "check_parameters long_studies claims experiments pictures studies tables",
}
"""The former names of each package: those that were public, and the modules that the chapters of saved runs import."""

_DEEPER = {"Chapter": "saved.Chapter", "lemma_1": "lemmas.lemma_1", "lemma_2": "lemmas.lemma_2"}


def forward(package: str) -> None:
    """Let a package find its `MOVED` names in the companion's package of the same name.

    The module's `__getattr__` is set from here, where a type checker does not see it, or any name would pass.
    """
    home = package.replace("private_bandits.papers", "private_bandits").replace(
        "private_bandits", "private_bandits_book"
    )

    def find(name: str) -> Any:
        if name not in MOVED[package].split():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        place = f"{home}.{_DEEPER.get(name, name)}"
        warnings.warn(f"{package}.{name} is {place} now", DeprecationWarning, stacklevel=2)
        try:
            return pkgutil.resolve_name(place)
        except (ImportError, AttributeError):
            return SimpleNamespace()  # a saved run imports it, and its Chapter sees to it that it is not used

    vars(sys.modules[package])["__getattr__"] = find

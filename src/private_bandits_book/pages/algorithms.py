"""Every algorithm of the book: where it stands in its paper and in the library, what it promises and what it pays."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from private_bandits import papers
from private_bandits.policy import Playable, playable
from private_bandits.privacy import Guarantee

_ROOMS = (*(f"papers.{room.name}" for room in pkgutil.iter_modules(papers.__path__) if room.ispkg), "baselines")
COLUMNS = ("paper", "algorithm", "variant", "options", "policy", "trust", "promised", "pays", "file")


def listed(epsilon: float = 1.0, delta: float = 1e-3) -> Iterator[tuple[str, Playable]]:
    """Yield every algorithm and variant with its file, below `src/private_bandits`, at small sizes.

    Raises
    ------
    ValueError
        If one does not state its privacy, as a policy in Python may.
    """
    for room in _ROOMS:
        listing = vars(importlib.import_module(f"private_bandits.{room}")).get("algorithms")
        for module, policy in listing(epsilon, delta=delta) if listing else ():
            known = playable(policy)
            if not isinstance(known.privacy, Guarantee):
                raise ValueError(f"privacy of {known.name} must be a Guarantee to be listed, got {known.privacy!r}")
            yield f"{room.replace('.', '/')}/{module}.py", known


def rows(epsilon: float = 1.0, delta: float = 1e-3) -> Iterator[tuple[str, ...]]:
    """Yield the row of every algorithm, with the columns `COLUMNS`."""
    for file, policy in listed(epsilon, delta):
        privacy: Any = policy.privacy
        options = policy.variant.removeprefix(policy.chosen).removeprefix(", ")
        facts = policy.paper or "ours", policy.algorithm, policy.chosen, options, policy.name, privacy.trust
        pays = _pair(privacy.effective_epsilon, privacy.effective_delta)
        yield *(fact or "-" for fact in facts), _pair(privacy.epsilon, privacy.delta), pays, file


def _pair(epsilon: float | None, delta: float | None) -> str:
    if epsilon is None:
        return "not certified"
    return f"{epsilon:.4g}" + (f", {delta:g}" if delta else "")

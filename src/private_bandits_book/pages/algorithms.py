"""Every algorithm of the book: where it stands in its paper and in the library, what it promises and what it pays."""

import importlib
import pkgutil
from collections.abc import Iterator

from private_bandits import papers
from private_bandits.policy import Policy

_ROOMS = (*(f"papers.{room.name}" for room in pkgutil.iter_modules(papers.__path__) if room.ispkg), "baselines")
COLUMNS = ("paper", "algorithm", "variant", "options", "policy", "trust", "promised", "pays", "file")


def listed(epsilon: float = 1.0, delta: float = 1e-3) -> Iterator[tuple[str, Policy]]:
    """Yield every algorithm and variant with its file, below `src/private_bandits`, at small sizes."""
    for room in _ROOMS:
        listing = vars(importlib.import_module(f"private_bandits.{room}")).get("algorithms")
        for module, policy in listing(epsilon, delta=delta) if listing else ():
            yield f"{room.replace('.', '/')}/{module}.py", policy


def rows(epsilon: float = 1.0, delta: float = 1e-3) -> Iterator[tuple[str, ...]]:
    """Yield the row of every algorithm, with the columns `COLUMNS`."""
    for file, policy in listed(epsilon, delta):
        privacy = policy.privacy
        options = policy.variant.removeprefix(policy.chosen).removeprefix(", ")
        facts = policy.paper or "ours", policy.algorithm, policy.chosen, options, policy.name, privacy.trust
        pays = _pair(privacy.effective_epsilon, privacy.effective_delta)
        yield *(fact or "-" for fact in facts), _pair(privacy.epsilon, privacy.delta), pays, file


def _pair(epsilon: float | None, delta: float | None) -> str:
    if epsilon is None:
        return "not certified"
    return f"{epsilon:.4g}" + (f", {delta:g}" if delta else "")

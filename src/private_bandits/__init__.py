"""Private Bandits: a reproducible companion to five papers on what privacy costs a bandit learner."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from private_bandits.baselines import replay
    from private_bandits.policy import Player, Policy
    from private_bandits.policy_checks import check_policy
    from private_bandits.privacy.audit import audit
    from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem, SemiBandit
    from private_bandits.simulation import simulate, trace

__all__ = [
    "Arms",
    "Cascade",
    "ConvexLoss",
    "LinearContext",
    "Player",
    "Policy",
    "Problem",
    "SemiBandit",
    "audit",
    "check_policy",
    "replay",
    "simulate",
    "trace",
]
__version__ = "0.4.0"

_ROOMS = {
    "baselines": ("replay",),
    "policy": ("Player", "Policy"),
    "policy_checks": ("check_policy",),
    "privacy": ("audit",),
    "problems": ("Arms", "Cascade", "ConvexLoss", "LinearContext", "Problem", "SemiBandit"),
    "simulation": ("simulate", "trace"),
}
_PLACES = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import what is asked for: the command line needs none of it."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

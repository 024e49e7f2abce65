"""What the kernels' halves of the protocol share: the length of a piece, an empty trace, checks of the problem."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

PIECE = 1 << 20
"""Rounds between two chances to interrupt a run, for a kernel that plays them one by one: about a second."""
WHOLE_RUN = 1 << 62
"""Of a kernel whose loop runs over epochs, however long they are."""


def blank(problem: Any, record: Any, rounds: int) -> np.ndarray:
    """Return an empty trace of some rounds: the list of each and the number of observed positions.

    Parameters
    ----------
    problem : Arms, Cascade, LinearContext or SemiBandit
    record : Record
    rounds : int
        >= 0.

    Returns
    -------
    int64 array, shape (rounds, list_size + 1)
    """
    return np.zeros((rounds, problem.list_size + 1), np.int64)


def check_kind(name: str, problem: Any, kinds: type | tuple[type, ...], words: str) -> None:
    """Raise a ValueError unless the problem is of a kind that the policy called `name` can play, `words` in words."""
    if not isinstance(problem, kinds):
        raise ValueError(f"{name} needs {words}, got {problem}")


def check_horizon(name: str, horizon: int, longest: int) -> None:
    """Raise a ValueError if a run is longer than what a policy was calibrated for; 0 fits any run."""
    if longest and horizon > longest:
        raise ValueError(f"horizon must be <= {longest}, for which {name} was calibrated, got {horizon}")


def check_size(name: str, what: str, wanted: int, actual: int) -> None:
    """Raise a ValueError if a policy was calibrated for another number, such as `what` = "n_items"; 0 fits any."""
    if wanted not in (0, actual):
        raise ValueError(f"{name} was calibrated for {what}={wanted}, the problem has {actual}")


def check_rewards(name: str, problem: Any, v: float = 0.0, u: float = 0.0) -> dict[str, float]:
    """Raise a ValueError if a policy counts on bounded rewards or a finite moment that a list problem has not.

    Parameters
    ----------
    name : str
        Of the policy.
    problem : Arms, Cascade or SemiBandit
    v : float
        The policy takes the (1 + v)-th moment of a reward to be finite; 0: rewards to be in [0, 1].
    u : float
        What it takes for that moment's bound. One below the true moment is allowed.

    Returns
    -------
    dict
        Where rewards have no bound v, u and the true moment, to stand side by side in the results.
    """
    if problem.record().shape == 0.0:
        return {}
    if v == 0.0:
        raise ValueError(f"rewards must be in [0, 1] for {name}, got {problem}")
    moment = problem.moment(v)
    if math.isinf(moment):
        raise ValueError(f"the moment of order {1.0 + v:g} must be finite for {name}, got {problem}")
    return {"v": float(v), "u": float(u), "moment": moment}

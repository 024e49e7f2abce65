"""What the kernels share of their protocol: the length of a piece, the trace, checkpoints, checks of the problem."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.problems import Arms, Cascade

PIECE = 1 << 20
"""Rounds between two chances to interrupt a run, for a kernel that plays them one by one: about a second."""
WHOLE_RUN = 1 << 62
"""Of a kernel whose loop runs over epochs, however long they are."""
FAMILY = ""
"""Of a kernel whose policies are shown with those that the same mechanism protects."""


def unseen(record: Any) -> None:
    """Return nothing: of a loop that takes no tables.

    Parameters
    ----------
    record : Record
    """


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


@compiled(borrows=True)
def lower_bound(values, least):
    """Find the first value that is not below another; `np.searchsorted` takes half a second to compile.

    Parameters
    ----------
    values : array, in order, as the checkpoints of a run
    least : number
        As the round that comes next.

    Returns
    -------
    int
        Its place, that behind the last value if there is none.
    """
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@compiled(borrows=True)
def write_round(trace, t, order, observed):
    """Fill in a row of the trace.

    Parameters
    ----------
    trace : int64 array, shape (horizon, list_size + 1), written
    t, order, observed
        As in `record_round`.
    """
    for position in range(len(order)):
        trace[t - 1, position] = order[position]
    trace[t - 1, len(order)] = observed


@compiled(inline="always")
def record_round(t, order, observed, total, mark, checkpoints, regret, trace):
    """Fill in the regret, if the round is a checkpoint, and its row of the trace.

    Parameters
    ----------
    t : int
        The round, >= 1.
    order : int64 array, shape (list_size,)
        The list.
    observed : int
        How many of its positions were observed.
    total : float
        The pseudo-regret after the round.
    mark : int
        Number of the next checkpoint.
    checkpoints, regret, trace
        As in a kernel's `advance`.

    Returns
    -------
    int
        Number of the next checkpoint.
    """
    if len(trace) > 0:
        write_round(trace, t, order, observed)
    if mark < len(checkpoints) and checkpoints[mark] == t:
        regret[mark] = total
        mark += 1
    return mark


def check_kind(name: str, problem: Any, kinds: type | tuple[type, ...], words: str) -> None:
    """Refuse a problem of a kind that a policy cannot play.

    Parameters
    ----------
    name : str
        Of the policy.
    problem : object
    kinds : type or tuple of types
        What it can play.
    words : str
        These kinds in words.

    Raises
    ------
    ValueError
        If the problem is of none of the kinds.
    """
    if not isinstance(problem, kinds):
        raise ValueError(f"problem: {name} needs {words}, got {checks.brief(problem)}")


def check_horizon(name: str, horizon: int, longest: int) -> None:
    """Refuse a run longer than what a policy was calibrated for.

    Parameters
    ----------
    name : str
        Of the policy.
    horizon : int
        Rounds of the run, >= 1.
    longest : int
        0 fits any run.

    Raises
    ------
    ValueError
        If the run is longer.
    """
    if longest > checks.ROUNDS:
        raise ValueError(f"horizon of {name} must be <= {checks.ROUNDS} to be played, got {checks.brief(longest)}")
    if longest and horizon > longest:
        raise ValueError(f"horizon must be <= {longest}, for which {name} was calibrated, got {horizon}")


def check_size(name: str, what: str, wanted: int, actual: int) -> None:
    """Refuse a problem of another size than a policy was calibrated for.

    Parameters
    ----------
    name : str
        Of the policy.
    what : str
        Which size, such as "n_arms".
    wanted : int
        0 fits any problem.
    actual : int
        Of the problem.

    Raises
    ------
    ValueError
        If they differ.
    """
    if wanted not in (0, actual):
        raise ValueError(f"{name} was calibrated for {what}={wanted}, the problem has {actual}")


def check_cascade(name: str, problem: Any, record: Any, horizon: int) -> dict[str, float]:
    """Refuse problems that are no cascades, or of another list size.

    Parameters
    ----------
    name : str
        Of the policy, for the message.
    problem : Cascade
    record : Record
        Of a kernel, with `list_size`.
    horizon : int
        Rounds of the run, >= 1.

    Returns
    -------
    dict
        Empty: there is nothing to say beside the results.

    Raises
    ------
    ValueError
        If the record was made for another problem.
    """
    check_kind(name, problem, Cascade, "a Cascade")
    check_size(name, "list_size", record.list_size, problem.list_size)
    return {}


def check_arms(name: str, problem: Any, record: Any, horizon: int) -> dict[str, float]:
    """Refuse problems without arms, longer runs, and rewards without the moment.

    Parameters
    ----------
    name : str
        Of the policy, for the message.
    problem : Arms
    record : Record
        Of a kernel, with `horizon`, `v` and `u`.
    horizon : int
        Rounds of the run, >= 1.

    Returns
    -------
    dict
        Where rewards have no bound v, u and the true moment, to stand side by side in the results.

    Raises
    ------
    ValueError
        If the record was made for another problem or a shorter run.
    """
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, Arms, "Arms")
    return check_rewards(name, problem, record.v, record.u)


def check_rewards(name: str, problem: Any, v: float = 0.0, u: float = 0.0) -> dict[str, float]:
    """Refuse a list problem whose rewards are not bounded, or whose moment is not finite, where a policy counts on it.

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

    Raises
    ------
    ValueError
        If the policy counts on what the rewards have not.
    """
    if problem.record().shape == 0.0:
        return {}
    if v == 0.0:
        raise ValueError(f"rewards must be in [0, 1] for {name}, got {problem}")
    moment = problem.moment(v)
    if math.isinf(moment):
        raise ValueError(f"the moment of order {1.0 + v:g} must be finite for {name}, got {problem}")
    return {"v": float(v), "u": float(u), "moment": moment}

"""Building blocks of rules on frames of runs, as `Chapter.play` returns them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, difference_interval
from private_bandits_book.rules import Less, Ruling, Subject, by_runs

_SUBJECT = ["paper", "algorithm", "variant", "mechanism", "method", "trust"]


def pick(runs: pd.DataFrame, **facts: Any) -> pd.DataFrame:
    """Return the runs of the one policy with these facts, at the last round.

    Parameters
    ----------
    runs : DataFrame
        A row per policy, replication and checkpoint, as `Chapter.play` returns.
    **facts
        Values of its columns: `algorithm="Algorithm 2", variant="published"`.

    Raises
    ------
    LookupError
        If no policy or several have these facts: a misspelt fact is an error, not a missing measurement.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": ["a", "b"], "epsilon": [1.0, 2.0], "replication": 0, "t": 9, "regret": 4.0})
    >>> pick(runs, epsilon=2.0)["regret"].item()
    4.0
    """
    rows = runs[runs["t"] == runs["t"].max()]
    for name, value in facts.items():
        rows = rows[rows[name] == value]
    if rows.empty or rows["replication"].duplicated().any():
        raise LookupError(f"{facts} must name one policy, got {', '.join(rows['policy'].unique()) or 'none'}")
    return rows


def less(
    smaller: str,
    larger: str,
    a: pd.DataFrame,
    b: pd.DataFrame,
    estimate: Callable[..., Interval] = difference_interval,
) -> Ruling:
    """Judge whether one policy has less regret than another.

    Parameters
    ----------
    smaller, larger : str
        What the two are called in the reason.
    a, b : DataFrame
        What `pick` returns.
    estimate : callable
        Measures a minus b, or another number that is below 0 if a is less, from their regrets by replication.

    Examples
    --------
    >>> facts = dict.fromkeys(["paper", "algorithm", "variant", "mechanism", "method", "trust"], "")
    >>> facts |= {"uniform": 1.0, "t": 100}
    >>> a, b = (pd.DataFrame({**facts, "regret": [x, x + 1.0, x + 2.0]}) for x in (10.0, 20.0))
    >>> less("one", "the other", a, b).verdict
    'reproduced'
    """
    return compared(Less(smaller, larger), estimate, a, b)


def compared(rule: Callable[[Interval], Ruling], estimate: Callable[..., Interval], *runs: pd.DataFrame) -> Ruling:
    """Judge what is estimated from the regrets of several policies.

    Parameters
    ----------
    rule : callable
        Judges the estimate.
    estimate : callable
        Takes the regrets by replication, an array for each policy.
    *runs : DataFrame
        What `pick` returns.

    Examples
    --------
    >>> from private_bandits_book.rules import Near
    >>> from private_bandits.estimates import mean_interval
    >>> facts = dict.fromkeys(["paper", "algorithm", "variant", "mechanism", "method", "trust"], "")
    >>> runs = pd.DataFrame({**facts, "uniform": 1.0, "t": 100, "regret": [9.9, 10.0, 10.1]})
    >>> compared(Near(10.0, tolerance=1.0), mean_interval, runs).verdict
    'reproduced'
    """
    most = max(float((rows["uniform"] * rows["t"]).iloc[0]) for rows in runs)  # a run that never learns
    return about(by_runs(rule, estimate, *(rows["regret"].to_numpy() for rows in runs), most=most), *runs)


def about(found: Ruling, *runs: pd.DataFrame) -> Ruling:
    """Return a ruling as one about the policies of these runs.

    Parameters
    ----------
    found : Ruling
    *runs : DataFrame
        Runs with the facts of their policies as columns.

    Examples
    --------
    >>> from private_bandits_book.rules import Holds
    >>> facts = {"paper": "wang2021", "algorithm": "Algorithm 2", "variant": "stated"}
    >>> runs = pd.DataFrame([facts | {"mechanism": "laplace", "method": "", "trust": "local"}])
    >>> sorted(about(Holds()(True, "all cases"), runs).about)[0].algorithm
    'wang2021 Algorithm 2'
    """
    rows = pd.concat(runs)[_SUBJECT].drop_duplicates().itertuples(index=False)
    return found.concerning(
        Subject(f"{one.paper} {one.algorithm}".strip(), one.variant, one.mechanism, one.method, one.trust)
        for one in rows
    )


def minus(a: Interval, b: Interval) -> Interval:
    """Return the difference of two independent measurements, whose half widths add as squares.

    Parameters
    ----------
    a, b : Interval

    Examples
    --------
    >>> minus(Interval(5.0, 2.0, 8.0), Interval(1.0, -3.0, 5.0))[:3]
    (4.0, -1.0, 9.0)
    """
    middle = a.measured - b.measured
    below = float(np.hypot(a.measured - a.low, b.high - b.measured))
    above = float(np.hypot(a.high - a.measured, b.measured - b.low))
    return Interval(middle, middle - below, middle + above)

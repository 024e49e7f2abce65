"""Building blocks of rules on frames of runs, as `Chapter.play` returns them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, difference_interval, mean_interval
from private_bandits.privacy import binomial_interval
from private_bandits_book.judging.rulings import Less, Near, NotShown, Ruling, Subject, all_of, by_runs, not_shown
from private_bandits_book.runs import NAMES

_SUBJECT = ["paper", "algorithm", "variant", "mechanism", "method", "trust"]
# what differs from run to run, or follows from the rest
_RUN = "replication t regret problem uniform content value_epsilon effective_epsilon run seed".split()


def pick(runs: pd.DataFrame, **facts: Any) -> pd.DataFrame:
    """Return the runs of the one policy with these facts, at the last round.

    Parameters
    ----------
    runs : DataFrame
        A row per policy, replication and checkpoint, as `Chapter.play` returns.
    **facts
        Values of its columns: `algorithm="Algorithm 2", variant="published"`.

    Returns
    -------
    DataFrame
        No row where no policy has these facts: what is judged by it is then undecided, and says so.

    Raises
    ------
    ValueError
        If several policies have them, or there is no such column.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": ["a", "b"], "epsilon": [1.0, 2.0], "replication": 0, "t": 9, "regret": 4.0})
    >>> pick(runs, epsilon=2.0)["regret"].item()
    4.0
    """
    rows = runs[runs["t"] == runs["t"].max()]
    for name, value in facts.items():
        if name not in rows:
            raise ValueError(f"facts must be among {', '.join(rows.columns)}, got {name!r}")
        rows = rows[rows[name] == value]
    if rows["replication"].duplicated().any():
        apart = [name for name in rows.columns.difference(_RUN, sort=False) if rows[name].nunique(dropna=False) > 1]
        got = f"{', '.join(rows['policy'].unique())}, which differ in {', '.join(apart) or 'nothing'}"
        raise ValueError(f"{_words(facts)} must name one policy, got {got}")
    rows.attrs["facts"] = _words(facts)
    return rows


def less(
    runs: pd.DataFrame | Sequence[pd.DataFrame],
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    estimate: Callable[..., Interval] = difference_interval,
    **along: Iterable[Any],
) -> Ruling:
    """Judge whether one policy has less regret than another.

    Parameters
    ----------
    runs : DataFrame or sequence of DataFrame
        As `Chapter.play` returns; in each of several.
    a, b : mapping
        Facts of the policy that has less, and of the other, as for `pick`.
    estimate : callable
        Measures a minus b, or another number that is below 0 if a is less, from their regrets by replication.
    **along : iterable
        A column and its values, at each of which it must hold: `epsilon=[0.5, 1.0]`.

    Returns
    -------
    Ruling

    Examples
    --------
    >>> facts = dict.fromkeys(["paper", "algorithm", "variant", "mechanism", "method", "trust"], "")
    >>> facts |= {"uniform": 1.0, "t": 100, "epsilon": 1.0, "replication": [0, 1]}
    >>> a = pd.DataFrame({**facts, "policy": "UCB", "regret": [10.0, 11.0]})
    >>> b = pd.DataFrame({**facts, "policy": "SE", "regret": [20.0, 21.0]})
    >>> found = less(pd.concat([a, b]), {"policy": "UCB"}, {"policy": "SE"})
    >>> found.verdict, found.reason
    ('reproduced', 'UCB minus SE is -10 [-13.04, -6.958], below 0')
    """
    frames = [runs] if isinstance(runs, pd.DataFrame) else runs
    settings = [dict(zip(along, values, strict=True)) for values in product(*along.values())]
    settled = [(frame, at) for frame in frames for at in settings]
    return all_of(*(_less(pick(frame, **a, **at), pick(frame, **b, **at), estimate) for frame, at in settled))


def order(runs: pd.DataFrame, *policies: Mapping[str, Any]) -> Ruling:
    """Judge whether each policy has less regret than the next.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns.
    *policies : mapping
        Facts of each, as for `pick`.

    Returns
    -------
    Ruling
    """
    return all_of(*(less(runs, a, b) for a, b in pairwise(policies)))


def falling(runs: pd.DataFrame, policy: Mapping[str, Any], **along: Iterable[Any]) -> Ruling:
    """Judge whether a policy has less regret at each next value of a column.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns.
    policy : mapping
        Its facts, as for `pick`.
    **along : iterable
        The column, and its values in the order in which regret falls.

    Returns
    -------
    Ruling
    """
    ((column, values),) = along.items()
    steps = [pick(runs, **policy, **{column: value}) for value in dict.fromkeys(values)]
    if len(steps) < 2:
        return not_shown(f"two values of {column}")
    return all_of(*(_less(b, a) for a, b in pairwise(steps)))


def within(runs: pd.DataFrame, policy: Mapping[str, Any], target: float, tolerance: float) -> Ruling:
    """Judge whether a policy's regret is a number, up to a tolerance.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns.
    policy : mapping
        Its facts, as for `pick`.
    target, tolerance : float
        Of regret.

    Returns
    -------
    Ruling
    """
    return compared(Near(target, tolerance=tolerance), mean_interval, pick(runs, **policy))


def rarer(what: str, happened: int, of: int, than: float) -> Ruling:
    """Judge whether something happens less often than it may.

    Parameters
    ----------
    what : str
        What happened, in the plural.
    happened, of : int
        How often, and of how many independent runs.
    than : float
        The share that is allowed, in (0, 1).

    Returns
    -------
    Ruling

    Examples
    --------
    >>> found = rarer("false alarms", 0, 1000, than=0.01)
    >>> found.verdict, found.reason
    ('reproduced', 'share of false alarms, 0 of 1,000, minus 0.01 is -0.01 [-0.01, -0.006318], below 0')
    """
    if not of:
        return not_shown(f"none of {what}")
    low, high = binomial_interval(int(happened), int(of))
    share = Interval(happened / of - than, low - than, high - than, runs=of)
    return Less(f"share of {what}, {happened:,} of {of:,},", f"{than:g}")(share)


def need(*runs: pd.DataFrame) -> None:
    """Go on if a rule has the runs that it needs.

    Parameters
    ----------
    *runs : DataFrame
        What `pick` returns.

    Raises
    ------
    NotShown
        If one has no row: `Chapter.judge` then says which, and leaves the claim undecided.
    """
    for rows in runs:
        if rows.empty:
            raise NotShown(rows.attrs.get("facts", ""))


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

    Returns
    -------
    Ruling

    Examples
    --------
    >>> from private_bandits_book.judging.rulings import Near
    >>> from private_bandits.estimates import mean_interval
    >>> facts = dict.fromkeys(["paper", "algorithm", "variant", "mechanism", "method", "trust"], "")
    >>> runs = pd.DataFrame({**facts, "uniform": 1.0, "t": 100, "regret": [9.9, 10.0, 10.1]})
    >>> compared(Near(10.0, tolerance=1.0), mean_interval, runs).verdict
    'reproduced'
    """
    try:
        need(*runs)
    except NotShown as error:
        return not_shown(str(error))
    most = max(float((rows["uniform"] * rows["t"]).iloc[0]) for rows in runs)  # a run that never learns
    return about(by_runs(rule, estimate, *(rows["regret"].to_numpy() for rows in runs), most=most), *runs)


def about(found: Ruling, *runs: pd.DataFrame) -> Ruling:
    """Return a ruling as one about the policies of these runs.

    Parameters
    ----------
    found : Ruling
    *runs : DataFrame
        Runs with the facts of their policies as columns.

    Returns
    -------
    Ruling

    Examples
    --------
    >>> from private_bandits_book.judging.rulings import Holds
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

    Returns
    -------
    Interval

    Examples
    --------
    >>> minus(Interval(5.0, 2.0, 8.0), Interval(1.0, -3.0, 5.0))[:3]
    (4.0, -1.0, 9.0)
    """
    middle = a.measured - b.measured
    below = float(np.hypot(a.measured - a.low, b.high - b.measured))
    above = float(np.hypot(a.high - a.measured, b.measured - b.low))
    return Interval(middle, middle - below, middle + above, runs=min(a.runs, b.runs))


def negative(seen: Interval) -> Interval:
    """Return what is measured with the other sign.

    Parameters
    ----------
    seen : Interval

    Returns
    -------
    Interval
    """
    return Interval(-seen.measured, -seen.high, -seen.low, runs=seen.runs)


def _less(a: pd.DataFrame, b: pd.DataFrame, estimate: Callable[..., Interval] = difference_interval) -> Ruling:
    return compared(Less(*_names(a, b)), estimate, a, b)


def _words(facts: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in facts.items()
    )


def _names(a: pd.DataFrame, b: pd.DataFrame) -> tuple[str, str]:
    """What two policies are called in a reason, with the first column that differs where their names do not."""
    if a.empty or b.empty:
        return "", ""
    one, other = a.iloc[0], b.iloc[0]
    names = [NAMES.get(row["policy"], row["policy"]) for row in (one, other)]
    if names[0] != names[1]:
        return names[0], names[1]
    for column in a.columns.intersection(b.columns, sort=False).difference(_RUN, sort=False):
        if one[column] != other[column]:
            return f"{names[0]} at {_words({column: one[column]})}", f"at {_words({column: other[column]})}"
    return names[0], f"{names[1]} again"

"""Which numbers a policy is given: the least regret on the calibration instances, among those that seldom fail."""

import inspect

import numpy as np
import pandas as pd

from private_bandits_book.chapters.comparison.entrants import ENTRANTS

__all__ = ["at_an_end", "chosen", "named", "tried"]

ALLOWED = 0.02  # share of failed runs above the least that a policy has in any setting


def tried(rows: pd.DataFrame) -> pd.DataFrame:
    """Return of each setting the geometric mean of regret over the least of its policy, and the share of failed runs.

    Parameters
    ----------
    rows : DataFrame
        Of a study of tuning.

    Returns
    -------
    DataFrame
        A row per policy and setting: `entrant, place, ratio, failed`.
    """
    cells = ["entrant", "instance", "pays"]
    logs = np.log(rows["regret"] / rows.groupby(cells)["regret"].transform("min"))
    parts = rows.assign(log=logs, share=rows["failed"] / rows["replications"]).groupby(["entrant", "place"], sort=False)
    found = parts.agg(ratio=("log", "mean"), failed=("share", "mean")).reset_index()
    return found.assign(ratio=np.exp(found["ratio"]))


def chosen(rows: pd.DataFrame, kind: str) -> dict[str, tuple[float, ...]]:
    """Return the numbers of each tuned policy.

    Parameters
    ----------
    rows : DataFrame
        Of a study of tuning.
    kind : str
        Of `ENTRANTS`.

    Returns
    -------
    dict
        By name of the policy.
    """
    found = {}
    for name, part in tried(rows).groupby("entrant", sort=False):
        allowed = part[part["failed"] <= part["failed"].min() + ALLOWED]
        place = int(allowed.sort_values("ratio")["place"].iloc[0])
        found[str(name)] = ENTRANTS[kind][str(name)].grid[place]
    return found


def named(kind: str, name: str, found: tuple[float, ...]) -> str:
    """Return the numbers of a policy with their names, as its entrant has them.

    Parameters
    ----------
    kind, name : str
        Of `ENTRANTS`.
    found : tuple of float
        Of `chosen`.

    Returns
    -------
    str

    Examples
    --------
    >>> named("arms", "DP-KLUCB", (4.0, 0.3))
    'first 4, level 0.3'
    """
    after = [*inspect.signature(ENTRANTS[kind][name].make).parameters][2:]  # the setting and epsilon
    return ", ".join(f"{called} {number:g}" for called, number in zip(after, found, strict=False))


def at_an_end(kind: str, name: str, found: tuple[float, ...]) -> bool:
    """Return whether a number lies at an end of what was tried, so that one beyond may be better.

    Parameters
    ----------
    kind, name : str
        Of `ENTRANTS`.
    found : tuple of float
        Of `chosen`.

    Returns
    -------
    bool
    """
    tried = zip(*ENTRANTS[kind][name].grid, strict=True)
    return any(number in (min(each), max(each)) for number, each in zip(found, tried, strict=True))

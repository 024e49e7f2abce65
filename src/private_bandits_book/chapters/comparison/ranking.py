"""Prices and rankings of the benchmark: geometric means over instances that nobody chose, policy against policy.

Only equal guarantees are ranked together, and constants of a theorem never against tuned ones.
"""

import math

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, half_width
from private_bandits_book.chapters.comparison.entrants import ENTRANTS
from private_bandits_book.figures import short

__all__ = ["CLASSES", "GROUPS", "best", "groups", "over_epsilon", "over_horizon", "priced", "ranked"]

CLASSES = {False: "tuned", True: "as proved"}
GROUPS = ["central, pure", "central, joint, approximate", "central, approximate", "local, pure", "local, approximate"]
"""Guarantees in the order of the rankings."""
_Z = 1.96


def priced(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the private rows with their price, the regret over the least without privacy on the instance.

    Parameters
    ----------
    rows : DataFrame
        Of a study of the test instances.
    kind : str
        Of `ENTRANTS`.

    Returns
    -------
    DataFrame
        With `log` of the price, `variance` of that by the runs of the policy, and `proved`, whether its constants are
        those of a theorem.
    """
    free = rows[np.isinf(rows["epsilon"])]
    base = free.groupby(["instance", "horizon"])["regret"].min().rename("base").reset_index()
    found = rows[np.isfinite(rows["epsilon"])].merge(base, on=["instance", "horizon"], validate="m:1")
    found = found.assign(log=np.log(np.maximum(found["regret"], 1e-12) / found["base"]))
    proved = found["entrant"].map(lambda name: bool(ENTRANTS[kind][name].proved) if name in ENTRANTS[kind] else False)
    return found.assign(variance=(found["regret_se"] / found["regret"]) ** 2, proved=proved)


def groups(rows: pd.DataFrame) -> list[tuple[str, bool]]:
    """Return the guarantees and classes that have a ranking of their own, in order.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.

    Returns
    -------
    list of (str, bool)
        The guarantee, and whether the constants are those of a theorem.
    """
    present = {*zip(rows["guarantee"], rows["proved"], strict=True)}
    order = [*GROUPS, *sorted({name for name, _ in present} - {*GROUPS})]
    return [(name, proved) for name in order for proved in (False, True) if (name, proved) in present]


def ranked(rows: pd.DataFrame, guarantee: str, proved: bool, epsilon: float, horizon: int) -> pd.DataFrame:
    """Rank the policies of one guarantee and class at one epsilon and horizon, over the test instances.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    guarantee, proved
        Of `groups`.
    epsilon : float
    horizon : int

    Returns
    -------
    DataFrame
        A row a policy, the least price first: `rank`, one more than the policies that have less beyond error, over the
        instances that both have; the price with its interval over instances and runs; the share of instances on which
        it has less than every other beyond error; failed runs; the worst price, and its instance.
    """
    here = rows[(rows["guarantee"] == guarantee) & (rows["proved"] == proved)]
    here = here[(here["epsilon"] == epsilon) & (here["horizon"] == horizon)]
    logs = here.pivot(index="instance", columns="entrant", values="log")
    variances = here.pivot(index="instance", columns="entrant", values="variance")
    order = logs.mean().sort_values().index
    table = []
    for name in order:
        mine, error = logs[name], variances[name]
        others = [other for other in order if other != name]
        less = [_mean(logs[other] - mine, variances[other] + error).high < 0 for other in others]
        ahead = [(logs[other] - mine) > _Z * np.sqrt(variances[other] + error) for other in others]
        won = np.logical_and.reduce(ahead) if ahead else np.ones(len(mine), bool)
        part, price = here[here["entrant"] == name], _mean(mine, error)
        worst = part.loc[part["log"].idxmax()]
        row = {"rank": 1 + sum(less), "policy": name, "guarantee": guarantee, "class": CLASSES[proved]}
        row |= {"price": math.exp(price.measured), "low": math.exp(price.low), "high": math.exp(price.high)}
        row |= {"won": int(np.sum(won)), "instances": len(part), "failed": part["failed"].sum()}
        row |= {"runs": part["replications"].sum(), "worst": math.exp(worst["log"]), "where": worst["instance"]}
        table.append(row)
    found = pd.DataFrame(table)
    shown = [f"{short(p)} [{short(a)}, {short(b)}]" for p, a, b in found[["price", "low", "high"]].to_numpy()]
    failed = [f"{a} of {b:,}" for a, b in found[["failed", "runs"]].to_numpy()]
    worst = [f"{short(number)} ({place})" for number, place in zip(found["worst"], found["where"], strict=True)]
    return found.assign(shown=shown, failures=failed, at_worst=worst)


def best(table: pd.DataFrame) -> list[str]:
    """Return the policies that share the first rank.

    Parameters
    ----------
    table : DataFrame
        Of `ranked`.

    Returns
    -------
    list of str
    """
    return [*table.loc[table["rank"] == 1, "policy"]]


def over_epsilon(rows: pd.DataFrame, horizon: int) -> pd.DataFrame:
    """Return the price of each policy by epsilon, a geometric mean over the test instances.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    horizon : int

    Returns
    -------
    DataFrame
        `entrant, guarantee, proved, epsilon, price, low, high`.
    """
    return _means(rows[rows["horizon"] == horizon], "epsilon")


def over_horizon(rows: pd.DataFrame, epsilon: float) -> pd.DataFrame:
    """Return the price of each policy by horizon, as `over_epsilon` does by epsilon.

    Parameters
    ----------
    rows : DataFrame
    epsilon : float

    Returns
    -------
    DataFrame
    """
    return _means(rows[rows["epsilon"] == epsilon], "horizon")


def _means(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    found = []
    for (name, guarantee, proved, at), part in rows.groupby(["entrant", "guarantee", "proved", by], sort=False):
        price = _mean(part["log"], part["variance"])
        row = {"entrant": name, "guarantee": guarantee, "proved": proved, by: at, "instances": len(part)}
        found.append(row | {k: math.exp(getattr(price, v)) for k, v in _SAID.items()})
    return pd.DataFrame(found)


_SAID = {"price": "measured", "low": "low", "high": "high"}


def _mean(logs: pd.Series, variances: pd.Series) -> Interval:
    """A mean over instances; its interval is for other instances like these, and at least that of the runs."""
    middle, size = float(logs.mean()), len(logs)
    spread = float(half_width(logs.sem(), size)) if size > 1 else math.inf
    half = max(spread, _Z * math.sqrt(float(variances.sum())) / size)
    return Interval(middle, middle - half, middle + half, runs=size)

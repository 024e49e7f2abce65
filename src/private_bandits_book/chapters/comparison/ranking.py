"""Prices and rankings of the benchmark: geometric means over instances that nobody chose, policy against policy.

Only equal guarantees are ranked together, and constants of a theorem never against tuned ones.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, half_width
from private_bandits_book import plots
from private_bandits_book.chapters.comparison.entrants import ENTRANTS
from private_bandits_book.figures import short
from private_bandits_book.figures.captions import power
from private_bandits_book.plots import Picture

__all__ = ["CLASSES", "GROUPS", "answer", "best", "drawn", "groups", "priced", "ranked"]

CLASSES = {False: "tuned", True: "as proved"}
GROUPS = ["central, pure", "central, joint, approximate", "central, approximate", "local, pure", "local, approximate"]
"""Guarantees in the order of the rankings."""
_Z, _MANY = 1.96, 10**6


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


def drawn(rows: pd.DataFrame, coloured: Mapping[str, str], horizon: int, epsilon: float | None = None) -> Picture:
    """Draw prices along epsilon, or along the horizon: those that the text speaks of in colour, the others grey.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    coloured : mapping of str to str
        Policies, with what their lines are called; blue is central and yellow is local privacy.
    horizon : int
        T of the prices along epsilon.
    epsilon : float, optional
        Of the prices along the horizon, which is drawn where this is given.

    Returns
    -------
    Picture
    """
    by = "epsilon" if epsilon is None else "horizon"
    here = rows[rows["horizon"] == horizon] if epsilon is None else rows[rows["epsilon"] == epsilon]
    told = []
    for (name, guarantee, at), part in here.groupby(["entrant", "guarantee", by], sort=False):
        price, local = _mean(part["log"], part["variance"]), guarantee.startswith("local")
        low, middle, high = (math.exp(each) for each in (price.low, price.measured, price.high))
        row = {"policy": coloured.get(name, name), "mechanism": "laplace", "trust": guarantee.split(",")[0]}
        row |= {"family": ("response" if local else "laplace") if name in coloured else "uniform"}
        row |= dict.fromkeys(["epsilon", "value_epsilon", "effective_epsilon"], at if epsilon is None else epsilon)
        row |= {"t": horizon if epsilon is None else at, "regret": middle, "regret_se": (high - low) / 2 / _Z}
        told.append(row | {"replications": _MANY, "instances": len(part)})
    frame = pd.DataFrame(told)
    look = {"xscale": "log", "yscale": "log", "ylabel": "price of privacy"}
    look |= {"xlabel": "ε"} if epsilon is None else {}
    picture = plots.curves(frame, by if epsilon is None else "t", **look)
    where = f"T = {power(horizon)}" if epsilon is None else f"ε = {epsilon:g}"
    said = (
        f"{where}. Geometric means over {frame['instances'].max()} instances; bands are 95 % over instances and runs."
    )
    data = frame.drop(columns=["mechanism", "family", "value_epsilon", "effective_epsilon", "replications"])
    return picture._replace(facts=said, data=data)


def answer(rows: pd.DataFrame, kind: str, epsilon: float, horizon: int) -> pd.DataFrame:
    """Return what to take under each guarantee: the first of its tuned ranking, or of the proved one if nothing is.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    kind : str
        Of `ENTRANTS`.
    epsilon : float
    horizon : int

    Returns
    -------
    DataFrame
        A row a guarantee: `problem, guarantee, take, price, worst`.
    """
    told: dict[str, dict[str, Any]] = {}
    for guarantee, proved in groups(rows):
        if guarantee in told or "all or nothing" in guarantee:
            continue
        table = ranked(rows, guarantee, proved, epsilon, horizon)
        first = table.iloc[0]
        take = " or ".join(best(table)) + ", a tie" * (len(best(table)) > 1)
        told[guarantee] = {"problem": kind, "guarantee": guarantee, "take": take, "price": first["shown"]}
        told[guarantee] |= {"worst": first["at_worst"], "failed": first["failures"]}
    return pd.DataFrame([*told.values()])


def _mean(logs: pd.Series, variances: pd.Series) -> Interval:
    """A mean over instances; its interval is for other instances like these, and at least that of the runs."""
    middle, size = float(logs.mean()), len(logs)
    spread = float(half_width(logs.sem(), size)) if size > 1 else math.inf
    half = max(spread, _Z * math.sqrt(float(variances.sum())) / size)
    return Interval(middle, middle - half, middle + half, runs=size)

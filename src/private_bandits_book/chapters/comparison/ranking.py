"""Prices and rankings of the benchmark: geometric means over instances that nobody chose, policy against policy.

Only equal guarantees are ranked together, and constants of a theorem never with tuned ones.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, half_width
from private_bandits_book import plots
from private_bandits_book.chapters.comparison.entrants import ENTRANTS
from private_bandits_book.numbers import power, short
from private_bandits_book.plots import Picture

__all__ = ["answer", "apart", "best", "drawn", "groups", "panels", "priced", "ranked", "table", "worst"]

_CLASSES = {False: "tuned", True: "as proved"}
_ORDER = [f"{trust}, {kind}" for trust in ("central", "central, joint", "local") for kind in ("pure", "approximate")]
_Z, _MANY, _LEAST = 1.96, 10**6, 1e-9
_MEANS = "Geometric means over {} instances; bands are 95 % over instances and runs."


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
        With `log` of the price, `variance` of that by the runs of the policy, `base_variance` by those of the policy
        without privacy, and `proved`, whether its constants are those of a theorem. A policy that has no constants to
        choose and a theorem has a row in both classes.
    """
    rows = rows.assign(epsilon=rows["pays"]).reset_index(drop=True)
    free = rows[np.isinf(rows["epsilon"])]
    least = free.loc[free.groupby(["instance", "horizon"])["regret"].idxmin()]
    base = least[["instance", "horizon"]].assign(
        base=least["regret"], base_variance=(least["regret_se"] / least["regret"]) ** 2
    )
    found = rows[np.isfinite(rows["epsilon"])].merge(base, on=["instance", "horizon"], validate="m:1")
    regret = np.maximum(found["regret"], _LEAST)
    found = found.assign(log=np.log(regret / found["base"]), variance=(found["regret_se"] / regret) ** 2)
    known = ENTRANTS[kind]
    proved = found["entrant"].map(lambda name: name in known and bool(known[name].proved))
    both = found["entrant"].map(lambda name: name in known and known[name].fixed)
    return pd.concat([found.assign(proved=proved), found[both].assign(proved=False)], ignore_index=True)


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
    order = [*_ORDER, *sorted({name for name, _ in present} - {*_ORDER})]
    return [(name, proved) for name in order for proved in (False, True) if (name, proved) in present]


def implies(stated: str, asked: str) -> bool:
    """Return whether one guarantee gives another: local gives central, pure gives approximate, all give joint."""
    if {stated, asked} - {*_ORDER}:
        return stated == asked
    pure = stated.endswith("pure") or asked.endswith("approximate")
    local = stated.startswith("local") or not asked.startswith("local")
    return pure and local and ("joint" not in stated or "joint" in asked)


def ranked(
    rows: pd.DataFrame, guarantee: str, proved: bool, epsilon: float, horizon: int, *, stronger: bool = False
) -> pd.DataFrame:
    """Rank the policies of one guarantee and class at one epsilon and horizon, over the test instances.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    guarantee, proved
        Of `groups`.
    epsilon : float
    horizon : int
    stronger : bool
        Whether those take part whose guarantee gives this one, too.

    Returns
    -------
    DataFrame
        A row a policy, the least price first: `rank`, one more than the policies that have less beyond error, over the
        instances that both have; the price with its interval over instances and runs; the number of instances on which
        it has less than every other beyond error; failed runs; the worst price, and its instance.
    """
    fits = rows["guarantee"].map(lambda one: implies(one, guarantee) if stronger else one == guarantee)
    here = rows[fits & (rows["proved"] == proved) & (rows["epsilon"] == epsilon) & (rows["horizon"] == horizon)]
    logs = here.pivot(index="instance", columns="entrant", values="log")
    variances = here.pivot(index="instance", columns="entrant", values="variance")
    order = logs.mean().sort_values().index
    told = []
    if here.empty:
        return here
    for name in order:
        mine, error, part = logs[name], variances[name], here[here["entrant"] == name]
        others = [other for other in order if other != name]
        less = [_mean(logs[other] - mine, variances[other] + error).high < 0 for other in others]
        ahead = [(logs[other] - mine) > _Z * np.sqrt(variances[other] + error) for other in others]
        won = np.all(ahead, axis=0) if ahead else np.ones(len(mine), bool)
        price = _mean(part["log"], part["variance"] + part["base_variance"])
        worst = part.loc[part["log"].idxmax()]
        row = {"rank": 1 + sum(less), "policy": name, "guarantee": part["guarantee"].iloc[0]}
        row |= {"class": _CLASSES[proved], "price": math.exp(price.measured)}
        row |= {"low": math.exp(price.low), "high": math.exp(price.high)}
        row |= {"won": int(np.sum(won)), "instances": len(part), "failed": part["failed"].sum()}
        row |= {"runs": part["replications"].sum(), "worst": math.exp(worst["log"]), "where": worst["instance"]}
        told.append(row)
    found = pd.DataFrame(told)
    shown = [f"{short(p)} [{short(a)}, {short(b)}]" for p, a, b in found[["price", "low", "high"]].to_numpy()]
    failed = [f"{a} of {b:,}" for a, b in found[["failed", "runs"]].to_numpy()]
    at_worst = [f"{short(number)} ({place})" for number, place in zip(found["worst"], found["where"], strict=True)]
    return found.assign(shown=shown, failures=failed, at_worst=at_worst)


def table(rows: pd.DataFrame, epsilon: float, horizon: int, times: pd.Series | None = None) -> pd.DataFrame:
    """Return all rankings of a kind of problem below each other.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    epsilon : float
    horizon : int
    times : Series, optional
        Microseconds a round, by policy.

    Returns
    -------
    DataFrame
        As of `ranked`, with `time`.
    """
    found = pd.concat([ranked(rows, *group, epsilon, horizon) for group in groups(rows)], ignore_index=True)
    return found if times is None else found.assign(time=found["policy"].map(times))


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


def answer(rows: pd.DataFrame, epsilon: float, horizon: int) -> pd.DataFrame:
    """Return what to take under each guarantee: the first among all policies whose guarantee gives the asked one.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    epsilon : float
    horizon : int

    Returns
    -------
    DataFrame
        A row a guarantee, unless the row before takes the same: `guarantee`; `take, price, worst, failed` of the tuned
        ones, or of those with the constants of a theorem where they have less; and `proved`, the first of these.
    """
    rows = rows[rows["entrant"] != "All or nothing"]
    told: list[dict[str, Any]] = []
    for guarantee in dict.fromkeys(name for name, _ in groups(rows) if name in _ORDER):
        row: dict[str, Any] = {"guarantee": guarantee}
        classes = [ranked(rows, guarantee, proved, epsilon, horizon, stronger=True) for proved in (False, True)]
        if len(classes[1]):
            row["proved"] = f"{' or '.join(best(classes[1]))}: {classes[1]['shown'].iloc[0]}"
        found = min((one for one in classes if len(one)), key=lambda one: one["price"].iloc[0])
        first = found.iloc[0]
        row |= {"take": " or ".join(best(found)), "price": first["shown"], "worst": first["at_worst"]}
        row["failed"] = first["failures"]
        if all(row["take"] != one["take"] for one in told):
            told.append(row)
    return pd.DataFrame(told)


def apart(rows: pd.DataFrame, policies: Sequence[str], epsilon: float, by: str, horizon: int = 0) -> pd.DataFrame:
    """Return the prices of some policies apart by horizon, or at one horizon by family.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    policies : sequence of str
    epsilon : float
    by : {"horizon", "family"}
    horizon : int
        Of the prices by family.

    Returns
    -------
    DataFrame
        A row a policy: its geometric mean price in words.
    """
    here = rows[(rows["epsilon"] == epsilon) & rows["entrant"].isin(policies)]
    here = here.drop_duplicates(["entrant", "instance", "horizon"])
    if by == "family":
        here = here[here["horizon"] == horizon]
    named = {"horizon": here["horizon"], "family": here["instance"].str.rpartition(" ")[0].rename("family")}[by]
    prices = np.exp(here["log"].groupby([here["entrant"], named]).mean()).unstack()
    if by == "horizon":
        prices.columns = [f"T = {power(int(each))}" for each in prices.columns]
    return prices.reindex([*policies]).rename_axis("policy").map(short)


def worst(rows: pd.DataFrame, tested: pd.DataFrame, horizon: int) -> pd.DataFrame:
    """Return the worst price of each policy that a search found, and where; beside it the worst on the test set.

    Parameters
    ----------
    rows : DataFrame
        Of a study that searches.
    tested : DataFrame
        Of `priced`.
    horizon : int
        T of the prices on the test set.

    Returns
    -------
    DataFrame
        A row a policy: `policy`, `instance`; `chosen`, the price in the half of the runs by which it was chosen;
        `price`, that in the other half; and `tested`, the worst on the test set at epsilon 1.
    """
    by = rows["instance"]
    free = rows[np.isinf(rows["pays"])].groupby("instance")[["chosen", "regret"]].min()
    private = rows[np.isfinite(rows["pays"])]
    bases = [by[private.index].map(free[half]) for half in ("chosen", "regret")]
    private = private.assign(chosen=private["chosen"] / bases[0], price=private["regret"] / bases[1])
    found = private.loc[private.groupby("entrant", sort=False)["chosen"].idxmax()]
    found = found[["entrant", "instance", "chosen", "price"]].reset_index(drop=True)
    here = tested[(tested["epsilon"] == 1.0) & (tested["horizon"] == horizon)]
    most = np.exp(here.groupby("entrant")["log"].max())
    return found.assign(tested=found["entrant"].map(most)).rename(columns={"entrant": "policy"})


def drawn(
    rows: pd.DataFrame,
    spoken: Mapping[str, str],
    others: Sequence[str],
    horizon: int,
    epsilon: float | None = None,
    asked: float = 1.0,
    said: Mapping[str, str] | None = None,
) -> Picture:
    """Draw prices along epsilon, or along the horizon: those that the text speaks of in colour, the others grey.

    Parameters
    ----------
    rows : DataFrame
        Of `priced`.
    spoken : mapping of str to str
        Policies, with what stands at the ends of their lines.
    others : sequence of str
        Policies that are drawn in grey.
    horizon : int
        T of the prices along epsilon.
    epsilon : float, optional
        Of the prices along the horizon, which is drawn where this is given.
    asked : float
        Epsilon of the `answer`, all of whose policies are in colour.
    said : mapping of str to str, optional
        Words at the lines of policies, there.

    Returns
    -------
    Picture
    """
    by = "epsilon" if epsilon is None else "horizon"
    here = rows[rows["horizon"] == horizon] if epsilon is None else rows[rows["epsilon"] == epsilon]
    frame = pd.concat([_line(here, name, by) for name in (*spoken, *others)], ignore_index=True)
    look: dict[str, Any] = {"xscale": "log", "yscale": "log", "ylabel": "price of privacy, dashed: local"}
    look["names"] = "start" if epsilon is None else "end"  # prices draw together as epsilon grows
    notes = _overtaking(frame) if epsilon is None else []
    notes += [plots.Note(words, asked, name) for name, words in (said or {}).items()]
    taken = {name for one in answer(rows, asked, horizon)["take"] for name in one.split(" or ")}
    called = {**spoken} | {name: name for name in others}
    words = {name: _qualified(here, name, word) for name, word in called.items()}
    colour = {name: word for name, word in words.items() if name in spoken or name in taken}
    grey = {name: word for name, word in words.items() if name not in colour}
    notes = [one._replace(y=grey.get(str(one.y), one.y)) for one in notes]
    look["label"] = lambda row: grey.get(row.policy, row.policy)
    picture = plots.curves(frame, by if epsilon is None else "t", spoken=colour, said=notes, **look)
    where = f"T = {power(horizon)}" if epsilon is None else f"ϵ = {epsilon:g}"
    if epsilon is None and frame.groupby("policy")[by].nunique().nunique() > 1:
        where += "; thin where an ϵ was not run"
    return picture._replace(facts=f"{where}. {_MEANS.format(frame['instances'].max())}", data=_data(frame, by))


def panels(tests: Mapping[str, pd.DataFrame], horizons: Mapping[str, int], epsilon: float) -> Picture:
    """Draw the least prices of central and of local privacy along epsilon, a panel a kind of problem.

    Parameters
    ----------
    tests : mapping of str to DataFrame
        Of `priced`, by kind.
    horizons : mapping of str to int
        T, by kind.
    epsilon : float
        At which the policy with the least price is chosen.

    Returns
    -------
    Picture
    """
    found = []
    for kind, rows in tests.items():
        here = rows[(rows["horizon"] == horizons[kind]) & (rows["entrant"] != "All or nothing")]
        for trust in ("central", "local"):
            part = here[(here["epsilon"] == epsilon) & here["guarantee"].str.startswith(trust)]
            name = part.groupby("entrant")["log"].mean().idxmin()
            found.append(_line(here, name, "epsilon").assign(facet=kind, kind=trust))
    frame = pd.concat(found, ignore_index=True).assign(t=1)
    look: dict[str, Any] = {"xscale": "log", "yscale": "log", "ylabel": "price of privacy", "same": False}
    picture = plots.panels(frame, "epsilon", by="facet", label=lambda row: row.kind, headed=False, **look)
    longest = sorted({*horizons.values()})
    facts = f"T = {power(longest[0])} to {power(longest[-1])}, by panel. {_MEANS.format('the')}"
    return picture._replace(facts=facts, data=_data(frame, "epsilon", "facet"))


def _overtaking(frame: pd.DataFrame) -> list[plots.Note]:
    """What is said at the last epsilon of a policy that has the least price of its trust model there and only there.

    It must be less by a tenth, so that nothing is said of lines that a reader sees meet.
    """
    said = []
    for trust, part in frame.groupby("trust", sort=False):
        prices = part.pivot(index="epsilon", columns="policy", values="regret").dropna()
        least, last = prices.idxmin(axis=1), prices.iloc[-1].sort_values()
        name, at = last.index[0], float(prices.index[-1])
        if len(last) > 1 and last.iloc[0] < 0.9 * last.iloc[1] and (least.iloc[:-1] != name).all():
            said.append(plots.Note(f"least {'local ' * (trust == 'local')}at ϵ = {at:g}: {name}", at, name))
    return said


def _qualified(rows: pd.DataFrame, name: str, words: str) -> str:
    """What stands at a line: where others have a pure guarantee, or a theorem's constants, that this one has not."""
    guarantee = rows.loc[rows["entrant"] == name, "guarantee"]
    if not guarantee.str.endswith("approximate").any():
        return words
    tuned = ", tuned" if f"{name}, as proved" in {*rows["entrant"]} else ""
    return f"{words}{tuned}, with\u00a0a\u00a0δ"


def _line(rows: pd.DataFrame, name: str, by: str) -> pd.DataFrame:
    """The geometric mean prices of a policy, as rows that plots read."""
    found = []
    here = rows[rows["entrant"] == name].drop_duplicates(["instance", by])
    for (guarantee, at), part in here.groupby(["guarantee", by]):
        price = _mean(part["log"], part["variance"] + part["base_variance"])
        first = part.iloc[0]
        row = {"policy": name, "trust": guarantee.split(",")[0], "mechanism": "", "family": ""}
        row |= dict.fromkeys(["epsilon", "value_epsilon", "effective_epsilon"], first["epsilon"])
        row |= {"t": first["horizon"], "horizon": first["horizon"], by: at, "regret": math.exp(price.measured)}
        low, high = math.exp(price.low), math.exp(price.high)
        row |= {"instances": len(part), "replications": _MANY, "band_low": low, "band_high": high}
        found.append(row | {"regret_se": (high - low) / 2 / _Z})
    return pd.DataFrame(found)


def _data(frame: pd.DataFrame, *by: str) -> pd.DataFrame:
    return frame[[*by, "policy", "trust", "regret", "regret_se", "instances"]].rename(columns={"regret": "price"})


def _mean(logs: pd.Series, variances: pd.Series) -> Interval:
    """A mean over instances; its interval is for other instances like these, and at least that of the runs."""
    middle, size = float(logs.mean()), len(logs)
    spread = float(half_width(logs.sem(), size)) if size > 1 else math.inf
    half = max(spread, _Z * math.sqrt(float(variances.sum())) / size)
    return Interval(middle, middle - half, middle + half, runs=size)

"""Private policies for one problem, at equal epsilon really paid: runs, prices, a ranking, a recommendation.

The best is chosen on every other run and measured on the rest. A policy that leaks has no epsilon that could be equal;
it is run at what it promises, and never ranked.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import Markdown
from scipy.optimize import brentq

from private_bandits.estimates import Interval, mean_interval, ratio_interval
from private_bandits.policy import Policy
from private_bandits_book import plots
from private_bandits_book.figures.layout import MOST_LINES
from private_bandits_book.numbers import short
from private_bandits_book.runs import NAMES, join, uniform_play

__all__ = ["advice", "certified", "chosen", "least", "paying", "play", "priced", "ranking", "show", "without"]

Maker = Callable[[float], Policy]
_FAR = 1e3  # the factor within which nominal and paid epsilon lie
_COLUMNS = {"rank": "Rank", "policy": "Policy", "trust": "Trust", "shown": "Regret", "price": "Price of privacy"}


def certified(policy: Policy) -> bool:
    """Return whether everything that a policy releases has a finite epsilon.

    Parameters
    ----------
    policy : Policy

    Returns
    -------
    bool
    """
    paid = policy.privacy.effective_epsilon
    return paid is not None and math.isfinite(paid)


def paying(make: Maker, epsilon: float) -> Policy:
    """Return the policy that pays epsilon for all that it releases; one that leaks has it as its promise.

    Parameters
    ----------
    make : callable
        Takes the nominal epsilon.
    epsilon : float
        > 0; infinity for no privacy.

    Returns
    -------
    Policy
    """
    policy = make(epsilon)
    if math.isinf(epsilon) or not certified(policy):
        return policy

    def excess(log_nominal: float) -> float:
        paid = make(math.exp(log_nominal)).privacy.effective_epsilon
        return math.log(max(paid or 0.0, 1e-300) / epsilon)

    at = math.log(epsilon)
    if not math.isclose(math.exp(excess(at)), 1.0, rel_tol=1e-12):
        policy = make(math.exp(brentq(excess, at - math.log(_FAR), at + math.log(_FAR), xtol=1e-14, rtol=1e-14)))
    return policy


def play(
    chapter: Any,
    problem: Any,
    free: Iterable[Policy],
    makers: Iterable[Maker],
    horizon: int | None = None,
    slow: Mapping[str, Maker] | None = None,
    epsilons: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Run policies without privacy, and private ones at every epsilon of the page and without noise.

    Parameters
    ----------
    chapter : Chapter
        With a name or without one.
    problem : problem of the library
    free : iterable of Policy
    makers : iterable of callable
        Each takes a nominal epsilon.
    horizon : int, optional
        Where it differs from the chapter's.
    slow : mapping of str to callable, optional
        Makers by the longer study of the chapter that has their runs, which are read where they are the same.
    epsilons : sequence of float, optional
        What is paid, > 0. Default: the chapter's parameters `epsilons` and `epsilon`.

    Returns
    -------
    DataFrame
        As `Chapter.play` returns at the horizon, with `pays`, what is really paid.
    """
    paid = epsilons if epsilons is not None else [*chapter.parameters["epsilons"], chapter.parameters["epsilon"]]
    how: dict[str, Any] = {"horizon": horizon, "checkpoints": []}
    runs = [chapter.play(problem, list(free), pays=math.inf, **how)]
    each_paid = [*sorted({*paid}), math.inf]
    for label, make in (slow or {}).items():
        runs += [chapter.play(problem, [paying(make, each)], pays=each, stored=label, **how) for each in each_paid]
    for epsilon in each_paid:
        policies = [paying(make, epsilon) for make in makers]
        runs.append(chapter.play(problem, policies, pays=epsilon, **how))
    found = join(*runs)
    leaks = np.isfinite(found["epsilon"]) & ~np.isfinite(found["effective_epsilon"])
    return found.assign(nominal=found["epsilon"], trust=found["trust"].where(~leaks, "leaking"))


def least(runs: pd.DataFrame) -> str:
    """Return the policy with the least regret, on the runs by which it is chosen.

    Parameters
    ----------
    runs : DataFrame

    Returns
    -------
    str
    """
    chosen = runs[runs["replication"] % 2 == 0]
    return str(chosen.groupby("policy", sort=False)["regret"].mean().idxmin())


def without(runs: pd.DataFrame) -> tuple[str, np.ndarray]:
    """Return the best policy without privacy, and its regret on the runs that did not choose it.

    Parameters
    ----------
    runs : DataFrame
        Of `play`.

    Returns
    -------
    str, array
    """
    free = runs[np.isinf(runs["pays"])]
    name = least(free)
    best = free[free["policy"] == name]
    return name + ", without noise" * (best["mechanism"].iloc[0] != "none"), _rest(best)


def priced(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the private runs with their regret over the least without privacy, and the price of uniform play.

    Parameters
    ----------
    runs : DataFrame
        Of `play`.

    Returns
    -------
    DataFrame
    """
    base = without(runs)[1].mean()
    private = runs[np.isfinite(runs["pays"])]
    even = uniform_play(private).drop(columns="pays").merge(private[["pays"]].drop_duplicates(), how="cross")
    found = join(private, even)
    return found.assign(regret=found["regret"] / base, epsilon=found["pays"])


def ranking(runs: pd.DataFrame, epsilon: float) -> pd.DataFrame:
    """Rank the certified policies at one epsilon that all pay.

    Parameters
    ----------
    runs : DataFrame
        Of `play`.
    epsilon : float
        Among those that are paid.

    Returns
    -------
    DataFrame
        A row per policy, the least regret first. The rank counts the policies whose regret is less by an interval of
        the paired differences that lies below 0; a shared rank says "(tied)", which no spreadsheet takes for a formula.
    """
    here = runs[(runs["pays"] == epsilon) & (runs["trust"] != "leaking")]
    finals = {name: part["regret"].to_numpy() for name, part in here.groupby("policy", sort=False)}
    order = sorted(finals, key=lambda name: float(finals[name].mean()))
    ranks = {
        name: 1 + sum(mean_interval(finals[other] - finals[name]).high < 0 for other in order if other != name)
        for name in order
    }
    base, rows = without(runs)[1], []
    for name in order:
        facts = here[here["policy"] == name].iloc[0]
        regret, price = mean_interval(finals[name]), ratio_interval(_rest(here[here["policy"] == name]), base)
        shared = [*ranks.values()].count(ranks[name]) > 1
        shown = NAMES.get(name, name)
        row = {
            "rank": f"{ranks[name]}{' (tied)' * shared}",
            "policy": shown,
            "trust": facts["trust"],
            "epsilon": epsilon,
        }
        row |= {"nominal": facts["nominal"], "regret": regret.measured}
        row |= {"regret_low": regret.low, "regret_high": regret.high}
        row |= {"price_low": price.low, "price_high": price.high}
        rows.append(row | {"shown": _said(regret), "price": _said(price)})
    return pd.DataFrame(rows)


def show(chapter: Any, label: str, runs: pd.DataFrame, caption: str, epsilon: float | None = None) -> Markdown:
    """Show prices against epsilon and the ranking of a family, and return the recommendation.

    The figure has what is recommended in colour, and of all others those with the least regret, in grey.

    Parameters
    ----------
    chapter : Chapter
    label : str
        Of the figure `figure-<label>` and the table `table-ranking-<label>`.
    runs : DataFrame
        Of `play`.
    caption : str
        What the problem is.
    epsilon : float, optional
        At which they are ranked. Default: the chapter's parameter `epsilon`.

    Returns
    -------
    Markdown
    """
    epsilon, free = chapter.parameters["epsilon"] if epsilon is None else epsilon, without(runs)[0]
    said = f"{caption} Regret over that of {free}, which has the least without privacy."
    look: dict[str, Any] = {"xscale": "log", "yscale": "log", "xlabel": "ϵ, really paid", "ylabel": "price of privacy"}
    table, prices = ranking(runs, epsilon), priced(runs)
    first = table.drop_duplicates("trust")
    spoken = {row.policy: f"{row.policy}, {row.trust}" for row in first.itertuples()}
    shown = [*first["policy"], *table["policy"]]
    left = prices[
        prices["policy"].replace(NAMES).isin([*dict.fromkeys(shown)][: MOST_LINES - 1])
        | (prices["policy"] == "uniform")
    ]
    more = len(table) - (left["policy"].nunique() - 1)
    said += f" The {more} policies with the most regret are in the table only." if more > 1 else ""
    chapter.figure(
        f"figure-{label}", plots.curves(left, "epsilon", spoken=spoken, **look), said, {f"figure-{label}": prices}
    )
    said = f"{caption} All pay ε = {epsilon:g}. Tied policies cannot be told apart on the same seeds."
    chapter.table(f"table-ranking-{label}", table, said, _COLUMNS)
    return Markdown(advice(table))


def advice(table: pd.DataFrame) -> str:
    """Return what to take: the best under central privacy, and the best under local privacy.

    Parameters
    ----------
    table : DataFrame
        Of `ranking`.

    Returns
    -------
    str
        Markdown.
    """
    best = {trust: (part.iloc[0], _tied(part)) for trust, part in table.groupby("trust", sort=False)}
    first = table.iloc[0]
    said = best[first["trust"]][1]
    if "local" not in best:
        return f"With a trusted curator take {said}, at {first['price']} times the least regret."
    local, named = best["local"]
    alone = f"{named}, at {local['price']} times the regret without privacy"
    if first["trust"] == "local":
        return f"Take {alone}, whether you have a trusted curator or not."
    return f"Take {said} if you have a trusted curator, at {first['price']} times, and else {alone}."


def _tied(table: pd.DataFrame) -> str:
    """The policies that share the first rank of a table, which are as good advice as the first of them."""
    names = [f"**{name}**" for name in table.loc[table["rank"] == table["rank"].iloc[0], "policy"]]
    return " or ".join(names) + " (tied)" * (len(names) > 1)


def chosen(families: dict[str, pd.DataFrame], epsilon: float) -> pd.DataFrame:
    """Return the prices of the best policies of each family and trust, and of the leaking one with the least regret.

    Parameters
    ----------
    families : dict
        Runs of `play` by the name of the family.
    epsilon : float
        At which the best are chosen.

    Returns
    -------
    DataFrame
        With `kind`, what protects and whom one trusts, and `facet`, the family.
    """
    found = []
    for name, runs in families.items():
        prices, here = priced(runs), runs[runs["pays"] == epsilon]
        for trust, part in here.groupby("trust", sort=False):
            best = prices[(prices["policy"] == least(part)) & (prices["trust"] == trust)]
            found.append(best.assign(kind=_kind(best.iloc[0]), facet=name))
    return join(*found)


def _kind(row: pd.Series) -> str:
    protects = "quantiles" if row["mechanism"] == "exponential" else row["family"]
    named = {"response": "randomised response", "tree": "counters", "laplace": "Laplace", "gaussian": "Gaussian"}
    return f"{named.get(protects, protects)}, {row['trust'].replace('leaking', 'leaks')}"


def _said(found: Interval) -> str:
    low, middle, high = map(short, (found.low, found.measured, found.high))
    return middle if low == high else f"{middle} [{low}, {high}]"


def _rest(runs: pd.DataFrame) -> np.ndarray:
    """The regret on the runs that do not choose, all where they are few."""
    values = runs["regret"].to_numpy()
    return values[1::2] if len(values) >= 4 else values

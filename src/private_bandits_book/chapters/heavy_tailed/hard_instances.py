"""The instance of the lower bounds at one gap: an arm pays x with a small probability, and the others pay nothing.

Rewards are in units with u = 1, where the theorems hold. Then x = gap^(-1/v), and its probability is gap^((1+v)/v).
"""

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.papers.heavy_tailed import bounds
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits_book.figures import Note, Region
from private_bandits_book.runs import join

N_ARMS = 5
WORDS = {
    "DP Robust SE": "DP Robust SE",
    "LDP Robust SE": "LDP Robust SE",
    "lower bound, central": "lower bound",
    "lower bound, local": "lower bound",
    "order of (4)": "the talk's upper bound (4)",
}
"""What stands at the lines of the figure."""


def panel(row: Any) -> str:
    """Return the name of the panel of a row."""
    return f"{row.trust}, ε = {row.epsilon:g}, v = {row.v:g}"


def hue(row: Any) -> str:
    """Return what the hue of a line says: the trust model of a run, and of bounds whether they are the talk's."""
    if row.family == "uniform":
        return "uniform"
    return {"order of (4)": "printed"}.get(row.policy, "none") if row.family == "none" else str(row.trust)


def below_bounds(rows: pd.DataFrame) -> list[Region]:
    """Return the regions below our lower bounds, where no algorithm can be.

    Parameters
    ----------
    rows : DataFrame
        Of `with_bounds`.
    """
    lower = rows[rows["policy"].str.startswith("lower bound")].sort_values("gap")
    parts = lower.groupby(["trust", "v"])
    words = {rows["v"].max(): "no algorithm can be here"}  # where the region has room for them
    return [
        Region(words.get(v, ""), part["gap"], part["regret"], panel=panel(next(part.itertuples())))
        for (_, v), part in parts
    ]


def same_slopes(rows: pd.DataFrame) -> list[Note]:
    """Return a note in each panel where an algorithm falls with the gap as our lower bound does, within three percent.

    Parameters
    ----------
    rows : DataFrame
        Of `with_bounds`.
    """
    found = []
    private = rows[rows["trust"].isin(["central", "local"]) & rows["policy"].ne("order of (4)")]
    for _, part in private.groupby(["trust", "v"]):
        regret = part.groupby(["gap", part["policy"].str.startswith("lower bound")])["regret"].mean().unstack().dropna()
        slopes = np.diff(np.log(regret), axis=0) / np.diff(np.log(regret.index))[:, None]
        falls = np.flatnonzero(np.abs(slopes[:, 0] / slopes[:, 1] - 1) < 0.03)
        if falls.size:
            middle = math.sqrt(regret.index[falls[0]] * regret.index[falls[-1] + 1])
            name = part.loc[~part["policy"].str.startswith("lower bound"), "policy"].iloc[0]
            found.append(Note("same slope", middle, name, panel(next(part.itertuples()))))
    return found


def play(chapter: Any, gap: float, v: float, policies: Iterable[Policy], replications: int) -> pd.DataFrame:
    """Run eliminations on the instance, at the horizon only.

    Parameters
    ----------
    chapter : Chapter
        Horizon, seed and workers are its own.
    gap : float
        In (0, 1).
    v : float
        Order of the moment less 1, in (0, 1].
    policies : iterable of Policy
        Eliminations for u = 1.
    replications : int
        Independent runs.

    Returns
    -------
    DataFrame
        As `Chapter.play` returns, with `v` and `gap`.
    """
    reward, chance = gap ** (-1.0 / v), gap ** ((1.0 + v) / v)
    problem = Arms.bernoulli(np.array([chance, *[0.0] * (N_ARMS - 1)]))
    made = [paid(policy, reward) for policy in policies]
    runs = chapter.play(problem, made, replications=replications, checkpoints=[], v=v, gap=gap)
    scaled = {name: reward * runs[name] for name in ("regret", "uniform")}
    return runs.assign(**scaled, problem="five arms, one of which pays")


def paid(policy: Policy, reward: float) -> Policy:
    """Return the elimination that sees 1 where `policy` sees a reward of this size, and does the same.

    Parameters
    ----------
    policy : Policy
        An elimination.
    reward : float
        > 0.
    """
    own: Any = policy.record
    terms = own.terms.copy()
    terms[:, 3] /= reward  # how far a mean may lie below the largest
    record = own._replace(terms=terms, truncation=own.truncation / reward)
    return dataclasses.replace(policy, record=record)


def with_bounds(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with uniform play, our lower bounds, and the order of (4), wherever they are below gap T.

    Parameters
    ----------
    runs : DataFrame
        Of `play` at several gaps.
    """
    once = runs.drop_duplicates(["trust", "v", "gap"]).assign(mechanism="uniform", family="none")  # no runs
    local = once[once["trust"] == "local"]
    found = [
        once.assign(policy="lower bound, " + once["trust"], regret=[_lower(row) for row in once.itertuples()]),
        local.assign(policy="order of (4)", regret=[_stated(row) for row in local.itertuples()]),
    ]
    shown = join(runs, *found)
    shown = shown[shown["regret"] < shown["gap"] * shown["t"]]  # else T is too short for the bound
    even = once.drop_duplicates("gap").assign(policy="uniform", family="uniform", trust="none")
    return join(shown, even.assign(regret=even["t"] * even["uniform"]))


def _lower(row: Any) -> float:
    bound = bounds.ldp_lower if row.trust == "local" else bounds.dp_lower
    return bound(n_arms=N_ARMS, gap=row.gap, v=row.v, epsilon=row.epsilon, horizon=int(row.t), variant="corrected")


def _stated(row: Any) -> float:
    return float((N_ARMS - 1) * math.log(row.t) * row.gap ** (-1.0 / row.v) / row.epsilon**2)

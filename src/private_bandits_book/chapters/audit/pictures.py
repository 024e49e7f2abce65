"""Two figures and two tables of how good the auditor is."""

import math
from functools import partial
from typing import Any

import pandas as pd

from private_bandits_book import figures
from private_bandits_book.chapters.audit.studies import RIGHT
from private_bandits_book.plots import Picture

_FAULTS = {
    "noise halved": ("central", "central"),
    "CUCB-LDP2, noise halved": ("local", "local"),
    "one message of 100 without noise": ("none", "leaking"),
    "Gaussian noise for ten times delta": ("central", "central"),
}
"""Each fault's hue and trust model, which say its colour and its dash."""
_SHARES = {0.05: "5 % of seeds below", 0.5: "half of the seeds below", 0.95: "95 % of seeds below"}


def right(trials: pd.DataFrame) -> Picture:
    """Draw quantiles over seeds of what is certified of Laplace noise that is right, over the promise.

    Parameters
    ----------
    trials : DataFrame
        As `long.reliability` returns.
    """
    rows = trials[trials["kind"] == RIGHT[0]]
    found = (rows["low"] / rows["epsilon"]).groupby(rows["epsilon"]).quantile([*_SHARES]).rename("regret").reset_index()
    lines = found.assign(policy=found["level_1"].map(_SHARES), promised=found["epsilon"])
    ends = [float(rows["epsilon"].min()), float(rows["epsilon"].max())]
    bounds = [("the promise", ends, [1.0, 1.0])]
    look: dict[str, Any] = {"xscale": "log", "xlabel": "ϵ promised", "ylabel": "certified over promised"}
    looks = dict.fromkeys(_SHARES.values(), ("central", "central"))
    above = rows["low"].gt(rows["epsilon"]).groupby(rows["epsilon"]).agg(["sum", "size"])
    words = f"at most {above['sum'].max()} of {above['size'].max()} above, {rows['accused'].sum() or 'none'} accused"
    look["said"] = [figures.Note(words, 1.0, 1.0)]
    draw = partial(figures.regret_curves, _drawn(lines, looks), "promised", bounds=bounds, **look)
    said = ", ".join(f"{one.policy} {one.regret:.2f} at ε = {one.epsilon:g}" for one in lines.itertuples())
    data = lines.rename(columns={"regret": "certified"})[["policy", "promised", "certified"]]
    return Picture(draw(), data, f"Certified over promised: {said}.", narrow=draw(narrow=True))


def faulty(trials: pd.DataFrame) -> Picture:
    """Draw the fraction of seeds in which a fault is found against the runs, at epsilon = 1.

    Parameters
    ----------
    trials : DataFrame
        As `long.reliability` returns.
    """
    rows = trials[~trials["kind"].isin(RIGHT) & (trials["epsilon"] == 1.0)]
    rows = rows[rows.groupby("kind")["runs"].transform("nunique") > 1]
    found = rows.groupby(["kind", "runs"], sort=False)["accused"].agg(regret="mean", seeds="size").reset_index()
    lines = found.rename(columns={"kind": "policy"})
    spread = (lines["regret"] * (1 - lines["regret"]) / lines["seeds"]) ** 0.5
    look: dict[str, Any] = {"xscale": "log", "xlabel": "runs in all", "ylabel": "fraction of seeds that find the fault"}
    draw = partial(figures.regret_curves, _drawn(lines, _FAULTS).assign(regret_se=spread), "runs", **look)
    said = ", ".join(f"{one.policy} {one.regret:.0%} with {one.runs:,} runs" for one in lines.itertuples())
    return Picture(draw(), lines.rename(columns={"regret": "share"}), f"Found: {said}.", narrow=draw(narrow=True))


def summary(trials: pd.DataFrame) -> pd.DataFrame:
    """Return a row per trial: how often it accuses, how often a lower end is above epsilon, and the median ends.

    Parameters
    ----------
    trials : DataFrame
        As `long.reliability` returns.
    """
    groups = trials.assign(beyond=trials["low"] > trials["epsilon"]).groupby(["kind", "epsilon", "runs"], sort=False)
    found = groups.agg(
        seeds=("seed", "size"),
        accused=("accused", "sum"),
        beyond=("beyond", "sum"),
        median=("low", "median"),
        two_intervals=("two_intervals", "median"),
    )
    return found.reset_index()


def views(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per view and number of rounds: what is certified over the seeds, and how many accuse.

    Parameters
    ----------
    rows : DataFrame
        As `studies.views` returns.
    """
    groups = rows.groupby(["view", "rounds"], sort=False)
    found = groups["low"].agg(seeds="size", mean="mean", deviation="std", least="min", most="max")
    return found.join(groups["accused"].sum()).reset_index()


def _drawn(lines: pd.DataFrame, looks: dict[str, tuple[str, str]]) -> pd.DataFrame:
    """The columns that a figure of curves reads, with the hue and the trust model of each line."""
    known = pd.DataFrame.from_dict(looks, orient="index", columns=["hue", "trust"])
    facts = {"label": lines["policy"], "epsilon": math.inf, "t": 1, "regret_se": 0.0, "replications": 1}
    return lines.join(known, on="policy").assign(**facts)

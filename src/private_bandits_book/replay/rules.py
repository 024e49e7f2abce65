"""How the claims of the page on replay are judged: pure functions of frames and numbers, one per claim."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.privacy import binomial_interval
from private_bandits_book.judging import Holds, Less, Ruling
from private_bandits_book.verdicts import DERIVED

REPLAYED = {"algorithm": ["replay"], "variant": ["Thompson"]}
PLAIN, NEWER, OLDER = {"paper": ["auer2002"]}, {"paper": ["azize2025"]}, {"paper": ["sajed2019", "azize2022"]}
RATE = 1 / 500  # of linear runs: also what the rule was chosen by
CELL = ["instance", "epsilon"]


def chosen(rows: pd.DataFrame, facts: Mapping[str, list[str]]) -> pd.DataFrame:
    """Return the rows with these facts."""
    for name, values in facts.items():
        rows = rows[rows[name].isin(values)]
    return rows


def ratio(ours: pd.DataFrame, theirs: pd.DataFrame) -> Interval:
    """Return ln of the geometric mean ratio of regrets over the cells of both, with a 95 % interval."""
    both = ours.merge(theirs, on=[name for name in CELL if name in theirs], suffixes=("", "_other"))
    if both.empty:
        raise LookupError("no cell has both")
    logs = np.log(both["regret"] / both["regret_other"])
    half = 1.96 * float(np.sqrt((both["variance"] + both["variance_other"]).sum())) / len(both)
    return Interval(float(logs.mean()), float(logs.mean()) - half, float(logs.mean()) + half)


def least(rows: pd.DataFrame, facts: Mapping[str, list[str]]) -> pd.DataFrame:
    """Return in each cell the least mean regret of the policies with these facts, and the variance of its logarithm."""
    found = chosen(rows, facts)
    found = found.assign(variance=(found["regret_se"] / found["regret"]) ** 2)
    return found.sort_values("regret").drop_duplicates(CELL)


def own_replay_privacy(cases: Sequence[tuple[Fraction, Fraction]]) -> Ruling:
    """Each case is the largest ratio of probabilities that was found, and e^epsilon."""
    worst = max(float(np.log(float(found)) / np.log(float(limit))) for found, limit in cases)
    said = f"{len(cases)} cases over all neighbouring tables, in fractions: the loss is at most {worst:.4g} epsilon"
    return Holds(excludes=("a batch released twice", "lengths that read the sum"))(
        all(found <= limit for found, limit in cases), said, worst
    )


def own_replay_bound() -> Ruling:
    """By the proof."""
    said = "proved: a batch's noise counts as fewer observations, whose deviations obey Hoeffding's inequality to 1/T"
    return Holds(DERIVED)(True, said)


def own_replay_rivals(rows: pd.DataFrame) -> Ruling:
    """Rows of the measurement."""
    found = ratio(least(rows, REPLAYED), least(rows, OLDER))
    return Less("ln regret of Thompson sampling, replayed,", "that of the best of the older policies")(found)


def own_replay_dp_klucb(rows: pd.DataFrame) -> Ruling:
    """Rows of the measurement."""
    found = ratio(least(rows, REPLAYED), least(rows, NEWER))
    return Less("ln regret of Thompson sampling, replayed,", "that of DP-KLUCB")(found)


def own_replay_linear(rows: pd.DataFrame) -> Ruling:
    """Rows of the measurement."""
    linear, runs = chosen(rows, REPLAYED)[["linear", "replications"]].sum()
    low, high = binomial_interval(int(linear), int(runs))
    share = Interval(float(linear / runs) - RATE, low - RATE, high - RATE)
    return Less(f"share of linear runs, {linear} of {runs},", "1/500")(share)


def own_replay_free(rows: pd.DataFrame) -> Ruling:
    """Rows of the measurement."""
    free = least(rows, PLAIN).drop(columns="epsilon")
    found = ratio(least(rows[rows["epsilon"] == 1.0], REPLAYED), free)
    return Less("ln regret of Thompson sampling, replayed, at epsilon = 1,", "that of UCB(0.5) without privacy")(found)

"""The numbers that the findings state are of runs enough for 5 %."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from replay import committed, folder

from private_bandits.estimates import half_width
from private_bandits_book.chapters.definitions.studies import DP_KLUCB, LDP_UCB, LONG_HORIZON, UCB

WIDEST, END = 0.05, 10**15


def stated(chapter: str, file: str, **wanted: object) -> tuple[float, float, int]:
    """Mean, standard error and runs of one row of committed data."""
    frame = pd.read_csv(folder(chapter) / f"{file}.csv")
    row = frame[np.logical_and.reduce([frame[name] == value for name, value in wanted.items()])]
    assert len(row) == 1
    return tuple(row[["regret", "regret_se", "replications"]].iloc[0])


def long(name: str, epsilon: float) -> tuple[float, float, int]:
    """The same of a longer study."""
    frame = committed("definitions", "upper-lower")
    last = (frame["policy"] == name) & (frame["epsilon"] == epsilon) & (frame["t"] == LONG_HORIZON)
    regret = frame[last]["regret"].astype(float)
    return regret.mean(), regret.sem(), len(regret)


STATED = {
    "cascading, Laplace": lambda: stated("cascading", "figure-1a", policy="Laplace", variant="stated", t=100_000),
    "cascading, first item": lambda: stated("cascading", "figure-private", policy="Response, first item", epsilon=0.2),
    "semi-bandits, LDP1": lambda: stated(
        "semibandits", "figure-regret", policy="CUCB-LDP1", variant="repaired", epsilon=0.5, t=100_000
    ),
    "semi-bandits, LDP2": lambda: stated(
        "semibandits", "figure-regret", policy="CUCB-LDP2", variant="repaired", epsilon=0.5, t=100_000
    ),
    "heavy tails, episodes, v = 0.5": lambda: stated(
        "heavy_tailed", "figure-open", policy="DP Robust UCB, episodes", t=END, v=0.5
    ),
    "heavy tails, quantiles, v = 0.5": lambda: stated(
        "heavy_tailed", "figure-open", policy="Quantile SE", t=END, v=0.5
    ),
    "heavy tails, quantiles, v = 0.9": lambda: stated(
        "heavy_tailed", "figure-open", policy="Quantile SE", t=END, v=0.9
    ),
    "definitions, UCB": lambda: long(UCB, math.inf),
    "definitions, LDP-UCB-B": lambda: long(LDP_UCB, 0.1),
    "definitions, DP-KLUCB": lambda: long(DP_KLUCB, 0.1),
}


@pytest.mark.parametrize("name", STATED)
def test_a_number_in_the_findings_is_known_to_five_per_cent(name):
    mean, se, runs = STATED[name]()
    assert half_width(se, runs) <= WIDEST * mean

"""The numbers that the findings state: runs enough for 5 %, in line with their laws, on which the intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from laws import END, FILE, laws, play
from replay import committed, folder

from private_bandits.estimates import (
    Interval,
    difference_interval,
    exponent_difference,
    fit_exponent,
    half_width,
    mean_interval,
    ratio_interval,
)
from private_bandits_book.chapters.definitions.studies import DP_KLUCB, LDP_UCB, LONG_HORIZON, UCB

LAWS = pd.read_csv(FILE)
WIDEST = 0.05
BEYOND = 3.29  # standard errors that a mean leaves once in a thousand
TRIALS = 1000
LEAST = 0.93 - 2.0 * math.sqrt(0.05 * 0.95 / TRIALS)
POINTS = np.array([1.0, 2.0, 4.0, 8.0])


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


@pytest.mark.parametrize("name", [name for name in STATED if not name.startswith("definitions")])
def test_a_number_in_the_findings_agrees_with_its_law(name):
    (mean, se, _), law = STATED[name](), mean_interval(LAWS[name])
    assert abs(mean - law.measured) <= BEYOND * math.hypot(se, law.se)


FEWEST = 5  # runs of a longer study, whose exponents the findings state as well
AT = [(name, None) for name in LAWS] + [
    (name, FEWEST) for name in LAWS if name.startswith(("cascading", "semi-bandits"))
]


@pytest.mark.parametrize(("name", "runs"), AT)
def test_the_intervals_cover_on_the_law_of_a_number(name, runs):
    truth, rng = LAWS[name].to_numpy(), np.random.default_rng(20)
    runs = runs or int(STATED[name]()[2])
    draws = rng.choice(truth, (TRIALS, runs, len(POINTS)))
    paired = rng.choice(truth, (TRIALS, runs, len(POINTS))) * POINTS
    found = {
        truth.mean(): [mean_interval(draw[:, 0]) for draw in draws],
        0.0: [difference_interval(draw[:, 0], draw[:, 1]) for draw in draws],
        1.0: [ratio_interval(draw[:, 0], draw[:, 1]) for draw in draws],
        0.5: [fit_exponent(POINTS, draw * np.sqrt(POINTS)) for draw in draws],
        -1.0: [exponent_difference(POINTS, *pair) for pair in zip(draws, paired, strict=True)],
    }
    covered = {value: np.mean([covers(one, value) for one in intervals]) for value, intervals in found.items()}
    assert min(covered.values()) >= LEAST, covered


def covers(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high


@pytest.mark.parametrize("name", LAWS)
def test_the_laws_are_what_is_played(name):
    assert play(name, 2) == pytest.approx(LAWS[name][:2].to_numpy(), rel=1e-9)
    assert len(LAWS) == 2000 and set(laws()) == set(LAWS)

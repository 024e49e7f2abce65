"""The longer studies of the comparison: policies in Python, and one whose index takes long to find."""

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from private_bandits import baselines
from private_bandits.papers import cascading
from private_bandits.problems import Arms, SemiBandit
from private_bandits_book.one_item import OneItem
from private_bandits_book.studies import LongRun

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, math.inf)  # of the page, and without noise
HORIZON, SEED, RUNS = 100_000, 2026, 20


def _runs(problem: Any, make: Callable[[float], Any]) -> list[LongRun]:
    return [LongRun({"pays": epsilon}, problem, make(epsilon), HORIZON, SEED, RUNS, ()) for epsilon in EPSILONS]


def arms_runs() -> list[LongRun]:
    """Return the runs of KL-UCB behind randomised bits, on the arms of Sajed and Sheffet (2019)."""
    return _runs(Arms.bernoulli(np.array([0.75, 0.625, 0.5, 0.375, 0.25])), baselines.kl_ucb_cf)


def lists_runs() -> list[LongRun]:
    """Return the runs of replay around one item, on lists of four out of twenty."""
    return _runs(cascading.b_lb(20, 4, 0.2, 0.15), partial(baselines.replay, OneItem(), horizon=HORIZON))


def sets_runs() -> list[LongRun]:
    """Return the runs of replay around one item, on sets of three out of six arms."""
    six = SemiBandit.from_sets([0.5] * 3 + [0.2] * 3, [*combinations(range(6), 3)])
    return _runs(six, partial(baselines.replay, OneItem(), horizon=HORIZON))


STUDIES = {"arms": arms_runs, "lists": lists_runs, "sets": sets_runs}

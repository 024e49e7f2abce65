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
from private_bandits_book import rivals
from private_bandits_book.rivals import OneBit, OneItem
from private_bandits_book.studies import LongRun, LongStudy

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, math.inf)  # of the page, and without noise
HORIZON, SEED, RUNS = 100_000, 2026, 20

ARMS = Arms.bernoulli(np.array([0.75, 0.625, 0.5, 0.375, 0.25]))  # of Sajed and Sheffet (2019)
LISTS = cascading.b_lb(20, 4, 0.2, 0.15)
SETS = SemiBandit.from_sets([0.5] * 3 + [0.2] * 3, [*combinations(range(6), 3)])
REPLAYED = partial(baselines.replay, OneItem(), horizon=HORIZON)
BATCHES = partial(rivals.ListBatches, horizon=HORIZON)


def runs_of(problem: Any, make: Callable[[float], Any]) -> list[LongRun]:
    """Return the runs of a policy on a problem of the page, at every epsilon."""
    return [LongRun({"pays": epsilon}, problem, make(epsilon), HORIZON, SEED, RUNS, ()) for epsilon in EPSILONS]


STUDIES = {
    "arms": LongStudy(partial(runs_of, ARMS, baselines.kl_ucb_cf), ["pays"]),
    "lists": LongStudy(partial(runs_of, LISTS, REPLAYED), ["pays"]),
    "sets": LongStudy(partial(runs_of, SETS, REPLAYED), ["pays"]),
    "bits-arms": LongStudy(partial(runs_of, ARMS, OneBit), ["pays"]),
    "bits-lists": LongStudy(partial(runs_of, LISTS, OneBit), ["pays"]),
    "bits-sets": LongStudy(partial(runs_of, SETS, OneBit), ["pays"]),
    "imed-arms": LongStudy(partial(runs_of, ARMS, rivals.DPIMED), ["pays"]),
    "lazy-arms": LongStudy(partial(runs_of, ARMS, rivals.LazyDPTS), ["pays"]),
    "batches-lists": LongStudy(partial(runs_of, LISTS, BATCHES), ["pays"]),
    "batches-sets": LongStudy(partial(runs_of, SETS, BATCHES), ["pays"]),
    "replies-lists": LongStudy(partial(runs_of, LISTS, partial(rivals.WholeReply, list_size=4)), ["pays"]),
    "replies-sets": LongStudy(partial(runs_of, SETS, partial(rivals.AllBits, list_size=3)), ["pays"]),
}

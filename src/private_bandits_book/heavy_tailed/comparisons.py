"""What a panel's curves show beside each other."""

import math
from collections.abc import Iterable

import numpy as np

from private_bandits.estimates import Interval, difference_interval
from private_bandits_book.heavy_tailed import rates
from private_bandits_book.heavy_tailed.study import PRINTED, between
from private_bandits_book.rules import Less, Ruling, by_runs
from private_bandits_book.studies import Run, Runs
from private_bandits_book.sweep import learnt
from private_bandits_book.verdicts import NOT_REPRODUCED, REPRODUCED


def overtaken(panel: Runs) -> float:
    """Return the last round in which DP Robust SE is above DP Robust UCB, as printed; nan if it never is."""
    mine, other = panel.find(rates.DP, PRINTED), panel.find(rates.UCB, PRINTED)
    t, here, there = np.intersect1d(mine.t, other.t, return_indices=True)
    above = t[mine.curves.mean(axis=0)[here] > other.curves.mean(axis=0)[there]]
    return float(above[-1]) if len(above) else math.nan


def settled(run: Run) -> float:
    """Return the first checkpoint from which no run of a policy loses any more; nan if one loses at the horizon."""
    moving = np.flatnonzero(np.any(run.curves < run.final[:, None] * (1.0 - 1e-9), axis=0))
    first = int(moving[-1]) + 1 if len(moving) else 0
    return float(run.t[first]) if first < len(run.t) - 1 else math.nan


def has_learnt(panel: Runs) -> bool:
    """Return whether one of the two algorithms of a panel has left uniform play, so that there is an order to see."""
    runs = [panel.find(name, PRINTED) for name in (rates.DP, rates.UCB)]
    return any(bool(learnt(run.final.mean(), run.uniform)) for run in runs)


def below(panel: Runs) -> Ruling:
    """Judge whether DP Robust SE ends below DP Robust UCB, whatever the ends that bracket the latter leave open.

    A mode of DP Robust SE that no run has drawn has a proven probability of at most 2 beta at c = 24, for epsilon <= 1.
    """
    mine, other = panel.find(rates.DP, PRINTED), panel.find(rates.UCB, PRINTED)
    rule = Less(f"at T = {mine.t[-1]:.0e}".replace("e+", "e") + " SE's share of uniform play", "UCB's")

    share, unseen = mine.final / mine.uniform, 2.0 * mine.policy.record.beta if mine.epsilon <= 1.0 else 1.0

    def estimate(least: np.ndarray, most: np.ndarray) -> Interval:
        far, near = difference_interval(share, most), difference_interval(share, least)
        return Interval((far.measured + near.measured) / 2.0, far.low, near.high + unseen)

    shares = (end / other.uniform for end in between(other))
    return by_runs(rule, estimate, *shares, most=1.0).of(mine.policy, other.policy)


def orders_of(panels: Iterable[Runs]) -> dict[str, int]:
    """Return in how many panels DP Robust SE ends below, above, or neither, where one of the two has learnt.

    And in how many it ends above where neither has (`before`).
    """
    found = [(has_learnt(panel), below(panel).verdict) for panel in panels]
    verdicts = [verdict for seen, verdict in found if seen]
    counts = {"below": verdicts.count(REPRODUCED), "above": verdicts.count(NOT_REPRODUCED)}
    counts |= {"undecided": len(verdicts) - sum(counts.values()), "learnt": len(verdicts)}
    return counts | {"before": found.count((False, NOT_REPRODUCED))}

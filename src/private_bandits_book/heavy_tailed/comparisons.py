"""What a panel's curves show beside each other, and how far the fluid approximation among them can be trusted."""

import math

import numpy as np

from private_bandits.estimates import Interval, mean_interval
from private_bandits_book.heavy_tailed import rates
from private_bandits_book.heavy_tailed.study import EVEN, FLUID, PRINTED, RUNS
from private_bandits_book.studies import Run, Runs
from private_bandits_book.sweep import learnt


def overtaken(panel: Runs) -> float:
    """Return the last round in which DP Robust SE is above DP Robust UCB, as printed; nan if it never is."""
    mine = panel.find(rates.DP, PRINTED)
    above = [math.nan]
    for other in panel.select(rates.UCB, PRINTED) + panel.select(rates.INDEX, PRINTED):
        t, here, there = np.intersect1d(mine.t, other.t, return_indices=True)
        above += t[mine.curves.mean(axis=0)[here] > other.curves.mean(axis=0)[there]].tolist()
    return float(np.nanmax(above)) if len(above) > 1 else math.nan


def settled(run: Run) -> float:
    """Return the first checkpoint from which no run of a policy loses any more; nan if one loses at the horizon."""
    moving = np.flatnonzero(np.any(run.curves < run.final[:, None] * (1.0 - 1e-9), axis=0))
    first = int(moving[-1]) + 1 if len(moving) else 0
    return float(run.t[first]) if first < len(run.t) - 1 else math.nan


def fluid_errors(panel: Runs, variant: str = PRINTED) -> tuple[float, float]:
    """How far the fluid approximation is from the runs, of the regret and of what is learnt; nan where none is.

    The first is the largest relative distance over the rounds that both have, from round 1000 on, as before it a few
    pulls are a large share. The second is what it misses, in the last round that is run, of the runs' distance from
    uniform play; negative where it has learnt less.
    """
    runs, fluid = panel.select(rates.UCB, variant, kind=RUNS), panel.select(rates.INDEX, variant)
    if not runs or not fluid:
        return math.nan, math.nan
    t, here, there = np.intersect1d(runs[0].t, fluid[0].t, return_indices=True)
    mean, approximated = runs[0].curves.mean(axis=0)[here], fluid[0].curves[0][there]
    late = (t >= 1000) & (mean > 0)
    error = float(np.max(np.abs(approximated[late] / mean[late] - 1.0))) if late.any() else math.nan
    if not len(t):
        return error, math.nan
    uniform = panel.find(EVEN)
    full = float(np.interp(float(t[-1]), uniform.t, uniform.curves[0]))
    return error, float((full - approximated[-1]) / (full - mean[-1]) - 1.0)


def fluid_bias(panel: Runs) -> dict[int, Interval]:
    """Fluid over run less 1 at the last round and one and two decades before it, where the runs have learnt.

    The intervals are those of the means of the runs. Nothing is known at other rounds, or at another radius.
    """
    runs, fluid = panel.select(kind=RUNS), panel.select(kind=FLUID)
    found: dict[int, Interval] = {}
    if not runs or not fluid:
        return found
    even = panel.find(EVEN)
    shared, here, there = np.intersect1d(runs[0].t, fluid[0].t, return_indices=True)
    for decades in (2, 1, 0):
        place = int(np.searchsorted(shared, shared[-1] / 10**decades))
        t, regret, value = int(shared[place]), runs[0].curves[:, here[place]], float(fluid[0].curves[0][there[place]])
        seen = mean_interval(regret)
        if seen.low > 0.0 and learnt(seen.measured, np.interp(t, even.t, even.curves[0])):
            found[t] = Interval(value / seen.measured - 1.0, value / seen.high - 1.0, value / seen.low - 1.0)
    return found

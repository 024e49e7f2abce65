"""What the slides' panels show, judged on the chapter's, and how far the fluid approximation in them can be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, difference_interval, mean_interval
from private_bandits_book.heavy_tailed.experiments import FLUID, PRINTED, RUNS, Curve, Panel, last
from private_bandits_book.rules import Holds, Less, Ruling, all_of
from private_bandits_book.studies import find

VS, EPSILONS = (0.5, 0.9), (0.5, 1.0)
GRID = [(v, epsilon) for v in VS for epsilon in EPSILONS]
"""v and epsilon of the panels (a) to (d) of a setting."""
LEARNT = 0.5  # share of uniform play's regret below which a policy has learnt something


def below(panel: Panel, error: float) -> Ruling:
    """Whether SE ends below UCB; undecided where neither has learnt. A fluid value is as wide as `error`, its share."""
    rule = Less("SE's share of uniform play", "UCB's")
    uniform, mine = float(find(panel, "uniform").final.mean()), find(panel, "DP Robust SE", PRINTED)
    other = last(panel, "DP Robust UCB", PRINTED)
    if min(mine.final.mean(), other.final.mean()) > LEARNT * uniform:
        return rule(None)
    if other.kind == RUNS:
        return rule(_over(uniform, difference_interval(mine.final, other.final)))
    if math.isnan(error):
        return rule(None)
    seen, value = mean_interval(mine.final), float(other.final[0])
    margin = error * value
    return rule(_over(uniform, (seen.measured - value, seen.low - value - margin, seen.high - value + margin)))


def overtaken(panel: Panel, reading: str = PRINTED) -> float:
    """Return the last round in which DP Robust SE is above DP Robust UCB, runs or fluid; nan if it never is."""
    mine = find(panel, "DP Robust SE", reading)
    above = [math.nan]
    for other in panel:
        if other.name.removesuffix(", fluid") == "DP Robust UCB" and other.reading == reading:
            t, here, there = np.intersect1d(mine.t, other.t, return_indices=True)
            above += t[mine.regret.mean(axis=0)[here] > other.regret.mean(axis=0)[there]].tolist()
    return float(np.nanmax(above)) if len(above) > 1 else math.nan


def learns(panel: Panel, confidence: pd.DataFrame, v: float) -> Ruling:
    """Every epsilon ends below half of uniform play, a larger one below a smaller, and the means keep their bound."""
    uniform = float(find(panel, "uniform").final.mean())
    curves = sorted((c for c in panel if c.reading == PRINTED), key=lambda curve: curve.epsilon)
    if not all(_decided(curve, uniform) for curve in curves):
        return Holds()(None)
    parts = [_learnt(curve, uniform) for curve in curves]
    for small, large in zip(curves, curves[1:], strict=False):
        difference = _over(uniform, difference_interval(large.final, small.final))
        parts.append(Less(f"at epsilon {large.epsilon:g}", f"{small.epsilon:g}")(difference))
    rows = confidence[(confidence["policy"] == "LDP Robust SE") & (confidence["v"] == v)]
    rows = rows[(rows["value"] == 24.0) & (rows["draws"] > 0)]
    beyond, draws = int(rows["beyond"].sum()), int(rows["draws"].sum())
    parts.append(
        Holds()(beyond == 0 if draws else None, f"{beyond} of {draws} epoch means beyond what the rule allows")
    )
    return all_of(*parts)


def settled(curve: Curve) -> float:
    """Return the first checkpoint from which no run of a policy loses any more; nan if one loses at the horizon."""
    moving = np.flatnonzero(np.any(curve.regret < curve.final[:, None] * (1.0 - 1e-9), axis=0))
    first = int(moving[-1]) + 1 if len(moving) else 0
    return float(curve.t[first]) if first < len(curve.t) - 1 else math.nan


# --- the fluid approximation


def fluid_error(panel: Panel, reading: str = PRINTED) -> float:
    """Largest relative distance of the fluid approximation from the runs, over the rounds that both have; nan if none.

    From round 1000, before which a few pulls are a large share.
    """
    t, mean, approximated = _both(panel, reading)
    late = (t >= 1000) & (mean > 0)
    return float(np.max(np.abs(approximated[late] / mean[late] - 1.0))) if late.any() else math.nan


def missed(panel: Panel, reading: str = PRINTED) -> float:
    """Share that the fluid approximation misses of what the runs have learnt: of their distance from uniform play.

    In the last round that is run. Negative where it has learnt less; nan if there is nothing to compare.
    """
    t, mean, approximated = _both(panel, reading)
    if not len(t):
        return math.nan
    uniform = find(panel, "uniform")
    full = float(np.interp(float(t[-1]), uniform.t, uniform.regret[0]))
    return float((full - approximated[-1]) / (full - mean[-1]) - 1.0)


def fluid_bias(panel: Panel) -> Interval | None:
    """Fluid over run less 1 at the last round, where the runs have learnt; None where they have not.

    The interval is that of the mean of the runs.
    """
    runs = [curve for curve in panel if curve.kind == RUNS]
    fluid = [curve for curve in panel if curve.kind == FLUID]
    if not runs or not fluid or runs[0].final.mean() > LEARNT * find(panel, "uniform").final.mean():
        return None
    seen, value = mean_interval(runs[0].final), float(fluid[0].final[0])
    if seen.low <= 0.0:
        return None
    return Interval(value / seen.measured - 1.0, value / seen.high - 1.0, value / seen.low - 1.0)


def fluid_margin(learnt: Mapping[float, Panel]) -> float:
    """Return the largest bias that the check at small radii leaves possible; nan if none has learnt."""
    found = [bias for panel in learnt.values() if (bias := fluid_bias(panel)) is not None]
    return max((max(abs(bias.low), abs(bias.high)) for bias in found), default=math.nan)


def _both(panel: Panel, reading: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rounds that the runs and the fluid approximation of a reading share, and the mean regret of either."""
    runs = [c for c in panel if c.name == "DP Robust UCB" and c.reading == reading and c.kind == RUNS]
    fluid = [c for c in panel if c.name == "DP Robust UCB, fluid" and c.reading == reading]
    if not runs or not fluid:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    t, here, there = np.intersect1d(runs[0].t, fluid[0].t, return_indices=True)
    return t, runs[0].regret.mean(axis=0)[here], fluid[0].regret[0][there]


def _decided(curve: Curve, uniform: float) -> bool:
    """Whether any run has finished an epoch: until then it plays uniformly."""
    return not np.all(np.abs(curve.final / uniform - 1.0) < 1e-6)


def _learnt(curve: Curve, uniform: float) -> Ruling:
    rule = Less(f"share at epsilon {curve.epsilon:g}", f"{LEARNT:g}")
    seen = mean_interval(curve.final / uniform)
    return rule(Interval(seen.measured - LEARNT, seen.low - LEARNT, seen.high - LEARNT))


def _over(uniform: float, value: tuple[float, ...]) -> Interval:
    return Interval(value[0] / uniform, value[1] / uniform, value[2] / uniform)

"""How regret grows with 1/gap, 1/epsilon, T and u: the exponents that the theorems and the summary table claim.

The instance is that of the lower bounds: one arm pays x with probability p, four arms always pay 0. With u = 1 and
x = p^(-1/(1+v)) the gap is g = p^(v/(1+v)). Everything scales with the unit of reward, so we play p itself: Bernoulli
arms with means (p, 0, 0, 0, 0) and the moment u = p, and multiply the regret by x. Boxes have their printed c = 24 and
beta = 1/T. The masses are 3/8 times powers of two, so that every one stands at the same place between two epochs; the
search for the worst one takes steps of a factor sqrt 2.

A point counts where the run has settled: its regret is below half of uniform play's. An exponent needs four points.
The schedule of an elimination box does not depend on the rewards until an arm leaves, so runs hardly differ and five
are enough; the exponents are those of the schedule, as long as no mean errs. DP Robust UCB settles beyond any run;
its exponents are those of the fluid approximation, on two Pareto arms, where they restate the radius.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import Interval, fit_exponent
from private_bandits.papers.heavy_tailed import (
    adap_robust_ucb,
    dp_robust_se,
    dp_robust_ucb,
    ldp_robust_se,
    pareto_arms,
    robust_ucb,
)
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits.simulate import simulate
from private_bandits_book.heavy_tailed.fluid import fluid_regret

N_ARMS = 5
DP, LDP, EPISODES = "DP Robust SE", "LDP Robust SE", "DP Robust UCB, episodes"
INDEX, PLAIN_INDEX = "DP Robust UCB, fluid", "Robust UCB, fluid"
BOUNDED, BOUNDED_LOCAL = "DP-SE", "LDP-UCB-B"
GAP, EPSILON, LOG, WORST, MOMENT, WORST_MOMENT = "1/gap", "1/epsilon", "ln T", "T, worst gap", "u", "u, worst gap"
SMALL_GAP = "1/gap, small epsilon"
SETTLED = 0.5
LOCAL_ROUNDS = 300_000  # of LDP-UCB-B, which is played round by round
_RUNS = 5
_EPSILONS = tuple(2.0**-k for k in range(7))
_MASSES = tuple(0.375 * 2.0**-k for k in range(40))
_SWEPT = 28  # masses of the sweep over gaps
_GAPS = tuple(0.75 * 2.0**-k for k in range(3, 24))
_PRIVATE_GAP, _SMALL_EPSILONS = 0.75, tuple(2.0**-k for k in range(8, 15))
_PRIVATE_GAPS = tuple(_PRIVATE_GAP * 2.0**-k for k in range(4, 10))  # far above the smallest epsilon
_LOCAL_EPSILONS = tuple(2.0 ** (-k / 2) for k in range(7))
_LOCAL_GAPS = tuple(0.9 * 2.0 ** (-k / 2) for k in range(12))
_FLUID_MEAN, _FLUID_SPARE = 0.9, 0.05
_FLUID_DIGITS = 11  # the radius at the horizon, as a power of 1/10: what doubles still tell from 0
_LEAST = 4

Maker = Callable[[float, float, float, int], Policy]  # epsilon, v, u, horizon


class Exponent(NamedTuple):
    """A measured exponent, or None where fewer than four points have settled."""

    box: str
    v: float  # nan for boxes of bounded rewards
    quantity: str
    fit: Interval | None
    points: int


class Point(NamedTuple):
    """Regret of a box on the instance of the lower bounds, in units where u = 1."""

    box: str
    v: float
    gap: float
    regret: np.ndarray


_MAKERS: dict[str, Maker] = {
    DP: lambda epsilon, v, u, horizon: dp_robust_se(epsilon, v, u, 1.0 / horizon),
    LDP: lambda epsilon, v, u, horizon: ldp_robust_se(epsilon, v, u, 1.0 / horizon),
    EPISODES: lambda epsilon, v, u, horizon: adap_robust_ucb(epsilon, v, u, horizon),
}


@dataclass
class Rates:
    """Measures exponents at one horizon, by independent runs of every point."""

    horizon: int
    replications: int  # of LDP-UCB-B; the others take at most five
    seed: int
    n_jobs: int = 1

    def by_gap(self, box: str, v: float) -> list[Point]:
        """Regret at epsilon = 1 at every gap that settles within the horizon, the largest gap first."""
        points = []
        for mass in _MASSES[:_SWEPT]:
            regret = self._settled(box, v, mass)
            if regret is None:
                break
            points.append(Point(box, v, mass ** (v / (1.0 + v)), regret * mass ** (-1.0 / (1.0 + v))))
        return points

    def exponents(self, v: float) -> list[Exponent]:
        """Every exponent of the boxes for heavy tails at one v."""
        found = []
        for box in _MAKERS:
            points = self.by_gap(box, v)
            found.append(_fit(box, v, GAP, [1.0 / p.gap for p in points], [p.regret for p in points]))
            found += [self._by_epsilon(box, v), self._by_horizon(box, v)]
            if box != EPISODES:  # its doubling is a staircase in ln T
                found.append(self._by_log(box, v))
        found += [self._by_moment(v), self._worst_by_moment(v)]
        return found + self.fluid(v)

    def fluid(self, v: float) -> list[Exponent]:
        """The exponents of the index boxes in the fluid approximation; exact numbers without an interval."""
        shape = 1.0 + v + _FLUID_SPARE
        u = pareto_arms(np.array([_FLUID_MEAN]), shape).moment(v)
        longest = int(_FLUID_DIGITS * (1.0 + v) / v)
        gaps, horizons = [0.4, 0.2, 0.1, 0.05], [10 ** (longest - k) for k in (8, 6, 4, 2, 0)]

        def regret(gap: float, epsilon: float, horizon: int) -> np.ndarray:
            policy = robust_ucb(v, u, horizon) if math.isinf(epsilon) else dp_robust_ucb(epsilon, v, u, horizon)
            problem = pareto_arms(np.array([_FLUID_MEAN, _FLUID_MEAN - gap]), shape)
            return fluid_regret(problem, policy, [float(horizon)])

        found = []
        for box, epsilon in ((INDEX, 1.0), (PLAIN_INDEX, math.inf)):
            by_gap = [regret(gap, epsilon, horizons[-1]) for gap in gaps]
            found.append(_fit(box, v, GAP, [1.0 / gap for gap in gaps], by_gap))
            by_log = [regret(0.4, epsilon, horizon) for horizon in horizons]
            found.append(_fit(box, v, LOG, [math.log(horizon) for horizon in horizons], by_log))
        by_epsilon = [regret(0.4, epsilon, horizons[-1]) for epsilon in _EPSILONS]
        found.append(_fit(INDEX, v, EPSILON, [1.0 / epsilon for epsilon in _EPSILONS], by_epsilon))
        return found

    def bounded(self) -> list[Exponent]:
        """The exponents of DP-SE and LDP-UCB-L, on Bernoulli arms: the context of the table's other half."""
        return self._dp_se() + self._ldp_ucb()

    @property
    def _long(self) -> int:
        return max(self.horizon, 2)

    def _play(self, problem: Arms, policy: Policy, horizon: int) -> np.ndarray:
        data = simulate(
            problem,
            policy,
            horizon=horizon,
            replications=min(self.replications, _RUNS),
            seed=self.seed,
            checkpoints=[horizon],
        )
        return np.asarray(data.regret.values)

    def _final(self, box: str, v: float, mass: float, epsilon: float, horizon: int, factor: float) -> np.ndarray:
        """Regret at the horizon with x = 1, of a box that is told `factor` times the moment."""
        policy = _MAKERS[box](epsilon, v, factor * mass, horizon)
        return self._play(_two_point(mass), policy, horizon)[:, -1]

    def _settled(
        self,
        box: str,
        v: float,
        mass: float = _MASSES[0],
        epsilon: float = 1.0,
        horizon: int | None = None,
        factor: float = 1.0,
    ) -> np.ndarray | None:
        length = self._long if horizon is None else horizon
        final = self._final(box, v, mass, epsilon, length, factor)
        return final if final.mean() < SETTLED * _two_point(mass).uniform_regret() * length else None

    def _worst(self, box: str, v: float, horizon: int, factor: float = 1.0) -> np.ndarray | None:
        """Regret at the gap where it is largest; None where that is the largest gap of all, so nothing settles."""
        finals: dict[float, np.ndarray] = {}

        def regret(place: float) -> float:
            mass = _MASSES[0] * 2.0**-place
            finals[place] = self._final(box, v, mass, 1.0, horizon, factor) * mass ** (-1.0 / (1.0 + v))
            return float(finals[place].mean())

        most = 0.0
        for step, mass in enumerate(_MASSES):
            if _two_point(mass).uniform_regret() * horizon * mass ** (-1.0 / (1.0 + v)) < most:
                break
            most = max(most, regret(step))
        coarse = max(finals, key=lambda place: float(finals[place].mean()))
        if coarse == 0:
            return None
        for place in (coarse - 0.5, coarse + 0.5):
            regret(place)
        return max(finals.values(), key=lambda final: float(final.mean()))

    def _by_epsilon(self, box: str, v: float) -> Exponent:
        found = [(1.0 / epsilon, self._settled(box, v, epsilon=epsilon)) for epsilon in _EPSILONS]
        return _fit_settled(box, v, EPSILON, found)

    def _by_log(self, box: str, v: float) -> Exponent:
        found = [(math.log(t), self._settled(box, v, horizon=t)) for t in _horizons(self._long)]
        return _fit_settled(box, v, LOG, found)

    def _by_horizon(self, box: str, v: float) -> Exponent:
        return _fit_settled(box, v, WORST, [(float(t), self._worst(box, v, t)) for t in _horizons(self._long)])

    def _by_moment(self, v: float) -> Exponent:
        found = [(factor, self._settled(DP, v, factor=factor)) for factor in (1.0, 2.0, 4.0, 8.0, 16.0)]
        return _fit_settled(DP, v, MOMENT, found)

    def _worst_by_moment(self, v: float) -> Exponent:
        found = [(2.0**k, self._worst(DP, v, self._long, 2.0**k)) for k in range(13)]
        return _fit_settled(DP, v, WORST_MOMENT, found)

    def _dp_se(self) -> list[Exponent]:
        def regret(gap: float, epsilon: float, horizon: int) -> np.ndarray:
            problem = _two_arms(gap)
            return self._play(problem, baselines.dp_se(epsilon, 2, horizon), horizon)[:, -1]

        def settled(gap: float, epsilon: float) -> np.ndarray | None:
            final = regret(gap, epsilon, self._long)
            return final if final.mean() < SETTLED * gap / 2.0 * self._long else None

        by_gap = [(1.0 / gap, settled(gap, 1.0)) for gap in _GAPS]
        # so small that the private part of an epoch, 1/epsilon, dominates
        by_epsilon = [(1.0 / epsilon, settled(_PRIVATE_GAP, epsilon)) for epsilon in _SMALL_EPSILONS]
        by_small = [(1.0 / gap, settled(gap, _SMALL_EPSILONS[-1])) for gap in _PRIVATE_GAPS]
        worst: list[tuple[float, np.ndarray | None]] = []
        for horizon in _horizons(self._long):
            finals = [regret(gap, 1.0, horizon) for gap in _GAPS]
            place = int(np.argmax([final.mean() for final in finals]))
            worst.append((float(horizon), finals[place] if 0 < place < len(_GAPS) - 1 else None))
        return [
            _fit_settled(BOUNDED, math.nan, q, found)
            for q, found in (
                (GAP, by_gap),
                # ln T / gap + ln T / epsilon does not move here, where their product would
                (SMALL_GAP, by_small),
                (EPSILON, by_epsilon),
                (WORST, worst),
            )
        ]

    def _ldp_ucb(self) -> list[Exponent]:
        rounds = min(self._long, LOCAL_ROUNDS)
        marks = sorted({max(1, round(rounds / 10 ** (k / 4))) for k in range(7)})

        def curves(gap: float, epsilon: float) -> np.ndarray:
            data = simulate(
                _two_arms(gap),
                baselines.ldp_ucb_response(epsilon),
                horizon=rounds,
                replications=self.replications,
                seed=self.seed,
                checkpoints=marks,
                n_jobs=self.n_jobs,
            )
            return np.asarray(data.regret.values)

        def settled(gap: float, runs: np.ndarray) -> np.ndarray | None:
            return runs[:, -1] if runs[:, -1].mean() < SETTLED / 5.0 * gap / 2.0 * rounds else None

        at_one = {gap: curves(gap, 1.0) for gap in _LOCAL_GAPS}
        by_gap = [(1.0 / gap, settled(gap, runs)) for gap, runs in at_one.items()]
        largest = _LOCAL_GAPS[0]
        by_epsilon = [(1.0 / epsilon, settled(largest, curves(largest, epsilon))) for epsilon in _LOCAL_EPSILONS]
        worst: list[tuple[float, np.ndarray | None]] = []
        for place, t in enumerate(marks):
            finals = [runs[:, place] for runs in at_one.values()]
            at = int(np.argmax([final.mean() for final in finals]))
            worst.append((float(t), finals[at] if 0 < at < len(finals) - 1 else None))
        return [
            _fit_settled(BOUNDED_LOCAL, math.nan, q, found)
            for q, found in zip((GAP, EPSILON, WORST), (by_gap, by_epsilon, worst), strict=True)
        ]


def log_slope(horizon: int, points: int) -> float:
    """Slope in ln T that the boxes' own logarithm, ln(4 K T) in the first epoch, has over the horizons of a fit."""
    longest = _horizons(max(horizon, 2))[-points:] if points > 1 else []
    if len(longest) < 2:
        return 1.0
    logs = np.log([math.log(t) for t in longest])
    return float(np.polyfit(logs, np.log([math.log(4.0 * N_ARMS * t) for t in longest]), 1)[0])


def table(exponents: Sequence[Exponent]) -> pd.DataFrame:
    """Return exponents as a table, a row each."""
    rows = []
    for one in exponents:
        fit = one.fit or Interval()
        rows.append({"policy": one.box, "v": one.v, "quantity": one.quantity, **fit.columns(), "points": one.points})
    return pd.DataFrame(rows)


def _two_point(mass: float) -> Arms:
    return Arms.bernoulli(np.array([mass, *[0.0] * (N_ARMS - 1)]))


def _two_arms(gap: float) -> Arms:
    return Arms.bernoulli(np.array([(1.0 + gap) / 2.0, (1.0 - gap) / 2.0]))


def _horizons(longest: int) -> list[int]:
    """Half a decade apart, over at most seven decades, the longest last."""
    return [t for t in (round(longest / 10 ** (k / 2)) for k in range(14, -1, -1)) if t >= 100]


def _fit_settled(box: str, v: float, quantity: str, found: Sequence[tuple[float, np.ndarray | None]]) -> Exponent:
    kept = [(x, regret) for x, regret in found if regret is not None]
    return _fit(box, v, quantity, [x for x, _ in kept], [regret for _, regret in kept])


def _fit(box: str, v: float, quantity: str, x: Sequence[float], regrets: Sequence[np.ndarray]) -> Exponent:
    points = len(x)
    if points < _LEAST or min(float(r.mean()) for r in regrets) <= 0.0:
        return Exponent(box, v, quantity, None, points)
    samples = np.column_stack([np.atleast_1d(r) for r in regrets])
    if len(samples) == 1:  # the fluid approximation has no replications
        slope = float(np.polyfit(np.log(x), np.log(samples[0]), 1)[0])
        return Exponent(box, v, quantity, Interval.exact(slope), points)
    fit = fit_exponent(np.array(x), samples)
    return Exponent(box, v, quantity, fit, points)

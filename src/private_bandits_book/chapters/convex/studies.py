"""The longer studies of the chapter on convex losses, and what is read from their rows.

`private-bandits reproduce convex --long` makes them; the rows are committed by replication. Steps and noise are set
from T, so every horizon has its own runs. Horizons are whole cycles of the adversary, evenly spaced in logarithms, and
all of them are late enough that regret is below half of that of standing still.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, fit_growth
from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.problems import ConvexLoss
from private_bandits_book.judging import minus
from private_bandits_book.judging.rates import EPSILON, HORIZON, LOG, RateFit, by_replication
from private_bandits_book.studies import LongRun, LongStudy

SEED, DELTA, EARLY = 20203, 1e-3, 10 * instances.CYCLE  # the last: a round that is kept too, and can be replayed
LOSSES = {
    "convex": "distance",
    "convex, smooth": "smooth",
    "strongly convex": "kinked",
    "strongly convex, smooth": "quadratic",
    "two points, convex": "distance",
    "two points, strongly convex": "quadratic",
}
"""The losses of each row of Table 1."""


class Claimed(NamedTuple):
    """What a row of Table 1 claims with privacy, up to logarithms: the exponents of T and of 1/epsilon."""

    learner: str  # by which we play the row
    horizon: Fraction
    noise: int

    @property
    def words(self) -> str:
        """The rate as the table of the chapter writes it."""
        return f"T^({self.horizon})/ε{'²' if self.noise == 2 else ''}"


TABLE_1 = {
    "convex": Claimed("sphere", Fraction(3, 4), 1),
    "convex, smooth": Claimed("saha_tewari", Fraction(2, 3), 1),
    "strongly convex": Claimed("sphere_strong", Fraction(2, 3), 1),
    "strongly convex, smooth": Claimed("hazan_levy", Fraction(1, 2), 1),
    "two points, convex": Claimed("printed", Fraction(1, 2), 2),
}
"""The rows of Table 1 whose exponent of T is measured."""
FREE, LATE = (56200, 112200, 223800, 446600, 891200, 1778200), (354800, 708000, 1412600, 2818400)
OFTEN = (100000, 177800, 316200, 562400, 1000000)  # with 80 runs or more, where runs differ widely
_POWERS = [  # row, learner, epsilon, horizons, runs
    *(("convex", "sphere", epsilon, OFTEN, 100) for epsilon in (math.inf, 4.0)),
    ("convex, smooth", "saha_tewari", math.inf, FREE, 10),
    ("convex, smooth", "sphere", math.inf, FREE, 10),
    ("convex, smooth", "saha_tewari", 16.0, LATE, 10),
    ("convex, smooth", "sphere", 16.0, LATE, 40),
    *(("strongly convex", "sphere_strong", epsilon, OFTEN, 100) for epsilon in (math.inf, 4.0)),
    ("strongly convex, smooth", "hazan_levy", math.inf, FREE, 10),
    ("strongly convex, smooth", "sphere_strong", math.inf, FREE, 10),
    ("strongly convex, smooth", "hazan_levy", 4.0, FREE[1:], 10),
    ("strongly convex, smooth", "sphere_strong", 4.0, FREE[1:], 40),
    *(("two points, convex", "printed", epsilon, OFTEN, 80) for epsilon in (math.inf, 4.0)),
    ("two points, convex", "tuned", 4.0, OFTEN, 80),
    *(("two points, strongly convex", "strong", epsilon, (1000000,), 100) for epsilon in (math.inf, 4.0)),
]
_STEPS = [  # behind Laplace noise, delta = 0
    *(("two points, convex", step, e, 2000000, 10) for step in ("printed", "tuned") for e in (0.25, 0.35, 0.5, 1.0)),
    *(("two points, strongly convex", "strong", epsilon, 400000, 100) for epsilon in (0.35, 0.5, 0.71, 1.0)),
]


def _run(
    row: str, learner: str, epsilon: float, horizon: int, runs: int, kept: Sequence[int] = (EARLY,), pure: bool = False
) -> LongRun:
    problem: ConvexLoss = instances.convex(LOSSES[row])
    labels = {"row": row, "learner": learner, "horizon": horizon}
    if learner in ("printed", "tuned", "strong"):
        noise: dict[str, Any] = {"noise": "laplace"} if pure else {"delta": DELTA}
        policy = paper.two_point(epsilon, problem=problem, horizon=horizon, step=learner, **noise)
    else:  # the classical noise at epsilon 16 has a loss above 16
        calibration = "analytic" if epsilon == 16.0 else "classical"
        policy = paper.one_point(
            epsilon, problem=problem, delta=DELTA, horizon=horizon, learner=learner, calibration=calibration
        )
    return LongRun(labels, problem, policy, horizon, SEED, runs, kept)


def powers_runs() -> list[LongRun]:
    """How regret grows with T: the six rows without contexts, private and not, and what two of them improve on."""
    curve = [2000, 3600, 6400, 11200, 20000, 35600, 63200, 112400, 200000, 355600, 632400]  # four times a decade
    made = []
    for row, learner, epsilon, horizons, runs in _POWERS:
        kept = curve if learner == "strong" else (EARLY,)
        made += [_run(row, learner, epsilon, horizon, runs, kept) for horizon in horizons]
    return made


def steps_runs() -> list[LongRun]:
    """How the regret of two points grows with 1/epsilon, for epsilon up to 1 and delta = 0, as the lower bound has."""
    return [_run(*stated, pure=True) for stated in _STEPS]


_STORED = ["row", "learner", "epsilon", "horizon"]
STUDIES = {"powers": LongStudy(powers_runs, _STORED), "steps": LongStudy(steps_runs, _STORED)}


def fit(rows: pd.DataFrame, row: str, learner: str, epsilon: float) -> RateFit:
    """Return the exponent of T, or of ln T with two points on strongly convex losses.

    Parameters
    ----------
    rows : DataFrame
        Of the study "powers".
    row, learner, epsilon
        As there.
    """
    part = _pick(rows, row, learner, epsilon)
    if learner == "strong":
        t, curves = by_replication(part, "t")
        # no exponent is to be had of so few runs that one of them decides whether there is regret
        pieces = np.diff(curves, axis=1)
        some = bool((pieces.sum(axis=0) - pieces).min() > 0)
        found = fit_growth(t, curves, t[0], t[-1]) if some else Interval()
        return RateFit(LOG, found, len(curves), t.tolist(), along=True)
    return RateFit.over(HORIZON, _finals(part, "horizon"))


def fits(rows: pd.DataFrame) -> dict[tuple[str, str, float], RateFit]:
    """Return every measured exponent of T, by row, learner and epsilon.

    Parameters
    ----------
    rows : DataFrame
        Of the study "powers".
    """
    return {key: fit(rows, *key) for key in dict.fromkeys(stated[:3] for stated in _POWERS)}


def of_epsilon(rows: pd.DataFrame, row: str, step: str) -> RateFit:
    """Return the exponent of 1/epsilon in the regret of two points.

    Parameters
    ----------
    rows : DataFrame
        Of the study "steps".
    row, step : str
        As there.
    """
    part = rows[(rows["row"] == row) & (rows["learner"] == step)]
    return RateFit.over(EPSILON, _finals(part, "epsilon"))


def claimed(found: RateFit, exponent: float, log: float, wrong: float) -> tuple[Interval, float, float]:
    """Return a fit, and what T^exponent (ln T)^log and the nearest wrong exponent of T are in it.

    Parameters
    ----------
    found : RateFit
    exponent, log, wrong : float
        Exponents.
    """
    assert found.fit is not None
    stated = found.exponent(lambda t: t**exponent * math.log(t) ** log)
    return found.fit, stated, found.exponent(lambda t: t**wrong)


def apart(rows: pd.DataFrame, row: str, learner: str, plain: str, epsilon: float) -> Interval:
    """Return the exponent of T of a learner less that of gradient descent, at the same horizons.

    Parameters
    ----------
    rows : DataFrame
        Of the study "powers".
    row, learner, plain, epsilon
        As there.
    """
    one, other = (fit(rows, row, name, epsilon).fit for name in (learner, plain))
    assert one is not None and other is not None
    return minus(one, other)


def _pick(rows: pd.DataFrame, row: str, learner: str, epsilon: float) -> pd.DataFrame:
    return rows[(rows["row"] == row) & (rows["learner"] == learner) & (rows["epsilon"] == epsilon)]


def _finals(part: pd.DataFrame, swept: str) -> Iterator[tuple[Any, np.ndarray]]:
    for value, own in part[part["t"] == part["horizon"]].groupby(swept):
        yield value, own.sort_values("replication")["regret"].to_numpy()

"""The runs of the longer study behind the context-free rows of Table 1: learners, noise, horizons and epsilons.

The steps of a learner are set from T, so every horizon has its own runs. The noise is the printed one or, in the
reading *laplace*, Laplace's: in both it is inversely proportional to epsilon, and at the epsilons here both keep
their promise. Adversarial arms are played at several gaps for each T and each epsilon, with the noise of the stochastic
arms whose regret is followed as ln t grows, so that one algorithm is judged in both worlds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import two_point
from private_bandits.papers.contextual.appendix_b2 import lil_ucb
from private_bandits.papers.contextual.instances import (
    CYCLE,
    GAP,
    N_ARMS,
    centre_regret,
    convex,
    on_line,
    stochastic_arms,
    switching_arms,
)
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual.convex_study import ONE_POINT, STRONG, TIGHT, TUNED, TWO_POINTS
from private_bandits_book.contextual.summary import EPSILON, LOG_T, T
from private_bandits_book.studies import LongRun

SEED, REPLICATIONS, DELTA = 20203, 10, 1e-3
NO_PRIVACY, PRINTED, LAPLACE = "no privacy", "printed", "laplace"
ADVERSARIAL, STOCHASTIC, BEST_ARM, LINE = "arms, adversarial", "arms, stochastic", "best arm", "stochastic convex"
AT = 4.0  # epsilon of the runs over T
PURE = {"saha_tewari": 16.0, "hazan_levy": 8.0, "stochastic": 8.0}  # ... of those with Laplace noise
EPSILONS = (0.5, 0.71, 1.0, 1.41, 2.0, 2.83)
TWO_POINT_EPSILONS = (0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0)
SMOOTH_EPSILONS, LINE_EPSILONS = (8.0, 11.3, 16.0, 22.6, 32.0), (2.0, 2.83, 4.0, 5.66, 8.0)  # with Laplace noise
ARM_EPSILONS = (1.0, 1.41, 2.0, 2.83, 4.0)
SETTLED = 0.5
EARLY = 10 * CYCLE  # a round whose regret is kept too, so that the beginning of a run can be played again
LIMIT = 20_000_000  # pulls of the search for the best arm
SEARCH_GAP, FAILURE = 0.8, 0.1
LOG_GAP = 0.9  # of the stochastic arms whose regret is followed as ln t grows
_HARD = (1.0, 2.0, 4.0, 8.0)  # gaps of the adversarial arms, in units of what nobody can tell apart
_MORE = 20  # replications over T of the learner that is judged on them: the worst gap is chosen by its mean
_HARD_HORIZON = 1_000_000

Make = Callable[[ConvexLoss, int], Policy]


def long_runs() -> list[LongRun]:
    """Return every run of the longer study but the search for the best arm."""
    return _one_point_runs() + _two_point_runs() + _line_runs() + _arm_runs()


def search(epsilons: Sequence[float] = EPSILONS, replications: int = 2 * REPLICATIONS) -> pd.DataFrame:
    """Return the pulls of lil'UCB at each epsilon in the columns of the longer study, as `t` and as `regret`."""
    rows = []
    for epsilon in epsilons:
        for replication in range(replications):
            found = lil_ucb(
                stochastic_arms(SEARCH_GAP),
                FAILURE,
                epsilon,
                DELTA,
                seed=SEED,
                replication=replication,
                limit=LIMIT,
            )
            told = _labels(BEST_ARM, "lil'UCB", PRINTED, EPSILON, epsilon, LIMIT, LIMIT / SETTLED)
            pulls = sum(found.pulls)
            rows.append(told | {"replication": replication, "t": LIMIT, "regret": float(pulls)})
    return pd.DataFrame(rows)


def _one_point_runs() -> list[LongRun]:
    """The learners of one point.

    Behind strong noise the learner for smooth losses explores as far as it may, whatever T is. Its rate begins where
    its tuning falls below that, so its noise is weaker than that of the others.
    """
    runs = []
    for row, (kind, (learner, *_)) in ONE_POINT.items():
        first, step = (5.0, 0.35) if learner.startswith("sphere") else (4.75, 0.3)
        horizons, problem = _horizons(first, step), convex(kind)
        runs += _sweep(row, NO_PRIVACY, problem, horizons, _one_point(learner, math.inf))
        smooth = learner == "saha_tewari"
        if not smooth:
            runs += _sweep(row, PRINTED, problem, horizons, _one_point(learner, AT))
        if learner in PURE:
            later = _horizons(first + 0.5 * smooth, step)
            runs += _sweep(row, LAPLACE, problem, later, _one_point(learner, PURE[learner], LAPLACE))
        reading, noise = (LAPLACE, LAPLACE) if smooth else (PRINTED, "gaussian")
        for epsilon in SMOOTH_EPSILONS if smooth else EPSILONS:
            runs += _sweep(row, reading, problem, horizons[-1:], _one_point(learner, epsilon, noise), EPSILON)
    return runs


def _two_point_runs() -> list[LongRun]:
    convex_row, strong_row = TWO_POINTS
    problem, horizons = convex(TWO_POINTS[convex_row][0]), _horizons(4.25, 0.35)
    runs = _sweep(convex_row, NO_PRIVACY, problem, horizons, _two_point("printed", math.inf))
    for step in ("printed", TUNED):
        runs += _sweep(convex_row, step, problem, horizons, _two_point(step, AT))
        for epsilon in TWO_POINT_EPSILONS:
            runs += _sweep(convex_row, step, problem, [2_000_000], _two_point(step, epsilon), EPSILON)
    problem = convex(TWO_POINTS[strong_row][0])
    for reading, epsilon in ((NO_PRIVACY, math.inf), (PRINTED, AT)):
        runs.append(_curve(strong_row, reading, problem, _two_point(STRONG, epsilon), EARLY, 1_000_000, 100))
    for epsilon in TWO_POINT_EPSILONS:
        runs += _sweep(strong_row, PRINTED, problem, [2_000_000], _two_point(STRONG, epsilon), EPSILON)
    return runs


def _line_runs() -> list[LongRun]:
    problem, learner = on_line(), "stochastic"
    runs = _sweep(LINE, NO_PRIVACY, problem, _horizons(4.0, 0.6), _one_point(learner, math.inf))
    runs += _sweep(LINE, LAPLACE, problem, _horizons(5.5, 0.35), _one_point(learner, PURE[learner], LAPLACE))
    for epsilon in LINE_EPSILONS:
        runs += _sweep(LINE, LAPLACE, problem, [4_000_000], _one_point(learner, epsilon, LAPLACE), EPSILON)
    return runs


def _arm_runs() -> list[LongRun]:
    stochastic, apart = (ConvexLoss.from_arms(stochastic_arms(gap)) for gap in (GAP, LOG_GAP))
    same = f"{PRINTED}, {TIGHT}"
    runs = []
    for learner, other, replications in (("tsallis", "", _MORE), ("exp3", ", EXP3", REPLICATIONS)):
        for reading, epsilon in ((NO_PRIVACY, math.inf), (same, AT)):
            make = _one_point(learner, epsilon, variant=TIGHT)
            for horizon in _horizons(4.75, 0.3):
                runs += _hard(reading + other, make, horizon, T, replications)
    for epsilon in ARM_EPSILONS:
        runs += _hard(same, _one_point("tsallis", epsilon, variant=TIGHT), _HARD_HORIZON, EPSILON, REPLICATIONS)
    runs.append(_curve(STOCHASTIC, NO_PRIVACY, apart, _one_point("tsallis", math.inf), EARLY, 1_000_000, 100))
    tight = _one_point("tsallis", AT, variant=TIGHT)
    runs.append(_curve(STOCHASTIC, same, apart, tight, 200_000, 4_000_000, 40))
    for reading, variant in ((PRINTED, PRINTED), (same, TIGHT)):
        for epsilon in ARM_EPSILONS:
            make = _one_point("tsallis", epsilon, variant=variant)
            runs += _sweep(STOCHASTIC, reading, stochastic, [4_000_000], make, EPSILON)
    return runs


def _hard(reading: str, make: Make, horizon: int, quantity: str, replications: int) -> list[LongRun]:
    """Runs on adversarial arms, a gap each."""
    runs = []
    for size in _HARD:
        unit = make(switching_arms(), horizon).record.unit  # type: ignore[attr-defined]
        problem = switching_arms(size * unit * math.sqrt(N_ARMS / horizon))
        runs += _sweep(ADVERSARIAL, reading, problem, [horizon], make, quantity)
    return [run._replace(replications=replications) for run in runs]


def _one_point(learner: str, epsilon: float, noise: str = "gaussian", variant: str = "printed") -> Make:
    delta = DELTA if noise == "gaussian" else None
    return lambda problem, horizon: one_point(problem, horizon, epsilon, delta, learner, noise=noise, variant=variant)


def _two_point(step: str, epsilon: float) -> Make:
    return lambda problem, horizon: two_point(problem, horizon, epsilon, DELTA, step)


def _sweep(
    row: str, reading: str, problem: ConvexLoss, horizons: Iterable[int], make: Make, quantity: str = T
) -> list[LongRun]:
    """Runs of which the regret at the horizon is kept, and that of an early round."""
    runs = []
    for horizon in horizons:
        policy = make(problem, horizon)
        told = _labels(row, policy.name, reading, quantity, policy.privacy.epsilon, horizon, _still(problem, horizon))
        runs.append(LongRun(told, problem, policy, horizon, SEED, REPLICATIONS, [EARLY]))
    return runs


def _curve(
    row: str, reading: str, problem: ConvexLoss, make: Make, start: int, stop: int, replications: int
) -> LongRun:
    """A run whose curve is kept from a start, four times a decade, at ends of a cycle of the adversary."""
    pieces = round(4 * math.log10(stop / start))
    marks = [CYCLE * round(start * (stop / start) ** (k / pieces) / CYCLE) for k in range(pieces)]
    (run,) = _sweep(row, reading, problem, [stop], make, LOG_T)
    return run._replace(checkpoints=sorted({EARLY, *marks}), replications=replications)


def _labels(
    row: str, policy: str, reading: str, quantity: str, epsilon: float, horizon: int, still: float
) -> dict[str, Any]:
    return {
        "row": row,
        "policy": policy,
        "reading": reading,
        "quantity": quantity,
        "epsilon": epsilon,
        "horizon": horizon,
        "still": still,
    }


def _still(problem: ConvexLoss, horizon: int) -> float:
    """Regret of standing still, to six digits: it is a column of the study."""
    return float(f"{centre_regret(problem, horizon)[0]:.6g}")


def _horizons(first: float, step: float, number: int = 6) -> list[int]:
    """Whole cycles of the adversary, powers of ten that are a step apart."""
    return [CYCLE * round(10 ** (first + k * step) / CYCLE) for k in range(number)]

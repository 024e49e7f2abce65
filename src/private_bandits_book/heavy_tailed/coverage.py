"""How far the algorithms' means lie from the truth, in units of the error that they allow for: by sampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import mechanisms
from private_bandits.kernels import robust
from private_bandits.kernels.sums import laplace_sum, truncated_pareto_sum
from private_bandits.papers.heavy_tailed import bounds, dp_robust_ucb, pareto_arms
from private_bandits.simulate import streams

if TYPE_CHECKING:
    from private_bandits_book.heavy_tailed.study import Study

LOCAL_SETTING = 3  # of the LDP panels
SCALINGS = ("repaired", "slide_rate")
SCALING_LOG = 10.0  # L in the study of the two scalings
SCALING_MEAN = 0.5
SCALING_PULLS = tuple(10**k for k in range(3, 13))
DRAWS = 400  # means of an epoch, for each point
PATHS = 20  # of DP Robust UCB
_PATH_STREAMS, _LOCAL_STREAMS = 100, 1000  # so that no two cases draw from one stream
_COLUMNS = ["policy", "constant", "value", "v", "epsilon", "proven", "largest", "beyond", "draws", "bound"]
_NO_TRACE = np.zeros((0, 0), np.int64)


class Cover(NamedTuple):
    """What was seen of the errors of one algorithm's means, in units of what its rule allows."""

    draws: int
    largest: float
    beyond: int  # how many exceed 1


def scaling(study: Study, v: float, variant: str, epsilon: float = 1.0) -> np.ndarray:
    """Errors of LDP epoch means over the bound err for one scaling, a row for each number of pulls R of the epoch.

    With L = 10 and R free: B and err are what the scaling says of R.
    """
    problem = pareto_arms(np.array([SCALING_MEAN]), 1.0 + v + study.spare_shape)
    u, half, mean = problem.moment(v), 0.5 if variant == "repaired" else 1.0, float(problem.means[0])
    found = np.empty((len(SCALING_PULLS), DRAWS))
    for row, pulls in enumerate(SCALING_PULLS):
        share = (SCALING_LOG / (pulls * epsilon**2)) ** half
        threshold, error = (u / share) ** (1.0 / (1.0 + v)), u ** (1.0 / (1.0 + v)) * share ** (v / (1.0 + v))
        source = streams(study.seed, SCALINGS.index(variant))
        for draw in range(DRAWS):
            total = truncated_pareto_sum(source.env, pulls, mean, problem.shape, threshold)
            total += laplace_sum(source.noise, pulls, 2.0 * threshold / epsilon)
            found[row, draw] = abs(total / pulls - mean) / error
    return found


def scaling_table(variant: str, v: float, samples: np.ndarray, epsilon: float = 1.0) -> pd.DataFrame:
    """What `scaling` drew, a row for each number of pulls: the mean with its standard error, and quantiles."""
    return pd.DataFrame(
        {
            "variant": variant,
            "v": v,
            "epsilon": epsilon,
            "pulls": SCALING_PULLS,
            "mean": [ratios.mean() for ratios in samples],
            "se": [ratios.std(ddof=1) / math.sqrt(DRAWS) for ratios in samples],
            "median": np.median(samples, axis=1),
            "q95": np.quantile(samples, 0.95, axis=1),
            "draws": DRAWS,
        }
    )


def epoch_cover(
    study: Study,
    number: int,
    v: float,
    epsilon: float,
    c: float,
    local: str = "",
    draws: int = DRAWS,
    stream: int = 0,
) -> Cover:
    """Errors of the first epochs' means of DP Robust SE, or of a variant of LDP Robust SE, over (c/4) err.

    The rule of every elimination needs each mean within (c/4) err. All arms, epochs 1 to 5, `draws` means of each.
    Cases with one `stream` share their random numbers.
    """
    problem, u, ratios = study.problem(number, v), study.moment(number, v), []
    source = streams(study.seed, stream)
    for epoch in range(1, 6):
        log = math.log((8.0 if local else 4.0) * problem.n_items * epoch**2 / study.beta)
        told = (epoch, log, epsilon, v, u, c)
        plan = bounds.ldp_epoch(*told, local) if local else bounds.dp_epoch(*told)
        if plan.pulls > 9e15:
            break
        pulls = int(plan.pulls)
        for mean in problem.means:
            for _ in range(draws):
                value = truncated_pareto_sum(source.env, pulls, mean, problem.shape, plan.threshold)
                if local:
                    value += laplace_sum(source.noise, pulls, 2.0 * plan.threshold / epsilon)
                    value /= pulls
                else:
                    value = value / pulls + mechanisms.laplace(source.noise, 2.0 * plan.threshold / (pulls * epsilon))
                ratios.append(abs(value - mean) / (c / 4.0 * plan.error))
    return Cover(len(ratios), float(max(ratios, default=0.0)), sum(ratio > 1.0 for ratio in ratios))


def radius_cover(study: Study, v: float, epsilon: float, radius: float, paths: int = PATHS, stream: int = 0) -> Cover:
    """Errors of DP Robust UCB's means of the best arm of setting 1, over its radius; what is counted are paths.

    One arm is played alone, and its error at n pulls is set against the radius of round n, the least that a mean of n
    pulls can meet, at n = 10, 100, ... up to a tenth of the exact horizon. The marks of one path share their rewards,
    so a path counts once, by its largest error.
    """
    problem, u = study.problem(1, v), study.moment(1, v)
    record = dp_robust_ucb(epsilon, v, u, study.length, radius).record
    assert isinstance(record, robust.Record)
    alone = pareto_arms(problem.means[:1], problem.shape).record()
    longest = max(1, min(study.exact_horizon, study.horizon) // 10)
    marks = [n for n in (10**k for k in range(1, 16)) if n <= longest] or [longest]
    largest = np.zeros(paths)
    for path in range(paths):
        state, source, played = robust.start(alone, record), streams(study.seed, paths * stream + path), 0
        for n in marks:
            robust.advance(alone, record, state, played + 1, n, np.array([n]), np.zeros(1), _NO_TRACE, *source)
            played = n
            allowed = record.factor * ((record.alpha * math.log(n) + record.beta) / n) ** (v / (1.0 + v))
            largest[path] = max(largest[path], abs(float(state.mean[0]) - float(problem.means[0])) / allowed)
    return Cover(paths, float(np.max(largest)), int(np.sum(largest > 1.0)))


def confidence(study: Study) -> pd.DataFrame:
    """Return, for both variants of the central algorithms, whether the means stay within what the rule allows.

    Proven is what `bounds.dp_confidence`, or `dp_robust_ucb_error` at n = 1, 10^3, ..., 10^15, shows; both ask for
    epsilon <= 1, and beyond it nothing is measured either. Every row has random numbers of its own.
    """
    rows: list[tuple[object, ...]] = []
    for v, epsilon in product(study.vs, study.epsilons):
        for c in (24.0, study.small_c):
            proven = epsilon <= 1.0 and bounds.dp_confidence(epsilon) <= c / 4.0
            case = (study, 1, v, epsilon, c, "", DRAWS // 2, len(rows))
            rows.append(_row("DP Robust SE", "c", c, v, epsilon, proven, epoch_cover, case))
        for radius in (18.0, study.small_radius):
            proven = epsilon <= 1.0 and _radius_proven(study, v, epsilon, radius)
            path = (study, v, epsilon, radius, PATHS, _PATH_STREAMS + len(rows))
            rows.append(_row("DP Robust UCB", "radius", radius, v, epsilon, proven, radius_cover, path))
    return pd.DataFrame(rows, columns=_COLUMNS)


def local_confidence(study: Study) -> pd.DataFrame:
    """`confidence` for the variants of LDP Robust SE, on the setting of the local figures."""
    rows: list[tuple[object, ...]] = []
    for v, epsilon in product(study.vs, study.local_epsilons):
        for name, c, variant in (
            ("LDP Robust SE", 24.0, "repaired"),
            ("LDP Robust SE", study.small_local_c, "repaired"),
            ("LDP Robust SE, slide rate", 24.0, "slide_rate"),
        ):
            proven = epsilon <= 1.0 and _local_proven(study, v, epsilon, c, variant)
            case = (study, LOCAL_SETTING, v, epsilon, c, variant, DRAWS // 4, _LOCAL_STREAMS + len(rows))
            rows.append(_row(name, "c", c, v, epsilon, proven, epoch_cover, case))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _radius_proven(study: Study, v: float, epsilon: float, radius: float) -> bool:
    u = study.moment(1, v)
    parts = [bounds.dp_robust_ucb_error(10**k, epsilon, v, u, study.length, radius) for k in range(0, 16, 3)]
    return all(p.bias + p.sampling + p.noise <= p.radius for p in parts)


def _local_proven(study: Study, v: float, epsilon: float, c: float, variant: str) -> bool:
    log = math.log(8.0 * study.problem(LOCAL_SETTING, v).n_items / study.beta)
    plan = bounds.ldp_epoch(1, log, epsilon, v, study.moment(LOCAL_SETTING, v), c, variant)
    return bounds.ldp_confidence(epsilon, plan.pulls, log, variant) <= c / 4.0


def _row(
    policy: str,
    constant: str,
    value: float,
    v: float,
    epsilon: float,
    proven: bool,
    cover: Callable[..., Cover],
    case: tuple[object, ...],
) -> tuple[object, ...]:
    seen = cover(*case) if epsilon <= 1.0 else Cover(0, math.nan, 0)
    largest = seen.largest if seen.draws else math.nan
    if proven:
        verdict = "holds: proven"
    elif seen.draws == 0:
        verdict = "not measured"
    else:
        verdict = "fails" if seen.beyond > 0 else "not proven, holds in all draws"
    return policy, constant, value, v, epsilon, proven, largest, seen.beyond, seen.draws, verdict

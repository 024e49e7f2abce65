"""How far the boxes' means lie from the truth, in units of the error that they allow for: by sampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits import mechanisms
from private_bandits.estimates import Interval, fit_exponent
from private_bandits.kernels import robust
from private_bandits.kernels.sums import laplace_sum, truncated_pareto_sum
from private_bandits.papers.heavy_tailed import bounds, dp_robust_ucb, pareto_arms
from private_bandits.papers.heavy_tailed.instances import ParetoArms
from private_bandits.simulate import streams
from private_bandits_book.heavy_tailed.experiments import LOCAL_SETTING, Experiments

SCALINGS = ("repaired", "slide_rate")
SCALING_LOG = 10.0  # L in the study of the two scalings
SCALING_MEAN = 0.5
SCALING_PULLS = tuple(10**k for k in range(3, 13))
DRAWS = 400  # means of an epoch, for each point
_PATH_STREAMS, _LOCAL_STREAMS = 100, 1000  # so that no two cases draw from one stream
_NO_TRACE = np.zeros((0, 0), np.int64)


class Cover(NamedTuple):
    """What was seen of the errors of one box's means, in units of what its rule allows."""

    draws: int
    largest: float
    beyond: int  # how many exceed 1


def scaling(setting: Experiments, v: float, epsilon: float = 1.0) -> pd.DataFrame:
    """Error of an LDP epoch mean over the bound err, against the pulls R of the epoch, for both scalings.

    With L = 10 and R free: B and err are what each scaling says of R. Columns: variant, v, epsilon, pulls, mean and
    its standard error, median, q95, draws.
    """
    problem = pareto_arms(np.array([SCALING_MEAN]), 1.0 + v + setting.spare_shape)
    u = problem.moment(v)
    rows = []
    for variant in SCALINGS:
        for pulls in SCALING_PULLS:
            ratios = _ratios(setting.seed, problem, v, u, epsilon, pulls, variant)
            rows.append(
                {
                    "variant": variant,
                    "v": v,
                    "epsilon": epsilon,
                    "pulls": pulls,
                    "mean": ratios.mean(),
                    "se": ratios.std(ddof=1) / math.sqrt(DRAWS),
                    "median": float(np.median(ratios)),
                    "q95": float(np.quantile(ratios, 0.95)),
                    "draws": DRAWS,
                }
            )
    return pd.DataFrame(rows)


def scaling_exponent(setting: Experiments, v: float, variant: str, epsilon: float = 1.0) -> Interval:
    """Exponent in R of the mean of |error| / err: 0 where err has the right rate."""
    problem = pareto_arms(np.array([SCALING_MEAN]), 1.0 + v + setting.spare_shape)
    u = problem.moment(v)
    samples = [_ratios(setting.seed, problem, v, u, epsilon, pulls, variant) for pulls in SCALING_PULLS]
    fit = fit_exponent(np.array(SCALING_PULLS, float), np.column_stack(samples))
    return fit


def _ratios(seed: int, problem: ParetoArms, v: float, u: float, epsilon: float, pulls: int, variant: str) -> np.ndarray:
    half = 0.5 if variant == "repaired" else 1.0
    share = (SCALING_LOG / (pulls * epsilon**2)) ** half
    threshold, error = (u / share) ** (1.0 / (1.0 + v)), u ** (1.0 / (1.0 + v)) * share ** (v / (1.0 + v))
    mean, shape = float(problem.means[0]), problem.shape
    source = streams(seed, SCALINGS.index(variant))
    found = np.empty(DRAWS)
    for place in range(DRAWS):
        total = truncated_pareto_sum(source.env, pulls, mean, shape, threshold)
        total += laplace_sum(source.noise, pulls, 2.0 * threshold / epsilon)
        found[place] = abs(total / pulls - mean) / error
    return found


def epoch_cover(
    setting: Experiments,
    number: int,
    v: float,
    epsilon: float,
    c: float,
    local: str = "",
    draws: int = DRAWS,
    stream: int = 0,
) -> Cover:
    """Errors of the first epochs' means of DP Robust SE, or of a variant of LDP Robust SE, over (c/4) err.

    The rule of every box needs each mean within (c/4) err. All arms, epochs 1 to 5, `draws` means of each. Cases with
    one `stream` share their random numbers.
    """
    problem, u, arms = setting.problem(number, v), setting.moment(number, v), 0
    source, largest, beyond = streams(setting.seed, stream), 0.0, 0
    for epoch in range(1, 6):
        inside = 8.0 if local else 4.0
        log = math.log(inside * problem.n_items * epoch**2 / setting.beta)
        if local:
            plan = bounds.ldp_epoch(epoch, log, epsilon, v, u, c, local)
        else:
            plan = bounds.dp_epoch(epoch, log, epsilon, v, u, c)
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
                ratio = abs(value - mean) / (c / 4.0 * plan.error)
                largest, beyond, arms = max(largest, ratio), beyond + (ratio > 1.0), arms + 1
    return Cover(arms, largest, beyond)


def radius_cover(
    setting: Experiments, v: float, epsilon: float, radius: float, paths: int = 20, stream: int = 0
) -> Cover:
    """Errors of DP Robust UCB's means of the best arm of setting 1, over its radius; what is counted are paths.

    One arm is played alone, and its error at n pulls is set against the radius of round n, the least that a mean of n
    pulls can meet, at n = 10, 100, ... up to a tenth of the exact horizon. The marks of one path share their rewards,
    so a path counts once, by its largest error.
    """
    problem, u = setting.problem(1, v), setting.moment(1, v)
    policy = dp_robust_ucb(epsilon, v, u, max(setting.horizon, 2), radius)
    record = policy.record
    assert isinstance(record, robust.Record)
    alone = pareto_arms(problem.means[:1], problem.shape).record()
    longest = max(1, min(setting.exact_horizon, setting.horizon) // 10)
    marks = [n for n in (10**k for k in range(1, 16)) if n <= longest] or [longest]
    largest = np.zeros(paths)
    for path in range(paths):
        state, source, played = robust.start(alone, record), streams(setting.seed, paths * stream + path), 0
        for n in marks:
            robust.advance(alone, record, state, played + 1, n, np.array([n]), np.zeros(1), _NO_TRACE, *source)
            played = n
            allowed = record.factor * ((record.alpha * math.log(n) + record.beta) / n) ** (v / (1.0 + v))
            largest[path] = max(largest[path], abs(float(state.mean[0]) - float(problem.means[0])) / allowed)
    return Cover(paths, float(np.max(largest)), int(np.sum(largest > 1.0)))


def confidence(setting: Experiments, vs: Sequence[float], epsilons: Sequence[float]) -> pd.DataFrame:
    """Return, for both readings of the central boxes, whether the means stay within what the rule allows.

    Proven is what `bounds.dp_confidence`, or `dp_robust_ucb_error` at n = 1, 10^3, ..., 10^15, shows; both ask for
    epsilon <= 1, and beyond it nothing is measured either. Every row has random numbers of its own.
    """
    rows: list[dict[str, object]] = []
    for v, epsilon in product(vs, epsilons):
        theirs = epsilon <= 1.0
        for c in (24.0, setting.small_c):
            proven = theirs and bounds.dp_confidence(epsilon) <= c / 4.0
            cover = epoch_cover(setting, 1, v, epsilon, c, draws=DRAWS // 2, stream=len(rows)) if theirs else None
            rows.append(_row("DP Robust SE", "c", c, v, epsilon, proven, cover))
        for radius in (18.0, setting.small_radius):
            proven = theirs and _radius_proven(setting, v, epsilon, radius)
            cover = radius_cover(setting, v, epsilon, radius, stream=_PATH_STREAMS + len(rows)) if theirs else None
            rows.append(_row("DP Robust UCB", "radius", radius, v, epsilon, proven, cover))
    return pd.DataFrame(rows)


def local_confidence(setting: Experiments, vs: Sequence[float], epsilons: Sequence[float]) -> pd.DataFrame:
    """`confidence` for the readings of LDP Robust SE, on the setting of the local figures."""
    rows: list[dict[str, object]] = []
    for v, epsilon in product(vs, epsilons):
        for name, c, variant in (
            ("LDP Robust SE", 24.0, "repaired"),
            ("LDP Robust SE", setting.small_local_c, "repaired"),
            ("LDP Robust SE, slide rate", 24.0, "slide_rate"),
        ):
            theirs = epsilon <= 1.0
            proven = theirs and _local_proven(setting, v, epsilon, c, variant)
            source = (setting, LOCAL_SETTING, v, epsilon, c, variant, DRAWS // 4)
            cover = epoch_cover(*source, stream=_LOCAL_STREAMS + len(rows)) if theirs else None
            rows.append(_row(name, "c", c, v, epsilon, proven, cover))
    return pd.DataFrame(rows)


def _radius_proven(setting: Experiments, v: float, epsilon: float, radius: float) -> bool:
    u, horizon = setting.moment(1, v), max(setting.horizon, 2)
    parts = [bounds.dp_robust_ucb_error(10**k, epsilon, v, u, horizon, radius) for k in range(0, 16, 3)]
    return all(p.bias + p.sampling + p.noise <= p.radius for p in parts)


def _local_proven(setting: Experiments, v: float, epsilon: float, c: float, variant: str) -> bool:
    problem = setting.problem(LOCAL_SETTING, v)
    log = math.log(8.0 * problem.n_items / setting.beta)
    plan = bounds.ldp_epoch(1, log, epsilon, v, setting.moment(LOCAL_SETTING, v), c, variant)
    return bounds.ldp_confidence(epsilon, plan.pulls, log, variant) <= c / 4.0


def _row(
    policy: str, constant: str, value: float, v: float, epsilon: float, proven: bool, cover: Cover | None
) -> dict[str, object]:
    seen = cover if cover is not None and cover.draws > 0 else Cover(0, math.nan, 0)
    if proven:
        verdict = "holds: proven"
    elif seen.draws == 0:
        verdict = "not measured"
    else:
        verdict = "fails" if seen.beyond > 0 else "not proven, holds in all draws"
    return {
        "policy": policy,
        "constant": constant,
        "value": value,
        "v": v,
        "epsilon": epsilon,
        "proven": proven,
        "largest": seen.largest,
        "beyond": seen.beyond,
        "draws": seen.draws,
        "bound": verdict,
    }

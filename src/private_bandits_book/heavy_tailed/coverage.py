"""How far the algorithms' means lie from the truth, in units of the error that they allow for: drawn, and proven."""

import math
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.kernels import robust
from private_bandits.kernels.sums import laplace_sum, truncated_pareto_sum
from private_bandits.mechanisms import noise as mechanisms
from private_bandits.papers.heavy_tailed import bounds, dp_robust_ucb, pareto_arms
from private_bandits.streams import streams
from private_bandits_book.heavy_tailed import rates
from private_bandits_book.heavy_tailed.setup import Setup

LOCAL_SETTING = 3  # of the LDP panels
SCALINGS = ("repaired", "slide_rate")
SCALING_LOG = 10.0  # L in the study of the two scalings
SCALING_MEAN = 0.5
SCALING_PULLS = tuple(10**k for k in range(3, 13))
DRAWS = 400  # means of an epoch, for each point; where a rule is checked, fewer if there are fewer runs than 20
PATHS = 20  # of DP Robust UCB
_PATH_STREAMS, _LOCAL_STREAMS = 100, 1000  # so that no two cases draw from one stream
_COLUMNS = ["key", "constant", "value", "v", "epsilon", "proven", "largest", "beyond", "draws", "bound"]
_NO_TRACE = np.zeros((0, 0), np.int64)
_NONE = np.zeros(0)


def scaling(study: Setup, v: float, variant: str) -> np.ndarray:
    """Errors of LDP epoch means over the bound err for one scaling, a row for each number of pulls R of the epoch.

    With epsilon = 1, L = 10 and R free: B and err are what the scaling says of R.
    """
    problem = pareto_arms(np.array([SCALING_MEAN]), 1.0 + v + study.spare_shape)
    u, half, mean = problem.moment(v), 0.5 if variant == "repaired" else 1.0, float(problem.means[0])
    found = np.empty((len(SCALING_PULLS), DRAWS))
    for row, pulls in enumerate(SCALING_PULLS):
        share = (SCALING_LOG / pulls) ** half
        threshold, error = (u / share) ** (1.0 / (1.0 + v)), u ** (1.0 / (1.0 + v)) * share ** (v / (1.0 + v))
        source = streams(study.seed, SCALINGS.index(variant))
        for draw in range(DRAWS):
            total = truncated_pareto_sum(source.env, pulls, mean, problem.shape, threshold)
            total += laplace_sum(source.noise, pulls, 2.0 * threshold)
            found[row, draw] = abs(total / pulls - mean) / error
    return found


def scaling_table(variant: str, v: float, samples: np.ndarray) -> pd.DataFrame:
    """What `scaling` drew, a row for each number of pulls: the mean with its standard error, and quantiles."""
    return pd.DataFrame(
        {
            "variant": variant,
            "v": v,
            "epsilon": 1.0,
            "pulls": SCALING_PULLS,
            "mean": [ratios.mean() for ratios in samples],
            "se": [ratios.std(ddof=1) / math.sqrt(DRAWS) for ratios in samples],
            "median": np.median(samples, axis=1),
            "q95": np.quantile(samples, 0.95, axis=1),
            "draws": DRAWS,
        }
    )


def epoch_errors(
    study: Setup, number: int, v: float, epsilon: float, c: float, draws: int, stream: int, local: str = ""
) -> np.ndarray:
    """Errors of the first epochs' means of DP Robust SE, or of a variant of LDP Robust SE, over (c/4) err.

    The rule of every elimination needs each mean within (c/4) err. All arms, epochs 1 to 5, `draws` means of each.
    Cases with one `stream` share their random numbers.
    """
    problem, u, ratios = study.problem(number, v), study.moment(number, v), []
    source = streams(study.seed, stream)
    for epoch in range(1, 6):
        log = math.log((8.0 if local else 4.0) * problem.n_items * epoch**2 / study.beta)
        given = (epoch, log, epsilon, v, u, c)
        plan = bounds.ldp_epoch(*given, local) if local else bounds.dp_epoch(*given)
        if plan.pulls > 9e15:
            break
        pulls = int(plan.pulls)
        for mean in problem.means:
            for _ in range(draws):
                value = truncated_pareto_sum(source.env, pulls, mean, problem.shape, plan.threshold)
                if local:
                    value = (value + laplace_sum(source.noise, pulls, 2.0 * plan.threshold / epsilon)) / pulls
                else:
                    value = value / pulls + mechanisms.laplace(source.noise, 2.0 * plan.threshold / (pulls * epsilon))
                ratios.append(abs(value - mean) / (c / 4.0 * plan.error))
    return np.array(ratios)


def radius_errors(study: Setup, v: float, epsilon: float, radius: float, paths: int, stream: int) -> np.ndarray:
    """Errors of DP Robust UCB's means of the best arm of setting 1, over its radius: the largest of each path.

    One arm is played alone, and its error at n pulls is set against the radius of round n, the least that a mean of n
    pulls can meet, at n = 10, 100, ... up to a tenth of the exact horizon. The marks of one path share their rewards,
    so a path counts once.
    """
    problem, u = study.problem(1, v), study.moment(1, v)
    record: Any = dp_robust_ucb(epsilon, v, u, study.length, radius).record
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
    return largest


def confidence(study: Setup) -> pd.DataFrame:
    """Return, for both variants of the central algorithms, whether the means stay within what the rule allows.

    Proven is what `dp_confidence`, or `dp_robust_ucb_error` at n = 1, 10^3, ..., 10^15, shows; both ask for
    epsilon <= 1, and beyond it nothing is measured either. Every row has random numbers of its own.
    """
    rows: list[tuple[object, ...]] = []
    draws = min(DRAWS // 2, 10 * study.replications)
    for v, epsilon in product(study.vs, study.epsilons):
        within = epsilon <= 1.0
        for c in (24.0, study.small_c):
            proven = within and dp_confidence(epsilon) <= c / 4.0
            errors = epoch_errors(study, 1, v, epsilon, c, draws, len(rows)) if within else _NONE
            rows.append((rates.DP, "c", c, v, epsilon, *_known(proven, errors)))
        for radius in (18.0, study.small_radius):
            proven = within and _radius_proven(study, v, epsilon, radius)
            errors = radius_errors(study, v, epsilon, radius, PATHS, _PATH_STREAMS + len(rows)) if within else _NONE
            rows.append((rates.UCB, "radius", radius, v, epsilon, *_known(proven, errors)))
    return rates.named(pd.DataFrame(rows, columns=_COLUMNS))


def local_confidence(study: Setup) -> pd.DataFrame:
    """`confidence` for the variants of LDP Robust SE, on the setting of the local figures."""
    rows: list[tuple[object, ...]] = []
    draws = min(DRAWS // 4, 5 * study.replications)
    for v, epsilon in product(study.vs, study.local_epsilons):
        within = epsilon <= 1.0
        for name, c, variant in (
            (rates.LDP, 24.0, "repaired"),
            (rates.LDP, study.small_local_c, "repaired"),
            (rates.SLIDE_LDP, 24.0, "slide_rate"),
        ):
            proven = within and _local_proven(study, v, epsilon, c, variant)
            case = (study, LOCAL_SETTING, v, epsilon, c, draws, _LOCAL_STREAMS + len(rows), variant)
            rows.append((name, "c", c, v, epsilon, *_known(proven, epoch_errors(*case) if within else _NONE)))
    return rates.named(pd.DataFrame(rows, columns=_COLUMNS))


# --- what is proven


class ErrorParts(NamedTuple):
    """Bounds on the three errors of a mean, in units of reward, and the radius that is to cover their sum."""

    bias: float
    sampling: float
    noise: float
    radius: float


def dp_robust_ucb_error(pulls: int, epsilon: float, v: float, u: float, horizon: int, c: float = 18.0) -> ErrorParts:
    """The errors of a DP Robust UCB mean of n = `pulls` rewards in round T, each tail with probability 1/T^4.

    Bias: the mean of u B_k^-v is at most (1+v) u B_n^-v. Sampling: Bernstein, with second moment at most u B_n^(1-v)
    and rewards at most B_n. Noise: Chan, Shi and Song (2011), Corollary 2.9, for floor(log2 T) + 1
    nodes of the largest scale.
    """
    log_t, levels, power = math.log(horizon), horizon.bit_length(), v / (1.0 + v)
    tail = math.log(2.0) + 4.0 * log_t
    threshold = (epsilon * u * pulls / log_t**1.5) ** (1.0 / (1.0 + v))
    node = 2.0 * threshold * levels / epsilon
    return ErrorParts(
        bias=(1.0 + v) * u * threshold**-v,
        sampling=math.sqrt(2.0 * u * threshold ** (1.0 - v) * tail / pulls) + threshold * tail / (3.0 * pulls),
        noise=math.sqrt(8.0 * tail) * max(math.sqrt(levels) * node, node * math.sqrt(tail)) / pulls,
        radius=c * u ** (1.0 / (1.0 + v)) * (tail * log_t ** (1.5 + 1.0 / v) / (pulls * epsilon)) ** power,
    )


def dp_confidence(epsilon: float) -> float:
    """Bound on the error of a noisy epoch mean of DP Robust SE, in units of err, with probability 1 - 3 e^-L.

    1 (bias) + sqrt(2 epsilon) + epsilon/3 (Bernstein) + 2 (Laplace): at most 6 for epsilon <= 1, whatever the
    constant c of the epochs, as err follows R. The rule "12 err" at c = 24 needs 6, and any c needs c/4.
    """
    return 3.0 + math.sqrt(2.0 * epsilon) + epsilon / 3.0


def ldp_confidence(epsilon: float, pulls: float, log: float, variant: str = "repaired") -> float:
    """Bound on the error of an epoch mean of LDP Robust SE, in units of err, with probability 1 - 4 e^-L.

    With q = sqrt(L/R), `repaired`: 1 (bias) + sqrt(2 epsilon q) + epsilon q/3 (Bernstein) + 4 + 2 q (the mean of R
    Laplace variables, sub-gamma): at most 6 from R = 40 L. `slide_rate`: 1 + sqrt 2 epsilon + epsilon^2/3 + (4 + 2
    q) epsilon / q, which grows as sqrt R.
    """
    q = math.sqrt(log / pulls)
    if variant == "repaired":
        return 5.0 + 2.0 * q + math.sqrt(2.0 * epsilon * q) + epsilon * q / 3.0
    return 1.0 + math.sqrt(2.0) * epsilon + epsilon**2 / 3.0 + (4.0 + 2.0 * q) * epsilon / q


def _radius_proven(study: Setup, v: float, epsilon: float, radius: float) -> bool:
    u = study.moment(1, v)
    parts = [dp_robust_ucb_error(10**k, epsilon, v, u, study.length, radius) for k in range(0, 16, 3)]
    return all(p.bias + p.sampling + p.noise <= p.radius for p in parts)


def _local_proven(study: Setup, v: float, epsilon: float, c: float, variant: str) -> bool:
    log = math.log(8.0 * study.problem(LOCAL_SETTING, v).n_items / study.beta)
    plan = bounds.ldp_epoch(1, log, epsilon, v, study.moment(LOCAL_SETTING, v), c, variant)
    return ldp_confidence(epsilon, plan.pulls, log, variant) <= c / 4.0


def _known(proven: bool, errors: np.ndarray) -> tuple[bool, float, int, int, str]:
    """Whether a bound is proven, what was seen of its errors, in units of what it allows, and what that comes to."""
    beyond, draws = int(np.sum(errors > 1.0)), len(errors)
    drawn = "fails" if beyond else "not proven, holds in all draws"
    bound = "holds: proven" if proven else drawn if draws else "not measured"
    return proven, float(errors.max()) if draws else math.nan, beyond, draws, bound

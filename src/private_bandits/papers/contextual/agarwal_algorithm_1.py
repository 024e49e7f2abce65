"""Agarwal, Foster, Hsu, Kakade and Rakhlin (2011), Algorithm 1, behind Algorithm 1: stochastic, in one dimension.

It asks at the quarters of an interval until their averages are apart, and cuts a quarter off.
"""

import math

from private_bandits.papers.contextual.accounting import noise_variance
from private_bandits.papers.contextual.shared_convex import Learner, Tuning, check_convex, checked_rounds
from private_bandits.problems import ConvexLoss


def stochastic_tuning(problem: ConvexLoss, horizon: int, scale: float, noise: str) -> Tuning:
    """Return the constants of the stochastic convex learner in one dimension, with their regret bound.

    Agarwal, Foster, Hsu, Kakade and Rakhlin (2011), Algorithm 1, for a mean loss whose values differ by at most width =
    G (length of the interval), so that gamma_i = width / 2^i; theirs is 1. They ask s^2 ln T / gamma_i^2 times, up to a
    constant, for answers that are sub-Gaussian with s. Here an average errs by more than gamma_i with probability 1/T,
    which takes 2 variance ln(2T) / gamma_i^2 queries with Gaussian noise and some more for the longer tail of the
    Laplace law: a message less its mean is sub-gamma with variance spread^2 / 3 + V, V the noise's variance, and tail b
    for Laplace noise of scale b.

    Parameters
    ----------
    problem : ConvexLoss
        Of dimension 1, stochastic.
    horizon : int
        T >= 1.
    scale : float
        Standard deviation or Laplace scale of the noise on a message, >= 0.
    noise : {"gaussian", "laplace"}

    Returns
    -------
    Tuning
        Its step is the width, by which the losses of two points differ at most.

    Raises
    ------
    ValueError
        If an argument is out of range, and in higher dimension: their ellipsoid method for it is left out.

    Notes
    -----
    The bound, derived. Where the averages hold, a round after which none of the intervals are apart has asked at points
    that are at most 10 gamma_i above the best: by convexity the best point is at most twice 5 gamma_i below. So a query
    in round i costs at most 20 gamma_i, and in epoch k at most width (3/4)^(k-1). An epoch ends only on losses that
    differ by gamma_i, so at most N end, and by the Cauchy-Schwarz inequality over them

        R_T <= 20 sqrt(30 variance (N + 1) T ln(2T)) + 91 width + 120 tail ln(2T) (N + 1)(I + 1) + 3 (N + 1) I width,

    the second term for rounding up, the third for the tail and the last for averages that do not hold; I bounds the
    full rounds of an epoch, N = 1 + log_{4/3}(width / 2g) and I = log_2(width / g) with g = sqrt(6 variance ln(2T)/T).
    """
    check_convex(problem)
    if problem.domain == "arms" or problem.mode != "stochastic":
        raise ValueError(f"learner 'stochastic' needs an interval and mode='stochastic', got {problem}")
    if problem.dim != 1:
        raise ValueError(f"dimension must be 1 for learner 'stochastic', got {problem.dim}")
    rounds, width = checked_rounds(horizon), problem.lipschitz * problem.diameter
    variance, tail = problem.spread**2 / 3.0 + noise_variance(scale, noise), scale if noise == "laplace" else 0.0
    confidence = math.log(2.0 * rounds)
    regret = 91.0 * width
    if variance > 0.0:
        least = math.sqrt(6.0 * variance * confidence / rounds)
        full = math.floor(math.log2(width / least)) if width >= least else 0
        ended = math.floor(1.0 + math.log(width / (2.0 * least), 4.0 / 3.0)) if width >= 2.0 * least else 0
        regret += 20.0 * math.sqrt(30.0 * variance * (ended + 1) * rounds * confidence)
        regret += (ended + 1) * (120.0 * tail * confidence * (full + 1) + 3.0 * full * width)
    return Tuning(width, regret, variance=variance, tail=tail, confidence=confidence)


def reference(
    problem: ConvexLoss,
    *,
    horizon: int,
    scale: float,
    noise: str,
    cuts: list[tuple[int, float, float]] | None = None,
) -> Learner:
    """Play Algorithm 1 line by line, told losses with this noise; `cuts` takes the case and the interval.

    Parameters
    ----------
    problem : ConvexLoss
        Stochastic, of dimension 1.
    horizon : int
        T >= 2, from which the steps are set.
    scale : float
        Standard deviation or Laplace scale of the noise on a message, >= 0.
    noise : {"gaussian", "laplace"}
    cuts : list, optional, written
        The case of each round, 1 to 3, and the ends of the interval after it.

    Yields
    ------
    list of float
        The point to play; the noisy loss there is sent back.
    """
    low, high = -problem.radius, problem.radius
    width, log = problem.lipschitz * (high - low), math.log(2 * horizon)
    variance = problem.spread**2 / 3 + (scale**2 if noise == "gaussian" else 2 * scale**2)
    tail = scale if noise == "laplace" else 0.0

    def samples(gamma: float) -> int:
        """The least n for which sqrt(2 v log / n) + b log / n <= gamma."""
        few, many = 0, 1
        while math.sqrt(2 * variance * log / many) + tail * log / many > gamma:
            few, many = many, 2 * many
        while many - few > 1:
            n = (few + many) // 2
            wide = math.sqrt(2 * variance * log / n) + tail * log / n > gamma
            few, many = (n, many) if wide else (few, n)
        return many

    while True:  # an epoch
        x_l, x_c, x_r = (low + (high - low) * share for share in (1 / 4, 1 / 2, 3 / 4))
        case, i = 3, 0
        while case == 3:  # a round
            i += 1
            gamma = width * 2.0**-i
            n, lb, ub = samples(gamma), {}, {}
            for x in (x_l, x_c, x_r):
                total = 0.0
                for _ in range(n):
                    total += yield [x]
                lb[x], ub[x] = total / n - gamma, total / n + gamma
            if max(lb[x_l], lb[x_r]) >= min(ub[x_l], ub[x_r]) + gamma:
                case = 1
            elif max(lb[x_l], lb[x_r]) >= ub[x_c] + gamma:
                case = 2
            low, high = (low, high) if case == 3 else (x_l, high) if lb[x_l] >= lb[x_r] else (low, x_r)
            if cuts is not None:
                cuts.append((case, low, high))

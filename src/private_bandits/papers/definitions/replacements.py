"""The lower bounds that can be used in the place of those of Basu et al. (2019): what holds, and is not vacuous.

Units and logarithms as in `bounds`. Minimax bounds hold for rewards in [0, 1] at every horizon, problem-dependent ones
for Bernoulli rewards as T grows; they are 0 where the best mean is 1, as no arm could be better then.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import lambertw

from private_bandits import checks
from private_bandits.privacy.divergences import bernoulli_kl, private_kl, response_kl


def minimax(n_arms: int, horizon: int) -> float:
    """Minimax bound without privacy: `local_minimax` at epsilon = infinity, (1 - 1/K)^2 sqrt(K T)/4 for large T.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The way of Auer et al. (2002, Theorem 5.1), who lose more: min(sqrt(K T), T)/20. Lattimore and Szepesvari (2020,
    Theorem 15.2) have sqrt((K-1) T)/27 for Gaussian rewards.
    """
    return local_minimax(n_arms, horizon, math.inf)


def lai_robbins(means: Sequence[float] | np.ndarray, horizon: int) -> float:
    """Lai and Robbins (1985) for Bernoulli arms: sum of gap / d(mean || best mean), times ln T.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    horizon : int
        T >= 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return _over_gaps(means, horizon, bernoulli_kl)


def azize_basu_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Azize and Basu (2022), minimax under epsilon-DP: max(sqrt((K-1) T)/27, (K-1)/(131 epsilon)).

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    131 is 48 e rounded up: k = 6 epsilon D in the pair of `bounds`, at D = (K-1)/(6 epsilon T), for Gaussian rewards
    of unit variance. Bernoulli rewards have twice the total variation, k = 12 epsilon D, and the same steps give 96 e.
    The value holds for rewards in [0, 1] all the same, for `central_minimax` is never below it. Gaps of at most 1/2
    need T >= (K-1)/(3 epsilon), from where on the second term counts; without that it exceeds T as epsilon tends to 0.
    The first term is T/27 where T < K - 1.
    """
    others, rounds = game(n_arms, horizon)
    epsilon = checks.epsilon(epsilon)
    private = others / (131.0 * epsilon) if 3.0 * epsilon * rounds >= others else 0.0
    return max(min(math.sqrt(others * rounds), rounds) / 27.0, private)


def azize_basu(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float) -> float:
    """Azize and Basu (2022) for Bernoulli arms: sum of gap / min(d(mean || best), 6 epsilon gap), times ln T.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    epsilon = checks.epsilon(epsilon)
    return _over_gaps(means, horizon, lambda m, best: min(bernoulli_kl(m, best), 6.0 * epsilon * (best - m)))


def local_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Minimax bound under epsilon-LDP, about (1 - 1/K)^2 sqrt(K T) / (4 tanh(epsilon/2)).

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Arms of mean 1/2, one of them raised by D <= 1/2: some choice of it loses D T (1 - 1/K - sqrt(T k / (2 K))) or more,
    with k = d(1/2 || 1/2 + D t) the most that a channel keeps (`response_kl`), t = tanh(epsilon/2). Here D is
    (1 - 1/K) / (2 t sqrt(1 + T/K)), or 1/2 where that is larger. The way of Auer et al. (2002, Theorem 5.1) with
    Pinsker's inequality and the exact k, whose two together we know no source for. In very short games
    `coupling_minimax` is larger, and holds, as local DP implies DP.
    """
    arms, rounds = game(n_arms, horizon)[0] + 1, horizon
    keep, wrong = math.tanh(checks.epsilon(epsilon) / 2.0), 1.0 - 1.0 / arms
    gap = min(0.5, wrong / (2.0 * keep * math.sqrt(1.0 + rounds / arms)))
    kept = -0.5 * math.log1p(-((2.0 * gap * keep) ** 2))
    raised = gap * rounds * (wrong - math.sqrt(rounds * kept / (2.0 * arms)))
    return max(raised, coupling_minimax(n_arms, horizon, epsilon))


def local_lower(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float) -> float:
    """Problem-dependent bound under epsilon-LDP: sum of gap / d(r(mean) || r(best)), times ln T; r is `response_mean`.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Gajane et al. (2018) have sum of gap / d(g_a || g*) for rewards that pass a given channel, and algorithms that meet
    it. No channel keeps more than randomised response (`response_kl`), so that with it their bound is one for all.
    """
    epsilon = checks.epsilon(epsilon)
    return _over_gaps(means, horizon, lambda mean, best: response_kl(mean, best, epsilon))


def coupling_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Minimax bound under epsilon-DP by coupling: about c K / (1 - e^(-epsilon)), c = 0.07 at K = 2, 1/e for large K.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Arms of mean 1/2, one of them raised by D <= 1/2: some choice of it loses D T (r^(T/(2K)) - 1/K) or more, with
    r = 1 - 2 D (1 - e^(-epsilon)). Here D = v K / (T (1 - e^(-epsilon))) with (1 - v) e^(-v) = 1/K, or 1/2 where that
    is larger. It is the coupling of `private_kl` without a divergence; we know no source for it. With that divergence,
    Bretagnolle and Huber's inequality gives (K-1) / (16 e epsilon) from T = 2 (K-1) / epsilon on.
    """
    arms, rounds = game(n_arms, horizon)[0] + 1, horizon
    lost = -math.expm1(-checks.epsilon(epsilon))
    best = 1.0 - float(lambertw(math.e / arms).real)
    gap = min(0.5, best * arms / (rounds * lost))
    untouched = rounds / (2.0 * arms) * math.log1p(-2.0 * gap * lost) if 2.0 * gap * lost < 1.0 else -math.inf
    return gap * rounds * max(0.0, math.exp(untouched) - 1.0 / arms)


def central_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Minimax bound under epsilon-DP: the larger of `minimax` and `coupling_minimax`, for privacy never helps.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return max(minimax(n_arms, horizon), coupling_minimax(n_arms, horizon, epsilon))


def central_lower(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float) -> float:
    """Problem-dependent bound under epsilon-DP for Bernoulli arms: sum of gap / d_epsilon(mean || best), times ln T.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    horizon : int
        T >= 1.
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The missing entry of Table 1, proved by Azize, Wu, Honda, Orabona, Ito and Basu (2025), with an algorithm that meets
    it up to a constant as close to 1 as wished. d_epsilon is `private_kl`, at most min(d, epsilon gap), so the bound is
    never below `azize_basu` nor below `lai_robbins`. It follows from the divergence bound of `private_kl` as Theorem 4
    follows from Lemma 4.
    """
    epsilon = checks.epsilon(epsilon)
    return _over_gaps(means, horizon, lambda mean, best: private_kl(mean, best, epsilon))


def game(n_arms: int, horizon: int = 1) -> tuple[int, int]:
    """K - 1 and T, which every minimax bound is made of.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    horizon : int
        T >= 1.

    Returns
    -------
    (int, int)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return checks.integer("n_arms", n_arms, at_least=2) - 1, checks.integer("horizon", horizon, at_least=1)


def _over_gaps(means: Sequence[float] | np.ndarray, horizon: int, divergence: Callable[[float, float], float]) -> float:
    """Sum over the worse arms of gap / divergence(mean, best mean), times ln T."""
    vector = checks.vector("means", means, at_least=0, at_most=1).tolist()
    best = max(vector)
    constant = float(sum((best - mean) / divergence(mean, best) for mean in vector if mean < best < 1.0))
    return constant * math.log(checks.integer("horizon", horizon, at_least=1))

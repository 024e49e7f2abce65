"""The lower bounds that can be used in the place of those of Basu et al. (2019): what holds, and is not vacuous.

Units, logarithms and the pair of environments as in `bounds`. Minimax bounds hold for rewards in [0, 1] at every
horizon, problem-dependent ones for Bernoulli rewards as T grows; they are 0 where the best mean is 1, as no arm could
be better then.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from private_bandits import checks
from private_bandits.privacy.divergences import bernoulli_kl, private_kl, response_kl


def minimax(n_arms: int, horizon: int) -> float:
    """Minimax bound without privacy: sqrt((K-1) T)/27, and T/27 where T < K - 1.

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
    The constant is that of Lattimore and Szepesvari (2020, Theorem 15.2) for Gaussian rewards of unit variance. For
    rewards in [0, 1] it holds too: Auer et al. (2002, Theorem 5.1) have min(sqrt(K T), T)/20 for Bernoulli rewards.
    """
    others, rounds = game(n_arms, horizon)
    return min(math.sqrt(others * rounds), rounds) / 27.0


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
    131 is 48 e rounded up: k = 6 epsilon D in the pair of the module, at D = (K-1)/(6 epsilon T), for Gaussian rewards
    of unit variance. Bernoulli rewards have twice the total variation, k = 12 epsilon D, and the same steps give 96 e.
    The value holds for rewards in [0, 1] all the same, for `central_minimax` is never below it. Gaps of at most 1/2
    need T >= (K-1)/(3 epsilon), from where on the second term counts; without that it exceeds T as epsilon tends to 0.
    """
    others, rounds = game(n_arms, horizon)
    epsilon = checks.epsilon(epsilon)
    private = others / (131.0 * epsilon) if 3.0 * epsilon * rounds >= others else 0.0
    return max(minimax(n_arms, horizon), private)


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


def response_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Minimax bound of the pair of environments under epsilon-LDP, Bernoulli rewards of mean 1/2 and 1/2 + D.

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
    Ours, by the pair of environments of Basu et al. (2019) and the contraction of Duchi et al. (2013) made exact.

    Randomised response keeps the most divergence (`response_kl`): its answers have means 1/2 and 1/2 + 2 D t, t =
    tanh(epsilon/2), and k = -ln(1 - 16 D^2 t^2)/2. The best gap is D = 1/(4 t sqrt(1 + T/(K-1))), or 1/4 where that is
    larger. So the bound is about sqrt((K-1) T)/(53 t), and T/32 at most.
    """
    others, rounds = game(n_arms, horizon)
    keep, pulls = math.tanh(checks.epsilon(epsilon) / 2.0), rounds / others
    gap = min(0.25, 1.0 / (4.0 * keep * math.sqrt(pulls + 1.0)))
    return rounds * gap / 8.0 * math.exp(0.5 * pulls * math.log1p(-((4.0 * gap * keep) ** 2)))


def local_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Minimax bound under epsilon-LDP: the larger of `minimax` and `response_minimax`, for privacy never helps.

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
    Lattimore and Szepesvari (2020, Theorem 15.2) without privacy, `response_minimax` (ours) with it.
    """
    return max(minimax(n_arms, horizon), response_minimax(n_arms, horizon, epsilon))


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
    """Minimax bound of the pair of environments under epsilon-DP, by the coupling of `private_kl`.

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
    Ours, by the pair of environments of Basu et al. (2019) and the divergence of Azize and Basu (2022) made smallest.

    Bernoulli rewards of mean 1/2 and 1/2 + D, and k = d_epsilon(1/2 || 1/2 + 2 D); ln D - k T/(K-1) is concave in D.
    For T >= (K-1) / sinh(epsilon/2)^2 the best gap is the non-private one: the method sees no price of privacy.
    Below, D = (1 - s/2) / (2 s (1 + T/(K-1))) with s = 1 - e^(-epsilon), or 1/4 where that is larger; the bound is
    about (K-1)/(43.5 epsilon), three times that of `azize_basu_minimax`. We know no source for this constant.
    """
    others, rounds = game(n_arms, horizon)
    epsilon, pulls = checks.epsilon(epsilon), rounds / others
    gap = 1.0 / (4.0 * math.sqrt(pulls + 1.0))
    if gap > math.tanh(epsilon / 2.0) / 4.0:
        slope = -math.expm1(-epsilon)
        gap = min(0.25, (1.0 - slope / 2.0) / (2.0 * slope * (pulls + 1.0)))
    return rounds * gap / 8.0 * math.exp(-pulls * private_kl(0.5, 0.5 + 2.0 * gap, epsilon))


def central_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Minimax bound under epsilon-DP: the larger of `minimax` and `coupling_minimax`.

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
    Lattimore and Szepesvari (2020, Theorem 15.2) without privacy, `coupling_minimax` (ours) with it.
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

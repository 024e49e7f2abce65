"""The lower bounds that can be used in the place of those of Basu et al. (2019): what holds, and is not vacuous.

Units and logarithms as in `bounds`. Minimax bounds hold for rewards in [0, 1] at every horizon, problem-dependent ones
for Bernoulli rewards as T grows; they are 0 where the best mean is 1, as no arm could be better then.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import lambertw

from private_bandits import checks
from private_bandits.papers._arithmetic import over, times
from private_bandits.privacy.divergences import bernoulli_kl, private_kl, response_kl

__all__ = [
    "asoodeh_zhang",
    "azize_basu",
    "central_lower",
    "central_minimax",
    "contraction",
    "lai_robbins",
    "local_lower",
    "local_minimax",
    "minimax",
    "theorem_b",
]


@checks.formula()
def minimax(*, n_arms: int, horizon: int) -> float:
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
    return local_minimax(n_arms=n_arms, horizon=horizon, epsilon=math.inf)


@checks.formula()
def lai_robbins(*, means: Sequence[float] | np.ndarray, horizon: int) -> float:
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


@checks.formula()
def azize_basu(*, means: Sequence[float] | np.ndarray, epsilon: float, horizon: int) -> float:
    """Azize and Basu (2022) for Bernoulli arms: sum of gap / min(d(mean || best), 6 epsilon gap), times ln T.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    epsilon : float
        Privacy parameter, > 0 or infinite.
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
    epsilon = checks.epsilon(epsilon)
    return _over_gaps(means, horizon, lambda m, best: min(bernoulli_kl(m, best), 6.0 * epsilon * (best - m)))


@checks.formula()
def local_minimax(*, n_arms: int, epsilon: float, horizon: int) -> float:
    """Minimax bound under epsilon-LDP, about (1 - 1/K)^2 sqrt(K T) / (4 tanh(epsilon/2)).

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite.
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
    Arms of mean 1/2, one of them raised by D <= 1/2: some choice of it loses D T (1 - 1/K - sqrt(T k / (2 K))) or more,
    with k = d(1/2 || 1/2 + D t) the most that a channel keeps (`response_kl`), t = tanh(epsilon/2). Here D is
    (1 - 1/K) / (2 t sqrt(1 + T/K)), or 1/2 where that is larger. The way of Auer et al. (2002, Theorem 5.1) with
    Pinsker's inequality and the exact k, whose two together we know no source for. In very short games
    `theorem_b` is larger, and holds, as local DP implies DP.
    """
    arms, rounds = game(n_arms=n_arms, horizon=horizon)[0] + 1, horizon
    keep, wrong = math.tanh(checks.epsilon(epsilon) / 2.0), 1.0 - 1.0 / arms
    gap = min(0.5, over(wrong, 2.0 * keep * math.sqrt(1.0 + rounds / arms)), over(0.5 - 1e-12, keep))
    kept = -0.5 * math.log1p(-((2.0 * gap * keep) ** 2))
    raised = gap * rounds * (wrong - math.sqrt(rounds * kept / (2.0 * arms)))
    return max(raised, theorem_b(n_arms=n_arms, horizon=horizon, epsilon=epsilon))


@checks.formula()
def local_lower(*, means: Sequence[float] | np.ndarray, epsilon: float, horizon: int) -> float:
    """Problem-dependent bound under epsilon-LDP: sum of gap / d(r(mean) || r(best)), times ln T; r is `response_mean`.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    epsilon : float
        Privacy parameter, > 0 or infinite.
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
    Gajane et al. (2018) have sum of gap / d(g_a || g*) for rewards that pass a given channel, and algorithms that meet
    it. No channel keeps more than randomised response (`response_kl`), so that with it their bound is one for all.
    """
    epsilon = checks.epsilon(epsilon)
    return _over_gaps(means, horizon, lambda mean, best: response_kl(mean, best, epsilon=epsilon))


@checks.formula()
def theorem_b(*, n_arms: int, epsilon: float, horizon: int) -> float:
    """Minimax bound under epsilon-DP that grows with ln T: about (K-1) ln(epsilon T) / epsilon, for Bernoulli rewards.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite.
    horizon : int
        T >= 1.

    Returns
    -------
    float
        The most over c in {0.01, ..., 0.99} of c (K-1)/epsilon W(epsilon T (1-c) / (1 + c (K-2))), W the Lambert
        function; 0 at epsilon = infinity. At c = 1/2 it is at least (K-1)/(4 epsilon) ln(1 + epsilon T/K).

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Theorem B of the book's page of proofs. Arm 1 has mean c and the others 0, or one of them 1. A DP policy with
    little regret rarely pulls arm j in the first instance, and each pull that differs moves probabilities by a factor
    of e^epsilon at most, so it rarely finds arm j in the second. The steps are those of the lower bounds by coupling of
    Acharya et al. (2021) and Lalanne et al. (2022). Shariff and Sheffet (2018) have a logarithm over epsilon on one
    instance; Azize and Basu (2022) have K/epsilon in the worst case.

    Examples
    --------
    >>> round(theorem_b(n_arms=2, epsilon=0.1, horizon=10**6), 1)
    65.1
    """
    others, rounds = game(n_arms=n_arms, horizon=horizon)
    epsilon = checks.epsilon(epsilon)
    if math.isinf(epsilon):
        return 0.0
    shares = np.arange(1, 100) / 100.0
    drawn = lambertw(epsilon * float(rounds) * (1.0 - shares) / (1.0 + shares * (others - 1))).real
    return times(float(np.max(shares * drawn)), others) / epsilon


@checks.formula()
def central_minimax(*, n_arms: int, epsilon: float, horizon: int) -> float:
    """Minimax bound under epsilon-DP: the larger of `minimax` and `theorem_b`, for privacy never helps.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite.
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
    return max(minimax(n_arms=n_arms, horizon=horizon), theorem_b(n_arms=n_arms, horizon=horizon, epsilon=epsilon))


@checks.formula()
def central_lower(*, means: Sequence[float] | np.ndarray, epsilon: float, horizon: int) -> float:
    """Problem-dependent bound under epsilon-DP for Bernoulli arms: sum of gap / d_epsilon(mean || best), times ln T.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Means of the arms, each in [0, 1].
    epsilon : float
        Privacy parameter, > 0 or infinite.
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
    The missing entry of Table 1, proved by Azize, Wu, Honda, Orabona, Ito and Basu (2025), with an algorithm that meets
    it up to a constant as close to 1 as wished. d_epsilon is `private_kl`, at most min(d, epsilon gap), so the bound is
    never below `azize_basu` nor below `lai_robbins`. It follows from the divergence bound of `private_kl` as Theorem 4
    follows from Lemma 4.
    """
    epsilon = checks.epsilon(epsilon)
    return _over_gaps(means, horizon, lambda mean, best: private_kl(mean, best, epsilon=epsilon))


@checks.formula()
def contraction(*, epsilon: float) -> float:
    """The share of a divergence that an epsilon-LDP message keeps at most: tanh(epsilon/2)^2, whatever is sent.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        If epsilon is out of range.

    Notes
    -----
    Asoodeh and Zhang (2024), for the Kullback-Leibler and the chi-squared divergence. It holds for rewards of any law,
    where `response_kl` is for two rewards; our proof, by the inequalities of Cauchy and Kantorovich, is on the book's
    page of proofs. Randomised response comes as close as wished, on Bernoulli rewards near 1/2.

    Examples
    --------
    >>> round(contraction(epsilon=1.0), 4)
    0.2136
    """
    return math.tanh(checks.epsilon(epsilon) / 2.0) ** 2


@checks.formula()
def asoodeh_zhang(
    *, gaps: Sequence[float] | np.ndarray, divergences: Sequence[float] | np.ndarray, epsilon: float, horizon: int
) -> float:
    """Problem-dependent bound under epsilon-LDP for rewards of any law: Theorem 4 with coth(epsilon/2)^2.

    Parameters
    ----------
    gaps : sequence of float, shape (arms,)
        Of the worse arms, each >= 0, in units of reward.
    divergences : sequence of float, shape (arms,)
        Of each worse arm's law from the laws of the class with a mean above the best one, their infimum, in nats and
        > 0. For a class without jumps that is D(f_a || f*).
    epsilon : float
        Privacy parameter, > 0 or infinite.
    horizon : int
        T >= 1.

    Returns
    -------
    float
        Sum of gap / (`contraction` x divergence), times ln T. For Bernoulli arms `local_lower` is never below it.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    above = checks.vector("gaps", gaps, at_least=0)
    under = checks.vector("divergences", divergences, at_least=math.ulp(0.0))
    if len(above) != len(under):
        raise ValueError(f"gaps must be as many as divergences, got {len(above)} and {len(under)}")
    shares = float((above / under).sum())
    return times(over(shares, contraction(epsilon=epsilon)), checks.log_horizon(horizon))


@checks.formula()
def game(*, n_arms: int, horizon: int = 1) -> tuple[int, int]:
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
    constant = sum(over(best - mean, divergence(mean, best)) for mean in vector if mean < best < 1.0)
    return times(constant, checks.log_horizon(horizon))

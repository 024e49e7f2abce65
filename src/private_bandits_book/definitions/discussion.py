"""What Basu et al. (2019) say about their bounds, settled by numbers: a function per claim.

The upper bounds here are guarantees, not measurements. Logarithms are natural.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from private_bandits.papers.definitions import bounds, replacements
from private_bandits.privacy.divergences import local_factor

_MANY = 10**12


def remark_1(n_arms: int, horizon: int, epsilon: float, gap: float) -> tuple[float, float]:
    """Remark 1: Theorem 4's third step at problem-independent terms, and Theorem 1's third step.

    Parameters
    ----------
    n_arms, horizon, epsilon
        K >= 2, T >= 1, epsilon > 0.
    gap : float
        D in (0, 1/2].

    Returns
    -------
    (float, float)
        T/4 min(gaps) exp(-2 m E[N] d) at both gaps D, E[N] = T/(K-1) and d = 2 D^2, and T D/4 exp(-4 m T D^2/(K-1)).
        Equal, as the remark says. Definition 3 cites a Remark 1 for something else, the equivalence that Lemma 1 shows.
    """
    factor, pulls = local_factor(epsilon), horizon / (n_arms - 1)
    dependent = horizon / 4.0 * gap * math.exp(-2.0 * factor * pulls * (2.0 * gap**2))
    return dependent, horizon * gap / 4.0 * math.exp(-4.0 * factor * horizon * gap**2 / (n_arms - 1))


def multiplicative(n_arms: int, epsilons: Sequence[float], horizons: Sequence[int]) -> pd.DataFrame:
    """Price of privacy as a factor on minimax regret, which is between two proven ends: "multiplicative for all".

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilons : sequence of float
        Each > 0.
    horizons : sequence of int
        Each >= 1.

    Returns
    -------
    pandas.DataFrame
        Columns definition, epsilon, horizon, least (the private lower bound over what is achieved without privacy),
        most (what is achieved with privacy over the lower bound without). What is achieved is `dp_se_minimax`: on the
        answers of randomised response, whose gaps are tanh(epsilon/2) times smaller, for local DP; at epsilon/2 for
        instantaneous DP, which it implies (Lemma 2).

        * Local DP: `least` is proportional to 1/tanh(epsilon/2), once T is large enough, and so is `most`.
        * Both others: `most` tends to a constant of K, whatever epsilon is.

    Notes
    -----
    This is about the worst case. On one instance the price of DP grows with ln T, as `central_lower` over `lai_robbins`
    shows.
    """
    rows = []
    for epsilon, horizon in product(epsilons, horizons):
        plain = replacements.minimax(n_arms, horizon)
        achieved, central, half = (dp_se_minimax(n_arms, horizon, e) for e in (math.inf, epsilon, epsilon / 2.0))
        for place, lower, upper in (
            ("local DP", replacements.local_minimax(n_arms, horizon, epsilon), achieved / math.tanh(epsilon / 2.0)),
            ("DP", replacements.central_minimax(n_arms, horizon, epsilon), central),
            ("instantaneous DP", plain, half),
        ):
            rows.append((place, epsilon, horizon, lower / achieved, min(upper, horizon) / plain))
    return pd.DataFrame(rows, columns=["definition", "epsilon", "horizon", "least", "most"])


def dp_se_minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    """Upper bound on minimax regret under epsilon-DP, rewards in [0, 1]: of order sqrt(T) + (ln T)^2 / epsilon.

    Parameters
    ----------
    n_arms, horizon, epsilon
        K >= 2, T >= 1; epsilon > 0, infinity for no noise.

    Returns
    -------
    float
        T at most. Over sqrt(T) it tends to a constant of K, the same for every epsilon.

    Notes
    -----
    Ours: DP-SE (Sajed and Sheffet, 2019) whose failure probability grows with the epoch, as in the improved UCB of Auer
    and Ortner (2010). In epoch e every arm left is pulled R = max(32 4^e, 8 2^e / epsilon) l times afresh, rounded up,
    l = ln(3 K T / 4^e), and leaves if its mean with Laplace noise of scale 1/(epsilon R) is over 2^-e/2 below the best:
    each reward is used once, so it is epsilon-DP. All means and noises are off by at most 2^-e/8 but with probability
    3 K e^-l = 4^e/T. While they are, no best arm leaves and an arm of gap above 2^-e does. So the arms of epoch e cost
    (K-1) R 2^(1-e), a failure there T 2^(1-e) 4^e/T = 2^(1+e), and those left after epoch E at most T 2^-E. The best E
    counts. At 2^E of order sqrt(T), l is a constant in the dear epochs, and epsilon adds 16 (K-1) l / epsilon an epoch.
    """
    best, spent, scale = float(horizon), 0.0, 1
    while (scale := 2 * scale) ** 2 <= horizon:
        log = math.log(3.0 * n_arms * horizon / scale**2)
        pulls = math.ceil(max(32.0 * scale**2, 8.0 * scale / epsilon) * log)
        spent += 2.0 * (n_arms - 1) * pulls / scale + 2.0 * scale
        best = min(best, spent + horizon / scale)
    return best


def small_epsilon(epsilons: Sequence[float]) -> pd.DataFrame:
    """Local over instantaneous entry of Table 1, beside e^(epsilon/2) and sqrt(2/(epsilon (e^epsilon + 1))).

    Section 5 names these for small and large epsilon. The ratio is sqrt(2 epsilon (e^epsilon + 1)/(e^epsilon - 1)) over
    min(2, e^epsilon): 2 as epsilon tends to 0, and of order sqrt(epsilon/2) as it grows, where the second one vanishes.

    Returns
    -------
    pandas.DataFrame
        Columns epsilon, local_over_instantaneous, claimed_small, claimed_large.
    """
    e = np.array(epsilons, float)
    ratio = np.sqrt(2.0 * e / np.tanh(e / 2.0)) / np.minimum(np.exp(e), 2.0)
    large = np.sqrt(2.0 * np.exp(-e) / (e * (1.0 + np.exp(-e))))
    claimed = {"claimed_small": np.exp(e / 2.0), "claimed_large": large}
    return pd.DataFrame({"epsilon": e, "local_over_instantaneous": ratio, **claimed})


def orderings(epsilons: Sequence[float]) -> pd.DataFrame:
    """Which definition costs most, by the paper's own bounds: their factors on sqrt((K-1) T), constants dropped.

    Returns
    -------
    pandas.DataFrame
        Columns epsilon; local, instantaneous (the entries of Table 1); printed, proof (DP by Theorem 3 and by the line
        of its proof before the last).
    """
    # one arm too many, and as many rounds as make every threshold hold
    games = [(2, _MANY, epsilon) for epsilon in epsilons]
    entries = {
        "local": [bounds.theorem_1(*game, "table") for game in games],
        "instantaneous": [bounds.theorem_2(*game, "table") for game in games],
        "printed": [8.0 * bounds.theorem_3(*game) for game in games],
        "proof": [8.0 * bounds.theorem_3(*game, "proof") for game in games],
    }
    return pd.DataFrame(entries | {"epsilon": list(epsilons)})

"""What privacy costs in long games, in the worst case: the factor on minimax regret is 1 under DP, more under local DP.

R(T) is the minimax regret of K arms with rewards in [0, 1] over T rounds, and R_epsilon(T) that of epsilon-DP policies;
both know T. The proofs are on the book's page of proofs. The lower bound that belongs here, Theorem B, is
`replacements.theorem_b`.
"""

import math

import numpy as np

from private_bandits import checks
from private_bandits.papers._arithmetic import over, power, times
from private_bandits.papers.definitions.replacements import game, minimax

__all__ = [
    "central_upper",
    "theorem_a",
    "theorem_a_excess",
    "theorem_c",
]


@checks.formula()
def theorem_a(*, n_arms: int, epsilon: float, horizon: int) -> float:
    """Upper bound on the factor R_epsilon(T)/R(T) of central privacy, which tends to 1 as T grows.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite.
    horizon : int
        T >= 4.

    Returns
    -------
    float
        (1 + excess / lower bound on R) / (1 - 2 mixing), with `theorem_a_excess` and `minimax`. The epochs and the
        mixing are the best of a grid, and the batch is the best one. At practical horizons it says nothing.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(theorem_a(n_arms=2, epsilon=1.0, horizon=10**80), 4)
    1.0001
    """
    others, rounds = game(n_arms=n_arms, horizon=checks.integer("horizon", horizon, at_least=4))
    epsilon, plain, best = checks.epsilon(epsilon), minimax(n_arms=n_arms, horizon=rounds), math.inf
    for epochs in range(1, int(math.log2(rounds) / 2.0) + 1):
        for mixing in np.geomspace(1e-8, 0.25, 24).tolist():
            # the derivative of the two terms with the batch in them is 0 here
            noise = over(0.63, epsilon * math.sqrt(mixing * (1.0 - mixing)))
            batch = max(1, math.ceil(min((1.5 * noise / (others + 1)) ** 0.4 * float(rounds) ** 0.8, rounds)))
            excess = theorem_a_excess(
                n_arms=n_arms, horizon=rounds, epsilon=epsilon, mixing=mixing, batch=batch, epochs=epochs
            )
            best = min(best, (1.0 + excess / plain) / (1.0 - 2.0 * mixing))
    return best


@checks.formula()
def theorem_a_excess(*, n_arms: int, epsilon: float, horizon: int, mixing: float, batch: int, epochs: int) -> float:
    """Theorem A: (1 - 2 mixing) R_epsilon(T) exceeds R(T) by this at most.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0 or infinite.
    horizon : int
        T >= 1.
    mixing : float
        eta in (0, 1/2): a reward is replaced by a fair coin with probability 2 eta.
    batch : int
        m >= 1, pulls whose rewards are released as one noisy sum.
    epochs : int
        E >= 1 of elimination before the replay, 4^E <= T.

    Returns
    -------
    float
        K (128 2^E ln(4 K T/4^E) + 32 ln(4 K T)/epsilon + m/2^E + 1) + 4 2^E + 0.63 T^2 / (2^E m epsilon sqrt(m eta (1 -
        eta))), in units of regret.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    arms, rounds = game(n_arms=n_arms, horizon=horizon)[0] + 1, float(horizon)
    epsilon, eta = checks.epsilon(epsilon), checks.real("mixing", mixing, above=0, below=0.5)
    m, last = checks.integer("batch", batch, at_least=1), checks.integer("epochs", epochs, at_least=1)
    if (scale := power(2.0, last)) > math.sqrt(rounds):
        raise ValueError(f"epochs must be <= log4(horizon) = {math.log(rounds, 4):.4g}, got {last}")
    log = math.log(4.0 * arms) + math.log(rounds)
    eliminated = 128.0 * scale * (log - 2.0 * math.log(scale)) + 32.0 * log / epsilon
    noticed = times(over(0.63 * (rounds / m), math.sqrt(m * eta * (1.0 - eta))), rounds / scale / epsilon)
    return arms * (eliminated + m / scale + 1.0) + 4.0 * scale + noticed


@checks.formula()
def theorem_c(*, epsilon: float) -> float:
    """The factor of local privacy: R under epsilon-LDP is at most coth(epsilon/2) R, and tends to it as T grows.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0 or infinite.

    Returns
    -------
    float
        At least 1, about 2/epsilon at small epsilon.

    Raises
    ------
    ValueError
        If epsilon is out of range.

    Examples
    --------
    >>> round(theorem_c(epsilon=0.2), 2)
    10.03
    """
    return over(1.0, math.tanh(checks.epsilon(epsilon) / 2.0))


@checks.formula()
def central_upper(*, n_arms: int, epsilon: float, horizon: int) -> float:
    """Upper bound on R_epsilon(T), by elimination: of order sqrt(K T) up to a logarithm of K, plus K ln T / epsilon.

    Parameters
    ----------
    n_arms : int
        K >= 2.
    epsilon : float
        Privacy parameter, > 0; infinity for no noise.
    horizon : int
        T >= 1.

    Returns
    -------
    float
        At most T (1 - 1/K), the regret of uniform play.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    DP-SE (Sajed and Sheffet, 2019) with a failure probability that grows with the epoch, as in the improved UCB of Auer
    and Ortner (2010). In epoch e every arm left is pulled n_e = max(32 4^e, 8 2^e / epsilon) ln(3 K T / 4^e) times
    afresh, rounded up, and leaves if its mean with Laplace noise of scale 1/(epsilon n_e) is over 2^-e/2 below the
    best: this is `elimination`. An arm that is left until epoch n has a gap of at most 2^(1-n), unless one of the
    radii fails.
    """
    others, rounds = game(n_arms=n_arms, horizon=horizon)
    worst = [float(horizon) * others / (others + 1)]
    return min(worst + _eliminated(checks.epsilon(epsilon), others, rounds))


def best_epochs(epsilon: float, *, n_arms: int, horizon: int) -> int:
    """Return the number of epochs at which `central_upper` is least.

    Parameters
    ----------
    epsilon : float
        > 0 or infinite.
    n_arms : int
        K >= 2.
    horizon : int
        T >= 4.

    Returns
    -------
    int
        E >= 1, 4^E <= T.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    others, rounds = game(n_arms=n_arms, horizon=checks.integer("horizon", horizon, at_least=4))
    return 1 + int(np.argmin(_eliminated(checks.epsilon(epsilon), others, rounds)))


def _eliminated(epsilon: float, others: int, rounds: int) -> list[float]:
    """The bound of `central_upper` for E = 1, 2, ... epochs, 4^E <= T."""
    bounds: list[float] = []
    pulls, dearest, failing, scale = 0.0, 0.0, 0.0, 1
    while (scale := 2 * scale) ** 2 <= rounds:
        log = math.log(3.0 * (others + 1)) + math.log(rounds / scale**2)
        pulls += float(np.ceil(max(32.0 * scale**2, 8.0 * scale / epsilon) * log))
        dearest, failing = max(dearest, 2.0 * pulls / scale), failing + 2.0 * scale
        bounds.append(others * dearest + failing + rounds / scale)
    return bounds

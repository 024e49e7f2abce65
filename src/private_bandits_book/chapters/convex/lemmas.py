"""What proofs and small cases say of convex losses under noise, by computation: each number in under a second."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.contextual import bounds, instances
from private_bandits.papers.contextual.accounting import noise_reach
from private_bandits.papers.definitions.finite_policies import Greedy, LocallyPrivate
from private_bandits.privacy import channel_loss, exact_loss
from private_bandits.problems import ConvexLoss

DELTA = 1e-3
_FAR = (10**75, 10**150)  # horizons at which logarithms hardly bend a power
_NOISY = (1e-6, 1e-3)  # epsilons at which the noise is all that counts
_ROUNDS = 5  # of the streaming learner whose histories are enumerated
_MODULUS = 7


class Exponents(NamedTuple):
    """With which exponents a bound grows."""

    horizon: float  # T
    log: float  # ln T
    noise: float  # 1/epsilon


def exponents(bound: Callable[[int, float], float]) -> Exponents:
    """Return the exponents with which a bound grows, where T is large and epsilon small.

    Parameters
    ----------
    bound : callable
        Of T and epsilon.
    """
    ends, noisy = [bound(t, 1.0) for t in _FAR], [bound(_FAR[1], epsilon) for epsilon in _NOISY]
    rise, logs = math.log(ends[1] / ends[0]), [math.log(t) for t in _FAR]
    of_noise = math.log(noisy[0] / noisy[1]) / math.log(_NOISY[1] / _NOISY[0])
    return Exponents(rise / (logs[1] - logs[0]), rise / math.log(logs[1] / logs[0]), of_noise)


def one_point(row: str, learner: str, free: bool = False, noise: str = "gaussian") -> Exponents:
    """Return the exponents in Corollary 4 with a learner of its, without privacy where `free`.

    Parameters
    ----------
    row : str
        Kind of `instances.convex`, "arms" or "line".
    learner : str
        Of `tunings.LEARNERS`.
    free : bool
    noise : {"gaussian", "laplace"}
    """
    others: dict[str, Callable[[], ConvexLoss]] = {"arms": instances.switching_arms, "line": instances.on_line}
    problem = others[row]() if row in others else instances.convex(row)
    delta = DELTA if noise == "gaussian" else 0.0
    return exponents(
        lambda t, e: bounds.corollary_4(
            problem=problem, horizon=t, epsilon=math.inf if free else e, delta=delta, learner=learner, noise=noise
        )
    )


def two_points(kind: str, step: str, free: bool = False, noise: str = "gaussian") -> Exponents:
    """Return the exponents in Theorem 6; arguments as for `one_point`, and the step of Algorithm 2."""
    problem, delta = instances.convex(kind), DELTA if noise == "gaussian" else 0.0
    return exponents(
        lambda t, e: bounds.theorem_6(
            problem=problem, horizon=t, epsilon=math.inf if free else e, delta=delta, step=step, noise=noise
        )
    )


def reduction_over_printed() -> float:
    """Theorem 3: the largest factor of the proved bound over B ln(T/delta)/epsilon times the learner's, epsilon <= 1.

    Over T from 10 to 10^100, delta from 1e-12 to 0.1 and epsilon from 1e-3 to 1, for a learner with regret sqrt(T).
    """
    worst = 0.0
    for t in (10**power for power in (1, 2, 4, 8, 16, 100)):
        for delta in (0.1, 1e-3, 1e-6, 1e-12):
            for epsilon in (1e-3, 0.1, 1.0):
                proved, printed = (
                    bounds.theorem_3(
                        regret=math.sqrt(t), bound=1.0, horizon=t, epsilon=epsilon, delta=delta, variant=which
                    )
                    for which in ("derived", "printed")
                )
                worst = max(worst, proved / printed)
    return worst


def stochastic_arms() -> Exponents:
    """Return the exponents of Tsallis-INF with stochastic arms behind Algorithm 1: W^2 sum of 4 ln T / gap.

    The bound of Zimmert and Seldin (2019) for losses in [0, 1], whose gaps the clipping to the width W divides by W.
    """

    def bound(t: int, epsilon: float) -> float:
        sigma = gaussian_sigma(epsilon, delta=DELTA, sensitivity=1.0, calibration="classical")
        width = 1.0 + 2.0 * noise_reach(sigma, "gaussian", t)
        return width**2 * 4.0 * math.log(t) * 3.0 / instances.GAP

    return exponents(bound)


def classical_excess(epsilons: Sequence[float]) -> tuple[float, float, float]:
    """Return the largest exact privacy loss of the classical Gaussian noise over epsilon, its epsilon, and the loss.

    Parameters
    ----------
    epsilons : sequence of float
        > 0.
    """
    given = {"delta": DELTA, "sensitivity": 1.0}
    losses = [gaussian_epsilon(gaussian_sigma(e, calibration="classical", **given), **given) for e in epsilons]
    worst = int(np.argmax(np.divide(losses, epsilons)))
    return losses[worst] / epsilons[worst], epsilons[worst], losses[worst]


def streaming_excess(epsilons: Sequence[float]) -> float:
    """Theorem 1: the largest exact loss of an enumerated stream over epsilon, of all reports and of all actions.

    A greedy learner of two arms sees randomised responses; every table of rewards, its neighbours and all actions of
    five rounds are gone through.

    Parameters
    ----------
    epsilons : sequence of float
        > 0.
    """
    learners = [LocallyPrivate(Greedy(n_arms=2), epsilon) for epsilon in epsilons]
    losses = [max(channel_loss(one.channel), exact_loss(one, _ROUNDS)) for one in learners]
    return float(np.max(np.divide(losses, epsilons)))


def finite_loss(epsilon: float, point: int, losses: Sequence[Sequence[int]], additive: bool = False) -> float:
    """Exact privacy loss of a finite copy of noise <n, x>, whose numbers are integers modulo 7.

    A user whose losses at the points 0, 1, ... are integers sends f(x) + n x, or f(x) + n (`additive`, Algorithm 1). On
    the residues nearest to 0, n has probability proportional to exp(-epsilon |n| / 3).

    Parameters
    ----------
    epsilon : float
        Pure privacy that n gives to any residue.
    point : int
        x, a column of `losses`.
    losses : sequence of sequence of int
        A row for each user: f(0), f(1), ...
    additive : bool
    """
    half = _MODULUS // 2
    noise = np.arange(-half, half + 1)
    weights = np.exp(-(epsilon / half) * np.abs(noise))
    channel = np.zeros((len(losses), _MODULUS))
    for user, values in enumerate(losses):
        for n, weight in zip(noise.tolist(), weights / np.sum(weights), strict=True):
            channel[user, (values[point] + n * (1 if additive else point)) % _MODULUS] += weight
    return float(channel_loss(channel))


def two_values_loss(epsilon: float, same: bool) -> float:
    """Exact loss of two loss values in {0, 1} sent as residues modulo 7, each behind noise that is private at epsilon.

    Parameters
    ----------
    epsilon : float
    same : bool
        Whether both have the same draw; then their difference shows that of the values.
    """
    distance = np.minimum(np.arange(_MODULUS), _MODULUS - np.arange(_MODULUS))
    weights = np.exp(-epsilon * distance)
    weights /= np.sum(weights)
    channel = np.zeros((4, _MODULUS, _MODULUS))
    for user, n, m in np.ndindex(4, _MODULUS, _MODULUS):
        if not same or m == n:
            weight = weights[n] if same else weights[n] * weights[m]
            channel[user, (user // 2 + n) % _MODULUS, (user % 2 + m) % _MODULUS] += weight
    return float(channel_loss(channel.reshape(4, -1)))

"""Chowdhury and Zhou (2023), Algorithm 1 for a trusted curator: successive elimination with discrete Laplace noise."""

import math

from private_bandits import checks
from private_bandits.mechanisms.noise import geometric
from private_bandits.privacy import Guarantee
from private_bandits_book.rivals.batches import InBatches


class DiscreteSE(InBatches):
    """Algorithm 1 of Chowdhury and Zhou (2023), by a curator: elimination after batches of 2, 4, 8, ... pulls an arm.

    In batch b each active arm is pulled l = 2^b times (lines 4 to 10). Its sum R gets one Z with
    P(Z = z) proportional to exp(-epsilon |z|), which is the discrete Laplace noise of Theorem 1. With

        radius = width sqrt(ln(L) / (2 l)) + extra 2 ln(L) / (epsilon l),   L = active arms * b^2 * T,

    an arm remains (line 16) if R / l + radius is at least the largest R / l - radius.

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise. Each reward enters one noisy sum.
    horizon : int
        T, longest run, >= 1.
    width, extra : float, optional
        Factors of the two terms, > 0; 1 for the constants of Theorem 1.

    Notes
    -----
    The radius of Theorem 1 stands within an O(.). We take its constant as 1, which is enough: by Hoeffding's inequality
    and P(abs(Z) >= z) <= 2 e^(-epsilon z) a batch fails with probability at most 2 / (b^2 T) + 2 / (b^2 T)^2.

    We differ in who adds the noise. In the paper users do, whose parts add up to the same Z under secure aggregation;
    rewards of 0 and 1 need no encoding, so its precision g is 1 here. In the shuffle model
    a trusted shuffler of the messages of each batch takes the place of secure aggregation (Remark 1, Theorem 3).

    Examples
    --------
    >>> DiscreteSE(0.5, horizon=1000).privacy.label()
    'ε=0.5'
    """

    name, paper, algorithm, mechanism = "Discrete elimination", "chowdhury2023", "Algorithm 1", "laplace"
    variant = "rate"

    def __init__(self, epsilon: float, *, horizon: int, width: float = 1.0, extra: float = 1.0) -> None:
        self.epsilon, self.horizon = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
        self.width, self.extra = checks.real("width", width, above=0), checks.real("extra", extra, above=0)
        if (width, extra) != (1.0, 1.0):
            self.variant = f"width {width:g}, extra {extra:g}"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", "each reward enters one noisy sum")

    def prepare(self) -> None:
        """Begin the first batch."""
        self.batch, self.active, self.means = 1, [*range(self.n_arms)], dict[int, float]()
        self.pull(0, 2)

    def look(self) -> None:
        """Release the sum of an arm; after the last one of a batch, eliminate."""
        self.means[self.arm] = (self.total + geometric.py_func(self.noise, self.epsilon)) / self.length
        if len(self.means) == len(self.active):
            log = math.log(len(self.active) * self.batch**2 * self.horizon)
            radius = self.width * math.sqrt(log / (2 * self.length))
            radius += self.extra * 2 * log / (self.epsilon * self.length)
            largest = max(self.means.values())
            self.active = [arm for arm in self.active if self.means[arm] + radius >= largest - radius]
            self.batch, self.means = self.batch + 1, {}
        self.pull(self.active[len(self.means)], 2**self.batch)

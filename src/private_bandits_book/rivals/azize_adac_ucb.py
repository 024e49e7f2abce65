"""Azize and Basu (2023), AdaC-UCB: the episodes of AdaP-UCB with Gaussian noise, for concentrated privacy."""

import math

from private_bandits import checks
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.mechanisms.noise import gaussian
from private_bandits.privacy import Guarantee
from private_bandits_book.rivals.batches import InBatches


class AdaCUCB(InBatches):
    """AdaC-UCB of Azize and Basu (2023): an arm's pulls double, and its index rests on its last episode.

    Every arm is pulled once. An episode of an arm has as many pulls as the arm had before. With m the mean of its n
    rewards plus N(0, sigma^2) / n, and rho = 1 / (2 sigma^2), the index at the start of an episode in round t is

        m + sqrt((1 / (2n) + 1 / (rho n^2)) alpha ln t).

    Parameters
    ----------
    epsilon : float
        Privacy of a user at `delta`, central, > 0; infinity for no noise. Each reward enters one noisy sum.
    delta : float
        In (0, 1).
    alpha : float, optional
        Width of the bound, > 0; 3.1 as of AdaP-UCB, whose theorems ask for more than 3. The paper calls it beta.

    Notes
    -----
    After the abstract (Gaussian mechanism, adaptive episodes) and Algorithm 1 of Azize and Basu (2022), which it
    follows; we have not seen the pseudo-code. The width is that of a mean whose variance proxy is
    1 / (4n) + sigma^2 / n^2, which is exceeded with probability at most t^-alpha. The paper is given rho. Here it
    follows from epsilon and delta: sigma is the least that keeps them, and `privacy.rho` is stated beside.

    Examples
    --------
    >>> policy = AdaCUCB(1.0, delta=1e-6)
    >>> policy.privacy.label(), round(policy.privacy.rho, 4)
    ('ε=1', 0.028)
    """

    name, paper, algorithm, mechanism = "AdaC-UCB", "azize2023", "AdaC-UCB", "gaussian"
    variant, calibration = "derived", "analytic"

    def __init__(self, epsilon: float, *, delta: float, alpha: float = 3.1) -> None:
        self.sigma, self.alpha = (
            gaussian_sigma(epsilon, delta=delta, sensitivity=1.0),
            checks.real("alpha", alpha, above=0),
        )
        if alpha != 3.1:
            self.variant = f"alpha {alpha:g}"
        rho = 1 / (2 * self.sigma**2) if self.sigma else math.inf
        why = "each reward enters one noisy sum"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", why, delta, rho=rho)

    def prepare(self) -> None:
        """Pull each arm once."""
        self.pulls, self.means, self.widths = [0] * self.n_arms, [0.0] * self.n_arms, [0.0] * self.n_arms
        self.pull(0, 1)

    def look(self) -> None:
        """Release the sum of the episode, and begin that of the largest index."""
        arm, n = self.arm, self.length
        self.pulls[arm] += n
        self.means[arm] = (self.total + gaussian.py_func(self.noise, self.sigma)) / n
        self.widths[arm] = math.sqrt((1 / (2 * n) + 2 * self.sigma**2 / n**2) * self.alpha)
        if self.t < self.n_arms:
            return self.pull(self.t, 1)
        root = math.sqrt(math.log(self.t + 1))
        index = [mean + width * root for mean, width in zip(self.means, self.widths, strict=True)]
        best = index.index(max(index))
        self.pull(best, self.pulls[best])

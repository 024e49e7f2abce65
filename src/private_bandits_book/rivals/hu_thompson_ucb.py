"""Hu, Huang, Zhang, Lecuyer and Hegde (2025), DP-TS-UCB: few Gaussian samples of a mean, then the largest of them."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Problem

_C = 2 * math.sqrt(2 * math.pi * math.e)


class DPTSUCB(Player):
    """DP-TS-UCB of Hu et al. (2025): Thompson sampling with Gaussian laws, each of which is sampled a few times only.

    The arms begin with `first` pulls each, in turn. When an arm rests on n observations and has 2n fresh ones, it rests
    on those alone. For the next

        samples = c T^((1 - alpha)/2) ln(T)^((3 - alpha)/2)

    rounds each of its indices is a sample of N(mean, ln(T)^alpha / n), and afterwards it is the largest of these, which
    is an upper confidence bound. In each round the arm of the largest index is pulled. No other noise is added.

    Parameters
    ----------
    epsilon : float
        Privacy of a user at `delta`, central, > 0; infinity for `first` = 1, as in the paper, and no promise.
    horizon : int
        T, longest run, >= 2.
    delta : float
        In (0, 1).
    alpha : float, optional
        In [0, 1]; smaller for less regret and more samples. Default: 1.
    c : float, optional
        > 0. Default: 2 sqrt(2 pi e).

    Notes
    -----
    After the abstract and readers' notes of the paper; we have not seen the pseudo-code, nor its c. With ours the
    largest sample is below the true mean with probability at most 1/T + 1/T^2, which is Lemma 4.1 of the notes: a mean
    is too small by sqrt(ln(T) / n) with at most T^-2; one sample makes up for it, which is z = sqrt(ln(T)^(1 - alpha))
    standard deviations, with at least e^(-z^2/2) / (2 z sqrt(2 pi)); and z^2 <= (1 - alpha) ln T + alpha.

    A reward moves one mean by 1/n, and that is sampled `samples` times: Gaussian privacy with
    mu = sqrt(samples / (n ln(T)^alpha)), so sqrt(samples / ln(T)^alpha) for the first pull as printed (Theorem 4.7).
    So given an epsilon, `first` is the least n that pays no more: the early pulls of Ou et al. (2024), and where we
    differ. It converts exactly (Dong, Roth and Su 2022) and is rho-concentrated with rho = mu^2 / 2.

    Examples
    --------
    >>> policy = DPTSUCB(1.0, horizon=100_000, delta=1e-6)
    >>> policy.samples, policy.first, policy.privacy.label()
    (96, 149, 'ε=1, pays 0.999')
    """

    name, paper, algorithm, mechanism = "DP-TS-UCB", "hu2025", "DP-TS-UCB", "gaussian"
    problems = (Arms, Problem)
    variant, calibration = "derived", "analytic"

    def __init__(
        self,
        epsilon: float,
        *,
        horizon: int,
        delta: float,
        alpha: float = 1.0,
        c: float = _C,
    ) -> None:
        self.horizon = checks.integer("horizon", horizon, at_least=2)
        log, alpha = math.log(horizon), checks.real("alpha", alpha, at_least=0, at_most=1)
        if (alpha, checks.real("c", c, above=0)) != (1.0, _C):
            self.variant = f"alpha {alpha:g}, c {c:g}"
        self.samples = math.ceil(c * horizon ** ((1 - alpha) / 2) * log ** ((3 - alpha) / 2))
        self.variance = log**alpha
        sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=1.0)
        self.first = max(1, math.ceil(sigma**2 * self.samples / self.variance))
        mu = math.sqrt(self.samples / (self.first * self.variance))
        paid = gaussian_epsilon(1.0 / mu, delta=delta, sensitivity=1.0)
        why = "each reward enters one mean, which is sampled a bounded number of times"
        self.privacy = Guarantee.certified(epsilon, paid, "central", why, delta, rho=mu**2 / 2)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "DPTSUCB":
        """Return the learner."""
        self.noise, arms = noise, range(problem.n_arms)
        self.t, self.answers = 0, [[arm] for arm in arms]
        self.left, self.size, self.sums = [self.first for _ in arms], [self.first for _ in arms], [0.0 for _ in arms]
        self.ahead = np.zeros((self.samples + 1, problem.n_arms))  # indices of the coming rounds; the last one stays
        self.made = self.first * problem.n_arms
        self.coming: Iterator[int] = iter([*arms] * self.first)
        return self

    def ask(self) -> list[int]:
        """Return the arm."""
        self.arm = next(self.coming)
        return self.answers[self.arm]

    def tell(self, feedback: Any) -> None:
        """Take a reward, and sample the mean of a full batch."""
        arm = self.arm
        self.t += 1
        self.sums[arm] += feedback[0]
        self.left[arm] -= 1
        if not self.left[arm]:
            self._sample(arm)

    def _sample(self, arm: int) -> None:
        """Sample the mean of an arm, and find the arms of the coming rounds, as long as no other batch is full."""
        gone = min(max(self.t - self.made, 0), self.samples)
        self.ahead = np.concatenate([self.ahead[gone:], np.repeat(self.ahead[-1:], gone, axis=0)])
        self.made, n = max(self.t, self.made), self.size[arm]
        spread = math.sqrt(self.variance / n)
        self.ahead[:-1, arm] = self.sums[arm] / n + spread * self.noise.standard_normal(self.samples)
        self.ahead[-1, arm] = self.ahead[:-1, arm].max()
        self.left[arm] = self.size[arm] = 2 * n
        self.sums[arm] = 0.0
        if self.t >= self.first * len(self.answers):
            best = self.ahead.argmax(axis=1).tolist()
            self.coming = _then_the_last(best)


def _then_the_last(arms: list[int]) -> Iterator[int]:
    """Some arms, and the last of them for ever."""
    yield from arms
    while True:
        yield arms[-1]

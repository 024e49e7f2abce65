"""Hu and Hegde (2022): DP-TS and Lazy-DP-TS, Thompson sampling of Beta laws that are moved up for the noise."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms import laplace_scale
from private_bandits.mechanisms.noise import laplace
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Problem

_BLOCK = 256  # rounds whose draws are made at a time


class LazyDPTS(Player):
    """Lazy-DP-TS of Hu and Hegde (2022), Algorithm 2: Thompson sampling on the last noisy batch of each arm.

    Every arm is pulled once (lines 2 to 4). When an arm, whose law rests on n observations, has 2n fresh ones, it rests
    on those alone, with m their mean plus Lap(1/epsilon) / n (lines 12 to 16). In round t each arm draws (lines 6 to
    11) from Beta(q n + 1, (1 - q) n + 1), where

        q = max(0, min(1, m + level log2(t) / (epsilon n))),

    and the arm of the largest draw is pulled.

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise. Each reward enters one noisy sum (Theorem 3).
    level : float, optional
        Factor of the term for the noise, >= 0; 3 in the paper and in Theorem 4.

    Notes
    -----
    The paper writes log for the logarithm to base 2. As printed. Draws of the coming 256 rounds are made at once, and
    those that a release finds unused are dropped: they have not been looked at.

    Examples
    --------
    >>> LazyDPTS(0.5).privacy.label()
    'ε=0.5'
    """

    name, paper, algorithm, mechanism, variant = "Lazy-DP-TS", "hu2022", "Algorithm 2", "laplace", "printed"
    problems = (Arms, Problem)

    def __init__(self, epsilon: float, *, level: float = 3.0) -> None:
        self.scale, self.level = laplace_scale(epsilon, sensitivity=1.0), checks.real("level", level, at_least=0)
        if level != 3.0:
            self.variant = f"level {level:g}"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", "each reward enters one noisy sum")

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "LazyDPTS":
        """Return the learner."""
        self.choice, self.noise, arms = choice, noise, range(problem.n_arms)
        self.t, self.answers = 0, [[arm] for arm in arms]
        self.used, self.means = np.zeros(problem.n_arms), np.zeros(problem.n_arms)
        self.left, self.sums = [1 for _ in arms], [0.0 for _ in arms]
        self.coming: Iterator[int] = iter(arms)
        return self

    def ask(self) -> list[int]:
        """Return the arm."""
        self.arm = next(self.coming)
        return self.answers[self.arm]

    def tell(self, feedback: Any) -> None:
        """Take a reward, and release the sum of a full batch."""
        arm = self.arm
        self.t += 1
        self.sums[arm] += feedback[0]
        self.left[arm] -= 1
        if not self.left[arm]:
            n = self.used[arm] = 2 * self.used[arm] or 1
            self.means[arm] = (self.sums[arm] + laplace.py_func(self.noise, self.scale)) / n
            self.left[arm], self.sums[arm] = int(2 * n), 0.0
            if self.t >= len(self.answers):
                self.coming = self._coming(self.t + 1)

    def _coming(self, t: int) -> Iterator[int]:
        """The arms of the rounds from t on, as long as nothing is released."""
        while True:
            log = np.log2(np.arange(t, t + _BLOCK))[:, None]
            ones = np.clip(self.means + self.level * self.scale * log / self.used, 0.0, 1.0) * self.used
            yield from self.choice.beta(ones + 1.0, self.used - ones + 1.0).argmax(axis=1).tolist()
            t += _BLOCK


class DPTS(Player):
    """DP-TS of Hu and Hegde (2022), Algorithm 1: Thompson sampling on all observations, which two mechanisms count.

    Every arm is pulled once (lines 2 to 4). Of an arm with n observations, the first 2^(r+1) - 1 are in a noisy sum C,
    to which each epoch, of 2^r observations, adds its rewards and one Lap(2/epsilon) (lines 13 to 15). Those after them
    are counted, after each pull, by the binary mechanism for 2^(r+1) items with epsilon / 2, whose nodes have noise
    Lap(2 (r+1) / epsilon) (line 17): B. In round t each arm draws (lines 6 to 11) from Beta(q n + 1, (1 - q) n + 1),

        q = max(0, min(1, (C + B) / n + level log2(n + 1) log2(t) / (epsilon n))),

    and the arm of the largest draw is pulled.

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise. Half for each mechanism (Theorem 1).
    level : float, optional
        Factor of the term for the noise, >= 0; 6 sqrt(8) in the paper and in Theorem 2.

    Notes
    -----
    The paper writes log for the logarithm to base 2. In the text that we have of line 7 it cannot be seen how far the
    root goes; the one of 8 alone is that of the tail bound of Chan et al. (2011), and gives the logarithm of Theorem 2.
    As printed.

    Examples
    --------
    >>> DPTS(0.5).privacy.label()
    'ε=0.5'
    """

    name, paper, algorithm, mechanism, variant = "DP-TS", "hu2022", "Algorithm 1", "tree", "printed"
    problems = (Arms, Problem)

    def __init__(self, epsilon: float, *, level: float = 6 * math.sqrt(8)) -> None:
        self.scale, self.level = laplace_scale(epsilon, sensitivity=1.0), checks.real("level", level, at_least=0)
        if level != 6 * math.sqrt(8):
            self.variant = f"level {level:g}"
        why = "each reward enters a noisy sum of an epoch and a binary mechanism, with half of epsilon each"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", why)

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "DPTS":
        """Return the learner."""
        self.choice, self.noise, self.t, arms = choice, noise, 0, range(problem.n_arms)
        self.answers = [[arm] for arm in arms]
        self.pulls, self.totals, self.lifts = (np.zeros(problem.n_arms) for _ in range(3))
        self.nodes, self.kept, self.fresh = [[0.0] for _ in arms], [0.0 for _ in arms], [0.0 for _ in arms]
        return self

    def ask(self) -> list[int]:
        """Return the arm of the largest draw."""
        self.t, self.arm = self.t + 1, self.t
        if self.t > len(self.answers):
            lifted = self.totals + self.lifts * math.log2(self.t)
            ones = np.minimum(np.maximum(lifted, 0.0), self.pulls)
            self.arm = int(np.argmax(self.choice.beta(ones + 1.0, self.pulls - ones + 1.0)))
        return self.answers[self.arm]

    def tell(self, feedback: Any) -> None:
        """Take a reward: the last of an epoch goes into the noisy sum with the others, another into the tree."""
        arm = self.arm
        self.pulls[arm] += 1.0
        self.fresh[arm] += feedback[0]
        n = int(self.pulls[arm])
        self.lifts[arm] = self.level * self.scale * math.log2(n + 1)
        levels = (n + 1).bit_length() - 1
        item = n + 1 - 2**levels
        if not item:
            self.kept[arm] += self.fresh[arm] + laplace.py_func(self.noise, 2.0 * self.scale)
            self.fresh[arm], self.nodes[arm], self.totals[arm] = 0.0, [0.0] * (levels + 1), self.kept[arm]
        else:
            ones, nodes = item.bit_count(), self.nodes[arm]
            nodes[ones] = nodes[ones - 1] + laplace.py_func(self.noise, 2.0 * levels * self.scale)
            self.totals[arm] = self.kept[arm] + self.fresh[arm] + nodes[ones]

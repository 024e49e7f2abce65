"""Azize et al. (2025), DP-IMED: the arm against which least speaks, after phases of noisy sums that are kept."""

import math

from private_bandits import checks
from private_bandits.mechanisms import laplace_scale
from private_bandits.mechanisms.noise import laplace
from private_bandits.privacy import Guarantee, private_kl
from private_bandits_book.rivals.batches import InBatches


class DPIMED(InBatches):
    """DP-IMED of Azize et al. (2025): no bonus and no ln t; an arm is played by what speaks against it.

    The pulls N of an arm grow by `ratio` in each of its phases. The rewards of a phase are summed, the sum gets one
    Lap(1/epsilon), and all noisy sums are added up. With m their total over N, clipped to [0, 1], and M the largest m,
    the arm with the least

        N d_epsilon(m, M) + ln N

    is played next, any of several; d_epsilon is `private_kl`.

    Parameters
    ----------
    epsilon : float
        Pure privacy of a user, central, > 0; infinity for no noise and the divergence itself.
    ratio : float, optional
        What pulls are multiplied by in a phase, > 1; the paper lets it tend to 1. Default: 2.
    first : int, optional
        Pulls of an arm's first phase, >= 1. Default: 1.

    Notes
    -----
    After the abstract and a reader's notes of the paper, which give the index, the phases and that nothing is
    forgotten; we have not seen the pseudo-code, so that rounding up, `first` and the default of `ratio` are ours. The
    notes give regret of at most `ratio` times the lower bound sum(gap ln(T) / d_epsilon), up to o(ln T) (Theorem 2).

    Examples
    --------
    >>> DPIMED(0.5).privacy.label()
    'ε=0.5'
    """

    name, paper, algorithm, mechanism, variant = "DP-IMED", "azize2025", "DP-IMED", "laplace", "phases double"

    def __init__(self, epsilon: float, *, ratio: float = 2.0, first: int = 1) -> None:
        self.scale, self.epsilon = laplace_scale(epsilon, sensitivity=1.0), checks.epsilon(epsilon)
        self.ratio, self.first = checks.real("ratio", ratio, above=1), checks.integer("first", first, at_least=1)
        if (ratio, first) != (2.0, 1):
            self.variant = f"ratio {ratio:g}, first {first}"
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", "each reward enters one noisy sum")

    def prepare(self) -> None:
        """Begin the first phase of the first arm."""
        self.pulls, self.sums = [0] * self.n_arms, [0.0] * self.n_arms
        self.pull(0, self.first)

    def look(self) -> None:
        """Release the sum of the phase, and begin that of the least index."""
        self.pulls[self.arm] += self.length
        self.sums[self.arm] += self.total + laplace.py_func(self.noise, self.scale)
        if not self.pulls[-1]:
            return self.pull(self.arm + 1, self.first)
        means = [min(max(total / n, 0.0), 1.0) for total, n in zip(self.sums, self.pulls, strict=True)]
        index = [
            n * private_kl(mean, max(means), epsilon=self.epsilon) + math.log(n)
            for mean, n in zip(means, self.pulls, strict=True)
        ]
        ties = [arm for arm, against in enumerate(index) if against == min(index)]  # clipped means may be the same
        least = ties[int(self.choice.integers(len(ties)))]
        self.pull(least, math.ceil((self.ratio - 1) * self.pulls[least]))

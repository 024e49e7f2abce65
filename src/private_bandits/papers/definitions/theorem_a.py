"""The policies behind the bounds under central privacy: elimination, and what Theorem A plays after it; ours."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.baselines.replayed import Replayed, in_python
from private_bandits.kernels import protocol
from private_bandits.mechanisms.noise import geometric, laplace
from private_bandits.papers.definitions.factor import best_epochs
from private_bandits.papers.definitions.replacements import game
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms

ONE_SUM = "each reward enters one noisy sum, and all else follows from those"


def elimination(epsilon: float, *, n_arms: int, horizon: int, epochs: int | None = None) -> Player:
    """Successive elimination whose epochs may fail the more often the later they are; ours, after DP-SE.

    In epoch e = 1, ..., E every arm left is pulled

        n_e = ceil(max(32 4^e, 8 2^e / epsilon) ln(3 K T / 4^e))

    times, in turn. The mean of these rewards is released with Lap(1/(epsilon n_e)), and an arm leaves if its noisy mean
    is more than 2^-e/2 below the best one. After epoch E the first arm left is pulled. The regret is at most
    `factor.central_upper`.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity for no noise.
    n_arms : int
        K >= 2.
    horizon : int
        T >= 4, for which the epochs are made, and the longest run.
    epochs : int, optional
        E >= 1 with 4^E <= T. Default: that of the least bound.

    Returns
    -------
    Player
        Written in Python, for Arms with rewards in [0, 1].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Of this book: DP-SE (Sajed and Sheffet, 2019) with a failure probability that grows with the epoch.

    Examples
    --------
    >>> policy = elimination(0.5, n_arms=3, horizon=10**6)
    >>> policy.lengths[:2], policy.privacy.label()
    ((1873, 6779), 'ε=0.5')
    """
    best = best_epochs(epsilon, n_arms=n_arms, horizon=horizon) if epochs is None else epochs
    return Eliminating(epsilon, n_arms, horizon, best)


def eliminate_and_replay(
    policy: Any, epsilon: float, *, n_arms: int, horizon: int, mixing: float, batch: int, epochs: int
) -> Player:
    """The policy of Theorem A: elimination, then any policy without privacy on replayed batches; ours.

    With probability 2 eta a reward is first replaced by a fair coin. Elimination is `elimination` with 4 K T for
    3 K T, and its sums are released with two-sided geometric noise, P(Z = z) proportional to exp(-epsilon |z|). After
    it the policy plays the arms that are left on virtual rewards: an arm that it asks for and of which none is in store
    is pulled m times, the sum is released with the same noise and moved into [0, m], and a random arrangement with that
    many ones is stored. The regret exceeds that of the policy by at most `factor.theorem_a_excess`, but for the factor
    1/(1 - 2 eta).

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`
        `ucb`, `kl_ucb` or `thompson` of `baselines`, or one in Python.
    epsilon : float
        Privacy of a user, > 0; infinity for no noise.
    n_arms : int
        K >= 2.
    horizon : int
        T >= 4, for which the epochs are made, and the longest run.
    mixing : float
        eta in [0, 1/2).
    batch : int
        m >= 1.
    epochs : int
        E >= 1 with 4^E <= T.

    Returns
    -------
    Player
        Written in Python, for Arms with rewards in [0, 1].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from private_bandits.baselines import thompson
    >>> policy = eliminate_and_replay(thompson(), 1.0, n_arms=2, horizon=10**5, mixing=0.01, batch=500, epochs=2)
    >>> policy.name, policy.privacy.label()
    ('Thompson, Theorem A', 'ε=1')
    """
    size = checks.integer("batch", batch, at_least=1, at_most=checks.ROUNDS)
    eta = checks.real("mixing", mixing, at_least=0, below=0.5)
    return Eliminating(epsilon, n_arms, horizon, epochs, in_python(policy), size, eta)


@dataclass(frozen=True)
class Eliminating(Player):
    """Elimination, and what follows: what `elimination`, `eliminate_and_replay` and `to_the_middle` return.

    Parameters
    ----------
    epsilon, n_arms, horizon, epochs
        As for `eliminate_and_replay`.
    policy : object with `name` and `start(problem, choice, noise)`, optional
        What is replayed after the last epoch; None: the first arm left is pulled.
    batch, mixing
        As for `eliminate_and_replay`.
    middle : bool
        Whether sums of batches are moved to the middle, see `theorem_c.to_the_middle`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    epsilon: float = math.inf
    n_arms: int = 2
    horizon: int = 4
    epochs: int = 1
    policy: Any = None
    batch: int = 0
    mixing: float = 0.0
    middle: bool = False
    algorithm, problems = "elimination", (Arms,)

    def __post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        game(n_arms=self.n_arms, horizon=self.horizon)
        most = (checks.integer("horizon", self.horizon, at_least=4, at_most=checks.ROUNDS).bit_length() - 1) // 2
        checks.integer("epochs", self.epochs, at_least=1, at_most=most)
        if 0 < (longest := getattr(self.policy, "horizon", 0)) < self.horizon:
            raise ValueError(f"policy must be for {self.horizon} rounds or more, got {self.policy.name} for {longest}")
        paid = Guarantee.certified(self.epsilon, self.epsilon, "central", ONE_SUM)
        object.__setattr__(self, "privacy", paid)
        object.__setattr__(self, "mechanism", "none" if self.middle else "laplace")

    @property
    def name(self) -> str:
        """Of what is replayed."""
        replayed = f", Theorem {'C' if self.middle else 'A'}"
        return "Elimination, growing failures" if self.policy is None else f"{self.policy.name}{replayed}"

    @property
    def lengths(self) -> tuple[int, ...]:
        """The pulls of an arm in each epoch, at most one more than the horizon."""
        tails = 3.0 if self.policy is None else 4.0  # of a mean on both sides, and of the noise on one or both
        log = math.log(tails * self.n_arms) + math.log(self.horizon)
        return tuple(
            math.ceil(min(max(32.0 * 4**e, 8.0 * 2**e / self.epsilon) * (log - e * math.log(4.0)), self.horizon + 1.0))
            for e in range(1, self.epochs + 1)
        )

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "Learning":
        """Return a fresh learner.

        Parameters
        ----------
        problem : Arms
        choice, noise : numpy.random.Generator
            Of the replication.

        Returns
        -------
        Learning

        Raises
        ------
        ValueError
            If the problem has another number of arms.
        """
        protocol.check_size(self.name, "n_arms", self.n_arms, problem.n_arms)
        return Learning(self, choice, noise)


class Learning:
    """The learner: epochs first, then what is replayed.

    Parameters
    ----------
    rule : Eliminating
        The constants.
    choice, noise : numpy.random.Generator
    """

    def __init__(self, rule: Eliminating, choice: np.random.Generator, noise: np.random.Generator) -> None:
        self.rule, self.choice, self.noise = rule, choice, noise
        self.lengths = rule.lengths
        self.left = list(range(rule.n_arms))
        self.epoch = self.turn = 0  # epochs that have ended, and rounds of the one that runs
        self.sums = [0.0 for arm in self.left]
        self.replayed: Any = None

    def ask(self) -> list[int]:
        """Return the arm whose turn it is, or that the replay asks for.

        Returns
        -------
        list of int
        """
        if self.epoch < len(self.lengths):
            return [self.left[self.turn % len(self.left)]]
        return [self.left[self.replayed.ask()[0] if self.replayed else 0]]

    def tell(self, feedback: Any) -> None:
        """Take a reward; the last one of an epoch ends it.

        Parameters
        ----------
        feedback : sequence of float
            The reward.

        Raises
        ------
        ValueError
            If the reward is not in [0, 1].
        """
        reward = checks.real("reward", feedback[0], at_least=0, at_most=1)
        if self.rule.mixing and self.noise.random() < 2.0 * self.rule.mixing:
            reward = float(self.noise.random() < 0.5)
        if self.replayed:
            self.replayed.tell([reward])
        elif self.epoch < len(self.lengths):
            if self.rule.policy is not None and reward not in (0.0, 1.0):
                reward = float(self.noise.random() < reward)
            self.sums[self.turn % len(self.left)] += reward
            self.turn += 1
            if self.turn == self.lengths[self.epoch] * len(self.left):
                self._end_epoch()

    def _end_epoch(self) -> None:
        rule, n = self.rule, self.lengths[self.epoch]
        if rule.policy is None:
            means = [s / n + laplace(self.noise, 1.0 / (rule.epsilon * n)) for s in self.sums]
        else:
            means = [(s + geometric(self.noise, rule.epsilon)) / n for s in self.sums]
        self.epoch += 1
        bar = max(means) - 2.0**-self.epoch / 2.0
        self.left, kept = (
            [x for x, mean in zip(each, means, strict=True) if mean >= bar] for each in (self.left, means)
        )
        self.turn, self.sums = 0, [0.0 for arm in self.left]
        if self.epoch == len(self.lengths) and rule.policy is not None:
            replay = Replayed(rule.policy, rule.epsilon, first=rule.batch, horizon=rule.horizon)
            # of the problem that it plays a policy knows the number of arms
            self.replayed = replay.start(Arms.bernoulli(np.full(len(self.left), 0.5)), self.choice, self.noise)
            if rule.middle:
                self.replayed.moved = lambda total: middle(total, rule.batch, kept[0], self.noise)


def middle(total: int, batch: int, mean: float, noise: np.random.Generator) -> int:
    """Move the sum of a batch to where that of an arm near 1/2 would be: step 2 of the proof of Theorem C.

    Parameters
    ----------
    total : int
        S, the sum of m rewards 0 and 1.
    batch : int
        m >= 1.
    mean : float
        The estimate p of one of the arms left, in [0, 1].
    noise : numpy.random.Generator

    Returns
    -------
    int
        S + W + floor(m (1/2 - p)), W binomial of u = floor(m (1 - 2p)^2) fair coins less floor(u/2), moved into [0, m].
    """
    coins = math.floor(batch * (1.0 - 2.0 * mean) ** 2)
    added = int(noise.binomial(coins, 0.5)) - coins // 2
    return min(max(total + added + math.floor(batch * (0.5 - mean)), 0), batch)

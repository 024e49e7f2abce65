"""A conversion of this book: a policy for arms made private by releasing batches and replaying what they count as."""

import dataclasses
import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.kernels import replay as kernel
from private_bandits.policy import Player, Policy
from private_bandits.privacy import Guarantee
from private_bandits.privacy.tables import Started
from private_bandits.reference_tools import Problem, Rows, Streams

_WHY = "each reward enters one noisy sum, and all else follows from those"


def replay(
    policy: Any,
    epsilon: float,
    horizon: int,
    *,
    first: int | None = None,
    growth: float = 1.0,
    loss: float | None = None,
) -> Any:
    """Make a policy for arms with rewards in [0, 1] private under a trusted curator, whatever the policy does.

    An arm is pulled in batches. The sum of the n rewards of a batch is released once, with two-sided geometric noise,
    P(Z = z) proportional to exp(-epsilon |z|), and clipped to [0, n]. The release counts as

        k = max(1, floor(n^2 / (n + loss)))

    observations: the policy is given k numbers 0 and 1 in random order, whose sum is k/n of the release, rounded at
    random. When the policy plays an arm that has no observation left, the arm's next batch is pulled. A first batch
    has `first` pulls, a later one `growth` times those that the arm has had, and at least `first`.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`
        `ucb`, `kl_ucb` and `thompson` of `baselines` are played by compiled code; any other is a learner in Python.
    epsilon : float
        Privacy of a user, > 0; infinity for no noise.
    horizon : int
        Longest run T, >= 1, from which the rule is set.
    first : int, optional
        Pulls of an arm's first batch, >= 1. Default: the least that count as one, sqrt(ln T) / epsilon or so.
    growth : float
        >= 0; 0 makes all batches equal.
    loss : float, optional
        Pulls that the noise costs, >= 0. Default: ln(T) / epsilon^2.

    Returns
    -------
    Policy or Replayed
        What `simulate` plays.

    Raises
    ------
    ValueError
        If an argument is out of range, or the policy is compiled and none of the three.

    Notes
    -----
    Of this book. Batches are the queue of Joulani, Gyorgy and Szepesvari (2013), which replays delayed rewards; the
    noise is that of Ghosh, Roughgarden and Sundararajan (2012). Without noise and with batches of one the policy plays
    as it does alone, action for action. A reward between 0 and 1 is first rounded at random.

    Examples
    --------
    >>> from private_bandits.baselines import thompson
    >>> policy = replay(thompson(), 0.5, horizon=10_000)
    >>> policy.name, policy.record.first, policy.privacy.label()
    ('Thompson, replayed', 7, 'ε=0.5')
    """
    paid, longest = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1, at_most=checks.ROUNDS)
    cost = min(math.log(longest) / paid / paid, 1e300) if loss is None else checks.real("loss", loss, at_least=0)
    least = math.ceil(min(0.5 + math.sqrt(0.25 + cost) - 1e-9, longest))  # n^2 >= n + loss
    size = least if first is None else checks.integer("first", first, at_least=1, at_most=checks.ROUNDS)
    batches: dict[str, Any] = {
        "epsilon": paid,
        "first": size,
        "growth": checks.real("growth", growth, at_least=0),
        "loss": cost,
    }
    privacy = Guarantee.certified(paid, paid, "central", _WHY)
    if not isinstance(policy, Policy):
        if isinstance(policy, type) or not isinstance(policy, Started):
            raise ValueError(f"policy must be a Policy or have start(...), got {checks.brief(policy)}")
        return Replayed(policy, privacy=privacy, **batches)
    inside: Any = policy.record
    if (
        isinstance(inside, index.Record)
        and inside[1:] == index.Record(inside.terms, observe_first=False, list_size=1)[1:]
    ):
        inside = kernel.Record(inside.terms)
    if not isinstance(inside, kernel.Record) or inside.epsilon < math.inf or inside.first > 1:
        raise ValueError(f"policy must be ucb, kl_ucb or thompson, or written in Python, got {policy.name}")
    made = inside._replace(horizon=longest, **batches)
    name, place = f"{policy.name}, replayed", "replay"
    return Policy(name, "", place, ("", policy.name), privacy, kernel, made, "laplace")


@dataclasses.dataclass(frozen=True)
class Replayed(Player):
    """A policy in Python, replayed: what `replay` returns for it.

    Parameters
    ----------
    policy : object with `name` and `start(problem, choice, noise)`
    epsilon, first, growth, loss
        As for `replay`, checked.
    privacy : Guarantee
    """

    policy: Any
    epsilon: float = math.inf
    first: int = 1
    growth: float = 0.0
    loss: float = 0.0
    privacy: Guarantee | str = "not stated"
    algorithm = "replay"

    @property
    def mechanism(self) -> str:
        """Noise on sums."""
        return "laplace"

    @property
    def name(self) -> str:
        """Of the policy inside."""
        return f"{self.policy.name}, replayed"

    def start(self, problem: Problem, choice: np.random.Generator, noise: np.random.Generator) -> "Replaying":
        """Return a fresh learner.

        Parameters
        ----------
        problem : Arms
        choice, noise : numpy.random.Generator
            Of the replication.

        Returns
        -------
        Replaying

        Raises
        ------
        ValueError
            If the problem has no arms with rewards in [0, 1].
        """
        kernel.check(self.name, problem, kernel.Record(np.zeros((0, 2))), 1)
        return Replaying(self, problem.n_items, self.policy.start(problem, choice, noise), noise)


class Replaying:
    """The learner: one batch after the other, each released once.

    Parameters
    ----------
    rule : Replayed
        The constants.
    n_arms : int
    inner : Learner
        Which is given observations instead of rewards.
    noise : numpy.random.Generator
    """

    def __init__(self, rule: Replayed, n_arms: int, inner: Any, noise: np.random.Generator) -> None:
        self.rule, self.inner, self.noise = rule, inner, noise
        self.pulls = [0] * n_arms  # in finished batches
        self.left, self.ones = [0] * n_arms, [0] * n_arms  # observations in store, and how many of them are 1
        self.to_come = self.size = self.sum = 0  # of the running batch
        self.arm = -1  # which the policy waits for

    def ask(self) -> list[int]:
        """Return the arm of the running batch; where none runs, that of which the policy has no observation left.

        Returns
        -------
        list of int
        """
        if self.to_come == 0:
            if self.arm < 0:
                self.arm = self.inner.ask()[0]
            while self.left[self.arm] > 0:
                self.inner.tell([self._observation(self.arm)])
                self.arm = self.inner.ask()[0]
            self.size = max(self.rule.first, int(self.rule.growth * self.pulls[self.arm]))
            self.to_come, self.sum = self.size, 0
        return [self.arm]

    def tell(self, feedback: Any) -> None:
        """Take a reward, and release the batch with its last one.

        Parameters
        ----------
        feedback : sequence of float
            The reward.
        """
        reward = float(feedback[0])
        if reward not in (0.0, 1.0):
            reward = float(self.noise.random() < reward)
        self.sum += int(reward)
        self.to_come -= 1
        if self.to_come == 0:
            self._release()

    def _release(self) -> None:
        rule, n = self.rule, self.size
        noisy = float(self.sum)
        if rule.epsilon < math.inf:
            noisy += self._geometric() - self._geometric()
        noisy = min(max(noisy, 0.0), float(n))
        k, ones = n, int(noisy)
        if rule.loss > 0:
            k = max(1, int(n * n / (n + rule.loss)))
            ones = min(int(k * noisy / n + self.noise.random()), k)
        self.pulls[self.arm] += n
        self.left[self.arm], self.ones[self.arm] = k, ones

    def _geometric(self) -> int:
        """P(X >= x) = exp(-epsilon x)."""
        return math.floor(min(-math.log(1 - self.noise.random()) / self.rule.epsilon, 1e18))

    def _observation(self, arm: int) -> float:
        """The next number of a random sequence of `left` numbers, of which `ones` are 1."""
        one = self.ones[arm] == self.left[arm]
        if 0 < self.ones[arm] < self.left[arm]:
            one = self.noise.random() * self.left[arm] < self.ones[arm]
        self.left[arm] -= 1
        self.ones[arm] -= one
        return float(one)


def reference(problem: Problem, horizon: int, streams: Streams, rule: Replayed) -> Rows:
    """Play a policy written in Python, replayed.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    horizon : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `simulate.streams`.
    rule : Replayed
        From `replay`.

    Returns
    -------
    list of list of int
        A row a round, as `simulate.trace` shows it: the arm, and 1.
    """
    learner = rule.start(problem, streams.choice, streams.noise)
    rows: Rows = []
    for _ in range(horizon):
        arm = learner.ask()[0]
        learner.tell([1.0 if streams.env.random() < problem.means[arm] else 0.0])
        rows.append([arm, 1])
    return rows

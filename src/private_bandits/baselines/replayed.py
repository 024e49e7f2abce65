"""A conversion of this book: a policy for arms made private by releasing batches and replaying what they count as."""

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.baselines import agrawal_algorithm_1
from private_bandits.kernels import index
from private_bandits.kernels import replay as kernel
from private_bandits.kernels.episodes import kl_upper
from private_bandits.policy import Player, Policy, playable
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, SemiBandit
from private_bandits.problems import Problem as OwnProblem
from private_bandits.reference_tools import Index, Problem, Rows, Streams, largest


def replay(
    policy: Any,
    epsilon: float,
    *,
    horizon: int,
    first: int | None = None,
    growth: float = 1.0,
    cost: float | None = None,
) -> Any:
    """Make a policy for rewards in [0, 1] private under a trusted curator, whatever the policy does.

    An arm is pulled in batches. The sum of the n rewards of a batch is released once, with two-sided geometric noise,
    P(Z = z) proportional to exp(-epsilon |z|), and clipped to [0, n]. The release counts as

        k = max(1, floor(n^2 / (n + cost)))

    observations: the policy is given k numbers 0 and 1 in random order, whose sum is k/n of the release, rounded at
    random. When the policy plays an arm that has no observation left, the arm's next batch is pulled. A first batch
    has `first` pulls, a later one `growth` times those that the arm has had, and at least `first`.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`
        `ucb`, `kl_ucb` and `thompson` of `baselines` are played by compiled code; any other is a learner in Python. Of
        lists it must read one number a round, `feedback[0]`, that of the first item that it asks for.
    epsilon : float
        Privacy of a user, > 0; infinity for no noise.
    horizon : int
        Longest run T, >= 1, from which the rule is set.
    first : int, optional
        Pulls of an arm's first batch, >= 1. Default: the least that count as one, sqrt(ln T) / epsilon or so.
    growth : float
        >= 0; 0 makes all batches equal.
    cost : float, optional
        Pulls that the noise costs, >= 0. Default: ln(T) / epsilon^2.

    Returns
    -------
    Policy or Replayed
        What `simulate` plays.

    Raises
    ------
    ValueError
        If an argument is out of range, or the policy is none, or is compiled and none of the three. In a run, if the
        policy reads more of a list's feedback than `feedback[0]`.

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
    price = min(math.log(longest) / paid / paid, 1e300) if cost is None else checks.real("cost", cost, at_least=0)
    least = math.ceil(min(0.5 + math.sqrt(0.25 + price) - 1e-9, longest))  # n^2 >= n + cost
    size = least if first is None else checks.integer("first", first, at_least=1, at_most=checks.ROUNDS)
    further = checks.real("growth", growth, at_least=0)
    why = "each reward enters one noisy sum, and all else follows from those"
    privacy = Guarantee.certified(paid, paid, "central", why)
    if not isinstance(playable(policy), Policy):
        return Replayed(policy, paid, size, further, price, longest, privacy)
    inside: Any = policy.record
    plain = index.Record(inside[0], observe_first=False, list_size=1)
    if isinstance(inside, index.Record) and inside._replace(horizon=0)[1:] == plain[1:]:
        if 0 < inside.horizon < longest:
            raise ValueError(f"policy must be for {longest} rounds or more, got {policy.name} for {inside.horizon}")
        inside = kernel.Record(np.pad(inside.terms, ((0, 0), (0, 1)), constant_values=0.5))
    if not isinstance(inside, kernel.Record) or inside.epsilon < math.inf or inside.first > 1:
        raise ValueError(f"policy must be ucb, kl_ucb or thompson, or written in Python, got {policy.name}")
    made = inside._replace(epsilon=paid, first=size, growth=further, cost=price, horizon=longest)
    return Policy(
        name=f"{policy.name}, replayed",
        algorithm="replay",
        variant=policy.name,
        privacy=privacy,
        record=made,
        mechanism="laplace",
    )


@dataclasses.dataclass(frozen=True)
class Replayed(Player):
    """A policy in Python, replayed: what `replay` returns for it.

    Parameters
    ----------
    policy : object with `name` and `start(problem, choice, noise)`
    epsilon, first, growth, cost, horizon
        As for `replay`, checked.
    privacy : Guarantee
    """

    policy: Any
    epsilon: float = math.inf
    first: int = 1
    growth: float = 0.0
    cost: float = 0.0
    horizon: int = 0
    privacy: Guarantee | str = "not stated"
    algorithm, mechanism, variant, problems = "replay", "laplace", "", (Arms, Cascade, SemiBandit, OwnProblem)

    @property
    def name(self) -> str:
        """Of the policy inside."""
        return f"{self.policy.name}, replayed"

    def start(self, problem: Problem, choice: np.random.Generator, noise: np.random.Generator) -> "Replaying":
        """Return a fresh learner.

        Parameters
        ----------
        problem : Arms, Cascade, Problem or SemiBandit
        choice, noise : numpy.random.Generator
            Of the replication.

        Returns
        -------
        Replaying
        """
        return Replaying(self, problem.n_arms, self.policy.start(problem, choice, noise), noise)


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
        self.order: Any = None  # the arm that the policy waits for, or the list with that item first
        self.moved: Callable[[int], int] = int  # what is stored of a released sum

    def ask(self) -> Any:
        """Return the arm of the running batch; where none runs, that of which the policy has no observation left.

        Returns
        -------
        list of int
        """
        if self.to_come == 0:
            self.order = self.order or [*self.inner.ask()]
            while self.left[arm := self.order[0]] > 0:
                one = float(kernel.observed.py_func(arm, self.left, self.ones, self.noise))
                self.inner.tell([one] if len(self.order) == 1 else _First(one, self.rule.policy.name))
                self.order = [*self.inner.ask()]
            self.size = max(self.rule.first, int(self.rule.growth * self.pulls[arm]))
            self.to_come, self.sum = self.size, 0
        return self.order

    def tell(self, feedback: Any) -> None:
        """Take a reward, and release the batch with its last one.

        Parameters
        ----------
        feedback : sequence of float
            The reward; of a list that of the first item, and others that are not used.

        Raises
        ------
        ValueError
            If the reward is not in [0, 1].
        """
        reward = float(feedback[0])
        if reward not in (0.0, 1.0):
            reward = float(self.noise.random() < checks.real("reward", reward, at_least=0, at_most=1))
        self.sum += int(reward)
        self.to_come -= 1
        if self.to_come == 0:
            self._release()

    def _release(self) -> None:
        rule, arm = self.rule, self.order[0]
        release = kernel.released.py_func(rule.epsilon, rule.cost, self.size, self.sum, self.noise)
        self.left[arm], self.ones[arm] = release[0], self.moved(release[1])
        self.pulls[arm] += self.size


def in_python(policy: Any) -> Any:
    """Return a policy that is asked and told: a compiled index policy as its index in plain Python, others as they are.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`
        `ucb`, `kl_ucb` or `thompson`, or one in Python.

    Returns
    -------
    object with `name` and `start(problem, choice, noise)`

    Raises
    ------
    ValueError
        If it is no policy, or is compiled and none of the three.
    """
    compiled = isinstance(replay(policy, math.inf, horizon=1), Policy)
    return Indexed(policy, getattr(policy.record, "horizon", 0)) if compiled else policy


@dataclasses.dataclass(frozen=True)
class Indexed(Player):
    """An index policy in plain Python, on rewards in [0, 1].

    Parameters
    ----------
    policy : Policy
        Of `ucb`, `kl_ucb` or `thompson`.
    horizon : int
        Longest run; 0 for any.
    """

    policy: Policy
    horizon: int = 0

    @property
    def name(self) -> str:
        """Of the policy."""
        return self.policy.name

    def start(self, problem: Problem, choice: np.random.Generator, noise: np.random.Generator) -> "Indexing":
        """Return a fresh learner.

        Parameters
        ----------
        problem : Arms
        choice, noise : numpy.random.Generator
            Of the replication.

        Returns
        -------
        Indexing
        """
        return Indexing(problem.n_arms, _index(self.policy, choice), choice)


class Indexing:
    """The learner: the arm of the largest index in every round.

    Parameters
    ----------
    n_arms : int
    upper : Index
    choice : numpy.random.Generator
        For ties.
    """

    def __init__(self, n_arms: int, upper: Index, choice: np.random.Generator) -> None:
        self.upper, self.choice = upper, choice
        self.pulls, self.total = [0] * n_arms, [0.0] * n_arms

    def ask(self) -> list[int]:
        """Return the arm.

        Returns
        -------
        list of int
        """
        t = 1 + sum(self.pulls)
        indices = [self.upper(s, n, t) for s, n in zip(self.total, self.pulls, strict=True)]
        self.arm = largest(indices, 1, self.choice)[0]
        return [self.arm]

    def tell(self, feedback: Any) -> None:
        """Take the reward.

        Parameters
        ----------
        feedback : sequence of float
        """
        self.pulls[self.arm] += 1
        self.total[self.arm] += float(feedback[0])


class _First:
    """The feedback of a list of which one number is known: reading another is an error, and not silently wrong."""

    def __init__(self, one: float, name: str) -> None:
        self._one, self._name = one, name

    def __getitem__(self, place: Any) -> float:
        if place != 0:
            raise self._refused()
        return self._one

    def __iter__(self) -> Iterator[float]:
        yield self._one
        raise self._refused()

    def __len__(self) -> int:
        raise self._refused()

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise self._refused()

    def _refused(self) -> ValueError:
        return ValueError(f"policy must read one number a round, feedback[0], got {self._name}, which reads more")


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    policy: Policy,
    epsilon: float,
    horizon: int,
    first: int | None = None,
    growth: float = 1.0,
    cost: float | None = None,
) -> Rows:
    """Batch by batch, around an index in plain Python.

    Parameters
    ----------
    problem : Arms
        Bernoulli.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    policy : Policy
        Of `ucb`, `kl_ucb` or `thompson`.
    epsilon : float
        > 0; infinity means no noise.
    horizon : int
        T >= 1, from which the rule is set.
    first : int, optional
        Pulls of an arm's first batch, >= 1; default the least that count as one observation.
    growth : float
        >= 0; 0 makes all batches equal.
    cost : float, optional
        Pulls that the noise costs, >= 0; default ln(T) / epsilon^2.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    arms, env, noise = range(problem.n_arms), streams.env, streams.noise
    cost = math.log(horizon) / epsilon**2 if cost is None else cost
    if first is None:
        first = math.ceil(min(1 / 2 + math.sqrt(1 / 4 + cost) - 1e-9, horizon))
    upper = _index(policy, streams.choice)
    pulls = [0 for arm in arms]  # in batches that have ended
    store: list[list[int]] = [[0, 0] for arm in arms]  # observations left, and how many of them are 1
    seen, ones = [0 for arm in arms], [0 for arm in arms]  # by the policy
    rows: Rows = []

    def asked() -> int:
        indices = [upper(ones[a], seen[a], 1 + sum(seen)) for a in arms]
        return largest(indices, 1, streams.choice)[0]

    arm = asked()
    while len(rows) < rounds:
        n = max(first, int(growth * pulls[arm]))
        total = sum(env.random() < problem.means[arm] for _ in range(n))
        if math.isfinite(epsilon):  # two-sided geometric, the difference of two geometric numbers
            up, down = (math.floor(-math.log(1 - noise.random()) / epsilon) for _ in range(2))
            total += up - down
        total = min(max(total, 0), n)
        worth = max(1, math.floor(n**2 / (n + cost)))
        store[arm] = [worth, min(math.floor(worth * total / n + noise.random()), worth)] if cost else [n, total]
        pulls[arm] += n
        rows += [[arm, 1]] * n
        while store[arm][0]:  # the policy is given what it asks for, in random order
            left, of_them = store[arm]
            one = noise.random() * left < of_them if 0 < of_them < left else of_them == left
            store[arm] = [left - 1, of_them - one]
            seen[arm] += 1
            ones[arm] += one
            arm = asked()
    return rows[:rounds]


def _index(policy: Policy, choice: np.random.Generator) -> Index:
    """The index of one of the three from its constants."""
    record: Any = policy.record
    if getattr(record, "sampled", False):
        return lambda s, n, t: agrawal_algorithm_1.beta(1 + s, 1 + n - s, choice)
    if len(record.terms):
        alpha, beta = record.terms[0][:2]
        return lambda s, n, t: s / n + math.sqrt((alpha * math.log(t) + beta) / n) if n else math.inf
    slow = record.slow

    def kl(s: float, n: int, t: int) -> float:
        level = math.log(t) + slow * math.log(max(math.log(t), 1.0))
        return kl_upper(s / n, level / n) if n else math.inf

    return kl

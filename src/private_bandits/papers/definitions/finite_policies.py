"""Small policies whose exact privacy `privacy.exact_loss` finds by enumeration: what each definition lets through.

Rewards are 0 or 1, arms count from 0, and where several arms are best the first of them is. Each `probabilities` takes
the pairs (arm, reward) of the rounds so far and returns the distribution of the next arm, shape (arms,).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.mechanisms import response_probabilities
from private_bandits.privacy import FinitePolicy, History

__all__ = [
    "Eavesdropper",
    "Exponential",
    "Greedy",
    "Hedge",
    "LaplaceArgmax",
    "LocallyPrivate",
    "OneAnswer",
    "Password",
    "Response",
    "Retraction",
]

_UNSEEN = 0.5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_TAIL = 40.0


@dataclass(frozen=True)
class Greedy(FinitePolicy):
    """Play the arm of largest mean, without noise; an arm never pulled counts as 1/2. Its loss is infinite.

    Parameters
    ----------
    n_arms : int
        >= 2.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> exact_loss(Greedy(n_arms=2), 3)
    inf
    """

    n_arms: int = field(kw_only=True)

    def __post_init__(self) -> None:
        checks.integer("n_arms", self.n_arms, at_least=2)

    def probabilities(self, history: History) -> np.ndarray:
        """Return 1 for the best arm."""
        return np.eye(self.n_arms)[_leader(history, self.n_arms)]


@dataclass(frozen=True)
class Response(FinitePolicy):
    """Play the arm of largest mean through k-ary randomised response, afresh every round.

    Each round pays exactly epsilon; a change of the first reward can turn the best arm in every later round, so the
    loss over T rounds is exactly (T - 1) epsilon.

    Parameters
    ----------
    epsilon : float
        Of one round, > 0 or infinite.
    n_arms : int
        >= 2.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> round(exact_loss(Response(0.5, n_arms=2), 4), 9)
    1.5
    """

    epsilon: float
    n_arms: int = field(kw_only=True)

    def __post_init__(self) -> None:
        response_probabilities(self.epsilon, n_values=checks.integer("n_arms", self.n_arms, at_least=2))

    def probabilities(self, history: History) -> np.ndarray:
        """Return exp(epsilon) / (exp(epsilon) + n_arms - 1) for the best arm, the rest in equal parts."""
        return _respond(self.epsilon, _leader(history, self.n_arms), self.n_arms)


@dataclass(frozen=True)
class _Noisy(FinitePolicy):
    """What policies share that are private at an epsilon of one round."""

    epsilon: float
    n_arms: int = field(kw_only=True)

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, above=0)
        checks.integer("n_arms", self.n_arms, at_least=2)


class Exponential(_Noisy):
    """The exponential mechanism on the sums of rewards, of sensitivity 1: weights exp(epsilon sum / 2).

    Parameters
    ----------
    epsilon : float
        Of one round, > 0.
    n_arms : int
        >= 2.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> round(exact_loss(Exponential(0.5, n_arms=2), 2), 4)
    0.1328
    """

    def probabilities(self, history: History) -> np.ndarray:
        """Return the normalised weights."""
        return _softmax(self.epsilon / 2 * _sums(history, self.n_arms)[0])


class LaplaceArgmax(_Noisy):
    """Play the arm of largest noisy mean: Laplace noise of scale 1/(epsilon n) on the mean of n rewards, afresh.

    An arm never pulled is 1/2 with noise of scale 1/epsilon, which reveals nothing. The noisy means of one round are
    epsilon-private, hence the arm is. Its probabilities are integrals, by Gauss-Legendre quadrature.

    Parameters
    ----------
    epsilon : float
        Of one round, > 0.
    n_arms : int
        >= 2.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> round(exact_loss(LaplaceArgmax(0.5, n_arms=2), 2), 4)
    0.249
    """

    def probabilities(self, history: History) -> np.ndarray:
        """Return the probability that each arm has the largest noisy mean."""
        means, pulls = _means(history, self.n_arms)
        scales = 1 / (self.epsilon * np.maximum(pulls, 1))
        return np.array(noisy_argmax(tuple(means.tolist()), tuple(scales.tolist())))


@dataclass(frozen=True)
class LocallyPrivate(FinitePolicy):
    """A learner that sees each reward through randomised response.

    Its `probabilities` takes the true rewards and sums over the responses that they may have had.

    Parameters
    ----------
    learner : FinitePolicy
        Over the responses 0 and 1; hashable.
    epsilon : float
        Of one response, > 0 or infinite.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> round(exact_loss(LocallyPrivate(Greedy(n_arms=2), 0.5), 3), 9)
    0.5
    """

    learner: Any  # a FinitePolicy with a hash
    epsilon: float

    def __post_init__(self) -> None:
        if not isinstance(self.learner, FinitePolicy) or isinstance(self.learner, type):
            raise ValueError(f"learner must be a finite policy, got {checks.brief(self.learner)}")
        response_probabilities(self.epsilon, n_values=2)

    @property
    def n_arms(self) -> int:
        """Number of arms of the learner."""
        return len(self.learner.probabilities(()))

    @property
    def channel(self) -> np.ndarray:
        """Probability of each response given each reward, shape (2, 2)."""
        keep, flip = response_probabilities(self.epsilon, n_values=2)
        return np.array([[keep, flip], [flip, keep]])

    def probabilities(self, history: History) -> np.ndarray:
        """Return the learner's distribution, averaged over the responses given the arms and rewards so far.

        Raises
        ------
        ValueError
            If the arms of the history are impossible under its rewards.
        """
        belief = _belief(self, history)
        total = sum(belief.values())
        if total == 0:
            raise ValueError(f"history must be possible under the policy, got {history!r}")
        laws = np.array([_learner_law(self.learner, seen) for seen in belief])
        return np.array(list(belief.values())) @ laws / total


@dataclass(frozen=True)
class Retraction(FinitePolicy):
    """Two arms, three rounds that matter: epsilon-private, yet nearly 2 epsilon instantaneous (Lemma 2).

    The second arm answers to the first reward with loss d < epsilon. If that answer is 1, the third round takes it
    back: its arm 0 has probability `slack` after reward 0, and exp(-(epsilon + d)) times that after reward 1. What
    privacy asks of its arm 1 gives exp(d) = exp(epsilon) (1 - slack) + exp(-epsilon) slack, so the instantaneous loss
    epsilon + d tends to 2 epsilon as the slack goes to 0. It cannot be reached.

    Parameters
    ----------
    epsilon : float
        Over all rounds, > 0.
    slack : float
        In (0, 1/2].

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> policy = Retraction(1.0, slack=0.01)
    >>> round(exact_loss(policy, 3), 9), round(exact_loss(policy, 3, definition="instantaneous"), 3)
    (1.0, 1.991)
    """

    epsilon: float
    slack: float = field(kw_only=True)

    n_arms = 2

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, above=0)
        checks.real("slack", self.slack, above=0, at_most=0.5)

    @property
    def answer(self) -> float:
        """The loss d of the second arm."""
        return self.epsilon + math.log1p(-self.slack * -math.expm1(-2 * self.epsilon))

    def probabilities(self, history: History) -> np.ndarray:
        """Return 1/2 each, but for the second and third arm."""
        if len(history) == 1:
            return _respond(self.answer, int(history[0][1] == 1), 2)
        if len(history) == 2 and history[1][0] == 1:
            back = self.slack * (math.exp(-self.epsilon - self.answer) if history[0][1] == 1 else 1.0)
            return np.array([back, 1 - back])
        return np.full(2, 0.5)


class _Overhearing(FinitePolicy):
    """What policies share that see more than they are paid."""

    def signal(self, outcome: tuple[float, ...], arm: int) -> tuple[float, ...]:
        """All outcomes are seen, whatever is pulled."""
        return outcome


@dataclass(frozen=True)
class Eavesdropper(_Overhearing):
    """Two arms and sight of both outcomes: the next arm answers to the outcome of the arm not pulled.

    A counterexample to Lemma 1 under partial monitoring: the reward obtained has no influence at all, so the loss on
    rewards is 0; the loss on outcomes is epsilon (infinite without noise).

    Parameters
    ----------
    epsilon : float
        Of one round, > 0 or infinite.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> [exact_loss(Eavesdropper(math.inf), 2, definition=seen) for seen in ("rewards", "outcomes")]
    [0.0, inf]
    """

    epsilon: float

    n_arms = 2

    def __post_init__(self) -> None:
        response_probabilities(self.epsilon, n_values=2)

    def probabilities(self, history: History) -> np.ndarray:
        """Return randomised response on the arm not pulled, if it would have paid, else on the one pulled."""
        if not history:
            return np.full(2, 0.5)
        arm, outcome = history[-1]
        assert isinstance(outcome, tuple)
        return _respond(self.epsilon, 1 - arm if outcome[1 - arm] == 1 else arm, 2)


class Hedge(_Overhearing, _Noisy):
    """The exponential mechanism with full information: all outcomes enter the sums, not only the rewards obtained.

    A natural counterexample to Lemma 1 under partial monitoring: one round moves all sums at once on outcomes, and one
    of them on rewards.

    Parameters
    ----------
    epsilon : float
        Of one round, > 0.
    n_arms : int
        >= 2.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> [round(exact_loss(Hedge(0.5, n_arms=2), 2, definition=seen), 4) for seen in ("rewards", "outcomes")]
    [0.1328, 0.25]
    """

    def probabilities(self, history: History) -> np.ndarray:
        """Return the normalised weights exp(epsilon sum / 2)."""
        rows = np.array([outcome for _, outcome in history], dtype=float).reshape(-1, self.n_arms)
        return _softmax(self.epsilon / 2 * rows.sum(axis=0))


@dataclass(frozen=True)
class OneAnswer(FinitePolicy):
    """Two arms: the second round's arm answers to the first reward, and all others are fair.

    Parameters
    ----------
    chance : callable
        Takes the first reward and returns the probability of arm 1.

    Raises
    ------
    ValueError
        If `chance` is not callable, or returns what is no probability.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> exact_loss(OneAnswer(lambda reward: reward), 2)
    inf
    """

    chance: Callable[[float], float]

    n_arms = 2

    def __post_init__(self) -> None:
        if not callable(self.chance):
            raise ValueError(f"chance must be a function of a reward, got {checks.brief(self.chance)}")

    def probabilities(self, history: History) -> np.ndarray:
        """Return the probabilities of both arms.

        Raises
        ------
        ValueError
            If `chance` returns what is no probability.
        """
        if len(history) != 1:
            return np.full(2, 0.5)
        one = checks.real("chance", self.chance(float(_sums(history, 2)[0].sum())), at_least=0, at_most=1)
        return np.array([1.0 - one, one])


@dataclass(frozen=True)
class Password(FinitePolicy):
    """Two arms: the last one is the first reward, if every reward between repeats the arm that was drawn for it.

    Private with a small delta for rewards that are fixed beforehand, and not for tables of outcomes.

    Parameters
    ----------
    horizon : int
        T, >= 3.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from private_bandits.privacy import exact_loss
    >>> exact_loss(Password(horizon=3), 3)
    inf
    """

    horizon: int = field(kw_only=True)

    n_arms = 2

    def __post_init__(self) -> None:
        checks.integer("horizon", self.horizon, at_least=3)

    def probabilities(self, history: History) -> np.ndarray:
        """Return 1/2 each, but arm 0 at first, and at last what is revealed."""
        if 0 < len(history) < self.horizon - 1:
            return np.full(2, 0.5)
        told = len(history) > 0 and history[0][1] == 1 and all(arm == reward for arm, reward in history[1:])
        return np.array([0.0, 1.0] if told else [1.0, 0.0])


@lru_cache(maxsize=16384)
def noisy_argmax(scores: tuple[float, ...], scales: tuple[float, ...]) -> tuple[float, ...]:
    """Probability that each score plus Laplace noise is the largest, by quadrature.

    Parameters
    ----------
    scores, scales : tuples of float, one of each for an arm
        Scales > 0.

    Returns
    -------
    tuple of float
        To about 1e-13 of each value: Gauss-Legendre with 24 nodes on pieces no longer than the smallest scale, cut
        at the scores, where the densities have their kinks; the tail below all scores in closed form.
    """
    s, b = np.array(scores), np.array(scales)
    bottom, top, step = float(s.min()), float(s.max() + _TAIL * b.max()), float(b.min())
    cuts = np.unique(np.concatenate([s, np.arange(bottom, top, step), [top]]))
    half = np.diff(cuts)[:, None] / 2
    z = (cuts[:-1, None] + half * (1 + _NODES)).ravel()
    weights = (half * _WEIGHTS).ravel()
    away = (z[:, None] - s) / b
    small = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, small, 1 - small)
    # Below every score the product of densities and distribution functions is one exponential.
    lower = np.exp((bottom - s) / b) / 2
    tail = math.prod(lower) / np.sum(1 / b)
    others = [np.prod(np.delete(below, arm, axis=1), axis=1) for arm in range(len(s))]
    return tuple(float(weights @ (small[:, arm] * others[arm]) + tail) / b[arm] for arm in range(len(s)))


def _sums(history: History, n_arms: int) -> tuple[np.ndarray, np.ndarray]:
    sums, pulls = np.zeros(n_arms), np.zeros(n_arms)
    for arm, reward in history:
        assert isinstance(reward, (int, float))
        sums[arm] += reward
        pulls[arm] += 1
    return sums, pulls


def _means(history: History, n_arms: int) -> tuple[np.ndarray, np.ndarray]:
    sums, pulls = _sums(history, n_arms)
    return np.where(pulls > 0, sums / np.maximum(pulls, 1), _UNSEEN), pulls


def _leader(history: History, n_arms: int) -> int:
    return int(np.argmax(_means(history, n_arms)[0]))


def _respond(epsilon: float, value: int, n_values: int) -> np.ndarray:
    if epsilon == 0:
        return np.full(n_values, 1 / n_values)
    keep, flip = response_probabilities(epsilon, n_values=n_values)
    return np.where(np.arange(n_values) == value, keep, flip)


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


@lru_cache(maxsize=65536)
def _learner_law(learner: Any, seen: History) -> tuple[float, ...]:
    return tuple(float(p) for p in learner.probabilities(seen))


@lru_cache(maxsize=65536)
def _belief(policy: LocallyPrivate, history: History) -> dict[History, float]:
    """Return the probability of the arms so far together with each sequence of responses, given the rewards."""
    if not history:
        return {(): 1.0}
    (arm, reward), channel = history[-1], policy.channel
    belief: dict[History, float] = {}
    for seen, weight in _belief(policy, history[:-1]).items():
        pulled = weight * _learner_law(policy.learner, seen)[arm]
        for response in (0, 1):
            together = pulled * float(channel[int(reward == 1), response])
            if together > 0:
                belief[*seen, (arm, response)] = together
    return belief

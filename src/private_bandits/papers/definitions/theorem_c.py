"""The policies behind Theorem C: any policy on randomised responses, and one that moves rewards to the middle; ours."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.baselines.replayed import in_python
from private_bandits.mechanisms import response_probabilities
from private_bandits.mechanisms.noise import respond
from private_bandits.papers.definitions.theorem_a import Eliminating
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee, channel_loss
from private_bandits.problems import Arms


def on_responses(policy: Any, epsilon: float) -> Player:
    """Any policy, given randomised responses for rewards: no channel keeps more, so no local policy has less regret.

    A user's reward is rounded to 0 or 1 at random, and sent as it is with probability exp(epsilon)/(1 + exp(epsilon)),
    else as the other one. The policy sees the means 1/2 + tanh(epsilon/2) (mean - 1/2) and their gaps, which are
    tanh(epsilon/2) times as large: so in the worst case its regret is at most `factor.theorem_c` times that without
    privacy.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`
        `ucb`, `kl_ucb` or `thompson` of `baselines`, or one in Python.
    epsilon : float
        Privacy of a user, > 0; infinity for truthful answers.

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
    >>> policy = on_responses(thompson(), 1.0)
    >>> policy.name, policy.privacy.label()
    ('Thompson, on responses', 'ε=1')
    """
    truth, flip = response_probabilities(epsilon, n_values=2)
    paid = channel_loss([[truth, flip], [flip, truth]])
    inner, privacy = in_python(policy), Guarantee.certified(epsilon, paid, "local", "one randomised bit of a user")
    return Responding(inner, flip, privacy, getattr(inner, "horizon", 0))


def to_the_middle(policy: Any, *, n_arms: int, horizon: int, batch: int, epochs: int) -> Player:
    """The policy of Theorem C's proof, without privacy: whoever can play arms near 1/2 can play any.

    Elimination and replay are those of `eliminate_and_replay` without noise and mixing. The sum S of a batch of m
    becomes S + W + floor(m (1/2 - p)) before it is stored, p the last mean of an arm that is left, and W binomial of
    u = floor(m (1 - 2p)^2) fair coins less floor(u/2). So the virtual rewards are near fair coins, at gaps that stay.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`
        `ucb`, `kl_ucb` or `thompson` of `baselines`, or one in Python: good where means are near 1/2.
    n_arms : int
        K >= 2.
    horizon : int
        T >= 4, for which the epochs are made, and the longest run.
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
    >>> from private_bandits.baselines import ucb
    >>> to_the_middle(ucb(), n_arms=2, horizon=10**5, batch=500, epochs=2).name
    'UCB, Theorem C'
    """
    size = checks.integer("batch", batch, at_least=1, at_most=checks.ROUNDS)
    return Eliminating(math.inf, n_arms, horizon, epochs, in_python(policy), size, middle=True)


@dataclass(frozen=True)
class Responding(Player):
    """A policy on randomised responses: what `on_responses` returns.

    Parameters
    ----------
    policy : object with `name` and `start(problem, choice, noise)`
    flip : float
        Probability of the other answer.
    privacy : Guarantee
    horizon : int
        Longest run; 0 for any.
    """

    policy: Any
    flip: float
    privacy: Guarantee | str = "not stated"
    horizon: int = 0
    algorithm, mechanism, problems = "responses", "response", (Arms,)

    @property
    def name(self) -> str:
        """Of the policy inside."""
        return f"{self.policy.name}, on responses"

    def start(self, problem: Any, choice: np.random.Generator, noise: np.random.Generator) -> "Answers":
        """Return a fresh learner.

        Parameters
        ----------
        problem : Arms
        choice, noise : numpy.random.Generator
            Of the replication.

        Returns
        -------
        Answers
        """
        return Answers(self.flip, self.policy.start(problem, choice, noise), noise)


class Answers:
    """The learner.

    Parameters
    ----------
    flip : float
        Probability of the other answer.
    inner : Learner
    noise : numpy.random.Generator
    """

    def __init__(self, flip: float, inner: Any, noise: np.random.Generator) -> None:
        self.flip, self.inner, self.noise, self.ask = flip, inner, noise, inner.ask

    def tell(self, feedback: Any) -> int:
        """Take a reward, and give the policy the answer.

        Parameters
        ----------
        feedback : sequence of float
            The reward.

        Returns
        -------
        int
            The answer, which the user sends.

        Raises
        ------
        ValueError
            If the reward is not in [0, 1].
        """
        reward = checks.real("reward", feedback[0], at_least=0, at_most=1)
        bit = int(reward) if reward in (0.0, 1.0) else int(self.noise.random() < reward)
        answer = int(respond(self.noise, bit, 2, self.flip))
        self.inner.tell([float(answer)])
        return answer

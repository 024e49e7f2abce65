"""Why differential privacy of the actions is impossible for contextual bandits, and local privacy is not.

The instance: a round shows one of `n_arms` contexts, uniformly drawn, and each context has an arm of its own that is
better than all others by `gap`. Which arm belongs to which context is one of two rules, each the other's mirror: arm c
for context c, or the arm after it.

* Differential privacy takes the played actions as the output (Shariff and Sheffet 2018). One user's context changes the
  law of that user's action by e^epsilon at most, so the action can hardly follow the context, and a policy that knows
  the rule pays in every round for ever: `dp_regret`, exactly, for every policy and every history.
* Local privacy takes what the user sends as the output. The action stays with the user and may follow the context
  exactly. `messages` plays a learner of the rule whose users send one randomised bit each, by exact probabilities: its
  regret stays bounded, its messages pay epsilon, and its actions, which nobody protects, pay without limit. So Theorem
  1 of Zheng et al. (2020), local privacy implies differential privacy, does not carry over to contexts, as they say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.special import expit
from scipy.stats import binom

from private_bandits import checks
from private_bandits.privacy import channel_loss

_LONGEST = 20_000  # rounds for which the learner's counts are enumerated
_MOST = 9  # sequences of contexts in the linear programme


class Private(NamedTuple):
    """What differential privacy of the actions costs, and the law of the action that attains it."""

    regret: float
    channel: np.ndarray  # shape (n_arms, n_arms): the law of the action by context


def dp_regret(epsilon: float, horizon: int, gap: float, n_arms: int = 2, delta: float = 0.0) -> Private:
    """Least regret of a policy whose actions are (epsilon, delta)-private: T gap (K - 1)(1 - delta) / (K - 1 + e^eps).

    Parameters
    ----------
    epsilon : float
        > 0; infinity is allowed.
    horizon : int
        T >= 1.
    gap : float
        > 0.
    n_arms : int
        K >= 2, also the number of contexts.
    delta : float
        In [0, 1).

    Notes
    -----
    The argument of Shariff and Sheffet (2018), with its constant. With e_c the chance of a wrong arm in context c,
    privacy asks 1 - e_c <= e^epsilon P(arm c | another context) + delta; summed over all pairs of contexts, the
    probabilities on the right add up to the errors. What happened before does not depend on the user of this round, so
    the same holds for the average over histories. Attained by playing the context's own arm with probability 1 - e and
    the others alike, in every round.
    """
    rate = checks.epsilon(epsilon)
    rounds = checks.integer("horizon", horizon, at_least=1)
    arms = checks.integer("n_arms", n_arms, at_least=2)
    spare = 1.0 - checks.real("delta", delta, at_least=0, below=1)
    wrong = spare * float(expit(math.log(arms - 1) - rate))
    channel = np.full((arms, arms), wrong / (arms - 1))
    np.fill_diagonal(channel, 1.0 - wrong)
    return Private(rounds * checks.real("gap", gap, above=0) * wrong, channel)


def least_regret(epsilon: float, horizon: int, gap: float, n_arms: int = 2, delta: float = 0.0) -> float:
    """The number of `dp_regret` without its argument: the best of all policies with histories, for few rounds.

    A linear programme, right to about 1e-7 of the regret of random play. Its variables are the chances of every
    sequence of actions given every sequence of contexts. Earlier actions must not depend on later contexts, and two
    sequences of contexts that differ in one user are neighbours. Rewards add nothing: they follow from both.

    Parameters
    ----------
    epsilon, horizon, gap, n_arms, delta
        As for `dp_regret`; n_arms^horizon is at most 9, and its square is the number of variables.
    """
    rate = checks.epsilon(epsilon)
    rounds = checks.integer("horizon", horizon, at_least=1)
    arms = checks.integer("n_arms", n_arms, at_least=2)
    spare = checks.real("delta", delta, at_least=0, below=1)
    if arms**rounds > _MOST:
        raise ValueError(f"n_arms**horizon must be at most {_MOST}, got {arms}**{rounds}")
    runs = list(product(range(arms), repeat=rounds))  # of contexts, or of actions
    place = {key: i for i, key in enumerate(product(runs, runs))}  # (contexts, actions)
    mistakes = [sum(a != c for a, c in zip(played, seen, strict=True)) for seen, played in place]
    known, totals = _policies(runs, place)
    outputs = [[played] for played in runs]
    if spare > 0.0:  # then events are to be protected, not only single outcomes
        outputs = [list(some) for some in chain.from_iterable(combinations(runs, k) for k in range(1, len(runs)))]
    private = []
    for seen, other in product(runs, runs):
        if sum(a != b for a, b in zip(seen, other, strict=True)) == 1:
            for some in outputs:
                row = np.zeros(len(place))
                row[[place[seen, played] for played in some]] = math.exp(-rate)
                row[[place[other, played] for played in some]] = -1.0
                private.append(row)
    cost = np.array(mistakes, float) / len(runs)
    found = linprog(cost, np.array(private), np.full(len(private), spare * math.exp(-rate)), known, totals)
    return checks.real("gap", gap, above=0) * float(found.fun)


def _policies(
    runs: list[tuple[int, ...]], place: dict[tuple[tuple[int, ...], tuple[int, ...]], int]
) -> tuple[np.ndarray, np.ndarray]:
    """Equations that the chances of actions given contexts obey: they add up, and know nothing of later contexts."""
    rows, totals = [], []
    for seen in runs:
        row = np.zeros(len(place))
        row[[place[seen, played] for played in runs]] = 1.0
        rows.append(row)
        totals.append(1.0)
        for t in range(1, len(seen)):
            other = (*seen[:t], *[0] * (len(seen) - t))
            for early in {played[:t] for played in runs}:
                row = np.zeros(len(place))
                for played in runs:
                    if played[:t] == early:
                        row[place[seen, played]] += 1.0
                        row[place[other, played]] -= 1.0
                rows.append(row)
                totals.append(0.0)
    return np.array(rows), np.array(totals)


class Sent(NamedTuple):
    """Exact numbers of the learner that is told one randomised bit by each user."""

    regret: float
    wrong: np.ndarray  # chance of a wrong arm in each round, shape (horizon,)
    message_loss: float  # pure privacy loss of what a user sends, of its channel
    action_loss: float  # ... of the last action alone, its context changed; infinite once its chance underflows
    joint_loss: float  # ... of the last action beside the messages before it


def messages(epsilon: float, horizon: int, gap: float) -> Sent:
    """A locally private learner of the rule, two arms and two contexts, by exact probabilities.

    A user plays the arm that the server's guess of the rule names for the context, and sees whether it was the better
    one: context, arm and reward together say which rule holds. The user sends that bit, true with probability e^epsilon
    / (1 + e^epsilon), whatever the context. The server guesses the rule that most bits named, or by a coin.

    Parameters
    ----------
    epsilon : float
        Of a message, > 0; infinity is allowed.
    horizon : int
        1 to 20,000.
    gap : float
        > 0.
    """
    rate = checks.epsilon(epsilon)
    rounds = checks.integer("horizon", horizon, at_least=1, at_most=_LONGEST)
    lie = float(expit(-rate))
    lies = np.array([[1.0 - lie, lie], [lie, 1.0 - lie]])
    sent = np.arange(rounds)  # bits before each round
    half = np.ceil(sent / 2.0) - 1.0  # true bits: fewer than half
    wrong = binom.cdf(half, sent, 1.0 - lie) + 0.5 * binom.pmf(sent / 2.0, sent, 1.0 - lie)
    last = float(wrong[-1])
    return Sent(
        regret=checks.real("gap", gap, above=0) * float(np.sum(wrong)),
        wrong=wrong,
        message_loss=channel_loss(lies) if lie > 0.0 else rate,  # above epsilon = 745 e^-epsilon is 0 in a computer
        action_loss=channel_loss(np.array([[1.0 - last, last], [last, 1.0 - last]])),
        joint_loss=channel_loss(np.eye(2)) if rounds > 1 else 0.0,  # the first bit names the arm of each context
    )


def compare(epsilons: Sequence[float], horizons: Sequence[int], gap: float) -> pd.DataFrame:
    """Both on two arms, a row per epsilon and horizon.

    Returns
    -------
    DataFrame
        `epsilon`, `t`; `dp_regret`, the least regret with private actions; `ldp_regret`, that of the learner with
        private messages; `uniform`, of random play; `message_loss`, `action_loss`, `joint_loss` as in `Sent`.
    """
    rows = []
    for epsilon in epsilons:
        longest = messages(epsilon, max(horizons), gap)
        sums = gap * np.cumsum(longest.wrong)
        for horizon in horizons:
            sent = messages(epsilon, horizon, gap)
            rows.append(
                {
                    "epsilon": float(epsilon),
                    "t": int(horizon),
                    "dp_regret": dp_regret(epsilon, horizon, gap).regret,
                    "ldp_regret": float(sums[horizon - 1]),
                    "uniform": gap * horizon / 2.0,
                    "message_loss": sent.message_loss,
                    "action_loss": sent.action_loss,
                    "joint_loss": sent.joint_loss,
                }
            )
    return pd.DataFrame(rows)


def definitions(epsilon: float, horizon: int) -> pd.DataFrame:
    """Neither definition implies the other: two policies for two arms, and what each pays under both.

    Returns
    -------
    DataFrame
        `policy`; `message_loss`, of what the server reads of a user (local privacy); `action_loss`, of a user's action
        beside all that was read before (differential privacy of the actions). "private messages" is the learner of
        `messages`. In "private actions" the server reads the context itself and plays the law of `dp_regret`.
    """
    sent = messages(epsilon, horizon, 1.0)
    rows = [
        ("private messages", sent.message_loss, sent.joint_loss),
        ("private actions", channel_loss(np.eye(2)), checks.epsilon(epsilon)),
    ]
    return pd.DataFrame(rows, columns=["policy", "message_loss", "action_loss"])

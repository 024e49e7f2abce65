"""Why differential privacy of the actions is impossible for contextual bandits, and local privacy is not.

The instance: a round shows one of two contexts, uniformly drawn, and each context has an arm of its own that is better
than the other by `gap`. Which arm belongs to which context is one of two rules, each the other's mirror.

* Differential privacy takes the played actions as the output (Shariff and Sheffet 2018). One user's context changes the
  law of that user's action by e^epsilon at most, so the action can hardly follow the context, and a policy that knows
  the rule pays in every round for ever: `dp_regret`, exactly, for every policy and every history.
* Local privacy takes what the user sends as the output. The action stays with the user and may follow the context
  exactly. `wrong_guesses` is a learner of the rule whose users send one randomised bit each, by exact probabilities:
  its regret stays bounded, its messages pay epsilon, and its actions, which nobody protects, pay without limit. So
  Theorem 1 of Zheng et al. (2020), local privacy implies differential privacy, does not carry over to contexts.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.special import expit
from scipy.stats import binom

from private_bandits import checks
from private_bandits.privacy import channel_loss
from private_bandits_book.chapters.contextual import linear_programmes


def answers(wrong: float) -> np.ndarray:
    """The channel that turns one of two into the other with this probability."""
    return np.array([[1.0 - wrong, wrong], [wrong, 1.0 - wrong]])


def dp_regret(epsilon: float, horizon: int, gap: float) -> float:
    """Least regret of a policy whose actions are epsilon-private, T gap / (1 + e^epsilon).

    The argument of Shariff and Sheffet (2018), with its constant. With e_c the chance of a wrong arm in context c,
    privacy asks 1 - e_c <= e^epsilon P(arm c | the other context) = e^epsilon e_c' for both contexts. What happened
    before does not depend on the user of this round, so the same holds for the average over histories. Attained by
    `answers` to the context, wrong with probability 1 / (1 + e^epsilon), in every round.
    """
    return horizon * gap * float(expit(-epsilon))


def least_regret(epsilon: float, horizon: int, gap: float) -> float:
    """The number of `dp_regret` without its argument: the best of all policies with histories, for one or two rounds.

    A linear programme over all `plans`, right to about 1e-7 of the regret of random play. Earlier actions must not
    depend on later contexts, and two sequences of contexts that differ in one user are neighbours. Rewards add nothing:
    they follow from both.
    """
    place = linear_programmes.nodes(horizon, late=0)
    known, totals = linear_programmes.flow(place)
    private = linear_programmes.neighbours(place, horizon, epsilon)
    mistakes = [sum(a != c for a, c in zip(*node, strict=True)) * (len(node[0]) == horizon) for node in place]
    found = linprog(np.array(mistakes) / 2**horizon, private, np.zeros(len(private)), known, totals)
    return gap * float(found.fun)


@checks.quietly()
def wrong_guesses(epsilon: float, horizon: int) -> np.ndarray:
    """Chance of a wrong arm in each round of a locally private learner of the rule, exactly.

    A user plays the arm that the server's guess of the rule names for the context, and sees whether it was the better
    one: context, arm and reward together say which rule holds. The user sends that bit, true with probability e^epsilon
    / (1 + e^epsilon), whatever the context. The server guesses the rule that most bits named, or by a coin.
    """
    truth = 1.0 - float(expit(-epsilon))
    sent = np.arange(horizon)  # bits before each round
    half = np.ceil(sent / 2.0) - 1.0  # true bits: fewer than half
    return binom.cdf(half, sent, truth) + 0.5 * binom.pmf(sent / 2.0, sent, truth)


def compare(epsilons: Sequence[float], horizons: Sequence[int], gap: float) -> pd.DataFrame:
    """Private actions and private messages side by side, a row per epsilon and horizon.

    Returns
    -------
    DataFrame
        `epsilon`, `t`; `dp_regret`, the least regret with private actions; `ldp_regret`, that of the learner with
        private messages; `uniform`, of random play; and exact pure privacy losses of that learner: `message_loss` of
        what a user sends, `action_loss` of the last action alone, its context changed (infinite once its chance
        underflows), `joint_loss` of the last action beside the messages before it.
    """
    rows = []
    for epsilon in epsilons:
        wrong, lie = wrong_guesses(epsilon, max(horizons)), float(expit(-epsilon))
        sums = gap * np.cumsum(wrong)
        for horizon in horizons:
            rows.append(
                {
                    "epsilon": float(epsilon),
                    "t": int(horizon),
                    "dp_regret": dp_regret(epsilon, horizon, gap),
                    "ldp_regret": float(sums[horizon - 1]),
                    "uniform": gap * horizon / 2.0,
                    # above epsilon = 745 e^-epsilon is 0 in a computer
                    "message_loss": channel_loss(answers(lie)) if lie > 0.0 else float(epsilon),
                    "action_loss": channel_loss(answers(float(wrong[horizon - 1]))),
                    # the first bit names the arm of each context
                    "joint_loss": channel_loss(np.eye(2)) if horizon > 1 else 0.0,
                }
            )
    return pd.DataFrame(rows)

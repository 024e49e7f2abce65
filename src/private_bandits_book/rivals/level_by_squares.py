"""Clipped rewards in short batches, whose bonus falls with the square of how often an action was played."""

import dataclasses

import numpy as np

from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.policy import Policy
from private_bandits_book.rivals.clipped_rewards import VARIANCE, account, advance, check, clipped_rewards, start
from private_bandits_book.rivals.clipped_rewards import Record as Clipped

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "level_by_squares", "seen", "start"]

PIECE = WHOLE_RUN
GROWTH, OF_BITS = 0.1, 0.05  # plays of a batch over those before it


class Record(Clipped):
    """The constants of the policy: those of `clipped_rewards`, with another logarithm."""

    def log(self, pulls: np.ndarray) -> np.ndarray:
        """Return the logarithm in the indices of actions that were played so often."""
        alike = VARIANCE * (1.0 - 2.0 * self.flip) ** 2 if self.bits else 1.0
        return np.log1p(np.maximum(1.0, self.horizon / len(pulls) / (alike * pulls) ** 2))


def level_by_squares(
    epsilon: float, *, horizon: int, first: float = 4.0, level: float = 0.4, local: bool = False
) -> Policy:
    """Play by clipped rewards as `clipped_rewards` does, with shorter batches and a bonus that falls faster.

    Of this book, after an attacker of that policy, from which it differs in two things. A batch is a tenth as long as
    what was played of its action before, or with `local` a twentieth, as bits cost no noise in sums. And with n plays
    of an action the logarithm of its index is

        L = ln(1 + max(1, T/(k m^2))),    m = n, or n/(3 g^2) with `local`,

    k being the number of actions, in place of ln(1 + max(1, T/(k n))): m counts plays in units of the variance 1/3 of
    uniform noise, where bits have g^2. So an action of few plays has about the same bonus, and fewer wrong choices are
    made late. It is for gaps that are large beside T^(-1/4): of smaller ones T rounds are too few for it, and its worst
    regret grows as T^(3/4). It is epsilon-private without delta as `clipped_rewards` is: a user is in one noisy sum and
    moves it by 2 at most, or sends one bit, and what is played, and how long, follows from what was released. No bound
    is proved.

    Parameters
    ----------
    epsilon, horizon, first, local
        As for `clipped_rewards`.
    level : float
        > 0, to be tuned.

    Returns
    -------
    Policy
        For linear contexts with one set of actions.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = level_by_squares(1.0, horizon=10**9)
    >>> policy.record.first, policy.privacy.label()
    (41, 'ε=1')
    """
    policy = clipped_rewards(epsilon, horizon=horizon, first=first, level=level, local=local)
    record = Record(**policy.record._asdict())._replace(growth=OF_BITS if local else GROWTH)
    return dataclasses.replace(
        policy, name="Clipped rewards, level by squares", algorithm="level by squares", record=record
    )

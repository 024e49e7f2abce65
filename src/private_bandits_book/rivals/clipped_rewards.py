"""Linear contexts that are the same for all, played as arms on sums of clipped rewards, or on bits about them."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_horizon, check_kind
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import LinearContext
from private_bandits_book.rivals.instruments import clipped
from private_bandits_book.rivals.residual_epochs import clipped_sum

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "clipped_rewards", "seen", "start"]

PIECE = WHOLE_RUN
CLIP, VARIANCE = 1.0, 1.0 / 3.0  # of rewards, and what it is where they are uniform about 0


class Record(NamedTuple):
    """The constants of the policy."""

    first: int
    level: float
    growth: float
    scale: float  # Laplace scale on the sum of a batch
    flip: float  # the probability that a bit is sent as the other one
    bits: bool  # whether users send bits
    horizon: int

    def log(self, pulls: np.ndarray) -> np.ndarray:
        """Return the logarithm in the indices of actions that were played so often."""
        return np.log1p(np.maximum(1.0, self.horizon / len(pulls) / pulls))


class State(NamedTuple):
    """What the loop carries from batch to batch."""

    pulls: np.ndarray  # int64, of each action
    sums: np.ndarray  # of its clipped rewards, as released
    clock: np.ndarray  # int64: rounds before the batch, its rounds, its action
    lost: np.ndarray  # pseudo-regret before the batch


def clipped_rewards(
    epsilon: float, *, horizon: int, first: float = 4.0, level: float = 0.4, local: bool = False
) -> Policy:
    """Play the action of the largest upper confidence bound on the mean of rewards clipped to [-1, 1].

    Of this book, after an attacker's policy; its logarithm is that of MOSS (Audibert and Bubeck, 2009). Actions are
    played in batches, half as long as what was played of them before, and the sum of a batch's clipped rewards is
    released once with Lap(2/epsilon). With n plays and the mean m of the released sums, an action's index is

        m + sqrt(2 level L / (3 n)) + L/(epsilon n),    L = ln(1 + max(1, T/(k n))),

    k being the number of actions; 1/3 is the variance of uniform noise on [-1, 1]. With `local` each user rounds the
    clipped reward to a bit at random, without bias, and sends it by randomised response; with g = (1 + e^-epsilon) /
    (1 - e^-epsilon) the index is m + sqrt(2 level L g^2/n), and a batch is a fifth as long as what was before. It is
    epsilon-private without delta: a user is in one sum and moves it by 2 at most, or sends one bit, and does not tell
    the context. It finds the best action where clipping keeps the order of means, as of laws that are shifted copies of
    each other. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    first : float
        Plays in the first batch of an action, in multiples of 2 sqrt(ln T)/epsilon + 1, or of g^2; > 0, to be tuned.
    level : float
        > 0, to be tuned.
    local : bool
        Whether users send bits. Default: a curator adds up.

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
    >>> clipped_rewards(1.0, horizon=10**9).record.first, clipped_rewards(1.0, horizon=10**9, local=True).record.first
    (41, 19)
    """
    asked, longest = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
    many, wide = checks.real("first", first, above=0), checks.real("level", level, above=0)
    growth, scale, flip, paid = 0.5, 2.0 / asked, 0.0, asked
    short, why = many * (scale * math.sqrt(math.log(longest)) + 1.0), "a user is in one noisy sum, and moves it by 2"
    if checks.flag("local", local):
        truth, flip = response_probabilities(asked, n_values=2)
        growth, scale, paid, why = 0.2, 0.0, answered(flip), "randomised response on the one bit of a user"
        short = many / (truth - flip) ** 2
    return Policy(
        name="Clipped rewards",
        algorithm="UCB on clipped rewards",
        variant=f"first {many:g}, level {wide:g}",
        privacy=Guarantee.certified(asked, paid, "local" if local else "central", why),
        record=Record(math.ceil(min(short, longest)), wide, growth, scale, flip, bool(local), longest),
        mechanism="none" if math.isinf(asked) else "response" if local else "laplace",
        method="bits" if local else "sums",
    )


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse longer runs, and contexts that are not the same for all."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, LinearContext, "a LinearContext")
    if len(problem.sets) != 1:
        raise ValueError(f"problem of {name} must have one set of actions, got {problem}")
    return {}


def start(problem: Any, policy: Record) -> State:
    """Return the state before the first round."""
    pulls = np.zeros(problem.n_actions, np.int64)
    return State(pulls, np.zeros(len(pulls)), np.array([0, policy.first, 0]), np.zeros(1))


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a user's bit pays, or the noise on the sum."""
    return (answered(record.flip), True) if record.bits else (added(record.scale, 2.0 * CLIP, delta), False)


def advance(
    problem: Any,
    policy: Record,
    state: State,
    first: int,
    last: int,
    checkpoints: Any,
    regret: Any,
    trace: Any,
    env: Any,
    choice: Any,
    noise: Any,
) -> None:
    """Play the rounds first..last; what a batch draws is drawn when it ends."""
    means, (pulls, sums, clock, lost) = problem.means[0], state
    mark = int(np.searchsorted(checkpoints, first))
    while True:
        begun, length, action = clock.tolist()
        gap, end = means.max() - means[action], min(begun + length, last)
        while mark < len(checkpoints) and checkpoints[mark] <= end:
            regret[mark] = lost[0] + gap * (checkpoints[mark] - begun)
            mark += 1
        if len(trace):
            trace[max(begun, first - 1) : end] = action, 1
        if begun + length > last:
            return
        lost[0] += gap * length
        pulls[action] += length
        if policy.bits:
            kept = 1.0 - 2.0 * policy.flip
            ones = env.binomial(length, 0.5 + 0.5 * kept * clipped(problem, means[action], 0.0, CLIP)[0])
            sums[action] += (2.0 * ones - length) / kept
        else:
            total = clipped_sum(problem, means[action], 0.0, CLIP, length, env)
            sums[action] += total + noise.laplace(0.0, policy.scale)
        clock[0] = end
        clock[2] = _chosen(policy, pulls, sums, choice)
        clock[1] = max(policy.first, int(policy.growth * pulls[clock[2]]))


def _chosen(policy: Record, pulls: np.ndarray, sums: np.ndarray, choice: Any) -> int:
    """The action of the largest index, one that was never played before all."""
    if not pulls.all():
        return int(np.argmin(pulls))
    log = policy.log(pulls)
    variance = 1.0 / (1.0 - 2.0 * policy.flip) ** 2 if policy.bits else VARIANCE
    index = sums / pulls + np.sqrt(2.0 * policy.level * variance * log / pulls) + 0.5 * policy.scale * log / pulls
    return int(np.lexsort((choice.random(len(pulls)), -index))[0])

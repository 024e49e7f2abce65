"""Linear contexts that are the same for all, played as arms on powers of clipped rewards, or on bits about rewards."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_horizon, check_kind
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.kernels.stretches import DIRECT
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import LinearContext
from private_bandits_book.rivals.instruments import clipped

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "clipped_rewards", "seen", "start"]

PIECE = WHOLE_RUN
CLIP = 1.0
NOISE = 0.75  # of its scale, in an index; with 0.5 a run in 20,000 settles on the worse action, at epsilon 0.1


class Record(NamedTuple):
    """The constants of the policy."""

    first: int
    level: float
    power: float
    growth: float
    scale: float  # Laplace scale on the sum of a batch
    flip: float  # the probability that a bit is sent as the other one
    bits: bool  # whether users send bits
    horizon: int


class State(NamedTuple):
    """What the loop carries from batch to batch."""

    pulls: np.ndarray  # int64, of each action
    sums: np.ndarray  # of powers of its clipped rewards, as released
    clock: np.ndarray  # int64: rounds before the batch, its rounds, its action
    lost: np.ndarray  # pseudo-regret before the batch


def clipped_rewards(
    epsilon: float, *, horizon: int, first: float = 8.0, level: float = 0.4, power: float = 1.0, local: bool = False
) -> Policy:
    """Play the action of the largest upper confidence bound on the mean of a power of rewards clipped to [-1, 1].

    Of this book, after attackers' policies; its logarithm is that of MOSS (Audibert and Bubeck, 2009). A reward counts
    as f(y) = sign(y) |clip(y, -1, 1)|^p. Actions are played in batches, half as long as what was played of them before,
    and the sum of a batch's f(y) is released once with Lap(2/epsilon). With n plays and the mean m of the released
    sums, an action's index is

        m + sqrt(2 level L / ((2 p + 1) n)) + 1.5 L/(epsilon n),    L = ln(1 + max(1, T/(k n))),

    k being the number of actions. Where noise is uniform on [-1, 1] and means are small, f(y) has the mean of y
    whatever p, as (f(1) - f(-1))/2 = 1, and a variance of 1/(2 p + 1): a large power reads the edges of the noise,
    which tell most, and asks for no more privacy. With `local`, where the variance is that of a bit, each user rounds
    f(y) to a bit at random, without bias, and sends it by randomised response; with g = (1 + e^-epsilon) /
    (1 - e^-epsilon) the index is m + sqrt(2 level L g^2/n), and a batch is a fifth as long as what was before.

    It is epsilon-private without delta: a user is in one sum and moves it by 2 at most, or sends one bit, and does not
    tell the context. It finds the best action where f keeps the order of means, as of laws that are shifted copies of
    each other; where rewards seldom come near -1 and 1, a large power sees little. No bound is proved.

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
    power : float
        p > 0, to be tuned where a curator adds up.
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
    (81, 38)
    """
    asked, longest = checks.epsilon(epsilon), checks.integer("horizon", horizon, at_least=1)
    many, wide = checks.real("first", first, above=0), checks.real("level", level, above=0)
    raised = checks.real("power", power, above=0)
    growth, scale, flip, paid = 0.5, 2.0 / asked, 0.0, asked
    short, why = many * (scale * math.sqrt(math.log(longest)) + 1.0), "a user is in one noisy sum, and moves it by 2"
    if checks.flag("local", local):
        truth, flip = response_probabilities(asked, n_values=2)
        growth, scale, paid, why = 0.2, 0.0, answered(flip), "randomised response on the one bit of a user"
        short = many / (truth - flip) ** 2
    return Policy(
        name="Clipped rewards",
        algorithm="UCB on clipped rewards",
        variant=f"first {many:g}, level {wide:g}, power {raised:g}",
        privacy=Guarantee.certified(asked, paid, "local" if local else "central", why),
        record=Record(math.ceil(min(short, longest)), wide, raised, growth, scale, flip, bool(local), longest),
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
            ones = env.binomial(length, 0.5 + 0.5 * kept * _moments(problem, means[action], policy.power)[0])
            sums[action] += (2.0 * ones - length) / kept
        else:
            sums[action] += _sum(problem, means[action], policy.power, length, env) + noise.laplace(0.0, policy.scale)
        clock[0] = end
        clock[2] = _chosen(policy, pulls, sums, choice)
        clock[1] = max(policy.first, int(policy.growth * pulls[clock[2]]))


def _chosen(policy: Record, pulls: np.ndarray, sums: np.ndarray, choice: Any) -> int:
    """The action of the largest index, one that was never played before all."""
    if not pulls.all():
        return int(np.argmin(pulls))
    log = np.log1p(np.maximum(1.0, policy.horizon / len(pulls) / pulls))
    variance = 1.0 / (1.0 - 2.0 * policy.flip) ** 2 if policy.bits else 1.0 / (2.0 * policy.power + 1.0)
    index = sums / pulls + np.sqrt(2.0 * policy.level * variance * log / pulls) + NOISE * policy.scale * log / pulls
    return int(np.lexsort((choice.random(len(pulls)), -index))[0])


def _sum(problem: Any, mean: float, power: float, users: int, env: Any) -> float:
    """The sum of f(y): one by one, or of many users as a normal number."""
    if problem.binary:
        return float(env.binomial(users, mean))
    if users <= DIRECT:
        kept = np.clip(env.uniform(mean - problem.spread, mean + problem.spread, users), -CLIP, CLIP)
        return float((np.sign(kept) * np.abs(kept) ** power).sum())
    middle, second = _moments(problem, mean, power)
    return float(users * middle + math.sqrt(users * max(second - middle**2, 0.0)) * env.standard_normal())


def _moments(problem: Any, mean: float, power: float) -> tuple[float, float]:
    """The mean of f(y), and that of its square."""
    if power == 1.0 or problem.binary:
        middle, second = clipped(problem, mean, 0.0, CLIP)
        return float(middle), float(second)
    ends = np.array([mean - problem.spread, mean + problem.spread])
    signs, kept = np.sign(ends), np.minimum(np.abs(ends), CLIP)
    beyond = np.abs(ends) - kept
    if not ends[1] > ends[0]:
        return float(signs[0] * kept[0] ** power), float(kept[0] ** (2.0 * power))
    middle = np.diff(kept ** (power + 1.0) / (power + 1.0) + beyond)[0]
    second = np.diff(signs * (kept ** (2.0 * power + 1.0) / (2.0 * power + 1.0) + beyond))[0]
    return float(middle / (ends[1] - ends[0])), float(second / (ends[1] - ends[0]))

"""Arms by how often rewards exceed a threshold, which is found on the way: no moment and no scale need be known."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.kernels.episodes import upper_index
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.parts.sums import exceedance
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_horizon, check_kind, lower_bound
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.contextual.accounting import LARGEST_REWARD
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, LinearContext

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start", "threshold_ladder"]

PIECE = WHOLE_RUN
RUNGS, BEGIN, FAR = 480, 224, 8  # thresholds 2^(-30), ..., 2^30; the first, 1/4; and how many double one
HIGH, LOW, MARGIN, SURE, MOVES = 0.9, 0.35, 3.0, 4, 3
_NO_BONUS = np.empty((0, 3))


class Record(NamedTuple):
    """The constants of the policy."""

    first: int  # pulls of an arm at a threshold, at least
    level: float
    growth: float  # pulls of a phase over those before it at this threshold
    kept: float  # epsilon of the index, infinite for that of KL-UCB
    scale: float  # Laplace scale on the count of a phase
    flip: float  # the probability that a bit is sent as the other one
    horizon: int


class State(NamedTuple):
    """What the loop carries from phase to phase."""

    means: np.ndarray  # of the rewards; not read by the policy
    rewards: np.ndarray  # shape of Pareto rewards; half-width of uniform ones, and what is added to them
    counts: np.ndarray  # float64 (2, n_arms, RUNGS): pulls at each threshold, and how many exceeded it, as released
    clock: np.ndarray  # int64: rounds before the phase, its pulls, its arm, its threshold, how far the next one is
    sums: np.ndarray  # pseudo-regret before the phase


def threshold_ladder(
    epsilon: float, *, horizon: int, first: float = 16.0, level: float = 0.3, local: bool = False
) -> Policy:
    """Play by how often an arm's rewards exceed the lowest threshold that tells two arms apart.

    Of this book, after an attacker's policy. Thresholds are 2^(k/8), and the first is 1/4. An arm is pulled in phases,
    each of which counts how many of its rewards exceed the threshold of the time. The threshold goes up, by a factor of
    2 until it is first too high and then a step at a time, while two arms exceed it in more than 9 of 10 rounds, or one
    that had four phases at least; it goes down by a factor of 2 where no arm exceeds it in more than 35 of 100. So it
    comes to lie where the worse arms begin to fail and the best hardly does. With N pulls at a threshold, of which S is
    the released count, an arm's index is the least over thresholds up to today's of the largest q with

        N d(S/N, q) <= level ln t + 3,

    as what exceeds a threshold exceeds lower ones. The phase has `first` (1 + 1/epsilon) pulls at a new threshold, and
    else as many as there were. The count is released once with Lap(1/epsilon), and d is d_epsilon of `private_kl`. With
    `local` each user sends by randomised response whether the reward exceeds, d is kl on such bits, first is multiplied
    by ((1 + e^-epsilon)/(1 - e^-epsilon))^2, and phases grow by a quarter.

    It is epsilon-private without delta: a user is in one count of one phase, moves it by 1 at most, and thresholds,
    arms and lengths follow from what was released before; or sends one bit. As `exceedance_counts` does, it compares
    arms by how often they exceed, and so finds the best mean only where a larger mean exceeds more often. It is told
    neither moment nor scale: in other units it takes a few phases more. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise.
    horizon : int
        T >= 1.
    first : float
        > 0, to be tuned.
    level : float
        > 0, to be tuned.
    local : bool
        Whether users send bits. Default: a curator counts.

    Returns
    -------
    Policy
        For arms, or for linear contexts that are the same for all, which it does not read: 2 is added to their rewards.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> threshold_ladder(0.5, horizon=10**9).record.first, threshold_ladder(0.5, horizon=10**9, local=True).record.first
    (48, 267)
    """
    asked, most = checks.epsilon(epsilon), checks.real("level", level, above=0)
    many, longest = checks.real("first", first, above=0), checks.integer("horizon", horizon, at_least=1)
    if checks.flag("local", local):
        truth, flip = response_probabilities(asked, n_values=2)
        many, growth, kept, scale, paid = many / (truth - flip) ** 2, 0.25, math.inf, 0.0, answered(flip)
        why = "randomised response on the one bit of a user"
    else:
        many, growth, kept, scale, paid, flip = many * (1.0 + 1.0 / asked), 1.0, asked, 1.0 / asked, asked, 0.0
        why = "a user is in the noisy count of one phase"
    return Policy(
        name="Threshold ladder",
        algorithm="counts above a threshold that rises",
        variant=f"first {first:g}, level {level:g}",
        privacy=Guarantee.certified(epsilon, paid, "local" if local else "central", why),
        record=Record(math.ceil(min(many, WHOLE_RUN // 2)), most, growth, kept, scale, flip, longest),
        mechanism="none" if math.isinf(asked) else "response" if local else "laplace",
    )


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse longer runs, and what are neither arms nor the same actions for all."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, (Arms, LinearContext), "Arms or a LinearContext")
    if isinstance(problem, LinearContext) and len(problem.sets) != 1:
        raise ValueError(f"problem of {name} must have one set of actions, got {problem}")
    return {}


def start(problem: Any, policy: Record) -> State:
    """Return the state before the first round."""
    contexts = hasattr(problem, "sets")
    uniform = contexts and not problem.binary
    return State(
        means=np.ravel(problem.means).copy(),
        rewards=np.array([0.0, problem.spread, LARGEST_REWARD] if uniform else [getattr(problem, "shape", 0.0), 0, 0]),
        counts=np.zeros((2, problem.means.size, RUNGS)),
        clock=np.array([0, policy.first, 0, BEGIN, FAR]),
        sums=np.zeros(1),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a user's bit pays, or the noise on the count."""
    return (answered(record.flip), True) if record.flip > 0 else (added(record.scale, 1.0, delta), False)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last; what a phase draws is drawn when it ends."""
    clock, counts, means = state.clock, state.counts, state.means
    mark, best = lower_bound(checkpoints, first), means.max()
    while True:
        begun, length, arm, rung = clock[0], clock[1], clock[2], clock[3]
        end = min(begun + length, last)
        while mark < len(checkpoints) and checkpoints[mark] <= end:
            regret[mark] = state.sums[0] + (best - means[arm]) * (checkpoints[mark] - begun)
            mark += 1
        if len(trace) > 0:
            for t in range(max(begun, first - 1), end):
                trace[t, 0], trace[t, 1] = arm, 1
        if begun + length > last:
            return
        state.sums[0] += (best - means[arm]) * length
        chance = policy.flip + (1.0 - 2.0 * policy.flip) * _exceeding(means[arm], state.rewards, _threshold(rung))
        counts[0, arm, rung] += length
        counts[1, arm, rung] += env.binomial(length, chance) + mechanisms.laplace(noise, policy.scale)
        clock[0] = end
        _move(policy, counts, clock)
        _choose(policy, counts, clock, choice)


@compiled(inline="always")
def _threshold(rung):
    return 2.0 ** ((rung - RUNGS // 2) / FAR)


@compiled(inline="always")
def _exceeding(mean, rewards, threshold):
    """The probability that a reward exceeds a threshold."""
    shape, spread, moved = rewards[0], rewards[1], rewards[2]
    if spread == 0.0:
        return exceedance(mean, shape, threshold)
    return min(max((mean + moved + spread - threshold) / (2.0 * spread), 0.0), 1.0)


@compiled
def _move(policy, counts, clock):
    """Raise the threshold while it is too low, and lower it where it is too high."""
    for _ in range(MOVES):  # noise might send it up and down for ever
        rung, high, known, most = clock[3], 0, 0, 0.0
        for arm in range(counts.shape[1]):
            pulls = counts[0, arm, rung]
            if pulls > 0:
                known += 1
                share = (counts[1, arm, rung] / pulls - policy.flip) / (1.0 - 2.0 * policy.flip)
                most = max(most, share)
                if share > HIGH:
                    high += 2 if pulls >= SURE * policy.first else 1
        if high > 1 and rung + clock[4] < RUNGS:
            clock[3] += clock[4]
        elif clock[4] > 1 and high < 2 and (known == counts.shape[1] or (known > high and known > 1)):
            clock[4] = 1
            if clock[3] > FAR and counts[0, :, rung - FAR].max() > 0:
                clock[3] -= FAR
        elif known == counts.shape[1] and most < LOW and rung >= FAR:
            clock[3] -= FAR
        else:
            return


@compiled
def _choose(policy, counts, clock, choice):
    """The arm of the next phase, and how long it is: of equal indices that with the fewest pulls at the threshold."""
    rung, found, ties, best = clock[3], 0, 0, -1.0
    time = clock[0] + 1.0
    level = policy.level + MARGIN / math.log(time)
    for arm in range(counts.shape[1]):
        index = 1.0 - policy.flip
        for each in range(rung + 1):
            pulls = counts[0, arm, each]
            if pulls > 0:
                index = min(
                    index, upper_index(_NO_BONUS, level, 0.0, policy.kept, time, pulls, counts[1, arm, each] / pulls)
                )
        fewer = counts[0, arm, rung] < counts[0, found, rung]
        if index > best or (index == best and fewer):
            best, found, ties = index, arm, 1
        elif index == best and counts[0, arm, rung] == counts[0, found, rung]:
            ties += 1
            if choice.random() * ties < 1.0:
                found = arm
    clock[2] = found
    clock[1] = max(policy.first, int(min(policy.growth * counts[0, found, rung], WHOLE_RUN // 2)))

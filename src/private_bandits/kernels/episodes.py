"""Index policies in episodes: an arm's pulls double, and its index sees its last episode only, through one noisy mean.

Each arm is pulled `first` times, in the order of their numbers. Then, again and again, the arm of the largest index is
pulled as often as it has been pulled so far. With N pulls, the index at the start of an episode in round t is

    value = mean of the last episode + Lap(scale / N) + sum over terms of ((alpha ln t + beta) / N)^power

or, where `level` > 0, the largest q in [0, 1] with kl(clip(value), q) <= level ln(t) / N. In an episode of n pulls
rewards above B = (truncation n)^truncation_power count as 0, and the noise is 2B times larger. A policy is its
constants, held in a `Record`; one compiled loop plays them all.

Where `kept` > 0 nothing is forgotten: the mean is that of all rewards, with one Lap(scale) for each episode in their
sum, and the index is the largest q with d_kept(clip(value), q) <= (level ln t + slow ln ln t) / N, which is kl where
`kept` is infinite. An episode has `growth` N pulls, at least one, of rewards that are flipped with probability `flip`.

Where `exceeds` > 0 a reward counts as 1 if it is larger than that, and else as 0, whatever its range.

The rewards of an episode are drawn as one sum when it ends, so a run costs one index computation per episode. An
episode that the horizon cuts short draws nothing.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Epochs, Seen
from private_bandits.kernels.elimination import record_turns
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.parts.selection import top_item
from private_bandits.kernels.parts.sums import exceedance, reward_sum
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_arms, check_horizon, check_kind
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import Arms
from private_bandits.problems.lists import ListRecord

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

PIECE = WHOLE_RUN
LAST = math.nextafter(1.0, 0.0)


class Record(NamedTuple):
    """The constants of an episodic policy."""

    terms: np.ndarray  # float64 (n_terms, 3): rows (alpha, beta, power)
    level: float = 0.0
    scale: float = 0.0  # Laplace scale per unit of the range of a reward, times N
    truncation: float = 0.0  # 0: rewards are in [0, 1]; otherwise truncated at B, they are taken to lie in [-B, B]
    truncation_power: float = 0.0
    v: float = 0.0  # the (1 + v)-th moment that the policy takes to be finite, and its bound u; 0: none
    u: float = 0.0
    horizon: int = 0  # longest run; 0 fits any
    kept: float = 0.0  # epsilon of the index, where all episodes are kept; 0: only the last one is
    growth: float = 1.0  # pulls of an episode over those before it
    slow: float = 0.0  # the factor of ln ln t
    flip: float = 0.0  # probability that a 0/1 reward is sent as the other
    first: int = 1  # pulls of an arm's first episode
    exceeds: float = 0.0  # rewards are told by whether they are larger; 0: they are what is summed


class State(NamedTuple):
    """What the loop carries from episode to episode."""

    pulls: np.ndarray  # int64, an entry per arm: pulls in finished episodes
    means: np.ndarray  # float64: the noisy mean of the arm's last finished episode, or of all where they are kept
    totals: np.ndarray  # float64: what is kept, the noisy sum
    order: np.ndarray  # int64 (1,): the arm of the running episode
    clock: np.ndarray  # int64: rounds before the running episode, pulls in it
    indices: np.ndarray  # scratch


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what `check_arms` refuses; rewards that are told by a threshold may be what they like."""
    if record.exceeds == 0.0:
        return check_arms(name, problem, record, horizon)
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, Arms, "Arms")
    return {}


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms = len(problem.means)
    return State(
        pulls=np.zeros(n_arms, np.int64),
        means=np.zeros(n_arms),
        totals=np.zeros(n_arms),
        order=np.zeros(1, np.int64),
        indices=np.zeros(n_arms),
        clock=np.array([0, policy.first]),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what an answer pays, or the noise on a sum; that on the mean of the last episode is for all pulls."""
    if record.flip > 0:
        return answered(record.flip), True
    forgotten = (1.0 + record.growth) / record.growth if record.growth > 0 else math.inf
    return added(record.scale, forgotten if record.kept == 0 else 1.0, delta), False


def seen(record: Record) -> Seen | None:
    """Return what an observer sees; with one pull in each, kept for good, episodes are rounds."""
    if record.exceeds > 0.0:  # sums of a table's rewards are no counts
        return None
    state, unbounded = ("pulls", "means"), record.v > 0
    if record.growth == 0.0 and record.kept > 0.0 and record.first == 1:
        return Seen(state, ("pulls", "totals"), reached=record.flip > 0, unbounded=unbounded)
    noiseless, truncated = record._replace(scale=0.0), record.truncation > 0
    epochs = Epochs(lambda state: (state.clock[0], state.order), noiseless, truncated, record.flip > 0)
    return Seen(state, unbounded=unbounded, epochs=epochs)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    terms, level, slow, kept = policy.terms, policy.level, policy.slow, policy.kept
    pulls, means, totals, order, clock, indices = state
    while True:
        arm, begun, length = order[0], clock[0], clock[1]
        end = begun + min(length, last - begun + 1)  # as in `elimination`
        record_turns(problem, pulls, order, 1, begun, min(end, last), checkpoints, regret, trace)
        if end > last:
            return
        pulls[arm] += length
        threshold, reach = np.inf, 1.0
        if policy.truncation > 0.0:
            threshold = (policy.truncation * length) ** policy.truncation_power
            reach = 2.0 * threshold
        mean, shape = problem.means[arm], problem.shape
        if policy.exceeds > 0.0:
            mean, shape = exceedance(mean, shape, policy.exceeds), 0.0
        mean = policy.flip + (1.0 - 2.0 * policy.flip) * mean
        total = reward_sum(env, length, mean, shape, threshold)
        if kept > 0.0:
            totals[arm] += total + mechanisms.laplace(noise, policy.scale)
            means[arm] = totals[arm] / pulls[arm]
        else:
            means[arm] = total / length + mechanisms.laplace(noise, policy.scale * reach / pulls[arm])
        order[0], clock[0], clock[1] = end // policy.first, end, policy.first
        if order[0] >= len(pulls):
            for item in range(len(pulls)):
                indices[item] = upper_index(terms, level, slow, kept, end + 1, pulls[item], means[item])
            order[0] = top_item(indices, choice)
            clock[1] = int(min(max(1.0, policy.growth * pulls[order[0]]), WHOLE_RUN))


@compiled(borrows=True)
def upper_index(terms, level, slow, kept, t, n, mean):
    """Return the index of an arm at the start of an episode.

    Parameters
    ----------
    terms, level, slow, kept
        As in `Record`; a `level` with kept = 0 or infinity is that of kl.
    t : int
        The round, >= 1.
    n : int
        Pulls of the arm, >= 1.
    mean : float
        Its noisy mean.

    Returns
    -------
    float
    """
    value, log_t = mean, math.log(t)
    for term in range(len(terms)):
        value += ((terms[term, 0] * log_t + terms[term, 1]) / n) ** terms[term, 2]
    if level == 0.0:
        return value
    mean, most = min(max(value, 0.0), 1.0), level * log_t / n
    if slow > 0.0:
        most += slow * math.log(max(log_t, 1.0)) / n
    q = kl_upper(mean, most)
    if kept == 0.0 or q * (1.0 - mean) * math.exp(-kept) <= mean * (1.0 - q):
        return q
    # where the log-odds differ by more than epsilon, d_epsilon(p, q) = -epsilon p - ln(1 - q (1 - e^-epsilon))
    return min(1.0, math.expm1(-most - kept * mean) / math.expm1(-kept))


@compiled(borrows=True)
def kl_upper(mean, level):
    """Return the largest float64 q in [mean, 1] with kl(mean, q) <= level, for Bernoulli means.

    By Newton's method, which comes down from above because the divergence is convex. Where rounding hides which number
    is the largest, it is one of those.

    Parameters
    ----------
    mean : float
        In [0, 1].
    level : float
        >= 0.

    Returns
    -------
    float
        1 only at mean = 1, where the divergence is 0.
    """
    if mean >= 1.0:
        return 1.0
    # it begins above q, by Pinsker's inequality and because an entropy is at most ln 2
    q = min(mean + math.sqrt(0.5 * level), 1.0 - math.exp(-(level + math.log(2.0)) / (1.0 - mean)), LAST)
    while q > mean:
        divergence = (1.0 - mean) * math.log((1.0 - mean) / (1.0 - q))
        if mean > 0.0:
            divergence += mean * math.log(mean / q)
        if divergence <= level:
            return q
        q = min(q - (divergence - level) * q * (1.0 - q) / (q - mean), np.nextafter(q, 0.0))
    return mean

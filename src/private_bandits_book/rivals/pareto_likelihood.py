"""Pareto arms by the likelihood of their scales, in which counts above many thresholds are joined."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.parts.sums import exceedance
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_horizon, check_kind, lower_bound
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "pareto_likelihood", "seen", "start"]

PIECE = WHOLE_RUN
SHAPES = np.array([1.1, 1.35, 1.6, 1.9, 2.3])
RELEASES = 128  # of an arm: its pulls grow by half, and so 2^62 of them take 110
BEGIN, DOUBLE = math.log(0.25), math.log(2.0)  # the first threshold; thresholds and scales are logarithms
GROWTH, SURE, TINY = 0.5, 1.5, 1e-15
EQUAL = 1e-6  # what is found by sections differs by rounding where it is equal
AHEAD, BETWEEN, CUT, BEYOND = 0.2, 0.3, 0.25, 0.3  # where thresholds are placed, see _aim
FITTED, AGAINST, UPPER, LOWER = 0, 1, 2, 3
WIDE, GOLDEN, STEPS, HALVES = 8.0, (math.sqrt(5.0) - 1.0) / 2.0, 44, 34


class Record(NamedTuple):
    """The constants of the policy."""

    first: int  # pulls of a phase, at least
    level: float
    kept: float  # epsilon of the divergence, infinite for that of bits
    scale: float  # Laplace scale on the count of a phase
    flip: float  # the probability that a bit is sent as the other one
    local: bool
    horizon: int


class State(NamedTuple):
    """What the loop carries from phase to phase."""

    means: np.ndarray  # of the rewards; not read by the policy
    rewards: np.ndarray  # the shape of the rewards; not read by the policy
    releases: np.ndarray  # float64 (n_arms, RELEASES, 3): threshold, share of rewards not above it, pulls
    known: np.ndarray  # int64 (n_arms,): how many releases an arm has
    pulls: np.ndarray  # float64 (n_arms,)
    fits: np.ndarray  # float64 (n_arms, shapes, 4): the likeliest scale, nats against it, and its two bounds
    clock: np.ndarray  # int64: rounds before the phase, its pulls, its arm
    sums: np.ndarray  # pseudo-regret before the phase, its threshold


def pareto_likelihood(
    epsilon: float, *, horizon: int, first: float = 8.0, level: float = 0.4, local: bool = False
) -> Policy:
    """Play by the largest scale of an arm's Pareto rewards that is not too unlikely.

    Of this book, after an attacker's policy. An arm is pulled in phases, each of which counts how many of its rewards
    exceed one threshold, and releases the count once with Lap(1/epsilon). What was released of an arm, at whatever
    thresholds, is joined in one likelihood of its scale s, where P(X > t) = min(1, (s/t)^b): n rewards of which the
    share u exceeded t speak n d(u, P(X > t)) nats against s, d being d_epsilon of `private_kl`. The shape b is that of
    1.1, 1.35, 1.6, 1.9 and 2.3 which fits all arms together best, and the least of those that fit alike.

    An arm's index is the largest s against which at most level ln T nats more are spoken than against the likeliest; it
    is infinite where larger scales explain all as well. The leader is the arm with the largest lower bound, which is
    the same downwards with 1.5 nats. The arm of the largest index is played. If it is the leader, its threshold lies at
    three tenths of the way from its lower bound to its index; else a fifth of the way from the leader's likeliest scale
    to its index, but between the arm's own bounds and not in their lowest quarter. The first threshold is 1/4; that of
    a leader whose index is infinite doubles. A phase has first (1 + 1/epsilon) pulls, or half as many as the arm had.
    Scales are found by golden section and bisection: where a likelihood has several peaks, one of them.

    With `local` each user sends by randomised response whether the reward exceeds, d is kl on such bits, first is
    multiplied by ((1 + e^-epsilon)/(1 - e^-epsilon))^2, and the leader's threshold is at least its likeliest scale.

    It is epsilon-private without delta: a user is in one count of one phase, moves it by 1 at most, and thresholds,
    arms and lengths follow from what was released before; or sends one bit. It assumes that rewards are Pareto, of one
    shape for all arms and in the range of the five: with others regret can be linear. No bound is proved.

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
        For arms whose rewards are Pareto.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> [pareto_likelihood(0.5, horizon=10**9, local=local).record.first for local in (False, True)]
    [24, 134]
    """
    asked, most = checks.epsilon(epsilon), checks.real("level", level, above=0)
    many, longest = checks.real("first", first, above=0), checks.integer("horizon", horizon, at_least=1)
    if checks.flag("local", local):
        truth, flip = response_probabilities(asked, n_values=2)
        many, kept, scale, paid = many / (truth - flip) ** 2, math.inf, 0.0, answered(flip)
        why = "randomised response on the one bit of a user"
    else:
        many, kept, scale, paid, flip = many * (1.0 + 1.0 / asked), asked, 1.0 / asked, asked, 0.0
        why = "a user is in the noisy count of one phase"
    return Policy(
        name="Pareto likelihood",
        algorithm="likelihood of scales from counts above thresholds",
        variant=f"first {first:g}, level {level:g}",
        privacy=Guarantee.certified(epsilon, paid, "local" if local else "central", why),
        record=Record(math.ceil(min(many, WHOLE_RUN // 2)), most, kept, scale, flip, bool(local), longest),
        mechanism="none" if math.isinf(asked) else "response" if local else "laplace",
    )


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse longer runs, and what are not Pareto arms."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, Arms, "Arms")
    if problem.record().shape == 0.0:
        raise ValueError(f"problem of {name} must have Pareto rewards, got {problem}")
    return {}


def start(problem: Any, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms = problem.means.size
    return State(
        means=problem.means.copy(),
        rewards=np.array([problem.shape]),
        releases=np.zeros((n_arms, RELEASES, 3)),
        known=np.zeros(n_arms, np.int64),
        pulls=np.zeros(n_arms),
        fits=np.tile([0.0, 0.0, np.inf, -np.inf], (n_arms, len(SHAPES), 1)),
        clock=np.array([0, policy.first, 0]),
        sums=np.array([0.0, BEGIN]),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a user's bit pays, or the noise on the count."""
    return (answered(record.flip), True) if record.local else (added(record.scale, 1.0, delta), False)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last; what a phase draws is drawn when it ends."""
    clock, means = state.clock, state.means
    mark, best = lower_bound(checkpoints, first), means.max()
    while True:
        begun, length, arm = clock[0], clock[1], clock[2]
        end = min(begun + length, last)
        while mark < len(checkpoints) and checkpoints[mark] <= end:
            regret[mark] = state.sums[0] + (best - means[arm]) * (checkpoints[mark] - begun)
            mark += 1
        if len(trace) > 0:
            for t in range(max(begun, first - 1), end):
                trace[t, 0], trace[t, 1] = arm, 1
        if begun + length > last:
            return
        clock[0] = end
        state.sums[0] += (best - means[arm]) * length
        above = exceedance(means[arm], state.rewards[0], math.exp(state.sums[1]))
        counted = env.binomial(length, policy.flip + (1.0 - 2.0 * policy.flip) * above)
        counted += mechanisms.laplace(noise, policy.scale)
        release = state.releases[arm, state.known[arm]]
        release[0], release[1], release[2] = state.sums[1], min(max(1.0 - counted / length, 0.0), 1.0), length
        state.known[arm] += 1
        state.pulls[arm] += length
        most = policy.level * math.log(policy.horizon)
        for each in range(len(SHAPES)):
            _fit(policy, state.releases[arm, : state.known[arm]], SHAPES[each], most, state.fits[arm, each])
        nats = state.fits[:, :, AGAINST].sum(axis=0)
        shape = (nats <= nats.min() + EQUAL).argmax()  # one release of each arm fits all of them
        chosen = _choose(state.fits[:, shape], state.pulls, choice)
        state.sums[1] = _aim(policy, state, state.fits[:, shape], chosen)
        clock[1] = max(policy.first, int(min(GROWTH * state.pulls[chosen], WHOLE_RUN // 2)))
        clock[2] = chosen


@compiled
def _against(policy, releases, scale, shape):
    """The nats that releases speak against a scale."""
    shrunk, total = math.exp(-policy.kept), 0.0
    for threshold, share, pulls in releases:
        missed = -math.expm1(min(shape * (scale - threshold), 0.0))
        missed = min(max(policy.flip + (1.0 - 2.0 * policy.flip) * missed, TINY), 1.0 - TINY)
        low, high = missed * shrunk, (1.0 - missed) * shrunk
        told = min(max(share, low / (1.0 - missed + low)), missed / (missed + high))  # the rest is laid to the noise
        nats = 0.0 if told == share else policy.kept * abs(told - share)
        total += pulls * (nats + _nats(told, missed) + _nats(1.0 - told, 1.0 - missed))
    return total


@compiled(inline="always")
def _nats(told, wanted):
    return told * math.log(told / wanted) if told > 0.0 else 0.0


@compiled
def _fit(policy, releases, shape, most, fit):
    """Fill in the likeliest scale, by golden section, and by bisection what is too unlikely on either side."""
    bottom, top = releases[:, 0].min() - WIDE, releases[:, 0].max()  # larger scales explain all alike
    low, high = bottom, top
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    worse, better = _against(policy, releases, left, shape), _against(policy, releases, right, shape)
    for _ in range(STEPS):
        if worse < better:
            high, right, better = right, left, worse
            left = high - GOLDEN * (high - low)
            worse = _against(policy, releases, left, shape)
        else:
            low, left, worse = left, right, better
            right = low + GOLDEN * (high - low)
            better = _against(policy, releases, right, shape)
    fitted, end = (low + high) / 2.0, _against(policy, releases, top, shape)
    least = _against(policy, releases, fitted, shape)
    if end <= least:
        fitted, least = top, end
    fit[FITTED], fit[AGAINST], fit[UPPER] = fitted, least, np.inf
    if end > least + most:
        fit[UPPER] = _bound(policy, releases, shape, fitted, top, least + most)
    fit[LOWER] = _bound(policy, releases, shape, fitted, bottom, least + SURE)


@compiled
def _bound(policy, releases, shape, inside, outside, most):
    """The last scale on the way from one to another with at most so many nats against it."""
    for _ in range(HALVES):
        middle = (inside + outside) / 2.0
        if _against(policy, releases, middle, shape) <= most:
            inside = middle
        else:
            outside = middle
    return inside


@compiled
def _choose(fits, pulls, choice):
    """The arm of the largest index, and of equal ones that with the fewest pulls."""
    found, ties, least = -1, 0, fits[:, UPPER].max() - EQUAL
    for arm in range(len(fits)):
        if fits[arm, UPPER] >= least:
            if found < 0 or pulls[arm] < pulls[found]:
                found, ties = arm, 1
            elif pulls[arm] == pulls[found]:
                ties += 1
                if choice.random() * ties < 1.0:
                    found = arm
    return found


@compiled
def _aim(policy, state, fits, arm):
    """The threshold of an arm's next phase."""
    leader = (fits[:, LOWER] >= fits[:, LOWER].max() - EQUAL).argmax()
    fitted, upper, lower = fits[leader, FITTED], fits[leader, UPPER], fits[leader, LOWER]
    if math.isinf(upper):
        aim = state.releases[leader, : state.known[leader], 0].max() + DOUBLE
    else:
        aim = fitted + AHEAD * (upper - fitted)
    if state.known[arm] == 0:
        return aim
    thresholds = state.releases[arm, : state.known[arm], 0]
    low, high = max(fits[arm, LOWER], thresholds.min() - DOUBLE), fits[arm, UPPER]
    if math.isinf(high):
        top = thresholds.max()
        step = DOUBLE if math.isinf(upper) else max(fitted - top, BEYOND * (upper - lower))
        return aim if aim > top + 1e-6 else top + step
    if arm == leader:
        between = low + BETWEEN * (high - low)
        return max(fitted, between) if policy.local else between
    return min(max(aim, low + CUT * (high - low)), high)

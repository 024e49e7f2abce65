"""Least squares for linear contexts from one bit of each user: on which side of a random line a vector lies."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.kernels import linear
from private_bandits.kernels.parts.accounting import answered
from private_bandits.kernels.parts.cholesky import dot, factorise, solve
from private_bandits.kernels.parts.selection import top_item
from private_bandits.kernels.protocol import (
    FAMILY,
    WHOLE_RUN,
    blank,
    check_horizon,
    check_kind,
    check_size,
    lower_bound,
)
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import response_probabilities
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import LinearContext

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "random_lines", "seen", "start"]

PIECE = WHOLE_RUN
LONGEST = WHOLE_RUN // 2
ABOUT_REWARD = 0.75  # the probability with which a user is asked for sign(y) x
DIRECT = 64  # sums of at most this many vectors are drawn one by one, longer ones as normal numbers


class Record(NamedTuple):
    """The constants of the policy."""

    dim: int
    flip: float  # the probability that a bit is sent as the other one
    first: int  # rounds of the first stretch, and of each at least
    growth: float  # rounds of a stretch over those before it
    horizon: int


class State(NamedTuple):
    """What the loop carries from stretch to stretch."""

    gram: np.ndarray  # A, upper triangle
    moment: np.ndarray  # u
    clock: np.ndarray  # int64: rounds before the stretch, at its end
    sums: np.ndarray  # pseudo-regret before the stretch, and what each of its rounds adds
    counts: np.ndarray  # int64, a row a set: how often each of its actions is played in the stretch
    factor: np.ndarray  # scratch, as are those that follow
    theta: np.ndarray
    indices: np.ndarray
    point: np.ndarray
    found: np.ndarray


def random_lines(epsilon: float, *, dim: int, horizon: int, first: float = 32.0, growth: float = 0.25) -> Policy:
    """Play by least squares on sums to which each user adds a vector that one randomised bit tells.

    Of this book, after an attacker's policy, whose users send an entry of the sums. A user who plays x for a reward y
    is asked, with probability 3/4, for sign(y) x, a point of the unit ball of dimension m = d, where R = 1. Else it is
    the triangle of x x' - I/2, a point of the ball of radius R = sqrt(d)/2 and dimension m = d (d + 1)/2, entries off
    the diagonal times sqrt 2. To answer with v, the user moves to v R/|v| with probability (1 + |v|/R)/2, else to the
    point opposite, draws a hyperplane through 0 with a uniform unit normal z, and sends z and, by randomised response,
    the bit that says on which side the point is. The server adds

        +-z R g / c,    g = (1 + e^-epsilon)/(1 - e^-epsilon),    c = Gamma(m/2) / (sqrt(pi) Gamma((m + 1)/2)),

    the sign being the bit's, which is v on average, since c is the mean of |z_1| (Duchi, Jordan and Wainwright, 2018,
    have this mechanism with half balls). It solves after `first` rounds, and then whenever there are `growth` more;
    until then, and where the noisy A = sum of x x' is not positive definite, actions are random. Else a user plays the
    action of the largest <theta, x>, theta = A^-1 u, u = sum of sign(y) x.

    It is locally epsilon-private without delta: z and which vector is asked for do not depend on the user, the one bit
    that does is sent by randomised response, and the action, which the user finds from theta, is told to nobody. The
    sign of y = mean + noise has the mean of y where noise is uniform on [-1, 1], as it is here, and grows with it where
    noise is symmetric, so that theta is that of a generalised linear model. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Local privacy of a user, > 0; infinity means that bits are true.
    dim, horizon : int
        d and T, >= 1.
    first : float
        Rounds of the first stretch over g^2, > 0, to be tuned.
    growth : float
        > 0, to be tuned.

    Returns
    -------
    Policy
        For given sets of actions (`LinearContext.table`).

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = random_lines(1.0, dim=2, horizon=10**9)
    >>> policy.record.first, policy.privacy.label()
    (150, 'ε=1')
    """
    truth, flip = response_probabilities(epsilon, n_values=2)
    least, more = checks.real("first", first, above=0), checks.real("growth", growth, above=0)
    record = Record(
        dim=checks.integer("dim", dim, at_least=1),
        flip=flip,
        first=math.ceil(min(least / (truth - flip) ** 2, LONGEST)),
        growth=more,
        horizon=checks.integer("horizon", horizon, at_least=1),
    )
    return Policy(
        name="Random lines",
        algorithm="least squares on sides of random lines",
        variant=f"first {least:g}, growth {more:g}",
        privacy=Guarantee.certified(epsilon, answered(flip), "local", "randomised response on the one bit of a user"),
        record=record,
        mechanism="response" if flip else "none",
    )


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what is no table of action sets, and longer runs."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, LinearContext, "a LinearContext")
    check_size(name, "dim", record.dim, problem.dim)
    if not len(problem.sets):
        raise ValueError(f"problem of {name} must have given sets (LinearContext.table), got {problem}")
    return {}


def start(problem: Any, policy: Record) -> State:
    """Return the state before the first round."""
    dim, shape = problem.dim, problem.means.shape
    return State(
        gram=np.zeros((dim, dim)),
        moment=np.zeros(dim),
        clock=np.zeros(2, np.int64),
        sums=np.zeros(2),
        counts=np.zeros(shape, np.int64),
        factor=np.zeros((dim, dim)),
        theta=np.zeros(dim),
        indices=np.zeros(problem.n_actions),
        point=np.zeros(dim * (dim + 1) // 2),
        found=np.zeros(dim * (dim + 1) // 2),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a user's bit pays."""
    return answered(record.flip), True


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last; within a stretch the regret is interpolated, and sets are shown in their order."""
    clock, sums = state.clock, state.sums
    mark = lower_bound(checkpoints, first)
    while True:
        begun, end = clock[0], clock[1]
        while mark < len(checkpoints) and checkpoints[mark] <= min(end, last):
            regret[mark] = sums[0] + sums[1] * (checkpoints[mark] - begun)
            mark += 1
        if len(trace) > 0:
            t = begun
            for shown in range(len(state.counts)):
                for action in range(problem.n_actions):
                    for _ in range(state.counts[shown, action]):
                        if first <= t + 1 <= last:
                            trace[t, 0], trace[t, 1] = action, 1
                        t += 1
        if end >= last:
            return
        sums[0] += sums[1] * (end - begun)
        rounds = max(policy.first, int(min(policy.growth * end, LONGEST)))
        clock[0], clock[1] = end, end + rounds
        sums[1] = _stretch(problem, policy, state, rounds, env, choice, noise) / rounds


@compiled(inline="always")
def _stretch(problem, policy, state, rounds, env, choice, noise):
    """Choose the actions of all sets, draw the sums of what their users send, and return the pseudo-regret."""
    n_sets, theta, indices = len(problem.sets), state.theta, state.indices
    theta[:] = state.moment
    ready = state.clock[0] > 0 and factorise(state.gram, 0.0, state.factor)
    if ready:
        solve(state.factor, theta)
    left, lost = rounds, 0.0
    state.counts[:] = 0
    for shown in range(n_sets):
        actions, means, counts = problem.sets[shown], problem.means[shown], state.counts[shown]
        count = left if shown == n_sets - 1 else _binomial(env, left, 1.0 / (n_sets - shown))
        left -= count
        if ready:
            for action in range(problem.n_actions):
                indices[action] = dot(theta, actions[:, action])
            counts[top_item(indices, choice)] = count
        else:
            for action in range(problem.n_actions):
                counts[action] = _binomial(choice, count, 1.0 / (problem.n_actions - action))
                count -= counts[action]
        for action in range(problem.n_actions):
            lost += counts[action] * linear.shortfall(means, action)
            sign = _sign(means[action], problem.binary, problem.spread)
            _report(state, policy.flip, counts[action], sign, actions[:, action], noise)
    return lost


@compiled(inline="always")
def _sign(mean, binary, spread):
    """The mean of a reward's sign, that of 0 being -1."""
    if binary:
        return 2.0 * mean - 1.0
    if spread > 0.0:
        return min(max(mean / spread, -1.0), 1.0)
    return 1.0 if mean > 0.0 else -1.0


@compiled(inline="always")
def _report(state, flip, count, sign, x, noise):
    """Add what the users send who play x."""
    dim, root, point, found = len(x), math.sqrt(2.0), state.point, state.found
    asked = _binomial(noise, count, ABOUT_REWARD)
    for i in range(dim):
        point[i] = x[i]
    _sides(noise, point[:dim], found[:dim], 1.0, sign, asked, flip)
    for i in range(dim):
        state.moment[i] += found[i] / ABOUT_REWARD
    place, others = 0, count - asked
    for i in range(dim):
        for j in range(i, dim):
            point[place] = root * x[i] * x[j] if i < j else x[i] * x[i] - 0.5
            place += 1
    _sides(noise, point, found, 0.5 * math.sqrt(dim), 1.0, others, flip)
    place = 0
    for i in range(dim):
        for j in range(i, dim):
            entry = found[place] / root if i < j else found[place] + 0.5 * others
            state.gram[i, j] += entry / (1.0 - ABOUT_REWARD)
            place += 1


@compiled
def _sides(noise, point, found, radius, sign, users, flip):
    """Write the sum of what users send of a point, or of that opposite, which has a mean of `sign` times the point."""
    size, norm = len(point), math.sqrt(dot(point, point))
    level, kept = sign * min(norm / radius, 1.0), 1.0 - 2.0 * flip
    step = radius / kept * math.sqrt(math.pi) * math.exp(math.lgamma(0.5 * size + 0.5) - math.lgamma(0.5 * size))
    found[:] = 0.0
    if users <= DIRECT:
        normal = np.empty(size)
        for _ in range(users):
            for i in range(size):
                normal[i] = noise.standard_normal()
            above = dot(normal, point) > 0.0
            same = noise.random() < 0.5 + 0.5 * kept * level
            length = step / math.sqrt(dot(normal, normal))
            for i in range(size):
                found[i] += length * normal[i] if above == same else -length * normal[i]
        return
    along, share = 0.0, math.sqrt(max(1.0 - (level * radius / step) ** 2 * size, 0.0))
    for i in range(size):
        found[i] = noise.standard_normal()
        along += found[i] * point[i] / max(norm, 1e-300)
    for i in range(size):
        unit = point[i] / max(norm, 1e-300)
        spread = found[i] - (1.0 - share) * along * unit
        found[i] = users * level * radius * unit + spread * step * math.sqrt(users / size)


@compiled
def _binomial(draws, n, p):
    """One place to draw from, so that it is compiled once."""
    return draws.binomial(n, p)

"""Least squares for linear contexts from one bit of each user: on which side of a random line a vector lies."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.kernels import linear
from private_bandits.kernels.parts.accounting import answered
from private_bandits.kernels.parts.cholesky import dot
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
from private_bandits_book.rivals.instruments import alike, clipped, fresh, instrument, learn

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "random_lines", "seen", "start"]

PIECE = WHOLE_RUN
LONGEST = WHOLE_RUN // 2
ABOUT_REWARD = 0.95  # the probability with which a user is asked for the residual
DIRECT = 64  # sums of at most this many vectors are drawn one by one, longer ones as normal numbers


class Record(NamedTuple):
    """The constants of the policy."""

    dim: int
    flip: float  # the probability that a bit is sent as the other one
    first: int  # rounds of the first stretch
    growth: float  # rounds of a stretch over those before it
    horizon: int


class State(NamedTuple):
    """What the loop carries from stretch to stretch."""

    told: np.ndarray  # of `learn`, as are the next four
    slopes: np.ndarray
    moved: np.ndarray
    tally: np.ndarray
    theta: np.ndarray
    guess: np.ndarray  # of `alike`
    clock: np.ndarray  # int64: rounds before the stretch, at its end
    sums: np.ndarray  # pseudo-regret before the stretch, and what each of its rounds adds
    counts: np.ndarray  # int64, a row a set: how often each of its actions is played in the stretch
    released: np.ndarray  # sum of what users sent of residuals; scratch, as are those that follow
    about: np.ndarray  # ... and of actions
    indices: np.ndarray
    side: np.ndarray
    point: np.ndarray
    found: np.ndarray


def random_lines(epsilon: float, *, dim: int, horizon: int, first: float = 4.0, growth: float = 0.06) -> Policy:
    """Play by least squares on sums to which each user adds a vector that one randomised bit tells.

    Of this book, after attackers' policies. A user plays the action of the largest <theta, x>, for the theta that is
    public, or a random one in the first stretch. With D the map that halves the part of x along theta, and the
    instrument q = D x/|D x|, the user rounds the residual y - <theta, x>, clipped to [-1, 1], at random to a sign s of
    that mean, and is asked for s q, a point of the unit ball of dimension m = d, where R = 1; or, with probability 1/20
    after the first stretch, for the triangle of |D x| q q' - I/2, a point of the ball of radius R = sqrt(d)/2 and
    dimension m = d (d + 1)/2, entries off the diagonal times sqrt 2. To answer with v, the user moves to v R/|v| with
    probability (1 + |v|/R)/2, else to the point opposite, draws a hyperplane through 0 with a uniform unit normal z,
    and sends z and, by randomised response, the bit that says on which side the point is. The server adds

        +-z R g / c,    g = (1 + e^-epsilon)/(1 - e^-epsilon),    c = Gamma(m/2) / (sqrt(pi) Gamma((m + 1)/2)),

    the sign being the bit's, which is v on average, since c is the mean of |z_1| (Duchi, Jordan and Wainwright, 2018,
    have this mechanism with half balls). From these sums theta is found as `residual_epochs` does, all weights being 1:
    after `first` rounds, and then whenever there are `growth` more.

    It is locally epsilon-private without delta: z and which vector is asked for do not depend on the user, the one bit
    that does is sent by randomised response, and the action, which the user finds from theta, is told to nobody. No
    bound is proved.

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
    (19, 'ε=1')
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
        **fresh(dim),
        guess=alike(dim, problem.n_actions),
        clock=np.zeros(2, np.int64),
        sums=np.zeros(2),
        counts=np.zeros(shape, np.int64),
        released=np.zeros(dim),
        about=np.zeros((dim, dim)),
        indices=np.zeros(problem.n_actions),
        side=np.zeros(dim),
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
        rounds = max(1 if end > 0 else policy.first, int(min(policy.growth * end, LONGEST)))
        if end > 0:
            _learn(policy, state, end - begun)
        clock[0], clock[1] = end, end + rounds
        sums[1] = _stretch(problem, policy, state, rounds, env, choice, noise) / rounds


@compiled(inline="always")
def _stretch(problem, policy, state, rounds, env, choice, noise):
    """Choose the actions of all sets, draw the sums of what their users send, and return the pseudo-regret."""
    n_sets, theta, indices = len(problem.sets), state.theta, state.indices
    begun = state.clock[0] > 0
    left, lost = rounds, 0.0
    state.counts[:], state.released[:], state.about[:] = 0, 0.0, 0.0
    for shown in range(n_sets):
        actions, means, counts = problem.sets[shown], problem.means[shown], state.counts[shown]
        count = left if shown == n_sets - 1 else _binomial(env, left, 1.0 / (n_sets - shown))
        left -= count
        if begun:
            for action in range(problem.n_actions):
                indices[action] = dot(theta, actions[:, action])
            counts[top_item(indices, choice)] = count
        else:
            for action in range(problem.n_actions):
                counts[action] = _binomial(choice, count, 1.0 / (problem.n_actions - action))
                count -= counts[action]
        for action in range(problem.n_actions):
            if counts[action] > 0:
                lost += counts[action] * linear.shortfall(means, action)
                x = actions[:, action]
                sign = clipped(problem, means[action], dot(theta, x), 1.0)[0]
                asked = _binomial(noise, counts[action], ABOUT_REWARD) if begun else counts[action]
                _report(state, policy.flip, asked, counts[action] - asked, sign, x, noise)
    return lost


@compiled(inline="always")
def _report(state, flip, asked, others, sign, x, noise):
    """Add what the users send who play x: `asked` of them of the residual, the others of the action."""
    dim, root, point, found, q = len(x), math.sqrt(2.0), state.point, state.found, state.side
    length = instrument(x, state.theta, q)
    _sides(noise, q, found[:dim], 1.0, sign, asked, flip)
    for i in range(dim):
        state.released[i] += found[i]
    place = 0
    for i in range(dim):
        for j in range(i, dim):
            point[place] = root * length * q[i] * q[j] if i < j else length * q[i] * q[i] - 0.5
            place += 1
    _sides(noise, point, found, 0.5 * math.sqrt(dim), 1.0, others, flip)
    place = 0
    for i in range(dim):
        for j in range(i, dim):
            state.about[i, j] += found[place] / root if i < j else found[place] + 0.5 * others
            place += 1


@compiled
def _learn(policy, state, rounds):
    """Move theta by what the users of a stretch sent."""
    dim, first, kept = len(state.theta), state.clock[0] == 0, 1.0 - 2.0 * policy.flip
    size, share = dim * (dim + 1) // 2, 1.0 if first else ABOUT_REWARD
    for i in range(dim):
        state.released[i] /= share
        for j in range(i, dim):
            state.about[i, j] /= 1.0 - ABOUT_REWARD
            state.about[j, i] = state.about[i, j]
    variance = rounds / share * _step(dim, 1.0, kept) ** 2 / dim
    spread = rounds / (1.0 - ABOUT_REWARD) * _step(size, 0.5 * math.sqrt(dim), kept) ** 2 / size
    learn(state, rounds, 1.0, state.released, variance, state.about, spread, state.guess)


@compiled(inline="always")
def _step(size, radius, kept):
    """The length of what is added for one user."""
    return radius / kept * math.sqrt(math.pi) * math.exp(math.lgamma(0.5 * size + 0.5) - math.lgamma(0.5 * size))


@compiled
def _sides(noise, point, found, radius, sign, users, flip):
    """Write the sum of what users send of a point, or of that opposite, which has a mean of `sign` times the point."""
    size, norm = len(point), math.sqrt(dot(point, point))
    level, kept = sign * min(norm / radius, 1.0), 1.0 - 2.0 * flip
    step = _step(size, radius, kept)
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

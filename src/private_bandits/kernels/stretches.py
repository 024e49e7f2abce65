"""Contextual learners whose server solves only now and then, so that whole stretches of play are drawn at once.

The learners of `linear` that weight by rewards. The server's estimate stands for a stretch of rounds, in which users
with the same set of actions play the same one. With one set it lasts until that action would be played about growth
times as often again; with several, of which no user says which it had, growth times the rounds so far; but for one
round at least. So all that matters of a stretch are sums: how often each given set came up, the rewards, and the noise.
Their laws are known, whatever the stretch's length, and a run costs as much as its stretches. With growth 0 the server
solves in every round, and a run on one set, where all users send, is bit for bit that of `linear`.

Besides Gaussian noise on both messages there is Laplace noise; noise on the reward alone, whose user sends the action
as it is; and a trusted server's, which draws it for the nodes of a binary tree over the stretches: `levels` of them
hold a user at most, and the sum of those that make up the rounds so far is added, anew in every stretch. Where it
releases the sums `once`, it adds the noise of one user to those of each stretch; the first has `first` rounds or so.

Rewards that are uniform about their mean are added one by one up to `DIRECT` of them, and beyond as a normal number.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import linear
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.cholesky import factorise, solve
from private_bandits.kernels.parts.selection import top_item
from private_bandits.kernels.parts.sums import laplace_sum
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, lower_bound
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.contexts import ContextRecord, draw_reward

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

PIECE = WHOLE_RUN
DIRECT = 64
LONGEST = WHOLE_RUN // 2


class Record(NamedTuple):
    """The constants of a contextual policy that is played by stretches."""

    constants: linear.Record
    growth: float = 0.0
    laplace: bool = False  # sigma is a Laplace scale
    reward_sigma: float = 0.0  # of Gaussian noise on the reward alone
    levels: int = 0  # of the tree; 0: noise of the users' own, or of each stretch
    once: bool = False  # whether a trusted server adds noise once a stretch
    first: int = 1  # rounds of a stretch, at least, up to a random factor of 1/2 to 3/2


class State(NamedTuple):
    """What the loop carries from stretch to stretch."""

    gram: np.ndarray  # V, upper triangle, as of the end of the stretch
    moment: np.ndarray  # u
    nodes: np.ndarray  # noise of the tree's nodes, a row a level: that on V, row by row, and on u
    counts: np.ndarray  # int64: how often each set comes up in the stretch
    played: np.ndarray  # int64: the action of its users
    pulls: np.ndarray  # int64: how often the users of each set have played each action; read of one set only
    clock: np.ndarray  # int64: rounds before the stretch, at its end, stretches so far, users who have sent
    sums: np.ndarray  # pseudo-regret before the stretch, and what each of its rounds adds
    squares: np.ndarray  # scratch, shape (2, dim, dim), as are those that follow
    theta: np.ndarray  # (dim,)
    work: np.ndarray  # (dim, n_actions)
    numbers: np.ndarray  # (2, n_actions)


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what `linear` refuses, and action sets that are drawn afresh."""
    linear.check(name, problem, record.constants, horizon)
    if not len(problem.sets):
        raise ValueError(f"problem of {name} must have given sets (LinearContext.table), got {problem}")
    return {}


def start(problem: ContextRecord, policy: Record) -> State:
    """Return the state before the first round."""
    dim, sets = problem.dim, len(problem.sets)
    return State(
        gram=np.zeros((dim, dim)),
        moment=np.zeros(dim),
        nodes=np.zeros((policy.levels, dim * (dim + 3) // 2)),
        counts=np.zeros(sets, np.int64),
        played=np.zeros(sets, np.int64),
        pulls=np.zeros(problem.means.shape, np.int64),
        clock=np.zeros(4, np.int64),
        sums=np.zeros(2),
        squares=np.zeros((2, dim, dim)),
        theta=np.zeros(dim),
        work=np.zeros((dim, problem.n_actions)),
        numbers=np.zeros((2, problem.n_actions)),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one vector of noise pays; nothing is proved where an action is clear, or shows the context."""
    constants, local = record.constants, record.levels == 0 and not record.once
    if record.reward_sigma > 0 or record.levels > 0:
        return math.inf, local
    if record.laplace:  # in L1 an action's products move by d + 1
        moved = constants.dim + 1.0 + 2.0 * constants.largest_reward * math.sqrt(constants.dim)
        return added(constants.sigma, moved, delta), local
    return linear.account(constants, delta)[0], local


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last; in a stretch the sets are shown in their order, and with several of them the regret
    is interpolated.
    """
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
                for _ in range(state.counts[shown]):
                    if first <= t + 1 <= last:
                        trace[t, 0], trace[t, 1] = state.played[shown], 1
                    t += 1
        if end >= last:
            return
        sums[0] += sums[1] * (end - begun)
        clock[0], clock[2] = end, clock[2] + 1
        _solve(problem, policy, state, choice)
        # what the server knows without counting sets: with one set the pulls, else the rounds
        least = state.pulls[0, state.played[0]] if len(state.counts) == 1 else end
        rounds = 1
        if policy.growth > 0.0:  # of random length, so that no grid shows in the regret
            share = policy.growth * (0.5 + choice.random())
            rounds = max(1, int(min(share * max(least, policy.first / policy.growth), LONGEST)))
        if policy.levels > 0 and clock[2] + 1 == 1 << policy.levels:  # the tree is full
            rounds = LONGEST
        clock[1] = end + rounds
        sums[1] = _stretch(problem, policy, state, rounds, env, noise) / rounds


@compiled(inline="always")
def _solve(problem, policy, state, choice):
    """Choose the action of every set's users for the next stretch."""
    record, t, dim, theta = policy.constants, state.clock[3], problem.dim, state.theta
    factor, seen, squares, indices = state.squares[0], state.squares[1], state.numbers[0], state.numbers[1]
    place = 0
    for i in range(dim):  # the tree's noise is none of the sums'
        theta[i] = state.moment[i]
        for j in range(i, dim):
            seen[i, j] = state.gram[i, j]
            for level in range(policy.levels):
                seen[i, j] += state.nodes[level, place]
            place += 1
    for i in range(dim):
        for level in range(policy.levels):
            theta[i] += state.nodes[level, place + i]
    ready = t > 0 and factorise(seen, record.ridge + 2.0 * record.shift * math.sqrt(t), factor)
    if ready:
        solve(factor, theta)
    beta = linear.radius(record, t, 0.0)
    for shown in range(len(problem.sets)):
        actions = problem.sets[shown]
        linear.optimistic(factor, theta, beta, ready, actions, state.work, squares, indices)
        state.played[shown] = top_item(indices, choice)


@compiled(inline="always")
def _stretch(problem, policy, state, rounds, env, noise):
    """Draw the sums of a stretch, add them, and return its pseudo-regret."""
    gram, moment, dim, n_sets = state.gram, state.moment, problem.dim, len(problem.sets)
    only = min(int(env.random() * n_sets), n_sets - 1) if rounds == 1 else -1
    left, lost = rounds, 0.0
    for shown in range(n_sets):
        count = int(shown == only) if only >= 0 else left
        if only < 0 and shown < n_sets - 1:
            count = _binomial(env, left, 1.0 / (n_sets - shown))
        left -= count
        state.counts[shown] = count
        if count == 0:
            continue
        actions, means, action = problem.sets[shown], problem.means[shown], state.played[shown]
        state.pulls[shown, action] += count
        lost += count * linear.shortfall(means, action)
        if policy.constants.sending < 1.0:
            count = _binomial(noise, count, policy.constants.sending)
        state.clock[3] += count
        reward = rewards(count, means[action], problem.binary, problem.spread, env)
        reward += mechanisms.gaussian(noise, policy.reward_sigma * math.sqrt(count))
        for i in range(dim):
            for j in range(i, dim):
                gram[i, j] += count * (actions[i, action] * actions[j, action])
            moment[i] += reward * actions[i, action]
    sigma = policy.constants.sigma
    if policy.levels > 0:
        _grow(state.nodes, state.clock[2], sigma, noise)
        return lost
    draws = 1 if policy.once else rounds
    for i in range(dim):
        for j in range(i, dim):
            gram[i, j] += _noise(policy.laplace, sigma, draws, noise)
    for i in range(dim):
        moment[i] += _noise(policy.laplace, sigma, draws, noise)
    return lost


@compiled
def _binomial(env, n, p):
    """One place to draw from, so that it is compiled once."""
    return env.binomial(n, p)


@compiled(inline="always")
def _grow(nodes, number, sigma, noise):
    """The node that the stretch of this number completes takes the place of those below it."""
    level = 0
    while number % 2 == 0:
        nodes[level, :] = 0.0
        number //= 2
        level += 1
    for place in range(nodes.shape[1]):
        nodes[level, place] = mechanisms.gaussian(noise, sigma)


@compiled
def _noise(laplace, scale, rounds, noise):
    if laplace:
        return laplace_sum(noise, rounds, scale)
    return mechanisms.gaussian(noise, scale * math.sqrt(rounds))


@compiled(inline="always")
def rewards(count, mean, binary, spread, env):
    """Draw the sum of an action's rewards.

    Parameters
    ----------
    count : int
        How many, >= 0.
    mean : float
        Of one.
    binary : bool
        Whether they are 0 or 1.
    spread : float
        Otherwise each is uniform within that of the mean, >= 0.
    env : numpy.random.Generator

    Returns
    -------
    float
    """
    if binary and count > 1:
        return float(_binomial(env, count, mean))
    if count <= DIRECT:
        total = 0.0
        for _ in range(count):
            total += draw_reward(mean, binary, spread, env)
        return total
    return count * mean + spread * math.sqrt(count / 3.0) * env.standard_normal()

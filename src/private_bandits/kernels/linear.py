"""Contextual learners: a ridge regression from what users send, exact or noisy, and an optimistic action.

In round t the user plays the action of the largest

    <theta, x> + beta_{t-1} |x|_{A^-1},    A = V_{t-1} + c_{t-1} I,  theta = A^-1 u_{t-1},

and sends x x' + B and w x + xi, which are added to V and to u; B is symmetric and its upper triangle, like xi, has
independent Gaussian entries of standard deviation sigma. The weight w is the reward (LinUCB), or <x, estimate> with an
online estimate of the parameter (GLOC), moved by noisy gradient steps or by exact Newton steps. With

    Upsilon_t = shift sqrt(t),   c_t = ridge + 2 Upsilon_t,
    beta_t = factor (fit_t + stretch (sqrt(ridge + 3 Upsilon_t) + tail sqrt(t / (ridge + Upsilon_t)))),

a policy is its constants, held in a `Record`; one compiled loop plays them all. Where users send with a probability
below 1, t counts those who did, and the others change nothing. The first action is uniformly random, where the
algorithms would play a longest vector: before any data unit vectors are worth the same, and rounding would choose. So
is an action where A is not positive definite.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import scipy

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.cholesky import dot, factorise, inverse_norms, project, solve
from private_bandits.kernels.parts.selection import top_item
from private_bandits.kernels.protocol import FAMILY, PIECE, blank, check_horizon, check_kind, check_size, lower_bound
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.contexts import ContextRecord, LinearContext, draw_actions, draw_reward

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

# the weight of an action: its reward, or its mean by an estimate that takes gradient or Newton steps (logistic loss)
REWARDS, GRADIENT, NEWTON = range(3)
# fit_t: a constant; the self-normalised bound on rewards; or what the regret of the estimates leaves in doubt
CONSTANT, DETERMINANT, REGRET = range(3)
_SLACK = 1e-9  # by which rounding may stretch a range of rewards


class Record(NamedTuple):
    """The constants of a contextual policy."""

    dim: int
    learner: int = REWARDS
    sigma: float = 0.0  # of the entries of B and xi
    gradient_sigma: float = 0.0  # of the entries of the noise on the gradient
    step: float = 0.0  # zeta
    ridge: float = 0.0
    shift: float = 0.0
    factor: float = 1.0
    fit: int = CONSTANT
    level: float = 0.0  # fit_t, or 2 ln(1/alpha), or alpha
    deviation: float = 1.0  # R: the reward's noise is R-sub-Gaussian
    curvature: float = 1.0  # kappa: least slope of the link on [-1, 1]
    cost: float = 0.0  # regret of the estimates: cost + cost_linear t + cost_root sqrt(t), and what Newton steps add
    cost_linear: float = 0.0
    cost_root: float = 0.0
    stretch: float = 1.0
    tail: float = 0.0
    largest_reward: float = np.inf  # what the noise is calibrated for: rewards in [-largest_reward, largest_reward]
    binary: bool = False  # ... or of 0 and 1 only
    horizon: int = 0  # 0 fits any run
    sending: float = 1.0  # probability with which a user sends, below 1 without noise; t counts those who did


class State(NamedTuple):
    """What the loop carries from round to round."""

    gram: np.ndarray  # V, upper triangle
    moment: np.ndarray  # u
    factor: np.ndarray  # Cholesky factor of A
    ready: np.ndarray  # whether A is positive definite; not before the first round
    theta: np.ndarray
    estimate: np.ndarray
    sums: np.ndarray  # beta, what Newton steps added to the cost, pseudo-regret, users who sent
    offered: np.ndarray  # scratch, shape (2, dim, n_actions), as are those that follow
    numbers: np.ndarray  # (3, n_actions)
    vectors: np.ndarray  # (3, dim)
    spare: np.ndarray  # (dim, dim)


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems without contexts, of another dimension, longer runs, and larger rewards."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, LinearContext, "a LinearContext")
    check_size(name, "dim", record.dim, problem.dim)
    if record.binary and not problem.binary:
        raise ValueError(f"rewards must be 0 or 1 for {name}, got {problem}")
    low, high = problem.reward_range
    bound = record.largest_reward
    if max(-low, high) > bound + _SLACK:
        raise ValueError(f"rewards must be in [{-bound:g}, {bound:g}] for {name}, got [{low:g}, {high:g}]")
    return {}


def start(problem: ContextRecord, policy: Record) -> State:
    """Return the state before the first round."""
    dim = problem.dim
    return State(
        gram=np.zeros((dim, dim)),
        moment=np.zeros(dim),
        factor=np.zeros((dim, dim)),
        ready=np.zeros(1, np.bool_),
        theta=np.zeros(dim),
        estimate=np.zeros(dim),
        sums=np.zeros(4),  # before the first message beta bounds nothing
        offered=np.zeros((2, dim, problem.n_actions)),
        numbers=np.zeros((3, problem.n_actions)),
        vectors=np.zeros((3, dim)),
        spare=np.zeros((dim, dim)),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one vector of noise pays.

    Of the logistic link the error is at most 2 g(1), or g(1) for rewards 0 and 1, which have a deviation of 1/2. At a
    delta that is the probability of sending, or more, it pays nothing.
    """
    if record.sending <= delta:
        return 0.0, True
    if record.learner == REWARDS:
        squares, half = 2.0, record.largest_reward
    else:
        reach = float(scipy.special.expit(1.0)) * (1.0 if record.deviation <= 0.5 else 2.0)
        squares, half = 3.0, reach * record.sigma / record.gradient_sigma if record.gradient_sigma > 0 else math.inf
    moved = (half**2 + squares) / squares**0.5 if half**2 <= squares else 2.0 * half
    return added(record.sigma, moved, delta, gaussian=True), True


def seen(record: Record) -> Seen:
    """Return what an observer sees: the sums of what users send, and the estimate of the online learner."""
    sent = ("gram", "moment", "estimate")
    return Seen(state=sent, messages=sent, message=_message)


def _message(added: list[np.ndarray], order: np.ndarray) -> np.ndarray:
    """The upper triangle of the matrix, then the vectors."""
    return np.concatenate([added[0][_triangle(len(added[1]))], *added[1:]])


_triangle = functools.cache(np.triu_indices)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    binary, spread = problem.binary, problem.spread
    gram, moment, factor, theta = state.gram, state.moment, state.factor, state.theta
    estimate, dim = state.estimate, len(moment)
    actions, work, chosen = state.offered[0], state.offered[1], state.vectors[0]
    means, squares, indices = state.numbers[0], state.numbers[1], state.numbers[2]
    ready, beta, added, total_regret = state.ready[0], state.sums[0], state.sums[1], state.sums[2]
    sent = state.sums[3]
    mark = lower_bound(checkpoints, first)
    for t in range(first, last + 1):
        draw_actions(problem, env, actions, means)
        optimistic(factor, theta, beta, ready, actions, work, squares, indices)
        action = top_item(indices, choice)
        reward = draw_reward(means[action], binary, spread, env)
        total_regret += shortfall(means, action)
        if policy.sending == 1.0 or noise.random() < policy.sending:
            sent += 1.0
            for i in range(dim):
                chosen[i] = actions[i, action]
            weight, error = reward, 0.0
            if policy.learner != REWARDS:
                weight = dot(chosen, estimate)
                error = 1.0 / (1.0 + math.exp(-weight)) - reward
            _add(chosen, weight, policy.sigma, noise, gram, moment)
            if policy.learner == GRADIENT:
                _gradient_step(estimate, chosen, error, policy.step, policy.gradient_sigma, noise)
            ready = factorise(gram, policy.ridge + 2.0 * policy.shift * math.sqrt(sent), factor)
            if ready:
                for i in range(dim):
                    theta[i] = moment[i]
                solve(factor, theta)
            if policy.learner == NEWTON:
                added += _newton_step(policy, chosen, error, factor, gram, estimate, state.vectors, state.spare)
            beta = radius(policy, sent, added)
        if len(trace) > 0:
            trace[t - 1, 0], trace[t - 1, 1] = action, 1
        if mark < len(checkpoints) and checkpoints[mark] == t:
            regret[mark] = total_regret
            mark += 1
    state.ready[0] = ready
    state.sums[0], state.sums[1], state.sums[2], state.sums[3] = beta, added, total_regret, sent


@compiled(inline="always")
def shortfall(means, action):
    """By how much an action's mean is below the largest.

    Parameters
    ----------
    means : float64 array, shape (n_actions,)
    action : int

    Returns
    -------
    float
    """
    best = means[0]
    for mean in means:
        best = max(best, mean)
    return best - means[action]


@compiled(inline="always")
def radius(policy, t, added):
    """beta_t: the half-width of the confidence ellipsoid.

    Parameters
    ----------
    policy : Record
    t : float
        Users who have sent, >= 0.
    added : float
        What Newton steps have added to the cost so far, >= 0.

    Returns
    -------
    float
    """
    upsilon = policy.shift * math.sqrt(t)
    fit, least, rest = policy.level, policy.ridge + upsilon, 0.0
    if policy.fit == DETERMINANT:
        inside = 1.0 + t / (policy.dim * (policy.ridge + policy.shift))
        fit = policy.deviation * math.sqrt(policy.level + policy.dim * math.log(inside))
    elif policy.fit == REGRET:
        alpha, kappa, r = policy.level, policy.curvature, policy.deviation
        cost = policy.cost + policy.cost_linear * t + policy.cost_root * math.sqrt(t) + added
        inside = 1.0 + 2.0 * cost / kappa + 4.0 * (r / kappa) ** 4 / alpha**2
        log = math.log(2.0 / alpha) + 0.5 * math.log(inside)
        fit = math.sqrt(1.0 + 4.0 * cost / kappa + 8.0 * (r / kappa) ** 2 * log)
    if least > 0.0:
        rest = math.sqrt(least + 2.0 * upsilon) + policy.tail * math.sqrt(t / least)
    return policy.factor * (fit + policy.stretch * rest)


@compiled(inline="always")
def optimistic(factor, theta, beta, ready, actions, work, squares, indices):
    """Write <theta, a> + beta |a|, |a| in the norm of A^-1, of every action: infinite before A can be inverted.

    Parameters
    ----------
    factor : float64 array, shape (dim, dim)
        Of A, see `kernels.cholesky`.
    theta : float64 array, shape (dim,)
    beta : float
        >= 0.
    ready : bool
        Whether A could be factorised.
    actions : float64 array, shape (dim, n_actions)
    work : float64 array, shape (dim, n_actions), scratch
    squares : float64 array, shape (n_actions,), scratch
    indices : float64 array, shape (n_actions,), written
    """
    if not ready:
        for action in range(len(indices)):
            indices[action] = np.inf
        return
    inverse_norms(factor, actions, work, squares)
    for action in range(len(indices)):
        indices[action] = beta * math.sqrt(squares[action])
    for i in range(len(theta)):
        for action in range(len(indices)):
            indices[action] += theta[i] * actions[i, action]


@compiled(inline="always")
def _add(x, weight, sigma, noise, gram, moment):
    """Add the two messages of a user, the rows of the upper triangle of the first before the second."""
    dim = len(x)
    for i in range(dim):
        for j in range(i, dim):
            gram[i, j] += x[i] * x[j] + mechanisms.gaussian(noise, sigma)
    for i in range(dim):
        moment[i] += weight * x[i] + mechanisms.gaussian(noise, sigma)


@compiled(inline="always")
def _gradient_step(estimate, x, error, step, sigma, noise):
    """Move against the noisy gradient and back into the unit ball."""
    for i in range(len(x)):
        estimate[i] -= step * (error * x[i] + mechanisms.gaussian(noise, sigma))
    square = dot(estimate, estimate)
    if square > 1.0:
        for i in range(len(x)):
            estimate[i] /= math.sqrt(square)


@compiled(inline="always")
def _newton_step(policy, x, error, factor, gram, estimate, vectors, spare):
    """Online Newton step in the norm of A, which has just been factorised; return what it adds to the cost."""
    slope = vectors[1]
    for i in range(len(x)):
        slope[i] = x[i]
    solve(factor, slope)
    added = error**2 * dot(x, slope) / (2.0 * policy.curvature)
    for i in range(len(x)):
        estimate[i] -= error / policy.curvature * slope[i]
    project(gram, policy.ridge, estimate, spare, slope, vectors[2])
    return added

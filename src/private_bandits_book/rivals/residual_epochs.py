"""Greedy least squares in doubling epochs under joint privacy, whose releases are about clipped residuals."""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.protocol import FAMILY, WHOLE_RUN, blank, check_horizon, check_kind, check_size
from private_bandits.kernels.protocol import unseen as seen
from private_bandits.kernels.stretches import DIRECT
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import LinearContext
from private_bandits_book.rivals.instruments import alike, clipped, fresh, instrument, learn

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "residual_epochs", "seen", "start"]

PIECE = WHOLE_RUN
ABOUT_ACTIONS = 0.1  # of epsilon, for what is released of actions
SPREAD = 3.0  # the inverse of a clipped residual's variance, where c = 1 and it is uniform on [-1, 1]


class Record(NamedTuple):
    """The constants of the policy."""

    dim: int
    epsilon: float
    first: int
    clip: float
    horizon: int

    @property
    def scales(self) -> tuple[float, float]:
        """Scales of the noise on residuals and on actions, from the second epoch on."""
        about = (1.0 - ABOUT_ACTIONS) * self.epsilon, ABOUT_ACTIONS * self.epsilon
        return 2.0 * self.clip / about[0], math.sqrt(2.0) / about[1]


class State(NamedTuple):
    """What the loop carries from epoch to epoch."""

    told: np.ndarray  # of `learn`, as are the next four
    slopes: np.ndarray
    moved: np.ndarray
    tally: np.ndarray
    theta: np.ndarray
    guess: np.ndarray  # of `alike`
    lost: np.ndarray  # pseudo-regret before the epoch, and what a round of it adds
    clock: np.ndarray  # int64: rounds before the epoch, at its end
    counts: np.ndarray  # int64 (n_sets, n_actions): how often each action is played in the epoch


def residual_epochs(epsilon: float, *, dim: int, horizon: int, first: float = 8.0, clip: float = 1.0) -> Policy:
    """Play greedily by least squares on what epochs have released: sums of clipped residuals, and of x x'.

    Of this book, after attackers' policies. Actions are random in the first epoch; in each later one, which is as long
    as all before, a user plays the action of the largest <theta, x>. With D the map that halves the part of x along
    theta, and the instrument q = D x/|D x|, a trusted server releases at the epoch's end

        z = sum of clip(y - <theta, x>, -c, c) q + noise,    N = sum of |D x| q q' + noise.

    Greedy play depends on the direction of theta alone, so that q tells more of what lies across theta than x does. As
    E[z] is N D^-1 times what theta is off by, the next theta solves S theta = sum of w (z + J theta_e), with J = N D^-1
    of each epoch, played with theta_e, S the sum of w J, and weights w = n/(n + 3 d s^2), s being the deviation of the
    noise on z. While the noise on J is large, J is mostly a guess, what random unit vectors would have, and S is
    increased as if each coordinate of theta had a deviation of 1/5 around 0.

    Noises are of the K-norm mechanism (Hardt and Talwar, 2010) for a Euclidean ball: the direction is uniform, and the
    length is Gamma(d, 2 c/(0.9 epsilon)) for z, as a user moves z by 2 c at most, and Gamma(d (d + 1)/2, sqrt 2/(0.1
    epsilon)) for N in Frobenius norm, which |D x| q q' moves by sqrt 2, as |D x| <= 1. The first epoch releases z
    alone, with all of epsilon. Noise on N multiplies only what theta is still off by, so a tenth of epsilon is enough.

    It is jointly epsilon-private without delta: a user is in one epoch, whose two releases add up to epsilon, and a
    user's own action is told to that user alone. No bound is proved.

    Parameters
    ----------
    epsilon : float
        Of all that other users see, > 0; infinity means no noise.
    dim, horizon : int
        d and T, >= 1.
    first : float
        Rounds of the first epoch over the deviation of its noise, or over 3 where that is less; > 0, to be tuned.
    clip : float
        c > 0, to be tuned.

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
    >>> policy = residual_epochs(1.0, dim=2, horizon=10**9)
    >>> policy.record.first, policy.privacy.label()
    (28, 'ε=1')
    """
    asked, size = checks.epsilon(epsilon), checks.integer("dim", dim, at_least=1)
    short, wide = checks.real("first", first, above=0), checks.real("clip", clip, above=0)
    longest = checks.integer("horizon", horizon, at_least=1)
    least = min(short * max(2.0 * wide * math.sqrt(size + 1.0) / asked, 3.0), longest)
    why = "joint: a user is in the two releases of one epoch; a user's own action is not among them"
    return Policy(
        name="Residual epochs",
        algorithm="least squares on clipped residuals",
        variant=f"first {short:g}, clip {wide:g}",
        privacy=Guarantee.certified(asked, asked, "central", why, joint=True),
        record=Record(size, asked, math.ceil(least), wide, longest),
        mechanism="none" if math.isinf(asked) else "laplace",
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
    return State(
        **fresh(policy.dim),
        guess=alike(policy.dim, problem.n_actions),
        lost=np.zeros(2),
        clock=np.zeros(2, np.int64),
        counts=np.zeros(problem.means.shape, np.int64),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what an epoch's two releases pay together."""
    residuals, actions = record.scales
    return added(residuals, 2.0 * record.clip, delta) + added(actions, math.sqrt(2.0), delta), False


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
    """Play the rounds first..last; within an epoch the regret is interpolated, and sets are shown in their order."""
    clock, lost = state.clock, state.lost
    mark = int(np.searchsorted(checkpoints, first))
    while True:
        begun, end = clock.tolist()
        while mark < len(checkpoints) and checkpoints[mark] <= min(end, last):
            regret[mark] = lost[0] + lost[1] * (checkpoints[mark] - begun)
            mark += 1
        if len(trace):
            played = np.repeat(np.tile(np.arange(problem.n_actions), len(state.counts)), state.counts.ravel())
            low, high = max(begun, first - 1), min(end, last)
            trace[low:high, 0], trace[low:high, 1] = played[low - begun : high - begun], 1
        if end >= last:
            return
        lost[0] += lost[1] * (end - begun)
        clock[:] = end, end + max(policy.first, end)
        _epoch(problem, policy, state, env, choice, noise)


def _epoch(problem: Any, policy: Record, state: State, env: Any, choice: Any, noise: Any) -> None:
    """Draw an epoch, release its sums, and move theta."""
    actions, theta, (begun, end) = np.swapaxes(problem.sets, 1, 2), state.theta, state.clock.tolist()
    rounds, size, shown = end - begun, policy.dim, np.arange(len(actions))
    users = env.multinomial(rounds, np.full(len(actions), 1.0 / len(actions)))
    state.counts[:] = 0
    if begun:
        state.counts[shown, (actions @ theta).argmax(axis=1)] = users
    else:
        state.counts[:] = choice.multinomial(users, np.full(problem.n_actions, 1.0 / problem.n_actions))
    state.lost[1] = (state.counts * (problem.means.max(axis=1, keepdims=True) - problem.means)).sum() / rounds
    released, about, q = np.zeros(size), np.zeros((size, size)), np.zeros(size)
    for place in zip(*np.nonzero(state.counts), strict=True):
        x, count = actions[place], state.counts[place]
        about += count * instrument(x, theta, q) * np.outer(q, q)
        released += clipped_sum(problem, problem.means[place], x @ theta, policy.clip, count, env) * q
    scales = policy.scales if begun else (2.0 * policy.clip / policy.epsilon, 0.0)
    released += _ball(noise, size, scales[0])
    upper = np.triu_indices(size)
    about[upper] += _ball(noise, len(upper[0]), scales[1]) / np.where(upper[0] == upper[1], 1.0, math.sqrt(2.0))
    about.T[upper] = about[upper]
    noisy = scales[0] ** 2 * (size + 1.0)
    weight = rounds / (rounds + SPREAD * size * noisy)
    variance = noisy + rounds / (SPREAD * size)
    learn(state, rounds, weight, released, variance, about, scales[1] ** 2 * (len(upper[0]) + 1.0), state.guess)


def clipped_sum(problem: Any, mean: float, guess: float, clip: float, users: int, env: Any) -> float:
    """Return the sum of clip(y - guess, -clip, clip): one by one, or of many users as a normal number."""
    if problem.binary:
        ones = int(env.binomial(users, mean))
        return float(np.clip([1.0 - guess, -guess], -clip, clip) @ [ones, users - ones])
    if users <= DIRECT:
        low, high = mean - guess - problem.spread, mean - guess + problem.spread
        return float(np.clip(env.uniform(low, high, users), -clip, clip).sum())
    middle, second = clipped(problem, mean, guess, clip)
    return float(users * middle + math.sqrt(users * max(second - middle**2, 0.0)) * env.standard_normal())


def _ball(noise: Any, size: int, scale: float) -> np.ndarray:
    """A vector of density proportional to exp(-|z| / scale)."""
    if scale == 0.0:
        return np.zeros(size)
    normal = noise.standard_normal(size)
    return np.asarray(normal * (noise.gamma(size, scale) / np.linalg.norm(normal)))

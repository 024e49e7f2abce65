"""The ratio index of a cascade whose users send all clicks and all examinations of their list, each with noise.

A message hides how far the user read, so an item has neither a count of clicks nor a count of examinations, only noisy
sums S of the first and N of the second. For the item's weight w, S - w N without noise is a martingale; with r a
confidence radius of the noise in a round t the index is

    (S + sqrt(1.5 ln t (N + r)) + r) / N  where N > 0,  +infinity otherwise.

As a negative control N may be the displays: then the index is of clicks per display, which falls with the position.
"""

import math
from typing import NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen
from private_bandits.kernels.parts.accounting import added
from private_bandits.kernels.parts.selection import top_list
from private_bandits.kernels.protocol import FAMILY, PIECE, blank, lower_bound, record_round
from private_bandits.kernels.protocol import check_cascade as check
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import ListRecord, observe, pseudo_regret

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]


class Record(NamedTuple):
    """The constants of a cascade with noise on every click and examination."""

    gaussian: bool  # the noise, else Laplace
    scale: float  # sigma, or Laplace scale, of a number; >= 0
    by_display: bool = False  # divide by the displays
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem


class State(NamedTuple):
    """What the loop carries from round to round, an entry or a row per item."""

    clicks: np.ndarray  # as they were sent
    examinations: np.ndarray  # as they were sent
    displays: np.ndarray
    regret: np.ndarray


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round.

    Parameters
    ----------
    problem : ListRecord
    policy : Record

    Returns
    -------
    State
    """
    n_arms = len(problem.means)
    return State(
        clicks=np.zeros(n_arms),
        examinations=np.zeros(n_arms),
        displays=np.zeros(n_arms, np.int64),
        regret=np.zeros(1),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a list pays: a click at the first of K positions against one at the last."""
    moved = {0: math.inf, 1: 1.0}.get(record.list_size, record.list_size + 1.0)
    moved = math.sqrt(moved) if record.gaussian else moved
    return added(record.scale, moved, delta, gaussian=record.gaussian), True


def seen(record: Record) -> Seen:
    """Return what an observer sees: clicks and examinations as they were sent."""
    sent = ("clicks", "examinations", "displays")
    return Seen(state=sent, messages=sent, reached=True)


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last.

    Parameters
    ----------
    problem : ListRecord
    policy : Record
    state : State, written
        As round first - 1 left it.
    first, last : int
        Rounds to play, counted from 1; a run may be played in any pieces.
    checkpoints : int64 array, increasing
    regret : float64 array, as long as `checkpoints`, written
        The pseudo-regret at those checkpoints that are among the rounds.
    trace : int64 array, shape (horizon, list_size + 1) or (0, list_size + 1), written
        Where it has rows: the list of each round and the number of observed positions.
    env, choice, noise : numpy.random.Generator
        The three streams of the replication.
    """
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    gaussian, scale, by_display = policy.gaussian, policy.scale, policy.by_display
    means, cascade, best, size = problem.means, problem.cascade, problem.best, problem.list_size
    clicks, examinations, displays = state.clicks, state.examinations, state.displays
    indices, order, values = np.zeros(len(means)), np.arange(size), np.zeros(size)
    feedback = np.zeros(size)
    mark = lower_bound(checkpoints, first)
    total_regret = state.regret[0]
    for t in range(first, last + 1):
        log_t = math.log(t)
        for item in range(len(indices)):
            shown = float(displays[item])
            seen = shown if by_display else examinations[item]
            if shown == 0.0 or seen <= 0.0:
                indices[item] = np.inf
                continue
            # two noises a display: of the clicks, and of w <= 1 times the examinations
            radius = scale * _tail(gaussian, 3.0 * log_t, 2.0 * shown)
            samples = seen if by_display else seen + radius
            indices[item] = (clicks[item] + math.sqrt(1.5 * samples * log_t) + radius) / seen
        top_list(indices, cascade, choice, order, values)
        observed = observe(means, cascade, order, env, feedback)
        for position in range(size):
            item = order[position]
            displays[item] += 1
            clicked, examined = 0.0, 0.0
            if position < observed:
                clicked, examined = feedback[position], 1.0
            clicks[item] += clicked + _noise(gaussian, noise, scale)
            examinations[item] += examined + _noise(gaussian, noise, scale)
        total_regret += pseudo_regret(means, cascade, best, order)
        mark = record_round(t, order, observed, total_regret, mark, checkpoints, regret, trace)
    state.regret[0] = total_regret


@compiled(inline="always")
def _noise(gaussian, noise, scale):
    return mechanisms.gaussian(noise, scale) if gaussian else mechanisms.laplace(noise, scale)


@compiled(inline="always")
def _tail(gaussian, log_tail, m):
    """What a sum of m noises of scale 1 exceeds with probability e^-log_tail; Laplace noise at a near best rate."""
    if gaussian:
        return math.sqrt(2.0 * log_tail * m)
    return math.sqrt((log_tail + m) / log_tail) * (log_tail + m * math.log1p(log_tail / m))

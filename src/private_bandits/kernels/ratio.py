"""The ratio index of a cascade whose whole reply is private.

A reply hides how far the user read, so an item has neither a count of clicks nor a count of examinations, only
unbiased estimates S of the first and N of the second. For the item's weight w, S - w N is a martingale; with r(t) its
confidence radius the index is

    (S + r) / N  where N > 0,  +infinity otherwise.

As a negative control N may be the displays: then the index is of clicks per display, which falls with the position.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.protocol import PIECE, blank, check_kind, check_size, lower_bound, record_round
from private_bandits.kernels.selection import top_list
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import Cascade
from private_bandits.problems.lists import ListRecord, observe, pseudo_regret

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]

# randomised response on the reply; clicks and examinations of all positions, each with Laplace or Gaussian noise
RESPONSE, LAPLACE, GAUSSIAN = range(3)


class Record(NamedTuple):
    """The constants of a repaired cascade."""

    design: int
    flip: float = 0.0  # probability of each false answer of a randomised reply
    scale: float = 0.0  # Laplace scale or Gaussian sigma of a number
    by_display: bool = False
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem


class State(NamedTuple):
    """What the loop carries from round to round, an entry or a row per item."""

    clicks: np.ndarray  # what was reported of the item's own positions
    examinations: np.ndarray  # what was reported of them, or displays less what was reported of the positions above
    displays: np.ndarray
    above: np.ndarray  # positions above the item's own, summed over its displays
    regret: np.ndarray


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems that are no cascades, or of another list size.

    Parameters
    ----------
    name : str
        Of the policy, for the message.
    problem : Cascade
    record : Record
    horizon : int
        Rounds of the run, >= 1.

    Returns
    -------
    dict
        Empty: there is nothing to say beside the results.

    Raises
    ------
    ValueError
        If the record was made for another problem.
    """
    check_kind(name, problem, Cascade, "a Cascade")
    check_size(name, "list_size", record.list_size, problem.list_size)
    return {}


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
    n_items = len(problem.means)
    return State(
        clicks=np.zeros(n_items),
        examinations=np.zeros(n_items),
        displays=np.zeros(n_items, np.int64),
        above=np.zeros(n_items, np.int64),
        regret=np.zeros(1),
    )


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
    design, flip, scale, by_display = policy.design, policy.flip, policy.scale, policy.by_display
    means, cascade, best, size = problem.means, problem.cascade, problem.best, problem.list_size
    clicks, examinations, displays, above = state.clicks, state.examinations, state.displays, state.above
    indices, order, values = np.zeros(len(means)), np.arange(size), np.zeros(size)
    feedback, width = np.zeros(size), 1.0 - (size + 1) * flip
    mark = lower_bound(checkpoints, first)
    total_regret = state.regret[0]
    for t in range(first, last + 1):
        log_t = math.log(t)
        for item in range(len(indices)):
            shown, hits, seen, noise_radius = float(displays[item]), clicks[item], examinations[item], 0.0
            samples = shown
            if design == RESPONSE:
                hits = (hits - shown * flip) / width
                seen = shown - (shown - seen - above[item] * flip) / width
            else:  # 2 noises a display, of the clicks and of w times the examinations, w <= 1
                noise_radius = scale * _tail(design, 3.0 * log_t, 2.0 * shown)
                samples = seen + noise_radius
            if by_display:
                seen = samples = shown
            if displays[item] == 0 or seen <= 0.0:
                indices[item] = np.inf
                continue
            indices[item] = (hits + math.sqrt(1.5 * samples * log_t) / width + noise_radius) / seen
        top_list(indices, cascade, choice, order, values)
        observed = observe(means, cascade, order, env, feedback)
        reply = observed - 1 if feedback[observed - 1] == 1.0 else size
        if design == RESPONSE:
            reply = mechanisms.respond(noise, reply, size + 1, flip)
        for position in range(size):
            item, clicked, examined = order[position], 0.0, 0.0
            if position <= reply:
                clicked, examined = 1.0 if position == reply else 0.0, 1.0
            if design != RESPONSE:
                clicked += _noise(design, noise, scale)
                examined += _noise(design, noise, scale)
            clicks[item] += clicked
            examinations[item] += examined
            displays[item] += 1
            above[item] += position
        total_regret += pseudo_regret(means, cascade, best, order)
        mark = record_round(t, order, observed, total_regret, mark, checkpoints, regret, trace)
    state.regret[0] = total_regret


@compiled(inline="always")
def _noise(design, noise, scale):
    return mechanisms.laplace(noise, scale) if design == LAPLACE else mechanisms.gaussian(noise, scale)


@compiled(inline="always")
def _tail(design, log_tail, m):
    """What a sum of m noises of scale 1 exceeds with probability e^-log_tail; Laplace noise at a near best rate."""
    if design == GAUSSIAN or m == 0.0:
        return math.sqrt(2.0 * log_tail * m)
    return math.sqrt((log_tail + m) / log_tail) * (log_tail + m * math.log1p(log_tail / m))

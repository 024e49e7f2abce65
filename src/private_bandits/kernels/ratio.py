"""The ratio index of a cascade whose whole reply is private.

A reply hides how far the user read, so an item has neither a count of clicks nor a count of examinations, only
unbiased estimates S of the first and N of the second. For the item's weight w, S - w N is a martingale; with r(t) its
confidence radius the index is

    (S + r) / N  where N > 0,  +infinity otherwise.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits import mechanisms
from private_bandits._compiled import compiled
from private_bandits.kernels.protocol import PIECE, blank, check_horizon, check_kind, check_size
from private_bandits.kernels.selection import top_list
from private_bandits.problems import Cascade, ListRecord, observe, pseudo_regret

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]

# randomised response on the reply; the reply as a padded one-hot vector with Laplace noise; trees indexed by rounds
RESPONSE, ONE_HOT, ROUNDS = range(3)


class Record(NamedTuple):
    """The constants of a repaired cascade."""

    design: int
    flip: float = 0.0  # probability of each false answer of a randomised reply
    scale: float = 0.0  # Laplace scale of a coordinate, or of a tree node
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem
    n_items: int = 0
    horizon: int = 0


class State(NamedTuple):
    """What the loop carries from round to round, an entry or a row per item."""

    clicks: np.ndarray  # what was reported of the item's own positions
    examinations: np.ndarray  # examined positions (trees), or displays less what was reported of the positions above
    displays: np.ndarray
    above: np.ndarray  # positions above the item's own, summed over its displays
    trees: np.ndarray  # of the clicks and of the examinations
    released: np.ndarray  # their noise
    regret: np.ndarray


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems that are no cascades, of other sizes, and longer runs.

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
        If the record was made for another problem or a shorter run.
    """
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, Cascade, "a Cascade")
    check_size(name, "list_size", record.list_size, problem.list_size)
    check_size(name, "n_items", record.n_items, problem.n_items)
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
    rows = n_items if policy.design == ROUNDS else 0
    return State(
        clicks=np.zeros(n_items),
        examinations=np.zeros(n_items),
        displays=np.zeros(n_items, np.int64),
        above=np.zeros(n_items, np.int64),
        trees=np.zeros((rows, 2, mechanisms.COUNTER_ROW)),
        released=np.zeros((n_items, 2)),
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
    design, flip, scale = policy.design, policy.flip, policy.scale
    means, best = problem.means, problem.best
    clicks, examinations, displays, above = state.clicks, state.examinations, state.displays, state.above
    trees, released, size = state.trees, state.released, problem.list_size
    indices, order, values = np.zeros(len(means)), np.zeros(size, np.int64), np.zeros(size)
    feedback, reported = np.zeros(size), np.zeros(size)
    mark = np.searchsorted(checkpoints, first)
    total_regret = state.regret[0]
    for t in range(first, last + 1):
        log_t = math.log(t)
        log_tail = math.log(2.0) + 3.0 * log_t  # failure probability t^-3
        round_noise = 0.0
        if design == ROUNDS:
            spread, largest = mechanisms.tree_spread(t - 1)
            # the noise of the clicks and of w times the examinations, w <= 1
            round_noise = scale * mechanisms.laplace_sum_bound(math.sqrt(2.0) * spread, largest, log_tail)
        width = 1.0 - (size + 1) * flip
        for item in range(len(indices)):
            shown = float(displays[item])
            hits = clicks[item] + released[item, 0]
            seen = examinations[item] + released[item, 1]
            samples, noise_radius = shown, round_noise
            if design == ROUNDS:
                samples = seen + round_noise
            elif design == ONE_HOT:
                spread = math.sqrt(shown + above[item])
                noise_radius = scale * mechanisms.laplace_sum_bound(spread, 1.0, log_tail)
            else:
                hits = (hits - shown * flip) / width
                seen = shown - (shown - seen - above[item] * flip) / width
            if displays[item] == 0 or seen <= 0.0:
                indices[item] = np.inf
                continue
            radius = math.sqrt(1.5 * samples * log_t) / width + noise_radius
            indices[item] = (hits + radius) / seen
        top_list(indices, True, choice, order, values)
        observed = observe(means, True, order, env, feedback)
        clicked = feedback[observed - 1] == 1.0
        if design == ROUNDS:
            for position in range(size):
                item = order[position]
                displays[item] += 1
                if position < observed:
                    examinations[item] += 1.0
                    clicks[item] += feedback[position]
            for item in range(len(indices)):
                for tree in range(2):  # one call: with two, the compiler keeps them out of line, at twice the time
                    released[item, tree] = mechanisms.tree_noise(noise, t, scale, trees[item, tree])
        else:
            _send(design, flip, scale, observed - 1 if clicked else size, reported, noise)
            left = 1.0
            for position in range(size):
                item = order[position]
                clicks[item] += reported[position]
                examinations[item] += left
                displays[item] += 1
                above[item] += position
                left -= reported[position]
        total_regret += pseudo_regret(means, True, best, order)
        if len(trace) > 0:
            for position in range(size):
                trace[t - 1, position] = order[position]
            trace[t - 1, -1] = observed
        if mark < len(checkpoints) and checkpoints[mark] == t:
            regret[mark] = total_regret
            mark += 1
    state.regret[0] = total_regret


@compiled(inline="always")
def _send(design, flip, scale, reply, reported, noise):
    """One user's private reply as a click vector, of which a randomised response is not yet unbiased."""
    if design == RESPONSE:
        reply = mechanisms.respond(noise, reply, len(reported) + 1, flip)
    for position in range(len(reported)):
        reported[position] = 1.0 if position == reply else 0.0
        if design == ONE_HOT:
            reported[position] += mechanisms.laplace(noise, scale)

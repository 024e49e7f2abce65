"""A radius for a super arm, not for its arms: one randomised bit about the least reported arm of what is played.

Super arms are compared on an equal footing. With a the largest number of a grid that all arms of a super arm S have
reported, its index is

    min(r(S) at the means of the first a reports of each + sqrt(level sum of w_i^2 / (2 a)) / (1 - 2 flip), r(S) at 1).

Indices move only where an arm reaches a number of the grid, so most rounds look none up.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits._compiled import compiled
from private_bandits.kernels.protocol import PIECE, blank, check_horizon, check_kind, lower_bound, record_round
from private_bandits.kernels.selection import least_first
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import SetBandit
from private_bandits.problems.families import LINEAR, observe_set, regret_of_set, set_value
from private_bandits.problems.lists import ListRecord

__all__ = ["PIECE", "Record", "advance", "blank", "check", "start"]


class Record(NamedTuple):
    """The constants of a super-arm radius."""

    grid: np.ndarray  # int64, increasing from 1: the numbers of reports at which an arm's sum is kept
    level: float  # a super arm's index is too low with probability exp(-level) at most
    flip: float  # probability that a bit is the false one
    horizon: int


class State(NamedTuple):
    """What the loop carries from round to round."""

    pulls: np.ndarray
    total: np.ndarray
    cells: np.ndarray  # numbers of the grid that an arm has reached
    kept: np.ndarray  # its sums there, shape (n_items, grid)
    worth: np.ndarray
    ties: np.ndarray  # the super arms of the largest index
    found: np.ndarray  # how many; 0: to be found anew
    values: np.ndarray  # scratch, as all that follow
    missed: np.ndarray
    order: np.ndarray
    feedback: np.ndarray
    regret: np.ndarray


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems whose super arms are not scanned, and longer runs."""
    check_horizon(name, horizon, record.horizon)
    check_kind(name, problem, SetBandit, "a SemiBandit of listed super arms")
    if problem.picks or problem.beta < 1.0:
        raise ValueError(f"the oracle must be exact for {name}, got {problem}")
    return {}


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_items, size, n_sets = len(problem.means), problem.list_size, len(problem.family.sets)
    return State(
        pulls=np.zeros(n_items, np.int64),
        total=np.zeros(n_items),
        cells=np.zeros(n_items, np.int64),
        kept=np.zeros((n_items, len(policy.grid))),
        worth=np.zeros(n_sets),
        ties=np.zeros(n_sets, np.int64),
        found=np.zeros(1, np.int64),
        values=np.zeros(n_items),
        missed=np.ones(max(problem.family.targets, default=0) + 1),
        order=np.zeros(size, np.int64),
        feedback=np.zeros(size),
        regret=np.zeros(1),
    )


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    grid, means, family, best = policy.grid, problem.means, problem.family, problem.best
    sets, sizes = family.sets, family.sizes
    pulls, total, cells, kept = state.pulls, state.total, state.cells, state.kept
    ties, found, order, feedback, missed = state.ties, state.found, state.order, state.feedback, state.missed
    mark, lost, played = lower_bound(checkpoints, first), 0.0, -1
    for t in range(first, last + 1):
        if found[0] == 0:
            _look_up(family, policy, state)
        row = ties[int(choice.random() * found[0]) if found[0] > 1 else 0]
        length = sizes[row]
        for position in range(len(order)):
            order[position] = sets[row, position]
        least_first(pulls, order, length)
        observe_set(means, family.groups, order, length, env, feedback)
        item = order[0]
        total[item] += mechanisms.respond(noise, int(feedback[0]), 2, policy.flip)
        pulls[item] += 1
        cell = cells[item]
        if cell < len(grid) and pulls[item] == grid[cell]:
            kept[item, cell] = total[item]
            cells[item] = cell + 1
            found[0] = 0
        if row != played:
            lost, played = regret_of_set(means, family, best, order, length, missed), row
        state.regret[0] += lost
        mark = record_round(t, order, length, state.regret[0], mark, checkpoints, regret, trace)


@compiled(borrows=True)
def _look_up(family, policy, state):
    """Find the super arms of the largest index."""
    sets, weights, targets, values, worth = family.sets, family.weights, family.targets, state.values, state.worth
    most, true = -np.inf, 1.0 - 2.0 * policy.flip
    for row in range(len(sets)):
        length, squares, least = family.sizes[row], 0.0, len(policy.grid)
        for position in range(length):
            arm = sets[row, position]
            least = min(least, state.cells[arm])
            squares += weights[arm] ** 2
            values[arm] = 1.0
        ceiling = set_value(family.reward, weights, family.offset, targets, values, sets[row], length, state.missed)
        worth[row] = ceiling
        if least > 0:
            reports = policy.grid[least - 1]
            for position in range(length):
                arm = sets[row, position]
                values[arm] = (state.kept[arm, least - 1] / reports - policy.flip) / true
            value = set_value(family.reward, weights, family.offset, targets, values, sets[row], length, state.missed)
            level = policy.level + (0.0 if family.reward == LINEAR else length * math.log(2.0))
            worth[row] = min(value + math.sqrt(0.5 * level * squares / reports) / true, ceiling)
        most = max(most, worth[row])
    state.found[0] = 0
    for row in range(len(sets)):
        if worth[row] == most:
            state.ties[state.found[0]] = row
            state.found[0] += 1

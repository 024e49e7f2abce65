"""A radius for a super arm, not for its arms: one report about the least reported arm of what is played.

Super arms are compared on an equal footing. With g the largest number of a grid that all arms of a super arm S have
reported, its index has the means M of the first g reports of each, or of the last a of these where sums are forgotten:

    min(r_M(S) + sqrt(level W / (2 a)) / (1 - 2 flip) + scale (w level + 2 sqrt(level W)) / a, r(S) at means of 1),

W the sum of the squared weights of S, w the largest. A report is a bit by randomised response, `flip`; or it is exact,
and the sum gets Lap(scale) as its arm reaches the grid, once.

Indices move only where an arm reaches a number of the grid, so most rounds look none up. The rounds until then can be
drawn at once: each arm's reports as one binomial number, which is good up to 10^15 of them.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels import Seen, protocol
from private_bandits.kernels.parts.accounting import added, answered
from private_bandits.kernels.parts.selection import least_first
from private_bandits.kernels.protocol import FAMILY, blank, lower_bound, record_round, write_round
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems import SetBandit
from private_bandits.problems.families import LINEAR, observe_set, regret_of_set, set_value
from private_bandits.problems.lists import ListRecord

__all__ = ["FAMILY", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

PIECE = 1 << 50  # long runs are leapt through
LEAP = 1 << 12


class Record(NamedTuple):
    """The constants of a super-arm radius."""

    grid: np.ndarray  # int64, increasing: the numbers of reports at which an arm's sum is kept
    level: float  # a super arm's index is too low with probability exp(-level) at most
    flip: float  # probability that a bit is the false one
    horizon: int
    scale: float = 0.0  # Laplace scale of a kept sum
    forget: bool = False  # whether a kept sum is of the reports since the one before, not of all
    leap: int = 1 << 62  # rounds that are drawn one by one at most, where nothing changes in them
    list_size: int = 0  # what the privacy was calibrated for; 0 fits any problem
    n_arms: int = 0


class State(NamedTuple):
    """What the loop carries from round to round."""

    pulls: np.ndarray
    total: np.ndarray
    cells: np.ndarray  # numbers of the grid that an arm has reached
    kept: np.ndarray  # its sums there, shape (n_arms, grid)
    worth: np.ndarray
    ties: np.ndarray  # the super arms of the largest index
    found: np.ndarray  # how many; 0: to be found anew
    left: np.ndarray  # rounds of a leap that are still to be counted
    values: np.ndarray  # scratch, as all that follow
    missed: np.ndarray
    order: np.ndarray
    feedback: np.ndarray
    regret: np.ndarray


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse problems whose super arms are not scanned, of other sizes, and longer runs."""
    protocol.check_horizon(name, horizon, record.horizon)
    protocol.check_kind(name, problem, SetBandit, "a SemiBandit of listed super arms")
    protocol.check_size(name, "size", record.list_size, problem.list_size)
    protocol.check_size(name, "n_arms", record.n_arms, problem.n_arms)
    return {}


def start(problem: ListRecord, policy: Record) -> State:
    """Return the state before the first round."""
    n_arms, size, n_sets = len(problem.means), problem.list_size, len(problem.family.sets)
    return State(
        pulls=np.zeros(n_arms, np.int64),
        total=np.zeros(n_arms),
        cells=np.zeros(n_arms, np.int64),
        kept=np.zeros((n_arms, len(policy.grid))),
        worth=np.zeros(n_sets),
        ties=np.zeros(n_sets, np.int64),
        found=np.zeros(1, np.int64),
        left=np.zeros(1, np.int64),
        values=np.zeros(n_arms),
        missed=np.ones(max(problem.family.targets, default=0) + 1),
        order=np.zeros(size, np.int64),
        feedback=np.zeros(size),
        regret=np.zeros(1),
    )


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what one answer pays, or one noisy sum."""
    paid = answered(record.flip) if record.flip else added(record.scale, 1.0, delta)
    return paid, not record.forget


def seen(record: Record) -> Seen:
    """Return what an observer sees: the reports, and the sums that are kept."""
    return Seen(state=("pulls", "kept"), messages=("pulls", "total"))


@compiled
def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last."""
    # locals, not fields: a tuple that is read inside the loop has its arrays' references counted there
    grid, means, family, best = policy.grid, problem.means, problem.family, problem.best
    sets, sizes = family.sets, family.sizes
    pulls, total, cells, kept = state.pulls, state.total, state.cells, state.kept
    ties, found, left, order = state.ties, state.found, state.left, state.order
    feedback, missed = state.feedback, state.missed
    mark, lost, played, t = lower_bound(checkpoints, first), 0.0, -1, first
    while t <= last:
        if found[0] == 0:
            _look_up(family, policy, state)
            if found[0] == 1:
                left[0] = _leap(means, sets[ties[0]], sizes[ties[0]], policy, state, policy.horizon + 1 - t, env)
        row = ties[int(choice.random() * found[0]) if found[0] > 1 else 0]
        length = sizes[row]
        for position in range(len(order)):
            order[position] = sets[row, position]
        if row != played:
            lost, played = regret_of_set(means, family, best, order, length, missed), row
        if left[0] > 0:
            rounds = min(left[0], last + 1 - t)
            while mark < len(checkpoints) and checkpoints[mark] < t + rounds:
                regret[mark] = state.regret[0] + lost * (checkpoints[mark] + 1 - t)
                mark += 1
            for shown in range(t, t + rounds if len(trace) > 0 else t):
                write_round(trace, shown, order, length)
            state.regret[0] += lost * rounds
            left[0] -= rounds
            t += rounds
            continue
        least_first(pulls, order, length)
        observe_set(means, family.groups, order, length, env, feedback)
        item = order[0]
        total[item] += mechanisms.respond(noise, int(feedback[0]), 2, policy.flip)
        pulls[item] += 1
        cell = cells[item]
        if cell < len(grid) and pulls[item] == grid[cell]:
            kept[item, cell] = total[item] + mechanisms.laplace(noise, policy.scale)
            total[item] = 0.0 if policy.forget else total[item]
            cells[item] = cell + 1
            found[0] = 0
        state.regret[0] += lost
        mark = record_round(t, order, length, state.regret[0], mark, checkpoints, regret, trace)
        t += 1


@compiled
def _leap(means, arms, length, policy, state, rounds, env):
    """Draw the reports before the next arm of a super arm reaches the grid, and return how many rounds these are.

    Its arms with the fewest reports are asked in turn, up to one report short of the grid. 0 where these rounds are
    few; the rest of the run where it ends before.
    """
    cell = len(policy.grid)
    for position in range(length):
        cell = min(cell, state.cells[arms[position]])
    if cell == len(policy.grid):
        return rounds if rounds > policy.leap else 0
    last, asked = policy.grid[cell] - 1, 0
    for position in range(length):
        asked = min(asked + max(last - state.pulls[arms[position]], 0), rounds)
    if asked <= policy.leap or asked == rounds:
        return asked if asked > policy.leap else 0
    for position in range(length):
        arm = arms[position]
        if state.pulls[arm] < last:
            mean = policy.flip + (1.0 - 2.0 * policy.flip) * means[arm]
            state.total[arm] += env.binomial(last - state.pulls[arm], mean)
            state.pulls[arm] = last
    return asked


@compiled(borrows=True)
def _look_up(family, policy, state):
    """Find the super arms of the largest index."""
    sets, weights, targets, values, worth = family.sets, family.weights, family.targets, state.values, state.worth
    most, true = -np.inf, 1.0 - 2.0 * policy.flip
    for row in range(len(sets)):
        length, squares, heaviest, least = family.sizes[row], 0.0, 0.0, len(policy.grid)
        for position in range(length):
            arm = sets[row, position]
            least = min(least, state.cells[arm])
            squares += weights[arm] ** 2
            heaviest = max(heaviest, weights[arm])
            values[arm] = 1.0
        ceiling = set_value(family.reward, weights, targets, values, sets[row], length, state.missed)
        worth[row] = ceiling
        if least > 0:
            reports = policy.grid[least - 1] - (policy.grid[least - 2] if policy.forget and least > 1 else 0)
            for position in range(length):
                arm = sets[row, position]
                values[arm] = (state.kept[arm, least - 1] / reports - policy.flip) / true
            value = set_value(family.reward, weights, targets, values, sets[row], length, state.missed)
            level = policy.level + (0.0 if family.reward == LINEAR else length * math.log(2.0))
            noise = policy.scale * (heaviest * level + 2.0 * math.sqrt(level * squares)) / reports
            worth[row] = min(value + math.sqrt(0.5 * level * squares / reports) / true + noise, ceiling)
        most = max(most, worth[row])
    state.found[0] = 0
    for row in range(len(sets)):
        if worth[row] == most:
            state.ties[state.found[0]] = row
            state.found[0] += 1

"""A policy that must know the horizon, made anew for runs of 2, 4, 16, 256, 65536, 2^32 and more rounds.

Run k = 0, 1, ... has 2^(2^k) rounds, and a fresh policy that was made for so many: nothing that it has seen passes to
the next. A round is in one run only, so the privacy of the whole is that of a run. The rounds are those of another
kernel, whose records are held.
"""

from typing import Any, NamedTuple

import numpy as np

from private_bandits import checks
from private_bandits.kernels import module_of
from private_bandits.kernels.protocol import FAMILY
from private_bandits.kernels.protocol import unseen as seen

__all__ = ["FAMILY", "LENGTHS", "PIECE", "Record", "account", "advance", "blank", "check", "seen", "start"]

LENGTHS = (*(1 << (1 << run) for run in range(6)), checks.ROUNDS)
"""Rounds of each run; the last one has no end."""
PIECE = 1 << 50  # the other kernel's, where the policies are leapt through


class Record(NamedTuple):
    """The constants of a policy that is made anew."""

    records: tuple[Any, ...]  # of each run, all of one kernel


class State(NamedTuple):
    """What the loop carries from round to round."""

    inner: list[Any]  # the state of the run
    clock: np.ndarray  # int64: the run, and the rounds before it
    regret: np.ndarray  # before it


def check(name: str, problem: Any, record: Record, horizon: int) -> dict[str, float]:
    """Refuse what the kernel of the runs refuses."""
    return dict(module_of(record.records[0]).check(name, problem, record.records[-1], horizon))


def blank(problem: Any, record: Record, rounds: int) -> np.ndarray:
    """Return an empty trace of that kernel."""
    return np.asarray(module_of(record.records[0]).blank(problem, record.records[-1], rounds))


def start(problem: Any, record: Record) -> State:
    """Return the state before the first round."""
    return State([module_of(record.records[0]).start(problem, record.records[0])], np.zeros(2, np.int64), np.zeros(1))


def account(record: Record, delta: float) -> tuple[float, bool]:
    """Return what a run pays: a user is in one of them."""
    paid = [module_of(each).account(each, delta) for each in record.records]
    return max(epsilon for epsilon, _ in paid), all(local for _, local in paid)


def advance(problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise) -> None:
    """Play the rounds first..last, run by run."""
    kernel = module_of(policy.records[0])
    while first <= last:
        run, before = state.clock.tolist()
        end = min(before + LENGTHS[run], last)
        low, high = np.searchsorted(checkpoints, [first, end + 1])
        marks = np.union1d(checkpoints[low:high], end) - before
        lost = np.zeros(len(marks))
        game = (problem, policy.records[run], state.inner[0], first - before, end - before, marks, lost, trace[before:])
        kernel.advance(*game, env, choice, noise)
        regret[low:high] = state.regret[0] + lost[: high - low]
        if end == before + LENGTHS[run]:
            state.regret[0] += lost[-1]
            state.clock[:] = run + 1, end
            state.inner[0] = kernel.start(problem, policy.records[run + 1])
        first = end + 1

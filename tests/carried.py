"""What a kernel's loop carries after some rounds, with nothing kept of the rounds themselves."""

from __future__ import annotations

import numpy as np

from private_bandits.streams import streams


def go_on(kernel, problem, record, state, first, last, source):
    """Play the rounds first..last."""
    nothing = np.zeros(0, np.int64), np.zeros(0), kernel.blank(problem, record, 0)
    kernel.advance(problem.record(), record, state, first, last, *nothing, *source)


def state_after(kernel, problem, record, rounds, seed=0, replication=0):
    """The state of a run after its first rounds."""
    state = kernel.start(problem.record(), record)
    go_on(kernel, problem, record, state, 1, rounds, streams(seed, replication))
    return state

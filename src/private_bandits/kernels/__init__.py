"""The compiled loops, and the protocol by which `simulate` plays any of them.

A kernel is a module that holds

    Record      a NamedTuple, the constants of a policy: numbers and arrays of fixed types, all that compiled code reads
    PIECE       how many rounds one call of `advance` may play; between two calls a run can be interrupted
    check       `check(name, problem, record, horizon)` refuses what the record was not made for, or returns what the
                results should say of the fit
    start       `start(problem.record(), record)` returns the state before the first round
    blank       `blank(problem, record, rounds)` returns an empty trace
    advance     the compiled loop, `advance(problem.record(), record, state, first, last, checkpoints, regret, trace,
                env, choice, noise)`: it plays the rounds first..last, leaves the state behind them, writes the regret
                at the checkpoints among them and, where the trace has rows, what was shown, and draws from nothing
                but the three streams

and is found by the type of its records. `identify` searches until it stops:
its records are known, and its `check` refuses to be played.
"""

import importlib
from typing import Any

from private_bandits import checks

KERNELS = (
    *("elimination", "episodes", "index", "linear", "online", "padded"),
    *("quantile", "releases", "robust", "stretches", "superarm", "weighted"),
)


def kernel_of(record: Any) -> Any:
    """Return the kernel that plays a record.

    Parameters
    ----------
    record : Record of one of the `KERNELS`

    Returns
    -------
    module

    Raises
    ------
    TypeError
        If no kernel has such records.
    """
    module = type(record).__module__
    if module in (f"{__name__}.{kernel}" for kernel in (*KERNELS, "identify")):
        return importlib.import_module(module)
    raise TypeError(f"a policy's record must be a Record of one of {', '.join(KERNELS)}, got {checks.shown(record)}")

"""A policy on a copy of its kernel, as if the kernel were a reader's own module."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType


def on_a_copy(policy, monkeypatch):
    """The policy with its constants in a `Record` of a module that no list knows, which holds what its kernel holds."""
    module = ModuleType("mine")
    vars(module).update({name: thing for name, thing in vars(policy.kernel).items() if name != "__name__"})
    module.Record = type("Record", (known := type(policy.record),), {"__module__": "mine"})

    def advance(problem, record, *rest):  # by what is compiled already
        policy.kernel.advance(problem, known(*record), *rest)

    module.advance = advance
    monkeypatch.setitem(sys.modules, "mine", module)
    return replace(policy, record=module.Record(*policy.record))
